//! The decisions about a URL, one after the other.

use heedful_base::error::Result;
use heedful_index::decision::{BotAnswer, Decision, EntryKind};

use super::blob;
use super::context::EntryContext;
use super::log::{FoundEntry, Log};
use super::sealed::unseal;
use super::segment::BlobKind;

/// A decision about a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedDecision {
    /// The number of the entry.
    pub number: u64,
    /// What it records.
    pub kind: EntryKind,
    /// When the page was fetched, in seconds since 1970.
    pub captured: Option<i64>,
    /// The version of docs/semantics.md that decided.
    pub law: u32,
    /// Why it is no page, or no longer one.
    pub reason: Option<String>,
    /// The statement that caused it.
    pub why: Option<String>,
    /// The decision for each bot.
    pub bots: Vec<BotAnswer>,
}

impl Log {
    /// The decisions about a URL, oldest first. Forgotten ones are not found.
    ///
    /// # Errors
    /// Fails if the log cannot be read.
    pub fn history(&self, url: &str) -> Result<Vec<RecordedDecision>> {
        self.find_entries(url)?
            .iter()
            .map(|found| self.read_decision(found))
            .collect()
    }

    pub(super) fn read_decision(&self, found: &FoundEntry) -> Result<RecordedDecision> {
        let [context, _, decision] = self.texts(found)?;
        let decision = unseal(&decision, BlobKind::Decision, &found.salt)?;
        let context = EntryContext::read(&context)?;
        let Decision { reason, why, bots } = blob::read(&decision)?;
        Ok(RecordedDecision {
            number: found.number,
            kind: found.row.kind,
            captured: found.row.captured,
            law: context.law,
            reason,
            why,
            bots,
        })
    }
}
