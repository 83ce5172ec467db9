//! Measures indexing from a WARC to a commit: its memory, and its time compared with that of the
//! single steps.
//!
//! `cargo bench --bench pipeline` prints the time of each step, the time with one and two jobs, and
//! the memory, for real pages if there are any. With `-- large [GIGABYTES]` it feeds 20 GB of
//! synthetic WARC through a pipe. With `-- many [PAGES]` it feeds two million pages of 1 KB, and
//! with `-- heavy [PAGES]` two thousand of 1.3 MB. Each of these runs fails if it exceeds one of
//! its maximum values; benches/README.md has the figures. Linux only: it reads /proc, and pins
//! processes with taskset.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../../benches/support/child.rs"]
mod child;
#[path = "../../tests/support/mod.rs"]
mod real;
#[path = "../../benches/support/synthetic.rs"]
mod synthetic;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use child::{Ran, cpu};
use heedful::{Bot, Filter};
use heedful_index::Index;
use heedful_input::{Input, Inputs, Item};
use heedful_run::{Gate, Run, apply_outcome};
use tempfile::TempDir;

const HEEDFUL: &str = env!("CARGO_BIN_EXE_heedful");
/// Maximum memory for indexing any input, in bytes.
const MOST_MEMORY: u64 = 400_000_000;
/// Maximum memory for indexing the real pages, in bytes.
const MOST_FOR_PAGES: u64 = 150_000_000;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = arguments
        .iter()
        .find_map(|argument| argument.parse::<u64>().ok());
    let is = |what: &str| arguments.iter().any(|argument| argument == what);
    if is("large") {
        large(number.unwrap_or(20) * 1_000_000_000, u64::MAX, 50_000);
    } else if is("many") {
        large(u64::MAX, number.unwrap_or(2_000_000), 1000);
    } else if is("heavy") {
        large(u64::MAX, number.unwrap_or(2000), 1_300_000);
    } else {
        let folder = TempDir::new().unwrap();
        let warc = pages(folder.path());
        parts(&warc);
        jobs(&warc);
    }
}

/// Indexes synthetic pages of `size` bytes from a pipe, then searches the index. At most `pages`
/// pages and `bytes` bytes are written to the pipe. Fails if a page is missing in the index, or if
/// indexing uses too much memory.
fn large(bytes: u64, pages: u64, size: usize) {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index");
    let mut fed = 0;
    let ran = child::run(
        Command::new(HEEDFUL)
            .args(["index", "-o"])
            .arg(&index)
            .arg("-"),
        |out| {
            fed = synthetic::warc(out, size, bytes, pages);
        },
    );
    ran.print(&format!("{fed} pages of {size} bytes through a pipe"));
    let stats = Index::open(&index).unwrap().stats().unwrap();
    assert_eq!(stats.pages(), fed, "all pages are in the index");
    let mut search = Command::new(HEEDFUL);
    search
        .arg("search")
        .arg(&index)
        .args(["Page 77", "-n", "3"])
        .stdout(Stdio::null());
    let found = child::run(&mut search, |_| ());
    // The mapped files of the index count as the search's memory, but the system takes them back
    // when it needs memory.
    found.print("a search of it");
    assert!(
        ran.peak < MOST_MEMORY,
        "more memory than {MOST_MEMORY} bytes"
    );
}

/// Writes a WARC of 360 MB with real pages, or with synthetic ones if no real ones are available.
/// Repeats the pages as needed. Returns the path of the WARC. The commit at the end of a run uses
/// one core only. With this much input, the commit's share of the time is as small as in a long
/// run.
fn pages(folder: &Path) -> PathBuf {
    let path = folder.join("pages.warc");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let real: Vec<_> = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(real::pages)
        .collect();
    if real.is_empty() {
        println!("no real pages at hand: synthetic ones");
        synthetic::warc(&mut out, 50_000, 360_000_000, u64::MAX);
    }
    let mut written = 0;
    for round in 0.. {
        for (number, page) in real.iter().enumerate() {
            let head = format!(
                "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://site{round}.example/{number}\r\n\
                 Content-Type: text/html\r\nContent-Length: {}\r\n\r\n",
                page.html.len()
            );
            out.write_all(head.as_bytes()).unwrap();
            out.write_all(&page.html).unwrap();
            out.write_all(b"\r\n\r\n").unwrap();
            written += page.html.len();
        }
        if real.is_empty() || written > 360_000_000 {
            break;
        }
    }
    out.flush().unwrap();
    path
}

