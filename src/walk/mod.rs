//! The only state of a document: tiles go in, judged tiles come out, in order.
//!
//! It asks the dialects what each tile says, keeps the open regions, the marked elements and the page's ceiling, and
//! hands every tile with its verdict to a receiver. What it learns is for all bots of the pass at once. What comes last
//! may be about all that went before, so nothing it has handed out is final before the end; what was withheld by then
//! stays withheld. What it never does: know what a sink makes of a tile.

mod containment;
mod content;
mod cut;
mod elements;
mod judged;
mod lifted;
mod noscript;
mod reach;
mod regions;
mod scripts;
mod site;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use url::Url;

use crate::bot::BotSet;
use crate::dialect::{self, Complaint, Ear, rsl};
use crate::error::{Error, Result};
use crate::html;
use crate::lex::{Tile, TileKind};
use crate::limits::size;
use crate::note::{Note, NoteKind, Notes};
use crate::place::Place;
use crate::policy::{Directive, Extent, Facet, Origin, Says, Verdict};
use crate::scope::{Profile, Script, Statement, Terms};

use content::Content;
pub(crate) use content::Field;
use cut::Ending;
use elements::{Basis, Elements, Heard, Stand, Started};
pub use judged::{Judged, Outcome, VerdictId};
use lifted::Lifted;
use noscript::Noscript;
use reach::Reaches;
use regions::Regions;

/// The most bytes of a directive's text that are kept.
const KEPT_TEXT: usize = 200;

/// One document.
#[derive(Debug)]
pub(crate) struct Walk {
    terms: Arc<Terms>,
    content: Content,
    regions: Regions,
    ceiling: Vec<Directive>,
    ceiling_denies: Verdict,
    ceiling_sets: [BotSet; Facet::COUNT],
    local: Vec<Directive>,
    reaches: Reaches,
    verdicts: Vec<Verdict>,
    /// The verdict of the regions that are open.
    current: VerdictId,
    elements: Elements,
    profile: Profile,
    /// What addresses are relative to.
    base: Url,
    is_of_pagefind: bool,
    has_base: bool,
    /// Its own URLs.
    urls: Vec<Url>,
    /// The licences that were named so far.
    licences: HashSet<String>,
    /// How often the page said something new about the profile itself.
    declared: usize,
    /// Nothing has been seen yet that begins the head.
    before_head: bool,
    notes: Notes,
    noscript: Option<Noscript>,
    /// The script that is going by, if it is one to be heard.
    script: Option<(Script, Place)>,
    lifted: Lifted,
    ending: Ending,
    /// The steps taken so far.
    work: u64,
    length: u64,
}

impl Walk {
    pub(crate) fn new(terms: Arc<Terms>, url: &Url) -> Result<Self> {
        let notes = Notes::new(size(terms.limits.notes));
        let mut walk = Self {
            elements: Elements::new(&terms.dialects),
            profile: Profile::new(&terms.bots, &terms.dialects),
            base: url.clone(),
            is_of_pagefind: terms.is_of_pagefind(url),
            has_base: false,
            urls: Vec::new(),
            licences: HashSet::new(),
            declared: 0,
            before_head: true,
            terms,
            content: Content::default(),
            regions: Regions::default(),
            ceiling: Vec::new(),
            ceiling_denies: Verdict::default(),
            ceiling_sets: [BotSet::NONE; Facet::COUNT],
            local: Vec::new(),
            reaches: Reaches::default(),
            verdicts: vec![Verdict::default()],
            current: 0,
            notes,
            noscript: None,
            script: None,
            lifted: Lifted::default(),
            ending: Ending::default(),
            work: 0,
            length: 0,
        };
        walk.operator(url, None)?;
        Ok(walk)
    }

    /// Whether no bot may enter.
    pub(crate) fn is_shut(&self) -> bool {
        let shut = self.ceiling.iter().filter(|directive| directive.extent == Extent::Site);
        shut.fold(BotSet::NONE, |set, directive| set.or(directive.bots)) == self.terms.bots.all()
    }

