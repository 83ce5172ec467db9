//! Marks: the numbers of elements that say something.

use smallvec::SmallVec;

/// The number that the caller gives to an element that says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MarkId(pub(super) u32);

/// Elements that say something, round a place: mostly few.
pub(crate) type MarkIds = SmallVec<[MarkId; 4]>;

impl MarkId {
    pub(crate) fn nth(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A late change of the tree: what stood inside these marks now stands elsewhere.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    /// Marks that some content has left, or whose order round it has changed.
    pub(crate) left: Vec<MarkId>,
    /// Marks that some content has come to stand in.
    pub(crate) entered: Vec<MarkId>,
}
