//! The blocks of a page's text: paragraphs, headings, list items and table cells. Each block has
//! the phrases that a bot may index. This file also makes the page's text with line breaks.
//!
//! A block never joins two phrases of the page. A block without text that the bot may index is left
//! out. Around a withheld part, the text shows at most that a block may have ended there. White
//! space of the withheld part is never returned.

use std::borrow::Cow;
use std::ops::Range;

use smallvec::SmallVec;

use crate::html::{Landmark, Landmarks};
use crate::locate::{BlockContext, BlockKind};
use crate::place::Place;
use crate::sink::layout::{BlockRecord, Layout, Separation};
use crate::sink::text::{FieldText, TextSink};
use heedful_base::bot::BotId;

use super::positions::Parting;
use super::texts::TextReader;

/// A block of a page's text: a paragraph, a heading, a list item, a table cell and so on.
///
/// Elements form blocks as in the rendering section of the HTML standard. Style sheets are ignored.
///
/// ```
/// use heedful::{BlockKind, Bot, Filter, Landmark};
///
/// let html = b"<main><h1>Rye</h1><p>Dark <b class=robots-noindex>2 EUR</b> bread</main>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let blocks = page.blocks();
/// assert_eq!((blocks[0].kind(), blocks[0].level()), (BlockKind::Heading, Some(1)));
/// assert_eq!(blocks[0].landmark(), Some(Landmark::Main));
/// assert_eq!(blocks[1].phrases().collect::<Vec<_>>(), ["Dark", "bread"]);
/// assert_eq!(blocks[1].place().column(), 22);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Block<'p> {
    context: BlockContext,
    place: Place,
    /// White space between this block and the block before it.
    space: Cow<'p, str>,
    phrases: SmallVec<[Cow<'p, str>; 1]>,
    /// True if something was withheld between the previous block and this block.
    is_parted: bool,
}

impl<'p> Block<'p> {
    /// Returns the kind of the block.
    pub fn kind(&self) -> BlockKind {
        self.context.kind
    }

    /// Returns the level of a heading, 1 for `h1`. For a list item, returns the number of lists
    /// around the item. Returns `None` for blocks of other kinds.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<h2>Bread</h2><ul><li>Rye<ul><li>dark</ul></ul><p>Baked daily";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let levels: Vec<_> = page.blocks().iter().map(|block| block.level()).collect();
    /// assert_eq!(levels, [Some(2), Some(1), Some(2), None]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn level(&self) -> Option<u8> {
        (self.context.level > 0).then_some(self.context.level)
    }

    /// Returns the number of the table row that contains the block, or `None` outside of tables.
    /// Rows are counted from 1 in the whole page.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<table><tr><td>Rye<td>3<tr><td>Oat<td>4</table>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let rows: Vec<_> = page.blocks().iter().map(|block| block.row()).collect();
    /// assert_eq!(rows, [Some(1), Some(1), Some(2), Some(2)]);
    /// assert_eq!(page.text(), "Rye\t3\nOat\t4");
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn row(&self) -> Option<u32> {
        (self.context.row > 0).then_some(self.context.row)
    }

    /// Returns the innermost landmark around the block, or `None` if there is no landmark around
    /// it.
    pub fn landmark(&self) -> Option<Landmark> {
        self.context.landmark
    }

    /// Returns the place of the block's first word in the page. For an alternative text, returns
    /// the place of the image's tag.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns the phrases of the block, at least one. A phrase ends where something was withheld.
    /// A line break (`br`) becomes `\n`, and preformatted text keeps its white space.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let html = b"<p>Dark<br>rye <!--noindex-->2 EUR<!--/noindex--> bread<pre>a\n  b</pre>";
    /// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
    /// let blocks = page.blocks();
    /// assert_eq!(blocks[0].phrases().collect::<Vec<_>>(), ["Dark\nrye", "bread"]);
    /// assert_eq!(blocks[1].phrases().collect::<Vec<_>>(), ["a\n  b"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn phrases(&self) -> impl ExactSizeIterator<Item = &str> {
        self.phrases.iter().map(|phrase| &**phrase)
    }
}

