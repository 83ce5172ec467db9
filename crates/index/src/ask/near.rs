//! A query for phrases with slop. At each position of a phrase, any of several terms may match.
//!
//! The shift of a word is the difference between its position and the position expected after the
//! previous word. A phrase matches if the sum of its words' shifts is at most the slop. (tantivy's
//! own phrase query has the same rule. But its time grows with a power of the number of words, it
//! stores the sum in a byte, and it ignores the sum if no scores are needed.) This query stores the
//! smallest sum for each position at which a match can continue. It passes these sums from word to
//! word. So its time is linear in the number of positions.
//!
//! Each word is a [`Slot`]: terms that are looked for at one position. They are the words that
//! begin with a prefix, or the exact word and its forms. A slot is scored as one word.

use std::ops::Range;

use tantivy::query::{Bm25StatisticsProvider, Bm25Weight, EnableScoring, Explanation};
use tantivy::query::{Query, Scorer, Weight};
use tantivy::schema::{Field, Term};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use crate::forms::Languages;
use crate::statistics::score_of;

use super::slot::{Slot, SlotPostings};

/// A query for a phrase: its words in order, and its slop. The slop limits by how many positions,
/// in total, the words may be shifted from their places in the phrase.
#[derive(Clone, Debug)]
pub(super) struct NearQuery {
    pub(super) slots: Vec<Slot>,
    pub(super) slop: u32,
}

impl Query for NearQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let scored: Vec<_> = self.slots.iter().filter(|slot| slot.is_scored).collect();
        let bm25 = bm25(&scored, scoring)?;
        Ok(Box::new(NearWeight {
            near: self.clone(),
            bm25,
        }))
    }

    /// Visits the terms of exact words. Terms of other forms, and terms that count only in some
    /// languages, are left out.
    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        for slot in &self.slots {
            for one in &slot.terms {
                if one.term.field() == slot.word.field() && one.languages == Languages::ANY {
                    visitor(&one.term, true);
                }
            }
        }
    }
}

/// Returns the BM25 weight of a phrase. Each slot stands for one word of the phrase. Returns None
/// if `slots` is empty, or if scores are not needed.
pub(super) fn bm25(
    slots: &[&Slot],
    scoring: EnableScoring<'_>,
) -> tantivy::Result<Option<Bm25Weight>> {
    let words: Vec<_> = slots.iter().map(|slot| slot.word.clone()).collect();
    match scoring {
        EnableScoring::Enabled {
            statistics_provider: index,
            ..
        } if !words.is_empty() => {
            let statistics = SlotStatistics { index, slots };
            Bm25Weight::for_terms(&statistics, &words).map(Some)
        }
        _ => Ok(None),
    }
}

/// BM25 statistics of an index for the words of a phrase. The document frequency of a word counts
/// all terms of the word's slot. The slot has the word and, for example, its other forms.
struct SlotStatistics<'a> {
    index: &'a dyn Bm25StatisticsProvider,
    slots: &'a [&'a Slot],
}

impl Bm25StatisticsProvider for SlotStatistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        self.index.total_num_tokens(field)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        self.index.total_num_docs()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        // Slots of equal words are equal.
        let slot = self.slots.iter().find(|slot| slot.word == *term);
        match slot.and_then(|slot| slot.frequency) {
            Some(frequency) => Ok(frequency.min(self.index.total_num_docs()?)),
            None => self.index.doc_freq(term),
        }
    }
}

struct NearWeight {
    near: NearQuery,
    bm25: Option<Bm25Weight>,
}

impl NearQuery {
    /// Returns a scorer for the documents of a segment. If the segment has no term for one of the
    /// words, no document matches. In this case the result is None.
    fn scorer(&self, segment: &SegmentReader) -> tantivy::Result<Option<NearScorer>> {
        let mut words = Vec::with_capacity(self.slots.len());
        for slot in &self.slots {
            match SlotPostings::open(&slot.terms, segment)? {
                Some(postings) => words.push(postings),
                None => return Ok(None),
            }
        }
        if words.is_empty() {
            return Ok(None);
        }
        let mut scorer = NearScorer {
            words,
            slop: self.slop,
            bm25: None,
            count: 0,
            matches: PartialMatches::default(),
        };
        scorer.settle();
        Ok(Some(scorer))
    }

