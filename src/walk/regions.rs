//! The regions that are open, in source order (docs/semantics.md, section 3).
//!
//! Opens of one dialect are counted: an inner close never ends the outer region.

use crate::bot::BotSet;
use crate::dialect::{self, comment::Mark};
use crate::error::{Error, Result};
use crate::lex::Tile;
use crate::note::NoteKind;
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Extent, Facet, Facets, Says, Verdict};

use super::{VerdictId, Walk, cut};

#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    pub(super) dialect: &'static str,
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

    /// Closes the innermost region of the dialect; says whether it was the last that was opened.
    pub(super) fn close(&mut self, dialect: &str) -> Option<(Region, bool)> {
        let at = self.0.iter().rposition(|region| region.dialect == dialect)?;
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
            Some(Mark::Open { dialect, denies, unknown }) => {
                for word in unknown {
                    let message = format!("`{word}` is no known {dialect} directive");
                    self.notes.add(NoteKind::UnknownToken, self.terms.bots.all(), Some(tile.place()), message);
                }
                self.open(dialect, denies, tile)
            }
            Some(Mark::Close { dialect }) => {
                let Some((region, last)) = self.regions.close(dialect) else {
                    let message = format!("this closes a {dialect} region, but none is open");
                    self.notes.add(NoteKind::StrayClose, self.terms.bots.all(), Some(tile.place()), message);
                    return Ok(BotSet::NONE);
                };
                if last {
                    self.current = region.before;
                } else {
                    self.fold_regions();
                }
                Ok(region.directive.map_or(BotSet::NONE, |id| self.broken_by(id)))
            }
        }
    }

    fn open(&mut self, dialect: &'static str, denies: Facets, tile: &Tile<'_>) -> Result<BotSet> {
        let most = self.terms.limits.regions;
        if self.regions.open().len() >= most {
            return Err(Error::limit("regions", most as u64));
        }
        let says = Says::Deny(denies);
        let bots = self.terms.bots.all();
        let (place, text) = (tile.place(), cut(tile.raw()));
        let directive =
            self.hear(Directive { says, bots, extent: Extent::Region, dialect, place: Some(place), text })?;
        self.regions.push(Region { dialect, directive, place, before: self.current });
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
