//! Web archives: WARC 1.0 and 1.1, plain or gzip.
//!
//! Record heads and HTTP heads are read by httparse; members, offsets and the way on after damage are ours (a
//! truncated file is told from a whole one, a length that lies costs its own record alone). `response` records with
//! HTTP, and `resource` records that are HTML, are pages; all others are passed over.

use std::io;

use url::Url;

use crate::error::{ErrorKind, Result};
use crate::robots_txt::RobotsTxt;

use super::source::{Mark, Source};
use super::{Answer, At, Body, Damage, Document, Item, Origin, Robots, Skip, Watched, authority, http};

/// A head with more bytes is damage.
const LARGEST_HEAD: usize = 64 << 10;
/// A record with more bytes is passed over.
const LARGEST_RECORD: u64 = 256 << 20;

/// The head of a record, and its content if it was wanted.
struct Record {
    mark: Mark,
    kind: String,
    target: Option<String>,
    content_type: String,
    content: Vec<u8>,
}

/// Why a record could not be read.
struct Broken {
    message: String,
    target: Option<String>,
    /// Bytes were read that may belong to the records behind it.
    overread: bool,
}

impl Broken {
    fn head(message: &str) -> Self {
        Self { message: message.to_owned(), target: None, overread: false }
    }
}

enum Found {
    Record(Record),
    /// Where, what, and the URL where it could be read.
    Damage(Mark, String, Option<String>),
}

/// Reads records one after the other.
struct Records {
    source: Source,
    /// A failure of the file itself ends it all.
    over: bool,
    /// Bytes that may still be read a second time, behind lengths that lie.
    rereads: u64,
    /// Places that look like a gzip member and may still turn out not to be one.
    members: u32,
}

/// So many broken members are passed at the most: each is looked at for up to 64 KiB.
const BROKEN_MEMBERS: u32 = 1000;

/// So much of a file is read a second time at the most: one that lies in every record is given up.
const REREADS: u64 = 256 << 20;

impl Records {
    fn new(file: Watched) -> io::Result<Self> {
        Ok(Self { source: Source::new(file)?, over: false, rereads: REREADS, members: BROKEN_MEMBERS })
    }

    /// The next record; its content is kept where `wanted` says so.
    fn next(&mut self, wanted: impl Fn(&Record) -> bool) -> Option<Found> {
        if self.over {
            return None;
        }
        let mark = match self.start() {
            Ok(Some(mark)) => mark,
            Ok(None) => return None,
            Err(error) => return Some(self.broken_member(&error)),
        };
        match self.record(mark, wanted) {
            Ok(Ok(record)) => Some(Found::Record(record)),
            Ok(Err(broken)) => Some(self.broken_record(mark, broken)),
            Err(error) => Some(self.broken_member(&error)),
        }
    }

    /// Passes the blank lines before a record.
    fn start(&mut self) -> io::Result<Option<Mark>> {
        loop {
            let bytes = self.source.fill()?;
            let blank = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(bytes.len());
            if bytes.is_empty() {
                return Ok(None);
            }
            let all_blank = blank == bytes.len();
            self.source.consume(blank);
            if !all_blank {
                return self.source.mark().map(Some);
            }
        }
    }

    fn record(
        &mut self,
        mark: Mark,
        wanted: impl Fn(&Record) -> bool,
    ) -> io::Result<std::result::Result<Record, Broken>> {
        let head = match self.head()? {
            Ok(head) => head,
            Err(message) => return Ok(Err(Broken::head(message))),
        };
        let kind = head.value("warc-type").unwrap_or_default().to_ascii_lowercase();
        // What is wrong with a request, or with what is said about a page, is not wrong with the page.
        let target = head.value("warc-target-uri").filter(|_| matches!(kind.as_str(), "response" | "resource"));
        let mut record = Record {
            mark,
            kind,
            target: target.map(|uri| uri.trim_matches(['<', '>']).to_owned()),
            content_type: head.value("content-type").unwrap_or_default().to_ascii_lowercase(),
            content: Vec::new(),
        };
        let broken = |message: String, overread: bool| Broken { message, target: record.target.clone(), overread };
        let Some(length) = head.value("content-length").and_then(|length| length.trim().parse::<u64>().ok()) else {
            return Ok(Err(broken("a record without a readable Content-Length".to_owned(), false)));
        };
        if self.source.left().is_some_and(|left| length > left) {
            return Ok(Err(broken(format!("a record that is cut off, or claims too much: {length} bytes"), false)));
        }
        let keep = wanted(&record);
        if keep && length > LARGEST_RECORD {
            self.source.take(length, None)?;
            let message = format!("a record of {length} bytes, more than the {LARGEST_RECORD} that are read");
            return Ok(Err(broken(message, false)));
        }
        let mut content = Vec::new();
        let read = self.source.take(length, keep.then_some(&mut content))?;
        if read < length {
            return Ok(Err(broken(format!("a record that is cut off: {read} bytes of {length}"), true)));
        }
        if !self.at_boundary()? {
            return Ok(Err(broken("a record whose Content-Length is wrong".to_owned(), true)));
        }
        record.content = content;
        Ok(Ok(record))
    }

