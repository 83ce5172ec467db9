//! A page as a line of JSON, a row of a table or a program gives it. The row knows the meaning of
//! its keys, and the item that it becomes.
//!
//! Keys may be in upper or lower case, and none may come twice. Keys that mean nothing here are
//! passed over. One that was probably meant to hold a denial is damage, as a misspelt `headers` is.
//! A header is never lost: an invalid one makes the row damage. A row whose URL is that of a
//! robots.txt is one. If it cannot be read, it forbids everything, and is reported as damage too.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use heedful_base::content_type::{ContentType, is_token};
use heedful_base::error::{Error, ErrorKind};
use heedful_base::lenient::near::near;
use heedful_base::limits::exceeded;
use heedful_robots::{RobotsTxt, Source};

use super::item::{Body, Damage, FetchedPage, InputPlace, Item, ItemPlace, Skip, Skipped};
use super::robots::{Robots, parse_site_file};
use super::terms::{InputTerms, UnpackBudget};
use super::{coding, http, magic, warc};

/// A page as a line of JSON, a row of a table or a program gives it.
///
/// ```
/// use heedful_input::{Item, JsonRow};
///
/// let mut row = JsonRow::default();
/// row.url = Some("https://example.com/".to_owned());
/// row.html = Some("<p>one".to_owned());
/// row.headers.push(("X-Robots-Tag".to_owned(), "nosnippet".to_owned()));
/// assert!(matches!(row.into_items("table", 1)[..], [Item::Document(_)]));
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct JsonRow {
    /// The URL of the page.
    pub url: Option<String>,
    /// The page as text that was decoded before. A character set that it declares is ignored.
    pub html: Option<String>,
    /// The page as bytes.
    pub bytes: Option<Vec<u8>>,
    /// The page as bytes in base64.
    pub html_b64: Option<String>,
    /// The response's headers. They may be as untidy as sites and archives have them.
    pub headers: Vec<(String, String)>,
    /// The response's status. Rows without 2xx are passed over.
    pub status: Option<u16>,
    /// When it was fetched, by RFC 3339. One that cannot be read is none, with a note.
    pub date: Option<String>,
    /// A robots.txt for this page alone.
    pub robots: Option<String>,
    /// The status of that robots.txt.
    pub robots_status: Option<u16>,
}

/// All keys.
const KEYS: [&str; 8] = [
    "url",
    "html",
    "html_b64",
    "headers",
    "status",
    "date",
    "robots",
    "robots_status",
];
/// The keys that may hold a denial.
const DENYING: [&str; 3] = ["headers", "robots", "robots_status"];
/// Other names for them, without signs, by which programs know the same.
const ALSO: [(&str, &str); 8] = [
    ("headersb", "headers"),
    ("headersbase", "headers"),
    ("httpheaders", "headers"),
    ("responseheaders", "headers"),
    ("xrobotstag", "headers"),
    ("robottxt", "robots"),
    ("robotstxt", "robots"),
    ("robotstxtstatus", "robots_status"),
];

impl JsonRow {
    /// The key that was probably meant by a name that is none: one that may hold a denial. A reader
    /// that passed over it would leak. None for the names of other columns.
    pub fn misnamed(name: &str) -> Option<&'static str> {
        Self::means(name).filter(|meant| !name.eq_ignore_ascii_case(meant))
    }

    /// The key that may hold a denial and was probably meant by a name, its own name included.
    pub(super) fn means(name: &str) -> Option<&'static str> {
        // A longer name is no slip.
        if name.len() > 24 {
            return None;
        }
        let mut keys = DENYING.into_iter();
        if let Some(key) = keys.find(|key| name.eq_ignore_ascii_case(key)) {
            return Some(key);
        }
        let name = name.to_ascii_lowercase();
        let mut also = ALSO.into_iter();
        if let Some((_, key)) = also.find(|(other, _)| has_letters(&name, other)) {
            return Some(key);
        }
        // Any other key about robots may hold a denial too, as `robots_b64` and `meta_robots` do.
        near(&name, DENYING).or_else(|| name.contains("robots").then_some("robots"))
    }

    /// True for another name by which programs know the URL of a page.
    fn is_address(name: &str) -> bool {
        ["uri", "targeturi", "warctargeturi", "pageurl", "targeturl"]
            .iter()
            .any(|other| has_letters(name, other))
    }

    /// True for a key that is read.
    pub(super) fn is_key(name: &str) -> bool {
        KEYS.iter().any(|key| name.eq_ignore_ascii_case(key))
    }
}

