//! Compares the streaming filter with a real browser: nothing that the browser's tree denies may be
//! emitted. The pages are tag soup, real pages, and those of corpus/ and of html5lib's tests (if
//! available) with a class on each element. If the filter withholds more than the browser without a
//! note, the page must be listed in readers.txt with the reason. A listed page on which both agree
//! is a failure too.
//!
//! Without Chromium the tests of the browser report that and pass; with `HEEDFUL_BROWSER=1` they
//! fail instead. `HEEDFUL_PAGES` is the number of generated pages, and `HEEDFUL_SEED` chooses them.
//! This long run prints the seed, the number of pages and the failures:
//! `HEEDFUL_PAGES=500000 cargo test --release -p heedful-verify --test all -- readers::soup --nocapture`

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a long run tells what it did, and a skipped one that it is"
)]

use std::collections::BTreeMap;
use std::time::SystemTime;

use heedful::{Bot, Conventions, Filter};
use heedful_verify::{Browser, Comparison, Engine, Injector, Surroundings};

use crate::browsers;
use crate::soup;
use crate::support;
use crate::support::cases::{Listed, corpus, html5lib};
use crate::support::chance::{minimised, next};

const URL: &str = "https://site.example/dir/page";

fn browser(engine: Engine) -> Option<Browser> {
    browsers::program(engine).map(|program| Browser::launch(engine, &program).unwrap())
}

fn filter(conventions: &str) -> Filter {
    let bots = ["FooBot", "BarBot"]
        .map(|name| Bot::new(name).unwrap())
        .into();
    Filter::for_bots(bots)
        .unwrap()
        .conventions(Conventions::parse(conventions).unwrap())
}

