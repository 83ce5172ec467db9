//! What is looked for in the names of pages, and in which of them it stands.
//!
//! A document holds many names. A position tells which of them a word is in (see `packed`), and no phrase goes from one into
//! the next: slop is smaller than what is between them.

use std::ops::Bound;

use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use crate::index::packed::name_at;

use super::near::Near;

/// Words from one to another, in their order.
pub(super) type Between = (Bound<String>, Bound<String>);

/// What is looked for.
#[derive(Clone, Debug)]
pub(super) enum Sought {
    /// A word, or words near each other.
    Phrase(Near),
    /// Any of the words that are between others.
    Words(Field, Vec<Between>),
}

impl Sought {
    /// Hands over each document of a segment, deleted ones too, with the names in it, by number; a document may come again.
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
            Self::Words(field, between) => {
                between.iter().try_for_each(|between| each_between(segment, *field, between, &mut take))
            }
        }
    }
}

fn each_between(
    segment: &SegmentReader,
    field: Field,
    (from, to): &Between,
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
