//! The uses that a statement denies or allows, and sets of uses (docs/semantics.md, section 1).

use std::fmt;

use heedful_base::error::{Error, Result};
use heedful_base::lenient::near::hint;

/// A use that a program makes of a page or of its content, such as indexing. Publishers deny or
/// allow uses.
///
/// ```
/// use heedful::{Bot, Filter, Use};
///
/// let html = b"<meta name=robots content='nofollow, notranslate'>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let denied: Vec<_> = Use::ALL.into_iter().filter(|usage| !page.policy().allows(*usage)).collect();
/// assert_eq!(denied, [Use::Follow, Use::Anchor, Use::Translate]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Use {
    /// Index the text, so that a search for its words finds the page.
    Index,
    /// Follow a link of the page.
    Follow,
    /// Credit the anchor text of a link to the link's target, so that a search for the text finds
    /// the target.
    Anchor,
    /// Keep the content in a stored copy of the page.
    Archive,
    /// Show the content with a search result.
    Snippet,
    /// List an image of the page in an image search.
    Image,
    /// Translate the content.
    Translate,
    /// Train a model on the content.
    Train,
    /// Give the content to a model as material for an answer, as in grounding, retrieval and chat.
    Input,
}

heedful_base::display!(Use);

impl Use {
    /// Number of variants of [`Use`].
    #[doc(hidden)]
    pub const COUNT: usize = Self::ALL.len();

    /// All uses, in the order in which the JSON output lists them.
    pub const ALL: [Self; 9] = [
        Self::Index,
        Self::Follow,
        Self::Anchor,
        Self::Archive,
        Self::Snippet,
        Self::Image,
        Self::Translate,
        Self::Train,
        Self::Input,
    ];

    /// Returns the name of the use in lower case, such as `snippet`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Follow => "follow",
            Self::Anchor => "anchor",
            Self::Archive => "archive",
            Self::Snippet => "snippet",
            Self::Image => "image",
            Self::Translate => "translate",
            Self::Train => "train",
            Self::Input => "input",
        }
    }

    fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// Set of [`Use`]s, such as the uses that a directive denies.
///
/// ```
/// use heedful::{Use, Uses};
///
/// let denied: Uses = "noindex,nofollow".parse()?;
/// assert!(denied.contains(Use::Follow) && !denied.contains(Use::Snippet));
/// assert_eq!(Uses::parse_names("index,follow")?, denied);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uses(u16);

heedful_base::from_str!(Uses);

impl Uses {
    #[doc(hidden)]
    pub const NONE: Self = Self(0);
    #[doc(hidden)]
    pub const ALL: Self = Self((1 << Use::COUNT) - 1);

