//! Converts a query's text into a tantivy query over pages and anchor texts.
//!
//! The syntax of a query is tantivy's. A word or phrase without a field is searched in all fields
//! of a page, and in the anchor texts of links to the page. One matching field suffices for each
//! word. So `dark rye` finds a page that contains *dark*, if a link to the page has the anchor text
//! *rye*. A word without quotes is searched in its other forms too (`forms`), and a word with a
//! star or a tilde stands for words of the index. `site:` takes a host and matches its subdomains
//! too. A query that exceeds a limit or is malformed is an error. No part of a malformed query is
//! searched.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::rc::Rc;
use std::time::SystemTime;

use tantivy::query::{
    BooleanQuery, BoostQuery, EmptyQuery, FuzzyTermQuery, Occur, Query as TantivyQuery,
    QueryParser, TermQuery,
};
use tantivy::query_grammar::{UserInputAst, UserInputBound, UserInputLeaf, UserInputLiteral};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{Score, Searcher, SegmentReader};

use crate::forms::{FormMaker, Forms, Languages, Sought, sought};
use crate::open::{Index, IndexContext};
use crate::schema::{ANCHOR, DocumentKind, SearchedField};
use crate::statistics::count_in;
use crate::time::clock;
use heedful::{Uses, words};
use heedful_base::address::Key;
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, MOST_DEPTH, size};

use super::anchors::AnchorQuery;
use super::filters::{self, QueryFilters};
use super::join::AnchorTexts;
use super::near::NearQuery;
use super::slot::{Slot, SlotTerm};
use super::sought::{AnchorTerms, WordRange};
use super::syntax::{self, Written, query_error};
use super::word::{EXACT_SHARE, FieldWord, WordQuery};

/// Maximum slop of a phrase in a query. [`PHRASE_GAP`](heedful::PHRASE_GAP) is greater, so no match
/// crosses from one phrase of a page into the next. tantivy adds up slop in a byte, so no greater
/// value is possible.
const MOST_SLOP: u32 = 255;

/// Field names that the text of a query may contain.
const FIELDS: [&str; 9] = [
    "title",
    "headings",
    "description",
    "body",
    "alt",
    "navigation",
    ANCHOR,
    "site",
    "url",
];

/// A query to an index: its text, and settings of the search.
///
/// # Scores
/// The score of a page is the sum of BM25 scores over the query's words and fields. Each field has
/// a weight:
/// - 2.0 for the title.
/// - 1.5 for headings, and for anchor texts of links to the page.
/// - 1.0 for the description and the body.
/// - 0.5 for alternative texts of images.
/// - 0.1 for text in navigation.
///
/// Document frequencies and lengths are those of the current pages. Deleted pages do not count.
/// `site:`, `url:` and excluded words add nothing.
///
/// A word without quotes also matches its other forms ([`Forms`](crate::Forms)). Half of the word's
/// score comes from the exact word alone. The other half counts all forms as one word. If a word
/// has a star or a tilde, the other half counts all matching words as one word.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter, Uses};
/// use heedful_index::{Index, Query};
///
/// let folder = tempfile::tempdir()?;
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let index = Index::create(folder.path(), &filter)?;
/// let mut writer = index.writer(1)?;
/// let html = b"<title>Rye</title><p>Dark and moist bread";
/// writer.add(&filter.page("https://example.com/", &[], html)?)?;
/// writer.commit()?;
///
/// let input = Uses::parse_names("input")?;
/// let query = Query::new("title:rye \"dark bread\"~2 -plum").most(20).need(input);
/// assert_eq!(index.search()?.find(&query)?.total(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Query {
    pub(super) text: String,
    pub(super) most: usize,
    pub(super) skip: usize,
    pub(super) now: Option<SystemTime>,
    pub(super) explained: bool,
    /// Number of matching pages after which counting may stop. None if all matching pages are
    /// counted.
    pub(super) at_least: Option<u64>,
    pub(super) needs: Uses,
    pub(super) filters: QueryFilters,
    pub(super) limits: Limits,
}

