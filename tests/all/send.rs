//! Checks which types may move between threads, and may be held over an `.await`. Also checks that
//! a page does not depend on the threads that filter it, and that one file alone has `unsafe` code.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::Path;
use std::thread;

use heedful::{
    Bot, CutMark, Explanation, Filter, Page, PagePolicies, Pass, PolicyPass, Result, RobotsTxt,
    Sink, Snapshot,
};
use proptest::prelude::*;

use crate::soup;

const URL: &str = "https://site.example/dir/page";

/// Returns the content of a page, or the error, as text for comparison.
fn page_text(page: Result<Page>) -> String {
    let page = match page {
        Ok(page) => page,
        Err(error) => return error.to_string(),
    };
    let links: Vec<_> = page
        .links()
        .iter()
        .map(|link| (link.url(), link.text(), link.may_follow()))
        .collect();
    let notes: Vec<_> = page.notes().collect();
    format!(
        "{:?}\n{:?}\n{links:?}\n{notes:?}",
        page.title(),
        page.phrases()
    )
}

fn is_send<T: Send>() {}
fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn what_a_task_holds_is_send() {
    is_send::<Pass>();
    is_send::<Pass<Snapshot<Vec<u8>>>>();
    is_send::<PolicyPass>();
    is_send::<Snapshot<Vec<u8>>>();
    is_send_and_sync::<Filter>();
    is_send_and_sync::<RobotsTxt>();
    is_send_and_sync::<Page>();
    is_send_and_sync::<PagePolicies>();
    is_send_and_sync::<Explanation>();
}

/// Returns the Rust files below `folder` that contain the keyword `unsafe` or the name of its lint.
fn unsafe_files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(unsafe_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let source = fs::read_to_string(&path).unwrap();
            if ["unsafe {", "unsafe impl", "unsafe fn", "unsafe_code"]
                .iter()
                .any(|word| source.contains(word))
            {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found
}

#[test]
fn one_file_has_unsafe_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "crates", "cli/src", "python/src"].map(|name| root.join(name));
    let found: Vec<_> = folders
        .iter()
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| unsafe_files(folder))
        .collect();
    assert_eq!(found, ["builder.rs"]);
}

/// Passes `page` in pieces to a new pass into `sink`. Each piece is written on a thread of its own.
fn on_many_threads<S: Sink + Send>(
    filter: &Filter,
    sink: S,
    page: &[u8],
    piece: usize,
) -> Result<S> {
    let mut pass = filter.open_with(URL, sink)?;
    for piece in page.chunks(piece) {
        pass = thread::scope(|scope| {
            scope
                .spawn(move || pass.write(piece).map(|()| pass))
                .join()
                .unwrap()
        })?;
    }
    pass.into_sink()
}

proptest! {
    // Miri runs a page some ten thousand times as slowly.
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 64 }))]

    #[test]
    fn a_page_does_not_depend_on_the_threads(choices in prop::collection::vec(any::<u32>(), 40..400), piece in 1_usize..90) {
        let mut next = choices.iter().cycle();
        let mut choose = |below: usize| *next.next().unwrap() as usize % below.max(1);
        let soup = soup::page(40, &mut choose);
        let filter = Filter::new(Bot::new("FooBot").unwrap());
        let moved = thread::scope(|scope| {
            let pass = soup.as_bytes().chunks(piece).try_fold(filter.open(URL).unwrap(), |mut pass, piece| {
                scope.spawn(move || pass.write(piece).map(|()| pass)).join().unwrap()
            });
            page_text(pass.and_then(|pass| pass.end()))
        });
        prop_assert_eq!(moved, page_text(filter.page(URL, &[], soup.as_bytes())), "{}", soup);
        let snapshot = || Snapshot::new(Vec::new(), CutMark::new("[...]"));
        let here = |sink| {
            let mut pass = filter.open_with(URL, sink)?;
            pass.write(soup.as_bytes())?;
            pass.into_sink()
        };
        let inner = |outcome: Result<Snapshot<Vec<u8>>>| format!("{:?}", outcome.map(Snapshot::into_inner));
        prop_assert_eq!(inner(on_many_threads(&filter, snapshot(), soup.as_bytes(), piece)), inner(here(snapshot())), "{}", soup);
    }
}
