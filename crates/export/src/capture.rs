//! The capture of a page.

use std::time::SystemTime;

/// When and from where a page was fetched, as far as it is known.
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
        if self.captured.is_some() {
            return self.captured;
        }
        let date = jiff::fmt::rfc2822::parse(self.date?.trim()).ok()?;
        Some(SystemTime::from(date.timestamp()))
    }
}
