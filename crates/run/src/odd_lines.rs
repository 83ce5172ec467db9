//! Collects the doubtful lines of robots.txt files while a run reads these files.
//!
//! Lines of at most [`MOST_SITES`] sites are stored, and at most [`MOST_LINES`] lines of each site.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use heedful_robots::{RobotsNote, RobotsTxt};

const MOST_SITES: usize = 10_000;
const MOST_LINES: usize = 100;

#[derive(Debug, Default)]
pub(super) struct OddRecords(Mutex<HashMap<String, Vec<RobotsNote>>>);

impl OddRecords {
    /// Adds the doubtful lines of a robots.txt of `site` to the stored lines of this site.
    pub(super) fn add(&self, site: &str, robots: &RobotsTxt) {
        let doubts = doubts(robots);
        let mut sites = self.sites();
        if doubts.is_empty() || sites.len() >= MOST_SITES && !sites.contains_key(site) {
            return;
        }
        let known = sites.entry(site.to_owned()).or_default();
        let mut news = doubts;
        news.retain(|note| !known.contains(note));
        news.truncate(MOST_LINES.saturating_sub(known.len()));
        known.extend(news);
    }

    /// Adds the doubtful lines of a robots.txt of `site`. Does nothing if another robots.txt of
    /// this site was added before.
    pub(super) fn add_first(&self, site: &str, robots: &RobotsTxt) {
        let mut sites = self.sites();
        if sites.len() < MOST_SITES && !sites.contains_key(site) {
            sites.insert(site.to_owned(), doubts(robots));
        }
    }

    /// Adds the collected doubtful lines of all sites to `report`. A key of `report` is a site.
    pub(super) fn report(&self, report: &mut BTreeMap<String, Vec<RobotsNote>>) {
        for (site, notes) in self.sites().iter() {
            if !notes.is_empty() {
                report.entry(site.clone()).or_default().extend(notes);
            }
        }
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<String, Vec<RobotsNote>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn doubts(robots: &RobotsTxt) -> Vec<RobotsNote> {
    robots
        .notes()
        .into_iter()
        .filter(|note| note.kind().is_doubt())
        .take(MOST_LINES)
        .collect()
}
