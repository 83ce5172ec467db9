//! The fate of each directive for one bot: obeyed, overruled (and by which one), or idle.
//!
//! A denial is obeyed if it decides somewhere. Otherwise an allowance lifted it, or another denial
//! came before it. An allowance is obeyed if it lifts something that would be denied without it.
//! All of this is read from the withheld ranges and from the pass's record of lifted denials. The
//! withheld ranges are the verdicts themselves.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::ledger::PageEnd;
use crate::page::Page;
use crate::policy::{Directive, DirectiveId, Extent, Policy, Says, Use};
use heedful_base::bot::BotId;

use super::order::Order;

/// The fate of one thing that a directive says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    usage: Option<Use>,
    outcome: DirectiveOutcome,
    overruled_by: Option<usize>,
}

impl Effect {
    /// The use, or `None` for a limit.
    pub fn usage(&self) -> Option<Use> {
        self.usage
    }

    /// The fate of the directive on this use.
    pub fn outcome(&self) -> DirectiveOutcome {
        self.outcome
    }

    /// The index in [`Explanation::directives`](super::Explanation::directives) of the directive that
    /// overruled it.
    pub fn overruled_by(&self) -> Option<usize> {
        self.overruled_by
    }
}

/// The possible fates of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectiveOutcome {
    /// It decides, at least somewhere.
    Obeyed,
    /// Another directive decides wherever it reaches.
    Overruled,
    /// It has no effect. It reaches nothing, allows what nobody denies, or its allowance is void.
    Idle,
}

heedful_base::display!(DirectiveOutcome);

impl DirectiveOutcome {
    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::Overruled => "overruled",
            Self::Idle => "idle",
        }
    }
}

/// Parts of the page by their start, each with the directive about it.
type Spans = Vec<(Range<u64>, DirectiveId)>;

/// The denials and allowances of one bot, by place.
pub(super) struct BotEffects<'a> {
    outcome: &'a PageEnd,
    policy: &'a Policy,
    bot: BotId,
    order: &'a Order,
    whole: PageEffects,
    /// The withheld ranges of each use, which do not overlap.
    denied: [Spans; Use::COUNT],
    lifts: BotLifts,
}

/// The lifted denials of one bot.
#[derive(Default)]
struct BotLifts {
    decisive: HashSet<(DirectiveId, Use)>,
    /// The lifted denials, each with the first allowance that lifted it.
    lifted: HashMap<(DirectiveId, Use), DirectiveId>,
    /// The allowances that lifted something.
    lifting: HashSet<(DirectiveId, Use)>,
    /// The allowances and denials of these lifts. They are for the bot, or were.
    bound: HashSet<DirectiveId>,
}

/// The directives that decide about the whole page for one bot. They are found once, since every
/// directive of the page asks for them.
#[derive(Debug, Default)]
struct PageEffects {
    /// The robots.txt rule that keeps the bot out.
    gate: Option<DirectiveId>,
    /// The first directive that denies each use.
    first_denials: [Option<DirectiveId>; Use::COUNT],
    /// The directive because of which each use is denied, also where that follows from another
    /// denial.
    denials: [Option<DirectiveId>; Use::COUNT],
    /// The directive whose limit is in force, of each kind.
    limits: [Option<DirectiveId>; LIMITS],
}

/// The number of kinds of limits.
const LIMITS: usize = 4;

/// The kind of a limit, and true if the policy has just this one. None for what is no limit.
fn limit_kind(says: Says, policy: &Policy) -> Option<(usize, bool)> {
    match says {
        Says::Deny(_) | Says::Allow(_) => None,
        Says::MaxSnippet(n) => Some((0, policy.max_snippet() == Some(n))),
        Says::MaxImagePreview(size) => Some((1, policy.max_image_preview() == Some(size))),
        Says::MaxVideoPreview(n) => Some((2, policy.max_video_preview() == Some(n))),
        Says::UnavailableAfter(time) => Some((3, policy.unavailable_after() == Some(time))),
    }
}

