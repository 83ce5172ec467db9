//! The circumstances under which a page was captured: its time and archive record.

use std::time::SystemTime;

/// Facts about the fetch of a page: its time, and the identifier of the archive record with the
/// page. Unknown facts are `None`.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use heedful::{Bot, Filter};
/// use heedful_export::{Capture, Engine, Exporter};
///
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], b"<p>Rye")?;
/// let capture = Capture {
///     captured: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)),
///     ..Capture::default()
/// };
/// let entry = Exporter::new(Engine::Parquet, SystemTime::now()).page(&page, &capture)?;
/// assert!(!entry.unwrap().is_deletion());
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Capture<'a> {
    /// Time at which the page was fetched. `None` if the time is unknown.
    pub captured: Option<SystemTime>,
    /// Value of the `Date` header in the HTTP response of the page. `None` if the response has no
    /// `Date` header.
    pub date: Option<&'a str>,
    /// `WARC-Record-ID` of the archive record with the page, with its angle brackets. `None` if the
    /// page is not from an archive.
    pub record: Option<&'a str>,
}

impl Capture<'_> {
    /// Returns the time of the page's fetch. If it is unknown, returns the time in the `Date`
    /// header. Returns `None` if the time of the fetch is unknown and the header is missing or
    /// malformed.
    pub(super) fn time(&self) -> Option<SystemTime> {
        if self.captured.is_some() {
            return self.captured;
        }
        let date = jiff::fmt::rfc2822::parse(self.date?.trim()).ok()?;
        Some(SystemTime::from(date.timestamp()))
    }
}
