//! Tests of evidence. The log has each decision of an index or a mask, altered entries are
//! detected, and the log's feed updates copies of the index (docs/evidence.md).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use data_encoding::BASE64;
use heedful::{Bot, Conventions, Filter, Licence, Limits, Use, Uses};
use heedful_evidence::{
    Basis, CheckedProof, EntryKind, Growth, IndexEvidence, Log, Originals, Proof, SigningKey, Trust,
};
use heedful_index::{Gone, Index, Query};
use heedful_input::{Input, Inputs};
use heedful_run::mask::{MaskFile, MaskFormat, MaskQuestions};
use heedful_run::{
    Gate, GateRules, Purge, Run, apply_outcome, changes_since, survey_for_evidence, withdraw,
};
use serde_json::{Value, json};

use crate::support::made::{Chance, folder, line};

const SITE: &str = "https://site.example";
/// The day of the first crawl, in days since 1970.
const DAY: u64 = 20_000;

fn filter() -> Filter {
    Filter::new(Bot::new("FooBot").unwrap()).snapshots()
}

fn day(number: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs((DAY + number) * 86_400)
}

fn date(number: u64) -> String {
    jiff::Timestamp::try_from(day(number)).unwrap().to_string()
}

/// Writes the pages of a crawl to a file in JSON Lines, and opens this file as an input.
fn crawl(folder: &Path, lines: &[Value]) -> Vec<Input> {
    let path = folder.join("crawl.jsonl");
    fs::write(
        &path,
        lines
            .iter()
            .map(|line| line.to_string() + "\n")
            .collect::<String>(),
    )
    .unwrap();
    Inputs::default().open(&[path]).unwrap()
}

/// Adds the pages of a crawl to an index, as `heedful index` does.
fn index(index: &Index, inputs: &[Input], filter: Filter) {
    let (gate, filter) = survey_for_evidence(inputs, filter).unwrap();
    let (mut writer, before) = (index.writer(1).unwrap(), index.search().unwrap());
    Run::new(inputs, &gate, 2)
        .filter(&filter, |outcome, _| {
            apply_outcome(&mut writer, &outcome).map(drop)
        })
        .unwrap();
    withdraw(&gate, &filter, &before, &mut writer, 1).unwrap();
    writer.commit().unwrap();
}

fn checked(log: &Path, url: &str) -> CheckedProof {
    proof(log, url).check(&own_key(log)).unwrap()
}

fn proof(log: &Path, url: &str) -> Proof {
    Log::open(log).unwrap().prove(url).unwrap().unwrap()
}

fn found(log: &Path) -> (Option<u64>, Vec<String>) {
    match Log::open(log).and_then(|log| log.audit()) {
        Ok(audit) => (audit.first_bad, audit.found),
        Err(error) => (None, vec![error.to_string()]),
    }
}

fn is_whole(log: &Path) {
    assert_eq!(found(log), (None, Vec::new()));
}

/// Trust in the key of a log itself.
fn own_key(log: &Path) -> Trust {
    Trust::Key(Log::open(log).unwrap().key().unwrap())
}

/// Trust in the key of the operator.
fn operator() -> Trust {
    Trust::Key(key().public_cosigner())
}

/// Returns the paths of all files in a folder and its subfolders, except the lock.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
        } else if !path.ends_with("lock") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn key() -> SigningKey {
    SigningKey::read(&"07".repeat(32)).unwrap()
}

/// Creates an index of `pages` small pages with signed evidence in `folder`. Returns the path of
/// the evidence log.
fn made(folder: &Path, pages: usize) -> PathBuf {
    let (log, heads) = (
        folder.join("evidence"),
        [
            "",
            "<meta name=robots content=noarchive>",
            "<meta name=robots content=noai>",
        ],
    );
    let mut lines = vec![
        json!({ "url": format!("{SITE}/robots.txt"), "html": "User-agent: *\nDisallow: /7\n" }),
    ];
    let page = |number: usize| json!({ "url": format!("{SITE}/{number}"), "html": body(number, heads[number % 3]) });
    lines.extend((0..pages).map(page));
    let made = Index::create(folder.join("index"), &filter())
        .unwrap()
        .evidence(&log);
    index(&made, &crawl(folder, &lines), filter());
    Log::cosign(&log, &key(), day(1)).unwrap();
    log
}

