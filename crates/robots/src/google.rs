//! Parses a robots.txt as Google's own matcher does (github.com/google/robotstxt), where that
//! differs from RFC 9309.
//!
//! Google's matcher reads the file as bytes, without decoding. Only the first 16,663 bytes of a
//! line are parsed. A key is recognised by its beginning. Nothing is decoded in a pattern. The path
//! of a URL is the text after the host, not normalised. A file is parsed a second time for this
//! mode only if Google's matcher parses one of its lines differently.

use std::borrow::Cow;

use heedful_base::bot::Bot;

use super::agents::without_version;
use super::key::{KeyedLine, LineKey, RULES, TYPOS};
use super::line::RobotsLine;
use super::matching;

/// Maximum number of bytes of a line that Google's matcher parses. Google's source computes the
/// limit in this way. The number 2083 is the maximum URL length of old browsers.
const LINE: usize = 2083 * 8 - 1;

/// Agent line or rule of a robots.txt, as Google's matcher parses it.
pub(super) struct GoogleLine<'a> {
    /// `Some(true)` for an `Allow`, `Some(false)` for a `Disallow`, and `None` for an agent line.
    pub(super) rule: Option<bool>,
    /// The line as written, but without its comment and without the blanks at both ends.
    pub(super) written: &'a [u8],
    /// Value of the line: the text after the colon, trimmed.
    pub(super) value: &'a [u8],
}

/// Returns a file without the UTF-8 byte order mark at its start. An incomplete mark (its first one
/// or two bytes) is removed, too.
pub(super) fn text(bytes: &[u8]) -> &[u8] {
    &bytes[matching::common_prefix(b"\xEF\xBB\xBF", bytes)..]
}

/// Parses a line as Google's matcher does. Returns `None` if the line is neither an agent line nor
/// a rule.
pub(super) fn record(line: &[u8]) -> Option<GoogleLine<'_>> {
    let line = &line[..line.len().min(LINE)];
    let end = memchr::memchr2(0, b'#', line).unwrap_or(line.len());
    let written = strip(&line[..end]);
    let end = match memchr::memchr(b':', written) {
        Some(colon) => colon,
        // The colon may be missing in a line of two words.
        None => {
            let blank = memchr::memchr2(b' ', b'\t', written)?;
            let value = strip(&written[blank..]);
            memchr::memchr2(b' ', b'\t', value)
                .is_none()
                .then_some(blank)?
        }
    };
    Some(GoogleLine {
        rule: kind(strip(&written[..end]))?,
        written,
        value: strip(&written[end + 1..]),
    })
}

/// Classifies a key as Google's matcher does, by its beginning. Returns `Some(None)` for
/// `User-agent`, `Some(Some(true))` for `Allow`, `Some(Some(false))` for `Disallow`, and `None` for
/// any other key.
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

/// Classifies a [`LineKey`] in the same way as [`kind`]. Returns `Some(None)` for `User-agent`,
/// `Some(Some(true))` for `Allow`, `Some(Some(false))` for `Disallow`, and `None` for any other
/// key.
fn rule(key: LineKey) -> Option<Option<bool>> {
    match key {
        LineKey::Agent => Some(None),
        LineKey::Allow => Some(Some(true)),
        LineKey::Disallow => Some(Some(false)),
        LineKey::Purpose | LineKey::Record(_) => None,
    }
}

/// True if Google's matcher parses a line to the same key and value as heedful does. `found` has
/// heedful's key and value, or is `None` if heedful found no key.
pub(super) fn is_same(line: &[u8], found: Option<&KeyedLine<'_>>) -> bool {
    let own = found.and_then(|found| Some((rule(found.key?)?, found.value)));
    let is_same = match found {
        Some(found) if own.is_some() => !found.is_sloppy() && is_plain(line),
        _ => !may_be_read(line),
    };
    is_same || own == record(line).map(|record| (record.rule, record.value))
}

/// True if a line may begin with a key that Google's matcher knows. Only the first letter of the
/// line is compared.
fn may_be_read(line: &[u8]) -> bool {
    match line.iter().find(|byte| !is_blank(byte)) {
        Some(byte) => FIRST.contains(byte),
        None => false,
    }
}

/// True if a line is not longer than [`LINE`], and has no NUL and no vertical tab. If the key of
/// such a line is spelt exactly, Google's matcher parses the line as heedful does. Callers must
/// check the key.
fn is_plain(line: &[u8]) -> bool {
    is_within_line_limit(line) && memchr::memchr2(0, 0x0B, line).is_none()
}

/// True if a line is not longer than [`LINE`].
pub(super) fn is_within_line_limit(line: &[u8]) -> bool {
    line.len() <= LINE
}

/// First letters of all keys that Google's matcher knows.
const FIRST: &[u8] = b"aAdDuU";

/// True for a blank or a vertical tab.
fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0B
}

/// Cuts the blanks at both ends of `bytes`.
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

/// Converts a rule's pattern to the form that Google's matcher compares. Bytes outside of ASCII are
/// percent-encoded, and percent-encodings get upper-case hex digits. Nothing is decoded.
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

/// Returns the priority of a rule in Google's mode. Returns `None` if the rule does not match
/// `path`. The priority is the length of the rule's pattern in bytes. The rule with the greatest
/// priority decides. An `Allow` of `/a/index.htm` also matches the folder's path `/a/`. Then the
/// priority is that of the pattern `/a/$`.
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

/// True if `agent`, the value of an agent line, names `bot` in Google's mode. The name in `agent`
/// ends at the first character that is no letter, `_` or `-`. It must equal the whole name of the
/// bot, except for the version.
pub(super) fn is_named_by(agent: &[u8], bot: &Bot) -> bool {
    let end = agent
        .iter()
        .position(|b| !(b.is_ascii_alphabetic() || matches!(b, b'_' | b'-')));
    let token = &agent[..end.unwrap_or(agent.len())];
    !token.is_empty()
        && bot
            .names()
            .any(|name| without_version(name.as_bytes()).eq_ignore_ascii_case(token))
}

/// Returns the offset in `url` of the first character that is one of `signs`. The search begins at
/// the offset `from`. Returns `None` if there is no such character.
fn find_sign(url: &str, signs: &[char], from: usize) -> Option<usize> {
    Some(from + url[from..].find(signs)?)
}

/// Returns the part of a URL that is compared with rules in Google's mode. The part is not
/// normalised. It begins at the first slash, question mark or semicolon after the host. It ends
/// before the fragment.
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
