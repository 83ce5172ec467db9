//! Compacts an index: folds anchor texts, drops unused snapshots, and merges segments. The results
//! of queries do not change. If so set, old tombstones are dropped too (`forget`).
//!
//! A page stores the anchor texts of its links to other pages. For folding, all of them are sorted
//! on disk by link target, expiry, language of the source page, vote and text. The language decides
//! which other forms the words have. A vote is a hash of an anchor text and the linking host. After
//! sorting, each link target has its anchor texts together, in documents of their own (`folded`). A
//! menu on every page of a site becomes one anchor text with many source pages. If a source page is
//! indexed again later, the folded documents are not changed. They are then no longer valid for
//! that source page, because the page or its tombstone has a later generation. The next compaction
//! drops the source page. An anchor text that is not stored cannot be folded and stays with its
//! page.

use std::time::SystemTime;

use tantivy::indexer::NoMergePolicy;

use crate::ask::{AnchorChoice, AnchorEntry, Search};
use crate::folded::{FoldedCommit, FoldedTarget, FoldedVote};
use crate::forms::Language;
use crate::open::{Index, IndexContext, WriteContext};
use crate::schema::DocumentKind;
use crate::time::seconds;
use heedful_base::error::Result;
use heedful_base::memory::Memory;

use super::sorting::{SortRecord, SortedRuns, Sorting};
use super::writer::Writer;

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
    /// counts them. Anchor texts that may not be shown are not counted, because the compaction does
    /// not change them.
    pub anchors_before: u64,
    /// Number of anchor texts after the compaction. Equal anchor texts of links from one host to
    /// one target count once.
    pub anchors_after: u64,
    /// Bytes of all snapshot files before the compaction.
    pub snapshot_bytes_before: u64,
    /// Bytes of all snapshot files after the compaction.
    pub snapshot_bytes_after: u64,
    /// Greatest total size of the temporary files for sorting the anchor texts, in bytes.
    pub temporary_bytes: u64,
    /// Number of URLs that the index no longer knows ([`Compaction::keep_gone_since`]).
    pub forgotten: u64,
}

/// Settings of a compaction ([`Index::compact_with`]).
///
/// # Examples
/// ```
/// use std::time::{Duration, SystemTime};
/// use heedful::{Bot, Filter};
/// use heedful_index::{Compaction, Gone, Index, Memory};
///
/// let folder = tempfile::tempdir()?;
/// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
/// let day = |day: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(day * 86_400);
/// let mut writer = index.writer(1)?;
/// for (url, time) in [("https://example.com/a", day(10)), ("https://example.com/b", day(90))] {
///     writer.remove_captured(url, Gone::Status(404), "", Some(time))?;
/// }
/// writer.commit()?;
/// drop(writer);
///
/// let settings = Compaction::default().keep_gone_since(day(60)).memory(Memory::new(256 << 20)?);
/// assert_eq!(index.compact_with(&settings)?.forgotten, 1);
/// assert_eq!(index.search()?.tombstone_urls()?, ["https://example.com/b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use]
pub struct Compaction {
    memory: Option<Memory>,
    gone_since: Option<SystemTime>,
}

impl Compaction {
    /// Bounds the buffers for sorting and writing. The memory-mapped files from which a merge reads
    /// are not counted.
    pub fn memory(mut self, memory: Memory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Makes the compaction forget old URLs that have no page. A URL is old if the index received
    /// nothing about it since `time`. The index deletes the URL's tombstone (the reason why it has
    /// no page), and all statements about the URL. A capture from before `time` can then be indexed
    /// again. A URL without a known time is never forgotten. By default, the index forgets no URL.
    pub fn keep_gone_since(mut self, time: SystemTime) -> Self {
        self.gone_since = Some(time);
        self
    }
}

impl Index {
    /// Compacts the index, without changing the results of queries. Anchor texts are folded: they
    /// are collected by link target. Snapshots that belong to no page are dropped. All segments of
    /// the index are merged into one.
    ///
    /// For an example see [`CompactReport`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged, another writer is
    /// open, or writing fails. The last commit of the index then remains valid.
    pub fn compact(&self) -> Result<CompactReport> {
        self.compact_with(&Compaction::default())
    }

