//! Decodes character references in text and in attribute values, and replaces NUL by U+FFFD.
//! Source: the HTML standard. This module departs from it once: in text, numeric references of more
//! than 64 bytes are not decoded.

use std::borrow::Cow;

use super::bytes::is_blank;

/// Upper bound for the bytes of a numeric character reference that is decoded in text. A longer
/// reference has many leading zeros, and is not decoded. With this bound, text can be decoded in
/// pieces, wherever the input is cut.
const LONGEST_REFERENCE: usize = 64;
/// Length in bytes of the longest name in the standard's list of character references, with `&` and
/// `;`.
const LONGEST_NAME: usize = 33;

/// Returns a whole attribute value with its character references decoded and NUL replaced by
/// U+FFFD.
pub fn decode_value(value: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', 0, value.as_bytes()).is_none() {
        return Cow::Borrowed(value);
    }
    let value = raw_text(value);
    if value.contains('&') {
        Cow::Owned(htmlize::unescape_attribute(value.as_ref()).into_owned())
    } else {
        value
    }
}

/// Returns raw text with NUL replaced by U+FFFD. Character references in raw text are not decoded.
pub(crate) fn raw_text(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        Cow::Owned(text.replace('\0', "\u{FFFD}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns text with its character references decoded and NUL replaced by U+FFFD. A piece of a
/// longer text must not end inside a character reference (see [`open_reference`]).
pub(crate) fn decode_text(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', 0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let text = raw_text(text);
    match memchr::memchr(b'&', text.as_bytes()) {
        Some(first) => Cow::Owned(decode_from(&text, first)),
        None => text,
    }
}

/// Decodes text like [`decode_text`], with `room` as the buffer for the decoded text. If there is
/// nothing to decode, `text` itself is returned.
pub(crate) fn decode_text_in<'t>(text: &'t str, room: &'t mut String) -> &'t str {
    let Some(first) = memchr::memchr2(b'&', 0, text.as_bytes()) else {
        return text;
    };
    room.clear();
    if text.contains('\0') {
        room.push_str(&decode_text(text));
    } else {
        decode_onto(text, first, room);
    }
    room
}

/// Returns text with its character references decoded. A NUL is not replaced.
pub(crate) fn decode_references(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'&', text.as_bytes()) {
        Some(first) => Cow::Owned(decode_from(text, first)),
        None => Cow::Borrowed(text),
    }
}

/// True if the character reference at the start of `text` stands for white space.
pub(crate) fn begins_with_blank_reference(text: &str) -> bool {
    begins_with_reference(text, is_blank)
}

/// True if `text` begins with a character reference, such as `&nbsp;`, that stands only for
/// accepted characters. `is_such` is true for an accepted character.
fn begins_with_reference(text: &str, is_such: impl Fn(char) -> bool) -> bool {
    text.starts_with('&')
        && decode_from(&text[..reference_length(text)], 0)
            .chars()
            .all(is_such)
}

/// Returns the number of bytes of white space and NUL at the start of `text`. If `has_references`
/// is true, includes character references that stand for white space.
pub fn blank_beginning(text: &str, has_references: bool) -> usize {
    beginning_of(text, has_references, |c| is_blank(c) || c == '\0')
}

/// Returns the number of bytes of Unicode white space at the start of `text`. If `has_references`
/// is true, includes character references that stand for white space.
pub(crate) fn white_beginning(text: &str, has_references: bool) -> usize {
    beginning_of(text, has_references, char::is_whitespace)
}

/// Returns the number of bytes at the start of `text` that belong to accepted characters. `is_such`
/// is true for an accepted character. If `has_references` is true, includes character references
/// that stand for accepted characters.
fn beginning_of(text: &str, has_references: bool, is_such: impl Fn(char) -> bool + Copy) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(is_such);
        if !has_references || !begins_with_reference(rest, is_such) {
            return text.len() - rest.len();
        }
        rest = &rest[reference_length(rest)..];
    }
}

/// True if `text` begins with a character reference that is longer than [`LONGEST_REFERENCE`]. Such
/// a reference is not decoded.
pub(crate) fn begins_with_long_reference(text: &str) -> bool {
    text.starts_with('&') && reference_length(text) > LONGEST_REFERENCE
}

/// Returns the length in bytes of a character reference at the end of `text`, if the reference may
/// be incomplete, such as `&am`. Returns 0 if `text` does not end with such a reference.
pub(crate) fn open_reference(text: &str) -> usize {
    let bytes = text.as_bytes();
    let window = bytes.len().saturating_sub(LONGEST_REFERENCE);
    match memchr::memrchr(b'&', &bytes[window..]) {
        Some(at)
            if window + at + reference_length(&text[window + at..]) == bytes.len()
                && !text.ends_with(';') =>
        {
            bytes.len() - window - at
        }
        _ => 0,
    }
}

/// Returns `text` with its character references decoded. `first` is the offset of its first `&`.
fn decode_from(text: &str, first: usize) -> String {
    let mut decoded = String::with_capacity(text.len());
    decode_onto(text, first, &mut decoded);
    decoded
}

/// Appends `text` to `decoded`, with its character references decoded. `first` is the offset of its
/// first `&`.
fn decode_onto(text: &str, first: usize, decoded: &mut String) {
    decoded.push_str(&text[..first]);
    let mut rest = &text[first..];
    while !rest.is_empty() {
        let reference = &rest[..reference_length(rest)];
        if reference.len() > LONGEST_REFERENCE {
            decoded.push_str(reference);
        } else if let Some(sign) = common(reference) {
            decoded.push(sign);
        } else if let Some(text) = whole_name(reference) {
            decoded.push_str(text);
        } else {
            decoded.push_str(&htmlize::unescape(reference));
        }
        rest = &rest[reference.len()..];
        let next = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
    }
}

