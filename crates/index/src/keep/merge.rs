//! Merges several indexes into a new one. The merged index equals that of one writer that added all
//! pages in the order of the indexes (`replay`).
//!
//! Valid documents are copied segment by segment, without being tokenized again. Other documents
//! are written to a temporary index, which is then copied too. They are statements about URLs,
//! times at which pages were found unchanged, and locations of copied snapshots. They also include
//! tombstones that no single index has, but that follow from several indexes together.
//!
//! An open index takes one memory map for each of its files, and the system bounds them (`bounds`).
//! If all indexes together have more files, they are merged in rounds. Each round merges the result
//! of the rounds before it with the next indexes of the list. A result has all that the next round
//! needs, so the new index equals that of a single round. A round copies the documents of all
//! rounds before it again. So the first round has the remainder, and each later one as many indexes
//! as may be open. A single index with more files than that has a round to itself, and may fail.
//!
//! The results of rounds and the new index are written to a folder next to the new one's own
//! (`workplace`). Its last result is renamed at the end, so the new index exists completely or not
//! at all. The folder takes at most the room of all indexes, or twice that if there are several
//! rounds. The source indexes are only read.
//!
//! Anchor texts are not copied. Those whose source pages stand are collected from all indexes and
//! folded, as a compaction does (`fold`). So an index may have been compacted or not.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tantivy::directory::OwnedBytes;
use tantivy::fastfield::{AliveBitSet, write_alive_bitset};
use tantivy::index::InvertedIndexReader;
use tantivy::indexer::{NoMergePolicy, merge_filtered_segments};
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::termdict::TermMerger;
use tantivy::{BitSet, DocAddress, DocSet, IndexSettings, Segment, SegmentOrdinal, TERMINATED};

use crate::analysis::Analysis;
use crate::ask::Search;
use crate::bounds::{free_addresses, free_maps};
use crate::directory::{Folder, SEGMENT_FILES};
use crate::folded::ANCHORS;
use crate::id::id;
use crate::open::{Index, IndexContext, WriteContext, sync_parent};
use crate::payload::Payload;
use crate::rules;
use crate::schema::{DocumentKind, unchanged_at};
use crate::statement::is_statement;
use crate::statistics::each;
use crate::store::{SNAPSHOTS, StoreOffset};
use crate::terms::Terms;
use crate::trouble::{catch_panics, trouble};
use heedful_base::address::Key;
use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};
use heedful_base::memory::Memory;

use super::fold::Folding;
use super::replay::{IndexRecords, MergedUrl};
use super::workplace::Workplace;
use super::writer::Writer;

/// Number of files that a round of a merge may open besides the files of the caller's indexes. The
/// additional files belong to three indexes: the previous round's result, this round's temporary
/// index ([`MORE`]), and this round's result.
const OWN_FILES: usize = 64;
/// Bytes of memory that an open index takes, beside its files: 265 kB were measured for an index of
/// seven segments.
const INDEX_BYTES: u64 = 300_000;
/// Bytes of memory that a merge takes in any case.
const LEAST_BYTES: u64 = 64 << 20;
/// Bytes of a memory page. A mapped file takes a multiple of this number of bytes of address space.
const BLOCK: u64 = 4096;
/// Name of the folder with a temporary index. A merge of many indexes takes several rounds, because
/// each round opens a limited number of files. The temporary index has the documents that a round
/// writes anew and does not copy from another index.
const MORE: &str = "more";
/// End of the text of an error for a full disk.
#[cfg(unix)]
const FULL_DISK: &str = "(os error 28)";
#[cfg(not(unix))]
const FULL_DISK: &str = "(os error 112)";

/// Result of [`Index::merge`]: the number of pages in the new index, and of pages that were
/// ignored.
///
/// # Examples
/// ```
/// use std::time::{Duration, SystemTime};
/// use heedful::{Bot, Filter};
/// use heedful_index::{Index, Query};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let shards = ["a", "b"].map(|name| folder.path().join(name));
/// for (shard, (html, seconds)) in shards.iter().zip([("<p>New", 2_000), ("<p>Old", 1_000)]) {
///     let mut writer = Index::create(shard, &filter)?.writer(1)?;
///     let page = filter.page("https://example.com/", &[], html.as_bytes())?;
///     let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
///     writer.add_captured(&page, Some(time))?;
///     writer.commit()?;
/// }
///
/// let report = Index::merge(&shards, folder.path().join("all"))?;
/// assert_eq!((report.pages, report.older), (1, 1));
/// let all = Index::open(folder.path().join("all"))?;
/// assert_eq!(all.search()?.find(&Query::new("new"))?.total(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergeReport {
    /// Number of pages in the new index.
    pub pages: u64,
    /// Number of ignored pages. A page is ignored if an earlier index in the list has a later
    /// capture of the same URL.
    pub older: u64,
}

