//! Mistakes of the program's users. Each mistake is reported in one line that says what to do, and
//! no existing data is destroyed.

use tempfile::TempDir;

use crate::command::run;
use crate::verbs::site;

const URL: &str = "https://site.example/";

#[test]
fn trouble_is_one_line_that_says_what_to_do() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("plain"), [0_u8, 1, 2, 3]).unwrap();
    std::fs::create_dir(path("empty")).unwrap();
    std::fs::create_dir(path("filled")).unwrap();
    std::fs::write(path("filled/mine.txt"), "x").unwrap();
    std::fs::write(
        path("nothing.warc"),
        "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
    )
    .unwrap();
    let index = path("index");
    for (arguments, expected) in [
        (
            vec!["index", "missing.html", "-o", &index],
            "missing.html: No such file or directory",
        ),
        (
            vec!["explain", "https://a.example/?b"],
            "is a URL: pages are not fetched",
        ),
        (
            vec!["filter", "s3://bucket/x.warc.gz"],
            "is in an object store: copy it to a file, or pipe it in",
        ),
        (
            vec!["lint", "--only", "unclosed", "corpus/site"],
            "did you mean `unclosed-region`?",
        ),
        (
            vec!["conventions", "-o", "x"],
            "this verb writes to standard output: `> FILE` sends it to a file",
        ),
        (
            vec!["filter", "-f", "json"],
            "the format is set by `--format`",
        ),
        (
            vec!["filter", "--to", "elastic"],
            "did you mean `elasticsearch`?",
        ),
        (vec!["filter", "--to", "x"], "wet (also sphinx)"),
        (vec!["filter", "--jobs", "0"], "one job at least is needed"),
        (
            vec!["search", &path("plain"), "word"],
            "is a file and no index",
        ),
        (
            vec!["index", "corpus/site", "-o", &index],
            "say where it stands on the web with --url",
        ),
        (
            vec![
                "index",
                &path("empty"),
                "-o",
                &index,
                "-u",
                "https://a.example",
            ],
            "it holds no HTML files",
        ),
        (
            vec!["index", &path("plain"), "-o", &index],
            "say which with --input",
        ),
        (
            vec!["index", "corpus/site/index.html", "-o", &path("filled")],
            "is not empty and holds no index",
        ),
        (
            vec!["search", &path("empty"), "word"],
            "holds no index: make one with `heedful index INPUT -o",
        ),
        (vec!["stats", &path("missing")], "holds no index"),
        (
            vec!["check", "-r", "missing.txt", "/"],
            "missing.txt: No such file or directory",
        ),
        (
            vec!["filter", "--conventions", "nonesuch", "-"],
            "there is no convention `nonesuch`",
        ),
        (vec!["filter", "--bot", "robots", "-"], "means every bot"),
        (
            vec!["filter", "--at", "soon", "-"],
            "a time is written 2026-12-31",
        ),
        (
            vec!["index", "-o", &index, "-b", "a", "-b", "b", "-"],
            "an index is for one bot",
        ),
    ] {
        let (status, _, told) = run(&arguments, "");
        assert_eq!(status, 2, "{arguments:?}: {told}");
        assert!(told.contains(expected), "{arguments:?}: {told}");
    }
    let (_site, index) = site();
    let (status, _, told) = run(&["search", &index, "\"open"], "");
    assert_eq!((status, told.lines().count()), (2, 1), "{told}");
    for (arguments, expected) in [
        (
            &["index", &index, "-o", &path("other")][..],
            "is an index, not an input: `heedful search ",
        ),
        (
            &["index", "corpus/site/index.html", "-o", &path("plain")],
            "is a file: name a folder for the index",
        ),
        (
            &["snapshot", "corpus/site/index.html", "-o", &path("plain")],
            "is a file: -o takes a folder, or a name that",
        ),
        (
            &["stats", &index, "--of", "site.example"],
            "`site.example` is not a whole URL",
        ),
        (
            &["search", &index, "bread", "-drafts"],
            "what must be there, and quote it: 'rye -drafts'",
        ),
        (
            &["search", &index, "bread", "-notes"],
            "what must be there, and quote it: 'rye -notes'",
        ),
        (
            &["search", &index, "bread", "--limit", "3"],
            "the number of hits is `-n N`",
        ),
        (
            &["explain", "corpus/site/index.html", "--json"],
            "JSON is `--format json`",
        ),
        (
            &[
                "text",
                "corpus/site/index.html",
                "corpus/site/about.html",
                "-u",
                URL,
            ],
            "one URL is given for 2 pages",
        ),
        (
            &["text", "corpus/site/robots.txt", "-u", URL],
            "has the rules of a site, and is no page",
        ),
        (
            &[
                "text",
                "corpus/site/index.html",
                "-u",
                URL,
                "--robots",
                "README.md",
            ],
            "has no line of a robots.txt",
        ),
        (
            &["check", "-r", "corpus/site/index.html", "/x"],
            "has no line of a robots.txt",
        ),
        (
            &[
                "check",
                "-r",
                "corpus/site/robots.txt",
                "site.example/private/x",
            ],
            "is neither a path, as /private/x",
        ),
        (
            &["check", "-r", "corpus/site/robots.txt", "//site.example/x"],
            "is neither a path, as /private/x",
        ),
        (
            &["check", "corpus/site/robots.txt", "/x"],
            "(corpus/site/robots.txt is a file: --robots corpus/site/robots.txt)",
        ),
        (
            &[
                "snapshot",
                "corpus/site/index.html",
                "-u",
                URL,
                "-o",
                &index,
            ],
            "is an index: write the copies to another",
        ),
        (
            &["lint", &path("nothing.warc")],
            "no page was read, so nothing was checked",
        ),
    ] {
        let (status, _, told) = run(arguments, "");
        assert!(
            status == 2 && told.contains(expected),
            "{arguments:?}: {told}"
        );
    }
}

