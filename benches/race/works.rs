//! The works of the race, for each version of heedful. The module around this one has what differs
//! between versions: a sink, the function that reads a page, JSON and lint.

#[path = "../support/look.rs"]
mod look;

use std::hint::black_box;

use heedful::{Bot, Directive, Dressing, Extent, Filter, Pass, Result, RobotsTxt, Sink};

use super::{Nothing, PageJson, line, lint, read};
use look::look;

/// Does a work on a page or a robots.txt.
pub type Reader = Box<dyn Fn(&[u8])>;
/// Rules by a robots.txt whether a bot may fetch some paths.
pub type Judge = Box<dyn Fn(&[String])>;

const URL: &str = "https://site.example/dir/page";
const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private/\nDisallow: /*?print\n";

/// True if a directive of the page applies to the content of an element. Returns `None` if the
/// filter refuses the page.
pub fn is_marked(page: &[u8]) -> Option<bool> {
    let page = read(&filter(), URL, page).ok()?;
    let is_marked = |directive: &Directive| directive.extent() == Extent::Subtree;
    Some(page.directives().any(is_marked))
}

/// Returns the work of this name. Returns `None` if this version does not have it.
pub fn reader(work: &str) -> Option<Reader> {
    let filter = filter();
    Some(match work {
        "page" => Box::new(move |page| {
            drop(black_box(read(&filter, URL, page).unwrap()));
        }),
        "idle" => Box::new(move |page| {
            black_box(passed(filter.open_with(URL, Nothing::default()), page).into_sink()).unwrap();
        }),
        "record" => Box::new(move |page| {
            black_box(passed(filter.open(URL), page).into_sink()).unwrap();
        }),
        "policies" => Box::new(move |page| {
            let mut pass = filter.open_policies(URL).unwrap();
            pass.write(page).unwrap();
            black_box(pass.end()).unwrap();
        }),
        "explain" => Box::new(move |page| {
            black_box(passed(filter.explain(URL), page).end()).unwrap();
        }),
        "lint" => {
            let robots = [RobotsTxt::parse(ROBOTS)];
            Box::new(move |page| {
                let pass = passed(lint::open(&filter, URL), page);
                black_box(lint::end(pass, URL, &robots)).unwrap();
            })
        }
        "snapshot" => {
            let (filter, dressing) = (filter.snapshots(), Dressing::default());
            Box::new(move |page| {
                let page = read(&filter, URL, page).unwrap();
                black_box(page.snapshot(&dressing));
            })
        }
        "bots" => {
            let bots = (0..16).map(|number| Bot::new(&format!("bot{number}")).unwrap());
            let filter = Filter::for_bots(bots.collect()).unwrap();
            Box::new(move |page| {
                let pages = passed(filter.open(URL), page).end_each().unwrap();
                black_box(pages.iter().map(look).sum::<usize>());
            })
        }
        "robots.txt" => Box::new(|file| {
            black_box(RobotsTxt::parse(file));
        }),
        _ => return None,
    })
}

/// Returns a function that writes the page as JSON. The page is read before.
pub fn writer(page: &[u8]) -> Box<dyn Fn()> {
    let page = read(&filter(), URL, page).unwrap();
    Box::new(move || {
        black_box(line(&PageJson::page(&page)));
    })
}

/// Returns a function that rules by a robots.txt, which is parsed before.
pub fn judge(robots_txt: &[u8]) -> Judge {
    let (robots, bot) = (RobotsTxt::parse(robots_txt), Bot::new("Googlebot").unwrap());
    Box::new(move |paths| {
        for path in paths {
            black_box(robots.ruling(&bot, path).line());
        }
    })
}

fn filter() -> Filter {
    Filter::new(Bot::new("FooBot").unwrap())
}

fn passed<S: Sink>(pass: Result<Pass<S>>, page: &[u8]) -> Pass<S> {
    let mut pass = pass.unwrap();
    pass.write(page).unwrap();
    pass
}
