//! Tests that damage on disk is detected: in segments, in used and unused snapshots, and in a
//! commit's payload.

use std::path::{Path, PathBuf};

use heedful_index::Index;
use tempfile::TempDir;

use crate::common::{add, create, folder};

/// Creates an index. Two of its snapshots belong to no page any more, too few to rewrite their
/// file.
fn index() -> TempDir {
    let folder = folder();
    let index = create(folder.path());
    for round in 0..3 {
        let mut writer = index.writer(1).unwrap();
        let numbers = if round == 0 { 0..8 } else { round..round + 1 };
        for number in numbers {
            add(
                &mut writer,
                &format!("https://site.example/{number}"),
                &format!("<p>round {round} of {number}"),
            );
        }
        writer.remember(Some(format!("{{\"round\": {round}}}")));
        writer.commit().unwrap();
    }
    folder
}

/// True if damage to the index in `folder` is noticed: either the check reports the damage, or the
/// index cannot be opened.
fn is_reported(folder: &Path) -> bool {
    Index::open(folder)
        .and_then(|index| index.check())
        .map_or(true, |found| !found.is_empty())
}

/// Returns the byte offsets, out of `places`, at which a flipped bit of a file is not reported as
/// damage.
fn unseen(folder: &Path, file: &Path, places: impl Iterator<Item = usize>) -> Vec<usize> {
    let whole = std::fs::read(file).unwrap();
    let mut unseen = Vec::new();
    for at in places.filter(|at| *at < whole.len()) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(file, &flipped).unwrap();
        unseen.extend(Some(at).filter(|_| !is_reported(folder)));
    }
    std::fs::write(file, whole).unwrap();
    assert!(!is_reported(folder), "{} is whole again", file.display());
    unseen
}

#[test]
fn each_byte_of_the_snapshots_counts() {
    let folder = index();
    let files: Vec<PathBuf> = std::fs::read_dir(folder.path().join("snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let files: Vec<_> = files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "gz"))
        .collect();
    assert_eq!(files.len(), 3);
    for file in files {
        assert_eq!(
            unseen(folder.path(), &file, (0..2000).step_by(3)),
            [0; 0],
            "{}",
            file.display()
        );
    }
}

/// A damaged snapshot file gets no new checksum, and stops no commit.
#[test]
fn a_damaged_file_is_never_rewritten() {
    let folder = index();
    let file = folder.path().join("snapshots/00000001.warc.gz");
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let damage = Index::open(folder.path()).unwrap().check().unwrap();
    let index = Index::open(folder.path()).unwrap();
    let mut writer = index.writer(1).unwrap();
    for number in 3..7 {
        add(
            &mut writer,
            &format!("https://site.example/{number}"),
            "<p>new",
        );
    }
    writer.commit().unwrap();
    drop(writer);
    index.compact().unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    assert_eq!(index.check().unwrap(), damage);
}

#[test]
fn each_byte_of_what_a_commit_says_of_itself_counts() {
    let folder = index();
    let file = folder.path().join("meta.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let start = text.find("\"payload\"").unwrap();
    assert!(
        text[start..].to_lowercase().contains("foobot") && text[start..].contains("checksum"),
        "{text}"
    );
    let end = start + text[start..].rfind('}').unwrap();
    assert_eq!(
        unseen(
            folder.path(),
            &file,
            start + "\"payload\": \"".len()..end - 2
        ),
        [0; 0],
        "{text}"
    );
}

#[test]
fn a_payload_without_its_checksum_is_damaged() {
    let folder = index();
    let file = folder.path().join("meta.json");
    let mut meta: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let mut payload: serde_json::Value =
        serde_json::from_str(meta["payload"].as_str().unwrap()).unwrap();
    payload.as_object_mut().unwrap().remove("checksum").unwrap();
    meta["payload"] = payload.to_string().into();
    std::fs::write(&file, meta.to_string()).unwrap();
    let error = Index::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("another checksum"), "{error}");
}