/// A purge reports each requested URL that has no page in the index. With a typo in the URL, the
/// page would remain in the index.
#[test]
fn a_takedown_that_meets_no_page_says_so() {
    let (_site, index) = site();
    for (url, expected) in [
        (
            "https://site.example/nonesuch",
            "note: https://site.example/nonesuch is no page of this index\n",
        ),
        (
            "https://site.example/none*",
            "note: no page of this index has such a URL\n",
        ),
    ] {
        let (status, _, told) = run(&["purge", &index, "-u", url], "");
        assert!(
            status == 0 && told.starts_with(expected) && told.contains(" checked: 0 removed"),
            "{told}"
        );
    }
    let (_, _, told) = run(
        &["purge", &index, "-u", "https://site.example/about.html"],
        "",
    );
    assert!(
        told.contains("1 removed") && told.contains("the next crawl brings it back, unless"),
        "{told}"
    );
}

#[test]
fn a_robots_txt_is_checked_alone() {
    let (status, found, told) = run(&["lint", "-r", "corpus/site/robots.txt"], "");
    assert_eq!(
        (status, found.as_str(), told.as_str()),
        (0, "", "no page: nothing found\n")
    );
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("robots.txt").display().to_string();
    std::fs::write(&file, "User-agent: *\nDissallow: /x\nNonsense: 3\n").unwrap();
    let (status, found, told) = run(&["lint", "-r", &file], "");
    assert!(
        status == 1 && found.contains("robots.txt:"),
        "{found}{told}"
    );
    let (status, _, told) = run(&["lint", "-r", &file, "-u", URL, "-"], "<p>one");
    assert!(status == 1 && told.starts_with("1 page: "), "{told}");
}

/// If `--url` is not the root of a site, a note names the robots.txt in the input folder. Without
/// the note, the user might expect this robots.txt to apply as the site's own.
#[test]
fn a_robots_txt_below_the_root_is_named() {
    let told = run(
        &[
            "text",
            "corpus/site",
            "-u",
            "https://site.example/index.html",
        ],
        "",
    )
    .2;
    let expected = "note: corpus/site/robots.txt counts only where it forbids: https://site.example/index.html is a part of a site";
    assert!(told.contains(expected), "{told}");
    assert!(
        !run(&["text", "corpus/site", "-u", URL], "")
            .2
            .contains("counts only")
    );
    let told = run(
        &[
            "text",
            "corpus/site/shop",
            "-u",
            "https://site.example/shop/",
        ],
        "",
    )
    .2;
    assert!(!told.contains("counts only"), "{told}");
}

/// The robots.txt in a folder that is only a part of its site can disallow pages, but does not
/// replace the site's own robots.txt.
#[test]
fn a_robots_txt_in_a_part_of_a_site_only_forbids() {
    let folder = TempDir::new().unwrap();
    let write =
        |name: &str, content: &str| std::fs::write(folder.path().join(name), content).unwrap();
    let part = format!("{URL}part/");
    let text = |more: &[&str]| {
        run(
            &[
                &["text", &folder.path().display().to_string(), "-u", &part],
                more,
            ]
            .concat(),
            "",
        )
    };
    write("page.html", "<p>one");
    write("robots.txt", "User-agent: *\nDisallow: /other/");
    assert!(text(&[]).1.contains("one"));
    assert_eq!(
        text(&["--require-robots"]).1,
        "",
        "the site's own is missing"
    );
    write("robots.txt", "User-agent: *\nDisallow: /part/");
    assert_eq!(text(&[]).1, "");
}

