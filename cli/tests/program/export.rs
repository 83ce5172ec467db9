//! `heedful export` as a user runs it. The files for each search engine conform to the engine's
//! documentation, and contain no withheld text.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use assert_cmd::Command;
use flate2::read::MultiGzDecoder;
use heedful::{Bot, Conventions, Filter, Page, Uses};
use heedful_export::{Capture, Engine, ExportEntry, ExportFolder, Exporter};
use serde_json::Value;
use tempfile::TempDir;

use crate::formats;
use crate::withheld::WITHHELD;

/// The pages of a small site with most kinds of statements: URL, headers, HTML. Words that begin
/// with `secret` may not be used. Words that begin with `hidden` may not be shown. Links to `away`
/// may not be followed.
const PAGES: &[(&str, &str, &str)] = &[
    ("https://site.example/plain", "", "<title>Plain title</title><meta name=description content='Plain words'>
        <h1>Plain heading</h1><p>alfa bravo <!--noindex-->secretregion <a href=/inregion>secretlink</a><!--/noindex--> charlie delta
        <p><a href=/next>next</a> <a href=/away rel=nofollow>sold</a> <a href=/next>again</a><img src=/x.png alt='a cart'>
        <link rel=canonical href=/plain#x>"),
    ("https://site.example/shy", "", "<title>Shy <span>title</span></title>
        <p>echo foxtrot <span data-nosnippet>hiddenspan</span> golf"),
    ("https://site.example/mute", "nosnippet, noarchive", "<title>Mute</title><p>hiddenpage hotel"),
    ("https://site.example/short", "max-snippet:10, unavailable_after: 2300-01-01T00:00:00Z", "<p>india hiddentail juliet kilo"),
    ("https://site.example/gone", "noindex", "<title>secrettitle</title><p>secretpage"),
    ("https://site.example/out/x", "", "<p>secretgate"),
    ("https://site.example/untrained", "noai", "<p>lima mike"),
];

pub(crate) fn input(folder: &Path) -> PathBuf {
    let lines: Vec<String> = PAGES
        .iter()
        .map(|(url, robots, html)| {
            serde_json::json!({
                "url": url, "html": html, "robots": "User-agent: *\nDisallow: /out/",
                "headers": [["X-Robots-Tag", robots], ["Date", "Sun, 06 Nov 1994 08:49:37 GMT"]],
            })
            .to_string()
        })
        .collect();
    written(folder, &lines)
}

pub(crate) fn written(folder: &Path, lines: &[String]) -> PathBuf {
    let path = folder.join("input.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    path
}

/// Runs the program. Returns its exit status, standard output and standard error.
pub(crate) fn heedful(arguments: &[&str]) -> (i32, Vec<u8>, String) {
    let mut command = Command::cargo_bin("heedful").unwrap();
    let output = command
        .current_dir(crate::support::root())
        .args(arguments)
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        output.stdout,
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// Exports an input for a search engine and returns the files of the export, by name.
pub(crate) fn export(engine: &str, input: &Path, more: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let folder = TempDir::new().unwrap();
    let output = folder.path().join("new").display().to_string();
    let input = input.display().to_string();
    let mut arguments = vec![
        "export",
        "--to",
        engine,
        "-o",
        &output,
        &input,
        "--at",
        "2026-11-21",
    ];
    arguments.extend(more);
    let (status, out, told) = heedful(&arguments);
    assert_eq!((status, out.as_slice()), (0, &b""[..]), "{told}");
    files(Path::new(&output))
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                std::fs::read(path).unwrap(),
            )
        })
        .collect()
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    assert!(bytes.ends_with(b"\n"), "the last line ends too");
    std::str::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

/// Returns the documents of an export, by URL, and the number of URLs that it deletes.
fn documents(engine: &str, files: &BTreeMap<String, Vec<u8>>) -> (BTreeMap<String, Value>, usize) {
    let of = |start: &str| {
        files
            .iter()
            .filter(|(name, _)| name.starts_with(start))
            .map(|(_, bytes)| bytes.as_slice())
            .collect::<Vec<_>>()
    };
    let (found, deletions): (Vec<Value>, usize) = match engine {
        "solr" => {
            let found = of("update-")
                .iter()
                .flat_map(|bytes| json(bytes).as_array().unwrap().clone())
                .collect();
            (
                found,
                of("delete-")
                    .iter()
                    .map(|bytes| json(bytes)["delete"].as_array().unwrap().len())
                    .sum(),
            )
        }
        "manticore" | "ciff" | "parquet" => formats::documents(engine, files),
        "quickwit" => (
            of("documents-")
                .iter()
                .flat_map(|bytes| lines(bytes))
                .collect(),
            tasks(&of("delete-tasks")).0,
        ),
        _ => bulk(&of("bulk-").concat()),
    };
    (
        found
            .into_iter()
            .map(|page| (page["url"].as_str().unwrap().to_owned(), page))
            .collect(),
        deletions,
    )
}

/// Parses a bulk file of an export. Returns its documents, and the number of its deletions.
fn bulk(bytes: &[u8]) -> (Vec<Value>, usize) {
    let (mut found, mut deletions, mut ids) = (Vec::new(), 0, Vec::new());
    let mut rest = lines(bytes).into_iter();
    while let Some(action) = rest.next() {
        let (word, about) = action.as_object().unwrap().iter().next().unwrap();
        assert_eq!(action.as_object().unwrap().len(), 1);
        assert_eq!(
            about.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["_id", "_index"]
        );
        assert_eq!(
            (
                about["_index"].as_str(),
                about["_id"].as_str().unwrap().len()
            ),
            (Some("heedful"), 40)
        );
        ids.push(about["_id"].clone());
        match word.as_str() {
            "index" => found.push(rest.next().unwrap()),
            "delete" => deletions += 1,
            other => panic!("{other}"),
        }
    }
    let said = ids.len();
    ids.sort_by_key(Value::to_string);
    ids.dedup();
    assert_eq!(ids.len(), said, "each URL once");
    (found, deletions)
}

/// Parses Quickwit's deletion tasks. Returns two numbers of URLs: those whose documents are deleted
/// altogether, and those whose documents are deleted only from older exports.
fn tasks(files: &[&[u8]]) -> (usize, usize) {
    const SECOND: u64 = 1_795_219_200;
    let (mut gone, mut replaced) = (0, 0);
    for task in files.iter().flat_map(|bytes| lines(bytes)) {
        let query = task["query"].as_str().unwrap();
        let ids: Vec<_> = query
            .strip_prefix("id:IN [")
            .unwrap()
            .strip_suffix(']')
            .unwrap()
            .split(' ')
            .collect();
        assert!(
            ids.iter()
                .all(|id| id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit()))
        );
        match task["end_timestamp"].as_u64().unwrap() {
            SECOND => replaced += ids.len(),
            end => {
                assert_eq!(end, SECOND + 1);
                gone += ids.len();
            }
        }
    }
    (gone, replaced)
}

fn engines() -> impl Iterator<Item = &'static str> {
    Engine::ALL.into_iter().map(Engine::name)
}

