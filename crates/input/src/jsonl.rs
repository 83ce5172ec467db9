//! Reads JSON Lines: one JSON object on each line, or one array of objects.
//!
//! An object has `html` or `html_b64`, and optionally `url`, `headers`, `status`, `date`, `robots`,
//! `robots_status` (see `row`). A page without `url` gets the input's URL, with the line number as
//! the query. A line that cannot be parsed is damage, and reading continues with the next line. If
//! a damaged line may be a robots.txt, that robots.txt forbids everything.

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
use super::robots::{Robots, SiteFileResponse, is_site_file, parse_site_file};
use super::row::JsonRow;
use super::source::ByteSource;
use super::terms::{Allowance, InputTerms, UnpackBudget};
use super::{http, key_scan, misplaced, objects};

/// Number of bytes that are searched for the URL of a JSON line that is too long. This many bytes
/// are searched at the beginning of the line, and as many at its end.
const LOOK: usize = 64 << 10;

/// Parses one JSON line that was not read from an input, such as a message of a stream.
///
/// The last returned item is a page, a skipped record or damage. If the line is a robots.txt, an
/// [`Item::Robots`] precedes the last item. If the line is broken and may be a robots.txt, an
/// `Item::Robots` that forbids everything precedes the damage. Error messages identify the line by
/// `name` and `number`. A page without a URL gets the URL `url`, with `number` as the query.
///
/// ```
/// use heedful_base::limits::Limits;
/// use heedful_input::{Item, json_line};
///
/// let items = |line: &str| json_line(line.as_bytes(), ("stream", 7), None, &Limits::default());
/// let page = items(r#"{"url": "https://example.com/", "html": "<p>one"}"#);
/// assert!(matches!(page[..], [Item::Document(_)]));
///
/// let [Item::Damage(damage)] = &items("no line")[..] else { panic!() };
/// assert!(damage.to_string().starts_with("stream line 7: "));
///
/// // A broken line with the URL of a robots.txt forbids everything.
/// let broken = items(r#"{"url": "https://example.com/robots.txt", "#);
/// assert!(matches!(broken[..], [Item::Robots(_), Item::Damage(_)]));
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

/// Returns the items for a JSON line that was received only in part. `pieces` are the received
/// parts of the line, such as its beginning and its end. The last item is damage, and `error` is
/// its reason. If `pieces` contain the URL of a robots.txt, the first item is a robots.txt that
/// forbids everything.
///
/// ```
/// use heedful_base::error::Error;
/// use heedful_input::{Item, lost_json_line};
///
/// let pieces: &[&[u8]] = &[br#"{"url": "https://example.com/robots.txt", "ht"#];
/// let items = lost_json_line(pieces, ("stream", 7), Error::setting("the message is too long"));
///
/// let [Item::Robots(robots), Item::Damage(_)] = &items[..] else { panic!() };
/// assert_eq!(robots.authority(), "https://example.com");
/// ```
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

/// Returns the items of the JSON lines after the position `from`. Lines for which `is_wanted`
/// returns false are skipped. Each item is paired with the position at which reading can resume
/// after the item.
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

/// Calls `take` with each robots.txt and other site file among the JSON lines of an input.
pub(super) fn robots(source: ByteSource, terms: &Arc<InputTerms>, take: &mut dyn FnMut(Robots)) {
    for line in JsonLines::new(source, 0, terms) {
        let found = match line {
            Ok(line) => robots_of(&line),
            Err(broken) => forbidding_robots_of(&broken.urls).collect(),
        };
        for robots in found {
            take(robots);
        }
    }
}

/// Iterator over the items of JSON lines. Each item is paired with the position at which reading
/// can resume after the item.
struct JsonItems<W> {
    lines: JsonLines,
    /// Name of the input, for the locations of items.
    file: Arc<str>,
    /// URL of the input, for pages without a URL of their own.
    url: String,
    terms: Arc<InputTerms>,
    /// Predicate on the bytes of a line. Lines for which it returns false yield no item.
    is_wanted: W,
    /// Items of the most recently read line that were not yielded yet.
    waiting: VecDeque<(Item, Position)>,
    /// Position in the input before the next line.
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

/// Iterator over JSON lines, or over the objects of a JSON array. If a line cannot be read, the
/// iterator yields an error, and continues with the next line.
struct JsonLines {
    source: ByteSource,
    allowance: Allowance,
    /// Number of lines or objects that were read so far.
    number: u64,
    /// True if the input is one JSON array of objects. False if the input is JSON Lines. `None`
    /// before the first line is read.
    is_array: Option<bool>,
    /// True if nothing more of the input can be read because of damage.
    over: bool,
}

/// A JSON line that cannot be read, with its location and the error.
struct BrokenLine {
    /// Location of the line in the input: its number. If a packed member (gzip member or zstd
    /// frame) cannot be unpacked, the location is the offset of this member.
    at: ItemPlace,
    error: Error,
    /// Values of the key `url` in the part of the line that could be read.
    urls: Vec<String>,
    /// Number of bytes after the broken line that are not read because of the damage. 0 if reading
    /// continues with the next line.
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

