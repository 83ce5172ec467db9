//! Compares an index after random changes with a model that consists of a few maps in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use heedful_index::{Added, Gone, Index, Search, Writer};
use heedful_run::Purge;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::common::{anchors, at, create, filter, folder, found_at, gone, setting, snapshots};

const WORDS: [&str; 6] = ["alfa", "bravo", "charlie", "delta", "echo", "foxtrot"];
const URLS: usize = 12;
/// Expiry dates of generated pages. Each is given as text and in seconds since 1970.
const EXPIRIES: [(&str, u64); 2] = [
    ("2030-01-01T00:00:00Z", 1_893_456_000),
    ("2031-01-01T00:00:00Z", 1_924_992_000),
];
const META: &str = r#"<meta name="robots" content="noindex">"#;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    Nothing,
    Noindex,
    Nofollow,
    Noarchive,
    Expires(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bond {
    Plain,
    /// A link with `rel=nofollow`. Its text is text of the page, but not an anchor text of the
    /// target.
    Nofollow,
    /// A link in an excluded region. Its text is neither text of the page nor an anchor text.
    Withheld,
}

#[derive(Clone, Debug)]
struct Link {
    target: usize,
    spelling: usize,
    words: Vec<usize>,
    bond: Bond,
}

#[derive(Clone, Debug)]
struct Page {
    says: Says,
    words: Vec<usize>,
    links: Vec<Link>,
}

#[derive(Clone, Debug)]
enum Step {
    Add(usize, usize, Page),
    Remove(usize, usize),
    RemoveSnapshot(usize),
    Commit,
    Compact,
    Reopen,
    /// Removes from the index the pages that have expired. The value is a position in [`EXPIRIES`]:
    /// that of the date that has just passed.
    Purge(usize),
}

/// Returns the URL of page `number` in one of its spellings. The first spelling is the one that the
/// index stores. The URLs are on three hosts.
fn url(number: usize, spelling: usize) -> String {
    let host = number % 3;
    match spelling {
        0 => format!("http://h{host}.example/p{number}"),
        1 => format!("http://h{host}.example/p{number}#part"),
        _ => format!("HTTP://H{host}.Example:80/x/../p{number}"),
    }
}

fn page_text(words: &[usize]) -> String {
    words
        .iter()
        .map(|word| WORDS[*word])
        .collect::<Vec<_>>()
        .join(" ")
}

impl Page {
    /// Returns the HTML of a generated page. `number` makes each snapshot different.
    fn html(&self, number: usize) -> String {
        let meta = match self.says {
            Says::Nothing => String::new(),
            Says::Noindex => META.to_owned(),
            Says::Nofollow => "<meta name=robots content=nofollow>".to_owned(),
            Says::Noarchive => "<meta name=robots content=noarchive>".to_owned(),
            Says::Expires(when) => format!(
                "<meta name=robots content='unavailable_after: {}'>",
                EXPIRIES[when].0
            ),
        };
        let links: String = self.links.iter().map(Link::html).collect();
        format!(
            "{meta}<div id=n{number}>{}</div>{links}",
            page_text(&self.words)
        )
    }

    fn words(&self) -> BTreeSet<usize> {
        let links = self.links.iter().filter(|link| link.bond != Bond::Withheld);
        links
            .flat_map(|link| &link.words)
            .chain(&self.words)
            .copied()
            .collect()
    }

    fn expires(&self) -> Option<SystemTime> {
        if let Says::Expires(when) = self.says {
            Some(at(EXPIRIES[when].1))
        } else {
            None
        }
    }

    fn is_there(&self, now: Option<SystemTime>) -> bool {
        self.expires()
            .zip(now)
            .is_none_or(|(expires, now)| now <= expires)
    }
}

impl Link {
    fn html(&self) -> String {
        let rel = if self.bond == Bond::Nofollow {
            " rel=nofollow"
        } else {
            ""
        };
        let link = format!(
            "<a{rel} href='{}'>{}</a>",
            url(self.target, self.spelling),
            page_text(&self.words).to_uppercase()
        );
        match self.bond {
            Bond::Withheld => format!("<p><!--noindex-->{link}<!--/noindex-->"),
            _ => format!("<p>{link}"),
        }
    }
}

/// Expected content of an index, computed without the index.
#[derive(Clone, Debug, Default)]
struct Model {
    pages: BTreeMap<usize, Page>,
    gone: BTreeMap<usize, (Gone, &'static str)>,
    snapshots: BTreeMap<usize, String>,
}

impl Model {
    fn take_back(&mut self, number: usize) {
        self.pages.remove(&number);
        self.gone.remove(&number);
        self.snapshots.remove(&number);
    }

    fn add(&mut self, number: usize, page: &Page, html: String) {
        self.take_back(number);
        if page.says == Says::Noindex {
            self.gone.insert(number, (Gone::Noindex, META));
            return;
        }
        self.pages.insert(number, page.clone());
        if page.says != Says::Noarchive {
            self.snapshots.insert(number, html);
        }
    }

    fn remove(&mut self, number: usize, reason: Gone) {
        self.take_back(number);
        self.gone.insert(number, (reason, ""));
    }

    fn expire(&mut self, now: SystemTime) {
        let expired: Vec<_> = self
            .pages
            .iter()
            .filter(|(_, page)| !page.is_there(Some(now)))
            .map(|(n, _)| *n)
            .collect();
        for number in expired {
            self.remove(number, Gone::Expired);
        }
    }

    /// Returns the anchor texts that the index must have at the time `now`: for each, the source,
    /// the target and the words.
    fn anchors(&self, now: Option<SystemTime>) -> BTreeSet<(usize, usize, &[usize])> {
        let mut anchors = BTreeSet::new();
        for (source, page) in &self.pages {
            if page.says != Says::Nofollow && page.is_there(now) {
                let links = page
                    .links
                    .iter()
                    .filter(|link| link.bond == Bond::Plain && link.target != *source);
                anchors.extend(links.map(|link| (*source, link.target, link.words.as_slice())));
            }
        }
        anchors
    }

    /// Returns the pages that a search for `word` must find at the time `now`.
    fn found(&self, word: usize, now: Option<SystemTime>) -> BTreeSet<usize> {
        let called = self
            .anchors(now)
            .into_iter()
            .filter(|(_, _, words)| words.contains(&word));
        let called: BTreeSet<_> = called.map(|(_, target, _)| target).collect();
        let says = |(number, page): &(&usize, &Page)| {
            called.contains(number) || page.words().contains(&word)
        };
        let there = self.pages.iter().filter(|(_, page)| page.is_there(now));
        there.filter(says).map(|(number, _)| *number).collect()
    }
}

fn urls<'a>(numbers: impl IntoIterator<Item = &'a usize>) -> Vec<String> {
    let mut urls: Vec<_> = numbers.into_iter().map(|number| url(*number, 0)).collect();
    urls.sort();
    urls
}

fn assert_is(index: &Index, model: &Model) {
    let search = index.search().unwrap();
    assert_eq!(search.urls().unwrap(), urls(model.pages.keys()));
    let called = |(source, target, words)| [url(source, 0), url(target, 0), page_text(words)];
    let mut expected: Vec<_> = model.anchors(None).into_iter().map(called).collect();
    expected.sort();
    assert_eq!(anchors(&search), expected);
    let mut expected: Vec<_> = model
        .gone
        .iter()
        .map(|(n, (why, by))| [url(*n, 0), why.to_string(), (*by).into()])
        .collect();
    expected.sort();
    assert_eq!(gone(&search), expected);
    let mut expected: Vec<_> = model
        .snapshots
        .iter()
        .map(|(n, html)| (url(*n, 0), html.clone()))
        .collect();
    expected.sort();
    assert_eq!(snapshots(&search), expected);
    assert_finds(&search, model);
    assert_eq!(index.check().unwrap(), [""; 0]);
    let stats = index.stats().unwrap();
    let counted = [
        stats.pages(),
        stats.anchors(),
        stats.tombstones(),
        stats.snapshots(),
    ];
    let sizes = [
        model.pages.len(),
        model.anchors(None).len(),
        model.gone.len(),
        model.snapshots.len(),
    ];
    assert_eq!(counted, sizes.map(|size| size as u64));
}

fn assert_finds(search: &Search, model: &Model) {
    for now in [
        None,
        Some(at(EXPIRIES[0].1 + 1)),
        Some(at(EXPIRIES[1].1 + 1)),
    ] {
        for (number, word) in WORDS.into_iter().enumerate() {
            assert_eq!(
                found_at(search, word, now),
                urls(&model.found(number, now)),
                "{word} at {now:?}"
            );
        }
        let both = model
            .found(0, now)
            .intersection(&model.found(1, now))
            .copied()
            .collect::<BTreeSet<_>>();
        assert_eq!(
            found_at(search, "alfa bravo", now),
            urls(&both),
            "at {now:?}"
        );
        let without = model
            .found(2, now)
            .difference(&model.found(3, now))
            .copied()
            .collect::<BTreeSet<_>>();
        assert_eq!(
            found_at(search, "charlie -delta", now),
            urls(&without),
            "at {now:?}"
        );
        for number in 0..URLS {
            let is_there = model
                .pages
                .get(&number)
                .is_some_and(|page| page.is_there(now));
            let expected = model.snapshots.get(&number).filter(|_| is_there).cloned();
            assert_eq!(
                search.snapshot(&url(number, 1), now).unwrap(),
                expected,
                "at {now:?}"
            );
        }
    }
}

/// An index with its writer, if one is open. It also has the expected content of the index twice:
/// as committed, and with pending changes.
struct Life {
    folder: TempDir,
    index: Index,
    writer: Option<Writer>,
    committed: Model,
    model: Model,
    pages: usize,
}

impl Life {
    fn new() -> Self {
        let folder = folder();
        let index = create(folder.path());
        Self {
            folder,
            index,
            writer: None,
            committed: Model::default(),
            model: Model::default(),
            pages: 0,
        }
    }

    fn writer(&mut self) -> &mut Writer {
        let index = &self.index;
        self.writer.get_or_insert_with(|| index.writer(1).unwrap())
    }

    /// Drops the writer of the index, so that its pending changes are discarded.
    fn give_up(&mut self) {
        self.writer = None;
        self.model = self.committed.clone();
    }

    fn live(&mut self, step: &Step) {
        match step {
            Step::Add(number, spelling, page) => {
                self.pages += 1;
                let html = page.html(self.pages);
                let read = filter()
                    .page(&url(*number, *spelling), &[], html.as_bytes())
                    .unwrap();
                let added = self.writer().add(&read).unwrap();
                assert_eq!(added == Added::NotIndexed, page.says == Says::Noindex);
                self.model.add(*number, page, html);
            }
            Step::Remove(number, spelling) => {
                self.writer()
                    .remove(&url(*number, *spelling), Gone::Removed, "")
                    .unwrap();
                self.model.remove(*number, Gone::Removed);
            }
            Step::RemoveSnapshot(number) => {
                self.writer().remove_snapshot(&url(*number, 2)).unwrap();
                self.model.snapshots.remove(number);
            }
            Step::Commit => self.commit(),
            Step::Compact => {
                self.give_up();
                self.index.compact().unwrap();
                assert_is(&self.index, &self.model);
            }
            Step::Reopen => {
                self.give_up();
                self.index = Index::open(self.folder.path()).unwrap();
            }
            Step::Purge(when) => {
                self.give_up();
                let now = at(EXPIRIES[*when].1 + 1);
                Purge::default().expired(now).run(&self.index, 1).unwrap();
                self.model.expire(now);
                self.committed = self.model.clone();
                assert_is(&self.index, &self.model);
            }
        }
    }

    fn commit(&mut self) {
        self.writer().commit().unwrap();
        self.committed = self.model.clone();
        assert_is(&self.index, &self.model);
    }
}

fn words() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..WORDS.len(), 1..3)
}

