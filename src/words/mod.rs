//! Cuts text into words, in the same way for the index, for queries, and for other indexes.
//!
//! Boundaries follow UAX #29 (unicode-segmentation): runs of Thai, Lao and Khmer are not split, and
//! in Han each character is a word. A word is folded: NFKC and lower case. A word of more than
//! [`LONGEST`] bytes is left out, since no query contains such a word.
//!
//! Nearly all text consists of letters, digits and marks to which few of the rules of UAX #29 apply
//! ([`Class`]). These rules are applied here. A stretch with any other character is left to
//! unicode-segmentation. A stretch begins and ends at offsets that are word boundaries whatever the
//! text around it is. Most words are of ASCII letters and digits with one blank between them. They
//! are read together (`run`).

mod class;
mod run;

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::{UnicodeSegmentation, UnicodeWordIndices};

pub use class::LONGEST;
use class::{BEYOND, CLASSES, Class, MID, UNDERSCORE, WORD, has_kind};

/// Returns the words of a text, in order. heedful's own index and its queries use this function.
/// Another index that cuts and folds words with this function finds the same results.
///
/// Call this function for one phrase at a time ([`Page::phrases`](crate::Page::phrases)), since
/// words of two phrases must not match as one phrase. [`words_of`](crate::words_of) calls it for
/// each phrase of a field, and gives each word its position.
///
/// ```
/// use heedful::words;
///
/// let text = "Dark RYE, 3.14 Ärger";
/// let found: Vec<_> = words(text).filter_map(|word| word.folded()).collect();
/// assert_eq!(found, ["dark", "rye", "3.14", "ärger"]);
/// let places: Vec<_> = words(text).map(|word| (word.start(), word.text())).collect();
/// assert_eq!(places, [(0, "Dark"), (5, "RYE"), (10, "3.14"), (15, "Ärger")]);
/// ```
pub fn words(text: &str) -> Words<'_> {
    Words {
        text,
        at: 0,
        stretch: None,
    }
}

/// A word with its offset in the text.
///
/// ```
/// use heedful::words;
///
/// let text = "Dark RYE";
/// let rye = words(text).nth(1).unwrap();
/// assert_eq!(rye.folded().as_deref(), Some("rye")); // the term of an index
/// assert_eq!(&text[rye.start()..rye.end()], "RYE"); // what to highlight
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    start: usize,
    text: &'a str,
    /// True if the word equals its NFKC form.
    is_normal: bool,
    is_ascii: bool,
}

impl<'a> Word<'a> {
    /// Returns the byte offset in the text at which the word starts.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the byte offset in the text at which the word ends.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns the word in the spelling of the text, without folding.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the word in its folded form, except that capital ASCII letters may remain. The word
    /// is borrowed if possible. `None` if the folded word is longer than 255 bytes.
    #[inline]
    fn nearly_folded(&self) -> Option<Cow<'a, str>> {
        let folded = if self.is_ascii {
            Cow::Borrowed(self.text)
        } else {
            self.fold()
        };
        (1..=LONGEST).contains(&folded.len()).then_some(folded)
    }

    /// Returns the word as an index stores it for search: NFKC, in lower case. Returns `None` if
    /// this form is longer than 255 bytes. An index leaves out such a word, and gives the word no
    /// position.
    ///
    /// ```
    /// use heedful::words;
    ///
    /// let folded = |text| words(text).filter_map(|word| word.folded()).collect::<Vec<_>>();
    /// assert_eq!(folded("ÄRGER \u{FB01}sh"), ["ärger", "fish"]); // lower case, and no ligature
    /// assert!(folded(&"a".repeat(256)).is_empty()); // too long for an index
    /// ```
    pub fn folded(&self) -> Option<Cow<'a, str>> {
        let mut folded = self.nearly_folded()?;
        if folded.bytes().any(|b| b.is_ascii_uppercase()) {
            folded.to_mut().make_ascii_lowercase();
        }
        Some(folded)
    }

    fn fold(&self) -> Cow<'a, str> {
        if self.is_normal {
            let is_lower = self
                .text
                .chars()
                .all(|character| character.is_ascii() || !character.is_uppercase());
            return if is_lower {
                Cow::Borrowed(self.text)
            } else {
                Cow::Owned(self.text.to_lowercase())
            };
        }
        let is_normal =
            is_nfkc_quick(self.text.chars()) == unicode_normalization::IsNormalized::Yes;
        let composed = if is_normal {
            Cow::Borrowed(self.text)
        } else {
            Cow::Owned(self.text.nfkc().collect())
        };
        let lower = composed.to_lowercase();
        // NFKC may expand one character to several words. They are joined to one word again.
        Cow::Owned(if lower.contains(char::is_whitespace) {
            lower.split_whitespace().collect()
        } else {
            lower
        })
    }
}

