//! An interrupted run that is resumed has the same result as a run that was not interrupted.
//!
//! One test uses the library. For each record of an input, it resumes reading after that record,
//! and gets exactly the records that follow. The other tests use the program: they end runs by
//! Ctrl-C and by SIGKILL at random moments, and resume them until they are done. Then pages, anchor
//! texts, gone URLs and snapshots equal those of one uninterrupted run. After Ctrl-C no record is
//! read twice.
//!
//! The environment variable `HEEDFUL_KILLS` sets the number of interruptions of each run (default
//! 2); with a larger number, the tests use all kinds of inputs. `HEEDFUL_SEED` chooses the moments.

#![cfg(unix)]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use heedful_index::Index;
use heedful_input::{Input, Inputs};
use heedful_run::{Cursor, Gate, Outcome, Run};
use tempfile::TempDir;

use crate::support::made::{
    self, Chance, arc, arc_start, folder, gz, http, packed_each, warc, write, zst,
};

const SITE: &str = "https://site.example";
const RECORDS: usize = 200;
const COMMIT_EVERY: usize = 17;
/// Default number of interruptions of a run, if `HEEDFUL_KILLS` is not set.
const KILLS: usize = 2;

fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// A page or error in an input. Several records may have the same URL.
struct Record {
    url: String,
    status: u16,
    html: String,
}

impl Record {
    fn new(number: usize, chance: &mut Chance) -> Self {
        let number = if chance.below(4) == 0 {
            chance.below(number + 1)
        } else {
            number
        };
        let status = if chance.below(8) == 0 { 404 } else { 200 };
        let robots = if chance.below(8) == 0 {
            "<meta name=robots content=noindex>"
        } else {
            ""
        };
        let (to, words, name) = (
            chance.below(number + 2),
            5 + chance.below(60),
            chance.words(2),
        );
        let text = chance.words(words);
        let html = format!(
            "<!doctype html>{robots}<title>n{number}</title>\n<p>{text}\n<p><a href=/n{to}>{name}</a>\n"
        );
        Self {
            url: format!("{SITE}/n{number}"),
            status,
            html,
        }
    }

    fn content(&self) -> Vec<u8> {
        http(
            &format!("{} Said\r\nContent-Type: text/html", self.status),
            self.html.as_bytes(),
        )
    }

    fn warc(&self) -> Vec<u8> {
        warc("response", &self.url, "", &self.content())
    }

    fn arc(&self) -> Vec<u8> {
        arc(&self.url, &self.content())
    }

    fn line(&self) -> Vec<u8> {
        let json = serde_json::json!({"url": self.url, "status": self.status, "html": self.html});
        format!("{json}\n").into_bytes()
    }
}

fn records(seed: u64, count: usize) -> Vec<Record> {
    let mut chance = Chance(seed);
    (0..count)
        .map(|number| Record::new(number, &mut chance))
        .collect()
}

fn warcs(records: &[Record]) -> Vec<Vec<u8>> {
    let rules = made::robots(SITE, "User-agent: *\nDisallow: /n7\n");
    // The robots.txt counts at any place, even after an interruption.
    let mut warcs: Vec<_> = records.iter().map(Record::warc).collect();
    warcs.push(rules);
    warcs
}

fn lines(records: &[Record]) -> Vec<Vec<u8>> {
    records.iter().map(Record::line).collect()
}

/// Compresses records to a gzip file, with several records in each member.
fn members(records: &[Vec<u8>]) -> Vec<u8> {
    records
        .chunks(9)
        .flat_map(|some| gz(&some.concat()))
        .collect()
}

fn damaged(mut bytes: Vec<u8>) -> Vec<u8> {
    for part in 1..6 {
        let at = bytes.len() * part / 6;
        bytes[at] ^= 0x5A;
    }
    bytes
}

/// An input of a run: its folder, further arguments that it needs, and its path.
struct Given {
    folder: TempDir,
    arguments: Vec<String>,
    path: PathBuf,
}

impl Given {
    fn file(name: &str, bytes: &[u8]) -> Self {
        let folder = folder();
        let path = write(folder.path(), name, bytes);
        Self {
            folder,
            arguments: Vec::new(),
            path,
        }
    }

    fn site(records: &[Record]) -> Self {
        let folder = folder();
        let root = folder.path().join("site");
        site(&root, records);
        Self {
            folder,
            arguments: vec!["--url".to_owned(), format!("{SITE}/")],
            path: root,
        }
    }

