//! robots.txt: may this bot fetch that URL, and which line says so.
//!
//! By RFC 9309: groups naming one bot are merged, the longest pattern wins, Allow wins a tie, `*` and `$` are special,
//! percent-encoding is compared in a normal form, /robots.txt itself is allowed. Bytes, not UTF-8; one parse serves all
//! bots. Where the file is sloppy the reading is the stricter one: misspelt keys and missing colons count, a pattern
//! without a leading slash is taken as if it had one when it denies and means nothing when it allows.
//! Other readings, of other times and programs, are a setting. What this module never does: fetch, or fail.

mod alike;
mod cut;
mod file;
mod google;
mod key;
mod line;
mod matching;
mod mode;
mod note;
mod pace;
mod parse;
mod purpose;
mod records;
mod repair;
mod ruling;
mod site_file;
mod sorted;
mod source;
#[cfg(feature = "run")]
mod stored;
#[cfg(feature = "json")]
mod tdmrep;
mod usage;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use url::Url;

use crate::bot::Bot;

use file::File;
use matching::NormalPath;
pub(crate) use matching::Pattern;
pub use mode::Mode;
use mode::{Asking, Decider, Found};
pub use note::{RobotsNote, RobotsNoteKind};
use pace::Pace;

pub use records::{Rate, Window};
use records::{Record, RecordKind};
pub use ruling::{Reason, Ruling};
pub use site_file::SiteFile;
pub use source::{Source, SourceKind};
pub use usage::Usage;

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
/// assert_eq!((ruling.line(), ruling.rule().as_deref()), (Some(2), Some("Disallow: /private/")));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RobotsTxt {
    file: Arc<File>,
    mode: Mode,
    /// What stands for a file that could not be had.
    blanket: Option<Blanket>,
    source: Option<Arc<Source>>,
    site_file: SiteFile,
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
        if self.mode != Mode::Google && is_robots_txt(&path) {
            return Ruling::open(Reason::RobotsTxt);
        }
        if let Some(Blanket { allowed, why }) = &self.blanket {
            return Ruling::by_status(*allowed, why);
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
        if let Some(Blanket { allowed, why }) = &self.blanket {
            return Ruling::by_status(*allowed, why);
        }
        Ruling::open(if self.group(bot).is_some() { Reason::NoRule } else { Reason::NoGroup })
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
            for file in [self.file.as_written(), &self.file].into_iter().filter(|file| file.has_misspelt_agents()) {
                add(file, true);
            }
        }
        all.sort_by_key(Ruling::line);
        all
    }

    /// All records for the bot that speak of the use of pages, whatever their path: each with its line, its key in the usual
    /// spelling.
    pub fn records_of_use(&self, bot: &Bot) -> Vec<(u32, String)> {
        let written = std::iter::once(self.file.as_written());
        let files = written.chain(self.file.repaired().map(|_| &*self.file));
        let mut all: Vec<_> = files.flat_map(|file| usage::records(file, bot)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Read as it is written: what others make of it.
    pub(crate) fn exactly(&self) -> Self {
        let file = self.file.repaired().unwrap_or(&self.file).clone();
        Self { file, ..self.clone() }
    }

    fn path_of<'u>(&self, url: &'u str) -> Cow<'u, str> {
        if self.mode == Mode::Google { google::path(url) } else { path_of(url) }
    }

    fn asked<'a, T: Answer>(&'a self, bot: &Bot, path: &str, ask: impl Fn(Asking<'a, '_>) -> T) -> T {
        let normal = match self.mode {
            Mode::Google => NormalPath::AsItIs(path.as_bytes()),
            _ => matching::normal_path(path.as_bytes()),
        };
        let answer = self.of_path(bot, &normal, false, &ask);
        if self.mode != Mode::Rfc9309 {
            return answer;
        }
        // RFC 9309 has reserved characters encoded before they are compared, and Google as they stand: both must let it in.
        let alike = matching::alike(&normal);
        if *alike == *normal && !self.file.encodes_reserved() {
            return answer;
        }
        stricter(answer, || self.of_path(bot, &alike, true, &ask))
    }

    /// By the file as it is written, and as it is repaired.
    fn of_path<'a, T: Answer>(&'a self, bot: &Bot, path: &[u8], alike: bool, ask: &impl Fn(Asking<'a, '_>) -> T) -> T {
        let of_file = |file: &'a File| {
            let alike = alike && file.encodes_reserved();
            self.of_file(Asking { file, mode: self.mode, bot, path, strict: false, alike }, ask)
        };
        let answer = of_file(self.file.of(self.mode));
        if self.mode != Mode::Rfc9309 || self.file.repaired().is_none() {
            return answer;
        }
        stricter(answer, || of_file(&self.file))
    }

    fn of_file<'a, 'b, T: Answer>(&self, asking: Asking<'a, 'b>, ask: &impl Fn(Asking<'a, 'b>) -> T) -> T {
        let answer = ask(asking);
        // A misspelt agent line takes no bot out of the group it would else belong to: both readings must let it in.
        if self.mode != Mode::Rfc9309 || !asking.file.has_misspelt_agents() {
            return answer;
        }
        stricter(answer, || ask(Asking { strict: true, ..asking }))
    }

    fn records_for(&self, bot: &Bot) -> impl Iterator<Item = Record<'_>> {
        mode::own_groups(&self.file, bot).flatten().filter_map(|line| Record::of(&line))
    }

    /// The records of a kind that is for everybody, wherever they stand.
    fn records(&self, kind: RecordKind) -> impl Iterator<Item = Record<'_>> {
        self.file.lines().filter_map(|line| Record::of(&line)).filter(move |record| record.kind == kind)
    }

    fn values(&self, kind: RecordKind) -> impl Iterator<Item = &str> {
        self.records(kind).map(|record| record.value)
    }

    /// The time that `bot` is asked to let pass between two fetches: the longest `Crawl-delay` of its groups.
    pub fn crawl_delay(&self, bot: &Bot) -> Option<Duration> {
        self.records_for(bot).filter_map(|record| record.delay()).max()
    }

    /// How fast `bot` is asked to go, at most: its groups' `Request-rate`s.
    pub fn request_rates(&self, bot: &Bot) -> Vec<Rate> {
        self.records_for(bot).filter_map(|record| record.rate()).collect()
    }

    /// When `bot` is asked to come: its groups' `Visit-time`s; none is always.
    pub fn visit_times(&self, bot: &Bot) -> Vec<Window> {
        self.records_for(bot).filter_map(|record| record.window()).collect()
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

    /// The first moment, `now` or later, at which `bot` may fetch, if it fetched at `before`: by the times of visit, the
    /// delay, and the slowest rate that holds then.
    pub fn next_fetch(&self, bot: &Bot, now: SystemTime, before: Option<SystemTime>) -> SystemTime {
        self.pace(bot).next(now, before)
    }

    /// The time that `bot` is asked to let pass between two fetches at this moment: the delay, or the slowest rate that
    /// holds then.
    pub fn pause(&self, bot: &Bot, at: SystemTime) -> Duration {
        self.pace(bot).pause(at)
    }

    fn pace(&self, bot: &Bot) -> Pace {
        let delay = self.crawl_delay(bot).unwrap_or_default();
        Pace { delay, rates: self.request_rates(bot), visits: self.visit_times(bot) }
    }

    /// The agents of the first group that is for `bot`, as written but for their blanks, whether or not one of its rules
    /// matches anything.
    pub fn group(&self, bot: &Bot) -> Option<String> {
        let (file, mode) = (self.file.of(self.mode), self.mode);
        let asking = Asking { file, mode, bot, path: b"", strict: false, alike: false };
        asking.group().map(mode::agents_of)
    }

    /// What the records for `bot` say of the use of a page that it may fetch: of indexing it and of training by it.
    pub fn usages(&self, bot: &Bot, url: &str) -> Vec<Usage<'_>> {
        let mut usages: Vec<Usage<'_>> = Vec::new();
        for usage in self.usage_readings(bot, url).into_iter().flatten() {
            if usages.iter().all(|known| known.line() != usage.line()) {
                usages.push(usage);
            }
        }
        usages
    }

    /// The same by each reading of the file: what one of them denies is denied.
    pub(crate) fn usage_readings(&self, bot: &Bot, url: &str) -> Vec<Vec<Usage<'_>>> {
        if !self.file.has_usage() {
            return Vec::new();
        }
        let path = path_of(url);
        let normal = matching::normal_path(path.as_bytes());
        let written = std::iter::once(self.file.as_written());
        let files = written.chain(self.file.repaired().map(|_| &*self.file));
        let alike = matching::alike(&normal);
        let of_file = |file| {
            let as_they_stand = usage::of(file, bot, &normal, |pattern| pattern.into());
            [as_they_stand, usage::of(file, bot, &alike, matching::alike)]
        };
        files.flat_map(of_file).collect()
    }

    /// What looks wrong in the file, in the order of lines.
    pub fn notes(&self) -> Vec<RobotsNote> {
        self.file.notes()
    }
}

