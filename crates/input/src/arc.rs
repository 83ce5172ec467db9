//! Reads the heads of ARC records, 1 and 2: the format of the Internet Archive before WARC
//! (archive.org/web/researcher/ArcFileFormat.php).
//!
//! A head is one line: URL, IP address, date, content type, in version 2 more, and length. Old URLs
//! hold blanks, so the date and the address before it show where the URL ends. Every record of the
//! web is an HTTP response.

use std::io;
use std::ops::Range;
use std::time::SystemTime;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, size};

use super::head::{ArchiveRecordKind, LARGEST_HEAD, RecordHead, bad};
use super::robots::is_site_file;
use super::source::ByteSource;

/// The bytes with which the record that describes the file begins.
pub(super) const FIRST: &[u8] = b"filedesc:";

/// The schemes with which a URL may begin. The rest of one, such as `ps:`, begins no record.
const SCHEMES: [&[u8]; 14] = [
    b"http",
    b"https",
    b"ftp",
    b"ftps",
    b"dns",
    b"filedesc",
    b"whois",
    b"gopher",
    b"news",
    b"nntp",
    b"mailto",
    b"file",
    b"telnet",
    b"metadata",
];

fn has_scheme(bytes: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b':', &bytes[..bytes.len().min(17)]) else {
        return false;
    };
    let found = &bytes[..end];
    SCHEMES
        .iter()
        .any(|scheme| scheme.eq_ignore_ascii_case(found))
}

/// True if a record may begin with these bytes.
pub(super) fn is_start(bytes: &[u8]) -> bool {
    has_scheme(bytes)
        && match memchr::memchr(b'\n', bytes) {
            Some(end) => fields(&bytes[..end]).is_some(),
            None => site_file(bytes).is_some(),
        }
}

/// The URL of a site's file about its pages, if a line begins with one. For a line that is no head,
/// or is cut off.
fn site_file(line: &[u8]) -> Option<String> {
    let first = line.split(u8::is_ascii_whitespace).next()?;
    if first.len() > LARGEST_HEAD {
        return None;
    }
    let url = String::from_utf8_lossy(first);
    if is_site_file(&url) {
        Some(url.into_owned())
    } else {
        None
    }
}

/// True if a line is the head of a record of the web.
pub(super) fn begins(line: &[u8]) -> bool {
    line.starts_with(b"http") && line.len() <= LARGEST_HEAD && fields(line).is_some()
}

/// Reads a head. If it cannot be read, it holds the URL of a robots.txt that it begins with, which
/// may forbid anything.
pub(super) fn head(
    source: &mut ByteSource,
    limits: &Limits,
    head: &mut RecordHead,
) -> io::Result<Result<(), Error>> {
    let line = source.line(size(limits.head_bytes))?.unwrap_or_default();
    let fields = if has_scheme(&line) {
        fields(&line)
    } else {
        None
    };
    let Some(fields) = fields else {
        head.target = site_file(&line);
        if head.target.is_some() {
            head.kind = ArchiveRecordKind::Unknown;
        }
        return Ok(Err(bad("what should be a record does not begin like one")));
    };
    let is_file = line.starts_with(FIRST);
    *head = RecordHead {
        kind: if is_file {
            ArchiveRecordKind::Other
        } else {
            ArchiveRecordKind::Response
        },
        target: Some(fields.url),
        // A record of any content type comes with its HTTP head.
        content_type: "application/http".to_owned(),
        length: Some(fields.length),
        captured: date(&fields.date),
        ..RecordHead::default()
    };
    Ok(Ok(()))
}

struct ArcFields {
    url: String,
    date: String,
    length: u64,
}

fn fields(line: &[u8]) -> Option<ArcFields> {
    let line = String::from_utf8_lossy(line);
    let parts: Vec<&str> = line.trim_end().split(' ').collect();
    let at = (2..parts.len()).find(|at| is_date(parts[*at]) && is_address(parts[at - 1]))?;
    if parts.len() <= at + 2 {
        return None;
    }
    let length = parts.last()?.parse().ok()?;
    Some(ArcFields {
        url: parts[..at - 1].join(" "),
        date: parts[at].to_owned(),
        length,
    })
}

fn is_date(text: &str) -> bool {
    (12..=17).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_address(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_hexdigit() || b".:-".contains(&b))
}

/// Parses `YYYYMMDDhhmmss`, or the same without the seconds.
fn date(digits: &str) -> Option<SystemTime> {
    let text = format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(digits, 0..4),
        part(digits, 4..6),
        part(digits, 6..8),
        part(digits, 8..10),
        part(digits, 10..12),
        part(digits, 12..14)
    );
    text.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
}

/// The digits in a range, or zeros if there are too few.
fn part(digits: &str, range: Range<usize>) -> &str {
    digits.get(range).unwrap_or("00")
}
