//! Counts the instructions of the program while one count of its input is doubled.
//!
//! `just dimensions` prints a table with a row for each dimension: pages, entries, captures of a
//! URL, redirects and the like. A dimension has n, 2 n and 4 n members. The exponent of the growth
//! comes from the two differences, so that the costs of a start drop out. It must be at most 1.1.
//! [`STEEPER`] names the known exceptions. The dimensions of a single page are counted by
//! `just counts`. A row fails if a limit cuts its input short.
//!
//! The program runs under valgrind. Without valgrind everything is skipped with a message; with
//! `HEEDFUL_VALGRIND=1` that is a failure. `just dimensions page` counts only the rows whose names
//! contain `page`.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

#[allow(dead_code, reason = "benchmarks share it")]
#[path = "../../benches/counts/callgrind.rs"]
mod callgrind;
#[allow(dead_code, reason = "tests share it")]
#[path = "../../tests/support/made.rs"]
mod made;

use std::fs;
use std::path::Path;

use made::{gz, http, line, packed_each, page, page_of, robots, warc};

/// Maximum exponent with which the cost may grow with one dimension.
const MOST_EXPONENT: f64 = 1.1;
/// Dimensions whose cost may grow more steeply, because a limit bounds them. Each has the exponent
/// that is accepted.
const STEEPER: [(&str, f64); 0] = [];

/// Makes an input with a number of members in a folder. Returns the arguments of the program.
type Make = fn(&Path, usize) -> Vec<String>;

