//! Opens copies with additions (`--dress`, `--no-scripts`) in Chromium, Firefox and `WebKitGTK`. Whatever
//! the arrangement of tags in a page, no script of its copy runs, links lead to the publisher's site,
//! and the banner is visible. No script runs in pages of tag soup either, wherever it is in them.
//!
//! Without a browser its tests print that it is missing and pass; with `HEEDFUL_BROWSER=1` they fail
//! instead. Copies of the same pages without the additions run their scripts, so the tests would
//! notice a script. `HEEDFUL_PAGES` is the number of pages of soup, and `HEEDFUL_SEED` chooses them:
//! `HEEDFUL_PAGES=1000 cargo test -p heedful-cli --features full --test program -- dressed:: --nocapture`

#![allow(clippy::print_stdout, reason = "a test tells what it looked at")]

use std::fs;

use heedful::{Bot, Dressing, Filter};
use heedful_verify::Engine;
use tempfile::TempDir;

use crate::command::run;
use crate::soup;
use crate::stage::{Stage, script};
use crate::support::chance::next;

/// Pages with tags that may be mistaken for the beginning of the head, but are in the wrong
/// position. `{S}` is replaced by a script.
const SHAPES: [&str; 25] = [
    "{S}<html><p>word",
    "{S}<!doctype html><html><head></head><p>word",
    "<!doctype html>{S}<html><head><title>t</title></head><p>word",
    "<!doctype html><title>t</title>{S}<head><p>word",
    "<template><head></template>{S}<p>word",
    "<template><html><head></template>{S}<p>word",
    "<svg><head></svg>{S}<p>word",
    "<svg><!doctype html></svg>{S}<p>word",
    "<iframe><head></iframe>{S}<p>word",
    "<math><mi><head></math>{S}<p>word",
    "<select><head></select>{S}<p>word",
    "<table><head></table>{S}<p>word",
    "<div><template shadowrootmode=open><head>{S}</template></div><p>word",
    "<img src=x: onerror='{R}'><html><head><p>word",
    "<noframes><head></noframes>{S}<p>word",
    "<title><head></title>{S}<p>word",
    "<textarea><head></textarea>{S}<p>word",
    "<!-- <head> --><!doctype html>{S}<head><p>word",
    "\u{FEFF}<!doctype html><html><head>{S}</head><p>word",
    " \n<!-- first --><?xml?>\n<!doctype html><body onload='{R}'>{S}<p>word",
    "text{S}<!doctype html><html><head></head><p>word",
    "\0<!doctype html>{S}<head><p>word",
    "<p class=robots-noarchive>gone{S}</p><html><head>{S}<p>word",
    "<!doctype html><style>body *{display:none!important;visibility:hidden!important;opacity:0!important}</style>{S}<p>word",
    "<!doctype html><style>div::first-line,div::first-letter{font-size:0!important;color:transparent!important}\
        div::before,div::after{content:'gone'!important;position:fixed!important;inset:0!important;background:#fff!important}</style>{S}<p>word",
];

fn page(shape: &str, number: usize) -> String {
    let run = script(number);
    shape
        .replace("{S}", &format!("<script>{run}</script>"))
        .replace("{R}", &run)
}

