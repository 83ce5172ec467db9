//! Helpers that several tests of the life of an index share.

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use heedful::{Bot, Conventions, Filter};
use heedful_index::{Index, Query, Search, UrlState, Writer};
use tempfile::TempDir;

pub(crate) fn bot() -> Bot {
    Bot::new("FooBot").unwrap()
}

/// Returns the conventions of the web, and the convention `noindex-record`: a robots.txt record
/// that no bot obeys any more.
pub(crate) fn conventions() -> Conventions {
    Conventions::parse("web,+noindex-record").unwrap()
}

pub(crate) fn filter() -> Filter {
    static FILTER: LazyLock<Filter> =
        LazyLock::new(|| Filter::new(bot()).conventions(conventions()).snapshots());
    FILTER.clone()
}

pub(crate) fn create(folder: &Path) -> Index {
    Index::create(folder, &filter()).unwrap()
}

/// Returns a new temporary folder. It is in memory if possible, because a commit waits for the
/// disk.
pub(crate) fn folder() -> TempDir {
    TempDir::new_in("/dev/shm")
        .or_else(|_| TempDir::new())
        .unwrap()
}

/// Creates an index of these pages, each with a URL and HTML. Returns its temporary folder, and the
/// index.
pub(crate) fn index(pages: &[(&str, &str)]) -> (TempDir, Index) {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    for (url, html) in pages {
        add(&mut writer, url, html);
    }
    writer.commit().unwrap();
    (folder, index)
}

pub(crate) fn add(writer: &mut Writer, url: &str, html: &str) {
    writer
        .add(&filter().page(url, &[], html.as_bytes()).unwrap())
        .unwrap();
}

/// Returns the URLs of all pages that a query finds, sorted.
pub(crate) fn found(index: &Index, query: &str) -> Vec<String> {
    found_at(&index.search().unwrap(), query, None)
}

pub(crate) fn found_at(search: &Search, query: &str, now: Option<SystemTime>) -> Vec<String> {
    let mut asked = Query::new(query).most(100_000);
    if let Some(now) = now {
        asked = asked.now(now);
    }
    let found = search.find(&asked).unwrap();
    let mut urls: Vec<_> = found
        .hits()
        .iter()
        .map(|hit| hit.url().to_owned())
        .collect();
    assert_eq!(urls.len() as u64, found.total(), "{query}");
    urls.sort();
    urls
}

/// Returns the source URL, the target URL and the text of each anchor text in an index, sorted.
pub(crate) fn anchors(search: &Search) -> Vec<[String; 3]> {
    let anchors = search.anchors().unwrap();
    anchors
        .iter()
        .map(|anchor| [anchor.source(), anchor.target(), anchor.text()].map(str::to_owned))
        .collect()
}

/// Returns the tombstones of an index, sorted. Each has the URL, the reason, and the text of the
/// statement that caused it.
pub(crate) fn gone(search: &Search) -> Vec<[String; 3]> {
    let said = |url: String| match search.known(&url, None).unwrap() {
        Some(UrlState::Gone { reason, why }) => [url, reason.to_string(), why],
        known => panic!("{url} is gone and {known:?}"),
    };
    search
        .tombstone_urls()
        .unwrap()
        .into_iter()
        .map(said)
        .collect()
}

/// Returns the pages of an index that have a snapshot. Each has the URL, and the snapshot as HTML.
pub(crate) fn snapshots(search: &Search) -> Vec<(String, String)> {
    let urls = search.urls().unwrap().into_iter();
    urls.filter_map(|url| search.snapshot(&url, None).unwrap().map(|html| (url, html)))
        .collect()
}

pub(crate) fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Generator of random numbers. The same seed gives the same numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((bits ^ (bits >> 31)) >> 1).unwrap() % end
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Returns a number from the environment variable `name`. Returns `otherwise` if the variable is
/// not set.
pub(crate) fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}
