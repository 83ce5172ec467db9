//! Tests of the merge of several indexes, each of which received a part of the events. The merged
//! index must equal an index that received all events.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use heedful::{Bot, Filter, Page};
use heedful_index::{Gone, Index, Query, Search, Writer};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::{anchors, at, conventions, create, filter, folder, gone, setting, snapshots};

const WORDS: [&str; 5] = ["alfa", "bravo", "charlie", "delta", "echo"];
const URLS: usize = 6;
const DATED: usize = 4;
const ASKED: [&str; 6] = [
    "noarchive",
    "nofollow",
    "nosnippet",
    "max-snippet:20",
    "noindex",
    "unavailable_after: 2030-01-01",
];

/// An event at a URL of a site, such as a fetched page or an error.
#[derive(Clone, Debug)]
enum Event {
    Page {
        asks: Option<usize>,
        words: Vec<usize>,
        link: usize,
    },
    /// The site responds that it has no such page. The event has an effect only if the index knows
    /// the URL.
    Missing,
    /// The page cannot be read. The event always has an effect.
    Unreadable,
    /// The page is unchanged. Its headers have the restriction at this position in [`ASKED`].
    Unchanged(usize),
}

#[derive(Clone, Debug)]
struct Heard {
    url: usize,
    captured: Option<u64>,
    event: Event,
}

fn url(number: usize) -> String {
    format!("https://h{}.example/p{number}", number % 2)
}

fn unchanged(filter: &Filter, url: &str, asks: &str) -> Page {
    let mut pass = filter.open(url).unwrap();
    pass.header("X-Robots-Tag", asks);
    pass.end().unwrap()
}

impl Heard {
    fn write_to(&self, writer: &mut Writer) {
        let (url, captured): (_, Option<SystemTime>) = (url(self.url), self.captured.map(at));
        match &self.event {
            Event::Page { asks, words, link } => {
                let meta = asks
                    .map(|asks| format!("<meta name=robots content='{}'>", ASKED[asks]))
                    .unwrap_or_default();
                let said = words
                    .iter()
                    .map(|word| WORDS[*word])
                    .collect::<Vec<_>>()
                    .join(" ");
                let link = format!("<p><a href='{}'>{said}</a>", super::merge::url(*link));
                let page = filter().page(
                    &url,
                    &[],
                    format!("{meta}<title>{said}</title><p>{said} {said}{link}").as_bytes(),
                );
                writer.add_captured(&page.unwrap(), captured).unwrap();
            }
            Event::Missing => {
                writer
                    .retire(&url, Gone::Status(404), "", captured)
                    .unwrap();
            }
            Event::Unreadable => {
                writer
                    .remove_captured(&url, Gone::Unreadable, "", captured)
                    .unwrap();
            }
            Event::Unchanged(asks) => {
                writer
                    .confirm(&unchanged(&filter(), &url, ASKED[*asks]), captured)
                    .unwrap();
            }
        }
    }
}

/// Creates an index that received these events. It commits after each event, because the effect of
/// an uncommitted event cannot be queried.
fn index_of(heard: &[Heard]) -> (TempDir, Index) {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    for heard in heard {
        heard.write_to(&mut writer);
        writer.commit().unwrap();
    }
    drop(writer);
    (folder, index)
}

fn merged(shards: &[PathBuf]) -> (TempDir, Index) {
    let place = folder();
    let made = place.path().join("made");
    let merged = Index::merge(shards, &made).unwrap();
    let index = Index::open(&made).unwrap();
    assert_eq!(index.stats().unwrap().pages(), merged.pages);
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        1,
        "something is left beside it"
    );
    (place, index)
}

/// Returns the hits of a query as text, with scores, titles and excerpts.
fn answers(search: &Search, query: &str) -> String {
    let found = search.find(&Query::new(query).most(1000)).unwrap();
    format!(
        "{query}: {} {}",
        found.total(),
        serde_json::to_string(found.hits()).unwrap()
    )
}