    /// Writes a manifest that lists inputs of several kinds.
    fn manifest(count: usize) -> Self {
        let folder = folder();
        let some = |seed| records(seed, count / 4);
        write(
            folder.path(),
            "a.warc.gz",
            &packed_each(&warcs(&some(1)), gz),
        );
        write(folder.path(), "b.jsonl", &lines(&some(2)).concat());
        let arcs: Vec<_> = std::iter::once(arc_start(1))
            .chain(some(3).iter().map(Record::arc))
            .collect();
        write(folder.path(), "c.arc", &arcs.concat());
        site(&folder.path().join("site"), &some(4));
        let list = "a.warc.gz\nb.jsonl\nmissing.warc\nc.arc\nsite\thttps://other.example/\n";
        let path = format!(
            "@{}",
            write(folder.path(), "list.txt", list.as_bytes()).display()
        )
        .into();
        Self {
            folder,
            arguments: Vec::new(),
            path,
        }
    }

    fn inputs(&self) -> Vec<Input> {
        let url = self.arguments.get(1).map(|url| url.parse().unwrap());
        Inputs::default().url(url).open(&[&self.path]).unwrap()
    }
}

/// Writes a site of these records. The order of its files by path differs from their order by name.
fn site(root: &Path, records: &[Record]) {
    write(root, "robots.txt", b"User-agent: *\nDisallow: /n1/\n");
    for (number, record) in records.iter().enumerate() {
        let group = number % 10;
        let name = match number % 3 {
            0 => format!("n{group}/p{number}.html"),
            1 => format!("n{group}-p{number}.html"),
            _ => format!("n{group}.{number}.html"),
        };
        write(root, &name, record.html.as_bytes());
    }
}

fn kinds(count: usize) -> Vec<(&'static str, Given)> {
    let records = records(1, count);
    let (warcs, lines) = (warcs(&records), lines(&records));
    vec![
        ("a plain WARC", Given::file("a.warc", &warcs.concat())),
        (
            "a WARC in gzip",
            Given::file("a.warc.gz", &packed_each(&warcs, gz)),
        ),
        (
            "a WARC in one member",
            Given::file("a.warc.gz", &gz(&warcs.concat())),
        ),
        (
            "a WARC in members",
            Given::file("a.warc.gz", &members(&warcs)),
        ),
        (
            "a WARC in zstd",
            Given::file("a.warc.zst", &packed_each(&warcs, zst)),
        ),
        (
            "a WARC in one frame",
            Given::file("a.warc.zst", &zst(&warcs.concat())),
        ),
        ("JSON Lines", Given::file("a.jsonl", &lines.concat())),
        (
            "JSON Lines in gzip",
            Given::file("a.jsonl.gz", &gz(&lines.concat())),
        ),
        (
            "JSON Lines in members",
            Given::file("a.jsonl.gz", &members(&lines)),
        ),
        (
            "JSON Lines in zstd",
            Given::file("a.jsonl.zst", &zst(&lines.concat())),
        ),
        ("a site", Given::site(&records)),
        ("a manifest", Given::manifest(count)),
        (
            "a damaged WARC",
            Given::file("a.warc", &damaged(warcs.concat())),
        ),
        (
            "a damaged WARC in members",
            Given::file("a.warc.gz", &damaged(members(&warcs))),
        ),
        (
            "a damaged WARC in one member",
            Given::file("a.warc.gz", &damaged(gz(&warcs.concat()))),
        ),
        (
            "damaged JSON Lines in members",
            Given::file("a.jsonl.gz", &damaged(members(&lines))),
        ),
        (
            "damaged JSON Lines in zstd",
            Given::file("a.jsonl.zst", &damaged(packed_each(&lines, zst))),
        ),
    ]
}

/// Reads all records of the inputs after the cursor `from`. Returns each record as text, with the
/// cursor after it in the form that an index stores.
fn come(inputs: &[Input], from: Cursor) -> Vec<(String, String)> {
    let gate = Gate::from_inputs(inputs).unwrap();
    let mut come = Vec::new();
    let hash = |bytes: &[u8]| {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        hasher.finish()
    };
    let run = Run::new(inputs, &gate, 2).starting_at(from);
    run.each(
        |document, _| Ok(format!("{} {:x}", document.url(), hash(document.bytes()))),
        |outcome, behind| {
            let what = match outcome {
                Outcome::Pages(page) => page,
                Outcome::Damage(damage) => format!("damage: {damage}"),
                other => format!("{other:?}"),
            };
            come.push((what, behind.keep(inputs).unwrap()));
            Ok(())
        },
    )
    .unwrap();
    come
}

