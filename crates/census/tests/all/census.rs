//! Tests of the census. The census of a crawl must be the sum of its parts' censuses, bit for bit.
//! The counts of obeyed conventions must equal those of an ordinary pass. No text of a page and no
//! name of a site may be in a census.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use heedful::{
    Bot, BotId, CONVENTIONS, Conventions, Filter, Judged, Limits, PageEnd, Pass, Result, RobotsTxt,
    Sink, Use, VerdictId,
};
use heedful_census::{
    Audience, Carrier, Census, CensusRow, CensusStatement, ConventionId, Counter, PagePlace,
    StatementKind, StatementSide, StatementSubject,
};
use proptest::prelude::*;

use crate::pieces;
use crate::support;
use crate::support::chance::next;

fn filter(conventions: &str) -> Filter {
    Filter::new(Bot::new("FooBot").unwrap()).conventions(Conventions::parse(conventions).unwrap())
}

/// A page that a test generates or takes from the corpus, with its robots.txt and its headers.
#[derive(Clone, Debug)]
struct Made {
    url: String,
    robots: &'static str,
    header: &'static str,
    html: String,
}

const ROBOTS: [&str; 4] = [
    "",
    "User-agent: *\nDisallow: /page3\nContent-Signal: ai-train=no",
    "User-agent: foobot\nDisallow: /page1\n\nUser-agent: *\nNoindex: /page2",
    "User-agent: *\nDisallow: /",
];
const HEADERS: [&str; 4] = [
    "",
    "noindex",
    "foobot: nosnippet",
    "max-snippet: 20, noarchive",
];

impl Made {
    fn of(number: usize, html: String) -> Self {
        let url = format!("https://s{}.example/page{number}", number % 11);
        Self {
            url,
            robots: ROBOTS[number / 11 % 4],
            header: HEADERS[number % 4],
            html,
        }
    }

    fn fed<S: Sink>(&self, mut pass: Pass<S>) -> Result<Pass<S>> {
        if !self.robots.is_empty() {
            pass.robots_txt(&RobotsTxt::parse(self.robots.as_bytes()));
        }
        if !self.header.is_empty() {
            pass.header("X-Robots-Tag", self.header);
        }
        pass.write(self.html.as_bytes())?;
        Ok(pass)
    }
}

/// Returns the pages of the test corpus, each on one of a few sites.
fn corpus() -> Vec<Made> {
    let pages = support::cases::corpus(true);
    assert!(pages.len() > 500);
    pages
        .into_iter()
        .enumerate()
        .map(|(number, (_, html))| Made::of(number, html))
        .collect()
}

fn census<'a>(counter: &Counter, pages: impl IntoIterator<Item = &'a Made>) -> Census {
    let mut census = counter.census();
    for made in pages {
        match counter.page(&made.url, |pass| made.fed(pass)) {
            Ok(count) => census.add(&count),
            Err(error) => census.add_outcome(error.name()),
        }
    }
    census
}

/// Merges the censuses `parts` into one, in a random order and in a random tree.
fn merged(mut parts: Vec<Census>, chance: &mut u64) -> Census {
    while parts.len() > 1 {
        let one = parts.swap_remove(next(chance) % parts.len());
        let at = next(chance) % parts.len();
        parts[at].merge(&one).unwrap();
    }
    parts.pop().unwrap()
}

#[test]
fn parts_are_the_whole_bit_for_bit() {
    let pages = corpus();
    for sites in [3, 11, 10_000] {
        let counter =
            Counter::new(&filter("web").limits(Limits::default().census_sites(sites))).unwrap();
        let whole = census(&counter, &pages);
        assert_eq!(
            (whole.is_sampled(), whole.sites_kept()),
            (sites < 11, sites.min(11) as usize)
        );
        for seed in 0..3_u64 {
            let mut chance = seed;
            let mut parts: Vec<Vec<&Made>> = vec![Vec::new(); 1 + next(&mut chance) % 9];
            for page in &pages {
                let at = next(&mut chance) % parts.len();
                parts[at].push(page);
            }
            let parts = parts.into_iter().map(|mut part| {
                let turn = next(&mut chance) % (part.len().max(1));
                part.rotate_left(turn);
                let part = census(&counter, part);
                // One census of two is written as JSON and parsed again.
                if next(&mut chance).is_multiple_of(2) {
                    Census::parse(&part.json()).unwrap()
                } else {
                    part
                }
            });
            let parts: Vec<_> = parts.collect();
            assert_eq!(
                merged(parts, &mut chance).json(),
                whole.json(),
                "{sites} {seed}"
            );
        }
    }
}

