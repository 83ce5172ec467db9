//! Tests of the forms of words: folded, stemmed, begun and edited. They stand beside the exact word
//! and obey what it obeys.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use heedful::Limits;
use heedful_index::{Forms, Gone, Index, Query, Writer};
use proptest::prelude::*;
use tantivy::collector::Count;
use tantivy::query::PhraseQuery;
use tantivy::schema::{FieldType, Term};
use tempfile::TempDir;

use crate::common::{Random, add, create, filter, folder, found, index};

const URL: &str = "https://site.example/";

/// Creates an index of pages with these bodies, each with a declared language or none. The pages
/// are at `https://site.example/0` and so on.
fn pages(pages: &[(&str, &str)]) -> (TempDir, Index) {
    let mut made = Vec::new();
    for (number, (language, body)) in pages.iter().enumerate() {
        made.push((format!("{URL}{number}"), html(language, body)));
    }
    let made: Vec<_> = made
        .iter()
        .map(|(url, html)| (url.as_str(), html.as_str()))
        .collect();
    index(&made)
}

fn html(language: &str, body: &str) -> String {
    if language.is_empty() {
        return format!("<p>{body}");
    }
    format!("<html lang='{language}'><p>{body}")
}

/// Returns the numbers of the pages that a query finds, the best first.
fn ranked(index: &Index, query: &str) -> Vec<usize> {
    let found = index.search().unwrap().find(&Query::new(query).most(1000));
    let found = found.unwrap_or_else(|error| panic!("{query}: {error}"));
    assert_eq!(found.hits().len() as u64, found.total(), "{query}");
    let numbers = found.hits().iter().map(|hit| &hit.url()[URL.len()..]);
    numbers.map(|number| number.parse().unwrap()).collect()
}

fn total(index: &Index, query: &str) -> u64 {
    let found = index.search().unwrap().find(&Query::new(query));
    found
        .unwrap_or_else(|error| panic!("{query}: {error}"))
        .total()
}

#[test]
fn a_word_is_found_without_case_and_accents() {
    for (word, query) in [
        ("café", "cafe"),
        ("cafe", "café"),
        ("CAFÉ", "Cafè"),
        ("Straße", "strasse"),
        ("Strasse", "straße"),
        ("STRASSE", "Straße"),
        ("Ελλάδα", "ελλαδα"),
        ("λόγος", "ΛΟΓΟΣ"),
        ("naïve", "naive"),
        ("Ёлка", "елка"),
        ("Việt", "viet"),
        ("cafe\u{301}", "cafe"),
        ("שָׁלוֹם", "שלום"),
    ] {
        let (_folder, index) = pages(&[("", word)]);
        assert_eq!(total(&index, query), 1, "{query} for {word}");
        assert_eq!(
            total(&index, &format!("body:{query}")),
            1,
            "{query} for {word}"
        );
        assert_eq!(
            total(&index, &format!("title:{query}")),
            0,
            "{query} for {word}"
        );
        assert_eq!(total(&index, &format!("other -{query}")), 0);
    }
}

#[test]
fn marks_that_are_letters_tell_words_apart() {
    for (word, query) in [
        ("कि", "क"),
        ("की", "कि"),
        ("กิน", "กน"),
        ("か", "が"),
        ("は", "ぱ"),
        ("தமிழ்", "தமழ"),
        ("가", "각"),
    ] {
        let (_folder, index) = pages(&[("", word)]);
        assert_eq!(total(&index, query), 0, "{query} for {word}");
        assert_eq!(total(&index, word), 1, "{word}");
    }
}

#[test]
fn umlauts_are_two_letters_on_pages_in_german_alone() {
    let folder = folder();
    let index = Index::create_with(folder.path(), &filter(), Forms::Folded).unwrap();
    let mut writer = index.writer(1).unwrap();
    let pages = [
        ("de", "Müller"),
        ("de-AT", "Mueller"),
        ("en", "Müller"),
        ("", "Müller"),
        ("fi", "Mueller"),
    ];
    for (number, (language, word)) in pages.into_iter().enumerate() {
        add(
            &mut writer,
            &format!("{URL}{number}"),
            &html(language, word),
        );
    }
    writer.commit().unwrap();
    let found = |query| ranked(&index, query).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(found("Mueller"), [0, 1, 4].into());
    assert_eq!(found("Müller"), [0, 1, 2, 3].into());
    assert_eq!(found("Muller"), [0, 2, 3].into());
}

