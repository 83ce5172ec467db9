//! Facts of HTML as tables and small functions; no state. Source: the HTML standard.
//!
//! `elements` says which do what, `references` decodes; here stand attributes, blanks and META.

mod elements;
mod references;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use elements::*;
pub(crate) use references::*;

/// The target of a META refresh: `5; url='/next'`.
pub(crate) fn refresh(http_equiv: &str, content: &str) -> Option<String> {
    if !http_equiv.trim().eq_ignore_ascii_case("refresh") {
        return None;
    }
    let rest = content.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let target = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => rest[3..].trim_start().strip_prefix('=')?.trim_start(),
        _ => rest,
    };
    let target = match target.chars().next()? {
        quote @ ('"' | '\'') => target[1..].split(quote).next()?,
        _ => target,
    };
    Some(target.trim().to_owned())
}

pub(crate) fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// The same for a character.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_ascii() && is_white_space(c as u8)
}

/// Tells of the attributes of a tag from `at`, where its name ends, by the standard's attribute states: where each name and
/// value stands. Returns where the tag ends: at its `>`, or where the bytes end.
pub(crate) fn attributes(bytes: &[u8], mut at: usize, mut tell: impl FnMut(Range<usize>, Range<usize>)) -> usize {
    loop {
        at = first(bytes, at, |byte| !is_white_space(byte) && byte != b'/');
        if at >= bytes.len() || bytes[at] == b'>' {
            return at;
        }
        // A name may begin with `=`.
        let name = at..first(bytes, at + 1, |byte| is_white_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let equals = first(bytes, name.end, |byte| !is_white_space(byte));
        if bytes.get(equals) != Some(&b'=') {
            at = name.end;
            tell(name.clone(), name.end..name.end);
            continue;
        }
        let value = first(bytes, equals + 1, |byte| !is_white_space(byte));
        let value = match bytes.get(value) {
            Some(quote @ (b'"' | b'\'')) => {
                let end = first(bytes, value + 1, |byte| byte == *quote);
                at = (end + 1).min(bytes.len());
                value + 1..end
            }
            _ => {
                at = first(bytes, value, |byte| is_white_space(byte) || byte == b'>');
                value..at
            }
        };
        tell(name, value);
    }
}

/// Where the first such byte stands from `at` on, or the end.
fn first(bytes: &[u8], at: usize, is_such: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().position(|byte| is_such(*byte)).map_or(bytes.len(), |found| at + found)
}

/// Whether a start tag is a META description, by its name and its attributes.
pub(crate) fn is_description<'a>(tag: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    tag == "meta" && attribute("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("description"))
}