/// Only a robots.txt decides if a page may be fetched, so `explain` lists no other site file as a
/// reason.
#[test]
fn explain_asks_each_robots_txt_alone() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("index.html"), "<p>one").unwrap();
    std::fs::write(
        folder.path().join("robots.txt"),
        "User-agent: *\nDisallow: /",
    )
    .unwrap();
    let site = folder.path().display().to_string();
    let found = run(&["explain", &site, "-u", URL], "").1;
    assert_eq!(found.matches(" fetch ").count(), 1, "{found}");
    let found = run(&["explain", &site, "-u", URL, "--format", "json"], "").1;
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    assert_eq!(found["robots"].as_array().unwrap().len(), 1, "{found}");
}

/// `--url` is refused for the pages of a crawl, which have URLs of their own.
#[test]
fn a_url_is_not_given_to_pages_that_have_their_own() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (lines, out) = (path("crawl.jsonl"), path("out"));
    std::fs::write(
        &lines,
        format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\"}}\n"),
    )
    .unwrap();
    let verbs = [
        &["mask"][..],
        &["census"],
        &["lint"],
        &["verify"],
        &["index", "-o", &out],
    ];
    for verb in verbs {
        let (status, _, told) = run(&[verb, &[&lines, "-u", URL]].concat(), "");
        assert!(
            status == 2 && told.contains("crawl.jsonl have URLs of their own"),
            "{verb:?}: {told}"
        );
    }
}

/// If a folder is read for its archives, a note has the number of HTML files beside them that are
/// ignored.
#[test]
fn pages_beside_archives_are_counted() {
    let folder = TempDir::new().unwrap();
    crate::command::write(
        &folder,
        "pages.jsonl",
        r#"{"url":"https://a.example/","html":"<p>rye"}"#,
    );
    crate::command::write(&folder, "one.html", "<p>spelt");
    crate::command::write(&folder, "two.HTM", "<p>oats");
    crate::command::write(&folder, "notes.txt", "barley");
    let root = folder.path().display().to_string();
    let (status, out, told) = run(&["text", &root], "");
    assert_eq!(
        (status, out.trim()),
        (0, "# heedful https://a.example/\nrye")
    );
    assert!(
        told.contains("2 HTML files beside the archives passed over") && told.contains("--url"),
        "{told}"
    );
    assert_eq!(run(&["text", "-q", &root], "").2, "");
}

#[test]
fn a_url_asks_for_one_page_of_an_archive() {
    let folder = TempDir::new().unwrap();
    let lines = folder.path().join("crawl.jsonl").display().to_string();
    let page =
        |name: &str| format!("{{\"url\":\"{URL}{name}\",\"html\":\"<p>{name}<a href=/>up\"}}\n");
    let gone = format!("{{\"url\":\"{URL}gone\",\"status\":404}}\n");
    std::fs::write(&lines, [page("one"), page("two"), gone].concat()).unwrap();
    for verb in ["text", "links", "filter", "snapshot", "explain"] {
        let asked = |name: &str| run(&[verb, &lines, "-u", &format!("{URL}{name}"), "-q"], "");
        let (status, found, told) = asked("two#part");
        assert!(
            status == 0 && found.contains("two") && !found.contains("one"),
            "{verb}: {found}{told}"
        );
        let (status, found, told) = asked("three");
        let expected = format!("error: no page of the input has the URL {URL}three\n");
        assert_eq!((status, found.as_str(), told), (2, "", expected), "{verb}");
        let (status, found, told) = asked("gone");
        assert_eq!(
            (status, found.as_str(), told),
            (2, "", format!("error: {URL}gone: no page: status 404\n")),
            "{verb}"
        );
    }
}

