//! The HTML pages of a search, as a browser parses them. Texts of strangers in them never become
//! markup.
//!
//! Every place of a search page that shows a stranger's text gets hostile texts. The parsed tree
//! must have only the elements and attributes of the templates. The content security policy must
//! contain the hash of the style sheet of the search pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use heedful::{Bot, Explanation, Filter, Use};
use heedful_report::search::{
    COPY_HEADERS, KnownUrl, QueryRefusal, ResultPage, SearchFilters, SearchMatch, SearchSite,
    SearchState, ShownHit, UseState, no_copy, policy, quiet,
};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use sha2::{Digest, Sha256};

const HOSTILE: &[&str] = &[
    "\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "</title></style></textarea><script>alert(1)</script>",
    "</a></h2></bdi></q></code><svg onload=alert(1)>",
    "\" autofocus onfocus=\"alert(1)",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "&lt;script&gt;&#60;script&#62;&quot;&gt;",
    "\u{202E}gpj.exe\u{2066}\u{200F}\0\u{1b}[31m\u{9b}31m\r\nSet-Cookie: a=b",
    "--><!--><script>alert(1)</script>{{ query }}{% include \"x\" %}",
];

const ELEMENTS: &str = "html head meta title style body a header p form label div input button main h1 h2 h3 q bdi ol ul li \
    article mark span time nav section dl dt dd code table thead tbody tr th td footer details summary b select option";

const ATTRIBUTES: &str = "lang charset name content http-equiv class href id tabindex action method role for type value \
    maxlength autocomplete autocapitalize spellcheck dir autofocus aria-invalid aria-describedby aria-labelledby aria-label \
    aria-hidden rel start datetime scope required placeholder selected";

fn site() -> SearchSite<'static> {
    let day = UNIX_EPOCH + Duration::from_secs(1_795_478_400);
    SearchSite {
        pages: 41,
        hosts: 1,
        bot: "foobot",
        fetched: Some((day, day)),
        copies: Some("http://127.0.0.1:8081"),
        ..SearchSite::default()
    }
}

/// Facts about an index whose pages every filter can tell apart, with these filters chosen.
fn filtered<'a>(languages: &'a [(String, u64)], filters: SearchFilters<'a>) -> SearchSite<'a> {
    let site = site();
    SearchSite {
        hosts: 2,
        languages,
        filters,
        now: site.fetched.map(|(_, last)| last),
        ..site
    }
}

fn languages() -> [(String, u64); 2] {
    [("de".to_owned(), 1_200), ("nn".to_owned(), 3)]
}

/// Renders a page of search results with `text` in every place where a stranger's text may be.
fn hits(text: &str) -> String {
    let highlights = [0..text.len().min(3), 1..text.len()];
    let hit = ShownHit {
        url: text,
        title: text,
        excerpt: text,
        highlights: &highlights,
        language: Some(text),
        fetched: Some(UNIX_EPOCH),
        has_copy: true,
    };
    let page = ResultPage {
        query: text,
        note: Some(text),
        total: 30,
        page: 2,
        last: 3,
        limit: 5,
        usual_limit: 10,
        hits: vec![hit],
    };
    site().results(&page)
}

fn known(text: &str, state: SearchState<'_>, copy: Option<&Explanation>) -> String {
    let names = [(text.to_owned(), 2)];
    let found = [text.to_owned()];
    site().known(&KnownUrl {
        url: text,
        query: text,
        state,
        title: text,
        language: Some(text),
        fetched: Some(UNIX_EPOCH),
        canonical: Some("https://a.example/"),
        uses: vec![
            (Use::Index, UseState::Yes),
            (Use::Train, UseState::InPart),
            (Use::Input, UseState::No),
        ],
        matches: Some(vec![SearchMatch {
            word: text,
            field: "anchor",
            score: 1.0,
            anchor_texts: &found,
        }]),
        anchor_texts: &names,
        has_copy: true,
        copy,
        ..KnownUrl::default()
    })
}

fn explained(text: &str) -> Explanation {
    let value = text.replace('&', "&amp;").replace('"', "&quot;");
    let filter = Filter::new(Bot::new("foobot").unwrap());
    let mut pass = filter.explain("https://a.example/").unwrap();
    pass.write(
        format!("<meta name=robots content=\"nosnippet {value}\"><p class=\"robots-noindex {value}\">withheld")
            .as_bytes(),
    )
    .unwrap();
    pass.end().unwrap()
}

