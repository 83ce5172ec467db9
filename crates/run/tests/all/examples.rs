//! Runs each example of each crate, and checks that it works as described. The inputs are the pages
//! of `corpus/site`, and small generated pages.
//!
//! Cargo builds the examples together with the tests. The first test in this file finds examples
//! that no test runs.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;

use flate2::read::MultiGzDecoder;
use tempfile::TempDir;

use crate::support;

/// The examples that have a test in this file, each with the folder of its crate.
const RUN: [(&str, &str); 16] = [
    ("check_page", "crates/lint"),
    ("fetch_gate", "crates/input"),
    ("forms", "crates/index"),
    ("index_and_search", "crates/run"),
    ("json_lines", "crates/run"),
    ("own_convention", ""),
    ("own_engine", ""),
    ("own_sink", ""),
    ("purge", "crates/run"),
    ("report", "crates/report"),
    ("several_bots", ""),
    ("shards", "crates/index"),
    ("snapshot_stream", ""),
    ("snapshots_as_warc", "crates/run"),
    ("tokio", ""),
    ("web", "crates/index"),
];

fn site() -> PathBuf {
    support::root().join("corpus/site")
}

/// Returns a command that runs the example `name`. Builds the example if needed: `cargo test` of
/// the whole workspace has already built it, but `cargo test` of this package has not.
fn program(name: &str) -> Command {
    static BUILT: Once = Once::new();
    let program = std::env::current_exe()
        .unwrap()
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples")
        .join(name);
    let (_, package) = RUN.iter().find(|(example, _)| *example == name).unwrap();
    let source = support::root()
        .join(package)
        .join("examples")
        .join(name)
        .with_extension("rs");
    let changed = |path: &Path| {
        fs::metadata(path)
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    if changed(&program) < changed(&source) {
        BUILT.call_once(|| {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["build", "--locked", "--quiet", "--workspace", "--examples"]);
            assert!(
                cargo
                    .current_dir(support::root())
                    .status()
                    .unwrap()
                    .success()
            );
        });
    }
    Command::new(program)
}

fn run(name: &str, arguments: &[&str], stdin: &str) -> Output {
    let mut command = program(name);
    let command = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    child
        .stdin
        .take()
        .unwrap()
        .write_all(stdin.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// Runs an example with this standard input, and returns what it prints. The example must exit
/// successfully.
fn printed(name: &str, arguments: &[&str], stdin: &str) -> String {
    let output = run(name, arguments, stdin);
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_example_is_run() {
    let packages = fs::read_dir(support::root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found = BTreeSet::new();
    for package in packages.chain([support::root().to_owned()]) {
        let files = fs::read_dir(package.join("examples"))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path());
        let package = package
            .strip_prefix(support::root())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        found.extend(files.map(|path| {
            (
                path.file_stem().unwrap().to_str().unwrap().to_owned(),
                package.clone(),
            )
        }));
    }
    let run = RUN.map(|(name, package)| (name.to_owned(), package.to_owned()));
    assert_eq!(found, run.into());
}

#[test]
fn forms_of_words_are_measured() {
    let page = r#"{"html": "<html lang=en><p>Two caf\u00E9s, many breads"}"#;
    let found = printed("forms", &[], &format!("{page}\n{{}}\n"));
    assert!(found.starts_with("1 pages"), "{found}");
    for forms in ["exact", "folded", "stemmed"] {
        assert!(found.contains(&format!("\n| {forms} | ")), "{found}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn indexes_of_many_segments_are_merged() {
    let folder = TempDir::new().unwrap();
    let shards = folder.path().join("shards").display().to_string();
    let found = printed("shards", &[&shards, "3", "2", "4"], "");
    assert!(found.contains(" files in 3 indexes"), "{found}");
    assert!(found.contains("pages: 24,"), "{found}");
    assert!(found.contains("the new index is there: true"), "{found}");
}

#[test]
fn a_web_is_written_as_json_lines() {
    let first = printed("web", &["40"], "");
    // The files of sites, and the pages that they do not forbid.
    assert!((20..60).contains(&first.lines().count()), "{first}");
    for line in first.lines() {
        let capture: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(capture["url"].is_string(), "{line}");
    }
    assert!(first == printed("web", &["40"], ""));
    assert!(first != printed("web", &["40", "1", "whole"], ""));
}

#[test]
fn an_index_is_made_searched_and_purged() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index");
    let (index, site) = (index.to_str().unwrap(), site());
    let found = printed(
        "index_and_search",
        &[index, "rye", site.to_str().unwrap()],
        "",
    );
    assert!(
        found.contains("https://site.example/") && !found.starts_with("0 pages"),
        "{found}"
    );

    let robots = folder.path().join("robots.txt");
    fs::write(&robots, "User-agent: *\nDisallow: /").unwrap();
    let purged = printed(
        "purge",
        &[index, "https://site.example/", robots.to_str().unwrap()],
        "",
    );
    assert!(
        purged
            .lines()
            .filter(|line| line.starts_with("out: "))
            .count()
            > 10,
        "{purged}"
    );
}

#[test]
fn several_bots_get_what_is_theirs() {
    let told = printed("several_bots", &[], "");
    assert!(
        told.contains("SearchBot: [\"Dark rye. Prices change every day. Order here\"]"),
        "{told}"
    );
    assert!(
        told.contains("NewsBot: [\"Dark rye.\", \"Order here\"]\n  follows 0 of 1 links"),
        "{told}"
    );
    assert!(told.ends_with("may keep a copy: false\n"), "{told}");
}

#[test]
fn a_site_is_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut request) = (stream.unwrap(), [0; 4096]);
            let _ = stream.read(&mut request);
            let rules = "User-agent: *\nDisallow: /shut\nCrawl-delay: 2\n";
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{rules}",
                rules.len()
            );
        }
    });
    let copies = TempDir::new().unwrap();
    let [open, shut] = ["open", "shut"].map(|path| format!("{site}/{path}"));
    let told = printed(
        "fetch_gate",
        &["--private", copies.path().to_str().unwrap(), &open, &shut],
        "",
    );
    assert!(
        told.contains(&format!(
            "may be fetched: {open}\n  no line speaks of it\n  one request each 2 s"
        )),
        "{told}"
    );
    assert!(
        told.contains(&format!(
            "must not be fetched: {shut}\n  line 2: Disallow: /shut"
        )),
        "{told}"
    );
}

