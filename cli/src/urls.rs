//! Reads URLs from a list, a sitemap or an index.

use std::path::Path;

use heedful::{ErrorKind, Limits, Result, Url};
use heedful_index::Index;
use heedful_input::{UrlList, url_list};

use crate::ending::setting;
use crate::terms_args::contents;

/// If `path` is a folder, returns the URLs of the index in it. Otherwise returns the URLs in the
/// file at `path`.
pub(crate) fn read(path: &Path) -> Result<Vec<String>> {
    if path.is_dir() {
        Index::open(path)?.search()?.urls()
    } else {
        Ok(read_file(path)?.urls)
    }
}

/// Returns the URLs in a file. The file is a sitemap, or a text with one URL per line. The content
/// of the file decides which.
pub(crate) fn read_file(path: &Path) -> Result<UrlList> {
    let list = url_list(&contents(path)?, &Limits::default());
    list.map_err(|error| setting(format!("{}: {error}", path.display())))
}

/// Returns the URLs of pages in a file or an index. Fails if a line of the file is not a URL. A
/// search for such a line would silently find nothing.
pub(crate) fn read_pages(path: &Path) -> Result<Vec<String>> {
    let urls = read(path)?;
    for url in &urls {
        if let Err(error) = check(url) {
            return Err(setting(format!("{}: {error}", path.display())));
        }
    }
    Ok(urls)
}

/// Fails unless `url` is an absolute URL.
pub(crate) fn check(url: &str) -> Result<()> {
    match Url::parse(url) {
        Ok(_) => Ok(()),
        Err(_) => Err(ErrorKind::Url {
            url: url.to_owned(),
        }
        .into()),
    }
}
