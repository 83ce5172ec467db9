//! A killed `heedful index` leaves an intact index, and the next run has the same result as if no
//! run had been killed.
//!
//! The tests end `heedful index` by SIGKILL at random moments. After each kill the folder must have
//! an intact index: the previous state plus some number of complete commits of a hundred records
//! each. The pages, anchor texts, snapshots and gone URLs of a commit are all there, or none of
//! them. The test computes the expected state from the records, by docs/semantics.md, section 7.
//! Sometimes a compaction is killed too, which must change nothing.
//!
//! The environment variable `HEEDFUL_KILLS` sets the number of kills (default 10), `HEEDFUL_SEED`
//! chooses the moments. If the test fails, the folder of the index is not deleted. The writes of a
//! killed program survive in the memory of the system, so the loss at a power cut is not tested
//! here.

#![cfg(unix)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use heedful_index::Index;
use tempfile::TempDir;

const HOSTS: u64 = 40;
const URLS: u64 = 2000;
/// Half of the repeated pages are chosen from this number of newest pages.
const SOON: u64 = 50;
const COMMIT_EVERY: usize = 100;
/// Of this number of kills, one hits a run that begins without an index. Another one is followed by
/// the kill of a compaction, if the index is then not empty.
const SOMETIMES: usize = 4;

const WORDS: &[&str] = &[
    "rye", "bread", "oven", "salt", "crust", "flour", "water", "starter", "loaf", "tin", "peel",
    "stone", "ember", "dough", "spelt", "barley", "market", "morning", "baker", "mill", "sack",
    "ladle", "proof", "crumb", "seed", "apron",
];

/// A generator of random numbers from a seed (splitmix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % most
    }

    fn words(&mut self, number: u64) -> String {
        let mut word = || WORDS[usize::try_from(self.below(WORDS.len() as u64)).unwrap()];
        (0..number).map(|_| word()).collect::<Vec<_>>().join(" ")
    }

    /// Returns a random moment in a run of the duration `time`. Half of the moments are in its
    /// first eighth. After an early kill, the first commit of the next run has the same records as
    /// that of the killed run. So that commit must cope with everything that the killed run left.
    fn moment(&mut self, time: Duration) -> Duration {
        let time = if self.below(2) == 0 { time / 8 } else { time };
        Duration::from_micros(self.below(u64::try_from(time.as_micros()).unwrap().max(1)))
    }
}

/// A record of the input, and its expected effect on the index.
struct Record {
    url: String,
    /// The line of JSON that is the record.
    line: String,
    says: Says,
}

enum Says {
    /// The record is a page: its snapshot, if one may be stored, and its links (target and anchor
    /// text).
    Page(Option<String>, BTreeSet<(String, String)>),
    /// The record is a page that may not be indexed.
    Noindex,
    /// The record is an answer without a page (404 or 410).
    Missing,
    /// The record is a failed fetch of a page (503), which changes nothing in the index.
    Nothing,
}

impl Record {
    fn new(url: String, chance: &mut Chance) -> Self {
        let kind = chance.below(100);
        let (status, robots) = match kind {
            0..8 => (200, "<meta name=robots content=noindex>"),
            8..12 => (200, "<meta name=robots content=noarchive>"),
            12..18 => (404, ""),
            18..20 => (503, ""),
            _ => (200, ""),
        };
        let names = names(&url, chance);
        let links: String = names
            .iter()
            .map(|(to, text)| format!("<li><a href=\"{to}\">{text}</a>"))
            .collect();
        let length = 20 + chance.below(60);
        let (title, text) = (chance.words(3), chance.words(length));
        let html = format!(
            "<!doctype html><title>{title}</title>{robots}<h1>{title}</h1><p>{text}</p><ul>{links}</ul>"
        );
        let line = serde_json::json!({"url": url, "html": html, "status": status}).to_string();
        let says = match kind {
            0..8 => Says::Noindex,
            8..12 => Says::Page(None, names),
            12..18 => Says::Missing,
            18..20 => Says::Nothing,
            _ => Says::Page(Some(html), names),
        };
        Self { url, line, says }
    }
}

fn url_of(number: u64) -> String {
    format!("https://host{}.example/page{number}", number % HOSTS)
}

