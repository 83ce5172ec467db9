//! The history of URLs: if one ever brought anything in, and when that was fetched.
//!
//! Statements since the last commit are remembered by the URL's hash, so memory grows by a few
//! bytes a page. The index itself has what was committed.

use std::collections::{HashMap, HashSet};

use tantivy::{DocId, Searcher, SegmentReader};

use crate::id::id;
use crate::open::{Index, IndexContext};
use crate::schema::{captured_of, column, has, seen_at};
use crate::statistics::each;
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

/// Stands for no date. It takes half the room of an option, and there are many.
const UNDATED: i64 = i64::MIN;

/// The state of all URLs that were added or looked up.
#[derive(Default)]
pub(super) struct UrlHistory {
    /// When each URL known since the last commit was fetched, or [`UNDATED`].
    fresh: HashMap<u64, i64>,
    /// The URLs in `fresh` that were only confirmed as unchanged: no other statement came.
    confirmed: HashSet<u64>,
    /// The last commit, once it was needed.
    committed: Option<Searcher>,
}

/// The state of one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PastState {
    /// Nothing is known.
    Unknown,
    /// It brought something in that may still be there.
    Known {
        /// When that was fetched, in seconds, if it is known.
        captured: Option<i64>,
        /// True if the URL is kept as a page or as gone.
        is_kept: bool,
        /// When the page was found unchanged, in seconds, as far as the last commit knows.
        seen: Option<i64>,
    },
}

impl PastState {
    /// True if an earlier statement was fetched later. Statements without a date count in the order
    /// in which they come.
    pub(super) fn is_later(self, captured: Option<i64>) -> bool {
        is_later(self.captured(), captured)
    }

    /// When the last statement was fetched, in seconds, if that is known.
    pub(super) fn captured(self) -> Option<i64> {
        match self {
            Self::Known { captured, .. } => captured,
            Self::Unknown => None,
        }
    }

    /// When the page was last found unchanged, in seconds, if that is known.
    pub(super) fn seen(self) -> Option<i64> {
        match self {
            Self::Known { seen, .. } => seen,
            Self::Unknown => None,
        }
    }

    pub(super) fn is_kept(self) -> bool {
        matches!(self, Self::Known { is_kept: true, .. })
    }
}

impl UrlHistory {
    /// Looks up what is known of a URL.
    pub(super) fn lookup(&mut self, index: &Index, key: &Key<'_>) -> Result<PastState> {
        let fresh = match self.fresh.get(&id(key)) {
            Some(&UNDATED) => Some(None),
            Some(captured) => Some(Some(*captured)),
            None => None,
        };
        if let Some(captured) = fresh
            && !self.confirmed.contains(&id(key))
        {
            return Ok(PastState::Known {
                captured,
                is_kept: true,
                seen: None,
            });
        }
        let searcher = self.committed(index)?;
        let past = catch_panics(&index.folder, || {
            committed(index, searcher, key).in_index(index)
        })?;
        match fresh {
            Some(captured) => Ok(PastState::Known {
                captured,
                is_kept: past.is_kept(),
                seen: past.seen(),
            }),
            None => Ok(past),
        }
    }

    /// The last commit, if there was no statement at all on the URL since.
    pub(super) fn commit_if_unmentioned(
        &mut self,
        index: &Index,
        key: &Key<'_>,
    ) -> Result<Option<Searcher>> {
        if self.fresh.contains_key(&id(key)) {
            Ok(None)
        } else {
            self.committed(index).cloned().map(Some)
        }
    }

    /// The last commit, if there was no new statement on the URL since.
    pub(super) fn commit_if_untouched(
        &mut self,
        index: &Index,
        key: &Key<'_>,
    ) -> Result<Option<Searcher>> {
        if self.has_pending(key) {
            Ok(None)
        } else {
            self.committed(index).cloned().map(Some)
        }
    }

    fn committed(&mut self, index: &Index) -> Result<&Searcher> {
        let searcher = match self.committed.take() {
            Some(searcher) => searcher,
            None => catch_panics(&index.folder, || {
                let reader = index
                    .tantivy
                    .reader_builder()
                    .reload_policy(tantivy::ReloadPolicy::Manual)
                    .try_into();
                let reader: tantivy::IndexReader = reader.in_index(index)?;
                Ok(reader.searcher())
            })?,
        };
        Ok(self.committed.insert(searcher))
    }

    /// True if there was a statement on the URL since the last commit, and not only that it is
    /// unchanged.
    pub(super) fn has_pending(&self, key: &Key<'_>) -> bool {
        self.fresh.contains_key(&id(key)) && !self.confirmed.contains(&id(key))
    }

    /// Notes that the state of a URL was confirmed.
    pub(super) fn confirm(&mut self, key: &Key<'_>, captured: Option<i64>) {
        if self
            .fresh
            .insert(id(key), captured.unwrap_or(UNDATED))
            .is_none()
        {
            self.confirmed.insert(id(key));
        }
    }

    /// Notes a statement on a URL.
    pub(super) fn note(&mut self, key: &Key<'_>, captured: Option<i64>) {
        self.confirmed.remove(&id(key));
        self.fresh.insert(id(key), captured.unwrap_or(UNDATED));
    }

    /// Forgets everything, because all of it was committed.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

fn committed(index: &Index, searcher: &Searcher, key: &Key<'_>) -> tantivy::Result<PastState> {
    let owned = index.fields.owned_by(key);
    let mut past = PastState::Unknown;
    for segment in searcher.segment_readers() {
        let mut documents = Vec::new();
        each(segment, &owned, |document| documents.push(document))?;
        for document in documents {
            let captured = past.captured().max(captured_of(segment, document));
            let seen = past.seen().max(seen_at(segment, document));
            past = PastState::Known {
                captured,
                is_kept: past.is_kept() || is_page_or_tombstone(segment, document),
                seen,
            };
        }
    }
    Ok(past)
}

/// True if a document is a page, or records that one is gone.
fn is_page_or_tombstone(segment: &SegmentReader, document: DocId) -> bool {
    [column::ID, column::GONE_ID]
        .into_iter()
        .any(|name| has(segment, name, document))
}

/// True if the time before is later than the time now.
pub(super) fn is_later(before: Option<i64>, now: Option<i64>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => before > now,
        _ => false,
    }
}
