//! Edge cases of input in which a mistake would reveal withheld text: the bot's own name, the URL
//! of a file, records that are no pages, and content that is packed or comes from a pipe.

use heedful::{Bot, Filter, RobotsTxt};
use tempfile::TempDir;

use crate::command::{path, run};
use crate::support::{folder as files, made};

/// The version in a bot's name is ignored, in the user's options and in each position of a page or
/// header that names a bot.
#[test]
fn a_version_is_no_part_of_a_name() {
    const PAGE: &str = "https://site.example/a";
    let pages = [
        ("<meta name=foobot content=noindex><p>x", ""),
        ("<meta name=FooBot/2.1 content=noindex><p>x", ""),
        ("<p>x", "foobot: noindex"),
        ("<p>x", "foobot/3: noindex"),
        (
            "<head profile='http://example.org/xmdp/robots-profile#'><meta name=RobotExclusion.RobotName1 content=foobot>\
             </head><body class=robot1-noindex><p>x",
            "",
        ),
    ];
    for name in [
        "FooBot",
        "FooBot/1.0",
        " foobot / 1.0-rc2 ",
        "Bar Bot/2=foobot/1",
    ] {
        let bot = Bot::parse(name).unwrap();
        for (html, header) in pages {
            let mut pass = Filter::new(bot.clone()).open(PAGE).unwrap();
            pass.header("X-Robots-Tag", header);
            pass.write(html.as_bytes()).unwrap();
            let page = pass.end().unwrap();
            assert!(page.phrases().is_empty(), "{name}: {html} {header}");
        }
        let robots = RobotsTxt::parse(b"User-agent: foobot\nDisallow: /");
        assert!(!robots.ruling(&bot, PAGE).allowed(), "{name}");
        assert!(bot.is_called("foobot/7"), "{name}");
    }
    assert_eq!(Bot::new("FooBot/1.0").unwrap().name(), "FooBot");
}

#[test]
fn a_whole_user_agent_is_no_name() {
    for (name, told) in [
        (
            "Mozilla/5.0 (compatible; FooBot/1.0)",
            "give the product token alone: FooBot",
        ),
        (
            "Mozilla/5.0 (compatible; Foo Bot/1.0; +https://foo.example/bot)",
            "the product token alone: Foo Bot",
        ),
        (
            "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; FooBot/1.1)",
            "token alone: FooBot",
        ),
        (
            "Mozilla/5.0 (X11; Linux) AppleWebKit/537 (KHTML, like Gecko) FooBot/9 Safari/537",
            "token alone: FooBot",
        ),
        (
            "FooBot/1.0 (+https://foo.example/bot)",
            "the product token alone: FooBot",
        ),
        ("FooBot (news)", "the product token alone: FooBot"),
        (
            "Mozilla/5.0 (X11; Linux)",
            "the product token alone, as in FooBot/1.0",
        ),
        ("a\nb", "holds a control character"),
        ("a\u{7}b", "holds a control character"),
        ("/1.0", "a bot needs a name"),
        ("*", "means every bot"),
        ("Foo:Bot", "holds a comma or a colon"),
    ] {
        let (status, _, said) = run(&["text", "-", "--input", "html", "-b", name], b"<p>x");
        assert!(status == 2 && said.contains(told), "{name:?}: {said}");
        assert!(
            Bot::new(name).unwrap_err().to_string().contains(told),
            "{name:?}"
        );
    }
}

