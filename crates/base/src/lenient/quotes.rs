//! Finds quotes where the grammar of a text has none. The text is from HTML, a robots.txt, or an
//! HTML comment with a directive.
//!
//! Some editors type typographic quotes in place of straight ones, and some authors put a straight
//! quote inside a value. Each of these characters is meant as a quote. This file finds and removes
//! such quotes. Its callers decide what the text without quotes means.

use std::borrow::Cow;

use super::sign::{SignClass, class_of};

/// True if `sign` is a typographic or straight quote, or another character that is used as a quote.
/// U+FFFD counts as a quote, because decoding puts it in place of a quote in another encoding. NUL
/// counts as a quote too, because HTML later replaces NUL by U+FFFD.
pub fn is_quote(sign: char) -> bool {
    class_of(sign) == Some(SignClass::Quote)
}

/// Character references of quotes, for markup in which references are not decoded yet.
const REFERENCES: [&str; 20] = [
    "&quot;", "&apos;", "&#34;", "&#39;", "&#x22;", "&#x27;", "&ldquo;", "&rdquo;", "&bdquo;",
    "&lsquo;", "&rsquo;", "&sbquo;", "&laquo;", "&raquo;", "&#8220;", "&#8221;", "&#8222;",
    "&#8216;", "&#8217;", "&prime;",
];

/// True if `byte` may be the first or last byte of a quote. Also true for the first or last byte of
/// a character reference to a quote, such as `&quot;`. Directives in ASCII seldom have such a byte.
pub const fn may_be(byte: u8) -> bool {
    byte >= 0x80 || matches!(byte, 0 | b'"' | b'\'' | b'`' | b'\\' | b'&' | b';')
}

/// True if `text` may begin or end with a quote. Only the first and the last byte are checked, so
/// the result may be true although there is no quote.
pub fn may_enclose(text: &str) -> bool {
    text.bytes().next().is_some_and(may_be) || text.bytes().next_back().is_some_and(may_be)
}

/// True if `text` begins with a quote and does not end with a quote.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::quotes::{is_closed, is_open};
///
/// // A value that was split at a blank inside its quotes.
/// assert!(is_open("“noindex,"));
/// assert!(is_closed("nofollow”"));
/// assert!(!is_open("“noindex”"));
/// ```
pub fn is_open(text: &str) -> bool {
    may_enclose(text) && text.starts_with(is_quote) && !is_closed(text)
}

/// True if `text` ends with a quote and has at least one character that is no quote.
pub fn is_closed(text: &str) -> bool {
    text.ends_with(is_quote) && text.chars().any(|sign| !is_quote(sign))
}

/// Removes the quotes at both ends of `text`.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_base::lenient::quotes::trim("“noindex”"), "noindex");
/// ```
pub fn trim(text: &str) -> &str {
    if may_enclose(text) {
        text.trim_matches(is_quote)
    } else {
        text
    }
}

/// Removes all quotes from `text`. Character references to quotes, such as `&quot;`, are removed
/// too.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::quotes::remove;
///
/// assert_eq!(remove("content=&quot;noindex”"), "content=noindex");
/// ```
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

/// Returns the length in bytes of a character reference to a quote, such as `&quot;`, at the start
/// of `text`. Returns 0 if `text` does not begin with such a reference.
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

/// Removes all character references of quotes from `text`.
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
