//! Tests of navigation, which counts little, and of phrases that end with their block.

use heedful::{BLOCK_GAP, Landmarks, PHRASE_GAP};
use heedful_index::{Analysis, Index, Query};
use proptest::prelude::*;

use crate::common::{add, filter, folder, index};

const URL: &str = "https://site.example/";

/// Creates an index that parts phrases at blocks, with one page.
fn parted(html: &str) -> (tempfile::TempDir, Index) {
    let folder = folder();
    let analysis = Analysis::default().part_blocks();
    let index = Index::create_with(folder.path(), &filter(), analysis).unwrap();
    let mut writer = index.writer(1).unwrap();
    add(&mut writer, URL, html);
    writer.commit().unwrap();
    (folder, index)
}

fn total(index: &Index, query: &str) -> u64 {
    let found = index.search().unwrap().find(&Query::new(query));
    found
        .unwrap_or_else(|error| panic!("{query}: {error}"))
        .total()
}

fn urls(index: &Index, query: &str) -> Vec<String> {
    let found = index.search().unwrap().find(&Query::new(query)).unwrap();
    let hits = found.hits().iter();
    hits.map(|hit| hit.url()[URL.len()..].to_owned()).collect()
}

#[test]
fn a_word_of_the_menu_finds_the_page_about_it_first() {
    let menu = "<nav><ul><li>Rye<li>Wheat<li>Oat</ul></nav>";
    let page = |text: &str| format!("{menu}<main><p>{text} and more of this bread</main>");
    let pages = ["Wheat", "Rye", "Oat", "Bread"].map(|text| (format!("{URL}{text}"), page(text)));
    let pages: Vec<_> = pages
        .iter()
        .map(|(url, html)| (url.as_str(), html.as_str()))
        .collect();
    let (_folder, index) = index(&pages);
    for word in ["Rye", "Wheat", "Oat"] {
        let found = index.search().unwrap().find(&Query::new(word)).unwrap();
        assert_eq!(found.total(), 4, "{word}");
        let hits = found.hits();
        assert_eq!(hits[0].url(), format!("{URL}{word}"));
        assert!(hits[0].score() > 10.0 * hits[1].score(), "{word}");
        assert!(hits[0].excerpt().starts_with(word), "{}", hits[0].excerpt());
        assert_eq!(total(&index, &format!("body:{word}")), 1);
        assert_eq!(total(&index, &format!("navigation:{word}")), 4);
    }
}

#[test]
fn an_excerpt_of_a_menu_is_shown_if_nothing_else_matches() {
    let html = "<p role=navigation>Rye, oat</p><main><p>Dark bread</main>";
    let (_folder, index) = index(&[(URL, html)]);
    let found = index.search().unwrap().find(&Query::new("oat")).unwrap();
    assert_eq!(found.hits()[0].excerpt(), "Dark bread Rye, oat");
    let found = index.search().unwrap().find(&Query::new("dark")).unwrap();
    assert!(found.hits()[0].excerpt().starts_with("Dark bread"));
}

#[test]
fn an_excerpt_is_no_menu_that_repeats_a_word() {
    let menu = "<nav>Rye loaf. Rye roll. Rye cake. Rye starter</nav>";
    let html = format!("{menu}<main><p>A cake of rye, for the weekend</main>");
    let (_folder, index) = index(&[(URL, &html)]);
    for query in ["rye", "rye cake", "cake OR bread"] {
        let found = index.search().unwrap().find(&Query::new(query)).unwrap();
        let excerpt = found.hits()[0].excerpt();
        assert!(excerpt.starts_with("A cake of rye"), "{query}: {excerpt}");
    }
}

#[test]
fn no_phrase_crosses_from_a_menu_into_the_text_around_it() {
    let html = "<p>dark</p><nav>rye</nav><p>bread</p>";
    let (_folder, index) = index(&[(URL, html)]);
    for query in [
        "\"dark rye\"~255",
        "\"rye bread\"~255",
        "\"dark bread\"~255",
    ] {
        assert_eq!(total(&index, query), 0, "{query}");
    }
}