/// Renders each kind of search page, with `text` in every place where a stranger's text may be.
fn pages(text: &str) -> Vec<String> {
    let refusal = |at| QueryRefusal {
        query: text,
        reason: text,
        at,
    };
    let none = ResultPage {
        query: text,
        page: 1,
        last: 1,
        limit: 10,
        usual_limit: 10,
        ..ResultPage::default()
    };
    let strange = [(text.to_owned(), 2), ("de".to_owned(), 1)];
    let filters = SearchFilters {
        language: Some(text),
        since: Some(UNIX_EPOCH),
        until: Some(UNIX_EPOCH + Duration::from_millis(1_500)),
        site: Some(text),
    };
    vec![
        filtered(&strange, filters).start(),
        filtered(&strange, filters).results(&none),
        filtered(&strange, filters).refused(&refusal(Some(1))),
        SearchSite {
            bot: text,
            ..site()
        }
        .start(),
        hits(text),
        site().results(&none),
        site().results(&ResultPage {
            page: 9,
            total: 3,
            ..none
        }),
        site().refused(&refusal(None)),
        site().refused(&refusal(Some(1))),
        site().refused(&refusal(Some(text.len()))),
        known(text, SearchState::Page, Some(&explained(text))),
        known(
            text,
            SearchState::Gone {
                reason: text,
                statement: Some(text),
            },
            None,
        ),
        known(text, SearchState::Unknown, None),
        site().message(text, text),
        no_copy(text, text),
    ]
}

#[derive(Default)]
struct Seen {
    elements: BTreeSet<String>,
    attributes: BTreeSet<String>,
    links: Vec<String>,
    ids: Vec<String>,
    text: String,
    style: String,
}

fn seen(html: &str) -> Seen {
    let dom = html5ever::parse_document(RcDom::default(), Default::default()).one(html);
    let mut seen = Seen::default();
    look(&dom.document, &mut seen, false);
    seen
}

fn look(node: &Handle, seen: &mut Seen, mut is_style: bool) {
    match &node.data {
        NodeData::Element { name, attrs, .. } => {
            is_style = &*name.local == "style";
            seen.elements.insert(name.local.to_string());
            for attribute in attrs.borrow().iter() {
                let (name, value) = (
                    attribute.name.local.to_string(),
                    attribute.value.to_string(),
                );
                match &*name {
                    "href" | "action" => seen.links.push(value),
                    "id" => seen.ids.push(value),
                    _ => {}
                }
                seen.attributes.insert(name);
            }
        }
        NodeData::Text { contents } if is_style => seen.style.push_str(&contents.borrow()),
        NodeData::Text { contents } => seen.text.push_str(&contents.borrow()),
        NodeData::Comment { contents } => panic!("a comment: {contents}"),
        _ => {}
    }
    for child in node.children.borrow().iter() {
        look(child, seen, is_style);
    }
}

#[test]
fn what_strangers_write_stays_text() {
    let within = |all: &BTreeSet<String>, known: &str| {
        all.iter()
            .filter(|name| !known.split_whitespace().any(|known| known == *name))
            .cloned()
            .collect::<Vec<_>>()
    };
    for text in HOSTILE {
        for page in pages(text) {
            let seen = seen(&page);
            assert_eq!(within(&seen.elements, ELEMENTS), [""; 0], "{text}");
            assert_eq!(within(&seen.attributes, ATTRIBUTES), [""; 0], "{text}");
            let is_ours = |link: &String| {
                link == "/"
                    || [
                        "#",
                        "/?q=",
                        "/why?url=",
                        "/why",
                        "http://127.0.0.1:8081/copy?url=",
                    ]
                    .iter()
                    .any(|start| link.starts_with(start))
                    || link == "https://a.example/"
            };
            assert!(seen.links.iter().all(is_ours), "{text}: {:?}", seen.links);
            let bad = |c: char| {
                c != '\n'
                    && (c.is_control()
                        || matches!(c, '\u{200E}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'))
            };
            let bad: Vec<_> = page.chars().filter(|c| bad(*c)).collect();
            assert!(bad.is_empty(), "{text}: {bad:?}");
        }
    }
}