fn assert_alike(one: &Index, other: &Index, queries: &[String]) {
    assert_eq!(other.check().unwrap(), [""; 0]);
    let (one, other) = (one.search().unwrap(), other.search().unwrap());
    assert_eq!(one.urls().unwrap(), other.urls().unwrap());
    assert_eq!(gone(&one), gone(&other));
    assert_eq!(anchors(&one), anchors(&other));
    assert_eq!(snapshots(&one), snapshots(&other));
    for query in queries {
        assert_eq!(answers(&one, query), answers(&other, query));
    }
}

fn queries() -> Vec<String> {
    let mut queries = Vec::new();
    for (number, word) in WORDS.iter().enumerate() {
        let next = WORDS[(number + 1) % WORDS.len()];
        queries.extend([
            (*word).to_owned(),
            format!("{word} {next}"),
            format!("\"{word} {next}\""),
            format!("\"{word} {next}\"~4"),
            format!("anchor:{word} OR title:{next}"),
            format!("site:h1.example {word} -{next}"),
        ]);
    }
    queries
}

fn event() -> impl Strategy<Value = Event> {
    let asks = prop::option::weighted(0.4, 0..ASKED.len());
    let page = (asks, prop::collection::vec(0..WORDS.len(), 1..4), 0..URLS);
    prop_oneof![
        5 => page.prop_map(|(asks, words, link)| Event::Page { asks, words, link }),
        2 => Just(Event::Missing),
        1 => Just(Event::Unreadable),
        3 => (0..ASKED.len()).prop_map(Event::Unchanged),
    ]
}

fn heard_event() -> impl Strategy<Value = Heard> {
    let captured = 1_700_000_000..1_700_000_010u64;
    // If a URL has events both with and without a time, one shard cannot know their order relative
    // to another shard's events.
    let heard = |(url, captured, event)| Heard {
        url,
        captured: Some(captured).filter(|_| url < DATED),
        event,
    };
    (0..URLS, captured, event()).prop_map(heard)
}

fn config() -> ProptestConfig {
    let cases = u32::try_from(setting("HEEDFUL_MERGES", 20)).unwrap();
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    }
}

/// Returns the URLs that are tombstones in the merged index `made`, but not in `whole`, the index
/// of all events. For each of these URLs, one of the merged indexes had an older page. A later
/// response without the page denies more than that page did.
fn taken_out(whole: &Index, made: &Index) -> Vec<String> {
    let (whole, made) = (whole.search().unwrap(), made.search().unwrap());
    let (known, pages) = (gone(&whole), whole.urls().unwrap());
    let more: Vec<_> = gone(&made)
        .into_iter()
        .filter(|gone| !known.contains(gone))
        .collect();
    assert!(
        more.iter()
            .all(|[url, why, _]| why == "changed" || !pages.contains(url)),
        "{more:?}"
    );
    more.into_iter().map(|[url, ..]| url).collect()
}

