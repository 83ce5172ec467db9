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

use crate::floors::rust_files;
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

fn has_unsafe_code(path: &Path) -> bool {
    let source = fs::read_to_string(path).unwrap();
    ["unsafe {", "unsafe impl", "unsafe fn", "unsafe_code"]
        .iter()
        .any(|word| source.contains(word))
}

#[test]
fn one_file_has_unsafe_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "crates", "cli/src", "python/src"] {
        // A package of the filter comes without the other folders.
        if root.join(folder).is_dir() {
            files.extend(rust_files(&root.join(folder)));
        }
    }
    files.retain(|file| has_unsafe_code(file));
    assert_eq!(files, [root.join("src/tree/builder.rs")]);
}

/// Writes `page` to `pass` in pieces of `piece` bytes. Each piece is written on a thread of its own.
fn write_on_threads<S: Sink + Send>(
    mut pass: Pass<S>,
    page: &[u8],
    piece: usize,
) -> Result<Pass<S>> {
    for piece in page.chunks(piece) {
        pass = thread::scope(|scope| {
            scope
                .spawn(move || pass.write(piece).map(|()| pass))
                .join()
                .unwrap()
        })?;
    }
    Ok(pass)
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
        let page = soup.as_bytes();
        let moved = write_on_threads(filter.open(URL).unwrap(), page, piece).and_then(|pass| pass.end());
        prop_assert_eq!(page_text(moved), page_text(filter.page(URL, &[], page)), "{}", soup);
        let open = || filter.open_with(URL, Snapshot::new(Vec::new(), CutMark::new("[...]"))).unwrap();
        let copy = |pass: Result<Pass<Snapshot<Vec<u8>>>>| {
            format!("{:?}", pass.and_then(Pass::into_sink).map(Snapshot::into_inner))
        };
        let mut here = open();
        let here = here.write(page).map(|()| here);
        prop_assert_eq!(copy(write_on_threads(open(), page, piece)), copy(here), "{}", soup);
    }
}
