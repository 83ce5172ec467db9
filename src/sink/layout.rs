//! Records the line structure of a field's text beside the text: where blocks begin, and the white
//! space that is kept inside of them.
//!
//! The text itself has one blank for all white space. A *mark* belongs to an offset in the text at
//! which a word begins. It says what separates this word from the one before: the white space, as
//! the standard's algorithm for `innerText` sets it, and the block that begins, if one does.
//!
//! White space inside of text that no bot may index is not recorded.

use std::borrow::Cow;

use crate::locate::{BlockContext, Gap};
use crate::place::Place;

/// A place in a field's text at which something other than one blank separates two words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayoutMark {
    /// Byte offset in the field's text at which the word after the mark begins.
    pub(crate) at: usize,
    /// End of the mark's white space in [`Layout::white`]. It begins where that of the mark before
    /// ends.
    white_end: u32,
    /// Length of the white space that belongs to the beginning of the block itself.
    lead: u32,
    /// Number of blocks that have begun at the mark or before it.
    pub(crate) blocks: u32,
    /// What elements alone put before the word.
    pub(crate) separation: Separation,
}

/// What elements put between two words, without any white space of the page. The greatest one is
/// last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Separation {
    #[default]
    Blank,
    Tab,
    Line,
    Paragraph,
}

impl Separation {
    /// Returns the white space that shows the separation.
    pub(crate) fn space(self) -> &'static str {
        match self {
            Self::Blank => " ",
            Self::Tab => "\t",
            Self::Line => "\n",
            Self::Paragraph => "\n\n",
        }
    }
}

/// A block of text, in the order in which blocks begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockRecord {
    pub(crate) context: BlockContext,
    /// Place of the block's first word.
    pub(crate) place: Place,
}

/// Line structure of the text of one field.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    marks: Vec<LayoutMark>,
    blocks: Vec<BlockRecord>,
    /// White space of all marks, and then that since the last mark.
    white: String,
    /// Length of the white space that belongs to marks.
    marked: usize,
    /// Line breaks that are required before the next white space or word.
    required: u8,
    /// The greatest separation since the last mark.
    separation: Separation,
    /// True if a block begins with the next word.
    begins_block: bool,
    /// Offset in `white` from which on the white space belongs to the block that begins.
    lead_start: Option<usize>,
    /// True directly after a start tag behind which HTML ignores a line break.
    ignores_newline: bool,
}

/// Returns white space with the line breaks that HTML reads: CR LF and CR are a line break each.
fn normal_newlines(white: &str) -> Cow<'_, str> {
    if white.contains('\r') {
        Cow::Owned(white.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(white)
    }
}

impl Layout {
    /// Records what a tag puts between the texts before and after it.
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

    /// Turns the required line breaks into white space.
    fn flush(&mut self) {
        for _ in 0..std::mem::take(&mut self.required) {
            self.white.push('\n');
        }
    }

    /// Begins a block with the next word.
    pub(crate) fn begin_block(&mut self) {
        self.require(1);
    }

    /// Ignores a line break directly after this place.
    pub(crate) fn ignore_newline(&mut self, ignores: bool) {
        self.ignores_newline = ignores;
    }

    /// Records white space that is kept.
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

    /// Records that a word of the given context begins at the offset `at` of the text.
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

    /// Records that text was read which no bot may index. The white space before it is forgotten:
    /// what elements put between the texts around it is in [`LayoutMark::separation`].
    pub(crate) fn withheld(&mut self) {
        self.white.truncate(self.marked);
        self.lead_start = None;
        self.ignores_newline = false;
    }

    /// Returns the number of blocks.
    pub(crate) fn block_count(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn marks(&self) -> &[LayoutMark] {
        &self.marks
    }

    /// Returns the block that is the last of the first `blocks`.
    pub(crate) fn block(&self, blocks: u32) -> Option<&BlockRecord> {
        self.blocks.get((blocks as usize).checked_sub(1)?)
    }

    /// Returns the white space of the mark at position `number`: what separates it from the word
    /// before, and what belongs to the beginning of its block.
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