/// Checks that the merged index `made` equals `whole`, the index of all events. The URLs of
/// `taken_out` are exceptions.
fn assert_as_one(whole: &Index, made: &Index) {
    let less = taken_out(whole, made);
    if less.is_empty() {
        return assert_alike(whole, made, &queries());
    }
    assert_eq!(made.check().unwrap(), [""; 0]);
    let (whole, made) = (whole.search().unwrap(), made.search().unwrap());
    let mut expected = whole.urls().unwrap();
    expected.retain(|url| !less.contains(url));
    assert_eq!(made.urls().unwrap(), expected);
    let mut expected = snapshots(&whole);
    expected.retain(|(url, _)| !less.contains(url));
    assert_eq!(snapshots(&made), expected);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn shards_that_are_merged_are_as_one_index(
        heard in prop::collection::vec(heard_event(), 1..25),
        cuts in prop::array::uniform2(0..25usize),
        compacted in 0..8u8,
    ) {
        let (_whole, whole) = index_of(&heard);
        let mut cuts = cuts.map(|cut| cut.min(heard.len()));
        cuts.sort_unstable();
        let parts = [&heard[..cuts[0]], &heard[cuts[0]..cuts[1]], &heard[cuts[1]..]].map(index_of);
        let shards = parts.each_ref().map(|(folder, _)| folder.path().to_owned());
        let (_made, made) = merged(&shards);
        assert_as_one(&whole, &made);
        // It does not matter which of them were compacted.
        for (number, (_, part)) in parts.iter().enumerate() {
            if compacted >> number & 1 == 1 {
                part.compact().unwrap();
            }
        }
        let (_compact, compact) = merged(&shards);
        assert_as_one(&whole, &compact);
        // Merging in two steps gives the same result as merging in one.
        let (half, _) = merged(&shards[..2]);
        let (_again, again) = merged(&[half.path().join("made"), shards[2].clone()]);
        assert_alike(&made, &again, &queries());
        whole.compact().unwrap();
        again.compact().unwrap();
        assert_as_one(&whole, &again);
    }
}

/// Names of the files that a site's rules may be in.
fn place(number: usize) -> String {
    format!("https://h{number}.example/robots.txt")
}

/// Returns all that is known about each URL of the events, and the stored rules of all sites.
fn states(search: &Search) -> Vec<String> {
    let mut states = Vec::new();
    for url in (0..URLS).map(url) {
        let known = search.known(&url, None).unwrap();
        let times = [search.fetched(&url), search.captured(&url)].map(Result::unwrap);
        let title = search.title(&url, None).unwrap();
        states.push(format!("{url} {known:?} {times:?} {title:?}"));
    }
    for place in (0..2).map(place) {
        let mut rules = search.rules(&place).unwrap();
        rules.sort();
        states.push(format!("{place} {rules:?}"));
    }
    states
}

/// Creates an index of events like [`index_of`], with the rules of a site.
fn index_with_rules(heard: &[Heard], number: usize) -> (TempDir, Index) {
    let (folder, index) = index_of(heard);
    let mut writer = index.writer(1).unwrap();
    let rules = [(at(number as u64), format!("rules {number}").into_bytes())];
    writer.keep_rules(&place(number % 2), &rules).unwrap();
    writer.commit().unwrap();
    drop(writer);
    (folder, index)
}