impl Query {
    /// Creates a query from its text. The text may contain:
    /// - `rye bread`: both words must match, exactly or in another form.
    /// - `"rye bread"`: the phrase must match. Quoted words match only exactly, even a single word.
    /// - `"rye bread"~3`: the phrase must match with a slop of 3.
    /// - `"rye bre"*`: the phrase must match, and its last word is a prefix.
    /// - `pref*`: a word that begins with `pref` must match. A prefix needs at least 2 characters.
    /// - `word~1`: a word at one edit from `word` must match. `word` needs at least 4 characters.
    /// - `-without`: the page must not have the word `without`.
    /// - `one OR other`: one of the two words must match.
    /// - `title:word`: the title must have the word. Other fields are `headings`, `description`,
    ///   `body`, `alt`, `navigation`, `anchor` and `url`.
    /// - `site:host`: the page must be on the host or a subdomain.
    ///
    /// One edit adds, removes or replaces a character, or swaps two neighbours. An apostrophe
    /// between two letters or digits belongs to its word, as in `don't`.
    ///
    /// A slop above 255 is reduced to 255. The gap between two phrases of a page is larger
    /// ([`PHRASE_GAP`](heedful::PHRASE_GAP)). So no match crosses from one phrase into the next.
    ///
    /// [`Search::find`](super::Search::find) parses the text, and reports errors.
    /// [`Query::syntax_error`] reports a syntax error without a search.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            most: 10,
            skip: 0,
            now: None,
            explained: false,
            at_least: None,
            needs: Uses::NONE,
            filters: QueryFilters::default(),
            limits: Limits::default(),
        }
    }

    /// Sets the maximum number of hits. The default is 10.
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
    /// for url in ["https://example.com/a", "https://example.com/b"] {
    ///     writer.add(&filter.page(url, &[], b"<p>Rye")?)?;
    /// }
    /// writer.commit()?;
    /// let found = index.search()?.find(&Query::new("rye").most(1))?;
    /// assert_eq!((found.hits().len(), found.total()), (1, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn most(mut self, hits: usize) -> Self {
        self.most = hits;
        self
    }

    /// Leaves out the best `hits` hits, to get a later page of the result list.
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
    /// for number in 0..12 {
    ///     writer.add(&filter.page(&format!("https://example.com/{number}"), &[], b"<p>Rye")?)?;
    /// }
    /// writer.commit()?;
    /// let second = index.search()?.find(&Query::new("rye").most(10).skip(10))?;
    /// assert_eq!(second.hits().len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skip(mut self, hits: usize) -> Self {
        self.skip = hits;
        self
    }

    /// Lets the search stop counting once it has found this many matching pages. The hits stay the
    /// same, but a query with many matches is faster. [`Found::is_total_exact`](super::Found) says
    /// if all matching pages were counted. By default they are.
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
    /// let found = index.search()?.find(&Query::new("rye").at_least(20))?;
    /// assert!((20..=30).contains(&found.total()));
    /// let all = index.search()?.find(&Query::new("rye"))?;
    /// assert!(all.is_total_exact() && all.total() == 30);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at_least(mut self, pages: u64) -> Self {
        self.at_least = Some(pages);
        self
    }

    /// Sets the time at which the search runs. A page that has expired by then is not found, and
    /// its anchor texts are ignored. If no time is set, no page has expired.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Index, Query};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000); // 2023
    /// let filter = Filter::new(Bot::new("FooBot")?).now(then);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let html = b"<meta name=robots content='unavailable_after: 2024-01-01'><p>Rye";
    /// writer.add(&filter.page("https://example.com/", &[], html)?)?;
    /// writer.commit()?;
    ///
    /// let search = index.search()?;
    /// assert_eq!(search.find(&Query::new("rye").now(then))?.total(), 1);
    /// assert_eq!(search.find(&Query::new("rye").now(SystemTime::now()))?.total(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn now(mut self, now: SystemTime) -> Self {
        self.now = Some(now);
        self
    }

    /// Restricts the hits to pages that may be used for all of `uses`.
    ///
    /// A hit contains only text that may be shown. If [`Use::Input`](heedful::Use::Input) is
    /// needed, title and excerpt of a hit are text that may be given to a model. For `snippet` and
    /// `input`, an allowed part of a page suffices. Any other use must be allowed for all indexed
    /// parts of the page.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_index::{Index, Query};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let mut writer = index.writer(1)?;
    /// let html = b"<meta name=robots content=noai><p>Rye";
    /// writer.add(&filter.page("https://example.com/", &[], html)?)?;
    /// writer.commit()?;
    ///
    /// let search = index.search()?;
    /// assert_eq!(search.find(&Query::new("rye"))?.total(), 1);
    /// let to_train = Query::new("rye").need(Uses::parse_names("train")?);
    /// assert_eq!(search.find(&to_train)?.total(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn need(mut self, uses: Uses) -> Self {
        self.needs = uses;
        self
    }

    /// Restricts the hits to pages that declare this language. `tag` is a language tag of RFC 5646.
    /// Only its primary subtag is compared, so `de` and `de-AT` find the same pages. A page that
    /// declares no language is not found. Scores stay the same.
    ///
    /// [`Search::find`](super::Search::find) fails with
    /// [`ErrorKind::Query`](heedful::ErrorKind::Query) if `tag` begins with no language code.
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
    /// for (url, html) in [
    ///     ("https://example.com/a", "<html lang=de-AT><p>Roggen"),
    ///     ("https://example.com/b", "<html lang=nl><p>Roggen"),
    /// ] {
    ///     writer.add(&filter.page(url, &[], html.as_bytes())?)?;
    /// }
    /// writer.commit()?;
    /// let search = index.search()?;
    /// let found = search.find(&Query::new("roggen").language("de"))?;
    /// assert_eq!((found.total(), found.hits()[0].url()), (1, "https://example.com/a"));
    /// assert!(search.find(&Query::new("roggen").language("German")).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn language(mut self, tag: &str) -> Self {
        self.filters.language = Some(tag.to_owned());
        self
    }

    /// Restricts the hits to pages whose content was fetched at `since` or later, and before
    /// `until`. A bound that is None does not apply. If there is a bound, pages without a known
    /// time are not found. If a later fetch found the content unchanged, the page keeps its time.
    /// Scores stay the same.
    ///
    /// # Examples
    /// ```
    /// use std::time::{Duration, SystemTime};
    /// use heedful::{Bot, Filter};
    /// use heedful_index::{Index, Query};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let index = Index::create(folder.path(), &filter)?;
    /// let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000); // 2023
    /// let mut writer = index.writer(1)?;
    /// let page = filter.page("https://example.com/", &[], b"<p>Rye")?;
    /// writer.add_captured(&page, Some(then))?;
    /// writer.commit()?;
    ///
    /// let search = index.search()?;
    /// assert_eq!(search.find(&Query::new("rye").fetched(Some(then), None))?.total(), 1);
    /// assert_eq!(search.find(&Query::new("rye").fetched(None, Some(then)))?.total(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fetched(mut self, since: Option<SystemTime>, until: Option<SystemTime>) -> Self {
        self.filters.since = since;
        self.filters.until = until;
        self
    }

    /// Restricts the hits to pages of a host and its subdomains, as `site:` in the query's text
    /// does. Scores stay the same.
    ///
    /// [`Search::find`](super::Search::find) fails with
    /// [`ErrorKind::Query`](heedful::ErrorKind::Query) if `host` is no host.
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
    /// for url in ["https://www.example.com/", "https://example.org/"] {
    ///     writer.add(&filter.page(url, &[], b"<p>Rye")?)?;
    /// }
    /// writer.commit()?;
    /// let found = index.search()?.find(&Query::new("rye").site("example.com"))?;
    /// assert_eq!((found.total(), found.hits()[0].url()), (1, "https://www.example.com/"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn site(mut self, host: &str) -> Self {
        self.filters.site = Some(host.to_owned());
        self
    }

    /// Sets the limits for this query: `query_bytes`, `query_depth`, `query_words`, `query_endings`
    /// and `query_expansions`. They bound its cost.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Limits};
    /// use heedful_index::{Index, Query};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let index = Index::create(folder.path(), &Filter::new(Bot::new("FooBot")?))?;
    /// let query = Query::new("dark rye bread").limits(Limits::default().query_bytes(8));
    /// assert!(index.search()?.find(&query).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the byte offset at which the query's text is malformed, and the reason in words.
    /// Returns None if the text is well formed or exceeds a limit. Also returns None if the parser
    /// does not report an offset.
    ///
    /// # Examples
    /// ```
    /// use heedful_index::Query;
    ///
    /// let (at, reason) = Query::new("rye \"dark").syntax_error().unwrap();
    /// assert_eq!(reason, "a quote is not closed");
    /// assert!(at > 0);
    /// assert_eq!(Query::new("rye \"dark\"").syntax_error(), None);
    /// ```
    pub fn syntax_error(&self) -> Option<(usize, String)> {
        if !self.is_within() {
            return None;
        }
        let fault = syntax::tree(&self.text).err()?;
        Some((fault.at?, fault.reason))
    }

    /// Returns a note if a star or tilde in the query has no effect, as in `au*dio`. Returns None
    /// if all stars and tildes have an effect, or if the query is malformed.
    ///
    /// # Examples
    /// ```
    /// use heedful_index::Query;
    ///
    /// assert!(Query::new("au*dio").note().unwrap().contains("the star in `au*dio` has no effect"));
    /// assert_eq!(Query::new("audio* \"dark ry\"*").note(), None);
    /// ```
    pub fn note(&self) -> Option<String> {
        if self.is_within() {
            syntax::idle_sign(&self.text)
        } else {
            None
        }
    }

    /// True if the query's text does not exceed the limits on length and nesting. These limits
    /// apply before the text is parsed.
    fn is_within(&self) -> bool {
        let depth = syntax::depth(&self.text) as u64;
        self.text.len() as u64 <= self.limits.query_bytes
            && depth <= self.limits.query_depth.min(MOST_DEPTH)
    }

    /// Makes the search explain the score of each hit. [`Hit::parts`](super::Hit::parts) then tells
    /// how much each word of the query contributes in each field.
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
    /// writer.add(&filter.page("https://example.com/", &[], b"<title>Rye</title><p>Rye")?)?;
    /// writer.commit()?;
    /// let found = index.search()?.find(&Query::new("rye").explained())?;
    /// let fields: Vec<_> = found.hits()[0].parts().iter().map(|part| part.field()).collect();
    /// assert_eq!(fields, ["title", "body"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explained(mut self) -> Self {
        self.explained = true;
        self
    }
}