impl Index {
    /// Merges several indexes into a new index in `folder`. The indexes must have equal [`Terms`]
    /// and [`Analysis`](crate::Analysis). If several indexes know a URL, the new index has the
    /// latest capture. If the captures have the same time, the capture of the later index in
    /// `shards` is taken.
    ///
    /// The system may not allow that all files of the indexes are mapped at once. The indexes are
    /// then merged in several rounds, with the same result. Until the merge is complete, its files
    /// are in the folder `.heedful-merge-NAME` next to `folder`. The files take at most as much
    /// space as all indexes, or twice as much in several rounds.
    ///
    /// For an example see [`MergeReport`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if `shards` is empty or `folder` is not empty. [`ErrorKind::Index`] if
    /// the indexes differ in [`Terms`] or [`Analysis`](crate::Analysis). [`ErrorKind::Index`] if an
    /// index is damaged or is being written. [`ErrorKind::Index`] if another program is merging
    /// into `folder`. [`ErrorKind::Io`] if `folder` cannot be written. After an error, there is no
    /// new index.
    pub fn merge(shards: &[impl AsRef<Path>], folder: impl AsRef<Path>) -> Result<MergeReport> {
        Self::merge_rounds(shards, folder.as_ref(), None, free_maps())
    }

    /// Merges indexes like [`Index::merge`], with a bound on memory. `memory` bounds the buffers
    /// for writing. It does not bound the memory-mapped files from which documents are copied.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if `shards` is empty or `folder` is not empty. [`ErrorKind::Index`] if
    /// the indexes differ in [`Terms`] or [`Analysis`](crate::Analysis). [`ErrorKind::Index`] if an
    /// index is damaged or is being written. [`ErrorKind::Index`] if another program is merging
    /// into `folder`. [`ErrorKind::Io`] if `folder` cannot be written. After an error, there is no
    /// new index.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Index, Memory};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let (one, all) = (folder.path().join("one"), folder.path().join("all"));
    /// let mut writer = Index::create(&one, &filter)?.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// let report = Index::merge_within(&[one], all, Memory::new(256 << 20)?)?;
    /// assert_eq!(report.pages, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn merge_within(
        shards: &[impl AsRef<Path>],
        folder: impl AsRef<Path>,
        memory: Memory,
    ) -> Result<MergeReport> {
        Self::merge_rounds(shards, folder.as_ref(), Some(memory), free_maps())
    }

    /// Merges indexes like [`Index::merge`], in rounds that open at most `files` files at once. A
    /// round opens at least one index of the list, however many files it has. Only tests use this
    /// function.
    #[doc(hidden)]
    pub fn merge_opening(
        shards: &[impl AsRef<Path>],
        folder: impl AsRef<Path>,
        files: usize,
    ) -> Result<MergeReport> {
        Self::merge_rounds(shards, folder.as_ref(), None, files)
    }

    fn merge_rounds(
        shards: &[impl AsRef<Path>],
        folder: &Path,
        memory: Option<Memory>,
        files: usize,
    ) -> Result<MergeReport> {
        if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let message = format!("{} is not empty: merge into a new folder", folder.display());
            return Err(Error::index(IndexTrouble::Occupied, message));
        }
        let shards = shards
            .iter()
            .map(|shard| Shard::read(shard.as_ref()))
            .collect::<Result<Vec<_>>>()?;
        common_settings(shards.iter().map(|shard| (&shard.name, &shard.payload)))?;
        let counts: Vec<_> = shards.iter().map(|shard| shard.files).collect();
        let rounds = divide_into_rounds(&counts, files);
        check_addresses(&shards, &rounds)?;
        let place = Workplace::create(folder)?;
        let mut report = MergeReport::default();
        let mut result: Option<PathBuf> = None;
        for (number, round) in rounds.into_iter().enumerate() {
            let listed = shards.get(round).unwrap_or_default();
            let sources = listed.iter().map(|shard| Path::new(&shard.folder));
            let sources: Vec<_> = result.as_deref().into_iter().chain(sources).collect();
            let next = place.path().join(number.to_string());
            let older = catch_panics(&folder.display().to_string(), || {
                merge_once(&sources, &place, &next, memory)
            });
            let older = older.map_err(|error| name_room(error, &shards, folder))?;
            report.older += older;
            if let Some(before) = result.replace(next) {
                place.clear(&before)?;
            }
        }
        if let Some(result) = result {
            report.pages = Self::open(&result)?.stats()?.pages();
            // Some systems cannot rename a folder to the name of an existing empty one.
            let _ = std::fs::remove_dir(folder);
            std::fs::rename(&result, folder).map_err(|source| ErrorKind::Io {
                subject: folder.display().to_string(),
                source,
            })?;
            sync_parent(folder);
        }
        Ok(report)
    }
}

