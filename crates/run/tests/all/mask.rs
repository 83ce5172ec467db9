//! A mask has an answer for each record of its input, and the answer agrees with the filter. This
//! is tested on all inputs, for all uses and three bots, and on damaged archives.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use heedful::{Bot, Conventions, Filter, Use, Uses};
use heedful_index::{Index, Query};
use heedful_input::{Input, InputFormat, Inputs, Skip};
use heedful_json::rfc3339;
use heedful_run::mask::{
    AnswerKind, BotAnswer, CaptureAnswers, CompactReader, MaskAnswer, MaskDifference, MaskFile,
    MaskFormat, MaskQuestions, Why,
};
use heedful_run::{Change, GateRules, Outcome, Purge, RemovedPage, Run, apply_outcome, survey};

use crate::damaged::{Archive, Packing, WAYS, arcs, lines, records, setting};
use crate::support;
use crate::support::made::{Chance, folder, gz, line, page, page_of, warc, write};

const USES: &str = "index,follow,anchor,archive,snippet,image,translate,train,input";

fn filter(conventions: &str) -> Filter {
    let bots = ["FooBot", "BarBot", "GPTBot"]
        .map(|name| Bot::new(name).unwrap())
        .to_vec();
    Filter::for_bots(bots)
        .unwrap()
        .conventions(Conventions::parse(conventions).unwrap())
}

fn inputs(path: &Path, kind: Option<InputFormat>) -> Option<Vec<Input>> {
    let url = path
        .is_dir()
        .then(|| "https://site.example/".parse().unwrap());
    Inputs::default()
        .each_record()
        .kind(kind)
        .url(url)
        .open(&[path])
        .ok()
}

fn opened(path: &Path) -> Vec<Input> {
    inputs(path, None).unwrap()
}

/// Returns the answers of the mask of these inputs. If `parts` is true, each answer also lists the
/// uses that are denied to a part of a page.
fn mask(inputs: &[Input], filter: Filter, parts: bool) -> Vec<MaskAnswer> {
    let (gate, filter) = survey(inputs, filter).unwrap();
    let asking = MaskQuestions::new(Uses::parse_names(USES).unwrap(), &filter);
    let asking = if parts { asking.parts() } else { asking };
    let mut answers = Vec::new();
    let run = Run::new(inputs, &gate, 2);
    let work = |document: &_, at: GateRules<'_>| asking.page(document, &at, &filter);
    run.each(work, |outcome, _| {
        answers.push(asking.answer(outcome));
        Ok(())
    })
    .unwrap();
    answers
}

