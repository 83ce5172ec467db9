//! Patterns against paths, in a normal form of percent-encoding, without backtracking.

use std::borrow::Cow;

/// A pattern by itself: what a rule's pattern is to a path, it is to any text.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Vec<u8>);

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Self {
        Self(normal_pattern(pattern.as_bytes()))
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        matches(&self.0, &normal_path(text))
    }
}

/// Whether a byte of a pattern means itself, or is special, in normal form as it is.
pub(super) fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~' | b'?' | b'=' | b'&' | b'*' | b'+' | b',' | b':')
}

/// The normal form of a rule's pattern: `*` and a final `$` stay special, both mean themselves when encoded.
pub(super) fn normal_pattern(pattern: &[u8]) -> Vec<u8> {
    let (body, anchored) = match pattern {
        [body @ .., b'$'] => (body, true),
        _ => (pattern, false),
    };
    let mut normal = Vec::with_capacity(pattern.len());
    normalise(body, true, &mut normal);
    if anchored {
        normal.push(b'$');
    }
    normal
}

/// The normal form of a URL's path and query. `*` and `$` are encoded, so that they never look special.
pub(super) fn normal_path(path: &str) -> Cow<'_, [u8]> {
    if path.bytes().all(|byte| byte != b'*' && is_plain(byte)) {
        return path.as_bytes().into();
    }
    let mut normal = Vec::with_capacity(path.len());
    normalise(path.as_bytes(), false, &mut normal);
    normal.into()
}

/// Decodes encoded unreserved characters, encodes bytes that are not ASCII, writes hex digits in upper case.
fn normalise(bytes: &[u8], star_is_special: bool, normal: &mut Vec<u8>) {
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        rest = after;
        match (*first, hex(after)) {
            (b'%', Some(byte)) => {
                rest = &after[2..];
                if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
                    normal.push(byte);
                } else {
                    encode(byte, normal);
                }
            }
            (b'*', _) if star_is_special => normal.push(b'*'),
            (b'*' | b'$' | 0x80.., _) => encode(*first, normal),
            // A URL never holds these: the standard's parser encodes them.
            (0..=b' ' | b'"' | b'\'' | b'<' | b'>' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7F, _) => {
                encode(*first, normal);
            }
            _ => normal.push(*first),
        }
    }
}

fn hex(bytes: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match bytes {
        [high, low, ..] => u8::try_from(digit(*high)? * 16 + digit(*low)?).ok(),
        _ => None,
    }
}

fn encode(byte: u8, normal: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    normal.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// The first bytes of a pattern, up to eight and to what is special in it: most rules are put aside by these alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    bytes: u64,
    mask: u64,
}

impl Head {
    pub(super) fn of_pattern(pattern: &[u8]) -> Self {
        let length =
            pattern.iter().take(8).position(|byte| matches!(byte, b'*' | b'$')).unwrap_or(pattern.len().min(8));
        let mask = if length == 8 { u64::MAX } else { (1 << (8 * length)) - 1 };
        Self { bytes: head(&pattern[..length]), mask }
    }

    /// Whether a path with this [`head`] may match.
    pub(super) fn may_match(self, path: u64) -> bool {
        (path ^ self.bytes) & self.mask == 0
    }
}

/// The first eight bytes of a path, with zeros where it is shorter: no pattern has any.
pub(super) fn head(bytes: &[u8]) -> u64 {
    let mut head = [0; 8];
    let length = bytes.len().min(8);
    head[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(head)
}

/// Whether a normal pattern matches a normal path from its start. Each piece between stars takes its first fitting
/// place; the last one, if anchored, the last. That is exact for this language, and linear.
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    // Most patterns differ in the first bytes.
    let differ = pattern.iter().zip(path).find(|(one, other)| one != other);
    if differ.is_some_and(|(byte, _)| !matches!(byte, b'*' | b'$')) {
        return false;
    }
    let (body, anchored) = match pattern {
        [body @ .., b'$'] => (body, true),
        _ => (pattern, false),
    };
    let mut pieces = body.split(|b| *b == b'*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let Some(mut piece) = pieces.next() else { return !anchored || rest.is_empty() };
    for next in pieces {
        match memchr::memmem::find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
        piece = next;
    }
    if anchored { rest.ends_with(piece) } else { memchr::memmem::find(rest, piece).is_some() }
}

/// A pattern as Google's parser keeps it: bytes that are not ASCII encoded, hex digits in upper case, nothing decoded.
pub(super) fn google_pattern(value: &str) -> Vec<u8> {
    let mut pattern = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                pattern.extend([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]);
                rest = &after[2..];
            }
            (0x80.., _) => encode(*first, &mut pattern),
            _ => pattern.push(*first),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, path, expected) in [
            ("/", "/x", true),
            ("/fish", "/fish.html", true),
            ("/fish", "/Fish", false),
            ("/fish*", "/fish", true),
            ("/*.php$", "/a.php?b", false),
            ("/*.php$", "/a.php.php", true),
            ("/a*b*c", "/a.c.b.c", true),
            ("*/search", "/search", true),
            ("/a$", "/a", true),
            ("/a$b", "/a$b", true),
            ("/%7Ejoe", "/~joe", true),
            ("/a%2fb", "/a/b", false),
            ("/a%2fb", "/a%2Fb", true),
            ("/%2A", "/*", true),
            ("/%2A", "/x", false),
            ("/é", "/%C3%A9", true),
            ("/x**$", "/xyz", true),
        ] {
            let found = matches(&normal_pattern(pattern.as_bytes()), &normal_path(path));
            assert_eq!(found, expected, "{pattern} on {path}");
        }
    }
}
