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
    /// Time of the denial in a feed: captures before it do not bring the page back.
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
    pub bare: Vec<String>,
    /// URLs of pages that stay in the index, but to which a robots.txt or a feed now denies a use,
    /// such as training.
    pub limited: Vec<String>,
    /// URLs that a robots.txt or a feed allows more than when they were indexed or kept out. They
    /// should be fetched and indexed again.
    pub allowed: Vec<String>,
    /// Sites that were asked and did not answer; their pages stay.
    pub silent: BTreeSet<String>,
    /// URLs that the user named but that are not pages of the index. The list is empty with
    /// [`Purge::site`](super::Purge::site).
    pub unknown: Vec<String>,
    /// Number of pages whose capture time is unknown; they stay as if they had been fetched
    /// recently.
    pub undated: usize,
    /// Number of changes that are older than the capture in the index, and so have no effect.
    pub outdated: usize,
    /// Number of changes that were examined because they are for the bot of this index.
    pub changes: usize,
    /// Uses that changes deny to pages that stay, with the time of each denial.
    pub(super) denied: Vec<(String, Uses, Option<SystemTime>)>,
}
