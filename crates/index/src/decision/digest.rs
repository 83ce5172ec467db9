//! The digests of pages.

use std::fmt;

use super::hex::{self, Hash};

/// The BLAKE3 digest of a page's bytes. It is written as `blake3:` and hexadecimal digits.
///
/// All other hashes of evidence are SHA-256. Pages are most of the bytes that evidence reads, and
/// SHA-256 would cost more for them than all else that evidence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageDigest(#[doc(hidden)] pub Hash);

impl PageDigest {
    /// The digest of these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).into())
    }

    /// The digest that a proof names.
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
