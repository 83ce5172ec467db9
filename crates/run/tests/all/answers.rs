//! Checks the robots.txt rules of many sites that respond to many requests. Responses are stored
//! once, shared and moved to disk. The rules must be the same as if each response were read alone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeSet, HashSet};

use heedful::{Bot, Filter, Limits, RobotsTxt};
use heedful_index::{Index, UrlState};
use heedful_input::{Input, Inputs};
use heedful_run::{Gate, Outcome, Run, apply_outcome, survey, withdraw};
use proptest::prelude::*;

use crate::support::made::{self, folder, http, page, page_of, robots, warc};

const RULES: [&str; 5] = [
    "User-agent: *\nDisallow: /a\n",
    "User-agent: *\nDisallow: /b\n",
    "User-agent: FooBot\nAllow: /a/b\nDisallow: /a\n",
    "User-agent: * Disallow: /a\nDisallowed= /b\n",
    "",
];
const PATHS: [&str; 4] = ["/a/b", "/a/c", "/b", "/open"];
const SITES: usize = 9;

/// Response of a site to a request for its robots.txt, in one capture.
#[derive(Clone, Debug)]
enum Said {
    Rules(usize),
    Status(u16),
    To(usize),
    Astray,
    Unknown,
}

fn site(number: usize) -> String {
    format!("https://s{number}.example")
}

fn record(of: usize, said: &Said) -> Vec<u8> {
    let at = format!("{}/robots.txt", site(of));
    let moved = |to: &str| {
        warc(
            "response",
            &at,
            "",
            &http(&format!("301 Moved\r\nLocation: {to}"), b""),
        )
    };
    match said {
        Said::Rules(rules) => robots(&site(of), RULES[*rules]),
        Said::Status(status) => warc("response", &at, "", &http(&format!("{status} So"), b"x")),
        Said::To(other) => moved(&format!("{}/robots.txt", site(*other))),
        Said::Astray => moved("https://s0.example/elsewhere"),
        Said::Unknown => warc("revisit", &at, "", b""),
    }
}

/// Collects the rules of a site's responses one by one, without sharing them. Follows redirects to
/// other sites, and visits each site once.
fn naive(
    of: usize,
    said: &[(usize, Said)],
    path: &mut Vec<usize>,
    seen: &mut HashSet<usize>,
) -> Vec<RobotsTxt> {
    let mut all = Vec::new();
    path.push(of);
    seen.insert(of);
    for (_, said_now) in said.iter().filter(|(site, _)| *site == of) {
        match said_now {
            Said::Rules(rules) => all.push(RobotsTxt::parse(RULES[*rules].as_bytes())),
            Said::Status(status) => all.push(RobotsTxt::from_response(*status, b"x")),
            Said::Unknown => {}
            Said::To(other) if path.len() <= RobotsTxt::REDIRECTS && !path.contains(other) => {
                if !seen.contains(other) {
                    all.extend(naive(*other, said, path, seen));
                }
            }
            Said::To(_) | Said::Astray => all.push(RobotsTxt::deny_all()),
        }
    }
    if all.is_empty() {
        all.push(RobotsTxt::deny_all());
    }
    path.pop();
    all
}

fn expected(said: &[(usize, Said)]) -> Vec<bool> {
    let bot = Bot::new("FooBot").unwrap();
    let of = |site: usize, path: &str| {
        if said.iter().all(|(other, _)| *other != site) {
            return true;
        }
        naive(site, said, &mut Vec::new(), &mut HashSet::new())
            .iter()
            .all(|one| one.ruling(&bot, path).allowed())
    };
    (0..SITES)
        .flat_map(|site| PATHS.map(|path| of(site, path)))
        .collect()
}

fn filter(limits: Limits) -> Filter {
    Filter::new(Bot::new("FooBot").unwrap()).limits(limits)
}

/// Returns a value for each page of the inputs, in order: true if it may be fetched.
fn entered(inputs: &[Input], limits: Limits) -> Vec<bool> {
    let (gate, filter) = survey(inputs, filter(limits)).unwrap();
    enter_by(inputs, &gate, &filter)
}

fn enter_by(inputs: &[Input], gate: &Gate, filter: &Filter) -> Vec<bool> {
    let mut entered = Vec::new();
    Run::new(inputs, gate, 2)
        .filter(filter, |outcome, _| {
            if let Outcome::Pages(filtered) = outcome {
                entered.push(filtered.pages[0].policy().may_fetch());
            }
            Ok(())
        })
        .unwrap();
    entered
}

fn archive(records: &[Vec<u8>]) -> (tempfile::TempDir, Vec<Input>) {
    let folder = folder();
    let path = made::write(folder.path(), "all.warc", &records.concat());
    let inputs = Inputs::default().open(&[path]).unwrap();
    (folder, inputs)
}

