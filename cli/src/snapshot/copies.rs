//! The list of copies, `DIR.copies.jsonl`: a JSON line for each page. docs/json.md describes its
//! keys.
//!
//! A page without a copy is in the list of copies too, with the reason why it has none. The list
//! contains a page's title only if the title may be shown.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::SystemTime;

use heedful::{Directive, Exclusion, Page, Result, Use};
use heedful_base::new_file::NewFile;
use heedful_index::{Search, UrlState};
use heedful_json as json;
use heedful_run::Outcome;
use serde::Serialize;

use crate::ending::written;
use crate::output::harmless;

use super::destination::{create_file, finish_file};

/// The file to which the list of copies is written. `None` if the destination of the copies has no
/// list.
pub(super) struct Copies(Option<BufWriter<NewFile>>);

impl Copies {
    /// Creates the list of copies in the file `path`.
    pub(super) fn create(path: Option<&Path>) -> Result<Self> {
        path.map(create_file).transpose().map(Self)
    }

    pub(super) fn add(&mut self, copy: &CopyJson) -> Result<()> {
        self.0.as_mut().map_or(Ok(()), |list| {
            written(writeln!(list, "{}", json::line(copy)))
        })
    }

    pub(super) fn finish(self) -> Result<()> {
        self.0.map_or(Ok(()), finish_file)
    }
}

/// A line of the list of copies, as JSON. The line is about one page, and names the file with the
/// copy of the page. If the page has no copy, the line has the reason.
#[derive(Default, Serialize)]
pub(super) struct CopyJson {
    url: String,
    file: Option<String>,
    date: Option<String>,
    title: String,
    /// The ranges of the page that were cut out of the copy. `None` if they are unknown.
    elided: Option<Vec<CutJson>>,
    why: Option<WhyNoneJson>,
}

/// The reason why a page has no copy. If a directive of the publisher denies the copy, also has
/// this directive.
#[derive(Default, Serialize)]
struct WhyNoneJson {
    reason: String,
    directive: Option<String>,
    convention: Option<&'static str>,
    line: Option<u32>,
    column: Option<u32>,
}

/// A range that was cut out of a copy, as byte offsets in the decoded page.
#[derive(Serialize)]
pub(super) struct CutJson {
    start: u64,
    end: u64,
    convention: &'static str,
    directive: String,
    line: Option<u32>,
    column: Option<u32>,
}

/// A line of the map of cuts: the URL of a page, and a range that was cut out of its copy.
#[derive(Serialize)]
pub(super) struct PageCutJson<'a> {
    url: &'a str,
    #[serde(flatten)]
    cut: CutJson,
}

/// Returns the ranges of a page that may not be archived, and so are cut out of its copy.
pub(super) fn cuts(page: &Page) -> impl Iterator<Item = CutJson> {
    page.exclusions()
        .filter(|exclusion| exclusion.usage() == Use::Archive)
        .map(|cut| CutJson::new(&cut))
}

impl CutJson {
    fn new(cut: &Exclusion<'_>) -> Self {
        let range = cut.range();
        let directive = cut.directive();
        let place = directive.place();
        Self {
            start: range.start,
            end: range.end,
            convention: directive.convention(),
            directive: directive.text().to_owned(),
            line: place.map(|place| place.line()),
            column: place.map(|place| place.column()),
        }
    }

    pub(super) fn for_page(self, url: &str) -> PageCutJson<'_> {
        PageCutJson { url, cut: self }
    }
}

impl CopyJson {
    fn new(url: &str, fetched: Option<SystemTime>, title: String) -> Self {
        Self {
            url: url.to_owned(),
            date: fetched.and_then(json::rfc3339),
            title,
            ..Self::default()
        }
    }

    /// Creates the list's line for a page that was read. The caller then adds the file of its copy,
    /// or the reason why there is none.
    pub(super) fn page(page: &Page) -> Self {
        Self::new(page.url(), page.fetched(), page.shown_title())
    }

