//! The keys of lines: as they are spelt, as Google's matcher spells them too, and by what they
//! nearly are.
//!
//! The tables here are the only lists of keys. A line's exact key is one of the first two, and its
//! lenient key (`repair`) may be any. It errs by leaving a key unknown. What a key means, and
//! whether a lenient one counts, is not known here.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use heedful_base::lenient::line::trim;
use heedful_base::lenient::near::is_one_edit;

use super::agents::is_pattern;
use super::purpose;
use super::records::{self, RecordKind, may_deny};

/// The key of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKey {
    Agent,
    Disallow,
    Allow,
    /// It begins a group for a purpose.
    Purpose,
    Record(RecordKind),
}

/// The keys of RFC 9309. Those of other records are listed by their kinds.
pub(super) const RULES: [(&str, LineKey); 3] = [
    ("disallow", LineKey::Disallow),
    ("user-agent", LineKey::Agent),
    ("allow", LineKey::Allow),
];

/// Misspelt keys that Google's matcher reads (github.com/google/robotstxt), so no reader takes them
/// for anything else.
pub(super) const TYPOS: [(&str, LineKey); 7] = [
    ("dissallow", LineKey::Disallow),
    ("dissalow", LineKey::Disallow),
    ("disalow", LineKey::Disallow),
    ("diasllow", LineKey::Disallow),
    ("disallaw", LineKey::Disallow),
    ("useragent", LineKey::Agent),
    ("user agent", LineKey::Agent),
];

/// Misspelt keys that are farther than one edit from a key, and plainly meant.
const FARTHER: [(&str, LineKey); 1] = [("disallowed", LineKey::Disallow)];

/// The letters of keys that may deny.
static NEAR: LazyLock<Vec<(Vec<u8>, LineKey)>> = LazyLock::new(letters_of_denials);

fn letters_of_denials() -> Vec<(Vec<u8>, LineKey)> {
    let mut keys = Vec::new();
    for (name, key) in RULES {
        if key != LineKey::Allow {
            keys.push((letters(name.as_bytes()).collect(), key));
        }
    }
    for (name, kind) in records::keys() {
        if may_deny(kind) {
            keys.push((letters(name.as_bytes()).collect(), LineKey::Record(kind)));
        }
    }
    keys
}

/// The lengths of what may be meant as a key that may deny, with signs between its letters.
const MEANT: Range<usize> = "noindex".len()..41;

/// The lengths of all keys.
const LENGTHS: RangeInclusive<usize> = 4..=18;

/// The key of this name, as it is spelt.
pub(super) fn exact(name: &[u8]) -> Option<LineKey> {
    // Most names that are asked for are from something that is no robots.txt.
    if !LENGTHS.contains(&name.len()) || !name[0].is_ascii_alphabetic() {
        return None;
    }
    if let Some(rule) = find(&RULES, name) {
        return Some(rule);
    }
    if let Some(kind) = RecordKind::from_key(name) {
        return Some(LineKey::Record(kind));
    }
    purpose::is_key(name).then_some(LineKey::Purpose)
}

/// The bytes with which a line may begin that has a key: the first letters of keys, and what is not
/// ASCII.
static FIRST: LazyLock<[bool; 256]> = LazyLock::new(first_bytes);

fn first_bytes() -> [bool; 256] {
    let mut first = std::array::from_fn(|byte| byte > 0x7F);
    for (name, _) in RULES.iter().chain(&TYPOS) {
        first[usize::from(name.as_bytes()[0])] = true;
    }
    for (name, _) in records::keys() {
        first[usize::from(name.as_bytes()[0].to_ascii_lowercase())] = true;
    }
    for byte in b'a'..=b'z' {
        first[usize::from(byte.to_ascii_uppercase())] = first[usize::from(byte)];
    }
    first
}

/// True if a line with a key may begin with this byte.
pub(super) fn begins_key(byte: u8) -> bool {
    FIRST[usize::from(byte)]
}

/// The key of this misspelt name, if Google's matcher reads it.
pub(super) fn typo(name: &[u8]) -> Option<LineKey> {
    find(&TYPOS, name)
}

