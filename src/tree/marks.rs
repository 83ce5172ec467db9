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

/// A change of the tree that moved content which was read before. The content has left or entered
/// the elements with these marks (IDs).
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MovedMarks {
    /// Marks of elements that some content has left, or whose order around some content has
    /// changed.
    pub(crate) left: Vec<MarkId>,
    /// Marks of elements that some content has entered.
    pub(crate) entered: Vec<MarkId>,
}
