//! Corpora in the layout in which they are published: packed lists of paths, lines of URL indexes,
//! tables of URLs, extracted texts as JSON Lines, and WAT archives.
//!
//! All files are made here. Their layout is that of Common Crawl, of the Internet Archive's CDX
//! files, and of data sets of extracted text such as C4.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{path, run, write};
use crate::support::made::{folder, gz, http, line, packed_each, page, robots, warc, zst};

const SITE: &str = "https://site.example";
const FAR: &str = "crawl-data/CC-MAIN-2026-01/segments/1700000000000.1/warc/CC-MAIN-00000.warc.gz";

fn answers(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Writes an archive with one page into `folder`, at a path as Common Crawl lists it.
fn archive(folder: &TempDir, below: &str) {
    let file = folder.path().join(below).join(FAR);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, gz(&page(&format!("{SITE}/a"), "<p>a page"))).unwrap();
}

/// Writes the bytes of a manifest into `folder`, and returns the argument that names it.
fn manifest(folder: &TempDir, name: &str, bytes: &[u8]) -> String {
    fs::write(folder.path().join(name), bytes).unwrap();
    format!("@{}", path(folder, name))
}

#[test]
fn a_manifest_may_be_packed_in_several_members() {
    let folder = folder();
    archive(&folder, "");
    fs::write(
        folder.path().join("b.warc"),
        page(&format!("{SITE}/b"), "<p>b"),
    )
    .unwrap();
    let members = [gz(format!("{FAR}\n").as_bytes()), gz(b"b.warc\n")].concat();
    let packed = manifest(&folder, "warc.paths.gz", &members);
    let (status, out, told) = run(&["text", &packed, "-q"], "");
    assert_eq!(status, 0, "{told}");
    assert!(out.contains("a page") && out.contains('b'), "{out}");

    let other = manifest(&folder, "warc.paths.zst", &zst(b"b.warc\n"));
    assert_eq!(run(&["text", &other, "-q"], "").0, 0);
    // The option names the kind in the same way.
    let file = path(&folder, "warc.paths.gz");
    let (status, ..) = run(&["text", &file, "--input", "manifest", "-q"], "");
    assert_eq!(status, 0);
}

#[test]
fn a_manifest_that_cannot_be_read_is_named() {
    let folder = folder();
    let packed = gz(&[FAR, "\n"].concat().repeat(500).into_bytes());
    let cut = manifest(&folder, "cut.paths.gz", &packed[..packed.len() / 2]);
    let (status, _, told) = run(&["text", &cut], "");
    assert_eq!(status, 2);
    assert!(
        told.contains("cut.paths.gz: gzip data that cannot be read"),
        "{told}"
    );

    let odd = manifest(&folder, "odd.paths.gz", &gz(b"a.warc\n\xFF.warc\n"));
    let (status, _, told) = run(&["text", &odd], "");
    assert_eq!(status, 2);
    assert!(
        told.contains("odd.paths.gz line 2: a list of inputs is text in UTF-8"),
        "{told}"
    );

    // The bound holds for the unpacked list.
    let bomb = manifest(&folder, "bomb.paths.gz", &gz(&[b'\n'; 100_000]));
    let (status, _, told) = run(&["text", &bomb, "--limit", "manifest_bytes=10K"], "");
    assert_eq!(status, 2);
    assert!(
        told.contains("bomb.paths.gz") && told.contains("manifest_bytes"),
        "{told}"
    );
}

