//! Marks that no engine has ever read, though they occur on real sites.
//!
//! A row belongs here if no vendor's page documents it and no known engine's source reads it. A mark that some engine
//! reads is a dialect. Misspelt marks are reported by the pass itself (`lookalike`).

use std::borrow::Cow;

use crate::lex::{Tile, TileKind};

/// Attributes that nobody reads, and what to write instead.
const ATTRIBUTES: [(&str, &str); 8] = [
    ("noindex", "a `<!--noindex-->` region, or the class `robots-noindex`"),
    ("nofollow", "`rel=\"nofollow\"`"),
    ("noarchive", "a META, `<meta name=\"robots\" content=\"noarchive\">`"),
    ("nosnippet", "`data-nosnippet`"),
    ("data-noindex", "a `<!--noindex-->` region, or the class `robots-noindex`"),
    ("data-nofollow", "`rel=\"nofollow\"`"),
    ("data-noarchive", "a META, `<meta name=\"robots\" content=\"noarchive\">`"),
    ("data-robots", "a META, `<meta name=\"robots\">`"),
];

/// Words of `rel` that nobody reads.
const RELS: [&str; 5] = ["noindex", "noarchive", "nosnippet", "no-follow", "no-index"];

/// Comments that nobody reads, folded; each also with a slash before it.
const COMMENTS: [&str; 9] = [
    "nofollow",
    "nosnippet",
    "noarchive",
    "robots noindex",
    "robots: noindex",
    "robots: nofollow",
    "robots: none",
    "google noindex",
    "googlebot: noindex",
];

/// Elements that nobody reads.
const TAGS: [&str; 4] = ["noarchive", "nosnippet", "googleoff", "no-index"];

/// The message for a tile that nobody reads.
pub(super) fn unread(tile: &Tile<'_>) -> Option<String> {
    match tile.kind() {
        TileKind::Start => tag(tile),
        TileKind::Comment => comment(&tile.text()),
        _ => None,
    }
}

fn tag(tile: &Tile<'_>) -> Option<String> {
    if TAGS.contains(&tile.name()) {
        return Some(format!("no engine reads the element `<{}>`", tile.name()));
    }
    match tile.name() {
        "meta" => return meta(tile),
        "a" | "area" | "form" | "link" => {
            let rel = tile.attribute("rel").unwrap_or_default();
            let word = rel.split_ascii_whitespace().find(|word| is_unread_rel(word));
            if let Some(word) = word {
                return Some(format!(
                    "no engine reads `{}` in `rel`: `nofollow` is all it can say",
                    word.to_lowercase()
                ));
            }
        }
        _ => {}
    }
    let name =
        tile.attribute_names().find_map(|name| ATTRIBUTES.iter().find(|(row, _)| name.eq_ignore_ascii_case(row)));
    name.map(|(name, instead)| format!("no engine reads the attribute `{name}`: write {instead}"))
}

fn is_unread_rel(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    RELS.contains(&word.as_str()) || word.starts_with("robots-no")
}

/// The message for a META robots that says nothing. The pass itself reports misspelt ones.
fn meta(tile: &Tile<'_>) -> Option<String> {
    let is_robots =
        |value: Option<Cow<'_, str>>| value.is_some_and(|value| value.trim().eq_ignore_ascii_case("robots"));
    let is_empty = tile.attribute("content").is_none() && tile.attribute("value").is_none();
    if is_robots(tile.attribute("name")) && is_empty {
        return Some("this META robots has no `content`, so it says nothing".to_owned());
    }
    None
}

fn comment(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > 40 {
        return None;
    }
    let folded = text.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = folded.strip_prefix('/').map_or(folded.as_str(), str::trim_start);
    let is_it = COMMENTS.contains(&plain);
    is_it.then(|| format!("no engine reads the comment `{folded}`"))
}
