//! Compacts an index: folds equal anchor texts, drops unused snapshots, and merges segments. The
//! results of queries do not change.
//!
//! A menu on every page of a site makes as many equal anchor texts as there are pages. For folding,
//! anchor texts are sorted on disk by link target, vote, expiry, and the language of the source
//! page, by which their words have other forms. Equal ones become one document with the URL hashes
//! of all source pages. If a source page is indexed again later, the folded document is not
//! changed. It is then no longer valid for that source page, because the page or its tombstone has
//! a later generation (see `anchors`). The next compaction drops the source page from the document.
//! An anchor text that is not stored cannot be folded and stays unchanged.

use tantivy::TantivyDocument;
use tantivy::indexer::NoMergePolicy;

use crate::ask::{AnchorText, Search};
use crate::forms::Language;
use crate::open::{Index, IndexContext, WriteContext};
use crate::schema::DocumentKind;
use crate::store::StoreOffset;
use heedful_base::address::Key;
use heedful_base::error::Result;
use heedful_base::memory::Memory;

use super::document::{Documents, TargetAnchors};
use super::sorting::{SortRecord, SortedRuns, Sorting};
use super::writer::Writer;

/// Maximum number of source pages in one folded document. If more source pages have an anchor text,
/// several documents are written.
const MOST_SOURCES: usize = 4096;

/// Result of [`Index::compact`]: counts of anchor texts and bytes before and after the compaction.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::Index;
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// for number in 0..20 {
///     let html = b"<a href=/>Home</a>"; // a menu
///     writer.add(&filter.page(&format!("https://example.com/{number}"), &[], html)?)?;
/// }
/// writer.commit()?;
/// drop(writer);
///
/// let report = index.compact()?;
/// assert_eq!((report.anchors_before, report.anchors_after), (20, 1));
/// assert_eq!(report.snapshot_bytes_after, 0); // no snapshots
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactReport {
    /// Number of anchor texts before the compaction, as [`Stats::anchors`](crate::Stats::anchors)
    /// counts them. Anchor texts that may not be shown are not counted, because they stay
    /// unchanged.
    pub anchors_before: u64,
    /// Number of folded anchor documents after the compaction. Each has the source pages of one
    /// anchor text and one link target.
    pub anchors_after: u64,
    /// Bytes of all snapshot files before the compaction.
    pub snapshot_bytes_before: u64,
    /// Bytes of all snapshot files after the compaction.
    pub snapshot_bytes_after: u64,
    /// Most bytes that temporary files had at one time, for sorting the anchor texts.
    pub temporary_bytes: u64,
}

impl Index {
    /// Folds equal anchor texts, drops snapshots that belong to no page, and merges all segments of
    /// the index into one.
    ///
    /// For an example see [`CompactReport`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged, another writer is
    /// open, or writing fails. The last commit of the index then remains valid.
    pub fn compact(&self) -> Result<CompactReport> {
        self.compact_with(None)
    }

    /// Compacts like [`Index::compact`], with a bound on memory. `memory` bounds the buffers for
    /// sorting and writing, but not the memory-mapped files that merging reads.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged, another writer is
    /// open, or writing fails. The last commit of the index then remains valid.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Index, Memory};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<a href=/a>A</a>")?)?;
    /// writer.commit()?;
    /// drop(writer);
    /// let report = index.compact_within(Memory::new(256 << 20)?)?;
    /// assert_eq!(report.anchors_after, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compact_within(&self, memory: Memory) -> Result<CompactReport> {
        self.compact_with(Some(memory))
    }

    fn compact_with(&self, memory: Option<Memory>) -> Result<CompactReport> {
        let mut writer = Writer::new(self, 1, memory)?;
        let tantivy = writer.tantivy.direct().written_to(self)?;
        tantivy.set_merge_policy(Box::new(NoMergePolicy));
        writer.all_or_nothing(|writer| writer.compact(Sorting::new(memory)))
    }
}

impl Writer {
    fn compact(&mut self, sorting: Sorting) -> Result<CompactReport> {
        let search = self.index.search()?;
        let mut compacted = CompactReport {
            anchors_before: 0,
            anchors_after: 0,
            snapshot_bytes_before: snapshot_bytes(&search),
            snapshot_bytes_after: 0,
            temporary_bytes: 0,
        };
        self.fold(&search, sorting, &mut compacted)?;
        self.move_snapshots(&search)?;
        self.payload.generation += 1;
        self.commit_all(Vec::new())?;
        self.merge()?;
        compacted.snapshot_bytes_after = snapshot_bytes(&self.index.search()?);
        Ok(compacted)
    }

    fn fold(
        &mut self,
        search: &Search,
        mut sorting: Sorting,
        compacted: &mut CompactReport,
    ) -> Result<()> {
        search.each_anchor(
            |_, _| true,
            |columns, address, sources| {
                let expires = columns.expires(address.doc_id);
                let spoken = columns.spoken(address.doc_id);
                let document = search.document(address)?;
                for name in columns.anchor_texts(address.doc_id, &document, &search.index.fields) {
                    if name.text.is_empty() {
                        continue;
                    }
                    compacted.anchors_before += sources.len() as u64;
                    let anchor = FoldedAnchor {
                        name,
                        expires,
                        spoken,
                    };
                    for source in &sources {
                        sorting
                            .add(anchor.record(*source))
                            .in_index(&search.index)?;
                    }
                }
                Ok(())
            },
        )?;
        for kind in [DocumentKind::Anchor, DocumentKind::Folded] {
            self.delete_term(search.index.fields.kind_of(kind))?;
        }
        compacted.temporary_bytes = sorting.most_written();
        let mut sorted = sorting.sorted().in_index(&search.index)?;
        let documents = self.documents();
        while let Some(document) = next_folded(&mut sorted, &documents).in_index(&search.index)? {
            self.put(document)?;
            compacted.anchors_after += 1;
        }
        Ok(())
    }

