//! A decision about a page, as plain data: what was decided (`answer`, `decided`, `kind`), and what
//! it rests on (`basis`, `digest`, `originals`).
//!
//! Whoever decides makes these, an index hands them to its journal, and a log of evidence keeps
//! them. Nothing here decides or keeps.

mod answer;
mod basis;
mod decided;
mod digest;
#[doc(hidden)]
pub mod hex;
mod kind;
mod originals;

pub use answer::{AllowedUses, BotAnswer, Why, Whys};
#[doc(hidden)]
pub use basis::{ALSO_AT, CUT, NAMES, NOW, RSL, UTF_8};
pub use basis::{Basis, SiteFileRef, decides};
pub use decided::{Decision, DecisionRecord};
pub use digest::PageDigest;
pub use hex::Hash;
pub use kind::EntryKind;
pub use originals::Originals;
