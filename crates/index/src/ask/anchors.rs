//! A query over the anchor texts of links. Matches are joined with the link targets when a search
//! runs.
//!
//! An anchor document contains the anchor texts of one source page. A word of a query is looked up
//! in all anchor documents. Each link target with a matching anchor text is a hit, if it is an
//! indexed page. The score of a target is that of BM25, but without document lengths. It depends on
//! the rarity of the matched anchor texts and on the number of the target's votes. A vote is a
//! distinct pair of anchor text and source host. So a menu on every page of a site is one vote. At
//! most 200 votes count. The score depends only on the set of anchor texts, so folding them
//! (`fold`) does not change the result of a query.
//!
//! An anchor text makes a page match, but never adds a page to the index.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::iter::repeat;
use std::sync::{Arc, OnceLock};

use tantivy::columnar::Column;
use tantivy::query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::{IndexRecordOption, Term};
use tantivy::{
    DocAddress, DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, TantivyDocument,
    TantivyError,
};

use crate::forms::Language;
use crate::packed::each_name;
use crate::schema::{DocumentKind, Fields, LINE, column};
use crate::statistics::{each, score_of};
use crate::stored::{Stores, text};

use super::sought::AnchorTerms;

/// Maximum number of votes for one link target that contribute to its score.
const MOST_VOTES: u32 = 200;
/// Number of votes that are collected before duplicates among them are removed.
const ROOM: usize = 1 << 18;
/// Parameter of the score that bounds the effect of many votes, like `k1` in BM25. With a greater
/// value, additional votes still raise the score of a target that has many votes already.
const K1: Score = 1.2;

/// Hashes of the URLs of source pages that were indexed again since the last compaction. For these
/// pages, folded anchor texts of that compaction are no longer valid.
#[derive(Clone, Debug)]
pub(crate) struct Superseded {
    fields: Fields,
    generation: u64,
    ids: Arc<OnceLock<HashSet<u64>>>,
}

impl Superseded {
    pub(crate) fn new(fields: Fields, generation: u64) -> Self {
        Self {
            fields,
            generation,
            ids: Arc::default(),
        }
    }

    /// True if a source page was indexed again since the last compaction. Folded anchor texts are
    /// then no longer valid for it. `source` is the hash of its URL.
    pub(crate) fn has(&self, searcher: &Searcher, source: u64) -> tantivy::Result<bool> {
        if let Some(ids) = self.ids.get() {
            return Ok(ids.contains(&source));
        }
        let ids = self.read(searcher)?;
        Ok(self.ids.get_or_init(|| ids).contains(&source))
    }

    fn read(&self, searcher: &Searcher) -> tantivy::Result<HashSet<u64>> {
        let term = Term::from_field_u64(self.fields.generation, self.generation);
        let mut ids = HashSet::new();
        for segment in searcher.segment_readers() {
            let columns =
                [column::ID, column::GONE_ID].map(|name| segment.fast_fields().u64(name).ok());
            each(segment, &term, |document| {
                for column in columns.iter().flatten() {
                    ids.extend(column.first(document));
                }
            })?;
        }
        Ok(ids)
    }
}

/// Columns of the anchor documents in one segment of the index.
pub(crate) struct AnchorColumns {
    target: Column<u64>,
    vote: Column<u64>,
    /// Column with the hash of the source page's URL, for anchor documents of a single source page.
    source: Option<Column<u64>>,
    /// Column with the hashes of the source pages' URLs, for folded anchor documents.
    sources: Option<Column<u64>>,
    expires: Option<Column<i64>>,
    spoken: Option<Column<u64>>,
}

/// One anchor text of an anchor document, with its link target.
#[derive(Debug)]
pub(crate) struct AnchorText {
    pub(crate) target: u64,
    pub(crate) vote: u64,
    /// Packed anchor text. Empty if it may not be shown.
    pub(crate) text: String,
    pub(crate) url: String,
}

