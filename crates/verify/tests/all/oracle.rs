//! Compares the streaming filter with the finished tree on pages in which elements end elsewhere
//! than their tags say. Nothing that the tree denies may be emitted.
//!
//! The compared pages are random tag soup, and the pages of corpus/ and of html5lib's tests (if
//! available) with a class on each element. `HEEDFUL_SEED` chooses the soup, and `HEEDFUL_SECONDS`
//! is the time for it. This command runs for half an hour, and prints the seed, the executions and
//! the failures:
//! `HEEDFUL_SECONDS=1800 cargo test --release -p heedful-verify --test all -- oracle::soup --nocapture`
//!
//! If the streaming filter withholds more of a page than the finished tree requires, the page must
//! be listed in oracle.txt with the reason. A listed page on which both agree is a failure too.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a long run tells what it did")]

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant, SystemTime};

use heedful::{Bot, Conventions, Filter, Limits};
use heedful_verify::{Check, Comparison, Injections, Injector, Reader, Surroundings, compare};

use crate::soup;
use crate::support;
use crate::support::cases::{Listed, corpus, html5lib};
use crate::support::chance::{minimised, next};

const URL: &str = "https://site.example/dir/page";

fn filter(conventions: &str) -> Filter {
    let bots = ["FooBot", "BarBot"]
        .map(|name| Bot::new(name).unwrap())
        .into();
    Filter::for_bots(bots)
        .unwrap()
        .conventions(Conventions::parse(conventions).unwrap())
}

/// Returns a filter for the tests with all conventions and some custom conventions.
fn own() -> Filter {
    let conventions = Conventions::parse("all").unwrap().toml(soup::OWN).unwrap();
    filter("none").conventions(conventions)
}

/// Conventions among which only the Robot Exclusion Profile marks elements. The list in oracle.txt
/// is about the classes of this profile.
const PROFILE: &str = "seed,+profile-undeclared";

/// Compares the streaming filter's verdicts on a page with those of the finished tree. Returns
/// `None` if the streaming filter refuses the page.
fn compared(filter: &Filter, page: &str) -> Option<Comparison> {
    let around = Surroundings {
        is_utf8: true,
        ..Surroundings::default()
    };
    match compare(filter, URL, page.as_bytes(), &around) {
        Ok(comparison) => Some(comparison),
        Err(error) => {
            assert!(
                matches!(error.name(), "ambiguous" | "limit"),
                "{page:?}: {error}"
            );
            None
        }
    }
}

/// Result of comparing both readings of a page: a comparison, `None` if the streaming filter
/// refuses the page, or `Err` for a panic.
type Judged = Result<Option<Comparison>, ()>;

fn judged(filter: &Filter, page: &str) -> Judged {
    std::panic::catch_unwind(AssertUnwindSafe(|| compared(filter, page))).map_err(|_| ())
}

/// Returns a description of what is wrong in the comparison of a page. Returns `None` if nothing is
/// wrong.
fn fault_of(judged: &Judged) -> Option<String> {
    let Ok(comparison) = judged else {
        return Some("panics".to_owned());
    };
    let comparison = comparison.as_ref()?;
    if let Some(leak) = comparison.leaks().first() {
        return Some(format!(
            "leaks {} of {:?}",
            leak.usage().name(),
            leak.text()
        ));
    }
    let over = comparison
        .over_exclusions()
        .first()
        .filter(|_| !comparison.is_explained());
    over.map(|over| format!("withholds {} of {:?}", over.usage().name(), over.text()))
}

fn fault(filter: &Filter, page: &str) -> Option<String> {
    fault_of(&judged(filter, page))
}

/// Removes pieces from a page on which the comparison fails. Returns a smaller page that fails in
/// the same way.
fn smaller(filter: &Filter, page: &str) -> String {
    let kind = |fault: String| fault.split(' ').next().unwrap_or_default().to_owned();
    let wanted = fault(filter, page).map(kind);
    minimised(page, |page| fault(filter, page).map(kind) == wanted)
}

#[test]
fn soup_never_leaks() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let now = SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap_or_default()
        .subsec_nanos();
    let seed = number("HEEDFUL_SEED").unwrap_or(u64::from(now));
    let time = Duration::from_secs(number("HEEDFUL_SECONDS").unwrap_or(5));
    let at_once = |filter: Filter| filter.limits(Limits::default().kept_bytes(0));
    let filters = [
        filter("web"),
        at_once(filter("web")),
        filter("all"),
        at_once(filter("all")),
        own(),
        at_once(own()),
    ];
    let (started, mut state) = (Instant::now(), seed);
    let (mut executions, mut refused, mut withheld) = (0, 0, 0);
    let mut finds = BTreeMap::new();
    while started.elapsed() < time && finds.len() < 20 {
        let pieces = 4 + next(&mut state) % 40;
        let mut page = soup::page(pieces, &mut |n| next(&mut state) % n);
        if next(&mut state).is_multiple_of(4) {
            damage(&mut page, &mut state);
        }
        let filter = &filters[executions % filters.len()];
        executions += 1;
        let judged = judged(filter, &page);
        match &judged {
            Ok(None) => refused += 1,
            Ok(Some(comparison)) => withheld += usize::from(comparison.withheld() > 0),
            Err(()) => {}
        }
        if fault_of(&judged).is_some() {
            let small = smaller(filter, &page);
            finds.insert(small.clone(), fault(filter, &small).unwrap_or_default());
        }
    }
    println!(
        "seed {seed}: {executions} pages, {withheld} with withheld text, {refused} refused, {} finds",
        finds.len()
    );
    assert!(finds.is_empty(), "seed {seed}\n{}", listed(&finds));
}

