//! Facts about an index that each HTML page of a search shows.

use std::time::SystemTime;

use crate::wording;
use heedful::{Landmark, Landmarks};

use super::address::address;
use super::filters::{FilterControls, FilterFacts, SearchFilters};
use super::frame::{Frame, FrameInfo, STYLE};
use super::shown;

/// Facts about an index that all HTML pages of its search show, and settings for these HTML pages.
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
    /// Name of the bot whose permissions decided what was indexed. If it is empty, the HTML pages
    /// of the search show no facts about the index.
    pub bot: &'a str,
    /// Earliest and latest time at which a page was fetched. Only pages that a search can find are
    /// considered. `None` if no fetch time is known.
    pub fetched: Option<(SystemTime, SystemTime)>,
    /// Origin that serves copies of pages, such as `http://127.0.0.1:8081`. If `None`, the pages of
    /// the search have no links to copies.
    pub copies: Option<&'a str>,
    /// Languages that the indexed pages declare, as primary subtags such as `de`. Each language is
    /// paired with the number of pages that declare it. The most frequent language comes first.
    pub languages: &'a [(String, u64)],
    /// Landmarks whose text was indexed. Landmarks are regions of a page, such as `main` and
    /// `navigation`. `None` if the text of all landmarks was indexed.
    pub landmarks: Option<Landmarks>,
    /// Filters that are chosen. Links to other pages of the search keep them.
    pub filters: SearchFilters<'a>,
    /// Current time, from which the past week, month and year are counted. `None` if the controls
    /// shall not offer these periods.
    pub now: Option<SystemTime>,
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
            filters: FilterControls::new(&self.filter_facts(), &self.filters),
            about: Some(FrameInfo {
                bot: shown::line(self.bot),
                fetched,
                what_is_read: self.what_is_read(),
            }),
            is_start: false,
            is_refused: false,
        }
    }

    /// Returns a text that tells people which parts of each page were indexed, and that words in
    /// navigation count little. The text is empty if there is nothing to tell.
    fn what_is_read(&self) -> String {
        if self.bot.is_empty() {
            return String::new();
        }
        let has_navigation = self
            .landmarks
            .is_none_or(|landmarks| landmarks.contains(Some(Landmark::Navigation)));
        let mut sentences = Vec::new();
        if let Some(landmarks) = self.landmarks {
            let names = landmarks.to_string().replace(',', ", ");
            let names = names.replace("none", "text outside of landmarks");
            sentences.push(format!("Of each page this was read: {names}."));
        }
        if has_navigation {
            sentences.push(
                "Words in navigation count little, and excerpts prefer the rest of the page."
                    .to_owned(),
            );
        }
        sentences.join(" ")
    }

    fn filter_facts(&self) -> FilterFacts<'_> {
        FilterFacts {
            languages: self.languages,
            hosts: self.hosts,
            has_days: self.fetched.is_some(),
            now: self.now,
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

    /// Returns the address of the copy of the page at `url`. Returns `None` if no origin serves
    /// copies.
    pub(super) fn copy_address(&self, url: &str) -> Option<String> {
        let path = format!("{}/copy", self.copies?);
        Some(address(&path, &[("url", url)]))
    }
}
