//! Other forms of a word under which it is found, beside the exact word: folded and stemmed.
//!
//! A form of a word depends only on the word, the declared language of its page, and the setting
//! [`Forms`]. So documents, queries and excerpts cannot disagree about it. A form equal to its word
//! is not stored. Whoever looks for a form looks for the equal exact word too ([`Sought`]). A stem
//! belongs to its language: its term begins with the language's code and a blank, which no word
//! contains.

mod fold;
mod language;
mod maker;

use serde::{Deserialize, Serialize};

use heedful_base::error::{Error, Result};

pub(crate) use language::{Language, Languages, primary_subtag};
pub(crate) use maker::{FormMaker, WordForms};

/// Version of the forms that this build makes: of the languages, of tantivy's stemmers and of
/// Unicode's tables. A test fails if any of them changes what a word becomes.
pub(crate) const FORMS_VERSION: u32 = 1;

/// Forms in which an index finds words, beside the exact word. An index keeps this setting from its
/// creation on.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_index::{Forms, Index, Query};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let html = b"<html lang=en><p>Two caf\xC3\xA9s";
/// let mut totals = Vec::new();
/// for forms in [Forms::Exact, Forms::Folded, Forms::Stemmed] {
///     let folder = tempfile::tempdir()?;
///     let index = Index::create_with(folder.path(), &filter, forms)?;
///     let mut writer = index.writer(1)?;
///     writer.add(&filter.page("https://example.com/", &[], html)?)?;
///     writer.commit()?;
///     let found = |query| index.search()?.find(&Query::new(query)).map(|found| found.total());
///     totals.push([found("cafés")?, found("cafes")?, found("café")?]);
/// }
/// assert_eq!(totals, [[1, 0, 0], [1, 1, 0], [1, 1, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forms {
    /// Only the exact word, in NFKC and lower case.
    Exact,
    /// Also the word without case and accents by Unicode's tables: `strasse` finds *Straße*. On
    /// pages in German also without umlauts: `mueller` finds *Müller*.
    Folded,
    /// Also its stem, on pages that declare a language with a stemmer: `breads` finds *bread*.
    #[default]
    Stemmed,
}

impl Forms {
    const ALL: [Self; 3] = [Self::Exact, Self::Folded, Self::Stemmed];

    /// Name of the setting, as in `heedful index --forms`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Folded => "folded",
            Self::Stemmed => "stemmed",
        }
    }

    /// Returns the setting with this name.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful::ErrorKind::Setting) if no setting has the name.
    ///
    /// # Examples
    /// ```
    /// use heedful_index::Forms;
    ///
    /// assert_eq!(Forms::parse("folded")?, Forms::Folded);
    /// assert!(Forms::parse("soundex").is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse(name: &str) -> Result<Self> {
        let forms = Self::ALL.into_iter().find(|forms| forms.name() == name);
        forms.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::setting(format!("there are no forms `{name}`, but {names}"))
        })
    }
}

heedful_base::display!(Forms);
heedful_base::from_str!(Forms);

/// A term that a query looks for in place of a word, because it is a form of the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sought {
    /// Term of the form, as a field of forms has it.
    pub(crate) form: String,
    /// Languages of the documents in which the form counts.
    pub(crate) languages: Languages,
    /// The exact word that has this form, but does not store it, because both are equal. It counts
    /// in `exact_languages` only.
    pub(crate) exact: String,
    pub(crate) exact_languages: Languages,
}

/// Returns the terms under which a query finds a word, beside the exact word itself. `spoken` are
/// the languages of the documents that are searched. Two words have a common form in a document
/// exactly if one of them is found by the other.
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
    let folded = fold::fold(word).into_owned();
    found.push(Sought {
        form: folded.clone(),
        languages: Languages::ANY,
        exact: folded,
        exact_languages: Languages::ANY,
    });
    let german = Languages::one(Some(Language::GERMAN));
    if let Some(plain) = fold::without_umlauts(word)
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

/// Returns the term of a stem.
fn stem_term(stem: &str, language: Language) -> String {
    format!("{} {stem}", language.code())
}
