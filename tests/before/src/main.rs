//! Compares the library with itself as it was before: pages, rulings and notes.
//!
//! `tests/before/run [PART...]` builds both and prints a table of the differences by class, and for each class the most
//! frequent kinds with a small example. It ends with 1 if there is a fault: something is less denied, or differs in
//! another way than by what is denied and noted. A kind of difference that is meant stands in the file `listed`: its
//! class, its key and its reason, with tabs between. A key that ends in `*` is the beginning of keys. Nothing excuses
//! a denial that is gone.
//!
//! | setting | means |
//! |---|---|
//! | `HEEDFUL_PAGES` | how many pages of soup, and of statements by chance; 20,000 |
//! | `HEEDFUL_ROBOTS` | how many files of odd lines; 20,000 |
//! | `HEEDFUL_SEED` | of chance; 1 |
//! | `HEEDFUL_SHOWN` | how many kinds of a class are shown; 12 |
//! | `HEEDFUL_THREADS` | how many threads ask |
//! | `HEEDFUL_DATA` | the folder of real pages |

mod after;
#[allow(clippy::duplicate_mod, reason = "both libraries are asked in the same words")]
mod before;
#[allow(clippy::all, dead_code, reason = "the tests of the project check it")]
#[path = "../../corpus/case.rs"]
mod case;
mod cases;
mod chance;
mod class;
mod covered;
mod odd_lines;
mod pages;
mod pages_by_chance;
#[allow(clippy::all, dead_code, reason = "the tests of the project check it")]
#[path = "../../support/pieces.rs"]
mod pieces;
mod question;
mod real;
mod rulings;
#[allow(clippy::all, dead_code, reason = "the tests of the project check it")]
#[path = "../../support/soup.rs"]
mod soup;
mod statements;
mod tally;
mod urls;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use class::{Answer, Class, Difference};
use question::Question;
use tally::{Printer, Tally};

const PARTS: [&str; 7] = ["corpus", "suite", "robots", "pages", "lines", "statements", "soup"];

fn main() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2).unwrap_or(package);
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = asked.iter().find(|part| !PARTS.contains(&part.as_str())) {
        println!("there is no part `{unknown}`; there are {}", PARTS.join(", "));
        std::process::exit(2);
    }
    let listed = listed(&std::fs::read_to_string(package.join("listed")).unwrap_or_default());
    let mut whole = Tally::default();
    let mut rows = Vec::new();
    for part in PARTS.iter().filter(|part| asked.is_empty() || asked.iter().any(|one| one == *part)) {
        let begin = Instant::now();
        let mut tally = run(part, root);
        tally.seconds = begin.elapsed().as_secs_f64();
        rows.push(row(part, &tally));
        whole.join(tally);
    }
    let printer = Printer { listed: &listed, most: setting("HEEDFUL_SHOWN", 12), ask };
    let faults = printer.print(&whole);
    let names = Class::ALL.map(Class::name).join("  ");
    println!("\n{:<11}{:>10}{:>9}  {names}  seconds", "part", "questions", "refused");
    println!("{}\n{}", rows.join("\n"), row("all", &whole));
    for (error, count) in &whole.refused {
        println!("{count} refused by both: {error}");
    }
    println!("{faults} faults");
    std::process::exit(i32::from(faults > 0));
}

fn row(name: &str, tally: &Tally) -> String {
    let counts = Class::ALL.map(|class| format!("{:>width$}", tally.count(class), width = class.name().len()));
    let Tally { questions, seconds, .. } = tally;
    let refused: usize = tally.refused.values().sum();
    format!("{name:<11}{questions:>10}{refused:>9}  {}  {seconds:>7.1}", counts.join("  "))
}

/// The differences that are meant.
fn listed(text: &str) -> Vec<(String, String, String)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fields = lines.map(|line| line.splitn(3, '\t').map(str::to_owned).collect::<Vec<_>>());
    fields
        .filter_map(|line| <[String; 3]>::try_from(line).ok())
        .map(|[class, key, reason]| (class, key, reason))
        .collect()
}

fn run(part: &str, root: &Path) -> Tally {
    let seed = setting("HEEDFUL_SEED", 1) as u64;
    let (pages, files) = (setting("HEEDFUL_PAGES", 20_000), setting("HEEDFUL_ROBOTS", 20_000));
    let of = |questions: Vec<(String, Question)>| ask_all(questions.len(), &|at| vec![questions[at].clone()]);
    match part {
        "corpus" => of(cases::corpus(root)),
        "suite" => of(cases::suite(root)),
        "robots" => of(real::robots(root)),
        "pages" => of(real::pages(root)),
        "lines" => ask_all(files, &|at| odd_lines::question(seed, at)),
        "statements" => ask_all(pages, &|at| statements::question(seed, at)),
        _ => ask_all(pages, &|at| pages_by_chance::question(seed, at)),
    }
}

fn ask_all(count: usize, make: &(dyn Fn(usize) -> Vec<(String, Question)> + Sync)) -> Tally {
    let (next, whole) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let available = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut tally = Tally::default();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                break;
            }
            for (name, question) in make(at) {
                tally.add(&name, &question, ask(&question));
            }
        }
        if let Ok(mut whole) = whole.lock() {
            whole.join(tally);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..setting("HEEDFUL_THREADS", available) {
            scope.spawn(work);
        }
    });
    whole.into_inner().unwrap_or_default()
}

/// Asks both libraries.
fn ask(question: &Question) -> Answer {
    match question {
        Question::Page(page) => {
            answer(|| before::pages(page), || after::pages(page), |was, is| pages::compare(&page.dialects, was, is))
        }
        Question::Robots(robots) => {
            answer(|| before::robots(robots), || after::robots(robots), |was, is| rulings::compare(robots, was, is))
        }
    }
}

fn answer<T>(
    before: impl FnOnce() -> Result<T, String>,
    after: impl FnOnce() -> Result<T, String>,
    compare: impl FnOnce(&T, &T) -> Vec<Difference>,
) -> Answer {
    match (caught(before), caught(after)) {
        (Some(Ok(was)), Some(Ok(is))) => Answer::of(compare(&was, &is)),
        (Some(Err(was)), Some(Err(is))) if was == is => Answer::Refused(was),
        (Some(was), Some(is)) => {
            // Nothing is to be had of what is refused.
            let class = if was.is_err() && is.is_ok() { Class::LessDenied } else { Class::Other };
            let [was, is] = [was.err(), is.err()].map(|error| error.unwrap_or("none".to_owned()));
            Answer::of(vec![Difference::new(class, format!("error {was} -> {is}"), was, is)])
        }
        (was, is) => {
            let key = format!("panics, before: {}, now: {}", was.is_none(), is.is_none());
            Answer::of(vec![Difference::new(Class::Panic, key, "", "")])
        }
    }
}

fn caught<T>(read: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok()
}

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}