fn body(number: usize, head: &str) -> String {
    format!("{head}<p>page {number}")
}

#[test]
fn each_decision_has_an_entry_that_says_why() {
    let folder = folder();
    let log = folder.path().join("evidence");
    let robots = "User-agent: *\nDisallow: /private\n";
    let lines = [
        json!({ "url": format!("{SITE}/robots.txt"), "html": robots }),
        json!({ "url": format!("{SITE}/a"), "html": "<p>one", "date": date(1), "headers": { "X-Robots-Tag": "noarchive", "Server": "x" } }),
        json!({ "url": format!("{SITE}/b"), "html": "<meta name=robots content=noindex><p>two" }),
        json!({ "url": format!("{SITE}/private/c"), "html": "<p>three" }),
        json!({ "url": format!("{SITE}/d"), "status": 404, "html": "" }),
    ];
    let made = Index::create(folder.path().join("index"), &filter())
        .unwrap()
        .evidence(&log);
    index(&made, &crawl(folder.path(), &lines), filter());
    is_whole(&log);
    let a = checked(&log, &format!("{SITE}/a"));
    assert_eq!(
        (a.kind, a.captured),
        (
            EntryKind::Page,
            Some(i64::try_from((DAY + 1) * 86_400).unwrap())
        )
    );
    assert!(a.bots[0].allow.allows(Use::Index) && !a.bots[0].allow.allows(Use::Archive));
    assert_eq!(a.files[0].digest.as_deref().unwrap().len(), 71);
    let text = extra(&proof(&log, &format!("{SITE}/a")));
    assert!(
        text.contains("x-robots-tag") && !text.contains("erver"),
        "{text}"
    );
    for (name, reason) in [
        ("b", "noindex"),
        ("private/c", "robots.txt"),
        ("d", "status 404"),
    ] {
        let checked = checked(&log, &format!("{SITE}/{name}"));
        assert_eq!(
            (checked.kind, checked.reason.as_deref()),
            (EntryKind::Gone, Some(reason))
        );
        assert!(!checked.bots[0].allow.allows(Use::Index));
    }
    // Takedowns, purges and removed copies are entries too.
    Purge::default()
        .url(&format!("{SITE}/a"))
        .unwrap()
        .why("asked by mail")
        .run(&made, 1)
        .unwrap();
    let gone = &Log::open(&log)
        .unwrap()
        .history(&format!("{SITE}/a"))
        .unwrap()[1];
    assert_eq!(
        (gone.kind, gone.reason.as_deref(), gone.why.as_deref()),
        (EntryKind::Gone, Some("removed"), Some("asked by mail"))
    );
    is_whole(&log);
    assert_eq!(
        Log::open(&log).unwrap().head(),
        &made.kept_evidence().unwrap().unwrap().0
    );
}

