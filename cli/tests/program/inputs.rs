//! Inputs are recognized by their content. The tests read folders, patterns, manifests, archives in
//! all kinds of compression, HTTP codings and kinds of pages. They also test which of two captures
//! of a URL decides about its page.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use heedful::{Bot, Filter};
use heedful_index::{Index, UrlState};
use heedful_input::{InputFormat, Inputs};
use heedful_run::{Gate, Outcome, Run, apply_outcome};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::support::made::{
    arc, arc_start, folder, gz, http, line, packed_each, page, page_of, robots, warc, write, zst,
};
use crate::support::{data, dictionary};

const SITE: &str = "https://site.example";

/// What a test finds in its inputs: pages, numbers of other records, and damage.
#[derive(Debug, Default)]
struct Met {
    /// URL and text of each page that entered, in order.
    pages: Vec<(String, String)>,
    gated: usize,
    skipped: usize,
    unchanged: usize,
    cut: usize,
    damage: Vec<String>,
}

impl Met {
    fn texts(&self) -> Vec<&str> {
        self.pages.iter().map(|(_, text)| text.as_str()).collect()
    }

    fn urls(&self) -> Vec<&str> {
        self.pages.iter().map(|(url, _)| url.as_str()).collect()
    }
}

fn filter() -> Filter {
    Filter::new(Bot::new("FooBot").unwrap()).snapshots()
}

fn read(inputs: &Inputs, paths: &[impl AsRef<Path>]) -> Met {
    let inputs = inputs.open(paths).unwrap();
    let mut met = Met::default();
    let gate = Gate::from_inputs(&inputs).unwrap();
    Run::new(&inputs, &gate, 2)
        .filter(&filter(), |outcome, _| {
            match outcome {
                Outcome::Pages(filtered) if filtered.pages[0].policy().may_fetch() => {
                    met.cut += usize::from(filtered.is_cut);
                    let page = &filtered.pages[0];
                    met.pages
                        .push((page.url().to_owned(), page.phrases().join(" | ")));
                }
                Outcome::Pages(_) => met.gated += 1,
                Outcome::Unchanged(_) => met.unchanged += 1,
                Outcome::Skipped(_) => met.skipped += 1,
                Outcome::Damage(damage) => met.damage.push(damage.to_string()),
                other => panic!("{other:?}"),
            }
            Ok(())
        })
        .unwrap();
    met
}

fn read_file(name: &str, bytes: &[u8]) -> Met {
    let folder = folder();
    read(&Inputs::default(), &[write(folder.path(), name, bytes)])
}

/// Opens inputs that must be refused, and returns the error.
fn refused(inputs: &Inputs, paths: &[impl AsRef<Path>]) -> String {
    inputs.open(paths).unwrap_err().to_string()
}

fn at(path: &str) -> String {
    format!("{SITE}/{path}")
}

fn numbered(name: &str) -> Vec<u8> {
    page(&at(name), &format!("<p>page {name}"))
}

fn zipped(entries: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(
            *name,
            SimpleFileOptions::default().compression_method(method),
        )
        .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn wacz(method: CompressionMethod) -> Vec<u8> {
    let entries = [
        ("datapackage.json", b"{}".to_vec()),
        ("pages/pages.jsonl", line(&at("no"), "<p>not an archive")),
        ("archive/b.warc", numbered("b")),
        (
            "archive/a.warc.gz",
            [gz(&numbered("a1")), gz(&numbered("a2"))].concat(),
        ),
    ];
    zipped(&entries, method)
}

#[test]
fn a_kind_is_known_by_content_and_not_by_name() {
    let arc_file = [
        arc_start(1),
        arc(
            &at("a"),
            &http("200 OK\r\nContent-Type: text/html", b"<p>page a"),
        ),
    ]
    .concat();
    let warc_file = numbered("a");
    let json = line(&at("a"), "<p>page a");
    for (name, bytes) in [
        ("page.html", warc_file.clone()),
        ("lines.jsonl", gz(&warc_file)),
        ("site.arc.gz", zst(&warc_file)),
        ("a.warc", arc_file.clone()),
        ("picture.png", gz(&arc_file)),
        ("b.warc.gz", json.clone()),
        ("c.parquet", gz(&json)),
        ("d.html", zst(&json)),
        ("e", [b"\xEF\xBB\xBF".to_vec(), json.clone()].concat()),
        (
            "f.txt",
            zipped(
                &[("archive/x", warc_file.clone())],
                CompressionMethod::Stored,
            ),
        ),
    ] {
        let met = read_file(name, &bytes);
        assert_eq!(
            (met.urls(), met.texts()),
            (vec![at("a").as_str()], vec!["page a"]),
            "{name}: {:?}",
            met.damage
        );
        assert!(met.damage.is_empty(), "{name}: {:?}", met.damage);
    }
    for name in ["x.warc", "x.jsonl", "x.arc.gz"] {
        assert_eq!(
            read_file(name, b"<!doctype html><p>page a").texts(),
            ["page a"],
            "{name}"
        );
    }
}

/// An archive whose beginning is damaged is not read as a page. In the test, junk replaces its
/// first record.
#[test]
fn an_archive_whose_beginning_is_damaged_is_no_page() {
    let many: Vec<_> = (0..20).map(|n| numbered(&format!("n{n}"))).collect();
    let arcs: Vec<_> = (0..20)
        .map(|n| arc(&at(&format!("n{n}")), &http("200 OK", b"<p>x")))
        .collect();
    for (what, bytes) in [
        ("a plain WARC", many.concat()),
        ("a packed WARC", packed_each(&many, gz)),
        ("one in zstd", packed_each(&many, zst)),
        ("a plain ARC", arcs.concat()),
        ("a packed ARC", packed_each(&arcs, gz)),
    ] {
        for damage in 0..4 {
            let mut bytes = bytes.clone();
            bytes[damage] ^= 0x15;
            let met = read_file("file", &bytes);
            let urls = met.urls();
            assert!(
                urls.len() >= 19 && urls.iter().all(|url| url.starts_with(SITE)),
                "{what}: {urls:?}"
            );
        }
    }
}

/// A zstd file of a single large frame is recognized by its content. `zstd FILE` makes such a
/// frame, whose window is as large as the file.
#[test]
fn one_large_frame_of_zstd_is_known_by_its_content() {
    let lines: Vec<u8> = (0..3000)
        .flat_map(|n| line(&at(&format!("n{n}")), &format!("<p>page {n} {}", n * n)))
        .collect();
    let met = read_file("file", &zst(&lines));
    assert_eq!(
        (met.pages.len(), met.damage.len()),
        (3000, 0),
        "{:?}",
        met.damage
    );
    let (status, found, told) = crate::command::run(&["filter", "-"], zst(&lines));
    assert_eq!((status, found.lines().count()), (0, 3000), "{told}");
}

#[test]
fn a_folder_of_archives_gives_them_in_the_order_of_their_names() {
    let folder = folder();
    write(folder.path(), "b.warc", &numbered("b"));
    write(folder.path(), "a/x.warc.gz", &gz(&numbered("a")));
    write(folder.path(), "c.jsonl", &line(&at("c"), "<p>page c"));
    write(folder.path(), "d.wacz", &wacz(CompressionMethod::Stored));
    write(folder.path(), "README.html", b"<p>what this is");
    let met = read(&Inputs::default(), &[folder.path()]);
    assert_eq!(
        met.texts(),
        ["page a", "page b", "page c", "page a1", "page a2", "page b"]
    );
    let site = Inputs::default().url(Some("https://other.example/".parse().unwrap()));
    assert_eq!(
        read(&site, &[folder.path()]).urls(),
        ["https://other.example/README.html"]
    );
    let empty = TempDir::new().unwrap();
    assert!(refused(&Inputs::default(), &[empty.path()]).contains("--url"));
}

#[test]
fn a_pattern_stands_for_files() {
    let folder = folder();
    for name in ["a", "b", "c"] {
        write(folder.path(), &format!("{name}.warc"), &numbered(name));
    }
    let [brackets, stars, none] =
        ["[ab].warc", "*.warc", "*.arc"].map(|pattern| folder.path().join(pattern));
    assert_eq!(
        read(&Inputs::default(), &[&brackets]).texts(),
        ["page a", "page b"]
    );
    assert_eq!(
        read(&Inputs::default(), &[&stars]).texts(),
        ["page a", "page b", "page c"]
    );
    assert!(refused(&Inputs::default(), &[&none]).contains("there is no such file"));
    write(folder.path(), "[ab].warc", &numbered("brackets"));
    assert_eq!(
        read(&Inputs::default(), &[&brackets]).texts(),
        ["page brackets"],
        "a file of that name comes first"
    );
}

fn manifest(folder: &Path, text: &str) -> PathBuf {
    let path = write(folder, "list.txt", text.as_bytes());
    PathBuf::from(format!("@{}", path.display()))
}

#[test]
fn a_manifest_names_inputs() {
    let folder = folder();
    write(folder.path(), "a.warc", &numbered("a"));
    write(folder.path(), "sub/b.jsonl", &line(&at("b"), "<p>page b"));
    write(folder.path(), "page.html", b"<p>one page");
    write(folder.path(), "site/p.html", b"<p>of a site");
    write(folder.path(), "site/shut/p.html", b"<p>shut");
    write(
        folder.path(),
        "site/robots.txt",
        b"User-agent: *\nDisallow: /shut/",
    );
    let list = manifest(
        folder.path(),
        "# what there is\n\na.warc\r\nsub/*.jsonl\npage.html\thttps://other.example/one\nsite\thttps://third.example/x/\n",
    );
    let met = read(&Inputs::default(), &[&list]);
    assert_eq!(
        met.texts(),
        ["page a", "page b", "one page", "of a site", "shut"]
    );
    let urls = [
        "https://other.example/one",
        "https://third.example/x/p.html",
        "https://third.example/x/shut/p.html",
    ];
    assert_eq!(met.urls()[2..], urls);
    assert!(met.damage.is_empty(), "{:?}", met.damage);
}

/// Inputs in a manifest that cannot be read are reported as damage, and all others are read. A page
/// without a URL in the manifest is damage. A manifest inside a manifest is read as a page.
#[test]
fn what_a_manifest_names_in_vain_is_damage() {
    let folder = folder();
    write(folder.path(), "a.warc", &numbered("a"));
    write(folder.path(), "page.html", b"<p>one page");
    write(folder.path(), "other.txt", b"a.warc\n");
    write(folder.path(), "noise.bin", &[0, 1, 2, 3]);
    let list = manifest(
        folder.path(),
        "a.warc\nmissing.warc\npage.html\nother.txt\nnoise.bin\na.warc\n",
    );
    let met = read(&Inputs::default(), &[&list]);
    assert_eq!(met.texts(), ["page a", "page a"]);
    let told = [
        "missing.warc",
        "in a manifest its URL",
        "without a single tag",
        "noise.bin",
    ];
    assert_eq!(met.damage.len(), told.len(), "{:?}", met.damage);
    for (damage, told) in met.damage.iter().zip(told) {
        assert!(damage.contains(told), "{damage}");
    }
    let far = manifest(folder.path(), "a.warc\nhttps://site.example/b.warc\n");
    assert!(refused(&Inputs::default(), &[&far]).contains("line 2"));
    let bad = manifest(folder.path(), "a.warc\npage.html\tno url\n");
    assert!(refused(&Inputs::default(), &[&bad]).contains("line 2"));
}

/// A page that lists names of files is not read as a manifest, since anybody may have written it.
#[test]
fn a_page_that_names_files_is_a_page() {
    let folder = folder();
    let secret = write(folder.path(), "secret.html", b"<p>secret");
    let names = format!("\n<p>{}\n{}\n", secret.display(), secret.display());
    assert!(
        !read_file("page.html", names.as_bytes())
            .texts()
            .contains(&"secret")
    );
    let html = secret.display().to_string();
    let met = read_file("a.warc", &page(&at("a"), &html));
    assert_eq!(met.texts(), [html.as_str()], "in an archive");
    let (_, found, _) = crate::command::run(&["text", "-"], format!("<p>{html}\n").as_bytes());
    assert!(
        !found.contains("secret\n") && found.contains("secret.html"),
        "from a pipe: {found}"
    );
    // The manifest names the page with a URL, so the file is one page.
    let list = manifest(folder.path(), "first.html\n");
    write(
        folder.path(),
        "first.html",
        format!("{html}\n{html}\n").as_bytes(),
    );
    let met = read(&Inputs::default(), &[&list]);
    assert!(met.pages.is_empty() && met.damage.len() == 1, "{met:?}");
    // The user did not name it as a manifest, though it lists only existing files.
    assert_eq!(
        read_file(
            "page.html",
            format!("{html}\thttps://other.example/<p>\n").as_bytes()
        )
        .texts()
        .len(),
        1
    );
    assert!(
        !read_file("page.html", format!("{html}\n<p>").as_bytes())
            .texts()
            .contains(&"secret")
    );
    let bare = write(folder.path(), "page.html", format!("{html}\n").as_bytes());
    assert!(refused(&Inputs::default(), &[bare]).contains("without a single tag"));
}

#[test]
fn the_archives_of_a_wacz_are_read() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let met = read_file("a.wacz", &wacz(method));
        assert_eq!(met.texts(), ["page a1", "page a2", "page b"], "{method}");
        assert!(met.damage.is_empty(), "{:?}", met.damage);
    }
    let folder = folder();
    let none = write(
        folder.path(),
        "none.zip",
        &zipped(&[("a.warc", numbered("a"))], CompressionMethod::Stored),
    );
    assert!(refused(&Inputs::default(), &[none]).contains("without archives"));
    let shut = [
        ("archive/1", robots(SITE, "User-agent: *\nDisallow: /")),
        ("archive/0", numbered("a")),
    ];
    assert_eq!(
        read_file("x", &zipped(&shut, CompressionMethod::Deflated)).gated,
        1,
        "a robots.txt in another archive"
    );
}

