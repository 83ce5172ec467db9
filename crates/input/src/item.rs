//! The items of an input: pages, robots.txt files, records that are no pages, and damage, each with
//! its place.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use url::Url;

use heedful_base::error::{Error, ErrorKind};
use heedful_robots::RobotsTxt;

use super::robots::Robots;

/// The items of an input, in order, each with the position after it.
pub type Items = Box<dyn Iterator<Item = (Item, Position)> + Send>;

/// A page to be filtered.
#[derive(Debug)]
pub struct FetchedPage {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) robots: Option<RobotsTxt>,
    pub(super) captured: Option<SystemTime>,
    /// The date of the fetch as it was given, if it cannot be read.
    pub(super) undated: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) record: Option<String>,
    pub(super) is_cut: bool,
    pub(super) folder: Option<InFolder>,
    pub(super) origin: InputPlace,
}

/// The place of a page in a folder that is a site.
#[derive(Debug)]
pub(super) struct InFolder {
    /// The URL of the folder.
    pub(super) site: Url,
    /// The URL of the page's file, if it differs from the page's.
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

    /// The URL of the page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The date of the fetch as it was given, if it cannot be read. Then there is none.
    pub fn undated(&self) -> Option<&str> {
        self.undated.as_deref()
    }

    /// The response's headers.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.body {
            Body::Bytes(bytes) => bytes,
            Body::Text(text) => text.as_bytes(),
        }
    }

    /// True if the bytes are UTF-8 because they were decoded before.
    pub fn is_decoded(&self) -> bool {
        matches!(self.body, Body::Text(_))
    }

    /// A robots.txt that came with the page and is for it alone.
    pub fn robots(&self) -> Option<&RobotsTxt> {
        self.robots.as_ref()
    }

    /// When it was fetched, if that is known.
    pub fn captured(&self) -> Option<SystemTime> {
        self.captured
    }

    /// The status of the response, if that is known.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The identifier of its record in an archive, where it has one.
    pub fn record(&self) -> Option<&str> {
        self.record.as_deref()
    }

    /// True if it is known that the end is missing.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The URL prefix of the site that a folder stands for. `None` for a page that is not from a
    /// folder.
    pub fn site(&self) -> Option<&Url> {
        self.folder.as_ref().map(|folder| &folder.site)
    }

    /// The URL of its file, if the page is at another one: that of its folder.
    pub fn file_url(&self) -> Option<&Url> {
        self.folder.as_ref()?.file.as_ref()
    }

    /// The place of the page in the input.
    pub fn origin(&self) -> &InputPlace {
        &self.origin
    }
}

/// The bytes of a page, or text that was decoded before.
#[derive(Debug)]
pub(super) enum Body {
    Bytes(Vec<u8>),
    Text(String),
}

