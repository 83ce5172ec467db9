//! The basis of a verdict: the data from which the verdict of a token is made.

use crate::convention::Recipients;
use crate::ledger::{Ledger, Lift};
use crate::locate::TokenScope;
use crate::policy::{Directive, DirectiveId, StatementContent, Verdict};
use crate::scope::Follow;

/// The data from which the verdict of a token is made. They are the regions and elements around the
/// token, and the directives about the token alone.
#[derive(Clone, Debug)]
pub(crate) struct VerdictBasis {
    pub(crate) scope: TokenScope,
    pub(crate) node: Vec<(DirectiveId, Recipients)>,
}

/// Adds the denials in `node`, which are about a token alone, to the token's `verdict`. `follow`
/// has the directives of elements around the token that allow following links. These directives may
/// cancel some of the denials. Returns the cancelled denials.
pub(super) fn deny_node(
    node: &[(DirectiveId, Recipients)],
    follow: &Follow,
    verdict: &mut Verdict,
    ledger: &Ledger,
) -> Vec<Lift> {
    let mut lifts = Vec::new();
    for (denial, recipients) in node {
        let directive = ledger.directive(*denial);
        let StatementContent::Deny(uses) = directive.says else {
            continue;
        };
        let bots = recipients.remaining(directive.bots, follow.bots());
        verdict.add(
            *denial,
            &Directive {
                bots,
                ..directive.clone()
            },
        );
        for (allowance, allowed) in follow.iter() {
            let bots = directive.bots.and(*allowed);
            let bots = bots.without(recipients.remaining(bots, *allowed));
            if bots.is_empty() {
                continue;
            }
            for usage in uses.iter() {
                lifts.push(Lift {
                    allowance: *allowance,
                    denial: *denial,
                    usage,
                    bots,
                });
            }
        }
    }
    lifts
}
