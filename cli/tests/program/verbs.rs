//! The verbs of the program as a user runs them.

use tempfile::TempDir;

use crate::command::run;
use crate::support::root;
use crate::withheld::WITHHELD;

pub(crate) fn site() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let (status, _, told) = run(
        &[
            "index",
            "corpus/site",
            "-o",
            &index,
            "--url",
            "https://site.example/",
            "--at",
            "2026-11-21",
        ],
        "",
    );
    assert_eq!(status, 0, "{told}");
    assert!(
        told.contains("51 pages, 41 indexed; 4 kept out by robots.txt, 6 noindex, 0 failed"),
        "{told}"
    );
    (folder, index)
}

/// Queries, each with the name of the only page that it finds.
const FOUND: &[(&str, &str)] = &[
    ("\"bravo charlie\"", "alphabet-plain.html"),
    ("bricklayer", "about.html"),
    ("\"spelt rolls\"", "hours.html"),
    ("cheesemonger", "market.html"),
    ("caravan", "guestbook.html"),
    ("mortar", "rye.html"),
    ("violin", "salt-sticks.html"),
    ("linseed", "seed-crackers.html"),
    ("bergamot", "tea-loaf.html"),
    ("skillet", "flatbread.html"),
    ("dinghy", "flood.html"),
    ("dishcloth", "oven-name.html"),
    ("poppyseed", "lost-keys.html"),
    ("\"furrows of a runner\"", "stones.html"),
    ("lemonade", "open-day.html"),
    ("Küchenfenster", "deutsch.html"),
    ("bâtonnets", "francais.html"),
    ("śliwkami", "polski.html"),
    ("body:ржаной", "russkij.html"),
    ("body:ライムギ", "nihongo.html"),
];

/// Phrase queries that would match only if the text around a withheld part were joined.
const ACROSS: &[&str] = &[
    "\"salted butter\"",
    "\"salted butter\"~255",
    "\"bravo charlie\" -plainly",
];

#[test]
fn a_site_is_indexed_and_searched() {
    let (_folder, index) = site();
    for (query, pages) in FOUND {
        let (status, found, _) = run(&["search", &index, query, "--format", "json"], "");
        let urls: Vec<String> = found
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["url"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(status, 0, "{query}");
        assert!(
            urls.len() == 1 && urls[0].ends_with(pages),
            "{query}: {urls:?}"
        );
    }
    for query in WITHHELD.iter().chain(ACROSS) {
        let (status, found, _) = run(&["search", &index, query], "");
        assert_eq!((status, found.as_str()), (1, ""), "{query}");
    }
}

#[test]
fn nothing_withheld_is_in_the_files_of_an_index() {
    let (_folder, index) = site();
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(&index)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_file())
    {
        bytes.extend(std::fs::read(entry.path()).unwrap());
    }
    let holds = |word: &str| {
        bytes
            .windows(word.len())
            .any(|window| window == word.as_bytes())
    };
    let seen = [
        "flatbread",
        "gherkins",
        "sourdough",
        "stollen",
        "barley",
        "crackers",
    ]
    .into_iter()
    .filter(|word| holds(word));
    assert!(
        seen.count() >= 3,
        "the stored text is compressed beyond this test's sight"
    );
    for word in [
        "signpost",
        "bankruptcy",
        "sleepwalker",
        "honeycomb",
        "payslip",
    ] {
        assert!(!holds(word), "{word}");
    }
}

#[test]
fn what_is_no_page_any_more_leaves_the_index() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let line = |rest: &str| format!("{{\"url\":\"https://a.example/x\",{rest}}}\n");
    let add = |rest: &str| run(&["index", "-o", &index, "-q", "-"], line(rest));
    assert_eq!(add("\"html\":\"<p>word\"").0, 0);
    assert_eq!(run(&["search", &index, "word"], "").0, 0);
    assert_eq!(add("\"html\":\"\",\"status\":410").0, 0);
    assert_eq!(run(&["search", &index, "word"], "").0, 1);
}

#[test]
fn every_robots_txt_of_a_site_counts() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for site in ["a", "b"] {
        std::fs::create_dir(path(site)).unwrap();
        std::fs::write(path(&format!("{site}/page.html")), "<p>word").unwrap();
    }
    std::fs::write(path("a/robots.txt"), "User-agent: *\nDisallow: /").unwrap();
    for sites in [["a", "b"], ["b", "a"]] {
        let (status, found, _) = run(
            &[
                "text",
                &path(sites[0]),
                &path(sites[1]),
                "-u",
                "https://s.example/",
            ],
            "",
        );
        assert_eq!((status, found.as_str()), (1, ""));
    }
}

#[test]
fn a_second_run_replaces() {
    let (_folder, index) = site();
    let (status, _, told) = run(
        &[
            "index",
            "corpus/site",
            "-o",
            &index,
            "-u",
            "https://site.example/",
            "--at",
            "2026-11-21",
            "-j",
            "1",
        ],
        "",
    );
    assert_eq!(status, 0, "{told}");
    let found = run(&["stats", &index, "--format", "json"], "").1;
    let counts = "{\"pages\":41,\"hosts\":1,\"anchors\":124,\"tombstones\":10,\"snapshots\":0,\"snapshot_bytes\":0,";
    assert!(found.starts_with(counts), "{found}");
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        [&found["bot"], &found["conventions"], &found["forms"]],
        [
            &serde_json::json!(["heedful"]),
            &"web".into(),
            &"stemmed".into()
        ]
    );
    assert!(found["bytes"].as_u64().unwrap() > 10_000, "{found}");
    assert!(
        run(&["stats", &index], "")
            .1
            .starts_with("41 pages of 1 host\n124 anchors\n10 URLs gone\n")
    );
}

#[test]
fn every_url_of_an_index_is_listed_with_its_state() {
    let (_folder, index) = site();
    let (status, found, _) = run(&["stats", &index, "--list", "--format", "json"], "");
    let lines: Vec<serde_json::Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |state: &str| lines.iter().filter(|line| line["state"] == state).count();
    assert_eq!(
        (status, lines.len(), count("page"), count("gone")),
        (0, 51, 41, 10)
    );
    for line in &lines {
        let (_, of, _) = run(
            &[
                "stats",
                &index,
                "--format",
                "json",
                "--of",
                line["url"].as_str().unwrap(),
            ],
            "",
        );
        let of: serde_json::Value = serde_json::from_str(&of).unwrap();
        let keys = line.as_object().unwrap().iter();
        assert!(
            keys.clone().count() == 6 && keys.clone().all(|(key, value)| of[key] == *value),
            "{line} {of}"
        );
    }
    let (_, found, _) = run(&["stats", &index, "--list"], "");
    assert!(
        found.contains("https://site.example/about.html indexed, without a snapshot"),
        "{found}"
    );
    assert_eq!(run(&["stats", &index, "--list", "--check"], "").0, 2);
}

#[test]
fn an_index_tells_its_bot_and_its_conventions_in_short() {
    let folder = TempDir::new().unwrap();
    let cases: [(&[&str], &str, &str); 5] = [
        (&["--conventions", "web,-rel"], "heedful", "web,-rel"),
        (&["--conventions", "none"], "heedful", "none"),
        (
            &["--conventions", "seed,+zoom", "-b", "FooBot=foo"],
            "foobot=foo",
            "seed,+zoom",
        ),
        (&["--conventions", "all"], "heedful", "all"),
        (
            &["--deny-element", "noindex=.menu"],
            "heedful",
            "web,custom",
        ),
    ];
    for (number, (arguments, bot, conventions)) in cases.into_iter().enumerate() {
        let index = folder.path().join(number.to_string()).display().to_string();
        assert_eq!(
            run(
                &[
                    &["index", "-q", "-u", "https://site.example/", "-o", &index],
                    arguments
                ]
                .concat(),
                "<p>a"
            )
            .0,
            0
        );
        let told = run(&["stats", &index], "").1;
        assert!(
            told.contains(&format!(
                "\nfor {bot}, by the conventions `{conventions}`\n"
            )),
            "{told}"
        );
    }
}

#[test]
fn a_bot_that_is_shut_out_gets_nothing() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let arguments = [
        "index",
        "corpus/site",
        "-o",
        &index,
        "-u",
        "https://site.example/",
        "-b",
        "greedybot",
    ];
    let (status, _, told) = run(&arguments, "");
    assert_eq!(status, 0);
    assert!(
        told.contains("51 pages, 0 indexed; 51 kept out by robots.txt"),
        "{told}"
    );
}

const LINE: &str = r#"{"url":"https://site.example/a/b","html":"<title>T</title><h1>Rye</h1><!-- robots content=\"none\" --><p>x<a href=x>x</a><!-- /robots --><a href=/y>why</a><img alt=loaf src=l.png><meta name=description content=D>","headers":[["X-Robots-Tag","noarchive, max-snippet: 20"]],"robots":"User-agent: *\nDisallow: /shut/"}"#;

