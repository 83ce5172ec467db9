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

/// Writes a proof of the decision about a page, and the key of the log. Returns the paths of both.
fn proof_and_key(folder: &TempDir, log: &str) -> (String, String) {
    let proof = write(folder, "proof", &good(&["evidence", "prove", log, ABOUT]));
    let key = path(folder, "log.pub");
    fs::copy(format!("{log}/keys"), &key).unwrap();
    (proof, key)
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
    let (proof, key) = proof_and_key(&folder, &log);
    let old = path(&folder, "log/checkpoint");
    let size = json(&good(&["evidence", "audit", &log, "--format", "json"]))["entries"].to_string();
    let grown = write(
        &folder,
        "grown",
        &good(&["evidence", "grown", &log, "--since", &size]),
    );
    let page = [
        "--key",
        &key,
        "--page",
        "corpus/site/about.html",
        "--format",
        "json",
    ];
    for (arguments, keys) in [
        (
            [&["evidence", "check", &proof], &page[..]].concat(),
            "holds url kind captured page origin number size root signer time heedful law reason bots files judged same other open",
        ),
        (
            vec![
                "evidence", "check", &grown, "--old", &old, "--key", &key, "--format", "json",
            ],
            "holds old size",
        ),
        (
            vec!["evidence", "audit", &log, "--format", "json"],
            "origin entries root time kinds files forgotten signed first_bad found",
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
    let (proof, key) = proof_and_key(&folder, &log);
    let site_files = path(&folder, "files");
    let prove = ["evidence", "prove", &log, ABOUT, "--files", &site_files];
    good(&prove);
    fs::remove_dir_all(&index).unwrap();
    fs::remove_dir_all(&log).unwrap();
    let check = ["evidence", "check", &proof, "--key", &key];
    let told = good(&check);
    assert!(
        told.contains("the proof holds")
            && told.contains("signed by heedful.evidence/")
            && told.contains("denied train"),
        "{told}"
    );
    let robots = fs::read_dir(&site_files).unwrap().next().unwrap().unwrap();
    let robots = robots.path().display().to_string();
    assert_eq!(
        fs::read(&robots).unwrap(),
        fs::read(root().join("corpus/site/robots.txt")).unwrap()
    );
    let page = ["--page", "corpus/site/about.html", "--file", &robots];
    let told = good(&[&check[..], &page].concat());
    assert!(told.contains("judged again: the same decision"), "{told}");
    refused(
        &[&check[..], &["--page", "corpus/site/index.html"]].concat(),
        "another page",
    );
    let answer = json(&good(&[&check[..], &["--format", "json"]].concat()));
    assert_eq!(
        (answer["url"].as_str(), answer["kind"].as_str()),
        (Some(ABOUT), Some("page"))
    );
    let root = answer["root"].as_str().unwrap();
    good(&["evidence", "check", &proof, "--root", root]);
    let other = root.replace(&root[..1], if root.starts_with('0') { "1" } else { "0" });
    refused(
        &["evidence", "check", &proof, "--root", &other],
        "another root",
    );
    // Nothing is proved to somebody who trusts nothing.
    refused(&["evidence", "check", &proof], "--key");
    // A proof from a pipe, an altered proof, and texts that are no proof.
    let piped = ["evidence", "check", "-", "--key", &key];
    let text = fs::read_to_string(&proof).unwrap();
    assert_eq!(run(&piped, &text).0, 0);
    let (status, _, told) = run(&piped, text.replace("index 0\n", "index 1\n"));
    assert!(status == 2 && told.contains("does not hold"), "{told}");
    for what in ["", "{}", "\u{1b}]52;c;\u{7}", "c2sp.org/tlog-proof@v1\n"] {
        let (status, _, told) = run(&piped, what);
        assert!(
            status == 2 && told.contains("no proof") && !told.contains('\u{1b}'),
            "{what}: {told}"
        );
    }
}

#[test]
fn a_log_that_its_operator_signed_is_told_from_others() {
    let folder = folder();
    let (_, log) = site(&folder);
    let key = write(&folder, "1f", &"1f".repeat(32));
    let sign = ["evidence", "sign", &log, "--key", &key];
    let (status, _, told) = run(&[&sign[..], &["--name", "operator.example"]].concat(), "");
    assert_eq!(status, 0, "{told}");
    let public = told.split("key ").nth(1).unwrap().trim();
    assert!(public.starts_with("operator.example+"), "{public}");
    let public = write(&folder, "public", public);
    let proof = write(&folder, "proof", &good(&["evidence", "prove", &log, ABOUT]));
    let told = good(&["evidence", "check", &proof, "--key", &public]);
    assert!(told.contains("signed by operator.example at 20"), "{told}");
    let another = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    let another = write(&folder, "another", another);
    refused(
        &["evidence", "check", &proof, "--key", &another],
        "not signed with the key",
    );
    refused(
        &["evidence", "sign", &log, "--key", "README.md"],
        "no Ed25519 key",
    );
    refused(
        &[&sign[..], &["--name", "two words"]].concat(),
        "no white space",
    );
    let audit = json(&good(&["evidence", "audit", &log, "--format", "json"]));
    assert_eq!(audit["signed"], 2);
    // The lines of a witness are accepted with its key, and with no other.
    let checkpoint = fs::read_to_string(format!("{log}/checkpoint")).unwrap();
    let line = checkpoint
        .lines()
        .find(|line| line.contains("operator.example"));
    let line = write(&folder, "line", &format!("{}\n", line.unwrap()));
    let add = ["evidence", "sign", &log, "--cosignatures", &line, "--key"];
    good(&[&add[..], &[&public]].concat());
    refused(&[&add[..], &[&another]].concat(), "is not that of the key");
    // A mask has a log of its own.
    let mask = |name: &str, log: &str| {
        let out = path(&folder, name);
        let mask = ["mask", "corpus/site/about.html", "-u", ABOUT, "-q"];
        run(&[&mask[..], &["-o", &out, "--evidence", log]].concat(), "")
    };
    assert_eq!(mask("mask", &path(&folder, "masks")).0, 0);
    let (status, _, told) = mask("m2", &log);
    assert!(status == 2 && told.contains("something else"), "{told}");
}

/// What was signed once is never contradicted.
#[test]
fn nothing_is_signed_that_contradicts_the_last_signature() {
    let folder = folder();
    let (index, log) = site(&folder);
    let key = write(&folder, "1f", &"1f".repeat(32));
    let before = path(&folder, "before");
    copied(&log, &before);
    let index_before = path(&folder, "index-before");
    copied(&index, &index_before);
    good(&["purge", &index, "--url", ABOUT]);
    good(&["evidence", "sign", &log, "--key", &key]);
    // An older copy of the log, with what was signed since.
    for name in ["cosigned", "keys"] {
        fs::copy(format!("{log}/{name}"), format!("{before}/{name}")).unwrap();
    }
    let sign = ["evidence", "sign", &before, "--key", &key];
    refused(&sign, "nothing was signed");
    // That copy with another entry in the place of the signed one.
    good(&[
        "purge",
        &index_before,
        "--url",
        "https://site.example/index.html",
        "--evidence",
        &before,
    ]);
    refused(&sign, "nothing was signed");
    // Entries that do not lead to the root.
    let entries = path(&folder, "log/tile/entries/000.p/52");
    let bytes = fs::read(&entries).unwrap();
    let altered = String::from_utf8_lossy(&bytes).replacen("page", "gone", 1);
    fs::write(&entries, altered).unwrap();
    refused(
        &["evidence", "sign", &log, "--key", &key],
        "nothing was signed",
    );
}

fn copied(from: &str, to: &str) {
    let status = Command::new("cp").args(["-r", from, to]).status().unwrap();
    assert!(status.success());
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
    copied(&index, &copy);
    let then = path(&folder, "then");
    fs::copy(format!("{log}/checkpoint"), &then).unwrap();
    good(&["purge", &index, "--url", ABOUT, "--why", "asked by mail"]);
    good(&["purge", &index, "--noarchive"]);
    good(&["compact", &index]);
    let grown = write(
        &folder,
        "grown",
        &good(&["evidence", "grown", &log, "--since", &since.to_string()]),
    );
    let keys = path(&folder, "log/keys");
    let check = ["evidence", "check", &grown, "--old", &then, "--key", &keys];
    good(&check);
    refused(&check[..5], "--key");
    refused(
        &["evidence", "check", &grown, "--key", &keys],
        "needs the older checkpoint",
    );
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
    fs::write(format!("{log}/private/records/000.p/51"), "damaged").unwrap();
    let (status, out, _) = run(&["evidence", "audit", &log], "");
    assert!(status == 1 && out.contains("000.p/51 is damaged"), "{out}");
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
        if fs::exists(format!("{log}/log.json")).unwrap()
            && fs::exists(format!("{index}/meta.json")).unwrap()
        {
            let (status, out, told) = run(&["evidence", "audit", &log, "--index", &index], "");
            // A run that was killed before its first commit has no log yet. One that was killed right
            // after a commit has not signed it.
            assert!(
                status == 0
                    || told.contains("keeps no evidence")
                    || told.contains("never held")
                    || out.contains("the next run signs it"),
                "{out}{told}"
            );
        }
    }
    good(&arguments);
    good(&["evidence", "audit", &log, "--index", &index]);
    let audit = json(&good(&["evidence", "audit", &log, "--format", "json"]));
    assert_eq!(audit["entries"], 3000, "killed {killed} times");
}
