//! The words by which publishers deny and allow: one table, with a row for each word
//! (docs/semantics.md, sections 4.1, 4.3 and 4.4).
//!
//! META robots has most of the words. Other grammars have some of them, and the Robot Exclusion
//! Profile also has a few of its own. A row has the meaning of a word, which is the same in all its
//! grammars. The parser of a grammar adds further consequences: a region that denies `index` denies
//! `anchor` too. Words with values are in `terms`.

use crate::policy::{StatementContent, Use, Uses};

/// A syntax in which publishers write statements, such as META robots. Each syntax has its own list
/// of words, such as `noindex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    /// The grammar of META robots, and of the headers `X-Robots-Tag` and `Robots-Tag`.
    Meta,
    /// The grammar of Spiderline's comments.
    Region,
    /// The grammar of the class names of the Robot Exclusion Profile.
    Profile,
    /// The grammar of a META for the search of a single site, such as Swiftype's META.
    Site,
}

use Grammar::{Meta, Profile, Region, Site};

/// Row of the table of words. It has a word such as `noindex`, the statement of the word, and the
/// grammars that have the word. The statement is `None` for a word without effect.
type WordRow = (&'static str, Option<StatementContent>, &'static [Grammar]);

const fn deny(word: &'static str, uses: &[Use], grammars: &'static [Grammar]) -> WordRow {
    (
        word,
        Some(StatementContent::Deny(Uses::new(uses))),
        grammars,
    )
}

const fn allow(word: &'static str, uses: &[Use], grammars: &'static [Grammar]) -> WordRow {
    (
        word,
        Some(StatementContent::Allow(Uses::new(uses))),
        grammars,
    )
}

/// Creates the row of a word that META robots has, but that has no effect.
const fn idle(word: &'static str) -> WordRow {
    (word, None, &[Meta])
}

const WORDS: [WordRow; 31] = [
    deny("noindex", &[Use::Index], &[Meta, Region, Profile, Site]),
    deny("nofollow", &[Use::Follow], &[Meta, Region, Profile, Site]),
    deny("none", &[Use::Index, Use::Follow], &[Meta, Region, Site]),
    deny("noarchive", &[Use::Archive], &[Meta, Profile]),
    deny("nocache", &[Use::Archive], &[Meta]),
    deny("nosnippet", &[Use::Snippet], &[Meta]),
    deny("noimageindex", &[Use::Image], &[Meta]),
    deny("notranslate", &[Use::Translate], &[Meta]),
    deny("noai", &[Use::Train], &[Meta]),
    deny("noml", &[Use::Train], &[Meta]),
    deny("disallowaitraining", &[Use::Train], &[Meta]),
    deny("noanchortext", &[Use::Anchor], &[Profile]),
    allow("index", &[Use::Index], &[Meta, Region, Profile, Site]),
    allow("follow", &[Use::Follow], &[Meta, Region, Profile, Site]),
    allow("all", &[Use::Index, Use::Follow], &[Meta, Region]),
    allow("archive", &[Use::Archive], &[Meta, Profile]),
    allow("anchortext", &[Use::Anchor], &[Profile]),
    idle("noimageai"),
    idle("noodp"),
    idle("noydir"),
    idle("noyaca"),
    idle("nositelinkssearchbox"),
    idle("nopagereadaloud"),
    idle("nopreview"),
    idle("noimageclick"),
    idle("snippet"),
    idle("imageindex"),
    idle("cache"),
    idle("odp"),
    idle("ydir"),
    idle("indexifembedded"),
];

/// For each result of [`slot`], true if a word of [`WORDS`] has this result. By this table, most
/// words that are not in [`WORDS`] are excluded without a comparison.
const SLOTS: [bool; 256] = {
    let mut slots = [false; 256];
    let mut at = 0;
    while at < WORDS.len() {
        slots[slot(WORDS[at].0.as_bytes())] = true;
        at += 1;
    }
    slots
};

/// Hashes a word by its first two letters, ignoring ASCII case, and its length. The result is an
/// index in [`SLOTS`].
const fn slot(word: &[u8]) -> usize {
    let [first, second, ..] = word else { return 0 };
    let sum = (*first | 0x20) as usize * 7 + (*second | 0x20) as usize * 31 + word.len() * 5;
    sum % 256
}

/// Returns the statement of a word in a grammar, ignoring ASCII case. Returns `None` if the grammar
/// does not have the word. Returns `Some(None)` if the grammar has the word, but the word has no
/// effect.
pub(super) fn statement(word: &str, grammar: Grammar) -> Option<Option<StatementContent>> {
    if !SLOTS[slot(word.as_bytes())] {
        return None;
    }
    let (_, says, _) = WORDS.iter().find(|(known, _, grammars)| {
        known.eq_ignore_ascii_case(word) && grammars.contains(&grammar)
    })?;
    Some(*says)
}

/// Returns all words of a grammar, such as `noindex`.
pub(super) fn words(grammar: Grammar) -> impl Iterator<Item = &'static str> {
    WORDS
        .iter()
        .filter(move |row| row.2.contains(&grammar))
        .map(|(word, ..)| *word)
}

/// Returns the words of a grammar that deny a use, such as `noindex`.
pub(super) fn denying(grammar: Grammar) -> impl Iterator<Item = &'static str> {
    let denies = move |row: &&WordRow| {
        matches!(row.1, Some(StatementContent::Deny(_))) && row.2.contains(&grammar)
    };
    WORDS.iter().filter(denies).map(|(word, ..)| *word)
}

/// Returns the uses that `word` denies in META robots. For example, `noindex` denies the use
/// `index`. For a word that denies nothing there, the result is empty.
pub fn denied_by(word: &str) -> Uses {
    match statement(word, Meta).flatten() {
        Some(StatementContent::Deny(uses)) => uses,
        _ => Uses::NONE,
    }
}

/// Returns the class names of the Robot Exclusion Profile that deny a use to all bots. An example
/// is `robots-noindex`.
pub fn profile_classes() -> impl Iterator<Item = String> {
    denying(Profile).map(|word| format!("robots-{word}"))
}
