//! Only hostile input itself is lost. It is reported, with the limit that it exceeds, and the
//! records before and after it are read.
//!
//! Limits are low in these tests, so that small inputs exceed them; `just hostile` runs the same
//! tests in full size.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::path::{Path, PathBuf};

use data_encoding::{BASE32, HEXLOWER};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use heedful::{Bot, Filter, Limits};
use heedful_input::{InputFormat, Inputs};
use heedful_run::{Outcome, Run, survey};
use sha1::Digest;

use crate::support::made::{
    Chance, folder, gz, http, line, lying, packed_each, page, robots, warc, write, zst,
};

/// Results of a run over hostile input: pages, errors and exceeded limits.
#[derive(Debug, Default)]
struct Met {
    /// URLs of those pages of the input that were filtered.
    pages: Vec<String>,
    /// URL of each record that could not be read or filtered, if known, and the reason.
    lost: Vec<(Option<String>, String)>,
    /// Names of the limits that the input exceeded, one per error.
    limits: Vec<&'static str>,
    /// Number of unread bytes in each file that was not read to its end.
    unread: Vec<u64>,
}

fn run(inputs: &Inputs, limits: &Limits, paths: &[PathBuf]) -> Met {
    let inputs = inputs.clone().limits(limits.clone()).open(paths).unwrap();
    let filter = Filter::new(Bot::new("FooBot").unwrap()).limits(limits.clone());
    let (gate, filter) = survey(&inputs, filter).unwrap();
    let mut met = Met::default();
    Run::new(&inputs, &gate, 2)
        .filter(&filter, |outcome, _| {
            match outcome {
                Outcome::Pages(filtered) if filtered.pages[0].policy().may_fetch() => {
                    met.pages.push(filtered.pages[0].url().to_owned());
                }
                Outcome::Damage(damage) => {
                    met.limits.extend(damage.error().passed_limit());
                    met.unread
                        .extend(Some(damage.unread()).filter(|bytes| *bytes > 0));
                    met.lost
                        .push((damage.url().map(str::to_owned), damage.to_string()));
                }
                Outcome::Failed { url, error, .. } => {
                    met.limits.extend(error.passed_limit());
                    met.lost.push((Some(url), error.to_string()));
                }
                _ => {}
            }
            Ok(())
        })
        .unwrap();
    met
}

fn read(bytes: &[u8], limits: &Limits) -> Met {
    let folder = folder();
    run(
        &Inputs::default(),
        limits,
        &[write(folder.path(), "input", bytes)],
    )
}

const FIRST: &str = "https://good.example/first";
const LAST: &str = "https://good.example/last";

/// Returns the records of an archive: a hostile record between two good ones.
fn between(bad: &[u8]) -> Vec<Vec<u8>> {
    vec![page(FIRST, "<p>one"), bad.to_vec(), page(LAST, "<p>two")]
}

fn all_good(met: &Met) {
    assert!(
        met.pages.contains(&FIRST.to_owned()) && met.pages.contains(&LAST.to_owned()),
        "{met:?}"
    );
}

fn small() -> Limits {
    Limits::default().page_bytes(100_000)
}

fn bomb(bytes: usize) -> Vec<u8> {
    gz(&b"<p>word".repeat(bytes / 7))
}

#[test]
fn a_body_is_not_unpacked_beyond_what_a_page_may_have() {
    for (head, body) in [
        ("Content-Encoding: gzip", bomb(1_000_000)),
        ("Content-Encoding: gzip, gzip", gz(&bomb(1_000_000))),
        (
            "Transfer-Encoding: gzip, chunked",
            [b"ffffff\r\n", &bomb(1_000_000)[..]].concat(),
        ),
    ] {
        let content = http(
            &format!("200 OK\r\nContent-Type: text/html\r\n{head}"),
            &body,
        );
        let records = between(&warc("response", "https://bad.example/", "", &content));
        for bytes in [
            records.concat(),
            packed_each(&records, gz),
            packed_each(&records, zst),
        ] {
            let met = read(&bytes, &small());
            all_good(&met);
            assert_eq!(
                (met.pages.len(), &met.limits[..]),
                (2, &["page_bytes"][..]),
                "{head}: {met:?}"
            );
            assert_eq!(met.lost[0].0.as_deref(), Some("https://bad.example/"));
        }
    }
}

