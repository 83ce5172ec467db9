//! Mistakes of users of `evidence`, `purge` and `compact`: the messages are true and helpful.

use std::fs;

use tempfile::TempDir;

use crate::command::{ended, path, run, write};
use crate::support::made::folder;
use crate::support::root;

const SITE: &str = "https://site.example/";
const ABOUT: &str = "https://site.example/about.html";

fn made(folder: &TempDir, also: &[&str]) -> String {
    let index = path(folder, "index");
    good(
        &[
            &["index", "corpus/site", "-u", SITE, "-o", &index, "-q"],
            also,
        ]
        .concat(),
    );
    index
}

/// Creates an index of the site in the corpus, with evidence. Returns the path of the index, then
/// that of its log.
fn with_evidence(folder: &TempDir) -> (String, String) {
    let log = path(folder, "log");
    (made(folder, &["--evidence", &log]), log)
}

/// Runs the program. Fails if the program does not succeed. Returns its standard output and
/// standard error.
fn good(arguments: &[&str]) -> (String, String) {
    let (status, out, told) = run(arguments, "");
    assert_eq!(status, 0, "{arguments:?}: {told}");
    (out, told)
}

/// Runs the program. Fails unless it ends with the status `expected` and prints one message, which
/// contains `text`.
fn ends(arguments: &[&str], expected: i32, text: &str) {
    let (status, _, told) = run(arguments, "");
    assert_eq!(
        (status, told.lines().next().map(|line| line.contains(text))),
        (expected, Some(true)),
        "{arguments:?}: {told}"
    );
}

#[test]
fn only_whole_urls_are_sought_in_a_log() {
    let folder = folder();
    let (_, log) = with_evidence(&folder);
    let list = write(&folder, "list", &format!("{ABOUT}\nsite.example/b.html\n"));
    let whole = "`site.example/b.html` is not a whole URL, as https://site.example/page is";
    for verb in ["prove", "history", "forget"] {
        ends(&["evidence", verb, &log, "site.example/b.html"], 2, whole);
    }
    ends(
        &["evidence", "feed", &log, "--since", "0", "--urls", &list],
        2,
        &format!("{list}: {whole}"),
    );
    // An invalid line in the list means that no URL of it is forgotten.
    ends(
        &["evidence", "forget", &log, "--list", &list],
        2,
        &format!("{list}: {whole}"),
    );
    good(&["evidence", "prove", &log, ABOUT]);
}

