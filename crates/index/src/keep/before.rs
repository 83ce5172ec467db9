//! History of URLs: which URLs the index knows, and when their pages were last captured.
//!
//! Statements about URLs (page added, removed or unchanged) since the last commit are in memory.
//! The key is the hash of the URL, so a page costs only a few bytes. Statements up to the last
//! commit are read from the index.

use std::collections::{HashMap, HashSet};

use tantivy::schema::Term;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::id::id;
use crate::open::{Index, IndexContext};
use crate::schema::{captured_of, column, has, unchanged_at};
use crate::statistics::each;
use crate::totals::PageLengths;
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

/// Value that stands for an unknown capture time. It needs half the memory of an `Option`, and
/// there may be millions of capture times.
const UNDATED: i64 = i64::MIN;

/// History of the URLs about which a writer received a statement since its last commit. A statement
/// says that the page was added, removed or found unchanged.
#[derive(Default)]
pub(super) struct UrlHistory {
    /// Capture time of each URL about which there was a statement since the last commit, or
    /// [`UNDATED`]. The key is the hash of the URL.
    fresh: HashMap<u64, i64>,
    /// Hashes of those URLs in `fresh` that were neither added nor removed since the last commit.
    /// All statements about them came from responses without the page, for example that it is
    /// unchanged.
    confirmed: HashSet<u64>,
    /// Lengths of the pages that were added since the last commit. The key is the hash of the URL.
    added: HashMap<u64, PageLengths>,
    /// Searcher of the index's last commit, opened when first needed.
    committed: Option<Searcher>,
}

/// State of one URL in an index that is being written: unknown, or known with its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PastState {
    /// The index has no document of the URL, and the writer has no uncommitted change of the URL.
    Unknown,
    /// The index has documents of the URL, or the writer has uncommitted changes of the URL.
    Known {
        /// Latest capture time of the URL in seconds since 1970. None if it is not known.
        captured: Option<i64>,
        /// True if the URL is a page or a tombstone.
        is_kept: bool,
        /// Time at which the page was last found unchanged, in seconds since 1970. None if the last
        /// commit has no such time.
        unchanged_at: Option<i64>,
    },
}

impl PastState {
    /// True if the index knows a later capture of the URL than `captured`. False if either time is
    /// unknown. Statements without a time are applied in the order of the calls.
    pub(super) fn is_later(self, captured: Option<i64>) -> bool {
        is_later(self.captured(), captured)
    }

    /// Returns the latest capture time of the URL in seconds since 1970. Returns None if it is not
    /// known.
    pub(super) fn captured(self) -> Option<i64> {
        match self {
            Self::Known { captured, .. } => captured,
            Self::Unknown => None,
        }
    }

    /// Returns the time at which the page was last found unchanged, in seconds since 1970. Returns
    /// None if it is not known.
    pub(super) fn unchanged_at(self) -> Option<i64> {
        match self {
            Self::Known { unchanged_at, .. } => unchanged_at,
            Self::Unknown => None,
        }
    }

    pub(super) fn is_kept(self) -> bool {
        matches!(self, Self::Known { is_kept: true, .. })
    }
}

impl UrlHistory {
    /// Returns what the index and a writer's uncommitted changes know about a URL.
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
                unchanged_at: None,
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
                unchanged_at: past.unchanged_at(),
            }),
            None => Ok(past),
        }
    }

    /// Returns a searcher of the index's last commit. Returns None if there was any statement about
    /// the URL since that commit.
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

    /// Returns a searcher of the index's last commit. Returns None if the URL was added or removed
    /// since that commit. Statements from responses without the page, for example that it is
    /// unchanged, do not matter.
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
            None => catch_panics(&index.folder, || index.searcher())?,
        };
        Ok(self.committed.insert(searcher))
    }

    /// True if the URL was added or removed since the last commit. Statements from responses
    /// without the page, for example that it is unchanged, do not matter.
    pub(super) fn has_pending(&self, key: &Key<'_>) -> bool {
        self.fresh.contains_key(&id(key)) && !self.confirmed.contains(&id(key))
    }

    /// Records a statement about a URL from a response without its page, for example that the page
    /// is unchanged.
    pub(super) fn confirm(&mut self, key: &Key<'_>, captured: Option<i64>) {
        if self
            .fresh
            .insert(id(key), captured.unwrap_or(UNDATED))
            .is_none()
        {
            self.confirmed.insert(id(key));
        }
    }

    /// Returns the lengths of the pages that are at a URL: of one, or of none.
    pub(super) fn lengths(&mut self, index: &Index, key: &Key<'_>) -> Result<Vec<PageLengths>> {
        if self.has_pending(key) {
            return Ok(self.added.get(&id(key)).copied().into_iter().collect());
        }
        let page = Term::from_field_text(index.fields.url, key.as_str());
        let searcher = self.committed(index)?;
        catch_panics(&index.folder, || {
            let mut lengths = Vec::new();
            for segment in searcher.segment_readers() {
                let mut pages = Vec::new();
                each(segment, &page, |page| pages.push(page)).in_index(index)?;
                for page in pages {
                    let read = PageLengths::read(segment, page, &index.fields);
                    lengths.push(read.in_index(index)?);
                }
            }
            Ok(lengths)
        })
    }

    /// Records the lengths of a page, after [`UrlHistory::note`].
    pub(super) fn note_page(&mut self, key: &Key<'_>, lengths: PageLengths) {
        self.added.insert(id(key), lengths);
    }

    /// Records that a page or tombstone was written for a URL, with its capture time.
    pub(super) fn note(&mut self, key: &Key<'_>, captured: Option<i64>) {
        self.added.remove(&id(key));
        self.confirmed.remove(&id(key));
        self.fresh.insert(id(key), captured.unwrap_or(UNDATED));
    }

    /// Clears this history of URLs after a commit.
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
            let unchanged_at = past.unchanged_at().max(unchanged_at(segment, document));
            past = PastState::Known {
                captured,
                is_kept: past.is_kept() || is_page_or_tombstone(segment, document),
                unchanged_at,
            };
        }
    }
    Ok(past)
}

/// True if a document of the index is a page or a tombstone.
fn is_page_or_tombstone(segment: &SegmentReader, document: DocId) -> bool {
    [column::ID, column::GONE_ID]
        .into_iter()
        .any(|name| has(segment, name, document))
}

/// True if both capture times are known and `before` is later than `now`.
pub(super) fn is_later(before: Option<i64>, now: Option<i64>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => before > now,
        _ => false,
    }
}
