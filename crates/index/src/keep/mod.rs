//! Changes an index, and maintains it by compaction, merging and checks.
//!
//! A page becomes documents (`document`) and is written (`writer`, `operations`), after a
//! comparison with the history of its URL (`before`). Its snapshot goes to a file (`copies`), which
//! a later commit rewrites when it is sparse (`rewrite`). A statement about a URL from a response
//! without the page is stored or applied to the page (`confirm`). Anchor texts are folded (`fold`,
//! `sorting`; the room for that is estimated by `room`), and old tombstones are dropped (`forget`).
//! Several indexes are merged into one (`merge`, `replay`, `workplace`). Merges of segments are
//! bounded (`segments`), and the whole index can be checked (`check`). Decisions are recorded in
//! the journal (`noted`). Rules of site files are stored for older captures (`rules`).

mod before;
mod check;
mod confirm;
mod copies;
mod document;
mod fold;
mod forget;
mod merge;
mod noted;
mod operations;
mod replay;
mod rewrite;
mod room;
mod rules;
mod segments;
mod sorting;
mod workplace;
mod writer;

pub use fold::{CompactReport, Compaction};
pub use merge::MergeReport;
pub use writer::{Added, Writer};
