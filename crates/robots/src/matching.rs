//! Compares patterns with paths, by RFC 9309, section 2.2.2 and 2.2.3.
//!
//! Both are brought to one normal form of percent-encoding and then compared byte by byte. Only `*`
//! and a final `$` are special. There is no backtracking: cost is linear. RFC 9309 and Google
//! differ about reserved characters that are encoded. The RFC's reading is [`alike`], and the
//! caller takes the stricter of both.
//!
//! A denial that is written as a whole URL keeps its host: its normal form is `https://HOST/PATH`,
//! whatever its scheme. Every other normal form of a rule begins with a slash or a star. Such a
//! pattern matches pages of that host alone. If a path is asked without a host, the pattern's host
//! is left out of account.

use std::borrow::Cow;
use std::ops::Deref;

use smallvec::SmallVec;
use url::{Position, Url};

use heedful_base::address::is_same_but_www;

/// A pattern on its own, to compare with any text as a rule's pattern with a path.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Pattern {
    normal: Vec<u8>,
    /// The form of [`alike`]; `None` if it is the normal one.
    alike: Option<Vec<u8>>,
}

impl Pattern {
    #[doc(hidden)]
    pub fn new(pattern: &str) -> Self {
        Self::from_normal(normal_pattern(pattern.as_bytes()))
    }

    /// A pattern that is in normal form.
    pub(super) fn from_normal(normal: Vec<u8>) -> Self {
        Self {
            alike: other_form(&normal),
            normal,
        }
    }

    /// True if the pattern matches in either way of comparing reserved characters, since it is used
    /// for denials. The whole pattern is compared with the whole subject: it is not a rule's.
    #[doc(hidden)]
    pub fn matches(&self, subject: &MatchSubject<'_>) -> bool {
        matches(&self.normal, &subject.normal)
            || matches(
                self.alike.as_ref().unwrap_or(&self.normal),
                subject.alike().path,
            )
    }

    /// Two matches of a rule's pattern: with reserved characters as written, and with encoded ones
    /// equal to plain ones.
    #[inline]
    pub(super) fn matches_each(&self, subject: &MatchSubject<'_>) -> [bool; 2] {
        let as_they_stand = subject.as_written().is_matched_by(&self.normal);
        if self.alike.is_none() && subject.alike.is_none() {
            return [as_they_stand; 2];
        }
        [
            as_they_stand,
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

/// A text that is compared with patterns, in both ways of comparing reserved characters.
#[doc(hidden)]
#[derive(Debug)]
pub struct MatchSubject<'a> {
    normal: NormalPath<'a>,
    /// The form of [`alike`]; `None` if it is the normal one.
    alike: Option<Vec<u8>>,
    /// The host of the page, with its port, if the path was asked of one.
    host: Option<&'a str>,
}

impl<'a> MatchSubject<'a> {
    #[doc(hidden)]
    pub fn new(text: &'a str) -> Self {
        let normal = normal_path(text.as_bytes());
        Self {
            alike: other_form(&normal),
            normal,
            host: None,
        }
    }

    /// A text whose bytes are compared as written.
    pub(super) fn as_it_is(text: &'a str) -> Self {
        Self {
            normal: NormalPath::AsItIs(text.as_bytes()),
            alike: None,
            host: None,
        }
    }

    /// Sets the host that the path was asked of.
    pub(super) fn with_host(mut self, host: Option<&'a str>) -> Self {
        self.host = host;
        self
    }

    /// The text with its unreserved characters decoded and all others encoded, stars too.
    #[doc(hidden)]
    pub fn normal(&self) -> &[u8] {
        &self.normal
    }

    /// The target of rules, with reserved characters as written.
    #[inline]
    pub(super) fn as_written(&self) -> MatchTarget<'_> {
        MatchTarget {
            path: &self.normal,
            host: self.host,
        }
    }

    /// The target of rules, with encoded reserved characters equal to plain ones.
    pub(super) fn alike(&self) -> MatchTarget<'_> {
        MatchTarget {
            path: self.alike.as_deref().unwrap_or(&self.normal),
            host: self.host,
        }
    }

    /// True if both forms are one.
    pub(super) fn is_one(&self) -> bool {
        self.alike.is_none()
    }

    /// The text by itself, without a host.
    pub(super) fn into_owned(self) -> MatchSubject<'static> {
        MatchSubject {
            normal: NormalPath::Rewritten(SmallVec::from_slice(&self.normal)),
            alike: self.alike,
            host: None,
        }
    }
}

/// The target of a rule's pattern: the path of a page, and its host.
#[derive(Clone, Copy, Default)]
pub(super) struct MatchTarget<'a> {
    pub(super) path: &'a [u8],
    host: Option<&'a str>,
}

