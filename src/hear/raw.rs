//! Raw text that may hold directives: a `noscript`, and a script that is JSON-LD or a licence. It is read when it ends.
//! Marks in a `title` or a `textarea` are text to HTML. They are noted.

use crate::dialect::{self, JSON_LD, rsl};
use crate::error::Result;
use crate::html::Tag;
use crate::ledger::Ledger;
use crate::lex::{Tile, TileKind};
use crate::place::Place;
use crate::policy::{Extent, Origin};
use crate::scope::Script;

use super::noscript::Noscript;
use super::odd;
use super::scribe::{HeardTile, Scribe};

/// The raw text that is open, if it may hold directives.
#[derive(Debug, Default)]
pub(super) struct Raw {
    noscript: Option<Noscript>,
    script: Option<(Script, Place)>,
    literal: Option<Literal>,
}

/// The text of a `title` or a `textarea`.
#[derive(Debug)]
struct Literal {
    place: Place,
    text: String,
}

/// The bytes of a title that are looked through for marks.
const LOOKED_THROUGH: usize = 4096;

impl Raw {
    /// Follows a tile. Raw text that ends before it is read now.
    pub(super) fn tile(&mut self, tile: &Tile<'_>, scribe: &mut Scribe, ledger: &mut Ledger) -> Result<HeardTile> {
        if tile.kind() == TileKind::Text {
            self.read(tile.raw(), scribe.terms.limits.noscript_bytes);
            return Ok(HeardTile::default());
        }
        let heard = self.end(scribe, ledger)?;
        if tile.kind() == TileKind::Start {
            self.noscript = (tile.name() == "noscript").then(|| Noscript::behind(tile));
            let begun = Script::begun(tile, tile.is_foreign(), &scribe.terms.dialects);
            self.script = begun.map(|script| (script, tile.place()));
            let is_literal = matches!(tile.tag(), Tag::TITLE | Tag::TEXTAREA) && !tile.is_foreign();
            self.literal = is_literal.then(|| Literal { place: tile.place(), text: String::new() });
        }
        Ok(heard)
    }

    pub(super) fn is_none(&self) -> bool {
        self.noscript.is_none() && self.script.is_none() && self.literal.is_none()
    }

    fn read(&mut self, text: &str, most: u64) {
        if let Some(noscript) = &mut self.noscript {
            noscript.read(text, most);
        }
        if let Some((script, _)) = &mut self.script {
            script.read(text);
        }
        if let Some(literal) = &mut self.literal {
            let room = LOOKED_THROUGH.saturating_sub(literal.text.len());
            literal.text.push_str(&text[..text.floor_char_boundary(room)]);
        }
    }

    /// Ends the open raw text, and reads it.
    pub(super) fn end(&mut self, scribe: &mut Scribe, ledger: &mut Ledger) -> Result<HeardTile> {
        let mut heard = HeardTile::default();
        if let Some(noscript) = self.noscript.take() {
            heard.and(noscript.search(scribe, ledger)?);
        }
        if let Some((script, place)) = self.script.take() {
            heard.and(said(script, Origin::Page(place), scribe, ledger)?);
        }
        if let Some(Literal { place, text }) = self.literal.take() {
            odd::note_literal(&text, place, &scribe.terms.dialects, ledger);
        }
        Ok(heard)
    }
}

/// Writes down the directives of a script.
fn said(script: Script, origin: Origin, scribe: &mut Scribe, ledger: &mut Ledger) -> Result<HeardTile> {
    match script {
        Script::JsonLd(script) => {
            let terms = scribe.terms.clone();
            let mut ear = terms.ear();
            dialect::json_ld(script, &mut ear);
            scribe.take(ear, origin, |_| JSON_LD.to_owned(), ledger)
        }
        Script::Licence(licence) => {
            scribe.licence("in this page", &licence.end(), (origin, Extent::Page), rsl::SCRIPT, ledger)?;
            Ok(HeardTile::default())
        }
    }
}
