//! Splits the bytes of a robots.txt into lines, and normalises the blanks in agents' names.

use heedful_base::lenient::line::is_blank;

/// Replaces each run of blanks in an agent's name by a single blank.
pub(super) fn single_blanks(value: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    let is_plain = value
        .iter()
        .all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    if is_plain && !value.windows(2).any(|two| two == b"  ") {
        return value.into();
    }
    let words: Vec<_> = String::from_utf8_lossy(value)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    words.join(" ").into_bytes().into()
}

/// Returns two facts on the first word of `text`: its length in bytes, and the classes of its bytes
/// as one bitmask. The word ends before the first blank or control character. `table` has a bitmask
/// of classes for each byte value.
#[inline]
pub(super) fn first_word(text: &[u8], table: &[u8; 256]) -> (usize, u8) {
    let length = word_length(text);
    (length, classes_of(&text[..length], table))
}

/// Returns the number of bytes before the first blank or control character of `text`.
#[inline]
fn word_length(text: &[u8]) -> usize {
    let (chunks, rest) = text.as_chunks::<8>();
    for (number, chunk) in chunks.iter().enumerate() {
        let eight = u64::from_le_bytes(*chunk);
        // The subtraction sets the high bit of each byte below `!`, and of no ASCII byte before it.
        let below = eight.wrapping_sub(u64::from_ne_bytes([b'!'; 8]));
        let ends = below & !eight & u64::from_ne_bytes([0x80; 8]);
        if ends != 0 {
            return 8 * number + ends.trailing_zeros() as usize / 8;
        }
    }
    let end = rest.iter().position(|byte| *byte < b'!');
    text.len() - rest.len() + end.unwrap_or(rest.len())
}

/// Returns the classes of all bytes in `text`, as one bitmask. `table` has a bitmask of classes for
/// each byte value.
#[inline]
pub(super) fn classes_of(text: &[u8], table: &[u8; 256]) -> u8 {
    let mut classes = classes_of_last(text, table);
    for chunk in text.as_chunks::<8>().0 {
        classes |= classes_of_few(chunk, table);
    }
    classes
}

/// Returns the classes of the last eight bytes of `text`, joined in one bitmask. If `text` is
/// shorter, all its bytes are examined. `table` has a bitmask of classes for each byte value.
#[inline]
fn classes_of_last(text: &[u8], table: &[u8; 256]) -> u8 {
    match text.last_chunk::<8>() {
        Some(last) => classes_of_few(last, table),
        None => classes_of_few(text, table),
    }
}

/// Returns the classes of all bytes in a short text, as one bitmask. `table` has a bitmask of
/// classes for each byte value.
#[inline]
fn classes_of_few(text: &[u8], table: &[u8; 256]) -> u8 {
    let mut classes = 0;
    for byte in text {
        classes |= table[usize::from(*byte)];
    }
    classes
}

/// Returns the number of blanks at the start of a text. Line ends do not count as blanks.
#[inline]
pub(super) fn blanks(text: &[u8]) -> usize {
    let is_counted = |byte: &&u8| is_blank(**byte) && !matches!(byte, b'\n' | b'\r');
    text.iter().take_while(is_counted).count()
}

/// Splits the bytes of a robots.txt into lines, each with its number. CR, LF and CR LF each end a
/// line.
pub(super) fn lines(bytes: &[u8]) -> RawLines<'_> {
    RawLines {
        rest: Some(bytes),
        number: 0,
    }
}

/// Iterator over the lines of a robots.txt, each with its number.
pub(super) struct RawLines<'a> {
    /// Bytes of the file that are not split yet. `None` after the last line.
    rest: Option<&'a [u8]>,
    /// Number of the line that was returned or skipped last, from 1. It is 0 before the first line.
    number: u32,
}

impl<'a> RawLines<'a> {
    /// Number of the line that was returned or skipped last, from 1. It is 0 before the first line.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Returns the bytes of the file from the start of the next line.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest.unwrap_or_default()
    }

    /// Moves past the next line, and returns the line's number. The caller has already read the
    /// line from [`RawLines::rest`], up to the end of its value. `after` is the part of the file
    /// after this value. Only blanks and a comment may come between the value and the end of the
    /// line. If other text comes there, does not move, and returns `None`.
    #[inline]
    pub(super) fn pass_line_end(&mut self, after: &'a [u8]) -> Option<u32> {
        let after = match after.first() {
            None | Some(b'\n' | b'\r') => after,
            Some(b' ' | b'\t' | b'#') => after_comment(after)?,
            Some(_) => return None,
        };
        Some(self.pass(after))
    }

    /// Skips the next line and returns its number. `after` is the part of [`RawLines::rest`] that
    /// begins with the line break at the end of this line. If the line has no line break, `after`
    /// is empty.
    #[inline]
    pub(super) fn pass(&mut self, after: &'a [u8]) -> u32 {
        self.number += 1;
        self.rest = match after {
            [b'\r', b'\n', next @ ..] | [_, next @ ..] => Some(next),
            [] => None,
        };
        self.number
    }
}

/// Skips blanks and a comment at the start of `text`. Returns the text from the next line break on,
/// or an empty text if there is no line break. Returns `None` if other text comes before the line
/// break.
fn after_comment(text: &[u8]) -> Option<&[u8]> {
    let blanks = text
        .iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count();
    let rest = &text[blanks..];
    match rest.first() {
        None | Some(b'\n' | b'\r') => Some(rest),
        Some(b'#') => Some(&rest[memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())..]),
        Some(_) => None,
    }
}

impl<'a> Iterator for RawLines<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<(u32, &'a [u8])> {
        let rest = self.rest?;
        let (line, after) =
            rest.split_at(memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len()));
        Some((self.pass(after), line))
    }
}

/// Returns the beginning of `line`, up to the end of `part`. `part` must be a slice of `line`.
pub(super) fn up_to<'a>(line: &'a [u8], part: &[u8]) -> &'a [u8] {
    &line[..part.as_ptr() as usize - line.as_ptr() as usize + part.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_word_ends_at_the_first_blank(text in prop::collection::vec(prop_oneof![any::<u8>(), b'!'..0x80], 0..40), table in prop::array::uniform32(any::<u8>())) {
            let table: [u8; 256] = std::array::from_fn(|byte| table[byte % 32] & table[byte / 8]);
            let length = text.iter().position(|byte| *byte < b'!').unwrap_or(text.len());
            let mut classes = 0;
            for byte in &text[..length] {
                classes |= table[usize::from(*byte)];
            }
            prop_assert_eq!(first_word(&text, &table), (length, classes));
        }
    }
}