#[test]
fn a_dictionary_in_front_serves_all_frames() {
    for what in [dictionary::DICTIONARY, dictionary::PACKED_DICTIONARY] {
        let met = read_file("a", &dictionary::archive(what));
        assert_eq!(met.texts(), ["the first page", "the second page"]);
        assert!(met.damage.is_empty(), "{:?}", met.damage);
    }
    let mut damaged = dictionary::archive(dictionary::DICTIONARY);
    let first = 8 + dictionary::bytes(dictionary::DICTIONARY).len();
    damaged[first + 40] ^= 0x55;
    let met = read_file("a", &damaged);
    assert_eq!(met.texts().last(), Some(&"the second page"));
    assert!(
        met.damage
            .iter()
            .any(|told| told.contains(&format!("at byte {first}"))),
        "{:?}",
        met.damage
    );
    let skipped = [
        &[0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3][..],
        &zst(&numbered("a")),
    ]
    .concat();
    assert_eq!(
        read_file("a", &skipped).texts(),
        ["page a"],
        "a frame that is to be skipped"
    );
}

#[test]
fn both_versions_of_arc_are_read() {
    let response = http("200 OK\r\nContent-Type: text/html", b"<p>one");
    let first = [
        arc_start(1),
        arc("http://site.example/a b c", &response),
        arc(
            "dns:site.example",
            b"20080430204825\nsite.example. 1 IN A 10.0.0.1\n",
        ),
        arc("http://site.example/gone", &http("404 Not Found", b"<p>no")),
    ];
    let met = read_file("a", &first.concat());
    assert_eq!(
        (met.urls(), met.skipped),
        (vec!["http://site.example/a%20b%20c"], 1),
        "{:?}",
        met.damage
    );
    let names = "2 0 test\nURL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n\n";
    let start = format!(
        "filedesc://x.arc 0.0.0.0 20080430000000 text/plain 200 - - 0 x.arc {}\n{names}\n",
        names.len()
    );
    let head = format!(
        "http://site.example/two 10.0.0.1 20080430204825 text/html 200 - - 120 x.arc {}\n",
        response.len()
    );
    let second = [start.as_bytes(), head.as_bytes(), &response, b"\n"].concat();
    let met = read_file("b", &second);
    assert_eq!(
        (met.urls(), met.texts(), met.damage.len()),
        (vec!["http://site.example/two"], vec!["one"], 0)
    );
    let shut = arc(
        "http://site.example/robots.txt",
        &http("200 OK", b"User-agent: *\nDisallow: /"),
    );
    assert_eq!(read_file("c", &[second, shut].concat()).gated, 1);
}

/// An ARC file from a real crawler is read. The test has only its first records, and none of these
/// is broken.
#[test]
fn a_real_arc_is_read() {
    let Some(data) = data() else { return };
    let met = read(
        &Inputs::default(),
        &[data.join("warc/iah-2008-truncated.arc.gz")],
    );
    let urls = [
        "http://www.archive.org/",
        "http://www.archive.org/index.php",
    ];
    assert_eq!(
        (met.urls(), met.skipped, met.damage.len()),
        (urls.to_vec(), 4, 0),
        "{:?}",
        met.damage
    );
    assert!(met.pages[1].1.contains("Internet Archive"), "{met:?}");
}