#[test]
fn a_page_is_judged_again_from_its_bytes_and_the_files_of_its_site() {
    let folder = folder();
    let log = folder.path().join("evidence");
    let robots = "User-agent: *\nDisallow: /private\nLicense: /rsl.xml\n";
    let licence = "<rsl xmlns='https://rslstandard.org/rsl'><content url='/l'><license><prohibits type='usage'>ai-train\
                   </prohibits></license></content></rsl>";
    let pages = [
        ("private/c", "<p>three", json!({})),
        ("l", "<p>licensed", json!({})),
        ("h", "<p>head", json!({ "X-Robots-Tag": "noai" })),
        (
            "m",
            "<meta name=robots content='noarchive, unavailable_after: 2030-01-01'><p>meta",
            json!({}),
        ),
    ];
    let mut lines = vec![json!({ "url": format!("{SITE}/robots.txt"), "html": robots })];
    lines.extend(
        pages
            .iter()
            .map(|(name, html, headers)| json!({ "url": format!("{SITE}/{name}"), "html": html, "headers": headers })),
    );
    let filter = filter()
        .now(day(9))
        .licences(move |_| Some(Licence::read(licence.as_bytes())));
    let made = Index::create(folder.path().join("index"), &filter)
        .unwrap()
        .evidence(&log);
    let inputs = crawl(folder.path(), &lines);
    let (gate, filter) = survey_for_evidence(&inputs, filter).unwrap();
    gate.originals().unwrap().keep_at("", licence.as_bytes());
    let mut writer = made.writer(1).unwrap();
    Run::new(&inputs, &gate, 1)
        .filter(&filter, |outcome, _| {
            apply_outcome(&mut writer, &outcome).map(drop)
        })
        .unwrap();
    writer.commit().unwrap();
    let files = [robots.as_bytes().to_vec(), licence.as_bytes().to_vec()];
    for (name, html, _) in &pages {
        let proof = proof(&log, &format!("{SITE}/{name}"));
        let judged = proof.judge(html.as_bytes(), &files).unwrap();
        assert!(
            judged.has_all_data && judged.undecided.is_empty() && judged.different.is_empty(),
            "{name}: {judged:?}"
        );
        assert_eq!(judged.equal.len(), Use::ALL.len(), "{name}");
        // Without the files, what rests on them is open, and nothing else.
        let judged = proof.judge(html.as_bytes(), &[]).unwrap();
        assert_eq!(
            judged.undecided.is_empty(),
            !["private/c", "l"].contains(name),
            "{name}: {judged:?}"
        );
        assert!(judged.different.is_empty());
        assert!(
            proof
                .judge(b"<p>other", &files)
                .unwrap_err()
                .to_string()
                .contains("another page")
        );
    }
    let proof = proof(&log, &format!("{SITE}/l"));
    let text = extra(&proof);
    let denied: CheckedProof = checked(&log, &format!("{SITE}/l"));
    assert!(!denied.bots[0].allow.allows(Use::Train), "{text}");
    // A proof that says otherwise does not hold.
    let lie = text.replacen("\"train\":false", "\"train\":true", 1);
    assert_ne!(lie, text);
    let encoded = |text: &str| BASE64.encode(text.as_bytes());
    let lie = proof.text().replace(&encoded(&text), &encoded(&lie));
    let lie = Proof::parse_all(&lie).unwrap().remove(0);
    assert!(lie.check(&own_key(&log)).is_err());
}

/// Returns what a proof says in its line `extra`: kind, salt and record.
fn extra(proof: &Proof) -> String {
    let text = proof.text();
    let line = text.lines().nth(1).unwrap().strip_prefix("extra ").unwrap();
    String::from_utf8(BASE64.decode(line.as_bytes()).unwrap()).unwrap()
}

#[test]
fn pages_with_their_own_robots_txt_keep_it_once() {
    let folder = folder();
    let log = folder.path().join("evidence");
    let page = |number: u64| json!({ "url": format!("{SITE}/{number}"), "html": "<p>one", "robots": "User-agent: *\nDisallow: /3", "robots_status": 200 });
    let made = Index::create(folder.path().join("index"), &filter())
        .unwrap()
        .evidence(&log);
    index(
        &made,
        &crawl(folder.path(), &(0..5).map(page).collect::<Vec<_>>()),
        filter(),
    );
    let audit = Log::open(&log).unwrap().audit().unwrap();
    assert_eq!((audit.found.len(), audit.files, audit.entries), (0, 1, 5));
    let checked = checked(&log, &format!("{SITE}/3"));
    assert_eq!(
        (checked.reason.as_deref(), checked.files[0].status),
        (Some("robots.txt"), Some(200))
    );
}

