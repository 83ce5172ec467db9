//! Formats facts of an explanation as phrases: the meaning of a directive, the lines to which it
//! applies, its outcome, and numbers with their nouns.

use std::time::{Duration, SystemTime};

use heedful::{
    Directive, DirectiveOutcome, Effect, ExplainedDirective, Explanation, Page, StatementContent,
    Totals, Use, Uses,
};
use heedful_base::bot::{BotId, BotSet};
use heedful_json::rfc3339;
use heedful_robots::{Reason, Ruling, Source, SourceKind};

/// Formats the meaning of a directive in words. For example, the text is `denies index, anchor` for
/// a directive that denies the uses `index` and `anchor`.
pub(super) fn says(directive: &Directive) -> String {
    match directive.says() {
        StatementContent::Deny(uses) if uses == Uses::ALL => "denies everything".to_owned(),
        StatementContent::Deny(uses) if uses.is_empty() => "denies nothing".to_owned(),
        StatementContent::Deny(uses) => format!("denies {}", use_names(uses)),
        StatementContent::Allow(uses) => format!("allows {}", use_names(uses)),
        StatementContent::MaxSnippet(characters) => format!(
            "limits a snippet to {}",
            count(u64::from(characters), "character")
        ),
        StatementContent::MaxImagePreview(size) => {
            format!("limits image previews to `{}`", size.name())
        }
        StatementContent::MaxVideoPreview(seconds) => format!(
            "limits video previews to {}",
            count(u64::from(seconds), "second")
        ),
        StatementContent::UnavailableAfter(time) => {
            format!(
                "lets the page expire on {}",
                rfc3339(time).unwrap_or_else(|| "a day far away".to_owned())
            )
        }
    }
}

/// Joins the names of uses of a page with commas.
pub(super) fn use_names(uses: Uses) -> String {
    uses.iter().map(Use::name).collect::<Vec<_>>().join(", ")
}

/// Formats the lines of the page to which a directive applies: `lines 3 to 9`.
pub(super) fn reach(explanation: &Explanation, explained: &ExplainedDirective) -> String {
    match explained.reach() {
        None => "the whole page".to_owned(),
        Some(reach) if reach.is_empty() => "nothing".to_owned(),
        Some(reach) => lines(explanation.lines(&reach)),
    }
}

/// Formats a range of lines of a page, given by its first and last line: `line 3`, or
/// `lines 3 to 9`.
pub(super) fn lines((first, last): (u32, u32)) -> String {
    if first == last {
        format!("line {first}")
    } else {
        format!("lines {first} to {last}")
    }
}

/// Formats a number with its noun: `1 word`, `2 words`.
///
/// ```
/// use heedful_report::wording::count;
///
/// assert_eq!(count(1, "word"), "1 word");
/// assert_eq!(count(2_500, "word"), "2,500 words");
/// ```
pub fn count(number: u64, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{} {what}s", grouped(number))
    }
}

/// Formats a number of bytes: `963 bytes`, `61.3 kB`, `2.0 MB`. A kB has 1,000 bytes.
///
/// ```
/// use heedful_report::wording::size;
///
/// assert_eq!([963, 61_300, 2_000_000].map(size), ["963 bytes", "61.3 kB", "2.0 MB"]);
/// ```
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => count(bytes, "byte"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Formats a number with commas between the thousands: `1,234,567`.
///
/// ```
/// assert_eq!(heedful_report::wording::grouped(1_234_567), "1,234,567");
/// ```
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

/// Returns the outcome of a directive for one bot. If the uses of the directive have different
/// outcomes, returns the strongest outcome. `effects` are the effects of the directive on that bot.
pub(super) fn outcome(effects: &[Effect]) -> Option<DirectiveOutcome> {
    effects.iter().map(Effect::outcome).min()
}

/// Groups the uses of a directive by their outcome for one bot. Overruled uses are also grouped by
/// the directive that overrules them. A group has the outcome, the names of its uses, and the index
/// of the overruling directive in [`Explanation::directives`], if any. If there is only one group,
/// the names are left out. `effects` are the effects of the directive on that bot.
pub(super) fn outcomes(effects: &[Effect]) -> Vec<(DirectiveOutcome, String, Option<usize>)> {
    let mut parts: Vec<(DirectiveOutcome, Option<usize>, Vec<&str>)> = Vec::new();
    for effect in effects {
        let name = effect.usage().map_or("", Use::name);
        match parts
            .iter_mut()
            .find(|(outcome, by, _)| (*outcome, *by) == (effect.outcome(), effect.overruled_by()))
        {
            Some((_, _, names)) => names.push(name),
            None => parts.push((effect.outcome(), effect.overruled_by(), vec![name])),
        }
    }
    if let [(outcome, by, _)] = parts[..] {
        return vec![(outcome, String::new(), by)];
    }
    parts
        .into_iter()
        .map(|(outcome, by, names)| (outcome, names.join(", "), by))
        .collect()
}

/// Returns an outcome of the directive `explained` in words, such as `obeyed`.
pub(super) fn outcome_words(
    outcome: DirectiveOutcome,
    explained: &ExplainedDirective,
) -> &'static str {
    match outcome {
        DirectiveOutcome::Obeyed => "obeyed",
        DirectiveOutcome::Overruled => "overruled",
        DirectiveOutcome::Idle if explained.reach().is_some_and(|reach| reach.is_empty()) => {
            "without effect: it holds nothing"
        }
        DirectiveOutcome::Idle => "without effect",
    }
}

