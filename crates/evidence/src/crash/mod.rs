//! Tests in which a commit fails at every possible point. After each failure the index must be
//! intact, with the content of either the previous commit or the failed one. The evidence log of
//! the index must be intact, too, with the decisions up to the same commit.
//!
//! Each test repeats the same work. The simulated disk fails at the first file operation, then at
//! the second, and so on, until the work succeeds. After each failure, the test checks several
//! states in which a real disk might be found.

mod disk;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use heedful::{Bot, Filter};
use heedful_base::error::Result;
use heedful_index::decision::EntryKind;
use heedful_index::{Anchor, Gone, Index, Terms};

use super::log::Log;
use super::of_index::{IndexEvidence, in_files};
use disk::{Disk, Fault, Folders, Left};

const LEFT: [Left; 4] = [Left::All, Left::Torn, Left::Synced, Left::Some(1)];

/// Contents of an index: URLs of pages with their snapshots, removed URLs, anchors (link texts),
/// and for each URL the kinds of the recorded decisions.
type Contents = (
    Vec<(String, Option<String>)>,
    Vec<String>,
    Vec<Anchor>,
    Vec<Vec<EntryKind>>,
);

fn create(disk: &Folders) -> Result<Index> {
    let [main, snapshots, log, anchors] = disk.clone();
    let terms = Terms::from_filter(&Filter::new(Bot::new("FooBot").unwrap()))?;
    let index = Index::simulated(
        [Box::new(main), Box::new(snapshots), Box::new(anchors)],
        &terms,
    )?;
    Ok(in_files(index, Arc::new(log)))
}

/// Returns the kinds of the decisions in the index's log, one list for each test URL. If the log is
/// damaged, panics with a message that contains `what`.
fn decisions(index: &Index, disk: &Folders, what: &str) -> Vec<Vec<EntryKind>> {
    let Some((head, _)) = index.kept_evidence().unwrap() else {
        return Vec::new();
    };
    let log = Log::open_files_at(Arc::new(disk[2].clone()), &head)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(faults(&log), [""; 0], "{what}");
    let urls = ["a", "b", "c", "d", "e"].map(|name| format!("https://site.example/{name}"));
    let kinds = |url: &String| {
        let mut kinds: Vec<_> = log
            .history(url)
            .unwrap()
            .into_iter()
            .map(|decision| decision.kind)
            .collect();
        // Work that is repeated after a failure is recorded twice.
        kinds.dedup();
        kinds
    };
    urls.iter().map(kinds).collect()
}

/// Returns the problems that the audit of a log finds. An outdated checkpoint is left out: a crash
/// may leave one, and the next run signs a new one.
fn faults(log: &Log) -> Vec<String> {
    let mut found = log.audit().unwrap().found;
    found.retain(|fault| !fault.ends_with("the next run signs it"));
    found
}

fn contents(index: &Index, disk: &Folders, what: &str) -> Contents {
    let search = index.search().unwrap();
    let urls = search.urls().unwrap();
    let page = |url: String| (url.clone(), search.snapshot(&url, None).unwrap());
    let decisions = decisions(index, disk, what);
    (
        urls.into_iter().map(page).collect(),
        search.tombstone_urls().unwrap(),
        search.anchors().unwrap(),
        decisions,
    )
}

fn add(index: &Index, pages: &[(&str, &str)]) -> Result<()> {
    let filter = Filter::new(Bot::new("FooBot").unwrap()).snapshots();
    let mut writer = index.writer(1)?;
    for (name, html) in pages {
        let url = format!("https://site.example/{name}");
        match *html {
            "gone" => writer.remove(&url, Gone::Status(404), "")?,
            html => drop(writer.add(&filter.page(&url, &[], html.as_bytes()).unwrap())?),
        }
    }
    writer.commit()
}

const BEFORE: [(&str, &str); 4] = [
    (
        "a",
        "<p>first <a href=/b>the second</a> <a href=/z>nowhere</a>",
    ),
    ("b", "<p>second <a href=/a>the first</a>"),
    ("c", "<p>third <a href=/a>the first</a>"),
    ("d", "<meta name=robots content=noindex><p>fourth"),
];

