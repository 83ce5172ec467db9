//! Matches the patterns of robots.txt rules against paths, by RFC 9309, sections 2.2.2 and 2.2.3.
//!
//! Pattern and path are converted to one normal form of percent-encoding and then compared byte by
//! byte. Only `*` and a final `$` are special. There is no backtracking, so the cost is linear.
//!
//! RFC 9309 and Google differ about percent-encoded reserved characters such as `%2C`. The function
//! [`alike`] decodes them as RFC 9309 does. The caller compares with and without decoding, and uses
//! the stricter result.
//!
//! If the pattern of a denial is a whole URL, its normal form has the host. This form is
//! `https://HOST/PATH`, whatever the scheme, and matches pages of that host alone. Every other
//! normal form of a rule's pattern begins with a slash or a star. For a path without a host, the
//! pattern's host is ignored.

use std::borrow::Cow;
use std::ops::Deref;

use smallvec::SmallVec;
use url::{Position, Url};

use heedful_base::address::is_same_but_www;

use super::lines::{classes_of, first_word};

/// Pattern with `*` and `$`, as in a robots.txt rule. It can be matched against any text.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Pattern {
    /// Normal form of the pattern: percent-encoding in one spelling.
    normal: Vec<u8>,
    /// Second form of the pattern: `normal` with its percent-encoded reserved characters decoded,
    /// such as `%2C`. The function [`alike`] decodes them. `None` if nothing is decoded.
    alike: Option<Vec<u8>>,
}

impl Pattern {
    /// Creates a pattern from its text, which is converted to normal form.
    #[doc(hidden)]
    pub fn new(pattern: &str) -> Self {
        Self::from_normal(normal_pattern(pattern.as_bytes()))
    }

    /// Wraps a pattern that is in normal form already.
    pub(super) fn from_normal(normal: Vec<u8>) -> Self {
        Self {
            alike: other_form(&normal),
            normal,
        }
    }

    /// True if the pattern matches `subject`, either in normal form or with percent-encoded
    /// reserved characters decoded. Callers use this method for patterns that deny, so a match in
    /// one form is enough. If the pattern is a whole URL, its host is compared like any other text.
    /// In a robots.txt rule, `www.` before a host makes no difference, but here it does.
    #[doc(hidden)]
    pub fn matches(&self, subject: &MatchSubject<'_>) -> bool {
        matches(&self.normal, &subject.normal)
            || matches(
                self.alike.as_ref().unwrap_or(&self.normal),
                subject.alike().path,
            )
    }

    /// Compares the pattern with `subject` like the pattern of a robots.txt rule: a host in the
    /// pattern must be the subject's host. The first result is true if the two match in normal
    /// form. The second is true if they match with percent-encoded reserved characters decoded.
    #[inline]
    pub(super) fn matches_each(&self, subject: &MatchSubject<'_>) -> [bool; 2] {
        let as_written = subject.as_written().is_matched_by(&self.normal);
        if self.alike.is_none() && subject.alike.is_none() {
            return [as_written; 2];
        }
        [
            as_written,
            subject
                .alike()
                .is_matched_by(self.alike.as_ref().unwrap_or(&self.normal)),
        ]
    }

    /// True if the pattern matches every path.
    pub(super) fn matches_all(&self) -> bool {
        matches!(&*self.normal, b"/" | b"*" | b"/*")
    }
}

/// Text that is compared with patterns, usually a path with its query. It is stored in two forms:
/// the normal form, and the same with percent-encoded reserved characters decoded.
#[doc(hidden)]
#[derive(Debug)]
pub struct MatchSubject<'a> {
    /// Normal form of the text.
    normal: NormalPath<'a>,
    /// Second form of the text: `normal` with its percent-encoded reserved characters decoded, such
    /// as `%2C`. The function [`alike`] decodes them. `None` if nothing is decoded.
    alike: Option<Vec<u8>>,
    /// Host of the page with its port. `None` if the host is unknown.
    host: Option<&'a str>,
}

impl<'a> MatchSubject<'a> {
    /// Creates a subject without a host from `text`, which is converted to normal form.
    #[doc(hidden)]
    pub fn new(text: &'a str) -> Self {
        Self::with_form(text, normal_form(text.as_bytes()), None)
    }

