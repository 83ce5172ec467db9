//! Checks the rulings of a robots.txt, its rates and times, and its line ends. Also checks Google's
//! handling of URLs and of long lines. A ruling stays the same, however often it is requested.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::borrow::Cow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use heedful::{Bot, Mode, RobotsNoteKind, RobotsTxt, Ruling};
use proptest::prelude::*;

fn bot() -> Bot {
    Bot::new("FooBot").unwrap()
}

fn parse(records: &str) -> RobotsTxt {
    RobotsTxt::parse(format!("User-agent: *\n{records}").as_bytes())
}

/// Checks that in Google's mode only a rule for the expected path denies the URL.
#[test]
fn google_takes_paths_as_they_stand() {
    for (url, expected) in [
        ("", "/"),
        ("https://shop.example", "/"),
        ("https://shop.example/", "/"),
        ("https://shop.example/bread", "/bread"),
        ("https://shop.example/bread/", "/bread/"),
        (
            "https://shop.example/a/b?to=https://c.example/",
            "/a/b?to=https://c.example/",
        ),
        ("https://shop.example/a?b=c&d#e", "/a?b=c&d"),
        ("shop.example", "/"),
        ("shop.example/", "/"),
        ("shop.example/bread", "/bread"),
        ("shop.example/bread/", "/bread/"),
        ("shop.example/a?b=c&d#e", "/a?b=c&d"),
        ("shop", "/"),
        ("shop/", "/"),
        ("/shop", "/shop"),
        ("shop/bread", "/bread"),
        ("shop.example?a", "/?a"),
        ("shop.example/a;b#c", "/a;b"),
        ("//shop/a/b", "/a/b"),
        ("shop.example#a/b", "/"),
        ("?to=https://c.example", "/?to=https://c.example"),
    ] {
        let robots = parse(&format!("Disallow: {expected}$")).mode(Mode::Google);
        assert!(!robots.ruling(&bot(), url).allowed(), "{url}");
    }
}

/// Checks Google's mode: bytes outside of ASCII are encoded in patterns and not in URLs, hex digits
/// are in upper case, and nothing is decoded.
#[test]
fn google_encodes_patterns_and_never_decodes_them() {
    for (pattern, path, allowed) in [
        ("/é", "/%C3%A9", false),
        ("/é", "/é", true),
        ("/%be%2", "/%BE%2", false),
        ("/%7Ea", "/%7Ea", false),
        ("/%7Ea", "/~a", true),
        ("https://shop.example/a", "/a", true),
    ] {
        let robots = parse(&format!("Disallow: {pattern}")).mode(Mode::Google);
        assert_eq!(
            robots.ruling(&bot(), path).allowed(),
            allowed,
            "{pattern} {path}"
        );
    }
}

/// Checks long lines in Google's mode. When Google cuts a line, its pattern becomes shorter, and
/// matches more.
#[test]
fn google_ends_a_line_after_so_many_bytes() {
    const LINE: usize = 2083 * 8 - 1;
    let long =
        |letter: &str, key: &str| format!("/x/{}", letter.repeat(LINE - key.len() - "/x/".len()));
    let (denied, allowed) = (long("a", "Disallow: "), long("b", "Allow: "));
    let robots = parse(&format!(
        "Disallow: {denied}/end\nDisallow: /x/b\nAllow: {allowed}/end"
    ));
    let google = robots.clone().mode(Mode::Google);
    for (path, cut, whole) in [
        (denied.clone(), false, true),
        (format!("{denied}/other"), false, true),
        (format!("{allowed}/other"), true, false),
        (format!("{allowed}/end"), true, true),
        (allowed[1..].to_owned(), true, true),
        ("/x/b".to_owned(), false, false),
    ] {
        let url = format!("https://shop.example{path}");
        assert_eq!(google.ruling(&bot(), &url).allowed(), cut, "{}", path.len());
        assert_eq!(
            robots.ruling(&bot(), &url).allowed(),
            whole,
            "{}",
            path.len()
        );
    }
}

#[test]
fn rates_and_times_are_read() {
    for (value, expected) in [
        ("1/5", Some("1/5")),
        ("1/5m", Some("1/300")),
        ("10/1H", Some("10/3600")),
        ("1/10m 1300-1659", Some("1/600 1300-1659")),
        ("0/5", None),
        ("1/0", None),
        ("1/5d", None),
        ("1/5 noon", None),
        ("5", None),
    ] {
        let rates = parse(&format!("Request-rate: {value}")).request_rates(&bot());
        assert_eq!(
            rates.first().map(ToString::to_string).as_deref(),
            expected,
            "{value}"
        );
    }
    for (value, expected) in [
        ("0600-0845", Some("0600-0845")),
        ("22:00-0600", Some("2200-0600")),
        ("2500-0600", None),
        ("600-845", None),
    ] {
        let times = parse(&format!("Visit-time: {value}")).visit_times(&bot());
        assert_eq!(
            times.first().map(ToString::to_string).as_deref(),
            expected,
            "{value}"
        );
    }
}

