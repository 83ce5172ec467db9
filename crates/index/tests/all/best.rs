//! Tests of how the best pages are found: pages are passed over only if that changes no answer.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::LazyLock;

use heedful::{Filter, Uses};
use heedful_index::{Analysis, Forms, Found, Gone, Index, Query, Search};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::{Random, at, bot, folder};

/// Pages of an index. A list of postings needs several hundred before a part of it can be passed
/// over.
const PAGES: usize = 4000;
/// Words of the pages, the most frequent first.
const WORDS: [&str; 16] = [
    "bread", "rye", "breads", "oat", "crust", "oats", "café", "baking", "baked", "cafés", "crusts",
    "bake", "stone", "mills", "mill", "ryes",
];
/// Day after which some pages have expired.
const LATER: u64 = 2_000_000_000;

struct Made {
    _folder: TempDir,
    search: Search,
}

/// Two indexes of several segments, with deleted pages: one with forms of words, one without.
static MADE: LazyLock<[Made; 2]> = LazyLock::new(|| [Forms::Stemmed, Forms::Exact].map(make));

fn make(forms: Forms) -> Made {
    let folder = folder();
    let filter = Filter::new(bot()).now(at(1_600_000_000));
    let index = Index::create_with(
        folder.path(),
        &filter,
        Analysis::default().with_forms(forms),
    )
    .unwrap();
    let mut random = Random(7);
    let mut writer = index.writer(1).unwrap();
    for number in 0..PAGES {
        // Pages with few of the words stand together, so that parts of a list may be passed over.
        let html = page(&mut random, number % 400 > 100);
        let url = url(number);
        let page = filter.page(&url, &[], html.as_bytes()).unwrap();
        let captured = (number % 3 > 0).then(|| at(1_000_000 + number as u64));
        writer.add_captured(&page, captured).unwrap();
        if number == PAGES / 2 || number == PAGES * 3 / 4 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    for number in (0..PAGES).step_by(11) {
        writer.remove(&url(number), Gone::Removed, "").unwrap();
    }
    writer.commit().unwrap();
    let search = index.search().unwrap();
    Made {
        _folder: folder,
        search,
    }
}

fn url(number: usize) -> String {
    format!("https://{}.example/{number}", ["a", "b", "c"][number % 3])
}

/// Returns words of [`WORDS`], of which the first are the most frequent.
fn text(random: &mut Random, most: usize) -> String {
    let mut text = String::new();
    for _ in 0..random.below(most + 1) {
        let kinds = 1 + random.below(WORDS.len());
        text.push_str(WORDS[random.below(kinds)]);
        text.push(' ');
    }
    text
}

fn page(random: &mut Random, is_long: bool) -> String {
    let language = ["en", "de", "nl"][random.below(3)];
    let mut html = format!("<html lang={language}>");
    if random.below(5) == 0 {
        html.push_str("<meta name=robots content='unavailable_after: 2030-01-01'>");
    }
    if random.below(7) == 0 {
        html.push_str("<meta name=robots content=noai>");
    }
    if is_long {
        let (word, filling) = (WORDS[random.below(5)], "and so on ".repeat(20));
        write!(html, "<p>{word} {} {filling}", text(random, 2)).unwrap();
        return html;
    }
    let (title, heading, alt) = (text(random, 3), text(random, 3), text(random, 2));
    let (body, menu) = (text(random, 12), text(random, 4));
    write!(
        html,
        "<title>{title}</title><h1>{heading}</h1><img alt='{alt}'><p>{body}<nav>{menu}</nav>"
    )
    .unwrap();
    for _ in 0..random.below(3) {
        let (target, name) = (url(random.below(PAGES)), text(random, 3));
        write!(html, "<a href={target}>{name}</a>").unwrap();
    }
    html
}

/// Returns the URLs of the hits, each with its score.
fn hits(found: &Found) -> Vec<(&str, f32)> {
    let hits = found.hits().iter();
    hits.map(|hit| (hit.url(), hit.score())).collect()
}

/// A word of a query, or several of them.
fn clause() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&WORDS[..]);
    let two = prop::sample::subsequence(&WORDS[..], 2);
    prop_oneof![
        8 => word.clone().prop_map(str::to_owned),
        1 => word.clone().prop_map(|word| format!("\"{word}\"")),
        1 => word.clone().prop_map(|word| format!("title:{word}")),
        1 => word.clone().prop_map(|word| format!("anchor:{word}")),
        1 => word.clone().prop_map(|word| format!("{}*", &word[..3])),
        1 => word.clone().prop_map(|word| format!("{word}~1")),
        1 => (word.clone(), word.clone()).prop_map(|(one, other)| format!("\"{one} {other}\"")),
        1 => two.prop_map(|two| format!("({} OR {})", two[0], two[1])),
        1 => word.prop_map(|word| format!("{word}^3")),
    ]
}

