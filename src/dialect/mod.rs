//! The conventions in which publishers speak, and which of them are in force.
//!
//! Dialects are pure: an element, a comment's text or a header line goes in, what it says comes out. They hold no
//! state of the document and see no tiles. Adding one: a row in [`LIST`], a file (or a row in `comment`), a page in
//! corpus/dialect.

pub(crate) mod comment;
mod dates;
mod header;
mod meta;
mod profile;
mod rel;
mod terms;

use std::borrow::Cow;

use crate::bot::{BotSet, Bots};
use crate::error::{Error, Result};
use crate::note::NoteKind;
use crate::policy::{Extent, Says};

/// One convention.
#[derive(Debug)]
pub struct Dialect {
    name: &'static str,
    presets: Presets,
    summary: &'static str,
    example: &'static str,
}

impl Dialect {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it is, in a few words.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// How it is written.
    pub fn example(&self) -> &'static str {
        self.example
    }
}

/// The smallest preset that a dialect belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Presets {
    Seed,
    Web,
    All,
}

const META: usize = 0;
const HEADER: usize = 1;
const REL: usize = 3;
const PROFILE: usize = 4;
const UNDECLARED: usize = 5;

/// All dialects; the constants above are places in it.
pub static LIST: [Dialect; 23] = [
    Dialect {
        name: "meta",
        presets: Presets::Seed,
        summary: "META robots, and META with a bot's name",
        example: r#"<meta name="robots" content="noindex, nofollow">"#,
    },
    Dialect {
        name: "header",
        presets: Presets::Web,
        summary: "the X-Robots-Tag header",
        example: "X-Robots-Tag: noarchive, foobot: noindex",
    },
    Dialect {
        name: "spiderline",
        presets: Presets::Seed,
        summary: "regions between robots comments",
        example: r#"<!-- robots content="noindex" --> ... <!-- /robots -->"#,
    },
    Dialect {
        name: "rel",
        presets: Presets::Seed,
        summary: "rel=nofollow, ugc and sponsored on links",
        example: r#"<a href="/ad" rel="nofollow">"#,
    },
    Dialect {
        name: "profile",
        presets: Presets::Seed,
        summary: "class names of the Robot Exclusion Profile, where the page declares it",
        example: r#"<p class="robots-noindex robot1-index">"#,
    },
    Dialect {
        name: "profile-undeclared",
        presets: Presets::Web,
        summary: "their denials also where the page does not declare the profile",
        example: r#"<p class="robots-noindex">"#,
    },
    Dialect {
        name: "googleoff",
        presets: Presets::Web,
        summary: "regions by flag, from the Google Search Appliance",
        example: "<!--googleoff: index--> ... <!--googleon: index-->",
    },
    Dialect {
        name: "noindex-comment",
        presets: Presets::Web,
        summary: "noindex comments",
        example: "<!--noindex--> ... <!--/noindex-->",
    },
    Dialect {
        name: "swish",
        presets: Presets::Web,
        summary: "Swish-e",
        example: "<!-- SwishCommand noindex --> ... <!-- SwishCommand index -->",
    },
    Dialect {
        name: "htdig",
        presets: Presets::Web,
        summary: "ht://Dig and hldig",
        example: "<!--htdig_noindex--> ... <!--/htdig_noindex-->",
    },
    Dialect {
        name: "udm",
        presets: Presets::Web,
        summary: "mnoGoSearch and DataparkSearch",
        example: "<!--UdmComment--> ... <!--/UdmComment-->",
    },
    Dialect {
        name: "stopindex",
        presets: Presets::Web,
        summary: "stopindex comments",
        example: "<!--stopindex--> ... <!--startindex-->",
    },
    Dialect {
        name: "beginnoindex",
        presets: Presets::Web,
        summary: "begin and end noindex",
        example: "<!-- BeginNoIndex --> ... <!-- EndNoIndex -->",
    },
    Dialect {
        name: "zoom",
        presets: Presets::Web,
        summary: "Zoom: text, links",
        example: "<!--ZOOMSTOP--> ... <!--ZOOMRESTART-->",
    },
    Dialect {
        name: "freefind",
        presets: Presets::Web,
        summary: "FreeFind: text, links, page",
        example: "<!-- FreeFind Begin No Index --> ... <!-- FreeFind End No Index -->",
    },
    Dialect {
        name: "sphider",
        presets: Presets::Web,
        summary: "Sphider",
        example: "<!--sphider_noindex--> ... <!--/sphider_noindex-->",
    },
    Dialect {
        name: "picosearch",
        presets: Presets::Web,
        summary: "PicoSearch: all, text, links",
        example: "<!--PICOSEARCH_SKIPALLSTART--> ... <!--PICOSEARCH_SKIPALLEND-->",
    },
    Dialect {
        name: "phpdig",
        presets: Presets::Web,
        summary: "PhpDig",
        example: "<!-- phpdigExclude --> ... <!-- phpdigInclude -->",
    },
    Dialect {
        name: "perlfect",
        presets: Presets::Web,
        summary: "Perlfect Search",
        example: "<!--ignore_perlfect_search--> ... <!--/ignore_perlfect_search-->",
    },
    Dialect {
        name: "keyoti",
        presets: Presets::Web,
        summary: "Keyoti",
        example: "<!--keyoti_search_ignore_begin--> ... <!--keyoti_search_ignore_end-->",
    },
    Dialect {
        name: "contao",
        presets: Presets::Web,
        summary: "Contao",
        example: "<!-- indexer::stop --> ... <!-- indexer::continue -->",
    },
    Dialect {
        name: "botpni",
        presets: Presets::Web,
        summary: "MHonArc",
        example: "<!--X-BotPNI--> ... <!--X-BotPNI-End-->",
    },
    Dialect {
        name: "adsense",
        presets: Presets::All,
        summary: "AdSense, which speaks to advertisers",
        example: "<!-- google_ad_section_start(weight=ignore) --> ... <!-- google_ad_section_end -->",
    },
];