    /// Compacts like [`Index::compact`], with these settings.
    ///
    /// For an example see [`Compaction`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged, another writer is
    /// open, or writing fails. The last commit of the index then remains valid.
    pub fn compact_with(&self, settings: &Compaction) -> Result<CompactReport> {
        let mut writer = Writer::new(self, 1, settings.memory)?;
        let tantivy = writer.tantivy.direct().written_to(self)?;
        tantivy.set_merge_policy(Box::new(NoMergePolicy));
        writer.all_or_nothing(|writer| writer.compact(settings))
    }
}

impl Writer {
    fn compact(&mut self, settings: &Compaction) -> Result<CompactReport> {
        let search = self.index.search()?;
        let mut folding = Folding::new(settings.memory);
        folding.gather(&search, |_| true)?;
        let anchors_before = folding.anchors;
        let folded = folding.write(&self.index, &search)?;
        self.refolded = Some(std::mem::replace(&mut self.payload.folded, folded.commit));
        self.delete_term(search.index.fields.kind_of(DocumentKind::Anchor))?;
        // Folded anchors of an earlier compaction need the tombstones of their sources. Those of
        // this one have no such sources.
        let forgotten = match settings.gone_since {
            Some(time) => self.forget_gone(&search, seconds(time))?,
            None => 0,
        };
        self.rewrite_all_files()?;
        self.payload.generation += 1;
        self.commit_all()?;
        self.merge()?;
        Ok(CompactReport {
            anchors_before,
            anchors_after: folded.votes,
            snapshot_bytes_before: snapshot_bytes(&search),
            snapshot_bytes_after: snapshot_bytes(&self.index.search()?),
            forgotten,
            temporary_bytes: folded.temporary_bytes,
        })
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

fn snapshot_bytes(search: &Search) -> u64 {
    let files = &search.payload.snapshots;
    files.iter().map(|file| file.length).sum()
}

/// Collects anchor texts of one or several indexes, and writes them sorted by link target.
pub(super) struct Folding {
    sorting: Sorting,
    memory: Option<Memory>,
    /// Number of collected anchor texts. An anchor text counts once for each of its source pages.
    anchors: u64,
}

/// Result of a folding: the files that it wrote, and counts.
pub(super) struct Folded {
    pub(super) commit: FoldedCommit,
    /// Number of anchor texts that were written. Equal anchor texts of links from one host to one
    /// target count once.
    votes: u64,
    /// Greatest total size of the temporary files, in bytes.
    temporary_bytes: u64,
}

impl Folding {
    pub(super) fn new(memory: Option<Memory>) -> Self {
        Self {
            sorting: Sorting::new(memory),
            memory,
            anchors: 0,
        }
    }

    /// Collects the anchor texts of an index from the source pages for which `stands` returns true.
    /// The argument of `stands` is the hash of a source page's URL.
    pub(super) fn gather(&mut self, search: &Search, stands: impl Fn(u64) -> bool) -> Result<()> {
        search.each_anchor(AnchorChoice::All, |anchor| {
            if anchor.text.is_empty() {
                return Ok(());
            }
            for source in anchor.sources.iter().filter(|source| stands(**source)) {
                self.anchors += 1;
                self.sorting
                    .add(record(anchor, *source))
                    .in_index(&search.index)?;
            }
            Ok(())
        })
    }

    /// Writes the collected anchor texts into the folder of `index`. Anchor texts of links to pages
    /// are written apart from all others. Each link target is looked up in `pages`, to find out if
    /// it is a page. The lookup needs a table of about 16 bytes of memory for each page.
    pub(super) fn write(self, index: &Index, pages: &Search) -> Result<Folded> {
        let analysis = pages.payload.analysis;
        let mut writer = index.folded.begin(analysis, self.memory);
        let temporary_bytes = self.sorting.most_written();
        let mut sorted = self.sorting.sorted().in_index(index)?;
        let mut votes = 0;
        while let Some((target, folded)) = next_folded(&mut sorted).in_index(index)? {
            votes += folded.len() as u64;
            let is_page = pages.has_page(target.target);
            let written = writer.add(is_page, &target, &folded);
            written.written_to(index)?;
        }
        Ok(Folded {
            commit: index.folded.finish(writer)?,
            votes,
            temporary_bytes,
        })
    }
}

/// Returns a record for sorting an anchor text. It has all values that distinguish anchor texts,
/// followed by the hash of the source page's URL.
fn record(anchor: &AnchorEntry<'_>, source: u64) -> SortRecord {
    let mut record = SortRecord::with_capacity(64 + anchor.text.len() + anchor.url.len());
    for number in [
        anchor.target,
        u64::from(anchor.expires.is_some()),
        anchor.expires.unwrap_or_default().cast_unsigned(),
        anchor.spoken.map_or(0, Language::number),
        anchor.vote,
        anchor.text.len() as u64,
    ] {
        record.extend(number.to_be_bytes());
    }
    record.extend(anchor.text.as_bytes());
    record.extend(anchor.url.as_bytes());
    record.extend(source.to_be_bytes());
    record
}

/// Length in bytes of the first part of a record: link target, expiry and language. This part is
/// equal for all anchor texts in one document.
const OF_TARGET: usize = 32;
/// Number of bytes of a record before the anchor text and the target's URL.
const BEFORE_TEXTS: usize = 48;

/// Splits a record into the values of its anchor text, and the hash of the source page's URL. The
/// hash is the last 8 bytes of the record.
fn split_record(record: &[u8]) -> (&[u8], u64) {
    let (anchor, source) = record.split_at(record.len().saturating_sub(8));
    (anchor, read_number(source, 0).unwrap_or(0))
}

/// Decodes the link target and the anchor text of a record. `anchor` is the record without the hash
/// of the source page's URL. So the returned anchor text has no source pages yet. Returns None if
/// the record is malformed.
fn read_anchor(anchor: &[u8]) -> Option<(FoldedTarget, FoldedVote)> {
    let has_expiry = read_number(anchor, 8)? == 1;
    let expires = read_number(anchor, 16)?.cast_signed();
    let length = usize::try_from(read_number(anchor, 40)?).ok()?;
    let (text, url) = anchor.get(BEFORE_TEXTS..)?.split_at_checked(length)?;
    let target = FoldedTarget {
        target: read_number(anchor, 0)?,
        url: String::from_utf8_lossy(url).into_owned(),
        expires: has_expiry.then_some(expires),
        spoken: Language::from_number(read_number(anchor, 24)?),
    };
    let vote = FoldedVote {
        vote: read_number(anchor, 32)?,
        text: String::from_utf8_lossy(text).into_owned(),
        sources: Vec::new(),
    };
    Some((target, vote))
}

fn read_number(record: &[u8], at: usize) -> Option<u64> {
    let bytes = record.get(at..)?.first_chunk()?;
    Some(u64::from_be_bytes(*bytes))
}

/// Number of source pages (pages with the links) at which a batch of anchor texts ends. The batch
/// is then written, even if more records of the same link target follow.
const MOST_SOURCES: usize = 1 << 16;

/// Reads the next sorted records of one link target with one language and expiry. Returns None
/// after the last record. A target with very many source pages is returned in several parts.
fn next_folded(
    sorted: &mut SortedRuns,
) -> std::io::Result<Option<(FoldedTarget, Vec<FoldedVote>)>> {
    let Some(first) = sorted.peek().cloned() else {
        return Ok(None);
    };
    let mut found: Option<(FoldedTarget, Vec<FoldedVote>)> = None;
    let mut before = Vec::new();
    let mut sources = 0;
    while let Some(next) = sorted.peek()
        && next.get(..OF_TARGET) == first.get(..OF_TARGET)
        && sources < MOST_SOURCES
    {
        let (anchor, source) = split_record(next);
        if anchor != before
            && let Some((target, vote)) = read_anchor(anchor)
        {
            before = anchor.to_vec();
            let (_, votes) = found.get_or_insert_with(|| (target, Vec::new()));
            votes.push(vote);
        }
        if let Some((_, votes)) = &mut found
            && let Some(vote) = votes.last_mut()
            && vote.sources.last() != Some(&source)
        {
            vote.sources.push(source);
            sources += 1;
        }
        sorted.next()?;
    }
    Ok(found)
}