#[test]
fn lines_of_a_manifest_are_joined_to_a_base() {
    let folder = folder();
    archive(&folder, "copies");
    let list = manifest(&folder, "warc.paths.gz", &gz(format!("{FAR}\n").as_bytes()));
    let copies = path(&folder, "copies");
    for base in [copies.clone(), format!("{copies}/")] {
        let (status, out, told) = run(&["text", &list, "--manifest-base", &base, "-q"], "");
        assert!(status == 0 && out.contains("a page"), "{told}");
    }
    // A pattern is joined, too, and a whole path stays as it is.
    let patterns = manifest(&folder, "patterns", b"crawl-data/*/*/*/*/*.warc.gz\n");
    let (status, out, _) = run(&["text", &patterns, "--manifest-base", &copies, "-q"], "");
    assert!(status == 0 && out.contains("a page"));
    let whole = manifest(
        &folder,
        "whole",
        Path::new(&copies)
            .join(FAR)
            .display()
            .to_string()
            .as_bytes(),
    );
    assert_eq!(
        run(&["text", &whole, "--manifest-base", "docs", "-q"], "").0,
        0
    );
    // Below another folder there is no such file.
    let (status, _, told) = run(&["text", &list, "--manifest-base", "docs"], "");
    assert!(status != 0 && told.contains("docs/crawl-data/"), "{told}");
    let (status, _, told) = run(
        &["text", &list, "--manifest-base", &path(&folder, "none")],
        "",
    );
    assert!(status == 2 && told.contains("is no folder"), "{told}");
}

#[test]
fn a_base_on_the_web_is_refused_as_a_url_is() {
    let folder = folder();
    let list = manifest(&folder, "warc.paths", format!("{FAR}\n").as_bytes());
    for (base, expected) in [
        (
            "https://data.commoncrawl.example/",
            "is a URL: pages are not fetched",
        ),
        (
            "s3://commoncrawl",
            "is in an object store: copy it to a file, or pipe it in",
        ),
    ] {
        for verb in ["text", "mask", "lint"] {
            let (status, _, told) = run(&[verb, &list, "--manifest-base", base], "");
            let line = format!("warc.paths line 1: {}/{FAR} ", base.trim_end_matches('/'));
            assert_eq!(status, 2, "{told}");
            assert!(told.contains(&line) && told.contains(expected), "{told}");
        }
    }
    // A line that is such a URL itself has the same answer.
    let list = manifest(&folder, "far", b"s3://commoncrawl/a.warc.gz\n");
    let (status, _, told) = run(&["text", &list], "");
    assert!(
        status == 2 && told.contains("far line 1") && told.contains("is in an object store"),
        "{told}"
    );
}

/// Writes an archive with the robots.txt of the site, and returns its path.
fn rules(folder: &TempDir) -> String {
    let file = path(folder, "robots.warc.gz");
    fs::write(
        &file,
        gz(&robots(SITE, "User-agent: *\nDisallow: /shut/\n")),
    )
    .unwrap();
    file
}

