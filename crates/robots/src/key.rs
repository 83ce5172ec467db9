//! Parses the key of a robots.txt line. It is an exact key, a misspelling that Google's matcher
//! accepts, or a name that resembles a key.
//!
//! An exact key is in [`RULES`] or in the table of records (`records`), or begins a group for a
//! purpose (`purpose`). [`TYPOS`] has the misspellings that Google's matcher accepts. In a repaired
//! line (`repair`), a name may also resemble an exact key that denies. A doubtful key counts as
//! unknown. Other files decide what a key means, and whether such a resemblance is accepted.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use heedful_base::lenient::line::trim;
use heedful_base::lenient::near::is_one_edit;

use super::agents::is_pattern;
use super::lines::{classes_of, first_word};
use super::purpose;
use super::records::{KEYS, RecordKind, may_deny};

/// Known key of a robots.txt line. The key is the word before the colon, such as `Disallow`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKey {
    Agent,
    Disallow,
    Allow,
    /// The key `User-Agent-Purpose`. It begins a group for a purpose, such as training, instead of
    /// a group for a bot.
    Purpose,
    Record(RecordKind),
}

/// Keys of agent lines and rules, which RFC 9309 defines, in lower case. [`RecordKind`] lists the
/// keys of records.
pub(super) const RULES: [(&str, LineKey); 3] = [
    ("disallow", LineKey::Disallow),
    ("user-agent", LineKey::Agent),
    ("allow", LineKey::Allow),
];

/// Misspelt keys that Google's matcher accepts (github.com/google/robotstxt). Each misspelt key is
/// paired with the key that it means. Both have the same effect in every mode.
pub(super) const TYPOS: [(&str, LineKey); 7] = [
    ("dissallow", LineKey::Disallow),
    ("dissalow", LineKey::Disallow),
    ("disalow", LineKey::Disallow),
    ("diasllow", LineKey::Disallow),
    ("disallaw", LineKey::Disallow),
    ("useragent", LineKey::Agent),
    ("user agent", LineKey::Agent),
];

/// Misspelt keys that differ from a known key by more than one edit, but have a plain meaning. Each
/// misspelt key is paired with the key that it means.
const FARTHER: [(&str, LineKey); 1] = [("disallowed", LineKey::Disallow)];

/// Keys that [`guess`] recognises in a misspelt form: `User-agent`, `Disallow`, and the keys of
/// records that may deny a use, such as `Noindex`. Each item has the letters of a key in lower
/// case, and the key itself.
static NEAR: LazyLock<Vec<(Vec<u8>, LineKey)>> = LazyLock::new(letters_of_denials);

/// Returns the table [`NEAR`] of keys that are recognised in a misspelt form. Each item has the
/// letters of a key in lower case, and the key itself.
fn letters_of_denials() -> Vec<(Vec<u8>, LineKey)> {
    let mut keys = Vec::new();
    for (name, key) in RULES {
        if key != LineKey::Allow {
            keys.push((letters(name.as_bytes()).collect(), key));
        }
    }
    for (name, kind) in KEYS {
        if may_deny(kind) {
            keys.push((letters(name.as_bytes()).collect(), LineKey::Record(kind)));
        }
    }
    keys
}

/// Range of lengths of the misspelt names for which [`guess`] seeks a key. A length is in bytes,
/// and punctuation counts.
const GUESSED_LENGTHS: Range<usize> = "noindex".len()..41;

/// Range of lengths, in bytes, of all exactly spelt keys.
const LENGTHS: RangeInclusive<usize> = 4..=18;

/// Finds the key with the spelling `name`, in any letter case. Returns `None` if no key has this
/// spelling.
pub(super) fn exact(name: &[u8]) -> Option<LineKey> {
    // Most names come from files that are no robots.txt, so a quick test is first.
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

/// Table of the possible second letters of a key, by the first byte of the key. Each entry is a
/// bitmask of letters ([`letter_bit`]). An entry is 0 if no key begins with the byte, and
/// [`ANY_LETTER`] if every second letter is possible.
static SECOND_LETTERS: LazyLock<[u32; 256]> = LazyLock::new(second_letters);

/// Bitmask in [`SECOND_LETTERS`] that stands for all letters.
const ANY_LETTER: u32 = u32::MAX;

/// Returns the table [`SECOND_LETTERS`]. For each byte with which a line with a key may begin, the
/// table has a bitmask of the possible second letters. All other entries are 0.
fn second_letters() -> [u32; 256] {
    // A byte outside of ASCII may belong to an invisible character before the key.
    let mut seconds = std::array::from_fn(|byte| if byte > 0x7F { ANY_LETTER } else { 0 });
    let rules = RULES.iter().chain(&TYPOS).map(|(name, _)| *name);
    for name in rules.chain(KEYS.iter().map(|(name, _)| *name)) {
        let [first, second] = [0, 1].map(|at| name.as_bytes()[at]);
        seconds[usize::from(first.to_ascii_lowercase())] |= letter_bit(second);
    }
    for (name, key) in RULES {
        // The second letter of a key that may be misspelt may be wrong.
        if key != LineKey::Allow {
            seconds[usize::from(name.as_bytes()[0])] = ANY_LETTER;
        }
    }
    for byte in b'a'..=b'z' {
        seconds[usize::from(byte.to_ascii_uppercase())] = seconds[usize::from(byte)];
    }
    seconds
}

/// Returns the bit that stands for an ASCII letter, in either case, in [`SECOND_LETTERS`].
fn letter_bit(letter: u8) -> u32 {
    1 << (letter & 31)
}

/// True if a line with a key may begin with this byte.
pub(super) fn begins_key(byte: u8) -> bool {
    SECOND_LETTERS[usize::from(byte)] != 0
}

/// True if a line may begin with a known key, exact or misspelt. Only the first two letters are
/// compared, so the line may still have no known key. `line` must be trimmed and not empty.
pub(super) fn may_have_key(line: &[u8]) -> bool {
    let seconds = SECOND_LETTERS[usize::from(line[0])];
    if matches!(seconds, 0 | ANY_LETTER) {
        return seconds != 0;
    }
    // Punctuation between the letters of a key is repaired, and so is an invisible character.
    let mut rest = line[1..].iter();
    match rest.find(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()) {
        Some(second) => !second.is_ascii() || seconds & letter_bit(*second) != 0,
        None => false,
    }
}

/// Finds `name` in [`TYPOS`], the misspellings that Google's matcher accepts, and returns the key
/// that is meant. `None` for any other name.
pub(super) fn typo(name: &[u8]) -> Option<LineKey> {
    find(&TYPOS, name)
}

/// Finds `name`, in any letter case, in a table of keys.
fn find(keys: &[(&str, LineKey)], name: &[u8]) -> Option<LineKey> {
    let (_, key) = keys
        .iter()
        .find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name))?;
    Some(*key)
}

