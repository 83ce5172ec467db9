//! Sums up the scores of the documents in a range of document numbers, one list of postings after
//! the other.
//!
//! A list adds its documents without a look at the other lists. So a union of many lists costs no
//! more than their postings. Sums have the precision of `f64`: scores are `f32`, so a sum of a few
//! of them is exact, in whatever order they are added.

use tantivy::DocId;

/// Maximum number of documents in a window.
pub(super) const WIDTH: usize = 2048;
/// Number of documents in a group. A group is stored as one `u64`, with one bit for each document.
const GROUP: usize = 64;
const GROUPS: usize = WIDTH / GROUP;

/// A set of documents of a window. A document is identified by its distance from the window's first
/// document.
#[derive(Clone, Debug)]
pub(super) struct Marked([u64; GROUPS]);

impl Marked {
    pub(super) fn none() -> Self {
        Self([0; GROUPS])
    }

    /// Adds the document at the distance `at` from the window's first document. Returns true if the
    /// set had the document already.
    #[inline]
    pub(super) fn insert(&mut self, at: usize) -> bool {
        let bit = 1 << (at % GROUP);
        let group = &mut self.0[at / GROUP % GROUPS];
        let is_there = *group & bit != 0;
        *group |= bit;
        is_there
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.0[at / GROUP % GROUPS] & 1 << (at % GROUP) != 0
    }

    fn remove(&mut self, at: usize) {
        self.0[at / GROUP % GROUPS] &= !(1 << (at % GROUP));
    }

    /// Returns the first document of the set whose distance from the window's first document is at
    /// least `from`. The result is the distance of this document. Returns None if there is no such
    /// document.
    fn next(&self, from: usize) -> Option<usize> {
        let groups = self.0.iter().enumerate().skip(from / GROUP);
        for (number, group) in groups {
            let ahead = if number == from / GROUP {
                group & (u64::MAX << (from % GROUP))
            } else {
                *group
            };
            if ahead != 0 {
                return Some(number * GROUP + ahead.trailing_zeros() as usize);
            }
        }
        None
    }

    fn last(&self) -> Option<usize> {
        let groups = self.0.iter().enumerate().rev();
        let mut filled = groups.filter(|(_, group)| **group != 0);
        let (number, group) = filled.next()?;
        Some(number * GROUP + (GROUP - 1) - group.leading_zeros() as usize)
    }
}

/// A range of documents in a search. The window stores which documents were found, and the sum of
/// the scores of each document.
pub(super) struct Window {
    first: DocId,
    end: DocId,
    sums: Box<[f64; WIDTH]>,
    /// For each group of [`GROUP`] documents, an upper bound of their sums of scores.
    tops: [f64; GROUPS],
    found: Marked,
}

impl Window {
    pub(super) fn new() -> Self {
        Self {
            first: 0,
            end: 0,
            sums: Box::new([0.0; WIDTH]),
            tops: [0.0; GROUPS],
            found: Marked::none(),
        }
    }

    /// Moves the window to the `width` documents from `first` on. No document of the new window is
    /// found yet. A `width` above [`WIDTH`] is reduced to [`WIDTH`].
    pub(super) fn begin(&mut self, first: DocId, width: u32) {
        self.first = first;
        self.end = first.saturating_add(width.min(WIDTH as u32));
        self.sums.fill(0.0);
        self.tops.fill(0.0);
        self.found = Marked::none();
    }

    /// Returns the first document after the window.
    pub(super) fn end(&self) -> DocId {
        self.end
    }

    /// Returns the distance of `document` from the window's first document. `document` must be in
    /// the window.
    #[inline]
    pub(super) fn place(&self, document: DocId) -> usize {
        document.wrapping_sub(self.first) as usize % WIDTH
    }

    /// Marks a document as found, and adds `score` to the sum of its scores.
    #[inline]
    pub(super) fn add(&mut self, document: DocId, score: f64) {
        let at = self.place(document);
        self.found.insert(at);
        let sum = &mut self.sums[at];
        *sum += score;
        let top = &mut self.tops[at / GROUP];
        if *sum > *top {
            *top = *sum;
        }
    }

    /// Marks a document as found, without adding a score.
    #[inline]
    pub(super) fn mark(&mut self, document: DocId) {
        let at = self.place(document);
        self.found.insert(at);
    }

    /// Removes a document from the found documents.
    pub(super) fn leave_out(&mut self, document: DocId) {
        let at = self.place(document);
        self.found.remove(at);
    }

    /// Returns the sum of a document's scores so far.
    pub(super) fn sum(&self, document: DocId) -> f64 {
        self.sums[self.place(document)]
    }

    /// Returns an upper bound of the sums of scores of the documents from `first` to `last`, both
    /// included.
    pub(super) fn top(&self, first: DocId, last: DocId) -> f64 {
        let groups = self.place(first) / GROUP..=self.place(last) / GROUP;
        let tops = self.tops.get(groups).unwrap_or(&self.tops);
        tops.iter().copied().fold(0.0, f64::max)
    }

    /// Returns the first found document from `from` on. Returns None if there is none in the
    /// window.
    #[inline]
    pub(super) fn next(&self, from: DocId) -> Option<DocId> {
        if from >= self.end {
            return None;
        }
        let at = self.found.next(from.saturating_sub(self.first) as usize)?;
        Some(self.first + at as DocId)
    }

    /// Returns the first found document at or after `from` that has a sum of scores of at least
    /// `least`. Returns `None` if the window has no such document.
    pub(super) fn next_of(&self, mut from: DocId, least: f64) -> Option<DocId> {
        loop {
            let document = self.next(from)?;
            let at = self.place(document);
            if self.tops[at / GROUP] < least {
                from = document + (GROUP - at % GROUP) as DocId;
            } else if self.sums[at] < least {
                from = document + 1;
            } else {
                return Some(document);
            }
        }
    }

    /// Returns the range from the first to the last found document. The second number is one above
    /// the last document. Returns None if no document is found.
    pub(super) fn reach(&self) -> Option<(DocId, DocId)> {
        let (first, last) = self.found.next(0).zip(self.found.last())?;
        Some((self.first + first as DocId, self.first + last as DocId + 1))
    }

    /// Returns the number of found documents.
    pub(super) fn count(&self) -> u64 {
        let counts = self
            .found
            .0
            .iter()
            .map(|group| u64::from(group.count_ones()));
        counts.sum()
    }

    /// Empties the set of found documents before the next word of a query, and returns the old set.
    /// The sums of scores remain.
    pub(super) fn begin_word(&mut self) -> Marked {
        std::mem::replace(&mut self.found, Marked::none())
    }

    /// Removes the found documents that are not in `others`.
    pub(super) fn keep_common(&mut self, others: &Marked) {
        for (found, other) in self.found.0.iter_mut().zip(&others.0) {
            *found &= other;
        }
    }

    /// Sets the found documents to `found`, the documents that contain all words of a query.
    pub(super) fn end_words(&mut self, found: Marked) {
        self.found = found;
    }
}
