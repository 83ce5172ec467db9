//! Measures the cost of queries, compared with a tantivy index that has nothing of heedful but the
//! splitting of words.
//!
//! `cargo bench -p heedful-index --bench queries` asks 300 queries of thirteen kinds over 15,000
//! pages of a made web (`-- 15000 30000` for other sizes, `queries=2000` for more queries). It
//! prints the tables of docs/scale.md. A time is processor time of the thread, the least of three
//! passes.
//!
//! The bare index has title and text of each page, with positions. It is asked twice: for the best
//! pages alone, where tantivy skips blocks (block-max WAND), and for the best pages and an exact
//! count. heedful's index always counts. It is made once with exact words, so that both find the
//! same pages, and once with the forms of a word. Each is also asked after a compaction. Queries
//! whose totals differ are printed. Goals are printed, met or not: the benchmark reports, and does
//! not fail. Linux only.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod bare;
mod clock;
mod ours;
mod table;
#[allow(dead_code, unused_imports, reason = "tests and benchmarks share it")]
#[path = "../../../../tests/support/web/mod.rs"]
mod web;

use std::path::{Path, PathBuf};
use std::time::Duration;

use heedful::{Bot, Filter, Page};
use heedful_index::{Forms, Index};
use tempfile::TempDir;

use bare::Bare;
use ours::Ours;
use table::Column;
use web::{Answer, Asked, Web};

const SEED: u64 = 1;
const PASSES: usize = 3;
/// Goals for the mean and the 99th percentile of heedful's times, as multiples of the times of
/// tantivy when it finds only the best pages.
const GOALS: [f64; 2] = [2.0, 3.0];
/// Goal for the first query after a commit, as a multiple of the time of the same query asked
/// again. It does not apply in a new process, which must first build tables that later commits
/// reuse.
const FIRST_GOAL: f64 = 3.0;
/// Number of queries that are each measured as the first query of a newly opened view.
const FIRSTS: usize = 10;

fn main() {
    let mut sizes = Vec::new();
    let mut count = 300;
    for argument in std::env::args().skip(1) {
        if let Some(queries) = argument.strip_prefix("queries=") {
            count = queries.parse().unwrap();
        } else if !argument.starts_with('-') {
            sizes.push(argument.parse().unwrap());
        }
    }
    if sizes.is_empty() {
        sizes.push(15_000);
    }
    for size in sizes {
        let web = Web::new(SEED, size);
        let folder = TempDir::new().unwrap();
        println!("## {size} pages\n");
        let indexes = Indexes::new(&web, folder.path());
        let queries = web.queries(count);
        indexes.compare_totals(&queries);
        for is_shown in [false, true] {
            let columns = indexes.ask(&queries, is_shown);
            if is_shown {
                println!("With titles and excerpts of the hits:\n");
                table::print_summary(&columns, None);
            } else {
                table::print_summary(&columns, Some(GOALS));
                table::print_kinds(&columns, &queries);
            }
        }
        indexes.print_first(&queries);
    }
}

/// All indexes of one generated web: a bare tantivy index, and heedful's indexes by their names.
struct Indexes {
    bare: Bare,
    bare_folder: PathBuf,
    /// heedful's indexes with exact words and with forms of words, each before and after a
    /// compaction.
    ours: Vec<(&'static str, Ours)>,
}

impl Indexes {
    /// Makes all indexes of a web in a folder, and prints their cost.
    fn new(web: &Web, folder: &Path) -> Self {
        let filter = Filter::new(Bot::new("FooBot").unwrap());
        let bare_folder = folder.join("bare");
        let mut writer = bare::Writer::new(&bare_folder);
        let mut read = Read::default();
        let cpu = read.each_page(web, &filter, |page| writer.add(page));
        let started = clock::of_process();
        let bare = writer.commit();
        let cpu = cpu + clock::of_process() - started;
        read.print();
        println!("| index | CPU s | ms a page | MB | files |");
        println!("|---|---|---|---|---|");
        print_made("tantivy, bare", cpu, &read, &bare_folder);
        let mut ours = Vec::new();
        for (names, forms) in [
            (
                ["heedful, exact", "heedful, exact, compacted"],
                Forms::Exact,
            ),
            (["heedful", "heedful, compacted"], Forms::Stemmed),
        ] {
            let [made, compacted] = names.map(|name| folder.join(name));
            let index = Index::create_with(&made, &filter, forms).unwrap();
            let mut writer = index.writer(1).unwrap();
            let mut again = Read::default();
            let cpu = again.each_page(web, &filter, |page| {
                writer.add(page).unwrap();
            });
            let started = clock::of_process();
            writer.commit().unwrap();
            drop(writer);
            let cpu = cpu + clock::of_process() - started;
            print_made(names[0], cpu, &read, &made);
            copy(&made, &compacted);
            let started = clock::of_process();
            Index::open(&compacted).unwrap().compact().unwrap();
            print_made(names[1], clock::of_process() - started, &read, &compacted);
            ours.push((names[0], Ours::open(&made)));
            ours.push((names[1], Ours::open(&compacted)));
        }
        println!();
        Self {
            bare,
            bare_folder,
            ours,
        }
    }

