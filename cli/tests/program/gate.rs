//! Tests which pages each verb lets enter by robots.txt. That depends on the mode of interpreting
//! robots.txt, and on both URLs of a page. Doubtful lines are reported.

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{heedful, path, run, write};

const PAGE: &str = r#"{"url": "https://site.example/a/b", "html": "<p>word"}"#;

/// Every verb obeys `--mode`. The modes differ: by RFC 9309 the longest match decides, by the text
/// of 1994 any matching denial does, and Google also accepts lines that begin like a known key.
#[test]
fn every_verb_reads_robots_txt_by_the_mode_that_is_asked_for() {
    let folder = TempDir::new().unwrap();
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: *\nAllow: /a/b\nDisallow: /a\n",
    );
    for (mode, enters) in [
        ("rfc9309", true),
        ("google", true),
        ("1996", true),
        ("1994", false),
        ("lycos", true),
    ] {
        let (_, found, _) = run(
            &[
                "filter", "--input", "jsonl", "-r", &robots, "--mode", mode, "--format", "json",
            ],
            PAGE,
        );
        let page: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(page["verdict"]["enter"], enters, "{mode}");
    }
    let (status, found, _) = run(
        &["text", "--input", "jsonl", "-r", &robots, "--mode", "1994"],
        PAGE,
    );
    assert_eq!((status, found.as_str()), (1, ""));
    let (_, found, _) = run(
        &[
            "explain", "--input", "jsonl", "-r", &robots, "--mode", "1994", "--format", "json",
        ],
        PAGE,
    );
    let page: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        (&page["robots"][0]["allowed"], &page["robots"][0]["line"]),
        (&false.into(), &3.into()),
        "{found}"
    );
    let (status, _, told) = run(&["filter", "--mode", "2010"], "");
    assert!(
        status == 2 && told.contains("there are rfc9309, google"),
        "{told}"
    );
}

/// An index stores the mode of interpreting robots.txt under which the index was made. An index
/// cannot have two modes, and a purge judges by the stored mode.
#[test]
fn an_index_remembers_its_mode() {
    let folder = TempDir::new().unwrap();
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: *\nAllow: /a/b\nDisallow: /a\n",
    );
    let (old, new) = (path(&folder, "old"), path(&folder, "new"));
    let index = |folder: &str, more: &[&str]| {
        run(
            &[&["index", "-o", folder, "--input", "jsonl"], more].concat(),
            PAGE,
        )
    };
    assert_eq!(index(&old, &["--mode", "1994"]).0, 0);
    assert_eq!(index(&old, &[]).0, 0, "an index lends its mode");
    let (status, _, told) = index(&old, &["--mode", "rfc9309"]);
    assert!(
        status == 2 && told.contains("with robots.txt read by 1994, not by rfc9309"),
        "{told}"
    );
    // Naming RFC 9309 gives the same terms as naming no mode.
    assert_eq!(
        (index(&new, &["--mode", "rfc9309"]).0, index(&new, &[]).0),
        (0, 0)
    );
    let purged = |folder: &str| {
        run(
            &["purge", folder, "--robots", &robots, "--format", "json"],
            "",
        )
        .1
    };
    assert!(purged(&old).contains(r#""went":"page""#));
    assert_eq!(purged(&new), "");
}

/// All verbs match the rules of robots.txt with both URLs of the file `index.html`: the folder's
/// and its own. A page from an archive has only one URL.
#[test]
fn both_urls_of_a_page_are_asked_about_by_all() {
    let folder = TempDir::new().unwrap();
    write(
        &folder,
        "site/posts/index.html",
        "<meta name=robots content=noindex><p>word",
    );
    let (site, base) = (path(&folder, "site"), "https://site.example/");
    let pages = path(&folder, "index");
    write(&folder, "open/posts/index.html", "<p>word");
    let open = path(&folder, "open");
    assert_eq!(run(&["index", "-o", &pages, &open, "-u", base], "").0, 0);
    let line = r#"{"url": "https://site.example/other/", "html": "<p>word"}"#;
    assert_eq!(run(&["index", "-o", &pages, "--input", "jsonl"], line).0, 0);

    let robots = write(
        &folder,
        "new.txt",
        "User-agent: *\nDisallow: /*/index.html$\n",
    );
    let (_, found, _) = run(
        &["purge", &pages, "--robots", &robots, "--format", "json"],
        "",
    );
    let gone: Vec<Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(gone.len(), 1, "{found}");
    assert_eq!(
        (&gone[0]["url"], &gone[0]["went"]),
        (&"https://site.example/posts/".into(), &"page".into())
    );

    // A disallowed page is remembered with both URLs, so it is not reported as allowed again.
    let shut = path(&folder, "shut");
    assert_eq!(
        run(
            &["index", "-o", &shut, &open, "-u", base, "-r", &robots],
            ""
        )
        .0,
        0
    );
    assert_eq!(
        run(
            &["purge", &shut, "--robots", &robots, "--format", "json"],
            ""
        )
        .1,
        ""
    );

    let (status, found, _) = run(&["lint", &site, "-u", base, "-r", &robots], "");
    assert!(status == 1 && found.contains("noindex-unseen"), "{found}");
    let (_, found, _) = run(
        &[
            "explain", &open, "-u", base, "-r", &robots, "--format", "json",
        ],
        "",
    );
    let page: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert_eq!(
        page["robots"].as_array().unwrap().last().unwrap()["allowed"],
        false,
        "{found}"
    );
    let source = &page["robots"][0]["source"];
    assert_eq!(
        (&source["kind"], &source["place"]),
        (&"input".into(), &"https://site.example/robots.txt".into())
    );
    let (_, found, _) = run(
        &[
            "verify", &open, "-u", base, "-r", &robots, "--format", "json",
        ],
        "",
    );
    let check: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&check["characters"], &check["over_exclusions"]),
        (&0.into(), &Value::Array(Vec::new())),
        "{found}"
    );
}