/// Removes a random piece of a page. The piece may begin or end inside a tag.
fn damage(page: &mut String, state: &mut u64) {
    let from = page.floor_char_boundary(next(state) % (page.len() + 1));
    let to = page.floor_char_boundary((from + next(state) % 12).min(page.len()));
    page.drain(from..to);
}

fn listed(finds: &BTreeMap<String, String>) -> String {
    finds
        .iter()
        .map(|(page, fault)| format!("{page:?}\t{fault}\n"))
        .collect()
}

#[test]
fn every_element_of_the_corpus_and_of_html5lib() {
    let filter = filter(PROFILE);
    let mut expected = Listed::of(include_str!("oracle.txt"));
    let (mut pages, mut injections, mut wrong) = (0, 0, Vec::new());
    let html5lib = html5lib();
    let is_whole = !html5lib.is_empty();
    for (id, page) in corpus(false).into_iter().chain(html5lib) {
        pages += 1;
        let Ok(injector) = Injector::new(&filter, page.as_bytes(), true) else {
            continue;
        };
        let mut changed: Vec<_> = (0..injector.tags()).map(|tag| injector.deny(tag)).collect();
        changed
            .extend((1..injector.tags()).filter_map(|tag| injector.deny_and_allow(tag - 1, tag)));
        for experiment in changed {
            injections += 1;
            let name = format!("{id} {:?}", experiment.tags());
            let is_listed = expected.take(&name);
            let judged = judged(&filter, experiment.page());
            if let Some(fault) = fault_of(&judged) {
                wrong.push(format!("{name}\t{fault}\t{:?}", experiment.page()));
                continue;
            }
            let is_over =
                judged.is_ok_and(|found| found.is_some_and(|c| !c.over_exclusions().is_empty()));
            if is_over != is_listed {
                let what = if is_over {
                    reasons(&filter, experiment.page())
                } else {
                    "agrees, but is listed".to_owned()
                };
                wrong.push(format!("{name}\t{what}"));
            }
        }
    }
    if is_whole {
        wrong.extend(expected.left());
    }
    println!(
        "{pages} pages, {injections} injections, {} faults",
        wrong.len()
    );
    assert!(
        pages > 300 && wrong.is_empty(),
        "{} faults\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Inserts the marks of all conventions in turn into the elements of the corpus. Each
/// over-exclusion must have a note.
#[test]
fn every_element_of_the_corpus_in_all_conventions() {
    let filter = filter("all");
    let mut wrong = Vec::new();
    for (id, page) in corpus(true) {
        let Ok(injector) = Injector::new(&filter, page.as_bytes(), true) else {
            continue;
        };
        let mut changed: Vec<_> = (0..injector.tags()).map(|tag| injector.deny(tag)).collect();
        changed
            .extend((1..injector.tags()).filter_map(|tag| injector.deny_and_allow(tag - 1, tag)));
        for experiment in changed {
            if let Some(fault) = fault(&filter, experiment.page()) {
                wrong.push(format!(
                    "{id} {:?}\t{fault}\t{:?}",
                    experiment.tags(),
                    experiment.page()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} faults\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Compares both readings of one real page in five. `heedful verify --inject 20` compares more
/// changed versions, on any pages.
#[test]
fn real_pages_never_leak() {
    let filter = filter("all");
    let mut wrong = Vec::new();
    for page in ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(support::pages)
        .step_by(5)
    {
        let around = Surroundings {
            is_utf8: page.is_text,
            ..Surroundings::default()
        };
        let injections = Injections {
            elements: 1,
            seed: 7,
        };
        let url = format!("https://site.example/{}", page.id);
        let check = Check::run(
            &filter,
            (&url, &page.html),
            &around,
            Some(injections),
            &Reader::Tree,
        )
        .unwrap();
        if !check.leaks().is_empty() || check.unexplained() > 0 {
            wrong.push(page.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Returns the kinds of those notes on a page that explain why the streaming filter withholds more
/// than the tree.
fn reasons(filter: &Filter, page: &str) -> String {
    let notes = filter.page(URL, &[], page.as_bytes()).unwrap();
    let kinds = notes.notes().map(|note| note.kind().name());
    let mut kinds: Vec<_> = kinds
        .filter(|kind| matches!(*kind, "moved-content" | "late-attributes" | "out-of-order"))
        .collect();
    kinds.dedup();
    kinds.join(", ")
}
