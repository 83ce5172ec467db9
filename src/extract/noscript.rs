//! Reads META robots inside `noscript`, and obeys them if they deny (docs/semantics.md, section 3).
//!
//! A browser with scripting on reads the content of a `noscript` as raw text. The text is buffered
//! up to a limit, and searched for META when the element ends. A text that is too long to be
//! searched is treated as a denial. Allowances in the text are ignored.

use crate::convention::{self, PAGE};
use crate::ledger::Ledger;
use crate::lex::{Lexer, Token, TokenKind};
use crate::note::NoteKind;
use crate::place::Place;
use crate::policy::{Extent, Origin};
use heedful_base::error::Result;

use super::recorder::{ExtractedStatements, StatementRecorder};

/// Buffered raw text of an open `noscript`.
#[derive(Debug)]
pub(super) struct Noscript {
    text: String,
    place: Place,
    too_long: bool,
}

impl Noscript {
    pub(super) fn new(token: &Token<'_>) -> Self {
        Self {
            text: String::new(),
            place: token.place().after(token.raw()),
            too_long: false,
        }
    }

    pub(super) fn read(&mut self, text: &str, most: u64) {
        self.too_long |= (self.text.len() + text.len()) as u64 > most;
        if !self.too_long {
            self.text.push_str(text);
        }
    }

    /// Searches the buffered text for META robots, and records their denials.
    pub(super) fn search(
        self,
        recorder: &mut StatementRecorder,
        ledger: &mut Ledger,
    ) -> Result<ExtractedStatements> {
        let mut statements = ExtractedStatements::default();
        if self.too_long {
            self.deny_all(ledger)?;
            return Ok(statements);
        }
        if !contains_meta(&self.text) {
            return Ok(statements);
        }
        let terms = recorder.terms.clone();
        let mut inner = Lexer::from_place(&terms.limits, self.place);
        let mut out = |token: &Token<'_>| {
            if token.kind() != TokenKind::Start || token.name() != "meta" {
                return Ok(());
            }
            let mut collector = terms.collector();
            convention::element(token, &mut collector);
            collector.keep_page_denials();
            statements.append(recorder.record(
                collector,
                Origin::Page(token.place()),
                |_| token.raw().to_owned(),
                ledger,
            )?);
            Ok(())
        };
        inner.write(&rename_noscripts(self.text), &mut out)?;
        inner.end(&mut out)?;
        Ok(statements)
    }

    /// Denies all uses that a META can deny. Called for a `noscript` with a text that is too long
    /// to be searched. Such a text might have a META that denies any of these uses.
    fn deny_all(&self, ledger: &mut Ledger) -> Result<()> {
        let message = "this noscript is too long to be searched for META robots: it is taken to say all that a META can deny";
        ledger.note_for_all(
            NoteKind::LongNoscript,
            Some("meta"),
            Some(self.place),
            message,
        );
        ledger.deny(
            PAGE,
            Extent::Page,
            "meta",
            Origin::Page(self.place),
            "<noscript>".to_owned(),
        )?;
        Ok(())
    }
}

/// Returns the text of a `noscript` with each tag name `noscript` in it changed to an unknown name.
/// After an inner `noscript` tag, the lexer would read raw text. A browser without scripts reads
/// tags there.
fn rename_noscripts(mut text: String) -> String {
    const NAME: &str = "noscript";
    let mut found = Vec::new();
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let start = at + 1 + usize::from(text[at + 1..].starts_with('/'));
        let range = start..start + NAME.len();
        if let Some(name) = text.get(range.clone())
            && name.eq_ignore_ascii_case(NAME)
        {
            found.push(range);
        }
    }
    for range in found {
        text.replace_range(range, "noscripz");
    }
    text
}

/// True if the text of a `noscript` may hold a META, or is too long to be searched: longer than
/// `most` bytes.
pub(super) fn may_have_meta(text: &str, most: u64) -> bool {
    text.len() as u64 > most || contains_meta(text)
}

fn contains_meta(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|at| match bytes.get(at + 1..at + 5) {
        Some(name) => name.eq_ignore_ascii_case(b"meta"),
        None => false,
    })
}
