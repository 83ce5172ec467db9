//! Measures the program on large hostile inputs. It reads each input alone, and between two good
//! pages.
//!
//! `just hostile` prints a table with a row for each hostile input. The columns are the input's
//! size, three numbers of pages (good pages answered, bad pages answered, bad pages with an error),
//! and the exceeded limits. The last columns are the CPU seconds, the CPU seconds for 5 MB of
//! input, and the peak memory. `just hostile zstd` runs only the rows whose names contain `zstd`.
//! `just hostile memory=256M` indexes within 256 MB of memory. The benchmark fails if a good page
//! is not answered or a run does not end, and names the rows that cost too much. A new input is
//! added to the rows of its kind. Linux only. The inputs are files on disk, so they do not count as
//! memory.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod archives;
mod files;
mod pages;
mod robots;
mod tables;

#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../benches/support/child.rs"]
mod child;
#[allow(dead_code, reason = "tests share it")]
#[path = "../../../tests/support/made.rs"]
mod made;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use heedful_index::Index;
use walkdir::WalkDir;

const GOOD: [&str; 2] = ["https://good.example/first", "https://good.example/last"];
/// Maximum time of a run of the program. A longer run is killed, and counts as one that does not
/// end.
const LONGEST: Duration = Duration::from_secs(600);
/// Maximum CPU time of a run for 5 MB of input, in seconds.
const MOST_SECONDS: f64 = 10.0;
/// Maximum memory of a run in megabytes: first without the argument `memory=`, then with it.
const MOST_MEGABYTES: [f64; 2] = [600.0, 350.0];

/// A function that makes a hostile input. If the argument `bool` of the function is true, the input
/// is between two good pages.
enum Make {
    /// Returns the bytes of a file with the hostile input.
    Bytes(fn(bool) -> Vec<u8>),
    /// Returns the HTML of a hostile page, which the benchmark repeats up to 5 MB.
    Html(fn() -> String),
    /// Creates hostile files in a folder, and returns the arguments with which the program reads
    /// these files.
    Files(fn(&Path, bool) -> Vec<OsString>),
}

/// The name of a hostile input, and the function that makes the input.
type Row = (&'static str, Make);

impl Make {
    fn inputs(&self, folder: &Path, good: bool) -> Vec<OsString> {
        let bytes = match self {
            Self::Bytes(make) => make(good),
            Self::Html(make) => pages::archive(good, &make()),
            Self::Files(make) => return make(folder, good),
        };
        vec![made::write(folder, "hostile", &bytes).into()]
    }
}

/// The program to test, and the memory to which the argument `memory=` limits it. The memory is
/// `None` if there is no such argument.
struct Bench {
    program: OsString,
    memory: Option<String>,
}

/// Answers of the program in one run: the numbers of good pages, of bad pages, and of bad pages
/// with an error. It also has the names of the limits that were exceeded.
#[derive(Default)]
struct Answered {
    good: usize,
    bad: usize,
    named: usize,
    limits: BTreeSet<String>,
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let (memory, wanted): (Vec<_>, Vec<_>) = wanted
        .into_iter()
        .partition(|word| word.starts_with("memory="));
    let memory = memory
        .first()
        .and_then(|word| word.strip_prefix("memory="))
        .map(str::to_owned);
    let program =
        std::env::var_os("HEEDFUL").unwrap_or_else(|| env!("CARGO_BIN_EXE_heedful").into());
    let (bench, mut failed, mut dear) = (Bench { program, memory }, Vec::new(), Vec::new());
    println!("| input | MB | good | bad pages | named | limits | CPU s | per 5 MB | peak MB |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let rows = [
        archives::ROWS,
        files::ROWS,
        pages::ROWS,
        robots::ROWS,
        tables::ROWS,
    ];
    for (name, make) in rows.into_iter().flatten() {
        if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        for good in [false, true] {
            let folder = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let inputs = make.inputs(folder.path(), good);
            let (is_well, is_dear) = bench.measure(name, folder.path(), &inputs, good);
            failed.extend(Some(*name).filter(|_| !is_well));
            dear.extend(Some(*name).filter(|_| is_dear));
        }
    }
    println!("\ndearer than a row may be: {dear:?}");
    assert!(
        failed.is_empty(),
        "a good page is not answered, or the run did not end: {failed:?}"
    );
}

impl Bench {
    /// Runs the program over hostile inputs, and prints a row with its answers and costs. Returns
    /// two bools. The first is true if the run ended and all good pages were answered. The second
    /// is true if the run cost too much.
    fn measure(&self, name: &str, folder: &Path, inputs: &[OsString], good: bool) -> (bool, bool) {
        let size = WalkDir::new(folder)
            .into_iter()
            .filter_map(|file| file.ok()?.metadata().ok());
        let size = size
            .filter(Metadata::is_file)
            .map(|file| file.len())
            .sum::<u64>() as f64
            / 1e6;
        let (out, index) = (folder.join("out"), folder.join("index"));
        let mut command = self.command(&index);
        let command = command
            .args(inputs)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.stdout(File::create(&out).unwrap()).spawn().unwrap();
        let (cpu, peak) = child::watch_for(&mut child, LONGEST);
        let status = child.wait().unwrap();
        let mut met = answered(&out);
        if self.memory.is_some() {
            (met.good, met.bad) = indexed(&index);
        }
        let Answered {
            bad, named, limits, ..
        } = &met;
        let limits = limits.iter().cloned().collect::<Vec<_>>().join(", ");
        let (cpu, peak) = (cpu.as_secs_f64(), peak as f64 / 1e6);
        let each = cpu * 5.0 / size.max(5.0);
        let shown = if good {
            format!("{} of 2", met.good)
        } else {
            "alone".to_owned()
        };
        println!(
            "| {name} | {size:.2} | {shown} | {bad} | {named} | {limits} | {cpu:.1} | {each:.1} | {peak:.0} |"
        );
        let is_well = status.code().is_some() && (!good || met.good == 2);
        (
            is_well,
            each > MOST_SECONDS || peak > MOST_MEGABYTES[usize::from(self.memory.is_some())],
        )
    }

    fn command(&self, index: &Path) -> Command {
        let mut command = Command::new(&self.program);
        match &self.memory {
            None => command.args(["filter", "--format", "json", "-j2", "--verbose"]),
            Some(memory) => command
                .args(["index", "-j2", "--memory", memory, "-o"])
                .arg(index),
        };
        command
    }
}

fn answered(out: &Path) -> Answered {
    let mut met = Answered::default();
    for line in BufReader::new(File::open(out).unwrap()).lines() {
        let line = line.unwrap();
        let is_error = line.contains("\"error\":{");
        let is_good = GOOD.iter().any(|url| line.contains(url));
        met.good += usize::from(is_good && !is_error);
        met.bad += usize::from(!is_good && !is_error);
        met.named += usize::from(is_error);
        met.limits.extend(
            line.split("passes the limit `")
                .skip(1)
                .filter_map(|rest| Some(rest.split('`').next()?.to_owned())),
        );
    }
    met
}

/// Returns the number of good pages in an index, and the number of all other pages in it.
fn indexed(index: &Path) -> (usize, usize) {
    let Ok(urls) = Index::open(index)
        .and_then(|index| index.search())
        .and_then(|search| search.urls())
    else {
        return (0, 0);
    };
    let good = urls
        .iter()
        .filter(|url| GOOD.contains(&url.as_str()))
        .count();
    (good, urls.len() - good)
}
