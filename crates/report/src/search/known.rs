//! Renders the page of a search about one URL. It shows why the search finds the URL or does not
//! find it, the permitted uses of the page, the anchor texts of links to the page, and the
//! directives in its copy.

use std::time::SystemTime;

use askama::Template;

use crate::explanation_words::{DirectiveWording, Wording};
use crate::render::render;
use crate::wording;
use heedful::{Explanation, Use};
use heedful_json::rfc3339;

use super::frame::Frame;
use super::shown;
use super::site::SearchSite;

/// Facts of an index about one URL. All of them may be shown to anybody.
///
/// ```
/// use heedful_report::search::{KnownUrl, SearchSite, SearchState};
///
/// let known = KnownUrl {
///     url: "https://site.example/rye",
///     state: SearchState::Page,
///     title: "Dark <rye>",
///     ..KnownUrl::default()
/// };
/// let html = SearchSite::default().known(&known);
/// assert!(html.contains("Dark") && !html.contains("<rye>"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct KnownUrl<'a> {
    /// URL that the facts are about.
    pub url: &'a str,
    /// Query of the search from which the person followed a link to these facts. Empty if there was
    /// no search.
    pub query: &'a str,
    /// State of the URL in the index.
    pub state: SearchState<'a>,
    /// Title of the page at the URL. Empty if no title may be shown.
    pub title: &'a str,
    /// Language that the page at the URL declares. `None` if it declares none.
    pub language: Option<&'a str>,
    /// Time at which the page at the URL was fetched. `None` if unknown.
    pub fetched: Option<SystemTime>,
    /// Time at which the page expires. From then on searches do not find it. `None` if it never
    /// expires.
    pub expires: Option<SystemTime>,
    /// Canonical URL that the page declares for itself. `None` if it declares none.
    pub canonical: Option<&'a str>,
    /// Maximum number of characters that an excerpt of the page may have. `None` if there is no
    /// maximum.
    pub max_snippet: Option<u64>,
    /// Uses of the page, each with the permission that the page gives for it.
    pub uses: Vec<(Use, UseState)>,
    /// Terms of the query that match the page. `None` if there is no query, or if the query cannot
    /// be parsed.
    pub matches: Option<Vec<SearchMatch<'a>>>,
    /// Anchor texts of links to the page. Each text is paired with the number of pages that link to
    /// the page with this text.
    pub anchor_texts: &'a [(String, u64)],
    /// True if the index has a copy of the page that may be shown.
    pub has_copy: bool,
    /// Explanation of the stored copy of the page. Only the directives in the copy are shown, not
    /// its text. `None` if there is no copy.
    pub copy: Option<&'a Explanation>,
}

/// State of a URL in an index. The URL is unknown, is an indexed page, or is stored as a URL that
/// must not or cannot be indexed.
///
/// ```
/// use heedful_report::search::{KnownUrl, SearchSite, SearchState};
///
/// let known = KnownUrl {
///     url: "https://site.example/rye",
///     state: SearchState::Gone { reason: "removed by its operator", statement: None },
///     ..KnownUrl::default()
/// };
/// assert!(SearchSite::default().known(&known).contains("removed by its operator"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub enum SearchState<'a> {
    /// The URL is not in the index.
    #[default]
    Unknown,
    /// The URL is an indexed page, which a search can find.
    Page,
    /// The URL is not an indexed page. The index stores that it must not or cannot be indexed.
    Gone {
        /// Reason why the URL is not indexed, in words.
        reason: &'a str,
        /// Text of the publisher's directive that forbids indexing the URL. `None` if the reason is
        /// not a directive, or if the directive may not be shown.
        statement: Option<&'a str>,
    },
}

