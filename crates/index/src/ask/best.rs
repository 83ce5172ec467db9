//! Collects the best pages of a query, and counts all matching pages.
//!
//! Here every matching page is scored, whatever the query. (`required` passes over pages of simple
//! queries.) tantivy's own collector of best pages skips blocks of documents, according to
//! statistics that are stored with each segment. But this index computes scores from statistics of
//! its own (`statistics`). Scores are compared by four digits, because a sum in another order may
//! differ in its last digits. Among equal scores, the page whose URL has the smaller hash is first.
//! So the order of hits does not depend on segments.

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

/// Half the distance between two neighbouring rounded scores, in units of the lowest mantissa bit.
const HALF: u32 = (!KEPT >> 1) + 1;
/// Bitmask of the bits of a score that are compared. It contains 11 of the 23 mantissa bits.
const KEPT: u32 = !((1 << 12) - 1);

/// Rounds a score to the bits in [`KEPT`], and returns these bits. For positive floats, the order
/// of bits is the order of values.
fn rounded(score: Score) -> u32 {
    score.max(0.0).to_bits().saturating_add(HALF) & KEPT
}

/// The best candidates that a search has found so far, at most `most` of them.
pub(super) struct Shortlist {
    most: usize,
    /// The candidates. The worst one is on top of the heap.
    heap: BinaryHeap<Reverse<Candidate>>,
}

impl Shortlist {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            heap: BinaryHeap::new(),
        }
    }

    /// Adds the page at `address`, unless the list is full of better pages. `ids` is the column
    /// with the hashes of the pages' URLs.
    pub(super) fn add(&mut self, score: Score, address: DocAddress, ids: Option<&Column<u64>>) {
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
        let id = ids.and_then(|ids| ids.first(address.doc_id));
        self.heap.push(Reverse(Candidate {
            score,
            id: Reverse(id.unwrap_or_default()),
            address,
        }));
        if is_full {
            self.heap.pop();
        }
    }

    /// Returns a lower bound for the score of a page that can still be added. A page with exactly
    /// this score may be refused, because the hash of its URL decides among equal scores.
    pub(super) fn least(&self) -> f64 {
        match self.heap.peek() {
            _ if self.heap.len() < self.most => 0.0,
            // The least score that is rounded to that of the worst candidate, less a bit.
            Some(Reverse(worst)) => {
                f64::from(Score::from_bits(worst.score.saturating_sub(HALF))) * (1.0 - 1e-6)
            }
            None => f64::INFINITY,
        }
    }

    pub(super) fn into_candidates(self) -> Vec<Candidate> {
        let candidates = self.heap.into_iter();
        candidates.map(|Reverse(candidate)| candidate).collect()
    }

    /// Returns the candidates, the best first.
    pub(super) fn into_sorted(self) -> Vec<Candidate> {
        let mut candidates = self.into_candidates();
        candidates.sort_unstable_by(|a, b| b.cmp(a));
        candidates
    }
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
            ordinal,
            ids,
            total: 0,
            best: Shortlist::new(self.most),
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
    ordinal: SegmentOrdinal,
    ids: Option<Column<u64>>,
    total: u64,
    best: Shortlist,
}

impl SegmentCollector for BestOfSegment {
    type Fruit = (u64, Vec<Candidate>);

    fn collect(&mut self, document: DocId, score: Score) {
        self.total += 1;
        let address = DocAddress::new(self.ordinal, document);
        self.best.add(score, address, self.ids.as_ref());
    }

    fn harvest(self) -> Self::Fruit {
        (self.total, self.best.into_candidates())
    }
}
