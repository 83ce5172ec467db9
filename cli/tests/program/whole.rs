//! The life of a site: `index --whole` on a folder that is built again and again, and takedowns of
//! pages by the user.
//!
//! The environment variable `HEEDFUL_SEED` chooses the changes of the site. After each build the
//! index must equal an index that is made from scratch, even if the previous run was killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use heedful_index::{Index, Query};

use crate::command::{path, run, write};
use crate::common::{Random, anchors, folder, gone, setting, snapshots};

const SITE: &str = "https://site.example/shop/";
const BUILDS: usize = 20;
const PAGES: usize = 60;
const WORDS: [&str; 8] = [
    "rye", "oats", "spelt", "barley", "crust", "crumb", "oven", "salt",
];

/// A site that changes. Each of its pages has a number, a version, and a path that may change.
struct Site {
    folder: PathBuf,
    random: Random,
    /// The file of each existing page, by the number of the page.
    pages: BTreeMap<usize, PathBuf>,
}

impl Site {
    fn build(&mut self) {
        for number in 0..PAGES {
            match self.random.below(6) {
                0 => self.remove(number),
                1 | 2 => self.write(number),
                _ => {}
            }
        }
        // A site has at least three pages; its robots.txt may disallow one of them.
        for number in 0..3 {
            self.write(number);
        }
        let shut = self.random.below(PAGES);
        fs::write(
            self.folder.join("robots.txt"),
            format!("User-agent: *\nDisallow: /shop/{shut}"),
        )
        .unwrap();
    }

    fn remove(&mut self, number: usize) {
        if let Some(file) = self.pages.remove(&number) {
            fs::remove_file(file).unwrap();
        }
    }

    fn write(&mut self, number: usize) {
        self.remove(number);
        let file = match self.random.below(3) {
            0 => format!("{number}/index.html"),
            1 => format!("old/{number}.html"),
            _ => format!("{number}.html"),
        };
        let file = self.folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, self.html()).unwrap();
        self.pages.insert(number, file);
    }

    fn html(&mut self) -> String {
        let mut word = || WORDS[self.random.below(WORDS.len())];
        let (title, text, name, shut) =
            (word(), [word(), word(), word()].join(" "), word(), word());
        let (to, state) = (self.random.below(PAGES), self.random.below(12));
        let robots = match state {
            0 => "<meta name=robots content=noindex>",
            1 => "<meta name=robots content=noarchive>",
            _ => "",
        };
        format!(
            "<title>{title}</title>{robots}<p>{text} <!--noindex-->{shut} withheld<!--/noindex--> \
             <a href=/shop/{to}.html>{name}</a> <a href=/shop/{to}/>{name} of it</a>"
        )
    }
}

/// Returns everything in an index: pages, anchor texts, copies, and hits with their excerpts.
fn contents(folder: &str) -> impl PartialEq + std::fmt::Debug {
    let search = Index::open(folder).unwrap().search().unwrap();
    let found = WORDS.map(|word| {
        let found = search.find(&Query::new(word).most(1000)).unwrap();
        let mut hits: Vec<_> = found
            .hits()
            .iter()
            .map(|hit| (hit.url().to_owned(), hit.excerpt().to_owned()))
            .collect();
        hits.sort();
        hits
    });
    (
        search.urls().unwrap(),
        anchors(&search),
        snapshots(&search),
        found,
    )
}

fn index(site: &Path, index: &str, more: &[&str]) -> (i32, String, String) {
    let site = site.display().to_string();
    run(
        &[
            &["index", "--snapshot", "-o", index, "-u", SITE, &site],
            more,
        ]
        .concat(),
        "",
    )
}

