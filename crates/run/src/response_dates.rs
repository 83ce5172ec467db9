//! Selects the responses of a site that apply to a page, by their dates (docs/semantics.md, section
//! 6). They are responses to requests for the site's robots.txt or tdmrep.json.
//!
//! The gate of a run selects by the same rule among the responses that this run received and those
//! that earlier runs received. So two runs have the same result as one run over both inputs. In
//! doubt the rule is strict: if the date of a response is not stored, the response applies to more
//! pages.

use std::time::{Duration, SystemTime};

use heedful_index::whole_seconds;

/// Maximum time by which the date of a response may be ahead of the clock. A later date is ignored
/// as wrong.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A site's response to a request for robots.txt or tdmrep.json, with its date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatedResponse<T> {
    /// Time at which the site gave the response, in whole seconds. `None` if unknown: the response
    /// then applies to every page.
    pub(super) date: Option<SystemTime>,
    /// Position of the response in the run: the number of the first record after the response. It
    /// is 0 if the response is from an earlier run, or was read before the first page.
    pub(super) number: u64,
    /// Content of the response, such as its rules.
    pub(super) content: T,
}

impl<T> DatedResponse<T> {
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> DatedResponse<U> {
        DatedResponse {
            date: self.date,
            number: self.number,
            content: change(self.content),
        }
    }
}

/// Selects the responses that apply to a page that was fetched at the time `fetched`. If `fetched`
/// is `None`, all responses apply.
///
/// A response without a date always applies. The dated responses are selected by these rules:
///
/// - The latest response that is not after `fetched` applies. If several responses have its date,
///   all of them apply.
/// - A response after `fetched` applies, unless it states no rules (then `is_none` returns true).
/// - If every dated response is after `fetched`, all of them apply.
pub(super) fn select<T>(
    mut responses: Vec<DatedResponse<T>>,
    fetched: Option<SystemTime>,
    is_none: impl Fn(&T) -> bool,
) -> Vec<DatedResponse<T>> {
    let Some(fetched) = fetched else {
        return responses;
    };
    let dates = responses.iter().filter_map(|response| response.date);
    let in_force = dates.filter(|date| *date <= fetched).max();
    responses.retain(|response| match (response.date, in_force) {
        (Some(date), Some(since)) => date == since || date > since && !is_none(&response.content),
        _ => true,
    });
    responses
}

/// Rounds the date of a response down to whole seconds. Returns `None` for a date that is over a
/// day later than `now`.
pub(super) fn whole_date(date: Option<SystemTime>, now: SystemTime) -> Option<SystemTime> {
    date.filter(|date| *date <= now + DAY).map(whole_seconds)
}

