//! URL of a page in the forms that patterns are compared with. Each form is computed once, for any
//! number of patterns.

use std::cell::OnceCell;

use url::{Position, Url};

use heedful_base::address::path_and_query;

use super::matching::MatchSubject;

/// URL of a page, prepared for comparisons with patterns.
#[doc(hidden)]
#[derive(Debug)]
pub struct PageUrl<'a> {
    /// URL in normal form, without its fragment.
    whole: &'a str,
    /// Path with its query in normal form, as in the URL.
    plain_path: &'a str,
    /// Path with its query, prepared for patterns of rules.
    path: MatchSubject<'a>,
    /// Whole URL in lower case, prepared for patterns of URLs.
    lower: OnceCell<MatchSubject<'static>>,
}

impl<'a> PageUrl<'a> {
    /// Prepares a parsed URL; its fragment is ignored.
    #[doc(hidden)]
    pub fn new(url: &'a Url) -> Self {
        Self::of_normal(&url[..Position::AfterQuery], path_and_query(url))
    }

    /// Prepares a URL in normal form without its fragment. `path` is its path with the query.
    #[doc(hidden)]
    pub fn of_normal(whole: &'a str, path: &'a str) -> Self {
        Self {
            whole,
            plain_path: path,
            path: MatchSubject::new(path).with_host(host_of(whole, path)),
            lower: OnceCell::new(),
        }
    }

    /// Path with its query, for patterns of rules.
    #[doc(hidden)]
    pub fn path(&self) -> &MatchSubject<'a> {
        &self.path
    }

    /// Whole URL in lower case, for patterns that ignore case.
    #[doc(hidden)]
    pub fn whole(&self) -> &MatchSubject<'static> {
        self.lower
            .get_or_init(|| MatchSubject::new(&self.whole.to_ascii_lowercase()).into_owned())
    }

    /// Whole URL in normal form.
    pub(super) fn as_str(&self) -> &'a str {
        self.whole
    }

    /// Path with its query in normal form.
    pub(super) fn path_as_str(&self) -> &'a str {
        self.plain_path
    }
}

/// Returns the host of a URL in normal form, with its port. `path` is the URL's path with the
/// query.
fn host_of<'a>(whole: &'a str, path: &str) -> Option<&'a str> {
    let (_, authority) = whole.strip_suffix(path)?.split_once("://")?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    (!host.is_empty()).then_some(host)
}
