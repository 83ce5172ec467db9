//! Compares the time for reading pages once for 16 bots with the time for reading them for one of
//! these bots.
//!
//! `cargo bench --bench bots` prints ratios: the time for 16 bots divided by the time for one bot.
//! Both are measured side by side in one run, and the best of several rounds counts. The benchmark
//! fails if a ratio is above 1.3. The whole work is timed: the pass, and each bot's phrases, title,
//! headings, alternative texts and links. Pages are generated, with text or with many links; real
//! pages are added if `HEEDFUL_DATA` is set. There are four sets of pages. The first names no bot,
//! and each page of the second names some bots. In the third, every bot but one has a META of its
//! own. In the fourth, every bot but one has an HTML class of its own on some paragraphs and items.
//! The one bot for which pages are read alone is never named. The cost of the JSON is printed
//! separately. JSON is written once per bot, even if the bots have equal pages.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[path = "support/look.rs"]
mod look;
#[path = "../tests/support/mod.rs"]
mod real;
#[allow(dead_code, reason = "benchmarks share it")]
mod support;

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use heedful::{Bot, Filter, Page};
use heedful_json::PageJson;

use look::look;

const MOST: f64 = 1.3;
const BOTS: usize = 16;
const ROUNDS: usize = 11;
const URL: &str = "https://site.example/dir/page";

/// Callback that adds directives for single bots to a page. The arguments are the number of the
/// page and its HTML.
type Naming = fn(usize, &[u8]) -> Vec<u8>;

const NAMINGS: [(&str, Naming); 4] = [
    ("all equal", |_, page| page.to_vec()),
    ("some named", naming_some),
    ("each named", naming_each),
    ("each named throughout", naming_throughout),
];

fn main() {
    let text: Vec<_> = (0..40).map(text).collect();
    let links: Vec<_> = (0..40).map(links).collect();
    let real = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(real::pages);
    let real: Vec<_> = real.map(|page| page.html).collect();
    let mut worst: f64 = 0.0;
    for (name, pages) in [("text", &text), ("links", &links), ("real", &real)] {
        for (naming, named) in NAMINGS {
            let pages = pages
                .iter()
                .enumerate()
                .map(|(number, page)| named(number, page));
            let pages: Vec<_> = pages.filter(|page| is_whole(page)).collect();
            if !pages.is_empty() {
                let name = format!("{name}, {naming}");
                worst = worst.max(ratio(&name, &pages));
                json(&pages);
            }
        }
    }
    assert!(
        worst <= MOST,
        "{BOTS} bots take {worst:.3} of the time that one takes"
    );
}

fn filter(bots: usize) -> Filter {
    Filter::for_bots(
        (0..bots)
            .map(|number| Bot::new(&name(number)).unwrap())
            .collect(),
    )
    .unwrap()
}

fn name(number: usize) -> String {
    format!("bot{number}")
}

fn pages(filter: &Filter, page: &[u8]) -> Vec<Page> {
    let mut pass = filter.open(URL).unwrap();
    pass.write(page).unwrap();
    pass.end_each().unwrap()
}

fn is_whole(page: &[u8]) -> bool {
    filter(1).page(URL, &[], page).is_ok()
}

fn ratio(name: &str, all: &[Vec<u8>]) -> f64 {
    let (one, many) = (filter(1), filter(BOTS));
    let read = |filter: &Filter, page: &[u8]| {
        black_box(pages(filter, page).iter().map(look).sum::<usize>());
    };
    let works: [support::Work<'_>; 2] = [
        ("one bot", &|page| read(&one, page)),
        ("16 bots", &|page| read(&many, page)),
    ];
    support::ratio(name, all, ROUNDS, works)
}

