//! What an input gives: pages, robots.txt files, records that are no pages, and damage, each with its place.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::address;
use crate::error::{Error, ErrorKind};
use crate::robots_txt::{RobotsTxt, SiteFile, Source, SourceKind};

/// What an input holds, in order: each with the position behind it.
pub type Items = Box<dyn Iterator<Item = (Item, Position)> + Send>;

/// A page to be filtered.
#[derive(Debug)]
pub struct Document {
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) robots: Option<RobotsTxt>,
    pub(super) captured: Option<SystemTime>,
    pub(super) record: Option<String>,
    pub(super) is_cut: bool,
    pub(super) folder: Option<InFolder>,
    pub(super) origin: Origin,
}

/// Of a folder that is a site.
#[derive(Debug)]
pub(super) struct InFolder {
    /// Where the folder stands on the web.
    pub(super) site: Url,
    /// The URL of the page's file, if that is not the page's.
    pub(super) file: Option<Url>,
}

impl Document {
    pub(super) fn new(url: String, headers: Vec<(String, String)>, body: Body, origin: Origin) -> Self {
        Self { url, headers, body, robots: None, captured: None, record: None, is_cut: false, folder: None, origin }
    }

    /// The URL of the page.
    pub fn url(&self) -> &str {
        &self.url
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

    /// Whether the bytes are UTF-8 because they were decoded before.
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

    /// The identifier of its record in an archive, where it has one.
    pub fn record(&self) -> Option<&str> {
        self.record.as_deref()
    }

    /// Whether it is known that the end is missing.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Where the folder stands on the web that is its site.
    pub fn site(&self) -> Option<&Url> {
        self.folder.as_ref().map(|folder| &folder.site)
    }

    /// The URL of its file, where the page is at another one: that of its folder.
    pub fn file_url(&self) -> Option<&Url> {
        self.folder.as_ref()?.file.as_ref()
    }

    /// Where it stands in the input.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
}

/// The bytes of a page, or text that was decoded before.
#[derive(Debug)]
pub(super) enum Body {
    Bytes(Vec<u8>),
    Text(String),
}

/// Where in an input something stands.
#[derive(Clone, Debug)]
pub struct Origin {
    pub(super) file: Arc<str>,
    pub(super) at: Option<At>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Offset(u64),
    /// A line, or a row of a table.
    Number(&'static str, u64),
}

impl Origin {
    /// The file, where nothing else stands in it.
    pub fn file(&self) -> Option<&str> {
        self.at.is_none().then_some(&*self.file)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            None => f.write_str(&self.file),
            Some(At::Offset(offset)) => write!(f, "{} at byte {offset}", self.file),
            Some(At::Number(what, number)) => write!(f, "{} {what} {number}", self.file),
        }
    }
}

/// What an input gives.
#[derive(Debug)]
#[non_exhaustive]
pub enum Item {
    /// A page that was read.
    Document(Document),
    /// The headers of a page that is as it was when it was fetched before; its bytes are not here.
    Unchanged(Document),
    /// A site's answer to the question for its robots.txt.
    Robots(Robots),
    /// A record that is no page.
    Skipped(Skipped),
    /// A record that could not be read.
    Damage(Damage),
}

impl Item {
    /// What says that it was fetched later than this is wrong about it, and counts as undated.
    pub fn forget_date_after(&mut self, time: SystemTime) {
        let captured = match self {
            Self::Document(document) | Self::Unchanged(document) => &mut document.captured,
            Self::Skipped(skipped) => &mut skipped.captured,
            Self::Damage(damage) => &mut damage.captured,
            Self::Robots(_) => return,
        };
        *captured = captured.filter(|captured| *captured <= time);
    }
}

/// A record that is no page.
#[derive(Clone, Debug)]
pub struct Skipped {
    pub(super) why: Skip,
    pub(super) url: Option<String>,
    pub(super) captured: Option<SystemTime>,
}

impl Skipped {
    /// Why it is none.
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

/// Why a record is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// Its status is this one, not 2xx.
    Status(u16),
    /// It is not HTML.
    Type,
    /// It is in a folder, and no server would publish it: what it is called begins with a dot, or it is for programs.
    Hidden,
    /// It says that the page is as it was, and nothing else.
    Unchanged,
}

/// A record that could not be read.
#[derive(Debug)]
pub struct Damage {
    pub(super) origin: Origin,
    pub(super) error: Error,
    pub(super) url: Option<String>,
    pub(super) captured: Option<SystemTime>,
    /// Bytes of the file behind it that are not read, where that is so.
    pub(super) unread: u64,
}

impl Damage {
    pub(super) fn new(origin: Origin, message: impl Into<String>) -> Self {
        Self::with(origin, ErrorKind::Input(message.into()).into())
    }