    /// Creates the list's line for a failed page, or for a damaged record with a URL. Returns
    /// `None` for all other outcomes.
    pub(super) fn lost(outcome: &Outcome) -> Option<Self> {
        let (url, captured, reason, error) = match outcome {
            Outcome::Failed {
                url,
                captured,
                error,
                ..
            } => (url.as_str(), *captured, "failed", error),
            Outcome::Damage(damage) => {
                (damage.url()?, damage.captured(), "damaged", damage.error())
            }
            _ => return None,
        };
        let why = Some(WhyNoneJson::reason(reason, error.to_string()));
        Some(Self {
            why,
            ..Self::new(url, captured, String::new())
        })
    }

    /// Creates the line for a URL whose copy was removed. The latest capture (fetch) of the URL is
    /// the cause: the captured response is not a page, or denies a copy.
    pub(super) fn gone(url: &str, captured: Option<SystemTime>) -> Self {
        let why = Some(WhyNoneJson::reason("gone", String::new()));
        Self {
            why,
            ..Self::new(url, captured, String::new())
        }
    }

    /// Creates the list's line for a URL in an index that stores copies. The caller then adds the
    /// file of its copy.
    pub(super) fn stored(search: &Search, url: &str, now: SystemTime) -> Result<Self> {
        Ok(Self::new(
            url,
            search.fetched(url)?,
            search.title(url, Some(now))?.unwrap_or_default(),
        ))
    }

    /// Sets the reason why `page`, the page of this line, has no copy.
    pub(super) fn without(&mut self, page: &Page) {
        self.why = Some(WhyNoneJson::new(page));
    }

    /// Sets `older` as the reason why this capture (fetch of a URL) has no copy. It means that the
    /// run has already read a later capture of the same URL.
    pub(super) fn without_as_older(&mut self) {
        self.why = Some(WhyNoneJson::reason("older", String::new()));
    }

    /// Returns the reason why the page has no copy, as text in one line.
    pub(super) fn why_none(&self) -> Option<String> {
        let WhyNoneJson {
            reason, directive, ..
        } = self.why.as_ref()?;
        let directive = directive
            .as_ref()
            .map(|text| format!(" ({})", harmless(text)))
            .unwrap_or_default();
        Some(format!("{reason}{directive}"))
    }

    /// Sets the reason why the index stores no copy of the page at this line's URL.
    pub(super) fn not_stored(&mut self, search: &Search, now: SystemTime) -> Result<()> {
        self.why = Some(match search.known(&self.url, Some(now))? {
            Some(UrlState::Gone { reason, why }) => WhyNoneJson::reason(&reason.to_string(), why),
            Some(_) => WhyNoneJson::reason("not kept", String::new()),
            None => WhyNoneJson::reason("unknown", String::new()),
        });
        Ok(())
    }

    /// Returns the date on which the page was fetched, or `None` if the date is unknown.
    pub(super) fn date(&self) -> Option<&str> {
        self.date.as_deref()
    }

    /// Adds the file of a page's copy to the page's line, and the ranges that were cut out of the
    /// copy.
    pub(super) fn written(&mut self, file: Option<String>, page: &Page) {
        self.stored_in(file);
        self.elided = Some(cuts(page).collect());
    }

    /// Sets the file of this line's copy. Does not set the ranges that were cut out of the copy,
    /// which are unknown for a copy from an index.
    pub(super) fn stored_in(&mut self, file: Option<String>) {
        self.file = file;
    }
}

impl WhyNoneJson {
    fn new(page: &Page) -> Self {
        let policy = page.policy();
        let (reason, usage) = if !policy.may_fetch() {
            ("robots.txt", Use::Index)
        } else if !policy.allows(Use::Index) {
            ("noindex", Use::Index)
        } else {
            ("noarchive", Use::Archive)
        };
        policy.why(usage).map_or_else(
            || Self::reason(reason, String::new()),
            |why| Self::from_directive(reason, why),
        )
    }

    fn from_directive(reason: &str, directive: &Directive) -> Self {
        let place = directive.place();
        Self {
            convention: Some(directive.convention()),
            line: place.map(|place| place.line()),
            column: place.map(|place| place.column()),
            ..Self::reason(reason, directive.text().to_owned())
        }
    }

    fn reason(reason: &str, directive: String) -> Self {
        Self {
            reason: reason.to_owned(),
            directive: Some(directive).filter(|text| !text.is_empty()),
            ..Self::default()
        }
    }
}
