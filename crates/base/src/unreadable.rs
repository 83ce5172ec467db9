//! Rewords error messages of the JSON parser for people who write JSON and do not know Rust.
//!
//! `serde_json` names types of Rust ("a sequence", "a tuple of size 2"). The messages here name
//! types of JSON instead. A phrase of `serde_json` that the table does not list is not changed.

/// Returns the reason of a JSON parse error, with the column of the error, for people who do not
/// know Rust. Names of Rust types in the message of `serde_json` are replaced by names of JSON
/// types.
///
/// # Examples
///
/// ```
/// use heedful_base::unreadable::unreadable;
///
/// let error = serde_json::from_str::<Vec<u8>>("{}").unwrap_err();
/// assert!(error.to_string().starts_with("invalid type: map, expected a sequence"));
/// assert!(unreadable(&error).starts_with("invalid type: object, expected an array"));
/// ```
pub fn unreadable(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    let mut reason = reason.to_owned();
    for (theirs, ours) in WORDS {
        reason = reason.replace(theirs, ours);
    }
    match error.column() {
        0 => reason,
        column => format!("{reason} at column {column}"),
    }
}

/// Phrases of `serde_json` that name a Rust type, each followed by its replacement.
const WORDS: [(&str, &str); 6] = [
    ("a sequence", "an array"),
    ("type: sequence", "type: array"),
    ("type: map", "type: object"),
    ("expected ident", "expected value"),
    ("a tuple of size 2", "a name and a value"),
    ("missing field", "no"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_rust_is_left() {
        let told =
            |text: &str| unreadable(&serde_json::from_str::<Vec<(String, u16)>>(text).unwrap_err());
        for (text, expected) in [
            (
                "[[\"a\"]]",
                "invalid length 1, expected a name and a value at column 6",
            ),
            ("{}", "invalid type: object, expected an array"),
            ("nix", "expected value at column 2"),
            ("[[[], 1]]", "invalid type: array, expected a string"),
        ] {
            assert!(told(text).starts_with(expected), "{text}: {}", told(text));
        }
    }
}