/// Empty and missing inputs are named in messages: an empty file may be a failed copy.
#[test]
fn empty_and_missing_inputs_are_named() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let write = |name: &str, content: &str| std::fs::write(path(name), content).unwrap();
    for (name, content) in [
        ("empty.warc.gz", ""),
        ("empty.jsonl", ""),
        ("list", "missing.warc\ncrawl.jsonl\n"),
    ] {
        write(name, content);
    }
    write(
        "crawl.jsonl",
        &format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\"}}\n"),
    );
    let (status, found, told) = run(&["text", &path("empty.warc.gz")], "");
    assert!(
        status == 2 && found.is_empty() && told.contains("empty.warc.gz: there is no record in it"),
        "{told}"
    );
    let all = folder.path().display().to_string();
    let (status, found, told) = run(&["text", &all], "");
    assert!(
        status == 2
            && found.contains("one\n")
            && told.contains("empty.warc.gz: there is no record in it"),
        "{found}{told}"
    );
    let (status, _, told) = run(&["text", &path("empty.jsonl"), &path("crawl.jsonl")], "");
    assert!(
        status == 0 && told.contains("empty.jsonl is empty\n"),
        "a table without a row: {told}"
    );
    let (status, found, told) = run(&["text", &format!("@{}", path("list"))], "");
    let missing = format!("note: {}: No such file", path("missing.warc"));
    assert!(
        status == 2 && found.contains("one\n") && told.contains(&missing),
        "{found}{told}"
    );
}

/// The denials by URL that an index stores also apply to a run with a convention file.
#[test]
fn an_index_lends_its_denials_beside_a_file() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (index, own) = (path("index"), path("own.toml"));
    std::fs::write(&own, "[[page]]\nurl = \"/filed\"\ndeny = [\"noindex\"]\n").unwrap();
    let pages = ["denied", "filed", "free"]
        .map(|name| format!("{{\"url\":\"{URL}{name}\",\"html\":\"<p>rye\"}}\n"));
    let lines = path("crawl.jsonl");
    std::fs::write(&lines, pages.concat()).unwrap();
    let first = [
        "index",
        &lines,
        "-o",
        &index,
        "--deny",
        "noindex=/denied",
        "--convention-file",
        &own,
    ];
    assert_eq!(run(&first, "").0, 0);
    for again in [&["--convention-file", &own][..], &[]] {
        let (status, _, told) = run(&[&["index", &lines, "-o", &index], again].concat(), "");
        assert!(
            status == 0 && told.contains("3 pages, 1 indexed; 0 kept out by robots.txt, 2 noindex"),
            "{told}"
        );
    }
    // A denial that was removed from the file changes the terms, and is not lent.
    std::fs::write(&own, "[[page]]\nurl = \"/other\"\ndeny = [\"noindex\"]\n").unwrap();
    let (status, _, told) = run(
        &["index", &lines, "-o", &index, "--convention-file", &own],
        "",
    );
    let expected = "was made with --deny noindex=/filed --deny noindex=/denied, and now there is --deny noindex=/other";
    assert!(status == 2 && told.contains(expected), "{told}");
}

/// Errors about mistakes in the user's own rules quote the text that the user typed.
#[test]
fn slips_in_rules_are_explained() {
    let (status, _, told) = run(&["text", "--conventions", "web,+custom"], "<p>one");
    assert!(
        status == 2 && told.contains("`custom` stands for rules of your own: leave it out"),
        "{told}"
    );
    let folder = TempDir::new().unwrap();
    let own = folder.path().join("own.toml").display().to_string();
    for (rule, place) in [
        ("deny = [noindex]", "2:9"),
        ("deny = noindex", "2:8"),
        ("deny = [follow]", "2:9"),
    ] {
        std::fs::write(&own, format!("[[page]]\n{rule}\nurl = \"/a\"\n")).unwrap();
        let (status, _, told) = run(&["text", "--convention-file", &own], "<p>one");
        let expected = format!("own.toml:{place}: a text stands in quotes, as \"noindex\"\n");
        assert!(status == 2 && told.ends_with(&expected), "{rule}: {told}");
    }
}

/// A JSON line whose headers are under an unsupported key is damaged: an ignored header may deny a
/// use.
#[test]
fn headers_where_none_are_read_cost_their_page() {
    let page = |more: &str| format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\"{more}}}");
    let nested = r#","response":{"headers":{"x-robots-tag":"noindex"}}"#;
    let (status, found, told) = run(&["text", "--strict"], page(nested));
    let expected = "`response.headers.x-robots-tag` may forbid, and is not read there: headers belong into `headers`";
    assert!(
        status == 2 && found.is_empty() && told.contains(expected),
        "{found}{told}"
    );
    let read = page(&format!("{nested},\"headers\":{{\"Date\":\"today\"}}"));
    assert_eq!(
        run(&["text", "-q"], read).1,
        format!("# heedful {URL}\none\n\n"),
        "its headers are known"
    );
    let asked = page(r#","request":{"headers":{"Accept":"x-robots-tag"}}"#);
    assert_eq!(
        run(&["text", "-q"], asked).0,
        0,
        "a request forbids nothing"
    );
}

