//! Crawls that are indexed in another order than they were made: what a site forbade later stays out.

use std::time::{Duration, SystemTime};

use serde_json::json;
use tempfile::TempDir;

use crate::command::{path, run};
use crate::support::made::{gz, http, page_of, warc, write};

const SITE: &str = "https://site.example";
/// The crawls: what each is called, its date, its rules, and its pages.
const CRAWLS: [(&str, &str, &str, &[&str]); 5] = [
    ("one", "2026-01-10", "Disallow: /private/", &["arch", "open"]),
    ("two", "2026-02-10", "Disallow: /private/\nDisallow: /arch", &["open"]),
    ("three", "2026-03-10", "Disallow: /private/", &["arch", "open"]),
    ("signal", "2026-02-10", "Content-Signal: ai-train=no", &["open"]),
    ("again", "2026-01-05", "Disallow: /arch", &["open"]),
];

/// A record of this day, at this time.
fn robots(day: &str, rules: &str) -> Vec<u8> {
    let content = http("200 OK\r\nContent-Type: text/plain", format!("User-agent: *\n{rules}\n").as_bytes());
    warc("response", &format!("{SITE}/robots.txt"), &format!("WARC-Date: {day}T00:00:00Z\r\n"), &content)
}

fn crawls() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, day, rules, pages) in CRAWLS {
        let page = |page: &&str| {
            page_of(&format!("{SITE}/{page}.html"), &format!("{day}T00:01:00Z"), &format!("<p>{page}word all"))
        };
        let records: Vec<_> = [robots(day, rules)].into_iter().chain(pages.iter().map(page)).collect();
        write(folder.path(), &format!("{name}.warc.gz"), &gz(&records.concat()));
        let line = |path: &str, html: &str| {
            let line = json!({"url": format!("{SITE}/{path}"), "html": html, "date": format!("{day}T00:01:00Z")});
            format!("{line}\n")
        };
        let page = |page: &&str| line(&format!("{page}.html"), &format!("<p>{page}word all"));
        let robots = line("robots.txt", &format!("User-agent: *\n{rules}\n"));
        let lines: String = [robots].into_iter().chain(pages.iter().map(page)).collect();
        write(folder.path(), &format!("{name}.jsonl"), lines.as_bytes());
    }
    folder
}

/// Indexes these crawls, one run after the other.
fn index(folder: &TempDir, index: &str, names: &[&str]) {
    index_as(folder, index, names, "warc.gz");
}

fn index_as(folder: &TempDir, index: &str, names: &[&str], ending: &str) {
    for name in names {
        let (status, _, told) = run(&["index", &path(folder, &format!("{name}.{ending}")), "-o", index], b"");
        assert_eq!(status, 0, "{names:?}: {told}");
    }
}

fn finds(index: &str, query: &[&str]) -> bool {
    let (status, out, told) = run(&[&["search", index][..], query].concat(), b"");
    assert!(status < 2, "{told}");
    out.contains(SITE)
}

#[test]
fn an_older_crawl_brings_back_nothing_that_a_later_robots_txt_forbids() {
    let folder = crawls();
    for (number, (names, is_found)) in [
        (&["one"][..], true),
        (&["one", "two"], false),
        (&["one", "two", "one"], false),
        (&["one", "two", "one", "one"], false),
        (&["two", "one"], false),
        (&["two", "one", "one"], false),
        (&["two", "two", "one"], false),
        (&["two", "again", "one"], false),
        // What was fetched later is judged by what was said later.
        (&["two", "three"], true),
        (&["one", "two", "three"], true),
        (&["one", "two", "one", "three"], true),
        (&["two", "three", "one"], true),
        // The site had lifted that before.
        (&["again", "one"], true),
    ]
    .into_iter()
    .enumerate()
    {
        for ending in ["warc.gz", "jsonl"] {
            let made = path(&folder, &format!("index{number}.{ending}"));
            index_as(&folder, &made, names, ending);
            assert_eq!(finds(&made, &["archword"]), is_found, "{names:?} {ending}");
            assert!(finds(&made, &["openword"]), "{names:?} {ending}");
        }
    }
}

/// It is told as kept out, as in one run over both.
#[test]
fn what_an_earlier_run_was_told_is_the_reason() {
    let folder = crawls();
    let made = path(&folder, "index");
    index(&folder, &made, &["two", "one"]);
    let (_, out, told) = run(&["stats", &made, "--of", &format!("{SITE}/arch.html")], b"");
    assert!(out.contains("robots.txt") && out.contains("/arch"), "{out}{told}");
}

#[test]
fn of_equal_answers_the_last_date_counts() {
    let folder = crawls();
    let made = path(&folder, "index");
    // It is said in a crawl from before and one from after.
    let both = [robots("2026-01-01", "Disallow: /arch"), robots("2026-02-01", "Disallow: /arch")].concat();
    write(folder.path(), "both.warc.gz", &gz(&both));
    index(&folder, &made, &["both", "one"]);
    assert!(!finds(&made, &["archword"]) && finds(&made, &["openword"]));
}

/// Records of robots.txt that deny a use are remembered as well.
#[test]
fn a_later_signal_holds_for_an_older_capture() {
    let folder = crawls();
    let made = path(&folder, "index");
    index(&folder, &made, &["signal", "one"]);
    assert!(finds(&made, &["archword"]) && !finds(&made, &["archword", "--need", "train"]));
}

