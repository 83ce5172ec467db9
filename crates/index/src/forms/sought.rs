//! The terms that a query looks for in place of a word: its forms, and the exact words that equal a
//! form.

use super::fold::{fold, without_umlauts};
use super::language::{Language, Languages};
use super::maker::{FormMaker, stem_term};
use super::setting::Forms;

/// A form of a query word, such as its stem. The query looks for this form too, and so finds other
/// words that have the same form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sought {
    /// Term by which the form is indexed. For a stem, it begins with the code of the stem's
    /// language.
    pub(crate) form: String,
    /// Languages of the documents in which the query looks for `form`.
    pub(crate) languages: Languages,
    /// Text of the form, without the code of a language. In documents in one of `exact_languages`,
    /// the query looks for this text among the exact words, too. The index stores no form that
    /// equals its word. So if a word on a page equals the form, only this search finds the word.
    pub(crate) exact: String,
    pub(crate) exact_languages: Languages,
}

/// Returns the forms that a query looks for, in addition to the exact word `word`. `spoken` are the
/// languages of the searched documents. In each document, a query word finds another word if and
/// only if both have a common form.
pub(crate) fn sought(
    maker: &mut FormMaker,
    word: &str,
    forms: Forms,
    spoken: Languages,
) -> Vec<Sought> {
    let mut found = Vec::new();
    if forms == Forms::Exact {
        return found;
    }
    let folded = fold(word).into_owned();
    found.push(Sought {
        form: folded.clone(),
        languages: Languages::ANY,
        exact: folded,
        exact_languages: Languages::ANY,
    });
    let german = Languages::one(Some(Language::GERMAN));
    if let Some(plain) = without_umlauts(word)
        && spoken.has(Some(Language::GERMAN))
    {
        found.push(Sought {
            form: plain.clone(),
            languages: german,
            exact: plain,
            exact_languages: german,
        });
    }
    if forms != Forms::Stemmed {
        return found;
    }
    for language in Language::all().filter(|language| spoken.has(Some(*language))) {
        for stem in maker.stems(word, language) {
            // A word that is no stem of its own has another form, though it equals the stem.
            let has_itself = maker.stems(&stem, language).contains(&stem);
            found.push(Sought {
                form: stem_term(&stem, language),
                languages: Languages::ANY,
                exact: stem,
                exact_languages: if has_itself {
                    Languages::one(Some(language))
                } else {
                    Languages::NONE
                },
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::maker::FORMS_VERSION;
    use heedful::words;
    use proptest::prelude::*;

    /// Words whose forms depend on the stemmers and on the tables of Unicode.
    const SAMPLE: &str = "Café naïve Straße STRAẞE Ελλάδα λόγος Ёлка май Việt İstanbul שָׁלוֹם مُحَمَّد كتابة हिन्दी ภาษาไทย \
                          がぱ 한국어 தமிழர்கள் Ꭰꭰ ﬁne ǅ ᾳ running generously knights husenes Häusern Kindern βιβλία \
                          χαρούμενε panaderías talossamme chevaux généraux házakban ragazzi bevegelser boeken \
                          livrarias cărților книгами husens evlerimizden";

    /// Fails if this build makes other forms of words than earlier builds. [`FORMS_VERSION`] must
    /// then be increased, because existing indexes have the earlier forms. The failure message
    /// shows the new hash for this test.
    #[test]
    fn a_version_has_the_same_forms_for_ever() {
        let mut maker = FormMaker::default();
        let mut all = Vec::new();
        for language in Language::all().map(Some).chain([None]) {
            for word in words(SAMPLE).filter_map(|word| word.folded()) {
                for forms in [Forms::Folded, Forms::Stemmed] {
                    all.push(maker.forms(&word, forms, language).join(","));
                }
            }
        }
        let hash = crate::id::hash(&[&all.join(" ")]);
        assert_eq!((FORMS_VERSION, hash), (1, 742_781_921_464_237_489));
    }

    proptest! {
        #[test]
        fn who_is_found_by_a_form_has_it(
            one in "\\PC{1,12}",
            other in "\\PC{1,12}",
            number in 0..=18u64,
        ) {
            let language = Language::from_number(number);
            let spoken = Languages::one(language);
            let mut maker = FormMaker::default();
            let texts = [one.as_str(), other.as_str()];
            for word in texts.into_iter().flat_map(words).filter_map(|word| word.folded()) {
                // Each word is found by itself, and by each of its own forms.
                let stored = maker.forms(&word, Forms::Stemmed, language);
                let keys = sought(&mut maker, &word, Forms::Stemmed, spoken);
                for form in stored.iter() {
                    prop_assert!(!form.is_empty() && form != &*word);
                    let is_german = language == Some(Language::GERMAN);
                    let is_sought = keys.iter().any(|key| key.form == *form);
                    prop_assert!(is_sought || is_german, "{word} {form}");
                }
                let folded = fold(&word).into_owned();
                let by_folded = sought(&mut maker, &folded, Forms::Folded, spoken);
                let is_found = by_folded.iter().any(|key| stored.contains(&key.form));
                prop_assert!(folded == *word || is_found);
            }
        }
    }

    #[test]
    fn no_stemmer_stops_at_any_word() {
        let mut maker = FormMaker::default();
        let pieces = [
            "a", "é", "\u{301}", "ς", "й", "ب", "க", "'", "ing", "es", "9", "𝒳",
        ];
        for language in Language::all() {
            for first in pieces {
                for second in pieces {
                    let word = [first, second].concat();
                    maker.stems(&word, language);
                    maker.stems(&word.repeat(3), language);
                    maker.stems(&word.repeat(255 / word.len()), language);
                }
            }
        }
    }
}
