//! Questions are answered.

use std::collections::HashSet;
use std::ops::{Bound, Range};
use std::time::SystemTime;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, QueryParser, RangeQuery};
use tantivy::query_grammar::{UserInputAst, UserInputLeaf};
use tantivy::schema::{Field, IndexRecordOption, Term, Value};
use tantivy::snippet::SnippetGenerator;
use tantivy::{DocAddress, DocSet, Searcher, SegmentReader, TERMINATED, TantivyDocument};

use crate::error::{Error, ErrorKind, Result};
use crate::page::beginning;

use super::writer::seconds;
use super::{Index, MOST_SLOP, Stats};

/// The characters of a snippet, where the page asks for no fewer.
const SNIPPET: usize = 200;

/// The parser goes as deep as the parentheses.
const MOST_PARENTHESES: usize = 50;
const LONGEST_QUERY: usize = 4096;

/// A view of an index as it was committed last.
#[derive(Clone)]
pub struct Search {
    index: Index,
    searcher: Searcher,
}

/// A page that was found.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Hit {
    url: String,
    title: String,
    score: f32,
    excerpt: String,
    #[serde(skip)]
    highlights: Vec<Range<usize>>,
}

impl Hit {
    /// Its URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How well it fits.
    pub fn score(&self) -> f32 {
        self.score
    }

    /// What may be shown of it; empty where nothing may.
    pub fn excerpt(&self) -> &str {
        &self.excerpt
    }

    /// The words of the query in the excerpt, as byte ranges.
    pub fn highlights(&self) -> &[Range<usize>] {
        &self.highlights
    }
}

impl Search {
    pub(super) fn new(index: &Index) -> Result<Self> {
        let reader = index.tantivy.reader().map_err(|error| index.trouble(&error))?;
        Ok(Self { index: index.clone(), searcher: reader.searcher() })
    }

    /// The best `most` pages for a query: words (all of them), `"phrases"`, `"phrases with slop"~3`, `"prefix phra"*`,
    /// `-without`, `title:word`. Slop is cut at 255, below the gap between phrases. Pages that have expired at `now`
    /// are not found.
    ///
    /// # Errors
    /// When the query does not parse, or the index is damaged.
    pub fn query(&self, query: &str, most: usize, now: Option<SystemTime>) -> Result<Vec<Hit>> {
        let parsed = self.parse(query)?;
        let filtered = self.unexpired(parsed.box_clone(), now);
        let pages = usize::try_from(self.searcher.num_docs()).unwrap_or(usize::MAX);
        let collector = TopDocs::with_limit(most.min(pages).max(1)).order_by_score();
        let found = self.searcher.search(&filtered, &collector).map_err(|error| self.index.trouble(&error))?;
        let mut snippets = SnippetGenerator::create(&self.searcher, &*parsed, self.index.fields.body)
            .map_err(|error| self.index.trouble(&error))?;
        snippets.set_max_num_chars(SNIPPET);
        found.into_iter().map(|(score, address)| self.hit(score, address, &snippets)).collect()
    }

    fn parse(&self, query: &str) -> Result<Box<dyn Query>> {
        let bad = |message: String| Error::from(ErrorKind::Query(message));
        if query.len() > LONGEST_QUERY || query.matches('(').count() > MOST_PARENTHESES {
            return Err(bad(format!(
                "it is longer than {LONGEST_QUERY} bytes, or has over {MOST_PARENTHESES} parentheses"
            )));
        }
        let mut ast =
            tantivy::query_grammar::parse_query(query).map_err(|_| bad(format!("`{query}` is not well formed")))?;
        clamp_slop(&mut ast);
        let searched = self.index.fields.searched();
        let mut parser =
            QueryParser::for_index(&self.index.tantivy, searched.iter().map(|(field, _)| *field).collect());
        parser.set_conjunction_by_default();
        for (field, boost) in searched {
            parser.set_field_boost(field, boost);
        }
        parser.build_query_from_user_input_ast(ast).map_err(|error| bad(error.to_string()))
    }

