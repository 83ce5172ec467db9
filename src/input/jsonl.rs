//! One JSON object a line: `html` or `html_b64`, and as may be `url`, `headers`, `status`, `date`, `robots`,
//! `robots_status`. A page without `url` has that of the input, with the line for a query.
//!
//! A line whose URL is that of a robots.txt is one.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine;
use serde::Deserialize;
use url::Url;

use crate::error::{Error, ErrorKind};
use crate::robots_txt::RobotsTxt;

use super::item::{At, Body};
use super::source::Source;
use super::{Answer, Damage, Document, Item, LARGEST_PAGE, Origin, Position, Robots, Skip, Skipped, warc};

/// A page as a line, or a row of a table, has it.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Line {
    pub(super) url: Option<String>,
    pub(super) html: Option<String>,
    html_b64: Option<String>,
    #[serde(skip)]
    pub(super) bytes: Option<Vec<u8>>,
    #[serde(default, deserialize_with = "pairs")]
    pub(super) headers: Vec<(String, String)>,
    pub(super) status: Option<u16>,
    /// When it was fetched.
    pub(super) date: Option<String>,
    pub(super) robots: Option<String>,
    pub(super) robots_status: Option<u16>,
}

/// Headers, as programs write them.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Headers {
    Pairs(Vec<(String, String)>),
    Values(BTreeMap<String, String>),
    Lists(BTreeMap<String, Vec<String>>),
}

impl Headers {
    pub(super) fn pairs(self) -> Vec<(String, String)> {
        match self {
            Self::Pairs(pairs) => pairs,
            Self::Values(values) => values.into_iter().collect(),
            Self::Lists(lists) => {
                let all = |(name, values): (String, Vec<String>)| values.into_iter().map(move |v| (name.clone(), v));
                lists.into_iter().flat_map(all).collect()
            }
        }
    }
}

fn pairs<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<(String, String)>, D::Error> {
    let headers = Option::<Headers>::deserialize(from)
        .map_err(|_| serde::de::Error::custom("`headers` is neither pairs of texts nor an object of texts"))?;
    Ok(headers.map_or_else(Vec::new, Headers::pairs))
}

/// Broken members of a packed file that are passed at the most.
const BROKEN_MEMBERS: u32 = 1000;

/// Reads lines, and goes on behind what is broken.
struct Lines {
    source: Source,
    number: u64,
    members: u32,
}

enum Read {
    Line(Vec<u8>),
    Broken(At, String),
}

impl Lines {
    fn new(source: Source, number: u64) -> Self {
        Self { source, number, members: BROKEN_MEMBERS }
    }

    fn next(&mut self) -> Option<Read> {
        loop {
            match self.line() {
                Ok(None) => return None,
                Ok(Some(line)) if line.trim_ascii().is_empty() => {}
                Ok(Some(line)) if line.len() as u64 >= LARGEST_PAGE && !line.ends_with(b"\n") => {
                    let message = format!("a line of more than {LARGEST_PAGE} bytes");
                    return Some(match self.source.skip_line() {
                        Ok(()) => Read::Broken(At::Number("line", self.number), message),
                        Err(error) => self.broken(&error)?,
                    });
                }
                Ok(Some(line)) => return Some(Read::Line(line)),
                Err(error) => return self.broken(&error),
            }
        }
    }

    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let line = self.source.line(usize::try_from(LARGEST_PAGE).unwrap_or(usize::MAX))?;
        self.number += u64::from(line.is_some());
        Ok(line)
    }

    /// After bytes that cannot be unpacked: the next member. What is left of a line that it begins with is no JSON, and is
    /// told as that.
    fn broken(&mut self, error: &io::Error) -> Option<Read> {
        let offset = self.source.member_mark().offset();
        self.members = self.members.checked_sub(1)?;
        if !self.source.next_member().unwrap_or(false) {
            self.members = 0;
        }
        Some(Read::Broken(At::Offset(offset), format!("{} data that cannot be read ({error})", self.source.packing())))
    }
}

