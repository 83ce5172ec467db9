//! A query over the anchor texts of links. Matches are joined with the link targets when a search
//! runs.
//!
//! An anchor document contains the anchor texts of one source page, or those of one link target if
//! they were folded (`folded`). A word of a query is looked up in all anchor documents. Each link
//! target with a matching anchor text is a hit, if it is an indexed page. The score of a page is
//! that of BM25, but without document lengths. It depends on how many pages have matching anchor
//! texts, and on the number of the page's votes. A vote is a distinct pair of anchor text and
//! source host. So a menu on every page of a site is one vote. At most 200 votes count. The score
//! depends only on the set of anchor texts, so folding them does not change the result of a query
//! (`join`).
//!
//! An anchor text makes a page match, but never adds a page to the index.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use tantivy::index::SegmentId;
use tantivy::query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{
    DocAddress, DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, TantivyError,
};

use crate::folded::{FoldedIndex, FoldedSegment};
use crate::packed::each_anchor_text;
use crate::schema::DocumentKind;
use crate::statistics::{each, score_of};
use crate::stored::{Stores, text};

use super::columns::{AnchorColumns, has_expired};
use super::join::{AnchorTexts, VotePlaces};
use super::sought::AnchorTerms;

/// Maximum number of votes that contribute to a page's score. A vote is a distinct pair of anchor
/// text and linking host.
const MOST_VOTES: u32 = 200;
/// Number of votes to collect before duplicates are removed. A vote is a pair of anchor text and
/// linking host.
const ROOM: usize = 1 << 18;
/// Saturation parameter of the score, like `k1` in BM25. The greater it is, the more votes a page
/// needs until further votes hardly raise its score.
const K1: Score = 1.2;

/// A query that finds pages by the anchor texts of links to them.
#[derive(Clone, Debug)]
pub(crate) struct AnchorQuery {
    /// Words of the query, which are searched in anchor texts.
    pub(crate) sought: Arc<AnchorTerms>,
    pub(crate) anchors: AnchorTexts,
    /// Number of pages in the index. Scores are higher if only few of these pages match the query.
    pub(crate) pages: u64,
    /// Time at which the search runs, in seconds since 1970. Anchor texts that have expired by then
    /// are ignored. If it is None, no anchor text has expired.
    pub(crate) now: Option<i64>,
}

/// A page with anchor texts that match a query: its number in [`PageTable`], and the number of its
/// matching votes. A vote is a distinct pair of anchor text and linking host.
///
/// [`PageTable`]: super::pages::PageTable
type CalledPage = (u32, u32);

impl AnchorQuery {
    /// Returns the pages that have matching anchor texts, in ascending order of their numbers.
    fn tally(&self, searcher: &Searcher) -> tantivy::Result<Vec<CalledPage>> {
        let mut called = Vec::new();
        let mut votes = Votes::default();
        let pages = self.anchors.pages(searcher);
        self.each_unfolded(searcher, |_, _, target, vote| {
            if let Some(page) = pages.find(target) {
                votes.add(page, vote);
            }
            Ok(())
        })?;
        let folded = self.anchors.folded();
        if folded.indexes().next().is_some() {
            let places = self.anchors.votes(searcher)?;
            if let Some(index) = &folded.of_pages
                && self.sought.comes_once()
            {
                self.count_alone(searcher, index, places, &mut called)?;
            }
            let indexes = [&folded.of_pages, &folded.of_others];
            for (index, ranges) in indexes.into_iter().zip(&places.single) {
                let Some(index) = index else {
                    continue;
                };
                let take = |_: usize, segment: &FoldedSegment, document, _, vote| {
                    if let Some(page) = pages.find(segment.target(document)) {
                        votes.add(page, vote);
                    }
                    Ok(())
                };
                if self.sought.comes_once() {
                    let ranges = |number: usize| ranges[number].as_slice();
                    self.each_folded(searcher, index, ranges, take)?;
                } else {
                    let all = index.segments().map(|(_, segment)| 0..segment.documents());
                    let all: Vec<_> = all.collect();
                    let all = |number: usize| std::slice::from_ref(&all[number]);
                    self.each_folded(searcher, index, all, take)?;
                }
            }
        }
        called.append(&mut votes.counted());
        called.sort_unstable();
        Ok(called)
    }

