//! Arguments of `heedful generate`, which writes manual pages, completions and an OpenAPI document.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
#[command(subcommand_help_heading = "Verbs", subcommand_value_name = "VERB")]
pub(crate) enum GenerateArgs {
    /// Write a manual page for the program, and one for each verb
    Man {
        /// A folder for the pages; created if it does not exist
        dir: PathBuf,
    },
    /// Print the OpenAPI document of `heedful serve INDEX`
    Openapi,
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
    Powershell,
}
