//! Crawls may be indexed in another order than that in which they were made. A page of an older
//! crawl is not indexed if its site's robots.txt in a newer crawl disallows it.

use std::time::{Duration, SystemTime};

use serde_json::json;
use tempfile::TempDir;

use crate::command::{path, run};
use crate::support::made::{gz, http, page_of, warc, write};

const SITE: &str = "https://site.example";
/// The crawls of the tests: name, date, rules of robots.txt, and pages.
const CRAWLS: [(&str, &str, &str, &[&str]); 5] = [
    (
        "one",
        "2026-01-10",
        "Disallow: /private/",
        &["arch", "open"],
    ),
    (
        "two",
        "2026-02-10",
        "Disallow: /private/\nDisallow: /arch",
        &["open"],
    ),
    (
        "three",
        "2026-03-10",
        "Disallow: /private/",
        &["arch", "open"],
    ),
    (
        "signal",
        "2026-02-10",
        "Content-Signal: ai-train=no",
        &["open"],
    ),
    ("again", "2026-01-05", "Disallow: /arch", &["open"]),
];

/// Returns a record of a robots.txt with these rules that was fetched on this day.
fn robots(day: &str, rules: &str) -> Vec<u8> {
    robots_at(&format!("{day}T00:00:00Z"), rules)
}

fn robots_at(date: &str, rules: &str) -> Vec<u8> {
    let content = http(
        "200 OK\r\nContent-Type: text/plain",
        format!("User-agent: *\n{rules}\n").as_bytes(),
    );
    warc(
        "response",
        &format!("{SITE}/robots.txt"),
        &format!("WARC-Date: {date}\r\n"),
        &content,
    )
}