#[test]
fn a_site_that_is_built_again_is_as_one_that_is_new() {
    let place = folder();
    let (kept, random) = (
        path(&place, "kept"),
        Random(setting("HEEDFUL_SEED", 1) as u64),
    );
    let folder = place.path().join("site");
    fs::create_dir(&folder).unwrap();
    let mut site = Site {
        folder,
        random,
        pages: BTreeMap::new(),
    };
    let mut kills = 0;
    for build in 0..BUILDS {
        site.build();
        // Half of the builds begin with a run that is killed at a random moment.
        if build % 2 == 1 {
            let before = format!("{:?}", contents(&kept));
            let arguments = [
                "index",
                "-q",
                "--snapshot",
                "--whole",
                "--yes",
                "-o",
                &kept,
                "-u",
                SITE,
            ];
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_heedful"));
            let mut child = command
                .args(arguments)
                .arg(&site.folder)
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(site.random.below(150) as u64));
            child.kill().unwrap();
            let was_killed = child.wait().unwrap().code().is_none();
            kills += usize::from(was_killed);
            let after = format!("{:?}", contents(&kept));
            let fresh = path(&place, &format!("seen{build}"));
            assert_eq!(index(&site.folder, &fresh, &[]).0, 0);
            assert!(
                after == before || after == format!("{:?}", contents(&fresh)),
                "half of a build is there: {build}"
            );
        }
        let (status, _, told) = index(&site.folder, &kept, &["--whole", "--yes"]);
        assert_eq!(status, 0, "{told}");
        let fresh = path(&place, &format!("fresh{build}"));
        assert_eq!(index(&site.folder, &fresh, &[]).0, 0);
        assert_eq!(contents(&kept), contents(&fresh), "build {build}");
    }
    assert!(kills > 0, "no run was killed");
}

