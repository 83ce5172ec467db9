//! Folded anchor texts: the anchor texts of links, collected by link target in a compaction.
//!
//! A compaction writes them into the folder `anchors` of the index, as two tantivy indexes. The
//! first has the anchor texts of links to pages of the index, the second those of links to other
//! URLs. So anchor texts of links to other URLs cost a query nothing. Both indexes are written once
//! and never changed. The payload of a commit names their files, so pages and folded anchor texts
//! change together or not at all (`files`). A document has the anchor texts of one link target, in
//! ascending order of the targets (`fields`). So a query counts the votes for a page by one
//! document.
//!
//! Folded anchor texts stay as they are when one of their source pages is indexed again. They are
//! then no longer valid for that page, and its new anchor texts are in the index of pages. The two
//! are joined by `ask`. This module stores and reads; it decides nothing.

mod directory;
mod fields;
mod files;
mod reader;
mod writer;

pub(crate) use directory::ANCHORS;
pub(crate) use files::{FoldedCommit, FoldedFiles, is_ours};
pub(crate) use reader::{Folded, FoldedIndex, FoldedSegment, FoldedVote};
pub(crate) use writer::FoldedTarget;
