//! Tests of options that are for one site: `--robots SITE=FILE` in every verb, and a purge of an
//! index with pages of several sites.

use std::collections::BTreeSet;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::command::{ended, heedful, path, run, write};

/// Each verb that takes `--robots`, with arguments under which the robots.txt changes what it
/// prints or writes. `OUT` is a new folder or file, `INDEX` an index of the page.
const VERBS: [(&str, &str); 14] = [
    ("census", "pages.jsonl"),
    ("check", "https://site.example/a https://other.example/a"),
    ("conventions", "--count pages.jsonl"),
    ("explain", "pages.jsonl"),
    ("export", "pages.jsonl --to solr -o OUT"),
    ("filter", "pages.jsonl"),
    ("index", "pages.jsonl -o OUT"),
    ("links", "pages.jsonl"),
    ("lint", "pages.jsonl"),
    ("mask", "pages.jsonl"),
    ("purge", "INDEX --dry-run"),
    ("snapshot", "pages.jsonl -o OUT"),
    ("text", "pages.jsonl"),
    ("verify", "pages.jsonl"),
];

/// Returns the verbs of the program whose help lists `--robots`, those of a verb with verbs too.
fn verbs_with_robots(of: &[&str]) -> BTreeSet<String> {
    let help = heedful(&[&["help"], of].concat()).output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let mut found = BTreeSet::new();
    if help.lines().any(|line| {
        let line = line.trim_start().trim_start_matches("-r, ");
        line.starts_with("--robots ")
    }) {
        found.insert(of.join(" "));
    }
    let listed = help.lines().skip_while(|line| *line != "Verbs:").skip(1);
    for line in listed.take_while(|line| !line.is_empty()) {
        let name = line.strip_prefix("  ").unwrap_or_default();
        let name = name.split(' ').next().unwrap_or_default();
        if !name.is_empty() && name != "help" {
            found.extend(verbs_with_robots(&[of, &[name]].concat()));
        }
    }
    found
}

/// Runs a command in `folder`, and returns its status, what it printed and the files that it wrote.
fn outcome(folder: &TempDir, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::cargo_bin("heedful").unwrap();
    let (status, found, told) = ended(command.current_dir(folder.path()).args(arguments));
    // The time of a run is in its last line.
    let told: Vec<_> = told
        .lines()
        .map(|line| line.split(" bytes in ").next())
        .collect();
    (status, format!("{found}{told:?}"))
}

#[test]
fn every_verb_takes_the_robots_txt_of_one_site() {
    let known: BTreeSet<_> = VERBS.iter().map(|(verb, _)| (*verb).to_owned()).collect();
    assert_eq!(verbs_with_robots(&[]), known);
    let folder = TempDir::new().unwrap();
    let page = r#"{"url":"https://site.example/a","html":"<p>rye <a href=/x>oats</a>"}"#;
    let withheld =
        r#"{"url":"https://site.example/b","html":"<meta name=robots content=noindex>"}"#;
    let pages = write(&folder, "pages.jsonl", &format!("{page}\n{withheld}\n"));
    write(&folder, "shut.txt", "User-agent: *\nDisallow: /\n");
    write(&folder, "open.txt", "User-agent: *\nDisallow:\n");
    let index = path(&folder, "INDEX");
    assert_eq!(run(&["index", "-q", "-o", &index, &pages], "").0, 0);
    for (verb, rest) in VERBS {
        let by = |robots: &[&str]| {
            let _ = std::fs::remove_dir_all(folder.path().join("OUT"));
            let robots = robots.iter().flat_map(|robots| ["--robots", robots]);
            let arguments = [verb].into_iter().chain(rest.split(' ')).chain(robots);
            outcome(&folder, &arguments.collect::<Vec<_>>())
        };
        let is_asked_of_both = [
            "https://site.example/=shut.txt",
            "https://other.example=open.txt",
        ];
        let own = by(&is_asked_of_both);
        let other = by(&[
            "https://site.example/=open.txt",
            "https://other.example=shut.txt",
        ]);
        assert!(own.0 < 2 && other.0 < 2, "{verb}: {own:?} {other:?}");
        assert_ne!(own.1, other.1, "{verb}");
        for bad in ["https://site.example/a/=shut.txt", "site.example=shut.txt"] {
            let (status, told) = by(&[bad]);
            assert!(
                status == 2 && told.contains("in SITE=FILE, SITE is"),
                "{verb}: {told}"
            );
        }
    }
}

