//! Snapshots and texts as WARC 1.1 records, plain or a gzip member each (ISO 28500:2017). Exports
//! and indexes have them.
//!
//! Both are a `conversion` of a page, whose target is the page's URL. Equal pages give equal bytes:
//! a record's identifier is made of its content, and the caller gives its date. The fields of a
//! record are never taken from the page: a text's denials are names of uses.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::time::SystemTime;

use data_encoding::BASE32;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};

use crate::date::rfc3339;
use crate::error::{Error, ErrorKind, Result};

/// Writes records to `out`.
#[derive(Debug)]
pub struct WarcWriter<W> {
    out: W,
    is_gzip: bool,
    date: String,
    length: u64,
}

impl<W: Write> WarcWriter<W> {
    /// Begins with a `warcinfo` record. All records bear `date`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn new(out: W, is_gzip: bool, date: SystemTime) -> Result<Self> {
        let mut writer = Self::resume(out, is_gzip, date);
        let info = concat!(
            "software: heedful ",
            env!("CARGO_PKG_VERSION"),
            "\r\nformat: WARC File Format 1.1\r\n"
        );
        writer.record("warcinfo", "", "application/warc-fields", info.as_bytes())?;
        Ok(writer)
    }

    /// Begins without a `warcinfo` record, for output that already has one.
    pub fn resume(out: W, is_gzip: bool, date: SystemTime) -> Self {
        Self {
            out,
            is_gzip,
            date: whole_seconds(date),
            length: 0,
        }
    }

    /// The number of bytes written.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Writes the snapshot of the page at `url`, in UTF-8. Returns the number of bytes of its
    /// record.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn snapshot(&mut self, url: &str, html: &str) -> Result<u64> {
        self.record(
            "conversion",
            &target(url),
            "text/html; charset=utf-8",
            html.as_bytes(),
        )
    }

    /// Writes the text of the page at `url`, as WET files have it: one phrase a line. Returns the
    /// number of bytes of its record.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn text(&mut self, url: &str, text: &str, about: &RecordInfo<'_>) -> Result<u64> {
        // Readers that find no such field guess the type from the text.
        let mut fields = format!(
            "{}WARC-Identified-Payload-Type: text/plain\r\n",
            target(url)
        );
        if let Some(record) = about.record
            && !record.contains(char::is_control)
        {
            let _ = write!(fields, "WARC-Refers-To: {record}\r\n");
        }
        if !about.denied.is_empty() {
            let _ = write!(fields, "X-Heedful-Denied: {}\r\n", about.denied.join(", "));
        }
        self.record("conversion", &fields, "text/plain", text.as_bytes())
    }

    /// Writes a record. `fields` are whole lines.
    fn record(
        &mut self,
        kind: &str,
        fields: &str,
        content_type: &str,
        block: &[u8],
    ) -> Result<u64> {
        let digest = Sha1::digest(block);
        let id = Sha1::new()
            .chain_update(kind)
            .chain_update(fields)
            .chain_update(digest)
            .finalize();
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{}>\r\nWARC-Date: {}\r\n{fields}\
             WARC-Block-Digest: sha1:{}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
            uuid(&id),
            self.date,
            BASE32.encode(&digest),
            block.len()
        );
        let parts = [head.as_bytes(), block, b"\r\n\r\n"];
        let length = if self.is_gzip {
            self.member(&parts)
        } else {
            self.plain(&parts)
        };
        let length = length.map_err(unwritten)? as u64;
        self.length += length;
        Ok(length)
    }

    fn plain(&mut self, parts: &[&[u8]]) -> io::Result<usize> {
        let mut length = 0;
        for part in parts {
            self.out.write_all(part)?;
            length += part.len();
        }
        Ok(length)
    }

    fn member(&mut self, parts: &[&[u8]]) -> io::Result<usize> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        for part in parts {
            encoder.write_all(part)?;
        }
        let member = encoder.finish()?;
        self.out.write_all(&member)?;
        Ok(member.len())
    }

    /// Flushes the output and returns it.
    ///
    /// # Errors
    /// Fails if it cannot be flushed.
    pub fn finish(mut self) -> Result<W> {
        self.out.flush().map_err(unwritten)?;
        Ok(self.out)
    }

    /// Copies a member that another writer made, unchanged. Returns its number of bytes.
    pub fn copy(&mut self, member: &[u8]) -> Result<u64> {
        self.out.write_all(member).map_err(unwritten)?;
        self.length += member.len() as u64;
        Ok(member.len() as u64)
    }
}

/// Further fields of a text's record.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordInfo<'a> {
    /// The identifier of the record that the page was read from, as it is written there.
    pub record: Option<&'a str>,
    /// The uses that the page denies, as a whole or for a part of its text.
    pub denied: &'a [&'a str],
}

fn target(url: &str) -> String {
    format!("WARC-Target-URI: {url}\r\n")
}

/// A WARC's dates have whole seconds.
fn whole_seconds(date: SystemTime) -> String {
    let text = rfc3339(date).unwrap_or_default();
    match text.split(['.', 'Z']).next() {
        Some(seconds) => format!("{seconds}Z"),
        None => String::new(),
    }
}

/// Reads a snapshot's record: the page's URL and its text. Returns None if the record is not whole.
pub fn read(member: &[u8]) -> Option<(String, String)> {
    let mut record = Vec::new();
    GzDecoder::new(member).read_to_end(&mut record).ok()?;
    let end = memchr::memmem::find(&record, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&record[..end]).ok()?;
    let block = record.get(end + 4..)?.strip_suffix(b"\r\n\r\n")?;
    let digest = format!("sha1:{}", BASE32.encode(&Sha1::digest(block)));
    if field(head, "WARC-Block-Digest")? != digest {
        return None;
    }
    let url = field(head, "WARC-Target-URI")?.to_owned();
    let text = String::from_utf8(block.to_vec()).ok()?;
    Some((url, text))
}

/// The value of a field in a record's head.
fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

fn unwritten(source: io::Error) -> Error {
    ErrorKind::Io {
        what: "the WARC".to_owned(),
        source,
    }
    .into()
}

/// Makes a UUID of the version for names (RFC 9562, section 5.5).
fn uuid(hash: &[u8]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    bytes[6] = bytes[6] & 0x0F | 0x50;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let hex = data_encoding::HEXLOWER.encode(&bytes);
    [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ]
    .join("-")
}