/// Guesses which key a misspelt name means. Only the letters of `name` are compared with the keys.
/// Returns `None` if no key is near enough. Also returns `None` if `name` begins or ends with
/// punctuation, since publishers disable lines in this way.
pub(super) fn guess(name: &[u8]) -> Option<LineKey> {
    if let Some(key @ LineKey::Record(_)) = exact(name) {
        return Some(key);
    }
    if !GUESSED_LENGTHS.contains(&name.len())
        || !name[0].is_ascii_alphabetic()
        || !name[name.len() - 1].is_ascii_alphabetic()
    {
        return None;
    }
    let mut found = [0; GUESSED_LENGTHS.end];
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

/// True if a misspelt name may mean the key `key`. `found` has the letters of the name, and `known`
/// has the letters of the key. For the key of a record, such as `Noindex`, all letters must be
/// equal. For any other key, one edit is allowed, but not of the first letter.
fn is_near_key(found: &[u8], known: &[u8], key: LineKey) -> bool {
    match key {
        LineKey::Record(_) => found == known,
        _ => found[0] == known[0] && is_one_edit(found, known),
    }
}

/// Returns the letters of `name` in lower case.
fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .map(u8::to_ascii_lowercase)
}

/// Key and value of one robots.txt line.
pub(super) struct KeyedLine<'a> {
    /// Key of the line. `None` if the key is unknown, or is an `Allow` without a colon.
    pub(super) key: Option<LineKey>,
    /// Value of the line: the text after the colon, trimmed. If there is no colon, it is the text
    /// after the first blank.
    pub(super) value: &'a [u8],
    /// True if a colon separates key and value.
    pub(super) has_colon: bool,
    /// True if the key is a misspelling that Google's matcher accepts, such as `Disalow`. RFC 9309
    /// does not have this spelling.
    pub(super) is_misspelt: bool,
}

impl<'a> KeyedLine<'a> {
    /// Parses the key and the value of a robots.txt line. The first colon separates key and value.
    /// If the line has no colon, the first blank separates them.
    ///
    /// Without a colon, the key must be `User-agent`, `Disallow`, or the key of a record that may
    /// deny a use. An `Allow` without a colon is parsed as an unknown key. Returns `None` for any
    /// other line without a colon.
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

    /// True if the line's key is misspelt, or no colon follows it.
    pub(super) fn is_sloppy(&self) -> bool {
        self.is_misspelt || !self.has_colon
    }

    /// True if a repair may change the meaning of the line. Only the kinds of bytes in the value
    /// are examined, so a repair may still change nothing.
    pub(super) fn may_differ(&self) -> bool {
        match self.key {
            None => true,
            Some(LineKey::Agent) => self.signs() != 0 || is_pattern(self.value),
            Some(LineKey::Disallow | LineKey::Allow) => self.signs() & (ODD | COLON) != 0,
            Some(LineKey::Record(_) | LineKey::Purpose) => self.signs() & ODD != 0,
        }
    }

    /// Returns the classes ([`SIGNS`]) of all bytes in the line's value, as one bitmask.
    fn signs(&self) -> u8 {
        classes_of(self.value, &SIGNS)
    }
}

/// Returns the length, in bytes, of the first word in the value of a record, such as `Crawl-delay`.
/// `text` is the text of the file from the start of this value. Returns `None` if the word is empty
/// or has a `#`. Also returns `None` if a repair of the line may change the word.
pub(super) fn plain_value(text: &[u8]) -> Option<usize> {
    let (length, signs) = first_word(text, &SIGNS);
    (length > 0 && signs & (ODD | COMMENT) == 0).then_some(length)
}

/// Class of bytes that an ordinary value never has: blanks, quotes, control characters and all
/// bytes outside of ASCII.
const ODD: u8 = 1;
/// Class of the colon. The word before a colon may be a second key in the line.
const COLON: u8 = 2;
/// Class of bytes that separate the names in a list of agents.
const LIST: u8 = 4;

/// Class of the `#`, which begins a comment.
const COMMENT: u8 = 8;

/// For each byte value, the bitmask of its classes. It is 0 for the bytes of an ordinary value.
const SIGNS: [u8; 256] = {
    let mut signs = [ODD; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        signs[byte as usize] = match byte {
            b'"' | b'\'' | b'`' => ODD,
            b':' => COLON,
            b',' | b'|' => LIST,
            b'#' => COMMENT,
            _ => 0,
        };
        byte += 1;
    }
    signs
};
