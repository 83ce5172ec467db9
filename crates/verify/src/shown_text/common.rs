//! Computes the longest common subsequence of two lists.
//!
//! The lengths are computed for 64 entries at once, and the lists are halved until single entries
//! remain (Hirschberg's algorithm). So memory is linear. The time is the product of the lengths,
//! divided by 32.

use std::collections::HashMap;
use std::hash::Hash;

/// Returns a longest common subsequence of two lists, as pairs of indices in ascending order.
pub(super) fn common<T: Copy + Eq + Hash>(left: &[T], right: &[T]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    extend(left, right, (0, 0), &mut pairs);
    pairs
}

/// Appends the pairs of a longest common subsequence of two parts of lists. `at` has the indices in
/// the lists at which the parts begin.
fn extend<T: Copy + Eq + Hash>(
    left: &[T],
    right: &[T],
    at: (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
) {
    let same = |(a, b): &(&T, &T)| a == b;
    let before = left.iter().zip(right).take_while(same).count();
    pairs.extend((0..before).map(|index| (at.0 + index, at.1 + index)));
    let at = (at.0 + before, at.1 + before);
    let (left, right) = (&left[before..], &right[before..]);
    let after = left.iter().rev().zip(right.iter().rev());
    let after = after.take_while(same).count();
    let inner = (left.len() - after, right.len() - after);
    divide(&left[..inner.0], &right[..inner.1], at, pairs);
    pairs.extend((0..after).map(|index| (at.0 + inner.0 + index, at.1 + inner.1 + index)));
}

/// Does the work of [`extend`] for parts without a common beginning or end. Halves `left`, and
/// finds the part of `right` that belongs to each half.
fn divide<T: Copy + Eq + Hash>(
    left: &[T],
    right: &[T],
    at: (usize, usize),
    pairs: &mut Vec<(usize, usize)>,
) {
    match left {
        [] => {}
        [only] => {
            let found = right.iter().position(|other| other == only);
            pairs.extend(found.map(|index| (at.0, at.1 + index)));
        }
        _ => {
            let half = left.len() / 2;
            let forward = lengths(left[..half].iter(), right.iter());
            let backward = lengths(left[half..].iter().rev(), right.iter().rev());
            let total = |cut: &usize| forward[*cut] + backward[right.len() - cut];
            let cut = (0..=right.len()).max_by_key(total).unwrap_or_default();
            extend(&left[..half], &right[..cut], at, pairs);
            let at = (at.0 + half, at.1 + cut);
            extend(&left[half..], &right[cut..], at, pairs);
        }
    }
}

/// For each prefix of `right`, returns the length of the longest common subsequence of `left` and
/// the prefix. The first prefix is empty, and the last is all of `right`.
fn lengths<'t, T: Copy + Eq + Hash + 't>(
    left: impl Iterator<Item = &'t T>,
    right: impl ExactSizeIterator<Item = &'t T>,
) -> Vec<usize> {
    let length = right.len();
    let mut places: HashMap<T, Vec<usize>> = HashMap::new();
    for (index, entry) in right.enumerate() {
        places.entry(*entry).or_default().push(index);
    }
    // A bit is zero where the length increases by one.
    let mut row = vec![u64::MAX; length.div_ceil(64)];
    let mut matches = vec![0_u64; row.len()];
    for entry in left {
        let Some(places) = places.get(entry) else {
            continue;
        };
        for place in places {
            matches[place / 64] |= 1 << (place % 64);
        }
        let mut has_carry = false;
        for (word, found) in row.iter_mut().zip(&mut matches) {
            let (sum, overflows) = word.overflowing_add(*word & *found);
            let (sum, overflows_again) = sum.overflowing_add(u64::from(has_carry));
            *word = sum | (*word & !*found);
            has_carry = overflows || overflows_again;
            *found = 0;
        }
    }
    let mut total = 0;
    let grows = |index: usize| usize::from(row[index / 64] & (1 << (index % 64)) == 0);
    let grown = (0..length).map(|index| {
        total += grows(index);
        total
    });
    std::iter::once(0).chain(grown).collect()
}

#[cfg(test)]
mod tests {
    use super::common;

    /// Returns the length of the longest common subsequence of two lists. It is computed by the
    /// textbook method, which fills a table.
    fn length(left: &[u8], right: &[u8]) -> usize {
        let mut row = vec![0; right.len() + 1];
        for a in left {
            let before = row.clone();
            for (index, b) in right.iter().enumerate() {
                row[index + 1] = match a == b {
                    true => before[index] + 1,
                    false => before[index + 1].max(row[index]),
                };
            }
        }
        row[right.len()]
    }

    #[test]
    fn a_longest_common_subsequence_is_found() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..400 {
            let letters = 1 + random.u8(0..6);
            let mut list = || -> Vec<u8> {
                let entries = random.usize(0..300);
                std::iter::repeat_with(|| random.u8(0..letters))
                    .take(entries)
                    .collect()
            };
            let (left, right) = (list(), list());
            let pairs = common(&left, &right);
            let rises = |two: &[(usize, usize)]| two[0].0 < two[1].0 && two[0].1 < two[1].1;
            assert!(pairs.windows(2).all(rises));
            assert!(pairs.iter().all(|(a, b)| left[*a] == right[*b]));
            assert_eq!(pairs.len(), length(&left, &right));
        }
    }
}
