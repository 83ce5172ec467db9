//! The items of an input: pages, robots.txt files, skipped records and damage, each with its
//! location.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use url::Url;

use heedful_base::error::{Error, ErrorKind};
use heedful_robots::RobotsTxt;

use super::robots::Robots;

/// Iterator over the items of an input, in order. Each item comes with the position at which
/// reading can resume after the item.
///
/// ```
/// use heedful_input::Inputs;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("pages.jsonl");
/// std::fs::write(&path, "{\"html\": \"<p>Rye\"}\n{\"html\": \"<p>Oat\"}\n")?;
/// let input = &Inputs::default().open(&[path])?[0];
///
/// let (_, after_first) = input.items()?.next().unwrap();
/// assert_eq!(after_first.to_string(), "after line 1");
/// assert_eq!(input.items_from(&after_first)?.count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Items = Box<dyn Iterator<Item = (Item, Position)> + Send>;

/// A page in the form in which it was fetched: URL, response headers and body, ready for the
/// filter.
///
/// ```
/// use heedful::{Bot, Filter, Limits};
/// use heedful_input::{Item, json_line};
///
/// let line = br#"{"url": "https://example.com/rye", "html": "<p>Dark bread",
///     "headers": {"X-Robots-Tag": "noindex"}}"#;
/// let items = json_line(line, ("crawl", 1), None, &Limits::default());
/// let [Item::Document(page)] = &items[..] else { panic!() };
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut pass = filter.open(page.url())?;
/// for (name, value) in page.headers() {
///     pass.header(name, value);
/// }
/// pass.write(page.bytes())?;
/// assert!(pass.end()?.phrases().is_empty());
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
pub struct FetchedPage {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) robots: Option<RobotsTxt>,
    pub(super) captured: Option<SystemTime>,
    /// Text of the fetch date in the input, if this date cannot be parsed. `None` if the date can
    /// be parsed, or if there is no date.
    pub(super) undated: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) record: Option<String>,
    pub(super) is_cut: bool,
    pub(super) folder: Option<InFolder>,
    pub(super) origin: InputPlace,
}

/// Location of a page in a folder that mirrors a site: the folder's URL and the file's URL.
#[derive(Debug)]
pub(super) struct InFolder {
    /// URL prefix of the folder that mirrors the site, with a final `/`.
    pub(super) site: Url,
    /// URL of the file that contains the page, if the page itself has another URL. This is so for
    /// an `index.html`. Otherwise `None`.
    pub(super) file: Option<Url>,
}

