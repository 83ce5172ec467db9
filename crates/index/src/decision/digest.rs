//! Digests of pages.

use std::fmt;

use super::hex::{self, Hash};

/// BLAKE3 digest of a page's bytes. It is written as `blake3:` and hexadecimal digits.
///
/// All other hashes of evidence are SHA-256. But pages are most of the bytes that are hashed for
/// evidence. SHA-256 of all pages would cost more than all other work for evidence.
///
/// # Examples
/// ```
/// use heedful_index::decision::PageDigest;
///
/// let digest = PageDigest::new(b"<p>Rye");
/// assert_ne!(digest, PageDigest::new(b"<p>Rue"));
/// assert!(digest.to_string().starts_with("blake3:"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageDigest(#[doc(hidden)] pub Hash);

impl PageDigest {
    /// Computes the digest of a page's bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// Parses a digest that is written with its `blake3:` prefix. Returns None if it is malformed.
    #[doc(hidden)]
    pub fn read(named: &str) -> Option<Self> {
        hex::read(named.strip_prefix("blake3:")?).map(Self)
    }
}

impl fmt::Display for PageDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blake3:{}", hex::text(&self.0))
    }
}