/// Compares the mask of an input with the filter's result for each record of the input. Returns the
/// number of pages.
fn is_as_the_filter_says(inputs: &[Input], conventions: &str) -> usize {
    let answers = mask(inputs, filter(conventions), true);
    let (gate, filter) = survey(inputs, filter(conventions)).unwrap();
    let (mut number, mut pages) = (0, 0);
    let compare = |outcome: Outcome, _| {
        let answer = &answers[number];
        let told = format!("{} {:?} {conventions}: {answer:?}", number, outcome.url());
        number += 1;
        if let Outcome::Pages(filtered) = &outcome {
            pages += 1;
            assert_eq!(answer.kind, AnswerKind::Page, "{told}");
            assert_eq!(answer.date, filtered.captured.and_then(rfc3339), "{told}");
            assert_eq!(answer.record, filtered.record, "{told}");
            let robots = filtered.pages[0].robots_state();
            assert_eq!(answer.robots.as_deref(), Some(robots.name()), "{told}");
            assert_eq!(answer.robots_status, robots.status(), "{told}");
            for (page, bot) in filtered.pages.iter().zip(&answer.bots) {
                for usage in Use::ALL {
                    let why = page
                        .policy()
                        .why(usage)
                        .map(|why| (why.text(), why.convention(), why.place()));
                    let told_why = bot
                        .why
                        .0
                        .iter()
                        .find(|(own, _)| *own == usage)
                        .map(|(_, why)| why);
                    assert_eq!(
                        bot.allow.allows(usage),
                        page.policy().allows(usage),
                        "{usage} {told}"
                    );
                    let place = |why: &Why| why.line.zip(why.column);
                    assert_eq!(
                        told_why.map(|why| (
                            why.directive.as_str(),
                            why.convention.as_str(),
                            place(why)
                        )),
                        why.map(|(text, convention, at)| (
                            text,
                            convention,
                            at.map(|at| (at.line(), at.column()))
                        )),
                        "{usage} {told}"
                    );
                }
            }
            let all = |usage| {
                filtered
                    .pages
                    .iter()
                    .all(|page| page.policy().allows(usage))
            };
            assert!(
                Use::ALL
                    .into_iter()
                    .all(|usage| answer.allow.allows(usage) == all(usage)),
                "{told}"
            );
        } else {
            let expected = match &outcome {
                Outcome::Skipped(skipped)
                    if !matches!(skipped.why(), Skip::Unchanged | Skip::Wat) =>
                {
                    AnswerKind::None
                }
                _ => AnswerKind::Unknown,
            };
            assert_eq!(answer.kind, expected, "{told}");
            let denied = answer
                .bots
                .iter()
                .all(|bot| Use::ALL.into_iter().all(|usage| !bot.allow.allows(usage)));
            assert_eq!(answer.robots, None, "{told}");
            assert!(
                denied && answer.reason.is_some() && answer.bots.len() == 3,
                "{told}"
            );
        }
        Ok(())
    };
    Run::new(inputs, &gate, 2).filter(&filter, compare).unwrap();
    assert_eq!(number, answers.len(), "an answer a record");
    pages
}

#[test]
fn the_pages_of_the_corpus_are_answered_as_they_are_filtered() {
    let site = inputs(&support::root().join("corpus/site"), None).unwrap();
    for conventions in ["web", "all"] {
        assert!(is_as_the_filter_says(&site, conventions) > 30);
    }
}

/// Returns the texts of the robots.txt files in the cases of corpus/robots.
fn rules() -> Vec<String> {
    let files = std::fs::read_dir(support::root().join("corpus/robots")).unwrap();
    let text: String = files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    let fences = text
        .split("```robots")
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next()?.split_once('\n'));
    fences.map(|(_, rules)| rules.to_owned()).collect()
}

/// Computes the mask answer of every page of the corpus, each with a header and on a site with a
/// robots.txt of the corpus. The answer must agree with the filter.
#[test]
fn every_fixture_is_answered_as_it_is_filtered() {
    const HEADERS: [&str; 4] = [
        "",
        "\r\nX-Robots-Tag: noarchive",
        "\r\nX-Robots-Tag: barbot: noindex",
        "\r\nTDM-Reservation: 1",
    ];
    let (rules, pages) = (rules(), support::cases::corpus(true));
    assert!(
        rules.len() > 100 && pages.len() > 500,
        "{} {}",
        rules.len(),
        pages.len()
    );
    let site = |number: usize| format!("https://s{}.example", number % rules.len());
    let robots =
        (0..rules.len()).map(|number| support::made::robots(&site(number), &rules[number]));
    let paths = ["", "dir/a", "b", "a?b=c"];
    let responses = pages.iter().enumerate().map(|(number, (_, html))| {
        let head = format!("200 OK\r\nContent-Type: text/html{}", HEADERS[number % 4]);
        let url = format!("{}/{}", site(number), paths[number / 4 % 4]);
        warc(
            "response",
            &url,
            "",
            &support::made::http(&head, html.as_bytes()),
        )
    });
    let home = folder();
    let path = write(
        home.path(),
        "fixtures.warc",
        &robots.chain(responses).collect::<Vec<_>>().concat(),
    );
    for conventions in ["web", "all"] {
        assert!(is_as_the_filter_says(&opened(&path), conventions) > 500);
    }
}

