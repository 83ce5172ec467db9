//! Marks: numbers of the elements that have statements.

use smallvec::SmallVec;

/// ID that the caller gives to an element with directives, to find the element again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarkId(pub(super) u32);

/// Marks of the elements around a place in the tree. Mostly there are few of them.
pub(crate) type MarkIds = SmallVec<[MarkId; 4]>;

impl MarkId {
    pub(crate) fn nth(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Marks (IDs) of the elements out of which and into which a token has moved content that was read
/// before.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MovedMarks {
    /// Marks of the elements out of which the content was moved, or whose order around the content
    /// has changed.
    pub(crate) left: Vec<MarkId>,
    /// Marks of the elements into which the content was moved.
    pub(crate) entered: Vec<MarkId>,
}