proptest! {
    #[test]
    fn two_halves_are_the_whole(pages in prop::collection::vec(pieces::html(), 1..12), cut in 0_usize..12, turned: bool) {
        let pages: Vec<_> = pages.into_iter().enumerate().map(|(number, html)| Made::of(number * 7, html)).collect();
        let counter = Counter::new(&filter("seed").limits(Limits::default().census_sites(4))).unwrap();
        let (first, second) = pages.split_at(cut.min(pages.len()));
        let (mut one, mut other) = (census(&counter, first), census(&counter, second));
        if turned {
            std::mem::swap(&mut one, &mut other);
        }
        one.merge(&other).unwrap();
        prop_assert_eq!(one.json(), census(&counter, &pages).json());
    }
}

/// Expected counts of one page, computed without the census's code. They are the characters of text
/// by verdict, and the uses that the page denies to each bot.
#[derive(Default)]
struct Own {
    text: BTreeMap<VerdictId, u64>,
    denied: BTreeMap<(Use, PagePlace), u64>,
}

impl Sink for Own {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        if judged.is_visible_text() {
            let more = judged
                .token()
                .text()
                .chars()
                .filter(|c| !c.is_whitespace())
                .count() as u64;
            *self.text.entry(judged.id()).or_default() += more;
        }
        Ok(())
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        let of_text = |usage| !matches!(usage, Use::Follow | Use::Anchor | Use::Image);
        for usage in Use::ALL {
            if end.denied(usage).contains(BotId::FIRST) {
                let text = if of_text(usage) {
                    self.text.values().sum()
                } else {
                    0
                };
                self.denied.insert((usage, PagePlace::Page), text);
                continue;
            }
            let parts = self
                .text
                .iter()
                .filter(|(id, _)| end.verdict(**id).denied(usage).contains(BotId::FIRST));
            let text: u64 = parts.filter(|_| of_text(usage)).map(|(_, text)| text).sum();
            if text > 0 {
                self.denied.insert((usage, PagePlace::Text), text);
            }
        }
        Ok(())
    }
}

/// Tests that the census counts what an ordinary pass with the obeyed conventions denies, for any
/// set of obeyed conventions. This must be true although nearly all pages are read once, with all
/// conventions.
#[test]
fn what_is_obeyed_is_what_is_read() {
    let pages = corpus();
    let sets = CONVENTIONS
        .iter()
        .map(|convention| format!("all,-{}", convention.name()));
    let sets = sets
        .step_by(12)
        .chain(["web", "seed", "none", "all", "web,-profile-undeclared"].map(str::to_owned));
    for conventions in sets {
        let filter = filter(&conventions);
        let counter = Counter::new(&filter).unwrap();
        for made in &pages {
            let Ok(count) = counter.page(&made.url, |pass| made.fed(pass)) else {
                continue;
            };
            let mut found = counter.census();
            found.add(&count);
            let pass = made.fed(filter.open_with(&made.url, Own::default()).unwrap());
            let own = pass.and_then(Pass::into_sink).unwrap();
            if found.count(CensusRow::KeptOut { bot: 0 }).pages > 0 {
                assert!(own.text.is_empty() && own.denied.len() == 9, "{made:?}");
                assert!(
                    found.rows().all(|(row, _)| !matches!(
                        row,
                        CensusRow::Denied { .. } | CensusRow::Text { .. }
                    )),
                    "{made:?}"
                );
                continue;
            }
            let denied = found.rows().filter_map(|(row, count)| match row {
                CensusRow::Denied {
                    by: StatementSide::Obeyed,
                    bot: 0,
                    usage,
                    part,
                } => Some(((usage, part), count.text)),
                _ => None,
            });
            assert_eq!(
                denied.collect::<BTreeMap<_, _>>(),
                own.denied,
                "{conventions} {made:?}"
            );
            assert_eq!(
                found.count(CensusRow::Text { bot: 0 }).text,
                own.text.values().sum::<u64>(),
                "{made:?}"
            );
        }
    }
}

