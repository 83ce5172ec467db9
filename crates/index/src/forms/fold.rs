//! Folds a word by the tables of Unicode: case entirely, and accents.
//!
//! A word is decomposed canonically, marks that are accents are dropped, and the full case folding
//! follows (ß becomes ss). The script of the letter before a mark decides. In [`ACCENTED`] scripts
//! a mark is an accent or a vowel point, which people leave out. In any other script it may be a
//! letter of the word, such as a vowel sign of Devanagari or Thai, or the voicing of kana. Such a
//! mark stays, and composes again with its letter.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

/// Scripts in which a combining mark is an accent or a vowel point. In these scripts, a query
/// without the mark also finds words with the mark.
const ACCENTED: [Script; 8] = [
    Script::Latin,
    Script::Greek,
    Script::Coptic,
    Script::Cyrillic,
    Script::Glagolitic,
    Script::Hebrew,
    Script::Arabic,
    Script::Syriac,
];

/// German umlauts, each with the letters that replace it in CLDR's transliteration `de-ASCII`.
const UMLAUTS: [(char, &str); 3] = [('ä', "ae"), ('ö', "oe"), ('ü', "ue")];

/// Removes case and accents from a word. The word must be in NFKC and lower case, as an index has
/// it. Folding a folded word again does not change it.
pub(super) fn fold(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut is_accented = false;
    let letters = word.nfd().filter(|character| {
        if is_combining_mark(*character) {
            return !is_accented;
        }
        is_accented = ACCENTED.contains(&character.script());
        true
    });
    let folded: String = letters.default_case_fold().nfc().collect();
    if folded == word {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(folded)
    }
}

/// Returns a word as German writes it without umlauts (`mueller` for `müller`), without case and
/// accents. Returns None if the word has no umlaut.
pub(super) fn without_umlauts(word: &str) -> Option<String> {
    if !word.contains(UMLAUTS.map(|(umlaut, _)| umlaut)) {
        return None;
    }
    let mut plain = word.to_owned();
    for (umlaut, letters) in UMLAUTS {
        plain = plain.replace(umlaut, letters);
    }
    Some(fold(&plain).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use heedful::words;
    use proptest::prelude::*;

    /// Returns the first word of a text, as an index has it.
    fn first(text: &str) -> String {
        words(text)
            .find_map(|word| word.folded())
            .map_or_else(String::new, Cow::into_owned)
    }

    #[test]
    fn accents_and_case_go() {
        for (text, folded) in [
            ("Café", "cafe"),
            ("naïve", "naive"),
            ("Straße", "strasse"),
            ("STRAẞE", "strasse"),
            ("Ελλάδα", "ελλαδα"),
            ("λόγος", "λογοσ"),
            ("ᾳ", "α"),
            ("Ёлка", "елка"),
            ("İstanbul", "istanbul"),
            ("Việt", "viet"),
            ("שָׁלוֹם", "שלום"),
            ("مُحَمَّد", "محمد"),
            ("e\u{301}te\u{301}", "ete"),
            ("Müller", "muller"),
        ] {
            assert_eq!(fold(&first(text)), folded, "{text}");
        }
    }

    #[test]
    fn marks_that_are_letters_stay() {
        for text in [
            "हिन्दी",
            "বাংলা",
            "தமிழ்",
            "ภาษาไทย",
            "ភាសាខ្មែរ",
            "ガギグ",
            "ぱぴぷ",
            "한국어",
            "မြန်မာ",
            "བོད་",
            "ኢትዮጵያ",
            "ß日".split_at(2).1,
        ] {
            let word = first(text);
            assert!(!word.is_empty(), "{text}");
            assert_eq!(fold(&word), word, "{text}");
        }
        assert_ne!(fold("が"), fold("か"));
        assert_eq!(fold("か\u{3099}"), "が");
    }

    #[test]
    fn umlauts_become_two_letters() {
        assert_eq!(without_umlauts("müller").as_deref(), Some("mueller"));
        assert_eq!(without_umlauts("größe").as_deref(), Some("groesse"));
        assert_eq!(without_umlauts("muller"), None);
    }

    proptest! {
        #[test]
        fn folding_again_changes_nothing(text in any::<String>()) {
            for word in words(&text).filter_map(|word| word.folded()) {
                let folded = fold(&word).into_owned();
                let is_word = !folded.is_empty() && !folded.contains(|c: char| c <= ' ');
                prop_assert!(is_word, "{word:?}");
                prop_assert_eq!(fold(&folded), folded.as_str());
            }
        }
    }
}
