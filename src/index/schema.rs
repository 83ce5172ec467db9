//! The fields of a page's document.

use tantivy::schema::{FAST, Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions};

use super::packed;

/// The fields, by what they hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// The key.
    pub(super) url: Field,
    pub(super) host: Field,
    pub(super) title: Field,
    pub(super) headings: Field,
    pub(super) description: Field,
    pub(super) body: Field,
    pub(super) alt: Field,
    /// The title as a search shows it.
    pub(super) shown_title: Field,
    /// The text a search may show.
    pub(super) excerpt: Field,
    /// Seconds since 1970 from which on the page is not found.
    pub(super) expires: Field,
    /// Characters of a snippet.
    pub(super) max_snippet: Field,
}

impl Fields {
    pub(super) fn schema() -> Schema {
        let mut schema = Schema::builder();
        let words = TextFieldIndexing::default()
            .set_tokenizer(packed::NAME)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let words = TextOptions::default().set_indexing_options(words);
        schema.add_text_field("url", STRING | STORED);
        schema.add_text_field("host", STRING | FAST);
        for name in ["title", "headings", "description", "body", "alt"] {
            schema.add_text_field(name, words.clone());
        }
        schema.add_text_field("shown_title", STORED);
        schema.add_text_field("excerpt", STORED);
        schema.add_i64_field("expires", STORED | FAST);
        schema.add_u64_field("max_snippet", STORED);
        schema.build()
    }

    /// The fields of an index, if it has them all.
    pub(super) fn of(schema: &Schema) -> Option<Self> {
        let field = |name| schema.get_field(name).ok();
        Some(Self {
            url: field("url")?,
            host: field("host")?,
            title: field("title")?,
            headings: field("headings")?,
            description: field("description")?,
            body: field("body")?,
            alt: field("alt")?,
            shown_title: field("shown_title")?,
            excerpt: field("excerpt")?,
            expires: field("expires")?,
            max_snippet: field("max_snippet")?,
        })
    }

    /// The fields a query looks in, with what a hit in each is worth.
    pub(super) fn searched(&self) -> [(Field, f32); 5] {
        [(self.title, 2.0), (self.headings, 1.5), (self.description, 1.0), (self.body, 1.0), (self.alt, 0.5)]
    }
}
