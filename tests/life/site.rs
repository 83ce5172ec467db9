//! A small site whose pages change step by step. The file site.txt describes the steps.
//!
//! Everything that the index of the site contains is written as facts. Each step of site.txt names
//! the facts that disappear (`-`) and those that appear (`+`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use heedful_index::Index;
use tempfile::TempDir;

use super::common::{anchors, found_at, gone};

const LIFE: &str = include_str!("site.txt");
const SITE: &str = "http://site.example";
/// Words that are searched after each step. The results are facts of the index too.
const WORDS: [&str; 7] = ["rye", "wood", "gas", "till", "bread", "oven", "where"];

struct Step {
    name: &'static str,
    /// Pages of this step as JSON Lines.
    lines: String,
    warc: Vec<u8>,
    gone: Vec<&'static str>,
    come: Vec<&'static str>,
}

fn steps() -> Vec<Step> {
    LIFE.split("\n== ").skip(1).map(step).collect()
}

fn step(text: &'static str) -> Step {
    let (name, lines) = text.split_once('\n').unwrap();
    let mut step = Step {
        name,
        lines: String::new(),
        warc: Vec::new(),
        gone: Vec::new(),
        come: Vec::new(),
    };
    for line in lines.lines().filter(|line| !line.is_empty()) {
        match (line.split_at(1), line.strip_prefix("warc ")) {
            (_, Some(record)) => step.warc.extend(response(record).bytes()),
            (("{", _), _) => step.lines.extend([line, "\n"]),
            (("-", fact), _) => step.gone.push(fact),
            (("+", fact), _) => step.come.push(fact),
            _ => panic!("{line}"),
        }
    }
    step
}

/// Returns a WARC record from a line of site.txt: content type, URL and body.
fn response(text: &str) -> String {
    let mut parts = text.splitn(3, ' ');
    let [kind, url, body] = [(); 3].map(|()| parts.next().unwrap());
    let response = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{response}\r\n\r\n",
        response.len()
    )
}

/// Writes the input of a step to files in `folder`, and returns their paths.
fn files(step: &Step, folder: &Path) -> Vec<PathBuf> {
    let contents = [
        ("pages.jsonl", step.lines.as_bytes()),
        ("pages.warc", &step.warc),
    ];
    let mut paths = Vec::new();
    for (name, bytes) in contents.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
        paths.push(folder.join(name));
        std::fs::write(&paths[paths.len() - 1], bytes).unwrap();
    }
    paths
}

/// Returns everything that an index contains as facts, sorted.
fn facts(index: &Index) -> Vec<String> {
    let search = index.search().unwrap();
    let path = |url: &str| url.strip_prefix(SITE).unwrap_or(url).to_owned();
    let mut facts: Vec<_> = search
        .urls()
        .unwrap()
        .iter()
        .map(|url| format!("page {}", path(url)))
        .collect();
    for [source, target, text] in anchors(&search) {
        facts.push(format!("{} calls {} {text}", path(&source), path(&target)));
    }
    for [url, reason, why] in gone(&search) {
        // The reasons for these name the file that was read, or tell more than is stable.
        let is_told = !why.is_empty() && reason != "damaged" && reason != "unreadable";
        let why = if is_told {
            format!(": {why}")
        } else {
            String::new()
        };
        facts.push(format!("gone {} {reason}{why}", path(&url)));
    }
    for word in WORDS {
        facts.extend(
            found_at(&search, word, None)
                .iter()
                .map(|url| format!("{word} finds {}", path(url))),
        );
    }
    facts.sort();
    facts
}

/// Applies all steps of the site to an index. `compacts` says after which steps the index is
/// compacted.
pub(crate) fn live(
    open: impl Fn() -> Index,
    feed: impl Fn(&[PathBuf]),
    compact: impl Fn(),
    mut compacts: impl FnMut() -> bool,
) {
    let inputs = TempDir::new().unwrap();
    let mut expected = BTreeSet::new();
    for step in steps() {
        for fact in &step.gone {
            assert!(expected.remove(fact), "{}: {fact} is no fact", step.name);
        }
        for fact in &step.come {
            assert!(expected.insert(*fact), "{}: {fact} is a fact", step.name);
        }
        feed(&files(&step, inputs.path()));
        assert_holds(&open(), &expected, step.name);
        if compacts() {
            compact();
            assert_holds(&open(), &expected, &format!("{}, compacted", step.name));
        }
    }
}

fn assert_holds(index: &Index, expected: &BTreeSet<&str>, name: &str) {
    let facts = facts(index);
    let found: BTreeSet<_> = facts.iter().map(String::as_str).collect();
    let (lost, stray): (Vec<_>, Vec<_>) = (
        expected.difference(&found).collect(),
        found.difference(expected).collect(),
    );
    assert!(
        lost.is_empty() && stray.is_empty(),
        "{name}: not there {lost:#?}, and there {stray:#?}"
    );
    assert_eq!(
        facts.len(),
        found.len(),
        "{name}: something is there twice: {facts:#?}"
    );
    assert_eq!(index.check().unwrap(), [""; 0], "{name}");
}
