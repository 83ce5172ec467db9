//! `heedful check --rules`: prints all rules of a robots.txt that apply to a bot, with their line
//! numbers.

use std::collections::HashMap;
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
    let notes = notes_by_line(robots);
    for rule in &rules {
        lines.push(line(rule, &notes));
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

/// Sums up a robots.txt for a bot in one phrase, such as `some paths are denied`. `rules` has the
/// rules that apply to the bot.
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

/// Returns the parser's notes on each line of a robots.txt, as text in brackets. The key is the
/// line number.
fn notes_by_line(robots: &RobotsTxt) -> HashMap<u32, String> {
    let mut notes: HashMap<u32, String> = HashMap::new();
    for note in robots.notes() {
        let of_line = notes.entry(note.line()).or_default();
        of_line.push_str(&format!(" ({})", note.kind().name()));
    }
    notes
}

/// Formats one rule of a robots.txt as a line. `notes` has the notes by line number; the note on
/// the rule is appended.
fn line(rule: &Ruling<'_>, notes: &HashMap<u32, String>) -> String {
    let may = if rule.allowed() {
        styled(GREEN, "may")
    } else {
        styled(RED, "not")
    };
    let pattern = rule.pattern().unwrap_or_default();
    let notes = rule.line().and_then(|line| notes.get(&line));
    let notes = notes.map_or("", String::as_str);
    format!(
        "{may}  {}  {}{}",
        harmless(&pattern),
        harmless(&wording::ruling(rule)),
        styled(DIM, notes)
    )
}
