//! Converts a page into tantivy documents: one document for the page, and others for the anchor
//! texts of its links.
//!
//! The words of navigation have a field of their own, with a low weight: a menu has the words of
//! all pages of its site. In the text of a hit they are last.
//!
//! Text of a page that may be neither shown nor given to a model is indexed, but never stored.

use std::collections::HashSet;
use std::time::SystemTime;

use tantivy::TantivyDocument;

use crate::analysis::Analysis;
use crate::forms::{Forms, Language, primary_subtag};
use crate::gone::Gone;
use crate::id::{hash, id};
use crate::packed;
use crate::rules::text_of;
use crate::schema::{DocumentKind, Fields, LINE, SearchedField, part};
use crate::statement::UrlStatement;
use crate::store::StoreOffset;
use crate::time::seconds;
use crate::totals::PageLengths;
use crate::uses::{KEPT, denied, satisfies_need};
use heedful::internals::page::Parting;
use heedful::{Landmark, Landmarks, Page, Use};
use heedful_base::address::{Key, host_and_sites};

/// Estimated bytes that an index document needs in addition to its texts.
const FEW_BYTES: usize = 128;
/// Maximum bytes of the language that a page declares. A longer value is dropped. In practice a tag
/// of RFC 5646 has at most 35 bytes.
const MOST_OF_A_LANGUAGE: usize = 64;

/// Creator of tantivy documents of all kinds (page, anchor, tombstone and others) for one index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Documents {
    pub(super) fields: Fields,
    pub(super) generation: u64,
    pub(super) analysis: Analysis,
}

impl Documents {
    /// Returns the document of a page, and the number of words in each of its searched fields.
    pub(super) fn page(
        &self,
        key: &Key<'_>,
        page: &Page,
        captured: Option<i64>,
    ) -> (TantivyDocument, PageLengths) {
        let fields = &self.fields;
        let text: usize = page.phrases().iter().map(String::len).sum();
        let mut document = self.begin(DocumentKind::Page, key, FEW_BYTES + 3 * text);
        self.add_captured(&mut document, captured);
        document.add_text(fields.url, key.as_str());
        document.add_u64(fields.id, id(key));
        document.add_u64(fields.generation, self.generation);
        let (host, sites) = host_and_sites(page.location());
        if let Some(host) = host {
            document.add_text(fields.host, host);
        }
        for site in sites {
            document.add_text(fields.site, site);
        }
        let spoken = self.spoken(page);
        let navigation = Landmarks::one(Some(Landmark::Navigation));
        let texts = [
            packed::pack(page.title()),
            packed::pack(page.headings()),
            packed::pack(page.description()),
            self.packed_body(page, Landmarks::ALL.without(navigation)),
            packed::pack(page.alternative()),
            self.packed_body(page, navigation),
        ];
        let lengths = PageLengths::new(texts.each_ref().map(|packed| match packed {
            Some(packed) => packed::count(packed),
            None => 0,
        }));
        for (field, packed) in fields.searched().into_iter().zip(texts) {
            if let Some(packed) = packed {
                self.add_words(&mut document, field, &packed, spoken);
            }
        }
        self.add_spoken(&mut document, spoken);
        document.add_u64(fields.denied, denied(page));
        for usage in KEPT {
            if !satisfies_need(page, usage) {
                document.add_text(fields.withheld, usage.name());
            }
        }
        add_texts(&mut document, fields, page);
        if let Some(canonical) = page.canonical() {
            document.add_text(fields.canonical, canonical.as_str());
        }
        if let Some(language) = declared(page) {
            document.add_text(fields.language, language);
            if let Some(primary) = primary_subtag(language) {
                document.add_text(fields.primary_language, primary);
            }
        }
        self.add_second_url(&mut document, page);
        self.add_expiry(&mut document, page.policy().unavailable_after());
        if let Some(characters) = page.policy().max_snippet() {
            document.add_u64(fields.max_snippet, u64::from(characters));
        }
        (document, lengths)
    }

    pub(super) fn add_second_url(&self, document: &mut TantivyDocument, page: &Page) {
        if let Some(url) = page.also_at() {
            document.add_text(self.fields.also_at, url);
        }
    }