/// The keys of the JSON of `filter`, their order and their types do not change.
#[test]
fn the_json_is_stable() {
    let (status, found, told) = run(&["filter", "-j", "1"], format!("{LINE}\n"));
    assert_eq!((status, told.as_str()), (0, ""));
    let expected = concat!(
        r#"{"url":"https://site.example/a/b","bot":"heedful","verdict":{"enter":true,"index":true,"follow":true,"#,
        r#""anchor":true,"archive":false,"snippet":true,"image":true,"translate":true,"train":false,"input":false,"max_snippet":20,"#,
        r#""max_image_preview":null,"max_video_preview":null,"unavailable_after":null},"title":["T"],"#,
        r#""description":["D"],"headings":["Rye"],"phrases":["Rye","why"],"alt":["loaf"],"links":["#,
        r#"{"url":"https://site.example/a/x","kind":"a","rel":[],"text":"","follow":false,"anchor":false,"why":"#,
        r#"{"follow":{"line":1,"column":29,"convention":"spiderline","directive":"<!-- robots content=\"none\" -->","origin":"page"},"#,
        r#""anchor":{"line":1,"column":29,"convention":"spiderline","directive":"<!-- robots content=\"none\" -->","origin":"page"}},"phrases":[],"show":false,"input":false},"#,
        r#"{"url":"https://site.example/y","kind":"a","rel":[],"text":"why","follow":true,"anchor":true,"why":null,"phrases":["why"],"show":true,"input":false},"#,
        r#"{"url":"https://site.example/a/l.png","kind":"img","rel":[],"text":"","follow":true,"anchor":true,"#,
        r#""why":null,"phrases":[],"show":true,"input":false}],"snapshot":null,"exclusions":[{"use":"archive","start":0,"end":168,"line":null,"column":null,"#,
        r#""convention":"header","directive":"X-Robots-Tag: noarchive, max-snippet: 20","origin":"header"},"#,
        r#"{"use":"train","start":0,"end":168,"line":null,"column":null,"convention":"noarchive-train","#,
        r#""directive":"X-Robots-Tag: noarchive, max-snippet: 20","origin":"header"},"#,
        r#"{"use":"input","start":0,"end":168,"line":null,"column":null,"convention":"noarchive-train","#,
        r#""directive":"X-Robots-Tag: noarchive, max-snippet: 20","origin":"header"},"#,
        r#"{"use":"index","start":58,"end":77,"line":1,"column":29,"convention":"spiderline","#,
        r#""directive":"<!-- robots content=\"none\" -->","origin":"page"},"#,
        r#"{"use":"follow","start":58,"end":77,"line":1,"column":29,"convention":"spiderline","#,
        r#""directive":"<!-- robots content=\"none\" -->","origin":"page"},"#,
        r#"{"use":"anchor","start":58,"end":77,"line":1,"column":29,"convention":"spiderline","#,
        r#""directive":"<!-- robots content=\"none\" -->","origin":"page"}],"notes":[],"error":null,"#,
        r#""excerpt":"Rye [...] why","shown_title":"T","input":"","about":{"lang":null,"canonical":null,"content_type":null,"status":null,"date":null,"robots":"rules","robots_status":null},"kept_out":null,"blocks":null}"#,
        "\n"
    );
    assert_eq!(found, expected);
}

/// The JSON of a page shows why it entered: without a robots.txt, by a robots.txt that allows it,
/// or because of the HTTP status of its robots.txt.
#[test]
fn the_json_tells_by_what_a_page_was_judged() {
    let page =
        |more: &str| format!("{{\"url\":\"https://a.example/x\",\"html\":\"<p>one\"{more}}}\n");
    let site = |more: &str| format!("{{\"url\":\"https://a.example/robots.txt\",{more}}}\n");
    let rules = r#""html":"User-agent: *\nDisallow: /y""#;
    for (lines, arguments, robots, status) in [
        (page(""), &[][..], "absent", None),
        (page(",\"robots\":\"\""), &[], "rules", None),
        (page(",\"robots_status\":404"), &[], "status", Some(404)),
        (
            site("\"html\":\"\",\"status\":404") + &page(""),
            &[],
            "status",
            Some(404),
        ),
        (
            site("\"html\":\"\",\"status\":503") + &page(""),
            &[],
            "status",
            Some(503),
        ),
        (site(rules) + &page(""), &[], "rules", None),
        (
            site(rules) + &page(",\"robots_status\":410"),
            &[],
            "rules",
            None,
        ),
        (site("\"status\":200") + &page(""), &[], "unread", None),
        (page(""), &["--require-robots"], "unread", None),
        // A tdmrep.json is no robots.txt.
        (
            page("") + &site(rules).replace("robots.txt", ".well-known/tdmrep.json"),
            &[],
            "absent",
            None,
        ),
    ] {
        let (_, found, _) = run(
            &[&["filter", "--input", "jsonl"], arguments].concat(),
            lines.as_bytes(),
        );
        let row = found
            .lines()
            .find(|line| line.contains("a.example/x"))
            .unwrap();
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        assert_eq!(row["about"]["robots"], robots, "{lines}");
        assert_eq!(row["about"]["robots_status"].as_u64(), status, "{lines}");
    }
    let (_, found, _) = run(
        &["filter", "--input", "jsonl"],
        b"{\"url\":\"https://a.example/x\"}\n",
    );
    assert!(
        found.contains("\"robots\":null,\"robots_status\":null},\"kept_out\":null"),
        "{found}"
    );
}

/// The JSON of a page has its language, canonical URL, content type, status and date, if the page
/// or its response contains them.
#[test]
fn the_json_tells_what_a_page_says_of_itself() {
    let about = |line: &str| {
        let row: serde_json::Value =
            serde_json::from_str(&run(&["filter", "--input", "jsonl"], line).1).unwrap();
        row["about"].to_string()
    };
    let full = r#"{"url":"https://a.example/x","status":203,"date":"2026-11-01T10:00:00Z","headers":[["Content-Type","text/html; charset=utf-8"],["Content-Language","fr"]],"html":"<html lang=' de-AT '><link rel='x canonical' href=/y#z><p>one <svg lang=en></svg>"}"#;
    let expected = r#"{"lang":"de-AT","canonical":"https://a.example/y","content_type":"text/html; charset=utf-8","status":203,"date":"2026-11-01T10:00:00Z","robots":"absent","robots_status":null}"#;
    let same = |found: String, expected: &str| {
        let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parsed(&found), parsed(expected));
    };
    same(about(full), expected);
    same(
        about(&full.replace(" lang=' de-AT '", "")),
        &expected.replace("de-AT", "fr"),
    );
    let nothing = r#"{"lang":null,"canonical":null,"content_type":null,"status":null,"date":null,"robots":"absent","robots_status":null}"#;
    same(
        about(
            r#"{"url":"https://a.example/x","headers":[["Content-Language","fr, de"]],"html":"<p lang=fr>x<template><html lang=it></template>"}"#,
        ),
        nothing,
    );
    // A root element that is withheld reveals nothing to the bots from which it is withheld.
    let withheld =
        r#"{"url":"https://a.example/x","html":"<html lang=de class=robots-noindex><p>one"}"#;
    same(about(withheld), nothing);
    // A page that may not be indexed reveals none of its own statements.
    let shut = full.replace("<html lang", "<meta name=robots content=noindex><html lang");
    same(
        about(&shut),
        &expected
            .replace(r#""de-AT""#, "null")
            .replace(r#""https://a.example/y""#, "null"),
    );
}

#[test]
fn the_json_of_notes_is_stable() {
    let (_, found, _) = run(
        &["filter", "-u", "https://site.example/"],
        "a\n <!--ZOOMSTOP-->b",
    );
    let expected = concat!(
        r#""notes":[{"kind":"unclosed-region","line":2,"column":2,"message":"#,
        r#""this region of zoom is never closed: it runs to the end of the page","convention":"zoom"}],"error":null,"excerpt":"a","shown_title":"","input":"a","about":{"lang":null,"canonical":null,"content_type":null,"status":null,"date":null,"robots":"absent","robots_status":null},"kept_out":null,"blocks":null}"#,
        "\n"
    );
    assert!(found.ends_with(expected), "{found}");
}

/// The summaries of `mask` and `census` omit only the counts that docs/json.md mentions.
#[test]
fn a_summary_tells_what_its_verb_counts() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let line = |name: &str, html: &str| {
        format!("{{\"url\":\"https://site.example/{name}\",\"html\":\"{html}\"}}\n")
    };
    let robots = line("robots.txt", "User-agent: *\\nDisallow: /shut/");
    let lines = [
        robots,
        line("a", "<p>one<!--noindex-->"),
        line("shut/b", "<p>two"),
    ];
    std::fs::write(folder.path().join("crawl.jsonl"), lines.concat()).unwrap();
    let (crawl, file) = (at("crawl.jsonl"), at("run.json"));
    for (verb, kept_out) in [("filter", 1), ("mask", 0), ("census", 1)] {
        run(&[verb, "-q", "--summary", &file, &crawl], "");
        let found: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(
            (&found["bytes"], &found["pages"]),
            (&26.into(), &2.into()),
            "{verb}: {found}"
        );
        assert_eq!(found["outcomes"]["robots"], kept_out, "{verb}: {found}");
        assert_eq!(
            found["notes"].as_object().unwrap().is_empty(),
            verb != "filter",
            "{verb}: {found}"
        );
    }
}

