//! The type [`Key`]: a URL in the form in which pages are compared and stored. It is normalised by
//! the URL standard, and has no fragment.
//!
//! A URL from outside is converted to a [`Key`] once, and passed on in this type. A function with a
//! parameter of type [`Key`] does not have to check the URL again.

use std::borrow::{Borrow, Cow};
use std::fmt;

use url::{Position, Url};

/// Maximum length of a URL that is stored or exported, in bytes. It is below Lucene's limit of
/// 32,766 bytes for a term. So Lucene can store each such URL as a single term.
pub const LONGEST: usize = 8192;

/// URL in normal form, without its fragment. Pages are compared and stored by this form.
///
/// # Examples
///
/// ```
/// use heedful_base::address::Key;
///
/// let key = Key::parse("HTTPS://Site.example:443/a/../b#top");
/// assert_eq!(key.as_str(), "https://site.example/b");
/// assert_eq!(key, Key::of_normal("https://site.example/b"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key<'a>(Cow<'a, str>);

impl Key<'static> {
    /// Returns the key of `url`: the URL in normal form, without its fragment. All spellings of the
    /// same URL have the same key. If `url` does not parse as a URL, the key is the text before the
    /// first `#`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::address::Key;
    ///
    /// assert_eq!(Key::parse("HTTPS://Site.example").as_str(), "https://site.example/");
    /// assert_eq!(Key::parse("no URL#top").as_str(), "no URL");
    /// ```
    pub fn parse(url: &str) -> Self {
        match Url::parse(url) {
            Ok(url) => Self::of_owned(url),
            Err(_) => Self(url.split('#').next().unwrap_or_default().to_owned().into()),
        }
    }

    /// Converts a parsed URL to a key by removing its fragment.
    fn of_owned(mut url: Url) -> Self {
        url.set_fragment(None);
        Self(String::from(url).into())
    }
}

impl<'a> Key<'a> {
    /// Returns the key of a parsed URL. The text of the URL is copied only if necessary.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::address::Key;
    /// use url::Url;
    ///
    /// let url = Url::parse("https://site.example/a#top").unwrap();
    /// assert_eq!(Key::of_url(&url).as_str(), "https://site.example/a");
    /// ```
    pub fn of_url(url: &'a Url) -> Self {
        // A URL that cannot be a base has its blanks unencoded. `set_fragment` removes those before
        // the fragment. A slice of the text would keep them.
        if url.cannot_be_a_base() {
            return Key::of_owned(url.clone());
        }
        Self(url[..Position::AfterQuery].into())
    }

    /// Returns the key of `url`, a URL that is in normal form already. An `http` or `https` URL is
    /// not parsed again, and only its fragment is removed.
    pub fn of_normal(url: &'a str) -> Self {
        let is_plain = url.starts_with("https://") || url.starts_with("http://");
        if is_plain {
            Self(url.split('#').next().unwrap_or_default().into())
        } else {
            Key::parse(url)
        }
    }

    /// Wraps the text of a key that was read from an index. The text is not checked.
    pub fn from_stored(key: &'a str) -> Self {
        Self(key.into())
    }

    /// Text of the key: the URL in normal form, without its fragment.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Converts the key to one that owns its text.
    pub fn into_owned(self) -> Key<'static> {
        Key(self.0.into_owned().into())
    }

    /// True if the key's text has more than [`LONGEST`] bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::address::{Key, LONGEST};
    ///
    /// let long = format!("https://site.example/{}", "a".repeat(LONGEST));
    /// assert!(Key::parse(&long).is_too_long());
    /// assert!(!Key::parse("https://site.example/a").is_too_long());
    /// ```
    pub fn is_too_long(&self) -> bool {
        self.0.len() > LONGEST
    }
}

impl From<Key<'_>> for String {
    fn from(key: Key<'_>) -> Self {
        key.0.into_owned()
    }
}

/// Lets callers look up a `str` in a map whose keys are of type [`Key`].
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

/// Returns the path and the query of a URL: the text after the host, without the fragment.
///
/// # Examples
///
/// ```
/// use heedful_base::address::path_and_query;
/// use url::Url;
///
/// let url = Url::parse("https://site.example/a?b#top").unwrap();
/// assert_eq!(path_and_query(&url), "/a?b");
/// ```
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
