//! Tracks the open regions, in source order (docs/semantics.md, section 3).
//!
//! Regions of one kind are counted: the closing mark of an inner region never ends the outer one. A
//! *switch* is a mark that allows or denies content up to the next switch. Switches are not
//! counted. If the first switch allows content, all content before it is denied at the end of the
//! page.

use smallvec::{SmallVec, smallvec};

use crate::convention::comment::{RegionKind, RegionMark};
use crate::extract::{OpenedRegion, quote_mark};
use crate::ledger::{Ledger, VerdictId};
use crate::lex::Token;
use crate::note::NoteKind;
use crate::place::Place;
use crate::policy::{DirectiveId, Extent, Origin, StatementContent, Use, Uses, Verdict};
use crate::scope::PassTerms;
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};

/// The token of a region mark, with the settings of the pass and the ledger that records
/// directives.
pub(super) struct MarkContext<'a> {
    pub(super) token: &'a Token<'a>,
    pub(super) terms: &'a PassTerms,
    pub(super) ledger: &'a mut Ledger,
}

impl MarkContext<'_> {
    /// Records the denial that a region mark states.
    fn deny(
        &mut self,
        denies: Uses,
        extent: Extent,
        convention: &'static str,
    ) -> Result<DirectiveId> {
        let text = quote_mark(self.token, convention, &self.terms.conventions);
        self.ledger.deny(
            denies,
            extent,
            convention,
            Origin::Page(self.token.place()),
            text,
        )
    }

    fn note(&mut self, kind: NoteKind, convention: &'static str, message: String) {
        self.ledger
            .note_for_all(kind, Some(convention), Some(self.token.place()), message);
    }

    /// Returns the bots to which the directive denies indexing. For these bots, a phrase (a run of
    /// text that may be indexed) ends at the start and end of the directive's region.
    fn phrase_breaks(&self, id: DirectiveId) -> BotSet {
        let directive = self.ledger.directive(id);
        match directive.says {
            StatementContent::Deny(uses) if uses.contains(Use::Index) => directive.bots,
            _ => BotSet::NONE,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct OpenRegion {
    kind: RegionKind,
    directive: DirectiveId,
    place: Place,
    /// ID of the verdict that applied before this region was opened. `None` if this verdict must
    /// not be used again, for example because an outer region was closed since then.
    before: Option<VerdictId>,
    /// True if the region lasts until a mark switches it off. If such a region is open at the end
    /// of the page, no note is added.
    is_switch: bool,
}

#[derive(Debug, Default)]
pub(super) struct Regions {
    open: Vec<OpenRegion>,
    /// Number of open regions of each kind. A closing mark searches `open` only if this number is
    /// not 0.
    counts: Vec<(RegionKind, usize)>,
    /// True if the page had a switch (a mark that allows or denies content up to the next switch).
    switched: bool,
    /// Denial of all content before the page's first switch (a mark that allows or denies content
    /// up to the next switch). The pair has the directive of the denial, and the ID of the first
    /// verdict after the switch. Content before the switch has verdicts with lower IDs, to which
    /// the denial is added at the end of the page. `None` if the page has no switch so far, or if
    /// the first switch denies content.
    denied_before: Option<(DirectiveId, VerdictId)>,
    /// ID of the verdict outside of all regions.
    outside: VerdictId,
    /// ID of the verdict of all open regions together.
    verdict: VerdictId,
}

impl Regions {
    /// Opens or closes regions as a region mark states. Returns the bots for which a part that may
    /// not be indexed begins or ends at the mark. For these bots, a phrase (a run of text that may
    /// be indexed) ends there.
    pub(super) fn apply(
        &mut self,
        mark: RegionMark,
        context: &mut MarkContext<'_>,
    ) -> Result<BotSet> {
        match mark {
            RegionMark::Open {
                kind,
                denies,
                unknown,
            } => {
                self.note_open(kind, &unknown, context);
                if let Some(rule) = kind.own_rule() {
                    context.terms.own_rule_hits.set(rule);
                }
                self.open(kind, denies, false, context)
            }
            RegionMark::Close { ref groups, alone } => {
                let breaks = self.close_groups(groups, alone, context);
                if breaks.is_none() {
                    note_stray_close(mark.convention(), context);
                }
                Ok(breaks.unwrap_or(BotSet::NONE))
            }
            RegionMark::Switch {
                kind,
                denies,
                allows,
            } => self.switch(kind, denies, allows, context),
            RegionMark::Section {
                kind,
                denies,
                begins,
            } => {
                let ended = self.close(&[kind], context).unwrap_or(BotSet::NONE);
                let begun = if begins {
                    self.open(kind, denies, true, context)?
                } else {
                    BotSet::NONE
                };
                Ok(ended.or(begun))
            }
            RegionMark::Page { kind, denies } => {
                context.deny(denies, Extent::Page, kind.convention)?;
                Ok(BotSet::NONE)
            }
        }
    }

    /// Returns the ID of the verdict of all open regions together.
    pub(super) fn verdict(&self) -> VerdictId {
        self.verdict
    }

    /// Returns the innermost open region if its opening mark is at `place`, else `None`.
    pub(super) fn opened_at(&self, place: Place) -> OpenedRegion {
        let last = self.open.last()?;
        (last.place == place).then_some((last.kind.convention, last.directive))
    }

    fn open(
        &mut self,
        kind: RegionKind,
        denies: Uses,
        is_switch: bool,
        context: &mut MarkContext<'_>,
    ) -> Result<BotSet> {
        let most = context.terms.limits.regions;
        if self.open.len() as u64 >= most {
            return Err(Error::limit("regions", most));
        }
        let directive = context.deny(denies, Extent::Region, kind.convention)?;
        *self.count(kind) += 1;
        self.open.push(OpenRegion {
            kind,
            directive,
            place: context.token.place(),
            before: Some(self.verdict),
            is_switch,
        });
        context.ledger.open(directive, context.token.end());
        if !denies.is_empty() {
            let verdict = context
                .ledger
                .extend_verdict(self.verdict, std::iter::once(directive));
            self.verdict = context.ledger.add_verdict(verdict);
        }
        Ok(context.phrase_breaks(directive))
    }

    /// Adds a note for each unknown word of an opening region mark. Adds another note if a region
    /// of the same kind is already open.
    fn note_open(&self, kind: RegionKind, unknown: &[String], context: &mut MarkContext<'_>) {
        let convention = kind.convention;
        for word in unknown {
            let message = format!("`{word}` is no known {convention} directive");
            context.note(NoteKind::UnknownToken, convention, message);
        }
        if self.has(kind) {
            let message =
                format!("a region of {convention} is open here: each needs its own close");
            context.note(NoteKind::OpenedTwice, convention, message);
        }
    }

    /// If a region of the kind `alone` is open, closes only the innermost region of this kind.
    /// Otherwise closes, for each group in `groups`, the innermost region of one of the group's
    /// kinds. Returns the bots to which the closed regions denied indexing, or `None` if nothing
    /// was closed.
    fn close_groups(
        &mut self,
        groups: &[Vec<RegionKind>],
        alone: Option<RegionKind>,
        context: &mut MarkContext<'_>,
    ) -> Option<BotSet> {
        if let Some(kind) = alone
            && self.has(kind)
        {
            return self.close(&[kind], context);
        }
        let mut breaks = None;
        for kinds in groups {
            if let Some(closed) = self.close(kinds, context) {
                breaks = Some(closed.or(breaks.unwrap_or(BotSet::NONE)));
            }
        }
        breaks
    }

    /// Closes the innermost region whose kind is in `kinds`. Returns the bots to which the closed
    /// regions denied indexing. Returns `None` if no region of these kinds is open.
    fn close(&mut self, kinds: &[RegionKind], context: &mut MarkContext<'_>) -> Option<BotSet> {
        let (before, over) = self.remove_innermost(kinds)?;
        match before {
            Some(before) => self.verdict = before,
            None => self.fold(context.ledger),
        }
        let mut breaks = BotSet::NONE;
        for id in over {
            context.ledger.close(id);
            breaks = breaks.or(context.phrase_breaks(id));
        }
        Some(breaks)
    }

    fn switch(
        &mut self,
        kind: RegionKind,
        denies: Uses,
        allows: bool,
        context: &mut MarkContext<'_>,
    ) -> Result<BotSet> {
        let is_first = !std::mem::replace(&mut self.switched, true);
        if !allows {
            return if self.has(kind) {
                Ok(BotSet::NONE)
            } else {
                self.open(kind, denies, true, context)
            };
        }
        if !is_first {
            return Ok(self.close(&[kind], context).unwrap_or(BotSet::NONE));
        }
        let id = context.deny(denies, Extent::Region, kind.convention)?;
        context.ledger.set_reach_before(id, context.token.start());
        // New verdicts must not share a number with verdicts of earlier content.
        self.outside = context.ledger.add_verdict(Verdict::default());
        self.denied_before = Some((id, self.outside));
        self.forget_before();
        self.fold(context.ledger);
        Ok(context.phrase_breaks(id))
    }

    /// Computes and stores the verdict of all open regions together. If regions of the same kind
    /// are nested, each of them counts, since an inner region may deny further uses.
    fn fold(&mut self, ledger: &mut Ledger) {
        let verdict = ledger.extend_verdict(
            self.outside,
            self.open.iter().map(|region| region.directive),
        );
        self.verdict = ledger.add_verdict(verdict);
        ledger.count_steps(self.open.len());
    }

    /// Removes the innermost open region whose kind is in `kinds`. Also removes the other regions
    /// of these kinds that the same comment has opened. Returns the verdict that applied before the
    /// removed regions were opened, and the directives of the removed regions. The verdict is
    /// `None` if it must be computed anew. For example, a region that was opened later may still be
    /// open. The earlier verdict does not have the denials of this region. The whole result is
    /// `None` if no region of `kinds` is open.
    fn remove_innermost(
        &mut self,
        kinds: &[RegionKind],
    ) -> Option<(Option<VerdictId>, SmallVec<[DirectiveId; 1]>)> {
        if !kinds.iter().any(|kind| self.has(*kind)) {
            return None;
        }
        let matches = |region: &OpenRegion| kinds.iter().any(|kind| kind.applies_to(region.kind));
        let innermost = self.open.iter().rposition(matches)?;
        let place = self.open[innermost].place;
        // A fast path: mostly it is the last region, and its comment opened no other.
        let is_alone = innermost == 0 || self.open[innermost - 1].place != place;
        let is_last = innermost + 1 == self.open.len();
        if let Some(region) = self.open.pop_if(|_| is_alone && is_last) {
            *self.count(region.kind) -= 1;
            return Some((region.before, smallvec![region.directive]));
        }
        let is_closed = |region: &OpenRegion| region.place == place && matches(region);
        // Regions that one comment opened are adjacent.
        let mut opened = innermost;
        while opened > 0 && self.open[opened - 1].place == place {
            opened -= 1;
        }
        let first = opened + self.open[opened..].iter().position(is_closed)?;
        let before = self.open[first].before;
        let mut closed = SmallVec::new();
        for region in self.open.split_off(first) {
            if is_closed(&region) {
                *self.count(region.kind) -= 1;
                closed.push(region.directive);
            } else {
                self.open.push(OpenRegion {
                    before: None,
                    ..region
                });
            }
        }
        let none_stays = self.open.len() == first;
        Some((before.filter(|_| none_stays), closed))
    }

    /// Sets [`OpenRegion::before`] of all open regions to `None`, since the stored verdicts are no
    /// longer valid.
    fn forget_before(&mut self) {
        for region in &mut self.open {
            region.before = None;
        }
    }

    fn count(&mut self, kind: RegionKind) -> &mut usize {
        let known = self.counts.iter().position(|(known, _)| *known == kind);
        let at = known.unwrap_or(self.counts.len());
        if at == self.counts.len() {
            self.counts.push((kind, 0));
        }
        &mut self.counts[at].1
    }

    fn has(&self, kind: RegionKind) -> bool {
        self.counts
            .iter()
            .any(|(known, count)| *count > 0 && kind.applies_to(*known))
    }

    /// True if `mark` is a closing mark that has no effect, since no region that it could close is
    /// open.
    pub(super) fn is_idle(&self, mark: &RegionMark) -> bool {
        matches!(mark, RegionMark::Close { groups, .. } if !groups.iter().flatten().any(|kind| self.has(*kind)))
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn inclusive_denial(&self) -> Option<(DirectiveId, VerdictId)> {
        self.denied_before
    }

    pub(super) fn note_unclosed(&self, ledger: &mut Ledger) {
        for region in &self.open {
            if region.is_switch {
                continue;
            }
            let convention = region.kind.convention;
            let message = format!(
                "this region of {convention} is never closed: it runs to the end of the page"
            );
            ledger.note_for_all(
                NoteKind::UnclosedRegion,
                Some(convention),
                Some(region.place),
                message,
            );
        }
    }
}

/// Adds a note for a closing mark without an open region that it could close. A comment with the
/// word `index` alone gets no note, since this word often means something else.
fn note_stray_close(convention: &'static str, context: &mut MarkContext<'_>) {
    if !context
        .token
        .text()
        .trim_end_matches('>')
        .trim()
        .eq_ignore_ascii_case("index")
    {
        let message = format!("this closes a region of {convention}, but none is open");
        context.note(NoteKind::StrayClose, convention, message);
    }
}
