//! Measures the speed of a pass that computes only the policies of its page. It is compared with a
//! pass that also returns the page's text and links.
//!
//! `cargo bench --bench mask` prints the rows of benches/README.md. They have ratios of processor
//! time from the best of several interleaved rounds, and the share of the bytes that a pass has to
//! read. The pages are those of the benchmark `speed`.
//!
//! The benchmark `mask` then measures whole archives of these pages. It prints the records per
//! second of a mask, of the filter, of reading alone and of `FastWARC` (if `PYTHON` or `python3`
//! has it). It also prints the bytes per record in each format of a mask. The benchmark reports and
//! never fails.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../../../benches/support/baselines.rs"]
#[allow(dead_code, reason = "benchmarks share it")]
mod baselines;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../benches/support/child.rs"]
mod child;
#[path = "speed/inputs.rs"]
mod inputs;
#[path = "../../../tests/support/mod.rs"]
mod real;
#[path = "../../../benches/support/records.rs"]
mod records;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../benches/support/mod.rs"]
mod support;
#[path = "../../../benches/support/synthetic.rs"]
#[allow(dead_code, reason = "benchmarks share it")]
mod synthetic;
#[path = "speed/table.rs"]
#[allow(dead_code, reason = "benchmarks share it")]
mod table;

use std::hint::black_box;

use heedful::{Filter, PagePolicies};
use inputs::{Inputs, Pages, URL, filter};
use support::Nothing;
use table::{Goal, rows};

fn main() {
    let inputs = Inputs::read();
    let filter = filter();
    for pages in [&inputs.plain, &inputs.marked, &inputs.corpus] {
        told(&filter, pages);
    }
    println!();
    table::head();
    for (pages, goal) in [
        (&inputs.plain, Goal::Ratio(3.0)),
        (&inputs.marked, Goal::None),
        (&inputs.corpus, Goal::None),
    ] {
        raced(&filter, pages, goal);
    }
    println!();
    records::told(&inputs.plain);
}

fn policies(filter: &Filter, page: &[u8]) -> PagePolicies {
    let mut pass = filter.open_policies(URL).unwrap();
    pass.write(page).unwrap();
    pass.end().unwrap()
}

/// Prints the share of the pages' bytes that a pass reads if it computes only policies.
fn told(filter: &Filter, pages: &Pages) {
    let found: Vec<_> = pages
        .pages
        .iter()
        .map(|page| policies(filter, page))
        .collect();
    let (length, read) = found.iter().fold((0, 0), |(length, read), page| {
        (length + page.length(), read + page.bytes_read())
    });
    let whole = found
        .iter()
        .filter(|page| page.bytes_read() == page.length());
    let (count, bytes) = whole.fold((0, 0), |(count, bytes), page| {
        (count + 1, bytes + page.length())
    });
    let share = |part: u64| 100.0 * part as f64 / length as f64;
    println!(
        "{}: {} pages, {:.1} MB, of which {:.1} % were read; {count} pages with {:.1} % of the bytes were read as a whole",
        pages.name,
        pages.pages.len(),
        length as f64 / 1e6,
        share(read),
        share(bytes),
    );
}

fn raced(filter: &Filter, pages: &Pages, goal: Goal) {
    let nothing = pages.each(|page| {
        let mut pass = filter.open_with(URL, Nothing(0)).unwrap();
        pass.write(page).unwrap();
        black_box(pass.into_sink().unwrap().0);
    });
    rows(
        "mask",
        pages.amount(),
        (
            "policies alone",
            &pages.each(|page| drop(black_box(policies(filter, page)))),
        ),
        &[
            (
                (
                    "filter: text, links, audit",
                    &pages.each(|page| drop(black_box(filter.page(URL, &[], page).unwrap()))),
                ),
                goal,
            ),
            (("a sink that keeps nothing", &nothing), Goal::None),
            (
                (
                    "lol_html, passed through",
                    &pages.each(baselines::pass_through),
                ),
                Goal::None,
            ),
        ],
    );
}
