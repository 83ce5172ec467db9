//! Measures the time for whole archives. Four kinds of work are compared: the mask (one answer for
//! each record), the filter alone, reading alone, and `FastWARC`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use heedful::{Filter, Uses};
use heedful_input::{Input, Inputs, Item};
use heedful_json::{PageJson, line};
use heedful_run::mask::{MaskFile, MaskFormat, MaskQuestions};
use heedful_run::{Run, survey};

use crate::child::cpu;
use crate::inputs::{Pages, filter};
use crate::real::made;

const ROUNDS: usize = 5;
/// Number of times that each work is repeated in one round of measuring.
const AT_ONCE: u32 = 4;
/// Python program that reads all records of an archive with any version of `FastWARC`. It only
/// counts the records.
const FASTWARC: &str = "
import sys, time
from fastwarc.warc import ArchiveIterator
best = 1e9
for _ in range(int(sys.argv[2])):
    start, records = time.process_time(), 0
    for record in ArchiveIterator(open(sys.argv[1], 'rb'), parse_http=False):
        records += 1
    best = min(best, time.process_time() - start)
print(records, best)
";

/// Returns the WARC records of pages as crawlers write them. Each page has a request, a response
/// and metadata.
fn records(pages: &Pages) -> Vec<Vec<u8>> {
    let each = pages.pages.iter().enumerate().flat_map(|(number, html)| {
        let url = format!("https://site{}.example/pages/{number}.html", number % 40);
        let id = format!(
            "WARC-Date: 2026-11-24T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number:036}>\r\n"
        );
        [
            made::warc(
                "request",
                &url,
                &id,
                b"GET / HTTP/1.1\r\nHost: site.example\r\n\r\n",
            ),
            made::warc(
                "response",
                &url,
                &id,
                &made::http("200 OK\r\nContent-Type: text/html", html),
            ),
            made::warc("metadata", &url, &id, b"fetchTimeMs: 12\r\n"),
        ]
    });
    each.collect()
}