/// Returns the text that anybody with an exported file can see in it.
fn shown(name: &str, bytes: &[u8]) -> String {
    formats::text(name, bytes).unwrap_or_else(|| plain(bytes))
}

/// Returns the text of an exported file, unpacked if it is gzip.
fn plain(bytes: &[u8]) -> String {
    let mut text = String::new();
    if bytes.starts_with(&[0x1F, 0x8B]) {
        MultiGzDecoder::new(bytes)
            .read_to_string(&mut text)
            .unwrap();
        return text;
    }
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn documents_hold_what_may_be_had() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    for engine in ["elasticsearch", "opensearch", "solr", "quickwit"] {
        let files = export(engine, &input, &[]);
        let (found, deletions) = documents(engine, &files);
        assert_eq!((found.len(), deletions), (5, 2), "{engine}");
        let page = &found["https://site.example/plain"];
        for (key, expected) in [
            ("host", serde_json::json!("site.example")),
            ("sites", serde_json::json!(["site.example", "example"])),
            ("title", serde_json::json!(["Plain title"])),
            ("headings", serde_json::json!(["Plain heading"])),
            ("description", serde_json::json!(["Plain words"])),
            (
                "body",
                serde_json::json!(["Plain heading alfa bravo", "charlie delta next sold again"]),
            ),
            ("alt", serde_json::json!(["a cart"])),
            ("shown_title", serde_json::json!("Plain title")),
            (
                "excerpt",
                serde_json::json!("Plain heading alfa bravo [...] charlie delta next sold again"),
            ),
            (
                "input",
                serde_json::json!("Plain heading alfa bravo [...] charlie delta next sold again"),
            ),
            ("canonical", serde_json::json!("https://site.example/plain")),
            ("max_snippet", Value::Null),
            ("denied", Value::Null),
        ] {
            assert_eq!(page[key], expected, "{engine} {key}");
        }
        let links: Vec<_> = page["links"]
            .as_array()
            .unwrap()
            .iter()
            .map(|link| link.as_str().unwrap())
            .collect();
        assert_eq!(
            links.iter().filter(|link| link.ends_with("/next")).count(),
            1,
            "{engine}: {links:?}"
        );
        assert!(
            !links.iter().any(|link| link.ends_with("/away")),
            "{engine}: {links:?}"
        );
        assert_eq!(
            found["https://site.example/mute"]["denied"],
            serde_json::json!(["archive", "snippet", "train", "input"])
        );
        assert_eq!(
            found["https://site.example/untrained"]["denied"],
            serde_json::json!(["train"])
        );
        let short = &found["https://site.example/short"];
        let expires = if engine == "quickwit" {
            "2200-01-01T00:00:00Z"
        } else {
            "2300-01-01T00:00:00Z"
        };
        assert_eq!(
            (
                short["max_snippet"].as_u64(),
                short["unavailable_after"].as_str()
            ),
            (Some(10), Some(expires))
        );
        for page in found.values() {
            let nested = page
                .as_object()
                .unwrap()
                .values()
                .filter(|value| value.is_object() || value.is_null());
            assert_eq!(nested.count(), 0, "{page}");
        }
    }
}

