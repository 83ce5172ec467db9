//! From a tile to what is said: the first stage of the walk.
//!
//! It asks the dialects what each tile says, of the page, of itself and of what it contains, and writes the directives down.
//! It keeps what changes how later words are heard: the declarations of the Robot Exclusion Profile, what addresses are relative
//! to, and raw text that speaks when it is over. Where a tile stands, and what follows for it, it does not know.

mod cut;
mod noscript;
mod raw;
mod scripts;
mod site;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use url::Url;

use crate::dialect::comment::Mark;
use crate::dialect::{self, Complaint, Ear, PAGEFIND_BODY, Whom, rsl};
use crate::error::{Error, Result};
use crate::html;
use crate::ledger::Ledger;
use crate::lex::{Tile, TileKind};
use crate::note::{Note, NoteKind};
use crate::place::Place;
use crate::policy::{Directive, DirectiveId, Extent, Origin, Says};
use crate::scope::{Profile, Statement, Terms};

use raw::Raw;
use site::Site;
pub(crate) use words::{cut, marking, wording};

/// What hears one page.
#[derive(Debug)]
pub(crate) struct Hearing {
    terms: Arc<Terms>,
    profile: Profile,
    site: Site,
    raw: Raw,
    /// How often the page said something new about the profile itself.
    declared: usize,
    /// Nothing has been seen yet that begins the head.
    before_head: bool,
}

/// Whose word a tag's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// The page's own.
    Page,
    /// That of a shadow root: it speaks for what it holds, not for the page.
    Shadow,
    /// That of a template, from which a script may put it into the page.
    Template,
}

/// What was heard of a tile besides what is about the whole page.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Of itself alone.
    pub(crate) node: Vec<(DirectiveId, Whom)>,
    /// Of what it contains.
    pub(crate) content: Vec<Statement>,
    /// Whom statements are for may have changed.
    pub(crate) is_about_names: bool,
}

impl Heard {
    fn and(&mut self, other: Self) {
        self.node.extend(other.node);
        self.content.extend(other.content);
        self.is_about_names |= other.is_about_names;
    }
}