impl PageEffects {
    fn new(outcome: &PageEnd, policy: &Policy, bot: BotId) -> Self {
        let mut whole = Self::default();
        for (id, said) in outcome
            .numbered_ceiling()
            .filter(|(_, said)| said.bots.contains(bot))
        {
            if said.extent == Extent::Site {
                whole.gate.get_or_insert(id);
            }
            if let Says::Deny(uses) = said.says {
                for usage in uses.iter() {
                    whole.first_denials[usage as usize].get_or_insert(id);
                }
            }
            if let Some((kind, true)) = limit_kind(said.says, policy) {
                whole.limits[kind].get_or_insert(id);
            }
        }
        let is_of_page = |id: &DirectiveId| {
            outcome
                .directive(*id)
                .is_some_and(|said| said.extent.is_ceiling())
        };
        let derived = |usage| {
            policy
                .why_id(usage)
                .filter(|id| !policy.allows(usage) && is_of_page(id))
        };
        whole.denials =
            Use::ALL.map(|usage| whole.first_denials[usage as usize].or_else(|| derived(usage)));
        whole
    }
}

type OutcomeBy = (DirectiveOutcome, Option<DirectiveId>);

impl<'a> BotEffects<'a> {
    pub(super) fn new(page: &'a Page, order: &'a Order) -> Self {
        let (outcome, bot) = (page.outcome(), page.bot_id());
        let (mut denied, mut lifts): ([Spans; Use::COUNT], BotLifts) = Default::default();
        for withheld in page.withheld() {
            let (usage, directive) = (withheld.winner.usage, withheld.winner.directive);
            denied[usage as usize].push((withheld.start..withheld.end, directive));
            lifts.decisive.insert((directive, usage));
        }
        for lift in outcome.lifts.iter().filter(|lift| lift.bots.contains(bot)) {
            lifts.bound.extend([lift.allowance, lift.denial]);
            lifts.lifting.insert((lift.allowance, lift.usage));
            lifts
                .lifted
                .entry((lift.denial, lift.usage))
                .or_insert(lift.allowance);
        }
        let policy = page.policy();
        Self {
            outcome,
            policy,
            bot,
            order,
            whole: PageEffects::new(outcome, policy, bot),
            denied,
            lifts,
        }
    }

    /// The fate of each thing that a directive says. Empty if the directive is not for the bot.
    pub(super) fn effects(&self, id: DirectiveId, directive: &Directive) -> Vec<Effect> {
        // It may have been for the bot until its number had a name.
        if !directive.bots.contains(self.bot) && !self.lifts.bound.contains(&id) {
            return Vec::new();
        }
        let fates = match directive.extent.is_ceiling() {
            true => self.page_outcomes(id, directive),
            false => self.part_outcomes(id, directive),
        };
        let effect = |(usage, (fate, by)): (_, OutcomeBy)| Effect {
            usage,
            outcome: fate,
            overruled_by: by.map(|by| self.order.index(by)),
        };
        fates.into_iter().map(effect).collect()
    }

    fn page_outcomes(
        &self,
        id: DirectiveId,
        directive: &Directive,
    ) -> Vec<(Option<Use>, OutcomeBy)> {
        if let Some(gate) = self.whole.gate.filter(|gate| *gate != id) {
            return each_thing(directive, |_| (DirectiveOutcome::Overruled, Some(gate)));
        }
        each_thing(directive, |usage| match (directive.says, usage) {
            (Says::Deny(_), Some(usage)) => match self.whole.first_denials[usage as usize] {
                Some(first) if first != id => (DirectiveOutcome::Overruled, Some(first)),
                _ => (DirectiveOutcome::Obeyed, None),
            },
            (Says::Allow(_), Some(usage)) => match self.whole.first_denials[usage as usize] {
                Some(first) => (DirectiveOutcome::Overruled, Some(first)),
                None => (DirectiveOutcome::Idle, None),
            },
            (says, _) => {
                match limit_kind(says, self.policy).and_then(|(kind, _)| self.whole.limits[kind]) {
                    Some(strictest) if strictest != id => {
                        (DirectiveOutcome::Overruled, Some(strictest))
                    }
                    _ => (DirectiveOutcome::Obeyed, None),
                }
            }
        })
    }

