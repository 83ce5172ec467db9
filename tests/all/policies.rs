//! Checks that a pass for the policies alone returns the same policies as a whole pass, or the same
//! error, on every page.
//!
//! The seed `HEEDFUL_SEED` determines the generated pages of these tests.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use heedful::{Bot, Conventions, Filter, LIMITS, Limits, Policy};

use crate::alike::{Given, difference};
use crate::soup;
use crate::support;
use crate::support::cases::{corpus, html5lib};
use crate::support::chance::{minimised, next};

const BOTS: [&str; 3] = ["FooBot", "BarBot", "Googlebot"];

fn filter(conventions: Conventions) -> Filter {
    Filter::for_bots(BOTS.map(|name| Bot::new(name).unwrap()).into())
        .unwrap()
        .conventions(conventions)
}

fn heeding(conventions: &str) -> Filter {
    filter(Conventions::parse(conventions).unwrap())
}

/// Asserts that a pass for policies alone and a whole pass have the same result for a page.
fn assert_alike(filter: &Filter, name: &str, page: &[u8], given: Given<'_>, cut: usize) {
    let Some(difference) = difference(filter, page, given, cut) else {
        return;
    };
    panic!("{name}: {difference}");
}

#[test]
fn every_page_of_the_corpus() {
    let filters = [
        heeding("web"),
        heeding("all"),
        heeding("none"),
        heeding("seed,+profile-undeclared"),
    ];
    for (name, page) in corpus(true).into_iter().chain(html5lib()) {
        for filter in &filters {
            assert_alike(filter, &name, page.as_bytes(), Given::default(), 0);
        }
    }
}

#[test]
fn every_convention_alone() {
    let pages = corpus(true);
    for (number, convention) in heedful::CONVENTIONS.iter().enumerate() {
        let filter = heeding(&format!("none,+{}", convention.name()));
        for (name, page) in pages.iter().skip(number % 8).step_by(8) {
            assert_alike(&filter, name, page.as_bytes(), Given::default(), 0);
        }
    }
}

#[test]
fn every_real_page() {
    let filters = [heeding("web"), heeding("all")];
    let mut random = 3;
    for page in ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(support::pages)
    {
        for filter in &filters {
            let given = Given {
                is_utf8: page.is_text,
                ..Given::default()
            };
            assert_alike(
                filter,
                &page.id,
                &page.html,
                given,
                1 + next(&mut random) % 5000,
            );
        }
    }
}

/// Pages on which the two passes once differed. An invalid byte cuts the text of a page in the whole
/// pass alone.
#[test]
fn texts_with_invalid_bytes() {
    let given = Given {
        is_utf8: true,
        is_cut: true,
        ..Given::default()
    };
    let low = heeding("all").limits(Limits::default().tag_bytes(60));
    let script =
        b"<script><!-- \xff a text of more than sixty bytes without any other bracket \xff x";
    for cut in [0, 1, 3] {
        assert_alike(&heeding("web"), "NUL", b"\t\0\xff", given, cut);
        assert_alike(&low, "script", script, given, cut);
    }
}