/// Text of a page that may be found but not shown is only in fields that the search engine does not
/// store.
#[test]
fn what_may_not_be_shown_is_only_where_nothing_is_stored() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    for engine in ["elasticsearch", "solr", "quickwit"] {
        let files = export(engine, &input, &[]);
        let searched = unstored(engine, &files);
        assert_eq!(
            searched,
            ["alt", "body", "description", "headings", "title"],
            "{engine}"
        );
        let mut hidden = 0;
        for page in documents(engine, &files).0.values() {
            for (field, value) in page.as_object().unwrap() {
                let is_there = value.to_string().contains("hidden");
                hidden += usize::from(is_there);
                assert!(
                    !is_there || searched.contains(field),
                    "{engine} {field}: {value}"
                );
            }
        }
        assert_eq!(hidden, 3, "{engine}");
    }
}

/// Returns the fields that the search engine's schema indexes but does not store.
fn unstored(engine: &str, files: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let mut fields: Vec<String> = match engine {
        "solr" => {
            let schema = json(&files["schema.json"]);
            assert!(
                plain(&files["schema.json"]).find("add-field-type\"")
                    < plain(&files["schema.json"]).find("add-field\"")
            );
            assert_eq!(schema["add-field-type"][0]["positionIncrementGap"], "1000");
            let fields = schema["add-field"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|field| field["stored"] == false);
            fields
                .inspect(|field| {
                    assert_eq!(
                        (&field["type"], &field["multiValued"]),
                        (&"heedful_text".into(), &true.into())
                    );
                })
                .map(|field| field["name"].as_str().unwrap().to_owned())
                .collect()
        }
        "quickwit" => {
            let config = plain(&files["index.yaml"]);
            let name = |line: &str| {
                line.trim()
                    .strip_prefix("- {name: ")
                    .unwrap()
                    .split(',')
                    .next()
                    .unwrap()
                    .to_owned()
            };
            assert!(
                config.contains("\n  store_source: false\n")
                    && config.contains("\nindex_id: heedful\n")
            );
            config
                .lines()
                .filter(|line| line.contains("stored: false"))
                .inspect(|line| assert!(line.contains("record: position")))
                .map(name)
                .collect()
        }
        _ => {
            let mapping = json(&files["mapping.json"]);
            let excluded = mapping["mappings"]["_source"]["excludes"]
                .as_array()
                .unwrap();
            for (name, field) in mapping["mappings"]["properties"].as_object().unwrap() {
                let is_searched = excluded.contains(&name.as_str().into());
                assert_eq!(
                    field["position_increment_gap"] == 1000,
                    is_searched,
                    "{name}"
                );
                assert!(field["store"].is_null());
            }
            excluded
                .iter()
                .map(|name| name.as_str().unwrap().to_owned())
                .collect()
        }
    };
    fields.sort();
    fields
}

