//! Finds the ranges of a page that some bots of the pass may use and others may not.
//!
//! For each use, a sweep over the starts and ends of all bots' denials finds these ranges. This
//! file judges nothing: it reads the policies and the withheld ranges of the finished pages.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::page::Page;
use crate::policy::{DirectiveId, Use, Uses, derived};
use heedful_base::bot::{BotId, BotSet};

use super::order::Order;

/// Byte range of the page in which the bots of the filter may do different things. At least one use
/// is denied to some bots, and allowed to all other bots.
///
/// ```
/// use heedful::{Bot, BotId, Filter, Use};
///
/// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
/// let mut pass = filter.explain("https://example.com/")?;
/// pass.write(b"<meta name=foobot content=noindex><p>Dark bread")?;
/// let explanation = pass.end()?;
/// let differences = explanation.differences();
/// assert!(differences[0].uses().contains(Use::Index));
/// assert!(differences[0].denied_bots().contains(BotId::FIRST));
/// assert_eq!(differences[0].why().len(), 1); // BarBot may have the page
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    uses: Uses,
    range: Range<u64>,
    denied_bots: BotSet,
    why: Vec<(BotId, DirectiveId)>,
}

impl Difference {
    /// Returns the uses that are denied to [`Difference::denied_bots`], and allowed to all other
    /// bots, in the range of this difference.
    pub fn uses(&self) -> Uses {
        self.uses
    }

    /// Returns the range of this difference, as byte offsets in the decoded page.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the bots to which the range is denied. It is allowed to all other bots of the
    /// filter.
    pub fn denied_bots(&self) -> BotSet {
        self.denied_bots
    }

    /// Returns the bots to which the range is denied. Each bot is paired with the directive that
    /// denies the range to this bot.
    /// [`Explanation::directive_index`](super::Explanation::directive_index) gives the directive's
    /// index among all directives.
    pub fn why(&self) -> &[(BotId, DirectiveId)] {
        &self.why
    }

    /// Returns the directives that deny the range. Each directive is paired with all bots to which
    /// it denies the range.
    pub fn denials(&self) -> Vec<(BotSet, DirectiveId)> {
        let mut denials: Vec<(BotSet, DirectiveId)> = Vec::new();
        for (bot, directive) in &self.why {
            match denials.iter_mut().find(|(_, known)| known == directive) {
                Some((bots, _)) => *bots = bots.or(BotSet::single(*bot)),
                None => denials.push((BotSet::single(*bot), *directive)),
            }
        }
        denials
    }

    /// True if the same directives deny both ranges to the same bots. The ranges and the denied
    /// uses may differ.
    fn is_same_denial(&self, other: &Self) -> bool {
        self.denied_bots == other.denied_bots && self.why == other.why
    }
}

/// Start or end of one denial for one bot, as a byte offset in the decoded page.
#[derive(Clone, Copy, Debug)]
struct DenialEdge {
    at: u64,
    bot: BotId,
    begins: bool,
    /// The directive that denies: its index among all directives in source order, and its ID. The
    /// index is first, so that pairs are compared in source order.
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
            // Differences with the same range and the same denials become one, with the uses of
            // all.
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

/// Returns the ranges that some bots may use for `usage` and others may not, in source order.
/// `pages` has the page of each bot.
fn differences_for_use(usage: Use, pages: &[Page], order: &Order, all: BotSet) -> Vec<Difference> {
    let mut edges = Vec::new();
    for page in pages {
        add_denial_edges(usage, page, order, &mut edges);
    }
    edges.sort_by_key(|edge: &DenialEdge| (edge.at, edge.begins));
    let mut open = OpenDenials::new(pages.len());
    let mut found: Vec<Difference> = Vec::new();
    for (number, edge) in edges.iter().enumerate() {
        open.pass(edge);
        let Some(next) = edges.get(number + 1) else {
            break;
        };
        if next.at == edge.at || open.denied_bots.is_empty() || open.denied_bots == all {
            continue;
        }
        let difference = Difference {
            uses: Uses::new(&[usage]),
            range: edge.at..next.at,
            denied_bots: open.denied_bots,
            why: open.why(),
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

/// State of a walk over the page from start to end: the denials in force at the byte that the walk
/// has reached.
struct OpenDenials {
    /// For each bot, by its number, the directives of the open denials. Each directive is stored as
    /// in [`DenialEdge::directive`].
    by_bot: Vec<Vec<(usize, DirectiveId)>>,
    /// The bots that have an open denial.
    denied_bots: BotSet,
}

impl OpenDenials {
    fn new(bots: usize) -> Self {
        Self {
            by_bot: vec![Vec::new(); bots],
            denied_bots: BotSet::default(),
        }
    }

    /// Updates the open denials at `edge`, the start or end of one denial. A start adds the edge's
    /// directive to the open denials of the edge's bot. An end removes one occurrence of this
    /// directive. A directive can occur several times among the open denials, since it may deny
    /// several uses.
    fn pass(&mut self, edge: &DenialEdge) {
        let bot = BotSet::single(edge.bot);
        let directives = &mut self.by_bot[edge.bot.index()];
        if edge.begins {
            directives.push(edge.directive);
            self.denied_bots = self.denied_bots.or(bot);
            return;
        }
        if let Some(at) = directives.iter().position(|one| *one == edge.directive) {
            directives.swap_remove(at);
        }
        if directives.is_empty() {
            self.denied_bots = self.denied_bots.without(bot);
        }
    }

    /// Returns each denied bot with the first directive, in source order, of its open denials.
    fn why(&self) -> Vec<(BotId, DirectiveId)> {
        let first = |bot: BotId| self.by_bot[bot.index()].iter().min();
        self.denied_bots
            .iter()
            .filter_map(|bot| Some((bot, first(bot)?.1)))
            .collect()
    }
}

/// Appends to `edges` the start and the end of each denial of `usage` to the bot of `page`. Denials
/// that follow from a denial of another use are included. For example, a denial of `index` also
/// denies `snippet`.
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