/// Each byte of a small log is altered, one at a time; each file is cut, lengthened, removed, and
/// swapped with each other one.
#[test]
fn whatever_byte_is_altered_is_found() {
    let folder = folder();
    let log = made(folder.path(), 6);
    Log::forget(&log, &[format!("{SITE}/3")]).unwrap();
    // Another commit, so that tiles of an earlier checkpoint are there too.
    let index = Index::open(folder.path().join("index")).unwrap();
    let mut writer = index.with_evidence().writer(1).unwrap();
    let page = filter().page(&format!("{SITE}/last"), &[], b"<p>last");
    writer.add(&page.unwrap()).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let files = files_in(&log);
    assert!(files.iter().any(|path| path.ends_with("tile/0/000.p/6")));
    let contents: Vec<_> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    let mut chance = Chance(11);
    let mut altered = 0;
    for (path, bytes) in files.iter().zip(&contents) {
        let name = path.display();
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1 << chance.below(8);
            fs::write(path, other).unwrap();
            assert!(!found(&log).1.is_empty(), "{name}, byte {at}");
            altered += 1;
        }
        let half = bytes[..bytes.len() / 2].to_vec();
        let longer = [bytes.as_slice(), b"\0"].concat();
        let twice = [bytes.as_slice(), bytes].concat();
        for other in [half, longer, twice, Vec::new()] {
            fs::write(path, other).unwrap();
            assert!(!found(&log).1.is_empty(), "{name} is cut or longer");
        }
        fs::remove_file(path).unwrap();
        // Nobody needs narrower tiles, nor says that there was a checkpoint with a cosignature.
        let is_narrower = path.starts_with(log.join("tile")) && path.ends_with("000.p/6");
        let is_needed = !path.ends_with("cosigned") && !is_narrower;
        assert_eq!(found(&log).1.is_empty(), !is_needed, "{name} is removed");
        fs::write(path, bytes).unwrap();
    }
    for one in 0..files.len() {
        for other in (0..files.len()).filter(|other| contents[*other] != contents[one]) {
            fs::write(&files[one], &contents[other]).unwrap();
            assert!(!found(&log).1.is_empty(), "{}", files[one].display());
        }
        fs::write(&files[one], &contents[one]).unwrap();
    }
    fs::write(log.join("added"), "x").unwrap();
    assert!(!found(&log).1.is_empty());
    fs::remove_file(log.join("added")).unwrap();
    is_whole(&log);
    assert!(altered > 3000, "{altered}");
}

/// In a log with full tiles, the first bad entry is named.
#[test]
fn the_first_entry_that_is_altered_is_named() {
    let folder = folder();
    let log = made(folder.path(), 600);
    let path = log.join("tile/entries/001");
    let bytes = fs::read(&path).unwrap();
    let mut chance = Chance(12);
    for number in 0..256 {
        let mut altered = bytes.clone();
        let at = number * bytes.len() / 256 + 2 + chance.below(bytes.len() / 256 - 2);
        altered[at] ^= 1 << chance.below(8);
        fs::write(&path, &altered).unwrap();
        let (first, told) = found(&log);
        assert!(
            first.is_some_and(|first| first >= 256 && first <= 256 + number as u64),
            "entry {number}: {told:?}"
        );
    }
    fs::write(&path, &bytes).unwrap();
    is_whole(&log);
}