#[test]
fn what_is_no_page_is_not_unpacked() {
    let content = http(
        "200 OK\r\nContent-Type: image/png\r\nContent-Encoding: gzip",
        &bomb(1_000_000),
    );
    let met = read(
        &between(&warc("response", "https://bad.example/", "", &content)).concat(),
        &small(),
    );
    all_good(&met);
    assert!(met.lost.is_empty(), "{met:?}");
}

#[test]
fn a_large_record_is_named_and_passed() {
    let limits = Limits::default().record_bytes(100_000).page_bytes(90_000);
    let long = page("https://bad.example/", &"<p>word ".repeat(50_000));
    for records in [
        between(&long),
        between(&robots(
            "https://bad.example",
            &"Disallow: /x\n".repeat(50_000),
        )),
    ] {
        for bytes in [
            records.concat(),
            packed_each(&records, gz),
            gz(&records.concat()),
        ] {
            let met = read(&bytes, &limits);
            all_good(&met);
            assert!(
                met.limits.iter().all(|name| *name == "record_bytes"),
                "{met:?}"
            );
        }
    }
    assert_eq!(
        read(&between(&long).concat(), &limits).limits,
        ["record_bytes"]
    );
}

#[test]
fn pages_packed_too_tightly_get_through_until_the_input_gave_enough() {
    let body = bomb(90_000);
    let bad = |n: usize| {
        let content = http(
            "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip",
            &body,
        );
        warc(
            "response",
            &format!("https://bad.example/{n}"),
            "",
            &content,
        )
    };
    let mut records: Vec<_> = (0..20).map(bad).collect();
    records.insert(0, page(FIRST, "<p>one"));
    records.push(page(LAST, "<p>two"));
    for bytes in [records.concat(), packed_each(&records, gz)] {
        let met = read(&bytes, &small().unpacked_ratio(20));
        all_good(&met);
        assert!((5..15).contains(&met.pages.len()), "{met:?}");
        assert_eq!(met.pages.len() + met.limits.len(), 22);
        assert!(met.limits.iter().all(|name| *name == "unpacked_ratio"));
        assert_eq!(
            read(&bytes, &Limits::default()).pages.len(),
            22,
            "by default that is still allowed"
        );
    }
}

/// Reading a tag takes more work than reading other bytes of the same length. A few pages that
/// consist only of tags are read, and so is an honest page after them.
#[test]
fn pages_of_tags_packed_tightly_get_through_until_the_input_gave_enough() {
    let limits = Limits::default().page_bytes(400_000).unpacked_ratio(5_000);
    let dear = "<b>".repeat(90_000);
    let honest: String = (0..9_000)
        .map(|n| format!("<p>{:x}", n * 0x9E37_79B9_7F4A_u64))
        .collect();
    let warcs = |dear: &str| {
        let bad = |n: usize| {
            let head = "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip";
            warc(
                "response",
                &format!("https://bad.example/{n}"),
                "",
                &http(head, &gz(dear.as_bytes())),
            )
        };
        let head = "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip";
        let good = warc(
            "response",
            "https://good.example/",
            "",
            &http(head, &gz(honest.as_bytes())),
        );
        [
            (0..20).map(bad).collect::<Vec<_>>().concat(),
            good,
            page(LAST, "<p>two"),
        ]
        .concat()
    };
    let in_base64 = |n: usize| {
        let html = data_encoding::BASE64.encode(dear.as_bytes());
        format!("{{\"url\":\"https://bad.example/{n}\",\"html_b64\":\"{html}\"}}\n").into_bytes()
    };
    let lines = |bad: &dyn Fn(usize) -> Vec<u8>| {
        let good = [line("https://good.example/", &honest), line(LAST, "<p>two")];
        gz(&[(0..20).map(bad).collect::<Vec<_>>().concat(), good.concat()].concat())
    };
    let as_text = |n: usize| line(&format!("https://bad.example/{n}"), &dear);
    for bytes in [warcs(&dear), lines(&as_text), lines(&in_base64)] {
        let met = read(&bytes, &limits);
        let good = met
            .pages
            .iter()
            .filter(|url| !url.contains("bad.example"))
            .count();
        assert_eq!(
            (good, met.pages.len() + met.limits.len()),
            (2, 22),
            "{met:?}"
        );
        assert!(
            !met.limits.is_empty() && met.limits.iter().all(|name| *name == "tag_ratio"),
            "{:?}",
            met.limits
        );
    }
}

