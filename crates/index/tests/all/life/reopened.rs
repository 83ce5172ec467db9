//! Tests that a reopened writer removes pages like one that stayed open. This holds even if the
//! earlier writer was killed while it merged segments.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use heedful_index::{Gone, Index, Writer};
use tempfile::TempDir;

use crate::common::{add, create, folder, found};

fn url(number: usize) -> String {
    format!("https://site.example/{number}")
}

/// Adds and removes pages of an index in one commit. Returns the writer, which is still open.
fn commit(
    index: &Index,
    adds: impl Iterator<Item = usize>,
    removes: impl Iterator<Item = usize>,
) -> Writer {
    let mut writer = index.writer(1).unwrap();
    for number in removes {
        writer.remove(&url(number), Gone::Removed, "").unwrap();
    }
    for number in adds {
        add(&mut writer, &url(number), &format!("<p>word{number}"));
    }
    writer.commit().unwrap();
    writer
}

/// Copies an index as a killed writer leaves it, at the last commit. Returns None if a merge of
/// segments ended during the copying.
fn killed(folder: &Path) -> Option<TempDir> {
    let copied = TempDir::new().unwrap();
    std::fs::copy(folder.join("meta.json"), copied.path().join("meta.json")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name();
        if entry.path().is_file()
            && name != "meta.json"
            && !name.to_string_lossy().ends_with(".lock")
        {
            std::fs::copy(entry.path(), copied.path().join(name)).ok()?;
        }
    }
    std::fs::create_dir(copied.path().join("snapshots")).unwrap();
    for entry in std::fs::read_dir(folder.join("snapshots"))
        .unwrap()
        .flatten()
    {
        std::fs::copy(
            entry.path(),
            copied.path().join("snapshots").join(entry.file_name()),
        )
        .ok()?;
    }
    Some(copied)
}

/// Creates an index with a large and a small segment, which are to be merged. The small segment has
/// the pages 0 to 7, and the last commit removed the pages 1 to 4.
fn unmerged() -> TempDir {
    loop {
        let folder = folder();
        let index = create(folder.path());
        drop(commit(&index, 100..140, 0..0));
        drop(commit(&index, 0..8, 0..0));
        let writer = commit(&index, 0..0, 1..5);
        let copied = killed(folder.path());
        drop(writer);
        if let Some(copied) = copied.filter(|copied| {
            Index::open(copied.path())
                .unwrap()
                .check()
                .unwrap()
                .is_empty()
        }) {
            return copied;
        }
    }
}

/// Checks that the first removal of a reopened writer takes effect, in whatever order the writer
/// flushes.
#[test]
fn what_a_writer_takes_back_first_stays_away() {
    for attempt in 0..5 {
        let folder = unmerged();
        let index = Index::open(folder.path()).unwrap();
        let writer = commit(&index, 0..0, 0..1);
        for _ in 0..10 {
            let urls = index.search().unwrap().urls().unwrap();
            assert_eq!(
                (found(&index, "word0"), urls.len()),
                (vec![], 43),
                "attempt {attempt}"
            );
            sleep(Duration::from_millis(5));
        }
        drop(writer);
        assert_eq!(found(&index, "word0"), [""; 0], "attempt {attempt}");
        assert_eq!(index.check().unwrap(), [""; 0], "attempt {attempt}");
    }
}

/// Checks that changes of a reopened writer have no effect if it does not commit them.
#[test]
fn what_a_writer_gives_up_stays() {
    for attempt in 0..5 {
        let folder = unmerged();
        let index = Index::open(folder.path()).unwrap();
        let mut writer = index.writer(1).unwrap();
        writer.remove(&url(100), Gone::Removed, "").unwrap();
        drop(writer);
        assert_eq!(found(&index, "word100"), [url(100)], "attempt {attempt}");
        assert_eq!(index.check().unwrap(), [""; 0], "attempt {attempt}");
    }
}

/// Checks that files of an index that disappear because segments were merged are not reported as
/// damage.
#[test]
fn a_check_beside_a_writer_finds_no_damage() {
    let folder = folder();
    let index = create(folder.path());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let checks = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                assert_eq!(index.check().unwrap(), [""; 0]);
            }
        });
        let mut writer = index.writer(1).unwrap();
        for number in 0..50 {
            add(&mut writer, &url(number % 7), "<p>word");
            writer.commit().unwrap();
            if checks.is_finished() {
                break;
            }
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(checks.join().is_ok());
    });
}
