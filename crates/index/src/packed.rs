//! Packs the words of one field into a string, on the calling thread. Indexing threads then only
//! split that string.
//!
//! A packed string begins with [`MARK`], and folded words follow. A blank separates two words of a
//! phrase, [`BOUNDARY`] separates two phrases, and [`BLOCK`] two blocks in an index that parts
//! them. Several anchor texts are concatenated, each beginning with a [`MARK`] of its own. [`SPAN`]
//! positions are reserved for each anchor text, so a position identifies its anchor text. A text
//! without [`MARK`] (a query, an excerpt) is split by [`words`]. One tokenizer handles packed and
//! plain texts, so an index and a query never differ in what a word is. (tantivy also accepts a
//! token stream that was made beforehand. It is four times slower.)
//!
//! A field of forms gets the same packed string after a head: [`FORMS`], the setting and the
//! language. Its tokenizer reads the words like that of the exact field, and puts each form at the
//! position of its word. So the rules about positions hold for forms too.

use std::sync::Arc;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use heedful::internals::page::{POSITIONS, Parting, step};
use heedful::{PHRASE_GAP, Words, words};

use super::forms::{FormMaker, Forms, Language, WordForms};
use super::pending::Pending;

pub(super) const NAME: &str = "heedful";
/// Name of the tokenizer for fields of word forms. Forms of a word are its stem and the word
/// without accents.
pub(super) const NAME_OF_FORMS: &str = "heedful-forms";
const MARK: char = '\u{1}';
const BOUNDARY: char = '\u{2}';
const BLOCK: char = '\u{4}';
/// First character of a packed string for a field of word forms, such as stems. The second
/// character encodes which forms are made (the setting [`Forms`]). The third character encodes the
/// language. The codes are numbers added to [`ZERO`].
const FORMS: char = '\u{3}';
const ZERO: u8 = b'@';
/// Number of bytes before the words in a packed string for a field of word forms, such as stems.
/// The bytes are [`FORMS`], the setting [`Forms`], and the language.
const HEAD: usize = 3;

/// Maximum number of words of one anchor text. Later words are dropped.
pub(super) const MOST_WORDS: usize = 64;
/// Number of token positions reserved for one anchor text. The number suffices even if each word is
/// a separate phrase, with a gap in the positions after it.
const SPAN: usize = 1 << 16;
const _: () = assert!(MOST_WORDS * (PHRASE_GAP as usize) < SPAN);
/// Maximum number of anchor texts in one packed string.
pub(super) const MOST_ANCHOR_TEXTS: usize = 1 << 12;
const _: () = assert!(MOST_ANCHOR_TEXTS * SPAN < POSITIONS as usize);

/// Packs all words of one field's phrases into one string. Returns None if the phrases have no
/// word.
pub(super) fn pack(phrases: &[impl AsRef<str>]) -> Option<String> {
    pack_parted(
        phrases
            .iter()
            .map(|phrase| (phrase.as_ref(), Parting::Phrase)),
    )
}

/// Packs all words of one field's parts into one string. Each part comes with the kind of boundary
/// between it and the part before. Returns None if the parts have no word.
pub(super) fn pack_parted<'a>(
    parts: impl Iterator<Item = (&'a str, Parting)> + Clone,
) -> Option<String> {
    let bytes = parts.clone().map(|(part, _)| part.len() + 1).sum();
    // A folded word is nearly always as long as its source.
    let mut packed = String::with_capacity(bytes);
    append(&mut packed, parts, usize::MAX);
    // This buffer waits in tantivy's queue, so a short text must not hold a large buffer there.
    if packed.capacity() > 2 * packed.len() {
        packed.shrink_to_fit();
    }
    (!packed.is_empty()).then_some(packed)
}

