//! Unusual records: pages that are cut short, pages with joined or broken content types, compressed
//! pages without a `Content-Encoding`, and pages after interim responses.

use base64::Engine;

use crate::command::{path, run};
use crate::support::folder;
use crate::support::made::{Chance, arc, arc_start, gz, http, warc};

const URL: &str = "https://site.example/a";
const HTML: &[u8] = b"<!doctype html><title>Rye</title><p>amber";

/// Returns a WARC record of a page whose end is missing. The header `WARC-Truncated` marks it as
/// cut.
fn cut(html: &str) -> Vec<u8> {
    let content = http("200 OK\r\nContent-Type: text/html", html.as_bytes());
    warc("response", URL, "WARC-Truncated: length\r\n", &content)
}

/// Runs `heedful text`. Returns the text of the input's pages, and the messages of the program.
fn text(input: impl AsRef<[u8]>, options: &[&str]) -> (String, String) {
    let (_, out, told) = run(&[&["text"], options].concat(), input);
    (out, told)
}

fn has_page(input: impl AsRef<[u8]>) -> bool {
    text(input, &[]).0.contains("amber")
}

/// Returns a line of JSON Lines with these headers and the bytes `body` as Base64.
fn line(headers: &[(&str, &str)], body: &[u8]) -> String {
    let body = base64::prelude::BASE64_STANDARD.encode(body);
    serde_json::json!({"url": URL, "headers": headers, "html_b64": body}).to_string()
}

#[test]
fn a_page_that_is_cut_in_its_body_is_indexed() {
    let long = format!(
        "<title>Rye</title><meta name=robots content=index><p>amber {}",
        "word ".repeat(1000)
    );
    let name = "a.warc";
    let files = folder(&[(name, &cut(&long))]);
    let found = |options: &[&str]| {
        let made = folder(&[]);
        let (archive, index) = (path(&files, name), path(&made, "ix"));
        let (status, _, told) = run(&[&["index", &archive, "-o", &index], options].concat(), "");
        assert_eq!(status, 0, "{told}");
        let hits = run(&["search", &index, "amber"], "").0 == 0;
        (hits, told)
    };
    let (is_there, told) = found(&[]);
    assert!(
        is_there && told.contains("1 page was truncated when fetched"),
        "{told}"
    );
    let (is_there, told) = found(&["--conventions", "web,+cut-short"]);
    assert!(!is_there && told.contains("0 indexed"), "{told}");
}

/// If a compressed page is marked as cut, the part that can be unpacked is indexed. Without the
/// mark the page is damaged.
#[test]
fn a_packed_page_that_is_cut_is_indexed() {
    let words = Chance(7).words(4000);
    let html = format!("<title>Rye</title><p>amber {words}");
    let zlib = {
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, html.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let mut br = Vec::new();
    std::io::Write::write_all(
        &mut brotli::CompressorWriter::new(&mut br, 4096, 5, 22),
        html.as_bytes(),
    )
    .unwrap();
    for (coding, packed) in [
        ("gzip", gz(html.as_bytes())),
        ("deflate", zlib),
        ("br", br),
        ("", gz(html.as_bytes())),
    ] {
        let half = &packed[..packed.len() / 2];
        let head = format!("200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}");
        let record = |fields: &str, body: &[u8]| warc("response", URL, fields, &http(&head, body));
        let (out, told) = text(record("WARC-Truncated: length\r\n", half), &[]);
        assert!(out.contains("amber"), "{coding}: {told}");
        let words = out.split_whitespace().count();
        assert!((1000..4000).contains(&words), "{coding}: {words}");
        let (out, told) = text(record("", half), &[]);
        assert!(
            !out.contains("amber") && told.contains("cannot be unpacked"),
            "{coding}: {out}{told}"
        );
        let (out, _) = text(record("WARC-Truncated: length\r\n", &packed[..9]), &[]);
        assert!(!out.contains("amber"), "{coding}");
    }
}

/// In every verb that reads pages, a page that is cut in its HTML head is withheld. A page that is
/// cut in its HTML body is not.
#[test]
fn a_page_that_is_cut_in_its_head_is_withheld() {
    let in_head = cut("<title>amber</title><link rel=stylesheet href=/b>");
    let in_body =
        cut("<title>Rye</title><p>amber<div class='robots-noindex robots-noarchive'><p>umber");
    let strict = ["--conventions", "web,+cut-short"];
    for verb in ["text", "filter", "snapshot"] {
        let shows = |input: &[u8], options: &[&str], word: &str| {
            run(&[&[verb], options].concat(), input).1.contains(word)
        };
        assert!(
            shows(&in_body, &[], "amber") && !shows(&in_body, &[], "umber"),
            "{verb}"
        );
        assert!(
            !shows(&in_body, &strict, "amber") && !shows(&in_head, &[], "amber"),
            "{verb}"
        );
    }
    for (input, why) in [
        (&in_head, "before its head is closed"),
        (&in_body, "in its body: what is there is used"),
    ] {
        for verb in ["explain", "filter"] {
            let (_, out, told) = run(&[verb], input);
            assert!(
                out.contains(&format!("the page is cut short {why}")),
                "{verb}: {out}{told}"
            );
        }
    }
    let may_train = |input: &[u8]| {
        run(&["mask", "--use", "train"], input)
            .1
            .contains(r#""train":true"#)
    };
    assert!(may_train(&in_body) && !may_train(&in_head));
    let (_, out, _) = run(&["filter"], &in_head);
    let page: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&page["verdict"]["index"], &page["notes"][0]["kind"]),
        (&false.into(), &"cut-short".into()),
        "{out}"
    );
}