/// Adds the same later events to two indexes. They must stay alike, so each has kept all that
/// decides what happens to a later record.
fn hear_more(one: &Index, other: &Index, heard: &[Heard]) {
    for index in [one, other] {
        let mut writer = index.writer(1).unwrap();
        for heard in heard {
            heard.write_to(&mut writer);
            writer.commit().unwrap();
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn rounds_give_the_index_of_a_single_merge(
        parts in prop::collection::vec(prop::collection::vec(heard_event(), 0..5), 2..6),
        later in prop::collection::vec(heard_event(), 1..4),
        files in 0..300usize,
    ) {
        let parts = parts.iter().enumerate();
        let parts: Vec<_> = parts.map(|(number, heard)| index_with_rules(heard, number)).collect();
        let shards: Vec<_> = parts.iter().map(|(folder, _)| folder.path().to_owned()).collect();
        let (_whole, whole) = merged(&shards);
        let place = folder();
        let made = place.path().join("made");
        let report = Index::merge_opening(&shards, &made, files).unwrap();
        prop_assert_eq!(report, Index::merge(&shards, place.path().join("again")).unwrap());
        prop_assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 2);
        let made = Index::open(&made).unwrap();
        assert_alike(&whole, &made, &queries());
        prop_assert_eq!(states(&whole.search().unwrap()), states(&made.search().unwrap()));
        hear_more(&whole, &made, &later);
        assert_alike(&whole, &made, &queries());
        prop_assert_eq!(states(&whole.search().unwrap()), states(&made.search().unwrap()));
    }
}

fn page(number: usize, captured: Option<u64>, word: usize) -> Heard {
    Heard {
        url: number,
        captured,
        event: Event::Page {
            asks: None,
            words: vec![word],
            link: 0,
        },
    }
}

fn shard(heard: &[Heard]) -> (TempDir, PathBuf) {
    let (folder, _) = index_of(heard);
    let path = folder.path().to_owned();
    (folder, path)
}

#[test]
fn what_bears_no_date_does_not_make_forget_one() {
    let (_first, first) = shard(&[page(1, Some(10), 0)]);
    let (_second, second) = shard(&[page(1, None, 1)]);
    let (_made, made) = merged(&[first, second]);
    let mut writer = made.writer(1).unwrap();
    page(1, Some(9), 2).write_to(&mut writer);
    writer.commit().unwrap();
    assert_eq!(
        answers(&made.search().unwrap(), "bravo")
            .matches("p1")
            .count(),
        1
    );
    page(1, Some(11), 2).write_to(&mut writer);
    writer.commit().unwrap();
    assert!(answers(&made.search().unwrap(), "charlie").contains("p1"));
}

#[test]
fn headers_that_one_index_heard_hold_for_the_page_of_another() {
    for (asks, pages, copies) in [("noarchive", 1, 0), ("nofollow", 0, 0), ("noindex", 0, 0)] {
        let asks = ASKED.iter().position(|asked| *asked == asks).unwrap();
        let (_first, first) = shard(&[page(1, Some(10), 0)]);
        let (_second, second) = shard(&[Heard {
            url: 1,
            captured: Some(20),
            event: Event::Unchanged(asks),
        }]);
        let (_made, made) = merged(&[first.clone(), second.clone()]);
        let stats = made.stats().unwrap();
        assert_eq!(
            (stats.pages(), stats.snapshots()),
            (pages, copies),
            "{}",
            ASKED[asks]
        );
        // The page is older than the statement that came before it.
        let (_made, made) = merged(&[second, first]);
        assert_eq!(made.stats().unwrap().pages(), 0, "{}", ASKED[asks]);
    }
}

/// Returns the error message of a merge that must fail.
fn refused(shards: &[PathBuf]) -> String {
    let place = folder();
    let error = Index::merge(shards, place.path().join("made")).unwrap_err();
    assert_eq!(
        std::fs::read_dir(place.path()).unwrap().count(),
        0,
        "something is left of it"
    );
    error.to_string()
}

#[test]
fn what_cannot_be_merged_is_refused_and_leaves_nothing() {
    assert!(refused(&[]).contains("nothing to merge"));
    let (_first, first) = shard(&[page(1, None, 0)]);
    assert!(refused(&[first.clone(), first.join("none")]).contains("holds no index"));
    let other = folder();
    drop(
        Index::create(
            other.path(),
            &Filter::new(Bot::new("BarBot").unwrap()).conventions(conventions()),
        )
        .unwrap(),
    );
    assert!(refused(&[first.clone(), other.path().to_owned()]).contains("for the bot barbot"));
    let error = Index::merge(std::slice::from_ref(&first), &first)
        .unwrap_err()
        .to_string();
    assert!(error.contains("is not empty"), "{error}");
    assert_eq!(Index::open(&first).unwrap().stats().unwrap().pages(), 1);
}

#[test]
fn what_is_merged_lives_on() {
    let (_first, first) = shard(&[page(1, Some(10), 0), page(2, Some(10), 1)]);
    let (_second, second) = shard(&[page(1, Some(20), 2), page(3, Some(10), 1)]);
    let (_made, made) = merged(&[second, first]);
    let mut writer = made.writer(2).unwrap();
    page(3, Some(30), 4).write_to(&mut writer);
    writer.remove(&url(2), Gone::Removed, "").unwrap();
    writer.commit().unwrap();
    drop(writer);
    let (_whole, whole) = index_of(&[page(1, Some(20), 2), page(3, Some(30), 4)]);
    let mut writer = whole.writer(1).unwrap();
    writer.remove(&url(2), Gone::Removed, "").unwrap();
    writer.commit().unwrap();
    drop(writer);
    assert_alike(&whole, &made, &queries());
    // Empty indexes can be merged too.
    let (_empty, empty) = shard(&[]);
    let (_nothing, nothing) = merged(&[empty.clone(), empty]);
    assert_eq!(nothing.stats().unwrap().pages(), 0);
}

/// Returns the folder of intermediate results of a merge into `made`, in this folder.
fn workplace(folder: &Path) -> PathBuf {
    folder.join(".heedful-merge-made")
}

#[test]
fn a_merge_takes_over_what_a_killed_one_left_and_nothing_else() {
    let (_shard, shard) = shard(&[page(1, Some(10), 0)]);
    let shards = [shard.clone(), shard];
    let place = folder();
    let (made, left) = (place.path().join("made"), workplace(place.path()));
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("letter"), "mine").unwrap();
    let error = Index::merge(&shards, &made).unwrap_err().to_string();
    assert!(error.contains("is no folder of a merge"), "{error}");
    assert!(left.join("letter").exists());
    std::fs::create_dir(left.join("more")).unwrap();
    let lock = std::fs::File::create(left.join("lock")).unwrap();
    lock.lock().unwrap();
    let error = Index::merge(&shards, &made).unwrap_err().to_string();
    assert!(error.contains("another program is merging into"), "{error}");
    assert!(left.join("letter").exists());
    drop(lock);
    Index::merge(&shards, &made).unwrap();
    assert!(!left.exists());
    assert_eq!(Index::open(&made).unwrap().stats().unwrap().pages(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_its_folder_is_not_followed() {
    let (_shard, shard) = shard(&[page(1, Some(10), 0)]);
    let (place, other) = (folder(), folder());
    std::fs::write(other.path().join("lock"), "").unwrap();
    std::fs::write(other.path().join("letter"), "mine").unwrap();
    std::os::unix::fs::symlink(other.path(), workplace(place.path())).unwrap();
    let error = Index::merge(&[shard], place.path().join("made")).unwrap_err();
    assert!(
        error.to_string().contains("is no folder of a merge"),
        "{error}"
    );
    assert!(other.path().join("letter").exists());
}

/// Not a test itself: the next tests start this function in a process of its own, by running this
/// test binary.
#[test]
fn another_process() {
    let Some(folder) = std::env::var_os("HEEDFUL_TEST_MERGE") else {
        return;
    };
    let folder = PathBuf::from(folder);
    let shards: Vec<_> = (0..ROUNDS)
        .map(|number| folder.join(number.to_string()))
        .collect();
    // One of the tests mounts a small disk there.
    let disk = folder.join("disk");
    let beside = if disk.exists() { disk } else { folder };
    Index::merge_opening(&shards, beside.join("made"), 0).unwrap();
}

const ANOTHER_PROCESS: &str = "life::merge::another_process";
/// Number of indexes, each of which has a round of its own.
const ROUNDS: usize = 4;

/// Starts the merge, and kills it when it has begun the round `round`. Returns false if the merge
/// ended before.
fn kill_in_round(folder: &Path, round: usize) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", ANOTHER_PROCESS])
        .env("HEEDFUL_TEST_MERGE", folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let next = workplace(folder).join(round.to_string());
    while !next.exists() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

#[test]
fn a_merge_that_is_killed_in_any_round_leaves_no_index() {
    let place = folder();
    let heard: Vec<_> = (0..ROUNDS)
        .map(|n| [page(n, Some(10), n), page(5, Some(n as u64), n)])
        .collect();
    for (number, heard) in heard.iter().enumerate() {
        let (shard, _index) = index_of(heard);
        std::fs::rename(shard.path(), place.path().join(number.to_string())).unwrap();
    }
    let made = place.path().join("made");
    for round in 0..ROUNDS {
        let killed = (0..20).any(|_| {
            let killed = kill_in_round(place.path(), round);
            if killed {
                assert!(!made.exists(), "round {round}");
                assert!(workplace(place.path()).exists(), "round {round}");
            } else {
                std::fs::remove_dir_all(&made).unwrap();
            }
            killed
        });
        assert!(killed, "round {round}");
    }
    let shards: Vec<_> = (0..ROUNDS)
        .map(|number| place.path().join(number.to_string()))
        .collect();
    Index::merge_opening(&shards, &made, 0).unwrap();
    assert!(!workplace(place.path()).exists());
    let (_whole, whole) = index_of(&heard.concat());
    assert_alike(&whole, &Index::open(&made).unwrap(), &queries());
}

/// Runs [`another_process`] where the folder of the new index is a disk of this size. Returns its
/// output. Returns None if the test may not mount anything.
#[cfg(target_os = "linux")]
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
fn merged_on_a_disk_of(size: &str, folder: &Path) -> Option<String> {
    let disk = folder.join("disk");
    let mount = |then: &str| {
        let script = format!(
            "mount -t tmpfs -o size={size} none {} && {then}",
            disk.display()
        );
        Command::new("unshare")
            .args(["-m", "sh", "-c", &script])
            .env("HEEDFUL_TEST_MERGE", folder)
            .output()
    };
    if !mount("true").is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no disk can be mounted here");
        return None;
    }
    let program = std::env::current_exe().unwrap();
    let output = mount(&format!(
        "{} --exact {ANOTHER_PROCESS}; ls -A {}",
        program.display(),
        disk.display()
    ));
    let output = output.unwrap();
    Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_with_the_room_that_a_merge_takes() {
    let place = folder();
    std::fs::create_dir(place.path().join("disk")).unwrap();
    for number in 0..ROUNDS {
        let (shard, _index) = index_of(&[page(number, Some(10), number)]);
        std::fs::rename(shard.path(), place.path().join(number.to_string())).unwrap();
    }
    for size in ["16k", "64k", "128k"] {
        let Some(output) = merged_on_a_disk_of(size, place.path()) else {
            return;
        };
        let told = "the disk is full: to merge these indexes may take 1 MB there";
        assert!(output.contains(told), "{size}: {output}");
        assert!(!output.contains("made\n"), "{size}: {output}");
    }
}

#[cfg(unix)]
#[test]
fn a_merge_with_few_descriptors_says_so_and_hinders_no_later_one() {
    let place = folder();
    for number in 0..ROUNDS {
        let (shard, _index) = index_of(&[page(number, Some(10), number)]);
        std::fs::rename(shard.path(), place.path().join(number.to_string())).unwrap();
    }
    let shards: Vec<_> = (0..ROUNDS)
        .map(|number| place.path().join(number.to_string()))
        .collect();
    let made = place.path().join("made");
    let program = std::env::current_exe().unwrap();
    let mut told = String::new();
    for files in 4..14 {
        let script = format!(
            "ulimit -n {files}; exec {} --exact {ANOTHER_PROCESS}",
            program.display()
        );
        let output = Command::new("sh")
            .args(["-c", &script])
            .env("HEEDFUL_TEST_MERGE", place.path())
            .output()
            .unwrap();
        told += &String::from_utf8_lossy(&output.stdout);
        told += &String::from_utf8_lossy(&output.stderr);
        if made.exists() {
            std::fs::remove_dir_all(&made).unwrap();
        }
        Index::merge(&shards, &made).unwrap();
        assert!(!workplace(place.path()).exists(), "{files} files");
        std::fs::remove_dir_all(&made).unwrap();
    }
    let refused = "no more open files: it has all";
    assert!(told.contains(refused), "{told}");
}
