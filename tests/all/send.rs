//! Checks which types may move between threads, and may be kept over an `.await`. Also checks that
//! a page does not depend on the threads that collect it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::thread;

use heedful::{
    Bot, BufferedPass, CutMark, Explanation, Filter, Limits, Page, PagePolicies, Result, RobotsTxt,
    Snapshot,
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
    is_send::<BufferedPass>();
    is_send::<Snapshot<Vec<u8>>>();
    is_send_and_sync::<Filter>();
    is_send_and_sync::<RobotsTxt>();
    is_send_and_sync::<Page>();
    is_send_and_sync::<PagePolicies>();
    is_send_and_sync::<Explanation>();
}

#[test]
fn a_page_that_must_pass_the_limit_is_given_up() {
    let filter = Filter::new(Bot::new("FooBot").unwrap()).limits(Limits::default().page_bytes(100));
    let mut page = BufferedPass::new(&filter, URL).unwrap();
    page.write(&[b'a'; 200]).unwrap();
    let told = page.write(&[b'a'; 2]).unwrap_err();
    assert_eq!(told.passed_limit(), Some("page_bytes"));
    let mut page = BufferedPass::new(&filter, URL).unwrap();
    page.write(&[b'a'; 101]).unwrap();
    assert_eq!(page.end().unwrap_err().passed_limit(), Some("page_bytes"));
    assert!(BufferedPass::new(&filter, "no URL").is_err());
}

#[test]
fn robots_txt_and_headers_count() {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let mut page = BufferedPass::new(&filter, URL).unwrap();
    page.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /dir/"));
    page.write(b"one").unwrap();
    assert!(page.end().unwrap().robots_denial().is_some());
    let mut page = BufferedPass::new(&filter, URL).unwrap();
    page.header("X-Robots-Tag", "noindex");
    page.write(b"one").unwrap();
    assert!(page.end().unwrap().phrases().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_page_does_not_depend_on_the_threads(choices in prop::collection::vec(any::<u32>(), 40..400), piece in 1_usize..90) {
        let mut next = choices.iter().cycle();
        let mut choose = |below: usize| *next.next().unwrap() as usize % below.max(1);
        let soup = soup::page(40, &mut choose);
        let filter = Filter::new(Bot::new("FooBot").unwrap());
        let collected = |copy: bool| {
            let page = soup.as_bytes().chunks(piece).try_fold(BufferedPass::new(&filter, URL).unwrap(), |mut page, piece| {
                thread::scope(|scope| scope.spawn(move || page.write(piece).map(|()| page)).join().unwrap())
            });
            let snapshot = Snapshot::new(Vec::new(), CutMark::new("[...]"));
            let page = page.unwrap();
            match copy {
                true => format!("{:?}", page.into_pass(snapshot).and_then(|pass| pass.into_sink()).map(Snapshot::into_inner)),
                false => page_text(page.end()),
            }
        };
        let read = |copy: bool| {
            let snapshot = Snapshot::new(Vec::new(), CutMark::new("[...]"));
            if copy {
                let mut pass = filter.open_with(URL, snapshot).unwrap();
                let written = pass.write(soup.as_bytes());
                format!("{:?}", written.and_then(|()| pass.into_sink()).map(Snapshot::into_inner))
            } else {
                page_text(filter.page(URL, &[], soup.as_bytes()))
            }
        };
        for copy in [false, true] {
            prop_assert_eq!(collected(copy), read(copy), "{}", soup);
        }
    }
}
