//! Compares the agent lines of a robots.txt, which say for which bots a group is, with the names of
//! bots.

use std::borrow::Cow;

use heedful_base::bot::Bot;

use super::line::{LineKind, LineList, RobotsLine};
use super::lines::{classes_of, first_word, single_blanks};
use super::{matching, purpose};

/// Formats the names in the agent lines (`User-agent`) of `group`, separated by commas.
pub(super) fn agents_of(group: LineList<'_>) -> String {
    let agents: Vec<_> = agents(group)
        .map(|agent| String::from_utf8_lossy(agent.text))
        .collect();
    agents.join(", ")
}

/// Returns the agent lines (`User-agent`) at the start of a group, up to its first rule.
pub(super) fn agents(group: LineList<'_>) -> impl Iterator<Item = RobotsLine<'_>> {
    group
        .take_while(|line| !line.is_rule())
        .filter(|line| line.kind() == LineKind::Agent)
}

/// True if the first word of `agent`, the value of an agent line, is `*`.
pub(super) fn is_star(agent: &[u8]) -> bool {
    agent == b"*" || agent.starts_with(b"* ")
}

/// True if `name` begins with `__`. No bot has such a name, because draft-kelley-rep-namespaces-00
/// reserves these names.
pub(super) fn is_reserved(name: &[u8]) -> bool {
    name.starts_with(b"__")
}

/// True if the agent line `agent` (`User-agent`) is for `bot`. Then the value of the line is a name
/// of `bot`, or a pattern that matches a name of `bot`.
pub(super) fn is_for(agent: &RobotsLine<'_>, bot: &Bot) -> bool {
    if is_reserved(agent.text) {
        return false;
    }
    if is_named_by(agent.text, bot) {
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

/// True if `agent`, the value of an agent line, names `bot`. Case and versions are ignored. The
/// names also match if one name is only the product token of the other name.
pub(super) fn is_named_by(agent: &[u8], bot: &Bot) -> bool {
    // Most agent lines name other bots, so a quick test is first.
    let first = agent.first().map(u8::to_ascii_lowercase);
    if !bot.names().any(|name| name.bytes().next() == first) {
        return false;
    }
    let mut names = bot.names();
    if names.any(|name| agent.eq_ignore_ascii_case(name.as_bytes())) {
        return true;
    }
    let agent = without_version(agent);
    bot.names().any(|name| {
        let name = without_version(name.as_bytes());
        agent.eq_ignore_ascii_case(name)
            || agent.eq_ignore_ascii_case(product_token(name))
            || product_token(agent).eq_ignore_ascii_case(name)
    })
}

/// Cuts the version and the comment off a bot's name: returns `foobot` for `foobot/2.1
/// (+https://...)`.
pub(super) fn without_version(name: &[u8]) -> &[u8] {
    let end = name
        .iter()
        .position(|byte| matches!(byte, b'/' | b'('))
        .unwrap_or(name.len());
    name[..end].trim_ascii_end()
}

/// Returns the product token at the start of a bot's name: letters, digits, `_` and `-`. RFC 9309
/// excludes digits, but real tokens have them.
pub(super) fn product_token(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|byte| !IS_TOKEN[usize::from(*byte)]);
    &name[..end.unwrap_or(name.len())]
}

/// For each byte value, true if a product token may contain this byte.
const IS_TOKEN: [bool; 256] = {
    let mut is_token = [false; 256];
    let mut at = 0;
    while at < is_token.len() {
        let byte = at as u8;
        is_token[at] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        at += 1;
    }
    is_token
};

/// True if `name`, the value of an agent line, is a pattern for names of bots, such as `foo*`.
/// False if its first word is `*`, because such a line is for every bot.
pub(super) fn is_pattern(name: &[u8]) -> bool {
    name.contains(&b'*') && !name.starts_with(b"* ") && name != b"*"
}

/// Value of an agent line (`User-agent`), and the kinds of bytes that the value contains.
#[derive(Clone, Copy)]
pub(super) struct AgentName<'a> {
    /// Value of the agent line, without the key `User-agent` and the colon.
    pub(super) text: &'a [u8],
    /// Classes of all bytes in `text`, as one bitmask. [`CLASSES`] has the bits of each byte value.
    classes: u8,
}

impl<'a> AgentName<'a> {
    /// Creates an [`AgentName`] from `text`, the whole value of an agent line.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            classes: classes_of(text, &CLASSES),
        }
    }

    /// Creates an [`AgentName`] from the first word of `text`.
    #[inline]
    pub(super) fn first_word(text: &'a [u8]) -> Self {
        let (length, classes) = first_word(text, &CLASSES);
        Self {
            text: &text[..length],
            classes,
        }
    }

    /// True if the value has only letters, digits, `-`, `_`, `.` and `/`.
    pub(super) fn is_plain(self) -> bool {
        self.classes & ODD == 0
    }

    /// True if the value has a digit.
    pub(super) fn has_digit(self) -> bool {
        self.classes & DIGIT != 0
    }

    /// Returns the value with a single blank in place of each run of blanks.
    pub(super) fn with_single_blanks(self) -> Cow<'a, [u8]> {
        if self.classes & NOT_GRAPHIC == 0 {
            self.text.into()
        } else {
            single_blanks(self.text)
        }
    }

    /// True if the value names a purpose, such as training, and not a bot. The result is that of
    /// [`purpose::is_token`].
    pub(super) fn is_purpose(self) -> bool {
        // Each listed name has an `i`.
        let may_be_listed = self.classes & letter_class(b'i') != 0;
        self.may_be_training() && purpose::is_training(self.text)
            || may_be_listed && purpose::is_listed(self.text)
    }

    /// True if the value has all letters of the word `train`. Only such a value may name the
    /// purpose training. Then [`purpose::is_training`] has to decide.
    pub(super) fn may_be_training(self) -> bool {
        self.classes & ALL_LETTERS == ALL_LETTERS
    }
}

