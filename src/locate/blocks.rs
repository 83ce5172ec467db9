//! Finds the block that a text belongs to: a paragraph, a heading, a list item, a table cell and so
//! on, and the landmark that it is in.
//!
//! The blocks are those of the HTML standard's rendering section without any style sheet. The line
//! breaks between them are those of the standard's algorithm for `innerText`. Like all parts of a
//! page (see `content`), they are found in source order, from the open elements that matter for
//! them. Those are kept by the standard's rules for end tags and implied end tags. This file departs
//! from the standard where text is moved: formatting elements are not looked at, and content in a
//! table outside of its cells is not moved before the table.
//!
//! An error here puts a line break or a landmark at a wrong place. It never changes which text is
//! withheld: that is decided by regions and by the tree.

use crate::html::{Facts, Landmark, Sieve, Tag, element_role};
use crate::lex::{Token, TokenKind};

/// The attribute by which any element may be a landmark.
const ROLE: Sieve = Sieve::from_name(b"role");

/// Upper bound of the open elements that are tracked. Chromium nests no elements deeper either.
const DEEPEST: usize = 512;

/// What a block of text is, by the innermost element around it that decides this.
///
/// ```
/// use heedful::{BlockKind, Bot, Filter};
///
/// let html = b"<h2>Rye</h2><p>Dark bread<ul><li>Wheat<li>Oat</ul>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let kinds: Vec<_> = page.blocks().iter().map(|block| block.kind()).collect();
/// use BlockKind::*;
/// assert_eq!(kinds, [Heading, Paragraph, Item, Item]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Text in no element of the kinds below. It may be a `p` or a `div`, or in no block at all.
    #[default]
    Paragraph,
    /// `h1` to `h6`.
    Heading,
    /// `li`, `dt` and `dd`.
    Item,
    /// `td` and `th`.
    Cell,
    /// `pre`, `listing`, `xmp` and `plaintext`: white space is kept.
    Preformatted,
    /// `blockquote`.
    Quote,
    /// `caption`, `figcaption` and `legend`.
    Caption,
    /// `option` and `optgroup`.
    Choice,
    /// Text that replaces an image or a drawing.
    Alternative,
}

heedful_base::display!(BlockKind);

impl BlockKind {
    /// Returns the name of the kind: `paragraph`, `heading`, `item`, `cell`, `preformatted`,
    /// `quote`, `caption`, `choice` or `alternative`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paragraph => "paragraph",
            Self::Heading => "heading",
            Self::Item => "item",
            Self::Cell => "cell",
            Self::Preformatted => "preformatted",
            Self::Quote => "quote",
            Self::Caption => "caption",
            Self::Choice => "choice",
            Self::Alternative => "alternative",
        }
    }

    /// Returns the kind of the text in an element. `None` if the element does not decide it.
    fn of_element(tag: Tag) -> Option<Self> {
        match tag {
            _ if tag.has(Facts::HEADING) => Some(Self::Heading),
            Tag::LI | Tag::DT | Tag::DD => Some(Self::Item),
            Tag::TD | Tag::TH => Some(Self::Cell),
            Tag::PRE | Tag::LISTING | Tag::XMP | Tag::PLAINTEXT => Some(Self::Preformatted),
            Tag::BLOCKQUOTE => Some(Self::Quote),
            Tag::CAPTION | Tag::FIGCAPTION | Tag::LEGEND => Some(Self::Caption),
            Tag::OPTION | Tag::OPTGROUP => Some(Self::Choice),
            _ => None,
        }
    }
}

/// What the open elements tell about the text in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockContext {
    pub(crate) kind: BlockKind,
    pub(crate) landmark: Option<Landmark>,
    /// Number of the heading's element, `h1` to `h6`. For an item, the number of lists around it.
    pub(crate) level: u8,
    lists: u8,
    in_section: bool,
    in_main: bool,
    pub(crate) keeps_space: bool,
    /// Number of the table row around the text, counted from 1 in the page. 0 if there is none.
    pub(crate) row: u32,
}

/// What separates the texts before and after a token, as in the algorithm for `innerText`: a number
/// of line breaks that are required, then a sign, then a number of line breaks again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) before: u8,
    pub(crate) sign: Option<char>,
    pub(crate) after: u8,
}

impl Gap {
    fn require(&mut self, breaks: u8) {
        let side = match self.sign {
            Some(_) => &mut self.after,
            None => &mut self.before,
        };
        *side = breaks.max(*side);
    }
}

