//! Collects the best pages of a query, and counts all matching pages.
//!
//! Every matching page is scored. tantivy's own collector of best pages skips blocks of documents,
//! according to statistics that are stored with each segment. But this index computes scores from
//! statistics of its own (`statistics`), so nothing may be skipped here. Scores are compared by
//! four digits, because a sum in another order may differ in its last digits. Among equal scores,
//! the page whose URL has the smaller hash is first. So the order of hits does not depend on
//! segments.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::schema::column;

/// A page that matches a query, with its score. Candidates are ordered: the greater one is the
/// better page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    score: u32,
    id: Reverse<u64>,
    pub(super) address: DocAddress,
}

impl Candidate {
    /// Returns the hash of the page's URL.
    pub(super) fn id(&self) -> u64 {
        self.id.0
    }

    /// Returns the page's score, rounded to about four digits.
    pub(super) fn score(&self) -> Score {
        Score::from_bits(self.score)
    }
}

/// Bitmask of the bits of a score that are compared. It contains 11 of the 23 mantissa bits.
const KEPT: u32 = !((1 << 12) - 1);

/// Returns the bits of a score, rounded by [`KEPT`]. For positive floats, the order of bits is the
/// order of values.
fn rounded(score: Score) -> u32 {
    let half = (!KEPT >> 1) + 1;
    score.max(0.0).to_bits().saturating_add(half) & KEPT
}

/// A tantivy collector. It collects the `most` best pages that match a query, and counts all
/// matching pages.
pub(super) struct Best {
    pub(super) most: usize,
}

impl Collector for Best {
    type Fruit = (u64, Vec<Candidate>);
    type Child = BestOfSegment;

    fn for_segment(
        &self,
        ordinal: SegmentOrdinal,
        segment: &SegmentReader,
    ) -> tantivy::Result<Self::Child> {
        let ids = segment.fast_fields().u64(column::ID).ok();
        Ok(BestOfSegment {
            most: self.most,
            ordinal,
            ids,
            total: 0,
            heap: BinaryHeap::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Self::Fruit>) -> tantivy::Result<Self::Fruit> {
        let mut total = 0;
        let mut best = Vec::new();
        for (matches, candidates) in fruits {
            total += matches;
            best.extend(candidates);
        }
        best.sort_unstable_by(|a, b| b.cmp(a));
        best.truncate(self.most);
        Ok((total, best))
    }
}

pub(super) struct BestOfSegment {
    most: usize,
    ordinal: SegmentOrdinal,
    ids: Option<Column<u64>>,
    total: u64,
    /// Best candidates that were collected so far. The worst of them is on top.
    heap: BinaryHeap<Reverse<Candidate>>,
}

impl SegmentCollector for BestOfSegment {
    type Fruit = (u64, Vec<Candidate>);

    fn collect(&mut self, document: DocId, score: Score) {
        self.total += 1;
        let score = rounded(score);
        let is_full = self.heap.len() >= self.most;
        if is_full
            && self
                .heap
                .peek()
                .is_none_or(|Reverse(worst)| score < worst.score)
        {
            return;
        }
        let id = match &self.ids {
            Some(ids) => ids.first(document).unwrap_or_default(),
            None => 0,
        };
        let address = DocAddress::new(self.ordinal, document);
        self.heap.push(Reverse(Candidate {
            score,
            id: Reverse(id),
            address,
        }));
        if is_full {
            self.heap.pop();
        }
    }

    fn harvest(self) -> Self::Fruit {
        (
            self.total,
            self.heap
                .into_iter()
                .map(|Reverse(candidate)| candidate)
                .collect(),
        )
    }
}
