//! Phrases with slop, words near each other, and phrases whose last word is only a prefix.
//!
//! The slip of a word is its distance from where the phrase would have it, seen from the word
//! before. The slips together are at most the slop. (So it is in tantivy too. There, however, the
//! time grows with a power of the words, and the sum is kept in a byte. Without scores, the sum is
//! forgotten.) Here the least sum that leads to a position is carried from word to word, which is
//! linear in the positions.

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{IndexRecordOption, Term};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use crate::statistics::score_of;

/// The words of a phrase, in order.
#[derive(Clone, Debug)]
pub(super) struct NearQuery {
    pub(super) words: Vec<Term>,
    /// The words that may end the phrase, if its last word is only a prefix.
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
    /// Returns None if a word is not in the segment.
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
            reach: Reach::default(),
        };
        scorer.settle();
        Ok(Some(scorer))
    }

    /// Passes each document of a segment that has the phrase to the caller, deleted ones too. It
    /// comes with the positions at or right after its last word, in order.
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
                &mut found.reach.before.iter().map(|(position, _)| *position),
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
    /// The number of times that the document has the phrase.
    count: u32,
    reach: Reach,
}

impl NearScorer {
    /// Moves on to the next document, from this one on, that has the phrase.
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
                .reach
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

/// The words that may end a phrase, read as one word.
struct Endings {
    postings: Vec<SegmentPostings>,
    own: Vec<u32>,
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
            own: Vec::new(),
        })
    }

    /// The positions of these words in a document. The documents must be asked for in ascending
    /// order.
    fn positions(&mut self, document: DocId, positions: &mut Vec<u32>) {
        positions.clear();
        for postings in &mut self.postings {
            if postings.doc() == document
                || postings.doc() < document && postings.seek(document) == document
            {
                postings.positions(&mut self.own);
                positions.extend(&self.own);
            }
        }
        positions.sort_unstable();
    }
}

/// The positions that a phrase can have reached, each with the least slips on the way.
#[derive(Debug, Default)]
struct Reach {
    before: Vec<(u32, u32)>,
    now: Vec<(u32, u32)>,
    positions: Vec<u32>,
}

impl Reach {
    /// The number of positions of the last word that can be reached within the slop.
    fn count(
        &mut self,
        words: &mut [SegmentPostings],
        ends: Option<&mut Endings>,
        slop: u32,
    ) -> u32 {
        let last = u32::try_from(words.len()).unwrap_or(u32::MAX);
        let document = words[0].doc();
        for (word, place) in words.iter_mut().zip(0..) {
            // The position at which the phrase would begin, moved up so that no number is below
            // zero.
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

    /// Steps from the positions reached so far to those of the next word: once from the left, once
    /// from the right.
    fn step(&mut self, slop: u32) {
        let mut before = self.before.iter().peekable();
        let mut nearest: Option<(u32, u32)> = None;
        for position in &self.positions {
            while let Some(one) = before.next_if(|one| one.0 <= *position) {
                nearest = better(nearest, *one, one.0);
            }
            let slips = nearest.map_or(u32::MAX, |one| slips(one, *position));
            self.now.push((*position, slips));
        }
        let mut before = self.before.iter().rev().peekable();
        let mut nearest: Option<(u32, u32)> = None;
        for now in self.now.iter_mut().rev() {
            while let Some(one) = before.next_if(|one| one.0 >= now.0) {
                nearest = better(nearest, *one, one.0);
            }
            now.1 = now.1.min(nearest.map_or(u32::MAX, |one| slips(one, now.0)));
        }
        self.now.retain(|(_, slips)| *slips <= slop);
    }
}

/// The one of two starting points that is nearer to a position at, or after, the later one.
fn better(old: Option<(u32, u32)>, new: (u32, u32), at: u32) -> Option<(u32, u32)> {
    match old {
        Some(old) if slips(old, at) < new.1 => Some(old),
        _ => Some(new),
    }
}

fn slips((from, slips): (u32, u32), to: u32) -> u32 {
    slips.saturating_add(from.abs_diff(to))
}
