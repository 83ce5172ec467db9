//! Notes the decisions of an index in its journal, with what they rest on.

use crate::decision::{Basis, Decision, DecisionRecord, EntryKind};
use crate::gone::Gone;
use crate::open::Index;
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::writer::Writer;

impl Index {
    /// Makes the journal forget these URLs, and returns the number of decisions about them. Returns
    /// None if the index has no journal. The journal is first brought to what the last commit
    /// names, as by each writer.
    ///
    /// # Errors
    /// Fails if another program writes to the index, or if the journal cannot be read or written.
    /// What was forgotten stays so.
    pub fn forget_decisions(&self, urls: &[String]) -> Result<Option<u64>> {
        // A writer would begin a journal where none is.
        if self.mark()?.is_none() {
            return Ok(None);
        }
        // The index stays locked, so that no commit names another mark.
        let mut writer = self.writer(1)?;
        writer
            .journal
            .take()
            .map(|journal| journal.forget(urls))
            .transpose()
    }
}

impl Writer {
    /// Applies a statement that rests on this. A journal keeps that; without one it has no effect.
    pub fn with_basis<T>(
        &mut self,
        basis: Basis,
        apply: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.basis = basis;
        let applied = apply(self);
        self.basis = Basis::default();
        applied
    }

    /// Notes a decision for the bot of this index, if there is a journal.
    pub(super) fn note(
        &mut self,
        kind: EntryKind,
        key: &Key<'_>,
        captured: Option<i64>,
        decide: impl FnOnce(&str) -> Decision,
    ) -> Result<()> {
        let Some(journal) = &mut self.journal else {
            return Ok(());
        };
        let decision = decide(self.payload.terms.name());
        journal.note(
            &DecisionRecord {
                kind,
                url: key.as_str().to_owned(),
                captured,
                decision,
            },
            &self.basis,
        )
    }

    /// Notes that a URL is no page, or no longer one.
    pub(super) fn note_gone(
        &mut self,
        key: &Key<'_>,
        captured: Option<i64>,
        reason: Gone,
        why: &str,
    ) -> Result<()> {
        self.note(EntryKind::Gone, key, captured, |bot| {
            Decision::denied(bot, reason.to_string(), why)
        })
    }
}
