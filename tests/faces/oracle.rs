//! Fuzzes for pages on which the streaming filter and the finished tree of the page disagree.
//!
//! The blocks and the text of each page must have the words of its phrases.
//!
//! The first fuzzed byte decides what the following bytes are: a page, or the choices that generate
//! one.

use std::sync::LazyLock;

use heedful::{Bot, Conventions, Filter, Limits};
use heedful_verify::{Surroundings, compare};

use super::blocks::blocks_differ;
use super::soup;

static FILTERS: LazyLock<[Filter; 6]> = LazyLock::new(|| {
    let bots = || {
        ["FooBot", "BarBot"]
            .map(|name| Bot::new(name).expect("a name"))
            .into()
    };
    let filter = |conventions: &str, own: &str| {
        let conventions = Conventions::parse(conventions)
            .and_then(|conventions| conventions.toml(own))
            .expect("conventions");
        Filter::for_bots(bots())
            .expect("two bots")
            .conventions(conventions)
    };
    let at_once = |filter: Filter| filter.limits(Limits::default().kept_bytes(0));
    let [web, all, own] = [
        filter("web", ""),
        filter("all", ""),
        filter("all", soup::OWN),
    ];
    [
        web.clone(),
        at_once(web),
        all.clone(),
        at_once(all),
        own.clone(),
        at_once(own),
    ]
});

pub(super) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let page = if first % 4 == 0 {
        String::from_utf8_lossy(rest).into_owned()
    } else {
        let mut bytes = rest.iter();
        soup::page(rest.len() / 3, &mut |n| {
            usize::from(*bytes.next().unwrap_or(&0)) % n
        })
    };
    if has_long_reference(&page) {
        return;
    }
    let filter = &FILTERS[usize::from(first / 4 % 6)];
    let around = Surroundings {
        is_utf8: true,
        ..Surroundings::default()
    };
    const URL: &str = "https://site.example/dir/page";
    let mut pass = filter.open(URL).expect("a URL");
    let pages = pass.write(page.as_bytes()).and_then(|()| pass.end_each());
    for read in pages.iter().flatten() {
        assert!(!blocks_differ(read), "{page:?} has blocks of another text");
    }
    if let Ok(comparison) = compare(filter, URL, page.as_bytes(), &around) {
        assert!(
            comparison.leaks().is_empty(),
            "{page:?} leaks {:?}",
            comparison.leaks()
        );
        let over = comparison.over_exclusions();
        assert!(
            over.is_empty() || comparison.is_explained(),
            "{page:?} withholds {over:?}"
        );
    }
}

/// True if the page contains a numeric character reference of more than 64 bytes. The streaming
/// filter does not decode it, but a tree builder does.
fn has_long_reference(page: &str) -> bool {
    let digits = |rest: &str| rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    page.split("&#").skip(1).any(|rest| digits(rest) > 60)
}
