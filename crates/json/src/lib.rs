//! JSON objects of the program's output, of exports and of the bindings for other languages.
//!
//! docs/json.md describes each object. An object always has all its keys, and a test checks that.
//! One module (`text`) writes all strings, and escapes every character that may control a terminal.
//! This crate makes no decisions about pages, and never parses its own output.

mod explanation;
mod finding;
mod parts;
mod robots;
mod sarif;
mod serializer;
mod text;
mod write;

use std::sync::LazyLock;

use serde::{Serialize, Serializer};

use heedful::{Block, Convention, Conventions, Dressing, Exclusion, Landmark, Link, Page, Use};
use heedful_base::error::Error;
use heedful_base::limits::{Limit, Limits};
use heedful_lint::Technique;

use parts::{DirectiveJson, NoteJson};

pub use heedful_base::date::rfc3339;
pub use heedful_base::unreadable::unreadable;

pub use explanation::ExplanationJson;
pub use finding::{FindingJson, RuleJson};
pub use parts::{ErrorJson, VerdictJson};
use robots::KeptOutJson;
pub use robots::{RulesJson, RulingJson};
pub use sarif::sarif;
pub use text::is_command;
pub use write::{line, pretty, write_line};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Options of all snapshots in JSON. These are the default options, which add neither a base URL
/// nor a banner.
static UNDRESSED: LazyLock<Dressing> = LazyLock::new(Dressing::default);

/// JSON of the parts of a page that one bot may use. If an error occurred, the JSON has the error,
/// and the bot may use nothing.
///
/// # Examples
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_json::PageJson;
/// use serde_json::json;
///
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], b"<p>one")?;
/// let value = serde_json::to_value(PageJson::page(&page)).unwrap();
/// assert_eq!(value["phrases"], json!(["one"]));
/// assert_eq!(value["error"], json!(null));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug, Serialize)]
pub struct PageJson<'a> {
    url: &'a str,
    bot: &'a str,
    verdict: VerdictJson,
    title: &'a [String],
    description: &'a [String],
    headings: &'a [String],
    phrases: &'a [String],
    alt: &'a [String],
    #[serde(serialize_with = "links")]
    links: &'a [Link],
    snapshot: Option<String>,
    exclusions: Vec<ExclusionJson<'a>>,
    notes: Vec<NoteJson<'a>>,
    error: Option<ErrorJson>,
    excerpt: String,
    shown_title: String,
    input: String,
    about: AboutJson<'a>,
    kept_out: Option<KeptOutJson<'a>>,
    blocks: Option<BlocksJson<'a>>,
}

/// JSON of the metadata of a page: its language, its canonical URL, and facts about the response
/// with the page.
#[derive(Debug, Default, Serialize)]
struct AboutJson<'a> {
    lang: Option<&'a str>,
    canonical: Option<&'a str>,
    content_type: Option<&'a str>,
    status: Option<u16>,
    date: Option<String>,
    robots: Option<&'static str>,
    robots_status: Option<u16>,
}

impl<'a> AboutJson<'a> {
    fn new(page: &'a Page) -> Self {
        Self {
            lang: page.language(),
            canonical: page.canonical_url(),
            content_type: page.content_type(),
            status: page.status(),
            date: page.fetched().and_then(rfc3339),
            robots: Some(page.robots_state().name()),
            robots_status: page.robots_state().status(),
        }
    }
}

