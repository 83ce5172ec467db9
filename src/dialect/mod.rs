//! The conventions in which publishers speak, and which of them are in force.
//!
//! Dialects are pure: an element, a comment's text or a header line goes in, what it says comes out. They hold no
//! state of the document and see no tiles. Adding one: a row in [`LIST`], a file (or a row in `comment`), a page in
//! corpus/dialect.

pub(crate) mod comment;
mod dates;
mod header;
mod meta;
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
}

const META: usize = 0;
const HEADER: usize = 1;
const SPIDERLINE: usize = 2;
const REL: usize = 3;

/// All dialects; the constants above are places in it.
pub static LIST: [Dialect; 4] = [
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
];

/// The dialects in force: `web` unless said otherwise.
///
/// ```
/// use heedful::Dialects;
/// let dialects = Dialects::parse("seed,+header,-rel")?;
/// assert_eq!(dialects.names().collect::<Vec<_>>(), ["meta", "header", "spiderline"]);
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
    pub(crate) bots: BotSet,
    pub(crate) extent: Extent,
    pub(crate) dialect: &'static str,
}

/// Who listens, and what was heard.
#[derive(Debug)]
pub(crate) struct Ear<'a> {
    bots: &'a Bots,
    dialects: &'a Dialects,
    pub(crate) heard: Vec<Said>,
    pub(crate) complaints: Vec<(NoteKind, BotSet, String)>,
}

impl<'a> Ear<'a> {
    pub(crate) fn new(bots: &'a Bots, dialects: &'a Dialects) -> Self {
        Self { bots, dialects, heard: Vec::new(), complaints: Vec::new() }
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

/// What an element says by itself.
pub(crate) fn element(element: &impl Element, ear: &mut Ear<'_>) {
    match element.name() {
        "meta" if ear.dialects.has(META) => meta::meta(element, ear),
        "a" | "area" | "form" if ear.dialects.has(REL) => rel::rel(element, ear),
        _ => {}
    }
}

/// The region mark that a comment is, if it is one.
pub(crate) fn comment(text: &str, dialects: &Dialects) -> Option<comment::Mark> {
    if dialects.has(SPIDERLINE) { comment::mark(text) } else { None }
}
