//! Scripts that speak, from their start tag to what they say.

use crate::dialect::{self, JSON_LD, rsl};
use crate::error::Result;
use crate::ledger::Ledger;
use crate::lex::{Tile, TileKind};
use crate::policy::{Extent, Origin};
use crate::scope::Script;

use super::{Heard, Hearing};

impl Hearing {
    pub(super) fn watch_script(&mut self, tile: &Tile<'_>, ledger: &mut Ledger) -> Result<Heard> {
        if let (Some((script, _)), TileKind::Text) = (&mut self.raw.script, tile.kind()) {
            script.read(tile.raw());
            return Ok(Heard::default());
        }
        let heard = self.end_script(ledger)?;
        if tile.kind() == TileKind::Start {
            let begun = Script::begun(tile, tile.is_foreign(), &self.terms.dialects);
            self.raw.script = begun.map(|script| (script, tile.place()));
        }
        Ok(heard)
    }

    pub(super) fn end_script(&mut self, ledger: &mut Ledger) -> Result<Heard> {
        let Some((script, place)) = self.raw.script.take() else { return Ok(Heard::default()) };
        let origin = Origin::Page(place);
        match script {
            Script::JsonLd(script) => {
                let terms = self.terms.clone();
                let mut ear = terms.ear();
                dialect::json_ld(script, &mut ear);
                self.take(ear, origin, |_| JSON_LD.to_owned(), ledger)
            }
            Script::Licence(licence) => {
                self.licence("in this page", &licence.end(), (origin, Extent::Page), rsl::SCRIPT, ledger)?;
                Ok(Heard::default())
            }
        }
    }
}
