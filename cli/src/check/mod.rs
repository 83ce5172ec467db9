//! `heedful check`: reports if a robots.txt allows a bot to fetch a URL, and by which line.

pub(crate) mod question;
mod rules;

use std::collections::HashMap;
use std::io::{BufRead, Write, stdin};
use std::path::Path;
use std::time::SystemTime;

use heedful::{Bot, Error, Result, RobotsTxt, Ruling, Url};
use heedful_input::authority;
use heedful_json as json;
use heedful_json::{ErrorJson, RulingJson, rfc3339};
use heedful_report::wording;
use serde::Serialize;
use serde_json::json;

use crate::args::CheckArgs;
use crate::ending::{RunEnding, io_error, setting, written};
use crate::output::{self, BOLD, DIM, Format, GREEN, RED, harmless, styled};
use crate::robots_args::{RobotsFile, robots_txt};

use question::When;

pub(crate) fn run(args: &CheckArgs) -> Result<RunEnding> {
    let when = When::new(args.at, args.last)?;
    if args.batch {
        return batch(when);
    }
    if args.robots.is_empty() && !args.fetch && args.diff.is_empty() {
        return Err(no_robots(args));
    }
    let mut urls = urls(&args.urls)?;
    for url in &urls {
        question::check_url(url)?;
    }
    for path in &args.urls_from {
        urls.extend(read_urls(path)?);
    }
    if urls.is_empty() && (args.robots.is_empty() || !args.rules) {
        return Err(setting(
            "which URLs? Name some, or `-` for those on standard input, or use --urls",
        ));
    }
    if args.rules && !args.fetch && !urls.is_empty() {
        return Err(setting(
            "--rules is about the whole file: it takes URLs only with --fetch-robots, to know which sites to ask",
        ));
    }
    if let [old, new] = args.diff.as_slice() {
        let read = |path| robots_txt(path).map(|robots| robots.mode(args.mode));
        return diff(args, &read(old)?, &read(new)?, &urls);
    }
    let sites = if args.fetch {
        fetch(args, &urls)?
    } else {
        given(args, &urls)?
    };
    if args.format == Format::Text && (args.verbose || args.fetch || sites.len() > 1) {
        for (robots, _) in &sites {
            report_source(robots);
        }
    }
    let mut out = output::stdout(args.format);
    if args.rules {
        for (robots, _) in &sites {
            for line in rules::lines(args, robots) {
                written(writeln!(out, "{line}"))?;
            }
        }
        written(out.flush())?;
        return Ok(RunEnding::Yes);
    }
    let mut all_allowed = true;
    let mut is_early = false;
    for (robots, urls) in &sites {
        let mut answers = Vec::new();
        for url in urls {
            let answer = CheckAnswers::new(args, robots, url);
            all_allowed &= answer.rulings.iter().all(Ruling::allowed);
            answers.push(answer);
        }
        if let Some(at) = args.at {
            for bot in &args.bot {
                is_early |= robots.next_fetch(bot, at, args.last) > at;
            }
        }
        for line in lines(args, robots, &answers) {
            written(writeln!(out, "{line}"))?;
        }
    }
    written(out.flush())?;
    Ok(if !all_allowed {
        RunEnding::No
    } else if is_early {
        RunEnding::Later
    } else {
        RunEnding::Yes
    })
}

fn no_robots(args: &CheckArgs) -> Error {
    let hint = match args.urls.iter().find(|url| Path::new(url).is_file()) {
        Some(file) => format!(" ({0} is a file: --robots {0})", harmless(file)),
        None => String::new(),
    };
    setting(format!(
        "which robots.txt? --robots FILE names one, --fetch-robots asks the site of each URL{hint}"
    ))
}

/// Returns the URLs in a file or an index. Reports and skips each line that is not a URL.
fn read_urls(path: &Path) -> Result<Vec<String>> {
    let mut urls = Vec::new();
    for url in crate::urls::read(path)? {
        match question::check_url(&url) {
            Ok(()) => urls.push(url),
            Err(error) => output::print_note(&format!("{}: {error}", path.display())),
        }
    }
    Ok(urls)
}

