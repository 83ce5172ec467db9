//! The edges of an input, where a wrong idea of it would leak: who we say we are, which URL a file has, what is no page, and
//! what a coding or a pipe hides.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use assert_cmd::Command;
use heedful::{Bot, Filter, RobotsTxt};
use tempfile::TempDir;

/// Exit status, standard output, standard error.
fn run(arguments: &[&str], stdin: &[u8]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("heedful").unwrap();
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments).write_stdin(stdin).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder with these files.
fn files(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

/// What is said to FooBot, in each place where a bot is named.
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
    for name in ["FooBot", "FooBot/1.0", " foobot / 1.0-rc2 ", "Bar Bot/2=foobot/1"] {
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
        ("Mozilla/5.0 (compatible; FooBot/1.0)", "give the product token alone: FooBot"),
        ("Mozilla/5.0 (compatible; Foo Bot/1.0; +https://foo.example/bot)", "the product token alone: Foo Bot"),
        ("Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; FooBot/1.1)", "token alone: FooBot"),
        ("Mozilla/5.0 (X11; Linux) AppleWebKit/537 (KHTML, like Gecko) FooBot/9 Safari/537", "token alone: FooBot"),
        ("FooBot/1.0 (+https://foo.example/bot)", "the product token alone: FooBot"),
        ("FooBot (news)", "the product token alone: FooBot"),
        ("Mozilla/5.0 (X11; Linux)", "the product token alone, as in FooBot/1.0"),
        ("a\nb", "holds a control character"),
        ("a\u{7}b", "holds a control character"),
        ("/1.0", "a bot needs a name"),
        ("*", "means every bot"),
        ("Foo:Bot", "holds a comma or a colon"),
    ] {
        let (status, _, said) = run(&["text", "-", "--input", "html", "-b", name], b"<p>x");
        assert!(status == 2 && said.contains(told), "{name:?}: {said}");
        assert!(Bot::new(name).unwrap_err().to_string().contains(told), "{name:?}");
    }
}

/// One that nobody names hears what is said to everybody, and nothing else.
#[test]
fn who_is_named_by_nobody_can_be_asked_about() {
    let rules = b"User-agent: foobot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n";
    let folder = files(&[("robots.txt", rules)]);
    let file = path(&folder, "robots.txt");
    for (url, status) in [("/a", 0), ("/b", 1)] {
        for mode in ["rfc9309", "google", "1994", "1996", "spiderline", "lycos"] {
            let (found, said, told) = run(&["check", "-r", &file, "-b", "*", url, "--mode", mode], b"");
            assert_eq!(found, status, "{mode} {url}: {said}{told}");
            assert!(said.starts_with("* may"), "{said}");
        }
    }
    let question = br#"{"robots": "User-agent: *\nDisallow: /b", "bot": "*", "url": "/b"}"#;
    let (_, said, _) = run(&["check", "--batch"], question);
    assert!(said.contains(r#""bot":"*","allowed":false,"line":2"#), "{said}");
}

/// A site of files: what is at the URL of a folder, and what calls it so.
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
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_index_has_the_url_of_its_folder() {
    const URL: &str = "https://site.example/";
    let (folder, out) = (site(), TempDir::new().unwrap());
    let (root, index) = (folder.path().display().to_string(), path(&out, "index"));
    let (_, said, told) = run(&["filter", &root, "-u", URL], b"");
    let urls: Vec<_> = found(&said).iter().map(|page| page["url"].as_str().unwrap().to_owned()).collect();
    let expected = [".well-known/a.html", "", "posts/both/index.htm", "posts/both/", "posts/old/", "posts/rye/"];
    assert_eq!(urls, expected.map(|path| [URL, path].concat()), "{told}");
    let links = run(&["links", &root, "-u", URL], b"").1;
    for target in ["posts/rye/#top", "other/index.html?x=1", ""] {
        assert!(links.contains(&format!("{URL}{target}\t")), "{target}: {links}");
    }
    assert!(links.contains("https://far.example/a/index.html\t") && !links.contains("rye/index.html"), "{links}");
    let (status, _, told) = run(&["index", &root, "-u", URL, "-o", &index, "--snapshot"], b"");
    assert!(status == 0 && told.contains("3 hidden (--hidden reads them)"), "{told}");
    for (query, url) in [("anchor:story", "posts/rye/"), ("ryeword", "posts/rye/"), ("anchor:homeward", "")] {
        let said = run(&["search", &index, query, "--format", "json"], b"").1;
        let hits: Vec<_> = found(&said).iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect();
        assert_eq!(hits, [[URL, url].concat()], "{query}");
    }
    for query in ["anchor:myself", "gitword", "draftword", "moduleword"] {
        assert_eq!(run(&["search", &index, query], b"").0, 1, "{query}");
    }
    let copy = run(&["snapshot", "--from", &index, &format!("{URL}posts/rye/")], b"").1;
    assert!(copy.contains("ryeword"), "{copy}");
    let told = run(&["index", &root, "-u", URL, "-o", &path(&out, "all"), "--hidden"], b"").2;
    assert!(told.contains("9 pages, 9 indexed") && !told.contains("hidden"), "{told}");
}

/// What is said of the file, and what is said of its folder, holds: in robots.txt and by the user.
#[test]
fn both_urls_of_an_index_are_asked_about() {
    const URL: &str = "https://site.example/";
    for (rule, out) in [
        ("Disallow: /posts/rye/$", "posts/rye/"),
        ("Disallow: /posts/rye/index.html$", "posts/rye/"),
        ("Disallow: /*.htm$", "posts/old/"),
        ("Disallow: /posts/old/\nAllow: /posts/old/index.htm", "posts/old/"),
        ("Noindex: /posts/rye/index.html", "posts/rye/"),
    ] {
        let folder = site();
        std::fs::write(folder.path().join("robots.txt"), format!("User-agent: *\n{rule}\n")).unwrap();
        let root = folder.path().display().to_string();
        let said = run(&["filter", &root, "-u", URL, "--dialects", "web,+noindex-record"], b"").1;
        for page in found(&said) {
            let (is_out, is_it) =
                (page["phrases"].as_array().is_none_or(Vec::is_empty), page["url"] == [URL, out].concat());
            assert!(
                is_out == is_it || out == "posts/old/" && page["url"] == [URL, "posts/both/index.htm"].concat(),
                "{rule}: {page}"
            );
        }
    }
    let folder = site();
    let root = folder.path().display().to_string();
    for pattern in ["/posts/rye/index.html", "/posts/rye/$", "https://site.example/posts/rye/index.html"] {
        let said = run(&["filter", &root, "-u", URL, "--deny", &format!("noindex={pattern}")], b"").1;
        assert!(!said.contains("ryeword") && said.contains("homeword"), "{pattern}: {said}");
    }
}
