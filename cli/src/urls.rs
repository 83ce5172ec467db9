//! URLs from a list, a sitemap or an index.

use std::path::Path;

use heedful::{ErrorKind, Result, Url};
use heedful_index::Index;
use heedful_input::{UrlList, url_list};

use crate::ending::setting;
use crate::terms_args::contents;

/// The URLs of a file or an index; its content decides which it is.
pub(crate) fn read(path: &Path) -> Result<Vec<String>> {
    if path.is_dir() {
        of_index(path)
    } else {
        Ok(of_file(path)?.urls)
    }
}

/// The same, and true if each is a URL and never a pattern.
pub(crate) fn read_list(path: &Path) -> Result<(Vec<String>, bool)> {
    if path.is_dir() {
        return Ok((of_index(path)?, true));
    }
    let list = of_file(path)?;
    Ok((list.urls, list.is_sitemap))
}

/// The URLs of pages, of a file or an index. A line that is none is a mistake: nothing would be
/// found for it.
pub(crate) fn of_pages(path: &Path) -> Result<Vec<String>> {
    let urls = read(path)?;
    let is_whole = urls.iter().try_for_each(|url| check(url));
    is_whole.map_err(|error| setting(format!("{}: {error}", path.display())))?;
    Ok(urls)
}

/// Fails unless a URL is whole.
pub(crate) fn check(url: &str) -> Result<()> {
    Url::parse(url).map(drop).map_err(|_| {
        ErrorKind::Url {
            url: url.to_owned(),
        }
        .into()
    })
}

fn of_index(path: &Path) -> Result<Vec<String>> {
    Index::open(path)?.search()?.urls()
}

fn of_file(path: &Path) -> Result<UrlList> {
    url_list(&contents(path)?).map_err(|error| setting(format!("{}: {error}", path.display())))
}
