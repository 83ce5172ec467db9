//! `heedful serve` over real sockets: its routes, and its refusals. Its answers are those of the
//! verbs.

use std::process::Command;

use serde_json::{Value, json};

use crate::command::{run, write};
use crate::served::Served;
use crate::support::cases::corpus;
use crate::support::{folder, root};

const PAGE: &str = "<title>Rye</title><p>Rye bread <!--noindex-->withheld<!--/noindex--> keeps";
const HTML: &str = "text/html";
const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";
const URL: &str = "https://site.example/rye";
/// The error message of the service for an empty page.
const EMPTY: &str = "it is empty, which is no page";
/// The date as of which pages are judged in the tests. No page of the corpus expires close to it.
const DAY: &str = "2026-11-21";

/// Returns the pages of the corpus as JSON Lines.
fn lines() -> String {
    let line = |(at, (_, html)): (usize, (String, String))| {
        let robots = if at % 7 == 0 {
            "User-agent: *\nDisallow: /3"
        } else {
            ""
        };
        let headers = if at % 5 == 0 {
            json!([["X-Robots-Tag", "nosnippet"]])
        } else {
            json!([])
        };
        let url = format!("https://s{}.example/{at}", at % 10);
        json!({ "url": url, "html": html, "robots": robots, "headers": headers }).to_string() + "\n"
    };
    corpus(false).into_iter().enumerate().map(line).collect()
}

#[test]
fn a_page_is_filtered() {
    let served = Served::start(&[]);
    let answer = served.post(&format!("/filter?url={URL}"), HTML, PAGE);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some(JSON))
    );
    let page = answer.json();
    assert_eq!(
        (&page["url"], &page["phrases"]),
        (&json!(URL), &json!(["Rye bread", "keeps"]))
    );
    assert!(!answer.text().contains("withheld</"));
    let head = "header=X-Robots-Tag:%20foobot:%20nosnippet&header=Content-Type:%20text/html;%20charset=koi8-r";
    let answer = served.post(
        &format!("/filter?url={URL}&bot=foobot&bot=barbot&snapshot&{head}"),
        HTML,
        b"<p>\xd2\xcf\xd6\xd8",
    );
    let pages = answer.json();
    let of = |bot: usize, key: &str| pages[bot][key].clone();
    assert_eq!(
        (of(0, "bot"), of(1, "bot")),
        (json!("foobot"), json!("barbot"))
    );
    assert_eq!(
        (
            &pages[0]["verdict"]["snippet"],
            &pages[1]["verdict"]["snippet"]
        ),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        (of(0, "phrases"), of(1, "snapshot")),
        (json!(["рожь"]), json!("\u{feff}<p>рожь"))
    );
    assert_eq!(
        pages[0]["about"]["content_type"],
        "text/html; charset=koi8-r"
    );
}

#[test]
fn a_page_may_come_as_json() {
    let served = Served::start(&[]);
    let page = json!({
        "url": URL, "html_b64": "PHA+cnllIDxhIGhyZWY9L2E+YTwvYT4=", "headers": {"X-Robots-Tag": "nofollow"},
        "robots": "User-agent: barbot\nDisallow: /", "robots_status": 200, "date": "2026-11-21T00:00:00Z",
    });
    let answer = served.post("/filter", JSON, page.to_string());
    let page = answer.json();
    assert_eq!(
        (answer.status, &page["phrases"], &page["verdict"]["follow"]),
        (200, &json!(["rye a"]), &json!(false))
    );
    assert_eq!(page["about"]["date"], "2026-11-21T00:00:00Z");
    let kept_out = served.post(
        "/filter?bot=barbot",
        JSON,
        json!({"url": URL, "html": "<p>x", "robots": "User-agent: barbot\nDisallow: /"})
            .to_string(),
    );
    assert_eq!(
        (kept_out.status, &kept_out.json()["verdict"]["enter"]),
        (200, &json!(false))
    );
    let rule = &kept_out.json()["kept_out"];
    assert_eq!(
        (&rule["rule"], &rule["line"], &rule["group"]),
        (&json!("Disallow: /"), &json!(2), &json!("barbot"))
    );
    let answer = served.post("/filter", JSON, json!({"html": "<p>x"}).to_string());
    assert_eq!(
        (answer.status, answer.error().1.as_str()),
        (400, "which URL has the page? its object has no `url`")
    );
}