impl FetchedPage {
    pub(super) fn new(
        url: String,
        headers: Vec<(String, String)>,
        body: Body,
        origin: InputPlace,
    ) -> Self {
        Self {
            url,
            headers,
            body,
            robots: None,
            captured: None,
            undated: None,
            status: None,
            record: None,
            is_cut: false,
            folder: None,
            origin,
        }
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// If the input has a fetch date that cannot be parsed, returns the date's text. Then
    /// [`captured`](Self::captured) returns `None`.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let line = br#"{"url": "https://example.com/", "html": "<p>Rye", "date": "in spring"}"#;
    /// let items = json_line(line, ("crawl", 1), None, &Limits::default());
    /// let [Item::Document(page)] = &items[..] else { panic!() };
    ///
    /// assert_eq!((page.captured(), page.undated()), (None, Some("in spring")));
    /// ```
    pub fn undated(&self) -> Option<&str> {
        self.undated.as_deref()
    }

    /// Returns the headers of the page's HTTP response as pairs of name and value, in the order of
    /// the input.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let line = br#"{"url": "https://example.com/", "html": "<p>Rye",
    ///     "headers": [["X-Robots-Tag", "noarchive"], ["X-Robots-Tag", "nosnippet"]]}"#;
    /// let items = json_line(line, ("crawl", 1), None, &Limits::default());
    /// let [Item::Document(page)] = &items[..] else { panic!() };
    ///
    /// // A name may occur several times, so the headers are no map.
    /// let values: Vec<_> = page.headers().iter().map(|(_, value)| value.as_str()).collect();
    /// assert_eq!(values, ["noarchive", "nosnippet"]);
    /// ```
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// Returns the body of the page, from which all content codings were removed.
    pub fn bytes(&self) -> &[u8] {
        self.body.bytes()
    }

    /// True if the body was already UTF-8 text in the input: a JSON string, for example. The
    /// charset of this body need not be detected.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let limits = Limits::default();
    /// let decoded = |line: &[u8]| match &json_line(line, ("crawl", 1), None, &limits)[..] {
    ///     [Item::Document(page)] => page.is_decoded(),
    ///     _ => panic!(),
    /// };
    /// assert!(decoded(br#"{"url": "https://example.com/", "html": "<p>Rye"}"#));
    /// assert!(!decoded(br#"{"url": "https://example.com/", "html_b64": "PHA+Unll"}"#));
    /// ```
    pub fn is_decoded(&self) -> bool {
        matches!(self.body, Body::Text(_))
    }

    /// Returns the robots.txt that the input gives for this page alone. `None` if there is none.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let line = br#"{"url": "https://example.com/", "html": "<p>Rye",
    ///     "robots": "User-agent: *\nDisallow: /", "robots_status": 200}"#;
    /// let items = json_line(line, ("crawl", 1), None, &Limits::default());
    /// let [Item::Document(page)] = &items[..] else { panic!() };
    ///
    /// let bot = "FooBot".parse()?;
    /// assert!(!page.robots().unwrap().ruling(&bot, page.url()).allowed());
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn robots(&self) -> Option<&RobotsTxt> {
        self.robots.as_ref()
    }

    /// Returns the time of the page's fetch, if the input has a date that can be parsed.
    pub fn captured(&self) -> Option<SystemTime> {
        self.captured
    }

    /// Returns the status code of the page's HTTP response, if the input has it.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the identifier of the page's record in an archive (`WARC-Record-ID`), if the record
    /// has one.
    pub fn record(&self) -> Option<&str> {
        self.record.as_deref()
    }

    /// True if the input shows that the end of the page's body is missing.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the URL prefix of the site, for a page that was read from a folder that mirrors a
    /// site. `None` for pages of all other inputs.
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
    /// let site: url::Url = "https://example.com/bread".parse()?;
    /// let input = &Inputs::default().url(site).open(&[folder.path()])?[0];
    /// let (Item::Document(page), _) = input.items()?.next().unwrap() else { panic!() };
    ///
    /// assert_eq!(page.site().unwrap().as_str(), "https://example.com/bread/");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn site(&self) -> Option<&Url> {
        self.folder.as_ref().map(|folder| &folder.site)
    }

    /// Returns the URL of the file that contains the page, if the page itself has another URL. For
    /// example, the page in an `index.html` has the URL of its folder. A robots.txt may disallow
    /// either URL, so both URLs must be checked.
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("index.html"), "<p>Rye")?;
    /// let site: url::Url = "https://example.com/".parse()?;
    /// let input = &Inputs::default().url(site).open(&[folder.path()])?[0];
    /// let (Item::Document(page), _) = input.items()?.next().unwrap() else { panic!() };
    ///
    /// assert_eq!(page.url(), "https://example.com/");
    /// assert_eq!(page.file_url().unwrap().as_str(), "https://example.com/index.html");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn file_url(&self) -> Option<&Url> {
        self.folder.as_ref()?.file.as_ref()
    }

    /// Returns the location of the page in the input, for messages.
    pub fn origin(&self) -> &InputPlace {
        &self.origin
    }
}

/// Body of a page: bytes in an unknown charset, or text that the input contains in decoded form.
#[derive(Debug)]
pub(super) enum Body {
    Bytes(Vec<u8>),
    /// The content of an archive record, which ends with the body. The number is the length in
    /// bytes of the HTTP header section before the body.
    RestOf(Vec<u8>, usize),
    Text(String),
}

impl Body {
    /// Returns the last `length` bytes of an archive record as the body of its page. If the body is
    /// shorter than the bytes before it, the body is copied. Otherwise the whole record stays in
    /// memory.
    pub(super) fn rest_of(record: Vec<u8>, length: usize) -> Self {
        let head = record.len().saturating_sub(length);
        if head > length {
            Self::Bytes(record[head..].to_vec())
        } else {
            Self::RestOf(record, head)
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::RestOf(record, head) => &record[*head..],
            Self::Text(text) => text.as_bytes(),
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::RestOf(record, head) => record[head..].to_vec(),
            Self::Text(text) => text.into_bytes(),
        }
    }
}