    fn part_outcomes(
        &self,
        id: DirectiveId,
        directive: &Directive,
    ) -> Vec<(Option<Use>, OutcomeBy)> {
        if !self.policy.entered() {
            return each_thing(directive, |_| {
                (DirectiveOutcome::Overruled, self.whole.gate)
            });
        }
        let is_denial = matches!(directive.says, Says::Deny(_));
        each_thing(directive, |usage| match (usage, is_denial) {
            (None, _) => (DirectiveOutcome::Idle, None),
            (Some(usage), true) => self.denial_outcome(id, usage),
            (Some(usage), false) => self.allowance_outcome(id, usage),
        })
    }

    fn denial_outcome(&self, id: DirectiveId, usage: Use) -> OutcomeBy {
        if let Some(whole) = self.whole.denials[usage as usize] {
            return (DirectiveOutcome::Overruled, Some(whole));
        }
        if self.lifts.decisive.contains(&(id, usage)) {
            return (DirectiveOutcome::Obeyed, None);
        }
        let allowance = self.lifts.lifted.get(&(id, usage)).copied();
        match allowance.or_else(|| first_overlap(&self.denied[usage as usize], &self.reach(id))) {
            Some(other) => (DirectiveOutcome::Overruled, Some(other)),
            None => (DirectiveOutcome::Idle, None),
        }
    }

    fn allowance_outcome(&self, id: DirectiveId, usage: Use) -> OutcomeBy {
        if let Some(whole) = self.whole.denials[usage as usize] {
            return (DirectiveOutcome::Overruled, Some(whole));
        }
        if self.lifts.lifting.contains(&(id, usage)) {
            return (DirectiveOutcome::Obeyed, None);
        }
        let reach = self.reach(id);
        let over = span_at(&self.denied[usage as usize], reach.start)
            .filter(|(span, _)| span.end >= reach.end);
        match over.filter(|_| !reach.is_empty()) {
            Some((_, other)) => (DirectiveOutcome::Overruled, Some(*other)),
            None => (DirectiveOutcome::Idle, None),
        }
    }

    fn reach(&self, id: DirectiveId) -> Range<u64> {
        self.outcome.reach(id).unwrap_or_default()
    }
}

fn each_thing(
    directive: &Directive,
    mut fate: impl FnMut(Option<Use>) -> OutcomeBy,
) -> Vec<(Option<Use>, OutcomeBy)> {
    let things: Vec<Option<Use>> = match directive.says {
        Says::Deny(uses) | Says::Allow(uses) => uses.iter().map(Some).collect(),
        _ => vec![None],
    };
    things
        .into_iter()
        .map(|usage| (usage, fate(usage)))
        .collect()
}

/// The directive of the first span that overlaps a range.
fn first_overlap(spans: &Spans, range: &Range<u64>) -> Option<DirectiveId> {
    let first = spans.partition_point(|(span, _)| span.start < range.start);
    let before = first
        .checked_sub(1)
        .map(|at| &spans[at])
        .filter(|(span, _)| span.end > range.start);
    let met = before
        .or_else(|| spans.get(first))
        .filter(|(span, _)| span.start < range.end);
    met.map(|(_, id)| *id)
}

/// The span that contains a place. The spans must not overlap.
fn span_at(spans: &Spans, place: u64) -> Option<&(Range<u64>, DirectiveId)> {
    let behind = spans.partition_point(|(span, _)| span.start <= place);
    behind
        .checked_sub(1)
        .map(|at| &spans[at])
        .filter(|(span, _)| span.end > place)
}
