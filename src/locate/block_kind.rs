//! Kinds of blocks of text, and the facts about a block that follow from the elements around it.
//! `blocks` finds both.

use crate::html::{Facts, Landmark, Tag};

/// Kind of a block of text, such as a heading or a list item. If several elements around a text
/// have a kind, the innermost of them decides.
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
    /// Text of no other kind. The text may be in a `p` or a `div`, or in no block at all.
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

    /// Returns the kind of block that an element makes of the text in it. `None` for an element
    /// that does not determine the kind.
    pub(super) fn of_element(tag: Tag) -> Option<Self> {
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

/// Facts about the block that contains a text. They depend on the open elements around the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockContext {
    pub(crate) kind: BlockKind,
    pub(crate) landmark: Option<Landmark>,
    /// Level of a heading: 1 to 6 for `h1` to `h6`. For a list item, the number of lists around it.
    /// 0 for other kinds.
    pub(crate) level: u8,
    pub(crate) keeps_space: bool,
    /// Number of the innermost table row around the text, counted from 1 over the whole page. 0
    /// outside of table rows.
    pub(crate) row: u32,
}
