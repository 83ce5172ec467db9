//! Checks that every real page gives the same JSON, however the page is cut, and whether or not its
//! tree is built.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use heedful::{Bot, Filter, Limits, Page, Result};
use heedful_json::PageJson;

use crate::support::{self, RealPage};

#[test]
fn real_pages_do_not_depend_on_the_cuts() {
    let filter = Filter::for_bots(vec![
        Bot::new("FooBot").unwrap(),
        Bot::new("googlebot").unwrap(),
    ])
    .unwrap();
    let with_tree = filter.clone().limits(Limits::default().kept_bytes(0));
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut wrong = Vec::new();
    for page in ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(support::pages)
    {
        let whole = answer(&filter, &page, |rest| rest);
        let even = answer(&filter, &page, |_| 1024);
        let cut = answer(&filter, &page, |rest| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (usize::try_from(random >> 33).unwrap() % 700 + 1).min(rest)
        });
        let tree = answer(&with_tree, &page, |rest| rest.min(4093));
        if [even, cut, tree].iter().any(|other| *other != whole) {
            wrong.push(page.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn answer(filter: &Filter, page: &RealPage, cut: impl FnMut(usize) -> usize) -> String {
    match read(filter, page, cut) {
        Ok(pages) => {
            let pages: Vec<_> = pages
                .iter()
                .map(|page| serde_json::to_string(&PageJson::page(page).with_blocks(page)).unwrap())
                .collect();
            pages.join("\n")
        }
        Err(error) => error.to_string(),
    }
}

fn read(
    filter: &Filter,
    page: &RealPage,
    mut cut: impl FnMut(usize) -> usize,
) -> Result<Vec<Page>> {
    let mut pass = filter.open("https://site.example/dir/page")?;
    if page.is_text {
        pass.assume_utf8();
    }
    let mut rest = page.html.as_slice();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(cut(rest.len()).min(rest.len()));
        pass.write(piece)?;
        rest = after;
    }
    pass.end_each()
}