#[test]
fn nothing_withheld_is_in_any_file() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    for engine in engines() {
        for (name, bytes) in export(engine, &input, &[]) {
            let text = shown(&name, &bytes);
            assert!(
                !text.contains("secret") && !text.contains("/away") && !text.contains("/out/"),
                "{engine} {name}"
            );
        }
        let mut seen = 0;
        for (name, bytes) in export(
            engine,
            Path::new("corpus/site"),
            &["--url", "https://site.example/"],
        ) {
            let text = shown(&name, &bytes).to_lowercase();
            seen += text.matches("bricklayer").count();
            for word in WITHHELD {
                assert!(
                    !text.contains(&word.to_lowercase()),
                    "{engine} {name}: {word}"
                );
            }
        }
        assert!(seen > 0, "{engine}: the text is not there at all");
    }
}

#[test]
fn what_is_no_page_any_more_is_deleted() {
    let folder = TempDir::new().unwrap();
    let answer = |url: &str, status: u16| {
        let response = format!("HTTP/1.1 {status} X\r\nContent-Type: text/html\r\n\r\n<p>page");
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\n\
             Content-Length: {}\r\n\r\n{response}\r\n\r\n",
            response.len()
        )
    };
    let statuses = [200, 404, 410, 301, 304, 429, 503, 206];
    let text: String = statuses
        .iter()
        .map(|status| answer(&format!("https://site.example/{status}"), *status))
        .collect();
    let path = folder.path().join("answers.warc");
    std::fs::write(&path, text).unwrap();
    for engine in engines().filter(|engine| !["wet", "ciff"].contains(engine)) {
        let (found, deletions) = documents(engine, &export(engine, &path, &[]));
        assert_eq!(
            (found.len(), deletions),
            (1, 3),
            "{engine}: 404, 410 and 301 are gone, the others say nothing"
        );
    }
}

#[test]
fn the_last_word_on_a_url_holds() {
    let folder = TempDir::new().unwrap();
    let line = |url: &str, html: &str| serde_json::json!({"url": url, "html": html}).to_string();
    let deny = "<meta name=robots content=noindex>";
    let said = [
        line("https://site.example/a", "<p>firstversion"),
        line("https://site.example/b", "<p>withdrawn"),
        line("https://site.example/c", deny),
        line("https://site.example/a#x", "<p>secondversion"),
        line("HTTPS://SITE.example/b", deny),
        line("https://site.example/c", "<p>admitted"),
    ];
    let input = written(folder.path(), &said);
    for engine in engines() {
        let files = export(engine, &input, &["--file-bytes", "1"]);
        let text: String = files
            .iter()
            .map(|(name, bytes)| shown(name, bytes))
            .collect();
        assert!(
            !text.contains("firstversion") && !text.contains("withdrawn"),
            "{engine}"
        );
        assert!(
            text.contains("secondversion") && text.contains("admitted"),
            "{engine}"
        );
        let summary = json(&files["export.json"]);
        assert_eq!(
            (summary["documents"].as_u64(), summary["deletions"].as_u64()),
            (Some(2), Some(1)),
            "{engine}"
        );
        if engine != "wet" {
            let (found, deletions) = documents(engine, &files);
            let deleted = if engine == "ciff" { 0 } else { 1 };
            assert_eq!((found.len(), deletions), (2, deleted), "{engine}");
        }
        if engine == "quickwit" {
            assert_eq!(tasks(&[&files["delete-tasks.ndjson"]]), (1, 2));
        }
    }
}

