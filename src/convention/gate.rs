//! The gate: decides whether a tag or a comment may make a statement. Most tags make none, as their
//! names and the names of their attributes show. Most comments make none, as their letters show.
//!
//! In doubt the gate passes a token, so it may pass too many tokens but never too few. No
//! convention reads a tag or a comment that the gate does not pass.

use std::sync::LazyLock;

use crate::html::{Facts, Sieve, Tag};
use heedful_base::lenient::quotes;
use heedful_base::lenient::shape::parts_tokens;

use super::set::Conventions;
use super::view::Element;
use super::{comment, element, profile};

/// True if a tag may contain a statement, a declaration or a region mark. If false, none of
/// [`element()`](super::element()), [`content`](super::content) and [`tag`](super::tag) finds one.
pub(crate) fn may_have_statements(element: &impl Element, conventions: &Conventions) -> bool {
    let tag = element.tag();
    tag.has(Facts::HOLDS_PAGE_DIRECTIVES)
        || element::may_mark(element)
        || matches!(tag, Tag::A | Tag::AREA | Tag::FORM) && element.may_have(REL)
        || element.may_have(CLASS)
            && element
                .attribute("class")
                .is_some_and(|classes| may_be_classes(&classes))
        || conventions.custom.may_match(element)
}

const REL: Sieve = Sieve::from_name(b"rel");
const CLASS: Sieve = Sieve::from_name(b"class");

/// True if `classes`, the value of a `class` attribute, may contain an HTML class of a convention.
/// Also true if the value contains a quote or separator that HTML does not know. A lenient form may
/// split the value there.
fn may_be_classes(classes: &str) -> bool {
    let meanings = &*MEANINGS;
    let means = |byte: u8| meanings[usize::from(byte)];
    let bytes = classes.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while let Some(byte) = bytes.get(at)
            && means(*byte) & SEPARATES == 0
        {
            at += 1;
        }
        if start < at {
            let first = means(bytes[start]);
            let last = means(bytes[at - 1]);
            if (first | last) & QUOTE != 0
                || first & BEGINS != 0 && may_be_class(&classes[start..at])
            {
                return true;
            }
        }
        if let Some(byte) = bytes.get(at)
            && (means(*byte) & ODD != 0 || is_dot_of_name(&bytes[at..]))
        {
            return true;
        }
        at += 1;
    }
    false
}

/// True if the bytes begin with a dot and then a name, as in a CSS selector. Most dots in HTML
/// classes are parts of numbers instead.
fn is_dot_of_name(bytes: &[u8]) -> bool {
    matches!(bytes, [b'.', next, ..] if next.is_ascii_alphabetic())
}

fn may_be_class(class: &str) -> bool {
    element::is_class(class) || profile::may_be_class(class)
}

/// For each byte value, its meanings in a `class` attribute, as a bitmask. The bitmask is 0 for
/// most bytes.
static MEANINGS: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut meanings = [0; 256];
    for byte in 0..=u8::MAX {
        let meaning = &mut meanings[usize::from(byte)];
        if matches!(byte, b' ' | b'\t'..=b'\r') || parts_tokens(byte) {
            *meaning |= SEPARATES;
        }
        if !byte.is_ascii() {
            *meaning |= SEPARATES | ODD;
        }
        if quotes::may_be(byte) {
            *meaning |= QUOTE;
        }
    }
    for first in element::initials().chain([profile::INITIAL]) {
        meanings[usize::from(first)] |= BEGINS;
        meanings[usize::from(first.to_ascii_uppercase())] |= BEGINS;
    }
    meanings
});
/// Meaning of a byte: it separates two HTML classes in a `class` attribute. HTML itself separates
/// classes only by blanks. A lenient form of the attribute, which the author may have meant, also
/// separates classes by bytes such as a comma.
const SEPARATES: u8 = 1;
const QUOTE: u8 = 1 << 1;
/// Meaning of a byte: it is the first byte of an HTML class of some convention.
const BEGINS: u8 = 1 << 2;
/// Meaning of a byte: it belongs to a character outside of ASCII. Such a character may be a quote,
/// or may separate two HTML classes.
const ODD: u8 = 1 << 3;

