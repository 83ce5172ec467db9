//! Opens copies with all additions (`--dress`) in Chromium. Whatever the arrangement of tags in a
//! page, no script of its copy runs, links lead to the publisher's site, and the banner is visible.
//!
//! Without Chromium the tests print that it is missing and pass; with `HEEDFUL_BROWSER=1` they fail
//! instead. Copies of the same pages without the additions run their scripts, so the test would
//! notice a script.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::run;
use crate::devtools::Browser;

const RUN: &str = "document.documentElement.dataset.ran=1";

/// Pages with tags that may be mistaken for the beginning of the head, but are in the wrong
/// position. `{S}` is replaced by a script.
const SHAPES: [&str; 24] = [
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
];

fn page(shape: &str) -> String {
    shape
        .replace("{S}", &format!("<script>{RUN}</script>"))
        .replace("{R}", RUN)
}

/// Script that returns three booleans about a copy. They say if a script ran, if a link leads to
/// the publisher's site, and if the banner is the visible element at the lower edge.
const LOOK: &str = "new Promise(done => setTimeout(() => {
    const link = document.createElement('a');
    link.href = 'x';
    const seen = document.elementFromPoint(5, innerHeight - 5);
    done([!!document.documentElement.dataset.ran, link.href == 'https://site.example/dir/x',
        !!seen && seen.textContent.startsWith('A copy of https://site.example/dir/page')]);
}, 50))";

#[test]
fn no_shape_of_a_page_runs_a_script_or_hides_the_bar() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let (source, copy) = (
        folder.path().join("page.html"),
        folder.path().join("copy.html"),
    );
    let mut looked = |shape: &str, more: &[&str]| -> Value {
        fs::write(&source, page(shape)).unwrap();
        let (from, to) = (source.to_str().unwrap(), copy.to_str().unwrap());
        let arguments = [
            "snapshot",
            "--input",
            "html",
            from,
            "-u",
            "https://site.example/dir/page",
            "-o",
            to,
        ];
        let (status, _, told) = run(&[&arguments, more].concat(), "");
        assert_eq!(status, 0, "{shape}: {told}");
        browser.open(&copy);
        browser.value(LOOK)
    };
    let ran = SHAPES
        .iter()
        .filter(|shape| looked(shape, &[])[0] == true)
        .count();
    // In one shape HTML has no script: its only script is in a part that is cut.
    assert!(
        ran >= SHAPES.len() - 1,
        "{ran} of {} run a script as they are",
        SHAPES.len()
    );
    for shape in SHAPES {
        assert_eq!(
            looked(shape, &["--dress"]),
            serde_json::json!([false, true, true]),
            "{shape}"
        );
        assert_eq!(looked(shape, &["--no-scripts"])[0], false, "{shape}");
    }
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
