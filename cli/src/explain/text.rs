//! Formats an explanation as text. Lines are wrapped at the width of the terminal. If the output is
//! not a terminal, lines are not wrapped.

use std::borrow::Cow;

use heedful::{Directive, DirectiveOutcome, Explanation, RobotsTxt, Use};
use heedful_report::{
    DifferenceWording, DirectiveWording, NoteWording, OutcomeWording, PermissionWording,
    UseWording, Wording, wording,
};
use textwrap::{WordSeparator, WordSplitter};

use crate::check::may_fetch;
use crate::output::{BOLD, DIM, GREEN, RED, harmless, is_shown, styled};

/// Number of spaces before the lines about a directive.
const INDENT: usize = 10;
const NARROWEST: usize = 40;
const WIDEST: usize = 110;

/// Formats the explanation of a page as lines of text. The lines show the rulings of robots.txt for
/// each bot, and the uses that the page permits. If a bot may fetch the page, the directives, the
/// notes and the totals follow.
pub(super) fn page(explanation: &Explanation, robots: &[RobotsTxt]) -> Vec<String> {
    let Some(first) = explanation.pages().first() else {
        return Vec::new();
    };
    let words = Wording::new(explanation, robots);
    let mut lines = vec![styled(BOLD, &harmless(first.url()))];
    for ruling in &words.rulings {
        let sentence = may_fetch(ruling.bot, ruling.allowed, first.url(), &ruling.why);
        lines.push(format!("  {sentence}"));
    }
    lines.extend(verdict(explanation, &words));
    if explanation
        .pages()
        .iter()
        .all(|page| !page.policy().may_fetch())
    {
        lines.extend(["  The page itself was not read.".to_owned(), String::new()]);
        return lines;
    }
    lines.extend(directives(explanation, &words.directives));
    lines.extend(notes(&words.notes));
    lines.push(String::new());
    for (bots, totals) in &words.totals {
        lines.extend(wrapped(&format!("  {}{totals}", whom(bots)), 4));
    }
    lines.push(String::new());
    lines
}

/// Returns the lines about parts of the page that some bots may use and other bots may not use.
pub(super) fn differences(explanation: &Explanation) -> Vec<String> {
    let Some(page) = explanation.pages().first() else {
        return Vec::new();
    };
    let differences = Wording::new(explanation, &[]).differences;
    let mut lines = vec![styled(BOLD, &harmless(page.url()))];
    if differences.is_empty() {
        lines.push("  no difference between these bots".to_owned());
    }
    for words in &differences {
        lines.extend(difference(explanation, words));
    }
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
        format!("    {}  {}", styled(GREEN, "may    "), words.allowed_bots),
    ];
    for (bots, directive) in &words.denied_bots {
        let may_not = styled(RED, "may not");
        let label = label_by_number(explanation, *directive);
        lines.extend(wrapped(&format!("    {may_not}  {bots}: {label}"), 13));
    }
    lines
}

/// Formats the table of uses that the page as a whole permits. The table has a row for each use and
/// a column for each bot. Below the uses, each limit of a directive has a row, such as a limit on
/// the length of a snippet.
fn verdict(explanation: &Explanation, words: &Wording<'_>) -> Vec<String> {
    let mut widths = Vec::new();
    let mut names = String::new();
    for words in &words.bots {
        let width = words.bot.chars().count().max(4);
        names.push_str(&format!("  {:width$}", harmless(words.bot)));
        widths.push(width);
    }
    let mut lines = vec![styled(DIM, &format!("  {:10}{names}", ""))];
    for at in 0..=Use::ALL.len() {
        let mut each = Vec::new();
        for words in &words.bots {
            each.extend(words.uses.get(at));
        }
        let why = why(explanation, words, at);
        lines.extend(wrapped(&row(&each, &widths, &why), 14));
    }
    for (limit, directive) in &words.limits {
        let label = styled(DIM, &label_by_number(explanation, *directive));
        lines.extend(wrapped(&format!("  {:10}  {limit} {label}", "limit"), 14));
    }
    lines
}

