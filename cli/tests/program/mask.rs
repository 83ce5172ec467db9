//! `heedful mask` as a user runs it: its formats, killed and resumed runs, lists of URLs, masks for
//! text files that other tools extracted, and differences between masks.
//!
//! The environment variable `HEEDFUL_KILLS` sets the number of kills of a run (default 3),
//! `HEEDFUL_SEED` chooses the moments.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{path, run, write};
use crate::support::made::{self, Chance, folder, gz, line, warc};

const SITE: &str = "https://site.example";

fn json(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn allows(answer: &Value) -> Vec<&str> {
    let uses = answer["allow"].as_object().unwrap();
    uses.iter()
        .filter(|(_, allowed)| allowed.as_bool().unwrap())
        .map(|(name, _)| name.as_str())
        .collect()
}

/// Writes a crawl of `count` JSON Lines into a folder and returns its path. Some lines are no page,
/// and some cannot be read.
fn crawl(folder: &TempDir, count: usize) -> String {
    let mut chance = Chance(5);
    let mut lines = Vec::new();
    for number in 0..count {
        let url = format!("{SITE}/n{number}");
        let head = [
            "",
            "<meta name=robots content=noindex>",
            "<meta name=robots content='noai,noarchive'>",
        ];
        match chance.below(9) {
            0 => lines
                .extend(format!("{{\"url\":\"{url}\",\"status\":404,\"html\":\"\"}}\n").bytes()),
            1 => lines.extend(b"{ no line\n"),
            _ => lines.extend(line(
                &url,
                &format!("{}<p>{}", head[chance.below(3)], chance.words(20)),
            )),
        }
    }
    lines.extend(line(
        &format!("{SITE}/robots.txt"),
        "User-agent: *\nDisallow: /n7\n",
    ));
    let path = folder.path().join("crawl.jsonl");
    fs::write(&path, lines).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn each_line_has_an_answer_that_says_why() {
    let folder = folder();
    let lines = [
        line(&format!("{SITE}/a"), "<p>one"),
        line(
            &format!("{SITE}/b"),
            "<p>one\n<meta name=robots content='noai'><p data-nosnippet>two",
        ),
        b"{\"url\":\n".to_vec(),
        line(&format!("{SITE}/private/c"), "<p>three"),
        line(
            &format!("{SITE}/robots.txt"),
            "User-agent: *\nDisallow: /private/\n",
        ),
    ];
    let crawl = write(
        &folder,
        "crawl.jsonl",
        &String::from_utf8(lines.concat()).unwrap(),
    );
    let (status, out, told) = run(&["mask", &crawl, "--use", "index,train", "--parts"], "");
    let answers = json(&out);
    assert_eq!(status, 0, "{told}");
    let found: Vec<_> = answers
        .iter()
        .map(|answer| (answer["kind"].as_str().unwrap(), allows(answer)))
        .collect();
    let expected = [
        ("page", vec!["index", "train"]),
        ("page", vec!["index"]),
        ("unknown", vec![]),
        ("page", vec![]),
        ("none", vec![]),
    ];
    assert_eq!(found, expected);
    let why = &answers[1]["bots"][0]["why"]["train"];
    assert_eq!(
        (why["line"].as_u64(), why["convention"].as_str()),
        (Some(2), Some("meta"))
    );
    assert_eq!(answers[3]["bots"][0]["why"]["index"]["origin"], "rule");
    assert_eq!(
        answers
            .iter()
            .map(|answer| answer["at"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    assert!(
        told.contains("5 answers: 3 pages, 1 no page, 1 unknown; allowed: index 2, train 1"),
        "{told}"
    );
}

#[test]
fn all_forms_say_the_same() {
    let folder = folder();
    let crawl = crawl(&folder, 300);
    let (_, lines, _) = run(&["mask", &crawl], "");
    let lines = json(&lines);
    for name in [
        "out.jsonl",
        "out.jsonl.gz",
        "out.tsv",
        "out.tsv.gz",
        "out.mask",
    ] {
        let out = path(&folder, name);
        let (status, printed, told) = run(&["mask", &crawl, "-o", &out, "--group", "77"], "");
        assert_eq!((status, printed.as_str()), (0, ""), "{name} {told}");
        let bytes = fs::read(&out).unwrap();
        let mut text = String::new();
        match name {
            "out.mask" => text = run(&["mask", "--unpack", &out], "").1,
            _ if name.ends_with(".gz") => {
                flate2::read::MultiGzDecoder::new(&bytes[..])
                    .read_to_string(&mut text)
                    .map(drop)
                    .unwrap();
            }
            _ => text = String::from_utf8(bytes).unwrap(),
        }
        let bits: Vec<Vec<bool>> = if name.contains("tsv") {
            let mut rows = text
                .lines()
                .map(|line| line.split('\t').collect::<Vec<_>>());
            let names = rows.next().unwrap();
            let columns = ["index", "archive", "train", "input"]
                .map(|name| names.iter().position(|own| *own == name));
            rows.map(|row| columns.map(|column| row[column.unwrap()] == "1").to_vec())
                .collect()
        } else {
            let uses = ["index", "archive", "train", "input"];
            json(&text)
                .iter()
                .map(|answer| uses.map(|name| answer["allow"][name] == true).to_vec())
                .collect()
        };
        let uses = ["index", "archive", "train", "input"];
        let expected: Vec<_> = lines
            .iter()
            .map(|answer| uses.map(|name| answer["allow"][name] == true).to_vec())
            .collect();
        assert_eq!(bits, expected, "{name}");
        assert!(
            !fs::exists(format!("{out}.part")).unwrap()
                && !fs::exists(format!("{out}.state")).unwrap()
        );
    }
}

/// Returns the files in the folder of a mask, by name.
fn files(folder: &str) -> crate::formats::Files {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect()
}

/// A mask in Parquet has the keys of the JSON as columns. After a kill it has only complete row
/// groups.
#[test]
fn tables_say_what_the_lines_say_also_after_kills() {
    let mut chance = Chance(1);
    let folder = folder();
    let crawl = crawl(&folder, 4000);
    let asked = [
        "mask", &crawl, "-q", "-b", "foobot", "-b", "barbot", "--parts", "--group", "300", "-o",
    ];
    let (lines, clean, out) = (
        path(&folder, "clean.jsonl"),
        path(&folder, "clean.parquet"),
        path(&folder, "out.parquet"),
    );
    assert_eq!(run(&[&asked[..], &[&lines]].concat(), "").0, 0);
    let started = Instant::now();
    assert_eq!(run(&[&asked[..], &[&clean]].concat(), "").0, 0);
    let time = started.elapsed();
    let mut expected = json(&fs::read_to_string(&lines).unwrap());
    for bot in expected
        .iter_mut()
        .flat_map(|answer| answer["bots"].as_array_mut().unwrap())
    {
        for name in ["index", "archive", "input", "train"] {
            let why = bot["why"].get(name).cloned();
            bot["why"][name] = why.unwrap_or_default();
        }
    }
    let found = crate::formats::tables(&files(&clean), "mask-");
    assert!(
        found == expected,
        "{} rows of {}",
        found.len(),
        expected.len()
    );
    let killed = [&asked[..], &[out.as_str(), "--resume"]].concat();
    let mut kills = 0;
    for _ in 0..8 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_heedful"))
            .args(&killed)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(
            chance.below(usize::try_from(time.as_micros()).unwrap()) as u64,
        ));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            break;
        }
        kills += 1;
        let tables = files(&out)
            .into_iter()
            .filter(|(name, _)| name.ends_with(".parquet"))
            .collect();
        let whole = crate::formats::tables(&tables, "mask-");
        assert!(
            whole.len().is_multiple_of(300) && whole == expected[..whole.len()],
            "{} rows after a kill",
            whole.len()
        );
    }
    if fs::exists(format!("{out}.state")).unwrap() {
        assert_eq!(run(&killed, "").0, 0);
    }
    assert!(
        files(&out) == files(&clean),
        "after {kills} kills: {clean} and {out}"
    );
    assert!(!fs::exists(format!("{out}.state")).unwrap());
    let (status, _, told) = run(&[&asked[..], &[&out]].concat(), "");
    assert!(
        status == 2 && told.contains("is not empty"),
        "what is whole is not written over: {told}"
    );
}

/// The mask of a table without pages still has an answer for each row.
#[test]
fn a_table_without_pages_has_as_many_answers_as_rows() {
    let folder = folder();
    let (mask, out) = (path(&folder, "mask.parquet"), path(&folder, "out.jsonl"));
    assert_eq!(
        run(&["mask", &crawl(&folder, 100), "-q", "-o", &mask], "").0,
        0
    );
    let (_, _, told) = run(&["mask", &mask, "-o", &out], "");
    let answers = json(&fs::read_to_string(&out).unwrap());
    assert_eq!(answers.len(), 101, "{told}");
    assert!(
        answers
            .iter()
            .all(|answer| answer["kind"] == "unknown" && answer["allow"]["train"] == false),
        "{told}"
    );
}

/// If a run of `mask` is killed at any moment and then resumed, the mask has the same bytes as
/// without the kill. The mask file gets its final name only when it is complete.
#[test]
fn a_killed_run_is_resumed_to_the_same_bytes() {
    let setting = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
    };
    let mut chance = Chance(setting("HEEDFUL_SEED", 1));
    let folder = folder();
    let crawl = crawl(&folder, 4000);
    for name in ["out.jsonl", "out.tsv.gz", "out.mask"] {
        let (clean, out) = (path(&folder, &format!("clean.{name}")), path(&folder, name));
        let started = Instant::now();
        assert_eq!(
            run(&["mask", &crawl, "-o", &clean, "--group", "50", "-q"], "").0,
            0
        );
        let time = started.elapsed();
        let mut kills = 0;
        for _ in 0..setting("HEEDFUL_KILLS", 3) {
            let arguments = [
                "mask", &crawl, "-o", &out, "--group", "50", "-q", "--resume",
            ];
            let mut child = Command::new(env!("CARGO_BIN_EXE_heedful"))
                .args(arguments)
                .stdin(Stdio::null())
                .spawn()
                .unwrap();
            let moment = chance.below(usize::try_from(time.as_micros()).unwrap());
            std::thread::sleep(Duration::from_micros(moment as u64));
            child.kill().unwrap();
            let is_done = child.wait().unwrap().success();
            kills += u64::from(!is_done);
            let is_there = fs::exists(&out).unwrap();
            assert!(
                is_there || !is_done,
                "{name}: it is there when the run is done"
            );
            if is_there {
                // The kill may come after the last step, too.
                assert!(
                    fs::read(&clean).unwrap() == fs::read(&out).unwrap(),
                    "{name}: what is there is whole"
                );
                fs::remove_file(&out).unwrap();
            }
        }
        let (status, _, told) = run(
            &["mask", &crawl, "-o", &out, "--group", "50", "--resume"],
            "",
        );
        assert_eq!(status, 0, "{told}");
        let same = fs::read(&clean).unwrap() == fs::read(&out).unwrap();
        assert!(same, "{name} after {kills} kills: {clean} and {out}");
    }
}

#[test]
fn another_question_is_no_continuation() {
    let folder = folder();
    let crawl = crawl(&folder, 100);
    let out = path(&folder, "out.jsonl");
    let state = serde_json::json!({"version": 1, "terms": "other", "cursor": null, "answers": 1, "bytes": 2, "files": 0});
    fs::write(format!("{out}.state"), state.to_string()).unwrap();
    let (status, _, told) = run(&["mask", &crawl, "-o", &out, "--resume"], "");
    assert!(
        status == 2 && told.contains("asked for something else: run without --resume"),
        "{told}"
    );
    assert_eq!(run(&["mask", &crawl, "-o", &out, "-q"], "").0, 0);
    assert_eq!(json(&fs::read_to_string(&out).unwrap()).len(), 101);
}

#[test]
fn urls_are_judged_by_their_sites_today() {
    let folder = folder();
    let robots = made::robots(SITE, "User-agent: *\nDisallow: /private/\n");
    let sites = path(&folder, "sites.warc.gz");
    fs::write(&sites, gz(&robots)).unwrap();
    let host = folder.path().join("files/other.example:8080");
    fs::create_dir_all(&host).unwrap();
    fs::write(host.join("robots.txt"), "User-agent: *\nDisallow: /\n").unwrap();
    let files = path(&folder, "files");
    let list = format!(
        "{SITE}/a\n\n{SITE}/private/b\tand more\nnonsense\nhttps://other.example:8080/c\nhttps://third.example/d\n"
    );
    let list = write(&folder, "urls.txt", &list);
    let (status, out, told) = run(
        &["mask", "--urls", &list, &sites, &files, "--use", "train"],
        "",
    );
    let found: Vec<_> = json(&out)
        .iter()
        .map(|answer| {
            (
                answer["at"].as_u64().unwrap(),
                answer["kind"].as_str().unwrap().to_owned(),
                !allows(answer).is_empty(),
            )
        })
        .collect();
    let expected = [
        (1, "page", true),
        (3, "page", false),
        (4, "unknown", false),
        (5, "page", false),
        (6, "page", true),
    ];
    assert_eq!(
        found,
        expected.map(|(at, kind, train)| (at, kind.to_owned(), train)),
        "{told}"
    );
    assert_eq!(status, 0);
}

#[test]
fn texts_stand_beside_their_pages() {
    let folder = folder();
    let pages: Vec<u8> = ["<p>one", "<meta name=robots content=noai><p>two"]
        .iter()
        .enumerate()
        .flat_map(|(number, html)| {
            let id = format!("WARC-Record-ID: <urn:uuid:{number}>\r\n");
            let content = made::http("200 OK\r\nContent-Type: text/html", html.as_bytes());
            warc("response", &format!("{SITE}/{number}"), &id, &content)
        })
        .collect();
    let texts: Vec<u8> = [1, 0, 5]
        .iter()
        .flat_map(|of| {
            let fields = format!("WARC-Refers-To: <urn:uuid:{of}>\r\n");
            warc("conversion", &format!("{SITE}/{of}"), &fields, b"words")
        })
        .collect();
    let (crawl, wet) = (path(&folder, "crawl.warc"), path(&folder, "crawl.warc.wet"));
    fs::write(&crawl, pages).unwrap();
    fs::write(&wet, texts).unwrap();
    let (status, out, told) = run(&["mask", &crawl, "--beside", &wet, "--use", "train"], "");
    let found: Vec<_> = json(&out)
        .iter()
        .map(|answer| {
            (
                answer["kind"].as_str().unwrap().to_owned(),
                allows(answer).len(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [("page", 0), ("page", 1), ("unknown", 0)].map(|(kind, uses)| (kind.to_owned(), uses)),
        "{told}"
    );
    assert_eq!(status, 0);
}

#[test]
fn a_change_of_mind_reaches_an_index() {
    let folder = folder();
    let pages = |second: &str| {
        let lines = [
            line(&format!("{SITE}/a"), "<p>alpha"),
            line(&format!("{SITE}/b"), second),
        ];
        String::from_utf8(lines.concat()).unwrap()
    };
    let (old, new) = (
        path(&folder, "old.mask.jsonl"),
        path(&folder, "new.mask.jsonl"),
    );
    let crawl = write(&folder, "crawl.jsonl", &pages("<p>beta"));
    let index = path(&folder, "index");
    assert_eq!(run(&["index", &crawl, "-o", &index, "-q"], "").0, 0);
    assert_eq!(run(&["mask", &crawl, "-o", &old, "-q"], "").0, 0);
    write(
        &folder,
        "crawl.jsonl",
        &pages("<meta name=robots content=noindex><p>beta"),
    );
    assert_eq!(run(&["mask", &crawl, "-o", &new, "-q"], "").0, 0);
    assert_eq!(
        run(&["mask", "--feed", &old, &old], "").0,
        1,
        "nothing changed"
    );
    let (status, feed, told) = run(&["mask", "--feed", &old, &new], "");
    assert!(
        status == 0 && told.contains("1 change in 2 compared"),
        "{told}"
    );
    let change: BTreeMap<String, Value> = serde_json::from_str(feed.trim()).unwrap();
    assert_eq!(
        change["forbidden"],
        serde_json::json!(["index", "archive", "input"])
    );
    let feed = write(&folder, "feed.jsonl", &feed);
    let (status, out, told) = run(&["purge", &index, "--from", &feed], "");
    assert!(
        status == 0 && out.contains("/b removed") && told.contains("1 removed"),
        "{out}{told}"
    );
    assert_eq!(run(&["search", &index, "beta"], "").0, 1);
    assert_eq!(run(&["search", &index, "alpha"], "").0, 0);
    let bad = write(&folder, "bad.jsonl", "{\"url\":\"x\"}\n");
    let (status, _, told) = run(&["purge", &index, "--from", &bad], "");
    assert!(
        status == 2 && told.contains("bad.jsonl, line 1: no line of a feed"),
        "{told}"
    );
}

/// The denials in feeds apply in any order of the feeds, and with any spelling of the URL.
#[test]
fn the_order_of_feeds_does_not_matter() {
    let folder = folder();
    let page = serde_json::json!({"url": format!("{SITE}/%7Eme/"), "html": "<p>alpha", "date": "2026-01-01T00:00:00Z"});
    let crawl = write(&folder, "crawl.jsonl", &format!("{page}\n"));
    let index = path(&folder, "index");
    assert_eq!(run(&["index", &crawl, "-o", &index, "-q"], "").0, 0);
    let change = |day: u8, uses: &str| {
        let date = format!("2026-02-{day:02}T00:00:00Z");
        serde_json::json!({"url": format!("{SITE}/~me/"), "date": date, "bot": "heedful", "forbidden": [uses], "allowed": [], "why": {}})
    };
    let feed = write(
        &folder,
        "feed.jsonl",
        &format!("{}\n{}\n", change(9, "input"), change(7, "train")),
    );
    let (status, _, told) = run(&["purge", &index, "--from", &feed], "");
    assert!(status == 0 && told.contains("1 page stays"), "{told}");
    for (needed, status) in [("archive", 0), ("train", 1), ("input", 1)] {
        assert_eq!(
            run(&["search", &index, "alpha", "--use", needed], "").0,
            status,
            "{needed}"
        );
    }
}

/// Hostile masks, feeds, lists and censuses are refused, or their effect is limited. None of their
/// text is written to a terminal with control characters.
#[test]
fn hostile_masks_feeds_and_lists_are_refused() {
    let folder = folder();
    let crawl = crawl(&folder, 3);
    let (good, index) = (path(&folder, "good.jsonl"), path(&folder, "index"));
    assert_eq!(run(&["mask", &crawl, "-o", &good, "-q"], "").0, 0);
    assert_eq!(run(&["index", &crawl, "-o", &index, "-q"], "").0, 0);
    let line = fs::read_to_string(&good)
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    let file = |name: &str, text: &str| write(&folder, name, text);
    let long = file(
        "long",
        &format!("{{\"url\":\"{}\"}}\n", "x".repeat(9 << 20)),
    );
    let deep = file("deep", &("[".repeat(1 << 20) + "\n"));
    let inner = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    let nested = file(
        "nested",
        &format!("{},\"z\":{inner}}}\n", line.strip_suffix('}').unwrap()),
    );
    let bots = "{\"bot\":\"\u{1b}[31m\",\"allow\":{},\"why\":{},\"parts\":null},".repeat(100);
    let bots = file(
        "bots",
        &(line.replace("\"bots\":[", &format!("\"bots\":[{bots}")) + "\n")
            .replace('\u{1b}', "\\u001b"),
    );
    let controls = file(
        "controls",
        "{\"url\":\"\\u001b]52;c;AAAA\\u0007\",\"kind\":\"\\u001b[31m\"}\n",
    );
    let bomb = path(&folder, "bomb.gz");
    let mut packed = flate2::write::GzEncoder::new(
        fs::File::create(&bomb).unwrap(),
        flate2::Compression::fast(),
    );
    let piece = " ".repeat(1 << 20);
    for _ in 0..40 {
        packed.write_all(piece.as_bytes()).unwrap();
    }
    packed.finish().unwrap();
    for hostile in [&long, &deep, &bots, &controls, &bomb, "/dev/zero"] {
        for arguments in [
            &["mask", "--feed", &good, hostile][..],
            &["mask", "--feed", hostile, &good],
            &["mask", "--unpack", hostile],
            &["purge", &index, "--from", hostile],
            &["purge", &index, "--urls", hostile],
            &["census", "--merge", hostile],
        ] {
            let (status, out, told) = run(arguments, "");
            assert!(
                status == 2 && out.is_empty() && told.len() < 2000,
                "{arguments:?}: {status} {told}"
            );
            assert!(
                told.starts_with("error: ") && !told.contains(['\u{1b}', '\u{7}']),
                "{arguments:?}: {told:?}"
            );
        }
    }
    assert_eq!(run(&["mask", "--urls", "/dev/zero"], "").0, 2);
    // Unknown keys are ignored at any depth.
    assert_eq!(run(&["mask", "--feed", &good, &nested], "").0, 1);
    let (status, out, _) = run(&["mask", "--urls", &long, "--use", "index"], "");
    assert!(
        status == 0 && json(&out)[0]["kind"] == "unknown",
        "a line that is too long costs itself"
    );
    let packed = path(&folder, "good.mask");
    assert_eq!(run(&["mask", &crawl, "-o", &packed, "-q"], "").0, 0);
    let bytes = fs::read(&packed).unwrap();
    for cut in [1, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&packed, &bytes[..cut]).unwrap();
        let (status, _, told) = run(&["mask", "--unpack", &packed], "");
        assert!(
            status == 2 && told.contains("no compact mask, or a damaged one"),
            "{cut}: {status} {told}"
        );
    }
}

/// The reason in a feed is printed without its control characters.
#[test]
fn a_reason_commands_no_terminal() {
    let folder = folder();
    let crawl = write(
        &folder,
        "crawl.jsonl",
        &String::from_utf8(line(&format!("{SITE}/a"), "<p>alpha")).unwrap(),
    );
    let index = path(&folder, "index");
    assert_eq!(run(&["index", &crawl, "-o", &index, "-q"], "").0, 0);
    let change = serde_json::json!({"url": format!("{SITE}/a"), "date": null, "bot": "heedful", "forbidden": ["index"],
        "allowed": [], "why": {"index": format!("\u{1b}]52;c;AAAA\u{7}{}", "x".repeat(5000))}});
    let feed = write(&folder, "feed.jsonl", &format!("{change}\n"));
    for format in ["text", "json"] {
        let (status, out, told) = run(
            &[
                "purge",
                &index,
                "--dry-run",
                "--from",
                &feed,
                "--format",
                format,
            ],
            "",
        );
        assert!(
            status == 0 && out.contains("]52;c;AAAA") && out.len() < 1000,
            "{out}"
        );
        assert!(
            !format!("{out}{told}").contains(['\u{1b}', '\u{7}']),
            "{out:?}"
        );
    }
}

/// A site file that is a pipe, a device, a link out of the folder or a sparse file of gigabytes
/// disallows its whole site. It does not stop the run.
#[cfg(unix)]
#[test]
fn site_files_that_are_no_files_shut_their_site() {
    let folder = folder();
    let host = |name: &str| {
        let host = folder.path().join("sites").join(name);
        fs::create_dir_all(&host).unwrap();
        host.join("robots.txt")
    };
    assert!(
        Command::new("mkfifo")
            .arg(host("pipe.example"))
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink("/dev/zero", host("zero.example")).unwrap();
    let outside = write(&folder, "outside.txt", "User-agent: *\nAllow: /\n");
    std::os::unix::fs::symlink(&outside, host("out.example")).unwrap();
    fs::File::create(host("holes.example"))
        .unwrap()
        .set_len(20 << 30)
        .unwrap();
    fs::write(host("good.example"), "User-agent: *\nDisallow: /private/\n").unwrap();
    let hosts =
        ["pipe", "zero", "out", "good", "holes"].map(|host| format!("https://{host}.example/a\n"));
    let list = write(&folder, "urls.txt", &hosts.concat());
    let sites = path(&folder, "sites");
    let (status, out, told) = run(&["mask", "--urls", &list, &sites, "--use", "index"], "");
    let found: Vec<_> = json(&out)
        .iter()
        .map(|answer| allows(answer).len())
        .collect();
    assert_eq!((status, &found[..]), (0, &[0, 0, 0, 1, 1][..]), "{told}");
}

#[test]
fn what_makes_no_sense_is_told() {
    let folder = folder();
    let crawl = crawl(&folder, 3);
    for (arguments, expected) in [
        (
            &["mask", &crawl, "--format", "tsv"][..],
            "name a file with -o",
        ),
        (
            &["mask", &crawl, "--use", "reading"][..],
            "`reading` is nothing that can be asked for",
        ),
        (
            &["mask", "--feed", &crawl, &crawl][..],
            "line 1: no answer of a mask as JSON Lines",
        ),
        (&["mask", "--unpack", &crawl][..], "no compact mask"),
        (
            &["mask", &crawl, "--format", "x", "-o", "y"][..],
            "`x` is no form of a mask",
        ),
    ] {
        let (status, _, told) = run(arguments, "");
        assert!(
            status == 2 && told.contains(expected),
            "{arguments:?}: {status} {told}"
        );
    }
    let (good, out) = (path(&folder, "good.jsonl"), path(&folder, "changes.jsonl"));
    assert_eq!(run(&["mask", &crawl, "-o", &good, "-q"], "").0, 0);
    assert_eq!(run(&["mask", "--feed", &good, &crawl, "-o", &out], "").0, 2);
    assert!(
        !fs::exists(&out).unwrap(),
        "a feed that failed is not there"
    );
}

/// The example in docs/mask.md prints the output that this page shows.
#[test]
fn the_example_is_true() {
    let page = include_str!("../../../docs/mask.md");
    let block = page
        .split("```console\n$ heedful ")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .unwrap();
    let (command, expected) = block.split_once('\n').unwrap();
    let arguments: Vec<_> = command.split(' ').collect();
    let output = Command::new(env!("CARGO_BIN_EXE_heedful"))
        .args(arguments)
        .current_dir(crate::support::root())
        .output();
    assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), expected);
}

/// `mask` never overwrites its inputs. If the output path exists and is no file, it is refused
/// before any input is read.
#[test]
fn inputs_are_never_written_over() {
    let folder = folder();
    let crawl = crawl(&folder, 3);
    let (mask, packed) = (path(&folder, "a.jsonl"), path(&folder, "a.mask"));
    for out in [&mask, &packed] {
        assert_eq!(run(&["mask", &crawl, "-o", out, "-q"], "").0, 0);
    }
    let list = write(&folder, "urls.txt", &format!("{SITE}/a\n"));
    for (read, arguments) in [
        (&crawl, &["mask", &crawl, "-o", &crawl][..]),
        (&list, &["mask", "--urls", &list, "-o", &list][..]),
        (&list, &["mask", &crawl, "--beside", &list, "-o", &list][..]),
        (&mask, &["mask", "--feed", &mask, &mask, "-o", &mask][..]),
        (&packed, &["mask", "--unpack", &packed, "-o", &packed][..]),
    ] {
        let before = fs::read(read).unwrap();
        let (status, _, told) = run(arguments, "");
        assert!(
            status == 2 && told.contains("write the mask to another file"),
            "{arguments:?}: {status} {told}"
        );
        assert_eq!(fs::read(read).unwrap(), before, "{arguments:?}");
    }
    let taken = path(&folder, "taken");
    fs::create_dir(&taken).unwrap();
    let (status, _, told) = run(&["mask", &crawl, "-o", &taken], "");
    assert!(status == 2 && told.contains("is no file"), "{told}");
    assert!(!fs::exists(format!("{taken}.part")).unwrap());
}

/// In a list of URLs, a line that was cut or is no UTF-8 is denied, instead of being judged as
/// another URL.
#[test]
fn a_url_that_is_not_whole_is_denied() {
    let folder = folder();
    let long = [
        format!("{SITE}/{}", "a".repeat(9 << 20)).as_bytes(),
        b".secret\n",
    ]
    .concat();
    let blank = [
        " ".repeat(9 << 20).as_bytes(),
        format!("{SITE}/b\n").as_bytes(),
    ]
    .concat();
    let odd = [format!("{SITE}/").as_bytes(), b"\xFF\n"].concat();
    let tail = [
        format!("{SITE}/c\t").as_bytes(),
        b"\xFF",
        "x".repeat(9 << 20).as_bytes(),
    ]
    .concat();
    let list = path(&folder, "urls.txt");
    fs::write(&list, [long, blank, odd, tail].concat()).unwrap();
    let (status, out, told) = run(&["mask", "--urls", &list, "--use", "index"], "");
    let kinds: Vec<_> = json(&out)
        .iter()
        .map(|answer| (answer["kind"].clone(), allows(answer).len()))
        .collect();
    assert_eq!(status, 0, "{told}");
    assert_eq!(
        kinds,
        [("unknown", 0), ("unknown", 0), ("unknown", 0), ("page", 1)]
            .map(|(kind, uses)| (kind.into(), uses))
    );
}

/// The run of a mask can be resumed only with the settings with which it was begun.
#[test]
fn what_decides_otherwise_is_no_continuation() {
    let folder = folder();
    let crawl = crawl(&folder, 4000);
    let robots = write(&folder, "robots", "User-agent: *\nAllow: /\n");
    let kill = |out: &str, ending: &str, arguments: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_heedful"))
            .args(["mask", "-q", "--group", "20", "-o", out])
            .args(arguments)
            .stdin(fs::File::open(&crawl).unwrap())
            .spawn()
            .unwrap();
        let is_begun = || fs::metadata(format!("{out}{ending}")).is_ok_and(|file| file.len() > 0);
        while !is_begun() && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success());
    };
    let out = path(&folder, "out.jsonl");
    let again = ["mask", &crawl, "--robots", &robots, "-o", &out, "--resume"];
    kill(&out, ".state", &[&crawl, "--robots", &robots]);
    fs::write(&robots, "User-agent: *\nDisallow: /\n").unwrap();
    let (status, _, told) = run(&again, "");
    assert!(
        status == 2 && told.contains("asked for something else"),
        "{told}"
    );
    let out = path(&folder, "pipe.jsonl");
    kill(&out, ".part", &["-"]);
    let (status, _, told) = run(
        &["mask", "-", "-q", "-o", &out, "--resume"],
        fs::read(&crawl).unwrap(),
    );
    assert_eq!(status, 0, "{told}");
    let of_file = run(&["mask", "-q", &crawl], "").1;
    assert_eq!(
        json(&fs::read_to_string(&out).unwrap()).len(),
        json(&of_file).len(),
        "a pipe"
    );
}

