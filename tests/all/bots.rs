//! Checks that several bots in one pass get exactly what separate passes would give them.
//!
//! The pages, headers and robots.txt files of these tests are generated (`PROPTEST_CASES` sets the
//! number of cases). They address several of 16 bots. Real pages are added if they are available.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, SystemTime};

use heedful::{
    Bot, Conventions, Directive, Dressing, Filter, Link, Page, ProfileNames, RobotsTxt, Use,
};
use heedful_json::PageJson;
use proptest::prelude::*;

use crate::pieces::piece;
use crate::support;

const URL: &str = "https://site.example/dir/page";

/// Names of the bots in these tests. Some of them are similar.
const BOTS: [&str; 16] = [
    "FooBot", "BarBot", "BazBot", "Foo Bot", "Bot", "Evil Bot", "QuuxBot", "zed", "y-bot", "X",
    "noimage", "seven", "eight", "nine", "ten ten", "ten",
];

const WORDS: [&str; 14] = [
    "noindex",
    "nofollow",
    "none",
    "noarchive",
    "nosnippet",
    "noimageindex",
    "notranslate",
    "noai",
    "max-snippet:3",
    "max-snippet:20",
    "max-image-preview:none",
    "max-video-preview:7",
    "unavailable_after: 25 Jun 2010 15:00:00 PST",
    "nosuchword",
];

const CLASSES: [&str; 8] = [
    "noindex",
    "index",
    "nofollow",
    "follow",
    "noanchortext",
    "anchortext",
    "noarchive",
    "nothing",
];

fn bot(number: usize) -> Bot {
    let bot = Bot::new(BOTS[number]).unwrap();
    if number.is_multiple_of(5) {
        bot.alias("the crawler").unwrap()
    } else {
        bot
    }
}

/// Generates one of the strings of a list.
fn one_of(list: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(list).prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![9 => one_of(&BOTS), 1 => one_of(&["robots", "the crawler", "nobody", "foobot/2.1", ""])]
}

fn words() -> impl Strategy<Value = String> {
    prop::collection::vec(one_of(&WORDS), 1..3).prop_map(|words| words.join(", "))
}

/// Generates a piece of a page that addresses some of the bots.
fn named() -> impl Strategy<Value = String> {
    let meta = (name(), words())
        .prop_map(|(name, words)| format!("<meta name='{name}' content='{words}'>"));
    let called = (1..5, name()).prop_map(|(number, name)| {
        format!("<meta name='RobotExclusion.RobotName{number}' content='{name}'>")
    });
    let tags = [
        "p",
        "b",
        "div",
        "span",
        "a href=four",
        "img alt=drawn src=d.png",
        "td",
        "br",
        "h2",
        "html",
        "body",
    ];
    let class = (
        1..6,
        prop::sample::select(&CLASSES[..]),
        prop::sample::select(tags.to_vec()),
    );
    let class =
        class.prop_map(|(number, word, tag)| format!("<{tag} class='robot{number}-{word}'>"));
    let pragma = line().prop_map(|line| format!("<meta http-equiv=X-Robots-Tag content='{line}'>"));
    prop_oneof![2 => meta, 2 => called, 4 => class, 1 => pragma]
}

fn html() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop_oneof![3 => piece(), 1 => named()], 0..60);
    (any::<bool>(), pieces).prop_map(|(is_declared, pieces)| {
        let head = if is_declared {
            "<head profile='http://example.org/xmdp/robots-profile#'>"
        } else {
            ""
        };
        format!("{head}{}", pieces.concat())
    })
}

/// Generates the value of an X-Robots-Tag header.
fn line() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        2 => (name(), words()).prop_map(|(name, words)| format!("{name}: {words}")),
        1 => (one_of(&WORDS), name(), words()).prop_map(|(first, name, words)| format!("{first} {name}: {words}")),
        1 => words(),
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join(", "))
}