#[test]
fn merging_keeps_what_sites_said_last() {
    let folder = crawls();
    let [one, two, merged] = ["a", "b", "merged"].map(|name| path(&folder, name));
    index(&folder, &one, &["again"]);
    index(&folder, &two, &["two"]);
    for (number, order) in [[&one, &two], [&two, &one]].into_iter().enumerate() {
        let merged = format!("{merged}{number}");
        let (status, _, told) = run(&["merge", order[0], order[1], "-o", &merged], b"");
        assert_eq!(status, 0, "{told}");
        index(&folder, &merged, &["one"]);
        assert!(!finds(&merged, &["archword"]) && finds(&merged, &["openword"]));
        let (status, _, told) = run(&["compact", &merged], b"");
        assert_eq!(status, 0, "{told}");
        index(&folder, &merged, &["one"]);
        assert!(!finds(&merged, &["archword"]));
    }
}

/// A robots.txt without a date was fetched now, and so was one that the user names.
#[test]
fn a_robots_txt_without_a_date_is_of_now() {
    let folder = crawls();
    let made = path(&folder, "lines");
    let robots = r#"{"url": "https://site.example/robots.txt", "html": "User-agent: *\nDisallow: /arch"}"#;
    write(folder.path(), "robots.jsonl", robots.as_bytes());
    let (status, _, told) = run(&["index", &path(&folder, "robots.jsonl"), "-o", &made], b"");
    assert_eq!(status, 0, "{told}");
    index(&folder, &made, &["one"]);
    assert!(!finds(&made, &["archword"]) && finds(&made, &["openword"]));
    let made = path(&folder, "purged");
    index(&folder, &made, &["one"]);
    let rules = write(folder.path(), "robots.txt", b"User-agent: *\nDisallow: /arch\n");
    let (status, _, told) = run(&["purge", &made, "--robots", &rules.display().to_string()], b"");
    assert_eq!(status, 0, "{told}");
    index(&folder, &made, &["one"]);
    assert!(!finds(&made, &["archword"]) && finds(&made, &["openword"]));
}

/// A date that is ahead of the clock would keep out all that is to come.
#[test]
fn a_robots_txt_of_the_future_is_of_now() {
    let folder = crawls();
    let made = path(&folder, "index");
    write(folder.path(), "future.warc.gz", &gz(&robots("2999-01-01", "Disallow: /arch")));
    let soon = jiff::Timestamp::try_from(SystemTime::now() + Duration::from_secs(3600)).unwrap();
    let page = page_of(&format!("{SITE}/arch.html"), &soon.to_string(), "<p>archword");
    let day = soon.to_string()[..10].to_owned();
    write(folder.path(), "soon.warc.gz", &gz(&[robots(&day, "Allow: /"), page].concat()));
    index(&folder, &made, &["future", "one"]);
    assert!(!finds(&made, &["archword"]));
    index(&folder, &made, &["soon"]);
    assert!(finds(&made, &["archword"]));
}

/// A line of a crawl in this year.
fn line(path: &str, year: u32, content: &serde_json::Value) -> String {
    let mut line = json!({"url": format!("{SITE}/{path}"), "date": format!("{year}-01-01T00:00:00Z")});
    let more = content.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(more);
    format!("{line}\n")
}

/// Indexes these lines, a run each, and tells whether the page is found, and whether it is for training.
fn indexed(runs: &[String]) -> (bool, bool) {
    let folder = TempDir::new().unwrap();
    let made = path(&folder, "index");
    for (number, lines) in runs.iter().enumerate() {
        let input = write(folder.path(), &format!("{number}.jsonl"), lines.as_bytes());
        let (status, _, told) = run(&["index", &input.display().to_string(), "-o", &made], b"");
        assert_eq!(status, 0, "{runs:?}: {told}");
    }
    (finds(&made, &["archword"]), finds(&made, &["archword", "--need", "train"]))
}

#[test]
fn only_what_forbids_makes_a_tombstone_later() {
    let page = |year| line("arch", year, &json!({"html": "<p>archword"}));
    let rules = |year, rules: &str| line("robots.txt", year, &json!({"html": format!("User-agent: *\n{rules}\n")}));
    let (deny, allow) = ("Disallow: /arch", "Disallow:");
    let tdm = |year, value: u8| {
        let rule = format!("[{{\"location\":\"/\",\"tdm-reservation\":{value}}}]");
        line(".well-known/tdmrep.json", year, &json!({"html": rule}))
    };
    let own = line("arch", 2019, &json!({"html": "<p>archword", "robots": "User-agent: *\nDisallow: /"}));
    let newer = page(2023) + &rules(2023, allow);
    for (runs, expected) in [
        (vec![page(2020) + &rules(2022, deny), newer.clone()], (true, true)),
        // A later file that reserves nothing keeps nobody out.
        (vec![page(2020) + &rules(2022, deny) + &tdm(2024, 0), newer], (true, true)),
        // An older capture changes nothing.
        (vec![page(2020) + &rules(2024, allow), own], (true, true)),
        // Of the same second it is not newer.
        (vec![rules(2022, deny), page(2022)], (false, false)),
        (vec![rules(2022, deny), page(2023)], (true, true)),
    ] {
        assert_eq!(indexed(&runs), expected, "{runs:?}");
    }
}

/// What a site said beside an answer that is none still denies uses.
#[test]
fn a_site_that_did_not_answer_once_still_denies_what_it_did() {
    let page = line("arch", 2020, &json!({"html": "<p>archword"}));
    let rules = |rule: &str| line("robots.txt", 2022, &json!({"html": format!("User-agent: *\n{rule}\n")}));
    let silent = line("robots.txt", 2023, &json!({"status": 503, "html": ""}));
    for (rule, expected) in [
        ("Content-Signal: ai-train=no", (true, false)),
        ("Disallow: /arch", (false, false)),
        ("Disallow:", (true, true)),
    ] {
        assert_eq!(indexed(&[page.clone(), rules(rule) + &silent]), expected, "{rule}");
    }
}
