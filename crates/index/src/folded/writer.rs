//! Writes folded anchor texts, in ascending order of their link targets.

use std::io;
use std::path::Path;

use tantivy::directory::Directory;
use tantivy::schema::Schema;
use tantivy::{SingleSegmentIndexWriter, TantivyDocument};

use heedful_base::memory::Memory;

use crate::analysis::Analysis;
use crate::directory::META;
use crate::forms::Language;
use crate::packed;

use super::directory::MetaInMemory;
use super::fields::FoldedFields;
use super::reader::{FoldedVote, tokenizers};

/// Bytes of memory at which a segment is written to disk. A bound on memory may lower this number,
/// but not below [`LEAST_BYTES`].
const BYTES: usize = 100 << 20;
/// Lowest value to which a bound on memory may lower [`BYTES`].
const LEAST_BYTES: usize = 15_000_000;
/// Maximum number of source pages (pages with the links) in one document. An anchor text may have
/// more source pages, such as all pages of a large site. It is then divided among several
/// documents.
const MOST_SOURCES: usize = 1 << 14;

/// Values that all anchor texts in one document share: the link target, the expiry time and the
/// language. If anchor texts of links to one target differ in expiry time or language, they are in
/// different documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoldedTarget {
    /// Hash of the target's URL.
    pub(crate) target: u64,
    pub(crate) url: String,
    /// Time at which the anchor texts expire, in seconds since 1970. None if they never expire.
    pub(crate) expires: Option<i64>,
    /// Language that the source pages declare. None if they declare none, or if heedful has no
    /// stemmer for this language.
    pub(crate) spoken: Option<Language>,
}

/// Writer of folded anchor texts, which a compaction collects by link target. If the writer is
/// dropped before it is finished, its files belong to no commit.
pub(crate) struct FoldedWriter {
    of_pages: SegmentsWriter,
    of_others: SegmentsWriter,
}

impl FoldedWriter {
    pub(super) fn new(
        directory: &MetaInMemory,
        analysis: Analysis,
        memory: Option<Memory>,
    ) -> Self {
        let bytes = match memory {
            Some(memory) => usize::try_from(memory.of_index() / 4).unwrap_or(BYTES),
            None => BYTES,
        };
        let begin = || SegmentsWriter::new(directory.clone(), analysis, bytes.min(BYTES));
        Self {
            of_pages: begin(),
            of_others: begin(),
        }
    }

    /// Adds the votes (anchor texts with their source pages) for a link target. `is_page` is true
    /// if the index has a page at the target's URL. Targets must come in ascending order of their
    /// hashes.
    pub(crate) fn add(
        &mut self,
        is_page: bool,
        target: &FoldedTarget,
        votes: &[FoldedVote],
    ) -> tantivy::Result<()> {
        let out = if is_page {
            &mut self.of_pages
        } else {
            &mut self.of_others
        };
        let mut document = Votes::default();
        for vote in votes {
            for sources in vote.sources.chunks(MOST_SOURCES) {
                let is_full = document.numbers.len() == packed::MOST_ANCHOR_TEXTS
                    || document.sources.len() + sources.len() > MOST_SOURCES;
                if is_full && !document.numbers.is_empty() {
                    out.put(target, &std::mem::take(&mut document))?;
                }
                document.numbers.push((vote.vote, sources.len() as u64));
                document.sources.extend(sources);
                document.called.push_str(&vote.text);
            }
        }
        if document.numbers.is_empty() {
            return Ok(());
        }
        out.put(target, &document)
    }

    /// Completes all segments. Returns the contents of two files `meta.json`. The first is for the
    /// anchor texts of links to indexed pages. The second is for the anchor texts of links to other
    /// URLs. Each content is None if no such texts were added.
    pub(super) fn finish(self) -> tantivy::Result<[Option<String>; 2]> {
        Ok([self.of_pages.finish()?, self.of_others.finish()?])
    }
}

