//! What was said of a URL before: whether it ever brought anything in, and when that was fetched.
//!
//! What came since the last commit is remembered by the URL's hash, so that memory grows by a few bytes a page; what was
//! committed is asked of the index itself.

use std::collections::{HashMap, HashSet};

use tantivy::{DocId, Searcher, SegmentReader};

use crate::address::Key;
use crate::error::Result;
use crate::index::id::id;
use crate::index::open::Index;
use crate::index::schema::{captured_of, column, has};
use crate::index::statistics::each;
use crate::index::trouble::guarded;

/// Half the size of an option, and there are many.
const UNDATED: i64 = i64::MIN;

/// What is known of URLs.
#[derive(Default)]
pub(super) struct Before {
    /// Since the last commit: when it was fetched, or [`UNDATED`].
    fresh: HashMap<u64, i64>,
    /// Of these nothing new: they are as they were.
    confirmed: HashSet<u64>,
    /// The last commit, once it was asked.
    committed: Option<Searcher>,
}

/// What is known of one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Past {
    /// Nothing is said.
    Unknown,
    /// It brought something in that may be there still.
    Known {
        /// When that was fetched, in seconds, where it is known.
        captured: Option<i64>,
        /// Whether it stands as a page, or as gone.
        is_said: bool,
    },
}

impl Past {
    /// Whether something later was said before. What bears no date counts in the order in which it comes.
    pub(super) fn is_later(self, captured: Option<i64>) -> bool {
        is_later(self.captured(), captured)
    }

    /// When what was said last was fetched, in seconds, where that is known.
    pub(super) fn captured(self) -> Option<i64> {
        match self {
            Self::Known { captured, .. } => captured,
            Self::Unknown => None,
        }
    }

    pub(super) fn is_said(self) -> bool {
        matches!(self, Self::Known { is_said: true, .. })
    }
}

impl Before {
    /// Prints what is known of a URL.
    pub(super) fn of(&mut self, index: &Index, key: &Key<'_>) -> Result<Past> {
        let fresh = self.fresh.get(&id(key)).map(|captured| Some(*captured).filter(|captured| *captured != UNDATED));
        if let Some(captured) = fresh.filter(|_| !self.confirmed.contains(&id(key))) {
            return Ok(Past::Known { captured, is_said: true });
        }
        let searcher = self.committed(index)?;
        let past = guarded(&index.folder, || committed(index, searcher, key).map_err(|error| index.trouble(&error)))?;
        Ok(fresh.map_or(past, |captured| Past::Known { captured, is_said: past.is_said() }))
    }

    /// The last commit, if nothing at all was heard since of a URL.
    pub(super) fn unheard(&mut self, index: &Index, key: &Key<'_>) -> Result<Option<Searcher>> {
        if self.fresh.contains_key(&id(key)) { Ok(None) } else { self.committed(index).cloned().map(Some) }
    }

    /// The last commit, if nothing was said since of a URL.
    pub(super) fn untouched(&mut self, index: &Index, key: &Key<'_>) -> Result<Option<Searcher>> {
        let is_touched = self.fresh.contains_key(&id(key)) && !self.confirmed.contains(&id(key));
        if is_touched { Ok(None) } else { self.committed(index).cloned().map(Some) }
    }

    fn committed(&mut self, index: &Index) -> Result<&Searcher> {
        let searcher = match self.committed.take() {
            Some(searcher) => searcher,
            None => guarded(&index.folder, || {
                let reader = index.tantivy.reader_builder().reload_policy(tantivy::ReloadPolicy::Manual).try_into();
                let reader: tantivy::IndexReader = reader.map_err(|error| index.trouble(&error))?;
                Ok(reader.searcher())
            })?,
        };
        Ok(self.committed.insert(searcher))
    }

    /// What was said of a URL was confirmed.
    pub(super) fn confirm(&mut self, key: &Key<'_>, captured: Option<i64>) {
        if self.fresh.insert(id(key), captured.unwrap_or(UNDATED)).is_none() {
            self.confirmed.insert(id(key));
        }
    }

    /// Something was said of a URL.
    pub(super) fn note(&mut self, key: &Key<'_>, captured: Option<i64>) {
        self.confirmed.remove(&id(key));
        self.fresh.insert(id(key), captured.unwrap_or(UNDATED));
    }

    /// All of it was committed.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }
}

fn committed(index: &Index, searcher: &Searcher, key: &Key<'_>) -> tantivy::Result<Past> {
    let owned = index.fields.owned_by(key);
    let mut past = Past::Unknown;
    for segment in searcher.segment_readers() {
        let mut documents = Vec::new();
        each(segment, &owned, |document| documents.push(document))?;
        for document in documents {
            let (captured, is_said) = match past {
                Past::Known { captured, is_said } => (captured, is_said),
                Past::Unknown => (None, false),
            };
            let captured = captured.max(captured_of(segment, document));
            past = Past::Known { captured, is_said: is_said || speaks(segment, document) };
        }
    }
    Ok(past)
}

/// Whether a document is a page, or says that one is gone.
fn speaks(segment: &SegmentReader, document: DocId) -> bool {
    [column::ID, column::GONE_ID].into_iter().any(|name| has(segment, name, document))
}

/// Whether what was said before is later than what is said now.
pub(super) fn is_later(before: Option<i64>, now: Option<i64>) -> bool {
    before.zip(now).is_some_and(|(before, now)| before > now)
}
