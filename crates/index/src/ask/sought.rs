//! Searches words in anchor texts. Reports which anchor texts of a document contain the words.
//!
//! An anchor document contains many anchor texts. The position of a word identifies the anchor text
//! that contains it (see `packed`). No phrase crosses from one anchor text into the next, because
//! the gap between them is larger than any slop.

use std::ops::Bound;

use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use crate::packed::name_at;

use super::near::NearQuery;

/// A range of words in alphabetical order, by its lower and upper bound.
pub(super) type WordRange = (Bound<String>, Bound<String>);

/// Words that a query searches in anchor texts.
#[derive(Clone, Debug)]
pub(super) enum AnchorTerms {
    /// A single word, a phrase, or words near each other.
    Phrase(NearQuery),
    /// Any word in one of these ranges, in this field.
    Words(Field, Vec<WordRange>),
}

impl AnchorTerms {
    /// Calls `take` for each matching anchor document of a segment, including deleted documents.
    /// Also passes the numbers of the document's matching anchor texts, counted from 0. A document
    /// may be passed more than once.
    pub(super) fn each(
        &self,
        segment: &SegmentReader,
        mut take: impl FnMut(DocId, &[usize]) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let mut names = Vec::new();
        let mut take = |document: DocId, positions: &mut dyn Iterator<Item = u32>| {
            names.clear();
            names.extend(positions.map(name_at));
            names.dedup();
            take(document, &names)
        };
        match self {
            Self::Phrase(near) => near.each(segment, take),
            Self::Words(field, ranges) => {
                for range in ranges {
                    each_in_range(segment, *field, range, &mut take)?;
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
    mut take: impl FnMut(DocId, &mut dyn Iterator<Item = u32>) -> tantivy::Result<()>,
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
        while postings.doc() != TERMINATED {
            postings.positions(&mut positions);
            take(postings.doc(), &mut positions.iter().copied())?;
            postings.advance();
        }
    }
    Ok(())
}