/// Measures the time for writing the JSON of pages. The time for reading the pages is not included.
fn json(all: &[Vec<u8>]) {
    let (one, many) = (filter(1), filter(BOTS));
    let milliseconds = |filter: &Filter| {
        let mut spent = Duration::ZERO;
        for page in all {
            let pages = pages(filter, page);
            let started = Instant::now();
            for page in &pages {
                serde_json::to_writer(std::io::sink(), &PageJson::page(page)).unwrap();
            }
            spent += started.elapsed();
        }
        spent.as_secs_f64() * 1e3
    };
    println!(
        "    JSON apart: one bot {:.1} ms, 16 bots {:.1} ms",
        milliseconds(&one),
        milliseconds(&many)
    );
}

/// Returns the page with METAs for five bots. The first bot is never among them, so no META
/// restricts it.
fn naming_some(number: usize, page: &[u8]) -> Vec<u8> {
    let words = [
        "noindex",
        "nofollow",
        "noarchive",
        "nosnippet",
        "max-snippet:50",
    ];
    let metas = words
        .iter()
        .zip(number..)
        .map(|(word, at)| meta(1 + at % (BOTS - 1), word));
    [metas.collect::<String>().as_bytes(), page].concat()
}

/// Returns a page with a different META for each bot except the first.
fn naming_each(_: usize, page: &[u8]) -> Vec<u8> {
    let metas = (1..BOTS).map(|bot| {
        meta(
            bot,
            &format!("max-snippet:{bot}, {}", ["nofollow", "noarchive"][bot % 2]),
        )
    });
    [metas.collect::<String>().as_bytes(), page].concat()
}

/// Returns the page with each paragraph and item withheld from a different bot, so that no two bots
/// get the same text.
fn naming_throughout(_: usize, page: &[u8]) -> Vec<u8> {
    let mut named: String = (1..BOTS)
        .map(|bot| {
            format!(
                "<meta name=RobotExclusion.RobotName{bot} content={}>",
                name(bot)
            )
        })
        .collect();
    let page = String::from_utf8_lossy(page);
    let mut rest = &*page;
    let mut bot = 0;
    while let Some(at) = ["<p>", "<p ", "<li>", "<li "]
        .iter()
        .filter_map(|tag| rest.find(tag))
        .min()
    {
        let end = at + rest[at..].find([' ', '>']).unwrap_or(0);
        bot = bot % (BOTS - 1) + 1;
        write!(named, "{} class=robot{bot}-noindex", &rest[..end]).unwrap();
        rest = &rest[end..];
    }
    named.push_str(rest);
    named.into_bytes()
}

fn meta(bot: usize, words: &str) -> String {
    format!("<meta name={} content='{words}'>", name(bot))
}

/// Returns a generated page like those of today's sites, with more markup than text.
fn text(number: usize) -> Vec<u8> {
    let mut page =
        format!("<!DOCTYPE html><html lang=en><head><title>Page {number}</title></head><body>");
    for item in 0..300 {
        write!(
            page,
            "<div class=\"card col-md-6 text-muted\" data-id=\"{item}\"><h3 class=\"h5\">Item {item}</h3>\
             <img class=\"thumb\" src=\"/pictures/{item}.jpg\" alt=\"A fox, {item} times\">\
             <p class=\"mt-2\">The quick brown fox jumps over the <em>lazy</em> dog, again and again, until the dog is no \
             longer lazy &amp; the fox no longer quick.</p><a class=\"nav-link\" href=\"/item/{item}\">More of it</a></div>"
        )
        .unwrap();
    }
    page.into_bytes()
}

/// Returns a generated page that consists mostly of links.
fn links(number: usize) -> Vec<u8> {
    let mut page = format!("<!DOCTYPE html><title>Page {number}</title><body><ul>");
    for item in 0..1500 {
        let rel = if item % 10 == 0 { " rel=nofollow" } else { "" };
        write!(
            page,
            "<li><a href=\"../list/{item}?from={number}\"{rel}>Item {item}</a>"
        )
        .unwrap();
    }
    page.into_bytes()
}