#[test]
fn what_a_folder_no_longer_names_goes() {
    let place = folder();
    let index = path(&place, "index");
    for page in ["a", "b", "c", "d"] {
        write(
            &place,
            &format!("site/{page}.html"),
            &format!("<p>{page} rye <a href=a.html>first</a>"),
        );
    }
    let site = path(&place, "site");
    // A page outside of the site is not changed.
    let other = r#"{"url":"https://site.example/other","html":"<p>rye"}"#;
    assert_eq!(run(&["index", "-q", "-o", &index], other).0, 0);
    let whole = |more: &[&str]| {
        run(
            &[&["index", "--whole", "-o", &index, "-u", SITE, &site], more].concat(),
            "",
        )
    };
    assert_eq!(whole(&[]).0, 0);
    fs::remove_file(place.path().join("site/d.html")).unwrap();
    let summary = path(&place, "summary.json");
    let (status, _, told) = whole(&["--summary", &summary]);
    assert_eq!(status, 0);
    assert!(
        told.contains("1 page removed: the input no longer names it"),
        "{told}"
    );
    assert!(
        fs::read_to_string(&summary)
            .unwrap()
            .contains(r#""absent":1"#)
    );
    let (status, known, _) = run(&["stats", &index, "--of", &format!("{SITE}d.html")], "");
    assert_eq!((status, known.trim()), (1, "not indexed: absent"));
    // More than half of the remaining pages would be removed.
    fs::remove_file(place.path().join("site/b.html")).unwrap();
    fs::remove_file(place.path().join("site/c.html")).unwrap();
    write(&place, "site/a.html", "<p>barley");
    let (status, _, told) = whole(&[]);
    assert_eq!(status, 2);
    assert!(
        told.contains("--whole would remove 2 of 3 pages under https://site.example/shop/"),
        "{told}"
    );
    let stays = |word: &str| run(&["search", &index, word], "").0;
    assert_eq!((stays("barley"), stays("rye")), (1, 0));
    assert_eq!(whole(&["--yes"]).0, 0);
    let listed = run(&["stats", &index, "--list"], "").1;
    let pages: Vec<_> = listed
        .lines()
        .filter(|line| line.contains(" indexed,"))
        .collect();
    assert_eq!(pages.len(), 2, "{listed}");
    // An empty folder is no site, and changes nothing.
    fs::remove_file(place.path().join("site/a.html")).unwrap();
    let (status, _, told) = whole(&["--yes"]);
    assert!(
        status == 2 && told.contains("holds no HTML files"),
        "{told}"
    );
    assert_eq!(stays("barley"), 0);
}

/// `index --whole` removes no page if a record cannot be read, since that record may have named the
/// pages.
#[test]
fn damage_takes_no_page_away() {
    let place = folder();
    let index = path(&place, "index");
    let whole = |lines: &str, more: &[&str]| {
        run(
            &[&["index", "--whole", "-o", &index, "-u", SITE], more].concat(),
            lines,
        )
    };
    let page = |name: &str| format!("{{\"url\":\"{SITE}{name}\",\"html\":\"<p>rye\"}}\n");
    assert_eq!(whole(&(page("a") + &page("b") + &page("c")), &[]).0, 0);
    let (status, _, told) = whole(&(page("a") + "{broken\n" + &page("c")), &[]);
    assert_eq!(status, 2);
    assert!(
        told.contains("1 damaged record may have named them"),
        "{told}"
    );
    assert!(
        run(&["stats", &index, "--of", &format!("{SITE}b")], "")
            .1
            .starts_with("indexed")
    );
    // A damaged line with a known URL is no reason to wait: its page is removed, since it cannot be
    // read.
    let known = format!(
        "{{\"url\":\"{SITE}b\",\"html\":\"<p>rye\",\"encoding\":\"base64\",\"html_base64\":7}}\n"
    );
    let _ = whole(&(page("a") + &known + &page("c")), &[]);
    let (status, _, told) = whole(&(page("a") + &page("c")), &["--yes"]);
    assert_eq!(status, 0, "{told}");
    assert_eq!(
        run(&["stats", &index, "--of", &format!("{SITE}b")], "").0,
        1
    );
}

/// If a file of the site can no longer be read, its page is removed from the index, since the file
/// may now deny any use. The index may have the page under any of its URLs.
#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_read_costs_its_page() {
    let place = folder();
    let (index, site) = (path(&place, "index"), path(&place, "site"));
    write(&place, "site/a.html", "<p>rye");
    let page = write(&place, "site/b/index.html", "<p>rye");
    let again = || {
        run(
            &[
                "index",
                "-q",
                "-o",
                &index,
                "-u",
                SITE,
                &site,
                "--limit",
                "page_bytes=1K",
            ],
            "",
        )
        .0
    };
    assert_eq!(again(), 0);
    fs::write(page, "<p>rye ".repeat(1000)).unwrap();
    assert_eq!(again(), 0);
    let search = Index::open(&index).unwrap().search().unwrap();
    assert_eq!(search.urls().unwrap(), [format!("{SITE}a.html")]);
    assert_eq!(
        gone(&search)[0][..2],
        [format!("{SITE}b/"), "damaged".to_owned()]
    );
}

