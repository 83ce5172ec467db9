//! The anchor texts of one commit, joined with its pages.
//!
//! Folded anchor texts name pages by one document each. A page may have other votes too: of pages
//! that were indexed since the last compaction, or of links to it that were folded before it was a
//! page. Votes that are no longer valid may stand in its document. Such pages are counted by their
//! single votes, of all documents that have any. All other pages are counted by their document
//! alone, which is what makes a query fast. Both ways count the same: folding changes no answer.
//!
//! The join is made when a query first needs it, once a commit. What it says of folded anchor texts
//! and of the pages that stood before is kept for the next commit ([`KeptTables`]).

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

/// The anchor texts of one commit.
#[derive(Clone)]
pub(crate) struct AnchorTexts(Arc<CommitAnchors>);

/// What the clones of [`AnchorTexts`] share.
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
    /// the last compaction. Folded anchor texts are no longer valid for them as source pages.
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

/// Returns the value of a cell, made by `make` when it is first needed. If two threads make it, one
/// of the equal values stays.
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

/// The documents of folded anchor texts by which pages are counted.
pub(super) struct VotePlaces {
    targets: Arc<FoldedTargets>,
    /// For each index and segment, the documents of pages that are counted by single votes, in
    /// ascending order.
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
                // What was no page at the last compaction may be one now. What was one may be
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

    /// Returns the number of the page that is counted by a document of folded anchor texts of pages
    /// alone. Returns None for a document that names no page. The document must not be among those
    /// that are counted by single votes.
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

/// Returns all documents of two lists of ranges. Both are in ascending order, and a range of one is
/// equal to a range of the other or apart from all of them.
fn union(one: &[Range<DocId>], other: &[Range<DocId>]) -> Vec<Range<DocId>> {
    let mut all: Vec<_> = one.iter().chain(other).cloned().collect();
    all.sort_unstable_by_key(|range| range.start);
    all.dedup();
    all
}
/// Adds the link targets of all anchor texts in a segment of the index of pages.
fn targets_of(segment: &SegmentReader, targets: &mut HashSet<u64>) {
    let Some(columns) = AnchorColumns::open(segment) else {
        return;
    };
    for document in segment.doc_ids_alive() {
        targets.extend(columns.targets(document));
    }
}

/// Adds the link targets in folded anchor texts of pages that have votes of a source page. This
/// page's votes are no longer valid.
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

/// True if an index of folded anchor texts has links to a target.
fn is_target(index: Option<&FoldedIndex>, target: u64) -> bool {
    let mut segments = index.into_iter().flat_map(FoldedIndex::segments);
    segments.any(|(_, segment)| !segment.documents_of(target, 0).is_empty())
}

/// Returns the documents of link targets in each segment of an index. `targets` must be in ascending
/// order.
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
