//! Misspelt words: is one text at most one edit away from another?
//!
//! An edit is that of the optimal string alignment distance: one byte added, dropped, replaced, or swapped with its neighbour.
//! A full distance would cost many times as much, and no caller needs it. Letter case counts; callers fold it first.

/// True if at most one edit turns `one` into `other`. Equal texts count too.
#[inline]
pub(crate) fn is_one_edit(one: &[u8], other: &[u8]) -> bool {
    one.len().abs_diff(other.len()) <= 1 && is_between(one, other)
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
        fn it_is_a_distance_of_one_at_the_most(one in "[ab]{0,6}", other in "[abc]{0,6}") {
            prop_assert_eq!(is_one_edit(one.as_bytes(), other.as_bytes()), strsim::osa_distance(&one, &other) <= 1);
        }
    }
}
