//! `heedful lint` as a publisher runs it. corpus/lint.md shows the findings of each rule in a page.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use heedful_lint::{Level, RULES};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{ended, heedful};
use crate::support::root;

/// All findings of `lint` in the site of the corpus, each as its position and its rule.
const SITE: [(&str, &str); 8] = [
    ("about.html:7:1", "unknown-token"),
    ("about.html:23:1", "opened-twice"),
    ("about.html:26:1", "opened-twice"),
    ("diary/new-year.html:7:11", "lookalike"),
    ("diary/night-shift.html:23:1", "unclosed-region"),
    ("mill/children.html:21:1", "bogus-marker"),
    ("recipes/cinnamon-knots.html:13:1", "stray-close"),
    ("shop/breads.html:28:1", "opened-twice"),
];

/// Runs `heedful lint` in a folder. Returns its exit status, standard output and standard error.
fn lint(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    ended(heedful(&["lint"]).current_dir(folder).args(arguments))
}

fn corpus() -> PathBuf {
    root().join("corpus")
}

/// Creates a folder with these files, given as name and text.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    crate::support::folder(&files)
}

const URL: [&str; 2] = ["-u", "https://site.example/"];

/// Runs `heedful lint` in a folder with these options. Returns the findings, each as its position
/// and its rule.
fn found(folder: &Path, options: &[&str]) -> Vec<String> {
    let (status, found, told) = lint(folder, &[&["."], &URL[..], options].concat());
    let lines: Vec<_> = found.lines().map(short).collect();
    assert_eq!(status, i32::from(!lines.is_empty()), "{told}");
    lines
}

/// Shortens a line of `lint`, such as `./a.html:1:2: warning: ... [rule]`, to `a.html:1:2 rule`.
fn short(line: &str) -> String {
    let (place, rest) = line.split_once(": ").unwrap();
    let rule = rest.rsplit_once('[').unwrap().1.trim_end_matches(']');
    format!("{} {rule}", place.trim_start_matches("./"))
}

#[test]
fn the_site_of_the_corpus_has_these_faults_and_no_others() {
    let (status, found, told) = lint(&corpus(), &["site", URL[0], URL[1]]);
    let expected: Vec<_> = SITE
        .iter()
        .map(|(place, rule)| format!("site/{place} {rule}"))
        .collect();
    assert_eq!(
        (status, found.lines().map(short).collect::<Vec<_>>()),
        (1, expected)
    );
    assert_eq!(
        told,
        "51 pages: 1 bogus-marker, 1 lookalike, 3 opened-twice, 1 stray-close, 1 unclosed-region, 1 unknown-token\n"
    );
    assert!(
        found.contains("site/recipes/cinnamon-knots.html:13:1: warning: this closes a region of spiderline, but none is open [stray-close]\n"),
        "{found}"
    );
}

#[test]
fn a_site_without_a_fault_is_said_to_have_none() {
    let folder = folder(&[(
        "a.html",
        "<title>A</title><p>one <b class=robots-noindex>two</b>",
    )]);
    let (status, found, told) = lint(folder.path(), &["a.html", URL[0], URL[1]]);
    assert!(told.ends_with("1 page: 1 undeclared-profile\n"), "{told}");
    assert_eq!((status, found.lines().count()), (1, 1));
    let (status, found, told) = lint(
        folder.path(),
        &["a.html", URL[0], URL[1], "--skip", "undeclared-profile"],
    );
    assert_eq!(
        (status, found.as_str(), told.as_str()),
        (0, "", "1 page: nothing found\n")
    );
    let (status, found, told) = lint(
        folder.path(),
        &["a.html", URL[0], URL[1], "--quiet", "--only", "stray-close"],
    );
    assert_eq!((status, found.as_str(), told.as_str()), (0, "", ""));
}