#[test]
fn stems_are_of_the_declared_language() {
    let (_folder, index) = pages(&[
        ("en", "running"),
        ("en-GB", "run"),
        ("", "running"),
        ("", "run"),
        ("ru", "run"),
        ("english", "run"),
        ("de", "Häuser"),
        ("fr", "chevaux"),
    ]);
    let found = |query| ranked(&index, query).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(found("running"), [0, 1, 2].into());
    assert_eq!(found("runs"), [0, 1].into());
    assert_eq!(found("run"), [0, 1, 3, 4, 5].into());
    assert_eq!(found("Haus"), [6].into());
    assert_eq!(found("cheval"), [7].into());
}

#[test]
fn each_language_with_a_stemmer_has_one() {
    for (language, word, query) in [
        ("da", "husene", "huset"),
        ("de", "Kindern", "Kinder"),
        ("el", "χαρούμενε", "χαρουμενος"),
        ("en", "breads", "bread"),
        ("es", "panes", "pan"),
        ("fi", "talossa", "talot"),
        ("fr", "cafés", "café"),
        ("hu", "házak", "házban"),
        ("it", "libri", "libro"),
        ("nb", "husene", "huset"),
        ("no", "husene", "huset"),
        ("nl", "boeken", "boek"),
        ("pt", "livros", "livro"),
        ("ro", "cărților", "cărți"),
        ("ru", "книгами", "книга"),
        ("sv", "husen", "huset"),
        ("tr", "evler", "evlerde"),
    ] {
        let (_folder, index) = pages(&[(language, word), ("", word)]);
        assert_eq!(ranked(&index, query), [0], "{language}: {query} for {word}");
    }
}

#[test]
fn a_language_comes_from_the_header_too() {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    let headers = [("Content-Language", "en")];
    let page = filter().page(URL, &headers, b"<p>breads").unwrap();
    writer.add(&page).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&index, "bread"), [URL]);
}

#[test]
fn the_exact_word_is_first() {
    for (exact, other) in [
        ("café", "cafe"),
        ("cafe", "café"),
        ("running", "runs"),
        ("run", "running"),
        ("Müller", "Mueller"),
        ("Mueller", "Müller"),
    ] {
        for language in ["en", "de"] {
            // With the exact word on the first page, and on the second.
            for order in [[exact, other], [other, exact]] {
                let bodies = order.map(|word| (language, word));
                let (_folder, index) = pages(&bodies);
                let best = ranked(&index, exact)[0];
                assert_eq!(order[best], exact, "{exact} {other} {language}");
            }
        }
    }
}

#[test]
fn what_is_in_quotes_is_exact() {
    let (_folder, index) = pages(&[("en", "two cafés, breads"), ("en", "two cafes, bread")]);
    assert_eq!(ranked(&index, "\"cafés\""), [0]);
    assert_eq!(ranked(&index, "\"two cafes\""), [1]);
    assert_eq!(ranked(&index, "\"cafes breads\"~3"), [0; 0]);
    assert_eq!(ranked(&index, "'bread'"), [1]);
    assert_eq!(ranked(&index, "cafe").len(), 2);
    // A word that is cut into two is a phrase of both, in all forms.
    assert_eq!(ranked(&index, "two-cafe").len(), 2);
    assert_eq!(ranked(&index, "cafe-two"), [0; 0]);
}

#[test]
fn a_setting_tells_the_forms_and_stays() {
    let body = html("de", "die Häuser von Müller");
    for (forms, finds) in [
        (Forms::Exact, [true, false, false, false]),
        (Forms::Folded, [true, true, true, false]),
        (Forms::Stemmed, [true, true, true, true]),
    ] {
        let folder = folder();
        for given in [forms, Forms::Exact, Forms::Stemmed] {
            let index = Index::create_with(folder.path(), &filter(), given).unwrap();
            assert_eq!(index.analysis().unwrap().forms(), forms);
            let mut writer = index.writer(1).unwrap();
            add(&mut writer, URL, &body);
            writer.commit().unwrap();
            drop(writer);
            let found = ["häuser", "hauser", "mueller", "haus"];
            assert_eq!(
                found.map(|query| total(&index, query) == 1),
                finds,
                "{forms}"
            );
        }
    }
}

