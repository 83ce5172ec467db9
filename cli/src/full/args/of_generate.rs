//! Arguments of what packagers need.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(subcommand)]
    pub(crate) what: Generated,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Generated {
    /// Write a manual page for the program, and one for each verb
    Man {
        /// A folder for the pages; created if it does not exist
        dir: PathBuf,
    },
    /// Print the completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}
