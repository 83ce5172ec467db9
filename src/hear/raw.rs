//! Raw text that may hold directives: a `noscript`, and a script that is JSON-LD or a licence. It is read when it ends.

use crate::dialect::{self, JSON_LD, rsl};
use crate::error::Result;
use crate::ledger::Ledger;
use crate::lex::{Tile, TileKind};
use crate::place::Place;
use crate::policy::{Extent, Origin};
use crate::scope::Script;

use super::noscript::Noscript;
use super::scribe::{HeardTile, Scribe};

/// The raw text that is open, if it may hold directives.
#[derive(Debug, Default)]
pub(super) struct Raw {
    noscript: Option<Noscript>,
    script: Option<(Script, Place)>,
}

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
        }
        Ok(heard)
    }

    pub(super) fn is_none(&self) -> bool {
        self.noscript.is_none() && self.script.is_none()
    }

    fn read(&mut self, text: &str, most: u64) {
        if let Some(noscript) = &mut self.noscript {
            noscript.read(text, most);
        }
        if let Some((script, _)) = &mut self.script {
            script.read(text);
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
