//! A tile with its verdict, as the walk passes it on.

use crate::bot::BotSet;
use crate::ledger::VerdictId;
use crate::lex::{Tile, TileKind};
use crate::locate::{Field, Standing};
use crate::policy::{Facet, Verdict};

/// A tile with its verdict at the time when it goes by. The ceiling may still become stricter before the page ends.
#[derive(Debug)]
pub struct Judged<'a> {
    pub(super) tile: &'a Tile<'a>,
    pub(super) verdict: &'a Verdict,
    pub(super) id: VerdictId,
    pub(super) standing: Standing,
    pub(super) breaks: BotSet,
    pub(super) ceiling: &'a Verdict,
    pub(super) alone: BotSet,
    pub(super) is_mark: bool,
}

impl<'a> Judged<'a> {
    /// The tile.
    pub fn tile(&self) -> &'a Tile<'a> {
        self.tile
    }

    /// The bots that may not have `facet` of this tile, by all directives so far.
    pub fn denied(&self, facet: Facet) -> BotSet {
        self.verdict.denied(facet).or(self.ceiling.denied(facet))
    }

    /// The bots for which a phrase ends at this tile, because an excluded part begins or ends here.
    pub fn breaks(&self) -> BotSet {
        self.breaks
    }

    /// True if the tile is text that a reader of the page may see.
    pub fn is_visible_text(&self) -> bool {
        self.tile.kind() == TileKind::Text && self.standing.field == Field::Body
    }

    pub(crate) fn verdict(&self) -> &'a Verdict {
        self.verdict
    }

    /// The number of the verdict, to look it up again at the end: see [`Outcome::verdict`](crate::Outcome::verdict).
    pub fn id(&self) -> VerdictId {
        self.id
    }

    /// True if a region begins or ends with this tile.
    pub fn is_region_mark(&self) -> bool {
        self.is_mark
    }

    /// The bots to which nothing but its own tag denies the archiving of an image.
    pub(crate) fn alone(&self) -> BotSet {
        self.alone
    }

    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }
}