#[test]
fn anchor_texts_have_forms_of_the_language_of_their_page() {
    let link = "<a href='https://site.example/9'>Breads and cafés</a>";
    let (_folder, index) = pages(&[("en", link), ("", &link.replace("Breads", "Rolls"))]);
    let mut writer = index.writer(1).unwrap();
    add(&mut writer, "https://site.example/9", "<p>plain");
    writer.commit().unwrap();
    drop(writer);
    for _ in 0..2 {
        for (query, is_found) in [
            ("anchor:bread", true),
            ("anchor:breads", true),
            ("anchor:rolls", true),
            ("anchor:roll", false),
            ("anchor:cafes", true),
            ("anchor:cafe", true),
            ("anchor:\"cafe\"", false),
            ("anchor:bread-and", true),
            ("anchor:bread-cafe", false),
            ("anchor:bre*", true),
            ("anchor:\"bre\"*", true),
            ("anchor:bradds~1", false),
            ("anchor:brads~1", true),
        ] {
            assert_eq!(total(&index, query), u64::from(is_found), "{query}");
        }
        index.compact().unwrap();
    }
}

#[test]
fn a_star_stands_for_words_that_begin_so() {
    let (_folder, index) = pages(&[
        ("", "domain domaine"),
        ("", "domains"),
        ("", "do main"),
        ("en", "dômaine"),
        ("", "domain"),
    ]);
    let found = |query| ranked(&index, query).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(found("domain*"), [0, 1, 4].into());
    assert_eq!(found("DOMAI*"), [0, 1, 4].into());
    assert_eq!(found("\"doma\"*"), [0, 1, 4].into());
    assert_eq!(found("body:do*"), [0, 1, 2, 4].into());
    assert_eq!(found("main -doma*"), [2].into());
    assert_eq!(found("domain xyz*"), [].into());
    assert_eq!(found("xyz* OR main"), [2].into());
    assert_eq!(
        ranked(&index, "domain*")[0],
        4,
        "the exact word alone is first"
    );
    assert!(Query::new("domain* \"doma\"*").note().is_none());
    for idle in [
        "d*",
        "do*main",
        "*domain",
        "do-ma*",
        "日本*",
        "domain**",
        "domain*~1",
        "site:do*",
    ] {
        let note = Query::new(idle).note();
        assert!(note.is_some_and(|note| note.contains("star")), "{idle}");
    }
    let search = index.search().unwrap();
    assert!(search.find(&Query::new("\"d\"*")).is_err());
}

#[test]
fn a_tilde_stands_for_words_at_one_edit() {
    let (_folder, index) = pages(&[
        ("", "bread"),
        ("", "breed"),
        ("", "bred"),
        ("", "bread's"),
        ("", "braed"),
        ("", "brad"),
    ]);
    let found = |query| ranked(&index, query).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(found("bread~1"), [0, 1, 2, 4, 5].into());
    assert_eq!(ranked(&index, "bread~1")[0], 0);
    assert_eq!(found("bred~1"), [0, 1, 2, 4, 5].into());
    assert!(Query::new("bread~1").note().is_none());
    for idle in [
        "bre~1",
        "bread~2",
        "bread~",
        "br~ead",
        "rye-bread~1",
        "url:bread~1",
    ] {
        let note = Query::new(idle).note();
        assert!(note.is_some_and(|note| note.contains("tilde")), "{idle}");
    }
}

#[test]
fn few_words_stand_for_one_and_a_note_says_so() {
    let words: String = (0..50).map(|number| format!("word{number:02} ")).collect();
    let (_folder, index) = pages(&[("", &words)]);
    let mut writer = index.writer(1).unwrap();
    for number in 0..50 {
        let url = format!("{URL}{}", number + 1);
        add(&mut writer, &url, &format!("<p>word{number:02}"));
        // A segment each, so the words that are left out do not depend on segments.
        if number % 10 == 9 {
            writer.commit().unwrap();
        }
    }
    drop(writer);
    let asked = |query: &str, most| {
        let limits = Limits::default().query_expansions(most);
        let query = Query::new(query).limits(limits).most(100);
        let found = index.search().unwrap().find(&query).unwrap();
        (found.total(), found.note().is_some())
    };
    for _ in 0..2 {
        assert_eq!(asked("body:word*", 50), (51, false));
        assert_eq!(asked("body:word*", 49), (50, true));
        assert_eq!(asked("body:word*", 10), (11, true));
        assert_eq!(asked("body:word*", 0), (0, true));
        assert_eq!(asked("body:word1* AND body:word2*", 15), (1, true));
        assert_eq!(asked("body:wird10~1", 1), (2, false));
        index.compact().unwrap();
    }
}

