//! Groups for a purpose instead of a bot (docs/semantics.md, section 6).
//!
//! Two drafts have them. By draft-illyes-rep-purpose-00 a line `User-Agent-Purpose` begins a group
//! as `User-agent` does. By draft-kelley-aipref-training-preference-signal-00 the name in
//! `User-agent` may be a policy token. Its tokens have not been seen, so here they are names that
//! plainly say what they are for. RFC 9309 knows neither. A file of the first kind is read with
//! such groups and without. A bot enters only if both readings let it in. The rules of a group for
//! training also declare, for everybody, which pages may be used for training. A policy token can
//! hardly mean anything else.

/// True if a key begins a group for a purpose.
pub(super) fn is_key(key: &[u8]) -> bool {
    key.eq_ignore_ascii_case(b"user-agent-purpose")
}

/// Names of purposes, by their letters.
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
const SHORTEST: usize = "aiuse".len();
const TRAINING: [&str; 3] = ["aitrain", "trainai", "modeltrain"];

/// True if a name is that of a purpose.
pub(super) fn is_token(name: &[u8]) -> bool {
    // This is called for every agent line, like `is_training`: most names need no second look.
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

/// True if a name is that of training.
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

fn letters(name: &[u8]) -> Option<String> {
    // No purpose has so long a name.
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
