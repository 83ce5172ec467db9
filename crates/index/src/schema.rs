//! The eight kinds of documents in an index, and their fields.
//!
//! | kind | meaning | fields other than `owner` and `kind` |
//! |---|---|---|
//! | page | a page that a query can find | all that are not named below |
//! | anchor | anchor texts of a page's links to other pages | `source` `target` `vote` `anchor` `anchor_forms` `spoken` `called` `target_urls` `expires` |
//! | unshown | anchor texts that may not be shown, from a page's links | those of `anchor`, without `called` |
//! | gone | a URL that is known but not indexed (tombstone) | `gone` `gone_id` `reason` `why` `generation` `captured` `also_at` |
//! | copy | location of a page's snapshot | `file` `offset` `length` |
//! | confirmed | a statement about a URL, from a response without the page | `captured`, and `reason` `why` or `denied` `withheld` `target` `max_snippet` `expires` |
//! | seen | time at which a page was found unchanged | `seen` |
//! | rules | the last rules of a site's robots.txt or similar file | `ruled` `rules` |
//!
//! `owner` is the URL to which a document belongs. So one deletion by `owner` deletes all documents
//! of a URL. Anchor texts that a compaction folds leave this index (`folded`). The kinds `copy`,
//! `confirmed` and `seen` have the field `part` too, with kind and owner. By it, one of them is
//! deleted without the others.
//!
//! Beside each field of words stands a field with other forms of these words (`forms`), at the same
//! positions. It has no form that equals its word.

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

/// Kind of a document of the index, stored in its field `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DocumentKind {
    Page,
    Anchor,
    /// Anchor texts that may not be shown, from the links of one page. They are indexed, but not
    /// stored.
    Unshown,
    Gone,
    Copy,
    /// A statement about a URL. It came from a response without the page (HTTP 304, WARC
    /// `revisit`), and is newer than the stored page.
    Confirmed,
    /// The time at which a page was found unchanged. Captures may be added in any order. So a
    /// capture from before this time may still replace the page's document. The time stays valid
    /// then, so the time has a document of its own.
    Seen,
    /// The last rules of a site file, such as robots.txt. Earlier captures of pages are also judged
    /// with these rules. The field `owner` of this document identifies the site file, and not a
    /// page.
    Rules,
}

impl DocumentKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Anchor => "anchor",
            Self::Unshown => "unshown",
            Self::Gone => "gone",
            Self::Copy => "copy",
            Self::Confirmed => "confirmed",
            Self::Seen => "seen",
            Self::Rules => "rules",
        }
    }
}

/// Names of the schema's columns. tantivy looks up columns by name.
pub(super) mod column {
    pub(crate) const ID: &str = "id";
    pub(crate) const GONE_ID: &str = "gone_id";
    pub(crate) const SOURCE: &str = "source";
    pub(crate) const SOURCE_COUNT: &str = "source_count";
    pub(crate) const TARGET: &str = "target";
    pub(crate) const VOTE: &str = "vote";
    pub(crate) const EXPIRES: &str = "expires";
    pub(crate) const CAPTURED: &str = "captured";
    pub(crate) const SEEN: &str = "seen";
    pub(crate) const RULED: &str = "ruled";
    pub(crate) const DENIED: &str = "denied";
    pub(crate) const MAX_SNIPPET: &str = "max_snippet";
    pub(crate) const SPOKEN: &str = "spoken";
    pub(crate) const HOST: &str = "host";
    pub(crate) const FILE: &str = "file";
    pub(crate) const OFFSET: &str = "offset";
    pub(crate) const LENGTH: &str = "length";
}