/// The bot `*` means any bot that no group of a robots.txt names. Only the rules for all bots apply
/// to it.
#[test]
fn who_is_named_by_nobody_can_be_asked_about() {
    let rules = b"User-agent: foobot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";
    let folder = files(&[("robots.txt", rules)]);
    let file = path(&folder, "robots.txt");
    for (url, status) in [("/a", 0), ("/b", 1)] {
        for mode in ["rfc9309", "google", "1994", "1996", "spiderline", "lycos"] {
            let (found, said, told) =
                run(&["check", "-r", &file, "-b", "*", url, "--mode", mode], b"");
            assert_eq!(found, status, "{mode} {url}: {said}{told}");
            assert!(said.starts_with("* may"), "{said}");
        }
    }
    let question = br#"{"robots": "User-agent: *\nDisallow: /b", "bot": "*", "url": "/b"}"#;
    let (_, said, _) = run(&["check", "--batch"], question);
    assert!(
        said.contains(r#""bot":"*","allowed":false,"line":2"#),
        "{said}"
    );
}

/// Writes the files of a site into a folder. Some of them are `index.html` files, whose pages also
/// have the URLs of their folders. Links lead to such pages.
fn site() -> TempDir {
    files(&[
        ("index.html", b"<title>home</title><p>homeword <a href='posts/rye/index.html#top'>our rye story</a>"),
        (
            "posts/rye/index.html",
            b"<title>rye</title><p>ryeword <a href='../../'>homeward</a> <a href='index.html'>myself</a>",
        ),
        ("posts/both/index.html", b"<p>bothword <a href='/other/index.html?x=1'>asked</a>"),
        ("posts/both/index.htm", b"<p>shortword"),
        ("posts/old/index.htm", b"<p>oldword <a href='https://far.example/a/index.html'>far away</a>"),
        (".git/page.html", b"<p>gitword"),
        ("posts/.draft.html", b"<p>draftword"),
        ("node_modules/x/readme.html", b"<p>moduleword"),
        (".well-known/a.html", b"<p>wellknownword"),
    ])
}

fn found(text: &str) -> Vec<serde_json::Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn an_index_has_the_url_of_its_folder() {
    const URL: &str = "https://site.example/";
    let (folder, out) = (site(), TempDir::new().unwrap());
    let (root, index) = (folder.path().display().to_string(), path(&out, "index"));
    let (_, said, told) = run(&["filter", &root, "-u", URL], b"");
    let urls: Vec<_> = found(&said)
        .iter()
        .map(|page| page["url"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        ".well-known/a.html",
        "",
        "posts/both/index.htm",
        "posts/both/",
        "posts/old/",
        "posts/rye/",
    ];
    assert_eq!(urls, expected.map(|path| [URL, path].concat()), "{told}");
    let links = run(&["links", &root, "-u", URL], b"").1;
    for target in ["posts/rye/#top", "other/index.html?x=1", ""] {
        assert!(
            links.contains(&format!("{URL}{target}\t")),
            "{target}: {links}"
        );
    }
    assert!(
        links.contains("https://far.example/a/index.html\t") && !links.contains("rye/index.html"),
        "{links}"
    );
    let (status, _, told) = run(
        &["index", &root, "-u", URL, "-o", &index, "--snapshot"],
        b"",
    );
    assert!(
        status == 0 && told.contains("3 hidden (--hidden reads them)"),
        "{told}"
    );
    for (query, url) in [
        ("anchor:story", "posts/rye/"),
        ("ryeword", "posts/rye/"),
        ("anchor:homeward", ""),
    ] {
        let said = run(&["search", &index, query, "--format", "json"], b"").1;
        let hits: Vec<_> = found(&said)
            .iter()
            .map(|hit| hit["url"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(hits, [[URL, url].concat()], "{query}");
    }
    for query in ["anchor:myself", "gitword", "draftword", "moduleword"] {
        assert_eq!(run(&["search", &index, query], b"").0, 1, "{query}");
    }
    let copy = run(
        &["snapshot", "--from", &index, &format!("{URL}posts/rye/")],
        b"",
    )
    .1;
    assert!(copy.contains("ryeword"), "{copy}");
    let told = run(
        &[
            "index",
            &root,
            "-u",
            URL,
            "-o",
            &path(&out, "all"),
            "--hidden",
        ],
        b"",
    )
    .2;
    assert!(
        told.contains("9 pages, 9 indexed") && !told.contains("hidden"),
        "{told}"
    );
}

/// Statements about a folder's URL and about the URL of its `index.html` both apply to the page, in
/// robots.txt and in the user's rules.
#[test]
fn both_urls_of_an_index_are_asked_about() {
    const URL: &str = "https://site.example/";
    for (rule, out) in [
        ("Disallow: /posts/rye/$", "posts/rye/"),
        ("Disallow: /posts/rye/index.html$", "posts/rye/"),
        ("Disallow: /*.htm$", "posts/old/"),
        (
            "Disallow: /posts/old/\nAllow: /posts/old/index.htm",
            "posts/old/",
        ),
        ("Noindex: /posts/rye/index.html", "posts/rye/"),
    ] {
        let folder = site();
        std::fs::write(
            folder.path().join("robots.txt"),
            format!("User-agent: *\n{rule}\n"),
        )
        .unwrap();
        let root = folder.path().display().to_string();
        let said = run(
            &[
                "filter",
                &root,
                "-u",
                URL,
                "--conventions",
                "web,+noindex-record",
            ],
            b"",
        )
        .1;
        for page in found(&said) {
            let (is_out, is_it) = (
                page["phrases"].as_array().is_none_or(Vec::is_empty),
                page["url"] == [URL, out].concat(),
            );
            assert!(
                is_out == is_it
                    || out == "posts/old/" && page["url"] == [URL, "posts/both/index.htm"].concat(),
                "{rule}: {page}"
            );
        }
    }
    let folder = site();
    let root = folder.path().display().to_string();
    for pattern in [
        "/posts/rye/index.html",
        "/posts/rye/$",
        "https://site.example/posts/rye/index.html",
    ] {
        let said = run(
            &[
                "filter",
                &root,
                "-u",
                URL,
                "--deny",
                &format!("noindex={pattern}"),
            ],
            b"",
        )
        .1;
        assert!(
            !said.contains("ryeword") && said.contains("homeword"),
            "{pattern}: {said}"
        );
    }
}

/// Returns a JSON array of the objects `objects`, in each of the layouts in which programs write
/// arrays.
fn arrays(objects: &[&str]) -> [String; 4] {
    let pretty = objects.iter().map(|object| {
        serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(object).unwrap())
            .unwrap()
    });
    [
        format!("[{}]", objects.join(", ")),
        format!("[\n{}\n]\n", objects.join(",\n")),
        format!("\u{FEFF} [\n {}\n]", pretty.collect::<Vec<_>>().join(",\n")),
        format!("[{}", objects.join(",")),
    ]
}

#[test]
fn an_array_is_read_object_by_object() {
    let objects = [
        r#"{"url": "https://a.example/1", "headers": [["X-Robots-Tag", "noindex"]], "html": "<p>WITHHELD"}"#,
        r#"{"url": "https://a.example/2", "html": "<p>b \"}] \\\" { ["}"#,
        r#"{"url": "https://a.example/private/3", "html": "<p>WITHHELD"}"#,
        r#"{"url": "https://a.example/4", "status": 404, "html": "<p>WITHHELD"}"#,
        r#"{"url": "https://a.example/robots.txt", "html": "User-agent: *\nDisallow: /private/"}"#,
    ];
    for (number, array) in arrays(&objects).iter().enumerate() {
        let folder = files(&[("items.json", array.as_bytes())]);
        let (_, said, told) = run(&["filter", &path(&folder, "items.json")], b"");
        let pages = found(&said);
        assert_eq!(pages.len(), 3, "{number}: {said}{told}");
        assert_eq!(
            pages[1]["phrases"],
            serde_json::json!(["b \"}] \\\" { ["]),
            "{number}"
        );
        assert!(
            !said.contains("WITHHELD") && pages[2]["verdict"]["enter"] == false,
            "{number}: {said}"
        );
        let piped = run(&["filter", "--format", "text"], array.as_bytes()).1;
        assert!(piped.contains("https://a.example/2"), "{number}: {piped}");
    }
    // Damage affects only its object. If that may be a robots.txt, all pages are denied.
    let broken = format!(
        "[\n{},\n{{\"url\": \"https://a.example/robots.txt\", \"html\": \"x\n\",\n{}\n]",
        objects[1], objects[1]
    );
    let folder = files(&[("items.json", broken.as_bytes())]);
    let said = run(&["filter", &path(&folder, "items.json")], b"").1;
    let pages = found(&said);
    let entered: Vec<_> = pages
        .iter()
        .filter_map(|page| page["verdict"].get("enter"))
        .collect();
    assert_eq!(entered, [&serde_json::json!(false); 4], "{said}");
    assert!(said.contains("object 2"), "{said}");
    let (status, said, told) = run(&["filter"], b"[]");
    assert!(status == 1 && said.is_empty(), "{said}{told}");
}

/// A run of `heedful index` over a JSON array that is interrupted can be resumed after the last
/// object that was read.
#[test]
fn an_array_is_gone_on_with() {
    use heedful_input::Inputs;
    let objects = [
        r#"{"url": "https://a.example/1", "html": "<p>a"}"#,
        r#"{"url": "https://a.example/2", "html": "<p>b"}"#,
    ];
    for array in arrays(&objects) {
        let folder = files(&[("items.json", array.as_bytes())]);
        let input = &Inputs::default()
            .open(&[folder.path().join("items.json")])
            .unwrap()[0];
        let positions: Vec<_> = input
            .items()
            .unwrap()
            .map(|(_, position)| position)
            .collect();
        let behind: Vec<_> = positions
            .iter()
            .map(|position| input.items_from(position).unwrap().count())
            .collect();
        assert_eq!(behind, [1, 0], "{array}");
    }
}

/// A line of JSON Lines that begins like an array is parsed as a line, even if a run resumes at
/// this line.
#[test]
fn lines_are_gone_on_with_as_lines() {
    use heedful_input::{Inputs, Item};
    let page = r#"{"url": "https://a.example/1", "html": "<p>a"}"#;
    let folder = files(&[(
        "items.jsonl",
        format!("{page}\n[{page}]\n, {page}\n{page}\n").as_bytes(),
    )]);
    let input = &Inputs::default()
        .open(&[folder.path().join("items.jsonl")])
        .unwrap()[0];
    let all: Vec<_> = input.items().unwrap().collect();
    let is_page = |item: &Item| matches!(item, Item::Document(_));
    assert_eq!(
        all.iter()
            .map(|(item, _)| is_page(item))
            .collect::<Vec<_>>(),
        [true, false, false, true]
    );
    for (at, (_, position)) in all.iter().enumerate() {
        let behind: Vec<_> = input
            .items_from(position)
            .unwrap()
            .map(|(item, _)| is_page(&item))
            .collect();
        assert_eq!(
            behind,
            [true, false, false, true][at + 1..],
            "behind line {}",
            at + 1
        );
    }
}

/// A damaged robots.txt in the input gives two items. A run that is resumed between these two items
/// loses neither.
#[test]
fn a_damaged_robots_txt_is_gone_on_with_whole() {
    use heedful_input::{Inputs, Item};
    let page = r#"{"url": "https://a.example/1", "html": "<p>a"}"#;
    let lines =
        format!("{page}\n{{\"html\": x, \"url\": \"https://a.example/robots.txt\"}}\n{page}\n");
    let robots = "https://a.example/robots.txt";
    let broken = made::warc(
        "response",
        robots,
        "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nx",
    );
    let page = made::page("https://a.example/1", "<p>a");
    let archive = [page.clone(), broken, page].concat();
    let folder = files(&[("items.jsonl", lines.as_bytes()), ("items.warc", &archive)]);
    for name in ["items.jsonl", "items.warc"] {
        let input = &Inputs::default().open(&[folder.path().join(name)]).unwrap()[0];
        let kind = |item: &Item| match item {
            Item::Document(_) => "page",
            Item::Robots(_) => "robots",
            Item::Damage(_) => "damage",
            _ => "other",
        };
        let all: Vec<_> = input.items().unwrap().collect();
        let kinds: Vec<_> = all.iter().map(|(item, _)| kind(item)).collect();
        assert_eq!(kinds, ["page", "robots", "damage", "page"], "{name}");
        for ((_, position), begins) in all.iter().zip([1, 1, 3, 4]) {
            let behind: Vec<_> = input
                .items_from(position)
                .unwrap()
                .map(|(item, _)| kind(&item))
                .collect();
            assert_eq!(behind, kinds[begins..], "{name}");
        }
    }
}

#[test]
fn what_is_no_page_is_named_and_passed_over() {
    let mut tar = vec![b'a'; 600];
    tar[257..262].copy_from_slice(b"ustar");
    let strangers: [(&str, &[u8], &str); 13] = [
        ("a.pdf", b"%PDF-1.7\n1 0 obj <p>x", "a PDF"),
        ("a.html", b"\n%PDF-1.7\n<p>x", "a PDF"),
        ("crawl.jsonl.bz2", b"BZh91AY&SYxxxxx", "bzcat"),
        ("crawl.jsonl.xz", b"\xFD7zXZ\0xxxxx", "xzcat"),
        ("a.tar", &tar, "tar archive"),
        ("a.gif", b"GIF89a<p>x", "a picture"),
        ("a.jpg", b"\xFF\xD8\xFF\xE0<p>x", "a picture"),
        ("a.zip", b"PK\x03\x04xxxx", "No such file"),
        (
            "a.csv",
            b"id;title\n1;rye < wheat\n",
            "without a single tag",
        ),
        ("a.txt", b"plain words", "without a single tag"),
        (
            "feed.xml",
            b"<?xml version='1.0'?><rss><title>x</title></rss>",
            "XML",
        ),
        ("empty.html", b"", "it is empty"),
        ("a.bin", b"\x00\x01\x02<p>x", "say which with --input"),
    ];
    for (name, bytes, told) in strangers.iter().filter(|(name, ..)| *name != "a.zip") {
        let folder = files(&[(name, bytes), ("page.html", b"<p>pageword")]);
        let (file, page) = (path(&folder, name), path(&folder, "page.html"));
        let (status, out, said) = run(&["text", &file], b"");
        assert!(
            status == 2 && out.is_empty() && said.contains(told),
            "{name}: {out}{said}"
        );
        let (status, out, said) = run(&["text", &file, &page], b"");
        assert!(
            status == 0 && said.contains(told) && said.contains(name),
            "{name}: {said}"
        );
        assert_eq!(
            out.lines()
                .filter(|line| !line.starts_with('#') && !line.is_empty())
                .collect::<Vec<_>>(),
            ["pageword"]
        );
        assert_eq!(run(&["text", &file, &page, "--strict"], b"").0, 2, "{name}");
        let (status, out, said) = run(&["text"], bytes);
        assert!(
            status == 2 && out.is_empty() && said.contains(told),
            "{name} from a pipe: {out}{said}"
        );
    }
    let folder = files(&[("a.txt", b"plain words"), ("a.html.gz", b"")]);
    assert_eq!(
        run(&["text", &path(&folder, "a.txt"), "--input", "html"], b"").1,
        "plain words\n"
    );
    assert_eq!(run(&["text", "--input", "html"], b"").0, 1, "an empty page");
}

/// If a file of a site is no longer a page, its page is removed from the index.
#[test]
fn a_file_that_is_no_page_any_more_goes() {
    let folder = files(&[
        ("a.html", b"<p>aword"),
        ("b.html", b"<p>bword"),
        ("c.html", b"<p>cword"),
    ]);
    let (out, root) = (TempDir::new().unwrap(), folder.path().display().to_string());
    let index = path(&out, "index");
    let make = || {
        run(
            &["index", &root, "-u", "https://site.example/", "-o", &index],
            b"",
        )
        .2
    };
    assert!(make().contains("3 pages, 3 indexed"));
    std::fs::write(folder.path().join("a.html"), "").unwrap();
    std::fs::write(folder.path().join("b.html"), "%PDF-1.4 <p>bword").unwrap();
    let told = make();
    assert!(
        told.contains("1 page, 1 indexed") && told.contains("2 not HTML"),
        "{told}"
    );
    assert_eq!(
        ["aword", "bword", "cword"].map(|word| run(&["search", &index, word], b"").0),
        [1, 1, 0]
    );
}

/// The content type in a JSON line decides if the line is a page.
#[test]
fn a_line_is_no_page_if_its_type_is_none() {
    let line = |headers: serde_json::Value| {
        format!(
            "{}\n",
            serde_json::json!({"url": "https://a.example/", "headers": headers, "html": "<p>feedword"})
        )
    };
    for (headers, is_page) in [
        (
            serde_json::json!({"content-type": "application/xml"}),
            false,
        ),
        (
            serde_json::json!({"Content-Type": ["text/html", "application/json"]}),
            false,
        ),
        (
            serde_json::json!({"Content-Type": ["application/json", "text/html"]}),
            true,
        ),
        (
            serde_json::json!([["content-type", "application/rss+xml; charset=utf-8"]]),
            false,
        ),
        (
            serde_json::json!({"content-type": "text/html; charset=utf-8"}),
            true,
        ),
        (
            serde_json::json!({"content-type": "application/xhtml+xml"}),
            true,
        ),
        (serde_json::json!({"content-type": "*/*"}), true),
        (serde_json::json!({}), true),
    ] {
        let (status, out, told) = run(&["text"], line(headers.clone()).as_bytes());
        assert_eq!(
            (status == 0, out.contains("feedword")),
            (is_page, is_page),
            "{headers}: {told}"
        );
    }
    // A PDF, and content that is still packed.
    for packed in ["JVBERi0xLjcgPHA+eA==", "KLUv/TxwPng="] {
        let line = serde_json::json!({"url": "https://a.example/", "html_b64": packed}).to_string();
        assert_eq!(run(&["filter"], line.as_bytes()).1, "", "{packed}");
    }
}

/// Each line of a header's value is obeyed. Some programs preserve the line break of a folded
/// header, others join several header lines into one value.
#[test]
fn each_line_of_a_value_counts() {
    for (value, denied) in [
        (
            "nofollow,\r\n unavailable_after: 25 Jun 2010 15:00:00 GMT",
            "index",
        ),
        ("unavailable_after:\r\n\t2010-06-25T15:00:00Z", "index"),
        ("otherbot: noarchive,\r\n foobot: noindex", "index"),
        ("otherbot: nofollow\nnoindex", "index"),
        ("nofollow\nfoobot: noindex", "index"),
        ("otherbot: noindex\nfoobot: noindex", "index"),
        ("nofollow\nunavailable_after: 2020-01-01", "index"),
        ("nofollow\n*: noindex", "index"),
        ("nofollow\nnoindex: true", "index"),
        ("nofollow\nmax-snippet:0", "snippet"),
        ("foobot: nofollow,\nnosnippet", "snippet"),
        ("nofollow\notherbot: nosnippet", ""),
        ("otherbot: nofollow,\r\n nosnippet", ""),
    ] {
        let line = serde_json::json!({"url": "https://a.example/", "headers": {"x-robots-tag": value}, "html": "<p>x"});
        let (_, out, told) = run(&["filter", "-b", "foobot"], line.to_string().as_bytes());
        let page: serde_json::Value =
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{value:?}: {told}"));
        let denied_here: Vec<_> = ["index", "snippet"]
            .into_iter()
            .filter(|use_| page["verdict"][use_] == false)
            .collect();
        assert_eq!(
            denied_here.first().copied().unwrap_or_default(),
            denied,
            "{value:?}: {out}"
        );
    }
}

/// Returns a WARC of one page with these HTTP headers and this body.
fn warc(headers: &str, body: &[u8]) -> Vec<u8> {
    let http = [
        format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n").as_bytes(),
        body,
    ]
    .concat();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/p\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        http.len()
    );
    [head.as_bytes(), &http, b"\r\n\r\n"].concat()
}

#[test]
fn a_coding_that_was_undone_is_seen_in_any_character_set() {
    let pages: [(&str, &[u8]); 5] = [
        ("iso-8859-1", b"<p>caf\xe9 au lait"),
        ("euc-jp", b"\n<HTML><p>\xa4\xa2 lait"),
        ("iso-2022-jp", b"<p>\x1b$B$\"\x1b(B lait"),
        ("iso-8859-1", b"<!-- \0 --><p>lait"),
        (
            "windows-1252",
            &[b"lait d\xe9j\xe0 vu ".repeat(20), b"<p>x".to_vec()].concat(),
        ),
    ];
    for coding in ["gzip", "x-gzip", "deflate", "br", "zstd"] {
        for (charset, body) in pages {
            let warc = warc(
                &format!(
                    "Content-Type: text/html; charset={charset}\r\nContent-Encoding: {coding}"
                ),
                body,
            );
            let (status, out, told) = run(&["text"], &warc);
            assert!(
                status == 0 && out.contains("lait"),
                "{coding} {charset}: {out}{told}"
            );
        }
    }
    // Packed content that is broken is damage, and names its page.
    let packed: [(&str, &[u8]); 4] = [
        ("gzip", b"\x1f\x8b\x08\0<p>lait"),
        ("deflate", b"\x78\x9c<p>lait"),
        ("zstd", b"\x28\xb5\x2f\xfd<p>lait"),
        ("br", b"\x05\x01\x02<p>lait"),
    ];
    for (coding, body) in packed {
        let warc = warc(
            &format!("Content-Type: text/html\r\nContent-Encoding: {coding}"),
            body,
        );
        let (_, out, told) = run(&["filter"], &warc);
        assert!(
            !out.contains("lait") && out.contains(r#""url":"https://a.example/p""#),
            "{coding}: {out}{told}"
        );
        assert!(out.contains(coding), "{coding}: {out}");
    }
}

/// If the robots.txt in a pipe comes after pages of its site, a note counts these pages. They were
/// written before it was read.
#[test]
fn pages_that_go_out_before_their_robots_txt_are_told() {
    let page = |url: &str| format!("{}\n", serde_json::json!({"url": url, "html": "<p>word"}));
    let robots = |site: &str| {
        let rules = "User-agent: *\nDisallow: /private/";
        format!(
            "{}\n",
            serde_json::json!({"url": format!("{site}/robots.txt"), "html": rules})
        )
    };
    let lines = [
        page("https://a.example/private/1"),
        page("https://a.example/2"),
        page("https://b.example/1"),
        robots("https://a.example"),
        page("https://a.example/3"),
        page("https://c.example/1"),
        robots("https://b.example"),
    ];
    let input = lines.concat();
    for verb in ["filter", "text", "links"] {
        let told = run(&[verb, "--jobs", "1"], input.as_bytes()).2;
        assert!(
            told.contains(
                "2 pages of https://a.example were written before its robots.txt was read"
            ),
            "{verb}: {told}"
        );
        assert!(
            told.contains("1 page of https://b.example was written"),
            "{verb}: {told}"
        );
        assert!(!told.contains("of https://c.example"), "{verb}: {told}");
        assert!(
            told.contains("no robots.txt found for 1 host (1 page), let in: https://c.example"),
            "{verb}: {told}"
        );
        assert!(
            told.contains("5 pages; 0 kept out by robots.txt, 0 noindex, 0 failed"),
            "{verb}: {told}"
        );
        assert_eq!(run(&[verb, "-q"], input.as_bytes()).2, "", "{verb}");
        assert!(
            !run(&[verb, "--require-robots"], input.as_bytes())
                .2
                .contains("written before"),
            "{verb}"
        );
    }
    let folder = files(&[("crawl.jsonl", input.as_bytes())]);
    assert!(
        !run(&["filter", &path(&folder, "crawl.jsonl")], b"")
            .2
            .contains("written before")
    );
    let told = run(&["index", "-o", &path(&folder, "index")], input.as_bytes()).2;
    assert!(
        told.contains("no robots.txt found for 1 host (1 page), let in")
            && told.contains("1 page removed again"),
        "{told}"
    );
}

/// If one page of a site has Pagefind's attribute `data-pagefind-body`, the pages of that site
/// without this attribute are not indexed. Other sites are not affected.
#[test]
fn one_page_that_marks_shuts_the_others_of_its_site() {
    let marked = "<p DATA-Pagefind-Body>markedword</p><p>asideword";
    let pages: [(_, &[u8]); 3] = [
        ("a.html", b"<p>aword"),
        ("b/c.html", marked.as_bytes()),
        ("d.html", b"<p title=data-pagefind-body>dword"),
    ];
    let folder = files(&pages);
    let root = folder.path().display().to_string();
    let filtered = |more: &[&str]| {
        let said = run(
            &[&["filter", &root, "-u", "https://s.example/"], more].concat(),
            b"",
        )
        .1;
        found(&said)
            .iter()
            .map(|page| page["phrases"].to_string())
            .collect::<Vec<_>>()
    };
    let marks = ["--conventions", "web,+pagefind-body"];
    assert_eq!(filtered(&marks), ["[]", r#"["markedword"]"#, "[]"]);
    assert_eq!(
        filtered(&[]),
        [
            r#"["aword"]"#,
            r#"["markedword asideword"]"#,
            r#"["dword"]"#
        ]
    );

    let line =
        |url: &str, html: &str| format!("{}\n", serde_json::json!({ "url": url, "html": html }));
    let crawl = [
        line("https://s.example/", "<p>one"),
        line("https://t.example/", "<p>two"),
        line("https://s.example/a", marked),
    ];
    let folder = files(&[("crawl.jsonl", crawl.concat().as_bytes())]);
    let texts = |arguments: &[&str], stdin: &[u8]| {
        let said = run(&[arguments, &marks].concat(), stdin).1;
        found(&said)
            .iter()
            .map(|page| page["phrases"].to_string())
            .collect::<Vec<_>>()
    };
    let read = texts(&["filter", &path(&folder, "crawl.jsonl")], b"");
    assert_eq!(read, ["[]", r#"["two"]"#, r#"["markedword"]"#]);
}