/// Returns the links of a page, as target and anchor text: a menu that all pages of the host share,
/// and links to random pages.
fn names(url: &str, chance: &mut Chance) -> BTreeSet<(String, String)> {
    let host = url.rsplit_once('/').unwrap().0;
    let menu = ["home", "contents"].map(|name| (format!("{host}/{name}"), name.to_owned()));
    let others = (0..3).map(|_| (url_of(chance.below(URLS)), chance.words(2)));
    others
        .chain(menu)
        .filter(|(target, _)| target != url)
        .collect()
}

/// Returns the records of the test's input. Many pages occur several times, with different content.
/// So if a run is repeated, it first reverts the previous run's changes.
fn records() -> Vec<Record> {
    let mut chance = Chance(1);
    let (mut records, mut urls) = (Vec::new(), 0);
    while urls < URLS {
        let number = match chance.below(10) {
            0 if urls > 0 => chance.below(urls),
            1 if urls > 0 => urls - 1 - chance.below(urls.min(SOON)),
            _ => urls,
        };
        urls = urls.max(number + 1);
        records.push(Record::new(url_of(number), &mut chance));
    }
    records
}

fn write(input: &Path, records: &[Record]) {
    let lines: Vec<_> = records.iter().map(|record| record.line.as_str()).collect();
    std::fs::write(input, lines.join("\n")).unwrap();
}

/// The state of an index: each URL with the record that last changed it.
type Known<'a> = BTreeMap<&'a str, &'a Record>;

fn settle<'a>(known: &mut Known<'a>, records: &'a [Record]) {
    for record in records {
        let url = record.url.as_str();
        let counts = match record.says {
            Says::Page(..) | Says::Noindex => true,
            Says::Missing => known.contains_key(url),
            Says::Nothing => false,
        };
        if counts {
            known.insert(url, record);
        }
    }
}

/// Everything that an index contains, in order.
#[derive(Default, PartialEq)]
struct Contents {
    /// URL of each page, and its snapshot if there is one.
    pages: Vec<(String, Option<String>)>,
    gone: Vec<String>,
    /// Source, target and anchor text of each link.
    anchors: Vec<(String, String, String)>,
}

impl Contents {
    fn expected(known: &Known<'_>) -> Self {
        let mut contents = Self::default();
        for (url, record) in known {
            let url = (*url).to_owned();
            if let Says::Page(snapshot, names) = &record.says {
                let names = names
                    .iter()
                    .map(|(target, text)| (url.clone(), target.clone(), text.clone()));
                contents.anchors.extend(names);
                contents.pages.push((url, snapshot.clone()));
            } else {
                contents.gone.push(url);
            }
        }
        contents
    }

    /// Reads the contents of the index in a folder. Fails if the index is not intact. Returns empty
    /// contents if no run has created an index yet.
    fn of(folder: &Path) -> Self {
        match Index::open(folder) {
            Ok(index) => {
                assert_eq!(index.check().unwrap(), [""; 0], "{}", folder.display());
                Self::read(&index)
            }
            Err(error) => {
                let said = error.to_string();
                assert!(
                    said.contains("holds no index")
                        || said.contains("was begun and never held anything"),
                    "{said}"
                );
                Self::default()
            }
        }
    }

    /// Reads the contents of an index. Fails if the lengths of the lists differ from the index's
    /// own counts: duplicates would cause such a difference.
    fn read(index: &Index) -> Self {
        let search = index.search().unwrap();
        let page = |url: String| (url.clone(), search.snapshot(&url, None).unwrap());
        let anchors = search.anchors().unwrap();
        let anchors = anchors.iter().map(|a| {
            (
                a.source().to_owned(),
                a.target().to_owned(),
                a.text().to_owned(),
            )
        });
        let contents = Self {
            pages: search.urls().unwrap().into_iter().map(page).collect(),
            gone: search.tombstone_urls().unwrap(),
            anchors: anchors.collect(),
        };
        let stats = index.stats().unwrap();
        let counted = [
            stats.pages(),
            stats.tombstones(),
            stats.anchors(),
            stats.snapshots(),
        ];
        let snapshots = contents
            .pages
            .iter()
            .filter(|(_, snapshot)| snapshot.is_some())
            .count();
        let listed = [
            contents.pages.len(),
            contents.gone.len(),
            contents.anchors.len(),
            snapshots,
        ];
        assert_eq!(
            counted,
            listed.map(|number| number as u64),
            "pages, gone, anchors, snapshots: counted / listed"
        );
        contents
    }

