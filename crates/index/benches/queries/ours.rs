//! heedful's index, asked through its public interface.

use std::path::{Path, PathBuf};

use heedful_index::{Gone, Index, Query, Search};

use crate::web::Asked;

/// The fields of a page, without the anchor texts of links to it.
const OF_PAGE: [&str; 6] = [
    "title",
    "headings",
    "description",
    "body",
    "alt",
    "navigation",
];

/// heedful's index, with an open view for queries.
pub(crate) struct Ours {
    pub(crate) folder: PathBuf,
    index: Index,
    search: Search,
}

impl Ours {
    /// Opens heedful's index in a folder, as a new process would.
    pub(crate) fn open(folder: &Path) -> Self {
        Self::view(folder, Index::open(folder).unwrap())
    }

    fn view(folder: &Path, index: Index) -> Self {
        let search = index.search().unwrap();
        Self {
            folder: folder.to_owned(),
            index,
            search,
        }
    }

    /// Makes a commit that changes no page: it removes an unknown URL.
    pub(crate) fn commit(&self) {
        let mut writer = self.index.writer(1).unwrap();
        let url = "https://gone.example/";
        writer.remove(url, Gone::Removed, "").unwrap();
        writer.commit().unwrap();
    }

    /// Opens a new view of the same index, at its last commit.
    pub(crate) fn again(&self) -> Self {
        Self::view(&self.folder, self.index.clone())
    }

    /// Runs a query, and returns the number of matching pages. Without `is_shown` the best pages
    /// are found, but their titles and excerpts are not read.
    pub(crate) fn find(&self, asked: &Asked, is_shown: bool) -> u64 {
        let query = Query::new(&asked.text);
        let query = if is_shown {
            query.most(asked.most).skip(asked.skip)
        } else {
            query.most(0).skip(asked.most + asked.skip)
        };
        self.search.find(&query).unwrap().total()
    }

    /// Returns the number of pages that match a query by their own text, without anchor texts of
    /// links to them.
    pub(crate) fn total_without_anchors(&self, asked: &Asked) -> u64 {
        let query = Query::new(&of_pages(&asked.text)).most(0);
        self.search.find(&query).unwrap().total()
    }
}

/// Rewrites a query so that its words are searched in the pages alone, not in the anchor texts of
/// links to them.
fn of_pages(text: &str) -> String {
    if text.contains(':') {
        return text.to_owned();
    }
    let in_fields = |part: &str| {
        let (sign, part) = match part.strip_prefix('-') {
            Some(part) => ("-", part),
            None => ("", part),
        };
        let fields = OF_PAGE.map(|field| format!("{field}:{part}"));
        format!("{sign}({})", fields.join(" OR "))
    };
    if text.starts_with('"') {
        return in_fields(text);
    }
    let parts: Vec<_> = text.split_whitespace().map(in_fields).collect();
    parts.join(" ")
}
