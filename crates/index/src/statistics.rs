//! BM25 statistics over the current pages of an index: the number of pages, their lengths, and
//! document frequencies.
//!
//! The statistics ignore deleted documents and documents that are not pages. So the score of a page
//! does not depend on the index's segments, its history, or anchor texts. (tantivy's own statistics
//! include deleted documents and anchor documents.)

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::columnar::Column;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::{Bm25StatisticsProvider, Scorer};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED};

use super::forms::{Language, Languages};
use super::schema::{DocumentKind, Fields, column};

#[derive(Clone)]
pub(super) struct Statistics {
    searcher: Searcher,
    pages: u64,
    /// Total number of tokens in each field of all pages. The number for a field is computed when
    /// it is first needed.
    tokens: Arc<Mutex<HashMap<Field, u64>>>,
}

impl Statistics {
    pub(super) fn new(searcher: &Searcher, fields: &Fields) -> tantivy::Result<Self> {
        let pages = count(searcher, &fields.kind_of(DocumentKind::Page))?;
        Ok(Self {
            searcher: searcher.clone(),
            pages,
            tokens: Arc::default(),
        })
    }

    /// Returns the number of pages in the index.
    pub(super) fn pages(&self) -> u64 {
        self.pages
    }
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(counted) = tokens.get(&field) {
            return Ok(*counted);
        }
        let mut total = 0;
        for segment in self.searcher.segment_readers() {
            // Stored lengths are rounded. A merge cannot restore the exact ones.
            let lengths = segment.get_fieldnorms_reader(field)?;
            // Documents that are not pages have no such field, so their length is 0.
            for document in 0..segment.max_doc() {
                let length = lengths.fieldnorm_id(document);
                if length > 0 && !segment.is_deleted(document) {
                    total += u64::from(FieldNormReader::id_to_fieldnorm(length));
                }
            }
        }
        tokens.insert(field, total);
        Ok(total)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.pages)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        count(&self.searcher, term)
    }
}

/// Returns the score that a scorer computes for a document. Returns None if the scorer does not
/// match the document. Documents must be passed to one scorer in ascending order.
pub(super) fn score_of(scorer: &mut dyn Scorer, document: DocId) -> Option<Score> {
    let is_there = scorer.doc() <= document && scorer.seek(document) == document;
    is_there.then(|| scorer.score())
}

/// Returns the number of documents with a tantivy term. Deleted documents are not counted.
pub(super) fn count(searcher: &Searcher, term: &Term) -> tantivy::Result<u64> {
    let mut total = 0;
    for segment in searcher.segment_readers() {
        if segment.has_deletes() {
            each(segment, term, |_| total += 1)?;
        } else {
            total += u64::from(segment.inverted_index(term.field())?.doc_freq(term)?);
        }
    }
    Ok(total)
}

/// Returns the number of documents with a tantivy term that are of these languages. Deleted
/// documents are not counted.
pub(super) fn count_in(
    searcher: &Searcher,
    term: &Term,
    languages: Languages,
) -> tantivy::Result<u64> {
    if languages == Languages::ANY {
        return count(searcher, term);
    }
    let mut total = 0;
    for segment in searcher.segment_readers() {
        let spoken = SpokenLanguages::open(segment);
        each(segment, term, |document| {
            total += u64::from(languages.has(spoken.language(document)));
        })?;
    }
    Ok(total)
}

/// The languages of the documents in one segment.
pub(super) struct SpokenLanguages(Option<Column<u64>>);

impl SpokenLanguages {
    pub(super) fn open(segment: &SegmentReader) -> Self {
        Self(segment.fast_fields().u64(column::SPOKEN).ok())
    }

    /// Returns the language of a document. Returns None if the words of the document have no stems.
    pub(super) fn language(&self, document: DocId) -> Option<Language> {
        Language::from_number(self.0.as_ref()?.first(document)?)
    }

    /// Returns the languages of all documents of an index, including deleted documents.
    /// `spoken` is the field with their numbers.
    pub(super) fn of_all(searcher: &Searcher, spoken: Field) -> tantivy::Result<Languages> {
        let mut all = Languages::NONE;
        for segment in searcher.segment_readers() {
            let inverted = segment.inverted_index(spoken)?;
            let mut numbers = inverted.terms().stream()?;
            while numbers.advance() {
                let number = numbers.key().try_into().map_or(0, u64::from_be_bytes);
                if let Some(language) = Language::from_number(number) {
                    all = all.union(Languages::one(Some(language)));
                }
            }
        }
        Ok(all)
    }
}

/// Calls `take` for each document of a segment that has a tantivy term, in ascending order. Deleted
/// documents are skipped.
pub(super) fn each(
    segment: &SegmentReader,
    term: &Term,
    mut take: impl FnMut(DocId),
) -> tantivy::Result<()> {
    let inverted = segment.inverted_index(term.field())?;
    let Some(mut postings) = inverted.read_postings(term, IndexRecordOption::Basic)? else {
        return Ok(());
    };
    while postings.doc() != TERMINATED {
        if !segment.is_deleted(postings.doc()) {
            take(postings.doc());
        }
        postings.advance();
    }
    Ok(())
}