/// Writer of one of the two indexes of folded anchor texts, segment after segment.
struct SegmentsWriter {
    directory: MetaInMemory,
    schema: Schema,
    fields: FoldedFields,
    analysis: Analysis,
    /// Bytes of memory at which a segment is written to disk.
    bytes: usize,
    /// The segment that is being written. None if no segment is begun. tantivy's usual writer is
    /// not used, because it does not bound the bytes in its queue.
    segment: Option<SingleSegmentIndexWriter>,
    /// Entries of `meta.json` for the finished segments.
    finished: Vec<serde_json::Value>,
    meta: serde_json::Value,
}

impl SegmentsWriter {
    fn new(directory: MetaInMemory, analysis: Analysis, bytes: usize) -> Self {
        let (schema, fields) = FoldedFields::build();
        Self {
            directory,
            schema,
            fields,
            analysis,
            bytes: bytes.max(LEAST_BYTES),
            segment: None,
            finished: Vec::new(),
            meta: serde_json::Value::Null,
        }
    }

    fn put(&mut self, target: &FoldedTarget, votes: &Votes) -> tantivy::Result<()> {
        let fields = &self.fields;
        let mut document = TantivyDocument::new();
        document.add_u64(fields.target, target.target);
        for (vote, sources) in &votes.numbers {
            document.add_u64(fields.vote, *vote);
            document.add_u64(fields.source_count, *sources);
        }
        for source in &votes.sources {
            document.add_u64(fields.source, *source);
        }
        if let Some(expires) = target.expires {
            document.add_i64(fields.expires, expires);
        }
        if let Some(language) = target.spoken {
            document.add_u64(fields.spoken, language.number());
        }
        let forms = self.analysis.forms();
        if let Some(packed) = packed::with_forms(&votes.called, forms, target.spoken) {
            document.add_text(fields.anchor_forms, packed);
        }
        document.add_text(fields.anchor, &votes.called);
        document.add_text(fields.shown_anchor, &votes.called);
        document.add_text(fields.target_url, &target.url);
        let segment = match self.segment.take() {
            Some(segment) => segment,
            None => self.begin_segment()?,
        };
        let segment = self.segment.insert(segment);
        segment.add_document(document)?;
        if segment.mem_usage() >= self.bytes {
            self.end_segment()?;
        }
        Ok(())
    }

    fn begin_segment(&self) -> tantivy::Result<SingleSegmentIndexWriter> {
        tantivy::Index::builder()
            .schema(self.schema.clone())
            .tokenizers(tokenizers())
            .single_segment_index_writer(self.directory.emptied(), self.bytes)
    }

    fn end_segment(&mut self) -> tantivy::Result<()> {
        let Some(segment) = self.segment.take() else {
            return Ok(());
        };
        let index = segment.finalize()?;
        let meta = index.directory().atomic_read(Path::new(META))?;
        self.meta = serde_json::from_slice(&meta).map_err(io::Error::from)?;
        if let Some(segments) = self.meta["segments"].as_array_mut() {
            self.finished.append(segments);
        }
        Ok(())
    }

    /// Completes the last segment. Returns the content of the index's `meta.json`, or None if
    /// nothing was added.
    fn finish(mut self) -> tantivy::Result<Option<String>> {
        self.end_segment()?;
        if self.finished.is_empty() {
            return Ok(None);
        }
        self.meta["segments"] = self.finished.into();
        Ok(Some(self.meta.to_string()))
    }
}

/// Anchor texts that are collected for one document, with their votes and source pages. A vote is a
/// hash of an anchor text and the linking host. A source page is a page that has the anchor text.
#[derive(Default)]
struct Votes {
    /// For each anchor text, its vote (the hash) and the number of its source pages.
    numbers: Vec<(u64, u64)>,
    sources: Vec<u64>,
    /// Words of all anchor texts, packed into one string, in the order of `numbers`.
    called: String,
}
