//! The gate: decides whether a tag may make a statement. Most tags make none, as their names and
//! the names of their attributes show.
//!
//! In doubt the gate passes a tag, so it may pass too many tags but never too few. No convention
//! reads a tag that the gate does not pass.

use std::sync::LazyLock;

use crate::html::{Facts, Sieve, Tag};
use heedful_base::lenient::quotes;
use heedful_base::lenient::shape::parts_tokens;

use super::set::Conventions;
use super::view::Element;
use super::{element, profile};

/// True if one of [`element()`](super::element()), [`content`](super::content) and
/// [`tag`](super::tag) may find a statement, a declaration or a region mark in a tag.
pub(crate) fn may_have_statements(element: &impl Element, conventions: &Conventions) -> bool {
    let tag = element.tag();
    tag.has(Facts::HOLDS_PAGE_DIRECTIVES)
        || element::may_mark(element)
        || matches!(tag, Tag::A | Tag::AREA | Tag::FORM) && element.may_have(REL)
        || element.may_have(CLASS)
            && element
                .attribute("class")
                .is_some_and(|classes| may_be_classes(&classes))
        || conventions.custom.may_match(element)
}

const REL: Sieve = Sieve::from_name(b"rel");
const CLASS: Sieve = Sieve::from_name(b"class");

/// True if `classes`, the value of a `class` attribute, may contain an HTML class of a convention.
/// It is also true if the value contains a quote or separator that HTML does not know. A lenient
/// form may split the value there.
fn may_be_classes(classes: &str) -> bool {
    let meanings = &*MEANINGS;
    let means = |byte: u8| meanings[usize::from(byte)];
    let bytes = classes.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while let Some(byte) = bytes.get(at)
            && means(*byte) & SEPARATES == 0
        {
            at += 1;
        }
        if start < at {
            let first = means(bytes[start]);
            let last = means(bytes[at - 1]);
            if (first | last) & QUOTE != 0
                || first & BEGINS != 0 && may_be_class(&classes[start..at])
            {
                return true;
            }
        }
        if let Some(byte) = bytes.get(at)
            && (means(*byte) & ODD != 0 || is_dot_of_name(&bytes[at..]))
        {
            return true;
        }
        at += 1;
    }
    false
}

/// True if the bytes begin with a dot before a name, as in a CSS selector. Most dots in HTML
/// classes are parts of numbers.
fn is_dot_of_name(bytes: &[u8]) -> bool {
    matches!(bytes, [b'.', next, ..] if next.is_ascii_alphabetic())
}

fn may_be_class(class: &str) -> bool {
    element::is_class(class) || profile::may_be_class(class)
}

/// For each byte, its meanings in the value of a `class` attribute, as a bitmask. Most bytes have
/// none.
static MEANINGS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut meanings = [0; 256];
    for byte in 0..=u8::MAX {
        let meaning = &mut meanings[usize::from(byte)];
        if matches!(byte, b' ' | b'\t'..=b'\r') || parts_tokens(byte) {
            *meaning |= SEPARATES;
        }
        if !byte.is_ascii() {
            *meaning |= SEPARATES | ODD;
        }
        if quotes::may_be(byte) {
            *meaning |= QUOTE;
        }
    }
    for first in element::initials().chain([profile::INITIAL]) {
        meanings[usize::from(first)] |= BEGINS;
        meanings[usize::from(first.to_ascii_uppercase())] |= BEGINS;
    }
    meanings
});
/// Meaning of a byte: it separates two HTML classes. Some of these bytes do so only in a lenient
/// form.
const SEPARATES: u8 = 1;
const QUOTE: u8 = 1 << 1;
/// Meaning of a byte: it is the first byte of an HTML class of some convention.
const BEGINS: u8 = 1 << 2;
/// Meaning of a byte: it belongs to a character beyond ASCII, which may be a quote or separate two
/// HTML classes.
const ODD: u8 = 1 << 3;