    /// Adds to `called` each page whose matching votes (pairs of anchor text and linking host) are
    /// all in one document of `index`. The votes of one document are distinct, so they are counted
    /// without a comparison. `index` has anchor texts that a compaction collected by link target.
    fn count_alone(
        &self,
        searcher: &Searcher,
        index: &FoldedIndex,
        places: &VotePlaces,
        called: &mut Vec<CalledPage>,
    ) -> tantivy::Result<()> {
        let Some(sought) = self.sought_in(index) else {
            return Ok(());
        };
        let pages = self.anchors.pages(searcher);
        let single = &places.single[0];
        for (at, (reader, segment)) in index.segments().enumerate() {
            let all = 0..reader.max_doc();
            let mut single = single[at].iter().peekable();
            sought.each(reader, &[all], |document, names| {
                while single.next_if(|range| range.end <= document).is_some() {}
                let is_single = single.peek().is_some_and(|range| range.contains(&document));
                if !is_single && let Some(page) = places.page_of(pages, (at, segment), document) {
                    called.push((page, capped(names.count())));
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Returns the words of the query for a search in `index`, which has anchor texts by link
    /// target. Each field of the page index is replaced by its counterpart in `index`. Returns None
    /// if a field has no counterpart.
    fn sought_in(&self, index: &FoldedIndex) -> Option<AnchorTerms> {
        let fields = self.anchors.fields();
        self.sought.in_fields(|field| index.field(field, fields))
    }

    /// Returns the matching anchor texts of links to some pages. `ids` are the hashes of these
    /// pages' URLs. For each hash, the map has the texts of at most `most` votes (pairs of anchor
    /// text and linking host). A text is a string with all its words, in the format of the module
    /// `packed`. Texts that may not be shown are left out.
    pub(crate) fn matching_texts(
        &self,
        searcher: &Searcher,
        ids: &[u64],
        most: usize,
    ) -> tantivy::Result<HashMap<u64, Vec<String>>> {
        let mut votes = TextPlaces {
            votes: ids.iter().map(|id| (*id, BTreeMap::new())).collect(),
            most,
        };
        let unshown = self.unshown(searcher)?;
        self.each_unfolded(searcher, |at, number, target, vote| {
            if !unshown.contains(&at) {
                votes.add(target, vote, TextPlace::Later(at, number));
            }
            Ok(())
        })?;
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        for index in self.anchors.folded().indexes() {
            let places = super::join::documents_of(Some(index), &sorted);
            self.each_folded(
                searcher,
                index,
                |number| places[number].as_slice(),
                |number, segment, document, name, vote| {
                    let place = TextPlace::Folded(index, number as u32, document, name);
                    votes.add(segment.target(document), vote, place);
                    Ok(())
                },
            )?;
        }
        let stores = Stores::open(searcher)?;
        let mut names = HashMap::new();
        for (id, votes) in votes.votes {
            let mut distinct = BTreeSet::new();
            for place in votes.into_values() {
                let name = match place {
                    TextPlace::Later(at, number) => {
                        let called =
                            text(&stores.document(at)?, self.anchors.fields().shown_anchor);
                        each_anchor_text(&called).nth(number).map(str::to_owned)
                    }
                    TextPlace::Folded(index, segment, document, number) => {
                        let (texts, _) = index.texts(segment, document)?;
                        texts.into_iter().nth(number)
                    }
                };
                distinct.extend(name);
            }
            names.insert(id, distinct.into_iter().collect());
        }
        Ok(names)
    }

    /// Returns the addresses of the documents whose anchor texts may not be shown.
    fn unshown(&self, searcher: &Searcher) -> tantivy::Result<HashSet<DocAddress>> {
        let mut unshown = HashSet::new();
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let kind = self.anchors.fields().kind_of(DocumentKind::Unshown);
            each(segment, &kind, |document| {
                _ = unshown.insert(DocAddress::new(ordinal, document));
            })?;
        }
        Ok(unshown)
    }

    /// Calls `take` for each matching anchor text that no compaction has collected by link target.
    /// Such a text was added after the last compaction, or is never collected because it may be
    /// searched but not shown. The arguments of `take` are:
    /// - The address of the text's document.
    /// - The position of the text among the document's anchor texts.
    /// - The hash of the link target's URL.
    /// - The text's vote (a hash of the text and the linking host).
    fn each_unfolded(
        &self,
        searcher: &Searcher,
        mut take: impl FnMut(DocAddress, usize, u64, u64) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        for (ordinal, segment) in (0..).zip(searcher.segment_readers()) {
            let Some(columns) = AnchorColumns::open(segment) else {
                continue;
            };
            let all = 0..segment.max_doc();
            self.sought.each(segment, &[all], |document, names| {
                if segment.is_deleted(document) || columns.has_expired(document, self.now) {
                    return Ok(());
                }
                let at = DocAddress::new(ordinal, document);
                for (number, target, vote) in columns.names(document, names.numbers()) {
                    take(at, number, target, vote)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Calls `take` for each matching anchor text in `index` that is still valid. The function
    /// `within` returns the documents to search in a segment, in ascending order. Its argument is
    /// the number of the segment. The arguments of `take` are:
    /// - The number and the columns of a segment.
    /// - A document in the segment.
    /// - The position of the text among the document's anchor texts.
    /// - The text's vote (a hash of the text and the linking host).
    fn each_folded<'a, 'b>(
        &self,
        searcher: &Searcher,
        index: &'a FoldedIndex,
        within: impl Fn(usize) -> &'b [Range<DocId>],
        mut take: impl FnMut(usize, &FoldedSegment, DocId, usize, u64) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let Some(sought) = self.sought_in(index) else {
            return Ok(());
        };
        let superseded = self.anchors.superseded(searcher)?;
        for (ordinal, (reader, segment)) in index.segments().enumerate() {
            sought.each(reader, within(ordinal), |document, names| {
                if has_expired(segment.expires(document), self.now) {
                    return Ok(());
                }
                let mut numbers = names.numbers().iter().copied().peekable();
                for (number, (vote, sources)) in segment.sources(document).enumerate() {
                    if numbers.next_if_eq(&number).is_none() {
                        continue;
                    }
                    if sources.iter().any(|source| !superseded.contains(source)) {
                        take(ordinal, segment, document, number, vote)?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// Location of an anchor text. It has the text's document, and the position of the text among the
/// document's anchor texts. `Folded` is for a text that a compaction collected by link target.
/// `Later` is for any other text.
enum TextPlace<'a> {
    Later(DocAddress, usize),
    Folded(&'a FoldedIndex, u32, DocId, usize),
}

/// Locations of anchor texts, grouped by link target and keyed by vote (hash of anchor text and
/// linking host). A link target is the hash of a URL.
struct TextPlaces<'a> {
    votes: HashMap<u64, BTreeMap<u64, TextPlace<'a>>>,
    /// Maximum number of votes that are kept for each link target. A vote is a hash of anchor text
    /// and linking host.
    most: usize,
}

impl<'a> TextPlaces<'a> {
    fn add(&mut self, target: u64, vote: u64, place: TextPlace<'a>) {
        if let Some(votes) = self.votes.get_mut(&target) {
            votes.insert(vote, place);
            if votes.len() > self.most {
                votes.pop_last();
            }
        }
    }
}

/// Collector of votes (hashes of anchor text and linking host) for pages. Equal votes for a page
/// count once.
#[derive(Default)]
struct Votes {
    votes: Vec<(u32, u64)>,
    room: usize,
}

impl Votes {
    fn add(&mut self, page: u32, vote: u64) {
        self.votes.push((page, vote));
        if self.votes.len() >= self.room.max(ROOM) {
            self.votes.sort_unstable();
            self.votes.dedup();
            self.room = self.votes.len() * 2;
        }
    }

    /// Returns each page with the number of its votes, at most [`MOST_VOTES`].
    fn counted(mut self) -> Vec<CalledPage> {
        self.votes.sort_unstable();
        self.votes.dedup();
        let of_pages = self.votes.chunk_by(|one, other| one.0 == other.0);
        of_pages
            .map(|votes| (votes[0].0, capped(votes.len())))
            .collect()
    }
}

fn capped(votes: usize) -> u32 {
    u32::try_from(votes).unwrap_or(u32::MAX).min(MOST_VOTES)
}

impl AnchorQuery {
    /// Finds the pages that have matching anchor texts. Also computes how rare these pages are in
    /// the index. The rarity is a factor of each page's score.
    pub(super) fn weigh(&self, scoring: EnableScoring<'_>) -> tantivy::Result<AnchorWeight> {
        let Some(searcher) = scoring.searcher() else {
            return Err(TantivyError::InvalidArgument("no searcher".to_owned()));
        };
        let pages = self.tally(searcher)?;
        let called = (pages.len() as u64).min(self.pages);
        let rarity = (1.0 + ((self.pages - called) as Score + 0.5) / (called as Score + 0.5)).ln();
        let mut of_segments: HashMap<_, Vec<(DocId, u32)>> = HashMap::new();
        for (page, votes) in pages {
            let DocAddress {
                segment_ord,
                doc_id,
            } = self.anchors.pages(searcher).address(page);
            let segment = searcher.segment_reader(segment_ord).segment_id();
            let of_segment = of_segments.entry(segment).or_default();
            of_segment.push((doc_id, votes));
        }
        Ok(AnchorWeight {
            pages: of_segments,
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
    /// Pages with matching anchor texts, by segment. Each page has its document number and its
    /// number of votes (pairs of anchor text and linking host). The pages of a segment are in
    /// ascending order of document numbers.
    pages: HashMap<SegmentId, Vec<(DocId, u32)>>,
    rarity: Score,
}

impl AnchorWeight {
    /// Returns a scorer for the pages of a segment that have matching anchor texts.
    pub(super) fn open(&self, segment: &SegmentReader, boost: Score) -> AnchorScorer {
        let pages = self.pages.get(&segment.segment_id());
        AnchorScorer {
            pages: pages.cloned().unwrap_or_default(),
            at: 0,
            worth: boost * self.rarity,
        }
    }
}

impl Weight for AnchorWeight {
    fn scorer(&self, segment: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        let scorer = self.open(segment, boost);
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
    /// Returns an upper bound of the scores of all pages, for any number of votes (pairs of anchor
    /// text and linking host).
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
