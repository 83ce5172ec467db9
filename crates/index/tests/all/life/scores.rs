//! Tests of scores. The score of a page does not depend on anchor texts without a word of the
//! query, nor on the history of the index.

use std::sync::LazyLock;

use heedful_index::{Gone, Index, Query, Search};
use tempfile::TempDir;

use crate::common::{Random, add, create, folder, found, setting};

const PAGES: usize = 300;
const WORDS: usize = 120;
const NAMES: usize = 16;

/// A page before it is formatted as HTML. The words of its text are `w1` and so on; those of its
/// links are `n1` and so on.
struct Draft {
    url: String,
    title: String,
    heading: String,
    /// Parts of the page's body. When the page is formatted, withheld text is put between each two
    /// parts.
    body: Vec<String>,
    links: Vec<(String, String)>,
}

/// Returns `count` random words with natural frequencies: the first words of the vocabulary are in
/// most pages.
fn words(random: &mut Random, count: usize) -> String {
    let word =
        |random: &mut Random| format!("w{}", random.below(WORDS) * random.below(WORDS) / WORDS);
    (0..count)
        .map(|_| word(random))
        .collect::<Vec<_>>()
        .join(" ")
}

fn url(number: usize) -> String {
    format!("https://h{}.example/p{number}", number % 7)
}

impl Draft {
    fn new(random: &mut Random, number: usize) -> Self {
        let name =
            |random: &mut Random| format!("n{}", random.below(NAMES) * random.below(NAMES) / NAMES);
        let link = |random: &mut Random| {
            (
                url(random.below(PAGES)),
                format!("{} {}", name(random), name(random)),
            )
        };
        let (titles, lengths) = (1 + random.below(4), 1 + random.below(4));
        Self {
            url: url(number),
            title: words(random, titles),
            heading: words(random, 2),
            body: (0..lengths)
                .map(|_| 5 + random.below(40))
                .collect::<Vec<_>>()
                .iter()
                .map(|n| words(random, *n))
                .collect(),
            links: (0..random.below(6)).map(|_| link(random)).collect(),
        }
    }

    fn html(&self) -> String {
        let body = self.body.join("<!--noindex-->hidden<!--/noindex-->");
        let links: String = self
            .links
            .iter()
            .map(|(url, text)| format!("<p><a href='{url}'>{text}</a>"))
            .collect();
        format!(
            "<title>{}</title><h1>{}</h1><p>{body}{links}",
            self.title, self.heading
        )
    }
}

fn drafts(random: &mut Random) -> Vec<Draft> {
    (0..PAGES)
        .map(|number| Draft::new(random, number))
        .collect()
}

