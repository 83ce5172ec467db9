//! Requests to sites for their robots.txt or tdmrep.json, one per site and file in a run.
//!
//! The first page that needs a file sends the request. Other pages of the same site wait until the
//! response is there.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use url::Url;

use heedful_input::fetch::Fetcher;
use heedful_robots::{RobotsTxt, SiteFile, Source};

use super::odd_lines::OddRecords;
use super::shelf::{Shelf, ShelfId};

/// Problem that is reported for a file if the shelf has no room for it.
const TOO_LARGE: &str = "it exceeds the limits for stored robots.txt files";

#[derive(Debug)]
pub(super) struct SiteRequests {
    files: Vec<SiteFile>,
    fetcher: Fetcher,
    now: SystemTime,
    sites: Mutex<HashMap<SiteRequest, Arc<OnceLock<SiteAnswer>>>>,
}

/// A site and the kind of file that is requested from it.
type SiteRequest = (String, SiteFile);

/// Response of a site to the request for one file.
#[derive(Debug)]
struct SiteAnswer {
    /// Number of the rules on the shelf; `None` if the shelf had no room.
    rules: Option<ShelfId>,
    source: Option<Arc<Source>>,
    trouble: Option<String>,
}

impl SiteRequests {
    /// Creates an empty list of requests. The age of cached copies is measured up to `now`.
    pub(super) fn new(files: &[SiteFile], fetcher: Fetcher, now: SystemTime) -> Self {
        Self {
            files: files.to_vec(),
            fetcher,
            now,
            sites: Mutex::default(),
        }
    }

    /// Returns the file of kind `file` (robots.txt or `tdmrep.json`) of the site of `url`, and
    /// requests it at the first call. Returns `None` if this run does not request this kind of
    /// file. Doubtful lines of the file are added to `odd`.
    pub(super) fn ask(
        &self,
        site: &str,
        file: SiteFile,
        url: &Url,
        shelf: &Shelf,
        odd: &OddRecords,
    ) -> Option<RobotsTxt> {
        if !self.files.contains(&file) {
            return None;
        }
        let answer = Arc::clone(self.sites().entry((site.to_owned(), file)).or_default());
        let answer = answer.get_or_init(|| {
            let fetched = self.fetcher.site_file(file, url, self.now);
            odd.add(site, &fetched.robots);
            let robots = shelf.with_digest(fetched.robots);
            let rules = shelf.put(&robots);
            let trouble = match fetched.trouble {
                None if rules.is_none() => Some(TOO_LARGE.to_owned()),
                trouble => trouble,
            };
            SiteAnswer {
                rules,
                source: robots.shared_source(),
                trouble,
            }
        });
        let rules = match answer.rules {
            Some(id) => shelf.get(id),
            None => file.unreadable(TOO_LARGE),
        };
        Some(rules.with_shared_source(answer.source.clone()))
    }

    /// Returns the requested files, each with the problem that occurred, if any. A key is the site,
    /// followed by the file's path unless the file is robots.txt.
    pub(super) fn troubles(&self) -> BTreeMap<String, Option<String>> {
        let mut troubles = BTreeMap::new();
        for ((site, file), answer) in self.sites().iter() {
            let name = match file {
                SiteFile::Robots => site.clone(),
                other => format!("{site}{}", other.path()),
            };
            let trouble = answer.get().and_then(|answer| answer.trouble.clone());
            troubles.insert(name, trouble);
        }
        troubles
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<SiteRequest, Arc<OnceLock<SiteAnswer>>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