#[test]
fn a_run_goes_on_behind_every_record() {
    for (kind, given) in kinds(24) {
        let inputs = given.inputs();
        let all = come(&inputs, Cursor::default());
        assert!(
            all.len()
                >= if kind.starts_with("damaged") || kind.starts_with("a damaged") {
                    2
                } else {
                    15
                },
            "{kind}: {all:#?}"
        );
        for (number, (_, behind)) in all.iter().enumerate() {
            let cursor = Cursor::resume(behind, &inputs).unwrap();
            let place = cursor.place(&inputs);
            let rest = come(&inputs, cursor);
            let (rest, damage) = split(&rest);
            let (expected, told) = split(&all[number + 1..]);
            assert_eq!(rest, expected, "{kind}: behind {number}, {place}");
            // Damage that is reached from another place is reported again.
            assert!(
                damage.ends_with(&told),
                "{kind}: behind {number}, {place}: {damage:?} and not {told:?}"
            );
        }
    }
}

/// Splits what [`come`] has read into records and damage, both as text.
fn split(come: &[(String, String)]) -> (Vec<&str>, Vec<&str>) {
    let (damage, rest) = come
        .iter()
        .map(|(what, _)| what.as_str())
        .partition(|what| what.starts_with("damage: "));
    (rest, damage)
}

/// Reading a folder can be resumed after every record, even if the names of its files are not
/// UTF-8.
#[test]
fn a_folder_with_old_names_is_gone_on_from_everywhere() {
    let folder = folder();
    for name in [
        &b"a.html"[..],
        b"x\x80.html",
        b"x\xE8.html",
        b"x\xE9.html",
        b"x\xFF.html",
        b"z.html",
    ] {
        let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, format!("<p>{name:?}")).unwrap();
    }
    let inputs = Inputs::default()
        .url(Some(format!("{SITE}/").parse().unwrap()))
        .open(&[folder.path()])
        .unwrap();
    let all = come(&inputs, Cursor::default());
    assert_eq!(all.len(), 6);
    for (number, (_, behind)) in all.iter().enumerate() {
        let rest = come(&inputs, Cursor::resume(behind, &inputs).unwrap());
        // No file is skipped, but files with such names may be read twice.
        assert!(
            rest.ends_with(&all[number + 1..]),
            "behind {number}: {rest:?}"
        );
    }
}

fn heedful(given: &Given, index: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
    command.args([
        "index",
        "--snapshot",
        "-j",
        "2",
        "--commit-every",
        &COMMIT_EVERY.to_string(),
        "-o",
    ]);
    command
        .arg(index)
        .args(more)
        .args(&given.arguments)
        .arg(&given.path);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn done(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let told = error_text(&output);
    assert_eq!(output.status.code(), Some(status_of_done(&told)), "{told}");
    told
}

/// Returns the exit status of a complete run with the messages `told`: 2 if a manifest lists a
/// missing file, otherwise 0.
fn status_of_done(told: &str) -> i32 {
    if told.contains("missing.warc: No such file") {
        2
    } else {
        0
    }
}

fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The whole contents of an intact index: pages with their snapshots, gone URLs, and anchor texts.
#[derive(Debug, PartialEq)]
struct Contents {
    pages: Vec<(String, Option<String>)>,
    gone: Vec<String>,
    anchors: Vec<[String; 3]>,
    counts: [u64; 4],
}

impl Contents {
    fn of(folder: &Path) -> Self {
        let index = Index::open(folder).unwrap();
        assert_eq!(index.check().unwrap(), [""; 0]);
        let (search, stats) = (index.search().unwrap(), index.stats().unwrap());
        let page = |url: String| (url.clone(), search.snapshot(&url, None).unwrap());
        let anchors = search.anchors().unwrap();
        Self {
            pages: search.urls().unwrap().into_iter().map(page).collect(),
            gone: search.tombstone_urls().unwrap(),
            anchors: anchors
                .iter()
                .map(|a| [a.source(), a.target(), a.text()].map(str::to_owned))
                .collect(),
            counts: [
                stats.pages(),
                stats.tombstones(),
                stats.anchors(),
                stats.snapshots(),
            ],
        }
    }

    fn assert_same(&self, clean: &Self, what: &str) {
        assert_eq!(
            self.counts, clean.counts,
            "{what}: pages, gone, names, snapshots"
        );
        assert!(self == clean, "{what}: {self:#?} and not {clean:#?}");
    }
}

/// Returns the number of records that a run counted in its messages `told`. Damage is not included,
/// since a resumed run may report it again.
fn counted(told: &str) -> u64 {
    let number = |behind: &str| {
        let at = told.find(behind)?;
        told[..at]
            .rsplit(|c: char| !c.is_ascii_digit())
            .next()?
            .parse::<u64>()
            .ok()
    };
    [" page, ", " pages, ", " without status 2xx", " not HTML"]
        .iter()
        .filter_map(|behind| number(behind))
        .sum()
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// Returns the text after `word` in the messages `told`, to the end of the line. That text is the
/// position of a record.
fn place<'a>(told: &'a str, word: &str) -> Option<&'a str> {
    told.lines()
        .find_map(|line| line.split_once(word))
        .map(|(_, place)| place)
}

