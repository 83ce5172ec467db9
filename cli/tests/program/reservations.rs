//! The tdmrep.json and the RSL licence of a site, wherever they are found. The uses that they
//! reserve are denied, but the pages still enter.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{run, write};

const FILE: &str =
    r#"[{"location": "/kept/", "tdm-reservation": 1, "tdm-policy": "https://site.example/terms"}]"#;
const HTML: &str = "<p>one word";

fn line(url: &str, html: &str) -> String {
    json!({"url": url, "html": html}).to_string() + "\n"
}

fn pages() -> String {
    let of = |path: &str| line(&format!("https://site.example/{path}"), HTML);
    of("kept/a") + &of("open/b") + &line("https://other.example/kept/c", HTML)
}

/// Parses the output of `filter`. Returns for each page its URL, whether the page may be used for
/// training, and whether it entered.
fn trained(out: &str) -> Vec<(String, bool, bool)> {
    let pages = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let pages = pages.map(|page| {
        let path = page["url"]
            .as_str()
            .unwrap()
            .trim_start_matches("https://")
            .to_owned();
        (
            path,
            page["verdict"]["train"].as_bool().unwrap(),
            page["verdict"]["enter"].as_bool().unwrap(),
        )
    });
    let mut pages: Vec<_> = pages.collect();
    pages.sort();
    pages
}

fn expected() -> Vec<(String, bool, bool)> {
    let page = |url: &str, train| (url.to_owned(), train, true);
    vec![
        page("other.example/kept/c", true),
        page("site.example/kept/a", false),
        page("site.example/open/b", true),
    ]
}

#[test]
fn among_lines_it_is_for_the_pages_of_its_site_wherever_it_stands() {
    let folder = TempDir::new().unwrap();
    let file = line("https://site.example/.well-known/tdmrep.json", FILE);
    for (name, lines) in [
        ("before", file.clone() + &pages()),
        ("behind", pages() + &file),
    ] {
        let path = write(&folder, &format!("{name}.jsonl"), &lines);
        let (status, out, told) = run(&["filter", &path, "-q"], "");
        assert_eq!((status, told.as_str()), (0, ""));
        assert_eq!(trained(&out), expected(), "{name}");
    }
}

#[test]
fn in_an_archive_its_status_counts() {
    let record = |url: &str, status: &str, kind: &str, body: &str| {
        let http = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n{body}");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
            http.len()
        )
    };
    let place = "https://site.example/.well-known/tdmrep.json";
    let page = |path: &str| {
        record(
            &format!("https://site.example/{path}"),
            "200 OK",
            "text/html",
            HTML,
        )
    };
    let folder = TempDir::new().unwrap();
    for (name, status, body, reserves) in [
        ("there", "200 OK", FILE, true),
        ("partial", "206 Partial Content", "[", true),
        ("absent", "404 Not Found", FILE, false),
        ("broken", "503 Service Unavailable", FILE, false),
        ("page", "200 OK", "<!doctype html><p>Not here", false),
    ] {
        let records =
            page("kept/a") + &record(place, status, "application/json", body) + &page("kept/b");
        let path = write(&folder, &format!("{name}.warc"), &records);
        let (_, out, _) = run(&["filter", &path, "-q"], "");
        let trained: Vec<_> = trained(&out)
            .into_iter()
            .map(|(_, train, enter)| (train, enter))
            .collect();
        assert_eq!(trained, vec![(!reserves, true); 2], "{name}");
    }
}

#[test]
fn a_folder_has_it_where_a_server_has_it() {
    let folder = TempDir::new().unwrap();
    write(&folder, "site/kept/a.html", HTML);
    write(&folder, "site/open/b.html", HTML);
    write(&folder, "site/.well-known/tdmrep.json", FILE);
    let site = folder.path().join("site").display().to_string();
    let (status, out, _) = run(&["filter", &site, "-u", "https://site.example/", "-q"], "");
    assert_eq!(status, 0);
    let trained: Vec<_> = trained(&out)
        .into_iter()
        .map(|(_, train, _)| train)
        .collect();
    assert_eq!(trained, [false, true]);
}

#[test]
fn one_that_is_given_is_for_every_page() {
    let folder = TempDir::new().unwrap();
    let file = write(&folder, "tdmrep.json", FILE);
    let (status, out, _) = run(
        &["filter", "--input", "jsonl", "--tdmrep", &file, "-q"],
        pages(),
    );
    assert_eq!(status, 0);
    let trained: Vec<_> = trained(&out)
        .into_iter()
        .map(|(_, train, _)| train)
        .collect();
    assert_eq!(trained, [false, false, true]);
}

