//! Applies the operator's denials by URL (docs/semantics.md, section 4.6). They add denials and
//! never allow anything.

use url::Url;

use crate::convention;
use crate::policy::Uses;
use heedful_base::address::path_and_query;
use heedful_base::error::Result;
use heedful_robots::{PageUrl, Pattern};

use super::rule_hits::RuleHits;

/// A denial by the operator: the denied uses, and a pattern of URLs.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Denial {
    pub denies: Uses,
    /// The pattern in the spelling of the operator, not normalized.
    pub text: String,
    pattern: Pattern,
    /// Flag that is set once the denial has matched a page. All copies of the denial share the
    /// flag.
    hit: RuleHits,
}

impl Denial {
    pub(crate) fn new(denies: Uses, pattern: &str) -> Result<Self> {
        Ok(Self::from_valid(denies, convention::url_pattern(pattern)?))
    }

    /// Returns a denial with a pattern that is known to be valid.
    pub(super) fn from_valid(denies: Uses, pattern: &str) -> Self {
        let normal = normal_pattern(pattern);
        // Patterns of whole URLs are compared in lower case.
        let normal = if pattern.starts_with('/') {
            normal
        } else {
            normal.to_ascii_lowercase()
        };
        Self {
            denies,
            text: pattern.to_owned(),
            pattern: Pattern::new(&normal),
            hit: RuleHits::new(1),
        }
    }

    /// True if the denial's pattern matches `page`. A pattern with a leading slash is compared with
    /// path and query, any other with the whole URL.
    #[doc(hidden)]
    pub fn is_about(&self, page: &PageUrl<'_>) -> bool {
        let is_about = self.pattern.matches(if self.text.starts_with('/') {
            page.path()
        } else {
            page.whole()
        });
        if is_about {
            self.hit.set(0);
        }
        is_about
    }

    /// True if the denial has matched a page.
    pub(super) fn is_met(&self) -> bool {
        self.hit.is_set(0)
    }
}

/// Returns the normal form of a pattern of paths or of whole URLs. URLs are brought into the same
/// form before they are compared with the pattern.
pub fn normal_pattern(pattern: &str) -> String {
    let (plain, rest) = pattern.split_at(pattern.find(['*', '$']).unwrap_or(pattern.len()));
    if pattern.starts_with('/') {
        let plain = plain.split('#').next().unwrap_or_default();
        let (path, query) = match plain.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (plain, None),
        };
        let Ok(mut url) = Url::parse("https://site.example/") else {
            return plain.to_owned() + rest;
        };
        // A path that begins with two slashes must not be parsed as a host.
        url.set_path(path);
        url.set_query(query);
        return path_and_query(&url).to_owned() + rest;
    }
    // The host is complete only if something ends it. Otherwise it may continue after the star, and
    // has no normal form yet.
    let is_ended = match plain.split_once("://") {
        Some((_, rest)) => rest.contains(['/', '\\', '?', '#']),
        None => false,
    };
    let is_complete = is_ended || matches!(rest, "" | "$");
    match Url::parse(plain) {
        Ok(url) if is_complete => url[..url::Position::AfterQuery].to_owned() + rest,
        _ => plain.to_ascii_lowercase() + rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let page =
            Url::parse("https://shop.example/a/b?sort=1#top").unwrap_or_else(|_| unreachable!());
        let is_about = |pattern: &str| {
            Denial::new(Uses::NONE, pattern).map(|denial| denial.is_about(&PageUrl::new(&page)))
        };
        for (pattern, expected) in [
            ("/a", true),
            ("/a/b?sort=1$", true),
            ("/a/b$", false),
            ("/*sort=", true),
            ("/b", false),
            ("//b", false),
            ("//a/", false),
            ("https://Shop.example/a", true),
            ("https://shop.example/b", false),
            ("https://*/a/", true),
            ("*.example/a", true),
            ("http://", false),
            ("*.Example/A", true),
            ("https://shop.example:443/a", true),
            ("https://shop.example/a/b#x", true),
            ("/c/../a/b", true),
            ("https://shop.exam*", true),
            ("https://shop.example", true),
            ("https://shop.example$", false),
            ("https://shop.example?*", false),
        ] {
            assert_eq!(is_about(pattern).ok(), Some(expected), "{pattern}");
        }
        let root = Url::parse("https://shop.example/?a").unwrap_or_else(|_| unreachable!());
        for (pattern, expected) in [
            ("https://shop.example$", false),
            ("https://shop.example?a$", true),
            ("HTTPS://Shop.example?*", true),
            ("https://shop.example#*", true),
            ("https://shop.example:443?a", true),
        ] {
            let denial = Denial::new(Uses::NONE, pattern)
                .map(|denial| denial.is_about(&PageUrl::new(&root)));
            assert_eq!(denial.ok(), Some(expected), "{pattern}");
        }
        assert!(is_about("shop.example/a").is_err());
    }
}
