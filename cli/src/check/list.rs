//! `heedful check --rules`: all that a robots.txt says to a bot, and by which lines.

use std::time::Duration;

use heedful::{Bot, Reason, RobotsTxt, Ruling};
use heedful_json as json;
use heedful_json::RulesJson;
use heedful_report::wording;

use crate::args::CheckArgs;
use crate::output::{BOLD, DIM, Format, GREEN, RED, harmless, styled};

pub(super) fn lines(args: &CheckArgs, robots: &RobotsTxt) -> Vec<String> {
    if args.format == Format::Json {
        let object = |bot| json::line(&RulesJson::new(robots, bot));
        return args.bot.iter().map(object).collect();
    }
    args.bot
        .iter()
        .flat_map(|bot| of_bot(robots, bot))
        .collect()
}

fn of_bot(robots: &RobotsTxt, bot: &Bot) -> Vec<String> {
    let (rules, uses) = (robots.rules(bot), robots.records_of_use(bot));
    let mut lines = vec![styled(
        BOLD,
        &format!("{}: {}", bot.name(), sum(robots, bot, &rules)),
    )];
    lines.extend(rules.iter().map(|rule| line(robots, rule)));
    let of_use =
        |(line, record): (u32, String)| format!("use  line {line}: `{}`", harmless(&record));
    lines.extend(uses.into_iter().map(of_use));
    lines.extend(
        robots
            .crawl_delay(bot)
            .map(|delay| format!("{} between two fetches", seconds(delay))),
    );
    lines.extend(
        robots
            .request_rates(bot)
            .iter()
            .map(|rate| format!("documents in seconds: {rate}")),
    );
    lines.extend(
        robots
            .visit_times(bot)
            .iter()
            .map(|window| format!("to be visited at {window} UTC")),
    );
    lines
}

/// A duration in words: `1 second`, `2.5 seconds`.
pub(super) fn seconds(pause: Duration) -> String {
    format!(
        "{} second{}",
        pause.as_secs_f64(),
        if pause == Duration::from_secs(1) {
            ""
        } else {
            "s"
        }
    )
}

/// The rules of a bot in one sentence.
fn sum(robots: &RobotsTxt, bot: &Bot, rules: &[Ruling<'_>]) -> String {
    let otherwise = robots.otherwise(bot);
    match otherwise.reason() {
        Reason::Status => {
            let may = if otherwise.allowed() {
                "may fetch everything"
            } else {
                "may fetch nothing"
            };
            format!("{may}: {}", harmless(&wording::ruling(&otherwise)))
        }
        _ if rules.iter().any(|rule| !rule.allowed()) => "some paths are denied".to_owned(),
        Reason::NoGroup => "may fetch everything: no group is for it".to_owned(),
        _ => {
            let group = robots.group(bot).unwrap_or_default();
            format!(
                "may fetch everything: the rules for {} deny nothing",
                harmless(&group)
            )
        }
    }
}

/// One rule, and what looks wrong in its line.
fn line(robots: &RobotsTxt, rule: &Ruling<'_>) -> String {
    let may = if rule.allowed() {
        styled(GREEN, "may")
    } else {
        styled(RED, "not")
    };
    let pattern = rule.pattern().unwrap_or_default();
    let notes = robots.notes();
    let odd = notes.iter().filter(|note| Some(note.line()) == rule.line());
    let odd: String = odd
        .map(|note| format!(" ({})", note.kind().name()))
        .collect();
    format!(
        "{may}  {}  {}{}",
        harmless(&pattern),
        harmless(&wording::ruling(rule)),
        styled(DIM, &odd)
    )
}
