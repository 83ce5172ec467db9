//! Shares of pages, sites and text, with confidence intervals. The sampling unit is a site.
//!
//! Pages of one site have similar statements, so the sampling unit is a site and not a page. A
//! share of pages or of text is a ratio of two sums over sites. Its variance is that of a ratio
//! estimator over clusters (Cochran, Sampling Techniques, third edition, 1977, sections 2.11 and
//! 9A.1), without a finite population correction. The interval is Wilson's, for the number of
//! independent draws that would have this variance (Korn and Graubard, Survey Methodology 24, 1998;
//! Dean and Pagano, Journal of Survey Statistics and Methodology 3, 2015). So the interval is
//! within 0 and 1, and is wide if few sites decide. A share of sites has Wilson's interval
//! directly. Shares are computed from the sums when requested, and never stored.

use heedful::Use;

use super::names::{PagePlace, StatementSide};
use super::row::{CensusRow, Count};
use super::sample::SiteCounts;
use super::sums::Census;

/// Minimum number of sites in the sample for a confidence interval. With fewer sites,
/// [`Estimate::interval`] returns `None`.
pub const LEAST_SITES: usize = 30;

/// Quantile of the standard normal distribution for a two-sided confidence interval of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share of pages, sites or text in a census, with its confidence interval.
///
/// # Examples
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_census::{CensusRow, ConventionId, Counter, LEAST_SITES};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let mut census = counter.census();
/// for number in 0..LEAST_SITES {
///     let html = if number % 3 == 0 { "<meta name=robots content=noai>" } else { "<p>Rye" };
///     census.add(&counter.page(&format!("https://s{number}.example/"), |mut pass| {
///         pass.write(html.as_bytes())?;
///         Ok(pass)
///     })?);
/// }
/// let meta = CensusRow::Convention(ConventionId::find("meta").unwrap());
/// let sites = census.share_of_sites(meta);
/// assert_eq!((sites.part(), sites.whole()), (10, 30));
/// let (low, high) = sites.interval().unwrap();
/// assert!(low < 1.0 / 3.0 && 1.0 / 3.0 < high);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    part: u64,
    whole: u64,
    interval: Option<(f64, f64)>,
}

impl Estimate {
    /// Numerator of the share. It is a number of pages, of sites, or of characters of text.
    pub fn part(&self) -> u64 {
        self.part
    }

    /// Denominator of the share, in the unit of the numerator ([`Estimate::part`]).
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// Returns the share as a number from 0 to 1. Returns `None` if the denominator is 0.
    pub fn share(&self) -> Option<f64> {
        if self.whole == 0 {
            return None;
        }
        Some(self.part as f64 / self.whole as f64)
    }

    /// Returns the lower and upper bound of the share's 95 % confidence interval. The interval is
    /// valid if the sites of this census are a random sample of a larger set of sites. Returns
    /// `None` if the sample has fewer than [`LEAST_SITES`] sites.
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.interval
    }
}

impl Census {
    /// Returns the share of pages in `row`. The numerator is the number of pages that `row` counts.
    /// The denominator is the number of pages that the row [`CensusRow::whole`] counts, for example
    /// all pages.
    pub fn share_of_pages(&self, row: CensusRow) -> Estimate {
        self.ratio(&[row], row.whole(), |count| count.pages)
    }

    /// Returns the share of text in `row`. The numerator is the number of characters that `row`
    /// counts. The denominator is the number that the row [`CensusRow::whole`] counts, for example
    /// the characters of all pages.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter, Use};
    /// use heedful_census::{CensusRow, Counter, PagePlace, StatementSide};
    ///
    /// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
    /// let mut census = counter.census();
    /// census.add(&counter.page("https://example.com/", |mut pass| {
    ///     pass.write(b"<p>Rye <!--noindex-->Rue<!--/noindex-->")?;
    ///     Ok(pass)
    /// })?);
    /// let (by, part) = (StatementSide::Obeyed, PagePlace::Text);
    /// let row = CensusRow::Denied { by, bot: 0, usage: Use::Index, part };
    /// assert_eq!(census.share_of_text(row).share(), Some(0.5));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn share_of_text(&self, row: CensusRow) -> Estimate {
        self.ratio(&[row], row.whole(), |count| count.text)
    }

    /// Returns the share of sites that have a page in `row`, among the sites that have a page in
    /// the row [`CensusRow::whole`]. The share is computed from the census's sample of sites
    /// ([`Census::is_sampled`]).
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

    /// Returns the number of sites in the sample that have a page in `row`.
    fn count_sites(&self, row: CensusRow) -> usize {
        let sites = self.sample.sites().values();
        sites.filter(|counts| counts.contains_key(&row)).count()
    }

    /// Returns the share of text that is denied to one bot for the use `usage`. The use may be
    /// denied for a whole page, or for a part of it. `bot` is the bot's index in [`Census::bots`].
    /// For an example see [`StatementSide`].
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

/// Returns one number from the counts of a site in the row `row`. The function `number` picks the
/// number. Returns 0 if the site has no counts in this row.
fn number_of(counts: &SiteCounts, row: CensusRow, number: fn(Count) -> u64) -> f64 {
    match counts.get(&row) {
        Some(count) => number(*count) as f64,
        None => 0.0,
    }
}

/// Returns the effective sample size for a share: the number of independent draws that would give
/// the same variance. Each element of `sites` has the numerator and the denominator of one site.
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
    // Without a variance, for example with a share of 0 or 1, the quotient is undefined. Each site
    // then counts as one draw.
    if spread > 0.0 && variance > 0.0 {
        (spread / variance).min(whole)
    } else {
        number
    }
}

/// Returns the lower and upper bound of Wilson's 95 % confidence interval for `share`, if it was
/// estimated from `draws` independent draws.
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

    /// Tests the interval with examples of Newcombe, Statistics in Medicine 17 (1998), table I,
    /// method 3.
    #[test]
    fn wilsons_interval_is_the_published_one() {
        near(wilson(81.0 / 263.0, 263.0), (0.2553, 0.3662));
        near(wilson(15.0 / 148.0, 148.0), (0.0624, 0.1605));
        near(wilson(0.0, 20.0), (0.0, 0.1611));
        near(wilson(1.0 / 29.0, 29.0), (0.0061, 0.1718));
    }

    /// Tests that sites with one page each count as independent draws. If each site has 50 equal
    /// pages instead, the number of draws must stay the same.
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
        // If each site has the same share of its pages, pages count as draws.
        let alike: Vec<_> = (0..100).map(|_| (5.0, 50.0)).collect();
        assert!((draws(&alike) - 5000.0).abs() < 1.0 || (draws(&alike) - 100.0).abs() < 1e-9);
        assert!((draws(&[(0.0, 7.0); 40]) - 40.0).abs() < 1e-9);
    }
}
