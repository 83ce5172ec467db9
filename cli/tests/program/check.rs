//! `heedful check` as a user runs it: where a robots.txt came from, and the list of all its rules
//! for a bot.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{run, write};

/// Starts a site that answers one request with `body` and then ends. Returns the URL of the site,
/// and its thread.
fn site(body: &'static str) -> (String, std::thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        let answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).unwrap();
    });
    (url, served)
}

/// A cached robots.txt that was fetched for one bot is also used for another bot. Each output of
/// `check` says if the robots.txt was fetched or cached.
#[test]
fn a_copy_serves_every_bot_and_says_so() {
    let (url, served) =
        site("User-agent: Lycos\nDisallow: /cgi-bin\n\nUser-agent: *\nDisallow: /tmp");
    let folder = TempDir::new().unwrap();
    let (cache, page) = (
        folder.path().join("robots").display().to_string(),
        format!("{url}/tmp/a"),
    );
    let ask = |bot: &str, more: &[&str]| {
        run(
            &[
                &[
                    "check",
                    "--fetch-robots",
                    "--allow-private",
                    "--robots-cache",
                    &cache,
                    "-b",
                    bot,
                    &page,
                ],
                more,
            ]
            .concat(),
            "",
        )
    };
    let (status, _, told) = ask("Lycos", &[]);
    assert_eq!(
        (status, told),
        (
            0,
            format!("{url}/robots.txt: asked now, HTTP status 200, for Lycos/1.0\n")
        )
    );
    served.join().unwrap();
    // The site is closed by now, so the answer comes from the copy.
    let (status, found, told) = ask("MomSpider", &[]);
    assert_eq!(
        (status, found),
        (
            1,
            format!("MomSpider may not fetch {page}: line 5 says `Disallow: /tmp`, to *\n")
        )
    );
    let is_copy = told.starts_with(&format!("{url}/robots.txt: a copy, "));
    assert!(
        is_copy && told.ends_with(" old, HTTP status 200, for Lycos/1.0\n"),
        "{told}"
    );
    let (_, found, told) = ask("MomSpider", &["--format", "json"]);
    let answer: Value = serde_json::from_str(&found).unwrap();
    let source = &answer["source"];
    assert_eq!(
        (&source["kind"], &source["agent"], &source["status"]),
        (&"cached".into(), &"Lycos/1.0".into(), &200.into())
    );
    assert!(
        source["fetched"].as_str().unwrap().ends_with('Z') && told.is_empty(),
        "{found}{told}"
    );
    let (_, found, _) = ask("MomSpider", &["--rules"]);
    assert_eq!(
        found,
        "MomSpider: some paths are denied\nnot  /tmp  line 5 says `Disallow: /tmp`, to *\n"
    );
    let closed = [
        "check",
        "--fetch-robots",
        "--allow-private",
        "--rules",
        "-b",
        "MomSpider",
        &page,
    ];
    let (status, found, told) = run(&closed, "");
    assert!(
        status == 0 && found.starts_with("MomSpider: may fetch nothing: "),
        "{found}"
    );
    assert!(told.contains("robots.txt: asked now, no answer"), "{told}");
}

#[test]
fn a_file_and_a_question_are_named() {
    let folder = TempDir::new().unwrap();
    let robots = write(&folder, "robots.txt", "User-agent: *\nDisallow: /a");
    let (_, _, told) = run(&["check", "-r", &robots, "-v", "/a"], "");
    assert_eq!(told, format!("{robots}: a file\n"));
    let (_, found, _) = run(&["check", "-r", &robots, "/a", "--format", "json"], "");
    let answer: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        (&answer["source"]["kind"], &answer["source"]["place"]),
        (&"file".into(), &robots.as_str().into())
    );
    let question = r#"{"robots": "User-agent: *\nDisallow: /a", "bot": "*", "url": "/a"}"#;
    let answer: Value = serde_json::from_str(&run(&["check", "--batch"], question).1).unwrap();
    assert_eq!(
        (&answer["source"]["kind"], &answer["bot"], &answer["line"]),
        (&"given".into(), &"*".into(), &2.into())
    );
}

