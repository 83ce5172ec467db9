//! Denies the uses of a page if its last bytes are known to be missing and the missing bytes may
//! hold a denial (docs/semantics.md, section 3).
//!
//! If the page breaks off before its head is closed, the missing part may hold a META that denies.
//! Then the page is withheld, as if it had this META. A page that breaks off after its head is read
//! like a complete page, unless the switch `cut-short` is on.
//!
//! The switch `cut-short` is for operators who distrust also a page that breaks off after its head.
//! With it, such a page is withheld unless `</html>` was seen, followed only by white space and
//! comments. The missing part is then assumed to be more white space and comments.
//!
//! The code that reads the input knows whether bytes are missing, and reports it here. This file
//! never guesses from the page alone that the page is cut short.

use crate::convention::{CUT_SHORT, Conventions, PAGE};
use crate::html;
use crate::ledger::Ledger;
use crate::lex::{Token, TokenKind};
use crate::note::NoteKind;
use crate::policy::{Extent, Origin};
use heedful_base::error::Result;

/// Facts about the end of the page, updated token by token.
#[derive(Debug, Default)]
pub(super) struct PageEnding {
    /// True if the last bytes of the page are known to be missing.
    is_missing: bool,
    /// True if `</html>` was seen, followed only by white space and comments.
    is_seen: bool,
}

impl PageEnding {
    /// Updates the facts about the page's end with the next token. `is_of_page` is true if the
    /// token is in no template or shadow root.
    pub(super) fn update(&mut self, token: &Token<'_>, is_of_page: bool) {
        self.is_seen = match token.kind() {
            TokenKind::End if token.name() == "html" => is_of_page,
            TokenKind::Text => self.is_seen && token.text().bytes().all(html::is_white_space),
            // A comment without its `-->` may itself be cut short.
            TokenKind::Comment => self.is_seen && token.raw().ends_with("-->"),
            _ => false,
        };
    }

    /// True if the end of the page was not seen. The end is `</html>`, followed only by white space
    /// and comments.
    pub(super) fn is_open(&self) -> bool {
        !self.is_seen
    }

    /// Records that the last bytes of the page are missing.
    pub(super) fn cut_short(&mut self) {
        self.is_missing = true;
    }

    /// True if the last bytes of the page are known to be missing.
    pub(super) fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// Adds a note if the last bytes of the page are known to be missing. In these two cases, also
    /// denies all uses that a META can deny:
    /// - The head of the page was not closed, so `is_behind_head` is false.
    /// - The switch `cut-short` is on, and the `</html>` at the end was not seen.
    pub(super) fn deny_if_missing(
        &self,
        is_behind_head: bool,
        conventions: &Conventions,
        ledger: &mut Ledger,
    ) -> Result<()> {
        if !self.is_missing {
            return Ok(());
        }
        let is_strict = conventions.has(CUT_SHORT);
        let is_withheld = !is_behind_head || is_strict && !self.is_seen;
        let message = match (is_behind_head, is_withheld) {
            (false, _) => {
                "the page is cut short before its head is closed: it is not used, since what is missing may forbid it"
            }
            (_, true) => {
                "the page is cut short: it is not used, as you asked, since what is missing may forbid it"
            }
            _ if self.is_seen => "the page is cut short after its `</html>`: it is used as it is",
            _ => "the page is cut short in its body: what is there is used",
        };
        ledger.note_for_all(NoteKind::CutShort, None, None, message);
        if is_withheld {
            let text = "the end of the page is missing".to_owned();
            ledger.deny(PAGE, Extent::Page, CUT_SHORT, Origin::Input, text)?;
        }
        Ok(())
    }
}