impl MatchTarget<'_> {
    /// True if a rule's pattern matches the path, and names no other host.
    #[inline]
    pub(super) fn is_matched_by(self, pattern: &[u8]) -> bool {
        let (host, pattern) = host_and_path(pattern);
        // Most patterns differ from the path before anything special. A normal path has nothing
        // special in it.
        let common = common_prefix(pattern, self.path);
        let may_match = matches!(pattern.get(common), None | Some(b'*' | b'$'));
        may_match && matches(pattern, self.path) && host.is_none_or(|host| self.is_at(host))
    }

    fn is_at(self, host: &[u8]) -> bool {
        self.host
            .is_none_or(|own| is_same_but_www(own.as_bytes(), host))
    }
}

/// The number of bytes that two texts begin with alike.
#[inline]
pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// The beginning of a pattern that has a host.
const AT_HOST: &[u8] = b"https://";

/// The host of a rule's pattern, if it has one, and its path.
#[inline]
pub(super) fn host_and_path(pattern: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(rest) = pattern.strip_prefix(AT_HOST) else {
        return (None, pattern);
    };
    let (host, path) = rest.split_at(memchr::memchr(b'/', rest).unwrap_or(rest.len()));
    (Some(host), path)
}

/// The form of [`alike`], if it is not the normal one.
fn other_form(normal: &[u8]) -> Option<Vec<u8>> {
    match alike(normal) {
        Cow::Owned(alike) if alike != normal => Some(alike),
        _ => None,
    }
}

/// The start of a pattern that is its own normal form. It ends before a colon.
#[derive(Clone, Copy)]
pub(super) struct NormalStart {
    pub(super) length: usize,
    pub(super) has_stars: bool,
    /// True if [`alike`] may decode a character in it.
    pub(super) encodes_reserved: bool,
}

#[inline]
pub(super) fn normal_start(pattern: &[u8]) -> NormalStart {
    let mut length = 0;
    let mut classes = 0;
    let mut encodes_reserved = false;
    loop {
        // Eight bytes at a time are quicker than a look at each.
        while let Some(next) = pattern[length..].first_chunk::<8>() {
            let next_classes = classes_of(next);
            if next_classes & (OTHER | COLON) != 0 {
                break;
            }
            classes |= next_classes;
            length += next.len();
        }
        for byte in &pattern[length..] {
            let class = CLASS[usize::from(*byte)];
            if class & (OTHER | COLON) != 0 {
                break;
            }
            classes |= class;
            length += 1;
        }
        let Some(byte) = normally_encoded(&pattern[length..]) else {
            break;
        };
        encodes_reserved |= is_reserved(byte);
        length += 3;
    }
    NormalStart {
        length,
        has_stars: classes & STAR != 0,
        encodes_reserved,
    }
}

/// The byte that a text begins with in encoded form, if that form is the normal one.
fn normally_encoded(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    let byte = hex(&[*high, *low])?;
    let is_normal = !high.is_ascii_lowercase() && !low.is_ascii_lowercase() && !is_unreserved(byte);
    is_normal.then_some(byte)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// `None` if a pattern is not its own normal form, else true if it has stars.
pub(super) fn is_normal(pattern: &[u8]) -> Option<bool> {
    let classes = classes_of(pattern);
    (classes & OTHER == 0).then_some(classes & STAR != 0)
}

#[inline]
fn classes_of(bytes: &[u8]) -> u8 {
    let mut classes = 0;
    for byte in bytes {
        classes |= CLASS[usize::from(*byte)];
    }
    classes
}

const OTHER: u8 = 1;
const STAR: u8 = 2;
const COLON: u8 = 4;

/// The classes of bytes. A byte without a special meaning has none. A colon has a class since it
/// may follow a key.
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
    let plain = b"/-_.~?=&+,:;!()@[]";
    let mut at = 0;
    while at < plain.len() {
        class[plain[at] as usize] = 0;
        at += 1;
    }
    class[b'*' as usize] = STAR;
    class[b':' as usize] = COLON;
    class
};

/// A pattern without its final `$`. The second value is true if it has one.
#[inline]
fn anchored(pattern: &[u8]) -> (&[u8], bool) {
    match pattern.strip_suffix(b"$") {
        Some(body) => (body, true),
        None => (pattern, false),
    }
}

/// The normal form of a rule's pattern. `*` and a final `$` stay special, and both mean themselves
/// when encoded.
pub(super) fn normal_pattern(pattern: &[u8]) -> Vec<u8> {
    let (body, is_anchored) = anchored(pattern);
    let mut normal = SmallVec::<[u8; 256]>::new();
    normalise(body, true, &mut normal);
    if is_anchored {
        normal.push(b'$');
    }
    normal.into_vec()
}

/// The normal form of a pattern that denies. Odd patterns count: a whole URL means its path at its
/// host, a missing slash at the start is added, and backslashes become slashes.
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
    // A URL has no backslashes: the standard's parser turns them into slashes.
    for byte in path.iter_mut().filter(|byte| **byte == b'\\') {
        *byte = b'/';
    }
    let path = normal_pattern(&path);
    match host {
        Some(host) => [AT_HOST, host.as_bytes(), &path].concat(),
        None => path,
    }
}

