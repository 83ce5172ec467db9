//! Formats answers of a mask as tab-separated values. In a value, spaces replace tabs, line ends
//! and other control characters.
//!
//! A value that begins with `=`, `+`, `-` or `@` has an apostrophe before it. Otherwise a
//! spreadsheet takes it for a formula, and an archive may have one in the place of a URL or of a
//! record's identifier. No URL, identifier or number of an honest archive begins so.

use heedful::{Use, Uses};
use heedful_index::decision::{BotAnswer, Why};
use heedful_json::is_command;

use super::answer::MaskAnswer;

/// Returns the first line of the mask, which has the column names. If there are several bots, the
/// name of a bot's column begins with the bot's name and a colon.
pub(super) fn head(uses: Uses, bots: &[String], parts: bool) -> String {
    let mut names = Vec::from(FIRST.map(str::to_owned));
    for bot in bots {
        let of = if bots.len() > 1 {
            format!("{}:", plain(bot))
        } else {
            String::new()
        };
        for usage in uses.iter() {
            names.push(format!("{of}{usage}"));
            names.push(format!("{of}{usage}_why"));
            if parts {
                names.push(format!("{of}{usage}_parts"));
            }
        }
    }
    names.join("\t") + "\n"
}

const FIRST: [&str; 12] = [
    "file",
    "unit",
    "at",
    "record",
    "url",
    "date",
    "kind",
    "reason",
    "digest",
    "robots",
    "robots_status",
    "law",
];

pub(super) fn line(answer: &MaskAnswer, uses: Uses, parts: bool) -> String {
    let mut values = vec![
        plain(&answer.file),
        text(&answer.unit),
        answer.at.map(|at| at.to_string()).unwrap_or_default(),
        text(&answer.record),
        text(&answer.url),
        text(&answer.date),
        answer.kind.to_string(),
        text(&answer.reason),
        text(&answer.digest),
        answer.robots.as_deref().map(plain).unwrap_or_default(),
        answer
            .robots_status
            .map(|status| status.to_string())
            .unwrap_or_default(),
        answer.law.to_string(),
    ];
    for bot in &answer.bots {
        for usage in uses.iter() {
            values.push(u8::from(bot.allow.allows(usage)).to_string());
            values.push(match bot.why.0.iter().find(|(own, _)| *own == usage) {
                Some((_, why)) => directive(why),
                None => String::new(),
            });
            if parts {
                values.push(u8::from(has_part(bot, usage)).to_string());
            }
        }
    }
    values.join("\t") + "\n"
}

fn text(text: &Option<String>) -> String {
    text.as_deref().map(plain).unwrap_or_default()
}

fn has_part(bot: &BotAnswer, usage: Use) -> bool {
    bot.parts.iter().flatten().any(|name| name == usage.name())
}

/// Formats the directive that denies a use. The origin of the directive, its line and column, and
/// its convention come before the directive.
fn directive(why: &Why) -> String {
    let place = match (why.line, why.column) {
        (Some(line), Some(column)) => format!(" {line}:{column}"),
        _ => String::new(),
    };
    plain(&format!(
        "{}{place} {}: {}",
        why.origin, why.convention, why.directive
    ))
}

fn plain(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@']);
    let quote = if is_formula { "'" } else { "" };
    format!("{quote}{}", text.replace(is_command, " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_no_formula() {
        for (text, value) in [
            ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=1", " =1"),
            ("\r=1", " =1"),
            ("https://site.example/=1", "https://site.example/=1"),
            ("", ""),
        ] {
            assert_eq!(plain(text), value);
        }
    }
}