/// Returns the reason, in words, why a directive has no effect for one bot. Either the directive
/// neither denies nor allows a use, or it is meant for other bots.
pub(super) fn no_effect(directive: &Directive) -> &'static str {
    match directive.says() {
        StatementContent::Deny(uses) | StatementContent::Allow(uses) if uses.is_empty() => {
            "without effect"
        }
        _ if directive.bots().is_empty() => "without effect: it binds no bot that was asked for",
        _ => "not for this bot",
    }
}

/// Formats how much of a page is withheld from `usage`, a use that the page as a whole allows.
/// Returns an empty string if nothing is withheld.
pub(super) fn withheld_part(explanation: &Explanation, page: &Page, usage: Use) -> String {
    let totals = explanation.totals(page.bot_id());
    match usage {
        Use::Follow => withheld_links(totals.links(), totals.followed()),
        Use::Anchor => withheld_links(totals.links(), totals.credited()),
        _ if totals.withheld_words(usage) == 0 => String::new(),
        _ => format!(
            "{} of {} withheld",
            grouped(totals.withheld_words(usage)),
            count(totals.words(), "word")
        ),
    }
}

fn withheld_links(links: usize, allowed: usize) -> String {
    match links - allowed {
        0 => String::new(),
        withheld => format!("{withheld} of {} withheld", count(links as u64, "link")),
    }
}

/// Formats how much of a page one bot may use, in numbers of words, phrases and links. The text
/// ends with the number of cuts: the places where the bot's snapshot leaves something out.
pub(super) fn totals(totals: &Totals) -> String {
    format!(
        "{} of {} to index, in {}; {} to show, {} to archive; {} of {} to follow, {} to credit; {}",
        grouped(totals.allowed_words(Use::Index)),
        count(totals.words(), "word"),
        count(totals.phrases() as u64, "phrase"),
        grouped(totals.allowed_words(Use::Snippet)),
        grouped(totals.allowed_words(Use::Archive)),
        totals.followed(),
        count(totals.links() as u64, "link"),
        totals.credited(),
        count(totals.cuts() as u64, "cut"),
    )
}

/// Formats the reason for a ruling: the line of the robots.txt that decides, or why no line
/// decides.
///
/// ```
/// use heedful::{Bot, RobotsTxt};
/// use heedful_report::wording;
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /drafts/");
/// let bot = Bot::new("FooBot")?;
/// let words = wording::ruling(&robots.ruling(&bot, "https://site.example/drafts/rye"));
/// assert!(words.starts_with("line 2 says `"));
/// let words = wording::ruling(&robots.ruling(&bot, "https://site.example/rye"));
/// assert_eq!(words, "no rule for it matches");
/// # Ok::<(), heedful::Error>(())
/// ```
pub fn ruling(ruling: &Ruling<'_>) -> String {
    match (ruling.line(), ruling.rule(), ruling.reason()) {
        (Some(line), Some(rule), _) => {
            let mut words = format!("line {line} says `{rule}`");
            if let Some(group) = ruling.group() {
                words = format!("{words}, to {group}");
            }
            words
        }
        (_, _, Reason::NoRule) => "no rule for it matches".to_owned(),
        (_, _, Reason::NoGroup) => "no group is for it".to_owned(),
        (_, _, Reason::RobotsTxt) => "robots.txt itself is always allowed".to_owned(),
        (_, rule, reason) => rule.unwrap_or(reason.name().into()).into_owned(),
    }
}

