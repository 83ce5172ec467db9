//! A word of a query in all fields of a page and in the anchor texts of links to it: the lists of
//! postings in which it is looked for, and their union.
//!
//! A list has the postings of one term in one field, or the pages with matching anchor texts. Each
//! list adds its scores to a window of documents ([`Window`]), one list after the other. The union
//! knows all kinds of lists, so no posting costs a call through a pointer.
//!
//! A block of postings may be passed over if none of its pages can be among the best. Its bound
//! follows from the pair of length and frequency that tantivy stores with each block: the pair with
//! the greatest factor under the segment's average length at the time of writing. That average is
//! stored too. If the average of the pages is `r` times greater (`r` at least 1), a factor `f` is
//! at most `1 / (1 + (1 / f - 1) / r)` now. So no figure of the segment enters a score.
//!
//! Several forms of a word may stand at one position, which counts once. The scores of the lists
//! alone are then too great, but never too small. Such documents are noted, and only what is added
//! to their scores beyond the limit is read from their positions.

use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::{BlockSegmentPostings, Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED};

use crate::forms::Languages;
use crate::statistics::{SpokenLanguages, score_of};

use super::anchors::{AnchorQuery, AnchorScorer, AnchorWeight};
use super::near::bm25;
use super::slot::Slot;
use super::window::{Marked, WIDTH, Window};

/// Share of the exact word in the score of a query word. The rest of the score counts all terms
/// that stand for the word, including the exact word. So a page with the exact word ranks before an
/// equal page with another form of it. The share is one half, because halving a score causes no
/// rounding.
pub(super) const EXACT_SHARE: Score = 0.5;
/// Maximum number of terms whose postings are read one list after the other. The terms stand for
/// one word in one field. If there are more terms, their postings are merged document by document
/// (see the module `slot`).
const MOST_TERMS: usize = 64;
/// Number of documents in the first window of a scorer. A window is a range of documents whose
/// scores are summed up together. After a seek beyond the current window, the next window has this
/// width too. Any other window is twice as wide as the window before, up to [`WIDTH`].
const FIRST_SPAN: u32 = 64;
/// Number of documents in a full block of tantivy's postings. The last block of a list has fewer.
const BLOCK: usize = 128;
/// Factor by which each upper bound on a score is increased. So no rounding makes the bound too
/// small.
const SLACK: f64 = 1.000_01;
/// Number of occurrences at which a BM25 weight gives its greatest score. BM25's factor for the
/// number of occurrences is then 1.
const COUNTLESS: u32 = u32::MAX;

/// A query for one word, in the fields of pages and in anchor texts.
#[derive(Clone, Debug, Default)]
pub(super) struct WordQuery {
    pub(super) fields: Vec<FieldWord>,
    /// Queries for the word in anchor texts, each with its weight.
    pub(super) anchors: Vec<(AnchorQuery, Score)>,
}

/// A query for one word in one field of pages.
#[derive(Clone, Debug)]
pub(super) struct FieldWord {
    exact: Term,
    /// All terms that stand for the word, such as the word and its other forms. A slot is a list of
    /// terms that may match at one position. None if only the exact word is searched.
    any: Option<Slot>,
    weight: Score,
}

impl FieldWord {
    /// Creates the query for a word in one field. A slot is a list of terms that may match at one
    /// position. `exact` must have one slot, whose only term is the exact word. `any` must have one
    /// slot with all terms that stand for the word, or be None. Returns None for any other slots,
    /// as in a phrase. Also returns None if more than [`MOST_TERMS`] terms stand for the word.
    pub(super) fn new(exact: &[Slot], any: Option<&[Slot]>, weight: Score) -> Option<Self> {
        let [exact] = exact else {
            return None;
        };
        let any = match any {
            Some([any]) if any.terms.len() <= MOST_TERMS => Some(any.clone()),
            Some(_) => return None,
            None => None,
        };
        let exact = exact.is_exact().then(|| exact.word.clone())?;
        Some(Self { exact, any, weight })
    }
}

impl WordQuery {
    /// Adds the fields and anchor texts of `other` to this query.
    pub(super) fn join(&mut self, other: &Self) {
        self.fields.extend_from_slice(&other.fields);
        self.anchors.extend_from_slice(&other.anchors);
    }

