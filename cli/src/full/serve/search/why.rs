//! `GET /why?url=...`: returns the state of a URL in the index, and the reason why a query found
//! it, as JSON or HTML.
//!
//! The index does not store the source of pages. So `GET /why` shows the stored facts, and explains
//! the statements that the page's copy still contains. It shows nothing that neither a search nor
//! the copy shows.

use std::time::SystemTime;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use heedful::{Explanation, Limits, Url, Use};
use heedful_index::{Hit, PageUses, Query as Question, Search, UrlState, WordScore};
use heedful_json as json;
use heedful_json::rfc3339;
use heedful_report::search::{KnownUrl, SearchMatch, SearchState, UseState};
use serde::Serialize;

use crate::full::serve::answer::wants_html;
use crate::full::serve::asked::QueryString;
use crate::full::serve::bounds::value;
use crate::full::serve::refuse::Refusal;
use crate::full::serve::state::ServerState;

use super::about::{copy_at, in_words, may_be_copied, statement, url_of};
use super::filters::FilterSettings;
use super::find::{is_of_query, refused, with_place};
use super::respond::{html, json as json_answer, message, page_or_json, site, work};
use crate::full::serve::opened::View;

/// Maximum number of anchor texts of a page in a response.
const MOST_ANCHOR_TEXTS: usize = 20;

pub(in crate::full::serve) const NAMES: [&str; 2] = ["url", "q"];

pub(in crate::full::serve) async fn answer(
    State(service): State<ServerState>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let is_html = wants_html(&headers);
    page_or_json(
        respond(service, &uri, headers, is_html).await,
        is_html.then_some(message),
    )
}

async fn respond(
    service: ServerState,
    uri: &Uri,
    headers: HeaderMap,
    is_html: bool,
) -> Result<Response, Refusal> {
    let query = QueryString::from_uri(uri, &[&NAMES[..], &FilterSettings::NAMES].concat())?;
    // Filters change nothing on this page, but its link back to the hits keeps them.
    let filters = FilterSettings::from_query(&query)?;
    let url = url_of(&query)?;
    let words = query.one("q")?.unwrap_or_default().to_owned();
    work(service, move |service, opened, view| {
        let bot = view.bot()?;
        let copies = opened.copies(&headers);
        let about = match PageReasons::find(view, &url, &words, &service.limits) {
            Ok(about) => about,
            Err(error) if is_of_query(error.kind()) && is_html => {
                return Ok(refused(
                    &site(view, &bot, copies.as_deref(), &filters)?,
                    &words,
                    &error,
                ));
            }
            Err(error) => return with_place(error.into(), &words),
        };
        if !is_html {
            return Ok(json_answer(json::line(&SearchWhyJson::new(
                &about,
                &url,
                copies.as_deref(),
            ))));
        }
        let site = site(view, &bot, copies.as_deref(), &filters)?;
        let page = site.known(&about.shown(&url, &words));
        let status = if about.known.is_some() {
            StatusCode::OK
        } else {
            StatusCode::NOT_FOUND
        };
        Ok(html(status, page))
    })
    .await
}

/// Facts that the index stores about a URL and that may be shown to anybody.
struct PageReasons {
    known: Option<UrlState>,
    gone: String,
    /// The publisher's statement that caused the removal of the page from the index. `None` if
    /// there is none.
    statement: Option<String>,
    hit: Option<Hit>,
    uses: Option<PageUses>,
    names: Vec<(String, u64)>,
    fetched: Option<SystemTime>,
    /// Parts of the page's score for the query of the request, one for each matching word. `None`
    /// if the request has no query.
    matches: Option<Vec<WordScore>>,
    has_copy: bool,
    copy: Option<Explanation>,
}