    /// Creates a subject from `text`, the path of a page at `host`. The path is converted to normal
    /// form. `form` is the result of [`normal_form`] for `text`.
    #[inline]
    pub(super) fn with_form(
        text: &'a str,
        form: Option<NormalForm>,
        host: Option<&'a str>,
    ) -> Self {
        let path = text.as_bytes();
        match form {
            // The whole value is built here, so that no large part of it is moved.
            Some(form) if !form.is_special => Self {
                normal: NormalPath::AsItIs(path),
                alike: if form.encodes_reserved {
                    other_form(path)
                } else {
                    None
                },
                host,
            },
            _ => Self::rewritten(path, host),
        }
    }

    /// Creates a subject from a path that is not in normal form, by rewriting the path.
    fn rewritten(path: &'a [u8], host: Option<&'a str>) -> Self {
        let normal = normal_path(path);
        Self {
            alike: other_form(&normal),
            normal,
            host,
        }
    }

    /// Creates a subject without a host from `text`, whose bytes are compared without
    /// normalisation.
    pub(super) fn as_it_is(text: &'a str) -> Self {
        Self {
            normal: NormalPath::AsItIs(text.as_bytes()),
            alike: None,
            host: None,
        }
    }

    /// Normal form of the text: percent-encoded unreserved characters are decoded, and stars,
    /// dollars and bytes outside of ASCII are percent-encoded.
    #[doc(hidden)]
    pub fn normal(&self) -> &[u8] {
        &self.normal
    }

    /// Path and host for comparison with rules. Percent-encoded reserved characters stay encoded,
    /// so that `%2C` differs from `,`.
    #[inline]
    pub(super) fn as_written(&self) -> MatchTarget<'_> {
        MatchTarget {
            path: &self.normal,
            host: self.host,
        }
    }

    /// Path and host for comparison with rules. Percent-encoded reserved characters are decoded, so
    /// that `%2C` equals `,`.
    pub(super) fn alike(&self) -> MatchTarget<'_> {
        MatchTarget {
            path: self.alike.as_deref().unwrap_or(&self.normal),
            host: self.host,
        }
    }

    /// True if the text has no percent-encoded reserved character that [`alike`] decodes. The two
    /// forms of the text are then equal.
    pub(super) fn is_one(&self) -> bool {
        self.alike.is_none()
    }

    /// Copies the text, so that the result borrows nothing. The host is dropped.
    pub(super) fn into_owned(self) -> MatchSubject<'static> {
        MatchSubject {
            normal: NormalPath::Rewritten(SmallVec::from_slice(&self.normal)),
            alike: self.alike,
            host: None,
        }
    }
}

/// Path and host of a page, to be compared with the pattern of a rule.
#[derive(Clone, Copy, Default)]
pub(super) struct MatchTarget<'a> {
    /// Path with its query, in one of the two forms of a [`MatchSubject`]: reserved characters are
    /// as written, or decoded.
    pub(super) path: &'a [u8],
    host: Option<&'a str>,
}

impl MatchTarget<'_> {
    /// True if a rule's pattern matches the path, and the host in the pattern, if any, is the
    /// page's host.
    #[inline]
    pub(super) fn is_matched_by(self, pattern: &[u8]) -> bool {
        let (host, pattern) = host_and_path(pattern);
        // Most patterns differ from the path before a special character. A normal path has no
        // special characters.
        let common = common_prefix(pattern, self.path);
        let may_match = matches!(pattern.get(common), None | Some(b'*' | b'$'));
        may_match && matches(pattern, self.path) && host.is_none_or(|host| self.is_at(host))
    }

    /// True if the page is at `host`, or the page's host is unknown.
    fn is_at(self, host: &[u8]) -> bool {
        self.host
            .is_none_or(|own| is_same_but_www(own.as_bytes(), host))
    }
}

