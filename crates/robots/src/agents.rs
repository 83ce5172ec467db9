//! Compares the agent lines of a robots.txt, which say for which bots a group is, with the names of
//! bots.

use heedful_base::bot::Bot;

use super::line::{LineKind, LineList, RobotsLine};
use super::matching;

/// Formats the agents of `group`, separated by commas.
pub(super) fn agents_of(group: LineList<'_>) -> String {
    let agents: Vec<_> = agents(group)
        .map(|agent| String::from_utf8_lossy(agent.text))
        .collect();
    agents.join(", ")
}

/// Returns the agent lines of a group.
pub(super) fn agents(group: LineList<'_>) -> impl Iterator<Item = RobotsLine<'_>> {
    group
        .take_while(|line| !line.is_rule())
        .filter(|line| line.kind() == LineKind::Agent)
}

/// True if the first word of an agent line's value is `*`.
pub(super) fn is_star(agent: &[u8]) -> bool {
    agent == b"*" || agent.starts_with(b"* ")
}

/// True if draft-kelley-rep-namespaces-00 reserves the name. No bot has a reserved name.
pub(super) fn is_reserved(name: &[u8]) -> bool {
    name.starts_with(b"__")
}

/// True if an agent line is for `bot`: it has one of the bot's names, or a pattern that matches one
/// of them.
pub(super) fn is_for(agent: &RobotsLine<'_>, bot: &Bot) -> bool {
    if is_reserved(agent.text) {
        return false;
    }
    if names(agent.text, bot) {
        return true;
    }
    if !agent.is_special() {
        return false;
    }
    let pattern = [&agent.text.to_ascii_lowercase()[..], b"$"].concat();
    bot.names().any(|name| {
        let name = name.as_bytes();
        matching::matches(&pattern, name) || matching::matches(&pattern, without_version(name))
    })
}

/// True if the value `agent` of an agent line names `bot`. Versions are ignored. Either of the two
/// names may be just the product token of the other.
pub(super) fn names(agent: &[u8], bot: &Bot) -> bool {
    // Most agent lines name other bots, so a quick test is first.
    let first = agent.first().map(u8::to_ascii_lowercase);
    if !bot.names().any(|name| name.bytes().next() == first) {
        return false;
    }
    let agent = without_version(agent);
    bot.names().any(|name| {
        let name = without_version(name.as_bytes());
        agent.eq_ignore_ascii_case(name)
            || agent.eq_ignore_ascii_case(product_token(name))
            || product_token(agent).eq_ignore_ascii_case(name)
    })
}

/// Cuts the version and the comment off a name: returns `foobot` for `foobot/2.1 (+https://...)`.
pub(super) fn without_version(name: &[u8]) -> &[u8] {
    let end = name
        .iter()
        .position(|byte| matches!(byte, b'/' | b'('))
        .unwrap_or(name.len());
    name[..end].trim_ascii_end()
}

/// Returns the product token at the start of a name: letters, digits, `_` and `-`. RFC 9309
/// excludes digits, but real tokens have them.
pub(super) fn product_token(name: &[u8]) -> &[u8] {
    let end = name
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
    &name[..end.unwrap_or(name.len())]
}

/// Class of bytes that a name does not have which is a single word without list separators.
pub(super) const ODD: u8 = 1;
/// Class of blanks, control characters and bytes outside of ASCII.
pub(super) const NOT_GRAPHIC: u8 = 2;
/// Class of digits.
pub(super) const DIGIT: u8 = 4;

/// Bitmask of classes for each byte of an agent's name.
pub(super) const CLASSES: [u8; 256] = {
    let mut classes = [ODD; 256];
    let mut at = 0;
    while at < classes.len() {
        let byte = at as u8;
        if byte.is_ascii_digit() {
            classes[at] = DIGIT;
        } else if byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.' | b'/') {
            classes[at] = 0;
        } else if !byte.is_ascii_graphic() {
            classes[at] = ODD | NOT_GRAPHIC;
        }
        at += 1;
    }
    classes
};

/// True if an agent's name has stars and is a pattern for bots' names. A name that is `*`, or has
/// `*` as its first word, is for every bot and is no pattern.
pub(super) fn is_pattern(name: &[u8]) -> bool {
    name.contains(&b'*') && !name.starts_with(b"* ") && name != b"*"
}
