//! Tests of which part of a page's text a hit shows.

use std::collections::BTreeMap;

use heedful::words;
use heedful_index::{Analysis, Forms, Index, Query};
use proptest::prelude::*;
use tantivy::schema::Field;
use tantivy::snippet::SnippetGenerator;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

use crate::common::{add, filter, folder};

/// tantivy's tokenizer of the words of a text, as heedful splits them.
#[derive(Clone)]
struct Splitter;

struct Split {
    tokens: Vec<Token>,
    next: usize,
}

impl Tokenizer for Splitter {
    type TokenStream<'a> = Split;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Split {
        let words = words(text).filter_map(|word| Some((word, word.folded()?)));
        let token = |(word, folded): (heedful::Word<'_>, std::borrow::Cow<'_, str>)| Token {
            offset_from: word.start(),
            offset_to: word.end(),
            text: folded.into_owned(),
            ..Token::default()
        };
        Split {
            tokens: words.map(token).collect(),
            next: 0,
        }
    }
}

impl TokenStream for Split {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.len()
    }

    fn token(&self) -> &Token {
        &self.tokens[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.next - 1]
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn an_excerpt_is_the_one_that_tantivy_would_choose(
        texts in prop::collection::vec("((rye|oat|brèad|and so on|[a-zé]{1,9}|[a-z]{300})[ .,-]){1,120}", 1..4),
    ) {
        let folder = folder();
        let analysis = Analysis::default().with_forms(Forms::Exact);
        let index = Index::create_with(folder.path(), &filter(), analysis).unwrap();
        let mut writer = index.writer(1).unwrap();
        for (number, text) in texts.iter().enumerate() {
            add(&mut writer, &format!("https://site.example/{number}"), &format!("<p>{text}"));
        }
        writer.commit().unwrap();
        let search = index.search().unwrap();
        let sought = ["rye", "oat", "brèad"];
        let mut weights = BTreeMap::new();
        for word in sought {
            let pages = search.find(&Query::new(word)).unwrap().total();
            if pages > 0 {
                weights.insert(word.to_owned(), 1.0 / (1.0 + pages as f32));
            }
        }
        let tokenizer = TextAnalyzer::builder(Splitter).build();
        let field = Field::from_field_id(0);
        let generator = SnippetGenerator::new(weights, tokenizer, field, 200);
        let found = search.find(&Query::new("rye OR oat OR brèad")).unwrap();
        for hit in found.hits() {
            let number: usize = hit.url()["https://site.example/".len()..].parse().unwrap();
            let page = filter().page(hit.url(), &[], format!("<p>{}", texts[number]).as_bytes());
            let expected = generator.snippet(&page.unwrap().showable());
            prop_assert_eq!(hit.excerpt(), expected.fragment());
            prop_assert_eq!(hit.highlights(), expected.highlighted());
        }
    }
}