/// Formats the row of one use: yes or no for each bot, then the reason `why`. `each` has the use's
/// wording for each bot. `widths` has the widths of the columns in characters.
fn row(each: &[&UseWording], widths: &[usize], why: &str) -> String {
    let mut words = String::new();
    for (one, width) in each.iter().zip(widths) {
        let (style, word) = if one.permission == PermissionWording::No {
            (RED, "no")
        } else {
            (GREEN, "yes")
        };
        words.push_str("  ");
        words.push_str(&styled(style, word));
        words.push_str(&" ".repeat(width - word.len()));
    }
    let name = each.first().map_or("", |one| one.name);
    format!("  {name:10}{words}  {why}").trim_end().to_owned()
}

/// Returns the reasons in row `at` of the table of uses. If a directive denies the use for the
/// whole page, the reason is this directive. If only parts of the page are withheld from the use,
/// the reason is their amount. An example is `3 of 50 words withheld`. Returns an empty text if
/// there is no reason.
fn why(explanation: &Explanation, words: &Wording<'_>, at: usize) -> String {
    let mut reasons = Vec::new();
    for words in &words.bots {
        let is_out = words
            .uses
            .first()
            .is_some_and(|enter| enter.permission == PermissionWording::No);
        reasons.push(match words.uses.get(at) {
            Some(one) if at == 0 || !is_out => reason(explanation, one),
            _ => String::new(),
        });
    }
    let groups = wording::group_bots(reasons);
    let is_one = groups.len() == 1;
    let mut why = Vec::new();
    for (set, reason) in groups {
        if reason.is_empty() {
            continue;
        }
        why.push(if is_one {
            reason
        } else {
            format!("{}: {reason}", wording::bots(explanation, set))
        });
    }
    if why.is_empty() {
        String::new()
    } else {
        styled(DIM, &why.join("; "))
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
    let mut lines = vec![String::new(), styled(BOLD, &format!("  Found: {count}"))];
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
        // Bots with the same outcome share a line.
        for outcomes in words.outcomes.chunk_by(|one, next| one.bots == next.bots) {
            let mut texts = Vec::new();
            for words in outcomes {
                texts.push(outcome(explanation, words));
            }
            let bots = outcomes.first().map_or("", |words| &words.bots);
            let line = format!("{:INDENT$}{}{}", "", whom(bots), texts.join("; "));
            lines.extend(wrapped(&line, INDENT + 2));
        }
    }
    lines
}

fn outcome(explanation: &Explanation, words: &OutcomeWording) -> String {
    let style = match words.outcome {
        Some(DirectiveOutcome::Obeyed) => GREEN,
        Some(DirectiveOutcome::Overruled) => RED,
        _ => DIM,
    };
    let by = match words.overruled_by {
        Some(by) => format!(" by {}", label_by_number(explanation, by)),
        None => String::new(),
    };
    format!("{}{}{by}", whom(&words.uses), styled(style, words.words))
}

/// Returns the beginning of a line: `names` with a colon and a blank. `names` lists the bots or
/// uses that the line is about. If `names` is empty, the line is about all bots or uses, and the
/// result is empty.
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

/// Returns the label of a directive by its index in the explanation. Returns an empty string if
/// there is no directive with this index.
fn label_by_number(explanation: &Explanation, directive: usize) -> String {
    match explanation.directives().get(directive) {
        Some(explained) => label(explained.directive()),
        None => String::new(),
    }
}

/// Returns a short label of a directive. The label has the line and column of the directive, or
/// else its convention, and then its text. Other lines refer to the directive by this label.
pub(super) fn label(directive: &Directive) -> String {
    let text = harmless(directive.text());
    match directive.place() {
        Some(place) => format!("{}:{} {text}", place.line(), place.column()),
        None => format!("{} {text}", directive.convention()),
    }
}

/// Returns the maximum width of a line, in characters. If the output is not a terminal, there is no
/// maximum, so that `grep` finds complete quotations.
pub(super) fn width() -> usize {
    if is_shown() {
        textwrap::termwidth().clamp(NARROWEST, WIDEST)
    } else {
        usize::MAX
    }
}

/// Wraps a line at the width of the terminal. Each further line begins with `indent` spaces.
pub(super) fn wrapped(line: &str, indent: usize) -> Vec<String> {
    let start = line.len() - line.trim_start().len();
    let first = " ".repeat(start);
    let rest = " ".repeat(indent);
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
