//! Replays the records that several indexes have of one URL, in the order of the indexes.
//!
//! A replay follows the rules of one writer (docs/semantics.md, section 7). A later capture
//! replaces an earlier one. A statement without a time is applied in the order of the indexes, and
//! does not erase a known time. A statement in one index that came from a response without the page
//! applies to the page in another index. In doubt the page is dropped.

use tantivy::{DocAddress, TantivyError};

use crate::ask::Search;
use crate::gone::Gone;
use crate::schema::{captured_of, column, has, unchanged_at};
use crate::statement::{DatedStatement, Restrictions, UrlStatement, is_statement};
use heedful::Use;

use super::before::is_later;

/// All that one index has recorded about a URL.
#[derive(Debug, Default)]
pub(super) struct IndexRecords {
    outcome: Option<UrlOutcome>,
    /// Statements about the URL from responses without the page, each with its time. The index
    /// recorded the statements after the page or tombstone.
    statements: Vec<DatedStatement>,
    /// Time at which this index last found the page unchanged, in seconds since 1970. None if the
    /// index has no such time.
    unchanged_at: Option<i64>,
}

/// Values of a URL's page or tombstone in one index. A merge compares the values of its indexes. By
/// this comparison, the merge chooses the index from which it copies the URL's documents.
#[derive(Clone, Copy, Debug)]
struct UrlOutcome {
    captured: Option<i64>,
    /// Restrictions of the page when it was fetched. None for a tombstone.
    asked: Option<Restrictions>,
}

impl IndexRecords {
    /// Reads what one index has recorded about a URL. `documents` are the addresses of all
    /// documents of the URL in that index.
    pub(super) fn read(
        search: &Search,
        documents: impl Iterator<Item = DocAddress>,
    ) -> Result<Self, TantivyError> {
        let mut holding = Self::default();
        for address in documents {
            let segment = search.searcher.segment_reader(address.segment_ord);
            let document = address.doc_id;
            let captured = captured_of(segment, document);
            if let Some(seen) = unchanged_at(segment, document) {
                holding.unchanged_at = holding.unchanged_at.max(Some(seen));
            } else if is_statement(segment, document) {
                let statement =
                    UrlStatement::read(&search.searcher, address, &search.index.fields)?;
                holding.statements.push((captured, statement));
            } else if has(segment, column::ID, document) {
                holding.outcome = Some(UrlOutcome {
                    captured,
                    asked: Some(Restrictions::read(segment, document)),
                });
            } else if has(segment, column::GONE_ID, document) {
                holding.outcome = Some(UrlOutcome {
                    captured,
                    asked: None,
                });
            }
        }
        // Statements without a time are applied last, because they may be about the newest state.
        holding
            .statements
            .sort_by_key(|(captured, _)| (captured.is_none(), *captured));
        Ok(holding)
    }
}

/// State of a URL in a merged index, after the records of some indexes were applied.
#[derive(Debug, Default)]
pub(super) struct MergedUrl {
    /// The index from which the documents of this URL are copied, as its position in the list of
    /// indexes. None if no documents of the URL are copied.
    pub(super) index: Option<usize>,
    /// True if the snapshot of the page is not copied into the merged index.
    pub(super) is_without_copy: bool,
    /// Reason of a new tombstone, and the text of the statement that causes the tombstone. A
    /// statement in one index causes a tombstone if the statement removes the page of another
    /// index. None if no new tombstone is written.
    pub(super) new_tombstone: Option<(Gone, String)>,
    /// Statements about the URL to write into the merged index, with their times.
    pub(super) statements: Vec<DatedStatement>,
    /// Latest capture time of the URL, in seconds since 1970. None if it is not known.
    pub(super) captured: Option<i64>,
    /// Time at which any of the indexes last found the page unchanged, in seconds since 1970.
    pub(super) unchanged_at: Option<i64>,
    outcome: Option<UrlOutcome>,
}

impl MergedUrl {
    /// Applies the records of the next index in the list. `index` is the position of this index.
    /// Returns true if the page of this index is ignored. The page is ignored if an index before
    /// this one has a capture of the URL from a later time.
    pub(super) fn apply(&mut self, index: usize, holding: IndexRecords) -> bool {
        self.unchanged_at = self.unchanged_at.max(holding.unchanged_at);
        let is_older = holding
            .outcome
            .is_some_and(|outcome| is_later(self.captured, outcome.captured));
        let is_old_page = is_older
            && holding
                .outcome
                .is_some_and(|outcome| outcome.asked.is_some());
        if let Some(outcome) = holding.outcome.filter(|_| !is_older) {
            let captured = outcome.captured.or(self.captured);
            // This index's record has no time, but an earlier index knows one. An empty statement
            // carries it.
            let unknown = captured.filter(|_| outcome.captured.is_none());
            let statements = unknown.map(|before| {
                (
                    Some(before),
                    UrlStatement::Restrictions(Restrictions::default()),
                )
            });
            *self = Self {
                index: Some(index),
                captured,
                unchanged_at: self.unchanged_at,
                outcome: Some(outcome),
                statements: statements.into_iter().collect(),
                ..Self::default()
            };
        }
        for (captured, statement) in holding.statements {
            if !is_later(self.captured, captured) {
                self.apply_statement(captured.or(self.captured), statement);
            }
        }
        is_old_page
    }

    fn apply_statement(&mut self, captured: Option<i64>, statement: UrlStatement) {
        self.captured = captured;
        let Some(outcome) = self.outcome else {
            return self.statements.push((captured, statement));
        };
        let reason = match &statement {
            UrlStatement::Gone(reason, why) => Some((*reason, why.clone())),
            UrlStatement::Restrictions(asked) => {
                self.is_without_copy |= asked.denies(Use::Archive);
                (!asked.allows_page(outcome.asked)).then(|| (Gone::Changed, String::new()))
            }
        };
        match reason {
            None => self.statements.push((captured, statement)),
            new_tombstone => {
                let outcome = Some(UrlOutcome {
                    captured,
                    asked: None,
                });
                *self = Self {
                    new_tombstone,
                    captured,
                    outcome,
                    unchanged_at: self.unchanged_at,
                    ..Self::default()
                };
            }
        }
    }
}
