//! Hostile archives, JSON Lines and robots.txt files. They unpack to far more than their size,
//! claim false lengths, or are broken.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Make::Bytes;
use crate::made::{self, http, line, lying, page, warc, zst};
use crate::{GOOD, Row};

const BAD: &str = "https://bad.example/";

pub(crate) const ROWS: &[Row] = &[
    (
        "40 bodies of 60 MB, gzip, in WARC",
        Bytes(|good| records(good, plain, &bodies(40, 60))),
    ),
    (
        "40 bodies of 60 MB, gzip, in WARC in gzip",
        Bytes(|good| records(good, made::gz, &bodies(40, 60))),
    ),
    (
        "24 bodies of 250 MB, gzip, in WARC",
        Bytes(|good| records(good, plain, &bodies(24, 250))),
    ),
    (
        "30 lines of 200 MB, gzip",
        Bytes(|good| lines(good, 30, 200)),
    ),
    ("80 lines of 60 MB, gzip", Bytes(|good| lines(good, 80, 60))),
    ("a zstd frame of 2 GB", Bytes(|good| frames(good, 1, 2000))),
    (
        "100 zstd frames of 200 MB",
        Bytes(|good| frames(good, 100, 200)),
    ),
    (
        "WACZ, an archive of 3 GB",
        Bytes(|good| wacz(good, 1, 3000)),
    ),
    (
        "WACZ, 2,000 entries of 1 MB",
        Bytes(|good| wacz(good, 2000, 1)),
    ),
    (
        "100,000 broken members",
        Bytes(|good| records(good, made::gz, &broken(100_000))),
    ),
    (
        "500 records that lie by 4 MB, plain",
        Bytes(|good| records(good, plain, &lies(500))),
    ),
    (
        "500 records that lie by 4 MB, gzip",
        Bytes(|good| records(good, made::gz, &lies(500))),
    ),
    (
        "10,000 sites that redirect to one of 10,000 captures",
        Bytes(|good| records(good, made::gz, &web(10_000))),
    ),
    (
        "4,000 sites with a robots.txt of 500 kB",
        Bytes(|good| records(good, made::gz, &large(4_000))),
    ),
    (
        "20,000 captures of a robots.txt, and 20,000 pages",
        Bytes(|good| records(good, made::gz, &captures(20_000))),
    ),
    (
        "a member of 300 MB that lies",
        Bytes(|good| records(good, made::gz, &[lying(BAD, &" ".repeat(300_000_000), 74)])),
    ),
];

pub(crate) fn plain(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

/// Returns an archive of the hostile records `bad`. If `good` is true, the records are between two
/// good pages. `pack` compresses each page and each record, unless the record is already
/// compressed.
pub(crate) fn records(good: bool, pack: fn(&[u8]) -> Vec<u8>, bad: &[Vec<u8>]) -> Vec<u8> {
    let pages = GOOD.map(|url| {
        if good {
            pack(&page(url, "<p>good"))
        } else {
            Vec::new()
        }
    });
    let bad = bad.iter().flat_map(|part| {
        if part.starts_with(b"WARC/") {
            pack(part)
        } else {
            part.clone()
        }
    });
    pages[0]
        .iter()
        .copied()
        .chain(bad.collect::<Vec<_>>())
        .chain(pages[1].iter().copied())
        .collect()
}

fn bodies(count: usize, megabytes: usize) -> Vec<Vec<u8>> {
    let body = packed(megabytes, b"", b"");
    let content = http(
        "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip",
        &body,
    );
    (0..count)
        .map(|n| {
            warc(
                "response",
                &format!("https://bad.example/{n}"),
                "",
                &content,
            )
        })
        .collect()
}

/// Returns a gzip member with the bytes `begin`, then this many megabytes of words, then the bytes
/// `end`.
fn packed(megabytes: usize, begin: &[u8], end: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(begin).unwrap();
    let piece = b"word word ".repeat(100_000);
    for _ in 0..megabytes {
        encoder.write_all(&piece).unwrap();
    }
    encoder.write_all(end).unwrap();
    encoder.finish().unwrap()
}

fn lines(good: bool, count: usize, megabytes: usize) -> Vec<u8> {
    let bad = packed(
        megabytes,
        b"{\"url\":\"https://bad.example/\",\"html\":\"<p>",
        b"\"}\n",
    );
    let pages = GOOD.map(|url| {
        if good {
            made::gz(&line(url, "<p>good"))
        } else {
            Vec::new()
        }
    });
    [&pages[0][..], &bad.repeat(count), &pages[1]].concat()
}

/// Returns an archive of `count` hostile records of `megabytes` each. Each record is a zstd frame
/// whose blocks repeat one byte (RFC 8878, section 3.1.1.2). If `good` is true, the records are
/// between two good pages.
fn frames(good: bool, count: usize, megabytes: usize) -> Vec<u8> {
    const BLOCK: usize = 128 << 10;
    let blocks = megabytes * 1_000_000 / BLOCK;
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://bad.example/\r\nContent-Type: application/http\r\n\
         Content-Length: {}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        blocks * BLOCK + 44
    );
    let block =
        |size: usize, kind: u32, last: u32| u32::try_from(size).unwrap() << 3 | kind << 1 | last;
    let bytes = |header: u32| header.to_le_bytes()[..3].to_vec();
    // The frame has a window of 1 MiB, no length and no checksum.
    let mut frame = [
        &[0x28, 0xB5, 0x2F, 0xFD, 0, 10 << 3][..],
        &bytes(block(head.len(), 0, 0)),
        head.as_bytes(),
    ]
    .concat();
    for _ in 0..blocks {
        frame.extend([bytes(block(BLOCK, 1, 0)), vec![b' ']].concat());
    }
    frame.extend([bytes(block(4, 0, 1)), b"\r\n\r\n".to_vec()].concat());
    records(good, zst, &vec![frame; count])
}

