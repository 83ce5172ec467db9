//! The signs of conventions: the forms in which publishers write them. Each row in `rows` has a
//! list of signs.
//!
//! A sign is data. `comment`, `element` and `site_search` make their lookup tables from signs. A
//! form that no table can express is read by a function of `convention`. For such a form the sign
//! only has the uses that the function may deny, and their extent.

use crate::policy::{Extent, StatementContent, Uses};

/// One kind of markup that belongs to a convention, such as a comment or a class. Each sign has the
/// uses that the markup denies or allows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    Comment(CommentSign, Uses),
    Element(ElementSign, StatementContent),
    /// A response header with this name, whatever its value.
    Header(&'static str, Uses),
    /// Markup that no other variant can describe, and that a function reads. The first value is the
    /// extent of the markup's statements: how much of a page a statement is about. The second value
    /// has the uses that the statements may deny.
    Function(Extent, Uses),
}

/// Comments by which a convention opens and closes regions, or denies uses of the whole page. The
/// texts of the comments are trimmed, with single blanks, and without blanks around `:` and `=`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommentSign {
    pub(super) effect: SignEffect,
    /// Texts of the comments, in two lists. The field `effect` decides what the lists have:
    /// - [`SignEffect::Region`]: comments that open a region, and comments that close a region.
    /// - [`SignEffect::Switches`]: comments that allow content, and comments that deny content.
    /// - [`SignEffect::Ends`]: no comments, and comments that close a region.
    /// - [`SignEffect::Page`] and [`SignEffect::Read`]: all comments, and no comments.
    pub(super) texts: [&'static [&'static str]; 2],
}

/// Effect of the comments in a [`CommentSign`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignEffect {
    /// Comments of the first list in [`CommentSign::texts`] open a region. Comments of the second
    /// list close the region.
    Region,
    /// All content is allowed after a comment of the first list in [`CommentSign::texts`], and
    /// denied after a comment of the second list.
    Switches,
    /// The comments deny uses of the whole page.
    Page,
    /// Comments of the second list in [`CommentSign::texts`] close the regions of another
    /// convention, which has this name. Both conventions must be in force.
    Ends(&'static str),
    /// A function parses the comments, instead of a lookup in a table. [`CommentSign::texts`] has
    /// only usual texts of the comments. If a misspelt comment resembles one of these texts, a note
    /// suggests the text as a correction.
    Read,
}

/// Sign (tag name, class or attribute) by which a convention marks an element. The statement of the
/// convention is about the element and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementSign {
    /// The element has this tag name. The statement is about the content of the element in the
    /// tree. It is also about everything in the source between the start tag and the end tag. If
    /// tags are nested wrongly, the content in the tree and the content in the source differ.
    Tag(&'static str),
    Class(&'static str),
    /// The element has this HTML class in exactly this case. In another case, the class is only a
    /// styling name.
    CasedClass(&'static str),
    /// The element has this attribute, whatever its value.
    Attribute(&'static str),
    /// The element has the attribute `attribute`. The value `denying_value` denies content, and
    /// `allowing_value` allows content.
    Switch {
        attribute: &'static str,
        denying_value: &'static str,
        allowing_value: &'static str,
    },
    /// The element has the tag name `tag`, and its attribute `attribute` has the value
    /// `denying_value`. The value `neutral_value` has no effect.
    With {
        tag: &'static str,
        attribute: &'static str,
        denying_value: &'static str,
        neutral_value: &'static str,
    },
}

/// Creates a sign whose comments `opens` open a region, and whose comments `closes` close the
/// region.
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

/// Creates a sign whose comments `closes` close the regions of `other`, a convention other than the
/// sign's own. Both conventions must be in force.
pub(super) const fn ends(other: &'static str, closes: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Ends(other),
            texts: [&[], closes],
        },
        Uses::NONE,
    )
}

/// Creates a sign with two lists of comments. All content is allowed after a comment in `allowing`,
/// and the uses `denies` are denied after a comment in `denying`.
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

/// Creates a sign whose comments deny uses of the whole page.
pub(super) const fn page(denies: Uses, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Page,
            texts: [texts, &[]],
        },
        denies,
    )
}

/// Creates a sign for comments that a function parses, instead of a lookup in a table. `texts` has
/// usual texts of these comments. Notes suggest these texts as corrections of misspelt comments.
pub(super) const fn read(denies: Uses, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Read,
            texts: [texts, &[]],
        },
        denies,
    )
}

/// Creates a sign that denies uses of the elements with this tag name.
pub(crate) const fn tag(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Tag(name), StatementContent::Deny(denies))
}

/// Creates a sign that denies uses of some elements with the tag name `tag`. The uses are denied if
/// the attribute `attribute` has the value `denying_value`. The value `neutral_value` has no
/// effect.
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

/// Creates a sign that denies uses of the elements with this HTML class, ignoring ASCII case.
pub(super) const fn class(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Class(name), StatementContent::Deny(denies))
}

/// Creates a sign that denies uses of the elements with this HTML class, in exactly this case.
pub(super) const fn cased_class(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(
        ElementSign::CasedClass(name),
        StatementContent::Deny(denies),
    )
}

/// Creates a sign that denies uses of the elements with this attribute, whatever its value.
pub(super) const fn attribute(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Attribute(name), StatementContent::Deny(denies))
}

/// Creates a sign that allows uses of the elements with this attribute, whatever its value. If a
/// page has such an element, all content outside of such elements is denied.
pub(super) const fn only(allows: Uses, name: &'static str) -> Sign {
    Sign::Element(
        ElementSign::Attribute(name),
        StatementContent::Allow(allows),
    )
}

/// Creates a sign of elements with the attribute `attribute`. The value `denying_value` denies
/// uses, and `allowing_value` allows them. The nearest element with the attribute decides.
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

/// Creates a sign by which a response header with this name denies uses, whatever its value.
pub(crate) const fn header(denies: Uses, name: &'static str) -> Sign {
    Sign::Header(name, denies)
}

/// Creates a sign for markup that only a function can read. `reach` is the extent of its
/// statements.
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

    /// Returns the extent of the sign's statements: how much of a site or page a statement is
    /// about.
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
