//! Checks that a purge removes exactly those pages that would not be in the index if the current
//! robots.txt files had applied from the start.

#![allow(clippy::print_stderr, reason = "it says how long it took")]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use heedful::{RobotsTxt, Uses};
use heedful_index::{Gone, Index, Search};
use heedful_input::Inputs;
use heedful_run::{Gate, Purge, Purged, RemovedPage, Run, apply_outcome};
use serde_json::json;
use tempfile::TempDir;
use url::Url;

use crate::common::{
    Random, add, anchors, at, conventions, create, filter, found, gone, index, setting, snapshots,
};

const JOBS: usize = 2;
/// Contents of robots.txt files, which hosts get in turn. The last one has no rule that affects an
/// index.
const ROBOTS: [Option<&str>; 12] = [
    None,
    Some("User-agent: *\nDisallow: /"),
    Some("User-agent: *\nDisallow: /1"),
    Some("User-agent: FooBot\nDisallow: /\nAllow: /*7$\n\nUser-agent: *\nAllow: /"),
    Some("User-agent: *\nContent-Signal: search=no, ai-train=no"),
    Some("User-agent: *\nContent-Signal: /2 search=no"),
    Some("User-agent: *\nNoindex: /*3"),
    Some("Content-Usage: search=n\nUser-agent: *\nAllow: /"),
    Some("User-agent: BarBot\nDisallow: /"),
    Some("User-agent: *\nDisallow: /0\nNoindex: /0\nNoindex: /5$"),
    None,
    Some("User-agent: *\nDisallow:\nContent-Signal: ai-train=no\nDisallowAITraining: /"),
];

fn site(host: usize) -> Url {
    Url::parse(&format!("https://h{host}.example/")).unwrap()
}

/// Generated pages on several hosts, which have links to pages of other hosts.
struct Web {
    hosts: usize,
    folder: TempDir,
}

impl Web {
    /// Generates pages on this number of hosts, with `pages` pages per host.
    fn new(hosts: usize, pages: usize) -> Self {
        let web = Self {
            hosts,
            folder: TempDir::new().unwrap(),
        };
        let mut random = Random(6);
        let mut out = BufWriter::new(File::create(web.input()).unwrap());
        for number in 0..hosts * pages {
            let (host, page) = (number % hosts, number / hosts);
            let links = (0..4).map(|_| {
                let (host, page, name) =
                    (random.below(hosts), random.below(pages), random.below(30));
                format!("<p><a href=https://h{host}.example/{page}>name{name} of it</a>")
            });
            let (links, state) = (links.collect::<String>(), random.below(20));
            let meta = [
                "<meta name=robots content=noindex>",
                "<meta name=robots content=noarchive>",
                "",
            ][state.min(2)];
            let html = format!(
                "{meta}<title>page {page}</title><p>host{host} word{}{links}",
                number % 50
            );
            writeln!(
                out,
                "{}",
                json!({"url": format!("https://h{host}.example/{page}"), "html": html})
            )
            .unwrap();
        }
        out.flush().unwrap();
        web
    }

    fn input(&self) -> PathBuf {
        self.folder.path().join("web.jsonl")
    }

    /// Returns a gate with the hosts' robots.txt files from [`ROBOTS`]. If `is_open` is true, the
    /// files are empty.
    fn gate(&self, is_open: bool) -> Gate {
        let robots = (0..self.hosts).filter_map(|host| Some((host, ROBOTS[host % ROBOTS.len()]?)));
        robots.fold(Gate::default(), |gate, (host, text)| {
            gate.for_site(
                &site(host),
                RobotsTxt::parse(if is_open { b"" } else { text.as_bytes() }),
            )
        })
    }

    /// Returns the number of pages on hosts that have a robots.txt.
    fn governed(&self, search: &Search) -> usize {
        let hosts = (0..self.hosts).filter(|host| ROBOTS[host % ROBOTS.len()].is_some());
        hosts
            .map(|host| search.urls_under(site(host).as_str()).unwrap().len())
            .sum()
    }

    fn indexed(&self, name: &str, gate: &Gate) -> Index {
        let index = create(&self.folder.path().join(name));
        let inputs = Inputs::default().open(&[self.input()]).unwrap();
        let mut writer = index.writer(1).unwrap();
        Run::new(&inputs, gate, JOBS)
            .filter(&filter(), |outcome, _| {
                apply_outcome(&mut writer, &outcome).map(|_| ())
            })
            .unwrap();
        writer.commit().unwrap();
        index
    }
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let made = work();
    eprintln!("{what}: {:.3} s", start.elapsed().as_secs_f64());
    made
}

