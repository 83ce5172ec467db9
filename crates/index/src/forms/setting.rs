//! The setting of the forms in which an index finds words.

use serde::{Deserialize, Serialize};

use heedful_base::error::{Error, Result};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forms {
    /// Only the exact word, in NFKC and lower case.
    Exact,
    /// The exact word, and the word without case and accents by Unicode's tables: `strasse` finds
    /// *Straße*. On pages in German also the word without umlauts: `mueller` finds *Müller*.
    Folded,
    /// All forms of [`Forms::Folded`], and the stem of the word on pages that declare a language
    /// with a stemmer: `breads` finds *bread*.
    #[default]
    Stemmed,
}

impl Forms {
    const ALL: [Self; 3] = [Self::Exact, Self::Folded, Self::Stemmed];

    /// Name of this setting, as in the option `heedful index --forms`.
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
