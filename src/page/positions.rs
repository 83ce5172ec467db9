//! The positions of words in the phrases of a field. The index, exports and indexers of others
//! count by this one rule.
//!
//! Words of one phrase stand side by side. Between two phrases [`PHRASE_GAP`] is left, since
//! something that a publisher withheld may stand there: no phrase query reaches across, whatever
//! its slop.

use std::borrow::Cow;

use crate::words::{Word, words};

/// The distance from the position of a phrase's last word to that of the first word of the next
/// phrase. It is more than any usual slop of a phrase query.
pub const PHRASE_GAP: u32 = 1000;

/// The positions that are used, from 0 on. Words after the last one are left out: with fewer bits
/// than they need, two of them could meet.
pub const POSITIONS: u32 = u32::MAX - PHRASE_GAP;

/// The distance from a word to the next one.
pub fn step(begins_phrase: bool) -> u32 {
    if begins_phrase { PHRASE_GAP } else { 1 }
}

/// A word of a field, with its position.
#[derive(Clone, Debug)]
pub struct PositionedWord<'a> {
    position: u32,
    phrase: usize,
    word: Word<'a>,
    folded: Cow<'a, str>,
}

impl<'a> PositionedWord<'a> {
    /// The position, as postings have it: 1 after the word before, or [`PHRASE_GAP`] after it
    /// where a phrase begins.
    pub fn position(&self) -> u32 {
        self.position
    }

    /// The number of its phrase, from 0.
    pub fn phrase(&self) -> usize {
        self.phrase
    }

    /// The start of the word in its phrase, in bytes.
    pub fn start(&self) -> usize {
        self.word.start()
    }

    /// The end of the word in its phrase, in bytes.
    pub fn end(&self) -> usize {
        self.word.end()
    }

    /// The word as it is written.
    pub fn text(&self) -> &'a str {
        self.word.text()
    }

    /// The word as an index has it: see [`Word::folded`].
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The text of [`PositionedWord::folded`], which is borrowed if possible.
    pub fn into_folded(self) -> Cow<'a, str> {
        self.folded
    }
}

/// The words of a field's phrases, each with its position. An engine that takes these positions as
/// they are never finds a phrase that runs across what a publisher withheld. Give all phrases of a
/// field at once; [`Page::words`](crate::Page::words) has those of the body.
///
/// A word that [`Word::folded`] leaves out has no position, and a phrase without words leaves no
/// second gap. Words for which 32 bits have no position are left out.
///
/// ```
/// use heedful::{Bot, Filter, PHRASE_GAP, words_of};
///
/// let html = b"<title>Rye</title><p>Dark rye <!--noindex-->for 3.20<!--/noindex--> bread";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let words: Vec<_> = words_of(page.title().iter().chain(page.phrases())).collect();
/// let postings: Vec<_> = words.iter().map(|word| (word.folded(), word.position())).collect();
/// assert_eq!(postings, [("rye", 0), ("dark", PHRASE_GAP), ("rye", PHRASE_GAP + 1), ("bread", 2 * PHRASE_GAP + 1)]);
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
            Some((position, before)) => position + step(phrase > before),
            None => 0,
        };
        // The last one stays where it is, so that nothing comes after it.
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
