//! Stored form of a site file's rules. A site file is a robots.txt or a similar file. The rules are
//! bytes that only `heedful-run` understands.
//!
//! Documents store texts and numbers only, so each byte becomes the character with its number.

/// Suffix that turns a site file's URL into the owner of its rules. The owner of a page's documents
/// is a URL without a fragment.
const MARK: &str = "#rules";
/// First character of the stored text. Without it, the text of some rules would look like packed
/// words.
const BEGINS: char = '1';

/// Returns the value of the field `owner` for the rules of the site file at the URL `place`.
pub(super) fn owner(place: &str) -> String {
    format!("{place}{MARK}")
}

/// True if a value of the field `owner` is that of a site file's rules, not that of a page's
/// documents.
pub(super) fn is_owner(owner: &str) -> bool {
    owner.ends_with(MARK)
}

pub(super) fn text_of(rules: &[u8]) -> String {
    [BEGINS]
        .into_iter()
        .chain(rules.iter().copied().map(char::from))
        .collect()
}

/// Decodes rules from their stored text. Returns None if the text is damaged.
pub(super) fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.strip_prefix(BEGINS)?
        .chars()
        .map(|character| u8::try_from(character).ok())
        .collect()
}
