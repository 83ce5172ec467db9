//! The service under load, and for a long time. Linux only.
//!
//! `cargo bench --bench serve -- load 30` asks 500 times a second for half a minute: real pages
//! where there are some, or else those of the corpus. The clock of each request starts when it was
//! due, so an answer that holds up others costs them too. The client runs on the same cores. It
//! prints the table of docs/serve.md.
//!
//! `cargo bench --bench serve -- soak 3600` sends pages, streams and hostile requests for an hour,
//! and reads memory. A second number is a pause of so many milliseconds before each request, for a
//! machine that has other work. It fails if an answer is missing or wrong, or if memory grows: its
//! peak in the last quarter may be a quarter above that in the second one.

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
