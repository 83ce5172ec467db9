//! Chooses excerpts, and marks in them the words of a query, in all forms that the query asked for.
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

/// Words and forms of a query that excerpts highlight, each with its weight.
pub(super) struct Marks {
    forms: Forms,
    /// Exact words of the query, case-folded. A word of a text that equals one of them is
    /// highlighted.
    words: HashMap<String, Marked>,
    /// Forms of the query's words, as terms. A word of a text is highlighted if it has one of these
    /// forms.
    terms: HashMap<String, Marked>,
    /// Computes the forms of the words in a text. The excerpts of all hits share it, because it
    /// remembers the forms of recent words.
    maker: FormMaker,
}

/// A word or form of a query that excerpts highlight.
#[derive(Clone, Copy, Debug)]
struct Marked {
    /// Number that identifies this word or form in the query. An excerpt counts the weight of each
    /// number once.
    number: usize,
    /// Languages of the pages whose excerpts highlight this word or form.
    languages: Languages,
    weight: u64,
}

/// A part of a text that may become the excerpt of a hit.
#[derive(Clone, Debug, Default)]
pub(super) struct Excerpt {
    weight: u64,
    /// Numbers of the words and forms whose weight is already part of `weight`.
    weighed: Vec<usize>,
    pub(super) range: Range<usize>,
    /// Positions of the words to highlight, as byte ranges in the whole text.
    pub(super) marked: Vec<Range<usize>>,
}

impl Excerpt {
    /// Adds a word to highlight. `place` is the byte range of the word in the text. Also adds the
    /// word's weight, unless the same word or form of the query was added before.
    fn add(&mut self, marked: Marked, place: Range<usize>) {
        if !self.weighed.contains(&marked.number) {
            self.weighed.push(marked.number);
            self.weight += marked.weight;
        }
        self.marked.push(place);
    }
}

impl Marks {
    /// Creates an empty collection of words to highlight. `forms` is the index's setting for the
    /// forms in which queries find words. `maker` computes these forms.
    pub(super) fn new(forms: Forms, maker: FormMaker) -> Self {
        Self {
            forms,
            words: HashMap::new(),
            terms: HashMap::new(),
            maker,
        }
    }

    /// Returns the maker of forms for use by later queries, with the words that it remembers.
    pub(super) fn into_maker(self) -> FormMaker {
        self.maker
    }

    /// Adds an exact word. `pages` is the number of pages that contain it. If this is 0, nothing is
    /// added.
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

    /// Adds a form of a query word, such as its stem. Excerpts then highlight the words that have
    /// this form, and the word that is spelt like the form. If no page contains the query word in
    /// any form, nothing is added.
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

    /// Returns the part of a text whose highlighted words have the greatest weight. The part has at
    /// most `most` bytes, unless it is a single longer word. Returns None if the text has no word
    /// to highlight. `language` is the language of the text.
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

    /// Returns the entry by which `word` is highlighted in a text in `language`. Returns None if
    /// the word is not highlighted.
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

/// Returns the weight of a word that `pages` pages contain, for the choice of an excerpt. Rare
/// words weigh more. Returns None if no page has the word. Weights are integers, so that their sum
/// does not depend on their order.
fn weight(pages: u64) -> Option<u64> {
    (pages > 0).then(|| (1 << 40) / pages.saturating_add(1))
}
