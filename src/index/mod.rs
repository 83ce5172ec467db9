//! A tantivy index that holds what heedful let through, over its whole life.
//!
//! Everything is keyed by URL, in normal form and without the fragment. A page brings in what it says (`document`), what it
//! calls others, and its snapshot (`store`); adding it again takes all that back first. What others call a page is joined to
//! it when a question is asked (`anchors`), and folded together now and then (`fold`). Words are split on the adding thread
//! and packed (`packed`), with a position gap of 1000 at every phrase boundary, so that no phrase query crosses an excluded
//! part, whatever its slop. The body is not stored: what a search may show is an excerpt text of its own, which never held
//! what may not be shown.
//!
//! All of it is one tantivy index, so that one commit is one state: the last whole one is what stands after any crash. A
//! commit's payload says which law and which terms made it, and which files of snapshots belong to it. What this module
//! never does: judge.

mod anchors;
mod before;
mod best;
mod check;
mod confirm;
mod contents;
#[cfg(test)]
mod crash;
mod directory;
mod document;
mod fold;
mod gone;
mod heard;
mod id;
mod kept;
mod lengths;
mod merge;
mod near;
mod open;
mod packed;
mod payload;
mod pending;
mod query;
mod replay;
mod schema;
mod search;
mod segments;
mod sorting;
mod sought;
mod statistics;
mod store;
mod stored;
mod terms;
mod time;
mod trouble;
mod writer;

pub use contents::{Anchor, Known, Stats};
pub use fold::Compacted;
pub use gone::Gone;
pub use merge::Merged;
pub use open::Index;
pub use query::Query;
pub use search::{Found, Hit, Part, Search};
pub use terms::Terms;
pub use writer::{Added, Writer};
