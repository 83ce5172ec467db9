//! The files in which a site speaks of its pages, and what an answer to the question for one of them means.

#[cfg(feature = "json")]
use std::sync::Arc;

use url::Url;

use super::RobotsTxt;
#[cfg(feature = "json")]
use super::{file::File, tdmrep};

/// What the status of an answer means for a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// The body has the rules.
    Rules,
    /// There is none: all may be fetched.
    Open,
    /// Nothing may be fetched.
    Shut,
}

impl Means {
    pub(crate) fn of(status: u16) -> Self {
        match status {
            200..=299 => Self::Rules,
            400..=499 if status != 429 => Self::Open,
            _ => Self::Shut,
        }
    }
}

/// A file in which a site speaks of its pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SiteFile {
    /// `/robots.txt`, by RFC 9309.
    #[default]
    Robots,
    /// `/.well-known/tdmrep.json`, by the TDM Reservation Protocol. It keeps no page out.
    Tdmrep,
}

crate::named::display!(SiteFile);

impl SiteFile {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Robots, Self::Tdmrep];

    /// Where it stands on its site.
    pub fn path(self) -> &'static str {
        match self {
            Self::Robots => "/robots.txt",
            Self::Tdmrep => "/.well-known/tdmrep.json",
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Robots => "robots.txt",
            Self::Tdmrep => "tdmrep.json",
        }
    }

    /// The one that stands at this URL, if one does. With a query it is another file.
    pub fn at(url: &str) -> Option<Self> {
        Url::parse(url).ok().and_then(|url| Self::of(&url))
    }

    /// The same of a parsed URL.
    pub fn of(url: &Url) -> Option<Self> {
        let is_asked = matches!(url.scheme(), "http" | "https") && url.query().is_none();
        Self::ALL.into_iter().find(|file| is_asked && url.path() == file.path())
    }

    /// Where it stands on the site of a URL; none where there is no such place.
    #[cfg(feature = "fetch")]
    pub(crate) fn on_site_of(self, url: &Url) -> Option<Url> {
        let is_asked = matches!(url.scheme(), "http" | "https") && url.has_host();
        let root = Url::parse(&url.origin().ascii_serialization()).ok().filter(|_| is_asked)?;
        root.join(self.path()).ok()
    }
}

#[cfg(feature = "json")]
impl SiteFile {
    /// Reads one. Never fails.
    pub fn read(self, bytes: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::parse(bytes),
            Self::Tdmrep => RobotsTxt::tdmrep(bytes),
        }
    }

    /// What an answer of the site means. A tdmrep.json that is not to be had is none: then the site does not take part in the protocol
    /// (section 4.1 there).
    pub fn answered(self, status: u16, body: &[u8]) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::from_response(status, body),
            // What is missing may reserve.
            Self::Tdmrep if status == 206 => RobotsTxt::of_reservations(&tdmrep::all("only a part of it came")),
            Self::Tdmrep if (200..300).contains(&status) => RobotsTxt::tdmrep(body),
            Self::Tdmrep => RobotsTxt::tdmrep(b"[]"),
        }
    }

    /// What stands for one that is there and cannot be read, for this reason: it may forbid all that it can forbid.
    #[cfg(any(feature = "fetch", feature = "input"))]
    pub(crate) fn unread(self, why: &str) -> RobotsTxt {
        match self {
            Self::Robots => RobotsTxt::shut(),
            Self::Tdmrep => RobotsTxt::of_reservations(&tdmrep::all(why)),
        }
    }

    /// What stands for one that is not where the site says.
    #[cfg(feature = "run")]
    pub(crate) fn astray(self) -> Option<RobotsTxt> {
        (self == Self::Robots).then(RobotsTxt::shut)
    }
}

#[cfg(feature = "json")]
impl RobotsTxt {
    /// Reads a tdmrep.json, its first 500 KiB: what it reserves, of which pages. It lets everybody in. Never fails: what is no rule
    /// is told of each page that it would be about.
    pub fn tdmrep(bytes: &[u8]) -> Self {
        Self::of_reservations(&tdmrep::records(bytes))
    }

    fn of_reservations(records: &str) -> Self {
        let file = File::as_it_is(records.as_bytes());
        Self { file: Arc::new(file), site_file: SiteFile::Tdmrep, ..Self::default() }
    }
}

impl RobotsTxt {
    /// Which file it is.
    pub fn site_file(&self) -> SiteFile {
        self.site_file
    }
}
