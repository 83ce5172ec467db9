//! How far each statement about a part of the page reaches: from its place to where its region, element or tag ends.
//!
//! For people who ask why; nothing is judged by it. What the tree takes elsewhere is not followed: an element reaches from
//! its tag to the last place that stood in it.

use std::ops::Range;

use crate::policy::DirectiveId;
use crate::tree::ChainId;

use super::Walk;

/// The reach of each statement, by its number.
#[derive(Debug, Default)]
pub(super) struct Reaches {
    spans: Vec<Range<u64>>,
    /// The elements round the last tile.
    chain: ChainId,
}

/// The end of what is still open.
const OPEN: u64 = u64::MAX;

impl Reaches {
    /// A statement was heard: so far it reaches nothing.
    pub(super) fn begin(&mut self, at: u64) {
        self.spans.push(at..at);
    }

    /// It reaches from here on.
    pub(super) fn open(&mut self, id: DirectiveId, at: u64) {
        self.spans[id as usize] = at..OPEN;
    }

    /// It ends here.
    pub(super) fn close(&mut self, id: DirectiveId, at: u64) {
        self.spans[id as usize].end = at;
    }

    /// It reaches as far as this, at least.
    pub(super) fn until(&mut self, id: DirectiveId, at: u64) {
        let span = &mut self.spans[id as usize];
        span.end = span.end.max(at);
    }

    /// It reaches over all that went by.
    pub(super) fn all_before(&mut self, id: DirectiveId, at: u64) {
        self.spans[id as usize] = 0..at;
    }

    /// The page has ended here.
    pub(super) fn finish(self, length: u64) -> Vec<Range<u64>> {
        self.spans.into_iter().map(|span| span.start..span.end.min(length)).collect()
    }
}

impl Walk {
    /// The elements that a tile, which begins where the last one ended, does not stand in any more end here. Returns how many
    /// were looked at.
    pub(super) fn follow_reach(&mut self, chain: ChainId) -> usize {
        let before = std::mem::replace(&mut self.reaches.chain, chain);
        if before == chain {
            return 0;
        }
        let (before, now) = (self.elements.containment.marks(before), self.elements.containment.marks(chain));
        let same = before.iter().rev().zip(now.iter().rev()).take_while(|(b, n)| b == n).count();
        for mark in &before[..before.len() - same] {
            for directive in self.elements.directives_of(*mark) {
                self.reaches.until(directive, self.length);
            }
        }
        before.len() + now.len()
    }

    /// What is still open reaches to the end of the page; what speaks of all of it, from its start.
    pub(super) fn end_reach(&mut self) {
        self.follow_reach(0);
        for directive in self.elements.directives_round_all() {
            self.reaches.all_before(directive, self.length);
        }
    }
}
