//! Digests of pages.

use std::fmt;

use super::hex::{self, Hash};

/// BLAKE3 digest of a page's bytes. Its text form is `blake3:` and hexadecimal digits.
///
/// All other hashes in a log of evidence are SHA-256. For pages, SHA-256 is too slow: it would cost
/// more than all other work on the log.
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
    /// Computes the BLAKE3 digest of a page's bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// Parses a page digest from its text form: `blake3:` and hexadecimal digits. Returns None if
    /// the text is malformed.
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
