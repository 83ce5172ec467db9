//! Records of a robots.txt other than rules: delays, rates, times, sitemaps (docs/semantics.md,
//! section 6).
//!
//! Values that cannot be read have no effect. If several hold, the slower one counts.

use std::fmt;
use std::time::Duration;

use super::line::{LineKind, RobotsLine};

/// A record that is no rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteRecord<'a> {
    pub(super) kind: RecordKind,
    pub(super) line: u32,
    pub(super) value: &'a str,
}

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
    /// A rule of a group for training. For use it means the same as `DisallowTraining`.
    TrainingDisallow,
    TrainingAllow,
}

/// The keys of records. The first one of each kind is its name.
const KEYS: [(&str, RecordKind); 16] = [
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

impl RecordKind {
    pub(super) fn from_key(key: &[u8]) -> Option<Self> {
        let (_, kind) = KEYS
            .iter()
            .find(|(name, _)| key.eq_ignore_ascii_case(name.as_bytes()))?;
        Some(*kind)
    }

    /// The byte that encodes it in a packed line.
    pub(super) fn mark(self) -> u8 {
        self as u8
    }

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

/// The keys of records, each with its kind.
pub(super) fn keys() -> impl Iterator<Item = (&'static str, RecordKind)> {
    KEYS.into_iter()
}

impl<'a> SiteRecord<'a> {
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

/// A time of day: minutes after midnight, UTC.
pub(super) type Minute = u16;

/// A part of the day, UTC. One that ends before it begins goes over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    from: Minute,
    to: Minute,
}

impl Window {
    fn read(text: &str) -> Option<Self> {
        let (from, to) = text.split_once('-')?;
        Some(Self {
            from: minute(from.trim())?,
            to: minute(to.trim())?,
        })
    }

    /// True if a minute of the day is in it, the last one included.
    pub(super) fn holds(self, minute: Minute) -> bool {
        if self.from <= self.to {
            (self.from..=self.to).contains(&minute)
        } else {
            minute >= self.from || minute <= self.to
        }
    }

    /// The number of minutes from `minute` to its beginning.
    pub(super) fn wait(self, minute: Minute) -> Minute {
        (self.from + DAY - minute) % DAY
    }

    /// The number of minutes from `minute` to the first one after the window.
    pub(super) fn rest(self, minute: Minute) -> Minute {
        (self.to + 1 + DAY - minute) % DAY
    }
}

pub(super) const DAY: Minute = 24 * 60;

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:04}", hhmm(self.from), hhmm(self.to))
    }
}

/// The hours and minutes of a minute of the day, as one number.
fn hhmm(minute: Minute) -> Minute {
    minute / 60 * 100 + minute % 60
}

/// Reads `HHMM`, with or without a colon in it.
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

/// A number of documents in an amount of time, for the whole day or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    documents: u32,
    seconds: u32,
    window: Option<Window>,
}

impl Rate {
    /// Reads `1/5`, `10/1h`, `1/10m 1300-1659`.
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

    /// The number of documents.
    pub fn documents(self) -> u32 {
        self.documents
    }

    /// The number of seconds for that many documents.
    pub fn seconds(self) -> u32 {
        self.seconds
    }

    /// The part of the day that the rate is for; `None` is the whole day.
    pub fn window(self) -> Option<Window> {
        self.window
    }

    /// The time between two documents.
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
    pub(super) fn delay(&self) -> Option<Duration> {
        let mut bytes = self.value.bytes();
        if self.kind != RecordKind::CrawlDelay
            || !bytes.all(|byte| byte.is_ascii_digit() || byte == b'.')
        {
            return None;
        }
        Duration::try_from_secs_f64(self.value.parse().ok()?).ok()
    }

    pub(super) fn rate(&self) -> Option<Rate> {
        if self.kind != RecordKind::RequestRate {
            return None;
        }
        Rate::read(self.value)
    }

    pub(super) fn window(&self) -> Option<Window> {
        if self.kind != RecordKind::VisitTime {
            return None;
        }
        Window::read(self.value)
    }

    /// True if its kind has a form for values, and the value is not written so.
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

/// True if a text begins with a scheme and a host. A file may have thousands of sitemaps, so they
/// are not parsed.
fn is_whole_url(text: &str) -> bool {
    let scheme = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    match text[scheme..].strip_prefix("://") {
        Some(host) => scheme > 0 && !host.is_empty(),
        None => false,
    }
}

/// True if a record is on the use of pages.
pub(super) fn is_usage(kind: RecordKind) -> bool {
    is_path_alone(kind) || is_for_everybody(kind)
}

/// True if it also counts before the first group.
pub(super) fn is_for_everybody(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::ContentSignal | RecordKind::ContentUsage | RecordKind::Reservation
    )
}

/// True if it can deny.
pub(super) fn may_deny(kind: RecordKind) -> bool {
    is_usage(kind) && kind != RecordKind::AllowTraining
}

/// True if the value of such a record is a path and nothing else.
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
