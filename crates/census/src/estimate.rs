//! Shares with confidence intervals, by site.
//!
//! Pages of one site have similar statements, so sites are drawn, not single pages. A share of
//! pages or of text is a ratio of two sums over sites, and its variance that of a ratio estimator
//! over clusters (Cochran, Sampling Techniques, third edition, 1977, sections 2.11 and 9A.1),
//! without a correction for a finite number of sites. The interval is Wilson's for as many
//! independent draws as would have this variance (Korn and Graubard, Survey Methodology 24, 1998;
//! Dean and Pagano, Journal of Survey Statistics and Methodology 3, 2015). So it stays between 0
//! and 1, and is wide where few sites decide. A share of sites has Wilson's interval as it is.
//! Nothing is stored: shares are made of the sums.

use heedful::Use;

use super::names::{PagePlace, StatementSide};
use super::row::{CensusRow, Count};
use super::sample::SiteCounts;
use super::sums::Census;

/// With fewer sites no interval is given.
pub const LEAST_SITES: usize = 30;

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    part: u64,
    whole: u64,
    interval: Option<(f64, f64)>,
}

impl Estimate {
    /// The number of pages, sites or characters that are counted.
    pub fn part(&self) -> u64 {
        self.part
    }

    /// The number of all of them.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// The share, from 0 to 1; None of nothing.
    pub fn share(&self) -> Option<f64> {
        if self.whole == 0 {
            return None;
        }
        Some(self.part as f64 / self.whole as f64)
    }

    /// The lower and the upper end of the interval at 95 %, for other sites drawn like these. None
    /// with fewer than [`LEAST_SITES`] sites.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.interval
    }
}

impl Census {
    /// The share of a row's pages in those of [`CensusRow::whole`].
    pub fn share_of_pages(&self, row: CensusRow) -> Estimate {
        self.ratio(&[row], row.whole(), |count| count.pages)
    }

    /// The share of a row's text in that of [`CensusRow::whole`].
    pub fn share_of_text(&self, row: CensusRow) -> Estimate {
        self.ratio(&[row], row.whole(), |count| count.text)
    }

    /// The share of the sites with the row in those with [`CensusRow::whole`], among the sites that
    /// are kept.
    pub fn share_of_sites(&self, row: CensusRow) -> Estimate {
        let part = self.count_sites(row);
        let whole = self.count_sites(row.whole());
        let share = part as f64 / whole.max(1) as f64;
        let interval = (whole >= LEAST_SITES).then(|| wilson(share, whole as f64));
        Estimate {
            part: part as u64,
            whole: whole as u64,
            interval,
        }
    }

    /// The number of the sites with a row, among those that are kept.
    fn count_sites(&self, row: CensusRow) -> usize {
        let sites = self.sample.sites().values();
        sites.filter(|counts| counts.contains_key(&row)).count()
    }

    /// The share of text that pages as a whole or parts of them deny to a bot for a use.
    pub fn share_of_denied_text(&self, by: StatementSide, bot: u8, usage: Use) -> Estimate {
        let rows = [PagePlace::Page, PagePlace::Text].map(|part| CensusRow::Denied {
            by,
            bot,
            usage,
            part,
        });
        self.ratio(&rows, CensusRow::Text { bot }, |count| count.text)
    }

    fn ratio(&self, rows: &[CensusRow], whole: CensusRow, number: fn(Count) -> u64) -> Estimate {
        let mut sites = Vec::new();
        for counts in self.sample.sites().values() {
            let site_whole = number_of(counts, whole, number);
            if site_whole > 0.0 {
                let part: f64 = rows.iter().map(|row| number_of(counts, *row, number)).sum();
                sites.push((part, site_whole));
            }
        }
        let mut part = 0_u64;
        for row in rows {
            part = part.saturating_add(number(self.count(*row)));
        }
        let whole = number(self.count(whole));
        let share = part as f64 / whole.max(1) as f64;
        let interval = (sites.len() >= LEAST_SITES).then(|| wilson(share, draws(&sites)));
        Estimate {
            part,
            whole,
            interval,
        }
    }
}

/// A number of a site's row; 0 if it has no such row.
fn number_of(counts: &SiteCounts, row: CensusRow, number: fn(Count) -> u64) -> f64 {
    match counts.get(&row) {
        Some(count) => number(*count) as f64,
        None => 0.0,
    }
}

/// The number of independent draws that would estimate a share as exactly as these sites do, each
/// with its part and whole.
fn draws(sites: &[(f64, f64)]) -> f64 {
    let number = sites.len() as f64;
    let mut part = 0.0;
    let mut whole = 0.0;
    for site in sites {
        part += site.0;
        whole += site.1;
    }
    let share = part / whole;
    let mut squares = 0.0;
    for (part, whole) in sites {
        squares += (part - share * whole) * (part - share * whole);
    }
    let variance = number / (number - 1.0) * squares / (whole * whole);
    let spread = share * (1.0 - share);
    // If all sites have it, or none, each site counts as one draw.
    if spread > 0.0 && variance > 0.0 {
        (spread / variance).min(whole)
    } else {
        number
    }
}

/// Wilson's interval for a share that so many draws estimate.
fn wilson(share: f64, draws: f64) -> (f64, f64) {
    let square = Z * Z / draws;
    let middle = (share + square / 2.0) / (1.0 + square);
    let reach = Z / (1.0 + square)
        * (share * (1.0 - share) / draws + square / (4.0 * draws))
            .max(0.0)
            .sqrt();
    (
        (middle - reach).clamp(0.0, share),
        (middle + reach).clamp(share, 1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: (f64, f64), expected: (f64, f64)) {
        assert!(
            (found.0 - expected.0).abs() < 5e-5 && (found.1 - expected.1).abs() < 5e-5,
            "{found:?} {expected:?}"
        );
    }

    /// The examples of Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn wilsons_interval_is_the_published_one() {
        near(wilson(81.0 / 263.0, 263.0), (0.2553, 0.3662));
        near(wilson(15.0 / 148.0, 148.0), (0.0624, 0.1605));
        near(wilson(0.0, 20.0), (0.0, 0.1611));
        near(wilson(1.0 / 29.0, 29.0), (0.0061, 0.1718));
    }

    /// Sites of one page each are independent draws; pages of like sites are not more than their
    /// sites.
    #[test]
    fn pages_of_a_site_are_no_draws_of_their_own() {
        let single: Vec<_> = (0..100)
            .map(|n| (f64::from(u8::from(n < 20)), 1.0))
            .collect();
        assert!((draws(&single) - 99.0).abs() < 1e-9);
        let many: Vec<_> = single
            .iter()
            .map(|(part, whole)| (part * 50.0, whole * 50.0))
            .collect();
        assert!((draws(&many) - 99.0).abs() < 1e-9);
        // Where each site says it on the same share of its pages, pages count.
        let alike: Vec<_> = (0..100).map(|_| (5.0, 50.0)).collect();
        assert!((draws(&alike) - 5000.0).abs() < 1.0 || (draws(&alike) - 100.0).abs() < 1e-9);
        assert!((draws(&[(0.0, 7.0); 40]) - 40.0).abs() < 1e-9);
    }
}
