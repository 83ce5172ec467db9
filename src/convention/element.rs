//! Elements, attributes and class names with which content is excluded from many engines
//! (docs/semantics.md, section 4.5).
//!
//! The table of elements is made from the signs in `rows`. Each sign covers an element and its
//! content. Some conventions also have a word that allows an element's content, such as `include`.
//! For these conventions the nearest element with the sign decides, and content outside of all such
//! elements is withheld. This file does not know which elements are around a token. Names and
//! values are compared ignoring ASCII case, which withholds more than some vendors do. Only one
//! HTML class is compared with its case, since in another case it is a styling name.

use std::sync::LazyLock;

use crate::html::{Facts, Sieve};
use crate::note::NoteKind;
use crate::policy::{Extent, StatementContent};

use super::collector::{Recipients, StatementCollector};
use super::comment::{RegionKind, RegionMark};
use super::list::signs;
use super::set::Conventions;
use super::sign::{ElementSign, Sign};
use super::uses::INDEX;
use super::view::Element;

/// Name of the convention for the attribute `data-pagefind-body` of the search tool Pagefind. On a
/// site that uses the attribute, only elements with the attribute may be searched.
pub const PAGEFIND_BODY: &str = "pagefind-body";

/// A sign by which a convention marks elements: a tag name, HTML class or attribute. `says` is the
/// statement that the sign makes about a marked element.
#[derive(Clone, Copy)]
pub(super) struct ElementRow {
    pub(super) convention: &'static str,
    pub(super) sign: ElementSign,
    pub(super) says: StatementContent,
}

/// All signs by which conventions mark elements, with lookup tables by tag name, HTML class and
/// attribute.
pub(super) struct ShapeTable {
    pub(super) rows: Vec<ElementRow>,
    tags: NameTable,
    classes: NameTable,
    attributes: NameTable,
}

/// Lookup table for names of one kind: tags, HTML classes or attributes. An entry has a name, and
/// the index of the [`ElementRow`] with this name. The [`Sieve`] rejects nearly all unknown names
/// without comparing them.
struct NameTable {
    sieve: Sieve,
    rows: Vec<(&'static str, usize)>,
}

pub(super) static TABLE: LazyLock<ShapeTable> = LazyLock::new(ShapeTable::new);

impl NameTable {
    fn new(rows: &[ElementRow], name: fn(&ElementRow) -> Option<&'static str>) -> Self {
        let mut table = Self {
            sieve: Sieve::NONE,
            rows: Vec::new(),
        };
        for (at, row) in rows.iter().enumerate() {
            if let Some(name) = name(row) {
                table.sieve = table.sieve.or(Sieve::from_name(name.as_bytes()));
                table.rows.push((name, at));
            }
        }
        table
    }

    /// Returns the indexes of the [`ElementRow`]s whose sign has this name. ASCII case is ignored.
    #[inline]
    fn find(&self, name: &str) -> impl Iterator<Item = usize> {
        let rows = if Sieve::from_name(name.as_bytes()).intersects(self.sieve) {
            self.rows.as_slice()
        } else {
            &[]
        };
        rows.iter()
            .filter(move |(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, at)| *at)
    }
}

impl ShapeTable {
    /// Creates the table from the signs by which all conventions mark elements.
    fn new() -> Self {
        let mut rows = Vec::new();
        for (convention, sign) in signs() {
            if let Sign::Element(sign, says) = sign {
                rows.push(ElementRow {
                    convention,
                    sign,
                    says,
                });
            }
        }
        Self {
            tags: NameTable::new(&rows, ElementRow::tag),
            classes: NameTable::new(&rows, ElementRow::class),
            attributes: NameTable::new(&rows, ElementRow::attribute),
            rows,
        }
    }

    /// Returns the rows whose sign has this tag name. Each row is preceded by its index in the
    /// field `rows`.
    fn find_tag(&self, name: &str) -> impl Iterator<Item = (usize, &ElementRow)> {
        self.tags.find(name).map(|at| (at, &self.rows[at]))
    }

    fn find_class(&self, name: &str) -> impl Iterator<Item = &ElementRow> {
        self.classes
            .find(name)
            .map(|at| &self.rows[at])
            .filter(move |row| row.matches_case(name))
    }

