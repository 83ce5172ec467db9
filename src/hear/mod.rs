//! From a tile to what is said: the first stage of the walk.
//!
//! It asks the dialects what each tile says, of the page, of itself and of what it contains, and writes the directives down.
//! It keeps what changes how later words are heard: the declarations of the Robot Exclusion Profile, what addresses are relative
//! to, and raw text that speaks when it is over. Where a tile stands, and what follows for it, it does not know.

mod cut;
mod noscript;
mod odd;
mod outside;
mod raw;
mod scribe;
mod site;
mod words;

use std::sync::Arc;

use url::Url;

use crate::dialect::comment::Mark;
use crate::dialect::{self, Dialects};
use crate::error::Result;
use crate::html::{self, Facts, Tag};
use crate::ledger::Ledger;
use crate::lex::{Tile, TileKind};
use crate::place::Place;
use crate::policy::Origin;
use crate::robots_txt::RobotsTxt;
use crate::scope::{Profile, Terms};

use cut::Ending;
use raw::Raw;
use scribe::Scribe;
pub(crate) use scribe::{Heard, Opened};
use site::Site;
pub(crate) use words::{cut, marking, wording};

/// What hears one page.
#[derive(Debug)]
pub(crate) struct Hearing {
    scribe: Scribe,
    raw: Raw,
    ending: Ending,
    /// Nothing has been seen yet that begins the head.
    before_head: bool,
    roots: Roots,
}

/// Whether the class of the page's `html`, or `body`, leaves a quote open that HTML does not know. HTML gives them the
/// attributes of later tags of their names: these stand behind it.
#[derive(Debug, Default)]
struct Roots {
    html: bool,
    body: bool,
}

impl Roots {
    fn of(&mut self, tag: Tag) -> Option<&mut bool> {
        match tag {
            Tag::HTML => Some(&mut self.html),
            Tag::BODY => Some(&mut self.body),
            _ => None,
        }
    }

    fn are_closed(&self) -> bool {
        !self.html && !self.body
    }
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

impl Hearing {
    pub(crate) fn new(terms: Arc<Terms>, url: &Url) -> Self {
        let scribe = Scribe::new(terms, Site::new(url));
        Self { scribe, raw: Raw::default(), ending: Ending::default(), before_head: true, roots: Roots::default() }
    }

    /// What is known of the profile so far.
    pub(crate) fn profile(&self) -> &Profile {
        &self.scribe.profile
    }

    fn dialects(&self) -> &Dialects {
        &self.scribe.terms.dialects
    }

    /// What the one who runs the program denies of the page at a URL, but for what was heard of another one.
    pub(crate) fn operator(&mut self, url: &Url, heard: Option<&Url>, ledger: &mut Ledger) -> Result<()> {
        self.scribe.operator(url, heard, ledger)
    }

    /// What a robots.txt says of the page at one URL or two.
    pub(crate) fn robots_txt(
        &mut self,
        robots: &RobotsTxt,
        url: &str,
        also: Option<&str>,
        ledger: &mut Ledger,
    ) -> Result<()> {
        self.scribe.robots_txt(robots, url, also, ledger)
    }

    /// One header line.
    pub(crate) fn header(&mut self, name: &str, value: &str, ledger: &mut Ledger) -> Result<Heard> {
        let terms = self.scribe.terms.clone();
        let mut ear = terms.ear();
        dialect::header(name, value, &mut ear);
        self.scribe.take(ear, Origin::Header, |_| format!("{}: {}", name.trim(), value.trim()), ledger)
    }

    /// The last bytes of the page are known to be missing.
    pub(crate) fn cut_short(&mut self) {
        self.ending.cut_short();
    }

    /// The gate: whether a tile says nothing, and changes nothing of how later ones are heard. Such a tile need not be heard.
    pub(crate) fn is_quiet(&self, tile: &Tile<'_>) -> bool {
        let is_settled = !self.before_head && self.raw.is_none() && self.ending.is_open() && self.roots.are_closed();
        is_settled
            && !self.scribe.terms.is_thorough
            && match tile.kind() {
                TileKind::Start | TileKind::End => {
                    !tile.tag().has(Facts::TURNS_HEARING) && !dialect::may_speak(tile, self.dialects())
                }
                TileKind::Text | TileKind::Doctype | TileKind::Other => true,
                TileKind::Comment | TileKind::Bogus => false,
            }
    }