#[test]
fn excerpts_mark_all_forms_that_were_asked_for() {
    let body = "Two cafés in a STRASSE, Müller and Mueller. Running is no run. Breads!";
    for (language, query, marked) in [
        ("en", "cafe", &["cafés"][..]),
        ("en", "\"cafe\"", &[]),
        ("", "cafe", &[]),
        ("", "cafes", &["cafés"]),
        ("", "straße", &["STRASSE"]),
        ("de", "mueller", &["Müller", "Mueller"]),
        ("de", "müller", &["Müller", "Mueller"]),
        ("en", "müller", &["Müller"]),
        ("en", "runs", &["Running", "run"]),
        ("de", "running", &["Running"]),
        ("", "bre*", &["Breads"]),
        ("", "breds~1", &["Breads"]),
        ("", "breads", &["Breads"]),
    ] {
        let (_folder, index) = pages(&[(language, body), ("en", "run runs muell")]);
        let found = index.search().unwrap().find(&Query::new(query)).unwrap();
        let mut hits = found.hits().iter();
        let first = hits.find(|hit| hit.url().ends_with('0'));
        let words = first.map_or_else(Vec::new, |hit| {
            let ranges = hit.highlights().iter();
            ranges.map(|range| &hit.excerpt()[range.clone()]).collect()
        });
        assert_eq!(words, marked, "{query} in {language:?}");
    }
}

#[test]
fn an_explanation_adds_up() {
    let (_folder, index) = pages(&[
        ("en", "cafés"),
        ("en", "café café"),
        ("", "cafe"),
        ("", "x"),
    ]);
    for query in ["cafés", "cafe", "caf*", "cafez~1", "cafe x"] {
        let query = Query::new(query).explained();
        for hit in index.search().unwrap().find(&query).unwrap().hits() {
            let sum: f32 = hit.parts().iter().map(|part| part.score()).sum();
            assert!(sum > 0.0 && (sum - hit.score()).abs() < 0.001, "{hit:?}");
        }
    }
}

/// Returns the terms of all fields of words and forms in an index.
fn all_terms(folder: &Path) -> BTreeSet<String> {
    let index = tantivy::Index::open_in_dir(folder).unwrap();
    let searcher = index.reader().unwrap().searcher();
    let mut all = BTreeSet::new();
    for (field, entry) in index.schema().fields() {
        let is_of_words = matches!(entry.field_type(), FieldType::Str(_)) && entry.is_indexed();
        for segment in searcher.segment_readers().iter().filter(|_| is_of_words) {
            let inverted = segment.inverted_index(field).unwrap();
            let mut terms = inverted.terms().stream().unwrap();
            while terms.advance() {
                all.insert(String::from_utf8(terms.key().to_vec()).unwrap());
            }
        }
    }
    all
}

/// Returns the word with these numbers. It has a folded form, and in English a stem.
fn word(phrase: usize, place: usize) -> String {
    let consonant = |number: usize| char::from(b"bcdfgk"[number]);
    format!("ma{}o{}atés", consonant(phrase), consonant(place))
}

