//! Reads folded anchor texts.

use std::ops::Range;
use std::path::PathBuf;

use tantivy::columnar::Column;
use tantivy::directory::error::OpenReadError;
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{
    DocAddress, DocId, DocSet, ReloadPolicy, Searcher, SegmentReader, TERMINATED, TantivyError,
};

use crate::directory::SEGMENT_FILES;
use crate::forms::{Language, Languages};
use crate::packed::{self, each_anchor_text};
use crate::schema::{Fields, column};
use crate::statistics::SpokenLanguages;
use crate::stored::{Stores, text};

use super::directory::{ANCHORS, MetaInMemory};
use super::fields::FoldedFields;

/// One anchor text, with the pages that use it. All of these pages are on one host, and their links
/// lead to one target.
#[derive(Clone, Debug)]
pub(crate) struct FoldedVote {
    pub(crate) vote: u64,
    /// Words of the anchor text, packed into one string.
    pub(crate) text: String,
    /// Hashes of the URLs of the source pages.
    pub(crate) sources: Vec<u64>,
}

/// The folded anchor texts of a commit. A compaction has collected them by link target. They are in
/// two tantivy indexes. An index without texts is None.
#[derive(Default)]
pub(crate) struct Folded {
    /// Anchor texts of links to URLs that were pages of the index at the last compaction.
    pub(crate) of_pages: Option<FoldedIndex>,
    /// Anchor texts of links to URLs that were no pages of the index at the last compaction.
    pub(crate) of_others: Option<FoldedIndex>,
}

impl Folded {
    pub(crate) fn indexes(&self) -> impl Iterator<Item = &FoldedIndex> {
        self.of_pages.iter().chain(&self.of_others)
    }

    /// Returns the names of all files of the indexes `of_pages` and `of_others`.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.indexes().flat_map(FoldedIndex::files).collect()
    }

    /// Checks the files of the indexes `of_pages` and `of_others` by their checksums. Returns one
    /// message for each damaged file. The list is empty if no file is damaged.
    pub(super) fn damaged(&self) -> Vec<String> {
        let mut damaged = Vec::new();
        for index in self.indexes() {
            for file in index.files() {
                match index.tantivy.directory().validate_checksum(&file) {
                    Ok(true) | Err(OpenReadError::FileDoesNotExist(_)) => {}
                    _ => damaged.push(format!("{ANCHORS}/{} is damaged", file.display())),
                }
            }
        }
        damaged
    }
}

/// Returns the tokenizers for the fields of a [`FoldedIndex`].
pub(super) fn tokenizers() -> TokenizerManager {
    let words = packed::PackedWords::default();
    let forms = packed::PackedForms::new(words.pending.clone());
    let tokenizers = TokenizerManager::default();
    tokenizers.register(packed::NAME, words);
    tokenizers.register(packed::NAME_OF_FORMS, forms);
    tokenizers
}

/// One of the two tantivy indexes of folded anchor texts. These are anchor texts that a compaction
/// collected by link target.
pub(crate) struct FoldedIndex {
    tantivy: tantivy::Index,
    pub(crate) searcher: Searcher,
    fields: FoldedFields,
    stores: Stores,
    segments: Vec<FoldedSegment>,
}

impl FoldedIndex {
    pub(super) fn open(directory: MetaInMemory) -> tantivy::Result<Self> {
        let tantivy = tantivy::Index::open(directory)?;
        let fields = FoldedFields::from_schema(&tantivy.schema())
            .ok_or_else(|| TantivyError::SchemaError("other fields".to_owned()))?;
        let reader: tantivy::IndexReader = tantivy
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let searcher = reader.searcher();
        let stores = Stores::open(&searcher)?;
        let mut segments = Vec::new();
        for segment in searcher.segment_readers() {
            segments.push(FoldedSegment::open(segment)?);
        }
        Ok(Self {
            tantivy,
            searcher,
            fields,
            stores,
            segments,
        })
    }

    fn files(&self) -> Vec<PathBuf> {
        let segments = self.tantivy.searchable_segment_metas().unwrap_or_default();
        let files = segments
            .iter()
            .map(|segment| SEGMENT_FILES.map(|kind| segment.relative_path(kind)));
        files.flatten().collect()
    }

    /// Converts a field of the page index to the corresponding field of this index. Returns None if
    /// `field` is no field for anchor texts. `pages` are the fields of the page index.
    pub(crate) fn field(&self, field: Field, pages: &Fields) -> Option<Field> {
        self.fields.field_for(field, pages)
    }

