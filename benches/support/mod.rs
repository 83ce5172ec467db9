//! Code that several benchmarks share.

pub(crate) mod turns;

use heedful::{Judged, PageEnd, Result, Sink};

use turns::race;

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

/// Some work to measure: its name, and a function that does the work on a page.
pub(crate) type Work<'a> = (&'a str, &'a dyn Fn(&[u8]));

/// Measures two works on some pages. Returns the second work's time divided by the first one's, and
/// prints this ratio.
pub(crate) fn ratio(name: &str, pages: &[Vec<u8>], rounds: usize, works: [Work<'_>; 2]) -> f64 {
    let times = race(
        pages.len(),
        rounds,
        &[&|at| works[0].1(&pages[at]), &|at| works[1].1(&pages[at])],
    );
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let [first, second] = [0, 1].map(|which: usize| times[which].best().as_secs_f64());
    let ratio = second / first;
    let [one, other] = [first, second].map(|seconds| bytes as f64 / 1e6 / seconds);
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
