//! Finds restricting headers at positions of a JSON line that are never read, such as
//! `{"response": {"headers": {"X-Robots-Tag": "noindex"}}}`. The page of such a line is damage,
//! because the denial would be ignored.
//!
//! Only lines without readable headers are searched. Such a line is parsed a second time only if a
//! key that is not read, or its value, contains the name of a restricting header. A header is
//! recognized by its own name and value, and not by the keys above it. So request headers are
//! searched, too, but they deny nothing. All spellings of a header's name that programs use are
//! recognized. A line that cannot be parsed to its end is treated as if it had a restricting
//! header. The rows of tables are not searched: of a table, only the names of the columns are
//! checked.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::key_scan;
use super::row::{JsonRow, RowHeaders};

/// The last two words of the name of a header that restricts the use of a page: `robot` and `tag`
/// for `X-Robots-Tag`, for example.
struct RestrictingName {
    /// Last word but one of the header's name, such as `robot` in `X-Robots-Tag`. The word is in
    /// singular and lower case.
    first: &'static str,
    /// Last word of the header's name, such as `tag` in `X-Robots-Tag`. The word is in lower case.
    second: &'static str,
    /// Index of the rarest letter in `second`, the last word of the header's name. The search looks
    /// for this letter first.
    rare: usize,
}

impl RestrictingName {
    const fn new(first: &'static str, second: &'static str, rare: usize) -> Self {
        Self {
            first,
            second,
            rare,
        }
    }

    fn rare_letter(&self) -> u8 {
        self.second.as_bytes()[self.rare]
    }

    /// True if the line contains the last two words of this header's name around the index `at`.
    /// There, the search has found the rarest letter of the last word.
    fn is_at(&self, line: &[u8], at: usize) -> bool {
        let Some(start) = at.checked_sub(self.rare) else {
            return false;
        };
        let Some(word) = line.get(start..start + self.second.len()) else {
            return false;
        };
        word.eq_ignore_ascii_case(self.second.as_bytes())
            && ends_in_word(&line[..start], self.first)
    }
}

const RESTRICTING_NAMES: [RestrictingName; 5] = [
    RestrictingName::new("robot", "tag", 2),
    RestrictingName::new("tdm", "reservation", 5),
    RestrictingName::new("content", "usage", 3),
    RestrictingName::new("content", "signal", 2),
    RestrictingName::new("not", "index", 4),
];
/// Maximum length of a header's name, in bytes. A longer string is not the name of a header.
const LONGEST_NAME: usize = 64;
/// Maximum length of a path of JSON keys in an error message, in characters.
const LONGEST_PATH: usize = 80;

/// Searches a JSON line for a restricting header, such as `X-Robots-Tag`, that [`JsonRow`] does not
/// read. The line must be a valid JSON object. Returns the path of keys to the header. `None` if
/// there is no such header.
pub(super) fn place(line: &[u8]) -> Option<String> {
    let mut members = Members { rest: line };
    if members.any(|member| member.may_hold_header()) {
        search(line)
    } else {
        None
    }
}

/// Parses a JSON line, and searches it for a restricting header that [`JsonRow`] does not read.
/// Returns the path of keys to the header. `None` if there is no such header. If the line cannot be
/// parsed to its end, returns `another key` in place of a path.
fn search(line: &[u8]) -> Option<String> {
    let place = match serde_json::Deserializer::from_slice(line).deserialize_map(Keys) {
        Ok(place) => place?,
        Err(_) => "another key".to_owned(),
    };
    Some(place.chars().take(LONGEST_PATH).collect())
}

/// Key of a JSON object and its value, as they are written in the JSON.
struct Member<'l> {
    /// Key of the member, as written, with its quotes.
    key: &'l [u8],
    /// Whole member as written: key, colon and value.
    text: &'l [u8],
}

impl Member<'_> {
    /// True if the member may contain a restricting header that [`JsonRow`] does not read. There
    /// are two conditions: [`JsonRow`] does not read the member's key, and the member contains the
    /// name of a restricting header. An escaped letter in the member counts as such a name, because
    /// the letter may be part of one.
    fn may_hold_header(&self) -> bool {
        !self.is_read()
            && (may_have_restricting_name(self.text) || key_scan::has_escaped_letter(self.text))
    }

    fn is_read(&self) -> bool {
        std::str::from_utf8(self.key).is_ok_and(|key| JsonRow::is_key(key.trim_matches('"')))
    }
}