/// A mask of URLs reports hosts without a known robots.txt, since the mask allows their URLs.
#[test]
fn a_mask_of_urls_tells_of_missing_robots_txt() {
    let folder = TempDir::new().unwrap();
    let list = folder.path().join("urls").display().to_string();
    std::fs::write(
        &list,
        "https://a.example/1\nhttps://b.example/1\nhttps://a.example/2\n",
    )
    .unwrap();
    let (status, _, told) = run(&["mask", "--urls", &list], "");
    let expected = "no robots.txt found for 2 hosts (3 URLs), let in: https://a.example, https://b.example (--require";
    assert!(status == 0 && told.contains(expected), "{told}");
    let robots = folder.path().join("robots.txt").display().to_string();
    std::fs::write(&robots, "User-agent: *\nDisallow: /2\n").unwrap();
    let told = run(&["mask", "--urls", &list, "--robots", &robots], "").2;
    assert!(!told.contains("no robots.txt"), "{told}");
}

/// No verb overwrites its input, since that would destroy a crawl.
#[test]
fn no_verb_writes_over_what_it_reads() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (page, site, rules) = (
        path("site/page.html"),
        path("site"),
        path("site/robots.txt"),
    );
    std::fs::create_dir(&site).unwrap();
    let html = "<p>one";
    std::fs::write(&page, html).unwrap();
    std::fs::write(&rules, "User-agent: *").unwrap();
    let lines = path("crawl.jsonl");
    std::fs::write(
        &lines,
        "{\"url\":\"https://site.example/\",\"html\":\"<p>one\"}\n",
    )
    .unwrap();
    let before = || [&page, &rules, &lines].map(|file| std::fs::read(file).unwrap());
    let (kept, out) = (before(), path("out"));
    for arguments in [
        &["snapshot", &lines, "--map", &lines, "-o", &out][..],
        &["snapshot", &site, "-u", URL, "-o", &site],
        &["snapshot", &site, "-u", URL, "-o", &out, "--map", &page],
        &["explain", &page, "-u", URL, "--html", &page],
        &["explain", &site, "-u", URL, "--html", &page],
        &["filter", &lines, "--summary", &lines],
        &["filter", &lines, "--robots", &rules, "--summary", &rules],
        &["export", "--to", "solr", &site, "-u", URL, "-o", &site],
        &["mask", &lines, "-o", &lines],
        &["census", &lines, "-o", &lines],
    ] {
        let (status, _, told) = run(arguments, "");
        assert!(
            status == 2 && told.contains(" is read: write the "),
            "{arguments:?}: {told}"
        );
        assert_eq!(before(), kept, "{arguments:?}");
    }
    assert_eq!(
        run(
            &[
                "explain",
                &site,
                "-u",
                URL,
                "--html",
                &path("site/why.html"),
                "-q"
            ],
            ""
        )
        .0,
        0,
        "a new file"
    );
}

/// A note names each of the user's rules that matched nothing, since a rule with a typo withholds
/// nothing.
#[test]
fn rules_of_the_users_own_that_met_nothing_are_named() {
    let page = "<nav class=menu>one</nav> <!--off-->two<!--on--> three";
    let rules = [
        "--deny-element",
        "noindex=.menu",
        "--deny-element",
        "noindex=menu",
        "--deny-region",
        "noindex=of...on",
    ];
    let (status, text, told) = run(&[&["text", "-u", URL][..], &rules].concat(), page);
    assert_eq!((status, text.as_str()), (0, "two three\n"));
    assert_eq!(
        told,
        "note: matched no page: `noindex=of...on`, `noindex=menu` (--deny, --deny-element, --deny-region, --convention-file)\n"
    );
    let (_, _, told) = run(
        &["text", "-u", URL, "--deny-element", "noindex=.menu"],
        page,
    );
    assert_eq!(told, "");
    let (_, _, told) = run(
        &["census", "-u", URL, "--deny-element", "noindex=menu"],
        page,
    );
    assert!(told.contains("matched no page: `noindex=menu`"), "{told}");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("own.toml");
    std::fs::write(&file, "# none yet\n").unwrap();
    let (status, _, told) = run(
        &[
            "text",
            "-u",
            URL,
            "--convention-file",
            &file.display().to_string(),
        ],
        page,
    );
    assert!(
        status == 2
            && told.contains("own.toml: there is no new rule in it: [[region]], [[element]]"),
        "{told}"
    );
}