#[test]
fn real_inputs_are_answered_as_they_are_filtered() {
    let Some(data) = support::data() else { return };
    let mut files: Vec<_> = std::fs::read_dir(data.join("warc"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.extend(["real-exclusion.jsonl.gz", "real-pages.jsonl.gz"].map(|name| data.join(name)));
    let mut pages = 0;
    for file in files {
        for conventions in ["web", "all"] {
            pages +=
                inputs(&file, None).map_or(0, |inputs| is_as_the_filter_says(&inputs, conventions));
        }
    }
    assert!(pages > 800, "{pages}");
}

/// Damages an archive in all ways. In the mask of the damaged archive, each undamaged record must
/// have its answer. The answer for a damaged record must not allow a use that the filter denies.
fn damage(archive: &Archive, places: usize) {
    let mut chance = Chance(setting("HEEDFUL_SEED", 1) as u64);
    let home = folder();
    let answers = |bytes: &[u8]| {
        let path = write(home.path(), &archive.name, bytes);
        let inputs = inputs(&path, Some(archive.kind))?;
        is_as_the_filter_says(&inputs, "web");
        Some(mask(&inputs, filter("web"), false))
    };
    let whole = answers(&archive.bytes()).unwrap();
    for (way, make) in WAYS {
        for _ in 0..places {
            let part = chance.below(archive.parts.len());
            let Some(damaged) = make(archive, part, &mut chance) else {
                continue;
            };
            let Some(met) = answers(&damaged.bytes) else {
                continue;
            };
            let told = format!(
                "{}: {way} at part {part} of {}",
                archive.name,
                archive.parts.len()
            );
            let (before, behind) = (
                damaged.struck.start,
                archive.parts.len() - damaged.struck.end,
            );
            assert!(
                met.len() >= before + behind,
                "{told}: {} answers of {}",
                met.len(),
                whole.len()
            );
            // In a packed file nothing reaches out of its member: the answers before it and behind
            // it are about the same records. A robots.txt that is struck may change them.
            if archive.is_packed() && whole.len() == archive.parts.len() {
                let plain = |answer: &MaskAnswer| (answer.kind, answer.url.clone());
                let same = |one: &[MaskAnswer], other: &[MaskAnswer]| {
                    one.iter().map(plain).eq(other.iter().map(plain))
                };
                assert!(
                    same(&met[..before], &whole[..before]),
                    "{told}: those before it"
                );
                assert!(
                    same(&met[met.len() - behind..], &whole[whole.len() - behind..]),
                    "{told}: those behind it"
                );
            }
        }
    }
}

#[test]
fn what_is_damaged_has_its_answers() {
    let places = setting("HEEDFUL_DAMAGE", 1);
    let made = [
        (
            "made.warc",
            InputFormat::Warc,
            Packing::None,
            records as fn(&mut Chance) -> Vec<Vec<u8>>,
        ),
        ("made.warc.gz", InputFormat::Warc, Packing::Gzip, records),
        ("made.arc.gz", InputFormat::Arc, Packing::Gzip, arcs),
        ("made.jsonl", InputFormat::Jsonl, Packing::None, lines),
        ("made.jsonl.gz", InputFormat::Jsonl, Packing::Gzip, lines),
    ];
    for (name, kind, packing, make) in made {
        damage(
            &Archive::new(name, kind, packing, make(&mut Chance(7))),
            places,
        );
    }
}

#[test]
fn each_record_of_an_archive_has_one_answer() {
    let made = records(&mut Chance(7));
    let home = folder();
    for (name, bytes) in [
        ("made.warc", made.concat()),
        (
            "made.warc.gz",
            made.iter().flat_map(|record| gz(record)).collect(),
        ),
    ] {
        let inputs = inputs(&write(home.path(), name, &bytes), None).unwrap();
        let answers = mask(&inputs, filter("web"), false);
        assert_eq!(answers.len(), made.len());
        let kinds = |kind| answers.iter().filter(|answer| answer.kind == kind).count();
        assert_eq!(
            (kinds(AnswerKind::Page), kinds(AnswerKind::None)),
            (17, made.len() - 17)
        );
        let places: Vec<_> = answers.iter().map(|answer| answer.at.unwrap()).collect();
        assert!(places.is_sorted_by(|one, next| one < next), "{places:?}");
    }
}

fn texts(home: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let id = |number: usize| format!("WARC-Record-ID: <urn:uuid:{number}>\r\n");
    let url = |number: usize| format!("https://site.example/{number}");
    let page = |number: usize, html: &str| {
        let content = support::made::http("200 OK\r\nContent-Type: text/html", html.as_bytes());
        warc("response", &url(number), &id(number), &content)
    };
    let pages = [
        page(1, "<p>one"),
        page(2, "<meta name=robots content='noindex, noai'><p>two"),
        page(3, "<p>three"),
    ];
    let text = |number: usize, of: usize| {
        let fields = format!("WARC-Refers-To: <urn:uuid:{of}>\r\n");
        warc("conversion", &url(number), &fields, b"words")
    };
    let info = warc("warcinfo", "", "", b"software: test\r\n");
    let wet = [info, text(3, 3), text(2, 2), text(1, 1), text(1, 9)];
    (
        write(home, "crawl.warc", &pages.concat()),
        write(home, "crawl.warc.wet", &wet.concat()),
    )
}

#[test]
fn texts_have_the_answers_of_their_pages() {
    let home = folder();
    let (pages, wet) = texts(home.path());
    let pages = inputs(&pages, None).unwrap();
    let asking = MaskQuestions::new(Uses::parse_names("index,train").unwrap(), &filter("web"));
    let mut beside = CaptureAnswers::default();
    for answer in mask(&pages, filter("web"), false) {
        beside.add(answer);
    }
    let mut found = Vec::new();
    let wet = inputs(&wet, None).unwrap();
    beside
        .each(&wet[0], &asking, |answer| {
            found.push((answer.kind, answer.allow.allows(Use::Train)));
            Ok(())
        })
        .unwrap();
    let expected = [
        (AnswerKind::None, false),
        (AnswerKind::Page, true),
        (AnswerKind::Page, false),
        (AnswerKind::Page, true),
        (AnswerKind::Unknown, false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn lines_with_urls_alone_have_the_answers_of_all_captures() {
    let home = folder();
    let crawl = [
        line("https://site.example/a", "<p>one"),
        line(
            "https://site.example/a",
            "<meta name=robots content=noai><p>one",
        ),
        line("https://site.example/b", "<p>two"),
    ];
    let crawl = inputs(&write(home.path(), "crawl.jsonl", &crawl.concat()), None).unwrap();
    let mut beside = CaptureAnswers::default();
    for answer in mask(&crawl, filter("web"), false) {
        beside.add(answer);
    }
    let urls = "{\"url\":\"https://site.example/b\"}\n{\"url\":\"https://site.example/a\"}\n{\"url\": nonsense\n{\"url\":\"https://site.example/c\"}\n";
    let urls = inputs(
        &write(home.path(), "urls.jsonl", urls.as_bytes()),
        Some(InputFormat::Jsonl),
    )
    .unwrap();
    let asking = MaskQuestions::new(Uses::parse_names("train").unwrap(), &filter("web"));
    let mut found = Vec::new();
    beside
        .each(&urls[0], &asking, |answer| {
            found.push((answer.kind, answer.allow.allows(Use::Train)));
            Ok(())
        })
        .unwrap();
    use AnswerKind::{Page, Unknown};
    assert_eq!(
        found,
        [
            (Page, true),
            (Page, false),
            (Unknown, false),
            (Unknown, false)
        ]
    );
}

/// Finds mask answers for many captures and texts of one URL, and of one record identifier. The
/// captures are merged once: merging them for each text would take half an hour.
#[test]
fn many_captures_and_many_texts_have_one_answer() {
    const MANY: usize = 50_000;
    let home = folder();
    let (url, id) = ("https://site.example/a", "<urn:uuid:1>");
    let crawl = [
        line(url, "<p>one"),
        line(url, "<meta name=robots content=noai><p>one"),
    ]
    .concat();
    let judged = mask(
        &opened(&write(home.path(), "crawl.jsonl", &crawl)),
        filter("web"),
        false,
    );
    let date = |n: usize| {
        format!(
            "2026-01-01T{:02}:{:02}:{:02}Z",
            n / 3600,
            n / 60 % 60,
            n % 60
        )
    };
    let mut beside = CaptureAnswers::default();
    for n in 0..MANY {
        let (record, date) = (Some(id.to_owned()), Some(date(n)));
        beside.add(MaskAnswer {
            record,
            date,
            ..judged[n % 2].clone()
        });
    }
    let lines = |date: &dyn Fn(usize) -> String| -> String {
        (0..MANY)
            .map(|n| format!("{{\"url\":\"{url}\",\"date\":\"{}\"}}\n", date(n)))
            .collect()
    };
    let of_all = lines(&|_| "2026-01-02T00:00:00Z".to_owned());
    let texts = warc(
        "conversion",
        url,
        &format!("WARC-Refers-To: {id}\r\n"),
        b"words",
    )
    .repeat(MANY);
    let asking = MaskQuestions::new(Uses::parse_names(USES).unwrap(), &filter("web"));
    for (name, text, kind, allowed) in [
        (
            "each.jsonl",
            lines(&date).as_bytes(),
            InputFormat::Jsonl,
            MANY / 2,
        ),
        ("all.jsonl", of_all.as_bytes(), InputFormat::Jsonl, 0),
        ("crawl.warc.wet", &texts, InputFormat::Warc, 0),
    ] {
        let (mut found, mut allows) = (0, 0);
        let input = inputs(&write(home.path(), name, text), Some(kind)).unwrap();
        let count = |answer: MaskAnswer| {
            assert_eq!(
                (answer.kind, answer.allow.allows(Use::Index)),
                (AnswerKind::Page, true)
            );
            (found, allows) = (
                found + 1,
                allows + usize::from(answer.allow.allows(Use::Train)),
            );
            Ok(())
        };
        beside.each(&input[0], &asking, count).unwrap();
        assert_eq!((found, allows), (MANY, allowed), "{name}");
    }
}

#[test]
fn a_compact_mask_has_the_same_answers() {
    let home = folder();
    let made = inputs(
        &write(home.path(), "made.warc", &records(&mut Chance(7)).concat()),
        None,
    )
    .unwrap();
    let answers = mask(&made, filter("web"), false);
    let asking = MaskQuestions::new(Uses::parse_names(USES).unwrap(), &filter("web"));
    let path = home.path().join("out.mask");
    let (mut file, _) =
        MaskFile::begin(&path, MaskFormat::from_path(&path), &asking, "", false).unwrap();
    for answer in answers.iter().cycle().take(120_000) {
        file.add(answer.clone(), || None).unwrap();
    }
    assert_eq!(file.finish().unwrap(), 120_000);
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.len() < 3 * 120_000);
    let read: Vec<_> = CompactReader::new(&bytes[..]).map(Result::unwrap).collect();
    assert_eq!(read.len(), 120_000);
    for (read, answer) in read.iter().zip(answers.iter().cycle()) {
        assert_eq!(
            (read.kind, &read.reason, read.allow),
            (answer.kind, &answer.reason, answer.allow)
        );
        for (read, bot) in read.bots.iter().zip(&answer.bots) {
            let words = |bot: &BotAnswer| -> Vec<_> {
                bot.why
                    .0
                    .iter()
                    .map(|(usage, why)| (*usage, why.directive.clone()))
                    .collect()
            };
            assert_eq!(
                (&read.bot, read.allow, words(read)),
                (&bot.bot, bot.allow, words(bot))
            );
        }
    }
    for cut in [3, bytes.len() / 2, bytes.len() - 5] {
        assert!(
            CompactReader::new(&bytes[..cut]).any(|answer| answer.is_err()),
            "cut at {cut}"
        );
    }
}

#[test]
fn a_difference_purges_what_became_forbidden() {
    let home = folder();
    let crawl = |second: &str| {
        [
            page("https://site.example/a", "<p>alpha"),
            page("https://site.example/b", second),
            page("https://site.example/c", "<p>gamma"),
        ]
        .concat()
    };
    let (old, new) = (
        crawl("<p>beta"),
        crawl("<meta name=robots content='noindex, noai'><p>beta"),
    );
    let read = |name: &str, bytes: &[u8]| inputs(&write(home.path(), name, bytes), None).unwrap();
    let one = |inputs: &[Input]| {
        let filter = Filter::new(Bot::new("FooBot").unwrap());
        mask(inputs, filter, false)
            .iter()
            .map(|answer| answer.line() + "\n")
            .collect::<String>()
    };
    let (old_inputs, new_inputs) = (read("old.warc", &old), read("new.warc", &new));
    let (old, new) = (one(&old_inputs), one(&new_inputs));
    let mut changes = Vec::new();
    assert!(!MaskDifference::has_same_records(old.as_bytes(), new.as_bytes()).unwrap());
    let met = MaskDifference::of_urls(old.as_bytes(), new.as_bytes(), |change| {
        changes.push(change);
        Ok(())
    })
    .unwrap();
    assert_eq!((met.changes, met.compared, changes.len()), (1, 3, 1));
    assert_eq!(changes[0].url, "https://site.example/b");
    assert!(
        changes[0].forbidden.contains(&"train".to_owned())
            && changes[0].why["index"].contains("noindex")
    );

    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let index = Index::create(home.path().join("index"), &filter).unwrap();
    let (gate, filter) = survey(&old_inputs, filter).unwrap();
    let mut writer = index.writer(1).unwrap();
    let take = |outcome: Outcome, _| apply_outcome(&mut writer, &outcome).map(drop);
    Run::new(&old_inputs, &gate, 1)
        .filter(&filter, take)
        .unwrap();
    writer.commit().unwrap();
    drop(writer);
    let feed = changes
        .iter()
        .map(|change| Change::parse(&change.line()).unwrap());
    let purged = feed
        .fold(Purge::default(), |purge, change| purge.change(&change))
        .run(&index, 1)
        .unwrap();
    assert_eq!(
        purged
            .removed_pages
            .iter()
            .map(RemovedPage::url)
            .collect::<Vec<_>>(),
        ["https://site.example/b"]
    );
    let urls = index.search().unwrap().urls().unwrap();
    assert_eq!(urls, ["https://site.example/a", "https://site.example/c"]);
}

#[test]
fn a_change_denies_what_it_names_and_no_more() {
    let home = folder();
    let date = "2024-05-06T07:08:09Z";
    let crawl = [("a", "<p>alpha"), ("b", "<p>beta")];
    let crawl = crawl
        .map(|(name, html)| page_of(&format!("https://site.example/{name}"), date, html))
        .concat();
    let inputs = inputs(&write(home.path(), "crawl.warc", &crawl), None).unwrap();
    let filter = Filter::new(Bot::new("FooBot").unwrap()).snapshots();
    let index = Index::create(home.path().join("index"), &filter).unwrap();
    let (gate, filter) = survey(&inputs, filter).unwrap();
    let mut writer = index.writer(1).unwrap();
    Run::new(&inputs, &gate, 1)
        .filter(&filter, |outcome, _| {
            apply_outcome(&mut writer, &outcome).map(drop)
        })
        .unwrap();
    writer.commit().unwrap();
    drop(writer);
    let change = |bot: &str, forbidden: &str, date: Option<&str>| Change {
        url: "https://site.example/a".to_owned(),
        date: date.map(str::to_owned),
        bot: bot.to_owned(),
        forbidden: forbidden.split(',').map(str::to_owned).collect(),
        allowed: Vec::new(),
        why: std::collections::BTreeMap::new(),
    };
    let needing = |need: &str| {
        let search = index.search().unwrap();
        search
            .find(&Query::new("alpha OR beta").need(Uses::parse_names(need).unwrap()))
            .unwrap()
            .hits()
            .len()
    };
    let other = Purge::default()
        .change(&change("BarBot", "index", None))
        .run(&index, 1)
        .unwrap();
    assert_eq!(
        (other.removed_pages.len(), needing("train")),
        (0, 2),
        "another bot's"
    );
    let old = Purge::default()
        .change(&change("FooBot", "index", Some("1999-01-01T00:00:00Z")))
        .run(&index, 1)
        .unwrap();
    assert_eq!(
        (old.removed_pages.len(), old.outdated, needing("train")),
        (0, 1, 2),
        "older than the page"
    );
    let at = Some("2025-05-06T07:08:09Z");
    let purged = Purge::default()
        .change(&change("foobot", "archive,train", at))
        .run(&index, 1)
        .unwrap();
    assert_eq!(
        (
            purged.removed_pages.len(),
            purged.without_snapshot.len(),
            purged.restricted_pages.len()
        ),
        (0, 1, 1)
    );
    assert_eq!((needing("train"), needing("index")), (1, 2));
    let search = index.search().unwrap();
    assert!(
        !search.has_snapshot("https://site.example/a").unwrap()
            && search.has_snapshot("https://site.example/b").unwrap()
    );
    // An older capture that is indexed later takes nothing back; a later one does.
    let index_again = |date: &str| {
        let crawl = page_of("https://site.example/a", date, "<p>alpha");
        let inputs = opened(&write(home.path(), "again.warc", &crawl));
        let (gate, filter) = survey(
            &inputs,
            Filter::new(Bot::new("FooBot").unwrap()).snapshots(),
        )
        .unwrap();
        let mut writer = index.writer(1).unwrap();
        let take = |outcome: Outcome, _| apply_outcome(&mut writer, &outcome).map(drop);
        Run::new(&inputs, &gate, 1).filter(&filter, take).unwrap();
        writer.commit().unwrap();
    };
    index_again("2025-01-01T00:00:00Z");
    assert_eq!(
        (needing("train"), needing("index")),
        (1, 2),
        "an older capture"
    );
    index_again("2026-01-01T00:00:00Z");
    assert_eq!(
        (needing("train"), needing("index")),
        (2, 2),
        "a later capture"
    );
    let at = Some("2026-05-06T07:08:09Z");
    assert_eq!(
        Purge::default()
            .change(&change("foobot", "index", at))
            .run(&index, 1)
            .unwrap()
            .removed_pages
            .len(),
        1
    );
    index_again("2026-02-01T00:00:00Z");
    assert_eq!(
        needing("index"),
        1,
        "an older capture of a page that is gone"
    );
}

/// Compares masks by URL. If a URL has several captures of the latest date, a use that any of them
/// denies is denied. Dates are compared as times, not as text. Masks of different bots are an
/// error.
#[test]
fn a_difference_leaves_no_denial_out() {
    let answer = |date: &str, bot: &str, index: bool, train: bool| {
        let allow = format!(r#"{{"index":{index},"train":{train}}}"#);
        format!(
            r#"{{"file":"f{date}","unit":null,"at":null,"record":null,"url":"https://site.example/a","date":"{date}","kind":"page","reason":null,"digest":null,"law":1,"allow":{allow},"bots":[{{"bot":"{bot}","allow":{allow},"why":{{}},"parts":null}}]}}"#
        ) + "\n"
    };
    let forbidden = |new: &[String]| {
        let mut forbidden = Vec::new();
        let old = answer("2024-01-01T00:00:00Z", "FooBot", true, true);
        let take = |change: Change| {
            forbidden.extend(change.forbidden);
            Ok(())
        };
        MaskDifference::of_urls(old.as_bytes(), new.concat().as_bytes(), take).map(|_| forbidden)
    };
    let (day, later) = ("2024-02-01T00:00:00Z", "2024-02-01T00:00:00.5Z");
    let apart = [
        answer(day, "FooBot", true, false),
        answer(day, "FooBot", false, true),
    ];
    assert_eq!(forbidden(&apart).unwrap(), ["index", "train"]);
    let sooner = [
        answer(day, "FooBot", true, true),
        answer(later, "FooBot", false, true),
    ];
    assert_eq!(forbidden(&sooner).unwrap(), ["index"]);
    assert!(forbidden(&[answer(day, "BarBot", false, false)]).is_err());
}