/// Fields of the index's schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) kind: Field,
    pub(super) owner: Field,
    /// Kind and owner of a document, joined into one term by [`part`]. The owner is the URL to
    /// which the document belongs.
    pub(super) part: Field,

    pub(super) url: Field,
    /// Hash of the page's URL. Documents with the anchor texts of links name their target pages by
    /// this hash.
    pub(super) id: Field,
    pub(super) host: Field,
    /// Host of the page, and each domain above this host.
    pub(super) site: Field,
    pub(super) title: Field,
    pub(super) headings: Field,
    pub(super) description: Field,
    pub(super) body: Field,
    pub(super) alt: Field,
    /// Text of the page's body inside navigation elements, such as a menu.
    pub(super) navigation: Field,
    /// Other forms of the words in the field `title`: stems, and words without accents. The
    /// following six fields have the forms of other fields in the same way.
    pub(super) title_forms: Field,
    pub(super) headings_forms: Field,
    pub(super) description_forms: Field,
    pub(super) body_forms: Field,
    pub(super) alt_forms: Field,
    pub(super) navigation_forms: Field,
    pub(super) anchor_forms: Field,
    /// Number of the language that the page declares. Absent if the page declares none, or if
    /// heedful has no stemmer for the language. Also absent if the index stores only exact words,
    /// and no other forms such as stems.
    pub(super) spoken: Field,
    /// Title of the page, without parts that a search hit may not show.
    pub(super) shown_title: Field,
    /// Text of the page that a search hit may show.
    pub(super) excerpt: Field,
    /// Title of the page that may be given to a language model. Absent if it equals the title in
    /// `shown_title`. The text for a model is in the field `input`.
    pub(super) input_title: Field,
    pub(super) input: Field,
    pub(super) canonical: Field,
    /// Language that the page declares, without normalization.
    pub(super) language: Field,
    /// [`primary_subtag`](super::forms::primary_subtag) of the language that the page declares.
    pub(super) primary_language: Field,
    /// Second URL at which the same page is found. The tombstone of a page (kind `gone`) has this
    /// field too.
    pub(super) also_at: Field,
    /// Time at which the page or the anchor texts in this document expire, in seconds since 1970.
    /// Absent if they never expire.
    pub(super) expires: Field,
    /// Time at which the document's content was fetched, in seconds since 1970.
    pub(super) captured: Field,
    /// Time at which the page was found unchanged, in seconds since 1970.
    pub(super) unchanged: Field,
    /// Time at which the site last served the rules in the field `rules`, in seconds since 1970.
    pub(super) ruled: Field,
    /// Rules of a site file, such as robots.txt. The module [`rules`](super::rules) encodes them as
    /// text.
    pub(super) rules: Field,
    /// Maximum number of characters in a snippet of the page. Absent if the page sets none.
    pub(super) max_snippet: Field,
    /// Bitmask of the uses that the page denies as a whole.
    pub(super) denied: Field,
    /// Names of the uses for which [`Query::need`](super::Query::need) excludes the page.
    pub(super) withheld: Field,
    /// Number of compactions of the index before this document was written.
    pub(super) generation: Field,

    /// In a document with anchor texts: hash of the URL of the page that contains the links.
    pub(super) source: Field,
    /// In a document with anchor texts: hashes of the URLs of the link targets, in the order of the
    /// anchor texts.
    pub(super) target: Field,
    /// In a document with anchor texts: one vote for each link, in the order of the link targets. A
    /// vote is a hash of the source page's host and the anchor text. Equal votes for a target count
    /// once.
    pub(super) vote: Field,
    /// Words of the anchor texts, packed and concatenated. This field is indexed, not stored.
    pub(super) anchor: Field,
    /// Words of the anchor texts that may be shown, packed. This field is stored for display.
    pub(super) shown_anchor: Field,
    /// In a document with anchor texts: URLs of the link targets, one a line.
    pub(super) target_urls: Field,

    pub(super) tombstone_url: Field,
    pub(super) tombstone_id: Field,
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

    /// Returns the fields of an opened index. Returns None if the index's schema differs from the
    /// schema of this version.
    pub(super) fn from_schema(schema: &Schema) -> Option<Self> {
        // A damaged byte may change a field's type but not its name, so the whole schema is
        // compared.
        let (own, fields) = Self::build();
        (*schema == own).then_some(fields)
    }

    fn build() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let words = TextFieldIndexing::default()
            .set_tokenizer(packed::NAME)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        // The score of an anchor does not depend on its length.
        let anchors =
            TextOptions::default().set_indexing_options(words.clone().set_fieldnorms(false));
        // Forms are scored with the lengths of the exact words.
        let forms = TextOptions::default().set_indexing_options(
            words
                .clone()
                .set_tokenizer(packed::NAME_OF_FORMS)
                .set_fieldnorms(false),
        );
        let words = TextOptions::default().set_indexing_options(words);
        let fields = Self {
            kind: schema.add_text_field("kind", STRING),
            owner: schema.add_text_field("owner", STRING),
            part: schema.add_text_field("part", STRING),
            url: schema.add_text_field("url", STRING | STORED),
            id: schema.add_u64_field(column::ID, INDEXED | FAST),
            host: schema.add_text_field(column::HOST, STRING | FAST),
            site: schema.add_text_field("site", STRING),
            title: schema.add_text_field("title", words.clone()),
            headings: schema.add_text_field("headings", words.clone()),
            description: schema.add_text_field("description", words.clone()),
            body: schema.add_text_field("body", words.clone()),
            alt: schema.add_text_field("alt", words.clone()),
            navigation: schema.add_text_field("navigation", words),
            title_forms: schema.add_text_field("title_forms", forms.clone()),
            headings_forms: schema.add_text_field("headings_forms", forms.clone()),
            description_forms: schema.add_text_field("description_forms", forms.clone()),
            body_forms: schema.add_text_field("body_forms", forms.clone()),
            alt_forms: schema.add_text_field("alt_forms", forms.clone()),
            navigation_forms: schema.add_text_field("navigation_forms", forms.clone()),
            anchor_forms: schema.add_text_field("anchor_forms", forms),
            spoken: schema.add_u64_field(column::SPOKEN, INDEXED | FAST),
            shown_title: schema.add_text_field("shown_title", STORED),
            excerpt: schema.add_text_field("excerpt", STORED),
            input_title: schema.add_text_field("input_title", STORED),
            input: schema.add_text_field("input", STORED),
            canonical: schema.add_text_field("canonical", STORED),
            language: schema.add_text_field("language", STORED),
            primary_language: schema.add_text_field("primary_language", STRING),
            also_at: schema.add_text_field("also_at", STORED),
            expires: schema.add_i64_field(column::EXPIRES, STORED | FAST),
            captured: schema.add_i64_field(column::CAPTURED, FAST),
            unchanged: schema.add_i64_field(column::SEEN, FAST),
            ruled: schema.add_i64_field(column::RULED, FAST | STORED),
            rules: schema.add_text_field("rules", STORED),
            max_snippet: schema.add_u64_field(column::MAX_SNIPPET, STORED | FAST),
            denied: schema.add_u64_field(column::DENIED, FAST),
            withheld: schema.add_text_field("withheld", STRING),
            generation: schema.add_u64_field("generation", INDEXED),
            source: schema.add_u64_field(column::SOURCE, FAST),
            target: schema.add_u64_field(column::TARGET, FAST),
            vote: schema.add_u64_field(column::VOTE, FAST),
            anchor: schema.add_text_field("anchor", anchors),
            shown_anchor: schema.add_text_field("called", STORED),
            target_urls: schema.add_text_field("target_urls", STORED),
            tombstone_url: schema.add_text_field("gone", STRING | STORED),
            tombstone_id: schema.add_u64_field(column::GONE_ID, FAST),
            reason: schema.add_text_field("reason", STORED),
            why: schema.add_text_field("why", STORED),
            file: schema.add_u64_field(column::FILE, INDEXED | FAST),
            offset: schema.add_u64_field(column::OFFSET, FAST),
            length: schema.add_u64_field(column::LENGTH, FAST),
        };
        (schema.build(), fields)
    }

    /// True if the values of `field` are packed strings of words ([`packed`]).
    pub(super) fn is_packed(&self, field: Field) -> bool {
        let mut searched = self.searched().into_iter().chain([self.anchors()]);
        searched.any(|one| one.words == field || one.forms == field)
    }

    /// Returns the tantivy term that finds all documents whose field `withheld` contains `usage`.
    pub(super) fn withheld_from(&self, usage: Use) -> Term {
        Term::from_field_text(self.withheld, usage.name())
    }

    /// Returns the tantivy term that finds all documents of a URL.
    pub(super) fn owned_by(&self, key: &Key<'_>) -> Term {
        Term::from_field_text(self.owner, key.as_str())
    }

    /// Returns the tantivy term that finds a URL's documents of the kind `kind`. The kind must be
    /// `copy`, `confirmed` or `seen`, because only such documents have the field `part`.
    pub(super) fn part_of(&self, kind: DocumentKind, key: &Key<'_>) -> Term {
        Term::from_field_text(self.part, &part(kind, key))
    }

    /// Returns the tantivy term that finds all documents of a kind.
    pub(super) fn kind_of(&self, kind: DocumentKind) -> Term {
        Term::from_field_text(self.kind, kind.name())
    }

    /// Returns a tantivy query for all documents of a kind.
    pub(super) fn all_of(&self, kind: DocumentKind) -> TermQuery {
        TermQuery::new(self.kind_of(kind), IndexRecordOption::Basic)
    }

    /// Returns a tantivy query for all documents that have expired at the time `now`.
    pub(super) fn expired(&self, now: SystemTime) -> RangeQuery {
        let until = Term::from_field_i64(self.expires, clock(now));
        RangeQuery::new(Bound::Unbounded, Bound::Excluded(until))
    }

    /// Returns the page fields that are searched if a query names no field.
    pub(super) fn searched(&self) -> [SearchedField; 6] {
        [
            ("title", self.title, self.title_forms, 2.0),
            ("headings", self.headings, self.headings_forms, 1.5),
            ("description", self.description, self.description_forms, 1.0),
            ("body", self.body, self.body_forms, 1.0),
            ("alt", self.alt, self.alt_forms, 0.5),
            ("navigation", self.navigation, self.navigation_forms, 0.1),
        ]
        .map(|(name, words, forms, weight)| SearchedField {
            name,
            words,
            forms,
            weight,
        })
    }

    /// Returns the fields in which a query searches anchor texts.
    pub(super) fn anchors(&self) -> SearchedField {
        SearchedField {
            name: ANCHOR,
            words: self.anchor,
            forms: self.anchor_forms,
            weight: ANCHOR_WEIGHT,
        }
    }
}

