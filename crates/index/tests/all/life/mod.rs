//! Tests of an index while its sites change. Pages change, disappear and return, and so do their
//! anchor texts and snapshots.
//!
//! The tests of this folder check that an index depends only on the current pages: its contents,
//! the results of a query and their scores. It does not depend on the order of pages, on commits,
//! on deletions, or on when it was compacted. All comparisons are exact. The tests use only the
//! public interface. Tests that need a whole run are in `crates/run/tests/all/life/`.

mod anchors;
mod damaged;
mod histories;
mod merge;
mod reopened;
mod scores;
mod years;