#[test]
fn pages_are_taken_down_by_url_by_pattern_and_by_a_list() {
    let place = folder();
    let (index, site) = (path(&place, "index"), path(&place, "site"));
    for page in [
        "a.html",
        "a.html.html",
        "drafts/one.html",
        "drafts/two.html",
        "drafts/index.html",
        "rye.html",
    ] {
        write(
            &place,
            &format!("site/{page}"),
            &format!("<p>rye <a href=/shop/rye.html>{}</a>", &page[..1]),
        );
    }
    assert_eq!(
        run(
            &["index", "-q", "--snapshot", "-o", &index, "-u", SITE, &site],
            ""
        )
        .0,
        0
    );
    let urls = || {
        Index::open(&index)
            .unwrap()
            .search()
            .unwrap()
            .urls()
            .unwrap()
    };
    let purge = |more: &[&str]| run(&[&["purge", &index], more].concat(), "");
    let (status, _, told) = purge(&[
        "--url",
        "https://site.example/shop/a.html#x",
        "--why",
        "asked by mail",
    ]);
    assert_eq!(status, 0);
    assert!(told.contains("6 pages checked: 1 removed"), "{told}");
    assert!(
        !urls().contains(&format!("{SITE}a.html"))
            && urls().contains(&format!("{SITE}a.html.html"))
    );
    let known = run(&["stats", &index, "--of", &format!("{SITE}a.html")], "").1;
    assert_eq!(known.trim(), "not indexed: removed (asked by mail)");
    let copy = run(
        &["snapshot", "--from", &index, &format!("{SITE}a.html")],
        "",
    );
    assert_eq!((copy.0, copy.1.as_str()), (1, ""));
    let names = run(&["stats", &index, "--of", &format!("{SITE}rye.html")], "").1;
    assert!(names.contains("1 page calls it \"a\""), "{names}");
    // The URL of an `index.html` matches the page of its folder.
    let list = write(
        &place,
        "list.txt",
        "https://site.example/shop/drafts/index.html\n\n/shop/drafts/t*\nhttps://x.example/\n",
    );
    let (status, gone, told) = purge(&["--urls", &list]);
    assert_eq!(status, 0);
    assert_eq!(gone.lines().count(), 2, "{gone}");
    assert!(
        told.contains("https://x.example/ is no page of this index"),
        "{told}"
    );
    assert_eq!(
        urls(),
        [
            format!("{SITE}a.html.html"),
            format!("{SITE}drafts/one.html"),
            format!("{SITE}rye.html")
        ]
    );
    // A list with a line that is no URL changes nothing.
    for (bad, why) in [
        (
            "https://site.example/shop/rye.html\nrye\n",
            "`rye` is neither a URL",
        ),
        ("\n", "names no URL"),
    ] {
        let bad = write(&place, "bad.txt", bad);
        let (status, _, told) = purge(&["--urls", &bad]);
        assert!(status == 2 && told.contains(why), "{told}");
    }
    assert_eq!(urls().len(), 3);
    let (_, gone, _) = purge(&[
        "--url",
        "*://site.example/*",
        "--dry-run",
        "--format",
        "json",
    ]);
    assert_eq!(gone.lines().count(), 3);
    assert!(
        gone.lines()
            .all(|line| line.contains(r#""reason":"removed""#)),
        "{gone}"
    );
}

/// In a purge by a sitemap or by the URLs of an index, `*` is no wildcard. `~` and `%7E` are equal.
#[test]
fn a_list_of_pages_has_no_patterns() {
    let place = folder();
    let line = |url: &str| format!("{{\"url\":\"https://a.example/{url}\",\"html\":\"<p>rye\"}}\n");
    let filled = |name: &str, urls: &[&str]| {
        let pages: String = urls.iter().map(|url| line(url)).collect();
        let (pages, index) = (
            write(&place, &format!("{name}.jsonl"), &pages),
            path(&place, name),
        );
        assert_eq!(run(&["index", "-q", "-o", &index, &pages], "").0, 0);
        index
    };
    let index = filled("index", &["*", "one", "%7Eme/", "two"]);
    let urls = || {
        Index::open(&index)
            .unwrap()
            .search()
            .unwrap()
            .urls()
            .unwrap()
    };
    let purge = |more: &[&str]| run(&[&["purge", &index], more].concat(), "");
    assert_eq!(purge(&["--url", "https://a.example/~me/"]).0, 0);
    assert_eq!(
        urls(),
        ["*", "one", "two"].map(|url| format!("https://a.example/{url}"))
    );
    let sitemap = "<urlset><url><loc>https://a.example/t*</loc></url><url><loc>https://a.example/*</loc></url></urlset>";
    let (status, gone, told) = purge(&[
        "--dry-run",
        "--urls",
        &write(&place, "sitemap.xml", sitemap),
    ]);
    assert!(
        status == 0 && told.contains("https://a.example/t* is no page of this index"),
        "{told}"
    );
    assert!(
        gone.starts_with("https://a.example/* ") && gone.lines().count() == 1,
        "{gone}"
    );
    let other = filled("other", &["*"]);
    let (_, gone, _) = purge(&["--dry-run", "--urls", &other]);
    assert_eq!(gone.lines().count(), 1, "{gone}");
    let (status, _, told) = purge(&[
        "--urls",
        &write(&place, "bad.xml", "<urlset><loc>/*</loc></urlset>"),
    ]);
    assert!(status == 2 && told.contains("`/*` is no URL"), "{told}");
    assert_eq!(
        purge(&[
            "--urls",
            &write(&place, "list.txt", "https://a.example/t*\n")
        ])
        .0,
        0
    );
    assert_eq!(urls().len(), 2);
}

#[test]
fn pages_that_nobody_saw_for_long_go() {
    let place = folder();
    let index = path(&place, "index");
    let line = |name: &str, more: &str| {
        format!("{{\"url\":\"https://a.example/{name}\",\"html\":\"<p>rye\"{more}}}\n")
    };
    let first = line("old", r#","date":"2026-01-01T00:00:00Z""#)
        + &line("same", r#","date":"2026-01-01T00:00:00Z""#)
        + &line("new", r#","date":"2026-03-01T00:00:00Z""#)
        + &line("undated", "");
    assert_eq!(run(&["index", "-q", "-o", &index], first).0, 0);
    // An older capture that comes later does not change the time at which the page was last seen.
    let same = line("same", r#","date":"2026-03-01T00:00:00Z","status":304"#);
    assert_eq!(run(&["index", "-q", "-o", &index], same).0 & !1, 0);
    assert_eq!(
        run(
            &["index", "-q", "-o", &index],
            line("same", r#","date":"2026-01-15T00:00:00Z""#)
        )
        .0,
        0
    );
    let (status, gone, told) = run(&["purge", &index, "--unseen-since", "2026-02-01"], "");
    assert_eq!((status, gone.trim()), (0, "https://a.example/old unseen"));
    assert!(
        told.contains("1 page stays: it is not known when"),
        "{told}"
    );
    let search = Index::open(&index).unwrap().search().unwrap();
    assert_eq!(search.urls().unwrap().len(), 3);
    assert_eq!(
        self::gone(&search),
        [["https://a.example/old", "unseen", ""].map(str::to_owned)]
    );
}

#[test]
fn an_index_knows_its_terms() {
    let place = folder();
    let index = path(&place, "index");
    let page = |name: &str| {
        format!(
            "{{\"url\":\"https://a.example/{name}\",\"html\":\"<meta name=foobot content=noindex><p>rye\"}}\n"
        )
    };
    let terms = [
        "-b",
        "barbot=bar",
        "--conventions",
        "seed,-profile",
        "--deny",
        "noindex=/x/*",
        "--mode",
        "google",
    ];
    assert_eq!(
        run(
            &[&["index", "-q", "-o", &index], &terms[..]].concat(),
            page("1")
        )
        .0,
        0
    );
    let again = |more: &[&str]| {
        run(
            &[&["index", "-q", "-o", &index], more].concat(),
            page("x/2") + &page("3"),
        )
    };
    assert_eq!(again(&[]).0, 0);
    let search = Index::open(&index).unwrap().search().unwrap();
    assert_eq!(
        search.urls().unwrap(),
        ["https://a.example/1", "https://a.example/3"]
    );
    for (other, why) in [
        (
            ["-b", "foobot"],
            "made for the bot barbot=bar, not for foobot",
        ),
        (["--conventions", "web"], "not as asked now"),
        (["--deny", "noindex=/y"], "--deny noindex=/x/*"),
        (["--mode", "1994"], "robots.txt read by google, not by 1994"),
    ] {
        let (status, _, told) = again(&other);
        assert!(status == 2 && told.contains(why), "{told}");
    }
    // Names are printed as they were typed, and the order of aliases makes no difference.
    let named = path(&place, "named");
    let with = |bot: &str| run(&["index", "-q", "-o", &named, "-b", bot], page("1"));
    assert_eq!(with("Googlebot=Googlebot-Image,foo").0, 0);
    assert_eq!(with("googlebot=foo,googlebot-image").0, 0);
    let (_, stats, _) = run(&["stats", &named], "");
    assert!(
        stats.contains("for googlebot=googlebot-image,foo, by"),
        "{stats}"
    );
    let (status, _, told) = with("googlebot=googlebot-image=foo");
    assert!(
        status == 2 && told.contains("as in NAME=ALIAS,ALIAS"),
        "{told}"
    );
    let (status, _, told) = run(&["stats", &named, "--at", "2030-01-01"], "");
    assert!(status == 2 && told.contains("--list"), "{told}");
    // The user's own conventions are not stored in the index, so they must be given again.
    let own = path(&place, "own");
    let with = |more: &[&str]| run(&[&["index", "-q", "-o", &own], more].concat(), page("1"));
    assert_eq!(with(&["--deny-element", "noindex=.ad"]).0, 0);
    assert_eq!(with(&["--deny-element", "noindex=.ad"]).0, 0);
    assert_eq!(with(&[]).0, 0);
    let (status, _, told) = with(&["--deny-element", "noindex=.menu"]);
    assert!(
        status == 2 && told.contains("conventions of your own"),
        "{told}"
    );
}

/// `purge --robots` reads robots.txt files from any kind of archive or table.
#[test]
fn a_purge_hears_the_robots_txt_of_any_input() {
    let place = folder();
    let index = path(&place, "index");
    let page = r#"{"url":"https://a.example/x/1","html":"<p>rye"}"#;
    let robots = r#"{"url":"https://a.example/robots.txt","html":"User-agent: *\nDisallow: /x/"}"#;
    let pages = write(&place, "pages.jsonl", page);
    let both = write(&place, "both.jsonl", &format!("{page}\n{robots}\n"));
    assert_eq!(run(&["index", "-q", "-o", &index, &pages], "").0, 0);
    let (_, _, told) = run(&["purge", &index, "--robots", &pages], "");
    assert!(
        told.contains("pages.jsonl holds no robots.txt") && told.contains("0 removed"),
        "{told}"
    );
    let (_, gone, told) = run(&["purge", &index, "--robots", &both], "");
    assert!(!told.contains("holds no robots.txt"), "{told}");
    assert!(
        gone.starts_with("https://a.example/x/1 robots.txt Disallow: /x/"),
        "{gone}"
    );
}

/// If the input has a new robots.txt but not the pages that it disallows, these pages are removed
/// from the index. A crawler that obeys the robots.txt no longer fetches them. Two runs have the
/// same result as one.
#[test]
fn a_robots_txt_without_its_pages_takes_them_out() {
    let place = folder();
    let at = |host: &str, name: &str| format!("https://{host}.example/{name}");
    let page = |host: &str, name: &str| {
        format!(
            "{{\"url\":\"{}\",\"html\":\"<p>rye <a href=/shut/1>the shut one</a>\"}}\n",
            at(host, name)
        )
    };
    let robots = |host: &str, rules: &str| {
        format!(
            "{{\"url\":\"{}\",\"html\":\"User-agent: *\\n{rules}\"}}\n",
            at(host, "robots.txt")
        )
    };
    let first =
        page("a", "open") + &page("a", "shut/1") + &page("a", "shut/2") + &page("b", "shut/1");
    let second = page("a", "open") + &robots("a", "Disallow: /shut/") + &robots("c", "Disallow: /");
    let (first, second) = (
        write(&place, "first.jsonl", &first),
        write(&place, "second.jsonl", &second),
    );
    let urls = |index: &str| {
        Index::open(index)
            .unwrap()
            .search()
            .unwrap()
            .urls()
            .unwrap()
    };
    let (twice, once, piped) = (
        path(&place, "twice"),
        path(&place, "once"),
        path(&place, "piped"),
    );
    assert_eq!(run(&["index", "-q", "-o", &twice, &first], "").0, 0);
    assert_eq!(urls(&twice).len(), 4);
    let summary = path(&place, "summary.json");
    let (status, _, told) = run(&["index", "-o", &twice, &second, "--summary", &summary], "");
    assert_eq!(status, 0);
    assert!(
        told.contains("2 pages of earlier runs removed: robots.txt keeps them out now"),
        "{told}"
    );
    assert!(
        fs::read_to_string(&summary)
            .unwrap()
            .contains(r#""withdrawn":2"#)
    );
    assert_eq!(run(&["index", "-q", "-o", &once, &first, &second], "").0, 0);
    assert_eq!(urls(&twice), [at("a", "open"), at("b", "shut/1")]);
    assert_eq!(urls(&twice), urls(&once));
    let known = run(&["stats", &twice, "--of", &at("a", "shut/1")], "").1;
    assert!(
        known.starts_with("not indexed: robots.txt (Disallow: /shut/"),
        "{known}"
    );
    // A pipe gives the same result; a site that does not answer removes nothing.
    assert_eq!(run(&["index", "-q", "-o", &piped, &first], "").0, 0);
    let silent = format!("{{\"url\":\"{}\",\"status\":503}}\n", at("b", "robots.txt"));
    assert_eq!(
        run(
            &["index", "-q", "-o", &piped, "-"],
            fs::read_to_string(&second).unwrap() + &silent
        )
        .0,
        0
    );
    assert_eq!(urls(&piped), urls(&once));
}

/// A page that its site's robots.txt disallows is not in the index, whatever the order of the
/// records. Neither earlier statements about the page nor a later failure keep it.
#[test]
fn no_order_of_an_input_keeps_a_forbidden_page() {
    let place = folder();
    let first =
        r#"{"url":"https://a.example/shut/1","date":"2026-01-01T00:00:00Z","html":"<p>rye"}"#;
    let unchanged = r#"{"url":"https://a.example/shut/1","status":304,"date":"2026-01-02T00:00:00Z","headers":[["X-Robots-Tag","noarchive"]]}"#;
    let rules =
        r#"{"url":"https://a.example/robots.txt","html":"User-agent: *\nDisallow: /shut/"}"#;
    let failure = r#"{"url":"https://a.example/robots.txt","status":503}"#;
    let reserved = r#"{"url":"https://a.example/.well-known/tdmrep.json","html":"[{\"location\":\"/*\",\"tdm-reservation\":1}]"}"#;
    for (name, second) in [
        ("unchanged", format!("{unchanged}\n{rules}\n")),
        ("failure", format!("{rules}\n{failure}\n")),
        ("early", format!("{failure}\n{rules}\n")),
    ] {
        for source in ["file", "pipe"] {
            let index = path(&place, &format!("{name}-{source}"));
            assert_eq!(run(&["index", "-q", "-o", &index], first).0, 0);
            let file = write(&place, &format!("{name}.jsonl"), &second);
            let input = if source == "file" { file.as_str() } else { "-" };
            let _ = run(
                &["index", "-q", "-o", &index, "--input", "jsonl", input],
                &second,
            );
            assert_eq!(
                run(&["search", &index, "rye"], "").0,
                1,
                "{name} by {source}"
            );
        }
    }
    let index = path(&place, "reserved");
    assert_eq!(run(&["index", "-q", "-o", &index], first).0, 0);
    assert_eq!(run(&["search", &index, "rye", "--use", "train"], "").0, 0);
    let _ = run(&["index", "-q", "-o", &index], reserved);
    assert_eq!(run(&["search", &index, "rye", "--use", "train"], "").0, 1);
    assert_eq!(run(&["search", &index, "rye"], "").0, 0);
}

#[test]
fn a_whole_site_that_the_input_does_not_name_is_told() {
    let place = folder();
    let page = r#"{"url":"https://a.example/1","html":"<p>rye"}"#;
    let (status, _, told) = run(
        &[
            "index",
            "-o",
            &path(&place, "index"),
            "--whole",
            "-u",
            "https://www.a.example/",
        ],
        page,
    );
    assert_eq!(status, 0);
    assert!(
        told.contains("no page of the input is under https://www.a.example/"),
        "{told}"
    );
}
