//! Turns a question's words into a query over pages and the names that others give them.
//!
//! The syntax is tantivy's. A word or phrase without a field is looked for in all of a page's
//! fields, and in what others call it. A match in any of them is enough. So `dark rye` finds a page
//! that says *dark* and is called *rye*. `site:` takes a host and includes its subdomains.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::time::SystemTime;

use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, Occur, Query as TantivyQuery,
    QueryParser, TermQuery,
};
use tantivy::query_grammar::{UserInputAst, UserInputBound, UserInputLeaf, UserInputLiteral};
use tantivy::schema::{Field, IndexRecordOption, Term};
use tantivy::{Score, Searcher};
use url::Url;

use crate::open::{Index, IndexContext};
use crate::schema::{ANCHOR_WEIGHT, DocumentKind};
use crate::statistics::count;
use crate::time::clock;
use heedful::{Uses, words};
use heedful_base::address::Key;
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_base::limits::{Limits, MOST_DEPTH, size};

use super::anchors::{AnchorQuery, Superseded};
use super::near::NearQuery;
use super::sought::{AnchorTerms, WordRange};
use super::syntax;

/// The maximum slop of a phrase query. It is below the gap, and tantivy sums slop in a byte.
const MOST_SLOP: u32 = 255;

/// The field name for what others call a page.
pub(super) const ANCHOR: &str = "anchor";
/// The fields that a query may name.
const FIELDS: [&str; 8] = [
    "title",
    "headings",
    "description",
    "body",
    "alt",
    ANCHOR,
    "site",
    "url",
];

/// A question to an index.
///
/// ```
/// use heedful::Uses;
/// use heedful_index::Query;
///
/// let query = Query::new("title:rye \"dark bread\"~2 -plum").most(20).need(Uses::parse_names("input")?);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Query {
    pub(super) text: String,
    pub(super) most: usize,
    pub(super) skip: usize,
    pub(super) now: Option<SystemTime>,
    pub(super) explained: bool,
    pub(super) needs: Uses,
    pub(super) limits: Limits,
}

impl Query {
    /// Parses a question. The syntax: words (all must match), `"phrases"`, `"phrases with slop"~3`,
    /// `"prefix phra"*`, `-without`, `one OR other`, `title:word` (and `headings` `description`
    /// `body` `alt` `anchor` `url`), `site:host`. Slop is cut at 255, below the gap between
    /// phrases. An apostrophe between two letters or digits belongs to its word, as in `don't`.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            most: 10,
            skip: 0,
            now: None,
            explained: false,
            needs: Uses::NONE,
            limits: Limits::default(),
        }
    }

    /// Sets the maximum number of hits; the default is 10.
    pub fn most(mut self, hits: usize) -> Self {
        self.most = hits;
        self
    }

    /// Skips this number of the best hits.
    pub fn skip(mut self, hits: usize) -> Self {
        self.skip = hits;
        self
    }

    /// Sets the clock. A page that has expired is not found, and does not lend its words.
    pub fn now(mut self, now: SystemTime) -> Self {
        self.now = Some(now);
        self
    }

    /// Finds only pages that may be used for all of these uses. A hit shows only text that may be
    /// shown. With [`Use::Input`](heedful::Use::Input), its title and excerpt are text that may
    /// be given to a model. For these two uses, part of a page is enough. Any other use must be
    /// allowed for all indexed parts of the page.
    pub fn need(mut self, uses: Uses) -> Self {
        self.needs = uses;
        self
    }

    /// Sets the bounds of what a question may cost: `query_bytes`, `query_depth`, `query_words` and
    /// `query_endings`.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The place where a question stops being well formed: the byte of its text, and the reason in
    /// words. Returns None if it is well formed, if it passes a limit, or if the parser cannot tell
    /// the place.
    pub fn syntax_error(&self) -> Option<(usize, String)> {
        if !self.is_within() {
            return None;
        }
        let fault = syntax::tree(&self.text).err()?;
        Some((fault.at?, fault.reason))
    }

    /// A note, in words, on a star or a tilde that has no effect in a word without quotes, as in
    /// `audio*`. Returns None if there is no such sign, or if the question does not parse.
    pub fn note(&self) -> Option<String> {
        if self.is_within() {
            syntax::idle_sign(&self.text)
        } else {
            None
        }
    }

    /// True if the question passes no limit, so that it may be parsed.
    fn is_within(&self) -> bool {
        let depth = syntax::depth(&self.text) as u64;
        self.text.len() as u64 <= self.limits.query_bytes
            && depth <= self.limits.query_depth.min(MOST_DEPTH)
    }

    /// Adds to each hit how much each word adds to its score, and in which field.
    pub fn explained(mut self) -> Self {
        self.explained = true;
        self
    }
}

