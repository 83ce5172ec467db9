//! Parsers for exports to Sphinx and Manticore, in CIFF and in Parquet, and tests of the contents
//! of such exports.

use std::collections::BTreeMap;
use std::path::Path;

use heedful::words;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::export::{export, heedful, input, written};

/// The files of an export, by name.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Returns the documents of an export, each with the key `url`, and the number of URLs that the
/// export deletes.
pub(crate) fn documents(engine: &str, files: &Files) -> (Vec<Value>, usize) {
    match engine {
        "manticore" => {
            let (found, deleted) = statements(&joined(files, "statements-"));
            (found, deleted.len())
        }
        "ciff" => (Ciff::read(&files["index.ciff"]).documents(), 0),
        _ => (tables(files, "pages-"), tables(files, "gone-").len()),
    }
}

/// Returns all text that anybody with an exported binary file can see in it. Returns None if the
/// file is a text file.
pub(crate) fn text(name: &str, bytes: &[u8]) -> Option<String> {
    let files = || Files::from([(name.to_owned(), bytes.to_vec())]);
    match name.rsplit('.').next() {
        Some("ciff") => Some(Value::Array(Ciff::read(bytes).documents()).to_string()),
        Some("parquet") => Some(Value::Array(tables(&files(), "")).to_string()),
        _ => None,
    }
}

fn joined(files: &Files, start: &str) -> String {
    let of = files.iter().filter(|(name, _)| name.starts_with(start));
    of.map(|(_, bytes)| std::str::from_utf8(bytes).unwrap())
        .collect()
}

/// Parses SQL statements. Returns the rows that they write, as objects with a key for each column,
/// and the identifiers that they delete.
fn statements(text: &str) -> (Vec<Value>, Vec<String>) {
    let (mut rows, mut deleted) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let line = line.strip_suffix(';').unwrap();
        if let Some(id) = line.strip_prefix("DELETE FROM heedful WHERE id = ") {
            assert!(id.parse::<i64>().unwrap() > 0);
            deleted.push(id.to_owned());
            continue;
        }
        let (names, values) = line
            .strip_prefix("REPLACE INTO heedful (")
            .unwrap()
            .strip_suffix(')')
            .unwrap()
            .split_once(") VALUES (")
            .unwrap();
        let (names, values): (Vec<&str>, _) = (names.split(", ").collect(), values_of(values));
        assert_eq!(names.len(), values.len());
        rows.push(names.into_iter().map(str::to_owned).zip(values).collect());
    }
    (rows, deleted)
}

/// Parses SQL values: numbers, and strings in single quotes, in which a backslash escapes quotes
/// and backslashes.
fn values_of(mut text: &str) -> Vec<Value> {
    let mut values = Vec::new();
    while !text.is_empty() {
        let end = if let Some(quoted) = text.strip_prefix('\'') {
            let (mut value, mut chars) = (String::new(), quoted.char_indices());
            let end = loop {
                match chars.next().unwrap() {
                    (at, '\'') => break at + 2,
                    (_, '\\') => value.push(chars.next().unwrap().1),
                    (_, c) => value.push(c),
                }
            };
            values.push(Value::String(value));
            end
        } else {
            let end = text.find(',').unwrap_or(text.len());
            values.push(json!(text[..end].parse::<i64>().unwrap()));
            end
        };
        text = text[end..].strip_prefix(", ").unwrap_or(&text[end..]);
    }
    values
}

/// An exported index in CIFF, parsed by the definition of the format.
struct Ciff {
    header: Message,
    lists: Vec<Message>,
    records: Vec<Message>,
}

/// The fields of a Protocol Buffers message, in order: the number of each field, and its value (a
/// number or bytes).
type Message = Vec<(u64, Result<u64, Vec<u8>>)>;

fn varint(bytes: &mut &[u8]) -> u64 {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    number
        .iter()
        .rev()
        .fold(0, |all, byte| all << 7 | u64::from(byte & 0x7F))
}

fn bytes_of(bytes: &mut &[u8]) -> Vec<u8> {
    let length = varint(bytes) as usize;
    let (value, rest) = bytes.split_at(length);
    *bytes = rest;
    value.to_vec()
}

