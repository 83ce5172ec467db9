//! Tests that the sums over all pages, which a commit keeps for scores, are those of its pages.

use heedful::Filter;
use heedful_index::{Gone, Index, Writer};
use proptest::prelude::*;

use crate::common::{at, bot, folder};

/// A change of the page at one of a few URLs, or of the whole index.
#[derive(Clone, Debug)]
enum Change {
    /// Adds a page with so many words, as of a time.
    Add(usize, usize, u64),
    Remove(usize, u64),
    Confirm(usize, u64),
    Commit,
    Compact,
    Reopen,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (0..6usize, 0..300usize, 0..9u64).prop_map(|(url, words, time)| Change::Add(url, words, time)),
        2 => (0..6usize, 0..9u64).prop_map(|(url, time)| Change::Remove(url, time)),
        1 => (0..6usize, 0..9u64).prop_map(|(url, time)| Change::Confirm(url, time)),
        3 => Just(Change::Commit),
        1 => Just(Change::Compact),
        1 => Just(Change::Reopen),
    ]
}

fn url(number: usize) -> String {
    format!("https://site.example/{number}")
}

fn page(number: usize, words: usize) -> String {
    let text = "dark rye ".repeat(words);
    let few = "oat ".repeat(words % 5);
    let link = url(number + 1);
    format!(
        "<html lang=en><title>{few}</title><h1>{few}</h1><p>{text}<nav>{few}</nav>\
         <img alt='{few}'><a href={link}>ryes</a>"
    )
}

fn apply(index: &Index, changes: &[Change], filter: &Filter) {
    let open = || index.writer(1).unwrap();
    let mut writer: Option<Writer> = Some(open());
    for change in changes {
        if let Change::Compact | Change::Reopen = change {
            // What was not committed is lost.
            drop(writer.take());
            if let Change::Compact = change {
                index.compact().unwrap();
            }
            continue;
        }
        let writer = writer.get_or_insert_with(open);
        match change {
            Change::Add(number, words, time) => {
                let html = page(*number, *words);
                let page = filter.page(&url(*number), &[], html.as_bytes()).unwrap();
                writer.add_captured(&page, Some(at(*time))).unwrap();
            }
            Change::Remove(number, time) => {
                let time = Some(at(*time));
                writer
                    .remove_captured(&url(*number), Gone::Removed, "", time)
                    .unwrap();
            }
            Change::Confirm(number, time) => {
                let page = filter.page(&url(*number), &[], b"").unwrap();
                writer.confirm(&page, Some(at(*time))).unwrap();
            }
            Change::Commit | Change::Compact | Change::Reopen => writer.commit().unwrap(),
        }
    }
    writer.get_or_insert_with(open).commit().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn a_commit_knows_the_sums_over_its_pages(
        first in prop::collection::vec(change(), 1..25),
        second in prop::collection::vec(change(), 1..8),
    ) {
        let folder = folder();
        let filter = Filter::new(bot());
        let made = ["one", "other"].map(|name| Index::create(folder.path().join(name), &filter).unwrap());
        for (index, changes) in made.iter().zip([&first, &second]) {
            apply(index, changes, &filter);
            prop_assert_eq!(index.check().unwrap(), Vec::<String>::new());
        }
        let has_compacted = |changes: &[Change]| changes.iter().any(|change| matches!(change, Change::Compact));
        if !has_compacted(&first) && !has_compacted(&second) {
            let merged = folder.path().join("merged");
            Index::merge(&["one", "other"].map(|name| folder.path().join(name)), &merged).unwrap();
            let merged = Index::open(merged).unwrap();
            prop_assert_eq!(merged.check().unwrap(), Vec::<String>::new());
            apply(&merged, &second, &filter);
            prop_assert_eq!(merged.check().unwrap(), Vec::<String>::new());
        }
    }
}
