//! Converts a page into the document of a search engine. Its fields are those of our own tantivy
//! index, by the same rules.
//!
//! Each phrase of a document's field is a value of its own, so no phrase query matches across
//! withheld text. The only texts that an engine may show are `shown_title`, `excerpt` and `input`.
//! Engines do not know `max-snippet`, so the excerpt is cut to that length. Links that may not be
//! followed are left out.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use heedful::{Page, Policy, Use};
use heedful_base::address::{Key, LONGEST, host_and_sites};
use heedful_json::rfc3339;

/// Names of the fields of [`Document`] that an engine may search, but may not store or show.
pub(super) const SEARCHED: [&str; 5] = ["title", "headings", "description", "body", "alt"];

/// A page as a JSON object for a search engine. Fields without a value are left out of the JSON,
/// because all engines treat a missing key as no value.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    /// Time of the export, by RFC 3339. Only documents for Quickwit have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exported: Option<String>,
    pub(super) url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) host: Option<String>,
    /// Host of the page's URL, and all its parent domains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) sites: Vec<String>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) title: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) headings: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) description: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) body: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) alt: &'a [String],
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) shown_title: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) excerpt: String,
    pub(super) input: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_snippet: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unavailable_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) canonical: Option<String>,
    /// Names of the uses that are denied for the whole page, such as `train`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) denied: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) links: Vec<&'a str>,
}

impl<'a> Document<'a> {
    /// Creates the document of a page that may be indexed. `key` is the normal form of the page's
    /// URL.
    pub(super) fn from_page(page: &'a Page, key: &'a Key<'_>) -> Self {
        let (host, sites) = host_and_sites(page.location());
        let policy = page.policy();
        Self {
            id: None,
            exported: None,
            url: key.as_str(),
            host,
            sites,
            title: page.title(),
            headings: page.headings(),
            description: page.description(),
            body: page.phrases(),
            alt: page.alternative(),
            shown_title: page.shown_title(),
            excerpt: page.excerpt(),
            input: page.input(),
            max_snippet: policy.max_snippet(),
            unavailable_after: policy.unavailable_after().and_then(whole_seconds),
            canonical: page.canonical().map(String::from),
            denied: denied(policy),
            links: followable(page),
        }
    }

    /// Returns the document as JSON on one line, without a line end.
    pub(super) fn line(&self) -> Vec<u8> {
        heedful_json::line(self).into_bytes()
    }
}

/// Formats a time by RFC 3339 in whole seconds. The time is rounded down, because an expiry time
/// may be a second early, but never late. Returns `None` for a time that RFC 3339 cannot express.
pub(super) fn whole_seconds(time: SystemTime) -> Option<String> {
    let text = rfc3339(time)?;
    let seconds = text.split(['.', 'Z']).next()?;
    Some(format!("{seconds}Z"))
}

/// Converts a time to seconds since 1970. A time before 1970 becomes 0.
pub(super) fn unix_seconds(time: SystemTime) -> u64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_secs(),
        Err(_) => 0,
    }
}

fn denied(policy: &Policy) -> Vec<&'static str> {
    Use::ALL
        .into_iter()
        .filter(|usage| !policy.allows(*usage))
        .map(Use::name)
        .collect()
}

/// Returns the URLs of the page's links that may be followed, in the order of the page. Each URL is
/// returned once, and URLs longer than [`LONGEST`] are left out.
fn followable(page: &Page) -> Vec<&str> {
    let mut seen = HashSet::new();
    let mut urls = Vec::new();
    for link in page.links() {
        let url = link.url();
        if link.may_follow() && url.len() <= LONGEST && seen.insert(url) {
            urls.push(url);
        }
    }
    urls
}
