//! The URL of a page, in the forms in which it is compared with patterns. There are patterns of
//! robots.txt rules, and patterns of whole URLs. Each form is computed once, for any number of
//! patterns.

use std::cell::OnceCell;

use url::{Position, Url};

use heedful_base::address::path_and_query;

use super::matching::{self, MatchSubject};

/// URL of a page, prepared for comparisons with patterns.
#[doc(hidden)]
#[derive(Debug)]
pub struct PageUrl<'a> {
    /// The page's whole URL in normal form, without its fragment.
    whole: &'a str,
    /// Path of the URL with its query, in the URL's normal form.
    plain_path: &'a str,
    /// Path of the URL with its query, prepared for comparisons with patterns of rules.
    path: MatchSubject<'a>,
    /// Whole URL in lower case, prepared for comparisons with patterns of URLs.
    lower: OnceCell<MatchSubject<'static>>,
}

impl<'a> PageUrl<'a> {
    /// Prepares a parsed URL for comparisons with patterns. Its fragment is ignored.
    #[doc(hidden)]
    pub fn new(url: &'a Url) -> Self {
        Self::of_normal(&url[..Position::AfterQuery], path_and_query(url))
    }

    /// Prepares `whole`, a URL in normal form without its fragment, for comparisons with patterns.
    /// `path` is the path of that URL with its query.
    #[doc(hidden)]
    pub fn of_normal(whole: &'a str, path: &'a str) -> Self {
        Self {
            whole,
            plain_path: path,
            path: MatchSubject::with_form(
                path,
                matching::normal_form(path.as_bytes()),
                host_of(whole, path),
            ),
            lower: OnceCell::new(),
        }
    }

    /// Path of the URL with its query, for comparisons with patterns of rules.
    #[doc(hidden)]
    pub fn path(&self) -> &MatchSubject<'a> {
        &self.path
    }

    /// Whole URL in lower case. It is compared with patterns of URLs, and such comparisons ignore
    /// case.
    #[doc(hidden)]
    pub fn whole(&self) -> &MatchSubject<'static> {
        self.lower
            .get_or_init(|| MatchSubject::new(&self.whole.to_ascii_lowercase()).into_owned())
    }

    /// The page's whole URL in normal form, without its fragment.
    pub(super) fn as_str(&self) -> &'a str {
        self.whole
    }

    /// Path of the page's URL with its query, in normal form.
    pub(super) fn path_as_str(&self) -> &'a str {
        self.plain_path
    }
}

/// Returns the host of `whole`, a URL in normal form, with its port. `path` is the path of that URL
/// with its query. Returns `None` if the URL has no host.
fn host_of<'a>(whole: &'a str, path: &str) -> Option<&'a str> {
    let (_, authority) = whole.strip_suffix(path)?.split_once("://")?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    (!host.is_empty()).then_some(host)
}
