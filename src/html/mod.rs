//! Facts of HTML as tables and small functions; no state. Source: the HTML standard.
//!
//! The properties of elements, and numbers for their names, are in `elements`. References are
//! decoded in `references`. Blanks and the ends of names are in `bytes`. This file has attributes,
//! sets of their names and META.

mod bytes;
mod elements;
mod references;

use std::borrow::Cow;
use std::ops::Range;

use bytes::{CLOSES, EQUALS, SLASH, WHITE, means};
pub(crate) use bytes::{begins_with, ends_tag_name};
pub use bytes::{is_blank, is_white_space};
pub use elements::Tag;
pub(crate) use elements::*;
pub use elements::{is_formatting, is_void, link_attribute, may_host_root, speaks_for_page};
pub(crate) use references::*;
pub use references::{blank_beginning, decode_value};

/// The target of a META refresh: `5; url='/next'`.
pub fn refresh(http_equiv: &str, content: &str) -> Option<String> {
    if !http_equiv.trim().eq_ignore_ascii_case("refresh") {
        return None;
    }
    let rest = content
        .trim_start()
        .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest
        .trim_start()
        .trim_start_matches([';', ','])
        .trim_start();
    let target = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            rest[3..].trim_start().strip_prefix('=')?.trim_start()
        }
        _ => rest,
    };
    let target = match target.chars().next()? {
        quote @ ('"' | '\'') => target[1..].split(quote).next()?,
        _ => target,
    };
    Some(target.trim().to_owned())
}

/// Calls `report` with the place of each name and value among a tag's attributes, by the standard's
/// attribute states. It begins at `at`, the end of the tag's name. Returns where the tag ends: at
/// its `>`, or where the bytes end.
#[inline]
pub(crate) fn attributes(
    bytes: &[u8],
    mut at: usize,
    mut report: impl FnMut(Range<usize>, Range<usize>),
) -> usize {
    loop {
        at = first(bytes, at, |byte| !means(byte, WHITE | SLASH));
        if bytes.get(at).is_none_or(|byte| *byte == b'>') {
            return at;
        }
        // A name may begin with `=`.
        let name = at..first(bytes, at + 1, |byte| {
            means(byte, WHITE | SLASH | CLOSES | EQUALS)
        });
        let equals = first(bytes, name.end, |byte| !means(byte, WHITE));
        if bytes.get(equals) != Some(&b'=') {
            at = name.end;
            report(name.clone(), name.end..name.end);
            continue;
        }
        let value = first(bytes, equals + 1, |byte| !means(byte, WHITE));
        let value = match bytes.get(value) {
            Some(quote @ (b'"' | b'\'')) => {
                let end = memchr::memchr(*quote, &bytes[value + 1..])
                    .map_or(bytes.len(), |length| value + 1 + length);
                at = (end + 1).min(bytes.len());
                value + 1..end
            }
            _ => {
                at = first(bytes, value, |byte| means(byte, WHITE | CLOSES));
                value..at
            }
        };
        report(name, value);
    }
}

/// The index of the first such byte from `at` on, or the end.
#[inline]
fn first(bytes: &[u8], mut at: usize, is_such: impl Fn(u8) -> bool) -> usize {
    while bytes.get(at).is_some_and(|byte| !is_such(*byte)) {
        at += 1;
    }
    at.min(bytes.len())
}

/// A set of attribute names, with a bit for each combination of first letter, last letter and
/// length. A name that is not in it is recognized at once. One that seems to be in it must still be
/// looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sieve(u64);

impl Sieve {
    pub(crate) const NONE: Self = Self(0);

    /// The set with this name alone, in any case.
    #[inline]
    pub(crate) const fn from_name(name: &[u8]) -> Self {
        let [first, ..] = name else { return Self::NONE };
        let last = name[name.len() - 1];
        // With these factors hardly any frequent name has the bit of a name that is asked for.
        let sum = (*first | 0x20) as usize * 10 + (last | 0x20) as usize * 23 + name.len() * 5;
        Self(1 << (sum % 64))
    }

    #[inline]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if a name of the one may be in the other.
    #[inline]
    pub(crate) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// True if a start tag is a META description, by its name and its attributes.
#[inline]
pub fn is_description<'a>(tag: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    tag == "meta"
        && attribute("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("description"))
}
