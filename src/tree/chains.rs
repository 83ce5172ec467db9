//! Chains: lists of the marks of the elements around a place. Each list is stored once.

use std::collections::HashMap;

use super::marks::MarkId;

/// ID of a chain. A chain is the list of the marks (IDs of elements with directives) of all
/// elements around a place in the tree. The default is the empty chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ChainId(u32);

impl ChainId {
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// Table of all chains of a page. A chain is stored as a pair: its innermost mark, and the chain
/// around the element of this mark. The first pair has the ID 1, since 0 is the empty chain.
#[derive(Debug, Default)]
pub(super) struct Chains {
    links: Vec<(MarkId, ChainId)>,
    known: HashMap<(MarkId, ChainId), ChainId>,
}

impl Chains {
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// Returns the chain with `mark` as the innermost mark, inside of `outer`. Returns `outer` if
    /// there is no mark.
    pub(super) fn inner(&mut self, mark: Option<MarkId>, outer: ChainId) -> ChainId {
        let Some(mark) = mark else { return outer };
        *self.known.entry((mark, outer)).or_insert_with(|| {
            self.links.push((mark, outer));
            ChainId(u32::try_from(self.links.len()).unwrap_or(u32::MAX))
        })
    }

    /// Returns the chain around an element. `inner` is the chain inside it, and `mark` the
    /// element's mark.
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
