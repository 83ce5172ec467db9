//! The anchor texts of one commit, joined with its pages.
//!
//! Folded anchor texts name pages by one document each. A page may have other votes too: of pages
//! that were indexed since the last compaction, or of links to it that were folded before it was a
//! page. Votes that are no longer valid may stand in its document. Such pages are counted by their
//! single votes, of all documents that have any. All other pages are counted by their document
//! alone, which is what makes a query fast. Both ways count the same: folding changes no answer.
//!
//! The join is made when a query first needs it, once a commit.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use tantivy::schema::Term;
use tantivy::{DocAddress, DocId, Searcher, SegmentReader};

use crate::folded::{Folded, FoldedIndex};
use crate::schema::{Fields, column};
use crate::statistics::each;

use super::columns::AnchorColumns;

/// Stands for no page.
pub(super) const NO_PAGE: u32 = u32::MAX;

/// The anchor texts of one commit.
#[derive(Clone)]
pub(crate) struct AnchorTexts(Arc<CommitAnchors>);

/// What the clones of [`AnchorTexts`] share.
struct CommitAnchors {
    fields: Fields,
    generation: u64,
    folded: Folded,
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
    pub(crate) fn new(fields: Fields, generation: u64, folded: Folded) -> Self {
        Self(Arc::new(CommitAnchors {
            fields,
            generation,
            folded,
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
        self.0.pages.get_or_init(|| PageTable::read(searcher))
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

/// The pages of one commit, by the hashes of their URLs. A page is known by its number: its place
/// among the documents of all segments.
pub(super) struct PageTable {
    ids: Vec<u64>,
    pages: Vec<u32>,
    /// For each beginning of a hash, the place of its first id. Hashes are spread evenly, so a
    /// beginning has few of them.
    starts: Vec<u32>,
    shift: u32,
    /// Number of the first document of each segment.
    bases: Vec<u32>,
}

impl PageTable {
    fn read(searcher: &Searcher) -> Self {
        let mut found = Vec::new();
        let mut bases = Vec::new();
        let mut base = 0;
        for segment in searcher.segment_readers() {
            bases.push(base);
            if let Ok(ids) = segment.fast_fields().u64(column::ID) {
                for document in segment.doc_ids_alive() {
                    found.extend(ids.first(document).map(|id| (id, base + document)));
                }
            }
            base += segment.max_doc();
        }
        found.sort_unstable();
        let bits = (found.len() / 4).max(1).ilog2() + 1;
        let shift = u64::BITS - bits;
        let mut starts = vec![0; (1 << bits) + 1];
        for (id, _) in &found {
            starts[(id >> shift) as usize + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let (ids, pages) = found.into_iter().unzip();
        Self {
            ids,
            pages,
            starts,
            shift,
            bases,
        }
    }

    /// Returns the number of the page at a URL, by the hash of the URL.
    pub(super) fn find(&self, id: u64) -> Option<u32> {
        let beginning = (id >> self.shift) as usize;
        let start = *self.starts.get(beginning)? as usize;
        let end = *self.starts.get(beginning + 1)? as usize;
        let ids = self.ids.get(start..end)?;
        let place = ids.iter().position(|one| *one == id)?;
        self.pages.get(start + place).copied()
    }

    /// Returns the address of a page in the index.
    pub(super) fn address(&self, page: u32) -> DocAddress {
        let segment = self.bases.partition_point(|base| *base <= page);
        let segment = segment.saturating_sub(1);
        let base = self.bases.get(segment).copied().unwrap_or_default();
        DocAddress::new(segment as u32, page - base)
    }
}

/// The documents of folded anchor texts by which pages are counted.
pub(super) struct VotePlaces {
    /// For each segment of the anchor texts of pages, the page of each document that counts alone.
    /// [`NO_PAGE`] for every other document.
    pub(super) alone: Vec<Vec<u32>>,
    /// For each index and segment, the documents of pages that are counted by single votes.
    pub(super) single: [Vec<Vec<Range<DocId>>>; 2],
}

impl VotePlaces {
    fn read(anchors: &AnchorTexts, searcher: &Searcher) -> tantivy::Result<Self> {
        let folded = anchors.folded();
        let pages = anchors.pages(searcher);
        let mut by_votes = HashSet::new();
        if folded.indexes().next().is_some() {
            for segment in searcher.segment_readers() {
                targets_of(segment, &mut by_votes);
            }
            let superseded = anchors.superseded(searcher)?;
            if let Some(index) = &folded.of_pages {
                collect_changed(index, superseded, &mut by_votes)?;
            }
            if let Some(others) = &folded.of_others {
                // What was no page at the last compaction may be one now.
                for id in superseded {
                    let mut segments = others.segments();
                    if segments.any(|(_, segment)| !segment.documents_of(*id, 0).is_empty()) {
                        by_votes.insert(*id);
                    }
                }
            }
        }
        by_votes.retain(|target| pages.find(*target).is_some());
        let mut alone = Vec::new();
        for (_, segment) in folded.of_pages.iter().flat_map(FoldedIndex::segments) {
            let mut of_segment = Vec::with_capacity(segment.documents() as usize);
            for document in 0..segment.documents() {
                let target = segment.target(document);
                let page = pages.find(target).filter(|_| !by_votes.contains(&target));
                of_segment.push(page.unwrap_or(NO_PAGE));
            }
            alone.push(of_segment);
        }
        let mut by_votes: Vec<_> = by_votes.into_iter().collect();
        by_votes.sort_unstable();
        let single = [&folded.of_pages, &folded.of_others]
            .map(|index| documents_of(index.as_ref(), &by_votes));
        Ok(Self { alone, single })
    }
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

/// Adds the link targets in the folded anchor texts of pages whose documents do not count alone:
/// with votes that are no longer valid or may expire, or in several documents.
fn collect_changed(
    index: &FoldedIndex,
    superseded: &HashSet<u64>,
    targets: &mut HashSet<u64>,
) -> tantivy::Result<()> {
    let segments: Vec<_> = index.segments().map(|(_, segment)| segment).collect();
    for source in superseded {
        index.each_of_source(*source, |number, document| {
            targets.insert(segments[number].target(document));
        })?;
    }
    let mut before = None;
    for segment in segments {
        for document in 0..segment.documents() {
            let target = segment.target(document);
            if before == Some(target) || segment.expires(document).is_some() {
                targets.insert(target);
            }
            before = Some(target);
        }
    }
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_table_of_nothing_has_nothing() {
        let schema = tantivy::schema::Schema::builder().build();
        let index = tantivy::Index::create_in_ram(schema);
        let searcher = index.reader().unwrap().searcher();
        let table = PageTable::read(&searcher);
        for id in [0, 1, u64::MAX] {
            assert_eq!(table.find(id), None);
        }
    }
}