fn dropped(purged: &Purged) -> Vec<[String; 3]> {
    let told = |page: &RemovedPage| {
        [
            page.url().to_owned(),
            page.reason().to_string(),
            page.why().to_owned(),
        ]
    };
    purged.removed_pages.iter().map(told).collect()
}

/// Checks that two indexes have the same pages, anchor texts, snapshots and removed URLs.
fn assert_equal(one: &Index, other: &Index) {
    let (one, other) = (one.search().unwrap(), other.search().unwrap());
    assert!(
        one.urls().unwrap() == other.urls().unwrap(),
        "the pages differ"
    );
    assert!(anchors(&one) == anchors(&other), "the anchors differ");
    assert!(snapshots(&one) == snapshots(&other), "the snapshots differ");
    assert!(
        one.tombstone_urls().unwrap() == other.tombstone_urls().unwrap(),
        "what is gone differs"
    );
}

/// Indexes generated pages and purges the index. Compares it with an index that was built with the
/// same robots.txt files from the start.
fn purged(web: &Web) -> (Index, Purged) {
    let index = timed("indexed", || web.indexed("late", &Gate::default()));
    let rebuilt = timed("indexed again", || web.indexed("rebuilt", &web.gate(false)));
    let before = index.search().unwrap();
    let purge = Purge::default().robots(web.gate(false));
    let looked = timed("looked", || purge.preview(&index, JOBS).unwrap());
    let after = index.search().unwrap();
    assert!(before.urls().unwrap() == after.urls().unwrap() && anchors(&before) == anchors(&after));
    assert!(snapshots(&before) == snapshots(&after) && gone(&before) == gone(&after));
    let purged = timed("purged", || purge.run(&index, JOBS).unwrap());
    assert_eq!(dropped(&looked), dropped(&purged));
    assert_eq!(
        (&looked.without_snapshot, &looked.allowed, looked.pages),
        (&purged.without_snapshot, &purged.allowed, purged.pages)
    );
    assert_equal(&index, &rebuilt);
    let why: BTreeSet<_> = gone(&rebuilt.search().unwrap()).into_iter().collect();
    assert_eq!(
        dropped(&purged).iter().find(|page| !why.contains(*page)),
        None
    );
    let stay = rebuilt.search().unwrap().urls().unwrap();
    let mut expected = before.urls().unwrap();
    eprintln!("{} pages, {} of them stay", expected.len(), stay.len());
    expected.retain(|url| stay.binary_search(url).is_err());
    assert_eq!(
        purged
            .removed_pages
            .iter()
            .map(|page| page.url().to_owned())
            .collect::<Vec<_>>(),
        expected
    );
    assert_eq!(
        (
            purged.pages,
            &purged.without_snapshot,
            &purged.allowed,
            &purged.unresponsive_sites
        ),
        (web.governed(&before), &vec![], &vec![], &[].into())
    );
    (index, purged)
}

fn web() -> Web {
    Web::new(setting("HEEDFUL_HOSTS", 40), setting("HEEDFUL_PAGES", 25))
}

#[test]
fn a_purge_leaves_what_an_index_from_the_start_would_hold() {
    let web = web();
    let (index, purged) = purged(&web);
    assert!(
        purged
            .removed_pages
            .iter()
            .all(|page| page.reason() == Gone::Robots)
    );
    for said in [
        "Disallow: /1",
        "Disallow: / (line 2)",
        "search=no",
        "/2 search=no",
        "Noindex: /*3",
        "search=n ",
    ] {
        assert!(
            purged
                .removed_pages
                .iter()
                .any(|page| page.why().contains(said)),
            "{said}"
        );
    }
    assert_eq!(timed("checked", || index.check().unwrap()), [""; 0]);
    timed("compacted", || index.compact().unwrap());
    assert_eq!(index.check().unwrap(), [""; 0]);
    assert_equal(&index, &web.indexed("once more", &web.gate(false)));
    let again = Purge::default()
        .robots(web.gate(false))
        .run(&index, JOBS)
        .unwrap();
    assert_eq!(
        (again.pages, again.removed_pages.len(), again.allowed.len()),
        (web.governed(&index.search().unwrap()), 0, 0)
    );
}

#[test]
fn what_a_robots_txt_took_out_is_named_when_it_is_let_in_again() {
    let web = Web::new(24, 10);
    let (index, purged) = purged(&web);
    let open = Purge::default()
        .robots(web.gate(true))
        .preview(&index, JOBS)
        .unwrap();
    assert_eq!(
        open.allowed,
        purged
            .removed_pages
            .iter()
            .map(|page| page.url().to_owned())
            .collect::<Vec<_>>()
    );
    assert_eq!(open.removed_pages, []);
}

