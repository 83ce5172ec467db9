//! Comments that nearly are marks: they open or close no region, and a note suggests the mark that was meant.
//!
//! A text is near if it has the letters of a mark, or is one edit away from it. Opening and closing marks resemble each
//! other, so neither is suggested for the other.

use std::ops::RangeInclusive;

use crate::lenient::near::is_one_edit;

use super::comment::{KNOWN, listed};
use super::custom::CUSTOM;
use super::folded::{folded, without_quotes};
use super::set::Dialects;

/// The lengths, in bytes, of a text that may be near a mark.
const NEAR_BYTES: RangeInclusive<usize> = 5..=60;

/// The shortest word compared: a shorter one is near too many others.
const SHORTEST_NEAR: usize = 7;
/// The most by which the lengths may differ, in blanks and signs.
const MOST_BETWEEN: usize = 4;

/// The mark that is nearest to a comment that is none: its convention, and its spelling.
pub(super) fn nearly(text: &str, dialects: &Dialects) -> Option<(&'static str, String)> {
    let text = text.trim();
    if !NEAR_BYTES.contains(&text.len()) {
        return None;
    }
    let folded = folded(text)?;
    let text = without_quotes(folded.as_str());
    let near = KNOWN.iter().map(|known| known.text.as_str()).filter(|known| is_near(&text, known));
    let of_list = near.flat_map(|known| {
        let mark = listed(known, |name| dialects.has(name)).into_iter().next()?;
        Some((mark.dialect(), known.to_owned()))
    });
    let own = dialects.custom.texts().filter(|known| is_near(&text, known)).map(|known| (CUSTOM, known.to_owned()));
    of_list.chain(own).next()
}

/// True if two marks are alike, of lengths with which that is no chance.
pub(super) fn is_near(text: &str, known: &str) -> bool {
    known.len() >= SHORTEST_NEAR
        && text.len().abs_diff(known.len()) <= MOST_BETWEEN
        && known.starts_with('/') == text.starts_with('/')
        && is_alike(text, known)
}

/// True if two words have the same letters, whatever signs stand between them, or are one edit apart.
pub(crate) fn is_alike(text: &str, known: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        text.chars().filter(|c| c.is_alphanumeric())
    }
    is_one_edit(text.as_bytes(), known.as_bytes()) || letters(text).eq(letters(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant() {
        let all = Dialects::parse("all").unwrap_or_default();
        for (text, expected) in [
            ("noidex", Some("noindex")),
            (" No Index ", Some("noindex")),
            ("googleoff index", Some("googleoff:index")),
            ("googleof: index", Some("googleoff:index")),
            ("/no-index", Some("/noindex")),
            ("TYPO3SEARCH begin", Some("typo3search_begin")),
            ("robots content=\"noindx\"", Some("robots content=noindex")),
            ("robot content=\"noindex\"", Some("robots content=noindex")),
            ("index", None),
            ("navigation", None),
            ("startpage", None),
            ("/section", None),
        ] {
            assert_eq!(nearly(text, &all).map(|(_, meant)| meant).as_deref(), expected, "{text}");
        }
    }
}
