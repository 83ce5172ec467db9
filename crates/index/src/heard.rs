//! Statements on a URL that come without its page, and what a page denied when it was read.

use tantivy::{DocAddress, DocId, Searcher, SegmentReader};

use heedful::{Page, Use};

use super::gone::Gone;
use super::schema::{Fields, column, has, number, ruled_at, seen_at, signed_number};
use super::stored::{self, text};
use super::time::seconds;
use super::uses::{denied, use_bit};

/// A statement on a URL that came without its page.
#[derive(Clone, Debug)]
pub(super) enum UrlStatement {
    /// The URL is gone: the reason, and the statement that denies it.
    Gone(Gone, String),
    /// The page is unchanged, and its headers ask for this.
    Asked(Restrictions),
}

/// A statement on a URL, with its time in seconds if that is known.
pub(super) type DatedStatement = (Option<i64>, UrlStatement);

impl UrlStatement {
    /// True if an earlier statement adds nothing to this one.
    pub(super) fn supersedes(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Asked(now), Self::Asked(before)) => before.are_covered_by(now),
            (Self::Asked(_), Self::Gone(..)) => false,
            (Self::Gone(..), _) => true,
        }
    }

    /// Reads what a document of [`DocumentKind::Confirmed`](super::schema::DocumentKind) keeps.
    pub(super) fn read(
        searcher: &Searcher,
        address: DocAddress,
        fields: &Fields,
    ) -> tantivy::Result<Self> {
        let document = stored::document(searcher, address)?;
        if document.get_first(fields.reason).is_some() {
            return Ok(Self::Gone(
                Gone::parse(&text(&document, fields.reason)),
                text(&document, fields.why),
            ));
        }
        Ok(Self::Asked(Restrictions::read(
            searcher.segment_reader(address.segment_ord),
            address.doc_id,
        )))
    }
}

/// What headers restrict, or what a page restricted when it was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Restrictions {
    pub(super) denied: u64,
    pub(super) max_snippet: Option<u64>,
    pub(super) expires: Option<i64>,
}

impl Restrictions {
    pub(super) fn from_page(page: &Page) -> Self {
        let policy = page.policy();
        Self {
            denied: denied(page),
            max_snippet: policy.max_snippet().map(u64::from),
            expires: policy.unavailable_after().map(seconds),
        }
    }

    pub(super) fn read(segment: &SegmentReader, document: DocId) -> Self {
        Self {
            denied: number(segment, column::DENIED, document).unwrap_or(0),
            max_snippet: number(segment, column::MAX_SNIPPET, document),
            expires: signed_number(segment, column::EXPIRES, document),
        }
    }

    pub(super) fn denies(&self, usage: Use) -> bool {
        self.denied & use_bit(usage) != 0
    }

    /// True if these restrictions allow a page to stay that had the restrictions `page` when it was
    /// read. Without a page, what is known of the URL stays.
    pub(super) fn keeps(&self, page: Option<Self>) -> bool {
        match page {
            Some(page) => self.lasting().are_covered_by(&page),
            None => true,
        }
    }

    /// The lasting part of this: without what can be taken back while the text stays unchanged.
    pub(super) fn lasting(mut self) -> Self {
        for usage in [
            Use::Archive,
            Use::Input,
            Use::Train,
            Use::Translate,
            Use::Image,
        ] {
            self.denied &= !use_bit(usage);
        }
        self
    }

    /// True if these headers ask for nothing new compared with `before`.
    pub(super) fn are_covered_by(&self, before: &Self) -> bool {
        self.denied & !before.denied == 0
            && is_no_lower(self.max_snippet, before.max_snippet)
            && is_no_lower(self.expires, before.expires)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.denied == 0 && self.max_snippet.is_none() && self.expires.is_none()
    }
}

/// True if a limit is no stricter than the one before. No limit is the least strict.
fn is_no_lower<T: Ord>(now: Option<T>, before: Option<T>) -> bool {
    match (now, before) {
        (None, _) => true,
        (Some(now), Some(before)) => before <= now,
        (Some(_), None) => false,
    }
}

/// True if a document is a statement. It is then no page, tombstone, anchor or snapshot's place,
/// has no rules of a site, and is not about a page that was found unchanged.
pub(super) fn is_statement(segment: &SegmentReader, document: DocId) -> bool {
    if seen_at(segment, document).is_some() || ruled_at(segment, document).is_some() {
        return false;
    }
    let other_kinds = [column::ID, column::GONE_ID, column::SOURCE, column::FILE];
    !other_kinds
        .into_iter()
        .any(|name| has(segment, name, document))
}
