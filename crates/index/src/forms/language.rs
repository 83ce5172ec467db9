//! The languages that have a stemmer, and sets of them.
//!
//! A language counts if a page declares it. Nothing is guessed from a text, and an unknown tag is
//! no language.

use tantivy::tokenizer::Language as Stemming;

/// Languages with a stemmer: the primary subtag of BCP 47, and tantivy's stemmer. The number of a
/// language is its position in this list, counted from 1. Indexes store these numbers, so a new
/// language goes to the end.
const LANGUAGES: [(&str, Stemming); 18] = [
    ("ar", Stemming::Arabic),
    ("da", Stemming::Danish),
    ("de", Stemming::German),
    ("el", Stemming::Greek),
    ("en", Stemming::English),
    ("es", Stemming::Spanish),
    ("fi", Stemming::Finnish),
    ("fr", Stemming::French),
    ("hu", Stemming::Hungarian),
    ("it", Stemming::Italian),
    ("nb", Stemming::Norwegian),
    ("nl", Stemming::Dutch),
    ("pt", Stemming::Portuguese),
    ("ro", Stemming::Romanian),
    ("ru", Stemming::Russian),
    ("sv", Stemming::Swedish),
    ("ta", Stemming::Tamil),
    ("tr", Stemming::Turkish),
];

/// Other primary subtags for languages in [`LANGUAGES`]. Each entry has the other subtag, and then
/// the subtag in [`LANGUAGES`]. For example, CLDR treats `no` (Norwegian) as `nb`.
const ALIASES: [(&str, &str); 1] = [("no", "nb")];

/// Returns the primary subtag of a language tag (RFC 5646), such as `de` of `de-AT`. The primary
/// subtag has two or three letters, and is returned in lower case. Returns None if the tag has no
/// such subtag, as `x-de`. Also returns None if the tag contains an invalid character.
pub(crate) fn primary_subtag(tag: &str) -> Option<String> {
    let is_tag = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !tag.chars().all(is_tag) {
        return None;
    }
    let primary = tag.split(['-', '_']).next()?;
    let is_code = primary.chars().all(|c| c.is_ascii_alphabetic());
    (is_code && (2..=3).contains(&primary.len())).then(|| primary.to_ascii_lowercase())
}

/// A language that has a stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Language(u8);

impl Language {
    pub(super) const GERMAN: Self = Self(3);

    /// Returns the language of a tag that a page declares, such as `de` or `de-AT`. Returns None if
    /// the tag cannot be read, or if heedful has no stemmer for the language.
    pub(crate) fn from_tag(tag: &str) -> Option<Self> {
        let primary = primary_subtag(tag)?;
        let alias = ALIASES.into_iter().find(|(alias, _)| *alias == primary);
        let primary = alias.map_or(primary.as_str(), |(_, code)| code);
        let place = LANGUAGES.iter().position(|(code, _)| *code == primary)?;
        Self::from_number(place as u64 + 1)
    }

    /// Returns the language with this number. Returns None if no language has it.
    pub(crate) fn from_number(number: u64) -> Option<Self> {
        let number = u8::try_from(number).ok()?;
        (1..=LANGUAGES.len())
            .contains(&usize::from(number))
            .then_some(Self(number))
    }

    /// Returns the number of the language, by which an index stores it.
    pub(crate) fn number(self) -> u64 {
        u64::from(self.0)
    }

    /// Returns all languages, in the order of their numbers.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (1..=LANGUAGES.len() as u64).filter_map(Self::from_number)
    }

    /// Returns the two-letter code of the language, such as `de`.
    pub(super) fn code(self) -> &'static str {
        LANGUAGES[usize::from(self.0) - 1].0
    }

    pub(super) fn stemming(self) -> Stemming {
        LANGUAGES[usize::from(self.0) - 1].1
    }
}

/// A set of languages. It can also contain None, which stands for documents without a known
/// language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Languages(u32);

const _: () = assert!(LANGUAGES.len() < 32);

impl Languages {
    /// The set that contains all languages, and also None for documents without a known language.
    pub(crate) const ANY: Self = Self(u32::MAX);
    pub(crate) const NONE: Self = Self(0);

    /// Returns the set of one language. None stands for documents without a known language.
    pub(crate) fn one(language: Option<Language>) -> Self {
        Self(1 << language.map_or(0, |language| language.0))
    }

    /// True if the set has a language. None stands for documents without a known language.
    pub(crate) fn has(self, language: Option<Language>) -> bool {
        self.0 & Self::one(language).0 != 0
    }

    #[must_use]
    pub(crate) fn union(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_declared_and_not_guessed() {
        let code = |tag| Language::from_tag(tag).map(Language::code);
        for (tag, language) in [
            ("de", Some("de")),
            ("de-AT", Some("de")),
            ("EN_us", Some("en")),
            ("no", Some("nb")),
            ("nn", None),
            ("deutsch", None),
            ("d", None),
            ("", None),
            ("-de", None),
            ("de, en", None),
            ("de\0", None),
            ("ｄｅ", None),
            ("x-de", None),
        ] {
            assert_eq!(code(tag), language, "{tag:?}");
        }
        assert_eq!(code(&"de".repeat(1 << 20)), None);
        assert_eq!(Language::GERMAN.code(), "de");
        let numbers = Language::all().map(Language::number);
        assert!(numbers.eq(1..=18));
    }

    #[test]
    fn a_set_tells_its_languages() {
        let german = Languages::one(Some(Language::GERMAN));
        assert!(german.has(Some(Language::GERMAN)) && !german.has(None));
        assert!(!german.has(Language::from_tag("en")));
        assert!(german.union(Languages::one(None)).has(None));
        assert!(Languages::ANY.has(Language::from_tag("tr")) && Languages::ANY.has(None));
        assert!(!Languages::NONE.has(None));
    }
}
