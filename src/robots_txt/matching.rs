//! Patterns against paths, in a normal form of percent-encoding, without backtracking.

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
pub(super) fn normal_path(path: &str) -> Vec<u8> {
    let mut normal = Vec::with_capacity(path.len());
    normalise(path.as_bytes(), false, &mut normal);
    normal
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

/// Whether a normal pattern matches a normal path from its start. Each piece between stars takes its first fitting
/// place; the last one, if anchored, the last. That is exact for this language, and linear.
pub(super) fn matches(pattern: &[u8], path: &[u8]) -> bool {
    let (body, anchored) = match pattern {
        [body @ .., b'$'] => (body, true),
        _ => (pattern, false),
    };
    let mut pieces = body.split(|b| *b == b'*');
    let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let pieces: Vec<&[u8]> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return !anchored || rest.is_empty() };
    for piece in middle {
        match memchr::memmem::find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    if anchored { rest.ends_with(last) } else { memchr::memmem::find(rest, last).is_some() }
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