/// A FIFO in place of a file of the log is refused by name, because reading it may never end. Where a
/// new file is written, whatever stands there is replaced, and nothing is written through a link.
#[test]
fn a_fifo_or_a_link_in_a_log_is_no_file_of_it() {
    let folder = folder();
    let (index, log) = with_evidence(&folder);
    let at = |name: &str| folder.path().join("log").join(name);
    let pages = format!(r#"{{"url":"{SITE}new.html","html":"<p>new"}}"#);
    let new = write(&folder, "new.jsonl", &pages);
    let make_fifo = |name: &str| {
        let made = std::process::Command::new("mkfifo").arg(at(name)).status();
        assert!(made.unwrap().success());
    };
    let timed = |arguments: &[&str]| {
        let mut command = crate::command::heedful(arguments);
        ended(command.timeout(std::time::Duration::from_secs(60)))
    };
    for name in [
        "private/key",
        "log.json",
        "private/records/000.p/51",
        "lock",
    ] {
        fs::rename(at(name), folder.path().join("kept")).unwrap();
        make_fifo(name);
        let readers = [
            &["evidence", "audit", &log][..],
            &["evidence", "history", &log, ABOUT],
            &["evidence", "prove", &log, ABOUT],
            &["evidence", "forget", &log, ABOUT],
        ];
        let writer = ["index", &new, "-q", "-o", &index];
        let asked = match name {
            "lock" => vec![readers[3], &writer[..]],
            "private/key" => vec![readers[0]],
            _ => readers.to_vec(),
        };
        for arguments in asked {
            let (status, found, told) = timed(arguments);
            // What an audit finds may be its result: status 1.
            let is_refused = status == 2 || status == 1 && arguments[1] == "audit";
            assert!(
                is_refused && (found + &told).contains(name),
                "{arguments:?} with {name}: {status} {told}"
            );
        }
        fs::rename(folder.path().join("kept"), at(name)).unwrap();
    }
    // Names under which the next run writes.
    let precious = write(&folder, "precious", "kept");
    make_fifo("log.json.next");
    std::os::unix::fs::symlink(&precious, at("tile/0/000.p/52")).unwrap();
    std::os::unix::fs::symlink(&precious, at("private/urls/000.p/52")).unwrap();
    let (status, _, told) = timed(&["index", &new, "-q", "-o", &index]);
    assert_eq!(status, 0, "{told}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "kept");
    good(&["evidence", "audit", &log, "--index", &index]);
}

#[test]
fn a_log_that_knows_nothing_of_a_page_forgets_nothing() {
    let folder = folder();
    let (_, log) = with_evidence(&folder);
    ends(
        &["evidence", "forget", &log, "https://nowhere.example/"],
        1,
        "nothing was found in the log",
    );
    ends(
        &["evidence", "forget", &log, ABOUT],
        0,
        "1 entry forgotten: nobody can tell any more which page it is about",
    );
    ends(
        &["evidence", "forget", &log, ABOUT],
        1,
        "nothing was forgotten",
    );
    let (entries, _) = good(&["evidence", "audit", &log, "--format", "json"]);
    let entries = serde_json::from_str::<serde_json::Value>(&entries).unwrap()["entries"].clone();
    ends(
        &["evidence", "feed", &log, "--since", "99", "--urls", &log],
        2,
        &format!("the log has {entries} entries"),
    );
}

#[test]
fn evidence_that_moved_is_found_by_what_the_message_says() {
    let folder = folder();
    let (index, log) = with_evidence(&folder);
    let moved = path(&folder, "moved");
    fs::rename(&log, &moved).unwrap();
    let purge = ["purge", &index, "--url", ABOUT];
    ends(&purge, 2, "say where that is with --evidence DIR");
    ends(
        &["compact", &index],
        2,
        "say where that is with --evidence DIR",
    );
    good(&[&purge[..], &["--evidence", &moved]].concat());
    // The index remembers the moved log.
    good(&["evidence", "audit", &moved, "--index", &index]);
    good(&["purge", &index, "--url", SITE]);
    fs::rename(&moved, &log).unwrap();
    good(&["compact", &index, "--evidence", &log]);
    good(&["evidence", "audit", &log, "--index", &index]);
}

#[test]
fn an_index_without_evidence_begins_it_as_it_is_told() {
    let folder = folder();
    let (index, log) = (made(&folder, &[]), path(&folder, "log"));
    let advice = format!(
        "{index} keeps no evidence: `heedful index INPUT -o {index} --evidence DIR` begins some"
    );
    for arguments in [
        &["evidence", "audit", &index][..],
        &["evidence", "history", &index, ABOUT],
        &["evidence", "forget", &index, ABOUT],
        &["evidence", "audit", &log, "--index", &index],
        &["purge", &index, "--expired", "--evidence", &log],
        &["compact", &index, "--evidence", &log],
    ] {
        ends(arguments, 2, &advice);
    }
    assert!(!fs::exists(&log).unwrap());
    good(&[
        "index",
        "corpus/site",
        "-u",
        SITE,
        "-o",
        &index,
        "-q",
        "--evidence",
        &log,
    ]);
    ends(
        &["evidence", "audit", &index],
        2,
        &format!("is an index, and its evidence is in {log}: name that"),
    );
    good(&["evidence", "audit", &log, "--index", &index]);
}

#[test]
fn a_file_that_is_none_of_the_proof_is_named() {
    let folder = folder();
    let (_, log) = with_evidence(&folder);
    let proof = write(
        &folder,
        "proof",
        &good(&["evidence", "prove", &log, ABOUT]).0,
    );
    let key = path(&folder, "log/keys");
    let check = [
        "evidence",
        "check",
        &proof,
        "--key",
        &key,
        "--page",
        "corpus/site/about.html",
        "--file",
        "corpus/site/robots.txt",
    ];
    assert_eq!(good(&check).1, "");
    let (out, told) = good(&[&check[..], &["--file", "README.md"]].concat());
    assert!(out.contains("judged again: the same decision"), "{out}");
    assert_eq!(
        told,
        "note: README.md is none of the files in this proof, as they were then\n"
    );
}

#[test]
fn a_mask_has_no_evidence_of_what_is_no_page() {
    let folder = folder();
    let (mask, log) = (path(&folder, "mask"), path(&folder, "log"));
    let lines = "{\"url\":\"https://a.example/\",\"html\":\"x\"}\n\
        {\"url\":\"https://a.example/robots.txt\",\"html\":\"User-agent: *\"}\n";
    let lines = write(&folder, "pages.jsonl", lines);
    good(&[
        "mask",
        &lines,
        "-q",
        "-o",
        &mask,
        "--format",
        "jsonl",
        "--evidence",
        &log,
    ]);
    let answers = fs::read_to_string(&mask).unwrap();
    let of = |kind: &str| answers.matches(&format!("\"kind\":\"{kind}\"")).count();
    assert_eq!((of("page"), of("none")), (1, 1), "{answers}");
    assert!(
        good(&["evidence", "audit", &log])
            .0
            .contains("whole: 1 entry")
    );
}

#[test]
fn a_purge_tells_what_it_wants_and_what_it_would_do() {
    let folder = folder();
    let index = made(&folder, &[]);
    let robots = root().join("corpus/site/robots.txt").display().to_string();
    let of = |site: &str| format!("{site}={robots}");
    for site in ["site.example", "ftp://site.example"] {
        ends(
            &["purge", &index, "-r", &of(site)],
            2,
            "SITE is a whole URL, as https://site.example/",
        );
    }
    good(&["purge", &index, "-r", &of("https://site.example")]);
    good(&[
        "purge",
        &index,
        "-r",
        &write(&folder, "a=b", "User-agent: *\nDisallow: /nothing\n"),
    ]);
    let purge = ["purge", &index, "--url", ABOUT, "--why", "asked by mail"];
    let removed = format!("{ABOUT} removed asked by mail\n");
    let dry = [&purge[..], &["--dry-run"]].concat();
    assert_eq!(
        good(&dry).0,
        removed.replace(" removed", " would be removed")
    );
    let json = good(&[&dry[..], &["--format", "json"]].concat()).0;
    assert!(json.contains("\"reason\":\"removed\""), "{json}");
    assert_eq!(good(&purge).0, removed);
}

/// `compact` and `stats` count the same anchor texts, also when `compact` runs again.
#[test]
fn compact_and_stats_count_the_same_names() {
    let folder = folder();
    let index = path(&folder, "index");
    let page = |name: u8| {
        format!(
            "{{\"url\":\"https://a.example/{name}\",\"html\":\"<a href=/home>home page</a>\"}}\n"
        )
    };
    good(&[
        "index",
        &write(
            &folder,
            "pages.jsonl",
            &(0..5).map(page).collect::<String>(),
        ),
        "-q",
        "-o",
        &index,
    ]);
    for _ in 0..2 {
        let told = good(&["compact", &index]).1;
        assert!(told.starts_with("anchors: 5, kept as 1;"), "{told}");
        assert!(good(&["stats", &index]).0.contains("5 anchors"));
    }
    let merged = path(&folder, "merged");
    good(&["merge", &index, "-o", &merged, "-q"]);
    assert!(good(&["stats", &merged]).0.contains("5 anchors"));
}
