//! robots.txt: may this bot fetch that URL, and which line says so.
//!
//! By RFC 9309: groups naming one bot are merged, the longest pattern wins, Allow wins a tie, `*` and `$` are special,
//! percent-encoding is compared in a normal form, /robots.txt itself is allowed. Bytes, not UTF-8; one parse serves all
//! bots. Where the file is sloppy the reading is the stricter one: misspelt keys and missing colons count, a pattern
//! without a leading slash is taken as if it had one when it denies and means nothing when it allows.
//! Other readings, of other times and programs, are a setting. What this module never does: fetch, or fail.

mod matching;
mod mode;
mod note;
mod parse;
mod records;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use url::Url;

use crate::bot::Bot;

pub(crate) use matching::Pattern;
use mode::Found;
pub use mode::Mode;
pub use note::{RobotsNote, RobotsNoteKind};
use parse::{Agent, File, Rule};
use records::{DAY, Minute, Record, RecordKind};
pub use records::{Rate, Window};

/// The bytes of a robots.txt that are read, unless set otherwise; the rest is ignored, from the start of the line that
/// passes the limit.
pub(crate) const READ: usize = 500 << 10;

/// What the status of an answer means for a robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Means {
    /// The body has the rules.
    Rules,
    /// There is none: all may be fetched.
    Open,
    /// Nothing may be fetched.
    Shut,
}

impl Means {
    pub(crate) fn of(status: u16) -> Self {
        match status {
            200..=299 => Self::Rules,
            400..=499 if status != 429 => Self::Open,
            _ => Self::Shut,
        }
    }
}

/// A parsed robots.txt.
///
/// ```
/// use heedful::{Bot, RobotsTxt};
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/open");
/// let ruling = robots.ruling(&Bot::new("FooBot")?, "https://example.com/private/a");
/// assert!(!ruling.allowed());
/// assert_eq!((ruling.line(), ruling.rule()), (Some(2), Some("Disallow: /private/")));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RobotsTxt {
    file: Arc<File>,
    mode: Mode,
    /// What stands for a file that could not be had.
    blanket: Option<Blanket>,
}

/// One answer to everything.
#[derive(Clone, Debug)]
struct Blanket {
    allowed: bool,
    why: String,
}

impl RobotsTxt {
    /// The most redirects that are followed from one robots.txt to another (RFC 9309, section 2.3.1.2).
    pub const REDIRECTS: usize = 5;

