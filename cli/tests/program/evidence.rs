//! `heedful evidence` as a user runs it: logs of indexes and masks, proofs, audits, feeds, killed
//! runs, and errors.
//!
//! The environment variable `HEEDFUL_KILLS` sets the number of kills of a run (default 3),
//! `HEEDFUL_SEED` chooses the moments.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{path, run, write};
use crate::support::made::{Chance, folder, line};
use crate::support::root;

const ABOUT: &str = "https://site.example/about.html";

/// Creates an index of the site in the corpus, with evidence. Returns the path of the index, then
/// that of its log.
fn site(folder: &TempDir) -> (String, String) {
    let (index, log) = (path(folder, "index"), path(folder, "log"));
    let (status, _, told) = run(
        &[
            "index",
            "corpus/site",
            "-u",
            "https://site.example/",
            "-o",
            &index,
            "--evidence",
            &log,
            "--snapshot",
            "-q",
        ],
        "",
    );
    assert_eq!(status, 0, "{told}");
    (index, log)
}

fn good(arguments: &[&str]) -> String {
    let (status, out, told) = run(arguments, "");
    assert_eq!(status, 0, "{arguments:?}: {told}");
    out
}

fn refused(arguments: &[&str], expected: &str) {
    let (status, _, told) = run(arguments, "");
    assert!(
        status == 2 && told.contains(expected),
        "{arguments:?}: {status} {told}"
    );
}

fn json(text: &str) -> Value {
    serde_json::from_str(text.trim()).unwrap()
}

/// Fails unless the JSON `text` has these keys in this order.
fn has_in_order(text: &str, keys: &str) {
    let mut at = 0;
    for key in keys.split(' ') {
        let found = text[at..].find(&format!("\"{key}\":"));
        at +=
            found.unwrap_or_else(|| panic!("`{key}` of `{keys}` is not where it belongs: {text}"));
    }
}

/// The JSON of `heedful evidence` has its keys in the order of docs/evidence.md.
#[test]
fn keys_come_in_the_order_that_is_documented() {
    let folder = folder();
    let (_, log) = site(&folder);
    let proof = write(&folder, "proof", &good(&["evidence", "prove", &log, ABOUT]));
    let grown = write(
        &folder,
        "grown",
        &good(&["evidence", "grown", &log, "--since", "1"]),
    );
    let page = ["--page", "corpus/site/about.html", "--format", "json"];
    for (arguments, keys) in [
        (
            [&["evidence", "check", &proof], &page[..]].concat(),
            "holds url kind captured page log number size root time key heedful law reason bots files judged same other open",
        ),
        (
            vec!["evidence", "check", &grown, "--format", "json"],
            "holds log old old_root size root",
        ),
        (
            vec!["evidence", "audit", &log, "--format", "json"],
            "log entries root time kinds files forgotten signed first_bad found",
        ),
        (
            vec!["evidence", "history", &log, ABOUT, "--format", "json"],
            "number kind captured law reason why bots",
        ),
    ] {
        has_in_order(&run(&arguments, "").1, keys);
    }
}

#[test]
fn a_proof_is_checked_without_index_and_log_and_the_page_judged_again() {
    let folder = folder();
    let (index, log) = site(&folder);
    let proof = write(&folder, "proof", &good(&["evidence", "prove", &log, ABOUT]));
    fs::remove_dir_all(&index).unwrap();
    fs::remove_dir_all(&log).unwrap();
    let told = good(&["evidence", "check", &proof]);
    assert!(
        told.contains("the proof holds")
            && told.contains("not signed")
            && told.contains("denied train"),
        "{told}"
    );
    let check = [
        "evidence",
        "check",
        &proof,
        "--page",
        "corpus/site/about.html",
    ];
    let told = good(&[&check[..], &["--file", "corpus/site/robots.txt"]].concat());
    assert!(told.contains("judged again: the same decision"), "{told}");
    refused(
        &[
            "evidence",
            "check",
            &proof,
            "--page",
            "corpus/site/index.html",
        ],
        "another page",
    );
    let answer = json(&good(&["evidence", "check", &proof, "--format", "json"]));
    assert_eq!(
        (answer["url"].as_str(), answer["kind"].as_str()),
        (Some(ABOUT), Some("page"))
    );
    // A proof from a pipe, an altered proof, and texts that are no proof.
    let text = fs::read_to_string(&proof).unwrap();
    assert_eq!(run(&["evidence", "check", "-"], &text).0, 0);
    let (status, _, told) = run(&["evidence", "check", "-"], text.replace("about", "other"));
    assert!(status == 2 && told.contains("does not hold"), "{told}");
    for (what, expected) in [
        ("", "holds no proof"),
        ("{}", "no proof"),
        ("\u{1b}]52;c;\u{7}", "no proof"),
    ] {
        let (status, _, told) = run(&["evidence", "check", "-"], what);
        assert!(
            status == 2 && told.contains(expected) && !told.contains('\u{1b}'),
            "{what}: {told}"
        );
    }
}

