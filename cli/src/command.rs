//! Parses the command line with clap. Options of the configuration file become defaults, and the
//! help has a short and a long form.
//!
//! The short help (`-h`) omits the options that few runs need. `--help` and `help VERB` show all
//! options. Both forms of help have one short entry for each option.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, FromArgMatches};

use heedful::Result;

use crate::args::Program;
use crate::config::Config;

/// Parses the command line. The first element of `arguments` is the program's name. The inner error
/// is clap's own: either a usage error, or a help text to print.
///
/// # Errors
/// Fails if the configuration file cannot be read, or has an unknown option. Also fails if the file
/// has a value that its option refuses.
pub(crate) fn parse(arguments: &[OsString]) -> Result<std::result::Result<Program, clap::Error>> {
    let config = Config::from_environment()?;
    let configured = || match &config {
        Some(config) => config.apply(Program::command()),
        None => Ok(Program::command()),
    };
    let mut parsed = matches(configured()?, arguments);
    if let Err(error) = &parsed {
        if error.kind() == ErrorKind::DisplayHelp && asks_for_all(arguments) {
            parsed = matches(show_all(configured()?), arguments);
        } else if let Some(config) = &config
            && let Some(error) = config.blame(error, Program::command(), arguments)
        {
            return Err(error);
        }
    }
    Ok(parsed)
}

fn matches(command: Command, arguments: &[OsString]) -> std::result::Result<Program, clap::Error> {
    Program::from_arg_matches_mut(&mut command.try_get_matches_from(arguments)?)
}

/// Returns clap's description of the program. Its help shows all options.
#[cfg(feature = "full")]
pub(crate) fn whole_command() -> Command {
    show_all(Program::command())
}

fn asks_for_all(arguments: &[OsString]) -> bool {
    arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "help")
}

fn show_all(command: Command) -> Command {
    command
        .mut_args(|option| option.hide_short_help(false))
        .mut_subcommands(show_all)
}
