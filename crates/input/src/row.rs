//! A page as plain data: a JSON line, a row of a table, or the arguments of a program's call.
//! `JsonRow` interprets the keys, and decides which item of an input the row becomes.
//!
//! Keys of a row may be upper or lower case; a repeated key is damage. Unknown keys are ignored,
//! except a key that probably was meant to contain a denial, such as a misspelt `headers`: a row
//! with such a key is damage. A header is never dropped: an invalid one makes the row damage. A row
//! with the URL of a robots.txt is that robots.txt. If such a row cannot be read, the robots.txt
//! forbids everything, and the row is damage, too.

use std::borrow::Cow;
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

/// A page as plain data, from a JSON line, a row of a table or a program.
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
    /// URL of the page, or of the robots.txt if the row is one.
    pub url: Option<String>,
    /// Body of the page as decoded text. A charset that the page declares is ignored.
    pub html: Option<String>,
    /// Body of the page as bytes, whose charset is detected.
    pub bytes: Option<Vec<u8>>,
    /// Body of the page as bytes in base64. The charset of the bytes is detected.
    pub html_b64: Option<String>,
    /// Headers of the HTTP response, as pairs of name and value. Usual defects of headers from
    /// sites and archives are repaired where possible.
    pub headers: Vec<(String, String)>,
    /// Status code of the HTTP response. A page with 304 is an unchanged page. A page with 206, or
    /// with any status other than 304 and 2xx, is skipped.
    pub status: Option<u16>,
    /// Time at which the page was fetched, by RFC 3339. A value that cannot be parsed is treated as
    /// an unknown time. [`FetchedPage::undated`] then returns the value.
    pub date: Option<String>,
    /// Text of a robots.txt that applies to this page alone.
    pub robots: Option<String>,
    /// Status code of the HTTP response that contained the robots.txt in `robots`.
    pub robots_status: Option<u16>,
    /// Name of the key or column with text that was extracted from a page, such as `markdown`.
    /// `None` if the row has no such key. If a row has this key and no body, the row is from a data
    /// set of texts. Such a row has no page.
    pub(super) text_key: Option<String>,
}

/// All keys of a row, in lower case.
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
/// Keys of a row whose value may contain a denial.
const DENYING: [&str; 3] = ["headers", "robots", "robots_status"];
/// Names that other programs use in place of the keys of a row. Each name is paired with the key
/// that it means. The names are written here without digits and punctuation.
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
    /// Returns the key that an unknown name probably means. Only keys that may contain a denial are
    /// considered. A row with such a name must be refused. If the name were ignored, a denied page
    /// would leak. `None` for known names, and for the names of unrelated columns.
    ///
    /// ```
    /// use heedful_input::JsonRow;
    ///
    /// assert_eq!(JsonRow::misnamed("http_headers"), Some("headers"));
    /// assert_eq!(JsonRow::misnamed("robots.txt"), Some("robots"));
    /// assert_eq!(JsonRow::misnamed("headers"), None);
    /// assert_eq!(JsonRow::misnamed("title"), None);
    /// ```
    pub fn misnamed(name: &str) -> Option<&'static str> {
        Self::means(name).filter(|meant| !name.eq_ignore_ascii_case(meant))
    }

    /// Returns the key of a row that `name` equals or probably means. Only keys that may contain a
    /// denial are considered. `None` if there is no such key.
    pub(super) fn means(name: &str) -> Option<&'static str> {
        // A longer name is no misspelling of a key.
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
        // Unknown keys about robots may hold a denial, too: `robots_b64` and `meta_robots` do.
        near(&name, DENYING).or_else(|| name.contains("robots").then_some("robots"))
    }

    /// True if other programs use `name` as the key or column with the URL of a page. An example is
    /// `target_uri`.
    fn is_address(name: &str) -> bool {
        ["uri", "targeturi", "warctargeturi", "pageurl", "targeturl"]
            .iter()
            .any(|other| has_letters(name, other))
    }

    /// True if `name` is a key or column in which data sets of extracted text store the text.
    /// Examples are `text` in C4, and `markdown` in web crawls that were converted to Markdown.
    pub(super) fn is_text(name: &str) -> bool {
        ["text", "raw_content", "content", "markdown"]
            .iter()
            .any(|other| name.eq_ignore_ascii_case(other))
    }

    /// True if `name` is a key of a row, in upper or lower case.
    pub(super) fn is_key(name: &str) -> bool {
        KEYS.iter().any(|key| name.eq_ignore_ascii_case(key))
    }
}

/// True if the letters of `name`, in their order, spell `other`. Digits and punctuation in `name`
/// are ignored.
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
                    } else if JsonRow::is_text(&key) {
                        row.text_key = Some(name);
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
            // A page without its URL would escape its site's robots.txt.
            Some(key) if row.url.is_none() => Err(A::Error::custom(format!(
                "`{key}` is no key; did you mean `url`?"
            ))),
            _ => Ok(row),
        }
    }
}

