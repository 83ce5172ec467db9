//! What a verdict rests on: where it stands, and what is said of the node alone.

use crate::convention::Recipients;
use crate::ledger::{Ledger, Lift};
use crate::locate::Situation;
use crate::policy::{Directive, DirectiveId, Says, Verdict};
use crate::scope::Follow;

/// The basis of a verdict: the place, and the directives about the node itself.
#[derive(Clone, Debug)]
pub(crate) struct VerdictBasis {
    pub(crate) stand: Situation,
    pub(crate) node: Vec<(DirectiveId, Recipients)>,
}

/// Adds directives about a node alone. Allowances to follow lift those that give way to them.
/// Returns what was lifted.
pub(super) fn deny_node(
    node: &[(DirectiveId, Recipients)],
    follow: &Follow,
    verdict: &mut Verdict,
    ledger: &Ledger,
) -> Vec<Lift> {
    let mut lifts = Vec::new();
    for (denial, whom) in node {
        let said = ledger.directive(*denial);
        let Says::Deny(uses) = said.says else {
            continue;
        };
        let bots = whom.remaining(said.bots, follow.bots());
        verdict.add(
            *denial,
            &Directive {
                bots,
                ..said.clone()
            },
        );
        for (allowance, allowed) in follow.iter() {
            let bots = said.bots.and(*allowed);
            let bots = bots.without(whom.remaining(bots, *allowed));
            let lift = |usage| Lift {
                allowance: *allowance,
                denial: *denial,
                usage,
                bots,
            };
            lifts.extend(uses.iter().filter(|_| !bots.is_empty()).map(lift));
        }
    }
    lifts
}
