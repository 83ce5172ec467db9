//! One JSON object a line: `html` or `html_b64`, and as may be `url`, `headers`, `status`, `date`, `robots`,
//! `robots_status`. A page without `url` has that of the input, with the line for a query.
//!
//! Keys are known in any case. A line whose URL is that of a robots.txt is one; where it cannot be read, it forbids all, and is
//! told as damage too. A header is never lost: a line with one that cannot be read is damage.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use url::Url;

use crate::error::{Error, ErrorKind};
use crate::robots_txt::RobotsTxt;

use super::item::{At, Body, robots_url};
use super::source::Source;
use super::{Answer, Damage, Document, Item, LARGEST_PAGE, Origin, Position, Robots, Skip, Skipped, http, warc};

/// A page as a line, or a row of a table, has it.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) url: Option<String>,
    pub(super) html: Option<String>,
    html_b64: Option<String>,
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) status: Option<u16>,
    /// When it was fetched.
    pub(super) date: Option<String>,
    pub(super) robots: Option<String>,
    pub(super) robots_status: Option<u16>,
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line, A::Error> {
        let mut line = Line::default();
        let mut met = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let key = key.to_ascii_lowercase();
            match key.as_str() {
                "url" => line.url = map.next_value()?,
                "html" => line.html = map.next_value()?,
                "html_b64" => line.html_b64 = map.next_value()?,
                "headers" => line.headers = map.next_value::<Headers>()?.pairs(),
                "status" => line.status = map.next_value()?,
                "date" => line.date = map.next_value()?,
                "robots" => line.robots = map.next_value()?,
                "robots_status" => line.robots_status = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            if met.contains(&key) {
                return Err(A::Error::custom(format!("`{key}` twice")));
            }
            met.push(key);
        }
        Ok(line)
    }
}

/// Headers, as programs write them: pairs of texts, or an object of texts or lists of texts. A name that comes twice has
/// both values.
#[derive(Debug, Default)]
pub(super) struct Headers(Vec<(String, String)>);

impl Headers {
    pub(super) fn pairs(self) -> Vec<(String, String)> {
        tidy(self.0)
    }
}

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(HeadersVisitor)
    }
}

struct HeadersVisitor;

impl<'de> Visitor<'de> for HeadersVisitor {
    type Value = Headers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`headers` as pairs of texts or an object of texts")
    }

    fn visit_unit<E>(self) -> Result<Headers, E> {
        Ok(Headers::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Headers, A::Error> {
        let mut headers = Headers::default();
        while let Some(pair) = seq.next_element()? {
            headers.0.push(pair);
        }
        Ok(headers)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Headers, A::Error> {
        let mut headers = Headers::default();
        while let Some((name, values)) = map.next_entry::<String, Values>()? {
            match values {
                Values::One(value) => headers.0.push((name, value)),
                Values::Many(values) => headers.0.extend(values.into_iter().map(|value| (name.clone(), value))),
            }
        }
        Ok(headers)
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a header of `headers` is neither a text nor a list of texts")]
enum Values {
    One(String),
    Many(Vec<String>),
}

/// Headers as a site may have meant them: names without what stands around them, and of a value with several lines those that
/// look like a header as one.
pub(super) fn tidy(headers: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut tidy: Vec<(String, String)> = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        let (before, name) = name.trim_matches(is_junk).rsplit_once(BREAKS).unwrap_or(("", &name));
        tidy.extend(before.split(BREAKS).filter_map(header));
        let mut lines = value.split(BREAKS);
        tidy.push((header_name(name).to_owned(), lines.next().unwrap_or_default().to_owned()));
        for line in lines.filter(|line| !line.is_empty()) {
            match (header(line), tidy.last_mut()) {
                (None, Some((_, value))) => value.extend([" ", line]),
                (header, _) => tidy.extend(header),
            }
        }
    }
    tidy
}

const BREAKS: [char; 2] = ['\r', '\n'];

fn is_junk(c: char) -> bool {
    !c.is_ascii_graphic()
}

fn header_name(name: &str) -> &str {
    name.trim_matches(is_junk).trim_end_matches(|c| c == ':' || is_junk(c))
}

/// A line that looks like a header.
fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    let name = header_name(name);
    let is_name =
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b));
    is_name.then(|| (name.to_owned(), value.trim().to_owned()))
}

/// The URLs that a line names as its own. Of one that is no JSON, those that look like it.
fn urls(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(without_bom(line));
    serde_json::from_str::<Urls>(&text).map_or_else(|_| likely_urls(&text), |urls| urls.0)
}

struct Urls(Vec<String>);

impl<'de> Deserialize<'de> for Urls {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(UrlsVisitor)
    }
}

struct UrlsVisitor;

