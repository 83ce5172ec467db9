//! Generates archives, so that a fresh clone of the project tests the same files. Also generates
//! random numbers: the same seed gives the same numbers.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tempfile::TempDir;

/// Returns the next random number of splitmix64, and advances the state of the generator.
pub(crate) fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Generator of random numbers. The same seed gives the same numbers.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(mixed(&mut self.0) >> 1).unwrap() % end
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count)
            .map(|_| u8::try_from(self.below(256)).unwrap())
            .collect()
    }

    /// Returns `count` random words that compress badly, like real text.
    pub(crate) fn words(&mut self, count: usize) -> String {
        let mut word = || {
            (0..3)
                .map(|_| ["ka", "ro", "mi", "tel", "su", "na", "be", "lu"][self.below(8)])
                .collect()
        };
        (0..count)
            .map(|_| word())
            .collect::<Vec<String>>()
            .join(" ")
    }
}

/// Returns a temporary folder, in memory if possible.
pub(crate) fn folder() -> TempDir {
    TempDir::new_in("/dev/shm")
        .or_else(|_| TempDir::new())
        .unwrap()
}

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns `bytes` packed as a zstd frame, with a checksum.
pub(crate) fn zst(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

pub(crate) fn packed_each(records: &[Vec<u8>], pack: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    records.iter().flat_map(|record| pack(record)).collect()
}

/// Returns a WARC record. `kind` is its type, and `fields` are additional header lines.
pub(crate) fn warc(kind: &str, url: &str, fields: &str, content: &[u8]) -> Vec<u8> {
    let content_type = match kind {
        "response" | "revisit" => "application/http; msgtype=response",
        "request" => "application/http; msgtype=request",
        _ => "application/warc-fields",
    };
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{fields}Content-Type: {content_type}\r\n\
         Content-Length: {}\r\n\r\n",
        content.len()
    );
    [head.as_bytes(), content, b"\r\n\r\n"].concat()
}

/// Returns an HTTP response as bytes. `head` is the text after `HTTP/1.1 `.
pub(crate) fn http(head: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat()
}

/// Returns a WARC record with a page as HTTP response.
pub(crate) fn page(url: &str, html: &str) -> Vec<u8> {
    warc(
        "response",
        url,
        "",
        &http("200 OK\r\nContent-Type: text/html", html.as_bytes()),
    )
}

/// Returns a WARC record with a page, as HTTP response, and its fetch date.
pub(crate) fn page_of(url: &str, date: &str, html: &str) -> Vec<u8> {
    let fields = format!("WARC-Date: {date}\r\n");
    warc(
        "response",
        url,
        &fields,
        &http("200 OK\r\nContent-Type: text/html", html.as_bytes()),
    )
}

/// Returns a WARC record with a page. The length in the record is too large by `by` bytes.
pub(crate) fn lying(url: &str, html: &str, by: usize) -> Vec<u8> {
    let record = String::from_utf8(page(url, html)).unwrap();
    let (head, rest) = record.split_once("Content-Length: ").unwrap();
    let (length, rest) = rest.split_once('\r').unwrap();
    format!(
        "{head}Content-Length: {}\r{rest}",
        length.parse::<usize>().unwrap() + by
    )
    .into_bytes()
}

pub(crate) fn robots(site: &str, rules: &str) -> Vec<u8> {
    let content = http("200 OK\r\nContent-Type: text/plain", rules.as_bytes());
    warc("response", &format!("{site}/robots.txt"), "", &content)
}

/// Returns the first record of an ARC file, which states the version of the format.
pub(crate) fn arc_start(version: u8) -> Vec<u8> {
    let names = "URL IP-address Archive-date Content-type Archive-length";
    let content = format!("{version} 0 test\n{names}\n\n");
    format!(
        "filedesc://test.arc 0.0.0.0 20080430000000 text/plain {}\n{content}\n",
        content.len()
    )
    .into_bytes()
}

pub(crate) fn arc(url: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "{url} 10.0.0.1 20080430204825 text/html {}\n",
        content.len()
    );
    [head.as_bytes(), content, b"\n"].concat()
}

/// Returns a line of a JSON Lines file, with a page at this URL.
pub(crate) fn line(url: &str, html: &str) -> Vec<u8> {
    format!("{}\n", serde_json::json!({"url": url, "html": html})).into_bytes()
}

/// Returns a small file of each kind that contains pages, packed in each way.
pub(crate) fn some_of_each() -> Vec<Vec<u8>> {
    let (url, html) = (
        "https://site.example/a",
        "<meta name=robots content=noarchive><p>one <a href=/b rel=ugc>two</a>",
    );
    let body = http(
        "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: foobot: nosnippet",
        html.as_bytes(),
    );
    let rules = "User-agent: *\nDisallow: /b*c$\nCrawl-delay: 2\n";
    let records = [
        robots("https://site.example", rules),
        warc("response", url, "", &body),
        page(url, "<p>three"),
    ];
    let lines = [
        line(url, html),
        line("https://site.example/robots.txt", rules),
        line(url, "<p>four"),
    ];
    let arcs = [arc_start(1), arc(url, &body), arc(url, &body)];
    let files = [records.as_slice(), &lines, &arcs];
    files
        .iter()
        .flat_map(|parts| {
            [
                parts.concat(),
                packed_each(parts, gz),
                packed_each(parts, zst),
                gz(&parts.concat()),
            ]
        })
        .collect()
}

pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}