/// `lint` lists at most a hundred findings of one rule in a page. A last line has the number of the
/// further findings, and the totals include them.
#[test]
fn many_findings_of_a_rule_are_counted() {
    let header = "<meta name=robots content=noindex><meta name=robots content=index>";
    let folder = folder(&[(
        "a.html",
        &format!("{header}\n{}", "<!--/noindex-->\n".repeat(150)),
    )]);
    let (_, found, told) = lint(folder.path(), &["a.html", URL[0], URL[1]]);
    assert!(
        told.ends_with("1 page: 1 contradictory-metas, 150 stray-close\n"),
        "{told}"
    );
    let lines: Vec<_> = found.lines().collect();
    assert_eq!(lines.len(), 102);
    assert_eq!(
        lines[101],
        "a.html: warning: 50 more of the kind stray-close [stray-close]"
    );
    let (_, found, _) = lint(
        folder.path(),
        &["a.html", URL[0], URL[1], "--format", "json"],
    );
    let lines: Vec<Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines.iter().position(|line| line["line"].is_null()),
        Some(101)
    );
}

#[test]
fn rules_are_chosen() {
    let folder = folder(&[(
        "a.html",
        "one <!--noindex--> two <!--noindex--> three <!--/noindex-->",
    )]);
    let found = |options: &[&str]| found(folder.path(), options);
    assert_eq!(
        found(&[]),
        ["a.html:1:5 unclosed-region", "a.html:1:24 opened-twice"]
    );
    assert_eq!(
        found(&["--hints"]),
        [
            "a.html:1:5 unclosed-region",
            "a.html:1:5 minified-away",
            "a.html:1:24 opened-twice"
        ]
    );
    assert_eq!(found(&["--skip", "unclosed-region,opened-twice"]), [""; 0]);
    assert_eq!(
        found(&["--skip", "unclosed-region", "--hints"]),
        ["a.html:1:5 minified-away", "a.html:1:24 opened-twice"]
    );
    assert_eq!(
        found(&["--only", "opened-twice"]),
        ["a.html:1:24 opened-twice"]
    );
    // A rule that `--only` names is applied, even if it is a hint.
    assert_eq!(
        found(&["--only", "minified-away"]),
        ["a.html:1:5 minified-away"]
    );
    let (status, _, told) = lint(
        folder.path(),
        &[".", URL[0], URL[1], "--only", "unclosed-regon"],
    );
    assert!(status == 2 && told.contains("`unclosed-regon`"), "{told}");
}

#[test]
fn a_page_that_robots_txt_keeps_out_is_looked_through_too() {
    let folder = folder(&[
        ("robots.txt", "User-agent: *\nDisallow: /private/\n"),
        (
            "private/a.html",
            "<meta name=robots content=noindex><!--/noindex-->",
        ),
        ("b.html", "<meta name=robots content=noindex>"),
    ]);
    assert_eq!(
        found(folder.path(), &[]),
        [
            "private/a.html:1:1 noindex-unseen",
            "private/a.html:1:35 stray-close"
        ]
    );
}

#[test]
fn the_robots_txt_of_a_folder_is_looked_through() {
    let folder = folder(&[
        (
            "robots.txt",
            "User-agent: *\nDisalow: /tmp/\nDisallow: /a /b\n\nsitemap",
        ),
        ("other.txt", "Disallow: c"),
        ("b.html", "one"),
    ]);
    let of_site = [
        "robots.txt:2:1 robots-misspelt-line",
        "robots.txt:3:1 robots-read-otherwise",
        "robots.txt:5:1 robots-unknown-line",
    ];
    assert_eq!(found(folder.path(), &[]), of_site);
    let of_both = [
        &of_site[..],
        &[
            "other.txt:1:1 robots-lost-rule",
            "other.txt:1:1 robots-misspelt-line",
        ],
    ]
    .concat();
    let mut both = found(folder.path(), &["-r", "other.txt"]);
    both.sort_by_key(|line| line.starts_with("other"));
    assert_eq!(both.len(), of_both.len(), "{both:?}");
    let (status, json, _) = lint(
        folder.path(),
        &[
            ".",
            URL[0],
            URL[1],
            "--only",
            "robots-unknown-line",
            "--format",
            "json",
        ],
    );
    let finding: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (status, &finding["file"], &finding["url"]),
        (
            1,
            &json!("./robots.txt"),
            &json!("https://site.example/robots.txt")
        )
    );
}

