//! Arguments of `heedful verify`, which compares the streaming filter with the complete tree of a
//! page.

use std::path::PathBuf;

use clap::Args;

use crate::output::Format;
use crate::run_args::RunArgs;

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Compare each page again with a mark on N of its elements, one at a time, and with N pairs of
    /// a denial and an allowance; fewer if the page has fewer
    #[arg(long, value_name = "N")]
    pub(crate) inject: Option<usize>,
    /// The seed that chooses the elements; the same number chooses the same ones
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        requires = "inject",
        hide_short_help = true
    )]
    pub(crate) seed: u64,
    /// Read the pages in a browser too: in Chromium, or in `firefox` or `webkit`, as it is found on this
    /// machine, or in this program. It runs no scripts of the pages, and loads nothing
    #[arg(long, value_name = "BROWSER", num_args = 0..=1, require_equals = true)]
    pub(crate) browser: Option<Option<PathBuf>>,
    /// Compare the lines of each page's text, and the landmarks that they are in, with those that the
    /// browser shows, without any convention. Scripts and styles of the pages do not count
    #[arg(
        long,
        requires = "browser",
        conflicts_with = "inject",
        hide_short_help = true
    )]
    pub(crate) text: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