/// The pages, from the line behind `number`.
pub(super) fn items(
    source: Source,
    name: &Arc<str>,
    url: String,
    number: u64,
) -> impl Iterator<Item = (Item, Position)> + Send + use<> {
    let file = Arc::clone(name);
    let mut lines = Lines::new(source, number);
    std::iter::from_fn(move || {
        let item = match lines.next()? {
            Read::Broken(at, message) => {
                Item::Damage(Damage::new(Origin { file: file.clone(), at: Some(at) }, message))
            }
            Read::Line(line) => {
                let number = lines.number;
                let origin = Origin { file: file.clone(), at: Some(At::Number("line", number)) };
                match parse(&line) {
                    Ok(line) => line.item(|| numbered(&url, "line", number), origin),
                    Err(error) => Item::Damage(Damage::new(origin, format!("no page as a JSON object ({error})"))),
                }
            }
        };
        Some((item, Position { number: lines.number, ..lines.source.position() }))
    })
}

/// The robots.txt files among the lines.
pub(super) fn robots(source: Source) -> Vec<Robots> {
    let mut lines = Lines::new(source, 0);
    let mut found = Vec::new();
    while let Some(read) = lines.next() {
        if let Read::Line(line) = read
            && memchr::memmem::find(&line, b"robots.txt").is_some()
            && let Ok(mut line) = parse(&line)
        {
            found.extend(line.as_robots());
        }
    }
    found
}

fn parse(line: &[u8]) -> serde_json::Result<Line> {
    serde_json::from_slice(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line))
}

/// The URL of a page that has none.
pub(super) fn numbered(url: &str, what: &str, number: u64) -> String {
    let Ok(mut url) = Url::parse(url) else { return url.to_owned() };
    url.set_fragment(None);
    url.query_pairs_mut().append_pair(what, &number.to_string());
    url.into()
}

impl Line {
    pub(super) fn item(mut self, url: impl FnOnce() -> String, origin: Origin) -> Item {
        if let Some(robots) = self.as_robots() {
            return Item::Robots(robots);
        }
        let captured = self.captured();
        let url = self.url.take().unwrap_or_else(url);
        if let Some(status) = self.status.filter(|status| !(200..300).contains(status) || *status == 206) {
            if status == 304 {
                let document = Document::new(url, self.headers, Body::Bytes(Vec::new()), origin);
                return Item::Unchanged(Document { captured, ..document });
            }
            return Item::Skipped(Skipped { why: Skip::Status(status), url: Some(url), captured });
        }
        let robots = match (self.robots_status, &self.robots) {
            (Some(status), body) => {
                Some(RobotsTxt::from_response(status, body.as_deref().unwrap_or_default().as_bytes()))
            }
            (None, body) => body.as_ref().map(|body| RobotsTxt::parse(body.as_bytes())),
        };
        match self.body() {
            Ok(body) => {
                let headers = std::mem::take(&mut self.headers);
                Item::Document(Document { robots, captured, ..Document::new(url, headers, body, origin) })
            }
            Err(error) => Item::Damage(Damage { origin, error, url: Some(url), captured }),
        }
    }

    /// An answer to the question for a robots.txt, if it is one. One that cannot be read may forbid anything.
    fn as_robots(&mut self) -> Option<Robots> {
        let url = self.url.clone()?;
        Robots::at(&url, |url| {
            let status = self.status.unwrap_or(200);
            let location = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
            if let (300..=399, Some(target)) = (status, location.and_then(|(_, to)| url.join(to).ok())) {
                return Answer::Redirect(target.into());
            }
            let bytes = match self.body() {
                Ok(Body::Text(text)) => text.into_bytes(),
                Ok(Body::Bytes(bytes)) => bytes,
                Err(_) if status == 200 => return Answer::Rules(RobotsTxt::shut()),
                Err(_) => Vec::new(),
            };
            Answer::Rules(RobotsTxt::from_response(status, &bytes))
        })
    }

    fn captured(&self) -> Option<SystemTime> {
        self.date.as_deref().and_then(warc::date)
    }

    fn body(&mut self) -> Result<Body, Error> {
        match (self.html.take(), self.bytes.take(), self.html_b64.take()) {
            (Some(html), ..) => Ok(Body::Text(html)),
            (None, Some(bytes), _) => Ok(Body::Bytes(bytes)),
            (None, None, Some(packed)) => match base64::prelude::BASE64_STANDARD.decode(packed.trim()) {
                Ok(bytes) => Ok(Body::Bytes(bytes)),
                Err(error) => Err(ErrorKind::Input(format!("`html_b64` is no base64 ({error})")).into()),
            },
            (None, None, None) => Err(ErrorKind::Input("neither `html` nor `html_b64`".to_owned()).into()),
        }
    }
}
