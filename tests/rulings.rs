//! What a robots.txt answers: Google's reading of URLs and of long lines, rates and times, line ends.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use heedful::{Bot, Mode, RobotsTxt};

fn bot() -> Bot {
    Bot::new("FooBot").unwrap()
}

fn parse(records: &str) -> RobotsTxt {
    RobotsTxt::parse(format!("User-agent: *\n{records}").as_bytes())
}

/// A rule for the expected path alone denies the URL.
#[test]
fn google_takes_paths_as_they_stand() {
    for (url, expected) in [
        ("", "/"),
        ("https://shop.example", "/"),
        ("https://shop.example/", "/"),
        ("https://shop.example/bread", "/bread"),
        ("https://shop.example/bread/", "/bread/"),
        ("https://shop.example/a/b?to=https://c.example/", "/a/b?to=https://c.example/"),
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

/// Bytes outside of ASCII are encoded in patterns and not in URLs, hex digits are in upper case, and nothing is decoded.
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
        assert_eq!(robots.ruling(&bot(), path).allowed(), allowed, "{pattern} {path}");
    }
}

/// When Google cuts a line, its pattern becomes shorter, and so wider.
#[test]
fn google_ends_a_line_after_so_many_bytes() {
    const LINE: usize = 2083 * 8 - 1;
    let long = |letter: &str, key: &str| format!("/x/{}", letter.repeat(LINE - key.len() - "/x/".len()));
    let (denied, allowed) = (long("a", "Disallow: "), long("b", "Allow: "));
    let robots = parse(&format!("Disallow: {denied}/end\nDisallow: /x/b\nAllow: {allowed}/end"));
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
        assert_eq!(robots.ruling(&bot(), &url).allowed(), whole, "{}", path.len());
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
        assert_eq!(rates.first().map(ToString::to_string).as_deref(), expected, "{value}");
    }
    for (value, expected) in
        [("0600-0845", Some("0600-0845")), ("22:00-0600", Some("2200-0600")), ("2500-0600", None), ("600-845", None)]
    {
        let times = parse(&format!("Visit-time: {value}")).visit_times(&bot());
        assert_eq!(times.first().map(ToString::to_string).as_deref(), expected, "{value}");
    }
}

#[test]
fn every_line_end_counts_once() {
    let robots = RobotsTxt::parse(b"User-agent: *\r\nDisallow: /b\rDisallow: /c\n\nDisallow: /d");
    let lines = ["/b", "/c", "/d"].map(|path| robots.ruling(&bot(), path).line());
    assert_eq!(lines, [Some(2), Some(3), Some(5)]);
}
