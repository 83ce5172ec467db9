//! Replays the records of one URL from several indexes, in their order, as in one writer.
//!
//! The rules are those of a writer (docs/semantics.md, section 7). A later fetch counts. A
//! statement without a date counts in its order, and does not erase a known date. If one index
//! has a statement on a URL without its page, it is held against another one's page.

use tantivy::{DocAddress, TantivyError};

use crate::ask::Search;
use crate::gone::Gone;
use crate::heard::{DatedStatement, Restrictions, UrlStatement, is_statement};
use crate::schema::{captured_of, column, has, seen_at};
use heedful::Use;

use super::before::is_later;

/// The documents of one index on a URL.
#[derive(Debug, Default)]
pub(super) struct IndexRecords {
    said: Option<UrlOutcome>,
    /// The statements since, with their times.
    heard: Vec<DatedStatement>,
    /// When the page was last found unchanged.
    seen: Option<i64>,
}

/// A statement that a URL is a page, or is gone.
#[derive(Clone, Copy, Debug)]
struct UrlOutcome {
    captured: Option<i64>,
    /// The denials of the page when it was read; None if it is gone.
    asked: Option<Restrictions>,
}

impl IndexRecords {
    /// Reads the documents of a URL.
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
        // A statement without a date comes last: it may concern anything that is there.
        holding
            .heard
            .sort_by_key(|(captured, _)| (captured.is_none(), *captured));
        Ok(holding)
    }
}

/// The state of a URL after the indexes read so far.
#[derive(Debug, Default)]
pub(super) struct MergedUrl {
    /// The position of the index, among those that are merged, whose documents of this URL go into
    /// the merged index. `None` if no index's do.
    pub(super) index: Option<usize>,
    /// True if the page's snapshot is not kept.
    pub(super) is_without_copy: bool,
    /// Set if the URL is gone and no index records it: the reason, and the statement that caused
    /// it.
    pub(super) gone: Option<(Gone, String)>,
    /// What must be stored of it, with its time.
    pub(super) heard: Vec<DatedStatement>,
    /// When the last of it was fetched.
    pub(super) captured: Option<i64>,
    /// When the page was last found unchanged by any of the indexes.
    pub(super) seen: Option<i64>,
    said: Option<UrlOutcome>,
}

impl MergedUrl {
    /// Applies the records of the next index. Returns true if that index has a page that is
    /// ignored, because another one is later.
    pub(super) fn apply(&mut self, index: usize, holding: IndexRecords) -> bool {
        self.seen = self.seen.max(holding.seen);
        let is_older = holding
            .said
            .is_some_and(|said| is_later(self.captured, said.captured));
        let is_old_page = is_older && holding.said.is_some_and(|said| said.asked.is_some());
        if let Some(said) = holding.said.filter(|_| !is_older) {
            let captured = said.captured.or(self.captured);
            // The index does not know the date of what was there before.
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
