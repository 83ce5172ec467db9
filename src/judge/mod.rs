//! The third stage of the walk: from the place of a token to the uses that are withheld.
//!
//! This stage knows the statements of marked elements. It adds them to the verdict of the regions
//! by `Marks::fold`, the only function that judges elements. A verdict is made once for each
//! [`TokenScope`], that is for each combination of regions and elements. A later token may change a
//! verdict: it may declare the name of a bot, or move content in the tree. Such verdicts are made
//! again at the end of the page, where they only become stricter.

mod basis;
mod late;
mod state;
mod tree_changes;

use crate::ledger::{Ledger, Lift, VerdictId};
use crate::locate::{Locator, TokenScope, Transition};
use crate::policy::{Use, Verdict};
use crate::scope::{Follow, Profile, Trace};
use crate::tree::{MarkId, MarkIds};
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};

pub(crate) use basis::VerdictBasis;
use basis::deny_node;
pub(crate) use state::Judge;

impl Judge {
    /// Returns the bots for which a phrase ends between two tokens. A phrase is a run of text that
    /// may be indexed. `transition` has the elements that begin or end between these tokens. A
    /// phrase ends at an element that the bot may not index. A phrase also ends at an element that
    /// allows indexing, if the elements around it deny indexing. Both are true even of an empty
    /// element.
    pub(crate) fn phrase_breaks(&mut self, transition: &Transition, profile: &Profile) -> BotSet {
        if transition.is_none() {
            return BotSet::NONE;
        }
        let mut changed = transition.begun.iter().chain(&transition.ended);
        let mut breaks = BotSet::NONE;
        for mark in changed.clone() {
            breaks = breaks.or(self.element_breaks(*mark, profile));
        }
        if !changed.any(|mark| self.marks.has_allowance(*mark)) {
            return breaks;
        }
        // Between two elements that are inclusive, or allow again, lies a part that is denied, even
        // if it is empty.
        let around = transition
            .around
            .iter()
            .chain(&self.page_wide.root)
            .chain(&self.page_wide.outside)
            .copied();
        let mut verdict = Verdict::default();
        self.marks
            .fold(&around.collect::<MarkIds>(), profile, &mut verdict);
        breaks.or(verdict.denied(Use::Index))
    }

    /// Returns the bots to which the element with the mark (ID) `mark` denies indexing. For these
    /// bots, a phrase (a run of text that may be indexed) ends at the element's start and end.
    fn element_breaks(&mut self, mark: MarkId, profile: &Profile) -> BotSet {
        *self
            .known
            .breaks
            .entry(mark)
            .or_insert_with(|| self.marks.breaks(mark, profile))
    }

    /// Returns the ID of the last token's verdict if that token had the same scope. A scope has the
    /// regions and elements around a token. Returns `None` if the last scope was another, or if no
    /// verdict can be reused.
    pub(crate) fn known_verdict(&self, scope: TokenScope) -> Option<VerdictId> {
        match self.known.last {
            Some((last, id)) if last == scope => Some(id),
            _ => None,
        }
    }

    /// Returns the ID of a token's verdict. If the verdict may still become stricter, records its
    /// basis: the data from which the verdict was made.
    pub(crate) fn verdict(
        &mut self,
        VerdictBasis { scope, node }: VerdictBasis,
        profile: &Profile,
        locator: &Locator,
        ledger: &mut Ledger,
    ) -> Result<VerdictId> {
        let (id, follow) = self.scope_verdict(scope, profile, locator, ledger)?;
        if node.is_empty() {
            self.known.last = Some((scope, id));
            return Ok(id);
        }
        let mut verdict = ledger.verdict(id).clone();
        let lifts = deny_node(&node, &follow, &mut verdict, ledger);
        let id = ledger.add_verdict(verdict);
        self.keep_lifts(id, lifts);
        if !scope.chain.is_none() || scope.is_apart {
            self.keep_basis(id, VerdictBasis { scope, node })?;
        }
        Ok(id)
    }

    fn scope_verdict(
        &mut self,
        scope: TokenScope,
        profile: &Profile,
        locator: &Locator,
        ledger: &mut Ledger,
    ) -> Result<(VerdictId, Follow)> {
        if scope.chain.is_none() && !scope.is_apart {
            return Ok((scope.regions, Follow::default()));
        }
        if let Some(known) = self.known.placed.get(&scope) {
            return Ok(known.clone());
        }
        let (verdict, trace) = self.fold(scope, profile, locator, ledger);
        let id = ledger.add_verdict(verdict);
        self.keep_lifts(id, trace.lifts);
        self.known.placed.insert(scope, (id, trace.follow.clone()));
        self.keep_basis(
            id,
            VerdictBasis {
                scope,
                node: Vec::new(),
            },
        )?;
        Ok((id, trace.follow))
    }

    fn keep_basis(&mut self, id: VerdictId, basis: VerdictBasis) -> Result<()> {
        let most = self.terms.limits.directives;
        if self.bases.len() as u64 > most {
            return Err(Error::limit("directives", most));
        }
        self.bases.push((id, basis));
        Ok(())
    }

    fn keep_lifts(&mut self, id: VerdictId, lifts: Vec<Lift>) {
        if let Some(kept) = &mut self.lifts {
            kept.extend(lifts.into_iter().map(|lift| (id, lift)));
        }
    }

    /// Returns the bots to which archiving an image is denied only by the image's own tag, which
    /// has the mark `mark`.
    pub(crate) fn denied_by_tag_alone(
        &self,
        mark: MarkId,
        (scope, id): (TokenScope, VerdictId),
        profile: &Profile,
        locator: &Locator,
        ledger: &Ledger,
    ) -> BotSet {
        let mut around = ledger.verdict(scope.regions).clone();
        let mut marks = self.marks_around(scope, locator);
        marks.retain(|other| *other != mark);
        self.marks.fold(&marks, profile, &mut around);
        ledger
            .verdict(id)
            .denied(Use::Archive)
            .without(around.denied(Use::Archive))
            .without(ledger.page_verdict().denied(Use::Archive))
    }

    /// Judges all statements of the regions and elements in `scope`. Returns the verdict and a
    /// [`Trace`]. The trace has the allowances to follow links, and the denials that allowances
    /// cancelled.
    fn fold(
        &self,
        scope: TokenScope,
        profile: &Profile,
        locator: &Locator,
        ledger: &Ledger,
    ) -> (Verdict, Trace) {
        let mut verdict = ledger.verdict(scope.regions).clone();
        let trace = self
            .marks
            .fold(&self.marks_around(scope, locator), profile, &mut verdict);
        (verdict, trace)
    }

    /// Returns the marks (IDs of elements with statements) of the elements in `scope`, innermost
    /// first. After them come the marks whose statements are about everything in the page.
    fn marks_around(&self, scope: TokenScope, locator: &Locator) -> MarkIds {
        let mut marks = locator.marks(scope.chain);
        marks.extend(self.page_wide.root.iter().copied());
        if !scope.is_apart {
            marks.extend(self.page_wide.outside.iter().copied());
        }
        marks
    }
}
