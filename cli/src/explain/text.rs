//! An explanation as text, as wide as the terminal.

use std::borrow::Cow;

use anstyle::Style;
use heedful::report::wording;
use heedful::{BotSet, Difference, Directive, Effect, Explanation, Facet, Fate, Heard, Page, Place, RobotsTxt};

use crate::check::sentence;
use crate::output::{BOLD, DIM, GREEN, RED, harmless, styled};

/// The indent of what is told about a line.
const INDENT: usize = 10;
const NARROWEST: usize = 40;
const WIDEST: usize = 110;

/// A page: who may enter, what may be done with it, the directives, the notes, and what is left.
pub(super) fn page(explanation: &Explanation, robots: &[RobotsTxt]) -> Vec<String> {
    let pages = explanation.pages();
    let Some(first) = pages.first() else { return Vec::new() };
    let mut lines = vec![styled(BOLD, &harmless(first.url()))];
    for (robots, page) in robots.iter().flat_map(|robots| pages.iter().map(move |page| (robots, page))) {
        lines.push(format!(
            "  {}",
            sentence(&robots.ruling_of(page.bot(), page.url(), page.also_at()), page.bot(), page.url())
        ));
    }
    lines.extend(verdict(explanation));
    if pages.iter().all(|page| !page.policy().entered()) {
        lines.extend(["  The page itself was not read.".to_owned(), String::new()]);
        return lines;
    }
    lines.extend(heard(explanation));
    lines.extend(notes(explanation));
    lines.extend(totals(explanation));
    lines.push(String::new());
    lines
}

/// The parts that some bots may have and others may not.
pub(super) fn differences(explanation: &Explanation) -> Vec<String> {
    let differences = explanation.differences();
    let Some(page) = explanation.pages().first() else { return Vec::new() };
    let mut lines = vec![styled(BOLD, &harmless(page.url()))];
    if differences.is_empty() {
        lines.push("  no difference between these bots".to_owned());
    }
    for difference in &differences {
        lines.extend(self::difference(explanation, difference));
    }
    lines.push(String::new());
    lines
}

fn difference(explanation: &Explanation, difference: &Difference) -> Vec<String> {
    let range = difference.range();
    let is_whole = range == (0..explanation.source().len() as u64);
    let place = if is_whole { "the whole page".to_owned() } else { wording::lines(explanation.lines(&range)) };
    let bytes = format!("bytes {} to {}", range.start, range.end);
    let may = wording::bots(explanation, wording::may(explanation, difference));
    let mut lines =
        vec![format!("  {} {}  {}", styled(BOLD, &wording::names(difference.facets())), place, styled(DIM, &bytes))];
    lines.push(format!("    {}  {may}", styled(GREEN, "may    ")));
    for (set, id) in difference.denials() {
        let Some(directive) = explanation.number_of(id).map(|number| explanation.heard()[number].directive()) else {
            continue;
        };
        let bots = wording::bots(explanation, set);
        lines.extend(wrapped(&format!("    {}  {bots}: {}", styled(RED, "may not"), said(directive)), 13));
    }
    lines
}

/// What may be done with the page as a whole: a row for each facet, a column for each bot.
fn verdict(explanation: &Explanation) -> Vec<String> {
    let pages = explanation.pages();
    let widths: Vec<usize> = pages.iter().map(|page| page.bot().name().chars().count().max(4)).collect();
    let names: String =
        pages.iter().zip(&widths).map(|(page, width)| format!("  {:width$}", harmless(page.bot().name()))).collect();
    let mut lines = vec![styled(DIM, &format!("  {:10}{names}", ""))];
    let enter: Vec<bool> = pages.iter().map(|page| page.policy().entered()).collect();
    lines.extend(wrapped(&row("enter", &enter, &widths, &why(explanation, None)), 14));
    for facet in Facet::ALL {
        let may: Vec<bool> = pages.iter().map(|page| page.policy().allows(facet)).collect();
        lines.extend(wrapped(&row(facet.name(), &may, &widths, &why(explanation, Some(facet))), 14));
    }
    lines.extend(limits(explanation));
    lines
}

fn row(name: &str, may: &[bool], widths: &[usize], why: &str) -> String {
    let word = |(may, width): (&bool, &usize)| {
        let (style, word) = if *may { (GREEN, "yes") } else { (RED, "no") };
        format!("  {}{}", styled(style, word), " ".repeat(width - word.len()))
    };
    let words: String = may.iter().zip(widths).map(word).collect();
    format!("  {name:10}{words}  {why}").trim_end().to_owned()
}

/// The directive that denies the whole page a facet, or entry; otherwise how much text is withheld in parts.
fn why(explanation: &Explanation, facet: Option<Facet>) -> String {
    let why = wording::alike(explanation.pages().iter().map(|page| reason(explanation, page, facet)));
    let is_one = why.len() == 1;
    let told = why.into_iter().filter(|(_, reason)| !reason.is_empty()).map(|(set, reason)| match is_one {
        true => reason,
        false => format!("{}: {reason}", wording::bots(explanation, set)),
    });
    let told = told.collect::<Vec<_>>().join("; ");
    if told.is_empty() { told } else { styled(DIM, &told) }
}

