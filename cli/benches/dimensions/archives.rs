//! Dimensions of inputs: records, entries, files, and parts of one response.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::Row;
use crate::files::{Files, PAGE, SITE, date, each, read, site, url, with, words};
use crate::made::{arc, arc_start, gz, http, line, lying, packed_each, page, page_of, warc};

pub(crate) const ROWS: &[Row] = &[
    ("lines of JSON Lines", 500, |files, n| {
        read("filter", &files.pages(n), [])
    }),
    ("lines of JSON Lines, each of a site", 500, |files, n| {
        read("filter", &files.sites(n), [])
    }),
    ("objects of an array of JSON", 500, |files, n| {
        let objects = each(n, |i| line(&url(i), PAGE)).join(&b","[..]);
        let array = [b"[", &objects[..], b"]"].concat();
        read("filter", &files.write("pages.json", &array), [])
    }),
    ("lines that are damaged", 2000, |files, n| {
        let input = files.lines("pages.jsonl", n, |i| format!("{{\"url\": \"{}\", ", url(i)));
        read("filter", &input, [])
    }),
    ("records of a WARC", 500, |files, n| {
        read(
            "filter",
            &files.members("x.warc", n, |i| page(&url(i), PAGE)),
            [],
        )
    }),
    ("records of a WARC in gzip", 250, |files, n| {
        let records = each(n, |i| page(&url(i), PAGE));
        read(
            "filter",
            &files.write("x.warc.gz", &packed_each(&records, gz)),
            [],
        )
    }),
    ("records of an ARC", 500, |files, n| {
        let body = http("200 OK\r\nContent-Type: text/html", PAGE.as_bytes());
        let records = each(n, |i| arc(&url(i), &body)).concat();
        read(
            "filter",
            &files.write("x.arc", &[arc_start(1), records].concat()),
            [],
        )
    }),
    ("records that are no page", 1000, |files, n| {
        let input = files.members("x.warc", n, |i| warc("metadata", &url(i), "", b"via: x"));
        read("filter", &input, [])
    }),
    ("records with a wrong length", 250, |files, n| {
        read(
            "filter",
            &files.members("x.warc", n, |i| lying(&url(i), PAGE, 20)),
            [],
        )
    }),
    ("captures of one URL", 500, |files, n| {
        read(
            "filter",
            &files.members("x.warc", n, |i| page_of(SITE, &date(i), PAGE)),
            [],
        )
    }),
    ("redirects from one page to the next", 500, |files, n| {
        let redirect = |i| http(&format!("301 Moved\r\nLocation: /{}", i + 1), b"");
        let input = files.members("x.warc", n, |i| warc("response", &url(i), "", &redirect(i)));
        read("filter", &input, [])
    }),
    ("revisits of one page", 500, |files, n| {
        let fields = format!(
            "WARC-Refers-To-Target-URI: {SITE}\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
        );
        let head = http("200 OK\r\nContent-Type: text/html", b"");
        let page = page(SITE, PAGE);
        let revisits = each(n, |_| warc("revisit", SITE, &fields, &head)).concat();
        read(
            "filter",
            &files.write("x.warc", &[page, revisits].concat()),
            [],
        )
    }),
    ("entries of a WACZ", 250, |files, n| {
        wacz(files, n, CompressionMethod::Stored)
    }),
    ("packed entries of a WACZ", 250, |files, n| {
        wacz(files, n, CompressionMethod::Deflated)
    }),
    ("rows of a table", 500, |files, n| {
        read("filter", &table(files, n, usize::MAX), [])
    }),
    ("row groups of a table", 100, |files, n| {
        read("filter", &table(files, n, 1), [])
    }),
    ("files of a folder", 250, |files, n| {
        read("filter", &files.html_files(n, ""), ["--url", SITE])
    }),
    ("folders of a folder", 250, |files, n| {
        read("filter", &files.html_files(n, "/index"), ["--url", SITE])
    }),
    ("lines of a manifest", 250, |files, n| {
        let name = |i| files.write(&format!("{i}.jsonl"), &line(&url(i), PAGE));
        read("filter", &format!("@{}", files.lines("list", n, name)), [])
    }),
    ("inputs of one run", 250, |files, n| {
        let name = |i| files.write(&format!("{i}.jsonl"), &line(&url(i), PAGE));
        with(words(["filter", "-q", "-j1"]), n, name)
    }),
    ("headers of a response", 100, |files, n| {
        let headers: String = (0..n).map(|i| format!("X-H{i}: word\r\n")).collect();
        read("filter", &response(files, &headers), [])
    }),
    ("headers that deny", 100, |files, n| {
        read(
            "filter",
            &response(files, &"X-Robots-Tag: noarchive\r\n".repeat(n)),
            [],
        )
    }),
    ("headers that deny each bot", 100, |files, n| {
        let headers: String = (0..n)
            .map(|i| format!("X-Robots-Tag: bot{i}: noindex\r\n"))
            .collect();
        read("filter", &response(files, &headers), [])
    }),
    ("links in headers", 100, |files, n| {
        let headers: String = (0..n)
            .map(|i| format!("Link: </{i}>; rel=license\r\n"))
            .collect();
        read("filter", &response(files, &headers), [])
    }),
    ("headers of the command line", 100, |files, n| {
        let input = files.pages(10);
        with(read("filter", &input, []), n, |i| {
            format!("--header=X-Robots-Tag: bot{i}: noindex")
        })
    }),
    ("chunks of a response", 2000, |files, n| {
        let body = ["4\r\nword\r\n".repeat(n).as_bytes(), b"0\r\n\r\n"].concat();
        let content = http(
            "200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked",
            &body,
        );
        read(
            "filter",
            &files.write("x.warc", &warc("response", SITE, "", &content)),
            [],
        )
    }),
];