#[test]
fn a_form_has_the_filters_that_tell_pages_apart() {
    let plain = site().start();
    for control in ["name=\"language\"", "name=\"site\"", "name=\"until\""] {
        assert!(!plain.contains(control), "{control}");
    }
    let nothing = SearchSite {
        fetched: None,
        ..site()
    };
    assert!(!nothing.start().contains("<select"));
    let languages = languages();
    let page = filtered(&languages, SearchFilters::default()).start();
    for shown in [
        "<option value=\"\">any language</option><option value=\"de\">German (1,200)</option>\
         <option value=\"nn\">Norwegian Nynorsk (3)</option>",
        "<option value=\"\">at any time</option>",
        "<option value=\"2026-11-17\">in the past week</option>\
         <option value=\"2026-10-24\">in the past month</option>\
         <option value=\"2025-11-24\">in the past year</option>",
        "name=\"site\" value=\"\"",
    ] {
        assert!(page.contains(shown), "{shown} in {page}");
    }
    assert!(!page.contains("selected") && !page.contains("Chosen filters"));
}

#[test]
fn chosen_filters_stay_in_links_and_can_be_removed() {
    let languages = languages();
    let day = |number: u64| Some(UNIX_EPOCH + Duration::from_secs(number * 86_400));
    let filters = SearchFilters {
        language: Some("de-AT"),
        since: day(20_774),
        until: day(20_780),
        site: Some("a.example"),
    };
    let hit = ShownHit {
        url: "https://a.example/",
        ..ShownHit::default()
    };
    let results = ResultPage {
        query: "dark rye",
        total: 30,
        page: 2,
        last: 3,
        limit: 10,
        usual_limit: 10,
        hits: vec![hit],
        ..ResultPage::default()
    };
    let html = filtered(&languages, filters).results(&results);
    let page = seen(&html);
    let all = "&language=de-AT&since=2026-11-17&until=2026-11-23&site=a.example";
    for link in [
        format!("/?q=dark+rye{all}"),
        format!("/?q=dark+rye&page=3{all}"),
        format!("/why?url=https%3A%2F%2Fa.example%2F&q=dark+rye{all}"),
        "/?q=dark+rye&since=2026-11-17&until=2026-11-23&site=a.example".to_owned(),
        "/?q=dark+rye&language=de-AT&until=2026-11-23&site=a.example".to_owned(),
        "/?q=dark+rye&language=de-AT&since=2026-11-17&site=a.example".to_owned(),
        "/?q=dark+rye&language=de-AT&since=2026-11-17&until=2026-11-23".to_owned(),
    ] {
        assert!(page.links.contains(&link), "{link} in {:?}", page.links);
    }
    for words in [
        "in German",
        "fetched since 17 November 2026",
        "fetched before 23 November 2026",
        "on a.example",
    ] {
        assert!(page.text.contains(words), "{words}");
    }
    for control in [
        "<option value=\"de\" selected>",
        "<option value=\"2026-11-17\" selected>in the past week",
        "name=\"site\" value=\"a.example\"",
        "<input type=\"hidden\" name=\"until\" value=\"2026-11-23\">",
    ] {
        assert!(html.contains(control), "{control} in {html}");
    }
    // What is chosen and is none of the options has an option of its own.
    let own = SearchFilters {
        language: Some("tlh"),
        since: day(1),
        ..SearchFilters::default()
    };
    let html = filtered(&languages, own).results(&results);
    for control in [
        "<option value=\"tlh\" selected>tlh",
        "<option value=\"1970-01-02\" selected>since 2 January 1970",
    ] {
        assert!(html.contains(control), "{control} in {html}");
    }
    assert_eq!(html.matches(" selected").count(), 2);
}

#[test]
fn the_foot_says_which_text_is_read() {
    let navigation = "Words in navigation count little";
    assert!(site().start().contains(navigation));
    for (landmarks, names, has_navigation) in [
        ("main,none", "main, text outside of landmarks", false),
        ("main,nav", "main, navigation", true),
    ] {
        let site = SearchSite {
            landmarks: Some(landmarks.parse().unwrap()),
            ..site()
        };
        let start = site.start();
        let words = format!("Of each page this was read: {names}.");
        assert!(start.contains(&words), "{start}");
        assert_eq!(start.contains(navigation), has_navigation, "{landmarks}");
    }
    assert!(!SearchSite::default().start().contains(navigation));
}

