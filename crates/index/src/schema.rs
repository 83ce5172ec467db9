//! The fields of the index's nine kinds of documents.
//!
//! | kind | meaning | fields besides `owner` and `kind` |
//! |---|---|---|
//! | page | what a search finds | all that are not named below |
//! | anchor | what a page calls others | `source` `target` `vote` `anchor` `called` `target_urls` `expires` |
//! | unshown | the same, where the texts may not be shown | the same, without `called` |
//! | folded | what several pages call another one | the same, of one target, with `sources` and no owner |
//! | gone | a URL that is known not to be indexed | `gone` `gone_id` `reason` `why` `generation` `captured` `also_at` |
//! | copy | where a page's snapshot stands | `file` `offset` `length` |
//! | confirmed | a statement on a URL without its page | `captured`, and `reason` `why` or `denied` `withheld` `target` `max_snippet` `expires` |
//! | seen | that a page was found unchanged | `seen` |
//! | rules | what a site's robots.txt, or another such file, said last | `ruled` `rules` |
//!
//! `owner` is the URL that brought a document in. So one deletion takes back all that a URL ever
//! brought in. Folded anchors have several sources and no owner (see `fold`).

use std::ops::Bound;
use std::time::SystemTime;

use tantivy::query::{RangeQuery, TermQuery};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, Term, TextFieldIndexing,
    TextOptions,
};
use tantivy::{DocId, SegmentReader};

use heedful::Use;
use heedful_base::address::Key;

use super::packed;
use super::time::clock;

/// The kinds of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocumentKind {
    Page,
    Anchor,
    /// Anchors whose text may not be shown. It is not stored.
    Unshown,
    /// Anchors of several sources.
    Folded,
    Gone,
    Copy,
    /// A statement on a URL that came without its page, later than what is known of it.
    Confirmed,
    /// A page that was found unchanged. It is apart from all that is said of the URL: an older
    /// capture of the page may still come, and is what was found unchanged.
    Seen,
    /// What a file of a site said, for captures that are older. Its owner is no URL of a page.
    Rules,
}

impl DocumentKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Anchor => "anchor",
            Self::Unshown => "unshown",
            Self::Folded => "folded",
            Self::Gone => "gone",
            Self::Copy => "copy",
            Self::Confirmed => "confirmed",
            Self::Seen => "seen",
            Self::Rules => "rules",
        }
    }
}

/// The names of the columns. tantivy wants them by name.
pub(super) mod column {
    pub(crate) const ID: &str = "id";
    pub(crate) const GONE_ID: &str = "gone_id";
    pub(crate) const SOURCE: &str = "source";
    pub(crate) const SOURCES: &str = "sources";
    pub(crate) const TARGET: &str = "target";
    pub(crate) const VOTE: &str = "vote";
    pub(crate) const EXPIRES: &str = "expires";
    pub(crate) const CAPTURED: &str = "captured";
    pub(crate) const SEEN: &str = "seen";
    pub(crate) const RULED: &str = "ruled";
    pub(crate) const DENIED: &str = "denied";
    pub(crate) const MAX_SNIPPET: &str = "max_snippet";
    pub(crate) const HOST: &str = "host";
    pub(crate) const FILE: &str = "file";
    pub(crate) const OFFSET: &str = "offset";
    pub(crate) const LENGTH: &str = "length";
}