fn shapes_run_nothing(engine: Engine) {
    let (folder, stage) = (TempDir::new().unwrap(), Stage::new());
    let source = folder.path().join("page.html");
    let numbered: Vec<_> = SHAPES.iter().enumerate().collect();
    let copies = |more: &[&str]| -> Vec<String> {
        let copy = |(number, shape): &(usize, &&str)| {
            fs::write(&source, page(shape, *number)).unwrap();
            let from = ["snapshot", "--input", "html", source.to_str().unwrap()];
            let (status, copy, told) = run(&[&from[..], &["-u", &stage.url], more].concat(), "");
            assert_eq!(status, 0, "{shape}: {told}");
            copy
        };
        numbered.iter().map(copy).collect()
    };
    let Some(seen) = stage.show(engine, copies(&[])) else {
        return;
    };
    let ran = seen.iter().filter(|seen| seen["ran"] == true).count();
    // In one shape HTML has no script: its only script is in a part that is cut.
    assert!(
        ran >= SHAPES.len() - 1,
        "{engine}: {ran} of {} run a script as they are",
        SHAPES.len()
    );
    for more in ["--dress", "--no-scripts"] {
        let stage_of_these = Stage::new();
        let seen = stage_of_these.show(engine, copies(&[more])).unwrap();
        for (seen, shape) in seen.iter().zip(SHAPES) {
            assert_eq!(seen["ran"], false, "{engine}, {more}: {shape}");
            if more == "--dress" {
                let link = stage.url.replace("/page", "/x");
                assert_eq!(seen["link"], link.as_str(), "{engine}: {shape}: {seen}");
                assert_eq!(seen["bar"], true, "{engine}: {shape}: {seen}");
            }
        }
    }
}

/// The policy against scripts stands before every element of the page. Behind one, it would come too
/// late, or no browser would read it.
#[test]
fn the_additions_stand_before_all_elements() {
    let filter = Filter::new(Bot::new("FooBot").unwrap()).snapshots();
    let dressing = Dressing::default().base().no_scripts().banner("A copy");
    for (number, shape) in SHAPES.iter().enumerate() {
        let html = page(shape, number);
        let page = filter.page("https://site.example/", &[], html.as_bytes());
        let copy = page.unwrap().snapshot(&dressing).unwrap();
        let (before, _) = copy.split_once("Content-Security-Policy").expect(shape);
        // A comment may hold any text.
        let plain = before.replace("<!-- <head> -->", "");
        let elements = plain.match_indices('<').filter(|(at, _)| {
            let rest = &plain[*at..];
            !["<!", "<?", "<meta charset", "<base ", "<meta http-equiv"]
                .iter()
                .any(|own| rest.starts_with(own))
        });
        assert_eq!(elements.count(), 0, "{shape}: {copy}");
    }
}

#[test]
fn no_shape_of_a_page_runs_a_script_or_hides_the_bar_in_chromium() {
    shapes_run_nothing(Engine::Chromium);
}

#[test]
fn no_shape_of_a_page_runs_a_script_or_hides_the_bar_in_firefox() {
    shapes_run_nothing(Engine::Firefox);
}

#[test]
fn no_shape_of_a_page_runs_a_script_or_hides_the_bar_in_webkit() {
    shapes_run_nothing(Engine::WebKit);
}

/// What runs a script in a page. `{R}` is replaced by the script, which has no quotes.
const RUNS: [&str; 16] = [
    "<script>{R}</script>",
    "<script>{R}</script>",
    "<script type=module>{R}</script>",
    "<script src='data:text/javascript,{R}'></script>",
    "<svg><script>{R}</script></svg>",
    "<svg onload='{R}'></svg>",
    "<img src=x: onerror='{R}'>",
    "<body onload='{R}' onpageshow='{R}'>",
    "<iframe src='javascript:{R}'></iframe>",
    "<iframe srcdoc='<script>{R}</script>'></iframe>",
    "<iframe src='data:text/html,<script>{R}</script>'></iframe>",
    "<object data='data:text/html,<script>{R}</script>'></object>",
    "<embed src='data:text/html,<script>{R}</script>'>",
    "<input autofocus onfocus='{R}'>",
    "<details open ontoggle='{R}'><summary>s</summary></details>",
    "<style onload='{R}'>x{}</style>",
];

/// Returns a page of soup with something that runs a script before and behind each tag. In every
/// second page it is always a plain script.
fn scripted(number: usize, choose: &mut impl FnMut(usize) -> usize) -> String {
    let soup = soup::page(4 + choose(20), choose);
    let mut page = String::new();
    let mut add = |page: &mut String| {
        let kind = if number.is_multiple_of(2) {
            0
        } else {
            choose(RUNS.len())
        };
        page.push_str(&RUNS[kind].replace("{R}", &script(number)));
    };
    add(&mut page);
    for piece in soup.split_inclusive('>') {
        match piece.split_once('<') {
            Some((text, tag)) if !text.is_empty() => {
                page.push_str(text);
                add(&mut page);
                page.push('<');
                page.push_str(tag);
            }
            _ => page.push_str(piece),
        }
        add(&mut page);
    }
    page
}

