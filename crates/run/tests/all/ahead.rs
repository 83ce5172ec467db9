//! A survey keeps the pages of archives that it reads, within the limit `bytes_under_way`. A run
//! then takes them from memory. A survey does not read the pages of a folder, whose Names pages are
//! read when a page refers to one.
//!
//! However much is kept, a run has the same outcomes at the same positions, and the same verdicts.
//! This holds for archives of all kinds, for damaged ones, and for a robots.txt at any place.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use heedful::{Bot, BotId, Conventions, Filter, Limits};
use heedful_input::{FetchedPage, Input, InputFormat, Inputs};
use heedful_run::{Cursor, GateRules, Outcome, Run, judged, survey};

use crate::damaged::{Archive, Packing, SITE, WAYS, arcs, records, setting};
use crate::support::made::{Chance, folder, gz, http, page, page_of, robots, warc, write};

/// Limits of bytes from "keep nothing" to "keep all": the sizes of the pages are 100 B to 200 KB.
const ROOMS: [u64; 4] = [0, 3_000, 60_000, 64 << 20];

fn filter(conventions: &str) -> Filter {
    let conventions = Conventions::parse(conventions).unwrap();
    Filter::new(Bot::new("FooBot").unwrap()).conventions(conventions)
}

fn open(paths: &[PathBuf], kind: Option<InputFormat>, room: u64, each_record: bool) -> Vec<Input> {
    let inputs = Inputs::default()
        .kind(kind)
        .limits(Limits::default().bytes_under_way(room));
    let inputs = if each_record {
        inputs.each_record()
    } else {
        inputs
    };
    inputs.open(paths).unwrap()
}

/// Returns a text with the content of a page and its verdict.
fn verdict(page: &FetchedPage, rules: &GateRules<'_>, filter: &Filter) -> String {
    let mut hasher = DefaultHasher::new();
    page.bytes().hash(&mut hasher);
    let entered = judged(page, rules, filter)
        .map(|policies| policies.policy(BotId::FIRST).may_fetch())
        .map_err(|error| error.to_string());
    format!(
        "{} {:x} {:?} {} {entered:?}",
        page.url(),
        hasher.finish(),
        page.headers(),
        page.is_cut()
    )
}

/// Returns the outcomes of a run over inputs after a survey of them, each with the position after
/// it.
fn outcomes(inputs: &[Input], conventions: &str, from: Cursor) -> Vec<String> {
    let (gate, filter) = survey(inputs, filter(conventions)).unwrap();
    let mut outcomes = Vec::new();
    Run::new(inputs, &gate, 2)
        .starting_at(from)
        .each(
            |page, rules| Ok(verdict(page, &rules, &filter)),
            |outcome, cursor| {
                outcomes.push(format!("{outcome:?} {}", cursor.place(inputs)));
                Ok(())
            },
        )
        .unwrap();
    outcomes
}

/// Checks that the outcomes of some files are the same however much of them is kept.
fn compare(paths: &[PathBuf], kind: Option<InputFormat>, what: &str) {
    for (conventions, each_record) in [("web", false), ("none", true)] {
        let all = |room| {
            let inputs = open(paths, kind, room, each_record);
            outcomes(&inputs, conventions, Cursor::default())
        };
        let expected = all(ROOMS[0]);
        for room in &ROOMS[1..] {
            assert_eq!(all(*room), expected, "{what}, {conventions}, {room} bytes");
        }
    }
}

fn write_one(folder: &Path, bytes: &[u8]) -> PathBuf {
    write(folder, "archive", bytes)
}

#[test]
fn damaged_archives_have_the_same_outcomes() {
    let folder = folder();
    for kind in [InputFormat::Warc, InputFormat::Arc] {
        let make = if kind == InputFormat::Arc {
            arcs
        } else {
            records
        };
        for packing in [Packing::None, Packing::Gzip, Packing::Zstd] {
            let archive = Archive::new("archive", kind, packing, make(&mut Chance(7)));
            let mut chance = Chance(setting("HEEDFUL_SEED", 1) as u64);
            for (way, damage) in WAYS {
                let part = chance.below(archive.parts.len());
                let Some(damaged) = damage(&archive, part, &mut chance) else {
                    continue;
                };
                let path = write_one(folder.path(), &damaged.bytes);
                compare(&[path], Some(kind), way);
            }
        }
    }
}

#[test]
fn one_member_with_all_records_has_the_same_outcomes() {
    let folder = folder();
    let packed = gz(&records(&mut Chance(7)).concat());
    let path = write_one(folder.path(), &packed);
    compare(&[path], None, "one member");
}

#[test]
fn a_robots_txt_counts_wherever_it_stands() {
    let folder = folder();
    let long = "<p>bread".repeat(1_000);
    let pages: Vec<_> = (0..12)
        .map(|number| {
            page_of(
                &format!("{SITE}/n{number}"),
                "2026-11-24T00:00:00Z",
                &format!("<p>{number}{long}"),
            )
        })
        .collect();
    let denial = robots(SITE, "User-agent: *\nDisallow: /n1\n");
    let broken = {
        let content = http("200 OK\r\nContent-Type: text/plain", b"User-agent: *\n");
        let digest = "WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n";
        warc("response", &format!("{SITE}/robots.txt"), digest, &content)
    };
    for rules in [&denial, &broken] {
        for at in [0, 3, 6, 12] {
            let mut records = pages.clone();
            records.insert(at, rules.clone());
            let packed: Vec<_> = records.iter().flat_map(|record| gz(record)).collect();
            let first = write(folder.path(), "1.warc.gz", &packed);
            compare(std::slice::from_ref(&first), None, "one file");
            let second = write(folder.path(), "2.warc", &pages.concat());
            compare(&[second, first], None, "the second of two files");
        }
    }
}

