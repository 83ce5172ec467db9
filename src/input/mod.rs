//! Documents from folders, web archives, JSON Lines, Parquet and single pages, one at a time, and the robots.txt files among
//! them.
//!
//! What kind of input a file is, its content says (`open`). Damage costs the record it strikes: it is reported with its
//! place, and reading goes on behind it. Memory does not grow with the input. What this module never does: judge a page.

mod arc;
mod folder;
mod http;
mod jsonl;
mod manifest;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod raw;
mod records;
mod source;
mod wacz;
mod warc;
mod zstd;

use std::fmt;
use std::fs::File;
use std::io::Seek;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::{Error, ErrorKind, Result};
use crate::robots_txt::RobotsTxt;

pub use open::Inputs;

use raw::{Pipe, Raw};
use source::Source;

/// The most bytes of a page, or of a line with one, that are read at all. A pass has limits of its own.
const LARGEST_PAGE: u64 = 256 << 20;

/// A page to be filtered.
#[derive(Debug)]
pub struct Document {
    url: String,
    headers: Vec<(String, String)>,
    body: Body,
    robots: Option<RobotsTxt>,
    captured: Option<SystemTime>,
    record: Option<String>,
    is_cut: bool,
    origin: Origin,
}

impl Document {
    fn new(url: String, headers: Vec<(String, String)>, body: Body, origin: Origin) -> Self {
        Self { url, headers, body, robots: None, captured: None, record: None, is_cut: false, origin }
    }

    /// Its URL.
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

    /// When it was fetched, where that is known.
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

    /// Where it stands in the input.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
}

/// The bytes of a page, or text that was decoded before.
#[derive(Debug)]
enum Body {
    Bytes(Vec<u8>),
    Text(String),
}

/// Where in an input something stands.
#[derive(Clone, Debug)]
pub struct Origin {
    file: Arc<str>,
    at: Option<At>,
}

#[derive(Clone, Copy, Debug)]
enum At {
    Offset(u64),
    /// A line, or a row of a table.
    Number(&'static str, u64),
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
pub enum Item {
    /// A page.
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

/// A record that is no page.
#[derive(Clone, Debug)]
pub struct Skipped {
    why: Skip,
    url: Option<String>,
    captured: Option<SystemTime>,
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

    /// When it was fetched, where that is known.
    pub fn captured(&self) -> Option<SystemTime> {
        self.captured
    }
}

/// Why a record is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// Its status is this one, not 2xx.
    Status(u16),
    /// It is not HTML.
    Type,
    /// It says that the page is as it was, and nothing else.
    Unchanged,
}

/// A record that could not be read.
#[derive(Debug)]
pub struct Damage {
    origin: Origin,
    error: Error,
    url: Option<String>,
    captured: Option<SystemTime>,
}

impl Damage {
    fn new(origin: Origin, message: impl Into<String>) -> Self {
        Self { origin, error: ErrorKind::Input(message.into()).into(), url: None, captured: None }
    }

    fn of(self, url: Option<String>, captured: Option<SystemTime>) -> Self {
        Self { url, captured, ..self }
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
        write!(f, "{}: {}", self.origin, self.error)
    }
}

/// What kind of input a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A folder that is a site.
    Folder,
    /// One page.
    Html,
    /// Web archive records.
    Warc,
    /// Records of the Internet Archive's older format.
    Arc,
    /// One JSON object a line.
    Jsonl,
    /// A table.
    Parquet,
    /// Names of other inputs, one a line.
    Manifest,
}

/// A place between two records of an input, to read on from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Position {
    /// Where a packed member begins in the file.
    member: u64,
    /// Unpacked bytes behind that.
    inner: u64,
    /// Lines, or rows, before it.
    number: u64,
    /// The last file before it, in a folder.
    path: Option<String>,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.number, &self.path) {
            (_, Some(path)) => write!(f, "after {path}"),
            (0, None) if self.member == 0 => write!(f, "at byte {}", self.inner),
            (0, None) if self.inner == 0 => write!(f, "at byte {}", self.member),
            (0, None) => write!(f, "at unpacked byte {} of the member at byte {}", self.inner, self.member),
            (number, None) => write!(f, "after line {number}"),
        }
    }
}