/// The dialects in force: `web` unless said otherwise.
///
/// ```
/// use heedful::Dialects;
/// let dialects = Dialects::parse("seed,+header,-rel")?;
/// assert_eq!(dialects.names().collect::<Vec<_>>(), ["meta", "header", "spiderline", "profile"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialects([bool; LIST.len()]);

impl Default for Dialects {
    fn default() -> Self {
        Self::up_to(Presets::Web)
    }
}

impl Dialects {
    fn up_to(preset: Presets) -> Self {
        Self(std::array::from_fn(|at| LIST[at].presets <= preset))
    }

    /// Reads a list of presets (`seed`, `web`, `all`, `none`) and changes (`+name`, `-name`), from left to right.
    /// A list that begins with a change begins with `web`.
    ///
    /// # Errors
    /// When a name is unknown.
    pub fn parse(text: &str) -> Result<Self> {
        let mut set = Self::default();
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "seed" => set = Self::up_to(Presets::Seed),
                "web" => set = Self::default(),
                "all" => set = Self([true; LIST.len()]),
                "none" => set = Self([false; LIST.len()]),
                _ => set.change(word)?,
            }
        }
        Ok(set)
    }

    fn change(&mut self, word: &str) -> Result<()> {
        let (on, name) = match word.split_at_checked(1) {
            Some(("+", name)) => (true, name),
            Some(("-", name)) => (false, name),
            _ => (true, word),
        };
        let Some(at) = LIST.iter().position(|dialect| dialect.name == name) else {
            let known: Vec<_> = LIST.iter().map(Dialect::name).collect();
            return Err(Error::setting(format!(
                "there is no dialect `{name}`; there are {} and the presets seed, web, all, none",
                known.join(", ")
            )));
        };
        self.0[at] = on;
        Ok(())
    }

    /// The names of those in force.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        LIST.iter().zip(self.0).filter(|(_, on)| *on).map(|(dialect, _)| dialect.name)
    }

    fn has(&self, at: usize) -> bool {
        self.0[at]
    }

    /// Whether one of them speaks of elements with all they contain.
    pub(crate) fn mark_elements(&self) -> bool {
        self.has(PROFILE) || self.has(UNDECLARED)
    }

    /// Whether the profile's denials count in a page that does not declare it.
    pub(crate) fn profile_is_lenient(&self) -> bool {
        self.has(UNDECLARED)
    }
}

