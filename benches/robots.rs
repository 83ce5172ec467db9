//! Measures the cost of robots.txt files: the memory of a parsed file, compared with that of
//! `robotxt`, and the time and memory for hostile files.
//!
//! `cargo bench --bench robots` prints the memory per parsed file and the number of allocations of
//! a ruling. It uses real files if `HEEDFUL_DATA` is set, or generated files. Typical hostile files
//! are measured too. Each must be parsed, and asked about URLs, within 50 ms and 20 MB. The speed
//! is in the table of the benchmark `speed`, group gate. Lists of URLs without their pages are
//! measured in the benchmark `unread`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../tests/support/mod.rs"]
mod real;
#[path = "support/robots.rs"]
mod robots;
#[allow(dead_code, reason = "benchmarks share it")]
mod support;

use std::alloc::System;
use std::hint::black_box;
use std::time::{Duration, Instant};

use heedful::{Bot, RobotsTxt};
use robots::{files, paths};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use support::peak;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Returns the number of bytes of memory that are allocated now.
fn live() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Returns the number of memory allocations so far, reallocations included.
fn allocations() -> usize {
    let stats = ALLOCATOR.stats();
    stats.allocations + stats.reallocations
}

fn main() {
    let files = files();
    let bot = Bot::new("Googlebot").unwrap();
    keeping(&files);
    asking(&files, &bot);
    many_bots(&files);
    hostile(&bot);
}

/// Prints the memory of the parsed robots.txt files, as a share of the size of their sources.
fn keeping(files: &[Vec<u8>]) {
    let bytes: usize = files.iter().map(Vec::len).sum();
    let share = |kept: usize| kept as f64 / bytes as f64;
    let before = live();
    let ours: Vec<_> = files.iter().map(|file| RobotsTxt::parse(file)).collect();
    let between = live();
    let theirs: Vec<_> = files
        .iter()
        .map(|file| robotxt::Robots::parse(file, "Googlebot"))
        .collect();
    let after = live();
    let bot = Bot::new("Googlebot").unwrap();
    for robots in &ours {
        asked_often(robots, &bot);
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

/// Asks a robots.txt about paths until the file builds its index for fast rulings.
fn asked_often(robots: &RobotsTxt, bot: &Bot) {
    for _ in 0..20 {
        black_box(robots.ruling(bot, "/").line());
    }
}

/// Prints the number of memory allocations of a ruling, for robots.txt files that have built their
/// index.
fn asking(files: &[Vec<u8>], bot: &Bot) {
    let (mut rulings, mut asked) = (0, 0);
    for file in files {
        let robots = RobotsTxt::parse(file);
        asked_often(&robots, bot);
        for path in paths(file) {
            let before = allocations();
            black_box(robots.ruling(bot, &path).line());
            asked += allocations() - before;
            rulings += 1;
        }
    }
    println!("{rulings} rulings: {asked} allocations");
}

fn many_bots(files: &[Vec<u8>]) {
    let longest = files.iter().max_by_key(|file| file.len()).unwrap();
    let robots = RobotsTxt::parse(longest);
    let bots: Vec<_> = (0..20)
        .map(|number| Bot::new(&format!("bot{number}")).unwrap())
        .collect();
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
    let star = |count: usize, end: &str| {
        format!("User-agent: *\nDisallow: /{}b{end}\n", "*a".repeat(count))
    };
    let long = format!("/{}", "a".repeat(16_000));
    for (name, file) in [
        ("4000 stars", star(4000, "")),
        ("4000 stars, anchored", star(4000, "$")),
        ("500 KB of star rules", star(30, "").repeat(7000)),
        (
            "500 KB of long pieces",
            format!(
                "User-agent: *\n{}",
                format!("Disallow: /*{}b\n", "a".repeat(1000)).repeat(480)
            ),
        ),
        (
            "50 MB of groups",
            "User-agent: a\nDisallow: /b\n\n".repeat(1_800_000),
        ),
        (
            "50 MB in one group",
            format!("User-agent: *\n{}", "Disallow: /abc$\n".repeat(3_000_000)),
        ),
        (
            "1 million agents",
            format!("{}Disallow: /x\n", "User-agent: a\n".repeat(1_000_000)),
        ),
        ("50 MB in one line", "x".repeat(50_000_000)),
        (
            "400 KB of paths in one line",
            format!("User-agent: *\nDisallow: {}", "/a ".repeat(133_000)),
        ),
        (
            "400 KB of keys in one line",
            "User-agent: * Disallow: /a ".repeat(15_000),
        ),
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
        assert!(
            all < Duration::from_millis(50) && grown < 20.0,
            "{name} takes too much"
        );
    }
}
