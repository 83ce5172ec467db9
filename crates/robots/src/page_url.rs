//! The URL of a page, in the forms that patterns are compared with. Each form is made once, however
//! many patterns there are.

use std::cell::OnceCell;

use url::{Position, Url};

use heedful_base::address::path_and_query;

use super::matching::MatchSubject;

/// The URL of a page, ready to be compared with patterns.
#[doc(hidden)]
#[derive(Debug)]
pub struct PageUrl<'a> {
    /// The URL in normal form, without its fragment.
    whole: &'a str,
    plain_path: &'a str,
    path: MatchSubject<'a>,
    lower: OnceCell<MatchSubject<'static>>,
}

impl<'a> PageUrl<'a> {
    #[doc(hidden)]
    pub fn new(url: &'a Url) -> Self {
        Self::of_normal(&url[..Position::AfterQuery], path_and_query(url))
    }

    /// The page of a URL in normal form without its fragment. `path` is its path with the query.
    #[doc(hidden)]
    pub fn of_normal(whole: &'a str, path: &'a str) -> Self {
        Self {
            whole,
            plain_path: path,
            path: MatchSubject::new(path).with_host(host_of(whole, path)),
            lower: OnceCell::new(),
        }
    }

    /// The path with its query.
    #[doc(hidden)]
    pub fn path(&self) -> &MatchSubject<'a> {
        &self.path
    }

    /// The whole URL. Case does not count in it.
    #[doc(hidden)]
    pub fn whole(&self) -> &MatchSubject<'static> {
        self.lower
            .get_or_init(|| MatchSubject::new(&self.whole.to_ascii_lowercase()).into_owned())
    }

    /// The whole URL as written.
    pub(super) fn as_str(&self) -> &'a str {
        self.whole
    }

    /// The path with its query, as written.
    pub(super) fn path_as_str(&self) -> &'a str {
        self.plain_path
    }
}

/// The host of a URL in normal form, with its port. `path` is the end of the URL.
fn host_of<'a>(whole: &'a str, path: &str) -> Option<&'a str> {
    let (_, authority) = whole.strip_suffix(path)?.split_once("://")?;
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    (!host.is_empty()).then_some(host)
}
