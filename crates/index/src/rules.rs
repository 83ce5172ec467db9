//! Stored form of a site file's rules. A site file is a robots.txt or a similar file. The rules are
//! bytes that only `heedful-run` understands.
//!
//! Documents store texts and numbers only, so each byte becomes the character with its number.

/// Suffix of an owner of rules, after the site file's URL. Owners of pages have no fragment.
const MARK: &str = "#rules";
/// First character of the text. Without it, some rules would look like packed words.
const BEGINS: char = '1';

/// Returns the owner of the rules from the site file at this URL.
pub(super) fn owner(place: &str) -> String {
    format!("{place}{MARK}")
}

/// True if an owner owns the rules of a site file, and not the documents of a page.
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
