//! What allowances have lifted in a page, by the verdicts that hold at its end.
//!
//! Names that come late change whom classes mean: what went by before was judged, and lifted, by what was known then.

use std::collections::{BTreeMap, HashMap};

use crate::bot::BotSet;
use crate::policy::{DirectiveId, Facet, Says};
use crate::scope::{Allowances, Lift};

use super::elements::{Basis, Stand};
use super::{VerdictId, Walk};

/// What has been lifted before it was known who is who.
#[derive(Debug, Default)]
pub(super) struct Lifted {
    /// Somebody wants to know.
    pub(super) is_asked: bool,
    /// How many verdicts that rest on elements have been looked at.
    seen: usize,
    before: Vec<(VerdictId, Lift)>,
}

impl Walk {
    /// What is known of the profile may change now.
    pub(super) fn look_at_lifts(&mut self) {
        let bases = &self.elements.bases;
        let new = bases[self.lifted.seen..].iter().map(|(id, basis)| (*id, basis));
        let lifts = self.lifts_in(new);
        self.lifted.seen = bases.len();
        self.lifted.before.extend(lifts);
    }

    /// The denials that would hold somewhere but for an allowance, if nothing else denies the same there.
    pub(super) fn lifts(&self, bases: &HashMap<VerdictId, Basis>) -> Vec<Lift> {
        let now = self.lifts_in(bases.iter().map(|(id, basis)| (*id, basis)));
        let mut lifted = BTreeMap::new();
        for (id, lift) in self.lifted.before.iter().copied().chain(now) {
            let winners = self.verdicts[id as usize].winners().iter().filter(|winner| winner.facet == lift.facet);
            let bots = winners.fold(lift.bots, |bots, winner| bots.without(winner.bots));
            if !bots.is_empty() {
                let all = lifted.entry((lift.allowance, lift.denial, lift.facet)).or_insert(BotSet::NONE);
                *all = all.or(bots);
            }
        }
        let lift = |((allowance, denial, facet), bots)| Lift { allowance, denial, facet, bots };
        lifted.into_iter().map(lift).collect()
    }

    /// By what is known now, whatever else denies the same.
    fn lifts_in<'a>(&self, bases: impl Iterator<Item = (VerdictId, &'a Basis)>) -> Vec<(VerdictId, Lift)> {
        let marks = &self.elements.marks;
        if !self.lifted.is_asked || !marks.allow_anything() {
            return Vec::new();
        }
        let (mut known, mut lifts): (HashMap<Stand, Allowances>, _) = (HashMap::new(), Vec::new());
        for (id, basis) in bases {
            let allowances = known.entry(basis.stand).or_insert_with(|| {
                marks.allowances(&self.marks_round(basis.stand), &self.profile, self.terms.bots.all())
            });
            let of_node = self.lifts_of_node(basis, &allowances.follow);
            lifts.extend(allowances.lifts.iter().copied().chain(of_node).map(|lift| (id, lift)));
        }
        lifts
    }

    /// What is said of a node alone, and lifted by those who let follow.
    fn lifts_of_node(&self, basis: &Basis, follow: &[(DirectiveId, BotSet)]) -> Vec<Lift> {
        let mut lifts = Vec::new();
        for (denial, whom) in &basis.node {
            let said = &self.local[*denial as usize];
            let Says::Deny(facets) = said.says else { continue };
            for (allowance, allowed) in follow {
                let bots = said.bots.and(*allowed);
                let bots = bots.without(whom.left(bots, *allowed));
                let lift = |facet: Facet| Lift { allowance: *allowance, denial: *denial, facet, bots };
                lifts.extend(facets.iter().map(lift));
            }
        }
        lifts
    }
}
