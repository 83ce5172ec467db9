//! What benchmarks share.

use heedful::{Judged, Result, Sink};

/// Counts tiles and keeps nothing.
pub(crate) struct Nothing(pub(crate) u64);

impl Sink for Nothing {
    fn tile(&mut self, _: &Judged<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

/// The most memory this process has had, in bytes.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
