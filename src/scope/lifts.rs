//! What allowances have lifted: denials of their dialect that would hold at a place without them.
//!
//! For people who ask why; nothing is judged by it. It goes through the elements round a place as [`Marks::fold`] does,
//! but past the statement that decides, to what would decide in its stead.

use crate::bot::BotSet;
use crate::policy::{DirectiveId, Facet};

use super::{Mark, Marks, Profile, Statement};

/// A denial that does not hold for some bots, because of an allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lift {
    pub(crate) allowance: DirectiveId,
    pub(crate) denial: DirectiveId,
    pub(crate) facet: Facet,
    pub(crate) bots: BotSet,
}

/// What elements allow at a place.
#[derive(Debug, Default)]
pub(crate) struct Allowances {
    pub(crate) lifts: Vec<Lift>,
    /// Who lets whom follow.
    pub(crate) follow: Vec<(DirectiveId, BotSet)>,
}

/// How far a dialect has come on a facet, from the innermost element outwards.
struct Course {
    dialect: &'static str,
    facet: Facet,
    /// The bots for which nothing has been said yet.
    undecided: BotSet,
    /// The bots that are allowed, each by the outermost that allows it: one inside it says nothing new.
    allowed: Vec<(DirectiveId, BotSet)>,
}

impl Marks {
    /// Whether an element allows anything at all.
    pub(crate) fn allow_anything(&self) -> bool {
        self.all().any(|statement| !statement.is_denial())
    }

    /// What the elements round a place, innermost first, allow there, and what that lifts.
    pub(crate) fn allowances(&self, marks: &[Mark], profile: &Profile, all: BotSet) -> Allowances {
        let (mut courses, mut found): (Vec<Course>, Allowances) = (Vec::new(), Allowances::default());
        for mark in marks {
            for statement in self.by_rank(*mark) {
                let bots = profile.bots(statement.whom, statement.is_denial());
                for facet in statement.facets().iter() {
                    let is_it = |course: &Course| (course.dialect, course.facet) == (statement.dialect, facet);
                    let at = courses.iter().position(is_it).unwrap_or_else(|| {
                        let (dialect, allowed) = (statement.dialect, Vec::new());
                        courses.push(Course { dialect, facet, undecided: all, allowed });
                        courses.len() - 1
                    });
                    match statement.is_denial() {
                        true => courses[at].deny(statement.directive, bots, &mut found),
                        false => courses[at].allow(statement.directive, bots),
                    }
                }
            }
        }
        let following = courses.into_iter().filter(|course| course.facet == Facet::Follow);
        found.follow.extend(following.flat_map(|course| course.allowed));
        found
    }

    /// What an element says, in the order in which it counts; without allowances that are void.
    fn by_rank(&self, mark: Mark) -> impl Iterator<Item = &Statement> {
        let is_void = self.void.contains(&mark);
        let ranks = [(true, true), (true, false), (false, true), (false, false)];
        ranks.into_iter().filter(move |(_, denies)| *denies || !is_void).flat_map(move |rank| {
            self.of(mark).filter(move |statement| (statement.is_of_one_bot(), statement.is_denial()) == rank)
        })
    }
}

impl Course {
    fn allow(&mut self, directive: DirectiveId, bots: BotSet) {
        let mut taken = bots.and(self.undecided);
        for (_, before) in &mut self.allowed {
            taken = taken.or(before.and(bots));
            *before = before.without(bots);
        }
        self.undecided = self.undecided.without(bots);
        self.allowed.push((directive, taken));
        self.allowed.retain(|(_, bots)| !bots.is_empty());
    }

    fn deny(&mut self, denial: DirectiveId, bots: BotSet, found: &mut Allowances) {
        for (allowance, allowed) in &mut self.allowed {
            let lifted = allowed.and(bots);
            *allowed = allowed.without(bots);
            if !lifted.is_empty() {
                found.lifts.push(Lift { allowance: *allowance, denial, facet: self.facet, bots: lifted });
                if self.facet == Facet::Follow {
                    found.follow.push((*allowance, lifted));
                }
            }
        }
        self.undecided = self.undecided.without(bots);
        self.allowed.retain(|(_, bots)| !bots.is_empty());
    }
}
