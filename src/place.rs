//! Places in a decoded page: byte offset, line and column. This file also computes the line and
//! column of a byte from its offset in a text.

use std::cell::Cell;

/// A place in a decoded page, given as byte offset, line and column.
///
/// ```
/// use heedful::{Bot, Filter, Use};
///
/// let html = b"<p>Dark\n  <meta name=robots content=nosnippet>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let why = page.policy().why(Use::Snippet).expect("a denial");
/// let place = why.place().expect("a directive in the page");
/// assert_eq!((place.start(), place.line(), place.column()), (10, 2, 3));
/// assert!(html[place.start() as usize..].starts_with(b"<meta"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    start: u64,
    line: u32,
    column: u32,
    /// True if the character before the place is CR. If an LF follows, CR and LF together end only
    /// one line.
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
    /// Returns the byte offset of the place in the decoded page.
    pub fn start(self) -> u64 {
        self.start
    }

    /// Returns the line of the place, from 1. LF, CR and CR LF each end a line.
    pub fn line(self) -> u32 {
        self.line
    }

    /// Returns the column of the place in characters, from 1.
    pub fn column(self) -> u32 {
        self.column
    }

    /// Returns the place at the start of a line. Lines are counted from 1. The byte offset is set
    /// to 0, since only the line is known.
    #[doc(hidden)]
    pub fn from_line(line: u32) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }

    /// Returns the place directly after `text`. `text` must begin at this place.
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

    /// Updates line and column by all line ends in `bytes`, where LF, CR and CR LF each end a line.
    /// Returns the offset in `bytes` at which the last line starts.
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

/// Computes the place (line and column) of any byte in a text. A query scans only the text between
/// its byte and the byte of the previous query. So queries in source order scan the text only once.
#[derive(Debug)]
pub(crate) struct Ruler<'a> {
    text: &'a str,
    begins: Place,
    /// The last result of [`Ruler::place`]: an offset in `text`, and the place at that offset.
    known: Cell<(usize, Place)>,
}

impl<'a> Ruler<'a> {
    /// Creates a ruler for `text`, a part of a page. `begins` is the place in the page where `text`
    /// begins.
    pub(crate) fn new(text: &'a str, begins: Place) -> Self {
        Self {
            text,
            begins,
            known: Cell::new((0, begins)),
        }
    }

    /// Returns the byte offset, in the decoded page, at which the ruler's text begins.
    pub(crate) fn start(&self) -> u64 {
        self.begins.start
    }

    /// Returns the place in the page of the byte that has the offset `at` in the ruler's text.
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
