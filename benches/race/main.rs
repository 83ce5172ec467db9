//! Races heedful with itself: the table shows how far two equal versions seem to differ. `just race
//! COMMIT` races the version of a commit with the present one in the same way (`two.rs`).
//!
//! `cargo bench --bench race` prints the table, and `-- WORK` the rows of one work.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

pub mod now;
mod race;
#[path = "../../tests/support/mod.rs"]
mod real;
#[path = "../support/pages.rs"]
mod real_or_made;
#[path = "../support/robots.rs"]
mod robots;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../support/synthetic.rs"]
mod synthetic;
#[path = "../support/turns.rs"]
mod turns;

use race::Version;

const NOW: Version = Version {
    is_marked: now::is_marked,
    reader: now::reader,
    writer: now::writer,
    judge: now::judge,
};

fn main() {
    race::race(["present", "present"], [&NOW, &NOW]);
}
