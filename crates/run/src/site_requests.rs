//! Requests to sites for their robots.txt or tdmrep.json. A run requests each file of a site once.
//!
//! The first page that needs a file of its site sends the request. Other pages of this site wait
//! until the site has responded.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use url::Url;

use heedful_input::fetch::Fetcher;
use heedful_robots::{RobotsTxt, SiteFile, Source};

use super::odd_lines::OddRecords;
use super::shelf::{Shelf, ShelfId};

/// Problem that is reported if the shelf (the store for robots.txt and tdmrep.json rules) has no
/// room for a file.
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

/// Response of a site to the request for its robots.txt or tdmrep.json.
#[derive(Debug)]
struct SiteAnswer {
    /// Identifier of the file's rules on the shelf (the store for parsed files). `None` if the
    /// shelf had no room.
    rules: Option<ShelfId>,
    source: Option<Arc<Source>>,
    trouble: Option<String>,
}

impl SiteRequests {
    /// Creates an empty list of requests to sites for these kinds of files. `now` is the time at
    /// which the age of cached copies is measured.
    pub(super) fn new(files: &[SiteFile], fetcher: Fetcher, now: SystemTime) -> Self {
        Self {
            files: files.to_vec(),
            fetcher,
            now,
            sites: Mutex::default(),
        }
    }

    /// Returns the file of kind `file` (robots.txt or `tdmrep.json`) of the site of `url`. The
    /// first call for a file requests it. Returns `None` if this run does not request this kind of
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
        let response = Arc::clone(self.sites().entry((site.to_owned(), file)).or_default());
        let response = response.get_or_init(|| {
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
        let rules = match response.rules {
            Some(id) => shelf.get(id),
            None => file.unreadable(TOO_LARGE),
        };
        Some(rules.with_shared_source(response.source.clone()))
    }

    /// Returns the files that were requested from sites. A key is the site, followed by the file's
    /// path unless the file is robots.txt. The value is the problem that occurred with the file, if
    /// any.
    pub(super) fn troubles(&self) -> BTreeMap<String, Option<String>> {
        let mut troubles = BTreeMap::new();
        for ((site, file), response) in self.sites().iter() {
            let name = match file {
                SiteFile::Robots => site.clone(),
                other => format!("{site}{}", other.path()),
            };
            let trouble = response.get().and_then(|response| response.trouble.clone());
            troubles.insert(name, trouble);
        }
        troubles
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<SiteRequest, Arc<OnceLock<SiteAnswer>>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
