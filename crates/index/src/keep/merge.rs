//! Merges several indexes into a new one. The merged index equals that of one writer that added all
//! pages in the order of the indexes (`replay`).
//!
//! Valid documents are copied segment by segment, without being tokenized again. Other documents
//! are written to a temporary index, which is then copied too. They are statements about URLs,
//! times at which pages were found unchanged, and locations of copied snapshots. They also include
//! tombstones that no single index has, but that follow from several indexes together. The new
//! index is written to a temporary folder next to its own, and that folder is renamed at the end.
//! So the new index exists completely or not at all. The source indexes are only read. A compacted
//! index is refused, because its folded anchor documents have no owner. Such a document could not
//! be removed if another index has a later capture of its source page.

use std::io;
use std::path::Path;

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
use crate::directory::Folder;
use crate::open::{Index, IndexContext, WriteContext, sync_parent};
use crate::rules;
use crate::schema::unchanged_at;
use crate::statement::is_statement;
use crate::store::{SNAPSHOTS, StoreOffset};
use crate::terms::Terms;
use crate::trouble::catch_panics;
use heedful_base::address::Key;
use heedful_base::error::{Error, ErrorKind, IndexTrouble, Result};
use heedful_base::memory::Memory;

use super::replay::{IndexRecords, MergedUrl};
use super::writer::Writer;

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
    /// Number of pages that were ignored, because an earlier index in the list has a later capture
    /// of their URL.
    pub older: u64,
}

impl Index {
    /// Merges several indexes with equal terms and [`Analysis`](crate::Analysis) into a new folder.
    /// For a URL that several indexes know, the new index has the latest capture. Among captures of
    /// the same time, it has the one of the later index in `shards`.
    ///
    /// For an example see [`MergeReport`].
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if `shards` is empty or `folder` is not empty. [`ErrorKind::Index`] if
    /// one of the indexes is damaged, was compacted, has other terms or is being written.
    /// [`ErrorKind::Io`] if `folder` cannot be written. No new index exists after an error.
    pub fn merge(shards: &[impl AsRef<Path>], folder: impl AsRef<Path>) -> Result<MergeReport> {
        Self::merge_with(shards, folder.as_ref(), None)
    }

    /// Merges indexes like [`Index::merge`], with a bound on memory. `memory` bounds the buffers
    /// for writing, but not the memory-mapped files that copying reads.
    ///
    /// # Errors
    /// [`ErrorKind::Index`] if `shards` is empty or `folder` is not empty. [`ErrorKind::Index`] if
    /// one of the indexes is damaged, was compacted, has other terms or is being written.
    /// [`ErrorKind::Io`] if `folder` cannot be written. No new index exists after an error.
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
        Self::merge_with(shards, folder.as_ref(), Some(memory))
    }

    fn merge_with(
        shards: &[impl AsRef<Path>],
        folder: &Path,
        memory: Option<Memory>,
    ) -> Result<MergeReport> {
        if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
            let message = format!("{} is not empty: merge into a new folder", folder.display());
            return Err(Error::index(IndexTrouble::Occupied, message));
        }
        let shards = shards
            .iter()
            .map(|shard| Self::open(shard)?.search())
            .collect::<Result<Vec<_>>>()?;
        let (terms, analysis) = common_settings(&shards)?;
        let io = |source| ErrorKind::Io {
            subject: folder.display().to_string(),
            source,
        };
        let beside = match folder.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(beside).map_err(io)?;
        let beside = tempfile::Builder::new()
            .prefix(".heedful-")
            .tempdir_in(beside)
            .map_err(io)?;
        let made = beside.path().join("made");
        let more = beside.path().join("more");
        let mut merging =
            Merging::new(&shards, &Self::create_for(&more, &terms, analysis)?, memory)?;
        catch_panics(&folder.display().to_string(), || merging.resolve())?;
        let merged = merging.write(&made)?;
        // Some systems cannot rename a folder to the name of an existing empty one.
        let _ = std::fs::remove_dir(folder);
        std::fs::rename(&made, folder).map_err(io)?;
        sync_parent(folder);
        Ok(merged)
    }
}