    pub(super) fn weigh(&self, scoring: EnableScoring<'_>) -> tantivy::Result<WordWeight> {
        let mut fields = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            fields.push(FieldWeight::new(field, scoring)?);
        }
        let mut anchors = Vec::with_capacity(self.anchors.len());
        for (called, weight) in &self.anchors {
            anchors.push((called.weigh(scoring)?, *weight));
        }
        Ok(WordWeight { fields, anchors })
    }
}

impl Query for WordQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.weigh(scoring)?))
    }

    /// Visits the terms of exact words. Terms of other forms, and terms that count only in some
    /// languages, are left out.
    fn query_terms<'a>(&'a self, visitor: &mut dyn FnMut(&'a Term, bool)) {
        for field in &self.fields {
            visitor(&field.exact, false);
            for one in field.any.iter().flat_map(|any| &any.terms) {
                if one.term.field() == field.exact.field() && one.languages == Languages::ANY {
                    visitor(&one.term, false);
                }
            }
        }
    }
}

/// The terms of a word in one field, with their weights.
struct FieldWeight {
    /// The index field with the exact words of a page, not their other forms. Scores use the length
    /// of this field in each document.
    field: Field,
    terms: Vec<TermWeight>,
    exact: Option<Bm25Weight>,
    any: Option<Bm25Weight>,
    /// Average number of words in the field, over all pages of the index.
    average: Score,
}

struct TermWeight {
    term: Term,
    languages: Languages,
    is_exact: bool,
    /// True if the term is in the list `FieldWord::any`. This list has all terms that stand for the
    /// word, such as the word itself and its other forms. False for the exact word if the list does
    /// not have it, or if there is no list.
    is_any: bool,
}

impl FieldWeight {
    fn new(word: &FieldWord, scoring: EnableScoring<'_>) -> tantivy::Result<Self> {
        let field = word.exact.field();
        let mut terms = vec![TermWeight {
            term: word.exact.clone(),
            languages: Languages::ANY,
            is_exact: true,
            is_any: false,
        }];
        for one in word.any.iter().flat_map(|any| &any.terms) {
            match terms.first_mut() {
                Some(exact) if exact.term == one.term => exact.is_any = true,
                _ => terms.push(TermWeight {
                    term: one.term.clone(),
                    languages: one.languages,
                    is_exact: false,
                    is_any: true,
                }),
            }
        }
        let share = if word.any.is_some() { EXACT_SHARE } else { 1.0 };
        let exact = bm25(&[&Slot::exact(word.exact.clone())], scoring)?;
        let any = match &word.any {
            Some(any) => bm25(&[any], scoring)?,
            None => None,
        };
        let average = match scoring {
            EnableScoring::Enabled {
                statistics_provider: statistics,
                ..
            } => {
                statistics.total_num_tokens(field)? as Score / statistics.total_num_docs()? as Score
            }
            EnableScoring::Disabled { .. } => 0.0,
        };
        Ok(Self {
            field,
            terms,
            exact: exact.map(|exact| exact.boost_by(word.weight * share)),
            any: any.map(|any| any.boost_by(word.weight * (1.0 - share))),
            average,
        })
    }

