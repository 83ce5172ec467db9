//! A query for phrases with slop, and for phrases whose last word is only a prefix.
//!
//! The shift of a word is the difference between its position and the position expected after the
//! previous word. A phrase matches if the sum of its words' shifts is at most the slop. (tantivy's
//! own phrase query has the same rule. But its time grows with a power of the number of words, it
//! stores the sum in a byte, and it ignores the sum if no scores are needed.) This query stores the
//! smallest sum for each position at which a match can continue. It passes these sums from word to
//! word. So its time is linear in the number of positions.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{IndexRecordOption, Term};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use crate::statistics::score_of;

/// A query for a phrase. The words of the phrase are in order. The phrase has a slop, or its last
/// word is only a prefix.
#[derive(Clone, Debug)]
pub(super) struct NearQuery {
    pub(super) words: Vec<Term>,
    /// Words that begin with the prefix at the phrase's end. None if the phrase has no prefix.
    pub(super) ends: Option<Vec<Term>>,
    pub(super) slop: u32,
}

impl Query for NearQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        let bm25 = match scoring {
            EnableScoring::Enabled {
                statistics_provider,
                ..
            } => Some(Bm25Weight::for_terms(statistics_provider, &self.words)?),
            EnableScoring::Disabled { .. } => None,
        };
        Ok(Box::new(NearWeight {
            near: self.clone(),
            bm25,
        }))
    }

    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        for word in &self.words {
            visitor(word, true);
        }
    }
}

struct NearWeight {
    near: NearQuery,
    bm25: Option<Bm25Weight>,
}

impl NearQuery {
    /// Returns a scorer for the documents of a segment. Returns None if a word of the phrase is not
    /// in the segment.
    fn scorer(&self, segment: &SegmentReader) -> tantivy::Result<Option<NearScorer>> {
        let mut words = Vec::with_capacity(self.words.len());
        for word in &self.words {
            let inverted = segment.inverted_index(word.field())?;
            let Some(postings) =
                inverted.read_postings(word, IndexRecordOption::WithFreqsAndPositions)?
            else {
                return Ok(None);
            };
            words.push(postings);
        }
        let ends = match &self.ends {
            Some(ends) => Some(Endings::open(ends, segment)?),
            None => None,
        };
        let mut scorer = NearScorer {
            words,
            ends,
            slop: self.slop,
            bm25: None,
            count: 0,
            matches: PartialMatches::default(),
        };
        scorer.settle();
        Ok(Some(scorer))
    }

    /// Calls `take` for each document of a segment that contains the phrase, including deleted
    /// documents. Also passes one position for each match, in ascending order. If the phrase ends
    /// with a prefix, this is the position of its last word. Otherwise it is the position after its
    /// last word.
    pub(super) fn each(
        &self,
        segment: &SegmentReader,
        mut take: impl FnMut(DocId, &mut dyn Iterator<Item = u32>) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let Some(mut found) = self.scorer(segment)? else {
            return Ok(());
        };
        while found.doc() != TERMINATED {
            take(
                found.doc(),
                &mut found.matches.before.iter().map(|(position, _)| *position),
            )?;
            found.advance();
        }
        Ok(())
    }
}

impl Weight for NearWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let Some(mut scorer) = self.near.scorer(segment)? else {
            return Ok(Box::new(tantivy::query::EmptyScorer));
        };
        if let Some(bm25) = &self.bm25
            && let Some(word) = self.near.words.first()
        {
            let lengths = segment.get_fieldnorms_reader(word.field())?;
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
    words: Vec<SegmentPostings>,
    ends: Option<Endings>,
    slop: u32,
    bm25: Option<(Bm25Weight, tantivy::fieldnorm::FieldNormReader)>,
    /// Number of positions at which the phrase ends in the current document.
    count: u32,
    matches: PartialMatches,
}

