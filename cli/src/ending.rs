//! How a verb ends, and the errors that are the program's own.

use std::fmt::Display;
use std::io;

use heedful::{Error, ErrorKind, Result};

use crate::output::FileError;

/// How a verb ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnding {
    /// Done, or yes.
    Yes,
    /// Nothing found, or no.
    No,
    /// Yes, but not yet.
    Later,
    /// Done, but some of the input was damaged and the user asked to know; or the arguments make no
    /// sense.
    Strict,
    /// The user interrupted it; the work that was done is whole.
    Interrupted,
}

/// Creates the error for arguments that make no sense.
pub(crate) fn setting(message: impl Into<String>) -> Error {
    ErrorKind::Setting(message.into()).into()
}

/// Makes errors of reading or writing `what`.
pub(crate) fn io_error(what: impl Display) -> impl FnOnce(io::Error) -> Error {
    move |source| {
        ErrorKind::Io {
            what: what.to_string(),
            source,
        }
        .into()
    }
}

/// Converts the result of writing to standard output, or to a file in its place.
pub(crate) fn written(outcome: io::Result<()>) -> Result<()> {
    outcome.map_err(|error| match error.downcast::<FileError>() {
        Ok(FileError { path, source }) => io_error(path.display())(source),
        Err(error) => io_error("standard output")(error),
    })
}

/// True if the reader of standard output went away.
pub(crate) fn is_closed_pipe(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}
