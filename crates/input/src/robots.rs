//! A robots.txt, or another site file, that was found in an input.

use std::time::SystemTime;

use url::Url;

use heedful_base::address;
use heedful_robots::{RobotsTxt, SiteFile, Source, SourceKind};

/// A site file that was found in an input: a robots.txt, or a tdmrep.json with a site's rules for
/// its pages.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, SiteFileResponse, json_line};
///
/// let line = br#"{"url": "https://example.com/robots.txt",
///     "html": "User-agent: *\nDisallow: /drafts/"}"#;
/// let items = json_line(line, ("crawl", 1), None, &Limits::default());
/// let Some(Item::Robots(robots)) = items.into_iter().next() else { panic!() };
///
/// assert_eq!(robots.authority(), "https://example.com");
/// let SiteFileResponse::Rules(rules) = robots.into_response() else { panic!() };
/// assert!(!rules.ruling(&"FooBot".parse()?, "https://example.com/drafts/rye").allowed());
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Robots {
    authority: String,
    file: SiteFile,
    response: SiteFileResponse,
    fetched: Option<SystemTime>,
    is_of_part: bool,
}

impl Robots {
    /// Creates the item for a site's response to a request for the site file `file`. `site` may be
    /// any URL of the site.
    pub(super) fn new(site: &Url, file: SiteFile, response: SiteFileResponse) -> Self {
        let place = format!("{}{}", authority(site), file.path());
        let response = match response {
            SiteFileResponse::Rules(file) => {
                SiteFileResponse::Rules(file.with_source(Source::new(SourceKind::Input, place)))
            }
            other => other,
        };
        Self {
            authority: authority(site),
            file,
            response,
            fetched: None,
            is_of_part: false,
        }
    }

    /// Sets whether the site file was found in a folder that is only part of a site. Such a file
    /// does not replace the site's own file, but its denials apply.
    pub(super) fn of_part(self, is_of_part: bool) -> Self {
        Self { is_of_part, ..self }
    }

    /// True if the site file was found in a folder that is only part of a site. Its denials apply,
    /// but it does not replace the site's own file.
    pub fn is_of_part(&self) -> bool {
        self.is_of_part
    }

    /// Sets the time at which the site sent the file. If the parsed file has a `RobotsTxt::source`,
    /// the time and the response's status are recorded in that source, too.
    pub(super) fn fetched_at(self, time: Option<SystemTime>) -> Self {
        let response = match self.response {
            SiteFileResponse::Rules(file) => {
                let source = file
                    .source()
                    .cloned()
                    .map(|source| source.fetched_at(time).with_status(file.response_status()));
                SiteFileResponse::Rules(match source {
                    Some(source) => file.with_source(source),
                    None => file,
                })
            }
            other => other,
        };
        Self {
            response,
            fetched: time,
            ..self
        }
    }

    /// Returns the time at which the site sent the file, if known.
    pub fn fetched(&self) -> Option<SystemTime> {
        self.fetched
    }

    /// Returns the scheme, host and port of the site whose file this is.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let line = br#"{"url": "https://example.com:8443/robots.txt", "html": ""}"#;
    /// let items = json_line(line, ("crawl", 1), None, &Limits::default());
    /// let Some(Item::Robots(robots)) = items.first() else { panic!() };
    ///
    /// assert_eq!(robots.authority(), "https://example.com:8443");
    /// ```
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the kind of the site file: a robots.txt or a tdmrep.json.
    pub fn file(&self) -> SiteFile {
        self.file
    }

    /// Returns the parsed site file. `None` if the response is a redirect or unknown.
    #[doc(hidden)]
    pub fn rules(&self) -> Option<&RobotsTxt> {
        if let SiteFileResponse::Rules(rules) = &self.response {
            Some(rules)
        } else {
            None
        }
    }

    /// Returns only the site's response to the request for the file. The site, the kind of file and
    /// the time are dropped.
    pub fn into_response(self) -> SiteFileResponse {
        self.response
    }
}

/// A site's response to a request for its robots.txt or another site file.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, SiteFileResponse, json_line};
///
/// let line = br#"{"url": "https://example.com/robots.txt", "status": 301, "html": "",
///     "headers": {"Location": "https://www.example.com/robots.txt"}}"#;
/// let items = json_line(line, ("crawl", 1), None, &Limits::default());
/// let Some(Item::Robots(robots)) = items.into_iter().next() else { panic!() };
///
/// let response = match robots.into_response() {
///     SiteFileResponse::Rules(_) => "rules".to_owned(),
///     SiteFileResponse::Redirect(target) => format!("see {target}"),
///     SiteFileResponse::Unknown => "unknown".to_owned(),
/// };
/// assert_eq!(response, "see https://www.example.com/robots.txt");
/// ```
#[derive(Clone, Debug)]
pub enum SiteFileResponse {
    /// The parsed site file, or the rules that the HTTP status implies: 404 allows everything, for
    /// example.
    Rules(RobotsTxt),
    /// A redirect to the site file at this URL.
    Redirect(String),
    /// The response is unknown: the input only states that the file is unchanged, for example.
    Unknown,
}

/// Parses the URL of a site file. Returns the URL, and which site file it is. `None` for other
/// URLs.
pub(super) fn parse_site_file(url: &str) -> Option<(Url, SiteFile)> {
    let url = Url::parse(url).ok()?;
    let file = SiteFile::from_url(&url)?;
    Some((url, file))
}

/// True if the URL is that of a robots.txt or another site file.
///
/// ```
/// use heedful_input::is_site_file;
///
/// assert!(is_site_file("https://example.com/robots.txt"));
/// assert!(!is_site_file("https://example.com/bread/robots.txt"));
/// ```
pub fn is_site_file(url: &str) -> bool {
    SiteFile::parse_url(url).is_some()
}

/// Returns the scheme, host and port of a URL: the part of the web to which one robots.txt applies.
///
/// ```
/// let url: url::Url = "https://example.com:443/rye?a".parse()?;
/// assert_eq!(heedful_input::authority(&url), "https://example.com");
/// # Ok::<(), url::ParseError>(())
/// ```
pub fn authority(url: &Url) -> String {
    address::authority(url)
}
