//! Lines for people: trouble, colour.

use anstyle::{AnsiColor, Style};

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const RED: Style = AnsiColor::Red.on_default().bold();
pub(super) const GREEN: Style = AnsiColor::Green.on_default();

/// `text` in a style.
pub(super) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

pub(super) fn trouble(error: &dyn std::fmt::Display) {
    anstream::eprintln!("{} {error}", styled(RED, "error:"));
}

pub(super) fn warning(message: &str) {
    anstream::eprintln!("{} {message}", styled(BOLD, "note:"));
}