#[test]
fn whatever_byte_of_a_proof_a_page_or_a_policy_is_altered_is_found() {
    let folder = folder();
    let log = made(folder.path(), 1000);
    let (whole, mut chance) = (Log::open(&log).unwrap(), Chance(12));
    let robots = b"User-agent: *\nDisallow: /7\n".to_vec();
    for number in 0..1000 {
        let proof = whole.prove(&format!("{SITE}/{number}")).unwrap().unwrap();
        let heads = [
            "",
            "<meta name=robots content=noarchive>",
            "<meta name=robots content=noai>",
        ];
        let mut page = body(number, heads[number % 3]).into_bytes();
        let at = chance.below(page.len());
        page[at] ^= 1 << chance.below(8);
        assert!(
            proof.judge(&page, std::slice::from_ref(&robots)).is_err(),
            "page {number}, byte {at}"
        );
        page[at] = body(number, heads[number % 3]).as_bytes()[at];
        let judged = proof.judge(&page, std::slice::from_ref(&robots)).unwrap();
        assert!(
            judged.has_all_data && judged.different.is_empty() && judged.undecided.is_empty(),
            "{number}: {judged:?}"
        );
        let mut altered = robots.clone();
        altered[chance.below(robots.len())] ^= 1 << chance.below(8);
        assert!(
            !proof.judge(&page, &[altered]).unwrap().has_all_data,
            "policy of {number}"
        );
        let mut text = proof.text().into_bytes();
        let at = chance.below(text.len());
        text[at] ^= 1 << chance.below(7);
        let accepted = String::from_utf8(text)
            .ok()
            .and_then(|text| Proof::parse_all(&text).ok())
            .is_some_and(|proofs| proofs.iter().all(|proof| proof.check(&operator()).is_ok()));
        // Only the signature of the log itself may be another one, for it is not asked for.
        let own = proof.text().find("\n\u{2014} heedful.evidence").unwrap();
        let end = proof.text().rfind("\n\u{2014} ").unwrap();
        assert!(
            !accepted || (own..end).contains(&at),
            "proof {number}, byte {at}"
        );
    }
}

#[test]
fn logs_that_are_cut_swapped_or_anothers_are_refused() {
    let folder = folder();
    let log = folder.path().join("evidence");
    let place = folder.path().join("index");
    let made = Index::create(&place, &filter()).unwrap().evidence(&log);
    let add = |name: &str, pages: u64| {
        let mut writer = made.writer(1).unwrap();
        for number in 0..pages {
            writer
                .add(
                    &filter()
                        .page(&format!("{SITE}/{name}{number}"), &[], b"<p>one")
                        .unwrap(),
                )
                .unwrap();
        }
        writer.commit().unwrap();
    };
    add("a", 40);
    let copy = folder.path().join("copy");
    copied(&log, &copy);
    add("b", 10);
    is_whole(&log);
    let again = Index::open(&place).unwrap().with_evidence();
    let refused = |index: &Index, expected: &str| {
        let told = index.writer(1).unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    };
    // An older copy in its place, none, and another's.
    refused(&again.clone().evidence(&copy), "000.p/50: No such file");
    refused(
        &again.clone().evidence(folder.path().join("none")),
        "say where that is with --evidence DIR",
    );
    let other = Index::create(folder.path().join("other"), &filter())
        .unwrap()
        .evidence(folder.path().join("others"));
    other.writer(1).unwrap().commit().unwrap();
    refused(
        &again.clone().evidence(folder.path().join("others")),
        "does not hold the log",
    );
    refused(
        &Index::create(folder.path().join("third"), &filter())
            .unwrap()
            .evidence(&log),
        "something else",
    );
    // The index of the past, with the log of today.
    let past = Index::create(folder.path().join("past"), &filter())
        .unwrap()
        .evidence(&copy);
    refused(&past, "something else");
    // Cut, swapped, gone.
    let [tile, entries] = ["tile/0/000.p/50", "tile/entries/000.p/50"].map(|name| log.join(name));
    let [tile_bytes, entry_bytes] = [&tile, &entries].map(|path| fs::read(path).unwrap());
    for (path, bytes, length) in [(&tile, &tile_bytes, 100), (&entries, &entry_bytes, 3000)] {
        fs::write(path, &bytes[..length]).unwrap();
        assert!(again.writer(1).is_err());
        fs::write(path, bytes).unwrap();
    }
    let swapped = [&tile_bytes[32..64], &tile_bytes[..32], &tile_bytes[64..]].concat();
    fs::write(&tile, swapped).unwrap();
    refused(&again, "do not lead to the root");
    fs::write(&tile, tile_bytes).unwrap();
    // New evidence is another log.
    let new = again.clone().new_evidence(folder.path().join("new"));
    let mut writer = new.writer(1).unwrap();
    writer
        .remove(&format!("{SITE}/a1"), Gone::Removed, "")
        .unwrap();
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(
        Log::open(folder.path().join("new")).unwrap().head().size(),
        1
    );
    is_whole(&log);
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copied(&path, &target);
        } else {
            assert!(fs::copy(&path, &target).is_ok());
        }
    }
}

