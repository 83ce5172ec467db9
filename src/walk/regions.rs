//! The regions that are open, in source order (docs/semantics.md, section 3).
//!
//! Opens of one kind are counted: an inner close never ends the outer region. Switches are not counted; where the first
//! of them lets in, what went by before it turns out to be withheld, which is done at the end of the page.

use crate::bot::BotSet;
use crate::dialect;
use crate::dialect::comment::{Kind, Mark};
use crate::error::{Error, Result};
use crate::lex::{Tile, TileKind};
use crate::note::NoteKind;
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Extent, Facet, Facets, Origin, Says, Verdict};

use super::elements::wording;
use super::{VerdictId, Walk, cut};

#[derive(Clone, Copy, Debug)]
struct Region {
    kind: Kind,
    directive: Option<DirectiveId>,
    place: Place,
    /// The verdict that held before it was opened, as long as what is open before it does not change.
    before: Option<VerdictId>,
    /// It lasts until it is switched off, which may be never.
    is_switch: bool,
}

#[derive(Debug, Default)]
pub(super) struct Regions {
    open: Vec<Region>,
    /// How many of each kind: most marks need not be looked for.
    counts: Vec<(Kind, usize)>,
    /// A switch was seen.
    switched: bool,
    /// The first switch let in: this directive withholds all that rests on verdicts below this one.
    shut_before: Option<(DirectiveId, VerdictId)>,
    /// The verdict outside all regions.
    outside: VerdictId,
}

impl Regions {
    /// Takes out the innermost region of one of these kinds, with those of them that the same comment has opened. Says what
    /// held before it, if that holds again, and which directives are over.
    fn close(&mut self, kinds: &[Kind]) -> Option<(Option<VerdictId>, Vec<DirectiveId>)> {
        if !kinds.iter().any(|kind| self.has(*kind)) {
            return None;
        }
        let innermost = self.open.iter().rposition(|region| kinds.contains(&region.kind))?;
        let place = self.open[innermost].place;
        let is_closed = |region: &Region| region.place == place && kinds.contains(&region.kind);
        // What one comment has opened stands together.
        let opened = self.open[..innermost].iter().rev().take_while(|region| region.place == place).count();
        let opened = innermost - opened;
        let first = opened + self.open[opened..].iter().position(is_closed)?;
        let before = self.open[first].before;
        let behind = self.open.split_off(first);
        let (closed, stay): (Vec<Region>, Vec<Region>) = behind.into_iter().partition(is_closed);
        let before = before.filter(|_| stay.is_empty());
        for region in &closed {
            *self.count(region.kind) -= 1;
        }
        self.open.extend(stay.into_iter().map(|region| Region { before: None, ..region }));
        Some((before, closed.iter().filter_map(|region| region.directive).collect()))
    }

    /// What held before holds no more.
    fn forget_before(&mut self) {
        for region in &mut self.open {
            region.before = None;
        }
    }

    fn push(&mut self, region: Region) {
        *self.count(region.kind) += 1;
        self.open.push(region);
    }

    fn count(&mut self, kind: Kind) -> &mut usize {
        let at = self.counts.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            self.counts.push((kind, 0));
            self.counts.len() - 1
        });
        &mut self.counts[at].1
    }

    fn has(&self, kind: Kind) -> bool {
        self.counts.iter().any(|(known, count)| *known == kind && *count > 0)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn shut_before(&self) -> Option<(DirectiveId, VerdictId)> {
        self.shut_before
    }
}

impl Walk {
    /// Opens or closes what a tile marks; returns the bots for which a phrase ends here.
    pub(super) fn mark(&mut self, tile: &Tile<'_>) -> Result<BotSet> {
        match tile.kind() {
            TileKind::Comment => {
                let text = tile.text();
                let marks = dialect::comment(&text, &self.terms.dialects);
                match marks.iter().find(|mark| mark.is_repaired()) {
                    Some(mark) => self.note_repaired(mark.dialect(), tile),
                    None if marks.is_empty() => self.note_lookalike(&text, tile),
                    None => {}
                }
                marks.into_iter().try_fold(BotSet::NONE, |set, mark| Ok(set.or(self.obey(mark, tile)?)))
            }
            TileKind::Start | TileKind::End => {
                let mark = dialect::tag(tile, tile.kind() == TileKind::Start, &self.terms.dialects);
                mark.map_or(Ok(BotSet::NONE), |mark| self.obey(mark, tile))
            }
            _ => Ok(BotSet::NONE),
        }
    }