    fn assert_same(&self, expected: &Self, what: &str) {
        assert!(
            self == expected,
            "{what}: what is there / what is expected\n{}",
            self.difference(expected)
        );
    }

    /// Describes how the contents of two indexes differ: the numbers of items, and the first items
    /// that differ.
    fn difference(&self, other: &Self) -> String {
        fn first<T: Debug + PartialEq>(what: &str, a: &[T], b: &[T]) -> String {
            let at = (0..a.len().max(b.len())).find(|at| a.get(*at) != b.get(*at));
            let at = at.map(|at| format!(", from {:?} / {:?} on", a.get(at), b.get(at)));
            format!(
                "{what} {} / {}{}\n",
                a.len(),
                b.len(),
                at.unwrap_or_default()
            )
        }
        first("pages", &self.pages, &other.pages)
            + &first("gone", &self.gone, &other.gone)
            + &first("anchors", &self.anchors, &other.anchors)
    }
}

/// Returns the number of commits of `records` after which the index `known` has the contents
/// `found`. Applies the records of these commits to `known`. Returns None if no number of commits
/// leads to `found`.
fn find_commits<'a>(
    known: &mut Known<'a>,
    records: &'a [Record],
    found: &Contents,
) -> Option<usize> {
    let mut chunks = records.chunks(COMMIT_EVERY);
    for commits in 0.. {
        if Contents::expected(known) == *found {
            return Some(commits);
        }
        settle(known, chunks.next()?);
    }
    None
}

/// Returns a command that runs the program so that it prints only errors.
fn heedful(arguments: &[&str], paths: &[&Path]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
    command
        .args(arguments)
        .args(paths)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn index(folder: &Path, input: &Path) -> Command {
    heedful(
        &[
            "index",
            "--snapshot",
            "--quiet",
            "--commit-every",
            &COMMIT_EVERY.to_string(),
            "-o",
        ],
        &[folder, input],
    )
}

fn compact(folder: &Path) -> Command {
    heedful(&["compact", "--quiet"], &[folder])
}

/// Runs a command. Fails if the command does not succeed.
fn done(mut command: Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Kills the process of a run. Returns false if the run had already ended.
fn killed(mut child: Child) -> bool {
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let code = output.status.code();
    assert!(
        matches!(code, None | Some(0)),
        "trouble: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    code.is_none()
}

/// Waits until the index in the folder has pages or the run has ended.
fn await_pages(child: &mut Child, folder: &Path) {
    let has_pages = || {
        Index::open(folder)
            .and_then(|index| index.stats())
            .is_ok_and(|stats| stats.pages() > 0)
    };
    while !has_pages() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(5));
    }
}

/// The results of all kills of a test.
#[derive(Debug, Default)]
struct Tally {
    kills: usize,
    reopened_with_pages: usize,
    /// Number of runs that had ended before the kill.
    too_late: usize,
    compactions_killed: usize,
    /// Number of killed runs, by the number of commits that they had made.
    commits: BTreeMap<usize, usize>,
}

/// An index whose runs are killed, its input, and its expected contents.
struct Victim<'a> {
    folder: &'a Path,
    input: &'a Path,
    records: &'a [Record],
    /// The duration of a run that is not killed.
    time: Duration,
    chance: Chance,
    known: Known<'a>,
    tally: Tally,
}

impl Victim<'_> {
    fn kill(&mut self, kills: usize) {
        while self.tally.kills < kills {
            if self.tally.kills.is_multiple_of(SOMETIMES) && self.folder.exists() {
                std::fs::remove_dir_all(self.folder).unwrap();
                self.known.clear();
            }
            // Even on a slow machine, at most one kill in four may leave nothing to check.
            let must_hold = self.tally.kills - self.tally.reopened_with_pages >= kills / 4;
            self.kill_run(must_hold);
            if self.tally.kills % SOMETIMES == 2 && !self.known.is_empty() {
                self.kill_compaction();
            }
        }
    }

    fn kill_run(&mut self, must_hold: bool) {
        let mut child = index(self.folder, self.input).spawn().unwrap();
        if must_hold && self.known.is_empty() {
            await_pages(&mut child, self.folder);
        }
        sleep(self.chance.moment(self.time));
        self.tally.too_late += usize::from(!killed(child));
        self.tally.kills += 1;
        let (found, before) = (Contents::of(self.folder), Contents::expected(&self.known));
        let Some(commits) = find_commits(&mut self.known, self.records, &found) else {
            panic!(
                "kill {}: no whole commits; before / now\n{}",
                self.tally.kills,
                before.difference(&found)
            );
        };
        self.tally.reopened_with_pages += usize::from(!found.pages.is_empty());
        *self.tally.commits.entry(commits).or_default() += 1;
    }

    fn kill_compaction(&mut self) {
        let is_killed = if self.chance.below(2) == 0 {
            kill_merging(self.folder)
        } else {
            let child = compact(self.folder).spawn().unwrap();
            sleep(self.chance.moment(self.time / 4));
            killed(child)
        };
        self.tally.compactions_killed += usize::from(is_killed);
        Contents::of(self.folder)
            .assert_same(&Contents::expected(&self.known), "a killed compaction");
    }
}

