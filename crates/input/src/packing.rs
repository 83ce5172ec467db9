//! The packing of an input, by its first bytes. A damaged first member still differs from a file
//! that is not packed.

use std::io;

use super::raw::{BUFFER, RawInput};
use super::zstd;

/// The first bytes of a deflated gzip member. All gzip members are deflated.
pub(super) const GZIP: [u8; 3] = [0x1F, 0x8B, 0x08];

/// The packing of an input.
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
        // Lines of JSON are not waited for. For anything else this many bytes were looked at
        // before.
        let is_text = |bytes: &[u8]| {
            bytes
                .iter()
                .all(|b| *b >= 0x80 || b.is_ascii_graphic() || b.is_ascii_whitespace())
        };
        if start.starts_with(b"{") || is_text(raw.peek(512)?) {
            return Ok(Self::None);
        }
        // This is junk, or a damaged first member; or an archive that is not packed, with a body
        // that is.
        let look = raw.peek(BUFFER)?;
        let begins = |magic: &[u8]| {
            look.iter().zip(magic).filter(|(a, b)| a == b).count() + 1 == magic.len()
        };
        let at = |what: &[u8]| memchr::memmem::find(look, what).unwrap_or(usize::MAX);
        let plain = at(b"WARC/1.").min(at(b"HTTP/1.")).min(at(b"\n{\""));
        let place = |magic: &[u8]| if begins(magic) { 0 } else { at(magic) };
        let (gzip, zstd) = (place(&GZIP), place(&zstd::MAGIC));
        Ok(match gzip.min(zstd) {
            usize::MAX => Self::None,
            first if first > plain => Self::None,
            first if first == gzip => Self::Gzip,
            _ => Self::Zstd,
        })
    }

    /// The name of the packing, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}
