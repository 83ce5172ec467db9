//! `heedful check --rules`: prints all rules of a robots.txt that apply to a bot, with their line
//! numbers.

use std::time::Duration;

use heedful::{Bot, Reason, RobotsTxt, Ruling};
use heedful_json as json;
use heedful_json::RulesJson;
use heedful_report::wording;

use crate::args::CheckArgs;
use crate::output::{BOLD, DIM, Format, GREEN, RED, harmless, styled};

pub(super) fn lines(args: &CheckArgs, robots: &RobotsTxt) -> Vec<String> {
    let mut lines = Vec::new();
    for bot in &args.bot {
        match args.format {
            Format::Json => lines.push(json::line(&RulesJson::new(robots, bot))),
            Format::Text => lines.extend(bot_lines(robots, bot)),
        }
    }
    lines
}

fn bot_lines(robots: &RobotsTxt, bot: &Bot) -> Vec<String> {
    let rules = robots.rules(bot);
    let head = format!("{}: {}", bot.name(), sum(robots, bot, &rules));
    let mut lines = vec![styled(BOLD, &head)];
    for rule in &rules {
        lines.push(line(robots, rule));
    }
    for (line, record) in robots.records_of_use(bot) {
        lines.push(format!("use  line {line}: `{}`", harmless(&record)));
    }
    if let Some(delay) = robots.crawl_delay(bot) {
        lines.push(format!("{} between two fetches", seconds(delay)));
    }
    for rate in robots.request_rates(bot) {
        lines.push(format!("documents in seconds: {rate}"));
    }
    for window in robots.visit_times(bot) {
        lines.push(format!("to be visited at {window} UTC"));
    }
    lines
}

/// Formats a duration as a number of seconds: `1 second`, `2.5 seconds`.
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

/// Returns one phrase that sums up the rules of a robots.txt for a bot, such as
/// `some paths are denied`.
fn sum(robots: &RobotsTxt, bot: &Bot, rules: &[Ruling<'_>]) -> String {
    let otherwise = robots.default_ruling(bot);
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

/// Formats one rule of a robots.txt as a line, with the parser's notes on it in brackets.
fn line(robots: &RobotsTxt, rule: &Ruling<'_>) -> String {
    let may = if rule.allowed() {
        styled(GREEN, "may")
    } else {
        styled(RED, "not")
    };
    let pattern = rule.pattern().unwrap_or_default();
    let mut notes = String::new();
    for note in robots.notes() {
        if Some(note.line()) == rule.line() {
            notes.push_str(&format!(" ({})", note.kind().name()));
        }
    }
    format!(
        "{may}  {}  {}{}",
        harmless(&pattern),
        harmless(&wording::ruling(rule)),
        styled(DIM, &notes)
    )
}