fn link() -> impl Strategy<Value = Link> {
    let bond =
        prop_oneof![4 => Just(Bond::Plain), 1 => Just(Bond::Nofollow), 1 => Just(Bond::Withheld)];
    (0..URLS, 0..3usize, words(), bond).prop_map(|(target, spelling, words, bond)| Link {
        target,
        spelling,
        words,
        bond,
    })
}

fn page() -> impl Strategy<Value = Page> {
    let says = prop_oneof![
        8 => Just(Says::Nothing),
        2 => Just(Says::Noindex),
        1 => Just(Says::Nofollow),
        1 => Just(Says::Noarchive),
        2 => (0..EXPIRIES.len()).prop_map(Says::Expires),
    ];
    (says, words(), prop::collection::vec(link(), 0..5)).prop_map(|(says, words, links)| Page {
        says,
        words,
        links,
    })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (0..URLS, 0..3usize, page()).prop_map(|(number, spelling, page)| Step::Add(number, spelling, page)),
        4 => (0..URLS, 0..3usize).prop_map(|(number, spelling)| Step::Remove(number, spelling)),
        1 => (0..URLS).prop_map(Step::RemoveSnapshot),
        4 => Just(Step::Commit),
        2 => Just(Step::Compact),
        1 => Just(Step::Reopen),
        1 => (0..EXPIRIES.len()).prop_map(Step::Purge),
    ]
}

fn config() -> ProptestConfig {
    let cases = u32::try_from(setting("HEEDFUL_LIVES", 60)).unwrap();
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 300,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_there_is_what_came_last(steps in prop::collection::vec(step(), 30)) {
        let mut life = Life::new();
        for step in &steps {
            life.live(step);
        }
        life.commit();
    }
}