#[test]
fn only_pages_of_the_web_are_linked_to() {
    let page = |url| {
        let hit = ShownHit {
            url,
            title: "Rye",
            ..ShownHit::default()
        };
        let page = ResultPage {
            query: "rye",
            note: None,
            total: 1,
            page: 1,
            last: 1,
            limit: 10,
            usual_limit: 10,
            hits: vec![hit],
        };
        seen(&site().results(&page))
    };
    assert!(
        page("https://a.example/rye?a=\"b")
            .links
            .contains(&"https://a.example/rye?a=\"b".to_owned())
    );
    for url in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        " java\nscript:alert(1)",
        "vbscript:x",
    ] {
        let seen = page(url);
        assert!(!seen.links.iter().any(|link| link == url), "{url}");
        assert!(seen.text.contains("Rye"));
    }
}

#[test]
fn the_policy_names_the_style_and_nothing_else_runs_or_loads() {
    let policy = policy();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"),
        "{policy}"
    );
    for page in pages("rye") {
        let seen = seen(&page);
        let hash = data_encoding::BASE64.encode(&Sha256::digest(&seen.style));
        assert!(policy.contains(&format!("'sha256-{hash}'")));
        assert!(!seen.attributes.contains("style") && !seen.elements.contains("script"));
        assert!(!seen.style.contains("url(") && !seen.style.contains("@import"));
        let (ids, unique) = (
            seen.ids.len(),
            seen.ids.iter().collect::<BTreeSet<_>>().len(),
        );
        assert_eq!(ids, unique, "an id comes twice");
    }
}

#[test]
fn a_page_of_hits_says_what_may_be_shown() {
    let highlights: Vec<_> = std::iter::once(5..8).collect();
    let hit = ShownHit {
        url: "https://a.example/rye",
        title: "Dark rye",
        excerpt: "Dark rye [...] keeps",
        highlights: &highlights,
        language: Some("de-AT"),
        fetched: Some(UNIX_EPOCH),
        has_copy: false,
    };
    let bare = ShownHit {
        url: "https://a.example/bare",
        has_copy: true,
        ..ShownHit::default()
    };
    let page = ResultPage {
        query: "rye",
        note: None,
        total: 22,
        page: 2,
        last: 3,
        limit: 10,
        usual_limit: 10,
        hits: vec![hit, bare],
    };
    let html = site().results(&page);
    for part in [
        "22 pages for",
        "11 to 12",
        "start=\"11\"",
        "Dark <mark>rye</mark> [...] keeps",
        "lang=\"de-AT\"",
        "German",
        "<time datetime=\"1970-01-01T00:00:00Z\">1 January 1970</time>",
        "href=\"/?q=rye\" rel=\"prev\"",
        "href=\"/?q=rye&#38;page=3\" rel=\"next\"",
        "It has no text that may be shown.",
        "copy?url=https%3A%2F%2Fa.example%2Fbare",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    assert!(!html.contains("copy?url=https%3A%2F%2Fa.example%2Frye"));
}

#[test]
fn a_refusal_shows_the_place() {
    let html = site().refused(&QueryRefusal {
        query: "rye ) bread",
        reason: "stop",
        at: Some(4),
    });
    assert!(
        html.contains("<code>rye </code><mark>") && html.contains("<code>) bread</code></mark>"),
        "{html}"
    );
    assert!(
        html.contains("aria-invalid=\"true\" aria-describedby=\"refused\"")
            && html.contains("id=\"refused\"")
    );
}

#[test]
fn a_copy_opens_no_connection_and_keeps_its_links() {
    let copy = "<link rel=preconnect href=//a.example><LINK\nrel=x><iframe src=x></iframe><object data=x></object><a href=/b>b</a>";
    let quiet = quiet(copy).to_lowercase();
    for tag in ["<link", "<iframe", "<object"] {
        assert!(!quiet.contains(tag), "{quiet}");
    }
    assert!(quiet.contains("<a href=/b>b</a>"), "{quiet}");
    let header = |name| {
        COPY_HEADERS
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
    };
    let policy = header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'; ")
            && policy.ends_with("; sandbox")
            && !policy.contains("allow-")
    );
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("referrer-policy"), "no-referrer");
}
