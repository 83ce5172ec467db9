//! docs/crawlers.md is correct: its files can be indexed, its commands print the output that it
//! shows, and its statements about lines are true. Tests of the library and of the Python package
//! run its examples in Rust and Python.

use std::process::{Command, Output};

use tempfile::TempDir;

use crate::command::{path, run, write};

const PAGE: &str = include_str!("../../../docs/crawlers.md");

/// Returns the code blocks of docs/crawlers.md in this language. Each is a pair: all text before
/// the block, then the block itself.
fn blocks(language: &str) -> Vec<(&str, &str)> {
    let fence = format!("\n```{language}\n");
    let starts = PAGE
        .match_indices(&fence)
        .map(|(at, _)| (at, at + fence.len()));
    starts
        .map(|(at, start)| (&PAGE[..at], PAGE[start..].split("```").next().unwrap()))
        .collect()
}

/// Writes the example files of docs/crawlers.md into a folder. The name of each file is the last
/// code span before its code block.
fn files() -> TempDir {
    let folder = TempDir::new().unwrap();
    let blocks = blocks("jsonl");
    assert_eq!(blocks.len(), 3);
    for (before, text) in blocks {
        write(&folder, before.rsplit('`').nth(1).unwrap(), text);
    }
    folder
}

fn bash(folder: &TempDir, command: &str) -> Output {
    let program = assert_cmd::cargo::cargo_bin("heedful");
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut shell = Command::new("bash");
    shell
        .args(["-e", "-o", "pipefail", "-c", command])
        .current_dir(folder.path())
        .env("PATH", path);
    shell.output().unwrap()
}

#[test]
fn its_commands_print_what_it_says() {
    let folder = files();
    let mut count = 0;
    for (_, block) in blocks("console") {
        for step in block.strip_prefix("$ ").unwrap().split("\n$ ") {
            let (command, expected) = step.split_once('\n').unwrap_or((step, ""));
            let done = bash(&folder, command);
            assert!(done.status.success(), "{command}\n{done:?}");
            assert_eq!(
                String::from_utf8(done.stdout).unwrap().trim_end(),
                expected.trim_end(),
                "{command}"
            );
            count += 1;
        }
    }
    assert_eq!(count, 8);
}

fn indexed(folder: &TempDir, lines: &str) -> String {
    let index = path(folder, "told");
    let (status, _, told) = run(
        &[
            "index", "-b", "FooBot", "-o", &index, "--input", "jsonl", "-",
        ],
        lines,
    );
    assert!(status < 2, "{told}");
    run(&["stats", "--list", &index], "").1
}

/// A response that is no page has the effect that docs/crawlers.md documents. The test applies such
/// responses to the page that the example in docs/crawlers.md indexes on Monday.
#[test]
fn each_answer_does_what_it_says() {
    let monday = blocks("jsonl")[0].1;
    let spelt = "https://site.example/spelt";
    for (line, is_kept) in [
        (r#""status": 404"#, false),
        (r#""status": 410"#, false),
        (r#""status": 301, "headers": [["Location", "/"]]"#, false),
        (r#""status": 429"#, true),
        (r#""status": 503"#, true),
        (
            r#""status": 206, "html": "<meta name=robots content=noindex>""#,
            true,
        ),
        (r#""status": 304"#, true),
        (
            r#""status": 304, "headers": [["X-Robots-Tag", "foobot: noindex"]]"#,
            false,
        ),
        (
            r#""html": "", "robots": "User-agent: *\nDisallow: /spelt""#,
            false,
        ),
        (
            r#""html": "<p>again", "date": "2026-11-01T00:00:00Z", "headers": [["X-Robots-Tag", "noindex"]]"#,
            true,
        ),
    ] {
        let folder = TempDir::new().unwrap();
        assert!(indexed(&folder, monday).contains(&format!("{spelt} indexed")));
        let found = indexed(&folder, &format!("{{\"url\": \"{spelt}\", {line}}}"));
        assert_eq!(
            found.contains(&format!("{spelt} indexed")),
            is_kept,
            "{line}\n{found}"
        );
    }
}

#[test]
fn a_robots_txt_is_told_as_the_page_says() {
    let page = r#"{"url": "https://site.example/x", "html": "<p>x"}"#;
    for (line, is_open) in [
        (
            r#""status": 404, "html": "User-agent: *\nDisallow: /""#,
            true,
        ),
        (r#""status": 503, "html": """#, false),
        (r#""status": 503"#, false),
        (
            r#""status": 301, "headers": [["Location", "/rules.txt"]], "html": """#,
            false,
        ),
    ] {
        let robots = format!("{{\"url\": \"https://site.example/robots.txt\", {line}}}");
        for lines in [format!("{robots}\n{page}"), format!("{page}\n{robots}")] {
            let found = indexed(&TempDir::new().unwrap(), &lines);
            assert_eq!(found.contains("/x indexed"), is_open, "{lines}\n{found}");
        }
        // The answer of an earlier attempt counts beside the last one.
        let both = format!(
            "{robots}\n{{\"url\": \"https://site.example/robots.txt\", \"html\": \"\"}}\n{page}"
        );
        assert_eq!(
            indexed(&TempDir::new().unwrap(), &both).contains("/x indexed"),
            is_open,
            "{line}"
        );
    }
}

/// If the headers of a file have no Content-Type, they still apply to the verdict on the file. If
/// the Content-Type is that of another format than HTML, the file is ignored; otherwise an index
/// would have an empty page for it.
#[test]
fn a_file_has_a_verdict_without_its_type() {
    let lines = blocks("jsonl")[2].1;
    let typed = lines.replace("[[", "[[\"Content-Type\", \"application/pdf\"], [");
    assert_ne!(typed, lines);
    let (status, found, told) = run(&["filter", "-b", "FooBot", "--input", "jsonl"], &typed);
    assert!(
        status == 1 && found.is_empty() && told.contains("passed over: 2 not HTML"),
        "{told}"
    );
    let robots =
        r#"{"url": "https://site.example/robots.txt", "html": "User-agent: *\nDisallow: /prices"}"#;
    let (_, found, _) = run(
        &["filter", "-b", "FooBot", "--input", "jsonl"],
        format!("{robots}\n{lines}"),
    );
    assert_eq!(found.matches("\"enter\":false").count(), 1, "{found}");
    let found = indexed(&TempDir::new().unwrap(), lines);
    assert!(
        found.contains("/prices.pdf indexed") && found.contains("/menu.pdf not indexed"),
        "{found}"
    );
}

/// A crawler should pass the body of a response unpacked. If the body is gzip, the program unpacks
/// it.
#[test]
fn a_packed_body_is_a_page_only_in_gzip() {
    let line = |coding: &str, packed: &str| {
        let headers = serde_json::json!([["Content-Encoding", coding]]);
        serde_json::json!({"url": "https://site.example/x", "headers": headers, "html_b64": packed})
            .to_string()
    };
    let gzip = line("gzip", "H4sIAAAAAAAAA7MpsCtITM5OTVEozy9KAQD2ooNWDgAAAA==");
    let (status, found, told) = run(&["text", "--input", "jsonl"], &gzip);
    assert!(
        status == 0 && found.contains("packed word"),
        "{found}{told}"
    );
    let (status, found, told) = run(
        &["filter", "--input", "jsonl"],
        line("zstd", "KLUv/TxwPng="),
    );
    assert!(
        status == 1 && found.is_empty() && told.contains("passed over: 1 not HTML"),
        "{told}"
    );
}
