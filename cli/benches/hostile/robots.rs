//! Hostile robots.txt files: matching them takes far more time than their size suggests. Each file
//! is in an archive with pages whose URLs match its patterns.

use crate::Make::Bytes;
use crate::Row;
use crate::archives::{plain, records};
use crate::made::{self, page};

pub(crate) const ROWS: &[Row] = &[
    (
        "10 stars, URLs of 2,000",
        Bytes(|good| site(good, &[format!("/{}b", "*a".repeat(10))], 2_000)),
    ),
    (
        "30 stars, URLs of 2,000",
        Bytes(|good| site(good, &[format!("/{}b", "*a".repeat(30))], 2_000)),
    ),
    (
        "4,000 stars, URLs of 8,000",
        Bytes(|good| site(good, &[format!("/{}b", "*a".repeat(4_000))], 8_000)),
    ),
    (
        "4,000 stars and an end, URLs of 8,000",
        Bytes(|good| site(good, &[format!("/{}b$", "*a".repeat(4_000))], 8_000)),
    ),
    (
        "20,000 rules of stars, URLs of 2,000",
        Bytes(|good| site(good, &vec![format!("/{}b", "*a".repeat(5)); 20_000], 2_000)),
    ),
    (
        "20,000 different rules of stars",
        Bytes(|good| site(good, &different(20_000), 2_000)),
    ),
    (
        "500 KB of patterns of 1,000, URLs of 8,000",
        Bytes(|good| site(good, &vec![format!("/*{}b", "a".repeat(1_000)); 490], 8_000)),
    ),
    (
        "robots.txt of 50 MB: many groups",
        Bytes(|good| long(good, "User-agent: b#\nDisallow: /#\n", 1_700_000)),
    ),
    (
        "robots.txt of 50 MB: one group",
        Bytes(|good| long(good, "Disallow: /#$\n", 2_400_000)),
    ),
    (
        "robots.txt of 50 MB: agents of one group",
        Bytes(|good| long(good, "User-agent: b#\n", 2_500_000)),
    ),
    (
        "robots.txt of 50 MB: one line",
        Bytes(|good| long(good, "Disallow: /a", 4_200_000)),
    ),
    (
        "robots.txt of 50 MB: ends of lines",
        Bytes(|good| long(good, "\n", 50_000_000)),
    ),
    (
        "robots.txt of 50 MB: NUL",
        Bytes(|good| long(good, "\0", 50_000_000)),
    ),
    (
        "400 robots.txt of 480 KB: many groups",
        Bytes(|good| many(good, "User-agent: b#\nDisallow: /#\n", 17_000)),
    ),
    (
        "400 robots.txt of 480 KB: agents of one group",
        Bytes(|good| many(good, "User-agent: b#\n", 29_000)),
    ),
];

const SITE: &str = "http://bad.example";

/// Returns an archive with one robots.txt of these rules, and 5 MB of pages. The URLs of the pages
/// have about `length` bytes. If `good` is true, there are two good pages too.
fn site(good: bool, rules: &[String], length: usize) -> Vec<u8> {
    let lines: String = rules
        .iter()
        .map(|rule| format!("Disallow: {rule}\n"))
        .collect();
    let robots = made::robots(SITE, &format!("User-agent: *\n{lines}"));
    let pages = (0..5_000_000 / length)
        .map(|n| page(&format!("{SITE}/{}{n}", "a".repeat(length)), "<p>word"));
    records(
        good,
        plain,
        &[robots].into_iter().chain(pages).collect::<Vec<_>>(),
    )
}

fn different(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("/*a*a{}*a*b{n}", "a".repeat(n % 10)))
        .collect()
}

/// Returns a compressed archive with one robots.txt and a thousand pages. The robots.txt has
/// `count` lines like `line`. If `good` is true, there are two good pages too.
fn long(good: bool, line: &str, count: usize) -> Vec<u8> {
    let robots = made::robots(SITE, &text(line, count));
    let pages = (0..1_000).map(|n| page(&format!("{SITE}/{n}"), "<p>word"));
    records(
        good,
        made::gz,
        &[robots].into_iter().chain(pages).collect::<Vec<_>>(),
    )
}

/// Returns a compressed archive of 400 sites, each with a robots.txt and five pages. A robots.txt
/// has `count` lines like `line`. If `good` is true, there are two good pages too.
fn many(good: bool, line: &str, count: usize) -> Vec<u8> {
    let text = text(line, count);
    let site = |site: usize| {
        let site = format!("http://bad{site}.example");
        let pages = (0..5).map({
            let site = site.clone();
            move |n| page(&format!("{site}/{n}"), "<p>word")
        });
        [made::robots(
            &site,
            &format!("{text}# {site}\nDisallow: /{site}\n"),
        )]
        .into_iter()
        .chain(pages)
    };
    records(good, made::gz, &(0..400).flat_map(site).collect::<Vec<_>>())
}

fn text(line: &str, count: usize) -> String {
    let lines = (0..count).map(|n| line.replace('#', &n.to_string()));
    format!("User-agent: *\n{}", lines.collect::<String>())
}
