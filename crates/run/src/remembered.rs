//! The files of sites that an index keeps: what each site said, and when.
//!
//! Two runs leave what one run over both inputs would. So what sites said to earlier runs counts by
//! the same rule (`over_time`) as what they say to this one. A file whose rules cannot be read, or
//! found no room, may forbid anything.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use lru::LruCache;

use heedful_base::error::Result;
use heedful_index::{Search, whole_seconds};
use heedful_robots::{RobotsTxt, SiteFile, Source, SourceKind};

use super::answers::{Most, Ruled, What};
use super::over_time::{DatedAnswers, Timeline};
use super::shelf::Shelf;

/// The files whose rules are kept at hand; there is a shelf for the rules themselves.
const AT_HAND: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();

/// Rules as an index keeps them, with the time at which the site said them.
pub(super) type RememberedFile = (SystemTime, Vec<u8>);

/// The files that an index kept.
#[derive(Debug)]
pub(super) struct Remembered {
    search: Search,
    /// The answers of files, by URL.
    near: Mutex<LruCache<String, Arc<[DatedAnswers<What>]>>>,
}

impl Remembered {
    pub(super) fn new(search: Search) -> Self {
        Self {
            search,
            near: Mutex::new(LruCache::new(AT_HAND)),
        }
    }

    /// The answers of a site to earlier runs.
    pub(super) fn said(
        &self,
        (site, file): (&str, SiteFile),
        shelf: &Shelf,
    ) -> Arc<[DatedAnswers<What>]> {
        let place = place(site, file);
        let mut near = self.near.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(said) = near.get(&place) {
            return said.clone();
        }
        let said = |date: Option<SystemTime>, stored: &[u8]| {
            let id = RobotsTxt::restored(stored).and_then(|rules| shelf.put(&rules));
            let source = Source::new(SourceKind::Input, place.as_str()).fetched_at(date);
            let ruled = Ruled {
                id,
                is_none: false,
                source: Some(Arc::new(source)),
            };
            DatedAnswers {
                date,
                number: 0,
                what: What::Rules(ruled),
            }
        };
        let said: Arc<[_]> = match self.search.rules(&place) {
            Ok(kept) => kept
                .iter()
                .map(|(date, stored)| said(Some(*date), stored))
                .collect(),
            // Nobody knows what they forbid.
            Err(_) => [said(None, &[])].into(),
        };
        near.put(place, said.clone());
        said
    }
}

/// What an index should keep of a site's file: what it knew, and what the site said since. The
/// oldest answers beyond a limit are forgotten. One that forbids everything stands for them.
pub(super) fn joined(
    known: &[RememberedFile],
    said: Vec<RememberedFile>,
    file: SiteFile,
    most: &Most,
) -> Vec<RememberedFile> {
    let mut all = Timeline::default();
    for (date, what) in known.iter().cloned().chain(said) {
        all.add(DatedAnswers {
            date: Some(whole_seconds(date)),
            number: 0,
            what,
        });
    }
    let mut all: Vec<_> = all
        .into_said()
        .into_iter()
        .filter_map(|said| Some((said.date?, said.what)))
        .collect();
    // Before the first answer there is none that it could follow, so its first date changes
    // nothing.
    if let [(_, first), (_, second), ..] = all.as_slice()
        && first == second
    {
        all.remove(0);
    }
    let passed = all.iter().rev().scan((0, 0), |(count, bytes), (_, rules)| {
        (*count, *bytes) = (*count + 1, *bytes + rules.len() as u64);
        Some(most.limit_passed(*count, *bytes))
    });
    if let Some((behind, limit)) = passed
        .enumerate()
        .find_map(|(at, limit)| Some((at, limit?)))
    {
        let from = all.len() - behind;
        let forgotten = (all[from - 1].0, most.shut_by(file, limit).stored());
        all.splice(..from, [forgotten]);
    }
    all.sort();
    all
}

/// What an index keeps of a site's file.
pub(super) fn kept(search: &Search, place: &str) -> Result<Vec<RememberedFile>> {
    let mut kept = search.rules(place)?;
    kept.sort();
    Ok(kept)
}

/// The URL of a site's file.
pub(super) fn place(site: &str, file: SiteFile) -> String {
    format!("{site}{}", file.path())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use heedful_base::bot::Bot;
    use heedful_base::limits::Limits;

    fn said(second: u64, number: u64) -> RememberedFile {
        let rules = RobotsTxt::parse(format!("User-agent: *\nDisallow: /{number}\n").as_bytes());
        (UNIX_EPOCH + Duration::from_secs(second), rules.stored())
    }

    #[test]
    fn of_equal_answers_in_a_row_the_dates_that_matter_are_kept() {
        let most = Most::default();
        let join = |known: &[RememberedFile], all: &[(u64, u64)]| {
            joined(
                known,
                all.iter()
                    .map(|(second, number)| said(*second, *number))
                    .collect(),
                SiteFile::Robots,
                &most,
            )
        };
        let one = join(&[], &[(1, 1), (2, 1), (3, 1)]);
        assert_eq!(one, [said(3, 1)]);
        let two = join(&one, &[(4, 2), (5, 2), (6, 2), (7, 1)]);
        assert_eq!(two, [said(3, 1), said(4, 2), said(6, 2), said(7, 1)]);
        assert_eq!(join(&two, &[(5, 2), (7, 1)]), two);
    }

    /// Nobody knows what was forgotten, so it may have forbidden anything.
    #[test]
    fn what_is_forgotten_is_taken_to_forbid() {
        let most = Most::of(&Limits::default().robots_answers(3));
        let join = |known: &[RememberedFile], second: u64| {
            joined(known, vec![said(second, second)], SiteFile::Robots, &most)
        };
        let all = (1..9).fold(Vec::new(), |known, second| join(&known, second));
        assert_eq!(all[1..], [said(6, 6), said(7, 7), said(8, 8)]);
        let forgotten = RobotsTxt::restored(&all[0].1).unwrap();
        assert_eq!(all[0].0, said(5, 5).0);
        assert!(
            !forgotten
                .ruling(&Bot::new("FooBot").unwrap(), "/x")
                .allowed()
        );
        assert_eq!(join(&all, 8), all);
    }
}
