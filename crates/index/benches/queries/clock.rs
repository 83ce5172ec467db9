//! Processor time, to the nanosecond. /proc counts that of a process in hundredths of a second.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Returns the processor time that this thread has used.
#[allow(dead_code, reason = "benchmarks share this file")]
pub(crate) fn of_thread() -> Duration {
    time(ClockId::ThreadCPUTime)
}

/// Returns the processor time that all threads of this process have used.
pub(crate) fn of_process() -> Duration {
    time(ClockId::ProcessCPUTime)
}

fn time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
}
