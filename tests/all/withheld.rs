//! Counts the words that each convention withholds in real pages, and those that lenient forms of
//! statements withhold. The tables of docs/withheld.md have these counts. Section 9.2 of
//! docs/semantics.md has their sums.
//!
//! Without real pages, the test that counts withheld words prints that it is skipped, and passes.
//! `BLESS=1` writes the tables.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use heedful::{Bot, Conventions, Filter, Page, StatementContent};

use crate::support;

/// Time at which the pages are judged, in seconds since 1970: 2026-11-26.
const NOW: u64 = 1_795_651_200;
/// Conventions that have the same HTML classes, so that they are counted as one.
const PROFILE: [&str; 2] = ["profile", "profile-undeclared"];
const BEGIN: &str = "<!-- withheld: begin -->\n";
const END: &str = "<!-- withheld: end -->";
const FORMS: [&str; 2] = [
    "<!-- lenient forms of pages: begin -->",
    "<!-- lenient forms of pages: end -->",
];

/// What a page yields: the number of words of its body that may be indexed, and of links that may
/// be followed.
#[derive(Clone, Copy, Default)]
struct Yield {
    words: usize,
    links: usize,
}

impl Yield {
    fn of(page: &Page) -> Self {
        let words = page
            .phrases()
            .iter()
            .map(|phrase| phrase.split_whitespace().count())
            .sum();
        Self {
            words,
            links: page.links().iter().filter(|link| link.may_follow()).count(),
        }
    }

    fn beyond(self, other: Self) -> Self {
        Self {
            words: self.words.saturating_sub(other.words),
            links: self.links.saturating_sub(other.links),
        }
    }
}

/// What a convention withholds. The fields are the number of pages with the convention, the number
/// of those pages that lose something by it, and the sums of the losses.
#[derive(Clone, Copy, Default)]
struct Loss {
    pages: usize,
    losing: usize,
    lost: Yield,
}

impl Loss {
    fn add(&mut self, lost: Yield) {
        self.pages += 1;
        self.losing += usize::from(lost.words + lost.links > 0);
        self.lost.words += lost.words;
        self.lost.links += lost.links;
    }
}

fn read(page: &support::RealPage, conventions: &str) -> Page {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(NOW);
    let filter = Filter::new(Bot::new("FooBot").unwrap())
        .conventions(Conventions::parse(conventions).unwrap())
        .now(now);
    let mut pass = filter.open("https://site.example/").unwrap();
    if page.is_text {
        pass.assume_utf8();
    }
    pass.write(&page.html).unwrap();
    pass.end().unwrap()
}

/// Returns the conventions that deny a use in a page, as names with which they can be switched off.
fn denying(page: &Page) -> BTreeSet<&'static str> {
    let denials = page
        .directives()
        .filter(|directive| !matches!(directive.says(), StatementContent::Allow(_)));
    denials
        .map(|directive| directive.convention())
        .map(|name| {
            if PROFILE.contains(&name) {
                PROFILE[0]
            } else {
                name
            }
        })
        .collect()
}

fn without(name: &str) -> String {
    let names: &[&str] = if name == PROFILE[0] {
        &PROFILE
    } else {
        &[name]
    };
    names
        .iter()
        .fold("web".to_owned(), |list, name| format!("{list},-{name}"))
}

/// Returns the tables for docs/withheld.md, and the losses of all pages by lenient forms: pages,
/// words and links.
fn tables(pages: &[support::RealPage]) -> (String, [usize; 3]) {
    let (mut sum, mut by_convention, mut lenient) =
        (Yield::default(), BTreeMap::<_, Loss>::new(), Vec::new());
    for page in pages {
        let read_by_default = read(page, "web");
        let found = Yield::of(&read_by_default);
        let all = Yield::of(&read(page, "none"));
        sum.words += all.words;
        sum.links += all.links;
        for name in denying(&read_by_default) {
            let lost = Yield::of(&read(page, &without(name))).beyond(found);
            by_convention.entry(name).or_default().add(lost);
        }
        let lost = Yield::of(&read(page, "web,+as-written")).beyond(found);
        if lost.words + lost.links > 0 {
            lenient.push((page.id.clone(), lost));
        }
    }
    let mut text = format!(
        "Of {} pages, with {} words and {} links:\n\n",
        pages.len(),
        sum.words,
        sum.links
    );
    text += "| convention | pages that have it | pages that lose by it | words | links |\n|---|---|---|---|---|\n";
    for (
        name,
        Loss {
            pages,
            losing,
            lost,
        },
    ) in by_convention
    {
        writeln!(
            text,
            "| {name} | {pages} | {losing} | {} | {} |",
            lost.words, lost.links
        )
        .unwrap();
    }
    writeln!(
        text,
        "\nPages that lose anything by lenient forms: {}.",
        lenient.len()
    )
    .unwrap();
    let mut sums = [lenient.len(), 0, 0];
    for (id, lost) in lenient {
        writeln!(text, "* {id}: {} words, {} links", lost.words, lost.links).unwrap();
        sums[1] += lost.words;
        sums[2] += lost.links;
    }
    (text, sums)
}

/// Returns the sums over the lenient forms that docs/semantics.md lists, in the order pages, words
/// and links.
fn listed_forms() -> [usize; 3] {
    let table = support::between("docs/semantics.md", FORMS);
    let rows = table.trim().lines().skip(2).map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        [1, 2, 3].map(|column| cells[column].parse::<usize>().unwrap())
    });
    rows.fold([0; 3], |sums, row| [0, 1, 2].map(|at| sums[at] + row[at]))
}

#[test]
fn the_tables_are_what_is_counted() {
    let mut pages = support::pages("real-exclusion.jsonl.gz");
    pages.extend(support::pages("real-pages.jsonl.gz"));
    if pages.is_empty() {
        return;
    }
    let path = support::root().join("docs/withheld.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(BEGIN).unwrap();
    let (written, tail) = rest.split_once(END).unwrap();
    let (counted, by_lenient_forms) = tables(&pages);
    assert_eq!(
        by_lenient_forms,
        listed_forms(),
        "docs/semantics.md, section 9.2"
    );
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}{counted}{END}{tail}")).unwrap();
    } else {
        assert_eq!(written, counted, "BLESS=1 writes docs/withheld.md");
    }
}
