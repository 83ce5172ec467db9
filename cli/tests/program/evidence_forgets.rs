//! If a log of evidence forgets a page, the page is removed from all files of the log, including
//! files that a crashed run left.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use data_encoding::{BASE64, HEXLOWER};
use flate2::read::ZlibDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{path, run, write};
use crate::support::made::folder;

const SITE: &str = "https://site.example";

fn good(arguments: &[&str]) -> String {
    let (status, out, told) = run(arguments, "");
    assert_eq!(status, 0, "{arguments:?}: {told}");
    out + &told
}

fn crawl(folder: &TempDir, name: &str, lines: &[Value]) -> String {
    write(
        folder,
        name,
        &lines
            .iter()
            .map(|line| line.to_string() + "\n")
            .collect::<String>(),
    )
}

/// Writes a crawl of three pages, whose contents depend on the number `day`. Returns its path.
fn pages(folder: &TempDir, day: u8) -> String {
    let page = |name| json!({ "url": format!("{SITE}/{name}"), "html": format!("<p>day {day}") });
    crawl(folder, &format!("{day}.jsonl"), &["a", "b", "c"].map(page))
}

/// Creates an index with two commits. Returns the path of the index, the path of its log of
/// evidence, the URL of page `a`, and the log's files after the first commit.
fn two_commits(folder: &TempDir) -> (String, String, String, BTreeMap<String, Vec<u8>>) {
    let [index, log] = ["index", "log"].map(|name| path(folder, name));
    good(&[
        "index",
        &pages(folder, 1),
        "-q",
        "-o",
        &index,
        "--evidence",
        &log,
    ]);
    let before = files(&log);
    good(&["index", &pages(folder, 2), "-q", "-o", &index]);
    (index, log, format!("{SITE}/a"), before)
}

/// Returns the content of each file in a folder and its subfolders, by its name.
fn files(log: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(log) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(log).unwrap();
            let bytes = fs::read(entry.path()).unwrap();
            files.insert(name.display().to_string(), bytes);
        }
    }
    files
}