    /// Prints how many queries match the same number of pages in the bare index and in the index of
    /// exact words. Anchor texts are left out of this comparison. Also prints how many queries
    /// match more pages because of anchor texts.
    fn compare_totals(&self, queries: &[Asked]) {
        let exact = &self.ours[0].1;
        let mut differing = Vec::new();
        let mut by_links = 0;
        for asked in queries.iter().filter(|asked| bare::can_ask(asked)) {
            let expected = self.bare.find(asked, true, false).unwrap_or_default();
            let total = exact.total_without_anchors(asked);
            if total != expected {
                differing.push(format!(
                    "{} {} ({total}, bare {expected})",
                    asked.kind, asked.text
                ));
            }
            by_links += usize::from(exact.find(asked, false) > total);
        }
        let count = queries.iter().filter(|asked| bare::can_ask(asked)).count();
        println!(
            "Totals of {} of {count} queries are the same; {by_links} match more pages by texts of links.",
            count - differing.len()
        );
        for differing in differing {
            println!("* not the same: {differing}");
        }
        println!();
    }

    /// Runs all queries on each index, in several passes. Returns the shortest time of each query.
    fn ask(&self, queries: &[Asked], is_shown: bool) -> Vec<Column> {
        let bare = ["tantivy, best pages", "tantivy, and a count"];
        let ours = self.ours.iter().map(|(name, _)| *name);
        let names = bare.into_iter().chain(ours);
        let mut columns: Vec<_> = names.map(|name| Column::new(name, queries.len())).collect();
        for _ in 0..PASSES {
            for (at, column) in columns.iter_mut().enumerate() {
                for (number, asked) in queries.iter().enumerate() {
                    let started = clock::of_thread();
                    match at {
                        0 | 1 if !bare::can_ask(asked) => continue,
                        0 | 1 => drop(self.bare.find(asked, at == 1, is_shown)),
                        _ => drop(self.ours[at - 2].1.find(asked, is_shown)),
                    }
                    column.add(number, clock::of_thread() - started);
                }
            }
        }
        columns
    }

