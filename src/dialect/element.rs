//! Elements, attributes and class names of many engines (docs/semantics.md, section 4.5).
//!
//! The table is made of the signs in `rows`. Each sign covers an element and all that it contains. Some conventions
//! have a word that lets in (`include`). There the nearest marked element decides, and content outside of such elements
//! is withheld. This file does not know which elements are round a place. Names and values ignore ASCII case, which
//! withholds more than some vendors do.

use crate::html::{Facts, Sieve};
use crate::note::NoteKind;
use crate::policy::{Extent, Says};

use super::comment::{Mark, RegionKind};
use super::facets::INDEX;
use super::list::rows_of;
use super::sign::{ElementSign, Sign};
use super::{Ear, Element, Whom};

/// Pagefind's convention that marks the only parts of a site that may be found.
pub(crate) const PAGEFIND_BODY: &str = "pagefind-body";

/// A sign of elements, with its dialect.
#[derive(Clone, Copy)]
pub(super) struct ElementRow {
    pub(super) dialect: &'static str,
    pub(super) sign: ElementSign,
    pub(super) says: Says,
}

pub(super) const ROWS: &[ElementRow] = &rows_of!(
    (dialect, Sign::Element(sign, says)) => ElementRow { dialect, sign, says },
    ElementRow { dialect: "", sign: ElementSign::Tag(""), says: Says::Deny(INDEX) }
);

/// The lengths and first letters of all names in the table, by what they name, a bit each. Hardly any name in a page
/// has both.
struct Shapes {
    tags: Shape,
    classes: Shape,
    attributes: Shape,
}

#[derive(Clone, Copy)]
struct Shape {
    lengths: u64,
    initials: u32,
}

impl Shape {
    const NONE: Self = Self { lengths: 0, initials: 0 };

    const fn with(self, name: &str) -> Self {
        let initial = name.as_bytes()[0] - b'a';
        Self { lengths: self.lengths | 1 << name.len(), initials: self.initials | 1 << initial }
    }

    const fn may_begin_with(self, first: u8) -> bool {
        let initial = first.to_ascii_lowercase().wrapping_sub(b'a');
        initial < 26 && self.initials >> initial & 1 == 1
    }

    #[inline]
    fn fits(self, name: &str) -> bool {
        let first = name.bytes().next().unwrap_or_default();
        name.len() < 64 && self.lengths >> name.len() & 1 == 1 && self.may_begin_with(first)
    }
}

const SHAPES: Shapes = {
    let mut shapes = Shapes { tags: Shape::NONE, classes: Shape::NONE, attributes: Shape::NONE };
    let mut at = 0;
    while at < ROWS.len() {
        match ROWS[at].sign {
            ElementSign::Tag(name) | ElementSign::With { tag: name, .. } => shapes.tags = shapes.tags.with(name),
            ElementSign::Class(name) => shapes.classes = shapes.classes.with(name),
            ElementSign::Attribute(name) | ElementSign::Switch { attribute: name, .. } => {
                shapes.attributes = shapes.attributes.with(name);
            }
        }
        at += 1;
    }
    shapes
};

/// The names of the table's attributes, in the form in which a tag knows its own.
const ATTRIBUTES: Sieve = {
    let (mut names, mut at) = (Sieve::NONE, 0);
    while at < ROWS.len() {
        if let ElementSign::Attribute(name) | ElementSign::Switch { attribute: name, .. } = ROWS[at].sign {
            names = names.or(Sieve::of(name.as_bytes()));
        }
        at += 1;
    }
    names
};

/// True if a tag may be a region mark, or may have an attribute or a name that is in the table.
pub(super) fn may_mark(element: &impl Element) -> bool {
    const ID: Sieve = Sieve::of(b"id");
    element.may_have(ATTRIBUTES) && element.attribute_names().any(|name| SHAPES.attributes.fits(name))
        || element.tag().has(Facts::HEADING) && element.may_have(ID)
        || SHAPES.tags.fits(element.name())
}

/// True if this letter begins a class that is in the table.
pub(super) const fn may_begin_class(first: u8) -> bool {
    SHAPES.classes.may_begin_with(first)
}

/// True if a class may be in the table.
pub(super) fn may_be_class(class: &str) -> bool {
    SHAPES.classes.fits(class)
}

/// The rows to compare with a name, with their numbers: all if the name has this shape, else none.
fn rows(shape: Shape, name: &str) -> impl Iterator<Item = (usize, &'static ElementRow)> {
    let rows = if shape.fits(name) { ROWS } else { &[] };
    rows.iter().enumerate()
}

/// Hears an element's name.
pub(super) fn tag_name(element: &impl Element, ear: &mut Ear<'_>) {
    let name = element.name();
    for (_, row) in rows(SHAPES.tags, name).filter(|(_, row)| row.tag() == Some(name)) {
        if ear.dialects.has(row.dialect) && row.has_its_word(element, ear) {
            row.hear(row.says, ear);
        }
    }
}

