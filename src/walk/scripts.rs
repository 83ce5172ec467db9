//! Scripts that speak: JSON-LD, where a convention in force speaks in it, and RSL licences (docs/semantics.md, sections 4.5 and 6.3).

use crate::dialect::{self, JSON_LD, NoSearch, rsl};
use crate::error::Result;
use crate::lex::{Tile, TileKind};
use crate::place::Place;
use crate::policy::{Extent, Origin};
use crate::scope::LicenceText;

use super::Walk;

/// What is read of scripts.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    /// Conventions in force speak there: in JSON-LD, and in licences.
    are_heard: (bool, bool),
    open: Option<(Script, Place)>,
}

#[derive(Debug)]
enum Script {
    JsonLd(NoSearch),
    Licence(LicenceText),
}

impl Scripts {
    pub(super) fn new(json_ld: bool, licences: bool) -> Self {
        Self { are_heard: (json_ld, licences), open: None }
    }

    fn begun(&self, tile: &Tile<'_>) -> Option<Script> {
        if tile.kind() != TileKind::Start || tile.name() != "script" || tile.is_foreign() {
            return None;
        }
        match self.are_heard {
            (true, _) if dialect::is_json_ld(tile) => Some(Script::JsonLd(NoSearch::default())),
            (_, true) if rsl::is_script(tile) => Some(Script::Licence(LicenceText::default())),
            _ => None,
        }
    }
}

impl Walk {
    pub(super) fn watch_scripts(&mut self, tile: &Tile<'_>) -> Result<()> {
        if tile.kind() == TileKind::Text {
            match &mut self.scripts.open {
                Some((Script::JsonLd(script), _)) => script.read(tile.raw()),
                Some((Script::Licence(licence), _)) => licence.read(tile.raw()),
                None => {}
            }
            return Ok(());
        }
        self.end_script()?;
        self.scripts.open = self.scripts.begun(tile).map(|script| (script, tile.place()));
        Ok(())
    }

    pub(super) fn end_script(&mut self) -> Result<()> {
        let Some((script, place)) = self.scripts.open.take() else { return Ok(()) };
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
