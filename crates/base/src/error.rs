//! The error type [`Error`] of heedful's crates, and its kinds.
//!
//! HTML is never an error, except a page whose markup can be parsed in two ways. All other errors
//! come from the operating system, or are about a setting, limit, URL, query, input, index or log
//! of evidence. If a page causes an error, nothing of that page is used.

use std::{fmt, io};

/// Result of a function that fails with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Error of an operation of heedful. Programs match on [`Error::kind`], and people read the text.
/// `Debug` prints the same text as `Display`. So a `main` function that returns the error prints a
/// readable text.
///
/// # Examples
///
/// ```
/// use heedful_base::error::ErrorKind;
/// use heedful_base::limits::Limits;
///
/// let error = Limits::default().set("page_byte", 10).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::Setting(_)));
/// assert_eq!(error.name(), "setting");
/// assert!(error.to_string().contains("did you mean `page_bytes`?"));
/// ```
pub struct Error(Box<ErrorKind>);

impl Error {
    /// Kind of the error, for programs that match on it.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::{Error, ErrorKind};
    ///
    /// let error = Error::url("site.example/page");
    /// match error.kind() {
    ///     ErrorKind::Url { url } => assert_eq!(url, "site.example/page"),
    ///     other => panic!("no error about a URL: {other}"),
    /// }
    /// ```
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }

    /// Stable name of the error's kind in one word, as in the JSON output. For an
    /// [`ErrorKind::At`], it is the name of the inner error's kind.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::{Error, ErrorKind};
    ///
    /// let place = "list.txt:3".to_owned();
    /// let error = Error::from(ErrorKind::At { place, error: Error::url("site") });
    /// assert_eq!(error.name(), "url");
    /// ```
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

    /// Name of the limit that was exceeded. `None` if the error is not about a limit. For an
    /// [`ErrorKind::At`], the inner error decides.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::Error;
    ///
    /// assert_eq!(Error::limit("links", 500_000).passed_limit(), Some("links"));
    /// assert_eq!(Error::setting("a bot needs a name").passed_limit(), None);
    /// ```
    pub fn passed_limit(&self) -> Option<&'static str> {
        match self.kind() {
            ErrorKind::Limit { name, .. } => Some(name),
            ErrorKind::At { error, .. } => error.passed_limit(),
            _ => None,
        }
    }

    /// Creates an [`ErrorKind::Url`] about `url`, a text that does not parse as a URL.
    ///
    /// # Examples
    ///
    /// ```
    /// let error = heedful_base::error::Error::url("site");
    /// assert!(error.to_string().starts_with("`site` is not a whole URL"));
    /// ```
    pub fn url(url: &str) -> Self {
        ErrorKind::Url {
            url: url.to_owned(),
        }
        .into()
    }

    /// Creates an [`ErrorKind::Index`] about a search index. Programs match on `trouble`, and
    /// people read `message`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::{Error, ErrorKind, IndexTrouble};
    ///
    /// let error = Error::index(IndexTrouble::NotThere, "there is no index in /srv/pages");
    /// let is_new = matches!(
    ///     error.kind(),
    ///     ErrorKind::Index { trouble: IndexTrouble::NotThere, .. }
    /// );
    /// assert!(is_new);
    /// assert_eq!(error.to_string(), "there is no index in /srv/pages");
    /// ```
    pub fn index(trouble: IndexTrouble, message: impl Into<String>) -> Self {
        ErrorKind::Index {
            trouble,
            message: message.into(),
        }
        .into()
    }

    /// Creates an [`ErrorKind::Evidence`] about a log of evidence or a proof. `message` is a
    /// readable text with the reason.
    pub fn evidence(message: impl Into<String>) -> Self {
        ErrorKind::Evidence(message.into()).into()
    }

    /// Creates an [`ErrorKind::Setting`] about an invalid setting. `message` is a readable text
    /// with the reason.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_base::error::{Error, Result};
    ///
    /// fn parse_port(text: &str) -> Result<u16> {
    ///     let error = |_| Error::setting(format!("`{text}` is no port"));
    ///     text.parse().map_err(error)
    /// }
    ///
    /// assert_eq!(parse_port("80")?, 80);
    /// assert_eq!(parse_port("http").unwrap_err().to_string(), "`http` is no port");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn setting(message: impl Into<String>) -> Self {
        ErrorKind::Setting(message.into()).into()
    }
}

