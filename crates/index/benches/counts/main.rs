//! Counts the instructions of indexing and of compaction, so that a noisy machine does not matter.
//!
//! `just counts` prints the counts, and fails if a task costs 3 % more than counts.txt says.
//! `BLESS=1` records the new counts. This program runs itself under valgrind's callgrind and counts
//! all threads. The cost of an index without pages is subtracted. For platforms and for machines
//! without valgrind the rules are those of the counts of `heedful`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../../../../benches/counts/callgrind.rs"]
mod callgrind;
#[path = "../../../../benches/counts/record.rs"]
mod record;
#[allow(dead_code, unused_imports, reason = "tests and benchmarks share it")]
#[path = "../../../../tests/support/web/mod.rs"]
mod web;

use heedful::{Bot, Filter, Page};
use heedful_index::{Forms, Index};
use tempfile::TempDir;

use web::{Answer, Web};

const SEED: u64 = 1;
const PAGES: usize = 300;

/// The measured tasks: name, forms of words in the index, and whether the index is compacted.
const WORKS: [(&str, Forms, bool); 3] = [
    ("index of exact words", Forms::Exact, false),
    ("index", Forms::Stemmed, false),
    ("index, compacted", Forms::Stemmed, true),
];

fn main() {
    let arguments: Vec<_> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [name, size] = &arguments[..] {
        let work = WORKS.iter().find(|(work, ..)| work == name).unwrap();
        run(*work, size.parse().unwrap());
        return;
    }
    if !callgrind::is_there_or_skipped() {
        return;
    }
    let counts = WORKS.map(|(name, ..)| {
        let [none, all] = [0, PAGES].map(|size| callgrind::count(name, size, None));
        (name, all.saturating_sub(none))
    });
    let slower = record::compare(&counts);
    assert!(
        slower.is_empty(),
        "more instructions than recorded, by more than 3 %: {slower:?}"
    );
}

/// Indexes the first `size` pages of a generated web. All pages of the web are generated and
/// filtered, whatever `size` is. So the difference between two sizes is the cost of the index
/// alone.
fn run((_, forms, is_compacted): (&str, Forms, bool), size: usize) {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let mut pages = Vec::new();
    for capture in Web::new(SEED, PAGES).state() {
        if let Answer::Page(html) = capture.answer {
            let html = html.text();
            pages.push(filter.page(&capture.url, &[], html.as_bytes()).unwrap());
        }
    }
    let folder = TempDir::new().unwrap();
    let index = Index::create_with(folder.path(), &filter, forms).unwrap();
    add(&index, &pages[..size.min(pages.len())]);
    if is_compacted {
        index.compact().unwrap();
    }
}

fn add(index: &Index, pages: &[Page]) {
    let mut writer = index.writer(1).unwrap();
    for page in pages {
        writer.add(page).unwrap();
    }
    writer.commit().unwrap();
}
