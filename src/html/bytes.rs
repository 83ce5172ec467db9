//! Classes of bytes: white space, the bytes with a meaning inside a tag, and a prefix test that
//! ignores case.

#[inline]
#[doc(hidden)]
pub const fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// True if `c` is one of HTML's five white space characters.
pub fn is_blank(c: char) -> bool {
    c.is_ascii() && is_white_space(c as u8)
}

/// True if `text` begins with `start`, ignoring ASCII case.
#[inline]
pub(crate) fn begins_with(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|own| own.eq_ignore_ascii_case(start))
}

/// Bit flag for white space. Each flag stands for a role that a byte may have inside a tag.
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