/// An element as dialects see it: its name in lower case, and decoded attribute values.
pub(crate) trait Element {
    fn name(&self) -> &str;
    fn attribute(&self, name: &str) -> Option<Cow<'_, str>>;
}

/// One thing that was said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) says: Says,
    pub(crate) whom: Whom,
    pub(crate) extent: Extent,
    pub(crate) dialect: &'static str,
}

/// For whom something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    Bots(BotSet),
    /// The same, but the profile's `robots-follow` is heard before it.
    Unless(BotSet),
    /// By the profile: all bots, or those to which the page gives this number.
    Profile(Option<u32>),
}

/// What a page says about the profile itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Declaration {
    /// It follows the profile.
    Profile,
    /// The bot of this number is called so.
    Name(u32, String),
    /// The names stand in the page with this address.
    NamesPage(String),
}

/// Who listens, and what was heard.
#[derive(Debug)]
pub(crate) struct Ear<'a> {
    bots: &'a Bots,
    dialects: &'a Dialects,
    /// The profile's URI.
    profile: &'a str,
    pub(crate) heard: Vec<Said>,
    pub(crate) declared: Vec<Declaration>,
    pub(crate) complaints: Vec<(NoteKind, BotSet, String)>,
}

impl<'a> Ear<'a> {
    pub(crate) fn new(bots: &'a Bots, dialects: &'a Dialects, profile: &'a str) -> Self {
        Self { bots, dialects, profile, heard: Vec::new(), declared: Vec::new(), complaints: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heard.is_empty() && self.declared.is_empty() && self.complaints.is_empty()
    }

    fn hear(&mut self, says: Says, whom: Whom, extent: Extent, dialect: &'static str) {
        self.heard.push(Said { says, whom, extent, dialect });
    }

    fn complain(&mut self, kind: NoteKind, bots: BotSet, message: String) {
        self.complaints.push((kind, bots, message));
    }
}

/// What a header line says.
pub(crate) fn header(name: &str, value: &str, ear: &mut Ear<'_>) {
    if ear.dialects.has(HEADER) {
        header::header(name, value, ear);
    }
}

/// What an element says of the page, or of itself alone.
pub(crate) fn element(element: &impl Element, ear: &mut Ear<'_>) {
    match element.name() {
        "meta" if ear.dialects.has(META) => meta::meta(element, ear),
        "a" | "area" | "form" if ear.dialects.has(REL) => rel::rel(element, ear),
        _ => {}
    }
    if ear.dialects.mark_elements() {
        profile::declaration(element, ear);
    }
}

/// What an element says of all it contains.
pub(crate) fn content(element: &impl Element, ear: &mut Ear<'_>) {
    if ear.dialects.mark_elements() {
        profile::classes(element, ear);
    }
}

/// The number and name of a bot that a META of the profile gives.
pub(crate) fn robot_name(element: &impl Element) -> Option<(u32, String)> {
    match profile::name(element) {
        Some(Declaration::Name(number, name)) if element.name() == "meta" => Some((number, name)),
        _ => None,
    }
}

/// The region mark that a comment is, if it is one.
pub(crate) fn comment(text: &str, dialects: &Dialects) -> Option<comment::Mark> {
    comment::mark(text, |name| dialects.names().any(|known| known == name))
}
