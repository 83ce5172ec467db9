//! Reads archives. Tests which pages and robots.txt files are found in them, at any place, and
//! which records are lost by damage.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use heedful::{Bot, Filter};
use heedful_input::Inputs;
use heedful_run::{Gate, Outcome, Run};
use tempfile::TempDir;

use crate::support;

fn record(url: &str, head: &str, body: &str) -> Vec<u8> {
    let response = format!("HTTP/1.1 {head}\r\n\r\n{body}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{response}\r\n\r\n",
        response.len()
    )
    .into_bytes()
}

fn page(name: &str) -> Vec<u8> {
    record(
        &format!("https://site.example/{name}"),
        "200 OK\r\nContent-Type: text/html",
        &format!("<p>page {name}"),
    )
}

fn robots(rules: &str) -> Vec<u8> {
    record(
        "https://site.example/robots.txt",
        "200 OK\r\nContent-Type: text/plain",
        rules,
    )
}

fn member(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

struct Met {
    /// Phrases of those pages of the archive that may be fetched.
    pages: Vec<String>,
    gated: usize,
    skipped: usize,
    damage: Vec<String>,
    /// URL of each damaged record of the archive, if known.
    lost: Vec<Option<String>>,
}

fn read(bytes: &[u8]) -> Met {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("archive");
    std::fs::write(&path, bytes).unwrap();
    read_files(&[path])
}

fn read_files(paths: &[PathBuf]) -> Met {
    let inputs = Inputs::default().open(paths).unwrap();
    let gate = Gate::from_inputs(&inputs).unwrap();
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let mut met = Met {
        pages: Vec::new(),
        gated: 0,
        skipped: 0,
        damage: Vec::new(),
        lost: Vec::new(),
    };
    Run::new(&inputs, &gate, 2)
        .filter(&filter, |outcome, _| {
            match outcome {
                Outcome::Pages(filtered) if filtered.pages[0].policy().may_fetch() => {
                    met.pages.push(filtered.pages[0].phrases().join(" | "));
                }
                Outcome::Pages(_) => met.gated += 1,
                Outcome::Unchanged(_) | Outcome::Skipped(_) => met.skipped += 1,
                Outcome::Damage(damage) => {
                    met.damage.push(damage.to_string());
                    met.lost.push(damage.url().map(str::to_owned));
                }
                other => panic!("{other:?}"),
            }
            Ok(())
        })
        .unwrap();
    met
}

#[test]
fn pages_come_in_order_plain_and_packed() {
    let records: Vec<_> = (0..50).map(|n| page(&format!("n{n}"))).collect();
    let expected: Vec<_> = (0..50).map(|n| format!("page n{n}")).collect();
    assert_eq!(read(&records.concat()).pages, expected);
    assert_eq!(
        read(&records.iter().flat_map(|r| member(r)).collect::<Vec<_>>()).pages,
        expected
    );
    assert_eq!(
        read(&member(&records.concat())).pages,
        expected,
        "one member for all"
    );
}

#[test]
fn robots_txt_gates_its_host_wherever_it_stands() {
    let met = read(
        &[
            page("open"),
            page("shut/x"),
            robots("User-agent: *\nDisallow: /shut/"),
        ]
        .concat(),
    );
    assert_eq!((met.pages, met.gated), (vec!["page open".to_owned()], 1));
    let gone = record(
        "https://site.example/robots.txt",
        "404 Not Found",
        "User-agent: *\nDisallow: /",
    );
    assert_eq!(read(&[gone, page("a")].concat()).gated, 0);
    let down = record("https://site.example/robots.txt", "503 Busy", "");
    assert_eq!(read(&[down, page("a")].concat()).gated, 1);
    let moved = record(
        "https://site.example/robots.txt",
        "301 Moved\r\nLocation: https://www.site.example/robots.txt",
        "",
    );
    let there = record(
        "https://www.site.example/robots.txt",
        "200 OK",
        "User-agent: *\nDisallow: /",
    );
    assert_eq!(read(&[page("a"), moved, there].concat()).gated, 1);
}

#[test]
fn a_robots_txt_that_cannot_be_read_may_forbid_anything() {
    let shut = "User-agent: *\nDisallow: /";
    let own = |head: &str, body: &str| record("https://site.example/robots.txt", head, body);
    for (what, robots) in [
        (
            "a status line of its own",
            own("200", shut).replace_bytes("HTTP/1.1", "HTTP/two"),
        ),
        (
            "an unknown coding",
            own("200 OK\r\nContent-Encoding: zstd", "\u{1}\u{2}\u{3}"),
        ),
        (
            "a redirect to nowhere",
            own("301 Moved\r\nLocation: /en/robots.txt", ""),
        ),
        (
            "a wrong length",
            own("200 OK", shut).replace_bytes("Content-Length: ", "Content-Length: 9"),
        ),
    ] {
        assert_eq!(read(&[robots, page("a")].concat()).gated, 1, "{what}");
    }
    let twice = [own("200 OK", shut), own("404 Gone", ""), page("a")].concat();
    assert_eq!(read(&twice).gated, 1, "a later answer opens nothing");
    let resource = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: https://site.example/robots.txt\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n{shut}\r\n\r\n",
        shut.len()
    );
    assert_eq!(
        read(&[resource.into_bytes(), page("a")].concat()).gated,
        1,
        "a resource record"
    );
    let with_user = record(
        "https://user@site.example/a",
        "200 OK\r\nContent-Type: text/html",
        "<p>x",
    );
    assert_eq!(read(&[robots(shut), with_user].concat()).gated, 1);
}