/// Judges the URLs of a list. Returns the kind of each answer, if it allows training, and its URL
/// or reason.
fn judged(folder: &TempDir, list: &str) -> Vec<(String, bool, String)> {
    let (status, out, told) = run(
        &["mask", "--urls", list, &rules(folder), "--use", "train"],
        "",
    );
    assert_eq!(status, 0, "{told}");
    answers(&out)
        .iter()
        .map(|answer| {
            let text = if answer["reason"].is_null() {
                &answer["url"]
            } else {
                &answer["reason"]
            };
            (
                answer["kind"].as_str().unwrap().to_owned(),
                answer["allow"]["train"].as_bool().unwrap(),
                text.as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

fn assert_pages(found: &[(String, bool, String)], expected: &[(bool, &str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(allowed, url)| ("page".to_owned(), *allowed, (*url).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

/// Lines of a CDXJ index name the URL in their JSON block. Their key is not judged, though it may
/// look like a URL.
#[test]
fn lines_of_a_cdxj_index_are_urls() {
    let folder = folder();
    let block = |url: &str| {
        format!(
            r#"{{"url": "{url}", "mime": "text/html", "mime-detected": "text/html", "status": "200", "digest": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "length": "1024", "offset": "512", "filename": "{FAR}", "languages": "eng", "encoding": "UTF-8"}}"#
        )
    };
    let first = format!(
        "example,site)/a 20260101000000 {}\n",
        block("https://site.example/a")
    );
    let second = format!(
        "example,site)/shut/{{id}} 20260101000001 {}\nhttp://(example,site,)/c 20260101 {}\n",
        block("https://site.example/shut/{id}"),
        block("https://site.example/shut/c")
    );
    let expected = [
        (true, "https://site.example/a"),
        (false, "https://site.example/shut/{id}"),
        (false, "https://site.example/shut/c"),
    ];
    let plain = write(&folder, "cdx-00000", &(first.clone() + &second));
    assert_pages(&judged(&folder, &plain), &expected);
    let packed = path(&folder, "cdx-00000.gz");
    let members = [gz(first.as_bytes()), gz(second.as_bytes())].concat();
    fs::write(&packed, members).unwrap();
    assert_pages(&judged(&folder, &packed), &expected);
}

#[test]
fn json_lines_with_a_url_are_urls() {
    let folder = folder();
    // The text is longer than any URL may be.
    let text = "words ".repeat(20_000);
    let lines = [
        json!({"text": text, "url": "https://site.example/a", "date": "2026-01-01T00:00:00Z"}),
        json!({"URL": "https://site.example/shut/b"}),
    ]
    .map(|line| line.to_string() + "\n")
    .concat();
    let list = path(&folder, "c4-train.00000-of-01024.json.gz");
    fs::write(&list, gz(lines.as_bytes())).unwrap();
    let expected = [
        (true, "https://site.example/a"),
        (false, "https://site.example/shut/b"),
    ];
    assert_pages(&judged(&folder, &list), &expected);
}

/// The header of a CDX index says which column is the URL. Without it a line is not judged.
#[test]
fn lines_of_a_cdx_index_are_urls() {
    let folder = folder();
    let line = |url: &str| {
        format!(
            "example,site)/x 20100101000000 {url} text/html 200 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA - - 1024 512 x.warc.gz\n"
        )
    };
    let lines = line("https://site.example/a") + &line("https://site.example/shut/b");
    let list = write(
        &folder,
        "index.cdx",
        &(" CDX N b a m s k r M S V g\n".to_owned() + &lines),
    );
    let expected = [
        (true, "https://site.example/a"),
        (false, "https://site.example/shut/b"),
    ];
    assert_pages(&judged(&folder, &list), &expected);

    let found = judged(&folder, &write(&folder, "bare.cdx", &lines));
    assert_eq!(found.len(), 2);
    for (kind, allowed, reason) in found {
        assert_eq!((kind.as_str(), allowed), ("unknown", false));
        assert!(reason.contains("CDX index without the header"), "{reason}");
    }
    // A header without the URL, and lines that do not fit their header.
    let list = " CDX N b m\nexample,site)/x 20100101000000 text/html\n CDX N b a\nhttps://site.example/a\n";
    let found = judged(&folder, &write(&folder, "odd.cdx", list));
    assert_eq!(found.len(), 2);
    assert!(found[0].2.contains("names no column `a`"), "{found:?}");
    assert!(found[1].2.contains("names 3 columns"), "{found:?}");
}

#[test]
fn a_line_that_is_no_url_says_what_it_looks_like() {
    let folder = folder();
    let cases = [
        (
            "{\"text\":\"words\"}",
            "it looks like JSON, and has no `url`",
        ),
        (
            "{\"url\":",
            "it looks like JSON, and cannot be read as such",
        ),
        (
            "{\"url\":\"https://site.example/a\",\"Url\":\"https://site.example/b\"}",
            "`url` twice",
        ),
        (
            "example,site)/ 20260101000000 {\"mime\":\"text/html\"}",
            "a line of a CDXJ index, and has no `url`",
        ),
        (FAR, "looks like the path of an archive"),
        ("site.example/a", "is not a whole URL, as https://"),
        (
            "{\"url\":\"site.example/a\"}",
            "is not a whole URL, as https://",
        ),
    ];
    let lines: Vec<_> = cases.iter().map(|(line, _)| *line).collect();
    let list = write(&folder, "urls", &lines.join("\n"));
    let found = judged(&folder, &list);
    assert_eq!(found.len(), cases.len());
    for ((kind, allowed, reason), (line, expected)) in found.iter().zip(cases) {
        assert_eq!((kind.as_str(), *allowed), ("unknown", false), "{line}");
        assert!(reason.contains(expected), "{line}: {reason}");
    }
}

/// Writes a Parquet table with columns of Common Crawl's columnar index. A row has the key of its
/// URL, and perhaps the URL.
fn columnar(rows: &[Option<&str>]) -> Vec<u8> {
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    let schema = "message spark_schema {
        OPTIONAL BINARY url_surtkey (STRING); OPTIONAL BINARY url (STRING);
        OPTIONAL INT32 warc_record_offset; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::default());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = file.next_row_group().unwrap();
    let keys: Vec<_> = rows
        .iter()
        .map(|_| ByteArray::from("example,site)/x"))
        .collect();
    let urls: Vec<_> = rows
        .iter()
        .flatten()
        .map(|url| ByteArray::from(*url))
        .collect();
    let levels: Vec<_> = rows.iter().map(|url| i16::from(url.is_some())).collect();
    let all = vec![1; rows.len()];
    for (values, levels) in [(keys, &all), (urls, &levels)] {
        let mut column = group.next_column().unwrap().unwrap();
        let writer = column.typed::<ByteArrayType>();
        writer.write_batch(&values, Some(levels), None).unwrap();
        column.close().unwrap();
    }
    let mut column = group.next_column().unwrap().unwrap();
    let writer = column.typed::<Int32Type>();
    writer
        .write_batch(&vec![512; rows.len()], Some(&all), None)
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    file.into_inner().unwrap()
}

#[test]
fn a_table_of_urls_is_a_list() {
    let folder = folder();
    let list = path(&folder, "part-00000.gz.parquet");
    let rows = [
        Some("https://site.example/a"),
        Some("https://site.example/shut/b"),
        None,
        Some("https://site.example/robots.txt"),
    ];
    fs::write(&list, columnar(&rows)).unwrap();
    let (status, out, told) = run(
        &["mask", "--urls", &list, &rules(&folder), "--use", "train"],
        "",
    );
    assert_eq!(status, 0, "{told}");
    let found: Vec<_> = answers(&out)
        .iter()
        .map(|answer| {
            (
                answer["unit"].as_str().unwrap().to_owned(),
                answer["at"].as_u64().unwrap(),
                answer["kind"].as_str().unwrap().to_owned(),
                answer["allow"]["train"].as_bool().unwrap(),
            )
        })
        .collect();
    let expected = [(1, "page", true), (2, "page", false), (3, "unknown", false)]
        .map(|(at, kind, allowed)| ("row".to_owned(), at, kind.to_owned(), allowed));
    assert_eq!(found[..3], expected);
    assert_eq!(found.len(), 4);
}

/// Lines of extracted text have no page. The reason says what they are and what to do, and the
/// options that it names work.
#[test]
fn extracted_texts_are_told_from_pages() {
    let folder = folder();
    let lines = [
        json!({"text": "words", "id": "<urn:uuid:1>", "dump": "CC-MAIN-2026-01", "url": "https://site.example/a", "date": "2026-01-01T00:00:00Z", "file_path": FAR, "language": "en", "language_score": 0.9, "token_count": 1}),
        json!({"url": "https://site.example/b", "text": "words", "timestamp": "2026-01-01T00:00:00Z"}),
        json!({"url": "https://site.example/b", "raw_content": "words"}),
        json!({"url": "https://site.example/b"}),
    ]
    .map(|line| line.to_string() + "\n")
    .concat();
    let texts = write(&folder, "fineweb.jsonl", &lines);
    let (status, out, told) = run(&["mask", &texts, "--use", "train"], "");
    assert_eq!(status, 0, "{told}");
    let found = answers(&out);
    assert_eq!(found.len(), 4);
    for (answer, key) in found.iter().zip(["`text`", "`text`", "`raw_content`"]) {
        assert_eq!(answer["kind"], "unknown");
        assert_eq!(answer["allow"]["train"], false);
        let reason = answer["reason"].as_str().unwrap();
        for part in [key, "extracted text", "--beside", "--urls"] {
            assert!(reason.contains(part), "{reason}");
        }
    }
    assert_eq!(found[3]["reason"], "neither `html` nor `html_b64`");

    let pages = [
        line("https://site.example/a", "<p>words"),
        line("https://site.example/b", "<meta name=robots content=noai>"),
    ];
    let pages = write(
        &folder,
        "pages.jsonl",
        &String::from_utf8(pages.concat()).unwrap(),
    );
    let (_, out, told) = run(&["mask", &pages, "--beside", &texts, "--use", "train"], "");
    let allowed: Vec<_> = answers(&out)
        .iter()
        .map(|answer| answer["allow"]["train"].as_bool().unwrap())
        .collect();
    assert_eq!(allowed, [true, false, false, false], "{told}");
    assert_eq!(judged(&folder, &texts).len(), 4);
}

/// Returns a WAT record about the WARC record `of`, whose payload has the metadata `about`.
fn wat(url: &str, of: &str, about: &Value) -> Vec<u8> {
    let payload = json!({
        "Container": {"Filename": "CC-MAIN-00000.warc.gz", "Compressed": true, "Offset": "512", "Gzip-Metadata": {"Deflate-Length": "1024"}},
        "Envelope": {
            "Format": "WARC", "WARC-Header-Length": "512",
            "WARC-Header-Metadata": {"WARC-Type": "response", "WARC-Target-URI": url},
            "Payload-Metadata": about,
        },
    });
    let content = payload.to_string();
    let content = content.as_bytes();
    let fields = format!("WARC-Refers-To: <urn:uuid:{of}>\r\n");
    let record = String::from_utf8(warc("metadata", url, &fields, content)).unwrap();
    record
        .replace("application/warc-fields", "application/json")
        .into_bytes()
}

/// Returns what a WAT record has of a response.
fn wat_response(status: &str, headers: &Value, metas: &Value) -> Value {
    json!({
        "Actual-Content-Type": "application/http; msgtype=response", "Trailing-Slop-Length": "4",
        "HTTP-Response-Metadata": {
            "Response-Message": {"Status": status, "Version": "HTTP/1.1", "Reason": "OK"},
            "Headers": headers,
            "HTML-Metadata": {"Head": {"Metas": metas, "Title": "words"}},
            "Entity-Length": "100",
        },
    })
}

/// A WAT archive has headers and METAs of a page, but not all that may deny. So nothing of it is
/// allowed, and each record about a page is unknown, unless all uses are denied by what it has.
/// Records about requests are no pages.
#[test]
fn a_wat_record_is_unknown_and_says_what_to_read() {
    let folder = folder();
    let html = json!({"Content-Type": "text/html"});
    let response = |metas: Value| wat_response("200", &html, &metas);
    let request = json!({
        "Actual-Content-Type": "application/http; msgtype=request",
        "HTTP-Request-Metadata": {"Request-Message": {"Method": "GET", "Path": "/a"}},
    });
    let (open, shut) = (format!("{SITE}/a"), format!("{SITE}/b"));
    let denial = json!([{"name": "robots", "content": "noindex"}]);
    let records = [
        warc("warcinfo", "", "", b"format: WARC File Format 1.0\r\n"),
        wat(&open, "request", &request),
        wat(&open, "a", &response(json!([]))),
        wat(&shut, "b", &response(denial)),
    ];
    let file = path(&folder, "CC-MAIN-00000.warc.wat.gz");
    fs::write(&file, packed_each(&records, gz)).unwrap();
    let (status, out, told) = run(&["mask", &file], "");
    assert_eq!(status, 0, "{told}");
    let found = answers(&out);
    let kinds: Vec<_> = found
        .iter()
        .map(|answer| answer["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["none", "none", "unknown", "unknown"]);
    for answer in &found {
        let mut uses = answer["allow"].as_object().unwrap().values();
        assert!(uses.all(|allowed| allowed == false), "{answer}");
    }
    let reason = found[2]["reason"].as_str().unwrap();
    assert!(
        reason.contains("WAT") && reason.contains("WARC") && reason.contains("--beside"),
        "{reason}"
    );
    assert!(
        told.contains("0 pages, 2 no page, 2 unknown (2 are WAT: read their WARC)"),
        "{told}"
    );

    // Beside its WARC, each record has the answer of its page.
    let pages = [
        ("a", &open, ""),
        ("b", &shut, "<meta name=robots content=noindex>"),
    ];
    let pages = pages.map(|(id, url, html)| {
        let id = format!("WARC-Record-ID: <urn:uuid:{id}>\r\n");
        let content = http("200 OK\r\nContent-Type: text/html", html.as_bytes());
        warc("response", url, &id, &content)
    });
    let crawl = path(&folder, "CC-MAIN-00000.warc.gz");
    fs::write(&crawl, packed_each(&pages, gz)).unwrap();
    let (_, out, told) = run(&["mask", &crawl, "--beside", &file, "--use", "index"], "");
    let allowed: Vec<_> = answers(&out)
        .iter()
        .map(|answer| answer["allow"]["index"].as_bool().unwrap())
        .collect();
    assert_eq!(allowed, [false, false, true, false], "{told}");
}

/// Headers and METAs of a WAT archive decide what they can: a use that they deny has its reason,
/// and a page to which they deny all uses needs no WARC.
#[test]
fn a_wat_record_decides_what_it_denies() {
    let folder = folder();
    let html = json!({"Content-Type": "text/html; charset=UTF-8"});
    let robots = |content: &str| json!([{"name": "robots", "content": content}]);
    let header = json!({"Content-Type": "text/html", "X-Robots-Tag": ["noai", "noindex"]});
    let quoted = json!([
        {"property": "og:title", "content": "a \"title\" & more"},
        {"NAME": "robots", "content": "noindex"},
    ]);
    let cases = [
        ("200", &html, robots("noindex, noai"), "page", "index train"),
        ("200", &header, json!([]), "page", "index train"),
        ("200", &html, robots("noindex"), "unknown", "index"),
        ("200", &html, quoted, "unknown", "index"),
        ("200", &html, json!([]), "unknown", ""),
        ("404", &html, robots("noindex"), "none", ""),
        ("304", &html, json!([]), "unknown", ""),
        ("206", &html, robots("noindex"), "none", ""),
    ];
    let mut records: Vec<_> = (0..)
        .zip(&cases)
        .map(|(number, (status, headers, metas, ..))| {
            let about = wat_response(status, headers, metas);
            wat(&format!("{SITE}/{number}"), &number.to_string(), &about)
        })
        .collect();
    let picture = json!({"HTTP-Response-Metadata": {
        "Response-Message": {"Status": "200"}, "Headers": {"Content-Type": "image/png"},
    }});
    records.push(wat(&format!("{SITE}/picture"), "p", &picture));
    // What cannot be parsed says nothing.
    let odd = json!({"HTTP-Response-Metadata": {"Headers": 7, "HTML-Metadata": "?"}});
    records.push(wat(&format!("{SITE}/odd"), "o", &odd));
    let file = path(&folder, "CC-MAIN-00000.warc.wat.gz");
    fs::write(&file, packed_each(&records, gz)).unwrap();

    let (status, out, told) = run(&["mask", &file, "--use", "index,train"], "");
    assert_eq!(status, 0, "{told}");
    let found = answers(&out);
    let expected = cases.iter().map(|case| (case.3, case.4));
    let expected = expected.chain([("none", ""), ("unknown", "")]);
    for (answer, (kind, denied)) in found.iter().zip(expected) {
        assert_eq!(answer["kind"], kind, "{denied}: {answer}");
        assert!(answer["digest"].is_null(), "{answer}");
        for usage in ["index", "train"] {
            assert_eq!(answer["allow"][usage], false, "{answer}");
            let has_reason = answer["bots"][0]["why"][usage].is_object();
            assert_eq!(has_reason, denied.contains(usage), "{usage}: {answer}");
        }
    }
    assert_eq!(found.len(), cases.len() + 2);
    // All forms have these answers.
    for form in ["tsv", "compact", "parquet"] {
        let to = path(&folder, &format!("mask.{form}"));
        let (status, _, told) = run(
            &[
                "mask",
                &file,
                "--use",
                "index,train",
                "--format",
                form,
                "-o",
                &to,
            ],
            "",
        );
        assert_eq!(status, 0, "{form}: {told}");
    }

    // A census counts the statements.
    let (status, out, told) = run(&["census", &file, "--format", "json"], "");
    assert_eq!(status, 0, "{told}");
    let census: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(census["outcomes"]["head-only"], 5, "{census}");
    // Other verbs read no WAT record.
    let (_, out, _) = run(&["text", &file], "");
    assert_eq!(out, "");
}

/// The robots.txt files of Common Crawl are in archives of their own. As `--robots` they count for
/// the sites whose files they are, and their records are not in the output.
#[test]
fn archives_of_robots_txt_files_are_robots() {
    let folder = folder();
    let far = |name: &str| format!("https://{name}.example");
    let pages = ["open", "shut", "gone", "down", "none"]
        .map(|name| page(&format!("{}/a", far(name)), "<p>words"));
    let crawl = path(&folder, "CC-MAIN-00000.warc.gz");
    fs::write(&crawl, packed_each(&pages, gz)).unwrap();
    // The subset `robotstxt` has the files, and `crawldiagnostics` the other answers.
    let files = [
        robots(&far("open"), "User-agent: *\nDisallow: /b"),
        robots(&far("shut"), "User-agent: *\nDisallow: /"),
    ];
    let answers_only = [
        ("gone", "404 Not Found"),
        ("down", "503 Service Unavailable"),
    ];
    let diagnostics = answers_only.map(|(name, status)| {
        let url = format!("{}/robots.txt", far(name));
        warc("response", &url, "", &http(status, b""))
    });
    fs::write(
        folder.path().join("robots.warc.gz"),
        packed_each(&files, gz),
    )
    .unwrap();
    fs::write(
        folder.path().join("diagnostics.warc.gz"),
        packed_each(&diagnostics, gz),
    )
    .unwrap();
    let list = manifest(
        &folder,
        "robotstxt.paths.gz",
        &gz(b"robots.warc.gz\ndiagnostics.warc.gz\n"),
    );

    let states = |more: &[&str]| {
        let (status, out, told) = run(&[&["mask", &crawl, "--use", "index"], more].concat(), "");
        assert_eq!(status, 0, "{told}");
        let answers = answers(&out);
        assert_eq!(answers.len(), 5, "{told}");
        let state = |answer: &Value| {
            let robots = answer["robots"].as_str().unwrap().to_owned();
            (
                robots,
                answer["robots_status"].as_u64(),
                answer["allow"]["index"] == true,
            )
        };
        (answers.iter().map(state).collect::<Vec<_>>(), told)
    };
    let absent = |_: &str| ("absent".to_owned(), None, true);
    let (alone, told) = states(&[]);
    assert_eq!(alone, ["open", "shut", "gone", "down", "none"].map(absent));
    assert!(told.contains("without robots.txt: 5 pages"), "{told}");

    let (found, told) = states(&["--robots", &list]);
    let allowed: Vec<_> = found.iter().map(|state| state.2).collect();
    assert_eq!(allowed, [true, false, true, false, true], "{found:?}");
    assert_eq!(found[2].1, Some(404), "{found:?}");
    assert_eq!(found[3].1, Some(503), "{found:?}");
    assert_eq!(found[4], absent("none"));
    assert!(told.contains("without robots.txt: 1 page"), "{told}");

    // One archive, in every verb that reads pages.
    let file = path(&folder, "robots.warc.gz");
    let (status, out, _) = run(
        &["text", &crawl, "-q", "--robots", &file, "--require-robots"],
        "",
    );
    assert_eq!((status, out.matches("words").count()), (0, 1), "{out}");
    let (_, out, _) = run(&["lint", "--robots", &file, "--format", "json"], "");
    assert!(!out.contains("unread"), "{out}");
    // What is no archive of robots.txt files is refused.
    let texts = manifest(&folder, "texts.paths", b"page.html\n");
    write(&folder, "page.html", "<p>a");
    let (status, _, told) = run(&["text", &crawl, "--robots", &texts], "");
    assert_eq!(status, 2, "{told}");
    // An archive without any is noted.
    let (_, _, told) = run(&["text", &crawl, "--robots", &crawl], "");
    assert!(told.contains("holds no robots.txt"), "{told}");
}
