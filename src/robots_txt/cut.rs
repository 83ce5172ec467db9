//! A file's bytes cut into lines, and names put together again.

/// A name as text with single blanks.
pub(super) fn single_blanks(value: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if value.iter().all(u8::is_ascii_graphic) {
        return value.into();
    }
    let words: Vec<_> = String::from_utf8_lossy(value).split_whitespace().map(str::to_owned).collect();
    words.join(" ").into_bytes().into()
}

/// Lines with their numbers; CR, LF and CR LF each end one.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = Some(bytes);
    let mut number = 0;
    std::iter::from_fn(move || {
        let bytes = rest?;
        number += 1;
        let end = memchr::memchr2(b'\n', b'\r', bytes);
        let Some(end) = end else {
            rest = None;
            return Some((number, bytes));
        };
        let next = if bytes[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
        rest = Some(&bytes[next..]);
        Some((number, &bytes[..end]))
    })
}

/// A line up to the end of a part of it.
pub(super) fn until<'a>(line: &'a [u8], part: &[u8]) -> &'a [u8] {
    &line[..part.as_ptr() as usize - line.as_ptr() as usize + part.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts_once() {
        let found: Vec<_> =
            lines(b"a\r\nb\rc\n\nd").map(|(n, l)| (n, String::from_utf8_lossy(l).into_owned())).collect();
        let expected = [(1, "a"), (2, "b"), (3, "c"), (4, ""), (5, "d")];
        assert_eq!(found, expected.map(|(n, l)| (n, l.to_owned())));
    }
}
