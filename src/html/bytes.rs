//! Blanks, beginnings in any case, and what a byte means inside a tag.

#[inline]
#[doc(hidden)]
pub const fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// True for a white space character of HTML.
pub fn is_blank(c: char) -> bool {
    c.is_ascii() && is_white_space(c as u8)
}

/// True if a text begins with `start`, in any case.
#[inline]
pub(crate) fn begins_with(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|own| own.eq_ignore_ascii_case(start))
}

/// The meanings of a byte inside a tag, a bit each.
pub(super) const WHITE: u8 = 1;
pub(super) const SLASH: u8 = 1 << 1;
pub(super) const CLOSES: u8 = 1 << 2;
pub(super) const EQUALS: u8 = 1 << 3;
const MEANINGS: [u8; 256] = {
    let mut meanings = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        meanings[byte] = match byte as u8 {
            b'/' => SLASH,
            b'>' => CLOSES,
            b'=' => EQUALS,
            byte if is_white_space(byte) => WHITE,
            _ => 0,
        };
        byte += 1;
    }
    meanings
};

#[inline]
pub(super) fn means(byte: u8, meanings: u8) -> bool {
    MEANINGS[usize::from(byte)] & meanings != 0
}

#[inline]
pub(crate) fn ends_tag_name(byte: u8) -> bool {
    means(byte, WHITE | SLASH | CLOSES)
}
