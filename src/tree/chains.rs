//! Lists of the marks around places. Each list is stored once.

use std::collections::HashMap;

use super::marks::MarkId;

/// The number of a list of marks: those of all elements around a place. The default is the empty
/// list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ChainId(u32);

impl ChainId {
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// All known chains. Each is a mark and the chain around it. The first has number 1.
#[derive(Debug, Default)]
pub(super) struct Chains {
    links: Vec<(MarkId, ChainId)>,
    known: HashMap<(MarkId, ChainId), ChainId>,
}

impl Chains {
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// The chain with `mark`, if there is one, inside `outer`.
    pub(super) fn inner(&mut self, mark: Option<MarkId>, outer: ChainId) -> ChainId {
        let Some(mark) = mark else { return outer };
        *self.known.entry((mark, outer)).or_insert_with(|| {
            self.links.push((mark, outer));
            ChainId(u32::try_from(self.links.len()).unwrap_or(u32::MAX))
        })
    }

    /// The chain around an element with the chain `inner`, which has `mark` or none.
    pub(super) fn outer(&self, inner: ChainId, mark: Option<MarkId>) -> ChainId {
        if mark.is_none() {
            return inner;
        }
        self.link(inner).map_or(inner, |(_, outer)| outer)
    }

    pub(super) fn marks(&self, chain: ChainId) -> impl Iterator<Item = MarkId> {
        std::iter::successors(self.link(chain), move |(_, outer)| self.link(*outer))
            .map(|(mark, _)| mark)
    }

    fn link(&self, chain: ChainId) -> Option<(MarkId, ChainId)> {
        self.links.get((chain.0 as usize).checked_sub(1)?).copied()
    }
}
