//! Writes a made web as JSON Lines to standard output, as `heedful index` reads them.
//!
//! ```sh
//! cargo run -p heedful-index --example web -- 15000 > first.jsonl # a crawl of 15,000 pages
//! cargo run -p heedful-index --example web -- 15000 3 > third.jsonl # the third recrawl of them
//! cargo run -p heedful-index --example web -- 15000 3 whole > whole.jsonl # a crawl of all after it
//! ```

#![allow(clippy::print_stdout, reason = "lines are what it writes")]
#![allow(clippy::unwrap_used, reason = "the web's own code is that of tests")]

#[allow(dead_code, unused_imports, reason = "tests and benchmarks share it")]
#[path = "../../../tests/support/web/mod.rs"]
mod web;

use std::io::{Write, stdout};

use web::{Recrawl, Web};

/// Seed of the web, that of the benchmark `queries`.
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let pages = arguments.next().unwrap_or_default().parse()?;
    let rounds = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let is_whole = arguments.next().is_some();
    let mut web = Web::new(SEED, pages);
    let mut heard = Vec::new();
    for _ in 0..rounds {
        heard = web.recrawl(&Recrawl::default());
    }
    if rounds == 0 || is_whole {
        heard = web.state().collect();
    }
    let mut out = stdout().lock();
    for capture in heard {
        out.write_all(capture.line().as_bytes())?;
    }
    Ok(())
}
