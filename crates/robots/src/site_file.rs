//! The type [`SiteFile`]: the files in which a site states rules for its pages. It also defines
//! what the HTTP status of a response to a request for such a file means.

use url::Url;

use heedful_base::address::authority;

/// Default limit, in bytes, on the parsed part of a robots.txt or tdmrep.json. The line of a
/// robots.txt that crosses this limit is ignored, and so is all text after that line.
#[doc(hidden)]
pub const READ: usize = 500 << 10;

/// Meaning of an HTTP status in response to a request for a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum StatusMeaning {
    /// The body of the response is the robots.txt, and is parsed.
    Rules,
    /// The site has no robots.txt, so everything is allowed.
    Open,
    /// The robots.txt is not available, so everything is denied.
    Shut,
}

impl StatusMeaning {
    /// Returns the meaning of the HTTP status `status` (RFC 9309, section 2.3.1).
    #[doc(hidden)]
    pub fn from_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Rules,
            400..=499 if status != 429 => Self::Open,
            _ => Self::Shut,
        }
    }
}

/// Kind of file in which a site states rules for its pages.
///
/// # Examples
///
/// ```
/// use heedful_robots::SiteFile;
///
/// let requests = SiteFile::ALL.map(|file| format!("https://example.com{}", file.path()));
/// assert_eq!(requests[0], "https://example.com/robots.txt");
/// assert_eq!(requests[1], "https://example.com/.well-known/tdmrep.json");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteFile {
    /// `/robots.txt`, by RFC 9309.
    #[default]
    Robots,
    /// `/.well-known/tdmrep.json`, by the TDM Reservation Protocol. It denies no fetch.
    Tdmrep,
}

heedful_base::display!(SiteFile);

impl SiteFile {
    /// All kinds of files in which a site states rules.
    pub const ALL: [Self; 2] = [Self::Robots, Self::Tdmrep];

    /// Path of the file on a site, such as `/robots.txt`.
    pub fn path(self) -> &'static str {
        match self {
            Self::Robots => "/robots.txt",
            Self::Tdmrep => "/.well-known/tdmrep.json",
        }
    }

    /// Name of the file without its folder: `robots.txt` or `tdmrep.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Robots => "robots.txt",
            Self::Tdmrep => "tdmrep.json",
        }
    }

    /// Returns the kind of site file whose URL is `url`. Returns `None` for the URL of any other
    /// file, and for a URL with a query.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::SiteFile;
    ///
    /// assert_eq!(SiteFile::parse_url("https://example.com/robots.txt"), Some(SiteFile::Robots));
    /// assert_eq!(SiteFile::parse_url("https://example.com/robots.txt?a"), None);
    /// assert_eq!(SiteFile::parse_url("https://example.com/a/robots.txt"), None);
    /// ```
    pub fn parse_url(url: &str) -> Option<Self> {
        Self::from_url(&Url::parse(url).ok()?)
    }

    /// Returns the kind of site file whose URL is `url`, like [`SiteFile::parse_url`], for a parsed
    /// URL.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::SiteFile;
    /// use url::Url;
    ///
    /// let url = Url::parse("https://example.com/.well-known/tdmrep.json").unwrap();
    /// assert_eq!(SiteFile::from_url(&url), Some(SiteFile::Tdmrep));
    /// ```
    pub fn from_url(url: &Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
            return None;
        }
        let mut files = Self::ALL.into_iter();
        files.find(|file| url.path() == file.path())
    }

    /// Returns the URL at which the site of `url` has its file of this kind. Returns `None` if
    /// `url` has no host, or if its scheme is neither `http` nor `https`.
    #[doc(hidden)]
    pub fn on_site_of(self, url: &Url) -> Option<Url> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return None;
        }
        let root = Url::parse(&authority(url)).ok()?;
        root.join(self.path()).ok()
    }
}