/// Returns the phrases of the body text in `landmarks`. A phrase also ends where a block ends. Each
/// phrase is paired with the kind of border between it and the phrase before.
pub(super) fn parted_by_blocks<'p>(
    blocks: Vec<Block<'p>>,
    landmarks: Landmarks,
) -> Vec<(Cow<'p, str>, Parting)> {
    let mut parts = Vec::new();
    let mut has_skipped = false;
    for block in blocks {
        if block.kind() == BlockKind::Alternative {
            continue;
        }
        if !landmarks.contains(block.landmark()) {
            has_skipped = true;
            continue;
        }
        let is_parted = block.is_parted || has_skipped;
        has_skipped = false;
        for (number, phrase) in block.phrases.into_iter().enumerate() {
            let parting = if number > 0 || is_parted {
                Parting::Phrase
            } else {
                Parting::Block
            };
            parts.push((phrase, parting));
        }
    }
    parts
}

/// Returns the text of `blocks` with the line breaks of [`Page::text`](crate::Page::text).
/// Alternative texts are left out.
pub(super) fn text(blocks: &[Block<'_>]) -> String {
    let mut text = String::new();
    for block in blocks {
        if block.kind() == BlockKind::Alternative {
            continue;
        }
        if !text.is_empty() {
            text.push_str(&block.space);
        }
        for (number, phrase) in block.phrases().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            text.push_str(phrase);
        }
    }
    text
}

/// Returns the blocks of the body text and of the alternative texts that `bot` may index, in source
/// order.
pub(super) fn blocks<'p>(text: &'p TextSink, reader: TextReader<'_>, bot: BotId) -> Vec<Block<'p>> {
    let mut blocks = read(&text.body, reader, bot);
    let alternatives = read(&text.alternative, reader, bot);
    if !alternatives.is_empty() {
        let alternatives = alternatives.into_iter().map(|mut block| {
            block.context.kind = BlockKind::Alternative;
            block.context.level = 0;
            block
        });
        blocks.extend(alternatives);
        blocks.sort_by_key(|block| block.place.start());
    }
    blocks
}

/// Returns the blocks of the text in `field` that `bot` may index.
fn read<'p>(field: &'p FieldText, reader: TextReader<'_>, bot: BotId) -> Vec<Block<'p>> {
    let mut builder = Builder::new(field);
    for (segment, range) in field.ranges(0..field.segments().len()) {
        if !reader.denied(segment).contains(bot) {
            if segment.begins(reader.all).contains(bot) {
                builder.end_phrase_at_exclusion();
            }
            builder.add(range);
        } else {
            builder.end_phrase_at_exclusion();
        }
    }
    builder.finish()
}

/// The current phrase: a byte range of the field's text, or a copy of this text with the page's own
/// white space, as in a `pre`.
enum OpenPhrase {
    Part(Range<usize>),
    Own(String),
}

/// Builder of the blocks of one field for one bot.
struct Builder<'p> {
    field: &'p FieldText,
    layout: &'p Layout,
    blocks: Vec<Block<'p>>,
    /// Number in `layout` of the last block in `blocks`, counted from 1. 0 if `blocks` is empty.
    last: u32,
    /// Number of layout marks that were passed so far. A layout mark is a place where a block
    /// begins, or where white space of the page is kept.
    marks: usize,
    /// Number in `layout` of the last block that was reached, counted from 1. 0 if no block was
    /// reached yet.
    begun: u32,
    phrase: Option<OpenPhrase>,
    /// True if an exclusion is directly before `phrase`.
    is_phrase_parted: bool,
    /// True if an exclusion was passed, and no text has been added since then.
    is_parted: bool,
    /// White space before the next block.
    space: Cow<'p, str>,
    /// The strongest separation, such as a line break, in the withheld text after the last block in
    /// `blocks`.
    separation: Separation,
}

impl<'p> Builder<'p> {
    fn new(field: &'p FieldText) -> Self {
        Self {
            field,
            layout: field.layout(),
            blocks: Vec::with_capacity(field.layout().block_count()),
            last: 0,
            marks: 0,
            begun: 0,
            phrase: None,
            is_phrase_parted: false,
            is_parted: false,
            space: Cow::Borrowed(""),
            separation: Separation::default(),
        }
    }

    /// Adds a byte range of the field's text, which the bot may index.
    fn add(&mut self, part: Range<usize>) {
        while self.mark_before(part.start) {
            self.skip_mark();
        }
        let mut start = part.start;
        while self.mark_before(part.end) {
            let at = self.layout.marks()[self.marks].at;
            self.push(start..at);
            self.take_mark();
            start = at;
        }
        self.push(start..part.end);
    }