/// A parsed query, as a tree of clauses over words and phrases.
#[derive(Debug)]
pub(super) enum Plan {
    All(Vec<(Occur, Plan)>),
    Boosted(Box<Plan>, Score),
    Leaf(Leaf),
}

/// A word or phrase of a query. `parts` has one query for each field in which the word or phrase is
/// searched.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) text: String,
    pub(super) parts: Vec<QueryPart>,
}

#[derive(Debug)]
pub(super) struct QueryPart {
    pub(super) field: &'static str,
    pub(super) query: PartQuery,
    /// The query over anchor texts. None if this query part searches a field of the pages
    /// themselves.
    pub(super) anchors: Option<AnchorQuery>,
    /// Other forms of the query's words, which an excerpt marks like the words themselves.
    pub(super) marks: Vec<Mark>,
}

/// The query for a word or phrase in one field.
#[derive(Debug)]
pub(super) enum PartQuery {
    Word(WordQuery),
    /// A phrase, a range, or anything else that is not one word.
    Other(Box<dyn TantivyQuery>),
}

impl PartQuery {
    pub(super) fn boxed(&self) -> Box<dyn TantivyQuery> {
        match self {
            Self::Word(word) => Box::new(word.clone()),
            Self::Other(query) => query.box_clone(),
        }
    }
}

/// A form of a query word. An excerpt marks words that have this form.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) sought: Sought,
    /// Number of pages that contain the query word in any form.
    pub(super) pages: u64,
}

impl QueryPart {
    /// Creates a query part that searches a field of the pages themselves, not anchor texts.
    fn new(field: &'static str, query: Box<dyn TantivyQuery>) -> Self {
        Self {
            field,
            query: PartQuery::Other(query),
            anchors: None,
            marks: Vec::new(),
        }
    }
}

impl Leaf {
    /// Returns the query for a single word in all its fields. Returns None if the leaf is anything
    /// else, such as a phrase or a range.
    fn word(&self) -> Option<WordQuery> {
        let mut whole = WordQuery::default();
        for part in &self.parts {
            match &part.query {
                PartQuery::Word(word) => whole.join(word),
                PartQuery::Other(_) => return None,
            }
        }
        Some(whole)
    }