    /// Returns the line unchanged, or an error if it exceeds a limit.
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
        // Lines of base64 are longer than their pages, whose own size is checked after decoding.
        self.allowance
            .room(stored)
            .check((line.len() as u64).min(limits.page_bytes))?;
        self.allowance.give(line, stored)
    }

    /// Returns the unit that the field `number` counts: `line`, or `object` if the input is a JSON
    /// array.
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

    /// Leaves a packed member (gzip member or zstd frame) that cannot be unpacked, moves to the
    /// next one, and returns the damage. The next member usually begins in the middle of a line.
    /// The rest of this line is not valid JSON, and is reported as damage, too.
    fn broken(&mut self, error: &io::Error) -> BrokenLine {
        let offset = self.source.member_mark().offset();
        let error = self.source.unpack_error(error);
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

/// Returns the first and the last bytes of a JSON line, at most `LOOK` bytes each. The two parts do
/// not overlap. If the line is too long, only these parts are searched for its URL.
fn ends(line: &[u8]) -> (&[u8], &[u8]) {
    let (start, rest) = line.split_at(line.len().min(LOOK));
    (start, &rest[rest.len().saturating_sub(LOOK)..])
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

/// Replaces a page by damage if its JSON line has a restricting header at a wrong place. An example
/// is `X-Robots-Tag` outside of the key `headers`, where no header is read. Returns all other items
/// unchanged.
fn check_headers(item: Item, line: &[u8]) -> Item {
    let (Item::Document(page) | Item::Unchanged(page)) = &item else {
        return item;
    };
    let Some(place) = misplaced::place(without_bom(line)) else {
        return item;
    };
    let message =
        format!("`{place}` may forbid, and is not read there: headers belong into `headers`");
    let damage = Damage::new(page.origin().clone(), message);
    Item::Damage(damage.for_page(Some(page.url().to_owned()), page.captured()))
}

/// Counts the bytes and tags of a page whose body was base64 in its JSON line. The bytes and tags
/// count against the limits of the input. Any other body was already counted with its line. Returns
/// damage if the page has too many tags. Otherwise returns the item unchanged.
fn unpacked(item: Item, allowance: &mut Allowance, stored: u64) -> Item {
    match &item {
        Item::Document(document) if !document.is_decoded() => afforded(item, allowance, stored),
        _ => item,
    }
}

/// Returns the items for a line or row that cannot be read. `urls` are the URLs found in the line
/// or row. For each URL of a robots.txt in `urls`, the items contain a robots.txt that forbids
/// everything. The last item is `damage`.
pub(super) fn broken(urls: Vec<String>, damage: Damage) -> Vec<Item> {
    let mut items: Vec<_> = forbidding_robots_of(&urls).map(Item::Robots).collect();
    items.push(Item::Damage(damage.for_page(urls.into_iter().next(), None)));
    items
}

/// For each URL of a robots.txt among `urls`, returns a robots.txt that forbids everything.
fn forbidding_robots_of(urls: &[String]) -> impl Iterator<Item = Robots> {
    urls.iter()
        .map(String::as_str)
        .filter_map(forbidding_robots)
}

fn forbidding_robots(url: &str) -> Option<Robots> {
    let (url, file) = parse_site_file(url)?;
    let answer = SiteFileResponse::Rules(file.unreadable(http::UNREAD));
    Some(Robots::new(&url, file, answer))
}

fn robots_of(line: &[u8]) -> Vec<Robots> {
    // A quick test: nearly all lines are pages, which must not be parsed twice.
    if !key_scan::may_be_site_file(line) {
        return Vec::new();
    }
    let urls = urls(line);
    if !urls.iter().any(|url| is_site_file(url)) {
        return Vec::new();
    }
    let Ok(mut row) = parse(line) else {
        return forbidding_robots_of(&urls).collect();
    };
    match row.as_robots() {
        Some((robots, _)) => vec![robots],
        None => Vec::new(),
    }
}

/// Returns the values of the key `url` in a JSON line. If the line is not valid JSON, its text is
/// searched for this key.
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

/// Returns the string after each `"url":` in `text`, which is an invalid or incomplete JSON line.
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

fn parse(line: &[u8]) -> serde_json::Result<JsonRow> {
    serde_json::from_slice(without_bom(line))
}

fn without_bom(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}

/// Returns the URL for a page that has no URL of its own. The result is `url`, the URL of the
/// input, with a query such as `?line=7`. In the query, `what` is the name and `number` is the
/// value.
pub(super) fn numbered(url: &str, what: &str, number: u64) -> String {
    let Ok(mut url) = Url::parse(url) else {
        return url.to_owned();
    };
    url.set_fragment(None);
    url.query_pairs_mut().append_pair(what, &number.to_string());
    url.into()
}
