//! Measures the program as a whole: processes that read files and write to /dev/null, with one job.
//! Their speed is compared with that of the filter alone, which has the same pages in memory. The
//! mask of an archive is also compared with unpacking the archive once.
//!
//! The group `lexbor` compares `filter` with what a user of Python would write: text and links of
//! the same pages by lexbor (selectolax).
//!
//! The processor time of all threads counts, user and system. The program is `HEEDFUL`, or else it
//! is built in the profile of this benchmark.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde_json::json;
use tempfile::TempDir;

use crate::inputs::{Inputs, URL, filter};
use crate::real::{made, root};
use crate::support::turns::spent;
use crate::synthetic;
use crate::table::{Amount, Goal, row};

const ROUNDS: usize = 5;
const SMALL_PAGES: u64 = 20_000;
/// Size in bytes for which a small page is generated. The page is larger than that, since it has at
/// least one entry.
const SMALL: usize = 100;
const LEXBOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/speed/lexbor.py");

/// A task that is measured as a whole: its name, and a function that does the task and returns the
/// processor time of it.
type Work<'a> = (&'a str, &'a dyn Fn() -> Duration);

/// The measured program, the pages that it reads, and a temporary folder for files of these pages.
struct Files<'a> {
    program: PathBuf,
    folder: TempDir,
    pages: Vec<&'a [u8]>,
    amount: Amount<'a>,
}

impl<'a> Files<'a> {
    fn new(inputs: &'a Inputs) -> Self {
        let pages = [&inputs.plain, &inputs.marked].map(|pages| &pages.pages);
        let pages: Vec<_> = pages.into_iter().flatten().map(Vec::as_slice).collect();
        Self {
            program: program(),
            folder: TempDir::new().unwrap(),
            amount: Amount::bytes(inputs.plain.name, bytes(&pages), 1),
            pages,
        }
    }

    /// Writes each page into a file of its own, and returns the path of the folder with these
    /// files.
    fn site(&self) -> PathBuf {
        let site = self.folder.path().join("site");
        std::fs::create_dir(&site).unwrap();
        for (number, page) in self.pages.iter().enumerate() {
            std::fs::write(site.join(format!("{number}.html")), page).unwrap();
        }
        site
    }

    /// Writes pages to a file in JSON Lines, and returns the path of this file.
    fn lines(&self, pages: &[&[u8]]) -> PathBuf {
        let line = |(number, page): (usize, &&[u8])| match std::str::from_utf8(page) {
            Ok(html) => format!("{}\n", json!({"url": url(number), "html": html})),
            Err(_) => {
                let html = data_encoding::BASE64.encode(page);
                format!("{}\n", json!({"url": url(number), "html_b64": html}))
            }
        };
        let path = self.folder.path().join("pages.jsonl");
        let lines: String = pages.iter().enumerate().map(line).collect();
        std::fs::write(&path, lines).unwrap();
        path
    }

    /// Writes the pages as responses to a `.warc.gz` file, and returns the path of this file.
    fn archive(&self) -> PathBuf {
        let record = |(number, page): (usize, &&[u8])| {
            let response = made::http("200 OK\r\nContent-Type: text/html", page);
            let id = format!(
                "WARC-Date: 2026-11-24T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number:036}>\r\n"
            );
            made::gz(&made::warc("response", &url(number), &id, &response))
        };
        let path = self.folder.path().join("pages.warc.gz");
        let records: Vec<_> = self.pages.iter().enumerate().flat_map(record).collect();
        std::fs::write(&path, records).unwrap();
        path
    }

    /// Runs the program with these arguments on an input, and returns the processor time of the
    /// process.
    fn run(&self, arguments: &[&str], input: &Path) -> Duration {
        let before = of_children();
        let status = Command::new(&self.program)
            .args(arguments)
            .args(["--jobs", "1"])
            .arg(input)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        // A verb that has something to report ends with 1.
        assert!(matches!(status.code(), Some(0 | 1)), "{arguments:?}");
        of_children() - before
    }

    /// Runs the verb `filter` on a folder with the pages of a site. Returns the processor time.
    fn filter_site(&self, site: &Path) -> Duration {
        self.run(&["filter", "--url", "https://site.example/"], site)
    }
}