/// Returns the character of a frequent named reference or of a plain numeric one. This fast path
/// avoids a search in the standard's list.
fn common(reference: &str) -> Option<char> {
    if reference.as_bytes().get(1) == Some(&b'#') {
        return numbered(reference);
    }
    let (_, sign) = COMMON.iter().find(|(name, _)| *name == reference)?;
    Some(*sign)
}

/// Returns the text for which a named reference stands, such as `&` for `&amp;`. Returns `None` if
/// `reference` as a whole is not in the standard's list. For example, `&ampx;` is not in the list.
fn whole_name(reference: &str) -> Option<&'static str> {
    let text = htmlize::ENTITIES.get(reference.as_bytes())?;
    std::str::from_utf8(text).ok()
}

/// Frequent named references, each with the character for which it stands.
#[rustfmt::skip]
const COMMON: [(&str, char); 22] = [
    ("&amp;", '&'), ("&nbsp;", '\u{A0}'), ("&quot;", '"'), ("&lt;", '<'), ("&gt;", '>'), ("&apos;", '\''),
    ("&mdash;", '—'), ("&ndash;", '–'), ("&raquo;", '»'), ("&laquo;", '«'), ("&copy;", '©'), ("&rsquo;", '’'),
    ("&lsquo;", '‘'), ("&rdquo;", '”'), ("&ldquo;", '“'), ("&hellip;", '…'), ("&bull;", '•'), ("&middot;", '·'),
    ("&times;", '×'), ("&reg;", '®'), ("&trade;", '™'), ("&euro;", '€'),
];

/// Returns the character of a numeric character reference. Returns `None` if the number might not
/// be the code of the character: the standard replaces some numbers, such as 0 and 128.
fn numbered(reference: &str) -> Option<char> {
    let digits = reference[2..].strip_suffix(';').unwrap_or(&reference[2..]);
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let number = u32::from_str_radix(digits, radix).ok()?;
    matches!(number, 0x20..=0x7E | 0xA0..=0xD7FF).then(|| char::from_u32(number))?
}

/// Returns the length of a possible character reference at the start of `text`: `&`, then letters,
/// digits and `#`, then `;`. The `;` may be missing. `text` must begin with `&`.
fn reference_length(text: &str) -> usize {
    let rest = &text.as_bytes()[1..];
    let name = match rest {
        [b'#', b'x' | b'X', digits @ ..] => {
            2 + digits.iter().take_while(|b| b.is_ascii_hexdigit()).count()
        }
        [b'#', digits @ ..] => 1 + digits.iter().take_while(|b| b.is_ascii_digit()).count(),
        _ => rest
            .iter()
            .take(LONGEST_NAME - 1)
            .take_while(|b| b.is_ascii_alphanumeric())
            .count(),
    };
    1 + name + usize::from(text.as_bytes().get(1 + name) == Some(&b';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for (text, decoded) in [
            ("a&amp;b", "a&b"),
            ("&notit; &notin;", "¬it; ∉"),
            ("&copy2026", "©2026"),
            ("a & b &", "a & b &"),
            ("&#x41;&#65;&#0;&#128;", "AA\u{FFFD}€"),
            ("&&lt;&", "&<&"),
            ("&unknown;x", "&unknown;x"),
        ] {
            assert_eq!(decode_text(text), decoded, "{text}");
        }
        assert_eq!(decode_value("?a=b&copy=1&amp;c"), "?a=b&copy=1&c");
    }

    #[test]
    fn common_references_are_what_the_standard_says() {
        let numbers = [
            "&#32;", "&#39;", "&#039", "&#x27;", "&#XA0;", "&#8212;", "&#x4e2d", "&#126;",
            "&#55295;",
        ];
        for reference in COMMON.iter().map(|(name, _)| *name).chain(numbers) {
            let sign = common(reference).map(String::from);
            assert_eq!(
                sign.as_deref(),
                Some(&*htmlize::unescape(reference)),
                "{reference}"
            );
        }
        for reference in [
            "&#0;",
            "&#128;",
            "&#x9f;",
            "&#xD800;",
            "&#x110000;",
            "&#",
            "&#;",
            "&#x;",
            "&AMP;",
            "&amp",
            "&",
        ] {
            assert_eq!(common(reference), None, "{reference}");
        }
    }

    #[test]
    fn open_references_are_held_back() {
        for (text, held) in [
            ("a&am", 3),
            ("a&amp;", 0),
            ("a& ", 0),
            ("&", 1),
            ("a&#12", 4),
            ("a&b c", 0),
            ("", 0),
        ] {
            assert_eq!(open_reference(text), held, "{text}");
        }
        assert_eq!(open_reference(&format!("&#{}", "0".repeat(80))), 0);
        let long = format!("&#{}65;", "0".repeat(80));
        assert_eq!(decode_text(&long), long);
        assert_eq!(
            decode_text(&format!("&#65{}", "x".repeat(80))),
            format!("A{}", "x".repeat(80))
        );
        assert_eq!(
            decode_text(&format!("&amp{}", "x".repeat(80))),
            format!("&{}", "x".repeat(80))
        );
    }
}
