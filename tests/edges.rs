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
