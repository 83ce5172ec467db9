//! Where a robots.txt came from, and how old it is.
//!
//! It decides nothing: who asks why a page is kept out wants to know whether the site said so now, or a copy, or a file.

use std::time::SystemTime;

/// What kind of place a robots.txt came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// It was given with the question, or with the page.
    Given,
    /// A file that the user named.
    File,
    /// The input holds it: an archive, a folder, a line of JSON.
    Input,
    /// The site said so now, or did not answer.
    Fetched,
    /// A copy, still good.
    Cached,
    /// A copy; the site says that it is still good.
    Revalidated,
    /// An old copy, because the site does not answer.
    Stale,
}

crate::named::display!(SourceKind);

impl SourceKind {
    /// Its stable name.
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

/// Where a [`RobotsTxt`](crate::RobotsTxt) came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    kind: SourceKind,
    place: String,
    fetched: Option<SystemTime>,
    status: Option<u16>,
    agent: Option<String>,
}

impl Source {
    /// From a place: a path, or the URL of the robots.txt.
    pub fn new(kind: SourceKind, place: impl Into<String>) -> Self {
        Self { kind, place: place.into(), fetched: None, status: None, agent: None }
    }

    /// The site said it at this time.
    pub fn fetched_at(mut self, time: Option<SystemTime>) -> Self {
        self.fetched = time;
        self
    }

    /// With this status.
    pub fn with_status(mut self, status: Option<u16>) -> Self {
        self.status = status;
        self
    }

    /// To this user agent.
    pub fn told_to(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// What kind of place it is.
    pub fn kind(&self) -> SourceKind {
        self.kind
    }

    /// A path, or the URL of the robots.txt; empty where it was given.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// When the site said it, where that is known.
    pub fn fetched(&self) -> Option<SystemTime> {
        self.fetched
    }

    /// The status of the site's answer, where there was one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The user agent that the site said it to, where that is known.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }
}
