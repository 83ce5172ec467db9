//! The signs of conventions: the forms in which publishers write them. Each row in `rows` has a
//! list of signs.
//!
//! A sign is data. `comment`, `element` and `site_search` make their lookup tables from signs. A
//! form that no table can express is read by a function of `convention`. For such a form the sign
//! only has the uses that the function may deny, and their extent.

use crate::policy::{Extent, StatementContent, Uses};

/// One form in which a convention is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    Comment(CommentSign, Uses),
    Element(ElementSign, StatementContent),
    /// A response header with this name, whatever its value.
    Header(&'static str, Uses),
    /// A form that a function of `convention` reads. The sign has the extent of the form's
    /// statements, and the uses that these statements may deny.
    Function(Extent, Uses),
}

/// Comments that are a sign of a convention, by their folded texts: trimmed, with single blanks,
/// and without blanks around `:` and `=`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommentSign {
    pub(super) effect: SignEffect,
    /// Two lists of comments. The first has those that open a region, allow content, or have no
    /// counterpart. The second has those that close a region or deny content.
    pub(super) texts: [&'static [&'static str]; 2],
}

/// Effect of the comments of one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignEffect {
    /// Comments of the first list open a region, and those of the second list close it.
    Region,
    /// All content is allowed after a comment of the first list, and denied after a comment of the
    /// second list.
    Switches,
    /// The comments deny uses of the whole page.
    Page,
    /// The comments also close the regions of the convention with this name. Both conventions must
    /// be in force.
    Ends(&'static str),
    /// A function reads the comments. For a misspelt comment, a note suggests one of the texts.
    Read,
}

/// Sign by which a convention marks an element. The convention's statement is then about the
/// element and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementSign {
    /// The element's name. The sign covers the element in the tree, and also the content from start
    /// tag to end tag in source order.
    Tag(&'static str),
    Class(&'static str),
    /// An HTML class in its exact case, since in another case it is a styling name.
    CasedClass(&'static str),
    /// An attribute, whatever its value.
    Attribute(&'static str),
    /// An attribute with two values, of which one denies and the other allows content.
    Switch {
        attribute: &'static str,
        denying_value: &'static str,
        allowing_value: &'static str,
    },
    /// An element with a given name and attribute, if the attribute has the denying value. The
    /// neutral value has no effect.
    With {
        tag: &'static str,
        attribute: &'static str,
        denying_value: &'static str,
        neutral_value: &'static str,
    },
}

/// Creates a sign of comments that open and close a region.
pub(super) const fn region(
    denies: Uses,
    opens: &'static [&'static str],
    closes: &'static [&'static str],
) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Region,
            texts: [opens, closes],
        },
        denies,
    )
}

/// Creates a sign of comments that also close the regions of the convention `other`. Both
/// conventions must be in force.
pub(super) const fn ends(other: &'static str, closes: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Ends(other),
            texts: [&[], closes],
        },
        Uses::NONE,
    )
}

/// Creates a sign of two lists of comments. All content is allowed after a comment in `allowing`,
/// and denied after a comment in `denying`.
pub(super) const fn switches(
    denies: Uses,
    allowing: &'static [&'static str],
    denying: &'static [&'static str],
) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Switches,
            texts: [allowing, denying],
        },
        denies,
    )
}

/// Creates a sign of comments that deny uses of the whole page.
pub(super) const fn page(denies: Uses, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Page,
            texts: [texts, &[]],
        },
        denies,
    )
}

/// Creates a sign of comments that a function reads. `texts` are their usual texts.
pub(super) const fn read(denies: Uses, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Read,
            texts: [texts, &[]],
        },
        denies,
    )
}

/// Creates a sign of elements with this name.
pub(crate) const fn tag(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Tag(name), StatementContent::Deny(denies))
}

/// Creates a sign of elements that are called `tag` and have `attribute` with the value
/// `denying_value`. The value `neutral_value` of the attribute has no effect.
pub(super) const fn tag_with(
    denies: Uses,
    tag: &'static str,
    attribute: &'static str,
    denying_value: &'static str,
    neutral_value: &'static str,
) -> Sign {
    Sign::Element(
        ElementSign::With {
            tag,
            attribute,
            denying_value,
            neutral_value,
        },
        StatementContent::Deny(denies),
    )
}

/// Creates a sign of elements with this HTML class, in upper or lower case.
pub(super) const fn class(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Class(name), StatementContent::Deny(denies))
}

/// Creates a sign of elements with this HTML class, in exactly this case.
pub(super) const fn cased_class(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(
        ElementSign::CasedClass(name),
        StatementContent::Deny(denies),
    )
}

/// Creates a sign of elements with this attribute, whatever its value.
pub(super) const fn attribute(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Attribute(name), StatementContent::Deny(denies))
}

/// Creates a sign of elements with this attribute, whatever its value. All content of a page
/// outside of these elements is denied.
pub(super) const fn only(allows: Uses, name: &'static str) -> Sign {
    Sign::Element(
        ElementSign::Attribute(name),
        StatementContent::Allow(allows),
    )
}

/// Creates a sign of elements with this attribute: its value `denying_value` denies, and
/// `allowing_value` allows. The nearest element with the attribute decides.
pub(super) const fn value(
    denies: Uses,
    attribute: &'static str,
    denying_value: &'static str,
    allowing_value: &'static str,
) -> Sign {
    Sign::Element(
        ElementSign::Switch {
            attribute,
            denying_value,
            allowing_value,
        },
        StatementContent::Deny(denies),
    )
}

/// Creates a sign of a header with this name, whatever its value.
pub(crate) const fn header(denies: Uses, name: &'static str) -> Sign {
    Sign::Header(name, denies)
}

/// Creates a sign for a form of a convention that only a function can read.
pub(super) const fn function(denies: Uses, reach: Extent) -> Sign {
    Sign::Function(reach, denies)
}

impl Sign {
    /// Returns the uses that the sign denies or allows.
    pub(super) const fn uses(self) -> Uses {
        match self {
            Self::Element(_, StatementContent::Deny(uses) | StatementContent::Allow(uses))
            | Self::Comment(_, uses)
            | Self::Header(_, uses)
            | Self::Function(_, uses) => uses,
            Self::Element(..) => Uses::NONE,
        }
    }

    /// Returns the extent of the sign's statements.
    pub(super) const fn reach(self) -> Extent {
        match self {
            Self::Comment(
                CommentSign {
                    effect: SignEffect::Page,
                    ..
                },
                _,
            ) => Extent::Page,
            Self::Comment(..) => Extent::Region,
            Self::Element(..) => Extent::Subtree,
            Self::Header(..) => Extent::Response,
            Self::Function(reach, _) => reach,
        }
    }
}
