//! The marks round places, each list of them once.

use std::collections::HashMap;

use super::{ChainId, Mark};

/// All chains that were met, each a mark and the chain round it.
#[derive(Debug)]
pub(super) struct Chains {
    links: Vec<(Mark, ChainId)>,
    known: HashMap<(Mark, ChainId), ChainId>,
}

impl Default for Chains {
    fn default() -> Self {
        Self { links: vec![(0, 0)], known: HashMap::new() }
    }
}

impl Chains {
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// The chain with `mark` inside `outer`.
    pub(super) fn inner(&mut self, mark: Mark, outer: ChainId) -> ChainId {
        if mark == 0 {
            return outer;
        }
        let fresh = u32::try_from(self.links.len()).unwrap_or(u32::MAX);
        *self.known.entry((mark, outer)).or_insert_with(|| {
            self.links.push((mark, outer));
            fresh
        })
    }

    /// The chain round the element with `mark` whose own chain is `inner`.
    pub(super) fn outer(&self, inner: ChainId, mark: Mark) -> ChainId {
        if mark == 0 { inner } else { self.links[inner as usize].1 }
    }

    pub(super) fn marks(&self, chain: ChainId) -> impl Iterator<Item = Mark> {
        let step = |at: ChainId| (at != 0).then(|| self.links[at as usize]);
        std::iter::successors(step(chain), move |(_, outer)| step(*outer)).map(|(mark, _)| mark)
    }
}