/// A query, divided into its parts.
#[derive(Debug)]
pub(super) enum Plan {
    All(Vec<(Occur, Plan)>),
    Boosted(Box<Plan>, Score),
    Leaf(Leaf),
}

/// A word or phrase, in all the fields where it is looked for.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) said: String,
    pub(super) parts: Vec<QueryPart>,
}

#[derive(Debug)]
pub(super) struct QueryPart {
    pub(super) field: &'static str,
    pub(super) query: Box<dyn TantivyQuery>,
    /// The search in what others call the page.
    pub(super) called: Option<AnchorQuery>,
}

impl QueryPart {
    /// A part that looks in the pages themselves.
    fn new(field: &'static str, query: Box<dyn TantivyQuery>) -> Self {
        Self {
            field,
            query,
            called: None,
        }
    }
}

impl Plan {
    /// The query for tantivy. `all` finds all pages.
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
            Self::Leaf(leaf) => Box::new(BooleanQuery::union(
                leaf.parts
                    .iter()
                    .map(|part| part.query.box_clone())
                    .collect(),
            )),
        }
    }

    /// The words and phrases that add to a score, each with its boost.
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

/// Makes plans.
pub(super) struct Planner<'a> {
    pub(super) index: &'a Index,
    pub(super) searcher: &'a Searcher,
    pub(super) superseded: &'a Superseded,
    pub(super) pages: u64,
    pub(super) now: Option<SystemTime>,
    pub(super) limits: &'a Limits,
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

    /// Fails if a question passes a limit.
    fn check_limit(&self, name: &'static str, count: usize, most: u64) -> Result<()> {
        if count as u64 <= most {
            Ok(())
        } else {
            Err(Error::limit(name, most))
        }
    }

    /// Returns None if nothing is asked for, as with `...`.
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
                let said = format!("{leaf:?}").replace('"', "");
                let parts = self.parts(*leaf)?;
                Ok((!parts.is_empty()).then_some(Plan::Leaf(Leaf { said, parts })))
            }
        }
    }

    fn parts(&self, leaf: UserInputLeaf) -> Result<Vec<QueryPart>> {
        let fields = &self.index.fields;
        let name = match &leaf {
            UserInputLeaf::All => return Ok(vec![QueryPart::new("all", self.all())]),
            UserInputLeaf::Literal(literal) => literal.field_name.clone(),
            UserInputLeaf::Range { field, .. }
            | UserInputLeaf::Set { field, .. }
            | UserInputLeaf::Regex { field, .. } => field.clone(),
            UserInputLeaf::Exists { field } => Some(field.clone()),
        };
        if matches!(leaf, UserInputLeaf::Exists { .. }) {
            return Err(query_error(
                "a star needs a word before it, or stands alone",
            ));
        }
        let name = match name {
            Some(name) => Some(field_name(&name)?),
            None => None,
        };
        if name.is_none() && !matches!(leaf, UserInputLeaf::Literal(_)) {
            return Err(query_error(
                "sets, ranges and patterns need a field, as title:IN [rye wheat]",
            ));
        }
        match (name, leaf) {
            (Some("site"), UserInputLeaf::Literal(literal)) => {
                Ok(vec![QueryPart::new("site", self.site(&literal)?)])
            }
            (Some("url"), UserInputLeaf::Literal(literal)) => {
                let query = self.term(fields.url, Key::parse(&literal.phrase).as_str());
                Ok(vec![QueryPart::new("url", query)])
            }
            (Some(field @ ("site" | "url")), _) => {
                Err(query_error(&format!("`{field}:` takes one word")))
            }
            (name, UserInputLeaf::Literal(literal)) => self.literal(name, literal),
            (Some(ANCHOR), leaf) => {
                let ranges = word_ranges(&leaf);
                // The parser reports what is wrong with the leaf.
                let is_something = self.parse(leaf, None)?.is_some();
                let mut parts = Vec::new();
                if let Some(ranges) = ranges
                    && is_something
                {
                    parts.push(self.anchor_part(AnchorTerms::Words(fields.anchor, ranges)));
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

    /// A word or phrase, in one field or in all.
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
        let mut parts = Vec::new();
        for (field, place, weight) in self.index.fields.searched() {
            if (name.is_none() || name == Some(field))
                && let Some(query) = self.words(&literal, place)?
            {
                let query = Box::new(BoostQuery::new(query, weight));
                parts.push(QueryPart::new(field, query));
            }
        }
        if (name.is_none() || name == Some(ANCHOR))
            && let Some(near) = self.near(&literal, self.index.fields.anchor)?
        {
            parts.push(self.anchor_part(AnchorTerms::Phrase(near)));
        }
        Ok(parts)
    }

    fn anchor_part(&self, sought: AnchorTerms) -> QueryPart {
        let now = self.now.map(clock);
        let called = AnchorQuery {
            sought: sought.into(),
            superseded: self.superseded.clone(),
            pages: self.pages,
            now,
        };
        let query = Box::new(BoostQuery::new(Box::new(called.clone()), ANCHOR_WEIGHT));
        QueryPart {
            field: ANCHOR,
            query,
            called: Some(called),
        }
    }

    /// A word or phrase in a field. Returns None if there is no word to look for.
    fn words(
        &self,
        literal: &UserInputLiteral,
        field: Field,
    ) -> Result<Option<Box<dyn TantivyQuery>>> {
        let Some(near) = self.near(literal, field)? else {
            return Ok(None);
        };
        if near.ends.is_none() && (near.slop == 0 || near.words.len() == 1) {
            self.parse(literal.clone().into(), Some(field))
        } else {
            Ok(Some(Box::new(near)))
        }
    }

    /// The words of a literal as words near each other. Returns None if they are not a phrase.
    fn near(&self, literal: &UserInputLiteral, field: Field) -> Result<Option<NearQuery>> {
        let words: Vec<_> = words(&literal.phrase)
            .filter_map(|word| word.folded())
            .map(|word| Term::from_field_text(field, &word))
            .collect();
        self.check_limit("query_words", words.len(), self.limits.query_words)?;
        if literal.prefix {
            return self.prefix_phrase(words);
        }
        Ok((!words.is_empty()).then_some(NearQuery {
            words,
            ends: None,
            slop: literal.slop,
        }))
    }

    /// A phrase whose last word is only a prefix. (tantivy takes the first 50 words of each segment
    /// without a warning.)
    fn prefix_phrase(&self, mut words: Vec<Term>) -> Result<Option<NearQuery>> {
        let Some(last) = words.pop() else {
            return Ok(None);
        };
        if words.is_empty() {
            return Err(query_error(
                "a word that is only begun needs one before it, as \"dark ry\"*",
            ));
        }
        let found = self.words_with_prefix(&last).in_index(self.index)?;
        self.check_limit("query_endings", found.len(), self.limits.query_endings)?;
        Ok(Some(NearQuery {
            words,
            ends: Some(found.into_iter().collect()),
            slop: 0,
        }))
    }

    /// The words with this prefix in documents that are not deleted. It stops at one more than the
    /// maximum.
    fn words_with_prefix(&self, begun: &Term) -> tantivy::Result<BTreeSet<Term>> {
        let field = begun.field();
        let start = begun.serialized_value_bytes();
        let mut found = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let inverted = segment.inverted_index(field)?;
            let mut words = inverted.terms().range().ge(start).into_stream()?;
            while found.len() <= size(self.limits.query_endings)
                && words.advance()
                && words.key().starts_with(start)
            {
                let word = Term::from_field_text(field, &String::from_utf8_lossy(words.key()));
                if !found.contains(&word) && count(self.searcher, &word)? > 0 {
                    found.insert(word);
                }
            }
        }
        Ok(found)
    }

    /// Parses a leaf for a field. Returns None if there is nothing to look for.
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

    fn site(&self, literal: &UserInputLiteral) -> Result<Box<dyn TantivyQuery>> {
        if let Ok(url) = Url::parse(&format!("http://{}/", literal.phrase))
            && url.path() == "/"
            && let Some(host) = url.host()
        {
            return Ok(self.term(self.index.fields.site, &host.to_string()));
        }
        Err(query_error(&format!(
            "`site:{}` is no host, as site:example.com is",
            literal.phrase
        )))
    }

    /// All pages.
    pub(super) fn all(&self) -> Box<dyn TantivyQuery> {
        Box::new(ConstScoreQuery::new(
            Box::new(self.index.fields.all_of(DocumentKind::Page)),
            0.0,
        ))
    }

    /// A term that must match and adds nothing to the score.
    fn term(&self, field: Field, text: &str) -> Box<dyn TantivyQuery> {
        let query = TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::Basic);
        Box::new(ConstScoreQuery::new(Box::new(query), 0.0))
    }
}

/// The ranges of words that a set or a range matches. Returns None if the leaf is neither.
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

/// The first word of a text, folded; empty if it has none.
fn first_word(text: &str) -> String {
    words(text)
        .find_map(|word| word.folded())
        .map(Cow::into_owned)
        .unwrap_or_default()
}

fn field_name(name: &str) -> Result<&'static str> {
    let field = FIELDS.into_iter().find(|field| *field == name);
    field.ok_or_else(|| {
        query_error(&format!(
            "there is no field `{name}`, but {}; a word with a colon goes in quotes",
            FIELDS.join(", ")
        ))
    })
}

fn query_error(message: &str) -> Error {
    ErrorKind::Query(message.to_owned()).into()
}
