//! History of URLs: which URLs the index knows, and when their pages were last captured.
//!
//! Statements about URLs (page added, removed or unchanged) since the last commit are in memory.
//! The key is the hash of the URL, so a page costs only a few bytes. Statements up to the last
//! commit are read from the index.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tantivy::columnar::Column;
use tantivy::index::InvertedIndexReader;
use tantivy::schema::{IndexRecordOption, Term};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED};

use crate::id::id;
use crate::open::{Index, IndexContext};
use crate::schema::{Fields, column};
use crate::statistics::each;
use crate::store::StoreOffset;
use crate::totals::PageLengths;
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::Result;

/// Value that stands for an unknown capture time. It needs half the memory of an `Option`, and
/// there may be millions of capture times.
const UNDATED: i64 = i64::MIN;

/// History of the URLs that a writer has changed or confirmed since its last commit. A URL is
/// confirmed if a response says that its page is unchanged.
#[derive(Default)]
pub(super) struct UrlHistory {
    /// Capture times of the URLs that were added, removed or confirmed since the last commit. A
    /// time that is not known is [`UNDATED`]. The key is the hash of the URL.
    fresh: HashMap<u64, i64>,
    /// Hashes of URLs in `fresh` that were neither added nor removed since the last commit. For
    /// these URLs, only responses without the page came, such as HTTP 304.
    confirmed: HashSet<u64>,
    /// Number of words in each searched field, for each page that was added since the last commit.
    /// The key is the hash of the page's URL.
    added: HashMap<u64, PageLengths>,
    /// The index's last commit, opened when first needed.
    committed: Option<Committed>,
}

/// A commit of an index, opened to look up URLs.
struct Committed {
    searcher: Searcher,
    segments: Vec<KnownUrls>,
}

/// The dictionary of URLs in one segment, and columns with facts about each URL. The columns stay
/// open, because opening a column takes longer than reading a value.
struct KnownUrls {
    segment: SegmentReader,
    owners: Arc<InvertedIndexReader>,
    captured: Option<Column<i64>>,
    unchanged: Option<Column<i64>>,
    page: Option<Column<u64>>,
    tombstone: Option<Column<u64>>,
    /// Columns with file, offset and length of a page's snapshot.
    copy: [Option<Column<u64>>; 3],
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
        /// True if the index has a page at the URL, or a tombstone. A tombstone says why the index
        /// has no page there.
        is_kept: bool,
        /// Time at which the page was last found unchanged, in seconds since 1970. None if the last
        /// commit has no such time. It is also None if the URL was added or removed since that
        /// commit.
        unchanged_at: Option<i64>,
        /// Location of the page's snapshot at the last commit. None if the page had no snapshot
        /// then. It is also None if the URL was added or removed since that commit.
        copy: Option<StoreOffset>,
    },
}

impl PastState {
    /// True if the index knows a later capture of the URL than `captured`. False if either time is
    /// unknown. So a change without a known time is never rejected as outdated.
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

