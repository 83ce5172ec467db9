//! The parts of a page that some bots may have and others may not.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::page::Page;
use crate::policy::{DirectiveId, Use, Uses, derived};
use heedful_base::bot::{BotId, BotSet};

use super::order::Order;

/// A part of the page that some bots of the pass may have and others may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    uses: Uses,
    range: Range<u64>,
    denied_bots: BotSet,
    why: Vec<(BotId, DirectiveId)>,
}

impl Difference {
    /// The uses that are denied.
    pub fn uses(&self) -> Uses {
        self.uses
    }

    /// The range in bytes of the decoded page.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The bots that may not have the part. The others may.
    pub fn denied_bots(&self) -> BotSet {
        self.denied_bots
    }

    /// The directive that denies it to each of these bots.
    /// [`Explanation::number_of`](super::Explanation::number_of) gives its index among all
    /// directives.
    pub fn why(&self) -> &[(BotId, DirectiveId)] {
        &self.why
    }

    /// The directives that deny it, each with its bots.
    pub fn denials(&self) -> Vec<(BotSet, DirectiveId)> {
        let mut denials: Vec<(BotSet, DirectiveId)> = Vec::new();
        for (bot, directive) in &self.why {
            match denials.iter_mut().find(|(_, known)| known == directive) {
                Some((bots, _)) => *bots = bots.or(BotSet::one(*bot)),
                None => denials.push((BotSet::one(*bot), *directive)),
            }
        }
        denials
    }
}

/// The start or the end of a denial for a bot.
#[derive(Clone, Copy, Debug)]
struct DenialEdge {
    at: u64,
    bot: BotId,
    begins: bool,
    /// The directive, behind its index in source order.
    directive: (usize, DirectiveId),
}

pub(super) fn differences(pages: &[Page], order: &Order) -> Vec<Difference> {
    let all = BotSet::all(pages.len());
    let mut found: BTreeMap<(u64, u64), Vec<Difference>> = BTreeMap::new();
    for usage in Use::ALL {
        for difference in differences_for_use(usage, pages, order, all) {
            let here = found
                .entry((difference.range.start, difference.range.end))
                .or_default();
            // Uses that are denied together make one difference.
            match here.iter_mut().find(|other| {
                (other.denied_bots, &other.why) == (difference.denied_bots, &difference.why)
            }) {
                Some(other) => other.uses = other.uses.with(difference.uses),
                None => here.push(difference),
            }
        }
    }
    found.into_values().flatten().collect()
}

/// The differences on one use, in order.
fn differences_for_use(usage: Use, pages: &[Page], order: &Order, all: BotSet) -> Vec<Difference> {
    let mut turns: Vec<_> = pages
        .iter()
        .flat_map(|page| denial_edges(usage, page, order))
        .collect();
    turns.sort_by_key(|turn| (turn.at, turn.begins));
    let mut open: Vec<(BotId, (usize, DirectiveId))> = Vec::new();
    let mut found: Vec<Difference> = Vec::new();
    for (number, turn) in turns.iter().enumerate() {
        match turn.begins {
            true => open.push((turn.bot, turn.directive)),
            false => open.retain(|one| *one != (turn.bot, turn.directive)),
        }
        let next = turns.get(number + 1).map_or(turn.at, |next| next.at);
        let may_not = open
            .iter()
            .fold(BotSet::NONE, |set, (bot, _)| set.or(BotSet::one(*bot)));
        if next == turn.at || may_not.is_empty() || may_not == all {
            continue;
        }
        let mut why = open.clone();
        why.sort_unstable();
        why.dedup_by_key(|(bot, _)| *bot);
        let why: Vec<_> = why
            .into_iter()
            .map(|(bot, (_, directive))| (bot, directive))
            .collect();
        match found.last_mut().filter(|last| {
            last.range.end == turn.at && (last.denied_bots, &last.why) == (may_not, &why)
        }) {
            Some(last) => last.range.end = next,
            None => found.push(Difference {
                uses: Uses::of(&[usage]),
                range: turn.at..next,
                denied_bots: may_not,
                why,
            }),
        }
    }
    found
}

/// The places where denials of a use begin and end for one bot, including denials that it is
/// derived from.
fn denial_edges(usage: Use, page: &Page, order: &Order) -> Vec<DenialEdge> {
    let (outcome, bot) = (page.outcome(), page.bot_id());
    let turn = |range: Range<u64>, directive: DirectiveId| {
        let one = |at, begins| DenialEdge {
            at,
            bot,
            begins,
            directive: (order.index(directive), directive),
        };
        [one(range.start, true), one(range.end, false)]
    };
    if let Some(why) = page
        .policy()
        .why_id(usage)
        .filter(|_| !page.policy().allows(usage))
    {
        return turn(0..outcome.length, why).into();
    }
    let withheld = page
        .withheld()
        .filter(|withheld| derived(withheld.winner.usage).contains(&usage));
    withheld
        .flat_map(|withheld| turn(withheld.start..withheld.end, withheld.winner.directive))
        .collect()
}
