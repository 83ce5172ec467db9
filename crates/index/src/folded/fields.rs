//! The fields of a document of folded anchor texts.
//!
//! A document has votes for one link target. Each vote is one anchor text on pages of one host.
//! Votes, their numbers of sources and their texts are in the same order, and the sources of all
//! votes follow one another. All sources of a document have the same language and expiry. A target
//! with more votes or sources than a document may have, or with sources of several languages, has
//! several documents, which are neighbours.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions,
};

use crate::packed;
use crate::schema::{Fields, column};

/// Fields of a tantivy index of folded anchor texts. A compaction collected these texts by link
/// target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldedFields {
    /// Hash of the URL of the link target.
    pub(super) target: Field,
    pub(super) vote: Field,
    /// For each vote in the field `vote`, the number of its source pages. A vote is an anchor text
    /// from pages of one host.
    pub(super) source_count: Field,
    /// Source pages of the votes, each as the hash of its URL. A vote is one anchor text from pages
    /// of one host. These pages are the source pages of the vote. The source pages of the first
    /// vote come first, then those of the second vote, and so on.
    pub(super) source: Field,
    /// Time at which the anchor texts expire, in seconds since 1970.
    pub(super) expires: Field,
    pub(super) spoken: Field,
    pub(super) anchor: Field,
    pub(super) anchor_forms: Field,
    /// Words of the anchor texts, packed, for display.
    pub(super) shown_anchor: Field,
    /// URL of the link target.
    pub(super) target_url: Field,
}

impl FoldedFields {
    pub(super) fn build() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let words = TextFieldIndexing::default()
            .set_tokenizer(packed::NAME)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions)
            .set_fieldnorms(false);
        let forms = words.clone().set_tokenizer(packed::NAME_OF_FORMS);
        let words = TextOptions::default().set_indexing_options(words);
        let forms = TextOptions::default().set_indexing_options(forms);
        let fields = Self {
            target: schema.add_u64_field(column::TARGET, FAST),
            vote: schema.add_u64_field(column::VOTE, FAST),
            source_count: schema.add_u64_field(column::SOURCE_COUNT, FAST),
            source: schema.add_u64_field(column::SOURCE, FAST | INDEXED),
            expires: schema.add_i64_field(column::EXPIRES, FAST),
            spoken: schema.add_u64_field(column::SPOKEN, FAST | INDEXED),
            anchor: schema.add_text_field("anchor", words),
            anchor_forms: schema.add_text_field("anchor_forms", forms),
            shown_anchor: schema.add_text_field("called", STORED),
            target_url: schema.add_text_field("target_url", STORED),
        };
        (schema.build(), fields)
    }

    /// Returns the fields of an opened index. Returns None if the index's schema differs from the
    /// schema of this version.
    pub(super) fn from_schema(schema: &Schema) -> Option<Self> {
        let (own, fields) = Self::build();
        (*schema == own).then_some(fields)
    }

    /// Converts a field of the page index to the corresponding field of this index. Returns None if
    /// `field` is no field for anchor texts. `pages` are the fields of the page index.
    pub(super) fn field_for(&self, field: Field, pages: &Fields) -> Option<Field> {
        if field == pages.anchor {
            Some(self.anchor)
        } else if field == pages.anchor_forms {
            Some(self.anchor_forms)
        } else {
            None
        }
    }
}
