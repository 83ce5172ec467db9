//! An index over the life of its sites: pages change, go and come back, and so do their anchors and
//! snapshots.
//!
//! The content of the index, the results of a query and their scores depend only on what is there
//! now. They do not depend on the order of pages, on commits, on deletions, or on when the index
//! was compacted. All sets are exact. The tests use only the public interface. What needs a whole
//! run stands in `crates/run/tests/all/life/`.

mod anchors;
mod damaged;
mod merge;
mod reopened;
mod scores;
