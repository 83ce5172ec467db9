//! Times as an index stores them: whole seconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Converts the current time to seconds since 1970, rounded up. A page has expired if its stored
/// expiry is less than the result. Stored times are rounded down. So a page may expire up to a
/// second early, but never late.
pub(super) fn clock(now: SystemTime) -> i64 {
    let whole = seconds(now);
    match now.duration_since(UNIX_EPOCH) {
        Ok(since) if since.subsec_nanos() == 0 => whole,
        _ => whole.saturating_add(1),
    }
}

/// Converts a time to seconds since 1970, rounded down.
pub(super) fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => match i64::try_from(before.duration().as_secs()) {
            Ok(seconds) => -seconds - 1,
            Err(_) => i64::MIN,
        },
    }
}

/// Converts stored seconds since 1970 to a time. Returns None if the system cannot represent it.
pub(super) fn time(seconds: i64) -> Option<SystemTime> {
    let since = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        UNIX_EPOCH.checked_sub(since)
    } else {
        UNIX_EPOCH.checked_add(since)
    }
}

/// Rounds a time down to whole seconds, as an index stores it.
pub fn whole_seconds(exact: SystemTime) -> SystemTime {
    time(seconds(exact)).unwrap_or(exact)
}
