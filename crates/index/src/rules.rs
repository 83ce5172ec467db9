//! The rules that a site gave in a file, as an index keeps them: bytes that only a run understands.
//!
//! Documents hold texts and numbers, so each byte becomes the character of its number.

/// Follows the URL of the file in the owner of its rules. No key of a page has a fragment.
const MARK: &str = "#rules";
/// Begins the text: without it some rules would look like packed words.
const BEGINS: char = '1';

/// The owner of the rules in the file at this URL.
pub(super) fn owner(place: &str) -> String {
    format!("{place}{MARK}")
}

/// True if an owner is that of rules.
pub(super) fn is_owner(owner: &str) -> bool {
    owner.ends_with(MARK)
}

pub(super) fn text_of(rules: &[u8]) -> String {
    [BEGINS]
        .into_iter()
        .chain(rules.iter().copied().map(char::from))
        .collect()
}

/// The rules in a text. Returns None if it is damaged.
pub(super) fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.strip_prefix(BEGINS)?
        .chars()
        .map(|character| u8::try_from(character).ok())
        .collect()
}
