//! Formats a point in time by [RFC 3339], as `2026-01-31T12:00:00Z`.
//!
//! Dates in the JSON output have this format, and WARC records have it without the fraction of a
//! second. The crate `jiff` does the formatting. The zone is always UTC. A fraction of a second is
//! printed only if it is not zero. Dates are never parsed here.
//!
//! [RFC 3339]: https://www.rfc-editor.org/rfc/rfc3339

use std::time::SystemTime;

/// Formats `time` by RFC 3339, in UTC. Returns `None` for a time outside of the years -9999 to
/// 9999.
///
/// # Examples
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use heedful_base::date::rfc3339;
///
/// let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_500);
/// assert_eq!(rfc3339(time).as_deref(), Some("1970-01-01T00:00:01.5Z"));
///
/// let too_late = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40);
/// assert_eq!(rfc3339(too_late), None);
/// ```
pub fn rfc3339(time: SystemTime) -> Option<String> {
    jiff::Timestamp::try_from(time)
        .ok()
        .map(|timestamp| timestamp.to_string())
}
