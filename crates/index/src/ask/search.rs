//! Answers queries and lookups from one commit of an index.
//!
//! A search shows one commit of the index, even if a writer commits meanwhile. It shows only text
//! that the index stored as showable.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, EnableScoring, Occur, Query as TantivyQuery,
    TermSetQuery, Weight,
};
use tantivy::schema::{Field, Term, Value};
use tantivy::{DocAddress, Score, Searcher, Segment, TantivyDocument};

use crate::folded::Folded;
use crate::forms::{FormMaker, Language, Languages};
use crate::open::{Commit, Index, IndexContext};
use crate::packed::unpack;
use crate::payload::Payload;
use crate::schema::column;
use crate::statistics::{SpokenLanguages, Statistics, each, score_of};
use crate::store::Snapshots;
use crate::stored::Stores;
use crate::time::clock;
use crate::trouble::catch_panics;
use heedful::internals::page::beginning;
use heedful::{Use, Uses};
use heedful_base::error::Result;

use super::best::{Best, Candidate};
use super::join::AnchorTexts;
use super::marks::Marks;
use super::query::{Plan, Planner, Query};
use super::required::{FoundPages, RequiredWords};

/// Maximum characters of a hit's excerpt. A page may set a lower maximum.
const SNIPPET: usize = 200;
/// Maximum number of anchor texts that the explanation of a page's score names.
const MOST_ANCHOR_TEXTS: usize = 5;
/// Maximum number of form makers that a [`Search`] keeps for later queries. A form maker computes
/// the forms of words. It remembers some thousand words with their forms.
const MOST_MAKERS: usize = 8;
/// Maximum number of attempts to open a commit for searching. An attempt fails if another commit
/// replaces the files in the meantime.
const TRIES: usize = 20;
/// Pause between two attempts to open a commit.
const PAUSE: Duration = Duration::from_millis(10);

impl Index {
    /// Opens the last commit of the index for searching.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::Index;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
    /// writer.commit()?;
    /// assert_eq!(index.search()?.urls()?, ["https://example.com/"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn search(&self) -> Result<Search> {
        catch_panics(&self.folder, || Search::new(self))
    }
}

/// A view of an index at one commit: the last commit when the view was opened. Later commits do not
/// change the view.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Index, Query};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let before = index.search()?;
///
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/", &[], b"<p>Rye")?)?;
/// writer.commit()?;
/// assert_eq!(before.find(&Query::new("rye"))?.total(), 0);
/// assert!(!before.is_current()?); // so search again
/// assert_eq!(index.search()?.find(&Query::new("rye"))?.total(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Search {
    pub(crate) index: Index,
    pub(crate) searcher: Searcher,
    pub(crate) payload: Payload,
    pub(crate) snapshots: Snapshots,
    pub(crate) anchors: AnchorTexts,
    pub(crate) statistics: Statistics,
    stores: Arc<Stores>,
    makers: Arc<FormMakers>,
    /// Languages of the documents in this view.
    spoken: Languages,
    /// Identity of the index's last commit at the time when this view began to open. If another
    /// commit was made before the view was open, the view may show that later commit instead.
    commit: Commit,
}

/// Idle form makers, kept for later queries. A form maker computes other forms of words, such as
/// stems. It remembers the forms of the words in earlier queries and excerpts.
#[derive(Default)]
struct FormMakers(Mutex<Vec<FormMaker>>);

impl FormMakers {
    fn take(&self) -> FormMaker {
        let mut makers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        makers.pop().unwrap_or_default()
    }

    fn give_back(&self, maker: FormMaker) {
        let mut makers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if makers.len() < MOST_MAKERS {
            makers.push(maker);
        }
    }
}

