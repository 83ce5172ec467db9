//! Notes decisions in the evidence of an index, with what they rest on.

use crate::address::Key;
use crate::error::Result;
use crate::evidence::{Basis, Decided, Decision, EntryKind, Evidence};
use crate::index::gone::Gone;

use super::writer::Writer;

impl Writer {
    /// Applies a statement that rests on this. Evidence names it; without evidence it has no effect.
    pub fn on<T>(&mut self, basis: Basis, apply: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.basis = basis;
        let applied = apply(self);
        self.basis = Basis::default();
        applied
    }

    /// Notes a decision in the evidence, if there is any.
    pub(super) fn note(
        &mut self,
        kind: EntryKind,
        key: &Key<'_>,
        captured: Option<i64>,
        decide: impl FnOnce(&Evidence) -> Decision,
    ) -> Result<()> {
        let Some(evidence) = &mut self.evidence else { return Ok(()) };
        let decision = decide(evidence);
        evidence.add(&Decided { kind, url: key.as_str().to_owned(), captured, decision }, &self.basis)?;
        Ok(())
    }

    /// Notes in the evidence that a URL is no page, or no longer one.
    pub(super) fn note_gone(&mut self, key: &Key<'_>, captured: Option<i64>, reason: Gone, why: &str) -> Result<()> {
        self.note(EntryKind::Gone, key, captured, |evidence| evidence.denied(reason.to_string(), why))
    }
}
