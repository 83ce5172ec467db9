//! The one opaque [`Error`] of the crate, and its kinds.
//!
//! HTML is never an error, except a page whose markup has two readings. Other errors are a setting
//! that makes no sense, a limit that was passed, or a file that cannot be read or written. After an
//! error nothing of the page is used.

use std::{fmt, io};

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why something could not be done. [`Error::kind`] is for programs, the text is for
/// people. `Debug` prints the text too: a `main` that returns this error shows it.
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`]. New kinds may be added.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A bound of [`Limits`](crate::limits::Limits) was passed.
    Limit {
        /// The name of what is lost when the limit is passed, a
        /// [`LimitScope`](crate::limits::LimitScope).
        of: &'static str,
        /// The limit's name, as in the table of [`Limits`](crate::limits::Limits).
        name: &'static str,
        /// The value of the limit.
        limit: u64,
    },
    /// The markup can be read in two ways that differ in what is text. Nothing of the page is used.
    Ambiguous {
        /// The line where the reading stopped.
        line: u32,
    },
    /// A URL that does not parse.
    Url {
        /// The text that was given as a URL.
        url: String,
    },
    /// A setting that makes no sense.
    Setting(String),
    /// Trouble at a place of an input. [`Error::name`] is that of the inner error.
    At {
        /// The file, and the offset, line or row in it.
        place: String,
        /// The trouble at that place.
        error: Error,
    },
    /// Input that is not what it claims to be.
    Input(String),
    /// The index cannot be used as asked.
    Index {
        /// The reason.
        trouble: IndexTrouble,
        /// The reason in words, with the folder.
        message: String,
    },
    /// A log of evidence, or a proof, is not what it claims to be, or cannot be used as asked.
    Evidence(String),
    /// A query that does not parse.
    Query(String),
    /// A defect of the program. The page was given up, and the run goes on.
    Internal(String),
    /// The operating system reported an error.
    Io {
        /// The thing that was being read or written.
        what: String,
        /// The error of the system.
        source: io::Error,
    },
}

/// The reason why an index cannot be used as asked. New reasons may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexTrouble {
    /// The folder holds no index, or one that was begun and never held anything.
    NotThere,
    /// The folder holds something else, or is not empty although a new index is asked for.
    Occupied,
    /// The index was made by another version of heedful.
    OtherVersion,
    /// The index was made for another bot, or with other conventions or limits. Or it is compacted,
    /// and that is not allowed here.
    OtherTerms,
    /// Another program is writing to the index.
    InUse,
    /// The index is damaged, or cannot be read or written.
    Damaged,
}

impl Error {
    /// The kind of trouble.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// A stable one-word name of the kind, as in the JSON output.
    pub fn name(&self) -> &'static str {
        match self.kind() {
            ErrorKind::At { error, .. } => error.name(),
            ErrorKind::Limit { .. } => "limit",
            ErrorKind::Ambiguous { .. } => "ambiguous",
            ErrorKind::Url { .. } => "url",
            ErrorKind::Setting(_) => "setting",
            ErrorKind::Input(_) => "input",
            ErrorKind::Index { .. } => "index",
            ErrorKind::Evidence(_) => "evidence",
            ErrorKind::Query(_) => "query",
            ErrorKind::Internal(_) => "internal",
            ErrorKind::Io { .. } => "io",
        }
    }

    /// The name of the limit that was passed, if the error is about a limit.
    pub fn passed_limit(&self) -> Option<&'static str> {
        match self.kind() {
            ErrorKind::Limit { name, .. } => Some(name),
            ErrorKind::At { error, .. } => error.passed_limit(),
            _ => None,
        }
    }

    /// An error about a text that is no URL.
    pub fn url(url: &str) -> Self {
        ErrorKind::Url {
            url: url.to_owned(),
        }
        .into()
    }

    /// An error about an index, with the reason in words.
    pub fn index(trouble: IndexTrouble, message: impl Into<String>) -> Self {
        ErrorKind::Index {
            trouble,
            message: message.into(),
        }
        .into()
    }

    /// An error about a log of evidence or a proof, in words.
    pub fn evidence(message: impl Into<String>) -> Self {
        ErrorKind::Evidence(message.into()).into()
    }

    /// An error about a setting that makes no sense, in words.
    pub fn setting(message: impl Into<String>) -> Self {
        ErrorKind::Setting(message.into()).into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

/// An error of a caller's own file or stream, as in the closure of a run. It is called "input or
/// output". With [`ErrorKind::Io`] it has a name of its own.
impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        ErrorKind::Io {
            what: "input or output".to_owned(),
            source,
        }
        .into()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit { of, name, limit } => {
                write!(f, "the {of} passes the limit `{name}` of {limit}")
            }
            Self::Ambiguous { line } => write!(
                f,
                "the markup can be read in two ways from line {line} on, and one reading hides what the other shows"
            ),
            Self::Url { url } => write!(
                f,
                "`{url}` is not a whole URL, as https://site.example/page is"
            ),
            Self::Setting(message) | Self::Input(message) | Self::Evidence(message) => {
                f.write_str(message)
            }
            Self::At { place, error } => write!(f, "{place}: {error}"),
            Self::Index { message, .. } => f.write_str(message),
            Self::Query(message) => write!(f, "the query does not parse: {message}"),
            Self::Internal(message) => write!(f, "an internal error: {message}"),
            Self::Io { what, source } => write!(f, "{what}: {source}"),
        }
    }
}

impl std::error::Error for ErrorKind {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    /// The source of the innermost error. That error itself is already in the text.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io { source, .. } => source.source(),
            ErrorKind::At { error, .. } => error.source(),
            _ => None,
        }
    }
}
