//! Scripts that speak, from their start tag to what they say.

use crate::dialect::{self, JSON_LD, rsl};
use crate::error::Result;
use crate::lex::{Tile, TileKind};
use crate::policy::{Extent, Origin};
use crate::scope::Script;

use super::Walk;

impl Walk {
    pub(super) fn watch_scripts(&mut self, tile: &Tile<'_>) -> Result<()> {
        match (&mut self.script, tile.kind()) {
            (Some((script, _)), TileKind::Text) => script.read(tile.raw()),
            (Some(_), _) => self.end_script()?,
            (None, _) => {}
        }
        if tile.kind() == TileKind::Start {
            let begun = Script::begun(tile, tile.is_foreign(), &self.terms.dialects);
            self.script = begun.map(|script| (script, tile.place()));
        }
        Ok(())
    }

    pub(super) fn end_script(&mut self) -> Result<()> {
        let Some((script, place)) = self.script.take() else { return Ok(()) };
        let origin = Origin::Page(place);
        match script {
            Script::JsonLd(script) => {
                let terms = self.terms.clone();
                let mut ear = terms.ear();
                dialect::json_ld(script, &mut ear);
                self.take(ear, origin, |_| JSON_LD.to_owned()).map(|_| ())
            }
            Script::Licence(licence) => {
                self.licence("in this page", &licence.end(), (origin, Extent::Page), rsl::SCRIPT)
            }
        }
    }
}
