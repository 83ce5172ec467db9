//! Lenient forms of robots.txt lines: plain characters, lists of agents, several paths in one
//! value.
//!
//! Each function of this file makes the lenient form of one shape of text, and knows no key of a
//! robots.txt. The crate `heedful-robots` finds the key, and applies only the denials of the
//! lenient form. A value that may or may not be a list counts as one name, or as one path.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

use super::quotes::is_quote;
use super::sign::{SignClass, class_of, may_begin};

/// Byte order mark that was encoded as UTF-8 twice. The bytes of the first encoding were read as
/// Latin 1 characters.
const MARK_ENCODED_TWICE: &str = "\u{EF}\u{BB}\u{BF}";

/// Agents or paths in the value of one robots.txt line. A value seldom has more than two.
type LineParts<'a> = SmallVec<[&'a [u8]; 2]>;

/// Replaces look-alikes of ASCII characters in a robots.txt line by the ASCII characters. For
/// example, a full-width colon becomes a colon. Drops invisible characters. Leaves quotes
/// unchanged. If the line is not UTF-8, removes at most a byte order mark.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::line::plain;
///
/// assert_eq!(&*plain("Disallow\u{FF1A}\u{200B} /".as_bytes()), b"Disallow: /");
/// ```
pub fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    let line = line
        .strip_prefix(MARK_ENCODED_TWICE.as_bytes())
        .unwrap_or(line);
    if line.is_ascii() || !line.iter().copied().any(may_begin) {
        return line.into();
    }
    let Ok(text) = std::str::from_utf8(line) else {
        return line.into();
    };
    if text.chars().all(is_plain) {
        return text.trim().as_bytes().into();
    }
    let plain: String = text.chars().filter_map(plain_sign).collect();
    plain.trim().to_owned().into_bytes().into()
}

/// True if [`plain`] does not change the character `sign`. Such a character is ASCII, a quote, or
/// missing in the table of look-alikes (`sign.rs`).
fn is_plain(sign: char) -> bool {
    sign.is_ascii() || matches!(class_of(sign), None | Some(SignClass::Quote))
}

/// Returns the character that [`plain`] puts in place of `sign`. For a look-alike, this is the
/// ASCII character that it resembles. For an invisible character, it is `None`. Any other character
/// is returned unchanged.
fn plain_sign(sign: char) -> Option<char> {
    if is_plain(sign) {
        Some(sign)
    } else {
        class_of(sign)?.plain()
    }
}

/// Splits the value of a `User-agent` line into names. Commas and bars (`|`) separate names. A part
/// that looks like a list of bots (`FooBot BarBot`) is also split at blanks. A value with `(` is
/// one name, since it is probably the full User-Agent of a browser. An empty value gives one empty
/// name.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::line::agents;
///
/// assert_eq!(&agents(b"FooBot, BarBot")[..], [&b"FooBot"[..], b"BarBot"]);
/// assert_eq!(&agents(b"FooBot BarBot")[..], [&b"FooBot"[..], b"BarBot"]);
/// assert_eq!(&agents(b"Yahoo Pipes")[..], [b"Yahoo Pipes"]);
/// assert_eq!(&agents(b"*;")[..], [b"*"]);
/// ```
pub fn agents(value: &[u8]) -> LineParts<'_> {
    if value.contains(&b'(') {
        return smallvec![bare(value)];
    }
    let mut names = LineParts::new();
    for list in value.split(|byte| matches!(byte, b',' | b'|')).map(bare) {
        if is_star_and_signs(list) {
            names.push(b"*");
        } else if is_list(list) {
            names.extend(words(list));
        } else if !list.is_empty() {
            names.push(list);
        }
    }
    if names.is_empty() {
        smallvec![&b""[..]]
    } else {
        names
    }
}

/// True if `text` means all bots and is not a name. Such a text has a star, and otherwise only
/// ASCII punctuation and blanks. Examples are `*;` and `*.*`. The byte 0xA0 (the no-break space of
/// Latin 1) counts as a blank.
fn is_star_and_signs(text: &[u8]) -> bool {
    text.contains(&b'*')
        && text
            .iter()
            .all(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() || *byte == 0xA0)
}

