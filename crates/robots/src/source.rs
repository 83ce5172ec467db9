//! The source of a robots.txt, its age, and the response that it was read from.
//!
//! All this decides nothing. For people who ask why a page is kept out, it names the origin: the
//! site, a copy or a file. Others must show what was read.

use std::sync::Arc;
use std::time::SystemTime;

/// The kinds of sources of a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// It was given with the question, or with the page.
    Given,
    /// A file that the user named.
    File,
    /// The input holds it: an archive, a folder, a line of JSON.
    Input,
    /// The site sent it now, or did not answer.
    Fetched,
    /// A copy that is still fresh.
    Cached,
    /// A copy that is still good, according to the site.
    Revalidated,
    /// An old copy, because the site does not answer.
    Stale,
}

heedful_base::display!(SourceKind);

impl SourceKind {
    /// The stable name of the rule.
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

/// The source of a [`RobotsTxt`](crate::RobotsTxt).
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
    /// A source at a place: a path, or the URL of the robots.txt.
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

    /// The source of a file that was given with its page.
    #[doc(hidden)]
    pub fn given() -> Self {
        Self::new(SourceKind::Given, "")
    }

    /// Sets what is known of the response when its bytes are kept elsewhere.
    pub(super) fn sent(mut self, sent: ResponseDigest) -> Self {
        self.sent = Some(sent);
        self
    }

    /// The status and digest of a response whose bytes are kept elsewhere.
    #[doc(hidden)]
    pub fn sent_digest(&self) -> Option<ResponseDigest> {
        self.sent
    }

    /// Sets the time at which the site sent it.
    pub fn fetched_at(mut self, time: Option<SystemTime>) -> Self {
        self.fetched = time;
        self
    }

    /// Sets the status of the response.
    pub fn with_status(mut self, status: Option<u16>) -> Self {
        self.status = status;
        self
    }

    /// Sets the user agent that the site sent it to.
    pub fn told_to(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// The kind of source.
    pub fn kind(&self) -> SourceKind {
        self.kind
    }

    /// The path, or the URL of the robots.txt. Empty if it was given.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The time at which the site sent it, if known.
    pub fn fetched(&self) -> Option<SystemTime> {
        self.fetched
    }

    /// The status of the site's response, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The user agent that the site sent it to, if known.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }
}

/// The response of a site that was asked for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RobotsResponse {
    /// The status. None if there was no response, as for a file on disk.
    pub(super) status: Option<u16>,
    /// The bytes, unless the status alone decides.
    pub(super) bytes: Option<Arc<[u8]>>,
}

/// A response of which the bytes are kept elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct ResponseDigest {
    /// The status, if it is known.
    pub status: Option<u16>,
    /// SHA-256 of the bytes. None if they are not kept.
    pub digest: Option<[u8; 32]>,
}
