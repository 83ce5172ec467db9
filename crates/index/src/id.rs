//! Numbers that stand for texts, stable from one version to the next.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use heedful_base::address::Key;

/// The number by which anchors name a URL.
pub(super) fn id(key: &Key<'_>) -> u64 {
    hash(&[key.as_str()])
}

/// One number for several texts together.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut hasher = SipHasher13::new();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}