    fn unexpired(&self, query: Box<dyn Query>, now: Option<SystemTime>) -> Box<dyn Query> {
        let Some(now) = now else { return query };
        let until = Term::from_field_i64(self.index.fields.expires, seconds(now));
        let expired = RangeQuery::new(Bound::Unbounded, Bound::Excluded(until));
        Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::MustNot, Box::new(expired))]))
    }

    fn hit(&self, score: f32, address: DocAddress, snippets: &SnippetGenerator) -> Result<Hit> {
        let fields = &self.index.fields;
        let document: TantivyDocument = self.searcher.doc(address).map_err(|error| self.index.trouble(&error))?;
        let text = |field: Field| document.get_first(field).and_then(|v| v.as_str()).unwrap_or_default();
        let max_snippet = document.get_first(fields.max_snippet).and_then(|value| value.as_u64());
        let shown = text(fields.excerpt);
        let snippet = snippets.snippet(shown);
        let (excerpt, highlights) = match snippet.is_empty() {
            true => (beginning(shown, SNIPPET).to_owned(), Vec::new()),
            false => (snippet.fragment().to_owned(), snippet.highlighted().to_vec()),
        };
        let excerpt = match max_snippet {
            Some(most) => beginning(&excerpt, usize::try_from(most).unwrap_or(usize::MAX)).to_owned(),
            None => excerpt,
        };
        let highlights = highlights.into_iter().filter(|range| range.end <= excerpt.len()).collect();
        let (url, title) = (text(fields.url).to_owned(), text(fields.shown_title).to_owned());
        Ok(Hit { url, title, score, excerpt, highlights })
    }

    /// The URLs of all pages.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn urls(&self) -> Result<Vec<String>> {
        let mut urls = Vec::new();
        for segment in self.searcher.segment_readers() {
            let found = urls_of(segment, self.index.fields.url).map_err(|error| self.index.trouble(&error))?;
            urls.extend(found);
        }
        Ok(urls)
    }

    pub(super) fn stats(&self) -> Result<Stats> {
        let mut hosts = HashSet::new();
        for segment in self.searcher.segment_readers() {
            let Ok(Some(column)) = segment.fast_fields().str("host") else { continue };
            let mut seen = HashSet::new();
            for document in segment.doc_ids_alive() {
                seen.extend(column.term_ords(document));
            }
            for ordinal in seen {
                let mut host = String::new();
                column.ord_to_str(ordinal, &mut host).map_err(|error| self.index.trouble(&error))?;
                hosts.insert(host);
            }
        }
        Ok(Stats { pages: self.searcher.num_docs(), hosts: hosts.len() as u64, anchors: 0, tombstones: 0 })
    }
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("index", &self.index).finish_non_exhaustive()
    }
}

/// The URLs in a segment that some document bears which is not deleted.
fn urls_of(segment: &SegmentReader, field: Field) -> tantivy::Result<Vec<String>> {
    let inverted = segment.inverted_index(field)?;
    let mut terms = inverted.terms().stream()?;
    let mut urls = Vec::new();
    while terms.advance() {
        let mut postings = inverted.read_postings_from_terminfo(terms.value(), IndexRecordOption::Basic)?;
        let is_alive = |document| segment.alive_bitset().is_none_or(|alive| alive.is_alive(document));
        while postings.doc() != TERMINATED && !is_alive(postings.doc()) {
            postings.advance();
        }
        if postings.doc() != TERMINATED {
            urls.push(String::from_utf8_lossy(terms.key()).into_owned());
        }
    }
    Ok(urls)
}

fn clamp_slop(ast: &mut UserInputAst) {
    match ast {
        UserInputAst::Clause(clauses) => {
            for (_, clause) in clauses {
                clamp_slop(clause);
            }
        }
        UserInputAst::Boost(inner, _) => clamp_slop(inner),
        UserInputAst::Leaf(leaf) => {
            if let UserInputLeaf::Literal(literal) = &mut **leaf {
                literal.slop = literal.slop.min(MOST_SLOP);
            }
        }
    }
}
