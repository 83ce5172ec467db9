//! The signs of conventions: the forms in which they are written. The rows of `rows` have them.
//!
//! A sign is data. `comment`, `element` and `site_search` make their tables of signs. Forms that no
//! table can express are read by a function of this folder. Its sign only tells which uses the
//! function may deny, and how far.

use crate::policy::{Extent, Says, Uses};

/// One form of a convention.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    Comment(CommentSign, Uses),
    Element(ElementSign, Says),
    /// A header, whatever its value.
    Header(&'static str, Uses),
    /// A form that a function of its own reads.
    Function(Extent, Uses),
}

/// Comments, given by their texts as the vendor writes them: trimmed, with single blanks, and none
/// around `:` and `=`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommentSign {
    pub(super) effect: SignEffect,
    /// The texts that open or let in, or have no counterpart, then the texts that close or keep
    /// out.
    pub(super) texts: [&'static [&'static str]; 2],
}

/// The effect of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SignEffect {
    /// They open and close a region.
    Region,
    /// After one of them everything is let in, after the other nothing.
    Switches,
    /// They deny for their whole page.
    Page,
    /// They also close the regions of this other convention, where both are in force.
    Ends(&'static str),
    /// A function reads them. The texts are suggested by the note on a misspelt one.
    Read,
}

/// The sign by which an element, with all it contains, is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementSign {
    /// Its name. The content between its tags is marked too, whatever the tree says.
    Tag(&'static str),
    Class(&'static str),
    /// A class in its exact case: in another one it is a styling name.
    CasedClass(&'static str),
    /// An attribute, whatever its value.
    Attribute(&'static str),
    /// An attribute with a word that keeps out and one that lets in.
    Switch {
        attribute: &'static str,
        out: &'static str,
        lets_in: &'static str,
    },
    /// An element by name, if an attribute of it has this word; `not` is the word without effect.
    With {
        tag: &'static str,
        attribute: &'static str,
        out: &'static str,
        not: &'static str,
    },
}

/// Comments that open and close a region.
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

/// Comments that close the regions of another convention too, if both are in force.
pub(super) const fn ends(other: &'static str, closes: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Ends(other),
            texts: [&[], closes],
        },
        Uses::NONE,
    )
}

/// Comments after which everything is let in, and comments after which nothing is.
pub(super) const fn switches(
    denies: Uses,
    lets_in: &'static [&'static str],
    keeps_out: &'static [&'static str],
) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Switches,
            texts: [lets_in, keeps_out],
        },
        denies,
    )
}

/// Comments that deny for their whole page.
pub(super) const fn page(denies: Uses, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Page,
            texts: [texts, &[]],
        },
        denies,
    )
}

/// Comments that a function reads; `texts` are the usual ones.
pub(super) const fn read(denies: Uses, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(
        CommentSign {
            effect: SignEffect::Read,
            texts: [texts, &[]],
        },
        denies,
    )
}

/// An element of this name.
pub(crate) const fn tag(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Tag(name), Says::Deny(denies))
}

/// An element of this name, where an attribute of it has the word `out`, and not the word `not`.
pub(super) const fn tag_with(
    denies: Uses,
    tag: &'static str,
    attribute: &'static str,
    out: &'static str,
    not: &'static str,
) -> Sign {
    Sign::Element(
        ElementSign::With {
            tag,
            attribute,
            out,
            not,
        },
        Says::Deny(denies),
    )
}

/// Elements of this class.
pub(super) const fn class(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Class(name), Says::Deny(denies))
}

/// Elements of this class, written in this case.
pub(super) const fn cased_class(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::CasedClass(name), Says::Deny(denies))
}

/// Elements with this attribute, whatever its value.
pub(super) const fn attribute(denies: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Attribute(name), Says::Deny(denies))
}

/// Elements with this attribute, whatever its value: only their content is let in.
pub(super) const fn only(allows: Uses, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Attribute(name), Says::Allow(allows))
}

/// Elements in which this attribute has the word `out` or `lets_in`; the nearest such element
/// decides.
pub(super) const fn value(
    denies: Uses,
    attribute: &'static str,
    out: &'static str,
    lets_in: &'static str,
) -> Sign {
    Sign::Element(
        ElementSign::Switch {
            attribute,
            out,
            lets_in,
        },
        Says::Deny(denies),
    )
}

/// A response with this header, whatever its value.
pub(crate) const fn header(denies: Uses, name: &'static str) -> Sign {
    Sign::Header(name, denies)
}

/// A sign that a function reads.
pub(super) const fn function(denies: Uses, reach: Extent) -> Sign {
    Sign::Function(reach, denies)
}

impl Sign {
    /// The uses that it decides about.
    pub(super) const fn uses(self) -> Uses {
        match self {
            Self::Element(_, Says::Deny(uses) | Says::Allow(uses))
            | Self::Comment(_, uses)
            | Self::Header(_, uses)
            | Self::Function(_, uses) => uses,
            Self::Element(..) => Uses::NONE,
        }
    }

    /// How far it reaches.
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