/// Interrupts a run by `kill` and resumes it, until the run is done. Returns the number of records
/// that the run counted over all resumptions, and the number of interruptions.
fn broken_off(
    given: &Given,
    index: &Path,
    time: Duration,
    chance: &mut Chance,
    kill: fn(&mut Child),
) -> (u64, usize) {
    let (mut records, mut breaks) = (0, 0);
    let mut expected: Option<String> = None;
    for _ in 0..setting("HEEDFUL_KILLS", KILLS) {
        let mut child = heedful(given, index, &["--resume"]).spawn().unwrap();
        let most = usize::try_from(time.as_micros()).unwrap() * 2 / 3;
        sleep(Duration::from_micros(
            chance.below(most).try_into().unwrap(),
        ));
        if child.try_wait().unwrap().is_none() {
            kill(&mut child);
        }
        let output = child.wait_with_output().unwrap();
        let told = error_text(&output);
        records += counted(&told);
        let is_done = output.status.code() == Some(status_of_done(&told));
        assert!(
            is_done || matches!(output.status.code(), None | Some(130)),
            "{:?}: {told}",
            output.status
        );
        if let (Some(expected), Some(_)) = (&expected, output.status.code()) {
            assert_eq!(
                place(&told, "resumed at "),
                Some(expected.as_str()),
                "{told}"
            );
        }
        breaks += usize::from(!is_done);
        match output.status.code() {
            Some(130) => {
                let place = place(&told, "--resume continues at ");
                expected = Some(place.unwrap_or_else(|| panic!("{told}")).to_owned());
                // A run that is resumed at the beginning of its input reports no place.
                expected = expected.filter(|place| !place.ends_with(" at byte 0"));
            }
            Some(_) => break,
            // The run was ended before it handled signals, or killed: the place to resume at is
            // unknown.
            None => expected = None,
        }
    }
    let told = done(&mut heedful(given, index, &["--resume"]));
    (records + counted(&told), breaks)
}

fn breaks(kinds: Vec<(&str, Given)>) {
    let mut chance = Chance(setting("HEEDFUL_SEED", 1) as u64);
    for (kind, given) in kinds {
        let [clean, interrupted, killed] =
            ["clean", "interrupted", "killed"].map(|name| given.folder.path().join(name));
        let started = Instant::now();
        let told = done(&mut heedful(&given, &clean, &[]));
        let time = started.elapsed();
        let clean = Contents::of(&clean);
        assert!(
            clean.pages.len() > 10 && !clean.gone.is_empty() && !clean.anchors.is_empty(),
            "{kind}: {clean:#?}"
        );

        let (records, _) = broken_off(&given, &interrupted, time, &mut chance, |child| {
            interrupt(child);
        });
        Contents::of(&interrupted).assert_same(&clean, &format!("{kind}, after Ctrl-C"));
        assert_eq!(records, counted(&told), "{kind}: records that were read");

        broken_off(&given, &killed, time, &mut chance, |child| {
            child.kill().unwrap();
        });
        Contents::of(&killed).assert_same(&clean, &format!("{kind}, after SIGKILL"));
        let told = done(&mut heedful(&given, &killed, &["--resume"]));
        assert!(told.contains("nothing to resume"), "{kind}: {told}");
        Contents::of(&killed).assert_same(&clean, &format!("{kind}, with nothing to resume"));
    }
}