const CHANGES: [(&str, &str); 4] = [
    ("a", "<p>first, changed <a href=/c>the third</a>"),
    ("b", "gone"),
    ("d", "<p>fourth"),
    ("e", "<p>fifth"),
];

/// Tests that an index survives a failure of the disk at any operation of `work`. Each run calls
/// `work` on an index that `prepare` has filled, and then checks the index. In the first run the
/// disk fails at the first operation, in the second run at the second operation, and so on.
///
/// `fault` gets the number of operations that succeed, and returns the failure that follows.
/// `may_be` lists the contents that the index may have after a failure, in the order in which
/// `work` commits them. If `work` succeeds, the index must have the last contents. Returns the
/// number of operations of `work`.
fn at_each_operation(
    prepare: impl Fn(&Index),
    work: impl Fn(&Index) -> Result<()>,
    fault: impl Fn(u64) -> Fault,
    may_be: &[Contents],
) -> u64 {
    let prepared = Disk::folders();
    prepare(&create(&prepared).unwrap());
    for operation in 0.. {
        let disk = Disk::after(&prepared, Left::All);
        let index = create(&disk).unwrap();
        disk[0].fail(fault(operation));
        let done = catch_unwind(AssertUnwindSafe(|| work(&index)));
        let failed = disk[0].failed();
        let is_done = matches!(done, Ok(Ok(())));
        assert!(failed || is_done, "without a fault: {done:?}");
        drop(index);
        let left = match fault(operation) {
            Fault::Room(_) => {
                disk[0].fail(Fault::Never);
                vec![(disk, format!("full at {operation}"))]
            }
            _ => left_after(&disk, operation),
        };
        for (disk, what) in &left {
            holds(disk, is_done, may_be, what);
        }
        // The last state differs most from an intact disk.
        if let Some((disk, what)) = left.last() {
            goes_on(disk, may_be, &work, what);
        }
        if !failed {
            return operation;
        }
    }
    0
}

/// Returns the states in which a power failure at `operation` may leave the disk, without
/// duplicates. Each state has a description for messages.
fn left_after(disk: &Folders, operation: u64) -> Vec<(Folders, String)> {
    let mut left = Vec::new();
    let mut seen = Vec::new();
    for state in LEFT {
        let disk = Disk::after(disk, state);
        let image = disk.each_ref().map(Disk::image);
        if !seen.contains(&image) {
            seen.push(image);
            left.push((disk, format!("crash at {operation}, {state:?} left")));
        }
    }
    left
}

fn holds(disk: &Folders, is_done: bool, may_be: &[Contents], what: &str) {
    let index = create(disk).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(index.check().unwrap(), [""; 0], "{what}");
    let found = contents(&index, disk, what);
    let state = may_be.iter().rposition(|state| *state == found);
    let state = state
        .unwrap_or_else(|| panic!("{what}: holds neither what was nor what is to be: {found:#?}"));
    assert!(
        !is_done || state + 1 == may_be.len(),
        "{what}: what was committed is lost"
    );
}

fn goes_on(disk: &Folders, may_be: &[Contents], work: impl Fn(&Index) -> Result<()>, what: &str) {
    let index = create(disk).unwrap();
    work(&index).unwrap_or_else(|error| panic!("{what}: it does not go on: {error}"));
    assert_eq!(
        Some(&contents(&index, disk, what)),
        may_be.last(),
        "{what}: after going on"
    );
    assert_eq!(index.check().unwrap(), [""; 0], "{what}: after going on");
}

/// Runs `steps` on one index, and returns the contents of the index after each step.
fn states(steps: &[&dyn Fn(&Index)]) -> Vec<Contents> {
    let disk = Disk::folders();
    let index = create(&disk).unwrap();
    let after = |step: &&dyn Fn(&Index)| {
        step(&index);
        contents(&index, &disk, "prepared")
    };
    steps.iter().map(after).collect()
}

fn prepare(index: &Index) {
    add(index, &BEFORE).unwrap();
}

fn change(index: &Index) {
    add(index, &CHANGES).unwrap();
}