#[test]
fn the_switches_are_listed() {
    let line = |options: &[&str], name: &str| {
        let (_, out, _) = run(&[&["conventions"], options].concat(), "");
        out.lines()
            .find(|line| line.get(4..).is_some_and(|rest| rest.starts_with(name)))
            .unwrap()
            .to_owned()
    };
    assert!(line(&[], "cut-short").starts_with("off "));
    assert!(line(&["--conventions", "all"], "cut-short").starts_with("off "));
    assert!(line(&["--conventions", "web,+cut-short"], "cut-short").starts_with("on "));
    assert!(line(&[], "pagefind-site").starts_with("off "));
}

/// Content types of pages are parsed as the Fetch standard says, in archives, JSON Lines and
/// tables.
#[test]
fn joined_and_broken_types_are_read() {
    for (kinds, is_page) in [
        (&["text/html, text/html; charset=utf-8"][..], true),
        (&["text/html,text/html"], true),
        (&["text/html; charset=utf-8, text/html"], true),
        (&["text/html", "text/html;charset=utf-8"], true),
        (&["text/html charset=utf-8"], true),
        (&["text/html:charset=utf-8"], true),
        (&["text/plain, text/html"], true),
        (&["text/plain", "text/html"], true),
        (&["text/html, */*"], true),
        (&["text/html, image/png"], false),
        (&["text/html", "image/png"], false),
        (&["text/plain, text/plain"], false),
        (&["text/html;a=\", text/plain"], true),
    ] {
        let lines: Vec<_> = kinds
            .iter()
            .map(|kind| format!("Content-Type: {kind}"))
            .collect();
        let content = http(&format!("200 OK\r\n{}", lines.join("\r\n")), HTML);
        assert_eq!(
            has_page(warc("response", URL, "", &content)),
            is_page,
            "WARC: {kinds:?}"
        );
        let headers: Vec<_> = kinds.iter().map(|kind| ("Content-Type", *kind)).collect();
        assert_eq!(has_page(line(&headers, HTML)), is_page, "JSON: {kinds:?}");
    }
    // A broken type counts as missing: the bytes of an archive's record are sniffed.
    let content = http("200 OK\r\nContent-Type: text/html charset=utf-8", b"amber");
    assert!(!has_page(warc("response", URL, "", &content)));
    for (kind, is_page) in [
        ("text/html, text/html;charset=utf-8", true),
        ("text/html, text/plain", false),
    ] {
        let record = String::from_utf8(warc("resource", URL, "", HTML)).unwrap();
        assert_eq!(
            has_page(record.replace("application/warc-fields", kind)),
            is_page,
            "{kind}"
        );
    }
}

#[test]
fn a_joined_type_has_its_character_set() {
    let body = b"<p>\xD2\xD6\xC1\xCE\xCF\xCA";
    for kind in [
        "text/html;charset=koi8-r, text/html",
        "text/html, text/html; charset=koi8-r",
        "text/html;charset=gbk, text/html;charset=koi8-r",
    ] {
        let content = http(&format!("200 OK\r\nContent-Type: {kind}"), body);
        assert!(
            text(warc("response", URL, "", &content), &[])
                .0
                .contains("ржаной"),
            "{kind}"
        );
        assert!(
            text(line(&[("Content-Type", kind)], body), &[])
                .0
                .contains("ржаной"),
            "{kind}"
        );
    }
}