#[test]
fn a_signed_log_is_told_from_others() {
    let folder = folder();
    let (_, log) = site(&folder);
    let [key, other] = ["1f", "2e"].map(|byte| write(&folder, byte, &byte.repeat(32)));
    let (status, _, told) = run(&["evidence", "sign", &log, "--key", &key], "");
    assert_eq!(status, 0, "{told}");
    let public = told.split("key ").nth(1).unwrap().trim();
    let public = write(&folder, "public", public);
    let proof = write(&folder, "proof", &good(&["evidence", "prove", &log, ABOUT]));
    good(&["evidence", "check", &proof, "--key", &public]);
    let another = write(&folder, "another", &"3d".repeat(32));
    refused(
        &["evidence", "check", &proof, "--key", &another],
        "not signed with the key",
    );
    refused(
        &["evidence", "sign", &log, "--key", "README.md"],
        "no Ed25519 key",
    );
    // The log grows. The signed proof remains valid, and the new head is signed again.
    good(&[
        "mask",
        "corpus/site/about.html",
        "-u",
        ABOUT,
        "-o",
        &path(&folder, "mask"),
        "-q",
        "--evidence",
        &path(&folder, "masks"),
    ]);
    run(
        &["evidence", "sign", &path(&folder, "masks"), "--key", &other],
        "",
    );
    let audit = json(&good(&[
        "evidence",
        "audit",
        &path(&folder, "masks"),
        "--format",
        "json",
    ]));
    assert_eq!(
        (&audit["entries"], &audit["signed"]),
        (&Value::from(1), &Value::from(1))
    );
    refused(
        &[
            "mask",
            "corpus/site/about.html",
            "-u",
            ABOUT,
            "-o",
            &path(&folder, "m2"),
            "--evidence",
            &log,
        ],
        "something else",
    );
}

#[test]
fn the_index_goes_on_with_its_log_by_itself() {
    let folder = folder();
    let (index, log) = site(&folder);
    let since = json(&good(&[
        "evidence", "audit", &log, "--index", &index, "--format", "json",
    ]))["entries"]
        .clone();
    let copy = path(&folder, "copy");
    Command::new("cp")
        .args(["-r", &index, &copy])
        .status()
        .unwrap();
    good(&["purge", &index, "--url", ABOUT, "--why", "asked by mail"]);
    good(&["purge", &index, "--noarchive"]);
    good(&["compact", &index]);
    let grown = write(
        &folder,
        "grown",
        &good(&["evidence", "grown", &log, "--since", &since.to_string()]),
    );
    good(&["evidence", "check", &grown]);
    good(&["evidence", "audit", &log, "--index", &index]);
    let told = good(&["evidence", "history", &log, ABOUT]);
    assert!(told.contains("gone: removed: asked by mail"), "{told}");
    let (status, feed, told) = run(
        &[
            "evidence",
            "feed",
            &log,
            "--since",
            &since.to_string(),
            "--urls",
            &index,
        ],
        "",
    );
    assert_eq!(status, 0, "{told}");
    assert!(
        feed.lines().count() > 30 && feed.contains("asked by mail"),
        "{feed}"
    );
    let feed = write(&folder, "feed", &feed);
    // The copied index cannot find its log, so it begins a new one.
    let own = path(&folder, "own");
    good(&[
        "index",
        write(
            &folder,
            "empty.jsonl",
            "{\"url\":\"https://other.example/\",\"html\":\"x\"}",
        )
        .as_str(),
        "-q",
        "-o",
        &copy,
        "--evidence",
        &own,
        "--new-evidence",
    ]);
    good(&["purge", &copy, "--from", &feed]);
    let pages = |index: &str| -> Vec<String> {
        let list = good(&["stats", index, "--list", "--format", "json"]);
        let pages = list
            .lines()
            .map(json)
            .filter(|line| line["state"] == "page");
        let pages = pages.map(|line| format!("{} {}", line["url"], line["snapshot"]));
        pages
            .filter(|page| !page.contains("other.example"))
            .collect()
    };
    assert_eq!(pages(&copy), pages(&index));
    good(&["evidence", "audit", &own, "--index", &copy]);
    // The log is moved, so the index cannot find it.
    fs::rename(&log, path(&folder, "moved")).unwrap();
    refused(&["purge", &index, "--expired"], "does not hold the log");
    assert!(
        !fs::exists(&log).unwrap(),
        "what is refused leaves nothing behind"
    );
    good(&[
        "index",
        "corpus/site",
        "-u",
        "https://site.example/",
        "-o",
        &index,
        "-q",
        "--evidence",
        &path(&folder, "moved"),
    ]);
    good(&[
        "evidence",
        "audit",
        &path(&folder, "moved"),
        "--index",
        &index,
    ]);
    refused(
        &["evidence", "audit", &own, "--index", &index],
        "does not hold the log",
    );
    refused(
        &["evidence", "audit", &own, "--index", "corpus"],
        "holds no index",
    );
}