    /// Returns the documents with the anchor texts of a page's links. For each link target, an
    /// anchor text is included once. Anchor texts that may not be shown are in separate documents,
    /// which are searched but do not store the text. Links to the page itself are ignored.
    pub(super) fn anchors(&self, owner: &Key<'_>, page: &Page) -> Vec<TantivyDocument> {
        let host = page.location().host_str().unwrap_or_default();
        let mut seen = HashSet::with_capacity(page.links().len());
        let mut documents = Vec::new();
        let mut called = String::new();
        let mut names = [
            (DocumentKind::Anchor, TargetAnchors::default()),
            (DocumentKind::Unshown, TargetAnchors::default()),
        ];
        for link in page.links() {
            if !link.may_follow() || !link.may_credit() {
                continue;
            }
            let target = link.key();
            if target.is_too_long() || target == *owner {
                continue;
            }
            called.clear();
            let parts = link.phrases().map(|phrase| (phrase, Parting::Phrase));
            packed::append(&mut called, parts, packed::MOST_WORDS);
            if called.is_empty() {
                continue;
            }
            let target_id = id(&target);
            let vote = hash(&[host, &called]);
            if !seen.insert((target_id, vote)) {
                continue;
            }
            let (kind, names) = &mut names[usize::from(!link.may_show())];
            names.add(target_id, vote, &called, target.as_str());
            if names.votes.len() == packed::MOST_ANCHOR_TEXTS {
                documents.push(self.anchors_document(*kind, owner, page, &std::mem::take(names)));
            }
        }
        let rest = names.iter().filter(|(_, names)| !names.votes.is_empty());
        documents
            .extend(rest.map(|(kind, names)| self.anchors_document(*kind, owner, page, names)));
        documents
    }

    fn anchors_document(
        &self,
        kind: DocumentKind,
        owner: &Key<'_>,
        page: &Page,
        names: &TargetAnchors,
    ) -> TantivyDocument {
        let mut document = self.begin(kind, owner, FEW_BYTES + names.bytes());
        document.add_u64(self.fields.source, id(owner));
        names.fill(
            &mut document,
            self,
            self.spoken(page),
            kind != DocumentKind::Unshown,
        );
        self.add_expiry(&mut document, page.policy().unavailable_after());
        document
    }

    /// Returns the tombstone of a URL that is known but not indexed. `why` is the text of the
    /// statement that excludes the URL, or empty.
    pub(super) fn tombstone(
        &self,
        key: &Key<'_>,
        reason: Gone,
        why: &str,
        captured: Option<i64>,
    ) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = self.begin(DocumentKind::Gone, key, FEW_BYTES);
        self.add_captured(&mut document, captured);
        document.add_text(fields.tombstone_url, key.as_str());
        document.add_u64(fields.tombstone_id, id(key));
        document.add_u64(fields.generation, self.generation);
        document.add_text(fields.reason, reason.to_string());
        document.add_text(fields.why, why);
        document
    }

    /// Returns a document with a statement about a URL from a response without the page.
    pub(super) fn statement(
        &self,
        key: &Key<'_>,
        captured: Option<i64>,
        statement: &UrlStatement,
    ) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = self.begin_part(DocumentKind::Confirmed, key);
        self.add_captured(&mut document, captured);
        match statement {
            UrlStatement::Gone(reason, why) => {
                document.add_text(fields.reason, reason.to_string());
                document.add_text(fields.why, why);
            }
            UrlStatement::Restrictions(asked) => {
                document.add_u64(fields.denied, asked.denied);
                document.add_u64(fields.target, id(key));
                for usage in KEPT {
                    if asked.denies(usage) {
                        document.add_text(fields.withheld, usage.name());
                    }
                }
                if let Some(characters) = asked.max_snippet {
                    document.add_u64(fields.max_snippet, characters);
                }
                if let Some(time) = asked.expires {
                    document.add_i64(fields.expires, time);
                }
            }
        }
        document
    }

    /// Returns a document with the time at which a page was found unchanged, in seconds since 1970.
    pub(super) fn unchanged(&self, key: &Key<'_>, time: i64) -> TantivyDocument {
        let mut document = self.begin_part(DocumentKind::Seen, key);
        document.add_i64(self.fields.unchanged, time);
        document
    }

    /// Returns a document with the rules of a site file, such as robots.txt. `owner` identifies the
    /// site file, and is never the URL of a page. `served` is the time at which the site served the
    /// rules, in seconds since 1970.
    pub(super) fn rules(&self, owner: &str, served: i64, rules: &[u8]) -> TantivyDocument {
        let mut document = TantivyDocument::with_capacity(FEW_BYTES + rules.len());
        document.add_text(self.fields.kind, DocumentKind::Rules.name());
        document.add_text(self.fields.owner, owner);
        document.add_i64(self.fields.ruled, served);
        document.add_text(self.fields.rules, text_of(rules));
        document
    }

    pub(super) fn copy(&self, owner: &Key<'_>, spot: StoreOffset) -> TantivyDocument {
        let fields = &self.fields;
        let mut document = self.begin_part(DocumentKind::Copy, owner);
        for (field, value) in [
            (fields.file, spot.file),
            (fields.offset, spot.offset),
            (fields.length, spot.length),
        ] {
            document.add_u64(field, value);
        }
        document
    }

    /// Packs the words of the page's body that are in one of `landmarks`. Returns None if there are
    /// none.
    fn packed_body(&self, page: &Page, landmarks: Landmarks) -> Option<String> {
        let parts = page.phrases_in(landmarks, self.analysis.parts_blocks());
        packed::pack_parted(parts.iter().map(|(part, parting)| (&**part, *parting)))
    }

    /// Adds the packed words of a field to a document, with their other forms, such as stems.
    fn add_words(
        &self,
        document: &mut TantivyDocument,
        field: SearchedField,
        packed: &str,
        spoken: Option<Language>,
    ) {
        if let Some(forms) = packed::with_forms(packed, self.analysis.forms(), spoken) {
            document.add_text(field.forms, forms);
        }
        document.add_text(field.words, packed);
    }

    /// Returns the language that a page declares. Returns None if the page declares none, or if
    /// heedful has no stemmer for the language. Also returns None if the index stores only exact
    /// words, and no other forms such as stems.
    fn spoken(&self, page: &Page) -> Option<Language> {
        if self.analysis.forms() == Forms::Exact {
            return None;
        }
        Language::from_tag(declared(page)?)
    }

    fn add_spoken(&self, document: &mut TantivyDocument, spoken: Option<Language>) {
        if let Some(language) = spoken {
            document.add_u64(self.fields.spoken, language.number());
        }
    }

    /// Creates a document with its kind and owner. `bytes` is the estimated size of its content.
    fn begin(&self, kind: DocumentKind, owner: &Key<'_>, bytes: usize) -> TantivyDocument {
        let mut document = TantivyDocument::with_capacity(bytes);
        document.add_text(self.fields.kind, kind.name());
        document.add_text(self.fields.owner, owner.as_str());
        document
    }

    /// Creates a document with its kind, its owner (a URL) and the field `part`. By the field
    /// `part`, the document can be deleted alone. The other documents of the URL then stay.
    fn begin_part(&self, kind: DocumentKind, owner: &Key<'_>) -> TantivyDocument {
        let mut document = self.begin(kind, owner, FEW_BYTES);
        document.add_text(self.fields.part, part(kind, owner));
        document
    }

    fn add_captured(&self, document: &mut TantivyDocument, captured: Option<i64>) {
        if let Some(captured) = captured {
            document.add_i64(self.fields.captured, captured);
        }
    }

    fn add_expiry(&self, document: &mut TantivyDocument, expires: Option<SystemTime>) {
        if let Some(time) = expires {
            document.add_i64(self.fields.expires, seconds(time));
        }
    }
}

