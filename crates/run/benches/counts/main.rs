//! Counts the instructions of indexing with a log of decisions, and without one. So a noisy machine
//! does not matter.
//!
//! `just counts` prints the counts. It fails if an input costs 3 % more than counts.txt says, or if
//! the log costs more than 3 % of the index (see docs/evidence.md). `BLESS=1` records the new
//! counts. This program runs itself under valgrind's callgrind and counts all threads. The cost of
//! an input without a page is subtracted. For platforms and for machines without valgrind the rules
//! are those of the counts of `heedful`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../../../../benches/counts/callgrind.rs"]
mod callgrind;
#[path = "../support/indexing.rs"]
mod indexing;
#[path = "../../../../benches/counts/record.rs"]
mod record;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../../benches/support/synthetic.rs"]
mod synthetic;

use std::fs::File;

use tempfile::TempDir;

const PAGES: usize = 200;
/// Number of bytes of a page.
const PAGE_BYTES: usize = 60_000;
/// Maximum share (0 to 1) of the index's instructions that the log may take.
const MOST_OF_LOG: f64 = 0.03;
/// The works that are counted: indexing without a log, and with one.
const WORKS: [&str; 2] = ["index of a run", "index of a run with evidence"];

fn main() {
    let arguments: Vec<_> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [name, pages] = &arguments[..] {
        run(name == WORKS[1], pages.parse().unwrap());
        return;
    }
    if !callgrind::is_there_or_skipped() {
        return;
    }
    let counts = WORKS.map(|name| {
        let [none, all] = [0, PAGES].map(|pages| callgrind::count(name, pages, None));
        (name, all.saturating_sub(none))
    });
    let slower = record::compare(&counts);
    let [(_, without), (_, with)] = counts;
    let log = with as f64 / without as f64 - 1.0;
    println!("The log takes {:+.2} % of the index.", log * 100.0);
    assert!(
        slower.is_empty(),
        "more instructions than recorded, by more than 3 %: {slower:?}"
    );
    assert!(log <= MOST_OF_LOG, "the log costs too much");
}

/// Indexes an input with so many pages. The pages of the full input are made whatever the number, so
/// that the difference of two numbers is the index's alone.
fn run(has_log: bool, pages: usize) {
    let folder = TempDir::new().unwrap();
    let [full, none] = ["full.warc", "none.warc"].map(|name| folder.path().join(name));
    let mut out = File::create(&full).unwrap();
    synthetic::warc(&mut out, PAGE_BYTES, u64::MAX, PAGES as u64);
    File::create(&none).unwrap();
    let input = if pages == PAGES { full } else { none };
    let log = folder.path().join("log");
    indexing::index(
        &input,
        &folder.path().join("index"),
        has_log.then_some(&log),
    );
}