impl AnchorColumns {
    /// Opens the anchor columns of a segment. Returns None if the segment has no anchor documents.
    pub(crate) fn open(segment: &SegmentReader) -> Option<Self> {
        let fast = segment.fast_fields();
        Some(Self {
            target: fast.u64(column::TARGET).ok()?,
            vote: fast.u64(column::VOTE).ok()?,
            source: fast.u64(column::SOURCE).ok(),
            sources: fast.u64(column::SOURCES).ok(),
            expires: fast.i64(column::EXPIRES).ok(),
            spoken: fast.u64(column::SPOKEN).ok(),
        })
    }

    /// Returns the hashes of the URLs to which the links of an anchor document point. Yields
    /// nothing for a document of another kind.
    pub(crate) fn targets(&self, document: DocId) -> impl Iterator<Item = u64> + '_ {
        self.target.values_for_doc(document)
    }

    /// Returns the link target (as a hash of its URL) and the vote of one anchor text. `number` is
    /// the position of the anchor text in its document, counted from 0.
    fn name(&self, document: DocId, number: usize) -> Option<(u64, u64)> {
        let target_row = self.target.index.value_row_ids(document).nth(number)?;
        let vote_row = self.vote.index.value_row_ids(document).nth(number)?;
        let target = self.target.values.get_val(target_row);
        let vote = self.vote.values.get_val(vote_row);
        Some((target, vote))
    }

    /// Returns all anchor texts of an anchor document, with their link targets. `id` is the number
    /// of the document in its segment, and `document` has its stored texts.
    pub(crate) fn anchor_texts(
        &self,
        id: DocId,
        document: &TantivyDocument,
        fields: &Fields,
    ) -> Vec<AnchorText> {
        let texts = text(document, fields.shown_anchor);
        let urls = text(document, fields.target_urls);
        let texts = each_name(&texts).chain(repeat(""));
        let votes = self
            .target
            .values_for_doc(id)
            .zip(self.vote.values_for_doc(id));
        let mut names = Vec::new();
        for ((target, vote), (text, url)) in votes.zip(texts.zip(urls.split(LINE))) {
            names.push(AnchorText {
                target,
                vote,
                text: text.to_owned(),
                url: url.to_owned(),
            });
        }
        names
    }

    /// True if the anchor texts of a document have expired at `now`. If `now` is None, no anchor
    /// text has expired.
    pub(crate) fn has_expired(&self, document: DocId, now: Option<i64>) -> bool {
        match (now, self.expires(document)) {
            (Some(now), Some(expires)) => expires < now,
            _ => false,
        }
    }

    pub(crate) fn expires(&self, document: DocId) -> Option<i64> {
        self.expires.as_ref()?.first(document)
    }

    /// Returns the language of an anchor document's source pages, if its words have other forms in
    /// it.
    pub(crate) fn spoken(&self, document: DocId) -> Option<Language> {
        Language::from_number(self.spoken.as_ref()?.first(document)?)
    }

    /// Iterates over the source pages for which an anchor document is still valid, as hashes of
    /// their URLs. In a folded document, these are the source pages that were not indexed again
    /// since folding.
    pub(crate) fn living<'a>(
        &'a self,
        searcher: &'a Searcher,
        superseded: &'a Superseded,
        document: DocId,
    ) -> impl Iterator<Item = tantivy::Result<u64>> + 'a {
        let own = self
            .source
            .iter()
            .flat_map(move |column| column.values_for_doc(document))
            .map(Ok);
        let folded = self
            .sources
            .iter()
            .flat_map(move |column| column.values_for_doc(document));
        own.chain(
            folded.filter_map(move |source| match superseded.has(searcher, source) {
                Ok(is_over) => (!is_over).then_some(Ok(source)),
                Err(error) => Some(Err(error)),
            }),
        )
    }
}