    /// Whether a record may begin here, or the file may end.
    fn at_boundary(&mut self) -> io::Result<bool> {
        let bytes = self.source.fill()?;
        Ok(bytes.is_empty() || bytes.starts_with(b"\r") || bytes.starts_with(b"\n") || bytes.starts_with(b"WARC/"))
    }

    fn head(&mut self) -> io::Result<std::result::Result<Head, &'static str>> {
        let version = self.source.line(LARGEST_HEAD)?.unwrap_or_default();
        if !version.starts_with(b"WARC/") {
            return Ok(Err("what should be a record does not begin like one"));
        }
        let mut head = Head::default();
        let mut size = version.len();
        loop {
            let Some(line) = self.source.line(LARGEST_HEAD)? else {
                return Ok(Err("a record that is cut off in its head"));
            };
            size += line.len();
            if size > LARGEST_HEAD {
                return Ok(Err("a record whose head does not end"));
            }
            if line.trim_ascii().is_empty() {
                return Ok(Ok(head));
            }
            head.add(&line);
        }
    }

    /// After a bad record: looks for the next one, behind its first byte if more was read than was its own.
    fn broken_record(&mut self, mark: Mark, broken: Broken) -> Found {
        let found = if broken.overread { self.reread(mark) } else { self.seek_record() };
        if found.is_err() && !self.skip_member() {
            self.over = true;
        }
        Found::Damage(mark, broken.message, broken.target)
    }

    fn reread(&mut self, mark: Mark) -> io::Result<()> {
        let spent = self.source.since(mark);
        let Some(left) = self.rereads.checked_sub(spent) else {
            self.over = true;
            return Ok(());
        };
        self.rereads = left;
        self.source.return_to(mark, 1)?;
        self.seek_record()
    }

    /// After bytes that cannot be unpacked: looks for the next member.
    fn broken_member(&mut self, error: &io::Error) -> Found {
        let mark = self.source.member_mark();
        self.members -= 1;
        if self.members == 0 || !self.skip_member() {
            self.over = true;
        }
        Found::Damage(mark, format!("gzip data that cannot be unpacked ({error})"), None)
    }

    fn skip_member(&mut self) -> bool {
        self.source.next_member().unwrap_or(false)
    }

    /// Moves to the next line that begins like a record.
    fn seek_record(&mut self) -> io::Result<()> {
        while !self.source.fill()?.is_empty() {
            self.source.line(LARGEST_HEAD)?;
            if self.source.fill()?.starts_with(b"WARC/1.") {
                break;
            }
        }
        Ok(())
    }
}

/// Named fields, folded lines joined.
#[derive(Default)]
struct Head(Vec<(String, String)>);

