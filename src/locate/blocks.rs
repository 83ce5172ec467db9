//! Finds the block that a text belongs to: a paragraph, a heading, a list item, a table cell and so
//! on, and the landmark that it is in.
//!
//! The blocks are those of the HTML standard's rendering section without any style sheet. The line
//! breaks between them are those of the standard's algorithm for `innerText`. Like all parts of a
//! page (see `content`), they are found in source order, from the open elements that matter for
//! them. Those are kept by the standard's rules for end tags and implied end tags. This file
//! departs from the standard where text is moved: formatting elements are not looked at, and
//! content in a table outside of its cells is not moved before the table. A table ends a paragraph,
//! as it does outside of quirks mode.
//!
//! An error here puts a line break or a landmark at a wrong place. It never changes which text is
//! withheld: that is decided by regions and by the tree.

use crate::html::{ElementRole, Facts, Sieve, Tag, element_role};
use crate::lex::{Token, TokenKind};

use super::block_kind::{BlockContext, BlockKind};
use super::gap::Gap;

/// The attribute `role`, which may make any element a landmark.
const ROLE: Sieve = Sieve::from_name(b"role");

/// Maximum number of open elements that are tracked. Chromium's trees have the same maximum depth.
const DEEPEST: usize = 512;

/// An open element that may affect the block or the landmark of a text.
#[derive(Clone, Copy, Debug)]
struct OpenBox {
    tag: Tag,
    /// True if the element's tag is [`Tag::UNKNOWN`], and its name is in [`BlockTracker::names`].
    is_named: bool,
    /// True if the element is a table that already has a row, or a row that already has a cell. In
    /// the text, a line end then precedes the next row, or a tab precedes the next cell.
    has_parts: bool,
    around: Surroundings,
}

/// Facts that hold inside an open element, such as the kind of block and the depth of lists. The
/// facts depend on this element and on the elements around it.
#[derive(Clone, Copy, Debug, Default)]
struct Surroundings {
    shown: BlockContext,
    lists: u8,
    in_section: bool,
    in_main: bool,
}

impl OpenBox {
    /// True if the tag of the element tells nothing about blocks. Such an element is tracked for
    /// one of two reasons: the element has a `role` itself, or an element around it has one.
    fn is_inline(&self) -> bool {
        !self.tag.has(Facts::BOX)
    }
}

/// The open elements that decide about blocks and landmarks, outermost first.
#[derive(Debug, Default)]
pub(super) struct BlockTracker {
    open: Vec<OpenBox>,
    /// Names of the elements in `open` whose tag is [`Tag::UNKNOWN`], outermost first.
    names: Vec<Box<str>>,
    /// Facts that hold at this point of the page, such as the kind of block and the depth of lists.
    /// They are the facts of the innermost element in `open`, or the default if `open` is empty.
    around: Surroundings,
    /// Number of open elements that are not tracked, since `open` already has [`DEEPEST`] elements.
    lost: u32,
    /// Number of `p` elements in `open`.
    paragraphs: u32,
    /// Number of elements in `open` that are tracked only because of a `role`.
    inline: u32,
    rows: u32,
}

/// Elements whose end tag closes the innermost open element of the same name. The end tag closes
/// nothing if an element that bounds the HTML standard's *scope* is open inside that element.
const ENDS_IN_SCOPE: Facts = Facts::ENDS_BLOCK
    .or(Facts::ENDS_BY_SCOPE)
    .or(Facts::BOUNDS_SCOPE);

/// Returns the number of line breaks that HTML's `innerText` requires on each side of an element.
/// The number is 2 for a `p`, 1 for other blocks, and 0 for all other elements.
fn required(tag: Tag) -> u8 {
    match tag {
        Tag::P => 2,
        _ => u8::from(tag.has(Facts::BLOCK)),
    }
}

/// True if an element with this tag bounds the HTML standard's *scope*. Most end tags inside such
/// an element close no element around it. Here, a `desc` or `title` is always an element of svg,
/// since HTML elements of these names are not tracked.
fn bounds_scope(tag: Tag) -> bool {
    tag.has(Facts::BOUNDS_SCOPE.or(Facts::DRAWN_SCOPE))
}