/// The head of a robots.txt record is cut off after the line with its URL. The site is known, but
/// its rules are not. So all pages of the site are excluded.
#[test]
fn a_robots_txt_that_is_cut_in_its_head_lets_nobody_in() {
    const URL: &str = "https://site.example/robots.txt";
    let rules = robots("User-agent: *\nDisallow: /shut/");
    let head = rules
        .windows(4)
        .position(|bytes| bytes == b"\r\n\r\n")
        .unwrap();
    let line = rules
        .windows(URL.len())
        .position(|bytes| bytes == URL.as_bytes())
        .unwrap()
        + URL.len();
    for end in line..head + 4 {
        let archive = [page("a"), rules[..end].to_vec()].concat();
        let met = read(&archive);
        assert_eq!(
            (met.pages.len(), met.gated, met.damage.len()),
            (0, 1, 1),
            "{end}: {:?}",
            met.damage
        );
        assert_eq!(met.lost, [Some(URL.to_owned())], "{end}");
    }
    // A part of the line may be of any URL.
    let met = read(&[page("a"), rules[..line - 4].to_vec()].concat());
    assert_eq!((met.pages.len(), met.lost), (1, vec![None]));
    // A member breaks off, and the head with it. How much of it can be unpacked is the packer's
    // affair, if not stored.
    let mut stored = GzEncoder::new(Vec::new(), Compression::none());
    stored.write_all(&rules).unwrap();
    let stored = stored.finish().unwrap();
    let from = stored
        .windows(URL.len())
        .position(|bytes| bytes == URL.as_bytes())
        .unwrap()
        + URL.len()
        + 2;
    for end in from..from + head - line {
        for behind in [Vec::new(), member(&page("b"))] {
            let met = read(&[member(&page("a")), stored[..end].to_vec(), behind].concat());
            assert_eq!(
                (met.pages.len(), met.lost[0].as_deref()),
                (0, Some(URL)),
                "{end}: {:?}",
                met.damage
            );
        }
    }
}

/// The head of a robots.txt record exceeds a limit and is not read to its end. So all pages of the
/// site are excluded.
#[test]
fn a_robots_txt_with_too_long_a_head_lets_nobody_in() {
    let long = format!("\r\nX-Long: {}\r\nContent-Type", "x".repeat(2 << 20));
    let rules = robots("User-agent: *\nAllow: /").replace_bytes("\r\nContent-Type", &long);
    let met = read(&[rules, page("a")].concat());
    assert_eq!(
        (met.pages.len(), met.gated, met.lost.len()),
        (0, 1, 1),
        "{:?}",
        met.damage
    );
}

