//! Removes the content codings of a body: gzip, deflate, brotli.
//!
//! A content coding is removed only where the body really has it, because archives often keep the
//! header and not the coding. gzip is removed even without a header. A body whose end is missing is
//! an error, unless the record of the body declares the body truncated. zstd, and unknown codings,
//! are errors.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};

use heedful_base::error::Error;

use super::head::bad;
use super::magic::looks_like_html;
use super::terms::UnpackBudget;
use super::zstd;

/// First two bytes of gzip data (RFC 1952).
const GZIP: &[u8] = &[0x1F, 0x8B];
/// Length in bytes up to which compressed data may look like text. Compressed data of this length
/// may by chance contain no control characters. So data of at most this length counts as text only
/// if it is valid UTF-8.
const SHORT: usize = 128;

/// True if the bytes begin like gzip.
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP)
}

/// Returns the body of a page, unpacked if it begins like gzip. A page itself is text, and no text
/// begins like gzip. So the first bytes decide, even if no header declares gzip. Returns an error
/// if the unpacked body is larger than `room` allows. `is_cut` is true if the body is declared
/// truncated, as in [`unpack`].
pub(super) fn of_page<'a>(
    body: Cow<'a, [u8]>,
    room: &UnpackBudget<'_>,
    is_cut: bool,
) -> Result<Cow<'a, [u8]>, Error> {
    let plain = if is_gzip(&body) {
        unpack("gzip", &body, room, is_cut)?
    } else {
        None
    };
    Ok(plain.map_or(body, Cow::Owned))
}

/// Removes the content coding (compression) `coding` from a body. Returns `None` if the body does
/// not have this coding, even if a header declares it. For gzip, zlib and zstd, the first bytes of
/// the body decide. For other codings, a body that looks like HTML or text does not have the
/// coding.
///
/// Returns an error if the body cannot be unpacked, or is larger than `room` allows. An unknown
/// coding is also an error, unless the body looks like HTML or text. If the body is declared
/// truncated (`is_cut`), returns the bytes before the break.
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

/// An `io::Read` that fails with `UnexpectedEof`. Chained after a compressed body, it turns a
/// missing end of the body into an error.
struct Break;

impl Read for Break {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

/// Reads all bytes of `reader`. Returns an error if there are more bytes than `room` allows. Only
/// one excess byte is then read. If `is_cut` is true, data that ends too early is no error, unless
/// no byte was read.
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

/// True if the bytes begin with a zlib header (RFC 1950).
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if first & 15 == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

/// True if the bytes look like text in some charset. Only the first 512 bytes are checked. They
/// must not contain control characters except white space and ESC, which ISO-2022-JP text contains.
/// Compressed data contains other control characters unless the data is very short. So if there are
/// at most [`SHORT`] bytes, they must also be valid UTF-8.
fn is_text(bytes: &[u8]) -> bool {
    const ESC: u8 = 0x1B;
    let start = &bytes[..bytes.len().min(512)];
    let is_plain = |b: &u8| !b.is_ascii_control() || b.is_ascii_whitespace() || *b == ESC;
    start.iter().all(is_plain) && (start.len() > SHORT || std::str::from_utf8(start).is_ok())
}