/// Formats the source and age of a robots.txt, and the user agent of the request for it:
/// `https://site.example/robots.txt: a copy, 2 hours old, for FooBot/1.0`.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use heedful_report::wording;
/// use heedful_robots::{Source, SourceKind};
///
/// let now = SystemTime::now();
/// let source = Source::new(SourceKind::Cached, "https://site.example/robots.txt")
///     .fetched_at(Some(now - Duration::from_secs(7200)));
/// let words = wording::source(&source, now);
/// assert_eq!(words, "https://site.example/robots.txt: a copy, 2 hours old");
/// ```
pub fn source(source: &Source, now: SystemTime) -> String {
    let status = match source.status() {
        Some(status) => format!(", HTTP status {status}"),
        None => String::new(),
    };
    let age = match source.fetched() {
        Some(time) => age(now.duration_since(time).unwrap_or_default()),
        None => String::new(),
    };
    let agent = match source.agent() {
        Some(agent) => format!(", for {agent}"),
        None => String::new(),
    };
    let how = match source.kind() {
        SourceKind::Given => "given with the question".to_owned(),
        SourceKind::File => "a file".to_owned(),
        SourceKind::Input => format!("of the input{status}"),
        SourceKind::Fetched if source.status().is_none() => "asked now, no answer".to_owned(),
        SourceKind::Fetched => format!("asked now{status}{agent}"),
        SourceKind::Cached => format!("a copy, {age} old{status}{agent}"),
        SourceKind::Revalidated => {
            format!("a copy, which the site says is still good{status}{agent}")
        }
        SourceKind::Stale => {
            format!("a copy, {age} old, for the site does not answer{status}{agent}")
        }
    };
    if source.place().is_empty() {
        how
    } else {
        format!("{}: {how}", source.place())
    }
}

/// Formats a duration in its largest whole unit: `3 hours`.
fn age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..60 => count(seconds, "second"),
        60..3600 => count(seconds / 60, "minute"),
        3600..86_400 => count(seconds / 3600, "hour"),
        _ => count(seconds / 86_400, "day"),
    }
}

/// Joins the names of the bots in `set` with commas. Returns `all` if there are several bots and
/// `set` contains all of them.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_base::bot::{BotId, BotSet};
/// use heedful_report::wording;
///
/// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
/// let explanation = filter.explain("https://site.example/")?.end()?;
/// let first = wording::bots(&explanation, BotSet::single(BotId::FIRST));
/// assert_eq!(first, explanation.pages()[0].bot().name());
/// assert_eq!(wording::bots(&explanation, BotSet::all(2)), "all");
/// # Ok::<(), heedful::Error>(())
/// ```
pub fn bots(explanation: &Explanation, set: BotSet) -> String {
    let pages = explanation.pages();
    if set == BotSet::all(pages.len()) && pages.len() > 1 {
        return "all".to_owned();
    }
    let mut names = Vec::new();
    for page in pages {
        if set.contains(page.bot_id()) {
            names.push(page.bot().name());
        }
    }
    names.join(", ")
}

/// Groups bots that have equal values. `each` has one value per bot, in the order of the bots. A
/// group has the set of its bots, and their common value.
///
/// ```
/// use heedful_report::wording::group_bots;
///
/// let groups = group_bots(["noindex", "index", "noindex"]);
/// assert_eq!(groups.len(), 2);
/// assert_eq!(groups[0].1, "noindex");
/// assert_ne!(groups[0].0, groups[1].0);
/// ```
pub fn group_bots<T: PartialEq>(each: impl IntoIterator<Item = T>) -> Vec<(BotSet, T)> {
    let mut groups: Vec<(BotSet, T)> = Vec::new();
    for (index, one) in each.into_iter().enumerate() {
        let bot = BotId::nth(index);
        match groups.iter_mut().find(|(_, other)| *other == one) {
            Some((set, _)) => *set = set.or(BotSet::single(bot)),
            None => groups.push((BotSet::single(bot), one)),
        }
    }
    groups
}