    fn obey(&mut self, mark: Mark, tile: &Tile<'_>) -> Result<BotSet> {
        match mark {
            Mark::Open { kind, denies, unknown } => {
                for word in unknown {
                    let message = format!("`{word}` is no known {} directive", kind.dialect);
                    self.tell(NoteKind::UnknownToken, Some(kind.dialect), Some(tile.place()), message);
                }
                if self.regions.has(kind) {
                    let message = format!("a region of {} is open here: each needs its own close", kind.dialect);
                    self.tell(NoteKind::OpenedTwice, Some(kind.dialect), Some(tile.place()), message);
                }
                self.open(kind, denies, false, tile)
            }
            Mark::Close { ref groups, alone } => {
                let alone = alone.filter(|kind| self.regions.has(*kind)).map(|kind| vec![vec![kind]]);
                let groups = alone.as_ref().unwrap_or(groups);
                let closed: Vec<_> = groups.iter().filter_map(|kinds| self.close(kinds)).collect();
                if closed.is_empty() {
                    self.stray(mark.dialect(), tile);
                }
                Ok(closed.into_iter().fold(BotSet::NONE, BotSet::or))
            }
            Mark::Switch { kind, denies, lets_in } => self.switch(kind, denies, lets_in, tile),
            Mark::Section { kind, denies, begins } => {
                let ended = self.close(&[kind]).unwrap_or(BotSet::NONE);
                let begun = if begins { self.open(kind, denies, true, tile)? } else { BotSet::NONE };
                Ok(ended.or(begun))
            }
            Mark::Page { dialect, denies, .. } => {
                self.hear(self.said(denies, Extent::Page, dialect, tile))?;
                Ok(BotSet::NONE)
            }
        }
    }

    fn said(&self, denies: Facets, extent: Extent, dialect: &'static str, tile: &Tile<'_>) -> Directive {
        let (says, bots) = (Says::Deny(denies), self.terms.bots.all());
        let text = match tile.kind() {
            TileKind::Comment => cut(written(tile.raw())),
            _ => cut(&wording(tile, dialect, &self.terms.dialects)),
        };
        Directive { says, bots, extent, dialect, origin: Origin::Page(tile.place()), text }
    }

    /// Closes the innermost region of one of these kinds; returns the bots for which a phrase ends.
    fn close(&mut self, kinds: &[Kind]) -> Option<BotSet> {
        let (before, over) = self.regions.close(kinds)?;
        match before {
            Some(before) => self.current = before,
            None => self.fold_regions(),
        }
        for id in &over {
            self.reaches.close(*id, self.length);
        }
        Some(over.into_iter().fold(BotSet::NONE, |set, id| set.or(self.broken_by(id))))
    }

    /// A mark that closes what is not open. The word `index` alone says other things as well.
    fn stray(&mut self, dialect: &'static str, tile: &Tile<'_>) {
        if !tile.text().trim_end_matches('>').trim().eq_ignore_ascii_case("index") {
            let message = format!("this closes a region of {dialect}, but none is open");
            self.tell(NoteKind::StrayClose, Some(dialect), Some(tile.place()), message);
        }
    }

    fn open(&mut self, kind: Kind, denies: Facets, is_switch: bool, tile: &Tile<'_>) -> Result<BotSet> {
        let most = self.terms.limits.regions;
        if self.regions.len() as u64 >= most {
            return Err(Error::limit("regions", most));
        }
        let directive = self.hear(self.said(denies, Extent::Region, kind.dialect, tile))?;
        self.regions.push(Region { kind, directive, place: tile.place(), before: Some(self.current), is_switch });
        if let Some(id) = directive {
            self.reaches.open(id, tile.end());
        }
        if let Some(id) = directive.filter(|_| !denies.is_empty()) {
            let mut verdict = self.verdicts[self.current as usize].clone();
            verdict.add(id, &self.local[id as usize]);
            self.current = self.keep(verdict);
        }
        Ok(directive.map_or(BotSet::NONE, |id| self.broken_by(id)))
    }

