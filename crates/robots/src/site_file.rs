//! The files in which a site declares rules for its pages, and the meaning of a response to a
//! request for one.

use url::Url;

use heedful_base::address::authority;

/// The bytes of such a file that are read, unless set otherwise. The rest is ignored, from the
/// start of the line that passes the limit.
#[doc(hidden)]
pub const READ: usize = 500 << 10;

/// The meaning of a response's status for a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum StatusMeaning {
    /// The body has the rules.
    Rules,
    /// There is no robots.txt: everything may be fetched.
    Open,
    /// Nothing may be fetched.
    Shut,
}

impl StatusMeaning {
    #[doc(hidden)]
    pub fn from_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Rules,
            400..=499 if status != 429 => Self::Open,
            _ => Self::Shut,
        }
    }
}

/// A file in which a site declares rules for its pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteFile {
    /// `/robots.txt`, by RFC 9309.
    #[default]
    Robots,
    /// `/.well-known/tdmrep.json`, by the TDM Reservation Protocol. It keeps no page out.
    Tdmrep,
}

heedful_base::display!(SiteFile);

impl SiteFile {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Robots, Self::Tdmrep];

    /// The path of the file on its site.
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

    /// The file at this URL, if there is one. With a query it is another file.
    pub fn parse_url(url: &str) -> Option<Self> {
        Self::from_url(&Url::parse(url).ok()?)
    }

    /// The file at a parsed URL, if there is one.
    pub fn from_url(url: &Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
            return None;
        }
        let mut files = Self::ALL.into_iter();
        files.find(|file| url.path() == file.path())
    }

    /// The URL of the file on the site of `url`, if there can be one.
    #[doc(hidden)]
    pub fn on_site_of(self, url: &Url) -> Option<Url> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return None;
        }
        let root = Url::parse(&authority(url)).ok()?;
        root.join(self.path()).ok()
    }
}