fn message(mut bytes: &[u8]) -> Message {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let value = match tag & 7 {
            0 => Ok(varint(&mut bytes)),
            2 => Err(bytes_of(&mut bytes)),
            kind => {
                assert_eq!(kind, 1);
                let (value, rest) = bytes.split_at(8);
                bytes = rest;
                Ok(u64::from_le_bytes(value.try_into().unwrap()))
            }
        };
        fields.push((tag >> 3, value));
    }
    fields
}

fn number(message: &Message, field: u64) -> u64 {
    let found = message.iter().find(|(number, _)| *number == field).unwrap();
    *found.1.as_ref().unwrap()
}

fn string(message: &Message, field: u64) -> String {
    let found = message.iter().find(|(number, _)| *number == field).unwrap();
    String::from_utf8(found.1.clone().unwrap_err()).unwrap()
}

impl Ciff {
    fn read(mut bytes: &[u8]) -> Self {
        let bytes = &mut bytes;
        let header = message(&bytes_of(bytes));
        let lists = (0..number(&header, 2))
            .map(|_| message(&bytes_of(bytes)))
            .collect();
        let records = (0..number(&header, 3))
            .map(|_| message(&bytes_of(bytes)))
            .collect();
        assert!(bytes.is_empty());
        Self {
            header,
            lists,
            records,
        }
    }

    /// Returns each document of a CIFF index with its words and their frequencies.
    fn documents(&self) -> Vec<Value> {
        let of = |(number, record): (usize, &Message)| {
            assert_eq!(super::formats::number(record, 1), number as u64);
            json!({"url": string(record, 2), "length": super::formats::number(record, 3), "words": {}})
        };
        let mut documents: Vec<Value> = self.records.iter().enumerate().map(of).collect();
        for list in &self.lists {
            let postings: Vec<_> = list.iter().filter(|(field, _)| *field == 4).collect();
            let (mut at, mut all) = (0, 0);
            for (place, (_, posting)) in postings.iter().enumerate() {
                let posting = message(posting.as_ref().unwrap_err());
                let (distance, count) = (number(&posting, 1), number(&posting, 2));
                assert!(distance > 0 || place == 0);
                (at, all) = (at + distance, all + count);
                documents[at as usize]["words"][string(list, 1)] = count.into();
            }
            assert_eq!(
                (number(list, 2), number(list, 3)),
                (postings.len() as u64, all)
            );
        }
        documents
    }
}

pub(crate) fn tables(files: &Files, start: &str) -> Vec<Value> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, Row};

    fn row(row: &Row) -> Value {
        row.get_column_iter()
            .map(|(name, value)| (name.clone(), field(value)))
            .collect()
    }
    fn field(value: &Field) -> Value {
        match value {
            Field::Null => Value::Null,
            Field::Bool(flag) => json!(flag),
            Field::Long(number) | Field::TimestampMicros(number) => json!(number),
            Field::Str(text) => json!(text),
            Field::Group(group) => row(group),
            Field::ListInternal(list) => list.elements().iter().map(field).collect(),
            other => panic!("{other:?}"),
        }
    }
    let of = files
        .iter()
        .filter(|(name, _)| name.starts_with(start) && name.ends_with(".parquet"));
    let rows = |bytes: &Vec<u8>| {
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).unwrap();
        reader
            .get_row_iter(None)
            .unwrap()
            .map(|found| row(&found.unwrap()))
            .collect::<Vec<_>>()
    };
    of.flat_map(|(_, bytes)| rows(bytes)).collect()
}

