//! One JSON object a line, or an array of them: `html` or `html_b64`, and as may be `url`, `headers`, `status`, `date`, `robots`,
//! `robots_status`. A page without `url` has that of the input, with the line for a query.
//!
//! A line is a `row`, and so is an object of an array. One that is none is damage; the robots.txt that it may be forbids all.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use url::Url;

use crate::robots_txt::RobotsTxt;

use super::item::{At, robots_url};
use super::objects;
use super::row::Row;
use super::source::Source;
use super::{Answer, Damage, Item, LARGEST_PAGE, Origin, Position, Robots};

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
    /// Whether they are objects of an array: not known before the first.
    is_array: Option<bool>,
}

enum Read {
    Line(Vec<u8>),
    Broken(At, String),
}

impl Lines {
    fn new(source: Source, number: u64) -> Self {
        Self { source, number, members: BROKEN_MEMBERS, is_array: None }
    }

    fn next(&mut self) -> Option<Read> {
        loop {
            match self.line() {
                Ok(None) => return None,
                Ok(Some(line)) if line.trim_ascii().is_empty() => {}
                Ok(Some(line)) if line.len() as u64 >= LARGEST_PAGE && !line.ends_with(b"\n") => {
                    let message = format!("{} of more than {LARGEST_PAGE} bytes", self.what());
                    return Some(match self.source.skip_line() {
                        Ok(()) => Read::Broken(At::Number(self.what(), self.number), message),
                        Err(error) => self.broken(&error)?,
                    });
                }
                Ok(Some(line)) => return Some(Read::Line(line)),
                Err(error) => return self.broken(&error),
            }
        }
    }

    /// What is counted.
    fn what(&self) -> &'static str {
        if self.is_array == Some(true) { "object" } else { "line" }
    }

    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let most = usize::try_from(LARGEST_PAGE).unwrap_or(usize::MAX);
        if self.is_array.is_none() {
            self.is_array = Some(objects::is_array(&mut self.source)?);
        }
        let line = match self.is_array {
            Some(true) => objects::next(&mut self.source, most)?,
            _ => self.source.line(most)?,
        };
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
                    let (what, number) = (lines.what(), lines.number);
                    let origin = Origin { file: file.clone(), at: Some(At::Number(what, number)) };
                    found(&line, || numbered(&url, what, number), origin)
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
pub(super) fn robots(source: Source, take: &mut dyn FnMut(Robots)) {
    let mut lines = Lines::new(source, 0);
    while let Some(read) = lines.next() {
        if let Read::Line(line) = read {
            for robots in robots_of(&line) {
                take(robots);
            }
        }
    }
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

fn parse(line: &[u8]) -> serde_json::Result<Row> {
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
