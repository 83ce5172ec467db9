//! Lines become groups of rules.

use crate::bot::{Bot, fold};

use super::{READ, matching};

/// The rules for some agents.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Agent values in lower case.
    agents: Vec<String>,
    /// Agent values as written.
    pub(super) written: Vec<String>,
    pub(super) rules: Vec<Rule>,
}

impl Group {
    pub(super) fn is_for_all(&self) -> bool {
        self.agents.iter().any(|agent| agent == "*")
    }

    /// Whether an agent line names the bot: whole names are compared, or the product tokens they begin with.
    pub(super) fn names(&self, bot: &Bot) -> bool {
        self.agents.iter().any(|agent| {
            bot.names().any(|name| agent == name || agent == product_token(name) || product_token(agent) == name)
        })
    }
}

/// What a name begins with: letters, digits, `_` and `-` (the RFC has no digits; real tokens do).
fn product_token(name: &str) -> &str {
    let end = name.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
    &name[..end.unwrap_or(name.len())]
}

/// One Allow or Disallow.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) line: u32,
    pub(super) allow: bool,
    pub(super) pattern: Vec<u8>,
    pub(super) written: String,
}

pub(super) fn groups(bytes: &[u8]) -> Vec<Group> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut groups: Vec<Group> = Vec::new();
    let mut naming = false;
    for (line, text) in lines(readable(bytes)) {
        let Some((key, value)) = record(text) else { continue };
        match key {
            Key::Agent => {
                if !naming {
                    groups.push(Group::default());
                }
                naming = true;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(fold(&value));
                    group.written.push(value);
                }
            }
            Key::Rule { allow } => {
                naming = false;
                let rule = rule(line, allow, &value, text);
                if let (Some(group), Some(rule)) = (groups.last_mut(), rule) {
                    group.rules.push(rule);
                }
            }
        }
    }
    groups
}

/// The part within the limit, cut at a line's end.
fn readable(bytes: &[u8]) -> &[u8] {
    if bytes.len() <= READ {
        return bytes;
    }
    let end = memchr::memrchr2(b'\n', b'\r', &bytes[..READ]);
    &bytes[..end.unwrap_or(0)]
}

/// Lines with their numbers; CR, LF and CR LF each end one.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = Some(bytes);
    let mut number = 0;
    std::iter::from_fn(move || {
        let bytes = rest?;
        number += 1;
        let end = memchr::memchr2(b'\n', b'\r', bytes);
        let Some(end) = end else {
            rest = None;
            return Some((number, bytes));
        };
        let next = if bytes[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rest = Some(&bytes[next..]);
        Some((number, &bytes[..end]))
    })
}

enum Key {
    Agent,
    Rule { allow: bool },
}

/// The key and the value of a line that matters. Where the colon is missing, the first blank takes its place.
fn record(line: &[u8]) -> Option<(Key, String)> {
    let line = String::from_utf8_lossy(line.split(|b| *b == b'#').next()?);
    let line = line.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
    let (key, value) = line.split_once(':').or_else(|| line.split_once([' ', '\t']))?;
    let key = match key.trim().to_ascii_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => Key::Agent,
        "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => Key::Rule { allow: false },
        "allow" => Key::Rule { allow: true },
        _ => return None,
    };
    Some((key, value.trim().to_owned()))
}

/// A rule, unless it is empty. The pattern comes from the bytes, for a path need not be UTF-8.
fn rule(line: u32, allow: bool, value: &str, text: &[u8]) -> Option<Rule> {
    if value.is_empty() {
        return None;
    }
    let bytes = text.split(|b| *b == b'#').next()?.trim_ascii();
    let value = bytes.iter().position(|b| *b == b':').or_else(|| memchr::memchr2(b' ', b'\t', bytes))?;
    let mut value = bytes[value + 1..].trim_ascii().to_vec();
    if let Some(path) = path_of_url(&value) {
        value = path;
    }
    if !matches!(value.first(), Some(b'/' | b'*')) {
        if allow {
            return None;
        }
        value.insert(0, b'/');
    }
    let written = String::from_utf8_lossy(bytes).into_owned();
    Some(Rule { line, allow, pattern: matching::normal_pattern(&value), written })
}

/// The path of a pattern that was written as a whole URL.
fn path_of_url(value: &[u8]) -> Option<Vec<u8>> {
    let rest = value.strip_prefix(b"https://").or_else(|| value.strip_prefix(b"http://"))?;
    Some(rest.iter().position(|b| *b == b'/').map_or_else(|| b"/".to_vec(), |slash| rest[slash..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts_once() {
        let found: Vec<_> = lines(b"a\r\nb\rc\n\nd").map(|(n, l)| (n, String::from_utf8_lossy(l).into_owned())).collect();
        let expected = [(1, "a"), (2, "b"), (3, "c"), (4, ""), (5, "d")];
        assert_eq!(found, expected.map(|(n, l)| (n, l.to_owned())));
    }

    #[test]
    fn a_line_over_the_limit_is_not_read_in_part() {
        let mut file = b"User-agent: *\nDisallow: /".to_vec();
        file.resize(READ + 10, b'a');
        assert!(groups(&file)[0].rules.is_empty());
    }
}