impl Head {
    fn add(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if line.starts_with([' ', '\t'])
            && let Some((_, value)) = self.0.last_mut()
        {
            value.push(' ');
            value.push_str(line.trim());
        } else if let Some((name, value)) = line.split_once(':') {
            self.0.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

impl Record {
    fn is_page(&self) -> bool {
        match self.kind.as_str() {
            "response" => self.is_web() && (self.content_type.is_empty() || self.content_type.contains("http")),
            "resource" => self.is_web() && http::is_html(&self.content_type),
            _ => false,
        }
    }

    fn is_web(&self) -> bool {
        self.target.as_deref().is_some_and(|uri| {
            let scheme = uri.split(':').next().unwrap_or_default().to_ascii_lowercase();
            scheme == "http" || scheme == "https"
        })
    }

    /// Its URL, if it is an answer to the question for a robots.txt.
    fn robots_url(&self) -> Option<Url> {
        let is_answer = matches!(self.kind.as_str(), "response" | "resource") && self.is_web();
        robots_url(self.target.as_deref()).filter(|_| is_answer)
    }
}

fn robots_url(target: Option<&str>) -> Option<Url> {
    Url::parse(target?).ok().filter(|url| url.path() == "/robots.txt")
}

/// The robots.txt files of an archive. One that cannot be read may forbid anything.
pub(super) fn robots(file: Watched, name: &str) -> Result<Vec<Robots>> {
    let mut records = open(file, name)?;
    let mut found = Vec::new();
    while let Some(next) = records.next(|record| record.robots_url().is_some()) {
        let (url, answer) = match next {
            Found::Record(record) => (record.robots_url(), answer(&record)),
            // The damage is reported when the pages are read.
            Found::Damage(_, _, target) => (robots_url(target.as_deref()), Answer::Rules(RobotsTxt::shut())),
        };
        if let Some(url) = url {
            found.push(Robots { authority: authority(&url), answer });
        }
    }
    Ok(found)
}

fn answer(record: &Record) -> Answer {
    if record.kind == "resource" {
        return Answer::Rules(RobotsTxt::parse(&record.content));
    }
    let (Some(url), Ok(response)) = (record.robots_url(), http::Response::parse(&record.content)) else {
        return Answer::Rules(RobotsTxt::shut());
    };
    match (response.status, response.location(&url), response.body()) {
        (300..=399, Some(target), _) => Answer::Redirect(target.into()),
        (status, _, Ok(body)) => Answer::Rules(RobotsTxt::from_response(status, &body)),
        (_, _, Err(_)) => Answer::Rules(RobotsTxt::shut()),
    }
}

/// The pages of an archive.
pub(super) fn items(file: Watched, name: &str) -> Result<impl Iterator<Item = Item> + Send + use<>> {
    let mut records = open(file, name)?;
    let name = name.to_owned();
    Ok(std::iter::from_fn(move || {
        loop {
            match records.next(Record::is_page)? {
                Found::Record(record) if record.is_page() && record.robots_url().is_none() => {
                    return Some(item(record, &name));
                }
                Found::Record(_) => {}
                Found::Damage(mark, message, url) => return Some(Item::Damage(damage(mark, message, &name, url))),
            }
        }
    }))
}

fn open(file: Watched, name: &str) -> Result<Records> {
    Records::new(file).map_err(|source| ErrorKind::Io { what: name.to_owned(), source }.into())
}

fn damage(mark: Mark, message: String, name: &str, url: Option<String>) -> Damage {
    let origin = Origin { file: name.to_owned(), at: Some(At::Offset(mark.offset())) };
    Damage { origin, error: ErrorKind::Input(message).into(), url }
}

fn item(record: Record, name: &str) -> Item {
    let mark = record.mark;
    let origin = Origin { file: name.to_owned(), at: Some(At::Offset(mark.offset())) };
    let url = record.target.unwrap_or_default();
    if record.kind == "resource" {
        let headers = vec![("content-type".to_owned(), record.content_type)];
        return Item::Document(Document { url, headers, body: Body::Bytes(record.content), robots: None, origin });
    }
    let response = match http::Response::parse(&record.content) {
        Ok(response) => response,
        Err(message) => return Item::Damage(damage(mark, message, name, Some(url))),
    };
    // Of a 206 there is but a part.
    if !(200..300).contains(&response.status) || response.status == 206 {
        return Item::Skipped(Skip::Status(response.status), Some(url));
    }
    match response.body() {
        Err(message) => Item::Damage(damage(mark, message, name, Some(url))),
        Ok(body) if !response.is_html(&body) => Item::Skipped(Skip::Type, Some(url)),
        Ok(body) => {
            Item::Document(Document { url, headers: response.headers, body: Body::Bytes(body), robots: None, origin })
        }
    }
}