/// A tdmrep.json that comes after the pages of its site in a pipe still applies to these pages in
/// the index.
#[test]
fn an_index_hears_it_late() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let lines = pages() + &line("https://site.example/.well-known/tdmrep.json", FILE);
    assert_eq!(
        run(&["index", "-o", &index, "--input", "jsonl", "-q"], &lines).0,
        0
    );
    let found = |more: &[&str]| {
        let (_, out, _) = run(
            &[&["search", &index, "word", "--format", "json"], more].concat(),
            "",
        );
        let mut urls: Vec<_> = out
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["url"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        urls.sort();
        urls
    };
    assert_eq!(found(&[]).len(), 3);
    assert_eq!(
        found(&["--use", "train"]),
        [
            "https://other.example/kept/c",
            "https://site.example/open/b"
        ]
    );
}

/// A content signal in a robots.txt that comes after its site's pages denies all uses that it is
/// about, not only snapshots.
#[test]
fn a_signal_that_comes_late_denies_every_use() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let robots = line(
        "https://site.example/robots.txt",
        "User-agent: *\nContent-Signal: /kept/ use=reference",
    );
    let arguments = [
        "index",
        "-o",
        &index,
        "--snapshot",
        "--input",
        "jsonl",
        "-q",
    ];
    assert_eq!(run(&arguments, &(pages() + &robots)).0, 0);
    for usage in ["archive", "train", "input"] {
        let (_, out, _) = run(
            &["search", &index, "word", "--use", usage, "--format", "json"],
            "",
        );
        assert_eq!(out.lines().count(), 2, "{usage}: {out}");
        assert!(!out.contains("site.example/kept/a"), "{usage}: {out}");
    }
}

/// A relative URL of a licence in a robots.txt is resolved against the root of the site, where the
/// robots.txt is.
#[test]
fn a_licence_that_a_robots_txt_names_is_at_its_root() {
    let folder = TempDir::new().unwrap();
    let licence = format!(
        "https://site.example/licence.xml={}",
        write(&folder, "licence.xml", LICENCE)
    );
    for address in [
        "licence.xml",
        "/licence.xml",
        "\"https://site.example/licence.xml\"",
        "<licence.xml>",
    ] {
        let robots = write(&folder, "robots.txt", &format!("License: {address}"));
        let (_, out, _) = run(
            &[
                "filter", "--input", "jsonl", "-r", &robots, "--rsl", &licence, "-q",
            ],
            pages(),
        );
        assert!(
            trained(&out).contains(&("site.example/kept/a".to_owned(), false, true)),
            "{address}: {out}"
        );
    }
}

/// A purge of an index applies a newer robots.txt that denies a use, though the page was not
/// fetched again.
#[test]
fn a_purge_hears_what_may_not_be_used_any_more() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    assert_eq!(
        run(&["index", "-o", &index, "--input", "jsonl", "-q"], pages()).0,
        0
    );
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: *\nContent-Signal: /kept/ ai-train=no, ai-input=no\n",
    );
    let (status, _, told) = run(&["purge", &index, "--all-hosts", "--robots", &robots], "");
    assert!(status == 0 && told.contains("2 pages stay"), "{told}");
    for (needs, hits) in [("train", 1), ("input", 1), ("snippet", 3)] {
        let (_, out, _) = run(
            &["search", &index, "word", "--use", needs, "--format", "json"],
            "",
        );
        assert_eq!(out.lines().count(), hits, "{needs}: {out}");
    }
}

