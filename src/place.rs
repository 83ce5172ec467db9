//! Places in a page: offset, line and column.

use std::cell::Cell;

/// A place in a decoded page: the bytes before it, its line and its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    start: u64,
    line: u32,
    column: u32,
    /// The character before was CR: an LF that follows does not end another line.
    after_return: bool,
}

impl Default for Place {
    fn default() -> Self {
        Self {
            start: 0,
            line: 1,
            column: 1,
            after_return: false,
        }
    }
}

impl Place {
    /// The number of bytes of the decoded page before the place.
    pub fn start(self) -> u64 {
        self.start
    }

    /// The line, from 1. LF, CR and CR LF each end a line.
    pub fn line(self) -> u32 {
        self.line
    }

    /// The column in characters, from 1.
    pub fn column(self) -> u32 {
        self.column
    }

    /// The start of a line, in a file for which only lines are known.
    #[doc(hidden)]
    pub fn from_line(line: u32) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }

    /// The place after `text`, if `text` begins at this place.
    pub(crate) fn after(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let line_start = if memchr::memchr(b'\r', bytes).is_some() || self.after_return {
            self.pass_ends(bytes)
        } else {
            let last = memchr::memrchr(b'\n', bytes);
            let ends = last.map_or(0, |last| {
                1 + memchr::memchr_iter(b'\n', &bytes[..last]).count()
            });
            self.pass_lines(ends);
            last.map_or(0, |last| last + 1)
        };
        let characters = text[line_start..].chars().count();
        self.column = self
            .column
            .saturating_add(u32::try_from(characters).unwrap_or(u32::MAX));
        self.after_return = if text.is_empty() {
            self.after_return
        } else {
            text.ends_with('\r')
        };
        self.start += text.len() as u64;
        self
    }

    /// Counts the line ends of a text in which some are CR. Returns where the last line begins.
    fn pass_ends(&mut self, bytes: &[u8]) -> usize {
        let mut line_start = 0;
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let after_return = if at == 0 {
                self.after_return
            } else {
                bytes[at - 1] == b'\r'
            };
            let ends_line = bytes[at] == b'\r' || !after_return;
            self.line = self.line.saturating_add(u32::from(ends_line));
            self.column = 1;
            line_start = at + 1;
        }
        line_start
    }

    fn pass_lines(&mut self, ends: usize) {
        if ends > 0 {
            self.line = self
                .line
                .saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
            self.column = 1;
        }
    }
}

/// Finds places in a text. Most places are never asked for, so lines are counted only from one
/// question to the next. Questions in the order of the text cost one reading of it.
#[derive(Debug)]
pub(crate) struct Ruler<'a> {
    text: &'a str,
    begins: Place,
    /// The last answer.
    known: Cell<(usize, Place)>,
}

impl<'a> Ruler<'a> {
    /// A ruler for a text that begins at a place.
    pub(crate) fn new(text: &'a str, begins: Place) -> Self {
        Self {
            text,
            begins,
            known: Cell::new((0, begins)),
        }
    }

    /// The number of bytes of the decoded page before the text.
    pub(crate) fn start(&self) -> u64 {
        self.begins.start
    }

    /// The place of a byte of the text.
    pub(crate) fn place(&self, at: usize) -> Place {
        let (mut from, mut known) = self.known.get();
        if from > at {
            from = 0;
            known = self.begins;
        }
        let place = known.after(&self.text[from..at]);
        self.known.set((at, place));
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn lines_are_counted_alike_however_they_are_cut(text in "[a\u{e9}\r\n]{0,40}", cut in 0..40_usize) {
            let cut = text.floor_char_boundary(cut);
            let mut expected = Place::default();
            let mut before = ' ';
            for sign in text.chars() {
                if sign == '\r' || sign == '\n' && before != '\r' {
                    expected.line += 1;
                }
                expected.column = if matches!(sign, '\r' | '\n') { 1 } else { expected.column + 1 };
                before = sign;
            }
            let found = Place::default().after(&text[..cut]).after(&text[cut..]);
            proptest::prop_assert_eq!((found.line, found.column), (expected.line, expected.column));
            proptest::prop_assert_eq!(found, Place::default().after(&text));
        }
    }
}
