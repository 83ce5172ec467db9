//! Documents from folders, WARC files, JSON Lines and single pages, one at a time, and the robots.txt files among them.
//!
//! What kind of input a file is, its content says. Damage costs the record it strikes: it is reported with its place,
//! and reading goes on behind it. What this module never does: judge a page.

mod folder;
mod http;
mod jsonl;
mod source;
mod warc;

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use url::Url;

use crate::error::{Error, ErrorKind, Result};
use crate::robots_txt::RobotsTxt;

/// The most bytes of a page, or of a line with one, that are read at all. A pass has limits of its own.
const LARGEST_PAGE: u64 = 256 << 20;

/// A page to be filtered.
#[derive(Debug)]
pub struct Document {
    url: String,
    headers: Vec<(String, String)>,
    body: Body,
    robots: Option<RobotsTxt>,
    origin: Origin,
}

impl Document {
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
    file: String,
    at: Option<At>,
}

#[derive(Clone, Copy, Debug)]
enum At {
    Offset(u64),
    Line(u64),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            None => f.write_str(&self.file),
            Some(At::Offset(offset)) => write!(f, "{} at byte {offset}", self.file),
            Some(At::Line(line)) => write!(f, "{} line {line}", self.file),
        }
    }
}

/// What an input gives.
#[derive(Debug)]
pub enum Item {
    /// A page.
    Document(Document),
    /// A record that is no page: why, and its URL where it has one.
    Skipped(Skip, Option<String>),
    /// A record that could not be read.
    Damage(Damage),
}

/// Why a record is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// Its status is this one, not 2xx.
    Status(u16),
    /// It is not HTML.
    Type,
}

/// A record that could not be read.
#[derive(Debug)]
pub struct Damage {
    origin: Origin,
    error: Error,
    url: Option<String>,
}

impl Damage {
    /// The URL of the record, where that could be read.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
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
    /// One JSON object a line.
    Jsonl,
}

/// An input, looked at and ready to be read, once for its robots.txt files and once for its pages.
#[derive(Debug)]
pub struct Input {
    path: Option<PathBuf>,
    name: String,
    kind: Kind,
    /// Where a folder stands on the web, or the URL of a single page.
    url: Option<Url>,
    stdin: Option<Stdin>,
    size: u64,
    /// Bytes of its files that were read for their pages.
    read: Arc<AtomicU64>,
}

/// Standard input.
enum Stdin {
    /// JSON Lines are answered as they come.
    Stream(Mutex<Option<Box<dyn BufRead + Send>>>),
    /// Anything else is kept in a file, so that it can be read twice.
    Spool(File),
}

impl fmt::Debug for Stdin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if matches!(self, Self::Stream(_)) { "Stream" } else { "Spool" })
    }
}

impl Input {
    /// Looks at a file, a folder, or standard input (`-`). `kind` overrules the content; `url` says where a folder
    /// stands on the web, or what page a single file is.
    ///
    /// # Errors
    /// When it cannot be read, or is none of the kinds.
    pub fn open(path: &Path, kind: Option<Kind>, url: Option<&Url>) -> Result<Self> {
        let is_stdin = path == Path::new("-");
        let name = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        let mut input =
            Self { path: None, name, kind: Kind::Html, url: url.cloned(), stdin: None, size: 0, read: Arc::default() };
        if is_stdin {
            let stdin = input.io(Stdin::open(kind))?;
            if matches!(stdin, Stdin::Stream(_)) {
                return Ok(Self { kind: Kind::Jsonl, stdin: Some(stdin), ..input });
            }
            input.stdin = Some(stdin);
        } else {
            input.path = Some(path.to_owned());
        }
        if path.is_dir() {
            input.kind = Kind::Folder;
            input.size = folder::check(path, url)?;
            return Ok(input);
        }
        let file = input.file()?;
        input.size = input.io(file.metadata())?.len();
        input.kind = match kind {
            Some(kind) => kind,
            None => input.io(sniff(file))?.ok_or_else(|| input.unknown())?,
        };
        Ok(input)
    }

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

    /// Whether its pages can be read more than once.
    pub fn can_be_read_again(&self) -> bool {
        !matches!(self.stdin, Some(Stdin::Stream(_)))
    }

    /// Begins anew to count what was read.
    pub fn forget_read(&self) {
        self.read.store(0, Ordering::Relaxed);
    }

