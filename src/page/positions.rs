//! The positions of words in the phrases of a field. `heedful-index`, `heedful-export` and other
//! indexers number words by this one rule.
//!
//! Two consecutive words of a phrase have consecutive positions. Between two phrases the distance
//! is [`PHRASE_GAP`], since text that a publisher withheld may be between them. So no phrase query
//! matches across the gap with a slop below [`PHRASE_GAP`] - 1.

use std::borrow::Cow;

use crate::words::{Word, words};

/// Distance from the position of a phrase's last word to the position of the next phrase's first
/// word. A phrase query matches across the gap only with a slop of 999 or more.
///
/// ```
/// use heedful::{PHRASE_GAP, words_of};
///
/// let positions: Vec<_> = words_of(["Dark rye", "bread"]).map(|word| word.position()).collect();
/// assert_eq!(positions, [0, 1, 1 + PHRASE_GAP]);
/// ```
pub const PHRASE_GAP: u32 = 1000;

/// Exclusive upper bound of the positions of words, which begin at 0. Words that would need a
/// position at or above this bound are left out. Otherwise positions could overflow, and words of
/// two phrases could become neighbours.
pub const POSITIONS: u32 = u32::MAX - PHRASE_GAP;

/// Distance from the position of a block's last word to the position of the next block's first
/// word. Only an index that keeps blocks apart uses this distance. In such an index, a phrase query
/// needs a slop of 99 or more to match across the end of a block.
///
/// ```
/// assert!(heedful::BLOCK_GAP < heedful::PHRASE_GAP);
/// ```
pub const BLOCK_GAP: u32 = 100;

/// Border between a word and the word before it. Variants are ordered from the weakest border to
/// the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parting {
    /// No border: both words are in the same phrase.
    Word,
    /// The end of a block, in an index that keeps blocks apart.
    Block,
    /// The end of a phrase. Text may have been withheld between the two words.
    Phrase,
}

/// Returns the difference between the positions of two consecutive words that have the border
/// `parting` between them.
pub fn step(parting: Parting) -> u32 {
    match parting {
        Parting::Word => 1,
        Parting::Block => BLOCK_GAP,
        Parting::Phrase => PHRASE_GAP,
    }
}

/// A word of a text field, such as the title, and the word's position in an index.
///
/// ```
/// use heedful::words_of;
///
/// let words: Vec<_> = words_of(["Dark Rye", "bread"]).collect();
/// let rye = &words[1];
/// assert_eq!((rye.text(), rye.folded()), ("Rye", "rye"));
/// assert_eq!((rye.phrase(), rye.start(), rye.end()), (0, 5, 8));
/// assert_eq!(words[2].phrase(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct PositionedWord<'a> {
    position: u32,
    phrase: usize,
    word: Word<'a>,
    folded: Cow<'a, str>,
}

impl<'a> PositionedWord<'a> {
    /// Returns the position of the word, as a posting of an index stores it. Positions begin at 0.
    /// The next word of the same phrase has the next position. The first word of the next phrase is
    /// [`PHRASE_GAP`] positions after the last word of this phrase.
    pub fn position(&self) -> u32 {
        self.position
    }

    /// Returns the index of the word's phrase in the phrases that were passed to [`words_of`], from
    /// 0.
    pub fn phrase(&self) -> usize {
        self.phrase
    }

    /// Returns the byte offset at which the word starts in its phrase.
    pub fn start(&self) -> usize {
        self.word.start()
    }

    /// Returns the byte offset at which the word ends in its phrase.
    pub fn end(&self) -> usize {
        self.word.end()
    }

    /// Returns the word as it is spelt in the page.
    pub fn text(&self) -> &'a str {
        self.word.text()
    }

    /// Returns the word in the folded form that an index stores: see [`Word::folded`].
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// Returns the word in the same form as [`PositionedWord::folded`], without a copy.
    pub fn into_folded(self) -> Cow<'a, str> {
        self.folded
    }
}

/// Returns the words of a field's phrases, each with its position. With these positions, no phrase
/// query with a slop below 999 matches across text that a publisher withheld. Pass all phrases of a
/// field in one call. For the body text, [`Page::words`](crate::Page::words) does this.
///
/// A word for which [`Word::folded`] returns `None` is skipped, and takes no position. A phrase
/// without words is skipped too, so only one gap is between its neighbours. Words whose position
/// would not fit into 32 bits are left out.
///
/// ```
/// use heedful::{Bot, Filter, PHRASE_GAP, words_of};
///
/// let html = b"<title>Rye</title><p>Dark rye <!--noindex-->for 3.20<!--/noindex--> bread";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let words: Vec<_> = words_of(page.title().iter().chain(page.phrases())).collect();
/// let postings: Vec<_> = words.iter().map(|word| (word.folded(), word.position())).collect();
/// let (dark, bread) = (PHRASE_GAP, 2 * PHRASE_GAP + 1);
/// assert_eq!(postings, [("rye", 0), ("dark", dark), ("rye", dark + 1), ("bread", bread)]);
/// assert_eq!((words[2].phrase(), words[2].start(), words[2].end()), (1, 5, 8));
/// # Ok::<(), heedful::Error>(())
/// ```
pub fn words_of<'a, T: AsRef<str> + ?Sized + 'a>(
    phrases: impl IntoIterator<Item = &'a T>,
) -> impl Iterator<Item = PositionedWord<'a>> {
    let mut last: Option<(u32, usize)> = None;
    let words = phrases.into_iter().enumerate().flat_map(|(phrase, text)| {
        words(text.as_ref()).filter_map(move |word| Some((phrase, word, word.folded()?)))
    });
    words.map_while(move |(phrase, word, folded)| {
        let position = match last {
            Some((position, before)) if phrase > before => position + step(Parting::Phrase),
            Some((position, _)) => position + step(Parting::Word),
            None => 0,
        };
        // `last` stays as it is, so that every later word is left out too.
        if position >= POSITIONS {
            return None;
        }
        last = Some((position, phrase));
        Some(PositionedWord {
            position,
            phrase,
            word,
            folded,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_without_words_leaves_no_second_gap() {
        let long = "x".repeat(300);
        let phrases = ["...", "Dark rye", "", "--", "bread", &long, "Rye"];
        let found: Vec<_> = words_of(phrases)
            .map(|word| (word.folded().to_owned(), word.position()))
            .collect();
        let expected = [("dark", 0), ("rye", 1), ("bread", 1001), ("rye", 2001)];
        assert_eq!(
            found,
            expected.map(|(word, position)| (word.to_owned(), position))
        );
    }

    #[test]
    fn a_word_tells_its_place_in_its_phrase() {
        let phrases = ["Ärger, \u{FB01}ne", "RYE"];
        for word in words_of(phrases) {
            assert_eq!(
                &phrases[word.phrase()][word.start()..word.end()],
                word.text()
            );
        }
        assert_eq!(
            words_of(phrases)
                .map(|word| word.folded().to_owned())
                .collect::<Vec<_>>(),
            ["ärger", "fine", "rye"]
        );
    }
}
