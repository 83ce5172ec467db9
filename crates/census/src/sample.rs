//! A sample of sites that can be merged with other samples: the sites with the smallest hashes.
//!
//! The sample of a whole crawl has the `most` smallest hashes of all its sites. In each part of the
//! crawl that contains such a site, the site's hash is also among the `most` smallest. So no part
//! has dropped the site, and its counts are complete. The sample depends neither on the division of
//! pages into parts, nor on the order of merges. Hashes are independent of a site's statements, so
//! the sample is as good as random. A site is identified only by its hash, but anyone who guesses a
//! host can compute the hash.

use std::collections::BTreeMap;
use std::hash::Hasher;

use siphasher::sip::SipHasher13;
use url::Url;

use super::row::{CensusRow, Count};

/// Counts of one site in each row of the census.
pub(super) type SiteCounts = BTreeMap<CensusRow, Count>;

/// Returns the hash of the site of `url`. The site is the URL's host. All URLs without a host count
/// as one site.
pub(super) fn site(url: &str) -> u64 {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let mut hasher = SipHasher13::new();
    hasher.write(host.trim_end_matches('.').as_bytes());
    hasher.write_u8(0xFF);
    hasher.finish()
}

/// Sample of the sites of a census: the sites with the smallest hashes. For each site, the sample
/// has the counts in each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    most: usize,
    sites: BTreeMap<u64, SiteCounts>,
    /// True if at least one site was dropped. In this case the sample lacks some sites of the
    /// census.
    is_cut: bool,
}

impl Sample {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            sites: BTreeMap::new(),
            is_cut: false,
        }
    }

    /// Restores a sample from stored data. `most` is the maximum number of sites. `sites` has the
    /// counts of each site, by the site's hash. `is_cut` is true if the stored sample had already
    /// dropped a site.
    pub(super) fn from_sites(most: usize, sites: BTreeMap<u64, SiteCounts>, is_cut: bool) -> Self {
        let mut sample = Self {
            most,
            sites,
            is_cut,
        };
        sample.cut();
        sample
    }

    /// Returns the counts of the site with the hash `site`, so that the caller can add to them.
    /// Adds the site if its hash is small enough. Returns `None` if the site is not in the sample.
    pub(super) fn site(&mut self, site: u64) -> Option<&mut SiteCounts> {
        if !self.sites.contains_key(&site) {
            let is_beyond = self.sites.len() >= self.most
                && self
                    .sites
                    .keys()
                    .next_back()
                    .is_none_or(|last| site > *last);
            if is_beyond {
                self.is_cut = true;
                return None;
            }
            self.sites.insert(site, SiteCounts::new());
            self.cut();
        }
        self.sites.get_mut(&site)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.is_cut |= other.is_cut;
        for (site, counts) in &other.sites {
            let Some(own) = self.site(*site) else {
                continue;
            };
            for (row, count) in counts {
                own.entry(*row).or_default().add(*count);
            }
        }
    }

    fn cut(&mut self) {
        while self.sites.len() > self.most {
            self.sites.pop_last();
            self.is_cut = true;
        }
    }

    /// Returns the counts of the sites in the sample, by the hash of the site.
    pub(super) fn sites(&self) -> &BTreeMap<u64, SiteCounts> {
        &self.sites
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the number of all sites of the census, inside and outside the sample. If sites were
    /// dropped, the number is estimated from the density of the hashes (Bar-Yossef et al., Counting
    /// distinct elements in a data stream, 2002). The estimate is `(k - 1) / u`, which is unbiased
    /// (Beyer et al., SIGMOD 2007). `k` is the number of sites in the sample. `u` is the greatest
    /// hash in the sample, scaled to the range from 0 to 1.
    pub(super) fn number(&self) -> u64 {
        let known = self.sites.len();
        let Some(last) = self.sites.keys().next_back().filter(|_| self.is_cut) else {
            return known as u64;
        };
        let share = (*last as f64 + 1.0) / 2_f64.powi(64);
        ((known as f64 - 1.0) / share).round().max(known as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_hosts() {
        let of = site("https://site.example/a");
        assert_eq!(of, site("http://SITE.example:8080/b?c"));
        assert_eq!(of, site("https://site.example./"));
        assert_ne!(of, site("https://www.site.example/a"));
        assert_eq!(site("file:///a"), site("no URL"));
    }

    /// Tests that the sample has the same sites for any order of the pages. The same must hold if
    /// samples of parts of the pages are merged. The estimated number of sites must be close to the
    /// real one.
    #[test]
    fn the_sample_does_not_depend_on_the_order() {
        let sites: Vec<u64> = (0..20_000)
            .map(|n| site(&format!("https://s{n}.example/")))
            .collect();
        let taken = |sites: &mut dyn Iterator<Item = u64>| {
            let mut sample = Sample::new(500);
            for site in sites {
                if let Some(counts) = sample.site(site) {
                    counts.entry(CensusRow::Pages).or_default().add(Count::PAGE);
                }
            }
            sample
        };
        let whole = taken(&mut sites.iter().copied());
        assert_eq!(whole, taken(&mut sites.iter().rev().copied()));
        let mut parts: Vec<_> = (0..7)
            .map(|part| taken(&mut sites.iter().copied().skip(part).step_by(7)))
            .collect();
        let mut merged = parts.remove(3);
        for part in &parts {
            merged.merge(part);
        }
        assert_eq!(whole, merged);
        assert!(
            (19_000..21_000).contains(&whole.number()),
            "{}",
            whole.number()
        );
        assert!(!taken(&mut sites.iter().copied().take(500)).is_cut());
        assert_eq!(taken(&mut sites.iter().copied().take(500)).number(), 500);
    }
}