/// Tests that withheld text is divided among the deciding conventions, and that no text is counted
/// twice.
#[test]
fn conventions_share_what_is_withheld() {
    let census = census(&Counter::new(&filter("web")).unwrap(), &corpus());
    for by in [StatementSide::Obeyed, StatementSide::All] {
        for usage in Use::ALL {
            let denied = [PagePlace::Page, PagePlace::Text].map(|part| {
                census
                    .count(CensusRow::Denied {
                        by,
                        bot: 0,
                        usage,
                        part,
                    })
                    .text
            });
            let withheld = census.rows().filter_map(|(row, count)| match row {
                CensusRow::Withheld {
                    by: side,
                    usage: of,
                    ..
                } if (side, of) == (by, usage) => Some(count.text),
                _ => None,
            });
            assert_eq!(
                withheld.sum::<u64>(),
                denied.iter().sum::<u64>(),
                "{by:?} {usage}"
            );
        }
    }
}

fn one(conventions: &str, made: &Made) -> Census {
    census(&Counter::new(&filter(conventions)).unwrap(), [made])
}

fn statement(
    convention: &str,
    carrier: Carrier,
    subject: StatementSubject,
    effect: StatementKind,
    audience: Audience,
) -> CensusRow {
    CensusRow::Said(CensusStatement {
        convention: ConventionId::find(convention).unwrap(),
        carrier,
        subject,
        effect,
        audience,
    })
}

#[test]
fn who_says_what_of_what_to_whom() {
    let html = "<meta name=robots content='noarchive, max-snippet:9'><meta name=foobot content=nosnippet>\
        <p>one<!--noindex-->two two<!--/noindex--><a rel=nofollow href=x>three</a><a rel=nofollow href=y>four</a>\
        <b class=robots-noindex>five</b>";
    let url = "https://site.example/a".to_owned();
    let robots = "User-agent: *\nContent-Signal: ai-train=no, search=yes";
    let made = Made {
        url,
        robots,
        header: "noimageindex",
        html: html.to_owned(),
    };
    let found = one("web", &made);
    let everyone = Audience::Everyone;
    for (row, times) in [
        (
            statement(
                "meta",
                Carrier::Page,
                StatementSubject::Use(Use::Archive),
                StatementKind::Deny,
                everyone,
            ),
            1,
        ),
        (
            statement(
                "meta",
                Carrier::Page,
                StatementSubject::MaxSnippet,
                StatementKind::Limit,
                everyone,
            ),
            1,
        ),
        (
            statement(
                "meta",
                Carrier::Page,
                StatementSubject::Use(Use::Snippet),
                StatementKind::Deny,
                Audience::Named,
            ),
            1,
        ),
        (
            statement(
                "meta",
                Carrier::Page,
                StatementSubject::Use(Use::Snippet),
                StatementKind::Deny,
                everyone,
            ),
            0,
        ),
        (
            statement(
                "header",
                Carrier::Header,
                StatementSubject::Use(Use::Image),
                StatementKind::Deny,
                everyone,
            ),
            1,
        ),
        (
            statement(
                "noindex-comment",
                Carrier::Region,
                StatementSubject::Use(Use::Index),
                StatementKind::Deny,
                everyone,
            ),
            1,
        ),
        (
            statement(
                "rel",
                Carrier::Node,
                StatementSubject::Use(Use::Follow),
                StatementKind::Deny,
                everyone,
            ),
            2,
        ),
        (
            statement(
                "profile",
                Carrier::Element,
                StatementSubject::Use(Use::Index),
                StatementKind::Deny,
                everyone,
            ),
            1,
        ),
        (
            statement(
                "content-signal",
                Carrier::RobotsTxt,
                StatementSubject::Use(Use::Train),
                StatementKind::Deny,
                everyone,
            ),
            1,
        ),
        (
            statement(
                "content-signal",
                Carrier::RobotsTxt,
                StatementSubject::Use(Use::Index),
                StatementKind::Allow,
                everyone,
            ),
            1,
        ),
        (CensusRow::Convention(ConventionId::find("rel").unwrap()), 2),
        (
            CensusRow::About(StatementSubject::Use(Use::Index), StatementKind::Deny),
            2,
        ),
    ] {
        let count = found.count(row);
        assert_eq!(
            (count.times, count.pages),
            (times, u64::from(times > 0)),
            "{row:?}"
        );
    }
    let text = found.count(CensusRow::Text { bot: 0 }).text;
    assert_eq!(text, 3 + 6 + 5 + 4 + 4);
    let withheld = |name: &str| {
        let convention = ConventionId::find(name).unwrap();
        found
            .count(CensusRow::Withheld {
                by: StatementSide::Obeyed,
                bot: 0,
                convention,
                usage: Use::Index,
            })
            .text
    };
    assert_eq!(
        (
            withheld("noindex-comment"),
            withheld("profile"),
            withheld("meta")
        ),
        (6, 4, 0)
    );
}