#[test]
fn the_robots_txt_of_an_arc_that_is_cut_in_its_head_lets_nobody_in() {
    let record = |url: &str, content: &str| {
        format!(
            "{url} 10.0.0.1 20080430204825 text/html {}\n{content}\n",
            content.len()
        )
        .into_bytes()
    };
    let start = record(
        "filedesc://test.arc",
        "1 0 test\nURL IP-address Archive-date Content-type Archive-length\n\n",
    );
    let page = record(
        "http://a.example/a",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a",
    );
    let url = "http://a.example/robots.txt";
    let rules = record(url, "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nAllow: /");
    let head = rules.iter().position(|b| *b == b'\n').unwrap();
    for end in url.len()..=head {
        for packed in [member as fn(&[u8]) -> Vec<u8>, <[u8]>::to_vec] {
            let archive = [packed(&start), packed(&page), packed(&rules[..end])].concat();
            let met = read(&archive);
            assert_eq!(
                (met.pages.len(), met.gated, met.damage.len()),
                (0, 1, 1),
                "{end}: {:?}",
                met.damage
            );
        }
    }
}

/// An ARC header whose length cannot be read costs its own record, which is named, and no neighbour.
#[test]
fn an_arc_record_with_a_broken_length_costs_itself() {
    let record = |url: &str, body: &str, length: Option<&str>| {
        let content = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
        let whole = content.len().to_string();
        let length = length.unwrap_or(&whole);
        format!("{url} 10.0.0.1 20080430204825 text/html {length}\n{content}\n").into_bytes()
    };
    let start = b"filedesc://x.arc 0.0.0.0 20240101000000 text/plain 11\n1 0 Archive\n".to_vec();
    let good = |name: &str| record(&format!("http://a.example/{name}"), name, None);
    let packings = [member as fn(&[u8]) -> Vec<u8>, <[u8]>::to_vec];
    for length in ["abc", "-1", "1e5", "99999999999999999999", "0x1F", "0"] {
        let bad = record("http://a.example/bad", "bad", Some(length));
        for packed in packings {
            let records = [&start, &good("a"), &good("b"), &bad, &good("c")];
            let met = read(&records.map(|record| packed(record)).concat());
            assert_eq!(met.pages, ["a", "b", "c"], "{length}: {:?}", met.damage);
            assert_eq!(met.damage.len(), 1, "{length}: {:?}", met.damage);
            assert_eq!(met.lost, [Some("http://a.example/bad".to_owned())]);
        }
        // A robots.txt that is lost so lets nobody in.
        let rules = record("http://a.example/robots.txt", "User-agent: *", Some(length));
        let met = read(&[&start[..], &good("a"), &rules, &good("b")].concat());
        assert_eq!(
            (met.pages.len(), met.gated),
            (0, 2),
            "{length}: {:?}",
            met.damage
        );
    }
}

#[test]
fn a_control_character_hides_no_header() {
    let head = "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex\u{1}";
    assert_eq!(
        read(&record("https://site.example/a", head, "<p>secret")).pages,
        [""]
    );
}

/// Reads archives that once took minutes each, because damaged parts were read repeatedly.
#[test]
fn hostile_archives_end_soon() {
    read(&member(&b"WARC/1.0\r\n\r\n".repeat(20_000)));
    read(&b"WARC/1.0\r\nContent-Length: 9999999999\r\n\r\n".repeat(20_000));
    read(&[member(&page("a")), [0x1F, 0x8B, 0x08].repeat(30_000)].concat());
    let lying = b"WARC/1.0\r\nContent-Length: 60\r\n\r\n".repeat(5_000);
    read(&member(&lying));
}

#[test]
fn what_is_no_page_is_passed_over() {
    let met = read(
        &[
            record(
                "https://site.example/pic",
                "200 OK\r\nContent-Type: image/png",
                "<p>no",
            ),
            record(
                "https://site.example/gone",
                "404 Not Found\r\nContent-Type: text/html",
                "<p>no",
            ),
            record(
                "https://site.example/bare",
                "200 OK",
                "<!doctype html><p>bare",
            ),
            record(
                "dns:site.example",
                "200 OK\r\nContent-Type: text/html",
                "<p>no",
            ),
        ]
        .concat(),
    );
    assert_eq!((met.pages, met.skipped), (vec!["bare".to_owned()], 2));
}

