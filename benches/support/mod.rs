//! Code that several benchmarks share.

use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use heedful::{Judged, PageEnd, Result, Sink};

/// Sink of a pass that counts tokens and stores nothing.
pub(crate) struct Nothing(pub(crate) u64);

impl Sink for Nothing {
    fn token(&mut self, _: &Judged<'_>) -> Result<()> {
        self.0 += 1;
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

/// Returns the processor time that this thread has used. Other programs hardly affect it. If the
/// system does not report the processor time, returns the time since the first call of this
/// function.
pub(crate) fn spent() -> Duration {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The system may update the count only when it schedules the next thread.
    thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| STARTED.elapsed(), Duration::from_nanos)
}

/// Some work to measure: its name, and a function that does the work on a page.
pub(crate) type Work<'a> = (&'a str, &'a dyn Fn(&[u8]));

/// Measures the processor time of several works on each of `pieces` pieces. The works are measured
/// side by side, and the best of several rounds counts for each piece. Returns the time of each
/// work, summed over the pieces.
pub(crate) fn race(pieces: usize, rounds: usize, works: &[&dyn Fn(usize)]) -> Vec<Duration> {
    let mut best = vec![vec![Duration::MAX; pieces]; works.len()];
    for _ in 0..rounds {
        for piece in 0..pieces {
            for (work, best) in works.iter().zip(&mut best) {
                let started = spent();
                work(piece);
                best[piece] = best[piece].min(spent() - started);
            }
        }
    }
    best.iter().map(|best| best.iter().sum()).collect()
}

/// Measures two works on some pages. Returns the second work's time divided by the first one's, and
/// prints this ratio.
pub(crate) fn ratio(name: &str, pages: &[Vec<u8>], rounds: usize, works: [Work<'_>; 2]) -> f64 {
    let best = race(
        pages.len(),
        rounds,
        &[&|at| works[0].1(&pages[at]), &|at| works[1].1(&pages[at])],
    );
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    let [one, other] = [0, 1].map(|which: usize| bytes as f64 / 1e6 / best[which].as_secs_f64());
    println!(
        "{name}: {} pages, {:.1} MB: {} {one:.0} MB/s, {} {other:.0} MB/s, ratio {ratio:.3}",
        pages.len(),
        bytes as f64 / 1e6,
        works[0].0,
        works[1].0
    );
    ratio
}

/// Returns the peak memory of this process so far, in bytes.
pub(crate) fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
