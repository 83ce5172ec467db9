//! Numbers that stand for texts, today and tomorrow.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

/// The number by which anchors name a URL that is in normal form.
pub(super) fn id(key: &str) -> u64 {
    hash(&[key])
}

/// The number of several texts together.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut hasher = SipHasher13::new();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}
