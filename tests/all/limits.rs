//! Checks that every limit is enforced, however a page is cut into pieces, and that the error names
//! the limit. After an error nothing of the page is returned.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use heedful::{Bot, Conventions, ErrorKind, Filter, Limits, RobotsTxt, Use};

fn error(limits: Limits, html: &str, cut: usize) -> Option<String> {
    let filter = Filter::new(Bot::new("FooBot").unwrap()).limits(limits);
    let mut pass = filter.open("https://site.example/").unwrap();
    let outcome = html
        .as_bytes()
        .chunks(cut)
        .try_for_each(|piece| pass.write(piece));
    match outcome.and_then(|()| pass.end().map(|_| ())) {
        Ok(()) => None,
        Err(error) => match error.kind() {
            ErrorKind::Limit { name, .. } => Some((*name).to_owned()),
            other => panic!("{other}"),
        },
    }
}

#[test]
fn each_limit_is_named() {
    let region = "<!-- robots content=noindex -->";
    let long = "x".repeat(5000);
    let marked = |html: &str| format!("<section class=robots-noindex>{html}");
    let names = |count: usize| -> String {
        (0..count)
            .map(|n| format!("<meta name=RobotExclusion.RobotName{n} content=x>"))
            .collect()
    };
    let fonts: String = (0..200).map(|n| format!("<b c{n}>")).collect();
    for (name, limits, over, within) in [
        (
            "page_bytes",
            Limits::default().page_bytes(20),
            "<p>".repeat(7),
            "<p>".repeat(6),
        ),
        (
            "tag_bytes",
            Limits::default().tag_bytes(1000),
            format!("<a href='{long}'>"),
            format!("<p>{long}"),
        ),
        (
            "tag_bytes",
            Limits::default().tag_bytes(1000),
            format!("<!--{long}-->"),
            "<!--x-->".repeat(500),
        ),
        (
            "tag_bytes",
            Limits::default().tag_bytes(1000),
            format!("<!--{long}"),
            "<!--".to_owned(),
        ),
        (
            "attributes",
            Limits::default().attributes(3),
            "<p a b c d>".into(),
            "<p a b c>".repeat(9),
        ),
        (
            "tokens",
            Limits::default().tokens(10),
            "<p></p>".repeat(6),
            "<p></p>".repeat(5),
        ),
        (
            "directives",
            Limits::default().directives(3),
            "<a href=x rel=ugc>".repeat(4),
            "<a href=x rel=ugc>".repeat(3),
        ),
        (
            "regions",
            Limits::default().regions(3),
            region.repeat(4),
            format!("{region}<!-- /robots -->").repeat(9),
        ),
        (
            "depth",
            Limits::default().depth(9),
            marked(&"<div>".repeat(8)),
            marked(&"<div></div>".repeat(99)),
        ),
        (
            "depth",
            Limits::default().depth(9),
            format!("{}<i class=robots-noindex>", "<div>".repeat(8)),
            "<div>".repeat(99),
        ),
        (
            "clones",
            Limits::default().clones(0),
            marked(&format!("<p>{fonts}{}", "</p><p>x".repeat(20))),
            marked(&fonts),
        ),
        (
            "comparisons",
            Limits::default().comparisons(0),
            marked(&fonts),
            fonts.clone(),
        ),
        (
            "statements",
            Limits::default().statements(2),
            "<p class='robots-noindex robot1-index robot2-index'>".into(),
            "<p class='robots-noindex robot1-index'>".repeat(9),
        ),
        (
            "statements",
            Limits::default().statements(3),
            names(4),
            names(3).repeat(9),
        ),
        (
            "exclusions",
            Limits::default().exclusions(3),
            "<a href=x rel=ugc></a>".repeat(2),
            "<a href=x rel=ugc></a>".into(),
        ),
        (
            "work",
            Limits::default().work(20),
            "<b class=robots-noindex>x</b>".repeat(10),
            "<b>x</b>".repeat(10),
        ),
        (
            "work",
            Limits::default().work(20),
            region.repeat(21),
            region.repeat(20),
        ),
        (
            "links",
            Limits::default().links(3),
            "<a href=x>".repeat(4),
            "<a href=x>".repeat(3),
        ),
    ] {
        for cut in [1, 7, 100_000] {
            assert_eq!(
                error(limits.clone(), &over, cut).as_deref(),
                Some(name),
                "cuts of {cut}"
            );
            assert_eq!(
                error(limits.clone(), &within, cut),
                None,
                "{name}, cuts of {cut}"
            );
        }
    }
}

/// A page that passes two limits, or a limit before markup with two readings, fails for the first of
/// them, however it is cut.
#[test]
fn the_first_error_of_a_page_does_not_depend_on_its_pieces() {
    let limits = Limits::default().tag_bytes(60).attributes(3);
    let long = "x".repeat(100);
    for (html, name) in [
        (format!("<p>one<meta a b c d e={long}>"), "tag_bytes"),
        (format!("<p>one<meta a b c d><meta e={long}>"), "attributes"),
        (format!("<p>one<meta e={long}><meta a b c d>"), "tag_bytes"),
        (
            format!("<p>one<meta e={long}><svg><title><textarea></svg>"),
            "tag_bytes",
        ),
    ] {
        for cut in 1..=html.len() {
            let found = error(limits.clone(), &html, cut);
            assert_eq!(found.as_deref(), Some(name), "{html} in pieces of {cut}");
        }
    }
}

