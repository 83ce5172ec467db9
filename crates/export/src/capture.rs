//! The circumstances under which a page was captured: its time and archive record.

use std::time::SystemTime;

/// Time of a page's capture, and the page's record in an archive, as far as they are known.
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
    /// Time at which the page was fetched.
    pub captured: Option<SystemTime>,
    /// Value of the `Date` header of the page's HTTP response.
    pub date: Option<&'a str>,
    /// `WARC-Record-ID` of the page's record in the archive, with its angle brackets.
    pub record: Option<&'a str>,
}

impl Capture<'_> {
    /// Returns the time of the fetch, or else the time in the response's `Date` header. `None` if
    /// the time of the fetch is unknown, and the header is missing or cannot be parsed.
    pub(super) fn time(&self) -> Option<SystemTime> {
        if self.captured.is_some() {
            return self.captured;
        }
        let date = jiff::fmt::rfc2822::parse(self.date?.trim()).ok()?;
        Some(SystemTime::from(date.timestamp()))
    }
}
