//! The ending of a verb: its outcome without an error, and the errors that only the program
//! creates.

use std::fmt::{self, Display};
use std::io;
use std::path::PathBuf;

use heedful::{Error, ErrorKind, Result};

/// The outcome of a verb that had no error; `main` makes it the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnding {
    /// Done, or the answer is yes.
    Yes,
    /// Nothing was found, or the answer is no.
    No,
    /// The answer is yes, but only at a later time.
    Later,
    /// A part of a file could not be read, or input was lost and the user wants that to fail, or
    /// the arguments make no sense.
    Strict,
    /// The user interrupted the verb; the work that was done until then is complete.
    Interrupted,
}

/// Creates the error for arguments that make no sense.
pub(crate) fn setting(message: impl Into<String>) -> Error {
    ErrorKind::Setting(message.into()).into()
}

/// Returns a function that converts an error of reading or writing `what`.
pub(crate) fn io_error(what: impl Display) -> impl FnOnce(io::Error) -> Error {
    move |source| {
        ErrorKind::Io {
            what: what.to_string(),
            source,
        }
        .into()
    }
}

/// An error of writing to a file that takes the place of standard output.
#[derive(Debug)]
pub(crate) struct FileError {
    pub(crate) path: PathBuf,
    pub(crate) source: io::Error,
}

impl Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for FileError {}

/// Names standard output in the error of writing to it.
pub(crate) fn written(outcome: io::Result<()>) -> Result<()> {
    outcome.map_err(|error| match error.downcast::<FileError>() {
        Ok(FileError { path, source }) => io_error(path.display())(source),
        Err(error) => io_error("standard output")(error),
    })
}

/// True if the error is that the reader of standard output closed the pipe.
pub(crate) fn is_closed_pipe(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}