impl PageReasons {
    fn find(view: &View, url: &str, words: &str, limits: &Limits) -> heedful::Result<Self> {
        let search = &view.search;
        let now = SystemTime::now();
        let known = search.known(url, Some(now))?;
        let is_page = matches!(known, Some(UrlState::Page { .. }));
        let mut names = if is_page {
            search.anchor_texts(url, Some(now))?
        } else {
            Vec::new()
        };
        names.truncate(MOST_ANCHOR_TEXTS);
        let (gone, statement) = match &known {
            Some(UrlState::Gone { reason, why }) => (
                in_words(*reason),
                statement(*reason, why, &view.terms).map(str::to_owned),
            ),
            _ => (String::new(), None),
        };
        let hit = if is_page {
            hit(search, url, "", limits)?
        } else {
            None
        };
        let asked = is_page && !words.trim().is_empty();
        let matches = asked
            .then(|| hit_parts(search, url, words, limits))
            .transpose()?;
        let fetched = if known.is_some() {
            search.fetched(key(url).as_str())?
        } else {
            None
        };
        let has_copy = may_be_copied(search, url, now)?;
        let copy = if has_copy {
            explained(view, url, now, limits)?
        } else {
            None
        };
        Ok(Self {
            gone,
            statement,
            hit,
            uses: search.uses(url, Some(now))?,
            names,
            fetched,
            matches,
            has_copy,
            copy,
            known,
        })
    }

    fn shown<'a>(&'a self, url: &'a str, query: &'a str) -> KnownUrl<'a> {
        let state = match &self.known {
            None => SearchState::Unknown,
            Some(UrlState::Page { .. }) => SearchState::Page,
            Some(UrlState::Gone { .. }) => SearchState::Gone {
                reason: &self.gone,
                statement: self.statement.as_deref(),
            },
        };
        let matched = |part: &'a WordScore| SearchMatch {
            word: part.word(),
            field: part.field(),
            score: part.score(),
            anchor_texts: part.anchor_texts(),
        };
        KnownUrl {
            url: self.hit.as_ref().map_or(url, Hit::url),
            query,
            state,
            title: self.hit.as_ref().map_or("", Hit::title),
            language: self.hit.as_ref().and_then(Hit::language),
            fetched: self.fetched,
            expires: self.uses.and_then(|uses| uses.expires()),
            canonical: self.hit.as_ref().and_then(Hit::canonical),
            max_snippet: self.uses.and_then(|uses| uses.max_snippet()),
            uses: self.uses.as_ref().map(answers).unwrap_or_default(),
            matches: self
                .matches
                .as_ref()
                .map(|parts| parts.iter().map(matched).collect()),
            anchor_texts: &self.names,
            has_copy: self.has_copy,
            copy: self.copy.as_ref(),
        }
    }
}

/// Returns each use of a page with its state (yes, no or in part), in the order of [`Use::ALL`].
fn answers(uses: &PageUses) -> Vec<(Use, UseState)> {
    let answer = |usage: Use| match (
        uses.denied().contains(usage),
        uses.in_part().contains(usage),
    ) {
        (true, _) => (usage, UseState::No),
        (false, true) => (usage, UseState::InPart),
        (false, false) => (usage, UseState::Yes),
    };
    Use::ALL.into_iter().map(answer).collect()
}

/// Returns a URL without its fragment. The index stores URLs in this form as its keys.
fn key(url: &str) -> String {
    Url::parse(url).map_or_else(
        |_| url.to_owned(),
        |mut url| {
            url.set_fragment(None);
            url.to_string()
        },
    )
}

/// Searches only the page at `url` for the query `words`. Returns `None` if the page does not
/// match.
fn hit(search: &Search, url: &str, words: &str, limits: &Limits) -> heedful::Result<Option<Hit>> {
    let named = key(url).replace('\\', "\\\\").replace('"', "\\\"");
    let most = value("query_bytes", limits).saturating_add(named.len() as u64 + 16);
    let limits = limits.clone().query_bytes(most);
    let text = if words.is_empty() {
        format!("url:\"{named}\"")
    } else {
        format!("({words}) url:\"{named}\"")
    };
    let question = Question::new(&text)
        .now(SystemTime::now())
        .most(1)
        .limits(limits)
        .explained();
    Ok(search
        .find(&question)?
        .hits()
        .first()
        .filter(|hit| hit.url() == key(url))
        .cloned())
}

/// Returns the parts of the page's score for the query `words`. The URL of the page is also a term
/// of the search, so that only this page is found. The score of the URL is left out.
fn hit_parts(
    search: &Search,
    url: &str,
    words: &str,
    limits: &Limits,
) -> heedful::Result<Vec<WordScore>> {
    // Fails if the query alone does not parse: an open bracket in it would otherwise close after
    // the URL.
    search.find(
        &Question::new(words)
            .now(SystemTime::now())
            .most(1)
            .limits(limits.clone()),
    )?;
    let parts = hit(search, url, words, limits)?
        .map(|hit| hit.parts().to_vec())
        .unwrap_or_default();
    Ok(parts
        .into_iter()
        .filter(|part| part.field() != "url")
        .collect())
}

