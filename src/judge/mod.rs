//! From where a tile stands to what is withheld of it: the third stage of the walk.
//!
//! It knows what marked elements say, and folds it with what the regions withhold, by [`Marks::fold`]: the one judgement. A
//! verdict is made once for each stand. What a later tile changes (a name, a tree that moves content) is judged again at the end
//! of the page, where verdicts only become stricter.

mod fate;
mod late;

use std::collections::HashMap;
use std::sync::Arc;

use crate::bot::BotSet;
use crate::dialect::Whom;
use crate::error::{Error, Result};
use crate::ledger::{Ledger, Lift, VerdictId};
use crate::locate::{Locator, Stand, Turn};
use crate::policy::{Directive, DirectiveId, Facet, Says, Verdict};
use crate::scope::{Follow, Marks, Profile, Statement, Terms, Trace};
use crate::tree::{MarkId, MarkIds};

/// What a verdict rests on: where it stands, and what is said of the node itself.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    pub(crate) stand: Stand,
    pub(crate) node: Vec<(DirectiveId, Whom)>,
}

/// What judges one page.
#[derive(Debug)]
pub(crate) struct Judge {
    terms: Arc<Terms>,
    marks: Marks,
    around: Around,
    known: Known,
    /// What the verdicts rest on that may still become stricter.
    bases: Vec<(VerdictId, Basis)>,
    /// What allowances lifted when a verdict was made, if that is asked for.
    lifts: Option<Vec<(VerdictId, Lift)>>,
}

/// What is said of all that stands in the page.
#[derive(Debug, Default)]
struct Around {
    /// What a late `html` tag says: it is round all that was ever said, and outermost.
    root: Vec<MarkId>,
    /// What follows from elements that let in: by their dialects, what stands in none of them is out.
    outside: Vec<MarkId>,
    /// The first `html` tag says something itself.
    root_speaks: bool,
    /// Statements about elements that turned out to be about the whole page.
    late: Vec<Statement>,
}

/// What was judged before, and still holds.
#[derive(Debug, Default)]
struct Known {
    /// The last place, if nothing is said there of a node alone.
    last: Option<(Stand, VerdictId)>,
    /// The verdicts of places inside marked elements, and whom they let follow.
    placed: HashMap<Stand, (VerdictId, Follow)>,
    /// The bots for which a phrase ends at each mark. No vector: it would be made anew up to the last mark whenever all is forgotten.
    breaks: HashMap<MarkId, BotSet>,
    /// What some verdicts rest on has changed since they were made.
    is_stale: bool,
}

impl Known {
    fn breaks(&mut self, mark: MarkId, judged: impl FnOnce() -> BotSet) -> BotSet {
        *self.breaks.entry(mark).or_insert_with(judged)
    }
}

impl Judge {
    pub(crate) fn new(terms: Arc<Terms>) -> Self {
        Self {
            marks: Marks::default(),
            around: Around::default(),
            known: Known { is_stale: terms.is_thorough, ..Known::default() },
            bases: Vec::new(),
            lifts: None,
            terms,
        }
    }

    /// At the end it is wanted to say what allowances have lifted: no verdict needs it.
    pub(crate) fn ask_why(&mut self) {
        self.lifts = Some(Vec::new());
    }

    /// An element says something of what it contains.
    pub(crate) fn mark(&mut self, content: Vec<Statement>) -> Option<MarkId> {
        (!content.is_empty()).then(|| self.marks.add(content))
    }

    /// What was known of marks has changed: no verdict so far is the last one.
    pub(crate) fn forget(&mut self) {
        self.known = Known { is_stale: true, ..Known::default() };
    }

    /// The elements that ended with the last tile reach no further.
    pub(crate) fn leave(&self, turn: &Turn, ledger: &mut Ledger) {
        let at = ledger.length();
        for statement in turn.ended.iter().flat_map(|mark| self.marks.of(*mark)) {
            ledger.reaches(statement.directive, at);
        }
    }

    /// The bots for which a phrase ends here: where an element that may not be indexed begins, even an empty one, and
    /// between two texts that do not stand in the same ones.
    pub(crate) fn breaks(&mut self, turn: &Turn, profile: &Profile) -> BotSet {
        if turn.is_none() {
            return BotSet::NONE;
        }
        let changed = || turn.begun.iter().chain(&turn.ended).copied();
        let breaks = changed()
            .fold(BotSet::NONE, |set, mark| set.or(self.known.breaks(mark, || self.marks.breaks(mark, profile))));
        if self.around.outside.is_empty() || !changed().any(|mark| self.marks.lets_in(mark)) {
            return breaks;
        }
        // Between two elements that let in stands what is out, be it nothing.
        let around = turn.around.iter().chain(&self.around.root).chain(&self.around.outside).copied();
        let mut verdict = Verdict::default();
        self.marks.fold(&around.collect::<MarkIds>(), profile, &mut verdict);
        breaks.or(verdict.denied(Facet::Index))
    }