/// Returns the terms and the analysis that all indexes of a merge have in common. Fails if
/// they differ, or if an index was compacted.
fn common_settings(shards: &[Search]) -> Result<(Terms, Analysis)> {
    let Some(first) = shards.first() else {
        return Err(Error::index(
            IndexTrouble::NotThere,
            "there is nothing to merge",
        ));
    };
    for shard in shards {
        let (payload, asked) = (&shard.payload, &first.payload);
        let difference = if payload.terms != asked.terms {
            Some(payload.terms.describe_difference(&asked.terms))
        } else if payload.analysis != asked.analysis {
            Some(difference(payload.analysis, asked.analysis))
        } else {
            None
        };
        if let Some(difference) = difference {
            let one = &shard.index.folder;
            let other = &first.index.folder;
            let message = format!(
                "{one} was made {difference}: only what was made as {other} was can be merged with it"
            );
            return Err(Error::index(IndexTrouble::OtherTerms, message));
        }
        if shard.payload.generation > 0 {
            return Err(shard.index.trouble(
                &"it was compacted: merge before you compact, or index its inputs again",
            ));
        }
    }
    Ok((first.payload.terms.clone(), first.payload.analysis))
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
    /// Documents to copy into the merged index. The outer list has one entry for each index, the
    /// inner list one for each segment of that index.
    living: Vec<Vec<BitSet>>,
    /// Writer of a temporary index with the documents that are not copied but newly written.
    more: Writer,
    merged: MergeReport,
}

impl<'a> Merging<'a> {
    fn new(shards: &'a [Search], more: &Index, memory: Option<Memory>) -> Result<Self> {
        let mut more = Writer::new(more, 1, memory)?;
        let tantivy = more.tantivy.direct().written_to(&more.index)?;
        tantivy.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self {
            shards,
            living: shards.iter().map(all_of).collect(),
            more,
            merged: MergeReport::default(),
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

    /// True if all documents of a URL can be copied unchanged. This requires that only one index
    /// knows the URL, and that this index has no snapshots to move. `knowing` yields the position
    /// of each index that knows the URL.
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

    /// Decides which documents of a URL are copied, and writes the new ones. The copied documents
    /// are those of the last index with a valid capture. `held` has the addresses of the URL's
    /// documents, each after the position of its index in the list.
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
            self.merged.older += u64::from(standing.apply(number, holding));
        }
        let mut made = Vec::new();
        let documents = self.more.documents();
        for (number, address) in held.iter().copied() {
            let shard = &self.shards[number];
            let segment = shard.searcher.segment_reader(address.segment_ord);
            let stands = standing.index == Some(number);
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

    /// Writes the documents to copy and the new documents into a new, merged index in `folder`.
    fn write(mut self, folder: &Path) -> Result<MergeReport> {
        self.more.commit()?;
        let index = self.more.index.clone();
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
            return Ok(self.merged);
        }
        std::fs::rename(
            Path::new(&index.folder).join(SNAPSHOTS),
            folder.join(SNAPSHOTS),
        )
        .map_err(io)?;
        let joined = merge_segments(segments, Folder::open(folder, &name)?).in_index(&index)?;
        drop(joined);
        let joined = Index::take_over(folder, &more.payload)?;
        self.merged.pages = joined.stats()?.pages();
        Ok(self.merged)
    }
}

/// Returns for each segment of an index the set of all its documents.
fn all_of(index: &Search) -> Vec<BitSet> {
    let segments = index.searcher.segment_readers().iter();
    segments
        .map(|segment| BitSet::with_max_value_and_full(segment.max_doc()))
        .collect()
}

/// Merges the documents to copy of all segments of all indexes into one new segment. tantivy's
/// documentation does not mention the function that does this, so a later version may change it.
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
