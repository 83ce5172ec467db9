//! Measures the cost of tracking which elements contain each token of a page.
//!
//! `cargo bench --bench tree` prints time and memory, and fails if one of these does not hold:
//! * 100 MB of paragraphs with one marked element at the start: memory grows by less than 8 MB, and
//!   the throughput is at least half of that without the tree (both measured side by side).
//! * Hard pages, whose size is doubled twice: the time grows linearly, or the page exceeds a limit
//!   within a second per 5 MB.
//!
//! `cargo bench --bench tree -- FACTOR` makes all pages smaller by that factor. It works on Linux
//! only, because it reads the process's own peak memory from /proc.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[allow(dead_code, reason = "benchmarks share it")]
mod support;

use std::fmt::Write;
use std::time::Instant;

use heedful::{Bot, Conventions, ErrorKind, Filter, Limits};
use support::{Nothing, peak};

const MARK: &str = "<p class=robots-noindex>withheld</p>";
const MOST_GROWTH: u64 = 8 << 20;
const SECONDS_PER_MB: f64 = 0.2;
/// Maximum factor by which the time per byte may grow if a page becomes four times as long. The
/// factor is generous, because machines are noisy.
const LINEAR: f64 = 2.5;

fn main() {
    let factor: usize = std::env::args()
        .find_map(|argument| argument.parse().ok())
        .unwrap_or(1);
    paragraphs(100_000_000 / factor);
    let mut failed = Vec::new();
    for (name, shape) in repeated().into_iter().chain(behind_many()).chain(odd()) {
        failed.extend(hard(name, &shape, 1_250_000 / factor));
    }
    assert!(
        failed.is_empty(),
        "neither linear nor ended at a limit in time: {failed:?}"
    );
}

fn filter(conventions: &str) -> Filter {
    let limits = Limits::default().page_bytes(u64::MAX).tokens(u64::MAX);
    Filter::new(Bot::new("FooBot").unwrap())
        .limits(limits)
        .conventions(Conventions::parse(conventions).unwrap())
}

fn paragraphs(size: usize) {
    let paragraph =
        "<p>The quick brown fox jumps over the lazy dog, and <b>again</b> &amp; again.\n";
    let piece = paragraph.repeat(64 * 1024 / paragraph.len());
    let run = |conventions: &str| {
        let started = Instant::now();
        let mut pass = filter(conventions)
            .open_with("https://site.example/", Nothing(0))
            .unwrap();
        pass.write(MARK.as_bytes()).unwrap();
        for _ in 0..size / piece.len() {
            pass.write(piece.as_bytes()).unwrap();
        }
        assert!(pass.into_sink().unwrap().0 > 0);
        size as f64 / 1e6 / started.elapsed().as_secs_f64()
    };
    let without = "web,-profile,-profile-undeclared";
    run(without);
    let before = peak();
    run("web");
    let growth = peak() - before;
    let rounds: Vec<_> = (0..3).map(|_| (run(without), run("web"))).collect();
    let best = |side: fn(&(f64, f64)) -> f64| rounds.iter().map(side).fold(0.0, f64::max);
    let (off, on) = (best(|round| round.0), best(|round| round.1));
    println!(
        "paragraphs: {:.0} MB, tree off {off:.0} MB/s, on {on:.0} MB/s, ratio {:.2}, memory +{:.1} MB",
        size as f64 / 1e6,
        on / off,
        growth as f64 / 1e6
    );
    assert!(growth < MOST_GROWTH, "memory grew by {growth} bytes");
    assert!(on >= off / 2.0, "less than half as fast with the tree");
}

/// Callback that returns a page of about a given size in bytes.
type Shape = Box<dyn Fn(usize) -> String>;

/// Measures the time for a page at three sizes, each twice the one before. Returns `name` if the
/// time grows too steeply.
fn hard(name: &str, shape: &Shape, size: usize) -> Option<String> {
    let filter = filter("web");
    let mut times = Vec::new();
    let mut line = format!("{name:<34}");
    let mut limited = true;
    for size in [size, size * 2, size * 4] {
        let page = shape(size);
        let megabytes = page.len() as f64 / 1e6;
        let started = Instant::now();
        let mut pass = filter
            .open_with("https://site.example/", Nothing(0))
            .unwrap();
        let outcome = pass.write(page.as_bytes()).and_then(|()| pass.into_sink());
        let seconds = started.elapsed().as_secs_f64();
        let end = match outcome.as_ref().err().map(heedful::Error::kind) {
            None => "whole",
            Some(ErrorKind::Limit { name, .. }) => name,
            Some(_) => "refused",
        };
        limited &= end != "whole" && seconds / megabytes <= SECONDS_PER_MB;
        let _ = write!(line, "  {megabytes:4.1} MB {seconds:6.3} s {end:<13}");
        times.push(seconds / megabytes);
    }
    println!("{line} {:.2} s/MB", times[2]);
    let is_linear = times[2] <= times[0] * LINEAR;
    (!is_linear && !limited).then(|| name.to_owned())
}