/// Searches, by the robots.txt of one site, for pages that may be indexed again. Pages of other
/// sites must not be among them.
#[test]
fn nothing_is_let_in_again_by_the_robots_txt_of_another_site() {
    let web = Web::new(12, 3);
    let index = web.indexed("index", &web.gate(false));
    let gate = Gate::default().for_site(&site(0), RobotsTxt::parse(b""));
    let purged = Purge::default().robots(gate).preview(&index, JOBS).unwrap();
    assert_eq!((purged.removed_pages.len(), purged.allowed), (0, vec![]));
}

/// The reason for which a purge removed a page is known from its origin, not from its text. A
/// header that ends like a record of robots.txt is not a record of robots.txt. A record of
/// robots.txt that is too long to be stored whole still counts as one.
#[test]
fn what_took_a_page_out_is_known_by_where_it_was_said() {
    let folder = crate::common::folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    let (header, record) = (
        site(0).join("header").unwrap(),
        site(0).join("record").unwrap(),
    );
    let mut pass = filter().open(header.as_str()).unwrap();
    pass.header("X-Robots-Tag", "noindex, see line 3 of robots.txt)");
    writer.add(&pass.end().unwrap()).unwrap();
    let uses: String = (0..20).map(|use_| format!(", use-{use_}=yes")).collect();
    let long = format!("User-agent: *\nContent-Signal: search=no, ai-train=no{uses}");
    let mut pass = filter().open(record.as_str()).unwrap();
    pass.robots_txt(&RobotsTxt::parse(long.as_bytes()));
    writer.add(&pass.end().unwrap()).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let reasons: Vec<_> = gone(&index.search().unwrap())
        .into_iter()
        .map(|[url, reason, _]| [url, reason])
        .collect();
    assert_eq!(
        reasons,
        [
            [header.as_str(), "noindex"],
            [record.as_str(), "robots.txt"]
        ]
    );
    let open = RobotsTxt::parse(b"User-agent: *\nAllow: /");
    let purged = Purge::default()
        .robots(Gate::default().with_robots_for_all_sites(open))
        .preview(&index, JOBS)
        .unwrap();
    assert_eq!(purged.allowed, [record.as_str()]);
}

#[test]
fn a_purge_keeps_to_its_sites() {
    let (_folder, index) = index(&[
        ("https://a.example/", "<p>word"),
        ("https://www.a.example:8443/", "<p>word"),
        ("https://ba.example/", "<p>word"),
        ("https://a.example.org/", "<p>word"),
    ]);
    let gate = || {
        Gate::default().with_robots_for_all_sites(RobotsTxt::parse(b"User-agent: *\nDisallow: /"))
    };
    let purged = Purge::default()
        .robots(gate())
        .site("A.example")
        .unwrap()
        .run(&index, JOBS)
        .unwrap();
    let urls: Vec<_> = purged.removed_pages.iter().map(RemovedPage::url).collect();
    assert_eq!(
        (purged.pages, urls),
        (2, vec!["https://a.example/", "https://www.a.example:8443/"])
    );
    assert_eq!(
        found(&index, "word"),
        ["https://a.example.org/", "https://ba.example/"]
    );
    let purged = Purge::default().robots(gate()).run(&index, JOBS).unwrap();
    assert_eq!((purged.pages, purged.removed_pages.len()), (2, 2));
    assert_eq!(index.check().unwrap(), [""; 0]);
}

