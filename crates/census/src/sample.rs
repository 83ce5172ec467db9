//! A sample of sites that can be merged: those whose keys have the smallest hashes.
//!
//! The sample keeps the `most` smallest of the sites of several parts. Each of these is among the
//! smallest of every part that has it, so no part has left it out, and its sums are whole. So the
//! sample does not depend on how pages were divided, or on the order in which parts are merged.
//! Hashes are independent of what a site publishes, so the sample is drawn as by chance. A site is
//! known by its hash alone; but anyone who guesses a host can compute its hash.

use std::collections::BTreeMap;
use std::hash::Hasher;

use siphasher::sip::SipHasher13;
use url::Url;

use super::row::{CensusRow, Count};

/// The counts of one site.
pub(super) type SiteCounts = BTreeMap<CensusRow, Count>;

/// The number of the site of a URL, which is its host. Pages without a host are one site together.
pub(super) fn site(url: &str) -> u64 {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let mut hasher = SipHasher13::new();
    hasher.write(host.trim_end_matches('.').as_bytes());
    hasher.write_u8(0xFF);
    hasher.finish()
}

/// The sites with the smallest hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    most: usize,
    sites: BTreeMap<u64, SiteCounts>,
    /// True if some sites were left out.
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

    /// A sample as it was written.
    pub(super) fn from_sites(most: usize, sites: BTreeMap<u64, SiteCounts>, is_cut: bool) -> Self {
        let mut sample = Self {
            most,
            sites,
            is_cut,
        };
        sample.cut();
        sample
    }

    /// The counts of a site, to add to; None for a site that is left out.
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

    /// The sites with their counts, by their hashes.
    pub(super) fn sites(&self) -> &BTreeMap<u64, SiteCounts> {
        &self.sites
    }

    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The number of all sites. If some were left out it is estimated, by how close the hashes lie
    /// (Bar-Yossef et al., Counting distinct elements in a data stream, 2002; without bias as
    /// `(k - 1) / u`, Beyer et al., SIGMOD 2007).
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

    /// Whatever the order and division, the same sites are kept, and the estimate is near their
    /// number.
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
