//! Groups for a purpose instead of a bot (docs/semantics.md, section 6).
//!
//! Two drafts have them. By draft-illyes-rep-purpose-00 a line `User-Agent-Purpose` begins a group as `User-agent` does. By
//! draft-kelley-aipref-training-preference-signal-00 the name in `User-agent` may be a policy token; its tokens have not been
//! seen, so here they are names that say plainly what they are for. RFC 9309 knows neither. The file is
//! read with such groups and without, and a bot enters only where both readings let it in.

/// Whether a key begins a group for a purpose.
pub(super) fn is_key(key: &[u8]) -> bool {
    key.eq_ignore_ascii_case(b"user-agent-purpose")
}

/// Names of purposes, by their letters; those of training stand in `TRAINING`.
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
const TRAINING: [&str; 3] = ["aitrain", "trainai", "modeltrain"];

/// Whether a name is that of a purpose.
pub(super) fn is_token(name: &[u8]) -> bool {
    // No purpose has so long a name.
    if name.len() > 40 {
        return false;
    }
    let letters = name.iter().filter(|byte| byte.is_ascii_alphabetic());
    let letters: String = letters.map(|byte| byte.to_ascii_lowercase() as char).collect();
    PURPOSES.contains(&&*letters) || TRAINING.iter().any(|part| letters.contains(part)) || letters == "training"
}
