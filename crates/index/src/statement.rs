//! Statements about a URL from responses without the page, and the restrictions of a page at its
//! last fetch.
//!
//! A statement about a URL, and the restrictions of the page there, decide if the page may stay in
//! the index. In doubt the page is removed until it is fetched again.

use tantivy::{DocAddress, DocId, Searcher, SegmentReader};

use heedful::{Page, Use};

use super::gone::Gone;
use super::schema::{Fields, column, has, number, ruled_at, signed_number, unchanged_at};
use super::stored::{self, text};
use super::time::seconds;
use super::uses::{denied, use_bit};

/// A statement about a URL from a response that did not contain the page, for example one with HTTP
/// status 304.
#[derive(Clone, Debug)]
pub(super) enum UrlStatement {
    /// The page at the URL must not be indexed. The fields are the reason, and the text of the
    /// denying statement.
    Gone(Gone, String),
    /// The page is unchanged. Its new headers have these restrictions.
    Restrictions(Restrictions),
}

/// A statement of a response about a URL, with the time at which the response was fetched. The time
/// is in seconds since 1970, or None if it is not known.
pub(super) type DatedStatement = (Option<i64>, UrlStatement);

impl UrlStatement {
    /// True if this statement about a URL makes an `earlier` statement about the same URL
    /// redundant.
    pub(super) fn supersedes(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Restrictions(now), Self::Restrictions(before)) => before.are_covered_by(now),
            (Self::Restrictions(_), Self::Gone(..)) => false,
            (Self::Gone(..), _) => true,
        }
    }

    /// Reads a statement about a URL from a document of the kind
    /// [`DocumentKind::Confirmed`](super::schema::DocumentKind).
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
        Ok(Self::Restrictions(Restrictions::read(
            searcher.segment_reader(address.segment_ord),
            address.doc_id,
        )))
    }
}

/// Restrictions on the use of a page. `denied` is a bitmask of uses. `expires` is in seconds since
/// 1970.
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

    /// True if a page may stay in the index although its headers now have these restrictions.
    /// `page` has the restrictions at the page's last fetch. If `page` is None, the result is true,
    /// because there is no page to remove.
    pub(super) fn allows_page(&self, page: Option<Self>) -> bool {
        match page {
            Some(page) => self.lasting().are_covered_by(&page),
            None => true,
        }
    }

    /// Returns these restrictions without the denials of `archive`, `input`, `train`, `translate`
    /// and `image`. An index can apply the removed denials to its stored text. To apply the other
    /// restrictions, the index needs the bytes of the page again.
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

    /// True if `before` is at least as strict as these restrictions. `before` then denies at least
    /// the same uses, and none of its limits is higher.
    pub(super) fn are_covered_by(&self, before: &Self) -> bool {
        self.denied & !before.denied == 0
            && is_no_lower(self.max_snippet, before.max_snippet)
            && is_no_lower(self.expires, before.expires)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.denied == 0 && self.max_snippet.is_none() && self.expires.is_none()
    }
}

/// True if the new limit `now` is at least as high as the earlier limit `before`. None stands for
/// no limit, which is higher than every limit.
fn is_no_lower<T: Ord>(now: Option<T>, before: Option<T>) -> bool {
    match (now, before) {
        (None, _) => true,
        (Some(now), Some(before)) => before <= now,
        (Some(_), None) => false,
    }
}

/// True if a document of the index is a statement about a URL from a response without the page
/// (kind `confirmed`). The document is recognized by the absence of the columns of all other kinds.
pub(super) fn is_statement(segment: &SegmentReader, document: DocId) -> bool {
    if unchanged_at(segment, document).is_some() || ruled_at(segment, document).is_some() {
        return false;
    }
    let other_kinds = [column::ID, column::GONE_ID, column::SOURCE, column::FILE];
    !other_kinds
        .into_iter()
        .any(|name| has(segment, name, document))
}