/// What an input holds, in order: each with the position behind it.
pub type Items = Box<dyn Iterator<Item = (Item, Position)> + Send>;

/// An input, looked at and ready to be read.
#[derive(Debug)]
pub struct Input {
    name: Arc<str>,
    kind: Kind,
    /// Where a folder stands on the web, or the URL of a single page.
    url: Option<Url>,
    from: From,
    size: u64,
    /// Bytes of its files that were read for their pages.
    read: Arc<AtomicU64>,
}

enum From {
    Path(PathBuf),
    Part(PathBuf, Range<u64>),
    /// What came from a pipe, kept so that it can be read twice.
    Spool(File),
    /// What comes from a pipe.
    Pipe(Mutex<Option<Pipe>>),
    /// It was named by a manifest, and this is what is wrong with it.
    Missing(String),
}

impl fmt::Debug for From {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "Path({})", path.display()),
            Self::Part(path, range) => write!(f, "Part({}, {range:?})", path.display()),
            Self::Spool(_) => f.write_str("Spool"),
            Self::Pipe(_) => f.write_str("Pipe"),
            Self::Missing(why) => write!(f, "Missing({why})"),
        }
    }
}

impl Input {
    /// Its name for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What kind it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Bytes of its files; 0 for standard input.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many of them were read so far for the pages in them.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Whether it comes from a pipe and can be read only once. Its robots.txt files are heard as they come.
    pub fn is_stream(&self) -> bool {
        matches!(self.from, From::Pipe(_))
    }