    /// The robots.txt files in it: the authority each is for, and what it was; and the damage met on the way.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn robots(&self) -> Result<Vec<Robots>> {
        match self.kind {
            Kind::Warc => warc::robots(Watched::new(self.file()?, Arc::default()), &self.name),
            Kind::Folder => folder::robots(self.path.as_deref(), self.url.as_ref()),
            Kind::Html | Kind::Jsonl => Ok(Vec::new()),
        }
    }

    /// Its pages, in order.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub fn items(&self) -> Result<Box<dyn Iterator<Item = Item> + Send>> {
        Ok(match self.kind {
            Kind::Warc => Box::new(warc::items(self.watched()?, &self.name)?),
            Kind::Folder => Box::new(folder::items(self.path.as_deref(), self.url.as_ref(), self.read.clone())?),
            Kind::Jsonl => Box::new(jsonl::items(self.lines()?, &self.name, self.own_url())),
            Kind::Html => Box::new(std::iter::once(self.single()?)),
        })
    }

    fn single(&self) -> Result<Item> {
        let mut bytes = Vec::new();
        self.io(self.io(plain(self.watched()?))?.take(LARGEST_PAGE + 1).read_to_end(&mut bytes))?;
        if bytes.len() as u64 > LARGEST_PAGE {
            return Err(ErrorKind::Input(format!("{} is larger than {LARGEST_PAGE} bytes", self.name)).into());
        }
        let url = self.own_url();
        let origin = Origin { file: self.name.clone(), at: None };
        Ok(Item::Document(Document { url, headers: Vec::new(), body: Body::Bytes(bytes), robots: None, origin }))
    }

    /// The URL of what has none of its own.
    fn own_url(&self) -> String {
        match (&self.url, &self.path) {
            (Some(url), _) => url.to_string(),
            (None, Some(path)) => file_url(path),
            (None, None) => "file:///stdin".to_owned(),
        }
    }

    fn lines(&self) -> Result<Box<dyn BufRead + Send>> {
        if let Some(Stdin::Stream(stream)) = &self.stdin
            && let Some(stream) = stream.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            return Ok(stream);
        }
        self.io(plain(self.watched()?))
    }

    fn watched(&self) -> Result<Watched> {
        Ok(Watched::new(self.file()?, self.read.clone()))
    }

    fn file(&self) -> Result<File> {
        match (&self.stdin, &self.path) {
            (Some(Stdin::Spool(spool)), _) => {
                let mut file = self.io(spool.try_clone())?;
                self.io(file.rewind())?;
                Ok(file)
            }
            (_, Some(path)) => self.io(File::open(path)),
            _ => Err(self.unknown()),
        }
    }

    fn io<T>(&self, outcome: std::io::Result<T>) -> Result<T> {
        outcome.map_err(|source| ErrorKind::Io { what: self.name.clone(), source }.into())
    }

    fn unknown(&self) -> Error {
        let message =
            format!("{} is no HTML, WARC or JSON Lines that can be recognised: say which with --input", self.name);
        ErrorKind::Input(message).into()
    }
}

/// A robots.txt found in an input.
#[derive(Debug)]
pub struct Robots {
    authority: String,
    answer: Answer,
}

impl Robots {
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
#[derive(Debug)]
pub enum Answer {
    /// The file, or what its status means.
    Rules(RobotsTxt),
    /// It is elsewhere.
    Redirect(String),
}

/// Scheme, host and port: what one robots.txt is for.
pub fn authority(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn file_url(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Url::from_file_path(absolute).map_or_else(|()| "file:///".to_owned(), String::from)
}

impl Stdin {
    fn open(kind: Option<Kind>) -> std::io::Result<Self> {
        let mut reader = BufReader::new(std::io::stdin());
        let first = reader.fill_buf()?.trim_ascii_start().first().copied();
        if kind == Some(Kind::Jsonl) || kind.is_none() && first == Some(b'{') {
            return Ok(Self::Stream(Mutex::new(Some(Box::new(reader)))));
        }
        let mut file = tempfile::tempfile()?;
        std::io::copy(&mut reader, &mut file)?;
        file.rewind()?;
        Ok(Self::Spool(file))
    }
}

/// A file that counts what is read of it.
#[derive(Debug)]
struct Watched {
    file: File,
    read: Arc<AtomicU64>,
}

impl Watched {
    fn new(file: File, read: Arc<AtomicU64>) -> Self {
        Self { file, read }
    }

    fn size(&self) -> std::io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl Seek for Watched {
    fn seek(&mut self, position: std::io::SeekFrom) -> std::io::Result<u64> {
        self.file.seek(position)
    }
}

/// The file's bytes, unpacked if they are gzip.
fn plain(file: impl Read + Send + 'static) -> std::io::Result<Box<dyn BufRead + Send>> {
    let mut reader = BufReader::new(file);
    let gzip = reader.fill_buf()?.starts_with(&[0x1F, 0x8B]);
    Ok(if gzip { Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader))) } else { Box::new(reader) })
}

/// What a file's first bytes say it is.
fn sniff(file: File) -> std::io::Result<Option<Kind>> {
    let mut start = Vec::new();
    // Damage so near the start is met again when the pages are read, and told then.
    if let Err(error) = plain(file)?.take(1024).read_to_end(&mut start)
        && start.is_empty()
    {
        return Err(error);
    }
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start);
    let text = text.trim_ascii_start();
    let utf16 = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
    Ok(if text.starts_with(b"WARC/") {
        Some(Kind::Warc)
    } else if text.starts_with(b"{") {
        Some(Kind::Jsonl)
    } else if text.starts_with(b"filedesc:") || memchr::memchr(0, &start).is_some() && !utf16 {
        None
    } else {
        Some(Kind::Html)
    })
}
