//! A robots.txt that was parsed, and the questions that it answers.

use std::borrow::Cow;
use std::sync::Arc;

use crate::bot::Bot;

use super::agents;
use super::asking::{Asking, Found};
use super::file::File;
use super::google;
use super::mode::Mode;
use super::note::RobotsNote;
use super::path;
use super::records::{Record, RecordKind};
use super::ruling::{Reason, Ruling};
use super::site_file::{Means, READ, SiteFile};
use super::source::Source;

/// A parsed robots.txt.
///
/// ```
/// use heedful::{Bot, RobotsTxt};
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/open");
/// let ruling = robots.ruling(&Bot::new("FooBot")?, "https://example.com/private/a");
/// assert!(!ruling.allowed());
/// assert_eq!((ruling.line(), ruling.rule().as_deref()), (Some(2), Some("Disallow: /private/")));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RobotsTxt {
    pub(super) file: Arc<File>,
    pub(super) mode: Mode,
    /// What stands for a file that could not be had.
    pub(super) blanket: Option<Blanket>,
    pub(super) source: Option<Arc<Source>>,
    pub(super) site_file: SiteFile,
}

/// One answer to everything.
#[derive(Clone, Debug)]
pub(super) struct Blanket {
    pub(super) allowed: bool,
    pub(super) why: String,
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

    /// Whether the site gave no answer that says anything: that lets nobody in, and is nobody's wish.
    #[cfg(feature = "run")]
    pub(crate) fn is_no_answer(&self) -> bool {
        self.blanket.as_ref().is_some_and(|blanket| !blanket.allowed)
    }

    /// Reads it in another way than RFC 9309 says.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Says where it came from.
    pub fn came_from(mut self, source: Source) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Where it came from, if that was said.
    pub fn source(&self) -> Option<&Source> {
        self.source.as_deref()
    }

    /// Whether `bot` may fetch `url`, a whole URL or a path with its query.
    pub fn ruling(&self, bot: &Bot, url: &str) -> Ruling<'_> {
        let path = self.path_of(url);
        // Google's matcher knows no such exception.
        if self.mode != Mode::Google && path::is_robots_txt(&path) {
            return Ruling::open(Reason::RobotsTxt);
        }
        if let Some(ruling) = self.by_status() {
            return ruling;
        }
        match self.asked(bot, &path, |asking| asking.decide()) {
            Found::NoGroup => Ruling::open(Reason::NoGroup),
            Found::NoRule => Ruling::open(Reason::NoRule),
            Found::Rule(decider) => Ruling::by_rule(decider),
        }
    }

    /// The stricter answer about a page that has another URL too, as an `index.html` has its folder's.
    pub fn ruling_of(&self, bot: &Bot, url: &str, also: Option<&str>) -> Ruling<'_> {
        let ruling = self.ruling(bot, url);
        let second = also.filter(|_| ruling.allowed()).map(|also| self.ruling(bot, also));
        second.filter(|second| !second.allowed()).unwrap_or(ruling)
    }

    /// The rulings of all rules that are for the bot and match, each as if it decided; the one that does is the first.
    pub fn matching(&self, bot: &Bot, url: &str) -> Vec<Ruling<'_>> {
        let path = self.path_of(url);
        let all = self.asked(bot, &path, |asking| asking.all());
        all.into_iter().map(Ruling::by_rule).collect()
    }

    /// The answer where no rule matches: whether any group is for the bot, or what its status says of a file that could not be
    /// had.
    pub fn otherwise(&self, bot: &Bot) -> Ruling<'_> {
        if let Some(ruling) = self.by_status() {
            return ruling;
        }
        Ruling::open(if self.group(bot).is_some() { Reason::NoRule } else { Reason::NoGroup })
    }

    fn by_status(&self) -> Option<Ruling<'_>> {
        self.blanket.as_ref().map(|Blanket { allowed, why }| Ruling::by_status(*allowed, why))
    }

    /// How it is read.
    pub fn read_by(&self) -> Mode {
        self.mode
    }

    /// All rules that are for the bot, each as if it decided, in the order of the file: of several groups for it, and of each
    /// reading of the file. A rule that matches nothing is none.
    pub fn rules(&self, bot: &Bot) -> Vec<Ruling<'_>> {
        let mut all: Vec<Ruling<'_>> = Vec::new();
        let mut add = |file, strict| {
            let asking = Asking { file, mode: self.mode, bot, path: b"", strict, alike: false };
            for ruling in asking.rules().into_iter().map(Ruling::by_rule) {
                if all.iter().all(|known| !known.is_same_rule(&ruling)) {
                    all.push(ruling);
                }
            }
        };
        add(self.file.of(self.mode), false);
        if self.mode == Mode::Rfc9309 {
            add(&self.file, false);
            for file in self.file.readings().filter(|file| file.has_misspelt_agents()) {
                add(file, true);
            }
        }
        all.sort_by_key(Ruling::line);
        all
    }

    /// Read as it is written: what others make of it.
    pub(crate) fn exactly(&self) -> Self {
        let file = self.file.repaired().unwrap_or(&self.file).clone();
        Self { file, ..self.clone() }
    }

    fn path_of<'u>(&self, url: &'u str) -> Cow<'u, str> {
        if self.mode == Mode::Google { google::path(url) } else { path::path_of(url) }
    }

    /// The records of a kind that is for everybody, wherever they stand.
    fn records(&self, kind: RecordKind) -> impl Iterator<Item = Record<'_>> {
        self.file.lines().filter_map(|line| Record::of(&line)).filter(move |record| record.kind == kind)
    }

    fn values(&self, kind: RecordKind) -> impl Iterator<Item = &str> {
        self.records(kind).map(|record| record.value)
    }

    /// The addresses of sitemaps, wherever they stand.
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::Sitemap)
    }

    /// The host names that the site prefers: what Yandex read until 2018.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::Host)
    }

    /// Parameters that do not change a page, as Yandex reads them: `ref&utm_source /path`.
    pub fn clean_params(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::CleanParam)
    }

    /// The addresses of licences (RSL 1.0).
    pub fn licenses(&self) -> impl Iterator<Item = &str> {
        self.values(RecordKind::License)
    }

    /// The same with their lines.
    pub(crate) fn licence_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        self.records(RecordKind::License).map(|record| (record.line, record.value))
    }

    /// The agents of the first group that is for `bot`, as written but for their blanks, whether or not one of its rules
    /// matches anything.
    pub fn group(&self, bot: &Bot) -> Option<String> {
        let (file, mode) = (self.file.of(self.mode), self.mode);
        let asking = Asking { file, mode, bot, path: b"", strict: false, alike: false };
        asking.group().map(agents::agents_of)
    }

    /// What looks wrong in the file, in the order of lines.
    pub fn notes(&self) -> Vec<RobotsNote> {
        self.file.notes()
    }

    /// Which file it is.
    pub fn site_file(&self) -> SiteFile {
        self.site_file
    }
}
