//! Sites that are asked for their robots.txt, each once: by whoever needs it first; the others wait.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use url::Url;

use crate::fetch::Fetcher;
use crate::robots_txt::{RobotsTxt, Source};

use super::odd::Odd;
use super::shelf::{Id, Shelf};

#[derive(Debug)]
pub(super) struct Asking {
    fetcher: Fetcher,
    now: SystemTime,
    sites: Mutex<HashMap<String, Arc<OnceLock<Told>>>>,
}

/// What came of it.
#[derive(Debug)]
struct Told {
    /// None if there was no room for it.
    rules: Option<Id>,
    source: Option<Arc<Source>>,
    trouble: Option<String>,
}

impl Asking {
    /// `now` is the clock by which copies grow old.
    pub(super) fn new(fetcher: Fetcher, now: SystemTime) -> Self {
        Self { fetcher, now, sites: Mutex::default() }
    }

    /// What the site says that this URL is of. Says to `odd` what looks odd in it.
    pub(super) fn ask(&self, site: &str, url: &Url, shelf: &Shelf, odd: &Odd) -> RobotsTxt {
        let told = Arc::clone(self.sites().entry(site.to_owned()).or_default());
        let told = told.get_or_init(|| {
            let fetched = self.fetcher.robots(url, self.now);
            odd.add(site, &fetched.robots);
            let (rules, source) = (shelf.put(&fetched.robots), fetched.robots.shared_source());
            let trouble = fetched.trouble.or_else(|| rules.is_none().then(|| "there is no room for it".to_owned()));
            Told { rules, source, trouble }
        });
        told.rules.map_or_else(RobotsTxt::shut, |id| shelf.get(id)).sourced(told.source.clone())
    }

    /// The sites that were asked, each with what went wrong.
    pub(super) fn told(&self) -> BTreeMap<String, Option<String>> {
        let trouble = |told: &OnceLock<Told>| told.get().and_then(|told| told.trouble.clone());
        self.sites().iter().map(|(site, told)| (site.clone(), trouble(told))).collect()
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<String, Arc<OnceLock<Told>>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
