//! What the walk hands out: a tile with its verdict, and at the end what is known of the page.

use std::ops::Range;

use crate::bot::BotSet;
use crate::lex::{Tile, TileKind};
use crate::note::Note;
use crate::place::Place;
use crate::policy::{Directive, Facet, Verdict};
use crate::scope::Lift;

use super::content::{Field, Standing};

/// A verdict's number in its pass; 0 is the one that withholds nothing.
pub type VerdictId = u32;

/// A tile with what is known of it when it goes by. The ceiling may still sink before the page ends.
#[derive(Debug)]
pub struct Judged<'a> {
    pub(super) tile: &'a Tile<'a>,
    pub(super) verdict: &'a Verdict,
    pub(super) id: VerdictId,
    pub(super) standing: Standing,
    pub(super) breaks: BotSet,
    pub(super) ceiling: &'a [BotSet; Facet::COUNT],
    pub(super) alone: BotSet,
    pub(super) is_mark: bool,
}

impl<'a> Judged<'a> {
    /// The tile.
    pub fn tile(&self) -> &'a Tile<'a> {
        self.tile
    }

    /// The bots that may not have `facet` of this tile, by all that was heard so far.
    pub fn denied(&self, facet: Facet) -> BotSet {
        self.verdict.denied(facet).or(self.ceiling[facet as usize])
    }

    /// The bots for which a phrase ends at this tile, because an excluded part begins or ends here.
    pub fn breaks(&self) -> BotSet {
        self.breaks
    }

    /// Whether the tile is text that a reader of the page may see.
    pub fn is_visible_text(&self) -> bool {
        self.tile.kind() == TileKind::Text && self.standing.field == Field::Body
    }

    pub(crate) fn verdict(&self) -> &'a Verdict {
        self.verdict
    }

    /// The number of its verdict, to ask for it again at the end: see [`Outcome::verdict`].
    pub fn id(&self) -> VerdictId {
        self.id
    }

    /// Whether a region begins or ends with this tile.
    pub fn is_region_mark(&self) -> bool {
        self.is_mark
    }

    /// The bots to which an image may not be archived by what its own tag says, and by nothing else.
    pub(crate) fn alone(&self) -> BotSet {
        self.alone
    }

    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }
}

/// What is known of a page at its end.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Statements about the whole page.
    pub(crate) ceiling: Vec<Directive>,
    /// Statements about parts of it; verdicts name them by their place here.
    pub(crate) local: Vec<Directive>,
    /// How far each of these reaches, in bytes of the decoded page.
    pub(crate) reaches: Vec<Range<u64>>,
    /// Which of them were lifted, and by which, if that was asked for.
    pub(crate) lifts: Vec<Lift>,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) notes: Vec<Note>,
    /// The first class of the Robot Exclusion Profile, where it is not declared.
    pub(crate) undeclared: Option<Place>,
    /// Bytes of the decoded page.
    pub(crate) length: u64,
}

impl Outcome {
    /// The directives that are about the whole page, in the order they were heard.
    pub fn ceiling(&self) -> &[Directive] {
        &self.ceiling
    }

    /// All directives: those about the whole page, then those about parts of it in the page's order.
    pub fn directives(&self) -> impl Iterator<Item = &Directive> {
        self.ceiling.iter().chain(&self.local)
    }

    /// The bots to which the page as a whole denies `facet`.
    pub fn denied(&self, facet: Facet) -> BotSet {
        Verdict::of(&self.ceiling).denied(facet)
    }

    /// What the regions and elements round a tile withhold when all is known: at least what they did when it went by.
    pub fn verdict(&self, id: VerdictId) -> &Verdict {
        &self.verdicts[id as usize]
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
