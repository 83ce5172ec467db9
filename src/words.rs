//! Text becomes words, the same way for the index and for queries.
//!
//! Boundaries by UAX #29 (unicode-segmentation): no words in Thai, Lao, Khmer runs, one a character in Han. A word is
//! folded: NFKC and lower case. A word of more than [`LONGEST`] bytes is no word anybody types; it is left out.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::UnicodeSegmentation;

/// The most bytes of a folded word.
pub(crate) const LONGEST: usize = 255;

/// The folded words of a text, with where each begins and ends in it.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, usize, Cow<'_, str>)> {
    text.unicode_word_indices()
        .map(|(start, word)| (start, start + word.len(), fold(word)))
        .filter(|(_, _, folded)| !folded.is_empty() && folded.len() <= LONGEST)
}

fn fold(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        let lower = word.bytes().any(|b| b.is_ascii_uppercase());
        return if lower { Cow::Owned(word.to_ascii_lowercase()) } else { Cow::Borrowed(word) };
    }
    let normal = is_nfkc_quick(word.chars()) == unicode_normalization::IsNormalized::Yes;
    let composed = if normal { Cow::Borrowed(word) } else { Cow::Owned(word.nfkc().collect()) };
    let lower = composed.to_lowercase();
    // NFKC may write one character as several words: they stay one word, as they were.
    Cow::Owned(if lower.contains(char::is_whitespace) { lower.split_whitespace().collect() } else { lower })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded() {
        let found = |text| words(text).map(|(_, _, word)| word.into_owned()).collect::<Vec<_>>();
        assert_eq!(found("Dark RYE, don't! 3.14 Ärger"), ["dark", "rye", "don't", "3.14", "ärger"]);
        assert_eq!(found("ＡＢＣ ﬁne e\u{301}"), ["abc", "fine", "é"]);
        assert_eq!(found("日本"), ["日", "本"]);
        assert_eq!(found(&"x".repeat(256)), [""; 0]);
    }
}
