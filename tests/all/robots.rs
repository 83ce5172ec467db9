//! Compares our rulings of robots.txt files with robotxt's, on real files if they are available.
//! Every difference must have a known cause.
//!
//! Each real robots.txt is asked about 30 paths that any site may have, and up to 20 made of its
//! own rules. The causes of differences are in robots.tsv, each with the number of differences that
//! it explains. A difference without a cause is a failure. Another number of differences than the
//! listed one is a failure too.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use heedful::{Bot, RobotsTxt};

use crate::support;

const PATHS: [&str; 30] = [
    "/",
    "/index.html",
    "/robots.txt",
    "/search",
    "/search?q=a",
    "/a",
    "/a/b",
    "/a/b/c.html",
    "/img/logo.png",
    "/admin",
    "/admin/",
    "/wp-admin/",
    "/wp-admin/admin-ajax.php",
    "/wp-content/uploads/a.jpg",
    "/user/login",
    "/cgi-bin/x",
    "/tmp/",
    "/private/",
    "/cart",
    "/checkout",
    "/feed",
    "/feed/",
    "/tag/x",
    "/page/2",
    "/print/1",
    "/en/",
    "/about.php?id=1&x=2",
    "/file.pdf",
    "/*",
    "/caf%C3%A9",
];

/// Returns paths to which the rules of a robots.txt may apply.
fn own_paths(file: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(file);
    let values = text
        .split(['\n', '\r'])
        .filter_map(|line| line.split_once(':').map(|(_, value)| value));
    let values = values.map(|value| {
        value
            .split('#')
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    });
    let values = values.filter(|value| {
        value.starts_with('/') && !value.starts_with("//") && !value.contains(char::is_whitespace)
    });
    values
        .map(|value| value.replace('*', "x").trim_end_matches('$').to_owned())
        .take(20)
        .collect()
}

fn cause(file: &[u8], robots: &RobotsTxt, path: &str, ours: bool) -> Option<&'static str> {
    let bot = Bot::new("Googlebot").unwrap();
    let rule = robots
        .ruling(&bot, path)
        .rule()
        .unwrap_or_default()
        .into_owned();
    let has = |kind: &str| robots.notes().iter().any(|note| note.kind().name() == kind);
    let value = rule.split_once(':').map_or("", |(_, value)| value.trim());
    Some(match () {
        () if path == "/robots.txt" => "/robots.txt itself is allowed",
        () if has("utf-16") => "UTF-16 is decoded",
        () if has("not-a-rule-between-agents") => "a record that is no rule ends no group",
        () if value.starts_with('*') || has("star-first") => "a pattern that begins with a star",
        () if value.contains('%') || path.contains('%') => "percent-encoding in a normal form",
        () if !ours && value.starts_with("http") => "a URL as pattern, when it denies",
        () if !ours && !value.starts_with('/') => "a pattern without a slash, when it denies",
        () if has("misspelt-key") || has("no-colon") => "sloppy lines count where they deny",
        () if file.len() > 500 << 10 => "the limit",
        () if value.contains(char::is_whitespace) => "blanks in a pattern",
        () if has("no-slash") => "an allowance without a slash says nothing",
        () => return None,
    })
}

#[test]
fn differences_from_robotxt_have_causes() {
    let bot = Bot::new("Googlebot").unwrap();
    let (mut asked, mut causes, mut unknown) = (0, BTreeMap::new(), Vec::new());
    let files = support::robots();
    for (number, file) in files.iter().enumerate() {
        let robots = RobotsTxt::parse(file);
        let other = robotxt::Robots::parse(file, "Googlebot");
        for path in PATHS
            .iter()
            .map(|path| (*path).to_owned())
            .chain(own_paths(file))
        {
            asked += 1;
            let ruling = robots.ruling(&bot, &path);
            if ruling.allowed() == other.is_allowed(&path) {
                continue;
            }
            match cause(file, &robots, &path, ruling.allowed()) {
                Some(cause) => *causes.entry(cause).or_insert(0) += 1,
                None => unknown.push(format!(
                    "{number} {path}: {} by {:?} {:?}, robotxt by {:?}",
                    if ruling.allowed() {
                        "allowed"
                    } else {
                        "denied"
                    },
                    ruling.line(),
                    ruling.rule(),
                    other.matching_rule(&path).map(robotxt::Rule::pattern)
                )),
            }
        }
    }
    if files.is_empty() {
        return;
    }
    let found: String = causes
        .iter()
        .map(|(cause, count)| format!("{count}\t{cause}\n"))
        .collect();
    assert!(
        unknown.is_empty(),
        "{asked} asked, {} unexplained\n{}\n{found}",
        unknown.len(),
        unknown.join("\n")
    );
    assert_eq!(found, include_str!("../robots.tsv"), "{asked} asked");
}
