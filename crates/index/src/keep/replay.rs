//! Replays the records that several indexes have of one URL, in the order of the indexes.
//!
//! A replay follows the rules of one writer (docs/semantics.md, section 7). A later capture
//! replaces an earlier one. A statement without a time is applied in the order of the indexes, and
//! does not erase a known time. A statement in one index that came from a response without the page
//! applies to the page in another index. In doubt the page is dropped.

use tantivy::{DocAddress, TantivyError};

use crate::ask::Search;
use crate::gone::Gone;
use crate::schema::{captured_of, column, has, seen_at};
use crate::statement::{DatedStatement, Restrictions, UrlStatement, is_statement};
use heedful::Use;

use super::before::is_later;

/// All that one index has recorded about a URL.
#[derive(Debug, Default)]
pub(super) struct IndexRecords {
    said: Option<UrlOutcome>,
    /// Statements about the URL that followed the page or tombstone, each with its time.
    heard: Vec<DatedStatement>,
    /// Time at which the page was last found unchanged, in seconds since 1970.
    seen: Option<i64>,
}

/// A page or tombstone of a URL in one index, reduced to the values that decide which index's
/// documents are copied.
#[derive(Clone, Copy, Debug)]
struct UrlOutcome {
    captured: Option<i64>,
    /// Restrictions of the page when it was fetched. None for a tombstone.
    asked: Option<Restrictions>,
}

impl IndexRecords {
    /// Reads all that one index has recorded about a URL, from the documents of that URL.
    pub(super) fn read(
        search: &Search,
        documents: impl Iterator<Item = DocAddress>,
    ) -> Result<Self, TantivyError> {
        let mut holding = Self::default();
        for address in documents {
            let segment = search.searcher.segment_reader(address.segment_ord);
            let document = address.doc_id;
            let captured = captured_of(segment, document);
            if let Some(seen) = seen_at(segment, document) {
                holding.seen = holding.seen.max(Some(seen));
            } else if is_statement(segment, document) {
                let heard = UrlStatement::read(&search.searcher, address, &search.index.fields)?;
                holding.heard.push((captured, heard));
            } else if has(segment, column::ID, document) {
                holding.said = Some(UrlOutcome {
                    captured,
                    asked: Some(Restrictions::read(segment, document)),
                });
            } else if has(segment, column::GONE_ID, document) {
                holding.said = Some(UrlOutcome {
                    captured,
                    asked: None,
                });
            }
        }
        // Statements without a time are applied last, because they may be about the newest state.
        holding
            .heard
            .sort_by_key(|(captured, _)| (captured.is_none(), *captured));
        Ok(holding)
    }
}

/// State of a URL in a merged index, after the records of some indexes were applied.
#[derive(Debug, Default)]
pub(super) struct MergedUrl {
    /// The index whose documents of this URL are copied into the merged index, as its position in
    /// the list of indexes. None if no documents of the URL are copied.
    pub(super) index: Option<usize>,
    /// True if the snapshot of the page is not copied into the merged index.
    pub(super) is_without_copy: bool,
    /// Reason of a new tombstone, and the text of the statement that causes it. The statement is in
    /// one index, and removes the page of another. None if no new tombstone is written.
    pub(super) gone: Option<(Gone, String)>,
    /// Statements about the URL to write into the merged index, with their times.
    pub(super) heard: Vec<DatedStatement>,
    /// Latest capture time of the URL, in seconds since 1970.
    pub(super) captured: Option<i64>,
    /// Time at which any of the indexes last found the page unchanged, in seconds since 1970.
    pub(super) seen: Option<i64>,
    said: Option<UrlOutcome>,
}

impl MergedUrl {
    /// Applies the records of the next index in the list. `index` is its position in the list.
    /// Returns true if its page is ignored, because an earlier index has a later capture.
    pub(super) fn apply(&mut self, index: usize, holding: IndexRecords) -> bool {
        self.seen = self.seen.max(holding.seen);
        let is_older = holding
            .said
            .is_some_and(|said| is_later(self.captured, said.captured));
        let is_old_page = is_older && holding.said.is_some_and(|said| said.asked.is_some());
        if let Some(said) = holding.said.filter(|_| !is_older) {
            let captured = said.captured.or(self.captured);
            // This index's record has no time, but an earlier index knows one. An empty statement
            // carries it.
            let unknown = captured.filter(|_| said.captured.is_none());
            let heard =
                unknown.map(|before| (Some(before), UrlStatement::Asked(Restrictions::default())));
            *self = Self {
                index: Some(index),
                captured,
                seen: self.seen,
                said: Some(said),
                heard: heard.into_iter().collect(),
                ..Self::default()
            };
        }
        for (captured, heard) in holding.heard {
            if !is_later(self.captured, captured) {
                self.apply_statement(captured.or(self.captured), heard);
            }
        }
        is_old_page
    }

    fn apply_statement(&mut self, captured: Option<i64>, heard: UrlStatement) {
        self.captured = captured;
        let Some(said) = self.said else {
            return self.heard.push((captured, heard));
        };
        let reason = match &heard {
            UrlStatement::Gone(reason, why) => Some((*reason, why.clone())),
            UrlStatement::Asked(asked) => {
                self.is_without_copy |= asked.denies(Use::Archive);
                (!asked.keeps(said.asked)).then(|| (Gone::Changed, String::new()))
            }
        };
        match reason {
            None => self.heard.push((captured, heard)),
            gone => {
                let said = Some(UrlOutcome {
                    captured,
                    asked: None,
                });
                *self = Self {
                    gone,
                    captured,
                    said,
                    seen: self.seen,
                    ..Self::default()
                };
            }
        }
    }
}
