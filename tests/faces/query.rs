//! Fuzzes a query on an index with any text. The query is refused with a named error, or answered
//! with no more hits than were requested.

use std::path::Path;
use std::sync::LazyLock;

use heedful::{Bot, Filter};
use heedful_index::{Index, Query, Search};
use tempfile::TempDir;

static SEARCH: LazyLock<Search> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a folder");
    made(folder.path());
    // The folder lives as long as the program.
    Index::open(folder.keep())
        .and_then(|index| index.search())
        .expect("an index")
});

/// Creates in `folder` a small index with everything that a query can name.
pub(super) fn made(folder: &Path) {
    let filter = Filter::new(Bot::new("Foo Bot").expect("a name")).snapshots();
    let index = Index::create(folder, &filter).expect("an index");
    let mut writer = index.writer(1).expect("a writer");
    for (number, words) in [
        "one two three",
        "two <!--noindex-->x<!--/noindex--> three four",
        "rye bread",
    ]
    .iter()
    .enumerate()
    {
        let html = format!(
            "<title>page {number}</title><h1>head</h1><p>{words}<a href=/{}>named page</a>",
            (number + 1) % 3
        );
        let page = filter
            .page(
                &format!("https://site.example/{number}"),
                &[],
                html.as_bytes(),
            )
            .expect("a page");
        writer.add(&page).expect("room");
    }
    writer.commit().expect("a commit");
}

pub(super) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for query in [
        Query::new(&text).most(2),
        Query::new(&text).most(2).explained(),
    ] {
        if let Ok(found) = SEARCH.find(&query) {
            assert!(found.hits().len() <= 2 && found.total() <= 3, "{text}");
            assert!(
                found.hits().iter().all(|hit| !hit.excerpt().contains('x')),
                "{text}"
            );
        }
    }
}