const DIMENSIONS: [(&str, usize, Make); 25] = [
    ("pages of one site", 250, |to, n| {
        filter(to, &lines(n, |i| (format!("{SITE}/{i}"), PAGE.to_owned())))
    }),
    ("pages of as many sites", 250, |to, n| {
        filter(
            to,
            &lines(n, |i| (format!("https://s{i}.example/"), PAGE.to_owned())),
        )
    }),
    ("pages of an index", 250, |to, n| {
        index(to, &lines(n, |i| (format!("{SITE}/{i}"), PAGE.to_owned())))
    }),
    ("captures of one URL in an index", 250, |to, n| {
        let records = each(n, |i| page_of(SITE, &date(i), &format!("<p>word {i}")));
        index_of(&write(to, "x.warc", &records.concat()), to)
    }),
    ("pages whose copies begin with one name", 250, |to, n| {
        let long = "a".repeat(120);
        let pages = lines(n, |i| (format!("{SITE}/{long}{i}"), PAGE.to_owned()));
        let input = write(to, "x.jsonl", &pages);
        words(["snapshot", &input, "-q", "-j1", "-o", &path(to, "copies")])
    }),
    ("copies in a WARC", 250, |to, n| {
        let pages = lines(n, |i| (format!("{SITE}/{i}"), PAGE.to_owned()));
        let input = write(to, "x.jsonl", &pages);
        words([
            "snapshot",
            &input,
            "-q",
            "-j1",
            "-o",
            &path(to, "copies.warc.gz"),
        ])
    }),
    ("texts beside as many captures of one URL", 250, |to, n| {
        let pages = each(n, |i| page_of(SITE, &date(i), "<p>word"));
        let texts = each(n, |_| warc("conversion", SITE, "", b"word"));
        let pages = write(to, "x.warc", &pages.concat());
        let texts = write(to, "x.warc.wet", &texts.concat());
        words([
            "mask",
            &pages,
            "--beside",
            &texts,
            "-q",
            "-j1",
            "-o",
            &path(to, "mask"),
        ])
    }),
    ("records with one identifier, beside texts", 250, |to, n| {
        let id = "WARC-Record-ID: <urn:uuid:1>\r\n";
        let of = "WARC-Refers-To: <urn:uuid:1>\r\n";
        let body = http("200 OK\r\nContent-Type: text/html", b"<p>word");
        let pages = each(n, |i| warc("response", &format!("{SITE}/{i}"), id, &body));
        let texts = each(n, |i| {
            warc("conversion", &format!("{SITE}/{i}"), of, b"word")
        });
        let pages = write(to, "x.warc", &pages.concat());
        let texts = write(to, "x.warc.wet", &texts.concat());
        words([
            "mask",
            &pages,
            "--beside",
            &texts,
            "-q",
            "-j1",
            "-o",
            &path(to, "mask"),
        ])
    }),
    ("answers of a mask", 250, |to, n| {
        let records = each(n, |i| page(&format!("{SITE}/{i}"), PAGE));
        let input = write(to, "x.warc.gz", &packed_each(&records, gz));
        words(["mask", &input, "-q", "-j1", "-o", &path(to, "mask")])
    }),
    ("URLs of a list", 1000, |to, n| {
        let urls: String = (0..n).map(|i| format!("{SITE}/{i}\n")).collect();
        let list = write(to, "urls.txt", urls.as_bytes());
        let rules = write(to, "robots.txt", b"User-agent: *\nDisallow: /7");
        words([
            "mask",
            "--urls",
            &list,
            "--robots",
            &rules,
            "-q",
            "-o",
            &path(to, "mask"),
        ])
    }),
    ("answers of two masks, compared", 500, |to, n| {
        let mask = |name: &str, allowed: bool| {
            let answer = |i| {
                format!(
                    "{{\"file\":\"x\",\"unit\":\"line\",\"at\":{i},\"record\":null,\"url\":\"{SITE}/{i}\",\"date\":null,\
                 \"kind\":\"page\",\"reason\":null,\"digest\":null,\"law\":1,\"allow\":{{\"index\":{allowed}}},\
                 \"bots\":[{{\"bot\":\"heedful\",\"allow\":{{\"index\":{allowed}}},\"why\":{{}},\"parts\":null}}]}}\n"
                )
            };
            let text: String = (0..n).map(answer).collect();
            write(to, name, text.as_bytes())
        };
        words([
            "mask",
            "--feed",
            &mask("old.jsonl", true),
            &mask("new.jsonl", false),
        ])
    }),
    ("entries of a WACZ", 250, |to, n| {
        wacz(to, n, |i| page(&format!("{SITE}/{i}"), "<p>a"))
    }),
    ("entries of a WACZ that are empty", 250, |to, n| {
        wacz(to, n, |_| Vec::new())
    }),
    (
        "sites whose robots.txt redirects to the next",
        100,
        |to, n| {
            let records = each(n, |i| {
                let (url, next) = (format!("https://s{i}.example"), i + 1);
                let head = format!("301 Moved\r\nLocation: https://s{next}.example/robots.txt");
                let redirect = warc(
                    "response",
                    &format!("{url}/robots.txt"),
                    "",
                    &http(&head, b""),
                );
                [redirect, page(&format!("{url}/a"), "<p>a")].concat()
            });
            filter_of(&write(to, "x.warc", &records.concat()))
        },
    ),
    ("captures of one robots.txt", 10, |to, n| {
        let rules = each(n, |i| {
            robots(SITE, &format!("User-agent: *\nDisallow: /{i}"))
        });
        let pages = each(n, |i| page(&format!("{SITE}/a{i}"), "<p>a"));
        filter_of(&write(
            to,
            "x.warc",
            &[rules.concat(), pages.concat()].concat(),
        ))
    }),
    ("sites with a robots.txt and a page", 250, |to, n| {
        let records = each(n, |i| {
            let site = format!("https://s{i}.example");
            [
                robots(&site, "User-agent: *\nDisallow: /b"),
                page(&format!("{site}/a"), "<p>a"),
            ]
            .concat()
        });
        filter_of(&write(to, "x.warc", &records.concat()))
    }),
    ("headers of a response", 50, |to, n| {
        let headers: String = (0..n).map(|i| format!("X-H{i}: word\r\n")).collect();
        let head = format!("200 OK\r\nContent-Type: text/html\r\n{headers}X-Robots-Tag: noarchive");
        filter_of(&write(
            to,
            "x.warc",
            &warc("response", SITE, "", &http(&head, b"<p>a")),
        ))
    }),
    ("headers that deny", 50, |to, n| {
        let headers = "X-Robots-Tag: noarchive\r\n".repeat(n);
        let head = format!("200 OK\r\nContent-Type: text/html\r\n{headers}A: b");
        filter_of(&write(
            to,
            "x.warc",
            &warc("response", SITE, "", &http(&head, b"<p>a")),
        ))
    }),
    ("files of a folder", 250, |to, n| {
        for i in 0..n {
            fs::write(to.join(format!("{i}.html")), PAGE).unwrap();
        }
        words([
            "filter",
            &to.display().to_string(),
            "--url",
            SITE,
            "-q",
            "-j1",
        ])
    }),
    ("lines of a manifest", 250, |to, n| {
        let mut list = String::new();
        for i in 0..n {
            let name = format!("{i}.jsonl");
            fs::write(to.join(&name), line(&format!("{SITE}/{i}"), "<p>a")).unwrap();
            list.extend([&name, "\n"]);
        }
        filter_of(&format!("@{}", write(to, "list", list.as_bytes())))
    }),
    ("denials by URL", 250, |to, n| {
        let input = write(
            to,
            "x.jsonl",
            &lines(10, |i| (format!("{SITE}/{i}"), PAGE.to_owned())),
        );
        let mut arguments = filter_of(&input);
        for i in 0..n {
            arguments.extend(["--deny".to_owned(), format!("index={SITE}/no/{i}")]);
        }
        arguments
    }),
    ("exclusions of an explained page", 250, |to, n| {
        let html = "w<b class=robots-noindex>x</b>".repeat(n);
        let input = write(to, "x.html", html.as_bytes());
        words([
            "explain",
            &input,
            "-u",
            SITE,
            "-q",
            "--html",
            &path(to, "out.html"),
        ])
    }),
    ("findings of a linted page", 250, |to, n| {
        let html = "<p robots=noindex>a<!-- noindx -->b".repeat(n);
        words([
            "lint",
            &write(to, "x.html", html.as_bytes()),
            "-u",
            SITE,
            "-q",
        ])
    }),
    ("pages of an export to Parquet", 250, |to, n| {
        export(to, n, "parquet")
    }),
    ("pages of an export to CIFF", 250, |to, n| {
        export(to, n, "ciff")
    }),
];