/// Location of an item in an input: the file, and a byte offset, line or row in the file.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, json_line};
///
/// let line = br#"{"url": "https://example.com/", "html": "<p>Rye"}"#;
/// let items = json_line(line, ("crawl.jsonl", 7), None, &Limits::default());
/// let [Item::Document(page)] = &items[..] else { panic!() };
///
/// assert_eq!(page.origin().to_string(), "crawl.jsonl line 7");
/// assert_eq!(page.origin().place(), ("crawl.jsonl", Some(("line", 7))));
/// assert_eq!(page.origin().file(), None);
/// ```
#[derive(Clone, Debug)]
pub struct InputPlace {
    pub(super) file: Arc<str>,
    pub(super) at: Option<ItemPlace>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ItemPlace {
    Offset(u64),
    /// The unit in which the input counts items, and the number of this item. The unit is a line or
    /// an array object (JSON Lines), or a row (tables).
    Number(&'static str, u64),
}

impl InputPlace {
    /// Returns the path of the item's file, if the item is the whole file. `None` if the file
    /// contains several items.
    pub fn file(&self) -> Option<&str> {
        self.at.is_none().then_some(&*self.file)
    }

    /// Returns the name of the input, then the unit (`byte`, `line`, `object`, `row`) and number of
    /// the item in the input. For the unit `byte`, the number is the offset of the item. The unit
    /// and number are `None` if the item is the whole file.
    pub fn place(&self) -> (&str, Option<(&'static str, u64)>) {
        let at = self.at.map(|at| match at {
            ItemPlace::Offset(offset) => ("byte", offset),
            ItemPlace::Number(what, number) => (what, number),
        });
        (&self.file, at)
    }
}

impl fmt::Display for InputPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            None => f.write_str(&self.file),
            Some(ItemPlace::Offset(offset)) => write!(f, "{} at byte {offset}", self.file),
            Some(ItemPlace::Number(what, number)) => write!(f, "{} {what} {number}", self.file),
        }
    }
}

/// One item of an input: a page, a site file, a record that is not a page, or damage.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, json_line};
///
/// let limits = Limits::default();
/// let kind = |line: &str| match &json_line(line.as_bytes(), ("crawl", 1), None, &limits)[..] {
///     [Item::Document(page)] => format!("page {}", page.url()),
///     [Item::Skipped(record)] => format!("no page: {}", record.why()),
///     items => format!("{} items", items.len()),
/// };
/// assert_eq!(
///     kind(r#"{"url": "https://example.com/", "html": "<p>Rye"}"#),
///     "page https://example.com/"
/// );
/// assert_eq!(
///     kind(r#"{"url": "https://example.com/", "html": "gone", "status": 404}"#),
///     "no page: status 404"
/// );
/// ```
#[derive(Debug)]
pub enum Item {
    /// A page with its body, to be filtered.
    Document(FetchedPage),
    /// Headers of a page that has not changed since an earlier fetch (304, or a WARC `revisit`).
    /// The body is empty.
    Unchanged(FetchedPage),
    /// A site's response to a request for its robots.txt, or for another site file.
    Robots(Robots),
    /// A record that was read and is not a page.
    Skipped(Skipped),
    /// A record of the input that could not be read.
    Damage(Damage),
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Item {
    /// Returns the URL of the item's page or record. `None` for a site file, and for a record
    /// without a known URL.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Document(document) | Self::Unchanged(document) => Some(document.url()),
            Self::Skipped(skipped) => skipped.url(),
            Self::Damage(damage) => damage.url(),
            Self::Robots(_) => None,
        }
    }

    /// Returns the location of the item in the input. `None` for a site file, and for a record that
    /// was not read from an input.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::json_line;
    ///
    /// let line = br#"{"url": "https://example.com/", "html": "<p>Rye"}"#;
    /// let items = json_line(line, ("crawl.jsonl", 7), None, &Limits::default());
    /// assert_eq!(items[0].origin().unwrap().to_string(), "crawl.jsonl line 7");
    /// ```
    pub fn origin(&self) -> Option<&InputPlace> {
        match self {
            Self::Document(document) | Self::Unchanged(document) => Some(document.origin()),
            Self::Skipped(skipped) => skipped.origin(),
            Self::Damage(damage) => Some(damage.origin()),
            Self::Robots(_) => None,
        }
    }

    /// Removes the item's fetch date if the date is more than a day after `now`. Such a date is
    /// wrong, because clocks differ by less than a day. The fetch date of the item is then unknown.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let line = br#"{"url": "https://example.com/", "html": "<p>Rye",
    ///     "date": "2026-01-01T00:00:00Z"}"#;
    /// let mut item = json_line(line, ("crawl", 1), None, &Limits::default()).remove(0);
    /// item.forget_future_date(SystemTime::UNIX_EPOCH);
    ///
    /// let Item::Document(page) = item else { panic!() };
    /// assert_eq!(page.captured(), None);
    /// ```
    pub fn forget_future_date(&mut self, now: SystemTime) {
        let Some(latest) = now.checked_add(DAY) else {
            return;
        };
        let captured = match self {
            Self::Document(document) | Self::Unchanged(document) => &mut document.captured,
            Self::Skipped(skipped) => &mut skipped.captured,
            Self::Damage(damage) => &mut damage.captured,
            Self::Robots(_) => return,
        };
        *captured = captured.filter(|captured| *captured <= latest);
    }
}

