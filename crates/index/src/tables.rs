//! Tables of pages, and of folded anchor texts, that outlive a commit.
//!
//! A search joins anchor texts with pages. Most of the data for that is the same in the next
//! commit: which document has the page at a URL, and to which page a document of folded anchor
//! texts belongs. So the tables are made of whole segments, whose documents never change. They do
//! not say which documents are deleted. Each commit asks its own segments for that. A search of an
//! older commit may use the tables too.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tantivy::index::SegmentId;
use tantivy::{DocId, SegmentReader};

use super::folded::FoldedIndex;
use super::schema::column;

/// Value in [`FoldedTargets`] for a document that has no page number.
const NO_PAGE: u32 = u32::MAX;

/// Table that finds the pages in some segments of an index by the hashes of their URLs. Deleted
/// pages are included. Each page has a number: the position of its document among all documents of
/// these segments.
pub(crate) struct SegmentsTable {
    pub(crate) segments: Vec<SegmentId>,
    /// For each segment, the number of its first document.
    bases: Vec<u32>,
    documents: u32,
    ids: Vec<u64>,
    /// For each hash in `ids`, the number of the page with this hash.
    numbers: Vec<u32>,
    /// For each value of a hash's highest bits, the position in `ids` of the first hash with these
    /// bits. Hashes are spread evenly, so few of them have the same highest bits.
    starts: Vec<u32>,
    shift: u32,
}

impl SegmentsTable {
    pub(crate) fn read(segments: &[&SegmentReader]) -> Self {
        let mut found = Vec::new();
        let mut bases = Vec::new();
        let mut base = 0;
        for segment in segments {
            bases.push(base);
            if let Ok(ids) = segment.fast_fields().u64(column::ID) {
                for document in 0..segment.max_doc() {
                    found.extend(ids.first(document).map(|id| (id, base + document)));
                }
            }
            base += segment.max_doc();
        }
        let bits = (found.len() / 4).max(1).ilog2() + 1;
        let shift = u64::BITS - bits;
        let mut starts = vec![0; (1 << bits) + 1];
        for (id, _) in &found {
            starts[(id >> shift) as usize + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut ids = vec![0; found.len()];
        let mut numbers = vec![0; found.len()];
        for (id, number) in found {
            let place = &mut next[(id >> shift) as usize];
            ids[*place as usize] = id;
            numbers[*place as usize] = number;
            *place += 1;
        }
        Self {
            segments: segments
                .iter()
                .map(|segment| segment.segment_id())
                .collect(),
            bases,
            documents: base,
            ids,
            numbers,
            starts,
            shift,
        }
    }

    /// Returns the number of documents in all segments of this table, including deleted documents.
    pub(crate) fn documents(&self) -> u32 {
        self.documents
    }

    /// Converts the number of a page to the place of its document. Returns the position of the
    /// segment in `segments`, and the document's number in this segment. Returns None if the table
    /// has no segments.
    pub(crate) fn place(&self, number: u32) -> Option<(usize, DocId)> {
        let at = self.bases.partition_point(|base| *base <= number);
        let at = at.checked_sub(1)?;
        Some((at, number - self.bases[at]))
    }

    /// Returns the numbers of all pages whose URL has the hash `id`. At most one of these pages is
    /// not deleted.
    pub(crate) fn find(&self, id: u64) -> impl Iterator<Item = u32> + '_ {
        let beginning = (id >> self.shift) as usize;
        let start = self.starts[beginning] as usize;
        let end = self.starts[beginning + 1] as usize;
        let ids = self.ids[start..end].iter();
        let numbers = self.numbers[start..end].iter();
        ids.zip(numbers)
            .filter(move |(one, _)| **one == id)
            .map(|(_, number)| *number)
    }
}

/// Tables that all searches of an index share.
#[derive(Default)]
pub(crate) struct KeptTables {
    pages: Mutex<Option<Arc<SegmentsTable>>>,
    targets: Mutex<Option<Arc<FoldedTargets>>>,
}

impl KeptTables {
    pub(crate) fn pages(&self) -> Option<Arc<SegmentsTable>> {
        locked(&self.pages).clone()
    }

    pub(crate) fn keep_pages(&self, pages: &Arc<SegmentsTable>) {
        *locked(&self.pages) = Some(Arc::clone(pages));
    }