#[test]
fn gzip_that_no_header_tells_of_is_undone() {
    let packed = gz(HTML);
    for head in [
        "200 OK\r\nContent-Type: text/html",
        "200 OK",
        "200 OK\r\nContent-Type: text/html charset=utf-8",
    ] {
        let content = http(head, &packed);
        assert!(has_page(warc("response", URL, "", &content)), "{head}");
        assert!(
            has_page([arc_start(1), arc(URL, &content)].concat()),
            "{head}"
        );
    }
    assert!(has_page(line(&[("Content-Type", "text/html")], &packed)));
    assert!(has_page(line(&[], &packed)));
    // Packed twice, though the header names only one packing.
    let twice = http(
        "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip",
        &gz(&packed),
    );
    assert!(has_page(warc("response", URL, "", &twice)));
    let other = http("200 OK\r\nContent-Type: application/gzip", &packed);
    assert!(!has_page(warc("response", URL, "", &other)));
    // The unpacked bytes are no page.
    let pdf = gz(b"%PDF-1.7 amber");
    assert!(!has_page(warc("response", URL, "", &http("200 OK", &pdf))));
    assert!(!has_page(line(&[], &pdf)));
}

/// A record of a page is damaged if its content cannot be unpacked or exceeds a limit when
/// unpacked.
#[test]
fn gzip_that_cannot_be_undone_is_damage() {
    let packed = gz(HTML);
    let broken = &packed[..packed.len() - 9];
    let html = http("200 OK\r\nContent-Type: text/html", broken);
    for input in [
        warc("response", URL, "", &html),
        line(&[], broken).into_bytes(),
    ] {
        let (_, out, told) = run(&["filter"], &input);
        assert!(
            out.contains("gzip") && out.contains(URL) && !out.contains("amber"),
            "{out}{told}"
        );
        assert!(told.contains("1 damaged"), "{told}");
    }
    let large = gz(&[HTML, &b" amber".repeat(4 << 20)].concat());
    let html = http("200 OK\r\nContent-Type: text/html", &large);
    for input in [
        warc("response", URL, "", &html),
        line(&[], &large).into_bytes(),
    ] {
        let (_, out, told) = run(&["filter"], &input);
        assert!(
            out.contains("page_bytes") && !out.contains("amber"),
            "{out}{told}"
        );
    }
}

#[test]
fn interim_answers_are_passed_over() {
    let answer = http("200 OK\r\nContent-Type: text/html", HTML);
    for interim in [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 100\r\nX-Robots-Tag: noindex\r\n\r\n",
        "HTTP/1.1 102 Processing\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nX-Robots-Tag: noindex\r\n\r\n",
        "HTTP/1.0 200 Connection established\r\n\r\n",
        "HTTP/1.1 200 Connection Established\r\nProxy-Agent: x\r\n\r\n",
        "HTTP/1.1 200 Connection established\n\nHTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\n\n",
    ] {
        let content = [interim.as_bytes(), &answer].concat();
        for input in [
            warc("response", URL, "", &content),
            [arc_start(1), arc(URL, &content)].concat(),
        ] {
            let (out, told) = text(input, &[]);
            assert!(
                out.contains("amber") && !out.contains("HTTP"),
                "{interim}: {out}{told}"
            );
        }
        // The headers and the status of the last answer count.
        let denied = [
            interim.as_bytes(),
            &http(
                "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex",
                HTML,
            ),
        ]
        .concat();
        assert!(!has_page(warc("response", URL, "", &denied)), "{interim}");
        let gone = [
            interim.as_bytes(),
            &http("404 Not Found\r\nContent-Type: text/html", HTML),
        ]
        .concat();
        assert!(!has_page(warc("response", URL, "", &gone)), "{interim}");
        let robots = [
            interim.as_bytes(),
            &http("200 OK", b"User-agent: *\nDisallow: /a"),
        ]
        .concat();
        let both = [
            warc("response", "https://site.example/robots.txt", "", &robots),
            warc("response", URL, "", &content),
        ];
        assert!(!has_page(both.concat()), "{interim}");
    }
}

#[test]
fn what_is_no_interim_answer_is_read_as_it_is() {
    let inner = http("200 OK\r\nContent-Type: text/html", b"<p>inner");
    let with = |head: &str| {
        let (out, _) = text(
            warc(
                "response",
                URL,
                "",
                &http(head, &[b"", &inner[..]].concat()),
            ),
            &[],
        );
        (out.contains("inner"), out.contains("HTTP/1.1 200 OK"))
    };
    for head in [
        "200 OK\r\nContent-Type: text/html",
        "200 Connection established\r\nContent-Type: text/html",
        "200 Connection established\r\ncontent-length: 60\r\nContent-Type: text/html",
    ] {
        assert_eq!(with(head), (true, true), "{head}: a page about HTTP");
    }
    assert_eq!(with("200 OK"), (false, false), "no type, and not HTML");
    assert_eq!(with("101 Switching Protocols"), (false, false));
    for head in ["100 Continue", "200 Connection established"] {
        let content = http(head, HTML);
        let is_page = head.starts_with("200");
        assert_eq!(
            has_page(warc("response", URL, "", &content)),
            is_page,
            "{head}: no other answer behind it"
        );
    }
}