    fn switch(&mut self, kind: Kind, denies: Facets, lets_in: bool, tile: &Tile<'_>) -> Result<BotSet> {
        let is_first = !std::mem::replace(&mut self.regions.switched, true);
        match lets_in {
            true if is_first => {
                let Some(id) = self.hear(self.said(denies, Extent::Region, kind.dialect, tile))? else {
                    return Ok(BotSet::NONE);
                };
                self.reaches.all_before(id, tile.start());
                // What is judged from here on rests on other verdicts than what went by.
                self.regions.outside = self.keep(Verdict::default());
                self.regions.shut_before = Some((id, self.regions.outside));
                self.regions.forget_before();
                self.fold_regions();
                Ok(self.broken_by(id))
            }
            true => Ok(self.close(&[kind]).unwrap_or(BotSet::NONE)),
            false if self.regions.has(kind) => Ok(BotSet::NONE),
            false => self.open(kind, denies, true, tile),
        }
    }

    /// The directive of the region that the tag at `place` has opened, if it has.
    pub(super) fn opened_here(&self, dialect: &str, place: Option<Place>) -> Option<DirectiveId> {
        let last = self.regions.open.last().filter(|region| Some(region.place) == place)?;
        last.directive.filter(|_| last.kind.dialect == dialect)
    }

    fn broken_by(&self, id: u32) -> BotSet {
        let directive = &self.local[id as usize];
        match directive.says {
            Says::Deny(facets) if facets.contains(Facet::Index) => directive.bots,
            _ => BotSet::NONE,
        }
    }

    /// What holds now, by all that is open: an inner region may deny what an outer one of its kind does not.
    fn fold_regions(&mut self) {
        let mut verdict = self.verdicts[self.regions.outside as usize].clone();
        for id in self.regions.open.iter().filter_map(|region| region.directive) {
            verdict.add(id, &self.local[id as usize]);
        }
        self.current = self.keep(verdict);
        self.work += self.regions.len() as u64;
    }

    pub(super) fn note_unclosed(&mut self) {
        for region in self.regions.open.clone().into_iter().filter(|region| !region.is_switch) {
            let dialect = region.kind.dialect;
            let message = format!("this region of {dialect} is never closed: it runs to the end of the page");
            self.tell(NoteKind::UnclosedRegion, Some(dialect), Some(region.place), message);
        }
    }

    /// A marker that HTML does not take for a comment has no effect, but its author thinks it has.
    pub(super) fn bogus(&mut self, tile: &Tile<'_>) {
        let text = tile.text();
        let text = text.strip_prefix("[CDATA[").map_or(&*text, |text| text.strip_suffix("]]").unwrap_or(text));
        if let Some(mark) = dialect::comment(text, &self.terms.dialects).first() {
            let message = format!("`{}` is no comment, so it marks nothing", cut(tile.raw()));
            self.tell(NoteKind::BogusMarker, Some(mark.dialect()), Some(tile.place()), message);
        }
    }

    fn note_repaired(&mut self, dialect: &'static str, tile: &Tile<'_>) {
        let message = format!(
            "`{}` is not how this mark is written: it opens a region here, and closes none but those opened so",
            cut(written(tile.raw()))
        );
        self.tell(NoteKind::Lookalike, Some(dialect), Some(tile.place()), message);
    }

    fn note_lookalike(&mut self, text: &str, tile: &Tile<'_>) {
        if let Some((dialect, meant)) = dialect::nearly_a_mark(text, &self.terms.dialects) {
            let message = format!("`{}` marks nothing: did you mean `{meant}`?", cut(text.trim()));
            self.tell(NoteKind::Lookalike, Some(dialect), Some(tile.place()), message);
        }
    }
}

/// A comment, up to where it has swallowed markup: what comes then is perhaps not to be told.
fn written(comment: &str) -> &str {
    let inner = comment.get(4..).unwrap_or_default();
    let end = inner.find(['<', '>']).map_or(comment.len(), |at| 4 + at + 1);
    &comment[..end]
}
