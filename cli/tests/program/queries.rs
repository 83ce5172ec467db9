//! The signs of a query: what belongs to a word, and what is told where a sign means nothing.

use tempfile::TempDir;

use crate::command::run;

/// An index of two pages, of which only the first has apostrophes.
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
        "'don't panic'",
        "(don't OR nonesuch)",
        "title:dead's",
        "title:IN [dead's wheat]",
        "title:[dead's TO dead's]",
    ] {
        let (status, found, told) = run(&["search", &index, "--", query], "");
        assert_eq!((status, found.matches("https://").count()), (0, 1), "{query}: {found}{told}");
        assert!(found.contains("https://a.example/one"), "{query}: {found}");
    }
    let (_, found, told) = run(&["search", &index, "--", "panic -don't"], "");
    assert!(found.contains("/two") && !found.contains("/one"), "{found}{told}");
    for (query, expected) in [
        ("the dogs' bowl", "at character 9 of `the dogs' bowl` it is not well formed"),
        ("don't pa\"nic", "at character 9 of `don't pa\"nic` it is not well formed"),
        ("don't \"panic", "at the end of `don't \"panic` a quote is not closed"),
    ] {
        let (status, _, told) = run(&["search", &index, query], "");
        assert!(status == 2 && told.contains(expected), "{query}: {told}");
    }
}
