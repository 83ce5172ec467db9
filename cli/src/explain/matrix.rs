//! Formats the matrix of an explanation: the verdicts of other vendors' rules on the page, beside
//! heedful's own verdict. The matrix is a table that fits the width of the terminal. The reasons
//! are below the table.

use anstyle::Style;
use heedful::Use;
use heedful_report::{Matrix, MatrixColumn, Permission};

use super::text::{label, width, wrapped};
use crate::output::{BOLD, DIM, GREEN, RED, harmless, styled};

/// Width in characters of the left part of the matrix, which has the names of the uses.
const NAMES: usize = 14;
/// Number of spaces between two columns of the matrix.
const GAP: usize = 2;

pub(super) fn lines(matrix: &Matrix<'_>) -> Vec<String> {
    let mut lines = vec![styled(BOLD, "  As others would read it")];
    let is_wide = NAMES
        + matrix
            .columns()
            .iter()
            .map(|column| widest(column, true) + GAP)
            .sum::<usize>()
        <= width();
    for columns in blocks(matrix.columns(), is_wide) {
        lines.extend(block(&columns, is_wide));
        lines.push(String::new());
    }
    for (number, reason) in matrix.reasons().iter().enumerate() {
        let line = format!("  {:>3}  {}", number + 1, label(reason));
        lines.extend(wrapped(&line, 7));
    }
    if !is_wide {
        lines.push(format!(
            "    -  {}",
            styled(DIM, "not read: its documentation does not mention this use")
        ));
    }
    lines.push(String::new());
    for vendor in matrix.columns().iter().filter_map(MatrixColumn::vendor) {
        let name = styled(BOLD, &format!("{:10}", vendor.name()));
        lines.extend(wrapped(&format!("  {name}  {}", vendor.rule()), NAMES));
        lines.extend(wrapped(
            &format!("{:NAMES$}{}", "", styled(DIM, vendor.source())),
            NAMES,
        ));
    }
    lines.push(String::new());
    lines
}

/// Splits the columns of the matrix into groups that fit the width of the terminal. Each group
/// begins with the first of `columns`, which has heedful's own verdict.
fn blocks<'a, 'b>(
    columns: &'a [MatrixColumn<'b>],
    is_wide: bool,
) -> Vec<Vec<&'a MatrixColumn<'b>>> {
    let Some((first, rest)) = columns.split_first() else {
        return Vec::new();
    };
    let begins = NAMES + widest(first, is_wide) + GAP;
    let mut blocks = Vec::new();
    let mut block = vec![first];
    let mut used = begins;
    for column in rest {
        let more = widest(column, is_wide) + GAP;
        if used + more > width() && used > begins {
            blocks.push(std::mem::replace(&mut block, vec![first]));
            used = begins;
        }
        used += more;
        block.push(column);
    }
    blocks.push(block);
    blocks
}

fn block(columns: &[&MatrixColumn<'_>], is_wide: bool) -> Vec<String> {
    let row = |name: &str, cell: &dyn Fn(&MatrixColumn<'_>) -> (Style, String)| {
        let cells = columns.iter().map(|column| {
            let (style, text) = cell(column);
            let blanks = widest(column, is_wide) + GAP - text.chars().count();
            format!("{}{}", styled(style, &text), " ".repeat(blanks))
        });
        format!("  {name:12}{}", cells.collect::<String>())
            .trim_end()
            .to_owned()
    };
    let mut lines = vec![row("", &|column| (BOLD, harmless(column.name())))];
    for usage in Use::ALL {
        lines.push(row(usage.name(), &|column| {
            cell(column.permission(usage), is_wide)
        }));
    }
    lines.push(row("words", &|column| (DIM, column.words().to_string())));
    lines
}

fn cell(answer: Permission, is_wide: bool) -> (Style, String) {
    match answer {
        Permission::Yes => (GREEN, answer.words().to_owned()),
        Permission::No(Some(reason)) => (RED, format!("no {}", reason + 1)),
        Permission::No(None) => (RED, answer.words().to_owned()),
        Permission::NotStated if !is_wide => (DIM, "-".to_owned()),
        _ => (DIM, answer.words().to_owned()),
    }
}

fn widest(column: &MatrixColumn<'_>, is_wide: bool) -> usize {
    let cells = Use::ALL.map(|usage| cell(column.permission(usage), is_wide).1.chars().count());
    let head = harmless(column.name())
        .chars()
        .count()
        .max(column.words().to_string().len());
    cells.into_iter().fold(head, usize::max)
}
