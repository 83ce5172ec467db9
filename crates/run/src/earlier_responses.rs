//! Reads the responses to requests for a site's robots.txt or tdmrep.json that earlier runs
//! received. An index stores these responses with their dates.
//!
//! Two runs must have the same result as one run over both inputs. So the same rule
//! (`response_dates`) selects among the stored responses and among those that the current run
//! received. Parsed files are kept on a shelf (`shelf`). If a stored file cannot be parsed, or the
//! shelf has no room for it, the file counts as forbidding everything.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use lru::LruCache;

use heedful_base::error::Result;
use heedful_index::{Search, whole_seconds};
use heedful_robots::{RobotsTxt, SiteFile, Source, SourceKind};

use super::response_dates::{DatedResponse, Timeline};
use super::responses::{ResponseContent, ResponseLimits, ResponseRules};
use super::shelf::Shelf;

/// Maximum number of robots.txt and tdmrep.json files whose responses are cached in memory. The
/// parsed rules are not in this cache, but in the [`Shelf`].
const AT_HAND: NonZeroUsize = NonZeroUsize::new(1 << 14).unwrap();

/// Date of a site's response, and the robots.txt or tdmrep.json in it, in the form that the index
/// stores.
pub(super) type StoredRules = (SystemTime, Vec<u8>);

/// Cache of the responses that earlier runs received from sites and stored in an index.
#[derive(Debug)]
pub(super) struct EarlierResponses {
    search: Search,
    /// Recently used responses. The key is the URL of the robots.txt or tdmrep.json that was
    /// requested.
    near: Mutex<LruCache<String, Arc<[DatedResponse<ResponseContent>]>>>,
}

impl EarlierResponses {
    pub(super) fn new(search: Search) -> Self {
        Self {
            search,
            near: Mutex::new(LruCache::new(AT_HAND)),
        }
    }

    /// Returns the responses that earlier runs received from a site for its robots.txt or
    /// tdmrep.json. `file` selects the kind of file.
    pub(super) fn responses(
        &self,
        site: &str,
        file: SiteFile,
        shelf: &Shelf,
    ) -> Arc<[DatedResponse<ResponseContent>]> {
        let place = place(site, file);
        let mut near = self.near.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(responses) = near.get(&place) {
            return responses.clone();
        }
        let responses: Arc<[_]> = match self.search.rules(&place) {
            Ok(kept) => kept
                .iter()
                .map(|(date, stored)| restored(&place, Some(*date), stored, shelf))
                .collect(),
            // The file could not be read, so it may forbid anything.
            Err(_) => [restored(&place, None, &[], shelf)].into(),
        };
        near.put(place, responses.clone());
        responses
    }
}

/// Creates the response of a site from `stored`, the robots.txt or tdmrep.json that an index stores
/// for the site. `place` is the URL of the file.
fn restored(
    place: &str,
    date: Option<SystemTime>,
    stored: &[u8],
    shelf: &Shelf,
) -> DatedResponse<ResponseContent> {
    let id = RobotsTxt::from_bytes(stored).and_then(|rules| shelf.put(&rules));
    let source = Source::new(SourceKind::Input, place).fetched_at(date);
    let rules = ResponseRules {
        id,
        is_none: false,
        source: Some(Arc::new(source)),
    };
    DatedResponse {
        date,
        number: 0,
        content: ResponseContent::Rules(rules),
    }
}

/// Merges the responses for a site's robots.txt or tdmrep.json. `known` are the stored responses,
/// and `new` are those that this run received. If the result exceeds a limit of `most`, the oldest
/// responses are dropped. One response that forbids everything replaces them.
pub(super) fn merge(
    known: &[StoredRules],
    new: Vec<StoredRules>,
    file: SiteFile,
    most: &ResponseLimits,
) -> Vec<StoredRules> {
    let mut all = Timeline::default();
    for (date, content) in known.iter().cloned().chain(new) {
        all.add(DatedResponse {
            date: Some(whole_seconds(date)),
            number: 0,
            content,
        });
    }
    let mut all: Vec<_> = all
        .into_responses()
        .into_iter()
        .filter_map(|response| Some((response.date?, response.content)))
        .collect();
    // No earlier answer precedes the first one, so its first date decides nothing and is removed.
    if let [(_, first), (_, second), ..] = all.as_slice()
        && first == second
    {
        all.remove(0);
    }
    let mut bytes = 0;
    for (later, from) in (1..=all.len()).rev().enumerate() {
        bytes += all[from - 1].1.len() as u64;
        if let Some(limit) = most.limit_passed(later + 1, bytes) {
            let forgotten = (
                all[from - 1].0,
                most.deny_all_by_limit(file, limit).to_bytes(),
            );
            all.splice(..from, [forgotten]);
            break;
        }
    }
    all.sort();
    all
}

/// Returns the responses that an index stores for the robots.txt or tdmrep.json at the URL `place`,
/// sorted by date.
pub(super) fn stored_rules(search: &Search, place: &str) -> Result<Vec<StoredRules>> {
    let mut kept = search.rules(place)?;
    kept.sort();
    Ok(kept)
}

/// Returns the URL of the robots.txt or tdmrep.json of a site.
pub(super) fn place(site: &str, file: SiteFile) -> String {
    format!("{site}{}", file.path())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use heedful_base::bot::Bot;
    use heedful_base::limits::Limits;

    fn stored_at(second: u64, number: u64) -> StoredRules {
        let rules = RobotsTxt::parse(format!("User-agent: *\nDisallow: /{number}\n").as_bytes());
        (UNIX_EPOCH + Duration::from_secs(second), rules.to_bytes())
    }

    #[test]
    fn of_equal_answers_in_a_row_the_dates_that_matter_are_kept() {
        let most = ResponseLimits::default();
        let join = |known: &[StoredRules], all: &[(u64, u64)]| {
            merge(
                known,
                all.iter()
                    .map(|(second, number)| stored_at(*second, *number))
                    .collect(),
                SiteFile::Robots,
                &most,
            )
        };
        let one = join(&[], &[(1, 1), (2, 1), (3, 1)]);
        assert_eq!(one, [stored_at(3, 1)]);
        let two = join(&one, &[(4, 2), (5, 2), (6, 2), (7, 1)]);
        assert_eq!(
            two,
            [
                stored_at(3, 1),
                stored_at(4, 2),
                stored_at(6, 2),
                stored_at(7, 1)
            ]
        );
        assert_eq!(join(&two, &[(5, 2), (7, 1)]), two);
    }

    /// Tests that a merge keeps no more responses of a site than a limit allows. The rules of the
    /// dropped responses are unknown afterwards. So one response that forbids everything replaces
    /// them.
    #[test]
    fn what_is_forgotten_is_taken_to_forbid() {
        let most = ResponseLimits::new(&Limits::default().robots_answers(3));
        let join = |known: &[StoredRules], second: u64| {
            merge(
                known,
                vec![stored_at(second, second)],
                SiteFile::Robots,
                &most,
            )
        };
        let all = (1..9).fold(Vec::new(), |known, second| join(&known, second));
        assert_eq!(
            all[1..],
            [stored_at(6, 6), stored_at(7, 7), stored_at(8, 8)]
        );
        let forgotten = RobotsTxt::from_bytes(&all[0].1).unwrap();
        assert_eq!(all[0].0, stored_at(5, 5).0);
        assert!(
            !forgotten
                .ruling(&Bot::new("FooBot").unwrap(), "/x")
                .allowed()
        );
        assert_eq!(join(&all, 8), all);
    }
}