/// Iterator over the members of a valid JSON object, as they are written. Keys and values are not
/// decoded.
struct Members<'l> {
    rest: &'l [u8],
}

impl<'l> Iterator for Members<'l> {
    type Item = Member<'l>;

    fn next(&mut self) -> Option<Member<'l>> {
        let start = memchr::memchr(b'"', self.rest)?;
        let text = &self.rest[start..];
        let (key, value) = text.split_at(string_length(text));
        let (text, rest) = text.split_at(key.len() + value_length(value));
        self.rest = rest;
        Some(Member { key, text })
    }
}

/// Returns the length in bytes of the JSON string at the beginning of `text`, with its quotes.
fn string_length(text: &[u8]) -> usize {
    for at in memchr::memchr_iter(b'"', text).skip(1) {
        if !is_escaped_after(&text[..at]) {
            return at + 1;
        }
    }
    text.len()
}

/// True if `before` ends in an odd number of backslashes. Then the quote after `before` is escaped.
fn is_escaped_after(before: &[u8]) -> bool {
    let mut is_escaped = false;
    for byte in before.iter().rev() {
        if *byte != b'\\' {
            break;
        }
        is_escaped = !is_escaped;
    }
    is_escaped
}

/// Returns the length in bytes of `text` up to the end of the first JSON value in it. The value may
/// be preceded by a colon and blanks, and followed by blanks.
fn value_length(text: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at += string_length(&text[at..]);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b',' | b'}' | b']' if depth == 0 => break,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Serde visitor that searches a JSON line for a restricting header, such as `X-Robots-Tag`. Only
/// keys that [`JsonRow`] does not read are searched. Returns the path of keys to the first such
/// header. `None` if there is no such header.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut place = None;
        while let Some(key) = map.next_key::<String>()? {
            if JsonRow::is_key(&key) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let found = map.next_value_seed(HeaderSearch::from_key(&key))?;
            if place.is_none() {
                place = found.place_under(&key);
            }
        }
        Ok(place)
    }
}

/// Result of the search for restricting headers in one JSON value.
#[derive(Default)]
struct StrayHeaders {
    /// True if the JSON value may state a restriction. This is so if the value is the number 1 or a
    /// string that is not blank. It is also so if the value contains such a number or string.
    says: bool,
    /// True if the JSON value is a string with the name of a restricting header.
    is_name: bool,
    /// True if the JSON value is a pair: the name of a restricting header, and the value of that
    /// header.
    is_pair: bool,
    /// Path of keys from the JSON value to a restricting header inside of it. Empty if the value
    /// itself is a restricting header. `None` if there is no restricting header.
    place: Option<String>,
}

impl StrayHeaders {
    /// Returns the path of keys to the restricting header that was found in the JSON value. `None`
    /// if none was found. The path begins with `key`, the key of the JSON value.
    fn place_under(&self, key: &str) -> Option<String> {
        if self.says && RowHeaders::may_forbid(key) {
            return Some(key.to_owned());
        }
        let place = self.place.as_ref()?;
        if place.is_empty() {
            Some(key.to_owned())
        } else {
            Some(format!("{key}.{place}"))
        }
    }
}

/// Serde visitor that searches one JSON value for a restricting header such as `X-Robots-Tag`.
#[derive(Clone, Copy)]
struct HeaderSearch {
    /// True if the key of the JSON value contains `header` or `hdr`. A flat array under such a key
    /// has header names and header values in turn.
    of_headers: bool,
}

impl HeaderSearch {
    fn from_key(key: &str) -> Self {
        let key = key.to_ascii_lowercase();
        Self {
            of_headers: ["header", "hdr"].iter().any(|part| key.contains(part)),
        }
    }
}

