//! Reads one JSON object a line, or an array of them. The keys are `html` or `html_b64`, and
//! optionally `url`, `headers`, `status`, `date`, `robots`, `robots_status`. A page without `url`
//! has that of the input, with the line as its query.
//!
//! A line is a `row`, and so is an object of an array. An invalid one is damage; the robots.txt
//! that it may be forbids everything.

use std::collections::VecDeque;
use std::sync::Arc;
use std::{fmt, io};

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use url::Url;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded, size};
use heedful_base::unreadable::unreadable;

use super::archive::afforded;
use super::item::{Damage, InputPlace, Item, ItemPlace, Position, placed};
use super::robots::{Robots, RobotsAnswer, is_site_file, parse_site_file};
use super::row::JsonRow;
use super::source::ByteSource;
use super::terms::{Allowance, InputTerms, UnpackBudget};
use super::{astray, http, objects, spelled};

/// The URLs that a line names as its own. For an invalid line, the texts that look like them.
fn urls(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(without_bom(line));
    match serde_json::from_str::<Urls>(&text) {
        Ok(urls) => urls.0,
        Err(_) => likely_urls(&text),
    }
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

/// The strings after each `"url":`.
fn likely_urls(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let mut urls = Vec::new();
    for (at, key) in lower.match_indices("\"url\"") {
        let rest = text[at + key.len()..].trim_start();
        if let Some(value) = rest.strip_prefix(':')
            && let Some(Ok(url)) = serde_json::Deserializer::from_str(value).into_iter().next()
        {
            urls.push(url);
        }
    }
    urls
}

/// The number of bytes in which the URL of an overlong line is looked for, at its beginning and at
/// its end.
const LOOK: usize = 64 << 10;

/// Reads lines, and continues after broken ones.
struct JsonLines {
    source: ByteSource,
    allowance: Allowance,
    number: u64,
    /// True if the lines are objects of an array. It is unknown before the first.
    is_array: Option<bool>,
    /// True if reading cannot continue.
    over: bool,
}

/// A line that cannot be read.
struct BrokenLine {
    at: ItemPlace,
    error: Error,
    /// The URLs that it seems to name.
    urls: Vec<String>,
    unread: u64,
}

impl JsonLines {
    fn new(source: ByteSource, number: u64, terms: &Arc<InputTerms>) -> Self {
        Self {
            source,
            allowance: Allowance::new(terms),
            number,
            is_array: None,
            over: false,
        }
    }

    /// The line, if it is not too long.
    fn checked(&mut self, line: Vec<u8>) -> Result<Vec<u8>, BrokenLine> {
        let Err(error) = self.afford(&line) else {
            return Ok(line);
        };
        let (start, end) = ends(&line);
        let mut urls = likely_urls(&String::from_utf8_lossy(start));
        urls.extend(likely_urls(&String::from_utf8_lossy(end)));
        Err(BrokenLine {
            at: ItemPlace::Number(self.unit(), self.number),
            error,
            urls,
            unread: 0,
        })
    }

    fn afford(&mut self, line: &[u8]) -> Result<(), Error> {
        let limits = self.allowance.limits();
        let stored = self.source.stored();
        if line.len() as u64 > limits.line_bytes {
            return Err(exceeded("line_bytes", limits));
        }
        // The unpacked size of a page is checked when it is read. A line of base64 is longer.
        self.allowance
            .room(stored)
            .check((line.len() as u64).min(limits.page_bytes))?;
        self.allowance.give(line, stored)
    }

    /// The unit that is counted.
    fn unit(&self) -> &'static str {
        if self.is_array == Some(true) {
            "object"
        } else {
            "line"
        }
    }

    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let most = size(self.allowance.limits().line_bytes);
        if self.is_array.is_none() {
            self.is_array = Some(objects::is_array(&mut self.source)?);
        }
        let line = match self.is_array {
            Some(true) => objects::next(&mut self.source, most)?,
            _ => self.source.whole_line(most)?,
        };
        self.number += u64::from(line.is_some());
        Ok(line)
    }

    /// Moves to the next member after bytes that cannot be unpacked. The rest of a line at its
    /// beginning is no JSON, and is reported as such.
    fn broken(&mut self, error: &io::Error) -> BrokenLine {
        let offset = self.source.member_mark().offset();
        let error = self.source.unpackable(error);
        let unread = self.source.leave_member();
        self.over = unread.is_some();
        BrokenLine {
            at: ItemPlace::Offset(offset),
            error,
            urls: Vec::new(),
            unread: unread.unwrap_or(0),
        }
    }
}

