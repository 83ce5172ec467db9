//! Time, in whole seconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clock for expiry. Anything before this has expired at `now`: a page expires a part of a
/// second early rather than late.
pub(super) fn clock(now: SystemTime) -> i64 {
    let whole = seconds(now);
    match now.duration_since(UNIX_EPOCH) {
        Ok(since) if since.subsec_nanos() == 0 => whole,
        _ => whole.saturating_add(1),
    }
}

/// Whole seconds since 1970, rounded down.
pub(super) fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => match i64::try_from(before.duration().as_secs()) {
            Ok(seconds) => -seconds - 1,
            Err(_) => i64::MIN,
        },
    }
}

/// The time that was kept as whole seconds. Returns None if the system knows no such time.
pub(super) fn time(seconds: i64) -> Option<SystemTime> {
    let since = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 {
        UNIX_EPOCH.checked_sub(since)
    } else {
        UNIX_EPOCH.checked_add(since)
    }
}

/// A time without its part of a second, as an index keeps it.
pub fn whole_seconds(exact: SystemTime) -> SystemTime {
    time(seconds(exact)).unwrap_or(exact)
}