/// A line of a robots.txt whose value cannot be read is reported, and so is a misspelled key.
#[test]
fn a_value_that_cannot_be_read_is_named() {
    let records = "Crawl-delay: ten\nVisit-time: noon\nRequest-rate: fast\nSitemap: sitemap.xml\n";
    let folder = folder(&[
        ("r.txt", &format!("User-agent: *\nNo-index: /nj\n{records}")),
        ("b.html", "one"),
    ]);
    let lost = (3..=6).map(|line| format!("r.txt:{line}:1 robots-lost-rule"));
    let expected: Vec<_> = std::iter::once("r.txt:2:1 robots-misspelt-line".to_owned())
        .chain(lost)
        .collect();
    assert_eq!(found(folder.path(), &["-r", "r.txt"]), expected);
    let robots = folder.path().join("r.txt").display().to_string();
    let (status, told, _) = crate::command::run(&["check", "-v", "-r", &robots, "/nj"], "");
    assert_eq!(
        (
            status,
            told.matches("unreadable-value: this value cannot be read: ")
                .count()
        ),
        (0, 4),
        "{told}"
    );
    assert!(
        told.contains(
            "line 2: misspelt-key: this key is not spelt so: it is read as the one it means,"
        ),
        "{told}"
    );
}

#[test]
fn a_canonical_page_that_may_not_be_indexed_is_found_between_pages() {
    let link = "<link rel=canonical href=/b.html>";
    let folder = folder(&[
        ("a.html", &format!("<title>A</title>\n{link}")),
        (
            "b.html",
            &format!("{link}<meta name=robots content=noindex>"),
        ),
        ("c.html", "<link rel=canonical href=/d.html#top>"),
        ("d.html", "<p>one"),
        (
            "e.html",
            "<link rel=canonical href=https://elsewhere.example/>",
        ),
    ]);
    let (_, text, _) = lint(folder.path(), &[".", URL[0], URL[1]]);
    assert_eq!(found(folder.path(), &[]), ["a.html:2:1 canonical-noindex"]);
    assert!(
        text.contains("the canonical page https://site.example/b.html may not be indexed, by "),
        "{text}"
    );
    assert_eq!(
        found(folder.path(), &["--skip", "canonical-noindex"]),
        [""; 0]
    );
    assert_eq!(
        found(folder.path(), &["-j", "4"]),
        ["a.html:2:1 canonical-noindex"]
    );
}

#[test]
fn the_json_of_findings_is_stable() {
    let folder = folder(&[(
        "a.html",
        "<meta name=robots content='noindex, indeks'>\n<p>one <!--/noindex-->",
    )]);
    let (status, found, _) = lint(
        folder.path(),
        &[
            "a.html",
            URL[0],
            URL[1],
            "--format",
            "json",
            "-H",
            "X-Robots-Tag: nonsense",
        ],
    );
    let lines: Vec<Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let finding = |rule: &str, line: Option<u32>, column: Option<u32>, message: &str| {
        json!({
            "file": "a.html", "url": "https://site.example/", "rule": rule, "level": "warning",
            "line": line, "column": column, "message": message,
        })
    };
    assert_eq!(status, 1);
    assert_eq!(
        lines,
        [
            finding(
                "unknown-token",
                None,
                None,
                "`nonsense` is no known directive"
            ),
            finding(
                "unknown-token",
                Some(1),
                Some(1),
                "`indeks` is no known directive"
            ),
            finding(
                "stray-close",
                Some(2),
                Some(8),
                "this closes a region of noindex-comment, but none is open"
            ),
        ]
    );
    let (_, rules, _) = lint(folder.path(), &["--rules", "--format", "json"]);
    let rules: Vec<Value> = rules
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(rules.len(), RULES.len());
    assert!(
        rules
            .iter()
            .all(|rule| keys(rule) == ["help", "id", "level", "title"])
    );
}

