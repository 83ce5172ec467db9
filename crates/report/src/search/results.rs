//! Renders a page of search results, and the error page for a query that cannot be answered.

use std::ops::Range;
use std::time::SystemTime;

use askama::Template;

use crate::render::render;
use crate::wording;
use heedful_json::rfc3339;

use super::filters::ChosenFilter;
use super::frame::Frame;
use super::shown::{self, Piece};
use super::site::SearchSite;

/// Content of one page of search results.
///
/// ```
/// use heedful_report::search::{ResultPage, SearchSite, ShownHit};
///
/// let page = ResultPage {
///     query: "rye",
///     total: 1,
///     page: 1,
///     last: 1,
///     limit: 10,
///     usual_limit: 10,
///     hits: vec![ShownHit {
///         url: "https://site.example/rye",
///         title: "Dark bread",
///         ..ShownHit::default()
///     }],
///     ..ResultPage::default()
/// };
/// let html = SearchSite::default().results(&page);
/// assert!(html.contains("1 page") && html.contains("Dark bread"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ResultPage<'a> {
    /// Query as the person entered it.
    pub query: &'a str,
    /// Note for the person about parts of the query that have no effect.
    pub note: Option<&'a str>,
    /// Total number of indexed pages that match the query.
    pub total: u64,
    /// Number of this page of results, counted from 1.
    pub page: u64,
    /// Number of the last page of results that a person can request.
    pub last: u64,
    /// Maximum number of hits on this page of results.
    pub limit: u64,
    /// Default number of hits on a page of results. If `limit` differs from this number, links to
    /// other pages of results contain `limit`.
    pub usual_limit: u64,
    /// Hits on this page of results. The best hit comes first.
    pub hits: Vec<ShownHit<'a>>,
}

/// A page that a query finds, with the content that may be shown.
///
/// ```
/// use heedful_report::search::{ResultPage, SearchSite, ShownHit};
///
/// let hit = ShownHit {
///     url: "https://site.example/rye",
///     excerpt: "We bake rye bread",
///     highlights: &[8..11],
///     ..ShownHit::default()
/// };
/// let page = ResultPage {
///     query: "rye",
///     total: 1,
///     page: 1,
///     last: 1,
///     limit: 10,
///     hits: vec![hit],
///     ..ResultPage::default()
/// };
/// assert!(SearchSite::default().results(&page).contains("<mark>rye</mark>"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ShownHit<'a> {
    /// URL of the page that was found.
    pub url: &'a str,
    /// Title of the page that was found. Empty if no title may be shown.
    pub title: &'a str,
    /// Excerpt of the page that may be shown. Empty if there is none.
    pub excerpt: &'a str,
    /// Byte ranges of the query's words in the excerpt.
    pub highlights: &'a [Range<usize>],
    /// Language that the page declares, in the spelling of the page. `None` if it declares none.
    pub language: Option<&'a str>,
    /// Time at which the page was fetched. `None` if unknown.
    pub fetched: Option<SystemTime>,
    /// True if the index has a copy of the page that may be shown.
    pub has_copy: bool,
}

/// Content of the error page for a query that cannot be answered: the query, and the reason.
///
/// ```
/// use heedful_report::search::{QueryRefusal, SearchSite};
///
/// let refusal = QueryRefusal { query: "rye (", reason: "a bracket is not closed", at: Some(4) };
/// assert!(SearchSite::default().refused(&refusal).contains("a bracket is not closed"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct QueryRefusal<'a> {
    /// Query as the person entered it.
    pub query: &'a str,
    /// Reason why the query cannot be answered, in words for the person who entered it.
    pub reason: &'a str,
    /// Byte offset in the query at which the parser failed, if known.
    pub at: Option<usize>,
}

#[derive(Template)]
#[template(path = "search_results.html", config = "askama.toml")]
struct ResultsView<'a> {
    frame: Frame,
    query: String,
    note: Option<String>,
    total: u64,
    found: String,
    /// Numbers of the first and the last hit on this page of results, such as `1 to 10`.
    range: String,
    first: u64,
    page: String,
    hits: Vec<HitView<'a>>,
    chosen: Vec<ChosenFilter>,
    previous: Option<String>,
    next: Option<String>,
    /// Address of the last page of results that can be requested. `None` unless the requested page
    /// is beyond that page.
    back: Option<String>,
    /// True if no later page of results can be requested although more pages match the query.
    is_end: bool,
    /// Address and text of a query that matches pages with any of the entered words. `None` if the
    /// entered query uses operators or has only one word.
    any: Option<(String, String)>,
}

struct HitView<'a> {
    /// URL of the page that was found, as the target of a link. `None` if the URL is unsafe for a
    /// link, since it is no `http` or `https` URL with a host.
    link: Option<&'a str>,
    url: String,
    title: String,
    pieces: Vec<Piece>,
    tag: Option<&'a str>,
    language: Option<String>,
    fetched: Option<(String, String)>,
    copy: Option<String>,
    why: String,
}

