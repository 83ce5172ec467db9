//! Time, in whole seconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clock for expiry. Anything before this has expired at `now`: a page expires a part of a
/// second early rather than late.
pub(super) fn clock(now: SystemTime) -> i64 {
    let whole = seconds(now);
    let is_whole = now
        .duration_since(UNIX_EPOCH)
        .is_ok_and(|since| since.subsec_nanos() == 0);
    if is_whole {
        whole
    } else {
        whole.saturating_add(1)
    }
}

/// Whole seconds since 1970, rounded down.
pub(super) fn seconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => {
            i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds - 1)
        }
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
pub fn whole_seconds(of: SystemTime) -> SystemTime {
    time(seconds(of)).unwrap_or(of)
}