/// Kills a compaction of an index after the compaction's first commit, before it merges files.
/// Returns false if the compaction had already ended.
fn kill_merging(folder: &Path) -> bool {
    let meta = || std::fs::read(folder.join("meta.json")).unwrap();
    let before = meta();
    let mut child = compact(folder).spawn().unwrap();
    while meta() == before && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
    killed(child)
}

/// Returns the names of the files in a folder up to their first dot. Hidden files are ignored.
fn stems(folder: &Path) -> BTreeSet<String> {
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    names
        .map(|name| name.to_string_lossy().split('.').next().unwrap().to_owned())
        .filter(|stem| !stem.is_empty())
        .collect()
}

/// Creates a temporary folder that is not deleted if the test fails.
fn place() -> TempDir {
    let mut place = TempDir::new().unwrap();
    place.disable_cleanup(true);
    place
}

fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

#[test]
fn killed_runs_leave_a_whole_index() {
    let (kills, seed) = (setting("HEEDFUL_KILLS", 10), setting("HEEDFUL_SEED", 1));
    let mut place = place();
    eprintln!("seed {seed}, in {}", place.path().display());
    let [input, clean, folder] =
        ["input.jsonl", "clean", "killed"].map(|name| place.path().join(name));
    let records = records();
    write(&input, &records);

    let started = Instant::now();
    done(index(&clean, &input));
    let time = started.elapsed();
    let (clean, mut known) = (Contents::of(&clean), Known::new());
    settle(&mut known, &records);
    clean.assert_same(&Contents::expected(&known), "a clean run");

    let (chance, known, tally) = (Chance(seed), Known::new(), Tally::default());
    let mut victim = Victim {
        folder: &folder,
        input: &input,
        records: &records,
        time,
        chance,
        known,
        tally,
    };
    victim.kill(kills);
    done(index(&folder, &input));
    Contents::of(&folder).assert_same(&clean, "a full run after the kills");
    done(compact(&folder));
    Contents::of(&folder).assert_same(&clean, "compacted after the kills");
    done(heedful(&["stats", "--check"], &[&folder]));
    let (files, snapshots) = (stems(&folder), stems(&folder.join("snapshots")));
    let is_small = files.len() == 4 && snapshots.len() == 1;
    assert!(
        is_small,
        "more than meta.json, snapshots, anchors and one segment: {files:?} {snapshots:?}"
    );

    let tally = victim.tally;
    eprintln!(
        "seed {seed}: a clean run takes {time:.1?}; {tally:?}; {:.1?} in all",
        started.elapsed()
    );
    assert!(
        kills < 10 || tally.reopened_with_pages * 4 >= kills * 3,
        "{tally:?}"
    );
    place.disable_cleanup(false);
}

/// After a killed compaction, the next run merges the files that the compaction did not merge. This
/// merge must not bring back documents that the run replaced before.
#[test]
fn a_killed_merge_brings_nothing_back() {
    let mut place = place();
    let [input, folder] = ["input.jsonl", "index"].map(|name| place.path().join(name));
    let (records, mut known) = (records(), Known::new());
    for some in [&records[..9 * COMMIT_EVERY], &records[..COMMIT_EVERY]] {
        write(&input, some);
        done(index(&folder, &input));
        settle(&mut known, some);
        Contents::of(&folder).assert_same(&Contents::expected(&known), "a run");
        kill_merging(&folder);
    }
    done(compact(&folder));
    Contents::of(&folder).assert_same(&Contents::expected(&known), "compacted");
    place.disable_cleanup(false);
}
