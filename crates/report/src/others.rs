//! The part of an explained page that shows how others would read it: a table of uses and readers,
//! and the reasons.

use askama::Template;

use heedful::{Directive, Use};

use super::matrix::{Matrix, MatrixColumn, Permission};
use super::render::rendered;
use super::source::SourceAnchor;

#[derive(Template)]
#[template(path = "others.html", config = "askama.toml")]
struct OthersView<'a> {
    columns: &'a [MatrixColumn<'a>],
    rows: Vec<RowView<'a>>,
    reasons: Vec<ReasonView<'a>>,
}

struct RowView<'a> {
    usage: &'static str,
    cells: Vec<CellView<'a>>,
}

struct CellView<'a> {
    /// The class: `yes`, `no`, `part`, or `soft`.
    class: &'static str,
    sign: &'static str,
    words: &'static str,
    /// The number of the reason, and its text.
    reason: Option<(usize, &'a str)>,
}

struct ReasonView<'a> {
    number: usize,
    anchor: Option<SourceAnchor>,
    place: String,
    convention: &'a str,
    text: &'a str,
}

/// The section as HTML; empty if no other reader was asked.
pub(super) fn others(matrix: &Matrix<'_>) -> String {
    if matrix
        .columns()
        .iter()
        .all(|column| column.vendor().is_none())
    {
        return String::new();
    }
    let row = |usage: Use| RowView {
        usage: usage.name(),
        cells: matrix
            .columns()
            .iter()
            .map(|column| cell(matrix, column.answer(usage)))
            .collect(),
    };
    let reasons = matrix.reasons().iter().enumerate();
    rendered(&OthersView {
        columns: matrix.columns(),
        rows: Use::ALL.into_iter().map(row).collect(),
        reasons: reasons
            .map(|(number, directive)| reason(number, directive))
            .collect(),
    })
}

/// The places that the section links to.
pub(super) fn anchors(matrix: &Matrix<'_>) -> impl Iterator<Item = SourceAnchor> {
    matrix.reasons().iter().copied().filter_map(anchor)
}

fn anchor(reason: &Directive) -> Option<SourceAnchor> {
    reason
        .place()
        .map(|place| SourceAnchor::new(place.line(), place.column()))
}

fn cell<'a>(matrix: &Matrix<'a>, answer: Permission) -> CellView<'a> {
    let (class, sign) = match answer {
        Permission::Yes => ("yes", "\u{2713}"),
        Permission::Part => ("part", "\u{25D0}"),
        Permission::No(_) => ("no", "\u{2717}"),
        Permission::NotHeeded => ("soft", "\u{2013}"),
    };
    let reason = match answer {
        Permission::No(Some(number)) => Some((number + 1, matrix.reasons()[number].text())),
        _ => None,
    };
    CellView {
        class,
        sign,
        words: answer.words(),
        reason,
    }
}

fn reason(number: usize, directive: &Directive) -> ReasonView<'_> {
    ReasonView {
        number: number + 1,
        anchor: anchor(directive),
        place: directive.place().map_or_else(String::new, |place| {
            format!("{}:{}", place.line(), place.column())
        }),
        convention: directive.convention(),
        text: directive.text(),
    }
}
