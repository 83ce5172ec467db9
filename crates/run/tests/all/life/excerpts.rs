//! Excerpts and scores of search results depend only on the current pages. Deleted pages,
//! compaction and merging have no effect on them.

use heedful_index::{Index, Query};
use heedful_json as json;

use crate::common::{Random, add, create, folder};

const QUERIES: [&str; 5] = [
    "and search",
    "search",
    "rare OR and",
    "\"and search\"",
    "sea*",
];

/// Returns the HTML of a page whose query words are far apart. So the weights of the words decide
/// which place an excerpt shows.
fn html(number: u64) -> String {
    let mut random = Random(number);
    let mut filling = |count| {
        (0..count)
            .map(|_| ["one", "two", "three", "four"][random.below(4)])
            .collect::<Vec<_>>()
            .join(" ")
    };
    let word = if number.is_multiple_of(3) {
        "and"
    } else {
        "plain"
    };
    let rare = if number < 25 {
        "and and rare"
    } else {
        "search search"
    };
    format!(
        "<title>{number}</title><p>{word} {} {rare} {} and search {} rare",
        filling(60),
        filling(80),
        filling(90)
    )
}

fn answers(index: &Index) -> Vec<String> {
    let search = index.search().unwrap();
    let found = QUERIES.map(|query| {
        search
            .find(&Query::new(query).most(100).explained())
            .unwrap()
    });
    found
        .iter()
        .flat_map(|found| found.hits().iter().map(json::line))
        .collect()
}

fn write(index: &Index, pages: std::ops::Range<u64>) {
    let mut writer = index.writer(1).unwrap();
    for number in pages {
        add(
            &mut writer,
            &format!("https://site.example/{number}"),
            &html(number / 2),
        );
    }
    writer.commit().unwrap();
}

#[test]
fn no_excerpt_changes_when_an_index_is_compacted_or_merged() {
    let (folder, other, made) = (folder(), folder(), folder());
    let index = create(folder.path());
    write(&index, 0..50);
    write(&index, 25..75);
    let before = answers(&index);
    assert!(
        before.len() > 50 && before.iter().any(|hit| hit.contains("\"excerpt\":\"and")),
        "{before:#?}"
    );
    let shard = create(other.path());
    write(&shard, 0..75);
    // An index in which no page was replaced has equal answers.
    assert_eq!(answers(&shard), before);
    let joined = made.path().join("made");
    Index::merge(&[folder.path().to_owned()], &joined).unwrap();
    assert_eq!(answers(&Index::open(&joined).unwrap()), before, "merged");
    index.compact().unwrap();
    assert_eq!(answers(&index), before, "compacted");
}
