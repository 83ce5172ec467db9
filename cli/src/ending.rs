//! The outcomes of verbs that ended without an error, and the functions that create errors of the
//! program itself.

use std::fmt::{self, Display};
use std::io;
use std::path::PathBuf;

use heedful::{Error, ErrorKind, Result};

/// The outcome of the program, unless it ends with an [`Error`]. `main` converts the outcome to the
/// exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnding {
    /// The work is done. If the verb answers a question, the answer is yes.
    Yes,
    /// Nothing was found. If the verb answers a question, the answer is no.
    No,
    /// `heedful check --at` allows all URLs, but a bot must wait until after the given time. The
    /// exit status is 3.
    Later,
    /// A file could be read only in part, or the arguments are invalid. With `--strict`, any loss
    /// of input leads to this outcome too. The exit status is 2.
    Incomplete,
    /// The user interrupted the verb. Its results up to the interruption are saved.
    Interrupted,
}

/// Creates the error for invalid arguments.
pub(crate) fn setting(message: impl Into<String>) -> Error {
    ErrorKind::Setting(message.into()).into()
}

/// Returns a function that converts an I/O error to an error of this program. The new error names
/// `subject`, the file or stream that was read or written.
pub(crate) fn io_error(subject: impl Display) -> impl FnOnce(io::Error) -> Error {
    move |source| {
        ErrorKind::Io {
            subject: subject.to_string(),
            source,
        }
        .into()
    }
}

/// An error of writing to the file at `path`, which takes the place of standard output.
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

/// Converts `outcome`, the result of writing to standard output or to a file in its place. The
/// error names that file, or else standard output.
pub(crate) fn written(outcome: io::Result<()>) -> Result<()> {
    outcome.map_err(|error| match error.downcast::<FileError>() {
        Ok(FileError { path, source }) => io_error(path.display())(source),
        Err(error) => io_error("standard output")(error),
    })
}

/// True if the error is a broken pipe. The program that reads standard output has then closed the
/// pipe.
pub(crate) fn is_closed_pipe(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}
