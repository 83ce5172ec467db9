//! `heedful snapshot` as a user runs it: the list of copies, and the copies that an index stores.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{path, run, write};
use crate::support::root;

const SITE: [&str; 2] = ["-u", "https://site.example/"];

/// Returns the lines of the list of copies in a file, by URL.
fn listed(path: &str) -> BTreeMap<String, Value> {
    let rows = fs::read_to_string(path).unwrap();
    let rows = rows
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| (row["url"].as_str().unwrap().to_owned(), row))
        .collect()
}

fn corpus() -> String {
    root().join("corpus/site").display().to_string()
}

#[test]
fn every_page_is_listed_with_its_copy_or_why_it_has_none() {
    let folder = TempDir::new().unwrap();
    let (copies, map) = (path(&folder, "copies"), path(&folder, "map.jsonl"));
    let (status, ..) = run(
        &[
            "snapshot",
            &corpus(),
            SITE[0],
            SITE[1],
            "-o",
            &copies,
            "--map",
            &map,
        ],
        "",
    );
    assert_eq!(status, 0);
    let rows = listed(&format!("{copies}.copies.jsonl"));
    let files: Vec<_> = rows
        .values()
        .filter_map(|row| row["file"].as_str())
        .collect();
    assert_eq!((rows.len(), files.len()), (51, 39));
    for file in &files {
        let copy = fs::read_to_string(format!("{copies}/{file}")).unwrap();
        assert!(!copy.contains("never reads the copies"), "{file}");
    }
    for row in rows.values() {
        assert_eq!(row["file"].is_null(), !row["why"].is_null(), "{row}");
        assert_eq!(row["file"].is_null(), row["elided"].is_null(), "{row}");
    }
    let of = |page: &str| &rows[&format!("{}{page}", SITE[1])];
    let why = |page: &str, key: &str| of(page)["why"][key].as_str().unwrap_or_default().to_owned();
    assert_eq!(why("contact.html", "reason"), "noindex");
    assert_eq!(
        why("contact.html", "directive"),
        r#"<meta name="robots" content="none">"#
    );
    assert_eq!(why("drafts/nut-loaf.html", "reason"), "robots.txt");
    assert_eq!(why("recipes/plum-cake.html", "reason"), "noarchive");
    assert_eq!(
        of("recipes/plum-cake.html")["title"],
        "Plum cake from the tray"
    );
    assert_eq!(
        of("contact.html")["title"],
        "",
        "a page that may not be indexed shows no title"
    );
    // The map has the same cuts as the list.
    let cut = &of("guestbook.html")["elided"][0];
    let mapped: Value = serde_json::from_str(fs::read_to_string(&map).unwrap().trim()).unwrap();
    assert_eq!(
        (&mapped["start"], &mapped["directive"]),
        (&cut["start"], &cut["directive"])
    );
    assert_eq!(cut["directive"], r#"<blockquote class="robots-noarchive">"#);
}

#[test]
fn a_warc_has_its_list_beside_it_and_failures_are_in_it() {
    let folder = TempDir::new().unwrap();
    let warc = path(&folder, "crawl.warc.gz");
    let lines = r#"{"url":"https://a.example/1","date":"2026-11-01T00:00:00Z","html":"<title>One</title><p>rye"}
{"url":"https://a.example/2","date":"2026-11-02T00:00:00Z","html":"<title>Two</title><meta name=robots content=nosnippet,noarchive>"}
{"url":"https://a.example/3","html_b64":"?"}
"#;
    let input = write(&folder, "pages.jsonl", lines);
    assert_eq!(run(&["snapshot", &input, "-o", &warc], "").0, 0);
    let rows = listed(&path(&folder, "crawl.warc.gz.copies.jsonl"));
    let row = |number: u8| &rows[&format!("https://a.example/{number}")];
    assert_eq!(
        (&row(1)["file"], &row(1)["date"]),
        (&"crawl.warc.gz".into(), &"2026-11-01T00:00:00Z".into())
    );
    assert_eq!(
        (&row(2)["why"]["reason"], &row(2)["file"]),
        (&"noarchive".into(), &Value::Null)
    );
    assert_eq!(row(3)["why"]["reason"], "damaged");
}

/// In a folder of copies, only the latest capture of a URL decides about its copy, even if that
/// capture is no page. The order of the captures does not matter.
#[test]
fn a_folder_has_the_copy_of_the_latest_capture_alone() {
    let [old, new] = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"];
    let page = |path: &str, date: &str, html: &str| {
        format!(
            "{{\"url\":\"https://a.example/{path}\",\"date\":\"{date}\",\"html\":\"{html}\"}}\n"
        )
    };
    let denied = page("a", new, "<meta name=robots content=noarchive>new");
    let gone = format!(
        "{{\"url\":\"https://a.example/a\",\"date\":\"{new}\",\"status\":404,\"html\":\"\"}}\n"
    );
    let first = page("a", old, "<p>old");
    let unchanged = gone.replace("404", "304");
    for (lines, expected) in [
        (format!("{first}{denied}"), None),
        (format!("{denied}{first}"), None),
        (format!("{first}{gone}"), None),
        (format!("{gone}{first}"), None),
        (
            format!("{first}{}", page("a", new, "<p>new")),
            Some("<p>new"),
        ),
        (
            format!("{}{first}", page("a", new, "<p>new")),
            Some("<p>new"),
        ),
        // A URL with a fragment is the same page.
        (
            format!(
                "{first}{}",
                page("a#b", new, "<meta name=robots content=noarchive>new")
            ),
            None,
        ),
        (format!("{}{denied}", page("a#b", old, "<p>old")), None),
        // An unchanged page (304) keeps its earlier copy, unless its headers deny the copy.
        (format!("{unchanged}{first}"), Some("<p>old")),
        (format!("{first}{unchanged}"), Some("<p>old")),
        (
            format!(
                "{first}{}",
                unchanged.replace("304", r#"304,"headers":{"X-Robots-Tag":"noarchive"}"#)
            ),
            None,
        ),
    ] {
        let folder = TempDir::new().unwrap();
        let (input, copies) = (
            write(&folder, "pages.jsonl", &lines),
            path(&folder, "copies"),
        );
        let (_, _, told) = run(&["snapshot", &input, "-o", &copies], "");
        let found: Vec<_> = fs::read_dir(format!("{copies}/a.example"))
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(
            found.len(),
            usize::from(expected.is_some()),
            "{lines}: {told}"
        );
        let copy = fs::read_to_string(format!("{copies}/a.example/a.html")).ok();
        assert_eq!(copy.as_deref(), expected, "{lines}: {told}");
        assert_eq!(
            told.contains("1 snapshot"),
            expected.is_some(),
            "{lines}: {told}"
        );
        let (_, alone, _) = run(&["snapshot", &input, "-u", "https://a.example/a"], "");
        assert_eq!(alone, expected.unwrap_or_default(), "{lines}");
    }
}

/// The map (`--map`) has only the cuts of copies that exist at the end of the run.
#[test]
fn a_map_has_the_cuts_of_the_copies_that_stay() {
    let page = |date: &str, html: &str| {
        format!(
            "{{\"url\":\"https://a.example/a\",\"date\":\"2026-0{date}-01T00:00:00Z\",\"html\":\"{html}\"}}\n"
        )
    };
    let first = page("1", "<p class=robots-noarchive>once");
    let second = page("2", "<p>now<p class=robots-noarchive>twice");
    let denied = page("3", "<meta name=robots content=noarchive>");
    let cut = |start: u64| vec![start];
    for (lines, output, expected) in [
        (format!("{first}{second}"), "copies", cut(6)),
        (format!("{second}{first}"), "copies", cut(6)),
        (format!("{first}{second}"), "copy.html", cut(6)),
        (format!("{first}{denied}{second}"), "copies", vec![]),
        (format!("{first}{second}"), "copies.warc", vec![0, 6]),
    ] {
        let folder = TempDir::new().unwrap();
        let input = write(&folder, "pages.jsonl", &lines);
        let (copies, map) = (path(&folder, output), path(&folder, "map.jsonl"));
        run(&["snapshot", &input, "-o", &copies, "--map", &map], "");
        let cuts = fs::read_to_string(&map).unwrap();
        let cuts = cuts.lines().map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["start"]
                .as_u64()
                .unwrap()
        });
        assert_eq!(cuts.collect::<Vec<_>>(), expected, "{output}: {lines}");
    }
}

