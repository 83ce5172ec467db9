//! Tests of a query's filters: they leave out pages, and change nothing else.

use std::time::{Duration, SystemTime};

use heedful::{Bot, Filter, Uses};
use heedful_index::{Gone, Index, Query};
use tempfile::TempDir;

fn filter() -> Filter {
    Filter::new(Bot::new("FooBot").unwrap())
}

/// Returns the time at which day `day` begins.
fn day(day: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(day * 86_400)
}

/// Adds pages, each with its URL, the day of its fetch, and its HTML.
fn add(index: &Index, pages: &[(&str, Option<u64>, &str)]) {
    let filter = filter();
    let mut writer = index.writer(1).unwrap();
    for (url, fetched, html) in pages {
        let page = filter.page(url, &[], html.as_bytes()).unwrap();
        writer.add_captured(&page, fetched.map(day)).unwrap();
    }
    writer.commit().unwrap();
}

fn remove(index: &Index, url: &str) {
    let mut writer = index.writer(1).unwrap();
    writer.remove(url, Gone::Removed, "").unwrap();
    writer.commit().unwrap();
}

const PAGES: &[(&str, Option<u64>, &str)] = &[
    (
        "https://a.example/de",
        Some(100),
        "<html lang=de><title>Rye</title><p>rye rye",
    ),
    (
        "https://www.a.example/at",
        Some(200),
        "<html lang=DE-at><p>rye",
    ),
    (
        "https://b.example/nl",
        Some(300),
        "<html lang=nl_BE><p>rye bread",
    ),
    (
        "https://b.example/odd",
        None,
        "<html lang=deutsch><p>rye and more",
    ),
    (
        "https://b.example/none",
        None,
        "<p>rye, and nothing says in which language",
    ),
];

fn index() -> (TempDir, Index) {
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path(), &filter()).unwrap();
    // Two commits make two segments, one of which has no page with a time.
    add(&index, &PAGES[..3]);
    add(&index, &PAGES[3..]);
    (folder, index)
}

/// Returns the last parts of the URLs that a query finds, sorted.
fn found(index: &Index, query: &Query) -> Vec<String> {
    let found = index.search().unwrap().find(query).unwrap();
    let mut names: Vec<_> = found
        .hits()
        .iter()
        .map(|hit| hit.url().rsplit('/').next().unwrap().to_owned())
        .collect();
    assert_eq!(found.total(), names.len() as u64);
    names.sort();
    names
}

fn rye() -> Query {
    Query::new("rye").most(100)
}

#[test]
fn a_language_is_the_primary_subtag_that_a_page_declares() {
    let (_folder, index) = index();
    for tag in ["de", "DE", "de-CH", "de_DE"] {
        assert_eq!(found(&index, &rye().language(tag)), ["at", "de"], "{tag}");
    }
    assert_eq!(found(&index, &rye().language("nl")), ["nl"]);
    assert!(found(&index, &rye().language("tlh")).is_empty());
    for wrong in [
        "",
        "d",
        "deutsch",
        "x-de",
        "de, nl",
        "de\0",
        "*",
        "\u{FF44}\u{FF45}",
    ] {
        let error = index.search().unwrap().find(&rye().language(wrong));
        assert_eq!(error.unwrap_err().name(), "query", "{wrong:?}");
    }
}

#[test]
fn a_period_has_its_beginning_and_not_its_end() {
    let (_folder, index) = index();
    let fetched = |since: Option<u64>, until: Option<u64>| {
        found(&index, &rye().fetched(since.map(day), until.map(day)))
    };
    assert_eq!(fetched(None, None).len(), 5);
    assert_eq!(fetched(Some(0), None), ["at", "de", "nl"]);
    assert_eq!(fetched(None, Some(1_000)), ["at", "de", "nl"]);
    assert_eq!(fetched(Some(100), Some(200)), ["de"]);
    assert_eq!(fetched(Some(200), Some(300)), ["at"]);
    assert_eq!(fetched(Some(300), None), ["nl"]);
    assert!(fetched(Some(301), None).is_empty());
    for empty in [(200, 200), (300, 100), (0, 0)] {
        assert!(
            fetched(Some(empty.0), Some(empty.1)).is_empty(),
            "{empty:?}"
        );
    }
    let before = SystemTime::UNIX_EPOCH - Duration::from_secs(1 << 40);
    assert_eq!(found(&index, &rye().fetched(Some(before), None)).len(), 3);
    // A fraction of a second belongs to one side alone.
    let within = day(200) + Duration::from_millis(1);
    assert_eq!(found(&index, &rye().fetched(Some(within), None)), ["nl"]);
    assert_eq!(
        found(&index, &rye().fetched(None, Some(within))),
        ["at", "de"]
    );
}