#[test]
fn damage_costs_its_own_record() {
    let (a, b, c) = (page("a"), page("b"), page("c"));
    let expected = vec!["page a".to_owned(), "page c".to_owned()];
    let wrong_length = |by: i64| {
        let text = String::from_utf8(b.clone()).unwrap();
        let length: i64 = text
            .lines()
            .find_map(|l| l.strip_prefix("Content-Length: "))
            .unwrap()
            .parse()
            .unwrap();
        text.replace(
            &format!("Content-Length: {length}"),
            &format!("Content-Length: {}", length + by),
        )
        .into_bytes()
    };
    let cut_gz = |bytes: &[u8]| bytes[..bytes.len() - 12].to_vec();
    let mut flipped = member(&b);
    flipped[30] ^= 0x55;
    for (what, bytes) in [
        (
            "too short a length",
            [a.clone(), wrong_length(-5), c.clone()].concat(),
        ),
        (
            "too long a length",
            [a.clone(), wrong_length(40), c.clone()].concat(),
        ),
        (
            "far too long a length",
            [a.clone(), wrong_length(1 << 40), c.clone()].concat(),
        ),
        (
            "no length",
            [
                a.clone(),
                b.replace_bytes("Content-Length", "Content-Width"),
                c.clone(),
            ]
            .concat(),
        ),
        (
            "junk behind",
            [
                a.clone(),
                b.clone(),
                b"junk junk\r\n\r\n".to_vec(),
                c.clone(),
            ]
            .concat(),
        ),
        (
            "no HTTP",
            [
                a.clone(),
                b.replace_bytes("HTTP/1.1", "GOPHER/1"),
                c.clone(),
            ]
            .concat(),
        ),
        (
            "a cut member",
            [member(&a), cut_gz(&member(&b)), member(&c)].concat(),
        ),
        ("a flipped byte", [member(&a), flipped, member(&c)].concat()),
        (
            "junk between members",
            [member(&a), b"junk".to_vec(), member(&c)].concat(),
        ),
        (
            "a length that lies in a member",
            [member(&a), member(&wrong_length(1000)), member(&c)].concat(),
        ),
        (
            "a length that lies, one member",
            member(&[a.clone(), wrong_length(40), c.clone()].concat()),
        ),
    ] {
        let met = read(&bytes);
        assert_eq!(met.pages, expected, "{what}: {:?}", met.damage);
        assert!(!met.damage.is_empty(), "{what} is not reported");
    }
    let met = read(&[a.clone(), b[..b.len() - 10].to_vec()].concat());
    assert_eq!(
        (met.pages.len(), met.damage.len()),
        (1, 1),
        "cut at the end"
    );
    let offset = format!("at byte {}", a.len());
    assert!(
        met.damage[0].contains(&offset),
        "{:?} names {offset}",
        met.damage
    );
}

/// A record of an archive declares a length that is too short, so it seems to end inside its
/// content. The rest of the content must be reported as damage.
#[test]
fn a_length_that_is_too_short_is_seen() {
    let shorter = |record: &[u8], by: usize| {
        let text = String::from_utf8(record.to_vec()).unwrap();
        let length: usize = text
            .lines()
            .find_map(|l| l.strip_prefix("Content-Length: "))
            .unwrap()
            .parse()
            .unwrap();
        text.replace(
            &format!("Content-Length: {length}"),
            &format!("Content-Length: {}", length - by),
        )
        .into_bytes()
    };
    let robots = shorter(&robots("User-agent: *\nDisallow: /"), "\nDisallow: /".len());
    let met = read(&[robots, page("a")].concat());
    assert_eq!((met.gated, met.damage.len()), (1, 1), "{:?}", met.damage);
    for end in ["\n", "\r\n\r\n"] {
        let rest = format!("{end}<meta name=robots content=noindex>");
        let html = format!("<p>secret{rest}");
        let b = record(
            "https://site.example/b",
            "200 OK\r\nContent-Type: text/html",
            &html,
        );
        let met = read(&[shorter(&b, rest.len()), page("a")].concat());
        assert_eq!(
            (met.pages, met.damage.len()),
            (vec!["page a".to_owned()], 1),
            "{:?}",
            met.damage
        );
    }
}

