//! Checks that leniency is the same everywhere. An unexpected sign has the same effect in each list
//! of words (docs/semantics.md, section 3.1).
//!
//! The tests insert each sign into each carrier: a name, a word, an HTML class, a comment, a
//! header, a record of a robots.txt. With invisible signs all carriers deny. A separator divides
//! words either in all carriers or in none.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use heedful::{Bot, Conventions, Filter, Page, RobotsTxt, Use};

/// Carriers of words, in which a test replaces `_` by a sign. A carrier that begins with the name
/// of a header is a header. One that begins like a robots.txt is a robots.txt. All others are
/// pages.
const UNSEEN: [&str; 28] = [
    "<meta name='_robots' content=noindex>one",
    "<meta name='robots_' content=noindex>one",
    "<meta name='ro_bots' content=noindex>one",
    "<meta name=robots content='_noindex'>one",
    "<meta name=robots content='no_index'>one",
    "<meta name=st:robots content='_noindex'>one",
    "<meta name=freefind content='_nofollow'>one",
    "<meta name=tdm-reservation content='1_'>one",
    "<meta name=content-signal content='ai-train=no_'>one",
    "<p class='_robots-noindex'>one</p>",
    "<p class='robots-no_index'>one</p>",
    "<a href=/a rel='_nofollow'>one</a>",
    "<!--_noindex_-->one",
    "<!--no_index-->one",
    "<!--robots content=\"_noindex\"-->one",
    "<!--googleoff:_ index-->one",
    "X-Robots-Tag: _noindex",
    "X-Robots-Tag: no_index",
    "Robots-Tag: _*;noindex",
    "Content-Signal: _ai-train=no",
    "Content-Signal: ai-tr_ain=no",
    "Content-Usage: _train-ai=n",
    "tdm-reservation: 1_",
    "User-agent: _FooBot\nDisallow: /a",
    "User-agent: FooBot_\nDisallow: /a",
    "User-agent: *\nDisallow: _/a",
    "User-agent: *\n_Disallow: /a",
    "User-agent: *\nContent-Signal: _ai-train=no",
];

/// Lists of words, in which a test replaces the `_` between two words by a sign.
const LISTS: [&str; 13] = [
    "<meta name=robots content='foo_noindex'>one",
    "<meta name='x_robots' content=noindex>one",
    "<meta name=st:robots content='x_noindex'>one",
    "<meta name=freefind content='x_nofollow'>one",
    "<meta name=content-signal content='search=yes_ai-train=no'>one",
    "<p class='x_robots-noindex'>one</p>",
    "<a href=/a rel='x_nofollow'>one</a>",
    "<!--robots content=\"x_noindex\"-->one",
    "<!--googleoff:x_index-->one",
    "X-Robots-Tag: foo_noindex",
    "Robots-Tag: *;nosnippet_noindex",
    "Content-Signal: search=yes_ai-train=no",
    "User-agent: *\nContent-Signal: search=yes_ai-train=no",
];

/// True if a page, header or robots.txt (the carrier) denies a use to the bot.
fn denies(carrier: &str) -> bool {
    let bot = Bot::new("FooBot").unwrap();
    let filter = Filter::new(bot.clone()).conventions("all".parse::<Conventions>().unwrap());
    let url = "https://site.example/a";
    let mut pass = filter.open(url).unwrap();
    let mut html = "one";
    if carrier.starts_with('<') {
        html = carrier;
    } else if carrier.starts_with("User-agent") {
        let robots = RobotsTxt::parse(carrier.as_bytes());
        if !robots.ruling(&bot, url).allowed() {
            return true;
        }
        pass.robots_txt(&robots);
    } else if let Some((name, value)) = carrier.split_once(": ") {
        pass.header(name, value);
    }
    pass.write(html.as_bytes()).unwrap();
    withholds(&pass.end().unwrap())
}

fn withholds(page: &Page) -> bool {
    let follows = page
        .links()
        .iter()
        .all(|link| link.may_follow() && link.may_credit());
    page.phrases().is_empty()
        || !follows
        || Use::ALL
            .into_iter()
            .any(|usage| !page.policy().allows(usage))
}

#[test]
fn every_carrier_denies_through_signs_that_are_not_seen() {
    const SIGNS: &str = "\u{AD}\u{34F}\u{61C}\u{180E}\u{200B}\u{200D}\u{200E}\u{202A}\u{202C}\u{202E}\u{2060}\u{2061}\u{2064}\u{2066}\u{2069}\u{FE0F}\u{FEFF}\u{E0041}";
    for carrier in UNSEEN {
        assert!(
            denies(&carrier.replace('_', "")),
            "{carrier:?} without a sign"
        );
        for sign in SIGNS.chars() {
            assert!(
                denies(&carrier.replace('_', &sign.to_string())),
                "{carrier:?} with U+{:X}",
                u32::from(sign)
            );
        }
    }
}

#[test]
fn all_lists_have_one_set_of_separators() {
    for carrier in LISTS {
        for sign in " ,;|\u{B}\u{A0}\u{2009}\u{3000}，、；｜،؛﹐﹔､\u{200B}".chars() {
            // In the header's old syntax, `foo;` is the bot to which the rest applies.
            let is_name = carrier.starts_with("X-Robots-Tag") && ";；؛﹔".contains(sign);
            let is_no_header = !carrier.starts_with(['<', 'U']) && sign == '\u{B}';
            let is_read = denies(&carrier.replace('_', &sign.to_string()));
            assert!(
                is_read != is_name || is_no_header,
                "{carrier:?} with U+{:X}",
                u32::from(sign)
            );
        }
        for sign in "·。-".chars() {
            assert!(
                !denies(&carrier.replace('_', &sign.to_string())),
                "{carrier:?} with U+{:X}",
                u32::from(sign)
            );
        }
    }
}

/// METAs that nobody reads by their exact names. Their lenient names are those of robots or of
/// the bot, and their content denies only in its lenient form.
const HEARD_LENIENTLY: [&str; 8] = [
    "<meta http-equiv=robot content='no-index'>one",
    "<meta http-equiv='foo robots' content='no-index'>one",
    "<meta property=robots content='no-index'>one",
    "<meta property='og: robots' content='no-index'>one",
    "<meta property='foobot/1:0' content='no-index'>one",
    "<meta name=description property='foobot/1:0' content='no-index'>one",
    "<meta name=x-robots-tag content='no-index'>one",
    "<meta name=robots value='no-index'>one",
];

#[test]
fn an_odd_content_counts_under_an_odd_name() {
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let exact = filter.clone().conventions("as-written".parse().unwrap());
    for html in HEARD_LENIENTLY {
        let denies = |filter: &Filter| {
            let page = filter.page("https://site.example/a", &[], html.as_bytes());
            !page.unwrap().policy().allows(Use::Index)
        };
        assert!(denies(&filter), "{html}");
        assert!(!denies(&exact), "{html}");
    }
    let html =
        b"<meta property='og:x' content='no-index'><meta name=description content='no-index'>one";
    let page = filter.page("https://site.example/a", &[], html).unwrap();
    assert!(page.policy().allows(Use::Index));
}
