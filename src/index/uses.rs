//! The uses of a page that an index stores.

use crate::page::Page;
use crate::policy::Facet;

/// The facets that an index stores for a page besides `index`. Their order is part of the stored form.
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

/// True if a page is found when this facet is needed. A hit contains only text that may be shown or given to a model.
/// So for these two a part of the page is enough. Any other use must be allowed for the whole page.
pub(super) fn may_be_asked_for(page: &Page, facet: Facet) -> bool {
    match facet {
        Facet::Archive | Facet::Train | Facet::Translate | Facet::Image => page.allows_throughout(facet),
        _ => page.policy().allows(facet),
    }
}

/// The stored facets that the page as a whole denies, as bits.
pub(super) fn denied(page: &Page) -> u64 {
    KEPT.into_iter().filter(|facet| !page.policy().allows(*facet)).map(bit).sum()
}

pub(super) fn bit(facet: Facet) -> u64 {
    KEPT.iter().position(|kept| *kept == facet).map_or(0, |at| 1 << at)
}
