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

/// Appends `value` to `out` as JSON on one line, without a line end. `out` can be reused for many
/// lines.
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

/// Appends `value` to `out` as JSON. Appends nothing if the value cannot be serialized, for example
/// because a key is a list. All values of this crate can be serialized.
fn serialize(value: &impl Serialize, layout: Layout, out: &mut String) {
    let start = out.len();
    if value
        .serialize(&mut JsonSerializer::new(layout, out))
        .is_err()
    {
        out.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::is_command;

    /// Returns JSON of `serde_json` with the escapes that this crate adds.
    fn with_escapes(json: &str) -> String {
        let mut escaped = String::new();
        for c in json.chars() {
            if c > '\u{1F}' && is_command(c) {
                escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
            } else {
                escaped.push(c);
            }
        }
        escaped
    }

    /// Checks that this crate writes `value` as `serde_json` does. Only the additional escapes may
    /// differ.
    fn check(value: &impl Serialize) {
        let compact = serde_json::to_string(value).unwrap();
        assert_eq!(line(value), with_escapes(&compact));
        let indented = serde_json::to_string_pretty(value).unwrap();
        assert_eq!(pretty(value), with_escapes(&indented));
    }

    fn texts() -> impl Strategy<Value = String> {
        let characters = prop_oneof![
            8 => proptest::char::range('a', 'z'),
            1 => proptest::char::range('\0', '\u{FF}'),
            1 => proptest::char::range('\u{600}', '\u{63F}'),
            1 => proptest::char::range('\u{2000}', '\u{206F}'),
            1 => any::<char>(),
        ];
        let text = prop::collection::vec(characters, 0..40);
        prop_oneof![text.prop_map(String::from_iter), "[ -~]{0,40}"]
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            texts().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(texts(), inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_text_is_written_as_by_serde_json_with_more_escapes(text in texts()) {
            check(&text);
            prop_assert_eq!(serde_json::from_str::<String>(&line(&text)).unwrap(), text);
        }

        #[test]
        fn a_value_is_written_as_by_serde_json_with_more_escapes(value in values()) {
            check(&value);
            let commands = pretty(&value).chars().any(|c| is_command(c) && c != '\n');
            prop_assert!(!commands);
        }
    }

    #[test]
    fn a_reader_gets_every_character() {
        let all: String = (0..=0x10_FFFF).filter_map(char::from_u32).collect();
        let written = line(&all);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), all);
        assert!(!written.chars().any(is_command));
    }

    #[derive(Serialize)]
    enum Shape {
        Unit,
        Newtype(&'static str),
        Tuple(u8, i128),
        Struct { text: char, list: Vec<()> },
    }

    #[derive(Serialize)]
    struct Unit;

    #[derive(Serialize)]
    struct Newtype(Option<f32>);

    #[derive(Serialize)]
    struct Tuple(f64, f64);

    #[derive(Serialize)]
    struct Flat {
        #[serde(flatten)]
        members: BTreeMap<String, bool>,
        bytes: &'static [u8],
    }

    #[test]
    fn each_type_of_serde_is_written_as_by_serde_json() {
        check(&[
            Shape::Unit,
            Shape::Newtype("\u{202E}"),
            Shape::Tuple(1, i128::MIN),
            Shape::Struct {
                text: '\u{7F}',
                list: vec![(), ()],
            },
        ]);
        check(&(
            Unit,
            Newtype(None),
            Newtype(Some(0.1)),
            Tuple(1e21, f64::NAN),
        ));
        check(&Flat {
            members: BTreeMap::from([("a\"".to_owned(), true)]),
            bytes: b"ab",
        });
        check(&BTreeMap::from([((), 0); 0]));
        check(&format_args!("{}", "\n"));
    }

    #[test]
    fn a_key_is_a_string() {
        check(&BTreeMap::from([(1, ""), (-2, "")]));
        check(&BTreeMap::from([(true, "")]));
        check(&BTreeMap::from([('\u{7F}', "")]));
        check(&BTreeMap::from([(Some("a"), "")]));
        for written in [
            line(&BTreeMap::from([(None::<&str>, "")])),
            line(&[BTreeMap::from([([1], "")])]),
            pretty(&BTreeMap::from([((), "")])),
        ] {
            assert_eq!(written, "");
        }
    }

    #[test]
    fn lines_are_appended() {
        let mut lines = "before\n".to_owned();
        write_line(&BTreeMap::from([([1], "")]), &mut lines);
        write_line(&"a", &mut lines);
        assert_eq!(lines, "before\n\"a\"");
    }
}