/// The tokenizer holds the text of a script after a `<!--` back. It is text, and no tag is long.
#[test]
fn the_text_of_a_script_is_no_long_tag() {
    let limits = Limits::default().tag_bytes(60);
    let long = "x - ü ".repeat(50);
    for html in [
        format!("<script><!-- {long}</script>"),
        format!("<script><!-- {long}<script>{long}"),
        format!("<script><!-- {long}--{long}--></script>one"),
        format!("<svg><![CDATA[{long}]]></svg><style>{long}</style>"),
    ] {
        for cut in 1..=html.len() {
            let found = error(limits.clone(), &html, cut);
            assert_eq!(found, None, "{html} in pieces of {cut}");
        }
    }
}

#[test]
fn pages_too_long_to_be_kept_are_judged_all_the_same() {
    let html = format!(
        "{}<p class=robots-noindex>secret<p>open",
        "<p>word</p><li>".repeat(100)
    );
    let whole = Filter::new(Bot::new("FooBot").unwrap())
        .page("https://site.example/", &[], html.as_bytes())
        .unwrap();
    assert!(!whole.phrases().concat().contains("secret"));
    for kept in [0, 1, 100, 1000, 1500, 1520, 1530] {
        let filter =
            Filter::new(Bot::new("FooBot").unwrap()).limits(Limits::default().kept_bytes(kept));
        let page = filter
            .page("https://site.example/", &[], html.as_bytes())
            .unwrap();
        assert_eq!(page.phrases(), whole.phrases(), "{kept} bytes kept");
    }
}

#[test]
fn a_failed_pass_stays_failed() {
    let filter = Filter::new(Bot::new("FooBot").unwrap()).limits(Limits::default().links(1));
    let mut pass = filter.open("https://site.example/").unwrap();
    let many = "<a href=x>y".repeat(20_000);
    assert!(pass.write(many.as_bytes()).is_err());
    assert!(pass.write(b"<p>more").is_err());
    assert!(pass.end().is_err());
}

#[test]
fn notes_are_counted_beyond_their_limit() {
    let filter = Filter::new(Bot::new("FooBot").unwrap()).limits(Limits::default().notes(3));
    let page = filter
        .page(
            "https://site.example/",
            &[],
            "<!-- /robots -->".repeat(10).as_bytes(),
        )
        .unwrap();
    let messages: Vec<_> = page.notes().map(|note| note.message()).collect();
    assert_eq!(messages.len(), 4);
    assert_eq!(messages[3], "7 more of the kind stray-close");
}

#[test]
fn a_noscript_too_long_to_be_searched_closes_the_page() {
    let filter =
        Filter::new(Bot::new("FooBot").unwrap()).limits(Limits::default().noscript_bytes(100));
    let html = format!(
        "<p>word<noscript>{}<meta name=robots content=noindex></noscript>",
        "x".repeat(200)
    );
    let page = filter
        .page("https://site.example/", &[], html.as_bytes())
        .unwrap();
    assert_eq!(page.phrases(), [""; 0]);
    assert_eq!(page.notes().next().unwrap().kind().name(), "long-noscript");
}

const PROFILE: &str = "http://example.org/xmdp/robots-profile#";
/// HTML with two regions that close in a different order than they opened.
const CROSSED: &str = "<!--udmcomment--><!--noindex-->a<!--/udmcomment-->b<!--/noindex-->c";
const SWITCHED: &str =
    "<!--TYPO3SEARCH_end--><!--noindex-->a<!--TYPO3SEARCH_begin-->b<!--/noindex-->c";

/// Checks that hostile pages are filtered quickly. Each of them took seconds or minutes when a
/// search was repeated at every step.
#[test]
fn hostile_pages_end_soon() {
    let filter =
        Filter::new(Bot::new("FooBot").unwrap()).conventions(Conventions::parse("all").unwrap());
    let region = "<!-- robots content=noindex -->";
    let classes: Vec<_> = (0..250)
        .map(|number| format!("robot{number}-noindex"))
        .collect();
    let numbered = format!("<span class='{}'>", classes.join(" "));
    for html in [
        format!("<x{}", " </a".repeat(200_000)),
        format!("<svg>{}{}", "<g>".repeat(60_000), "</x>".repeat(60_000)),
        format!(
            "{}{}",
            region.repeat(4000),
            format!("{region}<!-- /robots -->").repeat(10_000)
        ),
        format!(
            "{}{}",
            "<!--stopindex-->".repeat(4000),
            CROSSED.repeat(4000)
        ),
        format!(
            "{}{}",
            "<!--stopindex-->".repeat(400),
            SWITCHED.repeat(4000)
        ),
        format!(
            "<head profile={PROFILE}><p class='{}'>x",
            "robots-index robots-noindex ".repeat(20_000)
        ),
        format!(
            "<meta name=robots content='{}'>",
            "noindex index ".repeat(50_000)
        ),
        format!(
            "{}{}",
            numbered.repeat(100),
            "<area href=x rel=nofollow>".repeat(10_000)
        ),
        format!(
            "{}{}",
            numbered.repeat(100),
            "<meta name=RobotExclusion.RobotName1 content=x>t".repeat(5_000)
        ),
        format!("<p {}>x", "data-nosnippet ".repeat(4000)).repeat(20),
        "<p><b>".repeat(200_000),
        "<".repeat(500_000),
        "&".repeat(500_000),
    ] {
        let _ = filter.page("https://site.example/", &[], html.as_bytes());
    }
}