/// An index to merge. Its files are opened later, in the round that merges it.
struct Shard {
    folder: PathBuf,
    /// Name of the index in error messages.
    name: String,
    payload: Payload,
    /// Number of files that are mapped when the index is opened for searching.
    files: usize,
}

impl Shard {
    /// Reads the last commit of an index, without mapping its files.
    fn read(folder: &Path) -> Result<Self> {
        let index = Index::open(folder)?;
        let payload = index.payload()?;
        let segments = index.tantivy.load_metas().in_index(&index)?.segments;
        let deletions = segments.iter().filter(|one| one.has_deletes()).count();
        Ok(Self {
            folder: folder.to_owned(),
            name: index.folder,
            files: (segments.len() + payload.folded.segments()) * SEGMENT_FILES.len()
                + deletions
                + payload.snapshots.len(),
            payload,
        })
    }

    /// Returns the bytes of the files of this index, each rounded up to blocks of the system.
    fn size(&self) -> u64 {
        let mut bytes = 0;
        for folder in ["", SNAPSHOTS, ANCHORS].map(|inside| self.folder.join(inside)) {
            let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
            for file in entries.filter_map(|entry| entry.metadata().ok()) {
                bytes += file.len().next_multiple_of(BLOCK);
            }
        }
        bytes
    }
}

/// Divides the indexes of a merge into rounds, in their order, and returns the range of each round.
/// `files` has the number of files of each index. A round opens at most `most` files, including
/// [`OWN_FILES`], or has a single index. Rounds are filled from the last to the first, so the first
/// round may be small.
fn divide_into_rounds(files: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut rounds: Vec<Range<usize>> = Vec::new();
    let mut open = 0;
    for (number, files) in files.iter().enumerate().rev() {
        match rounds.last_mut() {
            Some(round) if open + files <= most => {
                round.start = number;
                open += files;
            }
            _ => {
                rounds.push(number..number + 1);
                open = OWN_FILES + files;
            }
        }
    }
    rounds.reverse();
    rounds
}

/// Fails if too little of this program's address space is free for a merge in these rounds. Never
/// fails if the system does not limit the address space. The last round maps the files of all
/// indexes. Without this check, the program could run out of memory there. Rust's standard library
/// would then end the program.
fn check_addresses(shards: &[Shard], rounds: &[Range<usize>]) -> Result<()> {
    let Some(free) = free_addresses() else {
        return Ok(());
    };
    let open = rounds.iter().map(Range::len).max().unwrap_or(0) as u64;
    let files: u64 = shards.iter().map(Shard::size).sum();
    let needed = files + open * INDEX_BYTES + LEAST_BYTES;
    if needed <= free {
        return Ok(());
    }
    let message = format!(
        "to merge these indexes takes {} MB of addresses, and the system gives this program {} more \
         (ulimit -v)",
        needed / 1_000_000,
        free / 1_000_000
    );
    Err(Error::index(IndexTrouble::Damaged, message))
}

/// Merges the indexes `sources` into a new index in `folder`. All of them are open at once. Returns
/// the number of pages that were ignored. A page is ignored if an index before its own in `sources`
/// has a capture of the same URL from a later time.
fn merge_once(
    sources: &[&Path],
    place: &Workplace,
    folder: &Path,
    memory: Option<Memory>,
) -> Result<u64> {
    let shards = sources
        .iter()
        .map(|source| Index::open(source)?.search())
        .collect::<Result<Vec<_>>>()?;
    let payloads = shards
        .iter()
        .map(|shard| (&shard.index.folder, &shard.payload));
    let (terms, analysis) = common_settings(payloads)?;
    let more = place.path().join(MORE);
    let mut merging = Merging::new(
        &shards,
        &Index::create_for(&more, &terms, analysis)?,
        memory,
    )?;
    merging.resolve()?;
    let older = merging.write(folder)?;
    place.clear(&more)?;
    Ok(older)
}

