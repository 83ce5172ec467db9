//! Dimensions of one page, of reports about the page, and of the rules that the user passes.
//!
//! `just counts` measures the dimensions of a filter pass over one page. This module has the
//! dimensions of the verbs.

use crate::Row;
use crate::files::{Files, SITE, read, url, with};
use crate::made::line;

const EXCLUSION: &str = "w<b class=robots-noindex>x</b>";
const FAULT: &str = "<p robots=noindex>a<!-- noindx -->b";
/// Option of the program to store all notes about a page.
const ALL_NOTES: [&str; 2] = ["--limit", "notes=1000000"];
const LINK: &str = "<a href=/b rel=nofollow>more</a>";

pub(crate) const ROWS: &[Row] = &[
    ("exclusions of a page", 500, |files, n| {
        of_page(files, "filter", &EXCLUSION.repeat(n), [])
    }),
    ("exclusions, explained as text", 500, |files, n| {
        of_page(files, "explain", &EXCLUSION.repeat(n), [])
    }),
    ("exclusions, explained as JSON", 500, |files, n| {
        of_page(files, "explain", &EXCLUSION.repeat(n), ["--format", "json"])
    }),
    ("exclusions, explained as HTML", 500, |files, n| {
        let html = files.path("out.html");
        of_page(files, "explain", &EXCLUSION.repeat(n), ["--html", &html])
    }),
    ("exclusions, as others read them", 250, |files, n| {
        of_page(files, "explain", &EXCLUSION.repeat(n), ["--as", "all"])
    }),
    ("exclusions for one of two bots", 500, |files, n| {
        let names = "<meta name=RobotExclusion.RobotName1 content=foo>";
        let html = format!("{names}{}", "<p>w<b class=robot1-noindex>x</b>".repeat(n));
        of_page(
            files,
            "explain",
            &html,
            ["-b", "foo", "-b", "bar", "--diff"],
        )
    }),
    ("exclusions of a copy", 500, |files, n| {
        let map = files.path("map");
        let copy = files.path("copy.html");
        of_page(
            files,
            "snapshot",
            &EXCLUSION.repeat(n),
            ["--map", &map, "-o", &copy],
        )
    }),
    ("notes of a page", 500, |files, n| {
        of_page(files, "filter", &"<!-- /robots -->".repeat(n), ALL_NOTES)
    }),
    ("notes that are only counted", 500, |files, n| {
        of_page(files, "filter", &"<!-- /robots -->".repeat(n), [])
    }),
    ("kinds of what is not known on a page", 500, |files, n| {
        let html: String = (0..n)
            .map(|i| format!("<meta name=robots content=word{i}>"))
            .collect();
        of_page(files, "filter", &html, [])
    }),
    ("findings of a page", 250, |files, n| {
        of_page(files, "lint", &FAULT.repeat(n), ALL_NOTES)
    }),
    ("findings of a page, in SARIF", 250, |files, n| {
        let [limit, notes] = ALL_NOTES;
        of_page(
            files,
            "lint",
            &FAULT.repeat(n),
            ["--format", "sarif", limit, notes],
        )
    }),
    ("pages with findings", 250, |files, n| {
        read(
            "lint",
            &files.members("x.jsonl", n, |i| line(&url(i), FAULT)),
            [],
        )
    }),
    ("links of a page", 1000, |files, n| {
        of_page(files, "links", &LINK.repeat(n), [])
    }),
    ("phrases of a page", 1000, |files, n| {
        of_page(files, "text", &"<p>word".repeat(n), [])
    }),
    ("blocks of a page", 1000, |files, n| {
        of_page(files, "filter", &"<p>word".repeat(n), ["--blocks"])
    }),
    ("pages of a report", 250, |files, n| {
        let input = files.members("x.jsonl", n, |i| line(&url(i), EXCLUSION));
        read("explain", &input, ["--html", &files.path("report.html")])
    }),
    ("pages of a count of conventions", 500, |files, n| {
        read(
            "conventions",
            &files.members("x.jsonl", n, |i| line(&url(i), EXCLUSION)),
            ["--count"],
        )
    }),
    ("pages that are verified", 250, |files, n| {
        read(
            "verify",
            &files.members("x.jsonl", n, |i| line(&url(i), EXCLUSION)),
            [],
        )
    }),
    ("bots that ask", 16, |files, n| {
        with(read("filter", &page(files), []), n, bot)
    }),
    ("bots that a page is explained to", 16, |files, n| {
        with(read("explain", &page(files), []), n, bot)
    }),
    ("bots of which eight are denied", 16, |files, n| {
        let meta = |i| format!("<meta name=bot{i} content=noindex>");
        let html: String = (0..16).step_by(2).map(meta).collect();
        with(of_page(files, "explain", &html, ["--diff"]), n, bot)
    }),
    ("denials by URL", 250, |files, n| {
        with(read("filter", &page(files), []), n, |i| {
            format!("--deny=noindex={SITE}/no/{i}")
        })
    }),
    ("denials by class", 250, |files, n| {
        with(read("filter", &page(files), []), n, |i| {
            format!("--deny-element=noindex=.class{i}")
        })
    }),
    ("denials by attribute", 250, |files, n| {
        with(read("filter", &page(files), []), n, |i| {
            format!("--deny-element=noindex=[data-{i}]")
        })
    }),
    ("denials by comments", 250, |files, n| {
        with(read("filter", &page(files), []), n, |i| {
            format!("--deny-region=noindex=a{i}.../a{i}")
        })
    }),
    ("Names pages", 100, |files, n| {
        let names = "<meta name=RobotExclusion.RobotName3 content='Foo Bot'>";
        let names = files.write("names.html", names.as_bytes());
        with(read("filter", &page(files), []), n, |i| {
            format!("--names={}={names}", url(i))
        })
    }),
    ("licences that are given", 100, |files, n| {
        let licence =
            "<rsl xmlns='https://rslstandard.org/rsl'><content url='/b'><license/></content></rsl>";
        let licence = files.write("licence.xml", licence.as_bytes());
        with(read("filter", &page(files), []), n, |i| {
            format!("--rsl={}={licence}", url(i))
        })
    }),
];

fn bot(number: usize) -> String {
    format!("--bot=bot{number}")
}

/// Writes a page of a hundred elements with classes, attributes and comments. Returns the path of
/// the page.
fn page(files: &Files) -> String {
    let html = "<p class='a b' data-x=y>word<!--menu--><b class=robots-noindex>x</b>".repeat(100);
    files.members("x.jsonl", 1, |i| line(&url(i), &html))
}

fn of_page<const N: usize>(
    files: &Files,
    verb: &str,
    html: &str,
    options: [&str; N],
) -> Vec<String> {
    let input = files.write("x.jsonl", &line(SITE, html));
    read(verb, &input, options)
}