fn put_back(log: &str, files: &BTreeMap<String, Vec<u8>>, with_state: bool) {
    let is_state = |name: &str| ["log.json", "checkpoint"].contains(&name);
    for (name, bytes) in files {
        if with_state || !is_state(name) {
            let path = Path::new(log).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

/// Returns the salts of all entries of a page in a log of evidence.
fn salts(log: &str, url: &str) -> Vec<Vec<u8>> {
    let proofs = good(&["evidence", "prove", log, url, "--all"]);
    let extras = proofs
        .lines()
        .filter_map(|line| line.strip_prefix("extra "));
    extras
        .map(|extra| {
            let extra = BASE64.decode(extra.as_bytes()).unwrap();
            let salt = extra.split(|byte| *byte == b'\n').nth(1).unwrap();
            HEXLOWER.decode(salt).unwrap()
        })
        .collect()
}

fn has(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

fn is_nowhere(log: &str, salts: &[Vec<u8>]) {
    for (name, bytes) in unpacked(log) {
        assert!(
            !salts.iter().any(|salt| has(&bytes, salt)),
            "{name} has a salt that was erased"
        );
    }
}

/// A log of evidence forgets a page even after a crash between the index's commit and the log's.
/// Such a crash leaves an old head in the log, and the salts in two files.
#[test]
fn what_is_forgotten_after_a_crash_is_found_by_no_later_run() {
    let folder = folder();
    let (index, log, url, before) = two_commits(&folder);
    let salts = salts(&log, &url);
    assert_eq!(salts.len(), 2);
    put_back(&log, &before, true);
    let crashed = files(&log);
    let (status, _, told) = run(&["evidence", "forget", &log, &url], "");
    assert!(
        status == 2 && told.contains("--index DIR"),
        "{status} {told}"
    );
    assert_eq!(files(&log), crashed, "what is refused changes nothing");
    let told = good(&["evidence", "forget", &log, &url, "--index", &index]);
    assert!(told.contains("2 entries forgotten"), "{told}");
    is_nowhere(&log, &salts);
    for day in [3, 4] {
        good(&["evidence", "audit", &log, "--index", &index]);
        assert_eq!(run(&["evidence", "history", &log, &url], "").0, 1);
        let other = json!({ "url": format!("{SITE}/{day}"), "html": "<p>other" });
        good(&[
            "index",
            &crawl(&folder, "other.jsonl", &[other]),
            "-q",
            "-o",
            &index,
        ]);
    }
    good(&["evidence", "history", &log, &format!("{SITE}/b")]);
}

/// A log of evidence forgets a page even after a crash that leaves files which the log's new head
/// no longer names.
#[test]
fn files_that_are_left_over_are_swept_before_a_page_is_forgotten() {
    let folder = folder();
    let (_, log, url, before) = two_commits(&folder);
    let salts = salts(&log, &url);
    put_back(&log, &before, false);
    write(
        &folder,
        "log/private/records/000.p/6.next",
        "half of a file",
    );
    let told = good(&["evidence", "forget", &log, &url]);
    assert!(told.contains("2 entries forgotten"), "{told}");
    is_nowhere(&log, &salts);
    let names: Vec<_> = files(&log).into_keys().collect();
    assert_eq!(
        names,
        [
            "checkpoint",
            "keys",
            "lock",
            "log.json",
            "private/key",
            "private/records/000.p/6",
            "private/urls/000.p/6",
            "tile/0/000.p/3",
            "tile/0/000.p/6",
            "tile/entries/000.p/3",
            "tile/entries/000.p/6",
        ]
    );
    // A log of masks has no index, so its own head says which files count.
    let masks = path(&folder, "masks");
    good(&[
        "mask",
        &pages(&folder, 1),
        "-q",
        "-o",
        &path(&folder, "mask"),
        "--evidence",
        &masks,
    ]);
    let killed = "private/records/000.p/7";
    write(
        &folder,
        &format!("masks/{killed}"),
        "of a mask that was killed",
    );
    good(&["evidence", "forget", &masks, &url]);
    assert!(!files(&masks).contains_key(killed));
    good(&["evidence", "audit", &masks]);
}

#[test]
fn a_log_is_forgotten_from_by_its_own_index() {
    let folder = folder();
    let (index, log, url, _) = two_commits(&folder);
    let other = path(&folder, "other");
    good(&["index", &pages(&folder, 1), "-q", "-o", &other]);
    for (index, expected) in [(&other, "keeps no evidence"), (&log, "holds no index")] {
        let (status, _, told) = run(&["evidence", "forget", &log, &url, "--index", index], "");
        assert!(status == 2 && told.contains(expected), "{told}");
    }
    good(&[
        "index",
        &pages(&folder, 1),
        "-q",
        "-o",
        &other,
        "--evidence",
        &path(&folder, "others"),
    ]);
    let (status, _, told) = run(&["evidence", "forget", &log, &url, "--index", &other], "");
    assert!(
        status == 2 && told.contains("does not hold the log"),
        "{told}"
    );
    // The log may have moved since the index was written.
    let moved = path(&folder, "moved");
    fs::rename(&log, &moved).unwrap();
    assert!(good(&["evidence", "forget", &moved, &url, "--index", &index]).contains("2 entries"));
}

/// Returns the files of a log of evidence by name: each with its bytes, and its unpacked bytes.
fn unpacked(log: &str) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for (name, bytes) in files(log) {
        let mut plain = Vec::new();
        if ZlibDecoder::new(bytes.as_slice())
            .read_to_end(&mut plain)
            .is_ok()
        {
            all.push((format!("{name}, unpacked"), plain));
        }
        all.push((name, bytes));
    }
    assert!(all.iter().any(|(name, _)| name.ends_with("unpacked")));
    all
}

/// Fails if one of `texts` occurs in a log of evidence. The private records, and the site files that
/// the log stores, are exempt unless `is_everywhere`.
fn names_none(log: &str, texts: &[&str], is_everywhere: bool) {
    for (name, bytes) in unpacked(log) {
        if !is_everywhere && name.starts_with("private/records") || name.starts_with("files/files")
        {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        for wanted in texts {
            assert!(!text.contains(wanted), "{name} names {wanted}: {text}");
        }
    }
}

#[test]
fn the_url_of_a_page_stands_nowhere_in_its_log() {
    let folder = folder();
    let [index, log] = ["index", "log"].map(|name| path(&folder, name));
    let url = format!("{SITE}/about-me?q=1");
    let link = format!(
        "<{url}>; rel=\"canonical\", <{SITE}/?short=77>; rel=shortlink, </rsl.xml>; rel=license; \
         type=\"application/rsl+xml\""
    );
    let headers = |robots: &str| json!({ "Link": link, "X-Robots-Tag": robots, "X-Link-Of": url, "Content-Type": "text/html" });
    let lines = [
        json!({ "url": url, "html": "<p>one", "headers": headers("noarchive") }),
        json!({ "url": format!("{SITE}/other"), "html": "<p>two", "headers": headers("unavailable_after: never") }),
        json!({ "url": format!("{SITE}/kept-out"), "html": "<p>three", "robots": "User-agent: *\nDisallow: /kept-out\n" }),
        json!({ "url": format!("{SITE}/asked"), "html": "<p>four" }),
    ];
    good(&[
        "index",
        &crawl(&folder, "crawl.jsonl", &lines),
        "-q",
        "-o",
        &index,
        "--evidence",
        &log,
    ]);
    let asked = format!("{SITE}/asked");
    good(&[
        "purge",
        &index,
        "--url",
        &asked,
        "--why",
        &format!("{asked} is private"),
    ]);
    let proof = write(&folder, "proof", &good(&["evidence", "prove", &log, &url]));
    let key = path(&folder, "log/keys");
    let check = ["evidence", "check", &proof, "--key", &key];
    assert!(good(&check).contains("denied archive"));
    let page = write(&folder, "page", "<p>one");
    let told = good(&[&check[..], &["--page", &page]].concat());
    assert!(told.contains("judged again: the same decision"), "{told}");
    // The URL of the licence is kept, since the page may be judged by it.
    let other = good(&["evidence", "prove", &log, &format!("{SITE}/other")]);
    let other = other.lines().find_map(|line| line.strip_prefix("extra "));
    let other = BASE64.decode(other.unwrap().as_bytes()).unwrap();
    let other = String::from_utf8(other).unwrap();
    assert!(
        other.contains("rsl.xml") && !other.contains("shortlink") && !other.contains("x-link-of"),
        "{other}"
    );
    let history = good(&["evidence", "history", &log, &asked]);
    assert!(
        history.contains(&format!("{asked} is private")),
        "{history}"
    );
    assert!(
        good(&["evidence", "history", &log, &format!("{SITE}/kept-out")])
            .contains("Disallow: /kept-out")
    );
    let urls = [
        url.as_str(),
        "/about-me",
        "short=77",
        &asked,
        "site.example/kept-out",
        "\"Disallow: /kept-out",
    ];
    names_none(&log, &urls, false);
    for url in [&url, &asked, &format!("{SITE}/kept-out")] {
        good(&["evidence", "forget", &log, url]);
    }
    names_none(&log, &urls, true);
    good(&["evidence", "audit", &log, "--index", &index]);
    good(&[&check[..], &["--page", &page]].concat());
}

/// The page of a folder has two URLs and is judged by both. So its record has both.
#[test]
fn the_second_url_of_a_page_is_erased_too() {
    let folder = folder();
    let [index, log, site] = ["index", "log", "site"].map(|name| path(&folder, name));
    let html = "<p>hello";
    let file = write(&folder, "site/about-me/index.html", html);
    let robots = write(
        &folder,
        "site/robots.txt",
        "User-agent: *\nDisallow: /*.html$\n",
    );
    good(&[
        "index",
        &site,
        "-u",
        SITE,
        "-q",
        "-o",
        &index,
        "--evidence",
        &log,
    ]);
    let url = format!("{SITE}/about-me/");
    let proof = write(&folder, "proof", &good(&["evidence", "prove", &log, &url]));
    let key = path(&folder, "log/keys");
    let check = [
        "evidence", "check", &proof, "--key", &key, "--page", &file, "--file", &robots,
    ];
    assert!(good(&check).contains("judged again: the same decision"));
    assert!(
        good(&check).contains("gone: robots.txt"),
        "by its other URL"
    );
    names_none(&log, &["about-me"], false);
    good(&["evidence", "forget", &log, &url]);
    names_none(&log, &["about-me"], true);
}

#[test]
fn secrets_are_their_owners() {
    let folder = folder();
    let (_, log, url, _) = two_commits(&folder);
    let mode = |name: &str| {
        fs::metadata(Path::new(&log).join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    let is_private = || {
        files(&log)
            .keys()
            .filter(|name| name.starts_with("private/"))
            .all(|name| mode(name) == 0o600)
    };
    assert!(is_private());
    assert_ne!(
        mode("log.json") & 0o044,
        0,
        "who audits the log may read the rest"
    );
    good(&["evidence", "forget", &log, &url]);
    assert!(is_private());
}