#[test]
fn headers_of_json_lines_are_pairs_objects_or_lists() {
    let with = |headers: &str| {
        format!("{{\"url\":\"{SITE}/a\",\"html\":\"<p>word\",\"headers\":{headers}}}\n")
    };
    for headers in [
        r#"[["X-Robots-Tag","noindex"]]"#,
        r#"[["A","b"],["x-robots-tag","noindex"]]"#,
        r#"{"X-Robots-Tag":"noindex"}"#,
        r#"{"A":["b"],"X-Robots-Tag":["nofollow","noindex"]}"#,
        r#"{"A":"b","X-Robots-Tag":["noindex"]}"#,
        r#"{"X-Robots-Tag":"noindex","X-Robots-Tag":"all"}"#,
        r#"{"X-Robots-Tag":["noindex"],"X-Robots-Tag":["all"]}"#,
        r#"[["X-Robots-Tag:","noindex"]]"#,
        r#"[["\u00a0X-Robots-Tag : ","noindex"]]"#,
        r#"[["X-Robots-Tag\r\n","noindex"]]"#,
        r#"[["A","b\r\nX-Robots-Tag: noindex"]]"#,
        r#"[["A","b\r\n c\n X-Robots-Tag : noindex\r\n"]]"#,
        r#"[["X-Robots-Tag","all,\r\n noindex"]]"#,
        r#"[["X-Robots-Tag: noindex\r\nA","b"]]"#,
    ] {
        assert_eq!(
            read_file("a", with(headers).as_bytes()).texts(),
            [""],
            "{headers}"
        );
    }
    for headers in ["null", "[]", "{}"] {
        assert_eq!(
            read_file("a", with(headers).as_bytes()).texts(),
            ["word"],
            "{headers}"
        );
    }
    // An invalid header may be one that denies a use.
    for headers in [
        "7",
        "\"X-Robots-Tag: noindex\"",
        r#"[["X-Robots-Tag"]]"#,
        r#"[["X-Robots-Tag","noindex",""]]"#,
        r#"{"X-Robots-Tag":7}"#,
        r#"{"X-Robots-Tag":null}"#,
        r#"[{"a":"b"}]"#,
    ] {
        let met = read_file("a", with(headers).as_bytes());
        assert!(
            met.pages.is_empty() && met.damage.len() == 1,
            "{headers}: {met:?}"
        );
    }
}