#[test]
fn every_line_end_counts_once() {
    let robots = RobotsTxt::parse(b"User-agent: *\r\nDisallow: /b\rDisallow: /c\n\nDisallow: /d");
    let lines = ["/b", "/c", "/d"].map(|path| robots.ruling(&bot(), path).line());
    assert_eq!(lines, [Some(2), Some(3), Some(5)]);
}

const REPEATED: [&str; 24] = [
    "User-agent: *",
    "User-agent: *\u{B}r",
    "User-agent: * , r*",
    "seragent *\tr",
    "Disallow: /w%28 /",
    "User-agent: FooBot/2",
    "User-agent: foobot",
    "User-agent: Foo*",
    "Useragent: BarBot",
    "User-agent: Foo Bot",
    "Disallow: /",
    "Disallow:",
    "Disallow: /a",
    "Disallow: /a%2Fb",
    "Disallow: /a/*b$",
    "Disallow: /a%3Fb",
    "Disallow: /*%2c",
    "Allow: /a",
    "Allow: /a/b",
    "Allow: /a,",
    "Allow: /*?b%2F",
    "Allow: http://x/",
    "",
    "Crawl-delay: 5",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    /// Checks that repeated rulings are equal. A scan of the rules makes the first rulings, and the
    /// sorted rules make later ones.
    #[test]
    fn an_answer_stays_the_same(lines in prop::collection::vec(prop::sample::select(&REPEATED[..]), 0..12)) {
        let text = lines.join("\n");
        let told = |ruling: &Ruling<'_>| (ruling.allowed(), ruling.line(), ruling.reason(), ruling.rule().map(Cow::into_owned), ruling.group());
        for bot in ["FooBot", "BarBot/1", "foo bot", "Other"].map(|bot| Bot::new(bot).unwrap()) {
            for path in ["/a", "/a/b", "/a%2Fb", "/a,", "/a?b/", "/a%2C%3Fb", "/x"] {
                let robots = RobotsTxt::parse(text.as_bytes());
                let first = told(&robots.ruling(&bot, path));
                for _ in 0..20 {
                    prop_assert_eq!(&told(&robots.ruling(&bot, path)), &first);
                }
                let matching = robots.matching(&bot, path);
                prop_assert_eq!(matching.first().map(|first| first.line()), first.1.map(Some));
            }
        }
    }
}

#[test]
fn a_line_over_the_limit_is_not_read_in_part() {
    let mut file = b"User-agent: *\nDisallow: /".to_vec();
    file.resize(200, b'a');
    let robots = RobotsTxt::parse_within(&file, 100);
    let is_noted = robots
        .notes()
        .iter()
        .any(|note| note.kind() == RobotsNoteKind::TooLong);
    assert!(robots.rules(&bot()).is_empty() && is_noted);
}

fn at(hour: u64, minute: u64, second: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(86_400 * 20_000 + hour * 3600 + minute * 60 + second)
}

#[test]
fn the_pause_is_that_of_the_moment_answered() {
    let bot = bot();
    let two = "Request-rate: 20/10m 0000-1259\nRequest-rate: 1/10m 1300-1659";
    let visits = "Request-rate: 1/5\nVisit-time: 0600-0845";
    let both = format!("{visits}\nCrawl-delay: 3600");
    for (records, now, before, next, pause) in [
        (two, at(12, 59, 50), at(12, 59, 50), at(13, 9, 50), 600),
        (two, at(12, 59, 10), at(12, 59, 10), at(12, 59, 40), 30),
        // The slow rate ends before its pause.
        (two, at(16, 59, 0), at(16, 58, 0), at(17, 0, 0), 0),
        (visits, at(8, 45, 57), at(8, 45, 57), at(30, 0, 0), 5),
        (visits, at(8, 45, 50), at(8, 45, 50), at(8, 45, 55), 5),
        (visits, at(20, 0, 0), at(0, 0, 0), at(30, 0, 0), 5),
        (&both, at(8, 0, 0), at(7, 30, 0), at(8, 30, 0), 3600),
        (
            "Crawl-delay: 9999999999",
            at(0, 0, 0),
            at(0, 0, 0),
            at(0, 0, 9_999_999_999),
            9_999_999_999,
        ),
        // A part of the day may extend over midnight, and includes its last minute.
        (
            "Visit-time: 22:00-0600",
            at(21, 0, 0),
            at(0, 0, 0),
            at(22, 0, 0),
            0,
        ),
        (
            "Visit-time: 22:00-0600",
            at(6, 0, 59),
            at(0, 0, 0),
            at(6, 0, 59),
            0,
        ),
        (
            "Visit-time: 22:00-0600",
            at(6, 1, 0),
            at(0, 0, 0),
            at(22, 0, 0),
            0,
        ),
        ("", at(0, 0, 0), at(0, 0, 0), at(0, 0, 0), 0),
    ] {
        let robots = RobotsTxt::parse(format!("User-agent: *\n{records}").as_bytes());
        let found = robots.next_fetch(&bot, now, Some(before));
        assert_eq!(
            (found, robots.pause(&bot, found)),
            (next, Duration::from_secs(pause)),
            "{records}"
        );
    }
    let robots =
        RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 99999999999999\nVisit-time: 0100-0200");
    assert!(robots.next_fetch(&bot, at(0, 0, 0), Some(at(0, 0, 0))) > at(1_000_000, 0, 0));
}
