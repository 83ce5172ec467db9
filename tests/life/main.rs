//! An index over the life of its sites: pages change, go and come back, and so do their anchors and snapshots.
//!
//! The content of the index, the results of a query and their scores depend only on what is there now. They do not
//! depend on the order of pages, on commits, on deletions, or on when the index was compacted. All sets are exact. The
//! tests use only the public interface.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod anchors;
mod changes;
mod common;
mod damaged;
mod excerpts;
mod expiry;
mod merge;
mod purge;
mod random;
mod reopened;
mod scores;
mod site;
