//! An index while its sites change: pages change, disappear and return, and so do their anchors and
//! snapshots.
//!
//! The contents of the index, the results of a query and their scores depend only on the current
//! pages. They do not depend on the order of pages, on commits, on deletions, or on when the index
//! was compacted. All comparisons are exact. The tests use only the public interface. Tests that
//! need a whole run are in `crates/run/tests/all/life/`.

mod anchors;
mod damaged;
mod merge;
mod reopened;
mod scores;
