//! The result of a purge: which pages were removed from the index, and which were changed in it.

use std::collections::BTreeSet;
use std::time::SystemTime;

use heedful::Uses;
use heedful_index::Gone;

/// A page that a purge removed from an index, or that [`Purge::preview`](super::Purge::preview)
/// found for removal.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RemovedPage {
    pub(super) url: String,
    pub(super) reason: Gone,
    pub(super) why: String,
    /// Time of the denial that caused the removal, if this denial was in a feed of changes.
    /// Captures (fetches) from before this time are not indexed again. `None` if there is no such
    /// time.
    #[serde(skip)]
    pub(super) denied_at: Option<SystemTime>,
}

impl RemovedPage {
    pub(super) fn new(url: String, reason: Gone, why: impl Into<String>) -> Self {
        Self {
            url,
            reason,
            why: why.into(),
            denied_at: None,
        }
    }

    /// Returns the URL of the removed page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the kind of reason for which the page was removed.
    pub fn reason(&self) -> Gone {
        self.reason
    }

    /// Returns the directive or the user's note that caused the removal of the page. Returns an
    /// empty text if there is none.
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// Result of a purge of an index. The lists of URLs are sorted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Purged {
    /// Number of indexed pages that the purge examined.
    pub pages: usize,
    /// Pages that the purge removed from the index.
    pub removed_pages: Vec<RemovedPage>,
    /// URLs of pages that stay in the index but lost their snapshots (stored copies).
    pub without_snapshot: Vec<String>,
    /// URLs of pages that stay in the index with fewer allowed uses. A robots.txt or a feed of
    /// changes now denies another use of these pages, such as training.
    pub restricted_pages: Vec<String>,
    /// URLs that should be fetched and indexed again. Some uses of such a URL were denied when it
    /// was indexed or excluded. A robots.txt or a feed of changes now allows these uses.
    pub allowed: Vec<String>,
    /// Sites that did not respond to a request for their files. Their pages stay in the index.
    pub unresponsive_sites: BTreeSet<String>,
    /// URLs that the user named but that are not pages of the index. Always empty if
    /// [`Purge::site`](super::Purge::site) was called.
    pub unknown: Vec<String>,
    /// Number of pages that stay in the index because it is unknown when they were fetched. 0
    /// unless [`Purge::unseen_since`](super::Purge::unseen_since) was called.
    pub undated: usize,
    /// Number of denials in the feed of changes ([`Purge::change`](super::Purge::change)) that have
    /// no effect. A denial has no effect if the index contains a later capture (fetch) of the page.
    pub outdated: usize,
    /// Number of changes in the feed ([`Purge::change`](super::Purge::change)) that are for the bot
    /// of the purged index.
    pub changes: usize,
    /// Denials in the feed of changes, for pages that stay in the index. A denial has the URL of
    /// the page, the denied uses, and the time of the denial.
    pub(super) denied: Vec<(String, Uses, Option<SystemTime>)>,
}