/// Every verb that reads pages writes a `--summary` file with the same keys.
#[test]
fn a_summary_is_written_by_every_verb_that_reads() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let page = |name: &str, html: &str| {
        serde_json::json!({"url": format!("https://site.example/{name}"), "html": html}).to_string()
    };
    let lines = [
        page("a", "<p>one<!--noindex-->"),
        page("b", "<meta name=robots content=noindex>"),
        page("shut/c", "<p>two"),
        page("robots.txt", "User-agent: *\nDisallow: /shut/"),
        page("d", "<select><svg><style><p>x"),
        "no JSON".to_owned(),
    ];
    std::fs::write(folder.path().join("crawl.jsonl"), lines.join("\n")).unwrap();
    let (crawl, index, file) = (at("crawl.jsonl"), at("index"), at("run.json"));
    let (export, report, copies) = (at("export"), at("why.html"), at("copies"));
    let verbs: [&[&str]; 10] = [
        &["index", "-o", &index],
        &["filter"],
        &["text", "-q"],
        &["links"],
        &["export", "--to", "solr", "-o", &export],
        &["snapshot", "-o", &copies],
        &["explain"],
        &["explain", "--html", &report],
        &["conventions", "--count"],
        &["lint"],
    ];
    for verb in verbs {
        let (_, _, told) = run(&[verb, &["--summary", &file, &crawl]].concat(), "");
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{verb:?}: {error}: {told}"));
        let found: serde_json::Value = serde_json::from_str(&text).unwrap();
        let places: Vec<_> = found["lost"]
            .as_array()
            .unwrap()
            .iter()
            .map(|lost| &lost["place"])
            .collect();
        assert_eq!(
            (&found["pages"], places.len()),
            (&4.into(), 2),
            "{verb:?}: {text}"
        );
        assert!(
            places[1].as_str().unwrap().ends_with("crawl.jsonl line 6"),
            "{verb:?}: {text}"
        );
        assert_eq!(found["passed_over"]["damaged"], 1, "{verb:?}: {text}");
        if !matches!(verb[0], "explain" | "lint") {
            assert_eq!(
                (&found["outcomes"]["robots"], &found["outcomes"]["noindex"]),
                (&1.into(), &1.into()),
                "{verb:?}"
            );
            assert_eq!(found["notes"]["unclosed-region"], 1, "{verb:?}: {text}");
        }
        let keys: Vec<_> = found
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let expected = "bytes earlier_robots gave_up indexed lost lost_left_out notes outcomes pages passed_over seconds without_robots";
        assert_eq!(keys.join(" "), expected, "{verb:?}");
        assert_eq!(
            found["indexed"],
            if verb[0] == "index" {
                1.into()
            } else {
                serde_json::Value::Null
            },
            "{verb:?}"
        );
        std::fs::remove_file(&file).unwrap();
    }
    let before = run(&["search", &index, "one"], "").1;
    let (status, _, told) = run(
        &[
            "index",
            "-o",
            &index,
            "--summary",
            &at("none/run.json"),
            &crawl,
        ],
        "",
    );
    assert!(status == 2 && told.contains("run.json: "), "{told}");
    assert_eq!(run(&["search", &index, "one"], "").1, before);
}

/// The JSON of a page marks the text that may be shown, and never joins text across a withheld
/// part. So an index or a hit that is made from the JSON is as safe as heedful's own.
#[test]
fn the_json_tells_what_may_be_shown_and_joined() {
    let page = concat!(
        "<!--googleoff: snippet--><title>Rye</title><!--googleon: snippet--><p>one <b data-nosnippet>two</b> three ",
        "<a href=/a>four <b class=robots-noindex></b> five</a> <a href=/b>six <img alt=seven></a> ",
        "<a href=/c data-nosnippet>eight</a> <a href=/d><img alt=nine><!--noindex--><!--/noindex--><img alt=ten></a> ",
        "<a href=/e><img alt=nine><img alt=ten> zero</a> <a href=/f><b class=robots-noindex>x</b>one<img alt=two></a>"
    );
    let (_, found, _) = run(&["filter", "-u", "https://site.example/"], page);
    let row: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        row["excerpt"],
        "one [...] three four five six [...] zero [...] one"
    );
    assert_eq!(
        (&row["title"], &row["shown_title"]),
        (&serde_json::json!(["Rye"]), &"".into())
    );
    let links = row["links"].as_array().unwrap().iter();
    let links: Vec<_> = links
        .map(|link| (&link["text"], &link["phrases"], &link["show"]))
        .collect();
    let (yes, no) = (&serde_json::json!(true), &serde_json::json!(false));
    assert_eq!(
        links[0],
        (&"".into(), &serde_json::json!(["four", "five"]), yes)
    );
    assert_eq!(
        links[1],
        (
            &"six seven".into(),
            &serde_json::json!(["six", "seven"]),
            yes
        )
    );
    assert_eq!(
        links[2],
        (&"eight".into(), &serde_json::json!(["eight"]), no)
    );
    assert_eq!(
        links[3],
        (&"".into(), &serde_json::json!(["nine", "ten"]), yes)
    );
    assert_eq!(
        links[4],
        (
            &"zero nine ten".into(),
            &serde_json::json!(["zero", "nine", "ten"]),
            yes
        )
    );
    assert_eq!(
        links[5],
        (&"".into(), &serde_json::json!(["one", "two"]), yes)
    );
    let (_, found, _) = run(&["links", "-u", "https://site.example/"], page);
    assert!(
        found.starts_with("follow\tcredit\ta\thttps://site.example/a\tfour | five\n"),
        "{found}"
    );
}

#[test]
fn json_lines_are_answered_in_order_and_bad_ones_too() {
    let shut = LINE.replace("/a/b", "/shut/b");
    let noindex = r#"{"url":"https://site.example/n","html":"<meta name=robots content=noindex><title>t</title><p>t<a href=/next>n</a>"}"#;
    let input =
        format!("{LINE}\nno json\n{shut}\n\n{noindex}\n{{\"url\":\"relative\",\"html\":\"\"}}\n");
    let (status, found, _) = run(&["filter"], &input);
    assert_eq!(status, 0);
    let answers: Vec<serde_json::Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[1]["error"]["kind"], "input");
    assert!(
        answers[1]["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("standard input line 2: ")
    );
    assert_eq!(answers[2]["verdict"]["enter"], false);
    assert!(
        ["index", "follow", "archive", "train"]
            .iter()
            .all(|usage| answers[2]["verdict"][usage] == false)
    );
    for key in ["title", "phrases", "links", "exclusions", "notes"] {
        assert_eq!(answers[2][key], serde_json::json!([]), "{key}");
    }
    assert_eq!(answers[3]["phrases"], serde_json::json!([]));
    assert_eq!(answers[3]["links"][0]["follow"], true);
    assert_eq!(answers[3]["links"][0]["text"], "");
    assert_eq!(answers[4]["error"]["kind"], "url");
    assert_eq!(
        run(&["filter", "--strict", "--input", "jsonl"], "no json\n").0,
        2
    );
}

#[test]
fn several_bots_get_a_line_each() {
    let input =
        r#"{"url":"https://site.example/","html":"<meta name=barbot content=noindex><p>word"}"#;
    let (_, found, _) = run(&["filter", "-b", "FooBot", "-b", "Bar=BarBot"], input);
    let answers: Vec<serde_json::Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["phrases"], serde_json::json!(["word"]));
    assert_eq!(
        (&answers[1]["bot"], &answers[1]["verdict"]["index"]),
        (&"Bar".into(), &false.into())
    );
}

#[test]
fn text_and_links_are_for_people() {
    let page = "<p>Dark rye <!-- robots content=none --><a href=/ad>ad</a><!-- /robots --> bread. <a href=/rye>Rye</a>";
    let (status, found, told) = run(&["text", "-"], page);
    assert_eq!(
        (status, found.as_str()),
        (0, "Dark rye\nbread. Rye\n"),
        "{told}"
    );
    let (status, found, _) = run(&["links", "-u", "https://site.example/"], page);
    let expected = "nofollow\tnocredit\ta\thttps://site.example/ad\t1:13 <!-- robots content=none -->\n\
                    follow\tcredit\ta\thttps://site.example/rye\tRye\n";
    assert_eq!((status, found.as_str()), (0, expected));
    assert_eq!(run(&["text", "-H", "X-Robots-Tag: noindex"], page).0, 1);
}

#[test]
fn a_page_does_not_command_the_terminal() {
    let (_, found, _) = run(
        &["text", "--color", "always"],
        "<p>red \u{1b}[31malert\u{7}",
    );
    assert_eq!(found, "red \u{FFFD}[31malert\u{FFFD}\n");
}

