//! Recognises groups of a robots.txt that are for a purpose, such as training, and not for a bot
//! (docs/semantics.md, section 6).
//!
//! Two drafts define groups for a purpose. RFC 9309 defines none. In draft-illyes-rep-purpose-00 a
//! line `User-Agent-Purpose` begins a group as `User-agent` does. A file with such a line is parsed
//! with these groups and without them, and a bot needs the permission of both results.
//!
//! In draft-kelley-aipref-training-preference-signal-00 the name in `User-agent` may be a policy
//! token, which names a purpose. No published tokens are known, so the names here are those that
//! plainly describe a purpose. The rules of a group for training also declare, for every bot, which
//! pages may be used for training. A policy token can hardly mean anything else.

use super::lines::classes_of;

/// True if the key of a line begins a group for a purpose.
pub(super) fn is_key(key: &[u8]) -> bool {
    key.eq_ignore_ascii_case(b"user-agent-purpose")
}

/// Names of purposes, each reduced to its letters in lower case.
const PURPOSES: [&str; 9] = [
    "aiinput",
    "aiuse",
    "aiuser",
    "aisearch",
    "aiinference",
    "aigrounding",
    "inferuser",
    "infersystem",
    "raggrounding",
];
/// Minimum length of a name in [`PURPOSES`], in bytes.
const SHORTEST: usize = "aiuse".len();
/// Parts of names that mean training, each reduced to its letters in lower case.
const TRAINING: [&str; 3] = ["aitrain", "trainai", "modeltrain"];

/// Maximum length of the name of a purpose, in bytes.
const LONGEST: usize = 40;

/// True if the name of an agent is the name of a purpose.
pub(super) fn is_token(name: &[u8]) -> bool {
    // This is called for each agent line, so most names must be refused quickly.
    let found = classes_of(name, &LETTERS);
    if found & I == 0 {
        return false;
    }
    found == TRAIN && is_training(name)
        || (SHORTEST..=LONGEST).contains(&name.len())
            && PURPOSES
                .iter()
                .any(|purpose| letters(name).eq(purpose.bytes()))
}

/// True if an agent's name means training.
pub(super) fn is_training(name: &[u8]) -> bool {
    if name.len() > LONGEST || classes_of(name, &LETTERS) != TRAIN {
        return false;
    }
    let mut parts = name.windows("train".len());
    if !parts.any(|part| part[..2].eq_ignore_ascii_case(b"tr")) {
        return false;
    }
    let letters: String = letters(name).map(char::from).collect();
    letters == "training" || TRAINING.iter().any(|part| letters.contains(part))
}

/// Bit of the letter `i` in [`LETTERS`]. Each name in [`PURPOSES`] has this letter.
const I: u8 = 1 << 3;
/// Bits of all letters of the word "train" in [`LETTERS`].
const TRAIN: u8 = 0b1_1111;

/// For each byte, the bit of its letter in the word "train". Other bytes have no bit.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut at = 0;
    while at < b"train".len() {
        letters[b"train"[at] as usize] = 1 << at;
        letters[b"TRAIN"[at] as usize] = 1 << at;
        at += 1;
    }
    letters
};

/// Returns the letters of a name in lower case.
fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .map(u8::to_ascii_lowercase)
}
