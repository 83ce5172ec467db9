//! The one judgement: which denials of the elements round a place hold there, and which bots they
//! allow to follow links.
//!
//! It is made for each convention and each use, from the innermost element outwards. The first
//! element with a statement decides, for the bots that the statement addresses. Whatever is passed
//! over leaves a trace: a denial that an allowance overrides was lifted by it.

use smallvec::SmallVec;

use crate::ledger::Lift;
use crate::policy::{DirectiveId, Use, Verdict};
use crate::tree::MarkId;
use heedful_base::bot::BotSet;

use super::marks::{ConventionStatements, MarkStatement, Marks};
use super::names::Profile;

/// The allowances to follow links, each with its bots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct Follow(SmallVec<[(DirectiveId, BotSet); 1]>);

impl Follow {
    /// All bots with such an allowance.
    #[doc(hidden)]
    pub fn bots(&self) -> BotSet {
        self.0
            .iter()
            .fold(BotSet::NONE, |set, (_, bots)| set.or(*bots))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(DirectiveId, BotSet)> {
        self.0.iter()
    }
}

/// The results of a fold besides its verdict.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Trace {
    pub follow: Follow,
    pub(crate) lifts: Vec<Lift>,
}

/// The state of one convention on one use, on the way from the innermost element outwards.
struct UseDecision {
    convention: &'static str,
    usage: Use,
    /// The bots that no element has addressed yet.
    undecided: BotSet,
    /// The allowed bots, each with the outermost allowance so far: one inside it adds nothing.
    allowed: SmallVec<[(DirectiveId, BotSet); 1]>,
}

impl Marks {
    /// Adds to a verdict the denials of the elements round a place, innermost first.
    #[doc(hidden)]
    pub fn fold(&self, marks: &[MarkId], profile: &Profile, verdict: &mut Verdict) -> Trace {
        let (mut courses, mut trace): (SmallVec<[UseDecision; 4]>, _) =
            (SmallVec::new(), Trace::default());
        for mark in marks {
            let is_void = self.void.contains(mark);
            for voice in self.by_convention(*mark) {
                for usage in voice.uses.iter() {
                    let is_it = |course: &UseDecision| {
                        course.usage == usage && course.convention == voice.convention
                    };
                    let at = courses.iter().position(is_it).unwrap_or_else(|| {
                        courses.push(UseDecision::new(voice.convention, usage, profile.all()));
                        courses.len() - 1
                    });
                    if !courses[at].is_final() {
                        courses[at].decide(voice, is_void, profile, verdict, &mut trace);
                    }
                }
            }
        }
        for course in courses
            .into_iter()
            .filter(|course| course.usage == Use::Follow)
        {
            trace.follow.0.extend(course.allowed);
        }
        trace
    }

    /// The bots for which a phrase ends where this element begins or ends.
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

    /// True if no statement further out can change anything.
    fn is_final(&self) -> bool {
        self.undecided.is_empty() && self.allowed.is_empty()
    }

    /// Lets one element decide. A statement for one bot takes precedence over one for all. If two
    /// are equal, the denial counts.
    fn decide(
        &mut self,
        voice: &ConventionStatements,
        is_void: bool,
        profile: &Profile,
        verdict: &mut Verdict,
        trace: &mut Trace,
    ) {
        for (of_one_bot, denies) in [(true, true), (true, false), (false, true), (false, false)] {
            let usage = self.usage;
            let is_next = |statement: &&MarkStatement| {
                (statement.is_of_one_bot(), statement.is_denial()) == (of_one_bot, denies)
                    && statement.uses().contains(usage)
            };
            for statement in voice
                .statements
                .iter()
                .filter(is_next)
                .filter(|_| denies || !is_void)
            {
                let bots = profile.bots(statement.whom, denies);
                if denies {
                    verdict.deny(statement.directive, usage, bots.and(self.undecided));
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

    /// Lifts a denial for the bots that an element inside allows.
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