/// A setting in the wrong part of a request is refused, since it may have been meant to deny a use.
#[test]
fn a_caller_is_told_where_a_setting_goes() {
    let served = Served::start(&[]);
    let page = json!({"url": URL, "html": "<p>leak"}).to_string();
    for path in ["/filter", "/explain", "/snapshot"] {
        let answer = served.post(&format!("{path}?url={URL}"), JSON, page.clone());
        assert_eq!(
            (answer.status, answer.error().0.as_str()),
            (400, "setting"),
            "{path}"
        );
        assert!(
            answer.error().1.contains("an object has its own `url`"),
            "{path}"
        );
        let header = ["Content-Type: text/html", "X-Robots-Tag: noindex"];
        let answer = served.ask("POST", &format!("{path}?url={URL}"), &header, b"<p>leak");
        assert!(
            answer.status == 400 && answer.error().1.contains("?header=X-Robots-Tag"),
            "{path}: {}",
            answer.text()
        );
    }
    for wish in [
        "Robots-Tag: *;noindex",
        "TDM-Reservation: 1",
        "Content-Usage: search=n",
        "X-Robot-Tag: noindex",
    ] {
        let answer = served.ask(
            "POST",
            &format!("/filter?url={URL}"),
            &["Content-Type: text/html", wish],
            b"<p>leak",
        );
        assert!(
            answer.status == 400 && !answer.text().contains("leak"),
            "{wish}: {}",
            answer.text()
        );
    }
    for (key, value) in [
        ("bot", "foo"),
        ("Conventions", "all"),
        ("mode", "strict"),
        ("at", "2026-12-31"),
        ("landmarks", "main"),
    ] {
        let object = json!({"url": URL, "html": "<p>leak", key: value}).to_string();
        for kind in [JSON, "application/x-ndjson"] {
            let answer = served.post("/filter", kind, object.clone());
            let told = format!("`{}` is no key of a page", key.to_lowercase());
            assert!(
                answer.text().contains(&told) && !answer.text().contains("\"leak\""),
                "{}",
                answer.text()
            );
        }
    }
}

/// The answer for a page with an error has the same keys as the answer for a page without one. The
/// HTTP status shows that there is an error.
#[test]
fn a_page_that_cannot_be_read_is_an_error() {
    let served = Served::start(&["--limit", "page_bytes=1K"]);
    let long = format!("<p>{}", "x".repeat(2000));
    let json_of = |object: Value| object.to_string();
    for (path, kind, body, error) in [
        ("/filter?url=nowhere", HTML, PAGE.to_owned(), "url"),
        ("/filter?url=https://site.example/", HTML, long, "limit"),
        (
            "/filter?url=https://site.example/",
            HTML,
            String::new(),
            "input",
        ),
        (
            "/filter?url=https://site.example/",
            HTML,
            "<p>one<svg><style><!--</style><p>two".to_owned(),
            "",
        ),
        ("/filter", JSON, json_of(json!({"url": URL})), "input"),
        (
            "/filter",
            JSON,
            json_of(json!({"url": URL, "html": "<p>x", "status": 404})),
            "input",
        ),
        (
            "/filter",
            JSON,
            json_of(json!({"url": URL, "html": "<p>x", "status": 304})),
            "input",
        ),
        (
            "/filter",
            JSON,
            json_of(json!({"url": "https://site.example/robots.txt", "html": "User-agent: *"})),
            "input",
        ),
    ] {
        let answer = served.post(path, kind, &body);
        if error.is_empty() {
            // Both ways of reading the page are fine here, if no other status is returned.
            assert!([200, 422].contains(&answer.status), "{answer:?}");
            continue;
        }
        assert_eq!(
            (answer.status, answer.error().0.as_str()),
            (422, error),
            "{path} {body}"
        );
        assert_eq!(
            (
                &answer.json()["phrases"],
                answer.json()["verdict"]["enter"].clone()
            ),
            (&json!([]), json!(false))
        );
    }
    for path in ["/filter", "/explain", "/snapshot"] {
        let answer = served.post(&format!("{path}?url={URL}"), HTML, "");
        assert_eq!(
            (answer.status, answer.error()),
            (422, ("input".to_owned(), EMPTY.to_owned())),
            "{path}"
        );
    }
    assert!(served.counted("heedful_errors_total{kind=\"limit\"}") == 1);
    assert!(served.counted("heedful_pages_total{outcome=\"failed\"}") >= 7);
}

/// A body that is no JSON is a mistake in the request, and no page.
#[test]
fn a_body_that_is_no_json_is_refused() {
    let served = Served::start(&[]);
    for path in ["/filter", "/mask", "/explain", "/snapshot", "/check"] {
        for body in [&b"{\"url\": "[..], b"", b"<p>x", b"{} {}", b"\"\xff\""] {
            let answer = served.post(path, JSON, body);
            let (kind, message) = answer.error();
            assert_eq!(
                (answer.status, kind.as_str()),
                (400, "input"),
                "{path} {message}"
            );
            assert!(
                message.starts_with("the body is no JSON: "),
                "{path} {message}"
            );
            assert_eq!(answer.json().as_object().unwrap().len(), 1, "{path}");
        }
    }
    assert_eq!(
        served.counted("heedful_refusals_total{reason=\"json\"}"),
        25
    );
}