/// Returns the language that a page declares, without normalization. Returns None if the page
/// declares no language. Also returns None if the declared text is too long.
fn declared(page: &Page) -> Option<&str> {
    page.language()
        .filter(|language| language.len() <= MOST_OF_A_LANGUAGE)
}

/// Adds to the document of a page the texts that a search hit may show. Also adds the texts that
/// may be given to a language model. A text for a model is left out if it equals the shown text, as
/// on most pages.
fn add_texts(document: &mut TantivyDocument, fields: &Fields, page: &Page) {
    let shown = [page.shown_title(), page.showable_navigation_last()];
    if page.policy().allows(Use::Input) {
        let given = [
            (fields.input_title, page.input_title()),
            (fields.input, page.material_navigation_last()),
        ];
        for ((field, text), _) in given
            .into_iter()
            .zip(&shown)
            .filter(|((_, text), shown)| text != *shown)
        {
            document.add_text(field, text);
        }
    }
    for (field, text) in [fields.shown_title, fields.excerpt].into_iter().zip(shown) {
        document.add_text(field, text);
    }
}

/// Link targets of one page, with their anchor texts. URL hashes, votes, packed anchor texts and
/// URLs are all in the same order.
#[derive(Default)]
pub(super) struct TargetAnchors {
    targets: Vec<u64>,
    votes: Vec<u64>,
    called: String,
    /// URLs of the link targets, one a line.
    urls: String,
}

impl TargetAnchors {
    pub(super) fn add(&mut self, target: u64, vote: u64, called: &str, url: &str) {
        self.targets.push(target);
        self.votes.push(vote);
        self.called.push_str(called);
        if !self.urls.is_empty() {
            self.urls.push(LINE);
        }
        self.urls.push_str(url);
    }

    fn bytes(&self) -> usize {
        16 * self.votes.len() + 2 * self.called.len() + self.urls.len()
    }

    /// Adds all link targets of a page to an anchor document. `spoken` is the language of the page.
    /// The anchor texts are always indexed, but stored only if they may be shown.
    pub(super) fn fill(
        &self,
        document: &mut TantivyDocument,
        documents: &Documents,
        spoken: Option<Language>,
        may_show: bool,
    ) {
        let fields = &documents.fields;
        for (field, ids) in [(fields.target, &self.targets), (fields.vote, &self.votes)] {
            for id in ids {
                document.add_u64(field, *id);
            }
        }
        document.add_text(fields.target_urls, &self.urls);
        documents.add_words(document, fields.anchors(), &self.called, spoken);
        documents.add_spoken(document, spoken);
        if may_show {
            document.add_text(fields.shown_anchor, &self.called);
        }
    }
}