#[derive(Template)]
#[template(path = "search_refused.html", config = "askama.toml")]
struct RefusedView {
    frame: Frame,
    reason: String,
    /// The query, split into two parts at the place where the parser failed. `None` if this place
    /// is unknown.
    parts: Option<(String, String)>,
}

impl SearchSite<'_> {
    /// Renders a page of search results as HTML. It may have no hits.
    pub fn results(&self, page: &ResultPage<'_>) -> String {
        results(self, page)
    }

    /// Renders, as HTML, the error page for a query that cannot be answered.
    pub fn refused(&self, refusal: &QueryRefusal<'_>) -> String {
        refused(self, refusal)
    }
}

/// Renders a page of search results as HTML. `site` has the facts about the index.
fn results(site: &SearchSite<'_>, page: &ResultPage<'_>) -> String {
    let first = (page.page.max(1) - 1)
        .saturating_mul(page.limit)
        .saturating_add(1);
    let shown = page.hits.len() as u64;
    let is_after_last = page.total > 0 && shown == 0;
    let has_more = first.saturating_add(shown) <= page.total;
    let mut hits = Vec::new();
    for hit in &page.hits {
        hits.push(HitView::new(site, page.query, hit));
    }
    let mut previous = None;
    let mut next = None;
    let mut back = None;
    if is_after_last {
        back = Some(page.address(site, page.last.max(1)));
    } else {
        if page.page > 1 {
            previous = Some(page.address(site, page.page - 1));
        }
        if page.page < page.last && has_more {
            next = Some(page.address(site, page.page + 1));
        }
    }
    render(&ResultsView {
        frame: site.frame(page.query),
        query: shown::line(page.query),
        note: page.note.map(shown::line),
        total: page.total,
        found: wording::count(page.total, "page"),
        range: format!(
            "{} to {}",
            wording::grouped(first),
            wording::grouped((first + shown).saturating_sub(1))
        ),
        first,
        page: format!(
            "Page {} of {}",
            wording::grouped(page.page),
            wording::grouped(page.last)
        ),
        hits,
        chosen: site.filters.chosen(page.query),
        previous,
        next,
        back,
        is_end: page.page >= page.last && has_more,
        any: any_of(page.query).map(|any| (site.filters.address("/", &[("q", &any)]), any)),
    })
}

impl ResultPage<'_> {
    fn address(&self, site: &SearchSite<'_>, number: u64) -> String {
        let number = number.to_string();
        let limit = self.limit.to_string();
        let mut pairs = vec![("q", self.query)];
        if number != "1" {
            pairs.push(("page", &number));
        }
        if self.limit != self.usual_limit {
            pairs.push(("limit", &limit));
        }
        site.filters.address("/", &pairs)
    }
}

impl<'a> HitView<'a> {
    fn new(site: &SearchSite<'_>, query: &str, hit: &ShownHit<'a>) -> Self {
        let tag = hit.language.and_then(shown::tag);
        let url = shown::line(hit.url);
        let title = shown::line(hit.title);
        let mut fetched = None;
        if let Some(time) = hit.fetched {
            fetched = Some((rfc3339(time).unwrap_or_default(), shown::day(time)));
        }
        Self {
            link: shown::link(hit.url),
            title: if title.trim().is_empty() {
                url.clone()
            } else {
                title
            },
            url,
            pieces: shown::pieces(hit.excerpt, hit.highlights),
            tag,
            language: tag.map(shown::language),
            fetched,
            copy: if hit.has_copy {
                site.copy_address(hit.url)
            } else {
                None
            },
            why: site
                .filters
                .address("/why", &[("url", hit.url), ("q", query)]),
        }
    }
}

/// Returns the text of a query that matches pages with any of the words of `query`. Returns `None`
/// if `query` has operators or other syntax, or only one word.
fn any_of(query: &str) -> Option<String> {
    let words: Vec<_> = query.split_whitespace().collect();
    let is_plain = words.iter().all(|word| {
        word.chars().all(char::is_alphanumeric) && !["AND", "OR", "NOT", "IN"].contains(word)
    });
    if !is_plain || words.len() < 2 {
        return None;
    }
    Some(words.join(" OR "))
}

/// Renders, as HTML, the error page for a query that cannot be answered. `site` has the facts about
/// the index.
fn refused(site: &SearchSite<'_>, refusal: &QueryRefusal<'_>) -> String {
    let parts = refusal.at.and_then(|at| refusal.query.split_at_checked(at));
    render(&RefusedView {
        frame: Frame {
            is_refused: true,
            ..site.frame(refusal.query)
        },
        reason: shown::line(refusal.reason),
        parts: parts.map(|(before, after)| (shown::line(before), shown::line(after))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_word_is_offered_for_plain_words_alone() {
        assert_eq!(any_of("dark rye").as_deref(), Some("dark OR rye"));
        for query in [
            "",
            "rye",
            "\"dark rye\"",
            "dark -rye",
            "dark OR rye",
            "title:dark rye",
            "dark rye*",
        ] {
            assert_eq!(any_of(query), None, "{query}");
        }
    }
}