/// Response headers as programs write them in JSON. The JSON is an array of pairs of strings, or an
/// object whose values are strings or lists of strings. If a name is repeated, all its values are
/// retained.
///
/// ```
/// use heedful_input::RowHeaders;
///
/// let pairs: RowHeaders = serde_json::from_str(r#"[["X-Robots-Tag", "noindex"]]"#)?;
/// let object: RowHeaders = serde_json::from_str(r#"{"X-Robots-Tag": ["noindex"]}"#)?;
/// assert_eq!(pairs.0, [("X-Robots-Tag".to_owned(), "noindex".to_owned())]);
/// assert_eq!(object.0, pairs.0);
/// # Ok::<(), serde_json::Error>(())
/// ```
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

/// Repairs response headers so that they say what the site probably meant. Colons, blanks and
/// control characters around a name are removed. If a value has several lines, each line that looks
/// like a header becomes a separate header. This line is then removed from the value. If the
/// original header may forbid something, no line is removed from its value.
fn tidy(headers: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut tidy: Vec<(String, String)> = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        let (before, name) = name
            .trim_matches(is_junk)
            .rsplit_once(BREAKS)
            .unwrap_or(("", &name));
        tidy.extend(before.split(BREAKS).filter_map(header));
        // Some exports put a complete header line into the value of another name.
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
    // CGI prefixes header names with `HTTP_`.
    match name.strip_prefix("HTTP_") {
        Some(name) if RowHeaders::may_forbid(name) => name,
        _ => name,
    }
}

/// Parses a line that looks like a header into name and value; `None` for other lines.
fn header(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    let name = header_name(name);
    if is_token(name) {
        Some((name.to_owned(), value.trim().to_owned()))
    } else {
        None
    }
}

/// True if the header may forbid something but has an invalid name.
fn is_unreadable_restriction((name, value): &(String, String)) -> bool {
    !is_token(name) && http::has_restricting_word(&format!("{name}:{value}"))
}

impl JsonRow {
    /// Converts the row into the items of an input. In error messages, the row has the number
    /// `number` in the table `table`. A row gives one item. Only an unreadable robots.txt gives
    /// two: the robots.txt and damage. A page without a URL gets an empty URL, so the filter
    /// refuses it.
    ///
    /// ```
    /// use heedful_input::{Item, JsonRow};
    ///
    /// let mut row = JsonRow::default();
    /// row.url = Some("https://example.com/".to_owned());
    /// row.headers.push(("X-Robots-Tag(1)".to_owned(), "noindex".to_owned()));
    /// row.html = Some("<p>Rye".to_owned());
    ///
    /// // A header that may forbid is never dropped, however its name is damaged.
    /// assert!(matches!(row.into_items("table", 1)[..], [Item::Damage(_)]));
    /// ```
    pub fn into_items(self, table: &str, number: u64) -> Vec<Item> {
        let origin = InputPlace {
            file: Arc::from(table),
            at: Some(ItemPlace::Number("row", number)),
        };
        self.alone(origin, &InputTerms::default())
    }

    /// Converts the row into items, like [`JsonRow::into_items`]. In error messages, the row has
    /// the number `number` in the table `table`. A robots.txt gives an additional
    /// [`Item::Skipped`]. So the last item is always a page, a skipped record or damage, and never
    /// an [`Item::Robots`].
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

    /// Returns the items for a row that was not read from an input. `origin` is the row's location
    /// for messages.
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

    /// Converts the row into its items. `url` returns the URL for a page without a URL of its own.
    /// `origin` is the row's location for messages, and `room` bounds the unpacked size of the
    /// page.
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
        if let Some((name, _)) = headers.find(|header| is_unreadable_restriction(header)) {
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
            Ok(Body::Bytes(bytes)) => coding::of_page(Cow::Owned(bytes), room, false)
                .map(|bytes| Body::Bytes(bytes.into_owned())),
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

    /// Parses the robots.txt that the row gives for its page alone. `None` if the row has none.
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
        Some(robots.with_source(Source::given().with_status(self.robots_status)))
    }

    /// Returns the row as a robots.txt, if the row's URL is that of a robots.txt. `None` for other
    /// rows. If the body of the row cannot be read, the robots.txt forbids everything. Then the
    /// error is returned, too.
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
            Ok(body) => Some(body.into_bytes()),
            Err(error) if (200..300).contains(&status) => {
                trouble = Some(error);
                None
            }
            Err(_) => Some(Vec::new()),
        };
        let body = bytes.as_deref().map(|bytes| (bytes, false));
        let answer = http::site_file_response(file, status, location, body);
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
                let message = match &self.text_key {
                    None => "neither `html` nor `html_b64`".to_owned(),
                    Some(key) => format!(
                        "neither `html` nor `html_b64`, but `{key}`: it looks like the extracted text of a page, as in FineWeb, C4 or WET. \
                         The page's denials are not in it: `mask ARCHIVES --beside FILE` asks its page, `mask --urls FILE` its site"
                    ),
                };
                Err(ErrorKind::Input(message).into())
            }
        }
    }
}