#[test]
fn a_line_that_is_too_long_costs_no_other() {
    let limits = Limits::default().line_bytes(10_000);
    let long = |key: &str| {
        let robots = format!(
            "{{\"url\":\"https://{key}.example/robots.txt\",\"html\":\"{}\"}}\n",
            "x".repeat(30_000)
        );
        [
            line(&format!("https://{key}.example/"), &"<p>x".repeat(10_000)),
            robots.into_bytes(),
        ]
        .concat()
    };
    let gated = line(
        "https://bad.example/gated",
        "<p>its robots.txt may forbid it",
    );
    let lines = [
        line(FIRST, "<p>one"),
        long("bad"),
        gated,
        line(LAST, "<p>two"),
    ]
    .concat();
    for bytes in [lines.clone(), gz(&lines), [b"[", &lines[..], b"]"].concat()] {
        let met = read(&bytes, &limits);
        all_good(&met);
        assert_eq!(
            (met.pages.len(), &met.limits[..]),
            (2, &["line_bytes"; 2][..]),
            "{met:?}"
        );
        assert!(
            met.lost[0]
                .1
                .contains(" 2: the record passes the limit `line_bytes` of 10000"),
            "{met:?}"
        );
        assert_eq!(met.lost[0].0.as_deref(), Some("https://bad.example/"));
    }
}

#[test]
fn a_frame_that_unpacks_to_far_too_much_is_left() {
    let bad = zst(&page("https://bad.example/", &" ".repeat(30_000_000)));
    let bytes = [
        zst(&page(FIRST, "<p>one")),
        bad.clone(),
        bad,
        zst(&page(LAST, "<p>two")),
    ]
    .concat();
    let met = read(&bytes, &small().member_ratio(100));
    all_good(&met);
    assert_eq!(met.limits, ["member_ratio"; 2], "{met:?}");
}

#[test]
fn after_any_number_of_broken_members_the_next_is_read() {
    let mut broken = gz(&page("https://bad.example/", &"<p>word".repeat(20)));
    let middle = broken.len() / 2;
    broken[middle] ^= 0xFF;
    let broken = broken.repeat(3000);
    let bytes = [
        gz(&page(FIRST, "<p>one")),
        broken.clone(),
        gz(&page(LAST, "<p>two")),
    ]
    .concat();
    let met = read(&bytes, &Limits::default().reread_bytes(0));
    all_good(&met);
    assert!(
        met.lost.len() >= 3000 && met.unread.is_empty(),
        "{}",
        met.lost.len()
    );
    let lines = [
        gz(&line(FIRST, "<p>one")),
        broken,
        gz(&line(LAST, "<p>two")),
    ]
    .concat();
    let folder = folder();
    let path = write(folder.path(), "lines", &lines);
    all_good(&run(
        &Inputs::default().kind(Some(InputFormat::Jsonl)),
        &Limits::default(),
        &[path],
    ));
}

