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

/// True if the name of an agent is the name of a purpose.
pub(super) fn is_token(name: &[u8]) -> bool {
    // This is called for each agent line, so most names must be refused quickly.
    if is_training(name) {
        return true;
    }
    let first = name.iter().find(|byte| byte.is_ascii_alphabetic());
    if name.len() < SHORTEST || !matches!(first, Some(b'A' | b'a' | b'I' | b'i' | b'R' | b'r')) {
        return false;
    }
    match letters(name) {
        Some(letters) => PURPOSES.contains(&&*letters),
        None => false,
    }
}

/// True if an agent's name means training.
pub(super) fn is_training(name: &[u8]) -> bool {
    let mut parts = name.windows("train".len());
    if !parts.any(|part| part[..2].eq_ignore_ascii_case(b"tr")) {
        return false;
    }
    match letters(name) {
        Some(letters) => {
            letters == "training" || TRAINING.iter().any(|part| letters.contains(part))
        }
        None => false,
    }
}

/// Returns the letters of a name in lower case. `None` if the name is too long to be the name of a
/// purpose.
fn letters(name: &[u8]) -> Option<String> {
    // No name of a purpose is longer.
    if name.len() > 40 {
        return None;
    }
    let mut letters = String::with_capacity(name.len());
    for byte in name {
        if byte.is_ascii_alphabetic() {
            letters.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    Some(letters)
}