impl<'a> PageJson<'a> {
    /// Converts `page`, which was filtered for one bot.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_json::PageJson;
    ///
    /// let html = b"<p>Rye<p><a rel=nofollow href=/a>Wheat</a>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let value = serde_json::to_value(PageJson::page(&page)).unwrap();
    /// assert_eq!(value["verdict"]["index"], true);
    /// assert_eq!(value["links"][0]["url"], "https://example.com/a");
    /// assert_eq!(value["links"][0]["follow"], false);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn page(page: &'a Page) -> Self {
        let policy = page.policy();
        Self {
            url: page.url(),
            bot: page.bot().name(),
            verdict: VerdictJson::new(policy),
            title: page.title(),
            description: page.description(),
            headings: page.headings(),
            phrases: page.phrases(),
            alt: page.alternative(),
            links: page.links(),
            snapshot: page.snapshot(&UNDRESSED),
            exclusions: page
                .exclusions()
                .map(|exclusion| ExclusionJson::new(&exclusion))
                .collect(),
            notes: page.notes().map(NoteJson::new).collect(),
            error: None,
            excerpt: page.excerpt(),
            shown_title: page.shown_title(),
            input: page.input(),
            about: AboutJson::new(page),
            kept_out: KeptOutJson::new(page),
            blocks: None,
        }
    }

    /// Converts `page`, together with the blocks of its text if `has_blocks` is true.
    #[doc(hidden)]
    pub fn asked(page: &'a Page, has_blocks: bool) -> Self {
        let json = Self::page(page);
        if has_blocks {
            json.with_blocks(page)
        } else {
            json
        }
    }

    /// Adds the blocks of the page: headings, paragraphs and so on. `page` must be the page of this
    /// JSON. Without this call, the key `blocks` is null.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_json::PageJson;
    ///
    /// let html = b"<main><h1>Rye</h1><p>Dark bread</main>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let value = serde_json::to_value(PageJson::page(&page).with_blocks(&page)).unwrap();
    /// assert_eq!(value["blocks"][0]["kind"], "heading");
    /// assert_eq!(value["blocks"][1]["phrases"][0], "Dark bread");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    #[must_use]
    pub fn with_blocks(mut self, page: &'a Page) -> Self {
        self.blocks = Some(BlocksJson(page));
        self
    }

    /// Creates the JSON of the page at `url` after an error. The JSON has `error`, and the bot may
    /// use nothing of the page.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::Error;
    /// use heedful_json::PageJson;
    ///
    /// let error = Error::limit("page_bytes", 4096);
    /// let failed = PageJson::failed("https://example.com/", "FooBot", &error);
    /// let value = serde_json::to_value(failed).unwrap();
    /// assert_eq!(value["error"]["kind"], "limit");
    /// assert_eq!(value["verdict"]["index"], false);
    /// ```
    pub fn failed(url: &'a str, bot: &'a str, error: &Error) -> Self {
        Self {
            url,
            bot,
            verdict: VerdictJson::default(),
            title: &[],
            description: &[],
            headings: &[],
            phrases: &[],
            alt: &[],
            links: &[],
            snapshot: None,
            exclusions: Vec::new(),
            notes: Vec::new(),
            error: Some(ErrorJson::new(error)),
            excerpt: String::new(),
            shown_title: String::new(),
            input: String::new(),
            about: AboutJson::default(),
            kept_out: None,
            blocks: None,
        }
    }
}

/// JSON of the blocks of a page, such as headings and paragraphs. The blocks are computed when this
/// value is serialized.
#[derive(Debug)]
#[doc(hidden)]
pub struct BlocksJson<'a>(pub &'a Page);

impl Serialize for BlocksJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let blocks = self.0.blocks();
        to.collect_seq(blocks.iter().map(BlockJson::new))
    }
}

/// JSON of a block of a page's text, such as a heading. The JSON includes the block's line and
/// column.
#[derive(Debug, Serialize)]
struct BlockJson<'b, 'p> {
    kind: &'static str,
    level: Option<u8>,
    row: Option<u32>,
    landmark: Option<&'static str>,
    line: u32,
    column: u32,
    #[serde(serialize_with = "block_phrases")]
    phrases: &'b Block<'p>,
}

impl<'b, 'p> BlockJson<'b, 'p> {
    fn new(block: &'b Block<'p>) -> Self {
        let place = block.place();
        Self {
            kind: block.kind().name(),
            level: block.level(),
            row: block.row(),
            landmark: block.landmark().map(Landmark::name),
            line: place.line(),
            column: place.column(),
            phrases: block,
        }
    }
}

fn block_phrases<S: Serializer>(block: &Block<'_>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(block.phrases())
}

/// JSON of a link of a page, with the uses that one bot may make of the link.
#[derive(Debug, Serialize)]
#[doc(hidden)]
pub struct LinkJson<'a> {
    url: &'a str,
    kind: &'static str,
    rel: &'a [String],
    text: &'a str,
    follow: bool,
    anchor: bool,
    why: Option<WhyJson<'a>>,
    #[serde(serialize_with = "link_phrases")]
    phrases: &'a Link,
    show: bool,
    input: bool,
}

impl<'a> LinkJson<'a> {
    #[doc(hidden)]
    pub fn new(link: &'a Link) -> Self {
        let why = WhyJson {
            follow: link.why_not_follow().map(DirectiveJson::new),
            anchor: link.why_not_credit().map(DirectiveJson::new),
        };
        Self {
            url: link.url(),
            kind: link.kind().name(),
            rel: link.rel(),
            text: link.text(),
            follow: link.may_follow(),
            anchor: link.may_credit(),
            why: (why.follow.is_some() || why.anchor.is_some()).then_some(why),
            phrases: link,
            show: link.may_show(),
            input: link.may_be_input(),
        }
    }
}

/// Serializes the links of a page one by one, without a list of their JSON objects in memory.
fn links<S: Serializer>(links: &[Link], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(links.iter().map(LinkJson::new))
}

fn link_phrases<S: Serializer>(link: &Link, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(link.phrases())
}

