//! A decision about a page, as plain data: its answers (`answer`, `decided`, `kind`), and its basis
//! (`basis`, `digest`, `originals`).
//!
//! The code that decides about pages creates the values of this module. An index passes them to its
//! journal, and an evidence log stores them. This module neither decides nor stores anything.

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