#[test]
fn a_commit_is_whole_or_was_not() {
    let states = states(&[&prepare, &change]);
    assert_ne!(states[0], states[1]);
    let operations =
        at_each_operation(prepare, |index| add(index, &CHANGES), Fault::Power, &states);
    assert!(operations > 20, "only {operations} operations");
}

#[test]
fn a_full_disk_costs_no_more_than_the_commit() {
    let states = states(&[&prepare, &change]);
    at_each_operation(prepare, |index| add(index, &CHANGES), Fault::Room, &states);
}

/// A commit is interrupted at every possible point. It joins the snapshot files of eight earlier
/// commits, and removes one of their pages. The index must then have the contents of an earlier
/// commit or of this commit.
#[test]
fn a_commit_that_rewrites_snapshots_is_whole_or_was_not() {
    let prepare = |index: &Index| {
        add(index, &[("a", "<p>page a"), ("b", "<p>page b")]).unwrap();
        for name in ["c", "d", "e", "f", "g", "h", "i"] {
            add(index, &[(name, "<p>page")]).unwrap();
        }
    };
    let work = |index: &Index| add(index, &[("b", "gone"), ("j", "<p>page j")]);
    let disk = Disk::folders();
    let index = create(&disk).unwrap();
    prepare(&index);
    let before = disk[1].image();
    work(&index).unwrap();
    let after = disk[1].image();
    assert_eq!((before.len(), after.len()), (8, 1));
    assert!(!after.keys().any(|name| before.contains_key(name)));
    let states = states(&[&prepare, &|index| work(index).unwrap()]);
    at_each_operation(prepare, work, Fault::Power, &states);
    at_each_operation(prepare, work, Fault::Room, &states);
}

/// A writer must refuse all changes and commits after a failed commit, because the writer's state
/// is unknown.
#[test]
fn a_writer_that_failed_is_good_for_nothing() {
    let prepared = Disk::folders();
    prepare(&create(&prepared).unwrap());
    let before = contents(&create(&prepared).unwrap(), &prepared, "before");
    let removed = Disk::after(&prepared, Left::All);
    let index = create(&removed).unwrap();
    add(&index, &[("a", "gone")]).unwrap();
    let after = contents(&index, &removed, "after");
    let page = Filter::new(Bot::new("FooBot").unwrap())
        .page("https://site.example/late", &[], b"<p>late")
        .unwrap();
    for operation in (0..200).step_by(3) {
        let disk = Disk::after(&prepared, Left::All);
        let index = create(&disk).unwrap();
        let Ok(mut writer) = index.writer(1) else {
            continue;
        };
        disk[0].fail(Fault::Room(operation));
        writer
            .remove("https://site.example/a", Gone::Removed, "")
            .unwrap();
        if writer.commit().is_ok() {
            return;
        }
        disk[0].fail(Fault::Never);
        assert!(
            writer.add(&page).is_err() && writer.commit().is_err(),
            "full at {operation}"
        );
        drop(writer);
        // If only the last sync failed, the commit may be present.
        assert!(
            [&before, &after].contains(&&contents(&index, &disk, "full")),
            "full at {operation}"
        );
    }
    panic!("the commit never came to its end");
}

#[test]
fn compacting_never_loses_anything() {
    let both = |index: &Index| {
        prepare(index);
        change(index);
    };
    let states = states(&[&both]);
    at_each_operation(
        both,
        |index| index.compact().map(|_| ()),
        Fault::Power,
        &states,
    );
    at_each_operation(
        both,
        |index| index.compact().map(|_| ()),
        Fault::Room,
        &states,
    );
}

#[test]
fn an_index_is_made_or_can_be_made_again() {
    for operation in 0.. {
        let disk = Disk::folders();
        disk[0].fail(Fault::Power(operation));
        let made = create(&disk);
        let failed = disk[0].failed();
        assert!(failed || made.is_ok());
        for left in LEFT {
            let disk = Disk::after(&disk, left);
            let index = create(&disk)
                .unwrap_or_else(|error| panic!("crash at {operation}, {left:?} left: {error}"));
            prepare(&index);
            assert_eq!(index.stats().unwrap().pages(), 3);
        }
        if !failed {
            return;
        }
    }
}