#[test]
fn what_is_not_there_is_said() {
    let folder = folder();
    let (index, log) = site(&folder);
    refused(
        &["evidence", "audit", "corpus"],
        "holds no evidence: make some with",
    );
    refused(
        &["evidence", "grown", &log, "--since", "1000000"],
        "never had",
    );
    refused(
        &[
            "evidence", "feed", &log, "--since", "1000000", "--urls", &index,
        ],
        "the log has",
    );
    refused(
        &["evidence", "forget", "corpus", ABOUT],
        "holds no evidence",
    );
    refused(
        &[
            "index",
            "corpus/site",
            "-u",
            "https://site.example/",
            "-o",
            &path(&folder, "i2"),
            "--evidence",
            "corpus",
        ],
        "not empty",
    );
    let (status, out, told) = run(&["evidence", "prove", &log, "https://nowhere.example/"], "");
    assert!(
        (status, out.as_str()) == (1, "") && told.contains("nothing was decided"),
        "{told}"
    );
    assert_eq!(
        run(
            &["evidence", "history", &log, "https://nowhere.example/"],
            ""
        )
        .0,
        1
    );
    let (status, _, told) = run(&["evidence", "forget", &log, ABOUT], "");
    assert!(status == 0 && told.contains("1 entry forgotten"), "{told}");
    assert_eq!(run(&["evidence", "prove", &log, ABOUT], "").0, 1);
    good(&["evidence", "audit", &log, "--index", &index]);
    fs::write(format!("{log}/00000001.keys"), "damaged").unwrap();
    let (status, out, _) = run(&["evidence", "audit", &log], "");
    assert!(status == 1 && out.contains("gone or damaged"), "{out}");
}

/// After a run is killed at a random moment, the log of evidence agrees with the index, and the
/// next run continues both.
#[test]
fn a_killed_run_leaves_log_and_index_as_one() {
    let number = |name: &str, usual: u64| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(usual)
    };
    let (kills, mut chance) = (
        number("HEEDFUL_KILLS", 3),
        Chance(number("HEEDFUL_SEED", 1)),
    );
    let folder = folder();
    let pages: Vec<u8> = (0..3000)
        .flat_map(|page| {
            line(
                &format!("https://site.example/{page}"),
                &format!("<p>{}", chance.words(30)),
            )
        })
        .collect();
    fs::write(folder.path().join("crawl.jsonl"), pages).unwrap();
    let [crawl, index, log] = ["crawl.jsonl", "index", "log"].map(|name| path(&folder, name));
    let arguments = [
        "index",
        &crawl,
        "-q",
        "-o",
        &index,
        "--evidence",
        &log,
        "--resume",
        "--commit-every",
        "100",
    ];
    let mut killed = 0;
    let began = Instant::now();
    while killed < kills && began.elapsed() < Duration::from_secs(120) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_heedful"))
            .args(arguments)
            .current_dir(root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(100 + chance.below(900) as u64));
        let is_over = child.try_wait().unwrap().is_some();
        let _ = child.kill();
        child.wait().unwrap();
        if is_over {
            break;
        }
        killed += 1;
        if fs::exists(format!("{log}/head.json")).unwrap()
            && fs::exists(format!("{index}/meta.json")).unwrap()
        {
            let (status, out, told) = run(&["evidence", "audit", &log, "--index", &index], "");
            // A run that was killed before its first commit has no log yet.
            assert!(
                status == 0 || told.contains("keeps no evidence") || told.contains("never held"),
                "{out}{told}"
            );
        }
    }
    good(&arguments);
    good(&["evidence", "audit", &log, "--index", &index]);
    let audit = json(&good(&["evidence", "audit", &log, "--format", "json"]));
    assert_eq!(audit["entries"], 3000, "killed {killed} times");
}
