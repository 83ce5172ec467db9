//! Looks for words in the names of pages, and finds the names that have them.
//!
//! A document holds many names. A position tells the name in which a word is (see `packed`). No
//! phrase runs from one name into the next, because the gap between them is larger than any slop.

use std::ops::Bound;

use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use crate::packed::name_at;

use super::near::NearQuery;

/// The words from one bound to another, in their order.
pub(super) type WordRange = (Bound<String>, Bound<String>);

/// The words to look for in the names.
#[derive(Clone, Debug)]
pub(super) enum AnchorTerms {
    /// A word, or words near each other.
    Phrase(NearQuery),
    /// Any word within one of these bounds.
    Words(Field, Vec<WordRange>),
}

impl AnchorTerms {
    /// Passes each document of a segment to the caller, deleted ones too, with the numbers of the
    /// names that match. A document may come more than once.
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
