//! The files of sites that an index last knew. They hold against captures that are older than they are.
//!
//! Two runs leave what one run over both inputs would. So what a site forbade in an earlier run keeps out a page of this
//! one, if that was fetched before. A page that was fetched later answers only to what this run's inputs say.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use lru::LruCache;

use crate::index::Search;
use crate::robots_txt::{RobotsTxt, SiteFile, Source, SourceKind};

use super::shelf::{Id, Shelf};

/// The files whose rules are kept at hand; there is a shelf for the rules themselves.
const AT_HAND: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();
/// A date that is later than the clock by more is wrong.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Rules, with the time at which the site said them last. None stands for those that found no room or could not be read.
type Ruled = (SystemTime, Option<Id>);

/// The files that an index kept.
#[derive(Debug)]
pub(super) struct Remembered {
    search: Search,
    /// The rules of files, by URL.
    near: Mutex<LruCache<String, Vec<Ruled>>>,
}

impl Remembered {
    pub(super) fn new(search: Search) -> Self {
        Self { search, near: Mutex::new(LruCache::new(AT_HAND)) }
    }

    /// The rules of a site that it gave then or later.
    pub(super) fn later(&self, site: &str, captured: SystemTime, shelf: &Shelf) -> Vec<RobotsTxt> {
        let files = SiteFile::ALL.into_iter().flat_map(|file| {
            let place = place(site, file);
            let said = self.of(&place, shelf).into_iter().filter(move |(said, _)| *said >= captured);
            said.map(move |(said, id)| {
                let source = Source::new(SourceKind::Input, place.as_str()).fetched_at(Some(said));
                id.map_or_else(RobotsTxt::shut, |id| shelf.get(id)).came_from(source)
            })
        });
        files.collect()
    }

    fn of(&self, place: &str, shelf: &Shelf) -> Vec<Ruled> {
        let mut near = self.near.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(said) = near.get(place) {
            return said.clone();
        }
        let restored = |stored: &[u8]| RobotsTxt::restored(stored).and_then(|rules| shelf.put(&rules));
        let said: Vec<_> = match self.search.rules(place) {
            Ok(kept) => kept.iter().map(|(said, stored)| (*said, restored(stored))).collect(),
            // Nobody knows what they forbid.
            Err(_) => vec![(SystemTime::now() + DAY, None)],
        };
        near.put(place.to_owned(), said.clone());
        said
    }
}

/// The time at which a site gave these rules last. Without a date, or with one that is ahead of the clock, that is now.
pub(super) fn last_said(rules: &RobotsTxt, now: SystemTime) -> SystemTime {
    dated(rules, now).unwrap_or(now)
}

/// The same, if there is a date.
pub(super) fn dated(rules: &RobotsTxt, now: SystemTime) -> Option<SystemTime> {
    rules.source()?.last_sent().filter(|said| *said <= now + DAY)
}

/// The URL of a site's file.
pub(super) fn place(site: &str, file: SiteFile) -> String {
    format!("{site}{}", file.path())
}
