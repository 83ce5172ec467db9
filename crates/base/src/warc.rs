//! Writes snapshots and texts of pages as WARC 1.1 records (ISO 28500:2017), for exports and
//! indexes. Each record is uncompressed, or is a gzip member of its own.
//!
//! A snapshot or text is a `conversion` record, whose target URI is the page's URL. Equal pages
//! give equal bytes: a record's identifier is computed from its content, and the caller gives its
//! date. No header field of a record has text of the page. The field `X-Heedful-Denied` has only
//! names of uses.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::time::SystemTime;

use data_encoding::BASE32;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha1::{Digest, Sha1};
use url::Url;

use crate::date::rfc3339;
use crate::error::{Error, ErrorKind, Result};

/// Writer of snapshots and texts of pages as WARC records.
///
/// # Examples
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_base::warc::WarcWriter;
///
/// let mut writer = WarcWriter::new(Vec::new(), false, SystemTime::UNIX_EPOCH)?;
/// writer.snapshot("https://site.example/", "<p>Rye")?;
/// let bytes = writer.finish()?;
///
/// let text = String::from_utf8(bytes).unwrap();
/// assert!(text.starts_with("WARC/1.1\r\nWARC-Type: warcinfo\r\n"));
/// assert!(text.contains("WARC-Target-URI: https://site.example/\r\n"));
/// assert!(text.ends_with("\r\n\r\n<p>Rye\r\n\r\n"));
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Debug)]
pub struct WarcWriter<W> {
    out: W,
    is_gzip: bool,
    date: String,
    length: u64,
}

impl<W: Write> WarcWriter<W> {
    /// Writes a `warcinfo` record to `out`, and returns a writer that appends to it. All records
    /// have the date `date`. With `is_gzip`, each record is a gzip member.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the `warcinfo` record cannot be written to `out`.
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

    /// Returns a writer that appends records to `out`. It writes no `warcinfo` record, because
    /// `out` already has one. All records have the date `date`. With `is_gzip`, each record is a
    /// gzip member.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_base::warc::WarcWriter;
    ///
    /// let (date, bytes) = (SystemTime::UNIX_EPOCH, Vec::new());
    /// let mut first = WarcWriter::new(bytes, true, date)?;
    /// first.snapshot("https://site.example/1", "<p>Rye")?;
    /// let length = first.length();
    ///
    /// let mut next = WarcWriter::resume(first.finish()?, true, date);
    /// next.snapshot("https://site.example/2", "<p>Wheat")?;
    /// assert_eq!(next.length() + length, next.finish()?.len() as u64);
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn resume(out: W, is_gzip: bool, date: SystemTime) -> Self {
        Self {
            out,
            is_gzip,
            date: whole_seconds(date),
            length: 0,
        }
    }

    /// Number of bytes that this writer has written. Bytes that the output had before are not
    /// counted.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Writes a `conversion` record with `html`, the snapshot of the page at `url`, in UTF-8.
    /// Returns the number of bytes written.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the output cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_base::warc::WarcWriter;
    ///
    /// let mut writer = WarcWriter::resume(Vec::new(), false, SystemTime::UNIX_EPOCH);
    /// let length = writer.snapshot("https://site.example/", "<p>Rye")?;
    /// let record = writer.finish()?;
    /// assert_eq!(record.len() as u64, length);
    /// assert!(record.ends_with(b"\r\n\r\n<p>Rye\r\n\r\n"));
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn snapshot(&mut self, url: &str, html: &str) -> Result<u64> {
        self.record(
            "conversion",
            &target(url),
            "text/html; charset=utf-8",
            html.as_bytes(),
        )
    }