/// Both readings must let a bot in.
fn stricter<T: Answer>(answer: T, other: impl FnOnce() -> T) -> T {
    if !answer.allows() {
        return answer;
    }
    let other = other();
    if other.allows() { answer } else { other }
}

/// An answer of one of two readings.
trait Answer {
    fn allows(&self) -> bool;
}

impl Answer for Found<'_> {
    fn allows(&self) -> bool {
        !matches!(self, Found::Rule(decider) if !decider.allowed)
    }
}

impl Answer for Vec<Decider<'_>> {
    fn allows(&self) -> bool {
        self.first().is_none_or(|decider| decider.allowed)
    }
}

/// The path and query that rules are compared with.
fn path_of(url: &str) -> Cow<'_, str> {
    if url.starts_with('/') {
        let path = memchr::memchr(b'#', url.as_bytes()).map_or(url, |fragment| &url[..fragment]);
        // As a URL's parser has them.
        return if memchr::memchr(b'\\', path.as_bytes()).is_some() {
            path.replace('\\', "/").into()
        } else {
            path.into()
        };
    }
    if let Some(path) = plain_path(url) {
        return path.into();
    }
    match Url::parse(url) {
        Ok(url) if url.has_host() => url[url::Position::BeforePath..url::Position::AfterQuery].to_owned().into(),
        _ => format!("/{}", url.split('#').next().unwrap_or_default()).into(),
    }
}

