//! Prints the benchmark's table of results, with a row for each comparison. Works that are compared
//! take turns piece by piece, and the time of the best of several rounds is reported.

use std::time::Duration;

use crate::support::turns::race;

const ROUNDS: usize = 7;

/// The input of a measured task: its description, its size in millions of units, the unit, and the
/// number of pieces into which the task is divided.
#[derive(Clone, Copy)]
pub(crate) struct Amount<'a> {
    pub(crate) of: &'a str,
    pub(crate) millions: f64,
    pub(crate) unit: &'static str,
    pub(crate) pieces: usize,
}

impl<'a> Amount<'a> {
    pub(crate) fn bytes(of: &'a str, bytes: usize, pieces: usize) -> Self {
        Self {
            of,
            millions: bytes as f64 / 1e6,
            unit: "MB/s",
            pieces,
        }
    }
}

/// The goal for the speed of a measured task, in a row of the table.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    None,
    /// Minimum speed, as a multiple of the speed of the task with which the measured one is
    /// compared.
    Ratio(f64),
    /// Minimum speed, in millions of units per second.
    Rate(f64),
}

/// A measured task: its name, and a function that does one piece of the task. The argument of the
/// function is the number of the piece.
pub(crate) type Work<'a> = (&'a str, &'a dyn Fn(usize));

pub(crate) fn head() {
    println!("| group | work | read | speed | against | its speed | ratio | goal | met |");
    println!("|---|---|---|---|---|---|---|---|---|");
}

/// Measures the task `ours` and several others, and prints the rows of the table that compare
/// `ours` with each of the others.
pub(crate) fn rows(group: &str, amount: Amount<'_>, ours: Work<'_>, others: &[(Work<'_>, Goal)]) {
    let works: Vec<_> = std::iter::once(ours.1)
        .chain(others.iter().map(|other| other.0.1))
        .collect();
    let times = race(amount.pieces, ROUNDS, &works);
    for ((other, goal), time) in others.iter().zip(&times[1..]) {
        row(
            group,
            amount,
            (ours.0, times[0].best()),
            Some((other.0, time.best())),
            *goal,
        );
    }
}

/// Prints one row of the table of results. `other` is `None` if the task is not compared with
/// another one.
pub(crate) fn row(
    group: &str,
    amount: Amount<'_>,
    (work, time): (&str, Duration),
    other: Option<(&str, Duration)>,
    goal: Goal,
) {
    let rate = |time: Duration| amount.millions / time.as_secs_f64();
    let ratio = other.map(|(_, other)| other.as_secs_f64() / time.as_secs_f64());
    let (goal, is_met) = match goal {
        Goal::None => (String::new(), ""),
        Goal::Ratio(least) => (
            format!(">= {least:.2}"),
            answer(ratio.is_some_and(|ratio| ratio >= least)),
        ),
        Goal::Rate(least) => (
            format!(">= {least:.0} {}", amount.unit),
            answer(rate(time) >= least),
        ),
    };
    let against = other.map_or("", |(name, _)| name);
    let theirs = other
        .map(|(_, time)| format!("{:.1}", rate(time)))
        .unwrap_or_default();
    let ratio = ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
    let (of, unit) = (amount.of, amount.unit);
    println!(
        "| {group} | {work} | {of} | {:.1} {unit} | {against} | {theirs} | {ratio} | {goal} | {is_met} |",
        rate(time)
    );
}

fn answer(is_met: bool) -> &'static str {
    if is_met { "yes" } else { "**no**" }
}
