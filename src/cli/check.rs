//! `heedful check`

use std::io::Write;

use heedful::json::RulingJson;
use heedful::{Bot, Result, Ruling};

use super::args::{CheckArgs, Format, robots_txt};
use super::output::{self, GREEN, RED, harmless, styled};
use super::{Ending, written};

pub(super) fn run(args: &CheckArgs) -> Result<Ending> {
    let robots = robots_txt(&args.robots)?;
    let mut out = output::out(args.format);
    let mut all_allowed = true;
    for url in &args.urls {
        for bot in &args.bot {
            let ruling = robots.ruling(bot, url);
            all_allowed &= ruling.allowed();
            let line = match args.format {
                Format::Json => serde_json::to_string(&RulingJson::of(&ruling, bot.name(), url)).unwrap_or_default(),
                Format::Text => sentence(&ruling, bot, url),
            };
            written(writeln!(out, "{line}"))?;
        }
    }
    Ok(if all_allowed { Ending::Yes } else { Ending::No })
}

fn sentence(ruling: &Ruling, bot: &Bot, url: &str) -> String {
    let may = if ruling.allowed() { styled(GREEN, "may") } else { styled(RED, "may not") };
    let why = match (ruling.line(), ruling.rule()) {
        (Some(line), Some(rule)) => format!("line {line} says `{}`", harmless(rule)),
        _ => match ruling.reason() {
            heedful::Reason::NoRule => "no rule for it matches".to_owned(),
            heedful::Reason::NoGroup => "no group is for it".to_owned(),
            heedful::Reason::RobotsTxt => "robots.txt itself is always allowed".to_owned(),
            reason => reason.name().to_owned(),
        },
    };
    format!("{} {may} fetch {url}: {why}", bot.name())
}
