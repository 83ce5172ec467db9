//! Collects the parts of a text that the lexer must read, as a scan selects them.
//!
//! A *mark* is a token that opens or closes a region, so it changes what is withheld of the text
//! after it. A pass must see whether there are tokens, and words, between two marks. Therefore the
//! lexer reads two more things with a mark: the token after it, and all text up to the first text
//! that certainly has words.

use std::ops::Range;

use crate::html;

/// How much of the page the lexer must read because of one token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keep {
    /// The lexer need not read the token: the policy of the page is the same without it.
    Nothing,
    /// The lexer must read the token only if the lexer must also read a later token. A start tag
    /// with raw text, such as a `script` tag, counts as one token with this text and the end tag.
    IfMore,
    /// The lexer must read the token, whatever follows it.
    Token,
    /// The token opens or closes a region, so it changes which of the later text is withheld. The
    /// lexer must read this token and some text after it.
    Mark,
    /// The lexer must read the whole text of the page.
    Everything,
}

/// Error: a scan cannot select parts of the text, so the lexer must read the whole text.
#[derive(Debug)]
pub(super) struct NotScannable;

/// Parts of a page's text that the lexer must read.
#[derive(Debug, Default)]
pub(crate) struct KeptParts {
    /// Byte ranges of the parts, in order. Each part begins and ends between two tokens, outside of
    /// svg, `select` and templates.
    pub(crate) parts: Vec<Range<usize>>,
    /// Number of tokens in `parts` that open or close a region.
    pub(crate) marks: usize,
    /// Byte ranges that wait for a later token. If the lexer must read a later token, it must read
    /// these ranges too. Otherwise it need not read them.
    waiting: Vec<Range<usize>>,
    /// True if the last added token opens or closes a region.
    is_after_mark: bool,
    words: WordEvidence,
}

/// Evidence that the page has words after the last token that opened or closed a region.
#[derive(Debug, Default)]
struct WordEvidence {
    /// True if `parts` has words that a person certainly sees. Only words after the last token that
    /// opens or closes a region count.
    are_found: bool,
    /// True if some text was skipped that may have words. Only text after the last token that opens
    /// or closes a region counts.
    are_doubtful: bool,
}

/// A token that a scan has read, with the text before it.
#[derive(Debug)]
pub(super) struct ScannedToken {
    pub(super) keep: Keep,
    /// Byte range of the text between the previous token and this token.
    pub(super) text: Range<usize>,
    /// Byte offset at which the token ends.
    pub(super) end: usize,
    /// True if the token begins an element that may contain words.
    pub(super) may_have_words: bool,
}

impl KeptParts {
    /// Decides how much of `token` and of the text before it the lexer must read, and adds these
    /// bytes. Fails if the lexer must read the whole page. `all` is the text of the page.
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

    /// Records that the lexer skips a token of a `template`: one of its tags, or a token inside.
    /// Fails if the token just before opens or closes a region. Directly after a token that opens
    /// or closes a region, the lexer must always read the next token.
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

    /// Checks the parts at the end of the page. Fails if it is not certain whether there are words
    /// after the last token that opens or closes a region.
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

/// True if `text` has words that a person certainly sees. Ignores everything from the first `&` on,
/// since a character reference may begin there. Also ignores the characters `<`, `/` and `>`, since
/// they may form `</>`, which HTML ignores.
fn has_words(text: &str) -> bool {
    let plain = &text[..memchr::memchr(b'&', text.as_bytes()).unwrap_or(text.len())];
    plain.contains(|sign: char| {
        !sign.is_whitespace() && !sign.is_control() && !matches!(sign, '<' | '/' | '>')
    })
}
