//! The result of a purge.

use std::collections::BTreeSet;
use std::time::SystemTime;

use heedful::Uses;
use heedful_index::Gone;

/// A page that was removed.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RemovedPage {
    pub(super) url: String,
    pub(super) reason: Gone,
    pub(super) why: String,
    /// When that was found, by a feed: an older capture does not bring the page back.
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

    /// The URL of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The reason.
    pub fn reason(&self) -> Gone {
        self.reason
    }

    /// The statement that caused it, if there was one.
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// The result of a purge.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Purged {
    /// The number of pages that were looked at.
    pub pages: usize,
    /// The pages that were removed, in order.
    pub dropped: Vec<RemovedPage>,
    /// The pages that stay but lost their snapshots, in order.
    pub bare: Vec<String>,
    /// The pages that stay, but whose use is now limited by these files, for training for example.
    pub limited: Vec<String>,
    /// Pages that a robots.txt kept out and would let in now: they should be fetched and indexed
    /// again.
    pub allowed: Vec<String>,
    /// Sites that were asked and did not answer; their pages stay.
    pub silent: BTreeSet<String>,
    /// The URLs that were named and are no page of the index, in order. With
    /// [`Purge::site`](super::Purge::site) it is empty.
    pub unknown: Vec<String>,
    /// The number of pages of which it is not known when they were fetched; they stay as if they
    /// had been seen.
    pub undated: usize,
    /// The number of changes that are older than the page in the index, and have no effect.
    pub outdated: usize,
    /// The number of changes for this index that were looked at.
    pub changes: usize,
    /// What changes deny to pages that stay.
    pub(super) denied: Vec<(String, Uses, Option<SystemTime>)>,
}
