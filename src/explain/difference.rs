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
    /// [`Explanation::directive_index`](super::Explanation::directive_index) gives its index among
    /// all directives.
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

    /// True if the same directives deny both to the same bots.
    fn is_same_denial(&self, other: &Self) -> bool {
        self.denied_bots == other.denied_bots && self.why == other.why
    }
}

/// The start or the end of a denial for a bot.
#[derive(Clone, Copy, Debug)]
struct DenialEdge {
    at: u64,
    bot: BotId,
    begins: bool,
    /// The directive, after its index in source order.
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
            match here
                .iter_mut()
                .find(|other| other.is_same_denial(&difference))
            {
                Some(other) => other.uses = other.uses.union(difference.uses),
                None => here.push(difference),
            }
        }
    }
    found.into_values().flatten().collect()
}

/// The differences on one use, in order.
fn differences_for_use(usage: Use, pages: &[Page], order: &Order, all: BotSet) -> Vec<Difference> {
    let mut edges = Vec::new();
    for page in pages {
        add_denial_edges(usage, page, order, &mut edges);
    }
    edges.sort_by_key(|edge: &DenialEdge| (edge.at, edge.begins));
    let mut open: Vec<(BotId, (usize, DirectiveId))> = Vec::new();
    let mut found: Vec<Difference> = Vec::new();
    for (number, edge) in edges.iter().enumerate() {
        if edge.begins {
            open.push((edge.bot, edge.directive));
        } else {
            open.retain(|one| *one != (edge.bot, edge.directive));
        }
        let Some(next) = edges.get(number + 1) else {
            break;
        };
        let denied_bots: BotSet = open.iter().map(|(bot, _)| *bot).collect();
        if next.at == edge.at || denied_bots.is_empty() || denied_bots == all {
            continue;
        }
        let mut first = open.clone();
        first.sort_unstable();
        first.dedup_by_key(|(bot, _)| *bot);
        let why = first.into_iter();
        let difference = Difference {
            uses: Uses::new(&[usage]),
            range: edge.at..next.at,
            denied_bots,
            why: why.map(|(bot, (_, directive))| (bot, directive)).collect(),
        };
        match found.last_mut() {
            Some(last) if last.range.end == edge.at && last.is_same_denial(&difference) => {
                last.range.end = next.at;
            }
            _ => found.push(difference),
        }
    }
    found
}

/// Adds the places where denials of a use begin and end for one bot, including denials that it is
/// derived from.
fn add_denial_edges(usage: Use, page: &Page, order: &Order, edges: &mut Vec<DenialEdge>) {
    let bot = page.bot_id();
    let policy = page.policy();
    if !policy.allows(usage)
        && let Some(why) = policy.why_id(usage)
    {
        edges.extend(edges_of_range(0..page.outcome().length, bot, why, order));
        return;
    }
    for withheld in page.withheld() {
        if derived(withheld.winner.usage).contains(&usage) {
            let range = withheld.start..withheld.end;
            edges.extend(edges_of_range(range, bot, withheld.winner.directive, order));
        }
    }
}

fn edges_of_range(
    range: Range<u64>,
    bot: BotId,
    directive: DirectiveId,
    order: &Order,
) -> [DenialEdge; 2] {
    let start = DenialEdge {
        at: range.start,
        bot,
        begins: true,
        directive: (order.index(directive), directive),
    };
    let end = DenialEdge {
        at: range.end,
        begins: false,
        ..start
    };
    [start, end]
}
