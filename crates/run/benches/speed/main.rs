//! Measures the speed of the library compared with alternatives. The result is one table of ratios,
//! which includes the comparisons that heedful loses.
//!
//! `cargo bench --bench speed` prints the table of benches/README.md. `-- GROUP` prints one group
//! of the table: gate, lex, tree, walk, sinks, filter, regions, bots, words, index, verbs, program,
//! lexbor. Two tasks that are compared take turns, and the processor time of the best of several
//! rounds is reported. Ratios of these times are less noisy than the times themselves.
//!
//! The pages of the benchmark are real if real ones are available (`HEEDFUL_DATA`), and otherwise
//! synthetic; small pages are those of the corpus. The benchmark reports and never fails: `counts`
//! checks what must not become slower. Linux only: the group `index` reads /proc.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "../../../../benches/support/baselines.rs"]
mod baselines;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../../benches/support/child.rs"]
mod child;
mod gate;
mod index;
mod inputs;
mod pages;
mod program;
#[path = "../../../../tests/support/mod.rs"]
mod real;
#[path = "../../../../benches/support/robots.rs"]
mod robots;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../../benches/support/mod.rs"]
mod support;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../../../benches/support/synthetic.rs"]
mod synthetic;
mod table;
mod texts;
mod verbs;

use inputs::Inputs;

/// A group of rows of the table: its name, and the function that measures and prints its rows.
type Group = (&'static str, fn(&Inputs));

const GROUPS: [Group; 13] = [
    ("gate", |_| gate::rows()),
    ("lex", pages::lex),
    ("tree", pages::tree),
    ("walk", pages::walk),
    ("sinks", pages::sinks),
    ("filter", pages::filter),
    ("regions", |_| pages::regions()),
    ("bots", pages::bots),
    ("words", texts::rows),
    ("index", index::rows),
    ("verbs", verbs::rows),
    ("program", program::rows),
    ("lexbor", program::lexbor),
];

fn main() {
    let wanted: Vec<_> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let inputs = Inputs::read();
    for pages in [&inputs.plain, &inputs.marked, &inputs.corpus] {
        println!(
            "{}: {} pages, {:.1} MB",
            pages.name,
            pages.pages.len(),
            pages.bytes() as f64 / 1e6
        );
    }
    println!();
    table::head();
    for (name, rows) in GROUPS {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            rows(&inputs);
        }
    }
}