#[test]
fn lengths_that_lie_cost_no_neighbour() {
    let pages = |name: &str, count: usize| -> Vec<Vec<u8>> {
        (0..count)
            .map(|n| {
                page(
                    &format!("https://good.example/{name}{n}"),
                    &"<p>word ".repeat(2000),
                )
            })
            .collect()
    };
    // By chance no record may begin where one of these lengths ends: such a length would be
    // believed.
    for by in [74, 4_001, 100_003, 300_107] {
        let lies: Vec<_> = (0..400)
            .map(|n| lying(&format!("https://bad.example/{n}"), "<p>word", by))
            .collect();
        let records = [
            vec![page(FIRST, "<p>one")],
            lies,
            pages("", 60),
            vec![page(LAST, "<p>two")],
        ]
        .concat();
        for (bytes, name) in [
            (records.concat(), "plain"),
            (packed_each(&records, gz), "packed"),
        ] {
            let met = read(&bytes, &Limits::default().reread_bytes(1_000_000));
            all_good(&met);
            assert_eq!(
                (met.pages.len(), met.lost.len()),
                (62, 400),
                "{name}, {by}: {:?}",
                met.lost.last()
            );
        }
    }
    let large = lying("https://bad.example/", "<p>word", 74);
    let large = [
        &large[..large.len() - 4],
        &b"x".repeat(300_000),
        b"\r\n\r\n",
    ]
    .concat();
    let records = [vec![large], pages("", 50)].concat();
    assert_eq!(
        read(
            &packed_each(&records, gz),
            &Limits::default().reread_bytes(0)
        )
        .pages
        .len(),
        50
    );
}

#[test]
fn a_file_that_is_given_up_is_told_with_its_bytes() {
    let mut chance = Chance(1);
    let mut next = |n| {
        page(
            &format!("https://good.example/{n}"),
            &format!("<p>{}", chance.words(100)),
        )
    };
    let records: Vec<_> = (0..300).map(&mut next).collect();
    // Deflate blocks that only store: each has its length, and the same with all bits inverted.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(&records.concat()).unwrap();
    let mut bytes = encoder.finish().unwrap();
    let (length, second) = (
        bytes.len() as u64,
        15 + usize::from(u16::from_le_bytes([bytes[11], bytes[12]])),
    );
    bytes[second + 1..second + 5].fill(0);
    let met = read(&bytes, &Limits::default());
    assert!(
        met.unread.len() == 1 && (1..length).contains(&met.unread[0]),
        "{met:?}"
    );
    assert!(
        met.lost
            .last()
            .unwrap()
            .1
            .ends_with("bytes after it are not read"),
        "{:?}",
        met.lost
    );
}