fn crawls() -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, day, rules, pages) in CRAWLS {
        let page = |page: &&str| {
            page_of(
                &format!("{SITE}/{page}.html"),
                &format!("{day}T00:01:00Z"),
                &format!("<p>{page}word all"),
            )
        };
        let records: Vec<_> = [robots(day, rules)]
            .into_iter()
            .chain(pages.iter().map(page))
            .collect();
        write(
            folder.path(),
            &format!("{name}.warc.gz"),
            &gz(&records.concat()),
        );
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

/// Indexes the crawls called `names`, one run after the other.
fn index(folder: &TempDir, index: &str, names: &[&str]) {
    index_as(folder, index, names, "warc.gz");
}

fn index_as(folder: &TempDir, index: &str, names: &[&str], ending: &str) {
    for name in names {
        let (status, _, told) = run(
            &[
                "index",
                &path(folder, &format!("{name}.{ending}")),
                "-o",
                index,
            ],
            b"",
        );
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
        // A page that was fetched later is judged by the later rules.
        (&["two", "three"], true),
        (&["one", "two", "three"], true),
        (&["one", "two", "one", "three"], true),
        (&["two", "three", "one"], true),
        // The site had lifted the denial before the page was fetched.
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

/// A page that a robots.txt of an earlier run disallows is reported with the same reason as in a
/// single run over both crawls.
#[test]
fn what_an_earlier_run_was_told_is_the_reason() {
    let folder = crawls();
    let made = path(&folder, "index");
    index(&folder, &made, &["two", "one"]);
    let (_, out, told) = run(&["stats", &made, "--of", &format!("{SITE}/arch.html")], b"");
    assert!(
        out.contains("robots.txt") && out.contains("/arch"),
        "{out}{told}"
    );
}

#[test]
fn of_equal_answers_the_last_date_counts() {
    let folder = crawls();
    let made = path(&folder, "index");
    // A later input has the rule twice, with dates before and after the page.
    let both = [
        robots("2026-01-01", "Disallow: /arch"),
        robots("2026-02-01", "Disallow: /arch"),
    ]
    .concat();
    write(folder.path(), "both.warc.gz", &gz(&both));
    index(&folder, &made, &["both", "one"]);
    assert!(!finds(&made, &["archword"]) && finds(&made, &["openword"]));
}

/// An index stores the lines of a robots.txt that deny a use (`Content-Signal`), not only its
/// rules. These lines also apply to older captures that are read later.
#[test]
fn a_later_signal_holds_for_an_older_capture() {
    let folder = crawls();
    let made = path(&folder, "index");
    index(&folder, &made, &["signal", "one"]);
    assert!(finds(&made, &["archword"]) && !finds(&made, &["archword", "--use", "train"]));
    // If the pages already denied the use themselves, the signal denies nothing more.
    index(&folder, &made, &["signal", "three"]);
    assert!(finds(&made, &["archword", "--use", "train"]));
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

/// A merged index has the robots.txt files, with their dates, of all indexes that were merged.
#[test]
fn merging_keeps_what_sites_said_before_too() {
    let folder = TempDir::new().unwrap();
    let rules = |year, rules: &str| {
        line(
            "robots.txt",
            year,
            &json!({"html": format!("User-agent: *\n{rules}\n")}),
        )
    };
    let [one, two, merged] = ["a", "b", "merged"].map(|name| path(&folder, name));
    let index = |lines: &str, made: &str| {
        let input = write(folder.path(), "in.jsonl", lines.as_bytes());
        let (status, _, told) = run(&["index", &input.display().to_string(), "-o", made], b"");
        assert_eq!(status, 0, "{told}");
    };
    index(
        &(rules(2018, "Allow: /") + &rules(2020, "Disallow: /")),
        &one,
    );
    index(&rules(2022, "Allow: /"), &two);
    let (status, _, told) = run(&["merge", &two, &one, "-o", &merged], b"");
    assert_eq!(status, 0, "{told}");
    let page = |name: &str, year| line(name, year, &json!({"html": format!("<p>{name}word")}));
    index(&(page("old", 2021) + &page("new", 2023)), &merged);
    assert!(!finds(&merged, &["oldword"]) && finds(&merged, &["newword"]));
}

/// A robots.txt without a date is treated as fetched now. The same holds for a robots.txt that the
/// user gives.
#[test]
fn a_robots_txt_without_a_date_is_of_now() {
    let folder = crawls();
    let made = path(&folder, "lines");
    let robots =
        r#"{"url": "https://site.example/robots.txt", "html": "User-agent: *\nDisallow: /arch"}"#;
    write(folder.path(), "robots.jsonl", robots.as_bytes());
    let (status, _, told) = run(&["index", &path(&folder, "robots.jsonl"), "-o", &made], b"");
    assert_eq!(status, 0, "{told}");
    index(&folder, &made, &["one"]);
    assert!(!finds(&made, &["archword"]) && finds(&made, &["openword"]));
    let made = path(&folder, "purged");
    index(&folder, &made, &["one"]);
    let rules = write(
        folder.path(),
        "robots.txt",
        b"User-agent: *\nDisallow: /arch\n",
    );
    let (status, _, told) = run(
        &["purge", &made, "--robots", &rules.display().to_string()],
        b"",
    );
    assert_eq!(status, 0, "{told}");
    index(&folder, &made, &["one"]);
    assert!(!finds(&made, &["archword"]) && finds(&made, &["openword"]));
}

/// A robots.txt with a date in the future is treated as fetched now. Otherwise it would prevail
/// over all later robots.txt files.
#[test]
fn a_robots_txt_of_the_future_is_of_now() {
    let folder = crawls();
    let made = path(&folder, "index");
    write(
        folder.path(),
        "future.warc.gz",
        &gz(&robots("2999-01-01", "Disallow: /arch")),
    );
    let soon = jiff::Timestamp::try_from(SystemTime::now() + Duration::from_secs(3600)).unwrap();
    let page = page_of(
        &format!("{SITE}/arch.html"),
        &soon.to_string(),
        "<p>archword",
    );
    write(
        folder.path(),
        "soon.warc.gz",
        &gz(&[robots_at(&soon.to_string(), "Allow: /"), page].concat()),
    );
    index(&folder, &made, &["future", "one"]);
    assert!(!finds(&made, &["archword"]));
    index(&folder, &made, &["soon"]);
    assert!(finds(&made, &["archword"]));
}

/// Returns a JSON line for the URL with this path, fetched in this year. It also has the keys of
/// `content`.
fn line(path: &str, year: u32, content: &serde_json::Value) -> String {
    let mut line =
        json!({"url": format!("{SITE}/{path}"), "date": format!("{year}-01-01T00:00:00Z")});
    let more = content.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(more);
    format!("{line}\n")
}

/// Indexes the JSON Lines in `runs`, each text in its own run. The first returned value is true if
/// the page is found, the second if it may also be used for training.
fn indexed(runs: &[String]) -> (bool, bool) {
    let folder = TempDir::new().unwrap();
    let made = path(&folder, "index");
    for (number, lines) in runs.iter().enumerate() {
        let input = write(folder.path(), &format!("{number}.jsonl"), lines.as_bytes());
        let (status, _, told) = run(&["index", &input.display().to_string(), "-o", &made], b"");
        assert_eq!(status, 0, "{runs:?}: {told}");
    }
    (
        finds(&made, &["archword"]),
        finds(&made, &["archword", "--use", "train"]),
    )
}

#[test]
fn only_what_forbids_makes_a_tombstone_later() {
    let page = |year| line("arch", year, &json!({"html": "<p>archword"}));
    let rules = |year, rules: &str| {
        line(
            "robots.txt",
            year,
            &json!({"html": format!("User-agent: *\n{rules}\n")}),
        )
    };
    let (deny, allow) = ("Disallow: /arch", "Disallow:");
    let tdm = |year, value: u8| {
        let rule = format!("[{{\"location\":\"/\",\"tdm-reservation\":{value}}}]");
        line(".well-known/tdmrep.json", year, &json!({"html": rule}))
    };
    let own = line(
        "arch",
        2019,
        &json!({"html": "<p>archword", "robots": "User-agent: *\nDisallow: /"}),
    );
    let newer = page(2023) + &rules(2023, allow);
    for (runs, expected) in [
        (
            vec![page(2020) + &rules(2022, deny), newer.clone()],
            (true, true),
        ),
        // A later file that reserves nothing does not deny entry.
        (
            vec![page(2020) + &rules(2022, deny) + &tdm(2024, 0), newer],
            (true, true),
        ),
        // An older capture changes nothing.
        (vec![page(2020) + &rules(2024, allow), own], (true, true)),
        // A page of the same second is not newer.
        (vec![rules(2022, deny), page(2022)], (false, false)),
        // The index has no newer robots.txt.
        (vec![rules(2022, deny), page(2023)], (false, false)),
    ] {
        assert_eq!(indexed(&runs), expected, "{runs:?}");
    }
}

/// A failed later request for a site's robots.txt does not lift denials of an earlier robots.txt.
#[test]
fn a_site_that_did_not_answer_once_still_denies_what_it_did() {
    let page = line("arch", 2020, &json!({"html": "<p>archword"}));
    let rules = |rule: &str| {
        line(
            "robots.txt",
            2022,
            &json!({"html": format!("User-agent: *\n{rule}\n")}),
        )
    };
    let silent = line("robots.txt", 2023, &json!({"status": 503, "html": ""}));
    for (rule, expected) in [
        ("Content-Signal: ai-train=no", (true, false)),
        ("Disallow: /arch", (false, false)),
        ("Disallow:", (true, true)),
    ] {
        assert_eq!(
            indexed(&[page.clone(), rules(rule) + &silent]),
            expected,
            "{rule}"
        );
    }
}

/// A page is judged by the robots.txt that was valid when the page was fetched, and by all later
/// versions of that robots.txt. A single run over all lines has the same result as one run for each
/// line. In the test, each robots.txt has a year.
#[test]
fn answers_with_dates_are_judged_as_an_index_judges_them() {
    let page = |year| line("arch", year, &json!({"html": "<p>archword"}));
    let rules = |year, rules: &str| {
        line(
            "robots.txt",
            year,
            &json!({"html": format!("User-agent: *\n{rules}\n")}),
        )
    };
    let status =
        |year, status: u16| line("robots.txt", year, &json!({"html": "", "status": status}));
    let (deny, allow) = ("Disallow: /", "Allow: /");
    for (lines, is_found) in [
        // An answer that was replaced before the fetch does not keep the page out.
        (
            vec![rules(2019, deny), rules(2021, allow), page(2022)],
            true,
        ),
        (vec![rules(2019, deny), status(2021, 404), page(2022)], true),
        // The latest answer applies to all older captures.
        (
            vec![
                rules(2019, deny),
                rules(2021, allow),
                page(2022),
                rules(2023, deny),
            ],
            false,
        ),
        (
            vec![rules(2019, allow), page(2020), rules(2021, deny)],
            false,
        ),
        // A page that was removed stays out until it is fetched again, even if the denial is
        // lifted.
        (
            vec![
                rules(2019, allow),
                page(2020),
                rules(2021, deny),
                rules(2022, allow),
            ],
            false,
        ),
        (
            vec![
                rules(2019, allow),
                page(2020),
                rules(2021, deny),
                rules(2022, allow),
                page(2023),
            ],
            true,
        ),
        // An answer of the same second as the page is in force.
        (
            vec![rules(2019, allow), rules(2020, deny), page(2020)],
            false,
        ),
        (
            vec![rules(2019, deny), rules(2020, allow), page(2020)],
            true,
        ),
        // An earlier answer that is sent again is in force again.
        (
            vec![
                rules(2018, allow),
                rules(2019, deny),
                rules(2020, allow),
                page(2021),
            ],
            true,
        ),
        (
            vec![
                rules(2018, deny),
                rules(2019, allow),
                rules(2020, deny),
                page(2021),
            ],
            false,
        ),
        (
            vec![
                rules(2018, allow),
                rules(2019, allow),
                rules(2020, deny),
                rules(2021, allow),
                page(2022),
            ],
            true,
        ),
        // Before the first answer no rule was in force.
        (vec![page(2018), rules(2019, allow)], true),
        (
            vec![page(2018), rules(2019, allow), rules(2020, deny)],
            false,
        ),
        // A run whose input has no robots.txt uses the answers of earlier runs.
        (vec![rules(2019, deny), page(2020)], false),
        (vec![rules(2019, allow), page(2020)], true),
    ] {
        assert_eq!(
            indexed(&[lines.concat()]).0,
            is_found,
            "{lines:?} in one run"
        );
        assert_eq!(indexed(&lines).0, is_found, "{lines:?} in a run each");
    }
}

/// A redirect of a robots.txt counts as a version of that robots.txt with its own date. It stands
/// for the target's robots.txt at that date, and for all later versions of the target's robots.txt.
#[test]
fn a_redirect_is_an_answer_of_its_date() {
    let at = |site: &str, year: u32, content: &serde_json::Value| {
        line("robots.txt", year, content).replace(SITE, &format!("https://{site}.example"))
    };
    let rules = |rules: &str| json!({"html": format!("User-agent: *\n{rules}\n")});
    let to = json!({"status": 301, "html": "", "headers": {"Location": "https://www.example/robots.txt"}});
    let page = line("arch", 2022, &json!({"html": "<p>archword"}));
    let (deny, allow) = (rules("Disallow: /"), rules("Allow: /"));
    for (answers, is_found) in [
        (
            vec![
                at("site", 2019, &deny),
                at("site", 2021, &to),
                at("www", 2018, &allow),
            ],
            true,
        ),
        (
            vec![
                at("site", 2019, &allow),
                at("site", 2021, &to),
                at("www", 2018, &deny),
            ],
            false,
        ),
        (
            vec![
                at("site", 2021, &to),
                at("www", 2018, &deny),
                at("www", 2020, &allow),
            ],
            true,
        ),
        (
            vec![
                at("site", 2021, &to),
                at("www", 2018, &allow),
                at("www", 2023, &deny),
            ],
            false,
        ),
        (
            vec![
                at("site", 2019, &to),
                at("site", 2021, &allow),
                at("www", 2018, &deny),
            ],
            true,
        ),
        (
            vec![
                at("site", 2019, &to),
                at("site", 2020, &deny),
                at("www", 2021, &allow),
            ],
            false,
        ),
    ] {
        let answers = answers.concat();
        assert_eq!(indexed(&[answers.clone() + &page]).0, is_found, "{answers}");
        assert_eq!(
            indexed(&[answers.clone(), page.clone()]).0,
            is_found,
            "{answers} in an earlier run"
        );
    }
}

/// A failed request for robots.txt disallows the pages of its own run as long as it is the latest
/// version of that robots.txt. A failed request lifts no earlier denial.
#[test]
fn an_answer_that_is_none_takes_nothing_back() {
    let page = |year| line("arch", year, &json!({"html": "<p>archword"}));
    let rules = |year| {
        line(
            "robots.txt",
            year,
            &json!({"html": "User-agent: *\nAllow: /\n"}),
        )
    };
    let none = |year| line("robots.txt", year, &json!({"status": 503, "html": ""}));
    let astray = |year| {
        let to = json!({"status": 301, "html": "", "headers": {"Location": "https://elsewhere.example/robots.txt"}});
        line("robots.txt", year, &to)
    };
    for answer in [&none as &dyn Fn(u32) -> String, &astray] {
        for (lines, is_found) in [
            (vec![rules(2019), answer(2020), page(2021)], false),
            (
                vec![rules(2019), answer(2020), rules(2021), page(2022)],
                true,
            ),
            (vec![rules(2019), page(2020), answer(2021)], true),
            (vec![page(2020), answer(2021)], false),
        ] {
            assert_eq!(indexed(&[lines.concat()]).0, is_found, "{lines:?}");
        }
        assert!(
            indexed(&[rules(2019), answer(2020), page(2021)]).0,
            "no earlier run's page"
        );
        assert!(
            !indexed(&[rules(2019), answer(2020) + &page(2021)]).0,
            "its own run's page"
        );
    }
}

/// A page without a date is judged by all robots.txt files of its own run, and by none of earlier
/// runs.
#[test]
fn what_has_no_date_is_of_its_run() {
    let undated = |path: &str, html: &str| {
        format!(
            "{}\n",
            json!({"url": format!("{SITE}/{path}"), "html": html})
        )
    };
    let page = undated("arch", "<p>archword");
    let robots = |rules: &str| undated("robots.txt", &format!("User-agent: *\n{rules}\n"));
    let dated = |year, rules: &str| {
        line(
            "robots.txt",
            year,
            &json!({"html": format!("User-agent: *\n{rules}\n")}),
        )
    };
    let (deny, allow) = ("Disallow: /", "Allow: /");
    for (runs, is_found) in [
        (vec![dated(2019, deny) + &dated(2020, allow) + &page], false),
        (
            vec![
                robots(deny)
                    + &dated(2020, allow)
                    + &line("arch", 2021, &json!({"html": "<p>archword"})),
            ],
            false,
        ),
        (vec![robots(deny), robots(allow) + &page], true),
        (vec![dated(2019, deny), dated(2020, allow) + &page], true),
        (vec![robots(deny), page.clone()], false),
        (
            vec![dated(2019, deny), dated(2020, allow), page.clone()],
            true,
        ),
        (
            vec![dated(2019, allow), dated(2020, deny), page.clone()],
            false,
        ),
    ] {
        assert_eq!(indexed(&runs).0, is_found, "{runs:?}");
    }
}

/// A robots.txt that the user gives for a site is treated as fetched now. It replaces the robots.txt files of
/// earlier runs that are older than the page.
#[test]
fn a_file_that_is_named_takes_the_place_of_what_was_heard_before() {
    let folder = TempDir::new().unwrap();
    let made = path(&folder, "index");
    let named = write(folder.path(), "robots.txt", b"User-agent: *\nAllow: /\n")
        .display()
        .to_string();
    let rules = |year, rules: &str| {
        line(
            "robots.txt",
            year,
            &json!({"html": format!("User-agent: *\n{rules}\n")}),
        )
    };
    let page = |name: &str, year| line(name, year, &json!({"html": format!("<p>{name}word")}));
    let pages = page("old", 2019) + &page("new", 2021);
    for (lines, more) in [
        (rules(2020, "Disallow: /"), &[][..]),
        (pages, &["--robots", &format!("{SITE}/={named}")]),
    ] {
        let input = write(folder.path(), "in.jsonl", lines.as_bytes())
            .display()
            .to_string();
        let (status, _, told) = run(&[&["index", &input, "-o", &made], more].concat(), b"");
        assert_eq!(status, 0, "{told}");
    }
    assert!(!finds(&made, &["oldword"]) && finds(&made, &["newword"]));
}

#[test]
fn pages_judged_by_what_an_earlier_run_heard_are_told() {
    let folder = TempDir::new().unwrap();
    let (made, summary) = (path(&folder, "index"), path(&folder, "summary.json"));
    let rules = |rules: &str| {
        line(
            "robots.txt",
            2019,
            &json!({"html": format!("User-agent: *\n{rules}\n")}),
        )
    };
    let page = |path: &str| line(path, 2020, &json!({"html": "<p>archword"}));
    let other = format!(
        "{}\n",
        json!({"url": "https://other.example/", "html": "<p>archword"})
    );
    let runs = [
        rules("Disallow: /private"),
        page("arch") + &page("private") + &other,
        rules("Disallow:") + &page("arch"),
    ];
    let told = runs.map(|lines| {
        let input = write(folder.path(), "in.jsonl", lines.as_bytes());
        let (status, _, told) = run(
            &[
                "index",
                &input.display().to_string(),
                "-o",
                &made,
                "--summary",
                &summary,
            ],
            b"",
        );
        assert_eq!(status, 0, "{told}");
        let summary: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&summary).unwrap()).unwrap();
        (
            told.contains("2 pages judged by a robots.txt of an earlier run"),
            summary["earlier_robots"].as_u64().unwrap(),
        )
    });
    assert_eq!(told, [(false, 0), (true, 2), (false, 0)]);
}
