//! Runs the scenario in site.txt with the program: the changes of a site over time.
//!
//! The test of the scenario is a separate test program. When a test starts a process, that process
//! briefly holds the locks of its parent, including those of indexes that other tests write.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use heedful_index::Index;

use crate::common::{Random, folder};
use crate::site::live;

fn heedful(arguments: &[&str], paths: &[PathBuf]) -> i32 {
    let mut command = Command::cargo_bin("heedful").unwrap();
    let output = command.args(arguments).args(paths).output().unwrap();
    output.status.code().unwrap()
}

#[test]
fn a_site_changes_as_the_program_sees_it() {
    let folder = folder();
    let index = folder.path().join("index").display().to_string();
    let open = || Index::open(Path::new(&index)).unwrap();
    let feed = |paths: &[PathBuf]| {
        let status = heedful(&["index", "-q", "--snapshot", "-o", &index], paths);
        assert_eq!(status, 0);
        assert_eq!(heedful(&["stats", "--check", &index], &[]), 0);
    };
    let compact = || assert_eq!(heedful(&["compact", "-q", &index], &[]), 0);
    let mut random = Random(7);
    live(open, feed, compact, || random.below(3) == 0);
    assert_eq!(heedful(&["search", &index, "rye"], &[]), 0);
    assert_eq!(heedful(&["search", &index, "where"], &[]), 1);
}
