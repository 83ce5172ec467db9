//! What benchmarks share.

use std::time::{Duration, Instant};

use heedful::{Judged, Result, Sink};

/// Counts tiles and keeps nothing.
pub(crate) struct Nothing(pub(crate) u64);

impl Sink for Nothing {
    fn tile(&mut self, _: &Judged<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }
}

/// What is done with a page, and its name.
pub(crate) type Work<'a> = (&'a str, &'a dyn Fn(&[u8]));

/// How much longer the second work takes on some pages than the first: side by side, the best of so many rounds.
pub(crate) fn ratio(name: &str, pages: &[Vec<u8>], rounds: usize, works: [Work<'_>; 2]) -> f64 {
    let mut best = [Duration::MAX; 2];
    for round in 0..rounds * 2 {
        let which = round % 2;
        let started = Instant::now();
        for page in pages {
            works[which].1(page);
        }
        best[which] = best[which].min(started.elapsed());
    }
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    let [one, other] = best.map(|time| bytes as f64 / 1e6 / time.as_secs_f64());
    println!(
        "{name}: {} pages, {:.1} MB: {} {one:.0} MB/s, {} {other:.0} MB/s, ratio {ratio:.3}",
        pages.len(),
        bytes as f64 / 1e6,
        works[0].0,
        works[1].0
    );
    ratio
}

/// The most memory this process has had, in bytes.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
