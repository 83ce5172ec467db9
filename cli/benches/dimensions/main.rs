//! Counts the instructions of the program while one dimension of its input is doubled.
//!
//! `just dimensions` prints a table with a row for each dimension: pages, entries, captures of a
//! URL, redirects and the like. The program runs with n, 2 n and 4 n members of a dimension. The
//! exponent of the growth is computed from the two differences between these runs, so the cost of
//! starting the program has no effect. The exponent must be at most 1.1. [`STEEPER`] names the
//! known exceptions. The dimensions of a single page are counted by `just counts`. A row also fails
//! if a limit cuts its input short.
//!
//! The program runs under valgrind. Without valgrind everything is skipped with a message; with
//! `HEEDFUL_VALGRIND=1` that is a failure. `just dimensions page` counts only the rows whose names
//! contain `page`. A new dimension is added to the rows of its kind.
//! contain `page`. A new dimension is added to the rows of its kind.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod archives;
mod files;
mod indexes;
mod pages;
mod robots;
mod tables;

#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../benches/counts/callgrind.rs"]
mod callgrind;
#[allow(dead_code, reason = "tests share it")]
#[path = "../../../tests/support/made.rs"]
mod made;

use std::thread;

use files::{Files, PROGRAM};

/// Maximum exponent of the growth of the cost with the size of one dimension.
const MOST_EXPONENT: f64 = 1.1;
/// Dimensions with which the cost may grow more steeply, because a limit bounds them. The number is
/// the accepted exponent.
const STEEPER: [(&str, f64); 0] = [];

/// A dimension: its name, the number n, and a function that makes an input with a given number of
/// members. The function returns the arguments with which the program reads the input.
type Row = (&'static str, usize, fn(&Files, usize) -> Vec<String>);

const TABLES: [&[Row]; 5] = [
    archives::ROWS,
    pages::ROWS,
    robots::ROWS,
    indexes::ROWS,
    tables::ROWS,
];

/// The measured growth of the cost with the number of members of a dimension. Costs are counted in
/// instructions.
struct Growth {
    name: &'static str,
    /// The number n: the size of the smallest input, in members.
    size: usize,
    /// Two costs: that of the members n to 2 n, and that of the members 2 n to 4 n.
    costs: [u64; 2],
}

fn main() {
    if !callgrind::is_there_or_skipped() {
        return;
    }
    println!("| dimension | n | instructions per member | exponent | bound |");
    println!("|---|---|---|---|---|");
    let cores = thread::available_parallelism().unwrap().get();
    let mut failed = Vec::new();
    for rows in wanted_rows().chunks(cores) {
        for growth in measured(rows) {
            growth.print();
            if !growth.is_within_bound() {
                failed.push(growth.name);
            }
        }
    }
    assert!(
        failed.is_empty(),
        "steeper than their bound, or cut short: {failed:?}"
    );
}

/// Returns the rows whose names contain an argument of the command line, or all rows if it has
/// none.
fn wanted_rows() -> Vec<&'static Row> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    // Cargo adds an option.
    words.retain(|word| !word.starts_with('-'));
    let is_wanted = |row: &&Row| {
        let (name, ..) = row;
        words.is_empty() || words.iter().any(|word| name.contains(word.as_str()))
    };
    let rows: Vec<_> = TABLES.into_iter().flatten().filter(is_wanted).collect();
    assert!(!rows.is_empty(), "no row has such a name: {words:?}");
    rows
}

/// Measures the rows in parallel. The number of instructions does not depend on the load of the
/// machine.
fn measured(rows: &[&'static Row]) -> Vec<Growth> {
    thread::scope(|scope| {
        let threads: Vec<_> = rows
            .iter()
            .map(|row| scope.spawn(|| Growth::of(row)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

impl Growth {
    fn of(row: &Row) -> Self {
        let (name, size, make) = *row;
        let [one, two, four] = [size, 2 * size, 4 * size].map(|members| {
            let files = Files::new();
            let arguments = make(&files, members);
            // A verb that finds something ends with 1.
            callgrind::count_run(PROGRAM.as_ref(), &arguments, &[0, 1], None)
        });
        let costs = [two.saturating_sub(one), four.saturating_sub(two)];
        Self { name, size, costs }
    }

    /// Returns the exponent of the growth of the cost. It is 1 if the growth is linear.
    fn exponent(&self) -> f64 {
        let [first, second] = self.costs;
        (second as f64 / first as f64).log2()
    }

    fn bound(&self) -> f64 {
        let steeper = STEEPER.into_iter().find(|(name, _)| *name == self.name);
        steeper.map_or(MOST_EXPONENT, |(_, most)| most)
    }

    /// True if the cost does not grow too steeply. False also if more members cost nothing, as
    /// after a limit has cut the input short.
    fn is_within_bound(&self) -> bool {
        self.costs.into_iter().all(|cost| cost > 0) && self.exponent() <= self.bound()
    }

    fn print(&self) {
        let Self { name, size, costs } = self;
        let each = costs[1] / (2 * *size as u64);
        let (exponent, bound) = (self.exponent(), self.bound());
        println!("| {name} | {size} | {each} | {exponent:.3} | {bound} |");
    }
}
