//! What a skim keeps of a text: the parts that the lexer must read.
//!
//! Where a mark changes what is withheld of the text behind it, a pass must see whether there are words under it, and
//! whether there is anything. So the token behind a mark is kept with it, and so is the first text that certainly has words.

use std::ops::Range;

use crate::html;

/// What the lexer must read of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keep {
    /// Nothing: it is as if it were not there.
    Nothing,
    /// The token, if something is kept behind it. With raw text, all of the element.
    IfMore,
    /// The token, in any case.
    Token,
    /// The token, which changes what is said of the text behind it. So something of that text is kept too.
    Mark,
    /// Everything: the whole text.
    Everything,
}

/// The text is not plain, or all of it is to be kept.
#[derive(Debug)]
pub(super) struct Unsure;

/// The parts of a text that the lexer must read.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    /// The parts, in order. Each begins and ends between two tokens, in plain HTML.
    pub(crate) parts: Vec<Range<usize>>,
    /// The number of marks.
    pub(crate) marks: usize,
    /// The parts to keep if something is kept behind them.
    waiting: Vec<Range<usize>>,
    /// The last token is a mark.
    is_behind_mark: bool,
    words: Words,
}

/// What is known of words since the last mark. A reader sees some if a letter stands in plain text. Other text is doubtful:
/// references, other scripts, the text of a drawing.
#[derive(Debug, Default)]
struct Words {
    are_found: bool,
    are_doubtful: bool,
}

impl Words {
    /// Takes a text between two tags. Returns true if it has the first words.
    #[inline]
    fn pass(&mut self, text: &str) -> bool {
        if self.are_found || text.is_empty() {
            return false;
        }
        let bytes = text.as_bytes();
        self.are_found = bytes.iter().any(u8::is_ascii_alphanumeric) && memchr::memchr(b'&', bytes).is_none();
        self.are_doubtful |= !self.are_found && !bytes.iter().all(|byte| html::is_white_space(*byte));
        self.are_found
    }

    /// True if it is not known whether there are words.
    fn are_unknown(&self) -> bool {
        self.are_doubtful && !self.are_found
    }
}

impl Kept {
    /// Takes a token that ends at `end`, with the text before it.
    #[inline]
    pub(super) fn take(&mut self, keep: Keep, text: &str, before: Range<usize>, end: usize) -> Result<(), Unsure> {
        let has_words = self.words.pass(&text[before.clone()]);
        // A text that is kept ends with the token behind it.
        let least = match (self.is_behind_mark, has_words) {
            (true, _) => Keep::Token,
            (_, true) if self.marks > 0 => Keep::Token,
            (_, true) => Keep::IfMore,
            _ => Keep::Nothing,
        };
        self.is_behind_mark = false;
        let start = if least == Keep::Nothing { before.end } else { before.start };
        match keep.max(least) {
            Keep::Nothing => return Ok(()),
            Keep::IfMore => self.waiting.push(start..end),
            Keep::Token | Keep::Mark => {
                self.parts.append(&mut self.waiting);
                self.parts.push(start..end);
            }
            Keep::Everything => return Err(Unsure),
        }
        if keep == Keep::Mark { self.mark() } else { Ok(()) }
    }

    fn mark(&mut self) -> Result<(), Unsure> {
        if self.words.are_unknown() {
            return Err(Unsure);
        }
        self.words = Words::default();
        self.is_behind_mark = true;
        self.marks += 1;
        Ok(())
    }

    /// Passes over a token of which nothing can be kept, even behind a mark.
    #[inline]
    pub(super) fn pass(&self) -> Result<(), Unsure> {
        if self.is_behind_mark { Err(Unsure) } else { Ok(()) }
    }

    /// Notes that there may be words in what was passed over.
    pub(super) fn note_doubtful_words(&mut self) {
        self.words.are_doubtful = true;
    }

    /// Keeps everything up to here.
    pub(super) fn all_up_to(&mut self, end: usize) {
        self.waiting.clear();
        self.parts.clear();
        self.parts.push(0..end);
    }

    /// Ends the text.
    pub(super) fn end(&self) -> Result<(), Unsure> {
        if self.marks > 0 && self.words.are_unknown() { Err(Unsure) } else { Ok(()) }
    }
}
