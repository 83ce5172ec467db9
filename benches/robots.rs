//! robots.txt, side by side with `robotxt`, `texting_robots` and a bare scan of lines.
//!
//! `cargo bench --bench robots` prints bytes parsed a second, nanoseconds a ruling (ours with its line), and what is kept,
//! on real files where these are at hand (`HEEDFUL_DATA`) and on files made here; then the hostile files of the trade, each
//! of which must be read and asked within 50 ms and 20 MB.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints and may fail")]

#[path = "../tests/support/mod.rs"]
mod real;
#[allow(dead_code, reason = "benchmarks share it")]
mod support;

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use heedful::{Bot, RobotsTxt};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use support::peak;

const ROUNDS: usize = 5;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes that are held now.
fn live() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// How often memory has been asked for.
fn allocations() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

fn main() {
    let mut files = real::robots();
    if files.is_empty() {
        files = (0..500).map(made).collect();
    }
    let bot = Bot::new("Googlebot").unwrap();
    parsing(&files);
    keeping(&files);
    rulings(&files, &bot);
    many_bots(&files);
    hostile(&bot);
}

/// The best of some rounds.
fn best(mut work: impl FnMut()) -> Duration {
    let round = |_| {
        let started = Instant::now();
        work();
        started.elapsed()
    };
    (0..ROUNDS).map(round).min().unwrap()
}

fn parsing(files: &[Vec<u8>]) {
    let bytes: usize = files.iter().map(Vec::len).sum();
    let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
    let lines = best(|| {
        for file in files {
            black_box(memchr::memchr2_iter(b'\n', b'\r', file).map(|at| file[..at].len()).sum::<usize>());
        }
    });
    let each = |read: &dyn Fn(&[u8])| {
        best(|| {
            for file in files {
                read(file);
            }
        })
    };
    let ours = each(&|file| drop(black_box(RobotsTxt::parse(file))));
    let robotxt = each(&|file| drop(black_box(robotxt::Robots::parse(file, "Googlebot"))));
    let texting = each(&|file| drop(black_box(texting_robots::Robot::new("Googlebot", file))));
    println!(
        "parse {} files, {:.1} MB: lines alone {:.0} MB/s, heedful (all bots) {:.0}, robotxt (one bot) {:.0}, texting_robots (one bot) {:.0}; {:.2} times robotxt",
        files.len(),
        bytes as f64 / 1e6,
        rate(lines),
        rate(ours),
        rate(robotxt),
        rate(texting),
        rate(ours) / rate(robotxt)
    );
}

/// What is kept of the files, beside their size.
fn keeping(files: &[Vec<u8>]) {
    let bytes: usize = files.iter().map(Vec::len).sum();
    let share = |kept: usize| kept as f64 / bytes as f64;
    let before = live();
    let ours: Vec<_> = files.iter().map(|file| RobotsTxt::parse(file)).collect();
    let between = live();
    let theirs: Vec<_> = files.iter().map(|file| robotxt::Robots::parse(file, "Googlebot")).collect();
    let after = live();
    let bot = Bot::new("Googlebot").unwrap();
    for robots in &ours {
        black_box(robots.ruling(&bot, "/").line());
    }
    let asked = live();
    println!(
        "kept of a byte, all included: heedful (all bots) {:.2}, once it was asked {:.2}, robotxt (one bot) {:.2}",
        share(between - before),
        share(between - before + asked - after),
        share(after - between)
    );
    drop((ours, theirs));
}

/// Paths to ask for: some that every site has, and what the file itself speaks of.
fn paths(file: &[u8]) -> Vec<String> {
    let fixed = ["/", "/index.html", "/search?q=x", "/a/b/c.html", "/img/logo.png", "/wp-admin/", "/user/login"];
    let text = String::from_utf8_lossy(file);
    let own = text.lines().filter_map(|line| line.split_once(':').map(|(_, value)| value.trim().to_owned()));
    let own = own.filter(|path| path.starts_with('/')).map(|path| path.replace('*', "x").replace('$', ""));
    fixed.into_iter().map(str::to_owned).chain(own.take(20)).collect()
}

