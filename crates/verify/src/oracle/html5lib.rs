//! Compares the finished tree with the tree-construction tests of html5lib, by the elements that
//! contain each text.
//!
//! The tests of html5lib are not part of this repository. If they are found neither at
//! `HEEDFUL_DATA` nor in the folder beside the repository, this test reports that and passes.
//! Fragment tests are skipped, since no page is a fragment. Text is compared without white space
//! and U+FFFD, which HTML parsers insert and drop.

#![allow(clippy::print_stderr, reason = "a test that skips says so")]

use std::path::{Path, PathBuf};

use super::grown::NodeKind;
use super::stamp::{self, Event};

/// A text of a tree, and the names of the elements that contain it. The outermost element comes
/// first.
type Contained = (Vec<String>, String);

/// Tests of html5lib for which the finished tree differs from the expected result. An entry has the
/// file, the number of the test, and the reason.
const DEPARTURES: [(&str, usize, &str); 4] = [
    ("webkit02.dat", 45, COPIED),
    ("webkit02.dat", 46, COPIED),
    ("webkit02.dat", 47, COPIED),
    ("webkit02.dat", 48, COPIED),
];
const COPIED: &str = "The selectedcontent element: it gets a copy of the chosen option, which is judged where it is written";

fn solid(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '\u{FFFD}' | '\0'))
        .collect()
}

/// Appends a text and the names of the elements around it to the list. If the last text of the list
/// is in the same elements, the new text is appended to that text instead.
fn add(found: &mut Vec<Contained>, path: &[String], text: &str) {
    let text = solid(text);
    match found.last_mut() {
        _ if text.is_empty() => {}
        Some((last, before)) if last == path => before.push_str(&text),
        _ => found.push((path.to_vec(), text)),
    }
}

fn ours(page: &str, scripting: bool) -> Vec<Contained> {
    let (events, grown) = stamp::parse(page, scripting);
    let mut paths: Vec<Vec<String>> = Vec::new();
    let mut found = Vec::new();
    for node in &grown.nodes {
        let mut path = paths.get(node.parent).cloned().unwrap_or_default();
        match &node.kind {
            NodeKind::Element { name, .. } => path.push(name.clone()),
            NodeKind::Text(text) => {
                for number in stamp::numbers(text) {
                    if let Event::Text(text) = &events[number] {
                        add(&mut found, &path, text);
                    }
                }
            }
            _ => {}
        }
        paths.push(path);
    }
    found
}

/// Parses the expected tree of a test of html5lib, and returns its texts. Each line of the expected
/// tree has `| `, two spaces per level, and an element, a text or another node.
fn expected(document: &str) -> Vec<Contained> {
    let (mut path, mut found): (Vec<(usize, String)>, _) = (Vec::new(), Vec::new());
    for entry in format!("\n{document}").split("\n| ").skip(1) {
        let content = entry.trim_start_matches(' ');
        let depth = (entry.len() - content.len()) / 2;
        path.retain(|(outer, _)| *outer < depth);
        if let Some(text) = content.strip_prefix('"') {
            let names: Vec<String> = path.iter().map(|(_, name)| name.clone()).collect();
            add(
                &mut found,
                &names,
                text.trim_end_matches('\n')
                    .strip_suffix('"')
                    .unwrap_or(text),
            );
        } else if let Some(tag) = content
            .strip_prefix('<')
            .filter(|tag| !tag.starts_with(['!', '?']))
        {
            let name = tag.trim_end_matches('\n').trim_end_matches('>');
            let name = name
                .strip_prefix("svg ")
                .or_else(|| name.strip_prefix("math "))
                .unwrap_or(name);
            path.push((depth, name.to_owned()));
        }
    }
    found
}

fn folder() -> Option<PathBuf> {
    let data = std::env::var_os("HEEDFUL_DATA").map(PathBuf::from);
    let data =
        data.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    Some(data.join("html5lib-tests/tree-construction")).filter(|folder| folder.is_dir())
}

/// Returns the section of a test of html5lib that follows the heading `heading`, or `None`.
fn part<'a>(test: &'a str, heading: &str) -> Option<&'a str> {
    let rest = test.split_once(&format!("\n{heading}\n"))?.1;
    Some(rest.split("\n\n#data").next().unwrap_or(rest))
}

#[test]
fn texts_stand_where_html5lib_has_them() {
    let Some(folder) = folder() else {
        eprintln!("SKIPPED: no html5lib-tests");
        return;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    let (mut tests, mut wrong) = (0, Vec::new());
    for file in files
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "dat"))
    {
        let text = std::fs::read(file)
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default();
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for (number, test) in format!("\n{text}").split("\n#data\n").enumerate().skip(1) {
            let (Some(page), Some(document)) =
                (test.split("\n#errors").next(), part(test, "#document"))
            else {
                continue;
            };
            if test.contains("\n#document-fragment") {
                continue;
            }
            let scripting = !test.contains("\n#script-off");
            tests += 1;
            let departs = DEPARTURES
                .iter()
                .any(|(file, at, _)| *file == name && *at == number);
            if (ours(page, scripting) == expected(document)) == departs {
                wrong.push(format!(
                    "{name} {number}: {page:?}\n  ours     {:?}\n  expected {:?}",
                    ours(page, scripting),
                    expected(document)
                ));
            }
        }
    }
    assert!(
        tests > 1_000 && wrong.is_empty(),
        "{} of {tests} tests\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
