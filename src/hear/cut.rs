//! A page whose last bytes are known to be missing (docs/semantics.md, section 3).
//!
//! A META that denies may be anywhere in a page, so it may be in the missing part. The page is withheld as if it were
//! there, unless `</html>` was seen with nothing behind it but white space and comments. Then the missing part is
//! assumed to be more of these. The reader of the input knows which bytes are missing, and reports it here.

use crate::dialect::{CUT_SHORT, Dialects, PAGE};
use crate::error::Result;
use crate::html;
use crate::ledger::Ledger;
use crate::lex::{Tile, TileKind};
use crate::note::NoteKind;
use crate::policy::{Extent, Origin};

/// The state of a page's end.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// The last bytes of the page are known to be missing.
    is_missing: bool,
    /// `</html>` was seen, and nothing but white space and comments after it.
    is_here: bool,
}

impl Ending {
    pub(super) fn pass(&mut self, tile: &Tile<'_>) {
        self.is_here = match tile.kind() {
            TileKind::End if tile.name() == "html" => true,
            TileKind::Text => self.is_here && tile.text().bytes().all(html::is_white_space),
            // A comment that does not end may itself be cut short.
            TileKind::Comment => self.is_here && tile.raw().ends_with("-->"),
            _ => false,
        };
    }

    /// True if the end of the page was not seen.
    pub(super) fn is_open(&self) -> bool {
        !self.is_here
    }

    /// Notes that the last bytes of the page are known to be missing.
    pub(super) fn cut_short(&mut self) {
        self.is_missing = true;
    }

    /// True if the last bytes of the page are known to be missing.
    pub(super) fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// Denies all that a META can, since the missing part might.
    pub(super) fn doubt(&self, dialects: &Dialects, ledger: &mut Ledger) -> Result<()> {
        if !self.is_missing {
            return Ok(());
        }
        let is_withheld = !self.is_here && dialects.has(CUT_SHORT);
        let message = match (self.is_here, is_withheld) {
            (true, _) => "the page is cut short behind its `</html>`: it is used as it is",
            (_, true) => "the page is cut short: it is not used, since what is missing may forbid it",
            _ => "the page is cut short, and what is missing may forbid it: it is used all the same, as you asked",
        };
        ledger.tell(NoteKind::CutShort, None, None, message);
        if is_withheld {
            let text = "the end of the page is missing".to_owned();
            ledger.deny(PAGE, Extent::Page, CUT_SHORT, Origin::Input, text)?;
        }
        Ok(())
    }
}
