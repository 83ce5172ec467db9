//! The anchor texts of one commit, joined with its pages.
//!
//! A compaction folds anchor texts: it collects all votes for a page in one document (`folded`). If
//! nothing changes for this page later, a query counts its votes by that document alone, which is
//! fast. A later change may add votes: a page with a link to it was indexed, or links to it were
//! folded before it was a page. A later change may also invalidate votes: a source page was indexed
//! again or removed. The votes for such a page are counted one by one, from all documents that have
//! any. Both ways give the same numbers, so folding changes no result.
//!
//! The join is computed once for each commit, when a query first needs it. The tables that are the
//! same in the next commit are kept for it ([`KeptTables`]).

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tantivy::schema::Term;
use tantivy::{DocId, Searcher, SegmentReader};

use crate::folded::{Folded, FoldedIndex, FoldedSegment};
use crate::schema::{Fields, column};
use crate::statistics::each;
use crate::tables::{FoldedTargets, KeptTables};

use super::columns::AnchorColumns;
use super::pages::PageTable;

/// The anchor texts of one commit, joined with its pages. The tables for the join are computed when
/// they are first needed.
#[derive(Clone)]
pub(crate) struct AnchorTexts(Arc<CommitAnchors>);

/// The data of an [`AnchorTexts`], which all its clones share.
struct CommitAnchors {
    fields: Fields,
    generation: u64,
    folded: Folded,
    kept: Arc<KeptTables>,
    superseded: OnceLock<HashSet<u64>>,
    pages: OnceLock<PageTable>,
    votes: OnceLock<VotePlaces>,
}

impl std::fmt::Debug for AnchorTexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnchorTexts").finish_non_exhaustive()
    }
}

impl AnchorTexts {
    pub(crate) fn new(
        fields: Fields,
        generation: u64,
        folded: Folded,
        kept: Arc<KeptTables>,
    ) -> Self {
        Self(Arc::new(CommitAnchors {
            fields,
            generation,
            folded,
            kept,
            superseded: OnceLock::new(),
            pages: OnceLock::new(),
            votes: OnceLock::new(),
        }))
    }

    pub(crate) fn fields(&self) -> &Fields {
        &self.0.fields
    }

    pub(crate) fn folded(&self) -> &Folded {
        &self.0.folded
    }

    /// Returns the hashes of the URLs of all pages that were indexed, or became tombstones, since
    /// the last compaction. The anchor texts that the compaction took from these pages are no
    /// longer valid.
    pub(crate) fn superseded(&self, searcher: &Searcher) -> tantivy::Result<&HashSet<u64>> {
        made_once(&self.0.superseded, || self.read_superseded(searcher))
    }

    fn read_superseded(&self, searcher: &Searcher) -> tantivy::Result<HashSet<u64>> {
        let mut ids = HashSet::new();
        // Without folded anchor texts there is nothing to supersede.
        if self.0.folded.indexes().next().is_none() {
            return Ok(ids);
        }
        let term = Term::from_field_u64(self.0.fields.generation, self.0.generation);
        for segment in searcher.segment_readers() {
            let columns =
                [column::ID, column::GONE_ID].map(|name| segment.fast_fields().u64(name).ok());
            each(segment, &term, |document| {
                for column in columns.iter().flatten() {
                    ids.extend(column.first(document));
                }
            })?;
        }
        Ok(ids)
    }

    pub(super) fn pages(&self, searcher: &Searcher) -> &PageTable {
        self.0.pages.get_or_init(|| {
            let pages = PageTable::read(searcher, self.0.kept.pages());
            self.0.kept.keep_pages(&pages.kept.table);
            pages
        })
    }

    pub(super) fn votes(&self, searcher: &Searcher) -> tantivy::Result<&VotePlaces> {
        made_once(&self.0.votes, || VotePlaces::read(self, searcher))
    }
}