    fn find_attribute(&self, name: &str) -> impl Iterator<Item = &ElementRow> {
        self.attributes.find(name).map(|at| &self.rows[at])
    }
}

/// True if [`TABLE`] contains the name of the tag, or the name of an attribute of the tag. Also
/// true for a heading that may have an `id`. An `id` can make a heading a region mark, a tag that
/// opens or closes a region.
pub(super) fn may_mark(element: &impl Element) -> bool {
    const ID: Sieve = Sieve::from_name(b"id");
    let table = &*TABLE;
    element.may_have(table.attributes.sieve) && has_attribute(element)
        || element.tag().has(Facts::HEADING) && element.may_have(ID)
        || table.tags.find(element.name()).next().is_some()
}

/// True if [`TABLE`] contains an attribute of the tag. This function is rarely called. It is not
/// inlined, which makes its caller faster.
#[inline(never)]
fn has_attribute(element: &impl Element) -> bool {
    element
        .attribute_names()
        .any(|name| TABLE.attributes.find(name).next().is_some())
}

/// True if this HTML class is a sign in [`TABLE`].
pub(super) fn is_class(class: &str) -> bool {
    TABLE.find_class(class).next().is_some()
}

/// Returns the first letters of the HTML classes in [`TABLE`].
pub(super) fn initials() -> impl Iterator<Item = u8> {
    TABLE
        .rows
        .iter()
        .filter_map(ElementRow::class)
        .filter_map(|class| class.bytes().next())
}

/// Adds to `collector` the statements that conventions make by an element's tag name.
pub(super) fn read_tag_name(element: &impl Element, collector: &mut StatementCollector<'_>) {
    for (_, row) in TABLE.find_tag(element.name()) {
        if collector.conventions.has(row.convention) && row.matches_value(element, collector) {
            row.report(row.says, collector);
        }
    }
}

/// Adds to `collector` the statements that conventions make by the HTML class `name` of an element.
pub(super) fn read_class_name(name: &str, collector: &mut StatementCollector<'_>) {
    for row in TABLE.find_class(name) {
        row.report(row.says, collector);
    }
}

/// Adds to `collector` the statements that conventions make by the attribute `name` of an element.
/// `name` is spelt as in the source.
pub(super) fn read_attribute_name(
    name: &str,
    element: &impl Element,
    collector: &mut StatementCollector<'_>,
) {
    for row in TABLE.find_attribute(name) {
        row.report(row.says(element, collector), collector);
    }
}

/// Reads a tag as a region mark, by the conventions in force. Returns `None` for most tags. Two
/// kinds of tags are region marks:
///
/// - Some heading tags begin or end a section.
/// - The start tag and the end tag of some elements, such as `noindex`, open and close a region in
///   source order. In addition, [`content`](super::content) reads the start tag as a statement
///   about the element.
pub fn mark(
    element: &impl Element,
    is_start: bool,
    conventions: &Conventions,
) -> Option<RegionMark> {
    if is_start && element.tag().has(Facts::HEADING) {
        return if conventions.has(SECTIONS) {
            heading(element)
        } else {
            None
        };
    }
    let (pair, row) = TABLE.find_tag(element.name()).find(|(_, row)| {
        matches!(row.sign, ElementSign::Tag(_)) && conventions.has(row.convention)
    })?;
    let StatementContent::Deny(denies) = row.says else {
        return None;
    };
    let kind = RegionKind::new(row.convention, pair);
    Some(if is_start {
        RegionMark::open(kind, denies)
    } else {
        RegionMark::close(vec![kind])
    })
}

/// Name of the convention in which a heading denies its section, up to the next heading with an
/// `id`.
const SECTIONS: &str = "mkdocs";

fn heading(element: &impl Element) -> Option<RegionMark> {
    let (pair, row) = TABLE
        .rows
        .iter()
        .enumerate()
        .find(|(_, row)| row.convention == SECTIONS)?;
    let begins = element.attribute(row.attribute()?).is_some();
    let StatementContent::Deny(denies) = row.says else {
        return None;
    };
    let kind = RegionKind::new(SECTIONS, pair);
    (begins || element.attribute("id").is_some()).then_some(RegionMark::Section {
        kind,
        denies,
        begins,
    })
}

impl ElementRow {
    /// Returns the name of the attribute that is this row's sign. Returns `None` if the sign is not
    /// an attribute.
    fn attribute(&self) -> Option<&'static str> {
        match self.sign {
            ElementSign::Attribute(name)
            | ElementSign::Switch {
                attribute: name, ..
            } => Some(name),
            ElementSign::Tag(_)
            | ElementSign::Class(_)
            | ElementSign::CasedClass(_)
            | ElementSign::With { .. } => None,
        }
    }