/// True if a pattern is written as a whole URL.
pub(super) fn is_url(value: &[u8]) -> bool {
    scheme_of(value).is_some()
}

/// The scheme of a whole URL, and the part after its two slashes.
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

/// The host and the path of a pattern that is written as a whole URL. A star at the host's end is
/// meant for the path. There is no host if the text there can be none, or has another star: no
/// other host is meant beyond doubt.
fn parts_of_url(value: &[u8]) -> Option<(Option<String>, &[u8])> {
    let (scheme, rest) = scheme_of(value)?;
    // The scheme does not count, except that each has a port of its own.
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

/// The host of a pattern as a URL has it, without a star at its end.
fn parse_host(scheme: &str, host: &[u8]) -> Option<String> {
    let host = std::str::from_utf8(host).ok()?.trim_end_matches('*');
    if host.contains('*') {
        return None;
    }
    let url = Url::parse(&format!("{scheme}://{host}/")).ok()?;
    Some(url[Position::BeforeHost..Position::AfterPort].to_owned())
}

/// A path in normal form.
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

/// The normal form of a URL's path and query. `*` and `$` are encoded, so that they never look
/// special.
pub(super) fn normal_path(path: &[u8]) -> NormalPath<'_> {
    if is_normal(path) == Some(false) {
        return NormalPath::AsItIs(path);
    }
    let mut normal = SmallVec::new();
    normalise(path, false, &mut normal);
    NormalPath::Rewritten(normal)
}

/// Decodes encoded unreserved characters, encodes bytes outside of ASCII, and writes hex digits in
/// upper case.
fn normalise(bytes: &[u8], star_is_special: bool, normal: &mut SmallVec<[u8; 256]>) {
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        match (*first, hex(after)) {
            (b'%', Some(byte)) => {
                rest = &after[2..];
                if is_unreserved(byte) {
                    normal.push(byte);
                } else {
                    normal.extend(encode(byte));
                }
            }
            (b'*', _) if star_is_special => normal.push(b'*'),
            (b'*' | b'$' | 0x80.., _) => normal.extend(encode(*first)),
            // A URL never contains these: the standard's parser encodes them.
            (
                0..=b' ' | b'"' | b'\'' | b'<' | b'>' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7F,
                _,
            ) => {
                normal.extend(encode(*first));
            }
            _ => normal.push(*first),
        }
    }
}

/// Decodes reserved characters in a normal path or pattern (RFC 9309, section 2.2.2, its table). So
/// they are the same, encoded or not. A slash and a question mark are decoded only where they
/// separate nothing: after the first question mark. After a star they stay encoded, since those in
/// the matched part of a URL may separate something.
pub(super) fn alike(normal: &[u8]) -> Cow<'_, [u8]> {
    if !encodes_reserved(normal) {
        return normal.into();
    }
    let mut decoded = Vec::with_capacity(normal.len());
    let mut rest = normal;
    let mut parts_nothing = false;
    while let [first, after @ ..] = rest {
        parts_nothing |= *first == b'?';
        if *first == b'%'
            && let Some(byte) = hex(after)
            && is_reserved(byte)
            && (parts_nothing || !matches!(byte, b'/' | b'?'))
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

/// True if it has an encoded character that [`alike`] may decode.
pub(super) fn encodes_reserved(normal: &[u8]) -> bool {
    memchr::memchr_iter(b'%', normal).any(|at| hex(&normal[at + 1..]).is_some_and(is_reserved))
}

/// The reserved characters of RFC 3986 that a normal form keeps as they are.
fn is_reserved(byte: u8) -> bool {
    b":/?[]@!&()+,;=".contains(&byte)
}

fn hex(bytes: &[u8]) -> Option<u8> {
    let [high, low, ..] = bytes else {
        return None;
    };
    let high = char::from(*high).to_digit(16)?;
    let low = char::from(*low).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

pub(super) fn encode(byte: u8) -> [u8; 3] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [
        b'%',
        DIGITS[usize::from(byte >> 4)],
        DIGITS[usize::from(byte & 15)],
    ]
}

/// True if a normal pattern matches a normal path from its start. Each piece between stars takes
/// its first match; the last piece, if anchored, takes the last. That is exact for this language,
/// and linear.
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    // Most patterns differ in the byte after the slash.
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
        match memchr::memmem::find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
        piece = next;
    }
    if is_anchored {
        rest.ends_with(piece)
    } else {
        memchr::memmem::find(rest, piece).is_some()
    }
}

/// True if a path begins with a pattern in which nothing is special.
#[inline]
pub(super) fn is_prefix(pattern: &[u8], path: &[u8]) -> bool {
    // Most differ in the byte after the slash.
    pattern.len() <= path.len()
        && pattern.get(1).is_none_or(|byte| *byte == path[1])
        && path.starts_with(pattern)
}
