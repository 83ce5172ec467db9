//! Facts about an index that each HTML page of a search shows.

use std::time::SystemTime;

use crate::wording;

use super::frame::{Frame, FrameInfo, STYLE, address};
use super::shown;

/// Facts about an index that each page of a search shows, and settings of these HTML pages.
///
/// ```
/// use heedful_report::search::SearchSite;
///
/// let site = SearchSite { pages: 41, hosts: 1, bot: "foobot", ..SearchSite::default() };
/// assert!(site.start().contains("Search 41 pages of 1 host"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SearchSite<'a> {
    /// Number of indexed pages that a search can find.
    pub pages: u64,
    /// Number of hosts of the pages that a search can find.
    pub hosts: u64,
    /// Name of the bot for which the pages were read. If it is empty, the pages of the search show
    /// no facts about the index.
    pub bot: &'a str,
    /// Earliest and latest time at which the pages that a search can find were fetched.
    pub fetched: Option<(SystemTime, SystemTime)>,
    /// Origin that serves copies of pages, such as `http://127.0.0.1:8081`. If it is `None`, no
    /// page of the search links to a copy.
    pub copies: Option<&'a str>,
}

impl SearchSite<'_> {
    pub(super) fn frame(&self, query: &str) -> Frame {
        let mut fetched = None;
        if let Some((first, last)) = self.fetched {
            let first = shown::day(first);
            let last = shown::day(last);
            // Pages may have no capture time, and most pages of a search are about one page only.
            fetched = Some(if first == last {
                format!("fetched on {last} where the day is known")
            } else {
                format!("fetched from {first} to {last} where the day is known")
            });
        }
        Frame {
            style: STYLE,
            label: self.label(),
            query: shown::line(query),
            about: Some(FrameInfo {
                bot: shown::line(self.bot),
                fetched,
            }),
            is_start: false,
            is_refused: false,
        }
    }

    fn label(&self) -> String {
        if self.bot.is_empty() {
            return "Search".to_owned();
        }
        format!(
            "Search {} of {}",
            wording::count(self.pages, "page"),
            wording::count(self.hosts, "host")
        )
    }

    /// Returns the address of the copy of the page at `url`. Returns `None` if no copies are
    /// served.
    pub(super) fn copy_address(&self, url: &str) -> Option<String> {
        let path = format!("{}/copy", self.copies?);
        Some(address(&path, &[("url", url)]))
    }
}