/// Replaces an error about a full disk by an error that says how much room the merge may need.
/// Returns any other error unchanged. `folder` is the folder of the new index.
fn name_room(error: Error, shards: &[Shard], folder: &Path) -> Error {
    if !error.to_string().contains(FULL_DISK) {
        return error;
    }
    let megabytes = shards.iter().map(Shard::size).sum::<u64>() / 1_000_000 + 1;
    let message = format!(
        "the disk is full: to merge these indexes may take {megabytes} MB there, \
         and twice that in several rounds"
    );
    let source = io::Error::new(io::ErrorKind::StorageFull, message);
    let subject = folder.display().to_string();
    ErrorKind::Io { subject, source }.into()
}

/// Returns the terms and the analysis that all indexes of a merge have in common. Fails if they
/// differ. `shards` yields the name and the payload of each index.
fn common_settings<'a>(
    mut shards: impl Iterator<Item = (&'a String, &'a Payload)>,
) -> Result<(Terms, Analysis)> {
    let Some(first) = shards.next() else {
        return Err(Error::index(
            IndexTrouble::NotThere,
            "there is nothing to merge",
        ));
    };
    let (other, asked) = first;
    for (one, payload) in [first].into_iter().chain(shards) {
        let difference = if payload.terms != asked.terms {
            Some(payload.terms.describe_difference(&asked.terms))
        } else if payload.analysis != asked.analysis {
            Some(difference(payload.analysis, asked.analysis))
        } else {
            None
        };
        if let Some(difference) = difference {
            let message = format!(
                "{one} was made {difference}: only what was made as {other} was can be merged with it"
            );
            return Err(Error::index(IndexTrouble::OtherTerms, message));
        }
    }
    Ok((asked.terms.clone(), asked.analysis))
}

/// Describes how two analyses differ.
fn difference(one: Analysis, other: Analysis) -> String {
    if one.forms() != other.forms() {
        return format!("with --forms {}, not {}", one.forms(), other.forms());
    }
    let with = if one.parts_blocks() {
        "with"
    } else {
        "without"
    };
    format!("{with} --blocks")
}

/// State of a merge of several indexes into a new one.
struct Merging<'a> {
    shards: &'a [Search],
    /// Documents to copy into the merged index. The outer list has an entry for each index. The
    /// inner list has a set of documents for each segment of that index.
    living: Vec<Vec<BitSet>>,
    /// Hashes of the URLs whose documents are not copied, as one set for each index. A set contains
    /// only URLs that its index knows.
    lost: Vec<HashSet<u64>>,
    memory: Option<Memory>,
    /// Writer of a temporary index with the documents that are not copied but newly written.
    more: Writer,
    /// Number of pages that were ignored, because an earlier index has a later capture.
    older: u64,
}

