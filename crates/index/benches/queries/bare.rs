//! tantivy with a title and a text for each page, for comparison with heedful's index. Words are
//! split and folded as heedful does.

use std::path::Path;

use heedful::{Page, words};
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{BooleanQuery, BoostQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value,
};
use tantivy::snippet::SnippetGenerator;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{Searcher, TantivyDocument, Term};

use crate::web::Asked;

const WORDS: &str = "words";
const THREAD_BYTES: usize = 100 << 20;
/// Weight of a word in the title, the same as in heedful's index.
const TITLE: f32 = 2.0;

/// Tokenizer that splits a text into words as heedful does, and folds them.
#[derive(Clone, Default)]
struct Splitter(Token);

struct Words<'a> {
    words: std::vec::IntoIter<Token>,
    token: &'a mut Token,
}

impl Tokenizer for Splitter {
    type TokenStream<'a> = Words<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Words<'a> {
        let folded =
            words(text).filter_map(|word| Some((word.start(), word.end(), word.folded()?)));
        let tokens = folded
            .enumerate()
            .map(|(position, (start, end, word))| Token {
                offset_from: start,
                offset_to: end,
                position,
                text: word.into_owned(),
                position_length: 1,
            });
        Words {
            words: tokens.collect::<Vec<_>>().into_iter(),
            token: &mut self.0,
        }
    }
}

impl TokenStream for Words<'_> {
    fn advance(&mut self) -> bool {
        let next = self.words.next();
        let is_there = next.is_some();
        if let Some(token) = next {
            *self.token = token;
        }
        is_there
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// The fields of a bare index, which is a plain tantivy index for comparison.
#[derive(Clone, Copy)]
struct Fields {
    url: Field,
    title: Field,
    text: Field,
}

impl Fields {
    fn new(schema: &Schema) -> Self {
        let field = |name| schema.get_field(name).unwrap();
        Self {
            url: field("url"),
            title: field("title"),
            text: field("text"),
        }
    }
}

/// Writes a bare index, which is a plain tantivy index for comparison.
pub(crate) struct Writer {
    index: tantivy::Index,
    fields: Fields,
    writer: tantivy::IndexWriter,
}

impl Writer {
    pub(crate) fn new(folder: &Path) -> Self {
        std::fs::create_dir(folder).unwrap();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(WORDS)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let text = TextOptions::default().set_indexing_options(indexing) | STORED;
        let mut schema = Schema::builder();
        schema.add_text_field("url", STRING | STORED);
        schema.add_text_field("title", text.clone());
        schema.add_text_field("text", text);
        let schema = schema.build();
        let fields = Fields::new(&schema);
        let index = tantivy::Index::create_in_dir(folder, schema).unwrap();
        index.tokenizers().register(WORDS, Splitter::default());
        let writer = index.writer_with_num_threads(1, THREAD_BYTES).unwrap();
        Self {
            index,
            fields,
            writer,
        }
    }

    pub(crate) fn add(&mut self, page: &Page) {
        let mut document = TantivyDocument::new();
        document.add_text(self.fields.url, page.url());
        document.add_text(self.fields.title, page.title().join(" "));
        for phrase in page.phrases() {
            document.add_text(self.fields.text, phrase);
        }
        self.writer.add_document(document).unwrap();
    }

    pub(crate) fn commit(mut self) -> Bare {
        self.writer.commit().unwrap();
        self.writer.wait_merging_threads().unwrap();
        Bare {
            searcher: self.index.reader().unwrap().searcher(),
            fields: self.fields,
        }
    }
}

/// True if a bare index can answer a query. A bare index has no anchor texts.
pub(crate) fn can_ask(asked: &Asked) -> bool {
    !asked.text.starts_with("anchor:")
}

/// A bare index (plain tantivy), opened for queries.
pub(crate) struct Bare {
    searcher: Searcher,
    fields: Fields,
}

impl Bare {
    /// Opens the bare index in a folder, as a new process would.
    pub(crate) fn open(folder: &Path) -> Self {
        let index = tantivy::Index::open_in_dir(folder).unwrap();
        index.tokenizers().register(WORDS, Splitter::default());
        Self {
            searcher: index.reader().unwrap().searcher(),
            fields: Fields::new(&index.schema()),
        }
    }

    /// Runs a query. Returns the number of matching pages if `is_counted`, or else None. Reads
    /// titles, URLs and excerpts of the hits if `is_shown`.
    pub(crate) fn find(&self, asked: &Asked, is_counted: bool, is_shown: bool) -> Option<u64> {
        let query = self.query(&asked.text);
        let top = TopDocs::with_limit(asked.most)
            .and_offset(asked.skip)
            .order_by_score();
        let (top, total) = if is_counted {
            let (top, total) = self.searcher.search(&*query, &(top, Count)).unwrap();
            (top, Some(total as u64))
        } else {
            (self.searcher.search(&*query, &top).unwrap(), None)
        };
        if is_shown {
            let excerpts =
                SnippetGenerator::create(&self.searcher, &*query, self.fields.text).unwrap();
            for (_, address) in top {
                let document: TantivyDocument = self.searcher.doc(address).unwrap();
                let shown = [self.fields.url, self.fields.title].map(|field| {
                    document
                        .get_first(field)
                        .and_then(|value| value.as_str())
                        .map(str::to_owned)
                });
                let excerpt = excerpts.snippet_from_doc(&document);
                std::hint::black_box((shown, excerpt.fragment().len()));
            }
        }
        total
    }

    /// Converts the text of a query to a tantivy query. The text has words, words to leave out, or
    /// one phrase with its slop.
    fn query(&self, text: &str) -> Box<dyn Query> {
        let (is_of_title, text) = match text.strip_prefix("title:") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        if let Some((phrase, slop)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            let slop = slop
                .strip_prefix('~')
                .map_or(0, |slop| slop.parse().unwrap());
            return self.in_fields(phrase, slop, is_of_title);
        }
        let mut clauses = Vec::new();
        for word in text.split_whitespace() {
            let (occur, word) = match word.strip_prefix('-') {
                Some(word) => (Occur::MustNot, word),
                None => (Occur::Must, word),
            };
            clauses.push((occur, self.in_fields(word, 0, is_of_title)));
        }
        match clauses.len() {
            1 => clauses.remove(0).1,
            _ => Box::new(BooleanQuery::new(clauses)),
        }
    }

    /// Returns the query for a word or a phrase, in the title alone if `is_of_title`, or else in
    /// title and text.
    fn in_fields(&self, text: &str, slop: u32, is_of_title: bool) -> Box<dyn Query> {
        let in_field = |field| -> Box<dyn Query> {
            let folded = words(text).filter_map(|word| word.folded());
            let mut terms: Vec<_> = folded
                .map(|word| Term::from_field_text(field, &word))
                .collect();
            if terms.len() == 1 {
                return Box::new(TermQuery::new(
                    terms.remove(0),
                    IndexRecordOption::WithFreqs,
                ));
            }
            let mut phrase = PhraseQuery::new(terms);
            phrase.set_slop(slop);
            Box::new(phrase)
        };
        let title: Box<dyn Query> = Box::new(BoostQuery::new(in_field(self.fields.title), TITLE));
        if is_of_title {
            return title;
        }
        Box::new(BooleanQuery::union(vec![title, in_field(self.fields.text)]))
    }
}