    /// The robots.txt files in it: the authority each is for, and what it was. Nothing of what can be read only once.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn robots(&self) -> Result<Vec<Robots>> {
        if self.is_stream() || matches!(self.from, From::Missing(_)) {
            return Ok(Vec::new());
        }
        match self.kind {
            Kind::Warc | Kind::Arc => {
                Ok(records::robots(self.source(&Position::default(), Arc::default())?, self.kind))
            }
            Kind::Folder => folder::robots(self.path(), self.url.as_ref()),
            Kind::Jsonl => Ok(jsonl::robots(self.source(&Position::default(), Arc::default())?)),
            Kind::Parquet => Ok(only_robots(self.items_counting(&Position::default(), Arc::default())?)),
            Kind::Html | Kind::Manifest => Ok(Vec::new()),
        }
    }

    /// All that is in it, in order.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn items(&self) -> Result<Items> {
        self.items_from(&Position::default())
    }

    /// What is behind a position in it.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn items_from(&self, position: &Position) -> Result<Items> {
        self.items_counting(position, self.read.clone())
    }

    /// All that is in it, looked at before it is read for its pages. Nothing of what can be read only once.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn survey(&self) -> Result<Items> {
        if self.is_stream() {
            Ok(Box::new(std::iter::empty()))
        } else {
            self.items_counting(&Position::default(), Arc::default())
        }
    }

    fn items_counting(&self, position: &Position, read: Arc<AtomicU64>) -> Result<Items> {
        if let From::Missing(why) = &self.from {
            let damage = Damage::new(Origin { file: self.name.clone(), at: None }, why.clone());
            return Ok(Box::new(std::iter::once((Item::Damage(damage), Position::default()))));
        }
        Ok(match self.kind {
            Kind::Warc | Kind::Arc => Box::new(records::items(self.source(position, read)?, self.kind, &self.name)),
            Kind::Jsonl => {
                Box::new(jsonl::items(self.source(position, read)?, &self.name, self.own_url(), position.number))
            }
            Kind::Folder => Box::new(folder::items(self.path(), self.url.as_ref(), read, position)?),
            Kind::Html if position.number > 0 => Box::new(std::iter::empty()),
            Kind::Html => Box::new(std::iter::once((self.single()?, Position { number: 1, ..Position::default() }))),
            Kind::Parquet => self.table(position, &read)?,
            Kind::Manifest => Box::new(std::iter::empty()),
        })
    }

    #[cfg(feature = "parquet")]
    fn table(&self, position: &Position, read: &Arc<AtomicU64>) -> Result<Items> {
        parquet::items(self.file()?, &self.name, self.own_url(), position.number, read.clone())
    }

    #[cfg(not(feature = "parquet"))]
    fn table(&self, _: &Position, _: &Arc<AtomicU64>) -> Result<Items> {
        Err(open::without_parquet(&self.name))
    }

    fn single(&self) -> Result<Item> {
        let mut bytes = Vec::new();
        let mut source = self.source(&Position::default(), self.read.clone())?;
        self.io(source.take(LARGEST_PAGE + 1, Some(&mut bytes)))?;
        if bytes.len() as u64 > LARGEST_PAGE {
            return Err(ErrorKind::Input(format!("{} is larger than {LARGEST_PAGE} bytes", self.name)).into());
        }
        let origin = Origin { file: self.name.clone(), at: None };
        Ok(Item::Document(Document::new(self.own_url(), Vec::new(), Body::Bytes(bytes), origin)))
    }

    /// The URL of what has none of its own.
    fn own_url(&self) -> String {
        match (&self.url, self.path()) {
            (Some(url), _) => url.to_string(),
            (None, Some(path)) => file_url(path),
            (None, None) => "file:///stdin".to_owned(),
        }
    }

    fn path(&self) -> Option<&Path> {
        match &self.from {
            From::Path(path) | From::Part(path, _) => Some(path),
            _ => None,
        }
    }

    fn source(&self, position: &Position, read: Arc<AtomicU64>) -> Result<Source> {
        let raw = match &self.from {
            From::Pipe(pipe) => {
                let pipe = pipe.lock().unwrap_or_else(PoisonError::into_inner).take();
                Raw::pipe(pipe.ok_or_else(|| self.trouble("can be read only once"))?, read)
            }
            From::Part(_, part) => self.io(Raw::part(self.file()?, part.clone(), read))?,
            _ => {
                let file = self.file()?;
                let length = self.io(file.metadata())?.len();
                self.io(Raw::part(file, 0..length, read))?
            }
        };
        self.io(Source::at(raw, position))
    }

    fn file(&self) -> Result<File> {
        match &self.from {
            From::Path(path) | From::Part(path, _) => self.io(File::open(path)),
            From::Spool(spool) => {
                let mut file = self.io(spool.try_clone())?;
                self.io(file.rewind())?;
                Ok(file)
            }
            From::Pipe(_) | From::Missing(_) => Err(self.trouble("is no file")),
        }
    }

    fn io<T>(&self, outcome: std::io::Result<T>) -> Result<T> {
        outcome.map_err(|source| ErrorKind::Io { what: self.name.to_string(), source }.into())
    }

    fn trouble(&self, what: &str) -> Error {
        ErrorKind::Input(format!("{} {what}", self.name)).into()
    }
}

/// A robots.txt found in an input.
#[derive(Debug)]
pub struct Robots {
    authority: String,
    answer: Answer,
}

impl Robots {
    /// What a site answered at this URL, if that is where a robots.txt stands.
    fn at(url: &str, answer: impl FnOnce(&Url) -> Answer) -> Option<Self> {
        let url = robots_url(url)?;
        Some(Self { authority: authority(&url), answer: answer(&url) })
    }

    /// Scheme, host and port that it is for.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// What the site answered.
    pub fn into_answer(self) -> Answer {
        self.answer
    }
}

/// What a site answered when asked for its robots.txt.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The file, or what its status means.
    Rules(RobotsTxt),
    /// It is elsewhere.
    Redirect(String),
}

fn only_robots(items: Items) -> Vec<Robots> {
    let robots = |(item, _)| if let Item::Robots(robots) = item { Some(robots) } else { None };
    items.filter_map(robots).collect()
}

/// A URL at which a robots.txt stands.
fn robots_url(url: &str) -> Option<Url> {
    Url::parse(url).ok().filter(|url| url.path() == "/robots.txt" && matches!(url.scheme(), "http" | "https"))
}

/// Scheme, host and port: what one robots.txt is for.
pub fn authority(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn file_url(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Url::from_file_path(absolute).map_or_else(|()| "file:///".to_owned(), String::from)
}