    /// True if the next layout mark is before the byte `offset` of the field's text. A layout mark
    /// is a place where a block begins, or where white space of the page is kept.
    fn mark_before(&self, offset: usize) -> bool {
        let next = self.layout.marks().get(self.marks);
        next.is_some_and(|mark| mark.at < offset)
    }

    /// Skips the next layout mark, which is in withheld text. A layout mark is a place where a
    /// block begins, or where white space of the page is kept. If a block begins there, the
    /// separation of this block from the text before it is kept.
    fn skip_mark(&mut self) {
        let mark = self.layout.marks()[self.marks];
        if mark.blocks != self.begun {
            self.separation = mark.separation.max(self.separation);
            self.space = Cow::Borrowed(self.separation.space());
        }
        self.begun = mark.blocks;
        self.marks += 1;
    }

    /// Applies the next layout mark, which has been reached. The mark either begins a block, or
    /// puts white space into the current phrase.
    fn take_mark(&mut self) {
        if self.is_parted {
            return self.skip_mark();
        }
        let blocks = self.layout.marks()[self.marks].blocks;
        let (space, lead) = self.layout.white(self.marks);
        self.marks += 1;
        if blocks == self.begun {
            return self.push_space(space);
        }
        let is_blank = space.is_empty() && self.ends_with_blank();
        self.end_phrase();
        self.begun = blocks;
        self.space = Cow::Borrowed(if is_blank { " " } else { space });
        if !lead.is_empty() {
            self.phrase = Some(OpenPhrase::Own(lead.to_owned()));
            self.is_phrase_parted = false;
        }
    }

    fn push(&mut self, part: Range<usize>) {
        let text = self.field.text_at(part.clone());
        if part.is_empty() {
            return;
        }
        match &mut self.phrase {
            Some(OpenPhrase::Part(open)) => open.end = part.end,
            Some(OpenPhrase::Own(own)) => own.push_str(text),
            None => {
                let word = text.trim_start();
                if word.is_empty() {
                    return;
                }
                self.phrase = Some(OpenPhrase::Part(part.end - word.len()..part.end));
                self.is_phrase_parted = self.is_parted;
            }
        }
        self.is_parted = false;
    }

    /// Replaces the blank at the end of the current phrase by `space`, the white space that the
    /// page has there.
    fn push_space(&mut self, space: &str) {
        let Some(phrase) = self.phrase.take() else {
            return;
        };
        let mut own = match phrase {
            OpenPhrase::Part(part) => self.field.text_at(part).to_owned(),
            OpenPhrase::Own(own) => own,
        };
        own.truncate(own.trim_end_matches(' ').len());
        own.push_str(space);
        self.phrase = Some(OpenPhrase::Own(own));
    }

    fn ends_with_blank(&self) -> bool {
        match &self.phrase {
            Some(OpenPhrase::Part(part)) => self.field.text_at(part.clone()).ends_with(' '),
            Some(OpenPhrase::Own(own)) => own.ends_with(' '),
            None => false,
        }
    }

    /// Ends the current phrase, since an exclusion follows.
    fn end_phrase_at_exclusion(&mut self) {
        self.end_phrase();
        self.is_parted = true;
    }

    fn end_phrase(&mut self) {
        let phrase: Cow<'p, str> = match self.phrase.take() {
            Some(OpenPhrase::Part(part)) => Cow::Borrowed(self.field.text_at(part).trim_end()),
            Some(OpenPhrase::Own(mut own)) => {
                own.truncate(own.trim_end().len());
                Cow::Owned(own)
            }
            None => return,
        };
        if self.last == self.begun
            && let Some(block) = self.blocks.last_mut()
        {
            return block.phrases.push(phrase);
        }
        let Some(BlockRecord { context, place }) = self.layout.block(self.begun) else {
            return;
        };
        self.last = self.begun;
        self.separation = Separation::default();
        self.blocks.push(Block {
            context: *context,
            place: *place,
            space: std::mem::take(&mut self.space),
            phrases: SmallVec::from_iter([phrase]),
            is_parted: self.is_phrase_parted,
        });
    }

    fn finish(mut self) -> Vec<Block<'p>> {
        self.end_phrase();
        self.blocks
    }
}