/// True if `text` is probably a list of names of bots, separated by blanks. False for a single name
/// with a blank, such as `Yahoo Pipes`. In a list, each word is a product token or `*`. At least
/// two words contain `bot`, `spider` or `crawler` and further characters, as `FooBot` does.
fn is_list(text: &[u8]) -> bool {
    let mut bots = 0;
    for word in words(text) {
        if word != b"*" && !is_token(word) {
            return false;
        }
        bots += usize::from(is_like_a_bot(word));
    }
    bots > 1
}

/// Splits `text` at blanks, and trims quotes off each word. Empty words are left out.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .map(bare)
        .filter(|word| !word.is_empty())
}

/// True if `word` is a product token (letters, digits, hyphens, underscores) that has a letter.
fn is_token(word: &[u8]) -> bool {
    word.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && word.iter().any(u8::is_ascii_alphabetic)
}

/// True if `token` contains `bot`, `spider` or `crawler`, and has other characters too.
fn is_like_a_bot(token: &[u8]) -> bool {
    for kind in [&b"bot"[..], b"spider", b"crawler"] {
        let mut parts = token.windows(kind.len());
        if token.len() > kind.len() && parts.any(|part| part.eq_ignore_ascii_case(kind)) {
            return true;
        }
    }
    false
}

/// Splits the value of a robots.txt rule, such as `Disallow`, into paths. A new path begins at each
/// slash that follows a blank. A comma before this blank is dropped. If there are several paths,
/// each path `/` is dropped as a typing error, because `/` matches all URLs that the other paths
/// match. A value that does not begin with a slash is one path.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::line::paths;
///
/// assert_eq!(&paths(b"/a, /b")[..], [&b"/a"[..], b"/b"]);
/// assert_eq!(&paths(b"/ a")[..], [b"/ a"]);
/// assert_eq!(&paths(b"/ /b")[..], [b"/b"]);
/// ```
pub fn paths(value: &[u8]) -> LineParts<'_> {
    let mut paths = LineParts::new();
    let mut from = 0;
    if value.starts_with(b"/") {
        for slash in memchr::memchr_iter(b'/', value) {
            if slash > 0 && matches!(value[slash - 1], b' ' | b'\t') {
                let path = trim(&value[from..slash]);
                paths.push(path.strip_suffix(b",").unwrap_or(path));
                from = slash;
            }
        }
    }
    paths.push(trim(&value[from..]));
    if paths.len() > 1 {
        paths.retain(|path| *path != b"/");
    }
    if paths.is_empty() {
        smallvec![value]
    } else {
        paths
    }
}

/// Cuts blanks, vertical tabs and NULs at both ends of `text`.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_base::lenient::line::trim(b"\0 /a\x0B"), b"/a");
/// ```
pub fn trim(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [first, rest @ ..] = text
        && is_blank(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_blank(*last)
    {
        text = rest;
    }
    text
}

/// True if `byte` is ASCII white space, a vertical tab or a NUL.
///
/// # Examples
///
/// ```
/// use heedful_base::lenient::line::is_blank;
///
/// assert!(is_blank(b' ') && is_blank(0) && !is_blank(b'a'));
/// ```
#[inline]
pub fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0B)
}

/// Cuts blanks and quotes at both ends of `text`. A backslash or U+FFFD is not cut, although
/// `is_quote` is true for both. In a robots.txt, authors type a backslash for a slash.
fn bare(text: &[u8]) -> &[u8] {
    let text = trim(text);
    if let (Some(first), Some(last)) = (text.first(), text.last())
        && is_letter_or_slash(*first)
        && is_letter_or_slash(*last)
    {
        return text;
    }
    let Ok(text) = std::str::from_utf8(text) else {
        return text;
    };
    text.trim_matches(|sign| is_quote(sign) && !matches!(sign, '\\' | '\u{FFFD}'))
        .trim()
        .as_bytes()
}

fn is_letter_or_slash(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/'
}
