//! JSON of a robots.txt: its ruling on one URL ([`RulingJson`]), or all its rules for one bot
//! ([`RulesJson`]).

use std::borrow::Cow;
use std::time::SystemTime;

use serde::Serialize;

use heedful::Page;
use heedful_base::bot::Bot;
use heedful_base::date::rfc3339;
use heedful_robots::{Reason, RobotsNote, RobotsTxt, Ruling, Source, Usage};

/// JSON of the ruling of a robots.txt on one URL, for one bot. The JSON also has the records of the
/// file, which are lines other than rules, such as `Crawl-delay`.
///
/// # Examples
///
/// ```
/// use heedful::{Bot, RobotsTxt};
/// use heedful_json::RulingJson;
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\nCrawl-delay: 2");
/// let (bot, url) = (Bot::new("FooBot")?, "https://example.com/private/a");
/// let ruling = robots.ruling(&bot, url);
///
/// let value = serde_json::to_value(RulingJson::new(&robots, &ruling, &bot, url)).unwrap();
/// assert_eq!(value["allowed"], false);
/// assert_eq!(value["line"], 2);
/// assert_eq!(value["crawl_delay"], 2.0);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug, Serialize)]
pub struct RulingJson<'a> {
    url: &'a str,
    bot: &'a str,
    allowed: bool,
    line: Option<u32>,
    rule: Option<Cow<'a, str>>,
    group: Option<String>,
    reason: &'static str,
    /// Minimum time between two fetches of the bot, in seconds, as `Crawl-delay` states it. `None`
    /// if the file has no `Crawl-delay` for the bot.
    crawl_delay: Option<f64>,
    request_rate: Vec<String>,
    visit_time: Vec<String>,
    sitemaps: Vec<&'a str>,
    notes: Vec<RobotsNoteJson>,
    /// Rules that match the URL but do not decide about it. Another rule overrules them.
    losing: Vec<LosingJson<'a>>,
    /// Records of the robots.txt that state how the page may be used, such as `Content-Signal`.
    records_of_use: Vec<UsageJson>,
    hosts: Vec<&'a str>,
    clean_params: Vec<&'a str>,
    licenses: Vec<&'a str>,
    /// Earliest time of the bot's next fetch. `None` if [`RulingJson::next_fetch`] was not called,
    /// or if the ruling denies the URL.
    next_fetch: Option<String>,
    /// Pause between two fetches in seconds. `None` if [`RulingJson::next_fetch`] was not called,
    /// or if the ruling denies the URL.
    pause: Option<f64>,
    source: Option<SourceJson<'a>>,
}

/// JSON of the robots.txt ruling that denied a page to the bot. Because of it, the page was not
/// filtered.
#[derive(Debug, Serialize)]
pub(super) struct KeptOutJson<'a> {
    line: Option<u32>,
    rule: Option<Cow<'a, str>>,
    group: Option<String>,
    reason: &'static str,
    source: Option<SourceJson<'a>>,
}

impl<'a> KeptOutJson<'a> {
    pub(super) fn new(page: &'a Page) -> Option<Self> {
        let (robots, ruling) = page.robots_denial()?;
        Some(Self {
            line: ruling.line(),
            rule: ruling.rule(),
            group: ruling.group(),
            reason: ruling.reason().name(),
            source: robots.source().map(SourceJson::new),
        })
    }
}

/// JSON of all rules and records of a robots.txt that apply to one bot.
///
/// # Examples
///
/// ```
/// use heedful::{Bot, RobotsTxt};
/// use heedful_json::RulesJson;
///
/// let robots = RobotsTxt::parse(b"User-agent: FooBot\nDisallow: /private\nAllow: /private/a");
/// let bot = Bot::new("FooBot")?;
/// let value = serde_json::to_value(RulesJson::new(&robots, &bot)).unwrap();
/// assert_eq!(value["otherwise"], true);
/// assert_eq!(value["rules"].as_array().unwrap().len(), 2);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug, Serialize)]
pub struct RulesJson<'a> {
    bot: &'a str,
    mode: &'static str,
    /// True if a URL that no rule matches may be fetched.
    otherwise: bool,
    reason: &'static str,
    group: Option<String>,
    rules: Vec<ListedJson<'a>>,
    records_of_use: Vec<UsageJson>,
    /// Minimum time between two fetches of the bot, in seconds, as `Crawl-delay` states it. `None`
    /// if the file has no `Crawl-delay` for the bot.
    crawl_delay: Option<f64>,
    request_rate: Vec<String>,
    visit_time: Vec<String>,
    notes: Vec<RobotsNoteJson>,
    source: Option<SourceJson<'a>>,
}

/// JSON of a rule of a robots.txt, with its URL pattern in normal form.
#[derive(Debug, Serialize)]
struct ListedJson<'a> {
    line: Option<u32>,
    rule: Option<Cow<'a, str>>,
    allowed: bool,
    pattern: Option<Cow<'a, str>>,
    group: Option<String>,
}

/// JSON of the source of a robots.txt: the archive, file or response from which it was read.
#[derive(Debug, Serialize)]
struct SourceJson<'a> {
    kind: &'static str,
    place: &'a str,
    fetched: Option<String>,
    status: Option<u16>,
    agent: Option<&'a str>,
}

impl<'a> SourceJson<'a> {
    fn new(source: &'a Source) -> Self {
        Self {
            kind: source.kind().name(),
            place: source.place(),
            fetched: source.fetched().and_then(rfc3339),
            status: source.status(),
            agent: source.agent(),
        }
    }
}

