//! The parts of a text that the lexer must read, as a scan selects them.
//!
//! Where a mark changes what is withheld of the text after it, a pass must see whether there are
//! words under it, and whether there is anything. So the token after a mark is kept with it. All
//! text is kept up to the first in which there certainly are words.

use std::ops::Range;

use crate::html;

/// What the lexer must read of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keep {
    /// Nothing: it is as if it were not there.
    Nothing,
    /// The token, if something is kept after it. With raw text, all of the element.
    IfMore,
    /// The token, in any case.
    Token,
    /// The token, which changes what is stated of the text after it. So something of that text is
    /// kept too.
    Mark,
    /// Everything: the whole text.
    Everything,
}

/// The text is not plain, or all of it is to be kept.
#[derive(Debug)]
pub(super) struct Unsure;

/// The parts of a text that the lexer must read.
#[derive(Debug, Default)]
pub(crate) struct KeptParts {
    /// The parts, in order. Each begins and ends between two tokens, in plain HTML.
    pub(crate) parts: Vec<Range<usize>>,
    /// The number of marks.
    pub(crate) marks: usize,
    /// The parts to keep if something is kept after them.
    waiting: Vec<Range<usize>>,
    /// The last token is a mark.
    is_after_mark: bool,
    words: WordEvidence,
}

/// What is known of words since the last mark.
#[derive(Debug, Default)]
struct WordEvidence {
    /// Text was kept in which a reader certainly sees some.
    are_found: bool,
    /// Text was passed over in which there may be some.
    are_doubtful: bool,
}

/// A token that a scan has read, with the text before it.
#[derive(Debug)]
pub(super) struct ScannedToken {
    pub(super) keep: Keep,
    /// The text before the token.
    pub(super) text: Range<usize>,
    /// The end of the token.
    pub(super) end: usize,
    /// The token stands for an element in which there may be words.
    pub(super) may_have_words: bool,
}

impl KeptParts {
    /// Takes a token with the text before it.
    #[inline]
    pub(super) fn add(&mut self, all: &str, token: &ScannedToken) -> Result<(), Unsure> {
        let ScannedToken {
            keep,
            text,
            end,
            may_have_words,
        } = token;
        let is_wanted = !self.words.are_found && !is_blank(&all[text.clone()]);
        let may_count = is_wanted || *may_have_words && !self.words.are_found;
        let least = if self.is_after_mark || may_count && self.marks > 0 {
            Keep::Token
        } else if may_count {
            Keep::IfMore
        } else {
            Keep::Nothing
        };
        // A text that is kept ends with the token after it.
        let start = if is_wanted || self.is_after_mark {
            text.start
        } else {
            text.end
        };
        self.words.are_found |= is_wanted && has_words(&all[text.clone()]);
        self.is_after_mark = false;
        match (*keep).max(least) {
            Keep::Nothing => return Ok(()),
            Keep::IfMore => self.waiting.push(start..*end),
            Keep::Token | Keep::Mark => {
                self.parts.append(&mut self.waiting);
                self.parts.push(start..*end);
            }
            Keep::Everything => return Err(Unsure),
        }
        if *keep == Keep::Mark {
            self.mark()
        } else {
            Ok(())
        }
    }

    fn mark(&mut self) -> Result<(), Unsure> {
        self.check_words()?;
        self.words = WordEvidence::default();
        self.is_after_mark = true;
        self.marks += 1;
        Ok(())
    }

    fn check_words(&self) -> Result<(), Unsure> {
        if self.words.are_doubtful && !self.words.are_found {
            Err(Unsure)
        } else {
            Ok(())
        }
    }

    /// Passes over a token of a template, of which nothing can be kept.
    #[inline]
    pub(super) fn pass(&mut self) -> Result<(), Unsure> {
        self.words.are_doubtful = true;
        if self.is_after_mark {
            Err(Unsure)
        } else {
            Ok(())
        }
    }

    /// Keeps everything up to here.
    pub(super) fn keep_all_until(&mut self, end: usize) {
        self.waiting.clear();
        self.parts.clear();
        self.parts.push(0..end);
    }

    /// Ends the text.
    pub(super) fn end(&self) -> Result<(), Unsure> {
        if self.marks > 0 {
            self.check_words()
        } else {
            Ok(())
        }
    }
}

#[inline]
fn is_blank(text: &str) -> bool {
    text.bytes().all(html::is_white_space)
}

/// True if a reader certainly sees words in a text. What follows a character reference is not
/// looked at, and what may belong to `</>` does not count.
fn has_words(text: &str) -> bool {
    let plain = &text[..memchr::memchr(b'&', text.as_bytes()).unwrap_or(text.len())];
    plain.contains(|sign: char| {
        !sign.is_whitespace() && !sign.is_control() && !matches!(sign, '<' | '/' | '>')
    })
}
