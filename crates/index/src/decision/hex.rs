//! Bytes as hexadecimal digits in JSON, and the names of SHA-256 digests.

use data_encoding::HEXLOWER;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A hash of SHA-256 or BLAKE3.
pub type Hash = [u8; 32];

/// Bytes that are hexadecimal digits in JSON.
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

/// Bytes as hexadecimal digits in lower case.
pub fn text(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

#[doc(hidden)]
pub fn read<const N: usize>(text: &str) -> Option<[u8; N]> {
    HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

/// A SHA-256 digest, as it is written in JSON.
#[doc(hidden)]
pub fn digest_name(digest: &Hash) -> String {
    format!("sha256:{}", text(digest))
}

/// The SHA-256 digest of bytes, as it is written in JSON.
#[doc(hidden)]
pub fn name_of(bytes: &[u8]) -> String {
    digest_name(&Sha256::digest(bytes).into())
}

/// The digest that JSON names.
#[doc(hidden)]
pub fn digest_of(named: &str) -> Option<Hash> {
    read(named.strip_prefix("sha256:")?)
}
