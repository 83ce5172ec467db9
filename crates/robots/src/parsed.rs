//! A parsed robots.txt, and the questions that it answers.

use std::sync::Arc;

use heedful_base::bot::Bot;

use super::asking::RuleQuery;
use super::file::RobotsReading;
use super::matching::{MatchSubject, MatchTarget};
use super::mode::Mode;
use super::note::RobotsNote;
use super::path::{self, RequestPath};
use super::readings::Readings;
use super::records::{RecordKind, SiteRecord};
use super::ruling::{Reason, Ruling};
use super::site_file::{READ, SiteFile, StatusMeaning};
use super::source::{RobotsResponse, Source};
use super::{agents, google};

/// A parsed robots.txt.
///
/// ```
/// use heedful_robots::{Bot, RobotsTxt};
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/open");
/// let ruling = robots.ruling(&Bot::new("FooBot")?, "https://example.com/private/a");
/// assert!(!ruling.allowed());
/// assert_eq!((ruling.line(), ruling.rule().as_deref()), (Some(2), Some("Disallow: /private/")));
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RobotsTxt {
    pub(super) readings: Arc<Readings>,
    pub(super) mode: Mode,
    /// The one answer in place of a file that could not be fetched.
    pub(super) blanket: Option<Blanket>,
    pub(super) source: Option<Arc<Source>>,
    pub(super) site_file: SiteFile,
    /// The response that it was parsed from, if that is to be kept.
    pub(super) sent: Option<RobotsResponse>,
}

/// One answer to every question.
#[derive(Clone, Debug)]
pub(super) struct Blanket {
    pub(super) allowed: bool,
    /// The status of the response, if that decided.
    pub(super) status: Option<u16>,
    pub(super) why: String,
}

impl std::str::FromStr for RobotsTxt {
    type Err = std::convert::Infallible;

    /// Reads a robots.txt like [`RobotsTxt::parse`], which takes bytes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::parse(text.as_bytes()))
    }
}

impl RobotsTxt {
    /// The most redirects that are followed from one robots.txt to another (RFC 9309, section
    /// 2.3.1.2).
    pub const REDIRECTS: usize = 5;

