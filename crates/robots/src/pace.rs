//! The time at which a bot may fetch. It follows from the times of visit, the delay, and the rate
//! that holds at that moment.
//!
//! A rate for a part of the day holds only there. So the pause that counts is that of the moment in
//! the answer, not that of the question. The last minute of a part of the day belongs to it. The
//! search for a moment has a limit. If none is found, the longest pause counts: a later fetch asks
//! less of a site.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heedful_base::bot::Bot;

use super::parsed::RobotsTxt;
use super::records::{DAY, Minute, Rate, SiteRecord, Window};
use super::selection::own_groups;

/// The most moments that are looked at. Each is one where a pause or a part of the day begins or
/// ends.
const MOST_STEPS: usize = 1000;

/// The pace that a robots.txt asks of a bot.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) delay: Duration,
    pub(super) rates: Vec<Rate>,
    /// The times of visit; an empty list means always.
    pub(super) visits: Vec<Window>,
}

impl RobotsTxt {
    /// The time that `bot` is asked to let pass between two fetches: the longest `Crawl-delay` of
    /// its groups.
    pub fn crawl_delay(&self, bot: &Bot) -> Option<Duration> {
        self.records_for(bot)
            .filter_map(|record| record.delay())
            .max()
    }

    /// The highest rates that `bot` is asked to keep to: its groups' `Request-rate`s.
    pub fn request_rates(&self, bot: &Bot) -> Vec<Rate> {
        self.records_for(bot)
            .filter_map(|record| record.rate())
            .collect()
    }

    /// The times at which `bot` is asked to come: its groups' `Visit-time`s. An empty list means
    /// always.
    pub fn visit_times(&self, bot: &Bot) -> Vec<Window> {
        self.records_for(bot)
            .filter_map(|record| record.window())
            .collect()
    }

    /// The first moment, `now` or later, at which `bot` may fetch, if it last fetched at `before`.
    /// The times of visit, the delay, and the slowest rate that holds then decide.
    pub fn next_fetch(&self, bot: &Bot, now: SystemTime, before: Option<SystemTime>) -> SystemTime {
        self.pace(bot).next(now, before)
    }

    /// The time that `bot` is asked to wait between two fetches at this moment. It is the delay, or
    /// the slowest rate that holds then.
    pub fn pause(&self, bot: &Bot, at: SystemTime) -> Duration {
        self.pace(bot).pause(at)
    }

    fn pace(&self, bot: &Bot) -> Pace {
        let delay = self.crawl_delay(bot).unwrap_or_default();
        Pace {
            delay,
            rates: self.request_rates(bot),
            visits: self.visit_times(bot),
        }
    }

    fn records_for(&self, bot: &Bot) -> impl Iterator<Item = SiteRecord<'_>> {
        own_groups(self.readings.fullest(), bot)
            .flatten()
            .filter_map(SiteRecord::from_line)
    }
}

impl Pace {
    /// The time between two fetches, at this moment.
    pub(super) fn pause(&self, at: SystemTime) -> Duration {
        let minute = minute_of(at);
        let holds = |rate: &&Rate| rate.window().is_none_or(|window| window.holds(minute));
        self.longest_pause(self.rates.iter().filter(holds))
    }

    /// The longest of the delay and the times between two fetches that rates ask for.
    fn longest_pause<'a>(&self, rates: impl Iterator<Item = &'a Rate>) -> Duration {
        rates
            .map(|rate| rate.interval())
            .fold(self.delay, Duration::max)
    }

    /// The first moment, `now` or later, at which the bot may fetch, if it last fetched at
    /// `before`.
    pub(super) fn next(&self, now: SystemTime, before: Option<SystemTime>) -> SystemTime {
        let mut at = now;
        for _ in 0..MOST_STEPS {
            let end = after(before, self.pause(at)).filter(|end| *end > at);
            if end.is_none() && self.may_visit(at) {
                return at;
            }
            match end.into_iter().chain(self.border(at)).min() {
                Some(next) => at = next,
                None => return at,
            }
        }
        let end = after(before, self.longest_pause(self.rates.iter()));
        self.in_a_visit(end.map_or(now, |end| end.max(now)))
    }

    fn may_visit(&self, at: SystemTime) -> bool {
        let minute = minute_of(at);
        self.visits.is_empty() || self.visits.iter().any(|window| window.holds(minute))
    }

    /// The next moment at which a part of the day begins or has ended.
    fn border(&self, at: SystemTime) -> Option<SystemTime> {
        let minute = minute_of(at);
        let rates = self.rates.iter().filter_map(|rate| rate.window());
        let windows = self.visits.iter().copied().chain(rates);
        let waits = windows.flat_map(|window| [window.wait(minute), window.rest(minute)]);
        // A border in this minute has already been passed.
        let next = waits.map(|wait| if wait == 0 { DAY } else { wait }).min()?;
        Some(minutes_after(at, next))
    }

    fn in_a_visit(&self, at: SystemTime) -> SystemTime {
        if self.may_visit(at) {
            return at;
        }
        let minute = minute_of(at);
        let waits = self.visits.iter().map(|window| window.wait(minute));
        match waits.min() {
            Some(wait) => minutes_after(at, wait),
            None => at,
        }
    }
}

/// The moment this long after a fetch, if there was one.
fn after(fetch: Option<SystemTime>, pause: Duration) -> Option<SystemTime> {
    fetch?.checked_add(pause)
}

/// The beginning of the minute that comes this many minutes after this one.
fn minutes_after(at: SystemTime, minutes: Minute) -> SystemTime {
    let now = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 60;
    UNIX_EPOCH + Duration::from_secs((now + u64::from(minutes)) * 60)
}

fn minute_of(time: SystemTime) -> Minute {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    Minute::try_from(seconds / 60 % u64::from(DAY)).unwrap_or(0)
}
