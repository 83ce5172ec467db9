//! The search of `heedful serve INDEX` as JSON and as HTML, and its copies, over real sockets.
//!
//! One test sends all kinds of queries about the site in the corpus and about a page with hostile
//! text. No answer contains a word that the publisher withholds, and hostile markup appears only as
//! text.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{path, run, write};
use crate::served::{Answer, Served, answer};
use crate::support::root;
use crate::withheld::WITHHELD;

/// A running service that searches an index of a test's input.
struct Site {
    served: Served,
    index: String,
    _folder: TempDir,
}

impl Site {
    fn of(input: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let index = path(&folder, "index");
        let (status, _, told) = run(
            &[&["index", "-o", &index, "--snapshot", "--quiet"], input].concat(),
            "",
        );
        assert_eq!(status, 0, "{told}");
        Self {
            served: Served::start(&[&index]),
            index,
            _folder: folder,
        }
    }

    fn corpus() -> Self {
        Self::of(&[
            "corpus/site",
            "--url",
            "https://site.example/",
            "--at",
            "2026-11-21",
        ])
    }

    /// Indexes these pages, each as the object of a JSON line, and starts a service that searches
    /// the index.
    fn pages(pages: &[Value]) -> Self {
        let folder = TempDir::new().unwrap();
        let lines: String = pages.iter().map(|page| format!("{page}\n")).collect();
        Self::of(&["--input", "jsonl", &write(&folder, "pages.jsonl", &lines)])
    }

    fn json(&self, path: &str) -> Value {
        self.served.get(path).json()
    }

    fn html(&self, path: &str) -> Answer {
        self.served
            .ask("GET", path, &["Accept: text/html,*/*;q=0.8"], b"")
    }

    fn total(&self, query: &str) -> u64 {
        self.json(&format!("/search?q={}", encoded(query)))["total"]
            .as_u64()
            .unwrap()
    }

    /// Requests the copy of the page at this URL from the service, and returns the answer.
    fn copy(&self, url: &str) -> Answer {
        self.at_copies(&format!("/copy?url={}", encoded(url)))
    }

    fn at_copies(&self, path: &str) -> Answer {
        let host = self.copies();
        let mut stream = TcpStream::connect(&host).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        answer(&mut stream)
    }

