//! Packs the words of one field into a string, on the calling thread. Indexing threads then only
//! split that string.
//!
//! A packed string begins with [`MARK`], and folded words follow. A blank separates two words of a
//! phrase, and [`BOUNDARY`] separates two phrases. Several anchor texts are concatenated, each
//! beginning with a [`MARK`] of its own. [`SPAN`] positions are reserved for each anchor text, so a
//! position identifies its anchor text. A text without [`MARK`] (a query, an excerpt) is split by
//! [`words`]. One tokenizer handles packed and plain texts, so an index and a query never differ in
//! what a word is. (tantivy also accepts a token stream that was made beforehand. It is four times
//! slower.)

use std::sync::Arc;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use heedful::internals::page::{POSITIONS, step};
use heedful::{PHRASE_GAP, Words, words};

use super::pending::Pending;

pub(super) const NAME: &str = "heedful";
const MARK: char = '\u{1}';
const BOUNDARY: char = '\u{2}';

/// Maximum number of words of one anchor text. Later words are dropped.
pub(super) const MOST_WORDS: usize = 64;
/// Number of token positions reserved for one anchor text. It suffices even if each word is a
/// phrase of its own, followed by a position gap.
const SPAN: usize = 1 << 16;
const _: () = assert!(MOST_WORDS * (PHRASE_GAP as usize) < SPAN);
/// Maximum number of anchor texts in one packed string.
pub(super) const MOST_NAMES: usize = 1 << 12;
const _: () = assert!(MOST_NAMES * SPAN < POSITIONS as usize);

/// Packs all words of the phrases of one field. Returns None if the phrases have no word.
pub(super) fn pack(phrases: &[impl AsRef<str>]) -> Option<String> {
    let bytes = phrases.iter().map(|phrase| phrase.as_ref().len() + 1).sum();
    // A folded word is nearly always as long as its source.
    let mut packed = String::with_capacity(bytes);
    append(&mut packed, phrases.iter().map(AsRef::as_ref), usize::MAX);
    // This buffer waits in tantivy's queue, so a short text must not hold a large buffer there.
    if packed.capacity() > 2 * packed.len() {
        packed.shrink_to_fit();
    }
    (!packed.is_empty()).then_some(packed)
}

/// Packs the first `most` words of the phrases of one field, and appends them to `packed`. Appends
/// nothing if the phrases have no word. Words beyond the last position of a field ([`POSITIONS`])
/// are dropped.
pub(super) fn append<'a>(
    packed: &mut String,
    phrases: impl IntoIterator<Item = &'a str>,
    most: usize,
) {
    let start = packed.len();
    let mut left = most;
    let mut room = POSITIONS as usize;
    for phrase in phrases {
        let mut mark = if packed.len() == start {
            MARK
        } else {
            BOUNDARY
        };
        let mut words = words(phrase);
        loop {
            // The first word of a second or later phrase comes after the gap.
            let gap = step(mark == BOUNDARY) as usize - 1;
            let fitting = left.min(room.saturating_sub(gap));
            if fitting == 0 {
                break;
            }
            let Some((some, number)) = words.some(fitting) else {
                break;
            };
            packed.push(mark);
            packed.push_str(&some);
            left -= number;
            room -= gap + number;
            mark = ' ';
        }
    }
    // Folding ASCII once over the whole text is faster than word by word.
    packed[start..].make_ascii_lowercase();
}

/// Converts packed text to plain words, separated by blanks.
pub(super) fn unpack(packed: &str) -> String {
    packed.trim_start_matches(MARK).replace(BOUNDARY, " ")
}

/// Splits a string of concatenated packed anchor texts. Iterates over the packed anchor texts, in
/// their order in the string.
pub(super) fn each_name(packed: &str) -> impl Iterator<Item = &str> {
    let starts = packed.match_indices(MARK).map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([packed.len()]);
    starts.zip(ends).map(|(start, end)| &packed[start..end])
}

/// Returns the number of the anchor text that contains a token position. The anchor texts of a
/// packed string are counted from 0.
pub(super) fn name_at(position: u32) -> usize {
    position as usize / SPAN
}

/// True if a text is packed: it begins with [`MARK`].
fn is_packed(text: &str) -> bool {
    text.starts_with(MARK)
}

/// The tokenizer of all text fields, for packed texts and for plain ones.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedWords {
    /// Counter of the packed bytes in tantivy's queue of documents. It is decreased when a packed
    /// text is tokenized.
    pub(super) pending: Arc<Pending>,
}

