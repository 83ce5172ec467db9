//! Detects the compression of an input by its first bytes. A file whose first packed member is
//! damaged is still recognized as compressed.

use std::io;

use super::raw::{BUFFER, RawInput};
use super::zstd;

/// First three bytes of a gzip member that uses deflate, as all members in practice do.
pub(super) const GZIP: [u8; 3] = [0x1F, 0x8B, 0x08];

/// Compression of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    pub(super) fn detect(raw: &mut RawInput) -> io::Result<Self> {
        let start = raw.peek(4)?;
        if start.starts_with(&GZIP[..2]) {
            return Ok(Self::Gzip);
        }
        if zstd::is_frame(start) {
            return Ok(Self::Zstd);
        }
        // A pipe with JSON Lines must not block here. All other formats were already read this far.
        if start.starts_with(b"{") || raw.peek(512)?.iter().all(is_text) {
            return Ok(Self::None);
        }
        // Three cases remain: junk, a damaged first member, or an uncompressed archive that
        // contains compressed bodies. The signature that comes first decides.
        let look = raw.peek(BUFFER)?;
        let warc = place(look, b"WARC/1.");
        let http = place(look, b"HTTP/1.");
        let json = place(look, b"\n{\"");
        let plain = warc.min(http).min(json);
        let gzip = magic_place(look, &GZIP);
        let zstd = magic_place(look, &zstd::MAGIC);
        Ok(match gzip.min(zstd) {
            usize::MAX => Self::None,
            first if first > plain => Self::None,
            first if first == gzip => Self::Gzip,
            _ => Self::Zstd,
        })
    }

    /// Returns the name of the compression, for error messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

fn is_text(byte: &u8) -> bool {
    *byte >= 0x80 || byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// Returns the index of the first occurrence of `part` in `bytes`. `usize::MAX` if there is none.
fn place(bytes: &[u8], part: &[u8]) -> usize {
    memchr::memmem::find(bytes, part).unwrap_or(usize::MAX)
}

/// Returns the index of the first signature `magic` in `bytes`, or `usize::MAX` if there is none. A
/// signature at index 0 is recognized even if one of its bytes is damaged.
fn magic_place(bytes: &[u8], magic: &[u8]) -> usize {
    let equal = bytes.iter().zip(magic).filter(|(a, b)| a == b).count();
    if equal + 1 == magic.len() {
        0
    } else {
        place(bytes, magic)
    }
}