/// True if a name is this one, with any signs between its letters.
fn has_letters(name: &str, other: &str) -> bool {
    name.bytes()
        .filter(u8::is_ascii_alphabetic)
        .eq(other.bytes())
}

impl<'de> Deserialize<'de> for JsonRow {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = JsonRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonRow, A::Error> {
        let mut row = JsonRow::default();
        let mut keys = Vec::new();
        let mut address = None;
        while let Some(name) = map.next_key::<String>()? {
            let key = name.to_ascii_lowercase();
            match key.as_str() {
                "url" => row.url = map.next_value()?,
                "html" => row.html = map.next_value()?,
                "html_b64" => row.html_b64 = map.next_value()?,
                "headers" => row.headers = map.next_value::<RowHeaders>()?.0,
                "status" => row.status = map.next_value()?,
                "date" => row.date = map.next_value()?,
                "robots" => row.robots = map.next_value()?,
                "robots_status" => row.robots_status = map.next_value()?,
                _ => {
                    if let Some(meant) = JsonRow::misnamed(&key) {
                        return Err(A::Error::custom(format!(
                            "`{name}` is no key; did you mean `{meant}`?"
                        )));
                    }
                    if JsonRow::is_address(&key) {
                        address = Some(name);
                    }
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("`{key}` twice")));
            }
            keys.push(key);
        }
        match address {
            // Without its URL the page would pass by the robots.txt of its site.
            Some(key) if row.url.is_none() => Err(A::Error::custom(format!(
                "`{key}` is no key; did you mean `url`?"
            ))),
            _ => Ok(row),
        }
    }
}

/// Headers, as programs write them: pairs of texts, or an object of texts or lists of texts. A name
/// that comes twice has both values.
#[derive(Debug, Default)]
pub struct RowHeaders(pub Vec<(String, String)>);

impl<'de> Deserialize<'de> for RowHeaders {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(HeadersVisitor)
    }
}

struct HeadersVisitor;

