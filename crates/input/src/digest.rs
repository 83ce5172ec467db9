//! Verifies the digests of a WARC record (ISO 28500:2017, sections 5.8 and 5.9): those of its block
//! and its payload.
//!
//! SHA-1, SHA-256 and MD5 are supported, in base32, base64 or hex. An unknown algorithm or an
//! invalid value is ignored. Tools agree which bytes the block digest covers. They disagree about
//! the bytes of the payload digest: the body as it is stored, the body without chunks, or the
//! unpacked body. So the payload digest is verified only in a record without a block digest, and
//! matches if it fits any of these forms.

use data_encoding::{BASE32_NOPAD, BASE64, HEXLOWER_PERMISSIVE};
use sha1::Digest as _;

use super::head::{ArchiveRecordKind, RecordHead};
use super::http;
use super::terms::UnpackBudget;

/// A digest of a WARC record, with one of the supported algorithms.
enum Digest {
    Sha1(Vec<u8>),
    Sha256(Vec<u8>),
    Md5(Vec<u8>),
}

impl Digest {
    fn read(text: &str) -> Option<Self> {
        let (algorithm, value) = text.split_once(':')?;
        let value = value.trim();
        match algorithm.trim().to_ascii_lowercase().as_str() {
            "sha1" | "sha-1" => decode(value, 20).map(Self::Sha1),
            "sha256" | "sha-256" => decode(value, 32).map(Self::Sha256),
            "md5" | "md-5" => decode(value, 16).map(Self::Md5),
            _ => None,
        }
    }

    fn matches(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Sha1(digest) => sha1::Sha1::digest(bytes)[..] == digest[..],
            Self::Sha256(digest) => sha2::Sha256::digest(bytes)[..] == digest[..],
            Self::Md5(digest) => md5::Md5::digest(bytes)[..] == digest[..],
        }
    }
}

fn decode(value: &str, length: usize) -> Option<Vec<u8>> {
    let found = if value.len() == 2 * length {
        HEXLOWER_PERMISSIVE.decode(value.as_bytes())
    } else {
        let base32 = value.trim_end_matches('=').to_ascii_uppercase();
        BASE32_NOPAD
            .decode(base32.as_bytes())
            .or_else(|_| BASE64.decode(value.as_bytes()))
    };
    match found {
        Ok(bytes) if bytes.len() == length => Some(bytes),
        _ => None,
    }
}

/// Checks a digest in the header of a record against the record's content. Returns an error message
/// if the digest does not match. `None` if the digest matches, or if it cannot be verified. No
/// digest of a truncated record can be verified. The payload digest of a `revisit` cannot be
/// verified, because the record lacks the payload.
pub(super) fn mismatch(
    head: &RecordHead,
    content: &[u8],
    room: &UnpackBudget<'_>,
) -> Option<&'static str> {
    if head.is_cut {
        return None;
    }
    if let Some(digest) = head.block_digest.as_deref().and_then(Digest::read) {
        return (!digest.matches(content))
            .then_some("a record that does not fit its WARC-Block-Digest");
    }
    let digest = head.payload_digest.as_deref().and_then(Digest::read)?;
    let is_match = match head.kind {
        ArchiveRecordKind::Resource => digest.matches(content),
        ArchiveRecordKind::Response => matches_payload(&digest, content, room),
        _ => true,
    };
    (!is_match).then_some("a record that does not fit its WARC-Payload-Digest")
}

fn matches_payload(digest: &Digest, content: &[u8], room: &UnpackBudget<'_>) -> bool {
    // Content that is not HTTP is reported when the page is parsed.
    let Ok(response) = http::HttpResponse::parse(content, room.limits) else {
        return true;
    };
    if digest.matches(response.stored()) {
        return true;
    }
    if let Some(body) = response.after_first_head()
        && digest.matches(body)
    {
        return true;
    }
    if let Some(body) = response.without_chunks()
        && digest.matches(&body)
    {
        return true;
    }
    match response.body(room, false) {
        Ok(body) => digest.matches(&body.bytes),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_however_they_are_written() {
        let empty = [
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "SHA-1: 3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====",
            "md5:D41D8CD98F00B204E9800998ECF8427E",
        ];
        for text in empty {
            let digest = Digest::read(text).unwrap();
            assert!(digest.matches(b"") && !digest.matches(b"x"), "{text}");
        }
        for text in [
            "",
            "sha1",
            "sha1:",
            "sha1:short",
            "crc32:00000000",
            "md5:zz",
            "sha1:\u{E9}\u{E9}",
        ] {
            assert!(Digest::read(text).is_none(), "{text}");
        }
    }
}
