//! A robots.txt as JSON: its ruling on one URL, or all its rules for one bot.

use std::borrow::Cow;
use std::time::SystemTime;

use serde::Serialize;

use heedful::Page;
use heedful_base::bot::Bot;
use heedful_base::date::rfc3339;
use heedful_robots::{Reason, RobotsNote, RobotsTxt, Ruling, Source, Usage};

/// The ruling of a robots.txt on one URL, with its other records.
#[derive(Debug, Serialize)]
pub struct RulingJson<'a> {
    url: &'a str,
    bot: &'a str,
    allowed: bool,
    line: Option<u32>,
    rule: Option<Cow<'a, str>>,
    group: Option<String>,
    reason: &'static str,
    /// The crawl delay in seconds.
    crawl_delay: Option<f64>,
    request_rate: Vec<String>,
    visit_time: Vec<String>,
    sitemaps: Vec<&'a str>,
    notes: Vec<RobotsNoteJson>,
    /// The rules that match but do not decide.
    losing: Vec<LosingJson<'a>>,
    /// The records about the use of the page.
    usage: Vec<UsageJson>,
    hosts: Vec<&'a str>,
    clean_params: Vec<&'a str>,
    licenses: Vec<&'a str>,
    /// The time of the next fetch, if the question gave a time.
    next_fetch: Option<String>,
    /// The pause between two fetches, in seconds.
    pause: Option<f64>,
    source: Option<SourceJson<'a>>,
}

/// The answer of the robots.txt that kept a page out.
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
        let (robots, ruling) = page.kept_out_by()?;
        Some(Self {
            line: ruling.line(),
            rule: ruling.rule(),
            group: ruling.group(),
            reason: ruling.reason().name(),
            source: robots.source().map(SourceJson::new),
        })
    }
}

/// All rules and records of a robots.txt for one bot.
#[derive(Debug, Serialize)]
pub struct RulesJson<'a> {
    bot: &'a str,
    mode: &'static str,
    /// The answer if no rule matches.
    otherwise: bool,
    reason: &'static str,
    group: Option<String>,
    rules: Vec<ListedJson<'a>>,
    usage: Vec<UsageJson>,
    /// The crawl delay in seconds.
    crawl_delay: Option<f64>,
    request_rate: Vec<String>,
    visit_time: Vec<String>,
    notes: Vec<RobotsNoteJson>,
    source: Option<SourceJson<'a>>,
}

#[derive(Debug, Serialize)]
struct ListedJson<'a> {
    line: Option<u32>,
    rule: Option<Cow<'a, str>>,
    allowed: bool,
    pattern: Option<Cow<'a, str>>,
    group: Option<String>,
}

/// The origin of a robots.txt.
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

#[derive(Debug, Serialize)]
struct LosingJson<'a> {
    line: Option<u32>,
    rule: Option<Cow<'a, str>>,
    allowed: bool,
}

#[derive(Debug, Serialize)]
struct UsageJson {
    line: u32,
    record: String,
}

#[derive(Debug, Serialize)]
struct RobotsNoteJson {
    kind: &'static str,
    line: u32,
    message: &'static str,
}

impl<'a> RulingJson<'a> {
    /// The answer to one bot about one URL.
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
            usage: robots.usages(bot, url).iter().map(usage).collect(),
            hosts: robots.hosts().collect(),
            clean_params: robots.clean_params().collect(),
            licenses: robots.licenses().collect(),
            next_fetch: None,
            pause: None,
            source: robots.source().map(SourceJson::new),
        }
    }

    /// Adds when the bot may fetch next, if it last fetched at `last`, and the pause that holds
    /// then. A page that it may not fetch at all has neither.
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
    /// All rules and records of a robots.txt for one bot.
    pub fn new(robots: &'a RobotsTxt, bot: &'a Bot) -> Self {
        let listed = |ruling: Ruling<'a>| ListedJson {
            line: ruling.line(),
            rule: ruling.rule(),
            allowed: ruling.allowed(),
            pattern: ruling.pattern(),
            group: ruling.group(),
        };
        let usage = |(line, record)| UsageJson { line, record };
        let otherwise = robots.otherwise(bot);
        Self {
            bot: bot.name(),
            mode: robots.read_by().name(),
            otherwise: otherwise.allowed(),
            reason: otherwise.reason().name(),
            group: robots.group(bot),
            rules: robots.rules(bot).into_iter().map(listed).collect(),
            usage: robots.records_of_use(bot).into_iter().map(usage).collect(),
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

fn notes(robots: &RobotsTxt) -> Vec<RobotsNoteJson> {
    let note = |note: &RobotsNote| RobotsNoteJson {
        kind: note.kind().name(),
        line: note.line(),
        message: note.kind().message(),
    };
    robots.notes().iter().map(note).collect()
}