impl Iterator for JsonLines {
    type Item = Result<Vec<u8>, BrokenLine>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.over {
            self.allowance.begin(self.source.stored());
            match self.line() {
                Ok(None) => return None,
                Ok(Some(line)) if without_bom(&line).trim_ascii().is_empty() => {}
                Ok(Some(line)) => return Some(self.checked(line)),
                Err(error) => return Some(Err(self.broken(&error))),
            }
        }
        None
    }
}

/// The parts of a long line in which its URL is looked for. They are its beginning, and its end as
/// far as it is after that.
fn ends(line: &[u8]) -> (&[u8], &[u8]) {
    let (start, rest) = line.split_at(line.len().min(LOOK));
    (start, &rest[rest.len().saturating_sub(LOOK)..])
}

/// The items from a position on, for the lines that are wanted.
pub(super) fn items<W: Fn(&[u8]) -> bool + Send>(
    source: ByteSource,
    name: &Arc<str>,
    url: String,
    from: &Position,
    terms: &Arc<InputTerms>,
    is_wanted: W,
) -> impl Iterator<Item = (Item, Position)> + Send + use<W> {
    JsonItems {
        lines: JsonLines {
            is_array: from.is_array,
            ..JsonLines::new(source, from.number, terms)
        },
        file: Arc::clone(name),
        url,
        terms: Arc::clone(terms),
        is_wanted,
        waiting: VecDeque::new(),
        before: from.clone(),
    }
}

/// The items of lines, each with the position after it.
struct JsonItems<W> {
    lines: JsonLines,
    file: Arc<str>,
    url: String,
    terms: Arc<InputTerms>,
    is_wanted: W,
    /// The items of the last line that are still to be returned.
    waiting: VecDeque<(Item, Position)>,
    /// The position before the next line.
    before: Position,
}

impl<W> JsonItems<W> {
    fn items(&mut self, line: &[u8]) -> Vec<Item> {
        let unit = self.lines.unit();
        let number = self.lines.number;
        let origin = InputPlace {
            file: self.file.clone(),
            at: Some(ItemPlace::Number(unit, number)),
        };
        let stored = self.lines.source.stored();
        let room = self.lines.allowance.room(stored);
        let url = || numbered(&self.url, unit, number);
        let items = parse_items(line, url, origin, &self.terms, &room);
        items
            .into_iter()
            .map(|item| unpacked(item, &mut self.lines.allowance, stored))
            .collect()
    }

    fn broken(&self, line: BrokenLine) -> Vec<Item> {
        let origin = InputPlace {
            file: self.file.clone(),
            at: Some(line.at),
        };
        let damage = Damage {
            unread: line.unread,
            ..Damage::from_error(origin, line.error)
        };
        broken(line.urls, damage)
    }
}

impl<W: Fn(&[u8]) -> bool> Iterator for JsonItems<W> {
    type Item = (Item, Position);

    fn next(&mut self) -> Option<Self::Item> {
        while self.waiting.is_empty() {
            let items = match self.lines.next()? {
                Err(line) => self.broken(line),
                Ok(line) if !(self.is_wanted)(&line) => continue,
                Ok(line) => self.items(&line),
            };
            let after = Position {
                number: self.lines.number,
                is_array: self.lines.is_array,
                ..self.lines.source.position()
            };
            let before = std::mem::replace(&mut self.before, after.clone());
            self.waiting.extend(placed(items, before, after));
        }
        self.waiting.pop_front()
    }
}

/// Counts the tags of a page that was stored as bytes, which are seen only now.
fn unpacked(item: Item, allowance: &mut Allowance, stored: u64) -> Item {
    match &item {
        Item::Document(document) if !document.is_decoded() => afforded(item, allowance, stored),
        _ => item,
    }
}

fn parse_items(
    line: &[u8],
    url: impl FnOnce() -> String,
    origin: InputPlace,
    terms: &InputTerms,
    room: &UnpackBudget<'_>,
) -> Vec<Item> {
    match parse(line) {
        Ok(row) => {
            let has_headers = !row.headers.is_empty();
            let items = row.items(url, origin, terms, room);
            if has_headers {
                items
            } else {
                items
                    .into_iter()
                    .map(|item| check_headers(item, line))
                    .collect()
            }
        }
        Err(error) => broken(
            urls(line),
            Damage::new(
                origin,
                format!("no page as a JSON object: {}", unreadable(&error)),
            ),
        ),
    }
}

