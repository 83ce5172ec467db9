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

/// What a line is about.
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
static NEAR: LazyLock<Vec<(Vec<u8>, LineKey)>> = LazyLock::new(|| {
    let denying = records::keys()
        .filter(|(_, kind)| may_deny(*kind))
        .map(|(name, kind)| (name, LineKey::Record(kind)));
    RULES
        .into_iter()
        .filter(|(_, key)| *key != LineKey::Allow)
        .chain(denying)
        .map(|(name, key)| (letters(name.as_bytes()).collect(), key))
        .collect()
});

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
    let rule = find(&RULES, name);
    rule.or_else(|| RecordKind::of(name).map(LineKey::Record))
        .or_else(|| purpose::is_key(name).then_some(LineKey::Purpose))
}

/// The bytes with which a line may begin that has a key: the first letters of keys, and what is not
/// ASCII.
static FIRST: LazyLock<[bool; 256]> = LazyLock::new(|| {
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
});

/// True if a line with a key may begin with this byte.
pub(super) fn begins_key(byte: u8) -> bool {
    FIRST[usize::from(byte)]
}

/// The key of this misspelt name, if Google's matcher reads it.
pub(super) fn typo(name: &[u8]) -> Option<LineKey> {
    find(&TYPOS, name)
}

fn find(keys: &[(&str, LineKey)], name: &[u8]) -> Option<LineKey> {
    let is = |known: &str| known.len() == name.len() && known.as_bytes().eq_ignore_ascii_case(name);
    keys.iter()
        .find(|(known, _)| is(known))
        .map(|(_, key)| *key)
}

/// The key that a name is meant as, by its letters. A name that begins or ends with a sign is none:
/// what stands before a key may switch its line off.
pub(super) fn meant(name: &[u8]) -> Option<LineKey> {
    if let Some(key @ LineKey::Record(_)) = exact(name) {
        return Some(key);
    }
    let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
    if !MEANT.contains(&name.len()) || !is_letter(name.first()) || !is_letter(name.last()) {
        return None;
    }
    let (mut found, mut count) = ([0; MEANT.end], 0);
    for letter in letters(name) {
        found[count] = letter;
        count += 1;
    }
    let found = &found[..count];
    let near = || {
        NEAR.iter()
            .find(|(known, key)| is_meant(found, known, *key))
            .map(|(_, key)| *key)
    };
    typo(found).or_else(near).or_else(|| find(&FARTHER, found))
}

/// True if these letters are those of a key, or misspell a key of a rule by one edit behind the
/// first letter.
fn is_meant(found: &[u8], known: &[u8], key: LineKey) -> bool {
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
pub(super) struct Keyed<'a> {
    /// None if it is unknown, or if it is an allowance without a colon.
    pub(super) key: Option<LineKey>,
    pub(super) value: &'a [u8],
    pub(super) has_colon: bool,
    pub(super) is_misspelt: bool,
}

impl<'a> Keyed<'a> {
    /// The key and the value of a line. If the colon is missing, the first blank takes its place,
    /// unless the line would allow something.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
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
        let (has_colon, is_misspelt) = (colon.is_some(), misspelt.is_some());
        Some(Self {
            key,
            value: trim(&line[end + 1..]),
            has_colon,
            is_misspelt,
        })
    }

    /// True if the key is misspelt, or its colon is missing.
    pub(super) fn is_sloppy(&self) -> bool {
        self.is_misspelt || !self.has_colon
    }

    /// True if the line may mean something else than it says. It is a look at the bytes.
    pub(super) fn may_differ(&self) -> bool {
        let signs = || {
            self.value
                .iter()
                .fold(0, |signs, byte| signs | SIGNS[usize::from(*byte)])
        };
        match self.key {
            None => true,
            Some(LineKey::Agent) => signs() != 0 || is_pattern(self.value),
            Some(LineKey::Disallow | LineKey::Allow) => signs() & (ODD | COLON) != 0,
            Some(LineKey::Record(_) | LineKey::Purpose) => signs() & ODD != 0,
        }
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