/// Returns kinds of pages that repeat one piece after a marked element. Each has its name.
fn repeated() -> Vec<(&'static str, Shape)> {
    [
        ("nested div", "<div>"),
        ("nested ul li", "<ul><li>"),
        ("equal font", "<p><font color=red>x"),
        ("b", "<b>"),
        ("b x", "<b>x"),
        ("a i a", "<a><i>x</a>"),
        ("a div", "<a><div>x</a></div>"),
        ("b p", "<b><p>x</b></p>"),
        ("marked b p", "<b class=robots-noindex><p>x</b></p>"),
        (
            "marked b, allowed p",
            "<b class=robots-noindex><p class=robots-index>x</b></p>",
        ),
        ("marked spans", "<span class=robots-noindex>x</span>y"),
        ("tables", "<table><tr><td>x</table>"),
        ("nested tables", "<table><tr><td>x"),
        ("svg foreignObject", "<svg><foreignObject>x"),
        (
            "svg foreignObject, closed",
            "<svg><foreignObject>x</foreignObject></svg>",
        ),
        ("select option", "<select><option>x</select>"),
        ("one text", "word "),
        ("references", "&amp;"),
        ("less-than", "<"),
        ("comments", "<!--x-->"),
    ]
    .map(|(name, unit)| (name, behind(String::new(), unit)))
    .into()
}

/// Returns kinds of pages that repeat one piece while many elements are open. Each has its name.
fn behind_many() -> Vec<(&'static str, Shape)> {
    let (deep, marked) = (
        "<div>".repeat(400),
        "<div class=robots-noindex>".repeat(400),
    );
    vec![
        ("text in a table", behind("<table>".to_owned(), "x<b>y</b>")),
        ("deep, inline", behind(deep.clone(), "<i>x</i>")),
        ("deep, adopted p", behind(deep, "<a><p>x</a></p>")),
        ("deep marked, inline", behind(marked.clone(), "<i>x</i>")),
        (
            "deep marked, allowed",
            behind(marked.clone(), "<i class=robots-index>x</i>"),
        ),
        ("deep marked, adopted p", behind(marked, "<a><p>x</a></p>")),
        (
            "450 open b, inline",
            behind(numbered("<b c", ">", 450), "<i>x</i>"),
        ),
        (
            "450 open b, another b",
            behind(numbered("<b c", ">", 450), "<b d>x</b>"),
        ),
        (
            "450 open b, p",
            behind(numbered("<b c", ">", 450), "<p>x</p>"),
        ),
        (
            "200 b reopened",
            behind(format!("<p>{}", numbered("<b c", ">", 200)), "</p><p>x"),
        ),
    ]
}

fn odd() -> Vec<(&'static str, Shape)> {
    vec![
        (
            "open div, stray end tags",
            behind("<div>".repeat(500), "</x>"),
        ),
        (
            "p font N",
            Box::new(|size| format!("{MARK}{}", numbered("<p><font c", ">x", size / 17))),
        ),
        (
            "b N, closed",
            Box::new(|size| format!("{MARK}{}", numbered("<b c", ">x</b>", size / 14))),
        ),
        (
            "attributes of one tag",
            Box::new(|size| format!("{MARK}<b {}>x", " a=b".repeat(size / 4))),
        ),
        (
            "3,000 attributes",
            Box::new(|size| {
                let tag = format!("<b {}>x</b>", numbered("a", " ", 3000));
                format!("{MARK}{}", tag.repeat(size / tag.len()))
            }),
        ),
        (
            "one comment",
            Box::new(|size| format!("{MARK}<!--{}-->", "x".repeat(size))),
        ),
        (
            "one attribute",
            Box::new(|size| format!("{MARK}<b title='{}'>", "x".repeat(size))),
        ),
    ]
}

fn behind(prefix: String, unit: &'static str) -> Shape {
    Box::new(move |size| format!("{MARK}{prefix}{}", unit.repeat(size / unit.len())))
}

fn numbered(before: &str, after: &str, count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = write!(text, "{before}{number}{after}");
        text
    })
}