/// True if a pattern in normal form matches the beginning of a path in normal form. Each piece
/// between stars is matched at its first occurrence. If the pattern ends with `$`, its last piece
/// is matched at the path's end. This method is exact for patterns of robots.txt, and takes linear
/// time.
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    // Most patterns differ from the path in the byte after the slash.
    if let ([b'/', pattern, ..], [_, path, ..]) = (pattern, path)
        && pattern != path
        && !matches!(pattern, b'*' | b'$')
    {
        return false;
    }
    let (body, is_anchored) = anchored(pattern);
    let mut pieces = body.split(|b| *b == b'*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let Some(mut piece) = pieces.next() else {
        return !is_anchored || rest.is_empty();
    };
    for next in pieces {
        match find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
        piece = next;
    }
    if is_anchored {
        rest.ends_with(piece)
    } else {
        find(rest, piece).is_some()
    }
}

/// Finds the first occurrence of `piece` in `text`.
fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    // The search would be prepared for the whole piece first.
    if piece.len() > text.len() {
        return None;
    }
    memchr::memmem::find(text, piece)
}

/// True if `path` begins with `pattern`, a pattern that has no special characters.
#[inline]
pub(super) fn is_prefix(pattern: &[u8], path: &[u8]) -> bool {
    // Most patterns differ from the path in the byte after the slash.
    pattern.len() <= path.len()
        && pattern.get(1).is_none_or(|byte| *byte == path[1])
        && path.starts_with(pattern)
}

/// Returns the length, in bytes, of the longest common prefix of two texts.
#[inline]
pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Cuts the final `$` off a pattern. The second value is true if the pattern ends with a `$`.
#[inline]
fn anchored(pattern: &[u8]) -> (&[u8], bool) {
    match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    }
}

/// First bytes of the normal form of a pattern that has a host.
const AT_HOST: &[u8] = b"https://";

/// Splits a rule's pattern in normal form into its host, if the pattern has a host, and its path.
#[inline]
pub(super) fn host_and_path(pattern: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(rest) = pattern.strip_prefix(AT_HOST) else {
        return (None, pattern);
    };
    let (host, path) = rest.split_at(memchr::memchr(b'/', rest).unwrap_or(rest.len()));
    (Some(host), path)
}

/// Converts a rule's pattern to its normal form. `*` and a final `$` stay special. An encoded star
/// or dollar stays encoded, and matches only itself.
pub(super) fn normal_pattern(pattern: &[u8]) -> Vec<u8> {
    if normal_form(pattern).is_some() {
        return pattern.to_vec();
    }
    let (body, is_anchored) = anchored(pattern);
    let mut normal = SmallVec::<[u8; 256]>::new();
    normalise(body, true, &mut normal);
    if is_anchored {
        normal.push(b'$');
    }
    normal.into_vec()
}

/// Converts the pattern of a denial to its normal form, and repairs it if necessary. A whole URL
/// becomes a pattern for its path at its host. A missing slash at the start is added, and
/// backslashes become slashes.
pub(super) fn denial(value: &[u8]) -> Vec<u8> {
    let begins = value.starts_with(b"/") || value.starts_with(b"*");
    if begins && memchr::memchr(b'\\', value).is_none() {
        return normal_pattern(value);
    }
    let (host, path) = parts_of_url(value).unwrap_or((None, value));
    let mut path = path.to_vec();
    if !path.starts_with(b"/") && !path.starts_with(b"*") {
        path.insert(0, b'/');
    }
    // URLs have no backslashes, since the standard's parser turns them into slashes.
    for byte in path.iter_mut().filter(|byte| **byte == b'\\') {
        *byte = b'/';
    }
    let path = normal_pattern(&path);
    match host {
        Some(host) => [AT_HOST, host.as_bytes(), &path].concat(),
        None => path,
    }
}

/// True if the text of a pattern is a whole URL.
pub(super) fn is_url(value: &[u8]) -> bool {
    scheme_of(value).is_some()
}

/// Splits a whole URL into its scheme and the text after `://`. Returns `None` if `value` does not
/// begin with a scheme and `://`.
fn scheme_of(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = value
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'+' | b'-' | b'.'))?;
    if end == 0 {
        return None;
    }
    let (scheme, rest) = value.split_at(end);
    Some((scheme, rest.strip_prefix(b"://")?))
}

