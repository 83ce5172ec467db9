//! An index over the life of the sites in it: pages change, go and come back, and their anchors and snapshots with them.
//!
//! What the index holds, what a query finds and how well it fits depend on what is there now, and never on the way it came
//! there: not on the order of pages, on commits, on what was deleted, or on when the index was compacted. All sets are
//! exact. What is tested goes through the public face.

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