    /// The verdict of a place, if it is that of the last one.
    pub(crate) fn known(&self, stand: Stand) -> Option<VerdictId> {
        self.known.last.filter(|(last, _)| *last == stand).map(|(_, id)| id)
    }

    /// The verdict of a place.
    pub(crate) fn verdict(
        &mut self,
        Basis { stand, node }: Basis,
        profile: &Profile,
        locator: &Locator,
        ledger: &mut Ledger,
    ) -> Result<VerdictId> {
        let (id, follow) = self.verdict_of(stand, profile, locator, ledger)?;
        if node.is_empty() {
            self.known.last = Some((stand, id));
            return Ok(id);
        }
        let mut verdict = ledger.verdict(id).clone();
        let lifts = deny_node(&node, &follow, &mut verdict, ledger);
        let id = ledger.keep(verdict);
        self.keep_lifts(id, lifts);
        if !stand.chain.is_none() || stand.apart {
            self.keep_basis(id, Basis { stand, node })?;
        }
        Ok(id)
    }

    fn verdict_of(
        &mut self,
        stand: Stand,
        profile: &Profile,
        locator: &Locator,
        ledger: &mut Ledger,
    ) -> Result<(VerdictId, Follow)> {
        if stand.chain.is_none() && !stand.apart {
            return Ok((stand.regions, Follow::default()));
        }
        if let Some(known) = self.known.placed.get(&stand) {
            return Ok(known.clone());
        }
        let (verdict, trace) = self.fold(stand, profile, locator, ledger);
        let id = ledger.keep(verdict);
        self.keep_lifts(id, trace.lifts);
        self.known.placed.insert(stand, (id, trace.follow.clone()));
        self.keep_basis(id, Basis { stand, node: Vec::new() })?;
        Ok((id, trace.follow))
    }

    fn keep_basis(&mut self, id: VerdictId, basis: Basis) -> Result<()> {
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

    /// The bots to which an image may not be archived by what its own tag says, `mark`, and by nothing else.
    pub(crate) fn alone(
        &self,
        mark: MarkId,
        (stand, id): (Stand, VerdictId),
        profile: &Profile,
        locator: &Locator,
        ledger: &Ledger,
    ) -> BotSet {
        let mut around = ledger.verdict(stand.regions).clone();
        let mut marks = self.marks_round(stand, locator);
        marks.retain(|other| *other != mark);
        self.marks.fold(&marks, profile, &mut around);
        let denied = |verdict: &Verdict| verdict.denied(Facet::Archive);
        denied(ledger.verdict(id)).without(denied(&around)).without(denied(ledger.ceiling()))
    }

    /// What regions and elements withhold at a place, and what the elements passed over.
    fn fold(&self, stand: Stand, profile: &Profile, locator: &Locator, ledger: &Ledger) -> (Verdict, Trace) {
        let mut verdict = ledger.verdict(stand.regions).clone();
        let trace = self.marks.fold(&self.marks_round(stand, locator), profile, &mut verdict);
        (verdict, trace)
    }

    /// The marked elements round a place, innermost first, with those that are round everything.
    fn marks_round(&self, stand: Stand, locator: &Locator) -> MarkIds {
        let mut marks = locator.marks(stand.chain);
        marks.extend(self.around.root.iter().copied());
        if !stand.apart {
            marks.extend(self.around.outside.iter().copied());
        }
        marks
    }
}

/// Adds what is said of a node alone. Those who let follow lift what is for all others; returns what they lift.
fn deny_node(node: &[(DirectiveId, Whom)], follow: &Follow, verdict: &mut Verdict, ledger: &Ledger) -> Vec<Lift> {
    let mut lifts = Vec::new();
    for (denial, whom) in node {
        let said = ledger.directive(*denial);
        let Says::Deny(facets) = said.says else { continue };
        let bots = whom.left(said.bots, follow.bots());
        verdict.add(*denial, &Directive { bots, ..said.clone() });
        for (allowance, allowed) in follow.iter() {
            let bots = said.bots.and(*allowed);
            let bots = bots.without(whom.left(bots, *allowed));
            let lift = |facet| Lift { allowance: *allowance, denial: *denial, facet, bots };
            lifts.extend(facets.iter().filter(|_| !bots.is_empty()).map(lift));
        }
    }
    lifts
}