/// Splits a pattern that is a whole URL into host and path. A star at the end of the host is
/// dropped. The host is `None` if it cannot be parsed, or has a star before its end. Returns `None`
/// if the pattern is no whole URL.
fn parts_of_url(value: &[u8]) -> Option<(Option<String>, &[u8])> {
    let (scheme, rest) = scheme_of(value)?;
    // The scheme matters only for the default port.
    let scheme = if scheme.eq_ignore_ascii_case(b"http") {
        "http"
    } else {
        "https"
    };
    let end = rest
        .iter()
        .position(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#'))
        .unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let path = if path.is_empty() { b"/" } else { path };
    Some((parse_host(scheme, host), path))
}

/// Parses the host of a pattern that is a whole URL. Stars at the end of the host are dropped, and
/// so is the default port of `scheme`. Returns `None` if the host cannot be parsed, or has a star
/// before its end.
fn parse_host(scheme: &str, host: &[u8]) -> Option<String> {
    let host = std::str::from_utf8(host).ok()?.trim_end_matches('*');
    if host.contains('*') {
        return None;
    }
    let url = Url::parse(&format!("{scheme}://{host}/")).ok()?;
    Some(url[Position::BeforeHost..Position::AfterPort].to_owned())
}

/// Path in normal form. It is borrowed if the original path is in normal form already, and
/// otherwise a rewritten copy.
#[allow(
    clippy::large_enum_variant,
    reason = "it lives on the stack, for one ruling"
)]
#[derive(Debug)]
pub(super) enum NormalPath<'a> {
    AsItIs(&'a [u8]),
    Rewritten(SmallVec<[u8; 256]>),
}

impl Deref for NormalPath<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::AsItIs(path) => path,
            Self::Rewritten(path) => path,
        }
    }
}

/// Converts a URL's path and query to normal form. `*` and `$` are encoded, so that they are never
/// special.
pub(super) fn normal_path(path: &[u8]) -> NormalPath<'_> {
    if normal_form(path).is_some_and(|form| !form.is_special) {
        return NormalPath::AsItIs(path);
    }
    let mut normal = SmallVec::new();
    normalise(path, false, &mut normal);
    NormalPath::Rewritten(normal)
}

/// Appends the normal form of `bytes` to `normal`. Percent-encoded unreserved characters are
/// decoded. Bytes outside of ASCII, and characters that URLs do not have, are percent-encoded with
/// upper-case hex digits. A star is kept if `star_is_special` is true, and otherwise encoded.
fn normalise(bytes: &[u8], star_is_special: bool, normal: &mut SmallVec<[u8; 256]>) {
    let mut rest = bytes;
    loop {
        let plain = rest.iter().take_while(|byte| is_plain(**byte)).count();
        normal.extend_from_slice(&rest[..plain]);
        let [first, after @ ..] = &rest[plain..] else {
            return;
        };
        rest = after;
        match (*first, hex(after)) {
            (b'%', Some(byte)) => {
                rest = &after[2..];
                if is_unreserved(byte) {
                    normal.push(byte);
                } else {
                    push_encoded(byte, normal);
                }
            }
            (b'*', _) if star_is_special => normal.push(b'*'),
            (b'*' | b'$' | 0x80.., _) => push_encoded(*first, normal),
            // URLs have none of these characters, since the standard's parser encodes them.
            (
                0..=b' ' | b'"' | b'\'' | b'<' | b'>' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7F,
                _,
            ) => {
                push_encoded(*first, normal);
            }
            _ => normal.push(*first),
        }
    }
}

/// Appends the percent-encoding of `byte` to `normal`.
fn push_encoded(byte: u8, normal: &mut SmallVec<[u8; 256]>) {
    for sign in encode(byte) {
        normal.push(sign);
    }
}

/// True if the normal form of a text keeps this byte unchanged, wherever it occurs.
fn is_plain(byte: u8) -> bool {
    CLASS[usize::from(byte)] & !COLON == 0
}