fn find(keys: &[(&str, LineKey)], name: &[u8]) -> Option<LineKey> {
    let (_, key) = keys
        .iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))?;
    Some(*key)
}

/// Guesses the key that a name is meant as, by its letters. A name that begins or ends with a sign
/// is none: a sign before a key may switch its line off.
pub(super) fn guess(name: &[u8]) -> Option<LineKey> {
    if let Some(key @ LineKey::Record(_)) = exact(name) {
        return Some(key);
    }
    if !MEANT.contains(&name.len())
        || !name[0].is_ascii_alphabetic()
        || !name[name.len() - 1].is_ascii_alphabetic()
    {
        return None;
    }
    let mut found = [0; MEANT.end];
    let mut count = 0;
    for letter in letters(name) {
        found[count] = letter;
        count += 1;
    }
    let found = &found[..count];
    if let Some(key) = typo(found) {
        return Some(key);
    }
    for (known, key) in NEAR.iter() {
        if is_near_key(found, known, *key) {
            return Some(*key);
        }
    }
    find(&FARTHER, found)
}

/// True if these letters are those of a key, or misspell a key of a rule by one edit after the
/// first letter.
fn is_near_key(found: &[u8], known: &[u8], key: LineKey) -> bool {
    match key {
        LineKey::Record(_) => found == known,
        _ => found[0] == known[0] && is_one_edit(found, known),
    }
}

fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .map(u8::to_ascii_lowercase)
}

/// A line's key and its value.
pub(super) struct KeyedLine<'a> {
    /// None if it is unknown, or if it is an allowance without a colon.
    pub(super) key: Option<LineKey>,
    pub(super) value: &'a [u8],
    pub(super) has_colon: bool,
    pub(super) is_misspelt: bool,
}

impl<'a> KeyedLine<'a> {
    /// The key and the value of a line. If the colon is missing, the first blank takes its place,
    /// unless the line would allow something.
    pub(super) fn parse(line: &'a [u8]) -> Option<Self> {
        let colon = memchr::memchr(b':', line);
        let end = colon.or_else(|| memchr::memchr2(b' ', b'\t', line))?;
        let name = trim(&line[..end]);
        let spelt = exact(name);
        let misspelt = if spelt.is_none() { typo(name) } else { None };
        let mut key = spelt.or(misspelt);
        if colon.is_none() {
            match key? {
                LineKey::Agent | LineKey::Disallow => {}
                LineKey::Allow => key = None,
                LineKey::Record(kind) if may_deny(kind) => {}
                LineKey::Record(_) | LineKey::Purpose => return None,
            }
        }
        Some(Self {
            key,
            value: trim(&line[end + 1..]),
            has_colon: colon.is_some(),
            is_misspelt: misspelt.is_some(),
        })
    }

    /// True if the key is misspelt, or its colon is missing.
    pub(super) fn is_sloppy(&self) -> bool {
        self.is_misspelt || !self.has_colon
    }

    /// True if the meaning of the line may differ from its text. Checks the bytes only.
    pub(super) fn may_differ(&self) -> bool {
        match self.key {
            None => true,
            Some(LineKey::Agent) => self.signs() != 0 || is_pattern(self.value),
            Some(LineKey::Disallow | LineKey::Allow) => self.signs() & (ODD | COLON) != 0,
            Some(LineKey::Record(_) | LineKey::Purpose) => self.signs() & ODD != 0,
        }
    }

    /// The classes of the signs in the value.
    fn signs(&self) -> u8 {
        let mut signs = 0;
        for byte in self.value {
            signs |= SIGNS[usize::from(*byte)];
        }
        signs
    }
}

/// Bytes that no plain value has: blanks, quotes, those that are not seen, and all outside of
/// ASCII.
const ODD: u8 = 1;
/// It may follow a second key.
const COLON: u8 = 2;
/// Bytes that part the names of a list.
const LIST: u8 = 4;

const SIGNS: [u8; 256] = {
    let mut signs = [ODD; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        signs[byte as usize] = match byte {
            b'"' | b'\'' | b'`' => ODD,
            b':' => COLON,
            b',' | b'|' => LIST,
            _ => 0,
        };
        byte += 1;
    }
    signs
};
