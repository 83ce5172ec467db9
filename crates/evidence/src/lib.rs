//! Evidence: an append-only log of decisions, in formats that other programs read
//! (docs/evidence.md).
//!
//! The log is a tiled transparency log by C2SP: entries and the tiles of their Merkle tree
//! (c2sp.org/tlog-tiles), a signed checkpoint (c2sp.org/tlog-checkpoint), and proofs that are
//! verified without the log (c2sp.org/tlog-proof). Tree, checkpoints and notes come from the crates
//! `tlog_tiles` and `signed_note`. An entry only commits to its record: it has the hash of a salt
//! and the record. Records and salts are in one folder, `private`. So erasing a record makes its
//! entry meaningless, and changes no hash of the tree. The commit of an index contains the log's
//! head, so index and log change in one step. A log never decides anything, and never reconstructs
//! lost data.

mod audit;
mod bundles;
mod cosign;
#[cfg(test)]
mod crash;
mod erase;
mod files;
mod forget;
mod judge;
mod keys;
mod log;
mod of_index;
mod proof;
mod record;
mod state;
mod terms;
mod tiles;
mod url_uses;
mod writer;

pub use audit::Audit;
pub use heedful_index::Terms;
pub use heedful_index::decision::hex::text as hex;
pub use heedful_index::decision::{
    AllowedUses, Basis, BotAnswer, Decision, DecisionRecord, EntryKind, Hash, Originals,
    PageDigest, SiteFileRef, Why, Whys, decides,
};
pub use judge::ProofVerdict;
pub use keys::{PublicKey, SigningKey};
pub use log::{Log, RecordedDecision};
pub use of_index::IndexEvidence;
pub use proof::{CheckedProof, Growth, Proof, Trust};
pub use state::Head;
#[doc(hidden)]
pub use url_uses::UrlUses;
pub use writer::Evidence;

/// Runs the example of `README.md` as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
