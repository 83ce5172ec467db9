//! The commands of the reference pages docs/*.md work. The `sh` and `console` blocks of a page run
//! in order, in a folder with the files that the page names. Each command must succeed, and print
//! every line that a `console` block shows after it, except a line `...`.
//!
//! The comment `<!-- needs: wb-manager -->` before a block names programs. If one of them is missing,
//! the block is skipped with a message. Other tests run the commands of the pages in [`ELSEWHERE`].

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::guides::{is_here, needed};
use crate::served::Served;
use crate::support::root;

/// Pages whose commands this test runs.
const PAGES: [&str; 7] = [
    "census",
    "evidence",
    "explain",
    "input",
    "mask",
    "program",
    "snapshots",
];

/// Pages whose commands another test runs, with this test.
const ELSEWHERE: [(&str, &str); 5] = [
    ("crawlers", "cli/tests/program/crawlers.rs"),
    ("publishers", "cli/tests/program/guide.rs"),
    ("search-page", "the_search_page_answers_its_commands"),
    ("serve", "cli/tests/program/serve_guide.rs"),
    ("suite", "tests/suite/test.py"),
];

/// Makes the files that the pages name: a site, pages, archives and manifests of them.
const FILES: &str = r#"
mkdir corpus && cp -r "$ROOT/corpus/site" corpus/site && cp -r corpus/site site
cp site/about.html page.html
echo '<meta name=robots content=noai><p>Dark rye' > about.html
record() { # KIND PATH
    { printf 'HTTP/1.1 200 OK\r\nContent-Type: text/%s\r\n\r\n' "$1"; cat "site/$2"; } > response
    printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://site.example/%s\r\n' "$2"
    printf 'WARC-Date: 2026-11-21T00:00:00Z\r\nWARC-Record-ID: <urn:test:%s>\r\n' "$2"
    printf 'Content-Type: application/http; msgtype=response\r\nContent-Length: %s\r\n\r\n' "$(wc -c < response)"
    cat response
    printf '\r\n\r\n'
}
{ record plain robots.txt; record html about.html; record html hours.html; } | gzip > crawl.warc.gz
for name in crawl-1 crawl-2 CC-MAIN-00000; do cp crawl.warc.gz $name.warc.gz; done
echo crawl.warc.gz | gzip | tee warc.paths.gz > robotstxt.paths.gz
mkdir -p .local/share/man/man1 .local/share/bash-completion/completions
"#;

/// A block of commands, and the lines that it must print.
#[derive(Default)]
struct Block {
    needs: Vec<String>,
    script: String,
    expected: Vec<String>,
}

/// Returns the blocks of a page whose commands a reader runs, without those of a service and of
/// Cargo.
fn blocks(page: &str) -> Vec<Block> {
    let (mut blocks, mut lines, mut before) = (Vec::new(), page.lines(), "");
    while let Some(line) = lines.next() {
        if line != "```sh" && line != "```console" {
            before = line;
            continue;
        }
        let mut block = Block {
            needs: needed(before),
            ..Block::default()
        };
        for text in lines.by_ref().take_while(|line| *line != "```") {
            if line == "```sh" {
                block.script.push_str(text);
                block.script.push('\n');
            } else if let Some(command) = text.strip_prefix("$ ") {
                block.script.push_str(command);
                block.script.push('\n');
            } else if !text.is_empty() && text != "..." {
                block.expected.push(text.trim_end().to_owned());
            }
        }
        if !block.script.contains("heedful serve") && !block.script.starts_with("cargo run") {
            blocks.push(block);
        }
    }
    blocks
}

/// Runs a script in a folder, and returns what it prints on both streams.
fn printed(folder: &Path, script: &str) -> String {
    let program = assert_cmd::cargo::cargo_bin("heedful");
    let path = std::env::var("PATH").unwrap();
    let script = format!("exec 2>&1\n{script}");
    let done = Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &script])
        .current_dir(folder)
        .env(
            "PATH",
            format!("{}:{path}", program.parent().unwrap().display()),
        )
        .env("ROOT", root())
        .env("HOME", folder)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{}\n{script}\n{text}", done.status);
    text
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(format!("docs/{name}.md"))).unwrap()
}

#[test]
fn the_commands_of_each_page_work() {
    for name in PAGES {
        let folder = TempDir::new().unwrap();
        printed(folder.path(), FILES);
        if name == "snapshots" {
            let index = "heedful index site -u https://site.example/ --snapshot -q -o site.index";
            printed(folder.path(), index);
        }
        let mut ran = 0;
        for block in blocks(&page(name)) {
            if let Some(missing) = block.needs.iter().find(|program| !is_here(program)) {
                eprintln!("SKIPPED: docs/{name}.md: a block without {missing}");
                continue;
            }
            let here = folder.path().display().to_string();
            let found = printed(
                folder.path(),
                &block.script.replace("/data/commoncrawl", &here),
            );
            for line in &block.expected {
                assert!(found.contains(line), "docs/{name}.md: {line}\n{found}");
            }
            ran += 1;
        }
        assert!(ran > 0, "docs/{name}.md has no command that runs");
    }
}

#[test]
fn the_search_page_answers_its_commands() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("site").display().to_string();
    let made = format!(
        "heedful index \"$ROOT/corpus/site\" -o {index} --url https://site.example/ --snapshot -q"
    );
    printed(folder.path(), &made);
    let served = Served::start(&[&index]);
    if !is_here("curl") {
        eprintln!("SKIPPED: docs/search-page.md: no curl");
        return;
    }
    for block in blocks(&page("search-page")) {
        let script = block
            .script
            .replace("localhost:4333", &served.address.to_string());
        for answer in printed(folder.path(), &script).lines() {
            let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
            assert!(answer.get("error").is_none(), "{answer}");
        }
    }
}

#[test]
fn no_page_has_commands_that_nobody_runs() {
    let mut known: BTreeSet<String> = PAGES.map(str::to_owned).into();
    known.extend(ELSEWHERE.map(|(page, _)| page.to_owned()));
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_some_and(|end| end == "md") && !known.contains(&name) {
            let text = std::fs::read_to_string(&path).unwrap();
            let has_commands = text.contains("```sh\n") || text.contains("```console\n");
            assert!(!has_commands, "no test runs the commands of docs/{name}.md");
        }
    }
}