/// Pieces of plain pages, of statements, and of markup that may hide a statement. Each piece closes
/// what it opens; only the last pieces of the list do not.
const PIECES: &[&str] = &[
    "<!doctype html>",
    "<html lang=en>",
    "<head>",
    "<title>one <meta name=robots content=noindex></title>",
    "<body class=home>",
    "</body></html>",
    "<p>word",
    "<p>word",
    "<p class='a b'>word</p>",
    "<div id=x data-y='>'>word</div>",
    "<nav>word</nav>",
    "<table><tr><td>word</table>",
    "<br/>",
    "<img src=a alt='<meta name=robots content=noindex>'>",
    "<a href=/x>word</a>",
    "<a href=/x rel=nofollow>word</a>",
    "<a href=/x rel='noopener UGC'>word</a>",
    "<area rel=nofollow>",
    "<meta charset=utf-8>",
    "<meta name=description content=word>",
    "<meta name=robots content=nosnippet>",
    "<META NAME='robots' CONTENT='noarchive,max-snippet:9'/>",
    "<meta property=robots content=noindex>",
    "<meta name=barbot content=noindex>",
    "<meta name=“robots” content=“noindex”>",
    "<meta name=tdm-reservation content=1>",
    "<meta name=tdm-reservation content=0>",
    "<meta http-equiv=x-robots-tag content=notranslate>",
    "<meta name=content-signal content='ai-train=no'>",
    "<meta class=swiftype name=robots content='noindex,nofollow'>",
    "<meta name=RobotExclusion.RobotName1 content=FooBot>",
    "<head profile='http://example.org/xmdp/robots-profile#'>",
    "<base href=/y/>",
    "<link rel=stylesheet href=z>",
    "<link rel=license type=application/rsl+xml href=/rsl.xml>",
    "<link rel=RobotExclusion.Names href=bots>",
    "<script>if (a < b) '<meta name=robots content=noindex>'</script>",
    "<script><!-- <script> </script> <meta name=robots content=noindex> --></script >",
    "<script src=></script>",
    "<script type=application/ld+json>{\"noSearch\": true}</script>",
    "<script type=application/ld+json>{\"search\": true}</script>",
    "<script type=application/rsl+xml><rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license><prohibits \
     type='usage'>ai-train</prohibits></license></content></rsl></script>",
    "<style>a > b{}</style>",
    "<textarea><meta name=robots content=noindex></textarea>",
    "<iframe><meta name=robots content=noindex></iframe>",
    "<noscript><meta name=robots content=noarchive></noscript>",
    "<noscript><img src=x></noscript>",
    "<svg viewBox='0 0 1 1'><title>word</title><g><path d=M0/><path d='M1'/></path></g></svg>",
    "<svg><style>a{}</style><use href=#x /></svg>",
    "<svg><g><meta name=robots content=nosnippet></g></svg>",
    "<svg/>",
    "<select><option>word<optgroup><option value='<'></select>",
    "<select><meta name=robots content=nosnippet></select>",
    "<template><meta name=robots content=nosnippet></template>",
    "<!-- word -->",
    "<!---->",
    "<!-->",
    "<!-- <meta name=robots content=noindex> --!>",
    "<!--noindex-->word<!--/noindex-->",
    "<!--noindex--->",
    "<!--FreeFind No Index Page-->",
    "<!--noindex-->",
    "<!--/noindex-->",
    "<!--googleoff: all-->",
    "<!--googleon: all-->",
    "<!-- robots content=none -->",
    "<!-- /robots -->",
    "<!--TYPO3SEARCH_begin-->",
    "<!--TYPO3SEARCH_end-->",
    "<!-- a comment -->",
    " ",
    "<template><p>word<template>word</template><select><option>word</select></template>",
    "<template shadowrootmode=open>word</template>",
    "<template><a rel=nofollow>word</a></template>",
    "<template><col></template>",
    "</template>",
    "<template>",
    "<textarea>word</textarea>",
    "<xmp>word</xmp>",
    "<svg><text>word</text></svg>",
    "<svg><use></svg>",
    "×",
    "<![if !IE]>",
    "<?php x ?>",
    "</ x>",
    "</>",
    "&amp; &nbsp; &#x41",
    "\u{0}",
    "\r\n",
    "é",
    "<p class=robots-noindex>word</p>",
    "<body class=nocontent>",
    "<noindex>word</noindex>",
    "<h2 id=x>word</h2>",
    "<p data-pagefind-body>word</p>",
    "<plaintext>",
    "<svg><title>",
    "<select>",
    "<script>",
    "<!--",
    "<a b='",
    "</script",
    "<",
];

/// Returns the first state of the random generator, which differs for each test number.
fn seeded(test: u64) -> u64 {
    std::env::var("HEEDFUL_SEED")
        .map_or(1, |text| text.parse::<u64>().unwrap())
        .wrapping_mul(31)
        + test
}

/// Generates a page of random pieces, some of them cut off.
fn made(state: &mut u64) -> String {
    let mut page = String::new();
    for _ in 0..next(state) % 14 {
        let piece = PIECES[next(state) % PIECES.len()];
        let kept = if next(state).is_multiple_of(40) {
            next(state) % piece.len()
        } else {
            piece.len()
        };
        page.push_str(&piece[..piece.floor_char_boundary(kept)]);
    }
    page
}

/// Compares a pass for policies alone with a whole pass on a generated page. If they differ,
/// minimises the page and fails with it.
fn assert_made_alike(filter: &Filter, page: &str, given: Given<'_>, cut: usize) {
    if difference(filter, page.as_bytes(), given, cut).is_some() {
        let is_wrong = |page: &str| difference(filter, page.as_bytes(), given, cut).is_some();
        let small = minimised(page, is_wrong);
        panic!(
            "{small:?}: {}",
            difference(filter, small.as_bytes(), given, cut).unwrap_or_default()
        );
    }
}

fn filters() -> [Filter; 4] {
    let own = Conventions::parse("all").unwrap().toml(soup::OWN).unwrap();
    [
        heeding("web"),
        heeding("all"),
        heeding("none,+pagefind-body,+pagefind-site,+meta,+rsl"),
        filter(own),
    ]
}

#[test]
fn pages_of_pieces() {
    let (filters, mut state) = (filters(), seeded(1));
    let headers = [
        ("X-Robots-Tag", "nosnippet"),
        ("Link", "</rsl.xml>; rel=license; type=application/rsl+xml"),
    ];
    for number in 0..6_000 {
        let page = made(&mut state);
        let given = Given {
            headers: &headers[..next(&mut state) % 3],
            is_utf8: true,
            is_cut: number % 16 == 0,
            cut: 0,
        };
        let cut = if number % 2 == 0 {
            1 + next(&mut state) % 40
        } else {
            0
        };
        assert_made_alike(&filters[number % filters.len()], &page, given, cut);
    }
}

