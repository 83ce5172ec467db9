//! Bytes as hexadecimal digits in JSON, and SHA-256 digests with their prefix.

use data_encoding::HEXLOWER;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A 32-byte hash: a SHA-256 or BLAKE3 digest.
pub type Hash = [u8; 32];

/// A byte array, such as a hash, that is serialized as hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(hidden)]
pub struct Hex<const N: usize>(pub [u8; N]);

impl<const N: usize> Serialize for Hex<N> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&text(&self.0))
    }
}

impl<'de, const N: usize> Deserialize<'de> for Hex<N> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        read(&text)
            .map(Self)
            .ok_or_else(|| D::Error::custom(format!("`{text}` is not {N} bytes in hexadecimal")))
    }
}

/// Encodes bytes as hexadecimal digits in lower case.
pub fn text(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

#[doc(hidden)]
pub fn read<const N: usize>(text: &str) -> Option<[u8; N]> {
    HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// Formats a SHA-256 digest with its prefix `sha256:`.
#[doc(hidden)]
pub fn digest_name(digest: &Hash) -> String {
    format!("sha256:{}", text(digest))
}

/// Computes the SHA-256 digest of bytes, formatted with its prefix `sha256:`.
#[doc(hidden)]
pub fn digest_name_of_bytes(bytes: &[u8]) -> String {
    digest_name(&Sha256::digest(bytes).into())
}

/// Parses a SHA-256 digest from its text form: `sha256:` and hexadecimal digits. Returns None if
/// the text is malformed.
#[doc(hidden)]
pub fn parse_digest_name(named: &str) -> Option<Hash> {
    read(named.strip_prefix("sha256:")?)
}
