//! Matches the URLs and patterns by which a user names the pages that a purge shall remove.
//!
//! A URL matches one page alone, whichever of its unreserved characters are percent-encoded (`~`
//! and `%7E` are the same, RFC 3986, section 6.2.2.2). Its fragment is ignored. A pattern may
//! contain `*`, as in robots.txt, but it must match up to the end of the URL. It is case-sensitive
//! after the host.
//!
//! A takedown of one page never removes another page with a longer URL, since a removed page is
//! lost. An operator's denial is less strict and may match too much.

use std::collections::{BTreeMap, BTreeSet};

use url::{Position, Url};

use heedful::internals::scope::normal_pattern;
use heedful_base::address::{Key, authority, path_and_query};
use heedful_base::error::{Error, Result};
use heedful_robots::{MatchSubject, Pattern};

/// Maximum number of characters of a rejected URL or pattern that an error quotes.
const SHOWN: usize = 200;

/// URLs and patterns by which a user named pages to remove.
#[derive(Debug, Default)]
pub(super) struct Takedown {
    /// URLs that the user named. A key is the normalized form of the URL.
    urls: BTreeMap<Vec<u8>, Key<'static>>,
    patterns: Vec<NamedPattern>,
}

/// A pattern that a user named. It is matched against the whole URL of a page, or against the path
/// alone.
#[derive(Debug)]
struct NamedPattern {
    is_path: bool,
    /// The pattern as the user wrote it.
    written: String,
    pattern: Pattern,
}

impl NamedPattern {
    /// Parses a pattern of URLs or paths. A pattern must match up to the end of a URL.
    fn new(named: &str) -> Self {
        let is_anchored = named.ends_with(['*', '$']);
        let normal = normal_pattern(named);
        let pattern = if is_anchored { normal } else { normal + "$" };
        Self {
            is_path: named.starts_with('/'),
            written: named.to_owned(),
            pattern: Pattern::new(&pattern),
        }
    }

    /// Returns the site of all URLs that the pattern can match. Returns `None` for a pattern of
    /// paths, and if a star stands before the end of the host.
    fn site(&self) -> Option<String> {
        let literal = self.written.split('*').next()?;
        let (_, behind) = literal.split_once("://")?;
        if !behind.contains('/') {
            return None;
        }
        site(&Url::parse(literal).ok()?)
    }

    fn names(&self, url: &Url) -> bool {
        let named = if self.is_path {
            path_and_query(url)
        } else {
            &url[..Position::AfterQuery]
        };
        self.pattern.matches(&MatchSubject::new(named))
    }
}

impl Takedown {
    /// Adds a URL or pattern that a user named. A text that begins with `/` is a pattern of paths.
    /// Any other text with `*` is a pattern of URLs.
    pub(super) fn add(&mut self, named: &str) -> Result<()> {
        let named = named.split('#').next().unwrap_or_default().trim();
        match Url::parse(named) {
            Ok(url) if !named.contains('*') => self.insert(&url),
            _ if named.starts_with(['/', '*']) || named.contains("://") && named.contains('*') => {
                self.patterns.push(NamedPattern::new(named));
            }
            _ => {
                let named: String = named.chars().take(SHOWN).collect();
                let message = format!(
                    "`{named}` is neither a URL, as https://site.example/page, nor a path, as /drafts/*"
                );
                return Err(Error::setting(message));
            }
        }
        Ok(())
    }

    /// Adds a URL that a user named, in which `*` is an ordinary character.
    pub(super) fn add_page(&mut self, named: &str) -> Result<()> {
        let Ok(url) = Url::parse(named.trim()) else {
            let named: String = named.chars().take(SHOWN).collect();
            let message = format!("`{named}` is no URL, as https://site.example/page is");
            return Err(Error::setting(message));
        };
        self.insert(&url);
        Ok(())
    }

    fn insert(&mut self, url: &Url) {
        let key = Key::of_url(url).into_owned();
        self.urls.insert(form(key.as_str()), key);
    }

    /// True if the user named no URL and no pattern.
    pub(super) fn is_empty(&self) -> bool {
        self.urls.is_empty() && self.patterns.is_empty()
    }

    /// Iterates over the URLs that the user named, without the patterns.
    pub(super) fn urls(&self) -> impl Iterator<Item = &str> {
        self.urls.values().map(Key::as_str)
    }

    /// Returns the first pattern of paths. It matches pages of any site.
    pub(super) fn path_pattern(&self) -> Option<&str> {
        let pattern = self.patterns.iter().find(|pattern| pattern.is_path)?;
        Some(&pattern.written)
    }

    /// Returns the sites of all pages that the URLs and patterns can match. Returns `None` if they
    /// can match pages of any site.
    pub(super) fn only_sites(&self) -> Option<BTreeSet<String>> {
        let urls = self.urls().map(|url| site(&Url::parse(url).ok()?));
        let patterns = self.patterns.iter().map(NamedPattern::site);
        urls.chain(patterns).collect()
    }