/// Packs the first `most` words of one field's parts, and appends them to `packed`. Each part comes
/// with the kind of boundary between it and the part before. Appends nothing if the parts have no
/// word. Words beyond the last position of a field ([`POSITIONS`]) are dropped.
pub(super) fn append<'a>(
    packed: &mut String,
    parts: impl IntoIterator<Item = (&'a str, Parting)>,
    most: usize,
) {
    let start = packed.len();
    let mut left = most;
    let mut room = POSITIONS as usize;
    // A part without words parts its neighbours too.
    let mut parting = Parting::Word;
    for (part, parted) in parts {
        parting = parting.max(parted);
        let mut mark = match parting {
            _ if packed.len() == start => MARK,
            Parting::Word => ' ',
            Parting::Block => BLOCK,
            Parting::Phrase => BOUNDARY,
        };
        let mut words = words(part);
        loop {
            // The first word of a second or later part comes after the gap.
            let gap = step(parting_of(mark)) as usize - 1;
            let fitting = left.min(room.saturating_sub(gap));
            if fitting == 0 {
                break;
            }
            let Some((some, number)) = words.next_run(fitting) else {
                break;
            };
            packed.push(mark);
            packed.push_str(&some);
            left -= number;
            room -= gap + number;
            mark = ' ';
            parting = Parting::Word;
        }
    }
    // Folding ASCII once over the whole text is faster than word by word.
    packed[start..].make_ascii_lowercase();
}

/// Returns the kind of boundary that a separator character in a packed string stands for.
fn parting_of(mark: char) -> Parting {
    match mark {
        BOUNDARY => Parting::Phrase,
        BLOCK => Parting::Block,
        _ => Parting::Word,
    }
}

/// Converts a packed string of exact words into the packed string for a field of word forms, such
/// as stems. `forms` tells which forms are made. `language` is the language of the page that
/// contains the words. Returns None if no word can have another form.
pub(super) fn with_forms(packed: &str, forms: Forms, language: Option<Language>) -> Option<String> {
    let setting = match forms {
        Forms::Exact => return None,
        Forms::Folded if packed.is_ascii() => return None,
        Forms::Stemmed if packed.is_ascii() && language.is_none() => return None,
        Forms::Folded => ZERO,
        Forms::Stemmed => ZERO + 1,
    };
    let number = language.map_or(0, Language::number);
    let mut text = String::with_capacity(HEAD + packed.len());
    text.push(FORMS);
    text.push(char::from(setting));
    text.push(char::from(ZERO + number as u8));
    text.push_str(packed);
    Some(text)
}

/// Splits a packed string for a field of word forms, such as stems. Returns which forms are made,
/// the language, and the packed words. Returns None for any other text.
fn split_forms(text: &str) -> Option<(Forms, Option<Language>, &str)> {
    let packed = text.strip_prefix(FORMS)?.get(HEAD - 1..)?;
    let [_, setting, number] = *text.as_bytes().first_chunk::<HEAD>()?;
    let forms = if setting == ZERO {
        Forms::Folded
    } else {
        Forms::Stemmed
    };
    let language = Language::from_number(u64::from(number.wrapping_sub(ZERO)));
    Some((forms, language, packed))
}

/// Converts packed text to plain words, separated by blanks.
pub(super) fn unpack(packed: &str) -> String {
    packed
        .trim_start_matches(MARK)
        .replace([BOUNDARY, BLOCK], " ")
}

/// Splits a string of concatenated packed anchor texts. Iterates over the packed anchor texts, in
/// their order in the string.
pub(super) fn each_anchor_text(packed: &str) -> impl Iterator<Item = &str> {
    let starts = packed.match_indices(MARK).map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([packed.len()]);
    starts.zip(ends).map(|(start, end)| &packed[start..end])
}

/// Converts a token position to the number of the anchor text that contains it. The anchor texts of
/// a field are numbered from 0.
pub(super) fn name_at(position: u32) -> usize {
    position as usize / SPAN
}

/// Returns the number of words of a packed string.
pub(super) fn count(packed: &str) -> usize {
    // A separator stands before each word, and words contain no blank or control character.
    packed.bytes().filter(|byte| *byte <= b' ').count()
}

/// True if a text is packed: it begins with [`MARK`].
fn is_packed(text: &str) -> bool {
    text.starts_with(MARK)
}

/// Tokenizer of all text fields with exact words. It reads plain texts and packed texts. A packed
/// text is a string of words that are already split.
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
        Tokens::new(source)
    }
}

/// Tokenizer of the fields of word forms. Forms of a word are its stem and the word without
/// accents. A text that was not packed for a field of forms yields no tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct PackedForms {
    /// Counter of the packed bytes in tantivy's queue of documents. It is decreased when a packed
    /// text is tokenized.
    pub(super) pending: Arc<Pending>,
    maker: FormMaker,
}

impl PackedForms {
    pub(super) fn new(pending: Arc<Pending>) -> Self {
        Self {
            pending,
            maker: FormMaker::default(),
        }
    }
}

