//! Pages for benchmarks: real ones if they are available, or else generated ones.

use crate::{real, synthetic};

/// Returns all pages, and two names: for those without a marked element, and for those with one.
pub(crate) fn pages() -> ([&'static str; 2], Vec<Vec<u8>>) {
    let real = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(real::pages);
    let real: Vec<_> = real.map(|page| page.html).collect();
    if real.is_empty() {
        (["made", "made, marked"], made())
    } else {
        (["real", "real, marked"], real)
    }
}

fn made() -> Vec<Vec<u8>> {
    let plain = (0..80).map(|number| synthetic::page(number, 100_000).into_bytes());
    let marked = (80..160).map(|number| {
        let page = synthetic::page(number, 100_000);
        page.replacen(
            "<div class=\"entry wide\">",
            "<div class=\"robots-noindex\">",
            1,
        )
        .into_bytes()
    });
    plain.chain(marked).collect()
}