/// Bit in [`CLASSES`] for bytes at which a name may need a repair. These are all bytes but letters,
/// digits, `-`, `_`, `.` and `/`.
const ODD: u8 = 1;
/// Bit in [`CLASSES`] for blanks, control characters and bytes outside of ASCII.
const NOT_GRAPHIC: u8 = 1 << 1;
/// Bit in [`CLASSES`] for the ASCII digits.
const DIGIT: u8 = 1 << 2;
/// Letters that each have a bit of their own in the bitmasks of [`CLASSES`]. Upper and lower case
/// share the bit. All other letters have no bit. With these bits, [`AgentName::may_be_training`]
/// quickly tells if a name may contain the word `train`.
const LETTERS: &[u8; 5] = b"train";
/// Bitmask with the bits of all [`LETTERS`].
const ALL_LETTERS: u8 = 0b1_1111 << 3;

/// Returns the bit for `byte` in the bitmasks of [`CLASSES`], if `byte` is one of [`LETTERS`], in
/// upper or lower case. Returns 0 for all other bytes.
const fn letter_class(byte: u8) -> u8 {
    let mut at = 0;
    while at < LETTERS.len() {
        if byte.eq_ignore_ascii_case(&LETTERS[at]) {
            return 1 << (3 + at);
        }
        at += 1;
    }
    0
}

/// Table of the classes to which each byte value belongs. Each entry is a bitmask with one bit per
/// class, such as [`ODD`] and [`DIGIT`].
const CLASSES: [u8; 256] = {
    let mut classes = [ODD; 256];
    let mut at = 0;
    while at < classes.len() {
        let byte = at as u8;
        if byte.is_ascii_digit() {
            classes[at] = DIGIT;
        } else if byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.' | b'/') {
            classes[at] = letter_class(byte);
        } else if !byte.is_ascii_graphic() {
            classes[at] = ODD | NOT_GRAPHIC;
        }
        at += 1;
    }
    classes
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares [`AgentName`], which uses byte classes, with a search of the whole name. Both
        /// must find the same purposes, digits and runs of blanks.
        #[test]
        fn each_purpose_is_found(name in "(ai|AI|train|Train|ing|model|use|user|input|infer|rag|grounding|search|system|[ _.a-z0-9-]){0,5}") {
            let agent = AgentName::new(name.as_bytes());
            prop_assert_eq!(agent.is_purpose(), purpose::is_token(name.as_bytes()));
            prop_assert!(agent.may_be_training() || !purpose::is_training(name.as_bytes()));
            prop_assert_eq!(agent.has_digit(), name.bytes().any(|byte| byte.is_ascii_digit()));
            prop_assert_eq!(agent.with_single_blanks(), single_blanks(name.as_bytes()));
        }
    }
}
