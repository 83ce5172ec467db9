//! Dimensions of an index, its log of decisions, and its copies of pages: pages, captures, links,
//! commits, shards, and words of queries.

use crate::Row;
use crate::files::{Files, SITE, date, read, url, with, words};
use crate::made::{line, page_of};

pub(crate) const ROWS: &[Row] = &[
    ("pages of an index", 250, |files, n| {
        index(files, &files.pages(n), [])
    }),
    ("sites of an index", 250, |files, n| {
        index(files, &files.sites(n), [])
    }),
    ("pages of an index with copies", 250, |files, n| {
        index(files, &files.pages(n), ["--snapshot"])
    }),
    ("pages of an index with a log", 250, |files, n| {
        index(files, &files.pages(n), ["--evidence", &files.path("log")])
    }),
    (
        "pages of an index that is indexed again",
        250,
        |files, n| {
            files.index(n, []);
            index(files, &files.pages(n), [])
        },
    ),
    ("captures of one URL in an index", 500, |files, n| {
        let capture = |i| page_of(SITE, &date(i), &format!("<p>word {i}"));
        index(files, &files.members("x.warc", n, capture), [])
    }),
    ("links to one page", 250, |files, n| {
        index(files, &links_to_one(files, n), [])
    }),
    ("names of one page, listed", 1000, |files, n| {
        let index = files.index_of(&links_to_one(files, n), "index", []);
        words(["stats", &index, "--of", &format!("{SITE}/b")])
    }),
    ("pages that a search finds", 250, |files, n| {
        search(files, n, ["rye"])
    }),
    ("pages that a search shows", 50, |files, n| {
        let most = n.to_string();
        search(files, 250, ["rye", "-n", &most])
    }),
    ("commits of an index", 8, |files, n| {
        index(files, &files.pages(10 * n), ["--commit-every", "10"])
    }),
    ("pages of a list", 500, |files, n| {
        words(["stats", &files.index(n, []), "--list"])
    }),
    ("pages that are verified in an index", 500, |files, n| {
        words(["stats", &files.index(n, ["--snapshot"]), "--check"])
    }),
    ("pages that are removed by a list", 250, |files, n| {
        let index = files.index(n, []);
        words(["purge", &index, "-j1", "--urls", &files.urls(n)])
    }),
    ("pages that are removed by patterns", 100, |files, n| {
        let index = files.index(n, []);
        let patterns = files.lines("patterns", n, |i| format!("{SITE}/{i}*"));
        words(["purge", &index, "-j1", "--urls", &patterns])
    }),
    ("pages that are removed by options", 250, |files, n| {
        let purge = words(["purge", &files.index(n, []), "-j1"]);
        with(purge, n, |i| format!("--url={}", url(i)))
    }),
    ("pages that are removed by a robots.txt", 250, |files, n| {
        let index = files.index(n, []);
        let rules = files.write("robots.txt", b"User-agent: *\nDisallow: /");
        words(["purge", &index, "-j1", "--robots", &rules])
    }),
    ("changes of a feed", 250, |files, n| {
        let index = files.index(n, []);
        let change = |i| {
            format!(
                r#"{{"url":"{}","date":null,"bot":"heedful","forbidden":["train"],"allowed":[],"why":{{}}}}"#,
                url(i)
            )
        };
        words([
            "purge",
            &index,
            "-j1",
            "--from",
            &files.lines("feed", n, change),
        ])
    }),
    ("shards of a merge", 4, |files, n| {
        let shard = |i: usize| {
            let input = files.members("x.jsonl", 10, |j| line(&url(10 * i + j), "<p>word"));
            files.index_of(&input, &format!("shard{i}"), [])
        };
        with(words(["merge", "-q", "-o", &files.path("whole")]), n, shard)
    }),
    ("pages of a merge", 250, |files, n| {
        let index = files.index(n, []);
        words(["merge", "-q", "-o", &files.path("whole"), &index])
    }),
    ("pages that are compacted", 250, |files, n| {
        words(["compact", "-q", &files.index(n, ["--snapshot"])])
    }),
    ("copies of a folder", 250, |files, n| {
        read("snapshot", &files.pages(n), ["-o", &files.path("copies")])
    }),
    ("copies whose names begin alike", 250, |files, n| {
        let long = "a".repeat(120);
        let input = files.members("x.jsonl", n, |i| {
            line(&format!("{SITE}/{long}{i}"), "<p>word")
        });
        read("snapshot", &input, ["-o", &files.path("copies")])
    }),
    (
        "copies whose URLs differ in their query",
        250,
        |files, n| {
            let input = files.members("x.jsonl", n, |i| {
                line(&format!("{SITE}/a?session={i}"), "<p>word")
            });
            read("snapshot", &input, ["-o", &files.path("copies")])
        },
    ),
    ("copies of one URL", 250, |files, n| {
        let input = files.members("x.warc", n, |i| page_of(SITE, &date(i), "<p>word"));
        read("snapshot", &input, ["-o", &files.path("copies")])
    }),
    ("copies in a WARC", 250, |files, n| {
        read(
            "snapshot",
            &files.pages(n),
            ["-o", &files.path("copies.warc.gz")],
        )
    }),
    ("copies of an index", 250, |files, n| {
        let index = files.index(n, ["--snapshot"]);
        words([
            "snapshot",
            "-q",
            "--from",
            &index,
            "-o",
            &files.path("copies"),
        ])
    }),
    ("entries of an audit", 500, |files, n| {
        words(["evidence", "audit", &log(files, n)])
    }),
    ("entries about one page", 500, |files, n| {
        let capture = |i| page_of(SITE, &date(i), &format!("<p>word {i}"));
        let input = files.members("x.warc", n, capture);
        let log = files.path("log");
        files.index_of(&input, "index", ["--evidence", &log]);
        words(["evidence", "history", &log, SITE])
    }),
    ("entries that are forgotten", 250, |files, n| {
        let log = log(files, n);
        let index = files.path("index");
        words([
            "evidence",
            "forget",
            &log,
            "--index",
            &index,
            "--list",
            &files.urls(n),
        ])
    }),
    ("runs of a log", 4, |files, n| {
        let log = files.path("log");
        for _ in 0..n {
            files.index(10, ["--evidence", &log]);
        }
        words(["evidence", "audit", &log])
    }),
];

fn index<const N: usize>(files: &Files, input: &str, options: [&str; N]) -> Vec<String> {
    let mut arguments = read("index", input, options);
    arguments.extend(words(["-o", &files.path("index")]));
    arguments
}

/// Writes JSON Lines with `n` pages that link to one page, each with another anchor text. Returns
/// the path of the file.
fn links_to_one(files: &Files, n: usize) -> String {
    let page = |i| line(&url(i), &format!("<p>word <a href=/b>name {i}</a>"));
    files.members("x.jsonl", n, page)
}

fn search<const N: usize>(files: &Files, n: usize, query: [&str; N]) -> Vec<String> {
    let mut arguments = words(["search", &files.index(n, [])]);
    arguments.extend(words(query));
    arguments
}

/// Creates an index of `n` pages with a log of decisions, and returns the path of the log.
fn log(files: &Files, n: usize) -> String {
    let log = files.path("log");
    files.index(n, ["--evidence", &log]);
    log
}