/// JSON of a rule of a robots.txt that matches the URL but does not decide about it.
#[derive(Debug, Serialize)]
struct LosingJson<'a> {
    line: Option<u32>,
    rule: Option<Cow<'a, str>>,
    allowed: bool,
}

/// JSON of a robots.txt record that states how a page may be used, such as `Content-Signal`. The
/// JSON includes the line number of the record.
#[derive(Debug, Serialize)]
struct UsageJson {
    line: u32,
    record: String,
}

/// JSON of a note on a doubtful line of a robots.txt.
#[derive(Debug, Serialize)]
struct RobotsNoteJson {
    kind: &'static str,
    line: u32,
    message: &'static str,
}

impl<'a> RulingJson<'a> {
    /// Converts `ruling`, the ruling of `robots` for `bot` on `url`.
    pub fn new(robots: &'a RobotsTxt, ruling: &Ruling<'a>, bot: &'a Bot, url: &'a str) -> Self {
        let losing = |ruling: Ruling<'a>| LosingJson {
            line: ruling.line(),
            rule: ruling.rule(),
            allowed: ruling.allowed(),
        };
        let usage = |usage: &Usage<'_>| UsageJson {
            line: usage.line(),
            record: usage.written(),
        };
        Self {
            url,
            bot: bot.name(),
            allowed: ruling.allowed(),
            line: ruling.line(),
            rule: ruling.rule(),
            group: ruling.group().or_else(|| {
                robots
                    .group(bot)
                    .filter(|_| ruling.reason() == Reason::NoRule)
            }),
            reason: ruling.reason().name(),
            crawl_delay: robots.crawl_delay(bot).map(|delay| delay.as_secs_f64()),
            request_rate: robots
                .request_rates(bot)
                .iter()
                .map(ToString::to_string)
                .collect(),
            visit_time: robots
                .visit_times(bot)
                .iter()
                .map(ToString::to_string)
                .collect(),
            sitemaps: robots.sitemaps().collect(),
            notes: notes(robots),
            losing: robots
                .matching(bot, url)
                .into_iter()
                .skip(1)
                .map(losing)
                .collect(),
            records_of_use: robots.usages(bot, url).iter().map(usage).collect(),
            hosts: robots.hosts().collect(),
            clean_params: robots.clean_params().collect(),
            licenses: robots.licenses().collect(),
            next_fetch: None,
            pause: None,
            source: robots.source().map(SourceJson::new),
        }
    }

    /// Adds the earliest time of the bot's next fetch, and the pause between two fetches that
    /// applies at that time. `now` is the current time, and `last` is the time of the bot's last
    /// fetch. If the ruling denies the URL, nothing is added.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful::{Bot, RobotsTxt};
    /// use heedful_json::RulingJson;
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 2");
    /// let (bot, url) = (Bot::new("FooBot")?, "https://example.com/");
    /// let ruling = robots.ruling(&bot, url);
    /// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(60);
    ///
    /// let json = RulingJson::new(&robots, &ruling, &bot, url);
    /// let json = json.next_fetch(&robots, &bot, now, Some(now));
    /// let value = serde_json::to_value(json).unwrap();
    /// assert_eq!(value["next_fetch"], "1970-01-01T00:01:02Z");
    /// assert_eq!(value["pause"], 2.0);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn next_fetch(
        mut self,
        robots: &RobotsTxt,
        bot: &Bot,
        now: SystemTime,
        last: Option<SystemTime>,
    ) -> Self {
        if self.allowed {
            let next = robots.next_fetch(bot, now, last);
            self.next_fetch = rfc3339(next);
            self.pause = Some(robots.pause(bot, next).as_secs_f64());
        }
        self
    }
}

impl<'a> RulesJson<'a> {
    /// Converts all rules and records of `robots` that apply to `bot`.
    pub fn new(robots: &'a RobotsTxt, bot: &'a Bot) -> Self {
        let listed = |ruling: Ruling<'a>| ListedJson {
            line: ruling.line(),
            rule: ruling.rule(),
            allowed: ruling.allowed(),
            pattern: ruling.pattern(),
            group: ruling.group(),
        };
        let usage = |(line, record)| UsageJson { line, record };
        let otherwise = robots.default_ruling(bot);
        Self {
            bot: bot.name(),
            mode: robots.get_mode().name(),
            otherwise: otherwise.allowed(),
            reason: otherwise.reason().name(),
            group: robots.group(bot),
            rules: robots.rules(bot).into_iter().map(listed).collect(),
            records_of_use: robots.records_of_use(bot).into_iter().map(usage).collect(),
            crawl_delay: robots.crawl_delay(bot).map(|delay| delay.as_secs_f64()),
            request_rate: robots
                .request_rates(bot)
                .iter()
                .map(ToString::to_string)
                .collect(),
            visit_time: robots
                .visit_times(bot)
                .iter()
                .map(ToString::to_string)
                .collect(),
            notes: notes(robots),
            source: robots.source().map(SourceJson::new),
        }
    }
}

/// Converts the notes on doubtful lines of `robots`.
fn notes(robots: &RobotsTxt) -> Vec<RobotsNoteJson> {
    let note = |note: &RobotsNote| RobotsNoteJson {
        kind: note.kind().name(),
        line: note.line(),
        message: note.kind().message(),
    };
    robots.notes().iter().map(note).collect()
}