/// Prints the processor time that each step of indexing needs by itself for all pages. Also prints
/// the time of a whole run with one filter thread.
fn parts(warc: &Path) {
    let inputs = Inputs::default().open(&[warc]).unwrap();
    let filter = Filter::new(Bot::new("heedful").unwrap());
    let (mut reading, mut filtering, mut indexing) =
        (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path().join("parts"), &filter).unwrap();
    let mut writer = index.writer(1).unwrap();
    let mut items = inputs[0].items().unwrap();
    // Batches of a hundred pages, so that not all pages are in memory at once.
    loop {
        let (batch, time) = timed(|| items.by_ref().take(100).collect::<Vec<_>>());
        reading += time;
        if batch.is_empty() {
            break;
        }
        let (pages, time) = timed(|| {
            batch
                .iter()
                .filter_map(|(item, _)| page(&filter, item))
                .collect::<Vec<_>>()
        });
        filtering += time;
        indexing += timed(|| {
            pages
                .iter()
                .try_for_each(|page| writer.add(page).map(|_| ()))
                .unwrap();
        })
        .1;
    }
    indexing += timed(|| writer.commit().unwrap()).1;
    drop(writer);
    let whole = timed(|| whole(&inputs, &filter, &folder.path().join("whole"))).1;
    let sum = reading + filtering + indexing;
    let seconds = [reading, filtering, indexing, sum, whole].map(|time| time.as_secs_f64());
    let [reading, filtering, indexing, sum, whole] = seconds;
    let ratio = sum / whole;
    println!(
        "CPU-seconds: read {reading:.2}, filter {filtering:.2}, words and tantivy {indexing:.2}, sum {sum:.2}; \
         whole {whole:.2}, sum to whole {ratio:.2}"
    );
    assert!(ratio > 0.8, "the whole takes much more than its parts");
}

fn page(filter: &Filter, item: &Item) -> Option<heedful::Page> {
    let Item::Document(document) = item else {
        return None;
    };
    filter.page(document.url(), &[], document.bytes()).ok()
}

fn whole(inputs: &[Input], filter: &Filter, folder: &Path) {
    let index = Index::create(folder, filter).unwrap();
    let mut writer = index.writer(1).unwrap();
    let gate = Gate::default();
    Run::new(inputs, &gate, 1)
        .filter(filter, |outcome, _| {
            apply_outcome(&mut writer, &outcome).map(|_| ())
        })
        .unwrap();
    writer.commit().unwrap();
}

/// Returns the result of `work`, and the processor time that all threads of this process spent on
/// it.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = cpu("/proc/self/stat");
    let done = work();
    (done, cpu("/proc/self/stat") - before)
}

/// Measures the program with one job on one core, and with two jobs on two cores, in three
/// interleaved rounds. Prints the first round, and the ratio of the best times.
fn jobs(warc: &Path) {
    let folder = TempDir::new().unwrap();
    let mut round = 0;
    let mut best = |cores: &str, jobs: &str| {
        round += 1;
        let index = folder.path().join(round.to_string());
        let mut command = Command::new("taskset");
        command
            .args(["-c", cores, HEEDFUL, "index", "-q", "-j", jobs, "-o"])
            .arg(index)
            .arg(warc);
        child::run(&mut command, |_| ())
    };
    let mut one: Vec<Ran> = Vec::new();
    let mut two: Vec<Ran> = Vec::new();
    for _ in 0..3 {
        one.push(best("0", "1"));
        two.push(best("0,1", "2"));
    }
    let least =
        |ran: &[Ran], of: fn(&Ran) -> Duration| ran.iter().map(of).min().unwrap().as_secs_f64();
    let peak = one.iter().chain(&two).map(|ran| ran.peak).max().unwrap();
    let wall = least(&two, |ran| ran.wall) / least(&one, |ran| ran.wall);
    let cpu = least(&two, |ran| ran.cpu) / least(&one, |ran| ran.cpu);
    one[0].print("one job on one core");
    two[0].print("two jobs on two cores");
    println!(
        "two to one: wall {wall:.2}, CPU {cpu:.2}; peak {:.0} MB",
        peak as f64 / 1e6
    );
    assert!(
        peak < MOST_FOR_PAGES,
        "more memory than {MOST_FOR_PAGES} bytes"
    );
    assert!(cpu < 1.15, "two jobs cost more than one");
    assert!(wall < 0.6, "two cores are hardly faster than one");
}
