//! Hashes of texts that are stored in an index. A text must have the same hash in all versions.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

use heedful_base::address::Key;

/// Returns the hash of a URL. Documents with the anchor texts of links name the target page by this
/// hash.
pub(super) fn id(key: &Key<'_>) -> u64 {
    hash(&[key.as_str()])
}

/// Returns one hash of several texts. The boundaries between the texts matter: `["ab", "c"]` has
/// another hash than `["a", "bc"]`.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut hasher = SipHasher13::new();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xFF);
    }
    hasher.finish()
}
