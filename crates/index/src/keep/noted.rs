//! Records the decisions about the pages of an index in its journal, each with its basis.

use crate::decision::{Basis, Decision, DecisionRecord, EntryKind};
use crate::gone::Gone;
use crate::open::Index;
use heedful_base::address::Key;
use heedful_base::error::Result;

use super::writer::Writer;

impl Index {
    /// Erases these URLs from the index's journal, and returns the number of decisions about them.
    /// Returns None if the last commit was made without a journal. Otherwise the journal is opened
    /// in its state at the last commit ([`Index::mark`]).
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if another writer is open.
    /// [`ErrorKind::Evidence`](heedful::ErrorKind::Evidence) if the journal cannot be read or
    /// written. URLs that were erased before the error stay erased.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// let urls = ["https://example.com/".to_owned()];
    /// assert_eq!(index.forget_decisions(&urls)?, None); // it has no journal
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forget_decisions(&self, urls: &[String]) -> Result<Option<u64>> {
        // Without this check, a writer would create a journal.
        if self.mark()?.is_none() {
            return Ok(None);
        }
        // The writer keeps the index locked, so that no commit stores another mark.
        let mut writer = self.writer(1)?;
        writer
            .journal
            .take()
            .map(|journal| journal.forget(urls))
            .transpose()
    }
}

impl Writer {
    /// Calls `apply` with this writer. For each decision that `apply` makes, records `basis` in the
    /// index's journal. If the index has no journal, `basis` has no effect.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::decision::{Basis, PageDigest};
    /// use heedful_index::{Added, Index};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let html = b"<p>Rye";
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// let basis = Basis::new(Some(PageDigest::new(html)), [], Vec::new());
    /// let added = writer.with_basis(basis, |writer| writer.add(&page))?;
    /// assert_eq!(added, Added::Indexed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Records in the journal the decision that `decide` returns for the index's bot. Does nothing
    /// if the index has no journal.
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

    /// Records in the journal the decision that a URL is not indexed or no longer indexed.
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
