//! Endurance test: runs the program for a long time with hostile input among the pages. Memory must
//! not grow, and no answer may be lost.
//!
//! `just endure 3600` gives half an hour to `filter`, which reads one endless pipe. The second half
//! hour goes to rounds of `index`, `search` and `purge` on one index. The test fails if a line has
//! no answer, a page is not found, or memory grows. In the last quarter of the time, the peak of
//! memory may be at most 25 percent above the peak in the second quarter. Linux only.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../benches/support/child.rs"]
mod child;
#[allow(dead_code, reason = "tests share it")]
#[path = "../../tests/support/made.rs"]
mod made;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use made::{Chance, line};

fn main() {
    let seconds = std::env::args()
        .skip(1)
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(120);
    let half = Duration::from_secs(seconds) / 2;
    let program =
        std::env::var_os("HEEDFUL").unwrap_or_else(|| env!("CARGO_BIN_EXE_heedful").into());
    filter(&program, half);
    rounds(&program, half);
}

/// Returns one line of input: a page, or sometimes a hostile line. The URL of the page contains
/// `number`.
fn made_line(number: u64, chance: &mut Chance) -> Vec<u8> {
    let url = format!("https://s{}.example/{number}", number % 50);
    let words = chance.words(200);
    let html = match chance.below(40) {
        0 => format!("<div class=robots-noindex>{}", "<div>".repeat(5000)),
        1 => format!("<p {}>{words}", "a=b ".repeat(5000)),
        2 => format!(
            "{}{words}",
            "<!-- robots content=\"noindex\" -->".repeat(4200)
        ),
        3 => format!(
            "<table><b class=robots-nocontent>{}",
            "<tr>x<td><font>".repeat(300)
        ),
        4 => format!("<p>{}", "&amp;".repeat(200_000)),
        5 => format!("<select><svg><style>{words}"),
        6 => {
            return [
                b"{\"url\":\"https://broken.example/\",\"html\":",
                words.as_bytes(),
                b"\n",
            ]
            .concat();
        }
        7 => {
            return line(
                &format!("https://s{}.example/robots.txt", number % 50),
                "User-agent: *\nDisallow: /x$\n",
            );
        }
        _ => format!(
            "<title>page {number}</title><p>{words}<!--noindex-->withheld<!--/noindex--> <a href=/{number}>x</a>"
        ),
    };
    line(&url, &html)
}

/// Runs one process of `heedful filter` for this time, and writes lines to its standard input.
fn filter(program: &OsString, time: Duration) {
    let mut command = Command::new(program);
    command
        .args(["filter", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (asked, answered) = (AtomicU64::new(0), AtomicU64::new(0));
    let started = Instant::now();
    let mut curve = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut chance = Chance(1);
            for number in 0.. {
                if started.elapsed() > time {
                    break;
                }
                let line = made_line(number, &mut chance);
                // A robots.txt is read but has no answer.
                asked.fetch_add(
                    u64::from(!line.starts_with(b"{\"html\":\"User-agent")),
                    Ordering::Relaxed,
                );
                input.write_all(&line).unwrap();
            }
            drop(input);
        });
        scope.spawn(|| {
            for line in BufReader::new(output).lines() {
                assert!(
                    !line.unwrap().contains("withheld"),
                    "what is withheld came out"
                );
                answered.fetch_add(1, Ordering::Relaxed);
            }
        });
        println!("| filter: s | lines answered | MB |\n|---|---|---|");
        while started.elapsed() < time {
            thread::sleep(time / 12);
            curve.push(resident(child.id()));
            let (seconds, lines) = (
                started.elapsed().as_secs(),
                answered.load(Ordering::Relaxed),
            );
            println!(
                "| {seconds} | {lines} | {} |",
                curve.last().unwrap_or(&0) / 1000
            );
        }
    });
    assert!(child.wait().unwrap().success());
    let (asked, answered) = (asked.into_inner(), answered.into_inner());
    println!("{asked} lines, {answered} answers");
    assert_eq!(asked, answered, "a line is lost");
    is_flat(&curve);
}

/// Returns the resident memory of the process `id` in kilobytes. Returns 0 if the process has
/// ended.
fn resident(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

fn is_flat(curve: &[u64]) {
    let quarter = curve.len() / 4;
    let peak = |part: &[u64]| part.iter().copied().max().unwrap_or(0);
    let (second, last) = (
        peak(&curve[quarter..2 * quarter]),
        peak(&curve[3 * quarter..]),
    );
    assert!(
        last * 4 <= second * 5,
        "memory grows: {second} kB, then {last} kB"
    );
}

/// Runs rounds of `index`, `search` and `purge` for this time. Each round indexes a thousand lines
/// into the same index. Most lines are for pages that the index already has.
fn rounds(program: &OsString, time: Duration) {
    let folder = made::folder();
    let index = folder.path().join("index");
    let (started, mut chance, mut curve) = (Instant::now(), Chance(2), Vec::new());
    println!("| round | index: MB | on disk: MB | pages |\n|---|---|---|---|");
    for round in 1.. {
        if started.elapsed() > time {
            break;
        }
        let lines: Vec<u8> = (0..1000)
            .flat_map(|number| made_line(number + round % 7 * 100, &mut chance))
            .collect();
        let mark = line(
            "https://mark.example/",
            &format!("<p>markword round{round}"),
        );
        let ran = child::run(
            Command::new(program)
                .args(["index", "-q", "-o"])
                .arg(&index),
            |pipe| {
                pipe.write_all(&lines)
                    .and_then(|()| pipe.write_all(&mark))
                    .unwrap();
            },
        );
        curve.push(ran.peak / 1000);
        let asked = |arguments: &[&str]| {
            let output = Command::new(program)
                .arg(arguments[0])
                .arg(&index)
                .args(&arguments[1..])
                .output()
                .unwrap();
            assert!(
                output.status.code() < Some(2),
                "{arguments:?}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            String::from_utf8(output.stdout).unwrap()
        };
        assert!(
            asked(&["search", &format!("markword round{round}")]).contains("mark.example"),
            "round {round}"
        );
        assert!(
            !asked(&["search", "withheld"]).contains("example"),
            "what is withheld is found"
        );
        asked(&["purge", "--expired"]);
        if round % 10 == 0 {
            asked(&["compact"]);
            assert_eq!(
                asked(&["stats", "--check"])
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .split(':')
                    .next(),
                Some("whole")
            );
            let pages = asked(&["stats"]);
            let (peak, disk) = (ran.peak / 1_000_000, size(&index) / 1_000_000);
            println!(
                "| {round} | {peak} | {disk} | {} |",
                pages.lines().next().unwrap_or_default()
            );
        }
    }
    println!("{} rounds", curve.len());
    is_flat(&curve);
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let of = |entry: std::fs::DirEntry| {
        if entry.path().is_dir() {
            size(&entry.path())
        } else {
            entry.metadata().map_or(0, |of| of.len())
        }
    };
    entries.map(of).sum()
}