/// `explain` reports the source and the position of a reservation, and the address of its policy.
#[test]
fn it_is_told_by_rule_and_policy() {
    let folder = TempDir::new().unwrap();
    let file = write(
        &folder,
        "tdmrep.json",
        &format!(r#"[{{"location":"/a","tdm-reservation":0}},{}"#, &FILE[1..]),
    );
    let page = line("https://site.example/kept/a", HTML);
    let (_, out, _) = run(&["explain", "--input", "jsonl", "--tdmrep", &file], &page);
    assert!(out.contains("(rule 2 of tdmrep.json)"), "{out}");
    assert!(out.contains("https://site.example/terms"), "{out}");
    let (_, out, _) = run(
        &["filter", "--input", "jsonl", "--tdmrep", &file, "-q"],
        &page,
    );
    let page: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(page["exclusions"][0]["origin"], "tdmrep");
    assert_eq!(page["notes"][0]["kind"], "terms");
}

/// A hostile tdmrep.json is cut at a maximum size, and then reserves all uses.
#[test]
fn a_huge_file_reserves_all() {
    let rule = r#"{"location": "/x/", "tdm-reservation": 0},"#;
    let file = format!("[{}]", rule.repeat(1_000_000));
    let lines = line("https://site.example/.well-known/tdmrep.json", &file) + &pages();
    let folder = TempDir::new().unwrap();
    let path = write(&folder, "huge.jsonl", &lines);
    let (_, out, _) = run(&["filter", &path, "-q", "--limit", "line_bytes=100M"], "");
    let trained: Vec<_> = trained(&out)
        .into_iter()
        .map(|(_, train, _)| train)
        .collect();
    assert_eq!(trained, [true, false, false]);
}

const LICENCE: &str = r#"<rsl xmlns="https://rslstandard.org/rsl"><content url="/kept/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>"#;

fn linked(address: &str) -> String {
    let html = format!("<link rel=license type=application/rsl+xml href={address}><p>one word");
    line("https://site.example/kept/a", &html) + &line("https://site.example/open/b", &html)
}

#[test]
fn a_licence_is_read_where_somebody_brings_it() {
    let folder = TempDir::new().unwrap();
    let file = write(&folder, "licence.xml", LICENCE);
    let at = |address: &str| format!("{address}={file}");
    let (here, there) = (
        at("https://site.example/licence.xml"),
        at("https://other.example/licence.xml"),
    );
    for (given, expected) in [
        (&file, [false, true]),
        (&here, [false, true]),
        (&there, [true, true]),
    ] {
        let (status, out, _) = run(
            &["filter", "--input", "jsonl", "--rsl", given, "-q"],
            linked("/licence.xml"),
        );
        assert_eq!(status, 0);
        let trained: Vec<_> = trained(&out)
            .into_iter()
            .map(|(_, train, _)| train)
            .collect();
        assert_eq!(trained, expected, "{given}");
    }
    let (_, out, _) = run(
        &["filter", "--input", "jsonl", "-q"],
        linked("/licence.xml"),
    );
    assert!(
        out.contains("https://site.example/licence.xml: was not read"),
        "{out}"
    );
}

/// Licences are fetched only if the user requests it. Each licence is fetched once for all pages
/// that refer to it.
#[test]
fn a_licence_is_fetched_only_when_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/licence.xml", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            count.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{LICENCE}",
                LICENCE.len()
            );
        }
    });
    let filtered = |more: &[&str]| {
        let (_, out, _) = run(
            &[&["filter", "--input", "jsonl", "-q"], more].concat(),
            linked(&address),
        );
        let trained: Vec<_> = trained(&out)
            .into_iter()
            .map(|(_, train, _)| train)
            .collect();
        (trained, out)
    };
    assert_eq!(
        (filtered(&[]).0, asked.load(Ordering::SeqCst)),
        (vec![true, true], 0)
    );
    // A page may name any address, so private addresses are not fetched.
    let (trained, out) = filtered(&["--fetch-rsl"]);
    assert_eq!(
        (trained, asked.load(Ordering::SeqCst)),
        (vec![true, true], 0)
    );
    assert!(out.contains("no answer from a public address"), "{out}");
    assert_eq!(
        (
            filtered(&["--fetch-rsl", "--allow-private"]).0,
            asked.load(Ordering::SeqCst)
        ),
        (vec![false, true], 1)
    );
}

/// A licence that was fetched only in part, or cannot be unpacked, is not treated as missing: its
/// unknown terms may reserve any use.
#[test]
fn what_cannot_be_fetched_whole_is_not_absent() {
    for (head, may_train) in [
        ("206 Partial Content", false),
        ("200 OK\r\nContent-Encoding: gzip", false),
        ("404 Not Found", true),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/licence.xml", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let _ = write!(
                    stream,
                    "HTTP/1.1 {head}\r\nContent-Length: 11\r\n\r\n<rsl></rsl>"
                );
            }
        });
        let arguments = [
            "filter",
            "--input",
            "jsonl",
            "-q",
            "--fetch-rsl",
            "--allow-private",
        ];
        let (_, out, _) = run(&arguments, linked(&address));
        assert!(
            trained(&out)
                .iter()
                .all(|(_, train, _)| *train == may_train),
            "{head}: {out}"
        );
        let file = heedful::SiteFile::Tdmrep.read_response(206, b"[]");
        assert!(
            !file
                .usages(
                    &heedful::Bot::new("foobot").unwrap(),
                    "https://site.example/"
                )
                .is_empty()
        );
    }
}

/// Parsing a hostile licence ends within limits. Its terms are not guessed, so it reserves the uses
/// by AI models.
#[test]
fn hostile_licences_deny_models_and_end() {
    let content =
        r#"<content url="/x"><license><permits type="usage">all</permits></license></content>"#;
    let deep = "<license>".repeat(100_000);
    for xml in [
        format!("<rsl>{}</rsl>", content.repeat(1_000_000)),
        format!("<rsl><content url=\"/\">{deep}"),
        format!("<rsl>{}", "<content url='/kept/*/*/*/*/*/*/*/*/*a'>".repeat(9_000)),
        "<!DOCTYPE rsl [<!ENTITY a \"x\">]><rsl><content url='/'>&a;<license><permits type='usage'>&a;</permits></license></content></rsl>".to_owned(),
    ] {
        let licence = heedful::Licence::read(xml.as_bytes());
        let denied = licence.denies(&"https://site.example/kept/a".parse().unwrap());
        assert!(denied.contains(heedful::Use::Train) && denied.contains(heedful::Use::Input), "{}", &xml[..60]);
    }
}