/// Decodes percent-encoded reserved characters in a path or pattern, so that `%2C` matches `,`. RFC
/// 9309 requires this in the table of section 2.2.2. `normal` must be in normal form.
///
/// An encoded slash or question mark is decoded only after the first `?`, where it is no separator.
/// A star does not count as a `?`, although it may match one.
pub(super) fn alike(normal: &[u8]) -> Cow<'_, [u8]> {
    if !encodes_reserved(normal) {
        return normal.into();
    }
    let mut decoded = Vec::with_capacity(normal.len());
    let mut rest = normal;
    let mut is_in_query = false;
    while let [first, after @ ..] = rest {
        is_in_query |= *first == b'?';
        if *first == b'%'
            && let Some(byte) = hex(after)
            && is_reserved(byte)
            && (is_in_query || !matches!(byte, b'/' | b'?'))
        {
            decoded.push(byte);
            rest = &after[2..];
        } else {
            decoded.push(*first);
            rest = after;
        }
    }
    decoded.into()
}

/// Returns `normal` with percent-encoded reserved characters decoded by [`alike`]. Returns `None`
/// if there is nothing to decode.
fn other_form(normal: &[u8]) -> Option<Vec<u8>> {
    match alike(normal) {
        Cow::Owned(alike) if alike != normal => Some(alike),
        _ => None,
    }
}

/// True if a path or pattern in normal form has a percent-encoded reserved character, such as
/// `%2C`. The function [`alike`] decodes these characters. Also true for an encoded slash or
/// question mark before the first `?`, although [`alike`] does not decode it there.
pub(super) fn encodes_reserved(normal: &[u8]) -> bool {
    memchr::memchr_iter(b'%', normal).any(|at| {
        let digits = &normal[at + 1..];
        // Most encoded characters are letters, whose first digit is greater.
        matches!(digits.first(), Some(b'2'..=b'5')) && hex(digits).is_some_and(is_reserved)
    })
}

/// Facts on a pattern or path that is in normal form.
#[derive(Clone, Copy)]
pub(super) struct NormalForm {
    /// True if the text has a star, or ends with a `$`.
    pub(super) is_special: bool,
    /// True if the text has a percent-encoded reserved character, such as `%2C`. The function
    /// [`alike`] decodes these characters.
    pub(super) encodes_reserved: bool,
    /// True if the text has a colon.
    pub(super) has_colon: bool,
}

/// Returns the length, in bytes, of the first word of a text, and facts on this word. Returns
/// `None` if the word is not in normal form.
#[inline]
pub(super) fn normal_word(text: &[u8]) -> Option<(usize, NormalForm)> {
    let (length, classes) = first_word(text, &CLASS);
    Some((length, NormalForm::of_classes(&text[..length], classes)?))
}

/// Returns facts on a pattern or path that is in normal form. Returns `None` for any other text.
pub(super) fn normal_form(text: &[u8]) -> Option<NormalForm> {
    NormalForm::of_classes(text, classes_of(text, &CLASS))
}

impl NormalForm {
    /// Returns facts on a text. `classes` is the bitmask of the classes of its bytes. Returns
    /// `None` if the text is not in normal form.
    #[inline]
    fn of_classes(text: &[u8], classes: u8) -> Option<Self> {
        let encodes_reserved = if classes & (OTHER | PERCENT | DOLLAR) == 0 {
            false
        } else {
            encodes_normally(text, classes)?
        };
        Some(Self {
            is_special: classes & (STAR | DOLLAR) != 0,
            encodes_reserved,
            has_colon: classes & COLON != 0,
        })
    }
}

/// Returns true if the text has a percent-encoded reserved character, such as `%2C`. Returns false
/// if the text has no such character. Returns `None` if the text is not in normal form. `classes`
/// is the bitmask of the classes of all its bytes.
fn encodes_normally(text: &[u8], classes: u8) -> Option<bool> {
    let is_anchor_inside =
        classes & DOLLAR != 0 && memchr::memchr(b'$', text).is_some_and(|at| at + 1 < text.len());
    if classes & OTHER != 0 || is_anchor_inside {
        return None;
    }
    let mut encodes_reserved = false;
    if classes & PERCENT != 0 {
        for percent in memchr::memchr_iter(b'%', text) {
            encodes_reserved |= is_reserved(normally_encoded(&text[percent..])?);
        }
    }
    Some(encodes_reserved)
}