    /// Returns the tag name in this row's sign, or `None` if the sign has no tag name.
    fn tag(&self) -> Option<&'static str> {
        match self.sign {
            ElementSign::Tag(name) | ElementSign::With { tag: name, .. } => Some(name),
            ElementSign::Class(_)
            | ElementSign::CasedClass(_)
            | ElementSign::Attribute(_)
            | ElementSign::Switch { .. } => None,
        }
    }

    /// True if `class` is in the letter case that this row's sign requires. Also true if the sign
    /// requires no letter case.
    fn matches_case(&self, class: &str) -> bool {
        !matches!(self.sign, ElementSign::CasedClass(name) if name != class)
    }

    /// Returns the HTML class that is this row's sign. Returns `None` if the sign is not an HTML
    /// class.
    fn class(&self) -> Option<&'static str> {
        match self.sign {
            ElementSign::Class(name) | ElementSign::CasedClass(name) => Some(name),
            _ => None,
        }
    }

    /// True if an element's attribute has the value that this row's sign requires for a denial.
    /// Always true if the sign requires no value. An unknown value counts as the required value,
    /// and a complaint about it is added to `collector`.
    fn matches_value(
        &self,
        element: &impl Element,
        collector: &mut StatementCollector<'_>,
    ) -> bool {
        let ElementSign::With {
            attribute,
            denying_value,
            neutral_value,
            ..
        } = self.sign
        else {
            return true;
        };
        let Some(value) = element.attribute(attribute) else {
            return false;
        };
        let is = |word: &str| value.trim().eq_ignore_ascii_case(word);
        if !is(denying_value) && !is(neutral_value) {
            let message = format!(
                "`{attribute}` is `{denying_value}` or `{neutral_value}`: anything else is read as `{denying_value}`"
            );
            collector.complain(
                NoteKind::UnreadableValue,
                collector.bots.all(),
                self.convention,
                message,
            );
        }
        !is(neutral_value)
    }

    /// Returns the statement that this row's sign makes about an element. For some signs, the
    /// statement depends on the value of the element's attribute.
    fn says(
        &self,
        element: &impl Element,
        collector: &mut StatementCollector<'_>,
    ) -> StatementContent {
        let ElementSign::Switch {
            attribute,
            denying_value,
            allowing_value,
        } = self.sign
        else {
            return self.says;
        };
        let value = element.attribute(attribute).unwrap_or_default();
        if value.trim().eq_ignore_ascii_case(allowing_value) {
            return StatementContent::Allow(INDEX);
        }
        if !value.trim().eq_ignore_ascii_case(denying_value)
            && collector.conventions.has(self.convention)
        {
            let message = format!(
                "`{attribute}` is `{denying_value}` or `{allowing_value}`: anything else is read as `{denying_value}`"
            );
            collector.complain(
                NoteKind::UnreadableValue,
                collector.bots.all(),
                self.convention,
                message,
            );
        }
        self.says
    }

    fn report(&self, says: StatementContent, collector: &mut StatementCollector<'_>) {
        if collector.conventions.has(self.convention) {
            collector.add(
                says,
                Recipients::Bots(collector.bots.all()),
                Extent::Subtree,
                self.convention,
            );
        }
    }
}

/// Returns the names of the attributes by which a convention marks elements. Reports may quote
/// these names. The `bool` is true if reports may also quote the attribute's value. A value that
/// the convention does not read may be any text of the page, so it is not quoted.
pub(super) fn quoted(convention: &str) -> Vec<(&'static str, bool)> {
    let mut names = Vec::new();
    for row in &TABLE.rows {
        if row.convention != convention {
            continue;
        }
        match row.sign {
            ElementSign::Tag(_) => {}
            ElementSign::Class(_) | ElementSign::CasedClass(_) => names.push(("class", true)),
            ElementSign::Attribute(name) => names.push((name, false)),
            ElementSign::Switch { attribute, .. } | ElementSign::With { attribute, .. } => {
                names.push((attribute, true));
            }
        }
    }
    names.dedup();
    names
}
