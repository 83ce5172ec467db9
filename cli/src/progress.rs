//! A progress bar for long work, only on a terminal.

use std::time::Duration;

use heedful::input::Input;
use heedful::report::wording::count;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

const TICK: Duration = Duration::from_millis(100);

/// A spinner for work whose progress is unknown.
pub(crate) fn spinner(quiet: bool, message: String) -> ProgressBar {
    if quiet || !output::is_watched() {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(TICK);
    spinner
}

/// The progress of a run through its inputs.
pub(crate) struct Progress<'a> {
    bar: ProgressBar,
    inputs: &'a [Input],
    pages: u64,
}

impl<'a> Progress<'a> {
    pub(crate) fn of(inputs: &'a [Input], quiet: bool) -> Self {
        let bar = if quiet || !output::is_watched() {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(inputs.iter().map(Input::size).sum())
        };
        let template = "{bar:30} {bytes} of {total_bytes}  {binary_bytes_per_sec}  {eta} left  {msg}";
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, inputs, pages: 0 }
    }

    /// Counts a record; `take` may print meanwhile.
    pub(crate) fn record<T>(&mut self, take: impl FnOnce() -> T) -> T {
        let taken = self.bar.suspend(take);
        self.pages += 1;
        self.bar.set_position(self.inputs.iter().map(Input::read).sum());
        self.bar.set_message(count(self.pages, "record"));
        taken
    }

    /// Does `tell` beside the bar.
    pub(crate) fn aside<T>(&self, tell: impl FnOnce() -> T) -> T {
        self.bar.suspend(tell)
    }

    /// Shows that all was read, since writing takes its time too.
    pub(crate) fn writing(&self) {
        self.bar.set_message("writing the index");
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
