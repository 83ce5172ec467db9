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

/// Marks (IDs) of the elements that some content has left or entered. A later token has moved this
/// content in the tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct MovedMarks {
    /// Marks of the elements that the content has left. Also marks of elements that still contain
    /// the content, but are nested differently than before.
    pub(crate) left: Vec<MarkId>,
    /// Marks of the elements that the content has entered.
    pub(crate) entered: Vec<MarkId>,
}