/// The path of a whole URL in which a parser changes nothing.
fn plain_path(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let host = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')).count();
    let path = &rest[host..];
    let is_plain = host > 0 && path.starts_with('/') && matching::is_normal(path.as_bytes()).is_some();
    (is_plain && !path.as_bytes().windows(2).any(|two| two == b"/.")).then_some(path)
}

fn is_robots_txt(path: &str) -> bool {
    path.strip_prefix("/robots.txt").is_some_and(|rest| rest.is_empty() || rest.starts_with('?'))
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
        "User-agent= FooBot",
        "Useragent: FooBot",
        "User-agent: * Disallow: /a",
        "User-agent: FooBot Disallow: Allow: /a",
        "Disallow: /a",
        "Disallow: /",
        "Disallow:",
        "Disallow= /a",
        "Disallow=",
        "Disallowed: /a",
        "Disallow: /b /a",
        "Disallow: /b Allow: /a",
        "Allow: /a",
        "Allow: /a/b",
        "Allow= /a",
        "Allow: /a /",
        "",
        "Crawl-delay: 5",
    ];

    const REPEATED: [&str; 20] = [
        "User-agent: *",
        "User-agent: FooBot/2",
        "User-agent: foobot",
        "User-agent: Foo*",
        "Useragent: BarBot",
        "User-agent: Foo Bot",
        "Disallow: /",
        "Disallow:",
        "Disallow: /a",
        "Disallow: /a%2Fb",
        "Disallow: /a/*b$",
        "Disallow: /a%3Fb",
        "Disallow: /*%2c",
        "Allow: /a",
        "Allow: /a/b",
        "Allow: /a,",
        "Allow: /*?b%2F",
        "Allow: http://x/",
        "",
        "Crawl-delay: 5",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        /// The first questions are answered by a walk, later ones by what is sorted, and all rules by another walk.
        #[test]
        fn an_answer_stays_the_same(lines in prop::collection::vec(prop::sample::select(&REPEATED[..]), 0..12)) {
            let text = lines.join("\n");
            let told = |ruling: &Ruling<'_>| (ruling.allowed(), ruling.line(), ruling.reason(), ruling.rule().map(Cow::into_owned), ruling.group());
            for bot in ["FooBot", "BarBot/1", "foo bot", "Other"].map(|bot| Bot::new(bot).unwrap()) {
                for path in ["/a", "/a/b", "/a%2Fb", "/a,", "/a?b/", "/a%2C%3Fb", "/x"] {
                    let robots = RobotsTxt::parse(text.as_bytes());
                    let first = told(&robots.ruling(&bot, path));
                    for _ in 0..20 {
                        prop_assert_eq!(&told(&robots.ruling(&bot, path)), &first);
                    }
                    let matching = robots.matching(&bot, path);
                    prop_assert_eq!(matching.first().map(|first| first.line()), first.1.map(Some));
                }
            }
        }

        /// Whatever is repaired, nobody is let in whom the file as it is written keeps out.
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
