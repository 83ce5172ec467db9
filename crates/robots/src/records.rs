//! Parses the records of a robots.txt other than rules: delays, rates, times of visit, sitemaps and
//! records on uses (docs/semantics.md, section 6).
//!
//! A record whose value does not parse has no effect. If several delays or rates are for one bot,
//! the slowest applies.

use std::fmt;
use std::time::Duration;

use super::line::{LineKind, RobotsLine};

/// Record of a robots.txt, such as `Crawl-delay` or `Sitemap`. A record is a line with a known key,
/// but no agent line and no rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteRecord<'a> {
    /// Kind of the record, which follows from its key.
    pub(super) kind: RecordKind,
    /// Number of the line, from 1.
    pub(super) line: u32,
    /// Value of the record: the text after the colon.
    pub(super) value: &'a str,
}

/// Kind of a [`SiteRecord`]. The order of the variants is part of the format in which robots.txt
/// files are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordKind {
    CrawlDelay,
    RequestRate,
    VisitTime,
    Sitemap,
    Host,
    CleanParam,
    License,
    Noindex,
    ContentSignal,
    ContentUsage,
    DisallowTraining,
    AllowTraining,
    Reservation,
    /// `Disallow` in a group whose `User-agent` names the purpose training, such as `ai-train`. Its
    /// effect is that of `DisallowTraining`.
    TrainingDisallow,
    /// `Allow` in a group whose `User-agent` names the purpose training, such as `ai-train`. Its
    /// effect is that of `AllowTraining`.
    TrainingAllow,
}

/// Keys of records, each with the kind of record that it begins. The first key of a kind is the
/// kind's name.
pub(super) const KEYS: [(&str, RecordKind); 16] = [
    ("Crawl-delay", RecordKind::CrawlDelay),
    ("crawldelay", RecordKind::CrawlDelay),
    ("Request-rate", RecordKind::RequestRate),
    ("Visit-time", RecordKind::VisitTime),
    ("Sitemap", RecordKind::Sitemap),
    ("site-map", RecordKind::Sitemap),
    ("Host", RecordKind::Host),
    ("Clean-param", RecordKind::CleanParam),
    ("License", RecordKind::License),
    ("Noindex", RecordKind::Noindex),
    ("Content-Signal", RecordKind::ContentSignal),
    ("Content-Signals", RecordKind::ContentSignal),
    ("Content-Usage", RecordKind::ContentUsage),
    ("DisallowAITraining", RecordKind::DisallowTraining),
    ("AllowAITraining", RecordKind::AllowTraining),
    ("TDM-Reservation", RecordKind::Reservation),
];

/// Length of the longest key of a record, in bytes.
const LONGEST_KEY: usize = "DisallowAITraining".len();

impl RecordKind {
    /// Returns the kind of record that has the key `key`, in any letter case. Returns `None` if no
    /// record has this key.
    pub(super) fn from_key(key: &[u8]) -> Option<Self> {
        let (_, kind) = KEYS
            .iter()
            .find(|(name, _)| key.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(*kind)
    }

    /// Splits a record into its kind and the text after the colon. Returns `None` if the line does
    /// not begin with the key of a record and a colon.
    pub(super) fn split(line: &[u8]) -> Option<(Self, &[u8])> {
        let front = &line[..line.len().min(LONGEST_KEY + 1)];
        let colon = front.iter().position(|byte| *byte == b':')?;
        Some((Self::from_key(&line[..colon])?, &line[colon + 1..]))
    }

    /// Byte that stands for this kind of record in the stored form of a parsed line.
    pub(super) fn mark(self) -> u8 {
        self as u8
    }

    /// Key of this kind of record in the usual spelling.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TrainingDisallow => "Disallow",
            Self::TrainingAllow => "Allow",
            _ => KEYS
                .iter()
                .find(|(_, kind)| *kind == self)
                .map_or("", |(name, _)| name),
        }
    }
}

