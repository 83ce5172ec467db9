//! The bots that a member of a Robots-Tag is for.

use heedful_base::bot::BotSet;
use heedful_base::lenient::near::is_within;

use super::collector::StatementCollector;
use super::dates;
use super::terms::is_directive;

pub(super) fn member_bots(name: &str, collector: &StatementCollector<'_>) -> BotSet {
    let is_somebody = is_name(name) && name != "*" || !collector.bots.called(name).is_empty();
    if is_somebody {
        collector.bots.called(name)
    } else {
        collector.bots.all()
    }
}

/// A member in the new syntax in an X-Robots-Tag: its bots, and its rules in the old syntax. The
/// first word must be a possible product token, and all others directives. Otherwise its semicolons
/// count as commas, as sloppy servers write them, and it is for everybody.
pub(super) fn member(text: &str, collector: &StatementCollector<'_>) -> Option<(BotSet, String)> {
    let (name, rules) = text.split_once(';')?;
    let is_rule =
        |rule: &str| is_directive(rule.split(['=', ':']).next().unwrap_or_default().trim());
    let is_it = is_name(name.trim()) && rules.split(';').all(is_rule);
    is_it.then(|| {
        (
            member_bots(name.trim(), collector),
            rules
                .split(';')
                .filter_map(plain_rule)
                .collect::<Vec<_>>()
                .join("; "),
        )
    })
}

/// True if the text behind a comma continues the date at the end of a member.
pub(super) fn continues_date(member: &str, next: &str) -> bool {
    let last = member.rsplit(';').next().unwrap_or_default();
    let (key, value) = last.split_once('=').unwrap_or_default();
    let next = next.split([',', ';']).next().unwrap_or_default();
    let is_date = |text: &str| dates::parse(text.trim().trim_matches('"')).is_some();
    key.trim().eq_ignore_ascii_case(DATED) && is_date(&format!("{value},{next}"))
}

/// A parameter as META has it. None if it is `?0`, which takes a rule back.
pub(super) fn plain_rule(rule: &str) -> Option<String> {
    let Some((key, value)) = rule
        .split_once('=')
        .map(|(key, value)| (key.trim(), value.trim()))
    else {
        return Some(rule.trim().to_owned());
    };
    let date = || {
        value
            .strip_prefix('@')
            .and_then(|seconds| format_date(seconds.parse().ok()?))
    };
    match value {
        "?0" => None,
        _ if is_valued(key) => Some(format!(
            "{key}: {}",
            date().unwrap_or_else(|| value.trim_matches('"').to_owned())
        )),
        _ => Some(key.to_owned()),
    }
}

/// True for a rule with a value.
pub(super) fn is_valued(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.starts_with("max-") || key == DATED
}

const DATED: &str = "unavailable_after";

/// A date of RFC 9651 as a text.
pub(super) fn format_date(seconds: i64) -> Option<String> {
    jiff::Timestamp::from_second(seconds)
        .ok()
        .map(|date| date.to_string())
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

/// True if a word is `*` or may be a product token. Directives, and words that are nearly one, are
/// not.
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

/// True for directives and for words that resemble one: by their beginning, by a part, or up to two
/// edits.
fn is_nearly_directive(word: &str) -> bool {
    const PARTS: [&str; 6] = [
        "index",
        "follow",
        "snippet",
        "preview",
        "translate",
        "available",
    ];
    let near = |known: &str| is_within(2, word.as_bytes(), known.as_bytes());
    is_directive(word)
        || word.starts_with("no")
        || PARTS.iter().any(|part| word.contains(part))
        || [
            "index",
            "follow",
            "archive",
            "noarchive",
            "nosnippet",
            "noindex",
            "nofollow",
        ]
        .into_iter()
        .any(near)
}
