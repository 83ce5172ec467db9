//! How a time is written.

use std::time::SystemTime;

/// A time in the format of RFC 3339.
pub fn rfc3339(time: SystemTime) -> Option<String> {
    jiff::Timestamp::try_from(time)
        .ok()
        .map(|timestamp| timestamp.to_string())
}