impl NearScorer {
    /// Advances the scorer to the first document that contains the phrase, from the current
    /// document on. If the current document contains the phrase, the scorer stays there.
    fn settle(&mut self) {
        loop {
            let target = self
                .words
                .iter()
                .map(|word| word.doc())
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
            self.count = self
                .matches
                .count(&mut self.words, self.ends.as_mut(), self.slop);
            if self.count > 0 {
                return;
            }
            self.words[0].advance();
        }
    }

    fn end(&mut self) {
        for word in &mut self.words {
            if word.doc() != TERMINATED {
                word.seek(TERMINATED);
            }
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
            .map(|word| word.size_hint())
            .min()
            .unwrap_or(0)
    }
}

impl Scorer for NearScorer {
    fn score(&mut self) -> Score {
        match &self.bm25 {
            Some((bm25, lengths)) => {
                bm25.score(lengths.fieldnorm_id(self.words[0].doc()), self.count)
            }
            None => 1.0,
        }
    }
}

/// Postings of all words that begin with the prefix at a phrase's end. They are read like the
/// postings of a single word.
struct Endings {
    postings: Vec<SegmentPostings>,
    word_positions: Vec<u32>,
}

impl Endings {
    fn open(ends: &[Term], segment: &SegmentReader) -> tantivy::Result<Self> {
        let mut postings = Vec::new();
        for end in ends {
            let inverted = segment.inverted_index(end.field())?;
            postings.extend(inverted.read_postings(end, IndexRecordOption::WithFreqsAndPositions)?);
        }
        Ok(Self {
            postings,
            word_positions: Vec::new(),
        })
    }

    /// Collects the positions of all words in a document that begin with the prefix, in ascending
    /// order. The function must be called for documents in ascending order.
    fn positions(&mut self, document: DocId, positions: &mut Vec<u32>) {
        positions.clear();
        for postings in &mut self.postings {
            if postings.doc() == document
                || postings.doc() < document && postings.seek(document) == document
            {
                postings.positions(&mut self.word_positions);
                positions.extend(&self.word_positions);
            }
        }
        positions.sort_unstable();
    }
}

/// Partial matches of a phrase in one document, for the words of the phrase processed so far. Each
/// is a pair. It has the position at which the phrase would begin according to the match's last
/// word, and the smallest sum of shifts up to this word.
#[derive(Debug, Default)]
struct PartialMatches {
    before: Vec<(u32, u32)>,
    now: Vec<(u32, u32)>,
    positions: Vec<u32>,
}

impl PartialMatches {
    /// Returns the number of positions of the current document at which the phrase can end within
    /// `slop`. It is 0 if the document does not contain the phrase.
    fn count(
        &mut self,
        words: &mut [SegmentPostings],
        ends: Option<&mut Endings>,
        slop: u32,
    ) -> u32 {
        let last = u32::try_from(words.len()).unwrap_or(u32::MAX);
        let document = words[0].doc();
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
        if let Some(ends) = ends {
            ends.positions(document, &mut self.positions);
            self.now.clear();
            self.step(slop);
            std::mem::swap(&mut self.before, &mut self.now);
        }
        u32::try_from(self.before.len()).unwrap_or(u32::MAX)
    }

    /// Extends the partial matches to the positions of the phrase's next word. Drops matches whose
    /// sum of shifts exceeds `slop`. A first pass over the positions goes from left to right, and a
    /// second pass from right to left.
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

/// Returns the better one of two partial matches, each a position and its sum of shifts. It is the
/// match with the smaller sum after it is continued at position `at`. Its sum is not
/// the larger one at any position beyond `at` either.
fn better(old: Option<(u32, u32)>, new: (u32, u32), at: u32) -> Option<(u32, u32)> {
    match old {
        Some(old) if total_shift(old, at) < new.1 => Some(old),
        _ => Some(new),
    }
}

/// Returns the sum of shifts of a partial match after it is continued at position `to`.
fn total_shift((from, shift): (u32, u32), to: u32) -> u32 {
    shift.saturating_add(from.abs_diff(to))
}
