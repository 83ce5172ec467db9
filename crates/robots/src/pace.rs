//! Computes when a bot may fetch next, from the times of visit, the delay and the rates of a
//! robots.txt.
//!
//! A `Request-rate` for a part of the day applies only in that part, whose last minute belongs to
//! it. So the pause is computed for the time of the next fetch, not for the time of the query. The
//! search for the time of the next fetch is bounded. If it finds no time, the longest pause
//! applies, since a later fetch burdens a site less.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heedful_base::bot::Bot;

use super::parsed::RobotsTxt;
use super::records::{DAY, Minute, Rate, SiteRecord, Window};
use super::selection::own_groups;

/// Maximum number of points in time that the search for the next fetch tries. At each of these
/// points, a pause ends, or a time window of the robots.txt begins or ends.
const MOST_STEPS: usize = 1000;

/// Limits of a robots.txt on the pace at which one bot may fetch.
#[derive(Debug)]
pub(super) struct Pace {
    /// Longest `Crawl-delay` that applies to the bot. It is zero if no `Crawl-delay` applies.
    pub(super) delay: Duration,
    /// All `Request-rate`s that apply to the bot.
    pub(super) rates: Vec<Rate>,
    /// Times of day at which the bot may fetch, by `Visit-time`. An empty list means always.
    pub(super) visits: Vec<Window>,
}

impl RobotsTxt {
    /// Returns the minimum time between two fetches of `bot`: the longest `Crawl-delay` of its
    /// groups. Returns `None` if its groups have no `Crawl-delay`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: FooBot\nCrawl-delay: 2.5");
    /// assert_eq!(robots.crawl_delay(&Bot::new("FooBot")?), Some(Duration::from_millis(2500)));
    /// assert_eq!(robots.crawl_delay(&Bot::new("BarBot")?), None);
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn crawl_delay(&self, bot: &Bot) -> Option<Duration> {
        self.records_for(bot)
            .filter_map(|record| record.delay())
            .max()
    }

    /// Returns the maximum rates at which `bot` may fetch, by the `Request-rate`s of its groups.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nRequest-rate: 1/10s\nRequest-rate: fast");
    /// let rates = robots.request_rates(&Bot::new("FooBot")?);
    /// assert_eq!(rates.len(), 1);
    /// assert_eq!(rates[0].seconds(), 10);
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn request_rates(&self, bot: &Bot) -> Vec<Rate> {
        self.records_for(bot)
            .filter_map(|record| record.rate())
            .collect()
    }

    /// Returns the times of day at which `bot` may fetch: the `Visit-time`s of its groups. An empty
    /// list means always.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: FooBot\nVisit-time: 2200-0500");
    /// assert_eq!(robots.visit_times(&Bot::new("FooBot")?).len(), 1);
    /// assert!(robots.visit_times(&Bot::new("BarBot")?).is_empty());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn visit_times(&self, bot: &Bot) -> Vec<Window> {
        self.records_for(bot)
            .filter_map(|record| record.window())
            .collect()
    }

    /// Returns the earliest time, `now` or later, at which `bot` may fetch. `before` is the time of
    /// the bot's last fetch. It is `None` if the bot has not fetched yet. The result meets the
    /// `Visit-time`s, the `Crawl-delay`, and each `Request-rate` that applies at the returned time.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 5");
    /// let (bot, now) = (Bot::new("FooBot")?, SystemTime::UNIX_EPOCH);
    /// assert_eq!(robots.next_fetch(&bot, now, None), now);
    /// assert_eq!(robots.next_fetch(&bot, now, Some(now)), now + Duration::from_secs(5));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn next_fetch(&self, bot: &Bot, now: SystemTime, before: Option<SystemTime>) -> SystemTime {
        self.pace(bot).next(now, before)
    }

    /// Returns the minimum time between two fetches of `bot` at the time `at`. It is the longer of
    /// two times: the `Crawl-delay`, and the interval of the slowest `Request-rate` that applies at
    /// `at`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let file = b"User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/60 0000-0559";
    /// let robots = RobotsTxt::parse(file);
    /// let (bot, midnight) = (Bot::new("FooBot")?, SystemTime::UNIX_EPOCH);
    /// assert_eq!(robots.pause(&bot, midnight), Duration::from_secs(60));
    /// let noon = midnight + Duration::from_secs(12 * 3600);
    /// assert_eq!(robots.pause(&bot, noon), Duration::from_secs(2));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn pause(&self, bot: &Bot, at: SystemTime) -> Duration {
        self.pace(bot).pause(at)
    }

    /// Collects the limits of the robots.txt on the pace of `bot`.
    fn pace(&self, bot: &Bot) -> Pace {
        let delay = self.crawl_delay(bot).unwrap_or_default();
        Pace {
            delay,
            rates: self.request_rates(bot),
            visits: self.visit_times(bot),
        }
    }

    /// Returns the records in the groups that apply to `bot`. A record is a line such as
    /// `Crawl-delay`.
    fn records_for(&self, bot: &Bot) -> impl Iterator<Item = SiteRecord<'_>> {
        own_groups(self.readings.fullest(), bot)
            .flatten()
            .filter_map(SiteRecord::from_line)
    }
}

