//! Compares two times for filtering pages that have no directives: with all conventions, and with
//! META alone.
//!
//! `cargo bench --bench conventions` prints the ratio of two times: with all conventions, and with
//! META alone. Both are measured side by side in one run, and the best of several rounds counts.
//! The benchmark fails if the ratio is above 1.10. Pages are generated with the markup of today's
//! sites. If `HEEDFUL_DATA` is set, real pages without directives are added.

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

use heedful::{Bot, Conventions, Filter};
use support::Nothing;

const MOST: f64 = 1.10;
const ROUNDS: usize = 15;

fn main() {
    let [meta, all] = ["none,+meta", "all"].map(filter);
    let silent = |page: &Vec<u8>| {
        let page = all.page("https://site.example/", &[], page);
        page.is_ok_and(|page| page.directives().count() == 0 && page.notes().count() == 0)
    };
    let real = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(real::pages);
    let real: Vec<_> = real.map(|page| page.html).filter(silent).collect();
    let made: Vec<_> = (0..40).map(made).collect();
    assert!(made.iter().all(silent), "the pages made here say something");
    let mut worst: f64 = 0.0;
    for (name, pages) in [("made", made), ("real", real)] {
        if !pages.is_empty() {
            worst = worst.max(ratio(name, &pages, &meta, &all));
        }
    }
    assert!(
        worst <= MOST,
        "all conventions take {worst:.3} of the time that META alone takes"
    );
}

fn filter(conventions: &str) -> Filter {
    Filter::new(Bot::new("FooBot").unwrap()).conventions(Conventions::parse(conventions).unwrap())
}

fn ratio(name: &str, pages: &[Vec<u8>], meta: &Filter, all: &Filter) -> f64 {
    // Only the lexer and the walk are timed; the work of a sink is the same for both.
    let read = |filter: &Filter, page: &[u8]| {
        let mut pass = filter
            .open_with("https://site.example/", Nothing(0))
            .unwrap();
        pass.write(page).unwrap();
        pass.into_sink().unwrap();
    };
    let works: [support::Work<'_>; 2] = [
        ("META alone", &|page| read(meta, page)),
        ("all conventions", &|page| read(all, page)),
    ];
    support::ratio(name, pages, ROUNDS, works)
}

/// Returns a generated page with the HTML classes, data attributes and comments of today's sites.
fn made(number: usize) -> Vec<u8> {
    let mut page =
        format!("<!DOCTYPE html><html lang=en><head><title>Page {number}</title></head><body>");
    for item in 0..400 {
        write!(
            page,
            "<!-- card {item} --><div class=\"card col-md-6 text-muted\" data-id=\"{item}\" data-track-event=\"view\">\
             <a class=\"nav-link\" href=\"/item/{item}\" data-toggle=\"tooltip\">Item {item} &amp; more</a>\
             <p class=\"mt-2\">The quick brown fox jumps over the <em>lazy</em> dog, again and again.</p></div>"
        )
        .unwrap();
    }
    page.into_bytes()
}
