//! Finds the best pages of a query of words that must all match, and passes over blocks of postings
//! whose pages cannot be among the best.
//!
//! The documents of a segment are looked at in windows. First the rarest word adds its documents to
//! a window. The other words are then read only in the range of the documents that are left. A
//! block is passed over if its bound (`word`), with all that other lists and words may add, is
//! below the score of the worst candidate. The bound is never too small, and equal scores are not
//! passed over. So the hits are those of a search that scores every page (`best`).
//!
//! Pages are counted without scores, and counting may stop at a number.

use tantivy::query::{EnableScoring, Occur, Query, Scorer, Weight};
use tantivy::{DocAddress, DocId, Score, Searcher, SegmentOrdinal, SegmentReader, TERMINATED};

use crate::schema::column;
use crate::statistics::Statistics;

use super::best::{Candidate, Shortlist};
use super::window::{WIDTH, Window};
use super::word::{Cut, WordLists, WordQuery, WordWeight, rests};

/// Number of documents in the first window. A window is a range of documents that are scored
/// together. Each further window is twice as wide. The first window is small, so that the search
/// soon has a score that later pages must reach.
const FIRST_SPAN: u32 = 256;

/// A search for the best pages that contain all of `words`.
pub(super) struct RequiredWords<'a> {
    pub(super) searcher: &'a Searcher,
    pub(super) statistics: &'a Statistics,
    pub(super) words: &'a [WordQuery],
    /// Queries that a page must match or must not match. They add nothing to scores.
    pub(super) filters: &'a [(Occur, Box<dyn Query>)],
    /// Maximum number of pages to return.
    pub(super) most: usize,
    /// Number of matching pages after which counting may stop. None if all matching pages are
    /// counted.
    pub(super) at_least: Option<u64>,
}

/// Result of a search: the number of matching pages, and the best of them.
pub(super) struct FoundPages {
    pub(super) total: u64,
    /// True if all matching pages were counted. If false, there may be more than `total`.
    pub(super) is_total_exact: bool,
    /// The best pages, the best one first.
    pub(super) best: Vec<Candidate>,
}

impl RequiredWords<'_> {
    pub(super) fn find(&self) -> tantivy::Result<FoundPages> {
        let scoring =
            EnableScoring::enabled_from_statistics_provider(self.statistics, self.searcher);
        let mut words = Vec::with_capacity(self.words.len());
        for word in self.words {
            words.push(word.weigh(scoring)?);
        }
        let mut filters = Vec::with_capacity(self.filters.len());
        for (occur, filter) in self.filters {
            filters.push((*occur, filter.weight(scoring)?));
        }
        let mut finding = Finding {
            shortlist: Shortlist::new(self.most),
            window: Window::new(),
            total: 0,
            at_least: self.at_least,
            is_counted: true,
            span: FIRST_SPAN,
        };
        for (ordinal, segment) in (0..).zip(self.searcher.segment_readers()) {
            finding.add_segment(ordinal, segment, &words, &filters)?;
        }
        Ok(FoundPages {
            total: finding.total,
            is_total_exact: finding.is_counted,
            best: finding.shortlist.into_sorted(),
        })
    }
}

/// State of a search. The search visits the segments of an index one after the other.
struct Finding {
    shortlist: Shortlist,
    window: Window,
    total: u64,
    at_least: Option<u64>,
    /// True if all matching pages were counted so far.
    is_counted: bool,
    /// Number of documents of the next window.
    span: u32,
}

