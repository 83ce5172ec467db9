//! Verbs, exit codes, trouble. The only files that print, and all through `output`.
//!
//! Data goes to standard output, the rest to standard error. Exit status: 0 done or yes, 1 nothing found or no, 2
//! trouble, 130 broken off by Ctrl-C. A reader that closes the pipe has seen enough: that is no trouble.

mod args;
mod check;
mod compact;
mod dialects;
mod explain;
mod export;
mod filter;
mod generate;
mod index;
mod limits;
mod lint;
mod merge;
mod output;
mod progress;
mod purge;
mod run_args;
mod search;
mod sitemap;
mod snapshot;
mod stats;
mod summary;
mod urls;
mod verify;

use std::io;
use std::process::ExitCode;

use clap::Parser;
use heedful::{Error, ErrorKind, Result};

use args::{Program, Typed, Verb};
use run_args::RunArgs;

/// How a verb ended, when nothing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// Done, or yes.
    Yes,
    /// Nothing found, or no.
    No,
    /// Yes, but not yet.
    Later,
    /// Done, but some of the input was damaged, and the user wants to know; or what was typed makes no sense.
    Strict,
    /// The user broke it off, and what was done is whole.
    Interrupted,
}

impl Ending {
    /// Of a run over inputs that found what was asked for, or did not. A file that was given up is not what was asked for;
    /// what else was lost counts where the user is strict.
    fn of_run(args: &RunArgs, gave_up: bool, lost: bool, found: bool) -> Self {
        match found {
            _ if gave_up || args.strict && lost => Self::Strict,
            true => Self::Yes,
            false => Self::No,
        }
    }
}

pub(crate) fn main() -> ExitCode {
    output::tell_panics();
    let ending = match Program::<Typed>::try_parse() {
        Ok(program) => {
            output::colour(program.color);
            match program.verb {
                Typed::Verb(verb) => run(&verb),
                Typed::Generate(args) => generate::run(&args),
            }
        }
        Err(said) if said.use_stderr() => written(output::usage(&said)).map(|()| Ending::Strict),
        Err(said) => written(output::usage(&said)).map(|()| Ending::Yes),
    };
    // What a verb has not flushed is written by now, or is not.
    let ending = ending.and_then(|ending| written(output::finish()).map(|()| ending));
    match ending {
        Ok(Ending::Yes) => ExitCode::SUCCESS,
        Ok(Ending::No) => ExitCode::from(1),
        Ok(Ending::Strict) => ExitCode::from(2),
        Ok(Ending::Later) => ExitCode::from(3),
        Ok(Ending::Interrupted) => ExitCode::from(130),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::trouble(&error);
            ExitCode::from(2)
        }
    }
}

fn run(verb: &Verb) -> Result<Ending> {
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
        Verb::Dialects(args) => dialects::run(args),
        Verb::Limits(args) => limits::run(args),
        Verb::Lint(args) => lint::run(args),
        Verb::Verify(args) => verify::run(args),
    }
}

fn is_closed_pipe(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}

/// What was asked for makes no sense.
fn setting(message: impl Into<String>) -> Error {
    ErrorKind::Setting(message.into()).into()
}

/// Writing to standard output.
fn written(outcome: io::Result<()>) -> Result<()> {
    outcome.map_err(|source| ErrorKind::Io { what: "standard output".to_owned(), source }.into())
}
