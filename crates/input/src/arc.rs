//! Parses the headers of ARC records, versions 1 and 2: the Internet Archive's format from before
//! WARC (archive.org/web/researcher/ArcFileFormat.php).
//!
//! The header of an ARC record is one line: URL, IP address, date, content type, in version 2 more
//! fields, and length. URLs in old files contain blanks, so the end of the URL is found by the
//! address and date after it. Every record of an `http` URL is an HTTP response. A header whose
//! length cannot be read begins a record all the same, so that the damage is that record's alone.

use std::io;
use std::ops::Range;
use std::time::SystemTime;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, size};

use super::head::{ArchiveRecordKind, LARGEST_HEAD, RecordHead, bad};
use super::robots::is_site_file;
use super::source::ByteSource;

/// First bytes of the ARC record that describes the archive file itself.
pub(super) const FIRST: &[u8] = b"filedesc:";

/// URL schemes with which an ARC record may begin. Without this list, a record could seem to begin
/// in the middle of a scheme, for example at `ps:` in `https:`.
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

/// True if `bytes` look like the beginning of an ARC record.
pub(super) fn is_start(bytes: &[u8]) -> bool {
    has_scheme(bytes)
        && match memchr::memchr(b'\n', bytes) {
            Some(end) => fields(&bytes[..end]).is_some(),
            None => site_file(bytes).is_some(),
        }
}

/// Returns the URL at the beginning of an ARC header line, if it is the URL of a site file
/// (robots.txt or tdmrep.json). `None` for any other URL. The line may be truncated or invalid.
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

/// True if a line is the header of an ARC record with an `http` or `https` URL.
pub(super) fn begins(line: &[u8]) -> bool {
    line.starts_with(b"http")
        && line.len() <= LARGEST_HEAD
        && fields(line).is_some_and(|fields| fields.length.is_some())
}

/// Parses the header of an ARC record into `head`. If the header cannot be parsed but begins with
/// the URL of a robots.txt, `head` gets that URL. The caller then treats the robots.txt as
/// forbidding everything.
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
        // The content type in the line is that of the HTTP body; the record itself is an HTTP
        // message.
        content_type: "application/http".to_owned(),
        length: fields.length,
        captured: date(&fields.date),
        ..RecordHead::default()
    };
    Ok(Ok(()))
}

struct ArcFields {
    url: String,
    date: String,
    /// Length of the content in bytes. `None` if it cannot be read.
    length: Option<u64>,
}

fn fields(line: &[u8]) -> Option<ArcFields> {
    let line = String::from_utf8_lossy(line);
    let parts: Vec<&str> = line.trim_end().split(' ').collect();
    let at = (2..parts.len()).find(|at| is_date(parts[*at]) && is_address(parts[at - 1]))?;
    if parts.len() <= at + 2 {
        return None;
    }
    let length = parts.last()?.parse().ok();
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

/// Parses the date of an ARC record: `YYYYMMDDhhmmss`, or `YYYYMMDDhhmm`.
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

/// Returns the digits of a date in `range`, or `00` if there are too few digits.
fn part(digits: &str, range: Range<usize>) -> &str {
    digits.get(range).unwrap_or("00")
}
