//! `heedful evidence check` succeeds only if it could check everything that the user requested.

use std::fs;

use crate::command::{path, run, write};
use crate::support::made::folder;

const ABOUT: &str = "https://site.example/about.html";

fn good(arguments: &[&str]) -> (String, String) {
    let (status, out, told) = run(arguments, "");
    assert_eq!(status, 0, "{arguments:?}: {told}");
    (out, told)
}

fn refused(arguments: &[&str], expected: &str) {
    let (status, out, told) = run(arguments, "");
    assert!(
        status == 2 && told.contains(expected) && out.is_empty(),
        "{arguments:?}: {status} {out}{told}"
    );
}

#[test]
fn a_proof_of_growth_is_no_answer_to_key_or_page() {
    let folder = folder();
    let [index, log] = ["index", "log"].map(|name| path(&folder, name));
    good(&[
        "index",
        "corpus/site",
        "-u",
        "https://site.example/",
        "-o",
        &index,
        "--evidence",
        &log,
        "-q",
    ]);
    let secret = write(&folder, "key", &"1f".repeat(32));
    let told = good(&["evidence", "sign", &log, "--key", &secret]).1;
    let key = write(&folder, "public", told.split("key ").nth(1).unwrap().trim());
    let grown = write(
        &folder,
        "grown",
        &good(&["evidence", "grown", &log, "--since", "1"]).0,
    );
    let told = good(&["evidence", "check", &grown]).0;
    assert!(
        told.contains("not signed") && told.contains("of itself it says: log"),
        "{told}"
    );
    for format in ["text", "json"] {
        let check = ["evidence", "check", &grown, "--format", format];
        refused(
            &[&check[..], &["--key", &key]].concat(),
            "no signature, so --key cannot be checked",
        );
        refused(
            &[&check[..], &["--page", "corpus/site/about.html"]].concat(),
            "no page, so --page cannot be checked",
        );
    }
    // The proof of a grown log is refused even beside a signed proof.
    let proof = good(&["evidence", "prove", &log, ABOUT]).0;
    let signed = write(&folder, "signed", &proof);
    good(&["evidence", "check", &signed, "--key", &key]);
    let both = write(
        &folder,
        "both",
        &(proof + &fs::read_to_string(&grown).unwrap()),
    );
    let (status, _, told) = run(&["evidence", "check", &both, "--key", &key], "");
    assert!(
        status == 2 && told.contains("--key cannot be checked"),
        "{told}"
    );
}

#[test]
fn growth_from_nothing_and_to_nothing_names_the_root_of_nothing() {
    let folder = folder();
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let line = |old_root: &str, size: u64, root: &str| {
        let log = "0".repeat(32);
        let text = format!(
            "{{\"heedful_evidence\":1,\"log\":\"{log}\",\"old\":0,\"old_root\":\"{old_root}\",\"size\":{size},\
             \"root\":\"{root}\",\"proof\":\"\"}}"
        );
        write(&folder, "line", &text)
    };
    let [one, other] = ["f", "e"].map(|digit| digit.repeat(64));
    for (old_root, size, root) in [
        (one.as_str(), 0, other.as_str()),
        (empty, 0, &other),
        (&one, 0, empty),
        (&one, 3, &other),
    ] {
        refused(
            &["evidence", "check", &line(old_root, size, root)],
            "does not hold",
        );
    }
    good(&["evidence", "check", &line(empty, 0, empty)]);
    good(&["evidence", "check", &line(empty, 3, &other)]);
}

#[test]
fn what_no_signature_covers_is_called_what_the_proof_says_of_itself() {
    let folder = folder();
    let place = |proof: &str| {
        let told = good(&["evidence", "check", proof]).0;
        told.lines().nth(1).unwrap().to_owned()
    };
    let vector = |name: &str| format!("tests/evidence/vectors/{name}.proof");
    assert!(place(&vector("unsigned")).starts_with("of itself it says: entry "));
    assert!(place(&vector("signed")).starts_with("entry "));
    // An unsigned proof may claim any time.
    let text = fs::read_to_string(crate::support::root().join(vector("unsigned"))).unwrap();
    let at = text.find("\"time\":").unwrap() + 7;
    let past = format!(
        "{}1{}",
        &text[..at],
        &text[at + text[at..].find(',').unwrap()..]
    );
    assert!(place(&write(&folder, "past", &past)).contains("of itself it says: entry"));
}
