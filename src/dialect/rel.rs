//! `rel` on links: nofollow, ugc, sponsored (docs/semantics.md, section 4.5).

use crate::policy::{Extent, Facet, Facets, Says};

use super::{Ear, Element, Said};

pub(super) fn rel(element: &impl Element, ear: &mut Ear<'_>) {
    let Some(rel) = element.attribute("rel") else { return };
    let denies = |word: &str| ["nofollow", "ugc", "sponsored"].iter().any(|w| w.eq_ignore_ascii_case(word));
    if rel.split_ascii_whitespace().any(denies) {
        ear.heard.push(Said {
            says: Says::Deny(Facets::of(&[Facet::Follow, Facet::Anchor])),
            bots: ear.bots.all(),
            extent: Extent::Node,
            dialect: "rel",
        });
    }
}