    /// Prints the time of the first query of a view, and of the same query asked again. The view is
    /// opened in a newly opened index, or after a commit.
    fn print_first(&self, queries: &[Asked]) {
        println!("| first searches, mean ms | the view | first | again | ratio | goal |");
        println!("|---|---|---|---|---|---|");
        let queries: Vec<_> = queries
            .iter()
            .filter(|asked| bare::can_ask(asked))
            .collect();
        let step = (queries.len() / FIRSTS).max(1);
        let queries: Vec<_> = queries.into_iter().step_by(step).collect();
        let bare = || Bare::open(&self.bare_folder);
        print_first(
            "tantivy, opened",
            &queries,
            None,
            || (),
            bare,
            |bare, asked| {
                bare.find(asked, false, false);
            },
        );
        for (name, ours) in &self.ours {
            let find = |ours: &Ours, asked: &Asked| {
                ours.find(asked, false);
            };
            let opened = format!("{name}, opened");
            print_first(
                &opened,
                &queries,
                None,
                || (),
                || Ours::open(&ours.folder),
                find,
            );
            let committed = format!("{name}, after a commit");
            print_first(
                &committed,
                &queries,
                Some(FIRST_GOAL),
                || ours.commit(),
                || ours.again(),
                find,
            );
        }
        println!();
    }
}

/// Prints the mean times for opening a view, for its first query, and for the same query again.
/// `before` is called before each view is opened, and its time is not counted.
fn print_first<View>(
    name: &str,
    queries: &[&Asked],
    goal: Option<f64>,
    before: impl Fn(),
    open: impl Fn() -> View,
    find: impl Fn(&View, &Asked),
) {
    let mut times = [Duration::ZERO; 3];
    for asked in queries {
        before();
        let started = clock::of_thread();
        let view = open();
        times[0] += clock::of_thread() - started;
        let find = || {
            let started = clock::of_thread();
            find(&view, asked);
            clock::of_thread() - started
        };
        times[1] += find();
        times[2] += (0..PASSES).map(|_| find()).min().unwrap_or_default();
    }
    let [opened, first, again] =
        times.map(|time| time.as_secs_f64() * 1000.0 / queries.len().max(1) as f64);
    let ratio = first / again;
    let goal = goal.map_or_else(String::new, |goal| {
        let is_met = if ratio <= goal { "yes" } else { "**no**" };
        format!("<= {goal}: {is_met}")
    });
    println!("| {name} | {opened:.2} | {first:.2} | {again:.2} | {ratio:.1} | {goal} |");
}

/// Counts of the pages from which an index was made.
#[derive(Default)]
struct Read {
    pages: usize,
    indexed: usize,
    html_bytes: usize,
    text_bytes: usize,
    links: usize,
    /// Processor time that the filter used for all pages.
    filtered: Duration,
}

impl Read {
    /// Filters each page of a web and calls `add` with it. Returns the processor time of all
    /// threads, without the time for generating and filtering the pages.
    fn each_page(&mut self, web: &Web, filter: &Filter, mut add: impl FnMut(&Page)) -> Duration {
        let started = clock::of_process();
        let mut reading = Duration::ZERO;
        for capture in web.state() {
            let before = clock::of_thread();
            let Answer::Page(html) = capture.answer else {
                continue;
            };
            let html = html.text();
            let made = clock::of_thread();
            let page = filter.page(&capture.url, &[], html.as_bytes()).unwrap();
            let filtered = clock::of_thread();
            self.filtered += filtered - made;
            reading += filtered - before;
            self.pages += 1;
            self.html_bytes += html.len();
            if !page.phrases().is_empty() {
                self.indexed += 1;
                self.text_bytes += page
                    .phrases()
                    .iter()
                    .map(|phrase| phrase.len())
                    .sum::<usize>();
                self.links += page.links().len();
                add(&page);
            }
        }
        clock::of_process() - started - reading
    }

    fn print(&self) {
        let of_page = |bytes: usize| bytes as f64 / 1000.0 / self.pages as f64;
        println!(
            "{} pages, {} indexed: {:.1} kB of HTML, {:.1} kB of text, {:.1} links each; the filter takes {:.3} ms a page\n",
            self.pages,
            self.indexed,
            of_page(self.html_bytes),
            self.text_bytes as f64 / 1000.0 / self.indexed as f64,
            self.links as f64 / self.indexed as f64,
            self.filtered.as_secs_f64() * 1000.0 / self.pages as f64,
        );
    }
}

fn print_made(name: &str, cpu: Duration, read: &Read, folder: &Path) {
    let (bytes, files) = size(folder);
    println!(
        "| {name} | {:.2} | {:.3} | {:.1} | {files} |",
        cpu.as_secs_f64(),
        cpu.as_secs_f64() * 1000.0 / read.indexed as f64,
        bytes as f64 / 1e6,
    );
}

/// Returns the total bytes and the number of all files in a folder and its subfolders.
fn size(folder: &Path) -> (u64, usize) {
    let mut sum = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let data = entry.metadata().unwrap();
        let (bytes, files) = if data.is_dir() {
            size(&entry.path())
        } else {
            (data.len(), 1)
        };
        sum = (sum.0 + bytes, sum.1 + files);
    }
    sum
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.metadata().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