/// Returns half of the kinds of inputs, so that two tests share the work; `which` chooses the half.
/// Only one of several similar kinds is returned, unless `HEEDFUL_KILLS` is larger than its
/// default.
fn half(which: usize) -> Vec<(&'static str, Given)> {
    let alike = [
        "a WARC in members",
        "a WARC in one frame",
        "JSON Lines in members",
        "JSON Lines in zstd",
    ];
    let is_short = setting("HEEDFUL_KILLS", KILLS) <= KILLS;
    let is_left_out = |kind: &str| {
        is_short
            && (alike.contains(&kind)
                || kind.contains("amaged") && !kind.ends_with("WARC in members"))
    };
    let kinds = kinds(RECORDS)
        .into_iter()
        .filter(|(kind, _)| !is_left_out(kind))
        .enumerate();
    kinds
        .filter(|(number, _)| number % 2 == which)
        .map(|(_, kind)| kind)
        .collect()
}

#[test]
fn a_run_that_is_broken_off_ends_like_a_clean_one() {
    breaks(half(0));
}

#[test]
fn a_run_that_is_broken_off_ends_like_a_clean_one_of_other_kinds() {
    breaks(half(1));
}

/// If a long run is interrupted by Ctrl-C, the program reports it, commits the pages read so far,
/// and prints the position from which to resume.
#[test]
fn ctrl_c_commits_what_was_read() {
    let given = Given::file("a.warc.gz", &packed_each(&warcs(&records(1, 700)), gz));
    let index = given.folder.path().join("index");
    let mut child = heedful(&given, &index, &[]).spawn().unwrap();
    let has_pages = || {
        Index::open(&index)
            .and_then(|index| index.stats())
            .is_ok_and(|stats| stats.pages() > 0)
    };
    while !has_pages() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(5));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    let told = error_text(&output);
    assert_eq!(output.status.code(), Some(130), "{told}");
    let place = place(&told, "--resume continues at ").unwrap().to_owned();
    assert!(
        place.contains("a.warc.gz at ") && place.contains(" byte "),
        "{place}"
    );
    let read = counted(&told);
    let pages = Contents::of(&index).pages.len() as u64;
    assert!(pages > 0 && pages <= read, "{pages} of {read}");

    let other = Given::file("b.warc.gz", &packed_each(&warcs(&records(2, 10)), gz));
    let refused = heedful(&other, &index, &["--resume"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        error_text(&refused).contains("the run to resume was interrupted in"),
        "{}",
        error_text(&refused)
    );
    let mut before = heedful(&given, &index, &["--resume"]);
    let before = before.arg(&other.path).arg(&given.path);
    // A run over the same first input and more inputs is resumed (`before`). If the first input
    // differs, the run is refused.
    let mut swapped = Command::new(env!("CARGO_BIN_EXE_heedful"));
    swapped
        .args(["index", "--resume", "-o"])
        .arg(&index)
        .arg(&other.path)
        .arg(&given.path);
    let refused = swapped.output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", error_text(&refused));
    let resumed = done(before);
    assert!(
        resumed.contains(&format!("resumed at {place}")),
        "{resumed}"
    );
    assert!(!resumed.contains("nothing to resume"), "{resumed}");
}

#[test]
fn a_resumed_run_over_nothing_begins() {
    let given = Given::file("a.jsonl", &lines(&records(1, 30)).concat());
    let [resumed, plain] = ["resumed", "plain"].map(|name| given.folder.path().join(name));
    let told = done(&mut heedful(&given, &resumed, &["--resume"]));
    assert!(!told.contains("resumed at"), "{told}");
    done(&mut heedful(&given, &plain, &[]));
    Contents::of(&resumed).assert_same(&Contents::of(&plain), "begun by --resume");
    // The last run over other inputs was complete, so this run starts at the beginning.
    let other = Given::file("b.jsonl", &lines(&records(2, 30)).concat());
    let told = done(&mut heedful(&other, &resumed, &["--resume"]));
    assert!(
        told.contains(" pages, ") && !told.contains("nothing to resume"),
        "{told}"
    );
    done(&mut heedful(&other, &plain, &[]));
    Contents::of(&resumed).assert_same(&Contents::of(&plain), "another run");
    // Without --resume all records are read again, and the index has no duplicates.
    let told = done(&mut heedful(&other, &resumed, &[]));
    assert_eq!(counted(&told), 30, "{told}");
    Contents::of(&resumed).assert_same(&Contents::of(&plain), "read again");
}