fn response() -> impl Strategy<Value = Said> {
    prop_oneof![
        4 => (0..RULES.len()).prop_map(Said::Rules),
        6 => (0..SITES).prop_map(Said::To),
        1 => prop::sample::select(vec![404, 503]).prop_map(Said::Status),
        1 => Just(Said::Astray),
        1 => Just(Said::Unknown),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A page may be fetched if and only if each response of its site alone allows it. This holds
    /// for any number of responses and any redirects, whether the rules are in memory or on disk.
    #[test]
    fn what_is_folded_shared_and_spilled_says_what_each_by_itself_does(
        said in prop::collection::vec((0..SITES, response()), 0..40),
    ) {
        let mut records: Vec<_> = said.iter().map(|(of, said)| record(*of, said)).collect();
        records.extend((0..SITES).flat_map(|of| PATHS.map(|path| page(&format!("{}{path}", site(of)), "<p>word"))));
        let (_folder, inputs) = archive(&records);
        let expected = expected(&said);
        prop_assert_eq!(&entered(&inputs, Limits::default()), &expected);
        prop_assert_eq!(&entered(&inputs, Limits::default().robots_bytes(0)), &expected);
        prop_assert_eq!(&entered(&inputs, Limits::default().robots_bytes(2000)), &expected);
    }
}

/// A record of a crawl on one day: a response to a request for the site's robots.txt, or a capture
/// of one of its pages.
#[derive(Clone, Debug)]
enum OfDay {
    Rules(usize),
    Gone,
    Page(usize),
}

fn of_day() -> impl Strategy<Value = (u32, OfDay)> {
    let what = prop_oneof![
        3 => (0..RULES.len()).prop_map(OfDay::Rules),
        1 => Just(OfDay::Gone),
        4 => (0..PATHS.len()).prop_map(OfDay::Page),
    ];
    (1..25_u32, what)
}

fn dated(day: u32, what: &OfDay) -> Vec<u8> {
    let date = format!("2020-01-{day:02}T00:00:00Z");
    let answer = |content: &[u8]| {
        warc(
            "response",
            &format!("{}/robots.txt", site(0)),
            &format!("WARC-Date: {date}\r\n"),
            content,
        )
    };
    match what {
        OfDay::Rules(rules) => answer(&http(
            "200 OK\r\nContent-Type: text/plain",
            RULES[*rules].as_bytes(),
        )),
        OfDay::Gone => answer(&http("404 Not Found", b"x")),
        OfDay::Page(path) => page_of(&format!("{}{}", site(0), PATHS[*path]), &date, "<p>word"),
    }
}

/// Indexes the records of each run in turn. Returns the paths of the pages that the index has after
/// the last run.
fn indexed(runs: &[&[(u32, OfDay)]]) -> BTreeSet<&'static str> {
    let made = folder();
    let index = Index::create(made.path(), &filter(Limits::default())).unwrap();
    for of_run in runs {
        let (_folder, inputs) = archive(
            &of_run
                .iter()
                .map(|(day, what)| dated(*day, what))
                .collect::<Vec<_>>(),
        );
        let (gate, filter) = survey(&inputs, filter(Limits::default())).unwrap();
        let (mut writer, before) = (index.writer(1).unwrap(), index.search().unwrap());
        let gate = gate.with_earlier_responses(before.clone());
        Run::new(&inputs, &gate, 1)
            .filter(&filter, |outcome, _| {
                apply_outcome(&mut writer, &outcome).map(drop)
            })
            .unwrap();
        withdraw(&gate, &filter, &before, &mut writer, 1).unwrap();
        writer.commit().unwrap();
    }
    let search = index.search().unwrap();
    let has = |path: &&str| {
        matches!(
            search.known(&format!("{}{path}", site(0)), None),
            Ok(Some(UrlState::Page { .. }))
        )
    };
    PATHS.into_iter().filter(has).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Two index runs in the order of time have the same result as one run over both inputs. In any
    /// other order they never leave a page in the index that one run would remove.
    #[test]
    fn two_runs_leave_what_one_run_would(
        mut all in prop::collection::vec(of_day(), 1..14),
        cut in 0..14_usize,
        is_in_order: bool,
    ) {
        if is_in_order {
            all.sort_by_key(|(day, _)| *day);
        }
        let (first, second) = all.split_at(cut.min(all.len()));
        let (one, two) = (indexed(&[&all]), indexed(&[first, second]));
        prop_assert!(two.is_subset(&one), "{two:?}, and {one:?} in one run");
        prop_assert!(!is_in_order || one == two, "{two:?}, and {one:?} in one run");
    }
}

