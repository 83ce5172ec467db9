//! The arguments of `heedful census`.

use std::path::PathBuf;

use clap::Args;

use crate::output::Format;
use crate::run_args::RunArgs;

#[derive(Debug, Args)]
pub(crate) struct CensusArgs {
    /// Merge the inputs into one census. Each input is a census that -o wrote
    #[arg(long, conflicts_with_all = [
        "url", "headers", "input", "hidden", "ignore_digests", "bot", "conventions", "at", "names", "profile", "deny",
        "deny_element", "deny_region", "convention_file", "robots", "tdmrep", "rsl", "mode", "require_robots", "fetching",
        "jobs", "memory", "limit", "summary", "strict",
    ])]
    pub(crate) merge: bool,
    /// Write the census into a file, as JSON; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a page with plots
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The output format, unless it goes into files
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with_all = ["output", "html"])]
    pub(crate) format: Format,
}
