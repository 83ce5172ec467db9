//! Serializes values to JSON. All other files of this crate use these functions for it.
//!
//! Strings are written as `serde_json` writes them, with more escapes. DEL, the control characters
//! U+0080 to U+009F, and the marks that change the direction of writing are escaped too. JSON
//! itself requires escapes only below U+0020. A JSON parser decodes the same strings with or
//! without the added escapes, and no character of the output controls a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Serializes `value` to JSON on one line, without a line end.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_json::line(&["Rye", "\u{9B}2J"]), r#"["Rye","\u009b2J"]"#);
/// ```
pub fn line(value: &impl Serialize) -> String {
    serialize(value, EscapingFormatter(CompactFormatter))
}

/// Serializes `value` to JSON on several indented lines, for files that people open.
///
/// # Examples
///
/// ```
/// assert_eq!(heedful_json::pretty(&["Rye"]), "[\n  \"Rye\"\n]");
/// ```
pub fn pretty(value: &impl Serialize) -> String {
    serialize(value, EscapingFormatter(PrettyFormatter::new()))
}

/// Serializes `value` with `formatter`. This never fails for the values of this crate: their keys
/// are texts, and their floats can be expressed in JSON. Returns an empty text for a value that
/// cannot be serialized.
fn serialize(value: &impl Serialize, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    let done = value.serialize(&mut serde_json::Serializer::with_formatter(
        &mut bytes, formatter,
    ));
    done.ok()
        .and_then(|()| String::from_utf8(bytes).ok())
        .unwrap_or_default()
}

/// True if a character may control a terminal: a control character, or a mark that changes the
/// direction of writing.
///
/// # Examples
///
/// ```
/// use heedful_json::is_command;
///
/// assert!(is_command('\u{1B}') && is_command('\u{202E}'));
/// assert!(!is_command('ä'));
/// ```
pub fn is_command(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// True for a character that `serde_json` writes unescaped and [`EscapingFormatter`] has to escape.
fn is_escaped(c: char) -> bool {
    c > '\u{1F}' && is_command(c)
}

/// JSON formatter that wraps another formatter and escapes more characters.
struct EscapingFormatter<F>(F);

/// Implements methods of a JSON formatter that call the wrapped formatter.
macro_rules! same {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $name<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $type)*) -> io::Result<()> {
            self.0.$name(out $(, $argument)*)
        })*
    };
}

impl<F: Formatter> Formatter for EscapingFormatter<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut plain = 0;
        // All escaped characters are outside of ASCII, except DEL. Most text is ASCII, so this
        // skips it.
        let candidates = fragment
            .bytes()
            .enumerate()
            .filter(|(_, byte)| matches!(byte, 0x7F | 0xC2 | 0xD8 | 0xE2));
        for (at, _) in candidates {
            let Some(c) = fragment[at..].chars().next().filter(|c| is_escaped(*c)) else {
                continue;
            };
            out.write_all(&fragment.as_bytes()[plain..at])?;
            write!(out, "\\u{:04x}", u32::from(c))?;
            plain = at + c.len_utf8();
        }
        out.write_all(&fragment.as_bytes()[plain..])
    }

    same! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_the_same_and_a_terminal_no_command() {
        let all: String = (0..=0x10_FFFF).filter_map(char::from_u32).collect();
        let value = serde_json::json!({ "all": all, "list": [1, { "a": null }] });
        for written in [line(&value), pretty(&value)] {
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&written).unwrap(),
                value
            );
            assert!(
                !written
                    .chars()
                    .any(|c| is_escaped(c) || c.is_control() && c != '\n')
            );
        }
        let plain = serde_json::json!({ "a": ["ä\"\\\n", {}], "b": [] });
        assert_eq!(line(&plain), plain.to_string());
        assert_eq!(
            pretty(&plain),
            serde_json::to_string_pretty(&plain).unwrap()
        );
    }
}