/// A record of an input that is not a page, with the reason why it is not.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, Skip, json_line};
///
/// let line = br#"{"url": "https://example.com/", "html": "gone", "status": 404}"#;
/// let items = json_line(line, ("crawl", 1), None, &Limits::default());
/// let [Item::Skipped(record)] = &items[..] else { panic!() };
///
/// assert_eq!(record.why(), Skip::Status(404));
/// assert_eq!(record.url(), Some("https://example.com/"));
/// ```
#[derive(Clone, Debug)]
pub struct Skipped {
    pub(super) why: Skip,
    pub(super) url: Option<String>,
    pub(super) captured: Option<SystemTime>,
    pub(super) origin: Option<InputPlace>,
    pub(super) record: Option<String>,
    pub(super) refers_to: Option<String>,
    pub(super) head: Option<Arc<FetchedPage>>,
}

impl Skipped {
    /// Creates the `Skipped` item of a site file, for callers that count every record.
    #[doc(hidden)]
    pub fn of_robots(robots: &Robots) -> Self {
        let url = format!("{}{}", robots.authority(), robots.file().path());
        Self::new(Skip::Type, Some(url), None, None)
    }

    pub(super) fn new(
        why: Skip,
        url: Option<String>,
        captured: Option<SystemTime>,
        origin: Option<InputPlace>,
    ) -> Self {
        Self {
            why,
            url,
            captured,
            origin,
            record: None,
            refers_to: None,
            head: None,
        }
    }

    /// Returns the response headers and META elements of a page whose body is not in the input. The
    /// result is a page whose HTML has only these META elements. `None` unless the record is from a
    /// WAT archive ([`Skip::Wat`]). Denials in the headers and META elements are valid, but the
    /// rest of the page may deny more. [`Inputs::heads`](super::Inputs::heads) has an example.
    pub fn head(&self) -> Option<&FetchedPage> {
        self.head.as_deref()
    }

    /// Returns the location of the record in the input. `None` if the record was not read from an
    /// input.
    pub fn origin(&self) -> Option<&InputPlace> {
        self.origin.as_ref()
    }

    /// Returns the identifier of the record in an archive (`WARC-Record-ID`), if the record has
    /// one.
    pub fn record(&self) -> Option<&str> {
        self.record.as_deref()
    }

    /// Returns the identifier of the record from which this one was derived (`WARC-Refers-To`).
    /// `None` if this record names no other record. A record with the extracted text of a page
    /// refers to the record of the page.
    ///
    /// ```
    /// use heedful_input::{Inputs, Item};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("crawl.warc.wet");
    /// let record = "WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Refers-To: <urn:uuid:1>\r\n\
    ///     Content-Length: 3\r\n\r\nRye\r\n\r\n";
    /// std::fs::write(&path, record)?;
    /// let input = &Inputs::default().each_record().open(&[path])?[0];
    /// let (Item::Skipped(text), _) = input.items()?.next().unwrap() else { panic!() };
    ///
    /// assert_eq!(text.refers_to(), Some("<urn:uuid:1>"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refers_to(&self) -> Option<&str> {
        self.refers_to.as_deref()
    }

    /// Returns the reason why the record is not a page.
    pub fn why(&self) -> Skip {
        self.why
    }

    /// Returns the URL of the record. `None` if the record has no URL.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns the time of the record's fetch, if the input has a date that can be parsed.
    pub fn captured(&self) -> Option<SystemTime> {
        self.captured
    }
}