/// Each robots.txt with doubtful lines is reported with the first such line, wherever the
/// robots.txt came from.
#[test]
fn odd_lines_of_robots_txt_are_told() {
    let folder = TempDir::new().unwrap();
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: *\nDisalow: /private/\nDissallow: /b\nDisallow /c\n",
    );
    let expected = format!(
        "note: robots.txt of {robots}: line 2: this key is not spelt so: it is read as the one it means, where that one denies [misspelt-key]; 2 more"
    );
    let (index, out) = (path(&folder, "index"), path(&folder, "out"));
    for arguments in [
        &["filter", "--format", "json"][..],
        &["filter", "--to", "wet"],
        &["text"],
        &["links"],
        &["index", "-o", &index],
        &["export", "--to", "solr", "-o", &out],
        &["snapshot"],
    ] {
        let arguments = [arguments, &["--input", "jsonl", "-r", &robots]].concat();
        // The output may be a compressed file, so only standard error is read as text.
        let told = String::from_utf8(
            heedful(&arguments)
                .write_stdin(PAGE)
                .output()
                .unwrap()
                .stderr,
        )
        .unwrap();
        assert!(
            told.lines().any(|line| line.starts_with(&expected)),
            "{arguments:?}: {told}"
        );
    }
    let (_, _, told) = run(&["text", "--input", "jsonl", "-r", &robots, "-q"], PAGE);
    assert_eq!(told, "");

    let brought = r#"{"url": "https://site.example/a", "html": "<p>word", "robots": "User-agent: *\nDisalow: /"}"#;
    let (_, _, told) = run(&["text", "--input", "jsonl"], brought);
    assert!(
        told.starts_with("note: robots.txt of https://site.example: line 2: this key"),
        "{told}"
    );

    // A folder's own file is reported by its site. Lines that only extend the RFC are not reported.
    // The number of named sites is limited.
    write(&folder, "site/robots.txt", "User-agent: *\nDisallow: b\n");
    write(&folder, "site/a.html", "<p>word");
    let (_, _, told) = run(
        &[
            "text",
            &path(&folder, "site"),
            "-u",
            "https://site.example/",
        ],
        "",
    );
    assert!(
        told.starts_with("note: robots.txt of https://site.example: line 2: a pattern begins with"),
        "{told}"
    );
    write(
        &folder,
        "site/robots.txt",
        "User-agent: MJ12bot\nDisallow: *b\n",
    );
    assert_eq!(
        run(
            &[
                "text",
                &path(&folder, "site"),
                "-u",
                "https://site.example/"
            ],
            ""
        )
        .2,
        ""
    );
    let site = |number: u32| {
        let robots =
            format!(r#"{{"url": "https://s{number}.example/robots.txt", "html": "Disalow: /"}}"#);
        format!("{robots}\n{{\"url\": \"https://s{number}.example/a\", \"html\": \"<p>word\"}}\n")
    };
    let (_, _, told) = run(
        &["text", "--input", "jsonl"],
        (0..7).map(site).collect::<String>(),
    );
    assert_eq!(
        told.matches("note: robots.txt of https://s").count(),
        5,
        "{told}"
    );
    assert!(
        told.contains("note: 2 more robots.txt files have such lines (-v lists them)"),
        "{told}"
    );
}

