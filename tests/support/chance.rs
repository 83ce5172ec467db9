//! Chance that a seed repeats, and smaller pages with the same fault.

/// splitmix64: a number below 2^31, and the next state.
pub(crate) fn next(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    usize::try_from((z ^ (z >> 31)) >> 33).unwrap_or(0)
}

/// A smaller page that is still wrong.
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
