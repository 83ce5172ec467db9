//! WET files: the text of each page as a `conversion` record of a WARC. Common Crawl publishes such
//! files, and tools for training data process them.
//!
//! The text of a record is the title, then the body with the line breaks of the page. Each phrase
//! ends a line. Descriptions and alternative texts of pictures are left out. The record's date is
//! that of the fetch, or else the response's `Date`, or else the time of the export. A header field
//! of the record names the uses that the page denies, as a whole or for a part of this text. So a
//! pipeline can skip records that it may not use.

use std::time::SystemTime;

use heedful::{Page, Use};
use heedful_base::error::Result;
use heedful_base::warc::{RecordInfo, WarcWriter, target_uri};

use super::capture::Capture;

pub(super) fn opening(now: SystemTime) -> Result<Vec<u8>> {
    WarcWriter::new(Vec::new(), true, now)?.finish()
}

pub(super) fn document(
    key: &str,
    page: &Page,
    capture: &Capture<'_>,
    now: SystemTime,
) -> Result<Vec<u8>> {
    let date = capture.time().unwrap_or(now);
    let denied = Use::ALL
        .into_iter()
        .filter(|usage| !page.allows_throughout(*usage))
        .map(Use::name);
    let denied: Vec<_> = denied.collect();
    let about = RecordInfo {
        record: capture.record,
        denied: &denied,
    };
    let mut text = String::new();
    for part in page.title().iter().chain([&page.text()]) {
        text.push_str(part);
        if !part.is_empty() {
            text.push('\n');
        }
    }
    let mut writer = WarcWriter::resume(Vec::new(), true, date);
    writer.text(&target_uri(key), &text, &about)?;
    writer.finish()
}
