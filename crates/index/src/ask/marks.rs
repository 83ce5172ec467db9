//! What an excerpt marks: the words of a query, in all forms that the query asked for.
//!
//! An excerpt is chosen in one pass over the words of a text. The text is cut into pieces that are
//! as long as an excerpt may be. The first one with the greatest weight of marked words is the
//! excerpt. Each marked word counts once in a piece, unlike in tantivy's excerpts. Otherwise a menu
//! that repeats a word would win over a sentence about it. A form matches as it does in the index:
//! by the forms that the word has in the language of its page.

use std::collections::HashMap;
use std::ops::Range;

use crate::forms::{FormMaker, Forms, Language, Languages};
use heedful::words;

use super::query::Mark;

/// Words and forms of a query, each with its weight.
pub(super) struct Marks {
    forms: Forms,
    /// Exact words.
    words: HashMap<String, Marked>,
    /// Terms of forms.
    terms: HashMap<String, Marked>,
    /// Makes the forms of the words in excerpts. The excerpts of all hits share it.
    maker: FormMaker,
}

/// A word or form that is marked.
#[derive(Clone, Copy, Debug)]
struct Marked {
    /// Number of the word or form among those of its query.
    number: usize,
    /// Languages of the pages in which it counts.
    languages: Languages,
    weight: u64,
}

/// A part of a text, as long as an excerpt may be.
#[derive(Clone, Debug, Default)]
pub(super) struct Excerpt {
    weight: u64,
    /// Numbers of the words and forms whose weight is included.
    weighed: Vec<usize>,
    pub(super) range: Range<usize>,
    /// The marked words, by their places in the text.
    pub(super) marked: Vec<Range<usize>>,
}

impl Excerpt {
    /// Adds a marked word of the text, at this place.
    fn add(&mut self, marked: Marked, place: Range<usize>) {
        if !self.weighed.contains(&marked.number) {
            self.weighed.push(marked.number);
            self.weight += marked.weight;
        }
        self.marked.push(place);
    }
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
            let marked = Marked {
                number: self.next_number(),
                languages: Languages::ANY,
                weight,
            };
            self.words.insert(word.to_owned(), marked);
        }
    }

    /// Adds a form of a word.
    pub(super) fn add_form(&mut self, mark: &Mark) {
        let Some(weight) = weight(mark.pages) else {
            return;
        };
        let sought = &mark.sought;
        let number = self.next_number();
        for (found, text, languages) in [
            (&mut self.words, &sought.exact, sought.exact_languages),
            (&mut self.terms, &sought.form, sought.languages),
        ] {
            let marked = found.entry(text.clone()).or_insert(Marked {
                number,
                languages: Languages::NONE,
                weight,
            });
            marked.languages = marked.languages.union(languages);
        }
    }

    fn next_number(&self) -> usize {
        self.words.len() + self.terms.len()
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
                current.weight = 0;
                current.weighed.clear();
                current.range.start = word.start();
                current.marked.clear();
            }
            current.range.end = word.end();
            if let Some(marked) = self.marked(&folded, language) {
                current.add(marked, word.start()..word.end());
            }
        }
        if current.weight > best.weight {
            best = current;
        }
        (best.weight > 0).then_some(best)
    }

    /// Returns the marked word or form that a word is in a text of this language.
    fn marked(&mut self, word: &str, language: Option<Language>) -> Option<Marked> {
        let counts = |found: Option<&Marked>| {
            let marked = *found?;
            marked.languages.has(language).then_some(marked)
        };
        if let Some(marked) = counts(self.words.get(word)) {
            return Some(marked);
        }
        if self.terms.is_empty() {
            return None;
        }
        let made = self.maker.forms(word, self.forms, language);
        made.iter().find_map(|form| counts(self.terms.get(form)))
    }
}

/// Returns the weight of a word in the choice of an excerpt. Rare words weigh more. Returns None if
/// no page has the word. Weights are integers, so that their sum does not depend on their order.
fn weight(pages: u64) -> Option<u64> {
    (pages > 0).then(|| (1 << 40) / pages.saturating_add(1))
}
