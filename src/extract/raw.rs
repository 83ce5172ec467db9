//! Raw text that may hold directives: a `noscript`, and a script that is JSON-LD or a licence. It
//! is read when it ends. Marks in a `title` or a `textarea` are text to HTML. They are noted.

use crate::convention::{Conventions, json_ld, rsl};
use crate::ledger::Ledger;
use crate::lex::{Token, TokenKind};
use crate::place::Place;
use crate::policy::{Extent, Origin};
use crate::scope::Script;
use heedful_base::error::Result;

use super::noscript::Noscript;
use super::odd;
use super::recorder::{ExtractedStatements, StatementRecorder};

/// The raw text that is open, if it may hold directives or marks.
#[derive(Debug, Default)]
pub(super) enum RawTextScan {
    #[default]
    None,
    Noscript(Noscript),
    Script(Script, Place),
    /// The beginning of a title or a textarea.
    Literal(String, Place),
}

/// The bytes of a title that are looked through for marks.
const LOOKED_THROUGH: usize = 4096;

impl RawTextScan {
    /// Follows a token. Raw text that ends before it is read now.
    pub(super) fn token(
        &mut self,
        token: &Token<'_>,
        scribe: &mut StatementRecorder,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        if token.kind() == TokenKind::Text {
            self.read(token.raw(), scribe.terms.limits.noscript_bytes);
            return Ok(ExtractedStatements::default());
        }
        let heard = self.end(scribe, ledger)?;
        if token.kind() == TokenKind::Start {
            *self = Self::begun(token, &scribe.terms.conventions);
        }
        Ok(heard)
    }

    fn begun(token: &Token<'_>, conventions: &Conventions) -> Self {
        match token.name() {
            "noscript" => Self::Noscript(Noscript::behind(token)),
            "title" | "textarea" if !token.is_foreign() => {
                Self::Literal(String::new(), token.place())
            }
            _ => {
                let script = Script::begun(token, token.is_foreign(), conventions);
                script.map_or(Self::None, |script| Self::Script(script, token.place()))
            }
        }
    }

    pub(super) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    fn read(&mut self, text: &str, most: u64) {
        match self {
            Self::None => {}
            Self::Noscript(noscript) => noscript.read(text, most),
            Self::Script(script, _) => script.read(text),
            Self::Literal(literal, _) => {
                let room = LOOKED_THROUGH.saturating_sub(literal.len());
                literal.push_str(&text[..text.floor_char_boundary(room)]);
            }
        }
    }

    /// Ends the open raw text, and reads it.
    pub(super) fn end(
        &mut self,
        scribe: &mut StatementRecorder,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        match std::mem::take(self) {
            Self::None => Ok(ExtractedStatements::default()),
            Self::Noscript(noscript) => noscript.search(scribe, ledger),
            Self::Script(script, place) => said(script, Origin::Page(place), scribe, ledger),
            Self::Literal(text, place) => {
                odd::note_literal(&text, place, &scribe.terms.conventions, ledger);
                Ok(ExtractedStatements::default())
            }
        }
    }
}

/// Writes down the directives of a script.
fn said(
    script: Script,
    origin: Origin,
    scribe: &mut StatementRecorder,
    ledger: &mut Ledger,
) -> Result<ExtractedStatements> {
    match script {
        Script::JsonLd(script) => {
            let terms = scribe.terms.clone();
            let mut ear = terms.ear();
            script.end(&mut ear);
            scribe.take(ear, origin, |_| json_ld::QUOTED.to_owned(), ledger)
        }
        Script::Licence(licence) => {
            scribe.licence(
                "in this page",
                &licence.end(),
                (origin, Extent::Page),
                rsl::SCRIPT,
                ledger,
            )?;
            Ok(ExtractedStatements::default())
        }
    }
}
