//! Counts the instructions of heedful's work instead of its time, so that a noisy machine does not
//! matter.
//!
//! `just counts` prints the counts of instructions, and fails if one of these does not hold:
//! * The cost of a page grows linearly with each of its dimensions. A dimension is doubled twice,
//!   and the cost of an empty page is subtracted. The exponent of the growth must be at most 1.1.
//!   [`STEEPER`] names the known exceptions.
//! * Fixed inputs cost what counts.txt says, within 3 %. An input that costs less is reported.
//!   `BLESS=1` records the new counts. Look at the difference.
//!
//! This program runs itself under valgrind's callgrind, once for each input. Only the instructions
//! inside [`counted`] are counted, without a cache. The counts hold for one compiler, C library,
//! valgrind and kind of processor, which counts.txt names. On another platform the fixed inputs are
//! skipped with a message. Without valgrind everything is skipped; with `HEEDFUL_VALGRIND=1` that
//! is a failure.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod callgrind;
#[path = "../support/look.rs"]
mod look;
mod record;
mod shapes;
#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../support/synthetic.rs"]
mod synthetic;

use shapes::{DIMENSIONS, FIXED, Work};

/// Name of [`counted`] in this program.
const COUNTED: Option<&str> = Some("counts::counted");
/// Maximum exponent with which the cost may grow with one dimension of an input.
const MOST_EXPONENT: f64 = 1.1;
/// Dimensions whose cost may grow more steeply, because a limit bounds the dimension. Each has the
/// exponent that is accepted for its cost.
const STEEPER: [(&str, f64); 1] = [
    // The tree builder searches the open elements at each block, as HTML demands. `Limits::depth`
    // bounds their number by 512.
    ("depth of blocks behind a mark", 1.5),
];

fn main() {
    let arguments: Vec<_> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if let [name, size] = &arguments[..] {
        // Initialises the values that a program makes once, which are no cost of a page.
        shapes::named("page with marks", 1).run();
        shapes::named("robots.txt", 1).run();
        counted(&shapes::named(name, size.parse().unwrap()));
        return;
    }
    if !callgrind::is_there_or_skipped() {
        return;
    }
    let steep = grown();
    let slower =
        record::compare(&FIXED.map(|(name, _)| (name, callgrind::count(name, 1, COUNTED))));
    assert!(steep.is_empty(), "steeper than their bound: {steep:?}");
    assert!(
        slower.is_empty(),
        "more instructions than recorded, by more than 3 %: {slower:?}"
    );
}

/// Runs the work that is measured. Only the instructions of this function are counted.
#[inline(never)]
fn counted(work: &Work) {
    work.run();
    // Without code after the call, the compiler may emit a jump, and callgrind would not see a
    // function.
    std::hint::black_box(work);
}

/// Counts the instructions for each dimension and prints their growth. Returns the names of the
/// dimensions whose cost grows too steeply.
fn grown() -> Vec<&'static str> {
    let mut steep = Vec::new();
    println!(
        "| dimension | n | instructions: n | 2 n | 4 n | exponent: n to 2 n | 2 n to 4 n | bound |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, n, _) in DIMENSIONS {
        let none = callgrind::count(name, 0, COUNTED);
        let counts = [n, 2 * n, 4 * n]
            .map(|size| callgrind::count(name, size, COUNTED).saturating_sub(none));
        let exponent = |from: usize| (counts[from + 1] as f64 / counts[from] as f64).log2();
        let [first, second] = [exponent(0), exponent(1)];
        let [one, two, four] = counts;
        let most = STEEPER
            .into_iter()
            .find(|(steep, _)| *steep == name)
            .map_or(MOST_EXPONENT, |(_, most)| most);
        println!("| {name} | {n} | {one} | {two} | {four} | {first:.3} | {second:.3} | {most} |");
        if first.max(second) > most {
            steep.push(name);
        }
    }
    println!();
    steep
}