impl<'a> SiteRecord<'a> {
    /// Converts a parsed line to a record. Returns `None` if the line is an agent line or a rule.
    pub(super) fn from_line(line: RobotsLine<'a>) -> Option<Self> {
        if line.kind() != LineKind::Record {
            return None;
        }
        let (mark, value) = line.text.split_first()?;
        let kind = KEYS.iter().find(|(_, kind)| kind.mark() == *mark)?.1;
        Some(Self {
            kind,
            line: line.number(),
            value: std::str::from_utf8(value).ok()?,
        })
    }
}

/// Time of day, in minutes after midnight, UTC.
pub(super) type Minute = u16;

/// Part of the day, in UTC. If the end is before the start, the part goes past midnight.
///
/// ```
/// use heedful_robots::{Bot, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nVisit-time: 0600-0845");
/// let times = robots.visit_times(&Bot::new("FooBot")?);
/// assert_eq!(times[0].to_string(), "0600-0845");
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    from: Minute,
    to: Minute,
}

impl Window {
    /// Parses a part of the day in the format `HHMM-HHMM`.
    fn read(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        Some(Self {
            from: minute(from.trim())?,
            to: minute(to.trim())?,
        })
    }

    /// True if `minute` is in this part of the day. The last minute of the part belongs to it.
    pub(super) fn holds(self, minute: Minute) -> bool {
        if self.from <= self.to {
            (self.from..=self.to).contains(&minute)
        } else {
            minute >= self.from || minute <= self.to
        }
    }

    /// Number of minutes from `minute` to the next start of this part of the day.
    pub(super) fn wait(self, minute: Minute) -> Minute {
        (self.from + DAY - minute) % DAY
    }

    /// Number of minutes from `minute` to the next end of this part of the day: the first minute
    /// after the part.
    pub(super) fn rest(self, minute: Minute) -> Minute {
        (self.to + 1 + DAY - minute) % DAY
    }
}

/// Number of minutes in a day.
pub(super) const DAY: Minute = 24 * 60;

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:04}", hhmm(self.from), hhmm(self.to))
    }
}

/// Returns `minute`, a minute of the day, as the decimal number `HHMM`.
fn hhmm(minute: Minute) -> Minute {
    minute / 60 * 100 + minute % 60
}

/// Parses a time of day in the format `HHMM` or `HH:MM`.
fn minute(text: &str) -> Option<Minute> {
    let digits = text.replace(':', "");
    if digits.len() != 4 {
        return None;
    }
    let number: Minute = digits.parse().ok()?;
    let hour = number / 100;
    let minute = number % 100;
    if hour > 24 || minute >= 60 {
        return None;
    }
    Some((hour * 60 + minute) % DAY)
}

/// Maximum rate of fetches: a number of documents in a number of seconds. The rate applies to the
/// whole day or to a part of the day.
///
/// # Examples
///
/// ```
/// use heedful_robots::{Bot, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nRequest-rate: 10/1m 1300-1659");
/// let rate = robots.request_rates(&Bot::new("FooBot")?)[0];
/// assert_eq!((rate.documents(), rate.seconds()), (10, 60));
/// assert_eq!(rate.window().unwrap().to_string(), "1300-1659");
/// assert_eq!(rate.to_string(), "10/60 1300-1659");
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    documents: u32,
    seconds: u32,
    window: Option<Window>,
}