/// True if the text of a comment may be a region mark, may begin with one, or may resemble one.
/// Only letters are compared, since lenient forms never change letters. If the user has added
/// regions, the result is always true. The comments of these regions may have any text.
pub(crate) fn may_be_mark(text: &str, conventions: &Conventions) -> bool {
    // A mark that lacks its `-->` ends at the first `>`.
    let beginning = memchr::memchr(b'>', text.as_bytes()).map(|end| &text[..end]);
    conventions.custom.has_regions()
        || comment::LISTS
            .iter()
            .any(|list| letters(text).take(list.len()).eq(list.bytes()))
        || may_be_known(text)
        || beginning.is_some_and(may_be_known)
}

/// True if a text may be one of the comments that conventions know by their whole text. Also true
/// if the text may differ from such a comment by one edit.
fn may_be_known(text: &str) -> bool {
    let known = &*KNOWN_LETTERS;
    let mut found = 0;
    let mut count = 0;
    for letter in letters(text) {
        found |= bit(letter);
        count += 1;
        if count > known.most {
            return false;
        }
    }
    // All sets are compared, since that takes less time than to stop at the first that is near.
    known
        .sets
        .iter()
        .fold(false, |is_near, set| is_near | has_at_most_two(set ^ found))
}

/// The letters that occur in the comments that conventions know by their whole text. A comment with
/// very different letters cannot be one of these comments.
struct KnownLetters {
    /// For each known comment, the set of its letters as a bitmask.
    sets: Vec<u32>,
    /// Maximum number of letters in a text that equals or nearly equals a known comment.
    most: usize,
}

static KNOWN_LETTERS: LazyLock<KnownLetters> = LazyLock::new(|| {
    let mut sets: Vec<u32> = comment::known_texts()
        .map(|known| letters(known).fold(0, |set, letter| set | bit(letter)))
        .collect();
    sets.sort_unstable();
    sets.dedup();
    let longest = comment::known_texts().map(|known| letters(known).count());
    KnownLetters {
        sets,
        most: longest.max().unwrap_or(0) + 1,
    }
});

/// Returns the ASCII letters of a text, in lower case.
fn letters(text: &str) -> impl Iterator<Item = u8> {
    text.bytes()
        .filter(u8::is_ascii_alphabetic)
        .map(|letter| letter.to_ascii_lowercase())
}

/// Returns the bit that stands for a lower-case letter in a bitmask of letters.
fn bit(letter: u8) -> u32 {
    1 << (letter - b'a')
}

/// True if at most two bits of `set` are 1. `set` has the letters that occur in only one of two
/// texts. If the texts are one edit apart, there are at most two such letters.
fn has_at_most_two(set: u32) -> bool {
    let without_last = set & set.wrapping_sub(1);
    without_last & without_last.wrapping_sub(1) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convention::nearly_a_mark;

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(20_000))]

        /// Tests that [`may_be_mark`] is true for each comment that a convention reads as a region
        /// mark. It must also be true for each comment that gets a note because it resembles a
        /// region mark.
        #[test]
        fn no_mark_is_stopped(
            known: proptest::sample::Index,
            before in "[-\u{AD}\u{200B} \"“]{0,2}",
            at: proptest::sample::Index,
            edit in "(|[a-zA-Z0-9/:=_ <>\"'\u{AD}：，é-]{1,2})",
            drops in 0..2_usize,
            behind in "(|[ -]{0,2}>?|> ?<p>a<!--|:|: ?[a-z]{0,4}(,index)?|=\"?noindex\"?|><b)",
            is_upper: bool,
        ) {
            let all = Conventions::parse("all").unwrap_or_default();
            let listed: Vec<&str> = comment::known_texts()
                .chain(["googleoff", "googleon", "robots content", "google_ad_section_start(x)"])
                .collect();
            let known = known.get(&listed);
            let at = at.index(known.len());
            let rest = known.get(at + drops..).unwrap_or_default();
            let mut text = [&before, &known[..at], &edit, rest, &behind].concat();
            if is_upper {
                text.make_ascii_uppercase();
            }
            let is_read = |text: &str| {
                !comment(text, &all).is_empty()
                    || nearly_a_mark(text, &all).is_some()
            };
            let beginning = text.split('>').next().unwrap_or_default();
            if is_read(&text) || is_read(beginning) {
                proptest::prop_assert!(may_be_mark(&text, &all), "{}", text);
            }
        }
    }

    #[test]
    fn most_comments_are_stopped() {
        let all = Conventions::parse("all").unwrap_or_default();
        for text in [
            "",
            " end of header ",
            "[if lt IE 9]><script src=a.js></script><![endif]",
            "/.row",
            " <p class=a>noindex</p> ",
        ] {
            assert!(!may_be_mark(text, &all), "{text}");
        }
    }
}
