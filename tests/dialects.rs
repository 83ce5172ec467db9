//! The list of conventions and the corpus check each other: each convention has a page of cases, and each page is
//! complete.
//!
//! Every case of a dialect's page is read again with that dialect off. Content that it alone withheld must then be
//! there. If it said nothing, nothing may change.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[allow(dead_code, reason = "two tests share this file")]
#[path = "corpus/answer.rs"]
mod answer;
#[allow(dead_code, reason = "two tests share this file")]
#[path = "corpus/case.rs"]
mod case;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use answer::Answer;
use case::Case;
use heedful::{DIALECTS, Extent};

const CUSTOM: &str = "custom";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/dialect")
}

fn page_of(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.md"))).unwrap_or_default()
}

fn names() -> Vec<&'static str> {
    DIALECTS.iter().map(heedful::Dialect::name).chain([CUSTOM]).collect()
}

#[test]
fn every_dialect_has_a_page_and_every_page_a_dialect() {
    let files = std::fs::read_dir(folder()).unwrap();
    let pages: BTreeSet<String> =
        files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let names: BTreeSet<String> = names().into_iter().map(str::to_owned).collect();
    let mut wrong: Vec<_> =
        names.difference(&pages).map(|name| format!("corpus/dialect/{name}.md is missing")).collect();
    wrong.extend(pages.difference(&names).map(|page| format!("corpus/dialect/{page}.md: LIST has no such dialect")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// docs/semantics.md has a section or a table row for each dialect.
#[test]
fn the_law_knows_every_dialect() {
    let law = include_str!("../docs/semantics.md");
    let is_there = |name: &&str| !law.contains(&format!("\n| {name} |")) && !law.contains(&format!("`{name}`"));
    let missing: Vec<_> = names().into_iter().filter(is_there).collect();
    assert!(missing.is_empty(), "docs/semantics.md says nothing of {}", missing.join(", "));
}

/// What a page of cases must show, depending on the reach of its dialect.
fn required(name: &str) -> &'static [&'static str] {
    let reach = DIALECTS.iter().find(|dialect| dialect.name() == name).map_or(Extent::Subtree, |d| d.reach());
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
            let has = page.lines().any(|line| line.strip_prefix("## ").is_some_and(|line| line.starts_with(side)));
            if !has {
                missing.push(format!("{name}.md has no case of the kind `{side}`"));
            }
        }
        if page_of(name).matches("exclusions: ").count() == 0 && page.matches("denied: ").count() == 0 {
            missing.push(format!("{name}.md never says what its dialect withholds"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The keys of what a bot gets from a page.
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

/// The same case without the dialect.
fn without(case: &Case, name: &str) -> Case {
    let mut off = case.clone();
    let dialects = case.setting("dialects").unwrap_or("web");
    let dialects = match name {
        CUSTOM => {
            off.remove("toml");
            dialects.to_owned()
        }
        // Both dialects name the same classes.
        "profile" | "profile-undeclared" => format!("{dialects},-profile,-profile-undeclared"),
        _ => format!("{dialects},-{name}"),
    };
    off.settings.insert("dialects".to_owned(), dialects);
    off
}

#[test]
fn every_case_with_its_dialect_off() {
    let (mut wrong, mut differ) = (Vec::new(), BTreeSet::new());
    for name in names() {
        let speaks = if name == "profile-undeclared" { "profile" } else { name };
        for case in case::read(name, &page_of(name)) {
            let (on, off) = (Answer::of(&case, <[u8]>::len), Answer::of(&without(&case, name), <[u8]>::len));
            let complain = |what: &str| format!("{name}.md: {}: {what}", case.title());
            if off.heard().contains(speaks) {
                wrong.push(complain("it speaks although it is off"));
            }
            let differs = given(&on) != given(&off);
            if differs {
                differ.extend(
                    required(name).iter().filter(|side| case.title().starts_with(*side)).map(|side| (name, *side)),
                );
            }
            if !on.heard().contains(speaks) && differs {
                wrong.push(complain("it says nothing and yet makes a difference"));
            }
            if on.decides().contains(speaks) && on.line("exclusions") == off.line("exclusions") && !differs {
                wrong.push(complain("it decides and yet makes no difference"));
            }
        }
    }
    for name in names() {
        let silent = required(name).iter().filter(|side| **side != "No markup" && !differ.contains(&(name, **side)));
        wrong.extend(silent.map(|side| format!("{name}.md: no case of the kind `{side}` differs where it is off")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table of docs/conventions.md is the list, with one row more for the user's own.
#[test]
fn the_page_of_conventions_lists_the_dialects() {
    let page = include_str!("../docs/conventions.md");
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() >= 6).collect();
    let expected = |dialect: &heedful::Dialect| {
        let on = if dialect.preset() == "all" { "ask" } else { "on" };
        let denies: Vec<_> = dialect.denies().iter().map(heedful::Facet::name).collect();
        format!("| `{}` | {on} | {} | `{}` | ", dialect.name(), denies.join(" "), dialect.example())
    };
    for (row, dialect) in rows.iter().zip(DIALECTS) {
        let expected = expected(dialect);
        assert!(
            row.starts_with(&expected),
            "docs/conventions.md, rows in the order of LIST\n  expected {expected}\n  found    {row}"
        );
    }
    assert_eq!(rows.len(), DIALECTS.len() + 1, "docs/conventions.md has a row for each dialect, and one for `custom`");
    assert!(rows[DIALECTS.len()].starts_with("| `custom` |"), "docs/conventions.md: the last row is that of `custom`");
    let count = format!("reads {} conventions", DIALECTS.len());
    assert!(page.contains(&count), "docs/conventions.md should say: {count}");
}

/// Each group of mistakes that other programs make has a case.
#[test]
fn the_mistakes_of_others_are_covered() {
    let page = std::fs::read_to_string(folder().join("../regression.md")).unwrap();
    for group in 1..=17 {
        let heading = format!("\n## Peers {group}: ");
        assert!(page.contains(&heading), "regression.md has no case of group {group}");
    }
}
