//! The decisions that a log contains about one URL, oldest first.

use heedful_base::error::Result;
use heedful_index::decision::{BotAnswer, Decision, EntryKind};

use super::blob;
use super::context::EntryContext;
use super::log::{FoundEntry, Log};
use super::sealed::unseal;
use super::segment::BlobKind;

/// A decision about a URL, as recorded in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedDecision {
    /// Number of the decision's entry: its position in the log, from 0.
    pub number: u64,
    /// Kind of the decision.
    pub kind: EntryKind,
    /// Time of the page's fetch, in seconds since 1970.
    pub captured: Option<i64>,
    /// Version of docs/semantics.md by which the page was judged.
    pub law: u32,
    /// Reason why the URL is not a page, or is no longer a page.
    pub reason: Option<String>,
    /// Text of the statement that caused the decision, such as a header or a rule.
    pub why: Option<String>,
    /// Decision for each bot: the allowed and denied uses, with the deciding directives.
    pub bots: Vec<BotAnswer>,
}

impl Log {
    /// Returns the decisions about a URL, oldest first. Decisions whose entries are forgotten are
    /// missing.
    ///
    /// # Errors
    /// An evidence error if the log is damaged, an I/O error if the log cannot be read.
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