    /// Opens the postings of the word's terms in a segment, and adds them to `lists`.
    fn open(
        &self,
        segment: &SegmentReader,
        boost: Score,
        lists: &mut WordLists,
    ) -> tantivy::Result<()> {
        let mut opened = Vec::new();
        for weight in &self.terms {
            let inverted = segment.inverted_index(weight.term.field())?;
            if let Some(info) = inverted.get_term_info(&weight.term)? {
                opened.push((weight, inverted, info));
            }
        }
        if opened.is_empty() {
            return Ok(());
        }
        let boosted = |weight: &Option<Bm25Weight>| weight.as_ref().map(|one| one.boost_by(boost));
        let (exact, any) = (boosted(&self.exact), boosted(&self.any));
        let lengths = segment.get_fieldnorms_reader(self.field)?;
        let standing: Vec<_> = opened.iter().filter(|(one, _, _)| one.is_any).collect();
        let has_forms = standing
            .iter()
            .any(|(one, _, _)| one.term.field() != self.field);
        let mut coinciding = None;
        if let Some(any) = &any
            && standing.len() > 1
            && has_forms
        {
            let mut terms = Vec::with_capacity(standing.len());
            for (one, inverted, info) in standing {
                let option = IndexRecordOption::WithFreqsAndPositions;
                terms.push(TermPositions {
                    postings: inverted.read_postings_from_terminfo(info, option)?,
                    languages: one.languages,
                });
            }
            coinciding = Some(lists.coinciding.len());
            lists.coinciding.push(Coinciding {
                terms,
                weight: any.clone(),
                lengths: lengths.clone(),
                once: Marked::none(),
                twice: Marked::none(),
                positions: Vec::new(),
            });
        }
        for (one, inverted, info) in opened {
            let weights = [
                exact.clone().filter(|_| one.is_exact),
                any.clone().filter(|_| one.is_any),
            ];
            let bound = if one.term.field() == self.field && info.doc_freq as usize >= BLOCK {
                BlockBound::new(&inverted, segment, self.average)
            } else {
                None
            };
            lists.add(List::Terms(Box::new(TermList {
                postings: inverted
                    .read_block_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?,
                at: 0,
                lengths: lengths.clone(),
                most: weights.iter().flatten().map(greatest).sum(),
                weights,
                bound,
                languages: one.languages,
                coinciding: coinciding.filter(|_| one.is_any),
            })));
        }
        Ok(())
    }
}

/// Returns the greatest score that a weight can give to a document.
fn greatest(weight: &Bm25Weight) -> f64 {
    f64::from(weight.score(0, COUNTLESS))
}

/// A query for one word with its BM25 weights. The query can be opened in each segment of an index.
pub(super) struct WordWeight {
    fields: Vec<FieldWeight>,
    anchors: Vec<(AnchorWeight, Score)>,
}

impl WordWeight {
    /// Opens all lists of the word in a segment: postings, and pages with matching anchor texts.
    pub(super) fn open(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<WordLists> {
        let mut lists = WordLists {
            lists: Vec::new(),
            rests: Vec::new(),
            coinciding: Vec::new(),
            spoken: SpokenLanguages::open(segment),
        };
        for field in &self.fields {
            field.open(segment, boost, &mut lists)?;
        }
        for (called, weight) in &self.anchors {
            lists.add(List::Anchors(called.open(segment, boost * weight)));
        }
        lists.sort();
        Ok(lists)
    }
}

impl Weight for WordWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let lists = self.open(segment, boost)?;
        if lists.lists.is_empty() {
            return Ok(Box::new(EmptyScorer));
        }
        Ok(Box::new(WordScorer::new(lists)))
    }

    fn explain(&self, segment: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        let score = score_of(&mut *self.scorer(segment, 1.0)?, document);
        Ok(Explanation::new(
            "a word in any field",
            score.unwrap_or(0.0),
        ))
    }
}

/// All lists of a word in one segment: the postings of its terms, and the pages with matching
/// anchor texts.
pub(super) struct WordLists {
    /// The lists that have documents, the shortest first. So the scores from all other lists are
    /// known when the longest list is read.
    lists: Vec<List>,
    /// For each list, the greatest score that all later lists can add to a document.
    rests: Vec<f64>,
    coinciding: Vec<Coinciding>,
    spoken: SpokenLanguages,
}

/// Rule by which blocks of postings are skipped. A block may be skipped if none of its documents
/// can be among the best.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Score that a document needs to be among the best. Blocks whose documents all have a lower
    /// score may be skipped.
    pub(super) least: f64,
    /// Greatest score that all lists which are read later can add to a document.
    pub(super) rest: f64,
    /// True if the documents of a skipped block are still marked as found, so that they are
    /// counted. They get no scores.
    pub(super) is_counted: bool,
}

impl Cut {
    /// The rule by which no block is skipped.
    pub(super) const NONE: Self = Self {
        least: 0.0,
        rest: 0.0,
        is_counted: true,
    };
}

