//! Hostile inputs that are no ordinary files: pipes without a writer, endless devices, sparse files
//! of gigabytes.
//!
//! A manifest lists the hostile site folder or file between the good pages.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::Make::Files;
use crate::made::{page, write};
use crate::{GOOD, Row};

pub(crate) const ROWS: &[Row] = &[
    (
        "a robots.txt that is a pipe",
        Files(|at, good| site(at, good, |site| fifo(&site.join("robots.txt")))),
    ),
    (
        "a robots.txt that leads to /dev/zero",
        Files(|at, good| site(at, good, |site| zero(&site.join("robots.txt")))),
    ),
    (
        "a robots.txt of 20 GB of nothing",
        Files(|at, good| site(at, good, |site| sparse(&site.join("robots.txt")))),
    ),
    (
        "pages that are a pipe, a device, 20 GB of nothing",
        Files(|at, good| site(at, good, odd_pages)),
    ),
    (
        "a manifest that names a pipe",
        Files(|at, good| named(at, good, fifo)),
    ),
    (
        "a manifest that names a link to /dev/zero",
        Files(|at, good| named(at, good, zero)),
    ),
    (
        "a manifest that names 20 GB of nothing",
        Files(|at, good| named(at, good, sparse)),
    ),
    (
        "20 GB of nothing, named as a WARC",
        Files(|at, good| behind(at, good, &page("https://bad.example/", "<p>x"))),
    ),
    (
        "20 GB of nothing, named as JSON",
        Files(|at, good| behind(at, good, b"{\"url\":\"https://bad.example/\",\"html\":\"")),
    ),
];

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn zero(path: &Path) {
    symlink("/dev/zero", path).unwrap();
}

fn sparse(path: &Path) {
    File::options()
        .create(true)
        .append(true)
        .open(path)
        .unwrap()
        .set_len(20 << 30)
        .unwrap();
}

fn odd_pages(site: &Path) {
    fifo(&site.join("pipe.html"));
    zero(&site.join("device.html"));
    sparse(&site.join("holes.html"));
}

/// Creates a site folder with the hostile files that `make` creates in it. Returns the arguments by
/// which the program reads the folder, with two good pages if `good` is true.
fn site(at: &Path, good: bool, make: fn(&Path)) -> Vec<OsString> {
    write(at, "site/index.html", b"<p>word");
    make(&at.join("site"));
    manifest(at, good, "site\thttps://bad.example/")
}

fn named(at: &Path, good: bool, make: fn(&Path)) -> Vec<OsString> {
    make(&at.join("odd"));
    manifest(at, good, "odd")
}

/// Creates a sparse file that begins with `bytes` and continues with a hole of gigabytes. Returns
/// the arguments by which the program reads the file, with two good pages if `good` is true.
fn behind(at: &Path, good: bool, bytes: &[u8]) -> Vec<OsString> {
    sparse(&write(at, "odd", bytes));
    manifest(at, good, "odd")
}

/// Writes a manifest that lists the input `line`, alone or between two good pages. Returns the
/// arguments by which the program reads the manifest.
fn manifest(at: &Path, good: bool, line: &str) -> Vec<OsString> {
    let pages = GOOD.map(|url| write(at, url.rsplit('/').next().unwrap(), &page(url, "<p>good")));
    let [first, last] = pages.each_ref().map(|path| {
        if good {
            path.to_str().unwrap()
        } else {
            "# alone"
        }
    });
    let list = write(at, "list", format!("{first}\n{line}\n{last}\n").as_bytes());
    vec!["--input".into(), "manifest".into(), list.into()]
}
