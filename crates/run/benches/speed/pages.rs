//! Measures filter passes over pages: the lexer, the tree, the walk, the sinks, and the filter as a
//! whole.
//!
//! The stages of a filter pass cannot be called separately, so they are measured through the public
//! interface. With a sink that stores nothing, only the lexer and the walk remain. With all
//! conventions off, the walk has nothing to match.

use std::hint::black_box;

use heedful::{Bot, Conventions, Dressing, Filter, Recorder, Sink};

use crate::baselines;
use crate::inputs::{Inputs, Pages, URL, filter as web};
use crate::support::Nothing;
use crate::table::{Goal, rows};

/// An element to which a directive applies, so that a filter pass must build the tree. The
/// directive withholds only the text of this element, and nothing of the page after it.
const MARK: &[u8] = b"<p class=robots-noindex>withheld</p>";
const BOTS: usize = 16;
/// Tolerance for a ratio that should be 1.
const NOISE: f64 = 0.01;

fn hearing(conventions: &str) -> Filter {
    web().conventions(Conventions::parse(conventions).unwrap())
}

/// Runs one filter pass over a page into a sink, and returns the sink.
fn pass<S: Sink>(filter: &Filter, sink: S, page: &[u8]) -> S {
    let mut pass = filter.open_with(URL, sink).unwrap();
    pass.write(page).unwrap();
    pass.into_sink().unwrap()
}

fn idle(filter: &Filter, page: &[u8]) {
    black_box(pass(filter, Nothing(0), page).0);
}

pub(crate) fn lex(inputs: &Inputs) {
    let deaf = hearing("none");
    let pages = &inputs.plain;
    rows(
        "lex",
        pages.amount(),
        (
            "lexer and a walk that hears nothing",
            &pages.each(|page| idle(&deaf, page)),
        ),
        &[
            (
                (
                    "lol_html, passed through",
                    &pages.each(baselines::pass_through),
                ),
                Goal::None,
            ),
            (
                (
                    "lol_html, what the lexer asks",
                    &pages.each(baselines::what_the_lexer_asks),
                ),
                Goal::None,
            ),
            (
                ("lol_html, every token", &pages.each(baselines::every_token)),
                Goal::None,
            ),
            (
                (
                    "lol_html, attributes and end tags too",
                    &pages.each(baselines::every_part),
                ),
                Goal::None,
            ),
        ],
    );
}

pub(crate) fn tree(inputs: &Inputs) {
    let web = web();
    let plain = &inputs.plain;
    let marked = plain
        .pages
        .iter()
        .map(|page| [MARK, page].concat())
        .collect();
    let marked = Pages {
        name: plain.name,
        pages: marked,
    };
    rows(
        "tree",
        marked.amount(),
        (
            "tree followed from the first tag on",
            &marked.each(|page| idle(&web, page)),
        ),
        &[
            (
                (
                    "the same without the mark",
                    &plain.each(|page| idle(&web, page)),
                ),
                Goal::None,
            ),
            (
                ("html5ever + RcDom", &marked.each(baselines::tree)),
                Goal::None,
            ),
        ],
    );
}

pub(crate) fn walk(inputs: &Inputs) {
    let [deaf, meta, web, all] = ["none", "none,+meta", "web", "all"].map(hearing);
    let pages = &inputs.plain;
    rows(
        "walk",
        pages.amount(),
        ("all conventions", &pages.each(|page| idle(&all, page))),
        &[
            (("none", &pages.each(|page| idle(&deaf, page))), Goal::None),
            (
                ("META alone", &pages.each(|page| idle(&meta, page))),
                Goal::None,
            ),
            (
                ("those of the web", &pages.each(|page| idle(&web, page))),
                Goal::None,
            ),
        ],
    );
}

