//! What the tree builder asks of a text: how it begins.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Token;

use crate::html::is_blank;

/// How a text begins.
#[derive(Default)]
pub(super) struct Beginning {
    pub(super) before: Vec<Token>,
    /// More follows than blanks and NULs.
    pub(super) is_solid: bool,
}

impl Beginning {
    pub(super) fn of(text: &str, null_is_solid: bool) -> Self {
        let mut beginning = Self::default();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let after = if is_blank(first) {
                let after = rest.trim_start_matches(is_blank);
                let blanks = &rest[..rest.len() - after.len()];
                beginning.before.push(Token::CharacterTokens(StrTendril::from(told(blanks))));
                after
            } else if first == '\0' && !null_is_solid {
                beginning.before.push(Token::NullCharacterToken);
                rest.trim_start_matches('\0')
            } else {
                beginning.is_solid = true;
                break;
            };
            rest = after;
        }
        beginning
    }
}

/// Of blanks, whether they begin with the end of a line: behind some tags one is ignored.
fn told(blanks: &str) -> &'static str {
    let blanks = blanks.strip_prefix("\r\n").map_or(blanks, |_| &blanks[1..]);
    match blanks.as_bytes() {
        [b'\n' | b'\r'] => "\n",
        [b'\n' | b'\r', ..] => "\n ",
        _ => " ",
    }
}
