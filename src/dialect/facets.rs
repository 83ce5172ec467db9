//! The sets of facets that conventions deny.

use crate::policy::{Facet, Facets};

#[doc(hidden)]
pub const INDEX: Facets = Facets::of(&[Facet::Index]);
pub(super) const ANCHOR: Facets = Facets::of(&[Facet::Anchor]);
pub(super) const FOLLOW: Facets = Facets::of(&[Facet::Follow]);
pub(super) const SNIPPET: Facets = Facets::of(&[Facet::Snippet]);
pub(super) const TRAIN: Facets = Facets::of(&[Facet::Train]);
pub(super) const TEXT: Facets = INDEX.with(ANCHOR);
pub(super) const BOTH: Facets = TEXT.with(FOLLOW);
pub(super) const SHOWN: Facets = INDEX.with(SNIPPET);
pub(super) const FLAGS: Facets = BOTH.with(SNIPPET);
pub(super) const LINK: Facets = FOLLOW.with(ANCHOR);
pub(super) const PROFILE: Facets = FLAGS.with(Facets::of(&[Facet::Archive]));
/// The uses of a page by a model.
pub(super) const MODELS: Facets = TRAIN.with(Facets::of(&[Facet::Input]));
pub(super) const META: Facets = Facets::of(&[
    Facet::Index,
    Facet::Follow,
    Facet::Archive,
    Facet::Snippet,
    Facet::Image,
    Facet::Translate,
    Facet::Train,
]);
/// All that a META may deny, in any dialect.
pub const PAGE: Facets = META.with(MODELS);
/// All that Content Signals can deny: everything but links.
pub(super) const SIGNALS: Facets = Facets::of(&[
    Facet::Index,
    Facet::Archive,
    Facet::Snippet,
    Facet::Image,
    Facet::Translate,
    Facet::Train,
    Facet::Input,
]);
