//! The answer of heedful to a case of the corpus, as lines that a case can expect.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use heedful::{
    Block, Bot, Conventions, Directive, Dressing, Filter, Licence, Limits, Mode, Page, Pass,
    Policy, ProfileNames, Result, RobotsTxt, Ruling, Sink, Use, Uses,
};
use heedful_lint as lint;
use heedful_lint::vendor::{Vendor, VendorReading};

use crate::blocks::blocks_differ;
use crate::case::Case;

pub(crate) struct Answer {
    page: Result<Page>,
    lint: Result<lint::Linted>,
    readings: Result<Vec<VendorReading>>,
    robots: Option<RobotsTxt>,
    asked: (Bot, String),
}

impl Answer {
    /// Filters the page of a case in pieces. `cut` returns the length of the next piece.
    pub(crate) fn of(case: &Case, cut: impl FnMut(&[u8]) -> usize) -> Self {
        Self::within(case, Limits::default(), cut)
    }

    /// Filters the page of a case in one piece, and tracks its tree of elements from the first byte
    /// on.
    pub(crate) fn with_tree(case: &Case) -> Self {
        Self::within(case, Limits::default().kept_bytes(0), <[u8]>::len)
    }

    fn within(case: &Case, limits: Limits, mut cut: impl FnMut(&[u8]) -> usize) -> Self {
        let bot = bot(case);
        let url = if case.has("url") {
            case.text("url")
        } else {
            "https://site.example/dir/page".to_owned()
        };
        let mode = case
            .setting("mode")
            .map_or(Mode::Rfc9309, |name| Mode::parse(name).unwrap());
        let robots = case
            .has("robots")
            .then(|| RobotsTxt::parse(case.bytes("robots")).mode(mode));
        let asked = (bot.clone(), url.clone());
        let tdmrep = case
            .has("tdmrep")
            .then(|| RobotsTxt::tdmrep(case.bytes("tdmrep")));
        let filter = filter(case, bot, limits);
        let mut page = || {
            let mut pass = filter.open(&url)?;
            if case.setting("cut").is_some() {
                pass.cut_short();
            }
            for file in robots.iter().chain(&tdmrep) {
                pass.robots_txt(file);
            }
            fed(pass, case, &mut cut)?.end()
        };
        let (page, robots) = (page(), robots.clone());
        let about = robots
            .clone()
            .into_iter()
            .chain(tdmrep.clone())
            .collect::<Vec<_>>();
        let pass = lint::open(&filter, &url).and_then(|pass| fed(pass, case, &mut cut));
        let lint = pass.and_then(|pass| lint::end(pass, &url, &about));
        let read = |vendor: &'static Vendor| {
            let mut pass = vendor.filter(now(case))?.explain(&url)?;
            if let Some(robots) = &robots {
                pass.robots_txt(robots);
            }
            Ok(vendor.reading(fed(pass, case, &mut cut)?.end()?))
        };
        let vendors = case
            .expect
            .iter()
            .filter_map(|(key, _)| Vendor::parse(key).ok());
        let readings = vendors.map(read).collect();
        Self {
            page,
            lint,
            readings,
            robots,
            asked,
        }
    }

    /// Returns the names of the conventions to which the page's directives belong.
    pub(crate) fn conventions_with_directives(&self) -> BTreeSet<&'static str> {
        self.page
            .iter()
            .flat_map(Page::directives)
            .map(Directive::convention)
            .collect()
    }

    /// Returns the names of the conventions that withhold something of the page.
    pub(crate) fn decides(&self) -> BTreeSet<&'static str> {
        self.page
            .iter()
            .flat_map(Page::exclusions)
            .map(|exclusion| exclusion.directive().convention())
            .collect()
    }

    /// True if the blocks of the page and its phrases have different texts.
    pub(crate) fn has_wrong_blocks(&self) -> bool {
        self.page.as_ref().is_ok_and(blocks_differ)
    }

    /// Returns the line of this answer for one key of a case.
    pub(crate) fn line(&self, key: &str) -> String {
        if let Some(robots) = &self.robots
            && let Some(line) = show_robots(robots, &self.asked.0, &self.asked.1, key)
        {
            return line;
        }
        if key == "lint" {
            return show_lint(&self.lint);
        }
        if Vendor::parse(key).is_ok() {
            return show_reading(&self.readings, key);
        }
        match (&self.page, key) {
            (Err(error), _) => format!("error {}", error.name()),
            (Ok(_), "error") => String::new(),
            (Ok(page), _) => show(page, key),
        }
    }
}

