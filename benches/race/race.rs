//! Races two versions of heedful in one process. The versions take turns on each page, so a change
//! of the machine's speed affects both.

use crate::{real_or_made, robots, turns};

const ROUNDS: usize = 7;
/// Least number of bytes in one piece of a work. A smaller piece would be too short to measure.
const PIECE: usize = 50_000;
/// Ratio of the speeds below which a row is marked.
const LOSS: f64 = 0.97;
/// The works on pages that a reader does.
const READERS: [&str; 8] = [
    "page", "record", "idle", "policies", "lint", "explain", "snapshot", "bots",
];

/// Does a work on a page or a robots.txt.
type Reader = Box<dyn Fn(&[u8])>;
/// Rules by a robots.txt whether a bot may fetch some paths.
type Judge = Box<dyn Fn(&[String])>;

/// A version of heedful: the functions of its adapter.
pub(crate) struct Version {
    /// True if an element of the page is marked. None if the version refuses the page.
    pub(crate) is_marked: fn(&[u8]) -> Option<bool>,
    /// Returns the work of this name, if the version has it.
    pub(crate) reader: fn(&str) -> Option<Reader>,
    /// Returns a function that writes a page as JSON.
    pub(crate) writer: fn(&[u8]) -> Box<dyn Fn()>,
    /// Returns a function that rules by a robots.txt.
    pub(crate) judge: fn(&[u8]) -> Judge,
}

/// Files that are read in the race, in pieces of several files.
struct Files {
    name: &'static str,
    files: Vec<Vec<u8>>,
}

impl Files {
    fn megabytes(&self) -> f64 {
        self.files.iter().map(Vec::len).sum::<usize>() as f64 / 1e6
    }

    /// Returns the ranges of files that are the pieces of a work.
    fn pieces(&self) -> Vec<std::ops::Range<usize>> {
        let (mut pieces, mut start, mut bytes) = (Vec::new(), 0, 0);
        for (at, file) in self.files.iter().enumerate() {
            bytes += file.len();
            if bytes >= PIECE || at + 1 == self.files.len() {
                pieces.push(start..at + 1);
                (start, bytes) = (at + 1, 0);
            }
        }
        pieces
    }
}

/// Prints the table of the race between two versions, which are named by `names`. The arguments of
/// the program are the works; without any, all are measured.
pub(crate) fn race(names: [&str; 2], versions: [&Version; 2]) {
    let wanted: Vec<_> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let is_wanted = |work: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == work);
    let [old, new] = names;
    println!("| work | read | {old} | {new} | ratio, best | ratio, median round | |");
    println!("|---|---|---|---|---|---|---|");
    for pages in pages(versions) {
        for work in READERS.into_iter().filter(|work| is_wanted(work)) {
            read(work, &pages, versions);
        }
        if is_wanted("json") {
            let writers = versions.map(|version| each(&pages, version.writer));
            let write = |version: usize, at: usize| writers[version][at]();
            row(("json", "MB/s", pages.megabytes()), &pages, write);
        }
    }
    let files = Files {
        name: "robots.txt",
        files: robots::files(),
    };
    if is_wanted("robots.txt") {
        read("robots.txt", &files, versions);
    }
    if is_wanted("rulings") {
        let paths = each(&files, robots::paths);
        let judges = versions.map(|version| each(&files, version.judge));
        let rule = |version: usize, at: usize| judges[version][at](&paths[at]);
        let rulings = paths.iter().map(Vec::len).sum::<usize>() as f64 / 1e6;
        row(("rulings", "M/s", rulings), &files, rule);
    }
}

/// Returns the pages that both versions accept: those without a marked element, and those with one.
fn pages(versions: [&Version; 2]) -> [Files; 2] {
    let (names, pages) = real_or_made::pages();
    let [mut plain, mut marked] = names.map(|name| Files {
        name,
        files: Vec::new(),
    });
    for page in pages {
        match versions.map(|version| (version.is_marked)(&page)) {
            [None, _] | [_, None] => {}
            [_, Some(false)] => plain.files.push(page),
            [_, Some(true)] => marked.files.push(page),
        }
    }
    [plain, marked]
}

/// Calls a function for each file.
fn each<T>(files: &Files, prepare: impl Fn(&[u8]) -> T) -> Vec<T> {
    files.files.iter().map(|file| prepare(file)).collect()
}

/// Prints the row of a reader, or nothing if a version does not have it.
fn read(work: &str, files: &Files, versions: [&Version; 2]) {
    let [Some(old), Some(new)] = versions.map(|version| (version.reader)(work)) else {
        return;
    };
    let readers = [old, new];
    let read = |version: usize, at: usize| readers[version](&files.files[at]);
    row((work, "MB/s", files.megabytes()), files, read);
}

/// Measures a work of both versions, and prints the row of the table. The work is called with the
/// number of the version and that of the file.
fn row((name, unit, millions): (&str, &str, f64), files: &Files, work: impl Fn(usize, usize)) {
    let pieces = files.pieces();
    let do_piece = |version: usize, piece: usize| {
        for at in pieces[piece].clone() {
            work(version, at);
        }
    };
    let times = turns::race(
        pieces.len(),
        ROUNDS,
        &[&|piece| do_piece(0, piece), &|piece| do_piece(1, piece)],
    );
    let [old, new] = [0, 1].map(|which: usize| times[which].best().as_secs_f64());
    let best = old / new;
    let mut rounds: Vec<_> = std::iter::zip(&times[0].rounds, &times[1].rounds)
        .map(|(old, new)| old.as_secs_f64() / new.as_secs_f64())
        .collect();
    rounds.sort_by(f64::total_cmp);
    let median = rounds[rounds.len() / 2];
    let mark = if best < LOSS { "**slower**" } else { "" };
    println!(
        "| {name} | {} | {:.1} {unit} | {:.1} {unit} | {best:.3} | {median:.3} | {mark} |",
        files.name,
        millions / old,
        millions / new,
    );
}