impl WordLists {
    fn add(&mut self, list: List) {
        if list.size() > 0 {
            self.lists.push(list);
        }
    }

    fn sort(&mut self) {
        self.lists.sort_by_key(List::size);
        self.rests = rests(self.lists.iter().map(List::most));
    }

    /// Returns the number of documents in all lists together.
    pub(super) fn size(&self) -> u32 {
        self.lists
            .iter()
            .map(List::size)
            .fold(0, u32::saturating_add)
    }

    /// Returns the greatest score that the word can add to a document.
    pub(super) fn most(&self) -> f64 {
        self.lists.iter().map(List::most).sum()
    }

    /// Advances all lists to `target`. Returns the first document at or after `target` that is in a
    /// list. Returns `TERMINATED` if no list has a document there.
    pub(super) fn seek(&mut self, target: DocId) -> DocId {
        let documents = self.lists.iter_mut().map(|list| list.seek(target));
        documents.min().unwrap_or(TERMINATED)
    }

    /// Prepares the lists for a new window (range of documents). Forgets which documents of the
    /// previous window contain several terms of the word.
    pub(super) fn begin(&mut self) {
        for one in &mut self.coinciding {
            one.once = Marked::none();
            one.twice = Marked::none();
        }
    }

    /// Adds to `window` the documents from `from` to before `to` of all lists, with their scores.
    /// `cut` says which blocks may be skipped.
    pub(super) fn fill(&mut self, window: &mut Window, (from, to): (DocId, DocId), cut: Cut) {
        for (list, rest) in self.lists.iter_mut().zip(&self.rests) {
            let cut = Cut {
                rest: cut.rest + rest,
                ..cut
            };
            match list {
                List::Terms(list) => {
                    let coinciding = list.coinciding.and_then(|at| self.coinciding.get_mut(at));
                    list.fill(window, (from, to), cut, coinciding, &self.spoken);
                }
                List::Anchors(called) => {
                    if called.doc() < from {
                        called.seek(from);
                    }
                    while called.doc() < to {
                        window.add(called.doc(), f64::from(called.score()));
                        called.advance();
                    }
                }
            }
        }
    }

    /// Returns a correction to add to a document's sum of scores. The sum counts a position several
    /// times if several terms of the word are there, but a position should count once. The
    /// correction is then negative, otherwise it is 0. Documents must be passed in ascending order,
    /// before the next window begins.
    pub(super) fn correction(&mut self, window: &Window, document: DocId) -> f64 {
        let mut correction = 0.0;
        for one in &mut self.coinciding {
            if one.twice.has(window.place(document)) {
                correction += one.correction(document, &self.spoken);
            }
        }
        correction
    }
}

/// Returns, for each score, the sum of all scores after it.
pub(super) fn rests(scores: impl DoubleEndedIterator<Item = f64>) -> Vec<f64> {
    let mut rest = 0.0;
    let mut rests = Vec::new();
    for score in scores.rev() {
        rests.push(rest);
        rest += score;
    }
    rests.reverse();
    rests
}

/// A list of documents to which a word adds scores.
enum List {
    Terms(Box<TermList>),
    Anchors(AnchorScorer),
}

impl List {
    fn size(&self) -> u32 {
        match self {
            Self::Terms(list) => list.postings.doc_freq(),
            Self::Anchors(called) => called.size_hint(),
        }
    }

    fn most(&self) -> f64 {
        match self {
            Self::Terms(list) => list.most,
            Self::Anchors(called) => f64::from(called.most()),
        }
    }

    fn seek(&mut self, target: DocId) -> DocId {
        match self {
            Self::Terms(list) => list.seek(target),
            Self::Anchors(called) if called.doc() < target => called.seek(target),
            Self::Anchors(called) => called.doc(),
        }
    }
}

/// The postings of one term.
struct TermList {
    postings: BlockSegmentPostings,
    /// Index of the current posting in its block.
    at: usize,
    lengths: FieldNormReader,
    /// Two weights of the term. The first weight is for the term as the exact word. The second
    /// weight is for the term as one of the terms that stand for the word. A weight is None if the
    /// term does not have this role. Both weights are None if scores are not needed.
    weights: [Option<Bm25Weight>; 2],
    most: f64,
    bound: Option<BlockBound>,
    languages: Languages,
    /// Index of an entry in `WordLists::coinciding`. The entry has all terms that may be at the
    /// same positions as this term. None if no other term may be there, or if scores are not
    /// needed.
    coinciding: Option<usize>,
}