/// Reason why a record of an input is not a page.
///
/// ```
/// use heedful_input::Skip;
///
/// let is_gone = |why: Skip| match why {
///     Skip::Status(404 | 410) => true,
///     Skip::Status(_) | Skip::Type | Skip::Hidden | Skip::Unchanged => false,
///     Skip::Wat | Skip::Other => false,
/// };
/// assert!(is_gone(Skip::Status(410)));
/// assert!(!is_gone(Skip::Type));
/// assert_eq!(Skip::Status(410).to_string(), "status 410");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// The record's HTTP response has this status code, so it is not a page.
    Status(u16),
    /// The content of the record is not HTML.
    Type,
    /// The record is a hidden file in a folder that mirrors a site. A file or folder is hidden if
    /// its name begins with a dot, or is `node_modules`. The name `.well-known` is an exception.
    /// All files in a hidden folder are hidden too. Servers do not publish hidden files.
    Hidden,
    /// The record only says that a page has not changed. It contains neither headers nor body of
    /// the page.
    Unchanged,
    /// The record is from a WAT archive, which has metadata about HTTP responses. The record does
    /// not contain the whole page, so it is unknown what the page allows. Such records become items
    /// only with [`Inputs::each_record`](super::Inputs::each_record) or
    /// [`Inputs::heads`](super::Inputs::heads).
    Wat,
    /// The record has a type that never contains a page. Such types are requests, metadata,
    /// extracted texts and site files. Such records become items only with
    /// [`Inputs::each_record`](super::Inputs::each_record).
    Other,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            Self::Type => f.write_str("not HTML"),
            Self::Hidden => f.write_str("hidden"),
            Self::Unchanged => f.write_str("unchanged since an earlier fetch"),
            Self::Wat => f.write_str(
                "a WAT record, which has only a part of what its page says: read the WARC, with the WAT as `--beside`",
            ),
            Self::Other => f.write_str("another record"),
        }
    }
}

/// A record of an input that could not be read, with its location and the error.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, json_line};
///
/// let items = json_line(b"<p>Rye", ("crawl", 7), None, &Limits::default());
/// let [Item::Damage(damage)] = &items[..] else { panic!() };
///
/// assert!(damage.to_string().starts_with("crawl line 7: no page as a JSON object"));
/// assert_eq!((damage.url(), damage.unread()), (None, 0));
/// ```
#[derive(Debug)]
pub struct Damage {
    pub(super) origin: InputPlace,
    pub(super) error: Error,
    pub(super) url: Option<String>,
    pub(super) captured: Option<SystemTime>,
    /// Number of bytes after the damage that are not read, up to the end of the file. 0 if reading
    /// continued after the damage. `u64::MAX` if the number is unknown.
    pub(super) unread: u64,
    /// True if the record is valid, but contains no page. The record is damage only for this
    /// reason.
    pub(super) without_page: bool,
}

impl Damage {
    pub(super) fn new(origin: InputPlace, message: impl Into<String>) -> Self {
        Self::from_error(origin, ErrorKind::Input(message.into()).into())
    }

    pub(super) fn from_error(origin: InputPlace, error: Error) -> Self {
        Self {
            origin,
            error,
            url: None,
            captured: None,
            unread: 0,
            without_page: false,
        }
    }

    pub(super) fn for_page(self, url: Option<String>, captured: Option<SystemTime>) -> Self {
        Self {
            url,
            captured,
            ..self
        }
    }

    /// Returns the location of the damaged record in the input.
    pub fn origin(&self) -> &InputPlace {
        &self.origin
    }