impl Finding {
    fn add_segment(
        &mut self,
        ordinal: SegmentOrdinal,
        segment: &SegmentReader,
        words: &[WordWeight],
        filters: &[(Occur, Box<dyn Weight>)],
    ) -> tantivy::Result<()> {
        let mut lists = Vec::with_capacity(words.len());
        for word in words {
            lists.push(word.open(segment, 1.0)?);
        }
        lists.sort_by_key(WordLists::size);
        let rests = rests(lists.iter().map(WordLists::most));
        if lists.first().is_none_or(|rarest| rarest.size() == 0) {
            return Ok(());
        }
        let mut kept = Kept {
            segment,
            filters: Vec::with_capacity(filters.len()),
        };
        for (occur, filter) in filters {
            kept.filters.push((*occur, filter.scorer(segment, 1.0)?));
        }
        let ids = segment.fast_fields().u64(column::ID).ok();
        let mut from = 0;
        loop {
            for word in &mut lists {
                from = word.seek(from);
            }
            if from == TERMINATED {
                return Ok(());
            }
            self.is_counted &= self.at_least.is_none_or(|most| self.total < most);
            self.window.begin(from, self.span);
            self.span = (self.span * 2).min(WIDTH as u32);
            self.fill(&mut lists, &rests, from);
            if self.is_counted {
                kept.restrict(&mut self.window);
                self.total += self.window.count();
            }
            self.choose(&mut lists, &mut kept, from, |shortlist, document, score| {
                let address = DocAddress::new(ordinal, document);
                shortlist.add(score, address, ids.as_ref());
            });
            from = self.window.end();
        }
    }

    /// Fills the window with the documents that contain all words. `first` is the first document of
    /// the window. `rests` has a value for each word: the greatest score that all words after it in
    /// `words` can add.
    fn fill(&mut self, words: &mut [WordLists], rests: &[f64], first: DocId) {
        let least = self.shortlist.least();
        for word in &mut *words {
            word.begin();
        }
        let mut range = (first, self.window.end());
        let mut before = None;
        for (word, rest) in words.iter_mut().zip(rests) {
            let cut = Cut {
                least,
                rest: *rest,
                is_counted: self.is_counted,
            };
            word.fill(&mut self.window, range, cut);
            if let Some(before) = &before {
                self.window.keep_common(before);
            }
            let Some(reach) = self.window.reach() else {
                return;
            };
            range = reach;
            before = Some(self.window.begin_word());
        }
        if let Some(found) = before {
            self.window.end_words(found);
        }
    }

    /// Calls `take` with each document of the window that may be among the best, and with its
    /// score. `first` is the first document of the window.
    fn choose(
        &mut self,
        words: &mut [WordLists],
        kept: &mut Kept<'_>,
        first: DocId,
        mut take: impl FnMut(&mut Shortlist, DocId, Score),
    ) {
        let mut from = first;
        while let Some(document) = self.window.next_of(from, self.shortlist.least()) {
            from = document + 1;
            // Where pages are counted, the others were left out already.
            if !self.is_counted && !kept.has(document) {
                continue;
            }
            let mut score = self.window.sum(document);
            for word in &mut *words {
                score += word.correction(&self.window, document);
            }
            take(&mut self.shortlist, document, score as Score);
        }
    }
}

/// The documents of a segment that are not deleted and pass the filters.
struct Kept<'a> {
    segment: &'a SegmentReader,
    filters: Vec<(Occur, Box<dyn Scorer>)>,
}

impl Kept<'_> {
    /// True if a document is not deleted and passes the filters. Documents must be passed in
    /// ascending order.
    fn has(&mut self, document: DocId) -> bool {
        if self.segment.is_deleted(document) {
            return false;
        }
        self.filters.iter_mut().all(|(occur, filter)| {
            if filter.doc() < document {
                filter.seek(document);
            }
            (filter.doc() == document) == (*occur != Occur::MustNot)
        })
    }

    /// Removes from a window the documents that are deleted or do not pass the filters.
    fn restrict(&mut self, window: &mut Window) {
        if !self.segment.has_deletes() && self.filters.is_empty() {
            return;
        }
        let Some((mut from, _)) = window.reach() else {
            return;
        };
        while let Some(document) = window.next(from) {
            if !self.has(document) {
                window.leave_out(document);
            }
            from = document + 1;
        }
    }
}
