//! The origin of a page.

use std::time::SystemTime;

/// Where and when a page was met, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture<'a> {
    /// When the page was fetched.
    pub captured: Option<SystemTime>,
    /// The value of the response's `Date`.
    pub date: Option<&'a str>,
    /// The identifier of the WARC record that it was read from, as it is written there.
    pub record: Option<&'a str>,
}

impl Capture<'_> {
    /// When the page was fetched, or else the response's `Date`, if it can be read.
    pub(super) fn time(&self) -> Option<SystemTime> {
        let read = |date: &str| jiff::fmt::rfc2822::parse(date.trim()).ok();
        self.captured.or_else(|| {
            self.date
                .and_then(read)
                .map(|zoned| SystemTime::from(zoned.timestamp()))
        })
    }
}
