//! Codings of a body: gzip, deflate and brotli are undone only where they are really there, because
//! archives often keep the header and not the coding. Gzip is undone also where no header names
//! it. A body that breaks off is an error, unless it is known to be cut short.

use std::io::{self, ErrorKind, Read};

use heedful_base::error::Error;

use super::head::bad;
use super::magic::looks_like_html;
use super::terms::UnpackBudget;
use super::zstd;

/// The first bytes of gzip (RFC 1952).
const GZIP: &[u8] = &[0x1F, 0x8B];
/// Packed bytes shorter than this may have no control character by chance.
const SHORT: usize = 128;

/// True for bytes in gzip.
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP)
}

/// The body of a page, if there is room for it. No text begins like gzip, so a body that does is
/// unpacked, whatever its headers state. `is_cut` is as for [`unpack`].
pub(super) fn of_page(
    body: Vec<u8>,
    room: &UnpackBudget<'_>,
    is_cut: bool,
) -> Result<Vec<u8>, Error> {
    let plain = if is_gzip(&body) {
        unpack("gzip", &body, room, is_cut)?
    } else {
        None
    };
    Ok(plain.unwrap_or(body))
}

/// Undoes one coding. Returns None if the body is not in it, whatever its header states. Data
/// packed by gzip or zlib has first bytes of its own. No other packed body begins like a page or
/// like text. An unknown coding is an error, unless the body is plain. If it is known that the body
/// `is_cut`, what comes before the break is enough.
pub(super) fn unpack(
    coding: &str,
    bytes: &[u8],
    room: &UnpackBudget<'_>,
    is_cut: bool,
) -> Result<Option<Vec<u8>>, Error> {
    let begins = match coding {
        "gzip" | "x-gzip" => is_gzip(bytes),
        "deflate" => is_zlib(bytes),
        "zstd" => zstd::is_frame(bytes),
        _ => false,
    };
    if !begins && (looks_like_html(bytes) || is_cut && is_text(bytes)) {
        return Ok(None);
    }
    let read = match coding {
        "gzip" | "x-gzip" => read_all(flate2::bufread::MultiGzDecoder::new(bytes), room, is_cut),
        "deflate" => match read_all(flate2::bufread::ZlibDecoder::new(bytes), room, is_cut) {
            Err(error) if error.passed_limit().is_none() => {
                read_all(flate2::bufread::DeflateDecoder::new(bytes), room, is_cut)
            }
            read => read,
        },
        "br" => read_all(
            brotli::Decompressor::new(bytes.chain(Break), 4096),
            room,
            is_cut,
        ),
        _ => Err(bad("it is not known")),
    };
    match read {
        Ok(plain) => Ok(Some(plain)),
        Err(_) if !begins && is_text(bytes) => Ok(None),
        Err(error) if error.passed_limit().is_some() => Err(error),
        Err(error) => Err(bad(format!(
            "a body in the coding {coding} that cannot be unpacked ({error})"
        ))),
    }
}

/// The break after the bytes of a body. A reader that comes to it has found no end before.
struct Break;

impl Read for Break {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

/// Reads everything, if there is room. If there is none, it reads no more than one byte too many.
fn read_all(reader: impl Read, room: &UnpackBudget<'_>, is_cut: bool) -> Result<Vec<u8>, Error> {
    let mut plain = Vec::new();
    match reader
        .take(room.most.saturating_add(1))
        .read_to_end(&mut plain)
    {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof && is_cut && !plain.is_empty() => {}
        read => drop(read.map_err(|error| bad(error.to_string()))?),
    }
    room.check(plain.len() as u64)?;
    Ok(plain)
}

/// True for the head of zlib data (RFC 1950).
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

/// True if bytes are plain text in any character set. Packed data soon has control characters. ESC
/// occurs in texts too.
fn is_text(bytes: &[u8]) -> bool {
    const ESC: u8 = 0x1B;
    let start = &bytes[..bytes.len().min(512)];
    let is_plain = |b: &u8| !b.is_ascii_control() || b.is_ascii_whitespace() || *b == ESC;
    start.iter().all(is_plain) && (start.len() > SHORT || std::str::from_utf8(start).is_ok())
}