    /// One header line.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> Result<()> {
        let terms = self.terms.clone();
        let mut ear = terms.ear();
        dialect::header(name, value, &mut ear);
        self.take(ear, Origin::Header, |_| format!("{}: {}", name.trim(), value.trim())).map(|_| ())
    }

    /// One tile. `receive` gets it with its verdict.
    pub(crate) fn tile(&mut self, tile: &Tile<'_>, receive: &mut impl FnMut(&Judged<'_>) -> Result<()>) -> Result<()> {
        let standing = self.content.pass(tile);
        let mut regions = self.current;
        let open = self.regions.len();
        let mut breaks = self.mark(tile)?;
        // A mark stands outside the region that it opens or closes.
        if self.regions.len() < open {
            regions = self.current;
        }
        let is_mark = self.regions.len() != open;
        // The title and the META description are no part of the body that inclusive marks divide.
        let apart = standing.field == Field::Title || html::is_description(tile.name(), |name| tile.attribute(name));
        let Started { told, node, mark } = match tile.kind() {
            TileKind::Start => self.start(tile)?,
            kind => {
                self.before_head = self.before_head && !begins_head(kind, tile);
                Started::unmarked(self.elements.containment.tile(tile, None, &self.terms.limits)?)
            }
        };
        let looked_at = self.follow_reach(told.chain);
        // How text is cut into tiles is no matter of the page.
        self.steps(usize::from(tile.kind() != TileKind::Text) + looked_at)?;
        for (id, _) in &node {
            self.reaches.until(*id, tile.end());
        }
        self.follow_shifts();
        breaks = breaks.or(self.element_breaks(tile, told.chain, standing.field));
        if tile.kind() == TileKind::Bogus {
            self.bogus(tile);
            if html::is_placeholder(tile.raw()) {
                self.filled_later(tile, told.chain);
            }
        }
        self.watch_noscript(tile)?;
        self.watch_scripts(tile)?;
        self.ending.pass(tile);
        self.length = tile.end();
        let stand = Stand { regions, chain: told.chain, apart };
        let id = self.verdict_at(Basis { stand, node })?;
        let verdict = &self.verdicts[id as usize];
        let alone = match mark {
            Some(mark) if tile.name() == "img" => {
                let around = self.fold_without(stand, Some(mark)).0.denied(Facet::Archive);
                verdict.denied(Facet::Archive).without(around).without(self.ceiling_sets[Facet::Archive as usize])
            }
            _ => BotSet::NONE,
        };
        receive(&Judged { tile, verdict, id, standing, breaks, ceiling: &self.ceiling_sets, alone, is_mark })
    }

    /// So many steps more were taken.
    fn steps(&mut self, more: usize) -> Result<()> {
        self.work += more as u64;
        let most = self.terms.limits.work;
        if self.work > most { Err(Error::limit("work", most)) } else { Ok(()) }
    }

    /// At the end it is wanted to say what allowances have lifted: no verdict needs it, and it takes its time.
    pub(crate) fn ask_why(&mut self) {
        self.lifted.is_asked = true;
    }

    /// The page is over.
    pub(crate) fn end(mut self) -> Result<Outcome> {
        self.search_noscript()?;
        self.end_script()?;
        self.doubt_cut()?;
        self.shut_unmarked()?;
        self.note_unclosed();
        self.profile.notes(&self.terms.profile.uri, &mut self.notes);
        self.raise_late()?;
        let lifts = self.fold_again();
        self.end_reach();
        Ok(Outcome {
            ceiling: self.ceiling,
            local: self.local,
            reaches: self.reaches.finish(self.length),
            lifts,
            verdicts: self.verdicts,
            notes: self.notes.finish(),
            undeclared: self.profile.undeclared(),
            length: self.length,
        })
    }

    /// Something about the page as a whole that is worth telling.
    pub(crate) fn note(&mut self, kind: NoteKind, message: &str) {
        self.tell(kind, None, None, message.to_owned());
    }

    /// The same, of a convention and a place.
    fn tell(&mut self, kind: NoteKind, dialect: Option<&'static str>, place: Option<Place>, message: String) {
        self.notes.add(Note { kind, bots: self.terms.bots.all(), dialect, place, message });
    }

    /// Keeps what was heard.
    fn take(&mut self, ear: Ear<'_>, origin: Origin, text: impl Fn(&str) -> String) -> Result<Heard> {
        let place = origin.place();
        let most = self.terms.limits.statements;
        if ear.has_heard_too_much() {
            return Err(Error::limit("statements", most));
        }
        let mut taken = Heard::default();
        let mut written: HashMap<&'static str, String> = HashMap::new();
        for said in ear.heard {
            let denies = matches!(said.says, Says::Deny(_));
            if let Some(id) = self.opened_here(said.dialect, place) {
                taken.content.push(Statement::new(id, &said));
                continue;
            }
            let directive = Directive {
                says: said.says,
                bots: self.profile.bots(said.whom, denies),
                extent: said.extent,
                dialect: said.dialect,
                origin,
                text: written.entry(said.dialect).or_insert_with(|| cut(&text(said.dialect))).clone(),
            };
            let Some(id) = self.hear(directive)? else { continue };
            if said.extent == Extent::Subtree {
                self.profile.used(said.whom, denies, place.unwrap_or_default());
                taken.content.push(Statement::new(id, &said));
            } else {
                taken.node.push((id, said.whom));
            }
        }
        for address in ear.pointers {
            let extent = if place.is_some() { Extent::Page } else { Extent::Response };
            self.licensed(&address, (origin, extent), &text(rsl::DIALECT))?;
        }
        for said in ear.declared {
            let terms = self.terms.clone();
            self.look_at_lifts();
            if self.profile.declare(said, &terms.bots, &terms.profile, &self.base, place.unwrap_or_default()) {
                self.declared += 1;
                self.elements.forget();
            }
            if self.declared as u64 > most {
                return Err(Error::limit("statements", most));
            }
        }
        for Complaint { kind, bots, dialect, message } in ear.complaints {
            self.notes.add(Note { kind, bots, dialect: Some(dialect), place, message });
        }
        Ok(taken)
    }

    /// Keeps a directive; returns the number of one that is not about the whole page.
    fn hear(&mut self, directive: Directive) -> Result<Option<u32>> {
        let most = self.terms.limits.directives;
        if (self.ceiling.len() + self.local.len()) as u64 >= most {
            return Err(Error::limit("directives", most));
        }
        if !directive.extent.is_ceiling() {
            self.local.push(directive);
            self.reaches.begin(self.length);
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
}

/// Whether HTML begins the head here, if it has not begun; start tags apart.
fn begins_head(kind: TileKind, tile: &Tile<'_>) -> bool {
    match kind {
        TileKind::Text => tile.text().bytes().any(|byte| !html::is_white_space(byte)),
        TileKind::End => matches!(tile.name(), "head" | "body" | "html" | "br"),
        _ => false,
    }
}

fn cut(text: &str) -> String {
    if text.len() <= KEPT_TEXT {
        return text.to_owned();
    }
    format!("{}...", &text[..text.floor_char_boundary(KEPT_TEXT)])
}
