//! A page whose last bytes are known to be missing (docs/semantics.md, section 3).
//!
//! A META of the head may be in the missing part, if the page breaks off before its head is closed.
//! The page is withheld then, as if a META that denies were there. A page that breaks off after
//! that counts as it is. The switch `cut-short` is for those who doubt it too: `</html>` must
//! have been seen, with nothing after it but white space and comments. Then the missing part is
//! assumed to be more of these. The reader of the input knows which bytes are missing, and reports
//! it here.

use crate::convention::{CUT_SHORT, Conventions, PAGE};
use crate::html;
use crate::ledger::Ledger;
use crate::lex::{Token, TokenKind};
use crate::note::NoteKind;
use crate::policy::{Extent, Origin};
use heedful_base::error::Result;

/// The state of a page's end.
#[derive(Debug, Default)]
pub(super) struct PageEnding {
    /// The last bytes of the page are known to be missing.
    is_missing: bool,
    /// `</html>` was seen, and nothing but white space and comments after it.
    is_seen: bool,
}

impl PageEnding {
    /// Follows a token. `is_of_page` tells that it is in no template.
    pub(super) fn update(&mut self, token: &Token<'_>, is_of_page: bool) {
        self.is_seen = match token.kind() {
            TokenKind::End if token.name() == "html" => is_of_page,
            TokenKind::Text => self.is_seen && token.text().bytes().all(html::is_white_space),
            // A comment that does not end may itself be cut short.
            TokenKind::Comment => self.is_seen && token.raw().ends_with("-->"),
            _ => false,
        };
    }

    /// True if the end of the page was not seen.
    pub(super) fn is_open(&self) -> bool {
        !self.is_seen
    }

    /// Notes that the last bytes of the page are known to be missing.
    pub(super) fn cut_short(&mut self) {
        self.is_missing = true;
    }

    /// True if the last bytes of the page are known to be missing.
    pub(super) fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// Denies all that a META can, if the missing part might. `is_behind_head` says that the head
    /// of the page was closed.
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
            _ if self.is_seen => "the page is cut short behind its `</html>`: it is used as it is",
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
