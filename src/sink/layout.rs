//! Records the line structure of a field's text beside the text: where blocks begin, and the white
//! space that is kept inside blocks.
//!
//! The text itself has one blank for all white space. A *mark* belongs to an offset in the text at
//! which a word begins. The mark states what separates this word from the word before: the white
//! space, as the HTML standard's algorithm for `innerText` sets it, and the block that begins, if
//! any.
//!
//! White space inside text that no bot may index is not recorded.

use std::borrow::Cow;

use crate::locate::{BlockContext, Gap};
use crate::place::Place;

/// Record of a word in a field's text. Something other than one blank separates this word from the
/// word before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutMark {
    /// Byte offset of the word in the field's text.
    pub(crate) at: usize,
    /// Byte offset in the buffer `white` of [`Layout`] at which the white space before the word
    /// ends. This white space begins where the white space of the preceding [`LayoutMark`] ends.
    white_end: u32,
    /// Length in bytes of the white space before the word that belongs to the word's block, as in a
    /// `pre`. This part is at the end of the white space. 0 if no block begins with the word.
    lead: u32,
    /// Number of blocks of the field that begin at this word or before it.
    pub(crate) blocks: u32,
    /// Separation that elements put before the word. White space of the page is ignored.
    pub(crate) separation: Separation,
}

/// Separation that elements put between two words. White space of the page is ignored. Variants are
/// ordered from the weakest separation to the strongest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Separation {
    #[default]
    Blank,
    Tab,
    Line,
    Paragraph,
}

impl Separation {
    /// Returns the white space that represents the separation in text.
    pub(crate) fn space(self) -> &'static str {
        match self {
            Self::Blank => " ",
            Self::Tab => "\t",
            Self::Line => "\n",
            Self::Paragraph => "\n\n",
        }
    }
}

/// Properties of a block of text, such as a paragraph, and the place where the block begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockRecord {
    pub(crate) context: BlockContext,
    /// Place of the block's first word in the page.
    pub(crate) place: Place,
}

/// Line structure of the text of one field. It tells where blocks begin, and where two words are
/// separated by something other than one blank.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    marks: Vec<LayoutMark>,
    blocks: Vec<BlockRecord>,
    /// White space before the words that `marks` records, joined into one string in the order of
    /// the words. The end of the string is the white space that was read since the last recorded
    /// word.
    white: String,
    /// Byte offset in `white` of the white space that was read since the last recorded word. The
    /// length of `white` if there is none.
    marked: usize,
    /// Number of line breaks that must be put before the next white space or word.
    required: u8,
    /// The strongest separation, such as a line break, that elements put after the last word that
    /// `marks` records.
    separation: Separation,
    /// True if the next word begins a block.
    begins_block: bool,
    /// Byte offset in `white` at which kept white space of the page begins, as in a `pre`. If the
    /// next word begins a block, this white space belongs to that block. `None` if no white space
    /// was kept since the last word that `marks` records, or since the last tag that separates
    /// text.
    lead_start: Option<usize>,
    /// True directly after a start tag such as `<pre>`. HTML ignores a line break directly after
    /// such a tag.
    ignores_newline: bool,
}

/// Returns `white` with LF in place of each CR LF and each single CR, as HTML reads line breaks.
fn normal_newlines(white: &str) -> Cow<'_, str> {
    if white.contains('\r') {
        Cow::Owned(white.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(white)
    }
}

impl Layout {
    /// Records the line breaks or the tab by which a tag separates the text before it from the text
    /// after it.
    #[inline]
    pub(crate) fn gap(&mut self, gap: Gap) {
        if !gap.is_none() {
            self.add_gap(gap);
        }
    }

    fn add_gap(&mut self, gap: Gap) {
        self.lead_start = None;
        self.require(gap.before());
        if let Some(sign) = gap.sign() {
            self.flush();
            self.white.push(sign);
            self.begins_block |= sign == '\t';
            self.separate(match sign {
                '\t' => Separation::Tab,
                _ => Separation::Line,
            });
        }
        self.require(gap.after());
    }