/// The fields, by what they hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) kind: Field,
    pub(super) owner: Field,

    pub(super) url: Field,
    /// A hash of the URL, which anchors name.
    pub(super) id: Field,
    pub(super) host: Field,
    /// The host and the domains it is in.
    pub(super) site: Field,
    pub(super) title: Field,
    pub(super) headings: Field,
    pub(super) description: Field,
    pub(super) body: Field,
    pub(super) alt: Field,
    /// The title as a search shows it.
    pub(super) shown_title: Field,
    /// The text a search may show.
    pub(super) excerpt: Field,
    /// The title and the text that a model may get, if they differ from those that may be shown.
    pub(super) input_title: Field,
    pub(super) input: Field,
    pub(super) canonical: Field,
    /// The language that the page declares, as it was written.
    pub(super) language: Field,
    /// A second URL of the page. In a `gone` document: a second URL of the page whose URL is not
    /// indexed.
    pub(super) also_at: Field,
    /// The time in seconds since 1970 from which on the page, or the anchor, is not found.
    pub(super) expires: Field,
    /// The time in seconds since 1970 at which the document's content was fetched.
    pub(super) captured: Field,
    /// The time in seconds since 1970 at which the page was found unchanged.
    pub(super) seen: Field,
    /// The time in seconds since 1970 at which a site said these rules last.
    pub(super) ruled: Field,
    /// The rules, as [`rules`](super::rules) writes them.
    pub(super) rules: Field,
    /// The maximum characters of a snippet.
    pub(super) max_snippet: Field,
    /// The uses that the page as a whole denies.
    pub(super) denied: Field,
    /// The uses for which [`Query::need`](super::Query::need) does not find the page, by name.
    pub(super) withheld: Field,
    /// The number of times that the anchors had been folded when this was written.
    pub(super) generation: Field,

    /// The id of the page that names the targets.
    pub(super) source: Field,
    /// The ids of the pages whose anchors were folded to this one.
    pub(super) sources: Field,
    /// The ids of the named pages, in the order of their names.
    pub(super) target: Field,
    /// A hash of the source's host and the text, for each name. Equal votes count once.
    pub(super) vote: Field,
    /// The names, packed, one after the other.
    pub(super) anchor: Field,
    /// The names, stored.
    pub(super) called: Field,
    /// The URLs of the targets, one a line.
    pub(super) target_urls: Field,

    pub(super) gone: Field,
    pub(super) gone_id: Field,
    pub(super) reason: Field,
    pub(super) why: Field,

    pub(super) file: Field,
    pub(super) offset: Field,
    pub(super) length: Field,
}

impl Fields {
    pub(super) fn schema() -> Schema {
        Self::build().0
    }

    /// The fields of an index, if its schema is this one.
    pub(super) fn from_schema(schema: &Schema) -> Option<Self> {
        // A damaged byte may have changed the type of a field and left its name.
        let (own, fields) = Self::build();
        (*schema == own).then_some(fields)
    }