#[test]
fn an_own_engine_has_words_with_gaps() {
    let told = printed("own_engine", &[], "");
    assert!(
        told.contains("rye: [0, 1001, 2004]") && told.contains("bread: [2001]"),
        "{told}"
    );
    assert!(
        told.contains("excerpt: Dark rye [...] bread") && !told.contains("3.20"),
        "{told}"
    );
}

#[test]
fn a_copy_is_streamed() {
    let page = "<p>kept <b class=robots-noarchive>gone</b> and kept";
    let copy = printed("snapshot_stream", &["https://site.example/"], page);
    assert!(
        copy.starts_with("<p>kept ") && copy.contains("[...]") && !copy.contains("gone"),
        "{copy}"
    );
    let void = run(
        "snapshot_stream",
        &["https://site.example/"],
        "one <meta name=robots content=noarchive>",
    );
    assert!(!void.status.success() && void.stdout.is_empty());
}

#[test]
fn passes_are_held_over_an_await() {
    let folder = TempDir::new().unwrap();
    let pages =
        ["one", "two", "three"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    for (page, word) in pages.iter().zip(["dark", "rye", "bread"]) {
        let html = format!(
            "<p>{word} <b class=robots-nocontent>{}</b> of ours",
            "gone ".repeat(2000)
        );
        fs::write(page, html).unwrap();
    }
    let told = printed("tokio", &pages.each_ref().map(String::as_str), "");
    let lines: BTreeSet<&str> = told.lines().collect();
    let expected = ["dark", "rye", "bread"].map(|word| format!("[\"{word}\", \"of ours\"]"));
    assert_eq!(lines, expected.iter().map(String::as_str).collect());
}

#[test]
fn copies_are_one_archive() {
    let folder = TempDir::new().unwrap();
    let archive = folder.path().join("copies.warc.gz");
    let told = printed(
        "snapshots_as_warc",
        &[archive.to_str().unwrap(), site().to_str().unwrap()],
        "",
    );
    let kept: usize = told.split(' ').next().unwrap().parse().unwrap();
    let mut copies = String::new();
    MultiGzDecoder::new(fs::File::open(archive).unwrap())
        .read_to_string(&mut copies)
        .unwrap();
    assert!(
        kept > 20 && copies.matches("WARC-Type: conversion").count() == kept,
        "{told}"
    );
}

#[test]
fn an_own_sink_has_an_outline() {
    assert_eq!(
        printed("own_sink", &[], ""),
        "A bakery\nBread: 3 words\nPrices: 4 words\nfollow https://bakery.example/us\n"
    );
}

#[test]
fn an_own_convention_is_heard() {
    let told = printed("own_convention", &[], "");
    assert!(
        told.starts_with("[\"Dark rye.\"]\n") && told.contains("<!--nosearch-->"),
        "{told}"
    );
    assert!(told.ends_with("the page for printers: []\n"), "{told}");
}

#[test]
fn a_report_tells_why() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("report.html");
    let page = site().join("index.html");
    let told = printed(
        "report",
        &[
            "https://site.example/",
            page.to_str().unwrap(),
            out.to_str().unwrap(),
        ],
        "",
    );
    assert!(told.contains("words may be indexed"), "{told}");
    assert!(fs::read_to_string(out).unwrap().contains("<html"));
}

#[test]
fn a_page_is_checked() {
    let folder = TempDir::new().unwrap();
    let page = folder.path().join("page.html");
    for (html, is_well) in [
        ("<p>one<!--noindex-->two<!--/noindex-->", true),
        ("<p>one<!--noindex-->two", false),
    ] {
        fs::write(&page, html).unwrap();
        let output = run(
            "check_page",
            &["https://site.example/", page.to_str().unwrap()],
            "",
        );
        assert_eq!(output.status.success(), is_well);
        assert_eq!(
            String::from_utf8(output.stdout)
                .unwrap()
                .contains("unclosed-region"),
            !is_well
        );
    }
}

#[test]
fn lines_go_in_and_out() {
    let row = "{\"url\":\"https://site.example/a\",\"html\":\"<p>one<!--noindex-->two\"}\n";
    let out = printed("json_lines", &["-"], row);
    assert!(
        out.contains("\"phrases\":[\"one\"]") && !out.contains("two"),
        "{out}"
    );
}