#[test]
fn a_withheld_menu_is_not_found() {
    let html =
        "<nav class=robots-noindex>Rye</nav><nav>Oat <!--noindex-->Emmer<!--/noindex--></nav>";
    let (_folder, index) = index(&[(URL, html)]);
    assert_eq!((total(&index, "rye"), total(&index, "emmer")), (0, 0));
    assert_eq!(urls(&index, "oat"), [""]);
}

#[test]
fn a_phrase_ends_with_its_block_only_if_asked() {
    let html = "<h1>Rye</h1><p>Dark<br>bread <!--noindex-->x<!--/noindex--> today";
    let (_folder, plain) = index(&[(URL, html)]);
    let (_other, parted) = parted(html);
    for (query, without, with) in [
        ("\"rye dark\"", 1, 0),
        ("\"rye dark\"~98", 1, 0),
        ("\"rye dark\"~100", 1, 1),
        ("\"dark bread\"", 1, 1),
        ("\"bread today\"~255", 0, 0),
    ] {
        let found = (total(&plain, query), total(&parted, query));
        assert_eq!(found, (without, with), "{query}");
    }
    assert!(parted.analysis().unwrap().parts_blocks());
    assert!(!plain.analysis().unwrap().parts_blocks());
}

#[test]
fn an_index_keeps_its_analysis_and_its_landmarks() {
    let folder = folder();
    let landmarks: Landmarks = "main,none".parse().unwrap();
    let filter = filter().landmarks(landmarks);
    let made = Index::create_with(folder.path(), &filter, Analysis::default().part_blocks());
    assert!(made.unwrap().analysis().unwrap().parts_blocks());
    let again = Index::create(folder.path(), &filter).unwrap();
    assert!(again.analysis().unwrap().parts_blocks());
    assert_eq!(again.terms().unwrap().landmarks().unwrap(), landmarks);
    let other = Index::create(folder.path(), &crate::common::filter());
    let message = other.map(|_| ()).unwrap_err().to_string();
    assert!(
        message.contains("in the landmarks main,none, not in all"),
        "{message}"
    );
}

/// Markup between the words of a random page.
const MARKUP: [&str; 12] = [
    " ", "<p>", "</p>", "<h2>", "</h2>", "<nav>", "</nav>", "<li>", "<td>", "<br>", "</div>",
    "<aside>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_phrase_crosses_a_withheld_part(
        before in prop::collection::vec(0..MARKUP.len(), 0..4),
        within in prop::collection::vec(0..MARKUP.len(), 0..4),
        after in prop::collection::vec(0..MARKUP.len(), 0..4),
        is_class in any::<bool>(),
        parts in any::<bool>(),
    ) {
        let markup = |places: &[usize]| places.iter().map(|place| MARKUP[*place]).collect::<String>();
        let (open, close) = if is_class {
            ("<div class=robots-noindex>", "</div>")
        } else {
            ("<!--noindex-->", "<!--/noindex-->")
        };
        // An end tag may end the withheld element, and so may an item of a list before it.
        let may_end = |place: &usize| MARKUP[*place].starts_with("</") || MARKUP[*place] == "<li>";
        let within = within.into_iter().filter(|place| !may_end(place)).collect::<Vec<_>>();
        let (before, within, after) = (markup(&before), markup(&within), markup(&after));
        let html = format!("alfa {before}{open}{within} secret {within}{close}{after} bravo");
        let (_folder, index) = if parts { parted(&html) } else { index(&[(URL, &html)]) };
        prop_assert_eq!(total(&index, "secret"), 0, "{}", html);
        prop_assert_eq!(total(&index, "\"alfa bravo\"~255"), 0, "{}", html);
    }
}

#[test]
fn the_gap_of_blocks_is_smaller_than_that_of_phrases() {
    const { assert!(1 < BLOCK_GAP && BLOCK_GAP < PHRASE_GAP) };
}