    /// Returns the host and port from which the service serves copies, as its start message says.
    fn copies(&self) -> String {
        let port = self
            .served
            .ready
            .rsplit_once("port ")
            .unwrap()
            .1
            .trim_end_matches(')');
        format!("127.0.0.1:{port}")
    }
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn page(url: &str, html: &str) -> Value {
    serde_json::json!({ "url": url, "html": html })
}

/// Whoever may ask is not told in which folder the index is.
#[test]
fn its_health_does_not_name_the_index() {
    let site = Site::corpus();
    let answer = site.served.get("/health");
    assert_eq!(answer.json()["index"], true);
    assert!(
        !answer.text().contains("index\":\"") && !answer.text().contains('/'),
        "{}",
        answer.text()
    );
}

#[test]
fn a_query_is_answered_as_json_and_as_a_page() {
    let site = Site::corpus();
    assert!(
        site.served
            .ready
            .contains("(open it to search 41 pages; copies are on port "),
        "{}",
        site.served.ready
    );
    let found = site.json("/search?q=%22bravo+charlie%22");
    assert_eq!(
        (
            &found["query"],
            &found["total"],
            &found["page"],
            &found["pages"],
            &found["limit"]
        ),
        (
            &"\"bravo charlie\"".into(),
            &1.into(),
            &1.into(),
            &1.into(),
            &10.into()
        )
    );
    assert!(found["note"].is_null());
    let starred = site.json("/search?q=br*avo");
    assert!(
        starred["note"]
            .as_str()
            .is_some_and(|note| note.contains("br*avo")),
        "{starred}"
    );
    let hit = found["hits"][0].as_object().unwrap();
    let keys: Vec<_> = hit.keys().map(String::as_str).collect();
    let mut expected = [
        "url",
        "title",
        "score",
        "excerpt",
        "canonical",
        "language",
        "fetched",
        "copy",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(hit["url"], "https://site.example/alphabet-plain.html");
    assert_eq!(
        hit["copy"],
        format!(
            "http://{}/copy?url=https%3A%2F%2Fsite.example%2Falphabet-plain.html",
            site.copies()
        )
    );
    for path in ["/?q=%22bravo+charlie%22", "/search?q=%22bravo+charlie%22"] {
        let page = site.html(path);
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8"))
        );
        assert!(
            page.text().contains("<mark>bravo</mark>") && page.text().contains("1 page for"),
            "{}",
            page.text()
        );
    }
    assert!(site.html("/").text().contains("Search 41 pages of 1 host"));
}

#[test]
fn pages_of_results_are_bounded() {
    let site = Site::corpus();
    let all: Vec<_> = (1..=5)
        .flat_map(|page| {
            site.json(&format!("/search?q=site:site.example&page={page}"))["hits"]
                .as_array()
                .unwrap()
                .clone()
        })
        .collect();
    let urls: BTreeSet<_> = all.iter().map(|hit| hit["url"].as_str().unwrap()).collect();
    assert_eq!((all.len(), urls.len()), (41, 41));
    assert!(
        site.html("/?q=site:site.example&page=5")
            .text()
            .contains("41 to 41")
    );
    assert!(
        site.html("/?q=site:site.example&page=99")
            .text()
            .contains("Go to the last one")
    );
    for wrong in [
        "limit=0",
        "limit=51",
        "page=0",
        "page=101",
        "page=-1",
        "page=x",
        "limit=50&page=21",
        "at=2020-01-01",
        "q=a&q=b",
        "use=x",
    ] {
        let answer = site.served.get(&format!("/search?q=rye&{wrong}"));
        assert_eq!(
            (answer.status, answer.error().0.as_str()),
            (400, "setting"),
            "{wrong}"
        );
        let page = site.html(&format!("/?q=rye&{wrong}"));
        assert_eq!(page.status, 400, "{wrong}");
        assert!(page.text().contains("<h1>"), "{wrong}");
    }
}

/// Pages in two languages, of two sites, two of them with the day of their fetch.
fn dated_pages() -> [Value; 3] {
    let mut german = page(
        "https://a.example/de",
        "<html lang=de-AT><title>Rye</title><p>rye",
    );
    german["date"] = "2026-11-01T00:00:00Z".into();
    let mut dutch = page("https://www.b.example/nl", "<html lang=nl><p>rye bread");
    dutch["date"] = "2008-04-30T12:00:00Z".into();
    [german, dutch, page("https://b.example/undated", "<p>rye")]
}

#[test]
fn hits_are_filtered_by_language_day_and_site() {
    let site = Site::pages(&dated_pages());
    let hits = |filters: &str| {
        let found = site.json(&format!("/search?q=rye{filters}"));
        let hits = found["hits"].as_array().unwrap();
        assert_eq!(found["total"], hits.len());
        let names = hits.iter().map(|hit| {
            let url = hit["url"].as_str().unwrap();
            url.rsplit('/').next().unwrap().to_owned()
        });
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let all = ["de", "nl", "undated"];
    assert_eq!(hits(""), all);
    assert_eq!(hits("&language=&since=&until=&site=+"), all);
    assert_eq!(hits("&language=de"), ["de"]);
    assert_eq!(hits("&since=2008-04-30"), ["de", "nl"]);
    assert_eq!(hits("&since=2008-05-01"), ["de"]);
    assert_eq!(hits("&until=2026-11-01"), ["nl"]);
    assert_eq!(hits("&site=b.example"), ["nl", "undated"]);
    assert_eq!(hits("&site=b.example&since=2000-01-01&language=nl"), ["nl"]);
    assert!(hits("&language=fr").is_empty());
    let unfiltered = site.json("/search?q=rye");
    let scored = site.json("/search?q=rye&language=nl");
    let of_nl = |found: &Value| {
        let hits = found["hits"].as_array().unwrap();
        hits.iter().find(|hit| hit["language"] == "nl").cloned()
    };
    assert!(of_nl(&scored).is_some());
    assert_eq!(of_nl(&unfiltered), of_nl(&scored));
    for (wrong, kind) in [
        ("language=German", "query"),
        ("site=https://a.example/x", "query"),
        ("since=yesterday", "setting"),
        ("until=2026-13-01", "setting"),
        ("language=de&language=nl", "setting"),
        ("period=week", "setting"),
    ] {
        let answer = site.served.get(&format!("/search?q=rye&{wrong}"));
        assert_eq!(
            (answer.status, answer.error().0.as_str()),
            (400, kind),
            "{wrong}"
        );
        assert_eq!(
            site.html(&format!("/?q=rye&{wrong}")).status,
            400,
            "{wrong}"
        );
    }
}

#[test]
fn the_page_has_a_form_for_filters_and_links_that_remove_them() {
    let site = Site::pages(&dated_pages());
    let start = site.html("/").text().to_owned();
    for control in [
        "<option value=\"de\">German (1)</option><option value=\"nl\">Dutch (1)</option>",
        "in the past week",
        "name=\"site\"",
        "Words in navigation count little",
    ] {
        assert!(start.contains(control), "{control} in {start}");
    }
    let page = site.html("/?q=rye&limit=1&site=b.example&until=2030-01-01&language=&since=");
    let text = page.text().replace("&#38;", "&").replace("&amp;", "&");
    for there in [
        "1 page for",
        "on b.example",
        "href=\"/?q=rye&until=2030-01-01\"",
        "href=\"/?q=rye&site=b.example\"",
        "&q=rye&until=2030-01-01&site=b.example\"",
    ] {
        assert!(text.contains(there), "{there} in {text}");
    }
    let page = site.html("/?q=rye&limit=1&site=b.example");
    let text = page.text().replace("&#38;", "&").replace("&amp;", "&");
    let next = "href=\"/?q=rye&page=2&limit=1&site=b.example\"";
    assert!(text.contains(next), "{next} in {text}");
    let why = site.html("/why?url=https://a.example/de&q=rye&site=a.example");
    let text = why.text().replace("&#38;", "&").replace("&amp;", "&");
    assert!(text.contains("href=\"/?q=rye&site=a.example\""), "{text}");
    // An index of one language and one host, without days, has nothing to choose from.
    let plain = Site::pages(&[page_without_facts()]);
    let start = plain.html("/").text().to_owned();
    assert!(
        !start.contains("<select") && !start.contains("name=\"site\""),
        "{start}"
    );
}

fn page_without_facts() -> Value {
    page("https://a.example/", "<html lang=en><p>rye")
}

#[test]
fn the_verb_filters_by_language_and_time() {
    let site = Site::pages(&dated_pages());
    let urls = |options: &[&str]| {
        let (_, out, _) = run(
            &[&["search", &site.index, "rye", "--format", "json"], options].concat(),
            "",
        );
        let mut urls = BTreeSet::new();
        for line in out.lines() {
            let hit: Value = serde_json::from_str(line).unwrap();
            urls.insert(hit["url"].as_str().unwrap().to_owned());
        }
        urls.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(urls(&[]).len(), 3);
    assert_eq!(urls(&["--language", "de"]), ["https://a.example/de"]);
    assert_eq!(urls(&["--since", "2026-11-01"]), ["https://a.example/de"]);
    assert_eq!(
        urls(&["--until", "2026-11-01"]),
        ["https://www.b.example/nl"]
    );
    for wrong in [["--language", "German"], ["--since", "yesterday"]] {
        let (status, _, told) = run(&[&["search", &site.index, "rye"], &wrong[..]].concat(), "");
        assert_eq!(status, 2, "{told}");
    }
}

#[test]
fn a_query_that_does_not_parse_is_refused_with_its_place() {
    let site = Site::corpus();
    let answer = site.served.get("/search?q=rye+title:");
    assert_eq!(
        (
            answer.status,
            &answer.json()["error"]["kind"],
            &answer.json()["error"]["at"]
        ),
        (400, &"query".into(), &10.into())
    );
    let page = site.html("/?q=rye+title:");
    assert_eq!(page.status, 400);
    assert!(
        page.text().contains("<code>rye title:</code><mark>")
            && page.text().contains("aria-invalid"),
        "{}",
        page.text()
    );
    assert_eq!(site.served.get("/search?q=nofield:rye").status, 400);
    assert!(
        site.html("/?q=r*ye")
            .text()
            .contains("the star in `r*ye` has no effect")
    );
    assert!(
        site.html("/?q=nonesuch**")
            .text()
            .contains("the star in `nonesuch**` has no effect")
    );
    assert_eq!(site.served.get("/search?q=don't+o'reilly").status, 200);
    assert_eq!(
        site.served.get("/search?q=don't+pa%22nic").json()["error"]["at"],
        8
    );
    let answer = site.served.get("/search");
    assert_eq!(
        (answer.status, answer.error().0.as_str()),
        (400, "setting"),
        "{}",
        answer.text()
    );
    assert_eq!(
        site.html(&format!("/?q={}", "rye+".repeat(2000))).status,
        400
    );
    assert!(
        site.html("/?q=zeppelin+rye")
            .text()
            .contains("zeppelin OR rye")
    );
    assert_eq!(site.html("/?q=zeppelin").status, 200);
}

#[test]
fn a_commit_is_seen_at_once_and_what_is_gone_says_why() {
    let site = Site::pages(&[
        page("https://a.example/rye", "<title>Rye</title><p>dark rye"),
        page("https://a.example/bun", "<p>a bun of rye"),
    ]);
    assert_eq!(site.total("rye"), 2);
    assert_eq!(site.copy("https://a.example/rye").status, 200);
    let purge = [
        "purge",
        &site.index,
        "--url",
        "https://a.example/rye",
        "--why",
        "by order of the pretzel",
    ];
    assert_eq!(run(&purge, "").0, 0);
    assert_eq!(site.total("rye"), 1);
    let copy = site.copy("https://a.example/rye");
    assert_eq!(copy.status, 410);
    assert!(copy.text().contains("it was removed"));
    let why = site.json("/why?url=https://a.example/rye");
    assert_eq!(
        (&why["state"], &why["reason"], &why["why"]),
        (&"gone".into(), &"removed".into(), &Value::Null)
    );
    assert!(
        !site
            .html("/why?url=https://a.example/rye")
            .text()
            .contains("pretzel"),
        "the operator's note is for the operator"
    );
    assert!(site.html("/").text().contains("Search 1 page of 1 host"));
}

/// The service does not show denials by the operator, nor their reasons, to callers.
#[test]
fn the_denials_of_the_operator_are_not_told() {
    let folder = TempDir::new().unwrap();
    let pages = ["client/a", "b"]
        .map(|name| page(&format!("https://a.example/{name}"), "<p>rye").to_string() + "\n");
    let lines = write(&folder, "pages.jsonl", &pages.concat());
    let site = Site::of(&["--input", "jsonl", &lines, "--deny", "noindex=/client/*"]);
    let why = site.json("/why?url=https://a.example/client/a");
    assert_eq!(
        (&why["state"], &why["reason"], &why["why"]),
        (&"gone".into(), &"noindex".into(), &Value::Null)
    );
    assert!(
        !site
            .html("/why?url=https://a.example/client/a")
            .text()
            .contains("/client/*")
    );
}

#[test]
fn copies_have_an_origin_of_their_own_where_nothing_runs_or_loads() {
    let site = Site::corpus();
    let copy = site.copy("https://site.example/guestbook.html");
    assert_eq!(copy.status, 200);
    assert!(
        copy.text()
            .contains("A copy of https://site.example/guestbook.html")
            && copy.text().contains("[...]")
    );
    let policy = copy.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'unsafe-inline';")
            && policy.ends_with("; sandbox"),
        "{policy}"
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(copy.header(name), Some(value));
    }
    assert!(copy.header("x-robots-tag").unwrap().contains("noindex"));
    let (gone, unknown) = (
        site.copy("https://site.example/contact.html"),
        site.copy("https://site.example/nowhere"),
    );
    assert_eq!((gone.status, unknown.status), (410, 404));
    assert!(gone.text().contains("may not be indexed"));
    for path in [
        "/",
        "/search?q=rye",
        "/filter",
        "/why?url=https://site.example/",
    ] {
        assert_eq!(site.at_copies(path).status, 404, "{path}");
    }
    assert_eq!(
        site.served
            .get("/copy?url=https://site.example/guestbook.html")
            .status,
        404,
        "the search page's origin serves no copy"
    );
}

/// The search page shows the range of fetch dates of its index. Pages without a known fetch date do
/// not count for it.
#[test]
fn a_day_is_told_of_the_pages_that_have_one() {
    let mut dated = page("https://a.example/dated", "<p>rye");
    dated["date"] = "2008-04-30T00:00:00Z".into();
    let site = Site::pages(&[dated, page("https://a.example/undated", "<p>rye")]);
    let known = "fetched on 30 April 2008 where the day is known";
    for path in ["/", "/?q=rye", "/why?url=https://a.example/undated"] {
        let page = site.html(path).text().to_owned();
        assert!(
            page.contains(known) && !page.replace(known, "").contains("fetched on"),
            "{path}: {page}"
        );
    }
    let is_told = |url: &str| {
        site.html(&format!("/why?url=https://a.example/{url}"))
            .text()
            .contains("<dt>Fetched</dt>")
    };
    assert_eq!((is_told("dated"), is_told("undated")), (true, false));
}

#[test]
fn what_may_not_be_kept_has_no_copy() {
    let site = Site::pages(&[
        page(
            "https://a.example/no",
            "<meta name=robots content=noarchive><title>Rye</title><p>rye canary",
        ),
        page(
            "https://a.example/part",
            "<title>Bun</title><p>bun</p><p class=robots-noarchive>canary</p>",
        ),
        page(
            "https://a.example/unshown",
            "<meta name=robots content=nosnippet><title>Plum</title><p>unshown canary",
        ),
    ]);
    let hits = site.json("/search?q=canary")["hits"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(hits.len(), 3);
    for hit in &hits {
        let has_copy = !hit["copy"].is_null();
        assert_eq!(has_copy, hit["url"] != "https://a.example/no", "{hit}");
    }
    let none = site.copy("https://a.example/no");
    assert_eq!(none.status, 404);
    assert!(!none.text().contains("canary"));
    assert!(
        !site
            .copy("https://a.example/part")
            .text()
            .contains("canary")
    );
    let why = site.json("/why?url=https://a.example/no&q=rye");
    assert!(
        why["uses"]["denied"]
            .as_array()
            .unwrap()
            .contains(&"archive".into())
            && why["copy"].is_null()
    );
    assert!(!why["matches"].as_array().unwrap().is_empty());
    for (query, has_place) in [("%22", true), ("rye)", true), ("foo:bar", false)] {
        let path = format!("/why?url=https://a.example/no&q={query}");
        let answer = site.served.get(&path);
        let error = answer.json()["error"].clone();
        assert_eq!(
            (answer.status, error["at"].is_u64()),
            (400, has_place),
            "{query}: {error}"
        );
        assert_eq!(error, site.json(&format!("/search?q={query}"))["error"]);
        let answer = site.html(&path);
        assert!(
            answer.status == 400 && answer.text().contains("does not parse"),
            "{query}: {}",
            answer.text()
        );
    }
    assert_eq!(
        site.json("/why?url=https://a.example/part")["uses"]["in_part"],
        serde_json::json!(["archive"])
    );
    for path in [
        "/?q=unshown",
        "/search?q=unshown",
        "/why?url=https://a.example/unshown",
    ] {
        let text = site.html(path).text().replace("unshown", "");
        assert!(!text.to_lowercase().contains("canary"), "{path}: {text}");
    }
}

/// The search uses the bots and conventions of its index, so a note is printed on options that
/// would change them.
#[test]
fn options_that_change_nothing_of_the_search_are_told() {
    let site = Site::pages(&[serde_json::json!({"url": "https://a.example/", "html": "<p>rye"})]);
    assert_eq!(site.served.before, "");
    let other = Served::start(&[&site.index, "--at", "2030-01-01", "-b", "otherbot"]);
    assert!(
        other
            .before
            .contains("--bot, --at counts for pages that are sent alone"),
        "{}",
        other.before
    );
}

/// Returns the set of words in a text, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .collect()
}

#[test]
fn nothing_that_is_withheld_is_in_any_answer() {
    let site = Site::corpus();
    let withheld: BTreeSet<_> = WITHHELD.iter().map(|word| word.to_lowercase()).collect();
    let (_, pages, _) = run(
        &[
            "filter",
            "corpus/site",
            "--url",
            "https://site.example/",
            "--at",
            "2026-11-21",
            "--snapshot",
        ],
        "",
    );
    let pages: Vec<Value> = pages
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let urls: Vec<_> = pages
        .iter()
        .map(|page| page["url"].as_str().unwrap())
        .collect();
    assert!(urls.len() > 45 && withheld.len() > 30);
    let clean = |what: &str, answer: &Answer, may: &BTreeSet<String>| {
        let leaked: Vec<_> = words(answer.text())
            .intersection(&withheld)
            .filter(|word| !may.contains(*word))
            .cloned()
            .collect();
        assert!(leaked.is_empty(), "{what} leaks {leaked:?}");
    };
    let none = BTreeSet::new();
    for page in 1..=5 {
        let path = format!("q=site:site.example&page={page}");
        clean(
            &path,
            &site.served.get(&format!("/search?{path}&explain")),
            &none,
        );
        clean(&path, &site.html(&format!("/?{path}")), &none);
    }
    for (page, url) in pages.iter().zip(&urls) {
        for query in ["", "&q=rye+OR+bread+OR+the"] {
            let path = format!("/why?url={}{query}", encoded(url));
            clean(url, &site.served.get(&path), &none);
            clean(url, &site.html(&path), &none);
        }
        let copy = site.copy(url);
        assert_eq!(copy.status == 200, page["snapshot"].is_string(), "{url}");
        // By the law, text that may be archived but not indexed is in the copy.
        clean(
            &format!("the copy of {url}"),
            &copy,
            &words(page["snapshot"].as_str().unwrap_or_default()),
        );
    }
    for word in &withheld {
        let asked = BTreeSet::from([word.clone()]);
        clean(
            word,
            &site
                .served
                .get(&format!("/search?q={}&explain", encoded(word))),
            &asked,
        );
        clean(word, &site.html(&format!("/?q={}", encoded(word))), &asked);
    }
    // The words that the test looks for do occur in the source, so a leak would be noticed.
    assert!(
        std::fs::read_to_string(root().join("corpus/site/index.html"))
            .is_ok_and(|source| !words(&source).is_disjoint(&withheld))
    );
}

/// Returns the names of the tags in a search page. The page's text must not contain `<`.
fn tags(html: &str) -> BTreeSet<&str> {
    html.split('<')
        .skip(1)
        .map(|tag| {
            tag.split([' ', '>', '\n'])
                .next()
                .unwrap()
                .trim_start_matches('/')
        })
        .collect()
}

#[test]
fn what_strangers_write_is_text() {
    const SCRIPT: &str =
        "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;img src=x onerror=alert(1)&gt;";
    let html = format!(
        "<html lang='en\"><script>'><title>rye {SCRIPT} &#x202E;gpj</title><p>rye {SCRIPT} &#27;[31m &#x202E;exe<script>alert(2)</script>\
         <link rel=preconnect href=//evil.example><iframe src=//evil.example></iframe><a href='javascript:alert(1)'>rye</a>"
    );
    let site = Site::pages(&[page(
        "https://a.example/%3Cscript%3E?\"><script>alert(1)</script>",
        &html,
    )]);
    let url = site.json("/search?q=rye")["hits"][0]["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let queries = [
        "rye",
        "rye <script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "rye\u{202E}\u{1b}[31m",
        "</title><svg onload=alert(1)>",
        "javascript:alert(1)",
    ];
    let mut answers = Vec::new();
    for query in queries.map(encoded) {
        answers.extend([
            site.html(&format!("/?q={query}")),
            site.html(&format!("/why?url={}&q={query}", encoded(&url))),
        ]);
        answers.extend([
            site.html(&format!("/why?url={query}")),
            site.copy(&query),
            site.html(&format!("/?q=rye&{query}")),
        ]);
    }
    let start = site.html("/");
    let known: BTreeSet<_> = tags(start.text())
        .into_iter()
        .chain("h2 span ol li article mark ul q table thead tbody tr th td".split(' '))
        .collect();
    for answer in &answers {
        let strange: Vec<_> = tags(answer.text())
            .into_iter()
            .filter(|tag| !known.contains(tag))
            .collect();
        assert!(strange.is_empty(), "{strange:?} in {}", answer.text());
        assert!(
            !answer.text().contains(['\u{1b}', '\u{202E}']),
            "{}",
            answer.text()
        );
        assert!(!answer.text().contains("href=\"javascript:"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; style-src 'sha256-")
                && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert_eq!(
            (
                answer.header("referrer-policy"),
                answer.header("cache-control")
            ),
            (Some("no-referrer"), Some("no-store"))
        );
    }
    let copy = site.copy(&url);
    assert_eq!(copy.status, 200);
    // A script stays in the copy, and two policies and a sandbox prevent it from running.
    for tag in ["<link", "<iframe"] {
        assert!(
            !copy.text().to_lowercase().contains(tag),
            "{tag}: {}",
            copy.text()
        );
    }
}

#[test]
fn without_an_index_there_is_no_search() {
    let served = Served::start(&[]);
    for path in ["/", "/search?q=rye", "/why?url=https://a.example/"] {
        assert_eq!(served.get(path).status, 404, "{path}");
    }
    let (status, _, told) = run(&["serve", "nowhere"], "");
    assert_eq!(status, 2, "{told}");
    assert!(told.contains("nowhere"), "{told}");
}
