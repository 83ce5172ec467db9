//! What an index keeps in mind of the uses of a page.

use crate::page::Page;
use crate::policy::Facet;

/// What an index keeps in mind of a page besides that it may be found; the order is stored.
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

/// Whether a page is found where this is needed. What a hit shows holds only what may be shown, or given to a model, so of
/// these a part of the page will do; of its other uses all of it is asked.
pub(super) fn may_be_asked_for(page: &Page, facet: Facet) -> bool {
    match facet {
        Facet::Archive | Facet::Train | Facet::Translate | Facet::Image => page.allows_throughout(facet),
        _ => page.policy().allows(facet),
    }
}

/// What of that the page as a whole denies, as bits.
pub(super) fn denied(page: &Page) -> u64 {
    KEPT.into_iter().filter(|facet| !page.policy().allows(*facet)).map(bit).sum()
}

pub(super) fn bit(facet: Facet) -> u64 {
    KEPT.iter().position(|kept| *kept == facet).map_or(0, |at| 1 << at)
}