/// Tests that neither a statement to bots outside the census nor a user-defined rule is counted.
#[test]
fn others_and_the_operator_say_nothing() {
    let url = "https://site.example/a".to_owned();
    let html = "<meta name=barbot content=noindex><p class=menu>one</p>two".to_owned();
    let made = Made {
        url,
        robots: "User-agent: barbot\nDisallow: /",
        header: "",
        html,
    };
    let denials = heedful::Uses::parse("noindex").unwrap();
    let conventions = Conventions::default().element(".menu", denials).unwrap();
    let filter = Filter::new(Bot::new("FooBot").unwrap())
        .conventions(conventions)
        .deny(denials, "/b")
        .unwrap();
    let found = census(&Counter::new(&filter).unwrap(), [&made]);
    assert!(found.rows().all(|(row, _)| !matches!(
        row,
        CensusRow::Said(_) | CensusRow::Convention(_) | CensusRow::About(..)
    )));
    let denied = |part| {
        found
            .count(CensusRow::Denied {
                by: StatementSide::Obeyed,
                bot: 0,
                usage: Use::Index,
                part,
            })
            .text
    };
    assert_eq!((denied(PagePlace::Text), denied(PagePlace::Page)), (3, 0));
    let own = census(
        &Counter::new(&filter).unwrap(),
        [&Made {
            url: "https://site.example/b".to_owned(),
            ..made
        }],
    );
    let denied = |part| {
        own.count(CensusRow::Denied {
            by: StatementSide::Obeyed,
            bot: 0,
            usage: Use::Index,
            part,
        })
        .text
    };
    assert_eq!((denied(PagePlace::Text), denied(PagePlace::Page)), (0, 6));
}

/// Tests a page that robots.txt disallows for one bot and allows for another. Only the deciding
/// rule may be added to the first bot's counts.
#[test]
fn a_page_that_keeps_a_bot_out_says_nothing_to_it() {
    let url = "https://site.example/a".to_owned();
    let html = "<meta name=robots content=noindex>secret".to_owned();
    let made = Made {
        url,
        robots: "User-agent: foobot\nDisallow: /",
        header: "",
        html,
    };
    let found = one("web", &made);
    let rows: Vec<_> = found.rows().map(|(row, _)| row).collect();
    let convention = CensusRow::Convention(ConventionId::find("robots.txt").unwrap());
    let said = statement(
        "robots.txt",
        Carrier::RobotsTxt,
        StatementSubject::Enter,
        StatementKind::Deny,
        Audience::Named,
    );
    let about = CensusRow::About(StatementSubject::Enter, StatementKind::Deny);
    assert_eq!(
        rows,
        [
            CensusRow::Pages,
            CensusRow::KeptOut { bot: 0 },
            convention,
            about,
            said
        ]
    );
    let both = Filter::for_bots(vec![
        Bot::new("FooBot").unwrap(),
        Bot::new("BarBot").unwrap(),
    ])
    .unwrap();
    let found = census(&Counter::new(&both).unwrap(), [&made]);
    assert_eq!(found.count(CensusRow::KeptOut { bot: 0 }).pages, 1);
    assert_eq!(found.count(CensusRow::Text { bot: 1 }).text, 6);
    assert!(
        found
            .rows()
            .all(|(row, _)| row != CensusRow::Text { bot: 0 })
    );
}

/// Tests that a census has no twelve consecutive characters of a page's text or URL, and no name of
/// a site.
#[test]
fn nothing_of_a_page_is_in_it() {
    let words =
        "Zwölfkürbiskerne unter dem Ladentisch, 4711 Gulden; strengstens vertraulich behandelt";
    let html = format!(
        "<title>{words}</title><meta name=robots content='noindex, {words}'><!-- robots content=\"none {words}\" -->\
         <!--noindex-->{words}<!--/noindex--><p class='robots-noindex {words}'>{words}</p><!--noindex {words}-->\
         <a rel='nofollow {words}' href='https://leak.example/{words}'>x</a>"
    );
    let url = "https://vertraulich-behandelt.example/zwoelfkuerbiskerne".to_owned();
    let json = one(
        "web",
        &Made {
            url: url.clone(),
            robots: "",
            header: "",
            html,
        },
    )
    .json();
    assert!(json.contains("noindex-comment"));
    for text in [words, url.as_str(), "leak.example"] {
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.windows(12.min(letters.len())) {
            let piece: String = piece.iter().collect();
            assert!(!json.contains(&piece), "{piece}");
        }
    }
}