#[test]
fn check_names_the_line() {
    let (status, found, _) = run(
        &[
            "check",
            "-r",
            "corpus/site/robots.txt",
            "/private/a",
            "https://site.example/",
            "-b",
            "FooBot",
        ],
        "",
    );
    assert_eq!(status, 1);
    assert_eq!(
        found,
        "FooBot may not fetch /private/a: line 4 says `Disallow: /private/`, to *\n\
         FooBot may fetch https://site.example/: no rule for it matches\n"
    );
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let robots = file(
        "robots.txt",
        "User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 2.5\nVisit-time: 2200-0600\n\
        User-agent: BarBot\nDisalow: /\nSitemap: https://site.example/map.xml\n",
    );
    let (status, found, _) = run(
        &[
            "check", "-r", &robots, "/a/b/c", "/x", "-b", "FooBot", "-b", "BarBot",
        ],
        "",
    );
    assert_eq!(status, 1);
    assert_eq!(
        found,
        "FooBot        BarBot\n\
         may line 3    not line 7    /a/b/c\n\
         may           not line 7    /x\n"
    );
    let (status, found, _) = run(
        &[
            "check",
            "-r",
            &robots,
            "-",
            "-v",
            "--at",
            "2026-11-21T12:00:00Z",
        ],
        "/a/b\n\n",
    );
    let expected = "heedful may fetch /a/b: line 3 says `Allow: /a/b`, to *\n    line 2 matches too: `Disallow: /a`\n\
        heedful is asked to wait until 2026-11-21T22:00:00Z, then every 2.5 seconds\n\
        line 7: misspelt-key: this key is not spelt so: it is read as the one it means, where that one denies\n";
    assert_eq!((status, found.as_str()), (3, expected));
    let (status, found, _) = run(&["check", "-r", &robots, "/a/b", "--mode", "1996"], "");
    assert_eq!(
        (status, found.as_str()),
        (
            1,
            "heedful may not fetch /a/b: line 2 says `Disallow: /a`, to *\n"
        )
    );
    let new = file("new.txt", "User-agent: *\nDisallow: /x\n");
    let (status, found, _) = run(&["check", "--diff", &robots, &new, "/a", "/a/b", "/x"], "");
    let expected = "heedful may fetch /a: no rule for it matches (before, it might not: line 2 says `Disallow: /a`, to *)\n\
        heedful may not fetch /x: line 2 says `Disallow: /x`, to * (before, it might: no rule for it matches)\n";
    assert_eq!((status, found.as_str()), (1, expected));
    let (status, _, told) = run(&["check", "/x"], "");
    assert!(status == 2 && told.contains("--robots"), "{told}");
    let (status, _, told) = run(&["check", "-r", &robots, "/x", "--mode", "2010"], "");
    assert!(
        status == 2 && told.contains("there are rfc9309, google, 1994, 1996, spiderline, lycos"),
        "{told}"
    );
}

/// `check` reports when a bot may fetch, by a robots.txt of a real site: five seconds between two
/// pages, only in the morning.
#[test]
fn check_says_when() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let text = "User-agent: *\nDisallow: /downloads/\nRequest-rate: 1/5\nVisit-time: 0600-0845\n";
    let plain = file("plain.txt", text);
    let slow = file("slow.txt", &format!("{text}Crawl-delay: 3600\n"));
    let check = |robots: &str, more: &[&str]| {
        let (status, found, told) = run(&[&["check", "-r", robots, "/a"], more].concat(), "");
        assert_eq!(told, "");
        (status, found.lines().last().unwrap_or_default().to_owned())
    };
    let at = |time: &'static str| ["--at", time];
    let answer = check(&plain, &at("2026-01-01T20:00:00Z"));
    let wait = "heedful is asked to wait until 2026-01-02T06:00:00Z, then every 5 seconds";
    assert_eq!(answer, (3, wait.to_owned()));
    let answer = check(&plain, &at("2026-01-01T08:45:57Z"));
    assert_eq!(
        answer,
        (0, "heedful may come then, then every 5 seconds".to_owned()),
        "near the end of its time"
    );
    let answer = check(&slow, &at("2026-01-01T08:00:00Z"));
    assert_eq!(
        answer,
        (
            0,
            "heedful may come then, then every 3600 seconds".to_owned()
        )
    );
    let now = [
        "--at",
        "2026-01-01T08:00:01Z",
        "--last",
        "2026-01-01T08:00:00Z",
    ];
    assert_eq!(
        check(&plain, &now),
        (
            3,
            wait.replace("2026-01-02T06:00:00Z", "2026-01-01T08:00:05Z")
        )
    );
    let json = |robots: &str, more: &[&str]| {
        let (status, line) = check(robots, &[more, &["--format", "json"]].concat());
        let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
        (
            status,
            answer["next_fetch"].clone(),
            answer["pause"].clone(),
        )
    };
    assert_eq!(
        json(&plain, &now),
        (3, "2026-01-01T08:00:05Z".into(), 5.0.into())
    );
    assert_eq!(
        json(&slow, &at("2026-01-01T08:00:00Z")),
        (0, "2026-01-01T08:00:00Z".into(), 3600.0.into())
    );
    assert_eq!(
        json(&plain, &[]),
        (0, serde_json::Value::Null, serde_json::Value::Null)
    );
    // A URL that may never be fetched has no next time.
    assert_eq!(json(&plain, &[&now[..], &["/downloads/x"]].concat()).0, 1);
    assert_eq!(
        json(&plain, &[&now[..], &["/downloads/x"]].concat()).1,
        serde_json::Value::Null
    );
    let question = |more: &str| {
        format!(
            "{{\"robots\":{},\"bot\":\"x\",\"url\":\"/a\"{more}}}",
            serde_json::json!(text)
        )
    };
    let questions = [
        question(""),
        question(",\"last\":\"2026-01-01T07:59:58Z\""),
        question(",\"at\":\"noon\""),
    ];
    let (_, found, _) = run(
        &["check", "--batch", "--at", "2026-01-01T08:00:00Z"],
        questions.join("\n"),
    );
    let answers: Vec<serde_json::Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&answers[0]["next_fetch"], &answers[0]["pause"]),
        (&"2026-01-01T08:00:00Z".into(), &5.0.into())
    );
    assert_eq!(answers[1]["next_fetch"], "2026-01-01T08:00:03Z");
    assert_eq!(
        answers[2]["error"]["message"],
        "a time is written 2026-12-31 or 2026-12-31T23:59:59Z"
    );
    let (status, ..) = run(&["check", "-r", &plain, "/a", "--last", "2026-01-01"], "");
    assert_eq!(status, 2, "without a moment that is asked for");
}

/// `check --fetch-robots` fetches a robots.txt only once. After that the cached copy is used: the
/// server of the test answers only one request.
#[test]
fn check_asks_the_site() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let _ = std::io::Read::read(&mut stream, &mut head).unwrap();
        let body = "User-agent: *\nDisallow: /a";
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        std::io::Write::write_all(&mut stream, answer.as_bytes()).unwrap();
    });
    let folder = TempDir::new().unwrap();
    let cache = folder.path().join("robots").display().to_string();
    let urls = [format!("http://{address}/a"), format!("http://{address}/b")];
    let arguments = [
        "check",
        "--fetch-robots",
        "--allow-private",
        "--robots-cache",
        &cache,
        &urls[0],
        &urls[1],
    ];
    let (status, found, told) = run(&arguments, "");
    let expected = format!(
        "heedful may not fetch {}: line 2 says `Disallow: /a`, to *\nheedful may fetch {}: no rule for it matches\n",
        urls[0], urls[1]
    );
    assert_eq!(
        (status, &found, told.lines().count()),
        (1, &expected, 1),
        "{told}"
    );
    server.join().unwrap();
    // The server is gone, so the answer comes from the copy.
    assert_eq!(run(&arguments, "").1, expected);
    let (status, found, told) = run(
        &["check", "--fetch-robots", "--allow-private", &urls[0]],
        "",
    );
    assert!(
        status == 1 && found.contains("may not fetch") && told.contains("note: "),
        "{found}{told}"
    );
    let (status, _, told) = run(&["check", "--fetch-robots", "--allow-private", "/a"], "");
    assert!(status == 2 && told.contains("no whole URL"), "{told}");
}

