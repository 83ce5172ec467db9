//! Compares two times for reading pages: once for text, links and a snapshot, and once for text and
//! links alone.
//!
//! `cargo bench --bench snapshot` prints the ratio of two times: with a snapshot, and without one.
//! Both are measured side by side in one run, and the best of several rounds counts. The benchmark
//! fails if the ratio is above 1.25. Pages are generated, with a tenth of each withheld. If
//! `HEEDFUL_DATA` is set, real pages are added.

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

use heedful::{Bot, Dressing, Filter};

const MOST: f64 = 1.25;
const ROUNDS: usize = 9;

fn main() {
    let made: Vec<_> = (0..40).map(made).collect();
    let real: Vec<_> = real::pages("real-pages.jsonl.gz")
        .into_iter()
        .map(|page| page.html)
        .collect();
    let mut worst: f64 = 0.0;
    for (name, pages) in [("made", made), ("real", real)] {
        if !pages.is_empty() {
            worst = worst.max(ratio(name, &pages));
        }
    }
    assert!(
        worst <= MOST,
        "with snapshots it takes {worst:.3} of the time that it takes without"
    );
}

fn ratio(name: &str, pages: &[Vec<u8>]) -> f64 {
    let without = Filter::new(Bot::new("FooBot").unwrap());
    let with = without.clone().snapshots();
    let dressing = Dressing::default();
    let read = |filter: &Filter, page: &[u8]| {
        let page = filter.page("https://site.example/", &[], page).unwrap();
        black_box((
            page.phrases().len(),
            page.links().len(),
            page.snapshot(&dressing),
        ));
    };
    let works: [support::Work<'_>; 2] = [
        ("text and links", &|page| read(&without, page)),
        ("with snapshots", &|page| read(&with, page)),
    ];
    support::ratio(name, pages, ROUNDS, works)
}

fn made(number: usize) -> Vec<u8> {
    let mut page = format!("<!DOCTYPE html><title>Page {number}</title><body>");
    for item in 0..400 {
        let class = if item % 10 == 0 {
            "robots-noarchive"
        } else {
            "card"
        };
        writeln!(page, "<div class=\"{class}\"><a href=\"/item/{item}\">Item {item}</a> <b>some</b> words of it</div>")
            .unwrap();
    }
    page.into_bytes()
}
