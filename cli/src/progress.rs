//! The progress bar and the spinner for long work. Both are shown on standard error, only if it is
//! a terminal, and never with `--quiet`.

use std::time::Duration;

use heedful_input::Input;
use heedful_report::wording::count;
use heedful_run::Cursor;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;

/// Time between two frames of the spinner.
const TICK: Duration = Duration::from_millis(100);

/// The progress bar of a run over its inputs.
///
/// The bar shows which share of the inputs' bytes was read, the speed, the remaining time, and the
/// number of records. It disappears when the value is dropped.
pub(crate) struct Progress<'a> {
    bar: ProgressBar,
    inputs: &'a [Input],
    read: BytesRead,
    pages: u64,
}

impl<'a> Progress<'a> {
    /// Shows an empty progress bar. Its full length is the size of all inputs in bytes. The bar is
    /// hidden if `quiet` is true.
    pub(crate) fn new(inputs: &'a [Input], quiet: bool) -> Self {
        let bar = if is_hidden(quiet) {
            ProgressBar::hidden()
        } else {
            ProgressBar::new(inputs.iter().map(Input::size).sum())
        };
        let template =
            "{bar:30} {bytes} of {total_bytes}  {binary_bytes_per_sec}  {eta} left  {msg}";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Self {
            bar,
            inputs,
            read: BytesRead::default(),
            pages: 0,
        }
    }

    /// Counts the record that ends at the cursor `behind`, and calls `take` with this cursor. The
    /// progress bar is hidden while `take` runs, since `take` may print.
    pub(crate) fn record<T>(&mut self, behind: Cursor, take: impl FnOnce(Cursor) -> T) -> T {
        let input = behind.input();
        let taken = self.bar.suspend(|| take(behind));
        self.pages += 1;
        if self.bar.is_hidden() {
            return taken;
        }
        let read = |number: usize| self.inputs.get(number).map_or(0, Input::read);
        self.bar.set_position(self.read.up_to(input, read));
        self.bar.set_message(count(self.pages, "record"));
        taken
    }

    /// Calls `show`, which may print. The progress bar is hidden during the call. Returns the
    /// result of `show`.
    pub(crate) fn aside<T>(&self, show: impl FnOnce() -> T) -> T {
        self.bar.suspend(show)
    }

    /// Shows on the progress bar that all inputs were read, and that the index is now being
    /// written.
    pub(crate) fn writing(&self) {
        self.bar.set_message("writing the index");
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The number of bytes that a run has read so far. The sum over all completed inputs is stored. So
/// these inputs are not queried again after each record.
#[derive(Default)]
struct BytesRead {
    /// Number of inputs that the run has read completely. The field `bytes` is the number of bytes
    /// of these inputs.
    past: usize,
    bytes: u64,
}

impl BytesRead {
    /// Returns the total number of bytes read so far. `input` is the index of the input that the
    /// run reads now. `read` returns the number of bytes that were read of the input at an index.
    fn up_to(&mut self, input: usize, read: impl Fn(usize) -> u64) -> u64 {
        self.bytes += (self.past..input).map(&read).sum::<u64>();
        self.past = self.past.max(input);
        self.bytes + read(input)
    }
}

/// Creates a spinner for work of unknown length. It is hidden if `quiet` is true.
pub(crate) fn spinner(quiet: bool, message: String) -> ProgressBar {
    if is_hidden(quiet) {
        return ProgressBar::hidden();
    }
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(TICK);
    spinner
}

/// True if no progress may be shown, neither as a bar nor as a spinner. This is so if `quiet` is
/// true, or if standard error is not a terminal.
fn is_hidden(quiet: bool) -> bool {
    quiet || !output::is_watched()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn an_input_that_is_past_is_asked_once() {
        const INPUTS: usize = 1000;
        let asked = Cell::new(0);
        let mut read = BytesRead::default();
        // Two records of every third input, and none of the others.
        for input in (0..INPUTS).step_by(3).flat_map(|input| [input, input]) {
            let bytes = read.up_to(input, |number| {
                asked.set(asked.get() + 1);
                number as u64
            });
            assert_eq!(bytes, (0..=input as u64).sum::<u64>());
        }
        assert!(asked.get() <= 2 * INPUTS, "{}", asked.get());
    }
}