fn filters() -> impl Strategy<Value = fn(Query) -> Query> {
    prop::sample::select(vec![
        (|query| query) as fn(Query) -> Query,
        |query| query.language("en"),
        |query| query.site("b.example"),
        |query| query.fetched(Some(at(1_000_500)), None),
        |query| query.now(at(LATER)),
        |query| query.need(Uses::parse_names("train").unwrap()),
        |query| query.now(at(LATER)).language("de").site("example"),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn a_part_of_the_hits_is_a_part_of_all_hits(
        made in 0..2usize,
        clauses in prop::collection::vec(clause(), 1..4),
        without in prop::option::weighted(0.1, prop::sample::select(&WORDS[..])),
        restrict in filters(),
        most in 0..30usize,
        skip in prop_oneof![Just(0), 0..200usize],
        least in 0..1000u64,
    ) {
        let search = &MADE[made].search;
        let mut text = clauses.join(" ");
        if let Some(without) = without {
            write!(text, " -{without}").unwrap();
        }
        let query = restrict(Query::new(&text));
        let all = search.find(&query.clone().most(PAGES)).unwrap();
        let part = query.most(most).skip(skip);
        let found = search.find(&part).unwrap();
        let all_hits = hits(&all);
        let expected = all_hits.iter().skip(skip).take(most).copied();
        prop_assert_eq!(hits(&found), expected.collect::<Vec<_>>(), "{}", text);
        prop_assert_eq!(all_hits.len() as u64, all.total());
        prop_assert!(found.is_total_exact() && found.total() == all.total());
        let counted = search.find(&part.at_least(least)).unwrap();
        prop_assert_eq!(hits(&counted), hits(&found), "{}", text);
        let total = if counted.is_total_exact() { all.total() } else { least };
        prop_assert!((total.min(all.total())..=all.total()).contains(&counted.total()));
    }

    /// A page of a boosted query is never passed over, and a boost of 2 doubles each score exactly.
    #[test]
    fn words_score_alone_as_among_others(
        made in 0..2usize,
        // The parser drops a clause that is there twice, but not within brackets.
        clauses in prop::collection::btree_set(clause(), 1..4),
        restrict in filters(),
    ) {
        let search = &MADE[made].search;
        let text = clauses.into_iter().collect::<Vec<_>>().join(" ");
        let all = |text: &str| search.find(&restrict(Query::new(text)).most(PAGES)).unwrap();
        let (found, boosted) = (all(&text), all(&format!("({text})^2")));
        prop_assert_eq!(found.total(), boosted.total(), "{}", text);
        let scores: HashMap<_, _> = hits(&boosted).into_iter().collect();
        for (url, score) in hits(&found) {
            let other = scores.get(url).copied().unwrap_or(f32::NAN) / 2.0;
            prop_assert!((score - other).abs() <= score / 1000.0, "{text}: {url} {score} {other}");
        }
    }
}

#[test]
fn counting_stops_where_it_may() {
    let search = &MADE[0].search;
    let all = search.find(&Query::new("bread rye")).unwrap();
    let few = search.find(&Query::new("bread rye").at_least(10)).unwrap();
    assert!(all.is_total_exact() && !few.is_total_exact());
    assert!((10..all.total()).contains(&few.total()));
    assert_eq!(hits(&all), hits(&few));
}