/// Result of a query: the requested hits, and the number of all matching pages.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Index, Query};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// for number in 0..30 {
///     writer.add(&filter.page(&format!("https://example.com/{number}"), &[], b"<p>Rye")?)?;
/// }
/// writer.commit()?;
///
/// let found = index.search()?.find(&Query::new("rye").most(5))?;
/// assert_eq!((found.total(), found.hits().len()), (30, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Found {
    total: u64,
    is_total_exact: bool,
    hits: Vec<Hit>,
    note: Option<String>,
}

impl Found {
    /// Number of matching pages, including pages that are not among the hits. If
    /// [`Found::is_total_exact`] is false, more pages may match.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// True if all matching pages were counted. False only if [`Query::at_least`] was set, and
    /// counting stopped there.
    pub fn is_total_exact(&self) -> bool {
        self.is_total_exact
    }

    /// Hits that the query requested, the best first.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// Message if the limit `query_expansions` was reached. Words with a star or a tilde then stand
    /// for fewer words than the index has. None if the limit was not reached.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Limits};
    /// use heedful_index::{Index, Query};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<p>rye ryegrass")?)?;
    /// writer.commit()?;
    /// let search = index.search()?;
    /// assert_eq!(search.find(&Query::new("ry*"))?.note(), None);
    /// let few = Query::new("ry*").limits(Limits::default().query_expansions(1));
    /// assert!(search.find(&few)?.note().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

/// A page that matches a query.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Index, Query};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// let html = b"<html lang=en><title>Bread</title><p>Dark rye <span data-nosnippet>12 EUR</span>";
/// writer.add(&filter.page("https://example.com/", &[], html)?)?;
/// writer.commit()?;
///
/// let found = index.search()?.find(&Query::new("rye"))?;
/// let hit = &found.hits()[0];
/// assert_eq!((hit.url(), hit.title()), ("https://example.com/", "Bread"));
/// assert_eq!((hit.language(), hit.canonical()), (Some("en"), None));
/// assert!(!hit.excerpt().contains("EUR")); // may be found, but not shown
/// assert_eq!(&hit.excerpt()[hit.highlights()[0].clone()], "rye");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, serde::Serialize)]
pub struct Hit {
    url: String,
    title: String,
    score: f32,
    excerpt: String,
    canonical: Option<String>,
    language: Option<String>,
    #[serde(skip)]
    highlights: Vec<Range<usize>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<WordScore>,
}

impl Hit {
    /// URL of the page that matches the query.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The part of the page's title that the page allows to show.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Score of the page for the query, rounded to four digits.
    pub fn score(&self) -> f32 {
        self.score
    }

    /// Part of the page's text that may be shown. Empty if no text may be shown.
    pub fn excerpt(&self) -> &str {
        &self.excerpt
    }

    /// Canonical URL that the page declares. None if it declares none.
    pub fn canonical(&self) -> Option<&str> {
        self.canonical.as_deref()
    }

    /// Language that the page declares, without normalization. None if it declares none.
    pub fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }

    /// Byte ranges of the query's words in the excerpt.
    pub fn highlights(&self) -> &[Range<usize>] {
        &self.highlights
    }

    /// Contributions of the query's words to the score. Empty unless [`Query::explained`] was set.
    pub fn parts(&self) -> &[WordScore] {
        &self.parts
    }
}

/// Contribution of one word of a query, in one field, to a hit's score.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Index, Query};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// writer.add(&filter.page("https://example.com/rye", &[], b"<title>Bread</title>")?)?;
/// let html = b"<a href=https://example.com/rye>Dark bread</a>";
/// writer.add(&filter.page("https://other.example/", &[], html)?)?;
/// writer.commit()?;
///
/// let found = index.search()?.find(&Query::new("dark").explained())?;
/// let hit = found.hits().iter().find(|hit| hit.url() == "https://example.com/rye").unwrap();
/// let part = &hit.parts()[0]; // the page itself does not say "dark"
/// assert_eq!((part.word(), part.field()), ("dark", "anchor"));
/// assert_eq!(part.anchor_texts(), ["dark bread"]);
/// assert!((part.score() - hit.score()).abs() < 0.001); // no other word adds to it
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, serde::Serialize)]
pub struct WordScore {
    word: String,
    field: &'static str,
    score: f32,
    #[serde(rename = "names", skip_serializing_if = "Vec::is_empty")]
    anchor_texts: Vec<String>,
}

