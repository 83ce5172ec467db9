//! Facts of HTML as tables and pure functions. Source: the HTML standard.
//!
//! The properties of elements, and numbers for their names, are in `elements`. The landmarks of a
//! page are in `landmark`. Character references are decoded in `references`. Classes of bytes are
//! in `bytes`. This file parses attributes and META, and has bitmask sets of attribute names.

mod bytes;
mod elements;
mod landmark;
mod references;

use std::borrow::Cow;
use std::ops::Range;

use bytes::{CLOSES, EQUALS, SLASH, WHITE, means};
pub(crate) use bytes::{begins_with, ends_tag_name};
pub use bytes::{is_blank, is_white_space};
pub use elements::Tag;
pub(crate) use elements::*;
pub use elements::{is_formatting, is_void, link_attribute, may_host_root, speaks_for_page};
pub(crate) use landmark::{ElementRole, element_role};
pub use landmark::{Landmark, Landmarks};
pub(crate) use references::*;
pub use references::{blank_beginning, decode_value};

/// Returns the URL in the `content` of a META refresh, as in `5; url='/next'`. `None` if
/// `http_equiv` is not `refresh`, or no URL is given.
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

/// Calls `report` with the ranges of the name and the value of each attribute in a tag, by the
/// standard's attribute states. `at` is the end of the tag's name in `bytes`. Returns the offset of
/// the tag's `>`, or the length of `bytes` if the tag does not end.
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
        // The standard lets a name begin with `=`.
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

/// Returns the index of the first byte from `at` on for which `is_such` is true. If there is none,
/// returns the length of `bytes`.
#[inline]
fn first(bytes: &[u8], mut at: usize, is_such: impl Fn(u8) -> bool) -> usize {
    while bytes.get(at).is_some_and(|byte| !is_such(*byte)) {
        at += 1;
    }
    at.min(bytes.len())
}

/// Set of attribute names as a bitmask, with a bit for each combination of first letter, last
/// letter and length. A look-up has false positives and no false negatives: a name whose bit is set
/// must still be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sieve(u64);

impl Sieve {
    pub(crate) const NONE: Self = Self(0);

    /// Returns the set with this name alone. ASCII case is ignored.
    #[inline]
    pub(crate) const fn from_name(name: &[u8]) -> Self {
        let [first, ..] = name else { return Self::NONE };
        let last = name[name.len() - 1];
        // With these factors hardly any frequent name shares a bit with a name that conventions
        // look up.
        let sum = (*first | 0x20) as usize * 10 + (last | 0x20) as usize * 23 + name.len() * 5;
        Self(1 << (sum % 64))
    }

    #[inline]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if some name may be in both sets.
    #[inline]
    pub(crate) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// True if a start tag with the name `tag` is a META description. `attribute` returns the value of
/// the tag's attribute of a given name.
#[inline]
pub fn is_description<'a>(tag: &str, attribute: impl Fn(&str) -> Option<Cow<'a, str>>) -> bool {
    tag == "meta"
        && attribute("name").is_some_and(|name| name.trim().eq_ignore_ascii_case("description"))
}
