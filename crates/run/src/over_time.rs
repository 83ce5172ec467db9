//! The one rule about a site's answers over time (docs/semantics.md, section 6): which of them
//! count for a page.
//!
//! The gate of a run and the memory of an index share it, so two runs leave what one run over both
//! inputs would. It errs on the strict side: where a date is not kept, more answers count.

use std::time::{Duration, SystemTime};

use heedful_index::whole_seconds;

/// A date that is later than the clock by more is wrong.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An answer of a site, with its date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatedAnswer<T> {
    /// When the site gave it, in whole seconds. Without a date it counts for every page.
    pub(super) date: Option<SystemTime>,
    /// The number of the record before which it was read.
    pub(super) number: u64,
    pub(super) what: T,
}

impl<T> DatedAnswer<T> {
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> DatedAnswer<U> {
        DatedAnswer {
            date: self.date,
            number: self.number,
            what: change(self.what),
        }
    }
}

/// The answers that count for a page that was fetched at this time: the one in force then (of its
/// second, all), and all later ones. Without a time all count. An answer that is none (`is_none`)
/// takes nothing back: it counts only while it is in force, or where nothing was.
pub(super) fn select<T>(
    mut answers: Vec<DatedAnswer<T>>,
    fetched: Option<SystemTime>,
    is_none: impl Fn(&T) -> bool,
) -> Vec<DatedAnswer<T>> {
    let Some(fetched) = fetched else {
        return answers;
    };
    let dates = answers.iter().filter_map(|answer| answer.date);
    let in_force = dates.filter(|date| *date <= fetched).max();
    answers.retain(|answer| match (answer.date, in_force) {
        (Some(date), Some(since)) => date == since || date > since && !is_none(&answer.what),
        _ => true,
    });
    answers
}

/// A date in whole seconds, unless it is ahead of the clock.
pub(super) fn whole_date(date: Option<SystemTime>, now: SystemTime) -> Option<SystemTime> {
    date.filter(|date| *date <= now + DAY).map(whole_seconds)
}

/// The answers of one site, in the order of their dates. Of equal ones in a row the first and the
/// last are kept: the others change nothing.
#[derive(Debug)]
pub(super) struct Timeline<T>(Vec<DatedAnswer<T>>);

impl<T> Default for Timeline<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: PartialEq> Timeline<T> {
    pub(super) fn answers(&self) -> &[DatedAnswer<T>] {
        &self.0
    }

    pub(super) fn into_answers(self) -> Vec<DatedAnswer<T>> {
        self.0
    }

    pub(super) fn has(&self, what: &T) -> bool {
        self.0.iter().any(|answer| answer.what == *what)
    }

    /// Adds an answer. Returns true if more may be forbidden now than before.
    pub(super) fn add(&mut self, new: DatedAnswer<T>) -> bool {
        let is_same = |known: &DatedAnswer<T>| known.date == new.date && known.what == new.what;
        if self.0.iter().any(is_same) {
            return false;
        }
        let at = self.0.partition_point(|answer| answer.date <= new.date);
        self.0.insert(at, new);
        let is_new = (at == 0 || !self.is_repeated(at - 1)) && !self.is_repeated(at);
        if let Some(inner) = (at.saturating_sub(1)..=at + 1).find(|at| self.is_within_row(*at)) {
            self.forget(inner);
        }
        is_new
    }

    /// Forgets the first answer that was given again, while there are more than `most`.
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

    /// The next time that the same answer was given.
    fn again(&self, at: usize) -> Option<usize> {
        (at + 1..self.0.len()).find(|later| self.0[*later].what == self.0[at].what)
    }

    /// True if the next answer is the same.
    fn is_repeated(&self, at: usize) -> bool {
        match self.0.get(at..at + 2) {
            Some([answer, next]) => answer.date.is_some() && answer.what == next.what,
            _ => false,
        }
    }

    /// True if the answers before and after are the same. The first of them must have its second
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
    fn for_page(said: Vec<DatedAnswer<u8>>, fetched: u64) -> Vec<u8> {
        let counting = select(said, Some(second(fetched)), |what| *what == 0);
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
            let all: Vec<_> = all.into_iter().map(|(date, what)| DatedAnswer { date: Some(second(date)), number: 0, what }).collect();
            let mut kept = Timeline::default();
            for said in &all {
                kept.add(said.clone());
            }
            let mut short = Timeline(kept.answers().to_vec());
            short.shorten(most);
            prop_assert!(short.answers().len() <= most.max(4));
            for fetched in 0..13 {
                let expected = for_page(all.clone(), fetched);
                let found = for_page(kept.answers().to_vec(), fetched);
                prop_assert!(!is_in_order || found == expected, "{fetched}: {found:?}, not {expected:?}");
                for found in [found, for_page(short.answers().to_vec(), fetched)] {
                    let is_lost = |what: &u8| *what != 0 && !found.contains(what);
                    prop_assert!(!expected.iter().any(is_lost), "{fetched}: {found:?}, not {expected:?}");
                }
            }
        }
    }
}
