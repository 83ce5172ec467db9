//! A test of the program that needs no files outside its own package. It writes pages, then
//! indexes, searches, explains and checks them. All other tests of the program (`tests/program/`)
//! read pages of the project.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use assert_cmd::Command;
use tempfile::TempDir;

const SITE: &str = "https://site.example/";

/// Writes a site of three pages into a folder: one without a denial, one with a withheld part, and
/// one that the site's robots.txt disallows.
fn site() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in [
        ("robots.txt", "User-agent: *\nDisallow: /shut"),
        (
            "index.html",
            "<title>Bread</title><p>Dark rye <a href=parts.html>and its parts</a>",
        ),
        (
            "parts.html",
            "<title>Parts</title><p>alfa <b class=robots-noindex>secret</b> bravo <!--noindex-->",
        ),
        ("shut.html", "<title>Shut</title><p>rye in secret"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Runs the program in a folder. Returns its exit status, standard output and standard error.
fn run(folder: &TempDir, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("heedful")
        .unwrap()
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn a_site_is_indexed_and_searched() {
    let (site, out) = (site(), TempDir::new().unwrap());
    let index = out.path().join("index").display().to_string();
    let (status, _, told) = run(&site, &["index", ".", "-o", &index, "-u", SITE]);
    assert!(
        status == 0 && told.starts_with("3 pages, 2 indexed; 1 kept out by robots.txt"),
        "{status} {told}"
    );

    let (status, found, told) = run(&site, &["search", &index, "rye"]);
    assert!(
        status == 0 && found.contains("https://site.example/\n") && !found.contains("shut"),
        "{found}{told}"
    );
    assert_eq!(run(&site, &["search", &index, "secret"]).0, 1);
    assert_eq!(run(&site, &["search", &index, "\"alfa bravo\"~255"]).0, 1);
    assert_eq!(run(&site, &["stats", &index, "--check"]).0, 0);
}

#[test]
fn a_page_is_read_and_explained() {
    let site = site();
    let page = ["parts.html", "-u", "https://site.example/parts.html"];
    let (status, text, told) = run(&site, &[&["text"], &page[..]].concat());
    assert_eq!((status, text.as_str()), (0, "alfa\nbravo\n"), "{told}");
    let (status, reasons, told) = run(&site, &[&["explain"], &page[..]].concat());
    assert!(
        status == 0 && reasons.contains("robots-noindex"),
        "{reasons}{told}"
    );
    let (status, _, told) = run(
        &site,
        &[&["explain", "--html", "why.html"], &page[..]].concat(),
    );
    assert!(
        status == 0 && site.path().join("why.html").is_file(),
        "{told}"
    );
}

#[test]
fn a_site_is_checked() {
    let site = site();
    assert_eq!(
        run(
            &site,
            &["check", "-r", "robots.txt", "https://site.example/"]
        )
        .0,
        0
    );
    assert_eq!(
        run(
            &site,
            &[
                "check",
                "-r",
                "robots.txt",
                "https://site.example/shut.html"
            ]
        )
        .0,
        1
    );
    let (status, findings, told) = run(
        &site,
        &["lint", "parts.html", "-u", SITE, "--format", "sarif"],
    );
    assert!(
        status == 1 && findings.contains("unclosed-region"),
        "{findings}{told}"
    );
}

#[cfg(feature = "full")]
#[test]
fn a_site_is_read_twice() {
    assert_eq!(run(&site(), &["verify", ".", "-u", SITE]).0, 0);
}