/// True if a tracked element with this tag bounds the standard's *button scope*. A tag ends an open
/// `p` only if the `p` is in this scope.
fn bounds_paragraphs(tag: Tag) -> bool {
    bounds_scope(tag) || tag == Tag::BUTTON
}

/// True if the HTML standard calls elements with this tag *special*. Most end tags inside a special
/// element close no element around it.
fn is_special(tag: Tag) -> bool {
    tag.has(Facts::SPECIAL.or(Facts::DRAWN_SCOPE))
}

fn is_table_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::CAPTION | Tag::TBODY | Tag::THEAD | Tag::TFOOT | Tag::TR | Tag::TD | Tag::TH
    )
}

impl BlockTracker {
    /// Returns the facts about the block of a text at this point of the page.
    #[inline]
    pub(super) fn context(&self) -> BlockContext {
        self.around.shown
    }

    /// Updates the open elements with a token. Returns the line breaks or the tab by which the
    /// token separates the text before it from the text after it.
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
        if token.is_foreign() {
            self.start_drawn(token);
            return gap;
        }
        self.leave_drawing(&mut gap);
        if tag == Tag::FORM && self.is_in_form() {
            return gap;
        }
        self.end_implied(tag, &mut gap);
        match tag {
            Tag::BR => gap.put(Gap::NEWLINE),
            Tag::HR => gap.require(1),
            _ if tag.has(Facts::VOID) || tag.has(Facts::DRAWING) => {}
            _ if is_table_part(tag) => self.start_table_part(token, &mut gap),
            _ => self.push(token, &mut gap),
        }
        gap
    }

    /// True if a `form` is open, so that HTML ignores the start tag of another `form`. A form
    /// around the innermost open template does not count.
    fn is_in_form(&self) -> bool {
        let bound = self.innermost(|open| matches!(open.tag, Tag::FORM | Tag::TEMPLATE));
        bound.is_some_and(|bound| self.open[bound].tag == Tag::FORM)
    }

    /// Opens the element of a start tag in svg or `MathML`. Opens only `svg`, `math` and elements
    /// that may contain HTML. All other elements of svg and `MathML` are not tracked.
    fn start_drawn(&mut self, token: &Token<'_>) {
        if token.tag().has(Facts::DRAWING) && !token.is_self_closing() {
            self.open_box(OpenBox {
                tag: token.tag(),
                is_named: false,
                has_parts: false,
                around: self.around,
            });
        }
    }

    /// Closes the open `svg` and `math` elements at an HTML start tag, innermost first. Stops at
    /// the first element of another name, such as a `foreignObject`, which may contain HTML.
    fn leave_drawing(&mut self, gap: &mut Gap) {
        while let Some(last) = self.open.last()
            && last.tag.has(Facts::DRAWING)
            && !last.tag.has(Facts::DRAWN_SCOPE)
        {
            self.close_down_to(self.open.len() - 1, gap);
        }
    }

    /// Opens the element of a start tag, if the element may decide about blocks or landmarks.
    fn push(&mut self, token: &Token<'_>, gap: &mut Gap) {
        let tag = token.tag();
        let mut around = self.around;
        let is_box = tag.has(Facts::BOX);
        let mut is_told = self.inline > 0;
        if tag.has(Facts::LANDMARK) || token.may_have(ROLE) {
            let attribute = |name: &str| token.attribute(name);
            let role = element_role(tag, &attribute, around.in_section, around.in_main);
            around.shown.landmark = role.landmark.or(around.shown.landmark);
            around.in_section |= role.is_section;
            around.in_main |= role.is_main;
            is_told |= role != ElementRole::default();
        }
        if !is_box && !is_told {
            return;
        }
        gap.require(required(tag));
        if tag.has(Facts::TELLS_KIND) {
            self.tell_kind(tag, &mut around);
        }
        let is_named = !is_box && tag == Tag::UNKNOWN;
        let is_open = self.open_box(OpenBox {
            tag,
            is_named,
            has_parts: false,
            around,
        });
        if is_open && is_named {
            self.names.push(token.name().into());
        }
    }

    /// Updates `around` with the facts that an element's name tells about its content: the kind of
    /// block, the level, the table row.
    fn tell_kind(&mut self, tag: Tag, around: &mut Surroundings) {
        let shown = &mut around.shown;
        match BlockKind::of_element(tag) {
            Some(kind) => {
                shown.kind = kind;
                shown.keeps_space |= kind == BlockKind::Preformatted;
                shown.level = match kind {
                    BlockKind::Heading => tag.name().as_bytes()[1] - b'0',
                    BlockKind::Item => around.lists,
                    _ => 0,
                };
            }
            None if tag == Tag::TR => {
                self.rows = self.rows.saturating_add(1);
                shown.row = self.rows;
            }
            None => around.lists = around.lists.saturating_add(1),
        }
    }

    /// Adds an open element. Returns false if the element is only counted, since [`DEEPEST`]
    /// elements are open.
    fn open_box(&mut self, element: OpenBox) -> bool {
        if self.open.len() >= DEEPEST {
            self.lost = self.lost.saturating_add(1);
            return false;
        }
        self.paragraphs += u32::from(element.tag == Tag::P);
        self.inline += u32::from(element.is_inline());
        self.around = element.around;
        self.open.push(element);
        true
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
            self.separate_part(table, Gap::NEWLINE, gap);
        }
        if is_cell {
            match row.filter(|row| *row > table) {
                Some(row) => self.separate_part(row, Gap::TAB, gap),
                None => self.start_implied_row(table, gap),
            }
        }
        self.push(token, gap);
    }

    /// Opens the row that HTML adds around a cell that is in no row. `table` is the position in
    /// `open` of the cell's table.
    fn start_implied_row(&mut self, table: usize, gap: &mut Gap) {
        self.separate_part(table, Gap::NEWLINE, gap);
        self.rows = self.rows.saturating_add(1);
        let mut around = self.around;
        around.shown.row = self.rows;
        self.open_box(OpenBox {
            tag: Tag::TR,
            is_named: false,
            has_parts: true,
            around,
        });
    }

    /// Puts `sign` into `gap` before a row of a table, or before a cell of a row. The first row or
    /// cell gets no sign. `whole` is the position in `open` of the table or row.
    ///
    /// Before the first row of a table, `gap` requires a line break. HTML moves text that is
    /// directly in the table to a place before the table, and the line break keeps this text apart
    /// from the row. Preformatted text needs no such line break, since its white space is kept.
    fn separate_part(&mut self, whole: usize, sign: u8, gap: &mut Gap) {
        let keeps_space = self.around.shown.keeps_space;
        let Some(whole) = self.open.get_mut(whole) else {
            return;
        };
        if std::mem::replace(&mut whole.has_parts, true) {
            gap.put(sign);
        } else if whole.tag == Tag::TABLE && !keeps_space {
            gap.require(1);
        }
    }

    /// Closes the open elements that a start tag ends by the rules of HTML. For example, a `div`
    /// tag ends an open `p`.
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

    /// Closes the innermost open element with one of the tags in `items`. Closes nothing if another
    /// *special* element, except `address`, `div` and `p`, is open in it.
    fn end_item(&mut self, items: &[Tag], gap: &mut Gap) {
        for at in (0..self.open.len()).rev() {
            let tag = self.open[at].tag;
            if items.contains(&tag) {
                return self.close_down_to(at, gap);
            }
            let is_passed = matches!(tag, Tag::ADDRESS | Tag::DIV | Tag::P);
            if is_special(tag) && !is_passed {
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
        // Most end tags end the innermost element.
        if self.lost == 0
            && let Some(last) = self.open.last()
            && last.tag == tag
            && !last.is_named
        {
            self.close_last(&mut gap);
            return gap;
        }
        if self.lost > 0 && !matches!(tag, Tag::BR | Tag::P) {
            self.lost -= 1;
            return gap;
        }
        match tag {
            Tag::BR => gap.put(Gap::NEWLINE),
            Tag::P => {
                // Without an open paragraph HTML makes an empty one.
                if !self.close_scoped(|open| open == Tag::P, bounds_paragraphs, &mut gap) {
                    gap.require(2);
                }
            }
            Tag::LI => {
                let bounds = |open: Tag| bounds_scope(open) || matches!(open, Tag::OL | Tag::UL);
                self.close_scoped(|open| open == Tag::LI, bounds, &mut gap);
            }
            Tag::FORM => self.end_form(&mut gap),
            _ if tag.has(Facts::HEADING) => {
                self.close_scoped(|open| open.has(Facts::HEADING), bounds_scope, &mut gap);
            }
            _ if is_table_part(tag) || tag == Tag::TABLE => {
                self.close_scoped(|open| open == tag, |open| open == Tag::TABLE, &mut gap);
            }
            Tag::TEMPLATE => {
                self.close_scoped(|open| open == tag, |_| false, &mut gap);
            }
            _ if tag.has(Facts::DRAWING) => self.end_drawn(tag, &mut gap),
            _ if tag.has(ENDS_IN_SCOPE) => {
                self.close_scoped(|open| open == tag, bounds_scope, &mut gap);
            }
            _ => self.end_other(token, &mut gap),
        }
        gap
    }

    /// Closes the innermost open element that has the name of an end tag, by the standard's rule
    /// for *any other end tag*. Closes nothing if a *special* element is open in it.
    fn end_other(&mut self, token: &Token<'_>, gap: &mut Gap) {
        let mut names = self.names.len();
        for at in (0..self.open.len()).rev() {
            let open = &self.open[at];
            names -= usize::from(open.is_named);
            let is_same =
                open.tag == token.tag() && (!open.is_named || *self.names[names] == *token.name());
            if is_same {
                return self.close_down_to(at, gap);
            }
            if is_special(open.tag) {
                return;
            }
        }
    }

    /// Applies the end tag of an svg or `MathML` element: closes the innermost open element with
    /// this tag. The search goes outwards from the innermost open element, through all svg and
    /// `MathML` elements up to the first HTML element. At this HTML element and further outwards, a
    /// *special* element (see [`is_special`]) ends the search, and nothing is closed.
    fn end_drawn(&mut self, tag: Tag, gap: &mut Gap) {
        let mut is_in_html = false;
        for at in (0..self.open.len()).rev() {
            let open = self.open[at].tag;
            if open == tag {
                return self.close_down_to(at, gap);
            }
            is_in_html |= !open.has(Facts::DRAWING);
            if is_in_html && is_special(open) {
                return;
            }
        }
    }

    /// Ends the innermost form at a `</form>`. Before that, closes the innermost open elements
    /// whose end tags may be omitted, such as `p` and `li`. Other elements in the form stay open.
    /// Does nothing if an element that bounds a *scope* (see [`bounds_scope`]) is open in the form.
    fn end_form(&mut self, gap: &mut Gap) {
        let Some(at) = self.innermost(|open| open.tag == Tag::FORM) else {
            return;
        };
        if self.open[at..].iter().any(|open| bounds_scope(open.tag)) {
            return;
        }
        let may_lack_end = |open: &OpenBox| {
            matches!(
                open.tag,
                Tag::P | Tag::LI | Tag::DD | Tag::DT | Tag::OPTION | Tag::OPTGROUP
            )
        };
        while self.open.last().is_some_and(may_lack_end) {
            self.close_down_to(self.open.len() - 1, gap);
        }
        if at + 1 == self.open.len() {
            return self.close_down_to(at, gap);
        }
        self.open.remove(at);
        // What is open in the form stays in it in the tree, so that no line ends here.
    }

    /// Closes the innermost open element for which `is_it` is true, and all elements in it. Returns
    /// true if an element was closed. The search goes outwards from the innermost open element. It
    /// ends at an element for which `bounds` is true. Then nothing is closed.
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
            self.close_last(gap);
        }
    }

    fn close_last(&mut self, gap: &mut Gap) {
        let Some(closed) = self.open.pop() else {
            return;
        };
        self.paragraphs -= u32::from(closed.tag == Tag::P);
        self.inline -= u32::from(closed.is_inline());
        if closed.is_named {
            self.names.pop();
        }
        gap.require(required(closed.tag));
        self.around = match self.open.last() {
            Some(last) => last.around,
            None => Surroundings::default(),
        };
    }
}
