//! Counts the lenient forms of a robots.txt in real files, if they are available. Counts how often
//! each form occurs, and how many rulings it decides.
//!
//! The lenient forms of a robots.txt are the rows of docs/semantics.md, section 6. Each is
//! recognized by its note and by the text of its line. Files with such lines are asked about `/`
//! and about URLs made of their patterns. They are asked for `*`, for a bot that no file names, and
//! for the bots that they name. A ruling is counted for a form under three conditions: heedful
//! denies, heedful in Google's mode allows, and the file without the lines of the form allows. The
//! numbers are in docs/semantics.md, section 9.1. A person filled in the last three columns of the
//! table there. The first of them counts those rulings that the writer of the file did not mean.
//! The second counts files and lines with the form in 22,380 other files of public archives. The
//! third names a public example.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use heedful::{Bot, Mode, RobotsNoteKind, RobotsTxt};

use crate::support;

const TABLE: [&str; 2] = [
    "<!-- lenient forms of a robots.txt: begin -->\n",
    "<!-- lenient forms of a robots.txt: end -->",
];

/// A lenient form of a robots.txt line: its name, its note, and a predicate on the text of the
/// line.
type Form = (&'static str, RobotsNoteKind, fn(&str) -> bool);

fn is_quoted(text: &str) -> bool {
    value(text).starts_with(['"', '\'', '“', '‘', '«', '`'])
}

fn is_star_and_signs(text: &str) -> bool {
    value(text).contains('*') && !value(text).contains(char::is_alphanumeric)
}

fn is_allowance(text: &str) -> bool {
    text.trim_start()
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("allow"))
}

fn has_comma(text: &str) -> bool {
    value(text).contains(',') && !value(text).contains('(')
}

fn is_of_use(text: &str) -> bool {
    let letters: String = text
        .chars()
        .filter(char::is_ascii_alphabetic)
        .collect::<String>()
        .to_ascii_lowercase();
    ["noindex", "content", "disallowai", "tdm"]
        .iter()
        .any(|key| letters.starts_with(key))
}

fn is_unseen(text: &str) -> bool {
    text.contains([
        '\u{AD}', '\u{200B}', '\u{200D}', '\u{200E}', '\u{200F}', '\u{202A}', '\u{2060}',
        '\u{FEFF}',
    ])
}

fn has_blank(text: &str) -> bool {
    text.chars()
        .any(|sign| !sign.is_ascii() && sign.is_whitespace())
}

fn has_agent_behind(text: &str) -> bool {
    !text.trim_start().to_ascii_lowercase().starts_with("user")
        && value(text).to_ascii_lowercase().contains("user-agent")
}

const FORMS: [Form; 18] = [
    ("several keys", RobotsNoteKind::SeveralKeys, |text| {
        !has_agent_behind(text)
    }),
    (
        "a rule before an agent",
        RobotsNoteKind::SeveralKeys,
        has_agent_behind,
    ),
    ("agents with commas", RobotsNoteKind::OddAgent, |text| {
        has_comma(text) && !is_quoted(text)
    }),
    ("agents with bars", RobotsNoteKind::OddAgent, |text| {
        value(text).contains('|')
    }),
    ("agents with blanks", RobotsNoteKind::OddAgent, |text| {
        !has_comma(text) && !text.contains(['*', '|']) && !is_quoted(text)
    }),
    ("an agent in quotes", RobotsNoteKind::OddAgent, is_quoted),
    ("an agent with a star", RobotsNoteKind::OddAgent, |text| {
        value(text).contains('*') && !is_star_and_signs(text)
    }),
    (
        "a star and signs",
        RobotsNoteKind::OddAgent,
        is_star_and_signs,
    ),
    ("several paths", RobotsNoteKind::SeveralPaths, |text| {
        value(text).contains(" /") || value(text).contains("\t/")
    }),
    ("a path without a slash", RobotsNoteKind::NoSlash, |text| {
        !is_allowance(text)
    }),
    ("a whole URL", RobotsNoteKind::UrlAsPath, |_| true),
    ("a misspelt key", RobotsNoteKind::MisspeltKey, |text| {
        !is_unseen(text) && !has_blank(text) && !is_of_use(text)
    }),
    ("a missing colon", RobotsNoteKind::NoColon, |text| {
        !text.contains('：') && !is_allowance(text)
    }),
    (
        "a colon of another script",
        RobotsNoteKind::NoColon,
        |text| text.contains('：'),
    ),
    ("another blank", RobotsNoteKind::MisspeltKey, has_blank),
    (
        "a sign that is not seen",
        RobotsNoteKind::MisspeltKey,
        |text| is_unseen(text) && !has_blank(text),
    ),
    (
        "a misspelt record of use",
        RobotsNoteKind::MisspeltKey,
        |text| is_of_use(text) && !has_blank(text) && !is_unseen(text),
    ),
    ("an agent's purpose", RobotsNoteKind::PurposeGroup, |text| {
        text.to_ascii_lowercase().contains("purpose")
    }),
];

/// Returns the part of a robots.txt line after its colon, or after its first blank.
fn value(line: &str) -> &str {
    let line = line.split('#').next().unwrap_or_default();
    line.split_once(':')
        .or_else(|| line.split_once(' '))
        .map_or("", |(_, value)| value.trim())
}

fn is_agent(line: &str) -> bool {
    line.trim_start()
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("user"))
}

fn is_rule(line: &str) -> bool {
    let line = line.trim_start().to_ascii_lowercase();
    line.starts_with("disal") || line.starts_with("allow")
}