#[test]
fn a_robots_txt_that_is_cut_short_shuts_its_site() {
    let open = "User-agent: *\nAllow: /\n";
    let with = |head: &str, body: &str| {
        record(
            "https://site.example/robots.txt",
            &format!("200 OK\r\n{head}"),
            body,
        )
    };
    let whole = with("Content-Length: 23", open);
    assert_eq!(read(&[whole.clone(), page("a")].concat()).gated, 0);
    for (what, robots) in [
        (
            "a body shorter than its length",
            with("Content-Length: 5000", open),
        ),
        (
            "WARC-Truncated",
            whole.replace_bytes("WARC-Type", "WARC-Truncated: length\r\nWARC-Type"),
        ),
        (
            "a segment",
            whole.replace_bytes("WARC-Type", "WARC-Segment-Number: 1\r\nWARC-Type"),
        ),
        (
            "a chunk that breaks off",
            with(
                "Transfer-Encoding: chunked",
                "e\r\nUser-agent: *\n\r\nc\r\nDisa",
            ),
        ),
        (
            "no chunk behind one",
            with(
                "Transfer-Encoding: chunked",
                "e\r\nUser-agent: *\n\r\nzz\r\nDisallow: /\n\r\n0\r\n\r\n",
            ),
        ),
        ("a part", whole.replace_bytes("200 OK", "206 OK")),
        (
            "bytes that are no text",
            with("A: b", "\u{1F}\u{8B}\u{8}\0\0\0"),
        ),
        (
            "a record of no type",
            whole.replace_bytes("WARC-Type: response\r\n", ""),
        ),
        (
            "a record of no known type",
            whole.replace_bytes("WARC-Type: response", "WARC-Type: answer"),
        ),
        (
            "a revisit",
            whole.replace_bytes("WARC-Type: response", "WARC-Type: revisit"),
        ),
        (
            "a resource that is cut",
            whole.replace_bytes(
                "WARC-Type: response",
                "WARC-Type: resource\r\nWARC-Truncated: time",
            ),
        ),
    ] {
        assert_eq!(read(&[robots, page("a")].concat()).gated, 1, "{what}");
    }
    let revisit = whole.replace_bytes("WARC-Type: response", "WARC-Type: revisit");
    assert_eq!(
        read(&[revisit, whole, page("a")].concat()).gated,
        0,
        "it was had before"
    );
    let other = record("https://site.example/robots.txt?x=1", "404 Not Found", "");
    let shut = record("https://site.example/robots.txt?x=1", "503 Busy", "");
    assert_eq!(
        (read(&[other, shut, page("a")].concat()).gated),
        0,
        "another file"
    );
}

#[test]
fn a_head_whose_wish_cannot_be_read_is_damage() {
    for lines in [
        "\"X-Robots-Tag\": noindex",
        "X Robots-Tag: noindex",
        "A: b\r\n X-Robots-Tag: noindex",
    ] {
        let head = format!("200 OK\r\nContent-Type: text/html\r\n{lines}");
        let met = read(&record("https://site.example/a", &head, "<p>secret"));
        assert_eq!((met.pages.len(), met.damage.len()), (0, 1), "{lines:?}");
    }
    let head = "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: no\0index";
    assert_eq!(
        read(&record("https://site.example/a", head, "<p>secret")).pages,
        [""]
    );
    let second = page("a").replace_bytes("HTTP/1.1", "HTTP/222");
    assert_eq!(read(&second).pages, ["page a"]);
}

#[test]
fn records_of_other_types_are_told() {
    let met = read(
        &[
            page("a").replace_bytes("WARC-Type: response\r\n", ""),
            page("b"),
        ]
        .concat(),
    );
    assert_eq!(
        (met.pages, met.damage.len()),
        (vec!["page b".to_owned()], 1)
    );
    let text = page("a")
        .replace_bytes("response\r\nWARC", "resource\r\nWARC")
        .replace_bytes("application/http", "text/plain");
    let met = read(&[text, page("b")].concat());
    assert_eq!(
        (met.pages, met.skipped),
        (vec!["page b".to_owned()], 1),
        "a resource that is no HTML"
    );
}

