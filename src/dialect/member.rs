//! The bots that a member of a Robots-Tag is for.

use crate::bot::BotSet;

use super::ear::Ear;
use super::terms::is_directive;

pub(super) fn whom(name: &str, ear: &Ear<'_>) -> BotSet {
    let is_somebody = is_name(name) && name != "*" || !ear.bots.called(name).is_empty();
    if is_somebody { ear.bots.called(name) } else { ear.bots.all() }
}

/// A member in the new syntax in an X-Robots-Tag: its bots, and its rules in the old syntax. The first word must be a
/// possible product token, and all others directives. Otherwise its semicolons count as commas, as sloppy servers write
/// them, and it is for everybody.
pub(super) fn member(text: &str, ear: &Ear<'_>) -> Option<(BotSet, String)> {
    let (name, rules) = text.split_once(';')?;
    let is_rule = |rule: &str| is_directive(rule.split(['=', ':']).next().unwrap_or_default().trim());
    let is_it = is_name(name.trim()) && rules.split(';').all(is_rule);
    is_it.then(|| (whom(name.trim(), ear), rules.replace('=', ":")))
}

/// Words that are no bot's name, though they look like product tokens.
pub(super) const NOBODY: [&str; 24] = [
    "all",
    "allow",
    "any",
    "bot",
    "bots",
    "crawler",
    "crawlers",
    "default",
    "deny",
    "disallow",
    "everybody",
    "everyone",
    "false",
    "off",
    "on",
    "private",
    "public",
    "robot",
    "robots",
    "robots-tag",
    "spider",
    "true",
    "x-robots-tag",
    "yes",
];

/// True if a word is `*` or may be a product token. Directives, and words that are nearly one, are not.
pub(super) fn is_name(word: &str) -> bool {
    let is_token = |word: &str| {
        let (name, version) = word.split_once('/').unwrap_or((word, ""));
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(is_plain)
            && version.bytes().all(|b| is_plain(b) || b == b'.')
    };
    let lower = word.to_ascii_lowercase();
    // A version is no part of a name.
    let name = lower.split('/').next().unwrap_or_default();
    word == "*" || is_token(word) && !NOBODY.contains(&name) && !is_nearly_directive(name)
}

/// True for directives and for words that resemble one: by their beginning, by a part, or up to two edits.
fn is_nearly_directive(word: &str) -> bool {
    const PARTS: [&str; 6] = ["index", "follow", "snippet", "preview", "translate", "available"];
    let near = |known: &str| strsim::osa_distance(word, known) <= 2;
    is_directive(word)
        || word.starts_with("no")
        || PARTS.iter().any(|part| word.contains(part))
        || ["index", "follow", "archive", "noarchive", "nosnippet", "noindex", "nofollow"].into_iter().any(near)
}
