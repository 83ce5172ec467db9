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

    /// Whether an agent line names the bot: names without versions are compared, or the product tokens they begin
    /// with.
    pub(super) fn names(&self, bot: &Bot) -> bool {
        self.agents.iter().any(|agent| {
            let agent = without_version(agent);
            bot.names()
                .map(without_version)
                .any(|name| agent == name || agent == product_token(name) || product_token(agent) == name)
        })
    }
}

/// `foobot` of `foobot/2.1 (+https://...)`.
fn without_version(name: &str) -> &str {
    name.split(['/', '(']).next().unwrap_or_default().trim_end()
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

/// The groups of a file. A misspelt agent line may take a bot out of the group it would else belong to: with `strict`
/// such lines are none.
pub(super) fn groups(bytes: &[u8], strict: bool) -> Vec<Group> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut groups: Vec<Group> = Vec::new();
    let mut naming = false;
    for (line, text) in lines(readable(bytes)) {
        let Some((key, value)) = record(text) else { continue };
        match key {
            Key::Agent { misspelt: true } if strict => {}
            Key::Agent { .. } => {
                if !naming {
                    groups.push(Group::default());
                }
                naming = true;
                if let Some(group) = groups.last_mut() {
                    let value = String::from_utf8_lossy(value);
                    group.agents.push(fold(&value));
                    group.written.push(value.into_owned());
                }
            }
            Key::Rule { allow } => {
                naming = false;
                let rule = rule(line, allow, value, text);
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
    Agent { misspelt: bool },
    Rule { allow: bool },
}

/// The key and the value of a line that matters. Where the colon is missing, the first blank takes its place, unless
/// the line would allow something.
fn record(line: &[u8]) -> Option<(Key, &[u8])> {
    let line = line.split(|b| *b == b'#').next()?;
    let line = trim(line);
    let colon = memchr::memchr(b':', line);
    let end = colon.or_else(|| memchr::memchr2(b' ', b'\t', line))?;
    let key = match trim(&line[..end]).to_ascii_lowercase().as_slice() {
        b"user-agent" => Key::Agent { misspelt: colon.is_none() },
        b"useragent" | b"user agent" => Key::Agent { misspelt: true },
        b"disallow" | b"dissallow" | b"dissalow" | b"disalow" | b"diasllow" | b"disallaw" => Key::Rule { allow: false },
        b"allow" if colon.is_some() => Key::Rule { allow: true },
        _ => return None,
    };
    Some((key, trim(&line[end + 1..])))
}

fn trim(bytes: &[u8]) -> &[u8] {
    let is_blank = |b: &u8| b.is_ascii_whitespace() || *b == 0;
    let start = bytes.iter().position(|b| !is_blank(b)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| !is_blank(b)).map_or(start, |n| n + 1);
    &bytes[start..end]
}

/// A rule, unless it is empty.
fn rule(line: u32, allow: bool, value: &[u8], text: &[u8]) -> Option<Rule> {
    let mut value = value.to_vec();
    match path_of_url(&value) {
        Some(_) if allow => return None,
        Some(path) => value = path,
        None => {}
    }
    match value.first() {
        None => return None,
        Some(b'/' | b'*') => {}
        Some(_) if allow => return None,
        Some(_) => value.insert(0, b'/'),
    }
    if !allow {
        // A URL has no backslashes: the standard's parser makes slashes of them.
        for byte in value.iter_mut().filter(|byte| **byte == b'\\') {
            *byte = b'/';
        }
    }
    let written = String::from_utf8_lossy(trim(text.split(|b| *b == b'#').next()?)).into_owned();
    Some(Rule { line, allow, pattern: matching::normal_pattern(&value), written })
}

/// The path of a pattern that was written as a whole URL.
fn path_of_url(value: &[u8]) -> Option<Vec<u8>> {
    let lower = value.to_ascii_lowercase();
    let scheme = [&b"https://"[..], b"http://"].into_iter().find(|scheme| lower.starts_with(scheme))?;
    let rest = &value[scheme.len()..];
    Some(rest.iter().position(|b| *b == b'/').map_or_else(|| b"/".to_vec(), |slash| rest[slash..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts_once() {
        let found: Vec<_> =
            lines(b"a\r\nb\rc\n\nd").map(|(n, l)| (n, String::from_utf8_lossy(l).into_owned())).collect();
        let expected = [(1, "a"), (2, "b"), (3, "c"), (4, ""), (5, "d")];
        assert_eq!(found, expected.map(|(n, l)| (n, l.to_owned())));
    }

    #[test]
    fn a_line_over_the_limit_is_not_read_in_part() {
        let mut file = b"User-agent: *\nDisallow: /".to_vec();
        file.resize(READ + 10, b'a');
        assert!(groups(&file, false)[0].rules.is_empty());
    }
}
