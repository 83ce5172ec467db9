//! To whom a member of a Robots-Tag speaks.

use crate::bot::BotSet;

use super::ear::Ear;
use super::terms::is_directive;

pub(super) fn whom(name: &str, ear: &Ear<'_>) -> BotSet {
    let is_somebody = is_name(name) && name != "*" || !ear.bots.called(name).is_empty();
    if is_somebody { ear.bots.called(name) } else { ear.bots.all() }
}

/// A member in the new syntax that stands in an X-Robots-Tag: to whom it speaks, and its rules as the old one has them. It
/// is one where its first word may be a product token and all that follows are directives; else its semicolons are
/// commas, as sloppy servers write them, and everybody is meant.
pub(super) fn member(text: &str, ear: &Ear<'_>) -> Option<(BotSet, String)> {
    let (name, rules) = text.split_once(';')?;
    let is_rule = |rule: &str| is_directive(rule.split(['=', ':']).next().unwrap_or_default().trim());
    let is_it = is_name(name.trim()) && rules.split(';').all(is_rule);
    is_it.then(|| (whom(name.trim(), ear), rules.replace('=', ":")))
}

/// Words that nobody is called, though they look like product tokens.
pub(super) const NOBODY: [&str; 22] = [
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
    "spider",
    "true",
    "yes",
];

/// Whether a word is `*`, or may be somebody's product token: not one that is a directive, or nearly one.
pub(super) fn is_name(word: &str) -> bool {
    let is_token = |word: &str| {
        let (name, version) = word.split_once('/').unwrap_or((word, ""));
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(is_plain)
            && version.bytes().all(|b| is_plain(b) || b == b'.')
    };
    let lower = word.to_ascii_lowercase();
    word == "*" || is_token(word) && !NOBODY.contains(&&*lower) && !is_nearly_directive(&lower)
}

/// Directives begin with these, or hold one of them; a letter may be wrong.
fn is_nearly_directive(word: &str) -> bool {
    const PARTS: [&str; 6] = ["index", "follow", "snippet", "preview", "translate", "available"];
    let near = |known: &str| strsim::osa_distance(word, known) <= 2;
    is_directive(word)
        || word.starts_with("no")
        || PARTS.iter().any(|part| word.contains(part))
        || ["index", "follow", "archive", "noarchive", "nosnippet", "noindex", "nofollow"].into_iter().any(near)
}