/// Iterator over the words of a text.
///
/// ```
/// use heedful::words;
///
/// // Counts words without allocating.
/// assert_eq!(words("Dark rye, and more rye.").count(), 5);
/// ```
#[derive(Debug)]
pub struct Words<'a> {
    text: &'a str,
    at: usize,
    /// Stretch of the text that contains characters of the class [`Class::Hard`]. The crate
    /// unicode-segmentation cuts this stretch into words. The pair has the byte offset at which the
    /// stretch starts, and the remaining words. `None` outside of such a stretch.
    stretch: Option<(usize, UnicodeWordIndices<'a>)>,
}

/// Kind of the next word in a text.
enum Next {
    /// A character at the present offset may begin a word, and is not of the class [`Class::Hard`].
    Plain,
    /// A stretch with a character of the class [`Class::Hard`] begins at this offset.
    Hard(usize),
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            if let Some((base, words)) = &mut self.stretch {
                if let Some((start, text)) = words.next() {
                    return Some(Word {
                        start: *base + start,
                        text,
                        is_normal: false,
                        is_ascii: text.is_ascii(),
                    });
                }
                self.stretch = None;
            }
            let start = match self.seek()? {
                Next::Plain => self.at,
                Next::Hard(start) => {
                    self.enter(start);
                    continue;
                }
            };
            match self.pass() {
                Some(is_ascii) => {
                    let text = &self.text[start..self.at];
                    if text.bytes().any(|byte| has_kind(byte, WORD | BEYOND)) {
                        return Some(Word {
                            start,
                            text,
                            is_normal: true,
                            is_ascii,
                        });
                    }
                }
                None => self.enter(start),
            }
        }
    }
}

impl<'a> Words<'a> {
    /// Returns the next words as one text, and the number of these words: at least one and at most
    /// `most`. In the text, one blank separates two words. The words are folded, except that
    /// capital ASCII letters may remain. Returns `None` at the end of the text.
    #[doc(hidden)]
    pub fn next_run(&mut self, most: usize) -> Option<(Cow<'a, str>, usize)> {
        match self.run(most) {
            Some((run, number)) => Some((Cow::Borrowed(run), number)),
            None => Some((self.find_map(|word| word.nearly_folded())?, 1)),
        }
    }

    /// Reads up to `most` words together, by a fast path. Returns their text and their number.
    /// `None` if the fast path does not apply.
    fn run(&mut self, most: usize) -> Option<(&'a str, usize)> {
        if self.stretch.is_some() {
            return None;
        }
        let start = self.after(|byte| !has_kind(byte, WORD | UNDERSCORE | BEYOND));
        let (end, number) = run::run(self.text.as_bytes(), start, most)?;
        self.at = end;
        Some((&self.text[start..end], number))
    }

    /// Moves to the next offset at which a word begins, or may begin. `None` if the text has no
    /// more words.
    fn seek(&mut self) -> Option<Next> {
        let mut before = self.at;
        loop {
            let end = self.after(|byte| !has_kind(byte, WORD | UNDERSCORE | BEYOND));
            before = if end > self.at { end - 1 } else { before };
            self.at = end;
            if self.text.as_bytes().get(end)?.is_ascii() {
                return Some(Next::Plain);
            }
            match self.class(self.at) {
                (Class::Hard, _) => return Some(Next::Hard(self.blanks_start(before))),
                (class, _) if class.is_in_words() => return Some(Next::Plain),
                (_, length) => {
                    before = self.at;
                    self.at += length;
                }
            }
        }
    }

