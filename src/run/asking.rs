//! Sites that are asked for their robots.txt, or their tdmrep.json, each once: by whoever needs it first; the others wait.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use url::Url;

use crate::fetch::Fetcher;
use crate::robots_txt::{RobotsTxt, SiteFile, Source};

use super::odd::Odd;
use super::shelf::{Id, Shelf};

#[derive(Debug)]
pub(super) struct Asking {
    files: Vec<SiteFile>,
    fetcher: Fetcher,
    now: SystemTime,
    sites: Mutex<HashMap<Asked, Arc<OnceLock<Told>>>>,
}

/// A site, and the file that it is asked for.
type Asked = (String, SiteFile);

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
    pub(super) fn new(files: &[SiteFile], fetcher: Fetcher, now: SystemTime) -> Self {
        Self { files: files.to_vec(), fetcher, now, sites: Mutex::default() }
    }

    /// What the site says that this URL is of; none where nobody asks for that file. Says to `odd` what looks odd in it.
    pub(super) fn ask(&self, (site, file): (&str, SiteFile), url: &Url, shelf: &Shelf, odd: &Odd) -> Option<RobotsTxt> {
        if !self.files.contains(&file) {
            return None;
        }
        let told = Arc::clone(self.sites().entry((site.to_owned(), file)).or_default());
        let told = told.get_or_init(|| {
            let fetched = self.fetcher.site_file(file, url, self.now);
            odd.add(site, &fetched.robots);
            let (rules, source) = (shelf.put(&fetched.robots), fetched.robots.shared_source());
            let trouble = fetched.trouble.or_else(|| rules.is_none().then(|| "there is no room for it".to_owned()));
            Told { rules, source, trouble }
        });
        let rules = told.rules.map_or_else(|| file.unread("there is no room for it"), |id| shelf.get(id));
        Some(rules.sourced(told.source.clone()))
    }

    /// The sites that were asked, each with what went wrong.
    pub(super) fn told(&self) -> BTreeMap<String, Option<String>> {
        let trouble = |told: &OnceLock<Told>| told.get().and_then(|told| told.trouble.clone());
        let name = |(site, file): &Asked| match file {
            SiteFile::Robots => site.clone(),
            other => format!("{site}{}", other.path()),
        };
        self.sites().iter().map(|(asked, told)| (name(asked), trouble(told))).collect()
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<Asked, Arc<OnceLock<Told>>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
