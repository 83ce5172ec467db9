//! The measured times of one index, and the tables that compare several indexes.

use std::time::Duration;

use crate::web::{Asked, KINDS};

/// Shortest processor time of each query in one index. None for a query that was not run.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) times: Vec<Option<Duration>>,
}

impl Column {
    pub(crate) fn new(name: &'static str, queries: usize) -> Self {
        Self {
            name,
            times: vec![None; queries],
        }
    }

    /// Adds the time of a query in one more pass. The shortest time of all passes is kept.
    pub(crate) fn add(&mut self, query: usize, time: Duration) {
        let least = &mut self.times[query];
        *least = Some(least.map_or(time, |least| least.min(time)));
    }

    fn of_kind<'a>(&'a self, queries: &'a [Asked], kind: &'a str) -> Times {
        let times = self.times.iter().zip(queries);
        Times::new(times.filter_map(|(time, asked)| time.filter(|_| asked.kind == kind)))
    }
}

/// Times of several queries in milliseconds, sorted.
struct Times(Vec<f64>);

impl Times {
    fn new(times: impl Iterator<Item = Duration>) -> Self {
        let mut times: Vec<_> = times.map(|time| time.as_secs_f64() * 1000.0).collect();
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    /// Returns the time that `share` percent of the queries do not exceed.
    fn percentile(&self, share: usize) -> f64 {
        let at = (self.0.len() * share).div_ceil(100).saturating_sub(1);
        self.0.get(at).copied().unwrap_or(f64::NAN)
    }
}

/// Prints mean and percentiles of each column, and their ratios to those of the first column.
/// `goals` are the greatest allowed ratios of the mean and of the 99th percentile. Queries that
/// were not asked in the first column are ignored.
pub(crate) fn print_summary(columns: &[Column], goals: Option<[f64; 2]>) {
    let first = &columns[0];
    let of = |column: &Column| {
        let both = column.times.iter().zip(&first.times);
        Times::new(both.filter_map(|(time, first)| time.filter(|_| first.is_some())))
    };
    let base = of(first);
    println!(
        "| asked, ms | mean | p50 | p90 | p99 | mean beside {0} | p99 beside it | goals |",
        first.name
    );
    println!("|---|---|---|---|---|---|---|---|");
    for column in columns {
        let times = of(column);
        let ratios = [
            times.mean() / base.mean(),
            times.percentile(99) / base.percentile(99),
        ];
        let answer = match goals.filter(|_| column.name.starts_with("heedful")) {
            None => String::new(),
            Some(goals) => {
                let is_met = ratios.iter().zip(goals).all(|(ratio, goal)| *ratio <= goal);
                let answer = if is_met { "yes" } else { "**no**" };
                format!("<= {:.0} and <= {:.0}: {answer}", goals[0], goals[1])
            }
        };
        println!(
            "| {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} | {answer} |",
            column.name,
            times.mean(),
            times.percentile(50),
            times.percentile(90),
            times.percentile(99),
            ratios[0],
            ratios[1],
        );
    }
    println!();
}

/// Prints, for each kind of query, the median of each column, and the maximum in brackets.
pub(crate) fn print_kinds(columns: &[Column], queries: &[Asked]) {
    let names: Vec<_> = columns.iter().map(|column| column.name).collect();
    println!("| kind, median (most) in ms | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(columns.len()));
    for (kind, _) in KINDS {
        let cells = columns.iter().map(|column| {
            let times = column.of_kind(queries, kind);
            if times.0.is_empty() {
                return String::new();
            }
            format!("{:.3} ({:.2})", times.percentile(50), times.percentile(100))
        });
        println!("| {kind} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    println!();
}