    /// Calls `take` for each document that contains the phrase, including deleted documents. Looks
    /// only at the documents of `segment` in the ranges `within`, which must be in ascending order.
    pub(super) fn each(
        &self,
        segment: &SegmentReader,
        within: &[Range<DocId>],
        mut take: impl FnMut(DocId, PhraseEnds<'_>) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let Some(mut found) = self.scorer(segment)? else {
            return Ok(());
        };
        for documents in within {
            found.seek(documents.start);
            while found.doc() < documents.end {
                take(found.doc(), PhraseEnds(&mut found))?;
                found.advance();
            }
        }
        Ok(())
    }
}

/// The positions at which a phrase ends in one document.
pub(super) struct PhraseEnds<'a>(&'a mut NearScorer);

impl PhraseEnds<'_> {
    /// True if the phrase ends at exactly one position of the document. This is usually known
    /// without reading positions.
    pub(super) fn is_one(&mut self) -> bool {
        match &mut *self.0.words {
            [word] => word.frequency() == 1,
            _ => self.0.count == 1,
        }
    }

    /// Iterates over the positions that follow the last word of each match, in ascending order.
    pub(super) fn positions(&mut self) -> impl Iterator<Item = u32> + '_ {
        if self.0.words.len() == 1 {
            self.0.count_positions();
        }
        self.0.matches.before.iter().map(|(position, _)| *position)
    }
}

impl Weight for NearWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(mut scorer) = self.near.scorer(segment)? else {
            return Ok(Box::new(tantivy::query::EmptyScorer));
        };
        if let Some(bm25) = &self.bm25
            && let Some(slot) = self.near.slots.first()
        {
            let lengths = segment.get_fieldnorms_reader(slot.word.field())?;
            scorer.bm25 = Some((bm25.boost_by(boost), lengths));
        }
        Ok(Box::new(scorer))
    }

    fn explain(&self, segment: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        let score = score_of(&mut *self.scorer(segment, 1.0)?, document);
        Ok(Explanation::new("near each other", score.unwrap_or(0.0)))
    }
}

struct NearScorer {
    words: Vec<SlotPostings>,
    slop: u32,
    bm25: Option<(Bm25Weight, tantivy::fieldnorm::FieldNormReader)>,
    /// Number of positions at which the phrase ends in the current document. For a phrase of one
    /// word, it is computed only when needed.
    count: u32,
    matches: PartialMatches,
}

impl NearScorer {
    /// Advances the scorer to the first document that contains the phrase, from the current
    /// document on. If the current document contains the phrase, the scorer stays there.
    fn settle(&mut self) {
        if self.words.len() == 1 {
            return;
        }
        loop {
            let target = self
                .words
                .iter()
                .map(SlotPostings::doc)
                .max()
                .unwrap_or(TERMINATED);
            if target == TERMINATED {
                self.end();
                return;
            }
            let mut is_one = true;
            for word in &mut self.words {
                is_one &= word.doc() >= target || word.seek(target) == target;
            }
            if !is_one {
                continue;
            }
            self.count_positions();
            if self.count > 0 {
                return;
            }
            self.words[0].advance();
        }
    }

    /// Counts the positions at which the phrase ends in the current document.
    fn count_positions(&mut self) {
        self.count = self.matches.count(&mut self.words, self.slop);
    }

    fn end(&mut self) {
        for word in &mut self.words {
            word.seek(TERMINATED);
        }
    }
}

impl DocSet for NearScorer {
    fn advance(&mut self) -> DocId {
        if self.doc() != TERMINATED {
            self.words[0].advance();
            self.settle();
        }
        self.doc()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc() < target {
            self.words[0].seek(target);
            self.settle();
        }
        self.doc()
    }

    fn doc(&self) -> DocId {
        self.words[0].doc()
    }

    fn size_hint(&self) -> u32 {
        self.words
            .iter()
            .map(SlotPostings::size_hint)
            .min()
            .unwrap_or(0)
    }
}

