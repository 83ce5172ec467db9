//! Judges verdicts again at the end of the page. Names of bots that the page declared after content
//! was judged now count, and allowances that became void do not. Verdicts only become stricter:
//! content that was withheld when its token passed stays withheld.

use std::collections::{BTreeMap, HashMap};

use crate::ledger::{Ledger, Lift, VerdictId};
use crate::locate::{Locator, TokenScope, Transition};
use crate::policy::{Directive, Extent, Verdict};
use crate::scope::{Profile, Trace};
use crate::tree::{ChainId, MarkId};
use heedful_base::bot::BotSet;
use heedful_base::error::Result;

use super::basis::{VerdictBasis, deny_node};
use super::state::Judge;

/// The basis of each verdict that may become stricter, by the verdict's ID. The basis is the data
/// from which a verdict is made.
type Bases = BTreeMap<VerdictId, VerdictBasis>;

impl Judge {
    /// Ends the page. Adds to the verdicts all denials that became known late, and completes the
    /// reach of directives. Returns the denials that allowances have cancelled, if
    /// [`Judge::record_lifts`] was called.
    pub(crate) fn end(
        mut self,
        profile: &Profile,
        locator: &mut Locator,
        ledger: &mut Ledger,
    ) -> Result<Vec<Lift>> {
        self.deny_late(profile, ledger)?;
        if self.known.is_stale || locator.inclusive_denial().is_some() {
            let bases = self.all_bases(ledger);
            self.fold_again(&bases, profile, locator, ledger);
            deny_before(&bases, locator, ledger);
        }
        ledger.bind_winners();
        let lifts = self.lifted(ledger);
        self.end_reach(&locator.move_to(ChainId::default()), ledger);
        Ok(lifts)
    }

    /// Records the denials in `PageWideMarks::late_statements` again, as directives about the
    /// whole page.
    fn deny_late(&mut self, profile: &Profile, ledger: &mut Ledger) -> Result<()> {
        for statement in std::mem::take(&mut self.page_wide.late_statements) {
            if !statement.is_denial() {
                continue;
            }
            let bots = profile.bots(statement.recipients, true);
            let directive = ledger.directive(statement.directive).clone();
            ledger.add_directive(Directive {
                bots,
                extent: Extent::Page,
                ..directive
            })?;
        }
        Ok(())
    }

    /// Judges each verdict in `bases` again, and adds the denials that are new to this verdict.
    fn fold_again(
        &mut self,
        bases: &Bases,
        profile: &Profile,
        locator: &Locator,
        ledger: &mut Ledger,
    ) {
        for statement in self.marks.all() {
            ledger.set_bots(
                statement.directive,
                profile.bots(statement.recipients, statement.is_denial()),
            );
        }
        // Drops lifts by an allowance that became void.
        if let Some(lifts) = &mut self.lifts {
            let void = self.marks.void();
            lifts.retain(|(_, lift)| !void.contains(&lift.allowance));
        }
        // All verdicts are made before the first is changed, since a verdict of regions is the
        // basis of others.
        let mut folded: HashMap<TokenScope, (Verdict, Trace)> = HashMap::new();
        let mut late = Vec::new();
        for (id, VerdictBasis { scope, node }) in bases {
            let (place, trace) = folded
                .entry(*scope)
                .or_insert_with(|| self.fold(*scope, profile, locator, ledger));
            let mut verdict = place.clone();
            let mut lifts = deny_node(node, &trace.follow, &mut verdict, ledger);
            if self.lifts.is_some() {
                lifts.extend_from_slice(&trace.lifts);
                self.keep_lifts(*id, lifts);
            }
            late.push((*id, verdict));
        }
        for (id, verdict) in late {
            for winner in verdict.winners() {
                ledger.tighten(id, winner.directive, winner.usage, winner.bots);
            }
        }
    }

    /// Returns the basis of each verdict that may become stricter. The basis is the data from which
    /// a verdict is made. Verdicts of tokens outside of all elements with directives usually cannot
    /// become stricter. If some directive is about everything in the page, the result includes
    /// these verdicts too.
    fn all_bases(&mut self, ledger: &Ledger) -> Bases {
        let mut bases: Bases = std::mem::take(&mut self.bases).into_iter().collect();
        if !self.page_wide.root.is_empty() || !self.page_wide.outside.is_empty() {
            for regions in ledger.verdicts() {
                let scope = TokenScope {
                    regions,
                    chain: ChainId::default(),
                    is_apart: false,
                };
                bases.entry(regions).or_insert(VerdictBasis {
                    scope,
                    node: Vec::new(),
                });
            }
        }
        bases
    }

    /// Returns the recorded lifts (denials that allowances cancel) that have an effect. A lift has
    /// no effect for a bot to which another directive denies the same use in the same place.
    fn lifted(&mut self, ledger: &Ledger) -> Vec<Lift> {
        let mut lifted = BTreeMap::new();
        for (id, lift) in self.lifts.take().unwrap_or_default() {
            let mut bots = lift.bots;
            for winner in ledger.verdict(id).winners() {
                if winner.usage == lift.usage {
                    bots = bots.without(winner.bots);
                }
            }
            if !bots.is_empty() {
                let all = lifted
                    .entry((lift.allowance, lift.denial, lift.usage))
                    .or_insert(BotSet::NONE);
                *all = all.or(bots);
            }
        }
        let lift = |((allowance, denial, usage), bots)| Lift {
            allowance,
            denial,
            usage,
            bots,
        };
        lifted.into_iter().map(lift).collect()
    }

    /// Ends the reach of open directives at the end of the page. A directive about everything in
    /// the page gets the whole page as its reach.
    fn end_reach(&self, transition: &Transition, ledger: &mut Ledger) {
        self.end_elements(transition, ledger);
        let length = ledger.length();
        let all = self
            .page_wide
            .root
            .iter()
            .chain(&self.page_wide.outside)
            .copied();
        for statement in all.flat_map(|mark: MarkId| self.marks.statements(mark)) {
            ledger.set_reach_before(statement.directive, length);
        }
    }
}

/// Denies all content before the first switch of the page, if this switch allows content. A
/// *switch* is a comment that allows or denies content up to the next switch. The title and the
/// META description are not denied.
fn deny_before(bases: &Bases, locator: &Locator, ledger: &mut Ledger) {
    let Some((directive, first)) = locator.inclusive_denial() else {
        return;
    };
    let is_apart = |id: VerdictId| bases.get(&id).is_some_and(|basis| basis.scope.is_apart);
    for id in ledger
        .verdicts()
        .take_while(|id| *id < first)
        .filter(|id| !is_apart(*id))
    {
        ledger.tighten_all(id, directive);
    }
}