/// A robots.txt is obeyed even if many unknown lines precede its rules.
#[test]
fn a_robots_txt_with_many_unknown_lines_is_one() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("robots.txt");
    std::fs::write(
        &file,
        format!(
            "{}User-agent: *\nDisallow: /private/\n",
            "Colour: blue\n".repeat(150)
        ),
    )
    .unwrap();
    let (status, found, told) = run(
        &["check", "-r", &file.display().to_string(), "/private/x"],
        "",
    );
    assert!(
        status == 1 && found.contains("line 152 says"),
        "{found}{told}"
    );
}

/// If the only page of `snapshot` has no copy, the exit status is 1 and the reason is printed.
#[test]
fn a_page_without_a_copy_says_why() {
    for (rule, expected) in [("noarchive", "noarchive"), ("noindex", "noindex")] {
        let page = format!("<meta name=robots content={rule}><p>one");
        let (status, copy, told) = run(&["snapshot", "-u", URL], page);
        assert_eq!((status, copy.as_str()), (1, ""));
        assert_eq!(
            told,
            format!("no copy: {expected} (<meta name=\"robots\" content=\"{rule}\">)\n")
        );
    }
}

/// Pages of a host without a robots.txt enter, and each verb reports such hosts.
#[test]
fn a_missing_robots_txt_is_told() {
    let line = "{\"url\":\"https://site.example/\",\"html\":\"<p>one\"}\n".repeat(2);
    let one = line.lines().next().unwrap();
    assert!(
        run(&["text"], one)
            .2
            .starts_with("note: no robots.txt found for 1 host (1 page), let in: ")
    );
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out").display().to_string();
    for verb in [
        &["filter"][..],
        &["mask"],
        &["census"],
        &["snapshot", "-o", &out],
    ] {
        let (status, _, told) = run(verb, line.as_str());
        assert_eq!(status, 0, "{told}");
        assert_eq!(
            told.matches("no robots.txt found for 1 host (2 pages), let in: ")
                .count(),
            1,
            "{verb:?}: {told}"
        );
        assert!(
            !run(&[verb, &["-q"]].concat(), line.as_str())
                .2
                .contains("robots.txt"),
            "{verb:?}"
        );
    }
}

/// The error for a query with a syntax error has the reason, and the position of the mistake in the
/// query as the user typed it.
#[test]
fn a_query_that_does_not_parse_is_told_where() {
    let (_site, index) = site();
    for (query, expected) in [
        (
            "\"dark rye",
            "at the end of `\"dark rye` a quote is not closed",
        ),
        ("(rye", "at the end of `(rye` a parenthesis is not closed"),
        ("site:", "at the end of `site:` a word is missing"),
        ("rye )", "at character 5 of `rye )` the query cannot go on"),
        (
            "url:https://a.example/",
            "a URL, goes in quotes (url:\"https://...\")",
        ),
        ("rye AND", "at the end of `rye AND` a word is missing"),
    ] {
        let (status, _, told) = run(&["search", &index, query], "");
        assert_eq!(status, 2, "{query}: {told}");
        assert!(
            told.starts_with("error: the query does not parse: ") && told.contains(expected),
            "{told}"
        );
    }
    let (status, found, told) = run(&["search", &index, "qwertz"], "");
    assert_eq!(
        (status, found.as_str(), told.as_str()),
        (1, "", "nothing found\n")
    );
    let (status, found, told) = run(&["search", &index, "bread", "-n", "0"], "");
    assert_eq!(
        (status, found.as_str(), told.as_str()),
        (0, "", "9 pages\n"),
        "they are counted"
    );
}

#[test]
fn own_conventions_are_listed() {
    let rules = [
        "--deny-region",
        "noindex=a...b",
        "--deny-element",
        "nofollow=nav",
    ];
    let (_, found, _) = run(&[&["conventions"][..], &rules].concat(), "");
    assert!(
        found.ends_with("on  custom\n    noindex=a...b nofollow=nav\n"),
        "{found}"
    );
    assert!(!run(&["conventions"], "").1.contains("custom\n"));
}

