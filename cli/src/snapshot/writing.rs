//! The writer of snapshots: applies the outcomes of a run to the copies, their list and their map.
//!
//! A folder and a single file have only the copy of a URL's latest capture (docs/input.md). If the
//! latest capture has no copy, they have no copy of the URL. A WARC has a copy of each capture.
//! Memory grows with the number of URLs.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::SystemTime;

use heedful::{Page, Result, Use};
use heedful_run::{IndexChange, Outcome};

use crate::args::SnapshotArgs;
use crate::dress::Dress;

use super::copies::{Copies, CopyJson};
use super::destination::Destination;
use super::map::SnapshotMap;

pub(super) struct SnapshotWriter {
    target: Destination,
    list: Copies,
    map: SnapshotMap,
    dress: Dress,
    /// Time of the latest capture of each URL that was read so far. `None` if that capture has no
    /// date.
    latest: HashMap<String, Option<SystemTime>>,
    made: WrittenSnapshots,
}

/// Result of a run that wrote snapshots: the number of copies, and the reasons for missing copies.
#[derive(Default)]
pub(super) struct WrittenSnapshots {
    pub(super) copies: u64,
    /// True if at least one capture (fetch of a URL) has no copy because of a later capture. The
    /// run has then read several captures of the same URL.
    pub(super) has_older: bool,
    /// Reason why the last page without a copy has none. `None` if each page has a copy.
    pub(super) why_none: Option<String>,
    /// Files with copies that earlier runs wrote. The pages of these copies have no copy in this
    /// run.
    pub(super) older: Vec<PathBuf>,
}

impl SnapshotWriter {
    pub(super) fn new(args: &SnapshotArgs, dress: Dress) -> Result<Self> {
        let target = Destination::open(args.output.as_deref())?;
        Ok(Self {
            list: Copies::create(target.list().as_deref())?,
            map: SnapshotMap::create(args.map.as_deref(), target.is_of_latest())?,
            dress,
            latest: HashMap::new(),
            made: WrittenSnapshots::default(),
            target,
        })
    }

    pub(super) fn add(&mut self, outcome: &Outcome) -> Result<()> {
        let (said, captured) = outcome.index_change();
        let url = match &said {
            IndexChange::Page(page) | IndexChange::Unchanged(page) => page.url(),
            IndexChange::Gone(url, ..) => url,
            IndexChange::Nothing => return Ok(()),
        };
        let key = without_fragment(url);
        // A capture of a page that was not modified replaces no earlier copy: both may be the same
        // page.
        if matches!(&said, IndexChange::Unchanged(page) if page.policy().allows(Use::Archive)) {
            return Ok(());
        }
        let is_latest = !self.target.is_of_latest() || self.is_latest(key, captured);
        let is_removed = is_latest && self.target.remove(key)?;
        if is_removed {
            self.map.remove(key);
            self.made.copies -= 1;
            self.made.has_older = true;
        }
        match said {
            IndexChange::Page(page) => {
                let date = if let Outcome::Pages(filtered) = outcome {
                    filtered.date.as_deref()
                } else {
                    None
                };
                self.page(page, date, is_latest)
            }
            _ => {
                self.made.older.extend(self.target.older(key));
                let gone = || is_removed.then(|| CopyJson::gone(url, captured));
                CopyJson::lost(outcome)
                    .or_else(gone)
                    .map_or(Ok(()), |lost| self.list.add(&lost))
            }
        }
    }

    /// True if the run has not yet read a later capture (fetch) of the URL. A capture without a
    /// date counts as later than all captures that were read before it.
    fn is_latest(&mut self, url: &str, captured: Option<SystemTime>) -> bool {
        let known = self.latest.get(url).copied().flatten();
        if known
            .zip(captured)
            .is_some_and(|(known, captured)| captured < known)
        {
            return false;
        }
        self.latest.insert(url.to_owned(), captured.or(known));
        true
    }

    fn page(&mut self, page: &Page, date: Option<&str>, is_latest: bool) -> Result<()> {
        let mut copy = CopyJson::page(page);
        match page.snapshot(&self.dress.dressing(page, date)) {
            Some(_) if !is_latest => {
                self.made.has_older = true;
                copy.without_as_older();
            }
            Some(snapshot) => {
                self.made.copies += 1;
                copy.written(
                    self.target.write(without_fragment(page.url()), &snapshot)?,
                    page,
                );
                self.map.add(without_fragment(page.url()), page)?;
            }
            None => {
                copy.without(page);
                self.made.why_none = copy.why_none();
                self.made
                    .older
                    .extend(self.target.older(without_fragment(page.url())));
            }
        }
        self.list.add(&copy)
    }

    pub(super) fn finish(self) -> Result<WrittenSnapshots> {
        self.target.finish()?;
        self.list.finish()?;
        self.map.finish()?;
        Ok(self.made)
    }
}

/// Returns a URL without its fragment. Copies are stored under URLs in this form.
fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(url, _)| url)
}