impl Pace {
    /// Returns the minimum time between two fetches of the bot at the time `at`, by its delay and
    /// rates.
    pub(super) fn pause(&self, at: SystemTime) -> Duration {
        let minute = minute_of(at);
        let holds = |rate: &&Rate| rate.window().is_none_or(|window| window.holds(minute));
        self.longest_pause(self.rates.iter().filter(holds))
    }

    /// Returns the longest of the bot's delay and the intervals of `rates`.
    fn longest_pause<'a>(&self, rates: impl Iterator<Item = &'a Rate>) -> Duration {
        rates
            .map(|rate| rate.interval())
            .fold(self.delay, Duration::max)
    }

    /// Returns the earliest time, `now` or later, at which the bot may fetch. `before` is the time
    /// of its last fetch. It is `None` if the bot has not fetched yet.
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

    /// True if the bot may fetch at the time `at`, by the `Visit-time`s of its groups.
    fn may_visit(&self, at: SystemTime) -> bool {
        let minute = minute_of(at);
        self.visits.is_empty() || self.visits.iter().any(|window| window.holds(minute))
    }

    /// Returns the first time after `at` at which a time window begins or ends. A window ends after
    /// its last minute. The windows are those of all `Visit-time`s and `Request-rate`s for the bot.
    /// Returns `None` if there are no windows.
    fn border(&self, at: SystemTime) -> Option<SystemTime> {
        let minute = minute_of(at);
        let rates = self.rates.iter().filter_map(|rate| rate.window());
        let windows = self.visits.iter().copied().chain(rates);
        let waits = windows.flat_map(|window| [window.wait(minute), window.rest(minute)]);
        // A border in the current minute is over; its next occurrence is a day later.
        let next = waits.map(|wait| if wait == 0 { DAY } else { wait }).min()?;
        Some(minutes_after(at, next))
    }

    /// Returns the earliest time, `at` or later, at which the `Visit-time`s of the bot's groups
    /// allow a fetch.
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

/// Returns the end of the pause after a fetch: the time `fetch` plus `pause`. Returns `None`
/// without a fetch.
fn after(fetch: Option<SystemTime>, pause: Duration) -> Option<SystemTime> {
    fetch?.checked_add(pause)
}

/// Returns the start of the minute that is `minutes` minutes after the minute of `at`.
fn minutes_after(at: SystemTime, minutes: Minute) -> SystemTime {
    let now = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 60;
    UNIX_EPOCH + Duration::from_secs((now + u64::from(minutes)) * 60)
}

/// Returns the minute of the day, in UTC, of the time `time`.
fn minute_of(time: SystemTime) -> Minute {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    Minute::try_from(seconds / 60 % u64::from(DAY)).unwrap_or(0)
}
