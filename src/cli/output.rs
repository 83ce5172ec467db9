//! Lines for people: trouble, colour.

use std::io::{BufWriter, Write};

use anstyle::{AnsiColor, Style};

use super::args::Format;

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const RED: Style = AnsiColor::Red.on_default().bold();
pub(super) const GREEN: Style = AnsiColor::Green.on_default();

/// Standard output: for people with colour where it is wanted, for programs as it is.
pub(super) fn out(format: Format) -> Box<dyn Write> {
    match format {
        Format::Text => Box::new(anstream::stdout()),
        Format::Json => Box::new(BufWriter::new(std::io::stdout())),
    }
}

/// What a page says, without the control characters that would command the terminal.
pub(super) fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

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
