//! Makes the forms of words, and remembers those of the last words.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use tantivy::tokenizer::{RawTokenizer, Stemmer, TextAnalyzer};

use super::fold::{fold, without_umlauts};
use super::language::Language;
use super::setting::Forms;

/// Version of the rules by which this build makes forms: the languages, tantivy's stemmers and
/// Unicode's tables. A test fails if any of them changes the forms of a word.
pub(crate) const FORMS_VERSION: u32 = 1;

/// Maximum number of words whose forms are remembered. These words take about 4 MB. They cover most
/// of the text in a large set of pages.
const REMEMBERED: usize = 1 << 15;
/// Maximum length in bytes of a word whose forms are remembered.
const LONGEST_REMEMBERED: usize = 48;

/// The other forms of one word, such as its stem, as terms of the index. The word itself is not
/// among them.
pub(crate) type WordForms = Arc<[String]>;

/// Makes the other forms of words: stems, and words without accents. The maker remembers the forms
/// of recent words, because most words of a text occur again.
#[derive(Default)]
pub(crate) struct FormMaker {
    stemmers: HashMap<Language, TextAnalyzer>,
    /// Forms of recent words, in one map for each setting and language. The list is short, because
    /// only few settings and languages occur.
    remembered: Vec<(Setting, HashMap<String, WordForms, RandomState>)>,
    /// Number of words in all maps of `remembered`.
    count: usize,
}

type Setting = (Forms, Option<Language>);

/// A clone begins empty: it does not copy the remembered words.
impl Clone for FormMaker {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl FormMaker {
    /// Returns the other forms of a word, as terms of an index field for forms. The word itself is
    /// not among them. `language` is the language of the page with the word, or None if it is not
    /// known.
    pub(crate) fn forms(
        &mut self,
        word: &str,
        forms: Forms,
        language: Option<Language>,
    ) -> WordForms {
        let setting = (forms, language);
        let known = self.remembered.iter().position(|(of, _)| *of == setting);
        let at = known.unwrap_or_else(|| {
            self.remembered.push((setting, HashMap::default()));
            self.remembered.len() - 1
        });
        if let Some(made) = self.remembered[at].1.get(word) {
            return Arc::clone(made);
        }
        let made: WordForms = self.make(word, forms, language).into();
        if word.len() <= LONGEST_REMEMBERED {
            if self.count >= REMEMBERED {
                for (_, words) in &mut self.remembered {
                    *words = HashMap::default();
                }
                self.count = 0;
            }
            let words = &mut self.remembered[at].1;
            words.insert(word.to_owned(), Arc::clone(&made));
            self.count += 1;
        }
        made
    }

    fn make(&mut self, word: &str, forms: Forms, language: Option<Language>) -> Vec<String> {
        let mut made = Vec::new();
        let folded = fold(word);
        if folded != word {
            made.push(folded.into_owned());
        }
        if language == Some(Language::GERMAN) {
            made.extend(without_umlauts(word));
        }
        made.dedup();
        if forms == Forms::Stemmed
            && let Some(language) = language
        {
            let stems = self.stems(word, language).into_iter();
            let others = stems.filter(|stem| stem != word);
            made.extend(others.map(|stem| stem_term(&stem, language)));
        }
        made
    }

    /// Returns the stems of a word, without case and accents. They are the stem of the word itself,
    /// and the stem of the word without accents, if the two differ. So a query without accents
    /// finds the word, even if the stemmer needs accents.
    pub(super) fn stems(&mut self, word: &str, language: Language) -> Vec<String> {
        let folded = fold(word);
        let mut stems = vec![self.stem(word, language)];
        if folded != word {
            stems.push(self.stem(&folded, language));
            stems.dedup();
        }
        stems
    }

    /// Returns the stem of a word, without case and accents. If the stemmer leaves nothing, returns
    /// the word itself without case and accents.
    fn stem(&mut self, word: &str, language: Language) -> String {
        let stemmer = self.stemmers.entry(language).or_insert_with(|| {
            TextAnalyzer::builder(RawTokenizer::default())
                .filter(Stemmer::new(language.stemming()))
                .build()
        });
        let mut stream = stemmer.token_stream(word);
        if stream.advance() && !stream.token().text.is_empty() {
            return fold(&stream.token().text).into_owned();
        }
        fold(word).into_owned()
    }
}

impl std::fmt::Debug for FormMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FormMaker").finish_non_exhaustive()
    }
}

/// Returns the term by which a stem is indexed: the code of its language, a blank, and the stem.
pub(super) fn stem_term(stem: &str, language: Language) -> String {
    format!("{} {stem}", language.code())
}