/// Shows copies of pages of soup: `HEEDFUL_PAGES` of them, chosen by `HEEDFUL_SEED`.
fn soup_runs_nothing(engine: Engine) {
    let number = |name: &str, default: u64| {
        let told = std::env::var(name).ok();
        told.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seed, pages) = (number("HEEDFUL_SEED", 1), number("HEEDFUL_PAGES", 200));
    let stage = Stage::new();
    let filter = Filter::new(Bot::new("FooBot").unwrap()).snapshots();
    let plain = Dressing::default();
    let dressed = plain.clone().no_scripts();
    let (mut bare, mut copies, mut state) = (Vec::new(), Vec::new(), seed);
    while copies.len() < usize::try_from(pages).unwrap() {
        let page = scripted(copies.len(), &mut |n| next(&mut state) % n);
        // Of a page that is refused, or may not be kept, there is no copy.
        let Ok(page) = filter.page(&stage.url, &[], page.as_bytes()) else {
            continue;
        };
        if let Some(copy) = page.snapshot(&dressed) {
            bare.extend(page.snapshot(&plain));
            copies.push(copy);
        }
    }
    bare.truncate(100);
    let Some(seen) = stage.show(engine, bare.clone()) else {
        return;
    };
    let ran = seen.iter().filter(|seen| seen["ran"] == true).count();
    assert!(
        ran * 100 >= bare.len() * 95,
        "{engine}, seed {seed}: {ran} of {} run a script as they are",
        bare.len()
    );
    let seen = Stage::new().show(engine, copies.clone()).unwrap();
    let wrong: Vec<_> = seen
        .iter()
        .zip(&copies)
        .filter(|(seen, _)| seen["ran"] == true)
        .collect();
    println!(
        "{engine}, seed {seed}: {ran} of {} run a script without a policy, {} of {pages} with one",
        bare.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{engine}, seed {seed}: {:?}", wrong[0]);
}

#[test]
fn no_page_of_soup_runs_a_script_in_chromium() {
    soup_runs_nothing(Engine::Chromium);
}

#[test]
fn no_page_of_soup_runs_a_script_in_firefox() {
    soup_runs_nothing(Engine::Firefox);
}

#[test]
fn no_page_of_soup_runs_a_script_in_webkit() {
    soup_runs_nothing(Engine::WebKit);
}

/// The copy of a page with frames still has the frames. A banner would replace them, so it is
/// omitted.
#[test]
fn a_page_with_frames_keeps_them() {
    let page = "<!doctype html><title>t</title><frameset cols=*><frame src=/a></frameset>";
    let line = serde_json::json!({"url": "https://site.example/", "html": page}).to_string();
    let (_, copy, _) = run(&["snapshot", "--input", "jsonl", "--dress"], &line);
    assert!(
        copy.starts_with("<!doctype html><meta charset=") && !copy.contains("<div"),
        "{copy}"
    );
    assert!(
        copy.ends_with("<title>t</title><frameset cols=*><frame src=/a></frameset>"),
        "{copy}"
    );
}

/// Withheld text before the head is cut from a copy, even if the copy's head gets additions.
#[test]
fn what_is_withheld_before_the_head_stays_withheld() {
    let page = "<p class=robots-noarchive>secret</p><html><head><title>t</title><p>word";
    let line = serde_json::json!({"url": "https://site.example/", "html": page}).to_string();
    for more in ["--dress", "--no-scripts", "--base", "--banner"] {
        let (_, copy, _) = run(&["snapshot", "--input", "jsonl", more], &line);
        assert!(
            copy.contains("word") && !copy.contains("secret"),
            "{more}: {copy}"
        );
    }
}