impl Rate {
    /// Parses a rate such as `1/5`, `10/1h` or `1/10m 1300-1659`. A rate is a number of documents
    /// per time. It may be followed by a part of the day. A time without a unit is in seconds.
    /// Returns `None` if the text has another format.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let (documents, time) = words.next()?.split_once('/')?;
        let (number, unit) = match time.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
            Some((at, unit)) if at + 1 == time.len() => (&time[..at], unit.to_ascii_lowercase()),
            None => (time, 's'),
            Some(_) => return None,
        };
        let unit = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            _ => return None,
        };
        let window = match words.next() {
            Some(window) => Some(Window::read(window)?),
            None => None,
        };
        let documents = documents.parse().ok()?;
        let seconds = number.parse::<u32>().ok()?.checked_mul(unit)?;
        (documents > 0 && seconds > 0).then_some(Self {
            documents,
            seconds,
            window,
        })
    }

    /// Maximum number of documents that a bot may fetch in [`Rate::seconds`] seconds.
    pub fn documents(self) -> u32 {
        self.documents
    }

    /// Number of seconds in which a bot may fetch [`Rate::documents`] documents.
    pub fn seconds(self) -> u32 {
        self.seconds
    }

    /// Part of the day to which the rate applies; `None` is the whole day.
    pub fn window(self) -> Option<Window> {
        self.window
    }

    /// Minimum time between two fetches by this rate.
    pub(super) fn interval(self) -> Duration {
        Duration::from_secs(self.seconds.into()) / self.documents
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.documents, self.seconds)?;
        match self.window {
            Some(window) => write!(f, " {window}"),
            None => Ok(()),
        }
    }
}

impl SiteRecord<'_> {
    /// Parses the value of a `Crawl-delay`, which is in seconds. Returns `None` for another kind of
    /// record, or if the value does not parse.
    pub(super) fn delay(&self) -> Option<Duration> {
        let mut bytes = self.value.bytes();
        if self.kind != RecordKind::CrawlDelay
            || !bytes.all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            return None;
        }
        Duration::try_from_secs_f64(self.value.parse().ok()?).ok()
    }

    /// Parses the value of a `Request-rate`. Returns `None` for another kind of record, or if the
    /// value does not parse.
    pub(super) fn rate(&self) -> Option<Rate> {
        if self.kind != RecordKind::RequestRate {
            return None;
        }
        Rate::read(self.value)
    }

    /// Parses the value of a `Visit-time`. Returns `None` for another kind of record, or if the
    /// value does not parse.
    pub(super) fn window(&self) -> Option<Window> {
        if self.kind != RecordKind::VisitTime {
            return None;
        }
        Window::read(self.value)
    }

    /// True if the record's value does not have the format that the kind of record requires. False
    /// if this kind requires no format.
    pub(super) fn is_unreadable(&self) -> bool {
        match self.kind {
            RecordKind::CrawlDelay => self.delay().is_none(),
            RecordKind::RequestRate => self.rate().is_none(),
            RecordKind::VisitTime => self.window().is_none(),
            RecordKind::Sitemap => !is_whole_url(self.value),
            _ => false,
        }
    }
}

/// True if a text begins with a scheme, `://` and further text. The text is not parsed as a URL,
/// because parsing is too slow for a robots.txt with thousands of sitemaps.
fn is_whole_url(text: &str) -> bool {
    let scheme = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    match text[scheme..].strip_prefix("://") {
        Some(host) => scheme > 0 && !host.is_empty(),
        None => false,
    }
}

/// True if records of this kind allow or deny uses of pages.
pub(super) fn is_usage(kind: RecordKind) -> bool {
    is_path_alone(kind) || is_for_everybody(kind)
}

/// True if a record of this kind may come before the first group. There, the record applies to
/// every bot.
pub(super) fn is_for_everybody(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::ContentSignal | RecordKind::ContentUsage | RecordKind::Reservation
    )
}

/// True if a record of this kind can deny a use of a page.
pub(super) fn may_deny(kind: RecordKind) -> bool {
    is_usage(kind) && kind != RecordKind::AllowTraining
}

/// True if the value of a record of this kind is a path and nothing else.
pub(super) fn is_path_alone(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::Noindex
            | RecordKind::DisallowTraining
            | RecordKind::AllowTraining
            | RecordKind::TrainingDisallow
            | RecordKind::TrainingAllow
    )
}
