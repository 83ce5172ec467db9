//! The syntax of search queries: which characters belong to a word, and the notes on characters
//! that have no meaning.

use tempfile::TempDir;

use crate::command::run;

/// Creates an index of two pages, of which only the first contains apostrophes. Returns its folder,
/// then its path.
fn index() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let pages = [
        r#"{"url":"https://a.example/one","html":"<title>Dead's list</title><p>don't panic, o'reilly music. the grateful dead's 3 songs"}"#,
        r#"{"url":"https://a.example/two","html":"<title>Other</title><p>don t panic o reilly audio 3"}"#,
    ];
    assert_eq!(run(&["index", "-o", &index, "-q"], pages.join("\n")).0, 0);
    (folder, index)
}

#[test]
fn an_apostrophe_in_a_word_is_no_quote() {
    let (_folder, index) = index();
    for query in [
        "don't",
        "\"don't\"",
        "DON'T panic",
        "don't grateful",
        "don't dead's",
        "grateful dead's",
        "o'reilly music",
        "music' the grateful",
        "'don't panic'",
        "(don't OR nonesuch)",
        "title:dead's",
        "title:IN [dead's wheat]",
        "title:[dead's TO dead's]",
    ] {
        let (status, found, told) = run(&["search", &index, "--", query], "");
        assert_eq!(
            (status, found.matches("https://").count()),
            (0, 1),
            "{query}: {found}{told}"
        );
        assert!(found.contains("https://a.example/one"), "{query}: {found}");
    }
    let (_, found, told) = run(&["search", &index, "--", "panic -don't"], "");
    assert!(
        found.contains("/two") && !found.contains("/one"),
        "{found}{told}"
    );
    for (query, expected) in [
        (
            "don't pa\"nic",
            "at character 9 of `don't pa\"nic` it is not well formed",
        ),
        (
            "don't \"panic",
            "at the end of `don't \"panic` a quote is not closed",
        ),
    ] {
        let (status, _, told) = run(&["search", &index, query], "");
        assert!(status == 2 && told.contains(expected), "{query}: {told}");
    }
}

#[test]
fn nearness_is_a_small_whole_number_right_behind_a_phrase() {
    let (_folder, index) = index();
    let wanted = "a small whole number must follow `~`, as \"dark rye\"~3";
    let apart = "a tilde must follow its phrase without a space";
    for (query, at, expected) in [
        ("\"don't panic\"~-1", 14, wanted),
        ("\"don't panic\"~x", 14, wanted),
        ("\"don't panic\"~9999999999", 14, wanted),
        ("\"panic\"~1 \"audio\" ~3", 19, apart),
        ("(\"audio\" ~3)", 10, apart),
    ] {
        let (status, found, told) = run(&["search", &index, query], "");
        assert_eq!((status, found.as_str()), (2, ""), "{query}");
        assert!(
            told.contains(&format!("at character {at} of `{query}` {expected}")),
            "{told}"
        );
    }
    for query in [
        "\"don't panic\"~1",
        "'don't music'~9",
        "\"a ~3 b\" OR panic",
        "~other",
    ] {
        let (status, _, told) = run(&["search", &index, query], "");
        assert_eq!((status, told.as_str()), (0, ""), "{query}");
    }
}

#[test]
fn a_sign_that_says_nothing_is_told() {
    let (_folder, index) = index();
    for (query, note) in [
        (
            "a*",
            "the star in `a*` has no effect: a star must follow one word of at least 2 characters, \
             as rye*, or a phrase, as \"dark ry\"*",
        ),
        (
            "panic (other OR -au*dio)",
            "the star in `au*dio` has no effect",
        ),
        (
            "audio~3",
            "the tilde in `audio~3` has no effect: ~1 must follow one word of at least 4 characters, \
             as bread~1, or a number must follow a phrase, as \"dark rye\"~3",
        ),
    ] {
        for format in ["text", "json"] {
            let (_, _, told) = run(&["search", &index, "--format", format, query], "");
            assert!(
                told.starts_with(&format!("note: {note}")),
                "{query}: {told}"
            );
        }
    }
    for query in [
        "*",
        "audio*",
        "\"audi\"*",
        "audoi~1",
        "\"panic au\"*",
        "\"audio*\"",
        "panic -audio",
        "title:[a TO *]",
    ] {
        assert!(
            !run(&["search", &index, query], "").2.contains("note:"),
            "{query}"
        );
    }
}

/// A query that begins with an excluded word gets a tip. The tip is correct for a quoted query and
/// for a query of only excluded words.
#[test]
fn a_query_that_begins_with_what_must_not_be_there_is_told_so() {
    let (_folder, index) = index();
    for query in [
        &["-audio"][..],
        &["-audio music"],
        &["-audio", "-n", "5"],
        &["panic", "-audio"],
    ] {
        let (status, _, told) = run(&[&["search", &index], query].concat(), "");
        let expected = "begin the query with what must be there, and quote it: 'rye -audio'\n";
        assert!(status == 2 && told.contains(expected), "{query:?}: {told}");
    }
    let (status, _, told) = run(&["search", &index, "--", "-audio"], "");
    assert!(
        status == 2 && told.contains("it says only what must not be there"),
        "{told}"
    );
}

/// With `--at-least` the program says that there may be more pages, and shows the same hits.
#[test]
fn counting_stops_where_it_is_told() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let page = |number: usize| {
        let text = "rye bread ".repeat(1 + number % 7);
        format!(r#"{{"url":"https://a.example/{number}","html":"<p>{text}"}}"#)
    };
    let pages: Vec<_> = (0..3000).map(page).collect();
    assert_eq!(run(&["index", "-o", &index, "-q"], pages.join("\n")).0, 0);
    let (_, all, told) = run(&["search", &index, "rye", "-n", "3"], "");
    assert!(told.contains("1 to 3 of 3,000 pages"), "{told}");
    let asked = ["search", &index, "rye", "-n", "3", "--at-least", "10"];
    let (_, some, told) = run(&asked, "");
    assert!(told.contains("1 to 3 of at least "), "{told}");
    assert_eq!(all, some);
}