impl TermList {
    fn doc(&self) -> DocId {
        let document = self.postings.docs().get(self.at);
        document.copied().unwrap_or(TERMINATED)
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.doc() < target {
            self.at = self.postings.seek(target);
        }
        self.doc()
    }

    fn fill(
        &mut self,
        window: &mut Window,
        (from, to): (DocId, DocId),
        cut: Cut,
        mut coinciding: Option<&mut Coinciding>,
        spoken: &SpokenLanguages,
    ) {
        let languages = self.languages;
        let counts = |document: &DocId| {
            languages == Languages::ANY || languages.has(spoken.language(*document))
        };
        self.seek(from);
        loop {
            let bound = self.bound(cut);
            let documents = self.postings.docs();
            let Some(last) = documents.last() else {
                return;
            };
            let end = if *last < to {
                documents.len()
            } else {
                documents.partition_point(|document| *document < to)
            };
            let here = documents.get(self.at..end).unwrap_or_default();
            let frequencies = self.postings.freqs().get(self.at..end).unwrap_or_default();
            if let [first, ..] = here
                && let [.., last] = here
            {
                if window.top(*first, *last) + bound < cut.least {
                    if cut.is_counted {
                        for document in here.iter().filter(|document| counts(document)) {
                            window.mark(*document);
                        }
                    }
                } else {
                    for (document, frequency) in here.iter().zip(frequencies) {
                        if !counts(document) {
                            continue;
                        }
                        window.add(*document, self.score(*document, *frequency));
                        if let Some(coinciding) = &mut coinciding {
                            coinciding.note(window.place(*document));
                        }
                    }
                }
            }
            if end < documents.len() {
                self.at = end;
                return;
            }
            self.postings.advance();
            self.at = 0;
        }
    }

    #[inline]
    fn score(&self, document: DocId, frequency: u32) -> f64 {
        let length = self.lengths.fieldnorm_id(document);
        let score = |weight: &Bm25Weight| f64::from(weight.score(length, frequency));
        match &self.weights {
            [Some(exact), None] => score(exact),
            [None, Some(any)] => score(any),
            [Some(exact), Some(any)] => score(exact) + score(any),
            [None, None] => 1.0,
        }
    }

    /// Returns an upper bound of the score that this list and all later lists add to a document of
    /// the current block. Infinite if the bound is not known, or not needed.
    fn bound(&mut self, cut: Cut) -> f64 {
        match &self.bound {
            Some(bound) if cut.least > 0.0 && self.postings.block_len() == BLOCK => {
                (self.most * bound.factor(&mut self.postings, &self.lengths) + cut.rest) * SLACK
            }
            _ => f64::INFINITY,
        }
    }
}

/// Computes upper bounds of the scores in blocks of a list, from data that tantivy stores with each
/// block.
struct BlockBound {
    /// BM25 weight with the average field length at the time when the segment was written. Its
    /// document frequency is arbitrary, because it cancels out in [`BlockBound::factor`].
    written: Bm25Weight,
    /// Average field length of the current pages, divided by the average at the time when the
    /// segment was written; at least 1.
    growth: f64,
}

impl BlockBound {
    fn new(
        inverted: &InvertedIndexReader,
        segment: &SegmentReader,
        average: Score,
    ) -> Option<Self> {
        let written = inverted.total_num_tokens() as Score / segment.max_doc() as Score;
        let growth = f64::from(average) / f64::from(written);
        (written > 0.0 && growth.is_finite()).then(|| Self {
            written: Bm25Weight::for_one_term_without_explain(1, 2, written),
            growth: growth.max(1.0),
        })
    }