/// `check --rules` lists the rules of all groups that apply to a bot, including lines that the
/// parser repaired.
#[test]
fn list_tells_what_a_bot_may_not_have() {
    let folder = TempDir::new().unwrap();
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: *\nDisallow: /private/\n\nUser-agent: FooBot\nDisallow: /a\nAllow: /a/b # not all\nCrawl-delay: 5\n\n\
         User-agent: BarBot\nDisallow:\n\nUser-agent: BazBot\nUser-agent: foobot\nDisalow: /c\nNoindex: /d\n",
    );
    let list = |more: &[&str]| run(&[&["check", "-r", &robots, "--rules"], more].concat(), "");
    let (status, found, told) = list(&["-b", "FooBot", "-b", "BarBot", "-b", "other"]);
    let expected = "FooBot: some paths are denied\n\
        not  /a  line 5 says `Disallow: /a`, to FooBot\n\
        may  /a/b  line 6 says `Allow: /a/b`, to FooBot\n\
        not  /c  line 14 says `Disalow: /c`, to BazBot, foobot (misspelt-key)\n\
        use  line 15: `Noindex: /d`\n\
        5 seconds between two fetches\n\
        BarBot: may fetch everything: the rules for BarBot deny nothing\n\
        other: some paths are denied\n\
        not  /private/  line 2 says `Disallow: /private/`, to *\n";
    assert_eq!((status, found.as_str(), told.as_str()), (0, expected, ""));
    let (_, found, _) = list(&["-b", "FooBot", "--format", "json"]);
    let answer: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        (&answer["mode"], &answer["reason"], &answer["group"]),
        (&"rfc9309".into(), &"no-rule".into(), &"FooBot".into())
    );
    assert_eq!(answer["rules"].as_array().unwrap().len(), 3);
    let last = serde_json::json!(
        {"line": 14, "rule": "Disalow: /c", "allowed": false, "pattern": "/c", "group": "BazBot, foobot"}
    );
    assert_eq!(answer["rules"][2], last);
    assert_eq!(
        answer["records_of_use"],
        serde_json::json!([{"line": 15, "record": "Noindex: /d"}])
    );
    let (_, found, _) = list(&["-b", "FooBot", "--mode", "lycos"]);
    assert!(
        found.starts_with("FooBot: some paths are denied\nnot  /private/  line 2")
            && !found.contains("/a"),
        "{found}"
    );
    let lone = write(&folder, "lone.txt", "User-agent: FooBot\nDisallow: /");
    let (_, found, _) = run(&["check", "-r", &lone, "--rules", "-b", "other"], "");
    assert_eq!(found, "other: may fetch everything: no group is for it\n");
    let (status, _, told) = list(&["/a"]);
    assert!(
        status == 2 && told.contains("--rules is about the whole file"),
        "{told}"
    );
}

#[test]
fn who_names_no_robots_txt_is_told_how() {
    let (status, _, told) = run(&["check", "https://site.example/"], "");
    assert!(
        status == 2 && told.contains("--robots FILE") && told.contains("--fetch-robots"),
        "{told}"
    );
}

/// Every verb that fetches contacts only public addresses by default. The errors of all these verbs
/// have the same wording.
#[test]
fn every_verb_that_asks_asks_public_addresses_alone() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let page = format!("http://{}/a", listener.local_addr().unwrap());
    let folder = TempDir::new().unwrap();
    let index = folder.path().join("index").display().to_string();
    let line = format!(r#"{{"url": "{page}", "html": "<p>word"}}"#);
    let lines = write(&folder, "pages.jsonl", &line);
    assert_eq!(run(&["index", "-o", &index, &lines], "").0, 0);
    let wording = "/robots.txt: no answer from a public address";
    for (arguments, stdin) in [
        (&["check", "--fetch-robots", &page][..], ""),
        (
            &[
                "filter",
                "--input",
                "jsonl",
                "--fetch-robots",
                "--format",
                "json",
            ],
            line.as_str(),
        ),
        (
            &["filter", &lines, "--fetch-robots", "--format", "json"],
            "",
        ),
    ] {
        let (_, found, told) = run(arguments, stdin);
        assert!(arguments[0] != "check" || told.contains(wording), "{told}");
        assert!(
            found.contains("may not fetch") || found.contains(r#""enter":false"#),
            "{found}"
        );
    }
    // A site that does not answer changes nothing in the index.
    let (status, found, _) = run(&["purge", &index, "--fetch-robots", "--format", "json"], "");
    assert_eq!((status, found.as_str()), (0, ""));
    assert!(listener.accept().is_err(), "it was asked");
}
