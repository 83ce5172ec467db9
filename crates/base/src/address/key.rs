//! A URL in the form in which two of them are compared: normal, and without its fragment.
//!
//! It is built once, where a URL comes in, and passed on as a [`Key`]. A function that gets one
//! need not check it again.

use std::borrow::{Borrow, Cow};
use std::fmt;

use url::{Position, Url};

/// The longest URL that is kept or exported, in bytes. It is far below the 32,766 that Lucene takes
/// as a term.
pub const LONGEST: usize = 8192;

/// A URL in normal form, without its fragment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key<'a>(Cow<'a, str>);

impl Key<'static> {
    /// The key of a URL in any spelling. If the text is no URL, it is everything up to the first
    /// `#`.
    pub fn parse(url: &str) -> Self {
        match Url::parse(url) {
            Ok(url) => Self::of_owned(url),
            Err(_) => Self(url.split('#').next().unwrap_or_default().to_owned().into()),
        }
    }

    fn of_owned(mut url: Url) -> Self {
        url.set_fragment(None);
        Self(String::from(url).into())
    }
}

impl<'a> Key<'a> {
    /// The key of a parsed URL.
    pub fn of_url(url: &'a Url) -> Self {
        // Blanks before the fragment go with it, if there is no path in which they would be
        // encoded.
        if url.cannot_be_a_base() {
            return Key::of_owned(url.clone());
        }
        Self(url[..Position::AfterQuery].into())
    }

    /// The key of a URL in normal form. URLs of the web then need no parsing.
    pub fn of_normal(url: &'a str) -> Self {
        let is_plain = url.starts_with("https://") || url.starts_with("http://");
        if is_plain {
            Self(url.split('#').next().unwrap_or_default().into())
        } else {
            Key::parse(url)
        }
    }

    /// A key that an index has kept.
    pub fn kept(key: &'a str) -> Self {
        Self(key.into())
    }

    /// The URL as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same key with a text of its own.
    pub fn into_owned(self) -> Key<'static> {
        Key(self.0.into_owned().into())
    }

    /// True if the key is longer than what is kept or exported.
    pub fn is_too_long(&self) -> bool {
        self.0.len() > LONGEST
    }
}

impl From<Key<'_>> for String {
    fn from(key: Key<'_>) -> Self {
        key.0.into_owned()
    }
}

/// Lets tables of keys be asked for a plain text.
impl Borrow<str> for Key<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The part of a URL after the host: its path and its query.
pub fn path_and_query(url: &Url) -> &str {
    &url[Position::BeforePath..Position::AfterQuery]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fragments_do_not_count() {
        assert_eq!(
            Key::parse("HTTPS://Site.example#x").as_str(),
            "https://site.example/"
        );
        assert_eq!(Key::parse("no URL#x").as_str(), "no URL");
    }

    proptest! {
        #[test]
        fn however_it_is_made_it_is_the_same(
            start in prop::sample::select(vec!["https://a.example/", "http://me@a.example:81", "file:///", "data:", "mailto:"]),
            rest in "[a-zA-Z/.?=%# ü]{0,9}",
        ) {
            let Ok(url) = Url::parse(&format!("{start}{rest}")) else { return Ok(()) };
            let key = Key::parse(url.as_str());
            prop_assert_eq!(&Key::of_url(&url), &key);
            prop_assert_eq!(&Key::parse(key.as_str()), &key);
            prop_assert_eq!(&Key::of_normal(url.as_str()), &key);
        }
    }
}
