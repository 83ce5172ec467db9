//! The phrases of an explanation: what a directive says, how far it reaches, its fate; and numbers
//! with their nouns.

use std::time::{Duration, SystemTime};

use heedful::{
    Directive, DirectiveOutcome, Effect, ExplainedDirective, Explanation, Page, Says, Totals, Use,
    Uses,
};
use heedful_base::bot::{BotId, BotSet};
use heedful_json::rfc3339;
use heedful_robots::{Reason, Ruling, Source, SourceKind};

/// The statement of a directive in words: `denies index, anchor`.
pub(super) fn says(directive: &Directive) -> String {
    match directive.says() {
        Says::Deny(uses) if uses == Uses::ALL => "denies everything".to_owned(),
        Says::Deny(uses) if uses.is_empty() => "denies nothing".to_owned(),
        Says::Deny(uses) => format!("denies {}", names(uses)),
        Says::Allow(uses) => format!("allows {}", names(uses)),
        Says::MaxSnippet(characters) => format!(
            "limits a snippet to {}",
            count(u64::from(characters), "character")
        ),
        Says::MaxImagePreview(size) => format!("limits image previews to `{}`", size.name()),
        Says::MaxVideoPreview(seconds) => format!(
            "limits video previews to {}",
            count(u64::from(seconds), "second")
        ),
        Says::UnavailableAfter(time) => {
            format!(
                "lets the page expire on {}",
                rfc3339(time).unwrap_or_else(|| "a day far away".to_owned())
            )
        }
    }
}

/// The names of uses, separated by commas.
pub(super) fn names(uses: Uses) -> String {
    uses.iter().map(Use::name).collect::<Vec<_>>().join(", ")
}

/// The reach of a directive in words: `lines 3 to 9`.
pub(super) fn reach(explanation: &Explanation, heard: &ExplainedDirective) -> String {
    match heard.reach() {
        None => "the whole page".to_owned(),
        Some(reach) if reach.is_empty() => "nothing".to_owned(),
        Some(reach) => lines(explanation.lines(&reach)),
    }
}

/// A range of lines in words: `line 3`, or `lines 3 to 9`.
pub(super) fn lines((first, last): (u32, u32)) -> String {
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}

/// A number with its noun: `1 word`, `2 words`.
pub fn count(number: u64, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{} {what}s", grouped(number))
    }
}

/// A number of bytes: `963 bytes`, `61.3 kB`, `2.0 MB`; a kB has 1,000 of them.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => count(bytes, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A number with commas between the thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// The fate of a directive for one bot, as one word for all that it says.
pub(super) fn fate(effects: &[Effect]) -> Option<DirectiveOutcome> {
    effects.iter().map(Effect::outcome).min()
}

/// The fates of a directive's parts. Each has the fate, its uses (all if none is named), and the
/// number of the directive that decided instead.
pub(super) fn fates(effects: &[Effect]) -> Vec<(DirectiveOutcome, String, Option<usize>)> {
    let mut parts: Vec<(DirectiveOutcome, Option<usize>, Vec<&str>)> = Vec::new();
    for effect in effects {
        let name = effect.usage().map_or("", Use::name);
        match parts
            .iter_mut()
            .find(|(fate, by, _)| (*fate, *by) == (effect.outcome(), effect.overruled_by()))
        {
            Some((_, _, names)) => names.push(name),
            None => parts.push((effect.outcome(), effect.overruled_by(), vec![name])),
        }
    }
    let is_whole = parts.len() == 1;
    let named = |names: Vec<&str>| {
        if is_whole {
            String::new()
        } else {
            names.join(", ")
        }
    };
    parts
        .into_iter()
        .map(|(fate, by, names)| (fate, named(names), by))
        .collect()
}

/// A fate in words, for a directive that reaches something or nothing.
pub(super) fn fate_words(fate: DirectiveOutcome, heard: &ExplainedDirective) -> &'static str {
    match fate {
        DirectiveOutcome::Obeyed => "obeyed",
        DirectiveOutcome::Overruled => "overruled",
        DirectiveOutcome::Idle if heard.reach().is_some_and(|reach| reach.is_empty()) => {
            "without effect: it holds nothing"
        }
        DirectiveOutcome::Idle => "without effect",
    }
}

/// Why a directive does nothing for some bots: it is not for them, or it says nothing.
pub(super) fn no_effect(directive: &Directive) -> &'static str {
    match directive.says() {
        Says::Deny(uses) | Says::Allow(uses) if uses.is_empty() => {
            "without effect: it says nothing"
        }
        _ if directive.bots().is_empty() => "without effect: it binds no bot that was asked for",
        _ => "not for this bot",
    }
}