impl<'de> DeserializeSeed<'de> for HeaderSearch {
    type Value = StrayHeaders;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<StrayHeaders, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for HeaderSearch {
    type Value = StrayHeaders;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<StrayHeaders, E> {
        Ok(StrayHeaders::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<StrayHeaders, E> {
        Ok(StrayHeaders::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<StrayHeaders, E> {
        Ok(StrayHeaders::default())
    }

    fn visit_u64<E>(self, number: u64) -> Result<StrayHeaders, E> {
        // `TDM-Reservation: 1` reserves the page, and JSON may write it as a number.
        Ok(StrayHeaders {
            says: number == 1,
            ..StrayHeaders::default()
        })
    }

    fn visit_f64<E>(self, _: f64) -> Result<StrayHeaders, E> {
        Ok(StrayHeaders::default())
    }

    fn visit_str<E>(self, text: &str) -> Result<StrayHeaders, E> {
        let place = (is_head(text) || is_json_with_header(text)).then(String::new);
        Ok(StrayHeaders {
            says: !text.trim().is_empty(),
            is_name: RowHeaders::may_forbid(text),
            place,
            ..StrayHeaders::default()
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StrayHeaders, A::Error> {
        let mut all = StrayHeaders::default();
        let mut has_name = false;
        let mut has_value = false;
        while let Some(key) = map.next_key::<String>()? {
            let found = map.next_value_seed(Self::from_key(&key))?;
            all.says |= found.says;
            if found.is_name && is_name_of_header(&key) {
                has_name = true;
            } else {
                has_value |= found.says;
            }
            if all.place.is_none() {
                all.place = found.place_under(&key);
            }
        }
        all.is_pair = has_name && has_value;
        Ok(all)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<StrayHeaders, A::Error> {
        let mut all = StrayHeaders::default();
        let mut last = StrayHeaders::default();
        let mut count = 0;
        let mut is_flat = false;
        while let Some(found) = seq.next_element_seed(self)? {
            all.says |= found.says;
            is_flat |= last.is_name && found.says && count % 2 == 1;
            if found.is_pair {
                all.place.get_or_insert_default();
            }
            count += 1;
            if all.place.is_none() {
                all.place.clone_from(&found.place);
            }
            last = found;
        }
        all.is_pair = is_flat && count == 2;
        if is_flat && self.of_headers {
            all.place.get_or_insert_default();
        }
        Ok(all)
    }
}

/// True if the value of the JSON key `key` is the name of a header. The key `name` in HAR files is
/// an example.
fn is_name_of_header(key: &str) -> bool {
    ["name", "key", "header", "field"]
        .iter()
        .any(|name| key.eq_ignore_ascii_case(name))
}

/// True if a text looks like an HTTP header section with a restricting header such as
/// `X-Robots-Tag`. The text may be only a part of a section.
fn is_head(text: &str) -> bool {
    let lines = text
        .lines()
        .map(|line| line.trim_start_matches(['<', '>', ' ']))
        .filter(|line| !line.is_empty());
    lines.clone().next().is_some_and(begins_head) && lines.clone().any(is_forbidding_header)
}

fn is_forbidding_header(line: &str) -> bool {
    line.split_once(':')
        .is_some_and(|(name, _)| RowHeaders::may_forbid(name))
}

/// True if `line` looks like the first line of an HTTP header section: a status line, a status
/// code, or a header.
fn begins_head(line: &str) -> bool {
    if line.starts_with("HTTP/") {
        return true;
    }
    let status = line.split(' ').next().unwrap_or_default();
    if status.len() == 3 && status.bytes().all(|b| b.is_ascii_digit()) {
        return true;
    }
    match line.split_once(':') {
        Some((name, _)) => !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic()),
        None => false,
    }
}

/// True if a text is JSON that contains a restricting header such as `X-Robots-Tag`.
fn is_json_with_header(text: &str) -> bool {
    if !text.trim_start().starts_with(['{', '[']) || !may_have_restricting_name(text.as_bytes()) {
        return false;
    }
    let search = HeaderSearch { of_headers: true };
    match search.deserialize(&mut serde_json::Deserializer::from_str(text)) {
        Ok(found) => found.place.is_some() || found.is_pair,
        Err(_) => false,
    }
}

/// True if a JSON text contains, next to each other, the last two words of a restricting header's
/// name.
fn may_have_restricting_name(line: &[u8]) -> bool {
    for letter in *b"gvx" {
        for at in memchr::memchr2_iter(letter, letter.to_ascii_uppercase(), line) {
            for name in &RESTRICTING_NAMES {
                if name.rare_letter() == letter && name.is_at(line, at) {
                    return true;
                }
            }
        }
    }
    false
}

/// True if `text` ends in `word` or in the plural of `word`. If the last character of `text` is
/// neither a letter nor a digit, that character is ignored.
fn ends_in_word(text: &[u8], word: &str) -> bool {
    let text = match text {
        [text @ .., sign] if !sign.is_ascii_alphanumeric() => text,
        text => text,
    };
    ends_in(text, word) || matches!(text, [text @ .., b's' | b'S'] if ends_in(text, word))
}

fn ends_in(text: &[u8], word: &str) -> bool {
    let start = text.len().checked_sub(word.len());
    start.is_some_and(|start| text[start..].eq_ignore_ascii_case(word.as_bytes()))
}

impl RowHeaders {
    /// True if `name` is the name of a header that may restrict the use of a page. Examples are
    /// `X-Robots-Tag`, `TDM-Reservation` and `Content-Usage`. Other spellings are recognized, too,
    /// such as `x_robots_tag`, `HTTP_X_ROBOTS_TAG` and `X-Robot-Tag`.
    ///
    /// ```
    /// use heedful_input::RowHeaders;
    ///
    /// assert!(RowHeaders::may_forbid("Robots-Tag"));
    /// assert!(RowHeaders::may_forbid("HTTP_X_ROBOTS_TAG"));
    /// assert!(!RowHeaders::may_forbid("Content-Type"));
    /// ```
    pub fn may_forbid(name: &str) -> bool {
        let name = name.rsplit(['.', '/', ':']).next().unwrap_or_default();
        if name.len() > LONGEST_NAME {
            return false;
        }
        let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let letters = letters.to_ascii_lowercase();
        let letters = letters.strip_suffix('s').unwrap_or(&letters);
        RESTRICTING_NAMES.iter().any(|name| {
            let words = letters.strip_suffix(name.second);
            words.is_some_and(|words| {
                let words = words.strip_suffix('s').unwrap_or(words);
                words.ends_with(name.first)
            })
        })
    }
}

impl JsonRow {
    /// True if a nested column was probably meant to contain the response headers. Such a column is
    /// not read, because headers are read only from the column `headers`. `path` has the column
    /// names from the outermost column to the nested one, such as `["response", "headers"]`.
    ///
    /// ```
    /// use heedful_input::JsonRow;
    ///
    /// assert!(JsonRow::is_misplaced(&["response", "headers"]));
    /// assert!(!JsonRow::is_misplaced(&["request", "headers"]));
    /// ```
    pub fn is_misplaced(path: &[&str]) -> bool {
        let [outermost, .., last] = path else {
            return false;
        };
        let outermost = outermost.to_ascii_lowercase();
        let is_answer = ["resp", "http"].iter().any(|part| outermost.contains(part));
        is_answer && !outermost.contains("req") && JsonRow::means(last) == Some("headers")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Returns a proptest strategy for JSON values. Some of the values contain restricting headers.
    fn values() -> impl Strategy<Value = String> {
        const VALUES: [&str; 14] = [
            "null",
            "1",
            "1e999",
            " true ",
            "[]",
            "{}",
            r#""""#,
            r#""noindex""#,
            r#""\\""#,
            r#""}{][,:\"\\\"""#,
            r#""\ud800""#,
            r#""<p class=\"a\">X-Robots-Tag: noindex\\""#,
            r#""HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex""#,
            r#""\u0058-Robots-Tag""#,
        ];
        let leaf = select(&VALUES[..]).prop_map(str::to_owned);
        leaf.prop_recursive(3, 8, 3, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..3);
            prop_oneof![
                list.prop_map(|values| format!("[ {} ]", values.join(" , "))),
                objects(inner),
            ]
        })
    }

    fn objects(values: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
        const KEYS: [&str; 10] = [
            r#""url""#,
            r#""html""#,
            r#""HTML""#,
            r#""ht\u006dl""#,
            r#""html\"""#,
            r#""name""#,
            r#""response.headers""#,
            r#""x-robots-tag""#,
            r#""\u0058-robots-tag""#,
            r#""b}\\""#,
        ];
        let member = (select(&KEYS[..]), values);
        let members = prop::collection::vec(member, 0..5);
        members.prop_map(|members| {
            let members: Vec<_> = members
                .iter()
                .map(|(key, value)| format!("{key} :{value}"))
                .collect();
            format!(" {{ {} }} ", members.join(" ,"))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn a_line_is_parsed_if_a_header_may_be_in_it(line in objects(values())) {
            // These values cannot be parsed, but a header beside them is found nevertheless.
            let parsable = line.replace("1e999", "1").replace("\\ud800", "");
            prop_assert_eq!(place(parsable.as_bytes()), search(parsable.as_bytes()), "{}", line);
            if search(parsable.as_bytes()).is_some() {
                prop_assert!(place(line.as_bytes()).is_some(), "{}", line);
            }
        }

        #[test]
        fn members_are_found_without_a_parser(line in objects(values())) {
            let members: Vec<_> = Members { rest: line.as_bytes() }
                .map(|member| String::from_utf8_lossy(member.text).into_owned())
                .collect();
            let again = format!("{{{}}}", members.join(","));
            let expected: String = line.split_whitespace().collect();
            prop_assert_eq!(again.split_whitespace().collect::<String>(), expected);
        }
    }

    #[test]
    fn restricting_headers_are_found_wherever_they_stand() {
        for (line, expected) in [
            (
                r#"{"response":{"headers":{"x-robots-tag":"noindex"}}}"#,
                "response.headers.x-robots-tag",
            ),
            (
                r#"{"a":{"head":[["Date","x"],["X-Robots-Tag","noindex"]]}}"#,
                "a.head",
            ),
            (
                r#"{"log":[{"headers":[{"name":"X-Robots-Tag","value":"noindex"}]}]}"#,
                "log.headers",
            ),
            (
                r#"{"head":"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex"}"#,
                "head",
            ),
            (
                r#"{"lines":"Content-Type: text/html\nTDM-Reservation: 1"}"#,
                "lines",
            ),
            (r#"{"Content-Usage":"train-ai=n"}"#, "Content-Usage"),
            (
                r#"{"hdrs":{"Content-Signal":["ai-train=no"]}}"#,
                "hdrs.Content-Signal",
            ),
            (
                r#"{"meta":{"x_robots_tag":"noindex"}}"#,
                "meta.x_robots_tag",
            ),
            (r#"{"meta":{"xRobotsTag":"noindex"}}"#, "meta.xRobotsTag"),
            (r#"{"meta":{"X-Robot-Tag":"noindex"}}"#, "meta.X-Robot-Tag"),
            (
                r#"{"env":{"HTTP_X_ROBOTS_TAG":"noindex"}}"#,
                "env.HTTP_X_ROBOTS_TAG",
            ),
            (r#"{"a":{"\u0058-Robots-Tag":"noindex"}}"#, "a.X-Robots-Tag"),
            (r#"{"a":{"Robots-Tag":"*;noindex"}}"#, "a.Robots-Tag"),
            (
                r#"{"a":{"Site-Search-Do-Not-Index":["yes"]}}"#,
                "a.Site-Search-Do-Not-Index",
            ),
            (r#"{"a":{"tdm-reservation":1}}"#, "a.tdm-reservation"),
            (
                r#"{"rawHeaders":["Date","x","X-Robots-Tag","noindex"]}"#,
                "rawHeaders",
            ),
            (
                r#"{"log":[{"header":"X-Robots-Tag","value":"noindex"}]}"#,
                "log",
            ),
            (
                r#"{"headers_json":"{\"X-Robots-Tag\":\"noindex\"}"}"#,
                "headers_json",
            ),
            (
                r#"{"response.headers.x-robots-tag":"noindex"}"#,
                "response.headers.x-robots-tag",
            ),
            (
                r#"{"head":"\r\n< HTTP/1.1 200 OK\r\n< X-Robots-Tag: noindex"}"#,
                "head",
            ),
            (r#"{"head":"200 OK\r\nX-Robots-Tag: noindex"}"#, "head"),
            (r#"{"lines":["Date: x","X-Robots-Tag: noindex"]}"#, "lines"),
            (
                r#"{"a":{"x-robots-tag":"noindex"},"a":1}"#,
                "a.x-robots-tag",
            ),
            (
                r#"{"a":{"x-robots-tag":"noindex"},"n":1e999}"#,
                "another key",
            ),
        ] {
            assert_eq!(place(line.as_bytes()).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn words_about_such_headers_are_none() {
        for line in [
            r#"{"html":"<p>X-Robots-Tag: noindex","n":1e999}"#,
            r#"{"html":"<p>X-Robots-Tag: noindex","title":"X-Robots-Tag","tags":["x-robots-tag","seo"]}"#,
            r#"{"text":"How to send a header\nX-Robots-Tag: noindex"}"#,
            r#"{"response":{"headers":{"Date":"today"},"note":"no x-robots-tag"}}"#,
            r#"{"seo":{"x-robots-tag":null,"tdm-reservation":0},"tags":[{"name":"X-Robots-Tag"}]}"#,
            r#"{"robots":"User-agent: *\nContent-Signal: ai-train=no"}"#,
        ] {
            assert_eq!(place(line.as_bytes()), None, "{line}");
        }
    }
}