    /// The region marks that a tile is.
    pub(crate) fn marks(&self, tile: &Tile<'_>, ledger: &mut Ledger) -> Vec<Mark> {
        match tile.kind() {
            TileKind::Comment => {
                let text = tile.text();
                let marks = dialect::comment(&text, self.dialects());
                match marks.iter().find(|mark| mark.is_repaired()) {
                    Some(mark) => odd::note_repaired(mark.dialect(), tile, ledger),
                    None if marks.is_empty() => odd::note_lookalike(&text, tile, self.dialects(), ledger),
                    None => {}
                }
                marks
            }
            TileKind::Start | TileKind::End => {
                dialect::tag(tile, tile.kind() == TileKind::Start, self.dialects()).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// What a tile says: of the page, of itself, of what it contains. `opened` is the region that it has opened.
    pub(crate) fn tile(&mut self, tile: &Tile<'_>, voice: Voice, opened: Opened, ledger: &mut Ledger) -> Result<Heard> {
        let mut heard = self.raw.tile(tile, &mut self.scribe, ledger)?;
        self.ending.pass(tile);
        match tile.kind() {
            TileKind::Start => heard.and(self.element(tile, voice, opened, ledger)?),
            kind => self.before_head = self.before_head && !begins_head(kind, tile),
        }
        if tile.kind() == TileKind::Bogus {
            odd::note_bogus(tile, self.dialects(), ledger);
        }
        Ok(heard)
    }

    fn element(&mut self, tile: &Tile<'_>, voice: Voice, opened: Opened, ledger: &mut Ledger) -> Result<Heard> {
        let terms = self.scribe.terms.clone();
        let mut ear = terms.ear();
        dialect::element(tile, &mut ear);
        let mut is_about_names = false;
        match voice {
            Voice::Template => ear.keep_denials_of_the_page(),
            Voice::Shadow if html::speaks_for_page(tile.name()) => ear.keep_denials_of_the_page(),
            Voice::Shadow => {}
            Voice::Page => is_about_names = self.base(tile),
        }
        odd::note_out_of_order(tile, ledger);
        // A head that comes when there is one is none.
        if tile.name() == "head" && !self.before_head {
            ear.declared.clear();
        }
        self.before_head &= tile.name() == "html";
        match self.roots.of(tile.tag()).filter(|_| voice == Voice::Page && !tile.is_foreign()) {
            Some(is_open) => *is_open = dialect::content_behind(tile, *is_open, &mut ear),
            None => dialect::content(tile, &mut ear),
        }
        let mut heard = Heard::default();
        if !ear.is_empty() {
            let text = |dialect: &str| wording(tile, dialect, &terms.dialects);
            heard = self.scribe.take_of(ear, Origin::Page(tile.place()), text, opened, ledger)?;
        }
        heard.is_about_names |= is_about_names;
        Ok(heard)
    }

    /// The first `base` that says it is what addresses are relative to; says whether this is it.
    fn base(&mut self, tile: &Tile<'_>) -> bool {
        if tile.name() != "base" {
            return false;
        }
        let is_it = tile.attribute("href").is_some_and(|href| self.scribe.site.stands_at(&href));
        if is_it {
            self.scribe.profile.base_changed(tile.place());
        }
        is_it
    }

    /// The page is over: what is still open speaks now.
    pub(crate) fn end(&mut self, ledger: &mut Ledger) -> Result<Heard> {
        let heard = self.raw.end(&mut self.scribe, ledger)?;
        self.ending.doubt(self.dialects(), ledger)?;
        self.scribe.shut_unmarked(ledger)?;
        Ok(heard)
    }

    /// What the page should have said of the profile. Returns the first class that counts only if the page declares it.
    pub(crate) fn end_profile(&self, ledger: &mut Ledger) -> Option<Place> {
        self.scribe.profile.notes(&self.scribe.terms.profile.uri, &mut |note| ledger.note(note));
        self.scribe.profile.undeclared()
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