/// The place of an item in an input.
#[derive(Clone, Debug)]
pub struct InputPlace {
    pub(super) file: Arc<str>,
    pub(super) at: Option<ItemPlace>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ItemPlace {
    Offset(u64),
    /// A line, or a row of a table.
    Number(&'static str, u64),
}

impl InputPlace {
    /// The file, if it holds nothing else.
    pub fn file(&self) -> Option<&str> {
        self.at.is_none().then_some(&*self.file)
    }

    /// The name of the input, and the place in it: its unit (`byte`, `line`, `object`, `row`) and
    /// number. A file that holds nothing else has no place.
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

/// An item of an input.
#[derive(Debug)]
pub enum Item {
    /// A page that was read.
    Document(FetchedPage),
    /// The headers of a page that is unchanged since an earlier fetch. Its bytes are not here.
    Unchanged(FetchedPage),
    /// A site's answer to the question for its robots.txt.
    Robots(Robots),
    /// A record that is no page.
    Skipped(Skipped),
    /// A record that could not be read.
    Damage(Damage),
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Item {
    /// The URL of a page, or of a record that is none. None for a site's file, and where it is not
    /// known.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Document(document) | Self::Unchanged(document) => Some(document.url()),
            Self::Skipped(skipped) => skipped.url(),
            Self::Damage(damage) => damage.url(),
            Self::Robots(_) => None,
        }
    }

    /// Forgets a date that is more than a day later than now: clocks differ by less. It is wrong,
    /// and the item counts as undated.
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

/// A record that is no page.
#[derive(Clone, Debug)]
pub struct Skipped {
    pub(super) why: Skip,
    pub(super) url: Option<String>,
    pub(super) captured: Option<SystemTime>,
    pub(super) origin: Option<InputPlace>,
    pub(super) record: Option<String>,
    pub(super) refers_to: Option<String>,
}

impl Skipped {
    /// A site's file as a record that is no page.
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
        }
    }

    /// Its place in the input, if it comes from one.
    pub fn origin(&self) -> Option<&InputPlace> {
        self.origin.as_ref()
    }

    /// The identifier of its record in an archive, where it has one.
    pub fn record(&self) -> Option<&str> {
        self.record.as_deref()
    }

    /// The identifier of the record that it was made from (`WARC-Refers-To`), where it names one:
    /// of a page's text, the page.
    pub fn refers_to(&self) -> Option<&str> {
        self.refers_to.as_deref()
    }

    /// The reason why it is no page.
    pub fn why(&self) -> Skip {
        self.why
    }

    /// Its URL, where it has one.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// When it was fetched, if that is known.
    pub fn captured(&self) -> Option<SystemTime> {
        self.captured
    }
}

/// The reason why a record is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// Its status is this one, not 2xx.
    Status(u16),
    /// It is not HTML.
    Type,
    /// It is in a folder, and no server would publish it: its name begins with a dot, or is for
    /// programs.
    Hidden,
    /// It is a note that the page is unchanged, without the page.
    Unchanged,
    /// It is of a kind that is never a page: a request, metadata, a text, a file of the site. Such
    /// records are handed over only if each is asked for: see
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
            Self::Other => f.write_str("another record"),
        }
    }
}

/// A record that could not be read.
#[derive(Debug)]
pub struct Damage {
    pub(super) origin: InputPlace,
    pub(super) error: Error,
    pub(super) url: Option<String>,
    pub(super) captured: Option<SystemTime>,
    /// The bytes of the file behind it that are not read, if any.
    pub(super) unread: u64,
    /// True if the record was read, and only has no page in it.
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

    /// Its place in the input.
    pub fn origin(&self) -> &InputPlace {
        &self.origin
    }

    /// The error.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// The message, with its place.
    pub fn into_error(self) -> Error {
        ErrorKind::At {
            place: self.origin.to_string(),
            error: self.error,
        }
        .into()
    }

    /// The bytes of the file behind it that are not read, if it was given up here. It is 0 if
    /// reading went on, and `u64::MAX` if that is unknown.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// True if the record itself is whole: a line or row that has a URL, for example, but no page.
    pub fn is_without_page(&self) -> bool {
        self.without_page
    }

    /// The URL of the record, if it could be read.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// When it was fetched, if that could be read.
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
            u64::MAX => f.write_str("; what is behind it is not read"),
            1 => f.write_str("; 1 byte behind it is not read"),
            bytes => write!(f, "; {bytes} bytes behind it are not read"),
        }
    }
}

/// A place between two records of an input, to read on from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// The byte of the file at which a packed member begins.
    pub(super) member: u64,
    /// The unpacked bytes after that.
    pub(super) inner: u64,
    /// The number of lines (JSON Lines) or rows (tables) of the input before this position.
    pub(super) number: u64,
    /// True if the lines are objects of an array, once that is known.
    pub(super) is_array: Option<bool>,
    /// The last file before it, in a folder.
    pub(super) path: Option<String>,
}

/// Gives the items of a record their positions. The last one alone has the position after the
/// record: reading on from another one begins before it, and loses none.
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
                "at byte {} (and {} behind it, unpacked)",
                self.member, self.inner
            ),
            (number, None) => write!(f, "after line {number}"),
        }
    }
}