#[test]
fn check_answers_in_json() {
    let (status, found, _) = run(
        &[
            "check",
            "-r",
            "corpus/site/robots.txt",
            "/x",
            "--format",
            "json",
        ],
        "",
    );
    assert_eq!(status, 0);
    let expected = concat!(
        r#"{"url":"/x","bot":"heedful","allowed":true,"line":null,"rule":null,"group":"*","reason":"no-rule","#,
        r#""crawl_delay":null,"request_rate":[],"visit_time":[],"sitemaps":["https://site.example/sitemap.xml"],"notes":[],"#,
        r#""losing":[],"records_of_use":[],"hosts":[],"clean_params":[],"licenses":[],"next_fetch":null,"pause":null,"#,
        r#""source":{"kind":"file","place":"corpus/site/robots.txt","fetched":null,"status":null,"agent":null}}"#
    );
    assert_eq!(found.trim_end(), expected);
    let questions = [
        r#"{"robots": "User-agent: *\nCrawl-delay: 1\nDisallow: a", "bot": "any thing/1.0", "url": "/a"}"#,
        r#"{"robots_b64": "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL2EKQWxsb3c6IC8=", "bot": "x", "url": "/a", "mode": "1996"}"#,
        "nonsense",
        r#"{"bot": "x", "url": "/a"}"#,
    ];
    let (status, found, _) = run(&["check", "--batch"], questions.join("\n"));
    let answers: Vec<serde_json::Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((status, answers.len()), (0, 4));
    assert_eq!(
        (&answers[0]["allowed"], &answers[0]["crawl_delay"]),
        (&false.into(), &1.0.into())
    );
    assert_eq!(answers[0]["notes"][0]["kind"], "no-slash");
    assert_eq!(
        (&answers[1]["line"], &answers[1]["rule"]),
        (&2.into(), &"Disallow: /a".into())
    );
    assert!(answers[2]["error"]["kind"] == "setting" && answers[3]["error"]["kind"] == "setting");
    let losing = &answers[1]["losing"][0];
    assert_eq!(
        (&losing["line"], &losing["rule"], &losing["allowed"]),
        (&3.into(), &"Allow: /".into(), &true.into())
    );
    let question = serde_json::json!({"bot": "x", "url": "/a", "robots":
        "User-agent: x\nContent-Signal: ai-train=no\nHost: a.example\nClean-param: ref /a\nLicense: https://a.example/l"});
    let answer: serde_json::Value =
        serde_json::from_str(&run(&["check", "--batch"], question.to_string()).1).unwrap();
    assert_eq!(
        answer["records_of_use"],
        serde_json::json!([{"line": 2, "record": "Content-Signal: ai-train=no"}])
    );
    let said = [
        &answer["hosts"][0],
        &answer["clean_params"][0],
        &answer["licenses"][0],
    ];
    assert_eq!(said, ["a.example", "ref /a", "https://a.example/l"]);
}

/// The hits of a search contain no text that may be found but not shown, neither in titles nor in
/// excerpts.
#[test]
fn no_hit_shows_what_may_not_be_shown() {
    const HEAD: &str = "<head profile='http://example.org/xmdp/robots-profile#'>";
    let pages = [
        format!(
            "{HEAD}<title>one</title></head><h1 class=robots-noarchive>wordina</h1><p>body <b class=robots-noarchive>wordinb</b>"
        ),
        "<title>two</title><h2 data-nosnippet>wordinc</h2><p>body <b data-nosnippet>wordind</b>"
            .to_owned(),
        "<meta name=robots content=nosnippet><title>three</title><p>body wordine".to_owned(),
        "<meta name=robots content='max-snippet:0'><title>four</title><p>body wordinf".to_owned(),
        format!("{HEAD}<title class=robots-noarchive>wording</title></head><p>body"),
        "<title data-nosnippet>wordinh</title><p>body".to_owned(),
        format!("{HEAD}<title>seven</title></head><p>body <b class=robots-noindex>wordini</b>"),
    ];
    let object = |(number, html): (usize, &String)| {
        serde_json::json!({"url": format!("https://site.example/{number}"), "html": html})
            .to_string()
    };
    let pages: Vec<_> = pages.iter().enumerate().map(object).collect();
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let (status, _, told) = run(
        &["index", "-o", &index, "--input", "jsonl"],
        pages.join("\n"),
    );
    assert_eq!(status, 0, "{told}");
    for letter in 'a'..='h' {
        let word = format!("wordin{letter}");
        let (status, found, _) = run(&["search", &index, &word], "");
        assert!(
            status == 0 && found.contains("https://site.example/"),
            "{word} is not found"
        );
        assert!(!found.contains(&word), "{word} is shown: {found}");
    }
    assert_eq!(
        run(&["search", &index, "wordini"], "").0,
        1,
        "what may not be indexed is not found"
    );
}

#[test]
fn snapshots_go_to_files_and_archives() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let page = "<p>kept <b class=robots-noarchive title=secret>withheld</b>";
    let (status, found, told) = run(&["snapshot", "-", "-u", "https://site.example/a"], page);
    assert_eq!(
        (status, found.as_str(), told.as_str()),
        (0, "<p>kept <b>[...]</b>", "")
    );
    let map = path("map.jsonl");
    let arguments = [
        "snapshot",
        "-",
        "--mark",
        "cut",
        "--mark-class",
        "c",
        "--map",
        &map,
        "-u",
        "https://site.example/a",
    ];
    let (_, found, _) = run(&arguments, page);
    assert_eq!(found, "<p>kept <b><span class=\"c\"> cut</span></b>");
    let cut: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&map).unwrap()).unwrap();
    let range = cut["start"].as_u64().unwrap() as usize..cut["end"].as_u64().unwrap() as usize;
    assert!(
        page[range].starts_with("<b ") && cut["convention"] == "profile" && cut["line"] == 1,
        "{cut}"
    );
    let (_, found, _) = run(
        &["snapshot", "-", "--dress", "-u", "https://site.example/a"],
        page,
    );
    for part in [
        "<meta charset=\"utf-8\">",
        "<base href=\"https://site.example/a\">",
        "script-src 'none'",
        "A copy of https",
    ] {
        assert!(found.contains(part), "{part} is missing: {found}");
    }
    let (status, found, _) = run(&["snapshot", "-"], "<meta name=robots content=noarchive>x");
    assert_eq!((status, found.as_str()), (1, ""));
    let arguments = [
        "snapshot",
        "corpus/site",
        "-u",
        "https://site.example/",
        "-o",
        &path("files"),
    ];
    let (status, _, told) = run(&arguments, "");
    assert!(
        status == 0 && told.contains("39 snapshots of 51 pages"),
        "{told}"
    );
    let copy = std::fs::read(folder.path().join("files/site.example/hours.html")).unwrap();
    assert_eq!(
        copy,
        std::fs::read(root().join("corpus/site/hours.html")).unwrap()
    );
    let (status, _, told) = run(
        &["snapshot", "corpus/site", "-u", "https://site.example/"],
        "",
    );
    assert!(status == 2 && told.contains("several pages"), "{told}");
    // The written file can be read again, with its digests.
    for name in ["copies.warc", "copies.warc.gz"] {
        let warc = path(name);
        assert_eq!(
            run(
                &[
                    "snapshot",
                    "corpus/site",
                    "-u",
                    "https://site.example/",
                    "-o",
                    &warc
                ],
                ""
            )
            .0,
            0
        );
        let bytes = std::fs::read(&warc).unwrap();
        let mut text = String::new();
        match name.ends_with(".gz") {
            true => {
                std::io::Read::read_to_string(
                    &mut flate2::read::MultiGzDecoder::new(&bytes[..]),
                    &mut text,
                )
                .unwrap();
            }
            false => text = String::from_utf8(bytes).unwrap(),
        }
        assert_eq!(
            text.matches("WARC-Type: conversion\r\n").count(),
            39,
            "{name}"
        );
    }
}

/// `filter --snapshot` adds a snapshot to the JSON of each page.
#[test]
fn filter_gives_snapshots() {
    let page = r#"{"url": "https://site.example/a", "html": "a<b class=robots-noarchive>b</b>"}"#;
    let snapshot = |arguments: &[&str]| {
        let (_, found, _) = run(&[&["filter", "--input", "jsonl"], arguments].concat(), page);
        serde_json::from_str::<serde_json::Value>(&found).unwrap()["snapshot"].clone()
    };
    assert_eq!(snapshot(&["--snapshot"]), "a<b>[...]</b>");
    assert!(snapshot(&[]).is_null());
}