    /// Reads a robots.txt, its first 500 KiB. Never fails: what is no rule is skipped.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::parse_within(bytes, READ)
    }

    /// The same with another limit, in bytes.
    pub fn parse_within(bytes: &[u8], most: usize) -> Self {
        Self { file: Arc::new(File::read(bytes, most)), ..Self::default() }
    }

    /// What an answer of the site means: a body with a 2xx status is read; 4xx (but 429) means that all may be
    /// fetched; anything else that nothing may (RFC 9309, section 2.3.1).
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        let allowed = match Means::of(status) {
            Means::Rules => return Self::parse(body),
            Means::Open => true,
            Means::Shut => false,
        };
        Self { blanket: Some(Blanket { allowed, why: format!("HTTP status {status}") }), ..Self::default() }
    }

    /// A robots.txt that lets nobody in, for a site whose own is not to be had.
    pub fn shut() -> Self {
        let why = "no robots.txt at hand".to_owned();
        Self { blanket: Some(Blanket { allowed: false, why }), ..Self::default() }
    }

    /// Reads it in another way than RFC 9309 says.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Whether `bot` may fetch `url`, a whole URL or a path with its query.
    pub fn ruling(&self, bot: &Bot, url: &str) -> Ruling<'_> {
        let path = path_of(url);
        // Google's matcher knows no such exception.
        if self.mode != Mode::Google && path.split('?').next() == Some("/robots.txt") {
            return Ruling::plain(Reason::RobotsTxt);
        }
        if let Some(Blanket { allowed, why }) = &self.blanket {
            return Ruling { allowed: *allowed, rule: Some(why), ..Ruling::plain(Reason::Status) };
        }
        let normal = || matching::normal_path(&path);
        match self.mode {
            Mode::Rfc9309 => self.by_rfc(bot, &normal()),
            Mode::Google => self.found(mode::google(&self.file, bot, &path)),
            Mode::Lycos => self.found(mode::lycos(&self.file, bot, &normal())),
            _ => self.found(mode::by_record(&self.file, self.mode, bot, &normal())),
        }
    }

    /// A misspelt agent line takes no bot out of the group it would else belong to: both readings must let it in.
    fn by_rfc(&self, bot: &Bot, path: &[u8]) -> Ruling<'_> {
        let ruling = self.found(mode::rfc9309(&self.file, bot, path, false));
        if self.file.strict.is_none() {
            return ruling;
        }
        let strict = self.found(mode::rfc9309(&self.file, bot, path, true));
        if strict.allowed { ruling } else { strict }
    }

    fn found<'a>(&'a self, found: Found<'a>) -> Ruling<'a> {
        match found {
            Found::NoGroup => Ruling::plain(Reason::NoGroup),
            Found::NoRule => Ruling::plain(Reason::NoRule),
            Found::Rule { rule, allow, agents } => Ruling {
                allowed: allow,
                reason: Reason::Rule,
                line: Some(rule.line),
                rule: Some(self.file.written(rule)),
                agents,
            },
        }
    }

    /// All rules of the bot's groups that match, by RFC 9309, the one that decides first: its line, how it is written,
    /// and whether it allows.
    pub fn matching(&self, bot: &Bot, url: &str) -> Vec<(u32, &str, bool)> {
        let path = path_of(url);
        let path = matching::normal_path(&path);
        let matches = |rule: &&Rule| !rule.is_void && matching::matches(self.file.pattern(rule), &path);
        let mut rules: Vec<_> = self.rules_for(bot).filter(matches).collect();
        rules.sort_by_key(|rule| {
            std::cmp::Reverse((self.file.pattern(rule).len(), rule.allow, std::cmp::Reverse(rule.line)))
        });
        rules.into_iter().map(|rule| (rule.line, self.file.written(rule), rule.allow)).collect()
    }

    fn rules_for<'a>(&'a self, bot: &'a Bot) -> impl Iterator<Item = &'a Rule> {
        mode::own_groups(&self.file, bot).flat_map(|group| &self.file.rules[group.rules.clone()])
    }

    fn records_for<'a>(&'a self, bot: &'a Bot) -> impl Iterator<Item = &'a Record> {
        mode::own_groups(&self.file, bot).flat_map(|group| &self.file.records[group.records.clone()])
    }

    /// The time that `bot` is asked to let pass between two fetches: the longest `Crawl-delay` of its groups.
    pub fn crawl_delay(&self, bot: &Bot) -> Option<Duration> {
        self.records_for(bot).filter_map(Record::delay).max()
    }

    /// How fast `bot` is asked to go, at most: its groups' `Request-rate`s.
    pub fn request_rates(&self, bot: &Bot) -> Vec<Rate> {
        self.records_for(bot).filter_map(Record::rate).collect()
    }

    /// When `bot` is asked to come: its groups' `Visit-time`s; none is always.
    pub fn visit_times(&self, bot: &Bot) -> Vec<Window> {
        self.records_for(bot).filter_map(Record::window).collect()
    }

    /// The addresses of sitemaps, wherever they stand.
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        let records = self.file.records.iter().filter(|record| record.kind == RecordKind::Sitemap);
        records.map(|record| record.value.as_str())
    }

    /// The first moment, `now` or later, at which `bot` may fetch, if it fetched at `before`: by the times of visit, the
    /// delay, and the slowest rate that holds then.
    pub fn next_fetch(&self, bot: &Bot, now: SystemTime, before: Option<SystemTime>) -> SystemTime {
        let at = self.in_a_window(bot, now);
        let rates = self.request_rates(bot).into_iter();
        let rates = rates.filter(|rate| rate.window().is_none_or(|window| window.holds(minute_of(at))));
        let pause = rates.map(Rate::interval).chain(self.crawl_delay(bot)).max().unwrap_or_default();
        let earliest = before.map_or(at, |before| at.max(before + pause));
        if earliest == at { at } else { self.in_a_window(bot, earliest) }
    }

    fn in_a_window(&self, bot: &Bot, at: SystemTime) -> SystemTime {
        let (windows, minute) = (self.visit_times(bot), minute_of(at));
        let wait = windows.iter().map(|window| if window.holds(minute) { 0 } else { window.wait(minute) }).min();
        match wait.unwrap_or(0) {
            0 => at,
            minutes => {
                // A window begins with its minute.
                let now = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 60;
                UNIX_EPOCH + Duration::from_secs((now + u64::from(minutes)) * 60)
            }
        }
    }

    /// What looks wrong in the file.
    pub fn notes(&self) -> &[RobotsNote] {
        &self.file.notes
    }
}

fn minute_of(time: SystemTime) -> Minute {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Minute::try_from(seconds / 60 % u64::from(DAY)).unwrap_or(0)
}

/// The path and query that rules are compared with.
fn path_of(url: &str) -> Cow<'_, str> {
    if url.starts_with('/') {
        let path = url.split('#').next().unwrap_or_default();
        // As a URL's parser has them.
        return if path.contains('\\') { path.replace('\\', "/").into() } else { path.into() };
    }
    match Url::parse(url) {
        Ok(url) if url.has_host() => url[url::Position::BeforePath..url::Position::AfterQuery].to_owned().into(),
        _ => format!("/{}", url.split('#').next().unwrap_or_default()).into(),
    }
}

/// Why a [`Ruling`] is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A rule matched.
    Rule,
    /// No rule of the bot's groups matched: allowed.
    NoRule,
    /// No group is for this bot: allowed.
    NoGroup,
    /// /robots.txt itself is always allowed.
    RobotsTxt,
    /// The status of the answer decided.
    Status,
}

impl Reason {
    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::NoRule => "no-rule",
            Self::NoGroup => "no-group",
            Self::RobotsTxt => "robots-txt",
            Self::Status => "status",
        }
    }
}

/// The answer of a robots.txt.
#[derive(Clone, Copy, Debug)]
pub struct Ruling<'a> {
    allowed: bool,
    reason: Reason,
    line: Option<u32>,
    rule: Option<&'a str>,
    agents: &'a [Agent],
}

impl<'a> Ruling<'a> {
    fn plain(reason: Reason) -> Self {
        Self { allowed: true, reason, line: None, rule: None, agents: &[] }
    }

    /// Whether the bot may fetch.
    pub fn allowed(&self) -> bool {
        self.allowed
    }

    /// What kind of answer it is.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The line that decided, from 1.
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The rule that decided, as written; for [`Reason::Status`] the status.
    pub fn rule(&self) -> Option<&'a str> {
        self.rule
    }

    /// The agents of the deciding rule's group, as written.
    pub fn group(&self) -> Option<String> {
        let agents: Vec<_> = self.agents.iter().map(|agent| agent.written.as_str()).collect();
        (!agents.is_empty()).then(|| agents.join(", "))
    }
}
