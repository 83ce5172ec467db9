//! The uses of a page that an index stores.

use std::time::SystemTime;

use heedful::{Facet, Facets, Page};

/// The facets that an index stores for a page besides `index`. Their order is part of the stored
/// form.
pub(super) const KEPT: [Facet; 8] = [
    Facet::Follow,
    Facet::Anchor,
    Facet::Archive,
    Facet::Snippet,
    Facet::Input,
    Facet::Train,
    Facet::Translate,
    Facet::Image,
];

/// The uses to which an indexed page may be put, as far as the index stores them.
///
/// It stores what the page denies as a whole, and which other uses may not be asked for. It does
/// not store which statement said so, nor how much of the text that concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uses {
    pub(super) denied: Facets,
    pub(super) in_part: Facets,
    pub(super) max_snippet: Option<u64>,
    pub(super) expires: Option<SystemTime>,
}

impl Uses {
    /// The facets that the page as a whole denies. [`Facet::Index`] is never among them.
    pub fn denied(&self) -> Facets {
        self.denied
    }

    /// The facets that only a part of the page denies. For `archive`, `image`, `translate` and
    /// `train` this is exact; for the others the index does not know.
    pub fn in_part(&self) -> Facets {
        self.in_part
    }

    /// The maximum characters of a snippet.
    pub fn max_snippet(&self) -> Option<u64> {
        self.max_snippet
    }

    /// The moment from which on the page is not found.
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires
    }
}

/// The facets of these bits.
pub(super) fn of_bits(bits: u64) -> Facets {
    KEPT.into_iter()
        .filter(|facet| bits & bit(*facet) != 0)
        .fold(Facets::NONE, |all, one| all.with(Facets::of(&[one])))
}

/// True if a page is found when this facet is needed. A hit contains only text that may be shown or
/// given to a model. So for these two a part of the page is enough. Any other use must be allowed
/// for the whole page.
pub(super) fn may_be_asked_for(page: &Page, facet: Facet) -> bool {
    match facet {
        Facet::Archive | Facet::Train | Facet::Translate | Facet::Image => {
            page.allows_throughout(facet)
        }
        _ => page.policy().allows(facet),
    }
}

/// The stored facets that the page as a whole denies, as bits.
pub(super) fn denied(page: &Page) -> u64 {
    KEPT.into_iter()
        .filter(|facet| !page.policy().allows(*facet))
        .map(bit)
        .sum()
}

pub(super) fn bit(facet: Facet) -> u64 {
    KEPT.iter()
        .position(|kept| *kept == facet)
        .map_or(0, |at| 1 << at)
}