/// The URLs of `check` may come from lists, sitemaps or indexes.
#[test]
fn check_takes_urls_from_lists_sitemaps_and_indexes() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let robots = file("robots.txt", b"User-agent: *\nDisallow: /shut");
    let list = file(
        "list.txt",
        b"https://site.example/shut/1\n\n  https://site.example/open\r\n",
    );
    let map = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
        <url><loc> https://site.example/shut?a=1&amp;b=2 </loc><image:image><image:loc>https://site.example/shut.png\
        </image:loc></image:image></url><url><loc><![CDATA[https://site.example/open]]></loc></url></urlset>";
    let plain = file("map.xml", map.as_bytes());
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, map.as_bytes()).unwrap();
    let packed = file("map.xml.gz", &packed.finish().unwrap());
    let urls = |from: &str| {
        let (_, found, told) = run(
            &["check", "-r", &robots, "--urls", from, "--format", "json"],
            "",
        );
        assert_eq!(told, "");
        let line = |line: &str| {
            let answer = serde_json::from_str::<serde_json::Value>(line).unwrap();
            (
                answer["url"].as_str().unwrap().to_owned(),
                answer["allowed"].as_bool().unwrap(),
            )
        };
        found.lines().map(line).collect::<Vec<_>>()
    };
    let expected = |shut: &str| {
        vec![
            (shut.to_owned(), false),
            ("https://site.example/open".to_owned(), true),
        ]
    };
    assert_eq!(urls(&list), expected("https://site.example/shut/1"));
    assert_eq!(urls(&plain), expected("https://site.example/shut?a=1&b=2"));
    assert_eq!(urls(&packed), urls(&plain));
    let (_site, index) = site();
    let in_the_index = urls(&index);
    assert_eq!(in_the_index.len(), 41);
    assert!(in_the_index.contains(&("https://site.example/about.html".to_owned(), true)));
    let new = file("new.txt", b"User-agent: *\nDisallow: /about");
    let (status, found, _) = run(&["check", "--diff", &robots, &new, "--urls", &index], "");
    assert!(
        status == 1 && found.starts_with("heedful may not fetch https://site.example/about.html"),
        "{found}"
    );
    assert_eq!(found.lines().count(), 1);
    let of_maps = file(
        "maps.xml",
        b"<sitemapindex><sitemap><loc>https://site.example/map.xml</loc></sitemap></sitemapindex>",
    );
    let (status, _, told) = run(&["check", "-r", &robots, "--urls", &of_maps], "");
    assert!(status == 2 && told.contains("a list of sitemaps"), "{told}");
}

/// With `--fetch-robots`, a run requests the robots.txt of each site once, if it is not in the
/// input.
#[test]
fn a_run_asks_sites_for_their_robots_txt() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let length = std::io::Read::read(&mut stream, &mut head).unwrap();
            assert!(
                String::from_utf8_lossy(&head[..length])
                    .to_lowercase()
                    .contains("user-agent: foobot/1.0")
            );
            count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let body = "User-agent: *\nDisallow: /shut\nContent-Signal: search=no";
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            std::io::Write::write_all(&mut stream, answer.as_bytes()).unwrap();
        }
    });
    // A port on which no server listens.
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let page = |url: &str, robots: Option<&str>| {
        serde_json::json!({"url": url, "html": "<p>one</p>", "robots": robots}).to_string()
    };
    let pages = [
        page(&format!("http://{address}/open"), None),
        page(&format!("http://{address}/shut"), None),
        page(&format!("http://{closed}/x"), None),
        page("http://given.example/x", Some("User-agent: *\nDisallow:")),
    ];
    let arguments = [
        "filter",
        "--input",
        "jsonl",
        "-b",
        "FooBot",
        "--fetch-robots",
        "--allow-private",
        "--format",
        "json",
    ];
    let (status, found, _) = run(&arguments, pages.join("\n"));
    assert_eq!(status, 0);
    let answers: Vec<serde_json::Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let entered: Vec<_> = answers
        .iter()
        .map(|page| page["verdict"]["enter"].as_bool().unwrap())
        .collect();
    assert_eq!(entered, [true, false, false, true]);
    let indexed: Vec<_> = answers
        .iter()
        .map(|page| page["verdict"]["index"].as_bool().unwrap())
        .collect();
    assert_eq!(indexed, [false, false, false, true]);
    assert_eq!(asked.load(std::sync::atomic::Ordering::SeqCst), 1);
    let folder = TempDir::new().unwrap();
    let (index, cache) = (folder.path().join("index"), folder.path().join("robots"));
    let (index, cache) = (index.display().to_string(), cache.display().to_string());
    let arguments = [
        "index",
        "-o",
        &index,
        "--input",
        "jsonl",
        "-b",
        "FooBot",
        "--fetch-robots",
        "--allow-private",
        "--robots-cache",
        &cache,
    ];
    let (status, _, told) = run(&arguments, pages.join("\n"));
    assert_eq!(status, 0, "{told}");
    assert!(
        told.contains("asked 2 hosts for robots.txt") && told.contains(&format!("{closed}")),
        "{told}"
    );
    assert!(
        told.contains("4 pages, 1 indexed; 2 kept out by robots.txt, 1 noindex"),
        "{told}"
    );
    run(&arguments, pages.join("\n"));
    assert_eq!(
        asked.load(std::sync::atomic::Ordering::SeqCst),
        2,
        "the copy is used"
    );
    // Without the option no request is sent.
    let (_, found, _) = run(
        &["filter", "--input", "jsonl", "--format", "json"],
        &pages[1],
    );
    assert!(
        found.contains(r#""enter":true"#) && asked.load(std::sync::atomic::Ordering::SeqCst) == 2
    );
}

#[test]
fn a_failed_run_leaves_the_index_as_it_was() {
    let (_folder, index) = site();
    let (status, _, _) = run(
        &[
            "index",
            "corpus/site/about.html",
            "missing.html",
            "-o",
            &index,
            "-u",
            "https://b.example/",
        ],
        "",
    );
    assert_eq!(status, 2);
    assert!(
        run(&["stats", &index], "")
            .1
            .starts_with("41 pages of 1 host\n124 anchors\n10 URLs gone\n")
    );
}

/// The commands in README.md and docs/program.md print the output that these files show, except for
/// times.
#[test]
fn the_readme_is_true() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("site").display().to_string();
    let pages = concat!(
        include_str!("../../../README.md"),
        include_str!("../../../docs/program.md")
    );
    let blocks = pages.split("```console\n$ cargo run ").skip(1);
    let blocks: Vec<&str> = blocks
        .map(|block| block.split_once("-- ").unwrap().1)
        .collect();
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        let (command, rest) = block.split_once('\n').unwrap();
        let expected = rest.split("```").next().unwrap();
        let command = command.replace("target/site", &index).replace('\'', "");
        let (words, query) = command
            .split_once(" \"")
            .map_or((command.as_str(), None), |(w, q)| (w, Some(q)));
        let query = query.map(|query| format!("\"{query}"));
        let arguments: Vec<&str> = words.split(' ').chain(query.as_deref()).collect();
        let (status, found, told) = run(&arguments, "");
        let has_found = words.starts_with("lint ");
        assert_eq!(status, i32::from(has_found), "{told}");
        let said = if found.is_empty() { told } else { found };
        let without_times = |text: &str| -> Vec<String> {
            let lines = text.trim_end().lines();
            lines
                .map(|line| {
                    line.split(" failed; ")
                        .next()
                        .unwrap()
                        .trim_end()
                        .to_owned()
                })
                .collect()
        };
        assert_eq!(without_times(&said), without_times(expected));
    }
}

#[test]
fn verify_compares_and_says_so() {
    let arguments = [
        "verify",
        "corpus/site",
        "--url",
        "https://site.example/",
        "--inject",
        "2",
        "--seed",
        "9",
    ];
    let (status, out, _) = run(&arguments, "");
    assert_eq!(status, 0, "{out}");
    assert!(
        out.contains("51 pages compared, 0 refused, 0 failed, 0 damaged, "),
        "{out}"
    );
    assert!(
        out.contains(" injections by seed 9, 0 of them refused;"),
        "{out}"
    );
    assert!(out.contains("0 leaks; over-excluded: 0 of "), "{out}");
    let (again, same, _) = run(&arguments, "");
    assert_eq!((again, same), (status, out));
    let line = r#"{"url": "https://site.example/", "html": "<p>a <b class=robots-noindex>b</b>"}"#;
    let (status, out, _) = run(&["verify", "--input", "jsonl", "--format", "json"], line);
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (
            status,
            &object["compared"],
            &object["withheld"],
            &object["characters"]
        ),
        (0, &1.into(), &1.into(), &2.into())
    );
    let (status, out, _) = run(&["verify", "--input", "html"], "<select><xmp>");
    assert!(
        out.contains("refused file:///stdin: the markup can be read in two ways"),
        "{out}"
    );
    assert!(status == 1 && out.contains("nothing was compared"), "{out}");
}

#[test]
fn verify_compares_lines_with_a_browser() {
    let (status, _, told) = run(&["verify", "--text", "corpus/site"], "");
    assert!(status == 2 && told.contains("--browser"), "{told}");
    if crate::browsers::program(heedful_verify::Engine::Chromium).is_none() {
        return;
    }
    let line =
        r#"{"url": "https://site.example/", "html": "<nav>a</nav><p>b<i hidden>c</i><br>d"}"#;
    let arguments = ["verify", "--browser", "--text", "--input", "jsonl"];
    let (status, out, _) = run(&[&arguments[..], &["--format", "json"]].concat(), line);
    let object: serde_json::Value = serde_json::from_str(&out).unwrap();
    let agreement = |ours: u8, browser: u8, common: u8| serde_json::json!({"ours": ours, "browser": browser, "common": common});
    assert_eq!(
        (
            status,
            &object["lines"],
            &object["lines_by_law"],
            &object["landmarks"]
        ),
        (
            0,
            &agreement(3, 3, 2),
            &agreement(3, 3, 3),
            &agreement(3, 3, 3)
        )
    );
    assert_eq!(object["differences"][0]["kind"], "text: hidden");
    let (status, out, _) = run(&arguments, line);
    assert!(status == 0 && out.contains("100.000 % agree"), "{out}");
}

