//! Random numbers, which are the same for the same seed. Also makes pages that fail a test smaller.

use super::made::mixed;

/// Returns a random number below 2^31, and advances the state of the generator.
pub(crate) fn next(state: &mut u64) -> usize {
    usize::try_from(mixed(state) >> 33).unwrap_or(0)
}

/// Removes parts of a page as long as `is_wrong` is true for the rest. Returns the smallest page
/// that was found.
pub(crate) fn minimised(page: &str, mut is_wrong: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<char> = page.chars().collect();
    let mut size = best.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            let mut without = best.clone();
            without.drain(at..(at + size).min(best.len()));
            let text: String = without.iter().collect();
            if is_wrong(&text) {
                best = without;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    best.into_iter().collect()
}