/// An entry of a zip file, for a hostile WACZ.
struct Entry<'a> {
    name: &'a str,
    plain: &'a [u8],
    is_packed: bool,
    like: Option<usize>,
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(entries: &[Entry<'_>]) -> Vec<u8> {
    let (mut file, mut directory, mut places): (Vec<u8>, Vec<u8>, Vec<u32>) = Default::default();
    let u32 = |n: usize| u32::try_from(n).unwrap();
    for entry in entries {
        let stored = if entry.is_packed {
            deflated(entry.plain)
        } else {
            entry.plain.to_vec()
        };
        let mut sum = flate2::Crc::new();
        sum.update(entry.plain);
        let method: u16 = if entry.is_packed { 8 } else { 0 };
        let mut head = [
            &20_u16.to_le_bytes()[..],
            &[0; 2],
            &method.to_le_bytes(),
            &[0; 4],
        ]
        .concat();
        head.extend(
            [sum.sum(), u32(stored.len()), u32(entry.plain.len())]
                .iter()
                .flat_map(|n| n.to_le_bytes()),
        );
        head.extend(u16::try_from(entry.name.len()).unwrap().to_le_bytes());
        head.extend([0; 2]);
        let place = entry.like.map_or(u32(file.len()), |like| places[like]);
        places.push(place);
        if entry.like.is_none() {
            file.extend([b"PK\x03\x04", &head[..], entry.name.as_bytes(), &stored].concat());
        }
        directory.extend([b"PK\x01\x02", &20_u16.to_le_bytes()[..], &head, &[0; 10]].concat());
        directory.extend(place.to_le_bytes());
        directory.extend(entry.name.as_bytes());
    }
    let count = u16::try_from(entries.len()).unwrap().to_le_bytes();
    let (size, at) = (
        u32(directory.len()).to_le_bytes(),
        u32(file.len()).to_le_bytes(),
    );
    [
        &file[..],
        &directory,
        b"PK\x05\x06\0\0\0\0",
        &count,
        &count,
        &size,
        &at,
        &[0; 2],
    ]
    .concat()
}

#[test]
fn entries_of_a_wacz_are_unpacked_as_they_are_read() {
    let (first, last) = (page(FIRST, "<p>one"), page(LAST, "<p>two"));
    let bomb = page("https://bad.example/", &"<p>word".repeat(3_000_000));
    let entry = |name, plain, is_packed| Entry {
        name,
        plain,
        is_packed,
        like: None,
    };
    let bytes = zip(&[
        entry("archive/a.warc", &first, true),
        entry("archive/b.warc", &bomb, true),
        Entry {
            like: Some(1),
            ..entry("archive/c.warc", &bomb, true)
        },
        entry("archive/d.warc", &last, false),
    ]);
    let met = read(&bytes, &small());
    all_good(&met);
    assert_eq!(
        (met.pages.len(), &met.limits[..]),
        (2, &["unpacked_ratio"][..]),
        "{met:?}"
    );
    assert!(
        met.lost
            .iter()
            .any(|(_, why)| why.contains("shares its bytes")),
        "{met:?}"
    );

    // Many small bombs are one: what is free they share.
    let small_bomb = page("https://bad.example/", &"word ".repeat(18_000));
    let bombs: Vec<_> = (0..20).map(|n| format!("archive/{n:02}.warc")).collect();
    let entries: Vec<_> = bombs
        .iter()
        .map(|name| entry(name, &small_bomb, true))
        .collect();
    let met = read(&zip(&entries), &small());
    assert_eq!(
        (met.pages.len(), &met.limits[..]),
        (0, &["unpacked_ratio"; 20][..]),
        "{met:?}"
    );
    let met = read(&zip(&entries[..1]), &small());
    assert_eq!((met.pages.len(), met.lost.len()), (1, 0), "{met:?}");

    let names: Vec<_> = (0..2000)
        .map(|n| format!("archive/{n:04}.warc.gz"))
        .collect();
    let packed = gz(&first);
    let mut entries: Vec<_> = names
        .iter()
        .map(|name| entry(name, &packed, true))
        .collect();
    entries.push(entry("archive/z.warc", &last, true));
    let met = read(&zip(&entries), &Limits::default());
    assert_eq!(
        (met.pages.len(), met.lost.len()),
        (2001, 0),
        "{:?}",
        met.lost.first()
    );
}

/// The name of an entry in zip's old character set may equal the name of another entry in UTF-8.
/// Each entry of a WACZ is read at its own offset. No entry is searched for by its name.
#[test]
fn entries_of_a_wacz_are_found_without_their_names() {
    let (first, last) = (page(FIRST, "<p>one"), page(LAST, "<p>two"));
    let entry = |name, plain| Entry {
        name,
        plain,
        is_packed: false,
        like: None,
    };
    let mut bytes = zip(&[
        entry("archive/\u{FC}.warc", &first),
        entry("archive/?.warc", &last),
    ]);
    let old: Vec<_> = memchr::memmem::find_iter(&bytes, b"/?.warc")
        .map(|at| at + 1)
        .collect();
    for at in old {
        bytes[at] = 0x81;
    }
    let met = read(&bytes, &Limits::default());
    all_good(&met);
    assert_eq!((met.pages.len(), met.lost.len()), (2, 0), "{met:?}");
}

/// The first bytes of an entry of a WACZ cannot be decompressed. That damage costs only this entry;
/// the other entries are read.
#[test]
fn an_archive_without_a_beginning_costs_itself_alone() {
    let (first, last) = (page(FIRST, "<p>one"), page(LAST, "<p>two"));
    let entry = |name, plain, is_packed| Entry {
        name,
        plain,
        is_packed,
        like: None,
    };
    let mut bytes = zip(&[
        entry("archive/a.warc", &first, true),
        entry(
            "archive/b.warc",
            &page("https://bad.example/", "<p>word"),
            true,
        ),
        entry("archive/c.warc", &last, true),
    ]);
    let broken = memchr::memmem::find(&bytes, b"archive/b.warc").unwrap() + b"archive/b.warc".len();
    bytes[broken..broken + 8].fill(0xFF);
    let met = read(&bytes, &Limits::default());
    all_good(&met);
    assert_eq!(
        (met.pages.len(), met.lost.len(), &met.unread[..]),
        (2, 1, &[u64::MAX][..]),
        "{met:?}"
    );

    // A dictionary that is none, in front of a frame.
    let dictionary = [
        &[0x5D, 0x2A, 0x4D, 0x18, 8, 0, 0, 0][..],
        &[0xFF; 8],
        &zst(&page("https://bad.example/", "<p>word")),
    ]
    .concat();
    let folder = folder();
    let paths = [
        ("a.warc", &first),
        ("b.warc.zst", &dictionary),
        ("c.warc", &last),
    ];
    let paths = paths.map(|(name, bytes)| write(folder.path(), name, bytes));
    let met = run(&Inputs::default(), &Limits::default(), &paths);
    all_good(&met);
    assert_eq!((met.pages.len(), met.lost.len()), (2, 1), "{met:?}");
    assert!(
        met.lost[0].1.contains("zstd data that cannot be read") && !met.unread.is_empty(),
        "{met:?}"
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_opened() {
    use std::os::unix::fs::symlink;
    let url = Some("https://site.example/".parse().unwrap());
    let site = |make: &dyn Fn(&Path)| {
        let folder = folder();
        write(folder.path(), "site/index.html", b"<p>one");
        make(&folder.path().join("site"));
        run(
            &Inputs::default().url(url.clone()),
            &Limits::default(),
            &[folder.path().join("site")],
        )
    };
    let fifo = |path: PathBuf| {
        assert!(
            std::process::Command::new("mkfifo")
                .arg(path)
                .status()
                .unwrap()
                .success()
        );
    };
    type Case<'a> = (&'a str, &'a dyn Fn(&Path));
    let shut: [Case<'_>; 4] = [
        ("a pipe", &|site| fifo(site.join("robots.txt"))),
        ("a device", &|site| {
            symlink("/dev/zero", site.join("robots.txt")).unwrap();
        }),
        ("a folder", &|site| {
            std::fs::create_dir(site.join("robots.txt")).unwrap();
        }),
        ("a link that leads out", &|site| {
            symlink(
                write(site.parent().unwrap(), "robots.txt", b""),
                site.join("robots.txt"),
            )
            .unwrap();
        }),
    ];
    for (what, make) in shut {
        let met = site(make);
        assert!(
            met.pages.is_empty() && met.lost.len() == 1,
            "{what}: {met:?}"
        );
    }
    let sparse = site(&|site| {
        let file = std::fs::File::create(site.join("robots.txt")).unwrap();
        file.set_len(20 << 30).unwrap();
    });
    assert_eq!(
        (sparse.pages.len(), sparse.lost.len()),
        (1, 0),
        "{sparse:?}"
    );
    let inside = site(&|site| {
        write(site, "own/rules.txt", b"User-agent: *\nDisallow: /");
        symlink(site.join("own/rules.txt"), site.join("robots.txt")).unwrap();
    });
    assert!(
        inside.pages.is_empty() && inside.lost.is_empty(),
        "its rules are heard: {inside:?}"
    );

    let folder = folder();
    let good = write(folder.path(), "good.warc", &page(FIRST, "<p>one"));
    fifo(folder.path().join("pipe"));
    let manifest = write(folder.path(), "list", b"pipe\n/dev/zero\ngood.warc\n");
    let met = run(
        &Inputs::default().kind(Some(InputFormat::Manifest)),
        &Limits::default(),
        &[manifest],
    );
    assert_eq!((met.pages.len(), met.lost.len()), (1, 2), "{met:?}");
    let met = run(
        &Inputs::default(),
        &Limits::default(),
        &[folder.path().join("*"), good],
    );
    assert!(!met.pages.is_empty(), "{met:?}");
}

#[test]
fn a_record_that_does_not_fit_its_digest_is_damage() {
    let content = http(
        "200 OK\r\nContent-Type: text/html",
        b"<meta name=robots content=noindex><p>word",
    );
    let body = &content[content.len() - 41..];
    let sha1 = |bytes: &[u8]| BASE32.encode(&sha1::Sha1::digest(bytes));
    let record =
        |fields: &str, content: &[u8]| warc("response", "https://bad.example/", fields, content);
    let flipped = String::from_utf8(content.clone())
        .unwrap()
        .replace("noindex", "noiNdEy")
        .into_bytes();
    let chunked = http(
        "200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked",
        b"3\r\n<p>\r\n4\r\nword\r\n0\r\n\r\n",
    );
    let packed = http(
        "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip",
        &gz(b"<p>word"),
    );
    // Some tools take all that is behind an interim answer for the payload.
    let behind = [&b"HTTP/1.1 100 Continue\r\n\r\n"[..], &content].concat();
    let both = format!("WARC-Payload-Digest: sha1:{}\r\n", sha1(&content));
    let block = format!("WARC-Block-Digest: sha1:{}\r\n", sha1(&content));
    let payload = format!("WARC-Payload-Digest: sha1:{}\r\n", sha1(body));
    let hex = format!(
        "WARC-Payload-Digest: sha256:{}\r\n",
        HEXLOWER.encode(&sha2::Sha256::digest(body))
    );
    let plain = format!("WARC-Payload-Digest: sha1:{}\r\n", sha1(b"<p>word"));
    for (fields, content, is_damage) in [
        (&block, &content, false),
        (&block, &flipped, true),
        (&payload, &content, false),
        (&payload, &flipped, true),
        (&hex, &content, false),
        (&hex, &flipped, true),
        (&plain, &chunked, false),
        (&plain, &packed, false),
        (&plain, &content, true),
        (&payload, &behind, false),
        (&both, &behind, false),
        (&plain, &behind, true),
        (&format!("{block}{plain}"), &content, false),
        (
            &"WARC-Block-Digest: crc32:00000000\r\n".to_owned(),
            &flipped,
            false,
        ),
        (
            &format!("WARC-Truncated: length\r\n{block}"),
            &flipped,
            false,
        ),
    ] {
        for pack in [<[u8]>::to_vec, gz] {
            let bytes = packed_each(&between(&record(fields, content)), pack);
            let met = read(&bytes, &Limits::default());
            all_good(&met);
            assert_eq!(met.lost.len(), usize::from(is_damage), "{fields}: {met:?}");
            if is_damage {
                assert!(
                    met.lost[0].1.contains("-Digest") && met.lost[0].0.is_some(),
                    "{met:?}"
                );
                let folder = folder();
                let path = write(folder.path(), "archive", &bytes);
                let taken = run(
                    &Inputs::default().digests(false),
                    &Limits::default(),
                    &[path],
                );
                assert_eq!((taken.pages.len(), taken.lost.len()), (3, 0), "{fields}");
            }
        }
    }
}

#[test]
fn what_is_under_way_is_bounded_and_comes_in_order() {
    let records: Vec<_> = (0..200)
        .map(|n| {
            page(
                &format!("https://good.example/{n}"),
                &"<p>word ".repeat(n * 20),
            )
        })
        .collect();
    let met = read(
        &records.concat(),
        &Limits::default().bytes_under_way(10_000),
    );
    let expected: Vec<_> = (0..200)
        .map(|n| format!("https://good.example/{n}"))
        .collect();
    assert_eq!(met.pages, expected);
}
