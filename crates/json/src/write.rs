//! Serializes values to JSON. All other files of this crate use these functions for it.
//!
//! A JSON parser decodes the same strings that it would decode from the output of `serde_json`, and
//! no character of the output controls a terminal.

use serde::Serialize;

use super::serializer::{JsonSerializer, Layout};

/// Serializes `value` to JSON on one line, without a line end.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_json::line(&["Rye", "\u{9B}2J"]), r#"["Rye","\u009b2J"]"#);
/// ```
pub fn line(value: &impl Serialize) -> String {
    let mut line = String::new();
    write_line(value, &mut line);
    line
}

/// Appends `value` to `out` as JSON on one line, without a line end. The memory of `out` can serve
/// many lines.
///
/// # Examples
///
/// ```
/// let mut lines = String::new();
/// for name in ["Rye", "Wheat"] {
///     heedful_json::write_line(&[name], &mut lines);
///     lines.push('\n');
/// }
/// assert_eq!(lines, "[\"Rye\"]\n[\"Wheat\"]\n");
/// ```
pub fn write_line(value: &impl Serialize, out: &mut String) {
    serialize(value, Layout::Compact, out);
}

/// Serializes `value` to JSON on several indented lines, for files that people open.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_json::pretty(&["Rye"]), "[\n  \"Rye\"\n]");
/// ```
pub fn pretty(value: &impl Serialize) -> String {
    let mut lines = String::new();
    serialize(value, Layout::Indented, &mut lines);
    lines
}

/// Appends `value` to `out`. This never fails for the values of this crate, because their keys are
/// texts. Appends nothing for a value that cannot be serialized.
fn serialize(value: &impl Serialize, layout: Layout, out: &mut String) {
    let start = out.len();
    if value
        .serialize(&mut JsonSerializer::new(layout, out))
        .is_err()
    {
        out.truncate(start);
    }
}