    fn query(&self) -> Box<dyn TantivyQuery> {
        match self.word() {
            Some(word) => Box::new(word),
            None => {
                let parts = self.parts.iter().map(|part| part.query.boxed());
                Box::new(BooleanQuery::union(parts.collect()))
            }
        }
    }
}

impl Plan {
    /// Converts the plan to a tantivy query. `all` is a query that matches all pages. It is added
    /// to each list of clauses that only excludes pages. For such a list alone, tantivy would find
    /// nothing.
    pub(super) fn query(&self, all: &dyn TantivyQuery) -> Box<dyn TantivyQuery> {
        match self {
            Self::All(clauses) => {
                let mut parts: Vec<_> = clauses
                    .iter()
                    .map(|(occur, plan)| (*occur, plan.query(all)))
                    .collect();
                if !parts.is_empty() && parts.iter().all(|(occur, _)| *occur == Occur::MustNot) {
                    parts.push((Occur::Must, all.box_clone()));
                }
                Box::new(BooleanQuery::new(parts))
            }
            Self::Boosted(plan, boost) => Box::new(BoostQuery::new(plan.query(all), *boost)),
            Self::Leaf(leaf) => leaf.query(),
        }
    }

    /// Returns the words of the plan, if the plan consists only of words that must all match.
    /// Returns None for any other plan.
    pub(super) fn required_words(&self) -> Option<Vec<WordQuery>> {
        match self {
            Self::Leaf(leaf) => Some(vec![leaf.word()?]),
            Self::All(clauses) => {
                let mut words = Vec::with_capacity(clauses.len());
                for (occur, plan) in clauses {
                    match (occur, plan) {
                        (Occur::Must, Self::Leaf(leaf)) => words.push(leaf.word()?),
                        _ => return None,
                    }
                }
                (!words.is_empty()).then_some(words)
            }
            Self::Boosted(..) => None,
        }
    }

    /// Returns the words and phrases of the plan that contribute to a score, each with its boost.
    pub(super) fn leaves(&self, boost: Score) -> Vec<(&Leaf, Score)> {
        match self {
            Self::All(clauses) => {
                let mut leaves = Vec::new();
                for (occur, plan) in clauses {
                    if *occur != Occur::MustNot {
                        leaves.extend(plan.leaves(boost));
                    }
                }
                leaves
            }
            Self::Boosted(plan, more) => plan.leaves(boost * more),
            Self::Leaf(leaf) => vec![(leaf, boost)],
        }
    }

    fn is_negative(&self) -> bool {
        match self {
            Self::All(clauses) => {
                !clauses.is_empty()
                    && clauses
                        .iter()
                        .all(|(occur, plan)| *occur == Occur::MustNot || plan.is_negative())
            }
            Self::Boosted(plan, _) => plan.is_negative(),
            Self::Leaf(_) => false,
        }
    }
}

/// Converts the text of a query into a [`Plan`], for one commit of the index.
pub(super) struct Planner<'a> {
    pub(super) index: &'a Index,
    pub(super) searcher: &'a Searcher,
    pub(super) anchors: &'a AnchorTexts,
    pub(super) pages: u64,
    pub(super) now: Option<SystemTime>,
    pub(super) limits: &'a Limits,
    pub(super) forms: Forms,
    /// Languages of the index's documents.
    pub(super) spoken: Languages,
    pub(super) maker: RefCell<FormMaker>,
    /// Other forms to look for, in addition to the exact word, for each word of this query. They
    /// are cached, because each word is searched in several fields.
    pub(super) known: RefCell<HashMap<String, Rc<[Sought]>>>,
    /// Number of index words found so far for query words with a star or a tilde. The limit
    /// `query_expansions` bounds it.
    pub(super) expansions: Cell<u64>,
    /// True if some matching index words were left out, because of the limit `query_expansions`.
    pub(super) is_cut: Cell<bool>,
}

/// The words to search in one field for a word or phrase of the query.
enum FieldWords {
    /// Only the exact words are searched.
    Exact(NearQuery),
    /// Two queries. The first query searches only the exact words. The second query also searches
    /// the terms that stand for these words, such as other forms.
    Several(NearQuery, NearQuery),
}