impl<'de> Visitor<'de> for UrlsVisitor {
    type Value = Urls;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Urls, A::Error> {
        let mut urls = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if key.eq_ignore_ascii_case("url") {
                urls.extend(map.next_value::<Option<String>>()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Urls(urls))
    }
}

/// The strings behind each `"url":`.
fn likely_urls(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let value = |(at, key): (usize, &str)| {
        let value = text[at + key.len()..].trim_start().strip_prefix(':')?;
        serde_json::Deserializer::from_str(value).into_iter().next()?.ok()
    };
    lower.match_indices("\"url\"").filter_map(value).collect()
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
    let mut waiting = VecDeque::new();
    std::iter::from_fn(move || {
        if waiting.is_empty() {
            waiting.extend(match lines.next()? {
                Read::Broken(at, message) => {
                    vec![Item::Damage(Damage::new(Origin { file: file.clone(), at: Some(at) }, message))]
                }
                Read::Line(line) => {
                    let number = lines.number;
                    let origin = Origin { file: file.clone(), at: Some(At::Number("line", number)) };
                    found(&line, || numbered(&url, "line", number), origin)
                }
            });
        }
        Some((waiting.pop_front()?, Position { number: lines.number, ..lines.source.position() }))
    })
}

fn found(line: &[u8], url: impl FnOnce() -> String, origin: Origin) -> Vec<Item> {
    match parse(line) {
        Ok(line) => line.items(url, origin),
        Err(error) => broken(urls(line), Damage::new(origin, format!("no page as a JSON object ({error})"))),
    }
}

/// What stands for a line, or a row, that cannot be read: the robots.txt that it may be forbids all.
pub(super) fn broken(urls: Vec<String>, damage: Damage) -> Vec<Item> {
    let mut items: Vec<_> = urls.iter().filter_map(|url| shut(url)).map(Item::Robots).collect();
    items.push(Item::Damage(damage.of(urls.into_iter().next(), None)));
    items
}

fn shut(url: &str) -> Option<Robots> {
    Robots::at(url, |_| Answer::Rules(RobotsTxt::shut()))
}

/// The robots.txt files among the lines.
pub(super) fn robots(source: Source) -> Vec<Robots> {
    let mut lines = Lines::new(source, 0);
    let mut found = Vec::new();
    while let Some(read) = lines.next() {
        if let Read::Line(line) = read {
            found.extend(robots_of(&line));
        }
    }
    found
}

fn robots_of(line: &[u8]) -> Vec<Robots> {
    let urls = urls(line);
    if !urls.iter().any(|url| robots_url(url).is_some()) {
        return Vec::new();
    }
    match parse(line) {
        Ok(mut line) => line.as_robots().map(|(robots, _)| robots).into_iter().collect(),
        Err(_) => urls.iter().filter_map(|url| shut(url)).collect(),
    }
}

fn parse(line: &[u8]) -> serde_json::Result<Line> {
    serde_json::from_slice(without_bom(line))
}

fn without_bom(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}

/// The URL of a page that has none.
pub(super) fn numbered(url: &str, what: &str, number: u64) -> String {
    let Ok(mut url) = Url::parse(url) else { return url.to_owned() };
    url.set_fragment(None);
    url.query_pairs_mut().append_pair(what, &number.to_string());
    url.into()
}

impl Line {
    /// What it is: one item; of a robots.txt that cannot be read, the damage too.
    pub(super) fn items(mut self, url: impl FnOnce() -> String, origin: Origin) -> Vec<Item> {
        let Some((robots, error)) = self.as_robots() else { return vec![self.page(url, origin)] };
        let damage = |error| Item::Damage(Damage { origin, error, url: self.url.clone(), captured: self.captured() });
        std::iter::once(Item::Robots(robots)).chain(error.map(damage)).collect()
    }

    fn page(mut self, url: impl FnOnce() -> String, origin: Origin) -> Item {
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

    /// An answer to the question for a robots.txt, if it is one. One that cannot be read may forbid anything, and why is told.
    fn as_robots(&mut self) -> Option<(Robots, Option<Error>)> {
        let url = self.url.clone()?;
        let mut trouble = None;
        let robots = Robots::at(&url, |url| {
            let status = self.status.unwrap_or(200);
            let location = self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"));
            let location = location.and_then(|(_, to)| url.join(to).ok());
            let bytes = match self.body() {
                Ok(Body::Text(text)) => Some(text.into_bytes()),
                Ok(Body::Bytes(bytes)) => Some(bytes),
                Err(error) if (200..300).contains(&status) => {
                    trouble = Some(error);
                    None
                }
                Err(_) => Some(Vec::new()),
            };
            http::answer(status, location, bytes.as_deref().map(|bytes| (bytes, false)))
        });
        Some((robots?, trouble))
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
