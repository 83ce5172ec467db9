//! Misspelt words: is one text at most one edit away from another?
//!
//! An edit is that of the optimal string alignment distance: one byte added, dropped, replaced, or swapped with its neighbour.
//! A full distance would cost many times as much, and no caller needs it. Letter case counts; callers fold it first.

/// True if at most one edit turns `one` into `other`. Equal texts count too.
#[inline]
pub(crate) fn is_one_edit(one: &[u8], other: &[u8]) -> bool {
    one.len().abs_diff(other.len()) <= 1 && has_an_end_of(one, other) && is_between(one, other)
}

/// True if the first or the last bytes are the same. No single edit changes both ends of a text of three bytes or more.
#[inline]
fn has_an_end_of(one: &[u8], other: &[u8]) -> bool {
    one.len() < 3 || one.first() == other.first() || one.last() == other.last()
}

/// The first two letters of a text and its last one. Most texts differ there from all that they are compared with, and
/// these are found without a look at the others.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    first: u8,
    second: u8,
    last: u8,
}

impl Ends {
    /// The ends of a text, in lower case. None if it has fewer than two letters.
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
        let mut letters = text.iter().filter(is_letter).map(u8::to_ascii_lowercase);
        let (first, second) = (letters.next()?, letters.next()?);
        let last = text.iter().rev().find(is_letter)?.to_ascii_lowercase();
        Some(Self { first, second, last })
    }

    /// False if the letters of the text are more than one edit away from a word of at least four letters.
    #[inline]
    pub(crate) fn may_be_near(self, word: &[u8]) -> bool {
        let [first, second, .., last] = word else { return true };
        if self.first == *first && self.second == *second {
            return true;
        }
        // The edit is at the beginning, so the end is the same.
        let shares = [*first, *second].contains(&self.first) || [*first, *second].contains(&self.second);
        self.last == *last && shares
    }
}

fn is_between(one: &[u8], other: &[u8]) -> bool {
    let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
    let before = one.iter().zip(other).take_while(same).count();
    let (one, other) = (&one[before..], &other[before..]);
    let behind = one.iter().rev().zip(other.iter().rev()).take_while(same).count();
    match (&one[..one.len() - behind], &other[..other.len() - behind]) {
        ([a, b], [c, d]) => (a, b) == (d, c),
        (one, other) => one.len() <= 1 && other.len() <= 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn texts_that_differ_at_their_ends_are_not_near(one in "[a-d]{4,6}", other in "[a-d.]{3,9}") {
            let letters: Vec<u8> = other.bytes().filter(u8::is_ascii_alphabetic).collect();
            let may_be_near = Ends::of(other.as_bytes()).is_none_or(|ends| ends.may_be_near(one.as_bytes()));
            prop_assert!(may_be_near || !is_one_edit(&letters, one.as_bytes()));
        }

        #[test]
        fn it_is_a_distance_of_one_at_the_most(one in "[ab]{0,6}", other in "[abc]{0,6}") {
            prop_assert_eq!(is_one_edit(one.as_bytes(), other.as_bytes()), strsim::osa_distance(&one, &other) <= 1);
        }
    }
}