/// The region that a tag has opened: its dialect, and the directive of it.
pub(crate) type Opened = Option<(&'static str, DirectiveId)>;

impl Hearing {
    pub(crate) fn new(terms: Arc<Terms>, url: &Url) -> Self {
        Self {
            profile: Profile::new(&terms.bots, &terms.dialects),
            site: Site::new(url),
            raw: Raw::default(),
            declared: 0,
            before_head: true,
            terms,
        }
    }

    /// What is known of the profile so far.
    pub(crate) fn profile(&self) -> &Profile {
        &self.profile
    }

    /// One header line.
    pub(crate) fn header(&mut self, name: &str, value: &str, ledger: &mut Ledger) -> Result<Heard> {
        let terms = self.terms.clone();
        let mut ear = terms.ear();
        dialect::header(name, value, &mut ear);
        self.take(ear, Origin::Header, |_| format!("{}: {}", name.trim(), value.trim()), ledger)
    }

    /// The region marks that a tile is.
    pub(crate) fn marks(&self, tile: &Tile<'_>, ledger: &mut Ledger) -> Vec<Mark> {
        match tile.kind() {
            TileKind::Comment => {
                let text = tile.text();
                let marks = dialect::comment(&text, &self.terms.dialects);
                match marks.iter().find(|mark| mark.is_repaired()) {
                    Some(mark) => self.note_repaired(mark.dialect(), tile, ledger),
                    None if marks.is_empty() => self.note_lookalike(&text, tile, ledger),
                    None => {}
                }
                marks
            }
            TileKind::Start | TileKind::End => {
                dialect::tag(tile, tile.kind() == TileKind::Start, &self.terms.dialects).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a tile says: of the page, of itself, of what it contains. `opened` is the region that it has opened.
    pub(crate) fn tile(&mut self, tile: &Tile<'_>, voice: Voice, opened: Opened, ledger: &mut Ledger) -> Result<Heard> {
        let mut heard = self.raw_text(tile, ledger)?;
        match tile.kind() {
            TileKind::Start => heard.and(self.element(tile, voice, opened, ledger)?),
            kind => self.before_head = self.before_head && !begins_head(kind, tile),
        }
        if tile.kind() == TileKind::Bogus {
            self.bogus(tile, ledger);
        }
        Ok(heard)
    }

    fn element(&mut self, tile: &Tile<'_>, voice: Voice, opened: Opened, ledger: &mut Ledger) -> Result<Heard> {
        let terms = self.terms.clone();
        let mut ear = terms.ear();
        dialect::element(tile, &mut ear);
        let mut is_about_names = false;
        match voice {
            Voice::Template => ear.keep_denials_of_the_page(),
            Voice::Shadow if html::speaks_for_page(tile.name()) => ear.keep_denials_of_the_page(),
            Voice::Shadow => {}
            Voice::Page => is_about_names = self.base(tile),
        }
        self.note_out_of_order(tile, ledger);
        // A head that comes when there is one is none.
        if tile.name() == "head" && !self.before_head {
            ear.declared.clear();
        }
        self.before_head &= tile.name() == "html";
        dialect::content(tile, &mut ear);
        if ear.is_empty() {
            return Ok(Heard { is_about_names, ..Heard::default() });
        }
        let text = |dialect: &str| wording(tile, dialect, &terms.dialects);
        let mut heard = self.take_with(ear, Origin::Page(tile.place()), text, opened, ledger)?;
        heard.is_about_names |= is_about_names;
        Ok(heard)
    }

    /// The first `base` that says it is what addresses are relative to; says whether this is it.
    fn base(&mut self, tile: &Tile<'_>) -> bool {
        if tile.name() != "base" {
            return false;
        }
        let is_it = tile.attribute("href").is_some_and(|href| self.site.stands_at(&href));
        if is_it {
            self.profile.base_changed(tile.place());
        }
        is_it
    }

    fn take(
        &mut self,
        ear: Ear<'_>,
        origin: Origin,
        text: impl Fn(&str) -> String,
        ledger: &mut Ledger,
    ) -> Result<Heard> {
        self.take_with(ear, origin, text, None, ledger)
    }

    /// Writes down what was heard.
    fn take_with(
        &mut self,
        ear: Ear<'_>,
        origin: Origin,
        text: impl Fn(&str) -> String,
        opened: Opened,
        ledger: &mut Ledger,
    ) -> Result<Heard> {
        let place = origin.place();
        let most = self.terms.limits.statements;
        if ear.has_heard_too_much() {
            return Err(Error::limit("statements", most));
        }
        let mut heard = Heard::default();
        let mut written: HashMap<&'static str, String> = HashMap::new();
        for said in ear.heard {
            let denies = matches!(said.says, Says::Deny(_));
            if let Some((_, id)) = opened.filter(|(dialect, _)| *dialect == said.dialect) {
                heard.content.push(Statement::new(id, &said));
                continue;
            }
            let id = ledger.hear(Directive {
                says: said.says,
                bots: self.profile.bots(said.whom, denies),
                extent: said.extent,
                dialect: said.dialect,
                origin,
                text: written.entry(said.dialect).or_insert_with(|| cut(&text(said.dialect))).clone(),
            })?;
            match said.extent {
                Extent::Subtree => {
                    self.profile.used(said.whom, denies, place.unwrap_or_default());
                    heard.content.push(Statement::new(id, &said));
                }
                extent if extent.is_ceiling() => {}
                _ => heard.node.push((id, said.whom)),
            }
        }
        for address in ear.pointers {
            let extent = if place.is_some() { Extent::Page } else { Extent::Response };
            self.licensed(&address, (origin, extent), &text(rsl::DIALECT), ledger)?;
        }
        for said in ear.declared {
            let Terms { bots, profile, .. } = &*self.terms;
            if self.profile.declare(said, bots, profile, &self.site.base, place.unwrap_or_default()) {
                self.declared += 1;
                heard.is_about_names = true;
            }
            if self.declared as u64 > most {
                return Err(Error::limit("statements", most));
            }
        }
        for Complaint { kind, bots, dialect, message } in ear.complaints {
            ledger.note(Note { kind, bots, dialect: Some(dialect), place, message });
        }
        Ok(heard)
    }

    /// The page is over: what is still open speaks now.
    pub(crate) fn end(&mut self, ledger: &mut Ledger) -> Result<Heard> {
        let heard = self.end_raw_text(ledger)?;
        self.doubt_cut(ledger)?;
        self.shut_unmarked(ledger)?;
        Ok(heard)
    }

    /// What the page should have said of the profile. Returns the first class that counts only if the page declares it.
    pub(crate) fn end_profile(&self, ledger: &mut Ledger) -> Option<Place> {
        self.profile.notes(&self.terms.profile.uri, &mut |note| ledger.note(note));
        self.profile.undeclared()
    }

    /// A page that marks nothing, on a site that marks what Pagefind may find. One of which no byte was read says nothing.
    fn shut_unmarked(&self, ledger: &mut Ledger) -> Result<()> {
        let is_mark = |said: &Directive| {
            !said.extent.is_ceiling() && said.dialect == PAGEFIND_BODY && matches!(said.says, Says::Deny(_))
        };
        if !self.site.is_of_pagefind(&self.terms) || ledger.length() == 0 || ledger.directives().any(is_mark) {
            return Ok(());
        }
        let text = "other pages of the site have `data-pagefind-body`, this one has not";
        self.shut(dialect::INDEX, PAGEFIND_BODY, Origin::Input, text, ledger)
    }

    /// Something denies the whole page these facets.
    fn shut(
        &self,
        denies: crate::policy::Facets,
        dialect: &'static str,
        origin: Origin,
        text: &str,
        ledger: &mut Ledger,
    ) -> Result<()> {
        let (says, bots, text) = (Says::Deny(denies), self.terms.bots.all(), cut(text));
        ledger.hear(Directive { says, bots, extent: Extent::Page, dialect, origin, text })?;
        Ok(())
    }

    fn tell(
        &self,
        kind: NoteKind,
        dialect: Option<&'static str>,
        place: Option<Place>,
        message: String,
        ledger: &mut Ledger,
    ) {
        ledger.note(Note { kind, bots: self.terms.bots.all(), dialect, place, message });
    }

    /// What a browser puts elsewhere than where it is written.
    fn note_out_of_order(&self, tile: &Tile<'_>, ledger: &mut Ledger) {
        if tile.name() == "template" && !tile.is_foreign() && tile.attribute("for").is_some() {
            let message = "what this template holds a browser may put elsewhere: it is not read";
            self.tell(NoteKind::OutOfOrder, None, Some(tile.place()), message.to_owned(), ledger);
        }
    }

    /// A marker that HTML does not take for a comment has no effect, but its author thinks it has.
    fn bogus(&self, tile: &Tile<'_>, ledger: &mut Ledger) {
        let text = tile.text();
        let text = text.strip_prefix("[CDATA[").map_or(&*text, |text| text.strip_suffix("]]").unwrap_or(text));
        if let Some(mark) = dialect::comment(text, &self.terms.dialects).first() {
            let message = format!("`{}` is no comment, so it marks nothing", cut(tile.raw()));
            self.tell(NoteKind::BogusMarker, Some(mark.dialect()), Some(tile.place()), message, ledger);
        }
    }

    fn note_repaired(&self, dialect: &'static str, tile: &Tile<'_>, ledger: &mut Ledger) {
        let message = format!(
            "`{}` is not how this mark is written: it opens a region here, and closes none but those opened so",
            cut(words::written(tile.raw()))
        );
        self.tell(NoteKind::Lookalike, Some(dialect), Some(tile.place()), message, ledger);
    }

    fn note_lookalike(&self, text: &str, tile: &Tile<'_>, ledger: &mut Ledger) {
        if let Some((dialect, meant)) = dialect::nearly_a_mark(text, &self.terms.dialects) {
            let message = format!("`{}` marks nothing: did you mean `{meant}`?", cut(text.trim()));
            self.tell(NoteKind::Lookalike, Some(dialect), Some(tile.place()), message, ledger);
        }
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