    /// Writes a `conversion` record with `text`, the text of the page at `url`. In `text`, each
    /// line is one phrase, as in WET files. Returns the number of bytes written.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the output cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_base::warc::{RecordInfo, WarcWriter};
    ///
    /// let mut writer = WarcWriter::resume(Vec::new(), false, SystemTime::UNIX_EPOCH);
    /// let info = RecordInfo { record: Some("<urn:uuid:1>"), denied: &["train"] };
    /// writer.text("https://site.example/", "Rye\nWheat\n", &info)?;
    ///
    /// let record = String::from_utf8(writer.finish()?).unwrap();
    /// assert!(record.contains("WARC-Refers-To: <urn:uuid:1>\r\n"));
    /// assert!(record.contains("X-Heedful-Denied: train\r\n"));
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn text(&mut self, url: &str, text: &str, about: &RecordInfo<'_>) -> Result<u64> {
        // Without this field, readers guess the type from the text.
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

    /// Writes a record of the WARC type `kind` with the content `block`. `fields` are further
    /// header lines of the record, each with its line end. Returns the number of bytes written.
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

    /// Writes `parts` to the output uncompressed, and returns the number of bytes written.
    fn plain(&mut self, parts: &[&[u8]]) -> io::Result<usize> {
        let mut length = 0;
        for part in parts {
            self.out.write_all(part)?;
            length += part.len();
        }
        Ok(length)
    }

    /// Writes `parts` to the output as one gzip member, and returns its length in bytes.
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
    /// [`ErrorKind::Io`] if the output cannot be flushed.
    pub fn finish(mut self) -> Result<W> {
        self.out.flush().map_err(unwritten)?;
        Ok(self.out)
    }

    /// Appends the gzip member `member`, which another writer made, without changes. Returns its
    /// length in bytes.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the output cannot be written.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_base::warc::WarcWriter;
    ///
    /// let open = || WarcWriter::resume(Vec::new(), true, SystemTime::UNIX_EPOCH);
    /// let mut source = open();
    /// source.snapshot("https://site.example/", "<p>Rye")?;
    /// let member = source.finish()?;
    ///
    /// let mut copy = open();
    /// copy.copy(&member)?;
    /// assert_eq!(copy.finish()?, member);
    /// # Ok::<(), heedful_base::error::Error>(())
    /// ```
    pub fn copy(&mut self, member: &[u8]) -> Result<u64> {
        self.out.write_all(member).map_err(unwritten)?;
        self.length += member.len() as u64;
        Ok(member.len() as u64)
    }
}

/// Optional header fields of a WARC record with the text of a page, for [`WarcWriter::text`].
///
/// # Examples
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_base::warc::{RecordInfo, WarcWriter};
///
/// let mut writer = WarcWriter::resume(Vec::new(), false, SystemTime::UNIX_EPOCH);
/// writer.text("https://site.example/", "Rye\n", &RecordInfo::default())?;
/// let record = String::from_utf8(writer.finish()?).unwrap();
/// assert!(!record.contains("WARC-Refers-To") && !record.contains("X-Heedful-Denied"));
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordInfo<'a> {
    /// `WARC-Record-ID` of the archive record from which the page was read, with its angle
    /// brackets. If it has a control character, the field `WARC-Refers-To` is left out.
    pub record: Option<&'a str>,
    /// Names of the uses that are denied, such as `train`. Uses that are denied only for a part of
    /// the page's text are included.
    pub denied: &'a [&'a str],
}

/// Returns the header line `WARC-Target-URI` for the URL of a page, with its line end.
fn target(url: &str) -> String {
    format!("WARC-Target-URI: {url}\r\n")
}