#[test]
fn files_are_cut_between_documents() {
    let site = Path::new("corpus/site");
    for engine in ["elasticsearch", "solr", "quickwit", "manticore", "wet"] {
        let whole = export(engine, site, &["--url", "https://site.example/"]);
        let cut = export(
            engine,
            site,
            &["--url", "https://site.example/", "--file-bytes", "9000"],
        );
        let is_entries = |name: &&String| {
            ["bulk-", "update-", "documents-", "statements-", "text-"]
                .iter()
                .any(|start| name.starts_with(start))
        };
        let names: Vec<_> = cut.keys().filter(is_entries).collect();
        assert!(names.len() > 2, "{engine}: {names:?}");
        assert!(
            names
                .iter()
                .enumerate()
                .all(|(number, name)| name.contains(&format!("-{:05}.", number + 1)))
        );
        for name in &names {
            let most = if engine == "solr" {
                9000 + 2 * cut[*name].len() / 100
            } else {
                9000
            };
            assert!(
                cut[*name].len() <= most,
                "{engine} {name}: {}",
                cut[*name].len()
            );
        }
        let listed = json(&cut["export.json"])["files"].as_array().unwrap().len();
        let others = cut
            .keys()
            .filter(|name| name.starts_with("delete-"))
            .count();
        assert_eq!(listed, names.len() + others);
        if engine == "wet" {
            let texts = |files: &BTreeMap<String, Vec<u8>>| {
                files
                    .values()
                    .flat_map(|bytes| conversions(bytes))
                    .collect::<Vec<_>>()
            };
            assert_eq!(texts(&whole), texts(&cut));
        } else {
            assert_eq!(documents(engine, &whole), documents(engine, &cut));
        }
    }
}

/// Returns the head and the text of each record in a WET file, except the `warcinfo` with which the
/// file must begin. Returns no records for a file that is not gzip.
fn conversions(bytes: &[u8]) -> Vec<(String, String)> {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return Vec::new();
    }
    let text = plain(bytes);
    let mut records = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (head, behind) = rest.split_once("\r\n\r\n").unwrap();
        let length: usize = field(head, "Content-Length").unwrap().parse().unwrap();
        records.push((head.to_owned(), behind[..length].to_owned()));
        rest = behind[length..].strip_prefix("\r\n\r\n").unwrap();
    }
    assert!(
        records
            .iter()
            .all(|(head, _)| head.starts_with("WARC/1.1\r\n"))
    );
    assert_eq!(field(&records.remove(0).0, "WARC-Type"), Some("warcinfo"));
    records
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn texts_are_records_of_an_archive() {
    let folder = TempDir::new().unwrap();
    let files = export("wet", &input(folder.path()), &[]);
    let records = conversions(&files["text-00001.warc.wet.gz"]);
    assert_eq!(records.len(), 5);
    let (head, text) = &records[0];
    for (name, value) in [
        ("WARC-Type", "conversion"),
        ("WARC-Target-URI", "https://site.example/plain"),
        ("WARC-Date", "1994-11-06T08:49:37Z"),
        ("Content-Type", "text/plain"),
        ("WARC-Identified-Payload-Type", "text/plain"),
    ] {
        assert_eq!(field(head, name), Some(value));
    }
    assert_eq!(
        text,
        "Plain title\nPlain heading\n\nalfa bravo\ncharlie delta\n\nnext sold again\n"
    );
    let denied = |url: &str| {
        let of = |(head, _): &&(String, String)| field(head, "WARC-Target-URI") == Some(url);
        field(&records.iter().find(of).unwrap().0, "X-Heedful-Denied").map(str::to_owned)
    };
    assert_eq!(denied("https://site.example/plain"), None);
    assert_eq!(
        denied("https://site.example/mute").unwrap(),
        "archive, snippet, train, input"
    );
    assert_eq!(
        denied("https://site.example/shy").unwrap(),
        "snippet, input",
        "a part of the text denies it"
    );
    // Each record has its own gzip member, so that readers can begin at any record.
    let members = files["text-00001.warc.wet.gz"]
        .windows(4)
        .filter(|bytes| bytes == &[0x1F, 0x8B, 8, 0])
        .count();
    assert!(members >= 6, "{members}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    for engine in engines() {
        assert_eq!(
            export(engine, &input, &["-j", "1"]),
            export(engine, &input, &["-j", "4"]),
            "{engine}"
        );
    }
}