    /// Copies the snapshots of all pages into one new snapshot file, in the order of their old
    /// locations.
    fn move_snapshots(&mut self, search: &Search) -> Result<()> {
        let mut spots: Vec<(StoreOffset, String)> = Vec::new();
        for url in search.urls()? {
            if let Some(spot) = search.spot(&Key::from_stored(&url))? {
                spots.push((spot, url));
            }
        }
        spots.sort_unstable();
        self.delete_term(search.index.fields.kind_of(DocumentKind::Copy))?;
        for (spot, url) in spots {
            let moved = self.move_snapshot(&search.snapshots.member(spot)?)?;
            self.put(self.documents().copy(&Key::from_stored(&url), moved))?;
        }
        Ok(())
    }

    fn merge(&mut self) -> Result<()> {
        let segments = self
            .index
            .tantivy
            .searchable_segment_ids()
            .written_to(&self.index)?;
        let tantivy = self.tantivy.direct().written_to(&self.index)?;
        if !segments.is_empty() {
            tantivy.merge(&segments).wait().written_to(&self.index)?;
        }
        tantivy
            .garbage_collect_files()
            .wait()
            .written_to(&self.index)?;
        Ok(())
    }
}

/// An anchor text with its link target, vote, expiry and language, but without its source page.
#[derive(Debug)]
struct FoldedAnchor {
    name: AnchorText,
    expires: Option<i64>,
    spoken: Option<Language>,
}

impl FoldedAnchor {
    /// Returns a record for sorting anchor texts. It contains all values that distinguish them,
    /// followed by `source`, the URL hash of the source page.
    fn record(&self, source: u64) -> SortRecord {
        let AnchorText {
            target,
            vote,
            text,
            url,
        } = &self.name;
        let mut record = SortRecord::new();
        for number in [*target, *vote, u64::from(self.expires.is_some())] {
            record.extend(number.to_be_bytes());
        }
        record.extend(self.expires.unwrap_or_default().to_be_bytes());
        record.extend(self.spoken.map_or(0, Language::number).to_be_bytes());
        record.extend((text.len() as u64).to_be_bytes());
        record.extend(text.as_bytes());
        record.extend(url.as_bytes());
        record.extend(source.to_be_bytes());
        record
    }

    fn read(record: &[u8]) -> Option<Self> {
        let target = read_number(record, 0)?;
        let vote = read_number(record, 8)?;
        let has_expiry = read_number(record, 16)? == 1;
        let expires = read_number(record, 24)?.cast_signed();
        let spoken = Language::from_number(read_number(record, 32)?);
        let length = usize::try_from(read_number(record, 40)?).ok()?;
        let texts = record.get(48..)?;
        let (called, url) = texts.split_at_checked(length)?;
        Some(Self {
            name: AnchorText {
                target,
                vote,
                text: String::from_utf8_lossy(called).into_owned(),
                url: String::from_utf8_lossy(url).into_owned(),
            },
            expires: has_expiry.then_some(expires),
            spoken,
        })
    }

    fn document(&self, sources: &[u64], documents: &Documents) -> TantivyDocument {
        let fields = &documents.fields;
        let mut document = TantivyDocument::new();
        document.add_text(fields.kind, DocumentKind::Folded.name());
        for source in sources {
            document.add_u64(fields.sources, *source);
        }
        let mut names = TargetAnchors::default();
        names.add(
            self.name.target,
            self.name.vote,
            &self.name.text,
            &self.name.url,
        );
        names.fill(&mut document, documents, self.spoken, true);
        if let Some(expires) = self.expires {
            document.add_i64(fields.expires, expires);
        }
        document
    }
}

fn read_number(record: &[u8], at: usize) -> Option<u64> {
    let bytes = record.get(at..)?.first_chunk()?;
    Some(u64::from_be_bytes(*bytes))
}

fn snapshot_bytes(search: &Search) -> u64 {
    let files = &search.payload.snapshots;
    files.iter().map(|file| file.length).sum()
}

/// Reads the next sorted records that differ only in their source page, and returns them as one
/// folded document. Returns None after the last record.
fn next_folded(
    sorted: &mut SortedRuns,
    documents: &Documents,
) -> std::io::Result<Option<TantivyDocument>> {
    let Some(first) = sorted.next()? else {
        return Ok(None);
    };
    let (anchor, source) = split_record(&first);
    let mut sources = vec![source];
    while sources.len() < MOST_SOURCES
        && let Some(next) = sorted.peek()
    {
        let (next_anchor, next_source) = split_record(next);
        if next_anchor != anchor {
            break;
        }
        sources.push(next_source);
        sorted.next()?;
    }
    sources.dedup();
    Ok(FoldedAnchor::read(anchor).map(|folded| folded.document(&sources, documents)))
}

/// Splits a sorted record into the values of its anchor text, and the URL hash of its source page.
fn split_record(record: &[u8]) -> (&[u8], u64) {
    let (anchor, source) = record.split_at(record.len().saturating_sub(8));
    (anchor, read_number(source, 0).unwrap_or(0))
}