/// A folder of site files that also has an archive is refused, since the site files in the archive
/// would be ignored.
#[test]
fn an_archive_beside_site_files_is_not_passed_over() {
    let folder = folder();
    let list = write(&folder, "urls.txt", &format!("{SITE}/a\n"));
    let sites = folder.path().join("sites");
    fs::create_dir_all(sites.join("other.example")).unwrap();
    fs::write(sites.join("other.example/robots.txt"), "").unwrap();
    fs::write(
        sites.join("crawl.jsonl"),
        line(
            &format!("{SITE}/robots.txt"),
            "User-agent: *\nDisallow: /\n",
        ),
    )
    .unwrap();
    let (status, _, told) = run(&["mask", "--urls", &list, sites.to_str().unwrap()], "");
    assert!(status == 2 && told.contains("crawl.jsonl"), "{told}");
}

/// No text of an archive or a list is a formula in a spreadsheet.
#[test]
fn a_tsv_mask_has_no_formula() {
    let folder = TempDir::new().unwrap();
    let urls = write(
        &folder,
        "urls.txt",
        "=HYPERLINK(1)\n@SUM(1)\n+1\n-1\nhttps://a.example/=1\n",
    );
    let out = path(&folder, "out.tsv");
    let (status, _, told) = run(
        &[
            "mask",
            "--urls",
            &urls,
            "-o",
            &out,
            "--robots",
            "corpus/site/robots.txt",
        ],
        "",
    );
    assert_eq!(status, 0, "{told}");
    let mask = fs::read_to_string(out).unwrap();
    let rows: Vec<Vec<_>> = mask
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let url = rows[0].iter().position(|name| *name == "url").unwrap();
    let urls: Vec<_> = rows[1..].iter().map(|row| row[url]).collect();
    assert_eq!(
        urls,
        [
            "'=HYPERLINK(1)",
            "'@SUM(1)",
            "'+1",
            "'-1",
            "https://a.example/=1"
        ]
    );
    let is_formula = |value: &&str| value.starts_with(['=', '+', '-', '@']);
    assert!(!rows.iter().flatten().any(is_formula), "{mask}");
}
