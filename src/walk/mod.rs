//! The only state of a document: tiles go in, judged tiles come out, in order.
//!
//! It asks the dialects what each tile says, keeps the open regions and the page's ceiling, and hands every tile with
//! its verdict to a receiver. What it learns is for all bots of the pass at once. A statement about the whole page may
//! come last, so nothing it has handed out is final before the end. What it never does: decide what an element
//! contains, or know what a sink makes of a tile.

mod content;
mod regions;

use std::borrow::Cow;
use std::sync::Arc;

use crate::bot::{BotSet, Bots};
use crate::dialect::{self, Dialects, Ear, Element, comment::Mark};
use crate::error::{Error, Result};
use crate::lex::{Lexer, Tile, TileKind};
use crate::limits::Limits;
use crate::note::{Note, NoteKind, Notes};
use crate::place::Place;
use crate::policy::{Directive, Extent, Facet, Facets, Says, Verdict};
use crate::robots_txt::RobotsTxt;

use content::Content;
pub(crate) use content::{Field, Standing};
use regions::Regions;

/// A verdict's number in its pass; 0 is the one that withholds nothing.
pub(crate) type VerdictId = u32;

/// The most bytes of a directive's text that are kept.
const KEPT_TEXT: usize = 200;

/// A tile with what is known of it when it goes by. The ceiling may still sink before the page ends.
#[derive(Debug)]
pub struct Judged<'a> {
    tile: &'a Tile<'a>,
    verdict: &'a Verdict,
    id: VerdictId,
    standing: Standing,
    breaks: BotSet,
    ceiling: &'a [BotSet; 8],
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

    pub(crate) fn id(&self) -> VerdictId {
        self.id
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
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) notes: Vec<Note>,
    /// Bytes of the decoded page.
    pub(crate) length: u64,
}

impl Outcome {
    /// The directives that are about the whole page, in the order they were heard.
    pub fn ceiling(&self) -> &[Directive] {
        &self.ceiling
    }

    /// The bots to which the page as a whole denies `facet`.
    pub fn denied(&self, facet: Facet) -> BotSet {
        let mut whole = Verdict::default();
        for (id, directive) in (0..).zip(&self.ceiling) {
            whole.add(id, directive);
        }
        whole.denied(facet)
    }

    /// What looked wrong.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// What a pass needs to know before it begins.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) bots: Bots,
    pub(crate) dialects: Dialects,
    pub(crate) limits: Limits,
}

/// One document.
#[derive(Debug)]
pub(crate) struct Walk {
    terms: Arc<Terms>,
    content: Content,
    regions: Regions,
    ceiling: Vec<Directive>,
    ceiling_denies: Verdict,
    ceiling_sets: [BotSet; 8],
    local: Vec<Directive>,
    verdicts: Vec<Verdict>,
    /// The verdict of the regions that are open.
    current: VerdictId,
    notes: Notes,
    noscript: Option<Noscript>,
    length: u64,
}

/// The raw text of a `noscript`, kept to be searched for META.
#[derive(Debug)]
struct Noscript {
    text: String,
    place: Place,
    too_long: bool,
}

impl Walk {
    pub(crate) fn new(terms: Arc<Terms>) -> Self {
        let notes = Notes::new(terms.limits.notes);
        Self {
            terms,
            content: Content::default(),
            regions: Regions::default(),
            ceiling: Vec::new(),
            ceiling_denies: Verdict::default(),
            ceiling_sets: [BotSet::NONE; 8],
            local: Vec::new(),
            verdicts: vec![Verdict::default()],
            current: 0,
            notes,
            noscript: None,
            length: 0,
        }
    }

    /// The bots that robots.txt lets in; the others are denied everything.
    pub(crate) fn robots_txt(&mut self, robots: &RobotsTxt, url: &str) -> Result<()> {
        for (index, bot) in self.terms.clone().bots.list().iter().enumerate() {
            let ruling = robots.ruling(bot, url);
            if !ruling.allowed() {
                let line = ruling.line().map(|line| format!(" (line {line})")).unwrap_or_default();
                self.hear(Directive {
                    says: Says::Deny(Facets::ALL),
                    bots: BotSet::one(index),
                    extent: Extent::Site,
                    dialect: "robots.txt",
                    place: None,
                    text: cut(&format!("{}{line}", ruling.rule().unwrap_or_default())),
                })?;
            }
        }
        Ok(())
    }

