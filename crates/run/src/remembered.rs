//! The files of sites that an index keeps, each with its date.
//!
//! Two runs leave what one run over both inputs would. So the answers of sites to earlier runs
//! count by the same rule (`over_time`) as those to this one. A file whose rules cannot be read, or
//! found no room, may forbid anything.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use lru::LruCache;

use heedful_base::error::Result;
use heedful_index::{Search, whole_seconds};
use heedful_robots::{RobotsTxt, SiteFile, Source, SourceKind};

use super::answers::{AnswerLimits, AnswerMeaning, AnswerRules};
use super::over_time::{DatedAnswer, Timeline};
use super::shelf::Shelf;

/// The number of files whose rules are kept in memory; a shelf has the rules themselves.
const AT_HAND: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();

/// Rules as an index keeps them, with the time at which the site gave them.
pub(super) type RememberedFile = (SystemTime, Vec<u8>);

/// The files that an index kept.
#[derive(Debug)]
pub(super) struct Remembered {
    search: Search,
    /// The answers of files, by URL.
    near: Mutex<LruCache<String, Arc<[DatedAnswer<AnswerMeaning>]>>>,
}

impl Remembered {
    pub(super) fn new(search: Search) -> Self {
        Self {
            search,
            near: Mutex::new(LruCache::new(AT_HAND)),
        }
    }

    /// The answers of a site to earlier runs.
    pub(super) fn answers(
        &self,
        site: &str,
        file: SiteFile,
        shelf: &Shelf,
    ) -> Arc<[DatedAnswer<AnswerMeaning>]> {
        let place = place(site, file);
        let mut near = self.near.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answers) = near.get(&place) {
            return answers.clone();
        }
        let answers: Arc<[_]> = match self.search.rules(&place) {
            Ok(kept) => kept
                .iter()
                .map(|(date, stored)| restored(&place, Some(*date), stored, shelf))
                .collect(),
            // It is unknown what they forbid.
            Err(_) => [restored(&place, None, &[], shelf)].into(),
        };
        near.put(place, answers.clone());
        answers
    }
}

/// An answer from the stored bytes of a file.
fn restored(
    place: &str,
    date: Option<SystemTime>,
    stored: &[u8],
    shelf: &Shelf,
) -> DatedAnswer<AnswerMeaning> {
    let id = RobotsTxt::from_bytes(stored).and_then(|rules| shelf.put(&rules));
    let source = Source::new(SourceKind::Input, place).fetched_at(date);
    let rules = AnswerRules {
        id,
        is_none: false,
        source: Some(Arc::new(source)),
    };
    DatedAnswer {
        date,
        number: 0,
        what: AnswerMeaning::Rules(rules),
    }
}

/// Merges the answers about a site's file that an index keeps with those of a run. The oldest
/// answers beyond a limit are forgotten. One that forbids everything replaces them.
pub(super) fn merge(
    known: &[RememberedFile],
    new: Vec<RememberedFile>,
    file: SiteFile,
    most: &AnswerLimits,
) -> Vec<RememberedFile> {
    let mut all = Timeline::default();
    for (date, what) in known.iter().cloned().chain(new) {
        all.add(DatedAnswer {
            date: Some(whole_seconds(date)),
            number: 0,
            what,
        });
    }
    let mut all: Vec<_> = all
        .into_answers()
        .into_iter()
        .filter_map(|answer| Some((answer.date?, answer.what)))
        .collect();
    // Before the first answer there is none that it could follow, so its first date changes
    // nothing.
    if let [(_, first), (_, second), ..] = all.as_slice()
        && first == second
    {
        all.remove(0);
    }
    let mut bytes = 0;
    for (later, from) in (1..=all.len()).rev().enumerate() {
        bytes += all[from - 1].1.len() as u64;
        if let Some(limit) = most.limit_passed(later + 1, bytes) {
            let forgotten = (all[from - 1].0, most.shut_by(file, limit).to_bytes());
            all.splice(..from, [forgotten]);
            break;
        }
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
        (UNIX_EPOCH + Duration::from_secs(second), rules.to_bytes())
    }

    #[test]
    fn of_equal_answers_in_a_row_the_dates_that_matter_are_kept() {
        let most = AnswerLimits::default();
        let join = |known: &[RememberedFile], all: &[(u64, u64)]| {
            merge(
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

    /// A forgotten file is unknown, so it may have forbidden anything.
    #[test]
    fn what_is_forgotten_is_taken_to_forbid() {
        let most = AnswerLimits::new(&Limits::default().robots_answers(3));
        let join = |known: &[RememberedFile], second: u64| {
            merge(known, vec![said(second, second)], SiteFile::Robots, &most)
        };
        let all = (1..9).fold(Vec::new(), |known, second| join(&known, second));
        assert_eq!(all[1..], [said(6, 6), said(7, 7), said(8, 8)]);
        let forgotten = RobotsTxt::from_bytes(&all[0].1).unwrap();
        assert_eq!(all[0].0, said(5, 5).0);
        assert!(
            !forgotten
                .ruling(&Bot::new("FooBot").unwrap(), "/x")
                .allowed()
        );
        assert_eq!(join(&all, 8), all);
    }
}
