//! How conventions are spoken: the signs that a row of `rows` has.
//!
//! A sign is data. `comment`, `element` and `site_search` make their tables of signs. A function of this room hears what no
//! table can say. Its sign tells only which facets the function may deny, and how far.

use crate::policy::{Extent, Facets, Says};

/// One way to speak.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sign {
    Comment(CommentSign, Facets),
    Element(ElementSign, Says),
    /// A header, whatever its value.
    Header(&'static str, Facets),
    /// A function of its own hears it.
    Function(Extent, Facets),
}

/// Comments by their texts, as their vendor writes them: trimmed, with single blanks, and none round `:` and `=`.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommentSign {
    pub(super) does: Does,
    /// The texts that open or let in, or that have no counterpart; then those that close or keep out.
    pub(super) texts: [&'static [&'static str]; 2],
}

/// The effect of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// They open and close a region.
    Region,
    /// From one of them on everything is let in, from the other on nothing.
    Switches,
    /// They speak of their page.
    Page,
    /// A function reads them. The texts are those that a note suggests for a misspelt one.
    Read,
}

/// How an element shows that it is meant, with all it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementSign {
    /// Its name; what stands between its tags is meant too, whatever the tree says.
    Tag(&'static str),
    Class(&'static str),
    /// An attribute, whatever its value.
    Attribute(&'static str),
    /// An attribute with a word that keeps out and one that lets in.
    Switch {
        attribute: &'static str,
        out: &'static str,
        lets_in: &'static str,
    },
    /// An element by name, if an attribute of it has this word; `not` is the word for nothing.
    With {
        tag: &'static str,
        attribute: &'static str,
        out: &'static str,
        not: &'static str,
    },
}

/// Comments that open a region, comments that close it.
pub(super) const fn region(denies: Facets, opens: &'static [&'static str], closes: &'static [&'static str]) -> Sign {
    Sign::Comment(CommentSign { does: Does::Region, texts: [opens, closes] }, denies)
}

/// Comments behind which everything is let in, comments behind which nothing is.
pub(super) const fn switches(
    denies: Facets,
    lets_in: &'static [&'static str],
    keeps_out: &'static [&'static str],
) -> Sign {
    Sign::Comment(CommentSign { does: Does::Switches, texts: [lets_in, keeps_out] }, denies)
}

/// Comments that speak of their page.
pub(super) const fn page(denies: Facets, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(CommentSign { does: Does::Page, texts: [texts, &[]] }, denies)
}

/// Comments that a function reads; `texts` are the usual ones.
pub(super) const fn read(denies: Facets, texts: &'static [&'static str]) -> Sign {
    Sign::Comment(CommentSign { does: Does::Read, texts: [texts, &[]] }, denies)
}

/// An element of this name.
pub(super) const fn tag(denies: Facets, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Tag(name), Says::Deny(denies))
}

/// An element of this name, where an attribute of it has the word `out`, and not the word `not`.
pub(super) const fn tag_with(
    denies: Facets,
    tag: &'static str,
    attribute: &'static str,
    out: &'static str,
    not: &'static str,
) -> Sign {
    Sign::Element(ElementSign::With { tag, attribute, out, not }, Says::Deny(denies))
}

/// Elements of this class.
pub(super) const fn class(denies: Facets, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Class(name), Says::Deny(denies))
}

/// Elements with this attribute, whatever its value.
pub(super) const fn attribute(denies: Facets, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Attribute(name), Says::Deny(denies))
}

/// Elements with this attribute, whatever its value, and nothing outside them.
pub(super) const fn only(allows: Facets, name: &'static str) -> Sign {
    Sign::Element(ElementSign::Attribute(name), Says::Allow(allows))
}

/// Elements where this attribute has the word `out`, or `lets_in`, which the nearest decides.
pub(super) const fn value(denies: Facets, attribute: &'static str, out: &'static str, lets_in: &'static str) -> Sign {
    Sign::Element(ElementSign::Switch { attribute, out, lets_in }, Says::Deny(denies))
}

/// A response with this header, whatever its value.
pub(super) const fn header(denies: Facets, name: &'static str) -> Sign {
    Sign::Header(name, denies)
}

/// A sign that a function hears.
pub(super) const fn heard(denies: Facets, reach: Extent) -> Sign {
    Sign::Function(reach, denies)
}

impl Sign {
    /// The facets that it decides about.
    pub(super) const fn facets(self) -> Facets {
        match self {
            Self::Element(_, Says::Deny(facets) | Says::Allow(facets))
            | Self::Comment(_, facets)
            | Self::Header(_, facets)
            | Self::Function(_, facets) => facets,
            Self::Element(..) => Facets::NONE,
        }
    }

    /// How far it reaches.
    pub(super) const fn reach(self) -> Extent {
        match self {
            Self::Comment(CommentSign { does: Does::Page, .. }, _) => Extent::Page,
            Self::Comment(..) => Extent::Region,
            Self::Element(..) => Extent::Subtree,
            Self::Header(..) => Extent::Response,
            Self::Function(reach, _) => reach,
        }
    }
}
