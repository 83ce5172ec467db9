//! The one rule about a site's answers over time (docs/semantics.md, section 6): which of them
//! count for a page.
//!
//! The gate of a run and the memory of an index share it, so two runs leave what one run over both
//! inputs would. It errs on the strict side: where a date is not kept, more answers count.

use std::time::{Duration, SystemTime};

use heedful_index::whole_seconds;

/// A date that is later than the clock by more is wrong.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An answer of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatedAnswers<T> {
    /// When the site gave it, in whole seconds. Without a date it counts for every page.
    pub(super) date: Option<SystemTime>,
    /// The number of the record before which it was heard.
    pub(super) number: u64,
    pub(super) what: T,
}

impl<T> DatedAnswers<T> {
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> DatedAnswers<U> {
        DatedAnswers {
            date: self.date,
            number: self.number,
            what: change(self.what),
        }
    }
}

/// The answers that count for a page that was fetched at this time: the one in force then (of its
/// second, all), and all later ones. Without a time all count. An answer that is none (`is_none`)
/// takes nothing back: it counts only while it is in force, or where nothing was.
pub(super) fn counting<T>(
    mut said: Vec<DatedAnswers<T>>,
    fetched: Option<SystemTime>,
    is_none: impl Fn(&T) -> bool,
) -> Vec<DatedAnswers<T>> {
    let Some(fetched) = fetched else { return said };
    let in_force = said
        .iter()
        .filter_map(|said| said.date)
        .filter(|date| *date <= fetched)
        .max();
    said.retain(|said| match said.date.zip(in_force) {
        Some((date, since)) => date == since || date > since && !is_none(&said.what),
        None => true,
    });
    said
}

/// A date in whole seconds, unless it is ahead of the clock.
pub(super) fn dated(date: Option<SystemTime>, now: SystemTime) -> Option<SystemTime> {
    date.filter(|date| *date <= now + DAY).map(whole_seconds)
}

/// The answers of one site, in the order of their dates. Of equal ones in a row the first and the
/// last are kept: the others change nothing.
#[derive(Debug)]
pub(super) struct Timeline<T>(Vec<DatedAnswers<T>>);

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Timeline<T> {
    pub(super) fn said(&self) -> &[DatedAnswers<T>] {
        &self.0
    }

    pub(super) fn into_said(self) -> Vec<DatedAnswers<T>> {
        self.0
    }

    pub(super) fn has(&self, what: &T) -> bool {
        self.0.iter().any(|said| said.what == *what)
    }

    /// Adds an answer. Returns true if more may be forbidden now than before.
    pub(super) fn add(&mut self, new: DatedAnswers<T>) -> bool {
        if self
            .0
            .iter()
            .any(|said| said.date == new.date && said.what == new.what)
        {
            return false;
        }
        let at = self.0.partition_point(|said| said.date <= new.date);
        self.0.insert(at, new);
        let is_new = (at == 0 || !self.is_repeated(at - 1)) && !self.is_repeated(at);
        if let Some(within) = (at.saturating_sub(1)..=at + 1).find(|at| self.is_within_row(*at)) {
            self.forget(within);
        }
        is_new
    }

    /// Forgets the first answer that was given again, while there are more than `most`.
    pub(super) fn shorten(&mut self, most: usize) {
        while self.0.len() > most {
            let is_again = |at: &usize| self.0[*at].date.is_some() && self.again(*at).is_some();
            let Some(first) = (0..self.0.len()).find(is_again) else {
                return;
            };
            self.forget(first);
        }
    }

    /// The next time that the same answer was given.
    fn again(&self, at: usize) -> Option<usize> {
        (at + 1..self.0.len()).find(|later| self.0[*later].what == self.0[at].what)
    }

    /// True if the next answer is the same.
    fn is_repeated(&self, at: usize) -> bool {
        self.0[at].date.is_some()
            && self
                .0
                .get(at + 1)
                .is_some_and(|next| next.what == self.0[at].what)
    }

    /// True if the answers before and behind are the same. The first of them must have its second
    /// for itself: otherwise another answer may have followed it.
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

    /// The answers that count, each once.
    fn for_page(said: Vec<DatedAnswers<u8>>, fetched: u64) -> Vec<u8> {
        let counting = counting(said, Some(second(fetched)), |what| *what == 0);
        let mut all: Vec<_> = counting.into_iter().map(|said| said.what).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// What a timeline leaves out changes nothing where answers come in order. In any order,
        /// and where it was shortened, no answer is lost that counts.
        #[test]
        fn what_is_left_out_changes_nothing(
            mut all in prop::collection::vec((0..12_u64, 0..4_u8), 0..12),
            is_in_order: bool,
            most in 0..12_usize,
        ) {
            if is_in_order {
                all.sort_unstable();
            }
            let all: Vec<_> = all.into_iter().map(|(date, what)| DatedAnswers { date: Some(second(date)), number: 0, what }).collect();
            let mut kept = Timeline::default();
            for said in &all {
                kept.add(said.clone());
            }
            let mut short = Timeline(kept.said().to_vec());
            short.shorten(most);
            prop_assert!(short.said().len() <= most.max(4));
            for fetched in 0..13 {
                let expected = for_page(all.clone(), fetched);
                let found = for_page(kept.said().to_vec(), fetched);
                prop_assert!(!is_in_order || found == expected, "{fetched}: {found:?}, not {expected:?}");
                for found in [found, for_page(short.said().to_vec(), fetched)] {
                    let is_lost = |what: &u8| *what != 0 && !found.contains(what);
                    prop_assert!(!expected.iter().any(is_lost), "{fetched}: {found:?}, not {expected:?}");
                }
            }
        }
    }
}