/// Returns the URL `url` as a URI (RFC 3986), because a `WARC-Target-URI` must be a URI (ISO 28500,
/// section 5.11). A URL with a host is not changed. A URL with an opaque path (`foo:bar baz`) may
/// have characters that are not allowed in a URI. These are percent-encoded.
///
/// Exports of snapshots and texts call this function. The index does not, because it finds a page
/// by the exact URL in the record.
///
/// # Examples
///
/// ```
/// use heedful_base::warc::target_uri;
///
/// assert_eq!(target_uri("https://site.example/a?b|c"), "https://site.example/a?b|c");
/// assert_eq!(target_uri("foo:bar baz\u{e4}%20"), "foo:bar%20baz%C3%A4%20");
/// ```
pub fn target_uri(url: &str) -> Cow<'_, str> {
    let is_allowed =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let is_opaque = Url::parse(url).is_ok_and(|url| url.cannot_be_a_base());
    if !is_opaque || url.bytes().all(is_allowed) {
        return Cow::Borrowed(url);
    }
    let mut uri = String::with_capacity(url.len());
    for byte in url.bytes() {
        if is_allowed(byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    Cow::Owned(uri)
}

/// Formats `date` by RFC 3339 without a fraction of a second, as WARC 1.1 records need it.
fn whole_seconds(date: SystemTime) -> String {
    let text = rfc3339(date).unwrap_or_default();
    match text.split(['.', 'Z']).next() {
        Some(seconds) => format!("{seconds}Z"),
        None => String::new(),
    }
}

/// Parses `member`, a gzip member with the WARC record of a snapshot. Returns the page's URL and
/// the snapshot's HTML. Returns `None` if the record is truncated or its block does not match its
/// digest.
///
/// # Examples
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_base::warc::{WarcWriter, read};
///
/// let mut writer = WarcWriter::resume(Vec::new(), true, SystemTime::UNIX_EPOCH);
/// writer.snapshot("https://site.example/", "<p>Rye")?;
/// let member = writer.finish()?;
///
/// let page = Some(("https://site.example/".to_owned(), "<p>Rye".to_owned()));
/// assert_eq!(read(&member), page);
/// assert_eq!(read(&member[..member.len() / 2]), None);
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
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

/// Returns the page's URL from `member`, a gzip member with the WARC record of a snapshot. Only the
/// header of the record is decompressed, so the rest of the record may be damaged. Returns `None`
/// if the header is damaged or longer than 64 KiB.
///
/// # Examples
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_base::warc::{WarcWriter, read_url};
///
/// let mut writer = WarcWriter::resume(Vec::new(), true, SystemTime::UNIX_EPOCH);
/// writer.snapshot("https://site.example/", "<p>Rye")?;
/// let member = writer.finish()?;
///
/// assert_eq!(read_url(&member).as_deref(), Some("https://site.example/"));
/// assert_eq!(read_url(&member[..20]), None);
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
pub fn read_url(member: &[u8]) -> Option<String> {
    let mut decoder = GzDecoder::new(member);
    let mut record = Vec::new();
    loop {
        let part = (&mut decoder)
            .take(HEAD_PART)
            .read_to_end(&mut record)
            .ok()?;
        if let Some(end) = memchr::memmem::find(&record, b"\r\n\r\n") {
            let head = std::str::from_utf8(&record[..end]).ok()?;
            return field(head, "WARC-Target-URI").map(str::to_owned);
        }
        if part == 0 || record.len() >= MOST_OF_A_HEAD {
            return None;
        }
    }
}

/// Number of bytes of a record that [`read_url`] decompresses in one step. The steps are repeated
/// until the end of the record's header is found.
const HEAD_PART: u64 = 1 << 10;
/// Maximum number of bytes of a record in which [`read_url`] searches for the end of the header.
const MOST_OF_A_HEAD: usize = 64 << 10;

/// Finds the header field `name` in `head`, the header lines of a WARC record. Returns the value of
/// the field, or `None` if the header has no field of this name.
fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Converts `source`, an I/O error of the output, to an [`ErrorKind::Io`] about the WARC file.
fn unwritten(source: io::Error) -> Error {
    ErrorKind::Io {
        subject: "the WARC".to_owned(),
        source,
    }
    .into()
}

/// Formats the first 16 bytes of `hash` as a name-based UUID of version 5 (RFC 9562, section 5.5).
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
