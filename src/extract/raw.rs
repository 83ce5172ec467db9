//! Reads raw text that may hold directives: that of a `noscript`, and of a script that is JSON-LD
//! or a licence. The text is read when its element ends. Marks in a `title` or a `textarea` are
//! text to HTML, so they get only a note.

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

/// Raw text of the element that is open now, buffered if the text may hold directives or region
/// marks.
#[derive(Debug, Default)]
pub(super) enum RawTextScan {
    #[default]
    None,
    Noscript(Noscript),
    Script(Script, Place),
    /// A `title` or a `textarea`: the beginning of its text, and the place of its start tag.
    Literal(String, Place),
}

/// Maximum number of bytes of a `title` or `textarea` that are searched for region marks.
const LOOKED_THROUGH: usize = 4096;

impl RawTextScan {
    /// Passes a token to the open raw text. Any token other than text ends the raw text. Then the
    /// statements of the raw text are returned.
    pub(super) fn read_token(
        &mut self,
        token: &Token<'_>,
        recorder: &mut StatementRecorder,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        if token.kind() == TokenKind::Text {
            self.read(token.raw(), recorder.terms.limits.noscript_bytes);
            return Ok(ExtractedStatements::default());
        }
        let statements = self.end(recorder, ledger)?;
        if token.kind() == TokenKind::Start {
            *self = Self::begin(token, &recorder.terms.conventions);
        }
        Ok(statements)
    }

    fn begin(token: &Token<'_>, conventions: &Conventions) -> Self {
        match token.name() {
            "noscript" => Self::Noscript(Noscript::new(token)),
            "title" | "textarea" if !token.is_foreign() => {
                Self::Literal(String::new(), token.place())
            }
            _ => {
                let script = Script::begin(token, token.is_foreign(), conventions);
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

    /// Ends the open raw text, such as the text of a `noscript`, as if its element ended here.
    /// Records the directives in this text. Does nothing if no raw text is open.
    pub(super) fn end(
        &mut self,
        recorder: &mut StatementRecorder,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        match std::mem::take(self) {
            Self::None => Ok(ExtractedStatements::default()),
            Self::Noscript(noscript) => noscript.search(recorder, ledger),
            Self::Script(script, place) => {
                record_script(script, Origin::Page(place), recorder, ledger)
            }
            Self::Literal(text, place) => {
                odd::note_literal(&text, place, &recorder.terms.conventions, ledger);
                Ok(ExtractedStatements::default())
            }
        }
    }
}

/// Records the directives of a script.
fn record_script(
    script: Script,
    origin: Origin,
    recorder: &mut StatementRecorder,
    ledger: &mut Ledger,
) -> Result<ExtractedStatements> {
    match script {
        Script::JsonLd(script) => {
            let terms = recorder.terms.clone();
            let mut collector = terms.collector();
            script.end(&mut collector);
            recorder.record(collector, origin, |_| json_ld::QUOTED.to_owned(), ledger)
        }
        Script::Licence(licence) => {
            recorder.record_licence(
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