    /// If there is a blank at `at`, returns the offset of the first of the consecutive blanks that
    /// end there. Otherwise returns `at`.
    fn blanks_start(&self, at: usize) -> usize {
        if !self.text[at..].starts_with(' ') {
            return at;
        }
        at - self.text.as_bytes()[..at]
            .iter()
            .rev()
            .take_while(|byte| **byte == b' ')
            .count()
    }

    /// Moves to the end of the word that begins at the present offset. Returns true if all of the
    /// word is ASCII. `None` if the word has a character of the class [`Class::Hard`].
    fn pass(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes();
        let mut is_ascii = true;
        loop {
            self.at = self.after(|byte| has_kind(byte, WORD | UNDERSCORE));
            if bytes
                .get(self.at)
                .is_none_or(|byte| !has_kind(*byte, MID | BEYOND))
            {
                return Some(is_ascii);
            }
            let (class, length) = self.class(self.at);
            let next = if class.is_mid() {
                self.class(self.at + length).0
            } else {
                class
            };
            if next == Class::Hard {
                return None;
            }
            if !class.is_in_words() && !class.joins(self.class_before(), next) {
                return Some(is_ascii);
            }
            is_ascii &= length == 1;
            self.at += length;
        }
    }

    /// Returns the offset of the first byte, from the present offset on, for which `is_such` is
    /// false.
    fn after(&self, is_such: impl Fn(u8) -> bool) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while at < bytes.len() && is_such(bytes[at]) {
            at += 1;
        }
        at
    }

    /// Returns the class of the word's last character, which is directly before the present offset.
    fn class_before(&self) -> Class {
        let byte = self.text.as_bytes()[..self.at]
            .last()
            .copied()
            .unwrap_or_default();
        CLASSES.get(byte as usize).copied().unwrap_or(Class::Letter)
    }

    /// Returns the class of the character at `at`, and its length in bytes. The end of the text has
    /// the class `Other` and the length 0.
    fn class(&self, at: usize) -> (Class, usize) {
        let character = self.text[at..].chars().next();
        character.map_or((Class::Other, 0), |character| {
            (Class::from_char(character), character.len_utf8())
        })
    }

    /// Passes a stretch of the text to unicode-segmentation. The stretch begins at the byte offset
    /// `start`. It ends between a blank and an ASCII character other than a blank, or at the end of
    /// the text.
    fn enter(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let is_end =
            |at: &usize| bytes[at - 1] == b' ' && bytes[*at].is_ascii() && bytes[*at] != b' ';
        let end = (self.at + 1..bytes.len())
            .find(is_end)
            .unwrap_or(bytes.len());
        self.stretch = Some((start, self.text[start..end].unicode_word_indices()));
        self.at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the words of a text by unicode-segmentation alone, for the test to compare.
    fn by_the_library(text: &str) -> Vec<(usize, usize, String)> {
        let words = text.unicode_word_indices();
        let folded = words.map(|(start, word)| (start, start + word.len(), plainly_folded(word)));
        folded
            .filter(|(_, _, word)| (1..=LONGEST).contains(&word.len()))
            .collect()
    }

    fn plainly_folded(word: &str) -> String {
        word.nfkc()
            .collect::<String>()
            .to_lowercase()
            .split_whitespace()
            .collect()
    }

    fn by_us(text: &str) -> Vec<(usize, usize, String)> {
        words(text)
            .filter_map(|word| Some((word.start, word.end(), word.folded()?.into_owned())))
            .collect()
    }

    /// Returns the words of a text, read in runs of at most `most` words.
    fn by_runs(text: &str, most: usize) -> Vec<String> {
        let (mut found, mut words) = (Vec::new(), words(text));
        while let Some((run, number)) = words.next_run(most) {
            let before = found.len();
            found.extend(run.split(' ').map(str::to_ascii_lowercase));
            assert!(found.len() - before == number && number <= most, "{text:?}");
        }
        found
    }

    fn assert_same(text: &str) {
        let expected = by_the_library(text);
        assert_eq!(by_us(text), expected, "{text:?}");
        for most in [1, 2, usize::MAX] {
            assert!(
                by_runs(text, most)
                    .iter()
                    .eq(expected.iter().map(|(_, _, word)| word)),
                "{text:?}"
            );
        }
    }

    /// Characters from which the tests make texts. They cover every pair of rules for word
    /// boundaries. Some of them stand for many similar characters.
    const TELLING: &str = "aZ09_:.,;' \"-\r\n\t\0éßİŉǅſªº²·’“…\u{A0}\u{AD}\u{301}\u{93E}\u{200D}\u{200B}\u{2060}\u{3000}\u{202F}\u{1F600}\
                           \u{1F1E9}\u{2764}\u{FE0F}жΣςא״カ日ｱＡ３ﬁกক①\u{1D400}\u{85}\u{2028}\u{387}\u{2024}";

    #[test]
    fn words_are_folded() {
        let found = |text| {
            words(text)
                .filter_map(|word| word.folded())
                .map(Cow::into_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found("Dark RYE, don't! 3.14 Ärger"),
            ["dark", "rye", "don't", "3.14", "ärger"]
        );
        assert_eq!(found("ＡＢＣ ﬁne e\u{301}"), ["abc", "fine", "é"]);
        assert_eq!(found("日本"), ["日", "本"]);
        assert_eq!(found(&"x".repeat(256)), [""; 0]);
    }

    #[test]
    fn no_run_has_a_word_that_is_too_long() {
        for words in [LONGEST - 1, LONGEST, LONGEST + 1].map(|length| {
            [
                "x".repeat(length),
                "é".repeat(length / 2) + &"x".repeat(length % 2),
            ]
        }) {
            assert_same(&format!("a {} b {} c d e f g h i", words[0], words[1]));
        }
    }

    #[test]
    fn every_character_is_of_its_class() {
        for character in '\0'..=char::MAX {
            let beside: Vec<String> = match Class::from_char(character) {
                Class::Hard => continue,
                _ => [
                    "{}",
                    "a{}b",
                    "1{}2",
                    "_{}_",
                    "a{}{}b",
                    "{} a",
                    "a {}",
                    "é{}א",
                    "{}\u{301}",
                    " {}\u{93E}x",
                ]
                .map(|around| around.replace("{}", &character.to_string()))
                .into(),
            };
            for text in beside {
                assert_same(&text);
            }
        }
    }

    #[test]
    fn any_three_characters_are_split_as_by_the_library() {
        let telling: Vec<char> = TELLING.chars().collect();
        for first in &telling {
            for second in &telling {
                for third in &telling {
                    assert_same(&format!("{first}{second}{third}"));
                }
            }
        }
    }

    fn telling() -> impl Strategy<Value = String> {
        let one = prop_oneof![
            4 => proptest::sample::select(TELLING.chars().collect::<Vec<_>>()),
            4 => proptest::char::range('\0', '\x7F'),
            2 => proptest::char::range('\u{80}', '\u{52F}'),
            1 => proptest::char::range('\u{2000}', '\u{206F}'),
            1 => any::<char>(),
        ];
        proptest::collection::vec(one, 0..40).prop_map(String::from_iter)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn words_are_those_of_the_library(text in telling()) {
            assert_same(&text);
        }

        #[test]
        fn words_are_those_of_the_library_in_mostly_ascii(text in "([a-zA-Z]{1,9}[ .,'_:;-]{1,2}){0,9}\\PC{0,3}([a-z0-9.,' ]{1,9}){0,3}") {
            assert_same(&text);
        }

        #[test]
        fn words_are_those_of_the_library_a_blank_apart(text in "([a-zA-Z0-9éßÿøÉ]{0,12}([ ]|[ ]|[ ]|  |[÷×.,'’_·\u{AD}\u{301}] ?)){0,20}") {
            assert_same(&text);
        }

        #[test]
        fn words_are_those_of_the_library_in_any_text(text in any::<String>()) {
            assert_same(&text);
        }
    }
}
