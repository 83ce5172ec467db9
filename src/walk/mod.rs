//! The walk through a document: tiles go in, judged tiles come out, in order.
//!
//! Each tile passes three stages over one ledger: it is heard (`hear`), located (`locate`) and judged (`judge`), and is then handed
//! on with its verdict. What is learned is for all bots of the pass at once. What comes last may be about all that went before, so
//! nothing that was handed out is final before the end; what was withheld by then stays withheld. What it never does: decide
//! anything itself, or know what a sink makes of a tile.

mod judged;

use std::sync::Arc;

use url::Url;

use crate::bot::BotSet;
use crate::dialect::Whom;
use crate::error::Result;
use crate::hear::{Heard, Hearing};
use crate::html::Tag;
use crate::judge::{Basis, Judge};
use crate::ledger::{Ledger, Outcome, VerdictId};
use crate::lex::{Tile, TileKind};
use crate::locate::{Locator, Marked, Stand, Standing, is_apart};
use crate::note::NoteKind;
use crate::policy::DirectiveId;
use crate::robots_txt::RobotsTxt;
use crate::scope::Terms;
use crate::tree::{MarkId, Told};

pub use judged::Judged;

/// One document.
#[derive(Debug)]
pub(crate) struct Walk {
    terms: Arc<Terms>,
    ledger: Ledger,
    hearing: Hearing,
    locator: Locator,
    judge: Judge,
}

/// What was said by a tile.
struct Said {
    marked: Marked,
    /// Its element says something of what it contains.
    mark: Option<MarkId>,
    node: Vec<(DirectiveId, Whom)>,
}

/// What is handed on of a tile.
#[derive(Default)]
struct Seen {
    id: VerdictId,
    breaks: BotSet,
    alone: BotSet,
    is_mark: bool,
}

impl Walk {
    pub(crate) fn new(terms: Arc<Terms>, url: &Url) -> Result<Self> {
        let mut ledger = Ledger::new(&terms.limits, terms.bots.all());
        let mut hearing = Hearing::new(terms.clone(), url);
        hearing.operator(url, None, &mut ledger)?;
        let (locator, judge) = (Locator::new(terms.clone()), Judge::new(terms.clone()));
        Ok(Self { terms, ledger, hearing, locator, judge })
    }

    /// The page has another URL: what the operator denies of it holds, too.
    pub(crate) fn also_at(&mut self, url: &Url, first: &Url) -> Result<()> {
        self.hearing.operator(url, Some(first), &mut self.ledger)
    }

    /// A file of the page's site.
    pub(crate) fn robots_txt(&mut self, robots: &RobotsTxt, url: &str, also: Option<&str>) -> Result<()> {
        self.hearing.robots_txt(robots, url, also, &mut self.ledger)
    }

    /// One header line.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> Result<()> {
        let heard = self.hearing.header(name, value, &mut self.ledger)?;
        learn_names(&heard, &mut self.judge);
        Ok(())
    }

    /// The last bytes of the page are known to be missing.
    pub(crate) fn cut_short(&mut self) {
        self.hearing.cut_short();
    }

    /// At the end it is wanted to say what allowances have lifted.
    pub(crate) fn ask_why(&mut self) {
        self.judge.ask_why();
    }

    /// Whether no bot may enter.
    pub(crate) fn is_shut(&self) -> bool {
        self.ledger.shut() == self.terms.bots.all()
    }

    /// One tile. `receive` gets it with its verdict.
    pub(crate) fn tile(&mut self, tile: &Tile<'_>, receive: &mut impl FnMut(&Judged<'_>) -> Result<()>) -> Result<()> {
        let standing = self.locator.content(tile);
        let is_quiet = self.hearing.is_quiet(tile);
        let said = if is_quiet { self.nothing() } else { self.hear(tile)? };
        let told = self.locator.tile(tile, said.mark)?;
        let stand = Stand { regions: said.marked.regions, chain: told.chain, apart: is_apart(tile, standing) };
        // How text is cut into tiles is no matter of the page.
        self.ledger.steps(usize::from(tile.kind() != TileKind::Text));
        let is_as_before = is_quiet && self.locator.is_still(told.chain);
        let seen = match self.judge.known(stand).filter(|_| is_as_before) {
            Some(id) => Seen { id, ..Seen::default() },
            None => self.judge(tile, &told, stand, standing, said)?,
        };
        self.ledger.check()?;
        self.ledger.pass(tile.end());
        receive(&seen.judged(tile, standing, &self.ledger))
    }

    /// What a tile says that is not heard.
    fn nothing(&self) -> Said {
        Said { marked: self.locator.unmarked(), mark: None, node: Vec::new() }
    }

    /// What a tile says, written down, with its mark if it says something of what it contains.
    fn hear(&mut self, tile: &Tile<'_>) -> Result<Said> {
        let Self { ledger, hearing, locator, judge, .. } = self;
        let marked = locator.mark(tile, hearing.marks(tile, ledger), ledger)?;
        judge.note_frameset(tile, ledger);
        let heard = hearing.tile(tile, locator.voice(), marked.opened, ledger)?;
        learn_names(&heard, judge);
        Ok(Said { mark: judge.mark(heard.content), node: heard.node, marked })
    }

    /// The verdict of a tile, after what the tree tells of it and of those before it.
    fn judge(&mut self, tile: &Tile<'_>, told: &Told, stand: Stand, standing: Standing, said: Said) -> Result<Seen> {
        let Self { ledger, hearing, locator, judge, .. } = self;
        let turn = locator.move_to(told.chain);
        ledger.steps(turn.steps());
        judge.leave(&turn, ledger);
        for (id, _) in &said.node {
            ledger.reaches(*id, tile.end());
        }
        judge.learn(tile, told, said.mark, locator, ledger)?;
        let turn = locator.turn_since_text(tile, standing.field, told.chain);
        let breaks = said.marked.breaks.or(judge.breaks(&turn, hearing.profile()));
        let id = judge.verdict(Basis { stand, node: said.node }, hearing.profile(), locator, ledger)?;
        let alone = match said.mark.filter(|_| tile.tag() == Tag::IMG) {
            Some(mark) => judge.alone(mark, (stand, id), hearing.profile(), locator, ledger),
            None => BotSet::NONE,
        };
        Ok(Seen { id, breaks, alone, is_mark: said.marked.is_mark })
    }

    /// The page is over.
    pub(crate) fn end(mut self) -> Result<Outcome> {
        let heard = self.hearing.end(&mut self.ledger)?;
        learn_names(&heard, &mut self.judge);
        self.locator.note_unclosed(&mut self.ledger);
        let undeclared = self.hearing.end_profile(&mut self.ledger);
        let lifts = self.judge.end(self.hearing.profile(), &mut self.locator, &mut self.ledger)?;
        Ok(self.ledger.finish(lifts, undeclared))
    }

    /// Something about the page as a whole that is worth telling.
    pub(crate) fn note(&mut self, kind: NoteKind, message: &str) {
        self.ledger.tell(kind, None, None, message);
    }
}

impl Seen {
    fn judged<'a>(self, tile: &'a Tile<'a>, standing: Standing, ledger: &'a Ledger) -> Judged<'a> {
        let Self { id, breaks, alone, is_mark } = self;
        Judged { tile, verdict: ledger.verdict(id), id, standing, breaks, ceiling: ledger.ceiling(), alone, is_mark }
    }
}

/// Whom statements are for may have changed: nothing holds that was judged by it.
fn learn_names(heard: &Heard, judge: &mut Judge) {
    if heard.is_about_names {
        judge.forget();
    }
}