/// Checks that docs/limits.md has the program's table of limits. `BLESS=1` writes the table.
#[test]
fn the_table_is_in_the_docs() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/limits.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let row = |limit: &heedful::Limit| {
        let (name, default, of) = (
            limit.name(),
            limit.format_value(limit.default()),
            limit.scope().name(),
        );
        format!("| `{name}` | {default} | {} | {of} |\n", limit.meaning())
    };
    let rows: String = heedful::LIMITS.iter().map(row).collect();
    let table = format!("| name | default | bounds | lost |\n|---|---|---|---|\n{rows}");
    let mark = "<!-- generated: limits -->\n";
    let begins = text.find(mark).unwrap() + mark.len();
    let ends = begins + text[begins..].find("<!-- end -->").unwrap();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, [&text[..begins], &table, &text[ends..]].concat()).unwrap();
    } else {
        assert_eq!(&text[begins..ends], table, "BLESS=1 writes the table");
    }
}

#[test]
fn each_row_is_set_by_its_name() {
    for limit in heedful::LIMITS {
        let limits = Limits::default().set(limit.name(), 7).unwrap();
        assert_eq!(limit.value(&limits), 7, "{}", limit.name());
        let others = heedful::LIMITS
            .iter()
            .filter(|other| other.name() != limit.name());
        assert!(
            others
                .into_iter()
                .all(|other| other.value(&limits) == other.default()),
            "{}",
            limit.name()
        );
    }
    assert!(
        Limits::default()
            .set("token", 1)
            .unwrap_err()
            .to_string()
            .contains("did you mean `tokens`?")
    );
}

/// Checks that a header that repeats a word, or breaks off anywhere, denies what its whole words
/// state, and has one short note.
#[test]
fn what_is_said_without_end_is_heard_once() {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    for (name, piece, end, denied) in [
        (
            "Content-Signal",
            "ai-train=no, search=yes, ",
            "ai-inp",
            &[Use::Train][..],
        ),
        (
            "Content-Signal",
            "use=reference;",
            "",
            &[Use::Archive, Use::Train, Use::Input],
        ),
        ("Content-Signals", "x=no y ", "ai-input=no", &[Use::Input]),
        ("Content-Usage", "train-ai=n, ", "ai-use=", &[Use::Train]),
        ("Content-Usage", "a,", "ai-use=n", &[Use::Input]),
        ("Content-Usage", "((((", "", &[]),
        (
            "Robots-Tag",
            "*;nofollow, ",
            "foobot;noarch",
            &[Use::Follow],
        ),
        ("Robots-Tag", "otherbot;noindex;", "", &[]),
        ("Robots-Tag", "noai;x=\"", "", &[Use::Train]),
        (
            "X-Robots-Tag",
            "otherbot;noindex, ",
            "nofollow",
            &[Use::Follow],
        ),
        ("X-Robots-Tag", ";", "noai", &[Use::Train]),
    ] {
        for count in [1, 40_000] {
            let mut pass = filter.open("https://site.example/").unwrap();
            pass.header(name, &format!("{}{end}", piece.repeat(count)));
            let page = pass.write(b"one").and_then(|()| pass.end()).unwrap();
            for usage in [
                Use::Index,
                Use::Follow,
                Use::Archive,
                Use::Train,
                Use::Input,
            ] {
                let is_denied = !page.policy().allows(usage);
                assert_eq!(
                    is_denied,
                    denied.contains(&usage),
                    "{count} times {name}: {piece}: {usage:?}"
                );
            }
            assert!(page.notes().count() <= 400, "{count} times {name}: {piece}");
        }
    }
}

/// Checks that a robots.txt with very many signals costs little for each of many pages.
#[test]
fn many_signals_of_a_site_cost_each_page_little() {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    for line in [
        "Content-Signal: ai-train=no\n",
        "Content-Usage: / ai-use=n, bots=y\n",
        "Content-Signal: /b use=immediate\n",
    ] {
        let robots = RobotsTxt::parse(format!("User-agent: *\n{}", line.repeat(15_000)).as_bytes());
        for page in 0..5 {
            let mut pass = filter
                .open(&format!("https://site.example/a/{page}"))
                .unwrap();
            pass.robots_txt(&robots);
            let page = pass.write(b"one").and_then(|()| pass.end()).unwrap();
            assert!(
                page.policy().allows(Use::Index) && page.policy().allows(Use::Archive),
                "{line}"
            );
        }
    }
}