fn robots_txt() -> impl Strategy<Value = String> {
    let rules = [
        "Disallow: /dir/",
        "Disallow: /other/",
        "Allow: /",
        "Content-Signal: ai-train=no, search=no",
        "Content-Usage: train-ai=n",
        "DisallowAITraining: /dir/",
        "Noindex: /dir/",
    ];
    let agent = prop_oneof![4 => name(), 1 => Just("*".to_owned())];
    let group = (
        agent,
        prop::collection::vec(prop::sample::select(rules.to_vec()), 0..3),
    );
    let group =
        group.prop_map(|(agent, rules)| format!("User-agent: {agent}\n{}\n\n", rules.join("\n")));
    prop::collection::vec(group, 0..5).prop_map(|groups| groups.concat())
}

/// Returns a filter for these bots. Its settings are the same for all passes of a case.
fn filter(bots: Vec<Bot>, conventions: &str, clock: bool) -> Filter {
    let names =
        ProfileNames::read(b"<meta name=RobotExclusion.RobotName5 content=BarBot>").unwrap();
    let filter = Filter::for_bots(bots)
        .unwrap()
        .conventions(Conventions::parse(conventions).unwrap());
    let filter = filter
        .names(move |url| url.ends_with("bots").then(|| names.clone()))
        .snapshots();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    if clock { filter.now(now) } else { filter }
}

/// A page with its headers and robots.txt, as input of a pass.
#[derive(Debug)]
struct Given {
    robots: Option<String>,
    headers: Vec<String>,
    html: Vec<u8>,
}

fn read(filter: &Filter, given: &Given, cuts: &[usize]) -> Result<Vec<Page>, String> {
    let mut pass = filter.open(URL).unwrap();
    if let Some(robots) = &given.robots {
        pass.robots_txt(&RobotsTxt::parse(robots.as_bytes()));
    }
    for header in &given.headers {
        pass.header("X-Robots-Tag", header);
    }
    let mut rest = given.html.as_slice();
    for cut in cuts.iter().cycle() {
        let (piece, after) = rest.split_at((*cut).min(rest.len()));
        pass.write(piece).map_err(|error| error.to_string())?;
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    pass.end_each().map_err(|error| error.to_string())
}

/// Returns a directive as text for comparison, without the bots that it addresses.
fn directive_text(directive: &Directive) -> String {
    format!(
        "{:?} {:?} {} {:?} {:?}",
        directive.says(),
        directive.extent(),
        directive.convention(),
        directive.place(),
        directive.text()
    )
}

fn link(link: &Link) -> String {
    format!(
        "{} {:?} {:?} {:?} {:?} follow {} credit {} show {} {:?} {:?} {:?}",
        link.url(),
        link.kind(),
        link.rel(),
        link.text(),
        link.phrases().collect::<Vec<_>>(),
        link.may_follow(),
        link.may_credit(),
        link.may_show(),
        link.why_not_follow().map(directive_text),
        link.why_not_credit().map(directive_text),
        link.place()
    )
}

fn policy(page: &Page) -> String {
    let policy = page.policy();
    let uses = Use::ALL.map(|usage| {
        (
            usage,
            policy.allows(usage),
            policy.why(usage).map(directive_text),
            page.allows_throughout(usage),
        )
    });
    format!(
        "{uses:?} {} {:?} {:?} {:?} {:?}",
        policy.may_fetch(),
        policy.max_snippet(),
        policy.max_image_preview(),
        policy.max_video_preview(),
        policy.unavailable_after()
    )
}

/// Returns all that a page contains as texts for comparison, one for each part of the page.
fn whole(page: &Page) -> Vec<String> {
    let exclusion = |e: heedful::Exclusion<'_>| {
        format!(
            "{:?} {:?} {}",
            e.usage(),
            e.range(),
            directive_text(e.directive())
        )
    };
    let note = |n: &heedful::Note| {
        format!(
            "{:?} {:?} {:?} {}",
            n.kind(),
            n.place(),
            n.convention(),
            n.message()
        )
    };
    let mut all = vec![
        page.bot().name().to_owned(),
        page.url().to_owned(),
        policy(page),
        format!("phrases {:?}", page.phrases()),
        format!("title {:?} {:?}", page.title(), page.shown_title()),
        format!("headings {:?}", page.headings()),
        format!("description {:?}", page.description()),
        format!("alternative {:?}", page.alternative()),
        format!("excerpt {:?} of {:?}", page.excerpt(), page.showable()),
        format!("snapshot {:?}", page.snapshot(&Dressing::default())),
    ];
    all.extend(page.links().iter().map(link));
    all.extend(page.exclusions().map(exclusion));
    all.extend(page.directives().map(directive_text));
    all.extend(page.notes().map(note));
    all.push(serde_json::to_string(&PageJson::page(page)).unwrap());
    all
}