/// A page without headers, unless its line has some where they are not read.
fn check_headers(item: Item, line: &[u8]) -> Item {
    let (Item::Document(page) | Item::Unchanged(page)) = &item else {
        return item;
    };
    let Some(place) = astray::place(without_bom(line)) else {
        return item;
    };
    let message =
        format!("`{place}` may forbid, and is not read there: headers belong into `headers`");
    let damage = Damage::new(page.origin().clone(), message);
    Item::Damage(damage.for_page(Some(page.url().to_owned()), page.captured()))
}

/// The items for a line, or a row, that cannot be read. The robots.txt that it may be forbids
/// everything.
pub(super) fn broken(urls: Vec<String>, damage: Damage) -> Vec<Item> {
    let mut items: Vec<_> = shut_all(&urls).map(Item::Robots).collect();
    items.push(Item::Damage(damage.for_page(urls.into_iter().next(), None)));
    items
}

/// The robots.txt files among these URLs, each of which forbids everything.
fn shut_all(urls: &[String]) -> impl Iterator<Item = Robots> {
    urls.iter().map(String::as_str).filter_map(shut)
}

fn shut(url: &str) -> Option<Robots> {
    let (url, file) = parse_site_file(url)?;
    let answer = RobotsAnswer::Rules(file.unreadable(http::UNREAD));
    Some(Robots::new(&url, file, answer))
}

/// The items of a line that belongs to no input. The last one is that of the line. Those before it
/// are the robots.txt that it is, or may be. A page without a URL gets `url`, with the line's
/// number as its query.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, json_line};
///
/// let items = |line: &str| json_line(line.as_bytes(), ("stream", 7), None, &Limits::default());
/// assert!(matches!(items(r#"{"url": "https://example.com/", "html": "<p>one"}"#)[..], [Item::Document(_)]));
/// let [Item::Damage(damage)] = &items("no line")[..] else { panic!() };
/// assert!(damage.to_string().starts_with("stream line 7: "));
/// // What may be a robots.txt forbids everything.
/// assert!(matches!(items(r#"{"url": "https://example.com/robots.txt", "#)[..], [Item::Robots(_), Item::Damage(_)]));
/// ```
pub fn json_line(
    line: &[u8],
    (name, number): (&str, u64),
    url: Option<&Url>,
    limits: &Limits,
) -> Vec<Item> {
    let terms = InputTerms {
        limits: limits.clone(),
        each_record: true,
        ..InputTerms::default()
    };
    let origin = InputPlace {
        file: Arc::from(name),
        at: Some(ItemPlace::Number("line", number)),
    };
    let url = || match url {
        Some(url) => numbered(url.as_str(), "line", number),
        None => String::new(),
    };
    parse_items(
        line,
        url,
        origin,
        &terms,
        &UnpackBudget::alone(limits, line.len() as u64),
    )
}

/// As [`json_line`], for a line that was given up with an error. Of its text only some pieces are
/// known, such as its beginning and its end.
pub fn lost_json_line(pieces: &[&[u8]], (name, number): (&str, u64), error: Error) -> Vec<Item> {
    let mut urls = Vec::new();
    for piece in pieces {
        urls.extend(likely_urls(&String::from_utf8_lossy(piece)));
    }
    let origin = InputPlace {
        file: Arc::from(name),
        at: Some(ItemPlace::Number("line", number)),
    };
    broken(urls, Damage::from_error(origin, error))
}

/// The robots.txt files among the lines.
pub(super) fn robots(source: ByteSource, terms: &Arc<InputTerms>, take: &mut dyn FnMut(Robots)) {
    for line in JsonLines::new(source, 0, terms) {
        let found = match line {
            Ok(line) => robots_of(&line),
            Err(broken) => shut_all(&broken.urls).collect(),
        };
        for robots in found {
            take(robots);
        }
    }
}

fn robots_of(line: &[u8]) -> Vec<Robots> {
    // Nearly all lines are pages, which are parsed when they are read.
    if !spelled::may_be_site_file(line) {
        return Vec::new();
    }
    let urls = urls(line);
    if !urls.iter().any(|url| is_site_file(url)) {
        return Vec::new();
    }
    let Ok(mut row) = parse(line) else {
        return shut_all(&urls).collect();
    };
    match row.as_robots() {
        Some((robots, _)) => vec![robots],
        None => Vec::new(),
    }
}

fn parse(line: &[u8]) -> serde_json::Result<JsonRow> {
    serde_json::from_slice(without_bom(line))
}

fn without_bom(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}

/// The URL of a page that has none of its own.
pub(super) fn numbered(url: &str, what: &str, number: u64) -> String {
    let Ok(mut url) = Url::parse(url) else {
        return url.to_owned();
    };
    url.set_fragment(None);
    url.query_pairs_mut().append_pair(what, &number.to_string());
    url.into()
}