/// Feeds the headers and the page of a case to a pass. `cut` returns the length of the next piece
/// of the page.
fn fed<S: Sink>(
    mut pass: Pass<S>,
    case: &Case,
    cut: &mut impl FnMut(&[u8]) -> usize,
) -> Result<Pass<S>> {
    for line in case.text("headers").lines() {
        let (name, value) = line
            .split_once(':')
            .unwrap_or_else(|| panic!("`{line}` is no header"));
        pass.header(name, value.trim());
    }
    let mut rest = case.bytes("html");
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(cut(rest));
        pass.write(piece)?;
        rest = after;
    }
    Ok(pass)
}

fn finding(finding: &lint::Finding) -> String {
    match finding.place() {
        Some(place) => format!(
            "{}@{}:{}",
            finding.rule().id(),
            place.line(),
            place.column()
        ),
        None => finding.rule().id().to_owned(),
    }
}

fn show_lint(linted: &Result<lint::Linted>) -> String {
    match linted {
        Ok(linted) => joined(linted.findings().iter().map(finding), " "),
        Err(error) => format!("error {}", error.name()),
    }
}

/// Returns as text the words that a vendor would index, and the uses that the vendor would not make
/// of the page.
fn show_reading(readings: &Result<Vec<VendorReading>>, vendor: &str) -> String {
    let readings = match readings {
        Ok(readings) => readings,
        Err(error) => return format!("error {}", error.name()),
    };
    let reading = readings
        .iter()
        .find(|reading| reading.vendor().name() == vendor)
        .unwrap();
    let denied = Use::ALL.into_iter().filter(|usage| !reading.allows(*usage));
    let denied = joined(denied.map(|usage| usage.name().to_owned()), " ");
    format!(
        "{} words, {}",
        reading.words(),
        if denied.is_empty() {
            "nothing denied"
        } else {
            &denied
        }
    )
}

fn bot(case: &Case) -> Bot {
    if case.setting("bot") == Some("*") {
        return Bot::unnamed();
    }
    let mut names = case
        .setting("bot")
        .unwrap_or("FooBot")
        .split('+')
        .map(|name| name.replace('_', " "));
    let bot = Bot::new(&names.next().unwrap()).unwrap();
    names.fold(bot, |bot, alias| bot.alias(&alias).unwrap())
}

fn conventions(case: &Case) -> Conventions {
    let conventions = Conventions::parse(case.setting("conventions").unwrap_or_default());
    conventions
        .and_then(|set| set.toml(&case.text("toml")))
        .unwrap_or_else(|error| panic!("{}: {error}", case.title()))
}

fn filter(case: &Case, bot: Bot, mut limits: Limits) -> Filter {
    let mut filter = Filter::new(bot).snapshots();
    filter = filter.conventions(conventions(case));
    if let Some(denial) = case.setting("deny") {
        let (words, pattern) = denial.split_once('=').unwrap();
        filter = filter.deny(Uses::parse(words).unwrap(), pattern).unwrap();
    }
    filter = filter.now(now(case));
    if let Some(profile) = case.setting("profile") {
        filter = filter.profile(profile);
    }
    if case.has("names") {
        let names = ProfileNames::read(case.bytes("names")).unwrap();
        filter = filter.names(move |_| Some(names.clone()));
    }
    if case.has("rsl") {
        let licence = Licence::read(case.bytes("rsl"));
        filter = filter.licences(move |_| Some(licence.clone()));
    }
    if let Some(regions) = case.setting("regions") {
        limits = limits.regions(regions.parse().unwrap());
    }
    if let Some(depth) = case.setting("depth") {
        limits = limits.depth(depth.parse().unwrap());
    }
    filter.limits(limits)
}