impl WordScore {
    /// The word or phrase of the query that makes this contribution.
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Field in which the word was found. `anchor` means the anchor texts of links to the page.
    pub fn field(&self) -> &str {
        self.field
    }

    /// Amount that the word adds to the score of the hit.
    pub fn score(&self) -> f32 {
        self.score
    }

    /// Up to five anchor texts of links to the page that contain the word. Empty if the word's
    /// field is not `anchor`.
    pub fn anchor_texts(&self) -> &[String] {
        &self.anchor_texts
    }
}

/// The data of one commit, opened for reading.
struct Opened {
    commit: Commit,
    searcher: Searcher,
    payload: Payload,
    snapshots: Snapshots,
    folded: Folded,
}

impl Search {
    /// Opens a view of the index's last commit. If another commit is made in the meantime, the view
    /// is opened again. So segments and snapshots belong to the same commit.
    pub(crate) fn new(index: &Index) -> Result<Self> {
        let mut tries = 0;
        loop {
            tries += 1;
            let commit = index.current_commit()?;
            let payload = index.payload()?;
            let searcher = index.searcher();
            let opened = index.store.open(&payload.snapshots);
            let folded = index.folded.open(&payload.folded);
            let is_one = index.payload()? == payload;
            let last = tries == TRIES;
            match (searcher, opened, folded) {
                (Ok(searcher), Ok(snapshots), Ok(folded)) if is_one || last => {
                    let opened = Opened {
                        commit,
                        searcher,
                        payload,
                        snapshots,
                        folded,
                    };
                    return Self::from_parts(index, opened);
                }
                (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) if last => {
                    return Err(error);
                }
                (Err(_), ..) | (_, Err(_), _) | (.., Err(_)) => thread::sleep(PAUSE),
                _ => {}
            }
        }
    }

    fn from_parts(index: &Index, opened: Opened) -> Result<Self> {
        let Opened {
            commit,
            searcher,
            payload,
            snapshots,
            folded,
        } = opened;
        let statistics = Statistics::new(&searcher, &index.fields, payload.totals);
        let stores = Stores::open(&searcher).in_index(index)?;
        let mut spoken = SpokenLanguages::of_all(&searcher, index.fields.spoken).in_index(index)?;
        for folded in folded.indexes() {
            spoken = spoken.union(folded.languages().in_index(index)?);
        }
        Ok(Self {
            index: index.clone(),
            searcher,
            anchors: AnchorTexts::new(
                index.fields,
                payload.generation,
                folded,
                Arc::clone(&index.tables),
            ),
            payload,
            snapshots,
            statistics,
            stores: Arc::new(stores),
            makers: Arc::default(),
            spoken,
            commit,
        })
    }

    /// True if the index has a page at the URL with this hash.
    pub(crate) fn has_page(&self, id: u64) -> bool {
        self.anchors.pages(&self.searcher).find(id).is_some()
    }

    /// True if this view shows the index's last commit. Otherwise the view may still find pages
    /// that later commits removed. [`Index::search`] opens a view of the last commit.
    ///
    /// # Errors
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    pub fn is_current(&self) -> Result<bool> {
        catch_panics(&self.index.folder, || {
            Ok(self.index.current_commit()? == self.commit)
        })
    }

