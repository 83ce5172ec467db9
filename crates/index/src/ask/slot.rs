//! The terms that are looked for in place of one word of a query, and their postings, read like
//! those of a single term.
//!
//! The terms are in a heap, ordered by their next document. So the time for a document depends on
//! the terms that it has, and hardly on how many there are. Several terms may stand at one
//! position, such as a word and its stem. The position counts once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::{IndexRecordOption, Term};
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use crate::forms::Languages;
use crate::statistics::SpokenLanguages;

/// A word of a phrase, with all terms that may match at the word's position. The terms are the
/// exact word, its other forms, or words that match its star or tilde.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The exact word, as a term of an index field. Scores of all terms use the length of this
    /// field in each document.
    pub(super) word: Term,
    pub(super) terms: Vec<SlotTerm>,
    /// Document frequency for scores: the sum over all terms. None if the exact word is the only
    /// term. The index's statistics then give the frequency.
    pub(super) frequency: Option<u64>,
    /// True if the slot adds to scores.
    pub(super) is_scored: bool,
}

/// A term of a slot. It matches only documents in one of `languages`.
#[derive(Clone, Debug)]
pub(super) struct SlotTerm {
    pub(super) term: Term,
    pub(super) languages: Languages,
}

impl Slot {
    /// Creates a slot with only one term, the exact word.
    pub(super) fn exact(word: Term) -> Self {
        let term = SlotTerm {
            term: word.clone(),
            languages: Languages::ANY,
        };
        Self {
            word,
            terms: vec![term],
            frequency: None,
            is_scored: true,
        }
    }

    /// True if the exact word is the only term of this slot.
    pub(super) fn is_exact(&self) -> bool {
        self.frequency.is_none()
    }
}

/// The merged postings of all terms of a slot in one segment. They are read like the postings of a
/// single term.
pub(super) struct SlotPostings {
    terms: Vec<TermPostings>,
    spoken: SpokenLanguages,
    /// Indexes in `terms` of the terms that the current document contains.
    here: Vec<usize>,
    /// Heap of the terms whose next document comes after the current document. Each entry has the
    /// term's next document, and the index of the term in `terms`.
    later: BinaryHeap<Reverse<(DocId, usize)>>,
    document: DocId,
    positions: Vec<u32>,
}

struct TermPostings {
    postings: SegmentPostings,
    languages: Languages,
}

impl SlotPostings {
    /// Opens the postings of the terms in a segment. Returns None if the segment contains none of
    /// the terms.
    pub(super) fn open(
        terms: &[SlotTerm],
        segment: &SegmentReader,
    ) -> tantivy::Result<Option<Self>> {
        let option = IndexRecordOption::WithFreqsAndPositions;
        let mut opened = Vec::new();
        for SlotTerm { term, languages } in terms {
            let inverted = segment.inverted_index(term.field())?;
            if let Some(postings) = inverted.read_postings(term, option)? {
                opened.push(TermPostings {
                    postings,
                    languages: *languages,
                });
            }
        }
        if opened.is_empty() {
            return Ok(None);
        }
        let mut slot = Self {
            terms: opened,
            spoken: SpokenLanguages::open(segment),
            here: Vec::new(),
            later: BinaryHeap::new(),
            document: 0,
            positions: Vec::new(),
        };
        for number in 0..slot.terms.len() {
            slot.wait(number);
        }
        slot.come();
        Ok(Some(slot))
    }

    pub(super) fn doc(&self) -> DocId {
        self.document
    }

    pub(super) fn advance(&mut self) -> DocId {
        while let Some(number) = self.here.pop() {
            self.terms[number].postings.advance();
            self.wait(number);
        }
        self.come()
    }

    /// Advances to the first document from `target` on that contains a term, and returns it.
    /// Returns `TERMINATED` if there is none.
    pub(super) fn seek(&mut self, target: DocId) -> DocId {
        if self.document >= target {
            return self.document;
        }
        while let Some(number) = self.here.pop() {
            self.seek_term(number, target);
        }
        while let Some(Reverse((document, number))) = self.later.peek().copied()
            && document < target
        {
            self.later.pop();
            self.seek_term(number, target);
        }
        self.come()
    }

    pub(super) fn size_hint(&self) -> u32 {
        let hints = self.terms.iter().map(|term| term.postings.size_hint());
        hints.fold(0, u32::saturating_add)
    }

    /// Returns the number of positions in the current document at which any term of the slot
    /// occurs. A position counts once, even if several terms occur there.
    pub(super) fn frequency(&mut self) -> u32 {
        if let [number] = *self.here {
            return self.terms[number].postings.term_freq();
        }
        let mut positions = std::mem::take(&mut self.positions);
        self.positions_with_offset(0, &mut positions);
        let frequency = u32::try_from(positions.len()).unwrap_or(u32::MAX);
        self.positions = positions;
        frequency
    }

    /// Reads all positions of the slot's terms in the current document into `positions`, in
    /// ascending order, each with `offset` added. A position at which several terms occur is read
    /// once.
    pub(super) fn positions_with_offset(&mut self, offset: u32, positions: &mut Vec<u32>) {
        positions.clear();
        for number in &self.here {
            let postings = &mut self.terms[*number].postings;
            postings.append_positions_with_offset(offset, positions);
        }
        if self.here.len() > 1 {
            positions.sort_unstable();
            positions.dedup();
        }
    }

    fn seek_term(&mut self, number: usize, target: DocId) {
        let postings = &mut self.terms[number].postings;
        if postings.doc() < target {
            postings.seek(target);
        }
        self.wait(number);
    }

    /// Adds a term to the heap `later`, with the next document that contains the term in one of its
    /// languages. Documents in other languages are skipped. If there is no such document, the term
    /// is not added. `number` is the index of the term in `terms`.
    fn wait(&mut self, number: usize) {
        let TermPostings {
            postings,
            languages,
        } = &mut self.terms[number];
        if *languages != Languages::ANY {
            while postings.doc() != TERMINATED
                && !languages.has(self.spoken.language(postings.doc()))
            {
                postings.advance();
            }
        }
        if postings.doc() != TERMINATED {
            self.later.push(Reverse((postings.doc(), number)));
        }
    }

    /// Makes the first document in the heap `later` the current one, and moves the terms that it
    /// contains to `here`.
    fn come(&mut self) -> DocId {
        self.document = match self.later.peek() {
            Some(Reverse((document, _))) => *document,
            None => TERMINATED,
        };
        while let Some(Reverse((document, number))) = self.later.peek().copied()
            && document == self.document
        {
            self.later.pop();
            self.here.push(number);
        }
        self.document
    }
}
