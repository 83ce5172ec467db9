//! Misspelt words: what is nearly a known word, and how many edits part two words.
//!
//! There is one notion of nearness, [`is_near`]: the same letters, with any signs between them, or
//! one edit. An edit is that of the optimal string alignment distance: one byte added, dropped,
//! replaced, or swapped with its neighbour. Short words are near to none, since they resemble too
//! many others. Letter case counts; callers fold it first.

/// The shortest known word that others may be near.
const SHORTEST: usize = 6;
/// The most by which the lengths may differ, in blanks and signs.
const MOST_BETWEEN: usize = 4;

/// The first of the known words that a text is, or is near.
pub fn near<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().find(|known| is_near(text, known))
}

/// True if two words are alike, of lengths with which that is no chance. A slash at the start makes
/// another word: marks that open and close differ by it.
pub fn is_near(text: &str, known: &str) -> bool {
    known.len() >= SHORTEST
        && text.len().abs_diff(known.len()) <= MOST_BETWEEN
        && text.starts_with('/') == known.starts_with('/')
        && (is_one_edit(text.as_bytes(), known.as_bytes()) || letters(text).eq(letters(known)))
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|sign| sign.is_alphanumeric())
}

/// True if at most one edit turns `one` into `other`. Equal texts count too.
pub fn is_one_edit(one: &[u8], other: &[u8]) -> bool {
    one.len().abs_diff(other.len()) <= 1 && has_an_end_of(one, other) && is_within(1, one, other)
}

/// True if the first or the last bytes are the same. No single edit changes both ends of a text of
/// three bytes or more.
#[inline]
fn has_an_end_of(one: &[u8], other: &[u8]) -> bool {
    one.len() < 3 || one.first() == other.first() || one.last() == other.last()
}

/// True if at most so many edits turn `one` into `other`. Each further edit costs up to four times
/// as much.
pub fn is_within(edits: usize, one: &[u8], other: &[u8]) -> bool {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    match (&one[same..], &other[same..]) {
        ([], rest) | (rest, []) => rest.len() <= edits,
        (one, other) if edits == 0 || one.len().abs_diff(other.len()) > edits => false,
        (one @ [a, one_behind @ ..], other @ [b, other_behind @ ..]) => {
            let is_swapped = one_behind.first() == Some(b) && other_behind.first() == Some(a);
            is_within(edits - 1, one_behind, other_behind)
                || is_within(edits - 1, one_behind, other)
                || is_within(edits - 1, one, other_behind)
                || is_swapped && is_within(edits - 1, &one_behind[1..], &other_behind[1..])
        }
    }
}

/// A question to add to a message: did you mean the nearest of the known names? Empty if none is
/// near.
pub fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut known: Vec<_> = known.collect();
    known.sort_unstable();
    for edits in 0..=MOST_SLIPS {
        for known in &known {
            // One edit in three letters is a slip; more is another word.
            if edits * 3 <= known.len().max(name.len())
                && is_within(edits, name.as_bytes(), known.as_bytes())
            {
                return format!(" did you mean `{known}`?");
            }
        }
    }
    let is_beginning = |known: &&&str| name.len() >= SHORTEST_BEGINNING && known.starts_with(name);
    match known.iter().find(is_beginning) {
        Some(known) => format!(" did you mean `{known}`?"),
        None => String::new(),
    }
}

/// The least length of a beginning for which a hint names the whole.
const SHORTEST_BEGINNING: usize = 4;

/// The most slips in a name that a hint forgives.
const MOST_SLIPS: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn edits_are_those_of_the_optimal_string_alignment(one in "[ab]{0,6}", other in "[abc]{0,6}", edits in 0..4_usize) {
            let is_within = is_within(edits, one.as_bytes(), other.as_bytes());
            prop_assert_eq!(is_within, strsim::osa_distance(&one, &other) <= edits);
            prop_assert_eq!(is_one_edit(one.as_bytes(), other.as_bytes()), strsim::osa_distance(&one, &other) <= 1);
        }
    }

    #[test]
    fn what_is_near() {
        for (text, known, expected) in [
            ("noidex", "noindex", true),
            ("no-in dex", "noindex", true),
            ("no-idex", "noindex", false),
            ("/noindex", "noindex", false),
            ("n-o-i-n-d-e-x", "noindex", false),
            ("indx", "index", false),
        ] {
            assert_eq!(near(text, [known]).is_some(), expected, "{text}");
        }
        assert_eq!(
            hint("metta", ["rel", "meta"].into_iter()),
            " did you mean `meta`?"
        );
        assert_eq!(hint("abc", ["xyz"].into_iter()), "");
    }
}