fn rulings(files: &[Vec<u8>], bot: &Bot) {
    let questions: Vec<_> = files.iter().map(|file| paths(file)).collect();
    let count: usize = questions.iter().map(Vec::len).sum();
    let each = |time: Duration| time.as_nanos() as f64 / count as f64;
    let ours: Vec<_> = files.iter().map(|file| RobotsTxt::parse(file)).collect();
    let theirs: Vec<_> = files.iter().map(|file| robotxt::Robots::parse(file, "Googlebot")).collect();
    let mine = best(|| {
        for (robots, paths) in ours.iter().zip(&questions) {
            for path in paths {
                black_box(robots.ruling(bot, path).line());
            }
        }
    });
    let asked_before = allocations();
    for (robots, paths) in ours.iter().zip(&questions) {
        for path in paths {
            black_box(robots.ruling(bot, path).line());
        }
    }
    let asked = allocations() - asked_before;
    let robotxt = best(|| {
        for (robots, paths) in theirs.iter().zip(&questions) {
            for path in paths {
                black_box(robots.is_allowed(path));
            }
        }
    });
    println!(
        "{count} rulings: heedful with its line {:.0} ns ({asked} allocations), robotxt without {:.0} ns; {:.2} times as fast",
        each(mine),
        each(robotxt),
        each(robotxt) / each(mine)
    );
}

fn many_bots(files: &[Vec<u8>]) {
    let longest = files.iter().max_by_key(|file| file.len()).unwrap();
    let robots = RobotsTxt::parse(longest);
    let bots: Vec<_> = (0..20).map(|number| Bot::new(&format!("bot{number}")).unwrap()).collect();
    let started = Instant::now();
    for number in 0..100_000 {
        black_box(robots.ruling(&bots[number % 20], "/a/b/c").allowed());
    }
    println!(
        "100000 rulings for 20 bots on the longest file ({} bytes): {:.2} s",
        longest.len(),
        started.elapsed().as_secs_f64()
    );
}

fn hostile(bot: &Bot) {
    let star = |count: usize, end: &str| format!("User-agent: *\nDisallow: /{}b{end}\n", "*a".repeat(count));
    let long = format!("/{}", "a".repeat(16_000));
    for (name, file) in [
        ("4000 stars", star(4000, "")),
        ("4000 stars, anchored", star(4000, "$")),
        ("500 KB of star rules", star(30, "").repeat(7000)),
        (
            "500 KB of long pieces",
            format!("User-agent: *\n{}", format!("Disallow: /*{}b\n", "a".repeat(1000)).repeat(480)),
        ),
        ("50 MB of groups", "User-agent: a\nDisallow: /b\n\n".repeat(1_800_000)),
        ("50 MB in one group", format!("User-agent: *\n{}", "Disallow: /abc$\n".repeat(3_000_000))),
        ("1 million agents", format!("{}Disallow: /x\n", "User-agent: a\n".repeat(1_000_000))),
        ("50 MB in one line", "x".repeat(50_000_000)),
        ("50 MB of newlines", "\n".repeat(50_000_000)),
        ("10 MB of NUL", "\0".repeat(10_000_000)),
    ] {
        let before = peak();
        let started = Instant::now();
        let robots = RobotsTxt::parse(file.as_bytes());
        let parsed = started.elapsed();
        black_box(robots.ruling(bot, &long).allowed());
        let all = started.elapsed();
        let grown = (peak() - before) as f64 / 1e6;
        println!("{name}: parsed in {parsed:.1?}, with a ruling {all:.1?}, +{grown:.1} MB");
        assert!(all < Duration::from_millis(50) && grown < 20.0, "{name} takes too much");
    }
}

/// A file as sites have them.
fn made(number: usize) -> Vec<u8> {
    let mut file = "# robots.txt\nUser-agent: *\nCrawl-delay: 10\n".to_owned();
    for rule in 0..number % 60 {
        file.push_str(&format!("Disallow: /section{rule}/*/print$\nAllow: /section{rule}/open/\n"));
    }
    file.push_str("\nUser-agent: BadBot\nDisallow: /\n\nSitemap: https://site.example/sitemap.xml\n");
    file.into_bytes()
}