#[test]
fn soups() {
    let (filters, mut state) = (filters(), seeded(2));
    for number in 0..4_000 {
        let pieces = next(&mut state) % 30;
        let page = soup::page(pieces, &mut |n| next(&mut state) % n);
        assert_made_alike(
            &filters[number % filters.len()],
            &page,
            Given {
                is_utf8: true,
                ..Given::default()
            },
            0,
        );
    }
}

/// Sets every limit of a page low. Checks that a pass for policies alone and a whole pass exceed
/// the limit on the same pages.
#[test]
fn low_limits() {
    let (plain, mut state) = (heeding("all"), seeded(3));
    let of_page = || {
        LIMITS
            .iter()
            .filter(|limit| matches!(limit.scope().name(), "page" | "nothing"))
    };
    for _ in 0..150 {
        let page = made(&mut state);
        for limit in of_page() {
            let low = [0, 1, 2, 5, 20, 60][next(&mut state) % 6];
            let filter = plain
                .clone()
                .limits(Limits::default().set(limit.name(), low).unwrap());
            assert_made_alike(
                &filter,
                &page,
                Given {
                    is_utf8: true,
                    ..Given::default()
                },
                0,
            );
        }
    }
}

/// Checks that a `head` after text is ignored and declares nothing. So it is not counted towards
/// the limit of statements.
#[test]
fn what_stands_before_the_head_counts() {
    let filter = heeding("web").limits(Limits::default().statements(1));
    let name = "<meta name=RobotExclusion.RobotName1 content=FooBot>";
    let page = format!("word<head profile='http://example.org/xmdp/robots-profile#'>{name}");
    assert_made_alike(&filter, &page, Given::default(), 0);
    assert!(
        filter
            .page("https://site.example/", &[], page.as_bytes())
            .is_ok()
    );
    assert!(
        filter
            .page(
                "https://site.example/",
                &[],
                &page.as_bytes()["word".len()..]
            )
            .is_err()
    );
}

/// Checks pages with two errors. A pass for policies alone must return the error that a whole pass
/// finds first.
#[test]
fn the_first_error_is_told() {
    let page = "<select><xmp>".to_owned() + &"word ".repeat(20_000);
    let filter = heeding("web").limits(Limits::default().page_bytes(70_000));
    assert_eq!(
        difference(&filter, page.as_bytes(), Given::default(), 0),
        None
    );
    let mut pass = filter.open_policies("https://site.example/").unwrap();
    let error = pass
        .write(page.as_bytes())
        .and_then(|()| pass.end().map(drop))
        .unwrap_err();
    assert_eq!(error.name(), "ambiguous");
}

/// Checks that a header that is passed between two pieces of the page applies at that position.
#[test]
fn late_headers_are_heard_in_their_place() {
    let filter = heeding("web");
    let read = |pieces: [&[u8]; 2]| -> heedful::Result<Policy> {
        let mut pass = filter.open("https://site.example/")?;
        pass.write(pieces[0])?;
        pass.header("X-Robots-Tag", "noarchive");
        pass.write(pieces[1])?;
        Ok(pass.end()?.policy().clone())
    };
    let alone = |pieces: [&[u8]; 2]| -> heedful::Result<Policy> {
        let mut pass = filter.open_policies("https://site.example/")?;
        pass.write(pieces[0])?;
        pass.header("X-Robots-Tag", "noarchive");
        pass.write(pieces[1])?;
        Ok(pass.end()?.policy(heedful::BotId::FIRST).clone())
    };
    let long = b"<p>word <meta name=robots content=noindex>".repeat(2000);
    for pieces in [
        [&b"<meta name=robots content=noarchive>"[..], b"<p>word"],
        [&long, b"<meta name=robots content=nosnippet>"],
    ] {
        assert_eq!(read(pieces).unwrap(), alone(pieces).unwrap());
    }
}

#[test]
fn a_page_that_is_kept_out_is_not_read() {
    let mut pass = heeding("web")
        .open_policies("https://site.example/x")
        .unwrap();
    pass.robots_txt(&heedful::RobotsTxt::parse(b"User-agent: *\nDisallow: /"));
    pass.write(b"<select><xmp>").unwrap();
    let policies = pass.end().unwrap();
    assert!(policies.each().all(|(_, policy)| !policy.may_fetch()));
    assert_eq!(
        policies
            .each()
            .map(|(bot, _)| bot.name().to_owned())
            .collect::<Vec<_>>(),
        BOTS
    );
    assert_eq!(policies.url(), "https://site.example/x");
}
