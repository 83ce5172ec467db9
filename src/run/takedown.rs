//! The pages that a user names to have them removed: by URL, or by a pattern.
//!
//! A URL names that page alone, in any spelling that leads to it. A pattern has stars, as in robots.txt, but it must
//! match to the end: a takedown of one page never takes another one whose URL begins in the same way.

use std::collections::BTreeSet;

use url::Url;

use crate::address::Key;
use crate::error::{Error, Result};
use crate::policy::Facets;
use crate::scope::Denial;

/// The pages that are named.
#[derive(Debug, Default)]
pub(super) struct Takedown {
    urls: BTreeSet<Key<'static>>,
    patterns: Vec<Denial>,
}

impl Takedown {
    /// Adds a URL; or, with a star, a pattern of URLs, or of paths if it begins with `/`.
    pub(super) fn add(&mut self, named: &str) -> Result<()> {
        let named = named.trim();
        match Url::parse(named) {
            Ok(url) if !named.contains('*') => {
                self.urls.insert(Key::of_url(&url).into_owned());
            }
            _ if named.contains('*') || named.starts_with('/') => {
                let is_anchored = named.ends_with(['*', '$']);
                let pattern = if is_anchored { named.to_owned() } else { format!("{named}$") };
                self.patterns.push(Denial::new(Facets::NONE, &pattern)?);
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
            && Url::parse(url).is_ok_and(|url| self.patterns.iter().any(|pattern| pattern.is_about(&url)))
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
        ] {
            let mut takedown = Takedown::default();
            assert!(takedown.is_empty());
            takedown.add(named).unwrap();
            assert!(!takedown.is_empty());
            assert_eq!(takedown.names(url), expected, "{named} {url}");
        }
        for bad in ["", "a.example/x", "drafts", "# a comment"] {
            assert!(Takedown::default().add(bad).is_err(), "{bad}");
        }
    }
}
