//! The type [`Source`]: where a robots.txt was read from, its age, and the response from which it
//! was parsed.
//!
//! No decision depends on the source. It shows people which copy of a robots.txt denied a page: the
//! site's, a stored one or a file. The response is stored as evidence.

use std::sync::Arc;
use std::time::SystemTime;

/// Kind of the [`Source`] of a robots.txt.
///
/// # Examples
///
/// ```
/// use heedful_robots::SourceKind;
///
/// fn is_from_cache(kind: SourceKind) -> bool {
///     match kind {
///         SourceKind::Cached | SourceKind::Revalidated | SourceKind::Stale => true,
///         SourceKind::Given | SourceKind::File | SourceKind::Input | SourceKind::Fetched => false,
///     }
/// }
///
/// assert!(is_from_cache(SourceKind::Stale));
/// assert_eq!(SourceKind::Stale.name(), "stale");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// The caller passed the robots.txt together with a query or a page.
    Given,
    /// The robots.txt is a file on disk that the user named.
    File,
    /// The robots.txt was in the run's input: in an archive, a folder or a line of JSON.
    Input,
    /// The robots.txt was requested from the site in this run, whether the site responded or not.
    Fetched,
    /// The robots.txt is a cached copy that is still fresh.
    Cached,
    /// The robots.txt is a cached copy that the site confirmed as current.
    Revalidated,
    /// The robots.txt is an expired cached copy, used because the site does not respond.
    Stale,
}

heedful_base::display!(SourceKind);

impl SourceKind {
    /// Stable name of the kind, as in the JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::File => "file",
            Self::Input => "input",
            Self::Fetched => "fetched",
            Self::Cached => "cached",
            Self::Revalidated => "revalidated",
            Self::Stale => "stale",
        }
    }
}

/// Source of a [`RobotsTxt`](crate::RobotsTxt). It tells people where and when the file was read.
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_robots::{Source, SourceKind};
///
/// let source = Source::new(SourceKind::Fetched, "https://example.com/robots.txt")
///     .fetched_at(Some(SystemTime::UNIX_EPOCH))
///     .with_status(Some(200))
///     .with_user_agent("FooBot/1.0");
/// assert_eq!(source.place(), "https://example.com/robots.txt");
/// assert_eq!(source.status(), Some(200));
/// assert_eq!(source.agent(), Some("FooBot/1.0"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    kind: SourceKind,
    place: String,
    fetched: Option<SystemTime>,
    status: Option<u16>,
    agent: Option<String>,
    sent: Option<ResponseDigest>,
}

impl Source {
    /// Returns a source of the kind `kind`. `place` is a path on disk, or the URL of the
    /// robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Source, SourceKind};
    ///
    /// let source = Source::new(SourceKind::File, "robots/example.com.txt");
    /// assert_eq!((source.kind(), source.place()), (SourceKind::File, "robots/example.com.txt"));
    /// assert_eq!(source.status(), None);
    /// ```
    pub fn new(kind: SourceKind, place: impl Into<String>) -> Self {
        Self {
            kind,
            place: place.into(),
            fetched: None,
            status: None,
            agent: None,
            sent: None,
        }
    }

    /// Returns the source of a robots.txt that the caller passed with its page.
    #[doc(hidden)]
    pub fn given() -> Self {
        Self::new(SourceKind::Given, "")
    }

    /// Sets the HTTP status of the response with the robots.txt, and the digest of its body. The
    /// body is not part of the source.
    pub(super) fn sent(mut self, sent: ResponseDigest) -> Self {
        self.sent = Some(sent);
        self
    }

    /// HTTP status of the response with the robots.txt, and digest of its body. `None` if they were
    /// not set. A run that stores evidence stores the body under this digest.
    #[doc(hidden)]
    pub fn sent_digest(&self) -> Option<ResponseDigest> {
        self.sent
    }

    /// Sets the time at which the site sent the robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_robots::{Source, SourceKind};
    ///
    /// let source = Source::new(SourceKind::Cached, "https://example.com/robots.txt");
    /// let source = source.fetched_at(Some(SystemTime::UNIX_EPOCH));
    /// assert_eq!(source.fetched(), Some(SystemTime::UNIX_EPOCH));
    /// ```
    pub fn fetched_at(mut self, time: Option<SystemTime>) -> Self {
        self.fetched = time;
        self
    }

    /// Sets the HTTP status of the site's response to the request for its robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Source, SourceKind};
    ///
    /// let source = Source::new(SourceKind::Fetched, "https://example.com/robots.txt");
    /// assert_eq!(source.with_status(Some(404)).status(), Some(404));
    /// ```
    pub fn with_status(mut self, status: Option<u16>) -> Self {
        self.status = status;
        self
    }

    /// Sets the user agent of the request to the site for its robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Source, SourceKind};
    ///
    /// let source = Source::new(SourceKind::Fetched, "https://example.com/robots.txt");
    /// assert_eq!(source.with_user_agent("FooBot/1.0").agent(), Some("FooBot/1.0"));
    /// ```
    pub fn with_user_agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// Kind of the source: whether the robots.txt is a file, was fetched, or was cached, for
    /// example.
    pub fn kind(&self) -> SourceKind {
        self.kind
    }

    /// Path of the robots.txt on disk, or its URL. Empty for [`SourceKind::Given`].
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Time at which the site sent the robots.txt, if known.
    pub fn fetched(&self) -> Option<SystemTime> {
        self.fetched
    }

    /// HTTP status of the site's response to the request for its robots.txt. `None` if no status is
    /// known.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// User agent of the request for the robots.txt, if known.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }
}

/// Response of a site to a request for its robots.txt or tdmrep.json.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RobotsResponse {
    /// HTTP status of the response. `None` for a file on disk, for which there was no response.
    pub(super) status: Option<u16>,
    /// Body of the response. `None` if the status alone decides, as for status 404.
    pub(super) bytes: Option<Arc<[u8]>>,
}

/// HTTP status of a response with a robots.txt, and digest of its body. A run that stores evidence
/// stores the body under this digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct ResponseDigest {
    /// HTTP status of the response, if it is known.
    pub status: Option<u16>,
    /// SHA-256 of the response's body. `None` if the body is not stored.
    pub digest: Option<[u8; 32]>,
}
