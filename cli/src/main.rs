//! The program `heedful`: its verbs, its exit status and its error messages. The library crates do
//! the work. The program parses arguments, and prints all results through `output`.
//!
//! Data goes to standard output, and all messages go to standard error. The exit status is 0 for
//! done or yes, 1 for nothing found or no, 2 for an error, 3 for yes but only later, and 130 after
//! Ctrl-C. If the program that reads standard output closes the pipe early, that is not an error,
//! and the exit status is 0.

#![cfg_attr(
    not(feature = "full"),
    allow(dead_code, reason = "the verbs of `full` use more than the others")
)]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod arenas;
mod args;
mod check;
mod command;
mod compact;
mod config;
mod conventions;
mod dress;
mod ending;
mod evidence_args;
mod explain;
mod export;
mod fetch_args;
mod filter;
#[cfg(feature = "full")]
mod full;
mod index;
mod interruption;
mod job;
mod limits;
mod lint;
mod merge;
mod output;
mod progress;
mod purge;
mod robots_args;
mod run_args;
mod search;
mod snapshot;
mod stats;
mod summary;
mod terms_args;
mod tip;
mod urls;

use std::ffi::OsString;
use std::process::ExitCode;

use heedful::Result;

use args::Verb;
use ending::{RunEnding, is_closed_pipe, written};

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    arenas::fit_address_space();
    output::install_panic_hook();
    let arguments: Vec<_> = std::env::args_os().collect();
    let ending = match command::parse(&arguments) {
        Ok(Ok(program)) => {
            output::colour(program.color);
            run(&program.verb)
        }
        Ok(Err(usage)) => report_usage(usage, &arguments),
        Err(error) => Err(error),
    };
    // Fails if a verb's standard output could not be flushed when it was dropped.
    let ending = ending.and_then(|ending| written(output::finish()).map(|()| ending));
    match ending {
        Ok(RunEnding::Yes) => ExitCode::SUCCESS,
        Ok(RunEnding::No) => ExitCode::from(1),
        Ok(RunEnding::Incomplete) => ExitCode::from(2),
        Ok(RunEnding::Later) => ExitCode::from(3),
        Ok(RunEnding::Interrupted) => ExitCode::from(130),
        // Rust ignores SIGPIPE, so a closed pipe is an error of a write, and must not be reported.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::print_error(&format!("{error}{}", summary::how_to_raise(&error)));
            ExitCode::from(2)
        }
    }
}

/// Prints what clap reports: help, or an error in the arguments.
fn report_usage(usage: clap::Error, arguments: &[OsString]) -> Result<RunEnding> {
    if !usage.use_stderr() {
        return written(output::print_usage(&usage)).map(|()| RunEnding::Yes);
    }
    let arguments: Vec<_> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    written(output::print_usage(&tip::with_tip(usage, &arguments))).map(|()| RunEnding::Incomplete)
}

fn run(verb: &Verb) -> Result<RunEnding> {
    match verb {
        Verb::Index(args) => index::run(args),
        Verb::Search(args) => search::run(args),
        Verb::Stats(args) => stats::run(args),
        Verb::Purge(args) => purge::run(args),
        Verb::Compact(args) => compact::run(args),
        Verb::Merge(args) => merge::run(args),
        Verb::Export(args) => export::run(args),
        Verb::Filter(args) => filter::filter(args),
        Verb::Text(args) => filter::text(args),
        Verb::Links(args) => filter::links(args),
        Verb::Snapshot(args) => snapshot::run(args),
        Verb::Explain(args) => explain::run(args),
        Verb::Check(args) => check::run(args),
        Verb::Conventions(args) => conventions::run(args),
        Verb::Limits(args) => limits::run(args),
        Verb::Lint(args) => lint::run(args),
        #[cfg(feature = "full")]
        Verb::Full(verb) => full::run(verb),
    }
}