impl Planner<'_> {
    pub(super) fn plan(&self, text: &str) -> Result<Plan> {
        self.check_limit("query_bytes", text.len(), self.limits.query_bytes)?;
        self.check_limit(
            "query_depth",
            syntax::depth(text),
            self.limits.query_depth.min(MOST_DEPTH),
        )?;
        let tree = syntax::tree(text).map_err(|fault| query_error(&fault.message_for(text)))?;
        let plan = self.read(tree)?.unwrap_or(Plan::All(Vec::new()));
        if plan.is_negative() {
            return Err(query_error("it says only what must not be there"));
        }
        Ok(plan)
    }

    /// Returns an error if `count` exceeds the limit `most`. `name` is the name of the limit.
    fn check_limit(&self, name: &'static str, count: usize, most: u64) -> Result<()> {
        if count as u64 <= most {
            Ok(())
        } else {
            Err(Error::limit(name, most))
        }
    }

    /// Converts a parsed query into a plan. Returns None if the query has no word. For example, the
    /// text `...` has no word.
    fn read(&self, tree: UserInputAst) -> Result<Option<Plan>> {
        match tree {
            UserInputAst::Clause(clauses) => {
                let mut read = Vec::with_capacity(clauses.len());
                for (occur, tree) in clauses {
                    if let Some(plan) = self.read(tree)? {
                        read.push((occur.unwrap_or(Occur::Must), plan));
                    }
                }
                Ok((!read.is_empty()).then_some(Plan::All(read)))
            }
            UserInputAst::Boost(tree, boost) => {
                let Some(plan) = self.read(*tree)? else {
                    return Ok(None);
                };
                let boost = boost.into_inner().max(0.0) as Score;
                Ok(Some(Plan::Boosted(Box::new(plan), boost)))
            }
            UserInputAst::Leaf(leaf) => {
                let text = format!("{leaf:?}").replace('"', "");
                let parts = self.parts(*leaf)?;
                Ok((!parts.is_empty()).then_some(Plan::Leaf(Leaf { text, parts })))
            }
        }
    }

    /// Returns a query for each field in which a word or phrase is searched. Returns an empty list
    /// if `leaf` has no word.
    fn parts(&self, leaf: UserInputLeaf) -> Result<Vec<QueryPart>> {
        let fields = &self.index.fields;
        match leaf {
            UserInputLeaf::All => return Ok(vec![QueryPart::new("all", self.all())]),
            UserInputLeaf::Exists { .. } => {
                return Err(query_error(
                    "a star needs a word before it, or stands alone",
                ));
            }
            _ => {}
        }
        let name = written_field(&leaf).map(field_name).transpose()?;
        if name.is_none() && !matches!(leaf, UserInputLeaf::Literal(_)) {
            return Err(query_error(
                "sets, ranges and patterns need a field, as title:IN [rye wheat]",
            ));
        }
        match (name, leaf) {
            (Some("site"), UserInputLeaf::Literal(literal)) => {
                let query = filters::on_site(fields, &literal.phrase)?;
                Ok(vec![QueryPart::new("site", query)])
            }
            (Some("url"), UserInputLeaf::Literal(literal)) => {
                let query = filters::has_term(fields.url, Key::parse(&literal.phrase).as_str());
                Ok(vec![QueryPart::new("url", query)])
            }
            (Some(field @ ("site" | "url")), _) => {
                Err(query_error(&format!("`{field}:` takes one word")))
            }
            (name, UserInputLeaf::Literal(literal)) => self.literal(name, literal),
            (Some(ANCHOR), leaf) => {
                let ranges = word_ranges(&leaf);
                // The ranges are searched here, but only the parser reports errors in the leaf.
                let has_word = self.parse(leaf, None)?.is_some();
                let mut parts = Vec::new();
                if let Some(ranges) = ranges
                    && has_word
                {
                    let called = self.anchor_query(AnchorTerms::Words(fields.anchor, ranges));
                    parts.push(Self::anchor_part(vec![(called, fields.anchors().weight)]));
                }
                Ok(parts)
            }
            (name, leaf) => {
                let mut parts = Vec::new();
                if let Some(query) = self.parse(leaf, None)? {
                    parts.push(QueryPart::new(name.unwrap_or("all"), query));
                }
                Ok(parts)
            }
        }
    }

    /// Returns the queries for a word or phrase, in the field `name`. If `name` is None, returns
    /// one query for each searched field.
    fn literal(
        &self,
        name: Option<&'static str>,
        literal: UserInputLiteral,
    ) -> Result<Vec<QueryPart>> {
        let literal = UserInputLiteral {
            field_name: None,
            slop: literal.slop.min(MOST_SLOP),
            ..literal
        };
        let written = syntax::written(&literal);
        let mut parts = Vec::new();
        for field in self.index.fields.searched() {
            if name.is_some_and(|name| name != field.name) {
                continue;
            }
            let Some(words) = self.words(&literal, &written, field)? else {
                continue;
            };
            let marks = self.marks(&words, field);
            let word = match &words {
                FieldWords::Exact(near) => FieldWord::new(&near.slots, None, field.weight),
                FieldWords::Several(exact, any) => {
                    FieldWord::new(&exact.slots, Some(&any.slots), field.weight)
                }
            };
            let query = match word {
                Some(word) => PartQuery::Word(WordQuery {
                    fields: vec![word],
                    anchors: Vec::new(),
                }),
                None => {
                    let query = self.page_words(&literal, words, field)?;
                    PartQuery::Other(Box::new(BoostQuery::new(query, field.weight)))
                }
            };
            parts.push(QueryPart {
                field: field.name,
                query,
                anchors: None,
                marks,
            });
        }
        if name.is_none() || name == Some(ANCHOR) {
            let field = self.index.fields.anchors();
            match self.words(&literal, &written, field)? {
                Some(FieldWords::Exact(near)) => {
                    let called = self.anchor_query(AnchorTerms::Phrase(near));
                    parts.push(Self::anchor_part(vec![(called, field.weight)]));
                }
                Some(FieldWords::Several(exact, any)) => {
                    let exact = self.anchor_query(AnchorTerms::Phrase(exact));
                    let any = self.anchor_query(AnchorTerms::Phrase(any));
                    parts.push(Self::anchor_part(vec![
                        (exact, field.weight * EXACT_SHARE),
                        (any, field.weight * (1.0 - EXACT_SHARE)),
                    ]));
                }
                None => {}
            }
        }
        Ok(parts)
    }

    fn anchor_query(&self, sought: AnchorTerms) -> AnchorQuery {
        AnchorQuery {
            sought: sought.into(),
            anchors: self.anchors.clone(),
            pages: self.pages,
            now: self.now.map(clock),
        }
    }

    /// Creates the query part that searches anchor texts. `called` lists the anchor queries of the
    /// part, each with its weight. The last query in the list must match every anchor text that any
    /// query in the list matches. The reason is that the explanation of a score uses only the last
    /// query.
    fn anchor_part(called: Vec<(AnchorQuery, Score)>) -> QueryPart {
        QueryPart {
            field: ANCHOR,
            anchors: called.last().map(|(all, _)| all.clone()),
            query: PartQuery::Word(WordQuery {
                fields: Vec::new(),
                anchors: called,
            }),
            marks: Vec::new(),
        }
    }

    /// Returns the tantivy query for `words` in one field of a page. `literal` is the same word or
    /// phrase in the form of tantivy's parser. An exact phrase is converted by tantivy itself.
    fn page_words(
        &self,
        literal: &UserInputLiteral,
        words: FieldWords,
        field: SearchedField,
    ) -> Result<Box<dyn TantivyQuery>> {
        match words {
            FieldWords::Exact(near) => self.exact_words(literal, near, field),
            FieldWords::Several(exact, any) => {
                let exact = self.exact_words(literal, exact, field)?;
                Ok(Box::new(BooleanQuery::union(vec![
                    Box::new(BoostQuery::new(exact, EXACT_SHARE)),
                    Box::new(BoostQuery::new(Box::new(any), 1.0 - EXACT_SHARE)),
                ])))
            }
        }
    }

    /// Returns the tantivy query for the words of `near` in one field of a page. `literal` is the
    /// same word or phrase in the form of tantivy's parser. An exact phrase without slop is
    /// converted by tantivy itself.
    fn exact_words(
        &self,
        literal: &UserInputLiteral,
        near: NearQuery,
        field: SearchedField,
    ) -> Result<Box<dyn TantivyQuery>> {
        if let [slot] = &*near.slots
            && slot.is_exact()
        {
            let option = IndexRecordOption::WithFreqs;
            return Ok(Box::new(TermQuery::new(slot.word.clone(), option)));
        }
        if near.slop > 0 || near.slots.iter().any(|slot| !slot.is_exact()) {
            return Ok(Box::new(near));
        }
        let parsed = self.parse(literal.clone().into(), Some(field.words))?;
        Ok(parsed.unwrap_or_else(|| Box::new(EmptyQuery)))
    }

    /// Converts a word or phrase of the query to the words to search in one field. `written` says
    /// if the query has it in quotes, with a star, or with a tilde. Returns None if `literal` has
    /// no word.
    fn words(
        &self,
        literal: &UserInputLiteral,
        written: &Written,
        field: SearchedField,
    ) -> Result<Option<FieldWords>> {
        match written {
            Written::Begun(word) => return self.words_beginning_with(word, field).map(Some),
            Written::Edited(word) => return self.words_near(word, field).map(Some),
            Written::Quoted | Written::Plain | Written::Idle(_) => {}
        }
        let mut exact = Vec::new();
        for word in words(&literal.phrase).filter_map(|word| word.folded()) {
            exact.push(Slot::exact(Term::from_field_text(field.words, &word)));
        }
        self.check_limit("query_words", exact.len(), self.limits.query_words)?;
        if literal.prefix {
            return Ok(self.prefix_phrase(exact)?.map(FieldWords::Exact));
        }
        if exact.is_empty() {
            return Ok(None);
        }
        let mut any = Vec::with_capacity(exact.len());
        for slot in &exact {
            any.push(if *written == Written::Quoted {
                slot.clone()
            } else {
                self.with_forms(slot, field).in_index(self.index)?
            });
        }
        let is_exact = any.iter().all(Slot::is_exact);
        let slop = literal.slop;
        let exact = NearQuery { slots: exact, slop };
        Ok(Some(if is_exact {
            FieldWords::Exact(exact)
        } else {
            FieldWords::Several(exact, NearQuery { slots: any, slop })
        }))
    }

    /// Returns a copy of the slot `exact` that also has the other forms of the slot's word. Only
    /// forms that occur in `field` are added.
    fn with_forms(&self, exact: &Slot, field: SearchedField) -> tantivy::Result<Slot> {
        let mut frequency = 0;
        let mut slot = exact.clone();
        for (term, languages) in self.terms_of_forms(&exact.word, field) {
            let found = self.count_in(&term, languages)?;
            if found > 0 {
                frequency += found;
                slot.terms.push(SlotTerm { term, languages });
            }
        }
        if slot.terms.len() > 1 {
            slot.frequency = Some(frequency + self.count_in(&exact.word, Languages::ANY)?);
        }
        Ok(slot)
    }

    /// Returns the terms for the other forms of a word in a field. Each term has languages, and
    /// matches only documents in one of these languages.
    fn terms_of_forms(&self, word: &Term, field: SearchedField) -> Vec<(Term, Languages)> {
        let mut terms: Vec<(Term, Languages)> = Vec::new();
        for one in self.sought(word).iter() {
            for (place, text, languages) in [
                (field.forms, &one.form, one.languages),
                (field.words, &one.exact, one.exact_languages),
            ] {
                let term = Term::from_field_text(place, text);
                if term == *word || languages == Languages::NONE {
                    continue;
                }
                match terms.iter_mut().find(|(other, _)| *other == term) {
                    Some((_, others)) => *others = others.union(languages),
                    None => terms.push((term, languages)),
                }
            }
        }
        terms
    }

    fn sought(&self, word: &Term) -> Rc<[Sought]> {
        let text = word.value().as_str().unwrap_or_default().to_owned();
        let mut known = self.known.borrow_mut();
        let made = known.entry(text).or_insert_with_key(|text| {
            sought(&mut self.maker.borrow_mut(), text, self.forms, self.spoken).into()
        });
        Rc::clone(made)
    }

    /// Returns forms of the query's words, such as stems. An excerpt marks the words that have one
    /// of these forms, in addition to the exact words of the query. Excerpts are cut from the body,
    /// so the list is empty for any other field.
    fn marks(&self, words: &FieldWords, field: SearchedField) -> Vec<Mark> {
        let FieldWords::Several(_, any) = words else {
            return Vec::new();
        };
        if field.words != self.index.fields.body {
            return Vec::new();
        }
        let mut marks = Vec::new();
        for slot in &any.slots {
            let pages = slot.frequency.unwrap_or_default();
            // A word with a star or a tilde stands for exact words alone.
            let has_forms = slot
                .terms
                .iter()
                .any(|one| one.term.field() == field.forms || one.languages != Languages::ANY);
            if has_forms {
                for sought in self.sought(&slot.word).iter() {
                    marks.push(Mark {
                        sought: sought.clone(),
                        pages,
                    });
                }
            }
        }
        marks
    }

    /// Returns the query for all words of a field that begin with `word`.
    fn words_beginning_with(&self, word: &str, field: SearchedField) -> Result<FieldWords> {
        let begun = Term::from_field_text(field.words, word);
        let found = self.expanded(|most| self.words_with_prefix(&begun, most));
        Ok(standing_for(begun, found.in_index(self.index)?))
    }

    /// Returns the query for all words of a field at one edit from `word`. One edit adds, removes
    /// or replaces a character, or swaps two neighbours.
    fn words_near(&self, word: &str, field: SearchedField) -> Result<FieldWords> {
        let asked = Term::from_field_text(field.words, word);
        let found = self.expanded(|most| self.words_at_one_edit(&asked, most));
        Ok(standing_for(asked, found.in_index(self.index)?))
    }

    /// Calls `find` with the number of index words that the limit `query_expansions` still allows,
    /// and returns the found words. If `find` returns one word more than allowed, drops the last
    /// word and sets `is_cut`. Adds the number of returned words to `expansions`.
    fn expanded(
        &self,
        find: impl FnOnce(usize) -> tantivy::Result<FoundWords>,
    ) -> tantivy::Result<FoundWords> {
        let left = size(
            self.limits
                .query_expansions
                .saturating_sub(self.expansions.get()),
        );
        let mut found = find(left)?;
        if found.len() > left {
            found.pop_last();
            self.is_cut.set(true);
        }
        self.expansions
            .set(self.expansions.get() + found.len() as u64);
        Ok(found)
    }

    /// Returns a query for a phrase whose last word is only a prefix. Returns None if `slots` is
    /// empty. tantivy's own query is not used, because it silently uses only the first 50 words
    /// with the prefix in each segment.
    fn prefix_phrase(&self, mut slots: Vec<Slot>) -> Result<Option<NearQuery>> {
        let Some(last) = slots.pop() else {
            return Ok(None);
        };
        if slots.is_empty() {
            return Err(query_error(
                "a word that is only begun needs two characters, as ry*",
            ));
        }
        let most = size(self.limits.query_endings);
        let found = self.words_with_prefix(&last.word, most);
        let found = found.in_index(self.index)?;
        self.check_limit("query_endings", found.len(), self.limits.query_endings)?;
        slots.push(Slot {
            is_scored: false,
            ..slot_of(last.word, found)
        });
        Ok(Some(NearQuery { slots, slop: 0 }))
    }

    /// Returns the tantivy indexes that have words of `field`, each with the matching field in that
    /// index. `field` is a field of the index of pages, and the list begins with this index. The
    /// other indexes have the anchor texts that a compaction collected by link target. There, a
    /// field may have another number.
    fn places(&self, field: Field) -> Vec<(&Searcher, Field)> {
        let mut places = vec![(self.searcher, field)];
        for index in self.anchors.folded().indexes() {
            if let Some(place) = index.field(field, &self.index.fields) {
                places.push((&index.searcher, place));
            }
        }
        places
    }

    /// Iterates over all segments that have words of `field`, a field of the index of pages. Each
    /// segment comes with the matching field in its own index. Segments of other tantivy indexes
    /// have the anchor texts that a compaction collected. There, a field may have another number.
    fn dictionaries(&self, field: Field) -> impl Iterator<Item = (&SegmentReader, Field)> {
        self.places(field)
            .into_iter()
            .flat_map(|(searcher, place)| {
                let segments = searcher.segment_readers().iter();
                segments.map(move |segment| (segment, place))
            })
    }

    /// Returns the number of documents that contain a term and are in one of `languages`. For a
    /// term of anchor texts, also counts the documents with texts that a compaction collected by
    /// link target.
    fn count_in(&self, term: &Term, languages: Languages) -> tantivy::Result<u64> {
        let mut total = 0;
        for (searcher, place) in self.places(term.field()) {
            let text = term.value().as_str().unwrap_or_default().to_owned();
            let term = Term::from_field_text(place, &text);
            total += count_in(searcher, &term, languages)?;
        }
        Ok(total)
    }

    /// Returns the words of the index that begin with `begun`, each with the number of documents
    /// that contain it. Words that occur only in deleted documents are left out. The result has at
    /// most `most` + 1 words, the first ones in alphabetical order.
    fn words_with_prefix(&self, begun: &Term, most: usize) -> tantivy::Result<FoundWords> {
        let field = begun.field();
        let start = begun.serialized_value_bytes();
        let mut found = FoundWords::new();
        for (segment, place) in self.dictionaries(field) {
            let inverted = segment.inverted_index(place)?;
            let mut words = inverted.terms().range().ge(start).into_stream()?;
            while words.advance() && words.key().starts_with(start) {
                if !self.take_word(&mut found, field, words.key(), most)? {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Returns the words of the index at one edit from `asked`, and `asked` itself if the index has
    /// it. Counts documents and limits the number of words like [`Planner::words_with_prefix`].
    fn words_at_one_edit(&self, asked: &Term, most: usize) -> tantivy::Result<FoundWords> {
        let field = asked.field();
        let query = FuzzyTermQuery::new(asked.clone(), 1, true);
        let mut found = FoundWords::new();
        for (segment, place) in self.dictionaries(field) {
            let inverted = segment.inverted_index(place)?;
            let mut words = inverted.terms().search(query.automaton()?).into_stream()?;
            while words.advance() {
                if !self.take_word(&mut found, field, words.key(), most)? {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Adds a word of the index to `found`, unless the word occurs only in deleted documents.
    /// `found` keeps only the first `most` + 1 words in alphabetical order. Returns false if
    /// `found` is full, and the word comes after all words in `found`. In this case no later word
    /// of the segment can be added.
    fn take_word(
        &self,
        found: &mut FoundWords,
        field: Field,
        word: &[u8],
        most: usize,
    ) -> tantivy::Result<bool> {
        let word = Term::from_field_text(field, &String::from_utf8_lossy(word));
        if found.contains_key(&word) {
            return Ok(true);
        }
        let is_full = found.len() > most;
        if is_full && found.last_key_value().is_some_and(|(last, _)| *last < word) {
            return Ok(false);
        }
        let documents = self.count_in(&word, Languages::ANY)?;
        if documents > 0 {
            found.insert(word, documents);
            if is_full {
                found.pop_last();
            }
        }
        Ok(true)
    }

    /// Converts a word, phrase, set or range into a tantivy query for a field. Returns None if
    /// `leaf` has no word.
    fn parse(
        &self,
        leaf: UserInputLeaf,
        field: Option<Field>,
    ) -> Result<Option<Box<dyn TantivyQuery>>> {
        let parser = QueryParser::for_index(&self.index.tantivy, field.into_iter().collect());
        match parser.build_query_from_user_input_ast(leaf.into()) {
            Ok(query) => Ok((!query.is::<EmptyQuery>()).then_some(query)),
            Err(error) => Err(query_error(&error.to_string())),
        }
    }

    /// Returns a query for all pages of the index. It adds nothing to the score.
    pub(super) fn all(&self) -> Box<dyn TantivyQuery> {
        filters::without_score(self.index.fields.all_of(DocumentKind::Page))
    }
}

/// Words of an index, each with the number of documents that contain it.
type FoundWords = BTreeMap<Term, u64>;

/// Returns a slot for the query word `word`. The slot matches each of the index words `found`,
/// which stand for the query word.
fn slot_of(word: Term, found: FoundWords) -> Slot {
    let mut frequency = 0;
    let mut terms = Vec::with_capacity(found.len());
    for (term, documents) in found {
        frequency += documents;
        let languages = Languages::ANY;
        terms.push(SlotTerm { term, languages });
    }
    Slot {
        word,
        terms,
        frequency: Some(frequency),
        is_scored: true,
    }
}

/// Returns the query for the index words `found`, which stand for the query word `word`. The exact
/// word has its own share of the score.
fn standing_for(word: Term, found: FoundWords) -> FieldWords {
    let near = |slot| NearQuery {
        slots: vec![slot],
        slop: 0,
    };
    let exact = near(Slot::exact(word.clone()));
    if found.len() == 1 && found.contains_key(&word) {
        return FieldWords::Exact(exact);
    }
    FieldWords::Several(exact, near(slot_of(word, found)))
}

/// Returns the name of the field that the user wrote before a word or phrase. For `title:rye`, the
/// name is `title`. Returns None if the user wrote no field.
fn written_field(leaf: &UserInputLeaf) -> Option<&str> {
    match leaf {
        UserInputLeaf::All => None,
        UserInputLeaf::Exists { field } => Some(field),
        UserInputLeaf::Literal(literal) => literal.field_name.as_deref(),
        UserInputLeaf::Range { field, .. }
        | UserInputLeaf::Set { field, .. }
        | UserInputLeaf::Regex { field, .. } => field.as_deref(),
    }
}

/// Returns the ranges of words that a set (`IN [rye wheat]`) or range of the query matches. Returns
/// None for any other part of a query.
fn word_ranges(leaf: &UserInputLeaf) -> Option<Vec<WordRange>> {
    match leaf {
        UserInputLeaf::Range { lower, upper, .. } => {
            Some(vec![(word_bound(lower), word_bound(upper))])
        }
        UserInputLeaf::Set { elements, .. } => {
            let mut ranges = Vec::with_capacity(elements.len());
            for text in elements {
                let word = first_word(text);
                ranges.push((Bound::Included(word.clone()), Bound::Included(word)));
            }
            Some(ranges)
        }
        _ => None,
    }
}

fn word_bound(bound: &UserInputBound) -> Bound<String> {
    match bound {
        bound if bound.term_str() == "*" => Bound::Unbounded,
        UserInputBound::Inclusive(text) => Bound::Included(first_word(text)),
        UserInputBound::Exclusive(text) => Bound::Excluded(first_word(text)),
        UserInputBound::Unbounded => Bound::Unbounded,
    }
}

/// Returns the first word of a text, case-folded. Empty if the text has no word.
fn first_word(text: &str) -> String {
    words(text)
        .find_map(|word| word.folded())
        .map(Cow::into_owned)
        .unwrap_or_default()
}

/// Returns the entry of [`FIELDS`] with this name. Returns an error if no field has it.
fn field_name(name: &str) -> Result<&'static str> {
    let field = FIELDS.into_iter().find(|field| *field == name);
    field.ok_or_else(|| {
        query_error(&format!(
            "there is no field `{name}`, but {}; a word with a colon goes in quotes",
            FIELDS.join(", ")
        ))
    })
}
