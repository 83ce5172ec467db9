//! Compares the time for `lint` with the time for filtering the same pages.
//!
//! `cargo bench --bench lint` prints the time of lint divided by the time of the filter. Both are
//! measured side by side in one run, and the best of several rounds counts. The benchmark fails if
//! the ratio is above 2.0: lint must have at least half the speed of the filter. Pages with the
//! markup of today's sites are generated: 1,000 without a mistake and 1,000 with a mistake in each
//! card. If `HEEDFUL_DATA` is set, real pages are used too, repeated up to 10,000. The cost of
//! `explain` is in the table of the benchmark `speed`, group verbs.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../tests/support/mod.rs"]
mod real;
#[allow(dead_code, reason = "benchmarks share it")]
mod support;

use std::fmt::Write;
use std::hint::black_box;

use heedful::{Bot, Filter, RobotsTxt};
use heedful_lint as lint;

const MOST: f64 = 2.0;
const MADE_PAGES: usize = 1_000;
const REAL_PAGES: usize = 10_000;
const URL: &str = "https://site.example/dir/page";

fn main() {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let robots = [RobotsTxt::parse(
        b"User-agent: *\nDisallow: /private/\nDisallow: /*?print\n",
    )];
    let tidy: Vec<_> = (0..40).map(|number| made(number, false)).collect();
    let faulty: Vec<_> = (0..40).map(|number| made(number, true)).collect();
    assert_eq!(
        tidy.iter()
            .map(|page| linted(&filter, &robots, page))
            .sum::<usize>(),
        40,
        "tidy pages have a hint each"
    );
    assert!(
        faulty
            .iter()
            .all(|page| linted(&filter, &robots, page) > 100),
        "lint finds nothing in faulty pages"
    );
    let real = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(real::pages);
    let real: Vec<_> = real
        .map(|page| page.html)
        .filter(|page| filter.page(URL, &[], page).is_ok())
        .collect();
    let mut worst: f64 = 0.0;
    for (name, pages, all) in [
        ("tidy", tidy, MADE_PAGES),
        ("faulty", faulty, MADE_PAGES),
        ("real", real, REAL_PAGES),
    ] {
        if !pages.is_empty() {
            worst = worst.max(ratio(name, &filter, &robots, &pages, all));
        }
    }
    assert!(
        worst <= MOST,
        "lint takes {worst:.3} of the time that filtering takes"
    );
}

/// Returns the number of findings of lint in a page, hints included.
fn linted(filter: &Filter, robots: &[RobotsTxt], page: &[u8]) -> usize {
    let mut pass = lint::open(filter, URL).unwrap();
    pass.write(page).unwrap();
    lint::end(pass, URL, robots).unwrap().findings().len()
}

fn ratio(name: &str, filter: &Filter, robots: &[RobotsTxt], pages: &[Vec<u8>], all: usize) -> f64 {
    let filtered = |page: &[u8]| {
        let mut pass = filter.open(URL).unwrap();
        pass.robots_txt(&robots[0]);
        pass.write(page).unwrap();
        black_box(pass.end().unwrap());
    };
    let looked_through = |page: &[u8]| {
        black_box(linted(filter, robots, page));
    };
    let works: [support::Work<'_>; 2] = [("filter", &filtered), ("lint", &looked_through)];
    support::ratio(name, pages, all.div_ceil(pages.len()), works)
}

/// Returns a generated page like those of today's sites, with a region around its menu. A faulty
/// page has a mistake in each card (a `div` of the page).
fn made(number: usize, is_faulty: bool) -> Vec<u8> {
    let mut page = format!(
        "<!DOCTYPE html><html lang=en><head><title>Page {number}</title><meta name=robots content=\"index, noarchive\">\
         <link rel=canonical href=\"/dir/page\"></head><body><!--noindex--><nav><a href=\"/\">Home</a></nav><!--/noindex-->"
    );
    for item in 0..300 {
        let fault = match item % 4 {
            _ if !is_faulty => "",
            0 => "<!--/noindex-->",
            1 => "<!--noindx-->",
            2 => "<div><!--googleoff: index--></div><!--googleon: index-->",
            _ => "<span noindex>the price</span>",
        };
        write!(
            page,
            "<!-- card {item} -->{fault}<div class=\"card col-md-6 text-muted\" data-id=\"{item}\"><h3 class=\"h5\">Item {item}</h3>\
             <img class=\"thumb\" src=\"/pictures/{item}.jpg\" alt=\"A fox, {item} times\">\
             <p class=\"mt-2\">The quick brown fox jumps over the <em>lazy</em> dog, again and again, until the dog is no \
             longer lazy &amp; the fox no longer quick.</p><a class=\"nav-link\" href=\"/item/{item}\">More of it</a></div>"
        )
        .unwrap();
    }
    page.into_bytes()
}