/// Prints where a robots.txt came from, such as its URL and age, to standard error. Prints nothing
/// if the source is unknown.
fn report_source(robots: &RobotsTxt) {
    if let Some(source) = robots.source() {
        let source = harmless(&wording::source(source, SystemTime::now()));
        output::print_message(styled(DIM, &source));
    }
}

/// The rulings of a robots.txt on a URL. Each bot of `--bot` has its own ruling.
struct CheckAnswers<'a> {
    url: &'a str,
    rulings: Vec<Ruling<'a>>,
}

impl<'a> CheckAnswers<'a> {
    fn new(args: &CheckArgs, robots: &'a RobotsTxt, url: &'a str) -> Self {
        Self {
            url,
            rulings: args.bot.iter().map(|bot| robots.ruling(bot, url)).collect(),
        }
    }
}

/// Reads the robots.txt files that `--robots` names. Returns each file with the elements of `urls`
/// to which the file applies. A file for one site applies to the URLs of that site. A file for all
/// sites applies to every URL. Every file applies to a path, because a path names no site.
///
/// Fails if a file cannot be read. Also fails for a URL to which no file applies.
fn given(args: &CheckArgs, urls: &[String]) -> Result<Vec<(RobotsTxt, Vec<String>)>> {
    let mut files = Vec::new();
    for file in &args.robots {
        files.push((file, file.read()?.mode(args.mode), Vec::new()));
    }
    for url in urls {
        let mut is_asked = false;
        for (file, _, asked) in &mut files {
            let url = of_site(file, url);
            is_asked |= url.is_some();
            asked.extend(url);
        }
        if !is_asked {
            let site = Url::parse(url).map(|url| authority(&url));
            return Err(setting(format!(
                "which robots.txt is for {url}? --robots {}=FILE names it",
                site.unwrap_or_default()
            )));
        }
    }
    Ok(files
        .into_iter()
        .map(|(_, robots, urls)| (robots, urls))
        .collect())
}

/// Returns `url` if the robots.txt file applies to it, and otherwise `None`. `url` is a URL or a
/// path. A file for all sites applies to everything. A file for one site applies to every path, and
/// to the URLs of that site. For such a file, a path is returned as a URL of the site.
fn of_site(file: &RobotsFile, url: &str) -> Option<String> {
    let Some(site) = file.site() else {
        return Some(url.to_owned());
    };
    if url.starts_with('/') {
        return Some(format!("{}{url}", authority(site)));
    }
    let is_of_site = Url::parse(url).is_ok_and(|url| url.origin() == site.origin());
    is_of_site.then(|| url.to_owned())
}

/// Fetches the robots.txt of each site in `urls`. Returns each robots.txt with the URLs of its
/// site.
fn fetch(args: &CheckArgs, urls: &[String]) -> Result<Vec<(RobotsTxt, Vec<String>)>> {
    let fetcher = args.fetching.fetcher(&args.bot[0])?;
    let mut known = HashMap::new();
    let mut sites = Vec::new();
    let mut each = Vec::<Vec<String>>::new();
    for text in urls {
        let Ok(url) = Url::parse(text) else {
            return Err(setting(format!(
                "`{text}` is no whole URL: with --fetch-robots it has to be one"
            )));
        };
        let at = *known.entry(authority(&url)).or_insert(sites.len());
        if at == sites.len() {
            sites.push(url);
            each.push(Vec::new());
        }
        each[at].push(text.clone());
    }
    let answers = fetcher.robots_of_each(&sites, SystemTime::now());
    let mut files = Vec::new();
    for ((url, answer), urls) in sites.iter().zip(answers).zip(each) {
        if let Some(trouble) = &answer.trouble {
            output::print_note(&format!("{}: {}", authority(url), harmless(trouble)));
        }
        files.push((answer.robots.mode(args.mode), urls));
    }
    Ok(files)
}