/// Prints the time for the records of some pages, in plain files and in gzip, and the size of their
/// masks.
pub(crate) fn told(pages: &Pages) {
    let folder = tempfile::tempdir().unwrap();
    let records = records(pages);
    println!("| file | work | records/s | MB/s of HTML | ratio to the mask |");
    println!("|---|---|---|---|---|");
    for (name, bytes) in [
        ("real.warc", records.concat()),
        (
            "real.warc.gz",
            records.iter().flat_map(|record| made::gz(record)).collect(),
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        raced(&path, records.len(), pages);
    }
    sizes(folder.path(), records.len());
}

fn inputs(path: &Path) -> Vec<Input> {
    Inputs::default().each_record().open(&[path]).unwrap()
}

fn asking(filter: &Filter) -> MaskQuestions {
    MaskQuestions::new(
        Uses::parse_names("index,archive,train,input").unwrap(),
        filter,
    )
}

/// Returns the least processor time that `work` takes in several rounds, summed over all threads.
/// The system counts it in hundredths of a second, so each round does the work several times.
fn least(work: impl Fn()) -> Duration {
    let round = || {
        let start = cpu("/proc/self/stat");
        for _ in 0..AT_ONCE {
            work();
        }
        cpu("/proc/self/stat") - start
    };
    let least = (0..ROUNDS).map(|_| round()).min().unwrap();
    // At least the clock's unit, so that a ratio to the time is finite.
    least.max(Duration::from_millis(10)) / AT_ONCE
}

fn raced(path: &Path, records: usize, pages: &Pages) {
    let mask = least(|| masked(path, &mut |_| ()));
    let works = [
        ("mask", mask),
        (
            "mask, without digests of pages",
            least(|| without_digests(path)),
        ),
        ("filter", least(|| filtered(path))),
        ("the archive read, no page", least(|| read(path, true))),
        (
            "the same, digests of records not checked",
            least(|| read(path, false)),
        ),
    ];
    let fastwarc = fastwarc(path, records).map(|time| ("FastWARC, read alone", time));
    for (work, time) in works.into_iter().chain(fastwarc) {
        let (seconds, name) = (
            time.as_secs_f64(),
            path.file_name().unwrap().to_string_lossy().into_owned(),
        );
        println!(
            "| {name} | {work} | {:.0} | {:.0} | {:.2} |",
            records as f64 / seconds,
            pages.bytes() as f64 / 1e6 / seconds,
            seconds / mask.as_secs_f64(),
        );
    }
}

fn masked(path: &Path, take: &mut dyn FnMut(heedful_run::mask::MaskAnswer)) {
    let inputs = inputs(path);
    let (gate, filter) = survey(&inputs, filter()).unwrap();
    let asking = asking(&filter);
    let run = Run::new(&inputs, &gate, 1);
    run.each(
        |document, at| asking.page(document, &at, &filter),
        |outcome, _| {
            let answer = asking.answer(outcome);
            std::hint::black_box(answer.line());
            take(answer);
            Ok(())
        },
    )
    .unwrap();
}

fn without_digests(path: &Path) {
    let inputs = inputs(path);
    let (gate, filter) = survey(&inputs, filter()).unwrap();
    let asking = asking(&filter).without_digests();
    let take = |outcome, _| {
        std::hint::black_box(asking.answer(outcome).line());
        Ok(())
    };
    Run::new(&inputs, &gate, 1)
        .each(|document, at| asking.page(document, &at, &filter), take)
        .unwrap();
}

fn filtered(path: &Path) {
    let inputs = Inputs::default().open(&[path]).unwrap();
    let (gate, filter) = survey(&inputs, filter()).unwrap();
    let take = |outcome: heedful_run::Outcome, _| {
        let (_, pages) = outcome.answer().unwrap();
        for page in &pages.unwrap() {
            std::hint::black_box(line(&PageJson::page(page)));
        }
        Ok(())
    };
    Run::new(&inputs, &gate, 1).filter(&filter, take).unwrap();
}

/// Reads an archive twice: for its robots.txt files, and for its pages. A run does so for an archive
/// whose pages exceed `bytes_under_way`.
fn read(path: &Path, digests: bool) {
    let inputs = Inputs::default()
        .each_record()
        .digests(digests)
        .open(&[path])
        .unwrap();
    inputs[0].each_robots(&mut |_| ()).unwrap();
    let bytes = |item: &Item| {
        if let Item::Document(document) = item {
            document.bytes().len()
        } else {
            0
        }
    };
    std::hint::black_box(
        inputs[0]
            .items()
            .unwrap()
            .map(|(item, _)| bytes(&item))
            .sum::<usize>(),
    );
}

/// Returns the processor time of `FastWARC` for an archive. Returns None if no Python (`PYTHON`, or
/// `python3`) has it.
fn fastwarc(path: &Path, records: usize) -> Option<Duration> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = Command::new(python)
        .args(["-c", FASTWARC])
        .arg(path)
        .arg(ROUNDS.to_string())
        .output()
        .ok()?;
    let told = String::from_utf8(output.stdout).ok()?;
    let (read, seconds) = told.trim().split_once(' ')?;
    assert_eq!(read.parse(), Ok(records), "FastWARC reads as many records");
    Some(Duration::from_secs_f64(seconds.parse().ok()?))
}

/// Prints the number of bytes per record in each form of an archive: plain and packed.
fn sizes(folder: &Path, records: usize) {
    let filter = filter();
    println!();
    for name in ["out.jsonl", "out.jsonl.gz", "out.tsv.gz", "out.mask"] {
        let path = folder.join(name);
        let (mut file, _) = MaskFile::begin(
            &path,
            MaskFormat::from_path(&path),
            &asking(&filter),
            "",
            false,
        )
        .unwrap();
        masked(&folder.join("real.warc"), &mut |answer| {
            file.add(answer, || None).unwrap();
        });
        file.finish().unwrap();
        let bytes = std::fs::metadata(&path).unwrap().len();
        println!(
            "{name}: {:.2} bytes a record",
            bytes as f64 / records as f64
        );
    }
}