impl Tokenizer for PackedForms {
    type TokenStream<'a> = FormTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> FormTokens<'a> {
        let (forms, language, packed) = match split_forms(text) {
            Some(head) => {
                self.pending.remove(text);
                head
            }
            None => (Forms::Exact, None, ""),
        };
        FormTokens {
            words: Tokens::new(PackedSource::Packed {
                text: packed,
                at: 0,
            }),
            maker: &mut self.maker,
            forms,
            language,
            ready: None,
            token: Token::default(),
        }
    }
}

/// Token stream of the other forms of packed words, such as stems. A form has the token position of
/// its word.
pub(super) struct FormTokens<'a> {
    words: Tokens<'a>,
    maker: &'a mut FormMaker,
    forms: Forms,
    language: Option<Language>,
    /// Forms of the current word, and the number of forms that were already yielded as tokens. None
    /// before the first word.
    ready: Option<(WordForms, usize)>,
    token: Token,
}

impl TokenStream for FormTokens<'_> {
    fn advance(&mut self) -> bool {
        loop {
            if let Some((forms, done)) = &mut self.ready
                && let Some(form) = forms.get(*done)
            {
                *done += 1;
                let word = &self.words.token;
                let place = (word.offset_from, word.offset_to, form.as_str());
                Tokens::put(&mut self.token, word.position, place);
                return true;
            }
            if !self.words.advance() {
                return false;
            }
            let word = &self.words.token.text;
            self.ready = Some((self.maker.forms(word, self.forms, self.language), 0));
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
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

/// Returns the token position of a word. `mark` is the separator before the word. `position` is the
/// position of the preceding word, or `usize::MAX` if there is none.
fn next_position(position: usize, mark: u8) -> usize {
    match mark {
        _ if position == usize::MAX => 0,
        mark if mark != MARK as u8 => position + step(parting_of(char::from(mark))) as usize,
        _ => (position / SPAN + 1) * SPAN,
    }
}

impl<'a> Tokens<'a> {
    fn new(source: PackedSource<'a>) -> Self {
        Self {
            source,
            token: Token {
                position: usize::MAX,
                ..Token::default()
            },
        }
    }

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
        let phrases = phrases.iter().map(|phrase| (*phrase, Parting::Phrase));
        append(&mut packed, phrases, MOST_WORDS);
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
    fn blocks_are_smaller_gaps() {
        let parts = [
            ("dark rye", Parting::Block),
            ("bread", Parting::Block),
            ("--", Parting::Phrase),
            ("oat", Parting::Block),
        ];
        let packed = pack_parted(parts.into_iter()).unwrap();
        let expected = [("dark", 0), ("rye", 1), ("bread", 101), ("oat", 1101)];
        let expected = expected.map(|(word, position)| (word.to_owned(), position));
        assert_eq!(positions(&packed), expected);
        assert_eq!(unpack(&packed), "dark rye bread oat");
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
        assert_eq!(each_anchor_text(&text).collect::<Vec<_>>(), packed);
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
    fn forms_stand_at_the_positions_of_their_words() {
        let names = [name_of(&["Cafés rye", "Straße"]), name_of(&["cafés"])].concat();
        let english = Language::from_tag("en");
        let text = with_forms(&names, Forms::Stemmed, english).unwrap();
        let mut found = Vec::new();
        PackedForms::default()
            .token_stream(&text)
            .process(&mut |token| found.push((token.text.clone(), token.position)));
        let expected = [
            ("cafes", 0),
            ("en cafe", 0),
            ("strasse", 1001),
            ("en strasse", 1001),
            ("en strass", 1001),
            ("cafes", SPAN),
            ("en cafe", SPAN),
        ];
        assert_eq!(found, expected.map(|(form, at)| (form.to_owned(), at)));
        assert_eq!(with_forms(&names, Forms::Exact, english), None);
        let plain = name_of(&["rye"]);
        assert_eq!(with_forms(&plain, Forms::Folded, english), None);
        assert_eq!(with_forms(&plain, Forms::Stemmed, None), None);
    }

    #[test]
    fn a_query_is_split_like_a_page() {
        assert_eq!(
            positions("Dark RYE"),
            [("dark".to_owned(), 0), ("rye".to_owned(), 1)]
        );
    }
}
