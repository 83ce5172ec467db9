//! Reads an index while it is written, purged and compacted. No query fails, each result is of one
//! commit, and memory does not grow. `HEEDFUL_SECONDS` is the duration in seconds (5 if it is not
//! set).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "a long run says what it saw")]

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use heedful::{Bot, Filter, RobotsTxt};
use heedful_index::{Index, Query};
use heedful_run::{Gate, Purge};
use tempfile::TempDir;

const PAGES: u64 = 400;

fn filter() -> Filter {
    Filter::new(Bot::new("FooBot").unwrap()).snapshots()
}

fn url(page: u64) -> String {
    format!("https://site{}.example/{page}", page % 10)
}

/// Writes version `version` of two twin pages and of a quarter of the other pages to the index.
fn write(index: &Index, version: u64) {
    let filter = filter();
    let mut writer = index.writer(1).unwrap();
    let mut add = |url: &str, html: &str| {
        writer
            .add(&filter.page(url, &[], html.as_bytes()).unwrap())
            .unwrap();
    };
    for twin in ["a", "b"] {
        add(
            &format!("https://twins.example/{twin}"),
            &format!("<title>v{version}</title><p>twin v{version} <a href=/called>v{version}</a>"),
        );
    }
    for page in (version % 4..PAGES).step_by(4) {
        let other = url((page * 7 + version) % PAGES);
        add(
            &url(page),
            &format!(
                "<p>common word{page} v{version} <a href='{other}'>name{page}</a> {}",
                "x ".repeat(200)
            ),
        );
    }
    writer.commit().unwrap();
}

/// Purges one site of the index by a robots.txt that disallows some of its pages. Later calls of
/// [`write`] add these pages again.
fn purge(index: &Index, version: u64) {
    let site = url::Url::parse(&url(version % 10)).unwrap();
    let gate = Gate::default().for_site(&site, RobotsTxt::parse(b"User-agent: *\nDisallow: /*7"));
    let purged = Purge::default().robots(gate).run(index, 1).unwrap();
    assert!(purged.unresponsive_sites.is_empty());
}

/// Searches the index. Checks that both twin pages have the same version, and that their snapshots
/// have it too.
fn ask(index: &Index, number: u64) {
    let search = index.search().unwrap();
    let twins = search.find(&Query::new("twin site:twins.example")).unwrap();
    let titles: Vec<_> = twins
        .hits()
        .iter()
        .map(|hit| hit.title().to_owned())
        .collect();
    assert!(titles.len() == 2 && titles[0] == titles[1], "{titles:?}");
    for hit in twins.hits() {
        let snapshot = search.snapshot(hit.url(), None).unwrap().unwrap();
        assert!(
            snapshot.contains(&format!("twin {}", hit.title())),
            "{snapshot}"
        );
    }
    let found = search.find(&Query::new(&format!(
        "word{} OR name{} OR \"common word3\"",
        number % PAGES,
        number % 91
    )));
    assert!(found.unwrap().total() <= PAGES);
    let some = url(number % PAGES);
    if let Some(heedful_index::UrlState::Page { has_snapshot, .. }) =
        search.known(&some, None).unwrap()
    {
        assert_eq!(
            search.snapshot(&some, None).unwrap().is_some(),
            has_snapshot,
            "{some}"
        );
    }
}

/// Returns the memory that this process uses, in bytes. Returns `None` if the system does not
/// report it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ')
        .nth(1)?
        .parse::<u64>()
        .ok()
        .map(|pages| pages * 4096)
}

/// This test runs in a process of its own, since it measures the memory of the process, and other
/// tests use memory too.
#[test]
fn readers_are_never_disturbed() {
    if std::env::var_os("HEEDFUL_ALONE").is_none() {
        let mut alone = Command::new(std::env::current_exe().unwrap());
        alone
            .args([
                "--exact",
                "live::readers_are_never_disturbed",
                "--nocapture",
            ])
            .env("HEEDFUL_ALONE", "1");
        let output = alone.output().unwrap();
        let told = [output.stdout, output.stderr]
            .map(|told| String::from_utf8_lossy(&told).into_owned())
            .concat();
        assert!(
            output.status.success() && told.contains(" 1 passed"),
            "{told}"
        );
        eprintln!("{told}");
        return;
    }
    disturbed_by_nothing();
}

fn disturbed_by_nothing() {
    let seconds = std::env::var("HEEDFUL_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(5);
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path(), &filter()).unwrap();
    write(&index, 0);
    let (end, is_over) = (
        Instant::now() + Duration::from_secs(seconds),
        AtomicBool::new(false),
    );
    let asked = AtomicU64::new(0);
    let mut versions = 0;
    let mut memory = Vec::new();
    thread::scope(|scope| {
        for reader in 0..2 {
            let (asked, is_over) = (&asked, &is_over);
            let index = Index::open(folder.path()).unwrap();
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    ask(&index, asked.fetch_add(1, Ordering::Relaxed) * 3 + reader);
                }
            });
        }
        let guard = Over(&is_over);
        while Instant::now() < end {
            versions += 1;
            write(&index, versions);
            purge(&index, versions);
            if versions % 10 == 0 {
                index.compact().unwrap();
                memory.extend(resident());
            }
        }
        drop(guard);
    });
    assert!(asked.load(Ordering::Relaxed) > 0 && versions > 1);
    assert_eq!(
        Index::open(folder.path()).unwrap().check().unwrap(),
        [""; 0]
    );
    let megabytes: Vec<_> = memory.iter().map(|bytes| bytes >> 20).collect();
    eprintln!(
        "{} questions, {versions} commits and purges, memory in MB: {megabytes:?}",
        asked.load(Ordering::Relaxed)
    );
    let (early, late) = memory.split_at(memory.len() / 2);
    if let (Some(early), Some(late)) = (early.iter().max(), late.iter().max()) {
        assert!(
            *late < early * 3 / 2 + (64 << 20),
            "memory grew: {megabytes:?}"
        );
    }
}

/// Sets a flag when it is dropped, even if the writer panics. The flag ends the threads that read
/// the index.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