#[derive(Debug)]
struct OpenBox {
    tag: Tag,
    /// Name of an element without a [`Tag`] that is a landmark by its `role`, or is inside of one
    /// that is no box.
    name: Option<Box<str>>,
    /// True if the table or the row in this element has a part already, so that a sign separates
    /// the next.
    has_parts: bool,
    /// What is told about the text in the element.
    context: BlockContext,
}

impl OpenBox {
    /// True for an element that is tracked for its `role` alone.
    fn is_inline(&self) -> bool {
        !self.tag.has(Facts::BOX)
    }
}

/// The open elements that decide about blocks and landmarks, outermost first.
#[derive(Debug, Default)]
pub(super) struct BlockTracker {
    open: Vec<OpenBox>,
    /// Number of open elements beyond [`DEEPEST`].
    lost: u32,
    /// Number of elements in `open` that are a `p`.
    paragraphs: u32,
    /// Number of elements in `open` that are a `form`.
    forms: u32,
    /// Number of elements in `open` that are no boxes.
    inline: u32,
    rows: u32,
}

/// Returns the number of line breaks that an element requires at its start and its end.
fn required(tag: Tag) -> u8 {
    match tag {
        Tag::P => 2,
        _ => u8::from(tag.has(Facts::BLOCK)),
    }
}

/// True if the standard's *button scope*, in which `p` is looked for, ends with this element.
fn bounds_paragraphs(tag: Tag) -> bool {
    tag.has(Facts::BOUNDS_SCOPE) || tag == Tag::BUTTON
}

fn is_table_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::CAPTION | Tag::TBODY | Tag::THEAD | Tag::TFOOT | Tag::TR | Tag::TD | Tag::TH
    )
}

impl BlockTracker {
    /// Returns what the open elements tell about a text here.
    #[inline]
    pub(super) fn context(&self) -> BlockContext {
        match self.open.last() {
            Some(last) => last.context,
            None => BlockContext::default(),
        }
    }

    /// Updates the open elements with a token. Returns what the token puts between the texts before
    /// and after it.
    #[inline]
    pub(super) fn update(&mut self, token: &Token<'_>) -> Gap {
        let tag = token.tag();
        match token.kind() {
            TokenKind::Start if tag.has(Facts::BOX) || token.may_have(ROLE) || self.inline > 0 => {
                self.start(token)
            }
            TokenKind::End if tag.has(Facts::BOX) || self.inline > 0 => self.end(token),
            _ => Gap::default(),
        }
    }

    fn start(&mut self, token: &Token<'_>) -> Gap {
        let mut gap = Gap::default();
        let tag = token.tag();
        // HTML ignores a form in a form.
        if token.is_foreign() || (tag == Tag::FORM && self.forms > 0) {
            return gap;
        }
        self.end_implied(tag, &mut gap);
        match tag {
            Tag::BR => gap.sign = Some('\n'),
            Tag::HR => gap.require(1),
            _ if tag.has(Facts::VOID) => {}
            _ if is_table_part(tag) => self.start_table_part(token, &mut gap),
            _ => self.push(token, &mut gap),
        }
        gap
    }

    /// Opens the element of a start tag, unless the element is no box and tells nothing.
    fn push(&mut self, token: &Token<'_>, gap: &mut Gap) {
        let tag = token.tag();
        let mut context = self.context();
        let attribute = |name: &str| token.attribute(name);
        let role = element_role(tag, &attribute, context.in_section, context.in_main);
        let is_box = tag.has(Facts::BOX);
        if !is_box && role.landmark.is_none() && self.inline == 0 {
            return;
        }
        gap.require(required(tag));
        context.landmark = role.landmark.or(context.landmark);
        context.in_section |= role.is_section;
        context.in_main |= role.landmark == Some(Landmark::Main);
        if matches!(tag, Tag::OL | Tag::UL | Tag::MENU | Tag::DIR | Tag::DL) {
            context.lists = context.lists.saturating_add(1);
        }
        if let Some(kind) = BlockKind::of_element(tag) {
            context.kind = kind;
            context.keeps_space |= kind == BlockKind::Preformatted;
            context.level = match kind {
                BlockKind::Heading => tag.name().as_bytes()[1] - b'0',
                BlockKind::Item => context.lists,
                _ => 0,
            };
        }
        if tag == Tag::TR {
            self.rows = self.rows.saturating_add(1);
            context.row = self.rows;
        }
        let is_named = !is_box && tag == Tag::UNKNOWN;
        self.open_box(OpenBox {
            tag,
            name: is_named.then(|| token.name().into()),
            has_parts: false,
            context,
        });
    }