impl Tokenizer for PackedWords {
    type TokenStream<'a> = Tokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens<'a> {
        let source = if is_packed(text) {
            self.pending.remove(text);
            PackedSource::Packed { text, at: 0 }
        } else {
            PackedSource::Text(Box::new(words(text)))
        };
        Tokens {
            source,
            token: Token {
                position: usize::MAX,
                ..Token::default()
            },
        }
    }
}

pub(super) struct Tokens<'a> {
    source: PackedSource<'a>,
    token: Token,
}

enum PackedSource<'a> {
    Packed { text: &'a str, at: usize },
    Text(Box<Words<'a>>),
}

/// Returns the token position of the word that follows the separator `mark`. `position` is that of
/// the preceding word, or `usize::MAX` if there is none.
fn next_position(position: usize, mark: u8) -> usize {
    match mark {
        _ if position == usize::MAX => 0,
        mark if mark != MARK as u8 => position + step(mark == BOUNDARY as u8) as usize,
        _ => (position / SPAN + 1) * SPAN,
    }
}

impl Tokens<'_> {
    fn put(token: &mut Token, position: usize, (start, end, word): (usize, usize, &str)) {
        token.position = position.min(POSITIONS as usize);
        token.offset_from = start;
        token.offset_to = end;
        token.text.clear();
        token.text.push_str(word);
    }
}

impl TokenStream for Tokens<'_> {
    fn advance(&mut self) -> bool {
        match &mut self.source {
            PackedSource::Text(words) => {
                match words.find_map(|word| Some((word, word.folded()?))) {
                    Some((word, folded)) => {
                        let position = next_position(self.token.position, b' ');
                        Self::put(
                            &mut self.token,
                            position,
                            (word.start(), word.end(), &folded),
                        );
                        true
                    }
                    None => false,
                }
            }
            PackedSource::Packed { text, at } => {
                let Some(mark) = text.as_bytes().get(*at) else {
                    return false;
                };
                let position = next_position(self.token.position, *mark);
                let start = *at + 1;
                // Words contain no byte that is a blank or a control character.
                let length = text.as_bytes()[start..].iter().position(|b| *b <= b' ');
                let end = length.map_or(text.len(), |length| start + length);
                Self::put(&mut self.token, position, (start, end, &text[start..end]));
                *at = end;
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
    use heedful::words_of;

    fn name_of(phrases: &[&str]) -> String {
        let mut packed = String::new();
        append(&mut packed, phrases.iter().copied(), MOST_WORDS);
        packed
    }

    fn positions(text: &str) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        PackedWords::default()
            .token_stream(text)
            .process(&mut |token| found.push((token.text.clone(), token.position)));
        found
    }

    #[test]
    fn boundaries_are_gaps() {
        let packed = pack(&["Dark rye", "...", "bread. Rye"]).unwrap();
        let expected = [("dark", 0), ("rye", 1), ("bread", 1001), ("rye", 1002)]
            .map(|(w, p)| (w.to_owned(), p));
        assert_eq!(positions(&packed), expected);
        assert_eq!(pack(&["--"]), None);
    }

    #[test]
    fn positions_are_those_that_others_get() {
        let long = "x".repeat(300);
        for phrases in [
            &["Dark RYE", "...", "bread. Rye"][..],
            &["--", "Ärger 日本", "", &long, "ﬁne x y z"],
            &["", "a"],
        ] {
            let others = words_of(phrases.iter().copied());
            let expected: Vec<_> = others
                .map(|word| (word.folded().to_owned(), word.position() as usize))
                .collect();
            assert_eq!(positions(&pack(phrases).unwrap()), expected);
        }
    }

    #[test]
    fn a_position_tells_the_name() {
        let phrases = vec!["x"; MOST_WORDS + 1];
        let names = [vec!["Dark rye"], phrases, vec!["rye", "bread"]];
        let packed: Vec<_> = names.iter().map(|name| name_of(name)).collect();
        let text = packed.concat();
        assert_eq!(each_name(&text).collect::<Vec<_>>(), packed);
        let found: Vec<_> = positions(&text)
            .into_iter()
            .map(|(_, p)| (name_at(p as u32), p % SPAN))
            .collect();
        let long = (0..MOST_WORDS).map(|word| (1, word * PHRASE_GAP as usize));
        let expected = [(0, 0), (0, 1)]
            .into_iter()
            .chain(long)
            .chain([(2, 0), (2, 1000)]);
        assert_eq!(found, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_query_is_split_like_a_page() {
        assert_eq!(
            positions("Dark RYE"),
            [("dark".to_owned(), 0), ("rye".to_owned(), 1)]
        );
    }
}