/// A purge by the robots.txt files of sites examines the pages of these sites alone. It changes the
/// same pages as one that examines all.
#[test]
fn a_purge_by_robots_txt_of_sites_examines_their_pages_alone() {
    let mut pages = Vec::new();
    for site in [
        "http://a.example",
        "https://a.example",
        "https://a.example.org",
        "https://a.example:8443",
        "https://b.example",
        "https://ba.example",
        "https://www.a.example",
    ] {
        for path in ["", "private/1", "private/2", "public"] {
            pages.push((format!("{site}/{path}"), "<p>word"));
        }
    }
    let pages: Vec<_> = pages.iter().map(|(url, html)| (&**url, *html)).collect();
    let (_folder, index) = index(&pages);
    let gate = |robots: &str| {
        let mut gate = Gate::default();
        for site in ["https://a.example/", "https://b.example/"] {
            let site = Url::parse(site).unwrap();
            gate = gate.for_site(&site, RobotsTxt::parse(robots.as_bytes()));
        }
        gate
    };
    let shut = "User-agent: *\nDisallow: /private/\nContent-Signal: ai-train=no";
    // No page has a time, so none is removed for it. But each is examined.
    let of_all = |robots| Purge::default().robots(gate(robots)).unseen_since(at(1));
    let all = of_all(shut).preview(&index, JOBS).unwrap();
    let purged = Purge::default()
        .robots(gate(shut))
        .run(&index, JOBS)
        .unwrap();
    assert_eq!((all.pages, purged.pages), (28, 8));
    let urls: Vec<_> = purged.removed_pages.iter().map(RemovedPage::url).collect();
    let expected = ["a", "b"]
        .map(|host| [1, 2].map(|number| format!("https://{host}.example/private/{number}")));
    assert_eq!(urls, expected.concat());
    assert_eq!(purged.removed_pages, all.removed_pages);
    assert_eq!(purged.restricted_pages, all.restricted_pages);
    assert_eq!(purged.restricted_pages.len(), 4);
    let all = of_all("").preview(&index, JOBS).unwrap();
    let open = Purge::default()
        .robots(gate(""))
        .preview(&index, JOBS)
        .unwrap();
    assert_eq!(open.allowed, expected.concat());
    assert_eq!(open.allowed, all.allowed);
    assert_eq!(index.check().unwrap(), [""; 0]);
}

/// Purges an index with custom conventions. Denials of a page's content by these conventions have
/// no effect on a purge.
#[test]
fn an_index_made_by_conventions_of_ones_own_is_purged_too() {
    let conventions = conventions()
        .region("nosearch", "/nosearch", Uses::parse("noindex").unwrap())
        .unwrap();
    let folder = TempDir::new().unwrap();
    let index = Index::create(folder.path(), &filter().conventions(conventions)).unwrap();
    let mut writer = index.writer(1).unwrap();
    add(&mut writer, "https://a.example/x", "<p>word");
    writer.commit().unwrap();
    drop(writer);
    let gate =
        Gate::default().with_robots_for_all_sites(RobotsTxt::parse(b"User-agent: *\nDisallow: /x"));
    assert_eq!(
        Purge::default()
            .robots(gate)
            .run(&index, JOBS)
            .unwrap()
            .removed_pages
            .len(),
        1
    );
}

fn snapshot_files(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder.join("snapshots"))
        .unwrap()
        .flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().ends_with(".warc.gz"))
        .count()
}

#[test]
fn a_purge_of_snapshots_leaves_the_pages() {
    let urls: Vec<_> = (0..20)
        .map(|number| format!("https://h{}.example/{number}", number % 2))
        .collect();
    let pages: Vec<_> = urls
        .iter()
        .map(|url| (url.as_str(), "<p>word <a href=/x>name</a>"))
        .collect();
    let (folder, index) = index(&pages);
    let mut writer = index.writer(1).unwrap();
    add(&mut writer, &urls[0], "<p>word again <a href=/x>name</a>");
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(
        (
            index.stats().unwrap().snapshots(),
            snapshot_files(folder.path())
        ),
        (20, 2)
    );
    let lent = anchors(&index.search().unwrap());
    let purged = Purge::default()
        .snapshots()
        .site("h1.example")
        .unwrap()
        .run(&index, JOBS)
        .unwrap();
    assert_eq!(
        (
            purged.without_snapshot.len(),
            index.stats().unwrap().snapshots()
        ),
        (10, 10)
    );
    let purged = Purge::default().snapshots().run(&index, JOBS).unwrap();
    assert_eq!(
        (
            purged.pages,
            purged.removed_pages.len(),
            purged.without_snapshot.len()
        ),
        (20, 0, 10)
    );
    assert_eq!(found(&index, "word").len(), 20);
    assert_eq!(anchors(&index.search().unwrap()), lent);
    let stats = index.stats().unwrap();
    assert_eq!(
        (
            stats.snapshots(),
            stats.snapshot_bytes(),
            snapshot_files(folder.path())
        ),
        (0, 0, 0)
    );
    assert_eq!(
        index.search().unwrap().snapshot(&urls[0], None).unwrap(),
        None
    );
    assert_eq!(index.check().unwrap(), [""; 0]);
    assert_eq!(
        Purge::default()
            .snapshots()
            .run(&index, JOBS)
            .unwrap()
            .without_snapshot,
        [""; 0]
    );
    let reopened = Index::open(folder.path()).unwrap();
    assert_eq!(
        (
            reopened.compact().unwrap().snapshot_bytes_after,
            reopened.check().unwrap()
        ),
        (0, vec![])
    );
}
