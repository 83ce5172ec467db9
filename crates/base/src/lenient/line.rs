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
    let class_of = |sign: char| {
        if sign.is_ascii() {
            None
        } else {
            class_of(sign)
        }
    };
    let is_plain = |sign: char| matches!(class_of(sign), None | Some(SignClass::Quote));
    let plain = |sign: char| {
        if is_plain(sign) {
            Some(sign)
        } else {
            class_of(sign)?.plain()
        }
    };
    if text.chars().all(is_plain) {
        return text.trim().as_bytes().into();
    }
    text.chars()
        .filter_map(plain)
        .collect::<String>()
        .trim()
        .to_owned()
        .into_bytes()
        .into()
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
    let is_sign = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() || *byte == 0xA0;
    text.contains(&b'*') && text.iter().all(is_sign)
}

/// True for names with blanks between them. Names with blanks in them exist (`Yahoo Pipes`), so all
/// words must be product tokens, and two of them must be more than the word for a bot.
fn is_list(text: &[u8]) -> bool {
    words(text).filter(|word| is_like_a_bot(word)).count() > 1
        && words(text).all(|word| word == b"*" || is_token(word))
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .map(bare)
        .filter(|word| !word.is_empty())
}

/// True for a product token with a letter in it.
fn is_token(word: &[u8]) -> bool {
    let is_in_token = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    word.iter().all(is_in_token) && word.iter().any(u8::is_ascii_alphabetic)
}

/// True if a token holds the word for a bot, and is more.
fn is_like_a_bot(token: &[u8]) -> bool {
    [&b"bot"[..], b"spider", b"crawler"].iter().any(|kind| {
        token.len() > kind.len()
            && token
                .windows(kind.len())
                .any(|part| part.eq_ignore_ascii_case(kind))
    })
}

/// The paths in a value: each begins with a slash behind a blank. A comma before it is no part of
/// the path in front. Of several, a lone slash is none: with it the others would say nothing, so
/// its blank is a slip.
pub fn paths(value: &[u8]) -> LineParts<'_> {
    let behind_blank = |at: &usize| *at > 0 && matches!(value[at - 1], b' ' | b'\t');
    let starts = memchr::memchr_iter(b'/', value)
        .filter(behind_blank)
        .filter(|_| value.starts_with(b"/"));
    let mut paths = LineParts::new();
    let mut from = 0;
    for end in starts.chain([value.len()]) {
        let path = trim(&value[from..end]);
        paths.push(
            path.strip_suffix(b",")
                .filter(|_| end < value.len())
                .unwrap_or(path),
        );
        from = end;
    }
    if paths.len() > 1 {
        paths.retain(|path| *path != b"/");
    }
    if paths.is_empty() {
        smallvec![value]
    } else {
        paths
    }
}

/// The text without blanks, vertical tabs and NULs round it.
pub fn trim(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0B);
    let start = text
        .iter()
        .position(|byte| !is_blank(byte))
        .unwrap_or(text.len());
    let end = text
        .iter()
        .rposition(|byte| !is_blank(byte))
        .map_or(start, |last| last + 1);
    &text[start..end]
}

/// The text without blanks and quotes round it. A backslash counts as a slash here, not as a quote.
fn bare(text: &[u8]) -> &[u8] {
    let text = trim(text);
    let is_plain =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'/');
    if is_plain(text.first()) && is_plain(text.last()) {
        return text;
    }
    let is_quote = |sign: char| is_quote(sign) && !matches!(sign, '\\' | '\u{FFFD}');
    std::str::from_utf8(text).map_or(text, |text| text.trim_matches(is_quote).trim().as_bytes())
}