#[test]
fn sarif_has_the_rules_and_places_in_files() {
    let folder = folder(&[
        ("a b.html", "<p>one\n <!--noindex--> two"),
        ("c.html", "<p>three"),
    ]);
    let (status, found, _) = lint(
        folder.path(),
        &[".", URL[0], URL[1], "--hints", "--format", "sarif"],
    );
    let log: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((status, log["version"].as_str()), (1, Some("2.1.0")));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(
        rules
            .iter()
            .map(|rule| rule["id"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ids()
    );
    let results = run["results"].as_array().unwrap();
    let told: Vec<_> = results
        .iter()
        .map(|result| {
            (
                result["ruleId"].as_str().unwrap(),
                result["level"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [("unclosed-region", "error"), ("minified-away", "note")]
    );
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "./a%20b.html");
        assert_eq!(place["region"], json!({ "startLine": 2, "startColumn": 2 }));
    }
    let (status, found, _) = lint(
        folder.path(),
        &["c.html", URL[0], URL[1], "--format", "sarif"],
    );
    let log: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((status, log["runs"][0]["results"].clone()), (0, json!([])));
}

/// Words of a page make no links in a message, and each name of a file is a URI.
#[test]
fn sarif_quotes_a_page_as_plain_text() {
    let html = r#"<meta name=robots content="[click](javascript:alert(1)), no\slash"><p>one"#;
    let folder = folder(&[("a:b#c?.html", html)]);
    let (status, found, _) = lint(
        folder.path(),
        &["a:b#c?.html", URL[0], URL[1], "--format", "sarif"],
    );
    assert_eq!(status, 1);
    let log: Value = serde_json::from_str(&found).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let message = |at: usize| results[at]["message"]["text"].as_str().unwrap();
    assert!(
        message(0).contains(r"\[click\](javascript:alert(1))"),
        "{found}"
    );
    assert!(message(1).contains(r"no\\slash"), "{found}");
    for result in results {
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "a%3Ab%23c%3F.html");
    }
}

#[test]
fn what_cannot_be_read_is_told_and_is_no_finding() {
    let broken = r#"{"url":"https://site.example/a","html":"one <!--/noindex-->"}
no object
{"url":"https://site.example/b","html":"two"}
"#;
    let folder = folder(&[("pages.jsonl", broken)]);
    let (status, found, told) = lint(folder.path(), &["pages.jsonl"]);
    assert_eq!(
        (status, found.lines().map(short).collect::<Vec<_>>()),
        (1, vec!["https://site.example/a:1:5 stray-close".to_owned()])
    );
    assert!(
        told.starts_with("note: pages.jsonl line 2: ")
            && told.ends_with("2 pages, 1 could not be read: 1 stray-close\n"),
        "{told}"
    );
    assert_eq!(lint(folder.path(), &["pages.jsonl", "--strict"]).0, 2);
    let (status, _, told) = lint(folder.path(), &["nowhere", URL[0], URL[1]]);
    assert!(status == 2 && told.starts_with("error: "), "{told}");
}

fn ids() -> Vec<&'static str> {
    RULES.iter().map(heedful_lint::LintRule::id).collect()
}

#[test]
fn rules_have_names_of_their_own_and_are_explained() {
    let is_name = |id: &str| {
        !id.is_empty()
            && id
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    assert!(ids().into_iter().all(is_name));
    assert_eq!(
        ids().into_iter().collect::<BTreeSet<_>>().len(),
        RULES.len()
    );
    for rule in RULES {
        assert!(
            !rule.title().ends_with('.') && rule.help().ends_with('.'),
            "{}",
            rule.id()
        );
    }
    assert!(RULES.iter().any(|rule| rule.level() == Level::Hint));
}

/// Each lint rule has a case in the corpus that fails without this rule, since no other rule makes
/// the same findings.
#[test]
fn each_rule_has_a_case() {
    let cases = std::fs::read_to_string(corpus().join("lint.md")).unwrap();
    let expected: BTreeSet<_> = cases
        .lines()
        .filter_map(|line| {
            line.strip_prefix("lint: ")
                .or_else(|| line.strip_prefix("lint-robots: "))
        })
        .flat_map(|line| {
            line.split(' ')
                .map(|finding| finding.split('@').next().unwrap())
        })
        .collect();
    // This rule finds faults between pages, and is tested in this file.
    let rules = ids().into_iter().filter(|id| *id != "canonical-noindex");
    assert_eq!(expected, rules.collect());
}