/// Permission that a page gives for one use of its content.
///
/// ```
/// use heedful::Use;
/// use heedful_report::search::{KnownUrl, SearchSite, SearchState, UseState};
///
/// let known = KnownUrl {
///     url: "https://site.example/rye",
///     state: SearchState::Page,
///     uses: vec![(Use::Index, UseState::Yes), (Use::Archive, UseState::No)],
///     ..KnownUrl::default()
/// };
/// assert!(SearchSite::default().known(&known).contains("a copy may be kept and shown"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseState {
    /// The whole page may be used in this way.
    Yes,
    /// Only a part of the page may be used in this way.
    InPart,
    /// The page may not be used in this way.
    No,
}

/// One match of a query with a page. It has the term of the query, and the index field in which the
/// term was found. `score` is the amount that the match adds to the page's score.
///
/// ```
/// use heedful_report::search::{KnownUrl, SearchMatch, SearchSite, SearchState};
///
/// let known = KnownUrl {
///     url: "https://site.example/rye",
///     query: "rye",
///     state: SearchState::Page,
///     matches: Some(vec![SearchMatch { word: "rye", field: "title", score: 1.5, anchor_texts: &[] }]),
///     ..KnownUrl::default()
/// };
/// let html = SearchSite::default().known(&known);
/// assert!(html.contains("in the title") && html.contains("1.50"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SearchMatch<'a> {
    /// Word or phrase of the query that matches.
    pub word: &'a str,
    /// Name of the index field in which the word was found. The field `anchor` has the anchor texts
    /// of links to the page.
    pub field: &'a str,
    /// Amount that the match adds to the page's score.
    pub score: f32,
    /// Some of the anchor texts (texts of links to the page) in which the word was found.
    pub anchor_texts: &'a [String],
}

#[derive(Template)]
#[template(path = "search_known.html", config = "askama.toml")]
struct KnownView<'a> {
    frame: Frame,
    url: String,
    link: Option<&'a str>,
    title: String,
    tag: Option<&'a str>,
    query: String,
    back: Option<String>,
    is_page: bool,
    /// Reason why the URL is not indexed, in words, and the text of the directive that is the
    /// reason. The text is `None` if the reason is not a directive, or if the directive may not be
    /// shown. The pair is `None` if the URL is indexed or unknown.
    gone: Option<(String, Option<String>)>,
    facts: Vec<(&'static str, String)>,
    canonical: Option<(String, Option<&'a str>)>,
    uses: Vec<UseView>,
    matches: Option<Vec<MatchView>>,
    names: Vec<(String, String)>,
    copy: Option<String>,
    keeps_copies: bool,
    rules: Option<Vec<SearchRuleView>>,
}

struct UseView {
    name: &'static str,
    class: &'static str,
    sign: &'static str,
    word: &'static str,
    means: &'static str,
}

/// A directive in the copy of a page, with its fields formatted for display.
struct SearchRuleView {
    convention: String,
    place: String,
    text: String,
    says: String,
    reach: String,
}

struct MatchView {
    word: String,
    place: &'static str,
    score: String,
    names: String,
}

impl SearchSite<'_> {
    /// Renders the HTML page that shows the facts of an index about one URL.
    pub fn known(&self, known: &KnownUrl<'_>) -> String {
        self::known(self, known)
    }
}

/// Renders the HTML page that shows the facts of an index about one URL. `site` has the facts about
/// the whole index.
fn known(site: &SearchSite<'_>, known: &KnownUrl<'_>) -> String {
    let tag = known.language.and_then(shown::tag);
    let mut canonical = None;
    if let Some(url) = known.canonical
        && url != known.url
    {
        canonical = Some((shown::line(url), shown::link(url)));
    }
    let mut back = None;
    if !known.query.is_empty() {
        back = Some(site.filters.address("/", &[("q", known.query)]));
    }
    let mut uses = Vec::new();
    for (usage, answer) in &known.uses {
        uses.push(UseView::new(*usage, *answer));
    }
    let mut names = Vec::new();
    for (name, pages) in known.anchor_texts {
        names.push((shown::line(name), wording::count(*pages, "page")));
    }
    render(&KnownView {
        frame: site.frame(known.query),
        url: shown::line(known.url),
        link: shown::link(known.url),
        title: shown::line(known.title),
        tag,
        query: shown::line(known.query),
        back,
        is_page: matches!(known.state, SearchState::Page),
        gone: gone(known.state),
        facts: facts(known, tag),
        canonical,
        uses,
        matches: known
            .matches
            .as_ref()
            .map(|matches| matches.iter().map(MatchView::new).collect()),
        names,
        copy: if known.has_copy {
            site.copy_address(known.url)
        } else {
            None
        },
        keeps_copies: site.copies.is_some(),
        rules: known.copy.map(rules),
    })
}

