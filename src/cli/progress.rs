//! A progress bar on long work, on a terminal only.

use std::io::IsTerminal;

use heedful::input::Input;
use indicatif::{ProgressBar, ProgressStyle};

pub(super) fn bar(inputs: &[Input], quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let _ = inputs;
    let style = ProgressStyle::with_template("{spinner} {pos} pages  {per_sec}  {elapsed}  {msg}");
    let bar = ProgressBar::new_spinner();
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar
}
