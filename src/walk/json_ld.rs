//! JSON-LD scripts, where a convention in force speaks in them (docs/semantics.md, section 4.5).

use crate::dialect::{self, JSON_LD, NoSearch};
use crate::error::Result;
use crate::lex::{Tile, TileKind};
use crate::place::Place;
use crate::policy::Origin;

use super::Walk;

/// What is read of scripts.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    /// A convention in force speaks there.
    are_heard: bool,
    open: Option<(NoSearch, Place)>,
}

impl Scripts {
    pub(super) fn new(are_heard: bool) -> Self {
        Self { are_heard, open: None }
    }
}

impl Walk {
    pub(super) fn watch_scripts(&mut self, tile: &Tile<'_>) -> Result<()> {
        if !self.scripts.are_heard {
            return Ok(());
        }
        if tile.kind() == TileKind::Text {
            if let Some((script, _)) = &mut self.scripts.open {
                script.read(tile.raw());
            }
            return Ok(());
        }
        self.end_script()?;
        if tile.kind() == TileKind::Start && !tile.is_foreign() && dialect::is_json_ld(tile) {
            self.scripts.open = Some((NoSearch::default(), tile.place()));
        }
        Ok(())
    }

    pub(super) fn end_script(&mut self) -> Result<()> {
        let Some((script, place)) = self.scripts.open.take() else { return Ok(()) };
        let terms = self.terms.clone();
        let mut ear = terms.ear();
        dialect::json_ld(script, &mut ear);
        self.take(ear, Origin::Page(place), |_| JSON_LD.to_owned()).map(|_| ())
    }
}