#[test]
fn a_need_leaves_pages_out() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    let urls = |more: &[&str]| {
        let (found, deletions) = documents("elasticsearch", &export("elasticsearch", &input, more));
        assert_eq!(found.len() + deletions, PAGES.len());
        found
            .into_keys()
            .map(|url| url.rsplit('/').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(urls(&[]), ["mute", "plain", "short", "shy", "untrained"]);
    assert_eq!(urls(&["--use", "train"]), ["plain", "short", "shy"]);
    assert_eq!(
        urls(&["--use", "train", "--conventions", "web,-noarchive-train"]),
        ["mute", "plain", "short", "shy"]
    );
    assert_eq!(urls(&["--use", "input"]), ["plain", "short", "untrained"]);
    assert_eq!(urls(&["--use", "archive,train"]), ["plain", "short", "shy"]);
    // If a part of the text is denied a use, the page does not allow it. Denials in parts without
    // text do not count.
    assert_eq!(urls(&["--use", "snippet"]), ["plain", "short", "untrained"]);
    assert_eq!(
        urls(&["--use", "train", "--deny-element", "notrain=h1"]),
        ["short", "shy"]
    );
    assert_eq!(
        urls(&["--use", "train", "--deny-element", "notrain=img"]),
        ["short", "shy"]
    );
}

#[test]
fn a_stream_says_the_same_in_order() {
    let folder = TempDir::new().unwrap();
    let path = input(folder.path()).display().to_string();
    let stream = |engine: &str| {
        let (status, out, told) = heedful(&["filter", "--to", engine, &path, "--at", "2026-11-21"]);
        assert_eq!(status, 0, "{told}");
        out
    };
    let files = |engine: &str| export(engine, Path::new(&path), &[]);
    assert_eq!(
        stream("elasticsearch"),
        files("elasticsearch")["bulk-00001.ndjson"]
    );
    assert_eq!(
        stream("quickwit"),
        files("quickwit")["documents-00001.ndjson"]
    );
    assert_eq!(
        stream("manticore"),
        files("manticore")["statements-00001.sql"]
    );
    assert_eq!(stream("wet"), files("wet")["text-00001.warc.wet.gz"]);
    let commands = lines(&stream("solr"));
    let adds: Vec<_> = commands
        .iter()
        .filter_map(|line| line["add"]["doc"].as_object())
        .cloned()
        .map(Value::Object)
        .collect();
    assert_eq!(
        Value::Array(adds),
        json(&files("solr")["update-00001.json"])
    );
    let deletes: Vec<_> = commands
        .iter()
        .filter_map(|line| line["delete"].as_array())
        .flatten()
        .collect();
    assert_eq!(deletes.len(), 2);
}

#[test]
fn an_export_stands_whole_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    let output = folder.path().join("out");
    let exporter = Exporter::new(
        Engine::Elasticsearch,
        SystemTime::UNIX_EPOCH + Duration::from_secs(1),
    );
    let entry = entry(&exporter, "<p>alfa");
    {
        let mut unfinished = ExportFolder::create(&output, exporter.clone(), 1000).unwrap();
        unfinished.put(&entry).unwrap();
    }
    assert!(
        files(&output).is_empty(),
        "what was given up leaves nothing"
    );
    // A killed run leaves a hidden folder, which the next run ignores.
    std::fs::create_dir(output.join(".unfinished-x")).unwrap();
    let mut whole = ExportFolder::create(&output, exporter.clone(), 1000).unwrap();
    whole.put(&entry).unwrap();
    let exported = whole.finish().unwrap();
    assert_eq!(
        (exported.documents, exported.deletions, exported.files),
        (1, 0, vec!["bulk-00001.ndjson".to_owned()])
    );
    let refused = ExportFolder::create(&output, exporter.clone(), 1000)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("holds an export already"), "{refused}");
    let refused = ExportFolder::create(folder.path(), exporter, 1000)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("is not empty (`out`)"), "{refused}");
}

