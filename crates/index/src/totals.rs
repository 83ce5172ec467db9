//! The number of pages of an index and the words in their fields, as scores need them.
//!
//! A commit's payload has them, so no search reads the lengths of all pages. A writer knows each
//! page that it adds, and looks up each one that it replaces. Lengths are rounded as tantivy stores
//! them: only these can be read back, from whichever segment a page is in.

use serde::{Deserialize, Serialize};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::{DocId, SegmentReader};

use super::schema::Fields;

/// Number of searched fields of a page.
const SEARCHED: usize = 6;

/// Number of words in each searched field of a page. Each number is rounded to a value that tantivy
/// can encode in one byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageLengths([u8; SEARCHED]);

/// Number of pages of an index, and number of words in their searched fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PageTotals {
    pub(super) pages: u64,
    /// Number of words in each searched field of all pages, in the order of
    /// [`Fields::searched`](super::schema::Fields::searched).
    words: [u64; SEARCHED],
}

impl PageLengths {
    /// Rounds the numbers of words in the searched fields of a page.
    pub(super) fn new(words: [usize; SEARCHED]) -> Self {
        let rounded =
            |words| FieldNormReader::fieldnorm_to_id(u32::try_from(words).unwrap_or(u32::MAX));
        Self(words.map(rounded))
    }

    /// Reads the rounded number of words in each searched field of `page`, a document of `segment`.
    pub(super) fn read(
        segment: &SegmentReader,
        page: DocId,
        fields: &Fields,
    ) -> tantivy::Result<Self> {
        let mut lengths = Self::default();
        for (length, field) in lengths.0.iter_mut().zip(fields.searched()) {
            *length = segment
                .get_fieldnorms_reader(field.words)?
                .fieldnorm_id(page);
        }
        Ok(lengths)
    }

    fn words(self) -> [u64; SEARCHED] {
        self.0
            .map(|length| u64::from(FieldNormReader::id_to_fieldnorm(length)))
    }
}

impl PageTotals {
    /// Adds pages of `segment` to these sums. Reads their numbers of words from the segment.
    pub(super) fn add_read(
        &mut self,
        segment: &SegmentReader,
        pages: &[DocId],
        fields: &Fields,
    ) -> tantivy::Result<()> {
        self.pages = self.pages.saturating_add(pages.len() as u64);
        for (words, field) in self.words.iter_mut().zip(fields.searched()) {
            // Stored lengths are rounded. A merge cannot restore the exact ones.
            let lengths = segment.get_fieldnorms_reader(field.words)?;
            for page in pages {
                *words = words.saturating_add(u64::from(lengths.fieldnorm(*page)));
            }
        }
        Ok(())
    }

    pub(super) fn add(&mut self, page: PageLengths) {
        self.pages = self.pages.saturating_add(1);
        for (sum, words) in self.words.iter_mut().zip(page.words()) {
            *sum = sum.saturating_add(words);
        }
    }

    pub(super) fn remove(&mut self, page: PageLengths) {
        self.pages = self.pages.saturating_sub(1);
        for (sum, words) in self.words.iter_mut().zip(page.words()) {
            *sum = sum.saturating_sub(words);
        }
    }

    /// Returns the number of words in each searched field of all pages.
    pub(super) fn words(&self) -> [u64; SEARCHED] {
        self.words
    }
}
