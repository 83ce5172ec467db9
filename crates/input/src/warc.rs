//! Parses the headers of WARC records, versions 1.0 and 1.1 (ISO 28500:2017).
//!
//! Pages are the `response` records with HTTP, and the `resource` records that are HTML. A
//! `revisit` record notes that a page is unchanged. Requests and metadata are skipped, and a record
//! of an unknown type is damage. A record in several segments becomes a page whose end is missing.
//! A date without a time zone is interpreted as UTC.

use std::io;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use heedful_base::error::Error;
use heedful_base::limits::{Limits, exceeded, size as length};

use super::head::{ArchiveRecordKind, RecordHead, bad};
use super::robots::is_site_file;
use super::source::ByteSource;

/// True if `bytes` look like the beginning of a WARC record.
pub(super) fn is_start(bytes: &[u8]) -> bool {
    bytes.starts_with(b"WARC/")
}

/// Parses the header of a WARC record into `head`. If a line is broken, `head` has the fields from
/// the lines before it.
pub(super) fn head(
    source: &mut ByteSource,
    limits: &Limits,
    head: &mut RecordHead,
) -> io::Result<Result<(), Error>> {
    let most = length(limits.head_bytes);
    let version = source.line(most)?.unwrap_or_default();
    if !is_start(&version) {
        return Ok(Err(bad("what should be a record does not begin like one")));
    }
    let mut fields = WarcFields::default();
    let read = fields.read(source, version.len(), most, limits);
    *head = fields.head();
    read
}

/// Fields of a WARC record's header as names (in lower case) and values; continuation lines are
/// joined.
#[derive(Default)]
struct WarcFields(Vec<(String, String)>);

impl WarcFields {
    /// Parses the header lines of a record, up to the blank line. The whole header may have `most`
    /// bytes. `size` is the number of header bytes that were already read. The inner error is for a
    /// header that is too long or incomplete.
    fn read(
        &mut self,
        source: &mut ByteSource,
        mut size: usize,
        most: usize,
        limits: &Limits,
    ) -> io::Result<Result<(), Error>> {
        loop {
            let Some(line) = source.line(most)? else {
                return Ok(Err(bad("a record that is cut off in its head")));
            };
            size += line.len();
            // A truncated line may hold a truncated, and so a different, URL. That of a robots.txt
            // is used all the same: the only effect of a broken record for it is a denial.
            if line.ends_with(b"\n") || is_of_site_file(&line) {
                self.add(&line);
            }
            if size > most {
                return Ok(Err(exceeded("head_bytes", limits)));
            }
            if line.trim_ascii().is_empty() {
                return Ok(Ok(()));
            }
        }
    }

    fn add(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if line.starts_with([' ', '\t'])
            && let Some((_, value)) = self.0.last_mut()
        {
            value.push(' ');
            value.push_str(line.trim());
        } else if let Some((name, value)) = line.split_once(':') {
            self.0
                .push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(n, _)| n == name)?;
        Some(value)
    }

    fn target(&self) -> Option<&str> {
        Some(self.value("warc-target-uri")?.trim_matches(['<', '>']))
    }

    fn head(&self) -> RecordHead {
        let is_segment = self
            .value("warc-segment-number")
            .is_some_and(|number| number != "0");
        RecordHead {
            kind: kind(self.value("warc-type").unwrap_or_default()),
            target: self.target().map(str::to_owned),
            content_type: self
                .value("content-type")
                .unwrap_or_default()
                .to_ascii_lowercase(),
            length: self
                .value("content-length")
                .and_then(|length| length.parse().ok()),
            captured: self.value("warc-date").and_then(date),
            id: self.value("warc-record-id").map(str::to_owned),
            refers_to: self.value("warc-refers-to").map(str::to_owned),
            is_cut: is_segment || self.value("warc-truncated").is_some(),
            block_digest: self.value("warc-block-digest").map(str::to_owned),
            payload_digest: self.value("warc-payload-digest").map(str::to_owned),
        }
    }
}

/// True if a header line has the URL of a site file, such as robots.txt. The line may be truncated.
fn is_of_site_file(line: &[u8]) -> bool {
    let mut fields = WarcFields::default();
    fields.add(line);
    fields.target().is_some_and(is_site_file)
}

fn kind(text: &str) -> ArchiveRecordKind {
    match text.to_ascii_lowercase().as_str() {
        "response" => ArchiveRecordKind::Response,
        "resource" => ArchiveRecordKind::Resource,
        "revisit" => ArchiveRecordKind::Revisit,
        "request" | "metadata" | "conversion" | "continuation" | "warcinfo" => {
            ArchiveRecordKind::Other
        }
        _ => ArchiveRecordKind::Unknown,
    }
}

/// Parses the date of a WARC record, in the profile of ISO 8601 that WARC allows. A partial date is
/// interpreted as its first moment.
pub(super) fn date(text: &str) -> Option<SystemTime> {
    let whole = match text.len() {
        4 => format!("{text}-01-01T00:00:00Z"),
        7 => format!("{text}-01T00:00:00Z"),
        10 => format!("{text}T00:00:00Z"),
        _ => text.to_owned(),
    };
    if let Ok(date) = whole.parse::<Timestamp>() {
        return Some(date.into());
    }
    let date = whole.parse::<DateTime>().ok()?;
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_without_a_zone_is_in_utc() {
        let expected = date("2023-01-01T00:00:00Z");
        assert!(expected.is_some());
        for text in [
            "2023",
            "2023-01",
            "2023-01-01",
            "2023-01-01T00:00:00",
            "2023-01-01 00:00:00",
            "2023-01-01T00:00",
        ] {
            assert_eq!(date(text), expected, "{text}");
        }
        assert_eq!(
            date("2023-01-01T00:00:00.5"),
            date("2023-01-01T00:00:00.5Z")
        );
        assert_eq!(
            (date("yesterday"), date("2023-13-01T00:00:00")),
            (None, None)
        );
    }
}
