//! What can go wrong, as one opaque [`Error`].
//!
//! HTML is never an error. What is: a setting that makes no sense, a limit that was passed, a page whose markup
//! has two readings, a file that cannot be read or written. An error of a page means that nothing of it is used.

use std::fmt;
use std::io;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something could not be done. [`Error::kind`] is for programs, the text for people.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`]. New kinds may be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A bound of [`Limits`](crate::Limits) was passed.
    #[error("the {of} passes the limit `{name}` of {limit}")]
    Limit {
        /// What passes it, and is lost: the name of an [`Of`](crate::Of).
        of: &'static str,
        /// The limit's name, as in the table of [`Limits`](crate::Limits).
        name: &'static str,
        /// Its value.
        limit: u64,
    },
    /// The markup can be read in two ways and the two differ in what is text: nothing of the page is used.
    #[error("the markup can be read in two ways from line {line} on, and one reading hides what the other shows")]
    Ambiguous {
        /// The line where the reading stopped.
        line: u32,
    },
    /// A URL that does not parse.
    #[error("`{url}` is not a whole URL, as https://site.example/page is")]
    Url {
        /// The text that was given.
        url: String,
    },
    /// A setting that makes no sense.
    #[error("{0}")]
    Setting(String),
    /// Trouble with what stands at a place of an input. Its kind is that of what it holds.
    #[error("{place}: {error}")]
    At {
        /// File, and offset, line or row.
        place: String,
        /// What is wrong there.
        error: Error,
    },
    /// Input that is not what it claims to be.
    #[error("{0}")]
    Input(String),
    /// The index cannot be used as asked.
    #[error("{message}")]
    Index {
        /// Why.
        trouble: IndexTrouble,
        /// The same for people, with the folder.
        message: String,
    },
    /// A query that does not parse.
    #[error("the query does not parse: {0}")]
    Query(String),
    /// A defect of the program: the page was given up, the run goes on.
    #[error("an internal error: {0}")]
    Internal(String),
    /// The operating system said no.
    #[error("{what}: {source}")]
    Io {
        /// What was being read or written.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Why an index cannot be used as asked. New reasons may be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexTrouble {
    /// The folder holds no index, or one that was begun and never held anything.
    NotThere,
    /// The folder holds something else, or is not empty where a new one is asked for.
    Occupied,
    /// Another version of heedful made it.
    OtherVersion,
    /// It was made for another bot, by other dialects or limits, or is compacted where that may not be.
    OtherTerms,
    /// Another program is writing to it.
    InUse,
    /// It is damaged, or cannot be read or written.
    Damaged,
}

impl Error {
    /// What kind of trouble it is.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// A stable one-word name of the kind, as the JSON output gives it.
    pub fn name(&self) -> &'static str {
        match self.kind() {
            ErrorKind::At { error, .. } => error.name(),
            ErrorKind::Limit { .. } => "limit",
            ErrorKind::Ambiguous { .. } => "ambiguous",
            ErrorKind::Url { .. } => "url",
            ErrorKind::Setting(_) => "setting",
            ErrorKind::Input(_) => "input",
            ErrorKind::Index { .. } => "index",
            ErrorKind::Query(_) => "query",
            ErrorKind::Internal(_) => "internal",
            ErrorKind::Io { .. } => "io",
        }
    }

    /// The limit that was passed, if that is what it tells.
    pub fn passed_limit(&self) -> Option<&'static str> {
        match self.kind() {
            ErrorKind::Limit { name, .. } => Some(name),
            ErrorKind::At { error, .. } => error.passed_limit(),
            _ => None,
        }
    }

    pub(crate) fn url(url: &str) -> Self {
        ErrorKind::Url { url: url.to_owned() }.into()
    }

    #[cfg(feature = "index")]
    pub(crate) fn index(trouble: IndexTrouble, message: impl Into<String>) -> Self {
        ErrorKind::Index { trouble, message: message.into() }.into()
    }

    pub(crate) fn setting(message: impl Into<String>) -> Self {
        ErrorKind::Setting(message.into()).into()
    }
}

/// The one of the known names that was probably meant, as a question behind a message; nothing where none is near.
pub(crate) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    // An edit in three letters is a slip; more is another word.
    let is_near = |(edits, known): &(usize, &str)| edits * 3 <= known.len().max(name.len());
    let near = known.map(|known| (strsim::osa_distance(name, known), known)).filter(is_near).min();
    near.map(|(_, known)| format!(" did you mean `{known}`?")).unwrap_or_default()
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Error {
    /// What is behind the error that the text ends with: that one is told.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io { source, .. } => source.source(),
            ErrorKind::At { error, .. } => error.source(),
            _ => None,
        }
    }
}