fn entry(exporter: &Exporter, html: &str) -> ExportEntry {
    exporter
        .page(&page(html), &Capture::default())
        .unwrap()
        .unwrap()
}

fn page(html: &str) -> Page {
    let filter =
        Filter::new(Bot::new("FooBot").unwrap()).conventions(Conventions::parse("web").unwrap());
    filter
        .page("https://site.example/x", &[], html.as_bytes())
        .unwrap()
}

#[test]
fn the_record_that_a_text_is_from_is_named_if_it_is_known() {
    let exporter = Exporter::new(Engine::Wet, SystemTime::UNIX_EPOCH);
    let text = |record| {
        let capture = Capture {
            captured: None,
            date: Some("nonsense"),
            record,
        };
        plain(
            &exporter
                .page(&page("<p>alfa"), &capture)
                .unwrap()
                .unwrap()
                .message(),
        )
    };
    let named = text(Some("<urn:uuid:1234>"));
    assert_eq!(field(&named, "WARC-Refers-To"), Some("<urn:uuid:1234>"));
    assert_eq!(
        field(&named, "WARC-Date"),
        Some("1970-01-01T00:00:00Z"),
        "an unreadable date is that of the export"
    );
    assert_eq!(field(&text(None), "WARC-Refers-To"), None);
    assert_eq!(
        field(&text(Some("<x>\r\nWARC-Type: warcinfo")), "WARC-Refers-To"),
        None
    );
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    assert_eq!(Engine::parse("quickwit").unwrap(), Engine::Quickwit);
    assert_eq!(Engine::parse("sphinx").unwrap(), Engine::Manticore);
    assert!(
        Exporter::new(Engine::Manticore, SystemTime::UNIX_EPOCH)
            .name("web-2")
            .is_err()
    );
    assert!(
        Engine::parse("lucene")
            .unwrap_err()
            .to_string()
            .contains("elasticsearch, opensearch")
    );
    assert!(Uses::parse_names("train, snippet").is_ok());
    let exporter = Exporter::new(Engine::OpenSearch, SystemTime::UNIX_EPOCH);
    assert!(exporter.clone().name("web-2").is_ok());
    for bad in ["", "ab", "Web", "-web", "a/b", "a*c", "2web", "w\u{e9}b"] {
        assert!(exporter.clone().name(bad).is_err(), "{bad}");
    }
    assert!(
        exporter
            .removed_url(&format!("https://site.example/{}", "x".repeat(9000)), None)
            .is_none()
    );
    for (arguments, expected) in [
        (
            &[
                "export", "--to", "solr", "-o", "x", "--name", "web", "x.html",
            ][..],
            "name no index",
        ),
        (
            &[
                "export", "--to", "solr", "-o", "x", "-b", "a", "-b", "b", "x.html",
            ],
            "for one bot",
        ),
        (
            &["export", "--to", "lucene", "-o", "x", "x.html"],
            "no engine that we write for",
        ),
        (
            &[
                "export", "--to", "solr", "-o", "x", "--use", "notrain", "x.html",
            ],
            "nothing that can be asked for",
        ),
        (
            &["filter", "--to", "solr", "--snapshot", "x.html"],
            "cannot be used with",
        ),
        (&["filter", "--use", "train", "x.html"], "--to <ENGINE>"),
    ] {
        let (status, _, told) = heedful(arguments);
        assert!(
            status == 2 && told.contains(expected),
            "{arguments:?}: {told}"
        );
    }
}
