//! URLs from a list, a sitemap or an index.

use std::path::Path;

use heedful::Result;
use heedful::index::Index;
use heedful::input::{UrlList, url_list};

use crate::ending::setting;
use crate::terms_args::contents;

/// The URLs of a file or an index; its content decides which it is.
pub(crate) fn from(path: &Path) -> Result<Vec<String>> {
    if path.is_dir() { of_index(path) } else { Ok(of_file(path)?.urls) }
}

/// The same, and true if each is a URL and never a pattern.
pub(crate) fn named(path: &Path) -> Result<(Vec<String>, bool)> {
    if path.is_dir() {
        return Ok((of_index(path)?, true));
    }
    let list = of_file(path)?;
    Ok((list.urls, list.is_sitemap))
}

fn of_index(path: &Path) -> Result<Vec<String>> {
    Index::open(path)?.search()?.urls()
}

fn of_file(path: &Path) -> Result<UrlList> {
    url_list(&contents(path)?).map_err(|error| setting(format!("{}: {error}", path.display())))
}
