//! `heedful check`: tells whether a bot may fetch a URL, and which line says so.

mod list;
pub(crate) mod question;

use std::collections::HashMap;
use std::io::{BufRead, Write, stdin};
use std::path::Path;
use std::time::SystemTime;

use heedful::{Bot, Error, ErrorKind, Result, RobotsTxt, Ruling, Url};
use heedful_input::authority;
use heedful_json as json;
use heedful_json::{ErrorJson, RulingJson, rfc3339};
use heedful_report::wording;
use serde::Serialize;
use serde_json::json;

use crate::args::CheckArgs;
use crate::ending::{RunEnding, setting, written};
use crate::output::{self, BOLD, DIM, Format, GREEN, RED, harmless, styled};
use crate::run_args::robots_txt;

use question::When;

pub(crate) fn run(args: &CheckArgs) -> Result<RunEnding> {
    let when = When::new(args.at, args.last)?;
    if args.batch {
        return batch(when);
    }
    if args.robots.is_none() && !args.fetch && args.diff.is_empty() {
        return Err(no_robots(args));
    }
    let mut urls = urls(&args.urls)?;
    urls.iter().try_for_each(|url| question::check_url(url))?;
    for path in &args.urls_from {
        urls.extend(listed(path)?);
    }
    if urls.is_empty() && !(args.list && args.robots.is_some()) {
        return Err(setting(
            "which URLs? Name some, or `-` for those on standard input, or use --urls-from",
        ));
    }
    if args.list && !args.fetch && !urls.is_empty() {
        return Err(setting(
            "--list is about the whole file: it takes URLs only with --fetch, to know which sites to ask",
        ));
    }
    let read = |path| robots_txt(path).map(|robots| robots.mode(args.mode));
    if let [old, new] = args.diff.as_slice() {
        return diff(args, &read(old)?, &read(new)?, &urls);
    }
    let sites = match &args.robots {
        Some(path) => vec![(read(path)?, urls)],
        None => fetched(args, &urls)?,
    };
    report_sources(args, sites.iter().map(|(robots, _)| robots));
    let mut out = output::stdout(args.format);
    if args.list {
        for line in sites
            .iter()
            .flat_map(|(robots, _)| list::lines(args, robots))
        {
            written(writeln!(out, "{line}"))?;
        }
        return written(out.flush()).map(|()| RunEnding::Yes);
    }
    let (mut all_allowed, mut is_early) = (true, false);
    for (robots, urls) in &sites {
        let answers: Vec<_> = urls
            .iter()
            .map(|url| CheckAnswers::new(args, robots, url))
            .collect();
        all_allowed &= answers
            .iter()
            .flat_map(|answers| &answers.rulings)
            .all(Ruling::allowed);
        is_early |= args.at.is_some_and(|at| {
            args.bot
                .iter()
                .any(|bot| robots.next_fetch(bot, at, args.last) > at)
        });
        for line in lines(args, robots, &answers) {
            written(writeln!(out, "{line}"))?;
        }
    }
    written(out.flush())?;
    Ok(match (all_allowed, is_early) {
        (false, _) => RunEnding::No,
        (true, true) => RunEnding::Later,
        (true, false) => RunEnding::Yes,
    })
}

fn no_robots(args: &CheckArgs) -> Error {
    let file = args.urls.iter().find(|url| Path::new(url).is_file());
    let hint = file
        .map(|file| format!(" ({0} is a file: --robots {0})", harmless(file)))
        .unwrap_or_default();
    setting(format!(
        "which robots.txt? --robots FILE names one, --fetch asks the site of each URL{hint}"
    ))
}

/// The URLs of a file or an index. A line that is none is named, and gets no answer.
fn listed(path: &Path) -> Result<Vec<String>> {
    let mut urls = crate::urls::read(path)?;
    urls.retain(|url| {
        let named = question::check_url(url);
        if let Err(error) = &named {
            output::print_note(&format!("{}: {error}", path.display()));
        }
        named.is_ok()
    });
    Ok(urls)
}

/// Says beside the answers where each robots.txt came from; of a file that the user named, only if
/// asked.
fn report_sources<'a>(args: &CheckArgs, robots: impl Iterator<Item = &'a RobotsTxt>) {
    if args.format == Format::Json {
        return;
    }
    for source in robots
        .filter_map(RobotsTxt::source)
        .filter(|_| args.verbose || args.fetch)
    {
        output::print_message(styled(
            DIM,
            &harmless(&wording::source(source, SystemTime::now())),
        ));
    }
}

/// The rulings of a robots.txt on one URL, one for each bot.
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

/// The URLs by site, each with the robots.txt that the site has now.
fn fetched(args: &CheckArgs, urls: &[String]) -> Result<Vec<(RobotsTxt, Vec<String>)>> {
    let fetcher = args.fetching.fetcher(&args.bot[0])?;
    let (mut known, mut sites, mut each) = (HashMap::new(), Vec::new(), Vec::<Vec<String>>::new());
    for text in urls {
        let url = Url::parse(text).map_err(|_| {
            setting(format!(
                "`{text}` is no whole URL: with --fetch it has to be one"
            ))
        })?;
        let at = *known.entry(authority(&url)).or_insert(sites.len());
        if at == sites.len() {
            sites.push(url);
            each.push(Vec::new());
        }
        each[at].push(text.clone());
    }
    let answers = fetcher.robots_of_each(&sites, SystemTime::now());
    let told = sites.iter().zip(answers).map(|(url, answer)| {
        if let Some(trouble) = &answer.trouble {
            output::print_note(&format!("{}: {}", authority(url), harmless(trouble)));
        }
        answer.robots.mode(args.mode)
    });
    Ok(told.zip(each).collect())
}