    /// Returns an upper bound of BM25's factor for the number of occurrences (0 to 1), for all
    /// postings of the current block.
    fn factor(&self, postings: &mut BlockSegmentPostings, lengths: &FieldNormReader) -> f64 {
        let score = f64::from(postings.block_max_score(lengths, &self.written));
        let factor = score / greatest(&self.written);
        if factor > 0.0 && factor < 1.0 {
            1.0 / (1.0 + (1.0 / factor - 1.0) / self.growth)
        } else {
            1.0
        }
    }
}

/// Corrects the score of a word whose terms may share a position, such as the word and its stem. A
/// position counts once, no matter how many of the terms it has.
///
/// The documents of a segment are searched in windows, which are ranges of documents. `once` has
/// the documents of the current window that contain at least one of the terms, `twice` those that
/// contain at least two.
struct Coinciding {
    terms: Vec<TermPositions>,
    weight: Bm25Weight,
    lengths: FieldNormReader,
    once: Marked,
    twice: Marked,
    positions: Vec<u32>,
}

struct TermPositions {
    postings: SegmentPostings,
    languages: Languages,
}

impl Coinciding {
    #[inline]
    fn note(&mut self, at: usize) {
        if self.once.insert(at) {
            self.twice.insert(at);
        }
    }

    /// Returns the correction that makes each position of a document count once. It is the score
    /// for the distinct positions, minus the sum of the scores of the single terms.
    fn correction(&mut self, document: DocId, spoken: &SpokenLanguages) -> f64 {
        let length = self.lengths.fieldnorm_id(document);
        let mut alone = 0.0;
        self.positions.clear();
        for TermPositions {
            postings,
            languages,
        } in &mut self.terms
        {
            if postings.doc() < document {
                postings.seek(document);
            }
            let is_here = postings.doc() == document
                && (*languages == Languages::ANY || languages.has(spoken.language(document)));
            if is_here {
                alone += f64::from(self.weight.score(length, postings.term_freq()));
                postings.append_positions_with_offset(0, &mut self.positions);
            }
        }
        self.positions.sort_unstable();
        self.positions.dedup();
        let together = u32::try_from(self.positions.len()).unwrap_or(u32::MAX);
        f64::from(self.weight.score(length, together)) - alone
    }
}

/// Scorer that yields the documents of a word one after the other. tantivy uses this scorer if the
/// word is part of a larger query.
struct WordScorer {
    lists: WordLists,
    window: Window,
    /// Number of documents in the next window.
    span: u32,
    document: DocId,
}

impl WordScorer {
    fn new(lists: WordLists) -> Self {
        let mut scorer = Self {
            lists,
            window: Window::new(),
            span: FIRST_SPAN,
            document: 0,
        };
        scorer.fill(0);
        scorer
    }

    /// Advances to the first document at or after `from` that contains the word. The scores of this
    /// document and of the documents after it are computed together, in a new window (range of
    /// documents).
    fn fill(&mut self, mut from: DocId) {
        loop {
            let first = self.lists.seek(from);
            if first == TERMINATED {
                self.document = TERMINATED;
                return;
            }
            self.window.begin(first, self.span);
            self.span = (self.span * 2).min(WIDTH as u32);
            let end = self.window.end();
            self.lists.begin();
            self.lists.fill(&mut self.window, (first, end), Cut::NONE);
            if let Some(document) = self.window.next(first) {
                self.document = document;
                return;
            }
            from = end;
        }
    }

    fn settle(&mut self, from: DocId) -> DocId {
        match self.window.next(from) {
            Some(document) => self.document = document,
            None => self.fill(from.max(self.window.end())),
        }
        self.document
    }
}

impl DocSet for WordScorer {
    fn advance(&mut self) -> DocId {
        if self.document == TERMINATED {
            return TERMINATED;
        }
        self.settle(self.document + 1)
    }

    fn seek(&mut self, target: DocId) -> DocId {
        if self.document >= target {
            return self.document;
        }
        if target >= self.window.end() {
            self.span = FIRST_SPAN;
        }
        self.settle(target)
    }

    fn doc(&self) -> DocId {
        self.document
    }

    fn size_hint(&self) -> u32 {
        self.lists.size()
    }
}

impl Scorer for WordScorer {
    fn score(&mut self) -> Score {
        let sum = self.window.sum(self.document);
        (sum + self.lists.correction(&self.window, self.document)) as Score
    }
}