#[test]
fn it_answers_as_mask_does() {
    let served = Served::start(&[]);
    let lines = lines() + "no page\n{\"url\": \"https://s1.example/x\"}\n";
    let verb = ["mask", "--input", "jsonl", "--at", DAY, "-b", "foobot"];
    let (status, expected, told) = run(
        &[&verb[..], &["--use", "index,train", "--parts"]].concat(),
        &lines,
    );
    assert_eq!(status, 0, "{told}");
    let expected = expected.replace("standard input", "request");
    let path = format!("/mask?at={DAY}&bot=foobot&use=index,train&parts");
    let answer = served.post(&path, LINES, &lines);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some(LINES))
    );
    assert_same(answer.text(), &expected);
    // The same lines, sent one by one.
    for (at, (line, expected)) in lines.lines().zip(expected.lines()).enumerate().step_by(9) {
        if !line.starts_with('{') {
            continue;
        }
        let answer = served.post(&path, JSON, line);
        let expected = expected.replace(&format!("\"at\":{}", at + 1), "\"at\":1");
        assert_same(answer.text(), &format!("{expected}\n"));
    }
    // The page as the body; a page that cannot be read is denied.
    let answer = served
        .post(&format!("/mask?url={URL}&no_digest"), HTML, PAGE)
        .json();
    assert_eq!(
        (&answer["allow"]["train"], &answer["digest"]),
        (&json!(true), &Value::Null)
    );
    let answer = served.post(&format!("/mask?url={URL}"), HTML, "");
    assert_eq!(
        (
            answer.status,
            &answer.json()["kind"],
            &answer.json()["allow"]["train"]
        ),
        (200, &json!("unknown"), &json!(false))
    );
    // A robots.txt in the stream holds for the pages behind it.
    let page = |url: &str, html: &str| json!({"url": url, "html": html}).to_string();
    let lines = [
        page(
            "https://a.example/robots.txt",
            "User-agent: *\nDisallow: /b",
        ),
        page("https://a.example/b", "<p>one"),
        page("https://a.example/c", "<p>two"),
    ];
    let answer = served.post("/mask?use=index", LINES, lines.join("\n"));
    let allowed = answer.text().lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        (
            line["kind"].as_str().unwrap().to_owned(),
            line["allow"]["index"] == true,
        )
    });
    let expected = [("none", false), ("page", false), ("page", true)];
    assert_eq!(
        allowed.collect::<Vec<_>>(),
        expected.map(|(kind, allow)| (kind.to_owned(), allow))
    );
}

/// A robots.txt in the query string holds for the page in the body, on each route.
#[test]
fn a_robots_txt_may_stand_beside_a_page() {
    let served = Served::start(&[]);
    let robots = "&robots=User-agent:%20*%0ADisallow:%20/rye";
    let ask =
        |route: &str, more: &str| served.post(&format!("/{route}?url={URL}{more}"), HTML, PAGE);
    assert_eq!(ask("filter", "").json()["verdict"]["enter"], true);
    let answer = ask("filter", robots).json();
    assert_eq!(
        (&answer["verdict"]["enter"], &answer["phrases"]),
        (&json!(false), &json!([]))
    );
    let page = json!({"url": URL, "html": PAGE, "robots": "User-agent: *\nDisallow: /rye"});
    let same = served.post("/filter", JSON, page.to_string()).json();
    assert_eq!(same["verdict"], answer["verdict"]);
    assert_eq!(ask("mask", robots).json()["allow"]["index"], false);
    assert_eq!(ask("snapshot", robots).status, 403);
    assert!(ask("explain", robots).text().contains("Disallow: /rye"));
}

#[test]
fn it_answers_as_filter_does() {
    let served = Served::start(&[]);
    let lines = lines();
    assert!(lines.lines().count() > 100);
    let (status, expected, told) = run(
        &[
            "filter",
            "--input",
            "jsonl",
            "--at",
            DAY,
            "-b",
            "foobot",
            "-H",
            "X-A: b",
            "--snapshot",
        ],
        &lines,
    );
    assert_eq!(status, 0, "{told}");
    let answer = served.post(
        &format!("/filter?at={DAY}&bot=foobot&header=X-A:b&snapshot=1"),
        LINES,
        &lines,
    );
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some(LINES))
    );
    assert_same(answer.text(), &expected);
    // The same lines, sent one by one.
    for (line, expected) in lines.lines().zip(expected.lines()).step_by(9) {
        let answer = served.post(
            &format!("/filter?at={DAY}&bot=foobot&header=X-A:b&snapshot=1"),
            JSON,
            line,
        );
        assert_same(answer.text(), &format!("{expected}\n"));
    }
}

#[test]
fn it_gives_blocks_and_takes_landmarks() {
    let served = Served::start(&[]);
    let html = "<nav>Menu</nav><h1>Rye</h1><p>Dark <!--noindex-->leak<!--/noindex--> bread";
    let page = json!({ "url": URL, "html": html }).to_string();
    let asked = |query: &str| served.post(&format!("/filter?{query}"), JSON, page.clone());
    let plain = asked("").json();
    assert_eq!(
        (&plain["phrases"], &plain["blocks"]),
        (&json!(["Menu Rye Dark", "bread"]), &json!(null))
    );
    let command = [
        "filter",
        "--input",
        "jsonl",
        "--quiet",
        "--blocks",
        "--landmarks",
        "none",
        "-",
    ];
    let expected = run(&command, &page).1;
    let page_as_body = format!("/filter?url={URL}&blocks&landmarks=none");
    let answers = [
        asked("blocks&landmarks=none"),
        served.post("/filter?blocks&landmarks=none", LINES, page.clone()),
        served.post(&page_as_body, HTML, html),
    ];
    for answer in answers {
        assert_eq!(answer.status, 200);
        let answer = answer.json();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(answer["blocks"], expected["blocks"]);
        assert_eq!(answer["phrases"], json!(["Rye Dark", "bread"]));
        assert_eq!(answer["blocks"].as_array().unwrap().len(), 2);
    }
    for (query, told) in [
        ("landmarks=sidebar", "`sidebar` is no landmark"),
        ("landmarks=main&landmarks=none", "may come once"),
        ("blocks=perhaps", "`blocks` is 1 or 0"),
    ] {
        let answer = asked(query);
        assert_eq!((answer.status, answer.error().0.as_str()), (400, "setting"));
        assert!(answer.error().1.contains(told), "{}", answer.text());
    }
}