    /// Returns the error, without the location of the record.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// Converts the damage into an error whose message begins with the location of the record.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let items = json_line(b"no JSON", ("crawl", 7), None, &Limits::default());
    /// let Some(Item::Damage(damage)) = items.into_iter().next() else { panic!() };
    ///
    /// assert!(damage.into_error().to_string().starts_with("crawl line 7: "));
    /// ```
    pub fn into_error(self) -> Error {
        ErrorKind::At {
            place: self.origin.to_string(),
            error: self.error,
        }
        .into()
    }

    /// Returns the number of bytes after the damage that are not read, up to the end of the file.
    /// Returns 0 if reading continued after the damage. Returns `u64::MAX` if the number is
    /// unknown.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// True if the record itself is valid but contains no page: a line or row that has only a URL,
    /// for example.
    ///
    /// ```
    /// use heedful_base::limits::Limits;
    /// use heedful_input::{Item, json_line};
    ///
    /// let line = br#"{"url": "https://example.com/"}"#;
    /// let items = json_line(line, ("crawl", 1), None, &Limits::default());
    /// let [Item::Damage(damage)] = &items[..] else { panic!() };
    ///
    /// assert!(damage.is_without_page());
    /// assert_eq!(damage.url(), Some("https://example.com/"));
    /// ```
    pub fn is_without_page(&self) -> bool {
        self.without_page
    }

    /// Returns the URL of the damaged record. `None` if the URL could not be read.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns the time of the damaged record's fetch. `None` if the time could not be read.
    pub fn captured(&self) -> Option<SystemTime> {
        self.captured
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.error)?;
        match self.unread {
            0 => Ok(()),
            u64::MAX if self.origin.at.is_none() => Ok(()),
            u64::MAX => f.write_str("; the rest of the file is not read"),
            1 => f.write_str("; 1 byte after it is not read"),
            bytes => write!(f, "; {bytes} bytes after it are not read"),
        }
    }
}

/// A position between two records of an input, at which a later run can resume reading. It can be
/// serialized.
///
/// ```
/// use heedful_input::{Inputs, Item, Position};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("pages.jsonl");
/// std::fs::write(&path, "{\"html\": \"<p>Rye\"}\n{\"html\": \"<p>Oat\"}\n")?;
/// let input = &Inputs::default().open(&[path])?[0];
/// let (_, position) = input.items()?.next().unwrap();
///
/// // A later run reads the position from a file and resumes there.
/// let saved = serde_json::to_string(&position)?;
/// let position: Position = serde_json::from_str(&saved)?;
/// let (item, _) = input.items_from(&position)?.next().unwrap();
/// assert!(matches!(item, Item::Document(page) if page.bytes() == b"<p>Oat"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// Offset of a packed member (gzip member or zstd frame) in the stored file. This member
    /// contains the position. 0 for a file that is not packed.
    pub(super) member: u64,
    /// Number of unpacked bytes from the beginning of the packed member (gzip or zstd), or of a
    /// plain file, to the position.
    pub(super) inner: u64,
    /// Number of lines or array objects (JSON Lines) or rows (tables) before the position.
    pub(super) number: u64,
    /// For JSON Lines: true if the input is one JSON array of objects. `None` for other formats,
    /// and before the first line is read.
    pub(super) is_array: Option<bool>,
    /// For a folder: path of the last file before the position, relative to the folder.
    pub(super) path: Option<String>,
}

/// Pairs each item of one record with a position at which reading can resume. The last item gets
/// `behind`, the position after the record. All other items get `before`, the position before the
/// record. A run that resumes at `before` reads the record again, and so loses no item.
pub(super) fn placed(
    items: Vec<Item>,
    before: Position,
    behind: Position,
) -> impl Iterator<Item = (Item, Position)> {
    let mut left = items.len();
    items.into_iter().map(move |item| {
        left -= 1;
        (
            item,
            if left == 0 {
                behind.clone()
            } else {
                before.clone()
            },
        )
    })
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, &self.path) {
            (_, Some(path)) => write!(f, "after {path}"),
            (0, None) if self.member == 0 => write!(f, "at byte {}", self.inner),
            (0, None) if self.inner == 0 => write!(f, "at byte {}", self.member),
            (0, None) => write!(
                f,
                "at byte {} (and {} after it, unpacked)",
                self.member, self.inner
            ),
            (number, None) => write!(f, "after line {number}"),
        }
    }
}
