//! Compares the blocks of the streaming filter with those of the finished tree. Where the tree
//! builder has nothing to repair there must be no difference. Other pages are counted, with the
//! kinds of their differences.
//!
//! `HEEDFUL_SEED` chooses the random pages, and `HEEDFUL_SECONDS` is the time for them. This
//! command runs for half an hour, and prints the pages that differ:
//! `HEEDFUL_SECONDS=1800 cargo test --release -p heedful-verify --test all -- blocks:: --nocapture`

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a long run tells what it did")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use heedful_verify::{BlockComparison, compare_blocks};

use crate::formed;
use crate::soup;
use crate::support;
use crate::support::cases::{corpus, html5lib};
use crate::support::chance::{minimised, next};

/// Pages that were compared, and how they differ.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    refused: usize,
    repaired: usize,
    moved: usize,
    runs: usize,
    /// Repaired pages that differ, and how many of them differ in each way.
    unlike: usize,
    kinds: BTreeMap<&'static str, usize>,
    /// Pages without a repair that differ.
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, id: &str, page: &[u8], is_utf8: bool) {
        let Ok(comparison) = compare_blocks(page, is_utf8) else {
            self.refused += 1;
            return;
        };
        self.compared += 1;
        self.runs += comparison.runs();
        self.repaired += usize::from(comparison.is_repaired());
        self.moved += usize::from(comparison.is_moved());
        let Some(first) = comparison.differences().first() else {
            return;
        };
        if is_wrong(&comparison) {
            self.wrong
                .push(format!("{id}\t{} {}", first.what(), first.text()));
        } else {
            self.unlike += 1;
            *self.kinds.entry(first.what()).or_default() += 1;
            if std::env::var_os("HEEDFUL_SHOW").is_some() {
                println!("{id}\t{} {}", first.what(), first.text());
            }
        }
    }

    /// Prints the counts under a name. Fails if a page without a repair differs.
    fn end(self, name: &str) {
        println!(
            "{name}: {} pages with {} texts, {} refused, {} repaired, {} moved, {} differ: {:?}",
            self.compared,
            self.runs,
            self.refused,
            self.repaired,
            self.moved,
            self.unlike,
            self.kinds
        );
        assert!(
            self.wrong.is_empty(),
            "{} of the pages\n{}",
            self.wrong.len(),
            self.wrong.join("\n")
        );
    }
}

/// True if the blocks of a page differ though its tree needed no repair. Pages whose texts differ
/// are those of `oracle`.
fn is_wrong(comparison: &BlockComparison) -> bool {
    let is_unlike = comparison
        .differences()
        .iter()
        .any(|difference| difference.what() != "text");
    !comparison.is_repaired() && is_unlike
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Adds random pages to a tally for some seconds. Of the pages that must not differ and do, the
/// shortest is made smaller and shown.
fn random(name: &str, made: impl Fn(&mut dyn FnMut(usize) -> usize) -> String) {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let seed = number("HEEDFUL_SEED").unwrap_or(u64::from(now.subsec_nanos()));
    let time = Duration::from_secs(number("HEEDFUL_SECONDS").unwrap_or(4));
    let (started, mut state) = (Instant::now(), seed);
    let mut tally = Tally::default();
    let mut shortest: Option<String> = None;
    while started.elapsed() < time {
        let page = made(&mut |n| next(&mut state) % n);
        let before = tally.wrong.len();
        tally.add(name, page.as_bytes(), true);
        let is_short = |found: &String| page.len() < found.len();
        if tally.wrong.len() > before && shortest.as_ref().is_none_or(is_short) {
            shortest = Some(page);
        }
    }
    if let Some(page) = shortest {
        let is_wrong =
            |page: &str| compare_blocks(page.as_bytes(), true).is_ok_and(|c| is_wrong(&c));
        let small = minimised(&page, is_wrong);
        let comparison = compare_blocks(small.as_bytes(), true).unwrap();
        let first = &comparison.differences()[0];
        let found = format!("{small:?}\t{} {}", first.what(), first.text());
        tally.wrong = vec![format!(
            "{} such pages, one of them is\n{found}",
            tally.wrong.len()
        )];
    }
    tally.end(&format!("{name}, seed {seed}"));
}

#[test]
fn well_formed_pages_have_the_blocks_of_their_tree() {
    random("well-formed pages", |choose| formed::page(choose));
}

#[test]
fn soup_has_the_blocks_of_its_tree_where_nothing_is_repaired() {
    random("soup", |mut choose| match choose(3) {
        0 => soup::short(&mut choose),
        _ => soup::page(4 + choose(30), &mut choose),
    });
}

#[test]
fn the_corpus_has_the_blocks_of_its_trees() {
    let mut tally = Tally::default();
    for (id, page) in corpus(true).into_iter().chain(html5lib()) {
        tally.add(&id, page.as_bytes(), true);
    }
    assert!(tally.compared > 1000, "{tally:?}");
    tally.end("the corpus");
}

#[test]
fn real_pages_have_the_blocks_of_their_trees() {
    let mut tally = Tally::default();
    for page in ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(support::pages)
    {
        tally.add(&page.id, &page.html, page.is_text);
    }
    tally.end("real pages");
}

/// Shows that the comparison can fail.
#[test]
fn a_difference_is_found() {
    let text = "<p>one<p>two<table><tr><td>three</table>";
    assert!(
        compare_blocks(text.as_bytes(), true)
            .unwrap()
            .differences()
            .is_empty()
    );
    let moved = compare_blocks(b"<table><tr><td>one</td></tr>two</table>", true).unwrap();
    assert!(moved.is_repaired() && moved.is_moved());
}
