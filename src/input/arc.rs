//! Reads the heads of ARC records, 1 and 2: the format of the Internet Archive before WARC
//! (archive.org/web/researcher/ArcFileFormat.php).
//!
//! A head is one line: URL, IP address, date, content type, in version 2 more, and length. Old URLs hold blanks, so the
//! date and the address before it show where the URL ends. Every record of the web is an HTTP response.

use std::io;
use std::time::SystemTime;

use crate::error::Error;
use crate::limits::{Limits, size};

use super::head::{Head, LARGEST_HEAD, RecordKind, bad};
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
    let end = bytes.iter().take(17).position(|b| *b == b':');
    end.is_some_and(|end| SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(&bytes[..end])))
}

/// True if a record may begin with these bytes.
pub(super) fn is_start(bytes: &[u8]) -> bool {
    has_scheme(bytes) && memchr::memchr(b'\n', bytes).is_some_and(|end| fields(&bytes[..end]).is_some())
}

/// True if a line is the head of a record of the web.
pub(super) fn begins(line: &[u8]) -> bool {
    line.starts_with(b"http") && line.len() <= LARGEST_HEAD && fields(line).is_some()
}

pub(super) fn head(source: &mut ByteSource, limits: &Limits) -> io::Result<Result<Head, Error>> {
    let line = source.line(size(limits.head_bytes))?.unwrap_or_default();
    let Some(fields) = fields(&line).filter(|_| has_scheme(&line)) else {
        return Ok(Err(bad("what should be a record does not begin like one")));
    };
    let is_file = line.starts_with(FIRST);
    Ok(Ok(Head {
        kind: if is_file { RecordKind::Other } else { RecordKind::Response },
        target: Some(fields.url),
        // A record of any content type comes with its HTTP head.
        content_type: "application/http".to_owned(),
        length: Some(fields.length),
        captured: date(&fields.date),
        ..Head::default()
    }))
}

struct Fields {
    url: String,
    date: String,
    length: u64,
}

fn fields(line: &[u8]) -> Option<Fields> {
    let line = String::from_utf8_lossy(line);
    let parts: Vec<&str> = line.trim_end().split(' ').collect();
    let at = (2..parts.len()).find(|at| is_date(parts[*at]) && is_address(parts[at - 1]))?;
    let length = parts.last().filter(|_| parts.len() > at + 2)?.parse().ok()?;
    Some(Fields { url: parts[..at - 1].join(" "), date: parts[at].to_owned(), length })
}

fn is_date(text: &str) -> bool {
    (12..=17).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_address(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit() || b".:-".contains(&b))
}

/// Parses `YYYYMMDDhhmmss`, or the same without the seconds.
fn date(digits: &str) -> Option<SystemTime> {
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("00");
    let text =
        format!("{}-{}-{}T{}:{}:{}Z", part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 12), part(12, 14));
    text.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
}