/// `-H` with a header that cannot be parsed is an error, since the header could deny a use.
#[test]
fn a_header_is_one_line_with_a_name() {
    for (header, expected) in [
        (
            "X-Robots-Tag: all\nX-Robots-Tag: noindex",
            "a header is one line: give each of several by itself",
        ),
        (
            "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex",
            "a header is one line",
        ),
        (":X-Robots-Tag: noindex", "`` is no name of a header"),
        (
            "< X-Robots-Tag: noindex",
            "`< X-Robots-Tag` is no name of a header",
        ),
        (
            "'X-Robots-Tag: noindex'",
            "`'X-Robots-Tag` is no name of a header",
        ),
        ("noindex", "a header is written `Name: value`"),
    ] {
        let (status, found, told) = run(&["text", "-u", URL, "-H", header], "<p>one");
        assert!(
            status == 2 && found.is_empty() && told.contains(expected),
            "{header}: {found}{told}"
        );
    }
    for headers in [
        r#"{"":"X-Robots-Tag: noindex"}"#,
        r#"{"X-Robots-Tag: noindex":""}"#,
        r#"{"0":"X-Robots-Tag: noindex"}"#,
        r#"{"header":"X-Robots-Tag: noindex"}"#,
        r#"{":X-Robots-Tag":"noindex"}"#,
        r#"{"<X-Robots-Tag":"noindex"}"#,
        r#"{"HTTP_X_ROBOTS_TAG":"noindex"}"#,
        r#"[["'X-Robots-Tag","noindex"]]"#,
    ] {
        let line = format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\",\"headers\":{headers}}}");
        assert_eq!(run(&["text", "-q"], line).1, "", "{headers}");
    }
}

/// A JSON line with two pages, or with a page without a URL, is refused.
#[test]
fn a_line_is_one_page_with_its_own_url() {
    for (line, expected) in [
        (
            r#"{"url":"https://s.example/","html":"<p>one","html_b64":"PHA+"}"#,
            "it has its page twice",
        ),
        (
            r#"{"uri":"https://s.example/","html":"<p>one"}"#,
            "`uri` is no key; did you mean `url`?",
        ),
        (
            r#"{"WARC-Target-URI":"https://s.example/","html":"<p>one"}"#,
            "did you mean `url`?",
        ),
    ] {
        let (_, found, told) = run(&["text"], line);
        assert!(
            found.is_empty() && told.contains(expected),
            "{line}: {found}{told}"
        );
    }
    let both = r#"{"url":"https://s.example/","uri":"/","html":"<p>one"}"#;
    assert!(run(&["text", "-q"], both).1.contains("one"));
    let (status, _, told) = run(&["text", "-u", "htps://s.example/"], "<p>one");
    assert!(
        status == 2 && told.contains("`htps` is no scheme of web pages, as https is"),
        "{told}"
    );
}

/// A verb that prints its results when a pipe has ended also applies a robots.txt that is the last
/// record of the pipe.
#[test]
fn a_late_robots_txt_in_a_pipe_is_heard() {
    let page = |name: &str| format!("{{\"url\":\"{URL}{name}\",\"html\":\"<p>one\"}}\n");
    let robots = format!(
        "{{\"url\":\"{URL}robots.txt\",\"html\":\"User-agent: *\\nDisallow: /private\"}}\n"
    );
    let piped = [page("private/a"), robots].concat();
    let found = run(&["mask", "--use", "index", "-q"], piped.clone()).1;
    assert!(found.contains("\"allow\":{\"index\":false}"), "{found}");
    let found = run(&["explain", "-q"], piped).1;
    assert!(found.contains("Disallow: /private"), "{found}");
}

/// A run may add to an index if the user's rules are those that the index stores, in any order. A
/// convention file that is not UTF-8 is refused, since a letter of a rule could be lost.
#[test]
fn rules_are_compared_as_they_are_meant() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (index, own, line) = (
        path("index"),
        path("own.toml"),
        format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\"}}\n"),
    );
    let made = |rules: [&str; 2]| {
        run(
            &[
                "index",
                "-o",
                &index,
                "--deny-element",
                rules[0],
                "--deny-element",
                rules[1],
                "-q",
            ],
            line.clone(),
        )
    };
    assert_eq!(made(["noindex=nav", "noindex=.menu"]).0, 0);
    assert_eq!(made(["noindex=.menu", "noindex=nav"]).0, 0);
    assert_eq!(made(["noindex=.menu", "nofollow=nav"]).0, 2);
    std::fs::write(
        &own,
        b"[[element]]\nselect = \".m\xe9nu\"\ndeny = [\"noindex\"]\n",
    )
    .unwrap();
    let (status, _, told) = run(&["text", "--convention-file", &own], "<p>one");
    assert!(
        status == 2 && told.ends_with("own.toml is not UTF-8\n"),
        "{told}"
    );
}

