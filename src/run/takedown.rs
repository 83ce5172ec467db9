//! The pages that a user names to have them removed: by URL, or by a pattern.
//!
//! A URL names that page alone; its fragment says nothing. A pattern has stars, as in robots.txt, but it must match to
//! the end, and case counts behind the host. A takedown of one page never takes another one whose URL begins in the same
//! way: what an operator denies may be too much, but what is removed is lost.

use std::collections::BTreeSet;

use url::{Position, Url};

use crate::address::{Key, path_and_query};
use crate::error::{Error, Result};
use crate::robots_txt::{Pattern, Subject};
use crate::scope::normal_pattern;

/// The pages that are named.
#[derive(Debug, Default)]
pub(super) struct Takedown {
    urls: BTreeSet<Key<'static>>,
    patterns: Vec<NamedPattern>,
}

/// A pattern of URLs, or of paths.
#[derive(Debug)]
struct NamedPattern {
    is_path: bool,
    pattern: Pattern,
}

impl NamedPattern {
    /// A pattern that must match to the end.
    fn new(named: &str) -> Self {
        let is_anchored = named.ends_with(['*', '$']);
        let normal = normal_pattern(named);
        let pattern = if is_anchored { normal } else { normal + "$" };
        Self { is_path: named.starts_with('/'), pattern: Pattern::new(&pattern) }
    }

    fn names(&self, url: &Url) -> bool {
        let named = if self.is_path { path_and_query(url) } else { &url[..Position::AfterQuery] };
        self.pattern.matches(&Subject::of(named))
    }
}

impl Takedown {
    /// Adds a URL; or, with a star, a pattern of URLs, or of paths if it begins with `/`.
    pub(super) fn add(&mut self, named: &str) -> Result<()> {
        let named = named.split('#').next().unwrap_or_default().trim();
        match Url::parse(named) {
            Ok(url) if !named.contains('*') => {
                self.urls.insert(Key::of_url(&url).into_owned());
            }
            _ if named.starts_with(['/', '*']) || named.contains("://") && named.contains('*') => {
                self.patterns.push(NamedPattern::new(named));
            }
            _ => {
                let message =
                    format!("`{named}` is neither a URL, as https://site.example/page, nor a path, as /drafts/*");
                return Err(Error::setting(message));
            }
        }
        Ok(())
    }

    /// True if nothing is named.
    pub(super) fn is_empty(&self) -> bool {
        self.urls.is_empty() && self.patterns.is_empty()
    }

    /// The URLs that name one page each.
    pub(super) fn urls(&self) -> impl Iterator<Item = &str> {
        self.urls.iter().map(Key::as_str)
    }

    /// True if a page with this URL is named.
    pub(super) fn names(&self, url: &str) -> bool {
        if self.urls.contains(Key::of_normal(url).as_str()) {
            return true;
        }
        !self.patterns.is_empty()
            && Url::parse(url).is_ok_and(|url| self.patterns.iter().any(|pattern| pattern.names(&url)))
    }
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
            ("https://A.example/Drafts/*", "https://a.example/Drafts/One", true),
            ("https://a.example/Drafts/*", "https://a.example/drafts/one", false),
            ("https://a.example/docs/c#a*", "https://a.example/docs/csharp", false),
            ("https://a.exam*", "https://a.example/x", true),
            ("https://a.example:443/x*", "https://a.example/xy", true),
        ] {
            let mut takedown = Takedown::default();
            assert!(takedown.is_empty());
            takedown.add(named).unwrap();
            assert!(!takedown.is_empty());
            assert_eq!(takedown.names(url), expected, "{named} {url}");
        }
        for bad in ["", "a.example/x", "drafts", "# a comment", "a*b"] {
            assert!(Takedown::default().add(bad).is_err(), "{bad}");
        }
    }
}