/// Returns the URLs in `named`, the arguments of the command line. A `-` among them is replaced by
/// the lines of standard input.
fn urls(named: &[String]) -> Result<Vec<String>> {
    let mut urls = Vec::new();
    for name in named {
        if name != "-" {
            urls.push(name.clone());
            continue;
        }
        for line in stdin().lock().lines() {
            let line = line.map_err(io_error("standard input"))?;
            if !line.trim().is_empty() {
                urls.push(line.trim().to_owned());
            }
        }
    }
    Ok(urls)
}

fn lines(args: &CheckArgs, robots: &RobotsTxt, answers: &[CheckAnswers<'_>]) -> Vec<String> {
    if args.format == Format::Json {
        return objects(args, robots, answers);
    }
    let mut lines = match args.bot.as_slice() {
        [bot] => sentences(args, robots, bot, answers),
        bots => table(bots, answers),
    };
    if let Some(at) = args.at {
        for bot in &args.bot {
            lines.push(when(robots, bot, at, args.last));
        }
    }
    if args.verbose {
        for note in robots.notes() {
            let kind = note.kind();
            let message = format!("line {}: {}: {}", note.line(), kind.name(), kind.message());
            lines.push(styled(DIM, &message));
        }
    }
    lines
}

fn objects(args: &CheckArgs, robots: &RobotsTxt, answers: &[CheckAnswers<'_>]) -> Vec<String> {
    let mut objects = Vec::new();
    for CheckAnswers { url, rulings } in answers {
        for (bot, ruling) in args.bot.iter().zip(rulings) {
            let mut object = RulingJson::new(robots, ruling, bot, url);
            if let Some(at) = args.at {
                object = object.next_fetch(robots, bot, at, args.last);
            }
            objects.push(json::line(&object));
        }
    }
    objects
}

fn sentences(
    args: &CheckArgs,
    robots: &RobotsTxt,
    bot: &Bot,
    answers: &[CheckAnswers<'_>],
) -> Vec<String> {
    let mut lines = Vec::new();
    for CheckAnswers { url, rulings } in answers {
        lines.extend(rulings.iter().map(|ruling| sentence(ruling, bot, url)));
        if args.verbose {
            lines.extend(losers(robots, bot, url));
            for usage in robots.usages(bot, url) {
                let line = usage.line();
                let text = harmless(&usage.written());
                lines.push(styled(
                    DIM,
                    &format!("    of its use, line {line} says `{text}`"),
                ));
            }
        }
    }
    lines
}

/// Formats the rulings of a robots.txt as a table, with a row for each URL and a column for each
/// bot.
fn table(bots: &[Bot], answers: &[CheckAnswers<'_>]) -> Vec<String> {
    let mut widths = Vec::new();
    let mut head = String::new();
    for bot in bots {
        let width = bot.name().chars().count().max(12);
        head.push_str(&format!("{:<width$}  ", harmless(bot.name())));
        widths.push(width);
    }
    let mut lines = vec![styled(BOLD, head.trim_end())];
    for CheckAnswers { url, rulings } in answers {
        let mut line = String::new();
        for (ruling, width) in rulings.iter().zip(&widths) {
            let by = match ruling.line() {
                Some(line) => format!(" line {line}"),
                None => String::new(),
            };
            let (may, style) = if ruling.allowed() {
                ("may", GREEN)
            } else {
                ("not", RED)
            };
            let word = format!("{:<width$}", format!("{may}{by}"));
            line.push_str(&styled(style, &word));
            line.push_str("  ");
        }
        lines.push(line + &harmless(url));
    }
    lines
}

fn sentence(ruling: &Ruling<'_>, bot: &Bot, url: &str) -> String {
    may_fetch(bot.name(), ruling.allowed(), url, &wording::ruling(ruling))
}

/// Returns a sentence that states whether a robots.txt allows `bot` to fetch `url`. The sentence
/// ends with `why`, the reason for this ruling.
pub(crate) fn may_fetch(bot: &str, allowed: bool, url: &str, why: &str) -> String {
    let may = if allowed {
        styled(GREEN, "may")
    } else {
        styled(RED, "may not")
    };
    format!(
        "{} {may} fetch {}: {}",
        harmless(bot),
        harmless(url),
        harmless(why)
    )
}

fn why(ruling: &Ruling<'_>) -> String {
    harmless(&wording::ruling(ruling))
}

/// Returns a line for each rule of a robots.txt that matches the URL but does not decide the
/// ruling.
fn losers(robots: &RobotsTxt, bot: &Bot, url: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for ruling in robots.matching(bot, url).into_iter().skip(1) {
        let line = ruling.line().unwrap_or_default();
        let rule = harmless(&ruling.rule().unwrap_or_default());
        lines.push(styled(
            DIM,
            &format!("    line {line} matches too: `{rule}`"),
        ));
    }
    lines
}

/// Returns a sentence that states when the bot may fetch. `at` is the time of the intended fetch.
/// If the bot may not fetch at this time, the sentence states how long it has to wait. `last` is
/// the time of the bot's last fetch, or `None` if that time is unknown.
fn when(robots: &RobotsTxt, bot: &Bot, at: SystemTime, last: Option<SystemTime>) -> String {
    let next = robots.next_fetch(bot, at, last);
    let pause = robots.pause(bot, next);
    let pause = if pause.is_zero() {
        String::new()
    } else {
        format!(", then every {}", rules::seconds(pause))
    };
    let moment = rfc3339(next).unwrap_or_default();
    let word = if next == at {
        styled(GREEN, "may come")
    } else {
        styled(RED, "is asked to wait") + " until"
    };
    format!(
        "{} {word} {}{pause}",
        bot.name(),
        if next == at {
            "then".to_owned()
        } else {
            moment
        }
    )
}

/// A URL for which two robots.txt files have different rulings, as JSON.
#[derive(Serialize)]
struct CheckDifferenceJson<'a> {
    url: &'a str,
    bot: &'a str,
    before: bool,
    after: bool,
    line_before: Option<u32>,
    line_after: Option<u32>,
}

/// Prints the elements of `urls` for which the robots.txt files `old` and `new` have different
/// rulings. If there are any, the outcome is `No` (exit status 1).
fn diff(args: &CheckArgs, old: &RobotsTxt, new: &RobotsTxt, urls: &[String]) -> Result<RunEnding> {
    let mut out = output::stdout(args.format);
    let mut changed = false;
    for url in urls {
        for bot in &args.bot {
            let before = old.ruling(bot, url);
            let after = new.ruling(bot, url);
            if before.allowed() == after.allowed() {
                continue;
            }
            changed = true;
            let line = match args.format {
                Format::Json => json::line(&CheckDifferenceJson {
                    url,
                    bot: bot.name(),
                    before: before.allowed(),
                    after: after.allowed(),
                    line_before: before.line(),
                    line_after: after.line(),
                }),
                Format::Text => {
                    let was = if before.allowed() {
                        "before, it might"
                    } else {
                        "before, it might not"
                    };
                    format!("{} ({was}: {})", sentence(&after, bot, url), why(&before))
                }
            };
            written(writeln!(out, "{line}"))?;
        }
    }
    written(out.flush())?;
    if !changed && args.format == Format::Text {
        output::print_message(format_args!(
            "no difference for {}",
            wording::count(urls.len() as u64, "URL")
        ));
    }
    Ok(if changed {
        RunEnding::No
    } else {
        RunEnding::Yes
    })
}

/// Answers the questions on standard input, one per line as JSON. Each answer is printed before the
/// next question is read. If a line is not a valid question, its answer is an object with the key
/// `error`. A question without times uses the times in `when`.
fn batch(when: When) -> Result<RunEnding> {
    let mut out = output::stdout(Format::Json);
    for line in stdin().lock().lines() {
        let line = line.map_err(io_error("standard input"))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match question::answer(line.as_bytes(), when) {
            Ok(answer) => answer,
            Err(error) => json::line(&json!({"error": ErrorJson::new(&error)})),
        };
        written(writeln!(out, "{answer}"))?;
        written(out.flush())?;
    }
    Ok(RunEnding::Yes)
}