/// A query that finds pages by the anchor texts of links to them.
#[derive(Clone, Debug)]
pub(crate) struct AnchorQuery {
    /// Words of the query that are searched in anchor texts.
    pub(crate) sought: Arc<AnchorTerms>,
    pub(crate) superseded: Superseded,
    /// Number of pages in the index. The rarity of a match is computed from it.
    pub(crate) pages: u64,
    /// Time at which the search runs, in seconds since 1970. Anchor texts that have expired by then
    /// are ignored. If it is None, no anchor text has expired.
    pub(crate) now: Option<i64>,
}

impl AnchorQuery {
    /// Returns the matching link targets, each as the hash of its URL with its number of votes.
    /// They are sorted by hash.
    fn tally(&self, searcher: &Searcher) -> tantivy::Result<Vec<(u64, u32)>> {
        let mut votes = Vec::new();
        let mut room = ROOM;
        self.each(searcher, |_, _, name| {
            votes.push(name);
            if votes.len() >= room {
                votes.sort_unstable();
                votes.dedup();
                room = ROOM.max(votes.len() * 2);
            }
            Ok(())
        })?;
        votes.sort_unstable();
        votes.dedup();
        let mut tally = Vec::new();
        for votes in votes.chunk_by(|a, b| a.0 == b.0) {
            tally.push((votes[0].0, capped(votes.len())));
        }
        Ok(tally)
    }

    /// Returns the matching anchor texts of links to some pages, packed. `ids` are the hashes of
    /// the URLs of these pages. Returns only texts that may be shown, from at most `most` votes for
    /// each page.
    pub(crate) fn matching_texts(
        &self,
        searcher: &Searcher,
        ids: &[u64],
        most: usize,
    ) -> tantivy::Result<HashMap<u64, Vec<String>>> {
        let mut votes: HashMap<u64, BTreeMap<u64, (DocAddress, usize)>> =
            ids.iter().map(|id| (*id, BTreeMap::new())).collect();
        let unshown = self.unshown(searcher)?;
        self.each(searcher, |at, number, (target, vote)| {
            if let Some(votes) = votes.get_mut(&target)
                && !unshown.contains(&at)
            {
                votes.insert(vote, (at, number));
                if votes.len() > most {
                    votes.pop_last();
                }
            }
            Ok(())
        })?;
        let stores = Stores::open(searcher)?;
        let mut names = HashMap::new();
        for (id, votes) in votes {
            let mut distinct = BTreeSet::new();
            for (at, number) in votes.into_values() {
                let called = text(&stores.document(at)?, self.superseded.fields.shown_anchor);
                distinct.extend(each_name(&called).nth(number).map(str::to_owned));
            }
            names.insert(id, distinct.into_iter().collect());
        }
        Ok(names)
    }

