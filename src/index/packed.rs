//! A field's words as one string, made on the adding thread, so that the writer's own threads have little to do.
//!
//! Form: [`MARK`], then folded words with a blank between two, and [`BOUNDARY`] where a phrase ends. Text that does not
//! begin with the mark (a query, an excerpt) is split by `words`. One tokenizer does both, so the two can never differ
//! in what a word is. (A token stream made beforehand, which tantivy also takes, is four times slower.)

use std::sync::Arc;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::words::words;

use super::GAP;
use super::pending::Pending;

pub(super) const NAME: &str = "heedful";
const MARK: char = '\u{1}';
const BOUNDARY: char = '\u{2}';

/// Packs phrases. No word, no string.
pub(super) fn pack<'a>(phrases: impl IntoIterator<Item = &'a str>) -> Option<String> {
    pack_words(phrases, usize::MAX)
}

/// The same, of the first words alone. What would not have a position of its own is left out.
pub(super) fn pack_words<'a>(phrases: impl IntoIterator<Item = &'a str>, most: usize) -> Option<String> {
    let mut packed = String::new();
    let (mut left, mut position) = (most, 0);
    for phrase in phrases {
        let mut boundary = !packed.is_empty();
        for (_, _, word) in words(phrase).take(left) {
            position += if boundary { GAP as usize } else { 1 };
            if position > LAST_POSITION {
                return Some(packed);
            }
            packed.push(match (packed.is_empty(), boundary) {
                (true, _) => MARK,
                (false, true) => BOUNDARY,
                (false, false) => ' ',
            });
            packed.push_str(&word);
            boundary = false;
            left -= 1;
        }
    }
    (!packed.is_empty()).then_some(packed)
}

/// Packed text as people read it.
pub(super) fn unpack(packed: &str) -> String {
    packed.trim_start_matches(MARK).replace(BOUNDARY, " ")
}

/// Whether a text is packed.
pub(super) fn is_packed(text: &str) -> bool {
    text.starts_with(MARK)
}

/// The tokenizer of all text fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    /// Packed text is taken off this.
    pub(super) pending: Arc<Pending>,
}

impl Tokenizer for Packed {
    type TokenStream<'a> = Tokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens<'a> {
        let source = if is_packed(text) {
            self.pending.remove(text);
            Source::Packed { rest: text, at: 0 }
        } else {
            Source::Text(Box::new(words(text)))
        };
        Tokens { source, token: Token { position: usize::MAX, ..Token::default() } }
    }
}

pub(super) struct Tokens<'a> {
    source: Source<'a>,
    token: Token,
}

enum Source<'a> {
    Packed { rest: &'a str, at: usize },
    Text(Box<dyn Iterator<Item = (usize, usize, std::borrow::Cow<'a, str>)> + 'a>),
}

/// Positions are 32 bits wide; what would stand behind this one is left out.
const LAST_POSITION: usize = (u32::MAX - GAP) as usize;

impl Tokens<'_> {
    fn put(token: &mut Token, step: usize, (start, end, word): (usize, usize, &str)) {
        let first = token.position == usize::MAX;
        let next = if first { 0 } else { token.position + step };
        token.position = next.min(LAST_POSITION);
        token.offset_from = start;
        token.offset_to = end;
        token.text.clear();
        token.text.push_str(word);
    }
}

impl TokenStream for Tokens<'_> {
    fn advance(&mut self) -> bool {
        match &mut self.source {
            Source::Text(words) => match words.next() {
                Some((start, end, word)) => {
                    Self::put(&mut self.token, 1, (start, end, &word));
                    true
                }
                None => false,
            },
            Source::Packed { rest, at } => {
                let Some(mark) = rest.chars().next() else { return false };
                let word = &rest[1..];
                let length = word.bytes().position(|b| b == b' ' || b == BOUNDARY as u8).unwrap_or(word.len());
                let step = if mark == BOUNDARY { GAP as usize } else { 1 };
                let span = (*at + 1, *at + 1 + length);
                Self::put(&mut self.token, step, (span.0, span.1, &word[..length]));
                *rest = &word[length..];
                *at = span.1;
                true
            }
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(text: &str) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        Packed::default().token_stream(text).process(&mut |token| found.push((token.text.clone(), token.position)));
        found
    }

    #[test]
    fn boundaries_are_gaps() {
        let packed = pack(["Dark rye", "...", "bread. Rye"]).unwrap();
        let expected = [("dark", 0), ("rye", 1), ("bread", 1001), ("rye", 1002)].map(|(w, p)| (w.to_owned(), p));
        assert_eq!(positions(&packed), expected);
        assert_eq!(pack(["--"]), None);
    }

    #[test]
    fn a_query_is_split_like_a_page() {
        assert_eq!(positions("Dark RYE"), [("dark".to_owned(), 0), ("rye".to_owned(), 1)]);
    }
}