    fn open_box(&mut self, element: OpenBox) {
        if self.open.len() >= DEEPEST {
            self.lost = self.lost.saturating_add(1);
            return;
        }
        self.paragraphs += u32::from(element.tag == Tag::P);
        self.forms += u32::from(element.tag == Tag::FORM);
        self.inline += u32::from(element.is_inline());
        self.open.push(element);
    }

    fn start_table_part(&mut self, token: &Token<'_>, gap: &mut Gap) {
        let tag = token.tag();
        let Some(table) = self.innermost(|open| open.tag == Tag::TABLE) else {
            return;
        };
        let is_cell = matches!(tag, Tag::TD | Tag::TH);
        let row = self.innermost(|open| matches!(open.tag, Tag::TABLE | Tag::TR));
        let group = self.innermost(|open| {
            matches!(open.tag, Tag::TABLE | Tag::TBODY | Tag::THEAD | Tag::TFOOT)
        });
        let parent = match tag {
            Tag::TD | Tag::TH => row,
            Tag::TR => group,
            _ => Some(table),
        };
        self.close_down_to(parent.map_or(0, |parent| parent + 1), gap);
        if tag == Tag::TR {
            self.separate_part(table, '\n', gap);
        }
        if is_cell {
            match row.filter(|row| *row > table) {
                Some(row) => self.separate_part(row, '\t', gap),
                None => self.start_implied_row(table, gap),
            }
        }
        self.push(token, gap);
    }

    /// Opens the row that HTML makes for a cell that is in none.
    fn start_implied_row(&mut self, table: usize, gap: &mut Gap) {
        self.separate_part(table, '\n', gap);
        self.rows = self.rows.saturating_add(1);
        self.open_box(OpenBox {
            tag: Tag::TR,
            name: None,
            has_parts: true,
            context: BlockContext {
                row: self.rows,
                ..self.context()
            },
        });
    }

    /// Separates a part of a table or a row from the part before it, if there is one. Text directly in
    /// a table is moved before the table, so that the first row begins a line too.
    fn separate_part(&mut self, whole: usize, sign: char, gap: &mut Gap) {
        let Some(whole) = self.open.get_mut(whole) else {
            return;
        };
        if std::mem::replace(&mut whole.has_parts, true) {
            gap.sign = Some(sign);
        } else if whole.tag == Tag::TABLE {
            gap.require(1);
        }
    }

    /// Closes the elements that HTML closes before the element of this start tag.
    fn end_implied(&mut self, tag: Tag, gap: &mut Gap) {
        match tag {
            Tag::LI => self.end_item(&[Tag::LI], gap),
            Tag::DD | Tag::DT => self.end_item(&[Tag::DD, Tag::DT], gap),
            Tag::OPTION => self.end_last(&[Tag::OPTION], gap),
            Tag::OPTGROUP => {
                self.end_last(&[Tag::OPTION], gap);
                self.end_last(&[Tag::OPTGROUP], gap);
            }
            Tag::BUTTON | Tag::SELECT => {
                self.close_scoped(|open| open == tag, |_| false, gap);
            }
            // A table in a table, outside of its cells, ends that table.
            Tag::TABLE => {
                let is_outside = |open: &OpenBox| {
                    matches!(open.tag, Tag::TABLE | Tag::TD | Tag::TH | Tag::CAPTION)
                };
                if let Some(outer) = self.innermost(is_outside)
                    && self.open[outer].tag == Tag::TABLE
                {
                    self.close_down_to(outer, gap);
                }
            }
            _ => {}
        }
        if self.paragraphs > 0
            && (tag.has(Facts::ENDS_PARAGRAPH) || tag == Tag::TABLE || tag == Tag::FORM)
        {
            self.close_scoped(|open| open == Tag::P, bounds_paragraphs, gap);
        }
        if tag.has(Facts::HEADING)
            && self
                .open
                .last()
                .is_some_and(|last| last.tag.has(Facts::HEADING))
        {
            self.close_down_to(self.open.len() - 1, gap);
        }
    }

    /// Closes the innermost item with one of these tags. Other special elements keep it open, but
    /// `address`, `div` and `p` do not.
    fn end_item(&mut self, items: &[Tag], gap: &mut Gap) {
        for at in (0..self.open.len()).rev() {
            let tag = self.open[at].tag;
            if items.contains(&tag) {
                return self.close_down_to(at, gap);
            }
            let is_passed = matches!(tag, Tag::ADDRESS | Tag::DIV | Tag::P);
            if tag.has(Facts::SPECIAL) && !is_passed {
                return;
            }
        }
    }