/// A commit is interrupted at every possible point, and then a page is forgotten. No later run may
/// find the decisions about that page.
#[test]
fn a_page_that_is_forgotten_after_a_crash_stays_so() {
    let url = "https://site.example/a".to_owned();
    let prepared = Disk::folders();
    prepare(&create(&prepared).unwrap());
    let mut found = Vec::new();
    for operation in 0.. {
        let disk = Disk::after(&prepared, Left::All);
        let index = create(&disk).unwrap();
        disk[0].fail(Fault::Power(operation));
        let _ = catch_unwind(AssertUnwindSafe(|| add(&index, &CHANGES)));
        let failed = disk[0].failed();
        drop(index);
        for (disk, what) in left_after(&disk, operation) {
            let index = create(&disk).unwrap();
            let forgotten = index.forget_evidence(std::slice::from_ref(&url));
            found.push(forgotten.unwrap_or_else(|error| panic!("{what}: {error}")));
            add(&index, &[("e", "<p>later")]).unwrap();
            let (head, _) = index.kept_evidence().unwrap().unwrap();
            let log = Log::open_files_at(Arc::new(disk[2].clone()), &head).unwrap();
            assert_eq!(log.history(&url).unwrap(), [], "{what}");
            assert_eq!(faults(&log), [""; 0], "{what}");
        }
        if !failed {
            break;
        }
    }
    // Some crashes must precede the second decision's commit, and some must follow it.
    assert!(found.contains(&1) && found.contains(&2), "{found:?}");
}

/// Panics if a file of the log contains `url`, or the tag by which the entries about `url` are
/// found. The message begins with `what`.
fn is_nowhere(disk: &Folders, url: &str, what: &str) {
    let tag = crate::log::tag(url);
    for (name, bytes) in disk[2].image() {
        let unpacked = crate::bundles::unpack(&bytes).unwrap_or_default().concat();
        for bytes in [&bytes, &unpacked] {
            let has = |wanted: &[u8]| bytes.windows(wanted.len()).any(|part| part == wanted);
            let is_found = has(url.as_bytes()) || has(&tag);
            assert!(!is_found, "{what}: {} names the page", name.display());
        }
    }
}

/// Forgetting is interrupted at every possible point. If it reported success, no file of the log
/// contains the page's URL any more. Otherwise the next run finishes it, or it can be repeated.
#[test]
fn what_was_said_to_be_forgotten_is_so_ever_after() {
    let url = "https://site.example/a".to_owned();
    let prepared = Disk::folders();
    prepare(&create(&prepared).unwrap());
    change(&create(&prepared).unwrap());
    let open = |index: &Index, disk: &Folders| {
        let (head, _) = index.kept_evidence().unwrap().unwrap();
        Log::open_files_at(Arc::new(disk[2].clone()), &head).unwrap()
    };
    let mut operations = 0;
    loop {
        let disk = Disk::after(&prepared, Left::All);
        let index = create(&disk).unwrap();
        disk[0].fail(Fault::Power(operations));
        let urls = std::slice::from_ref(&url);
        let done = catch_unwind(AssertUnwindSafe(|| index.forget_evidence(urls)));
        let is_said = matches!(done, Ok(Ok(2)));
        let failed = disk[0].failed();
        assert!(failed || is_said, "{done:?}");
        drop(index);
        for (disk, what) in left_after(&disk, operations) {
            let index = create(&disk).unwrap();
            let log = open(&index, &disk);
            assert_eq!(faults(&log), [""; 0], "{what}");
            if is_said {
                assert_eq!(log.history(&url).unwrap(), [], "{what}");
                is_nowhere(&disk, &url, &what);
            }
            add(&index, &[("e", "<p>later")]).unwrap_or_else(|error| panic!("{what}: {error}"));
            let again = index.forget_evidence(urls).unwrap();
            assert!(again == 0 || again == 2 && !is_said, "{what}: {again}");
            is_nowhere(&disk, &url, &what);
            let audit = open(&index, &disk).audit().unwrap();
            assert_eq!((audit.found.len(), audit.forgotten), (0, 2), "{what}");
        }
        if !failed {
            break;
        }
        operations += 1;
    }
    assert!(operations > 10, "only {operations} operations");
}
