//! Benchmarks of the service: under load, and over a long time. They need Linux.
//!
//! `cargo bench --bench serve -- load 30` sends 500 requests a second for half a minute. It sends
//! real pages if they are available, and otherwise the pages of the corpus. The time of each
//! response is measured from the moment when its request was due. So a slow response also affects
//! the times of the requests that it delays. The client runs on the same cores as the service. The
//! benchmark prints a table.
//!
//! `cargo bench --bench serve -- soak 3600` sends pages, streams and hostile requests for an hour,
//! and measures memory. A second number sets a pause in milliseconds before each request, for a
//! machine that has other work. The benchmark fails if an answer is missing or wrong, or if memory
//! grows. In the last quarter of the time, the peak of memory may be at most 25 percent above the
//! peak in the second quarter.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../benches/support/child.rs"]
mod child;
mod client;
mod load;
mod soak;
#[path = "../../../tests/support/mod.rs"]
mod support;

use std::time::Duration;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let number = |at: usize, default: u32| {
        arguments
            .get(at)
            .map_or(default, |text| text.parse().unwrap())
    };
    let seconds = |default| Duration::from_secs(number(1, default).into());
    match arguments.first().map(String::as_str) {
        Some("soak") => soak::run(seconds(600), Duration::from_millis(number(2, 0).into())),
        _ => load::run(seconds(30), number(2, 500)),
    }
}