/// Returns bots for which a robots.txt may have rules. They are `*`, one that no file names, the
/// first that the file names, and the words of lenient agent lines. `odd` has the numbers of
/// lenient lines.
fn bots(lines: &[&str], odd: &BTreeSet<u32>) -> Vec<Bot> {
    let mut names: BTreeSet<String> = ["*", "FooBot"].map(str::to_owned).into();
    let odd: Vec<&str> = odd.iter().map(|line| lines[*line as usize - 1]).collect();
    let odd = odd
        .into_iter()
        .filter(|line| line.to_ascii_lowercase().contains("user"));
    let first = lines.iter().copied().filter(|line| is_agent(line)).take(20);
    for line in first.chain(odd.clone()) {
        names.insert(value(line).trim_end_matches('*').to_owned());
        names.extend(value(line).strip_suffix('*').map(|name| format!("{name}X")));
    }
    for line in odd {
        names.extend(
            value(line)
                .split('(')
                .next()
                .map(|name| name.trim_matches(['"', ' ']).to_owned()),
        );
        let words = line.split([' ', ',', '|', ':', '"', '\'', '“', '”']);
        names.extend(
            words
                .filter(|word| word.chars().all(char::is_alphanumeric))
                .map(str::to_owned),
        );
    }
    let is_plain = |name: &&String| *name == "*" || !name.contains('*');
    names
        .iter()
        .filter(is_plain)
        .filter_map(|name| Bot::new(name).ok())
        .collect()
}

/// Returns paths about which a robots.txt may have rules: those of its first rules, and those of
/// its lenient lines. `odd` has the numbers of lenient lines.
fn paths(lines: &[&str], odd: &BTreeSet<u32>) -> BTreeSet<String> {
    let first = lines.iter().filter(|line| is_rule(line)).take(30);
    let odd = odd
        .iter()
        .map(|line| &lines[*line as usize - 1])
        .filter(|line| is_rule(line));
    let rules = first.chain(odd).map(|line| value(line));
    let path = |value: &str| {
        let value = value.trim_matches(['"', '\'']);
        let path = value.split_once("://").map_or(value, |(_, rest)| {
            rest.find('/').map_or("/", |at| &rest[at..])
        });
        let path = path.replace('*', "x").trim_end_matches('$').to_owned();
        if path.starts_with('/') {
            path
        } else {
            format!("/{path}")
        }
    };
    rules
        .flat_map(|value| value.split_whitespace().map(path).chain([path(value)]))
        .chain(["/".to_owned()])
        .collect()
}

/// Returns the rulings of a robots.txt that its lenient lines decide. `odd` has the numbers of
/// these lines.
fn decided(robots: &RobotsTxt, site: &str, lines: &[&str], odd: &BTreeSet<u32>) -> Vec<String> {
    let kept = (1..)
        .zip(lines)
        .map(|(line, text)| match odd.contains(&line) {
            true if is_agent(text) => "User-agent: none",
            true => "#",
            false => text,
        });
    let without = RobotsTxt::parse(kept.collect::<Vec<_>>().join("\n").as_bytes());
    let others = [robots.clone().mode(Mode::Google), without];
    let urls: Vec<String> = paths(lines, odd)
        .into_iter()
        .map(|path| format!("https://{site}{path}"))
        .collect();
    let mut decided = Vec::new();
    for bot in bots(lines, odd) {
        for url in &urls {
            let ruling = robots.ruling(&bot, url);
            if !ruling.allowed() && others.iter().all(|other| other.ruling(&bot, url).allowed()) {
                decided.push(format!(
                    "{} {url}: {}",
                    bot.name(),
                    ruling.rule().unwrap_or_default()
                ));
            }
        }
    }
    decided
}

#[test]
fn forms_occur_as_listed() {
    let mut counts = [[0; 3]; FORMS.len()];
    let mut told = Vec::new();
    let files = support::robots_of_sites();
    for (site, file) in &files {
        let robots = RobotsTxt::parse(file);
        let text = String::from_utf8_lossy(file)
            .replace("\r\n", "\n")
            .replace('\r', "\n");
        let lines: Vec<&str> = text.split('\n').collect();
        for ((form, kind, has), count) in FORMS.iter().zip(&mut counts) {
            let notes = robots
                .notes()
                .into_iter()
                .filter(|note| note.kind() == *kind)
                .map(|note| note.line());
            let odd: BTreeSet<u32> = notes
                .filter(|line| has(lines[*line as usize - 1]))
                .collect();
            if !odd.is_empty() {
                let decided = decided(&robots, site, &lines, &odd);
                let own = [1, odd.len(), decided.len()];
                *count = [0, 1, 2].map(|at| count[at] + own[at]);
                told.extend(decided.iter().map(|answer| format!("{form}: {answer}")));
            }
        }
    }
    if files.is_empty() {
        return;
    }
    let table = support::between("docs/semantics.md", TABLE);
    let row = |((form, kind, _), [files, lines, answers]): (&Form, [usize; 3])| {
        format!("| {form} | `{kind}` | {files} | {lines} | {answers}")
    };
    let found: Vec<String> = FORMS.iter().zip(counts).map(row).collect();
    let numbers = |row: &str| row.split(" | ").take(5).collect::<Vec<_>>().join(" | ");
    assert_eq!(
        found,
        table.lines().skip(2).map(numbers).collect::<Vec<_>>(),
        "{}",
        told.join("\n")
    );
}