#[test]
fn a_run_without_a_page_says_what_it_passed_over() {
    let folder = TempDir::new().unwrap();
    let copies = path(&folder, "copies");
    let input = |lines: &str| write(&folder, "pages.jsonl", lines);
    let page = input(r#"{"url":"https://a.example/a","html":"<p>old"}"#);
    assert_eq!(run(&["snapshot", &page, "-o", &copies], "").0, 0);
    let gone = input(r#"{"url":"https://a.example/a","status":404,"html":""}"#);
    let (status, _, told) = run(&["snapshot", &gone, "-o", &copies], "");
    assert!(
        status == 1 && told.contains("passed over: 1 without status 2xx"),
        "{told}"
    );
    assert!(
        told.contains("is an older copy of a page that may have none now: remove it"),
        "{told}"
    );
}

#[test]
fn an_index_gives_back_all_copies() {
    let folder = TempDir::new().unwrap();
    let (index, all, direct) = (
        path(&folder, "index"),
        path(&folder, "all"),
        path(&folder, "direct"),
    );
    assert_eq!(
        run(
            &[
                "index",
                "-q",
                "--snapshot",
                "-o",
                &index,
                SITE[0],
                SITE[1],
                &corpus()
            ],
            ""
        )
        .0,
        0
    );
    let (status, _, told) = run(&["snapshot", "--from", &index], "");
    assert!(status == 2 && told.contains("name a folder"), "{told}");
    let (status, _, told) = run(&["snapshot", "--from", &index, "-o", &all], "");
    assert_eq!((status, told.trim()), (0, "39 snapshots of 51 URLs"));
    assert_eq!(
        run(
            &["snapshot", "-q", &corpus(), SITE[0], SITE[1], "-o", &direct],
            ""
        )
        .0,
        0
    );
    let (kept, written) = (
        listed(&format!("{all}.copies.jsonl")),
        listed(&format!("{direct}.copies.jsonl")),
    );
    assert_eq!(
        kept.keys().collect::<Vec<_>>(),
        written.keys().collect::<Vec<_>>()
    );
    for (url, row) in &kept {
        let other = &written[url];
        assert_eq!(
            (&row["file"], &row["title"]),
            (&other["file"], &other["title"]),
            "{url}"
        );
        let text = |folder: &str| {
            row["file"]
                .as_str()
                .map(|file| fs::read(format!("{folder}/{file}")).unwrap())
        };
        assert_eq!(text(&all), text(&direct), "{url}");
        let is_bare = other["why"]["reason"] == "noarchive";
        assert!(!is_bare || row["why"]["reason"] == "not kept", "{row}");
    }
}

/// In a folder of copies, the copy of one URL never gets a path that is also the folder for the
/// copy of another URL.
#[test]
fn no_name_stands_in_the_way_of_another() {
    let folder = TempDir::new().unwrap();
    let copies = path(&folder, "copies");
    let urls = [
        "https://x.html/",
        "https://a.example/x.html",
        "https://a.example/x.html/y",
        "https://a.example/x",
        "http://a.example/x",
    ];
    let lines: String = urls
        .iter()
        .map(|url| format!("{{\"url\":\"{url}\",\"html\":\"<p>{url}\"}}\n"))
        .collect();
    let (status, _, told) = run(&["snapshot", "-o", &copies], lines);
    assert_eq!(status, 0, "{told}");
    for (url, row) in listed(&format!("{copies}.copies.jsonl")) {
        let copy =
            fs::read_to_string(format!("{copies}/{}", row["file"].as_str().unwrap())).unwrap();
        assert!(copy.contains(&format!("<p>{url}")), "{url}: {row}");
    }
}

/// If two URLs would get the same path for their copies, the path of the second URL gets a number
/// before the ending. Later captures of this URL have the same path.
#[test]
fn a_url_keeps_its_file() {
    let folder = TempDir::new().unwrap();
    let copies = path(&folder, "copies");
    let page = |path: &str, day: u8, html: &str| {
        let url = format!("https://a.example/{path}");
        format!("{{\"url\":\"{url}\",\"date\":\"2026-01-0{day}T00:00:00Z\",\"html\":\"{html}\"}}\n")
    };
    let denied = "<meta name=robots content=noarchive>";
    let lines = [
        page("a.b", 1, "<p>one"),
        page("a.b.html", 1, "<p>two"),
        page("/a.b", 1, "<p>three"),
        page("a.b", 2, denied),
        page("a.b.html", 2, "<p>new"),
        page("a.b", 3, "<p>back"),
    ];
    assert_eq!(run(&["snapshot", "-o", &copies], lines.concat()).0, 0);
    let rows = listed(&format!("{copies}.copies.jsonl"));
    for (path, file, text) in [
        ("a.b", "a.b.html", "<p>back"),
        ("a.b.html", "a.b.2.html", "<p>new"),
        ("/a.b", "a.b.3.html", "<p>three"),
    ] {
        assert_eq!(
            rows[&format!("https://a.example/{path}")]["file"],
            format!("a.example/{file}")
        );
        assert_eq!(
            fs::read_to_string(format!("{copies}/a.example/{file}")).unwrap(),
            text
        );
    }
}

/// If the path after `snapshot -o` ends in `.html`, it is the file for the only copy.
#[test]
fn a_copy_goes_to_the_file_that_is_named() {
    let folder = TempDir::new().unwrap();
    let (page, url) = (
        format!("{}/about.html", corpus()),
        "https://site.example/about.html",
    );
    let (copy, several, taken) = (
        path(&folder, "copy.html"),
        path(&folder, "several.html"),
        path(&folder, "taken.htm"),
    );
    let snapshot = |output: &[&str]| {
        run(
            &[&["snapshot", &page, "-u", url, "-q"], output].concat(),
            "",
        )
    };
    let (_, expected, _) = snapshot(&[]);
    assert_eq!(snapshot(&["-o", &copy]), (0, String::new(), String::new()));
    assert_eq!(fs::read_to_string(&copy).unwrap(), expected);
    let (status, _, told) = run(
        &[
            "snapshot",
            &corpus(),
            SITE[0],
            SITE[1],
            "-q",
            "-o",
            &several,
        ],
        "",
    );
    assert!(
        status == 2 && told.contains("there are several pages: name a folder or a .warc.gz"),
        "{told}"
    );
    let names = || {
        fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
    };
    assert_eq!(
        names().collect::<Vec<_>>(),
        ["copy.html"],
        "neither a list nor a part of another"
    );
    // An existing folder with such a name is still a folder, and an input is never overwritten.
    fs::create_dir(&taken).unwrap();
    assert_eq!(snapshot(&["-o", &taken]).0, 0);
    assert!(fs::exists(format!("{taken}/site.example/about.html")).unwrap());
    let (status, _, told) = snapshot(&["-o", &page]);
    assert!(
        status == 2 && told.contains("is read: write the copies to another file"),
        "{told}"
    );
}

/// A URL with an opaque path may have blanks. Its record in an archive of copies names it as a URI.
#[test]
fn an_opaque_url_is_a_uri_in_an_archive() {
    let folder = TempDir::new().unwrap();
    let line = "{\"url\": \"foo:bar baz<\u{e4}>\", \"html\": \"<p>one\"}";
    let lines = write(&folder, "pages.jsonl", line);
    let archive = path(&folder, "copies.warc");
    let (status, _, told) = run(
        &["snapshot", "--input", "jsonl", &lines, "-o", &archive],
        "",
    );
    assert_eq!(status, 0, "{told}");
    let archive = fs::read_to_string(archive).unwrap();
    let expected = "WARC-Target-URI: foo:bar%20baz%3C%C3%A4%3E\r\n";
    assert!(archive.contains(expected), "{archive}");
}
