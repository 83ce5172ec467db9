//! Tests of queries: pages that a query must find, and withheld text that it must not find.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, SystemTime};

use heedful::{Bot, Conventions, Filter, Uses};
use heedful_index::{Added, Gone, Index, Query};
use tempfile::TempDir;

fn filter() -> Filter {
    Filter::new(Bot::new("FooBot").unwrap())
}

fn index(pages: &[(&str, &str)]) -> (TempDir, Index) {
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path(), &filter()).unwrap();
    add(&index, pages);
    (folder, index)
}

fn add(index: &Index, pages: &[(&str, &str)]) -> Vec<Added> {
    let filter = filter();
    let mut writer = index.writer(1).unwrap();
    let added = pages
        .iter()
        .map(|(name, html)| {
            let page = filter
                .page(
                    &format!("https://site.example/{name}"),
                    &[],
                    html.as_bytes(),
                )
                .unwrap();
            writer.add(&page).unwrap()
        })
        .collect();
    writer.commit().unwrap();
    added
}

/// Returns the short names of the pages that a query finds in an index, sorted.
fn found(index: &Index, query: &str) -> Vec<String> {
    found_at(index, query, None)
}

fn found_at(index: &Index, query: &str, now: Option<SystemTime>) -> Vec<String> {
    let mut asked = Query::new(query).most(100);
    if let Some(now) = now {
        asked = asked.now(now);
    }
    let found = index.search().unwrap().find(&asked).unwrap();
    let mut names: Vec<_> = found
        .hits()
        .iter()
        .map(|hit| hit.url().rsplit('/').next().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// Checks that a query that needs a use finds only pages that allow this use. Excerpts contain only
/// text for which the use is allowed.
#[test]
fn what_may_be_used_so_is_found() {
    let (_folder, index) = index(&[
        ("free", "<title>Rye</title><p>bread of rye</p>"),
        (
            "parts",
            "<title>Rye</title><p>bread <span class=x>for sale</span> of rye</p><p data-nosnippet>secret</p>",
        ),
        (
            "kept",
            "<meta name=robots content=noarchive><title>Rye</title><p>bread of rye</p>",
        ),
        (
            "hidden",
            "<meta name=robots content=nosnippet><title>Rye</title><p>bread of rye</p>",
        ),
        (
            "untrained",
            "<meta name=robots content=noai><title>Rye</title><p>bread of rye</p>",
        ),
    ]);
    let needs = |uses: &str| {
        let asked = Query::new("bread")
            .most(100)
            .need(Uses::parse_names(uses).unwrap());
        let found = index.search().unwrap().find(&asked).unwrap();
        let of = |hit: &heedful_index::Hit| {
            (
                hit.url()["https://site.example/".len()..].to_owned(),
                hit.excerpt().to_owned(),
            )
        };
        found
            .hits()
            .iter()
            .map(of)
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let names = |uses: &str| needs(uses).into_keys().collect::<Vec<_>>();
    assert_eq!(names("input"), ["free", "parts", "untrained"]);
    assert_eq!(names("train"), ["free", "hidden", "parts"]);
    assert_eq!(names("archive,snippet"), ["free", "parts", "untrained"]);
    assert_eq!(needs("input")["parts"], "bread for sale of rye");
}

/// Checks that text that may be shown but not given to a model is in no title or excerpt for a
/// model.
#[test]
fn a_model_is_given_what_it_may_have() {
    let own = Conventions::default()
        .element(".x, title", Uses::parse("noinput").unwrap())
        .unwrap();
    let filter = filter().conventions(own);
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path(), &filter).unwrap();
    let mut writer = index.writer(1).unwrap();
    let html = b"<title>Rye</title><p>bread <span class=x>for sale</span> of rye</p>";
    writer
        .add(&filter.page("https://site.example/", &[], html).unwrap())
        .unwrap();
    writer.commit().unwrap();
    let found = |query: Query| index.search().unwrap().find(&query).unwrap().hits()[0].clone();
    let (shown, given) = (
        found(Query::new("bread")),
        found(Query::new("bread").need(Uses::parse_names("input").unwrap())),
    );
    assert_eq!(
        (shown.title(), shown.excerpt()),
        ("Rye", "bread for sale of rye")
    );
    assert_eq!((given.title(), given.excerpt()), ("", "bread [...] of rye"));
}

/// Checks that a denial in the headers of an unchanged page excludes it from queries that need the
/// denied use. Other queries still find the page.
#[test]
fn a_use_that_is_denied_later_is_denied() {
    let (_folder, index) = index(&[("a", "bread"), ("b", "bread")]);
    let filter = filter();
    let mut writer = index.writer(1).unwrap();
    let mut pass = filter.open("https://site.example/a").unwrap();
    pass.header("X-Robots-Tag", "noarchive");
    assert!(!writer.confirm(&pass.end().unwrap(), None).unwrap());
    writer.commit().unwrap();
    let found = |uses: &str| {
        let asked = Query::new("bread").need(Uses::parse_names(uses).unwrap());
        index
            .search()
            .unwrap()
            .find(&asked)
            .unwrap()
            .hits()
            .iter()
            .map(|hit| hit.url().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(found_at(&index, "bread", None), ["a", "b"]);
    for uses in ["input", "train", "input,train"] {
        assert_eq!(found(uses), ["https://site.example/b"], "{uses}");
    }
    assert_eq!(found("snippet").len(), 2);
}

const REGION: &str = "<!-- robots content=\"noindex\" -->";
const END: &str = "<!-- /robots -->";

#[test]
fn no_phrase_crosses_an_exclusion() {
    let (_folder, index) = index(&[
        (
            "region",
            &format!("<p>alfa bravo {REGION}hidden{END} charlie delta"),
        ),
        (
            "empty",
            &format!("<p>alfa bravo {REGION}{END} charlie delta"),
        ),
        (
            "across",
            &format!("<p>alfa bravo</p>{REGION}<p>hidden</p>{END}<div>charlie delta</div>"),
        ),
        ("plain", "<p>alfa bravo charlie delta"),
        ("blocks", "<p>alfa bravo</p><p>charlie delta"),
    ]);
    for query in [
        "\"bravo charlie\"",
        "\"bravo charlie\"~5",
        "\"bravo charlie\"~200",
        "\"bravo charlie\"~100000",
        "\"bravo char\"*",
        "\"charlie bravo\"~255",
        "\"alfa bravo charlie\"~255",
        "body:\"bravo charlie\"~255",
    ] {
        let expected = ["blocks", "plain"];
        assert_eq!(found(&index, query), expected, "{query}");
    }
    assert_eq!(found(&index, "bravo charlie").len(), 5);
    assert_eq!(found(&index, "hidden"), [""; 0]);
}

#[test]
fn an_empty_element_of_the_profile_ends_a_phrase() {
    let (_folder, index) = index(&[
        ("empty", "<p>word1 <b class=\"robots-noindex\"></b> word2"),
        ("void", "<p>word1 <br class=\"robots-noindex\"> word2"),
        (
            "full",
            "<p>word1 <b class=\"robots-noindex\">hidden</b> word2",
        ),
        (
            "reopened",
            "<p>word1 <b class=\"robots-noindex\">hidden<p>hidden</b> word2",
        ),
        ("plain", "<p>word1 <b class=\"noindex\"></b> word2"),
    ]);
    for query in [
        "\"word1 word2\"",
        "\"word1 word2\"~255",
        "\"word1 wor\"*",
        "\"word2 word1\"~255",
    ] {
        assert_eq!(found(&index, query), ["plain"], "{query}");
    }
    assert_eq!(found(&index, "word1 AND word2").len(), 5);
    assert_eq!(found(&index, "hidden"), [""; 0]);
}

#[test]
fn boundaries_hold_in_every_field() {
    let (_folder, index) = index(&[
        ("headings", "<h1>alfa bravo</h1><h2>charlie delta</h2>"),
        ("alt", "<img alt='alfa bravo'><img alt='charlie delta'>"),
    ]);
    assert_eq!(found(&index, "headings:\"bravo charlie\"~255"), [""; 0]);
    assert_eq!(found(&index, "alt:\"bravo charlie\"~255"), [""; 0]);
    assert_eq!(found(&index, "alt:\"charlie delta\""), ["alt"]);
}

#[test]
fn many_boundaries_do_not_overflow_positions() {
    let region = format!("word{REGION}x{END}");
    let (_folder, index) = index(&[(
        "many",
        &format!("<p>{}<p>last bread", region.repeat(20_000)),
    )]);
    assert_eq!(found(&index, "\"last bread\""), ["many"]);
    assert_eq!(found(&index, "\"word last\"~255"), [""; 0]);
}

#[test]
fn a_page_replaces_the_one_with_its_url() {
    let (_folder, index) = index(&[("a", "<p>first"), ("b", "<p>other")]);
    assert_eq!(
        add(&index, &[("a#part", "<p>second"), ("a", "<p>third")]),
        [Added::Indexed, Added::Indexed]
    );
    assert_eq!(found(&index, "first"), [""; 0]);
    assert_eq!(found(&index, "second"), [""; 0]);
    assert_eq!(found(&index, "third"), ["a"]);
    assert_eq!(index.stats().unwrap().pages(), 2);
    assert_eq!(
        add(
            &index,
            &[("a", "<meta name=robots content=noindex><p>third")]
        ),
        [Added::NotIndexed]
    );
    assert_eq!(found(&index, "third"), [""; 0]);
    assert_eq!(
        (
            index.stats().unwrap().pages(),
            index.stats().unwrap().hosts()
        ),
        (1, 1)
    );
}

/// Changes reach tantivy in batches of many small pages or of one large page. Whatever the batches
/// are, the changes of one URL are applied in the order of the calls.
#[test]
fn the_last_change_of_a_url_counts() {
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path(), &filter()).unwrap();
    let filter = filter();
    let mut writer = index.writer(1).unwrap();
    let long = "bread ".repeat(5_000);
    let page = |number: usize, word: &str| {
        let text = if number.is_multiple_of(7) { &long } else { "" };
        let url = format!("https://site.example/{number}");
        filter.page(&url, &[], format!("<p>{word} {text}").as_bytes())
    };
    for number in 0..300 {
        let url = format!("https://site.example/{number}");
        writer.add(&page(number, "first").unwrap()).unwrap();
        if number % 2 == 0 {
            writer.remove(&url, Gone::Removed, "").unwrap();
        }
        if number % 3 == 0 {
            writer.add(&page(number, "second").unwrap()).unwrap();
        }
        if number % 5 == 0 {
            writer.remove(&url, Gone::Removed, "").unwrap();
        }
    }
    writer.commit().unwrap();
    let numbers = |wanted: &dyn Fn(usize) -> bool| {
        let mut names: Vec<_> = (0..300).filter(|number| wanted(*number)).collect();
        names.sort_by_key(usize::to_string);
        names.into_iter().map(|number| number.to_string())
    };
    let first = numbers(&|number| number % 2 > 0 && number % 3 > 0 && number % 5 > 0);
    let second = numbers(&|number| number % 3 == 0 && number % 5 > 0);
    assert_eq!(found(&index, "first"), first.collect::<Vec<_>>());
    assert_eq!(found(&index, "second"), second.collect::<Vec<_>>());
}

#[test]
fn excerpts_show_what_may_be_shown() {
    let (_folder, index) = index(&[
        (
            "plain",
            &format!("<p>dark rye {REGION}secret{END} bread keeps well"),
        ),
        (
            "nosnippet",
            "<meta name=robots content=nosnippet><title>Rye</title><p>dark rye bread",
        ),
        (
            "short",
            "<meta name=robots content=max-snippet:10><p>dark rye bread keeps well",
        ),
    ]);
    let found = index.search().unwrap().find(&Query::new("rye")).unwrap();
    let excerpt = |name: &str| {
        found
            .hits()
            .iter()
            .find(|hit| hit.url().ends_with(name))
            .unwrap()
            .excerpt()
            .to_owned()
    };
    assert_eq!(excerpt("plain"), "dark rye [...] bread keeps well");
    assert_eq!(excerpt("nosnippet"), "");
    assert_eq!(excerpt("short"), "dark rye");
}

#[test]
fn an_expired_page_is_not_found() {
    let html = "<meta name=robots content='unavailable_after: 2030-01-02T00:00:00Z'><p>market";
    let (_folder, index) = index(&[("fair", html), ("stall", "<p>market")]);
    let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    assert_eq!(
        found_at(&index, "market", at(1_893_456_000)),
        ["fair", "stall"]
    );
    assert_eq!(found_at(&index, "market", at(1_893_542_401)), ["stall"]);
}

#[test]
fn trouble_is_named() {
    let (folder, index) = index(&[("a", "<p>word")]);
    let search = index.search().unwrap();
    let deep = format!("{}word{}", "(".repeat(1000), ")".repeat(1000));
    for bad in [
        "\"open",
        "nofield:x",
        "-word",
        "-a (-b)",
        "site:a/b",
        "owner:x",
    ] {
        assert_eq!(
            search.find(&Query::new(bad)).unwrap_err().name(),
            "query",
            "{bad}"
        );
    }
    assert_eq!(
        search.find(&Query::new(&deep)).unwrap_err().passed_limit(),
        Some("query_depth")
    );
    assert_eq!(
        search
            .find(&Query::new("word").most(usize::MAX))
            .unwrap()
            .hits()
            .len(),
        1
    );
    assert_eq!(search.find(&Query::new("word").most(0)).unwrap().total(), 1);
    let meta = filter().conventions(Conventions::parse("web,-header,-spiderline,-rel").unwrap());
    let other = Index::create(folder.path(), &meta).unwrap_err().to_string();
    assert!(
        other.contains("was made with header,spiderline,rel, not as asked now"),
        "{other}"
    );
    let none = Index::open(folder.path().join("none"))
        .unwrap_err()
        .to_string();
    assert!(none.contains("holds no index"), "{none}");
    let first = index.writer(1).unwrap();
    let second = index.writer(1).unwrap_err().to_string();
    assert!(second.contains("another program is writing"), "{second}");
    drop(first);
    let filled = TempDir::new().unwrap();
    std::fs::write(filled.path().join("mine.txt"), "x").unwrap();
    assert!(
        Index::create(filled.path(), &filter())
            .unwrap_err()
            .to_string()
            .contains("is not empty")
    );
}

#[test]
fn an_index_of_another_law_is_refused() {
    let (folder, index) = index(&[("a", "<p>word")]);
    drop(index);
    let meta = folder.path().join("meta.json");
    let text = std::fs::read_to_string(&meta).unwrap();
    assert!(text.contains(r#"\"law\":1"#), "{text}");
    std::fs::write(&meta, text.replace(r#"\"law\":1"#, r#"\"law\":0"#)).unwrap();
    let error = Index::open(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("made by another version of heedful: index again"),
        "{error}"
    );
}

#[test]
fn what_is_dropped_without_a_commit_never_happened() {
    let (_folder, index) = index(&[("a", "<p>word")]);
    let mut writer = index.writer(1).unwrap();
    writer
        .remove("https://site.example/a", Gone::Removed, "")
        .unwrap();
    drop(writer);
    assert_eq!(found(&index, "word"), ["a"]);
}

/// Flips bits in every file of an index, or truncates the file. Checks that each damage is reported
/// or has no effect.
#[test]
fn damage_is_told_and_no_panic() {
    let (folder, index) = index(&[
        ("a", "<p>dark rye <a href=/b>bread</a>"),
        (
            "b",
            "<meta name=robots content='unavailable_after: 2030-01-02T00:00:00Z'><p>bread keeps <a href=/a>rye</a>",
        ),
    ]);
    add(&index, &[("c", "<p>more rye")]);
    let whole = answers(&index).unwrap();
    let mut told = 0;
    for file in files(folder.path()) {
        let bytes = std::fs::read(&file).unwrap();
        for place in 0..bytes.len().min(12) {
            let at = place * bytes.len() / 12;
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (place % 8);
            for damaged in [&flipped, &bytes[..at]] {
                std::fs::write(&file, damaged).unwrap();
                let what = format!("{} at {at}", file.display());
                let found =
                    Index::open(folder.path()).and_then(|index| Ok((index.check()?, index)));
                match found {
                    Err(error) => assert!(!error.to_string().is_empty()),
                    Ok((damage, index)) if damage.is_empty() => {
                        assert_eq!(answers(&index).unwrap(), whole, "{what}");
                    }
                    Ok((damage, _)) => assert!(damage.iter().all(|line| !line.is_empty())),
                }
                told += 1;
            }
        }
        std::fs::write(&file, bytes).unwrap();
    }
    assert!(told > 100, "{told}");
    assert_eq!(
        answers(&Index::open(folder.path()).unwrap()).unwrap(),
        whole
    );
}

fn answers(index: &Index) -> heedful::Result<Vec<String>> {
    let search = index.search()?;
    let mut all = search.urls()?;
    all.extend(search.anchors()?.iter().map(|anchor| format!("{anchor:?}")));
    for query in ["rye", "\"dark rye\"", "anchor:bread", "brea*", "keeps -rye"] {
        all.extend(
            search
                .find(&Query::new(query))?
                .hits()
                .iter()
                .map(|hit| format!("{hit:?}")),
        );
    }
    Ok(all)
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.is_file() && path.metadata().unwrap().len() > 0)
        .collect();
    files.sort();
    files
}

/// Checks that an anchor text that may not be shown is indexed but not stored. An anchor text that
/// may not be indexed is neither indexed nor stored.
#[test]
fn names_keep_to_what_may_be_shown() {
    let nosnippet = "<!--googleoff: snippet-->";
    let pages = [
        ("target", "<p>nothing".to_owned()),
        ("open", "<a href=/target>dark rye</a>".to_owned()),
        ("hidden", format!("<a href=/target>light {nosnippet}wheat<!--googleon: snippet--></a>")),
        ("whole", "<meta name=robots content=nosnippet><a href=/target>spelt</a>".to_owned()),
        (
            "short",
            "<meta name=robots content=max-snippet:5><a href=/target>barley</a> <a href=/target>oats</a>".to_owned(),
        ),
        ("kept", format!("<a href=/target>{REGION}poppy{END}</a><a rel=nofollow href=/target>sesame</a>")),
    ];
    let folder = TempDir::new().unwrap();
    let filter = filter();
    let index = Index::create(folder.path(), &filter).unwrap();
    let mut writer = index.writer(1).unwrap();
    for (name, html) in &pages {
        writer
            .add(
                &filter
                    .page(
                        &format!("https://site.example/{name}"),
                        &[],
                        html.as_bytes(),
                    )
                    .unwrap(),
            )
            .unwrap();
    }
    writer.commit().unwrap();
    drop(writer);
    for _ in 0..2 {
        for word in ["rye", "light", "wheat", "spelt", "barley", "oats"] {
            assert!(
                found(&index, &format!("anchor:{word}")).contains(&"target".to_owned()),
                "{word}"
            );
        }
        assert_eq!(
            found(&index, "anchor:poppy OR anchor:sesame OR poppy"),
            [""; 0]
        );
        assert_eq!(found(&index, "anchor:\"light wheat\""), ["target"]);
        let search = index.search().unwrap();
        let names = search
            .anchor_texts("https://site.example/target", None)
            .unwrap();
        assert_eq!(names, [("dark rye".to_owned(), 1), ("oats".to_owned(), 1)]);
        assert_eq!(
            (
                search.anchors().unwrap().len(),
                index.stats().unwrap().anchors()
            ),
            (5, 5)
        );
        index.compact().unwrap();
    }
}

#[test]
fn a_page_may_give_more_names_than_a_document_holds() {
    let links: String = (0..9000)
        .map(|n| format!("<a href=/{n}>name{n} shared</a> "))
        .collect();
    let told = [0, 4095, 4096, 8191, 8192, 8999];
    let targets: Vec<_> = told.iter().map(|n| (n.to_string(), "<p>nothing")).collect();
    let mut pages = vec![("list", &*links)];
    pages.extend(targets.iter().map(|(name, html)| (&**name, *html)));
    let (_folder, index) = index(&pages);
    for _ in 0..2 {
        for n in told {
            assert_eq!(
                found(&index, &format!("anchor:\"name{n} shared\"")),
                [n.to_string()]
            );
            assert_eq!(
                found(
                    &index,
                    &format!("anchor:\"name{} shared name{n}\"~9", n + 1)
                ),
                [""; 0]
            );
        }
        assert_eq!(found(&index, "anchor:shared").len(), told.len());
        assert_eq!(index.stats().unwrap().anchors(), 9000);
        index.compact().unwrap();
    }
}

#[test]
fn words_near_each_other() {
    let (_folder, index) = index(&[
        ("near", "<p>aa x x bb x x cc"),
        ("far", "<p>aa x x x x x bb x x x x x cc"),
        ("turned", "<p>bb aa"),
        ("blocks", "<p>aa</p><p>bb</p>"),
        ("lends", "<a href=/called>aa x x bb x x cc</a>"),
        ("called", "<p>nothing"),
    ]);
    let cases: [(&str, &[&str]); 9] = [
        ("body:\"aa bb cc\"~3", &[]),
        ("body:\"aa bb cc\"~4", &["lends", "near"]),
        ("body:\"aa bb cc\"~9", &["lends", "near"]),
        ("body:\"aa bb cc\"~10", &["far", "lends", "near"]),
        ("anchor:\"aa bb cc\"~3", &[]),
        ("anchor:\"aa bb cc\"~4", &["called"]),
        ("body:\"aa bb\"~1", &["blocks"]),
        ("body:\"aa bb\"~2", &["blocks", "lends", "near", "turned"]),
        ("body:\"cc aa\"~3", &[]),
    ];
    for (query, expected) in cases {
        assert_eq!(found(&index, query), expected, "{query}");
    }
    let many = format!("<p>{}", "the of and ".repeat(3000));
    add(&index, &[("many", &many)]);
    let phrase = "the ".repeat(60);
    assert_eq!(found(&index, &format!("\"{phrase}\"~255")), ["many"]);
    let long = "the ".repeat(65);
    let error = index
        .search()
        .unwrap()
        .find(&Query::new(&format!("\"{long}\"")))
        .unwrap_err();
    assert_eq!(error.passed_limit(), Some("query_words"));
}

#[test]
fn queries_mean_what_they_say() {
    let (_folder, index) = index(&[
        ("a", &format!("<p>alpha beta {REGION}x{END} delta")),
        ("b", "<p>alpha gamma"),
        ("c", "<p>delta"),
        ("gone", "<meta name=robots content=noindex>alpha"),
    ]);
    for (query, expected) in [
        ("alpha -gamma", vec!["a"]),
        ("alpha AND NOT gamma", vec!["a"]),
        ("+alpha (-gamma)", vec!["a"]),
        ("gamma OR (-alpha)", vec!["b", "c"]),
        ("*", vec!["a", "b", "c"]),
        ("* -alpha", vec!["c"]),
        ("\u{1}beta\u{2}delta", vec!["a"]),
        ("\"\u{1}beta\u{2}delta\"", vec![]),
        ("site:SITE.example alpha", vec!["a", "b"]),
        ("site:example alpha", vec!["a", "b"]),
        ("site:other.example alpha", vec![]),
        ("url:\"https://site.example/a#part\"", vec!["a"]),
        ("title:alpha", vec![]),
        ("...", vec![]),
    ] {
        assert_eq!(found(&index, query), expected, "{query}");
    }
    for bad in [
        "title:*",
        "anchor:*",
        "IN [a b]",
        "[a TO b]",
        "url:https://site.example/a",
    ] {
        assert_eq!(
            index
                .search()
                .unwrap()
                .find(&Query::new(bad))
                .unwrap_err()
                .name(),
            "query",
            "{bad}"
        );
    }
    let deep = format!("a {}a", "NOT ".repeat(99));
    assert_eq!(
        index
            .search()
            .unwrap()
            .find(&Query::new(&deep))
            .unwrap_err()
            .passed_limit(),
        Some("query_depth")
    );
}

/// Checks that a prefix in a query matches all words that begin with it, even if each segment has
/// different words.
#[test]
fn a_prefix_is_not_cut_short() {
    let (_folder, index) = index(&[]);
    let pages: Vec<_> = (0..120)
        .map(|n| (format!("p{n}"), format!("<p>dark rye{n:03}")))
        .collect();
    for part in pages.chunks(30) {
        let part: Vec<_> = part
            .iter()
            .map(|(name, html)| (name.as_str(), html.as_str()))
            .collect();
        add(&index, &part);
    }
    let count = || {
        index
            .search()
            .unwrap()
            .find(&Query::new("\"dark ry\"*"))
            .unwrap()
            .total()
    };
    assert_eq!(count(), 120);
    index.compact().unwrap();
    assert_eq!(count(), 120);
}

/// Checks that a page whose URL is too long is not indexed. tantivy drops very long terms, so such
/// a page could not be removed again.
#[test]
fn a_url_that_is_too_long_is_not_kept() {
    let (_folder, index) = index(&[]);
    for length in [8000, 8150, 9000, 65_530, 66_000] {
        let url = format!("{}?{}", "x", "a".repeat(length));
        let fits = url.len() + "https://site.example/".len() <= 8192;
        let added = add(&index, &[(&url, "<p>word <a href=/y>why</a>")]);
        assert_eq!(added[0] == Added::Indexed, fits, "{length}");
        assert_eq!(index.stats().unwrap().pages(), u64::from(fits));
        add(&index, &[(&url, "<meta name=robots content=noindex>")]);
        assert_eq!(index.stats().unwrap().pages(), 0);
        assert_eq!(index.stats().unwrap().anchors(), 0);
    }
}

#[test]
fn what_others_keep_in_the_folder_stays() {
    let folder = TempDir::new().unwrap();
    let snapshots = folder.path().join("snapshots");
    std::fs::create_dir(&snapshots).unwrap();
    std::fs::write(snapshots.join("mine.warc.gz"), "x").unwrap();
    assert!(
        Index::create(folder.path(), &filter())
            .unwrap_err()
            .to_string()
            .contains("is not empty")
    );
    assert!(snapshots.join("mine.warc.gz").exists());
    let (folder, index) = index(&[]);
    let mine = folder.path().join("snapshots/mine.warc.gz");
    std::fs::write(&mine, "x").unwrap();
    add(&index, &[("a", "<p>word")]);
    assert!(mine.exists());
}

#[test]
fn a_page_of_another_bot_is_refused() {
    let (_folder, index) = index(&[("a", "<p>mine")]);
    let page = Filter::new(Bot::new("BarBot").unwrap())
        .page("https://site.example/b", &[], b"<p>other")
        .unwrap();
    let mut writer = index.writer(1).unwrap();
    let refused = writer.add(&page).unwrap_err().to_string();
    assert!(
        refused.contains("https://site.example/b is as BarBot may have it"),
        "{refused}"
    );
    assert!(writer.confirm(&page, None).is_err());
    // The refused page left no partial changes, so the writer still works.
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(add(&index, &[("c", "<p>too")]), [Added::Indexed]);
    assert!(found(&index, "other").is_empty());
}
