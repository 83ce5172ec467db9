//! Headers that stand where no reader looks for them, such as `{"response": {"headers": {"X-Robots-Tag": "noindex"}}}`.
//! A page whose denial would be passed over so is damage.
//!
//! A line is asked only if no header of it was read, and only lines with the name of such a header are parsed once more.
//! Nested request headers deny nothing, so names and values decide, and not the key that they stand under. A table's
//! rows are not looked at: its columns' names decide.

use serde_json::{Map, Value};

use super::row::Row;
use super::spelled::Word;

/// The headers with a publisher's wish, each with its rarest letter.
const WISHES: [Word; 4] =
    [Word(b"x-robots-tag", 0), Word(b"tdm-reservation", 9), Word(b"content-usage", 11), Word(b"content-signal", 11)];

/// The place of a header with a publisher's wish in a line of which no header was read.
pub(super) fn place(line: &[u8]) -> Option<String> {
    if !WISHES.iter().any(|wish| wish.is_in(line)) {
        return None;
    }
    let row: Map<String, Value> = serde_json::from_slice(line).ok()?;
    row.iter().filter(|(key, _)| !Row::is_key(key)).find_map(|(key, value)| {
        if is_wish(key) {
            return Some(key.clone());
        }
        inside(value).map(|below| format!("{key}{below}"))
    })
}

/// The place of such a header in a value, as the keys that lead to it.
fn inside(value: &Value) -> Option<String> {
    match value {
        Value::String(lines) => is_head(lines).then(String::new),
        Value::Object(map) => map.iter().find_map(|(key, value)| match value {
            _ if is_wish(key) => Some(String::new()),
            Value::String(name) if is_name_of_header(key) && is_wish(name) => Some(String::new()),
            _ => inside(value).map(|below| format!(".{key}{below}")),
        }),
        Value::Array(values) => values.iter().find_map(|value| match value {
            Value::Array(pair) if matches!(&pair[..], [Value::String(name), _] if is_wish(name)) => Some(String::new()),
            _ => inside(value),
        }),
        _ => None,
    }
}

/// True for the key that has the name of a header, as in HAR.
fn is_name_of_header(key: &str) -> bool {
    key.eq_ignore_ascii_case("name") || key.eq_ignore_ascii_case("key")
}

fn is_wish(name: &str) -> bool {
    WISHES.iter().any(|wish| wish.is(name.trim()))
}

/// True for the head of a response, or its lines alone, with such a header.
fn is_head(text: &str) -> bool {
    let mut names = text.lines().map(|line| line.split_once(':').map(|(name, _)| name));
    let is_token = |name: &str| !name.is_empty() && !name.contains(|c: char| !c.is_ascii_graphic());
    let begins = text.starts_with("HTTP/") || names.clone().next().flatten().is_some_and(is_token);
    begins && names.any(|name| name.is_some_and(is_wish))
}

impl Row {
    /// True if a nested column was probably meant to hold the headers of the response, which are read from a column
    /// `headers` alone. The path begins with the outermost name, such as `["response", "headers"]`.
    ///
    /// ```
    /// use heedful::input::Row;
    ///
    /// assert!(Row::is_misplaced(&["response", "headers"]));
    /// assert!(!Row::is_misplaced(&["request", "headers"]));
    /// ```
    pub fn is_misplaced(path: &[&str]) -> bool {
        let [outermost, .., last] = path else { return false };
        let outermost = outermost.to_ascii_lowercase();
        let is_answer = ["resp", "http"].iter().any(|part| outermost.contains(part));
        is_answer && !outermost.contains("req") && Row::means(last) == Some("headers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_with_a_wish_are_found_wherever_they_stand() {
        for (line, expected) in [
            (r#"{"response":{"headers":{"x-robots-tag":"noindex"}}}"#, "response.headers"),
            (r#"{"a":{"head":[["Date","x"],["X-Robots-Tag","noindex"]]}}"#, "a.head"),
            (r#"{"log":[{"headers":[{"name":"X-Robots-Tag","value":"noindex"}]}]}"#, "log.headers"),
            (r#"{"head":"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex"}"#, "head"),
            (r#"{"lines":"Content-Type: text/html\nTDM-Reservation: 1"}"#, "lines"),
            (r#"{"Content-Usage":"train-ai=n"}"#, "Content-Usage"),
            (r#"{"hdrs":{"Content-Signal":["ai-train=no"]}}"#, "hdrs"),
        ] {
            assert_eq!(place(line.as_bytes()).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn words_about_such_headers_are_none() {
        for line in [
            r#"{"html":"<p>X-Robots-Tag: noindex","title":"X-Robots-Tag","tags":["x-robots-tag","seo"]}"#,
            r#"{"text":"How to send a header\nX-Robots-Tag: noindex"}"#,
            r#"{"response":{"headers":{"Date":"today"},"note":"no x-robots-tag"}}"#,
            r#"{"robots":"User-agent: *\nContent-Signal: ai-train=no"}"#,
        ] {
            assert_eq!(place(line.as_bytes()), None, "{line}");
        }
    }
}
