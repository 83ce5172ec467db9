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
    /// Repeat the comparison with a denial added to N random elements of each page, one at a time.
    /// Then also add an allowance to a later element. All elements are used if there are fewer
    #[arg(long, value_name = "N")]
    pub(crate) inject: Option<usize>,
    /// The seed of the random choice of elements for --inject. Equal seeds choose the same elements
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        requires = "inject",
        hide_short_help = true
    )]
    pub(crate) seed: u64,
    /// Also compare with a browser: Chromium by default, `firefox`, `webkit`, or the program at a
    /// path. Scripts of the pages do not run, and nothing is loaded
    #[arg(long, value_name = "BROWSER", num_args = 0..=1, require_equals = true)]
    pub(crate) browser: Option<Option<PathBuf>>,
    /// Compare the lines of each page's text, and the landmarks of these lines, with the browser. No
    /// convention applies, and scripts and styles of the pages are ignored
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