#[test]
fn names_pages_are_read_from_files() {
    let folder = TempDir::new().unwrap();
    let names = folder.path().join("names.html");
    std::fs::write(
        &names,
        "<meta name=RobotExclusion.RobotName3 content='Foo Bot'>",
    )
    .unwrap();
    let page =
        "<link rel=RobotExclusion.Names href=/bots.html><p>one <b class=robot3-noindex>two</b>";
    let text = |bot: &str, names: &[&str]| {
        let mut arguments = vec!["text", "-b", bot, "-u", "https://site.example/"];
        arguments.extend(names);
        run(&arguments, page).1
    };
    let file = names.display().to_string();
    assert_eq!(text("Foo Bot", &["--names", &file]), "one\n");
    assert_eq!(text("Bar Bot", &["--names", &file]), "one two\n");
    assert_eq!(
        text(
            "Bar Bot",
            &["--names", &format!("https://site.example/bots.html={file}")]
        ),
        "one two\n"
    );
    assert_eq!(
        text(
            "Bar Bot",
            &["--names", &format!("https://other.example/={file}")]
        ),
        "one\n"
    );
    assert_eq!(text("Bar Bot", &[]), "one\n");
    let other = folder.path().join("other.html");
    std::fs::write(
        &other,
        "<meta name=RobotExclusion.RobotName1 content='Bar Bot'>",
    )
    .unwrap();
    let other = other.display().to_string();
    assert_eq!(
        text("Foo Bot", &["--names", &other, "--names", &file]),
        "one\n"
    );
    let (status, _, told) = run(&["text", "--names", "no/such/file"], page);
    assert!(status == 2 && told.contains("no/such/file"), "{told}");
}

/// The reasons that the program reports for withheld text do not contain this text.
#[test]
fn reasons_hold_nothing_that_is_withheld() {
    let page = "<meta name=description content='secret one' class=robots-noindex><div class=robots-noindex>\
        <a name='secret two' title='secret three' href=/x rel=nofollow>secret four</a><img alt='secret five' src=y></div>";
    let (status, out, _) = run(&["filter", "-u", "https://site.example/"], page);
    assert!(
        status == 0 && out.contains("robots-noindex") && out.contains("rel="),
        "{out}"
    );
    assert!(!out.contains("secret"), "{out}");
    for page in [
        "<noindex data-x='secret one'>secret two</noindex>",
        "<!-- robots content=noindex -- ><p>secret one</p><!-- /robots -->two",
        "<!--googleoff: index><p>secret one</p><!--googleon: index-->two",
        "<!--googleoff: index x><p>secret one--><p class='robots-noindex robots-x'>secret two",
        "<meta name=description http-equiv=robots content='noindex secret one'><meta name=robots content=noindex>",
        "<div class=noindex data-addsearch=include title=secret data-nosnippet=secret><b class=nocontent id=secret>secret",
    ] {
        let (status, out, _) = run(
            &[
                "filter",
                "--conventions",
                "all",
                "-u",
                "https://site.example/",
            ],
            page,
        );
        assert!(status == 0 && !out.contains("secret"), "{page}\n{out}");
    }
}

#[test]
fn conventions_are_listed() {
    let json = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let (status, out, told) = run(
            &[&["conventions", "--format", "json"], arguments].concat(),
            "",
        );
        assert_eq!(status, 0, "{told}");
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let listed = json(&[]);
    let mut names: Vec<_> = listed
        .iter()
        .map(|convention| convention["name"].as_str().unwrap().to_owned())
        .collect();
    names.push("custom".to_owned());
    names.sort_unstable();
    let pages = std::fs::read_dir(root().join("corpus/convention"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = pages
        .map(|page| page.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    pages.sort_unstable();
    assert_eq!(names, pages);
    for convention in &listed {
        for key in [
            "name", "preset", "reach", "rule", "summary", "example", "source",
        ] {
            assert!(
                !convention[key].as_str().unwrap().is_empty(),
                "{convention}"
            );
        }
        assert!(
            !convention["denies"].as_array().unwrap().is_empty(),
            "{convention}"
        );
        assert_eq!(
            convention["on"],
            convention["preset"] != "all",
            "{convention}"
        );
    }
    let on = |arguments: &[&str]| {
        json(arguments)
            .iter()
            .filter(|convention| convention["on"] == true)
            .count()
    };
    assert_eq!(on(&["--conventions", "all"]), listed.len());
    assert_eq!(
        (
            on(&["--conventions", "none"]),
            on(&["--conventions", "none,+elastic"])
        ),
        (0, 1)
    );
    assert_eq!(on(&["--conventions", "seed"]), 4);
    let (status, out, _) = run(&["conventions", "--conventions", "web,-zoom"], "");
    let line = |name: &str| {
        out.lines()
            .find(|line| line[4..].starts_with(&format!("{name} ")))
            .unwrap()
    };
    assert!(
        status == 0 && line("zoom").starts_with("off ") && line("meta").starts_with("on  "),
        "{out}"
    );
    let (status, _, told) = run(&["text", "--conventions", "googlof"], "x");
    assert!(
        status == 2 && told.contains("did you mean `googleoff`? `heedful conventions` lists them"),
        "{told}"
    );
    let (status, _, told) = run(&["text", "--conventions", "fooo"], "");
    assert!(
        status == 2 && !told.contains("did you mean"),
        "two edits in four letters are another word: {told}"
    );
    let (status, _, told) = run(&["conventions", "corpus/site"], "");
    assert!(status == 2 && told.contains("--count"), "{told}");
}

#[test]
fn conventions_are_counted_in_pages() {
    let page = "<!--zoomstop-->a<!--zoomrestart--><!--zoomstop-->b<p class=nocontent>c<a rel=nofollow href=/>d</a>";
    let (status, out, _) = run(&["conventions", "--count", "--format", "json", "-q"], page);
    let counts: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let zoom = counts
        .iter()
        .find(|count| count["convention"] == "zoom")
        .unwrap();
    let expected = serde_json::json!(
        {"convention": "zoom", "pages": 1, "statements": 2, "regions": 2, "unclosed": 1, "notes": 1}
    );
    assert!(
        status == 0 && *zoom == expected && counts.len() == 3,
        "{out}"
    );
    let (status, out, _) = run(&["conventions", "--count", "--conventions", "none"], page);
    assert!(status == 1 && out.lines().count() == 1, "{out}");
}

#[test]
fn techniques_against_ai_are_told() {
    let (status, out, _) = run(&["conventions", "--techniques"], "");
    let heeded = |line: &&str| {
        ["read", "told", "out of reach"]
            .iter()
            .any(|word| line.starts_with(word))
    };
    assert!(
        status == 0 && out.lines().filter(heeded).count() == 13,
        "{out}"
    );
    let (_, out, _) = run(&["conventions", "--techniques", "--format", "json"], "");
    let techniques: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let signals = techniques
        .iter()
        .find(|one| one["technique"] == "Content Signals")
        .unwrap();
    assert!(
        techniques.len() == 13 && signals["conventions"][0] == "content-signal",
        "{out}"
    );
    assert!(
        techniques
            .iter()
            .all(|one| !one["why"].as_str().unwrap().is_empty()),
        "{out}"
    );
    let (status, _, told) = run(&["conventions", "--techniques", "--count"], "");
    assert!(status == 2 && told.contains("--count"), "{told}");
}

#[test]
fn denials_in_a_file_are_those_of_the_options() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, index) = (path("own.toml"), path("index"));
    std::fs::write(&file, "[[page]]\nurl = '/about.html'\ndeny = ['noindex']").unwrap();
    let site = [
        "index",
        "corpus/site",
        "-u",
        "https://site.example/",
        "-o",
        &index,
    ];
    let with = |more: &[&str]| run(&[&site[..], more].concat(), "");
    let (shop, about) = (["--deny", "none=/shop/"], ["--deny", "noindex=/about.html"]);
    let (status, _, told) = with(&[&["--convention-file", &file], &shop[..]].concat());
    assert_eq!(status, 0, "{told}");
    let (_, found, _) = run(
        &[
            "stats",
            &index,
            "--of",
            "https://site.example/about.html",
            "--format",
            "json",
        ],
        "",
    );
    let state: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        (&state["state"], &state["reason"]),
        (&"gone".into(), &"noindex".into()),
        "{found}"
    );
    let (status, _, told) = with(&[shop, about].concat());
    assert_eq!(status, 0, "the same denials, in another order: {told}");
    let (status, _, told) = with(&shop);
    assert!(
        status == 2 && told.contains("made with --deny noindex=/about.html"),
        "{told}"
    );
}