impl Scorer for NearScorer {
    fn score(&mut self) -> Score {
        let Some((bm25, lengths)) = &self.bm25 else {
            return 1.0;
        };
        if let [word] = &mut *self.words {
            self.count = word.frequency();
        }
        bm25.score(lengths.fieldnorm_id(self.words[0].doc()), self.count)
    }
}

/// Partial matches of a phrase in one document. A partial match covers the first words of the
/// phrase, up to the last processed word. It is a pair of numbers:
/// - The position where the phrase would begin if the last processed word were not shifted.
/// - The smallest sum of the covered words' shifts (distances from their expected positions).
#[derive(Debug, Default)]
struct PartialMatches {
    before: Vec<(u32, u32)>,
    now: Vec<(u32, u32)>,
    positions: Vec<u32>,
}

impl PartialMatches {
    /// Returns the number of positions of the current document at which the phrase can end within
    /// `slop`. It is 0 if the document does not contain the phrase.
    fn count(&mut self, words: &mut [SlotPostings], slop: u32) -> u32 {
        let last = u32::try_from(words.len()).unwrap_or(u32::MAX);
        for (word, place) in words.iter_mut().zip(0..) {
            // The position at which the phrase would begin if the word were at its place in it.
            // `last` is added so that it is never negative.
            word.positions_with_offset(last - place, &mut self.positions);
            self.now.clear();
            if place == 0 {
                self.now
                    .extend(self.positions.iter().map(|position| (*position, 0)));
            } else {
                self.step(slop);
            }
            std::mem::swap(&mut self.before, &mut self.now);
            if self.before.is_empty() {
                return 0;
            }
        }
        u32::try_from(self.before.len()).unwrap_or(u32::MAX)
    }

    /// Extends the partial matches to the positions of the phrase's next word. Drops matches whose
    /// sum of shifts exceeds `slop`. The shift of a word is its distance from its expected
    /// position. The next word may be shifted to either side. So a first pass over the positions
    /// goes from left to right, and a second pass from right to left.
    fn step(&mut self, slop: u32) {
        let mut before = self.before.iter().peekable();
        let mut nearest: Option<(u32, u32)> = None;
        for position in &self.positions {
            while let Some(one) = before.next_if(|one| one.0 <= *position) {
                nearest = better(nearest, *one, one.0);
            }
            let shift = nearest.map_or(u32::MAX, |one| total_shift(one, *position));
            self.now.push((*position, shift));
        }
        let mut before = self.before.iter().rev().peekable();
        let mut nearest: Option<(u32, u32)> = None;
        for now in self.now.iter_mut().rev() {
            while let Some(one) = before.next_if(|one| one.0 >= now.0) {
                nearest = better(nearest, *one, one.0);
            }
            now.1 = now
                .1
                .min(nearest.map_or(u32::MAX, |one| total_shift(one, now.0)));
        }
        self.now.retain(|(_, shift)| *shift <= slop);
    }
}

/// Returns the better of two partial matches of a phrase ([`PartialMatches`]). A match is a pair:
/// the beginning of the phrase that its last word implies, and the sum of its words' shifts
/// (distances from their expected positions). Returns `new` if there is no `old`.
///
/// `at` must be the beginning in `new`. The matches are compared for a next word that implies the
/// beginning `at`. First, the next word's shift is added to both sums. Then the match with the
/// smaller sum is better. If the sums are equal, `new` is better. The result is the same for all
/// implied beginnings beyond `at`, in the direction from the beginning in `old` to `at`.
fn better(old: Option<(u32, u32)>, new: (u32, u32), at: u32) -> Option<(u32, u32)> {
    match old {
        Some(old) if total_shift(old, at) < new.1 => Some(old),
        _ => Some(new),
    }
}

/// Returns the sum of the shifts of a phrase's words, including the next word. Each word implies a
/// beginning of the phrase: the word's position minus its place in the phrase. The last processed
/// word implies the beginning `from`, and the next word implies `to`. The distance between `from`
/// and `to` is the shift of the next word. `shift` is the sum for the words before.
fn total_shift((from, shift): (u32, u32), to: u32) -> u32 {
    shift.saturating_add(from.abs_diff(to))
}