/// Equal robots.txt responses are stored once, so equal responses over years take no more memory
/// than one. The number of distinct responses of a site has a limit. All pages of a site that
/// exceeds it are excluded.
#[test]
fn too_many_different_answers_shut_their_site_alone() {
    let rules = |number: usize| format!("User-agent: *\nDisallow: /{number}\n");
    let mut records: Vec<_> = (0..5000)
        .map(|number| robots(&site(0), &rules(number % 9)))
        .collect();
    records.extend((0..11).map(|number| robots(&site(1), &rules(number))));
    records.extend((0..9).map(|number| robots(&site(2), &rules(number))));
    // This site has few answers of its own, and more through its redirects.
    records.extend([record(3, &Said::To(2)), record(3, &Said::To(0))]);
    let paths = ["/x", "/8"];
    records.extend(
        (0..5).flat_map(|of| paths.map(|path| page(&format!("{}{path}", site(of)), "<p>word"))),
    );
    let (_folder, inputs) = archive(&records);
    let (gate, filter) = survey(&inputs, filter(Limits::default().robots_answers(10))).unwrap();
    let entered = enter_by(&inputs, &gate, &filter);
    assert_eq!(
        entered,
        [
            true, false, false, false, true, false, false, false, true, true
        ]
    );
    assert_eq!(
        gate.sites_over_limits().into_iter().collect::<Vec<_>>(),
        [("robots_answers", 1)]
    );
}

/// A few long robots.txt responses exceed a limit too, since all of them are evaluated for each
/// page. Only the pages of their site are excluded.
#[test]
fn too_long_answers_shut_their_site_alone() {
    let rules = |number: usize| {
        format!(
            "User-agent: *\n{}",
            format!("Disallow: /{number}/\n").repeat(100)
        )
    };
    let mut records: Vec<_> = (0..9)
        .map(|number| robots(&site(0), &rules(number)))
        .collect();
    records.extend([
        robots(&site(1), &rules(1)),
        record(2, &Said::To(0)),
        record(3, &Said::To(1)),
    ]);
    records.extend((0..4).map(|of| page(&format!("{}/x", site(of)), "<p>word")));
    let (_folder, inputs) = archive(&records);
    let (gate, filter) =
        survey(&inputs, filter(Limits::default().robots_site_bytes(10_000))).unwrap();
    assert_eq!(
        enter_by(&inputs, &gate, &filter),
        [false, true, false, true]
    );
    assert_eq!(
        gate.sites_over_limits().into_iter().collect::<Vec<_>>(),
        [("robots_site_bytes", 1)]
    );
}

/// All pages of the sites beyond the limit `sites` are excluded. So are the pages of sites for
/// whose robots.txt files there is no room. An exceeded limit never allows a page.
#[test]
fn what_is_not_kept_lets_nobody_in() {
    let mut records: Vec<_> = (0..9)
        .map(|of| robots(&site(of), &format!("User-agent: *\nDisallow: /{of}\n")))
        .collect();
    records.extend((0..10).map(|of| page(&format!("{}/x", site(of)), "<p>word")));
    let (_folder, inputs) = archive(&records);
    let all = entered(&inputs, Limits::default().sites(4));
    assert_eq!(
        all,
        [
            true, true, true, true, false, false, false, false, false, false
        ]
    );
    let full = Limits::default().robots_bytes(0).robots_file_bytes(300);
    let (gate, filter) = survey(&inputs, filter(full)).unwrap();
    let entered = enter_by(&inputs, &gate, &filter);
    assert!(entered[0] && !entered[8] && entered[9], "{entered:?}");
    assert_eq!(
        gate.sites_over_limits().keys().collect::<Vec<_>>(),
        [&"robots_file_bytes"]
    );
}

/// At most one hundred notes of each kind are reported for a robots.txt with many doubtful lines.
/// The rules of the file are obeyed.
#[test]
fn notes_of_a_file_are_bounded() {
    let odd =
        "Disalow: b\nDisallow c\nnobody knows\nDisallow: x y\nAllow: /same\nDisallow: /same\n"
            .repeat(5000);
    let robots = RobotsTxt::parse(format!("User-agent: *\n{odd}Disallow: /last\n").as_bytes());
    let notes = robots.notes();
    assert!(notes.len() > 300 && notes.len() < 1000, "{}", notes.len());
    let mut kinds = std::collections::BTreeMap::new();
    for note in &notes {
        *kinds.entry(note.kind().name()).or_insert(0) += 1;
    }
    assert!(kinds.values().all(|count| *count <= 100), "{kinds:?}");
    assert!(
        !robots
            .ruling(&Bot::new("FooBot").unwrap(), "/last")
            .allowed()
    );
}
