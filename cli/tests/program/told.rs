//! Mistakes of users that otherwise would have no visible effect, or would give an error that the
//! user does not understand. A message names each of these mistakes.

use tempfile::TempDir;

use crate::command::run;

const URL: &str = "https://site.example/";

/// Creates a folder with one file. Returns the folder, and the path of the file.
fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path.display().to_string())
}

#[test]
fn a_line_of_json_is_refused_in_words_of_json() {
    for (rest, expected) in [
        (
            r#""headers":[["Date"]]"#,
            "invalid length 1, expected a name and a value at column",
        ),
        (
            r#""responseHeaders":{}"#,
            "`responseHeaders` is no key; did you mean `headers`?",
        ),
        (
            r#""robots_b64":"VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLw==""#,
            "`robots_b64` is no key; did you mean `robots`?",
        ),
        (
            r#""meta_robots":"noindex""#,
            "`meta_robots` is no key; did you mean `robots`?",
        ),
        (
            r#""headers_b64":"""#,
            "`headers_b64` is no key; did you mean `headers`?",
        ),
        (r#""uri":1"#, ""),
        (r#""date":" ""#, ""),
        (r#""date":"yesterday""#, ""),
    ] {
        let (status, found, told) = run(
            &["text"],
            format!(r#"{{"url":"{URL}","html":"<p>one",{rest}}}"#),
        );
        let is_read = expected.is_empty();
        assert!(
            (status == 0) == is_read && found.contains("one\n") == is_read,
            "{rest}: {found}{told}"
        );
        assert!(told.contains(expected), "{rest}: {told}");
    }
    let (_, _, told) = run(
        &["text"],
        format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\"}}\nnix\nnull\n"),
    );
    assert!(
        told.contains("line 2: no page as a JSON object: expected value at column 2"),
        "{told}"
    );
    assert!(
        told.contains("line 3: no page as a JSON object: invalid type: null, expected an object"),
        "{told}"
    );
    let both = r#"{"robots":"","robots_b64":"","bot":"x","url":"https://a/b"}"#;
    let (_, found, _) = run(&["check", "--batch"], both);
    assert!(
        found.contains("`robots` and `robots_b64` are two answers"),
        "{found}"
    );
    let (_, found, _) = run(&["check", "--batch"], "{\"url\":\"/a\"}\nnix\n");
    assert!(
        found.contains("this is no question: no `bot` at column 12"),
        "{found}"
    );
    assert!(
        found.contains("this is no question: expected value at column 2"),
        "{found}"
    );
}

#[test]
fn a_file_that_is_another_one_is_named() {
    let (_folder, pages) = file(
        "pages.jsonl",
        format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\"}}\n"),
    );
    let (_folder, rules) = file("rules.txt", "# Ours\nUser-agent: *\nDisallow: /x\n");
    let (status, _, told) = run(&["lint", &rules], "");
    assert!(
        status == 2
            && told.contains("it has the rules of a robots.txt, and is no page: give it as such"),
        "{told}"
    );
    let census = format!("{pages}.census");
    assert_eq!(run(&["census", &pages, "-o", &census, "-q"], "").0, 0);
    for (arguments, expected) in [
        (
            ["census", &census, "-q"],
            format!("{census} is a census, and no input: `heedful census --merge {census}` reads"),
        ),
        (
            ["census", "--merge", &pages],
            format!("{pages}: this is no census, as `heedful census -o` writes one: no `census`"),
        ),
    ] {
        let (status, _, told) = run(&arguments, "");
        assert!(status == 2 && told.contains(&expected), "{told}");
    }
}

#[test]
fn a_table_without_a_row_is_named_however_it_is_stored() {
    let packed = [
        31_u8, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    for (name, content) in [
        ("a.jsonl", &b""[..]),
        ("b.jsonl", b"\n \n"),
        ("c.jsonl.gz", &packed),
    ] {
        let (_folder, path) = file(name, content);
        let (status, _, told) = run(&["text", &path], "");
        assert!(
            status == 1 && told.contains(&format!("{path} is empty\n")),
            "{name}: {told}"
        );
        assert!(
            told.contains("there is no page in the input"),
            "{name}: {told}"
        );
    }
}

#[test]
fn a_mistake_in_a_file_of_rules_has_its_own_place() {
    for (rules, expected) in [
        (
            "open = \"a\"\nclose = \"b\"\nclose = \"c\"\ndeny = [\"noindex\"]",
            "own.toml:4:1: `close` is there twice",
        ),
        (
            "open = \"a\"\nclose = \"\"\ndeny = [\"noindex\"]",
            "own.toml:3:9: a comment of a region is empty",
        ),
        (
            "open = \"\"\nclose = \"b\"\ndeny = [\"noindex\"]",
            "own.toml:2:8: a comment of a region is empty",
        ),
        (
            "open = \"a\"\nclose = \"a\"\ndeny = [\"noindex\"]",
            "own.toml:2:8: a region needs two comments that differ",
        ),
    ] {
        let (_folder, path) = file("own.toml", format!("[[region]]\n{rules}\n"));
        let (status, found, told) = run(&["text", "--convention-file", &path], "<p>one");
        assert!(
            status == 2 && found.is_empty() && told.contains(expected),
            "{rules}: {told}"
        );
    }
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let page = "corpus/site/index.html";
    for (arguments, expected) in [
        (
            vec!["snapshot", page, "corpus/site/about.html"],
            "there are several pages: name a folder or a .warc.gz",
        ),
        (
            vec!["text", page, "--memory", "1"],
            "a run needs 64 MiB at the least",
        ),
        (
            vec!["limits", "--memory", "63M"],
            "a run needs 64 MiB at the least",
        ),
        (
            vec!["text", page, "--memory", "9999999G"],
            "the system does not give 10239998976 MiB of memory",
        ),
        (
            vec!["index", page, "--url", URL, "--whole", "-o", &index],
            "--whole is for an input that names all pages of a site: corpus/site/index.html is one page",
        ),
    ] {
        let (status, found, told) = run(&arguments, "");
        assert!(
            status == 2 && found.is_empty() && told.contains(expected),
            "{arguments:?}: {found}{told}"
        );
    }
}

#[test]
fn what_a_run_takes_away_or_leaves_out_is_told() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let page = "corpus/site/index.html";
    assert_eq!(
        run(
            &[
                "index",
                page,
                "--url",
                URL,
                "--snapshot",
                "-q",
                "-o",
                &index
            ],
            ""
        )
        .0,
        0
    );
    let (_, _, told) = run(&["index", page, "--url", URL, "-o", &index], "");
    assert!(
        told.contains("the index has 1 snapshot: pages that are indexed again without --snapshot"),
        "{told}"
    );
    let (_, _, told) = run(&["index", page, "--url", URL, "-o", &index], "");
    assert!(!told.contains("snapshot"), "{told}");
    let rule = "unknown-token";
    let (status, _, told) = run(&["lint", page, "--only", rule, "--skip", rule], "");
    assert!(
        status == 2 && told.contains("no rule is left: --skip takes away all that --only names"),
        "{told}"
    );
}

/// The program reports the HTTP status and the date of a robots.txt in the input. For a folder
/// without a robots.txt it reports no status, since nothing was requested over HTTP.
#[test]
fn where_a_robots_txt_comes_from_is_told() {
    let robots = r#"{"url":"https://a.example/robots.txt","status":503,"date":"2026-11-02T08:00:00Z","html":""}"#;
    let lines = format!("{robots}\n{{\"url\":\"https://a.example/\",\"html\":\"<p>one\"}}\n");
    let (_, found, _) = run(&["explain", "--format", "json", "-q"], lines);
    assert!(
        found.contains(r#""fetched":"2026-11-02T08:00:00Z","status":503"#),
        "{found}"
    );
    let (folder, _) = file("a.html", "<p>one");
    let (_, found, _) = run(
        &["explain", folder.path().to_str().unwrap(), "-u", URL, "-q"],
        "",
    );
    assert!(
        found.contains("no robots.txt in the folder") && !found.contains("404"),
        "{found}"
    );
}

/// The fetch date of a page that cannot be parsed is treated as missing, and is reported.
#[test]
fn an_unreadable_date_is_none_with_a_note() {
    let told = |date: &str| {
        let line = format!(r#"{{"url":"{URL}","html":"<p>one","date":"{date}"}}"#);
        let page: serde_json::Value = serde_json::from_str(&run(&["filter"], line).1).unwrap();
        assert_eq!(page["phrases"][0], "one", "{date}");
        (
            page["about"]["date"].as_str().map(str::to_owned),
            page["notes"][0]["kind"].as_str().map(str::to_owned),
        )
    };
    for date in ["yesterday", "9999-12-31T23:59:59Z"] {
        assert_eq!(
            told(date),
            (None, Some("unreadable-date".to_owned())),
            "{date}"
        );
    }
    assert_eq!(
        told(" 2024-01-01T00:00:00Z "),
        (Some("2024-01-01T00:00:00Z".to_owned()), None)
    );
    // The page in the index stays, as after any answer that says nothing about the page.
    let index = TempDir::new().unwrap();
    let path = index.path().join("index").display().to_string();
    for rest in [
        r#""html":"<p>one""#,
        r#""status":503,"html":"","date":"soon""#,
    ] {
        assert_eq!(
            run(
                &["index", "-o", &path, "-q"],
                format!("{{\"url\":\"{URL}\",{rest}}}")
            )
            .0,
            0,
            "{rest}"
        );
    }
    assert_eq!(run(&["search", &path, "one"], "").0, 0);
}

#[test]
fn a_denial_by_url_that_meets_nothing_is_named() {
    for (pattern, is_met) in [
        ("/rye", true),
        ("/Rye", false),
        ("http://site.example/rye", false),
    ] {
        let url = format!("{URL}rye");
        let (_, _, told) = run(
            &["text", "-u", &url, "--deny", &format!("noindex={pattern}")],
            "<p>one",
        );
        assert_eq!(
            told.contains(&format!(
                "note: matched no page: `noindex={pattern}` (--deny, "
            )),
            !is_met,
            "{told}"
        );
    }
}

/// A denial by URL that matches no page is reported, whether it is in a file or on the command
/// line.
#[test]
fn a_denial_by_url_in_a_file_that_meets_nothing_is_named() {
    let rules = "[[page]]\nurl = ['/rye', '/zzz', 'https://site.example$']\ndeny = ['noindex', 'noarchive']\n";
    let (_folder, path) = file("own.toml", rules);
    let (status, _, told) = run(
        &[
            "text",
            "-u",
            &format!("{URL}rye"),
            "--convention-file",
            &path,
        ],
        "<p>one",
    );
    let expected = "note: matched no page: `noindex,noarchive=/zzz`, `noindex,noarchive=https://site.example$` (--deny, ";
    assert!(status == 1 && told.contains(expected), "{told}");
    let (_, _, told) = run(
        &[
            "text",
            "-u",
            URL,
            "--convention-file",
            &path,
            "--deny",
            "noindex=/q",
        ],
        "<p>one",
    );
    let expected = "`noindex,noarchive=/rye`, `noindex,noarchive=/zzz`, `noindex=/q` (--deny, ";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn a_selector_that_no_element_could_have_is_refused() {
    let page = "<p data-a='X Y'>one<p>two";
    for selector in [
        "[data-a=\"X\" i]",
        "[data-a=X i]",
        "[data-a='x's]",
        "[data-a=x y]",
        "[data-a='x y]",
        "[data-a=x\\ y]",
    ] {
        let told = |(status, found, told): (i32, String, String)| {
            assert!(
                status == 2
                    && found.is_empty()
                    && told.contains(&format!("`{selector}` is no selector")),
                "{told}"
            );
        };
        told(run(
            &["text", "--deny-element", &format!("noindex={selector}")],
            page,
        ));
        let (_folder, path) = file(
            "own.toml",
            format!("[[element]]\nselect = '''{selector}'''\ndeny = ['noindex']\n"),
        );
        told(run(&["text", "--convention-file", &path], page));
        let denied = heedful::Uses::parse("noindex").unwrap();
        assert!(
            heedful::Conventions::default()
                .element(selector, denied)
                .is_err(),
            "{selector}"
        );
    }
    let quoted = "noindex=[ data-a = \"x y\" ]";
    assert_eq!(run(&["text", "--deny-element", quoted], page).1, "two\n");
}

/// Notes and reasons quote only the directives in the markup of a page. They never quote its text,
/// even if the value of an attribute contains text.
#[test]
fn notes_quote_marks_and_never_text() {
    for page in [
        "<title class=robots-noindex>T <!-- robots content=\"noindex SECRET here\"> more</title>x",
        "<textarea class=robots-noindex><!-- googleoff: index SECRET --></textarea>x",
        "<meta name=robots content=noindex><title>T <!-- robots content=\"noindex SECRET --></title>",
        "<meta name=\"robots\" content=\"noindex />\n<title>SECRET title</title>\n<link rel=\"stylesheet\">",
        "<p class=\"robots-noindex >SECRET words</p><p class=\"y\">z",
        "<p class=\"robots-noindex>SECRET</p>k<p title=\">z",
        "<p class=\"a|robots-noindex|>SECRET</p><p class=\"\">z",
        "<a href=/q rel=\"nofollow >SECRET</a><a class=\"z\" href=/r>k</a>",
        "<a href=/q rel=\"nofollow/>SECRET words</a> <p class=\"x\">k",
        "<meta name=\"robots\" value=\"noindex >SECRET words</p><p class=\"x\">",
        "<meta property=\"robot>SECRET words<p class=\" content=noindex>",
        "<div class=robots-noindex><img class=\u{201C}x alt=\u{201C}The robots-SECRET plan\u{201D} src=/a></div>k",
        "<div class=robots-noindex><img class=\u{201C}x alt=\u{201C}a SECRET,robots-noindex b\u{201D} src=/x></div>",
        "<div class=robots-noindex><!-- noindex \u{79D8}SECRET robots --></div>k",
        "<meta name=twitter:description http-equiv=robots content=\"SECRET noindex\">x",
    ] {
        for verb in ["filter", "lint", "text", "links", "mask"] {
            let (_, found, told) = run(&[verb, "-", "-u", URL, "--input", "html"], page);
            let all = (found + &told).to_lowercase();
            assert!(!all.contains("secret"), "{verb} {page}: {all}");
        }
    }
}

/// Each verb that reads pages reports damaged records beside a single page, and fails for them with
/// `--strict` alone. For a single page without damage there is no summary.
#[test]
fn damage_beside_a_single_page_is_told() {
    let page = r#"{"url": "https://site.example/a", "html": "<p>word"}"#;
    let input = format!("{page}\n{}", "{\"broken\n".repeat(30));
    for verb in [
        &["filter"][..],
        &["filter", "--format", "text"],
        &["text"],
        &["explain"],
        &["snapshot"],
    ] {
        let (status, _, told) = run(&[verb, &["--input", "jsonl"]].concat(), &input);
        assert!(told.contains("passed over: 30 damaged"), "{verb:?}: {told}");
        assert_eq!(status, 0, "{verb:?}: {told}");
        let (status, _, told) = run(&[verb, &["--input", "jsonl", "--strict"]].concat(), &input);
        assert_eq!(status, 2, "{verb:?}: {told}");
        let told = run(&[verb, &["--input", "jsonl", "-q"]].concat(), &input).2;
        assert!(!told.contains("passed over"), "{verb:?}: {told}");
        let told = run(&[verb, &["--input", "jsonl"]].concat(), page).2;
        assert!(!told.contains("passed over"), "{verb:?}: {told}");
    }
}
