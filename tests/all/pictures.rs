//! Takes pictures of real pages and their snapshots in a browser, for a person to look at.
//!
//! `HEEDFUL_PICTURES=DIR cargo test -p heedful --test all pictures:: -- --nocapture` writes the
//! pictures to DIR. The test asserts that a browser shows something of each snapshot, and a mark
//! where content was left out. Without Chromium, or without real pages, the test prints that it is
//! skipped, and passes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stderr, reason = "a test that skips says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

use heedful::{Bot, CutMark, Dressing, Filter};

use crate::support;

const PAGES: usize = 10;

fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

/// Takes a picture of a page in a browser that runs no script and has no network. `picture` is the
/// path of the image file.
fn picture(chromium: &Path, page: &Path, picture: &Path) {
    let profile = tempfile::TempDir::new().unwrap();
    let status = Command::new(chromium)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1000,1400",
        ])
        .args([
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--timeout=10000",
            "--virtual-time-budget=2000",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(
        picture.is_file(),
        "{}: {}",
        page.display(),
        String::from_utf8_lossy(&status.stderr)
    );
}

/// Returns the page with a denying HTML class on its third paragraph, list or table. Returns None
/// if there is no such element.
fn with_a_class(text: &str) -> Option<String> {
    let starts: Vec<_> = ["<p>", "<ul>", "<table>", "<p ", "<ul ", "<table "]
        .iter()
        .flat_map(|tag| text.match_indices(tag).map(|(at, tag)| at + tag.len() - 1))
        .collect();
    let mut starts = starts
        .into_iter()
        .filter(|at| *at > text.len() / 4)
        .collect::<Vec<_>>();
    starts.sort_unstable();
    let chosen: Vec<_> = starts.into_iter().step_by(3).take(6).collect();
    if chosen.is_empty() {
        return None;
    }
    let mut page = text.to_owned();
    for at in chosen.into_iter().rev() {
        page.insert_str(at, " class=robots-noarchive");
    }
    Some(page)
}

#[test]
fn before_and_after() {
    let Some(chromium) = chromium() else {
        return eprintln!("SKIPPED: no Chromium");
    };
    let filter = Filter::new(Bot::new("FooBot").unwrap()).snapshots();
    let mark = CutMark::new("[...]").class("cut");
    let dressing = Dressing::default().mark(mark).no_scripts();
    let kept = tempfile::TempDir::new().unwrap();
    let folder =
        std::env::var_os("HEEDFUL_PICTURES").map_or_else(|| kept.path().to_owned(), PathBuf::from);
    std::fs::create_dir_all(&folder).unwrap();
    let pages = support::pages("real-pages.jsonl.gz")
        .into_iter()
        .filter_map(|real| {
            let text = String::from_utf8(real.html).ok()?;
            let text = with_a_class(&text)?;
            let snapshot = filter
                .page("https://site.example/", &[], text.as_bytes())
                .ok()?
                .snapshot(&dressing)?;
            snapshot
                .contains("[...]")
                .then_some((real.id, text, snapshot))
        });
    for (id, text, snapshot) in pages.step_by(12).take(PAGES) {
        for (name, html) in [("before", &text), ("after", &snapshot)] {
            let page = folder.join(format!("{id}-{name}.html"));
            std::fs::write(&page, html).unwrap();
            let png = page.with_extension("png");
            picture(&chromium, &page, &png);
            // A picture of a single colour compresses to very few bytes.
            assert!(
                std::fs::metadata(&png).unwrap().len() > 4000,
                "{id}: nothing is to be seen {name}"
            );
        }
    }
}
