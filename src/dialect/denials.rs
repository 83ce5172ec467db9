//! What conventions deny, mostly.

use crate::policy::{Facet, Facets};

pub(crate) const INDEX: Facets = Facets::of(&[Facet::Index]);
pub(super) const TEXT: Facets = Facets::of(&[Facet::Index, Facet::Anchor]);
pub(super) const BOTH: Facets = Facets::of(&[Facet::Index, Facet::Anchor, Facet::Follow]);
pub(super) const SHOWN: Facets = Facets::of(&[Facet::Index, Facet::Snippet]);
pub(super) const SNIPPET: Facets = Facets::of(&[Facet::Snippet]);