/// A field in which a query searches words, and the field with other forms of these words.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchedField {
    /// Name of the field in queries.
    pub(super) name: &'static str,
    pub(super) words: Field,
    pub(super) forms: Field,
    pub(super) weight: f32,
}

/// Returns the value of the index field `part`: the kind of a document, and the URL `owner` to
/// which the document belongs.
pub(super) fn part(kind: DocumentKind, owner: &Key<'_>) -> String {
    format!("{} {}", kind.name(), owner.as_str())
}

/// Field name by which a query searches the anchor texts of links to a page, as in `anchor:rye`.
pub(super) const ANCHOR: &str = "anchor";

/// Factor by which the score of a match in anchor texts is multiplied.
const ANCHOR_WEIGHT: f32 = 1.5;

/// Separator of URLs that are stored in one field. No URL contains it.
pub(super) const LINE: char = '\n';

/// Reads the time at which a document's content was fetched. The time is in seconds since 1970.
/// Returns None if the document has no such time.
pub(super) fn captured_of(segment: &SegmentReader, document: DocId) -> Option<i64> {
    signed_number(segment, column::CAPTURED, document)
}

/// Reads the time at which a page was found unchanged, in seconds since 1970. Returns None if the
/// document is not of the kind `seen`.
pub(super) fn unchanged_at(segment: &SegmentReader, document: DocId) -> Option<i64> {
    signed_number(segment, column::SEEN, document)
}

/// Reads the time at which a site last served the rules in a document. The time is in seconds since
/// 1970. Returns None if the document is not of the kind `rules`.
pub(super) fn ruled_at(segment: &SegmentReader, document: DocId) -> Option<i64> {
    signed_number(segment, column::RULED, document)
}

/// Reads a document's unsigned number from the column `name`. Returns None if the document has no
/// number there.
pub(super) fn number(segment: &SegmentReader, name: &str, document: DocId) -> Option<u64> {
    segment.fast_fields().u64(name).ok()?.first(document)
}

/// Reads a document's signed number from the column `name`. Returns None if the document has no
/// number there.
pub(super) fn signed_number(segment: &SegmentReader, name: &str, document: DocId) -> Option<i64> {
    segment.fast_fields().i64(name).ok()?.first(document)
}

/// True if a document has an unsigned number in the column `name`.
pub(super) fn has(segment: &SegmentReader, name: &str, document: DocId) -> bool {
    number(segment, name, document).is_some()
}
