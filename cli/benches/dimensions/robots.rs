//! Dimensions of robots.txt files: sites, captures, redirects, options, and URLs that are checked.

use crate::Row;
use crate::files::{Files, SITE, each, read, site, with, words};
use crate::made::{http, page, robots, warc};

const RULES: &str = "User-agent: *\nDisallow: /b\n";

pub(crate) const ROWS: &[Row] = &[
    ("sites with a robots.txt and a page", 250, |files, n| {
        let records = |i| {
            [
                robots(&site(i), RULES),
                page(&format!("{}/a", site(i)), "a"),
            ]
            .concat()
        };
        read("filter", &files.members("x.warc", n, records), [])
    }),
    (
        "robots.txt files, each before the page of another site",
        250,
        |files, n| {
            let rules = each(n, |i| robots(&site(i), RULES));
            let pages = each(n, |i| page(&format!("{}/a", site(n - i)), "a"));
            read(
                "filter",
                &files.write("x.warc", &[rules, pages].concat().concat()),
                [],
            )
        },
    ),
    // A limit, `robots_answers`, ends this at 256.
    ("captures of one robots.txt", 25, |files, n| {
        let rules = each(n, |i| {
            robots(SITE, &format!("User-agent: *\nDisallow: /{i}"))
        });
        let pages = each(100, |i| page(&format!("{SITE}/a{i}"), "a"));
        read(
            "filter",
            &files.write("x.warc", &[rules, pages].concat().concat()),
            [],
        )
    }),
    ("equal captures of one robots.txt", 500, |files, n| {
        let rules = each(n, |_| robots(SITE, RULES));
        let pages = each(10, |i| page(&format!("{SITE}/a{i}"), "a"));
        read(
            "filter",
            &files.write("x.warc", &[rules, pages].concat().concat()),
            [],
        )
    }),
    (
        "sites whose robots.txt redirects to the next",
        250,
        |files, n| redirected(files, n, |i| site(i + 1)),
    ),
    (
        "sites whose robots.txt redirects to one",
        250,
        |files, n| redirected(files, n, |_| SITE.to_owned()),
    ),
    ("redirects of one robots.txt", 50, |files, n| {
        let records = each(n, |i| {
            [redirect(SITE, &site(i)), robots(&site(i), RULES)].concat()
        });
        let pages = each(10, |i| page(&format!("{SITE}/a{i}"), "a"));
        read(
            "filter",
            &files.write("x.warc", &[records, pages].concat().concat()),
            [],
        )
    }),
    (
        "robots.txt files of one site each, given",
        100,
        |files, n| {
            let rules = files.write("robots.txt", RULES.as_bytes());
            let given = |i| format!("--robots={}/={rules}", site(i));
            with(read("filter", &files.sites(10), []), n, given)
        },
    ),
    ("robots.txt files of all sites, given", 50, |files, n| {
        let rules = |i| format!("User-agent: *\nDisallow: /c{i}");
        let given = |i| {
            format!(
                "--robots={}",
                files.write(&format!("{i}.txt"), rules(i).as_bytes())
            )
        };
        with(read("filter", &files.pages(10), []), n, given)
    }),
    (
        "robots.txt files in an archive that is given",
        250,
        |files, n| {
            let rules = files.members("robots.warc", n, |i| robots(&site(i), RULES));
            read("filter", &files.sites(n), ["--robots", &rules])
        },
    ),
    (
        "rules of a robots.txt, for as many URLs",
        250,
        |files, n| read("filter", &files.pages(n), ["--robots", &rules(files, n)]),
    ),
    ("groups of a robots.txt", 250, |files, n| {
        let group = |i| format!("User-agent: bot{i}\nDisallow: /{i}");
        read(
            "filter",
            &files.pages(10),
            ["--robots", &files.lines("robots.txt", n, group)],
        )
    }),
    ("signals of a robots.txt", 250, |files, n| {
        let signal = |i| format!("Content-Signal: /{i} ai-train=no");
        read(
            "filter",
            &files.pages(10),
            ["--robots", &files.lines("robots.txt", n, signal)],
        )
    }),
    ("licences of a robots.txt", 50, |files, n| {
        let licence = |i| format!("License: https://site.example/{i}.xml");
        read(
            "filter",
            &files.pages(10),
            ["--robots", &files.lines("robots.txt", n, licence)],
        )
    }),
    ("rules of a tdmrep.json", 250, |files, n| {
        let rule = |i| format!(r#"{{"location": "/{i}/b", "tdm-reservation": 1}}"#);
        let rules: Vec<String> = (0..n).map(rule).collect();
        let rules = files.write("tdmrep.json", format!("[{}]", rules.join(",")).as_bytes());
        read("filter", &files.pages(10), ["--tdmrep", &rules])
    }),
    ("contents of a licence", 250, |files, n| {
        let content = |i| {
            format!(
                r#"<content url="/{i}/b"><license><prohibits type="usage">ai-train</prohibits></license></content>"#
            )
        };
        let contents: String = (0..n).map(content).collect();
        let licence = format!(r#"<rsl xmlns="https://rslstandard.org/rsl">{contents}</rsl>"#);
        let licence = files.write("licence.xml", licence.as_bytes());
        let rules = files.write("robots.txt", b"License: /licence.xml");
        let given = format!("{SITE}/licence.xml={licence}");
        read(
            "filter",
            &files.pages(10),
            ["--robots", &rules, "--rsl", &given],
        )
    }),
    ("rules that a check lists", 500, |files, n| {
        words(["check", "--rules", "-r", &rules(files, n)])
    }),
    ("URLs of a check", 1000, |files, n| {
        words(["check", "-r", &rules(files, 10), "--urls", &files.urls(n)])
    }),
    ("URLs of a check, for as many rules", 250, |files, n| {
        words(["check", "-r", &rules(files, n), "--urls", &files.urls(n)])
    }),
    (
        "URLs by which two robots.txt files differ",
        1000,
        |files, n| {
            let old = files.write("old.txt", RULES.as_bytes());
            words([
                "check",
                "--urls",
                &files.urls(n),
                "--diff",
                &old,
                &rules(files, 10),
            ])
        },
    ),
    ("bots of a check", 100, |files, n| {
        let check = words(["check", "-r", &rules(files, 10), "/a", "/b"]);
        with(check, n, |i| format!("--bot=bot{i}"))
    }),
    ("findings in a robots.txt", 250, |files, n| {
        let rules = files.lines("robots.txt", n, |i| format!("Disalow /{i}"));
        words(["lint", "-q", "--robots", &rules])
    }),
];

/// Writes a robots.txt with `n` rules, and returns the path of the file.
fn rules(files: &Files, n: usize) -> String {
    let rules: String = (0..n).map(|i| format!("Disallow: /{i}/b\n")).collect();
    files.write("robots.txt", format!("User-agent: *\n{rules}").as_bytes())
}

/// Returns a WARC record that redirects the robots.txt of the site `from` to that of the site `to`.
fn redirect(from: &str, to: &str) -> Vec<u8> {
    let content = http(&format!("301 Moved\r\nLocation: {to}/robots.txt"), b"");
    warc("response", &format!("{from}/robots.txt"), "", &content)
}

/// Writes an archive of `n` sites, each with one page and a robots.txt that redirects to the site
/// that `to` returns. Returns the arguments with which the program reads the archive.
fn redirected(files: &Files, n: usize, to: impl Fn(usize) -> String) -> Vec<String> {
    let records = |i| {
        [
            redirect(&site(i), &to(i)),
            page(&format!("{}/a", site(i)), "a"),
        ]
        .concat()
    };
    let rules = robots(SITE, RULES);
    let records = each(n, records).concat();
    read(
        "filter",
        &files.write("x.warc", &[rules, records].concat()),
        [],
    )
}