/// JSON of the directives that deny following a link (`follow`), or crediting its text to its
/// target (`anchor`).
#[derive(Debug, Serialize)]
struct WhyJson<'a> {
    follow: Option<DirectiveJson<'a>>,
    anchor: Option<DirectiveJson<'a>>,
}

/// JSON of a part of a page that is withheld from one use. The JSON includes the directive that
/// denies this use.
#[derive(Debug, Serialize)]
struct ExclusionJson<'a> {
    #[serde(rename = "use")]
    usage: &'static str,
    start: u64,
    end: u64,
    #[serde(flatten)]
    directive: DirectiveJson<'a>,
}

impl<'a> ExclusionJson<'a> {
    fn new(exclusion: &Exclusion<'a>) -> Self {
        let range = exclusion.range();
        let directive = DirectiveJson::new(exclusion.directive());
        Self {
            usage: exclusion.usage().name(),
            start: range.start,
            end: range.end,
            directive,
        }
    }
}

/// JSON of a convention, which is one kind of exclusion markup, such as `meta`. The JSON also
/// states whether the convention is enabled.
///
/// # Examples
///
/// ```
/// use heedful::{CONVENTIONS, Conventions};
/// use heedful_json::ConventionJson;
///
/// let conventions = Conventions::parse("web,-googleoff")?;
/// let convention = CONVENTIONS.iter().find(|one| one.name() == "googleoff").unwrap();
/// let value = serde_json::to_value(ConventionJson::new(convention, &conventions)).unwrap();
/// assert_eq!(value["on"], false);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug, Serialize)]
pub struct ConventionJson<'a> {
    name: &'a str,
    on: bool,
    preset: &'a str,
    reach: &'a str,
    denies: Vec<&'static str>,
    rule: &'a str,
    summary: &'a str,
    example: &'a str,
    source: &'a str,
}

impl<'a> ConventionJson<'a> {
    /// Converts `convention`, one of [`CONVENTIONS`](heedful::CONVENTIONS). `conventions` tells
    /// whether it is enabled.
    pub fn new(convention: &'a Convention, conventions: &Conventions) -> Self {
        Self {
            name: convention.name(),
            on: conventions.has(convention.name()),
            preset: convention.preset(),
            reach: convention.reach().name(),
            denies: convention.denies().iter().map(Use::name).collect(),
            rule: convention.rule(),
            summary: convention.summary(),
            example: convention.example(),
            source: convention.source(),
        }
    }
}

/// JSON of a technique by which publishers reserve their rights from generative AI, and whether
/// heedful obeys the technique.
///
/// # Examples
///
/// ```
/// use heedful_json::TechniqueJson;
/// use heedful_lint::TECHNIQUES;
///
/// let value = serde_json::to_value(TechniqueJson::new(&TECHNIQUES[0])).unwrap();
/// assert_eq!(value["technique"], TECHNIQUES[0].name());
/// ```
#[derive(Debug, Serialize)]
pub struct TechniqueJson<'a> {
    technique: &'a str,
    heeded: &'a str,
    conventions: &'a [&'a str],
    why: &'a str,
    source: &'a str,
}

impl<'a> TechniqueJson<'a> {
    /// Converts a technique of [`TECHNIQUES`](heedful_lint::TECHNIQUES).
    pub fn new(technique: &'a Technique) -> Self {
        Self {
            technique: technique.name(),
            heeded: technique.support().name(),
            conventions: technique.conventions(),
            why: technique.why(),
            source: technique.source(),
        }
    }
}

/// JSON of one limit of [`Limits`], with the limit's current value and default value.
///
/// # Examples
///
/// ```
/// use heedful_base::limits::{LIMITS, Limits};
/// use heedful_json::LimitJson;
///
/// let limits = Limits::default().page_bytes(4096);
/// let limit = LIMITS.iter().find(|limit| limit.name() == "page_bytes").unwrap();
/// let value = serde_json::to_value(LimitJson::new(limit, &limits)).unwrap();
/// assert_eq!(value["value"], 4096);
/// assert_eq!(value["default"], 16 << 20);
/// assert_eq!(value["passes"], "page");
/// ```
#[derive(Debug, Serialize)]
pub struct LimitJson<'a> {
    name: &'a str,
    value: u64,
    default: u64,
    unit: &'a str,
    passes: &'a str,
    meaning: &'a str,
}

impl<'a> LimitJson<'a> {
    /// Converts `limit`, one of [`LIMITS`](heedful_base::limits::LIMITS). Its current value is
    /// taken from `limits`.
    pub fn new(limit: &'a Limit, limits: &Limits) -> Self {
        Self {
            name: limit.name(),
            value: limit.value(limits),
            default: limit.default(),
            unit: limit.unit().name(),
            passes: limit.scope().name(),
            meaning: limit.meaning(),
        }
    }
}
