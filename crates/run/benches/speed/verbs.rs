//! Measures the work of the program's verbs (subcommands) on a page, without files and threads. The
//! time is compared with that of the filter. If both write JSON, the time for writing is included.

use std::hint::black_box;

use heedful::{Filter, RobotsTxt};
use heedful_json::{ExplanationJson, PageJson, line};
use heedful_lint as lint;

use crate::inputs::{Inputs, URL, filter as web};
use crate::table::{Goal, rows as table};

pub(crate) fn rows(inputs: &Inputs) {
    let robots = [RobotsTxt::parse(
        b"User-agent: *\nDisallow: /private/\nDisallow: /*?print\n",
    )];
    let web = web();
    for pages in [&inputs.plain, &inputs.marked] {
        let amount = pages.amount();
        table(
            "verbs",
            amount,
            ("lint", &pages.each(|page| linted(&web, &robots, page))),
            &[(
                ("filter", &pages.each(|page| filtered(&web, page))),
                Goal::Ratio(0.9),
            )],
        );
        table(
            "verbs",
            amount,
            (
                "filter --format json",
                &pages.each(|page| filtered_json(&web, page)),
            ),
            &[(
                ("filter", &pages.each(|page| filtered(&web, page))),
                Goal::Ratio(0.8),
            )],
        );
        table(
            "verbs",
            amount,
            (
                "explain --format json",
                &pages.each(|page| explained(&web, page)),
            ),
            &[(
                (
                    "filter --format json",
                    &pages.each(|page| filtered_json(&web, page)),
                ),
                Goal::Ratio(0.5),
            )],
        );
    }
}

fn filtered(filter: &Filter, page: &[u8]) {
    drop(black_box(filter.page(URL, &[], page).unwrap()));
}

fn filtered_json(filter: &Filter, page: &[u8]) {
    let page = filter.page(URL, &[], page).unwrap();
    drop(black_box(line(&PageJson::page(&page))));
}

fn linted(filter: &Filter, robots: &[RobotsTxt], page: &[u8]) {
    let mut pass = lint::open(filter, URL).unwrap();
    pass.write(page).unwrap();
    drop(black_box(lint::end(pass, URL, robots).unwrap()));
}

fn explained(filter: &Filter, page: &[u8]) {
    let mut pass = filter.explain(URL).unwrap();
    pass.write(page).unwrap();
    let explanation = pass.end().unwrap();
    drop(black_box(line(&ExplanationJson::new(&explanation, &[]))));
}