/// Decodes the percent-encoded byte at the start of a text, such as `%2C`. Returns `None` if the
/// percent sign is not followed by two hex digits. Also returns `None` if the normal form spells
/// this byte in another way, such as `a` for `%61`.
fn normally_encoded(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    let byte = hex(&[*high, *low])?;
    let is_normal = !high.is_ascii_lowercase() && !low.is_ascii_lowercase() && !is_unreserved(byte);
    is_normal.then_some(byte)
}

/// Class of bytes that a text in normal form does not have, such as blanks and bytes outside of
/// ASCII. The `#` and the backslash also have this class, although [`normalise`] keeps them.
const OTHER: u8 = 1;

/// Class of the star, which is special in patterns.
const STAR: u8 = 2;

/// Class of the colon. In the value of a line, the word before a colon may be a second key.
const COLON: u8 = 4;

/// Class of the percent sign, which begins an encoded byte.
const PERCENT: u8 = 8;

/// Class of the dollar sign, which is special at the end of a pattern.
const DOLLAR: u8 = 16;

/// Class of each byte value. The class is 0 if the byte may be in a normal form and is not special.
const CLASS: [u8; 256] = {
    let mut class = [OTHER; 256];
    let mut byte = 0;
    while byte < 128 {
        let own = byte as u8;
        if own.is_ascii_alphanumeric() {
            class[byte] = 0;
        }
        byte += 1;
    }
    let plain = b"/-_.~?=&+,;!()@[]";
    let mut at = 0;
    while at < plain.len() {
        class[plain[at] as usize] = 0;
        at += 1;
    }
    class[b'*' as usize] = STAR;
    class[b':' as usize] = COLON;
    class[b'%' as usize] = PERCENT;
    class[b'$' as usize] = DOLLAR;
    class
};

/// True for an unreserved character of RFC 3986.
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// True for a reserved character of RFC 3986, other than `#`, `$`, `'` and `*`. The
/// percent-encodings of these four characters are never decoded.
fn is_reserved(byte: u8) -> bool {
    matches!(
        byte,
        b':' | b'/'
            | b'?'
            | b'['
            | b']'
            | b'@'
            | b'!'
            | b'&'
            | b'('
            | b')'
            | b'+'
            | b','
            | b';'
            | b'='
    )
}

/// Parses the two hex digits at the start of `bytes`. Returns `None` if they are not there.
fn hex(bytes: &[u8]) -> Option<u8> {
    let [high, low, ..] = bytes else {
        return None;
    };
    let high = char::from(*high).to_digit(16)?;
    let low = char::from(*low).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

/// Returns the percent-encoding of `byte`, such as `%2F` for a slash. The hex digits are in upper
/// case.
pub(super) fn encode(byte: u8) -> [u8; 3] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [
        b'%',
        DIGITS[usize::from(byte >> 4)],
        DIGITS[usize::from(byte & 15)],
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        /// Tests that a conversion to normal form does not change a text in normal form. Also tests
        /// that the facts about this text ([`NormalForm`]) are right.
        #[test]
        fn a_normal_form_stays_as_it_is(text in "/([a-b/%2-7A-Fa-f:?*$#~\"\u{e9}]|%2F|%41|%E4){0,12}") {
            let (body, is_anchored) = anchored(text.as_bytes());
            let mut normal = SmallVec::new();
            normalise(body, true, &mut normal);
            if is_anchored {
                normal.push(b'$');
            }
            prop_assert_eq!(&normal[..], normal_pattern(text.as_bytes()));
            let path = normal_path(text.as_bytes());
            let mut own_path = SmallVec::new();
            normalise(text.as_bytes(), false, &mut own_path);
            prop_assert_eq!(&own_path[..], &path[..]);
            if let Some(form) = normal_form(text.as_bytes()) {
                prop_assert_eq!(&normal[..], text.as_bytes());
                prop_assert_eq!(form.is_special, text.contains('*') || is_anchored);
                prop_assert_eq!(form.has_colon, text.contains(':'));
                prop_assert_eq!(form.encodes_reserved, encodes_reserved(text.as_bytes()));
                prop_assert_eq!(form.encodes_reserved, alike(text.as_bytes()) != text.as_bytes() || text.contains("%2F"));
            }
        }
    }
}
