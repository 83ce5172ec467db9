//! Collects the parts of a text that the lexer must read, as a scan selects them.
//!
//! A *mark* is a token that opens or closes a region, so it changes what is withheld of the text
//! after it. A pass must see whether there are tokens, and words, between two marks. Therefore the
//! lexer reads two more things with a mark: the token after it, and all text up to the first text
//! that certainly has words.

use std::ops::Range;

use crate::html;

/// How much of a token the lexer must read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keep {
    /// The lexer need not read the token: the policy of the page is the same without it.
    Nothing,
    /// The lexer must read the token if it must read any later token. If raw text follows the
    /// token, the lexer must then read the whole element.
    IfMore,
    /// The lexer must read the token, whatever follows it.
    Token,
    /// The lexer must read the token and some text after it. The token is a mark, which opens or
    /// closes a region: it changes what is withheld after it.
    Mark,
    /// The lexer must read the whole text of the page.
    Everything,
}

/// Error: the text is not plain HTML, or all of it must be read.
#[derive(Debug)]
pub(super) struct NotScannable;

/// Parts of a text that the lexer must read.
#[derive(Debug, Default)]
pub(crate) struct KeptParts {
    /// Byte ranges of the parts, in order. Each begins and ends between two tokens, in plain HTML.
    pub(crate) parts: Vec<Range<usize>>,
    /// Number of region marks in the parts.
    pub(crate) marks: usize,
    /// Parts that the lexer must read if it must read a later token.
    waiting: Vec<Range<usize>>,
    /// True if the last token is a region mark.
    is_after_mark: bool,
    words: WordEvidence,
}

/// Evidence that the text has words after the last region mark.
#[derive(Debug, Default)]
struct WordEvidence {
    /// True if `parts` has text in which a person certainly sees words.
    are_found: bool,
    /// True if text was skipped in which there may be words.
    are_doubtful: bool,
}

/// A token that a scan has read, with the text before it.
#[derive(Debug)]
pub(super) struct ScannedToken {
    pub(super) keep: Keep,
    /// Byte range of the text before the token.
    pub(super) text: Range<usize>,
    /// Byte offset at which the token ends.
    pub(super) end: usize,
    /// True if the token begins an element in which there may be words.
    pub(super) may_have_words: bool,
}

impl KeptParts {
    /// Adds a token with the text before it. `all` is the whole text of the page.
    #[inline]
    pub(super) fn add(&mut self, all: &str, token: &ScannedToken) -> Result<(), NotScannable> {
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
        // A kept text always ends with the token after it.
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
            Keep::Everything => return Err(NotScannable),
        }
        if *keep == Keep::Mark {
            self.mark()
        } else {
            Ok(())
        }
    }

    fn mark(&mut self) -> Result<(), NotScannable> {
        self.check_words()?;
        self.words = WordEvidence::default();
        self.is_after_mark = true;
        self.marks += 1;
        Ok(())
    }

    fn check_words(&self) -> Result<(), NotScannable> {
        if self.words.are_doubtful && !self.words.are_found {
            Err(NotScannable)
        } else {
            Ok(())
        }
    }

    /// Skips a token in a template, since the lexer need not read anything there. Fails if the
    /// token before it is a region mark.
    #[inline]
    pub(super) fn skip_token(&mut self) -> Result<(), NotScannable> {
        self.words.are_doubtful = true;
        if self.is_after_mark {
            Err(NotScannable)
        } else {
            Ok(())
        }
    }

    /// Adds the whole text up to the byte offset `end` to the parts that the lexer must read.
    pub(super) fn keep_all_until(&mut self, end: usize) {
        self.waiting.clear();
        self.parts.clear();
        self.parts.push(0..end);
    }

    /// Ends the text. Fails if it is not certain whether there are words after the last region
    /// mark.
    pub(super) fn end(&self) -> Result<(), NotScannable> {
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

/// True if a person certainly sees words in a text. Ignores the text from the first `&` on, and the
/// characters `<`, `/` and `>`, since they may form `</>`, which HTML ignores.
fn has_words(text: &str) -> bool {
    let plain = &text[..memchr::memchr(b'&', text.as_bytes()).unwrap_or(text.len())];
    plain.contains(|sign: char| {
        !sign.is_whitespace() && !sign.is_control() && !matches!(sign, '<' | '/' | '>')
    })
}