    pub(super) fn with(origin: Origin, error: Error) -> Self {
        Self { origin, error, url: None, captured: None, unread: 0 }
    }

    pub(super) fn of(self, url: Option<String>, captured: Option<SystemTime>) -> Self {
        Self { url, captured, ..self }
    }

    /// The message that says what is wrong.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// The same, with its place.
    pub fn into_error(self) -> Error {
        ErrorKind::At { place: self.origin.to_string(), error: self.error }.into()
    }

    /// Bytes of the file behind it that are not read, if it was given up here; 0 if reading went on, and `u64::MAX` where nobody knows.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// The URL of the record, where that could be read.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// When it was fetched, where that could be read.
    pub fn captured(&self) -> Option<SystemTime> {
        self.captured
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.error)?;
        match self.unread {
            0 => Ok(()),
            u64::MAX => f.write_str("; what is behind it is not read"),
            bytes => write!(f, "; {bytes} bytes behind it are not read"),
        }
    }
}

/// A place between two records of an input, to read on from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// Where a packed member begins in the file.
    pub(super) member: u64,
    /// Unpacked bytes behind that.
    pub(super) inner: u64,
    /// Lines, or rows, before it.
    pub(super) number: u64,
    /// Whether the lines are objects of an array, once that is known.
    pub(super) is_array: Option<bool>,
    /// The last file before it, in a folder.
    pub(super) path: Option<String>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, &self.path) {
            (_, Some(path)) => write!(f, "after {path}"),
            (0, None) if self.member == 0 => write!(f, "at byte {}", self.inner),
            (0, None) if self.inner == 0 => write!(f, "at byte {}", self.member),
            (0, None) => write!(f, "at byte {} (and {} behind it, unpacked)", self.member, self.inner),
            (number, None) => write!(f, "after line {number}"),
        }
    }
}

/// A robots.txt, or another file in which a site speaks of its pages, found in an input.
#[derive(Debug)]
pub struct Robots {
    authority: String,
    file: SiteFile,
    answer: Answer,
}

impl Robots {
    /// What a site answered at this URL, if that is where such a file stands.
    pub(super) fn at(url: &str, answer: impl FnOnce(&Url, SiteFile) -> Answer) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let file = SiteFile::of(&url)?;
        Some(Self::of(&url, file, answer(&url, file)))
    }

    /// What the site answers whose root this is.
    pub(super) fn of(site: &Url, file: SiteFile, answer: Answer) -> Self {
        let place = format!("{}{}", authority(site), file.path());
        let answer = match answer {
            Answer::Rules(file) => Answer::Rules(file.came_from(Source::new(SourceKind::Input, place))),
            other => other,
        };
        Self { authority: authority(site), file, answer }
    }

    /// Sets the time at which the site sent it.
    pub(super) fn fetched_at(self, time: Option<SystemTime>) -> Self {
        let answer = match self.answer {
            Answer::Rules(file) => {
                let source = file.source().cloned().map(|source| source.fetched_at(time));
                Answer::Rules(match source {
                    Some(source) => file.came_from(source),
                    None => file,
                })
            }
            other => other,
        };
        Self { answer, ..self }
    }

    /// Scheme, host and port that it is for.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The kind of file that this is.
    pub fn file(&self) -> SiteFile {
        self.file
    }

    /// The file, where it answered with one or with a status.
    #[cfg(feature = "run")]
    pub(crate) fn rules(&self) -> Option<&RobotsTxt> {
        if let Answer::Rules(rules) = &self.answer { Some(rules) } else { None }
    }

    /// What the site answered.
    pub fn into_answer(self) -> Answer {
        self.answer
    }
}

/// What a site answered when asked for such a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// The file, or what its status means.
    Rules(RobotsTxt),
    /// It is elsewhere.
    Redirect(String),
    /// One that is not at hand.
    Unknown,
}

/// Whether a file in which a site speaks of its pages stands at this URL.
pub fn is_site_file(url: &str) -> bool {
    SiteFile::at(url).is_some()
}

/// Scheme, host and port: what one robots.txt is for.
pub fn authority(url: &Url) -> String {
    address::authority(url)
}