    /// Whether no bot may enter.
    pub(crate) fn is_shut(&self) -> bool {
        let shut = self.ceiling.iter().filter(|directive| directive.extent == Extent::Site);
        shut.fold(BotSet::NONE, |set, directive| set.or(directive.bots)) == self.terms.bots.all()
    }

    /// One header line.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> Result<()> {
        let terms = self.terms.clone();
        let mut ear = Ear::new(&terms.bots, &terms.dialects);
        dialect::header(name, value, &mut ear);
        self.take(ear, None, &format!("{}: {}", name.trim(), value.trim())).map(|_| ())
    }

    /// One tile. `receive` gets it with its verdict.
    pub(crate) fn tile(&mut self, tile: &Tile<'_>, receive: &mut impl FnMut(&Judged<'_>) -> Result<()>) -> Result<()> {
        let standing = self.content.pass(tile);
        let mut id = self.current;
        let mut breaks = BotSet::NONE;
        let open = self.regions.open().len();
        match tile.kind() {
            TileKind::Start if !self.content.in_template() => {
                if let Some(node) = self.element(tile)? {
                    id = node;
                }
            }
            TileKind::Comment => {
                // A mark stands outside the region that it opens or closes.
                breaks = self.comment(tile)?;
                if self.regions.open().len() <= open {
                    id = self.current;
                }
            }
            TileKind::Bogus => self.bogus(tile),
            _ => {}
        }
        self.watch_noscript(tile)?;
        self.length = tile.end();
        let verdict = &self.verdicts[id as usize];
        receive(&Judged { tile, verdict, id, standing, breaks, ceiling: &self.ceiling_sets })
    }

    /// The page is over.
    pub(crate) fn end(mut self) -> Result<Outcome> {
        self.search_noscript()?;
        for region in self.regions.open() {
            let message = format!("this {} region is never closed: it runs to the end of the page", region.dialect);
            self.notes.add(NoteKind::UnclosedRegion, self.terms.bots.all(), Some(region.place), message);
        }
        Ok(Outcome {
            ceiling: self.ceiling,
            local: self.local,
            verdicts: self.verdicts,
            notes: self.notes.finish(),
            length: self.length,
        })
    }

    /// Something about the page as a whole that is worth telling.
    pub(crate) fn note(&mut self, kind: NoteKind, message: &str) {
        self.notes.add(kind, self.terms.bots.all(), None, message.to_owned());
    }

    /// What an element says; the verdict that holds for it alone, if it has one.
    fn element(&mut self, tile: &Tile<'_>) -> Result<Option<VerdictId>> {
        let terms = self.terms.clone();
        let mut ear = Ear::new(&terms.bots, &terms.dialects);
        dialect::element(tile, &mut ear);
        if ear.heard.is_empty() && ear.complaints.is_empty() {
            return Ok(None);
        }
        // Only what spoke is kept: the rest of a tag may hold what is withheld.
        let spoke = |name: &str| tile.attribute(name).map(|value| format!(" {name}=\"{value}\""));
        let words: String = ["name", "http-equiv", "content", "rel"].into_iter().filter_map(spoke).collect();
        self.take(ear, Some(tile.place()), &format!("<{}{words}>", tile.name()))
    }

    /// Keeps what was heard. A statement about one node makes a verdict of its own.
    fn take(&mut self, ear: Ear<'_>, place: Option<Place>, text: &str) -> Result<Option<VerdictId>> {
        let mut node: Option<Verdict> = None;
        for said in ear.heard {
            let directive = Directive {
                says: said.says,
                bots: said.bots,
                extent: said.extent,
                dialect: said.dialect,
                place,
                text: cut(text),
            };
            if let Some(id) = self.hear(directive)? {
                let base = &self.verdicts[self.current as usize];
                node.get_or_insert_with(|| base.clone()).add(id, &self.local[id as usize]);
            }
        }
        for (kind, bots, message) in ear.complaints {
            self.notes.add(kind, bots, place, message);
        }
        Ok(node.map(|verdict| self.keep(verdict)))
    }

    /// Keeps a directive; returns the number of one that is not about the whole page.
    fn hear(&mut self, directive: Directive) -> Result<Option<u32>> {
        let most = self.terms.limits.directives;
        if self.ceiling.len() + self.local.len() >= most {
            return Err(Error::limit("directives", most as u64));
        }
        if !directive.extent.is_ceiling() {
            self.local.push(directive);
            return Ok(u32::try_from(self.local.len() - 1).ok());
        }
        self.ceiling_denies.add(0, &directive);
        self.ceiling_sets = Facet::ALL.map(|facet| self.ceiling_denies.denied(facet));
        self.ceiling.push(directive);
        Ok(None)
    }

    fn keep(&mut self, verdict: Verdict) -> VerdictId {
        self.verdicts.push(verdict);
        u32::try_from(self.verdicts.len() - 1).unwrap_or(u32::MAX)
    }

    /// Opens or closes a region; returns the bots for which a phrase ends here.
    fn comment(&mut self, tile: &Tile<'_>) -> Result<BotSet> {
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
        self.regions.push(regions::Region { dialect, directive, place, before: self.current });
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
    fn bogus(&mut self, tile: &Tile<'_>) {
        if dialect::comment(&tile.text(), &self.terms.dialects).is_some() {
            let message = format!("`{}` is no comment, so it marks nothing", cut(tile.raw()));
            self.notes.add(NoteKind::BogusMarker, self.terms.bots.all(), Some(tile.place()), message);
        }
    }

    fn watch_noscript(&mut self, tile: &Tile<'_>) -> Result<()> {
        match tile.kind() {
            TileKind::Start if tile.name() == "noscript" && !self.content.in_template() => {
                self.search_noscript()?;
                self.noscript =
                    Some(Noscript { text: String::new(), place: tile.place().behind(tile.raw()), too_long: false });
            }
            TileKind::Text => {
                let most = self.terms.limits.noscript_bytes;
                if let Some(noscript) = &mut self.noscript {
                    noscript.too_long |= noscript.text.len() + tile.raw().len() > most;
                    if !noscript.too_long {
                        noscript.text.push_str(tile.raw());
                    }
                }
            }
            _ => self.search_noscript()?,
        }
        Ok(())
    }

    /// A META robots inside `noscript` is honoured when it denies.
    fn search_noscript(&mut self) -> Result<()> {
        let Some(noscript) = self.noscript.take() else { return Ok(()) };
        if noscript.too_long {
            return self.shut_for(&noscript);
        }
        if !contains_meta(&noscript.text) {
            return Ok(());
        }
        let terms = self.terms.clone();
        let mut inner = Lexer::from_place(&terms.limits, noscript.place);
        let mut content = Content::default();
        let mut out = |tile: &Tile<'_>| {
            content.pass(tile);
            if tile.kind() != TileKind::Start || tile.name() != "meta" || content.in_template() {
                return Ok(());
            }
            let mut ear = Ear::new(&terms.bots, &terms.dialects);
            dialect::element(tile, &mut ear);
            ear.heard.retain(|said| said.extent.is_ceiling() && !matches!(said.says, Says::Allow(_)));
            self.take(ear, Some(tile.place()), tile.raw()).map(|_| ())
        };
        inner.write(&noscript.text, &mut out)?;
        inner.end(&mut out)
    }

    /// What cannot be searched may forbid anything.
    fn shut_for(&mut self, noscript: &Noscript) -> Result<()> {
        let message = "this noscript is too long to be searched for META robots: it is taken to say `none, noarchive`";
        self.notes.add(NoteKind::LongNoscript, self.terms.bots.all(), Some(noscript.place), message.to_owned());
        let denies = Facets::of(&[Facet::Index, Facet::Follow, Facet::Archive]);
        self.hear(Directive {
            says: Says::Deny(denies),
            bots: self.terms.bots.all(),
            extent: Extent::Page,
            dialect: "meta",
            place: Some(noscript.place),
            text: "<noscript>".to_owned(),
        })?;
        Ok(())
    }
}

fn contains_meta(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes())
        .any(|at| text.as_bytes().get(at + 1..at + 5).is_some_and(|name| name.eq_ignore_ascii_case(b"meta")))
}

fn cut(text: &str) -> String {
    if text.len() <= KEPT_TEXT {
        return text.to_owned();
    }
    format!("{}...", &text[..text.floor_char_boundary(KEPT_TEXT)])
}

impl Element for Tile<'_> {
    fn name(&self) -> &str {
        self.name()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.attribute(name)
    }
}
