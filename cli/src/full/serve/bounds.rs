//! The limits of the service, converted to the types in which its code uses them.

use std::time::Duration;

use heedful::{Error, ErrorKind, LIMITS, Limits};

/// The limits of the service: numbers of bytes, numbers of requests and connections, and durations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) body_bytes: usize,
    pub(super) bodies_bytes: usize,
    pub(super) line_bytes: usize,
    pub(super) head_bytes: usize,
    pub(super) requests: usize,
    pub(super) connections: usize,
    pub(super) request_time: Duration,
    pub(super) idle_time: Duration,
}

/// Minimum size of the buffer for a request's head (its first line and headers), in bytes.
const LEAST_HEAD: usize = 8 << 10;

impl Bounds {
    pub(super) fn new(limits: &Limits) -> Self {
        let size = |name| usize::try_from(value(name, limits)).unwrap_or(usize::MAX);
        let time = |name| Duration::from_secs(value(name, limits).clamp(1, u64::from(u32::MAX)));
        Self {
            body_bytes: size("body_bytes"),
            bodies_bytes: size("bodies_bytes"),
            line_bytes: size("line_bytes"),
            head_bytes: size("head_bytes").max(LEAST_HEAD),
            requests: size("requests").max(1),
            connections: size("connections").max(1),
            request_time: time("request_seconds"),
            idle_time: time("idle_seconds"),
        }
    }
}

/// Returns the value of the limit with this name in `limits`. Returns 0 if no limit has the name.
pub(super) fn value(name: &str, limits: &Limits) -> u64 {
    LIMITS
        .iter()
        .find(|limit| limit.name() == name)
        .map_or(0, |limit| limit.value(limits))
}

/// Creates the error for data that exceed the limit `name`. `of` is the word for the data in the
/// message: `record` for a line, or `request`.
pub(super) fn passed(of: &'static str, name: &'static str, limits: &Limits) -> Error {
    ErrorKind::Limit {
        of,
        name,
        limit: value(name, limits),
    }
    .into()
}
