//! Measures the cost of evidence. The same pages are indexed twice: with a log of decisions beside
//! the index, and without a log.
//!
//! `cargo bench --bench evidence` prints the row of benches/README.md. Processor time is summed
//! over all threads, and the ratio is the median of many interleaved pairs. The row also has the
//! bytes of the log and of the index, the longest proof, and the time for making and checking a
//! proof. The pages are real if real ones are available, and otherwise synthetic. Linux only: the
//! benchmark reads /proc. It fails if a goal of docs/evidence.md is missed.
//!
//! All files of the benchmark are in memory if `/dev/shm` exists, since the processor time of disk
//! access differs from run to run. `cargo bench --bench evidence -- FOLDER` writes them to FOLDER
//! instead.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../benches/support/child.rs"]
mod child;
#[path = "support/indexing.rs"]
mod indexing;
#[path = "../../../tests/support/mod.rs"]
mod real;
#[path = "../../../benches/support/synthetic.rs"]
#[allow(dead_code, reason = "benchmarks share it")]
mod synthetic;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use heedful_evidence::{Log, Proof, Trust};
use indexing::{index, inputs};

const ROUNDS: usize = 31;
const TIMES: usize = 6;
const SITES: usize = 240;
/// Maximum time that the evidence log may add to the time of indexing, in percent.
const MOST_TIME: f64 = 3.0;
const MOST_BYTES: f64 = 2.0;
/// Maximum size of a proof in an evidence log of a million entries, in bytes.
const MOST_PROOF: usize = 4096;

fn main() {
    let folder = folder().unwrap();
    let pages = pages(folder.path());
    let (mut ratios, mut sizes) = (Vec::new(), (0, 0));
    for round in 0..ROUNDS {
        let place = folder.path().join(round.to_string());
        let log = place.join("log");
        let plain = || time_of(|| index(&pages, &place.join("plain"), None));
        let kept = || time_of(|| index(&pages, &place.join("kept"), Some(&log)));
        // The order alternates, so a machine that becomes slower or faster affects both sides
        // equally.
        let (with, without) = if round % 2 == 0 {
            let without = plain();
            (kept(), without)
        } else {
            (kept(), plain())
        };
        ratios.push(with / without);
        sizes = (bytes(&log), bytes(&place.join("plain")));
        if round + 1 < ROUNDS {
            std::fs::remove_dir_all(&place).unwrap();
        }
    }
    ratios.sort_by(f64::total_cmp);
    let time = 100.0 * (ratios[ROUNDS / 2] - 1.0);
    let share = |part: f64, whole: f64| 100.0 * part / whole;
    let size = share(sizes.0 as f64, sizes.1 as f64);
    let log = folder.path().join((ROUNDS - 1).to_string()).join("log");
    let (entries, longest, made, checked) = proofs(&log, &pages);
    println!(
        "| entries | time of the index | bytes of the index | bytes an entry | longest proof | to prove | to check |"
    );
    println!("|---|---|---|---|---|---|---|");
    println!(
        "| {entries} | {time:+.1} % | {size:+.1} % | {} | {longest} bytes | {made:.2} ms | {checked:.2} ms |",
        sizes.0 / entries.max(1)
    );
    // The audit path grows by a line with 32 bytes in Base64 whenever the log doubles.
    let at_a_million =
        longest + 45 * 20_usize.saturating_sub(entries.next_power_of_two().ilog2() as usize);
    println!("the longest proof in a log of a million entries: {at_a_million} bytes");
    let holds =
        time <= MOST_TIME && size <= MOST_BYTES && at_a_million <= MOST_PROOF && made <= 10.0;
    println!(
        "goals: time {MOST_TIME} %, bytes {MOST_BYTES} %, proof {MOST_PROOF} bytes and 10 ms: {}",
        if holds { "met" } else { "missed" }
    );
    assert!(holds, "a goal is missed");
}

/// Creates a temporary folder for all files of the benchmark. It is inside the folder that the
/// command line names, or else in memory if `/dev/shm` exists.
fn folder() -> std::io::Result<tempfile::TempDir> {
    let named = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with('-'))
        .map(PathBuf::from);
    let memory = PathBuf::from("/dev/shm");
    match named.or_else(|| memory.is_dir().then_some(memory)) {
        Some(place) => tempfile::tempdir_in(place),
        None => tempfile::tempdir(),
    }
}

/// Writes the pages of the benchmark to a WARC file, and returns the path of the file. The pages
/// are synthetic if no real ones are available. The real pages are on several sites, each with a
/// robots.txt.
fn pages(folder: &Path) -> PathBuf {
    let path = folder.join("pages.warc");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
    let real: Vec<_> = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(real::pages)
        .collect();
    if real.is_empty() {
        println!("no real pages at hand: synthetic ones");
        synthetic::warc(&mut out, 50_000, 60_000_000, u64::MAX);
    }
    let mut put = |url: &str, kind: &str, body: &[u8]| {
        out.write_all(&real::made::warc(
            "resource",
            url,
            &format!("Content-Type: {kind}\r\n"),
            body,
        ))
        .unwrap();
    };
    // The system counts processor time in hundredths of a second, so the pages are repeated.
    for (number, page) in real.iter().cycle().take(TIMES * real.len()).enumerate() {
        let site = number % SITES;
        if number < SITES {
            let robots = format!("User-agent: *\nDisallow: /private{site}/\n");
            put(
                &format!("https://site{site}.example/robots.txt"),
                "text/plain",
                robots.as_bytes(),
            );
        }
        put(
            &format!("https://site{site}.example/pages/{number}.html"),
            "text/html",
            &page.html,
        );
    }
    out.flush().unwrap();
    path
}

/// Returns four values of an evidence log: the number of its entries, the size of its longest proof
/// in bytes, and the milliseconds for making and for checking one proof.
fn proofs(log: &Path, pages: &Path) -> (u64, usize, f64, f64) {
    let log = Log::open(log).unwrap();
    let mut urls = Vec::new();
    for (item, _) in inputs(pages)[0].items().unwrap() {
        if let heedful_input::Item::Document(document) = item {
            urls.push(document.url().to_owned());
        }
    }
    let start = Instant::now();
    let proofs: Vec<Proof> = urls
        .iter()
        .filter_map(|url| log.prove(url).unwrap())
        .collect();
    let made = start.elapsed().as_secs_f64() * 1e3 / proofs.len() as f64;
    let trust = Trust::Key(log.key().unwrap());
    let start = Instant::now();
    assert!(
        proofs.iter().all(|proof| proof.check(&trust).is_ok()),
        "a proof does not hold"
    );
    let checked = start.elapsed().as_secs_f64() * 1e3 / proofs.len() as f64;
    (
        log.head().size(),
        proofs.iter().map(|proof| proof.text().len()).max().unwrap(),
        made,
        checked,
    )
}

fn bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            if path.is_dir() {
                bytes(&path)
            } else {
                path.metadata().unwrap().len()
            }
        })
        .sum()
}

/// Returns the processor time of all threads during `work`, in seconds. Threads that have ended are
/// included.
fn time_of(work: impl FnOnce()) -> f64 {
    let start = child::cpu("/proc/self/stat");
    work();
    (child::cpu("/proc/self/stat") - start).as_secs_f64()
}
