//! Sets of uses that conventions deny.

use crate::policy::{Use, Uses};

#[doc(hidden)]
pub const INDEX: Uses = Uses::new(&[Use::Index]);
pub(super) const ANCHOR: Uses = Uses::new(&[Use::Anchor]);
pub(super) const FOLLOW: Uses = Uses::new(&[Use::Follow]);
pub(super) const SNIPPET: Uses = Uses::new(&[Use::Snippet]);
pub(super) const TRAIN: Uses = Uses::new(&[Use::Train]);
pub(super) const TEXT: Uses = INDEX.union(ANCHOR);
pub(super) const BOTH: Uses = TEXT.union(FOLLOW);
pub(super) const SHOWN: Uses = INDEX.union(SNIPPET);
pub(super) const FLAGS: Uses = BOTH.union(SNIPPET);
pub(super) const LINK: Uses = FOLLOW.union(ANCHOR);
pub(super) const PROFILE: Uses = FLAGS.union(Uses::new(&[Use::Archive]));
/// Uses of a page by a model: for training, and as material for the model's answers.
pub(super) const MODELS: Uses = TRAIN.union(Uses::new(&[Use::Input]));
pub(super) const META: Uses = Uses::new(&[
    Use::Index,
    Use::Follow,
    Use::Archive,
    Use::Snippet,
    Use::Image,
    Use::Translate,
    Use::Train,
]);
/// All uses that some convention lets a META deny.
pub const PAGE: Uses = META.union(MODELS);
/// Uses that Content Signals can deny: all except following links and crediting anchor texts.
pub(super) const SIGNALS: Uses = Uses::new(&[
    Use::Index,
    Use::Archive,
    Use::Snippet,
    Use::Image,
    Use::Translate,
    Use::Train,
    Use::Input,
]);
