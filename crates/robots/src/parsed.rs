//! The type [`RobotsTxt`]: a parsed robots.txt, and queries to it.
//!
//! The file decides by RFC 9309, or by another [`Mode`]. In RFC 9309's mode the file is parsed in
//! several variants, its readings (`readings`). A bot needs the permission of each of them.

use std::collections::HashSet;
use std::sync::Arc;

use heedful_base::bot::Bot;

use super::file::RobotsReading;
use super::matching::{MatchSubject, MatchTarget};
use super::mode::Mode;
use super::note::RobotsNote;
use super::path::{self, RequestPath};
use super::query::RuleQuery;
use super::readings::Readings;
use super::records::{RecordKind, SiteRecord};
use super::ruling::{Reason, Ruling};
use super::site_file::{READ, SiteFile, StatusMeaning};
use super::source::{RobotsResponse, Source};
use super::{agents, google};

/// Parsed robots.txt or tdmrep.json of a site.
///
/// # Examples
///
/// ```
/// use heedful_robots::{Bot, RobotsTxt};
///
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
    /// Ruling on all URLs, if the file is not available. `None` if the file was parsed.
    pub(super) blanket: Option<Blanket>,
    pub(super) source: Option<Arc<Source>>,
    pub(super) site_file: SiteFile,
    /// Response from which the file was parsed. `None` unless [`RobotsTxt::with_response`] has
    /// attached one.
    pub(super) sent: Option<RobotsResponse>,
}

/// Ruling on all URLs of a site whose robots.txt is not available.
#[derive(Clone, Debug)]
pub(super) struct Blanket {
    pub(super) allowed: bool,
    /// HTTP status of the response to the request for the file, if this status decided. `None` if
    /// the ruling has another reason.
    pub(super) status: Option<u16>,
    /// Reason for this ruling as a text for people, such as `HTTP status 503`.
    pub(super) why: String,
}

impl std::str::FromStr for RobotsTxt {
    type Err = std::convert::Infallible;

    /// Parses the text of a robots.txt like [`RobotsTxt::parse`]. Never fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots: RobotsTxt = "User-agent: *\nDisallow: /private/".parse().unwrap();
    /// assert!(!robots.ruling(&Bot::new("FooBot")?, "/private/a").allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::parse(text.as_bytes()))
    }
}

impl RobotsTxt {
    /// Maximum number of redirects that are followed from one robots.txt to another (RFC 9309,
    /// section 2.3.1.2).
    pub const REDIRECTS: usize = 5;

