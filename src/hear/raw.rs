//! Raw text that may speak when it is over: a `noscript`, and a script that is JSON-LD or a licence.

use crate::error::Result;
use crate::ledger::Ledger;
use crate::lex::Tile;
use crate::place::Place;
use crate::scope::Script;

use super::cut::Ending;
use super::noscript::Noscript;
use super::{Heard, Hearing};

/// The raw text that is going by, if it is some to be heard.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) noscript: Option<Noscript>,
    pub(super) script: Option<(Script, Place)>,
    pub(super) ending: Ending,
}

impl Hearing {
    pub(super) fn raw_text(&mut self, tile: &Tile<'_>, ledger: &mut Ledger) -> Result<Heard> {
        let mut heard = self.watch_noscript(tile, ledger)?;
        heard.and(self.watch_script(tile, ledger)?);
        self.raw.ending.pass(tile);
        Ok(heard)
    }

    pub(super) fn end_raw_text(&mut self, ledger: &mut Ledger) -> Result<Heard> {
        let mut heard = self.search_noscript(ledger)?;
        heard.and(self.end_script(ledger)?);
        Ok(heard)
    }
}