/// Responses of one site to requests for a file, sorted by date. In a row of equal responses only
/// the first and the last are stored. The responses between them change no decision.
#[derive(Debug)]
pub(super) struct Timeline<T>(Vec<DatedResponse<T>>);

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Timeline<T> {
    /// Returns the responses in the order of their dates.
    pub(super) fn responses(&self) -> &[DatedResponse<T>] {
        &self.0
    }

    pub(super) fn into_responses(self) -> Vec<DatedResponse<T>> {
        self.0
    }

    pub(super) fn has(&self, what: &T) -> bool {
        self.0.iter().any(|response| response.content == *what)
    }

    /// Adds a response of the site. Returns true if the site may forbid more now than before,
    /// otherwise false.
    pub(super) fn add(&mut self, new: DatedResponse<T>) -> bool {
        let is_same =
            |known: &DatedResponse<T>| known.date == new.date && known.content == new.content;
        if self.0.iter().any(is_same) {
            return false;
        }
        let at = self.0.partition_point(|response| response.date <= new.date);
        self.0.insert(at, new);
        let is_new = (at == 0 || !self.is_repeated(at - 1)) && !self.is_repeated(at);
        if let Some(inner) = (at.saturating_sub(1)..=at + 1).find(|at| self.is_within_row(*at)) {
            self.forget(inner);
        }
        is_new
    }

    /// Removes old responses until at most `most` are left. Only a dated response that is equal to
    /// a later response is removed, the oldest first. If no such response is left, more than `most`
    /// stay.
    pub(super) fn shorten(&mut self, most: usize) {
        while self.0.len() > most {
            match (0..self.0.len()).find(|at| self.is_given_again(*at)) {
                Some(first) => self.forget(first),
                None => return,
            }
        }
    }

    fn is_given_again(&self, at: usize) -> bool {
        self.0[at].date.is_some() && self.again(at).is_some()
    }

    /// Returns the index of the next response that is equal to the response at index `at`.
    fn again(&self, at: usize) -> Option<usize> {
        (at + 1..self.0.len()).find(|later| self.0[*later].content == self.0[at].content)
    }

    /// True if the response at index `at` has a date, and the next response is equal to it.
    fn is_repeated(&self, at: usize) -> bool {
        match self.0.get(at..at + 2) {
            Some([response, next]) => response.date.is_some() && response.content == next.content,
            _ => false,
        }
    }

    /// True if the response at index `at` can be removed. The responses at `at - 1` and `at + 1`
    /// must have the same content, and all three must have a date. The response at `at - 2`, if
    /// any, must have an earlier date than the response at `at - 1`. If these two dates are equal,
    /// the true order of the two responses is unknown, since dates are whole seconds.
    fn is_within_row(&self, at: usize) -> bool {
        let is_inner =
            at > 0 && at + 1 < self.0.len() && self.is_repeated(at - 1) && self.is_repeated(at);
        is_inner && (at < 2 || self.0[at - 2].date < self.0[at - 1].date)
    }

    fn forget(&mut self, at: usize) {
        if let Some(again) = self.again(at) {
            self.0[again].number = self.0[again].number.min(self.0[at].number);
        }
        self.0.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use proptest::prelude::*;

    use super::*;

    fn second(second: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(second)
    }

    /// Returns the responses that apply to a page, each once. `said` has all responses of the site,
    /// and `fetched` is the time at which the page was fetched, in seconds since 1970.
    fn for_page(said: Vec<DatedResponse<u8>>, fetched: u64) -> Vec<u8> {
        let counting = select(said, Some(second(fetched)), |what| *what == 0);
        let mut all: Vec<_> = counting.into_iter().map(|said| said.content).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Tests that the responses which the timeline leaves out change no decision about a page.
        /// If the responses are added in the order of their dates, the timeline selects the same
        /// responses as the full list. If they are added in another order, or if the timeline is
        /// shortened, only responses without rules may be missing.
        #[test]
        fn what_is_left_out_changes_nothing(
            mut all in prop::collection::vec((0..12_u64, 0..4_u8), 0..12),
            is_in_order: bool,
            most in 0..12_usize,
        ) {
            if is_in_order {
                all.sort_unstable();
            }
            let all: Vec<_> = all.into_iter().map(|(date, what)| DatedResponse { date: Some(second(date)), number: 0, content: what }).collect();
            let mut kept = Timeline::default();
            for said in &all {
                kept.add(said.clone());
            }
            let mut short = Timeline(kept.responses().to_vec());
            short.shorten(most);
            prop_assert!(short.responses().len() <= most.max(4));
            for fetched in 0..13 {
                let expected = for_page(all.clone(), fetched);
                let found = for_page(kept.responses().to_vec(), fetched);
                prop_assert!(!is_in_order || found == expected, "{fetched}: {found:?}, not {expected:?}");
                for found in [found, for_page(short.responses().to_vec(), fetched)] {
                    let is_lost = |what: &u8| *what != 0 && !found.contains(what);
                    prop_assert!(!expected.iter().any(is_lost), "{fetched}: {found:?}, not {expected:?}");
                }
            }
        }
    }
}