    /// Returns the set of the languages of all source pages.
    pub(crate) fn languages(&self) -> tantivy::Result<Languages> {
        SpokenLanguages::of_all(&self.searcher, self.fields.spoken)
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = (&SegmentReader, &FoldedSegment)> {
        self.searcher.segment_readers().iter().zip(&self.segments)
    }

    /// Calls `take` for each document that has an anchor text from the page `source`, the hash of a
    /// URL. The arguments are the number of the document's segment, and the document's number in
    /// it.
    pub(crate) fn each_of_source(
        &self,
        source: u64,
        mut take: impl FnMut(usize, DocId),
    ) -> tantivy::Result<()> {
        let term = Term::from_field_u64(self.fields.source, source);
        for (number, segment) in self.searcher.segment_readers().iter().enumerate() {
            let inverted = segment.inverted_index(self.fields.source)?;
            if let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)? {
                while postings.doc() != TERMINATED {
                    take(number, postings.doc());
                    postings.advance();
                }
            }
        }
        Ok(())
    }

    /// Reads the anchor texts of a document, and the URL of its link target. The anchor texts are
    /// in the order of [`FoldedSegment::votes`].
    pub(crate) fn texts(
        &self,
        segment: u32,
        document: DocId,
    ) -> tantivy::Result<(Vec<String>, String)> {
        let stored = self.stores.document(DocAddress::new(segment, document))?;
        let called = text(&stored, self.fields.shown_anchor);
        let texts = each_anchor_text(&called).map(str::to_owned).collect();
        Ok((texts, text(&stored, self.fields.target_url)))
    }
}

/// Columns of one segment of a [`FoldedIndex`]. Its documents are in ascending order of their link
/// targets.
pub(crate) struct FoldedSegment {
    documents: DocId,
    target: Column<u64>,
    vote: Column<u64>,
    source_count: Column<u64>,
    source: Column<u64>,
    expires: Option<Column<i64>>,
    spoken: Option<Column<u64>>,
}

impl FoldedSegment {
    fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let fast = segment.fast_fields();
        Ok(Self {
            documents: segment.max_doc(),
            target: fast.u64(column::TARGET)?,
            vote: fast.u64(column::VOTE)?,
            source_count: fast.u64(column::SOURCE_COUNT)?,
            source: fast.u64(column::SOURCE)?,
            expires: fast.i64(column::EXPIRES).ok(),
            spoken: fast.u64(column::SPOKEN).ok(),
        })
    }

    /// Returns the number of documents in this segment.
    pub(crate) fn documents(&self) -> DocId {
        self.documents
    }

    /// Returns the link target of a document, as the hash of its URL.
    pub(crate) fn target(&self, document: DocId) -> u64 {
        self.target.first(document).unwrap_or_default()
    }

    /// Returns the link target of the segment's last document, as the hash of its URL. Returns None
    /// if the segment is empty.
    pub(crate) fn last_target(&self) -> Option<u64> {
        let last = self.documents.checked_sub(1)?;
        Some(self.target(last))
    }

    /// Returns the documents with the anchor texts of links to `target` (the hash of a URL), from
    /// document `from` on. The range is empty if there are none.
    pub(crate) fn documents_of(&self, target: u64, from: DocId) -> Range<DocId> {
        let start = self.first_from(target, from);
        let end = match target.checked_add(1) {
            Some(next) => self.first_from(next, start),
            None => self.documents,
        };
        start..end
    }

    /// Returns the first document, from `from` on, whose link target is `target` or greater.
    fn first_from(&self, target: u64, from: DocId) -> DocId {
        let (mut low, mut high) = (from.min(self.documents), self.documents);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.target(middle) < target {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the votes of a document, in the order of its anchor texts. A vote is a hash of
    /// anchor text and linking host.
    pub(crate) fn votes(&self, document: DocId) -> impl Iterator<Item = u64> + '_ {
        self.vote.values_for_doc(document)
    }

    /// Returns the votes of a document, each with its source pages. A vote is a hash of an anchor
    /// text and the linking host. A source page is a page with this anchor text, given as the hash
    /// of its URL. The votes are in the order of the document's anchor texts.
    pub(crate) fn sources(&self, document: DocId) -> impl Iterator<Item = (u64, Vec<u64>)> + '_ {
        let counts = self.source_count.values_for_doc(document);
        let mut sources = self.source.values_for_doc(document);
        self.votes(document).zip(counts).map(move |(vote, count)| {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            (vote, sources.by_ref().take(count).collect())
        })
    }

    pub(crate) fn expires(&self, document: DocId) -> Option<i64> {
        self.expires.as_ref()?.first(document)
    }

    pub(crate) fn spoken(&self, document: DocId) -> Option<Language> {
        Language::from_number(self.spoken.as_ref()?.first(document)?)
    }
}
