//! URLs from a list, a sitemap or an index.

use std::path::Path;

use heedful::Result;
use heedful::index::Index;
use heedful::input::url_list;

use crate::ending::setting;
use crate::terms_args::contents;

/// The URLs of a file or an index; its content decides which it is.
pub(crate) fn from(path: &Path) -> Result<Vec<String>> {
    if path.is_dir() {
        return Index::open(path)?.search()?.urls();
    }
    url_list(&contents(path)?).map_err(|error| setting(format!("{}: {error}", path.display())))
}