/// Returns the value of a cell. If the cell is empty, calls `make` and stores the result. If two
/// threads do so at once, one of their equal values is stored.
fn made_once<T>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> tantivy::Result<T>,
) -> tantivy::Result<&T> {
    if let Some(made) = cell.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

/// Table that says how a query counts the votes for pages. A vote is an anchor text from pages of
/// one host. A compaction collected the votes for each link target in a document (folded them). If
/// the document is in [`single`](Self::single), the query compares its votes with the votes in
/// other documents, one by one. Otherwise, all matching votes of the document count.
pub(super) struct VotePlaces {
    targets: Arc<FoldedTargets>,
    /// Documents whose votes (anchor texts from pages of one host) are counted one by one. The
    /// first element is for the index [`Folded::of_pages`], the second for [`Folded::of_others`].
    /// Each element has a list for each segment, with ranges of documents in ascending order.
    ///
    /// A document is listed if other documents have votes for the same link target. A document is
    /// also listed if some of its votes may be invalid or may expire.
    pub(super) single: [Vec<Vec<Range<DocId>>>; 2],
}

impl VotePlaces {
    fn read(anchors: &AnchorTexts, searcher: &Searcher) -> tantivy::Result<Self> {
        let folded = anchors.folded();
        let pages = anchors.pages(searcher);
        let of_pages = folded.of_pages.as_ref();
        let targets = anchors.0.kept.targets(of_pages, &pages.kept.table);
        let mut by_votes = HashSet::new();
        if folded.indexes().next().is_some() {
            for segment in searcher.segment_readers() {
                targets_of(segment, &mut by_votes);
            }
            for id in anchors.superseded(searcher)? {
                if let Some(index) = of_pages {
                    add_targets_of(*id, index, &mut by_votes)?;
                }
                // A URL without a page at the last compaction may have one now. A page may be
                // another document now, which the kept table does not have.
                if pages.kept.find(*id).is_none() || is_target(folded.of_others.as_ref(), *id) {
                    by_votes.insert(*id);
                }
            }
        }
        by_votes.retain(|target| pages.find(*target).is_some());
        let mut by_votes: Vec<_> = by_votes.into_iter().collect();
        by_votes.sort_unstable();
        let [mut single, others] =
            [of_pages, folded.of_others.as_ref()].map(|index| documents_of(index, &by_votes));
        for (single, always) in single.iter_mut().zip(targets.single()) {
            *single = union(single, always);
        }
        Ok(Self {
            targets,
            single: [single, others],
        })
    }

    /// Returns the number of the page to which the anchor texts of a document belong. The document
    /// must be in [`Folded::of_pages`], and not in [`VotePlaces::single`]. Returns None if there is
    /// no page at the link target's URL. `segment` is the document's segment, given as its position
    /// in the index and its columns.
    pub(super) fn page_of(
        &self,
        pages: &PageTable,
        segment: (usize, &FoldedSegment),
        document: DocId,
    ) -> Option<u32> {
        let (at, segment) = segment;
        let number = self.targets.page_of(at, document)?;
        let page = pages.kept.page(number);
        // A table may have a deleted document of the same page too.
        page.or_else(|| pages.kept.find(segment.target(document)))
    }
}

/// Returns the union of two lists of ranges. Both lists must be in ascending order. Two ranges from
/// different lists must be equal, or must not overlap.
fn union(one: &[Range<DocId>], other: &[Range<DocId>]) -> Vec<Range<DocId>> {
    let mut all: Vec<_> = one.iter().chain(other).cloned().collect();
    all.sort_unstable_by_key(|range| range.start);
    all.dedup();
    all
}
/// Adds to `targets` the link targets of all anchor texts that a segment stores with their source
/// pages. A target is the hash of a URL.
fn targets_of(segment: &SegmentReader, targets: &mut HashSet<u64>) {
    let Some(columns) = AnchorColumns::open(segment) else {
        return;
    };
    for document in segment.doc_ids_alive() {
        targets.extend(columns.targets(document));
    }
}

/// Adds to `targets` each link target in `index` that has an anchor text from the page `source`.
/// The page and the targets are given as hashes of their URLs.
fn add_targets_of(
    source: u64,
    index: &FoldedIndex,
    targets: &mut HashSet<u64>,
) -> tantivy::Result<()> {
    let segments: Vec<_> = index.segments().map(|(_, segment)| segment).collect();
    index.each_of_source(source, |number, document| {
        targets.insert(segments[number].target(document));
    })
}

/// True if `index` has anchor texts of links to `target`, the hash of a URL. False if `index` is
/// None. `index` has anchor texts that a compaction collected by link target (folded).
fn is_target(index: Option<&FoldedIndex>, target: u64) -> bool {
    let mut segments = index.into_iter().flat_map(FoldedIndex::segments);
    segments.any(|(_, segment)| !segment.documents_of(target, 0).is_empty())
}

/// Returns, for each segment of `index`, the documents with anchor texts of links to any of
/// `targets`. `index` has anchor texts that a compaction collected by link target. The targets are
/// hashes of URLs, and must be in ascending order.
pub(super) fn documents_of(index: Option<&FoldedIndex>, targets: &[u64]) -> Vec<Vec<Range<DocId>>> {
    let mut found = Vec::new();
    for (_, segment) in index.into_iter().flat_map(FoldedIndex::segments) {
        let mut of_segment = Vec::new();
        let mut from = 0;
        for target in targets {
            let documents = segment.documents_of(*target, from);
            from = documents.end;
            if !documents.is_empty() {
                of_segment.push(documents);
            }
        }
        found.push(of_segment);
    }
    found
}