    /// Parses the first 500 KiB of a robots.txt. Never fails: a line that cannot be parsed is
    /// skipped.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// // A misspelt key denies too.
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisalow: /private/");
    /// assert!(!robots.ruling(&Bot::new("FooBot")?, "/private/a").allowed());
    /// assert!(RobotsTxt::parse(b"<html>").is_empty());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn parse(bytes: &[u8]) -> Self {
        Self::parse_within(bytes, READ)
    }

    /// Parses the first `most` bytes of a robots.txt, like [`RobotsTxt::parse`].
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let (bytes, bot) = (b"User-agent: *\nDisallow: /a\nDisallow: /b\n", Bot::new("FooBot")?);
    /// assert!(!RobotsTxt::parse(bytes).ruling(&bot, "/b").allowed());
    /// // A line that is cut short is ignored.
    /// assert!(RobotsTxt::parse_within(bytes, 30).ruling(&bot, "/b").allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn parse_within(bytes: &[u8], most: usize) -> Self {
        Self {
            readings: Arc::new(Readings::read(bytes, most)),
            ..Self::default()
        }
    }

    /// Parses a site's response to a request for its robots.txt. With a 2xx status the body is
    /// parsed. A 4xx status except 429 allows everything, and any other status denies everything
    /// (RFC 9309, section 2.3.1).
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, Reason, RobotsTxt};
    ///
    /// let bot = Bot::new("FooBot")?;
    /// assert!(RobotsTxt::from_response(404, b"").ruling(&bot, "/").allowed());
    ///
    /// let robots = RobotsTxt::from_response(503, b"");
    /// let ruling = robots.ruling(&bot, "/");
    /// assert!(!ruling.allowed());
    /// assert_eq!(ruling.reason(), Reason::Status);
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
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

    /// Returns a robots.txt that denies everything, for a site whose own robots.txt is not
    /// available.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// assert!(!RobotsTxt::deny_all().ruling(&Bot::new("FooBot")?, "/").allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn deny_all() -> Self {
        let why = "no robots.txt available".to_owned();
        Self {
            blanket: Some(Blanket {
                allowed: false,
                status: None,
                why,
            }),
            ..Self::default()
        }
    }

    /// True if the robots.txt is not available, and everything is denied for that reason. The site
    /// then gave no usable response to the request for the file.
    #[doc(hidden)]
    pub fn is_unavailable(&self) -> bool {
        self.blanket
            .as_ref()
            .is_some_and(|blanket| !blanket.allowed)
    }

    /// Sets the mode in which the file is interpreted. The default is [`Mode::Rfc9309`].
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, Mode, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: Foo1\nDisallow: /");
    /// let bot = Bot::new("Foo")?;
    /// assert!(robots.ruling(&bot, "/a").allowed());
    /// // To Google's matcher, a name ends at the first digit.
    /// assert!(!robots.mode(Mode::Google).ruling(&bot, "/a").allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the source of the file: where it was read from. Output about rulings shows this source.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{RobotsTxt, Source, SourceKind};
    ///
    /// let source = Source::new(SourceKind::File, "robots/example.com.txt");
    /// let robots = RobotsTxt::parse(b"").with_source(source);
    /// assert_eq!(robots.source().unwrap().place(), "robots/example.com.txt");
    /// ```
    pub fn with_source(mut self, source: Source) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Source of the file, if [`RobotsTxt::with_source`] has set one.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// Returns the ruling on whether `bot` may fetch `url`. `url` is a whole URL, or a path with
    /// its query. Any other text is tried as a path, and as a host with a path. The stricter of
    /// these two rulings is returned.
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/");
    /// let bot = Bot::new("FooBot")?;
    /// assert!(!robots.ruling(&bot, "/private/a?b").allowed());
    /// assert!(!robots.ruling(&bot, "example.com/private/a").allowed());
    /// assert!(robots.ruling(&bot, "https://example.com/open").allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn ruling(&self, bot: &Bot, url: &str) -> Ruling<'_> {
        let ruling = self.ruling_at(bot, &self.request_path(url));
        if ruling.allowed()
            && let Some(path) = path::path_after_host(url)
        {
            let asked = RequestPath {
                host: None,
                path: path.into(),
                form: None,
            };
            let second = self.ruling_at(bot, &asked);
            if !second.allowed() {
                return second;
            }
        }
        ruling
    }

    /// Returns the ruling on whether `bot` may fetch the URL whose path and host are `asked`.
    #[inline]
    fn ruling_at(&self, bot: &Bot, asked: &RequestPath<'_>) -> Ruling<'_> {
        self.ruling_on(bot, &asked.path, &self.subject(asked))
    }

    /// Returns the ruling on whether `bot` may fetch `path`. `subject` is the same path, prepared
    /// for comparisons in the file's mode.
    #[inline]
    pub(super) fn ruling_on(
        &self,
        bot: &Bot,
        path: &str,
        subject: &MatchSubject<'_>,
    ) -> Ruling<'_> {
        // Google's matcher does not except /robots.txt from the rules.
        if self.mode != Mode::Google && path::is_robots_txt(path) {
            return Ruling::open(Reason::RobotsTxt);
        }
        if let Some(ruling) = self.by_status() {
            return ruling;
        }
        self.readings.decide(self.mode, bot, subject).1
    }

    /// Returns the stricter of the rulings on `url` and `also`, which are two URLs of one page. For
    /// example, an `index.html` also has the URL of its folder. If `also` is `None`, returns the
    /// ruling on `url`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a/index.html");
    /// let bot = Bot::new("FooBot")?;
    /// assert!(robots.ruling_of(&bot, "/a/", None).allowed());
    /// assert!(!robots.ruling_of(&bot, "/a/", Some("/a/index.html")).allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
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

    /// Returns all rules for `bot` that match `url`. Each rule is returned as the [`Ruling`] that
    /// it would give alone. The rule that decides is the first.
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b");
    /// let matching = robots.matching(&Bot::new("FooBot")?, "/a/b");
    /// let rules: Vec<_> = matching.iter().filter_map(|ruling| ruling.rule()).collect();
    /// assert_eq!(rules, ["Allow: /a/b", "Disallow: /a"]);
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn matching(&self, bot: &Bot, url: &str) -> Vec<Ruling<'_>> {
        let asked = self.request_path(url);
        let subject = self.subject(&asked);
        let (asking, _) = self.readings.decide(self.mode, bot, &subject);
        asking.all()
    }

    /// Returns the ruling for `bot` on a URL that no rule matches. [`Ruling::reason`] shows if any
    /// group is for the bot. If the file is not available, the ruling that applies to all URLs is
    /// returned.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, Reason, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: FooBot\nDisallow: /a");
    /// assert_eq!(robots.default_ruling(&Bot::new("FooBot")?).reason(), Reason::NoRule);
    /// assert_eq!(robots.default_ruling(&Bot::new("BarBot")?).reason(), Reason::NoGroup);
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn default_ruling(&self, bot: &Bot) -> Ruling<'_> {
        if let Some(ruling) = self.by_status() {
            return ruling;
        }
        Ruling::open(if self.group(bot).is_some() {
            Reason::NoRule
        } else {
            Reason::NoGroup
        })
    }

    /// Returns the ruling on all URLs if the file is not available, and `None` if the file was
    /// parsed.
    fn by_status(&self) -> Option<Ruling<'_>> {
        let blanket = self.blanket.as_ref()?;
        Some(Ruling::by_status(blanket.allowed, &blanket.why))
    }

    /// Mode in which the file is interpreted.
    pub fn get_mode(&self) -> Mode {
        self.mode
    }

    /// Returns all rules for `bot`, in the order of the file. Each rule is returned as the
    /// [`Ruling`] that it would give alone. A rule that can match nothing is left out.
    ///
    /// All groups for the bot are included. All parsed variants of the file are included too, with
    /// and without repairs of sloppy lines.
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let file = b"User-agent: *\nDisallow: /a\nDisallow:\n\nUser-agent: BarBot\nDisallow: /";
    /// let robots = RobotsTxt::parse(file);
    /// let rules = robots.rules(&Bot::new("FooBot")?);
    /// assert_eq!(rules.len(), 1);
    /// assert_eq!(rules[0].pattern().as_deref(), Some("/a"));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn rules(&self, bot: &Bot) -> Vec<Ruling<'_>> {
        let mut seen = HashSet::new();
        let mut all: Vec<Ruling<'_>> = Vec::new();
        for file in self.readings.for_mode(self.mode) {
            for ruling in self.asking(file, bot).rules() {
                if seen.insert((ruling.line(), ruling.allowed(), ruling.pattern())) {
                    all.push(ruling);
                }
            }
        }
        all.sort_by_key(Ruling::line);
        all
    }

    /// Returns the same robots.txt, parsed without repairs of sloppy lines. Most other programs
    /// repair nothing.
    #[doc(hidden)]
    pub fn without_repairs(&self) -> Self {
        Self {
            readings: Arc::new(self.readings.without_repairs()),
            ..self.clone()
        }
    }

    /// Parses the path and host of `url` for comparisons in the file's mode.
    fn request_path<'u>(&self, url: &'u str) -> RequestPath<'u> {
        match self.mode {
            Mode::Google => RequestPath {
                host: None,
                path: google::path(url),
                form: None,
            },
            _ => path::request_path(url),
        }
    }

    /// Prepares the path `asked` for comparisons with rules in the file's mode.
    fn subject<'p>(&self, asked: &'p RequestPath<'_>) -> MatchSubject<'p> {
        if self.mode == Mode::Google {
            MatchSubject::as_it_is(&asked.path)
        } else {
            asked.subject()
        }
    }

    /// Returns all records of the kind `kind`, wherever they are in the file. Callers pass only
    /// kinds of records that apply to every bot.
    fn records(&self, kind: RecordKind) -> impl Iterator<Item = SiteRecord<'_>> {
        self.readings
            .fullest()
            .lines()
            .filter_map(SiteRecord::from_line)
            .filter(move |record| record.kind == kind)
    }

    /// Returns the values of the records that [`RobotsTxt::records`] returns.
    fn values(&self, kind: RecordKind) -> impl Iterator<Item = &str> {
        self.records(kind).map(|record| record.value)
    }

    /// Returns the URLs in all `Sitemap` lines, in any group of the file or outside of the groups.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse(b"Sitemap: https://example.com/sitemap.xml");
    /// assert!(robots.sitemaps().eq(["https://example.com/sitemap.xml"]));
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::Sitemap)
    }

    /// Returns the values of `Host` lines, in which a site names the host that it prefers. Yandex
    /// read such lines until 2018.
    ///
    /// ```
    /// use heedful_robots::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse(b"Host: www.example.com");
    /// assert!(robots.hosts().eq(["www.example.com"]));
    /// ```
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::Host)
    }

    /// Returns the values of `Clean-param` lines, such as `ref&utm_source /path`. A value names
    /// query parameters that do not change the pages under a path. Yandex reads such lines.
    ///
    /// ```
    /// use heedful_robots::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse(b"Clean-param: ref&utm_source /articles/");
    /// assert!(robots.clean_params().eq(["ref&utm_source /articles/"]));
    /// ```
    pub fn clean_params(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::CleanParam)
    }

    /// Returns the URLs of licences (RSL 1.0) in `License` lines.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::RobotsTxt;
    ///
    /// let robots = RobotsTxt::parse(b"License: https://example.com/license.xml");
    /// assert!(robots.licenses().eq(["https://example.com/license.xml"]));
    /// ```
    pub fn licenses(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::License)
    }

    /// Returns the licences of `License` lines: the number of each line in the file, from 1, and
    /// the licence's URL.
    #[doc(hidden)]
    pub fn licence_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        let has_licence = self.readings.fullest().has_licence;
        let records = has_licence.then(|| self.records(RecordKind::License));
        let records = records.into_iter().flatten();
        records.map(|record| (record.line, record.value))
    }

    /// Returns the agents of the first group for `bot`, separated by commas, in the file's spelling
    /// with single blanks. The group may have no rules. Returns `None` if no group is for `bot`.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{Bot, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: FooBot\nUser-agent: BarBot\nDisallow: /a");
    /// assert_eq!(robots.group(&Bot::new("BarBot")?).as_deref(), Some("FooBot, BarBot"));
    /// assert_eq!(robots.group(&Bot::new("BazBot")?), None);
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn group(&self, bot: &Bot) -> Option<String> {
        self.asking(&self.readings.for_mode(self.mode)[0], bot)
            .group()
            .map(agents::agents_of)
    }

    /// Creates a query for the rules for `bot` in `file`, one parsed variant of the robots.txt. The
    /// query has no path yet.
    fn asking<'a, 'b>(&self, file: &'a RobotsReading, bot: &'b Bot) -> RuleQuery<'a, 'b> {
        RuleQuery {
            file,
            mode: self.mode,
            bot,
            target: MatchTarget::default(),
        }
    }

    /// True if the file has no rule, no agent and no record: it is empty, or is no robots.txt.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::RobotsTxt;
    ///
    /// assert!(RobotsTxt::parse(b"<html>Not found</html>").is_empty());
    /// assert!(!RobotsTxt::parse(b"User-agent: *").is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.readings.fullest().lines().next().is_none()
    }

    /// Returns notes on what looks wrong in the file, in the order of lines.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::{RobotsNoteKind, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisalow: /a");
    /// let notes = robots.notes();
    /// assert_eq!((notes[0].line(), notes[0].kind()), (2, RobotsNoteKind::MisspeltKey));
    /// ```
    pub fn notes(&self) -> Vec<RobotsNote> {
        self.readings.notes()
    }

    /// Kind of the file: a robots.txt or a tdmrep.json.
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

        /// Tests that no repair of lines allows a path that the file without repairs denies.
        #[test]
        fn no_repair_lets_anybody_in(lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..9)) {
            let robots = RobotsTxt::parse(lines.join("\n").as_bytes());
            for (bot, path) in [("FooBot", "/a"), ("FooBot", "/a/b"), ("BarBot", "/a"), ("Other", "/b")] {
                let bot = Bot::new(bot).unwrap();
                let (with, without) = (robots.ruling(&bot, path).allowed(), robots.without_repairs().ruling(&bot, path).allowed());
                prop_assert!(without || !with);
                let mode = robots.clone().mode(Mode::Google);
                prop_assert_eq!(mode.ruling(&bot, path).allowed(), mode.without_repairs().ruling(&bot, path).allowed());
            }
        }
    }

    /// Starts of lines, most of them in a usual spelling.
    const STARTS: [&str; 22] = [
        "Disallow: ",
        "Disallow:",
        "disallow: ",
        "DISALLOW: ",
        "Disallow:  ",
        "Disallow:\t",
        "Disallow :",
        "Allow: ",
        "allow:",
        "Allow:  ",
        "User-agent: ",
        "User-Agent:",
        "user-agent: ",
        "user-Agent:\t",
        "Sitemap: ",
        "crawl-delay:",
        "Noindex:  ",
        "Content-Usage: ",
        "unknown: ",
        "dissallow: ",
        "x",
        "",
    ];
    /// Values that the test appends to [`STARTS`].
    const VALUES: [&str; 25] = [
        "/",
        "/a",
        "/a/b",
        "/*a$",
        "/a$b",
        "*",
        "*b",
        "/a%2Fb",
        "/a%2fb",
        "/%41",
        "/a:b",
        "/User-agent: FooBot",
        "*Disallow: /a",
        "/a b",
        "/a'",
        "/\u{e9}",
        "FooBot",
        "FooBot2",
        "Foo Bot",
        "ai-training",
        "__foo",
        "https://x.example/a",
        "5",
        "train-ai=n",
        "",
    ];
    /// Ends of lines that the test appends to [`VALUES`].
    const ENDS: [&str; 7] = ["", " ", "\t # a: b", "#", " x", "\0", "\r"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        /// Tests that a blank before each line changes neither the meaning nor the notes of a file.
        /// With this blank, no line has a usual spelling.
        #[test]
        fn a_usual_line_is_like_any_other(lines in prop::collection::vec((prop::sample::select(&STARTS[..]), prop::sample::select(&VALUES[..]), prop::sample::select(&ENDS[..])), 0..8)) {
            let lines: Vec<_> = lines.iter().map(|(start, value, end)| [*start, value, end].concat()).collect();
            let usual = RobotsTxt::parse(lines.join("\n").as_bytes());
            let other = RobotsTxt::parse(format!(" {}", lines.join("\n ")).as_bytes());
            prop_assert_eq!(usual.notes(), other.notes());
            prop_assert!(usual.sitemaps().eq(other.sitemaps()));
            for bot in ["FooBot", "Foo Bot", "Other"].map(|name| Bot::new(name).unwrap()) {
                prop_assert_eq!(usual.group(&bot), other.group(&bot));
                prop_assert_eq!(usual.crawl_delay(&bot), other.crawl_delay(&bot));
                for path in ["/a", "/a/b?c", "/a%2Fb", "/a:b", "/xab", "/A", "/%C3%A9"] {
                    let [usual, other] = [&usual, &other].map(|robots| (robots.ruling(&bot, path), robots.usages(&bot, path)));
                    prop_assert_eq!((usual.0.allowed(), usual.0.line()), (other.0.allowed(), other.0.line()));
                    prop_assert_eq!((usual.0.rule(), usual.0.pattern()), (other.0.rule(), other.0.pattern()));
                    prop_assert_eq!(format!("{:?}", usual.1), format!("{:?}", other.1));
                }
            }
        }
    }

    /// Tests that a `Disallow` without a colon denies, even if a NUL or a vertical tab follows the
    /// key.
    #[test]
    fn a_missing_colon_denies_after_each_blank() {
        let bot = Bot::new("FooBot").unwrap();
        for line in ["Disallow /a", "Disallow\0 /a", "Disallow\x0B /a # x"] {
            let robots = RobotsTxt::parse(format!("User-agent: *\n{line}").as_bytes());
            assert!(!robots.ruling(&bot, "/a").allowed(), "{line:?}");
        }
    }
}