#[test]
fn a_site_is_that_of_the_query_language() {
    let (_folder, index) = index();
    for host in [
        "a.example",
        "www.a.example",
        "A.Example",
        "b.example",
        "example",
    ] {
        let written = Query::new(&format!("rye site:{host}")).most(100);
        assert_eq!(
            found(&index, &rye().site(host)),
            found(&index, &written),
            "{host}"
        );
    }
    assert_eq!(found(&index, &rye().site("a.example")), ["at", "de"]);
    for wrong in ["", "a.example/b", "https://a.example", "a b"] {
        let error = index.search().unwrap().find(&rye().site(wrong));
        assert_eq!(error.unwrap_err().name(), "query", "{wrong:?}");
    }
}

#[test]
fn filters_have_no_effect_on_scores_and_their_parts() {
    let (_folder, index) = index();
    let search = index.search().unwrap();
    let all = search.find(&rye().explained()).unwrap();
    let several = rye()
        .language("de")
        .fetched(Some(day(1)), Some(day(150)))
        .site("a.example");
    for (query, pages) in [
        (rye().language("de"), 2),
        (rye().fetched(Some(day(150)), None), 2),
        (rye().site("b.example"), 3),
        (several, 1),
    ] {
        let some = search.find(&query.explained()).unwrap();
        assert_eq!(some.total(), pages);
        for hit in some.hits() {
            let mut unfiltered = all.hits().iter();
            let same = unfiltered.find(|same| same.url() == hit.url()).unwrap();
            assert_eq!(hit.score(), same.score(), "{}", hit.url());
            assert_eq!(format!("{:?}", hit.parts()), format!("{:?}", same.parts()));
        }
    }
}

#[test]
fn what_is_withheld_stays_withheld_under_every_filter() {
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path(), &filter().now(day(100))).unwrap();
    let expired = "<html lang=de><meta name=robots content='unavailable_after: 1971-01-01'><p>rye";
    let denied = "<html lang=de><meta name=robots content=noai><p>rye";
    add(
        &index,
        &[
            ("https://a.example/denied", Some(100), denied),
            ("https://a.example/open", Some(100), "<html lang=de><p>rye"),
        ],
    );
    let mut writer = index.writer(1).unwrap();
    let page = filter()
        .now(day(100))
        .page("https://a.example/expired", &[], expired.as_bytes());
    writer.add_captured(&page.unwrap(), Some(day(100))).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let filtered = || {
        rye()
            .language("de")
            .fetched(Some(day(100)), None)
            .site("a.example")
    };
    assert_eq!(found(&index, &filtered()), ["denied", "expired", "open"]);
    assert_eq!(
        found(&index, &filtered().now(day(1_000))),
        ["denied", "open"]
    );
    let train = Uses::parse_names("train").unwrap();
    assert_eq!(
        found(&index, &filtered().now(day(1_000)).need(train)),
        ["open"]
    );
    // A later response without the page denies more, and does not change the time of the fetch.
    let header = [("X-Robots-Tag", "noai")];
    let later = filter().page("https://a.example/open", &header, b"");
    let mut writer = index.writer(1).unwrap();
    writer.confirm(&later.unwrap(), Some(day(200))).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let to_train = filtered().now(day(1_000)).need(train);
    assert!(found(&index, &to_train).is_empty());
    let day_of_the_page = filtered().fetched(Some(day(100)), Some(day(101)));
    assert_eq!(
        found(&index, &day_of_the_page.now(day(1_000))),
        ["denied", "open"]
    );
    remove(&index, "https://a.example/open");
    assert_eq!(found(&index, &filtered().now(day(1_000))), ["denied"]);
}

#[test]
fn languages_are_counted_without_what_is_gone() {
    let (_folder, index) = index();
    let languages = |index: &Index| index.search().unwrap().languages().unwrap();
    let pair = |name: &str, pages| (name.to_owned(), pages);
    assert_eq!(languages(&index), [pair("de", 2), pair("nl", 1)]);
    // A page that is fetched again counts once, in the language that it has now.
    add(
        &index,
        &[("https://a.example/de", Some(400), "<html lang=fr><p>seigle")],
    );
    let three = [pair("de", 1), pair("fr", 1), pair("nl", 1)];
    assert_eq!(languages(&index), three);
    remove(&index, "https://b.example/nl");
    assert_eq!(languages(&index), three[..2]);
    index.compact().unwrap();
    assert_eq!(languages(&index), three[..2]);
}
