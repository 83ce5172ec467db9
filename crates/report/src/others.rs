//! The section of a report that shows how the bots of other vendors would treat the page. It has a
//! table of permissions by use and bot, and the reasons for denials.

use askama::Template;

use heedful::{Directive, Use};

use super::explanation_words::place;
use super::matrix::{Matrix, MatrixColumn, Permission};
use super::render::render;
use super::source::{self, SourceAnchor};

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
    /// CSS class of a cell of the table. It is `yes`, `part` or `no` for the [`Permission`] of the
    /// same name, and `soft` for [`Permission::NotStated`].
    class: &'static str,
    sign: &'static str,
    words: &'static str,
    /// Reason for the denial in this cell: the number of the reason, counted from 1, and the text
    /// of the denying directive. `None` if nothing is denied, or if no directive is the reason.
    reason: Option<(usize, &'a str)>,
}

struct ReasonView<'a> {
    number: usize,
    anchor: Option<SourceAnchor>,
    place: String,
    convention: &'a str,
    text: &'a str,
}

/// Renders the section about other vendors as HTML. Returns an empty string if the table has no
/// column of a vendor.
pub(super) fn others(matrix: &Matrix<'_>) -> String {
    let columns = matrix.columns();
    if columns.iter().all(|column| column.vendor().is_none()) {
        return String::new();
    }
    let mut rows = Vec::new();
    for usage in Use::ALL {
        let mut cells = Vec::new();
        for column in columns {
            cells.push(cell(matrix, column.permission(usage)));
        }
        rows.push(RowView {
            usage: usage.name(),
            cells,
        });
    }
    let mut reasons = Vec::new();
    for (number, directive) in matrix.reasons().iter().enumerate() {
        reasons.push(reason(number, directive));
    }
    render(&OthersView {
        columns,
        rows,
        reasons,
    })
}

/// Returns the rows of the page's source that are targets of links in the section about other
/// vendors.
pub(super) fn anchors(matrix: &Matrix<'_>) -> impl Iterator<Item = SourceAnchor> {
    matrix.reasons().iter().copied().filter_map(anchor)
}

fn anchor(reason: &Directive) -> Option<SourceAnchor> {
    reason.place().map(source::anchor)
}

fn cell<'a>(matrix: &Matrix<'a>, answer: Permission) -> CellView<'a> {
    let (class, sign) = match answer {
        Permission::Yes => ("yes", "\u{2713}"),
        Permission::Part => ("part", "\u{25D0}"),
        Permission::No(_) => ("no", "\u{2717}"),
        Permission::NotStated => ("soft", "\u{2013}"),
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
        place: place(directive.place()),
        convention: directive.convention(),
        text: directive.text(),
    }
}
