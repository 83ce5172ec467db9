//! An explanation as text: as wide as the terminal, in a pipe one line each.

use std::borrow::Cow;

use heedful::{Directive, DirectiveOutcome, Explanation, RobotsTxt, Use};
use heedful_report::{
    DifferenceWording, DirectiveWording, NoteWording, OutcomeWording, PermissionWording,
    UseWording, Wording, wording,
};
use textwrap::{WordSeparator, WordSplitter};

use crate::check::may_fetch;
use crate::output::{BOLD, DIM, GREEN, RED, harmless, is_shown, styled};

/// The indent of what is told about a line.
const INDENT: usize = 10;
const NARROWEST: usize = 40;
const WIDEST: usize = 110;

/// A page: who may enter, what may be done with it, the directives, the notes, and what is left.
pub(super) fn page(explanation: &Explanation, robots: &[RobotsTxt]) -> Vec<String> {
    let Some(first) = explanation.pages().first() else {
        return Vec::new();
    };
    let words = Wording::new(explanation, robots);
    let mut lines = vec![styled(BOLD, &harmless(first.url()))];
    lines.extend(words.rulings.iter().map(|ruling| {
        format!(
            "  {}",
            may_fetch(ruling.bot, ruling.allowed, first.url(), &ruling.why)
        )
    }));
    lines.extend(verdict(explanation, &words));
    if explanation
        .pages()
        .iter()
        .all(|page| !page.policy().entered())
    {
        lines.extend(["  The page itself was not read.".to_owned(), String::new()]);
        return lines;
    }
    lines.extend(directives(explanation, &words.directives));
    lines.extend(notes(&words.notes));
    lines.push(String::new());
    lines.extend(
        words
            .totals
            .iter()
            .flat_map(|(bots, totals)| wrapped(&format!("  {}{totals}", whom(bots)), 4)),
    );
    lines.push(String::new());
    lines
}

/// The parts that some bots may have and others may not.
pub(super) fn differences(explanation: &Explanation) -> Vec<String> {
    let Some(page) = explanation.pages().first() else {
        return Vec::new();
    };
    let differences = Wording::new(explanation, &[]).differences;
    let mut lines = vec![styled(BOLD, &harmless(page.url()))];
    if differences.is_empty() {
        lines.push("  no difference between these bots".to_owned());
    }
    lines.extend(
        differences
            .iter()
            .flat_map(|difference| self::difference(explanation, difference)),
    );
    lines.push(String::new());
    lines
}

fn difference(explanation: &Explanation, words: &DifferenceWording) -> Vec<String> {
    let bytes = styled(
        DIM,
        &format!("bytes {} to {}", words.range.start, words.range.end),
    );
    let mut lines = vec![
        format!("  {} {}  {bytes}", styled(BOLD, &words.uses), words.lines),
        format!("    {}  {}", styled(GREEN, "may    "), words.may),
    ];
    lines.extend(words.may_not.iter().flat_map(|(bots, directive)| {
        wrapped(
            &format!(
                "    {}  {bots}: {}",
                styled(RED, "may not"),
                label_by_number(explanation, *directive)
            ),
            13,
        )
    }));
    lines
}

/// What may be done with the page as a whole: a row for each use, a column for each bot.
fn verdict(explanation: &Explanation, words: &Wording<'_>) -> Vec<String> {
    let widths: Vec<usize> = words
        .bots
        .iter()
        .map(|words| words.bot.chars().count().max(4))
        .collect();
    let names: String = words
        .bots
        .iter()
        .zip(&widths)
        .map(|(words, width)| format!("  {:width$}", harmless(words.bot)))
        .collect();
    let mut lines = vec![styled(DIM, &format!("  {:10}{names}", ""))];
    for at in 0..=Use::ALL.len() {
        let each = words
            .bots
            .iter()
            .filter_map(|words| words.uses.get(at))
            .collect::<Vec<_>>();
        lines.extend(wrapped(
            &row(&each, &widths, &why(explanation, words, at)),
            14,
        ));
    }
    lines.extend(words.limits.iter().flat_map(|(limit, directive)| {
        wrapped(
            &format!(
                "  {:10}  {limit} {}",
                "limit",
                styled(DIM, &label_by_number(explanation, *directive))
            ),
            14,
        )
    }));
    lines
}

/// A use, for each bot.
fn row(each: &[&UseWording], widths: &[usize], why: &str) -> String {
    let word = |(one, width): (&&UseWording, &usize)| {
        let (style, word) = if one.may == PermissionWording::No {
            (RED, "no")
        } else {
            (GREEN, "yes")
        };
        format!(
            "  {}{}",
            styled(style, word),
            " ".repeat(width - word.len())
        )
    };
    let words: String = each.iter().zip(widths).map(word).collect();
    format!(
        "  {:10}{words}  {why}",
        each.first().map_or("", |one| one.name)
    )
    .trim_end()
    .to_owned()
}

