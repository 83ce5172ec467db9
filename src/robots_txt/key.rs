//! A line's key and its value.

use super::agents::is_pattern;
use super::records::{RecordKind, may_deny};

pub(super) enum Keyword {
    Agent,
    Rule {
        allow: bool,
    },
    Other,
    /// An allowance that cannot be told from junk.
    Nothing,
}

pub(super) struct FoundKey<'a> {
    pub(super) key: Keyword,
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) colon: Option<usize>,
    /// The key is misspelt, or its colon is missing.
    pub(super) sloppy: bool,
}

/// The key and the value of a line. If the colon is missing, the first blank takes its place, unless the line would
/// allow something.
pub(super) fn record(line: &[u8]) -> Option<FoundKey<'_>> {
    let colon = memchr::memchr(b':', line);
    let end = colon.or_else(|| memchr::memchr2(b' ', b'\t', line))?;
    let name = trim(&line[..end]);
    let is = |word: &[u8]| name.eq_ignore_ascii_case(word);
    let (key, misspelt) = if is(b"disallow") {
        (Keyword::Rule { allow: false }, false)
    } else if is(b"user-agent") {
        (Keyword::Agent, false)
    } else if is(b"allow") {
        (if colon.is_some() { Keyword::Rule { allow: true } } else { Keyword::Nothing }, false)
    } else if is(b"useragent") || is(b"user agent") {
        (Keyword::Agent, true)
    } else if [&b"dissallow"[..], b"dissalow", b"disalow", b"diasllow", b"disallaw"].into_iter().any(is) {
        (Keyword::Rule { allow: false }, true)
    } else if colon.is_some() || RecordKind::of(name).is_some_and(may_deny) {
        (Keyword::Other, false)
    } else {
        return None;
    };
    let sloppy = misspelt || colon.is_none();
    Some(FoundKey { key, name, value: trim(&line[end + 1..]), colon, sloppy })
}

pub(super) fn trim(bytes: &[u8]) -> &[u8] {
    let is_blank = |b: &u8| b.is_ascii_whitespace() || *b == 0;
    let start = bytes.iter().position(|b| !is_blank(b)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| !is_blank(b)).map_or(start, |n| n + 1);
    &bytes[start..end]
}

/// True if a line may mean something else than it says.
pub(super) fn is_suspect(found: Option<&FoundKey<'_>>) -> bool {
    let Some(found) = found else { return true };
    let odd = |byte: &u8| !byte.is_ascii_graphic() || matches!(byte, b'"' | b'\'' | b'`');
    match found.key {
        Keyword::Agent => {
            found.value.iter().any(|byte| odd(byte) || matches!(byte, b',' | b'|' | b':')) || is_pattern(found.value)
        }
        Keyword::Rule { .. } => found.value.iter().any(odd) || found.value.contains(&b':'),
        Keyword::Other => found.value.iter().any(odd) || RecordKind::of(found.name).is_none(),
        Keyword::Nothing => true,
    }
}
