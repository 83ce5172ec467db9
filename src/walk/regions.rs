//! The regions that are open, in source order (docs/semantics.md, section 3).
//!
//! Opens of one kind are counted: an inner close never ends the outer region.

use crate::bot::BotSet;
use crate::dialect::{self, comment::Kind, comment::Mark};
use crate::error::{Error, Result};
use crate::lex::Tile;
use crate::note::NoteKind;
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Extent, Facet, Facets, Says, Verdict};

use super::{VerdictId, Walk, cut};

#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) kind: Kind,
    pub(super) directive: Option<DirectiveId>,
    pub(super) place: Place,
    /// The verdict that held before it was opened.
    pub(super) before: VerdictId,
}

#[derive(Debug, Default)]
pub(super) struct Regions(Vec<Region>);

impl Regions {
    pub(super) fn push(&mut self, region: Region) {
        self.0.push(region);
    }

    /// Closes the innermost region of one of these kinds; says whether it was the last that was opened.
    pub(super) fn close(&mut self, kinds: &[Kind]) -> Option<(Region, bool)> {
        let at = self.0.iter().rposition(|region| kinds.contains(&region.kind))?;
        let last = at + 1 == self.0.len();
        Some((self.0.remove(at), last))
    }

    /// Sets what held before the region at `at`; returns its directive.
    pub(super) fn reopen(&mut self, at: usize, before: VerdictId) -> Option<DirectiveId> {
        self.0[at].before = before;
        self.0[at].directive
    }

    pub(super) fn open(&self) -> &[Region] {
        &self.0
    }
}

impl Walk {
    /// Opens or closes a region; returns the bots for which a phrase ends here.
    pub(super) fn comment(&mut self, tile: &Tile<'_>) -> Result<BotSet> {
        match dialect::comment(&tile.text(), &self.terms.dialects) {
            None => Ok(BotSet::NONE),
            Some(Mark::Open { kind, denies, unknown }) => {
                for word in unknown {
                    let message = format!("`{word}` is no known {} directive", kind.dialect);
                    self.notes.add(NoteKind::UnknownToken, self.terms.bots.all(), Some(tile.place()), message);
                }
                self.open(kind, denies, tile)
            }
            Some(Mark::Close { kinds }) => Ok(self.close(&kinds).unwrap_or_else(|| self.stray(&kinds, tile))),
            Some(Mark::CloseEach { kinds }) => {
                let closed: Vec<_> = kinds.iter().filter_map(|kind| self.close(&[*kind])).collect();
                let broken = closed.iter().fold(BotSet::NONE, |set, bots| set.or(*bots));
                Ok(if closed.is_empty() { self.stray(&kinds, tile) } else { broken })
            }
            Some(Mark::Page { dialect, denies }) => {
                let (says, bots, place) = (Says::Deny(denies), self.terms.bots.all(), Some(tile.place()));
                self.hear(Directive { says, bots, extent: Extent::Page, dialect, place, text: cut(tile.raw()) })?;
                Ok(BotSet::NONE)
            }
        }
    }

    /// Closes the innermost region of one of these kinds; returns the bots for which a phrase ends.
    fn close(&mut self, kinds: &[Kind]) -> Option<BotSet> {
        let (region, last) = self.regions.close(kinds)?;
        if last {
            self.current = region.before;
        } else {
            self.fold_regions();
        }
        Some(region.directive.map_or(BotSet::NONE, |id| self.broken_by(id)))
    }

    /// A mark that closes what is not open. The word `index` alone says other things as well.
    fn stray(&mut self, kinds: &[Kind], tile: &Tile<'_>) -> BotSet {
        if !tile.text().trim().eq_ignore_ascii_case("index") {
            let dialect = kinds.first().map_or("", |kind| kind.dialect);
            let message = format!("this closes a {dialect} region, but none is open");
            self.notes.add(NoteKind::StrayClose, self.terms.bots.all(), Some(tile.place()), message);
        }
        BotSet::NONE
    }

    fn open(&mut self, kind: Kind, denies: Facets, tile: &Tile<'_>) -> Result<BotSet> {
        let most = self.terms.limits.regions;
        if self.regions.open().len() >= most {
            return Err(Error::limit("regions", most as u64));
        }
        let (says, bots, dialect) = (Says::Deny(denies), self.terms.bots.all(), kind.dialect);
        let (place, text) = (tile.place(), cut(tile.raw()));
        let directive =
            self.hear(Directive { says, bots, extent: Extent::Region, dialect, place: Some(place), text })?;
        self.regions.push(Region { kind, directive, place, before: self.current });
        if let Some(id) = directive.filter(|_| !denies.is_empty()) {
            let mut verdict = self.verdicts[self.current as usize].clone();
            verdict.add(id, &self.local[id as usize]);
            self.current = self.keep(verdict);
        }
        Ok(directive.map_or(BotSet::NONE, |id| self.broken_by(id)))
    }

    fn broken_by(&self, id: u32) -> BotSet {
        let directive = &self.local[id as usize];
        match directive.says {
            Says::Deny(facets) if facets.contains(Facet::Index) => directive.bots,
            _ => BotSet::NONE,
        }
    }

    /// After a region was closed that others were opened in: what holds now, and held before each of those.
    fn fold_regions(&mut self) {
        self.current = 0;
        let mut verdict = Verdict::default();
        for at in 0..self.regions.open().len() {
            let directive = self.regions.reopen(at, self.current);
            if let Some(id) = directive {
                verdict.add(id, &self.local[id as usize]);
                self.current = self.keep(verdict.clone());
            }
        }
    }

    /// A marker that HTML does not take for a comment has no effect, but its author thinks it has.
    pub(super) fn bogus(&mut self, tile: &Tile<'_>) {
        if dialect::comment(&tile.text(), &self.terms.dialects).is_some() {
            let message = format!("`{}` is no comment, so it marks nothing", cut(tile.raw()));
            self.notes.add(NoteKind::BogusMarker, self.terms.bots.all(), Some(tile.place()), message);
        }
    }
}