    #[doc(hidden)]
    pub const fn new(uses: &[Use]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < uses.len() {
            bits |= 1 << uses[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Parses a list of denied uses, separated by commas. The permitted words are `noindex`,
    /// `nofollow`, `noanchor`, `noarchive`, `nosnippet`, `noimageindex`, `notranslate`, `notrain`
    /// and `noinput`. The word `none` means `noindex,nofollow,noanchor`. Case is ignored.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if a word is not
    /// permitted, or if the list is empty.
    ///
    /// ```
    /// use heedful::{Use, Uses};
    ///
    /// let denied = Uses::parse("none, notrain")?;
    /// let uses: Vec<_> = denied.iter().collect();
    /// assert_eq!(uses, [Use::Index, Use::Follow, Use::Anchor, Use::Train]);
    /// assert!(Uses::parse("nosnipet").unwrap_err().to_string().contains("nosnippet"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let mut uses = Self::NONE;
        for word in text.split(',').map(str::trim) {
            let Some(usage) = Self::word(&word.to_ascii_lowercase()) else {
                return Err(unknown(word));
            };
            uses = uses.union(usage);
        }
        Ok(uses)
    }

    /// Parses a list of uses by their names ([`Use::name`]), such as `train,input`.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if a word is not the
    /// name of a use, or if the list is empty.
    ///
    /// ```
    /// use heedful::{Use, Uses};
    ///
    /// let asked = Uses::parse_names("train,input")?;
    /// assert!(asked.contains(Use::Train) && !asked.contains(Use::Index));
    /// assert!(Uses::parse_names("notrain").is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parse_names(text: &str) -> Result<Self> {
        let mut uses = Self::NONE;
        for word in text.split(',') {
            let word = word.trim().to_ascii_lowercase();
            let Some(usage) = Use::ALL.into_iter().find(|usage| usage.name() == word) else {
                let names = Use::ALL.map(Use::name).join(", ");
                return Err(Error::setting(format!(
                    "`{word}` is nothing that can be asked for: {names}"
                )));
            };
            uses = uses.union(Self::new(&[usage]));
        }
        Ok(uses)
    }

    fn word(word: &str) -> Option<Self> {
        let usage = match word {
            "none" => return Some(Self::new(&[Use::Index, Use::Follow, Use::Anchor])),
            "noimageindex" => Use::Image,
            _ => Use::ALL
                .into_iter()
                .find(|usage| word.strip_prefix("no") == Some(usage.name()))?,
        };
        Some(Self::new(&[usage]))
    }

    /// True if `usage` is in the set.
    pub fn contains(self, usage: Use) -> bool {
        self.0 & usage.bit() != 0
    }

    /// True if the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the uses in the set, in the order of [`Use::ALL`].
    ///
    /// ```
    /// use heedful::Uses;
    ///
    /// let names: Vec<_> = Uses::parse("nosnippet,noindex")?.iter().map(|usage| usage.name()).collect();
    /// assert_eq!(names, ["index", "snippet"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Use> {
        Use::ALL
            .into_iter()
            .filter(move |usage| self.contains(*usage))
    }

    #[doc(hidden)]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    #[doc(hidden)]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

fn unknown(word: &str) -> Error {
    let known = Use::ALL.map(|usage| Uses::new(&[usage]).to_string());
    let near = hint(
        &word.to_ascii_lowercase(),
        known.iter().map(String::as_str).chain(["none"]),
    );
    let separator = if near.is_empty() { "" } else { ";" };
    let known = known.join(", ");
    Error::setting(format!(
        "`{word}` is nothing that can be denied: {known}, and none for the first three{separator}{near}"
    ))
}

/// Formats the set as a list of denied uses, such as `noindex,nosnippet`. [`Uses::parse`] can parse
/// this list.
///
/// ```
/// use heedful::Uses;
///
/// let denied = Uses::parse_names("image,index")?;
/// assert_eq!(denied.to_string(), "noindex,noimageindex");
/// assert_eq!(Uses::parse(&denied.to_string())?, denied);
/// # Ok::<(), heedful::Error>(())
/// ```
impl fmt::Display for Uses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, usage) in self.iter().enumerate() {
            let name = if usage == Use::Image {
                "imageindex"
            } else {
                usage.name()
            };
            write!(f, "{}no{name}", if at > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_what_is_denied() {
        let of = |uses: &[Use]| Uses::new(uses);
        assert_eq!(Uses::parse("noindex").unwrap(), of(&[Use::Index]));
        assert_eq!(
            Uses::parse("None, NOTRAIN").unwrap(),
            of(&[Use::Index, Use::Follow, Use::Anchor, Use::Train])
        );
        assert_eq!(Uses::parse(&Uses::ALL.to_string()).unwrap(), of(&Use::ALL));
        assert_eq!(
            Uses::parse_names("train, Image").unwrap(),
            of(&[Use::Train, Use::Image])
        );
        assert!(Uses::parse_names("notrain").is_err() && Uses::parse_names("").is_err());
        for bad in [
            "",
            "index",
            "no",
            "noindex,",
            "noindex nofollow",
            "noimage x",
        ] {
            assert!(Uses::parse(bad).is_err(), "{bad}");
        }
    }
}
