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

/// Names of those fields of [`Document`] that an engine searches but never stores or shows.
pub(super) const SEARCHED: [&str; 5] = ["title", "headings", "description", "body", "alt"];

/// One page as a JSON object for a search engine. A field without a value is left out: all engines
/// interpret a missing key as no value.
#[derive(Debug, Serialize)]
pub(super) struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    /// Time of the export, by RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exported: Option<String>,
    pub(super) url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) host: Option<String>,
    /// Host of the page's URL, and the domains above it.
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
    /// Names of the uses that are denied for the page as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) denied: Vec<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) links: Vec<&'a str>,
}

impl<'a> Document<'a> {
    /// Creates the document of a page. The page must be allowed in an index.
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

    /// Returns the document as one line of JSON, without the line ending.
    pub(super) fn line(&self) -> Vec<u8> {
        heedful_json::line(self).into_bytes()
    }
}

/// Formats a time by RFC 3339 in whole seconds, rounded down. So a page expires a fraction of a
/// second early rather than late.
pub(super) fn whole_seconds(time: SystemTime) -> Option<String> {
    let text = rfc3339(time)?;
    let seconds = text.split(['.', 'Z']).next()?;
    Some(format!("{seconds}Z"))
}

/// Converts a time to seconds since 1970. An earlier time becomes 0.
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

/// Returns the URLs of the page's links that may be followed, each once, in the order of the page.
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