/// Returns all forms of a word: the exact one, folded, stemmed, and its stem with the accent.
fn forms_of(word: &str) -> [String; 4] {
    let folded = word.replace('é', "e");
    let stem = folded.trim_end_matches('s').to_owned();
    [
        word.to_owned(),
        folded,
        stem,
        word.trim_end_matches('s').to_owned(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn no_form_is_of_what_is_withheld_and_no_phrase_crosses_it(
        lengths in proptest::collection::vec(1..4usize, 1..6),
        with_heading in any::<bool>(),
    ) {
        const WITHHELD: &str = "<!--noindex-->géheimés Gärtens<!--/noindex-->";
        let phrases: Vec<Vec<String>> = lengths
            .iter()
            .enumerate()
            .map(|(phrase, length)| (0..*length).map(|place| word(phrase, place)).collect())
            .collect();
        let text = phrases.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(WITHHELD);
        let text = if with_heading { format!("<h1>{text}</h1>") } else { text };
        let link = format!("<p><a href='https://site.example/2'>{text}</a>");
        let folder = folder();
        let index = create(folder.path());
        let mut writer = index.writer(1).unwrap();
        add(&mut writer, URL, &html("en", &format!("<title>x</title>{text}")));
        add(&mut writer, "https://other.example/", &html("en", &link));
        add(&mut writer, "https://site.example/2", "<p>x");
        writer.commit().unwrap();
        drop(writer);
        for compacted in [false, true] {
            if compacted {
                index.compact().unwrap();
            }
            let terms = all_terms(folder.path());
            for part in ["heim", "rten", "garten"] {
                prop_assert!(!terms.iter().any(|term| term.contains(part)), "{part} in {terms:?}");
            }
            let withheld = ["géheimés", "geheimes", "geheime", "gartens", "Gärten"];
            for query in withheld.into_iter().chain(["gehei*", "gartenz~1"]) {
                prop_assert_eq!(total(&index, query), 0, "{}", query);
            }
            for (number, words) in phrases.iter().enumerate() {
                for pair in words.windows(2) {
                    for (a, b) in forms_of(&pair[0]).iter().zip(&forms_of(&pair[1])) {
                        prop_assert_eq!(total(&index, &format!("{a}-{b}")), 3, "{}-{}", a, b);
                    }
                }
                let Some(next) = phrases.get(number + 1) else {
                    continue;
                };
                let (last, first) = (&words[words.len() - 1], &next[0]);
                for a in &forms_of(last) {
                    for b in &forms_of(first) {
                        for query in [
                            format!("{a}-{b}"),
                            format!("\"{a} {b}\""),
                            format!("\"{a} {b}\"~255"),
                            format!("\"{b} {a}\"~1000000"),
                            format!("\"{a} {b}\"*"),
                        ] {
                            prop_assert_eq!(total(&index, &query), 0, "{}", query);
                        }
                    }
                }
                assert_no_raw_phrase(folder.path(), last, first);
            }
        }
    }
}

/// Checks with tantivy alone that no phrase of two words' forms is in a field of forms, with the
/// greatest slop below the gap.
fn assert_no_raw_phrase(folder: &Path, last: &str, first: &str) {
    let index = tantivy::Index::open_in_dir(folder).unwrap();
    let searcher = index.reader().unwrap().searcher();
    for (field, entry) in index.schema().fields() {
        if !entry.name().ends_with("_forms") {
            continue;
        }
        for (a, b) in [(1, 1), (2, 2), (1, 2), (2, 1)] {
            let term = |word: &str, form: usize| {
                let stem = if form == 2 { "en " } else { "" };
                Term::from_field_text(field, &format!("{stem}{}", forms_of(word)[form]))
            };
            let mut phrase = PhraseQuery::new(vec![term(last, a), term(first, b)]);
            phrase.set_slop(250);
            assert_eq!(
                searcher.search(&phrase, &Count).unwrap(),
                0,
                "{last} {first}"
            );
        }
    }
}

const LANGUAGES: [&str; 5] = ["en", "de", "fr", "", "xx"];
const WORDS: [&str; 14] = [
    "café", "cafe", "cafés", "running", "run", "runs", "Müller", "Mueller", "Häuser", "haus",
    "straße", "strasse", "rye", "breads",
];
const QUERIES: [&str; 18] = [
    "café",
    "cafe",
    "cafés",
    "running",
    "runs",
    "mueller",
    "müller",
    "haus",
    "häuser",
    "strasse",
    "rye",
    "bread",
    "ca*",
    "runz~1",
    "cafe -rye",
    "haus OR run",
    "anchor:cafe",
    "cafe-run",
];

/// Returns a random page's HTML, with links to other pages.
fn random_page(random: &mut Random) -> String {
    let mut body = String::new();
    for _ in 0..1 + random.below(12) {
        body += WORDS[random.below(WORDS.len())];
        body += [" ", " ", ", ", "<!--noindex-->hidden<!--/noindex-->"][random.below(4)];
    }
    for _ in 0..random.below(3) {
        let target = random.below(30);
        let called = [
            WORDS[random.below(WORDS.len())],
            WORDS[random.below(WORDS.len())],
        ];
        body += &format!("<p><a href='{URL}{target}'>{}</a>", called.join(" "));
    }
    let title = WORDS[random.below(WORDS.len())];
    html(
        LANGUAGES[random.below(LANGUAGES.len())],
        &format!("<title>{title}</title>{body}"),
    )
}

/// Returns the hits of all queries: the total, and of each hit its URL, score, excerpt and marks.
fn answers(index: &Index) -> Vec<String> {
    let search = index.search().unwrap();
    let mut answers = Vec::new();
    for query in QUERIES {
        let found = search.find(&Query::new(query).most(100)).unwrap();
        answers.push(format!("{query}: {}", found.total()));
        for hit in found.hits() {
            let marks = hit.highlights();
            answers.push(format!(
                "{} {} {} {marks:?}",
                hit.url(),
                hit.score(),
                hit.excerpt()
            ));
        }
    }
    answers
}

fn add_random(writer: &mut Writer, number: usize, random: &mut Random) -> String {
    let html = random_page(random);
    add(writer, &format!("{URL}{number}"), &html);
    html
}

#[test]
fn answers_depend_on_the_pages_alone() {
    for seed in 0..4 {
        let mut random = Random(seed);
        let (shards, mut last) = ([folder(), folder()], vec![String::new(); 30]);
        for (shard, folder) in shards.iter().enumerate() {
            let index = create(folder.path());
            let mut writer = index.writer(1).unwrap();
            for step in 0..60 {
                let number = 15 * shard + random.below(15);
                if random.below(4) == 0 {
                    let url = format!("{URL}{number}");
                    writer.remove(&url, Gone::Removed, "").unwrap();
                    last[number].clear();
                } else {
                    last[number] = add_random(&mut writer, number, &mut random);
                }
                if step % 9 == 8 {
                    writer.commit().unwrap();
                }
            }
            writer.commit().unwrap();
        }
        let merged = folder();
        let merged = merged.path().join("merged");
        let shards = shards.each_ref().map(TempDir::path);
        Index::merge(&shards, &merged).unwrap();
        let merged = Index::open(&merged).unwrap();

        let fresh_folder = folder();
        let fresh = create(fresh_folder.path());
        let mut writer = fresh.writer(1).unwrap();
        for (number, html) in last.iter().enumerate().filter(|(_, html)| !html.is_empty()) {
            add(&mut writer, &format!("{URL}{number}"), html);
        }
        writer.commit().unwrap();
        drop(writer);

        let expected = answers(&fresh);
        assert_eq!(answers(&merged), expected);
        merged.compact().unwrap();
        assert_eq!(answers(&merged), expected);
        // Written again after the compaction, whose folded anchor texts are no longer valid.
        let mut writer = merged.writer(1).unwrap();
        let mut again = fresh.writer(1).unwrap();
        for number in (0..30).step_by(3) {
            let html = add_random(&mut writer, number, &mut random);
            add(&mut again, &format!("{URL}{number}"), &html);
        }
        writer.commit().unwrap();
        again.commit().unwrap();
        drop((writer, again));
        assert_eq!(answers(&merged), answers(&fresh));
    }
}

#[test]
fn indexes_of_other_forms_are_not_merged() {
    let folders = [folder(), folder(), folder()];
    for (folder, forms) in folders.iter().zip([Forms::Folded, Forms::Stemmed]) {
        Index::create_with(folder.path(), &filter(), forms).unwrap();
    }
    let shards = [folders[0].path(), folders[1].path()];
    let error = Index::merge(&shards, folders[2].path()).unwrap_err();
    assert!(
        error.to_string().contains("--forms stemmed, not folded"),
        "{error}"
    );
    Index::merge(&shards[..1], folders[2].path()).unwrap();
    let merged = Index::open(folders[2].path()).unwrap();
    assert_eq!(merged.analysis().unwrap().forms(), Forms::Folded);
}

#[test]
fn bad_input_is_slow_nowhere() {
    let begin = Instant::now();
    let marks = format!("e{}", "\u{301}".repeat(10_000));
    let long_language = "de".repeat(10_000);
    let (_folder, index) = pages(&[
        ("", &format!("{marks} rye")),
        (&long_language, "breads"),
        ("\u{1}\u{2}\u{3}", "breads"),
        ("de-\u{0}", "breads"),
        ("en-".repeat(20).as_str(), "breads"),
        ("en", &"é\u{300}\u{301}ß ".repeat(20_000)),
    ]);
    assert_eq!(total(&index, "rye"), 1);
    assert_eq!(ranked(&index, "bread"), [4]);
    let limits = Limits::default().query_bytes(1 << 20);
    let many = |one: &str| one.repeat(10_000);
    for query in [
        many("*"),
        many("* "),
        many("r*"),
        many("ry* "),
        many("bread~1 "),
        many("~1 "),
        many("~"),
        format!("{marks}*"),
        format!("{marks}~1"),
        format!("{}~1", many("é")),
        many("é-"),
    ] {
        // An answer or an error, but soon.
        let _ = index
            .search()
            .unwrap()
            .find(&Query::new(&query).limits(limits.clone()));
        let _ = Query::new(&query).limits(limits.clone()).note();
    }
    assert!(
        begin.elapsed() < Duration::from_secs(120),
        "{:?}",
        begin.elapsed()
    );
}