#[test]
fn an_older_state_is_proven_to_be_the_beginning() {
    let folder = folder();
    let log = folder.path().join("evidence");
    let made = Index::create(folder.path().join("index"), &filter())
        .unwrap()
        .evidence(&log);
    let mut older = Vec::new();
    for size in [0, 1, 2, 255, 256, 257, 512, 600] {
        let mut writer = made.writer(1).unwrap();
        let before = older.last().map_or(0, |(size, _)| *size);
        for number in before..size {
            let page = filter().page(&format!("{SITE}/{number}"), &[], b"<p>one");
            writer.add(&page.unwrap()).unwrap();
        }
        writer.commit().unwrap();
        drop(writer);
        let checkpoint = fs::read_to_string(log.join("checkpoint")).unwrap();
        older.push((size, checkpoint));
    }
    let (whole, trust) = (Log::open(&log).unwrap(), own_key(&log));
    let proofs: Vec<_> = older
        .iter()
        .map(|(size, _)| whole.growth(*size).unwrap())
        .collect();
    for (at, proof) in proofs.iter().enumerate() {
        let read = Growth::parse(&proof.text()).unwrap();
        for (other, (_, checkpoint)) in older.iter().enumerate() {
            assert_eq!(read.check(checkpoint, &trust).is_ok(), at == other);
        }
        // A path that is altered, too short or too long.
        let text = proof.text();
        let lines: Vec<_> = text.lines().collect();
        let path = 1..lines.iter().position(|line| line.is_empty()).unwrap();
        for gone in path.clone() {
            let mut lines = lines.clone();
            lines.remove(gone);
            let text = lines.join("\n") + "\n";
            let growth = Growth::parse(&text).unwrap();
            assert!(growth.check(&older[at].1, &trust).is_err());
        }
        let mut lines = lines.clone();
        lines.insert(1, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
        let growth = Growth::parse(&(lines.join("\n") + "\n")).unwrap();
        assert!(growth.check(&older[at].1, &trust).is_err());
        assert!(read.check(&older[at].1, &operator()).is_err());
    }
    assert!(whole.growth(601).is_err());
}

#[test]
fn forgotten_pages_cannot_be_found_and_all_else_holds() {
    let folder = folder();
    let log = made(folder.path(), 300);
    let (mine, other) = (format!("{SITE}/5"), format!("{SITE}/6"));
    let [before, kept] = [&mine, &other].map(|url| proof(&log, url));
    assert_eq!(Log::forget(&log, std::slice::from_ref(&mine)).unwrap(), 1);
    assert_eq!(Log::forget(&log, std::slice::from_ref(&mine)).unwrap(), 0);
    let whole = Log::open(&log).unwrap();
    assert!(whole.prove(&mine).unwrap().is_none() && whole.history(&mine).unwrap().is_empty());
    assert_eq!(whole.prove(&other).unwrap().unwrap(), kept);
    assert_eq!(whole.audit().unwrap().forgotten, 1);
    is_whole(&log);
    assert!(before.check(&operator()).is_ok());
    // The index continues to use the log.
    let index = Index::open(folder.path().join("index")).unwrap();
    let told = index.writer(1).unwrap_err().to_string();
    assert!(told.contains("is not written without it"), "{told}");
    let mut writer = index.with_evidence().writer(1).unwrap();
    writer
        .add(&filter().page(&mine, &[], b"<p>again").unwrap())
        .unwrap();
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(Log::open(&log).unwrap().history(&mine).unwrap().len(), 1);
    is_whole(&log);
}

#[test]
fn a_mask_leaves_an_entry_for_each_answer_and_bot() {
    let folder = folder();
    let log = folder.path().join("evidence");
    let lines = [
        line(
            &format!("{SITE}/a"),
            "<p>one<meta name=robots content=noai>",
        ),
        b"{ broken\n".to_vec(),
        line(
            &format!("{SITE}/b"),
            "<meta name=gptbot content=noindex><p>two",
        ),
        line(
            &format!("{SITE}/robots.txt"),
            "User-agent: BarBot\nDisallow: /b\n",
        ),
    ];
    let path = folder.path().join("crawl.jsonl");
    fs::write(&path, lines.concat()).unwrap();
    let bots = ["FooBot", "BarBot", "GPTBot"]
        .map(|name| Bot::new(name).unwrap())
        .to_vec();
    let filter = Filter::for_bots(bots)
        .unwrap()
        .conventions(Conventions::parse("all").unwrap());
    for round in 1..=2 {
        let inputs = Inputs::default().each_record().open(&[&path]).unwrap();
        let (gate, filter) = survey_for_evidence(&inputs, filter.clone()).unwrap();
        let asking = MaskQuestions::new(Uses::parse_names("index,train").unwrap(), &filter);
        let out = folder.path().join(format!("{round}.jsonl"));
        let (mask, _) =
            MaskFile::begin(&out, MaskFormat::from_path(&out), &asking, "", false).unwrap();
        let mut mask = mask.evidence(&log, &filter).unwrap();
        let work = |document: &_, at: GateRules<'_>| asking.page(document, &at, &filter);
        Run::new(&inputs, &gate, 1)
            .each(work, |outcome, cursor| {
                mask.add(asking.answer(outcome), || cursor.keep(&inputs))
            })
            .unwrap();
        mask.finish().unwrap();
        is_whole(&log);
        assert_eq!(Log::open(&log).unwrap().head().size(), 2 * round);
    }
    let b = checked(&log, &format!("{SITE}/b"));
    let allowed: Vec<_> = b
        .bots
        .iter()
        .map(|bot| (bot.bot.as_str(), bot.allow.allows(Use::Index)))
        .collect();
    assert_eq!(
        allowed,
        [("FooBot", true), ("BarBot", false), ("GPTBot", false)]
    );
    let judged = proof(&log, &format!("{SITE}/b"))
        .judge(
            b"<meta name=gptbot content=noindex><p>two",
            &[b"User-agent: BarBot\nDisallow: /b\n".to_vec()],
        )
        .unwrap();
    assert_eq!(
        (
            judged.equal.len(),
            judged.undecided.len(),
            judged.different.len()
        ),
        (6, 0, 0)
    );
    // An index does not write into the log of masks, nor masks into that of an index.
    let one = Filter::new(Bot::new("FooBot").unwrap());
    let index = Index::create(folder.path().join("index"), &one)
        .unwrap()
        .evidence(&log);
    assert!(
        index
            .writer(1)
            .unwrap_err()
            .to_string()
            .contains("something else")
    );
}

/// Returns the content of an index that is a copy. Maps each URL to its allowed uses, and to true
/// if it has a snapshot.
fn held(index: &Index) -> BTreeMap<String, (Vec<Use>, bool)> {
    let search = index.search().unwrap();
    let mut held = BTreeMap::new();
    for url in search.urls().unwrap() {
        held.insert(
            url.clone(),
            (Vec::new(), search.has_snapshot(&url).unwrap()),
        );
    }
    for usage in [Use::Input, Use::Train, Use::Translate, Use::Image] {
        let query = Query::new("word")
            .need(Uses::parse_names(usage.name()).unwrap())
            .most(1000);
        for hit in search.find(&query).unwrap().hits() {
            held.get_mut(hit.url()).unwrap().0.push(usage);
        }
    }
    held
}

/// Returns a random record of a crawl about page `number` at the time `at`: a page, an unmodified
/// page, or the page's absence.
fn today(chance: &mut Chance, number: usize, at: u64) -> Value {
    let words = [
        "noindex",
        "noarchive",
        "noai",
        "notranslate",
        "noimageindex",
        "all",
        "all",
        "all",
    ];
    let url = format!("{SITE}/{}/{number}", number % 4);
    match chance.below(8) {
        0 => json!({ "url": url, "status": 404, "html": "", "date": date(at) }),
        1 => {
            json!({ "url": url, "status": 304, "html": "", "date": date(at), "headers": { "X-Robots-Tag": words[chance.below(8)] } })
        }
        _ => {
            let head = format!("<meta name=robots content='{}'>", words[chance.below(8)]);
            json!({ "url": url, "html": format!("{head}<p>word {number}"), "date": date(at) })
        }
    }
}

#[test]
fn a_copy_is_brought_level_by_the_feed_as_if_it_were_built_anew() {
    for seed in 1..=6 {
        let (folder, mut chance) = (folder(), Chance(seed));
        let (log, place) = (folder.path().join("evidence"), folder.path().join("index"));
        let made = Index::create(&place, &filter()).unwrap().evidence(&log);
        let first: Vec<_> = (0..60)
            .map(|number| json!({ "url": format!("{SITE}/{}/{number}", number % 4), "html": format!("<p>word {number}"), "date": date(0) }))
            .collect();
        index(&made, &crawl(folder.path(), &first), filter());
        let since = Log::open(&log).unwrap().head().size();
        let copy = folder.path().join("copy");
        copied(&place, &copy);
        // Two months: recrawls, a new robots.txt, takedowns.
        for week in 1..=8 {
            let mut lines = Vec::new();
            if chance.below(3) == 0 {
                let rule = format!("User-agent: *\nDisallow: /{}/\n", chance.below(4));
                lines.push(json!({ "url": format!("{SITE}/robots.txt"), "html": rule, "date": date(7 * week) }));
            }
            for _ in 0..12 {
                let number = chance.below(70);
                lines.push(today(&mut chance, number, 7 * week));
            }
            index(&made, &crawl(folder.path(), &lines), filter());
            let number = chance.below(60);
            Purge::default()
                .url(&format!("{SITE}/{}/{number}", number % 4))
                .unwrap()
                .run(&made, 1)
                .unwrap();
        }
        is_whole(&log);
        let opened = Log::open(&log).unwrap();
        let search = made.search().unwrap();
        let known = search
            .urls()
            .unwrap()
            .into_iter()
            .chain(search.tombstone_urls().unwrap());
        let changes = known.flat_map(|url| changes_since(&opened, since, &url).unwrap());
        // The copy has no log: it was handed on without one.
        let copy = Index::open(&copy)
            .unwrap()
            .new_evidence(folder.path().join("copys"));
        let purge = changes.fold(Purge::default(), |purge, change| purge.change(&change));
        purge.run(&copy, 1).unwrap();
        let (mut expected, found) = (held(&made), held(&copy));
        // A page that the copy never had is not added to it.
        expected.retain(|url, _| first.iter().any(|line| line["url"] == url.as_str()));
        assert!(
            found.len() > 5 && found.len() < 60,
            "{seed}: {}",
            found.len()
        );
        assert_eq!(found, expected, "{seed}");
    }
}

#[test]
fn a_basis_of_ones_own_is_kept_with_the_decision() {
    let folder = folder();
    let log = folder.path().join("evidence");
    let index = Index::create(folder.path().join("index"), &filter())
        .unwrap()
        .evidence(&log);
    let originals = Originals::new(&Limits::default());
    let page = filter().page(&format!("{SITE}/a"), &[], b"<p>one").unwrap();
    let head = [("X-Robots-Tag".to_owned(), "all".to_owned())];
    let mut writer = index.writer(1).unwrap();
    let basis = Basis::new(
        Some(heedful_evidence::PageDigest::new(b"<p>one")),
        &head,
        Vec::new(),
    )
    .kept_in(&originals);
    writer
        .with_basis(basis, |writer| writer.add(&page))
        .unwrap();
    writer
        .add(&filter().page(&format!("{SITE}/b"), &[], b"<p>two").unwrap())
        .unwrap();
    writer.commit().unwrap();
    let judged = proof(&log, &format!("{SITE}/a"))
        .judge(b"<p>one", &[])
        .unwrap();
    assert_eq!(judged.equal.len(), Use::ALL.len());
    assert_eq!(checked(&log, &format!("{SITE}/b")).page, None);
    assert!(Gate::default().originals().is_none());
}
