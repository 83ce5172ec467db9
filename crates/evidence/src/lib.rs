//! Evidence: an append-only log of decisions. From the log, each decision can be traced to the
//! bytes that caused it (docs/evidence.md).
//!
//! A log entry has the digests of the page, its response headers and its site files, the deciding
//! directives, the terms of judgement and the version of docs/semantics.md. A Merkle tree over the
//! entries (RFC 6962) proves that none was changed later. Entries contain no text of a page and no
//! URL. Salts link URLs to entries, and an entry whose salt was erased can no longer be linked to
//! its page. Texts that name a page are encrypted with the salt of its entry (`sealed`). The commit
//! of an index contains the log's head, so index and log change in one step. A log never decides
//! anything, and never reconstructs lost data.

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
mod terms;
mod tree;
mod url_uses;
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
pub use url_uses::UrlUses;

/// Runs the example of `README.md` as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
