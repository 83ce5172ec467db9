//! Checks the list of conventions and the corpus against each other. Each convention has a page of
//! cases in the corpus, and each page is complete.
//!
//! Every case of a convention's page is filtered again with that convention off. Content that only
//! this convention withheld must then be present. A case without a directive of the convention must
//! not change.
//!
//! The documents are checked too. Their tables of conventions must equal the rows in
//! src/convention/rows. `BLESS=1` writes the rows into the documents.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use heedful::{CONVENTIONS, Extent};

use crate::answer::Answer;
use crate::case::{self, Case};

const CUSTOM: &str = "custom";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/convention")
}

fn page_of(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.md"))).unwrap_or_default()
}

fn names() -> Vec<&'static str> {
    CONVENTIONS
        .iter()
        .map(heedful::Convention::name)
        .chain([CUSTOM])
        .collect()
}

#[test]
fn every_convention_has_a_page_and_every_page_a_convention() {
    let files = std::fs::read_dir(folder()).unwrap();
    let pages: BTreeSet<String> = files
        .map(|file| {
            file.unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let names: BTreeSet<String> = names().into_iter().map(str::to_owned).collect();
    let mut wrong: Vec<_> = names
        .difference(&pages)
        .map(|name| format!("corpus/convention/{name}.md is missing"))
        .collect();
    wrong.extend(
        pages
            .difference(&names)
            .map(|page| format!("corpus/convention/{page}.md: LIST has no such convention")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that a convention that is in no table of docs/semantics.md has a section there.
#[test]
fn the_law_knows_every_convention() {
    let law = document("docs/semantics.md");
    let told = CONVENTIONS
        .iter()
        .filter(|convention| !convention.law().is_empty())
        .map(heedful::Convention::name);
    let told: BTreeSet<_> = told.collect();
    let is_there = |name: &&str| !told.contains(name) && !law.contains(&format!("`{name}`"));
    let missing: Vec<_> = names().into_iter().filter(is_there).collect();
    assert!(
        missing.is_empty(),
        "docs/semantics.md says nothing of {}",
        missing.join(", ")
    );
}

/// Returns the kinds of cases that the corpus page of a convention must have. They depend on how
/// much of a web page the convention can withhold.
fn required(name: &str) -> &'static [&'static str] {
    let reach = CONVENTIONS
        .iter()
        .find(|convention| convention.name() == name)
        .map_or(Extent::Subtree, |d| d.reach());
    match reach {
        Extent::Response => &["Effect", "Spelling", "Overlapping"],
        Extent::Page | Extent::Node => &["Effect", "Spelling", "Overlapping", "No markup"],
        _ => &[
            "Effect",
            "Spelling",
            "Nested",
            "Unclosed",
            "Across elements",
            "Links inside",
            "Overlapping",
            "No markup",
            "Between words",
        ],
    }
}

#[test]
fn every_page_shows_all_sides() {
    let mut missing = Vec::new();
    for name in names() {
        let page = page_of(name);
        for side in required(name) {
            let has = page.lines().any(|line| {
                line.strip_prefix("## ")
                    .is_some_and(|line| line.starts_with(side))
            });
            if !has {
                missing.push(format!("{name}.md has no case of the kind `{side}`"));
            }
        }
        if page_of(name).matches("exclusions: ").count() == 0
            && page.matches("denied: ").count() == 0
        {
            missing.push(format!(
                "{name}.md never says what its convention withholds"
            ));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Keys of a case whose lines say what a bot gets from a web page.
const GIVEN: [&str; 12] = [
    "text",
    "title",
    "description",
    "headings",
    "alt",
    "excerpt",
    "input",
    "links",
    "blocked",
    "anchors",
    "denied",
    "limits",
];

fn given(answer: &Answer) -> Vec<String> {
    GIVEN.iter().map(|key| answer.line(key)).collect()
}

/// Returns the case with the convention `name` switched off.
fn without(case: &Case, name: &str) -> Case {
    let mut off = case.clone();
    let conventions = case.setting("conventions").unwrap_or("web");
    let conventions = match name {
        CUSTOM => {
            off.remove("toml");
            conventions.to_owned()
        }
        // Both conventions read the same classes.
        "profile" | "profile-undeclared" => format!("{conventions},-profile,-profile-undeclared"),
        _ => format!("{conventions},-{name}"),
    };
    off.settings.insert("conventions".to_owned(), conventions);
    off
}

/// Reads each case with its convention on, and with it off. `HEEDFUL_CONVENTION` restricts the test
/// to the page of one convention.
#[test]
fn every_case_with_its_convention_off() {
    let (mut wrong, mut differ) = (Vec::new(), BTreeSet::new());
    let mut names = names();
    if let Ok(asked) = std::env::var("HEEDFUL_CONVENTION") {
        names.retain(|name| *name == asked);
        assert!(!names.is_empty(), "there is no convention `{asked}`");
    }
    for &name in &names {
        let speaks = if name == "profile-undeclared" {
            "profile"
        } else {
            name
        };
        for case in case::read(name, &page_of(name)) {
            let (on, off) = (
                Answer::of(&case, <[u8]>::len),
                Answer::of(&without(&case, name), <[u8]>::len),
            );
            let complain = |what: &str| format!("{name}.md: {}: {what}", case.title());
            if off.conventions_with_directives().contains(speaks) {
                wrong.push(complain("it speaks although it is off"));
            }
            let differs = given(&on) != given(&off);
            if differs {
                differ.extend(
                    required(name)
                        .iter()
                        .filter(|side| case.title().starts_with(*side))
                        .map(|side| (name, *side)),
                );
            }
            if !on.conventions_with_directives().contains(speaks) && differs {
                wrong.push(complain("it says nothing and yet makes a difference"));
            }
            if on.decides().contains(speaks)
                && on.line("exclusions") == off.line("exclusions")
                && !differs
            {
                wrong.push(complain("it decides and yet makes no difference"));
            }
        }
    }
    for name in names {
        let silent = required(name)
            .iter()
            .filter(|side| **side != "No markup" && !differ.contains(&(name, **side)));
        wrong.extend(silent.map(|side| {
            format!("{name}.md: no case of the kind `{side}` differs where it is off")
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const WRITES_THEM: &str = "BLESS=1 cargo test -p heedful --test all conventions:: writes them";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn document(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap()
}

/// Checks that the document `file`, whose text is `found`, has the expected text. With `BLESS=1`,
/// writes the expected text instead.
fn holds(file: &str, found: &str, expected: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(root().join(file), expected).unwrap();
        return;
    }
    let line = found
        .lines()
        .zip(expected.lines())
        .take_while(|(found, expected)| found == expected)
        .count();
    let [found_line, wanted] =
        [found, expected].map(|text| text.lines().nth(line).unwrap_or("no line"));
    assert!(
        found == expected,
        "{file}, line {}: its conventions are others: {WRITES_THEM}\n  expected {wanted}\n  found    {found_line}",
        line + 1
    );
}

/// Returns the document with `rows` as the table between two marks. The head of the table and its
/// row of user-defined conventions stay.
fn with_rows(document: &str, [begins, ends]: [&str; 2], rows: &[String]) -> String {
    let (before, rest) = document
        .split_once(begins)
        .unwrap_or_else(|| panic!("there is no {begins}"));
    let (table, after) = rest.split_once(ends).unwrap();
    let head: Vec<_> = table.lines().skip(1).take(2).collect();
    let is_own = |line: &&str| line.starts_with("| custom |") || line.starts_with("| `custom` |");
    let lines = head
        .into_iter()
        .chain(rows.iter().map(String::as_str))
        .chain(table.lines().filter(is_own));
    let lines: String = lines.flat_map(|line| [line, "\n"]).collect();
    format!("{before}{begins}\n{lines}{ends}{after}")
}

/// Returns the document with the right number of conventions wherever its text states one.
fn counted(document: &str) -> String {
    let mut parts = document.split(" conventions");
    let mut counted = parts.next().unwrap().to_owned();
    for part in parts {
        let text = counted.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        if text < counted.len() {
            counted.truncate(text);
            counted.push_str(&CONVENTIONS.len().to_string());
        }
        counted.push_str(" conventions");
        counted.push_str(part);
    }
    counted
}

fn uses(convention: &heedful::Convention) -> String {
    convention
        .denies()
        .iter()
        .map(heedful::Use::name)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn the_table_of_conventions_is_the_list() {
    let row = |convention: &heedful::Convention| {
        let on = if convention.preset() == "all" {
            "ask"
        } else {
            "on"
        };
        let (name, example, readers) = (
            convention.name(),
            convention.example(),
            convention.readers(),
        );
        format!(
            "| `{name}` | {on} | {} | `{example}` | {readers} |",
            uses(convention)
        )
    };
    let rows: Vec<_> = CONVENTIONS.iter().map(row).collect();
    let found = document("docs/conventions.md");
    let expected = with_rows(
        &found,
        ["<!-- conventions: begin -->", "<!-- conventions: end -->"],
        &rows,
    );
    holds("docs/conventions.md", &found, &counted(&expected));
}

/// Checks that each convention is in a table of docs/semantics.md. The tables are for comments, for
/// elements and headers, and for records of a robots.txt.
#[test]
fn the_law_tells_each_convention() {
    let found = document("docs/semantics.md");
    let mut expected = found.clone();
    for (section, off) in [("4.4", "no"), ("4.5", "no"), ("6.1", "ask")] {
        let mut rows = Vec::new();
        for convention in CONVENTIONS.iter() {
            let on = if convention.preset() == "all" {
                off
            } else {
                "yes"
            };
            let own = convention
                .law()
                .into_iter()
                .filter(|(own, ..)| *own == section);
            rows.extend(own.map(|(_, written, denies)| {
                format!("| {} | {written} | {denies} | {on} |", convention.name())
            }));
        }
        let marks = ["begin", "end"].map(|mark| format!("<!-- conventions, {section}: {mark} -->"));
        expected = with_rows(&expected, [&marks[0], &marks[1]], &rows);
    }
    holds("docs/semantics.md", &found, &counted(&expected));
}

#[test]
fn others_count_the_conventions() {
    // The package on its own has no Python.
    let has_python = root().join("python").exists();
    for file in ["README.md", "ARCHITECTURE.md", "python/README.md"]
        .into_iter()
        .take(if has_python { 3 } else { 2 })
    {
        let found = document(file);
        holds(file, &found, &counted(&found));
    }
}

/// Checks that each group of mistakes that other programs make has a case in the corpus.
#[test]
fn the_mistakes_of_others_are_covered() {
    let page = std::fs::read_to_string(folder().join("../regression.md")).unwrap();
    for group in 1..=17 {
        let heading = format!("\n## Peers {group}: ");
        assert!(
            page.contains(&heading),
            "regression.md has no case of group {group}"
        );
    }
}

/// Returns the sentences between the title of a corpus page and its first case. Text in backquotes
/// is left out.
fn prose_of(name: &str) -> String {
    let page = page_of(name);
    let intro = page.split("\n## ").next().unwrap_or_default();
    let words = intro.split('`').step_by(2).collect::<String>();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that no corpus page describes the convention of another page from which it was copied.
#[test]
fn no_page_keeps_the_prose_of_its_neighbour() {
    let names = names();
    let prose: Vec<_> = names.iter().map(|name| (name, prose_of(name))).collect();
    let mut kept = Vec::new();
    for (at, (name, text)) in prose.iter().enumerate() {
        assert!(
            text.len() > 40,
            "corpus/convention/{name}.md does not say what the convention is"
        );
        kept.extend(
            prose[..at]
                .iter()
                .filter(|(_, other)| other == text)
                .map(|(other, _)| format!("{name}, {other}")),
        );
    }
    assert!(
        kept.is_empty(),
        "pages of corpus/convention that have one prose: {}",
        kept.join("; ")
    );
}

/// Conventions for which the suite names no defining document. `ai-training` consists of words in
/// META, so its cases are among those of `meta`.
const WITHOUT_SUITE: [&str; 1] = ["ai-training"];

/// Checks that the suite for other programs has cases of each convention, with the document that
/// defines the convention.
#[test]
fn the_suite_has_cases_of_every_convention() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/suite");
    let mut told = BTreeSet::new();
    for file in std::fs::read_dir(suite).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let file: serde_json::Value =
                serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            told.extend(file["convention"].as_str().map(str::to_owned));
        }
    }
    let named = CONVENTIONS
        .iter()
        .map(heedful::Convention::name)
        .filter(|name| !WITHOUT_SUITE.contains(name));
    let missing: Vec<_> = named.filter(|name| !told.contains(*name)).collect();
    let list = missing.join(", ");
    assert!(
        missing.is_empty(),
        "corpus/suite has no case of {list}: add a source to tests/suite/pages (CONTRIBUTING.md)"
    );
}