    /// Reads the first 500 KiB of a robots.txt. Never fails: a line that is no rule is skipped.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::parse_within(bytes, READ)
    }

    /// Reads a robots.txt like [`RobotsTxt::parse`], with another limit in bytes.
    pub fn parse_within(bytes: &[u8], most: usize) -> Self {
        Self {
            readings: Arc::new(Readings::read(bytes, most)),
            ..Self::default()
        }
    }

    /// Reads a response of the site. With a 2xx status the body is parsed. 4xx (except 429) means
    /// that everything may be fetched, and any other status that nothing may (RFC 9309, section
    /// 2.3.1).
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        let allowed = match StatusMeaning::from_status(status) {
            StatusMeaning::Rules => return Self::parse(body),
            StatusMeaning::Open => true,
            StatusMeaning::Shut => false,
        };
        Self {
            blanket: Some(Blanket {
                allowed,
                status: Some(status),
                why: format!("HTTP status {status}"),
            }),
            ..Self::default()
        }
    }

    /// A robots.txt that lets no bot in, for a site whose own is not available.
    pub fn shut() -> Self {
        let why = "no robots.txt at hand".to_owned();
        Self {
            blanket: Some(Blanket {
                allowed: false,
                status: None,
                why,
            }),
            ..Self::default()
        }
    }

    /// True if the site gave no usable answer. That keeps every bot out, although no rule asks for
    /// it.
    #[doc(hidden)]
    pub fn is_no_answer(&self) -> bool {
        self.blanket
            .as_ref()
            .is_some_and(|blanket| !blanket.allowed)
    }

    /// Sets another way of reading than that of RFC 9309.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the source of the file.
    pub fn came_from(mut self, source: Source) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The source of the file, if it was set.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// The ruling on whether `bot` may fetch `url`, a whole URL or a path with its query. In a text
    /// that is neither, the part before the first slash may be a host or not: the stricter ruling
    /// counts.
    pub fn ruling(&self, bot: &Bot, url: &str) -> Ruling<'_> {
        let ruling = self.ruling_at(bot, &self.request_path(url));
        if ruling.allowed()
            && let Some(path) = path::path_after_host(url)
        {
            let asked = RequestPath {
                host: None,
                path: path.into(),
            };
            let second = self.ruling_at(bot, &asked);
            if !second.allowed() {
                return second;
            }
        }
        ruling
    }

    fn ruling_at(&self, bot: &Bot, asked: &RequestPath<'_>) -> Ruling<'_> {
        self.ruling_on(bot, &asked.path, &self.subject(asked))
    }

    /// The ruling on a path, of which `subject` is the form for this mode.
    pub(super) fn ruling_on(
        &self,
        bot: &Bot,
        path: &str,
        subject: &MatchSubject<'_>,
    ) -> Ruling<'_> {
        // Google's matcher has no such exception.
        if self.mode != Mode::Google && path::is_robots_txt(path) {
            return Ruling::open(Reason::RobotsTxt);
        }
        if let Some(ruling) = self.by_status() {
            return ruling;
        }
        self.readings.decide(self.mode, bot, subject).1
    }

    /// The stricter ruling on a page with two URLs, for example an `index.html` that also has the
    /// URL of its folder.
    pub fn ruling_of(&self, bot: &Bot, url: &str, also: Option<&str>) -> Ruling<'_> {
        let ruling = self.ruling(bot, url);
        if ruling.allowed()
            && let Some(also) = also
        {
            let second = self.ruling(bot, also);
            if !second.allowed() {
                return second;
            }
        }
        ruling
    }

    /// The rulings of all rules that are for the bot and match, each as if it decided. The one that
    /// decides is the first.
    pub fn matching(&self, bot: &Bot, url: &str) -> Vec<Ruling<'_>> {
        let asked = self.request_path(url);
        let subject = self.subject(&asked);
        let (asking, _) = self.readings.decide(self.mode, bot, &subject);
        asking.all()
    }

    /// The ruling if no rule matches. It shows if any group is for the bot. For a file that could
    /// not be fetched, its status decides.
    pub fn otherwise(&self, bot: &Bot) -> Ruling<'_> {
        if let Some(ruling) = self.by_status() {
            return ruling;
        }
        Ruling::open(if self.group(bot).is_some() {
            Reason::NoRule
        } else {
            Reason::NoGroup
        })
    }

    fn by_status(&self) -> Option<Ruling<'_>> {
        let blanket = self.blanket.as_ref()?;
        Some(Ruling::by_status(blanket.allowed, &blanket.why))
    }

    /// The mode in which the file is read.
    pub fn read_by(&self) -> Mode {
        self.mode
    }

    /// All rules that are for the bot, each as if it decided, in the order of the file. They are
    /// from all groups for the bot, and from each reading of the file. A rule that can match
    /// nothing is left out.
    pub fn rules(&self, bot: &Bot) -> Vec<Ruling<'_>> {
        let mut all: Vec<Ruling<'_>> = Vec::new();
        for file in self.readings.for_mode(self.mode) {
            for ruling in self.asking(file, bot).rules() {
                if all.iter().all(|known| !known.is_same_rule(&ruling)) {
                    all.push(ruling);
                }
            }
        }
        all.sort_by_key(Ruling::line);
        all
    }

    /// The file read as it is written, as other programs read it.
    #[doc(hidden)]
    pub fn exactly(&self) -> Self {
        Self {
            readings: Arc::new(self.readings.without_repairs()),
            ..self.clone()
        }
    }

    fn request_path<'u>(&self, url: &'u str) -> RequestPath<'u> {
        match self.mode {
            Mode::Google => RequestPath {
                host: None,
                path: google::path(url),
            },
            _ => path::request_path(url),
        }
    }

    /// The path, in the form that this mode compares.
    fn subject<'p>(&self, asked: &'p RequestPath<'_>) -> MatchSubject<'p> {
        if self.mode == Mode::Google {
            MatchSubject::as_it_is(&asked.path)
        } else {
            asked.subject()
        }
    }

    /// The records of a kind that is for everybody, anywhere in the file.
    fn records(&self, kind: RecordKind) -> impl Iterator<Item = SiteRecord<'_>> {
        self.readings
            .fullest()
            .lines()
            .filter_map(SiteRecord::from_line)
            .filter(move |record| record.kind == kind)
    }

    fn values(&self, kind: RecordKind) -> impl Iterator<Item = &str> {
        self.records(kind).map(|record| record.value)
    }

    /// The addresses of sitemaps, anywhere in the file.
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::Sitemap)
    }

    /// The host names that the site prefers, as Yandex read them until 2018.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::Host)
    }

    /// The parameters that do not change a page, as Yandex reads them: `ref&utm_source /path`.
    pub fn clean_params(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::CleanParam)
    }

    /// The addresses of licences (RSL 1.0).
    pub fn licenses(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::License)
    }

    /// The addresses of licences, with their lines.
    #[doc(hidden)]
    pub fn licence_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        let has_licence = self.readings.fullest().has_licence;
        let records = has_licence.then(|| self.records(RecordKind::License));
        let records = records.into_iter().flatten();
        records.map(|record| (record.line, record.value))
    }

    /// The agents of the first group that is for `bot`, as written except for their blanks. It does
    /// not matter if any of its rules matches anything.
    pub fn group(&self, bot: &Bot) -> Option<String> {
        self.asking(&self.readings.for_mode(self.mode)[0], bot)
            .group()
            .map(agents::agents_of)
    }

    /// A question to one reading that is about no path.
    fn asking<'a, 'b>(&self, file: &'a RobotsReading, bot: &'b Bot) -> RuleQuery<'a, 'b> {
        RuleQuery {
            file,
            mode: self.mode,
            bot,
            target: MatchTarget::default(),
        }
    }

    /// True if the file has no rule, no agent and no record: it is empty, or is no robots.txt.
    pub fn says_nothing(&self) -> bool {
        self.readings.fullest().lines().next().is_none()
    }

    /// The notes on what looks wrong in the file, in the order of lines.
    pub fn notes(&self) -> Vec<RobotsNote> {
        self.readings.notes()
    }

    /// The kind of file that this is.
    pub fn site_file(&self) -> SiteFile {
        self.site_file
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINES: [&str; 24] = [
        "User-agent: *",
        "User-agent: FooBot",
        "User-agent: BarBot",
        "User-agent: BarBot, FooBot",
        "User-agent: \u{201C}*\u{201D}",
        "User-agent: Foo*",
        "User_agent: FooBot",
        "Useragent: FooBot",
        "User-agent: * Disallow: /a",
        "User-agent: FooBot Disallow: Allow: /a",
        "Disallow: /a",
        "Disallow: /",
        "Disallow:",
        "Dis-allow: /a",
        "Disallow: /b User-agent: FooBot",
        "Disallowed: /a",
        "Disallow: /b /a",
        "Disallow: /b Allow: /a",
        "Allow: /a",
        "Allow: /a/b",
        "Allow /a",
        "Allow: /a /",
        "",
        "Crawl-delay: 5",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        /// No repair lets in a bot that the file as written keeps out.
        #[test]
        fn no_repair_lets_anybody_in(lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..9)) {
            let robots = RobotsTxt::parse(lines.join("\n").as_bytes());
            for (bot, path) in [("FooBot", "/a"), ("FooBot", "/a/b"), ("BarBot", "/a"), ("Other", "/b")] {
                let bot = Bot::new(bot).unwrap();
                let (with, without) = (robots.ruling(&bot, path).allowed(), robots.exactly().ruling(&bot, path).allowed());
                prop_assert!(without || !with);
                let mode = robots.clone().mode(Mode::Google);
                prop_assert_eq!(mode.ruling(&bot, path).allowed(), mode.exactly().ruling(&bot, path).allowed());
            }
        }
    }
}