    /// Returns the addresses of the anchor documents whose texts may not be shown.
    fn unshown(&self, searcher: &Searcher) -> tantivy::Result<HashSet<DocAddress>> {
        let mut unshown = HashSet::new();
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let kind = self.superseded.fields.kind_of(DocumentKind::Unshown);
            each(segment, &kind, |document| {
                _ = unshown.insert(DocAddress::new(ordinal, document));
            })?;
        }
        Ok(unshown)
    }

    /// Calls `take` for each matching anchor text that is still valid. The arguments are the
    /// address of its document, the number of the anchor text in that document, and a pair of its
    /// link target and vote.
    fn each(
        &self,
        searcher: &Searcher,
        mut take: impl FnMut(DocAddress, usize, (u64, u64)) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let Some(columns) = AnchorColumns::open(segment) else {
                continue;
            };
            self.sought.each(segment, |document, numbers| {
                if segment.is_deleted(document) || columns.has_expired(document, self.now) {
                    return Ok(());
                }
                if columns
                    .living(searcher, &self.superseded, document)
                    .next()
                    .transpose()?
                    .is_none()
                {
                    return Ok(());
                }
                let at = DocAddress::new(ordinal, document);
                for number in numbers {
                    if let Some(name) = columns.name(document, *number) {
                        take(at, *number, name)?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn capped(votes: usize) -> u32 {
    u32::try_from(votes).unwrap_or(u32::MAX).min(MOST_VOTES)
}

impl AnchorQuery {
    /// Looks for the pages that are called so, and weighs how rare they are.
    pub(super) fn weigh(&self, scoring: EnableScoring<'_>) -> tantivy::Result<AnchorWeight> {
        let Some(searcher) = scoring.searcher() else {
            return Err(TantivyError::InvalidArgument("no searcher".to_owned()));
        };
        let targets = self.tally(searcher)?;
        let called = (targets.len() as u64).min(self.pages);
        let rarity = (1.0 + ((self.pages - called) as Score + 0.5) / (called as Score + 0.5)).ln();
        Ok(AnchorWeight {
            fields: self.superseded.fields,
            targets,
            rarity,
        })
    }
}

impl Query for AnchorQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.weigh(scoring)?))
    }
}

pub(super) struct AnchorWeight {
    fields: Fields,
    targets: Vec<(u64, u32)>,
    rarity: Score,
}

impl AnchorWeight {
    /// Returns the pages of a segment that are matching link targets, each with its number of
    /// votes. They are in ascending order of their documents.
    fn pages(&self, segment: &SegmentReader) -> tantivy::Result<Vec<(DocId, u32)>> {
        let Ok(ids) = segment.fast_fields().u64(column::ID) else {
            return Ok(Vec::new());
        };
        let mut pages = Vec::new();
        if self.targets.len() < segment.max_doc() as usize / 16 {
            let inverted = segment.inverted_index(self.fields.id)?;
            for (id, votes) in &self.targets {
                let term = Term::from_field_u64(self.fields.id, *id);
                let Some(mut postings) = inverted.read_postings(&term, IndexRecordOption::Basic)?
                else {
                    continue;
                };
                while postings.doc() != TERMINATED {
                    pages.push((postings.doc(), *votes));
                    postings.advance();
                }
            }
            pages.sort_unstable();
        } else {
            for page in 0..segment.max_doc() {
                if let Some(id) = ids.first(page)
                    && let Ok(place) = self.targets.binary_search_by_key(&id, |(id, _)| *id)
                {
                    pages.push((page, self.targets[place].1));
                }
            }
        }
        Ok(pages)
    }

    /// Opens the pages of a segment that are called so.
    pub(super) fn open(
        &self,
        segment: &SegmentReader,
        boost: Score,
    ) -> tantivy::Result<AnchorScorer> {
        Ok(AnchorScorer {
            pages: self.pages(segment)?,
            at: 0,
            worth: boost * self.rarity,
        })
    }
}

impl Weight for AnchorWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let scorer = self.open(segment, boost)?;
        if scorer.pages.is_empty() {
            return Ok(Box::new(EmptyScorer));
        }
        Ok(Box::new(scorer))
    }

    fn explain(&self, segment: &SegmentReader, document: DocId) -> tantivy::Result<Explanation> {
        let score = score_of(&mut *self.scorer(segment, 1.0)?, document);
        Ok(Explanation::new("others call it so", score.unwrap_or(0.0)))
    }
}

pub(super) struct AnchorScorer {
    pages: Vec<(DocId, u32)>,
    at: usize,
    worth: Score,
}

impl AnchorScorer {
    /// Returns a score that no page exceeds, whatever its votes.
    pub(super) fn most(&self) -> Score {
        self.worth * (K1 + 1.0)
    }
}

impl DocSet for AnchorScorer {
    fn advance(&mut self) -> DocId {
        self.at += 1;
        self.doc()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        self.at +=
            self.pages[self.at.min(self.pages.len())..].partition_point(|(page, _)| *page < target);
        self.doc()
    }

    fn doc(&self) -> DocId {
        match self.pages.get(self.at) {
            Some((page, _)) => *page,
            None => TERMINATED,
        }
    }

    fn size_hint(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }
}

impl Scorer for AnchorScorer {
    fn score(&mut self) -> Score {
        let votes = match self.pages.get(self.at) {
            Some((_, votes)) => *votes as Score,
            None => 0.0,
        };
        self.worth * votes * (K1 + 1.0) / (votes + K1)
    }
}
