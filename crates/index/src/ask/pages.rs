//! The pages of a commit, found by the hashes of their URLs.
//!
//! Most pages of a commit are in the next commit too. So a later commit reuses the table of an
//! earlier one, and makes a second table of the segments that were added since. If these segments
//! have more than a third of all documents, one new table of all segments is made instead. Each
//! commit asks its own segments which documents are deleted. So a reused table never returns a
//! deleted page.

use std::sync::Arc;

use tantivy::{DocAddress, DocId, Searcher, SegmentReader};

use crate::tables::SegmentsTable;

/// Smallest ratio at which a table of pages is reused in a later commit. It is the ratio of the
/// table's documents to the documents in newer segments. At a smaller ratio, one new table of all
/// segments is made.
const KEPT_PER_LATER: u32 = 2;

/// A table of pages, seen from one commit. The commit has all segments of the table.
pub(super) struct TableInCommit {
    pub(super) table: Arc<SegmentsTable>,
    /// Each segment of the table, with the number of its first document in the commit. Documents
    /// are numbered over all segments of the commit.
    segments: Vec<(u32, SegmentReader)>,
}

impl TableInCommit {
    /// Creates a view of `table` from the commit of `searcher`. `bases` has, for each segment of
    /// the commit, the number of its first document. Returns None if a segment of the table is not
    /// in the commit.
    fn new(table: Arc<SegmentsTable>, searcher: &Searcher, bases: &[u32]) -> Option<Self> {
        let mut segments = Vec::new();
        for wanted in &table.segments {
            let readers = searcher.segment_readers();
            let at = readers
                .iter()
                .position(|segment| segment.segment_id() == *wanted)?;
            segments.push((bases[at], readers[at].clone()));
        }
        Some(Self { table, segments })
    }

    /// Converts the number of a page in the table to its number in the commit. Returns None if the
    /// page is deleted.
    pub(super) fn page(&self, number: u32) -> Option<u32> {
        let (at, document) = self.table.place(number)?;
        let (base, segment) = &self.segments[at];
        (!segment.is_deleted(document)).then_some(base + document)
    }

    /// Finds the page whose URL has the hash `id`. Returns the number of the page in the commit.
    /// Returns None if the table does not have the page, or if the page is deleted.
    pub(super) fn find(&self, id: u64) -> Option<u32> {
        self.table.find(id).find_map(|number| self.page(number))
    }
}

/// The pages of one commit, by the hashes of their URLs. The number of a page is the position of
/// its document among the documents of all segments.
pub(super) struct PageTable {
    pub(super) kept: TableInCommit,
    /// Table of the pages in newer segments, which the reused table `kept` lacks. None if `kept`
    /// has all segments of the commit.
    later: Option<TableInCommit>,
    /// For each segment of the commit, the number of its first document.
    bases: Vec<u32>,
}

impl PageTable {
    /// Reads the pages of a commit. `before` is the table of an earlier commit. If possible, this
    /// table is reused.
    pub(super) fn read(searcher: &Searcher, before: Option<Arc<SegmentsTable>>) -> Self {
        let mut bases = Vec::new();
        let mut base = 0;
        for segment in searcher.segment_readers() {
            bases.push(base);
            base += segment.max_doc();
        }
        let all: Vec<_> = searcher.segment_readers().iter().collect();
        let within = |table: Arc<SegmentsTable>| TableInCommit::new(table, searcher, &bases);
        if let Some(kept) = before.and_then(within) {
            let is_later =
                |segment: &&SegmentReader| !kept.table.segments.contains(&segment.segment_id());
            let later: Vec<_> = all.iter().copied().filter(is_later).collect();
            let count: u32 = later.iter().map(|segment| segment.max_doc()).sum();
            if count <= kept.table.documents() / KEPT_PER_LATER {
                let later = (!later.is_empty())
                    .then(|| Arc::new(SegmentsTable::read(&later)))
                    .and_then(within);
                return Self { kept, later, bases };
            }
        }
        let table = Arc::new(SegmentsTable::read(&all));
        let segments = bases.iter().copied().zip(all.into_iter().cloned());
        let kept = TableInCommit {
            table,
            segments: segments.collect(),
        };
        Self {
            kept,
            later: None,
            bases,
        }
    }

    /// Returns the number of the page whose URL has the hash `id`. Returns None if the commit does
    /// not have the page.
    pub(super) fn find(&self, id: u64) -> Option<u32> {
        let kept = self.kept.find(id);
        kept.or_else(|| self.later.as_ref()?.find(id))
    }

    /// Converts the number of a page to the address of its document in the index.
    pub(super) fn address(&self, page: u32) -> DocAddress {
        let segment = self.bases.partition_point(|base| *base <= page);
        let segment = segment.saturating_sub(1);
        let base = self.bases.get(segment).copied().unwrap_or_default();
        DocAddress::new(segment as DocId, page - base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_table_of_nothing_has_nothing() {
        let schema = tantivy::schema::Schema::builder().build();
        let index = tantivy::Index::create_in_ram(schema);
        let searcher = index.reader().unwrap().searcher();
        let table = PageTable::read(&searcher, None);
        for id in [0, 1, u64::MAX] {
            assert_eq!(table.find(id), None);
        }
    }
}