    /// Returns the URL that the user named and that is equivalent to `url`. The result is one of
    /// [`urls`](Self::urls). Returns `None` if the user named no such URL.
    pub(super) fn find(&self, url: &str) -> Option<&str> {
        self.urls
            .get(&form(Key::of_normal(url).as_str()))
            .map(Key::as_str)
    }

    /// True if a URL or pattern that the user named matches `url`.
    pub(super) fn matches(&self, url: &str) -> bool {
        if self.find(url).is_some() {
            return true;
        }
        if self.patterns.is_empty() {
            return false;
        }
        match Url::parse(url) {
            Ok(url) => self.patterns.iter().any(|pattern| pattern.names(&url)),
            Err(_) => false,
        }
    }
}

/// Returns the site of a URL. If the URL has no site, as a `file:` URL, returns `None`.
fn site(url: &Url) -> Option<String> {
    url.origin().is_tuple().then(|| authority(url))
}

/// Returns the normalized form of a URL. Equivalent percent-encodings of a URL have the same form.
pub(super) fn form(url: &str) -> Vec<u8> {
    MatchSubject::new(url).normal().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_one_page_and_a_pattern_all_that_match_to_the_end() {
        for (named, url, expected) in [
            ("https://a.example/x", "https://a.example/x", true),
            ("HTTPS://A.example:443/x#part", "https://a.example/x", true),
            ("https://a.example/x", "https://a.example/xy", false),
            ("https://a.example/x", "https://a.example/X", false),
            ("https://a.example/x", "https://a.example/x?page=2", false),
            ("https://a.example/x*", "https://a.example/xy", true),
            ("https://a.example/*", "http://a.example/", false),
            ("*://a.example/*", "http://a.example/", true),
            ("/drafts/*", "https://b.example/drafts/one", true),
            ("/drafts/*", "https://b.example/old/drafts/one", false),
            ("/drafts/one", "https://b.example/drafts/one", true),
            ("/drafts/one", "https://b.example/drafts/one.html", false),
            ("//drafts/*", "https://b.example/drafts/one", false),
            ("/\\drafts/*", "https://b.example/drafts/one", false),
            ("//drafts/*", "https://b.example//drafts/one", true),
            (
                "https://A.example/Drafts/*",
                "https://a.example/Drafts/One",
                true,
            ),
            (
                "https://a.example/Drafts/*",
                "https://a.example/drafts/one",
                false,
            ),
            (
                "https://a.example/docs/c#a*",
                "https://a.example/docs/csharp",
                false,
            ),
            ("https://a.exam*", "https://a.example/x", true),
            ("https://a.example:443/x*", "https://a.example/xy", true),
            ("https://a.example/~me/", "https://a.example/%7Eme/", true),
            ("https://a.example/%7eme/", "https://a.example/~me/", true),
            ("https://a.example/a%2fb", "https://a.example/a%2Fb", true),
            ("https://a.example/a%2Fb", "https://a.example/a/b", false),
        ] {
            let mut takedown = Takedown::default();
            assert!(takedown.is_empty());
            takedown.add(named).unwrap();
            assert!(!takedown.is_empty());
            assert_eq!(takedown.matches(url), expected, "{named} {url}");
        }
        for bad in ["", "a.example/x", "drafts", "# a comment", "a*b"] {
            assert!(Takedown::default().add(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_sites_of_what_is_named() {
        for (named, expected) in [
            ("https://A.example:443/x", Some("https://a.example")),
            ("https://me@a.example/x", Some("https://a.example")),
            ("http://a.example:81/*", Some("http://a.example:81")),
            ("https://a.example/x*#y", Some("https://a.example")),
            ("https://a.exam*", None),
            ("https://*.example/x", None),
            ("*://a.example/*", None),
            ("/drafts/", None),
            ("file:///x", None),
        ] {
            let mut takedown = Takedown::default();
            takedown.add("https://b.example/").unwrap();
            takedown.add(named).unwrap();
            let sites = expected.map(|site| [site, "https://b.example"].map(str::to_owned).into());
            assert_eq!(takedown.only_sites(), sites, "{named}");
            let path = named.starts_with('/').then_some(named);
            assert_eq!(takedown.path_pattern(), path, "{named}");
        }
        assert_eq!(Takedown::default().only_sites(), Some(BTreeSet::new()));
    }

    #[test]
    fn a_page_is_named_with_its_stars() {
        let mut takedown = Takedown::default();
        takedown.add_page("https://a.example/*").unwrap();
        assert!(
            takedown.matches("https://a.example/*") && takedown.matches("https://a.example/%2A")
        );
        assert!(
            !takedown.matches("https://a.example/x") && !takedown.matches("https://a.example/")
        );
        for bad in ["", "/drafts/*", "*://a.example/*"] {
            assert!(Takedown::default().add_page(bad).is_err(), "{bad}");
        }
    }
}