#[test]
fn the_user_can_deny_more() {
    let page = "<nav>one</nav> two <!--quiet-->three<!--loud--> <a class=ad href=/x>four</a>";
    let text = |arguments: &[&str]| {
        run(
            &[&["text", "-u", "https://site.example/a/b?c=d"], arguments].concat(),
            page,
        )
        .1
    };
    assert_eq!(text(&[]), "one\ntwo three four\n");
    assert_eq!(
        text(&["--deny-region", "noindex=Quiet...loud"]),
        "one\ntwo\nfour\n"
    );
    assert_eq!(
        text(&["--deny-region", "noindex=<!-- quiet -->...<!--loud-->"]),
        "one\ntwo\nfour\n"
    );
    assert_eq!(text(&["--deny-element", "noindex=nav, .AD"]), "two three\n");
    assert_eq!(text(&["--deny", "noindex=/a"]), "");
    assert_eq!(
        text(&["--deny", "noindex,nofollow=https://*.example/*c=d$"]),
        ""
    );
    assert_eq!(
        text(&[
            "--deny",
            "noindex=/b",
            "--deny",
            "noindex=https://other.example/"
        ]),
        "one\ntwo three four\n"
    );
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("own.toml");
    let own = "[[region]]\nopen = 'quiet'\nclose = 'loud'\ndeny = ['noindex']\n[[element]]\nselect = 'nav'\ndeny = ['none']";
    std::fs::write(&file, own).unwrap();
    let path = file.display().to_string();
    assert_eq!(text(&["--convention-file", &path]), "two\nfour\n");
    std::fs::write(
        &file,
        "[[page]]\nurl = ['/b', 'https://*/a/*c=d$']\ndeny = ['noindex']",
    )
    .unwrap();
    assert_eq!(text(&["--convention-file", &path]), "");
    for (bad, told) in [
        (
            "[[region]]\nopen = 'quiet'\ndeny = ['noindex']",
            "missing field `close`",
        ),
        (
            "[[element]]\nselect = 'nav a'\ndeny = ['noindex']",
            "`nav a` is no selector",
        ),
        (
            "[[element]]\nselect = 'nav'\ndeny = ['index']",
            "`index` is nothing that can be denied",
        ),
        (
            "[[elements]]",
            ":1:3: unknown field `elements`, expected one of `region`, `element`, `page`; did you mean `element`?",
        ),
        (
            "[[page]]\nurl = '/'\ndeny = ['noindx']",
            "; did you mean `noindex`?",
        ),
        (
            "[[page]]\nurl = ['/a', 'b']\ndeny = ['noindex']",
            ":2:7: `b` is no URL pattern",
        ),
        (
            "[[page]]\nurl = '/'\ndeny = []",
            ":3:8: `deny` denies nothing",
        ),
        (
            "[[page]]\nurl = []\ndeny = ['none']",
            ":2:7: `url` names no page",
        ),
        (
            "[[page]]\nurls = '/'\ndeny = ['none']",
            ":2:1: unknown field `urls`, expected `url` or `deny`; did you mean `url`?",
        ),
        (
            "[[page]]\nurl = '/'\ndeny = ['none'",
            ":3:15: unclosed array",
        ),
        (
            "[page]\nurl = '/'\ndeny = ['none']",
            "stands between two brackets, as [[region]]",
        ),
        (
            "[[page]]\nurl = '/'\ndeny = 'none'",
            ":3:8: a list is needed, as [\"noindex\"]",
        ),
        (
            "[[region]]\nopen = '<!-- a'\nclose = 'b'\ndeny = ['none']",
            ":2:8: `<!-- a` is not the text of one comment",
        ),
    ] {
        std::fs::write(&file, bad).unwrap();
        let (status, _, said) = run(&["text", "--convention-file", &path], page);
        assert!(
            status == 2 && said.contains(told) && said.contains(&path),
            "{said}"
        );
    }
    for bad in ["noindex", "index=/", "noindex=site.example", "=/"] {
        let (status, _, said) = run(&["text", "--deny", bad], page);
        assert!(status == 2 && said.contains("error: "), "{bad}: {said}");
    }
    let (status, _, said) = run(&["text", "--deny-region", "noindex=quiet"], page);
    assert!(status == 2 && said.contains("three dots"), "{said}");
    for half in [
        "<!-- quiet...loud",
        "quiet...loud -->",
        "<!-- quiet --><!-- x -->...loud",
        "quiet --!>...loud",
    ] {
        let (status, _, said) = run(&["text", "--deny-region", &format!("noindex={half}")], page);
        assert!(
            status == 2 && said.contains("is not the text of one comment"),
            "{half}: {said}"
        );
    }
}

/// Names pages (pages that list names of bots) are found anywhere in the input. Neither their
/// position nor the number of threads changes a result. The output of `text` has the same words as
/// an index of the same pages.
#[test]
fn names_pages_are_found_in_the_input() {
    let page = |name: &str, word: &str| {
        let html = format!(
            "<link rel=RobotExclusion.Names href='/names#here'><p>common <b class=robot1-noindex>{word}one</b> \
             <b class=robot2-noindex>{word}two</b>"
        );
        serde_json::json!({"url": format!("https://site.example/{name}"), "html": html}).to_string()
    };
    let names = |robots: &str| {
        let html = format!(
            "<META NAME='RobotExclusion.RobotName1' CONTENT='FooBot'><meta name=RobotExclusion.RobotName2 content='{robots}'>"
        );
        serde_json::json!({"url": "https://site.example/names", "html": html}).to_string()
    };
    let folder = TempDir::new().unwrap();
    let found = |lines: &[String], jobs: &str| {
        let file = folder.path().join("input.jsonl");
        std::fs::write(&file, lines.join("\n")).unwrap();
        let index = folder
            .path()
            .join(format!("index{jobs}{}", lines.len()))
            .display()
            .to_string();
        let _ = std::fs::remove_dir_all(&index);
        let (status, _, told) = run(
            &[
                "index",
                "-o",
                &index,
                "-b",
                "FooBot",
                "-j",
                jobs,
                &file.display().to_string(),
            ],
            "",
        );
        assert_eq!(status, 0, "{told}");
        let words = ["aone", "atwo", "zone", "ztwo", "common"];
        let found = words.map(|word| run(&["search", &index, word], "").0 == 0);
        let (_, text, _) = run(
            &[
                "text",
                "-b",
                "FooBot",
                "-j",
                jobs,
                &file.display().to_string(),
            ],
            "",
        );
        assert_eq!(words.map(|word| text.contains(word)), found, "{text}");
        found
    };
    let (first, last) = (page("a", "a"), page("z", "z"));
    let bound = [false, true, false, true, true];
    for jobs in ["1", "4"] {
        assert_eq!(
            found(&[first.clone(), names("BarBot"), last.clone()], jobs),
            bound
        );
        assert_eq!(
            found(&[names("BarBot"), first.clone(), last.clone()], jobs),
            bound
        );
    }
    // If a Names page has two captures, both count. Without the page every denial applies.
    let all = [false, false, false, false, true];
    assert_eq!(
        found(
            &[
                first.clone(),
                names("BarBot"),
                last.clone(),
                names("FooBot")
            ],
            "2"
        ),
        all
    );
    assert_eq!(found(&[first, last], "2"), all);
}

/// The limits for the cost of a query are in the table of limits and can be set. The error for a
/// query that exceeds a limit names the limit.
#[test]
fn a_query_has_limits_that_can_be_set() {
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let words: Vec<_> = (0..30).map(|n| format!("rye{n}")).collect();
    let page = serde_json::json!({"url": "https://site.example/", "html": format!("<p>dark {}", words.join(" dark "))});
    assert_eq!(
        run(&["index", "-q", "-o", &index], format!("{page}\n")).0,
        0
    );
    let deep = format!("{}rye1{}", "(".repeat(51), ")".repeat(51));
    let search = |query: &str, more: &[&str]| run(&[&["search", &index, query], more].concat(), "");
    for (query, limit, told) in [
        (
            "rye1".repeat(2000).as_str(),
            "query_bytes=10K",
            "`query_bytes` of 4096",
        ),
        (&deep, "query_depth=60", "`query_depth` of 50"),
        (
            &format!("\"{}\"", "dark ".repeat(65)),
            "query_words=70",
            "`query_words` of 64",
        ),
    ] {
        let (status, _, error) = search(query, &[]);
        let name = limit.split('=').next().unwrap();
        let is_advised =
            name == "query_depth" || error.contains(&format!("(--limit {name}=N raises it)"));
        assert!(status == 2 && error.contains(told) && is_advised, "{error}");
        let (status, _, error) = search(query, &["--limit", limit]);
        // No setting lets a query recurse so deeply that the program ends.
        assert_eq!(status, if name == "query_depth" { 2 } else { 1 }, "{error}");
    }
    assert_eq!(search("\"dark rye\"*", &[]).0, 0);
    let (status, _, error) = search("\"dark rye\"*", &["--limit", "query_endings=29"]);
    assert!(
        status == 2 && error.contains("`query_endings` of 29"),
        "{error}"
    );
    assert_eq!(
        search("\"dark rye\"*", &["--limit", "query_endings=30"]).0,
        0
    );
}