const SITE: &str = "https://site.example";
const PAGE: &str = "<title>A page</title><p>Dark rye bread <a href=/b>more</a>";

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    if !callgrind::is_there_or_skipped() {
        return;
    }
    println!("| dimension | n | instructions, n to 2 n | 2 n to 4 n | exponent | bound |");
    println!("|---|---|---|---|---|---|");
    let mut steep = Vec::new();
    for (name, n, make) in DIMENSIONS {
        if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(word.as_str())) {
            continue;
        }
        let [one, two, four] = [n, 2 * n, 4 * n].map(|size| counted(make, size));
        let (first, second) = (two.saturating_sub(one), four.saturating_sub(two));
        let exponent = (second as f64 / first as f64).log2();
        let bound = STEEPER
            .into_iter()
            .find(|(steep, _)| *steep == name)
            .map_or(MOST_EXPONENT, |(_, most)| most);
        println!("| {name} | {n} | {first} | {second} | {exponent:.3} | {bound} |");
        assert!(
            first > 0 && second > 0,
            "{name}: a limit cuts the input short"
        );
        if exponent > bound {
            steep.push(name);
        }
    }
    assert!(steep.is_empty(), "steeper than their bound: {steep:?}");
}

/// Returns the instructions of a run of the program over an input with `size` members.
fn counted(make: Make, size: usize) -> u64 {
    let folder = made::folder();
    let arguments = make(folder.path(), size);
    let program = std::env::var_os("HEEDFUL").unwrap_or(env!("CARGO_BIN_EXE_heedful").into());
    // A verb that finds something ends with 1, and one with damaged files with 2.
    callgrind::count_run(program.as_ref(), &arguments, &[0, 1, 2], None)
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    fs::write(folder.join(name), bytes).unwrap();
    path(folder, name)
}

fn each(n: usize, make: impl Fn(usize) -> Vec<u8>) -> Vec<Vec<u8>> {
    (0..n).map(make).collect()
}

fn lines(n: usize, page: impl Fn(usize) -> (String, String)) -> Vec<u8> {
    let line = |i| {
        let (url, html) = page(i);
        line(&url, &html)
    };
    (0..n).flat_map(line).collect()
}

fn date(second: usize) -> String {
    format!(
        "2026-01-01T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

fn filter(to: &Path, bytes: &[u8]) -> Vec<String> {
    filter_of(&write(to, "x.jsonl", bytes))
}

fn filter_of(input: &str) -> Vec<String> {
    words(["filter", input, "-q", "-j1"])
}

fn wacz(to: &Path, n: usize, entry: impl Fn(usize) -> Vec<u8>) -> Vec<String> {
    let file = fs::File::create(to.join("x.wacz")).unwrap();
    let mut zip = zip::ZipWriter::new(file);
    let plain =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for i in 0..n {
        zip.start_file(format!("archive/{i}.warc"), plain).unwrap();
        std::io::Write::write_all(&mut zip, &entry(i)).unwrap();
    }
    zip.finish().unwrap();
    filter_of(&path(to, "x.wacz"))
}

fn index(to: &Path, bytes: &[u8]) -> Vec<String> {
    index_of(&write(to, "x.jsonl", bytes), to)
}

fn index_of(input: &str, to: &Path) -> Vec<String> {
    words(["index", input, "-q", "-j1", "-o", &path(to, "index")])
}

fn export(to: &Path, n: usize, engine: &str) -> Vec<String> {
    let input = write(
        to,
        "x.jsonl",
        &lines(n, |i| (format!("{SITE}/{i}"), PAGE.to_owned())),
    );
    words([
        "export",
        &input,
        "--to",
        engine,
        "-q",
        "-j1",
        "-o",
        &path(to, "out"),
    ])
}