/// Explains the statements in the copy of the page at `url`. A copy lacks the statements of headers
/// and of cut parts, so these are not explained. Returns None if there is no copy.
fn explained(
    view: &View,
    url: &str,
    now: SystemTime,
    limits: &Limits,
) -> heedful::Result<Option<Explanation>> {
    let Some(copy) = view.search.snapshot(url, Some(now))? else {
        return Ok(None);
    };
    let filter = view.terms.filter()?.limits(limits.clone()).now(now);
    let mut pass = filter.explain(url)?;
    Ok(pass.write(copy.as_bytes()).and_then(|()| pass.end()).ok())
}

/// The response of `GET /why` as JSON: the facts of the index about a URL. docs/json.md describes
/// its keys.
#[derive(Serialize)]
struct SearchWhyJson<'a> {
    url: &'a str,
    state: &'static str,
    reason: Option<String>,
    why: Option<&'a str>,
    title: Option<&'a str>,
    language: Option<&'a str>,
    canonical: Option<&'a str>,
    fetched: Option<String>,
    expires: Option<String>,
    max_snippet: Option<u64>,
    uses: Option<UsesJson>,
    names: Vec<NameJson<'a>>,
    matches: Option<&'a [WordScore]>,
    copy: Option<String>,
    directives: Option<Vec<ReasonJson<'a>>>,
}

/// The denied uses of a page, as JSON. The uses in `denied` are denied for the whole page. The uses
/// in `in_part` are denied only for parts of the page.
#[derive(Serialize)]
struct UsesJson {
    denied: Vec<&'static str>,
    in_part: Vec<&'static str>,
}

#[derive(Serialize)]
struct NameJson<'a> {
    text: &'a str,
    pages: u64,
}

#[derive(Serialize)]
struct ReasonJson<'a> {
    line: Option<u32>,
    column: Option<u32>,
    convention: &'a str,
    directive: &'a str,
}

impl<'a> SearchWhyJson<'a> {
    fn new(about: &'a PageReasons, url: &'a str, copies: Option<&str>) -> Self {
        let (state, reason, why) = match &about.known {
            None => ("unknown", None, None),
            Some(UrlState::Page { .. }) => ("page", None, None),
            Some(UrlState::Gone { reason, .. }) => {
                ("gone", Some(reason.to_string()), about.statement.as_deref())
            }
        };
        let hit = about.hit.as_ref();
        let date = |time: Option<SystemTime>| time.and_then(rfc3339);
        Self {
            url: hit.map_or(url, Hit::url),
            state,
            reason,
            why,
            title: hit.map(Hit::title),
            language: hit.and_then(Hit::language),
            canonical: hit.and_then(Hit::canonical),
            fetched: date(about.fetched),
            expires: date(about.uses.and_then(|uses| uses.expires())),
            max_snippet: about.uses.and_then(|uses| uses.max_snippet()),
            uses: about.uses.as_ref().map(UsesJson::new),
            names: about
                .names
                .iter()
                .map(|(text, pages)| NameJson {
                    text,
                    pages: *pages,
                })
                .collect(),
            matches: about.matches.as_deref(),
            copy: copies
                .filter(|_| about.has_copy)
                .map(|origin| copy_at(origin, url)),
            directives: about
                .copy
                .as_ref()
                .map(|copy| copy.directives().iter().map(ReasonJson::new).collect()),
        }
    }
}

impl UsesJson {
    fn new(uses: &PageUses) -> Self {
        let [denied, in_part] =
            [uses.denied(), uses.in_part()].map(|uses| uses.iter().map(Use::name).collect());
        Self { denied, in_part }
    }
}

impl<'a> ReasonJson<'a> {
    fn new(explained: &'a heedful::ExplainedDirective) -> Self {
        let directive = explained.directive();
        let place = directive.place();
        Self {
            line: place.map(|place| place.line()),
            column: place.map(|place| place.column()),
            convention: directive.convention(),
            directive: directive.text(),
        }
    }
}
