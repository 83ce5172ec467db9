//! Quotes that HTML, a comment's mark or a robots.txt does not take for quotes. Editors put them in
//! place of straight ones, or a straight one is written inside a value. The author means a quote.
//! This file only finds them.

use std::borrow::Cow;

use super::sign::{SignClass, class_of};

/// True for a typographic quote, a straight one, or a sign that is used as one. U+FFFD counts too:
/// it is what is left of a quote whose bytes were no text. NUL counts because HTML replaces it by
/// U+FFFD, and some names are read as written.
pub fn is_quote(sign: char) -> bool {
    class_of(sign) == Some(SignClass::Quote)
}

/// Quotes as character references, for markup that is not decoded.
const REFERENCES: [&str; 20] = [
    "&quot;", "&apos;", "&#34;", "&#39;", "&#x22;", "&#x27;", "&ldquo;", "&rdquo;", "&bdquo;",
    "&lsquo;", "&rsquo;", "&sbquo;", "&laquo;", "&raquo;", "&#8220;", "&#8221;", "&#8222;",
    "&#8216;", "&#8217;", "&prime;",
];

/// True if a byte may begin or end such a sign. Hardly any text has such a byte.
pub const fn may_be(byte: u8) -> bool {
    byte >= 0x80 || matches!(byte, 0 | b'"' | b'\'' | b'`' | b'\\' | b'&' | b';')
}

/// True if a text may begin or end with a quote.
pub fn may_enclose(text: &str) -> bool {
    text.bytes().next().is_some_and(may_be) || text.bytes().next_back().is_some_and(may_be)
}

/// True if a quote is opened at the start and not closed at the end.
pub fn is_open(text: &str) -> bool {
    may_enclose(text) && text.starts_with(is_quote) && !is_closed(text)
}

/// True if there is a quote at the end, and something before it.
pub fn is_closed(text: &str) -> bool {
    text.ends_with(is_quote) && text.chars().any(|sign| !is_quote(sign))
}

/// The text without the quotes at its ends.
pub fn trim(text: &str) -> &str {
    if may_enclose(text) {
        text.trim_matches(is_quote)
    } else {
        text
    }
}

/// The text without any quotes.
pub fn remove(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(may_be) {
        return Cow::Borrowed(text);
    }
    let plain = if text.contains('&') {
        without_references(text)
    } else {
        Cow::Borrowed(text)
    };
    if plain.contains(is_quote) {
        Cow::Owned(plain.replace(is_quote, ""))
    } else {
        plain
    }
}

/// The length of the quote's reference at the start of a text, or 0.
fn reference_length(text: &str) -> usize {
    for name in REFERENCES {
        if let Some(start) = text.get(..name.len())
            && start.eq_ignore_ascii_case(name)
        {
            return name.len();
        }
    }
    0
}

fn without_references(text: &str) -> Cow<'_, str> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let length = reference_length(&rest[at..]);
        plain.push_str(&rest[..at + usize::from(length == 0)]);
        rest = &rest[at + length.max(1)..];
    }
    plain.push_str(rest);
    if plain.len() == text.len() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(plain)
    }
}
