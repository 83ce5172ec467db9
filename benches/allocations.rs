//! Counts the memory allocations for each token of a plain page, while the page is read.
//!
//! `cargo bench --bench allocations` counts for a page and for another that is twice as long. So
//! allocations that are made only once for a page cancel out. It prints the allocations per token
//! of three readers. They are `lol_html` with the handlers that the lexer uses, a pass with a sink
//! that stores nothing, and the filter, which stores the text. The benchmark fails if the pass or
//! the filter exceeds the allocations of `lol_html` by more than [`MOST_MORE`].

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[allow(dead_code, reason = "benchmarks share it")]
#[path = "support/baselines.rs"]
mod baselines;
#[allow(dead_code, reason = "benchmarks share it")]
mod support;

use std::alloc::System;
use std::hint::black_box;

use heedful::{Bot, Filter};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use support::Nothing;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Maximum allocations per token that a pass may make in addition to those of `lol_html` itself.
const MOST_MORE: f64 = 0.01;
const PARAGRAPHS: usize = 2000;
const URL: &str = "https://site.example/";
/// Parts from which pages without any directive are made: name, and HTML.
const PARTS: [(&str, &str); 4] = [
    (
        "text",
        "<p>The quick brown fox jumps over the lazy dog, and <b>again</b> and again.</p>\n",
    ),
    ("references", "<p>Fox &amp; dog &mdash; again</p>\n"),
    (
        "attributes",
        "<div class=\"card wide\" id=a data-a=b><img src=/a.png alt=\"A fox\" loading=lazy></div>\n",
    ),
    (
        "comments",
        "<!-- card --><span title=x>Fox</span><!-- /card -->\n",
    ),
];

fn main() {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let mut worst: f64 = 0.0;
    println!(
        "| page of | lol_html alone | a pass that keeps nothing | beyond lol_html | the filter |"
    );
    println!("|---|---|---|---|---|");
    for (name, part) in PARTS {
        let [alone, pass, whole] = [
            a_token(&filter, part, &|page| baselines::what_the_lexer_asks(page)),
            a_token(&filter, part, &|page| _ = black_box(idle(&filter, page))),
            a_token(&filter, part, &|page| {
                drop(black_box(filter.page(URL, &[], page).unwrap()));
            }),
        ];
        println!(
            "| {name} | {alone:.3} | {pass:.3} | {:.3} | {whole:.3} |",
            pass - alone
        );
        worst = worst.max(pass - alone);
    }
    assert!(
        worst <= MOST_MORE,
        "{worst:.3} allocations a token beyond lol_html's own, more than {MOST_MORE}"
    );
}

/// Returns the number of allocations per token when `read` reads a page. Allocations that are made
/// only once for a page are not counted.
fn a_token(filter: &Filter, part: &str, read: &dyn Fn(&[u8])) -> f64 {
    let [short, long] = [PARAGRAPHS, 2 * PARAGRAPHS].map(|times| part.repeat(times).into_bytes());
    let tokens = idle(filter, &long) - idle(filter, &short);
    (allocations(&long, read) - allocations(&short, read)) as f64 / tokens as f64
}

fn allocations(page: &[u8], read: &dyn Fn(&[u8])) -> i64 {
    let asked = || {
        let stats = ALLOCATOR.stats();
        (stats.allocations + stats.reallocations) as i64
    };
    let before = asked();
    read(page);
    asked() - before
}

/// Reads a page with a sink that only counts tokens. Returns their number.
fn idle(filter: &Filter, page: &[u8]) -> u64 {
    let mut pass = filter.open_with(URL, Nothing(0)).unwrap();
    pass.write(page).unwrap();
    pass.into_sink().unwrap().0
}