#[test]
fn what_was_made_otherwise_is_refused() {
    let base = || filter("web");
    let counter = |filter: &Filter| Counter::new(filter).unwrap().census();
    let mut whole = counter(&base());
    let bots = Filter::for_bots(vec![Bot::parse("foobot=foo").unwrap()]).unwrap();
    for (other, expected) in [
        (bots, "the bots"),
        (filter("all"), "the conventions"),
        (
            base().limits(Limits::default().census_sites(9)),
            "the limit `census_sites`",
        ),
        (base().profile("https://site.example/p#"), "the profile"),
        (
            base()
                .deny(heedful::Uses::parse("noindex").unwrap(), "/a")
                .unwrap(),
            "denials by URL",
        ),
        (
            base().robots_mode(heedful::Mode::Google),
            "how robots.txt is read",
        ),
    ] {
        let error = whole.merge(&counter(&other)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let json = whole.json();
    assert_eq!(Census::parse(&json).unwrap().json(), json);
    let version = env!("CARGO_PKG_VERSION");
    for (wrong, expected) in [
        (json.replace(version, "9.9.9"), "another version of heedful, 9.9.9"),
        (json.replace("\"census\":1", "\"census\":2"), "another version"),
        ("{}".to_owned(), "no census"),
        (json[..json.len() - 9].to_owned(), "no census"),
        (
            json.replace("\"rows\":[]", "\"rows\":[{\"row\":\"x\",\"statements\":0,\"pages\":1,\"characters\":0}]"),
            "no such row",
        ),
        (
            json.replace(
                "\"rows\":[]",
                "\"rows\":[{\"row\":\"text\",\"bot\":7,\"statements\":0,\"pages\":1,\"characters\":0}]",
            ),
            "no such row",
        ),
        (json.replace("\"sample\":[]", "\"sample\":[[\"00\",[[5,0,1,0]]]]"), "a row 5"),
        (json.replace("\"sample\":[]", "\"sample\":[[\"zz\",[]]]"), "`zz` is no site"),
    ] {
        let error = Census::parse(&wrong).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let many: Vec<_> = (0..64)
        .map(|n| Bot::new(&format!("bot{n}")).unwrap())
        .collect();
    assert!(
        Counter::new(&Filter::for_bots(many).unwrap())
            .unwrap_err()
            .to_string()
            .contains("63")
    );
}

/// Tests that intervals depend on the number of sites: a hundred pages of one site narrow an
/// interval no more than one page.
#[test]
fn intervals_are_by_site() {
    let page = |site: usize, says: bool| Made {
        url: format!("https://s{site}.example/"),
        robots: "",
        header: if says { "noindex" } else { "" },
        html: "text".to_owned(),
    };
    let row = CensusRow::Convention(ConventionId::find("header").unwrap());
    let counter = Counter::new(&filter("web")).unwrap();
    let single = census(
        &counter,
        &(0..40)
            .map(|site| page(site, site % 4 == 0))
            .collect::<Vec<_>>(),
    );
    let many = (0..40).flat_map(|site| vec![page(site, site % 4 == 0); 20]);
    let many = census(&counter, &many.collect::<Vec<_>>());
    let (one, other) = (single.share_of_pages(row), many.share_of_pages(row));
    assert_eq!(
        (one.part(), one.whole(), other.part(), other.whole()),
        (10, 40, 200, 800)
    );
    assert_eq!(one.share(), Some(0.25));
    let ((low, high), (other_low, other_high)) =
        (one.interval().unwrap(), other.interval().unwrap());
    assert!((low - other_low).abs() < 1e-9 && (high - other_high).abs() < 1e-9);
    assert!(
        low > 0.13 && low < 0.16 && high > 0.39 && high < 0.42,
        "{low} {high}"
    );
    let sites = many.share_of_sites(row);
    assert_eq!((sites.part(), sites.whole()), (10, 40));
    let few = census(
        &counter,
        &(0..29)
            .map(|site| page(site, site % 4 == 0))
            .collect::<Vec<_>>(),
    );
    assert!(
        few.share_of_pages(row).interval().is_none()
            && few.share_of_sites(row).interval().is_none()
    );
    assert_eq!(
        few.share_of_pages(CensusRow::Convention(ConventionId::find("rel").unwrap()))
            .share(),
        Some(0.0)
    );
    assert_eq!(counter.census().share_of_pages(row).share(), None);
}
