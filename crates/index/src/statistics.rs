//! BM25 statistics over the current pages of an index: the number of pages, their lengths, and
//! document frequencies.
//!
//! The statistics ignore deleted documents and documents that are not pages. So the score of a page
//! does not depend on the index's segments, its history, or anchor texts. (tantivy's own statistics
//! include deleted documents and anchor documents.)

use tantivy::columnar::Column;
use tantivy::query::{Bm25StatisticsProvider, Scorer};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED};

use super::forms::{Language, Languages};
use super::schema::{DocumentKind, Fields, column};
use super::totals::PageTotals;

#[derive(Clone)]
pub(super) struct Statistics {
    searcher: Searcher,
    fields: Fields,
    totals: PageTotals,
}

impl Statistics {
    pub(super) fn new(searcher: &Searcher, fields: &Fields, totals: PageTotals) -> Self {
        Self {
            searcher: searcher.clone(),
            fields: *fields,
            totals,
        }
    }

    /// Returns the number of pages in the index.
    pub(super) fn pages(&self) -> u64 {
        self.totals.pages
    }
}

impl Bm25StatisticsProvider for Statistics {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let fields = self.fields.searched().into_iter().zip(self.totals.words());
        let mut found = fields.filter(|(searched, _)| searched.words == field);
        Ok(found.next().map_or(0, |(_, words)| words))
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.totals.pages)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        count(&self.searcher, term)
    }
}

/// Counts the pages of an index, and the words in each searched field of all pages.
pub(super) fn read_totals(searcher: &Searcher, fields: &Fields) -> tantivy::Result<PageTotals> {
    let mut totals = PageTotals::default();
    for segment in searcher.segment_readers() {
        let mut pages = Vec::new();
        each(segment, &fields.kind_of(DocumentKind::Page), |page| {
            pages.push(page);
        })?;
        totals.add_read(segment, &pages, fields)?;
    }
    Ok(totals)
}

/// Returns the score that a scorer computes for a document. Returns None if the scorer does not
/// match the document. Documents must be passed to one scorer in ascending order.
pub(super) fn score_of(scorer: &mut dyn Scorer, document: DocId) -> Option<Score> {
    let is_there = scorer.doc() <= document && scorer.seek(document) == document;
    is_there.then(|| scorer.score())
}

/// Returns the number of documents that contain a tantivy term. Deleted documents are not counted.
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

/// Returns the number of documents that contain a tantivy term and are in one of `languages`.
/// Deleted documents are not counted.
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

/// The column of one segment with the language of each document.
pub(super) struct SpokenLanguages(Option<Column<u64>>);

impl SpokenLanguages {
    pub(super) fn open(segment: &SegmentReader) -> Self {
        Self(segment.fast_fields().u64(column::SPOKEN).ok())
    }

    /// Returns the declared language of a document. Returns None if no language is declared, or if
    /// heedful has no stemmer for it.
    pub(super) fn language(&self, document: DocId) -> Option<Language> {
        Language::from_number(self.0.as_ref()?.first(document)?)
    }

    /// Returns the set of the languages of all documents of an index, including deleted documents.
    /// `spoken` is the index field with the numbers of the languages.
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
