//! The rows of a convention in the tables of docs/semantics.md. A test writes these tables. A
//! convention's rows are made from its signs, unless its row in `rows` gives other texts.

use crate::policy::{StatementContent, Use, Uses};

use super::sign::{CommentSign, ElementSign, Sign, SignEffect};

const REGIONS: &str = "4.4";
const ELEMENTS: &str = "4.5";
const RECORDS: &str = "6.1";

/// Description of one convention in docs/semantics.md: rows of its tables, or a section in prose.
#[derive(Clone, Copy, Debug)]
pub(super) enum DocRows {
    /// The convention has one row in the tables of docs/semantics.md. The row is made from the
    /// convention's signs (its comments, elements and headers).
    Signs,
    /// The convention has a section of its own in docs/semantics.md, and no row in its tables.
    Prose,
    /// The convention has these rows in the tables of docs/semantics.md.
    Rows(&'static [LawRow]),
}

/// A row about one convention in a table of docs/semantics.md. `section` is the section of the
/// table, and `written` is the markup of the convention. `withholds` has the uses that the markup
/// withholds. If `withholds` is empty, the table shows the uses in the convention's [`Sign`]s
/// instead. A sign describes one kind of markup, such as a class, and the uses that it denies.
#[derive(Clone, Copy, Debug)]
pub(super) struct LawRow {
    section: &'static str,
    written: &'static str,
    withholds: &'static str,
}

/// Creates a row for the table of HTML comments in docs/semantics.md.
pub(super) const fn regions(written: &'static str, withholds: &'static str) -> LawRow {
    LawRow {
        section: REGIONS,
        written,
        withholds,
    }
}

/// Creates a row for the table of elements, attributes, links and headers in docs/semantics.md.
pub(super) const fn elements(written: &'static str, withholds: &'static str) -> LawRow {
    LawRow {
        section: ELEMENTS,
        written,
        withholds,
    }
}

/// Creates a row for the table of robots.txt records in docs/semantics.md.
pub(super) const fn records(written: &'static str, withholds: &'static str) -> LawRow {
    LawRow {
        section: RECORDS,
        written,
        withholds,
    }
}

impl DocRows {
    /// Returns the rows in the tables of docs/semantics.md for a convention with these signs. Each
    /// row has the section, the markup of the convention, and the uses that it withholds.
    pub(super) fn rows(self, signs: &[Sign]) -> Vec<(&'static str, String, String)> {
        match self {
            Self::Prose => Vec::new(),
            Self::Signs => {
                let section = if matches!(signs.first(), Some(Sign::Comment(..))) {
                    REGIONS
                } else {
                    ELEMENTS
                };
                vec![(
                    section,
                    join_distinct(signs.iter().map(written)),
                    join_distinct(signs.iter().map(withholds)),
                )]
            }
            Self::Rows(rows) => {
                let withheld = |row: &LawRow| match row.withholds {
                    "" => join_distinct(signs.iter().map(withholds)),
                    withholds => withholds.to_owned(),
                };
                rows.iter()
                    .map(|row| (row.section, row.written.to_owned(), withheld(row)))
                    .collect()
            }
        }
    }
}

/// Joins texts with `; ` between them. Repeated and empty texts are left out.
fn join_distinct(parts: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for part in parts {
        if !part.is_empty() && !all.contains(&part) {
            all.push(part);
        }
    }
    all.join("; ")
}

fn written(sign: &Sign) -> String {
    match *sign {
        Sign::Comment(comments, _) => comment(comments),
        Sign::Element(mark, says) => match mark {
            ElementSign::Tag(name) => format!("`<{name}>` ... `</{name}>`"),
            ElementSign::Class(name) => format!("class `{name}`"),
            ElementSign::CasedClass(name) => format!("class `{name}` in this case"),
            ElementSign::Attribute(name) if matches!(says, StatementContent::Allow(_)) => {
                format!("`{name}`, whatever its value: **inclusive**")
            }
            ElementSign::Attribute(name) => format!("`{name}`, whatever its value"),
            ElementSign::Switch {
                attribute,
                denying_value,
                allowing_value,
            } => {
                format!(
                    "`{attribute}=\"{denying_value}\"`, `\"{allowing_value}\"`; another value denies, with a note"
                )
            }
            ElementSign::With {
                tag,
                attribute,
                denying_value,
                neutral_value,
            } => {
                format!(
                    "`<{tag} {attribute}=\"{denying_value}\">` (`{neutral_value}` has no effect, another value denies, with a note)"
                )
            }
        },
        Sign::Header(name, _) => format!("header `{name}`, whatever its value"),
        Sign::Function(..) => String::new(),
    }
}

fn comment(comments: CommentSign) -> String {
    let [first, second] = comments.texts.map(quoted_texts);
    match comments.effect {
        SignEffect::Region => format!("{first} ... {second}"),
        SignEffect::Switches => format!("{first} ... {second}: **inclusive**"),
        SignEffect::Ends(other) => format!("{second} closes regions of {other} too"),
        SignEffect::Page => format!("{first} (page)"),
        SignEffect::Read => String::new(),
    }
}

fn quoted_texts(texts: &[&str]) -> String {
    let quoted: Vec<_> = texts.iter().map(|text| format!("`{text}`")).collect();
    quoted.join(" / ")
}

fn withholds(sign: &Sign) -> String {
    let uses = uses(sign.uses());
    match sign {
        Sign::Comment(
            CommentSign {
                effect: SignEffect::Switches,
                ..
            },
            _,
        ) => format!("{uses} outside"),
        Sign::Comment(
            CommentSign {
                effect: SignEffect::Page,
                ..
            },
            _,
        )
        | Sign::Header(..) => format!("{uses}, page"),
        Sign::Comment(..) => uses,
        Sign::Element(_, StatementContent::Allow(_)) => {
            format!("{uses} outside the elements that have it")
        }
        Sign::Element(..) => format!("{uses}, subtree"),
        Sign::Function(reach, _) => format!("{uses}, {}", reach.name()),
    }
}

fn uses(uses: Uses) -> String {
    uses.iter().map(Use::name).collect::<Vec<_>>().join("+")
}
