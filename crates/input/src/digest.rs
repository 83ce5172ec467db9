//! Checks the digests of a WARC record (ISO 28500:2017, sections 5.8 and 5.9): of its block, and of
//! the payload in it.
//!
//! SHA-1, SHA-256 and MD5 are known, in base32, base64 or hex. An unknown algorithm, or an invalid
//! value, raises no doubt. The block has one meaning. Tools disagree about the payload: as it is
//! stored, without its chunks, or unpacked. So it is checked only if the block's digest does not
//! confirm the record, and any of these readings may match.

use data_encoding::{BASE32_NOPAD, BASE64, HEXLOWER_PERMISSIVE};
use sha1::Digest as _;

use super::head::{ArchiveRecordKind, RecordHead};
use super::http;
use super::terms::UnpackBudget;

/// A digest that can be compared.
enum Digest {
    Sha1(Vec<u8>),
    Sha256(Vec<u8>),
    Md5(Vec<u8>),
}

impl Digest {
    fn read(text: &str) -> Option<Self> {
        let (algorithm, value) = text.split_once(':')?;
        let value = value.trim();
        let of = |make: fn(Vec<u8>) -> Self, length: usize| decode(value, length).map(make);
        match algorithm.trim().to_ascii_lowercase().as_str() {
            "sha1" | "sha-1" => of(Self::Sha1, 20),
            "sha256" | "sha-256" => of(Self::Sha256, 32),
            "md5" | "md-5" => of(Self::Md5, 16),
            _ => None,
        }
    }

    fn fits(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Sha1(said) => sha1::Sha1::digest(bytes)[..] == said[..],
            Self::Sha256(said) => sha2::Sha256::digest(bytes)[..] == said[..],
            Self::Md5(said) => md5::Md5::digest(bytes)[..] == said[..],
        }
    }
}

fn decode(value: &str, length: usize) -> Option<Vec<u8>> {
    let base32 =
        || BASE32_NOPAD.decode(value.trim_end_matches('=').to_ascii_uppercase().as_bytes());
    let found = if value.len() == 2 * length {
        HEXLOWER_PERMISSIVE.decode(value.as_bytes())
    } else {
        base32().or_else(|_| BASE64.decode(value.as_bytes()))
    };
    found.ok().filter(|bytes| bytes.len() == length)
}

/// The problem with the content of a record, if one of its digests does not match. A record that is
/// cut short, or a `revisit`, has too little content to check.
pub(super) fn doubt(
    head: &RecordHead,
    content: &[u8],
    room: &UnpackBudget<'_>,
) -> Option<&'static str> {
    if head.is_cut {
        return None;
    }
    if let Some(said) = head.block_digest.as_deref().and_then(Digest::read) {
        return (!said.fits(content)).then_some("a record that does not fit its WARC-Block-Digest");
    }
    let said = head.payload_digest.as_deref().and_then(Digest::read)?;
    let fits = match head.kind {
        ArchiveRecordKind::Resource => said.fits(content),
        ArchiveRecordKind::Response => payload_fits(&said, content, room),
        _ => true,
    };
    (!fits).then_some("a record that does not fit its WARC-Payload-Digest")
}

fn payload_fits(said: &Digest, content: &[u8], room: &UnpackBudget<'_>) -> bool {
    // A content that is no response is reported as such elsewhere.
    let Ok(response) = http::HttpResponse::parse(content, room.limits) else {
        return true;
    };
    said.fits(response.stored())
        || response
            .behind_first_head()
            .is_some_and(|body| said.fits(body))
        || response
            .without_chunks()
            .is_some_and(|body| said.fits(&body))
        || response
            .body(room, false)
            .is_ok_and(|body| said.fits(&body.bytes))
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
            let said = Digest::read(text).unwrap();
            assert!(said.fits(b"") && !said.fits(b"x"), "{text}");
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
