//! Asks sites for their robots.txt or tdmrep.json, each once. Whoever needs it first asks; the
//! others wait.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use url::Url;

use heedful_input::fetch::Fetcher;
use heedful_robots::{RobotsTxt, SiteFile, Source};

use super::odd::OddRecords;
use super::shelf::{Shelf, ShelfId};

/// The trouble with a file that the shelf does not take.
const TOO_LARGE: &str = "it exceeds the limits for stored robots.txt files";

#[derive(Debug)]
pub(super) struct SiteRequests {
    files: Vec<SiteFile>,
    fetcher: Fetcher,
    now: SystemTime,
    sites: Mutex<HashMap<SiteRequest, Arc<OnceLock<SiteAnswer>>>>,
}

/// A site, and the file that it is asked for.
type SiteRequest = (String, SiteFile);

/// The answer of a site.
#[derive(Debug)]
struct SiteAnswer {
    /// The rules; None if there was no room for them.
    rules: Option<ShelfId>,
    source: Option<Arc<Source>>,
    trouble: Option<String>,
}

impl SiteRequests {
    /// `now` is the clock that tells the age of copies.
    pub(super) fn new(files: &[SiteFile], fetcher: Fetcher, now: SystemTime) -> Self {
        Self {
            files: files.to_vec(),
            fetcher,
            now,
            sites: Mutex::default(),
        }
    }

    /// The file of the site of this URL; None if that kind of file is not asked for. Lines that
    /// look odd go to `odd`.
    pub(super) fn ask(
        &self,
        (site, file): (&str, SiteFile),
        url: &Url,
        shelf: &Shelf,
        odd: &OddRecords,
    ) -> Option<RobotsTxt> {
        if !self.files.contains(&file) {
            return None;
        }
        let told = Arc::clone(self.sites().entry((site.to_owned(), file)).or_default());
        let told = told.get_or_init(|| {
            let fetched = self.fetcher.site_file(file, url, self.now);
            odd.add(site, &fetched.robots);
            let robots = shelf.named(fetched.robots);
            let (rules, source) = (shelf.put(&robots), robots.shared_source());
            let trouble = fetched
                .trouble
                .or_else(|| rules.is_none().then(|| TOO_LARGE.to_owned()));
            SiteAnswer {
                rules,
                source,
                trouble,
            }
        });
        let rules = told
            .rules
            .map_or_else(|| file.unreadable(TOO_LARGE), |id| shelf.get(id));
        Some(rules.with_source(told.source.clone()))
    }

    /// The sites that were asked, each with what went wrong.
    pub(super) fn told(&self) -> BTreeMap<String, Option<String>> {
        let trouble =
            |told: &OnceLock<SiteAnswer>| told.get().and_then(|told| told.trouble.clone());
        let name = |(site, file): &SiteRequest| match file {
            SiteFile::Robots => site.clone(),
            other => format!("{site}{}", other.path()),
        };
        self.sites()
            .iter()
            .map(|(asked, told)| (name(asked), trouble(told)))
            .collect()
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<SiteRequest, Arc<OnceLock<SiteAnswer>>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
