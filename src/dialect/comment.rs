//! Comments that open and close regions (docs/semantics.md, section 4.4).
//!
//! Matching is on the comment's text: trimmed, white space single, ASCII lower case; blanks round `=` and after `:`
//! are optional; quotes are double, single or missing; one stray `>` at the end is forgiven. Which regions are open is
//! not known here.

use crate::policy::{Facet, Facets};

/// What a comment does to the regions of its dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Opens a region that denies these facets (none is possible: the region still counts for pairing).
    Open { dialect: &'static str, denies: Facets, unknown: Vec<String> },
    /// Closes the innermost open region of the dialect.
    Close { dialect: &'static str },
}

pub(crate) fn mark(text: &str) -> Option<Mark> {
    // Most comments are no marks: look before folding.
    let first = text.trim_start().bytes().next()?;
    if matches!(first, b'r' | b'R' | b'/') { spiderline(&fold(text)) } else { None }
}

/// Trimmed, one blank between words, lower case, one `>` at the end forgiven.
fn fold(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_suffix('>').unwrap_or(text);
    let words: Vec<_> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    words.join(" ")
}

/// `robots content="noindex"` ... `/robots`. The word `robots` alone is a caption, not a mark.
fn spiderline(text: &str) -> Option<Mark> {
    let dialect = "spiderline";
    if text == "/robots" || text == "/ robots" {
        return Some(Mark::Close { dialect });
    }
    let value = text.strip_prefix("robots")?.strip_prefix(' ')?.strip_prefix("content")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let value = unquoted(value)?;
    let (mut denies, mut unknown) = (Facets::NONE, Vec::new());
    for word in value.split([',', ' ']).filter(|word| !word.is_empty()) {
        match word {
            "noindex" => denies = denies.with(Facets::of(&[Facet::Index, Facet::Anchor])),
            "nofollow" => denies = denies.with(Facets::of(&[Facet::Follow])),
            "none" => denies = denies.with(Facets::of(&[Facet::Index, Facet::Anchor, Facet::Follow])),
            "index" | "follow" | "all" => {}
            _ => unknown.push(word.to_owned()),
        }
    }
    Some(Mark::Open { dialect, denies, unknown })
}

/// A value in double, single or no quotes; a missing closing quote is forgiven.
fn unquoted(value: &str) -> Option<&str> {
    match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next(),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let opens = |text: &str| match mark(text) {
            Some(Mark::Open { denies, .. }) => denies.iter().map(Facet::name).collect::<Vec<_>>().join("+"),
            Some(Mark::Close { .. }) => "close".to_owned(),
            None => "nothing".to_owned(),
        };
        for (text, expected) in [
            (r#" robots content="noindex" "#, "index+anchor"),
            ("ROBOTS  CONTENT = 'NoFollow'", "follow"),
            ("robots content=none", "index+follow+anchor"),
            ("robots content=\"noindex, nofollow\" >", "index+follow+anchor"),
            ("robots\ncontent=\"all\"", ""),
            ("robots content=\"noindex", "index+anchor"),
            ("/robots", "close"),
            ("/ROBOTS >", "close"),
            ("Robots", "nothing"),
            ("robots indicate whether", "nothing"),
            ("robotscontent=none", "nothing"),
            ("norobots content=none", "nothing"),
        ] {
            assert_eq!(opens(text), expected, "{text}");
        }
    }
}