/// Fails unless the answer of the service equals the output of a verb, line by line. In errors, the
/// name of the request replaces that of the verb's input.
fn assert_same(answer: &str, expected: &str) {
    assert_eq!(answer.lines().count(), expected.lines().count());
    for (answer, expected) in answer.lines().zip(expected.lines()) {
        assert!(answer == expected, "{answer}\n{expected}");
    }
}

#[test]
fn it_answers_as_check_does() {
    let served = Served::start(&[]);
    let robots = "User-agent: foobot\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 5\n\nUser-agent: *\nDisallow:\n";
    let question =
        |bot: &str, url: &str| json!({ "robots": robots, "bot": bot, "url": url }).to_string();
    let wrong = json!({ "bot": "foobot", "url": "/" }).to_string();
    let questions = [
        question("foobot", "/private/a"),
        question("*", "/private/a"),
        wrong.clone(),
        "x".to_owned(),
    ]
    .join("\n");
    let (_, expected, _) = run(&["check", "--batch", "--at", DAY], &questions);
    let answer = served.post(&format!("/check?at={DAY}"), LINES, &questions);
    assert_eq!((answer.status, answer.text()), (200, expected.as_str()));
    let first = served.post(
        &format!("/check?at={DAY}"),
        JSON,
        question("foobot", "/private/a"),
    );
    assert_eq!(
        first.text(),
        format!("{}\n", expected.lines().next().unwrap())
    );
    let asked = format!("/check?at={DAY}&bot=foobot&bot=*&url=/private/a");
    let both = served.post(&asked, "text/plain", robots).json();
    assert_eq!(
        (both[0].to_string() + "\n", both[1]["allowed"].clone()),
        (first.json().to_string() + "\n", json!(true))
    );
    for (path, kind, body) in [
        ("/check", JSON, wrong.as_str()),
        ("/check", "text/plain", robots),
        ("/check?url=/&mode=no", "text/plain", robots),
        ("/check?url=/&last=2026-01-01", "text/plain", robots),
        (
            "/check?last=2026-01-01",
            JSON,
            question("foobot", "/a").as_str(),
        ),
        (
            "/check",
            JSON,
            question("foobot", "/a")
                .replace('}', ",\"last\":\"2026-01-01\"}")
                .as_str(),
        ),
    ] {
        assert_eq!(
            (
                served.post(path, kind, body).status,
                served.post(path, kind, body).error().0.as_str()
            ),
            (400, "setting")
        );
    }
    let (_, message) = served
        .post("/check?url=/&last=2026-01-01", "text/plain", robots)
        .error();
    let (status, _, told) = run(
        &[
            "check",
            "-r",
            "corpus/site/robots.txt",
            "/a",
            "--last",
            "2026-01-01",
        ],
        "",
    );
    assert_eq!((status, told), (2, format!("error: {message}\n")));
}

#[test]
fn it_answers_as_snapshot_does() {
    let served = Served::start(&[]);
    let page = "<head></head><p>one</p><p class=robots-noarchive>two</p>";
    let folder = folder(&[]);
    let file = write(&folder, "page.html", page);
    let (_, expected, _) = run(
        &[
            "snapshot",
            &file,
            "-u",
            URL,
            "--dress",
            "--mark",
            "cut",
            "--mark-class",
            "m",
        ],
        "",
    );
    assert!(expected.contains("cut</span>"), "{expected}");
    let answer = served.post(
        &format!("/snapshot?url={URL}&dress&mark=cut&mark_class=m"),
        HTML,
        page,
    );
    assert_eq!((answer.status, answer.text()), (200, expected.as_str()));
    assert_eq!(
        answer.header("content-security-policy"),
        Some("default-src 'none'; sandbox")
    );
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let page = "<meta name=robots content=noarchive><p>one";
    let answer = served.post(&format!("/snapshot?url={URL}"), HTML, page);
    let (kind, why) = answer.error();
    assert_eq!((answer.status, kind.as_str()), (403, "withheld"));
    assert!(
        why.contains("noarchive") && !answer.text().contains("one"),
        "{why}"
    );
    let answer = served.post(&format!("/snapshot?url={URL}&bot=a&bot=b"), HTML, page);
    assert_eq!((answer.status, answer.error().0.as_str()), (400, "setting"));
    assert_eq!(served.post("/snapshot?url=x", HTML, page).status, 422);
}

