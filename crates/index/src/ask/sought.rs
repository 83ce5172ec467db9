//! Searches words in anchor texts. Reports which anchor texts of a document contain the words.
//!
//! A document has many anchor texts. The position of a word identifies the anchor text that
//! contains it (see `packed`). No phrase crosses from one anchor text into the next, because the
//! gap between them is larger than any slop.

use std::ops::{Bound, Range};

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{DocId, DocSet, SegmentReader};

use crate::packed::name_at;

use super::near::{NearQuery, PhraseEnds};

/// A range of words in alphabetical order, by its lower and upper bound.
pub(super) type WordRange = (Bound<String>, Bound<String>);

/// Words that a query searches in anchor texts.
#[derive(Clone, Debug)]
pub(super) enum AnchorTerms {
    /// A single word, a phrase, or words near each other.
    Phrase(NearQuery),
    /// Any word of the field that is in one of the ranges.
    Words(Field, Vec<WordRange>),
}

/// The anchor texts of one document that contain the searched words.
pub(super) struct MatchingNames<'a> {
    ends: Ends<'a>,
    numbers: &'a mut Vec<usize>,
}

enum Ends<'a> {
    Phrase(PhraseEnds<'a>),
    Word(&'a mut SegmentPostings, &'a mut Vec<u32>),
}

impl MatchingNames<'_> {
    /// Returns how many anchor texts of the document contain the searched words.
    pub(super) fn count(&mut self) -> usize {
        let is_one = match &mut self.ends {
            Ends::Phrase(ends) => ends.is_one(),
            Ends::Word(postings, _) => postings.term_freq() == 1,
        };
        if is_one { 1 } else { self.numbers().len() }
    }

    /// Returns the positions of the matching anchor texts among all anchor texts of the document,
    /// counted from 0, in ascending order.
    pub(super) fn numbers(&mut self) -> &[usize] {
        self.numbers.clear();
        match &mut self.ends {
            Ends::Phrase(ends) => self.numbers.extend(ends.positions().map(name_at)),
            Ends::Word(postings, positions) => {
                postings.positions(positions);
                self.numbers.extend(positions.iter().copied().map(name_at));
            }
        }
        self.numbers.dedup();
        self.numbers
    }
}

impl AnchorTerms {
    /// Returns a query for the same words in the fields of another index. `field_of` converts a
    /// field to its counterpart there. Returns None if a field has no counterpart.
    pub(super) fn in_fields(&self, field_of: impl Fn(Field) -> Option<Field>) -> Option<Self> {
        match self {
            Self::Words(field, ranges) => Some(Self::Words(field_of(*field)?, ranges.clone())),
            Self::Phrase(near) => {
                let mut near = near.clone();
                for slot in &mut near.slots {
                    let terms = slot.terms.iter_mut().map(|one| &mut one.term);
                    for term in terms.chain([&mut slot.word]) {
                        let text = term.value().as_str()?.to_owned();
                        *term = Term::from_field_text(field_of(term.field())?, &text);
                    }
                }
                Some(Self::Phrase(near))
            }
        }
    }

    /// True if [`AnchorTerms::each`] never passes the same document twice.
    pub(super) fn comes_once(&self) -> bool {
        matches!(self, Self::Phrase(_))
    }

    /// Calls `take` for each document with matching anchor texts, including deleted documents.
    /// Looks only at the documents of `segment` in the ranges `within`, which must be in ascending
    /// order.
    pub(super) fn each(
        &self,
        segment: &SegmentReader,
        within: &[Range<DocId>],
        mut take: impl FnMut(DocId, &mut MatchingNames<'_>) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        if within.is_empty() {
            return Ok(());
        }
        let mut numbers = Vec::new();
        match self {
            Self::Phrase(near) => near.each(segment, within, |document, ends| {
                let mut names = MatchingNames {
                    ends: Ends::Phrase(ends),
                    numbers: &mut numbers,
                };
                take(document, &mut names)
            }),
            Self::Words(field, ranges) => {
                for range in ranges {
                    each_in_range(segment, *field, range, within, |document, ends| {
                        let mut names = MatchingNames {
                            ends,
                            numbers: &mut numbers,
                        };
                        take(document, &mut names)
                    })?;
                }
                Ok(())
            }
        }
    }
}

fn each_in_range(
    segment: &SegmentReader,
    field: Field,
    (from, to): &WordRange,
    within: &[Range<DocId>],
    mut take: impl FnMut(DocId, Ends<'_>) -> tantivy::Result<()>,
) -> tantivy::Result<()> {
    let inverted = segment.inverted_index(field)?;
    let range = inverted.terms().range();
    let range = match from {
        Bound::Included(word) => range.ge(word),
        Bound::Excluded(word) => range.gt(word),
        Bound::Unbounded => range,
    };
    let range = match to {
        Bound::Included(word) => range.le(word),
        Bound::Excluded(word) => range.lt(word),
        Bound::Unbounded => range,
    };
    let mut words = range.into_stream()?;
    let mut positions = Vec::new();
    while words.advance() {
        let option = IndexRecordOption::WithFreqsAndPositions;
        let mut postings = inverted.read_postings_from_terminfo(words.value(), option)?;
        for documents in within {
            if postings.doc() < documents.start {
                postings.seek(documents.start);
            }
            while postings.doc() < documents.end {
                take(postings.doc(), Ends::Word(&mut postings, &mut positions))?;
                postings.advance();
            }
        }
    }
    Ok(())
}