/// A takedown still applies after a later fetch with status 304, since that fetch brings no
/// content.
#[test]
fn a_takedown_counts_after_a_revisit() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (index, feed) = (path("index"), path("feed.jsonl"));
    let line = |status: u16, date: &str| {
        format!(
            "{{\"url\":\"{URL}\",\"html\":\"<p>rye\",\"status\":{status},\"date\":\"{date}\"}}\n"
        )
    };
    let crawl = [
        line(200, "2026-01-01T00:00:00Z"),
        line(304, "2026-02-01T00:00:00Z"),
    ]
    .concat();
    assert_eq!(run(&["index", "-o", &index, "-q"], crawl).0, 0);
    let change = format!(
        "{{\"url\":\"{URL}\",\"date\":\"2026-01-01T00:00:00Z\",\"bot\":\"heedful\",\"forbidden\":[\"index\"],\"allowed\":[],\"why\":{{}}}}\n"
    );
    std::fs::write(&feed, change).unwrap();
    let (status, found, told) = run(&["purge", &index, "--from", &feed, "--format", "json"], "");
    assert_eq!(
        (status, found),
        (
            0,
            format!(
                "{{\"url\":\"{URL}\",\"went\":\"page\",\"reason\":\"removed\",\"why\":\"\"}}\n"
            )
        ),
        "{told}"
    );
}

/// A robots.txt for all sites applies together with the site's own file, also if an earlier run
/// brought that file.
#[test]
fn a_takedown_lifts_no_robots_txt_of_an_earlier_run() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (index, takedown) = (path("index"), path("takedown.txt"));
    std::fs::write(&takedown, "User-agent: *\nDisallow: /a$\n").unwrap();
    let page = |name: &str, date: &str| {
        format!("{{\"url\":\"https://s.example/{name}\",\"html\":\"<p>rye\"{date}}}\n")
    };
    let robots = "{\"url\":\"https://s.example/robots.txt\",\"html\":\"User-agent: *\\nDisallow: /private/\",\
                  \"date\":\"2026-01-01T00:00:00Z\"}\n";
    assert_eq!(run(&["index", "-o", &index, "-q"], robots).0, 0);
    for date in ["", ",\"date\":\"2026-02-01T00:00:00Z\""] {
        let crawl = ["a", "b", "private/x"]
            .map(|name| page(name, date))
            .concat();
        let arguments = ["index", "-o", &index, "-q", "--robots", &takedown];
        assert_eq!(run(&arguments, crawl).0, 0);
        let (_, pages, _) = run(&["stats", "--list", &index], "");
        assert_eq!(
            pages.matches(" not indexed").count(),
            2,
            "only /b may be indexed: {pages}"
        );
    }
}

/// A verb that has found nothing prints a message that says so.
#[test]
fn silence_is_explained() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (robots, log, index) = (path("robots.txt"), path("log"), path("index"));
    std::fs::write(&robots, "User-agent: *\nDisallow: /a\n").unwrap();
    let (status, found, told) = run(&["check", "--diff", &robots, &robots, "/a", "/b"], "");
    assert_eq!(
        (status, found.as_str(), told.as_str()),
        (0, "", "no difference for 2 URLs\n")
    );
    let line = format!("{{\"url\":\"{URL}\",\"html\":\"<p>one\"}}\n");
    assert_eq!(
        run(&["index", "-o", &index, "--evidence", &log, "-q"], line).0,
        0
    );
    let (status, _, told) = run(&["evidence", "history", &log, "https://other.example/"], "");
    assert!(
        status == 1 && told.contains("nothing was decided about https://other.example/"),
        "{told}"
    );
    for (rule, expected) in [
        (
            "--deny-region=noindex=...b",
            "a comment of a region is empty",
        ),
        (
            "--deny-region=noindex=b...b",
            "a region needs two comments that differ",
        ),
        (
            "--deny-element=noindex=nav,",
            "a selector is empty: a comma stands between two of them",
        ),
    ] {
        let (status, _, told) = run(&["text", rule], "<p>one");
        assert!(status == 2 && told.contains(expected), "{rule}: {told}");
    }
}

#[test]
fn an_address_with_a_port_names_the_option_for_the_port() {
    let (status, _, told) = run(&["serve", "--listen", "127.0.0.1:8080"], "");
    assert_eq!(status, 2);
    assert!(told.contains("--listen 127.0.0.1 --port 8080"), "{told}");
    let (status, _, told) = run(&["serve", "--listen", "site.example"], "");
    assert!(status == 2 && told.contains("not an IP address"), "{told}");
}
