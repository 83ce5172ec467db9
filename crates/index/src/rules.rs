//! Stored form of a site file's rules. A site file is a robots.txt or a similar file. Only the
//! crate `heedful-run` can interpret the bytes of the rules.
//!
//! Index documents store only texts and numbers, so each byte of the rules is stored as the
//! character with its number.

/// Suffix that is appended to the URL of a site file, such as robots.txt. The result is the value
/// of the index field `owner` for the rules of the file. For a page, the field contains a URL
/// without a fragment. So no page has the same value.
const MARK: &str = "#rules";
/// First character of the stored text of a site file's rules. Without this character, the text of
/// some rules would look like packed words.
const BEGINS: char = '1';

/// Returns the value of the index field `owner` for the rules of a site file. `place` is the URL of
/// the site file, such as a robots.txt.
pub(super) fn owner(place: &str) -> String {
    format!("{place}{MARK}")
}

/// True if `owner`, a value of the index field of this name, belongs to the rules of a site file.
/// False if it is the URL of a page.
pub(super) fn is_owner(owner: &str) -> bool {
    owner.ends_with(MARK)
}

pub(super) fn text_of(rules: &[u8]) -> String {
    [BEGINS]
        .into_iter()
        .chain(rules.iter().copied().map(char::from))
        .collect()
}

/// Decodes a site file's rules from their stored text. Returns None if the text is damaged.
pub(super) fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.strip_prefix(BEGINS)?
        .chars()
        .map(|character| u8::try_from(character).ok())
        .collect()
}
