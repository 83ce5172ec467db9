//! Markup that nearly is what robots read: a letter too many, another sign, the right word in the wrong place.
//!
//! The pass itself reports what it compares anyway (`lookalike`). This file compares more, as speed does not count here.

use crate::dialect::parted_rel;
use crate::html;
use crate::lenient::near::{is_near, near};
use crate::lex::{Tile, TileKind};

/// Class names that robots read.
const CLASSES: [&str; 4] = ["robots-noindex", "robots-nofollow", "robots-noarchive", "robots-noanchortext"];
/// Words that META and comments deny with.
const WORDS: [&str; 5] = ["noindex", "nofollow", "noarchive", "nosnippet", "none"];
/// Words that `rel` denies with, but one that is too short to resemble another.
const RELS: [&str; 2] = ["nofollow", "sponsored"];
/// Names of METAs that robots read.
const METAS: [&str; 4] = ["googlebot", "bingbot", "googlebot-news", "tdm-reservation"];
/// Words that stand beside those of [`WORDS`] in comments that nobody reads.
const BESIDE: [&str; 12] =
    ["robots", "robot", "google", "googlebot", "start", "begin", "end", "stop", "on", "off", "open", "close"];

/// The message for a tile that nearly is one that robots read.
pub(super) fn nearly(tile: &Tile<'_>) -> Option<String> {
    match tile.kind() {
        TileKind::Start if tile.name() == "meta" => meta(tile),
        TileKind::Start => element(tile).or_else(|| attribute(tile)).or_else(|| classes(tile)).or_else(|| rel(tile)),
        TileKind::Comment => comment(&tile.text()),
        _ => None,
    }
}

fn element(tile: &Tile<'_>) -> Option<String> {
    let name = tile.name();
    let is_near = name != "noindex" && !name.contains('-') && is_near(name, "noindex");
    is_near.then(|| format!("no robot reads the element `<{name}>`: did you mean `<noindex>`?"))
}

fn attribute(tile: &Tile<'_>) -> Option<String> {
    for (name, value) in tile.attributes().written() {
        let (name, value) = (name.to_ascii_lowercase(), html::decode_value(value));
        let value = value.trim();
        if name != "data-nosnippet" && is_near(&name, "data-nosnippet") {
            return Some(format!("no robot reads the attribute `{name}`: did you mean `data-nosnippet`?"));
        }
        if name != "class" && CLASSES.iter().any(|class| value.eq_ignore_ascii_case(class)) {
            return Some(format!("`{value}` counts in `class`, and not in `{name}`"));
        }
    }
    None
}

fn classes(tile: &Tile<'_>) -> Option<String> {
    let classes = tile.attribute("class")?.to_ascii_lowercase();
    let has = |word: &str| classes.split_ascii_whitespace().any(|class| class == word);
    if has("data-nosnippet") {
        return Some("`data-nosnippet` is an attribute, and no class".to_owned());
    }
    let word = WORDS.iter().find(|word| has("robots") && has(word))?;
    Some(format!("`robots {word}` are two classes: did you mean `robots-{word}`?"))
}

fn rel(tile: &Tile<'_>) -> Option<String> {
    let rel = tile.attribute("rel").filter(|_| matches!(tile.name(), "a" | "area" | "form"))?.to_ascii_lowercase();
    let words: Vec<_> = parted_rel(&rel).filter(|word| !word.is_empty()).collect();
    if words.iter().any(|word| RELS.contains(word)) {
        return None;
    }
    // It says the opposite, and resembles it by chance.
    let mut odd = words.iter().filter(|word| **word != "dofollow");
    if let Some((word, known)) = odd.find_map(|word| Some((*word, near(word, RELS)?))) {
        return Some(format!("no robot reads `{word}` in `rel`: did you mean `{known}`?"));
    }
    let is_split = words.windows(2).any(|pair| pair == ["no", "follow"]);
    is_split.then(|| "`no follow` are two words of `rel`: did you mean `nofollow`?".to_owned())
}

fn meta(tile: &Tile<'_>) -> Option<String> {
    let content = tile.attribute("content").unwrap_or_default();
    let denies = content.split([',', ';', ' ']).any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)));
    if tile.attribute("robots").is_some() {
        return Some("META robots is written `<meta name=\"robots\" content=\"...\">`".to_owned());
    }
    let Some(name) = tile.attribute("name") else {
        let has_other =
            ["property", "http-equiv", "itemprop", "id"].iter().any(|other| tile.attribute(other).is_some());
        return (denies && !has_other).then(|| "this META has no `name`, so it says nothing".to_owned());
    };
    let name = name.trim().to_ascii_lowercase();
    if WORDS.contains(&name.as_str()) && content.trim().is_empty() {
        return Some(format!("`{name}` is no name of a META: write `<meta name=\"robots\" content=\"{name}\">`"));
    }
    let near = near(&name, METAS).filter(|near| *near != name)?;
    (denies || near == "tdm-reservation").then(|| format!("no robot is called `{name}`: did you mean `{near}`?"))
}

fn comment(text: &str) -> Option<String> {
    let folded = text.trim().to_ascii_lowercase();
    let words = || folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_word = |word: &str| WORDS.contains(&word) && word != "none";
    let is_it = folded.len() <= 40
        && words().any(is_word)
        && words().filter(|word| !is_word(word)).count() == 1
        && words().all(|word| is_word(word) || BESIDE.contains(&word));
    is_it.then(|| format!("no robot reads the comment `{folded}`"))
}