pub(crate) fn rows(inputs: &Inputs) {
    let files = Files::new(inputs);
    let alone: Work<'_> = ("Filter::page", &|| pages(&files.pages));
    let site = files.site();
    compare(
        "program",
        files.amount,
        ("filter --format json, a folder", &|| {
            files.filter_site(&site)
        }),
        &[(alone, Goal::Ratio(0.8))],
    );
    let lines = files.lines(&files.pages);
    compare(
        "program",
        files.amount,
        ("filter --format json, JSON Lines", &|| {
            files.run(&["filter"], &lines)
        }),
        &[(alone, Goal::Ratio(0.8))],
    );
    let small: Vec<_> = (0..SMALL_PAGES)
        .map(|number| synthetic::page(number, SMALL).into_bytes())
        .collect();
    let small: Vec<_> = small.iter().map(Vec::as_slice).collect();
    let lines = files.lines(&small);
    compare(
        "program",
        Amount::bytes("small, made", bytes(&small), 1),
        ("filter --format json, JSON Lines", &|| {
            files.run(&["filter"], &lines)
        }),
        &[(("Filter::page", &|| pages(&small)), Goal::None)],
    );
    let archive = files.archive();
    compare(
        "program",
        files.amount,
        ("mask, .warc.gz", &|| files.run(&["mask"], &archive)),
        &[
            (
                ("one inflate of it", &|| unpacked(&archive)),
                Goal::Ratio(1.0 / 1.5),
            ),
            (alone, Goal::None),
        ],
    );
    compare(
        "program",
        files.amount,
        ("lint, .warc.gz", &|| files.run(&["lint"], &archive)),
        &[(alone, Goal::None)],
    );
    compare(
        "program",
        files.amount,
        ("index, .warc.gz", &|| {
            let index = TempDir::new().unwrap();
            let output = index.path().join("index");
            files.run(&["index", "--output", output.to_str().unwrap()], &archive)
        }),
        &[(alone, Goal::None)],
    );
}

pub(crate) fn lexbor(inputs: &Inputs) {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_selectolax = Command::new(&python)
        .args(["-c", "import selectolax.lexbor"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_selectolax {
        println!("SKIPPED: lexbor, {python} has no selectolax (pip install selectolax, PYTHON)");
        return;
    }
    let files = Files::new(inputs);
    let site = files.site();
    let script = || {
        let output = Command::new(&python).arg(LEXBOR).arg(&site).output();
        let seconds = String::from_utf8(output.unwrap().stdout).unwrap();
        Duration::from_secs_f64(seconds.trim().parse().unwrap())
    };
    let lexbor: Work<'_> = ("lexbor, text and links", &script);
    compare(
        "lexbor",
        files.amount,
        ("filter --format json, a folder", &|| {
            files.filter_site(&site)
        }),
        &[(lexbor, Goal::Ratio(1.0))],
    );
    compare(
        "lexbor",
        files.amount,
        ("text, links, audit", &|| pages(&files.pages)),
        &[(lexbor, Goal::None)],
    );
}

/// Measures a task and several others in turns, and prints the rows that compare the first task
/// with each of the others. The best of several rounds counts.
fn compare(group: &str, amount: Amount<'_>, ours: Work<'_>, others: &[(Work<'_>, Goal)]) {
    let works: Vec<_> = std::iter::once(ours.1)
        .chain(others.iter().map(|other| other.0.1))
        .collect();
    let mut best = vec![Duration::MAX; works.len()];
    for _ in 0..ROUNDS {
        for (work, best) in works.iter().zip(&mut best) {
            *best = work().min(*best);
        }
    }
    for ((other, goal), time) in others.iter().zip(&best[1..]) {
        row(
            group,
            amount,
            (ours.0, best[0]),
            Some((other.0, *time)),
            *goal,
        );
    }
}

/// Returns the path of the program: the value of the environment variable `HEEDFUL`. If it is not
/// set, the program is built in the profile of this benchmark.
fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("HEEDFUL") {
        return program.into();
    }
    // The benchmark is in TARGET/PROFILE/deps.
    let benchmark = std::env::current_exe().unwrap();
    let built = benchmark.ancestors().nth(2).unwrap();
    let profile = match built.file_name().and_then(|name| name.to_str()).unwrap() {
        "release" => "bench",
        "debug" => "dev",
        other => other,
    };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--quiet", "--locked", "--package", "heedful-cli"])
        .args(["--features", "full", "--profile", profile, "--target-dir"])
        .arg(built.parent().unwrap())
        .current_dir(root());
    assert!(cargo.status().unwrap().success(), "{cargo:?}");
    built.join("heedful")
}

fn url(number: usize) -> String {
    format!("https://site{}.example/pages/{number}.html", number % 40)
}

fn bytes(pages: &[&[u8]]) -> usize {
    pages.iter().map(|page| page.len()).sum()
}

/// Returns the processor time of all child processes that have ended.
fn of_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let used = usage.user_time() + usage.system_time();
    Duration::from_micros(used.num_microseconds().try_into().unwrap())
}

/// Filters pages in memory without the program, and returns the processor time.
fn pages(pages: &[&[u8]]) -> Duration {
    let filter = filter();
    let started = spent();
    for page in pages {
        drop(std::hint::black_box(filter.page(URL, &[], page).unwrap()));
    }
    spent() - started
}

/// Unpacks an archive once, with the library that the program uses. Returns the processor time.
fn unpacked(archive: &Path) -> Duration {
    let packed = std::fs::read(archive).unwrap();
    let started = spent();
    let mut records = MultiGzDecoder::new(packed.as_slice());
    std::io::copy(&mut records, &mut std::io::sink()).unwrap();
    spent() - started
}