impl<'a> Merging<'a> {
    fn new(shards: &'a [Search], more: &Index, memory: Option<Memory>) -> Result<Self> {
        let mut more = Writer::new(more, 1, memory)?;
        let tantivy = more.tantivy.direct().written_to(&more.index)?;
        tantivy.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self {
            shards,
            living: shards.iter().map(all_of).collect(),
            lost: vec![HashSet::new(); shards.len()],
            memory,
            more,
            older: 0,
        })
    }

    /// Decides for each URL of the indexes, in alphabetical order, which of its documents are
    /// copied.
    fn resolve(&mut self) -> Result<()> {
        let index = self.more.index.clone();
        let mut places = Vec::new();
        let mut dictionaries = Vec::new();
        for (number, shard) in self.shards.iter().enumerate() {
            for (ordinal, segment) in (0..).zip(shard.searcher.segment_readers()) {
                places.push((number, ordinal));
                dictionaries.push(
                    segment
                        .inverted_index(index.fields.owner)
                        .in_index(&index)?,
                );
            }
        }
        let streams = dictionaries
            .iter()
            .map(|dictionary| dictionary.terms().stream());
        let streams = streams.collect::<io::Result<_>>().in_index(&index)?;
        let mut urls = TermMerger::new(streams);
        while urls.advance() {
            let found: Vec<_> = urls.current_segment_ords_and_term_infos().collect();
            if self.is_resolved(found.iter().map(|(at, _)| places[*at].0)) {
                continue;
            }
            let mut held = Vec::new();
            for (at, term) in found {
                let (number, ordinal) = places[at];
                let documents = self.documents(number, ordinal, &dictionaries[at], &term);
                for address in documents.in_index(&index)? {
                    held.push((number, address));
                }
            }
            let url = String::from_utf8_lossy(urls.key()).into_owned();
            self.resolve_url(&Key::from_stored(&url), &held)?;
        }
        Ok(())
    }

    /// True if all documents of a URL can be copied unchanged. This is so if only one index knows
    /// the URL, and this index has no snapshots. A snapshot would get a new location in the merged
    /// index, and so a new document. `knowing` yields the position of each index that knows the
    /// URL.
    fn is_resolved(&self, mut knowing: impl Iterator<Item = usize>) -> bool {
        let Some(first) = knowing.next() else {
            return true;
        };
        knowing.all(|number| number == first) && self.shards[first].payload.snapshots.is_empty()
    }

    /// Returns the documents of a URL in one segment of an index, without deleted documents.
    fn documents(
        &self,
        number: usize,
        ordinal: SegmentOrdinal,
        dictionary: &InvertedIndexReader,
        term: &TermInfo,
    ) -> io::Result<Vec<DocAddress>> {
        let segment = self.shards[number].searcher.segment_reader(ordinal);
        let mut postings =
            dictionary.read_postings_from_terminfo(term, IndexRecordOption::Basic)?;
        let mut documents = Vec::new();
        while postings.doc() != TERMINATED {
            if !segment.is_deleted(postings.doc()) {
                documents.push(DocAddress::new(ordinal, postings.doc()));
            }
            postings.advance();
        }
        Ok(documents)
    }

    /// Decides which documents of a URL are copied, and writes the documents that are new. All
    /// copied documents come from one index, which [`MergedUrl`] chooses. `held` has an entry for
    /// each existing document of the URL. The entry has the position of the document's index in the
    /// list, and the document's address in this index.
    fn resolve_url(&mut self, url: &Key<'_>, held: &[(usize, DocAddress)]) -> Result<()> {
        // Rules of a site file from several indexes are all copied. None replaces another.
        if rules::is_owner(url.as_str()) {
            return Ok(());
        }
        let mut standing = MergedUrl::default();
        for of_one in held.chunk_by(|one, other| one.0 == other.0) {
            let number = of_one[0].0;
            let holding = IndexRecords::read(
                &self.shards[number],
                of_one.iter().map(|(_, address)| *address),
            );
            let holding = holding.in_index(&self.more.index)?;
            self.older += u64::from(standing.apply(number, holding));
        }
        let mut made = Vec::new();
        let documents = self.more.documents();
        for (number, address) in held.iter().copied() {
            let shard = &self.shards[number];
            let segment = shard.searcher.segment_reader(address.segment_ord);
            let stands = standing.index == Some(number);
            if !stands {
                self.lost[number].insert(id(url));
            }
            let copy = StoreOffset::read(segment, address.doc_id);
            let is_said_anew = is_statement(segment, address.doc_id)
                || unchanged_at(segment, address.doc_id).is_some();
            if !stands || copy.is_some() || is_said_anew {
                self.living[number][address.segment_ord as usize].remove(address.doc_id);
            }
            if let Some(copy) = copy
                && stands
                && !standing.is_without_copy
            {
                made.push(documents.copy(
                    url,
                    self.more.move_snapshot(&shard.snapshots.member(copy)?)?,
                ));
            }
        }
        if let Some((reason, why)) = &standing.new_tombstone {
            made.push(documents.tombstone(url, *reason, why, standing.captured));
        }
        if let Some(seen) = standing.unchanged_at {
            made.push(documents.unchanged(url, seen));
        }
        for (captured, statement) in &standing.statements {
            made.push(documents.statement(url, *captured, statement));
        }
        if made.is_empty() {
            Ok(())
        } else {
            self.more.put_all(made)
        }
    }

    /// Writes a new, merged index with the copied and the newly written documents into `folder`.
    /// Returns the number of pages that were ignored. A page is ignored if an index before its own
    /// in the list has a capture of the same URL from a later time.
    fn write(mut self, folder: &Path) -> Result<u64> {
        self.more.commit()?;
        let index = self.more.index.clone();
        let mut folding = Folding::new(self.memory);
        for (shard, lost) in self.shards.iter().zip(&self.lost) {
            folding.gather(shard, |source| !lost.contains(&source))?;
        }
        self.leave_anchors().in_index(&index)?;
        drop(self.more);
        let more = index.search()?;
        self.living.push(all_of(&more));
        let mut segments = Vec::new();
        for (shard, living) in self.shards.iter().chain([&more]).zip(self.living) {
            let readers = shard.searcher.segment_readers();
            for ((segment, living), reader) in
                shard.segments()?.into_iter().zip(living).zip(readers)
            {
                let mut documents = reader.doc_ids_alive();
                if documents.any(|document| living.contains(document)) {
                    segments.push((segment, living));
                }
            }
        }
        let name = folder.display().to_string();
        let io = |source| ErrorKind::Io {
            subject: name.clone(),
            source,
        };
        std::fs::create_dir(folder).map_err(io)?;
        if segments.is_empty() {
            Index::create_for(folder, &more.payload.terms, more.payload.analysis)?;
            return Ok(self.older);
        }
        std::fs::rename(
            Path::new(&index.folder).join(SNAPSHOTS),
            folder.join(SNAPSHOTS),
        )
        .map_err(io)?;
        let directory = Folder::open(folder, &name)?;
        let fault = directory.fault();
        merge_segments(segments, directory).map_err(|error| {
            let cause = fault.take().unwrap_or_else(|| error.to_string());
            trouble(&name, &cause)
        })?;
        let merged = Index::take_over(folder, &more.payload)?;
        let generations = self.shards.iter().map(|shard| shard.payload.generation);
        let payload = Payload {
            folded: folding.write(&merged, &merged.search()?)?.commit,
            // No page was written since this folding.
            generation: generations.max().unwrap_or_default() + 1,
            ..merged.payload()?
        };
        merged.begin(&payload)?;
        Ok(self.older)
    }

    /// Excludes documents of the kind `anchor` from copying, because the merge collects their
    /// anchor texts by link target.
    fn leave_anchors(&mut self) -> tantivy::Result<()> {
        for (shard, living) in self.shards.iter().zip(&mut self.living) {
            let anchors = shard.index.fields.kind_of(DocumentKind::Anchor);
            for (segment, living) in shard.searcher.segment_readers().iter().zip(living) {
                each(segment, &anchors, |document| living.remove(document))?;
            }
        }
        Ok(())
    }
}

