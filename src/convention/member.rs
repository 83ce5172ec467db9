//! The members of a Robots-Tag header: the bots that a member addresses, and its rules in the words
//! of META (docs/semantics.md, section 4.2). A member whose name no bot can have addresses all
//! bots.

use heedful_base::bot::BotSet;
use heedful_base::lenient::near::is_within;

use super::collector::StatementCollector;
use super::dates;
use super::terms::is_directive;

pub(super) fn member_bots(name: &str, collector: &StatementCollector<'_>) -> BotSet {
    let is_somebody = is_name(name) && name != "*" || !collector.bots.with_name(name).is_empty();
    if is_somebody {
        collector.bots.with_name(name)
    } else {
        collector.bots.all()
    }
}

/// Parses a part of an `X-Robots-Tag` that is in the syntax of the header `Robots-Tag`, such as
/// `foobot;noindex`. Returns the bots that the part addresses, and the part's rules in the syntax
/// of `X-Robots-Tag`. Returns `None` if the text before the first semicolon cannot be a bot's name.
/// Also returns `None` if a rule does not begin with a directive.
pub(super) fn member(text: &str, collector: &StatementCollector<'_>) -> Option<(BotSet, String)> {
    let (name, rules) = text.split_once(';')?;
    let name = name.trim();
    if !is_name(name) || !rules.split(';').all(is_rule) {
        return None;
    }
    let rules: Vec<_> = rules.split(';').filter_map(plain_rule).collect();
    Some((member_bots(name, collector), rules.join("; ")))
}

/// True if `rule`, one rule of a `Robots-Tag` header, begins with a directive. For example, the
/// rule `max-snippet=0` begins with the directive `max-snippet`.
fn is_rule(rule: &str) -> bool {
    is_directive(rule.split(['=', ':']).next().unwrap_or_default().trim())
}

/// True if the comma between two texts is inside a date. `member` is the text before the comma, and
/// `next` is the text after the comma.
pub(super) fn continues_date(member: &str, next: &str) -> bool {
    let last = member.rsplit(';').next().unwrap_or_default();
    let (key, value) = last.split_once('=').unwrap_or_default();
    if !key.trim().eq_ignore_ascii_case(DATED) {
        return false;
    }
    let next = next.split([',', ';']).next().unwrap_or_default();
    let date = format!("{value},{next}");
    dates::parse(date.trim().trim_matches('"')).is_some()
}

/// Converts one parameter of a `Robots-Tag` header to the syntax of META robots. For example,
/// `max-snippet=0` becomes `max-snippet: 0`. Returns `None` for a parameter with the value `?0`,
/// which revokes the parameter.
pub(super) fn plain_rule(rule: &str) -> Option<String> {
    let Some((key, value)) = rule.split_once('=') else {
        return Some(rule.trim().to_owned());
    };
    let key = key.trim();
    let value = value.trim();
    if value == "?0" {
        return None;
    }
    if !is_valued(key) {
        return Some(key.to_owned());
    }
    match date_item(value) {
        Some(date) => Some(format!("{key}: {date}")),
        None => Some(format!("{key}: {}", value.trim_matches('"'))),
    }
}

/// Converts a date of RFC 9651 (`@` and seconds since 1970) to RFC 3339 text. Returns `None` for
/// any other text.
fn date_item(value: &str) -> Option<String> {
    format_date(value.strip_prefix('@')?.parse().ok()?)
}

/// True if a directive named `key` takes a value, as `max-snippet` does.
pub(super) fn is_valued(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.starts_with("max-") || key == DATED
}

const DATED: &str = "unavailable_after";

/// Formats a number of seconds since 1970 as a date of RFC 3339. Returns `None` if the number is
/// out of range.
pub(super) fn format_date(seconds: i64) -> Option<String> {
    jiff::Timestamp::from_second(seconds)
        .ok()
        .map(|date| date.to_string())
}

/// Words that are never names of bots, although they look like product tokens.
pub(super) const NOT_BOT_NAMES: [&str; 24] = [
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

/// True if a word is `*` or may be a bot's product token. False for a directive, and for a word
/// that resembles a directive.
pub(super) fn is_name(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    // A version is not part of a bot's name.
    let name = lower.split('/').next().unwrap_or_default();
    word == "*"
        || is_product_token(word) && !NOT_BOT_NAMES.contains(&name) && !resembles_directive(name)
}

/// True if a word has the syntax of a product token: a name, optionally followed by a slash and a
/// version.
fn is_product_token(word: &str) -> bool {
    let (name, version) = word.split_once('/').unwrap_or((word, ""));
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(is_plain)
        && version.bytes().all(|b| is_plain(b) || b == b'.')
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// True if a word is a directive or resembles a directive. A word resembles a directive if it
/// begins with `no`, or contains a typical part such as `index`. The same is true for a word that
/// is at most two edits away from a directive.
fn resembles_directive(word: &str) -> bool {
    const DIRECTIVE_PARTS: [&str; 6] = [
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
        || DIRECTIVE_PARTS.iter().any(|part| word.contains(part))
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