/// A JSON line that affects other lines, such as a robots.txt, is recognized in any spelling: JSON
/// may escape any letter, and the content may be in Base64.
#[test]
fn what_counts_beforehand_is_heard_however_a_line_is_written() {
    let folder = TempDir::new().unwrap();
    let text = |bot: &str, page: &str, url: &str, other: &str| {
        let lines = format!(
            "{}\n{{\"url\":\"https://site.example/{url}\",{other}}}\n",
            serde_json::json!({"url": "https://site.example/a", "html": page})
        );
        let file = write(&folder, "pages.jsonl", &lines);
        let arguments = [
            "filter",
            "-b",
            bot,
            "--conventions",
            "web,+pagefind-body",
            "--format",
            "json",
            &file,
        ];
        let found = run(&arguments, "").1;
        let first: Value = serde_json::from_str(found.lines().next().unwrap_or("null")).unwrap();
        let phrases = first["phrases"].as_array().cloned().unwrap_or_default();
        phrases
            .iter()
            .map(|phrase| phrase.as_str().unwrap())
            .collect::<Vec<_>>()
            .join("|")
    };
    let named =
        "<link rel=RobotExclusion.Names href=/bots.html><p>one <b class=robot3-noindex>two</b>";
    for names in [
        r#""html":"<meta name=RobotExclusion.RobotName3 content='Foo Bot'>""#,
        r#""html":"<meta name=ROBOTEXCLUSION.robotname3 content='Foo Bot'>""#,
        r#""html":"<meta name=\"RobotE\u0078clusion.RobotName3\" content='Foo Bot'>""#,
        r#""html":"<meta name=RobotExclusion\u002ERobotName3 content='Foo Bot'>""#,
        r#""HTML_B64":"PG1ldGEgbmFtZT1Sb2JvdEV4Y2x1c2lvbi5Sb2JvdE5hbWUzIGNvbnRlbnQ9J0ZvbyBCb3QnPg==""#,
        r#""html\u005fb64":"PG1ldGEgbmFtZT1Sb2JvdEV4Y2x1c2lvbi5Sb2JvdE5hbWUzIGNvbnRlbnQ9J0ZvbyBCb3QnPg==""#,
    ] {
        assert_eq!(
            text("Bar Bot", named, "bots.html", names),
            "one two",
            "{names}"
        );
        assert_eq!(text("Foo Bot", named, "bots.html", names), "one", "{names}");
    }
    assert_eq!(
        text("Bar Bot", named, "bots.html", r#""html":"<p>nobody""#),
        "one"
    );
    for marked in [
        r#""html":"<p data-pagefind-body>x""#,
        r#""html":"<p Data-Pagefind-Body>x""#,
        r#""html":"<p data-page\u0066ind-body>x""#,
        r#""html_b64":"PHAgZGF0YS1wYWdlZmluZC1ib2R5Png=""#,
        r#""html_b64":"PABwACAAZABhAHQAYQAtAHAAYQBnAGUAZgBpAG4AZAAtAGIAbwBkAHkAPgB4AA==","headers":{"Content-Type":"text/html; charset=utf-16le"}"#,
    ] {
        assert_ne!(text("FooBot", "<p>one", "b", marked), "one", "{marked}");
    }
    assert_eq!(
        text(
            "FooBot",
            "<p>one",
            "b",
            r#""html":"<p data-pagefind-\nbody>x""#
        ),
        "one"
    );
    for robots in [
        "/robots.txt",
        "/r\\u006fbots.txt",
        "/robots.\\ttxt",
        "/a\\\\..\\\\robots\\u002Et\\u000ax\\nt",
    ] {
        let line = r#""html":"User-agent: *\nDisallow: /""#;
        assert_eq!(
            text(
                "FooBot",
                "<p>one",
                robots.strip_prefix('/').unwrap_or(robots),
                line
            ),
            "",
            "{robots}"
        );
    }
}

/// If a rule of a robots.txt is a URL of another host, no verb applies the rule to the host of that
/// robots.txt. The rule applies if `check` is asked about a path without a host.
#[test]
fn a_rule_for_another_host_shuts_no_site() {
    let folder = TempDir::new().unwrap();
    let rules = "User-agent: *\nDisallow: /cart/\nDisallow: https://buy.site.example/\nNoindex: https://buy.site.example/\n\
        DisallowAITraining: https://buy.site.example/\n";
    let robots = write(&folder, "robots.txt", rules);
    let ask = |url: &str| run(&["check", "-r", &robots, url], "").0;
    assert_eq!(
        (
            ask("https://www.site.example/"),
            ask("https://site.example/a")
        ),
        (0, 0)
    );
    assert_eq!(
        (
            ask("https://buy.site.example/"),
            ask("http://www.buy.site.example/a"),
            ask("/a")
        ),
        (1, 1, 1)
    );
    let pages = path(&folder, "index");
    let (status, _, told) = run(
        &["index", "-o", &pages, "--input", "jsonl", "-r", &robots],
        PAGE,
    );
    assert!(status == 0 && told.contains("1 page"), "{told}");
    // A purge judges the pages of an index without their bytes, by other code for the same rules.
    let purge = ["purge", &pages, "--robots", &robots, "--format", "json"];
    assert_eq!(run(&purge, "").1, "");
    let own = write(
        &folder,
        "own.txt",
        "User-agent: *\nDisallow: http://www.site.example/a/\n",
    );
    assert_eq!(
        run(&["check", "-r", &own, "https://site.example/a/b"], "").0,
        1
    );
    let purge = ["purge", &pages, "--robots", &own, "--format", "json"];
    assert!(run(&purge, "").1.contains(r#""went":"page""#));
}