fn wacz(files: &Files, n: usize, method: CompressionMethod) -> Vec<String> {
    let path = files.path("x.wacz");
    let mut zip = ZipWriter::new(File::create(&path).unwrap());
    let options = SimpleFileOptions::default().compression_method(method);
    for i in 0..n {
        zip.start_file(format!("archive/{i}.warc"), options)
            .unwrap();
        zip.write_all(&page(&format!("{}/", site(i)), PAGE))
            .unwrap();
    }
    zip.finish().unwrap();
    read("filter", &path, [])
}

/// Writes a Parquet table of `n` pages, with `group` pages in each row group. Returns the path of
/// the table.
fn table(files: &Files, n: usize, group: usize) -> String {
    let columns = "message pages { REQUIRED BINARY url (STRING); REQUIRED BINARY html (STRING); }";
    let schema = Arc::new(parse_message_type(columns).unwrap());
    let properties = Arc::new(WriterProperties::default());
    let mut table = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let pages: Vec<_> = (0..n).map(url).collect();
    for urls in pages.chunks(group) {
        let mut writer = table.next_row_group().unwrap();
        let values: Vec<_> = urls.iter().map(|url| url.as_str().into()).collect();
        write_column(&mut writer, &values);
        write_column(&mut writer, &vec![PAGE.into(); urls.len()]);
        writer.close().unwrap();
    }
    files.write("pages.parquet", &table.into_inner().unwrap())
}

fn write_column(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &[ByteArray]) {
    let mut column = group.next_column().unwrap().unwrap();
    let writer = column.typed::<ByteArrayType>();
    writer.write_batch(values, None, None).unwrap();
    column.close().unwrap();
}

/// Writes a WARC with one response that also has the header lines `headers`. Returns the path of
/// the WARC.
fn response(files: &Files, headers: &str) -> String {
    let head = format!("200 OK\r\nContent-Type: text/html\r\n{headers}Server: word");
    let content = http(&head, PAGE.as_bytes());
    files.write("x.warc", &warc("response", SITE, "", &content))
}