fn facts(known: &KnownUrl<'_>, tag: Option<&str>) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(time) = known.fetched {
        facts.push(("Fetched", day_and_time(time)));
    }
    if let Some(tag) = tag {
        facts.push(("Language", shown::language(tag)));
    }
    if let Some(time) = known.expires {
        facts.push(("Expires", day_and_time(time)));
    }
    if let Some(most) = known.max_snippet {
        facts.push(("Longest excerpt", wording::count(most, "character")));
    }
    facts
}

fn day_and_time(time: SystemTime) -> String {
    let day = shown::day(time);
    match rfc3339(time) {
        Some(exact) => format!("{day} ({exact})"),
        None => day,
    }
}

fn gone(standing: SearchState<'_>) -> Option<(String, Option<String>)> {
    let SearchState::Gone { reason, statement } = standing else {
        return None;
    };
    Some((shown::line(reason), statement.map(shown::line)))
}

fn rules(copy: &Explanation) -> Vec<SearchRuleView> {
    Wording::new(copy, &[])
        .directives
        .iter()
        .map(SearchRuleView::new)
        .collect()
}

impl SearchRuleView {
    fn new(rule: &DirectiveWording<'_>) -> Self {
        Self {
            convention: rule.convention.to_owned(),
            place: rule.place.clone(),
            text: shown::line(rule.text),
            says: rule.says.clone(),
            reach: rule.reach.clone(),
        }
    }
}

impl UseView {
    fn new(usage: Use, answer: UseState) -> Self {
        let (class, sign, word) = match answer {
            UseState::Yes => ("yes", "\u{2713}", "yes"),
            UseState::InPart => ("part", "\u{25D0}", "in part"),
            UseState::No => ("no", "\u{2717}", "no"),
        };
        Self {
            name: usage.name(),
            class,
            sign,
            word,
            means: means(usage),
        }
    }
}

/// Returns a description of a use of a page, in the words of docs/semantics.md.
fn means(usage: Use) -> &'static str {
    match usage {
        Use::Index => "a search may find it",
        Use::Follow => "its links may be followed",
        Use::Anchor => "the texts of its links may name the pages that they lead to",
        Use::Archive => "a copy may be kept and shown",
        Use::Snippet => "an excerpt may be shown",
        Use::Image => "its images may be listed",
        Use::Translate => "a translation may be offered",
        Use::Train => "a model may be trained on it",
        Use::Input => "a model may be given it as material for an answer",
    }
}

impl MatchView {
    fn new(found: &SearchMatch<'_>) -> Self {
        let place = match found.field {
            "title" => "in the title",
            "headings" => "in a heading",
            "description" => "in the description",
            "body" => "in the text",
            "alt" => "in the text for an image",
            "anchor" => "in what others call it",
            "site" => "as its site",
            "url" => "as its URL",
            _ => "in any field",
        };
        let names: Vec<_> = found
            .anchor_texts
            .iter()
            .map(|name| format!("\u{201C}{}\u{201D}", shown::line(name)))
            .collect();
        Self {
            word: shown::line(found.word),
            place,
            score: format!("{:.2}", found.score),
            names: names.join(", "),
        }
    }
}