    /// Searches for the pages that match a query. Returns the best of them, and the number of all
    /// matching pages.
    ///
    /// # Errors
    /// [`ErrorKind::Query`](heedful::ErrorKind::Query) if the query is malformed.
    /// [`ErrorKind::Limit`](heedful::ErrorKind::Limit) if the query exceeds a limit.
    /// [`ErrorKind::Index`](heedful::ErrorKind::Index) if the index is damaged.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Index, Query};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// writer.add(&filter.page("https://example.com/", &[], b"<title>Rye</title><p>Dark bread")?)?;
    /// writer.commit()?;
    ///
    /// let search = index.search()?;
    /// assert_eq!(search.find(&Query::new("title:rye \"dark bread\""))?.total(), 1);
    /// assert_eq!(search.find(&Query::new("rye -bread"))?.total(), 0);
    /// assert!(search.find(&Query::new("\"dark")).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(&self, query: &Query) -> Result<Found> {
        catch_panics(&self.index.folder, || self.answer(query))
    }

    fn answer(&self, query: &Query) -> Result<Found> {
        let pages = self.statistics.pages();
        let planner = Planner {
            index: &self.index,
            searcher: &self.searcher,
            anchors: &self.anchors,
            pages,
            now: query.now,
            limits: &query.limits,
            forms: self.payload.analysis.forms(),
            spoken: self.spoken,
            maker: RefCell::new(self.makers.take()),
            known: RefCell::default(),
            expansions: Cell::new(0),
            is_cut: Cell::new(false),
        };
        let plan = planner.plan(&query.text)?;
        let asked = plan.query(&*planner.all());
        let mut filters = query.filters.clauses(&self.index.fields)?;
        filters.extend(self.unexpired(query.now));
        filters.extend(self.allowed(query.needs).in_index(&self.index)?);
        let pages = usize::try_from(pages).unwrap_or(usize::MAX);
        let most = query.skip.saturating_add(query.most).min(pages);
        let pages = match plan.required_words() {
            Some(words) => {
                let words = RequiredWords {
                    searcher: &self.searcher,
                    statistics: &self.statistics,
                    words: &words,
                    filters: &filters,
                    most,
                    at_least: query.at_least,
                };
                words.find()
            }
            None => self.best(asked.box_clone(), filters, most),
        };
        let pages = pages.in_index(&self.index)?;
        let maker = planner.maker.take();
        let mut marks = self.marks(&plan, &*asked, maker).in_index(&self.index)?;
        let wanted = pages.best.get(query.skip..).unwrap_or_default();
        let mut hits = Vec::with_capacity(wanted.len());
        for candidate in wanted {
            hits.push(self.hit(candidate, &mut marks, query.needs)?);
        }
        self.makers.give_back(marks.into_maker());
        if query.explained {
            self.explain(&plan, wanted, &mut hits)
                .in_index(&self.index)?;
        }
        let note = planner.is_cut.get().then(|| {
            let most = query.limits.query_expansions;
            format!(
                "words with a star or a tilde stand for more than {most} words here \
                 (query_expansions), and some of them were left out: write more of the word"
            )
        });
        Ok(Found {
            total: pages.total,
            is_total_exact: pages.is_total_exact,
            hits,
            note,
        })
    }

    /// Finds the `most` best pages for a query of any kind. Computes the score of every matching
    /// page.
    fn best(
        &self,
        query: Box<dyn TantivyQuery>,
        mut filters: Vec<(Occur, Box<dyn TantivyQuery>)>,
        most: usize,
    ) -> tantivy::Result<FoundPages> {
        filters.insert(0, (Occur::Must, query));
        let filtered = BooleanQuery::new(filters);
        let (total, best) = self.searcher.search_with_statistics_provider(
            &filtered,
            &Best { most },
            &self.statistics,
        )?;
        Ok(FoundPages {
            total,
            is_total_exact: true,
            best,
        })
    }

    /// Returns the words that excerpts highlight for a query. Each word has a weight by which
    /// excerpts are chosen. The weights come from this index's own statistics. tantivy's statistics
    /// count deleted pages until a merge.
    fn marks(
        &self,
        plan: &Plan,
        asked: &dyn TantivyQuery,
        maker: FormMaker,
    ) -> tantivy::Result<Marks> {
        let body = self.index.fields.body;
        let mut terms = BTreeSet::new();
        asked.query_terms(&mut |term, _| {
            if term.field() == body {
                terms.insert(term.clone());
            }
        });
        let mut marks = Marks::new(self.payload.analysis.forms(), maker);
        for term in terms {
            let pages = self.statistics.doc_freq(&term)?;
            if let Some(word) = term.value().as_str() {
                marks.add_word(word, pages);
            }
        }
        for (leaf, _) in plan.leaves(1.0) {
            for mark in leaf.parts.iter().flat_map(|part| &part.marks) {
                marks.add_form(mark);
            }
        }
        Ok(marks)
    }

    /// Returns a filter that leaves out the pages that have expired at `now`. Returns None if no
    /// page can have expired.
    fn unexpired(&self, now: Option<SystemTime>) -> Option<(Occur, Box<dyn TantivyQuery>)> {
        let now = now.filter(|now| self.may_have_expired(*now))?;
        Some((Occur::MustNot, Box::new(self.index.fields.expired(now))))
    }

    /// True if a document of the index may have expired at `now`. Otherwise a query needs no filter
    /// for expired pages.
    fn may_have_expired(&self, now: SystemTime) -> bool {
        let now = clock(now);
        let mut segments = self.searcher.segment_readers().iter();
        segments.any(|segment| match segment.fast_fields().i64(column::EXPIRES) {
            Ok(expires) => expires.values.num_vals() > 0 && expires.min_value() < now,
            Err(_) => true,
        })
    }

    /// Returns filters that leave out the pages that may not be used for all of `needs`. A use may
    /// be denied by the page itself, or by a later statement about its URL.
    fn allowed(&self, needs: Uses) -> tantivy::Result<Vec<(Occur, Box<dyn TantivyQuery>)>> {
        let mut parts: Vec<(Occur, Box<dyn TantivyQuery>)> = Vec::new();
        if needs.is_empty() {
            return Ok(parts);
        }
        let fields = &self.index.fields;
        let mut denied_later = BTreeSet::new();
        for usage in needs.iter() {
            let withheld = fields.withheld_from(usage);
            for segment in self.searcher.segment_readers() {
                let targets = segment.fast_fields().u64(column::TARGET)?;
                each(segment, &withheld, |document| {
                    denied_later.extend(targets.first(document));
                })?;
            }
            // A term set adds no score. With scores the term could have more documents than there
            // are pages, since a later statement has the term too.
            parts.push((Occur::MustNot, Box::new(TermSetQuery::new([withheld]))));
        }
        let denied_later = TermSetQuery::new(
            denied_later
                .into_iter()
                .map(|id| Term::from_field_u64(fields.id, id)),
        );
        parts.push((Occur::MustNot, Box::new(denied_later)));
        Ok(parts)
    }

    fn hit(&self, candidate: &Candidate, marks: &mut Marks, needs: Uses) -> Result<Hit> {
        let fields = &self.index.fields;
        let document = self.document(candidate.address)?;
        let mut shown = field_text(&document, fields.excerpt);
        let mut title = field_text(&document, fields.shown_title);
        if needs.contains(Use::Input) {
            // The text for a model is stored only if it differs from the shown text.
            if document.get_first(fields.input).is_some() {
                shown = field_text(&document, fields.input);
            }
            if document.get_first(fields.input_title).is_some() {
                title = field_text(&document, fields.input_title);
            }
        }
        let language = field_text(&document, fields.language);
        let spoken = Language::from_tag(language);
        let chosen = marks.excerpt(shown, spoken, SNIPPET).unwrap_or_default();
        let mut excerpt = shown.get(chosen.range.clone()).unwrap_or_default();
        let mut highlights = chosen.marked;
        for range in &mut highlights {
            *range = range.start - chosen.range.start..range.end - chosen.range.start;
        }
        if highlights.is_empty() {
            excerpt = beginning(shown, SNIPPET);
        }
        if let Some(most) = document.get_first(fields.max_snippet)
            && let Some(most) = most.as_u64()
        {
            excerpt = beginning(excerpt, usize::try_from(most).unwrap_or(usize::MAX));
        }
        highlights.retain(|range| range.end <= excerpt.len());
        let canonical = field_text(&document, fields.canonical);
        Ok(Hit {
            url: field_text(&document, fields.url).to_owned(),
            title: title.to_owned(),
            score: candidate.score(),
            excerpt: excerpt.to_owned(),
            canonical: (!canonical.is_empty()).then(|| canonical.to_owned()),
            language: (!language.is_empty()).then(|| language.to_owned()),
            highlights,
            parts: Vec::new(),
        })
    }

    /// Adds to each of `hits` the contribution of each word of the query to the hit's score.
    /// `found` has the pages of the hits in the same order.
    fn explain(&self, plan: &Plan, found: &[Candidate], hits: &mut [Hit]) -> tantivy::Result<()> {
        let ids: Vec<_> = found.iter().map(Candidate::id).collect();
        for (leaf, boost) in plan.leaves(1.0) {
            for part in &leaf.parts {
                let matching_texts = match &part.anchors {
                    Some(anchors) => {
                        anchors.matching_texts(&self.searcher, &ids, MOST_ANCHOR_TEXTS)?
                    }
                    None => HashMap::new(),
                };
                let scoring = EnableScoring::enabled_from_statistics_provider(
                    &self.statistics,
                    &self.searcher,
                );
                let weight = part.query.boxed().weight(scoring)?;
                let scores = self.scores(&*weight, found, boost)?;
                for ((found, hit), score) in found.iter().zip(&mut *hits).zip(scores) {
                    let Some(score) = score else {
                        continue;
                    };
                    let anchor_texts: &[String] = match matching_texts.get(&found.id()) {
                        Some(anchor_texts) => anchor_texts,
                        None => &[],
                    };
                    hit.parts.push(WordScore {
                        word: leaf.text.clone(),
                        field: part.field,
                        score,
                        anchor_texts: anchor_texts.iter().map(|name| unpack(name)).collect(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the score of each page in `found` for the query of `weight`, multiplied by `boost`.
    /// The score is None if the query does not match the page.
    fn scores(
        &self,
        weight: &dyn Weight,
        found: &[Candidate],
        boost: Score,
    ) -> tantivy::Result<Vec<Option<Score>>> {
        let mut scores = vec![None; found.len()];
        let mut order: Vec<_> = found.iter().map(|found| found.address).zip(0..).collect();
        order.sort_unstable();
        for pages in order.chunk_by(|a, b| a.0.segment_ord == b.0.segment_ord) {
            let mut scorer =
                weight.scorer(self.searcher.segment_reader(pages[0].0.segment_ord), boost)?;
            for (page, place) in pages {
                scores[*place] = score_of(&mut *scorer, page.doc_id);
            }
        }
        Ok(scores)
    }

    /// Returns the segments of this view's commit, for a merge of several indexes.
    pub(crate) fn segments(&self) -> Result<Vec<Segment>> {
        let mut segments = self
            .index
            .tantivy
            .searchable_segments()
            .in_index(&self.index)?;
        let mut found = Vec::new();
        for reader in self.searcher.segment_readers() {
            let place = segments.iter().position(|segment| {
                segment.id() == reader.segment_id()
                    && segment.meta().delete_opstamp() == reader.delete_opstamp()
            });
            match place {
                Some(place) => found.push(segments.swap_remove(place)),
                None => return Err(self.index.trouble(&"another program is writing to it")),
            }
        }
        Ok(found)
    }

    pub(crate) fn document(&self, address: DocAddress) -> Result<TantivyDocument> {
        self.stores.document(address).in_index(&self.index)
    }
}

/// Returns the first text of a document's field. Returns an empty text if the field has no text.
fn field_text(document: &TantivyDocument, field: Field) -> &str {
    document
        .get_first(field)
        .and_then(|value| value.as_str())
        .unwrap_or_default()
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}