/// How much of a page is withheld from a use, if the page as a whole allows it to a bot. Empty if
/// nothing is.
pub(super) fn withheld_part(explanation: &Explanation, page: &Page, usage: Use) -> String {
    let totals = explanation.totals(page.bot_id());
    let links = |may: usize| match totals.links() - may {
        0 => String::new(),
        withheld => format!(
            "{withheld} of {} withheld",
            count(totals.links() as u64, "link")
        ),
    };
    match usage {
        Use::Follow => links(totals.followed()),
        Use::Anchor => links(totals.credited()),
        _ if totals.withheld(usage) == 0 => String::new(),
        _ => format!(
            "{} of {} withheld",
            grouped(totals.withheld(usage)),
            count(totals.words(), "word")
        ),
    }
}

/// The totals of a page for a bot, in words: what is left of it.
pub(super) fn totals(totals: &Totals) -> String {
    format!(
        "{} of {} to index, in {}; {} to show, {} to archive; {} of {} to follow, {} to credit; {}",
        grouped(totals.kept(Use::Index)),
        count(totals.words(), "word"),
        count(totals.phrases() as u64, "phrase"),
        grouped(totals.kept(Use::Snippet)),
        grouped(totals.kept(Use::Archive)),
        totals.followed(),
        count(totals.links() as u64, "link"),
        totals.credited(),
        count(totals.cuts() as u64, "cut"),
    )
}

/// The line of a robots.txt that decides, in words.
pub fn ruling(ruling: &Ruling<'_>) -> String {
    match (ruling.line(), ruling.rule(), ruling.reason()) {
        (Some(line), Some(rule), _) => {
            let group = ruling
                .group()
                .map(|group| format!(", to {group}"))
                .unwrap_or_default();
            format!("line {line} says `{rule}`{group}")
        }
        (_, _, Reason::NoRule) => "no rule for it matches".to_owned(),
        (_, _, Reason::NoGroup) => "no group is for it".to_owned(),
        (_, _, Reason::RobotsTxt) => "robots.txt itself is always allowed".to_owned(),
        (_, rule, reason) => rule.unwrap_or(reason.name().into()).into_owned(),
    }
}

/// The origin and age of a robots.txt:
/// `https://site.example/robots.txt: a copy, 2 hours old, told to FooBot/1.0`.
pub fn source(source: &Source, now: SystemTime) -> String {
    let status = source
        .status()
        .map(|status| format!(", HTTP status {status}"))
        .unwrap_or_default();
    let age = source
        .fetched()
        .map(|time| age(now.duration_since(time).unwrap_or_default()))
        .unwrap_or_default();
    let told = source
        .agent()
        .map(|agent| format!(", told to {agent}"))
        .unwrap_or_default();
    let how = match source.kind() {
        SourceKind::Given => "given with the question".to_owned(),
        SourceKind::File => "a file".to_owned(),
        SourceKind::Input => format!("of the input{status}"),
        SourceKind::Fetched if source.status().is_none() => "asked now, no answer".to_owned(),
        SourceKind::Fetched => format!("asked now{status}{told}"),
        SourceKind::Cached => format!("a copy, {age} old{status}{told}"),
        SourceKind::Revalidated => {
            format!("a copy, which the site says is still good{status}{told}")
        }
        SourceKind::Stale => {
            format!("a copy, {age} old, for the site does not answer{status}{told}")
        }
    };
    if source.place().is_empty() {
        how
    } else {
        format!("{}: {how}", source.place())
    }
}

/// An age in its largest unit: `3 hours`.
fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute")];
    let unit = units
        .into_iter()
        .find(|(length, _)| seconds >= *length)
        .unwrap_or((1, "second"));
    count(seconds / unit.0, unit.1)
}

/// The names of some of the bots of a pass; `all` for all of them.
pub fn bots(explanation: &Explanation, set: BotSet) -> String {
    let pages = explanation.pages();
    if set == BotSet::all(pages.len()) && pages.len() > 1 {
        return "all".to_owned();
    }
    let named = pages
        .iter()
        .filter(|page| set.contains(page.bot_id()))
        .map(|page| page.bot().name());
    named.collect::<Vec<_>>().join(", ")
}

/// Groups bots that have the same value: the bots, and the value.
pub fn alike<T: PartialEq>(each: impl IntoIterator<Item = T>) -> Vec<(BotSet, T)> {
    let mut groups: Vec<(BotSet, T)> = Vec::new();
    for (index, one) in each.into_iter().enumerate() {
        let bot = BotId::nth(index);
        match groups.iter_mut().find(|(_, other)| *other == one) {
            Some((set, _)) => *set = set.or(BotSet::one(bot)),
            None => groups.push((BotSet::one(bot), one)),
        }
    }
    groups
}
