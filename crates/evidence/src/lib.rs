//! Evidence: an append-only log of decisions, by which each can be followed to the bytes that
//! allowed it (docs/evidence.md).
//!
//! An entry has the digests of page, response head and site files, the deciding directives, the
//! terms and the law. A Merkle tree over the entries (RFC 6962) shows that none was changed since.
//! Entries hold no text of a page and no URL: salts lead from URLs to entries, and texts that name
//! a page are sealed by them (`sealed`). A salt that is erased makes its entry nobody's. The commit
//! of an index names the log's head, so both are one step. A log never decides anything, and
//! nothing that is lost is made up.

mod audit;
mod blob;
mod context;
#[cfg(test)]
mod crash;
mod entry;
mod files;
mod forget;
mod head;
mod history;
mod judge;
mod keep;
mod log;
mod of_index;
mod proof;
mod sealed;
mod segment;
mod sign;
mod standing;
mod terms;
mod tree;
mod writer;

pub use audit::Audit;
pub use head::Head;
pub use heedful_index::Terms;
pub use heedful_index::decision::hex::text as hex;
pub use heedful_index::decision::{
    AllowedUses, Basis, BotAnswer, Decision, DecisionRecord, EntryKind, Hash, Originals,
    PageDigest, SiteFileRef, Why, Whys, decides,
};
pub use history::RecordedDecision;
pub use judge::ProofVerdict;
pub use keep::Evidence;
pub use log::Log;
pub use of_index::IndexEvidence;
pub use proof::{CheckedProof, Consistency, Proof};
pub use sign::{SignedHead, SigningKey, public_key};
#[doc(hidden)]
pub use standing::UrlUses;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
