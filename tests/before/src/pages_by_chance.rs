//! Tag soup, by the generators of the other tests.

use crate::chance::Chance;
use crate::pieces::PIECES;
use crate::question::{PageQuestion, Question};
use crate::soup;

/// The pages of a number: with the conventions of the web, with all, and now and then with those of a user.
pub(crate) fn question(seed: u64, number: usize) -> Vec<(String, Question)> {
    let mut chance = Chance::of(seed ^ 0x5009, number);
    let pieces = 1 + chance.below(40);
    let kind = chance.below(5);
    let mut choose = |most: usize| chance.below(most);
    let html = match kind {
        0 | 1 => soup::page(pieces, &mut choose),
        2 => soup::short(&mut choose),
        3 => soup::tangled(pieces, &mut choose),
        _ => (0..pieces).map(|at| format!("{}w{at} ", PIECES[choose(PIECES.len())])).collect(),
    };
    let mut pages = ["web", "all"].map(|dialects| PageQuestion::new(html.as_str(), dialects)).to_vec();
    if chance.below(4) == 0 {
        pages.push(PageQuestion { toml: soup::OWN.to_owned(), ..PageQuestion::new(html.as_str(), "all") });
    }
    let name = format!("soup {number}");
    pages.into_iter().map(|page| (name.clone(), Question::Page(Box::new(page)))).collect()
}
