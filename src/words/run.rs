//! Reads words without testing each byte. These words consist of ASCII letters and digits and of
//! small letters of Latin 1, with one blank between two words.
//!
//! Eight bytes of the text are tested together, as one number. In a mask, the highest bit of each
//! byte tells whether the byte of the text has the wanted property. No sum carries from one byte
//! into the next, since the highest bit of each byte is cleared first. Text other than such words
//! is left to the slower code in `words`.

use super::class::{BEYOND, LONGEST, MID, UNDERSCORE, WORD, has_kind};

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * EACH;

/// Reads up to `most` words from the offset `start`. The words consist of ASCII letters, ASCII
/// digits and small letters of Latin 1. One blank separates two words. Reading stops before other
/// text.
///
/// Returns the offset at which the last word ends, and the number of words. Returns `None` if the
/// first word is not such a word.
pub(super) fn run(bytes: &[u8], start: usize, most: usize) -> Option<(usize, usize)> {
    let mut at = start;
    let mut word = start;
    let mut end = start;
    let mut number = 0;
    while number < most {
        let eight = Eight::read(bytes, at);
        let words = eight.blanks.count_ones() as usize;
        if eight.is_plain(at == word) && at + 8 - word <= LONGEST && number + words < most {
            if words > 0 {
                end = at + 7 - (eight.blanks.leading_zeros() / 8) as usize;
                word = end + 1;
                number += words;
            }
            at += 8;
            continue;
        }
        at = word_end(bytes, at, eight);
        if at == word || at - word > LONGEST || !ends_at(bytes, at) {
            break;
        }
        end = at;
        number += 1;
        if bytes.get(at) != Some(&b' ') {
            break;
        }
        at += 1;
        word = at;
    }
    (number > 0).then_some((end, number))
}

/// Masks for eight adjacent bytes of a text. In a mask, the highest bit of each byte is 1 if the
/// byte of the text has the wanted property.
#[derive(Clone, Copy)]
struct Eight {
    /// Mask of the letters and digits of ASCII.
    letters: u64,
    blanks: u64,
}

impl Eight {
    /// Returns the masks of the eight bytes at `at`. Bytes after the end of the text count as
    /// neither letters nor blanks.
    #[inline]
    fn read(bytes: &[u8], at: usize) -> Self {
        match bytes.get(at..).and_then(<[u8]>::first_chunk) {
            Some(eight) => Self::new(u64::from_le_bytes(*eight)),
            None => Self::new(
                bytes[at..]
                    .iter()
                    .rev()
                    .fold(0, |eight, byte| eight << 8 | u64::from(*byte)),
            ),
        }
    }

    #[inline]
    fn new(eight: u64) -> Self {
        let low = eight & !HIGH;
        let least = |low: u64, byte: u8| low + EACH * u64::from(0x80 - byte);
        let digits = least(low, b'0') & !least(low, b'9' + 1);
        // This bit turns only letters into small letters.
        let small = low | (0x20 * EACH);
        let letters = least(small, b'a') & !least(small, b'z' + 1);
        let other = low ^ (EACH * u64::from(b' '));
        Self {
            letters: (digits | letters) & !eight & HIGH,
            blanks: !(least(other, 1) | eight) & HIGH,
        }
    }

    /// True if the eight bytes hold only words with one blank between them. If `begins` is true, a
    /// word must begin at the first byte, so this byte may not be a blank.
    #[inline]
    fn is_plain(self, begins: bool) -> bool {
        let before = if begins { 0x80 } else { 0 };
        self.letters | self.blanks == HIGH && self.blanks & (self.blanks << 8 | before) == 0
    }

    /// Returns the number of letters and digits at the start of the eight bytes.
    #[inline]
    fn letters(self) -> usize {
        ((self.letters ^ HIGH).trailing_zeros() / 8) as usize
    }
}

/// Returns the offset at which the letters and digits that begin at `at` end. `eight` has the masks
/// of the eight bytes at `at`.
#[inline]
fn word_end(bytes: &[u8], at: usize, mut eight: Eight) -> usize {
    let mut end = at;
    loop {
        end += eight.letters();
        match bytes.get(end..) {
            Some([0xC3, 0x9F..=0xB6 | 0xB8..=0xBF, ..]) => end += 2,
            _ if eight.letters != HIGH => return end,
            _ => {}
        }
        eight = Eight::read(bytes, end);
    }
}

/// True if a word certainly ends at the offset `at`. False if the character at `at` may belong to
/// the word, change it, or join it to the next word.
fn ends_at(bytes: &[u8], at: usize) -> bool {
    let is_in_none =
        |at: usize, kinds: u8| bytes.get(at).is_none_or(|byte| !has_kind(*byte, kinds));
    let no_word = WORD | UNDERSCORE | BEYOND;
    is_in_none(at, no_word) && (is_in_none(at, MID) || is_in_none(at + 1, no_word))
}
