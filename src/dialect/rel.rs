//! `rel` on links: nofollow, ugc, sponsored (docs/semantics.md, section 4.5).
//!
//! The profile's `robots-follow` lifts `nofollow`, but not the others.

use crate::policy::{Extent, Facet, Facets, Says};

use super::{Ear, Element, Whom};

pub(super) fn rel(element: &impl Element, ear: &mut Ear<'_>) {
    let Some(rel) = element.attribute("rel") else { return };
    let has = |word: &str| rel.split_ascii_whitespace().any(|w| w.eq_ignore_ascii_case(word));
    let bots = ear.bots.all();
    let whom = match (has("ugc") || has("sponsored"), has("nofollow")) {
        (true, _) => Whom::Bots(bots),
        (false, true) => Whom::Unless(bots),
        (false, false) => return,
    };
    if !ear.dialects.has("rel") {
        return;
    }
    ear.hear(Says::Deny(Facets::of(&[Facet::Follow, Facet::Anchor])), whom, Extent::Node, "rel");
}