    fn build() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let words = TextFieldIndexing::default()
            .set_tokenizer(packed::NAME)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        // The weight of an anchor does not depend on its length.
        let anchors =
            TextOptions::default().set_indexing_options(words.clone().set_fieldnorms(false));
        let words = TextOptions::default().set_indexing_options(words);
        let fields = Self {
            kind: schema.add_text_field("kind", STRING),
            owner: schema.add_text_field("owner", STRING),
            url: schema.add_text_field("url", STRING | STORED),
            id: schema.add_u64_field(column::ID, INDEXED | FAST),
            host: schema.add_text_field(column::HOST, STRING | FAST),
            site: schema.add_text_field("site", STRING),
            title: schema.add_text_field("title", words.clone()),
            headings: schema.add_text_field("headings", words.clone()),
            description: schema.add_text_field("description", words.clone()),
            body: schema.add_text_field("body", words.clone()),
            alt: schema.add_text_field("alt", words),
            shown_title: schema.add_text_field("shown_title", STORED),
            excerpt: schema.add_text_field("excerpt", STORED),
            input_title: schema.add_text_field("input_title", STORED),
            input: schema.add_text_field("input", STORED),
            canonical: schema.add_text_field("canonical", STORED),
            language: schema.add_text_field("language", STORED),
            also_at: schema.add_text_field("also_at", STORED),
            expires: schema.add_i64_field(column::EXPIRES, STORED | FAST),
            captured: schema.add_i64_field(column::CAPTURED, FAST),
            seen: schema.add_i64_field(column::SEEN, FAST),
            ruled: schema.add_i64_field(column::RULED, FAST | STORED),
            rules: schema.add_text_field("rules", STORED),
            max_snippet: schema.add_u64_field(column::MAX_SNIPPET, STORED | FAST),
            denied: schema.add_u64_field(column::DENIED, FAST),
            withheld: schema.add_text_field("withheld", STRING),
            generation: schema.add_u64_field("generation", INDEXED),
            source: schema.add_u64_field(column::SOURCE, FAST),
            sources: schema.add_u64_field(column::SOURCES, FAST),
            target: schema.add_u64_field(column::TARGET, FAST),
            vote: schema.add_u64_field(column::VOTE, FAST),
            anchor: schema.add_text_field("anchor", anchors),
            called: schema.add_text_field("called", STORED),
            target_urls: schema.add_text_field("target_urls", STORED),
            gone: schema.add_text_field("gone", STRING | STORED),
            gone_id: schema.add_u64_field(column::GONE_ID, FAST),
            reason: schema.add_text_field("reason", STORED),
            why: schema.add_text_field("why", STORED),
            file: schema.add_u64_field(column::FILE, FAST),
            offset: schema.add_u64_field(column::OFFSET, FAST),
            length: schema.add_u64_field(column::LENGTH, FAST),
        };
        (schema.build(), fields)
    }

    /// The term of pages that may not be used for a use.
    pub(super) fn withheld_from(&self, usage: Use) -> Term {
        Term::from_field_text(self.withheld, usage.name())
    }

    /// The term of all documents that a URL brought in.
    pub(super) fn owned_by(&self, key: &Key<'_>) -> Term {
        Term::from_field_text(self.owner, key.as_str())
    }

    /// The term of all documents of a kind.
    pub(super) fn kind_of(&self, kind: DocumentKind) -> Term {
        Term::from_field_text(self.kind, kind.name())
    }

    /// All documents of a kind.
    pub(super) fn all_of(&self, kind: DocumentKind) -> TermQuery {
        TermQuery::new(self.kind_of(kind), IndexRecordOption::Basic)
    }

    /// All documents that have expired at `now`.
    pub(super) fn expired(&self, now: SystemTime) -> RangeQuery {
        let until = Term::from_field_i64(self.expires, clock(now));
        RangeQuery::new(Bound::Unbounded, Bound::Excluded(until))
    }

    /// The fields of a page that a query looks in, with the weight of each.
    pub(super) fn searched(&self) -> [(&'static str, Field, f32); 5] {
        [
            ("title", self.title, 2.0),
            ("headings", self.headings, 1.5),
            ("description", self.description, 1.0),
            ("body", self.body, 1.0),
            ("alt", self.alt, 0.5),
        ]
    }
}

/// The weight of a match in the texts of links to a page.
pub(super) const ANCHOR_WEIGHT: f32 = 1.5;

/// Separates URLs. No URL contains it.
pub(super) const LINE: char = '\n';

/// The time at which a document's content was fetched.
pub(super) fn captured_of(segment: &SegmentReader, document: DocId) -> Option<i64> {
    signed_number(segment, column::CAPTURED, document)
}

/// The time at which a page was found unchanged, if the document is about that.
pub(super) fn seen_at(segment: &SegmentReader, document: DocId) -> Option<i64> {
    signed_number(segment, column::SEEN, document)
}

/// The time of the rules in a document, if there are any.
pub(super) fn ruled_at(segment: &SegmentReader, document: DocId) -> Option<i64> {
    signed_number(segment, column::RULED, document)
}

/// The number that a document has in a column.
pub(super) fn number(segment: &SegmentReader, name: &str, document: DocId) -> Option<u64> {
    segment.fast_fields().u64(name).ok()?.first(document)
}

/// The signed number that a document has in a column.
pub(super) fn signed_number(segment: &SegmentReader, name: &str, document: DocId) -> Option<i64> {
    segment.fast_fields().i64(name).ok()?.first(document)
}

/// True if a document has a number in a column.
pub(super) fn has(segment: &SegmentReader, name: &str, document: DocId) -> bool {
    number(segment, name, document).is_some()
}