/// Kind of an [`Error`]. New kinds may be added.
///
/// # Examples
///
/// ```
/// use heedful_base::error::{Error, ErrorKind};
///
/// /// True if a run may go on with the next page.
/// fn is_about_a_page(error: &Error) -> bool {
///     match error.kind() {
///         ErrorKind::Limit { of, .. } => *of == "page",
///         ErrorKind::Ambiguous { .. } | ErrorKind::Internal(_) => true,
///         ErrorKind::At { error, .. } => is_about_a_page(error),
///         _ => false,
///     }
/// }
///
/// assert!(is_about_a_page(&Error::limit("links", 10)));
/// assert!(!is_about_a_page(&Error::setting("a bot needs a name")));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A page, an input or a run exceeded a limit of [`Limits`](crate::limits::Limits).
    Limit {
        /// Name of what is lost because of the limit, such as `page`. It is the name of a
        /// [`LimitScope`](crate::limits::LimitScope).
        of: &'static str,
        /// Name of the limit in the table [`LIMITS`](crate::limits::LIMITS).
        name: &'static str,
        /// Value of the limit that was exceeded.
        limit: u64,
    },
    /// The markup of a page can be parsed in two ways. One way hides text that the other way shows.
    /// So nothing of the page is used.
    Ambiguous {
        /// Line of the page at which the parser stopped, counted from 1.
        line: u32,
    },
    /// A text does not parse as a URL although it must be one.
    Url {
        /// The text that does not parse.
        url: String,
    },
    /// A setting is invalid, or contradicts another setting. The value is a message that names the
    /// setting.
    Setting(String),
    /// Another error occurred, at a known place of an input. [`Error::name`] returns the name of
    /// that inner error.
    At {
        /// Place where the error occurred: the file, and the offset, line or row in the file.
        place: String,
        /// The inner error, which occurred at `place`.
        error: Error,
    },
    /// An input file or stream does not have the format that its name, media type or header states.
    /// The value is a message for people.
    Input(String),
    /// A search index cannot be opened, read or written.
    Index {
        /// Reason why the index cannot be used, for programs that match on it.
        trouble: IndexTrouble,
        /// Message for people, which says why the index cannot be used and names its folder.
        message: String,
    },
    /// A log of evidence or a proof is damaged, is of another format, or cannot be used as
    /// requested. The value is a message for people.
    Evidence(String),
    /// A search query does not parse. The value is a message that says why.
    Query(String),
    /// heedful has a bug, which the value describes. The page that exposed the bug is skipped, and
    /// the run continues.
    Internal(String),
    /// The operating system reported an error.
    Io {
        /// Name of the file, folder or stream that was read or written, for messages.
        subject: String,
        /// Error that the operating system reported for `subject`.
        source: io::Error,
    },
}

/// Reason why a search index cannot be used. New reasons may be added.
///
/// # Examples
///
/// ```
/// use heedful_base::error::IndexTrouble;
///
/// fn advice(trouble: IndexTrouble) -> &'static str {
///     match trouble {
///         IndexTrouble::NotThere => "build it first",
///         IndexTrouble::InUse => "wait for the other writer",
///         IndexTrouble::OtherVersion | IndexTrouble::OtherTerms => "build it anew",
///         _ => "look at the folder",
///     }
/// }
///
/// assert_eq!(advice(IndexTrouble::InUse), "wait for the other writer");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexTrouble {
    /// The folder has no index, or an index to which nothing was ever committed.
    NotThere,
    /// The folder has files that belong to no index. This reason is also given if a new index needs
    /// an empty folder, but the folder is not empty.
    Occupied,
    /// The index was written by another version of heedful.
    OtherVersion,
    /// The index was written for another bot than the requested one, or with settings that differ
    /// from the requested ones. Conventions are such a setting. This reason is also given if
    /// several indexes are merged and their settings differ.
    OtherTerms,
    /// Another writer has the index open.
    InUse,
    /// The index is damaged, or its files cannot be read or written.
    Damaged,
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

/// Converts an I/O error of a file or stream that the caller opened. With this conversion, code
/// that returns an [`Error`] can use `?` on an I/O result. The message calls the file "input or
/// output". For a message with the file's name, create an [`ErrorKind::Io`].
///
/// # Examples
///
/// ```
/// use std::io;
///
/// use heedful_base::error::{Error, ErrorKind};
///
/// let full = || io::Error::other("the disk is full");
/// assert_eq!(Error::from(full()).to_string(), "input or output: the disk is full");
///
/// let subject = "pages.csv".to_owned();
/// let named = Error::from(ErrorKind::Io { subject, source: full() });
/// assert_eq!(named.to_string(), "pages.csv: the disk is full");
/// ```
impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        ErrorKind::Io {
            subject: "input or output".to_owned(),
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

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    /// Returns the cause of the I/O error in an [`ErrorKind::Io`]. The I/O error itself is not
    /// returned, because its text is already in the text of this error. For an [`ErrorKind::At`],
    /// the inner error decides. Returns `None` for any other kind.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io { source, .. } => source.source(),
            ErrorKind::At { error, .. } => error.source(),
            _ => None,
        }
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
            Self::Io { subject, source } => write!(f, "{subject}: {source}"),
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