/// Returns `count` gzip members that are corrupt in their middle, as hostile records.
fn broken(count: usize) -> Vec<Vec<u8>> {
    let mut member = made::gz(&page("https://bad.example/", &"<p>word ".repeat(5)));
    let middle = member.len() / 2;
    member[middle] ^= 0xFF;
    vec![member; count]
}

/// Returns `count` hostile records, then 500 ordinary ones. Each hostile record claims a length
/// that includes the records after it.
fn lies(count: usize) -> Vec<Vec<u8>> {
    let words = "<p>word ".repeat(1200);
    let pages = (0..500).map(|n| page(&format!("https://neighbour.example/{n}"), &words));
    (0..count)
        .map(|_| lying(BAD, &words, 4_000_000))
        .chain(pages)
        .collect()
}

/// Returns records with `count` different captures of one robots.txt, each followed by a page.
fn captures(count: usize) -> Vec<Vec<u8>> {
    let site = "http://bad.example";
    let rules = |n| made::robots(site, &format!("User-agent: *\nDisallow: /{n}\n"));
    (0..count)
        .flat_map(|n| [rules(n), page(&format!("{site}/x{n}"), "<p>word")])
        .collect()
}

/// Returns records with `count` different captures of one robots.txt. They are followed by records
/// of `count` sites whose robots.txt redirects to this one.
fn web(count: usize) -> Vec<Vec<u8>> {
    let moved = http("301 Moved\r\nLocation: http://bad.example/robots.txt", b"");
    let rules = (0..count).map(|n| {
        made::robots(
            "http://bad.example",
            &format!("User-agent: *\nDisallow: /{n}\n"),
        )
    });
    let site = |n| {
        let site = format!("http://r{n}.example");
        [
            warc("response", &format!("{site}/robots.txt"), "", &moved),
            page(&format!("{site}/x"), "<p>word"),
        ]
    };
    rules.chain((0..count).flat_map(site)).collect()
}

/// Returns records of `count` sites, each with a robots.txt of the maximum size that the limit
/// allows.
fn large(count: usize) -> Vec<Vec<u8>> {
    let rules = "Disallow: /a\n".repeat(38_000);
    let site = |n| {
        let site = format!("http://s{n}.example");
        let text = format!("User-agent: *\n{rules}Disallow: /{n}\n");
        [
            made::robots(&site, &text),
            page(&format!("{site}/x"), "<p>word"),
        ]
    };
    (0..count).flat_map(site).collect()
}

/// Returns a WACZ file (a zip) with `count` entries. Each entry is an archive of one record of
/// `megabytes`. If `good` is true, the file also has two good pages.
fn wacz(good: bool, count: usize, megabytes: usize) -> Vec<u8> {
    let begin = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://bad.example/\r\nContent-Type: application/http\r\n\
         Content-Length: {}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
        megabytes * 1_000_000 + 44
    );
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().large_file(true);
    let mut add = |name: String, pieces: &mut dyn FnMut(&mut dyn Write)| {
        zip.start_file(name, options).unwrap();
        pieces(&mut zip);
    };
    if good {
        add("archive/0.warc".to_owned(), &mut |zip| {
            zip.write_all(&page(GOOD[0], "<p>good")).unwrap();
        });
    }
    let piece = b"word word ".repeat(100_000);
    for n in 0..count {
        add(format!("archive/1{n:05}.warc"), &mut |zip| {
            zip.write_all(begin.as_bytes()).unwrap();
            for _ in 0..megabytes {
                zip.write_all(&piece).unwrap();
            }
            zip.write_all(b"\r\n\r\n").unwrap();
        });
    }
    if good {
        add("archive/2.warc".to_owned(), &mut |zip| {
            zip.write_all(&page(GOOD[1], "<p>good")).unwrap();
        });
    }
    zip.finish().unwrap().into_inner()
}
