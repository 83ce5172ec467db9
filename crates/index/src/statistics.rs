//! The figures behind scores: how many pages there are, how long they are, and how many have a
//! word.
//!
//! Only pages that are there count: no deleted documents, and no other kinds. So a score does not
//! depend on the index's segments, on its history, or on what pages are called. (The figures of
//! tantivy count deleted documents and all kinds of them.)

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::query::{Bm25StatisticsProvider, Scorer};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED};

use super::schema::{DocumentKind, Fields};

#[derive(Clone)]
pub(super) struct Statistics {
    searcher: Searcher,
    page: Term,
    pages: u64,
    /// The number of tokens in a field, counted when first needed.
    tokens: Arc<Mutex<HashMap<Field, u64>>>,
}

impl Statistics {
    pub(super) fn new(searcher: &Searcher, fields: &Fields) -> tantivy::Result<Self> {
        let page = fields.kind_of(DocumentKind::Page);
        let pages = count(searcher, &page)?;
        Ok(Self {
            searcher: searcher.clone(),
            page,
            pages,
            tokens: Arc::default(),
        })
    }

    /// The number of pages.
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
            // The lengths are rounded as they are stored. A merge keeps no better ones.
            let lengths = segment.get_fieldnorms_reader(field)?;
            each(segment, &self.page, |page| {
                total += u64::from(lengths.fieldnorm(page));
            })?;
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

/// The score of a document, if it matches. A scorer must be asked for documents in order.
pub(super) fn score_of(scorer: &mut dyn Scorer, document: DocId) -> Option<Score> {
    let is_there = scorer.doc() <= document && scorer.seek(document) == document;
    is_there.then(|| scorer.score())
}

/// The number of documents that have a term.
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

/// The documents of a segment that have a term, without the deleted ones, in order.
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
