//! What is known of a page at its end.

use std::ops::{Index, Range};

use crate::bot::BotSet;
use crate::note::Note;
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Facet, SHUT, Verdict};

/// A verdict's number in its pass. The default is the one that withholds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VerdictId(u32);

impl VerdictId {
    fn nth(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The verdicts of a page, by number. By one of another page everything is withheld.
#[derive(Debug, Default)]
pub(crate) struct Verdicts(Vec<Verdict>);

impl Verdicts {
    pub(super) fn keep(&mut self, verdict: Verdict) -> VerdictId {
        self.0.push(verdict);
        VerdictId::nth(self.0.len() - 1)
    }

    pub(super) fn get_mut(&mut self, id: VerdictId) -> Option<&mut Verdict> {
        self.0.get_mut(id.index())
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = VerdictId> + Clone + use<> {
        (0..self.0.len()).map(VerdictId::nth)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Verdict> {
        self.0.iter()
    }
}

impl Index<VerdictId> for Verdicts {
    type Output = Verdict;

    fn index(&self, id: VerdictId) -> &Verdict {
        self.0.get(id.index()).unwrap_or(&SHUT)
    }
}

/// A denial that does not hold for some bots, because of an allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lift {
    pub(crate) allowance: DirectiveId,
    pub(crate) denial: DirectiveId,
    pub(crate) facet: Facet,
    pub(crate) bots: BotSet,
}

/// A directive, and from where to where it reaches.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) directive: Directive,
    pub(super) span: Range<u64>,
}

/// What is known of a page at its end.
#[derive(Debug, Default)]
pub struct Outcome {
    pub(super) entries: Vec<Entry>,
    /// What was lifted, and by what, if that was asked for.
    pub(crate) lifts: Vec<Lift>,
    pub(crate) verdicts: Verdicts,
    pub(crate) notes: Vec<Note>,
    /// The first class of the Robot Exclusion Profile, where it is not declared.
    pub(crate) undeclared: Option<Place>,
    /// Bytes of the decoded page.
    pub(crate) length: u64,
}

impl Outcome {
    /// All directives with their numbers, in the order in which they were heard.
    pub fn heard(&self) -> impl Iterator<Item = (DirectiveId, &Directive)> + Clone {
        self.entries.iter().enumerate().map(|(at, entry)| (DirectiveId::nth(at), &entry.directive))
    }

    /// The directive with this number; none where the number is of another page.
    pub fn directive(&self, id: DirectiveId) -> Option<&Directive> {
        self.entries.get(id.index()).map(|entry| &entry.directive)
    }

    /// The directives that are about the whole page, in the order in which they were heard.
    pub fn ceiling(&self) -> impl Iterator<Item = &Directive> {
        self.numbered_ceiling().map(|(_, directive)| directive)
    }

    pub(crate) fn numbered_ceiling(&self) -> impl Iterator<Item = (DirectiveId, &Directive)> + Clone {
        self.heard().filter(|(_, directive)| directive.extent.is_ceiling())
    }

    /// Those about parts of the page, each with how far it reaches, in bytes of the decoded page.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Directive, Range<u64>)> {
        let parts = self.entries.iter().filter(|entry| !entry.directive.extent.is_ceiling());
        parts.map(|entry| (&entry.directive, entry.span.clone()))
    }

    /// From where to where a directive reaches, in bytes of the decoded page; none if that is the whole page.
    pub(crate) fn reach(&self, id: DirectiveId) -> Option<Range<u64>> {
        let entry = self.entries.get(id.index()).filter(|entry| !entry.directive.extent.is_ceiling())?;
        Some(entry.span.clone())
    }

    /// All directives: those about the whole page, then those about parts of it in the page's order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.ceiling().chain(self.parts().map(|(directive, _)| directive))
    }

    /// The bots to which the page as a whole denies `facet`.
    pub fn denied(&self, facet: Facet) -> BotSet {
        Verdict::of(self.numbered_ceiling()).denied(facet)
    }

    /// What the regions and elements round a tile withhold when all is known: at least what they did when it went by. By the
    /// number of another page everything is withheld.
    pub fn verdict(&self, id: VerdictId) -> &Verdict {
        &self.verdicts[id]
    }

    /// The bots for whom a copy would hold no word that they may index, though something is kept from their index; given the
    /// verdicts under which the body has words. A part that is kept from both counts as a word, for its mark would be one.
    pub(crate) fn silenced(&self, words: impl Iterator<Item = VerdictId>, all: BotSet) -> BotSet {
        let denied = |verdict: &Verdict| (verdict.denied(Facet::Index), verdict.denied(Facet::Archive));
        let both = self.verdicts.iter().map(denied).fold(BotSet::NONE, |set, (index, copy)| set.or(index.and(copy)));
        let (kept_out, left) = words.fold((both, BotSet::NONE), |(kept_out, left), id| {
            let (index, copy) = denied(self.verdict(id));
            (kept_out.or(index), left.or(all.without(index).without(copy)))
        });
        kept_out.without(left)
    }

    /// What looked wrong.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}