/// An archive that fits in memory is read once: the run does not need its file any more.
#[test]
fn what_is_kept_is_not_read_again() {
    let folder = folder();
    let records = [
        page(&format!("{SITE}/rye"), "<p>Rye"),
        page(&format!("{SITE}/oats"), "<p>Oats"),
        robots(SITE, "User-agent: *\nDisallow: /oats\n"),
    ];
    for bytes in [records.concat(), gz(&records.concat())] {
        let path = write_one(folder.path(), &bytes);
        let inputs = open(std::slice::from_ref(&path), None, 64 << 20, false);
        let (gate, filter) = survey(&inputs, filter("web")).unwrap();
        assert_eq!(inputs[0].read(), 0);
        std::fs::remove_file(&path).unwrap();
        let mut entered = Vec::new();
        let work = |page: &FetchedPage, rules: GateRules<'_>| {
            let policies = judged(page, &rules, &filter)?;
            Ok(policies.policy(BotId::FIRST).may_fetch())
        };
        Run::new(&inputs, &gate, 1)
            .each(work, |outcome, _| {
                if let Outcome::Pages(is_entered) = outcome {
                    entered.push(is_entered);
                }
                Ok(())
            })
            .unwrap();
        assert_eq!(entered, [true, false]);
        assert_eq!(inputs[0].read(), bytes.len() as u64);
        let again = Run::new(&inputs, &gate, 1).each(work, |_, _| Ok(()));
        assert!(again.is_err(), "the items are handed out once");
    }
}

#[test]
fn a_run_can_begin_within_what_is_kept() {
    let folder = folder();
    let bytes: Vec<_> = records(&mut Chance(7))
        .iter()
        .flat_map(|record| gz(record))
        .collect();
    let first = write(folder.path(), "1.warc.gz", &bytes);
    let second = write(folder.path(), "2.warc.gz", &bytes);
    let paths = [first, second];
    let inputs = open(&paths, None, 64 << 20, false);
    let (gate, filter) = survey(&inputs, filter("web")).unwrap();
    let mut cursors = Vec::new();
    let work = |page: &FetchedPage, rules: GateRules<'_>| Ok(verdict(page, &rules, &filter));
    Run::new(&inputs, &gate, 1)
        .each(work, |_, cursor| {
            cursors.push(cursor);
            Ok(())
        })
        .unwrap();
    for cursor in [&cursors[2], &cursors[cursors.len() / 2 + 2]] {
        let rest = |room| outcomes(&open(&paths, None, room, false), "web", cursor.clone());
        assert_eq!(rest(64 << 20), rest(0));
        assert!(!rest(0).is_empty());
    }
}

/// Returns the phrases of all pages of the inputs after a survey. `between` is called between the
/// survey and the run.
fn phrases(inputs: &[Input], jobs: usize, between: impl FnOnce()) -> Vec<String> {
    let (gate, filter) = survey(inputs, filter("web")).unwrap();
    between();
    let mut phrases = Vec::new();
    Run::new(inputs, &gate, jobs)
        .filter(&filter, |outcome, _| {
            let Outcome::Pages(filtered) = outcome else {
                panic!("{outcome:?}")
            };
            phrases.extend(filtered.pages[0].phrases().to_vec());
            Ok(())
        })
        .unwrap();
    phrases
}

#[test]
fn names_in_a_folder_are_read_when_a_page_refers_to_them() {
    const REFERS: &str = "<head profile='http://example.org/xmdp/robots-profile#'>\
        <link rel=RobotExclusion.Names href=/names.html><p>one <b class=robot1-noindex>two</b>";
    let folder = folder();
    let url: url::Url = "https://a.example/".parse().unwrap();
    write(folder.path(), "page.html", REFERS.as_bytes());
    let elsewhere = tempfile::tempdir().unwrap();
    let row = serde_json::json!({"url": "https://a.example/row", "html": REFERS});
    let lines = write(elsewhere.path(), "1.jsonl", row.to_string().as_bytes());
    for jobs in [1, 3] {
        let open = |path: &Path| Inputs::default().url(url.clone()).open(&[path]).unwrap();
        let write_names = || {
            let names = b"<meta name=RobotExclusion.RobotName1 content=BarBot>";
            write(folder.path(), "names.html", names);
        };
        let inputs: Vec<_> = open(&lines)
            .into_iter()
            .chain(open(folder.path()))
            .collect();
        assert_eq!(phrases(&inputs, jobs, || {}), ["one", "one"]);
        let inputs: Vec<_> = open(&lines)
            .into_iter()
            .chain(open(folder.path()))
            .collect();
        assert_eq!(phrases(&inputs, jobs, write_names), ["one two", "one two"]);
        std::fs::remove_file(folder.path().join("names.html")).unwrap();
    }
}

#[test]
fn one_job_works_in_the_thread_of_the_caller() {
    let folder = folder();
    let path = write_one(folder.path(), &page(&format!("{SITE}/rye"), "<p>Rye"));
    let own = std::thread::current().id();
    for (jobs, is_own) in [(1, true), (2, false)] {
        let inputs = open(std::slice::from_ref(&path), None, 0, false);
        let (gate, _) = survey(&inputs, filter("web")).unwrap();
        let mut found = Vec::new();
        Run::new(&inputs, &gate, jobs)
            .each(
                |_, _| Ok(std::thread::current().id() == own),
                |outcome, _| {
                    if let Outcome::Pages(is_own) = outcome {
                        found.push(is_own);
                    }
                    Ok(())
                },
            )
            .unwrap();
        assert_eq!(found, [is_own], "{jobs}");
    }
}
