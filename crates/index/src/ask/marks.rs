//! What an excerpt marks: the words of a query, in all forms that the query asked for.
//!
//! An excerpt is chosen in one pass over the words of a text. The text is cut into pieces that are
//! as long as an excerpt may be. The first one with the greatest weight of marked words is the
//! excerpt, as tantivy chooses it. A form matches as it does in the index: by the forms that the
//! word has in the language of its page.

use std::collections::HashMap;
use std::ops::Range;

use tantivy::Score;

use crate::forms::{FormMaker, Forms, Language, Languages};
use heedful::words;

use super::query::Mark;

/// Words and forms of a query, each with its weight.
pub(super) struct Marks {
    forms: Forms,
    /// Exact words, with the languages of the pages in which they count.
    words: HashMap<String, (Languages, Score)>,
    /// Terms of forms, with the languages of the pages in which they count.
    terms: HashMap<String, (Languages, Score)>,
    /// Makes the forms of the words in excerpts. The excerpts of all hits share it.
    maker: FormMaker,
}

/// A part of a text, as long as an excerpt may be.
#[derive(Clone, Debug, Default)]
pub(super) struct Excerpt {
    weight: Score,
    pub(super) range: Range<usize>,
    /// The marked words, by their places in the text.
    pub(super) marked: Vec<Range<usize>>,
}

impl Marks {
    /// Creates marks of an index with these forms, without words.
    pub(super) fn new(forms: Forms, maker: FormMaker) -> Self {
        Self {
            forms,
            words: HashMap::new(),
            terms: HashMap::new(),
            maker,
        }
    }

    /// Returns the maker of forms, which remembers words.
    pub(super) fn into_maker(self) -> FormMaker {
        self.maker
    }

    /// Adds an exact word, which this number of pages has.
    pub(super) fn add_word(&mut self, word: &str, pages: u64) {
        if let Some(weight) = weight(pages) {
            self.words.insert(word.to_owned(), (Languages::ANY, weight));
        }
    }

    /// Adds a form of a word.
    pub(super) fn add_form(&mut self, mark: &Mark) {
        let Some(weight) = weight(mark.pages) else {
            return;
        };
        let sought = &mark.sought;
        for (found, text, languages) in [
            (&mut self.words, &sought.exact, sought.exact_languages),
            (&mut self.terms, &sought.form, sought.languages),
        ] {
            let (others, _) = found
                .entry(text.clone())
                .or_insert((Languages::NONE, weight));
            *others = others.union(languages);
        }
    }

    /// Returns the part of a text that has the greatest weight, with at most `most` bytes unless
    /// its only word is longer. Returns None if no word of the text is marked. `language` is that of
    /// the text.
    pub(super) fn excerpt(
        &mut self,
        text: &str,
        language: Option<Language>,
        most: usize,
    ) -> Option<Excerpt> {
        let mut best = Excerpt::default();
        let mut current = Excerpt::default();
        for word in words(text) {
            let Some(folded) = word.folded() else {
                continue;
            };
            if word.end() - current.range.start > most {
                if current.weight > best.weight {
                    best = std::mem::take(&mut current);
                }
                current.weight = 0.0;
                current.range.start = word.start();
                current.marked.clear();
            }
            current.range.end = word.end();
            if let Some(weight) = self.weight_of(&folded, language) {
                current.weight += weight;
                current.marked.push(word.start()..word.end());
            }
        }
        if current.weight > best.weight {
            best = current;
        }
        (best.weight > 0.0).then_some(best)
    }

    /// Returns the weight of a word in a text of this language, if it is marked.
    fn weight_of(&mut self, word: &str, language: Option<Language>) -> Option<Score> {
        let counts = |found: Option<&(Languages, Score)>| {
            let (languages, weight) = *found?;
            languages.has(language).then_some(weight)
        };
        if let Some(weight) = counts(self.words.get(word)) {
            return Some(weight);
        }
        if self.terms.is_empty() {
            return None;
        }
        let made = self.maker.forms(word, self.forms, language);
        made.iter().find_map(|form| counts(self.terms.get(form)))
    }
}

/// Returns the weight of a word in the choice of an excerpt. Rare words weigh more. Returns None if
/// no page has the word.
fn weight(pages: u64) -> Option<Score> {
    (pages > 0).then(|| 1.0 / (1.0 + pages as Score))
}