fn reason(explanation: &Explanation, page: &Page, facet: Option<Facet>) -> String {
    let policy = page.policy();
    match facet {
        None if policy.entered() => String::new(),
        None => policy.why(Facet::Index).map(said).unwrap_or_default(),
        Some(_) if !policy.entered() => String::new(),
        Some(facet) if !policy.allows(facet) => {
            let derived = if policy.is_derived(facet) { "derived: " } else { "" };
            policy.why(facet).map(|why| format!("{derived}{}", said(why))).unwrap_or_default()
        }
        Some(facet) => wording::withheld_part(explanation, page, facet),
    }
}

fn limits(explanation: &Explanation) -> Vec<String> {
    let is_limit = |heard: &&Heard| {
        let says = heard.directive().says();
        !matches!(says, heedful::Says::Deny(_) | heedful::Says::Allow(_))
    };
    let limits = explanation.heard().iter().filter(is_limit);
    let line = |heard: &Heard| {
        let directive = heard.directive();
        wrapped(&format!("  {:10}  {} {}", "limit", wording::says(directive), styled(DIM, &said(directive))), 14)
    };
    limits.flat_map(line).collect()
}

fn heard(explanation: &Explanation) -> Vec<String> {
    let heard = explanation.heard();
    let mut lines =
        vec![String::new(), styled(BOLD, &format!("  Heard: {}", wording::count(heard.len() as u64, "directive")))];
    let effects: Vec<_> = explanation.pages().iter().map(|page| explanation.effects(page.bot_id())).collect();
    for (number, one) in heard.iter().enumerate() {
        let directive = one.directive();
        let head = format!(
            "{:>8}  {}  {}",
            place(directive.place()),
            styled(BOLD, directive.dialect()),
            harmless(directive.text())
        );
        lines.extend(wrapped(&head, INDENT + 2));
        let reach = wording::reach(explanation, one);
        let told = format!("{:INDENT$}{} · {reach}", "", wording::says(directive));
        lines.extend(wrapped(&told, INDENT + 2));
        lines.extend(fates(
            explanation,
            one,
            &effects.iter().map(|of_bot| of_bot[number].as_slice()).collect::<Vec<_>>(),
        ));
    }
    lines
}

/// The fate of a directive. Bots for which it is the same share a line.
fn fates(explanation: &Explanation, heard: &Heard, effects: &[&[Effect]]) -> Vec<String> {
    let is_one = explanation.pages().len() == 1;
    let groups = wording::alike(effects.iter().copied());
    let line = |(set, effects): (BotSet, &[Effect])| {
        let whom = if is_one { String::new() } else { format!("{}: ", wording::bots(explanation, set)) };
        let parts: Vec<_> = wording::fates(effects)
            .into_iter()
            .map(|(fate, what, by)| {
                let word = styled(style(fate), wording::fate_words(fate, heard));
                let what = if what.is_empty() { what } else { format!("{what}: ") };
                let by = by.map(|by| format!(" by {}", said(explanation.heard()[by].directive()))).unwrap_or_default();
                format!("{what}{word}{by}")
            })
            .collect();
        let told = if parts.is_empty() { styled(DIM, wording::no_effect(heard.directive())) } else { parts.join("; ") };
        wrapped(&format!("{:INDENT$}{whom}{told}", ""), INDENT + 2)
    };
    groups.into_iter().flat_map(line).collect()
}

fn style(fate: Fate) -> Style {
    match fate {
        Fate::Obeyed => GREEN,
        Fate::Overruled => RED,
        _ => DIM,
    }
}

fn notes(explanation: &Explanation) -> Vec<String> {
    let notes: Vec<_> = explanation.notes().collect();
    if notes.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), styled(BOLD, &format!("  Notes: {}", notes.len()))];
    for note in notes {
        let message =
            format!("{:>8}  {}  {}", place(note.place()), styled(BOLD, note.kind().name()), harmless(note.message()));
        lines.extend(wrapped(&message, INDENT + 2));
    }
    lines
}

/// The totals of the page. Bots that may have the same share a line.
fn totals(explanation: &Explanation) -> Vec<String> {
    let pages = explanation.pages();
    let mut lines = vec![String::new()];
    for (set, totals) in wording::alike(pages.iter().map(|page| explanation.totals(page.bot_id()))) {
        let whom = if pages.len() == 1 { String::new() } else { format!("{}: ", wording::bots(explanation, set)) };
        let told = format!("  {whom}{}", wording::totals(&totals));
        lines.extend(wrapped(&told, 4));
    }
    lines
}

fn place(place: Option<Place>) -> Cow<'static, str> {
    place.map_or(Cow::Borrowed("-"), |place| Cow::Owned(format!("{}:{}", place.line(), place.column())))
}

/// How a line about something else names a directive.
pub(super) fn said(directive: &Directive) -> String {
    let text = harmless(directive.text());
    match directive.place() {
        Some(place) => format!("{}:{} {text}", place.line(), place.column()),
        None => format!("{} {text}", directive.dialect()),
    }
}

/// The width of a line.
pub(super) fn width() -> usize {
    textwrap::termwidth().clamp(NARROWEST, WIDEST)
}

/// Wraps a line; the lines after the first are indented.
pub(super) fn wrapped(line: &str, indent: usize) -> Vec<String> {
    let start = line.len() - line.trim_start().len();
    let (first, rest) = (" ".repeat(start), " ".repeat(indent));
    let options = textwrap::Options::new(width()).initial_indent(&first).subsequent_indent(&rest);
    textwrap::wrap(line.trim_start(), options).into_iter().map(Cow::into_owned).collect()
}