/// The directive that denies the whole page a use; otherwise how much text is withheld in parts.
fn why(explanation: &Explanation, words: &Wording<'_>, at: usize) -> String {
    let reasons = words.bots.iter().map(|words| {
        let is_out = words
            .uses
            .first()
            .is_some_and(|enter| enter.may == PermissionWording::No);
        words
            .uses
            .get(at)
            .filter(|_| at == 0 || !is_out)
            .map_or_else(String::new, |one| reason(explanation, one))
    });
    let why = wording::group_bots(reasons);
    let is_one = why.len() == 1;
    let told = why
        .into_iter()
        .filter(|(_, reason)| !reason.is_empty())
        .map(|(set, reason)| match is_one {
            true => reason,
            false => format!("{}: {reason}", wording::bots(explanation, set)),
        });
    let told = told.collect::<Vec<_>>().join("; ");
    if told.is_empty() {
        told
    } else {
        styled(DIM, &told)
    }
}

fn reason(explanation: &Explanation, words: &UseWording) -> String {
    match words.directive {
        Some(directive) if words.words.is_empty() => label_by_number(explanation, directive),
        Some(directive) => format!(
            "{}: {}",
            words.words,
            label_by_number(explanation, directive)
        ),
        None => words.words.clone(),
    }
}

fn directives(explanation: &Explanation, directives: &[DirectiveWording<'_>]) -> Vec<String> {
    let count = wording::count(directives.len() as u64, "directive");
    let mut lines = vec![String::new(), styled(BOLD, &format!("  Heard: {count}"))];
    for words in directives {
        let head = format!(
            "{:>8}  {}  {}",
            place(&words.place),
            styled(BOLD, words.convention),
            harmless(words.text)
        );
        lines.extend(wrapped(&head, INDENT + 2));
        lines.extend(wrapped(
            &format!("{:INDENT$}{} · {}", "", words.says, words.reach),
            INDENT + 2,
        ));
        // Bots for which the fate is the same share a line.
        for fates in words.fates.chunk_by(|one, next| one.bots == next.bots) {
            let told = fates
                .iter()
                .map(|fate| self::fate(explanation, fate))
                .collect::<Vec<_>>()
                .join("; ");
            let bots = fates.first().map_or("", |fate| &fate.bots);
            lines.extend(wrapped(
                &format!("{:INDENT$}{}{told}", "", whom(bots)),
                INDENT + 2,
            ));
        }
    }
    lines
}

fn fate(explanation: &Explanation, words: &OutcomeWording) -> String {
    let style = match words.fate {
        Some(DirectiveOutcome::Obeyed) => GREEN,
        Some(DirectiveOutcome::Overruled) => RED,
        _ => DIM,
    };
    let by = words
        .by
        .map(|by| format!(" by {}", label_by_number(explanation, by)))
        .unwrap_or_default();
    format!("{}{}{by}", whom(&words.uses), styled(style, words.words))
}

/// The beginning of a line about some, if it is not about all.
fn whom(names: &str) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!("{names}: ")
    }
}

fn notes(notes: &[NoteWording<'_>]) -> Vec<String> {
    if notes.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        styled(BOLD, &format!("  Notes: {}", notes.len())),
    ];
    for note in notes {
        let message = format!(
            "{:>8}  {}  {}",
            place(&note.place),
            styled(BOLD, note.kind),
            harmless(note.message)
        );
        lines.extend(wrapped(&message, INDENT + 2));
    }
    lines
}

fn place(place: &str) -> &str {
    if place.is_empty() { "-" } else { place }
}

/// How a line about something else names a directive of an explanation.
fn label_by_number(explanation: &Explanation, directive: usize) -> String {
    explanation
        .heard()
        .get(directive)
        .map(|heard| label(heard.directive()))
        .unwrap_or_default()
}

/// How a line about something else names a directive.
pub(super) fn label(directive: &Directive) -> String {
    let text = harmless(directive.text());
    match directive.place() {
        Some(place) => format!("{}:{} {text}", place.line(), place.column()),
        None => format!("{} {text}", directive.convention()),
    }
}

/// The width of a line. In a pipe lines are not wrapped, so that what they quote can be searched
/// for.
pub(super) fn width() -> usize {
    if is_shown() {
        textwrap::termwidth().clamp(NARROWEST, WIDEST)
    } else {
        usize::MAX
    }
}

/// Wraps a line; the lines after the first are indented.
pub(super) fn wrapped(line: &str, indent: usize) -> Vec<String> {
    let start = line.len() - line.trim_start().len();
    let (first, rest) = (" ".repeat(start), " ".repeat(indent));
    let options = textwrap::Options::new(width())
        .initial_indent(&first)
        .subsequent_indent(&rest);
    // A quoted directive is not broken inside a word.
    let options = options
        .word_splitter(WordSplitter::NoHyphenation)
        .word_separator(WordSeparator::AsciiSpace);
    textwrap::wrap(line.trim_start(), options)
        .into_iter()
        .map(Cow::into_owned)
        .collect()
}