    fn require(&mut self, breaks: u8) {
        if breaks > 0 {
            self.required = self.required.max(breaks);
            self.begins_block = true;
            self.separate(match breaks {
                1 => Separation::Line,
                _ => Separation::Paragraph,
            });
        }
    }

    fn separate(&mut self, separation: Separation) {
        self.separation = separation.max(self.separation);
    }

    /// Appends the required line breaks to `white`.
    fn flush(&mut self) {
        for _ in 0..std::mem::take(&mut self.required) {
            self.white.push('\n');
        }
    }

    /// Makes the next word begin a block.
    pub(crate) fn begin_block(&mut self) {
        self.require(1);
    }

    /// Sets whether a line break that directly follows the current token is ignored.
    pub(crate) fn ignore_newline(&mut self, ignores: bool) {
        self.ignores_newline = ignores;
    }

    /// Records white space that is kept as in the page, for example in a `pre`.
    pub(crate) fn space(&mut self, white: &str) {
        let ignored = std::mem::take(&mut self.ignores_newline);
        let white = normal_newlines(white);
        let white = match white.strip_prefix('\n') {
            Some(rest) if ignored => rest,
            _ => &white,
        };
        if white.is_empty() {
            return;
        }
        self.flush();
        self.lead_start.get_or_insert(self.white.len());
        self.white.push_str(white);
    }

    /// Records that a word begins at byte offset `at` of the field's text. `context` has the
    /// properties of the block around the word, and `place` returns the word's place in the page.
    #[inline]
    pub(crate) fn word(&mut self, at: usize, context: BlockContext, place: impl Fn() -> Place) {
        self.ignores_newline = false;
        let is_same = self.blocks.last().map(|block| block.context) == Some(context);
        if is_same && !self.begins_block && self.required == 0 && self.white.len() == self.marked {
            return;
        }
        if !is_same || self.begins_block {
            self.blocks.push(BlockRecord {
                context,
                place: place(),
            });
        }
        self.mark(at);
    }

    fn mark(&mut self, at: usize) {
        self.flush();
        let begins_block = match self.marks.last() {
            Some(last) => last.blocks as usize != self.blocks.len(),
            None => true,
        };
        let lead = match self.lead_start.take() {
            Some(start) if begins_block => self.white.len() - start,
            _ => 0,
        };
        self.marked = self.white.len();
        self.begins_block = false;
        self.marks.push(LayoutMark {
            at,
            white_end: u32::try_from(self.marked).unwrap_or(u32::MAX),
            lead: u32::try_from(lead).unwrap_or(u32::MAX),
            blocks: u32::try_from(self.blocks.len()).unwrap_or(u32::MAX),
            separation: std::mem::take(&mut self.separation),
        });
    }

    /// Records that text was read which no bot may index. The white space before this text is
    /// discarded. The strongest separation by elements, such as a line break, is kept for the next
    /// recorded word.
    pub(crate) fn withheld(&mut self) {
        self.white.truncate(self.marked);
        self.lead_start = None;
        self.ignores_newline = false;
    }

    /// Returns the number of blocks in the field's text.
    pub(crate) fn block_count(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn marks(&self) -> &[LayoutMark] {
        &self.marks
    }

    /// Returns the block with the number `blocks`, counted from 1. `None` for 0.
    pub(crate) fn block(&self, blocks: u32) -> Option<&BlockRecord> {
        self.blocks.get((blocks as usize).checked_sub(1)?)
    }

    /// Returns the white space before the word that `marks` records at the index `number`, in two
    /// parts. If a block begins with the word, the first part is before the block, and the second
    /// part belongs to the block. Otherwise the first part is all of the white space, and the
    /// second part is empty.
    pub(crate) fn white(&self, number: usize) -> (&str, &str) {
        let mark = self.marks[number];
        let start = match number.checked_sub(1) {
            Some(before) => self.marks[before].white_end as usize,
            None => 0,
        };
        let white = &self.white[start..mark.white_end as usize];
        white.split_at(white.len() - mark.lead as usize)
    }
}