/// Compares the streaming filter's verdicts on a page with those by the browser's tree. Returns
/// `None` if the streaming filter refuses the page.
fn compared(browser: &mut Browser, filter: &Filter, page: &str) -> Option<Comparison> {
    let around = Surroundings {
        is_utf8: true,
        ..Surroundings::default()
    };
    match browser.compare(filter, URL, page.as_bytes(), &around) {
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

fn fault_of(comparison: &Comparison) -> Option<String> {
    let leak = comparison.leaks().first()?;
    Some(format!(
        "leaks {} of {:?}",
        leak.usage().name(),
        leak.text()
    ))
}

fn fault(browser: &mut Browser, filter: &Filter, page: &str) -> Option<String> {
    fault_of(&compared(browser, filter, page)?)
}

/// Generates page number `at` for the comparison. Several kinds of pages are generated in turn.
fn made(at: u64, choose: &mut impl FnMut(usize) -> usize) -> String {
    match at % 4 {
        0 => soup::short(choose),
        1 => soup::tangled(2 + choose(14), choose),
        _ => soup::page(4 + choose(40), choose),
    }
}

#[test]
fn soup_never_leaks_in_chromium() {
    soup_never_leaks(Engine::Chromium, 20_000);
}

#[test]
fn soup_never_leaks_in_firefox() {
    soup_never_leaks(Engine::Firefox, 3_000);
}

#[test]
fn soup_never_leaks_in_webkit() {
    soup_never_leaks(Engine::WebKit, 3_000);
}

/// Compares generated pages with an engine's tree: this number of them, unless the environment has
/// another.
fn soup_never_leaks(engine: Engine, pages: u64) {
    let Some(mut browser) = browser(engine) else {
        return;
    };
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
    let pages = number("HEEDFUL_PAGES").unwrap_or(pages);
    let own = Conventions::parse("all").unwrap().toml(soup::OWN).unwrap();
    let filters = [
        filter("web"),
        filter("all"),
        filter("none").conventions(own),
    ];
    let (mut state, mut refused, mut withheld) = (seed, 0, 0);
    let mut finds = BTreeMap::new();
    for at in 0..pages {
        if at > 0 && at % 10_000 == 0 {
            println!("{engine}, seed {seed}: {at} pages, {} finds", finds.len());
        }
        let page = made(at, &mut |n| next(&mut state) % n);
        let filter = &filters[next(&mut state) % filters.len()];
        let Some(comparison) = compared(&mut browser, filter, &page) else {
            refused += 1;
            continue;
        };
        withheld += u64::from(comparison.withheld() > 0);
        if let Some(found) = fault_of(&comparison) {
            let kind = |fault: String| fault.split(' ').next().unwrap_or_default().to_owned();
            let wanted = kind(found);
            let small = minimised(&page, |page| {
                fault(&mut browser, filter, page).is_some_and(|fault| kind(fault) == wanted)
            });
            finds.insert(
                small.clone(),
                fault(&mut browser, filter, &small).unwrap_or_default(),
            );
            if finds.len() >= 20 {
                break;
            }
        }
    }
    println!(
        "{engine}, seed {seed}: {pages} pages, {withheld} with withheld text, {refused} refused, {} finds",
        finds.len()
    );
    let listed: String = finds
        .iter()
        .map(|(page, fault)| format!("{page:?}\t{fault}\n"))
        .collect();
    assert!(finds.is_empty(), "seed {seed}\n{listed}");
}

/// Returns a description of what is wrong in a comparison: a leak, or an unexplained
/// over-exclusion. Returns `None` if nothing is wrong.
/// Of Firefox and `WebKitGTK` only leaks are told.
fn disagreement(engine: Engine, comparison: &Comparison) -> Option<String> {
    let over = comparison
        .over_exclusions()
        .first()
        .filter(|_| engine == Engine::Chromium && !comparison.is_explained());
    fault_of(comparison).or_else(|| {
        over.map(|over| format!("withholds {} of {:?}", over.usage().name(), over.text()))
    })
}

#[test]
fn every_element_of_the_corpus_and_of_html5lib_in_chromium() {
    every_element_of_the_corpus_and_of_html5lib(Engine::Chromium);
}

#[test]
fn every_element_of_the_corpus_and_of_html5lib_in_firefox() {
    every_element_of_the_corpus_and_of_html5lib(Engine::Firefox);
}

#[test]
fn every_element_of_the_corpus_and_of_html5lib_in_webkit() {
    every_element_of_the_corpus_and_of_html5lib(Engine::WebKit);
}

fn every_element_of_the_corpus_and_of_html5lib(engine: Engine) {
    let Some(mut browser) = browser(engine) else {
        return;
    };
    let filter = filter("seed,+profile-undeclared");
    let mut expected = Listed::of(include_str!("readers.txt"));
    let html5lib = html5lib();
    let is_whole = !html5lib.is_empty();
    let (mut compared_pages, mut wrong) = (0, Vec::new());
    for (id, page) in corpus(false).into_iter().chain(html5lib) {
        let Ok(injector) = Injector::new(&filter, page.as_bytes(), true) else {
            continue;
        };
        for tag in 0..injector.tags() {
            let experiment = injector.deny(tag);
            let Some(comparison) = compared(&mut browser, &filter, experiment.page()) else {
                continue;
            };
            compared_pages += 1;
            let name = format!("{id} {:?}", experiment.tags());
            let found = disagreement(engine, &comparison);
            let is_listed = expected.take(&name) && engine == Engine::Chromium;
            if found.is_some() != is_listed {
                wrong.push(format!(
                    "{name}\t{}\t{:?}",
                    found.as_deref().unwrap_or("agrees, but is listed"),
                    experiment.page()
                ));
            }
        }
    }
    if is_whole {
        wrong.extend(expected.left());
    }
    println!("{compared_pages} pages, {} faults", wrong.len());
    assert!(
        compared_pages > 1_000 && wrong.is_empty(),
        "{} faults\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn real_pages_never_leak_in_chromium() {
    real_pages_never_leak(Engine::Chromium);
}

#[test]
fn real_pages_never_leak_in_firefox() {
    real_pages_never_leak(Engine::Firefox);
}

#[test]
fn real_pages_never_leak_in_webkit() {
    real_pages_never_leak(Engine::WebKit);
}

/// Compares both readings of real pages, by the streaming filter and the browser.
/// `heedful verify --browser --inject 20` also compares changed versions, on any pages.
fn real_pages_never_leak(engine: Engine) {
    let Some(mut browser) = browser(engine) else {
        return;
    };
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
        let comparison = browser.compare(&filter, URL, &page.html, &around).unwrap();
        wrong.extend(disagreement(engine, &comparison).map(|found| format!("{} {found}", page.id)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