    /// Returns the pages to which the anchor texts in `index` belong, as numbers in the table
    /// `pages`. `index` has anchor texts that a compaction collected by link target. Reads the
    /// result from the index, unless an earlier call did.
    pub(crate) fn targets(
        &self,
        index: Option<&FoldedIndex>,
        pages: &Arc<SegmentsTable>,
    ) -> Arc<FoldedTargets> {
        let kept = locked(&self.targets).clone();
        if let Some(kept) = kept
            && kept.are_of(index, pages)
        {
            return kept;
        }
        let made = Arc::new(FoldedTargets::read(index, pages));
        *locked(&self.targets) = Some(Arc::clone(&made));
        made
    }
}

fn locked<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For each document of folded anchor texts, the page to which the anchor texts belong. Folded
/// anchor texts were collected by link target in a compaction. The table ignores links that were
/// added or removed since the compaction.
pub(crate) struct FoldedTargets {
    /// The table of pages that defines the numbers in `alone`.
    pages: Arc<SegmentsTable>,
    segments: Vec<SegmentId>,
    /// For each segment and document, the number of the page to which the anchor texts belong.
    /// [`NO_PAGE`] if the table `pages` has no page at the link target's URL. Also [`NO_PAGE`] for
    /// the documents in `single`, whose votes are counted one by one.
    alone: Vec<Vec<u32>>,
    /// For each segment, the documents whose votes must be counted one by one. A vote is an anchor
    /// text that pages of one host use for a link target. A document has votes for one target.
    /// Documents with an expiry time are included, because their votes may have expired. If a
    /// target has several documents, all of them are included, because they may repeat a vote. A
    /// repeated vote counts only once.
    single: Vec<Vec<Range<DocId>>>,
}

impl FoldedTargets {
    fn read(index: Option<&FoldedIndex>, pages: &Arc<SegmentsTable>) -> Self {
        let mut alone = Vec::new();
        let mut single = Vec::new();
        let segments = index.into_iter().flat_map(FoldedIndex::segments);
        let segments: Vec<_> = segments.map(|(_, segment)| segment).collect();
        for (at, segment) in segments.iter().enumerate() {
            // A target with many documents may go on in the next segment.
            let before = at.checked_sub(1).and_then(|at| segments[at].last_target());
            let after = segments.get(at + 1).map(|segment| segment.target(0));
            let targets: Vec<_> = (0..segment.documents())
                .map(|document| segment.target(document))
                .collect();
            let mut numbers = Vec::with_capacity(targets.len());
            let mut ranges = Vec::new();
            for same in targets.chunk_by(|one, next| one == next) {
                let from = numbers.len() as DocId;
                let target = same[0];
                let counts_alone = same.len() == 1
                    && ![before, after].contains(&Some(target))
                    && segment.expires(from).is_none();
                if counts_alone {
                    numbers.push(pages.find(target).next().unwrap_or(NO_PAGE));
                } else {
                    numbers.extend(same.iter().map(|_| NO_PAGE));
                    ranges.push(from..numbers.len() as DocId);
                }
            }
            alone.push(numbers);
            single.push(ranges);
        }
        Self {
            pages: Arc::clone(pages),
            segments: segment_ids(index),
            alone,
            single,
        }
    }

    /// Returns the number of the page that is the link target of a document's anchor texts. `at` is
    /// the position of the document's segment. Returns None if there is no page at the URL of the
    /// link target. Also returns None if the document is in `FoldedTargets::single`.
    pub(crate) fn page_of(&self, at: usize, document: DocId) -> Option<u32> {
        let number = *self.alone.get(at)?.get(document as usize)?;
        (number != NO_PAGE).then_some(number)
    }

    /// Returns the documents whose votes must be counted one by one. A vote is an anchor text from
    /// pages of one host. Documents with an expiry time are included, because their votes may have
    /// expired. Several documents with the same link target are also included, because they may
    /// repeat a vote. The outer list has an entry for each segment. Within a segment, the documents
    /// are in ascending order.
    pub(crate) fn single(&self) -> &[Vec<Range<DocId>>] {
        &self.single
    }

    fn are_of(&self, index: Option<&FoldedIndex>, pages: &Arc<SegmentsTable>) -> bool {
        Arc::ptr_eq(&self.pages, pages) && self.segments == segment_ids(index)
    }
}

fn segment_ids(index: Option<&FoldedIndex>) -> Vec<SegmentId> {
    let segments = index.into_iter().flat_map(FoldedIndex::segments);
    segments.map(|(reader, _)| reader.segment_id()).collect()
}
