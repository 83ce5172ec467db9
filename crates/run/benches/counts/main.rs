//! Counts the instructions of indexing with a log of decisions, and without one. Such counts are
//! exact even on a busy machine.
//!
//! `just counts` prints the counts. It fails if an input costs 3 % more than counts.txt says, or if
//! the log costs more than 3 % of the index (see docs/evidence.md). `BLESS=1` records the new
//! counts. This program runs itself under valgrind's callgrind and counts all threads. The cost of
//! an input without a page is subtracted. On other platforms, and on machines without valgrind,
//! this benchmark acts as the benchmark `counts` of the crate `heedful` does.

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
/// Number of bytes of the HTML of each page.
const PAGE_BYTES: usize = 60_000;
/// Maximum cost of the log, as a share (0 to 1) of the instructions of indexing without a log.
const MOST_OF_LOG: f64 = 0.03;
/// Names of the counted tasks: indexing without a log of decisions, and indexing with one.
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

/// Indexes an input with this number of pages: 0 or [`PAGES`]. The pages of the full input are made
/// in both cases, so the difference of the two counts is the cost of indexing alone.
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