#[test]
fn keys_of_json_lines_are_known_in_any_case() {
    let met = |more: &str| {
        read_file(
            "a",
            format!("{{\"URL\":\"{SITE}/a\",\"Html\":\"<p>word\"{more}}}\n").as_bytes(),
        )
    };
    assert_eq!(met("").texts(), ["word"]);
    assert_eq!(
        met(r#","Headers":{"X-Robots-Tag":"noindex"}"#).texts(),
        [""]
    );
    for twice in [
        r#","Headers":{"X-Robots-Tag":"noindex"},"headers":{}"#,
        r#","html":"""#,
        r#","url":null"#,
    ] {
        let met = met(twice);
        assert!(
            met.pages.is_empty() && met.damage[0].contains("twice"),
            "{twice}: {met:?}"
        );
    }
}

/// A line of JSON Lines is damage if it has a misspelled key that could deny uses. Other unknown
/// keys are ignored.
#[test]
fn a_misspelt_key_that_may_forbid_is_damage() {
    let met = |key: &str| {
        let key = format!(",\"{key}\":{{\"X-Robots-Tag\":\"noindex\"}}");
        read_file(
            "a",
            format!("{{\"url\":\"{SITE}/a\",\"html\":\"<p>word\"{key}}}\n").as_bytes(),
        )
    };
    for (key, meant) in [
        ("header", "headers"),
        ("Heders", "headers"),
        ("http_headers", "headers"),
        ("response-headers", "headers"),
        ("X-Robots-Tag", "headers"),
        ("robot", "robots"),
        ("robots.txt", "robots"),
        ("robots-status", "robots_status"),
    ] {
        let met = met(key);
        let told = format!("is no key; did you mean `{meant}`?");
        assert!(
            met.pages.is_empty() && met.damage.len() == 1 && met.damage[0].contains(&told),
            "{key}: {met:?}"
        );
    }
    for other in [
        "heading",
        "robotics",
        "meta",
        "text",
        "statuses",
        "a_name_that_is_longer_than_a_slip_of_headers",
    ] {
        let line = format!(
            "{{\"url\":\"{SITE}/a\",\"html\":\"<p>word\",\"{other}\":{{\"Date\":\"today\"}}}}\n"
        );
        assert_eq!(read_file("a", line.as_bytes()).texts(), ["word"], "{other}");
        let met = met(other);
        let told = format!("`{other}.X-Robots-Tag` may forbid");
        assert!(
            met.pages.is_empty() && met.damage.len() == 1 && met.damage[0].contains(&told),
            "{other}: {met:?}"
        );
    }
}

/// A robots.txt in JSON Lines has the same effect as in an archive. It disallows its whole site if
/// its status is 206 (only a part of the file was fetched), or if its status is 200 and it is not
/// text.
#[test]
fn a_line_that_is_half_a_robots_txt_or_no_text_shuts_its_site() {
    let open = "User-agent: *\nDisallow:";
    let answered = |status: u16, html: &str| {
        let robots = serde_json::json!({"url": at("robots.txt"), "status": status, "html": html});
        read_file(
            "a.jsonl",
            format!(
                "{robots}\n{}",
                String::from_utf8(line(&at("a"), "<p>a")).unwrap()
            )
            .as_bytes(),
        )
        .gated
    };
    assert_eq!(
        [
            answered(200, open),
            answered(404, "\u{1}"),
            answered(206, open),
            answered(200, "\u{1}\u{2}")
        ],
        [0, 0, 1, 1]
    );
}

/// A robots.txt in a broken line of JSON Lines disallows its whole site, since it may disallow any
/// page.
#[test]
fn a_broken_line_that_is_a_robots_txt_shuts_its_site() {
    let page = String::from_utf8(line(&at("a"), "<p>a")).unwrap();
    let robots = |rest: &str| format!("{{\"url\":\"{SITE}/robots.txt\",{rest}}}\n").into_bytes();
    let all = r#""html":"User-agent: *\nAllow: /\n""#;
    for (what, broken) in [
        ("a number", robots(r#""html":5"#)),
        (
            "a text as status",
            robots(&format!("{all},\"status\":\"200\"")),
        ),
        ("headers", robots(&format!("{all},\"headers\":{{\"a\":1}}"))),
        (
            "no UTF-8",
            [b"{\"url\":\"https://site.example/robots.txt\",\"html\":\"\xE9\"}\n".as_slice()]
                .concat(),
        ),
        ("half a pair", robots(r#""html":"\ud800""#)),
        ("twice", robots(&format!("{all},{all}"))),
        ("two URLs", robots(&format!("{all},\"URL\":\"{SITE}/b\""))),
        (
            "no base64",
            robots(r####""html_b64":"###","status":203"####),
        ),
        ("no body", robots(r#""html":null,"status":204"#)),
        (
            "escaped",
            format!("{{\"url\":\"{SITE}/\\u0072obots.txt\",\"html\":5}}\n").into_bytes(),
        ),
        (
            "a tab",
            format!("{{\"url\":\"{SITE}/robots.\\ttxt\",\"html\":5}}\n").into_bytes(),
        ),
        (
            "cut",
            robots(r#""html":"User-agent: *"#)
                .strip_suffix(b"}\n")
                .unwrap()
                .to_vec(),
        ),
        (
            "cut behind the URL",
            format!("{{\"html\": x\\, \"Url\" : \"{SITE}/robots.t\\u0078t\"\n").into_bytes(),
        ),
        ("junk before", [b"\\\"", robots(all).as_slice()].concat()),
    ] {
        let bytes = [page.as_bytes(), &broken].concat();
        let met = read_file("a", &bytes);
        assert_eq!(
            (met.pages.len(), met.gated, met.damage.len()),
            (0, 1, 1),
            "{what}: {met:?}"
        );
        assert_ne!(Fed::of(&bytes).says(), "<p>a", "{what}");
    }
    for (key, escaped) in [
        ("url", "/\\u0072obots.txt"),
        ("url", "/robots.\\ttxt"),
        ("url", "\\/r\\u006fbot\\u0073.\\u0074x\\u0074"),
        ("url", "/r\\n\\t\\u000dobots.tx\\u000At"),
        ("\\u0075rl", "/a/.\\u002e/robots\\u002Etxt"),
        ("URL", "\\\\robots.t\\r\\u0078t"),
    ] {
        let whole =
            format!("{{\"{key}\":\"{SITE}{escaped}\",\"html\":\"User-agent: *\\nDisallow: /\"}}\n");
        let met = read_file("a", (page.clone() + &whole).as_bytes());
        assert_eq!(
            (met.pages.len(), met.gated, met.damage.len()),
            (0, 1, 0),
            "{escaped}: {met:?}"
        );
    }
    // A URL in the text of a page is not the URL of its line.
    let other =
        format!("{{\"html\":\"{{\\\"url\\\":\\\"{SITE}/robots.txt\\\"}}\",\"status\":\"200\"}}\n");
    for other in [other.as_str(), &other[..other.len() - 2]] {
        let met = read_file("a", format!("{page}{other}\n").as_bytes());
        assert_eq!(
            (met.texts(), met.damage.len()),
            (vec!["a"], 1),
            "{other}: {met:?}"
        );
    }
}

#[test]
fn a_line_may_be_a_robots_txt() {
    let lines = [
        line(&at("shut/a"), "<p>a"),
        line(&at("b"), "<p>b"),
        line(&at("robots.txt"), "User-agent: *\nDisallow: /shut/"),
    ];
    for bytes in [lines.concat(), gz(&lines.concat()), zst(&lines.concat())] {
        let met = read_file("a", &bytes);
        assert_eq!((met.texts(), met.gated), (vec!["b"], 1));
    }
    let status = |status: u16| format!("{{\"url\":\"{SITE}/robots.txt\",\"status\":{status}}}\n");
    let page = String::from_utf8(line(&at("a"), "<p>a")).unwrap();
    assert_eq!(
        read_file("a", (page.clone() + &status(503)).as_bytes()).gated,
        1
    );
    assert_eq!(
        read_file("a", (page.clone() + &status(404)).as_bytes()).gated,
        0
    );
    let unreadable = format!("{{\"url\":\"{SITE}/robots.txt\",\"html_b64\":\"?\"}}\n");
    assert_eq!(read_file("a", (page + &unreadable).as_bytes()).gated, 1);
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    brotli::CompressorWriter::new(&mut packed, 4096, 5, 22)
        .write_all(bytes)
        .unwrap();
    packed
}

fn chunked(bytes: &[u8]) -> Vec<u8> {
    let chunk = |part: &[u8]| {
        [
            format!("{:x};a=b\r\n", part.len()).as_bytes(),
            part,
            b"\r\n",
        ]
        .concat()
    };
    [
        bytes.chunks(7).flat_map(chunk).collect(),
        b"0\r\nX-Trailer: y\r\n\r\n".to_vec(),
    ]
    .concat()
}

fn response(head: &str, body: &[u8]) -> Met {
    let head = format!("200 OK\r\nContent-Type: text/html\r\n{head}");
    read_file(
        "a",
        &warc("response", &at("a"), "", &http(head.trim_end(), body)),
    )
}

#[test]
fn codings_of_http_are_undone() {
    let html = b"<!doctype html><p>what was packed is read";
    for (head, body) in [
        ("Content-Encoding: gzip", gz(html)),
        ("Content-Encoding: x-gzip", gz(html)),
        ("Content-Encoding: GZIP", gz(html)),
        (
            "Content-Encoding: gzip",
            [gz(&html[..9]), gz(&html[9..])].concat(),
        ),
        ("Content-Encoding: deflate", zlib(html)),
        ("Content-Encoding: deflate", deflated(html)),
        ("Content-Encoding: br", brotli(html)),
        ("Content-Encoding: gzip, br", brotli(&gz(html))),
        ("Content-Encoding: identity", html.to_vec()),
        ("Transfer-Encoding: chunked", chunked(html)),
        (
            "Transfer-Encoding: chunked\r\nContent-Encoding: gzip",
            chunked(&gz(html)),
        ),
        (
            "Transfer-Encoding: chunked\r\nContent-Encoding: br",
            chunked(&brotli(html)),
        ),
        // Archives store a body decoded, but keep its coding header and the old lengths.
        (
            "Content-Encoding: gzip\r\nContent-Length: 12",
            html.to_vec(),
        ),
        ("Transfer-Encoding: chunked", html.to_vec()),
        ("Content-Length: 5", html.to_vec()),
    ] {
        let met = response(head, &body);
        assert_eq!(
            (met.texts(), met.cut),
            (vec!["what was packed is read"], 0),
            "{head}: {:?}",
            met.damage
        );
    }
    for (met, text, what) in [
        (
            response("Content-Length: 500", html),
            "what was packed is read",
            "more was promised",
        ),
        (
            response("Transfer-Encoding: chunked", &chunked(html)[..64]),
            "what was p",
            "chunks that break off",
        ),
        (
            response("Content-Length: 500", &html[..15]),
            "",
            "nothing of the body is there",
        ),
    ] {
        assert_eq!((met.texts(), met.cut), (vec![text], 1), "{what}");
    }
    for (head, body) in [
        ("Content-Encoding: gzip", gz(html)[..20].to_vec()),
        ("Content-Encoding: br", vec![0xFF; 40]),
        ("Content-Encoding: zstd", zst(html)),
    ] {
        let met = response(head, &body);
        assert!(
            met.pages.is_empty() && met.damage.len() == 1,
            "{head}: {met:?}"
        );
    }
}

#[test]
fn a_wish_behind_the_last_chunk_is_heard() {
    let with = |trailer: &str| {
        let body = [b"5\r\n<p>on\r\n1\r\ne\r\n0\r\n", trailer.as_bytes()].concat();
        response("Transfer-Encoding: chunked", &body)
    };
    for (trailer, text, cut) in [
        ("\r\n", "one", 0),
        ("", "one", 0),
        ("Server-Timing: x\r\n\r\n", "one", 0),
        ("\r\nX-Robots-Tag: noindex\r\n\r\n", "one", 0),
        ("X-Robots-Tag: noindex\r\n\r\n", "", 0),
        (
            "a: b\r\nx-robots-tag: otherbot: noindex, nosnippet\r\n\r\n",
            "one",
            0,
        ),
        ("a: b\ncontent-usage: search=n\n\n", "", 0),
        ("Server-Timing: x\r\n", "one", 1),
    ] {
        let met = with(trailer);
        assert_eq!(
            (met.texts(), met.cut),
            (vec![text], cut),
            "{trailer:?}: {:?}",
            met.damage
        );
    }
    assert_eq!(
        with("X-Robots-Tag noindex\r\n\r\n").damage.len(),
        1,
        "a line that may forbid and cannot be read"
    );
}

#[test]
fn only_html_is_a_page() {
    let page = |kind: &str, body: &[u8]| {
        let head = if kind.is_empty() {
            "200 OK".to_owned()
        } else {
            format!("200 OK\r\nContent-Type: {kind}")
        };
        read_file("a", &warc("response", &at("a"), "", &http(&head, body)))
            .pages
            .len()
    };
    for kind in [
        "text/html",
        "TEXT/HTML; charset=utf-8",
        "application/xhtml+xml",
    ] {
        assert_eq!(page(kind, b"word"), 1, "{kind}");
    }
    for kind in [
        "text/plain",
        "image/png",
        "application/json",
        "application/xml",
        "text/xml",
        "application/rss+xml",
    ] {
        assert_eq!(page(kind, b"<!doctype html><p>word"), 0, "{kind}");
    }
    for kind in ["", "*/*", "unknown/unknown", "application/unknown"] {
        for body in [
            "<!DOCTYPE HTML><p>x",
            " \r\n<html>",
            "<?xml version=\"1.0\"?><html>",
            "<!-- x --><p>",
            "\u{FEFF}<Body>",
        ] {
            assert_eq!(page(kind, body.as_bytes()), 1, "{kind}: {body}");
        }
        for body in [
            "word",
            "<?xml version=\"1.0\"?><rss>",
            "{\"a\": \"<html>\"}",
            "GIF89a<html>",
            "%PDF-1.4",
            "",
        ] {
            assert_eq!(page(kind, body.as_bytes()), 0, "{kind}: {body}");
        }
        assert_eq!(
            page(kind, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR<html>"),
            0,
            "{kind}: a picture"
        );
    }
}

#[test]
fn charsets_are_those_of_the_page() {
    let html = |bytes: &[u8]| [b"<!doctype html><p>", bytes].concat();
    let words: [(&str, Vec<u8>, &str); 4] = [
        (
            "; charset=windows-1251",
            html(b"\xF0\xE6\xE0\xED\xEE\xE9"),
            "ржаной",
        ),
        ("; charset=iso-8859-1", html(b"caf\xE9"), "café"),
        (
            "",
            [
                b"<meta charset=koi8-r>".to_vec(),
                html(b"\xD2\xD6\xC1\xCE\xCF\xCA"),
            ]
            .concat(),
            "ржаной",
        ),
        (
            "",
            "\u{FEFF}<p>naïve"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
            "naïve",
        ),
    ];
    for (charset, body, text) in words {
        let head = format!("200 OK\r\nContent-Type: text/html{charset}");
        let met = read_file("a", &warc("response", &at("a"), "", &http(&head, &body)));
        assert_eq!(met.texts(), [text], "{charset}");
    }
}

/// Redirects, errors and partial pages in the input are counted, but are no pages.
#[test]
fn what_is_no_whole_answer_is_passed_over() {
    let records = [
        "301 Moved\r\nLocation: /b",
        "302 Found",
        "206 Partial Content",
        "404 Not Found",
        "429 Slow",
        "500 Oh",
    ]
    .map(|head| {
        warc(
            "response",
            &at("a"),
            "",
            &http(&format!("{head}\r\nContent-Type: text/html"), b"<p>no"),
        )
    });
    let met = read_file("a", &records.concat());
    assert_eq!((met.pages.len(), met.skipped, met.damage.len()), (0, 6, 0));
    let index = folder();
    let (_, _, told) = crate::command::run(
        &["index", "-", "-o", &index.path().display().to_string()],
        records.concat(),
    );
    assert!(told.contains("6 without status 2xx"), "{told}");
}

/// An index into which a test reads records one after the other.
struct Fed {
    _folder: TempDir,
    inputs: TempDir,
    index: Index,
}

impl Fed {
    fn new() -> Self {
        let folder = folder();
        let index =
            Index::create(folder.path(), &Filter::new(Bot::new("FooBot").unwrap())).unwrap();
        Self {
            _folder: folder,
            inputs: self::folder(),
            index,
        }
    }

    fn feed(&self, bytes: &[u8]) {
        let inputs = Inputs::default()
            .open(&[write(self.inputs.path(), "input", bytes)])
            .unwrap();
        let mut writer = self.index.writer(1).unwrap();
        let gate = Gate::from_inputs(&inputs).unwrap();
        Run::new(&inputs, &gate, 2)
            .filter(&filter(), |outcome, _| {
                apply_outcome(&mut writer, &outcome).map(|_| ())
            })
            .unwrap();
        writer.commit().unwrap();
    }

    fn of(bytes: &[u8]) -> Self {
        let fed = Self::new();
        fed.feed(bytes);
        fed
    }

    /// Returns the state of the only page in the index: its snapshot, `bare` if it has none, or the
    /// reason why the page is gone.
    fn says(&self) -> String {
        let search = self.index.search().unwrap();
        match search.known(&at("a"), None).unwrap() {
            None => "unknown".to_owned(),
            Some(UrlState::Gone { reason, .. }) => reason.to_string(),
            Some(UrlState::Page {
                has_snapshot: false,
                ..
            }) => "bare".to_owned(),
            Some(UrlState::Page { .. }) => search.snapshot(&at("a"), None).unwrap().unwrap(),
        }
    }
}

const HTML: &str = "<!doctype html><p>word";

/// Returns three records of an unchanged page, each with the HTTP headers `headers`: status 304 in
/// WARC, status 304 in JSON, and a `revisit` record.
fn unchanged(headers: &str) -> [Vec<u8>; 3] {
    let json = headers
        .split("\r\n")
        .filter_map(|line| line.split_once(": "))
        .collect::<Vec<_>>();
    [
        warc(
            "response",
            &at("a"),
            "",
            &http(format!("304 Not Modified\r\n{headers}").trim_end(), b""),
        ),
        warc(
            "revisit",
            &at("a"),
            "",
            &http(
                format!("200 OK\r\nContent-Type: text/html\r\n{headers}").trim_end(),
                b"",
            ),
        ),
        format!(
            "{}\n",
            serde_json::json!({"url": at("a"), "status": 304, "headers": json})
        )
        .into_bytes(),
    ]
}

#[test]
fn an_unchanged_page_obeys_what_its_new_headers_deny() {
    for (headers, says) in [
        ("", HTML),
        ("X-Robots-Tag: all", HTML),
        ("X-Robots-Tag: noindex", "noindex"),
        ("X-Robots-Tag: none", "noindex"),
        ("X-Robots-Tag: noarchive", "bare"),
        ("X-Robots-Tag: nosnippet", "changed"),
        ("X-Robots-Tag: max-snippet: 10", "changed"),
        ("X-Robots-Tag: nofollow", "changed"),
        ("X-Robots-Tag: otherbot: noindex", HTML),
    ] {
        for (number, record) in unchanged(headers).into_iter().enumerate() {
            let fed = Fed::of(&page(&at("a"), HTML));
            assert_eq!(fed.says(), HTML);
            fed.feed(&record);
            assert_eq!(fed.says(), says, "{headers}, {number}");
            let fed = Fed::of(&record);
            assert_eq!(
                fed.says(),
                "unknown",
                "{headers}, {number}: a page that never was there"
            );
            // The record comes in the same run as the page, before a commit.
            if number < 2 {
                let fed = Fed::of(&[page(&at("a"), HTML), record].concat());
                assert_eq!(fed.says(), says, "{headers}, {number}: in one run");
            }
        }
    }
    let asked_before = warc(
        "response",
        &at("a"),
        "",
        &http(
            "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: nosnippet",
            HTML.as_bytes(),
        ),
    );
    let fed = Fed::of(&asked_before);
    let before = fed.says();
    for record in &unchanged("X-Robots-Tag: nosnippet")[..2] {
        fed.feed(record);
        assert_eq!(fed.says(), before, "nothing new is asked");
    }
}

/// A `revisit` record without HTTP headers changes nothing in the index.
#[test]
fn a_bare_revisit_says_nothing() {
    let fed = Fed::of(&page(&at("a"), HTML));
    fed.feed(&warc("revisit", &at("a"), "", b""));
    assert_eq!(fed.says(), HTML);
    let met = read_file(
        "a",
        &[warc("revisit", &at("a"), "", b""), numbered("b")].concat(),
    );
    assert_eq!((met.skipped, met.texts()), (1, vec!["page b"]));
}

const OLD: &str = "2023-01-02T03:04:05Z";
const NEW: &str = "2024-01-02T03:04:05Z";

#[test]
fn the_later_capture_counts_whatever_the_order() {
    let capture = |date: &str, html: &str| page_of(&at("a"), date, html);
    let (old, new) = (capture(OLD, "<p>old"), capture(NEW, "<p>new"));
    let (noindex, gone) = (
        capture(NEW, "<meta name=robots content=noindex>"),
        warc(
            "response",
            &at("a"),
            &format!("WARC-Date: {NEW}\r\n"),
            &http("404 Gone", b""),
        ),
    );
    for (first, second, says) in [
        (&old, &new, "<p>new"),
        (&new, &old, "<p>new"),
        (&noindex, &old, "noindex"),
        (&old, &noindex, "noindex"),
        (
            &capture(NEW, "<p>first"),
            &capture(NEW, "<p>second"),
            "<p>second",
        ),
        (
            &page(&at("a"), "<p>first"),
            &page(&at("a"), "<p>second"),
            "<p>second",
        ),
        (&new, &page(&at("a"), "<p>undated"), "<p>undated"),
        (&page(&at("a"), "<p>undated"), &old, "<p>old"),
        (
            &capture("2023", "<p>old"),
            &capture("2023-02", "<p>new"),
            "<p>new",
        ),
        (
            &capture("2023-02", "<p>new"),
            &capture("2023", "<p>old"),
            "<p>new",
        ),
    ] {
        let fed = Fed::of(&[first.clone(), second.clone()].concat());
        assert_eq!(fed.says(), says, "in one run");
        let fed = Fed::of(first);
        fed.feed(second);
        assert_eq!(fed.says(), says, "in two runs");
        fed.index.compact().unwrap();
        fed.feed(first);
        assert_eq!(
            fed.says(),
            if says == "<p>first" {
                "<p>second"
            } else {
                fed.says().leak()
            },
            "fed again"
        );
    }
    let fed = Fed::of(&old);
    fed.feed(&gone);
    assert_eq!(fed.says(), "status 404");
    fed.feed(&old);
    assert_eq!(
        fed.says(),
        "status 404",
        "an older capture brings nothing back"
    );
}

/// An older capture of a page never removes the denial of a newer one, whatever their order.
#[test]
fn a_newer_noindex_stays() {
    let noindex = warc(
        "response",
        &at("a"),
        &format!("WARC-Date: {NEW}\r\n"),
        &http(
            "200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: noindex",
            b"<p>x",
        ),
    );
    let old = page_of(&at("a"), OLD, "<p>old");
    let json = format!(
        "{}\n",
        serde_json::json!({"url": at("a"), "html": "<p>old", "date": OLD})
    )
    .into_bytes();
    let arc_old = [
        arc_start(1),
        arc(
            &at("a"),
            &http("200 OK\r\nContent-Type: text/html", b"<p>old"),
        ),
    ]
    .concat();
    let fed = Fed::of(&noindex);
    for older in [&old, &json, &arc_old, &old] {
        fed.feed(older);
        assert_eq!(fed.says(), "noindex");
        fed.index.compact().unwrap();
    }
    let unchanged = warc(
        "revisit",
        &at("a"),
        &format!("WARC-Date: {OLD}\r\n"),
        &http("200 OK\r\nX-Robots-Tag: noindex", b""),
    );
    let fed = Fed::of(&page_of(&at("a"), NEW, "<p>new"));
    fed.feed(&unchanged);
    assert_eq!(
        fed.says(),
        "<p>new",
        "an older word does not count against a newer page"
    );
}

/// The latest capture of a URL decides about its page, even if the capture's record comes first or
/// is no page.
#[test]
fn what_was_fetched_last_may_come_first() {
    let dated = |head: &str| {
        warc(
            "response",
            &at("a"),
            &format!("WARC-Date: {NEW}\r\n"),
            &http(head, b""),
        )
    };
    let old = page_of(&at("a"), OLD, HTML);
    for (newer, says) in [
        (dated("404 Gone"), "unknown"),
        (dated("200 OK\r\nContent-Type: image/png"), "unknown"),
        (
            dated("304 Not Modified\r\nX-Robots-Tag: noindex"),
            "noindex",
        ),
        (
            dated("304 Not Modified\r\nX-Robots-Tag: noarchive"),
            "unknown",
        ),
        (dated("304 Not Modified"), HTML),
    ] {
        let fed = Fed::of(&[newer.clone(), old.clone()].concat());
        assert_eq!(fed.says(), says, "in one run");
        let fed = Fed::of(&newer);
        fed.feed(&old);
        assert_eq!(fed.says(), says, "in two runs");
    }
    // A copy that was removed does not return with an older capture.
    let fed = Fed::of(&page_of(&at("a"), OLD, HTML));
    fed.feed(&dated("304 Not Modified\r\nX-Robots-Tag: noarchive"));
    assert_eq!(fed.says(), "bare");
    fed.feed(&old);
    assert_eq!(fed.says(), "bare");
}

/// A capture without a date is applied in the order of the input. The date that the index has for
/// the URL stays unchanged.
#[test]
fn what_bears_no_date_does_not_reset_the_clock() {
    let noindex = page_of(&at("a"), NEW, "<meta name=robots content=noindex>");
    let gone = warc("response", &at("a"), "", &http("404 Gone", b""));
    let old = page_of(&at("a"), OLD, HTML);
    let fed = Fed::of(&[noindex.clone(), gone.clone(), old.clone()].concat());
    assert_eq!(fed.says(), "status 404");
    let fed = Fed::of(&noindex);
    fed.feed(&gone);
    fed.feed(&old);
    assert_eq!(fed.says(), "status 404");
}

/// A capture whose fetch date is in the future is treated as one without a date.
#[test]
fn nobody_fetches_in_the_future() {
    let folder = folder();
    let future = page_of(&at("a"), "9998-01-01T00:00:00Z", "<p>future");
    let noindex = page_of(&at("a"), NEW, "<meta name=robots content=noindex>");
    let path = write(folder.path(), "a.warc", &[future, noindex].concat());
    let index = folder.path().join("index");
    let (_, _, told) = crate::command::run(
        &[
            "index",
            "-o",
            index.to_str().unwrap(),
            path.to_str().unwrap(),
        ],
        b"",
    );
    assert!(told.contains("1 noindex"), "{told}");
    assert_eq!(Index::open(&index).unwrap().stats().unwrap().pages(), 0);
}

/// Robots.txt files that redirect to each other in a circle disallow all pages of their sites, and
/// the run ends.
#[test]
fn circles_of_redirects_end() {
    let moved = |to: &str| http(&format!("301 Moved\r\nLocation: {to}"), b"");
    let other = "https://other.example/robots.txt";
    let own = at("robots.txt");
    let circle = [
        warc("response", &own, "", &moved(other)),
        warc("response", other, "", &moved(&own)),
    ]
    .concat();
    let itself = warc("response", &own, "", &moved(&own));
    for robots in [circle, itself] {
        let met = read_file(
            "a.warc",
            &[robots.repeat(40), page(&at("a"), HTML)].concat(),
        );
        assert_eq!(met.texts(), [""; 0]);
    }
}

/// A limit sets how many redirects of a robots.txt are followed. In the test, seven sites each
/// redirect their robots.txt to the next site.
#[test]
fn a_limit_says_how_many_redirects_are_followed() {
    let folder = folder();
    let robots = |n: usize| format!("https://s{n}.example/robots.txt");
    let moved = |n: usize| http(&format!("301 Moved\r\nLocation: {}", robots(n + 1)), b"");
    let mut records: Vec<_> = (0..6)
        .map(|n| warc("response", &robots(n), "", &moved(n)))
        .collect();
    records.push(warc(
        "response",
        &robots(6),
        "",
        &http("200 OK", b"User-agent: *\nDisallow: /shut"),
    ));
    records.push(page("https://s0.example/open", HTML));
    let path = write(folder.path(), "a.warc", &records.concat());
    for (limit, enter) in [("redirects=5", false), ("redirects=6", true)] {
        let (_, out, _) = crate::command::run(
            &[
                "filter",
                "--format",
                "json",
                "--limit",
                limit,
                path.to_str().unwrap(),
            ],
            b"",
        );
        assert!(
            out.contains(&format!("\"enter\":{enter}")),
            "{limit}: {out}"
        );
    }
}

/// A record that cannot be read removes the page of its URL from the index: it may have denied the
/// page.
#[test]
fn a_damaged_capture_takes_the_page_out() {
    let member = gz(&page(
        &at("a"),
        &format!("{HTML}{}", crate::support::made::Chance(1).words(3000)),
    ));
    let mut flipped = member.clone();
    let middle = member.len() / 2;
    flipped[middle] ^= 0x55;
    for damaged in [
        flipped,
        member[..member.len() - 4].to_vec(),
        [&member[..member.len() - 8], &[0; 8]].concat(),
    ] {
        let fed = Fed::of(&page(&at("a"), HTML));
        fed.feed(&[damaged, gz(&numbered("b"))].concat());
        assert_eq!(fed.says(), "damaged");
    }
}

/// A robots.txt that cannot be unpacked completely disallows its whole site, since the lost part
/// may disallow any page.
#[test]
fn a_robots_txt_that_cannot_be_unpacked_shuts_its_site() {
    let rules: String = (0..500)
        .map(|n| format!("Disallow: /{}\n", n * 7919))
        .collect();
    let member = gz(&robots(SITE, &format!("User-agent: *\n{rules}")));
    let mut flipped = member.clone();
    let late = member.len() * 3 / 4;
    flipped[late] ^= 0x55;
    for damaged in [
        flipped,
        member[..member.len() - 4].to_vec(),
        [&member[..member.len() - 8], &[0; 8]].concat(),
    ] {
        let met = read_file(
            "a",
            &[gz(&numbered("a")), damaged, gz(&numbered("b"))].concat(),
        );
        assert_eq!((met.pages.len(), met.gated), (0, 2), "{met:?}");
    }
}

#[test]
fn a_kind_can_be_forced() {
    let folder = folder();
    let path = write(folder.path(), "a", &numbered("a"));
    let forced = |kind| read(&Inputs::default().kind(Some(kind)), &[&path]);
    assert_eq!(forced(InputFormat::Warc).texts(), ["page a"]);
    assert!(forced(InputFormat::Html).texts()[0].starts_with("WARC/1.0"));
    assert!(forced(InputFormat::Jsonl).pages.is_empty());
}

mod tables {
    use std::sync::Arc;

    use heedful::Limits;
    use heedful_input::Item;
    use parquet::basic::{BrotliLevel, Compression};
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
    use parquet::schema::parser::parse_message_type;

    use super::*;

    /// A column of a Parquet table. `Texts` has the texts, then their definition levels, then their
    /// repetition levels.
    enum Column {
        Texts(Vec<&'static [u8]>, Vec<i16>, Vec<i16>),
        Ints(Vec<i32>),
        Longs(Vec<i64>),
    }

    fn texts(texts: &[&'static str]) -> Column {
        Column::Texts(
            texts.iter().map(|text| text.as_bytes()).collect(),
            vec![1; texts.len()],
            vec![],
        )
    }

    /// Returns a column of texts in lists inside a list. `texts` has each text with its definition
    /// level and its repetition level.
    fn listed(texts: &[(&'static str, i16, i16)]) -> Column {
        let values = texts
            .iter()
            .filter(|(text, ..)| !text.is_empty())
            .map(|(text, ..)| text.as_bytes())
            .collect();
        Column::Texts(
            values,
            texts.iter().map(|t| t.1).collect(),
            texts.iter().map(|t| t.2).collect(),
        )
    }

    fn put(writer: &mut SerializedColumnWriter<'_>, column: &Column) {
        match column {
            Column::Texts(texts, definition, repetition) => {
                let values: Vec<_> = texts
                    .iter()
                    .map(|text| ByteArray::from(text.to_vec()))
                    .collect();
                let repetition = (!repetition.is_empty()).then_some(&repetition[..]);
                writer
                    .typed::<ByteArrayType>()
                    .write_batch(&values, Some(definition), repetition)
                    .unwrap()
            }
            Column::Ints(values) => writer
                .typed::<Int32Type>()
                .write_batch(values, Some(&vec![1; values.len()]), None)
                .unwrap(),
            Column::Longs(values) => writer
                .typed::<Int64Type>()
                .write_batch(values, Some(&vec![1; values.len()]), None)
                .unwrap(),
        };
    }

    /// Returns a Parquet table with the row groups `groups`. `columns` is its schema.
    fn table(columns: &str, groups: &[Vec<Column>]) -> Vec<u8> {
        table_as(WriterProperties::default(), columns, groups)
    }

    fn table_as(properties: WriterProperties, columns: &str, groups: &[Vec<Column>]) -> Vec<u8> {
        let schema =
            Arc::new(parse_message_type(&format!("message pages {{ {columns} }}")).unwrap());
        let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
        for group in groups {
            let mut rows = file.next_row_group().unwrap();
            for column in group {
                let mut writer = rows.next_column().unwrap().unwrap();
                put(&mut writer, column);
                writer.close().unwrap();
            }
            rows.close().unwrap();
        }
        file.into_inner().unwrap()
    }

    const PAGE: &str = "OPTIONAL BINARY url (STRING); OPTIONAL BINARY html (STRING);";

    #[test]
    fn the_rows_of_a_table_are_pages() {
        let group = |urls: &[&'static str], html: &[&'static str]| vec![texts(urls), texts(html)];
        let bytes = table(
            PAGE,
            &[
                group(
                    &["https://site.example/a", "https://site.example/shut/b"],
                    &["<p>page a", "<p>shut"],
                ),
                group(
                    &["https://site.example/robots.txt"],
                    &["User-agent: *\nDisallow: /shut/"],
                ),
            ],
        );
        let met = read_file("a.html", &bytes);
        assert_eq!(
            (met.texts(), met.gated, met.damage.len()),
            (vec!["page a"], 1, 0),
            "{:?}",
            met.damage
        );
        let no_html = table(
            "OPTIONAL BINARY url (STRING);",
            &[vec![texts(&["https://site.example/a"])]],
        );
        // A table that cannot be read does not affect the other inputs.
        for (broken, why) in [
            (&no_html[..], "no column `html`"),
            (b"PAR1 and no more PAR1", "Parquet"),
        ] {
            let folder = folder();
            let paths = [("a", &bytes[..]), ("b", broken), ("c", &bytes[..])];
            let met = read(
                &Inputs::default(),
                &paths.map(|(name, bytes)| write(folder.path(), name, bytes)),
            );
            assert_eq!(
                (met.texts().len(), met.damage.len()),
                (2, 1),
                "{:?}",
                met.damage
            );
            assert!(met.damage[0].contains(why), "{:?}", met.damage);
        }
    }

    #[test]
    fn bytes_are_sniffed_and_texts_are_not() {
        let one = |kind: &str, html: &'static [u8]| {
            let columns = format!("OPTIONAL BINARY url (STRING); OPTIONAL BINARY html {kind};");
            let bytes = table(
                &columns,
                &[vec![
                    texts(&["https://site.example/a"]),
                    Column::Texts(vec![html], vec![1], vec![]),
                ]],
            );
            read_file("a", &bytes).pages.remove(0).1
        };
        assert_eq!(one("", b"<meta charset=koi8-r><p>\xD2\xD6"), "рж");
        assert_eq!(
            one("(STRING)", "<meta charset=koi8-r><p>рж".as_bytes()),
            "рж"
        );
    }

    /// A table whose HTTP headers are nested in another column is refused, since they would be
    /// ignored.
    #[test]
    fn nested_headers_of_tables_are_refused() {
        let nested = "OPTIONAL group response { OPTIONAL BINARY headers (STRING); }";
        let misplaced = read_table(nested, vec![texts(&["{\"X-Robots-Tag\":\"noindex\"}"])]);
        assert!(
            misplaced.pages.is_empty()
                && misplaced.damage[0].contains("`response.headers` is not read"),
            "{misplaced:?}"
        );
    }

    /// HTTP headers in tables are read in all forms that programs write. A header that cannot be
    /// read is never ignored.
    #[test]
    fn headers_of_tables_are_never_lost() {
        let map = "OPTIONAL group headers (MAP) { REPEATED group key_value { REQUIRED BINARY key (STRING); OPTIONAL BINARY value (STRING); } }";
        let pairs = "OPTIONAL group headers (LIST) { REPEATED group list { OPTIONAL group element { OPTIONAL BINARY name (STRING); OPTIONAL BINARY value (STRING); } } }";
        let turned = "OPTIONAL group headers (LIST) { REPEATED group list { OPTIONAL group element { OPTIONAL BINARY value (STRING); OPTIONAL BINARY Key (STRING); } } }";
        let other = "OPTIONAL group headers (LIST) { REPEATED group list { OPTIONAL group element { OPTIONAL BINARY a (STRING); OPTIONAL BINARY value (STRING); } } }";
        let lists = "OPTIONAL group headers (LIST) { REPEATED group list { OPTIONAL group element (LIST) { REPEATED group list { OPTIONAL BINARY element (STRING); } } } }";
        let json = "OPTIONAL BINARY headers (STRING);";
        let bare = "OPTIONAL BINARY headers;";
        for (what, columns, headers) in [
            (
                "a map",
                map,
                vec![
                    listed(&[("A", 2, 0), ("X-Robots-Tag", 2, 1)]),
                    listed(&[("b", 3, 0), ("noindex", 3, 1)]),
                ],
            ),
            (
                "pairs",
                pairs,
                vec![
                    listed(&[("A", 4, 0), ("X-Robots-Tag", 4, 1)]),
                    listed(&[("b", 4, 0), ("noindex", 4, 1)]),
                ],
            ),
            (
                "value before name",
                turned,
                vec![
                    listed(&[("b", 4, 0), ("noindex", 4, 1)]),
                    listed(&[("A", 4, 0), ("X-Robots-Tag", 4, 1)]),
                ],
            ),
            (
                "JSON with a name twice",
                json,
                vec![texts(&[
                    "{\"X-Robots-Tag\":\"noindex\",\"X-Robots-Tag\":\"all\"}",
                ])],
            ),
            (
                "capitals",
                "OPTIONAL BINARY Headers (STRING);",
                vec![texts(&["{\"X-Robots-Tag\":\"noindex\"}"])],
            ),
            (
                "junk",
                pairs,
                vec![
                    listed(&[("A", 4, 0), ("C", 4, 1)]),
                    listed(&[("b\r\nX-Robots-Tag : noindex", 4, 0), ("d", 4, 1)]),
                ],
            ),
            (
                "two columns",
                "OPTIONAL BINARY headers (STRING); OPTIONAL BINARY Headers (STRING);",
                vec![texts(&["{\"X-Robots-Tag\":\"noindex\"}"]), texts(&["{}"])],
            ),
            (
                "lists",
                lists,
                vec![listed(&[
                    ("A", 5, 0),
                    ("b", 5, 2),
                    ("X-Robots-Tag", 5, 1),
                    ("noindex", 5, 2),
                ])],
            ),
            (
                "JSON",
                json,
                vec![texts(&["{\"X-Robots-Tag\":\"noindex\"}"])],
            ),
            (
                "JSON as bytes",
                bare,
                vec![texts(&["[[\"X-Robots-Tag\",\"noindex\"]]"])],
            ),
        ] {
            let met = read_table(columns, headers);
            assert_eq!(
                (met.texts(), met.damage.len()),
                (vec![""], 0),
                "{what}: {met:?}"
            );
        }
        let misspelt = read_table(
            "OPTIONAL BINARY header (STRING);",
            vec![texts(&["{\"X-Robots-Tag\":\"noindex\"}"])],
        );
        assert!(
            misspelt.pages.is_empty() && misspelt.damage[0].contains("did you mean `headers`?"),
            "{misspelt:?}"
        );
        let three = "OPTIONAL group headers (LIST) { REPEATED group list { OPTIONAL group element { OPTIONAL BINARY a (STRING); OPTIONAL BINARY b (STRING); OPTIONAL BINARY c (STRING); } } }";
        for (what, columns, headers) in [
            (
                "a number",
                "OPTIONAL INT32 headers;",
                vec![Column::Ints(vec![7])],
            ),
            ("no JSON", json, vec![texts(&["X-Robots-Tag: noindex"])]),
            (
                "groups of three",
                three,
                vec![
                    listed(&[("a", 4, 0)]),
                    listed(&[("b", 4, 0)]),
                    listed(&[("c", 4, 0)]),
                ],
            ),
            (
                "groups of other names",
                other,
                vec![listed(&[("a", 4, 0)]), listed(&[("b", 4, 0)])],
            ),
            (
                "a list of one",
                lists,
                vec![listed(&[("X-Robots-Tag", 5, 0)])],
            ),
        ] {
            let met = read_table(columns, headers);
            assert_eq!(
                (met.pages.len(), met.damage.len()),
                (0, 1),
                "{what}: {met:?}"
            );
            assert!(
                met.damage[0].contains("row 1") && met.damage[0].contains("`headers`"),
                "{what}: {met:?}"
            );
        }
    }

    fn read_table(columns: &str, headers: Vec<Column>) -> Met {
        let mut group = vec![texts(&["https://site.example/a"]), texts(&["<p>word"])];
        group.extend(headers);
        read_file("a", &table(&format!("{PAGE} {columns}"), &[group]))
    }

    #[test]
    fn status_and_date_count() {
        let columns =
            format!("{PAGE} OPTIONAL INT32 status; OPTIONAL INT64 date (TIMESTAMP(MILLIS,true));");
        let row = |html: &'static str, status: i32, date: i64| {
            table(
                &columns,
                &[vec![
                    texts(&["https://site.example/a"]),
                    texts(&[html]),
                    Column::Ints(vec![status]),
                    Column::Longs(vec![date]),
                ]],
            )
        };
        let fed = Fed::of(&row("<p>new", 200, 1_700_000_000_000));
        fed.feed(&row("<p>old", 200, 1_600_000_000_000));
        assert_eq!(fed.says(), "<p>new");
        fed.feed(&row("<p>gone", 404, 1_800_000_000_000));
        assert_eq!(fed.says(), "status 404");
    }

    #[test]
    fn dates_are_read_in_all_units_and_cost_no_page() {
        let row = |html: &'static str, kind: &str, date: Column| {
            let columns = format!("{PAGE} OPTIONAL {kind};");
            table(
                &columns,
                &[vec![
                    texts(&["https://site.example/a"]),
                    texts(&[html]),
                    date,
                ]],
            )
        };
        let text = |html, date| row(html, "BINARY date (STRING)", texts(&[date]));
        for (kind, date) in [
            (
                "INT64 date (TIMESTAMP(NANOS,true))",
                Column::Longs(vec![-86_399_999_999_999]),
            ),
            (
                "INT64 Date (TIMESTAMP(MICROS,true))",
                Column::Longs(vec![-86_399_999_999]),
            ),
            (
                "INT64 date (TIMESTAMP(MILLIS,false))",
                Column::Longs(vec![-86_399_999]),
            ),
            ("INT32 date (DATE)", Column::Ints(vec![-1])),
        ] {
            let fed = Fed::of(&row("<p>dated", kind, date));
            fed.feed(&text("<p>before", "1969-12-30"));
            assert_eq!(fed.says(), "<p>dated", "{kind}");
            fed.feed(&text("<p>behind", "1969-12-31T00:00:01Z"));
            assert_eq!(fed.says(), "<p>behind", "{kind}");
        }
        for (kind, date) in [
            ("INT64 date", Column::Longs(vec![7])),
            (
                "INT64 date (TIMESTAMP(MILLIS,true))",
                Column::Longs(vec![i64::MIN]),
            ),
            (
                "INT64 date (TIMESTAMP(MICROS,true))",
                Column::Longs(vec![i64::MAX]),
            ),
            ("INT32 date (DATE)", Column::Ints(vec![i32::MIN])),
            ("BINARY date (STRING)", texts(&["yesterday"])),
        ] {
            let met = read_file("a", &row("<p>word", kind, date));
            assert_eq!(
                (met.texts(), met.damage.len()),
                (vec!["word"], 0),
                "{kind}: {met:?}"
            );
        }
    }

    /// A robots.txt in a table disallows its whole site if its row cannot be read, since it may
    /// disallow any page.
    #[test]
    fn a_broken_row_that_is_a_robots_txt_shuts_its_site() {
        let urls = ["https://site.example/a", "https://site.example/robots.txt"];
        let columns = format!("{PAGE} OPTIONAL BINARY status (STRING);");
        let group = vec![
            texts(&urls),
            texts(&["<p>a", "User-agent: *"]),
            texts(&["200", "x"]),
        ];
        let met = read_file("a", &table(&columns, &[group]));
        assert_eq!(
            (met.pages.len(), met.gated, met.damage.len()),
            (0, 1, 1),
            "{met:?}"
        );
    }

    #[test]
    fn a_robots_txt_in_a_group_that_is_damaged_shuts_its_site() {
        let group = |url, html| vec![texts(&[url]), texts(&[html])];
        let groups = [
            group("https://site.example/a", "<p>page a"),
            group("https://other.example/b", "<p>page b"),
            group("https://site.example/robots.txt", "User-agent: *"),
        ];
        let mut bytes = table(PAGE, &groups);
        let place = bytes
            .windows(13)
            .position(|w| w == b"User-agent: *")
            .unwrap();
        bytes[place - 8..place].fill(0xFF);
        let met = read_file("a", &bytes);
        assert_eq!(
            (met.texts(), met.gated, met.damage.len()),
            (vec!["page b"], 1, 1),
            "{met:?}"
        );
    }

    /// A Parquet file whose page header claims a list of 2^31 numbers is not read beyond its end.
    /// The file has some hundred bytes.
    #[test]
    fn a_table_is_not_read_on_behind_its_end() {
        let mut bytes = table(
            PAGE,
            &[vec![texts(&["https://site.example/a"]), texts(&["<p>a"])]],
        );
        bytes[4..11].copy_from_slice(b"\xF9\xF7\xFF\xFF\xFF\xFF\x07");
        let met = read_file("a", &bytes);
        assert_eq!((met.pages.len(), met.damage.len()), (0, 1), "{met:?}");
    }

    /// A data page of a Parquet table that exceeds the limit `table_page_bytes` or `member_ratio`
    /// is reported before it is unpacked. All other data pages are read.
    #[test]
    fn values_that_become_too_large_are_not_unpacked() {
        let long: &'static [u8] = Box::leak(vec![b'x'; 3_000_000].into_boxed_slice());
        let url = |url: &'static str| texts(&[url]);
        let groups = [
            vec![url("https://site.example/0"), texts(&["<p>page 0"])],
            vec![
                url("https://site.example/1"),
                Column::Texts(vec![long], vec![1], vec![]),
            ],
            vec![url("https://site.example/2"), texts(&["<p>page 2"])],
        ];
        let folder = folder();
        let packed = WriterProperties::builder()
            .set_compression(Compression::BROTLI(BrotliLevel::default()))
            .build();
        let path = write(folder.path(), "a.parquet", &table_as(packed, PAGE, &groups));
        let read = |limits: Limits| {
            let input = Inputs::default()
                .limits(limits)
                .open(std::slice::from_ref(&path))
                .unwrap()
                .remove(0);
            let (mut pages, mut damage) = (Vec::new(), Vec::new());
            for (item, _) in input.items().unwrap() {
                match item {
                    Item::Document(document) => {
                        pages.push(document.url().rsplit('/').next().unwrap().to_owned());
                    }
                    Item::Damage(found) => damage.push(found.to_string()),
                    _ => {}
                }
            }
            (pages, damage)
        };
        assert_eq!(
            read(Limits::default()),
            (vec!["0".to_owned(), "1".to_owned(), "2".to_owned()], vec![])
        );
        for (limits, name) in [
            (
                Limits::default().table_page_bytes(1_000_000),
                "table_page_bytes",
            ),
            (
                Limits::default().page_bytes(1000).member_ratio(10),
                "member_ratio",
            ),
        ] {
            let (pages, damage) = read(limits);
            assert_eq!(
                (pages, damage.len()),
                (vec!["0".to_owned(), "2".to_owned()], 1),
                "{name}: {damage:?}"
            );
            assert!(damage[0].contains(name), "{damage:?}");
        }
    }

    /// The number of empty rows of a table is limited: they need no bytes, so a file may have
    /// billions of them. Row groups with content are still read.
    #[test]
    fn rows_of_nothing_are_bounded() {
        let one = |url: &'static str| vec![texts(&[url]), texts(&["<p>word"])];
        let nothing = || {
            vec![
                Column::Texts(vec![], vec![0; 40_000], vec![]),
                Column::Texts(vec![], vec![0; 40_000], vec![]),
            ]
        };
        let groups: Vec<_> = std::iter::once(one("https://site.example/0"))
            .chain((0..5).map(|_| nothing()))
            .chain([one("https://site.example/1")])
            .collect();
        let folder = folder();
        let path = write(folder.path(), "a.parquet", &table(PAGE, &groups));
        let input = Inputs::default()
            .open(std::slice::from_ref(&path))
            .unwrap()
            .remove(0);
        let (mut pages, mut lost) = (Vec::new(), 0);
        for (item, _) in input.items().unwrap() {
            match item {
                Item::Document(document) => pages.push(document.url().to_owned()),
                Item::Damage(found) => {
                    lost += usize::from(found.error().passed_limit() == Some("row_ratio"));
                }
                _ => {}
            }
        }
        assert_eq!(pages, ["https://site.example/0", "https://site.example/1"]);
        // Two empty groups have less than a hundred thousand rows. The third exceeds that limit,
        // and so do the groups after it.
        assert_eq!(lost, 3);
    }

    /// Damage in a row group of a table affects only this row group.
    #[test]
    fn damage_costs_a_row_group() {
        let groups: Vec<_> = [
            ["https://site.example/0", "<p>page 0"],
            ["https://site.example/1", "<p>page 1"],
            ["https://site.example/2", "<p>page 2"],
        ]
        .iter()
        .map(|[url, html]| vec![texts(&[url]), texts(&[html])])
        .collect();
        let bytes = table(PAGE, &groups);
        let whole = read_file("a", &bytes);
        assert_eq!(whole.texts(), ["page 0", "page 1", "page 2"]);
        let place = bytes.windows(6).position(|w| w == b"page 1").unwrap();
        let mut chance = crate::support::made::Chance(1);
        for _ in 0..200 {
            let mut damaged = bytes.clone();
            let at = place - 30 + chance.below(40);
            damaged[at] ^= u8::try_from(1 + chance.below(255)).unwrap();
            let met = read_file("a", &damaged);
            let texts = met.texts();
            assert!(
                texts.contains(&"page 0") && texts.contains(&"page 2"),
                "{at}: {met:?}"
            );
            assert!(
                texts.len() == 3 || texts.len() == 2 && met.damage.len() == 1,
                "{at}: {met:?}"
            );
        }
    }
}