fn now(case: &Case) -> SystemTime {
    let seconds = case
        .setting("now")
        .map_or(0, |seconds| seconds.parse().unwrap());
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

/// Returns as text the answer of a robots.txt to a bot and a URL. Returns None if `key` is not a
/// key of robots.txt.
fn show_robots(robots: &RobotsTxt, bot: &Bot, url: &str, key: &str) -> Option<String> {
    Some(match key {
        "ruling" => show_ruling(&robots.ruling(bot, url)),
        "robots-notes" => joined(
            robots
                .notes()
                .iter()
                .map(|note| format!("{}@{}", note.kind().name(), note.line())),
            " ",
        ),
        "lint-robots" => joined(lint::robots_txt(robots).iter().map(finding), " "),
        "delay" => robots
            .crawl_delay(bot)
            .map(|delay| delay.as_secs_f64().to_string())
            .unwrap_or_default(),
        "rate" => joined(
            robots.request_rates(bot).iter().map(ToString::to_string),
            " | ",
        ),
        "visit" => joined(robots.visit_times(bot).iter().map(ToString::to_string), " "),
        "sitemaps" => joined(robots.sitemaps().map(str::to_owned), " "),
        _ => return None,
    })
}

fn show_ruling(ruling: &Ruling<'_>) -> String {
    let word = if ruling.allowed() {
        "allowed"
    } else {
        "denied"
    };
    match ruling.line() {
        Some(line) => format!("{word} by line {line}"),
        None => format!("{word}, {}", ruling.reason().name()),
    }
}

fn show(page: &Page, key: &str) -> String {
    match key {
        "snapshot" => page
            .snapshot(&Dressing::default())
            .map_or("none".to_owned(), |html| html.replace('\n', "\\n")),
        "text" => page.phrases().join(" | "),
        "lines" => page.text().replace('\n', "\\n").replace('\t', "\\t"),
        "blocks" => joined(page.blocks().iter().map(show_block), " | "),
        "title" => page.title().join(" | "),
        "description" => page.description().join(" | "),
        "headings" => page.headings().join(" | "),
        "alt" => page.alternative().join(" | "),
        "excerpt" => page.excerpt(),
        "input" => page.input(),
        "links" => joined(
            page.links()
                .iter()
                .filter(|link| link.may_follow())
                .map(|link| link.url().to_owned()),
            " ",
        ),
        "blocked" => joined(
            page.links()
                .iter()
                .filter(|link| !link.may_follow())
                .map(|link| link.url().to_owned()),
            " ",
        ),
        "kinds" => joined(
            page.links()
                .iter()
                .map(|link| link.kind().name().to_owned()),
            " ",
        ),
        "anchors" => {
            let called = page
                .links()
                .iter()
                .map(|link| (link.url(), link.phrases().collect::<Vec<_>>().join(" / ")));
            joined(
                called
                    .filter(|(_, text)| !text.is_empty())
                    .map(|(url, text)| format!("{url} = {text}")),
                " | ",
            )
        }
        "denied" => {
            let denied = Use::ALL
                .into_iter()
                .filter(|usage| !page.policy().allows(*usage));
            joined(denied.map(|usage| usage.name().to_owned()), " ")
        }
        "enter" => if page.policy().may_fetch() {
            "yes"
        } else {
            "no"
        }
        .to_owned(),
        "limits" => limits(page.policy()),
        "exclusions" => joined(
            page.exclusions().map(|exclusion| {
                let place = exclusion
                    .directive()
                    .place()
                    .map(|p| format!(" {}:{}", p.line(), p.column()));
                let (range, place) = (exclusion.range(), place.unwrap_or_default());
                format!(
                    "{} {}-{}{place} {}",
                    exclusion.usage().name(),
                    range.start,
                    range.end,
                    exclusion.directive().convention()
                )
            }),
            " | ",
        ),
        "notes" => joined(page.notes().map(|note| note.kind().name().to_owned()), " "),
        _ => panic!("corpus/README.md knows no key `{key}`"),
    }
}

fn show_block(block: &Block<'_>) -> String {
    let mut shown = block.kind().name().to_owned();
    if let Some(level) = block.level() {
        shown.push_str(&level.to_string());
    }
    if let Some(row) = block.row() {
        shown.push_str(&format!(" row {row}"));
    }
    if let Some(landmark) = block.landmark() {
        shown.push_str(&format!(" in {landmark}"));
    }
    let place = block.place();
    let phrases = joined(block.phrases().map(str::to_owned), " / ");
    let phrases = phrases.replace('\n', "\\n");
    format!("{shown} {}:{} {phrases}", place.line(), place.column())
}

fn limits(policy: &Policy) -> String {
    let seconds = |time: SystemTime| match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => format!("{}", after.as_secs()),
        Err(before) => format!("-{}", before.duration().as_secs()),
    };
    let found = [
        policy.max_snippet().map(|n| format!("max-snippet={n}")),
        policy
            .max_image_preview()
            .map(|size| format!("max-image-preview={}", size.name())),
        policy
            .max_video_preview()
            .map(|n| format!("max-video-preview={n}")),
        policy
            .unavailable_after()
            .map(|time| format!("unavailable-after={}", seconds(time))),
    ];
    joined(found.into_iter().flatten(), " ")
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}
