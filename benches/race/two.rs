//! Races the version of a commit with the present one. `benches/race.py` makes a package of this
//! file and of two adapters, which are the libraries `old` and `new`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

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

const OLD: Version = Version {
    is_marked: old::is_marked,
    reader: old::reader,
    writer: old::writer,
    judge: old::judge,
};

const NEW: Version = Version {
    is_marked: new::is_marked,
    reader: new::reader,
    writer: new::writer,
    judge: new::judge,
};

fn main() {
    race::race([env!("RACE_COMMIT"), "present"], [&OLD, &NEW]);
}
