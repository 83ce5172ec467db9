//! How Google's own matcher (github.com/google/robotstxt) reads a robots.txt, where it differs from
//! the RFC.
//!
//! It takes bytes as they are. A line has up to 16,663 bytes, keys count by how they begin, and
//! nothing is decoded in a pattern. From a URL it takes the part after the host, in no normal form.
//! A file gets this reading only if a line differs.

use std::borrow::Cow;

use heedful_base::bot::Bot;

use super::agents::without_version;
use super::key::{KeyedLine, LineKey, RULES, TYPOS};
use super::line::RobotsLine;
use super::matching;

/// The number of bytes of a line that are read: eight times the longest URL of old browsers, less
/// one.
const LINE: usize = 2083 * 8 - 1;

/// An agent line or a rule.
pub(super) struct GoogleRecord<'a> {
    /// `None` for an agent line, else true if the rule allows.
    pub(super) rule: Option<bool>,
    /// The line without its comment and the blanks at its ends.
    pub(super) written: &'a [u8],
    pub(super) value: &'a [u8],
}

/// A file without its byte order mark, which may be incomplete.
pub(super) fn text(bytes: &[u8]) -> &[u8] {
    &bytes[matching::common_prefix(b"\xEF\xBB\xBF", bytes)..]
}

/// Reads a line that is an agent line or a rule.
pub(super) fn record(line: &[u8]) -> Option<GoogleRecord<'_>> {
    let line = &line[..line.len().min(LINE)];
    let end = memchr::memchr2(0, b'#', line).unwrap_or(line.len());
    let written = strip(&line[..end]);
    let end = match memchr::memchr(b':', written) {
        Some(colon) => colon,
        // A colon may be missing between two words.
        None => {
            let blank = memchr::memchr2(b' ', b'\t', written)?;
            let value = strip(&written[blank..]);
            memchr::memchr2(b' ', b'\t', value)
                .is_none()
                .then_some(blank)?
        }
    };
    Some(GoogleRecord {
        rule: kind(strip(&written[..end]))?,
        written,
        value: strip(&written[end + 1..]),
    })
}

/// What Google takes a key for: `Some(None)` for `User-agent`, `Some(Some(true))` for `Allow`,
/// `Some(Some(false))` for `Disallow`, `None` for any other key.
fn kind(key: &[u8]) -> Option<Option<bool>> {
    for (word, found) in RULES.iter().chain(&TYPOS) {
        if let Some(start) = key.get(..word.len())
            && start.eq_ignore_ascii_case(word.as_bytes())
        {
            return rule(*found);
        }
    }
    None
}

/// The same for a key of this program.
fn rule(key: LineKey) -> Option<Option<bool>> {
    match key {
        LineKey::Agent => Some(None),
        LineKey::Allow => Some(Some(true)),
        LineKey::Disallow => Some(Some(false)),
        LineKey::Purpose | LineKey::Record(_) => None,
    }
}

/// True if Google reads a line in the same way as this program does.
pub(super) fn is_same(line: &[u8], found: Option<&KeyedLine<'_>>) -> bool {
    let own = found.and_then(|found| Some((rule(found.key?)?, found.value)));
    let is_same = match found {
        Some(found) if own.is_some() => !found.is_sloppy() && is_plain(line),
        _ => !may_be_read(line),
    };
    is_same || own == record(line).map(|record| (record.rule, record.value))
}

/// True if a line may begin with a key that Google knows. Most lines with an unknown key are from
/// something that is no robots.txt.
fn may_be_read(line: &[u8]) -> bool {
    match line.iter().find(|byte| !is_blank(byte)) {
        Some(byte) => FIRST.contains(byte),
        None => false,
    }
}

/// True if a line with a key that is spelt right need not be read again: it is short, and has no
/// byte that only one of both takes for a blank.
fn is_plain(line: &[u8]) -> bool {
    is_whole(line) && memchr::memchr2(0, 0x0B, line).is_none()
}

/// True if a line is so short that nothing is cut off.
pub(super) fn is_whole(line: &[u8]) -> bool {
    line.len() <= LINE
}

/// The first letters of all keys that Google knows.
const FIRST: &[u8] = b"aAdDuU";

fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0B
}

fn strip(mut bytes: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = bytes
        && is_blank(first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && is_blank(last)
    {
        bytes = rest;
    }
    bytes
}

/// A pattern in Google's form: bytes outside of ASCII are encoded, hex digits are in upper case,
/// and nothing is decoded.
pub(super) fn pattern(value: &[u8]) -> Cow<'_, [u8]> {
    if value.is_ascii() && !value.contains(&b'%') {
        return value.into();
    }
    let mut pattern = Vec::with_capacity(value.len());
    let mut rest = value;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                pattern.extend([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]);
                rest = &after[2..];
            }
            (0x80.., _) => pattern.extend(matching::encode(*first)),
            _ => pattern.push(*first),
        }
    }
    pattern.into()
}

/// The length of a rule's pattern if it matches a path. The longest decides. An allowance of a
/// folder's `index.htm` that does not match counts as one of the folder.
pub(super) fn priority(rule: &RobotsLine<'_>, path: &[u8]) -> Option<usize> {
    let pattern = pattern(rule.value());
    if matching::matches(&pattern, path) {
        return Some(pattern.len());
    }
    let folder = &pattern[..=pattern.iter().rposition(|byte| *byte == b'/')?];
    let is_index = rule.allows() && pattern[folder.len()..].starts_with(b"index.htm");
    if !is_index {
        return None;
    }
    let folder = [folder, b"$"].concat();
    matching::matches(&folder, path).then_some(folder.len())
}

/// True if an agent line is for a bot. The line's name ends at the first character that is no
/// letter, `_` or `-`. The bot's name is compared whole.
pub(super) fn names(agent: &[u8], bot: &Bot) -> bool {
    let end = agent
        .iter()
        .position(|b| !(b.is_ascii_alphabetic() || matches!(b, b'_' | b'-')));
    let token = &agent[..end.unwrap_or(agent.len())];
    !token.is_empty()
        && bot
            .names()
            .any(|name| without_version(name.as_bytes()).eq_ignore_ascii_case(token))
}

/// The place of the first of some signs from a place on.
fn find_sign(url: &str, signs: &[char], from: usize) -> Option<usize> {
    Some(from + url[from..].find(signs)?)
}

/// The part of a URL that rules are compared with, as written. It begins at the first slash,
/// question mark or semicolon after the host.
pub(super) fn path(url: &str) -> Cow<'_, str> {
    let start = if url.starts_with("//") { 2 } else { 0 };
    let mut host = start;
    if let Some(length) = url[start..].find("://") {
        let scheme = start + length;
        let first = find_sign(url, &['/', '?', ';'], start);
        if first.is_none_or(|first| first >= scheme) {
            host = scheme + 3;
        }
    }
    let Some(begin) = find_sign(url, &['/', '?', ';'], host) else {
        return "/".into();
    };
    let end = find_sign(url, &['#'], start).unwrap_or(url.len());
    match url.get(begin..end) {
        Some(path) if path.starts_with('/') => path.into(),
        Some(path) if !path.is_empty() => format!("/{path}").into(),
        _ => "/".into(),
    }
}
