//! Evidence: an append-only log of decisions, by which each can be followed to the bytes that allowed it
//! (docs/evidence.md).
//!
//! An entry has the digests of page, response head and site files, the deciding directives, the terms and the law. A
//! Merkle tree over the entries (RFC 6962) shows that none was changed since. Entries hold no text of a page and no URL:
//! salts lead from URLs to entries, and texts that name a page are sealed by them (`sealed`). A salt that is erased makes
//! its entry nobody's. The commit of an index names the
//! log's head, so both are one step. A log never decides anything, and nothing that is lost is made up.

mod audit;
mod basis;
mod blob;
mod decision;
mod entry;
mod files;
mod forget;
mod head;
mod hex;
mod history;
mod judge;
mod keep;
mod log;
mod originals;
mod proof;
mod sealed;
mod segment;
mod sign;
#[cfg(feature = "run")]
mod standing;
mod terms;
mod tree;
mod writer;

pub use audit::Audit;
pub use basis::{Basis, SiteFileRef, decides};
#[cfg(feature = "run")]
pub(crate) use basis::{NAMES, RSL};
pub(crate) use blob::Decision;
pub use decision::{Allowed, BotAnswer, Why, Whys};
pub use entry::{EntryKind, PageDigest};
#[cfg(test)]
pub(crate) use files::Files;
pub use head::Head;
#[cfg(feature = "run")]
pub(crate) use hex::name_of;
pub use hex::text as hex;
pub use history::Recorded;
pub use judge::Judged;
pub(crate) use keep::Decided;
pub use keep::Evidence;
pub use log::Log;
pub use originals::Originals;
pub use proof::{Checked, Consistency, Proof};
pub use sign::{Key, Signed, public_key};
#[cfg(feature = "run")]
pub(crate) use standing::Standing;
pub use terms::Terms;
pub use tree::Hash;