pub(crate) fn sinks(inputs: &Inputs) {
    let web = web();
    let (with, dressing) = (web.clone().snapshots(), Dressing::default());
    let pages = &inputs.plain;
    let nothing = pages.each(|page| idle(&web, page));
    let record = pages.each(|page| {
        let mut pass = web.open(URL).unwrap();
        pass.write(page).unwrap();
        black_box::<Recorder>(pass.into_sink().unwrap());
    });
    let finish = pages.each(|page| drop(black_box(web.page(URL, &[], page))));
    let copy = pages.each(|page| {
        drop(black_box(
            with.page(URL, &[], page).unwrap().snapshot(&dressing),
        ));
    });
    let witness = pages.each(|page| {
        let mut pass = web.explain(URL).unwrap();
        pass.write(page).unwrap();
        drop(black_box(pass.end()));
    });
    let amount = pages.amount();
    rows(
        "sinks",
        amount,
        ("text, links, audit recorded", &record),
        &[(("a sink that keeps nothing", &nothing), Goal::None)],
    );
    rows(
        "sinks",
        amount,
        ("recorded and read by a bot", &finish),
        &[(("recorded", &record), Goal::None)],
    );
    rows(
        "sinks",
        amount,
        ("with a snapshot", &copy),
        &[(("without", &finish), Goal::None)],
    );
    rows(
        "sinks",
        amount,
        ("with a witness", &witness),
        &[(("without", &finish), Goal::None)],
    );
}

pub(crate) fn filter(inputs: &Inputs) {
    for (pages, of_tokens, of_tree) in [
        (&inputs.plain, Goal::Ratio(0.65), Goal::Ratio(2.6)),
        (&inputs.marked, Goal::Ratio(0.45), Goal::Ratio(2.0)),
        (&inputs.corpus, Goal::None, Goal::None),
    ] {
        let filter = web();
        rows(
            "filter",
            pages.amount(),
            (
                "text, links, audit",
                &pages.each(|page| drop(black_box(filter.page(URL, &[], page).unwrap()))),
            ),
            &[
                (
                    ("lol_html, every token", &pages.each(baselines::every_token)),
                    of_tokens,
                ),
                (
                    (
                        "html5ever + RcDom, text and links",
                        &pages.each(|page| drop(black_box(baselines::tree_contents(page)))),
                    ),
                    of_tree,
                ),
            ],
        );
    }
}

/// Measures pages with different numbers of excluded regions, and compares the times per byte. The
/// comments that open and close the regions are part of these bytes.
pub(crate) fn regions() {
    let filter = web();
    let paragraph = "<p>The quick brown fox jumps over the <em>lazy</em> dog, and <a href=/again>again</a>.</p>\n";
    let page = |regions: usize| {
        let region = format!("<!--noindex-->{paragraph}<!--/noindex-->");
        let page: String = (0..1000)
            .map(|at| {
                if at % 10 == 0 && at / 10 < regions {
                    &region
                } else {
                    paragraph
                }
            })
            .collect();
        vec![page.into_bytes(); 20]
    };
    let none = Pages {
        name: "no region",
        pages: page(0),
    };
    for (name, regions) in [("1 region", 1), ("10 regions", 10), ("100 regions", 100)] {
        let some = Pages {
            name,
            pages: page(regions),
        };
        let bytes = some.bytes() as f64 / none.bytes() as f64;
        rows(
            "regions",
            some.amount(),
            (
                "text, links, audit",
                &some.each(|page| drop(black_box(filter.page(URL, &[], page).unwrap()))),
            ),
            &[(
                (
                    "no region",
                    &none.each(|page| drop(black_box(filter.page(URL, &[], page).unwrap()))),
                ),
                Goal::Ratio(1.0 / bytes - NOISE),
            )],
        );
    }
}

pub(crate) fn bots(inputs: &Inputs) {
    let bots = |count: usize| {
        let bots = (0..count)
            .map(|number| Bot::new(&format!("bot{number}")).unwrap())
            .collect();
        Filter::for_bots(bots).unwrap()
    };
    let (one, many) = (bots(1), bots(BOTS));
    let read = |filter: &Filter, page: &[u8]| {
        let mut pass = filter.open(URL).unwrap();
        pass.write(page).unwrap();
        drop(black_box(pass.end_each().unwrap()));
    };
    for pages in [&inputs.plain, &inputs.marked] {
        rows(
            "bots",
            pages.amount(),
            ("16 bots", &pages.each(|page| read(&many, page))),
            &[(
                ("1 bot", &pages.each(|page| read(&one, page))),
                Goal::Ratio(1.0 / 1.3),
            )],
        );
    }
}
