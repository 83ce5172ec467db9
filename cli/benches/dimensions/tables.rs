//! Dimensions of files that the program writes about pages: masks, feeds, exports, censuses.

use crate::Row;
use crate::files::{Files, SITE, read, run, url, with, words};
use crate::made::{http, line, page, page_of, warc};

pub(crate) const ROWS: &[Row] = &[
    ("answers of a mask", 250, |files, n| {
        mask(files, n, "mask.jsonl")
    }),
    ("answers of a mask in TSV", 250, |files, n| {
        mask(files, n, "mask.tsv")
    }),
    ("answers of a compact mask", 250, |files, n| {
        mask(files, n, "x.mask")
    }),
    ("answers of a mask in Parquet", 250, |files, n| {
        mask(files, n, "mask.parquet")
    }),
    ("answers of a mask in gzip", 250, |files, n| {
        mask(files, n, "mask.jsonl.gz")
    }),
    ("answers that are unpacked", 500, |files, n| {
        run(&mask(files, n, "x.mask"));
        words(["mask", "--unpack", &files.path("x.mask")])
    }),
    ("groups of a mask", 50, |files, n| {
        let mut arguments = mask(files, n, "mask.jsonl");
        arguments.extend(words(["--group", "1"]));
        arguments
    }),
    ("answers of a mask with a log", 250, |files, n| {
        let mut arguments = mask(files, n, "mask.jsonl");
        arguments.extend(words(["--evidence", &files.path("log")]));
        arguments
    }),
    ("URLs of a list", 2000, |files, n| {
        let rules = files.write("robots.txt", b"User-agent: *\nDisallow: /7");
        read(
            "mask",
            &rules,
            ["--input", "html", "--url", SITE, "--urls", &files.urls(n)],
        )
    }),
    ("texts beside as many pages", 250, |files, n| {
        beside(
            files,
            n,
            |i| page(&url(i), "<p>word"),
            |i| warc("conversion", &url(i), "", b"word"),
        )
    }),
    (
        "texts beside as many captures of one URL",
        250,
        |files, n| {
            let capture = |i| page_of(SITE, &crate::files::date(i), "<p>word");
            beside(files, n, capture, |_| warc("conversion", SITE, "", b"word"))
        },
    ),
    ("texts beside records of one identifier", 250, |files, n| {
        let id = "WARC-Record-ID: <urn:uuid:1>\r\n";
        let of = "WARC-Refers-To: <urn:uuid:1>\r\n";
        let body = http("200 OK\r\nContent-Type: text/html", b"<p>word");
        let capture = |i| warc("response", &url(i), id, &body);
        beside(files, n, capture, |i| {
            warc("conversion", &url(i), of, b"word")
        })
    }),
    ("answers of two masks, compared", 500, |files, n| {
        let old = answers(files, "old.jsonl", n, true);
        words([
            "mask",
            "--feed",
            &old,
            &answers(files, "new.jsonl", n, false),
        ])
    }),
    (
        "answers of two masks about other records",
        500,
        |files, n| {
            let old = answers(files, "old.jsonl", n, true);
            words([
                "mask",
                "--feed",
                &old,
                &answers(files, "new.jsonl", n + 1, false),
            ])
        },
    ),
    ("pages of an export to Elasticsearch", 250, |files, n| {
        export(files, n, "elasticsearch")
    }),
    ("pages of an export to Solr", 250, |files, n| {
        export(files, n, "solr")
    }),
    ("pages of an export to Quickwit", 250, |files, n| {
        export(files, n, "quickwit")
    }),
    ("pages of an export to Manticore", 250, |files, n| {
        export(files, n, "manticore")
    }),
    ("pages of an export to CIFF", 250, |files, n| {
        export(files, n, "ciff")
    }),
    ("pages of an export to Parquet", 250, |files, n| {
        export(files, n, "parquet")
    }),
    ("pages of an export to WET", 250, |files, n| {
        export(files, n, "wet")
    }),
    ("pages of a census", 250, |files, n| {
        read("census", &files.pages(n), [])
    }),
    ("sites of a census", 250, |files, n| {
        read("census", &files.sites(n), [])
    }),
    ("statements of a census", 500, |files, n| {
        let html: String = (0..n)
            .map(|i| format!("<meta name=bot{i} content=noindex>"))
            .collect();
        read("census", &files.write("x.jsonl", &line(SITE, &html)), [])
    }),
    ("sites of a census with a page", 250, |files, n| {
        read(
            "census",
            &files.sites(n),
            ["--html", &files.path("census.html")],
        )
    }),
    ("censuses that are merged", 10, |files, n| {
        let census = |i| {
            let name = files.path(&format!("{i}.json"));
            run(&read("census", &files.sites(10), ["-o", &name]));
            name
        };
        with(words(["census", "--merge", "-q"]), n, census)
    }),
];

fn mask(files: &Files, n: usize, name: &str) -> Vec<String> {
    let input = files.members("x.warc", n, |i| page(&url(i), "<p>word"));
    read("mask", &input, ["-o", &files.path(name)])
}

fn beside(
    files: &Files,
    n: usize,
    page: impl Fn(usize) -> Vec<u8>,
    text: impl Fn(usize) -> Vec<u8>,
) -> Vec<String> {
    let pages = files.members("x.warc", n, page);
    let texts = files.members("x.warc.wet", n, text);
    read(
        "mask",
        &pages,
        ["--beside", &texts, "-o", &files.path("mask")],
    )
}

/// Writes a mask with `n` answers, and returns its path. If `is_allowed` is true, all answers allow
/// the uses; otherwise all deny them.
fn answers(files: &Files, name: &str, n: usize, is_allowed: bool) -> String {
    files.lines(name, n, |i| {
        format!(
            r#"{{"file":"x","unit":"line","at":{i},"record":null,"url":"{}","date":null,"kind":"page","reason":null,"digest":null,"law":1,"allow":{{"index":{is_allowed}}},"bots":[{{"bot":"heedful","allow":{{"index":{is_allowed}}},"why":{{}},"parts":null}}]}}"#,
            url(i)
        )
    })
}

fn export(files: &Files, n: usize, engine: &str) -> Vec<String> {
    read(
        "export",
        &files.pages(n),
        ["--to", engine, "-o", &files.path("out")],
    )
}
