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

/// True if `key` is `User-Agent-Purpose`, the key of a line that begins a group for a purpose.
pub(super) fn is_key(key: &[u8]) -> bool {
    key.eq_ignore_ascii_case(b"user-agent-purpose")
}

/// Names of purposes other than training, such as AI input. Each name has only its letters, in
/// lower case.
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
/// Substrings of names that mean the purpose training. Before the comparison, a name is reduced to
/// its letters in lower case.
const TRAINING: [&str; 3] = ["aitrain", "trainai", "modeltrain"];

/// Maximum length, in bytes, of the name of a purpose in an agent line.
const LONGEST: usize = 40;

/// True if `name`, the value of an agent line, names a purpose and not a bot.
pub(super) fn is_token(name: &[u8]) -> bool {
    is_training(name) || is_listed(name)
}

/// True if `name`, reduced to its letters in lower case, is one of the names in [`PURPOSES`].
/// `name` is the value of an agent line.
pub(super) fn is_listed(name: &[u8]) -> bool {
    let first = name.iter().find(|byte| byte.is_ascii_alphabetic());
    let is_purpose = |purpose: &&str| letters(name).eq(purpose.bytes());
    matches!(first, Some(b'A' | b'a' | b'I' | b'i' | b'R' | b'r'))
        && name.len() <= LONGEST
        && PURPOSES.iter().any(is_purpose)
}

/// True if `name` names the purpose training, as `ai-train` does. `name` is the value of an agent
/// line.
pub(super) fn is_training(name: &[u8]) -> bool {
    // This is called for many agent lines, so most names must be refused quickly.
    let mut parts = name.windows("train".len());
    if name.len() > LONGEST || !parts.any(|part| part[..2].eq_ignore_ascii_case(b"tr")) {
        return false;
    }
    let letters: String = letters(name).map(char::from).collect();
    letters == "training" || TRAINING.iter().any(|part| letters.contains(part))
}

/// Returns the letters of a name in lower case.
fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .map(u8::to_ascii_lowercase)
}
