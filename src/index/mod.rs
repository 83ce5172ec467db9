//! A tantivy index that holds what heedful let through, over its whole life.
//!
//! Everything is keyed by URL, in normal form and without the fragment. A page brings in what it says (`document`), what it
//! calls others, and its snapshot (`store`); adding it again takes all that back first. What others call a page is joined to
//! it when a question is asked (`anchors`), and folded together now and then (`fold`). Words are split on the adding thread
//! and packed (`packed`), with a position gap of 1000 at every phrase boundary, so that no phrase query crosses an excluded
//! part, whatever its slop. The body is not stored: what a search may show is an excerpt text of its own, which never held
//! what may not be shown.
//!
//! Two rooms stand on what is here: `keep`, where pages go in and out, and `ask`, where questions are answered; `keep` asks `ask`
//! what there is, and never the other way round.
//!
//! All of it is one tantivy index, so that one commit is one state: the last whole one is what stands after any crash. A
//! commit's payload says which law and which terms made it, and which files of snapshots belong to it. What this module
//! never does: judge.

mod ask;
#[cfg(test)]
mod crash;
mod directory;
mod gone;
mod heard;
mod id;
mod keep;
mod lengths;
mod open;
mod packed;
mod payload;
mod pending;
mod schema;
mod statistics;
mod store;
mod stored;
mod terms;
mod time;
mod trouble;
mod uses;

pub use ask::{Anchor, Found, Hit, Known, Query, Search, Stats, WordScore};
pub use gone::Gone;
pub use keep::{Added, Compacted, Merged, Writer};
pub use open::Index;
pub use terms::Terms;