/// Returns for each segment of an index the set of all its documents.
fn all_of(index: &Search) -> Vec<BitSet> {
    let segments = index.searcher.segment_readers().iter();
    segments
        .map(|segment| BitSet::with_max_value_and_full(segment.max_doc()))
        .collect()
}

/// Merges segments of several indexes into one new segment. Only the documents in the bit set of a
/// segment are copied. The merge uses tantivy's function `merge_filtered_segments`. This function
/// is not documented, so a later version of tantivy may change it.
fn merge_segments(
    segments: Vec<(Segment, BitSet)>,
    folder: Folder,
) -> tantivy::Result<tantivy::Index> {
    let settings = match segments.first() {
        Some((segment, _)) => segment.index().settings().clone(),
        None => IndexSettings::default(),
    };
    let mut sources = Vec::with_capacity(segments.len());
    let mut filters = Vec::with_capacity(segments.len());
    for (segment, living) in segments {
        let mut bytes = Vec::new();
        write_alive_bitset(&living, &mut bytes)?;
        sources.push(segment);
        filters.push(Some(AliveBitSet::open(OwnedBytes::new(bytes))));
    }
    merge_filtered_segments(&sources, settings, filters, folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_opens_no_more_files_than_it_may() {
        let most = OWN_FILES + 100;
        assert_eq!(divide_into_rounds(&[40; 7], most), [0..1, 1..3, 3..5, 5..7]);
        assert_eq!(divide_into_rounds(&[50, 50, 90], most), [0..2, 2..3]);
        // An index of more files than a round may open has a round to itself.
        assert_eq!(divide_into_rounds(&[30, 900, 30], most), [0..1, 1..2, 2..3]);
        assert_eq!(divide_into_rounds(&[0, 0, 0], 0), [0..1, 1..2, 2..3]);
        assert_eq!(divide_into_rounds(&[], most), [0..0; 0]);
    }
}
