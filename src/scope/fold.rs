//! Judges the elements around a place of a page: finds the denials that apply at this place, and
//! the allowances to follow links. Elements are judged only here.
//!
//! The judgement over elements is made for each convention and each use, from the innermost element
//! outwards. The first element with a statement decides, for the bots that the statement addresses.
//! If an allowance of an inner element overrides a denial, the trace records the denial as lifted.

use smallvec::SmallVec;

use crate::ledger::Lift;
use crate::policy::{DirectiveId, Use, Verdict};
use crate::tree::MarkId;
use heedful_base::bot::BotSet;

use super::marks::{ConventionStatements, Marks};
use super::names::Profile;

/// Allowances to follow links, each with the bots that it addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct Follow(SmallVec<[(DirectiveId, BotSet); 1]>);

impl Follow {
    /// Returns all bots with an allowance to follow links.
    #[doc(hidden)]
    pub fn bots(&self) -> BotSet {
        let mut all = BotSet::NONE;
        for (_, bots) in &self.0 {
            all = all.or(*bots);
        }
        all
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(DirectiveId, BotSet)> {
        self.0.iter()
    }
}

/// Further results of a judgement, beyond its verdict: allowances to follow links, and denials that
/// allowances cancelled.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Trace {
    pub follow: Follow,
    pub(crate) lifts: Vec<Lift>,
}

/// State of the decision about one use at a place in the page, by the statements of one convention.
/// Each other convention with statements about the use has its own state. The elements around the
/// place are read one after the other, innermost first.
struct UseDecision {
    convention: &'static str,
    usage: Use,
    /// Bots that no element has addressed yet.
    undecided: BotSet,
    /// Allowances of the elements read so far, each with its bots. If several allowances address
    /// the same bot, only the allowance of the outermost element has this bot.
    allowed: SmallVec<[(DirectiveId, BotSet); 1]>,
}

impl Marks {
    /// Adds the denials of the elements around a place to `verdict`. `marks` are the marks of these
    /// elements, innermost first. Returns the allowances to follow links, and the denials that
    /// allowances cancelled.
    #[doc(hidden)]
    pub fn fold(&self, marks: &[MarkId], profile: &Profile, verdict: &mut Verdict) -> Trace {
        let mut decisions: SmallVec<[UseDecision; 4]> = SmallVec::new();
        let mut trace = Trace::default();
        for mark in marks {
            let is_void = self.void.contains(mark);
            for statements in self.by_convention(*mark) {
                for usage in statements.uses.iter() {
                    let convention = statements.convention;
                    let is_same = |decision: &UseDecision| {
                        decision.usage == usage && decision.convention == convention
                    };
                    let known = decisions.iter().position(is_same);
                    let at = known.unwrap_or(decisions.len());
                    if at == decisions.len() {
                        decisions.push(UseDecision::new(convention, usage, profile.all()));
                    }
                    if !decisions[at].is_final() {
                        decisions[at].decide(statements, is_void, profile, verdict, &mut trace);
                    }
                }
            }
        }
        for decision in decisions {
            if decision.usage == Use::Follow {
                trace.follow.0.extend(decision.allowed);
            }
        }
        trace
    }

    /// Returns the bots to which the element with the mark (ID) `mark` denies indexing. For these
    /// bots, a phrase (a run of text that may be indexed) ends at the element's start and end.
    pub(crate) fn breaks(&self, mark: MarkId, profile: &Profile) -> BotSet {
        let mut verdict = Verdict::default();
        self.fold(&[mark], profile, &mut verdict);
        verdict.denied(Use::Index)
    }
}

impl UseDecision {
    fn new(convention: &'static str, usage: Use, all: BotSet) -> Self {
        Self {
            convention,
            usage,
            undecided: all,
            allowed: SmallVec::new(),
        }
    }

    /// True if no statement of an outer element can change the decision about this use.
    fn is_final(&self) -> bool {
        self.undecided.is_empty() && self.allowed.is_empty()
    }

    /// Applies the statements of one element about this use. A statement for one bot takes
    /// precedence over one for all bots. If a denial and an allowance have the same precedence, the
    /// denial is obeyed.
    fn decide(
        &mut self,
        element: &ConventionStatements,
        is_void: bool,
        profile: &Profile,
        verdict: &mut Verdict,
        trace: &mut Trace,
    ) {
        for (of_one_bot, denies) in [(true, true), (true, false), (false, true), (false, false)] {
            if is_void && !denies {
                continue;
            }
            for statement in &element.statements {
                let is_next = statement.is_of_one_bot() == of_one_bot
                    && statement.is_denial() == denies
                    && statement.uses().contains(self.usage);
                if !is_next {
                    continue;
                }
                let bots = profile.bots(statement.recipients, denies);
                if denies {
                    verdict.deny(statement.directive, self.usage, bots.and(self.undecided));
                    self.deny(statement.directive, bots, trace);
                } else {
                    self.allow(statement.directive, bots);
                }
                self.undecided = self.undecided.without(bots);
                self.allowed.retain(|(_, bots)| !bots.is_empty());
            }
        }
    }

    fn allow(&mut self, directive: DirectiveId, bots: BotSet) {
        let mut taken = bots.and(self.undecided);
        for (_, before) in &mut self.allowed {
            taken = taken.or(before.and(bots));
            *before = before.without(bots);
        }
        self.allowed.push((directive, taken));
    }

    /// Records in `trace` the allowances that cancel the denial `denial`. An allowance that was
    /// read before a denial cancels the denial for the bots that both directives address. These
    /// bots are then removed from the allowance, because no later statement can change the decision
    /// for these bots.
    fn deny(&mut self, denial: DirectiveId, bots: BotSet, trace: &mut Trace) {
        for (allowance, allowed) in &mut self.allowed {
            let lifted = allowed.and(bots);
            *allowed = allowed.without(bots);
            if !lifted.is_empty() {
                trace.lifts.push(Lift {
                    allowance: *allowance,
                    denial,
                    usage: self.usage,
                    bots: lifted,
                });
                if self.usage == Use::Follow {
                    trace.follow.0.push((*allowance, lifted));
                }
            }
        }
    }
}
