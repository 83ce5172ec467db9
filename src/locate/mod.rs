//! From a tile to where it stands: the second stage of the walk.
//!
//! It keeps all that is open round a place: what a tile is part of to a reader (`content`), the regions in source order
//! (`regions`), and the marked elements of the tree (`containment`). What regions withhold is folded here, since it is one state
//! from mark to mark; what elements do about it is judged above. It hears nothing.

mod containment;
mod content;
mod regions;

use std::sync::Arc;

use crate::bot::BotSet;
use crate::dialect::comment::Mark;
use crate::error::Result;
use crate::hear::{Opened, Voice};
use crate::html;
use crate::ledger::{Ledger, VerdictId};
use crate::lex::{Tile, TileKind};
use crate::policy::DirectiveId;
use crate::scope::Terms;
use crate::tree::{ChainId, MarkId, MarkIds, Shift, Told};

use containment::Containment;
use content::Content;
pub(crate) use content::{Field, Standing};
use regions::{Marking, Regions};

/// Where something stands: in which regions and elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stand {
    /// What the regions round it withhold.
    pub(crate) regions: VerdictId,
    pub(crate) chain: ChainId,
    /// It is no part of the body, which inclusive marks divide.
    pub(crate) apart: bool,
}

/// What a tile marks.
#[derive(Debug, Default)]
pub(crate) struct Marked {
    /// What the regions round the tile withhold: a mark stands outside the region that it opens or closes.
    pub(crate) regions: VerdictId,
    /// The bots for which a phrase ends at it.
    pub(crate) breaks: BotSet,
    pub(crate) is_mark: bool,
    /// The region that it has opened, which is still open.
    pub(crate) opened: Opened,
}

/// The elements between two places.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// Those that only the first stands in, innermost first; so the others.
    pub(crate) ended: MarkIds,
    /// Those that only the second stands in.
    pub(crate) begun: MarkIds,
    /// Those that both stand in.
    pub(crate) around: MarkIds,
}

/// What finds places in one page.
#[derive(Debug)]
pub(crate) struct Locator {
    terms: Arc<Terms>,
    content: Content,
    regions: Regions,
    containment: Containment,
    /// The elements round the last tile.
    chain: ChainId,
    /// The elements round the last text.
    text_chain: ChainId,
}

impl Locator {
    pub(crate) fn new(terms: Arc<Terms>) -> Self {
        Self {
            content: Content::default(),
            regions: Regions::default(),
            containment: Containment::new(terms.dialects.mark_elements()),
            chain: ChainId::default(),
            text_chain: ChainId::default(),
            terms,
        }
    }

    /// What a tile is part of.
    pub(crate) fn content(&mut self, tile: &Tile<'_>) -> Standing {
        self.content.pass(tile)
    }

    /// Whose word that of a tag is here.
    pub(crate) fn voice(&self) -> Voice {
        match (self.content.in_template(), self.content.in_any_template()) {
            (true, _) => Voice::Template,
            (_, true) => Voice::Shadow,
            _ => Voice::Page,
        }
    }

    /// What a tile marks that is no mark.
    pub(crate) fn unmarked(&self) -> Marked {
        Marked { regions: self.regions.verdict(), ..Marked::default() }
    }

    /// Whether nothing begins or ends between the last tile, the last text and this chain, and the tree has changed nothing.
    pub(crate) fn is_still(&self, chain: ChainId) -> bool {
        self.chain == chain && self.text_chain == chain && !self.containment.has_shifts()
    }

    /// Opens and closes what a tile marks.
    pub(crate) fn mark(&mut self, tile: &Tile<'_>, marks: Vec<Mark>, ledger: &mut Ledger) -> Result<Marked> {
        if marks.is_empty() {
            return Ok(self.unmarked());
        }
        let (before, open) = (self.regions.verdict(), self.regions.len());
        let mut marking = Marking { tile, terms: &self.terms, ledger };
        let mut breaks = BotSet::NONE;
        for mark in marks {
            breaks = breaks.or(self.regions.obey(mark, &mut marking)?);
        }
        Ok(Marked {
            regions: if self.regions.len() < open { self.regions.verdict() } else { before },
            breaks,
            is_mark: self.regions.len() != open,
            opened: self.regions.opened_at(tile.place()),
        })
    }

    /// Follows a tile through the tree; a start tag's element may be given a mark.
    pub(crate) fn tile(&mut self, tile: &Tile<'_>, mark: Option<MarkId>) -> Result<Told> {
        self.containment.tile(tile, mark, &self.terms.limits)
    }

    /// The elements that ended, and began, since the last tile.
    pub(crate) fn move_to(&mut self, chain: ChainId) -> Turn {
        let before = std::mem::replace(&mut self.chain, chain);
        self.turn(before, chain)
    }

    /// The elements between the last text and this tile, where that may end a phrase.
    pub(crate) fn turn_since_text(&mut self, tile: &Tile<'_>, field: Field, chain: ChainId) -> Turn {
        let before = match tile.kind() {
            // In a template nothing is read; but a template, or a script, that is marked ends a phrase.
            TileKind::Text if field == Field::Nowhere => return Turn::default(),
            TileKind::Start if self.content.in_template() && tile.name() != "template" => return Turn::default(),
            TileKind::Text => std::mem::replace(&mut self.text_chain, chain),
            TileKind::Start => self.text_chain,
            _ => return Turn::default(),
        };
        let turn = self.turn(before, chain);
        // What a tag ends is told by the text behind it.
        if tile.kind() == TileKind::Start { Turn { ended: MarkIds::new(), ..turn } } else { turn }
    }

    fn turn(&self, before: ChainId, now: ChainId) -> Turn {
        if before == now {
            return Turn::default();
        }
        let (mut ended, mut begun) = (self.marks(before), self.marks(now));
        let same = ended.iter().rev().zip(begun.iter().rev()).take_while(|(ended, begun)| ended == begun).count();
        let around = begun.drain(begun.len() - same..).collect();
        ended.truncate(ended.len() - same);
        Turn { ended, begun, around }
    }

    /// The marked elements of a chain, innermost first.
    pub(crate) fn marks(&self, chain: ChainId) -> MarkIds {
        self.containment.marks(chain)
    }

    /// What the last tiles have changed late in the tree.
    pub(crate) fn shifts(&mut self) -> Vec<Shift> {
        self.containment.shifts()
    }

    /// The directive that withholds what went by before the first switch let in, and the verdict outside all regions since.
    pub(crate) fn shut_before(&self) -> Option<(DirectiveId, VerdictId)> {
        self.regions.shut_before()
    }

    pub(crate) fn note_unclosed(&self, ledger: &mut Ledger) {
        self.regions.note_unclosed(ledger);
    }
}

impl Turn {
    /// How many elements were looked at.
    pub(crate) fn steps(&self) -> usize {
        self.ended.len() + self.begun.len() + 2 * self.around.len()
    }

    pub(crate) fn is_none(&self) -> bool {
        self.ended.is_empty() && self.begun.is_empty()
    }
}

/// Whether a tile is no part of the body that inclusive marks divide: of the title, or a META description.
pub(crate) fn is_apart(tile: &Tile<'_>, standing: Standing) -> bool {
    standing.field == Field::Title || html::is_description(tile.name(), |name| tile.attribute(name))
}