/// Returns the output of `heedful filter` with these options for the pages of an input, by URL.
fn filtered(input: &Path, more: &[&str]) -> BTreeMap<String, Value> {
    let input = input.display().to_string();
    let (status, out, told) = heedful(&[&["filter", &input, "--at", "2026-11-21"], more].concat());
    assert_eq!(status, 0, "{told}");
    let pages = std::str::from_utf8(&out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    pages
        .filter(|page| page["verdict"]["index"] == true)
        .map(|page| (page["url"].as_str().unwrap().to_owned(), page))
        .collect()
}

fn by_url(found: Vec<Value>) -> BTreeMap<String, Value> {
    found
        .into_iter()
        .map(|page| (page["url"].as_str().unwrap().to_owned(), page))
        .collect()
}

fn texts(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

#[test]
fn statements_hold_what_may_be_had() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    let files = export("manticore", &input, &[]);
    let (found, deleted) = statements(&joined(&files, "statements-"));
    assert_eq!((found.len(), deleted.len()), (5, 2));
    let found = by_url(found);
    let pages = filtered(&input, &[]);
    for (url, page) in &pages {
        for (field, key) in [
            ("body", "phrases"),
            ("title", "title"),
            ("headings", "headings"),
            ("alt", "alt"),
        ] {
            assert_eq!(
                found[url][field],
                texts(&page[key]).join(" \u{2029} "),
                "{url} {field}"
            );
        }
        for key in ["excerpt", "shown_title", "input"] {
            assert_eq!(found[url][key], page[key], "{url} {key}");
        }
    }
    let plain = &found["https://site.example/plain"];
    assert_eq!(
        plain["body"],
        "Plain heading alfa bravo \u{2029} charlie delta next sold again"
    );
    assert_eq!(
        (&plain["sites"], &plain["denied"]),
        (&json!(r#"["site.example","example"]"#), &json!("[]"))
    );
    assert!(
        plain["links"].as_str().unwrap().contains("/next")
            && !plain["links"].as_str().unwrap().contains("/away")
    );
    assert_eq!(
        (
            plain["max_snippet"].as_i64(),
            plain["unavailable_after"].as_i64()
        ),
        (Some(-1), Some(253_402_300_799))
    );
    let short = &found["https://site.example/short"];
    assert_eq!(
        (
            short["max_snippet"].as_i64(),
            short["unavailable_after"].as_i64()
        ),
        (Some(10), Some(10_413_792_000))
    );
}

/// The schemas for Sphinx and Manticore have the columns of the SQL statements, and store no field
/// that may only be searched.
#[test]
fn an_index_of_statements_stores_nothing_that_is_only_searched() {
    let folder = TempDir::new().unwrap();
    let files = export("sphinx", &input(folder.path()), &["--name", "web_2"]);
    let text = |name: &str| std::str::from_utf8(&files[name]).unwrap();
    assert!(text("statements-00001.sql").starts_with("REPLACE INTO web_2 (id, "));
    let (create, configuration) = (text("create.sql"), text("sphinx.conf"));
    let columns = create
        .strip_prefix("CREATE TABLE web_2 (")
        .unwrap()
        .split_once(") ")
        .unwrap();
    assert!(
        columns
            .1
            .ends_with("phrase_boundary='U+2029' phrase_boundary_step='1000';\n"),
        "{create}"
    );
    let columns: Vec<_> = columns
        .0
        .split(", ")
        .map(|column| column.split_once(' ').unwrap())
        .collect();
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    let told = format!("REPLACE INTO web_2 (id, {}) VALUES", names.join(", "));
    assert!(text("statements-00001.sql").starts_with(&told), "{told}");
    for wanted in [
        "index web_2\n",
        "\n\tphrase_boundary = U+2029\n",
        "\n\tphrase_boundary_step = 1000\n",
        "type = rt\n",
    ] {
        assert!(configuration.contains(wanted), "{wanted}");
    }
    let searched = ["title", "headings", "description", "body", "alt"];
    for (name, kind) in columns {
        let lines = configuration
            .lines()
            .filter_map(|line| line.trim().strip_suffix(name));
        let kinds: Vec<_> = lines.filter_map(|line| line.strip_suffix(" = ")).collect();
        let expected = match kind {
            "text indexed" => vec!["rt_field"],
            "string" | "text stored" => vec!["rt_attr_string"],
            "json" => vec!["rt_attr_json"],
            _ => vec!["rt_attr_bigint"],
        };
        assert_eq!(
            (kinds, kind == "text indexed"),
            (expected, searched.contains(&name)),
            "{name}"
        );
    }
}

/// A field of an export ends before its word positions exceed the engine's maximum. Beyond the
/// maximum the positions would start again, and later words would seem to be next to the first
/// ones.
#[test]
fn a_field_ends_before_its_positions_do() {
    let folder = TempDir::new().unwrap();
    let many: String = (0..9000)
        .map(|number| format!("<p>a{number}<!--noindex-->x<!--/noindex-->"))
        .collect();
    let long = "b ".repeat(2_500_000);
    let pages = [
        ("many", many),
        (
            "long",
            format!("<p>{long}<a href='it&#39;s\\'>\u{2029}c</a>"),
        ),
    ];
    let lines = pages.map(|(name, html)| {
        json!({"url": format!("https://site.example/{name}"), "html": html}).to_string()
    });
    let files = export("manticore", &written(folder.path(), &lines), &[]);
    let found = by_url(statements(&joined(&files, "statements-")).0);
    let phrases: Vec<_> = found["https://site.example/many"]["body"]
        .as_str()
        .unwrap()
        .split(" \u{2029} ")
        .collect();
    assert!(
        (7900..8000).contains(&phrases.len()) && phrases[7000] == "a7000",
        "{}",
        phrases.len()
    );
    let long = &found["https://site.example/long"];
    assert!(long["body"].as_str().unwrap().ends_with("b c"));
    assert_eq!(long["excerpt"].as_str().unwrap().len(), 3_000_000);
    assert_eq!(long["links"], r#"["https://site.example/it's/"]"#);
}

#[test]
fn an_index_of_postings_has_the_words_of_the_pages() {
    let folder = TempDir::new().unwrap();
    let lines: Vec<String> = [
        (
            "https://site.example/b",
            "<title>One Two</title><p>two THREE <!--noindex-->four<!--/noindex--> three Ａ 漢字",
        ),
        ("https://site.example/a", "<p>two two<img src=x alt='five'>"),
        ("https://site.example/c", "<p>"),
        (
            "https://site.example/d",
            "<meta name=robots content=noindex><p>six",
        ),
    ]
    .map(|(url, html)| json!({"url": url, "html": html}).to_string())
    .into();
    let input = written(folder.path(), &lines);
    let index = Ciff::read(&export("ciff", &input, &[])["index.ciff"]);
    let documents = index.documents();
    let urls: Vec<_> = documents
        .iter()
        .map(|page| page["url"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        urls,
        [
            "https://site.example/a",
            "https://site.example/b",
            "https://site.example/c"
        ]
    );
    assert_eq!(documents[0]["words"], json!({"two": 2}));
    let expected = json!({"one": 1, "two": 2, "three": 2, "a": 1, "漢": 1, "字": 1});
    assert_eq!(documents[1]["words"], expected);
    assert_eq!(
        documents[2],
        json!({"url": "https://site.example/c", "length": 0, "words": {}})
    );
    let (header, of) = (&index.header, |field| number(&index.header, field));
    assert_eq!(
        [of(1), of(2), of(3), of(4), of(5), of(6)],
        [1, 6, 3, 6, 3, 10]
    );
    assert_eq!(f64::from_bits(of(7)), 10.0 / 3.0);
    assert!(string(header, 8).starts_with("heedful "));
    let terms: Vec<_> = index.lists.iter().map(|list| string(list, 1)).collect();
    assert!(terms.is_sorted());
}

#[test]
fn an_index_of_postings_agrees_with_the_filter() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    let found = by_url(Ciff::read(&export("ciff", &input, &[])["index.ciff"]).documents());
    let pages = filtered(&input, &[]);
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        pages.keys().collect::<Vec<_>>()
    );
    for (url, page) in pages {
        let mut counts = BTreeMap::new();
        for phrase in texts(&page["title"])
            .into_iter()
            .chain(texts(&page["phrases"]))
        {
            for word in words(phrase).filter_map(|word| word.folded()) {
                *counts.entry(word.into_owned()).or_insert(0) += 1;
            }
        }
        assert_eq!(found[&url]["length"], counts.values().sum::<i32>());
        assert_eq!(found[&url]["words"], json!(counts), "{url}");
    }
}

#[test]
fn rows_are_those_of_the_filter() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    let files = export("parquet", &input, &[]);
    let found = by_url(tables(&files, "pages-"));
    let pages = filtered(&input, &[]);
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        pages.keys().collect::<Vec<_>>()
    );
    let mut same = 0;
    for (url, page) in &pages {
        for (key, value) in page
            .as_object()
            .unwrap()
            .iter()
            .filter(|(key, _)| found[url].get(key).is_some())
        {
            let mut value = value.clone();
            if key == "links" {
                let links = value.as_array_mut().unwrap();
                links.retain(|link| link["follow"] == true);
                for link in links {
                    link.as_object_mut().unwrap().remove("why");
                }
            }
            assert_eq!(found[url][key], value, "{url} {key}");
            same += 1;
        }
        for key in ["lang", "content_type", "status"] {
            assert_eq!(found[url][key], page["about"][key], "{url} {key}");
        }
    }
    assert_eq!(same, 12 * pages.len());
    let plain = &found["https://site.example/plain"];
    assert_eq!(
        (&plain["url_surtkey"], &plain["url_host_name"]),
        (&json!("example,site)/plain"), &json!("site.example"))
    );
    assert_eq!(plain["fetch_time"], 784_111_777_000_000_i64);
    assert_eq!(
        (&plain["canonical"], &plain["warc_record_id"]),
        (&json!("https://site.example/plain"), &Value::Null)
    );
    assert!(
        found
            .values()
            .any(|page| page["links"].as_array().unwrap().is_empty())
    );
    let gone = tables(&files, "gone-");
    let ids: Vec<_> = gone.iter().map(|row| row["id"].as_str().unwrap()).collect();
    // The SHA-1 of https://site.example/gone, and of https://site.example/out/x.
    assert_eq!(
        ids,
        [
            "ba9f8ab18057b8cb3ebe9e9579405d4f05951b8a",
            "3f8d3f847dfeb1bd007090edea1dd99e0083df40"
        ]
    );
    assert!(gone.iter().all(|row| row.as_object().unwrap().len() == 2));
    assert_eq!(plain["id"], "6ad5cc7fffd77fcb37420c951bc39deb8fefb8c2");
}

#[test]
fn a_table_has_blocks_if_they_are_asked_for() {
    let folder = TempDir::new().unwrap();
    let input = input(folder.path());
    let pages = filtered(&input, &["--blocks"]);
    let plain = by_url(tables(&export("parquet", &input, &[]), "pages-"));
    let found = by_url(tables(&export("parquet", &input, &["--blocks"]), "pages-"));
    assert_eq!(found.len(), pages.len());
    let mut blocks = 0;
    for (url, page) in &pages {
        assert_eq!(found[url]["blocks"], page["blocks"], "{url}");
        blocks += page["blocks"].as_array().unwrap().len();
        let mut row = found[url].clone();
        row.as_object_mut().unwrap().remove("blocks");
        assert_eq!(row, plain[url], "{url}");
    }
    assert!(blocks > pages.len());
}

#[test]
fn blocks_are_for_tables_alone() {
    let folder = TempDir::new().unwrap();
    for engine in ["wet", "solr", "ciff"] {
        let output = folder.path().join(engine).display().to_string();
        let (status, _, told) = heedful(&[
            "export",
            "--to",
            engine,
            "--blocks",
            "-o",
            &output,
            "nowhere.html",
        ]);
        assert!(
            status == 2 && told.contains(&format!("the files for {engine} have no blocks")),
            "{told}"
        );
        assert!(!Path::new(&output).exists());
    }
}

#[test]
fn what_is_made_of_all_pages_is_no_stream() {
    for engine in ["ciff", "parquet"] {
        let (status, _, told) = heedful(&["filter", "--to", engine, "nowhere.html"]);
        assert!(
            status == 2 && told.contains(&format!("heedful export --to {engine}")),
            "{told}"
        );
    }
}
