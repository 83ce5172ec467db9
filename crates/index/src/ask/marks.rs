//! What an excerpt marks: the words of a query, in all forms that the query asked for.
//!
//! tantivy chooses the excerpt, by the terms that a tokenizer gives it. The tokenizer here gives
//! for each word of the text the number of what it matches. A form matches as it does in the index:
//! by the forms that the word has in the language of its page.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::Score;
use tantivy::schema::Field;
use tantivy::snippet::SnippetGenerator;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::forms::{FormMaker, Forms, Language, Languages};
use crate::packed::{PackedWords, Tokens};

use super::query::Mark;

/// Text of a token that matches nothing. It is no number.
const NOTHING: &str = "-";

/// Words and forms of a query, each with the number of its weight.
pub(super) struct Marks {
    matching: Arc<Matching>,
    /// Weights of what is matched, by the text of its number.
    weights: BTreeMap<String, Score>,
    /// Makes the forms of the words in excerpts. The excerpts of all hits share it.
    maker: Arc<Mutex<FormMaker>>,
}

#[derive(Clone, Default)]
struct Matching {
    forms: Forms,
    /// Exact words, with the languages of the pages in which they count.
    words: HashMap<String, (Languages, usize)>,
    /// Terms of forms, with the languages of the pages in which they count.
    terms: HashMap<String, (Languages, usize)>,
}

impl Marks {
    pub(super) fn new(forms: Forms) -> Self {
        let matching = Matching {
            forms,
            ..Matching::default()
        };
        Self {
            matching: Arc::new(matching),
            weights: BTreeMap::new(),
            maker: Arc::default(),
        }
    }

    /// Adds an exact word, which this number of pages has.
    pub(super) fn add_word(&mut self, word: &str, pages: u64) {
        if let Some(number) = self.weigh(pages) {
            let words = &mut Arc::make_mut(&mut self.matching).words;
            words.insert(word.to_owned(), (Languages::ANY, number));
        }
    }

    /// Adds a form of a word.
    pub(super) fn add_form(&mut self, mark: &Mark) {
        let Some(number) = self.weigh(mark.pages) else {
            return;
        };
        let Matching { words, terms, .. } = Arc::make_mut(&mut self.matching);
        let sought = &mark.sought;
        for (found, text, languages) in [
            (words, &sought.exact, sought.exact_languages),
            (terms, &sought.form, sought.languages),
        ] {
            let (others, _) = found
                .entry(text.clone())
                .or_insert((Languages::NONE, number));
            *others = others.union(languages);
        }
    }

    /// Returns a number for the weight of a word. Rare words weigh more. Returns None if no page
    /// has the word.
    fn weigh(&mut self, pages: u64) -> Option<usize> {
        if pages == 0 {
            return None;
        }
        let number = self.weights.len();
        let weight = 1.0 / (1.0 + pages as Score);
        self.weights.insert(number.to_string(), weight);
        Some(number)
    }

    /// Returns a generator of excerpts from a page in this language, with at most `most`
    /// characters.
    pub(super) fn snippets(
        &self,
        language: Option<Language>,
        body: Field,
        most: usize,
    ) -> SnippetGenerator {
        let tokenizer = MarkedWords {
            words: PackedWords::default(),
            matching: Arc::clone(&self.matching),
            maker: Arc::clone(&self.maker),
            language,
        };
        let tokenizer = TextAnalyzer::builder(tokenizer).build();
        SnippetGenerator::new(self.weights.clone(), tokenizer, body, most)
    }
}

/// The tokenizer of excerpts. The text of a token is the number of what its word matches.
#[derive(Clone)]
struct MarkedWords {
    words: PackedWords,
    matching: Arc<Matching>,
    maker: Arc<Mutex<FormMaker>>,
    language: Option<Language>,
}

impl Tokenizer for MarkedWords {
    type TokenStream<'a> = MarkedTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> MarkedTokens<'a> {
        MarkedTokens {
            words: self.words.token_stream(text),
            matching: &self.matching,
            maker: &self.maker,
            language: self.language,
            token: Token::default(),
        }
    }
}

struct MarkedTokens<'a> {
    words: Tokens<'a>,
    matching: &'a Matching,
    maker: &'a Mutex<FormMaker>,
    language: Option<Language>,
    token: Token,
}

impl MarkedTokens<'_> {
    /// Returns the number of what a word matches.
    fn number(&self, word: &str) -> Option<usize> {
        let Matching {
            forms,
            words,
            terms,
        } = self.matching;
        let counts = |found: Option<&(Languages, usize)>| {
            let (languages, number) = *found?;
            languages.has(self.language).then_some(number)
        };
        if let Some(number) = counts(words.get(word)) {
            return Some(number);
        }
        if terms.is_empty() {
            return None;
        }
        let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        let made = maker.forms(word, *forms, self.language);
        made.iter().find_map(|form| counts(terms.get(form)))
    }
}

impl TokenStream for MarkedTokens<'_> {
    fn advance(&mut self) -> bool {
        if !self.words.advance() {
            return false;
        }
        let word = self.words.token();
        let number = self.number(&word.text);
        self.token.offset_from = word.offset_from;
        self.token.offset_to = word.offset_to;
        self.token.position = word.position;
        self.token.text = number.map_or_else(|| NOTHING.to_owned(), |number| number.to_string());
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
