//! Snapshots as WARC 1.1 records, plain or a gzip member each (ISO 28500:2017).
//!
//! A snapshot is a `conversion` of a page: its target is the page's URL. The same pages give the same bytes: a record's
//! identifier is made of its content, and its date is given by the caller.

use std::io::{self, Write};
use std::time::SystemTime;

use data_encoding::BASE32;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};

use crate::error::{ErrorKind, Result};
use crate::json::rfc3339;

/// Writes records to `out`.
#[derive(Debug)]
pub struct WarcWriter<W> {
    out: W,
    is_gzip: bool,
    date: String,
}

impl<W: Write> WarcWriter<W> {
    /// Begins with a `warcinfo` record. All records bear `date`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(out: W, is_gzip: bool, date: SystemTime) -> Result<Self> {
        // A WARC's dates have whole seconds.
        let text = rfc3339(date).unwrap_or_default();
        let date = text.split(['.', 'Z']).next().map(|seconds| format!("{seconds}Z")).unwrap_or_default();
        let mut writer = Self { out, is_gzip, date };
        let info = concat!("software: heedful ", env!("CARGO_PKG_VERSION"), "\r\nformat: WARC File Format 1.1\r\n");
        writer.record("warcinfo", None, "application/warc-fields", info.as_bytes())?;
        Ok(writer)
    }

    /// The snapshot of the page at `url`, in UTF-8.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn snapshot(&mut self, url: &str, html: &str) -> Result<()> {
        self.record("conversion", Some(url), "text/html; charset=utf-8", html.as_bytes())
    }

    fn record(&mut self, kind: &str, url: Option<&str>, content_type: &str, block: &[u8]) -> Result<()> {
        let digest = Sha1::digest(block);
        let id = Sha1::new().chain_update(kind).chain_update(url.unwrap_or_default()).chain_update(digest).finalize();
        let target = url.map(|url| format!("WARC-Target-URI: {url}\r\n")).unwrap_or_default();
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{}>\r\nWARC-Date: {}\r\n{target}\
             WARC-Block-Digest: sha1:{}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            uuid(&id),
            self.date,
            BASE32.encode(&digest),
            block.len()
        );
        let parts = [head.as_bytes(), block, b"\r\n\r\n"];
        let written = match self.is_gzip {
            true => self.member(&parts),
            false => parts.iter().try_for_each(|part| self.out.write_all(part)),
        };
        written.map_err(|source| ErrorKind::Io { what: "the WARC".to_owned(), source }.into())
    }

    fn member(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let mut encoder = GzEncoder::new(&mut self.out, Compression::default());
        parts.iter().try_for_each(|part| encoder.write_all(part))?;
        encoder.finish().map(|_| ())
    }

    /// What was written to, flushed.
    ///
    /// # Errors
    /// When it cannot be flushed.
    pub fn finish(mut self) -> Result<W> {
        self.out.flush().map_err(|source| ErrorKind::Io { what: "the WARC".to_owned(), source })?;
        Ok(self.out)
    }
}

/// A UUID of the version for names (RFC 9562, section 5.5).
fn uuid(hash: &[u8]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    bytes[6] = bytes[6] & 0x0F | 0x50;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let hex = data_encoding::HEXLOWER.encode(&bytes);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