/// Returns the differences between a pass with all bots and a pass for each bot alone. Each entry
/// is about one bot whose two pages differ. It contains the first part that differs, as it is in
/// each of the two pages.
fn differences(
    conventions: &str,
    clock: bool,
    given: &Given,
    cuts: &[usize],
) -> Vec<(String, String)> {
    let together = read(
        &filter((0..BOTS.len()).map(bot).collect(), conventions, clock),
        given,
        cuts,
    );
    let difference = |number: usize| {
        let alone = read(
            &filter(vec![bot(number)], conventions, clock),
            given,
            &[usize::MAX],
        );
        // A bot that may not enter never sees an error of the page in its own pass.
        if together.is_err()
            && alone
                .as_ref()
                .is_ok_and(|pages| !pages[0].policy().may_fetch())
        {
            return None;
        }
        let alone = alone.map_or_else(|error| vec![error], |pages| whole(&pages[0]));
        let together = together
            .as_ref()
            .map_or_else(|error| vec![error.clone()], |pages| whole(&pages[number]));
        let at =
            (0..alone.len().max(together.len())).find(|at| alone.get(*at) != together.get(*at))?;
        let part = |of: &[String]| of.get(at).cloned().unwrap_or_default();
        Some((
            format!("{} alone: {}", BOTS[number], part(&alone)),
            format!("together: {}", part(&together)),
        ))
    };
    (0..BOTS.len()).filter_map(difference).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_bots_in_one_pass_are_as_many_passes(
        html in html(),
        headers in prop::collection::vec(line(), 0..3),
        robots in prop::option::weighted(0.3, robots_txt()),
        cuts in prop::collection::vec(1_usize..40, 1..20),
        conventions in one_of(&["web", "web", "all", "seed"]),
        clock in any::<bool>(),
    ) {
        let given = Given { robots, headers, html: html.into_bytes() };
        let differences = differences(&conventions, clock, &given, &cuts);
        prop_assert!(differences.is_empty(), "{:#?}", differences[0]);
    }
}

/// Checks a page with an exclusion for one bot before a link, and one for another bot inside the
/// link.
#[test]
fn an_exclusion_in_a_link_parts_it_for_its_bot_alone() {
    let html = "<head><meta name=RobotExclusion.RobotName1 content=FooBot>\
         <meta name=RobotExclusion.RobotName2 content=BarBot><body>before <p class=robot1-noindex></p>\
         <a href=/x><b class=robot2-noindex>no</b>one<img alt=two></a>";
    let given = Given {
        robots: None,
        headers: Vec::new(),
        html: html.as_bytes().to_vec(),
    };
    let found = differences("web", false, &given, &[4093]);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn real_pages_are_the_same_for_many_bots() {
    let names = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(support::pages);
    let mut wrong = Vec::new();
    // Only some of the pages are read, since each is read seventeen times.
    for (number, page) in names.enumerate().step_by(5) {
        let statements: String = (0..BOTS.len())
            .step_by(3)
            .map(|at| statement(number + at))
            .collect();
        let html = [statements.as_bytes(), &page.html].concat();
        let headers = vec![format!(
            "{}: nofollow, noindex {}: noarchive",
            BOTS[number % 16],
            BOTS[(number + 7) % 16]
        )];
        let found = differences(
            "web",
            true,
            &Given {
                robots: None,
                headers,
                html,
            },
            &[4093],
        );
        wrong.extend(found.into_iter().map(|found| (page.id.clone(), found)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the statement number `number` of a page, which is for one bot.
fn statement(number: usize) -> String {
    let (name, word, class) = (
        BOTS[number % 16],
        WORDS[number % WORDS.len()],
        CLASSES[number % CLASSES.len()],
    );
    format!(
        "<meta name='{name}' content='{word}'><meta name=RobotExclusion.RobotName{number} content='{name}'>\
         <b class=robot{number}-{class}>For <a href=/{number}>{name}</a></b>"
    )
}
