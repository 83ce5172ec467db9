//! The outcome of each directive for one bot: obeyed, overruled (and by which one), or idle.
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

/// The outcome of a directive on one use, or of a limit.
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

    /// The outcome of the directive on this use.
    pub fn outcome(&self) -> DirectiveOutcome {
        self.outcome
    }

    /// The index in [`Explanation::directives`](super::Explanation::directives) of the directive
    /// that overruled it.
    pub fn overruled_by(&self) -> Option<usize> {
        self.overruled_by
    }
}

/// The possible outcomes of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectiveOutcome {
    /// It decides, at least somewhere.
    Obeyed,
    /// Another directive decides wherever it reaches.
    Overruled,
    /// It has no effect. It reaches nothing, allows what no directive denies, or its allowance is
    /// void.
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
        for (id, directive) in outcome.numbered_ceiling() {
            if !directive.bots.contains(bot) {
                continue;
            }
            if directive.extent == Extent::Site {
                whole.gate.get_or_insert(id);
            }
            if let Says::Deny(uses) = directive.says {
                for usage in uses.iter() {
                    whole.first_denials[usage as usize].get_or_insert(id);
                }
            }
            if let Some((kind, true)) = limit_kind(directive.says, policy) {
                whole.limits[kind].get_or_insert(id);
            }
        }
        whole.denials = whole.first_denials;
        for usage in Use::ALL {
            let denial = &mut whole.denials[usage as usize];
            if denial.is_none() {
                *denial = derived_denial(outcome, policy, usage);
            }
        }
        whole
    }
}

/// The directive about the whole page from which the denial of a use follows.
fn derived_denial(outcome: &PageEnd, policy: &Policy, usage: Use) -> Option<DirectiveId> {
    if policy.allows(usage) {
        return None;
    }
    let id = policy.why_id(usage)?;
    let is_about_page = outcome.directive(id)?.extent.is_ceiling();
    is_about_page.then_some(id)
}

type OutcomeBy = (DirectiveOutcome, Option<DirectiveId>);

impl<'a> BotEffects<'a> {
    pub(super) fn new(page: &'a Page, order: &'a Order) -> Self {
        let outcome = page.outcome();
        let bot = page.bot_id();
        let mut denied = <[Spans; Use::COUNT]>::default();
        let mut lifts = BotLifts::default();
        for withheld in page.withheld() {
            let usage = withheld.winner.usage;
            let directive = withheld.winner.directive;
            denied[usage as usize].push((withheld.start..withheld.end, directive));
            lifts.decisive.insert((directive, usage));
        }
        for lift in &outcome.lifts {
            if !lift.bots.contains(bot) {
                continue;
            }
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

    /// The outcome of a directive on each of its uses. Empty if the directive is not for the bot.
    pub(super) fn effects(&self, id: DirectiveId, directive: &Directive) -> Vec<Effect> {
        // It may have been for the bot until its number had a name.
        if !directive.bots.contains(self.bot) && !self.lifts.bound.contains(&id) {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for usage in uses(directive) {
            let (outcome, by) = if directive.extent.is_ceiling() {
                self.page_outcome(id, directive, usage)
            } else {
                self.part_outcome(id, directive, usage)
            };
            effects.push(Effect {
                usage,
                outcome,
                overruled_by: by.map(|by| self.order.index(by)),
            });
        }
        effects
    }

    /// The outcome of a directive about the whole page on one use.
    fn page_outcome(
        &self,
        id: DirectiveId,
        directive: &Directive,
        usage: Option<Use>,
    ) -> OutcomeBy {
        if let Some(gate) = self.whole.gate
            && gate != id
        {
            return (DirectiveOutcome::Overruled, Some(gate));
        }
        match (directive.says, usage) {
            (Says::Deny(_), Some(usage)) => match self.whole.first_denials[usage as usize] {
                Some(first) if first != id => (DirectiveOutcome::Overruled, Some(first)),
                _ => (DirectiveOutcome::Obeyed, None),
            },
            (Says::Allow(_), Some(usage)) => match self.whole.first_denials[usage as usize] {
                Some(first) => (DirectiveOutcome::Overruled, Some(first)),
                None => (DirectiveOutcome::Idle, None),
            },
            (says, _) => {
                let kind = limit_kind(says, self.policy);
                match kind.and_then(|(kind, _)| self.whole.limits[kind]) {
                    Some(strictest) if strictest != id => {
                        (DirectiveOutcome::Overruled, Some(strictest))
                    }
                    _ => (DirectiveOutcome::Obeyed, None),
                }
            }
        }
    }

    /// The outcome of a directive about a part of the page on one use.
    fn part_outcome(
        &self,
        id: DirectiveId,
        directive: &Directive,
        usage: Option<Use>,
    ) -> OutcomeBy {
        if !self.policy.entered() {
            return (DirectiveOutcome::Overruled, self.whole.gate);
        }
        let Some(usage) = usage else {
            return (DirectiveOutcome::Idle, None);
        };
        if matches!(directive.says, Says::Deny(_)) {
            self.denial_outcome(id, usage)
        } else {
            self.allowance_outcome(id, usage)
        }
    }

    fn denial_outcome(&self, id: DirectiveId, usage: Use) -> OutcomeBy {
        if let Some(whole) = self.whole.denials[usage as usize] {
            return (DirectiveOutcome::Overruled, Some(whole));
        }
        if self.lifts.decisive.contains(&(id, usage)) {
            return (DirectiveOutcome::Obeyed, None);
        }
        if let Some(allowance) = self.lifts.lifted.get(&(id, usage)) {
            return (DirectiveOutcome::Overruled, Some(*allowance));
        }
        match first_overlap(&self.denied[usage as usize], &self.reach(id)) {
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
        match span_at(&self.denied[usage as usize], reach.start) {
            Some((span, other)) if span.end >= reach.end && !reach.is_empty() => {
                (DirectiveOutcome::Overruled, Some(*other))
            }
            _ => (DirectiveOutcome::Idle, None),
        }
    }

    fn reach(&self, id: DirectiveId) -> Range<u64> {
        self.outcome.reach(id).unwrap_or_default()
    }
}

/// The uses that a directive denies or allows, or one `None` for a limit.
fn uses(directive: &Directive) -> Vec<Option<Use>> {
    match directive.says {
        Says::Deny(uses) | Says::Allow(uses) => uses.iter().map(Some).collect(),
        _ => vec![None],
    }
}

/// The directive of the first span that overlaps a range.
fn first_overlap(spans: &Spans, range: &Range<u64>) -> Option<DirectiveId> {
    let first = spans.partition_point(|(span, _)| span.start < range.start);
    let before = &spans[..first];
    let (span, id) = match before.last() {
        Some(last) if last.0.end > range.start => last,
        _ => spans.get(first)?,
    };
    (span.start < range.end).then_some(*id)
}

/// The span that contains a place. The spans must not overlap.
fn span_at(spans: &Spans, place: u64) -> Option<&(Range<u64>, DirectiveId)> {
    let next = spans.partition_point(|(span, _)| span.start <= place);
    let last = spans[..next].last()?;
    (last.0.end > place).then_some(last)
}
