//! Which statements of this page would robots not read as the publisher meant them?
//!
//! This check is for publishers, in a build or a test. It reports markers that no robot reads,
//! regions that never end, and denials that contradict each other. The exit status is 1 if it
//! reports anything.
//!
//! `cargo run -p heedful-lint --example check_page -- URL PAGE`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::process::ExitCode;

use heedful::{Bot, Filter};
use heedful_lint as lint;
use heedful_lint::Level;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, page] = &arguments[..] else {
        return Err("give URL PAGE".into());
    };

    let mut pass = lint::open(&Filter::new(Bot::unnamed()), url)?;
    pass.write(&std::fs::read(page)?)?;
    let linted = lint::end(pass, url, [])?;
    let found = linted
        .findings()
        .iter()
        .filter(|finding| finding.rule().level() != Level::Hint);
    let mut code = ExitCode::SUCCESS;
    for finding in found {
        let place = finding.place().map_or_else(
            || "header".into(),
            |place| format!("{}:{}", place.line(), place.column()),
        );
        println!(
            "{page}:{place}: {} ({})",
            finding.message(),
            finding.rule().id()
        );
        code = ExitCode::FAILURE;
    }
    Ok(code)
}
