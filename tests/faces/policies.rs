//! Fuzzes for pages on which two passes differ in their policies or errors: a pass for policies
//! alone, and a whole pass.
//!
//! The first fuzzed byte decides what the following bytes are: a page, or the choices that generate
//! one. The second byte decides in which pieces the page is passed.

use std::sync::LazyLock;

use heedful::{Bot, Conventions, Filter, Limits};

use super::alike::{Given, difference};
use super::soup;

static FILTERS: LazyLock<[Filter; 5]> = LazyLock::new(|| {
    let bots = || {
        ["FooBot", "BarBot", "Googlebot"]
            .map(|name| Bot::new(name).expect("a name"))
            .into()
    };
    let filter = |conventions: &str, own: &str| {
        let conventions = Conventions::parse(conventions)
            .and_then(|conventions| conventions.toml(own))
            .expect("conventions");
        Filter::for_bots(bots())
            .expect("three bots")
            .conventions(conventions)
    };
    let low = Limits::default()
        .tag_bytes(60)
        .attributes(3)
        .directives(9)
        .exclusions(6)
        .links(7)
        .noscript_bytes(30);
    let all = filter("all", "");
    [
        filter("web", ""),
        all.clone(),
        filter("all", soup::OWN),
        filter("none,+meta,+pagefind-body", ""),
        all.limits(low),
    ]
});

pub(super) fn run(data: &[u8]) {
    let [first, second, rest @ ..] = data else {
        return;
    };
    let page = match first % 4 {
        0 => {
            let mut bytes = rest.iter();
            soup::page(rest.len() / 3, &mut |n| {
                usize::from(*bytes.next().unwrap_or(&0)) % n
            })
            .into_bytes()
        }
        _ => rest.to_vec(),
    };
    let filter = &FILTERS[usize::from(*second) % FILTERS.len()];
    let given = Given {
        is_utf8: second & 0x40 != 0,
        is_cut: second & 0x80 != 0,
        ..Given::default()
    };
    if let Some(difference) = difference(filter, &page, given, usize::from(first / 4)) {
        panic!("{difference}");
    }
}