impl<'de> Visitor<'de> for HeadersVisitor {
    type Value = RowHeaders;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`headers` as pairs of texts or an object of texts")
    }

    fn visit_unit<E>(self) -> Result<RowHeaders, E> {
        Ok(RowHeaders::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RowHeaders, A::Error> {
        let mut headers = RowHeaders::default();
        while let Some(pair) = seq.next_element()? {
            headers.0.push(pair);
        }
        Ok(headers)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RowHeaders, A::Error> {
        let mut headers = RowHeaders::default();
        while let Some((name, values)) = map.next_entry::<String, JsonValues>()? {
            match values {
                JsonValues::One(value) => headers.0.push((name, value)),
                JsonValues::Many(values) => {
                    for value in values {
                        headers.0.push((name.clone(), value));
                    }
                }
            }
        }
        Ok(headers)
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a header of `headers` is neither a text nor a list of texts"
)]
enum JsonValues {
    One(String),
    Many(Vec<String>),
}

/// Headers as a site may have meant them. Names lose the colons, blanks and control characters
/// around them. In a value with several lines, each line that looks like a header becomes one. A
/// value that may forbid something keeps all of them, too.
fn tidy(headers: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut tidy: Vec<(String, String)> = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        let (before, name) = name
            .trim_matches(is_junk)
            .rsplit_once(BREAKS)
            .unwrap_or(("", &name));
        tidy.extend(before.split(BREAKS).filter_map(header));
        // A whole line of a head under another name.
        if let Some(header) = header(&value)
            && RowHeaders::may_forbid(&header.0)
        {
            tidy.push(header);
        }
        let name = header_name(name);
        let mut lines = value.split(BREAKS);
        if RowHeaders::may_forbid(name) {
            tidy.push((name.to_owned(), value.clone()));
            tidy.extend(lines.skip(1).filter_map(header));
            continue;
        }
        tidy.push((name.to_owned(), lines.next().unwrap_or_default().to_owned()));
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
    let name = name.trim_matches(|c| c == ':' || is_junk(c));
    // As CGI has it.
    match name.strip_prefix("HTTP_") {
        Some(name) if RowHeaders::may_forbid(name) => name,
        _ => name,
    }
}

/// Parses a line that looks like a header.
fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    let name = header_name(name);
    if is_token(name) {
        Some((name.to_owned(), value.trim().to_owned()))
    } else {
        None
    }
}

/// True for a header that cannot be read, and that may be a publisher's wish.
fn is_unreadable_wish((name, value): &(String, String)) -> bool {
    !is_token(name) && http::holds_wish(&format!("{name}:{value}"))
}

impl JsonRow {
    /// The items of the row with this number of a table. It is one item; an unreadable robots.txt
    /// also gives damage. A page without a URL gets an empty one, which no page has.
    pub fn into_items(self, table: &str, number: u64) -> Vec<Item> {
        let origin = InputPlace {
            file: Arc::from(table),
            at: Some(ItemPlace::Number("row", number)),
        };
        self.alone(origin, &InputTerms::default())
    }

    /// As [`JsonRow::into_items`], but a robots.txt also gives an item for a record that is no
    /// page. So the last item is always the one of the row.
    ///
    /// ```
    /// use heedful_input::{Item, JsonRow};
    ///
    /// let mut row = JsonRow::default();
    /// row.url = Some("https://example.com/robots.txt".to_owned());
    /// row.html = Some("User-agent: *".to_owned());
    /// assert!(matches!(row.into_record("table", 1)[..], [Item::Robots(_), Item::Skipped(_)]));
    /// ```
    pub fn into_record(self, table: &str, number: u64) -> Vec<Item> {
        let origin = InputPlace {
            file: Arc::from(table),
            at: Some(ItemPlace::Number("row", number)),
        };
        self.alone(
            origin,
            &InputTerms {
                each_record: true,
                ..InputTerms::default()
            },
        )
    }

    /// The items of a row that belongs to no input.
    fn alone(self, origin: InputPlace, terms: &InputTerms) -> Vec<Item> {
        let stored = self
            .bytes
            .as_ref()
            .map_or(0, Vec::len)
            .max(self.html_b64.as_ref().map_or(0, String::len));
        self.items(
            String::new,
            origin,
            terms,
            &UnpackBudget::alone(&terms.limits, stored as u64),
        )
    }

    /// The items of a row, with a URL for a page that has none, and the room for a page that is
    /// packed.
    pub(super) fn items(
        mut self,
        url: impl FnOnce() -> String,
        origin: InputPlace,
        terms: &InputTerms,
        room: &UnpackBudget<'_>,
    ) -> Vec<Item> {
        let Some((robots, error)) = self.as_robots() else {
            return vec![self.page(url, origin, room)];
        };
        let url = self.url.clone();
        let captured = self.captured();
        let mut items = vec![Item::Robots(robots)];
        if let Some(error) = error {
            let damage = Damage::from_error(origin, error).for_page(url, captured);
            items.push(Item::Damage(damage));
        } else if terms.each_record {
            let skipped = Skipped::new(Skip::Other, url, captured, Some(origin));
            items.push(Item::Skipped(skipped));
        }
        items
    }

    fn page(
        mut self,
        url: impl FnOnce() -> String,
        origin: InputPlace,
        room: &UnpackBudget<'_>,
    ) -> Item {
        let captured = self.captured();
        let url = self.url.take().unwrap_or_else(url);
        let undated = match self.date.take() {
            Some(date) if captured.is_none() && !date.trim().is_empty() => Some(date),
            _ => None,
        };
        if let Some(status) = self.status
            && (!(200..300).contains(&status) || status == 206)
        {
            if status == 304 {
                let document = FetchedPage::new(url, self.headers, Body::Bytes(Vec::new()), origin);
                return Item::Unchanged(FetchedPage {
                    captured,
                    undated,
                    ..document
                });
            }
            return Item::Skipped(Skipped::new(
                Skip::Status(status),
                Some(url),
                captured,
                Some(origin),
            ));
        }
        if ContentType::from_headers(&self.headers).is_other() {
            return Item::Skipped(Skipped::new(Skip::Type, Some(url), captured, Some(origin)));
        }
        let robots = self.own_robots();
        let mut headers = self.headers.iter();
        if let Some((name, _)) = headers.find(|header| is_unreadable_wish(header)) {
            let message = format!("the header `{name}` may forbid and cannot be read");
            return Item::Damage(Damage::new(origin, message).for_page(Some(url), captured));
        }
        if self.headers.len() as u64 > room.limits.headers {
            return Item::Damage(
                Damage::from_error(origin, exceeded("headers", room.limits))
                    .for_page(Some(url), captured),
            );
        }
        let without_page = self.html.is_none() && self.bytes.is_none() && self.html_b64.is_none();
        let body = match self.body() {
            Ok(Body::Bytes(bytes)) => coding::of_page(bytes, room, false).map(Body::Bytes),
            body => body,
        };
        match body {
            Ok(Body::Bytes(bytes)) if magic::is_no_page(&bytes) => {
                Item::Skipped(Skipped::new(Skip::Type, Some(url), captured, Some(origin)))
            }
            Ok(body) => {
                let headers = std::mem::take(&mut self.headers);
                Item::Document(FetchedPage {
                    robots,
                    captured,
                    undated,
                    status: self.status,
                    ..FetchedPage::new(url, headers, body, origin)
                })
            }
            Err(error) => {
                let damage = Damage::from_error(origin, error).for_page(Some(url), captured);
                Item::Damage(Damage {
                    without_page,
                    ..damage
                })
            }
        }
    }

    /// The robots.txt for this page alone, if the row has one.
    fn own_robots(&self) -> Option<RobotsTxt> {
        let robots = match (self.robots_status, &self.robots) {
            (Some(status), body) => {
                let body = body.as_deref().unwrap_or_default().as_bytes();
                RobotsTxt::from_response(status, body).with_response(Some(status), body)
            }
            (None, Some(body)) => {
                RobotsTxt::parse(body.as_bytes()).with_response(None, body.as_bytes())
            }
            (None, None) => return None,
        };
        Some(robots.came_from(Source::given().with_status(self.robots_status)))
    }

    /// The answer for a robots.txt, if the row is one. An unreadable one may forbid anything, and
    /// comes with the reason.
    pub(super) fn as_robots(&mut self) -> Option<(Robots, Option<Error>)> {
        self.headers = tidy(std::mem::take(&mut self.headers));
        let (url, file) = parse_site_file(self.url.as_deref()?)?;
        let status = self.status.unwrap_or(200);
        let mut headers = self.headers.iter();
        let location = match headers.find(|(name, _)| name.eq_ignore_ascii_case("location")) {
            Some((_, target)) => url.join(target).ok(),
            None => None,
        };
        let mut trouble = None;
        let bytes = match self.body() {
            Ok(Body::Text(text)) => Some(text.into_bytes()),
            Ok(Body::Bytes(bytes)) => Some(bytes),
            Err(error) if (200..300).contains(&status) => {
                trouble = Some(error);
                None
            }
            Err(_) => Some(Vec::new()),
        };
        let body = bytes.as_deref().map(|bytes| (bytes, false));
        let answer = http::answer(file, status, location, body);
        let robots = Robots::new(&url, file, answer).fetched_at(self.captured());
        Some((robots, trouble))
    }

    fn captured(&self) -> Option<SystemTime> {
        self.date.as_deref().map(str::trim).and_then(warc::date)
    }

    fn body(&mut self) -> Result<Body, Error> {
        match (self.html.take(), self.bytes.take(), self.html_b64.take()) {
            (Some(_), _, Some(_)) | (_, Some(_), Some(_)) | (Some(_), Some(_), _) => Err(
                ErrorKind::Input("it has its page twice: `html` and `html_b64`".to_owned()).into(),
            ),
            (Some(html), ..) => Ok(Body::Text(html)),
            (None, Some(bytes), _) => Ok(Body::Bytes(bytes)),
            (None, None, Some(packed)) => {
                match base64::prelude::BASE64_STANDARD.decode(packed.trim()) {
                    Ok(bytes) => Ok(Body::Bytes(bytes)),
                    Err(error) => {
                        Err(ErrorKind::Input(format!("`html_b64` is no base64 ({error})")).into())
                    }
                }
            }
            (None, None, None) => {
                Err(ErrorKind::Input("neither `html` nor `html_b64`".to_owned()).into())
            }
        }
    }
}
