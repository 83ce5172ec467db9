//! Lines of a robots.txt as people type them: plain signs, lists of agents, several paths in one
//! value.
//!
//! Each function gives the lenient form of one shape. None knows a key: `robots_txt` finds it, and
//! keeps of the form what denies. In doubt a value is one name, or one path.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

use super::quotes::is_quote;
use super::sign::{SignClass, class_of, may_begin};

/// The byte order mark of UTF-8 in a text that was decoded as Latin 1 and encoded again.
const MARK_ENCODED_TWICE: &str = "\u{EF}\u{BB}\u{BF}";

/// The parts of a value.
type LineParts<'a> = SmallVec<[&'a [u8]; 2]>;

/// The line with plain signs in place of those of other scripts, and without signs that are not
/// seen. Quotes stay.
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

/// True if a sign stays: it is ASCII, a quote or a sign without a class.
fn is_plain(sign: char) -> bool {
    sign.is_ascii() || matches!(class_of(sign), None | Some(SignClass::Quote))
}

/// The plain ASCII character that `sign` stands for; `sign` itself if it is plain already; `None`
/// if it is an invisible character, which is dropped.
fn plain_sign(sign: char) -> Option<char> {
    if is_plain(sign) {
        Some(sign)
    } else {
        class_of(sign)?.plain()
    }
}

/// The names in a value, between commas and bars. A value with brackets is one name, since a
/// browser's full name has such signs too.
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

/// True for a star and signs (`*;`, `: *`, `*.*`): no name has so little in it. The no-break space
/// of Latin 1 is a sign.
fn is_star_and_signs(text: &[u8]) -> bool {
    text.contains(&b'*')
        && text
            .iter()
            .all(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() || *byte == 0xA0)
}

/// True for names with blanks between them. Names with blanks in them exist (`Yahoo Pipes`), so all
/// words must be product tokens, and two of them must be more than the word for a bot.
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

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .map(bare)
        .filter(|word| !word.is_empty())
}

/// True for a product token with a letter in it.
fn is_token(word: &[u8]) -> bool {
    word.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        && word.iter().any(u8::is_ascii_alphabetic)
}

/// True if a token holds the word for a bot, and is more.
fn is_like_a_bot(token: &[u8]) -> bool {
    for kind in [&b"bot"[..], b"spider", b"crawler"] {
        let mut parts = token.windows(kind.len());
        if token.len() > kind.len() && parts.any(|part| part.eq_ignore_ascii_case(kind)) {
            return true;
        }
    }
    false
}

/// The paths in a value: each begins with a slash after a blank. A comma before it is no part of
/// the previous path. Of several, a lone slash is none: with it the others would have no effect, so
/// its blank is a slip.
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

/// The text without blanks, vertical tabs and NULs at its ends.
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

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0B)
}

/// The text without blanks and quotes at its ends. A backslash counts as a slash here, not as a
/// quote.
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