/// Indexes these pages in a new index, with a commit after every `share` pages.
fn indexed<'a>(
    drafts: impl Iterator<Item = &'a Draft>,
    share: usize,
    with_anchors: bool,
) -> (TempDir, Index) {
    let folder = folder();
    let index = create(folder.path());
    let writer = index.writer(1).unwrap();
    let mut writer = if with_anchors {
        writer
    } else {
        writer.without_anchors()
    };
    for (number, draft) in drafts.enumerate() {
        add(&mut writer, &draft.url, &draft.html());
        if number % share == share - 1 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    drop(writer);
    (folder, index)
}

/// Two indexes of the same pages: one with anchor texts, one without.
struct Pair {
    drafts: Vec<Draft>,
    with: (TempDir, Index),
    without: (TempDir, Index),
}

static PAIR: LazyLock<Pair> = LazyLock::new(|| {
    let drafts = drafts(&mut Random(1));
    let [with, without] =
        [true, false].map(|with_anchors| indexed(drafts.iter(), 100, with_anchors));
    Pair {
        drafts,
        with,
        without,
    }
});

/// Returns random queries whose words are in no anchor text.
fn queries(random: &mut Random, drafts: &[Draft]) -> Vec<String> {
    let mut queries: Vec<String> = (0..10).map(|n| format!("w{}", n * n)).collect();
    for _ in 0..5 {
        let [a, b, c] = [(); 3].map(|()| words(random, 1));
        queries.extend([
            format!("{a} {b}"),
            format!("{a} AND {b}"),
            format!("{a} OR {b} OR {c}"),
            format!("{a} -{b}"),
        ]);
        queries.extend([
            format!("({a} OR {b}) -{c}"),
            format!("title:{a} OR {b}^3"),
            format!("site:h3.example {a} {b}"),
        ]);
        let body = &drafts[random.below(drafts.len())].body[0];
        let said: Vec<_> = body.split(' ').take(4).collect();
        queries.push(format!("\"{}\"", said[..2].join(" ")));
    }
    queries
}

/// Returns queries that are phrases with a slop.
fn near(random: &mut Random, drafts: &[Draft]) -> Vec<String> {
    let one = |_| {
        let body = &drafts[random.below(drafts.len())].body[0];
        let said: Vec<_> = body.split(' ').take(4).collect();
        let (word, other) = (words(random, 1), words(random, 1));
        [
            format!("\"{}\"~{}", said[1..4].join(" "), 1 + random.below(3)),
            format!("\"{} {}\"~40 {word}", said[2], said[0]),
            format!("\"{word} {other}\"~255 OR body:\"{}\"", said[..3].join(" ")),
        ]
    };
    (0..15).flat_map(one).collect()
}

/// Returns queries that are phrases whose last word is only a prefix.
fn prefixes(drafts: &[Draft]) -> Vec<String> {
    let begun = |draft: &Draft| {
        let said: Vec<_> = draft.body[0].split(' ').collect();
        [
            format!("\"{} {}\"*", said[0], &said[1][..2]),
            format!("body:\"{} {}\"*", said[1..3].join(" "), &said[3][..2]),
        ]
    };
    drafts.iter().take(4).flat_map(begun).collect()
}

/// Returns random queries with words that are in anchor texts too.
fn names(random: &mut Random) -> Vec<String> {
    let mut queries: Vec<String> = (0..NAMES).map(|name| format!("n{name}")).collect();
    for _ in 0..5 {
        let [a, b] = [(); 2].map(|()| format!("n{}", random.below(NAMES) / 2));
        let word = words(random, 1);
        queries.extend([
            format!("anchor:{a}"),
            format!("\"{a} {b}\""),
            format!("anchor:\"{a} {b}\"~255"),
            format!("{word} {a}"),
        ]);
        queries.extend([
            format!("{word} -{a}"),
            format!("{a} -anchor:{b}"),
            format!("{word} OR {a}"),
            format!("anchor:\"{a} n\"*"),
        ]);
    }
    queries
}

/// Result of a query: the number of pages that it finds, and the best of them.
#[derive(Debug, PartialEq)]
struct Answer {
    total: u64,
    urls: Vec<String>,
    scores: Vec<f32>,
}

fn answer(index: &Index, query: &str) -> Answer {
    answer_in(&index.search().unwrap(), query)
}

fn answer_in(view: &Search, query: &str) -> Answer {
    let found = view.find(&Query::new(query)).unwrap();
    let hits = found.hits();
    let urls = hits.iter().map(|hit| hit.url().to_owned()).collect();
    Answer {
        total: found.total(),
        urls,
        scores: hits.iter().map(heedful_index::Hit::score).collect(),
    }
}

/// Returns the differences between the results of queries in two indexes. Scores are compared to
/// four digits.
fn differing(queries: &[String], one: &Index, other: &Index) -> Vec<String> {
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 5e-4 * a.abs();
    let differs = |query: &String| {
        let (a, b) = (answer(one, query), answer(other, query));
        let is_same =
            a.total == b.total && a.urls == b.urls && a.scores.iter().zip(&b.scores).all(is_near);
        (!is_same).then(|| format!("{query}: {a:?} and {b:?}"))
    };
    queries.iter().filter_map(differs).collect()
}

#[test]
fn anchors_change_no_score_of_a_query_for_other_words() {
    let Pair {
        drafts,
        with: (_, with),
        without: (_, without),
    } = &*PAIR;
    let mut random = Random(3);
    let queries = [queries(&mut random, drafts), near(&mut random, drafts)].concat();
    assert!(
        queries
            .iter()
            .filter(|query| answer(with, query).total > 0)
            .count()
            > 40
    );
    assert_eq!(differing(&queries, with, without), [""; 0]);
    assert!(with.stats().unwrap().anchors() > 500 && without.stats().unwrap().anchors() == 0);
}

#[test]
fn anchors_change_no_score_of_a_prefix_of_other_words() {
    let Pair {
        drafts,
        with: (_, with),
        without: (_, without),
    } = &*PAIR;
    assert_eq!(differing(&prefixes(drafts), with, without), [""; 0]);
}

#[test]
fn a_word_of_anchors_finds_what_is_called_so() {
    let Pair {
        drafts,
        with: (_, with),
        without: (_, without),
    } = &*PAIR;
    for name in (0..NAMES).map(|name| format!("n{name}")) {
        let says = |text: &str| text.split(' ').any(|word| word == name);
        let sorted = |mut urls: Vec<String>| {
            urls.sort();
            urls.dedup();
            urls
        };
        let sources = drafts
            .iter()
            .filter(|draft| draft.links.iter().any(|(_, text)| says(text)));
        let sources: Vec<_> = sources.map(|draft| draft.url.clone()).collect();
        let links = drafts.iter().flat_map(|draft| {
            draft
                .links
                .iter()
                .filter(|(target, _)| *target != draft.url)
        });
        let called: Vec<_> = links
            .filter(|(_, text)| says(text))
            .map(|(target, _)| target.clone())
            .collect();
        assert_eq!(found(without, &name), sorted(sources.clone()));
        assert_eq!(found(without, &format!("anchor:{name}")), [""; 0]);
        assert_eq!(
            found(with, &format!("anchor:{name}")),
            sorted(called.clone())
        );
        assert_eq!(found(with, &name), sorted([sources, called].concat()));
    }
}

/// Creates an index with deleted documents and several segments. One page of six was removed and
/// added again with other content, and some pages were only removed. With more deletions, tantivy
/// would merge the deleted documents away.
fn lived(random: &mut Random, drafts: &mut Vec<Draft>) -> (TempDir, Index) {
    let (folder, index) = indexed(drafts.iter(), 75, true);
    let mut writer = index.writer(1).unwrap();
    for draft in drafts.iter().step_by(6) {
        writer.remove(&draft.url, Gone::Removed, "").unwrap();
    }
    writer.commit().unwrap();
    for (number, draft) in drafts.iter_mut().enumerate().step_by(6) {
        *draft = Draft::new(random, number);
        add(&mut writer, &draft.url, &draft.html());
    }
    let gone: Vec<_> = drafts
        .iter()
        .skip(3)
        .step_by(20)
        .map(|draft| draft.url.clone())
        .collect();
    for url in &gone {
        writer.remove(url, Gone::Status(410), "").unwrap();
    }
    writer.commit().unwrap();
    drop(writer);
    drafts.retain(|draft| !gone.contains(&draft.url));
    let segments = std::fs::read_to_string(folder.path().join("meta.json")).unwrap();
    assert!(
        segments.matches("num_deleted_docs").count() > 2,
        "{segments}"
    );
    (folder, index)
}

/// Checks that an index with a history gives the same results as a fresh one, before and after
/// compaction. `queries` generates the queries.
fn assert_lived_alike(queries: impl Fn(&mut Random, &[Draft]) -> Vec<String>) {
    let mut random = Random(setting("HEEDFUL_SEED", 1) as u64);
    let mut drafts = drafts(&mut random);
    let (_folder, index) = lived(&mut random, &mut drafts);
    let queries = queries(&mut random, &drafts);
    random.shuffle(&mut drafts);
    let (_fresh, fresh) = indexed(drafts.iter(), 64, true);
    assert_eq!(
        differing(&queries, &index, &fresh),
        [""; 0],
        "before it is compacted"
    );
    index.compact().unwrap();
    assert_eq!(differing(&queries, &index, &fresh), [""; 0], "compacted");
    fresh.compact().unwrap();
    assert_eq!(
        differing(&queries, &index, &fresh),
        [""; 0],
        "both compacted"
    );
    for round in 0..3 {
        live_on(&index, &mut random, &mut drafts);
        let (_fresh, fresh) = indexed(drafts.iter(), 64, true);
        let what = format!("round {round} after a compaction");
        assert_eq!(differing(&queries, &index, &fresh), [""; 0], "{what}");
        index.compact().unwrap();
        assert_eq!(
            differing(&queries, &index, &fresh),
            [""; 0],
            "{what}, compacted"
        );
    }
}

/// Changes an index in two commits: pages get other links and texts, some disappear, and URLs that
/// only links named become pages.
fn live_on(index: &Index, random: &mut Random, drafts: &mut Vec<Draft>) {
    let mut writer = index.writer(1).unwrap();
    for (number, draft) in drafts.iter_mut().enumerate() {
        if random.below(8) == 0 {
            let url = draft.url.clone();
            *draft = Draft {
                url,
                ..Draft::new(random, number)
            };
            add(&mut writer, &draft.url, &draft.html());
        }
    }
    writer.commit().unwrap();
    let gone = drafts.split_off(drafts.len() - 5);
    for draft in &gone {
        writer.remove(&draft.url, Gone::Status(404), "").unwrap();
    }
    for number in 0..PAGES {
        let draft = Draft::new(random, number);
        let is_new = drafts
            .iter()
            .chain(&gone)
            .all(|other| other.url != draft.url);
        if is_new && random.below(2) == 0 {
            add(&mut writer, &draft.url, &draft.html());
            drafts.insert(0, draft);
        }
    }
    writer.commit().unwrap();
}

/// Views of several commits share tables of pages and anchor texts. Each answers as a view that
/// shares nothing, whichever is asked first.
#[test]
fn views_of_several_commits_answer_as_if_alone() {
    let mut random = Random(setting("HEEDFUL_SEED", 1) as u64 + 7);
    for newest_first in [false, true] {
        let mut drafts = drafts(&mut random);
        let (folder, index) = lived(&mut random, &mut drafts);
        let queries = names(&mut random);
        let mut views = Vec::new();
        for round in 0..6 {
            if round % 4 == 0 {
                index.compact().unwrap();
            }
            let other = Index::open(folder.path()).unwrap();
            let expected: Vec<_> = queries.iter().map(|query| answer(&other, query)).collect();
            views.push((round, index.search().unwrap(), expected));
            live_on(&index, &mut random, &mut drafts);
        }
        if newest_first {
            views.reverse();
        }
        for (round, view, expected) in &views {
            for (query, expected) in queries.iter().zip(expected) {
                let found = answer_in(view, query);
                assert_eq!(found, *expected, "{query} in round {round}");
            }
        }
    }
}

#[test]
fn answers_are_the_same_however_the_index_was_made() {
    assert_lived_alike(|random, drafts| [queries(random, drafts), names(random)].concat());
}

#[test]
fn answers_to_words_near_each_other_are_the_same_however_the_index_was_made() {
    assert_lived_alike(near);
}

#[test]
fn answers_to_prefixes_are_the_same_however_the_index_was_made() {
    assert_lived_alike(|_, drafts| prefixes(drafts));
}

/// Checks that matches of three words with a slop do not depend on which word is the rarest in a
/// segment.
#[test]
fn words_near_each_other_are_found_however_the_index_was_made() {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    add(&mut writer, "https://a.example/", "<p>rye dark bread");
    for number in 0..20 {
        add(
            &mut writer,
            &url(number),
            if number < 5 { "<p>rye" } else { "<p>bread" },
        );
        if number == 4 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    drop(writer);
    let before = found(&index, "\"dark rye bread\"~2");
    index.compact().unwrap();
    assert_eq!(found(&index, "\"dark rye bread\"~2"), before);
}

/// Checks that a prefix with very many matching words finds the same pages, however the index was
/// made.
#[test]
fn a_prefix_finds_as_many_pages_however_the_index_was_made() {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    for number in 0..150 {
        add(
            &mut writer,
            &url(number),
            &format!("<p>cold pre{number:03}"),
        );
        if number % 40 == 39 {
            writer.commit().unwrap();
        }
    }
    writer.commit().unwrap();
    drop(writer);
    let before = found(&index, "\"cold pre\"*");
    index.compact().unwrap();
    assert_eq!(found(&index, "\"cold pre\"*").len(), before.len());
}