/// Hears one of an element's class names.
pub(super) fn class_name(name: &str, ear: &mut Ear<'_>) {
    let is = |row: &ElementRow| matches!(row.sign, ElementSign::Class(class) if class.eq_ignore_ascii_case(name));
    for (_, row) in rows(SHAPES.classes, name).filter(|(_, row)| is(row)) {
        row.hear(row.says, ear);
    }
}

/// Hears one of an element's attributes, by its name as written.
pub(super) fn attribute_name(name: &str, element: &impl Element, ear: &mut Ear<'_>) {
    let is = |row: &ElementRow| row.attribute().is_some_and(|own| own.eq_ignore_ascii_case(name));
    for (_, row) in rows(SHAPES.attributes, name).filter(|(_, row)| is(row)) {
        row.hear(row.says(element, ear), ear);
    }
}

/// The region mark that a tag is, in the dialects for which `has` is true. Such marks are elements that also count from
/// tag to tag, and headings that mark their section.
pub(super) fn mark(element: &impl Element, is_start: bool, has: impl Fn(&str) -> bool) -> Option<Mark> {
    let name = element.name();
    if is_start && element.tag().has(Facts::HEADING) {
        return heading(element).filter(|_| has(SECTIONS));
    }
    let (pair, row) = rows(SHAPES.tags, name).find(|(_, row)| row.is_tag(name) && has(row.dialect))?;
    let (Says::Deny(denies), kind) = (row.says, RegionKind { dialect: row.dialect, pair }) else { return None };
    Some(match is_start {
        true => Mark::Open { kind, denies, unknown: Vec::new() },
        false => Mark::Close { groups: vec![vec![kind]], alone: None },
    })
}

/// The convention in which a heading marks its section, up to the next heading with an `id`.
const SECTIONS: &str = "mkdocs";

fn heading(element: &impl Element) -> Option<Mark> {
    let (pair, row) = ROWS.iter().enumerate().find(|(_, row)| row.dialect == SECTIONS)?;
    let begins = element.attribute(row.attribute()?).is_some();
    let (kind, Says::Deny(denies)) = (RegionKind { dialect: SECTIONS, pair }, row.says) else { return None };
    (begins || element.attribute("id").is_some()).then_some(Mark::Section { kind, denies, begins })
}

impl ElementRow {
    fn is_tag(&self, name: &str) -> bool {
        matches!(self.sign, ElementSign::Tag(own) if own == name)
    }

    /// The attribute that is its sign.
    fn attribute(&self) -> Option<&'static str> {
        match self.sign {
            ElementSign::Attribute(name) | ElementSign::Switch { attribute: name, .. } => Some(name),
            ElementSign::Tag(_) | ElementSign::Class(_) | ElementSign::With { .. } => None,
        }
    }

    /// The element that it names.
    fn tag(&self) -> Option<&'static str> {
        match self.sign {
            ElementSign::Tag(name) | ElementSign::With { tag: name, .. } => Some(name),
            _ => None,
        }
    }

    /// True if the element has the row's word, or the row takes none. An unknown word counts as the row's.
    fn has_its_word(&self, element: &impl Element, ear: &mut Ear<'_>) -> bool {
        let ElementSign::With { attribute, out, not, .. } = self.sign else { return true };
        let Some(value) = element.attribute(attribute) else { return false };
        let is = |word: &str| value.trim().eq_ignore_ascii_case(word);
        if !is(out) && !is(not) {
            let message = format!("`{attribute}` is `{out}` or `{not}`: anything else is read as `{out}`");
            ear.complain(NoteKind::UnreadableValue, ear.bots.all(), self.dialect, message);
        }
        !is(not)
    }

    /// The row's statement, given the value of its attribute.
    fn says(&self, element: &impl Element, ear: &mut Ear<'_>) -> Says {
        let ElementSign::Switch { attribute, out, lets_in } = self.sign else { return self.says };
        let value = element.attribute(attribute).unwrap_or_default();
        if value.trim().eq_ignore_ascii_case(lets_in) {
            return Says::Allow(INDEX);
        }
        if !value.trim().eq_ignore_ascii_case(out) && ear.dialects.has(self.dialect) {
            let message = format!("`{attribute}` is `{out}` or `{lets_in}`: anything else is read as `{out}`");
            ear.complain(NoteKind::UnreadableValue, ear.bots.all(), self.dialect, message);
        }
        self.says
    }

    fn hear(&self, says: Says, ear: &mut Ear<'_>) {
        if ear.dialects.has(self.dialect) {
            ear.hear(says, Whom::Bots(ear.bots.all()), Extent::Subtree, self.dialect);
        }
    }
}

/// The attributes of a tag that a directive's text may quote, each with true if its value may be quoted too. A value
/// without a meaning may be any text.
pub(super) fn quoted(dialect: &str) -> Vec<(&'static str, bool)> {
    let mut names: Vec<_> = ROWS
        .iter()
        .filter(|row| row.dialect == dialect)
        .filter_map(|row| match row.sign {
            ElementSign::Tag(_) => None,
            ElementSign::Class(_) => Some(("class", true)),
            ElementSign::Attribute(name) => Some((name, false)),
            ElementSign::Switch { attribute, .. } | ElementSign::With { attribute, .. } => Some((attribute, true)),
        })
        .collect();
    names.dedup();
    names
}
