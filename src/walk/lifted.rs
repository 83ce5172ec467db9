//! What allowances have lifted in a page, by the verdicts that hold at its end.

use std::collections::{BTreeMap, HashMap};

use crate::bot::BotSet;
use crate::policy::{DirectiveId, Facet, Says};
use crate::scope::Lift;

use super::elements::Basis;
use super::{VerdictId, Walk};

impl Walk {
    /// The denials that would hold somewhere but for an allowance, if nothing else denies the same there.
    pub(super) fn lifted(&self, bases: &HashMap<VerdictId, Basis>) -> Vec<Lift> {
        let marks = &self.elements.marks;
        if !self.asks_why || !marks.allow_anything() {
            return Vec::new();
        }
        let (mut known, mut lifted) = (HashMap::new(), BTreeMap::new());
        for (id, basis) in bases {
            let allowances = known.entry(basis.stand).or_insert_with(|| {
                marks.allowances(&self.marks_round(basis.stand), &self.profile, self.terms.bots.all())
            });
            for lift in allowances.lifts.iter().copied().chain(self.lifted_of_node(basis, &allowances.follow)) {
                let winners = self.verdicts[*id as usize].winners().iter().filter(|winner| winner.facet == lift.facet);
                let bots = winners.fold(lift.bots, |bots, winner| bots.without(winner.bots));
                if !bots.is_empty() {
                    let all = lifted.entry((lift.allowance, lift.denial, lift.facet)).or_insert(BotSet::NONE);
                    *all = all.or(bots);
                }
            }
        }
        let lift = |((allowance, denial, facet), bots)| Lift { allowance, denial, facet, bots };
        lifted.into_iter().map(lift).collect()
    }

    /// What is said of a node alone, and lifted by those who let follow.
    fn lifted_of_node(&self, basis: &Basis, follow: &[(DirectiveId, BotSet)]) -> Vec<Lift> {
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
