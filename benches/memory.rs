//! Measures the peak memory of a pass over a page of plain paragraphs, streamed to a sink that
//! stores nothing.
//!
//! `cargo bench --bench memory` feeds 1 GB (`-- MEGABYTES` for another size), and fails if memory
//! grows by 32 MB or more. It works on Linux only, because it reads the process's own peak memory
//! from /proc.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[allow(dead_code, reason = "benchmarks share it")]
mod support;

use std::time::Instant;

use heedful::{Bot, Filter, Limits};
use support::{Nothing, peak};

const MOST_GROWTH: u64 = 32 << 20;

fn main() {
    let megabytes: u64 = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(1000);
    for (name, paragraph) in [
        (
            "closed paragraphs",
            "<p>The quick brown fox jumps over the lazy dog, and <b>again</b> &amp; again.</p>\n",
        ),
        (
            "paragraphs never closed",
            "<p>The quick brown fox jumps over the lazy dog, and <b>again</b> &amp; again.\n",
        ),
    ] {
        let growth = stream(name, paragraph, megabytes * 1_000_000);
        assert!(
            growth < MOST_GROWTH,
            "{name}: memory grew by {growth} bytes"
        );
    }
}

/// Streams a page of `size` bytes that repeats `paragraph`. Returns the increase of peak memory in
/// bytes.
fn stream(name: &str, paragraph: &str, size: u64) -> u64 {
    let limits = Limits::default().page_bytes(u64::MAX).tokens(u64::MAX);
    let filter = Filter::new(Bot::new("FooBot").unwrap()).limits(limits);
    let piece = paragraph.repeat(64 * 1024 / paragraph.len());
    let before = peak();
    let started = Instant::now();
    let mut pass = filter
        .open_with("https://site.example/", Nothing(0))
        .unwrap();
    let mut fed = 0;
    while fed < size {
        pass.write(piece.as_bytes()).unwrap();
        fed += piece.len() as u64;
    }
    let tokens = pass.into_sink().unwrap().0;
    let (growth, seconds) = (peak() - before, started.elapsed().as_secs_f64());
    let megabytes = fed as f64 / 1e6;
    println!(
        "{name}: {megabytes:.0} MB, {tokens} tokens, peak memory +{:.1} MB, {:.0} MB/s",
        growth as f64 / 1e6,
        megabytes / seconds
    );
    growth
}
