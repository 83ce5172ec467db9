//! The result of a purge: which pages were removed, and which changed.

use std::collections::BTreeSet;
use std::time::SystemTime;

use heedful::Uses;
use heedful_index::Gone;

/// A page that a purge removed from an index, or would remove.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RemovedPage {
    pub(super) url: String,
    pub(super) reason: Gone,
    pub(super) why: String,
    /// Time of the denial in a feed of changes. Captures from before that time are not indexed
    /// again.
    #[serde(skip)]
    pub(super) found: Option<SystemTime>,
}

impl RemovedPage {
    pub(super) fn new(url: String, reason: Gone, why: impl Into<String>) -> Self {
        Self {
            url,
            reason,
            why: why.into(),
            found: None,
        }
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the kind of reason for the removal.
    pub fn reason(&self) -> Gone {
        self.reason
    }

    /// Returns the directive or the user's note that caused the removal; empty if there is none.
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// Result of a purge. The lists of URLs are sorted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Purged {
    /// Number of pages that were examined.
    pub pages: usize,
    /// Pages that were removed from the index.
    pub dropped: Vec<RemovedPage>,
    /// URLs of pages that stay in the index but lost their snapshots.
    pub without_snapshot: Vec<String>,
    /// URLs of pages that stay in the index with fewer allowed uses, because a robots.txt or a feed
    /// now denies a use, such as training.
    pub limited: Vec<String>,
    /// URLs for which a robots.txt or a feed now allows more uses than when they were indexed or
    /// excluded. They should be fetched and indexed again.
    pub allowed: Vec<String>,
    /// Sites that did not respond to a request for their files; their pages stay.
    pub silent: BTreeSet<String>,
    /// URLs that the user named but that the index does not have as pages. Always empty if
    /// [`Purge::site`](super::Purge::site) was called.
    pub unknown: Vec<String>,
    /// Number of pages whose capture time is unknown. They stay, like pages that were fetched
    /// recently.
    pub undated: usize,
    /// Number of changes without effect, because they are older than the capture in the index.
    pub outdated: usize,
    /// Number of changes in the feed that are for the bot of this index.
    pub changes: usize,
    /// Uses that the feed denies to pages that stay in the index, with the time of each denial.
    pub(super) denied: Vec<(String, Uses, Option<SystemTime>)>,
}