#[test]
fn it_answers_as_explain_does() {
    let served = Served::start(&[]);
    let page = root().join("corpus/site/alphabet.html");
    let html = std::fs::read(&page).unwrap();
    let page = page.to_str().unwrap();
    let terms = [
        "-u",
        URL,
        "-b",
        "foobot",
        "-b",
        "barbot",
        "--at",
        DAY,
        "--as",
        "all",
        "-H",
        "Content-Type: text/html",
    ];
    let (status, expected, told) = run(
        &[&["explain", page, "--format", "json"], &terms[..]].concat(),
        "",
    );
    assert_eq!(status, 0, "{told}");
    let path = format!("/explain?url={URL}&bot=foobot&bot=barbot&at={DAY}&as=all");
    let answer = served.post(&path, HTML, &html);
    assert_eq!((answer.status, answer.text()), (200, expected.as_str()));
    let folder = folder(&[]);
    let report = folder.path().join("why.html");
    run(
        &[
            &["explain", page, "--html", report.to_str().unwrap()],
            &terms[..],
        ]
        .concat(),
        "",
    );
    let drawn = served.ask(
        "POST",
        &path,
        &["Content-Type: text/html", "Accept: text/html,*/*;q=0.8"],
        &html,
    );
    assert_eq!(
        drawn.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert!(
        drawn
            .header("content-security-policy")
            .unwrap()
            .starts_with("default-src 'none'; style-src")
    );
    assert!(drawn.body == std::fs::read(report).unwrap());
    assert_eq!(
        served
            .post(&format!("{path}&as=nobody"), HTML, &html)
            .status,
        400
    );
}

#[test]
fn it_lists_the_conventions() {
    let served = Served::start(&["--conventions", "seed"]);
    let listed = |arguments: &[&str]| {
        let (_, lines, _) = run(
            &[&["conventions", "--format", "json"], arguments].concat(),
            "",
        );
        Value::Array(
            lines
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
        )
    };
    assert_eq!(
        served.get("/conventions").json(),
        listed(&["--conventions", "seed"])
    );
    assert_eq!(
        served.get("/conventions?conventions=all").json(),
        listed(&["--conventions", "all"])
    );
    assert_eq!(
        served.get("/conventions?uses").json(),
        listed(&["--techniques"])
    );
    assert_eq!(
        served.get("/conventions?conventions=wbe").error().0,
        "setting"
    );
}

#[test]
fn it_tells_how_it_is() {
    let served = Served::start(&["--jobs", "3"]);
    let health = served.get("/health").json();
    assert_eq!(
        health,
        json!({"status": "ok", "version": env!("CARGO_PKG_VERSION"), "cores": 3, "index": false})
    );
    served.post(&format!("/filter?url={URL}"), HTML, PAGE);
    served.get("/nowhere");
    let metrics = served.get("/metrics");
    assert!(
        metrics
            .header("content-type")
            .unwrap()
            .starts_with("application/openmetrics-text")
    );
    for (name, value) in [
        (
            "heedful_requests_total{route=\"/filter\",status=\"200\"}",
            1,
        ),
        (
            "heedful_requests_total{route=\"/health\",status=\"200\"}",
            1,
        ),
        ("heedful_requests_total{route=\"other\",status=\"404\"}", 1),
        ("heedful_pages_total{outcome=\"read\"}", 1),
        ("heedful_errors_total{kind=\"input\"}", 1),
        ("heedful_refusals_total{reason=\"route\"}", 1),
        ("heedful_received_bytes_total", PAGE.len() as u64),
        ("heedful_request_seconds_bucket{le=\"+Inf\"}", 5),
        ("heedful_in_flight", 1),
        ("heedful_answering", 0),
        ("heedful_panics_total", 0),
    ] {
        let counted = served.counted(name);
        // Reading the metrics is itself counted in these two.
        let more = if name.contains("+Inf") {
            counted.saturating_sub(value)
        } else {
            0
        };
        assert_eq!(counted - more, value, "{name}\n{}", metrics.text());
    }
    assert_eq!(metrics.text().lines().last(), Some("# EOF"));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let served = Served::start(&[]);
    let filter = format!("/filter?url={URL}");
    for (method, path, headers, status, kind, says) in [
        (
            "GET",
            "/",
            &[][..],
            404,
            "input",
            "`/` here; POST goes to /filter, /mask, /check",
        ),
        ("GET", "/filter", &[], 405, "input", "takes POST"),
        ("PUT", "/health", &[], 405, "input", "takes GET"),
        (
            "OPTIONS",
            "/filter",
            &["Origin: http://localhost"],
            403,
            "input",
            "may not ask",
        ),
        (
            "POST",
            &filter,
            &[],
            415,
            "input",
            "text/html or application/json or application/x-ndjson",
        ),
        (
            "POST",
            &filter,
            &["Content-Type: application/x-www-form-urlencoded"],
            415,
            "input",
            "Content-Type",
        ),
        (
            "POST",
            &filter,
            &["Content-Type: text/plain"],
            415,
            "input",
            "`text/plain`",
        ),
        (
            "POST",
            "/check",
            &["Content-Type: text/html"],
            415,
            "input",
            "text/plain",
        ),
        (
            "POST",
            &filter,
            &["Content-Type: text/html", "Content-Encoding: gzip"],
            415,
            "input",
            "Content-Encoding",
        ),
        (
            "POST",
            "/filter",
            &["Content-Type: text/html"],
            400,
            "setting",
            "?url=",
        ),
        (
            "POST",
            "/filter?urls=x",
            &["Content-Type: text/html"],
            400,
            "setting",
            "`urls` is not known here; what is: url, header",
        ),
        (
            "POST",
            "/filter?url=a&url=b",
            &["Content-Type: text/html"],
            400,
            "setting",
            "`url` may come once",
        ),
        (
            "POST",
            &format!("{filter}&snapshot=maybe"),
            &["Content-Type: text/html"],
            400,
            "setting",
            "`snapshot` is 1 or 0",
        ),
        (
            "POST",
            &format!("{filter}&conventions=wbe"),
            &["Content-Type: text/html"],
            400,
            "setting",
            "`conventions`",
        ),
        (
            "POST",
            &format!("{filter}&at=noon"),
            &["Content-Type: text/html"],
            400,
            "setting",
            "`at`",
        ),
        (
            "POST",
            &format!("{filter}&mode=kind"),
            &["Content-Type: text/html"],
            400,
            "setting",
            "`mode`",
        ),
        (
            "POST",
            &format!("{filter}&bot="),
            &["Content-Type: text/html"],
            400,
            "setting",
            "`bot`",
        ),
        (
            "POST",
            &format!("{filter}&header=nocolon"),
            &["Content-Type: text/html"],
            400,
            "setting",
            "`header`",
        ),
        (
            "POST",
            "/filter?robots=x",
            &["Content-Type: application/json"],
            400,
            "setting",
            "an object has its own `robots`",
        ),
        (
            "POST",
            &format!("/mask?url={URL}&use=sell"),
            &["Content-Type: text/html"],
            400,
            "setting",
            "`use`",
        ),
    ] {
        let answer = served.ask(method, path, headers, b"");
        let (told, message) = answer.error();
        assert_eq!(
            (answer.status, told.as_str()),
            (status, kind),
            "{method} {path}: {message}"
        );
        assert!(message.contains(says), "{method} {path}: {message}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{method} {path}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

/// A caller of the service can add conventions or choose others, but cannot lift the operator's
/// denials.
#[test]
fn the_operators_rules_hold_for_every_caller() {
    let folder = folder(&[]);
    let own = write(
        &folder,
        "own.toml",
        "[[element]]\nselect = \".own\"\ndeny = [\"noindex\"]\n",
    );
    let served = Served::start(&[
        "--deny",
        "nosnippet=/r*",
        "--deny-element",
        "noindex=.menu",
        "--deny-region",
        "noindex=a.../a",
        "--convention-file",
        &own,
        "-b",
        "foobot",
    ]);
    let page = "<p>one<b class=menu>two</b><!--a-->three<!--/a--><b class=own>four</b><!--noindex-->five<!--/noindex-->";
    for (query, phrases) in [
        ("", json!(["one"])),
        ("&conventions=none", json!(["one", "five"])),
    ] {
        let page = served
            .post(&format!("/filter?url={URL}{query}"), HTML, page)
            .json();
        assert_eq!(
            (&page["bot"], &page["phrases"]),
            (&json!("foobot"), &phrases),
            "{page}"
        );
        assert_eq!(
            (&page["verdict"]["snippet"], &page["excerpt"]),
            (&json!(false), &json!(""))
        );
    }
}

#[test]
fn a_host_that_is_not_ours_is_refused() {
    let served = Served::start(&["--host", "heedful.internal"]);
    let port = served.address.port();
    for (host, status) in [
        (format!("localhost:{port}"), 200),
        ("LocalHost".to_owned(), 200),
        ("127.0.0.1".to_owned(), 200),
        ("[::1]:80".to_owned(), 200),
        ("search.localhost".to_owned(), 200),
        ("heedful.internal:1".to_owned(), 200),
        ("evil.example".to_owned(), 421),
        (format!("evil.example:{port}"), 421),
        ("localhost.evil.example".to_owned(), 421),
        ("10.0.0.1".to_owned(), 421),
        (String::new(), 421),
    ] {
        let answer = raw(
            &served,
            format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        );
        assert_eq!(answer.map(|answer| answer.status), Some(status), "{host}");
    }
    for head in [
        "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        "GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    ] {
        assert_eq!(
            raw(&served, head).map(|answer| answer.status),
            Some(400),
            "{head}"
        );
    }
}

/// A request that a page of another origin sends from a browser is refused.
#[test]
fn a_page_of_another_origin_is_refused() {
    let served = Served::start(&[]);
    let own = format!("Origin: http://{}", served.address);
    for (origin, status) in [
        (own.as_str(), 200),
        ("Origin: https://evil.example", 403),
        ("Origin: http://localhost", 403),
        ("Origin: null", 403),
    ] {
        assert_eq!(
            served.ask("GET", "/health", &[origin], b"").status,
            status,
            "{origin}"
        );
    }
    // Of several lines, each is asked.
    for lines in [
        [own.as_str(), "Origin: https://evil.example"],
        ["Origin: null", &own],
    ] {
        assert_eq!(served.ask("GET", "/health", &lines, b"").status, 403);
    }
}

/// A browser sends no `Origin` with simple requests, but says where they come from. Only a link that
/// somebody follows may come from elsewhere.
#[test]
fn a_request_that_another_site_makes_is_refused() {
    let served = Served::start(&[]);
    let link = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
    let frame = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"];
    let image = ["Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"];
    for (site, rest, status) in [
        ("cross-site", &link[..], 200),
        ("same-site", &link, 200),
        ("same-origin", &image, 200),
        ("none", &link, 200),
        ("cross-site", &frame, 403),
        ("cross-site", &image, 403),
        ("same-site", &image, 403),
        ("same-site", &link[..1], 403),
        ("cross-site", &[], 403),
        ("of-a-later-standard", &image, 403),
    ] {
        let site = format!("Sec-Fetch-Site: {site}");
        let headers = [&[site.as_str()], rest].concat();
        let answer = served.ask("GET", "/health", &headers, b"");
        assert_eq!(answer.status, status, "{headers:?}");
        if status == 403 {
            assert!(
                answer.error().1.contains("may not ask"),
                "{}",
                answer.text()
            );
        }
    }
    for path in [
        "/search?q=word",
        "/why?url=https://site.example/",
        "/metrics",
        "/nowhere",
    ] {
        let asked = ["Sec-Fetch-Site: cross-site", image[0], image[1]];
        let answer = served.ask("GET", path, &asked, b"");
        assert_eq!(answer.status, 403, "{path}: {}", answer.text());
    }
    let twice = ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"];
    assert_eq!(served.ask("GET", "/health", &twice, b"").status, 403);
}

/// Sends the bytes of a request on a new connection. Returns the answer, or None if the service
/// closes the connection without one.
fn raw(served: &Served, bytes: impl AsRef<[u8]>) -> Option<crate::served::Answer> {
    use std::io::{Read, Write};
    let mut stream = served.connect();
    let _ = stream.write_all(bytes.as_ref());
    let mut read = Vec::new();
    let _ = stream.read_to_end(&mut read);
    (!read.is_empty()).then(|| crate::served::parsed(&read))
}

#[test]
fn a_hostile_head_costs_its_connection() {
    let served = Served::start(&["--limit", "head_bytes=16K", "--limit", "request_seconds=1"]);
    let long = "a".repeat(100_000);
    let many: String = (0..5000).map(|n| format!("a{n}: b\r\n")).collect();
    for head in [
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        format!("GET /health HTTP/1.1\r\nHost: localhost\r\nA: {long}\r\n\r\n"),
        format!("GET /health HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"),
        "GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n".to_owned(),
        "\u{1b}]0;x\u{7} /health HTTP/1.1\r\n\r\n".to_owned(),
        "GET /health HTTP/1.1\r\nHost: localhost\r\nA\u{1b}: b\r\n\r\n".to_owned(),
        "POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n<p>abc".to_owned(),
        "POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "\0\0\0\0".to_owned(),
    ] {
        let answer = raw(&served, &head);
        let status = answer.map(|answer| answer.status);
        assert!(status.is_none_or(|status| (400..600).contains(&status)), "{status:?} {}", &head[..head.len().min(60)]);
        assert_eq!(served.get("/health").status, 200);
    }
    // A request with both a length and chunks could be read in two ways; hyper uses the chunks, and
    // closes the connection.
    let both = "POST /filter?url=https://a.example/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\
        Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n4\r\n<p>a\r\n0\r\n\r\n";
    assert!(
        raw(&served, both)
            .is_none_or(|answer| answer.status == 400 || answer.json()["phrases"] == json!(["a"]))
    );
}

/// No answer and no message of the service contains control characters for a terminal.
#[cfg(unix)]
#[test]
fn no_terminal_is_commanded() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
    let served = Served::with(
        command
            .args(["serve", "-p", "0"])
            .env("HEEDFUL_PLANTED_BUG", URL),
    );
    let hostile = "<title>a\x1b]0;x\x07\u{9b}31m\u{202e}</title><p>b\x1b[2J";
    for (path, kind, body) in [
        (
            "/filter?url=https://site.example/a".to_owned(),
            HTML,
            hostile.to_owned(),
        ),
        (format!("/filter?url={URL}"), HTML, hostile.to_owned()),
        (
            "/explain?url=https://site.example/a".to_owned(),
            HTML,
            hostile.to_owned(),
        ),
        (
            "/filter?url=\x1b%1b".replace('\x1b', "%1b"),
            HTML,
            hostile.to_owned(),
        ),
        ("/check".to_owned(), JSON, format!("{hostile}{{")),
        ("/%1b%1b".to_owned(), JSON, String::new()),
        ("/filter?%1b=x".to_owned(), JSON, String::new()),
    ] {
        let answer = served.post(&path, kind, body);
        let commands = |c: char| heedful_json::is_command(c) && c != '\n';
        assert!(
            !answer.text().chars().any(commands),
            "{path}: {:?}",
            answer.text()
        );
        assert!(!answer.head.contains('\x1b'));
    }
    let (status, told) = served.end();
    assert_eq!(status, Some(0));
    assert!(
        told.contains("planted") && !told.contains(['\x1b', '\x07', '\u{9b}', '\u{202e}']),
        "{told:?}"
    );
}

/// A panic in the service affects only one request: its status is 500, and the metrics count it.
/// Only debug builds allow the test to plant a panic.
#[cfg(debug_assertions)]
#[test]
fn a_bug_costs_one_request() {
    for (bug, path, also_of_pages) in [
        (URL, format!("/filter?url={URL}"), true),
        (URL, format!("/explain?url={URL}"), true),
        (URL, format!("/snapshot?url={URL}"), true),
        ("#core", format!("/filter?url={URL}"), false),
        ("/check", "/check?url=/".to_owned(), false),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
        let served = Served::with(
            command
                .args(["serve", "-p", "0"])
                .env("HEEDFUL_PLANTED_BUG", bug),
        );
        for times in 1..3 {
            let answer = served.post(
                &path,
                if path.starts_with("/check") {
                    "text/plain"
                } else {
                    HTML
                },
                PAGE,
            );
            assert_eq!(
                (answer.status, answer.error().0.as_str()),
                (500, "internal"),
                "{bug} {path}"
            );
            assert_eq!(
                served.counted("heedful_panics_total"),
                times,
                "{bug} {path}"
            );
        }
        assert_eq!(served.get("/health").status, 200);
        if also_of_pages {
            let other = served.post("/filter?url=https://site.example/other", HTML, PAGE);
            assert_eq!(other.json()["phrases"], json!(["Rye bread", "keeps"]));
        }
    }
}

#[test]
fn an_address_for_others_is_warned_about() {
    let served = Served::start(&["--listen", "0.0.0.0", "--host", "heedful.internal"]);
    assert!(
        served.before.contains("other machines"),
        "{}",
        served.before
    );
    for (host, status) in [
        ("heedful.internal", 200),
        ("localhost:1", 200),
        ("any.example", 421),
    ] {
        let head = format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = raw(&served, head);
        assert_eq!(answer.map(|answer| answer.status), Some(status), "{host}");
    }
    let own = Served::start(&[]);
    assert!(
        own.before.is_empty() && own.address.ip().is_loopback(),
        "{}",
        own.before
    );
}

#[test]
fn it_does_not_start_where_it_cannot_serve() {
    let served = Served::start(&[]);
    let port = served.address.port().to_string();
    for (arguments, says) in [
        (&["--port", port.as_str()][..], "listening on 127.0.0.1"),
        (&["--listen", "localhost"], "invalid"),
        (
            &["--listen", "0.0.0.0"],
            "say by which name they call it, as in `--host",
        ),
        (&["--listen", "::"], "--host"),
        (&["--listen", "192.0.2.1"], "--host"),
        (&["--log", "text"], "json"),
        (&["--conventions", "wbe"], "did you mean"),
        (&["--deny", "noindex=x"], "no URL pattern"),
        (&["--limit", "body_byte=1"], "did you mean `body_bytes`?"),
        (&["no.index"], "no.index"),
    ] {
        let (status, _, told) = run(
            &[
                &["serve", "--port", "0"][..if arguments[0] == "--port" { 1 } else { 3 }],
                arguments,
            ]
            .concat(),
            "",
        );
        assert_eq!(status, 2, "{arguments:?}: {told}");
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
}

/// The log has a line for each request. It has nothing that a caller said but the method.
#[cfg(unix)]
#[test]
fn requests_are_logged() {
    let mut served = Served::start(&["--log", "json"]);
    let mut stdout = served.process.stdout.take().unwrap();
    let page = served.post(&format!("/filter?url={URL}&bot=hidden"), HTML, PAGE);
    let line = json!({"url": URL, "html": PAGE}).to_string();
    let stream = served.post("/filter", LINES, format!("{line}\n{line}\n"));
    let requests = [
        ("POST", Some("/filter"), 200, page.body.len()),
        ("POST", Some("/filter"), 200, stream.body.len()),
        ("GET", None, 404, served.get("/hidden?hidden").body.len()),
        (
            "GET",
            Some("/filter"),
            405,
            served.get("/filter").body.len(),
        ),
        (
            "other",
            Some("/health"),
            405,
            served.ask("HIDDEN", "/health", &[], b"").body.len(),
        ),
        ("HEAD", Some("/health"), 200, 0),
    ];
    served.ask("HEAD", "/health", &["Referer: http://hidden/"], b"");
    let (status, told) = served.end();
    assert_eq!(
        (status, told.as_str()),
        (Some(0), "ended after 6 requests\n")
    );
    let mut log = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut log).unwrap();
    assert!(!log.contains("hidden") && !log.contains("rye"), "{log}");
    // A line is written when the request has ended, so two may change places.
    let mut lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    lines.sort_by_key(|line| line["time"].as_str().unwrap().to_owned());
    let logged: Vec<_> = lines
        .iter()
        .map(|line| {
            assert!(line["ms"].as_f64().is_some_and(|ms| ms > 0.0), "{line}");
            assert_eq!(line.as_object().unwrap().len(), 6);
            json!([line["method"], line["route"], line["status"], line["bytes"]])
        })
        .collect();
    assert_eq!(logged, requests.map(|request| json!(request)));
}

/// An answer with status 500 is told on standard error, and so are the beginning and the end.
#[cfg(all(unix, debug_assertions))]
#[test]
fn a_fault_is_told() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
    let served = Served::with(
        command
            .args(["serve", "-p", "0"])
            .env("HEEDFUL_PLANTED_BUG", "#core"),
    );
    assert_eq!(served.post("/check?url=/", "text/plain", "").status, 500);
    let (_, told) = served.end();
    assert!(
        told.contains("error: POST /check: an internal error: planted: #core"),
        "{told}"
    );
    assert!(told.ends_with("ended after 1 request\n"), "{told}");
}