    /// Returns the location of the page's snapshot at the last commit. Returns None if the page had
    /// no snapshot then. Also returns None if the URL was added or removed since that commit.
    pub(super) fn copy(self) -> Option<StoreOffset> {
        match self {
            Self::Known { copy, .. } => copy,
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
                copy: None,
            });
        }
        let committed = self.committed(index)?;
        let past = catch_panics(&index.folder, || {
            committed.lookup(key, &index.fields).in_index(index)
        })?;
        match fresh {
            Some(captured) => Ok(PastState::Known {
                captured,
                is_kept: past.is_kept(),
                unchanged_at: past.unchanged_at(),
                copy: past.copy(),
            }),
            None => Ok(past),
        }
    }

    /// Returns a searcher of the last commit, if that commit has all that is known about the URL.
    /// Returns None if the writer received any statement about the URL since that commit.
    pub(super) fn commit_if_unmentioned(
        &mut self,
        index: &Index,
        key: &Key<'_>,
    ) -> Result<Option<Searcher>> {
        if self.fresh.contains_key(&id(key)) {
            Ok(None)
        } else {
            self.searcher(index).cloned().map(Some)
        }
    }

    /// Returns a searcher of the last commit, if the URL was not changed since. Returns None if the
    /// URL was added or removed since that commit. Responses without the page, such as HTTP 304,
    /// count as no change.
    pub(super) fn commit_if_untouched(
        &mut self,
        index: &Index,
        key: &Key<'_>,
    ) -> Result<Option<Searcher>> {
        if self.has_pending(key) {
            Ok(None)
        } else {
            self.searcher(index).cloned().map(Some)
        }
    }

    /// Returns a searcher of the index's last commit.
    pub(super) fn searcher(&mut self, index: &Index) -> Result<&Searcher> {
        Ok(&self.committed(index)?.searcher)
    }

    fn committed(&mut self, index: &Index) -> Result<&Committed> {
        let committed = match self.committed.take() {
            Some(committed) => committed,
            None => catch_panics(&index.folder, || Committed::open(index))?,
        };
        Ok(self.committed.insert(committed))
    }

    /// True if the URL was added or removed since the last commit. Responses without the page, such
    /// as HTTP 304, count as no change.
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

    /// Returns the lengths of the page at a URL, as a list with one entry. The entry has the number
    /// of words in each searched field of the page. The list is empty if there is no page.
    pub(super) fn lengths(&mut self, index: &Index, key: &Key<'_>) -> Result<Vec<PageLengths>> {
        if self.has_pending(key) {
            return Ok(self.added.get(&id(key)).copied().into_iter().collect());
        }
        let page = Term::from_field_text(index.fields.url, key.as_str());
        let searcher = self.searcher(index)?;
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

    /// Records the number of words in each searched field of a page that was added.
    /// [`UrlHistory::note`] must be called first.
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

impl Committed {
    fn open(index: &Index) -> Result<Self> {
        let searcher = index.searcher()?;
        let segments = searcher.segment_readers().iter();
        let segments = segments.map(|segment| KnownUrls::open(segment, &index.fields));
        let segments = segments.collect::<tantivy::Result<_>>();
        Ok(Self {
            segments: segments.in_index(index)?,
            searcher,
        })
    }

    fn lookup(&self, key: &Key<'_>, fields: &Fields) -> tantivy::Result<PastState> {
        let owned = fields.owned_by(key);
        let mut past = PastState::Unknown;
        for known in &self.segments {
            let postings = known
                .owners
                .read_postings(&owned, IndexRecordOption::Basic)?;
            let Some(mut postings) = postings else {
                continue;
            };
            while postings.doc() != TERMINATED {
                if !known.segment.is_deleted(postings.doc()) {
                    past = known.with_document(past, postings.doc());
                }
                postings.advance();
            }
        }
        Ok(past)
    }
}

impl KnownUrls {
    fn open(segment: &SegmentReader, fields: &Fields) -> tantivy::Result<Self> {
        let columns = segment.fast_fields();
        let number = |name| columns.u64(name).ok();
        Ok(Self {
            segment: segment.clone(),
            owners: segment.inverted_index(fields.owner)?,
            captured: columns.i64(column::CAPTURED).ok(),
            unchanged: columns.i64(column::SEEN).ok(),
            page: number(column::ID),
            tombstone: number(column::GONE_ID),
            copy: [column::FILE, column::OFFSET, column::LENGTH].map(number),
        })
    }

    /// Returns the state `past` of a URL, updated with the content of one of the URL's documents.
    fn with_document(&self, past: PastState, document: DocId) -> PastState {
        let time = |column: &Option<Column<i64>>| column.as_ref()?.first(document);
        let number = |column: &Option<Column<u64>>| column.as_ref()?.first(document);
        let is_page_or_tombstone =
            number(&self.page).is_some() || number(&self.tombstone).is_some();
        let copy = match self.copy.each_ref().map(number) {
            [Some(file), Some(offset), Some(length)] => Some(StoreOffset {
                file,
                offset,
                length,
            }),
            _ => past.copy(),
        };
        PastState::Known {
            captured: past.captured().max(time(&self.captured)),
            is_kept: past.is_kept() || is_page_or_tombstone,
            unchanged_at: past.unchanged_at().max(time(&self.unchanged)),
            copy,
        }
    }
}

/// True if the capture time `before` is later than the capture time `now`. False if one of the
/// times is None, which means that it is not known.
pub(super) fn is_later(before: Option<i64>, now: Option<i64>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => before > now,
        _ => false,
    }
}
