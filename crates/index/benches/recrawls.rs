//! Measures what an unchanged page (HTTP 304) and a page that is fetched again cost, by the number
//! of segments of the index.
//!
//! `cargo bench -p heedful-index --bench recrawls` makes indexes of the same made pages in 1, 7 and
//! 21 commits, of which tantivy merges some segments. It confirms all pages in one commit, three
//! times, and then adds all pages again. The table has the processor time of all threads for one
//! page, with unchanged pages the least of the three rounds. Linux only.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "queries/clock.rs"]
mod clock;
#[allow(dead_code, unused_imports, reason = "tests and benchmarks share it")]
#[path = "../../../tests/support/web/mod.rs"]
mod web;

use std::path::Path;
use std::time::{Duration, SystemTime};

use heedful::{Bot, Filter, Page};
use heedful_index::Index;
use tempfile::TempDir;

use web::{Answer, Web};

const SEED: u64 = 1;
const PAGES: usize = 7000;
const ROUNDS: usize = 3;
/// The commits of each index: a number of commits, and the number of pages in each of them.
/// Segments of different sizes are not merged.
const COMMITS: [&[(usize, usize)]; 3] = [&[(1, 7000)], &[(7, 1000)], &[(7, 10), (7, 90), (7, 900)]];

fn main() {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let pages: Vec<Page> = Web::new(SEED, PAGES)
        .state()
        .filter_map(|capture| match capture.answer {
            Answer::Page(html) => {
                let html = html.text();
                Some(filter.page(&capture.url, &[], html.as_bytes()).unwrap())
            }
            _ => None,
        })
        .collect();
    let unchanged = pages.iter();
    let unchanged = unchanged.map(|page| filter.page(page.url(), &[], b"").unwrap());
    let unchanged: Vec<Page> = unchanged.collect();
    println!("| segments | unchanged, ms a page | fetched again, ms a page |");
    println!("|---|---|---|");
    for commits in COMMITS {
        let folder = TempDir::new().unwrap();
        let index = make(folder.path(), &filter, &pages, commits);
        let segments = segments(folder.path());
        let rounds = (1..=ROUNDS).map(|round| confirm(&index, &unchanged, round));
        let confirmed = rounds.min().unwrap_or_default();
        let again = add(&index, &pages);
        let ms = |time: Duration| time.as_secs_f64() * 1000.0 / pages.len() as f64;
        println!("| {segments} | {:.3} | {:.3} |", ms(confirmed), ms(again));
    }
}

/// Makes an index of `pages` in several commits. Each entry of `commits` is a number of commits,
/// and the number of pages in each of them.
fn make(folder: &Path, filter: &Filter, pages: &[Page], commits: &[(usize, usize)]) -> Index {
    let index = Index::create(folder, filter).unwrap();
    let mut pages = pages.iter();
    for (times, count) in commits {
        for _ in 0..*times {
            let mut writer = index.writer(1).unwrap();
            for page in pages.by_ref().take(*count) {
                writer.add_captured(page, Some(captured(0))).unwrap();
            }
            writer.commit().unwrap();
        }
    }
    index
}

/// Records in one commit that all pages are unchanged. Returns the processor time that this took.
fn confirm(index: &Index, unchanged: &[Page], round: usize) -> Duration {
    let started = clock::of_process();
    let mut writer = index.writer(1).unwrap();
    for page in unchanged {
        writer.confirm(page, Some(captured(round))).unwrap();
    }
    writer.commit().unwrap();
    drop(writer);
    clock::of_process() - started
}

/// Adds all pages in one commit. Returns the processor time that this took.
fn add(index: &Index, pages: &[Page]) -> Duration {
    let started = clock::of_process();
    let mut writer = index.writer(1).unwrap();
    for page in pages {
        let captured = captured(ROUNDS + 1);
        writer.add_captured(page, Some(captured)).unwrap();
    }
    writer.commit().unwrap();
    drop(writer);
    clock::of_process() - started
}

/// Returns the capture time of all pages in a round. Rounds are one day apart.
fn captured(round: usize) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + 86_400 * round as u64)
}

/// Returns the number of segments of the index in `folder`.
fn segments(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().path());
    names
        .filter(|path| path.extension().is_some_and(|kind| kind == "store"))
        .count()
}