/// Each URL is asked of the files that apply to it: those of its site, and those without a site.
#[test]
fn a_check_takes_the_robots_txt_files_of_several_sites() {
    let folder = TempDir::new().unwrap();
    let shut = write(&folder, "shut.txt", "User-agent: *\nDisallow: /a\n");
    let open = write(&folder, "open.txt", "User-agent: *\nDisallow: /b\n");
    let (a, b) = (
        format!("https://a.example/={shut}"),
        format!("https://b.example:443={open}"),
    );
    let urls = ["https://b.example/a", "https://a.example/a"];
    let (status, found, told) = run(&[&["check", "-r", &a, "-r", &b], &urls[..]].concat(), "");
    let expected = "heedful may not fetch https://a.example/a: line 2 says `Disallow: /a`, to *\n\
        heedful may fetch https://b.example/a: no rule for it matches\n";
    assert_eq!((status, found.as_str()), (1, expected), "{told}");
    assert!(
        told.contains("shut.txt: a file\n") && told.contains("open.txt: a file\n"),
        "{told}"
    );
    // A path is one of each file's site.
    let (status, found, _) = run(&["check", "-r", &b, "/a"], "");
    let expected = "heedful may fetch https://b.example/a: no rule for it matches\n";
    assert_eq!((status, found.as_str()), (0, expected));
    let (_, found, _) = run(
        &["check", "-r", &a, "-r", &open, "/a", "--format", "json"],
        "",
    );
    assert_eq!(found.lines().count(), 2);
    let (status, found, told) = run(&["check", "-r", &a, "https://a.example/", urls[0]], "");
    assert_eq!((status, found.as_str()), (2, ""));
    assert!(
        told.contains("--robots https://b.example=FILE names it"),
        "{told}"
    );
}

/// In an index with pages of several sites, what names no site is refused, with what would name one.
#[test]
fn a_purge_of_several_sites_asks_for_one() {
    let folder = TempDir::new().unwrap();
    let index = path(&folder, "index");
    let mut lines = String::new();
    for url in [
        "https://a.example/x/1",
        "https://a.example/x/2",
        "https://b.example/x/1",
        "http://b.example/",
    ] {
        lines.push_str(&format!("{{\"url\":\"{url}\",\"html\":\"<p>rye\"}}\n"));
    }
    let pages = write(&folder, "pages.jsonl", &lines);
    let shut = write(&folder, "shut.txt", "User-agent: *\nDisallow: /x/\n");
    let of_a = format!("https://a.example/={shut}");
    let list = write(&folder, "list.txt", "https://b.example/x/1\n/x/2\n");
    assert_eq!(run(&["index", "-q", "-o", &index, &pages], "").0, 0);
    let purge = |more: &[&str]| run(&[&["purge", &index, "--dry-run"], more].concat(), "");
    for (more, named) in [
        (
            &["--robots", &shut][..],
            format!("`--robots http://b.example={shut}`"),
        ),
        (
            &["--robots", &of_a, "--robots", &shut],
            "--all-hosts for all".to_owned(),
        ),
        (
            &["--url", "/x/*"],
            "`http://b.example/x/*` is for one of them".to_owned(),
        ),
        (&["--urls", &list], "`http://b.example/x/2`".to_owned()),
    ] {
        for dry in [true, false] {
            let arguments = [
                &["purge", &index][..],
                more,
                if dry { &["--dry-run"] } else { &[] },
            ];
            let (status, found, told) = run(&arguments.concat(), "");
            assert_eq!((status, found.as_str()), (2, ""), "{more:?}");
            assert!(
                told.contains(&named) && told.contains("http://b.example and https://"),
                "{told}"
            );
        }
    }
    // The pages that are looked at, and those that would be removed.
    for (more, pages, removed) in [
        (&["--robots", &of_a][..], 2, 2),
        (&["--robots", &of_a, "--url", "https://b.example/x/1"], 3, 3),
        (&["--url", "https://a.example/x/1"], 2, 1),
        (&["--url", "https://a.example/x/*"], 2, 2),
        (&["--url", "*/x/1"], 4, 2),
        (&["--robots", &shut, "--site", "a.example"], 2, 2),
        (&["--url", "/x/1", "--site", "b.example"], 2, 1),
        (&["--robots", &shut, "--all-hosts"], 4, 3),
        (&["--url", "/x/1", "--all-hosts"], 4, 2),
        (&["--robots", &of_a, "--expired"], 4, 2),
    ] {
        let (status, _, told) = purge(more);
        let pages = if pages == 1 {
            "1 page".to_owned()
        } else {
            format!("{pages} pages")
        };
        let expected = format!("{pages} checked: {removed} would be removed");
        assert!(status == 0 && told.contains(&expected), "{more:?} {told}");
    }
    // With one site left, a plain file is for it.
    let gone = ["purge", &index, "--url", "*://b.example/*"];
    assert!(run(&gone, "").2.contains("2 removed"));
    let (status, _, told) = purge(&["--robots", &shut]);
    assert!(
        status == 0 && told.contains("2 pages checked: 2 would be"),
        "{told}"
    );
    assert_eq!(purge(&["--url", "/x/2"]).0, 0);
}