    fn end_last(&mut self, tags: &[Tag], gap: &mut Gap) {
        if self
            .open
            .last()
            .is_some_and(|last| tags.contains(&last.tag))
        {
            self.close_down_to(self.open.len() - 1, gap);
        }
    }

    fn end(&mut self, token: &Token<'_>) -> Gap {
        let mut gap = Gap::default();
        let tag = token.tag();
        if self.lost > 0 && !matches!(tag, Tag::BR | Tag::P) {
            self.lost -= 1;
            return gap;
        }
        match tag {
            Tag::BR => gap.sign = Some('\n'),
            Tag::P => {
                // Without an open paragraph HTML makes an empty one.
                if !self.close_scoped(|open| open == Tag::P, bounds_paragraphs, &mut gap) {
                    gap.require(2);
                }
            }
            Tag::LI => {
                let bounds =
                    |open: Tag| open.has(Facts::BOUNDS_SCOPE) || matches!(open, Tag::OL | Tag::UL);
                self.close_scoped(|open| open == Tag::LI, bounds, &mut gap);
            }
            Tag::FORM => self.end_form(&mut gap),
            _ if tag.has(Facts::HEADING) => {
                let bounds = |open: Tag| open.has(Facts::BOUNDS_SCOPE);
                self.close_scoped(|open| open.has(Facts::HEADING), bounds, &mut gap);
            }
            _ if is_table_part(tag) || tag == Tag::TABLE => {
                self.close_scoped(|open| open == tag, |open| open == Tag::TABLE, &mut gap);
            }
            _ if tag.has(Facts::ENDS_BLOCK) || tag.has(Facts::ENDS_BY_SCOPE) => {
                let bounds = |open: Tag| open.has(Facts::BOUNDS_SCOPE);
                self.close_scoped(|open| open == tag, bounds, &mut gap);
            }
            _ if tag.has(Facts::BOUNDS_SCOPE) => {
                let bounds = |open: Tag| open.has(Facts::BOUNDS_SCOPE);
                self.close_scoped(|open| open == tag, bounds, &mut gap);
            }
            _ => self.end_other(token, &mut gap),
        }
        gap
    }

    /// Closes an element by the standard's rule for *any other end tag*: it does not reach through
    /// special elements.
    fn end_other(&mut self, token: &Token<'_>, gap: &mut Gap) {
        for at in (0..self.open.len()).rev() {
            let open = &self.open[at];
            let is_same = match &open.name {
                Some(name) => **name == *token.name(),
                None => open.tag == token.tag() && open.tag != Tag::UNKNOWN,
            };
            if is_same {
                return self.close_down_to(at, gap);
            }
            if open.tag.has(Facts::SPECIAL) {
                return;
            }
        }
    }

    /// Ends a form. The elements in it stay open.
    fn end_form(&mut self, gap: &mut Gap) {
        let Some(at) = self.innermost(|open| open.tag == Tag::FORM) else {
            return;
        };
        if at + 1 == self.open.len() {
            return self.close_down_to(at, gap);
        }
        let reaches = !self.open[at..]
            .iter()
            .any(|open| open.tag.has(Facts::BOUNDS_SCOPE));
        if reaches {
            self.open.remove(at);
            self.forms -= 1;
            // The element stays in the tree as far as what is in it, so that no line ends here.
        }
    }

    /// Closes the innermost element for which `is_it` is true, and all in it. Does nothing, and
    /// returns false, if an element for which `bounds` is true is further in.
    fn close_scoped(
        &mut self,
        is_it: impl Fn(Tag) -> bool,
        bounds: impl Fn(Tag) -> bool,
        gap: &mut Gap,
    ) -> bool {
        for at in (0..self.open.len()).rev() {
            let tag = self.open[at].tag;
            if is_it(tag) {
                self.close_down_to(at, gap);
                return true;
            }
            if bounds(tag) {
                return false;
            }
        }
        false
    }

    fn innermost(&self, is_it: impl Fn(&OpenBox) -> bool) -> Option<usize> {
        self.open.iter().rposition(is_it)
    }

    /// Closes elements until only the outermost `count` are open.
    fn close_down_to(&mut self, count: usize, gap: &mut Gap) {
        while self.open.len() > count {
            let Some(closed) = self.open.pop() else {
                return;
            };
            self.paragraphs -= u32::from(closed.tag == Tag::P);
            self.forms -= u32::from(closed.tag == Tag::FORM);
            self.inline -= u32::from(closed.is_inline());
            gap.require(required(closed.tag));
        }
    }
}