/// The URLs that were named, with those of standard input in the place of `-`.
fn urls(named: &[String]) -> Result<Vec<String>> {
    let mut urls = Vec::new();
    for name in named {
        if name != "-" {
            urls.push(name.clone());
            continue;
        }
        for line in stdin().lock().lines() {
            let line = line.map_err(|source| ErrorKind::Io {
                what: "standard input".to_owned(),
                source,
            })?;
            urls.extend(Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
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
    lines.extend(
        args.bot
            .iter()
            .filter_map(|bot| Some(when(robots, bot, args.at?, args.last))),
    );
    if args.verbose {
        lines.extend(robots.notes().iter().map(|note| {
            styled(
                DIM,
                &format!(
                    "line {}: {}: {}",
                    note.line(),
                    note.kind().name(),
                    note.kind().message()
                ),
            )
        }));
    }
    lines
}

fn objects(args: &CheckArgs, robots: &RobotsTxt, answers: &[CheckAnswers<'_>]) -> Vec<String> {
    let object = |(bot, ruling, url)| {
        let object = RulingJson::of(robots, ruling, bot, url);
        if let Some(at) = args.at {
            object.at(robots, bot, at, args.last)
        } else {
            object
        }
    };
    let each = answers.iter().flat_map(|CheckAnswers { url, rulings }| {
        args.bot
            .iter()
            .zip(rulings)
            .map(move |(bot, ruling)| object((bot, ruling, *url)))
    });
    each.map(|answer| json::line(&answer)).collect()
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
            lines.extend(robots.usages(bot, url).iter().map(|usage| {
                styled(
                    DIM,
                    &format!(
                        "    of its use, line {} says `{}`",
                        usage.line(),
                        harmless(&usage.written())
                    ),
                )
            }));
        }
    }
    lines
}

/// A table with a row for each URL and a column for each bot.
fn table(bots: &[Bot], answers: &[CheckAnswers<'_>]) -> Vec<String> {
    let widths: Vec<_> = bots
        .iter()
        .map(|bot| bot.name().chars().count().max(12))
        .collect();
    let head = bots
        .iter()
        .zip(&widths)
        .map(|(bot, width)| format!("{:<width$}  ", harmless(bot.name())));
    let mut lines = vec![styled(BOLD, head.collect::<String>().trim_end())];
    for CheckAnswers { url, rulings } in answers {
        let cells = rulings.iter().zip(&widths).map(|(ruling, width)| {
            let by = ruling
                .line()
                .map(|line| format!(" line {line}"))
                .unwrap_or_default();
            let word = format!(
                "{:<width$}",
                if ruling.allowed() {
                    format!("may{by}")
                } else {
                    format!("not{by}")
                }
            );
            styled(if ruling.allowed() { GREEN } else { RED }, &word) + "  "
        });
        lines.push(cells.collect::<String>() + &harmless(url));
    }
    lines
}

fn sentence(ruling: &Ruling<'_>, bot: &Bot, url: &str) -> String {
    may_fetch(bot.name(), ruling.allowed(), url, &wording::ruling(ruling))
}

/// Says whether a bot may fetch a URL, and why.
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

/// The rules that match besides the one that decides.
fn losers(robots: &RobotsTxt, bot: &Bot, url: &str) -> Vec<String> {
    let matching = robots.matching(bot, url).into_iter().skip(1);
    let line = |ruling: Ruling<'_>| {
        let (line, rule) = (
            ruling.line().unwrap_or_default(),
            ruling.rule().unwrap_or_default(),
        );
        styled(
            DIM,
            &format!("    line {line} matches too: `{}`", harmless(&rule)),
        )
    };
    matching.map(line).collect()
}

/// Tells whether a bot that came last at `last` may come at a time, or when else.
fn when(robots: &RobotsTxt, bot: &Bot, at: SystemTime, last: Option<SystemTime>) -> String {
    let next = robots.next_fetch(bot, at, last);
    let pause = robots.pause(bot, next);
    let pause = if pause.is_zero() {
        String::new()
    } else {
        format!(", then every {}", list::seconds(pause))
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

/// A URL for which two files give different answers, as JSON.
#[derive(Serialize)]
struct CheckDifferenceJson<'a> {
    url: &'a str,
    bot: &'a str,
    before: bool,
    after: bool,
    line_before: Option<u32>,
    line_after: Option<u32>,
}

/// Prints the URLs for which two files give different answers. Exits with 1 if there are any.
fn diff(args: &CheckArgs, old: &RobotsTxt, new: &RobotsTxt, urls: &[String]) -> Result<RunEnding> {
    let mut out = output::stdout(args.format);
    let mut changed = false;
    for (url, bot) in urls
        .iter()
        .flat_map(|url| args.bot.iter().map(move |bot| (url, bot)))
    {
        let (before, after) = (old.ruling(bot, url), new.ruling(bot, url));
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

/// Answers questions in JSON Lines as they come. A line that is no question is answered with an
/// `error`.
fn batch(when: When) -> Result<RunEnding> {
    let mut out = output::stdout(Format::Json);
    for line in stdin().lock().lines() {
        let line = line.map_err(|source| ErrorKind::Io {
            what: "standard input".to_owned(),
            source,
        })?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = question::answer(line.as_bytes(), when);
        let answer =
            answer.unwrap_or_else(|error| json::line(&json!({"error": ErrorJson::of(&error)})));
        written(writeln!(out, "{answer}"))?;
        written(out.flush())?;
    }
    Ok(RunEnding::Yes)
}
