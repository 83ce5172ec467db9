//! The sets of uses that conventions deny.

use crate::policy::{Use, Uses};

#[doc(hidden)]
pub const INDEX: Uses = Uses::of(&[Use::Index]);
pub(super) const ANCHOR: Uses = Uses::of(&[Use::Anchor]);
pub(super) const FOLLOW: Uses = Uses::of(&[Use::Follow]);
pub(super) const SNIPPET: Uses = Uses::of(&[Use::Snippet]);
pub(super) const TRAIN: Uses = Uses::of(&[Use::Train]);
pub(super) const TEXT: Uses = INDEX.with(ANCHOR);
pub(super) const BOTH: Uses = TEXT.with(FOLLOW);
pub(super) const SHOWN: Uses = INDEX.with(SNIPPET);
pub(super) const FLAGS: Uses = BOTH.with(SNIPPET);
pub(super) const LINK: Uses = FOLLOW.with(ANCHOR);
pub(super) const PROFILE: Uses = FLAGS.with(Uses::of(&[Use::Archive]));
/// The uses of a page by a model.
pub(super) const MODELS: Uses = TRAIN.with(Uses::of(&[Use::Input]));
pub(super) const META: Uses = Uses::of(&[
    Use::Index,
    Use::Follow,
    Use::Archive,
    Use::Snippet,
    Use::Image,
    Use::Translate,
    Use::Train,
]);
/// All that a META may deny, in any convention.
pub const PAGE: Uses = META.with(MODELS);
/// All that Content Signals can deny: everything but links.
pub(super) const SIGNALS: Uses = Uses::of(&[
    Use::Index,
    Use::Archive,
    Use::Snippet,
    Use::Image,
    Use::Translate,
    Use::Train,
    Use::Input,
]);