#[test]
fn an_arc_head_begins_with_a_scheme_on_a_line_of_its_own() {
    let record = |url: &str, body: &str, more: usize| {
        let content = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
        format!(
            "{url} 1.2.3.4 20240101000000 text/html {}\n{content}\n",
            content.len() + more
        )
    };
    let first = "filedesc://x.arc 0.0.0.0 20240101000000 text/plain 11\n1 0 Archive\n";
    let robots = record(
        "https://site.example/robots.txt",
        "User-agent: *\nDisallow: /\n",
        0,
    );
    let page = record("https://site.example/p", "<p>secret", 0);
    for more in 0..20 {
        let before = record("https://other.example/a", "<p>before", more);
        let met = read([first, &before, &robots, &page].concat().as_bytes());
        assert_eq!(
            (met.gated, met.damage.len()),
            (1, usize::from(more > 1)),
            "{more}: {:?}",
            met.damage
        );
    }
    let glued = record(
        "https://other.example/a",
        "<p>before\nhttps://x.example/?",
        0,
    );
    let cut = glued.replace(
        "<p>before\nhttps://x.example/?\n",
        "<p>before\nhttps://x.example/?",
    );
    let met = read([first, &cut, &page].concat().as_bytes());
    assert_eq!(met.damage.len(), 1, "{:?}", met.damage);
}

#[test]
fn nothing_is_given_up_while_there_is_a_way_on() {
    for junk in [30, 1500] {
        let met = read(
            &[
                member(&page("a")),
                [0x1F, 0x8B, 0x08].repeat(junk),
                member(&page("b")),
            ]
            .concat(),
        );
        assert_eq!(
            met.pages,
            ["page a", "page b"],
            "{junk}: {:?}",
            met.damage.last()
        );
    }
    let lying = "WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 400000\r\n\r\n".repeat(10_000);
    let met = read(&[lying.as_bytes(), &page("a")].concat());
    let at = met
        .damage
        .iter()
        .filter(|told| told.contains("at byte"))
        .count();
    assert!(
        at == 10_000 && at == met.damage.len() && met.pages == ["page a"],
        "{:?}",
        met.damage.last()
    );
}

trait Replace {
    fn replace_bytes(&self, from: &str, to: &str) -> Vec<u8>;
}

impl Replace for Vec<u8> {
    fn replace_bytes(&self, from: &str, to: &str) -> Vec<u8> {
        String::from_utf8(self.clone())
            .unwrap()
            .replace(from, to)
            .into_bytes()
    }
}

/// Reads real archives. Compares the numbers of pages and of damaged records with the expected
/// numbers.
#[test]
fn real_archives_are_read_or_their_damage_is_told() {
    let Some(folder) = support::data().map(|folder| folder.join("warc")) else {
        return;
    };
    for (name, pages, damage) in [
        ("http-return-codes.warc.gz", 3, 1),
        ("iah-2008-blackbook.warc.gz", 94, 0),
        ("iah-urls-wget.warc.gz", 2, 0),
        ("ipwb-froggie.warc.gz", 1, 0),
        ("main-entry-403.warc.gz", 1, 0),
        ("multiple-headers.warc", 1, 0),
        ("pywb-dupes-revisit.warc.gz", 1, 0),
        ("qsl-encoding-alias.warc.gz", 1, 0),
        ("resiliparse-clipped.warc.gz", 0, 1),
        ("resiliparse-commoncrawl.warc.gz", 16, 0),
        ("stormcrawler-test.warc.gz", 2, 0),
        ("transfer-brotli.warc.gz", 1, 0),
        ("transfer-gzip.warc.gz", 1, 0),
        // One of its records was edited, and no longer matches its digest.
        ("warcio-bad-non-chunked.warc.gz", 1, 1),
        ("warcio-example.warc.gz", 1, 0),
        ("warcio-iana-chunked.warc", 1, 0),
        ("warcio-trunc.warc", 0, 1),
    ] {
        let met = read_files(&[Path::new(&folder).join(name)]);
        assert_eq!(
            (met.pages.len() + met.gated, met.damage.len()),
            (pages, damage),
            "{name}: {:?}",
            met.damage
        );
    }
}
